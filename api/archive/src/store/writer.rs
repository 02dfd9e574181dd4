//! The writer: a thread that commits waiting jobs as one transaction (group commit). Each job is committed as a whole or not at
//! all, and its result is sent when the transaction is on the disk.
//!
//! A job that fails nearly always fails before it has written anything, and there is nothing to roll back. So jobs run without a
//! savepoint, for which SQLite would copy every page before its first change: that took a quarter of the time. If a job fails
//! after it has written, the transaction is rolled back and its jobs run again, each in a savepoint.
//!
//! On a server each lookup of a job is a round trip, so those of several waiting jobs go out together before the first of them
//! runs.

use std::{
    future::Future,
    io, mem,
    pin::Pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use chrono::Utc;
use tokio::sync::{oneshot, watch};

use super::{
    database::{self, Connection, OpenDatabase, Transaction, sqlite::shutdown::Ending},
    deferred::DeferredWrites,
    error::StoreError,
    prefetch::Lookups,
    read_tx::ReadTx,
    receipt_log::{HeadSchedule, LogSigner, sign_head},
    row_cache::RowCache,
    statements::PreparedInserts,
    write_tx::{WriteTx, caught},
};

/// Capacity of the queue.
const QUEUE: usize = 4_096;
/// Maximal jobs of a transaction.
const GROUP: usize = 1_024;
/// Jobs whose lookups go out together, at most.
const LOOK_AHEAD: usize = 64;
/// Duration of a transaction after which it takes no more jobs.
const GROUP_TIME: Duration = Duration::from_millis(100);
/// Time for which the jobs of a transaction wait for another connection to the server.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause between two attempts to connect.
const RETRY: Duration = Duration::from_millis(50);

/// Called with each commit: its number of jobs, and its duration.
pub type Observer = Box<dyn Fn(usize, Duration) + Send + Sync>;

/// A queued job: it runs, perhaps more than once, and then gets the outcome of the commit.
trait Job: Send {
    /// The rows that it is going to look up.
    fn lookups(&self) -> &Lookups;
    /// Runs it; false if it failed and its writes must be rolled back.
    fn run(&mut self, writing: &WriteTx<'_>, guard: Guard) -> bool;
    /// Sends its result.
    fn finish(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// The unit that is rolled back when a job fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// The whole transaction.
    Transaction,
    /// The job alone.
    Savepoint,
}

struct QueuedJob<W, T, E> {
    lookups: Lookups,
    work: W,
    result: Option<Result<T, E>>,
    sender: oneshot::Sender<Result<T, E>>,
}

impl<W, T, E> Job for QueuedJob<W, T, E>
where
    W: Fn(&WriteTx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn lookups(&self) -> &Lookups {
        &self.lookups
    }

    fn run(&mut self, writing: &WriteTx<'_>, guard: Guard) -> bool {
        let before = writing.extent();
        let result = match guard {
            Guard::Transaction => writing.caught(&self.work),
            Guard::Savepoint => writing.in_savepoint(&self.work),
        };
        let is_done = result.is_ok();
        self.result = Some(result);
        is_done || guard == Guard::Savepoint || writing.extent() == before
    }

    fn finish(self: Box<Self>, commit: Result<(), StoreError>) {
        let result = match self.result {
            // The job's own error is more specific than that of the commit.
            Some(Err(error)) => Err(error),
            Some(Ok(done)) => commit.map(|()| done).map_err(E::from),
            None => Err(commit.err().unwrap_or(StoreError::Stopped).into()),
        };
        // The caller may be gone; the commit stays.
        let _ = self.sender.send(result);
    }
}

pub(super) struct Writer {
    jobs: RwLock<Option<mpsc::SyncSender<Box<dyn Job>>>>,
    waiting: Arc<AtomicUsize>,
    /// True if the last transaction failed.
    failed: Arc<AtomicBool>,
    /// True if the store has the lock of the service, whose end differs.
    serves: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    /// Closed when the thread ends, also by a panic.
    running: watch::Receiver<()>,
}

/// The result of a queued job. Await it, or block with [`Pending::wait`] in code that is not asynchronous.
#[derive(Debug)]
pub struct Pending<T, E>(Result<oneshot::Receiver<Result<T, E>>, Option<StoreError>>);

impl<T, E: From<StoreError>> Pending<T, E> {
    /// Blocks until the result is ready.
    ///
    /// # Errors
    /// The reason that nothing was written.
    pub fn wait(self) -> Result<T, E> {
        match self.0 {
            Ok(receiver) => receiver.blocking_recv().unwrap_or_else(|_| Err(StoreError::Stopped.into())),
            Err(error) => Err(error.unwrap_or(StoreError::Stopped).into()),
        }
    }
}

impl<T, E: From<StoreError> + Unpin> Future for Pending<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Ok(receiver) => Pin::new(receiver)
                .poll(context)
                .map(|result| result.unwrap_or_else(|_| Err(StoreError::Stopped.into()))),
            Err(error) => Poll::Ready(Err(error.take().unwrap_or(StoreError::Stopped).into())),
        }
    }
}

