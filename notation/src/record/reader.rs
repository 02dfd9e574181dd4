//! Streaming: `Read` in, blocks out, with memory bounded by the largest record.
//!
//! A block is a tag section with all that stands before the next one: normally one record. Cutting looks only at
//! what can hide the beginning of a tag section (comments, lines to be skipped), so a record that is broken
//! otherwise cannot spoil the next. What a block says is the parser's.

use std::io::{self, Read};

use super::{BOM, limits, parser::Records};
use crate::{Place, Places};

/// Bytes asked for at a time.
const CHUNK: usize = 64 * 1024;

/// What proves that a comment was not closed: no comment has a line that begins so.
const GAME_TAG: &[u8] = b"[Game \"";

/// A tag section and what follows up to the next one.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    text: &'a [u8],
    first_line: u64,
    oversized: Option<Place>,
}

impl<'a> Block<'a> {
    /// A text of its own, to be read as one block: it must not hold more than one tag section.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, first_line: 1, oversized: None }
    }

    /// Its bytes as they were read; of a block that is too large, none.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Number of its first line in the file, from 1.
    pub fn first_line(&self) -> u64 {
        self.first_line
    }

    /// Where the largest size of a record was passed, if it was. Such a block holds one unreadable record.
    pub fn oversized(&self) -> Option<Place> {
        self.oversized
    }

    /// The place in the file of the byte at `offset` of this block.
    pub fn place(&self, offset: usize) -> Place {
        self.oversized.unwrap_or_else(|| self.places().of(offset))
    }

    /// Finds many places in this block.
    pub fn places(&self) -> Places<'a> {
        Places::new(self.text, self.first_line)
    }

    /// The records in it: one, or more where text goes on after a result.
    pub fn records(&self) -> Records<'a> {
        Records::new(self.text, self.oversized.is_some())
    }

    /// The block with this text instead, for who has copied it.
    #[must_use]
    pub fn with_text<'b>(&self, text: &'b [u8]) -> Block<'b> {
        Block { text, first_line: self.first_line, oversized: self.oversized }
    }
}

/// Cuts a stream into blocks.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// What was read and not yet handed out; the block begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    /// Everything before was looked at, in the state `scan`.
    at: usize,
    scan: Scan,
    first_line: u64,
    ended: bool,
    /// The block was so large that its beginning was let go.
    passed: Option<Passed>,
}

/// What is kept of a block that is too large: where it passed the limit, and its lines so far.
#[derive(Clone, Copy, Debug)]
struct Passed {
    place: Place,
    lines: u64,
}

/// Which part of a block the scanner is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Nothing but white space, comments and skipped lines so far.
    Before,
    /// Between tag pairs.
    Tags,
    /// After the tag section: a `[` that begins a line begins the next block.
    Moves,
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    /// At the first byte of a line.
    LineStart,
    /// Inside a line. `blank`: only white space on it so far; `run`: the byte before belongs to a run.
    Inside { blank: bool, run: bool },
    /// The rest of the line does not matter: a tag pair, a `;` comment, a line with `%`.
    Rest,
    /// Inside a comment that began at `open`; the first line in it that begins with `[` is at `bracket`.
    Comment { open: usize, bracket: Option<usize> },
}

/// What became of a step through a comment.
enum Step {
    /// Scanning goes on.
    On,
    /// More must be read.
    Wait,
    /// The comment was not closed: the next block begins here.
    End(usize),
}

#[derive(Clone, Copy, Debug)]
struct Scan {
    section: Section,
    mode: Mode,
    /// End of what is not white space.
    content: usize,
}

/// Whether a byte ends a run of characters.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Characters that are never part of a run.
pub(super) const fn is_special(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'$' | b'!' | b'?')
}

impl Scan {
    const fn new(start: usize) -> Self {
        Self { section: Section::Before, mode: Mode::LineStart, content: start }
    }
}

/// Whether a line that begins here begins with a tag pair; `None` if more must be read to tell.
fn begins_tag(line: &[u8], ended: bool) -> Option<bool> {
    let is_cut_mark = !ended && line.len() <= BOM.len() && BOM.starts_with(line);
    if is_cut_mark {
        return None;
    }
    Some(line.strip_prefix(BOM).unwrap_or(line).starts_with(b"["))
}

