//! Leases: the open connections of a store, counted without that of the writer. The writer waits until there are none, so that
//! its own is the last to be closed and moves the write-ahead log into the file.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::connection::Connection;

/// The count of open connections, and the flag that stops new ones.
#[derive(Debug, Default)]
pub(in crate::store) struct Connections {
    open: Mutex<usize>,
    changed: Condvar,
    closing: AtomicBool,
}

impl Connections {
    /// The right to one more connection; none once the store closes.
    pub(in crate::store) fn permit(all: &Arc<Self>) -> Option<Permit> {
        let mut open = all.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Checked under the lock, so that `are_closed_within` misses none.
        if all.is_closing() {
            return None;
        }
        *open += 1;
        Some(Permit(Arc::clone(all)))
    }

    /// Allows no more connections, and has running queries cancelled.
    pub(in crate::store) fn close(&self) {
        let _open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.closing.store(true, Ordering::Release);
    }

    pub(in crate::store) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Waits until none is open; false if `time` was too short.
    pub(in crate::store) fn are_closed_within(&self, time: Duration) -> bool {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(open, time, |open| *open > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// The right to one connection, returned on drop.
#[derive(Debug)]
pub(in crate::store) struct Permit(Arc<Connections>);

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.open.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

/// A counted connection.
pub(in crate::store) struct Leased {
    // Fields are dropped in this order: the connection is closed before the permit is returned.
    connection: Connection,
    _permit: Permit,
}

impl Leased {
    pub(in crate::store) fn new(connection: Connection, permit: Permit) -> Self {
        Self { connection, _permit: permit }
    }
}

impl Deref for Leased {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Leased {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}
