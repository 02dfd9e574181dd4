//! Whether the archive may have changed, told by a number and at next to no cost.
//!
//! What this program commits is counted. That another program has committed something is found by asking SQLite, which
//! costs as much as half an answer, and so is done only now and then.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{StoreError, connections::Leased, file::Opened};

/// How long what another program commits may stay unseen.
const LOOK: Duration = Duration::from_millis(2);

/// The number, and what it is kept up to date by.
pub(super) struct Version {
    file: Opened,
    number: Arc<AtomicU64>,
    /// What times are counted from.
    start: Instant,
    /// When SQLite was last asked, in nanoseconds.
    looked: AtomicU64,
    watch: Mutex<Option<Watch>>,
}

/// A connection that does nothing but look, and what it saw.
struct Watch {
    connection: Leased,
    seen: i64,
}

impl Version {
    /// `number` is counted up by who commits, before anybody is told.
    pub(super) fn new(file: Opened, number: Arc<AtomicU64>) -> Self {
        Self { file, number, start: Instant::now(), looked: AtomicU64::new(0), watch: Mutex::new(None) }
    }

    pub(super) fn get(&self) -> u64 {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let looked = self.looked.load(Ordering::Relaxed);
        if u128::from(now - looked.min(now)) >= LOOK.as_nanos() || looked == 0 {
            self.look(now);
        }
        self.number.load(Ordering::Acquire)
    }

    /// Closes the connection that looks; after the store has begun to close there is no other.
    pub(super) fn close(&self) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn look(&self, now: u64) {
        // Who comes while another looks need not look too.
        let Ok(mut watch) = self.watch.try_lock() else { return };
        let unchanged = self.compare(&mut watch).unwrap_or_else(|_| {
            // Where nothing can be seen, nothing is known to be as it was.
            *watch = None;
            false
        });
        if !unchanged {
            self.number.fetch_add(1, Ordering::Release);
        }
        self.looked.store(now.max(1), Ordering::Relaxed);
    }

    fn compare(&self, watch: &mut Option<Watch>) -> Result<bool, StoreError> {
        let own = match watch {
            Some(own) => own,
            None => watch.insert(Watch { connection: self.file.connect()?, seen: -1 }),
        };
        let mut version = own.connection.prepare_cached("PRAGMA data_version")?;
        let version = version.query_row([], |row| row.get(0))?;
        Ok(std::mem::replace(&mut own.seen, version) == version)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use crate::store::TokenRefusal;
    use quipu_options::Scope;

    fn add(store: &Store, name: &'static str) {
        let added = store.write(move |writing| -> Result<(), TokenRefusal> {
            writing.add_token(name, &[Scope::RecordsWrite]).map(drop)
        });
        added.wait().expect("it is written");
    }

    #[test]
    fn every_change_shows() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let other = Store::open(folder.path()).expect("the same archive");
        store.version();
        std::thread::sleep(super::LOOK);
        let before = store.version();
        std::thread::sleep(super::LOOK);
        assert_eq!(store.version(), before, "nothing has changed");
        add(&store, "own");
        let own = store.version();
        assert_ne!(own, before, "what is acknowledged shows at once");
        std::thread::sleep(super::LOOK);
        let own = store.version().max(own);
        add(&other, "other");
        std::thread::sleep(super::LOOK);
        assert_ne!(store.version(), own, "so does, soon, what another program does");
    }
}
