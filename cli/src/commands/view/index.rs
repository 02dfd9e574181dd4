//! An index of all records: the place of each one, to read it again when it is shown.
//!
//! The index has one entry per chunk of the input and none of its text. A hash tells whether the text read again is
//! still the same.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read, Seek, SeekFrom},
    num::NonZero,
    ops::Range,
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Duration,
};

use quipu_notation::record::Chunk;
use quipu_referee::{
    Status, repaired,
    verify::{self, Ids, Judged},
};

use super::{
    game::{GameView, ListRow},
    query::{Direction, Query},
    state::ViewEvent,
};
use crate::{
    context::{CommandError, Context},
    input::{InputSource, ReadOptions},
    part,
    pool::{self, Slice, Work},
    readings,
    styled::Styled,
};

/// Interval at which a search looks for chunks that are not indexed yet.
const PATIENCE: Duration = Duration::from_millis(20);

/// The index of all records of the sources.
pub(super) struct RecordIndex {
    context: Context,
    reading: ReadOptions,
    sources: Vec<InputSource>,
    read: RwLock<IndexedChunks>,
}

/// The chunks indexed so far.
#[derive(Default)]
struct IndexedChunks {
    chunks: Vec<ChunkLocation>,
    records: usize,
    /// First record of each source that was begun.
    sources: Vec<usize>,
    /// Names of the parts of these sources.
    parts: Vec<Arc<[String]>>,
    ended: bool,
}

#[derive(Clone, Copy)]
struct ChunkLocation {
    /// The chunk without its text.
    chunk: Chunk<'static>,
    length: usize,
    /// Hash of the text without trailing white space.
    hash: u64,
    source: usize,
    /// Its first record.
    first: usize,
}

/// Chunks and statuses of a slice of records.
struct IndexedSlice {
    /// True for the first slice of its source.
    first: bool,
    /// Chunks that begin in the slice: each with its length, its hash and the index of its first record in the slice.
    chunks: Vec<(Chunk<'static>, usize, u64, usize)>,
    statuses: Vec<Status>,
    /// Names of the parts of the source.
    parts: Arc<[String]>,
}

/// Judges every record and keeps its status.
struct Indexing;

impl Work for Indexing {
    /// True for the first record of a chunk, the chunk, and the status.
    type Item<'b> = (bool, Chunk<'b>, Status);
    type SliceResult = IndexedSlice;

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Item<'b>> {
        let mut last = None;
        verify::chunks(chunks, Ids::Skipped).map(move |(chunk, judged)| {
            let begins = last.replace(chunk.offset()) != Some(chunk.offset());
            (begins, chunk, judged.verdict.status)
        })
    }

    fn slice_result(&self, slice: Slice<'_, Self::Item<'_>>) -> IndexedSlice {
        let begun = slice.records.iter().enumerate().filter(|(_, (begins, ..))| *begins);
        let chunks = begun.map(|(at, (_, chunk, _))| {
            let text = chunk.text();
            (chunk.with_text(&[]), text.len(), hash(text), at)
        });
        IndexedSlice {
            first: slice.first,
            chunks: chunks.collect(),
            statuses: slice.records.iter().map(|(.., status)| *status).collect(),
            parts: Arc::clone(slice.parts),
        }
    }
}

/// Hash of a text without trailing white space.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim_ascii_end().hash(&mut hasher);
    hasher.finish()
}

impl RecordIndex {
    /// An empty index of these sources, to be read in this format; without one, the content of each decides.
    pub(super) fn new(context: Context, sources: Vec<InputSource>, reading: ReadOptions) -> Self {
        Self { context, reading, sources, read: RwLock::default() }
    }

    fn indexed(&self) -> RwLockReadGuard<'_, IndexedChunks> {
        self.read.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn indexed_mut(&self) -> RwLockWriteGuard<'_, IndexedChunks> {
        self.read.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and judges all records, and reports the statuses. Stops if nobody receives them any more.
    pub(super) fn read(&self, jobs: NonZero<usize>, events: &Sender<ViewEvent>) {
        let sizes: Vec<_> = self.sources.iter().map(InputSource::size).collect();
        let total = sizes.iter().copied().sum::<Option<u64>>().filter(|total| *total > 0);
        let mut before = 0;
        let mut failures = Vec::new();
        let read = pool::run(
            self.context,
            jobs,
            &self.sources,
            self.reading,
            &Indexing,
            &mut |slice: IndexedSlice, failure| {
                if slice.first
                    && let Some(last) = self.indexed().sources.len().checked_sub(1)
                {
                    before += sizes[last].unwrap_or_default();
                }
                let end = slice.chunks.last().map_or(0, |(chunk, length, ..)| chunk.offset() + *length as u64);
                self.add(&slice);
                failures.extend(failure.map(|failure| failure.to_string()));
                // A chunk may come in several slices; the first of them reports its end.
                let percent = total.filter(|_| end > 0).map(|total| (before + end).min(total) * 100 / total);
                let told = ViewEvent::Read { statuses: slice.statuses, percent };
                events.send(told).map_err(|_| CommandError::Closed)
            },
        );
        self.indexed_mut().ended = true;
        if read.is_ok() {
            drop(events.send(ViewEvent::Ended { failures }));
        }
    }

