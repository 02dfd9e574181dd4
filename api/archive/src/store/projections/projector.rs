//! Connection, prepared inserts and deferred writes of a projection.

use crate::{
    model::Number,
    store::{
        database::{Connection, Parameters, params},
        deferred::DeferredWrites,
        error::StoreError,
        statements::InsertRows,
    },
};

/// Updates the derived tables for one change.
pub(in crate::store) struct Projector<'c> {
    pub(in crate::store) inserts: &'c dyn InsertRows,
    pub(in crate::store) connection: &'c Connection,
    /// Number of the change.
    pub(in crate::store) change: Number,
    pub(in crate::store) deferred: &'c DeferredWrites,
}

impl Projector<'_> {
    /// The number after the last one, which a query finds unless it is known.
    pub(super) fn next_number(&self, last: Option<i64>, sql: &str) -> Result<i64, StoreError> {
        let last = match last {
            Some(last) => last,
            None => self.connection.query_row(sql, params![], |row| row.get(0))?,
        };
        Ok(last + 1)
    }

    pub(super) fn execute(&self, sql: &str, values: impl Parameters) -> Result<(), StoreError> {
        Ok(self.connection.prepare(sql)?.execute_later(values)?)
    }
}
