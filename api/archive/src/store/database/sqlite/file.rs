//! The file of an open archive: its identity, its connections, and the free space beside it.
//!
//! Writes to a file that was moved away or deleted succeed, and are lost with it. So a commit is acknowledged only after a
//! check that the file, its log and the index of that still have their names: one `stat` each per commit.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use quipu_files::{
    create_private,
    names::{PROBE, WAL, WAL_INDEX},
    regular,
};

use super::connect::{Access, address, beside, connect, scratch};
use crate::store::{
    database::lease::{Connections, Leased, Permit},
    error::{StoreError, file_error},
};

/// Free bytes on the disk that count as room to write.
const ROOM: usize = 1 << 20;

/// An open file. Clones share its connections.
#[derive(Clone, Debug)]
pub(in crate::store) struct Opened {
    path: PathBuf,
    /// The file, its log and the index of that, as far as they exist, each with its identity.
    files: Vec<(PathBuf, Identity)>,
    reads: Access,
    connections: Arc<Connections>,
}

impl Opened {
    /// The file that has this path now. A connection to it must be open.
    pub(in crate::store) fn new(path: &Path, reads: Access) -> Result<Self, StoreError> {
        let about = fs::metadata(path).map_err(|error| file_error(path, error))?;
        let mut files = vec![(path.to_owned(), identity(&about))];
        for ending in [WAL, WAL_INDEX] {
            let beside = beside(path, ending);
            // A read-only file has none.
            if let Ok(about) = fs::metadata(&beside) {
                files.push((beside, identity(&about)));
            }
        }
        Ok(Self { path: path.to_owned(), files, reads, connections: Arc::default() })
    }

    /// A connection that reads.
    pub(in crate::store) fn connect(&self) -> Result<Leased, StoreError> {
        self.lease(self.reads)
    }

    /// A connection that writes, beside that of the writer.
    pub(in crate::store) fn connect_to_write(&self) -> Result<Leased, StoreError> {
        self.lease(Access::Write)
    }

    fn lease(&self, access: Access) -> Result<Leased, StoreError> {
        let permit = self.permit()?;
        Ok(Leased::new(connect(&self.path, access)?, permit))
    }

    /// A temporary database beside the archive.
    pub(in crate::store) fn scratch(&self) -> Result<Leased, StoreError> {
        let permit = self.permit()?;
        Ok(Leased::new(scratch(&address(&self.path, self.reads)?)?, permit))
    }

    fn permit(&self) -> Result<Permit, StoreError> {
        Connections::permit(&self.connections).ok_or(StoreError::Stopped)
    }

    /// All connections of this store except the writer's.
    pub(in crate::store) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the write-ahead log.
    pub(in crate::store) fn log(&self) -> PathBuf {
        beside(&self.path, WAL)
    }

    /// Checks that the file, its log and its index still have their names.
    ///
    /// # Errors
    /// [`StoreError::Moved`] if one has not.
    pub(in crate::store) fn is_there(&self) -> Result<(), StoreError> {
        let is_another =
            |(path, own): &&(PathBuf, Identity)| !fs::metadata(path).is_ok_and(|about| identity(&about) == *own);
        self.files.iter().find(is_another).map_or(Ok(()), |(path, _)| Err(StoreError::Moved(path.clone())))
    }

    /// True if another file has the name of this one, of its log or of its index, or if no file has that of this one.
    pub(in crate::store) fn is_replaced(&self) -> bool {
        let about = |path: &Path| fs::metadata(path).ok().map(|about| identity(&about));
        about(&self.path).is_none()
            || self.files.iter().any(|(path, own)| about(path).is_some_and(|found| found != *own))
    }

    /// Replaces an unspecific error by [`StoreError::ReadOnly`] or [`StoreError::Full`] where the disk is the reason.
    pub(in crate::store) fn explain(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Other(_) => match self.has_room() {
                Err(reason @ (StoreError::ReadOnly | StoreError::Full)) => reason,
                _ => error,
            },
            _ => error,
        }
    }

    /// Checks that [`ROOM`] bytes can be written to the disk of the file.
    ///
    /// # Errors
    /// The reason that they cannot.
    pub(in crate::store) fn has_room(&self) -> Result<(), StoreError> {
        let path = self.path.with_file_name(PROBE);
        let write = || {
            // A killed program may have left a probe behind. Anything but a regular file is refused.
            if regular(&path)?.is_some() {
                fs::remove_file(&path)?;
            }
            let mut probe = match create_private(&path) {
                // Another thread or program probes at the same time.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    File::options().write(true).open(&path)?
                }
                made => made?,
            };
            probe.write_all(&vec![0; ROOM])?;
            probe.sync_all()
        };
        let written = write();
        // The probe is removed in any case; another that probes may have been faster.
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

/// Device and inode.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (about.dev(), about.ino())
}

/// Other systems do not let an open file be moved.
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
