//! A number that changes whenever the archive may have changed, and costs next to nothing to read.
//!
//! Commits of this program are counted. Commits of other programs show in SQLite's `data_version`, whose query costs as much
//! as half a response and therefore runs at most every
//! [`OpenDatabase::poll`].

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    database::{Leased, OpenDatabase},
    error::StoreError,
};

/// Time limit of a poll of a server: a request waits for it.
const POLL_TIMEOUT: Duration = Duration::from_secs(1);

/// The number, with the connection that polls.
pub(super) struct ChangeCounter {
    database: OpenDatabase,
    number: Arc<AtomicU64>,
    /// Origin of `polled`.
    start: Instant,
    /// Time of the last poll, in nanoseconds.
    polled: AtomicU64,
    poll: Mutex<Option<Poll>>,
}

/// A connection that only polls, and the last `data_version`.
struct Poll {
    connection: Leased,
    seen: i64,
}

impl ChangeCounter {
    /// The writer increments `number` with each commit, before it sends results.
    pub(super) fn new(database: OpenDatabase, number: Arc<AtomicU64>) -> Self {
        Self { database, number, start: Instant::now(), polled: AtomicU64::new(0), poll: Mutex::new(None) }
    }

    pub(super) fn get(&self) -> u64 {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let polled = self.polled.load(Ordering::Relaxed);
        if u128::from(now - polled.min(now)) >= self.database.poll().as_nanos() || polled == 0 {
            self.poll(now);
        }
        self.number.load(Ordering::Acquire)
    }

    /// Closes the connection that polls. Once the store closes no other is opened.
    pub(super) fn close(&self) {
        *self.poll.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Polls now.
    ///
    /// # Errors
    /// If that fails: the archive may have changes that reads do not show.
    pub(super) fn refresh(&self) -> Result<(), StoreError> {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.poll_with(&mut self.poll.lock().unwrap_or_else(PoisonError::into_inner), now)
    }

    fn poll(&self, now: u64) {
        // Another thread polls already.
        if let Ok(mut poll) = self.poll.try_lock() {
            // If it fails, the archive may have changed.
            let _ = self.poll_with(&mut poll, now);
        }
    }

    fn poll_with(&self, poll: &mut Option<Poll>, now: u64) -> Result<(), StoreError> {
        let polled = self.is_unchanged(poll);
        if polled.is_err() {
            *poll = None;
        }
        if !matches!(polled, Ok(true)) {
            self.number.fetch_add(1, Ordering::Release);
        }
        self.polled.store(now.max(1), Ordering::Relaxed);
        polled.map(drop)
    }

    fn is_unchanged(&self, poll: &mut Option<Poll>) -> Result<bool, StoreError> {
        drop(poll.take_if(|own| own.connection.is_broken()));
        let own = if let Some(own) = poll {
            own
        } else {
            let connection = self.database.connect()?;
            connection.set_timeout(Some(POLL_TIMEOUT));
            poll.insert(Poll { connection, seen: -1 })
        };
        let version = own.connection.foreign_version()?;
        // Before the number changes: whoever sees the new one reads what it stands for.
        self.database.note_commit(version);
        Ok(std::mem::replace(&mut own.seen, version) == version)
    }
}

#[cfg(test)]
mod tests {
    use quipu_options::Scope;

    use crate::store::{Store, TokenRefusal};

    const POLL: std::time::Duration = std::time::Duration::from_millis(10);

    fn add(store: &Store, name: &'static str) {
        let added = store.write(move |tx| -> Result<(), TokenRefusal> {
            tx.add_token(name, &[Scope::RecordsWrite], None).map(drop)
        });
        added.wait().expect("it is written");
    }

    #[test]
    fn every_change_shows() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let other = Store::open(folder.path()).expect("the same archive");
        store.version();
        std::thread::sleep(POLL);
        let before = store.version();
        std::thread::sleep(POLL);
        assert_eq!(store.version(), before, "nothing has changed");
        add(&store, "own");
        let own = store.version();
        assert_ne!(own, before, "an acknowledged change shows at once");
        std::thread::sleep(POLL);
        let own = store.version().max(own);
        add(&other, "other");
        std::thread::sleep(POLL);
        assert_ne!(store.version(), own, "a change of another program shows soon");
    }
}
