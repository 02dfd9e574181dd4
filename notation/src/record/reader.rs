//! Streaming: `Read` in, blocks out, with memory bounded by the largest record.
//!
//! A block is a tag section with all that stands before the next one: normally one record. Cutting looks only at
//! what can hide the beginning of a tag section (comments, lines to be skipped), so a record that is broken
//! otherwise cannot spoil the next. What a block says is the parser's.

use std::io::{self, Read};

use super::{
    BOM, limits,
    parser::{MARKED_TAG, Records},
};
use crate::{Place, Places};

/// Bytes asked for at a time.
const CHUNK: u64 = 64 * 1024;

/// What proves that a comment was not closed: no comment has a line that begins so.
const GAME_TAG: &[u8] = b"[Game \"";

/// A tag section and what follows up to the next one.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    text: &'a [u8],
    first_line: u64,
    oversized: Option<Place>,
    /// Its last comment was longer than any may be before it was cut off.
    long_comment: bool,
}

impl<'a> Block<'a> {
    /// A text of its own, to be read as one block: it must not hold more than one tag section.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, first_line: 1, oversized: None, long_comment: false }
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
        Records::new(self.text, self.oversized.is_some(), self.long_comment, false)
    }

    /// The same records without annotations, comments and variations, which are checked and not kept. What is left
    /// of a record takes no more memory than its tags and its 100 000 plies.
    pub fn bare_records(&self) -> Records<'a> {
        Records::new(self.text, self.oversized.is_some(), self.long_comment, true)
    }

    /// The block with this text instead, for who has copied it.
    #[must_use]
    pub fn with_text<'b>(&self, text: &'b [u8]) -> Block<'b> {
        Block { text, ..*self }
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
    gap: Option<Gap>,
    long_comment: bool,
    unclosed: Unclosed,
}

/// How far the last comment that was not closed was followed. Another `{` on the way need not be followed again, or
/// a file of nothing but such comments would be read over and over.
#[derive(Clone, Copy, Debug, Default)]
struct Unclosed {
    /// No `}` stands before this place.
    until: usize,
    /// A line that begins with [`GAME_TAG`] stands here.
    game_tag: bool,
}

/// What is kept of a block that is too large: where it passed the limit, and its lines so far.
#[derive(Clone, Copy, Debug)]
struct Passed {
    place: Place,
    lines: u64,
}

/// White space behind a record that was so long that it was let go.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Where it was.
    at: usize,
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
    /// At the first byte of the block.
    Start,
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
    /// Where the first byte is that is not white space, if there is one yet.
    begin: Option<usize>,
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
    /// Notes that the bytes up to `end`, begun at `begin`, are not white space.
    fn note(&mut self, begin: usize, end: usize) {
        self.begin.get_or_insert(begin);
        self.content = end;
    }

    const fn new(start: usize) -> Self {
        Self { section: Section::Before, mode: Mode::Start, begin: None, content: start }
    }
}

/// A line without the byte order mark that may stand before it.
fn unmarked(line: &[u8]) -> &[u8] {
    line.strip_prefix(BOM).unwrap_or(line)
}

/// Whether all that is here may be the beginning of a byte order mark, or is no more than that.
fn is_cut_mark(text: &[u8]) -> bool {
    BOM.starts_with(text)
}

