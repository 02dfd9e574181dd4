//! The position of reading in a chunk, and the items that it finds there.

use super::{
    super::{BOM, Limit, OddClock, Outcome, ReadError, ReadErrorKind, SyntaxFault, faults::Faults, limits},
    is_blank, is_space, is_special,
    move_number::move_number,
    token_end,
};
use crate::Span;

pub(super) fn limit(limit: Limit, at: std::ops::Range<usize>) -> ReadError {
    ReadError::limit(limit, Span::new(at.start, at.end))
}

pub(super) fn syntax(fault: SyntaxFault, at: std::ops::Range<usize>) -> ReadError {
    ReadError::syntax(fault, Span::new(at.start, at.end))
}

/// Lines after a value that does not end on its own line, on which its end is looked for.
const VALUE_LINES: usize = 8;

/// A tag pair at the beginning of a file that was joined to another.
pub(super) const MARKED_TAG: &[u8] = "\u{feff}[".as_bytes();

/// The position of reading.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the text read so far")]
pub(super) struct Cursor<'a> {
    /// The chunk, up to the first byte that is not UTF-8.
    pub(super) text: &'a str,
    /// That byte.
    foreign: Option<u8>,
    /// True if the unclosed comment is one that exceeds the limit.
    long_comment: bool,
    /// True if notes are checked and dropped: a short text can have very many.
    pub(super) skip_notes: bool,
    pub(super) at: usize,
    /// The end of the last taken text.
    pub(super) content: usize,
    pub(super) line_start: bool,
    /// Those of the record that is read.
    pub(super) odd_clocks: Vec<OddClock<'a>>,
    pub(super) faults: Faults,
    /// Reading went on after a comment that is not closed: parentheses may be in it.
    pub(super) lost: bool,
    /// No comment is closed after the cursor.
    unclosed: bool,
}

/// The item at the cursor after white space and skipped lines.
pub(super) enum Item {
    /// The first `[` of a line.
    TagPair,
    /// `{`, or a `;` that is not part of a run.
    Comment,
    /// A run of characters: move numbers, a token, a result.
    Run,
    /// Any other character that is never part of a run.
    Special(u8),
}

/// The item that a byte can begin, after white space and skipped lines.
#[derive(Clone, Copy)]
pub(super) enum Begins {
    Run,
    Space,
    LineBreak,
    Comment,
    /// It depends on its place.
    Other,
}

/// By byte: one look-up, where comparisons took several steps for each byte of white space.
pub(super) static BEGINS: [Begins; 256] = {
    let mut table = [Begins::Run; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        table[byte as usize] = match byte {
            b'\n' => Begins::LineBreak,
            b'{' | b';' => Begins::Comment,
            b'%' => Begins::Other,
            _ if is_space(byte) => Begins::Space,
            _ if is_special(byte) || byte == BOM[0] => Begins::Other,
            _ => Begins::Run,
        };
        byte -= 1;
    }
    table
};

impl<'a> Cursor<'a> {
    /// The position before the first byte of a chunk.
    pub(super) fn new(chunk: &'a [u8], long_comment: bool, skip_notes: bool) -> Self {
        let (text, foreign) = match std::str::from_utf8(chunk) {
            Ok(text) => (text, None),
            Err(error) => {
                let (valid, rest) = chunk.split_at(error.valid_up_to());
                (std::str::from_utf8(valid).unwrap_or_default(), Some(rest[0]))
            }
        };
        let at = if chunk.starts_with(BOM) { BOM.len() } else { 0 };
        Self {
            text,
            foreign,
            long_comment,
            skip_notes,
            at,
            content: at,
            line_start: true,
            odd_clocks: Vec::new(),
            faults: Faults::default(),
            lost: false,
            unclosed: false,
        }
    }

    /// Checks that an item which ends at `end` was not cut off by a byte that is not UTF-8.
    #[inline]
    pub(super) fn reached(&self, end: usize) -> Result<(), ReadError> {
        match self.foreign {
            Some(byte) if end == self.text.len() => {
                Err(ReadError { kind: ReadErrorKind::Encoding { byte }, span: Span::new(end, end + 1) })
            }
            _ => Ok(()),
        }
    }

