//! From chunks and records to verdicts: finds the game, has the record judged, adds the id and the places.

use std::{
    collections::VecDeque,
    io::{self, Read},
};

use quipu_notation::{
    LineIndex, Span,
    record::{
        Chunk, ChunkRecords, Dropped, ReadError, Reader, Record, limits, plain_name,
        write::{Bytes, Extent, Writer},
    },
};

use crate::{
    Diagnostic, Status, Verdict, advice, games,
    record::{self, Breach},
    record_id::{self, IdBatch},
    spelling,
};

/// The edition of the rules that verdicts are given under. It grows when a ruling or a corrected error changes any
/// verdict, so that older verdicts can be found and given again.
pub const EDITION: u32 = 2;

/// A record and its verdict. Annotations, comments and variations are not judged, and a record that is read here is
/// without them.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged<'a> {
    /// The record, if it could be read. From [`chunks`], [`with_texts`], [`with_moves`] and [`source`] one in quipu's own text without findings
    /// has no moves.
    pub record: Option<Record<'a>>,
    /// The verdict.
    pub verdict: Verdict,
}

impl Judged<'_> {
    /// Neither a record nor a verdict yet.
    fn nothing() -> Self {
        Self { record: Some(Record::default()), verdict: Verdict::nothing() }
    }
}

/// The choice between verdicts with and without the record's id, which costs writing and hashing its canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// [`Verdict::id`] is set.
    Computed,
    /// It is not.
    Skipped,
}

/// Judges all records of a chunk, each on demand and with its moves; diagnostics have their places in the file.
pub fn chunk<'a>(chunk: &Chunk<'a>) -> impl Iterator<Item = Judged<'a>> + use<'a> {
    let chunk = *chunk;
    let (mut lines, mut text) = (chunk.places(), Bytes::default());
    chunk.records_without_notes().map(move |record| with_id(&chunk, &mut lines, record, &mut text))
}

