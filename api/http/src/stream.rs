//! Long answers and long bodies, between the thread that does the work and the one that speaks with the client. What is
//! in between is bounded: who writes waits for who reads.

use std::{
    io::{self, Read, Write},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use actix_web::{
    body::{BodyStream, BoxBody},
    web::{self, Bytes},
};
use futures_util::{FutureExt, StreamExt, stream};
use serde::Serialize;
use tokio::{runtime::Handle, sync::mpsc};

use super::{
    auth::Bearer,
    client::Client,
    limits::StreamSlots,
    permits::{self, Permit},
    problem::{self, Problem},
    service::Service,
};
use quipu_archive::store::StoreError;

/// Bytes that are gathered before they are handed on.
const CHUNK: usize = 32 * 1024;
/// Chunks that may wait.
pub(super) const WAITING: usize = 4;
/// Chunks of the answer to a long body that may wait: many clients read nothing before they have sent all.
pub(super) const WAITING_FOR_BODY: usize = 512;

/// How long until it is looked again whether there is memory for a chunk.
const PAUSE: Duration = Duration::from_millis(20);

/// Why writing an answer ended before its end.
#[derive(Debug)]
pub(crate) enum End {
    /// The client went away, or took nothing for too long.
    Gone,
    /// Something failed.
    Failed(Box<Problem>),
}

impl From<Problem> for End {
    fn from(problem: Problem) -> Self {
        Self::Failed(Box::new(problem))
    }
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        Problem::from(error).into()
    }
}

/// The pace of a long answer. Between two chunks others have their turn, and nothing is read for a token that does not hold
/// any more.
pub(super) struct Pace {
    service: Arc<Service>,
    /// The token that the answer is read with.
    bearer: Option<Bearer>,
    client: Option<Client>,
    /// True if it is a question to the archive, for which there are permits.
    is_query: bool,
    begun: bool,
    held: Option<(Permit, Option<Permit>)>,
}

impl Pace {
    pub(super) fn new(service: Arc<Service>, bearer: Option<Bearer>, client: Option<Client>, is_query: bool) -> Self {
        Self { service, bearer, client, is_query, begun: false, held: None }
    }

    /// Waits until it is its turn: not for ever to begin with, and as long as it takes to go on.
    ///
    /// # Errors
    /// If too much is going on, the token does not hold any more, or the archive fails.
    pub(super) async fn resume(&mut self) -> Result<(), Problem> {
        if let Some(bearer) = self.bearer.as_ref().filter(|_| self.begun) {
            self.service.store.read(|reading| bearer.check(reading))?;
        }
        let patience = Some(self.service.settings.query_timeout).filter(|_| !self.begun);
        self.begun = true;
        if !self.is_query {
            return Ok(());
        }
        let limits = &self.service.limits;
        let open = match &self.bearer {
            None => Some(limits.anonymous_query_permits.acquire(self.client, patience).await?),
            Some(_) => None,
        };
        self.held = Some((limits.query_permits.acquire(self.client, patience).await?, open));
        Ok(())
    }

    /// Lets others have their turn.
    fn pause(&mut self) {
        self.held = None;
    }
}

/// What a long answer is written to.
pub(crate) struct Sink {
    chunks: mpsc::Sender<Result<Bytes, End>>,
    buffer: Vec<u8>,
    patience: Duration,
    pace: Pace,
}

impl Sink {
    /// Writes bytes.
    ///
    /// # Errors
    /// If nobody reads any more.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), End> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    /// Writes a line of JSON.
    ///
    /// # Errors
    /// If nobody reads any more.
    pub(crate) fn line(&mut self, value: &impl Serialize) -> Result<(), End> {
        // Chunk by chunk: a line can be larger than all that may wait.
        quipu_referee::report::write(value, Pen(self)).map_err(|_| End::Gone)
    }

