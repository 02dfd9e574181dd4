//! A connection to a database.

use super::{
    error::Result,
    sqlite::engine,
    statement::{Row, Statement},
    value::Parameters,
};

/// A connection, with the statements that it has prepared.
pub(in crate::store) enum Connection {
    Sqlite(engine::Connection),
}

impl Connection {
    /// Prepares a statement, or takes it from the cache of the connection.
    pub(in crate::store) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        match self {
            Self::Sqlite(connection) => engine::prepare(connection, sql).map(Statement::Sqlite),
        }
    }

    /// Runs several statements without parameters.
    pub(in crate::store) fn execute_batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(connection) => engine::execute_batch(connection, sql),
        }
    }

    /// Runs a statement once; returns the number of rows that it wrote.
    pub(in crate::store) fn execute(&self, sql: &str, values: impl Parameters) -> Result<usize> {
        self.prepare(sql)?.execute(values)
    }

    /// The first row of a query.
    ///
    /// # Errors
    /// [`super::Error::NoRow`] if there is none.
    pub(in crate::store) fn query_row<T>(
        &self,
        sql: &str,
        values: impl Parameters,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.prepare(sql)?.query_row(values, row)
    }

    /// Closes the connection.
    pub(in crate::store) fn close(self) -> Result<()> {
        match self {
            Self::Sqlite(connection) => engine::close(connection),
        }
    }

    /// Begins a transaction that reads: all its queries see the archive at one moment.
    pub(in crate::store) fn begin_read(&self) -> Result<()> {
        self.execute("BEGIN", super::params![]).map(drop)
    }

    /// Ends a transaction that only read. Committing one and rolling it back are the same.
    pub(in crate::store) fn end_read(&self) {
        // Some errors end the transaction.
        if self.in_transaction() && self.execute("COMMIT", super::params![]).is_err() {
            self.rollback();
        }
    }

    /// Rolls the open transaction back, if there is one.
    pub(in crate::store) fn rollback(&self) {
        if self.in_transaction() {
            // If this fails, the transaction ends with the connection.
            let _ = self.execute_batch("ROLLBACK");
        }
    }

    /// True in a transaction that can be committed: some errors end it.
    pub(in crate::store) fn in_transaction(&self) -> bool {
        match self {
            Self::Sqlite(connection) => engine::in_transaction(connection),
        }
    }

    /// Number of rows that this connection has written since it was opened.
    pub(in crate::store) fn rows_written(&self) -> u64 {
        match self {
            Self::Sqlite(connection) => engine::rows_written(connection),
        }
    }

    /// A number that differs from an earlier one if another connection has committed since.
    pub(in crate::store) fn foreign_version(&self) -> Result<i64> {
        self.query_row("PRAGMA data_version", super::params![], |row| row.get(0))
    }
}