/// Judges all records of many chunks. A record in quipu's own text without findings is judged while it is read, and comes
/// without its moves. With ids it runs ahead of its caller by some records: their ids are computed together, in a fraction of the time.
pub fn chunks<'a>(
    chunks: impl IntoIterator<Item = Chunk<'a>>,
    ids: Ids,
) -> impl Iterator<Item = (Chunk<'a>, Box<Judged<'a>>)> {
    let ids = (ids == Ids::Computed).then(IdBatch::new);
    Batched::new(chunks, ids, None::<fn(&Judged<'a>, &str)>).map(|(chunk, judged, _)| (chunk, judged))
}

/// Judges as [`chunks`] does, with ids, and returns with each record what `of_text` makes of it and of the text from which its id is computed,
/// which is empty if the record has no id.
pub fn with_texts<'a, T>(
    chunks: impl IntoIterator<Item = Chunk<'a>>,
    of_text: impl FnMut(&Judged<'a>, &str) -> T,
) -> impl Iterator<Item = (Chunk<'a>, Box<Judged<'a>>, T)> {
    let batched = Batched::new(chunks, Some(IdBatch::new()), Some(of_text));
    batched.filter_map(|(chunk, judged, made)| Some((chunk, judged, made?)))
}

/// Judges as [`chunks`] does, without ids and without the positions of records that have no findings, and returns with each record
/// what `of_moves` makes of it and of its canonical tokens, with a space after each. Of records that are not `wanted` the tokens are
/// left out.
pub fn with_moves<'a, T>(
    chunks: impl IntoIterator<Item = Chunk<'a>>,
    wanted: fn(&Record<'_>) -> bool,
    mut of_moves: impl FnMut(&Judged<'a>, &str) -> T,
) -> impl Iterator<Item = (Chunk<'a>, Box<Judged<'a>>, T)> {
    let (mut records, mut moves) = (Unjudged::new(chunks), Bytes::default());
    std::iter::from_fn(move || {
        moves.0.clear();
        let target = TextTarget { bytes: &mut moves, extent: Extent::Moves, wanted };
        let (chunk, judged) = records.judge_next(Some(target))?;
        // Tokens are UTF-8.
        let made = of_moves(&judged, str::from_utf8(&moves.0).unwrap_or_default());
        Some((chunk, judged, made))
    })
}

/// Judges all records of a source, as [`chunks`] does, with their ids.
///
/// # Errors
/// Those of the source. Reading may be tried again; nothing is lost.
pub fn source(reader: &mut Reader<impl Read>, mut each: impl FnMut(&Chunk<'_>, Judged<'_>)) -> io::Result<()> {
    loop {
        let mut next = reader.next_chunks()?.peekable();
        if next.peek().is_none() {
            return Ok(());
        }
        chunks(next, Ids::Computed).for_each(|(chunk, judged)| each(&chunk, *judged));
    }
}

/// Judges one record of a chunk. The record keeps its annotations if it was read with them.
pub fn of_chunk<'a>(chunk: &Chunk<'a>, record: Result<Record<'a>, ReadError>) -> Judged<'a> {
    with_id(chunk, &mut chunk.places(), record, &mut Bytes::default())
}

/// A buffer for the canonical texts of records, or for a part of them.
struct TextTarget<'t> {
    bytes: &'t mut Bytes,
    extent: Extent,
    /// True for the records whose texts are written.
    wanted: fn(&Record<'_>) -> bool,
}

impl TextTarget<'_> {
    fn writer(&mut self, record: &Record<'_>) -> Option<Writer<&mut Bytes>> {
        (self.wanted)(record).then(|| Writer::new(&mut *self.bytes, self.extent))
    }
}

/// The records of some chunks that are not judged yet.
struct Unjudged<'a, I> {
    chunks: I,
    /// The chunk that is being read.
    open: Option<(Chunk<'a>, LineIndex<'a>, ChunkRecords<'a>)>,
    /// Memory for the next record. It passes through many hands, each of which would copy it.
    next: Box<Judged<'a>>,
}

impl<'a, I: Iterator<Item = Chunk<'a>>> Unjudged<'a, I> {
    fn new(chunks: impl IntoIterator<IntoIter = I>) -> Self {
        Self { chunks: chunks.into_iter(), open: None, next: Box::new(Judged::nothing()) }
    }

    /// Judges the next record, without its id, and appends its canonical text.
    fn judge_next(&mut self, mut text: Option<TextTarget<'_>>) -> Option<(Chunk<'a>, Box<Judged<'a>>)> {
        loop {
            if let Some((chunk, lines, records)) = &mut self.open
                && judge_next(chunk, lines, records, text.as_mut(), &mut self.next)
            {
                return Some((*chunk, std::mem::replace(&mut self.next, Box::new(Judged::nothing()))));
            }
            let chunk = self.chunks.next()?;
            self.open = Some((chunk, chunk.places(), chunk.records_without_notes()));
        }
    }
}

/// Judges records in groups, so that their ids can be computed together.
struct Batched<'a, I, F, T> {
    records: Unjudged<'a, I>,
    judged: VecDeque<(Chunk<'a>, Box<Judged<'a>>)>,
    /// The results of `of_text` for these records.
    made: VecDeque<T>,
    /// `None` if no ids are wanted.
    ids: Option<IdBatch>,
    /// Makes a result of a record and the text from which its id is computed, if the caller wants one.
    of_text: Option<F>,
}

