//! New files of an archive: private, and owned by the owner of their folder, so that a service can use the files that root
//! has created for it.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

/// Creates a file with mode 0600.
///
/// # Errors
/// If it exists or cannot be created.
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

/// Creates a folder with mode 0700, and its missing parents.
///
/// # Errors
/// If one cannot be created.
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
        // Another program was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
        made => made?,
    }
    #[cfg(unix)]
    if let Some((user, group)) = owner_of_folder(path, &fs::symlink_metadata(path)?)? {
        // The owner of the parent could have replaced it by a link.
        std::os::unix::fs::lchown(path, Some(user), Some(group))?;
    }
    Ok(())
}

/// User and group to give a file or folder to that root has created: those of its parent. Other users cannot give files away,
/// and need not.
///
/// # Errors
/// If the parent cannot be examined.
#[cfg(unix)]
pub fn owner_of_folder(path: &Path, made: &Metadata) -> io::Result<Option<(u32, u32)>> {
    use std::os::unix::fs::MetadataExt;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::metadata(folder)?;
    Ok((made.uid() == 0 && folder.uid() != 0).then(|| (folder.uid(), folder.gid())))
}

/// Metadata of a regular file; none if nothing is there. Anything else is refused: opening a pipe could block.
///
/// # Errors
/// If it is not a regular file, or cannot be examined.
pub fn regular(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => Err(io::ErrorKind::NotSeekable.into()),
        Ok(about) => Ok(Some(about)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
