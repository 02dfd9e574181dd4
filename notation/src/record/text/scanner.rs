//! Finds the beginning of a tag section, where the chunk before it ends.
//!
//! It looks only at constructs that can hide the beginning of a tag section: comments and skipped lines.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{
    super::{
        BOM, limits,
        read_buffer::{self, ReadBuffer, is_cut_mark, unmarked},
    },
    cursor::MARKED_TAG,
    is_space, is_special,
};

/// The beginning of a line that no comment has: it proves that a comment was not closed.
pub(in crate::record) const GAME_TAG: &[u8] = b"[Game \"";

/// Splits before tag sections.
#[derive(Debug, Default)]
pub(in crate::record) struct Splitter {
    section: Section,
    /// Moves, a result or a comment follow the empty line that ends the tags.
    has_movetext: bool,
    mode: Mode,
    long_comment: bool,
    unclosed: Unclosed,
    /// The offset up to which lines are scanned one by one: [`Splitter::skip_plain_lines`] met a construct that can hide the end of
    /// a chunk.
    retry_at: usize,
    /// The end of the last line up to which no line begins with a bracket.
    no_bracket: usize,
}

/// A line that begins with a bracket, with the line break before it.
static LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n["));

/// A skipped line, with the line break before it. The `%` alone is in every clock.
static SKIPPED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n%"));

/// The extent of the last unclosed comment. Another `{` inside it is not followed again, or a file of nothing but such
/// comments would take quadratic time.
#[derive(Clone, Copy, Debug, Default)]
struct Unclosed {
    /// There is no `}` before this offset.
    until: usize,
    /// True if a line at this offset begins with [`GAME_TAG`].
    game_tag: bool,
}

/// The part of a chunk that the scanner is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    /// Nothing but white space, comments and skipped lines so far.
    #[default]
    Before,
    /// Between tag pairs.
    Tags,
    /// After the tag section: a `[` at the beginning of a line begins the next chunk.
    Moves,
}

#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    /// At the first byte of the chunk.
    #[default]
    Start,
    /// At the first byte of a line, or after a byte order mark there.
    LineStart { marked: bool },
    /// Inside a line. `blank`: only white space on it so far; `run`: the byte before belongs to a run.
    Inside { blank: bool, run: bool },
    /// The rest of the line does not matter: a tag pair, a `;` comment, a line with `%`.
    Rest,
    /// Inside a comment that began at `open`; the first line in it that begins with `[` is at `bracket`.
    Comment { open: usize, bracket: Option<usize> },
}

/// The outcome of a step through a comment.
enum Step {
    /// Scanning continues.
    On,
    /// More must be read.
    Wait,
    /// The comment was not closed: the next chunk begins here.
    End(usize),
}

/// True if a line of a text begins with the tag `Game`.
#[cold]
pub(in crate::record) fn has_game(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| unmarked(line).starts_with(GAME_TAG))
}

/// True if the line begins with a tag pair; `None` if more bytes are needed to decide.
fn begins_tag(line: &[u8], ended: bool) -> Option<bool> {
    if !ended && is_cut_mark(line) {
        return None;
    }
    Some(unmarked(line).starts_with(b"["))
}

impl read_buffer::Splitter for Splitter {
    fn end(&mut self, buffer: &mut ReadBuffer) -> Option<usize> {
        while buffer.at < buffer.bytes.len() {
            let rest = buffer.rest();
            match self.mode {
                Mode::Start => {
                    if !buffer.ended && is_cut_mark(rest) {
                        return None;
                    }
                    let marked = rest.starts_with(BOM);
                    buffer.at += if marked { BOM.len() } else { 0 };
                    self.mode = Mode::LineStart { marked };
                }
                Mode::LineStart { marked } => match begins_tag(rest, buffer.ended)? {
                    true if self.section == Section::Moves => return Some(buffer.at),
                    true => {
                        self.section = Section::Tags;
                        self.mode = Mode::Rest;
                    }
                    // On the first line that is not empty.
                    false if !marked && buffer.begin.is_none() && rest.starts_with(BOM) => {
                        buffer.note(buffer.at, buffer.at + BOM.len());
                        buffer.at += BOM.len();
                    }
                    false if rest[0] == b'%' => self.mode = Mode::Rest,
                    false => {
                        if self.section != Section::Moves || !self.skip_plain_lines(buffer) {
                            self.mode = Mode::Inside { blank: true, run: false };
                        }
                    }
                },
                Mode::Rest => {
                    let line_break = memchr::memchr(b'\n', rest);
                    let length = line_break.unwrap_or(rest.len());
                    buffer.note(buffer.at, buffer.at + length);
                    buffer.at += length;
                    if line_break.is_some() {
                        buffer.at += 1;
                        self.mode = Mode::LineStart { marked: false };
                    }
                }
                Mode::Inside { blank, run } => self.inside(buffer, blank, run),
                Mode::Comment { open, bracket } => match self.comment(buffer, open, bracket) {
                    Step::On => {}
                    Step::Wait => return None,
                    Step::End(end) => return Some(end),
                },
            }
        }
        match (self.mode, buffer.ended) {
            (Mode::Comment { bracket, .. }, true) => bracket,
            _ => None,
        }
    }

    fn next(&mut self) -> bool {
        self.section = Section::default();
        self.has_movetext = false;
        self.mode = Mode::default();
        std::mem::take(&mut self.long_comment)
    }

    fn is_of_tags(&self) -> bool {
        // The section of tags alone ends with an empty line.
        self.section == Section::Moves && !self.has_movetext
    }

