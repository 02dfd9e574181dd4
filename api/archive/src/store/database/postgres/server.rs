//! A database on a server: the counterpart of an open file.

use std::sync::Arc;

use super::address::Address;
use crate::store::{
    database::{
        Connection,
        lease::{Connections, Leased},
        params,
    },
    error::StoreError,
};

/// A database that is open. Clones share its connections.
#[derive(Clone, Debug)]
pub(in crate::store) struct Server {
    address: Arc<Address>,
    connections: Arc<Connections>,
}

impl Server {
    pub(in crate::store) fn new(address: Address) -> Self {
        Self { address: Arc::new(address), connections: Arc::default() }
    }

    /// A connection of the writer.
    pub(in crate::store) fn connect_to_write(&self) -> Result<Connection, StoreError> {
        Ok(Connection::Postgres(self.address.connect()?))
    }

    /// A connection that reads.
    pub(in crate::store) fn connect(&self) -> Result<Leased, StoreError> {
        let permit = Connections::permit(&self.connections).ok_or(StoreError::Stopped)?;
        Ok(Leased::new(Connection::Postgres(self.address.connect()?), permit))
    }

    /// All connections of this store except the writer's.
    pub(in crate::store) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Begins a transaction in which new tables are temporary, and hide those of the archive. Returns the schema of the archive,
    /// with a dot.
    pub(in crate::store) fn begin_scratch(connection: &Connection) -> Result<String, StoreError> {
        let schema: String =
            connection.query_row("SELECT quote_ident(current_schema())", params![], |row| row.get(0))?;
        connection.execute_batch(&format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL search_path = pg_temp, {schema}"
        ))?;
        Ok(format!("{schema}."))
    }

    /// Creates the schema of the address, if it names one that is missing.
    pub(in crate::store) fn create_schema(&self, connection: &Connection) -> Result<(), StoreError> {
        let Some(schema) = self.address.schema() else { return Ok(()) };
        Ok(connection.execute_batch(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"))?)
    }
}
