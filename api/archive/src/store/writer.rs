//! The one that writes: a thread that does all that is waiting in one transaction, each job whole or not at all, and
//! answers when the transaction is on the disk.
//!
//! A job that fails nearly always does so before it has written anything, and then there is nothing to take back. So jobs
//! are done without a savepoint between them, for which SQLite would put aside every page before it is changed: that took
//! a quarter of the time. Where one fails all the same after it has written, everything is taken back and the jobs are done
//! again, this time each in a savepoint of its own.

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use chrono::Utc;
use rusqlite::{Connection, MAIN_DB, Transaction, TransactionBehavior, wal::CheckpointMode};
use tokio::sync::{oneshot, watch};

use super::{
    ReadTx, StoreError, WriteTx, checkpoint,
    deferred::DeferredWrites,
    file::Opened,
    pinned_head::{Heads, LogSigner, sign_head},
    shutdown::{Ending, put_away},
    statements::PreparedInserts,
    write_tx::caught,
};

/// Jobs that may wait.
const WAITING: usize = 4_096;
/// Jobs in one transaction at the most.
const GROUP: usize = 1_024;
/// No more jobs are taken into a transaction that has run for so long.
const PATIENCE: Duration = Duration::from_millis(100);

/// Told of each commit: how many jobs it had and how long it took.
pub type Observer = Box<dyn Fn(usize, Duration) + Send + Sync>;

/// What happens to a job: it is done, once or again, and then told whether what it did is on the disk.
trait Job: Send {
    /// Does it; says whether it is done, or has at least left nothing behind.
    fn run(&mut self, writing: &WriteTx<'_>, guard: Guard) -> bool;
    /// Tells who asked for it.
    fn tell(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// What can be taken back when a job fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// The whole transaction.
    Transaction,
    /// What the job did.
    Savepoint,
}

struct Asked<W, T, E> {
    work: W,
    done: Option<Result<T, E>>,
    teller: oneshot::Sender<Result<T, E>>,
}

impl<W, T, E> Job for Asked<W, T, E>
where
    W: Fn(&WriteTx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, writing: &WriteTx<'_>, guard: Guard) -> bool {
        let before = writing.extent();
        let done = match guard {
            Guard::Transaction => writing.caught(&self.work),
            Guard::Savepoint => writing.whole(&self.work),
        };
        let is_done = done.is_ok();
        self.done = Some(done);
        is_done || guard == Guard::Savepoint || writing.extent() == before
    }

    fn tell(self: Box<Self>, outcome: Result<(), StoreError>) {
        let done = match self.done {
            // Its own failure tells more than that of the others' work.
            Some(Err(failure)) => Err(failure),
            Some(Ok(done)) => outcome.map(|()| done).map_err(E::from),
            None => Err(outcome.err().unwrap_or(StoreError::Stopped).into()),
        };
        // Who asked may have gone; what was done stays done.
        let _ = self.teller.send(done);
    }
}

pub(super) struct Writer {
    jobs: RwLock<Option<mpsc::SyncSender<Box<dyn Job>>>>,
    waiting: Arc<AtomicUsize>,
    /// Whether the last transaction did not come to its end.
    failed: Arc<AtomicBool>,
    /// Whether the log is to be put away as who serves does it.
    serves: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    /// Closed when the thread ends, however that comes about.
    running: watch::Receiver<()>,
}

/// An answer that is still to come. Await it, or [`Pending::wait`] for it where nothing is asynchronous.
#[derive(Debug)]
pub struct Pending<T, E>(Result<oneshot::Receiver<Result<T, E>>, Option<StoreError>>);

impl<T, E: From<StoreError>> Pending<T, E> {
    /// Waits for it.
    ///
    /// # Errors
    /// Why nothing was written.
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
            Ok(receiver) => {
                Pin::new(receiver).poll(context).map(|told| told.unwrap_or_else(|_| Err(StoreError::Stopped.into())))
            }
            Err(error) => Poll::Ready(Err(error.take().unwrap_or(StoreError::Stopped).into())),
        }
    }
}

impl Writer {
    /// `commits` is counted up with each, before anybody is told.
    pub(super) fn start(
        connection: Connection,
        file: Opened,
        observer: Arc<OnceLock<Observer>>,
        commits: Arc<AtomicU64>,
        signing: Arc<LogSigner>,
        lacks_log: bool,
    ) -> io::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let (waiting, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (left, failing) = (Arc::clone(&waiting), Arc::clone(&failed));
        let serves = Arc::new(AtomicBool::new(false));
        let (ends_service, (runs, running)) = (Arc::clone(&serves), watch::channel(()));
        let thread = std::thread::Builder::new().name("quipu-writer".to_owned());
        let thread = thread.spawn(move || {
            let _runs = runs;
            let mut archive = Archive { connection, file, lacks_log };
            run(&mut archive, &receiver, &left, &failing, &observer, &commits, &signing);
            let Archive { connection, file, lacks_log } = archive;
            put_away(connection, &file, &Ending { serves: ends_service.load(Ordering::Relaxed), lacks_log })
        })?;
        let (jobs, thread) = (RwLock::new(Some(sender)), Mutex::new(Some(thread)));
        Ok(Self { jobs, waiting, failed, serves, thread, running })
    }

    /// Has the log put away as who serves does it.
    pub(super) fn serves(&self) {
        self.serves.store(true, Ordering::Relaxed);
    }

