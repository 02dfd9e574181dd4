//! Tables that are built beside those of an archive, in the write transaction that will need them.

use super::{connection::Connection, error::Result, value::params};

/// A write transaction in which new tables are temporary and hide those of the archive, until it is dropped.
pub(in crate::store) struct Aside<'c> {
    connection: &'c Connection,
    /// The schema of the archive, as SQL.
    schema: String,
}

impl<'c> Aside<'c> {
    /// None for a file: its readers see tables as they were, also those that are dropped.
    pub(in crate::store) fn begin(connection: &'c Connection) -> Result<Option<Self>> {
        let schema = connection.hide_tables()?;
        Ok(schema.map(|schema| Self { connection, schema }))
    }

    /// The schema of the archive, as SQL.
    pub(in crate::store) fn schema(&self) -> &str {
        &self.schema
    }

    /// Gives a table of the archive the rows of the temporary one. Rows that are the same are not written, so nobody waits for
    /// them, and others go on reading what was there before.
    pub(in crate::store) fn update(&self, table: &str, key: &str) -> Result<()> {
        let Self { connection, schema } = self;
        let columns = connection.columns_aside(table)?;
        let [found, right] = [schema, "pg_temp"].map(|schema| format!("SELECT {columns} FROM {schema}.{table}"));
        connection.execute(
            &format!(
                "DELETE FROM {schema}.{table} WHERE ({key}) IN (SELECT {key} FROM ({found} EXCEPT {right}) AS wrong)"
            ),
            params![],
        )?;
        connection.execute(&format!("INSERT INTO {schema}.{table} ({columns}) {right} EXCEPT {found}"), params![])?;
        Ok(())
    }

    /// Drops the temporary tables, which no longer hide those of the archive.
    pub(in crate::store) fn end<'t>(self, tables: impl IntoIterator<Item = &'t str>) -> Result<()> {
        self.connection.show_tables()?;
        let drop = |table| self.connection.execute_batch(&format!("DROP TABLE pg_temp.{table}"));
        tables.into_iter().try_for_each(drop)
    }
}