impl<'a, I: Iterator<Item = Chunk<'a>>, F: FnMut(&Judged<'a>, &str) -> T, T> Batched<'a, I, F, T> {
    /// Records judged at a time, unless their texts reach [`Self::LONG`].
    const MANY: usize = 64;
    /// Bytes.
    const LONG: usize = 256 * 1024;

    fn new(chunks: impl IntoIterator<IntoIter = I>, ids: Option<IdBatch>, of_text: Option<F>) -> Self {
        // Growing step by step copies all verdicts again and again.
        let judged = VecDeque::with_capacity(if ids.is_some() { Self::MANY } else { 0 });
        Self { records: Unjudged::new(chunks), judged, made: VecDeque::new(), ids, of_text }
    }

    /// Judges the next group of records.
    fn judge_group(&mut self) {
        if let Some(ids) = &mut self.ids {
            while self.judged.len() < Self::MANY && ids.size() < Self::LONG {
                let judged = ids.add(|bytes| {
                    self.records.judge_next(Some(TextTarget { bytes, extent: Extent::Identity, wanted: |_| true }))
                });
                let Some(judged) = judged else { break };
                self.judged.push_back(judged);
            }
            ids.assign(self.judged.iter_mut().map(|(_, judged)| &mut judged.verdict));
            if let Some(of_text) = &mut self.of_text {
                self.made.extend(self.judged.iter().zip(ids.texts()).map(|((_, judged), text)| of_text(judged, text)));
            }
            ids.clear();
        }
    }
}

impl<'a, I: Iterator<Item = Chunk<'a>>, F: FnMut(&Judged<'a>, &str) -> T, T> Iterator for Batched<'a, I, F, T> {
    type Item = (Chunk<'a>, Box<Judged<'a>>, Option<T>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.ids.is_none() {
            return self.records.judge_next(None).map(|(chunk, judged)| (chunk, judged, None));
        }
        if self.judged.is_empty() {
            self.judge_group();
        }
        let (chunk, judged) = self.judged.pop_front()?;
        Some((chunk, judged, self.made.pop_front()))
    }
}

/// Judges a record and computes its id. `text` is a buffer to reuse.
fn with_id<'a>(
    chunk: &Chunk<'a>,
    lines: &mut LineIndex<'_>,
    record: Result<Record<'a>, ReadError>,
    text: &mut Bytes,
) -> Judged<'a> {
    text.0.clear();
    let mut judged = judge_record(chunk, lines, record, Some(Writer::new(&mut *text, Extent::Identity)));
    judged.verdict.id = record_id::of_text(text);
    judged
}

/// Judges the next record of a chunk without its id: while it is read if there is nothing to report, and whole otherwise. Its
/// canonical text is appended to `text`. Returns false at the end of the chunk.
fn judge_next<'a>(
    chunk: &Chunk<'a>,
    lines: &mut LineIndex<'_>,
    records: &mut ChunkRecords<'a>,
    mut text: Option<&mut TextTarget<'_>>,
    judged: &mut Judged<'a>,
) -> bool {
    let before = text.as_ref().map_or(0, |text| text.bytes.0.len());
    let with_position = text.as_ref().is_none_or(|text| text.extent != Extent::Moves);
    let clean = records.open_next(judged.record.get_or_insert_default(), |open| {
        let game = open.record().value("Game").and_then(games::find)?;
        let writer = text.as_deref_mut().and_then(|text| text.writer(open.record()));
        game.judge_while_reading(open, writer, with_position)
    });
    if let Some(verdict) = clean {
        judged.verdict = verdict;
        advise(chunk, lines, judged);
        return true;
    }
    if let Some(text) = &mut text {
        text.bytes.0.truncate(before);
    }
    let Some(record) = records.next() else { return false };
    let writer = record.as_ref().ok().zip(text).and_then(|(record, text)| text.writer(record));
    *judged = judge_record(chunk, lines, record, writer);
    true
}

/// Judges a record without its id. Its canonical text is written to `text`.
fn judge_record<'a>(
    chunk: &Chunk<'a>,
    lines: &mut LineIndex<'_>,
    record: Result<Record<'a>, ReadError>,
    text: Option<Writer<&mut Bytes>>,
) -> Judged<'a> {
    let (record, verdict) = match record {
        Ok(record) if record.damaged.is_empty() => {
            let verdict = without_id(&record, text);
            (Some(record), verdict)
        }
        Ok(record) => {
            let (record, verdict) = restored(record, text);
            (Some(record), verdict)
        }
        Err(error) => (None, unreadable(&error, chunk)),
    };
    let mut judged = Judged { record, verdict };
    if let Some(record) = judged.record.as_ref().filter(|record| !record.dropped.is_empty()) {
        judged.verdict.diagnostics.splice(0..0, left_out(record));
    }
    advise(chunk, lines, &mut judged);
    judged
}

/// Warnings about parts of a foreign format that a record cannot hold, at most [`limits::FAULTS`]; they have spans and no places yet.
pub fn left_out(record: &Record<'_>) -> impl Iterator<Item = Diagnostic> {
    record.dropped.iter().take(limits::FAULTS).map(|Dropped { what, span, assumed }| {
        let breach = assumed.map_or_else(|| Breach::LeftOut(what.clone().into_owned()), Breach::RulesAssumed);
        Diagnostic::new(breach.into(), Some(*span))
    })
}