/// Whether a line that begins here begins with a tag pair; `None` if more must be read to tell.
fn begins_tag(line: &[u8], ended: bool) -> Option<bool> {
    if !ended && is_cut_mark(line) {
        return None;
    }
    Some(unmarked(line).starts_with(b"["))
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
            gap: None,
            long_comment: false,
            unclosed: Unclosed::default(),
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
                let block = (self.scan.begin.is_some() || self.passed.is_some()).then(|| self.cut(end));
                return Ok(block);
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
        self.scan.begin = self.scan.begin.map(|begin| begin.saturating_sub(count));
        self.unclosed.until = self.unclosed.until.saturating_sub(count);
        if let Mode::Comment { open, bracket } = &mut self.scan.mode {
            *open -= count;
            if let Some(bracket) = bracket {
                *bracket -= count;
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.discard();
        self.ended = self.source.by_ref().take(CHUNK).read_to_end(&mut self.buffer)? == 0;
        Ok(())
    }

    /// Whether the block has passed the limit. White space around a record does not count.
    fn is_too_large(&self, content: usize) -> bool {
        let size = content.saturating_sub(self.scan.begin.unwrap_or(content));
        size > limits::RECORD || self.gap.is_some_and(|gap| content > gap.at)
    }

    /// Where the block passes the limit.
    fn pass(&self) -> Passed {
        let begin = self.scan.begin.unwrap_or(self.start);
        let at = self.gap.map_or(begin + limits::RECORD, |gap| gap.at);
        let place = Place::of(&self.buffer[self.start..], at - self.start, self.first_line);
        Passed { place, lines: self.gap.map_or(0, |gap| gap.lines) }
    }

    /// Keeps memory bounded before more is read: lets go of long white space around a record, and of the beginning
    /// of a block that has passed the limit, which will be one unreadable record.
    fn let_go(&mut self) {
        let line_start = match self.scan.mode {
            Mode::LineStart => Some(self.at),
            Mode::Inside { blank: true, .. } => {
                memchr::memrchr(b'\n', &self.buffer[self.start..self.at]).map(|at| self.start + at + 1)
            }
            _ => None,
        };
        match (self.scan.begin, line_start) {
            (None, Some(line_start)) => self.skip_blank_lines(line_start),
            (Some(_), Some(line_start)) if line_start.saturating_sub(self.scan.content) > limits::RECORD => {
                let at = self.scan.content;
                let lines = self.lines(at, line_start) + self.gap.map_or(0, |gap| gap.lines);
                self.buffer.drain(at..line_start);
                self.at -= line_start - at;
                self.gap = Some(Gap { at, lines });
            }
            _ => {}
        }
        let kept = self.at - self.start;
        if self.passed.is_none() && (self.is_too_large(self.scan.content) || kept > 2 * limits::RECORD) {
            self.passed = Some(self.pass());
        }
        if let Some(mut passed) = self.passed {
            let keep = match self.scan.mode {
                Mode::Comment { open, .. } => open,
                _ => self.at,
            };
            passed.lines += self.lines(self.start, keep);
            self.passed = Some(passed);
            self.start = keep;
        }
    }

    /// Begins the block at the line that `content` is on: blank lines before a record are no part of it.
    fn skip_blank_lines(&mut self, content: usize) {
        if let Some(last) = memchr::memrchr(b'\n', &self.buffer[self.start..content]) {
            let line_start = self.start + last + 1;
            self.first_line += self.lines(self.start, line_start);
            self.start = line_start;
        }
    }

    /// Line breaks between two places of the buffer.
    fn lines(&self, from: usize, to: usize) -> u64 {
        memchr::memchr_iter(b'\n', &self.buffer[from..to]).count() as u64
    }

    /// Hands out the bytes up to `end` and begins the next block there.
    fn cut(&mut self, end: usize) -> Block<'_> {
        self.skip_blank_lines(self.scan.begin.unwrap_or(self.start));
        let (start, first_line) = (self.start, self.first_line);
        if self.passed.is_none() && self.is_too_large(self.scan.content.min(end)) {
            self.passed = Some(self.pass());
        }
        let passed = self.passed.take();
        let gap = self.gap.take().filter(|_| passed.is_none());
        self.first_line += self.lines(start, end);
        self.first_line += passed.map_or(0, |passed| passed.lines) + gap.map_or(0, |gap| gap.lines);
        self.start = end;
        self.at = end;
        self.scan = Scan::new(end);
        let oversized = passed.map(|passed| passed.place);
        let text = if oversized.is_some() { &[] } else { &self.buffer[start..end] };
        let long_comment = std::mem::take(&mut self.long_comment);
        Block { text, first_line, oversized, long_comment }
    }

    /// Looks for the end of the block from where it stopped; nothing if more must be read.
    fn scan(&mut self) -> Option<usize> {
        while self.at < self.buffer.len() {
            let rest = &self.buffer[self.at..];
            match self.scan.mode {
                Mode::Start => {
                    if !self.ended && is_cut_mark(rest) {
                        return None;
                    }
                    self.at += if rest.starts_with(BOM) { BOM.len() } else { 0 };
                    self.scan.mode = Mode::LineStart;
                }
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
                    self.scan.note(self.at, self.at + length.unwrap_or(rest.len()));
                    self.at += length.map_or(rest.len(), |length| length + 1);
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
            self.scan.note(self.at - 1, self.at);
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
        let Unclosed { until, game_tag } = self.unclosed;
        if self.at == open + 1 && until > self.at {
            let known = &self.buffer[..self.buffer.len().min(until + MARKED_TAG.len())];
            bracket = memchr::memchr_iter(b'\n', &self.buffer[open..until])
                .map(|at| open + at + 1)
                .find(|&line| unmarked(&known[line..]).starts_with(b"["));
            if let Some(end) = bracket.filter(|_| game_tag) {
                return Step::End(end);
            }
            self.at = until;
        }
        let first = self.at;
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
            let unmarked = unmarked(line);
            let short = unmarked.len() < GAME_TAG.len() && GAME_TAG.starts_with(unmarked);
            if !self.ended && (short || is_cut_mark(line)) {
                // Too little of the line is here to tell: come back to its line break.
                self.at = found;
                self.scan.mode = Mode::Comment { open, bracket };
                return Step::Wait;
            }
            if unmarked.starts_with(b"[") && bracket.is_none() {
                bracket = Some(found + 1);
            }
            if let Some(end) = bracket.filter(|_| unmarked.starts_with(GAME_TAG)) {
                self.unclosed = Unclosed { until: found + 1, game_tag: true };
                return Step::End(end);
            }
        }
        self.at = last;
        self.scan.content = last;
        self.scan.mode = Mode::Comment { open, bracket };
        self.unclosed = Unclosed { until: last, game_tag: false };
        if last > open + 1 + limits::COMMENT {
            // It is too long to be one. What follows is read as it stands.
            self.long_comment = true;
            self.scan.section = Section::Moves;
            self.scan.mode = Mode::Inside { blank: false, run: true };
            return bracket.map_or(Step::On, Step::End);
        }
        Step::On
    }
}
