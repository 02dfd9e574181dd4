//! Finds the end of a scoresheet: before the first tag, or header, that follows its rows.
//!
//! A cell never spans lines, so an unclosed quote hides nothing.

use super::{
    super::{
        read_buffer::{self, ReadBuffer, is_cut_mark, unmarked},
        text::is_space,
    },
    Kind,
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
    /// Inside a row without a filled cell so far.
    Unfilled,
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
                    if self.rows && kind != Kind::Row {
                        return Some(buffer.at);
                    }
                    buffer.at += line.len() - unmarked(line).len();
                    self.mode = if kind == Kind::Tag { Mode::Rest } else { Mode::Unfilled };
                }
                Mode::Unfilled => self.unfilled(buffer),
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
    /// Scans to the end of the line, or to the first filled cell.
    fn unfilled(&mut self, buffer: &mut ReadBuffer) {
        while let Some(&byte) = buffer.bytes.get(buffer.at) {
            if byte == b'\n' {
                buffer.at += 1;
                self.mode = Mode::LineStart;
                return;
            }
            if !is_space(byte) {
                buffer.note(buffer.at, buffer.at + 1);
                if !matches!(byte, b',' | b';' | b'"') {
                    self.rows = true;
                    self.mode = Mode::Rest;
                    return;
                }
            }
            buffer.at += 1;
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
