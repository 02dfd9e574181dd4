//! Streams between a worker thread and the client: long responses and long bodies. The buffers in between are bounded,
//! so the writer waits for the reader.

use std::{
    io::{self, Read, Write},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use actix_web::{
    body::{BodyStream, BoxBody},
    web::Bytes,
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

/// Bytes per chunk.
const CHUNK: usize = 32 * 1024;
/// Most chunks that wait.
pub(super) const WAITING: usize = 4;
/// Most chunks that wait in the response to a long body: many clients read nothing before they have sent everything.
pub(super) const WAITING_FOR_BODY: usize = 512;

/// Interval between two attempts to reserve memory for a chunk.
const PAUSE: Duration = Duration::from_millis(20);

/// The reason that a response ends early.
#[derive(Debug)]
pub(crate) enum End {
    /// The client disconnected, or read nothing for too long.
    Gone,
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

/// The pace of a long response. Between two chunks other requests get the permit, and the token is checked again.
pub(super) struct Pace {
    service: Arc<Service>,
    /// The token of the request.
    bearer: Option<Bearer>,
    client: Option<Client>,
    /// True if the work is a query of the archive, which needs a permit.
    is_query: bool,
    begun: bool,
    held: Option<(Permit, Option<Permit>)>,
}

impl Pace {
    pub(super) fn new(service: Arc<Service>, bearer: Option<Bearer>, client: Option<Client>, is_query: bool) -> Self {
        Self { service, bearer, client, is_query, begun: false, held: None }
    }

    /// Waits for a permit: with a timeout at the beginning, and without one later.
    ///
    /// # Errors
    /// `api.busy` without a permit in time, `api.token` for a revoked token, or the error of the archive.
    pub(super) async fn resume(&mut self) -> Result<(), Problem> {
        if let Some(bearer) = self.bearer.as_ref().filter(|_| self.begun) {
            self.service
                .store
                .read_within(self.service.settings.query_timeout, |reading| bearer.check_in_read(reading))?;
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

    /// Returns the permit.
    fn pause(&mut self) {
        self.held = None;
    }
}

/// The writing end of a long response.
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
    /// If the client reads no more.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), End> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    /// Writes a line of JSON.
    ///
    /// # Errors
    /// If the client reads no more.
    pub(crate) fn line(&mut self, value: &impl Serialize) -> Result<(), End> {
        // Chunk by chunk: a line can be larger than the whole buffer.
        quipu_referee::report::write(value, SinkWriter(self)).map_err(|_| End::Gone)
    }

    /// Sends the buffered bytes.
    ///
    /// # Errors
    /// If the client reads no more.
    pub(crate) fn flush(&mut self) -> Result<(), End> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut chunk = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK));
        let begun = Instant::now();
        // The first chunks need no reservation, so that every response makes progress; further ones do.
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

    /// Does work without a permit for queries, so that other requests get it.
    ///
    /// # Errors
    /// The error of `work`, or the reason that the response cannot go on.
    pub(crate) fn without_permit<T>(&mut self, work: impl FnOnce() -> Result<T, End>) -> Result<T, End> {
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

/// Writes JSON to a long response.
pub(crate) struct SinkWriter<'s>(pub(crate) &'s mut Sink);

impl Write for SinkWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The body that `write` writes on another thread. A client that leaves `waiting` chunks unread for longer than
/// `patience` is disconnected.
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
            // A client that has gone gets no error.
            drop(sink.send(Err(end)));
        }
        Ok(())
    };
    let work = if is_background {
        permits::in_background(work).boxed_local()
    } else {
        permits::in_foreground(work).boxed_local()
    };
    // A thread that panics leaves an empty channel, which would look like a regular end.
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
            tracing::error!(why, "response broken off");
            io::Error::other(why)
        });
        Some((next, (chunks, work)))
    });
    let whole = stream::once(std::future::ready(Ok(first))).chain(rest);
    Ok(BoxBody::new(BodyStream::new(Box::pin(whole))))
}

/// A body that another thread reads.
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

/// A problem as the error of a reader.
pub(crate) fn failed(problem: Problem) -> io::Error {
    io::Error::other(Failed(problem))
}

/// The problem behind the error of a [`BodyReader`].
pub(crate) fn problem(error: io::Error) -> Problem {
    match error.downcast::<Failed>() {
        Ok(Failed(problem)) => problem,
        Err(_) => Problem::variant(problem::BODY, "broken"),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{body::to_bytes, web};

    use super::*;
    use quipu_archive::store::Store;
    use quipu_options::settings::Settings;

    /// The result for the client: the problem, or the number of bytes if the response is complete.
    async fn got(
        write: impl FnOnce(&mut Sink) -> Result<(), End> + Clone + Send + 'static,
    ) -> Result<Option<usize>, &'static str> {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let settings = Settings { max_streams: 1, max_work: 1, ..Settings::default() };
        let service = Service::new(settings, store, Vec::new()).expect("it starts");
        let limits = &service.limits;
        let (patience, mut got) = (Duration::from_secs(5), Vec::new());
        // In the background or not, it returns its slot and its permits.
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
    async fn an_early_failure_is_a_problem_and_a_late_one_breaks_off() {
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
