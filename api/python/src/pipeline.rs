//! The caller's thread reads, several threads judge, and the results come out in the order of the input. No judging thread
//! touches Python.
//!
//! Memory is bounded: at most two batches for each thread are judged or wait.

use std::{
    collections::VecDeque,
    io,
    num::NonZero,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use crate::batch::{Batch, Feed, Work, WrittenRecord, judge};

/// The results of a batch.
type Results<W> = Vec<(WrittenRecord, <W as Work>::Item)>;

/// A batch, and the way back for its results.
type Order<W> = (Batch, mpsc::SyncSender<Results<W>>);

/// A source whose records are being judged.
pub(crate) struct Pipeline<F, W: Work> {
    pub(crate) feed: F,
    work: Arc<W>,
    /// None for a single job, which the caller's thread does.
    workers: Option<mpsc::Sender<Order<W>>>,
    /// Results that are being made, the first first.
    waiting: VecDeque<mpsc::Receiver<Results<W>>>,
    /// Batches that wait, at most.
    most: usize,
    failure: Option<io::Error>,
}

impl<F: Feed, W: Work> Pipeline<F, W> {
    pub(crate) fn new(feed: F, work: W, jobs: NonZero<usize>) -> io::Result<Self> {
        let work = Arc::new(work);
        let workers = if jobs.get() > 1 { Some(start(&work, jobs)?) } else { None };
        Ok(Self { feed, work, workers, waiting: VecDeque::new(), most: 2 * jobs.get(), failure: None })
    }

    /// The results of the next batch, or nothing at the end.
    ///
    /// # Errors
    /// Those of the source, behind all results before them.
    pub(crate) fn next(&mut self) -> io::Result<Option<Results<W>>> {
        let Some(workers) = &self.workers else {
            return Ok(self.feed.next()?.map(|batch| judge(batch, &*self.work)));
        };
        while self.waiting.len() < self.most && self.failure.is_none() {
            match self.feed.next() {
                Ok(Some(batch)) => {
                    let (sender, results) = mpsc::sync_channel(1);
                    workers.send((batch, sender)).map_err(|_| ended())?;
                    self.waiting.push_back(results);
                }
                Ok(None) => break,
                Err(failure) => self.failure = Some(failure),
            }
        }
        match self.waiting.pop_front() {
            Some(results) => results.recv().map(Some).map_err(|_| ended()),
            None => self.failure.take().map_or(Ok(None), Err),
        }
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