    /// True if nothing is left to read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// The end of the line at `from`, without its line break.
    pub(super) fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.text.as_bytes()[from..]).map_or(self.text.len(), |length| from + length)
    }

    /// Skips to the next item; returns true if an empty line was passed, and no item at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<(bool, Option<Item>), ReadError> {
        let bytes = self.text.as_bytes();
        let mut blank_line = false;
        let mut blank = self.line_start;
        while let Some(&byte) = bytes.get(self.at) {
            match BEGINS[usize::from(byte)] {
                Begins::Run => return Ok((blank_line, Some(Item::Run))),
                Begins::Space => {
                    self.line_start = false;
                    self.at += 1;
                }
                Begins::LineBreak => {
                    blank_line |= blank;
                    blank = true;
                    self.line_start = true;
                    self.at += 1;
                }
                Begins::Comment => return Ok((blank_line, Some(Item::Comment))),
                Begins::Other => match byte {
                    b'%' if self.line_start => {
                        self.at = self.line_end(self.at);
                        self.reached(self.at)?;
                        self.line_start = false;
                        blank = false;
                    }
                    _ if self.line_start && bytes[self.at..].starts_with(MARKED_TAG) => self.at += BOM.len(),
                    b'[' if self.line_start => return Ok((blank_line, Some(Item::TagPair))),
                    _ if is_special(byte) => return Ok((blank_line, Some(Item::Special(byte)))),
                    _ => return Ok((blank_line, Some(Item::Run))),
                },
            }
        }
        Ok((blank_line, None))
    }

    /// Takes the bytes up to `end`, on the same line.
    #[inline]
    pub(super) fn take(&mut self, end: usize) -> &'a str {
        let taken = &self.text[self.at..end];
        self.at = end;
        self.content = end;
        self.line_start = false;
        taken
    }

    /// Takes a comment: the text between its marks.
    pub(super) fn comment(&mut self) -> Result<&'a str, ReadError> {
        let open = self.at;
        let inside = open + 1;
        if self.text.as_bytes()[open] == b';' {
            let end = self.line_end(inside);
            self.reached(end)?;
            let text = &self.text[inside..end];
            if text.strip_suffix('\r').unwrap_or(text).len() > limits::COMMENT {
                return Err(limit(Limit::Comment, open..inside));
            }
            return Ok(&self.take(end)[1..]);
        }
        let buffer = &self.text.as_bytes()[inside..];
        let buffer = &buffer[..buffer.len().min(limits::COMMENT + 1)];
        let Some(length) = memchr::memchr(b'}', buffer) else {
            if buffer.len() > limits::COMMENT || self.long_comment {
                return Err(limit(Limit::Comment, open..inside));
            }
            self.reached(self.text.len())?;
            return Err(syntax(SyntaxFault::Comment, open..inside));
        };
        Ok(&self.take(inside + length + 1)[1..=length])
    }

    /// Skips a comment that cannot be read: one that is too long, or one that is not closed. Of that one the next line with a
    /// move number or a result is no part.
    #[cold]
    pub(super) fn skip_comment(&mut self) {
        let (text, open) = (self.text, self.at);
        if text.as_bytes()[open] == b';' {
            self.take(self.line_end(open));
            return;
        }
        if !self.unclosed {
            if let Some(length) = memchr::memchr(b'}', &text.as_bytes()[open..]) {
                self.take(open + length + 1);
                return;
            }
            self.unclosed = true;
        }
        self.lost = true;
        let mut at = self.line_end(open);
        while at < text.len() {
            let line = text[at + 1..].trim_start_matches([' ', '\t']);
            let run = line.split(is_blank).next().unwrap_or_default();
            if move_number(run.as_bytes()).is_some() || Outcome::parse(run).is_some() {
                break;
            }
            at = self.line_end(at + 1);
        }
        self.take(at);
    }

    /// Skips the lines onto which the value of a tag goes on, if it is closed there.
    #[cold]
    pub(super) fn skip_value(&mut self) {
        let mut at = self.at;
        for _ in 0..VALUE_LINES {
            let Some(line) = self.text.get(at + 1..) else { return };
            at = self.line_end(at + 1);
            let line = line[..at - (self.text.len() - line.len())].trim_matches(is_blank);
            if line.is_empty() || line.starts_with('[') {
                return;
            }
            if line.ends_with("\"]") {
                self.take(at);
                return;
            }
        }
    }

    /// Skips a bracket that is out of place, with what is inside it.
    #[cold]
    pub(super) fn skip_bracket(&mut self) {
        let line = &self.text.as_bytes()[self.at..self.line_end(self.at)];
        let length = if line[0] == b'[' { memchr::memchr(b']', line) } else { None };
        self.take(self.at + length.unwrap_or_default() + 1);
    }

    /// Takes a run: characters that are neither white space nor special.
    pub(super) fn run(&mut self) -> Result<&'a str, ReadError> {
        let length = token_end::find(&self.text.as_bytes()[self.at..]);
        self.reached(self.at + length)?;
        Ok(self.take(self.at + length))
    }
}
