//! The part of a source that is in memory, and the trait that finds the ends of chunks in it.
//!
//! All formats share the [`ReadBuffer`]; each has its own [`Splitter`].

use std::fmt;

use super::BOM;
use crate::{LineColumn, LineIndex};

/// Finds the ends of chunks in one format.
pub(super) trait Splitter: fmt::Debug + Send + Sync {
    /// Continues to look for the end of the chunk; nothing if more must be read, or if the chunk ends with the source.
    fn end(&mut self, buffer: &mut ReadBuffer) -> Option<usize>;

    /// Begins the next chunk. Returns true if the last comment of the chunk before exceeded the limit.
    fn next(&mut self) -> bool {
        false
    }

    /// True if the chunk has tags and nothing else, and an empty line ends them.
    fn is_of_tags(&self) -> bool {
        false
    }

    /// The offset from which it may scan again, if it may. Bytes far before the scan are not kept for it.
    fn needs(&self) -> Option<usize> {
        None
    }

    /// Discards known offsets: white space was removed from the middle of the buffer.
    fn forget(&mut self) {}

    /// Adapts offsets: the first `count` bytes of the buffer were removed.
    fn shift(&mut self, count: usize) {
        let _ = count;
    }
}

/// The bytes of a source that were read and not yet returned. A chunk grows in it.
#[derive(Debug)]
pub(super) struct ReadBuffer {
    pub(super) bytes: Vec<u8>,
    /// Bytes of the source before the buffer.
    pub(super) passed: u64,
    /// The offset of the chunk.
    pub(super) start: usize,
    /// The place of the chunk in the source.
    pub(super) place: LineColumn,
    /// The offset up to which all was scanned.
    pub(super) at: usize,
    /// The offset of the first byte of the chunk that is not white space, if there is one yet.
    pub(super) begin: Option<usize>,
    /// The end of the last byte that is not white space.
    pub(super) content: usize,
    /// True at the end of the source.
    pub(super) ended: bool,
}

impl ReadBuffer {
    pub(super) const fn new() -> Self {
        let place = LineColumn { line: 1, column: 1 };
        Self { bytes: Vec::new(), passed: 0, start: 0, place, at: 0, begin: None, content: 0, ended: false }
    }

    /// The bytes that were not scanned yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Records that the bytes from `begin` to `end` are not white space.
    pub(super) fn note(&mut self, begin: usize, end: usize) {
        self.begin.get_or_insert(begin);
        self.content = end;
    }

    /// The place of the byte at `at`.
    pub(super) fn place_of(&self, at: usize) -> LineColumn {
        LineIndex::starting(&self.bytes[self.start..], self.place).of(at - self.start)
    }

    /// Begins the chunk at `at`.
    pub(super) fn begin_at(&mut self, at: usize) {
        self.place = self.place_of(at);
        self.start = at;
        self.begin = self.begin.map(|begin| begin.max(at));
        self.content = self.content.max(at);
    }

    /// The beginning of the last scanned character: cut in two it would count twice.
    pub(super) fn character_start(&self) -> usize {
        let looked_at = &self.bytes[self.start..self.at];
        let back = looked_at.iter().rev().take(3).position(|&byte| byte >= 0xc0);
        back.map_or(self.at, |back| self.at - 1 - back)
    }

    /// Begins the chunk at the line of `content`: blank lines before a record are not part of it.
    pub(super) fn skip_blank_lines(&mut self, content: usize) {
        if let Some(last) = memchr::memrchr(b'\n', &self.bytes[self.start..content]) {
            self.begin_at(self.start + last + 1);
        }
    }

    /// Begins another part of the source: what is left of this one is white space.
    pub(super) fn begin_part(&mut self) {
        let passed = self.passed + self.bytes.len() as u64;
        *self = Self { passed, ..Self::new() };
    }

    /// Removes the bytes before the chunk; returns their number.
    pub(super) fn discard(&mut self) -> usize {
        let count = std::mem::take(&mut self.start);
        self.bytes.drain(..count);
        self.passed += count as u64;
        self.at -= count;
        self.content -= count;
        self.begin = self.begin.map(|begin| begin - count);
        count
    }
}

/// True if the text is a byte order mark or an incomplete one, and nothing else.
pub(super) fn is_cut_mark(text: &[u8]) -> bool {
    BOM.starts_with(text)
}

/// A line without the byte order mark that it may begin with.
pub(super) fn unmarked(line: &[u8]) -> &[u8] {
    line.strip_prefix(BOM).unwrap_or(line)
}

/// Splits nothing: the whole source is one chunk.
#[derive(Debug)]
pub(super) struct NoSplit;

impl Splitter for NoSplit {
    fn end(&mut self, buffer: &mut ReadBuffer) -> Option<usize> {
        let is_content = |byte: &u8| !super::text::is_space(*byte);
        let rest = buffer.rest();
        if let (Some(first), Some(last)) = (rest.iter().position(is_content), rest.iter().rposition(is_content)) {
            buffer.note(buffer.at + first, buffer.at + last + 1);
        }
        buffer.at = buffer.bytes.len();
        None
    }
}