    /// Finishes what was accepted, puts the log away and closes the last connection.
    ///
    /// # Errors
    /// If the log could not be put away. [`StoreError::Stopped`] if the thread had ended before it was told to.
    pub(super) fn close(&self) -> Result<(), StoreError> {
        *self.jobs.write().unwrap_or_else(PoisonError::into_inner) = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        thread.map_or(Ok(()), |thread| thread.join().unwrap_or(Err(StoreError::Stopped)))
    }

    /// Whether the thread still runs.
    pub(super) fn is_running(&self) -> bool {
        self.running.has_changed().is_ok()
    }

    /// Ready when the thread has ended.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut running = self.running.clone();
        async move { while running.changed().await.is_ok() {} }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(super) fn submit<T, E>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static,
        patient: bool,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (teller, told) = oneshot::channel();
        let job: Box<dyn Job> = Box::new(Asked { work, done: None, teller });
        let jobs = self.jobs.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(jobs) = jobs else { return Pending(Err(Some(StoreError::Stopped))) };
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let sent = if patient {
            jobs.send(job).map_err(|_| StoreError::Stopped)
        } else {
            jobs.try_send(job).map_err(|error| match error {
                mpsc::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::TrySendError::Disconnected(_) => StoreError::Stopped,
            })
        };
        match sent {
            Ok(()) => Pending(Ok(told)),
            Err(error) => {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                Pending(Err(Some(error)))
            }
        }
    }
}

/// What is written to.
struct Archive {
    connection: Connection,
    file: Opened,
    /// The log was missing when it was opened, and nothing was written since.
    lacks_log: bool,
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
    let mut heads = Heads::default();
    while let Ok(first) = jobs.recv() {
        let begun = Instant::now();
        let mut taken = vec![first];
        let sign = |transaction: &Connection| heads.sign_in_time(transaction, signing);
        let outcome = caught(|| group(archive, jobs, &mut taken, sign)).map_err(|error| archive.file.explain(error));
        match &outcome {
            Ok(()) => archive.lacks_log = false,
            // A log without a name goes with the program: what was acknowledged is put into the file while it can be.
            Err(StoreError::Moved(_)) if !archive.file.is_replaced() => {
                let _ = archive.connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE);
            }
            Err(_) => {}
        }
        // Where a panic was caught, what it was in the middle of is taken back.
        if !archive.connection.is_autocommit() {
            let _ = archive.connection.execute_batch("ROLLBACK");
        }
        failed.store(outcome.is_err(), Ordering::Relaxed);
        commits.fetch_add(1, Ordering::Release);
        let done = taken.len();
        waiting.fetch_sub(done, Ordering::Relaxed);
        // Neither who asked nor who counts ends the thread.
        let _ = caught(|| -> Result<(), StoreError> {
            for job in taken {
                job.tell(outcome.clone());
            }
            if let Some(observer) = observer.get().filter(|_| outcome.is_ok()) {
                observer(done, begun.elapsed());
            }
            Ok(())
        });
    }
    // What came since the last head was signed. If that fails, it is made up for at the next start.
    if let Some(signer) = signing.signer() {
        let connection = &archive.connection;
        let _ = caught(|| {
            sign_head(connection, &signer)?;
            archive.file.is_there()?;
            signing.keep(&ReadTx { connection })
        });
    }
    let _ = checkpoint::unwatch(&mut archive.connection);
}

/// Does the job that was taken and what waits behind it in one transaction.
fn group(
    Archive { connection, file, .. }: &mut Archive,
    jobs: &mpsc::Receiver<Box<dyn Job>>,
    taken: &mut Vec<Box<dyn Job>>,
    sign: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let transaction = match begin(connection) {
        Ok(transaction) => transaction,
        Err(error) => {
            // All who waited behind it are told too: one after the other they would wait as long again.
            taken.extend(jobs.try_iter());
            return Err(error);
        }
    };
    let (later, begun) = (DeferredWrites::default(), Instant::now());
    let held = PreparedInserts::new(&transaction);
    let mut at = 0;
    while let Some(job) = taken.get_mut(at) {
        let is_well = job.run(&WriteTx::new(&held, &later, Utc::now()), Guard::Transaction);
        // After some failures SQLite has rolled everything back, and there is no transaction any more.
        if !is_well || transaction.is_autocommit() {
            drop(held);
            drop(transaction);
            return one_by_one(connection, file, taken, sign);
        }
        at += 1;
        if at < GROUP && begun.elapsed() < PATIENCE {
            taken.extend(jobs.try_recv());
        }
    }
    drop(held);
    later.store(&transaction)?;
    sign(&transaction)?;
    file.is_there()?;
    Ok(transaction.commit()?)
}

/// Begins to write. In an archive that cannot be written SQLite begins to read instead, and would say so no sooner than with
/// the first row.
fn begin(connection: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if transaction.is_readonly(MAIN_DB)? { Err(StoreError::ReadOnly) } else { Ok(transaction) }
}

/// Does jobs in one transaction, so that one that fails takes nothing of the others with it.
fn one_by_one(
    connection: &mut Connection,
    file: &Opened,
    taken: &mut [Box<dyn Job>],
    sign: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let transaction = begin(connection)?;
    let (later, held) = (DeferredWrites::default(), PreparedInserts::new(&transaction));
    for job in taken {
        job.run(&WriteTx::new(&held, &later, Utc::now()), Guard::Savepoint);
        if transaction.is_autocommit() {
            break;
        }
    }
    drop(held);
    // Where there is no transaction any more, committing says so.
    if !transaction.is_autocommit() {
        later.store(&transaction)?;
        sign(&transaction)?;
    }
    file.is_there()?;
    Ok(transaction.commit()?)
}
