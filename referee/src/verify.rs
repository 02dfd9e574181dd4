//! From chunks and records to verdicts: finds the game, has the record judged, adds the id and the places.

use std::{
    collections::VecDeque,
    io::{self, Read},
};

use quipu_notation::{
    LineIndex, Span,
    record::{Chunk, ReadError, Reader, Record, Records, write::Bytes},
};

use crate::{
    Diagnostic, Status, Verdict, games,
    record::{self, Breach},
    record_id::Texts,
};

/// Which edition of the rules verdicts are given under. It grows when a ruling or a mended fault changes any verdict, so
/// that what was judged before can be found and judged again.
pub const EDITION: u32 = 1;

/// A record that was read, and what was found about it. Of records that were read here what is not judged is left out:
/// annotations, comments and variations.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged<'a> {
    /// The record, if it could be read.
    pub record: Option<Record<'a>>,
    /// The verdict.
    pub verdict: Verdict,
}

/// Judges all records of a block, each when it is asked for; diagnostics have their places in the file.
pub fn block<'a>(block: &Chunk<'a>) -> impl Iterator<Item = Judged<'a>> + use<'a> {
    let block = *block;
    let (mut places, mut texts) = (block.places(), Texts::default());
    block.bare_records().map(move |record| named(&block, &mut places, record, &mut texts))
}

/// Judges all records of many blocks. It goes ahead of who asks by some records: their ids are made together, which takes a
/// fraction of the time.
pub fn blocks<'a>(blocks: impl IntoIterator<Item = Chunk<'a>>) -> impl Iterator<Item = (Chunk<'a>, Judged<'a>)> {
    Together { blocks: blocks.into_iter(), open: None, judged: VecDeque::new(), texts: Texts::default() }
}

/// Judges all records of a source, as [`blocks`] does.
///
/// # Errors
/// What the source reports. Reading may be tried again; nothing is lost.
pub fn source(reader: &mut Reader<impl Read>, mut each: impl FnMut(&Chunk<'_>, Judged<'_>)) -> io::Result<()> {
    loop {
        let mut next = reader.next_blocks()?.peekable();
        if next.peek().is_none() {
            return Ok(());
        }
        blocks(next).for_each(|(block, judged)| each(&block, judged));
    }
}

/// Judges one of the records of a block, with all that stands in it if it was read with that.
pub fn of_block<'a>(block: &Chunk<'a>, record: Result<Record<'a>, ReadError>) -> Judged<'a> {
    named(block, &mut block.places(), record, &mut Texts::default())
}

/// Judges a record and makes its id.
fn named<'a>(
    block: &Chunk<'a>,
    places: &mut LineIndex<'_>,
    record: Result<Record<'a>, ReadError>,
    texts: &mut Texts,
) -> Judged<'a> {
    let mut judged = texts.add(|text| one(block, places, record, text));
    texts.name([&mut judged.verdict].into_iter());
    judged
}

/// Judges records of some blocks before the first of them is handed out, so that their ids can be made together.
struct Together<'a, I> {
    blocks: I,
    /// The block that is being read.
    open: Option<(Chunk<'a>, LineIndex<'a>, Records<'a>)>,
    judged: VecDeque<(Chunk<'a>, Judged<'a>)>,
    texts: Texts,
}

impl<'a, I: Iterator<Item = Chunk<'a>>> Together<'a, I> {
    /// Records that are judged ahead, unless their texts are as long as [`Self::LONG`].
    const MANY: usize = 64;
    /// Bytes.
    const LONG: usize = 256 * 1024;

    /// Judges the next record, all but its id.
    fn judge(&mut self) -> bool {
        loop {
            if let Some((block, places, records)) = &mut self.open
                && let Some(record) = records.next()
            {
                let judged = self.texts.add(|text| one(block, places, record, text));
                self.judged.push_back((*block, judged));
                return true;
            }
            let Some(block) = self.blocks.next() else { return false };
            self.open = Some((block, block.places(), block.bare_records()));
        }
    }
}

impl<'a, I: Iterator<Item = Chunk<'a>>> Iterator for Together<'a, I> {
    type Item = (Chunk<'a>, Judged<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.judged.is_empty() {
            while self.judged.len() < Self::MANY && self.texts.size() < Self::LONG && self.judge() {}
            self.texts.name(self.judged.iter_mut().map(|(_, judged)| &mut judged.verdict));
        }
        self.judged.pop_front()
    }
}

/// Judges a record, all but its id: the text that it is made of goes to the end of `text`.
fn one<'a>(
    block: &Chunk<'a>,
    places: &mut LineIndex<'_>,
    record: Result<Record<'a>, ReadError>,
    text: &mut Bytes,
) -> Judged<'a> {
    let mut verdict = match &record {
        Ok(record) => unnamed(record, text),
        Err(error) => unreadable(error, block),
    };
    for diagnostic in &mut verdict.diagnostics {
        diagnostic.place = diagnostic.span.map(|span| places.of(span.start as usize));
        diagnostic.place = block.oversized().or(diagnostic.place);
    }
    Judged { record: record.ok(), verdict }
}

/// The verdict on a record.
pub fn record(record: &Record<'_>) -> Verdict {
    let mut texts = Texts::default();
    let mut verdict = texts.add(|text| unnamed(record, text));
    texts.name([&mut verdict].into_iter());
    verdict
}

/// The verdict on a record without its id.
fn unnamed(record: &Record<'_>, text: &mut Bytes) -> Verdict {
    let name = record.value("Game");
    if let Some(game) = name.and_then(games::find) {
        return game.judge(record, text);
    }
    let known = games::ALL.iter().map(|game| game.notation().id).collect::<Vec<_>>().join(", ");
    let (breach, span) = match record.tag("Game") {
        Some(tag) => (Breach::GameUnknown { found: tag.value.clone().into_owned(), known }, tag.span),
        None => (Breach::GameMissing { known }, Span { end: record.span.start + 1, ..record.span }),
    };
    Verdict { plies: Some(0), diagnostics: vec![Diagnostic::new(breach.into(), Some(span))], ..Verdict::nothing() }
}

/// The verdict on text that is no record; diagnostics have their spans and no lines.
pub fn unreadable(error: &ReadError, block: &Chunk<'_>) -> Verdict {
    Verdict {
        diagnostics: vec![Diagnostic::new(record::unreadable(error, block), Some(error.span))],
        status: Status::Unreadable,
        ..Verdict::nothing()
    }
}