impl Writer {
    /// Starts the thread. It increments `commits` with each transaction, before it sends results.
    pub(super) fn start(
        connection: Connection,
        database: OpenDatabase,
        observer: Arc<OnceLock<Observer>>,
        commits: Arc<AtomicU64>,
        signing: Arc<LogSigner>,
        lacks_log: bool,
    ) -> io::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        let (waiting, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (left, failing) = (Arc::clone(&waiting), Arc::clone(&failed));
        let serves = Arc::new(AtomicBool::new(false));
        let (ends_service, (runs, running)) = (Arc::clone(&serves), watch::channel(()));
        let thread = thread::Builder::new().name("quipu-writer".to_owned());
        let thread = thread.spawn(move || {
            let _runs = runs;
            let mut archive = Archive { connection, database, lacks_log, cache: RowCache::default() };
            run(&mut archive, &receiver, &left, &failing, &observer, &commits, &signing);
            let Archive { connection, database, lacks_log, .. } = archive;
            database.close(connection, &Ending { serves: ends_service.load(Ordering::Relaxed), lacks_log })
        })?;
        let (jobs, thread) = (RwLock::new(Some(sender)), Mutex::new(Some(thread)));
        Ok(Self { jobs, waiting, failed, serves, thread, running })
    }

    /// Has the store end as a service.
    pub(super) fn serves(&self) {
        self.serves.store(true, Ordering::Relaxed);
    }

    /// Finishes the queued jobs, moves the log into the file and closes the last connection.
    ///
    /// # Errors
    /// If the log could not be moved. [`StoreError::Stopped`] if the thread had ended by itself.
    pub(super) fn close(&self) -> Result<(), StoreError> {
        *self.jobs.write().unwrap_or_else(PoisonError::into_inner) = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        thread.map_or(Ok(()), |thread| thread.join().unwrap_or(Err(StoreError::Stopped)))
    }

    /// True while the thread runs.
    pub(super) fn is_running(&self) -> bool {
        self.running.has_changed().is_ok()
    }

    /// Ready when the thread has ended.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut running = self.running.clone();
        async move { while running.changed().await.is_ok() {} }
    }

    /// Number of queued jobs.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Queues a job. If the queue is full, it blocks with `patient` and fails without.
    pub(super) fn submit<T, E>(
        &self,
        lookups: Lookups,
        work: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static,
        patient: bool,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        match self.enqueue(Box::new(QueuedJob { lookups, work, result: None, sender }), patient) {
            Ok(()) => Pending(Ok(receiver)),
            Err(error) => Pending(Err(Some(error))),
        }
    }

    fn enqueue(&self, job: Box<dyn Job>, patient: bool) -> Result<(), StoreError> {
        let jobs = self.jobs.read().unwrap_or_else(PoisonError::into_inner).clone();
        let jobs = jobs.ok_or(StoreError::Stopped)?;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let sent = if patient {
            jobs.send(job).map_err(|_| StoreError::Stopped)
        } else {
            jobs.try_send(job).map_err(|error| match error {
                mpsc::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::TrySendError::Disconnected(_) => StoreError::Stopped,
            })
        };
        sent.inspect_err(|_| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        })
    }
}

/// The connection and file that the thread writes to.
struct Archive {
    connection: Connection,
    database: OpenDatabase,
    /// The log was missing when the file was opened, and nothing was written since.
    lacks_log: bool,
    /// Rows cached by committed transactions; none after one that failed.
    cache: RowCache,
}

fn run(
    archive: &mut Archive,
    jobs: &mpsc::Receiver<Box<dyn Job>>,
    waiting: &AtomicUsize,
    failed: &AtomicBool,
    observer: &OnceLock<Observer>,
    commits: &AtomicU64,
    signing: &LogSigner,
) {
    let mut heads = HeadSchedule::default();
    while let Ok(first) = jobs.recv() {
        let begun = Instant::now();
        let mut taken = vec![first];
        let mut sign = |transaction: &Connection| heads.sign_if_due(transaction, signing);
        let mut outcome = caught(|| group(archive, jobs, &mut taken, &mut sign));
        // Nothing was committed on a connection that was lost before: the jobs run again on another.
        while outcome.as_ref().is_err_and(StoreError::is_lost_connection) && begun.elapsed() < PATIENCE {
            thread::sleep(RETRY);
            outcome = caught(|| again(archive, &mut taken, &mut sign));
        }
        if outcome.as_ref().is_err_and(StoreError::is_without_server) {
            // The jobs behind them fail too: one after the other, each would wait as long again.
            taken.extend(jobs.try_iter());
        }
        let outcome = outcome.map_err(|error| archive.database.explain(error));
        match &outcome {
            Ok(()) => {
                archive.lacks_log = false;
                archive.connection.last_commit().into_iter().for_each(|number| archive.database.note_commit(number));
            }
            Err(StoreError::Moved(_)) => archive.database.rescue(&archive.connection),
            Err(_) => {}
        }
        // A caught panic leaves its transaction open.
        archive.connection.rollback();
        failed.store(outcome.is_err(), Ordering::Relaxed);
        commits.fetch_add(1, Ordering::Release);
        let done = taken.len();
        waiting.fetch_sub(done, Ordering::Relaxed);
        // A panic of a waker or of the observer does not end the thread.
        let _ = caught(|| -> Result<(), StoreError> {
            for job in taken {
                job.finish(outcome.clone());
            }
            if let Some(observer) = observer.get().filter(|_| outcome.is_ok()) {
                observer(done, begun.elapsed());
            }
            Ok(())
        });
    }
    // Signs the receipts since the last head. If that fails, the next start does it.
    if let Some(signer) = signing.signer() {
        let connection = &archive.connection;
        let _ = caught(|| {
            sign_head(connection, &signer)?;
            archive.database.is_there()?;
            signing.pin(&ReadTx { connection })
        });
    }
    let _ = archive.database.unwatch(&mut archive.connection);
}

