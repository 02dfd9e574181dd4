//! One thread reads and splits the input, others judge it, and the results come out in the order of the input. The reading thread
//! judges too whenever enough batches wait, so that all threads have the same share of the work; an input of one batch it judges
//! alone, without starting others.
//!
//! Memory is bounded: a full batch is passed on, few batches wait, and the reader limits the size of a record. A
//! command says by its [`Work`] how a chunk is judged and what becomes of the results.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal},
    num::NonZero,
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use indicatif::{ProgressBar, ProgressStyle};
use quipu_notation::record::Chunk;

use crate::{
    context::{CommandError, Context},
    input::{Failure, InputSource, ReadOptions},
    part,
    skipped_files::SkippedFiles,
};

/// Bytes of records in a batch for a worker.
const BATCH: usize = 128 * 1024;
/// Verdicts that a thread holds at once; a batch of text can hold very many records.
const SLICE: usize = 64;
/// Inputs longer than this get a progress bar.
const LONG: u64 = 16 * 1024 * 1024;

/// The work of a command on records, on any thread.
pub(crate) trait Work: Sync {
    /// A judged record.
    type Item<'b>;
    /// The result for a slice of records.
    type SliceResult: Send;
    /// True if the result is printed as it comes: on a terminal it then replaces the progress bar.
    const PRINTS: bool = true;

    /// Judges the records of some chunks.
    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Item<'b>>;

    /// Sees the records of a slice, one slice after another in the order of the input. Meanwhile other threads wait.
    fn in_order(&self, _source: &InputSource, _before: RecordCount, _records: &mut [Self::Item<'_>]) {}

    /// Makes the result for a slice.
    fn slice_result(&self, slice: Slice<'_, Self::Item<'_>>) -> Self::SliceResult;
}

/// Records of one source that were judged together, in the order of the input.
pub(crate) struct Slice<'b, R> {
    pub(crate) source: &'b InputSource,
    /// True for the first slice of the source.
    pub(crate) first: bool,
    /// Number of records before them.
    pub(crate) before: RecordCount,
    pub(crate) records: Vec<R>,
    /// Names of the parts of the source.
    pub(crate) parts: &'b Arc<[String]>,
}

impl<R> Slice<'_, R> {
    /// The name of the source, with that of the part that a chunk is in.
    pub(crate) fn name_of(&self, chunk: &Chunk<'_>) -> String {
        part::name(&self.source.name(), self.parts, chunk)
    }
}

/// The outcome of reading all sources.
#[derive(Debug, Default)]
pub(crate) struct ReadOutcome {
    pub(crate) records: u64,
    /// Sources without a record, and files in a zip that are not read.
    pub(crate) skipped: SkippedFiles,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordCount {
    /// Records of the same source.
    pub(crate) in_source: u64,
    /// Records of all sources.
    pub(crate) in_all: u64,
}

/// Takes the result for a slice and, at the end of a source that failed, the reason.
pub(crate) type SliceSink<'s, R> = dyn FnMut(R, Option<Failure>) -> Result<(), CommandError> + Send + 's;

/// The text of a batch, and its chunks with their ranges in it.
struct Chunks {
    text: Vec<u8>,
    ranges: Vec<(Chunk<'static>, Range<usize>)>,
}

impl Chunks {
    fn new() -> Self {
        Self { text: Vec::with_capacity(BATCH), ranges: Vec::new() }
    }

    fn push(&mut self, chunk: &Chunk<'_>) {
        let start = self.text.len();
        self.text.extend_from_slice(chunk.text());
        self.ranges.push((chunk.with_text(&[]), start..self.text.len()));
    }

    fn iter(&self) -> impl Iterator<Item = Chunk<'_>> {
        self.ranges.iter().map(|(chunk, range)| chunk.with_text(&self.text[range.clone()]))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ranges.clear();
    }
}

/// Chunks of one source that are judged together.
struct ChunkBatch<'s> {
    turn: u64,
    source: &'s InputSource,
    first: bool,
    chunks: Chunks,
    failure: Option<Failure>,
    parts: Arc<[String]>,
    /// True for the last batch of the source.
    ends: bool,
    /// Files that are left out of a zip, in the last batch.
    skipped: Arc<[String]>,
}

impl<'s> ChunkBatch<'s> {
    /// A batch in the memory of judged chunks.
    fn new(turn: u64, source: &'s InputSource, first: bool, chunks: Chunks) -> Self {
        Self { turn, source, first, chunks, failure: None, parts: Arc::from([]), ends: false, skipped: Arc::from([]) }
    }

    /// Notes what has no record in it, at the end of the source.
    fn add_skipped(&self, count: RecordCount, skipped: &mut SkippedFiles) {
        if count.in_source == 0 {
            skipped.add_without_record(&self.source.name(), self.source.size());
        }
        for file in &*self.skipped {
            skipped.add_zip_entry(&self.source.name(), file);
        }
    }
}

