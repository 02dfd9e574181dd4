//! The file of an archive while it is open: that it is still the one that was opened, its log with it, that there is room
//! beside it, and the connections that read it.
//!
//! A file that was moved away or deleted can be written to as before, and what is written goes with it. So nothing is
//! acknowledged before it is seen that the file, its log and the index of that still have their names. That is one question
//! each to the system a commit.

use std::{
    borrow::Cow,
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Access, StoreError, address, connect,
    connections::{Connections, Leased, Permit},
    file_error,
};
use quipu_files::{
    create_private,
    names::{PROBE, WAL, WAL_INDEX},
    regular,
};

/// Bytes that there must be room for.
const ROOM: usize = 1 << 20;

/// A file that SQLite puts beside another: where a link leads, if the other is one.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
    beside.push(ending);
    beside.into()
}

/// A file that was opened.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    path: PathBuf,
    /// The file, and its log with the index of that where it has one; each with what tells it from every other.
    files: Vec<(PathBuf, Identity)>,
    reads: Access,
    connections: Arc<Connections>,
}

impl Opened {
    /// The file that has this path now, and is open.
    pub(super) fn new(path: &Path, reads: Access) -> Result<Self, StoreError> {
        let about = fs::metadata(path).map_err(|error| file_error(path, error))?;
        let mut files = vec![(path.to_owned(), identity(&about))];
        for ending in [WAL, WAL_INDEX] {
            let beside = beside(path, ending);
            // Where the file is only read it has none.
            if let Ok(about) = fs::metadata(&beside) {
                files.push((beside, identity(&about)));
            }
        }
        Ok(Self { path: path.to_owned(), files, reads, connections: Arc::default() })
    }

    /// A connection that reads.
    pub(super) fn connect(&self) -> Result<Leased, StoreError> {
        self.lease(self.reads)
    }

    /// A connection that writes, beside that of the writer.
    pub(super) fn connect_to_write(&self) -> Result<Leased, StoreError> {
        self.lease(Access::Write)
    }

    fn lease(&self, access: Access) -> Result<Leased, StoreError> {
        let permit = self.permit()?;
        Ok(Leased::new(connect(&self.path, access)?, permit))
    }

    /// To have the file open by another connection than those made here.
    pub(super) fn permit(&self) -> Result<Permit, StoreError> {
        Connections::permit(&self.connections).ok_or(StoreError::Stopped)
    }

    /// All connections of this store but the writer's.
    pub(super) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// The log of the file.
    pub(super) fn log(&self) -> PathBuf {
        beside(&self.path, WAL)
    }

    /// The file as SQLite opens it to read.
    pub(super) fn address(&self) -> Result<Cow<'_, Path>, StoreError> {
        address(&self.path, self.reads)
    }

    /// Looks whether it is still there.
    ///
    /// # Errors
    /// [`StoreError::Moved`] if it is not.
    pub(super) fn is_there(&self) -> Result<(), StoreError> {
        let is_another =
            |(path, own): &&(PathBuf, Identity)| !fs::metadata(path).is_ok_and(|about| identity(&about) == *own);
        self.files.iter().find(is_another).map_or(Ok(()), |(path, _)| Err(StoreError::Moved(path.clone())))
    }

    /// Reports that something else has the name of the file, of its log or of the index; or that nothing has that of the file.
    pub(super) fn is_replaced(&self) -> bool {
        let about = |path: &Path| fs::metadata(path).ok().map(|about| identity(&about));
        about(&self.path).is_none()
            || self.files.iter().any(|(path, own)| about(path).is_some_and(|found| found != *own))
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
            // What is left of one that was killed goes, and what is no file is not written to.
            if regular(&path)?.is_some() {
                fs::remove_file(&path)?;
            }
            let mut probe = match create_private(&path) {
                // Another looks at the same time.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    File::options().write(true).open(&path)?
                }
                made => made?,
            };
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