    /// Hands on what was gathered.
    ///
    /// # Errors
    /// If nobody reads any more.
    pub(crate) fn flush(&mut self) -> Result<(), End> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut chunk = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK));
        let begun = Instant::now();
        // The first few wait as they are, so that every answer goes on; for the others there must be memory.
        while self.chunks.max_capacity() - self.chunks.capacity() >= WAITING {
            match self.pace.service.spool.memory().reserve(chunk.len()) {
                Ok(reservation) => return self.send(Ok(reservation.hold(chunk))),
                Err(_) if begun.elapsed() >= self.patience => return Err(End::Gone),
                Err(_) => {
                    self.pace.pause();
                    thread::sleep(PAUSE);
                }
            }
        }
        chunk.shrink_to_fit();
        self.send(Ok(chunk.into()))
    }

    /// Does work that others have their turn beside.
    ///
    /// # Errors
    /// The error of `work`, or why it cannot go on.
    pub(crate) fn aside<T>(&mut self, work: impl FnOnce() -> Result<T, End>) -> Result<T, End> {
        self.pace.pause();
        let done = work()?;
        Handle::current().block_on(self.pace.resume())?;
        Ok(done)
    }

    fn send(&mut self, chunk: Result<Bytes, End>) -> Result<(), End> {
        self.pace.pause();
        Handle::current().block_on(async {
            match tokio::time::timeout(self.patience, self.chunks.send(chunk)).await {
                Ok(Ok(())) => Ok(self.pace.resume().await?),
                _ => Err(End::Gone),
            }
        })
    }
}

/// Writes JSON to a long answer.
pub(crate) struct Pen<'s>(pub(crate) &'s mut Sink);

impl Write for Pen<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The body that `write` writes on another thread. Who leaves so many chunks `waiting` for longer than `patience` is gone.
pub(super) async fn written(
    patience: Duration,
    waiting: usize,
    slots: StreamSlots,
    pace: Pace,
    is_background: bool,
    write: impl FnOnce(&mut Sink) -> Result<(), End> + Send + 'static,
) -> Result<BoxBody, Problem> {
    let (sender, mut chunks) = mpsc::channel(waiting);
    let work = move || {
        let _slots = slots;
        let mut sink = Sink { chunks: sender, buffer: Vec::new(), patience, pace };
        if let Err(end) = write(&mut sink).and_then(|()| sink.flush()) {
            // Who has gone is told nothing.
            drop(sink.send(Err(end)));
        }
        Ok(())
    };
    let work = if is_background {
        permits::in_background(work).boxed_local()
    } else {
        let work = web::block(work);
        async { work.await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL))) }.boxed_local()
    };
    // A thread that panics leaves nothing in the channel, and that would look like an end.
    let first = chunks.recv().await;
    let first = match first {
        None => return work.await.map(|()| BoxBody::new(())),
        Some(Err(End::Failed(problem))) => return Err(*problem),
        Some(Err(End::Gone)) => return Err(Problem::new(problem::INTERNAL)),
        Some(Ok(chunk)) => chunk,
    };
    let rest = stream::unfold((chunks, Some(work)), |(mut chunks, mut work)| async move {
        let next = match chunks.recv().await {
            Some(Ok(chunk)) => Ok(chunk),
            Some(Err(End::Failed(problem))) => Err(problem.code()),
            Some(Err(End::Gone)) => Err("the client took nothing"),
            None => match work.take()?.await {
                Ok(()) => return None,
                Err(_) => Err("the work was not finished"),
            },
        };
        let next = next.map_err(|why| {
            tracing::error!(why, "answer broken off");
            io::Error::other(why)
        });
        Some((next, (chunks, work)))
    });
    let whole = stream::once(std::future::ready(Ok(first))).chain(rest);
    Ok(BoxBody::new(BodyStream::new(Box::pin(whole))))
}

/// A body that is read on another thread.
pub(crate) struct BodyReader {
    chunks: mpsc::Receiver<Result<Bytes, Problem>>,
    chunk: Bytes,
}

pub(super) fn body() -> (mpsc::Sender<Result<Bytes, Problem>>, BodyReader) {
    let (sender, chunks) = mpsc::channel(WAITING);
    (sender, BodyReader { chunks, chunk: Bytes::new() })
}

