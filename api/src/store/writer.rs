//! The one that writes: a thread that does all that is waiting in one transaction, each job whole or not at all, and
//! answers when the transaction is on the disk.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use chrono::Utc;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::{StoreError, Writing, derive::Texts};

/// Jobs that may wait.
const WAITING: usize = 4_096;
/// Jobs in one transaction at the most.
const GROUP: usize = 1_024;
/// No more jobs are taken into a transaction that has run for so long.
const PATIENCE: Duration = Duration::from_millis(100);

/// Told of each commit: how many jobs it had and how long it took.
pub type Observer = Box<dyn Fn(usize, Duration) + Send + Sync>;

/// What happens to a job: it is run, if there is a transaction to run it in, and then told whether what it did is on the
/// disk.
type Job = Box<dyn FnOnce(Result<&Writing<'_>, StoreError>) -> Told + Send>;
type Told = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

pub(super) struct Writer {
    jobs: Option<mpsc::SyncSender<Job>>,
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
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
    pub(super) fn start(connection: Connection, observer: Arc<OnceLock<Observer>>) -> Self {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let thread = std::thread::Builder::new().name("quipu-writer".to_owned());
        let thread = thread.spawn(move || run(connection, &receiver, &left, &observer));
        Self { jobs: Some(sender), waiting, thread: thread.ok() }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    pub(super) fn submit<T, E>(
        &self,
        work: impl FnOnce(&Writing<'_>) -> Result<T, E> + Send + 'static,
        patient: bool,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (teller, told) = oneshot::channel();
        let job: Job = Box::new(move |writing| {
            let done = writing.map_err(E::from).and_then(|writing| writing.whole(work));
            Box::new(move |committed| {
                let done = done.and_then(|done| committed.map(|()| done).map_err(E::from));
                // Who asked may have gone; what was done stays done.
                let _ = teller.send(done);
            })
        });
        let Some(jobs) = &self.jobs else { return Pending(Err(Some(StoreError::Stopped))) };
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

/// What was accepted is finished before the archive is closed.
impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(mut connection: Connection, jobs: &mpsc::Receiver<Job>, waiting: &AtomicUsize, observer: &OnceLock<Observer>) {
    while let Ok(first) = jobs.recv() {
        let begun = Instant::now();
        let mut told = Vec::new();
        let outcome = group(&mut connection, first, jobs, &mut told);
        let done = told.len();
        waiting.fetch_sub(done, Ordering::Relaxed);
        for told in told {
            told(outcome.clone());
        }
        if let Some(observer) = observer.get().filter(|_| outcome.is_ok()) {
            observer(done, begun.elapsed());
        }
    }
}

/// Does a job and what waits behind it in one transaction.
fn group(
    connection: &mut Connection,
    first: Job,
    jobs: &mpsc::Receiver<Job>,
    told: &mut Vec<Told>,
) -> Result<(), StoreError> {
    let transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => {
            let error = StoreError::from(error);
            told.push(first(Err(error.clone())));
            // All who waited behind it are told too: one after the other they would wait as long again.
            told.extend(jobs.try_iter().map(|job| job(Err(error.clone()))));
            return Err(error);
        }
    };
    let (texts, begun) = (Texts::default(), Instant::now());
    let mut next = Some(first);
    while let Some(job) = next {
        told.push(job(Ok(&Writing::new(&transaction, &texts, Utc::now()))));
        // After some failures SQLite has rolled everything back, and there is no transaction any more.
        let more = told.len() < GROUP && begun.elapsed() < PATIENCE && !transaction.is_autocommit();
        next = if more { jobs.try_recv().ok() } else { None };
    }
    // Where there is no transaction any more, committing says so.
    if !transaction.is_autocommit() {
        texts.store(&transaction)?;
    }
    Ok(transaction.commit()?)
}
