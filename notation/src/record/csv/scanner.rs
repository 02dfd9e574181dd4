//! Finds the end of a scoresheet: before the first tag, or header, that follows its rows.
//!
//! A cell never spans lines, so an unclosed quote hides nothing.

use super::{
    super::{
        read_buffer::{self, ReadBuffer, is_cut_mark, unmarked},
        text::is_space,
    },
    Kind, is_delimiter,
};

/// Splits between scoresheets.
#[derive(Debug, Default)]
pub(in crate::record) struct Splitter {
    mode: Mode,
    /// True behind a header or row: a tag begins the next scoresheet.
    rows: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    /// At the first byte of a line.
    #[default]
    LineStart,
    /// Inside a row, up to its second filled cell. With one alone it is a title.
    Row {
        /// Inside quotes.
        quoted: bool,
        /// Inside a filled cell.
        inside: bool,
        /// Behind a filled cell.
        behind: bool,
    },
    /// The rest of the line does not matter.
    Rest,
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
                    let kind = Kind::of(unmarked(line), buffer.ended)?;
                    if self.rows && matches!(kind, Kind::Tag | Kind::Header) {
                        return Some(buffer.at);
                    }
                    buffer.at += line.len() - unmarked(line).len();
                    self.rows |= kind == Kind::Header;
                    self.mode = match kind {
                        Kind::Row => Mode::Row { quoted: false, inside: false, behind: false },
                        Kind::Tag | Kind::Closing | Kind::Header => Mode::Rest,
                    };
                }
                Mode::Row { quoted, inside, behind } => self.row(buffer, [quoted, inside, behind]),
                Mode::Rest => self.rest(buffer),
            }
        }
        None
    }

    fn next(&mut self) -> bool {
        *self = Self::default();
        false
    }
}

impl Splitter {
    /// Goes on to the end of the line, or to the second filled cell.
    fn row(&mut self, buffer: &mut ReadBuffer, [mut quoted, mut inside, mut behind]: [bool; 3]) {
        while let Some(&byte) = buffer.bytes.get(buffer.at) {
            if byte == b'\n' {
                buffer.at += 1;
                self.mode = Mode::LineStart;
                return;
            }
            if !is_space(byte) || byte == b'\t' {
                match byte {
                    b'"' => quoted = !quoted,
                    _ if is_delimiter(byte) && !quoted => behind |= std::mem::take(&mut inside),
                    b'\t' => {}
                    _ if behind => {
                        buffer.note(buffer.at, buffer.at + 1);
                        self.rows = true;
                        self.mode = Mode::Rest;
                        return;
                    }
                    _ => inside = true,
                }
                if byte != b'\t' {
                    buffer.note(buffer.at, buffer.at + 1);
                }
            }
            buffer.at += 1;
        }
        self.mode = Mode::Row { quoted, inside, behind };
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