    fn add(&self, slice: &IndexedSlice) {
        let mut indexed = self.indexed_mut();
        let before = indexed.records;
        if slice.first {
            indexed.sources.push(before);
            indexed.parts.push(Arc::from([]));
        }
        let source = indexed.sources.len() - 1;
        if !slice.parts.is_empty() {
            indexed.parts[source] = Arc::clone(&slice.parts);
        }
        for &(chunk, length, hash, at) in &slice.chunks {
            indexed.chunks.push(ChunkLocation { chunk, length, hash, source, first: before + at });
        }
        indexed.records += slice.statuses.len();
    }

    /// The number of the chunk of a record.
    fn find(&self, record: usize) -> Option<usize> {
        let indexed = self.indexed();
        let number = indexed.chunks.partition_point(|place| place.first <= record).checked_sub(1)?;
        (record < indexed.records).then_some(number)
    }

    /// The chunk of a number, and its range of records.
    fn chunk(&self, number: usize) -> Option<(ChunkLocation, Range<usize>)> {
        let indexed = self.indexed();
        let place = indexed.chunks.get(number)?;
        let end = indexed.chunks.get(number + 1).map_or(indexed.records, |next| next.first);
        Some((*place, place.first..end))
    }

    /// Reads the text of a chunk again.
    ///
    /// # Errors
    /// The message why it cannot be read.
    fn fetch(&self, place: ChunkLocation) -> Result<Vec<u8>, String> {
        let source = &self.sources[place.source];
        let read = || -> io::Result<Vec<u8>> {
            let mut text = vec![0; place.length];
            let mut file = source.reopen()?;
            file.seek(SeekFrom::Start(place.chunk.offset()))?;
            file.read_exact(&mut text)?;
            Ok(text)
        };
        match read() {
            Ok(text) if hash(&text) == place.hash => Ok(text),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(source.failure(self.context, &error)),
            Ok(_) | Err(_) => Err(self.changed(source)),
        }
    }

    /// The name of the source of a chunk, with that of its part.
    fn name_of(&self, place: ChunkLocation) -> String {
        part::name(&self.sources[place.source].name(), &self.indexed().parts[place.source], &place.chunk)
    }

    /// The message about a source that has changed.
    fn changed(&self, source: &InputSource) -> String {
        self.context.fill("view.changed", &[("file", &source.name())])
    }

    /// The rows of these records, which must be in ascending order.
    pub(super) fn rows(&self, records: &[usize]) -> Vec<(usize, ListRow)> {
        let mut rows = Vec::with_capacity(records.len());
        let mut rest = records;
        while let Some((place, range)) = rest.first().and_then(|first| self.chunk(self.find(*first)?)) {
            let (wanted, others) = rest.split_at(rest.partition_point(|record| range.contains(record)));
            rest = others;
            let name = self.name_of(place);
            match self.fetch(place) {
                Ok(text) => {
                    let chunk = place.chunk.with_text(&text);
                    let last = wanted.last().copied().unwrap_or_default();
                    let read = (range.start..=last).zip(chunk.records_without_notes());
                    let read = read.filter(|(record, _)| wanted.binary_search(record).is_ok());
                    rows.extend(read.map(|(record, read)| {
                        (record, ListRow::new(self.context, &name, &chunk, &verify::of_chunk(&chunk, read)))
                    }));
                }
                Err(why) => rows.extend(wanted.iter().map(|record| (*record, ListRow::failed(why.clone())))),
            }
        }
        rows
    }

    /// Reads and judges a record again, to show it.
    ///
    /// # Errors
    /// The message why it cannot be read.
    pub(super) fn open(&self, record: usize) -> Result<GameView, String> {
        let place = self.find(record).and_then(|number| self.chunk(number));
        let (place, range) = place.ok_or_else(|| self.context.say("view.no-record").to_owned())?;
        let source = &self.sources[place.source];
        let text = self.fetch(place)?;
        let chunk = place.chunk.with_text(&text);
        let read = chunk.records().nth(record - range.start).ok_or_else(|| self.changed(source))?;
        let Judged { record: read, verdict } = verify::of_chunk(&chunk, read);
        let number = record - self.indexed().sources[place.source] + 1;
        Ok(GameView::new(self.context, self.name_of(place), number, &chunk, read.as_ref(), verdict))
    }

