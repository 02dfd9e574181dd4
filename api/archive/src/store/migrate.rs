//! Migrations: a database is brought to the current schema, with its derived tables.

use std::{collections::BTreeMap, path::Path};

use super::{
    database::{
        Connection, Transaction,
        sqlite::connect::{in_memory, prepare_file},
    },
    error::StoreError,
    projections, schema,
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
        projections::rebuild(&transaction, |_| ())?;
    }
    transaction.commit()?;
    Ok(())
}

/// [`schema::objects`] of a new archive.
pub(super) fn expected_objects() -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let fresh = in_memory()?;
    migrate(&fresh, Path::new(""))?;
    schema::objects(&fresh)
}
