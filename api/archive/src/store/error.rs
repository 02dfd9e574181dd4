//! Why the archive cannot answer.

use std::{fmt, io, path::PathBuf, sync::Arc};

use rusqlite::{ErrorCode, ffi};

/// A failure of the archive: ours or the machine's, never the record's.
#[derive(Clone, Debug)]
pub enum StoreError {
    /// The folder or file cannot be used.
    File(PathBuf, Arc<io::Error>),
    /// There is no archive in this folder.
    Missing(PathBuf),
    /// The file is no archive of quipu.
    Foreign(PathBuf),
    /// It was made by a later version: its schema, and the latest that this version knows.
    Newer(i64, i64),
    /// Another program holds it, for longer than was waited.
    Busy,
    /// Another program serves it.
    Served(PathBuf),
    /// The file that was opened has this path no longer.
    Moved(PathBuf),
    /// The file has more than one name (hard links), and its log goes by one.
    Linked(PathBuf),
    /// The log in this file, which is part of the archive, could not be put into it.
    LogLeft(PathBuf),
    /// Others than its owner may read the file of the key.
    Exposed(PathBuf),
    /// There is no key in the file of the key, or it was not looked into.
    NoKey(PathBuf),
    /// The key in the file is one that another has taken the place of.
    Retired(PathBuf),
    /// There is no file of the key, and one has signed.
    Lost(PathBuf),
    /// The key in the file is none that has signed, and another has.
    Stranger(PathBuf),
    /// The log of receipts does not go on from the head in this file, or no head is in it.
    Rewritten(PathBuf),
    /// The archive cannot be copied upon itself.
    Itself(PathBuf),
    /// The disk is full.
    Full,
    /// It cannot be written.
    ReadOnly,
    /// It is damaged.
    Corrupt(String),
    /// The question took longer than it may.
    Slow,
    /// More waits to be written than may.
    Overloaded,
    /// The writer has ended.
    Stopped,
    /// Anything else.
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
            Self::Served(path) => write!(f, "{}: served by another program", path.display()),
            Self::Moved(path) => write!(f, "{}: not the file that was opened", path.display()),
            Self::Linked(path) => write!(f, "{}: a file with more than one name", path.display()),
            Self::LogLeft(path) => write!(f, "{}: the log is not in the archive yet", path.display()),
            Self::Exposed(path) => write!(f, "{}: others than its owner may read this key", path.display()),
            Self::NoKey(path) => write!(f, "{}: no key here", path.display()),
            Self::Retired(path) => write!(f, "{}: another key has taken the place of this one", path.display()),
            Self::Lost(path) => write!(f, "{}: the key that signs is not here", path.display()),
            Self::Stranger(path) => write!(f, "{}: this key never signed, and another did", path.display()),
            Self::Rewritten(path) => write!(f, "{}: the log of receipts does not go on from this head", path.display()),
            Self::Itself(path) => write!(f, "{}: the archive itself", path.display()),
            Self::Full => f.write_str("the disk is full"),
            Self::ReadOnly => f.write_str("the archive cannot be written"),
            Self::Corrupt(what) => write!(f, "the archive is damaged: {what}"),
            Self::Slow => f.write_str("the question took too long"),
            Self::Overloaded => f.write_str("too much waits to be written"),
            Self::Stopped => f.write_str("the writer has ended"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let Some(code) = error.sqlite_error_code() else {
            return match error {
                // A value that the tables cannot hold was written by nobody but a damaged disk.
                rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
                    Self::Corrupt(error.to_string())
                }
                _ => Self::Other(error.to_string()),
            };
        };
        match code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt(error.to_string()),
            ErrorCode::OperationInterrupted => Self::Slow,
            _ if shows_damage(&error) => Self::Corrupt(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }
}

/// Whether it was damage that made SQLite fail: what it read is not there, or a table is not. What cannot be written may be
/// written later.
fn shows_damage(error: &rusqlite::Error) -> bool {
    const UNREAD: [i32; 3] = [ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_SHORT_READ, ffi::SQLITE_IOERR_CORRUPTFS];
    let is_missing = |what: &str| what.starts_with("no such table");
    match error {
        rusqlite::Error::SqliteFailure(code, what) => {
            UNREAD.contains(&code.extended_code) || what.as_deref().is_some_and(is_missing)
        }
        rusqlite::Error::SqlInputError { msg, .. } => is_missing(msg),
        _ => false,
    }
}
