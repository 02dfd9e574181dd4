//! A database on a server: the counterpart of an open file.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use super::address::Address;
use crate::store::{
    database::{
        Connection,
        lease::{Connections, Leased},
    },
    error::StoreError,
};

/// A database that is open. Clones share its connections.
#[derive(Clone, Debug)]
pub(in crate::store) struct Server {
    address: Arc<Address>,
    connections: Arc<Connections>,
    /// Number of the last commit that this store knows of.
    noted: Arc<AtomicI64>,
}

impl Server {
    pub(in crate::store) fn new(address: Address) -> Self {
        Self { address: Arc::new(address), connections: Arc::default(), noted: Arc::default() }
    }

    /// A connection of the writer.
    pub(in crate::store) fn connect_to_write(&self) -> Result<Connection, StoreError> {
        Ok(Connection::Postgres(self.address.connect(self.noted_commit())?))
    }

    /// A connection that reads.
    pub(in crate::store) fn connect(&self) -> Result<Leased, StoreError> {
        let permit = Connections::permit(&self.connections).ok_or(StoreError::Stopped)?;
        Ok(Leased::new(Connection::Postgres(self.address.connect(self.noted_commit())?), permit))
    }

    /// Takes notice of a commit, by its number.
    pub(in crate::store) fn note_commit(&self, number: i64) {
        self.noted.fetch_max(number, Ordering::AcqRel);
    }

    /// Number of the last commit that this store has taken notice of.
    pub(in crate::store) fn noted_commit(&self) -> i64 {
        self.noted.load(Ordering::Acquire)
    }

    /// Connections that read at once, at most.
    pub(in crate::store) fn most_readers(&self) -> usize {
        self.address.connections()
    }

    /// A connection to a standby, if there is one.
    pub(in crate::store) fn connect_to_standby(&self) -> Option<Leased> {
        let permit = Connections::permit(&self.connections)?;
        Some(Leased::new(Connection::Postgres(self.address.connect_to_standby()?), permit))
    }

    /// True if the address prefers to read from a standby.
    pub(in crate::store) fn prefers_standby(&self) -> bool {
        self.address.prefers_standby()
    }

    /// All connections of this store except the writer's.
    pub(in crate::store) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Creates the schema of the address, if it names one that is missing.
    pub(in crate::store) fn create_schema(&self, connection: &Connection) -> Result<(), StoreError> {
        let Some(schema) = self.address.schema() else { return Ok(()) };
        Ok(connection.execute_batch(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"))?)
    }
}
