//! Ingestion of records: a body is split into records as it arrives, several threads judge them, and batches come out
//! in their order.
//!
//! Memory is bounded: batches are small, and a record never exceeds the limit of the reader.

use std::{
    io::{self, Read, Write},
    net::IpAddr,
    ops::Range,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use quipu_notation::record::{Chunk, Encoding, Format, Reader};
use quipu_referee::{Lang, Status};
use tokio::runtime::Handle;

use super::records::LARGE;
use crate::{
    auth::Bearer,
    budget::Reservation,
    client::Client,
    limits::{self, cost_of_body},
    permits::{Permit, Permits},
    problem::{self, Problem, ProblemDocument},
    request::RequestContext,
    route::NDJSON,
    service::Service,
    stream,
    telemetry::RequestId,
};
use quipu_archive::model::SingleRecord;

/// Bytes of an unfinished record that need no reservation.
const UNCOUNTED: usize = 256 * 1024;
/// Bytes of records that one thread judges per batch.
const PART: usize = 128 * 1024;
/// Most chunks that one thread judges per batch, so that no line of the response waits long for those after it.
const BLOCKS: usize = 128;

/// Format and encoding of a body. Without a format or an encoding, its content decides.
#[derive(Clone, Default)]
pub(crate) struct BodyFormat {
    format: Option<Format>,
    encoding: Option<Encoding>,
    unpacking: Option<Unpacking>,
}

impl BodyFormat {
    /// The same with a format or an encoding that was chosen for the body.
    #[must_use]
    pub(crate) fn with(self, format: Option<Format>, encoding: Option<Encoding>) -> Self {
        Self { format: format.or(self.format), encoding: encoding.or(self.encoding), ..self }
    }
}

/// The client and the service for which a compressed body is decompressed. Counted uncompressed, it has the limits of any
/// other body: its size, the memory of all bodies, and the quota of the client.
#[derive(Clone)]
struct Unpacking {
    service: Arc<Service>,
    bearer: Option<Bearer>,
    address: Option<IpAddr>,
    is_judged: bool,
}

impl Unpacking {
    fn of(context: &RequestContext) -> Self {
        Self {
            service: Arc::clone(&context.service),
            bearer: context.bearer.clone(),
            address: context.address,
            is_judged: context.route.access.is_reading(),
        }
    }

    /// Counts uncompressed bytes, until the reader is dropped.
    fn count(self) -> impl FnMut(usize) -> io::Result<()> + Send + Sync {
        let mut reserved = self.service.limits.body_reservation();
        let mut total = 0;
        move |bytes| {
            let cost = cost_of_body(total + bytes) - cost_of_body(total);
            total += bytes;
            reserved.grow_within(total).map_err(stream::failed)?;
            if self.is_judged && cost > 0 {
                let charged = self.service.limits.charge(self.bearer.as_ref(), self.address, cost);
                charged.map_err(stream::failed)?;
            }
            Ok(())
        }
    }
}

/// The format of a body: that of `from`, or else of a media type that allows only one. The format of plain text, and of
/// compressed bodies, is recognized from their beginning. The encoding is that of the parameter `charset` of the media type.
pub(crate) fn body_format(context: &RequestContext) -> BodyFormat {
    let format = context.text("from").and_then(Format::parse).or(match &*context.body_media {
        "application/json" | NDJSON => Some(Format::Json),
        "text/csv" | "text/tab-separated-values" => Some(Format::Csv),
        _ => None,
    });
    let unpacking = Some(Unpacking::of(context));
    BodyFormat { format, unpacking, encoding: context.body_charset().and_then(|charset| Encoding::find(&charset)) }
}

/// The format of a file in a form, which its content decides.
pub(crate) fn form_of_file(context: &RequestContext) -> BodyFormat {
    BodyFormat { unpacking: Some(Unpacking::of(context)), ..BodyFormat::default() }
}

pub(crate) fn reader<R: Read>(source: R, form: BodyFormat) -> Reader<R> {
    let reader = match form.format {
        Some(format) => Reader::with_format(source, format),
        None => Reader::new(source),
    };
    let reader = match form.encoding {
        Some(encoding) => reader.with_encoding(encoding),
        None => reader,
    };
    match form.unpacking {
        Some(unpacking) => {
            let most = unpacking.service.settings.max_body as u64;
            reader.with_limit(most).with_memory_callback(Box::new(unpacking.count()))
        }
        None => reader,
    }
}

/// The record of a body that is to have one.
///
/// # Errors
/// If it is compressed, and there is no memory to decompress it.
pub(super) fn single_record(body: &[u8], form: BodyFormat) -> Result<SingleRecord, Problem> {
    SingleRecord::read(&mut reader(body, form)).map_err(stream::problem)
}

/// The problem of a body without any record.
pub(crate) fn nothing() -> Problem {
    Problem::variant(problem::BODY, "nothing")
}

/// The data of a request that other threads need.
pub(crate) struct RequestInfo {
    service: Arc<Service>,
    id: RequestId,
    pub(super) lang: Lang,
}

impl RequestInfo {
    pub(crate) fn of(context: &RequestContext) -> Self {
        Self { service: Arc::clone(&context.service), id: context.id.clone(), lang: context.lang }
    }

    /// Counts a verdict for the metrics.
    pub(crate) fn count(&self, status: Status) {
        self.service.metrics.verdicts(status, 1);
    }

    /// A problem as the last line of a response that has begun.
    pub(super) fn line(&self, problem: &Problem) -> ProblemDocument {
        self.service.note(problem);
        problem.document(self.lang, self.id.as_str())
    }
}

/// Processes the records of a chunk, up to a number of them.
pub(crate) type Judge<T> = fn(&Chunk<'_>, usize) -> Vec<T>;

/// A body that keeps failing once it has failed, so that its rest is not taken for its end. Bytes of an unfinished
/// record, which the reader buffers, are counted.
struct Body<R> {
    source: R,
    broken: bool,
    unfinished: Arc<Mutex<Unfinished>>,
}

impl<R: Read> Read for Body<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let read = self.source.read(buffer).and_then(|read| {
            self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).count(read).map_err(stream::failed)?;
            Ok(read)
        });
        self.broken = read.is_err();
        read
    }
}

