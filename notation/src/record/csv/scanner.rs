//! Finds the end of a scoresheet: before the first tag, or header, that follows its rows, or before the title above it.
//!
//! A cell never spans lines, so an unclosed quote hides nothing.

use super::{
    super::{
        read_buffer::{self, ReadBuffer, is_cut_mark, unmarked},
        text::is_space,
    },
    DELIMITERS, Kind, names,
};

/// Splits between scoresheets.
#[derive(Debug, Default)]
pub(in crate::record) struct Splitter {
    /// The text is a worksheet: its cells are separated by tabs.
    cells: bool,
    mode: Mode,
    /// True after a header or row: a tag begins the next scoresheet.
    rows: bool,
    /// The line before is empty.
    blank: bool,
    /// The first line of a title below the rows, after an empty line.
    title: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    /// At the first byte of a line.
    #[default]
    LineStart,
    /// Inside a row that began at this offset, and whose filled cells are counted.
    Row(usize, Filled),
    /// The rest of the line does not matter.
    Rest,
}

/// Counts the filled cells of a line, for each delimiter: the right one is known only at the end of the line.
#[derive(Clone, Copy, Debug, Default)]
struct Filled {
    /// Inside quotes.
    quoted: bool,
    /// For each delimiter: it was seen, the current cell is filled, and the number of filled cells before it.
    by: [(bool, bool, u8); DELIMITERS.len()],
    first: u8,
    last: u8,
    /// A space was seen after a letter, and a letter after that space.
    space: bool,
    words: bool,
    /// Letters in a row, up to those of a label, in the first filled cell.
    letters: usize,
}

impl Filled {
    fn add(&mut self, byte: u8) {
        if byte == b'"' {
            self.quoted = !self.quoted;
        }
        let delimiter = DELIMITERS.iter().position(|delimiter| *delimiter == byte).filter(|_| !self.quoted);
        let is_content = !is_space(byte) && byte != b'"';
        for (index, (seen, open, before)) in self.by.iter_mut().enumerate() {
            if delimiter == Some(index) {
                *seen = true;
                *before = before.saturating_add(u8::from(std::mem::take(open)));
            } else {
                *open |= is_content;
            }
        }
        if is_content && delimiter.is_none() {
            self.first = if self.first == 0 { byte } else { self.first };
            self.words |= self.space;
        }
        if self.letters < names::LABEL_LETTERS && self.by.iter().all(|(.., before)| *before == 0) {
            self.letters = if byte.is_ascii_alphabetic() || !byte.is_ascii() { self.letters + 1 } else { 0 };
        }
        self.space = byte == b' ' && self.first != 0;
        if delimiter.is_some() || is_content {
            self.last = byte;
        }
    }

    /// True for several words, which are neither a move nor a result.
    fn is_title(&self) -> bool {
        self.words && !self.quoted && (self.first.is_ascii_alphabetic() || self.first > 0xc2)
    }

    /// True for the label of a tag, if a value is beside it.
    fn is_label(&self) -> bool {
        let is_letter = self.first.is_ascii_alphabetic() || self.first > 0xc2;
        is_letter && self.letters >= names::LABEL_LETTERS && !self.quoted
    }

    /// The number of filled cells. Spreadsheets end their rows with the delimiter; a comma, more than the others, may stand in
    /// a text.
    fn count(&self, cells: bool) -> u8 {
        let is = |byte: u8| DELIMITERS.iter().position(|delimiter| *delimiter == byte);
        let seen = |byte: &u8| is(*byte).is_some_and(|index| self.by[index].0);
        let own = || is(self.last).or_else(|| is([b';', b'\t'].into_iter().find(seen).unwrap_or(b',')));
        let index = if cells { is(b'\t') } else { own() };
        index.map_or(0, |index| self.by[index].2 + u8::from(self.by[index].1))
    }
}

