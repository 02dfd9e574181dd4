//! Streaming: `Read` in, chunks out, with memory bounded by the largest record.
//!
//! All formats share this module: it detects the format, reads bytes, discards oversized records and counts lines. The
//! scanner of each format finds the ends of chunks. It looks only at constructs that can hide the beginning of the next
//! record, so a record that is broken in any other way cannot spoil the next. Parsers read the contents of chunks.

use std::{
    fmt,
    io::{self, Read, Write},
    ops::Range,
    sync::Arc,
};

use super::{
    Chunk, Encoding, Format,
    chunk::TagsBefore,
    csv, detect, json, limits,
    read_buffer::{NoSplit, ReadBuffer, Splitter},
    source::{Input, Next, Part},
    text,
};
use crate::LineColumn;

/// Cuts a stream into chunks.
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    format: Format,
    /// True if the format was given, or detected from the beginning of the part.
    form_known: bool,
    /// The format given by the caller.
    told: Option<Format>,
    scanner: Box<dyn Splitter>,
    buffer: ReadBuffer,
    /// Set if the chunk exceeded the limit and its beginning was discarded.
    passed: Option<Passed>,
    gap: Option<Gap>,
    /// The tags of the chunk before, if it has nothing else.
    tags_before: Option<TagsBefore>,
    /// Chunks that were cut and not yet returned, each with the range of its text in the buffer.
    cuts: Vec<(Range<usize>, Chunk<'static>)>,
    /// The number of the current part, from 1; 0 for a source that is a single text.
    part: u32,
    /// True if the current part is a worksheet.
    cells: bool,
    /// The part that follows the current one.
    next: Option<Part>,
    /// Receives a copy of the text that was read.
    copy: Option<Tee>,
}

/// A writer that receives a copy of the text.
struct Tee(Box<dyn Write + Send + Sync>);

impl fmt::Debug for Tee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tee")
    }
}

/// Places of an oversized chunk: its beginning, and the point where it exceeded the limit.
#[derive(Clone, Copy, Debug)]
struct Passed {
    /// Bytes before it in the source.
    offset: u64,
    first: LineColumn,
    limit: LineColumn,
}

/// Long white space after a record, which was discarded.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Its offset.
    at: usize,
    bytes: u64,
    lines: u64,
}

impl Format {
    /// The splitter of texts in this format; of a worksheet if it has `cells`.
    fn scanner(self, cells: bool) -> Box<dyn Splitter> {
        match self {
            Self::Quipu | Self::Pgn => Box::new(text::Splitter::default()),
            Self::Json | Self::Hnefatafl => Box::new(json::Splitter::default()),
            Self::Csv => Box::new(csv::Splitter::new(cells)),
            Self::Otg => Box::new(NoSplit),
        }
    }
}

impl<'t> Reader<&'t [u8]> {
    /// A reader of a text in quipu's own format. It has one part, also if it begins as files of another kind do, and the offsets
    /// of its chunks are those of the text.
    pub fn of_text(text: &'t str) -> Self {
        let format = Format::Quipu;
        Self::of(Input::of_text(text.as_bytes(), format), Some(format))
    }
}

impl<R: Read> Reader<R> {
    /// A reader of `source`, whose [`Format`] is detected from its beginning.
    pub fn new(source: R) -> Self {
        Self::of(Input::new(source, None), None)
    }

    /// A reader of `source` in this format. Files in a zip with the extension of another format are left out.
    pub fn with_format(source: R, format: Format) -> Self {
        Self::of(Input::new(source, Some(format)), Some(format))
    }

    fn of(input: Input<R>, told: Option<Format>) -> Self {
        let format = told.unwrap_or(Format::Quipu);
        Self {
            input,
            format,
            form_known: told.is_some(),
            told,
            scanner: format.scanner(false),
            buffer: ReadBuffer::new(),
            passed: None,
            gap: None,
            tags_before: None,
            cuts: Vec::new(),
            part: 0,
            cells: false,
            next: None,
            copy: None,
        }
    }

