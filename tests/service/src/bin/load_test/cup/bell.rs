//! The end of all pauses at once.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Ends the pauses of all threads.
#[derive(Default)]
pub(super) struct Bell {
    rung: Mutex<bool>,
    ring: Condvar,
}

impl Bell {
    /// Waits for so long; false if it is over before.
    pub(super) fn pauses(&self, time: Duration) -> bool {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ring.wait_timeout_while(rung, time, |rung| !*rung);
        !*waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Ends all pauses from now on.
    pub(super) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ring.notify_all();
    }
}
