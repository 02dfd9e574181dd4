//! Connections to the SQLite file: how one is opened and configured, and the reason for a failure.

use std::{
    borrow::Cow,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use quipu_files::{
    create_private,
    names::{BESIDE, PROBE},
    regular,
};
use rusqlite::{MAIN_DB, OpenFlags, config::DbConfig};

use super::engine;
use crate::store::{
    database::{self, Connection, params},
    error::{StoreError, file_error},
};

/// Time limit of waiting for a lock of another program.
pub(in crate::store) const BUSY: Duration = Duration::from_secs(10);
/// Pause before a retry where SQLite does not wait by itself.
pub(in crate::store) const PAUSE: Duration = Duration::from_millis(10);
/// Page cache of a connection.
const CACHE_KIB: i64 = 16 * 1024;
/// SQLite's name of the journal mode with a write-ahead log.
pub(in crate::store) const WAL_MODE: &str = "wal";

/// Access of a connection to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Access {
    Write,
    Read,
    /// Reads a file that nobody can change, without locks and without a log.
    Immutable,
}

/// Opens an existing file. It creates none: if a file was moved away, no empty one may take its place.
pub(in crate::store) fn connect(path: &Path, access: Access) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | match access {
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Immutable => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        };
    let open = engine::Connection::open_with_flags(address(path, access)?.as_ref(), flags);
    let open = open.map_err(database::Error::from).and_then(|connection| configured(connection, access));
    open.map_err(|error| open_error(path, error))
}

/// A temporary database with the tables of an archive behind its own: a table is looked up in the temporary database first.
/// Neither is written to the disk safely.
pub(in crate::store) fn scratch(archive: &Path) -> Result<Connection, StoreError> {
    let scratch = engine::Connection::open("").map_err(database::Error::from)?;
    let scratch = configured(scratch, Access::Write)?;
    scratch.execute_batch("PRAGMA synchronous = off")?;
    scratch.execute("ATTACH ? AS archive", [text_of(archive)?])?;
    Ok(scratch)
}

/// An empty database in memory.
pub(in crate::store) fn in_memory() -> database::Result<Connection> {
    Ok(Connection::Sqlite(engine::Connection::open_in_memory()?))
}

/// A connection with its pragmas set.
fn configured(connection: engine::Connection, access: Access) -> database::Result<Connection> {
    configure(&connection, access)?;
    let connection = Connection::Sqlite(connection);
    // Fails here, and not in the first query, if the file is no SQLite file.
    connection.is_empty()?;
    Ok(connection)
}

fn configure(connection: &engine::Connection, access: Access) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(256);
    // Query plans do not depend on bound values, so that a statement is prepared once and not at each use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // A mapped file that shrinks kills the program; an ordinary read fails with an error that can be reported.
    connection.pragma_update(None, "mmap_size", 0)?;
    if access == Access::Write {
        // Statement journals go to a file: in memory, each statement walks over the journals of those before it in the same
        // job, and a long job takes quadratic time.
        connection.pragma_update(None, "temp_store", "file")?;
        // An acknowledged change is on the disk.
        connection.pragma_update(None, "synchronous", "full")?;
        // `checkpoint.rs` does this.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    } else {
        connection.pragma_update(None, "temp_store", "memory")?;
        connection.pragma_update(None, "query_only", true)?;
    }
    Ok(())
}

/// SQLite's name of the current journal mode.
pub(in crate::store) fn journal_mode(connection: &Connection) -> database::Result<String> {
    connection.query_row("PRAGMA journal_mode", params![], |row| row.get(0))
}

/// Switches a file to a write-ahead log until the last connection is closed, so that readers and the writer do not block each
/// other. A read-only file has no log, and needs none; nor does a server.
pub(in crate::store) fn prepare_file(connection: &Connection) -> database::Result<()> {
    if connection.to_file().is_err() || is_read_only(connection)? {
        return Ok(());
    }
    if connection.is_empty()? {
        // The page size is fixed for the life of a file, and can be set only while it is empty.
        connection.execute_batch("PRAGMA page_size = 8192")?;
    }
    if journal_mode(connection)? == "delete" {
        connection.query_row(&format!("PRAGMA journal_mode = {WAL_MODE}"), params![], |_| Ok(()))?;
        // SQLite creates the log with the first query.
        connection.is_empty()?;
    }
    Ok(())
}