    /// Sets the encoding of text; a byte order mark takes precedence.
    #[must_use]
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
        self.input.with_encoding(encoding);
        self
    }

    /// Limits the uncompressed bytes of a compressed source.
    #[must_use]
    pub fn with_limit(mut self, bytes: u64) -> Self {
        self.input.with_limit(bytes);
        self
    }

    /// Calls back with the memory that uncompressed data takes. An error ends reading like an error of the source.
    #[must_use]
    pub fn with_memory_callback(mut self, charge: Box<dyn FnMut(usize) -> io::Result<()> + Send + Sync>) -> Self {
        self.input.with_memory_callback(charge);
        self
    }

    /// Copies all text that is read to a writer: uncompressed, decoded, part after part. Errors of the writer are reported
    /// like those of the source.
    #[must_use]
    pub fn copying(mut self, copy: Box<dyn Write + Send + Sync>) -> Self {
        self.copy = Some(Tee(copy));
        self
    }

    /// Names of the sheets of a workbook or the files of a zip, in order; empty for a source that is a single text. They are
    /// known once a chunk was read.
    pub fn parts(&self) -> Arc<[String]> {
        self.input.names()
    }

    /// Files in a zip that are not read because of their extensions; known as soon as the names of the parts are.
    pub fn skipped(&self) -> Arc<[String]> {
        self.input.skipped()
    }

    /// The names of the parts, before the next chunk is taken.
    ///
    /// # Errors
    /// Those of the source, as for the next chunk.
    pub fn parts_ahead(&mut self) -> io::Result<Arc<[String]>> {
        self.cut_some(1)?;
        Ok(self.parts())
    }

    /// The next chunk, or nothing at the end.
    ///
    /// # Errors
    /// Those of the source. Reading may be tried again; nothing is lost.
    pub fn next_chunk(&mut self) -> io::Result<Option<Chunk<'_>>> {
        self.cut_some(1)?;
        Ok(self.cuts().next())
    }

    /// The next chunks, as many as are in memory: at least one, or none at the end.
    ///
    /// # Errors
    /// Those of the source. Reading may be tried again; nothing is lost.
    pub fn next_chunks(&mut self) -> io::Result<impl Iterator<Item = Chunk<'_>>> {
        self.cut_some(usize::MAX)?;
        Ok(self.cuts())
    }

    /// The chunks that were cut.
    fn cuts(&mut self) -> impl Iterator<Item = Chunk<'_>> {
        let bytes = &self.buffer.bytes;
        self.cuts.drain(..).map(move |(range, chunk)| chunk.with_text(&bytes[range]))
    }

    /// Cuts at least one chunk, if there is one, and at most `most`. Chunks cut before must have been returned.
    fn cut_some(&mut self, most: usize) -> io::Result<()> {
        loop {
            while self.cuts.len() < most
                && let Some(end) = self.end()
            {
                self.cut(end);
            }
            if !self.cuts.is_empty() {
                return Ok(());
            }
            if self.buffer.ended {
                if self.buffer.begin.is_some() || self.passed.is_some() {
                    self.cut(self.buffer.bytes.len());
                    return Ok(());
                }
                let Some(part) = self.next.take() else { return Ok(()) };
                self.begin(part)?;
                continue;
            }
            self.let_go();
            self.fill()?;
        }
    }

    /// Looks for the end of the chunk; nothing if more must be read.
    fn end(&mut self) -> Option<usize> {
        if !self.form_known {
            self.format = detect::find(&self.buffer.bytes, self.buffer.ended)?;
            self.form_known = true;
            self.scanner = self.format.scanner(self.cells);
        }
        self.scanner.end(&mut self.buffer)
    }

    fn fill(&mut self) -> io::Result<()> {
        self.scanner.shift(self.buffer.discard());
        let before = self.buffer.bytes.len();
        match self.input.fill(&mut self.buffer.bytes)? {
            Next::More => self.copied(before)?,
            Next::Part(part) => {
                self.buffer.ended = true;
                self.next = Some(part);
            }
            Next::End => self.buffer.ended = true,
        }
        Ok(())
    }

    /// Copies the text from `start` on.
    fn copied(&mut self, start: usize) -> io::Result<()> {
        self.copy.as_mut().map_or(Ok(()), |Tee(copy)| copy.write_all(&self.buffer.bytes[start..]))
    }

    /// Begins a part.
    fn begin(&mut self, part: Part) -> io::Result<()> {
        let Part { format, cells, text } = part;
        self.buffer.begin_part();
        self.part += u32::from(!self.input.names().is_empty());
        self.cells = cells;
        let format = format.or(self.told);
        self.form_known = format.is_some();
        self.format = format.unwrap_or(Format::Quipu);
        self.scanner = self.format.scanner(cells);
        (self.passed, self.gap, self.tags_before) = (None, None, None);
        match text {
            Ok(text) => {
                self.buffer.bytes = text;
                self.copied(0)
            }
            Err(refusal) => {
                let mut chunk = self.chunk();
                chunk.refused = Some(refusal);
                self.cuts.push((0..0, chunk));
                Ok(())
            }
        }
    }

    /// A chunk without text at the beginning of the buffer.
    fn chunk(&self) -> Chunk<'static> {
        let (offset, place) = (self.buffer.passed + self.buffer.start as u64, self.buffer.place);
        let (part, cells) = (self.part, self.cells);
        Chunk { format: self.format, offset, place, part, cells, ..Chunk::new(&[]) }
    }

    /// True if the chunk exceeds the limit. White space around a record does not count.
    fn is_too_large(&self, content: usize) -> bool {
        let size = content.saturating_sub(self.buffer.begin.unwrap_or(content));
        size > limits::RECORD || self.gap.is_some_and(|gap| content > gap.at)
    }

    /// Records where the chunk exceeded the limit.
    fn pass(&mut self) {
        let begin = self.buffer.begin.unwrap_or(self.buffer.start);
        self.buffer.skip_blank_lines(begin);
        let limit = self.gap.map_or(begin + limits::RECORD, |gap| gap.at);
        let offset = self.buffer.passed + self.buffer.start as u64;
        self.passed = Some(Passed { offset, first: self.buffer.place, limit: self.buffer.place_of(limit) });
    }

    /// Bounds memory before more is read: discards long white space around a record, and the beginning of a chunk that
    /// exceeds the limit, which becomes one unreadable record.
    fn let_go(&mut self) {
        let ReadBuffer { at, begin, content, .. } = self.buffer;
        // White space that spans lines.
        let line_start = memchr::memrchr(b'\n', &self.buffer.bytes[content..at]).map(|last| content + last + 1);
        match (begin, line_start) {
            (None, Some(line_start)) => self.buffer.begin_at(line_start),
            (Some(_), Some(line_start)) if line_start - content > limits::RECORD => {
                // The last line break stays, so that the next text begins a line.
                let gap = content..line_start - 1;
                let lines = memchr::memchr_iter(b'\n', &self.buffer.bytes[gap.clone()]).count() as u64;
                self.buffer.at -= gap.len();
                let bytes = gap.len() as u64;
                self.buffer.bytes.drain(gap);
                self.scanner.forget();
                let before = self.gap.unwrap_or(Gap { at: content, bytes: 0, lines: 0 });
                self.gap = Some(Gap { at: content, bytes: before.bytes + bytes, lines: before.lines + lines });
            }
            _ => {}
        }
        let kept = self.buffer.at - self.buffer.start;
        if self.passed.is_none() && (self.is_too_large(self.buffer.content) || kept > 2 * limits::RECORD) {
            self.pass();
        }
        if self.passed.is_some() {
            let needed = self.scanner.needs().filter(|needed| self.buffer.at - needed <= limits::RECORD);
            self.buffer.begin_at(needed.unwrap_or_else(|| self.buffer.character_start()));
        }
    }

    /// Cuts off the bytes up to `end` and begins the next chunk there.
    fn cut(&mut self, end: usize) {
        self.buffer.skip_blank_lines(self.buffer.begin.unwrap_or(self.buffer.start));
        if self.passed.is_none() && self.is_too_large(self.buffer.content.min(end)) {
            self.pass();
        }
        let (start, place) = (self.buffer.start, self.buffer.place);
        let offset = self.buffer.passed + start as u64;
        let passed = self.passed.take();
        let tags = (passed.is_none() && self.scanner.is_of_tags())
            .then(|| TagsBefore { line: place.line, has_game: text::has_game(&self.buffer.bytes[start..end]) });
        self.buffer.begin_at(end);
        if let Some(gap) = self.gap.take() {
            self.buffer.place.line += gap.lines;
            self.buffer.passed += gap.bytes;
        }
        self.buffer.at = end;
        self.buffer.begin = None;
        self.buffer.content = end;
        let chunk = Chunk {
            offset: passed.map_or(offset, |passed| passed.offset),
            place: passed.map_or(place, |passed| passed.first),
            oversized: passed.map(|passed| passed.limit),
            long_comment: self.scanner.next(),
            tags_before: std::mem::replace(&mut self.tags_before, tags),
            ..self.chunk()
        };
        self.cuts.push((if passed.is_some() { end..end } else { start..end }, chunk));
    }
}