/// Memory of the reader for a record that has not ended yet.
struct Unfinished {
    bytes: usize,
    /// None for a body that is in memory already, and reserved.
    reserved: Option<Reservation>,
}

impl Unfinished {
    fn count(&mut self, bytes: usize) -> Result<(), Problem> {
        self.bytes += bytes;
        // The buffer of the reader doubles as it grows.
        match &mut self.reserved {
            Some(reserved) if self.bytes > UNCOUNTED => reserved.grow_within(2 * self.bytes),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) {
        self.bytes = 0;
        if let Some(reserved) = &mut self.reserved {
            reserved.shrink_to(0);
        }
    }
}

/// The records of a body.
pub(crate) struct Ingest<R, T> {
    reader: Reader<Body<R>>,
    unfinished: Arc<Mutex<Unfinished>>,
    judge: Judge<T>,
    permits: Permits,
    /// The permits for large records, on routes open to anybody.
    large: Option<Permits>,
    client: Option<Client>,
    /// Kept for all batches of a body in memory. For a body that arrives, each batch waits for a permit.
    permit: Option<Permit>,
    patience: Duration,
    max: usize,
    /// Number of records so far.
    read: usize,
    /// True if there are more records than allowed.
    over: bool,
    /// The reason that the body ends early.
    failed: Option<Problem>,
}

/// The chunks that one thread judges.
#[derive(Default)]
struct Part {
    text: Vec<u8>,
    chunks: Vec<(Chunk<'static>, Range<usize>)>,
}

impl Part {
    fn push(&mut self, chunk: &Chunk<'_>) {
        let start = self.text.len();
        self.text.extend_from_slice(chunk.text());
        self.chunks.push((chunk.with_text(&[]), start..self.text.len()));
    }

    fn is_full(&self) -> bool {
        self.text.len() >= PART || self.chunks.len() >= BLOCKS
    }

    fn judged<T>(&self, judge: Judge<T>, most: usize) -> impl Iterator<Item = T> {
        let chunks = self.chunks.iter().map(|(chunk, range)| chunk.with_text(&self.text[range.clone()]));
        chunks.flat_map(move |chunk| judge(&chunk, most)).take(most)
    }
}

impl<R: Read, T: Send> Ingest<R, T> {
    pub(crate) fn new(context: &RequestContext, source: R, judge: Judge<T>) -> Self {
        Self::in_format(context, source, judge, body_format(context))
    }

