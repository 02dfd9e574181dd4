//! A read transaction, and the pool of connections that it takes one from.

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    database::{Connection, Leased, OpenDatabase},
    error::StoreError,
};

/// Time limit of waiting for a standby that lags. The primary is read then.
const LAG: Duration = Duration::from_millis(20);
/// Pause between two looks at it.
const LOOK: Duration = Duration::from_millis(1);
/// Time for which the primary is read after a standby lagged or was away.
const AWAY: Duration = Duration::from_secs(1);
/// Time after the limit of a query at which a server that does not even cancel it is given up.
const GRACE: Duration = Duration::from_secs(1);
/// Time limit of waiting for a connection, for a query without one.
const QUEUE: Duration = Duration::from_secs(10);
/// Idle connections that stay open.
const IDLE: usize = 32;
/// The deadline of a query without a time limit.
const NEVER: u64 = u64::MAX;

/// The archive at one moment. Its queries are defined in the files that the [table of contents](crate::store) lists.
pub struct ReadTx<'c> {
    pub(super) connection: &'c Connection,
}

/// The pool of idle connections.
pub(super) struct Readers {
    database: OpenDatabase,
    /// Number of connections that read, and a signal when one has ended.
    reading: Mutex<usize>,
    ended: Condvar,
    idle: Mutex<Vec<Reader>>,
    /// Idle connections to standbys.
    on_standby: Mutex<Vec<Reader>>,
    /// Time until which no standby is read, in milliseconds.
    away: AtomicU64,
    /// Origin of deadlines.
    start: Instant,
}

struct Reader {
    connection: Leased,
    is_standby: bool,
    /// Number of the last commit that it is known to show, of a standby.
    shows: i64,
    /// Deadline of the current query, in milliseconds.
    deadline: Arc<AtomicU64>,
}

impl Readers {
    pub(super) fn new(database: OpenDatabase) -> Self {
        Self {
            database,
            reading: Mutex::new(0),
            ended: Condvar::new(),
            idle: Mutex::default(),
            on_standby: Mutex::default(),
            away: AtomicU64::new(0),
            start: Instant::now(),
        }
    }

    pub(super) fn read<T, E: From<StoreError>>(
        &self,
        limit: Option<Duration>,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        // All but the query itself is compiled once, not again for each.
        let _turn = self.turn(limit)?;
        let reader = self.take(limit)?;
        let snapshot = Snapshot::begin(&reader.connection)?;
        let result = query(&ReadTx { connection: snapshot.0 });
        drop(snapshot);
        self.put_back(reader);
        result
    }

    /// A connection whose next query has this time limit.
    fn take(&self, limit: Option<Duration>) -> Result<Reader, StoreError> {
        let reader = match self.standby() {
            Some(reader) => reader,
            None => idle_reader(&self.idle).map_or_else(|| self.open(), Ok)?,
        };
        let deadline = limit.map_or(NEVER, |limit| milliseconds(self.start.elapsed() + limit));
        reader.deadline.store(deadline, Ordering::Relaxed);
        reader.connection.set_limit(limit.map(|limit| limit + GRACE));
        Ok(reader)
    }

    fn put_back(&self, reader: Reader) {
        let idle = if reader.is_standby { &self.on_standby } else { &self.idle };
        let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Closing the store empties the pool, and nothing may be put back then.
        if idle.len() < IDLE && !self.database.connections().is_closing() && !reader.connection.is_broken() {
            idle.push(reader);
        }
    }

    /// Waits until another connection may read, as long as the query may take.
    fn turn(&self, limit: Option<Duration>) -> Result<Turn<'_>, StoreError> {
        let Some(most) = self.database.most_readers() else { return Ok(Turn(None)) };
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(reading, limit.unwrap_or(QUEUE), |reading| *reading >= most);
        let (mut reading, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *reading >= most {
            return Err(StoreError::Busy);
        }
        *reading += 1;
        Ok(Turn(Some(self)))
    }

    /// A connection to a standby that shows all commits that this store knows of, if the address prefers one. A standby only
    /// goes forward, so what is read after that is no older.
    fn standby(&self) -> Option<Reader> {
        let now = || milliseconds(self.start.elapsed());
        if !self.database.prefers_standby() || now() < self.away.load(Ordering::Relaxed) {
            return None;
        }
        let found = self.current_standby();
        if found.is_none() {
            self.away.store(now() + milliseconds(AWAY), Ordering::Relaxed);
        }
        found
    }

    fn current_standby(&self) -> Option<Reader> {
        let open = || Some(self.reader(self.database.connect_to_standby()?, true));
        let mut reader = idle_reader(&self.on_standby).map_or_else(open, |reader| Some(Ok(reader)))?.ok()?;
        reader.deadline.store(NEVER, Ordering::Relaxed);
        reader.connection.set_limit(Some(AWAY));
        let (begun, noted) = (Instant::now(), self.database.noted_commit());
        while reader.shows < noted {
            reader.shows = reader.connection.foreign_version().ok()?;
            if reader.shows >= noted {
                break;
            }
            if begun.elapsed() > LAG {
                self.put_back(reader);
                return None;
            }
            thread::sleep(LOOK);
        }
        Some(reader)
    }

    /// Closes idle connections and allows no more.
    pub(super) fn close(&self) {
        self.database.connections().close();
        for idle in [&self.idle, &self.on_standby] {
            idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    fn open(&self) -> Result<Reader, StoreError> {
        if self.database.connections().is_closing() {
            return Err(StoreError::Stopped);
        }
        // A new file of this name would be another archive than the one that is written.
        self.database.is_there()?;
        self.reader(self.database.connect()?, false)
    }

    fn reader(&self, mut connection: Leased, is_standby: bool) -> Result<Reader, StoreError> {
        let deadline = Arc::new(AtomicU64::new(NEVER));
        let (own, start, all) = (Arc::clone(&deadline), self.start, self.database.clone());
        connection.cancel_when(move || {
            let deadline = own.load(Ordering::Relaxed);
            all.connections().is_closing() || (deadline != NEVER && milliseconds(start.elapsed()) > deadline)
        })?;
        Ok(Reader { connection, is_standby, shows: -1, deadline })
    }
}

/// An idle connection, which was not lost meanwhile.
fn idle_reader(idle: &Mutex<Vec<Reader>>) -> Option<Reader> {
    let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some(reader) = idle.pop() {
        if !reader.connection.is_broken() {
            return Some(reader);
        }
    }
    None
}

/// The right to read with one of a limited number of connections.
struct Turn<'r>(Option<&'r Readers>);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Some(readers) = self.0 else { return };
        *readers.reading.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        readers.ended.notify_one();
    }
}

/// A transaction that reads, until it is dropped. Its own statements come from the cache of the connection: preparing them
/// took as long as the query of most requests.
struct Snapshot<'c>(&'c Connection);

impl<'c> Snapshot<'c> {
    fn begin(connection: &'c Connection) -> Result<Self, StoreError> {
        connection.begin_read()?;
        Ok(Self(connection))
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        self.0.end_read();
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER - 1)
}
