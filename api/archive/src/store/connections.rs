//! The connections of a store beside that of the writer, counted: the writer closes the last one, and so can put the log
//! into the file.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rusqlite::Connection;

/// How many are open, and whether more may be.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<usize>,
    changed: Condvar,
    closing: AtomicBool,
}

impl Connections {
    /// The right to one more; none once the store closes.
    pub(super) fn permit(all: &Arc<Self>) -> Option<Permit> {
        let mut open = all.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked at under the lock, so that who waits for the last misses none.
        if all.is_closing() {
            return None;
        }
        *open += 1;
        Some(Permit(Arc::clone(all)))
    }

    /// From now on there are no more; questions under way are broken off.
    pub(super) fn close(&self) {
        let _open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.closing.store(true, Ordering::Release);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Waits until none is open; says whether that came within the time.
    pub(super) fn are_closed_within(&self, time: Duration) -> bool {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(open, time, |open| *open > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// The right to a connection, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Permit(Arc<Connections>);

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.open.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

/// A connection that is counted.
pub(super) struct Leased {
    // Closed before the permit is given back: fields go in this order.
    connection: Connection,
    _permit: Permit,
}

impl Leased {
    pub(super) fn new(connection: Connection, permit: Permit) -> Self {
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
