//! The tables, and how an older archive comes to have those of today.

use std::{collections::BTreeMap, path::Path};

use quipu_files::names::APPLICATION_ID;
use rusqlite::{Connection, MAIN_DB, TransactionBehavior, config::DbConfig};

use super::{Access, StoreError, projections};

/// As SQLite gives it.
const APPLICATION: i64 = APPLICATION_ID as i64;

/// What each schema adds to the one before, the first first.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

/// The number of the schema of today.
fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Readies a connection; called once for each.
pub(super) fn prepare(connection: &Connection, access: Access) -> rusqlite::Result<()> {
    connection.busy_timeout(super::BUSY)?;
    connection.set_prepared_statement_cache_capacity(256);
    // Plans do not depend on the values that are asked for, so that statements are prepared once and not at each use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -super::CACHE_KIB)?;
    // A file that shrinks under a program that has mapped it ends the program; read in the ordinary way it is a failure
    // that can be answered.
    connection.pragma_update(None, "mmap_size", 0)?;
    if access == Access::Write {
        // What a statement may have to take back is put aside in a file: in memory, each statement would walk over what
        // those before it in the same job put aside, and a job of many would take the square of the time.
        connection.pragma_update(None, "temp_store", "file")?;
        // What was acknowledged is on the disk.
        connection.pragma_update(None, "synchronous", "full")?;
        // That is done by `checkpoint.rs`.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    } else {
        connection.pragma_update(None, "temp_store", "memory")?;
        connection.pragma_update(None, "query_only", true)?;
    }
    // If the file is none of SQLite's, that is found here and not by the first question.
    is_empty(connection).map(|_| ())
}

/// Brings the file to the schema of today, in one transaction.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    if is_of_today(connection, path)? {
        return log_ahead(connection);
    }
    if is_empty(connection)? {
        // These hold for the whole life of a file, and can only be said before there is anything in it.
        connection.pragma_update(None, "page_size", 8192)?;
    }
    log_ahead(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have done it while this one waited.
    let (_, found) = marks(&transaction)?;
    for migration in &MIGRATIONS[usize::try_from(found).unwrap_or_default().min(MIGRATIONS.len())..] {
        transaction.execute_batch(migration)?;
    }
    if found < known() {
        projections::rebuild(&transaction, |_| ())?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", known())?;
    transaction.commit()?;
    Ok(())
}

/// Whether the file has the schema of today; if not, it is a new one or an older archive.
pub(super) fn is_of_today(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let (application, found) = marks(connection)?;
    if found == known() && application == APPLICATION {
        return Ok(true);
    }
    if !is_empty(connection)? && (application != APPLICATION || found < 1) {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    if found > known() { Err(StoreError::Newer(found, known())) } else { Ok(false) }
}

/// Has the file written by way of a log, so that who reads and who writes are not in each other's way. It is so until the
/// last connection is closed.
fn log_ahead(connection: &Connection) -> Result<(), StoreError> {
    // What can only be read has no log, and needs none.
    if journal_mode(connection)? == "delete" && !connection.is_readonly(MAIN_DB)? {
        connection.query_row("PRAGMA journal_mode = wal", [], |_| Ok(()))?;
        // The log comes to be with the first question.
        is_empty(connection)?;
    }
    Ok(())
}

/// The word of SQLite for a file with a log.
pub(super) const WAL: &str = "wal";

/// How a file is written, in a word of SQLite.
pub(super) fn journal_mode(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))
}

/// What the schema of a file is made of: the name of each table, index and trigger, and the SQL that made it.
pub(super) fn objects(connection: &Connection) -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let mut objects = connection.prepare("SELECT name, sql FROM sqlite_schema")?;
    let objects = objects.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(objects.collect::<Result<_, _>>()?)
}

/// The same of an archive that was just made.
pub(super) fn right_objects() -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let mut fresh = Connection::open_in_memory()?;
    migrate(&mut fresh, Path::new(""))?;
    objects(&fresh)
}

/// Whether there is nothing in the file yet.
pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Writes the number of the schema, which is there already: to see whether anything can be written.
pub(super) fn touch(connection: &Connection) -> Result<(), StoreError> {
    let (_, schema) = marks(connection)?;
    Ok(connection.pragma_update(None, "user_version", schema)?)
}

fn marks(connection: &Connection) -> Result<(i64, i64), StoreError> {
    let mark = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok((mark("application_id")?, mark("user_version")?))
}