/// Judges all records of all sources; `sink` takes the results of `work` in the order of the input.
pub(crate) fn run<W: Work>(
    context: Context,
    jobs: NonZero<usize>,
    sources: &[InputSource],
    reading: ReadOptions,
    work: &W,
    sink: &mut SliceSink<'_, W::SliceResult>,
) -> Result<ReadOutcome, CommandError> {
    let waiting = BatchQueue::new(jobs.get());
    let numbers = Turnstile::new((RecordCount::default(), SkippedFiles::default()));
    let printed = Turnstile::new((sink, None));
    let bar = progress(sources, W::PRINTS);
    let judge = |batch: ChunkBatch<'_>| {
        let goes_on = judge(&batch, work, &numbers, &printed, &bar);
        waiting.recycle(batch.chunks);
        goes_on
    };
    let judge_all = || {
        let _guard = (numbers.guard(), printed.guard());
        while waiting.take().is_some_and(judge) {}
    };
    std::thread::scope(|scope| {
        let _guard = (numbers.guard(), printed.guard());
        let mut others = 0..jobs.get() - 1;
        let mut is_alone = true;
        let last = waiting.closed_at_end();
        read(context, sources, reading, &|| waiting.recycled(), &mut |batch, is_last| {
            if is_alone && (is_last || others.is_empty()) {
                return judge(batch);
            }
            is_alone = false;
            others.by_ref().for_each(|_| drop(scope.spawn(judge_all)));
            // The oldest batch, since later ones have to wait for its results.
            waiting.add(batch).is_none_or(judge)
        });
        drop(last);
        judge_all();
    });
    bar.finish_and_clear();
    let (_, ended) = printed.into_inner();
    let (count, skipped) = numbers.into_inner();
    ended.map_or(Ok(ReadOutcome { records: count.in_all, skipped }), Err)
}

/// Reads and splits all sources. `memory` provides empty chunks; `take` takes each batch, and is told if it is the last of all; it
/// returns false to stop.
fn read<'s>(
    context: Context,
    sources: &'s [InputSource],
    reading: ReadOptions,
    memory: &dyn Fn() -> Chunks,
    take: &mut dyn FnMut(ChunkBatch<'s>, bool) -> bool,
) {
    let mut turns = 0..;
    let mut next = |source, first| ChunkBatch::new(turns.next().unwrap_or_default(), source, first, memory());
    for (index, source) in sources.iter().enumerate() {
        let mut batch = next(source, true);
        let ended = source.reader(reading).and_then(|mut reader| {
            while let Some(chunk) = reader.next_chunk()? {
                batch.chunks.push(&chunk);
                if chunk.part().is_some() {
                    batch.parts = reader.parts();
                }
                if batch.chunks.text.len() >= BATCH {
                    let full = std::mem::replace(&mut batch, next(source, false));
                    if !take(full, false) {
                        return Ok(false);
                    }
                }
            }
            batch.skipped = reader.skipped();
            Ok(true)
        });
        batch.ends = true;
        batch.failure = ended.as_ref().err().map(|error| Failure::of(context, source, error));
        if matches!(ended, Ok(false)) || !take(batch, index + 1 == sources.len()) {
            return;
        }
    }
}

/// Judges a batch, numbers its records and passes them on. Returns false to stop.
fn judge<W: Work>(
    batch: &ChunkBatch<'_>,
    work: &W,
    numbers: &Turnstile<(RecordCount, SkippedFiles)>,
    printed: &Turnstile<(&mut SliceSink<'_, W::SliceResult>, Option<CommandError>)>,
    bar: &ProgressBar,
) -> bool {
    let mut verdicts = work.records(batch.chunks.iter()).peekable();
    let mut first = batch.first;
    loop {
        // Growing step by step copies all records again and again.
        let mut records = Vec::with_capacity(batch.chunks.ranges.len().min(SLICE));
        records.extend(verdicts.by_ref().take(SLICE));
        let last = verdicts.peek().is_none();
        // Numbers continue those of the batch before, which has counted its records by now.
        let before = numbers.pass(batch.turn, last, |(count, skipped)| {
            if first {
                count.in_source = 0;
            }
            let before = *count;
            count.in_source += records.len() as u64;
            count.in_all += records.len() as u64;
            work.in_order(batch.source, before, &mut records);
            if last && batch.ends && batch.failure.is_none() {
                batch.add_skipped(*count, skipped);
            }
            before
        });
        let Some(before) = before else { return false };
        let result = work.slice_result(Slice {
            source: batch.source,
            first: std::mem::take(&mut first),
            before,
            records,
            parts: &batch.parts,
        });
        let failure = batch.failure.clone().filter(|_| last);
        let ended = printed.pass(batch.turn, last, |(sink, ended)| {
            // Messages on standard error must not mix with the bar.
            *ended = bar.suspend(|| sink(result, failure)).err();
            ended.is_some()
        });
        if ended != Some(false) {
            numbers.open();
            printed.open();
            return false;
        }
        if last {
            bar.inc(batch.chunks.text.len() as u64);
            return true;
        }
    }
}

/// A progress bar on standard error for long inputs, if that is a terminal.
fn progress(sources: &[InputSource], prints: bool) -> ProgressBar {
    let sizes: Vec<_> = sources.iter().map(InputSource::size).collect();
    let total: u64 = sizes.iter().flatten().sum();
    let known = sizes.iter().all(Option::is_some);
    if (prints && io::stdout().is_terminal()) || (known && total < LONG) || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = if known { "{bar:40} {bytes}/{total_bytes} {eta}" } else { "{spinner} {bytes} {elapsed}" };
    let bar = if known { ProgressBar::new(total) } else { ProgressBar::new_spinner() };
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Batches that wait for a thread.
struct BatchQueue<'s> {
    state: Mutex<QueueState<'s>>,
    changed: Condvar,
    most: usize,
}

struct QueueState<'s> {
    batches: VecDeque<ChunkBatch<'s>>,
    /// Memory of judged batches. Freed, it would go back to the system, which clears each page again for the next batch.
    recycled: Vec<Chunks>,
    /// No batch will be added any more.
    closed: bool,
}