    /// A comment that exceeds the limit was not one: the first line in it may begin the next chunk.
    fn needs(&self) -> Option<usize> {
        match self.mode {
            Mode::Comment { open, .. } => Some(open),
            _ => None,
        }
    }

    fn forget(&mut self) {
        self.no_bracket = 0;
    }

    fn shift(&mut self, count: usize) {
        self.unclosed.until = self.unclosed.until.saturating_sub(count);
        self.retry_at = self.retry_at.saturating_sub(count);
        self.no_bracket = self.no_bracket.saturating_sub(count);
        if let Mode::Comment { open, bracket } = &mut self.mode {
            *open -= count;
            if let Some(bracket) = bracket {
                *bracket -= count;
            }
        }
    }
}

impl Splitter {
    /// Skips whole lines of moves, up to the next line that begins with a bracket, if nothing in them can hide it. Most
    /// of a file is such lines, and three searches are many times faster than a loop over bytes. Returns false if it
    /// skipped nothing and each byte must be scanned.
    fn skip_plain_lines(&mut self, buffer: &mut ReadBuffer) -> bool {
        if buffer.at < self.retry_at {
            return false;
        }
        if buffer.at >= self.no_bracket {
            // No comment that ends within this many bytes is too long.
            let ahead = &buffer.rest()[..buffer.rest().len().min(limits::COMMENT)];
            let Some(last) = LINE.find(ahead).or_else(|| memchr::memrchr(b'\n', ahead)) else { return false };
            self.no_bracket = buffer.at + last + 1;
        }
        let lines = &buffer.bytes[buffer.at..self.no_bracket];
        // A line with `;` or a byte order mark is scanned by itself.
        let odd = memchr::memchr2(b';', BOM[0], lines);
        let odd = SKIPPED.find(&lines[..odd.unwrap_or(lines.len())]).map(|at| at + 1).or(odd);
        let lines = match odd {
            Some(odd) => &lines[..memchr::memrchr(b'\n', &lines[..odd]).map_or(0, |at| at + 1)],
            None => lines,
        };
        // A comment that opens in these lines and ends after them.
        if memchr::memrchr2(b'{', b'}', lines).is_some_and(|at| lines[at] == b'{') {
            self.retry_at = buffer.at + lines.len();
            return false;
        }
        if lines.is_empty() {
            return false;
        }
        let is_content = |byte: &u8| !is_space(*byte);
        let content = lines.iter().position(is_content).zip(lines.iter().rposition(is_content));
        let end = buffer.at + lines.len();
        if let Some((first, last)) = content {
            self.has_movetext = true;
            buffer.note(buffer.at + first, buffer.at + last + 1);
        }
        buffer.at = end;
        true
    }

    fn inside(&mut self, buffer: &mut ReadBuffer, mut blank: bool, mut run: bool) {
        while let Some(&byte) = buffer.bytes.get(buffer.at) {
            buffer.at += 1;
            if byte == b'\n' {
                if blank && self.section == Section::Tags {
                    self.section = Section::Moves;
                }
                self.mode = Mode::LineStart { marked: false };
                return;
            }
            if is_space(byte) {
                run = false;
                continue;
            }
            blank = false;
            buffer.note(buffer.at - 1, buffer.at);
            match byte {
                b'{' => {
                    self.has_movetext |= self.section == Section::Moves;
                    self.mode = Mode::Comment { open: buffer.at - 1, bracket: None };
                    return;
                }
                b';' if !run => {
                    self.mode = Mode::Rest;
                    return;
                }
                _ => {
                    run = !is_special(byte);
                    self.section = Section::Moves;
                    self.has_movetext = true;
                }
            }
        }
        self.mode = Mode::Inside { blank, run };
    }

    /// Scans on inside a comment.
    fn comment(&mut self, buffer: &mut ReadBuffer, open: usize, mut bracket: Option<usize>) -> Step {
        let Unclosed { until, game_tag } = self.unclosed;
        if buffer.at == open + 1 && until > buffer.at {
            let known = &buffer.bytes[..buffer.bytes.len().min(until + MARKED_TAG.len())];
            bracket = memchr::memchr_iter(b'\n', &buffer.bytes[open..until])
                .map(|at| open + at + 1)
                .find(|&line| unmarked(&known[line..]).starts_with(b"["));
            if let Some(end) = bracket.filter(|_| game_tag) {
                return Step::End(end);
            }
            buffer.at = until;
        }
        let first = buffer.at;
        let last = buffer.bytes.len().min(open + 1 + limits::COMMENT + 1);
        for found in memchr::memchr2_iter(b'}', b'\n', &buffer.bytes[first..last]) {
            let found = first + found;
            if buffer.bytes[found] == b'}' {
                buffer.at = found + 1;
                buffer.content = buffer.at;
                self.mode = Mode::Inside { blank: false, run: false };
                return Step::On;
            }
            let line = &buffer.bytes[found + 1..];
            let unmarked = unmarked(line);
            let short = unmarked.len() < GAME_TAG.len() && GAME_TAG.starts_with(unmarked);
            if !buffer.ended && (short || is_cut_mark(line)) {
                // The line is incomplete: return to its line break later.
                buffer.at = found;
                self.mode = Mode::Comment { open, bracket };
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
        buffer.at = last;
        buffer.content = last;
        self.mode = Mode::Comment { open, bracket };
        self.unclosed = Unclosed { until: last, game_tag: false };
        if last > open + 1 + limits::COMMENT {
            // It is too long for a comment. The text after it is scanned as usual.
            self.long_comment = true;
            self.section = Section::Moves;
            self.has_movetext = true;
            self.mode = Mode::Inside { blank: false, run: true };
            return bracket.map_or(Step::On, Step::End);
        }
        Step::On
    }
}
