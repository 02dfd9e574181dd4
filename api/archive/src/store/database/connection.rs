//! A connection to a database.

use std::time::Duration;

#[cfg(feature = "postgres")]
use super::{error::OptionalRow, postgres};
use super::{
    error::{Error, Result},
    sqlite,
    statement::{Row, Statement},
    text_match::TextMatch,
    value::{Parameters, params},
};

/// A connection, with the statements that it has prepared.
pub(in crate::store) enum Connection {
    Sqlite(sqlite::engine::Connection),
    #[cfg(feature = "postgres")]
    Postgres(postgres::engine::Connection),
}

impl Connection {
    /// SQLite's own connection.
    ///
    /// # Errors
    /// If the connection is to a server.
    pub(super) fn to_file(&self) -> Result<&sqlite::engine::Connection> {
        match self {
            Self::Sqlite(connection) => Ok(connection),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Err(Error::Other("a connection to a file is needed".to_owned())),
        }
    }

    /// [`Connection::to_file`] to change it.
    pub(super) fn to_file_mut(&mut self) -> Result<&mut sqlite::engine::Connection> {
        match self {
            Self::Sqlite(connection) => Ok(connection),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Err(Error::Other("a connection to a file is needed".to_owned())),
        }
    }

    /// True for a connection to a file, false for one to a server.
    pub(in crate::store) fn is_file(&self) -> bool {
        self.to_file().is_ok()
    }

