//! A copy of the file, page by page, while it is read and written.

use std::{path::Path, thread, time::Instant};

use rusqlite::backup::{Backup, StepResult};

use super::{
    connect::{BUSY, PAUSE, make_private, open_error},
    engine,
};
use crate::store::{
    database::{self, Connection, params},
    error::StoreError,
};

/// Pages that are copied in one step.
const PAGES: i32 = 1_024;

/// Copies the database of a connection, as of its read transaction, to a new file. `progress` gets the number of copied pages and
/// that of all. Returns a connection to the copy, which is neither checked nor safe on the disk.
pub(in crate::store) fn copy_pages(
    connection: &Connection,
    part: &Path,
    mut progress: impl FnMut(i32, i32),
) -> Result<Connection, StoreError> {
    make_private(part)?;
    let opened = engine::Connection::open(part).map_err(database::Error::from);
    let mut copy = opened.map_err(|error| open_error(part, error))?;
    copy.pragma_update(None, "synchronous", "off").map_err(database::Error::from)?;
    let connection = connection.to_file()?;
    let backup = Backup::new(connection, &mut copy).map_err(database::Error::from)?;
    let mut moved = Instant::now();
    loop {
        match backup.step(PAGES).map_err(database::Error::from)? {
            StepResult::More => moved = Instant::now(),
            StepResult::Done => break,
            _ if moved.elapsed() > BUSY => return Err(StoreError::Busy),
            _ => thread::sleep(PAUSE),
        }
        let (all, left) = (backup.progress().pagecount, backup.progress().remaining);
        progress(all - left, all);
    }
    drop(backup);
    Ok(Connection::Sqlite(copy))
}

/// Checks a copy, and makes it one file without a log.
pub(in crate::store) fn finish_copy(copy: Connection) -> Result<(), StoreError> {
    let said: String = copy.query_row("PRAGMA quick_check", params![], |row| row.get(0))?;
    if said != "ok" {
        return Err(StoreError::Corrupt(said));
    }
    // Clears the mark of a log in the header.
    copy.query_row("PRAGMA journal_mode = delete", params![], |_| Ok(()))?;
    Ok(copy.close()?)
}
