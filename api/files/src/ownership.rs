//! Files that are made for an archive: for their owner alone, and of whom the folder belongs to, since a service must be able
//! to use what root made for it.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

/// Makes a file that is not there yet.
///
/// # Errors
/// If it cannot be made, or something has its name.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    if let Some((user, group)) = owner_of_folder(path, &file.metadata()?)? {
        std::os::unix::fs::fchown(&file, Some(user), Some(group))?;
    }
    Ok(file)
}

/// Makes a folder and those above it, where they are not there yet.
///
/// # Errors
/// If one cannot be made.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        create_private_folder(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        // Another program was quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
        made => made?,
    }
    #[cfg(unix)]
    if let Some((user, group)) = owner_of_folder(path, &fs::symlink_metadata(path)?)? {
        // The owner of the folder above could have put a link in its place.
        std::os::unix::fs::lchown(path, Some(user), Some(group))?;
    }
    Ok(())
}

/// The user and the group that a file or folder made by root is given to: those of the folder that it is in. Nobody else can
/// give files away, nor need to.
///
/// # Errors
/// If the folder cannot be looked at.
#[cfg(unix)]
pub fn owner_of_folder(path: &Path, made: &Metadata) -> io::Result<Option<(u32, u32)>> {
    use std::os::unix::fs::MetadataExt;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::metadata(folder)?;
    Ok((made.uid() == 0 && folder.uid() != 0).then(|| (folder.uid(), folder.gid())))
}

/// Looks at a file; nothing if there is none. What is no file, such as a pipe, is refused: to open it could take for ever.
///
/// # Errors
/// If it is no file, or cannot be looked at.
pub fn regular(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => Err(io::ErrorKind::NotSeekable.into()),
        Ok(about) => Ok(Some(about)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
