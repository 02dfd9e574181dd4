//! Bodies of records: cut apart as they come, judged by several threads, and handed on in their order, round by round.
//!
//! Memory is bounded: a round is small, and a record is never larger than the reader allows. What is made of the records
//! is for the routes to say.

use std::{
    io::{self, Read},
    ops::Range,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use quipu_notation::record::{Chunk, Format, Reader};
use quipu_referee::{Lang, Status};
use tokio::runtime::Handle;

use super::records::LARGE;
use crate::{
    budget::Reservation,
    client::Client,
    limits,
    permits::{Permit, Permits},
    problem::{self, Document, Problem},
    request::RequestContext,
    route::NDJSON,
    service::Service,
    stream,
    telemetry::RequestId,
};
use quipu_archive::model::Submission;

/// Bytes of an unfinished record that are not counted.
const UNCOUNTED: usize = 256 * 1024;
/// Bytes of records that one thread judges in a round.
const PART: usize = 128 * 1024;
/// Blocks that one thread judges in a round at the most, so that no line waits long for those behind it.
const BLOCKS: usize = 128;

/// The form that a body is said to be in: by `from`, or else by a media type that leaves no other. Nothing is said of
/// plain text: its form is found from how it begins.
pub(super) fn form(context: &RequestContext) -> Option<Format> {
    context.text("from").and_then(Format::parse).or(match &*context.body_media {
        "application/json" | NDJSON => Some(Format::Json),
        "text/csv" => Some(Format::Csv),
        _ => None,
    })
}

fn reader<R: Read>(source: R, form: Option<Format>) -> Reader<R> {
    match form {
        Some(form) => Reader::with_form(source, form),
        None => Reader::new(source),
    }
}

/// What a body comes to that may be a single record.
pub(super) enum SingleRecord {
    /// There is none.
    Nothing,
    /// It is one.
    One(Box<Submission>),
    /// There are more.
    Several,
}

impl SingleRecord {
    /// Looks into a body as far as is needed to tell.
    pub(super) fn of(body: &[u8], form: Option<Format>) -> Self {
        let mut reader = reader(body, form);
        let mut found = Self::Nothing;
        // Memory can be read without failing.
        while let Ok(Some(block)) = reader.next_block() {
            for submission in Submission::all(&block) {
                match found {
                    Self::Nothing => found = Self::One(Box::new(submission)),
                    _ => return Self::Several,
                }
            }
        }
        found
    }
}

/// That there is no record where there should be one.
pub(super) fn nothing() -> Problem {
    Problem::variant(problem::BODY, "nothing")
}

/// What a thread that answers must know of the request.
pub(crate) struct Asked {
    service: Arc<Service>,
    id: RequestId,
    pub(super) lang: Lang,
}

impl Asked {
    pub(crate) fn of(context: &RequestContext) -> Self {
        Self { service: Arc::clone(&context.service), id: context.id.clone(), lang: context.lang }
    }

    /// Counts a verdict.
    pub(crate) fn count(&self, status: Status) {
        self.service.metrics.verdicts(status, 1);
    }

    /// A problem as the last line of an answer that has begun.
    pub(super) fn line(&self, problem: &Problem) -> Document {
        self.service.note(problem);
        problem.document(self.lang, self.id.as_str())
    }
}

/// Makes something of each record of a block, of the first so many at the most.
pub(crate) type Judge<T> = fn(&Chunk<'_>, usize) -> Vec<T>;

/// A body that goes on failing once it has failed, so that what is left of it is not taken for its end. The reader holds
/// what has come of an unfinished record, which is counted.
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

/// Memory that the reader holds of a record that has not come to its end.
struct Unfinished {
    bytes: usize,
    /// Nothing where the body is there as a whole, and counted so.
    reserved: Option<Reservation>,
}

impl Unfinished {
    fn count(&mut self, bytes: usize) -> Result<(), Problem> {
        self.bytes += bytes;
        // The reader doubles its buffer as it grows.
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
    /// The permits for large records, for routes that anybody may ask.
    large: Option<Permits>,
    client: Option<Client>,
    /// Held for all rounds, if nobody waits for the body. Otherwise each round waits for one.
    turn: Option<Permit>,
    patience: Duration,
    max: usize,
    /// How many have come.
    read: usize,
    /// There are more than may be.
    over: bool,
    /// Why the body ends before its end.
    failed: Option<Problem>,
}

/// What one thread judges.
#[derive(Default)]
struct Part {
    text: Vec<u8>,
    blocks: Vec<(Chunk<'static>, Range<usize>)>,
}

impl Part {
    fn push(&mut self, block: &Chunk<'_>) {
        let start = self.text.len();
        self.text.extend_from_slice(block.text());
        self.blocks.push((block.with_text(&[]), start..self.text.len()));
    }

    fn is_full(&self) -> bool {
        self.text.len() >= PART || self.blocks.len() >= BLOCKS
    }

    fn judged<T>(&self, judge: Judge<T>, most: usize) -> impl Iterator<Item = T> {
        let blocks = self.blocks.iter().map(|(block, range)| block.with_text(&self.text[range.clone()]));
        blocks.flat_map(move |block| judge(&block, most)).take(most)
    }
}

impl<R: Read, T: Send> Ingest<R, T> {
    pub(crate) fn new(context: &RequestContext, source: R, judge: Judge<T>) -> Self {
        let (settings, limits) = (context.settings(), &context.service.limits);
        let unfinished = Arc::new(Mutex::new(Unfinished { bytes: 0, reserved: None }));
        Self {
            reader: reader(Body { source, broken: false, unfinished: Arc::clone(&unfinished) }, form(context)),
            unfinished,
            judge,
            permits: context.permits().clone(),
            large: context.is_background().then(|| limits.large_record_permits.clone()),
            client: context.client,
            turn: None,
            patience: settings.query_timeout,
            max: settings.max_records,
            read: 0,
            over: false,
            failed: None,
        }
    }

    /// The same for a body that is judged as it comes: what the reader holds of it counts among all bodies.
    pub(crate) fn counting_unfinished(self, context: &RequestContext) -> Self {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).reserved =
            Some(context.service.limits.body_reservation());
        self
    }

    /// The same for a body that is there as a whole. It is judged in one turn, for which no thread has waited: who has been
    /// let in does not queue again for each round behind all the others, and nothing is made ready before it is needed.
    pub(crate) fn at_once(self, turn: Permit) -> Self {
        Self { turn: Some(turn), ..self }
    }

    /// What was made of the next records; nothing at the end of the body. To be called on a thread that may block.
    ///
    /// # Errors
    /// If the body fails, has no record at all, or more than it may, or if too much is going on to begin with it.
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

    /// Reads what can be judged at once. When the body fails, all that was whole before is still judged.
    fn gather(&mut self) -> Vec<Part> {
        let (mut parts, mut part) = (Vec::new(), Part::default());
        while parts.len() < limits::cores() {
            match self.reader.next_block() {
                Ok(Some(block)) => {
                    part.push(&block);
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
        parts.extend(Some(part).filter(|part| !part.blocks.is_empty()));
        parts
    }

    /// Judges all parts, by as many threads as are free.
    fn judged(&mut self, parts: &[Part]) -> Result<Vec<T>, Problem> {
        let large = self.large.clone().filter(|_| parts.iter().any(|part| part.text.len() > LARGE));
        if large.is_some() {
            // All take the permit for large records first: who waited for it with another would keep those who have it waiting.
            self.turn = None;
        }
        let _large = large.map(|large| self.wait_for(&large)).transpose()?;
        let _turn = if self.turn.is_none() { Some(self.wait_for(&self.permits)?) } else { None };
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

    /// Waits for a turn: not for ever to begin with it, and as long as it takes to go on.
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

    /// How many turns are free after each round of a body of three, where there is one.
    async fn free_after_rounds(at_once: bool) -> Vec<usize> {
        let permits = Permits::new(1, 1);
        let body = "[Game \"andes\"]\n\n1. a\n\n".repeat(2 * limits::cores() * BLOCKS + 1);
        let unfinished = Arc::new(Mutex::new(Unfinished { bytes: 0, reserved: None }));
        let source = Body { source: Cursor::new(body), broken: false, unfinished: Arc::clone(&unfinished) };
        let mut ingest = Ingest {
            reader: reader(source, Some(Format::Quipu)),
            unfinished,
            judge: |_, _| vec![()],
            permits: permits.clone(),
            large: None,
            client: None,
            turn: at_once.then(|| permits.try_acquire(None).expect("it is free")),
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

    /// Permits are taken in one order, so that nobody waits for another who waits for them.
    #[actix_web::test]
    async fn a_turn_is_given_back_before_the_permit_for_large_records_is_waited_for() {
        let [permits, large] = [(); 2].map(|()| Permits::new(1, 8));
        let held = large.try_acquire(None).expect("it is free");
        let small = "[Game \"andes\"]\n\n1. a\n\n".repeat(2 * limits::cores() * BLOCKS);
        let body = format!("{small}[Game \"andes\"]\n\n{}", "{x}\n".repeat(LARGE));
        let unfinished = Arc::new(Mutex::new(Unfinished { bytes: 0, reserved: None }));
        let source = Body { source: Cursor::new(body), broken: false, unfinished: Arc::clone(&unfinished) };
        let mut ingest = Ingest {
            reader: reader(source, Some(Format::Quipu)),
            unfinished,
            judge: |_, _| vec![()],
            permits: permits.clone(),
            large: Some(large.clone()),
            client: None,
            turn: permits.try_acquire(None),
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