impl Read for BodyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.chunks.blocking_recv() {
                None => return Ok(0),
                Some(Err(problem)) => return Err(failed(problem)),
                Some(Ok(chunk)) => self.chunk = chunk,
            }
        }
        let length = buffer.len().min(self.chunk.len());
        buffer[..length].copy_from_slice(&self.chunk.split_to(length));
        Ok(length)
    }
}

/// A problem on its way through a reader.
#[derive(Debug)]
struct Failed(Problem);

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.code())
    }
}

impl std::error::Error for Failed {}

/// A problem as the failure of a reader.
pub(crate) fn failed(problem: Problem) -> io::Error {
    io::Error::other(Failed(problem))
}

/// The problem that made a [`BodyReader`] fail.
pub(crate) fn problem(error: io::Error) -> Problem {
    match error.downcast::<Failed>() {
        Ok(Failed(problem)) => problem,
        Err(_) => Problem::variant(problem::BODY, "broken"),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;
    use quipu_archive::store::Store;
    use quipu_options::settings::Settings;

    /// What a client gets: the problem, or how many bytes and whether they came to their end.
    async fn got(
        write: impl FnOnce(&mut Sink) -> Result<(), End> + Clone + Send + 'static,
    ) -> Result<Option<usize>, &'static str> {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let service = Service::new(Settings { max_streams: 1, max_work: 1, ..Settings::default() }, store, Vec::new());
        let limits = &service.limits;
        let (patience, mut got) = (Duration::from_secs(5), Vec::new());
        // In the background or not, it gives back its slot and its permits.
        for is_background in [true, false] {
            let slots = limits.stream(None, None).expect("a slot");
            let mut pace = Pace::new(Arc::clone(&service), None, None, !is_background);
            pace.resume().await.expect("a turn");
            let body = written(patience, WAITING, slots, pace, is_background, write.clone()).await;
            got.push(match body {
                Ok(body) => Ok(to_bytes(body).await.ok().map(|bytes| bytes.len())),
                Err(problem) => Err(problem.code()),
            });
            while limits.stream(None, None).is_err()
                || limits.query_permits.free() == 0
                || limits.anonymous_query_permits.free() == 0
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        assert_eq!(got[0], got[1]);
        got.remove(0)
    }

    #[actix_web::test]
    async fn long_answers() {
        assert_eq!(got(|_| Ok(())).await, Ok(Some(0)));
        assert_eq!(got(|sink| sink.line(&1)).await, Ok(Some(2)));
        assert_eq!(got(|sink| (0..1000).try_for_each(|_| sink.write(&[0; 1000]))).await, Ok(Some(1_000_000)));
    }

    #[actix_web::test]
    async fn what_fails_at_once_is_a_problem_and_what_fails_later_breaks_off() {
        let fail = || -> Result<(), End> { Err(Problem::new(problem::FULL).into()) };
        assert_eq!(got(move |sink| sink.line(&1).and_then(|()| fail())).await, Err("api.full"));
        assert_eq!(got(move |sink| sink.write(&vec![0; CHUNK]).and_then(|()| fail())).await, Ok(None));
        assert_eq!(got(|_| panic!("a fault of ours")).await, Err("api.internal"));
        let late = got(|sink| {
            sink.write(&vec![0; CHUNK])?;
            panic!("a fault of ours")
        });
        assert_eq!(late.await, Ok(None));
    }

    #[actix_web::test]
    async fn bodies_are_read_on_another_thread() {
        let (sender, mut reader) = body();
        let read = web::block(move || {
            let mut text = String::new();
            let read = reader.read_to_string(&mut text);
            (text, read.map_err(|error| super::problem(error).code()))
        });
        for chunk in ["one ", "", "two"] {
            sender.send(Ok(Bytes::from_static(chunk.as_bytes()))).await.expect("a reader");
        }
        sender.send(Err(Problem::new(problem::TIMEOUT))).await.expect("a reader");
        drop(sender);
        assert_eq!(read.await.expect("no panic"), ("one two".to_owned(), Err("api.timeout")));
    }
}
