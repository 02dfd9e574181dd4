//! The file of an archive while it is open: that it is still the one that was opened, and that there is room beside it.
//!
//! A file that was moved away or deleted can be written to as before, and what is written goes with it. So nothing is
//! acknowledged before it is seen that the file still has its name. That is one question to the system a commit.

use std::{
    borrow::Cow,
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::{Access, StoreError, address, connect, file_error};

/// Bytes that there must be room for.
const ROOM: usize = 1 << 20;
/// Name of the file that is written to see whether there is.
pub(super) const PROBE: &str = "quipu.room";

/// A file that was opened.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    path: PathBuf,
    identity: Identity,
    reads: Access,
}

impl Opened {
    /// The file that has this path now.
    pub(super) fn new(path: &Path, reads: Access) -> Result<Self, StoreError> {
        let about = fs::metadata(path).map_err(|error| file_error(path, error))?;
        Ok(Self { path: path.to_owned(), identity: identity(&about), reads })
    }

    /// A connection that reads.
    pub(super) fn connect(&self) -> Result<Connection, StoreError> {
        connect(&self.path, self.reads)
    }

    /// The file as SQLite opens it to read.
    pub(super) fn address(&self) -> Result<Cow<'_, Path>, StoreError> {
        address(&self.path, self.reads)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Looks whether it is still there.
    ///
    /// # Errors
    /// [`StoreError::Moved`] if it is not.
    pub(super) fn is_there(&self) -> Result<(), StoreError> {
        match fs::metadata(&self.path) {
            Ok(about) if identity(&about) == self.identity => Ok(()),
            _ => Err(StoreError::Moved(self.path.clone())),
        }
    }

    /// What a failure comes to that says no more than that the disk failed: it may be one that can only be read, or full.
    pub(super) fn explain(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Other(_) => match self.has_room() {
                Err(reason @ (StoreError::ReadOnly | StoreError::Full)) => reason,
                _ => error,
            },
            _ => error,
        }
    }

    /// Looks whether more can be written to its disk.
    ///
    /// # Errors
    /// Why it cannot.
    pub(super) fn has_room(&self) -> Result<(), StoreError> {
        let path = self.path.with_file_name(PROBE);
        let write = || {
            let mut probe = File::create(&path)?;
            probe.write_all(&vec![0; ROOM])?;
            probe.sync_all()
        };
        let written = write();
        // Whatever came of it, nothing stays behind; another who looked may have been quicker.
        let removed = match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        written.and(removed).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => StoreError::Full,
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
            _ => file_error(&path, error),
        })
    }
}

/// Why SQLite can put nothing beside a file that is there: the system is asked.
pub(super) fn denied(path: &Path) -> io::Error {
    let real = fs::canonicalize(path);
    let probe = real.as_deref().unwrap_or(path).with_file_name(PROBE);
    match File::options().write(true).create_new(true).open(&probe) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => error,
        made => {
            if made.is_ok() {
                // Nothing stays behind.
                let _ = fs::remove_file(&probe);
            }
            io::ErrorKind::PermissionDenied.into()
        }
    }
}

/// What tells a file from every other: the device it is on, and its number there.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (about.dev(), about.ino())
}

/// Elsewhere a file that is open is not moved away.
#[cfg(not(unix))]
type Identity = ();

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("quipu.db");
        fs::write(&path, "one").expect("it is written");
        let opened = Opened::new(&path, Access::Read).expect("it is there");
        assert!(opened.is_there().is_ok() && opened.has_room().is_ok());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        fs::write(&path, "more of the same").expect("it is written");
        assert!(opened.is_there().is_ok());
        #[cfg(unix)]
        {
            fs::rename(&path, folder.path().join("elsewhere")).expect("it is moved");
            assert!(matches!(opened.is_there(), Err(StoreError::Moved(_))));
            fs::write(&path, "one").expect("it is written");
            assert!(matches!(opened.is_there(), Err(StoreError::Moved(_))));
            fs::rename(folder.path().join("elsewhere"), &path).expect("it is moved");
            assert!(opened.is_there().is_ok());
            drop(folder);
            assert!(opened.has_room().is_err());
        }
    }
}
