//! All records of the sources: where each stands, so that it can be read again when it is looked at.
//!
//! Memory holds a place for each block of the input and nothing of its text. What is read again is the very text that
//! was read before, or it is said that it has changed.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read, Seek, SeekFrom},
    num::NonZero,
    ops::Range,
    sync::{
        PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Duration,
};

use quipu_notation::record::{Chunk, Format};
use quipu_referee::{
    Status,
    verify::{self, Ids, Judged},
};

use super::{
    find::{Direction, Query},
    game::{Game, Row},
    state::Event,
};
use crate::{
    context::{CommandError, Context},
    input::Source,
    pool::{self, Slice, Work},
};

/// Who searches to where nothing was read yet waits so long before looking again.
const PATIENCE: Duration = Duration::from_millis(20);

/// Everything that can be looked at.
pub(super) struct Library {
    context: Context,
    form: Option<Format>,
    sources: Vec<Source>,
    read: RwLock<Shelves>,
}

/// What was read so far.
#[derive(Default)]
struct Shelves {
    blocks: Vec<Place>,
    /// All records.
    records: usize,
    /// The first record of each source that was begun.
    sources: Vec<usize>,
    ended: bool,
}

/// Where a block stands.
#[derive(Clone, Copy)]
struct Place {
    /// The block without its text.
    block: Chunk<'static>,
    length: usize,
    /// Of its text, without white space behind it.
    hash: u64,
    source: usize,
    /// Its first record.
    first: usize,
}

/// What comes of a slice.
struct Part {
    /// The slice is the first of its source.
    first: bool,
    /// Blocks that begin in it, each with the place of its first record in the slice.
    blocks: Vec<(Chunk<'static>, usize, u64, usize)>,
    statuses: Vec<Status>,
}

/// Judges every record, and keeps no more of it than what it came to.
struct Indexing;

impl Work for Indexing {
    /// Whether it is the first of its block, the block, and what it came to.
    type Record<'b> = (bool, Chunk<'b>, Status);
    type Part = Part;

    fn records<'b>(&self, blocks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Record<'b>> {
        let mut last = None;
        verify::blocks(blocks, Ids::Skipped).map(move |(block, judged)| {
            let begins = last.replace(block.offset()) != Some(block.offset());
            (begins, block, judged.verdict.status)
        })
    }

    fn part(&self, slice: Slice<'_, Self::Record<'_>>) -> Part {
        let begun = slice.records.iter().enumerate().filter(|(_, (begins, ..))| *begins);
        let blocks = begun.map(|(at, (_, block, _))| {
            let text = block.text();
            (block.with_text(&[]), text.len(), hash(text), at)
        });
        Part {
            first: slice.first,
            blocks: blocks.collect(),
            statuses: slice.records.iter().map(|(.., status)| *status).collect(),
        }
    }
}

/// Tells texts apart.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim_ascii_end().hash(&mut hasher);
    hasher.finish()
}

impl Library {
    /// Of these sources, whose records are of this form or else of the one that each begins like.
    pub(super) fn new(context: Context, sources: Vec<Source>, form: Option<Format>) -> Self {
        Self { context, form, sources, read: RwLock::default() }
    }

    fn shelves(&self) -> RwLockReadGuard<'_, Shelves> {
        self.read.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn shelves_mut(&self) -> RwLockWriteGuard<'_, Shelves> {
        self.read.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and judges everything, and tells what every record came to. Ends early if nobody listens any more.
    pub(super) fn read(&self, jobs: NonZero<usize>, news: &Sender<Event>) {
        let sizes: Vec<_> = self.sources.iter().map(Source::size).collect();
        let total = sizes.iter().copied().sum::<Option<u64>>().filter(|total| *total > 0);
        let mut before = 0;
        let mut failures = Vec::new();
        let read = pool::run(self.context, jobs, &self.sources, self.form, &Indexing, &mut |part: Part, failure| {
            if part.first
                && let Some(last) = self.shelves().sources.len().checked_sub(1)
            {
                before += sizes[last].unwrap_or_default();
            }
            let end = part.blocks.last().map_or(0, |(block, length, ..)| block.offset() + *length as u64);
            self.add(&part);
            failures.extend(failure);
            // Several parts may come of one block; then its end is told with the first of them.
            let percent = total.filter(|_| end > 0).map(|total| (before + end).min(total) * 100 / total);
            let told = Event::Read { statuses: part.statuses, percent };
            news.send(told).map_err(|_| CommandError::Closed)
        });
        self.shelves_mut().ended = true;
        if read.is_ok() {
            drop(news.send(Event::Ended { failures }));
        }
    }

    fn add(&self, part: &Part) {
        let mut shelves = self.shelves_mut();
        let before = shelves.records;
        if part.first {
            shelves.sources.push(before);
        }
        let source = shelves.sources.len() - 1;
        for &(block, length, hash, at) in &part.blocks {
            shelves.blocks.push(Place { block, length, hash, source, first: before + at });
        }
        shelves.records += part.statuses.len();
    }

    /// The number of the block that a record stands in.
    fn find(&self, record: usize) -> Option<usize> {
        let shelves = self.shelves();
        let number = shelves.blocks.partition_point(|place| place.first <= record).checked_sub(1)?;
        (record < shelves.records).then_some(number)
    }

    /// The block of a number, and its records.
    fn block(&self, number: usize) -> Option<(Place, Range<usize>)> {
        let shelves = self.shelves();
        let place = shelves.blocks.get(number)?;
        let end = shelves.blocks.get(number + 1).map_or(shelves.records, |next| next.first);
        Some((*place, place.first..end))
    }

