//! The part of a source that is in memory, and what it takes to find where a block in it ends.
//!
//! All forms share the [`ReadBuffer`]; each has a [`Splitter`] of its own.

use std::fmt;

use super::BOM;
use crate::{LineColumn, LineIndex};

/// Finds where the blocks of one form end.
pub(super) trait Splitter: fmt::Debug + Send + Sync {
    /// Looks for the end of the block from where it stopped; nothing if more must be read, or if the block goes on to
    /// the end of the source.
    fn end(&mut self, window: &mut ReadBuffer) -> Option<usize>;

    /// The block was cut, the next begins. Says whether the last comment of the one that was cut was longer than any
    /// may be.
    fn next(&mut self) -> bool {
        false
    }

    /// From where on it may look once more at what it has looked at, if it may. What is far back is not kept for it.
    fn needs(&self) -> Option<usize> {
        None
    }

    /// White space has gone from the middle of the window: what is known of places behind it does not hold any more.
    fn forget(&mut self) {}

    /// The first bytes of the window have gone, so many.
    fn shift(&mut self, count: usize) {
        let _ = count;
    }
}

/// What was read of a source and not yet handed out. A block grows in it.
#[derive(Debug)]
pub(super) struct ReadBuffer {
    pub(super) bytes: Vec<u8>,
    /// Bytes of the source that came before these.
    pub(super) passed: u64,
    /// The block begins here.
    pub(super) start: usize,
    /// The place of that in the source.
    pub(super) place: LineColumn,
    /// Everything before was looked at.
    pub(super) at: usize,
    /// Where the first byte of the block is that is not white space, if there is one yet.
    pub(super) begin: Option<usize>,
    /// End of what is not white space.
    pub(super) content: usize,
    /// The source has no more.
    pub(super) ended: bool,
}

impl ReadBuffer {
    pub(super) const fn new() -> Self {
        let place = LineColumn { line: 1, column: 1 };
        Self { bytes: Vec::new(), passed: 0, start: 0, place, at: 0, begin: None, content: 0, ended: false }
    }

    /// What was not looked at.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Notes that the bytes up to `end`, begun at `begin`, are not white space.
    pub(super) fn note(&mut self, begin: usize, end: usize) {
        self.begin.get_or_insert(begin);
        self.content = end;
    }

    /// The place of the byte at `at`.
    pub(super) fn place_of(&self, at: usize) -> LineColumn {
        LineIndex::starting(&self.bytes[self.start..], self.place).of(at - self.start)
    }

    /// What stands before `at` is no part of the block.
    pub(super) fn begin_at(&mut self, at: usize) {
        self.place = self.place_of(at);
        self.start = at;
        self.begin = self.begin.map(|begin| begin.max(at));
        self.content = self.content.max(at);
    }

    /// Where the character begins whose last byte was looked at last: cut in two it would count twice.
    pub(super) fn character_start(&self) -> usize {
        let looked_at = &self.bytes[self.start..self.at];
        let back = looked_at.iter().rev().take(3).position(|&byte| byte >= 0xc0);
        back.map_or(self.at, |back| self.at - 1 - back)
    }

    /// Begins the block at the line that `content` is on: blank lines before a record are no part of it.
    pub(super) fn skip_blank_lines(&mut self, content: usize) {
        if let Some(last) = memchr::memrchr(b'\n', &self.bytes[self.start..content]) {
            self.begin_at(self.start + last + 1);
        }
    }

    /// Drops what stands before the block; says how many bytes that is.
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

/// Whether all that is here may be the beginning of a byte order mark, or is no more than that.
pub(super) fn is_cut_mark(text: &[u8]) -> bool {
    BOM.starts_with(text)
}

/// A line without the byte order mark that may stand before it.
pub(super) fn unmarked(line: &[u8]) -> &[u8] {
    line.strip_prefix(BOM).unwrap_or(line)
}

/// A form whose whole source is one block.
#[derive(Debug)]
pub(super) struct NoSplit;

impl Splitter for NoSplit {
    fn end(&mut self, window: &mut ReadBuffer) -> Option<usize> {
        let is_content = |byte: &u8| !super::text::is_space(*byte);
        let rest = window.rest();
        if let (Some(first), Some(last)) = (rest.iter().position(is_content), rest.iter().rposition(is_content)) {
            window.note(window.at + first, window.at + last + 1);
        }
        window.at = window.bytes.len();
        None
    }
}
