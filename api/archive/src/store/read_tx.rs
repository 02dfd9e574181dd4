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
/// Time for which the primary is read after a standby lagged or was lost.
const AWAY: Duration = Duration::from_secs(1);
/// Time for which the primary is read after no standby was found, and while one is looked for.
const ABSENT: Duration = Duration::from_secs(10);
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

/// The archive for one query, which is a snapshot by itself and needs no transaction.
pub struct AutocommitRead<'c>(pub(super) ReadTx<'c>);

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
        let reader = self.begin(limit)?;
        let result = query(&ReadTx { connection: &reader.connection });
        self.end(reader)?;
        result
    }

    /// [`Readers::read`] of one query: one round trip to a server, once the statement is prepared there.
    pub(super) fn read_autocommit<T>(
        &self,
        limit: Option<Duration>,
        query: impl Fn(AutocommitRead<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (noted, prefers_standby) = (self.database.noted_commit(), self.database.prefers_standby());
        let turn = self.turn(limit)?;
        let reader = match self.standby() {
            Some(reader) => reader,
            None => idle_reader(&self.idle).map_or_else(|| self.open(), Ok)?,
        };
        let (connection, is_standby) = (&reader.connection, reader.is_standby);
        self.set_timeout(&reader, limit);
        if is_standby {
            connection.set_timeout(Some(AWAY));
        }
        // The number of commits is that of the moment that the query shows, so it takes a transaction; all goes out together.
        let request = || connection.begin_read().and_then(|()| connection.request_foreign_version());
        let requested = if prefers_standby { request() } else { Ok(()) };
        let result = match requested {
            Ok(()) => query(AutocommitRead(ReadTx { connection })),
            Err(error) => Err(error.into()),
        };
        let shown = connection.received_foreign_version();
        let is_lost = result.as_ref().is_err_and(StoreError::is_lost_connection);
        if is_standby && (is_lost || (result.is_ok() && shown < noted)) {
            if is_lost {
                self.lose_standby();
            } else {
                connection.end_read();
                self.put_back(reader);
            }
            drop(turn);
            // A transaction waits for a standby that lags, or reads another server.
            return self.read(limit, |reading| query(AutocommitRead(ReadTx { connection: reading.connection })));
        }
        if prefers_standby {
            // Before the result is used, as in a transaction.
            self.database.note_commit(shown);
        }
        self.end(reader)?;
        result
    }

    /// [`Readers::read`] from the server that accepts writes.
    pub(super) fn read_primary<T>(
        &self,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _turn = self.turn(None)?;
        let reader = self.begin_on_primary(None)?;
        let result = query(&ReadTx { connection: &reader.connection });
        self.end(reader)?;
        result
    }

    /// A connection whose read transaction shows all that earlier ones have shown. Its statements come from the cache of the
    /// connection: preparing them took as long as the query of most requests.
    fn begin(&self, limit: Option<Duration>) -> Result<Reader, StoreError> {
        match self.begin_on_standby(limit) {
            Some(reader) => Ok(reader),
            None => self.begin_on_primary(limit),
        }
    }

    fn begin_on_primary(&self, limit: Option<Duration>) -> Result<Reader, StoreError> {
        let reader = idle_reader(&self.idle).map_or_else(|| self.open(), Ok)?;
        self.set_timeout(&reader, limit);
        reader.connection.begin_read()?;
        if self.database.prefers_standby() {
            // Before the result is used: the next read may come to a standby that lags behind this server.
            self.database.note_commit(reader.connection.foreign_version()?);
        }
        Ok(reader)
    }

    /// The same on a standby that shows all commits that this store knows of, if the address prefers one.
    fn begin_on_standby(&self, limit: Option<Duration>) -> Option<Reader> {
        let reader = self.standby()?;
        reader.deadline.store(NEVER, Ordering::Relaxed);
        reader.connection.set_timeout(Some(AWAY));
        match self.begin_current(&reader) {
            Ok(true) => {
                self.set_timeout(&reader, limit);
                return Some(reader);
            }
            Ok(false) => {
                self.read_primary_for(AWAY);
                self.put_back(reader);
            }
            Err(_) => {
                self.lose_standby();
            }
        }
        None
    }

    /// A connection to a standby, if the address prefers one and none has lagged or was lost a moment ago.
    fn standby(&self) -> Option<Reader> {
        let away = self.away.load(Ordering::Relaxed);
        if !self.database.prefers_standby() || milliseconds(self.start.elapsed()) < away {
            return None;
        }
        idle_reader(&self.on_standby).or_else(|| self.open_standby(away))
    }

    /// Begins a transaction on a standby that shows all commits that this store knows of; false if none does within [`LAG`].
    fn begin_current(&self, reader: &Reader) -> Result<bool, StoreError> {
        let (begun, noted) = (Instant::now(), self.database.noted_commit());
        loop {
            reader.connection.begin_read()?;
            let shown = reader.connection.foreign_version()?;
            if shown >= noted {
                // The next read may come to another standby.
                self.database.note_commit(shown);
                return Ok(true);
            }
            reader.connection.end_read();
            if begun.elapsed() > LAG {
                return Ok(false);
            }
            thread::sleep(LOOK);
        }
    }

    /// Another connection to a standby. One thread looks for it, and the others read the primary meanwhile: a host that is down
    /// takes a second. `away` is the time at which it began.
    fn open_standby(&self, away: u64) -> Option<Reader> {
        let until = milliseconds(self.start.elapsed() + ABSENT);
        self.away.compare_exchange(away, until, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        let reader = self.reader(self.database.connect_to_standby()?, true).ok()?;
        self.away.store(0, Ordering::Relaxed);
        Some(reader)
    }

    /// Reads the primary for a while.
    fn read_primary_for(&self, time: Duration) {
        self.away.store(milliseconds(self.start.elapsed() + time), Ordering::Relaxed);
    }

    /// Reads the primary for a while, and closes the idle connections to standbys: those to the same host are lost too.
    fn lose_standby(&self) {
        self.read_primary_for(AWAY);
        self.on_standby.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Ends a read.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`] if another server has replaced the one that was read: the result may be old.
    fn end(&self, reader: Reader) -> Result<(), StoreError> {
        if reader.connection.is_replaced() {
            return Err(StoreError::Unreachable("another server has replaced the one that was read".to_owned()));
        }
        reader.connection.end_read();
        self.put_back(reader);
        Ok(())
    }

    /// Gives the next query of a connection a time limit.
    fn set_timeout(&self, reader: &Reader, limit: Option<Duration>) {
        let deadline = limit.map_or(NEVER, |limit| milliseconds(self.start.elapsed() + limit));
        reader.deadline.store(deadline, Ordering::Relaxed);
        reader.connection.set_timeout(limit.map(|limit| limit + GRACE));
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
        Ok(Reader { connection, is_standby, deadline })
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

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER - 1)
}
