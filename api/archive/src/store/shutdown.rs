//! The end of a store: the log goes into the file, and the file says so.
//!
//! In use, the header of an archive says that a log belongs to it. When the last connection is closed, the log is put into
//! the file and removed, and the header says that there is none. So a file that was copied without its log is recognized.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use quipu_files::names;
use rusqlite::{Connection, ErrorCode, MAIN_DB, config::DbConfig, wal::CheckpointMode};

use super::{
    PAUSE, StoreError,
    file::{Opened, beside},
    schema,
};

/// How long questions under way may take to end when they are broken off.
const QUESTIONS: Duration = Duration::from_secs(5);
/// How long a service waits at its end for other programs that have the archive open.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for a command, in milliseconds: less than the first, and each another time, so that of two that end together
/// one is the last.
const MOMENT: std::ops::Range<u64> = 20..120;
/// How long it is looked whether another program is just opening the archive, or closing it.
const LOOK: Duration = Duration::from_millis(500);
/// Where a file of SQLite says how it is written, and the word for a log.
const MODE: usize = 18;
const LOGGED: [u8; 2] = [2, 2];

/// How a store ends.
pub(super) struct Ending {
    /// It serves the archive.
    pub(super) serves: bool,
    /// The log was missing when the archive was opened, and nothing was written since: that stays to be seen.
    pub(super) lacks_log: bool,
}

/// Puts the log into the file and closes the connection that writes, the last of its store.
///
/// # Errors
/// If the log could not be put away. It is still part of the archive then.
pub(super) fn put_away(connection: Connection, file: &Opened, ending: &Ending) -> Result<(), StoreError> {
    // Questions under way are broken off; one that does not end all the same keeps the log from going.
    file.connections().are_closed_within(QUESTIONS);
    if connection.is_readonly(MAIN_DB)? || schema::journal_mode(&connection)? != schema::WAL {
        return closed(connection);
    }
    let is_replaced = file.is_replaced();
    if is_replaced {
        // SQLite would remove a log by its name, and that is another's.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    if is_replaced {
        empty(&connection)?;
        closed(connection)?;
        return file.is_there();
    }
    // What another program has open it puts away itself; a service says that it could not.
    if !ending.lacks_log && !leave_log(&connection, ending.serves)? && ending.serves {
        empty(&connection)?;
    }
    closed(connection)?;
    let log = file.log();
    match fs::metadata(&log) {
        Ok(about) if about.len() > 0 && ending.serves => Err(StoreError::LogLeft(log)),
        _ => Ok(()),
    }
}

fn closed(connection: Connection) -> Result<(), StoreError> {
    Ok(connection.close().map_err(|(_, error)| error)?)
}

/// Puts the log into the file and has the header say that there is none; says whether that was possible. It is not while
/// another program has the archive open: the last one does it.
fn leave_log(connection: &Connection, serves: bool) -> Result<bool, StoreError> {
    let chance = getrandom::u64().unwrap_or_default() % (MOMENT.end - MOMENT.start);
    let patience = if serves { PATIENCE } else { Duration::from_millis(MOMENT.start + chance) };
    let begun = Instant::now();
    connection.busy_timeout(Duration::ZERO)?;
    loop {
        match connection.query_row("PRAGMA journal_mode = delete", [], |row| row.get::<_, String>(0)) {
            Ok(mode) if mode != schema::WAL => return Ok(true),
            Ok(_) => {}
            Err(error) if is_busy(&error) => {}
            Err(error) => return Err(error.into()),
        }
        if begun.elapsed() > patience {
            return Ok(false);
        }
        thread::sleep(PAUSE);
    }
}

/// Puts the log into the file while others may have it open; as much of it as they let.
fn empty(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(PATIENCE)?;
    match connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE) {
        Err(error) if !is_busy(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The log that a file should have and has not, if the file says so; asked before it is opened.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn missing_log(path: &Path) -> io::Result<Option<PathBuf>> {
    let log = beside(path, names::WAL);
    let begun = Instant::now();
    loop {
        // While there is a log somebody may have the file open, and then it is not for us to open and close: that would take
        // away the locks that SQLite has on it.
        if fs::symlink_metadata(&log).is_ok() || !is_logged(path)? {
            return Ok(None);
        }
        if begun.elapsed() > LOOK {
            return Ok(Some(log));
        }
        thread::sleep(PAUSE);
    }
}

/// Whether the header of a file says that it has a log.
fn is_logged(path: &Path) -> io::Result<bool> {
    let mut head = [0; MODE + LOGGED.len()];
    match File::open(path)?.read_exact(&mut head) {
        Ok(()) => Ok(head[MODE..] == LOGGED),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