    /// Reads the text of a block again.
    ///
    /// # Errors
    /// In words, why it cannot be read.
    fn fetch(&self, place: Place) -> Result<Vec<u8>, String> {
        let source = &self.sources[place.source];
        let read = || -> io::Result<Vec<u8>> {
            let mut text = vec![0; place.length];
            let mut file = source.again()?;
            file.seek(SeekFrom::Start(place.block.offset()))?;
            file.read_exact(&mut text)?;
            Ok(text)
        };
        match read() {
            Ok(text) if hash(&text) == place.hash => Ok(text),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(source.failure(self.context, &error)),
            Ok(_) | Err(_) => Err(self.changed(source)),
        }
    }

    /// What is said of a source that is not what it was.
    fn changed(&self, source: &Source) -> String {
        self.context.fill("view.changed", &[("file", &source.name())])
    }

    /// What the list shows of these records, which are in order.
    pub(super) fn rows(&self, records: &[usize]) -> Vec<(usize, Row)> {
        let mut rows = Vec::with_capacity(records.len());
        let mut rest = records;
        while let Some((place, range)) = rest.first().and_then(|first| self.block(self.find(*first)?)) {
            let (wanted, others) = rest.split_at(rest.partition_point(|record| range.contains(record)));
            rest = others;
            let name = self.sources[place.source].name();
            match self.fetch(place) {
                Ok(text) => {
                    let block = place.block.with_text(&text);
                    let last = wanted.last().copied().unwrap_or_default();
                    let read = (range.start..=last).zip(block.bare_records());
                    let read = read.filter(|(record, _)| wanted.binary_search(record).is_ok());
                    rows.extend(read.map(|(record, read)| {
                        (record, Row::new(self.context, &name, &block, &verify::of_block(&block, read)))
                    }));
                }
                Err(why) => rows.extend(wanted.iter().map(|record| (*record, Row::failed(why.clone())))),
            }
        }
        rows
    }

    /// A record with all that stands in it and all that is found.
    ///
    /// # Errors
    /// In words, why it cannot be read.
    pub(super) fn open(&self, record: usize) -> Result<Game, String> {
        let place = self.find(record).and_then(|number| self.block(number));
        let (place, range) = place.ok_or_else(|| self.context.say("view.no-record").to_owned())?;
        let source = &self.sources[place.source];
        let text = self.fetch(place)?;
        let block = place.block.with_text(&text);
        let read = block.records().nth(record - range.start).ok_or_else(|| self.changed(source))?;
        let Judged { record: read, verdict } = verify::of_block(&block, read);
        let number = record - self.shelves().sources[place.source] + 1;
        Ok(Game::new(self.context, source.name(), number, &block, read.as_ref(), verdict))
    }

    /// The records of a block in which there is what is searched.
    fn matches(&self, place: Place, needle: &Query) -> Vec<usize> {
        let Ok(text) = self.fetch(place) else { return Vec::new() };
        let block = place.block.with_text(&text);
        let records = (place.first..).zip(block.records());
        records.filter(|(_, read)| needle.is_in(&block, read)).map(|(record, _)| record).collect()
    }

    /// The next record from another one on in which there is what is searched, among these or all; behind the last comes
    /// the first. Also says whether it went past that end.
    pub(super) fn search(
        &self,
        needle: &Query,
        from: usize,
        direction: Direction,
        among: Option<&[usize]>,
        stopped: &AtomicBool,
    ) -> Option<(usize, bool)> {
        let counts = |record: &usize| among.is_none_or(|among| among.binary_search(record).is_ok());
        let home = self.find(from)?;
        let (mut number, mut passed) = (home, false);
        while !stopped.load(Ordering::Relaxed) {
            // The block where the search begins is looked at twice: its one side at first, in the end the other.
            let range = match (direction, number == home, passed) {
                (_, false, _) => 0..usize::MAX,
                (Direction::Forward, _, false) => from + 1..usize::MAX,
                (Direction::Forward, _, true) => 0..from + 1,
                (Direction::Back, _, false) => 0..from,
                (Direction::Back, _, true) => from..usize::MAX,
            };
            let (place, _) = self.block(number)?;
            let matches = self.matches(place, needle).into_iter();
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
                    if direction == Direction::Forward { 0 } else { self.shelves().blocks.len() - 1 }
                }
            };
        }
        None
    }

    /// Hands out all records in which there is what is searched, block by block, until nobody takes them any more.
    pub(super) fn sift(&self, needle: &Query, stopped: &AtomicBool, mut hand: impl FnMut(Vec<usize>) -> bool) {
        for number in (0..).take_while(|number| self.has(*number, stopped)) {
            let Some((place, _)) = self.block(number) else { return };
            let found = self.matches(place, needle);
            if stopped.load(Ordering::Relaxed) || !found.is_empty() && !hand(found) {
                return;
            }
        }
    }

    /// Whether there is a block of this number. Waits for it as long as there may come one.
    fn has(&self, number: usize, stopped: &AtomicBool) -> bool {
        loop {
            let (count, ended) = {
                let shelves = self.shelves();
                (shelves.blocks.len(), shelves.ended)
            };
            if number < count || ended || stopped.load(Ordering::Relaxed) {
                return number < count;
            }
            thread::sleep(PATIENCE);
        }
    }
}