impl<R: Read> Reader<R> {
    /// A reader of everything in `source`.
    pub fn new(source: R) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            scan: Scan::new(0),
            first_line: 1,
            ended: false,
            passed: None,
        }
    }

    /// The next block, or nothing at the end.
    ///
    /// # Errors
    /// What the source reports. Reading may be tried again; nothing is lost.
    pub fn next_block(&mut self) -> io::Result<Option<Block<'_>>> {
        loop {
            if let Some(end) = self.scan() {
                return Ok(Some(self.cut(end)));
            }
            if self.ended {
                let end = self.buffer.len();
                return if end > self.start { Ok(Some(self.cut(end))) } else { Ok(None) };
            }
            self.let_go();
            self.fill()?;
        }
    }

    /// Drops what stands before the block.
    fn discard(&mut self) {
        let count = std::mem::take(&mut self.start);
        self.buffer.drain(..count);
        self.at -= count;
        self.scan.content = self.scan.content.saturating_sub(count);
        if let Mode::Comment { open, bracket } = &mut self.scan.mode {
            *open -= count;
            if let Some(bracket) = bracket {
                *bracket -= count;
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.discard();
        let length = self.buffer.len();
        // Growing with the block keeps the copying of large ones linear.
        self.buffer.resize(length + CHUNK.max(length / 2), 0);
        let read = loop {
            match self.source.read(&mut self.buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(length + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }

    /// Lets go of the beginning of a block that has passed the limit: it will be one unreadable record.
    fn let_go(&mut self) {
        // White space after the record does not count, but it is not kept without end either.
        let content = self.scan.content.saturating_sub(self.start).max((self.at - self.start) / 2);
        if self.passed.is_none() && content > limits::RECORD {
            let place = Place::of(&self.buffer[self.start..], limits::RECORD, self.first_line);
            self.passed = Some(Passed { place, lines: 0 });
        }
        if let Some(passed) = &mut self.passed {
            let keep = match self.scan.mode {
                Mode::Comment { open, .. } => open,
                _ => self.at,
            };
            passed.lines += memchr::memchr_iter(b'\n', &self.buffer[self.start..keep]).count() as u64;
            self.start = keep;
        }
    }

    /// Hands out the bytes up to `end` and begins the next block there.
    fn cut(&mut self, end: usize) -> Block<'_> {
        let (start, first_line) = (self.start, self.first_line);
        let text = &self.buffer[start..end];
        let content = self.scan.content.min(end);
        if self.passed.is_none() && content.saturating_sub(start) > limits::RECORD {
            let place = Place::of(text, limits::RECORD, first_line);
            self.passed = Some(Passed { place, lines: 0 });
        }
        let lines = memchr::memchr_iter(b'\n', text).count() as u64;
        let oversized = self.passed.take().map(|passed| {
            self.first_line += passed.lines;
            passed.place
        });
        self.first_line += lines;
        self.start = end;
        self.at = end;
        self.scan = Scan::new(end);
        let text = if oversized.is_some() { &[] } else { &self.buffer[start..end] };
        Block { text, first_line, oversized }
    }

    /// Looks for the end of the block from where it stopped; nothing if more must be read.
    fn scan(&mut self) -> Option<usize> {
        while self.at < self.buffer.len() {
            let rest = &self.buffer[self.at..];
            match self.scan.mode {
                Mode::LineStart if self.at == self.start && rest.starts_with(BOM) => self.at += BOM.len(),
                Mode::LineStart => match begins_tag(rest, self.ended)? {
                    true if self.scan.section == Section::Moves => return Some(self.at),
                    true => {
                        self.scan.section = Section::Tags;
                        self.scan.mode = Mode::Rest;
                    }
                    false if rest[0] == b'%' => self.scan.mode = Mode::Rest,
                    false => self.scan.mode = Mode::Inside { blank: true, run: false },
                },
                Mode::Rest => {
                    let length = memchr::memchr(b'\n', rest);
                    self.at += length.map_or(rest.len(), |length| length + 1);
                    self.scan.content = self.at - usize::from(length.is_some());
                    if length.is_some() {
                        self.scan.mode = Mode::LineStart;
                    }
                }
                Mode::Inside { blank, run } => self.scan_inside(blank, run),
                Mode::Comment { open, bracket } => match self.scan_comment(open, bracket) {
                    Step::On => {}
                    Step::Wait => return None,
                    Step::End(end) => return Some(end),
                },
            }
        }
        match (self.scan.mode, self.ended) {
            (Mode::Comment { bracket, .. }, true) => bracket,
            _ => None,
        }
    }

    fn scan_inside(&mut self, mut blank: bool, mut run: bool) {
        while let Some(&byte) = self.buffer.get(self.at) {
            self.at += 1;
            if byte == b'\n' {
                if blank && self.scan.section == Section::Tags {
                    self.scan.section = Section::Moves;
                }
                self.scan.mode = Mode::LineStart;
                return;
            }
            if is_space(byte) {
                run = false;
                continue;
            }
            blank = false;
            self.scan.content = self.at;
            match byte {
                b'{' => {
                    self.scan.mode = Mode::Comment { open: self.at - 1, bracket: None };
                    return;
                }
                b';' if !run => {
                    self.scan.mode = Mode::Rest;
                    return;
                }
                _ => {
                    run = !is_special(byte);
                    self.scan.section = Section::Moves;
                }
            }
        }
        self.scan.mode = Mode::Inside { blank, run };
    }

    /// Goes on inside a comment.
    fn scan_comment(&mut self, open: usize, mut bracket: Option<usize>) -> Step {
        let first = self.at.max(open + 1);
        let last = self.buffer.len().min(open + 1 + limits::COMMENT + 1);
        for found in memchr::memchr2_iter(b'}', b'\n', &self.buffer[first..last]) {
            let found = first + found;
            if self.buffer[found] == b'}' {
                self.at = found + 1;
                self.scan.content = self.at;
                self.scan.mode = Mode::Inside { blank: false, run: false };
                return Step::On;
            }
            let line = &self.buffer[found + 1..];
            if line.len() < GAME_TAG.len() && !self.ended && GAME_TAG.starts_with(line) {
                // Too little of the line is here to tell: come back to its line break.
                self.at = found;
                self.scan.mode = Mode::Comment { open, bracket };
                return Step::Wait;
            }
            if line.starts_with(b"[") && bracket.is_none() {
                bracket = Some(found + 1);
            }
            if let Some(end) = bracket.filter(|_| line.starts_with(GAME_TAG)) {
                return Step::End(end);
            }
        }
        self.at = last;
        self.scan.content = last;
        self.scan.mode = Mode::Comment { open, bracket };
        if last > open + 1 + limits::COMMENT {
            // It is too long to be one. What follows is read as it stands.
            self.scan.section = Section::Moves;
            self.scan.mode = Mode::Inside { blank: false, run: true };
            return bracket.map_or(Step::On, Step::End);
        }
        Step::On
    }
}