    /// Prepares a statement, or takes it from the cache of the connection.
    pub(in crate::store) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        match self {
            Self::Sqlite(connection) => sqlite::engine::prepare(connection, sql).map(Statement::Sqlite),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.prepare(sql).map(Statement::Postgres),
        }
    }

    /// Runs several statements without parameters.
    pub(in crate::store) fn execute_batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(connection) => sqlite::engine::execute_batch(connection, sql),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.execute_batch(sql),
        }
    }

    /// Runs a statement once; returns the number of rows that it wrote.
    pub(in crate::store) fn execute(&self, sql: &str, values: impl Parameters) -> Result<usize> {
        self.prepare(sql)?.execute(values)
    }

    /// The first row of a query.
    ///
    /// # Errors
    /// [`Error::NoRow`] if there is none.
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
            Self::Sqlite(connection) => sqlite::engine::close(connection),
            // The session ends when the client is dropped.
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Begins a transaction that reads: all its queries see the archive at one moment.
    pub(in crate::store) fn begin_read(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => self.execute("BEGIN", params![]).map(drop),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.begin_read(),
        }
    }

    /// Ends a transaction that only read. Committing one and rolling it back are the same.
    pub(in crate::store) fn end_read(&self) {
        match self {
            Self::Sqlite(_) => {
                // Some errors end the transaction.
                if self.in_transaction() && self.execute("COMMIT", params![]).is_err() {
                    self.rollback();
                }
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.end_read(),
        }
    }

    /// Rolls the open transaction back, if there is one.
    pub(in crate::store) fn rollback(&self) {
        match self {
            Self::Sqlite(_) => {
                if self.in_transaction() {
                    // If this fails, the transaction ends with the connection.
                    let _ = self.execute_batch("ROLLBACK");
                }
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.rollback(),
        }
    }

    /// Begins a savepoint in a write transaction.
    pub(in crate::store) fn savepoint(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => self.execute_batch("SAVEPOINT job"),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.savepoint(),
        }
    }

    /// Ends the savepoint, and keeps what was written since.
    pub(in crate::store) fn release_savepoint(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => self.execute_batch("RELEASE job"),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.release_savepoint(),
        }
    }

    /// Ends the savepoint, and takes back what was written since.
    pub(in crate::store) fn rollback_to_savepoint(&self) -> Result<()> {
        match self {
            // Some errors roll back the whole transaction.
            Self::Sqlite(_) if !self.in_transaction() => Ok(()),
            Self::Sqlite(_) => self.execute_batch("ROLLBACK TO job; RELEASE job"),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.rollback_to_savepoint(),
        }
    }

    /// True in a transaction that can be committed: some errors end it.
    pub(in crate::store) fn in_transaction(&self) -> bool {
        match self {
            Self::Sqlite(connection) => sqlite::engine::in_transaction(connection),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.can_commit(),
        }
    }

    /// Sends the rows that `insert_buffered` has buffered.
    pub(in crate::store) fn flush_rows(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.flush_rows(),
        }
    }

    /// Sends buffered rows, and waits for the results of all statements that were sent.
    pub(in crate::store) fn settle(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.settle(),
        }
    }

    /// Number of rows that this connection has written since it was opened.
    pub(in crate::store) fn rows_written(&self) -> u64 {
        match self {
            Self::Sqlite(connection) => sqlite::engine::rows_written(connection),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.rows_written(),
        }
    }

    /// A number that differs from an earlier one if another connection has committed since.
    pub(in crate::store) fn foreign_version(&self) -> Result<i64> {
        match self {
            Self::Sqlite(_) => self.query_row("PRAGMA data_version", params![], |row| row.get(0)),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.foreign_version(),
        }
    }

    /// Asks a server for [`Connection::foreign_version`] without waiting for it.
    pub(in crate::store) fn request_foreign_version(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.request_foreign_version(),
        }
    }

    /// The result of [`Connection::request_foreign_version`]; -1 until it has come with that of a query.
    pub(in crate::store) fn received_foreign_version(&self) -> i64 {
        match self {
            Self::Sqlite(_) => -1,
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.received_foreign_version(),
        }
    }

    /// Number of the last commit of a connection that writes to a server.
    pub(in crate::store) fn last_commit(&self) -> Option<i64> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => Some(connection.last_commit()),
        }
    }

    /// Has the running query cancelled as soon as `is_due`, which is asked from time to time.
    pub(in crate::store) fn cancel_when(&mut self, is_due: impl FnMut() -> bool + Send + 'static) -> Result<()> {
        match self {
            Self::Sqlite(connection) => sqlite::engine::cancel_when(connection, is_due),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => {
                connection.cancel_when(is_due);
                Ok(())
            }
        }
    }

    /// Time limit for an answer of a server from now on; the longest if there is none. A file has no such limit.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "a server has one"))]
    pub(in crate::store) fn set_timeout(&self, timeout: Option<Duration>) {
        match self {
            Self::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.set_timeout(timeout),
        }
    }

    /// Has no reader be in the middle of a transaction until this one ends: it would find new tables without rows. Readers of a
    /// file go on with the old ones.
    pub(in crate::store) fn lock_out_readers(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.lock_out_readers(),
        }
    }

    /// Lets this write transaction last as long as it needs, though others wait for it.
    pub(in crate::store) fn take_time(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.take_time(),
        }
    }

    /// True if the connection to a server was lost, or another server has replaced it.
    pub(in crate::store) fn is_broken(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.is_broken(),
        }
    }

    /// True if another server has replaced that of the connection since: its answers may be old.
    pub(in crate::store) fn is_replaced(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.is_replaced(),
        }
    }

    /// True if the database has no tables yet.
    pub(in crate::store) fn is_empty(&self) -> Result<bool> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT count(*) = 0 FROM sqlite_schema",
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => "SELECT count(*) = 0 FROM pg_tables WHERE schemaname = current_schema()",
        };
        self.query_row(sql, params![], |row| row.get(0))
    }

    /// The numbers of the program and of its schema that made the tables; 0 if there are none.
    pub(in crate::store) fn marks(&self) -> Result<(i64, i64)> {
        match self {
            Self::Sqlite(_) => {
                let mark = |sql| self.query_row(sql, params![], |row| row.get(0));
                Ok((mark("PRAGMA application_id")?, mark("PRAGMA user_version")?))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.marks(),
        }
    }

    /// Writes the marks.
    pub(in crate::store) fn set_marks(&self, application: i64, version: i64) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                self.execute_batch(&format!("PRAGMA application_id = {application}; PRAGMA user_version = {version}"))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.set_marks(application, version),
        }
    }

    /// The smallest write in a write transaction that shows if anything can be written.
    pub(in crate::store) fn touch(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                let (application, version) = self.marks()?;
                self.set_marks(application, version)
            }
            // The transaction began with one.
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Has a column whose numbers the engine gives go on after its largest one.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "a server needs them"))]
    pub(in crate::store) fn continue_numbers(&self, table: &str, column: &str) -> Result<()> {
        match self {
            // It does so by itself.
            Self::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                let next = format!(
                    "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}
                     HAVING max({column}) IS NOT NULL"
                );
                self.query_row(&next, params![], |_| Ok(())).optional()?;
            }
        }
        Ok(())
    }

    /// Has new tables of this transaction be temporary and hide those of the archive; returns its schema as SQL. None for a file,
    /// which has no such tables in its own transaction.
    pub(super) fn hide_tables(&self) -> Result<Option<String>> {
        match self {
            Self::Sqlite(_) => Ok(None),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                let schema: String =
                    self.query_row("SELECT quote_ident(current_schema())", params![], |row| row.get(0))?;
                self.execute_batch(&format!("SET LOCAL search_path = pg_temp, {schema}"))?;
                Ok(Some(schema))
            }
        }
    }

    /// Ends [`Connection::hide_tables`].
    pub(super) fn show_tables(&self) -> Result<()> {
        self.execute_batch("SET LOCAL search_path TO DEFAULT")
    }

    /// The stored columns of a temporary table on a server, as SQL.
    pub(super) fn columns_aside(&self, table: &str) -> Result<String> {
        match self {
            Self::Sqlite(_) => Err(Error::Other("a file has no temporary tables".to_owned())),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => self.query_row(postgres::catalog::COLUMNS, [table], |row| row.get(0)),
        }
    }

    /// Name, table and definition of each table, index, constraint and trigger of a schema on a server, given as SQL, or of the
    /// temporary tables of its session. A file has one schema.
    pub(in crate::store) fn objects(&self, schema: Option<&str>) -> Result<Vec<(String, String, Option<String>)>> {
        let of_row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        match self {
            Self::Sqlite(_) => {
                self.prepare("SELECT name, tbl_name, sql FROM sqlite_schema")?.query_map(params![], of_row)?.collect()
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                self.prepare(postgres::catalog::OBJECTS)?.query_map(params![schema], of_row)?.collect()
            }
        }
    }

    /// True if a table has a column.
    pub(in crate::store) fn has_column(&self, table: &str, column: &str) -> Result<bool> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?) WHERE name = ?)",
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                "SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = CAST(? AS name))"
            }
        };
        self.query_row(sql, [table, column], |row| row.get(0))
    }

    /// The condition of `search MATCH` for texts that match one of the alternatives of each part.
    pub(in crate::store) fn text_query(&self, parts: &[Vec<TextMatch>]) -> String {
        match self {
            Self::Sqlite(_) => sqlite::full_text::query(parts),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::full_text::query(parts),
        }
    }

    /// Merges up to `pages` pages of the segments of the full-text index; true if nothing is left to merge. The first call of a
    /// full merge has `first`.
    pub(in crate::store) fn merge_texts(&self, pages: i64, first: bool) -> Result<bool> {
        match self {
            Self::Sqlite(connection) => sqlite::full_text::merge(connection, pages, first),
            // Its index has no segments.
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(true),
        }
    }

    /// Merges the whole full-text index.
    pub(in crate::store) fn optimize_texts(&self) -> Result<()> {
        match self {
            Self::Sqlite(connection) => sqlite::full_text::optimize(connection),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }
}
