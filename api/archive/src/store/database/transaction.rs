//! A write transaction.

use std::ops::Deref;

use super::{
    connection::Connection,
    error::{Error, Result},
    sqlite::connect::is_read_only,
};

/// A write transaction, which is rolled back on drop unless it was committed.
pub(in crate::store) struct Transaction<'c>(&'c Connection);

impl<'c> Transaction<'c> {
    /// Begins a write transaction; waits for another program that has one.
    ///
    /// # Errors
    /// [`Error::ReadOnly`] in a read-only file: SQLite begins a read transaction instead, and would fail only at the first
    /// write.
    pub(in crate::store) fn begin(connection: &'c Connection) -> Result<Self> {
        match connection {
            Connection::Sqlite(_) => {
                connection.execute_batch("BEGIN IMMEDIATE")?;
                let begun = Self(connection);
                if is_read_only(connection)? { Err(Error::ReadOnly) } else { Ok(begun) }
            }
            #[cfg(feature = "postgres")]
            Connection::Postgres(engine) => {
                let begun = Self(connection);
                engine.begin_write()?;
                Ok(begun)
            }
        }
    }

    /// Begins a transaction that creates or changes the tables, which may be missing.
    pub(in crate::store) fn begin_migration(connection: &'c Connection) -> Result<Self> {
        match connection {
            Connection::Sqlite(_) => Self::begin(connection),
            #[cfg(feature = "postgres")]
            Connection::Postgres(engine) => {
                let begun = Self(connection);
                engine.begin_migration()?;
                Ok(begun)
            }
        }
    }

    /// Commits. The changes are on the disk then.
    pub(in crate::store) fn commit(self) -> Result<()> {
        match self.0 {
            Connection::Sqlite(_) => self.0.execute_batch("COMMIT"),
            #[cfg(feature = "postgres")]
            Connection::Postgres(engine) => engine.commit(),
        }
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        self.0.rollback();
    }
}