/// True for a remark below the moves: its label has the name of a column of comments.
fn is_remark(line: &[u8]) -> bool {
    let bound = &line[..line.len().min(names::MAX_NAME)];
    let cell = bound.split(|byte| DELIMITERS.contains(byte) || *byte == b'\n').next().unwrap_or_default();
    names::is_remarks(&names::plain_name(String::from_utf8_lossy(cell).trim_matches('"')))
}

impl Splitter {
    pub(in crate::record) fn new(cells: bool) -> Self {
        Self { cells, ..Self::default() }
    }

    /// Scans to the end of a row.
    fn row(&mut self, buffer: &mut ReadBuffer, start: usize, mut filled: Filled) {
        while let Some(&byte) = buffer.bytes.get(buffer.at) {
            if byte == b'\n' {
                buffer.at += 1;
                self.mode = Mode::LineStart;
                return self.end_of_row(start, filled);
            }
            filled.add(byte);
            if !is_space(byte) {
                buffer.note(buffer.at, buffer.at + 1);
            }
            buffer.at += 1;
        }
        self.mode = Mode::Row(start, filled);
    }

    /// A row with a single filled cell is a title, and a label with a value is an unknown tag.
    fn end_of_row(&mut self, start: usize, filled: Filled) {
        let count = filled.count(self.cells);
        if !self.rows {
            self.rows = (count > 1 && !(count == 2 && filled.is_label())) || filled.quoted;
        } else if count == 0 {
            self.blank = true;
        } else if (self.blank || self.title.is_some())
            && (count == 1 && filled.is_title() || count == 2 && filled.is_label())
        {
            self.title.get_or_insert(start);
        } else {
            (self.blank, self.title) = (false, None);
        }
    }

    /// Scans to the end of the line.
    fn rest(&mut self, buffer: &mut ReadBuffer) {
        let rest = buffer.rest();
        let line_break = memchr::memchr(b'\n', rest);
        let length = line_break.unwrap_or(rest.len());
        if let Some(last) = rest[..length].iter().rposition(|&byte| !is_space(byte)) {
            buffer.note(buffer.at, buffer.at + last + 1);
        }
        buffer.at += length;
        if line_break.is_some() {
            buffer.at += 1;
            self.mode = Mode::LineStart;
        }
    }
}

impl read_buffer::Splitter for Splitter {
    fn end(&mut self, buffer: &mut ReadBuffer) -> Option<usize> {
        while buffer.at < buffer.bytes.len() {
            match self.mode {
                Mode::LineStart => {
                    let line = buffer.rest();
                    if !buffer.ended && is_cut_mark(line) {
                        return None;
                    }
                    let start = buffer.at;
                    let unmarked = unmarked(line);
                    let kind = Kind::of(unmarked, buffer.ended)?;
                    if self.rows && matches!(kind, Kind::Tag | Kind::Header) {
                        return Some(self.title.filter(|title| *title >= buffer.start).unwrap_or(start));
                    }
                    // Most rows begin with their number.
                    let is_numbered = self.rows && unmarked.first().is_some_and(u8::is_ascii_digit);
                    let is_own = is_numbered || (self.rows && self.blank && is_remark(unmarked));
                    if kind != Kind::Row || is_own {
                        (self.blank, self.title) = (false, None);
                    }
                    self.rows |= kind == Kind::Header;
                    self.mode =
                        if kind == Kind::Row && !is_own { Mode::Row(start, Filled::default()) } else { Mode::Rest };
                    buffer.at += line.len() - unmarked.len();
                }
                Mode::Row(start, filled) => self.row(buffer, start, filled),
                Mode::Rest => self.rest(buffer),
            }
        }
        None
    }

    fn next(&mut self) -> bool {
        *self = Self::new(self.cells);
        false
    }

    fn needs(&self) -> Option<usize> {
        self.title
    }

    fn forget(&mut self) {
        self.title = None;
    }

    fn shift(&mut self, count: usize) {
        self.title = self.title.and_then(|title| title.checked_sub(count));
        if let Mode::Row(start, _) = &mut self.mode {
            *start = start.saturating_sub(count);
        }
    }
}
