//! Migrations: a file is brought to the current schema, with its derived tables.

use std::{collections::BTreeMap, path::Path};

use super::{
    database::{
        Connection, Transaction, params,
        sqlite::connect::{WAL_MODE, in_memory, is_empty, is_read_only, journal_mode},
    },
    error::StoreError,
    projections, schema,
};

/// Brings a file to the current schema in one transaction, and turns its write-ahead log on.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if schema::is_current(connection, path)? {
        return use_log(connection);
    }
    if is_empty(connection)? {
        // The page size is fixed for the life of a file, and can be set only while it is empty.
        connection.execute_batch("PRAGMA page_size = 8192")?;
    }
    use_log(connection)?;
    let transaction = Transaction::begin(connection)?;
    if schema::upgrade(&transaction)? {
        projections::rebuild(&transaction, |_| ())?;
    }
    transaction.commit()?;
    Ok(())
}

/// Switches the file to a write-ahead log until the last connection is closed, so that readers and the writer do not block
/// each other. A read-only file has no log, and needs none.
fn use_log(connection: &Connection) -> Result<(), StoreError> {
    if journal_mode(connection)? == "delete" && !is_read_only(connection)? {
        connection.query_row(&format!("PRAGMA journal_mode = {WAL_MODE}"), params![], |_| Ok(()))?;
        // SQLite creates the log with the first query.
        is_empty(connection)?;
    }
    Ok(())
}

/// [`schema::objects`] of a new archive.
pub(super) fn expected_objects() -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let fresh = in_memory()?;
    migrate(&fresh, Path::new(""))?;
    schema::objects(&fresh)
}
