//! A database on a server: the counterpart of an open file.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use super::address::Address;
use crate::store::{
    database::{
        Connection,
        lease::{Connections, Leased},
    },
    error::StoreError,
};

/// Time after looking for a server that has replaced the one in use in which nobody looks again: a host that is down takes a
/// second.
const LOOKED: Duration = Duration::from_secs(1);

/// A database that is open. Clones share its connections.
#[derive(Clone, Debug)]
pub(in crate::store) struct Server {
    address: Arc<Address>,
    connections: Arc<Connections>,
    /// Number of the last commit that this store knows of.
    noted: Arc<AtomicI64>,
    /// The latest timeline of the servers that it has used.
    timeline: Arc<AtomicI64>,
    /// Time of the last look for a later one.
    looked: Arc<Mutex<Option<Instant>>>,
}

impl Server {
    pub(in crate::store) fn new(address: Address) -> Self {
        Self {
            address: Arc::new(address),
            connections: Arc::default(),
            noted: Arc::default(),
            timeline: Arc::default(),
            looked: Arc::default(),
        }
    }

    /// A connection of the writer.
    pub(in crate::store) fn connect_to_write(&self) -> Result<Connection, StoreError> {
        self.primary()
    }

    /// A connection that reads.
    pub(in crate::store) fn connect(&self) -> Result<Leased, StoreError> {
        let permit = Connections::permit(&self.connections).ok_or(StoreError::Stopped)?;
        Ok(Leased::new(self.primary()?, permit))
    }

    /// A connection to the server that accepts writes.
    fn primary(&self) -> Result<Connection, StoreError> {
        Ok(Connection::Postgres(self.address.connect(self.noted_commit(), &self.timeline)?))
    }

    /// Looks for a server that has replaced the one in use. All connections to that one are lost then.
    pub(in crate::store) fn look_for_successor(&self) {
        // All who come meanwhile wait for the same look.
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_none_or(|at| at.elapsed() >= LOOKED) {
            self.address.note_latest(self.noted_commit(), &self.timeline);
            *looked = Some(Instant::now());
        }
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
        // One at a time: of two sessions at once, PostgreSQL lets one fail in spite of IF NOT EXISTS. The batch is one transaction.
        let lock = "SELECT pg_advisory_xact_lock(hashtext('quipu schema'))";
        Ok(connection.execute_batch(&format!("{lock}; CREATE SCHEMA IF NOT EXISTS {schema}"))?)
    }
}