/// Runs the taken jobs on another connection.
fn again(
    Archive { connection, database, cache, .. }: &mut Archive,
    taken: &mut [Box<dyn Job>],
    sign: &mut dyn FnMut(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    *cache = RowCache::default();
    database.revive(connection)?;
    one_by_one(connection, database, taken, sign)
}

/// Runs the taken job, and those that wait behind it, in one transaction.
fn group(
    Archive { connection, database, cache, .. }: &mut Archive,
    jobs: &mpsc::Receiver<Box<dyn Job>>,
    taken: &mut Vec<Box<dyn Job>>,
    sign: &mut dyn FnMut(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if connection.is_broken() {
        // Another connection counts the commits of others anew, and they may have changed the rows.
        *cache = RowCache::default();
    }
    database.revive(connection)?;
    let transaction = match Transaction::begin(connection) {
        Ok(transaction) => transaction,
        // Other jobs may come while the connection is replaced.
        Err(database::Error::Unreachable(text)) => return Err(StoreError::Unreachable(text)),
        Err(error) => {
            // The jobs behind it fail too: one after the other, each would wait as long again.
            taken.extend(jobs.try_iter());
            return Err(error.into());
        }
    };
    let mut cache_before = mem::take(cache);
    cache_before.refresh(&transaction)?;
    let (deferred, begun) = (DeferredWrites::new(cache_before), Instant::now());
    let inserts = PreparedInserts::new(&transaction);
    let (mut at, mut prefetched) = (0, 0);
    loop {
        let mut is_well = true;
        if at == prefetched {
            if at < GROUP && begun.elapsed() < GROUP_TIME {
                take_batch(jobs, taken, at, connection.is_file());
            }
            let writing = WriteTx::new(&inserts, &deferred, Utc::now());
            let prefetch = || writing.prefetch_jobs(taken[at..].iter().map(|job| job.lookups()));
            // If a lookup fails, the jobs run one by one, and the job that needs the row reports it.
            is_well = caught(prefetch).is_ok();
            prefetched = taken.len();
        }
        let Some(job) = taken.get_mut(at) else { break };
        is_well = is_well && job.run(&WriteTx::new(&inserts, &deferred, Utc::now()), Guard::Transaction);
        // Some errors roll back the whole transaction.
        if !is_well || !transaction.in_transaction() {
            drop(inserts);
            drop(transaction);
            return one_by_one(connection, database, taken, sign);
        }
        at += 1;
    }
    drop(inserts);
    if transaction.settle().is_err() {
        drop(transaction);
        return one_by_one(connection, database, taken, sign);
    }
    deferred.flush(&transaction)?;
    sign(&transaction)?;
    database.is_there()?;
    transaction.commit()?;
    *cache = deferred.into_cache();
    Ok(())
}

/// Takes the jobs after those that have run: one from a file, and from a server those whose lookups go out together. A job that may
/// take long, such as a batch of an import, is the last of them.
fn take_batch(jobs: &mpsc::Receiver<Box<dyn Job>>, taken: &mut Vec<Box<dyn Job>>, run: usize, is_file: bool) {
    let most = if is_file { run + 1 } else { GROUP.min(run + LOOK_AHEAD) };
    let ends_batch = |taken: &[Box<dyn Job>]| taken[run..].last().is_some_and(|job| job.lookups().submission.is_none());
    while taken.len() < most && !ends_batch(taken) {
        match jobs.try_recv() {
            Ok(job) => taken.push(job),
            Err(_) => break,
        }
    }
}

/// Runs jobs in one transaction, each in a savepoint.
fn one_by_one(
    connection: &Connection,
    database: &OpenDatabase,
    taken: &mut [Box<dyn Job>],
    sign: &mut dyn FnMut(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let transaction = Transaction::begin(connection)?;
    let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(&transaction));
    for job in taken {
        job.run(&WriteTx::new(&inserts, &deferred, Utc::now()), Guard::Savepoint);
        if !transaction.in_transaction() {
            break;
        }
    }
    drop(inserts);
    // If the transaction is gone, the commit fails.
    if transaction.in_transaction() {
        deferred.flush(&transaction)?;
        sign(&transaction)?;
    }
    database.is_there()?;
    Ok(transaction.commit()?)
}