/// True if the file cannot be written. SQLite begins a read transaction then in place of a write transaction.
pub(in crate::store) fn is_read_only(connection: &Connection) -> database::Result<bool> {
    let connection = connection.to_file()?;
    Ok(connection.is_readonly(MAIN_DB)?)
}

/// Time limit of waiting for a lock from now on.
pub(super) fn set_patience(connection: &Connection, limit: Duration) -> database::Result<()> {
    let connection = connection.to_file()?;
    Ok(connection.busy_timeout(limit)?)
}

/// Leaves the log as it is when the connection is closed.
pub(super) fn keep_log_on_close(connection: &Connection) -> database::Result<()> {
    let connection = connection.to_file()?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

/// Fixes the size of the file, as a full disk does.
#[cfg(any(test, feature = "testing"))]
pub(in crate::store) fn leave_no_space(connection: &Connection) -> database::Result<()> {
    let connection = connection.to_file()?;
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    Ok(connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?)
}

/// The path, or the URI, by which SQLite opens a file.
pub(in crate::store) fn address(path: &Path, access: Access) -> Result<Cow<'_, Path>, StoreError> {
    if access != Access::Immutable {
        return Ok(path.into());
    }
    let path = text_of(path)?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(PathBuf::from(format!("file://{path}?immutable=1")).into())
}

/// A path as a SQL text.
fn text_of(path: &Path) -> Result<&str, StoreError> {
    path.to_str().ok_or_else(|| file_error(path, io::ErrorKind::InvalidFilename.into()))
}

/// A file that SQLite puts beside another: at the target, if that is a link.
pub(in crate::store) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut beside = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
    beside.push(suffix);
    beside.into()
}

/// Creates a file for its owner alone, since it will have the hashes of tokens. SQLite gives the files beside it the same
/// mode. An existing file is left as it is.
pub(in crate::store) fn make_private(path: &Path) -> Result<(), StoreError> {
    match create_private(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(file_error(path, error)),
        _ => Ok(()),
    }
}

/// Checks that the file and SQLite's files beside it are regular files, and that the file has one name: the log goes by that
/// name, and a program that opened the file by another would write another log.
pub(in crate::store) fn check_files(path: &Path) -> Result<(), StoreError> {
    for suffix in [""].into_iter().chain(BESIDE) {
        let file = beside(path, suffix);
        let about = regular(&file).map_err(|error| file_error(&file, error))?;
        #[cfg(unix)]
        if suffix.is_empty() && about.is_some_and(|about| std::os::unix::fs::MetadataExt::nlink(&about) > 1) {
            return Err(StoreError::HardLinked(path.to_owned()));
        }
    }
    Ok(())
}

/// The reason that a file cannot be opened. It does not open the file itself: closing that would drop the locks that SQLite
/// has on it in this process.
pub(in crate::store) fn open_error(path: &Path, error: database::Error) -> StoreError {
    match error {
        database::Error::NotADatabase(_) => StoreError::Foreign(path.to_owned()),
        database::Error::CannotOpen(_) => {
            let why = match fs::metadata(path) {
                Ok(file) if file.is_dir() => io::ErrorKind::IsADirectory.into(),
                Ok(_) => probe_error(path),
                Err(error) if error.kind() != io::ErrorKind::NotFound => error,
                // Creating it failed: the folder is missing or not writable.
                Err(error) => match path.parent() {
                    Some(folder) if folder.is_dir() => io::ErrorKind::PermissionDenied.into(),
                    _ => error,
                },
            };
            file_error(path, why)
        }
        _ => error.into(),
    }
}

/// The system's reason that SQLite can create no file beside an existing one, found by creating one.
fn probe_error(path: &Path) -> io::Error {
    let real = fs::canonicalize(path);
    let probe = real.as_deref().unwrap_or(path).with_file_name(PROBE);
    match File::options().write(true).create_new(true).open(&probe) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => error,
        made => {
            if made.is_ok() {
                let _ = fs::remove_file(&probe);
            }
            io::ErrorKind::PermissionDenied.into()
        }
    }
}
