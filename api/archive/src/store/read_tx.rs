//! Connections that read, and what is asked through them.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{StoreError, connections::Leased, file::Opened};

/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 10_000;
/// Connections that are kept open while nobody uses them.
const KEPT: usize = 32;
/// No time is set.
const NEVER: u64 = u64::MAX;

/// The archive at one moment. What it answers is in the other files of this folder.
pub struct ReadTx<'c> {
    pub(super) connection: &'c Connection,
}

/// Connections that are free.
pub(super) struct Readers {
    file: Opened,
    free: Mutex<Vec<Reader>>,
    /// What times are counted from.
    start: Instant,
}

struct Reader {
    connection: Leased,
    /// When the question must be answered, in milliseconds.
    deadline: Arc<AtomicU64>,
}

impl Readers {
    pub(super) fn new(file: Opened) -> Self {
        Self { file, free: Mutex::new(Vec::new()), start: Instant::now() }
    }

    pub(super) fn read<T, E: From<StoreError>>(
        &self,
        time: Option<Duration>,
        ask: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reader = free.map_or_else(|| self.open(), Ok)?;
        let deadline = time.map_or(NEVER, |time| milliseconds(self.start.elapsed() + time));
        reader.deadline.store(deadline, Ordering::Relaxed);
        let moment = Moment::begin(&reader.connection)?;
        let answer = ask(&ReadTx { connection: moment.0 });
        drop(moment);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // Closing the store empties the list; nothing is put back then.
        if free.len() < KEPT && !self.file.connections().is_closing() {
            free.push(reader);
        }
        answer
    }

    /// Closes those that are free; no more are opened.
    pub(super) fn close(&self) {
        self.file.connections().close();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn open(&self) -> Result<Reader, StoreError> {
        if self.file.connections().is_closing() {
            return Err(StoreError::Stopped);
        }
        // Another file would be another archive than the one that is written.
        self.file.is_there()?;
        let mut connection = self.file.connect()?;
        let deadline = Arc::new(AtomicU64::new(NEVER));
        let (own, start, all) = (Arc::clone(&deadline), self.start, Arc::clone(self.file.connections()));
        connection.progress_handler(
            STEPS,
            Some(move || {
                let deadline = own.load(Ordering::Relaxed);
                all.is_closing() || (deadline != NEVER && milliseconds(start.elapsed()) > deadline)
            }),
        )?;
        Ok(Reader { connection, deadline })
    }
}

/// A transaction that reads, as long as it is held. Its statements are prepared once for each connection, as all others
/// are: preparing them anew took as long as the question that most requests have.
struct Moment<'c>(&'c Connection);

impl<'c> Moment<'c> {
    fn begin(connection: &'c Connection) -> Result<Self, StoreError> {
        connection.prepare_cached("BEGIN")?.execute([])?;
        Ok(Self(connection))
    }
}

impl Drop for Moment<'_> {
    fn drop(&mut self) {
        // After some failures there is no transaction any more. Nothing was written, so that either is an end.
        if !self.0.is_autocommit() {
            let ended = self.0.prepare_cached("COMMIT").and_then(|mut end| end.execute([]));
            if ended.is_err() {
                let _ = self.0.execute_batch("ROLLBACK");
            }
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER - 1)
}
