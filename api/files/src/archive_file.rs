//! Files that belong to an archive, and must not be overwritten by the output of a command.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    names::{APPLICATION_ID, BESIDE, DATABASE, HEAD, JOURNAL, KEY, LOCK, PROBE, SETTINGS, WAL},
    regular,
};

/// Names in the folder of an archive, without those of the files beside the database.
const NAMES: [&str; 6] = [DATABASE, LOCK, KEY, HEAD, PROBE, SETTINGS];
/// Endings of files that will replace the file without the ending.
const UNFINISHED: [&str; 2] = [".part", ".next"];
/// Offset of `application_id` in the header of a SQLite file.
const MARK: usize = 68;
/// Maximal number of links that are followed.
const LINKS: usize = 40;

/// Role of a file in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveFile {
    /// An archive that no program has open: a copy.
    Copy,
    /// An archive that a program has open, or has not closed.
    InUse,
    /// A log, key, head, lock or settings file, by its name or because it is one of the archive in use.
    Companion,
}

impl ArchiveFile {
    /// Role of the file at a path, which need not exist. `folder` is that of the archive in use, whose files are recognized
    /// under other names too: links, other spellings, hard links.
    ///
    /// # Errors
    /// If the path cannot be examined.
    pub fn at(path: &Path, folder: Option<&Path>) -> io::Result<Option<Self>> {
        // Opening a file of the archive in use, and closing it, would drop the locks that SQLite has on it in this process.
        if let Some(folder) = folder {
            let same = |name: &OsStr| is_same(&folder.join(name), path);
            if same(DATABASE.as_ref()) {
                return Ok(Some(Self::InUse));
            }
            if NAMES.iter().any(|name| same(name.as_ref())) || BESIDE.iter().any(|log| same(&behind(DATABASE, log))) {
                return Ok(Some(Self::Companion));
            }
        }
        let real = followed(path);
        for path in [path, &real] {
            if is_companion(path)? {
                return Ok(Some(Self::Companion));
            }
        }
        if is_archive(&real)? {
            return Ok(Some(if is_open(&real)? { Self::InUse } else { Self::Copy }));
        }
        // A damaged or unfinished archive is recognized by its name alone.
        let is_there = fs::symlink_metadata(&real).is_ok();
        Ok((is_there && has_name(&real, DATABASE)).then_some(Self::Companion))
    }
}

/// The path after all links, which need not exist.
pub fn followed(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    let folder = path.parent().map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
    match (folder.map(fs::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// True for the name of a file of an archive, and for the name of the log of an existing archive.
fn is_companion(path: &Path) -> io::Result<bool> {
    let Some(name) = path.file_name() else { return Ok(false) };
    for log in BESIDE {
        if let Some(before) = before(name, log)
            && (before.eq_ignore_ascii_case(DATABASE) || is_archive(&path.with_file_name(before))?)
        {
            return Ok(true);
        }
    }
    let finished = UNFINISHED.iter().find_map(|ending| before(name, ending));
    let name = finished.as_deref().unwrap_or(name);
    Ok(NAMES.iter().any(|own| *own != DATABASE && name.eq_ignore_ascii_case(own)))
}

fn has_name(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name))
}

/// Opens only regular files, because a pipe could block.
fn is_archive(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => has_mark(path),
        Ok(_) => Ok(false),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// True for an archive of quipu with any schema version. It reads the header, because SQLite would create files beside it.
///
/// # Errors
/// If the file is missing or cannot be read.
pub fn has_mark(path: &Path) -> io::Result<bool> {
    match regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotSeekable => return Ok(false),
        about => about?,
    };
    let mut head = [0; MARK + 4];
    match File::open(path)?.read_exact(&mut head) {
        Ok(()) => Ok(head[MARK..] == APPLICATION_ID.to_be_bytes()),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// True if a program has the archive open, or has not closed it: its log is not empty, or the lock of its folder is taken.
fn is_open(archive: &Path) -> io::Result<bool> {
    let size = |log: &&str| fs::metadata(archive.with_file_name(behind(archive.file_name()?, log))).ok();
    let has_log = [WAL, JOURNAL].iter().filter_map(size).any(|about| about.len() > 0);
    if has_log || !has_name(archive, DATABASE) {
        return Ok(has_log);
    }
    let lock = archive.with_file_name(LOCK);
    if !fs::metadata(&lock).is_ok_and(|about| about.is_file()) {
        return Ok(false);
    }
    match File::open(&lock)?.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A name with an ending added.
fn behind(name: impl AsRef<OsStr>, ending: &str) -> OsString {
    let mut name = name.as_ref().to_owned();
    name.push(ending);
    name
}

/// A name without an ending; none if it does not have that.
fn before(name: &OsStr, ending: &str) -> Option<OsString> {
    let (name, ending) = (name.as_encoded_bytes(), ending.as_bytes());
    let at = name.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
    // Names of an archive's own files are UTF-8. The log of a copy with another name is recognized because the copy is open.
    let own = str::from_utf8(&name[..at]).ok()?;
    name[at..].eq_ignore_ascii_case(ending).then(|| own.into())
}

/// Compares files by identity, or by path if one is missing.
fn is_same(own: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
        if identity(own).is_some() && identity(own) == identity(other) {
            return true;
        }
    }
    followed(own) == followed(other)
}