impl<'s> BatchQueue<'s> {
    /// A queue of so many batches.
    fn new(most: usize) -> Self {
        Self {
            state: Mutex::new(QueueState { batches: VecDeque::new(), recycled: Vec::new(), closed: false }),
            changed: Condvar::new(),
            most,
        }
    }

    /// Adds a batch; returns the oldest if there are too many.
    fn add(&self, batch: ChunkBatch<'s>) -> Option<ChunkBatch<'s>> {
        let QueueState { batches, .. } = &mut *lock(&self.state);
        batches.push_back(batch);
        self.changed.notify_one();
        if batches.len() > self.most { batches.pop_front() } else { None }
    }

    /// Waits for the oldest batch; `None` if there will be none.
    fn take(&self) -> Option<ChunkBatch<'s>> {
        let state = lock(&self.state);
        let mut state = self
            .changed
            .wait_while(state, |state| state.batches.is_empty() && !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        state.batches.pop_front()
    }

    /// Keeps the memory of judged chunks, unless a large record is among them, or very many small ones.
    fn recycle(&self, mut chunks: Chunks) {
        let ranges = chunks.ranges.capacity() * size_of::<(Chunk<'_>, Range<usize>)>();
        if chunks.text.capacity() <= 2 * BATCH && ranges <= 4 * BATCH {
            chunks.clear();
            lock(&self.state).recycled.push(chunks);
        }
    }

    /// Empty chunks, in the memory of judged ones if there are any.
    fn recycled(&self) -> Chunks {
        lock(&self.state).recycled.pop().unwrap_or_else(Chunks::new)
    }

    /// Closes the queue when the returned guard is dropped, also by a panic.
    fn closed_at_end(&self) -> impl Drop + '_ {
        QueueEnd(self)
    }
}

struct QueueEnd<'q, 's>(&'q BatchQueue<'s>);

impl Drop for QueueEnd<'_, '_> {
    fn drop(&mut self) {
        lock(&self.0.state).closed = true;
        self.0.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets threads through one by one, in the order of their turns.
struct Turnstile<T> {
    state: Mutex<TurnstileState<T>>,
    moved: Condvar,
}

struct TurnstileState<T> {
    turn: u64,
    /// A thread panicked, or the output ended: nobody waits any more.
    broken: bool,
    value: T,
}

impl<T> Turnstile<T> {
    fn new(value: T) -> Self {
        Self { state: Mutex::new(TurnstileState { turn: 0, broken: false, value }), moved: Condvar::new() }
    }

    /// Waits for `turn` and runs `work` on the value; `None` if the turn will never come. The turn ends if this is its
    /// last work.
    fn pass<R>(&self, turn: u64, last: bool, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let state = lock(&self.state);
        let mut state = self
            .moved
            .wait_while(state, |state| state.turn != turn && !state.broken)
            .unwrap_or_else(PoisonError::into_inner);
        if state.broken {
            return None;
        }
        let result = work(&mut state.value);
        state.turn += u64::from(last);
        self.moved.notify_all();
        Some(result)
    }

    /// Opens the turnstile for good: no turn will come any more.
    fn open(&self) {
        lock(&self.state).broken = true;
        self.moved.notify_all();
    }

    /// Opens the turnstile if the current thread panics.
    fn guard(&self) -> impl Drop + '_ {
        Guard(self)
    }

    fn into_inner(self) -> T {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }
}

struct Guard<'t, T>(&'t Turnstile<T>);

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.open();
        }
    }
}
