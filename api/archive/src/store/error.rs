//! Failures of the archive.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::database;
use crate::receipts::KeyError;

/// A failure of the archive or of the machine; never a fault of a record.
#[derive(Clone, Debug)]
pub enum StoreError {
    /// The folder or file cannot be used.
    File(PathBuf, Arc<io::Error>),
    /// There is no archive in this folder.
    Missing(PathBuf),
    /// The file is not an archive of quipu.
    Foreign(PathBuf),
    /// A later version of quipu made it: its schema version, and the latest known one.
    Newer(i64, i64),
    /// Another program has locked it for longer than the time limit.
    Busy,
    /// Another program serves it; the lock file.
    InUse(PathBuf),
    /// The open file no longer has this path.
    Moved(PathBuf),
    /// The file has hard links, and its log can have only one name.
    HardLinked(PathBuf),
    /// This write-ahead log is part of the archive, and could not be moved into it.
    LogNotMerged(PathBuf),
    /// The file of the key is accessible to other users than its owner.
    ExposedKey(PathBuf),
    /// The file has no key, or the archive is not unlocked.
    NoKey(PathBuf),
    /// The key in the file was replaced by another.
    ReplacedKey(PathBuf),
    /// The file of the key is missing, and the archive has signed receipts.
    MissingKey(PathBuf),
    /// The key in the file has never signed receipts of this archive, and another key has.
    UnknownKey(PathBuf),
    /// The receipt log does not continue the pinned head in this file, or the file has no head.
    RewrittenLog(PathBuf),
    /// The target of a copy is the archive itself.
    SameFile(PathBuf),
    /// The disk is full.
    Full,
    /// The archive is read-only.
    ReadOnly,
    /// The archive is damaged; the place.
    Corrupt(String),
    /// The server of the database cannot be reached; its message.
    Unreachable(String),
    /// The server that accepts writes lacks acknowledged changes; its name.
    Behind(String),
    /// The server refuses the user or has no such database; its message.
    Denied(String),
    /// The connection to the server was lost during a commit: the changes may be stored, or not.
    Unconfirmed(String),
    /// The archive is on a server, whose own tools do this better.
    OnServer,
    /// The target of a copy has changes that the archive does not have, after this one.
    Diverged(i64),
    /// The query took longer than its time limit.
    Slow,
    /// The queue of the writer is full.
    Overloaded,
    /// The writer has ended.
    Stopped,
    /// Any other failure; its message.
    Other(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Missing(path) => write!(f, "{}: no archive here", path.display()),
            Self::Foreign(path) => write!(f, "{}: not an archive of quipu", path.display()),
            Self::Newer(found, known) => write!(f, "schema {found} is newer than {known}"),
            Self::Busy => f.write_str("the archive is held by another program"),
            Self::InUse(path) => write!(f, "{}: served by another program", path.display()),
            Self::Moved(path) => write!(f, "{}: not the file that was opened", path.display()),
            Self::HardLinked(path) => write!(f, "{}: a file with more than one name", path.display()),
            Self::LogNotMerged(path) => write!(f, "{}: the write-ahead log is not in the archive yet", path.display()),
            Self::ExposedKey(path) => write!(f, "{}: others than its owner may read this key", path.display()),
            Self::NoKey(path) => write!(f, "{}: no key here", path.display()),
            Self::ReplacedKey(path) => write!(f, "{}: another key has taken the place of this one", path.display()),
            Self::MissingKey(path) => write!(f, "{}: the key that signs is not here", path.display()),
            Self::UnknownKey(path) => write!(f, "{}: this key never signed, and another did", path.display()),
            Self::RewrittenLog(path) => write!(f, "{}: the receipt log does not continue this head", path.display()),
            Self::SameFile(path) => write!(f, "{}: the archive itself", path.display()),
            Self::Full => f.write_str("the disk is full"),
            Self::ReadOnly => f.write_str("the archive cannot be written"),
            Self::Corrupt(what) => write!(f, "the archive is damaged: {what}"),
            Self::Unreachable(what) => write!(f, "the database cannot be reached: {what}"),
            Self::Behind(what) => write!(f, "the server {what} lacks acknowledged changes"),
            Self::Denied(what) => write!(f, "the server of the database refuses the connection: {what}"),
            Self::Unconfirmed(what) => write!(f, "the connection was lost during a commit: {what}"),
            Self::OnServer => f.write_str("the archive is on a server"),
            Self::Diverged(last) => write!(f, "the copy differs from the archive before change {last}"),
            Self::Slow => f.write_str("the query took too long"),
            Self::Overloaded => f.write_str("too much waits to be written"),
            Self::Stopped => f.write_str("the writer has ended"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<database::Error> for StoreError {
    fn from(error: database::Error) -> Self {
        match error {
            database::Error::Busy => Self::Busy,
            database::Error::Full => Self::Full,
            database::Error::ReadOnly => Self::ReadOnly,
            database::Error::Interrupted => Self::Slow,
            database::Error::Corrupt(text) | database::Error::NotADatabase(text) => Self::Corrupt(text),
            database::Error::CannotOpen(text) | database::Error::Constraint(text) | database::Error::Other(text) => {
                Self::Other(text)
            }
            database::Error::Behind(text) => Self::Behind(text),
            database::Error::Denied(text) => Self::Denied(text),
            database::Error::Unreachable(text) => Self::Unreachable(text),
            database::Error::Unconfirmed(text) => Self::Unconfirmed(text),
            database::Error::NoRow => Self::Other(error.to_string()),
        }
    }
}

impl From<KeyError> for StoreError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::File(path, error) => file_error(&path, error),
            KeyError::ExposedKey(path) => Self::ExposedKey(path),
            KeyError::Malformed(path) => Self::NoKey(path),
        }
    }
}

impl StoreError {
    /// True if there is no server to write to.
    pub(super) fn is_without_server(&self) -> bool {
        self.is_lost_connection() || matches!(self, Self::Denied(_))
    }

    /// True if another connection to a server may succeed, and nothing was stored.
    pub(super) fn is_lost_connection(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Behind(_))
    }
}

/// A failure of the file system, with the path that it is about.
pub(super) fn file_error(path: &Path, error: io::Error) -> StoreError {
    StoreError::File(path.to_owned(), Arc::new(error))
}