    /// The records of a body that is read in this format.
    pub(crate) fn in_format(context: &RequestContext, source: R, judge: Judge<T>, form: BodyFormat) -> Self {
        let (settings, limits) = (context.settings(), &context.service.limits);
        let unfinished = Arc::new(Mutex::new(Unfinished { bytes: 0, reserved: None }));
        Self {
            reader: reader(Body { source, broken: false, unfinished: Arc::clone(&unfinished) }, form),
            unfinished,
            judge,
            permits: context.permits().clone(),
            large: context.is_background().then(|| limits.large_record_permits.clone()),
            client: context.client,
            permit: None,
            patience: settings.query_timeout,
            max: settings.max_records,
            read: 0,
            over: false,
            failed: None,
        }
    }

    /// For a body that is judged as it arrives: reserves the memory of unfinished records.
    pub(crate) fn counting_unfinished(self, context: &RequestContext) -> Self {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).reserved =
            Some(context.service.limits.unfinished_reservation(context.bearer.is_some()));
        self
    }

    /// For a body in memory: keeps one permit for all batches, so that an accepted request does not queue again for
    /// each of them, and no batch is prepared early.
    pub(crate) fn at_once(self, permit: Permit) -> Self {
        Self { permit: Some(permit), ..self }
    }

    /// Lowers the number of records that a body may have.
    pub(crate) fn at_most(self, records: usize) -> Self {
        Self { max: self.max.min(records), ..self }
    }

    /// Copies all text that is read to a writer.
    pub(crate) fn copying(self, copy: Box<dyn Write + Send + Sync>) -> Self {
        Self { reader: self.reader.copying(copy), ..self }
    }

    /// The name of the sheet of a workbook, or of the file in a zip, that contains a chunk.
    pub(crate) fn part_name(&self, part: Option<usize>) -> Option<String> {
        let parts = self.reader.parts();
        parts.get(part?.checked_sub(1)?).filter(|name| !name.is_empty()).cloned()
    }

    /// The next batch; none at the end of the body. Blocks the thread.
    ///
    /// # Errors
    /// If the body fails, has no record or too many, or if no permit is free in time for the first batch.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Vec<T>>, Problem> {
        while !self.over {
            let parts = self.gather();
            if parts.is_empty() {
                return match self.failed.take() {
                    Some(problem) => Err(problem),
                    None if self.read == 0 => Err(nothing()),
                    None => Ok(None),
                };
            }
            let mut judged = self.judged(&parts)?;
            let left = self.max - self.read;
            self.over = judged.len() > left;
            judged.truncate(left);
            self.read += judged.len();
            if !judged.is_empty() {
                return Ok(Some(judged));
            }
        }
        Err(Problem::variant(problem::TOO_LARGE, "records").with("max", self.max))
    }

