//! Migrations: a database is brought to the current schema, with its derived tables.

use std::path::Path;

use super::{
    database::{
        Connection, Transaction,
        sqlite::connect::{in_memory, prepare_file},
    },
    error::StoreError,
    projections,
    schema::{self, Objects},
};

/// Brings a database to the current schema in one transaction, and turns the write-ahead log of a file on.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let is_current = schema::is_current(connection, path)?;
    prepare_file(connection)?;
    if is_current {
        return Ok(());
    }
    let transaction = Transaction::begin_migration(connection)?;
    if schema::upgrade(&transaction)? {
        projections::replace(&transaction, |_| ())?;
    }
    transaction.commit()?;
    Ok(())
}

/// [`schema::objects`] of a new archive in a file.
pub(super) fn expected_objects() -> Result<Objects, StoreError> {
    let fresh = in_memory()?;
    migrate(&fresh, Path::new(""))?;
    schema::objects(&fresh, None)
}

/// [`schema::objects`] of a new archive on a server, whose tables are made as temporary ones.
pub(super) fn expected_objects_aside(scratch: &Connection) -> Result<Objects, StoreError> {
    schema::upgrade(scratch)?;
    projections::create(scratch)?;
    schema::objects(scratch, None)
}
