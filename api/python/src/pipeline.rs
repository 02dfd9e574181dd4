//! The caller's thread reads, several threads judge, and the results come out in the order of the input. No judging thread
//! touches Python.
//!
//! Threads start with the second batch: the caller's thread judges the first one, and so all of a short source. Memory is
//! bounded: at most two batches for each thread are judged or wait.

use std::{
    collections::VecDeque,
    io,
    num::NonZero,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use crate::{
    batch::{Batch, Feed, Work, WrittenRecord, judge},
    errors::is_interrupt,
};

/// The results of a batch.
type Results<W> = Vec<(WrittenRecord, <W as Work>::Item)>;

/// A batch, and the way back for its results.
type Order<W> = (Batch, mpsc::SyncSender<Results<W>>);

/// A batch whose results were not returned yet.
enum Waiting<W: Work> {
    /// The caller's thread judges it.
    Batch(Batch),
    /// A thread judges it.
    Ordered(mpsc::Receiver<Results<W>>),
}

/// A source whose records are being judged.
pub(crate) struct Pipeline<F, W: Work> {
    pub(crate) feed: F,
    work: Arc<W>,
    jobs: NonZero<usize>,
    workers: Option<mpsc::Sender<Order<W>>>,
    /// The first first.
    waiting: VecDeque<Waiting<W>>,
    failure: Option<io::Error>,
}

impl<F: Feed, W: Work> Pipeline<F, W> {
    pub(crate) fn new(feed: F, work: W, jobs: NonZero<usize>) -> Self {
        Self { feed, work: Arc::new(work), jobs, workers: None, waiting: VecDeque::new(), failure: None }
    }

    /// The results of the next batch, or nothing at the end.
    ///
    /// # Errors
    /// Those of the source, after all results before them; an interrupt at once. The call may be repeated; nothing is lost.
    pub(crate) fn next(&mut self) -> io::Result<Option<Results<W>>> {
        let most = if self.jobs.get() > 1 { 2 * self.jobs.get() } else { 1 };
        while self.waiting.len() < most && self.failure.is_none() {
            match self.feed.next() {
                Ok(Some(batch)) => self.add(batch)?,
                Ok(None) => break,
                Err(failure) if is_interrupt(&failure) => return Err(failure),
                Err(failure) => self.failure = Some(failure),
            }
        }
        match self.waiting.pop_front() {
            Some(Waiting::Batch(batch)) => Ok(Some(judge(batch, &*self.work))),
            Some(Waiting::Ordered(results)) => results.recv().map(Some).map_err(|_| ended()),
            None => self.failure.take().map_or(Ok(None), Err),
        }
    }

    /// Passes a batch to the threads, unless it is the only one so far.
    fn add(&mut self, batch: Batch) -> io::Result<()> {
        if self.workers.is_none() && !self.waiting.is_empty() {
            match start(&self.work, self.jobs) {
                Ok(workers) => self.workers = Some(workers),
                Err(failure) => {
                    self.waiting.push_back(Waiting::Batch(batch));
                    return Err(failure);
                }
            }
        }
        self.waiting.push_back(match &self.workers {
            Some(workers) => {
                let (sender, results) = mpsc::sync_channel(1);
                workers.send((batch, sender)).map_err(|_| ended())?;
                Waiting::Ordered(results)
            }
            None => Waiting::Batch(batch),
        });
        Ok(())
    }
}

/// The error after a panic of a judging thread.
fn ended() -> io::Error {
    io::Error::other("a thread of quipu has ended unexpectedly")
}

/// Starts the threads. They end when nobody sends batches any more.
fn start<W: Work>(work: &Arc<W>, jobs: NonZero<usize>) -> io::Result<mpsc::Sender<Order<W>>> {
    let (sender, receiver) = mpsc::channel::<Order<W>>();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..jobs.get() {
        let (work, receiver) = (Arc::clone(work), Arc::clone(&receiver));
        thread::Builder::new().name("quipu".to_owned()).spawn(move || {
            loop {
                // The lock is released before the batch is judged.
                let order = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok((batch, results)) = order else { break };
                // An iterator that nobody uses any more needs no results.
                drop(results.send(judge(batch, &*work)));
            }
        })?;
    }
    Ok(sender)
}