    /// Reads the next batch. If the body fails, the complete records before are still judged.
    fn gather(&mut self) -> Vec<Part> {
        let (mut parts, mut part) = (Vec::new(), Part::default());
        while parts.len() < limits::cores() {
            match self.reader.next_chunk() {
                Ok(Some(chunk)) => {
                    part.push(&chunk);
                    self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).finish();
                }
                Ok(None) => break,
                Err(_) if self.failed.is_some() => break,
                Err(error) => self.failed = Some(stream::problem(error)),
            }
            if part.is_full() {
                parts.push(std::mem::take(&mut part));
            }
        }
        parts.extend(Some(part).filter(|part| !part.chunks.is_empty()));
        parts
    }

    /// Judges a batch, on as many threads as have a permit.
    fn judged(&mut self, parts: &[Part]) -> Result<Vec<T>, Problem> {
        let large = self.large.clone().filter(|_| parts.iter().any(|part| part.text.len() > LARGE));
        if large.is_some() {
            // Every request takes the permit for large records first: one that waited for it with another permit would
            // block its owner.
            self.permit = None;
        }
        let _large = large.map(|large| self.wait_for(&large)).transpose()?;
        let _permit = if self.permit.is_none() { Some(self.wait_for(&self.permits)?) } else { None };
        let others: Vec<_> = parts.iter().skip(1).map_while(|_| self.permits.try_acquire(self.client)).collect();
        let (judge, most) = (self.judge, self.max - self.read + 1);
        let judged = |parts: &[Part]| parts.iter().flat_map(|part| part.judged(judge, most)).collect::<Vec<T>>();
        let share = parts.len().div_ceil(others.len() + 1);
        let (own, rest) = parts.split_at(share);
        Ok(thread::scope(|scope| {
            let threads: Vec<_> = rest.chunks(share.max(1)).map(|parts| scope.spawn(move || judged(parts))).collect();
            let mut all = judged(own);
            for thread in threads {
                all.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            all
        }))
    }

    /// Waits for a permit: with a timeout for the first batch, and without one later.
    fn wait_for(&self, permits: &Permits) -> Result<Permit, Problem> {
        let patience = Some(self.patience).filter(|_| self.read == 0);
        Handle::current().block_on(permits.acquire(self.client, patience))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use actix_web::web;

    use super::*;

    /// The number of free permits, of one, after each of three batches.
    async fn free_after_rounds(at_once: bool) -> Vec<usize> {
        let permits = Permits::new(1, 1);
        let body = "[Game \"andes\"]\n\n1. a\n\n".repeat(2 * limits::cores() * BLOCKS + 1);
        let unfinished = Arc::new(Mutex::new(Unfinished { bytes: 0, reserved: None }));
        let source = Body { source: Cursor::new(body), broken: false, unfinished: Arc::clone(&unfinished) };
        let mut ingest = Ingest {
            reader: reader(source, BodyFormat { format: Some(Format::Quipu), ..BodyFormat::default() }),
            unfinished,
            judge: |_, _| vec![()],
            permits: permits.clone(),
            large: None,
            client: None,
            permit: at_once.then(|| permits.try_acquire(None).expect("it is free")),
            patience: Duration::ZERO,
            max: usize::MAX - 1,
            read: 0,
            over: false,
            failed: None,
        };
        let rounds = web::block(move || {
            let mut free = Vec::new();
            while let Ok(Some(_)) = ingest.next_batch() {
                free.push(permits.free());
            }
            drop(ingest);
            free.push(permits.free());
            free
        });
        rounds.await.expect("no panic")
    }

    /// Permits are taken in one order, so that no two requests wait for each other.
    #[actix_web::test]
    async fn a_turn_is_given_back_before_the_permit_for_large_records_is_waited_for() {
        let [permits, large] = [(); 2].map(|()| Permits::new(1, 8));
        let held = large.try_acquire(None).expect("it is free");
        let small = "[Game \"andes\"]\n\n1. a\n\n".repeat(2 * limits::cores() * BLOCKS);
        let body = format!("{small}[Game \"andes\"]\n\n{}", "{x}\n".repeat(LARGE));
        let unfinished = Arc::new(Mutex::new(Unfinished { bytes: 0, reserved: None }));
        let source = Body { source: Cursor::new(body), broken: false, unfinished: Arc::clone(&unfinished) };
        let mut ingest = Ingest {
            reader: reader(source, BodyFormat { format: Some(Format::Quipu), ..BodyFormat::default() }),
            unfinished,
            judge: |_, _| vec![()],
            permits: permits.clone(),
            large: Some(large.clone()),
            client: None,
            permit: permits.try_acquire(None),
            patience: Duration::from_secs(20),
            max: usize::MAX - 1,
            read: 0,
            over: false,
            failed: None,
        };
        let judged = web::block(move || while let Ok(Some(_)) = ingest.next_batch() {});
        while permits.free() == 0 {
            actix_web::rt::time::sleep(Duration::from_millis(1)).await;
        }
        drop(held);
        judged.await.expect("no panic");
        assert_eq!([permits.free(), large.free()], [1, 1]);
    }

    #[actix_web::test]
    async fn a_body_that_is_there_keeps_its_turn_and_another_gives_it_back() {
        assert_eq!(free_after_rounds(true).await, [0, 0, 0, 1]);
        assert_eq!(free_after_rounds(false).await, [1, 1, 1, 1]);
    }
}