    /// The readings of a record in lines, each with its board.
    ///
    /// # Errors
    /// The message why there is none.
    pub(super) fn readings(&self, record: usize) -> Result<Vec<Styled>, String> {
        let say = |key| self.context.say(key).to_owned();
        let place = self.find(record).and_then(|number| self.chunk(number));
        let (place, range) = place.ok_or_else(|| say("view.no-record"))?;
        let text = self.fetch(place)?;
        let chunk = place.chunk.with_text(&text);
        let read = chunk.records().nth(record - range.start).and_then(Result::ok);
        let repair = repaired::of(read.as_ref().ok_or_else(|| say("view.unreadable"))?);
        if matches!(repair.verdict.status, Status::Verified | Status::Incomplete) {
            return Err(say("view.no-readings"));
        }
        let mut lines = readings::summary(self.context, &repair);
        for reading in 0..repair.readings.readings.len() {
            lines.push(Styled::default());
            lines.extend(readings::reading(self.context, &repair, reading));
            let Some((heading, board)) = readings::board(Context { color: false, ..self.context }, &repair, reading)
            else {
                continue;
            };
            lines.push(Styled::plain(format!("   {heading}")));
            lines.extend(board.lines().map(|line| Styled::plain(format!("   {line}"))));
        }
        Ok(lines)
    }

    /// The records of a chunk that contain the query.
    fn matches(&self, place: ChunkLocation, query: &Query) -> Vec<usize> {
        let Ok(text) = self.fetch(place) else { return Vec::new() };
        let chunk = place.chunk.with_text(&text);
        let records = (place.first..).zip(chunk.records());
        records.filter(|(_, read)| query.is_in(&chunk, read)).map(|(record, _)| record).collect()
    }

    /// The next record, among these or all, that contains the query, and true if the search wrapped around.
    pub(super) fn search(
        &self,
        query: &Query,
        from: usize,
        direction: Direction,
        among: Option<&[usize]>,
        stopped: &AtomicBool,
    ) -> Option<(usize, bool)> {
        let counts = |record: &usize| among.is_none_or(|among| among.binary_search(record).is_ok());
        let home = self.find(from)?;
        let (mut number, mut passed) = (home, false);
        while !stopped.load(Ordering::Relaxed) {
            // The chunk of the first record is searched twice: first after that record, in the end up to it.
            let range = match (direction, number == home, passed) {
                (_, false, _) => 0..usize::MAX,
                (Direction::Forward, _, false) => from + 1..usize::MAX,
                (Direction::Forward, _, true) => 0..from + 1,
                (Direction::Back, _, false) => 0..from,
                (Direction::Back, _, true) => from..usize::MAX,
            };
            let (place, _) = self.chunk(number)?;
            let matches = self.matches(place, query).into_iter();
            let mut matches = matches.filter(|record| range.contains(record) && counts(record));
            let found = match direction {
                Direction::Forward => matches.next(),
                Direction::Back => matches.next_back(),
            };
            if found.is_some() || passed && number == home {
                return found.map(|record| (record, passed));
            }
            number = match direction {
                Direction::Forward if self.has(number + 1, stopped) => number + 1,
                Direction::Back if number > 0 => number - 1,
                Direction::Forward | Direction::Back => {
                    passed = true;
                    if direction == Direction::Forward { 0 } else { self.indexed().chunks.len() - 1 }
                }
            };
        }
        None
    }

    /// Passes all records that contain the query to `hand`, chunk by chunk, until it returns false.
    pub(super) fn filter(&self, query: &Query, stopped: &AtomicBool, mut hand: impl FnMut(Vec<usize>) -> bool) {
        for number in (0..).take_while(|number| self.has(*number, stopped)) {
            let Some((place, _)) = self.chunk(number) else { return };
            let found = self.matches(place, query);
            if stopped.load(Ordering::Relaxed) || !found.is_empty() && !hand(found) {
                return;
            }
        }
    }

    /// True if there is a chunk of this number. Waits for it while the sources are being read.
    fn has(&self, number: usize, stopped: &AtomicBool) -> bool {
        loop {
            let (count, ended) = {
                let indexed = self.indexed();
                (indexed.chunks.len(), indexed.ended)
            };
            if number < count || ended || stopped.load(Ordering::Relaxed) {
                return number < count;
            }
            thread::sleep(PATIENCE);
        }
    }
}