/// Adds the advice on a record to its verdict, and the places in the file.
fn advise(chunk: &Chunk<'_>, lines: &mut LineIndex<'_>, Judged { record, verdict }: &mut Judged<'_>) {
    if let Some(record) = record {
        verdict.advice = advice::of(record, chunk);
        told_of_tags_before(verdict, record, chunk);
    }
    for diagnostic in verdict.diagnostics.iter_mut().chain(&mut verdict.advice) {
        diagnostic.place = diagnostic.span.map(|span| lines.of(span.start as usize));
        diagnostic.place = chunk.oversized().or(diagnostic.place);
    }
}

/// Explains a missing tag `Game` if the tags before an empty line have one.
fn told_of_tags_before(verdict: &mut Verdict, record: &Record<'_>, chunk: &Chunk<'_>) {
    let Some(before) = chunk.tags_before().filter(|before| before.has_game && !record.tags.is_empty()) else { return };
    if record.tag("Game").is_none()
        && let Some(found) = verdict.diagnostics.first_mut()
    {
        found.message = Breach::GameAbove { line: before.line, known: known_games() }.into();
    }
}

/// The verdict on a record, with its id.
pub fn record(record: &Record<'_>) -> Verdict {
    // Bytes that the tags and the result, and a ply, seldom exceed: memory for the whole text is reserved at once.
    const HEAD: usize = 512;
    const PLY: usize = 32;
    let mut text = Bytes::default();
    text.0.reserve(HEAD + record.movetext.plies.len() * PLY);
    let verdict = of_record(record, Some(Writer::new(&mut text, Extent::Identity)));
    Verdict { id: record_id::of_text(&text), ..verdict }
}

/// The verdict on a record, without its id.
pub fn record_without_id(record: &Record<'_>) -> Verdict {
    of_record(record, None)
}

fn of_record(record: &Record<'_>, text: Option<Writer<&mut Bytes>>) -> Verdict {
    if record.damaged.is_empty() { without_id(record, text) } else { restored(record.clone(), text).1 }
}

/// A record with its changed cells restored, and the verdict on it with the diagnostics of these cells.
#[cold]
fn restored<'a>(record: Record<'a>, text: Option<Writer<&mut Bytes>>) -> (Record<'a>, Verdict) {
    let Some(game) = record.value("Game").and_then(games::find) else {
        let verdict = without_id(&record, text);
        return (record, verdict);
    };
    let (record, found) = game.restored(record);
    let mut verdict = without_id(&record, text);
    for diagnostic in found.into_iter().rev() {
        verdict.add_restored(diagnostic);
    }
    (record, verdict)
}

/// The verdict on a record, without its id. Its canonical text is written to `text`.
fn without_id(record: &Record<'_>, text: Option<Writer<&mut Bytes>>) -> Verdict {
    let name = record.value("Game");
    if let Some(game) = name.and_then(games::find) {
        return game.judge(record, text);
    }
    let known = known_games();
    let (breach, span) = match record.tag("Game") {
        Some(tag) => {
            let ids = games::ALL.iter().map(|game| game.notation().id);
            let meant = spelling::nearest(&plain_name(&tag.value), ids.map(|id| (id, id)));
            (Breach::GameUnknown { found: tag.value.clone().into_owned(), meant, known }, tag.span)
        }
        None => (Breach::GameMissing { known }, Span { end: record.span.start + 1, ..record.span }),
    };
    Verdict { plies: Some(0), diagnostics: vec![Diagnostic::new(breach.into(), Some(span))], ..Verdict::nothing() }
}

fn known_games() -> String {
    games::ALL.iter().map(|game| game.notation().id).collect::<Vec<_>>().join(", ")
}

/// The verdict on text that is not a record, with all its faults; diagnostics have their spans and no lines.
pub fn unreadable(error: &ReadError, chunk: &Chunk<'_>) -> Verdict {
    let mut faults = chunk.faults();
    if faults.is_empty() {
        faults.push(*error);
    }
    let found = |fault: &ReadError| Diagnostic::new(record::unreadable(fault, chunk), Some(fault.span));
    Verdict { diagnostics: faults.iter().map(found).collect(), status: Status::Unreadable, ..Verdict::nothing() }
}
