//! Writes records: the canonical form, piece by piece, and the other formats.
//!
//! [`Writer`] writes the form that `docs/notation.md` defines to any [`Sink`]: a text for people, or the bytes that the id of
//! a record is computed from. The referee supplies the canonical token of each ply; without a referee tokens stay as
//! they were written ([`as_written`]).

use std::fmt;

use serde::Serialize;

use super::{Format, Movetext, Ply, Record, Tag, clock};
use crate::games::{FOREIGN, ForeignFormat, GameNotation};

mod csv;
mod json;
mod order;
#[cfg(feature = "spreadsheets")]
mod xlsx;

pub use super::sink::write_decimal;
pub use super::sink::{Bytes, Sink};
pub use super::tags::BASE_RULES;
pub use csv::Omitted;
pub use order::tags_are_in_order;
#[cfg(feature = "spreadsheets")]
pub use xlsx::{LabelLanguage, ScoresheetWorkbook, WorkbookError};

use self::order::tags;

/// A format that records are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// quipu's own text.
    Quipu,
    /// A JSON object on many lines, for people.
    Json,
    /// A JSON object on one line.
    Ndjson,
    /// A scoresheet in CSV.
    Csv,
}

impl OutputFormat {
    /// All.
    pub const ALL: [Self; 4] = [Self::Quipu, Self::Json, Self::Ndjson, Self::Csv];

    /// Its name, which is also the extension of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quipu => "quipu",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
        }
    }

    /// The format with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.as_str() == name)
    }

    /// The format that it is read as.
    pub const fn input_format(self) -> Format {
        match self {
            Self::Quipu => Format::Quipu,
            Self::Json | Self::Ndjson => Format::Json,
            Self::Csv => Format::Csv,
        }
    }

    /// A record in this format, with its tokens as they are, and the counts of omitted notes. Records written one after
    /// another can be read back.
    pub fn write(self, record: &Record<'_>) -> (String, Omitted) {
        match self {
            Self::Quipu => (as_written(record), Omitted::default()),
            Self::Json => (json::pretty(record), Omitted::default()),
            Self::Ndjson => (json::line(record), Omitted::default()),
            Self::Csv => csv::sheet(record),
        }
    }
}

/// An empty scoresheet in CSV to write the moves of a record into, with rows for its tags.
pub fn empty_sheet(record: &Record<'_>) -> String {
    csv::empty_sheet(record)
}

/// A format of files that records are written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Text.
    Text(OutputFormat),
    /// A workbook of Excel, with a sheet for each record.
    Xlsx,
    /// The format of another program.
    Foreign(&'static ForeignFormat),
}

impl FileFormat {
    /// Formats that every game has.
    const SHARED: [Self; 5] = {
        let [quipu, json, ndjson, csv] = OutputFormat::ALL;
        [Self::Text(quipu), Self::Text(json), Self::Text(ndjson), Self::Text(csv), Self::Xlsx]
    };

    /// All.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::SHARED.into_iter().chain(FOREIGN.iter().map(Self::Foreign))
    }

    /// Their names.
    pub fn names() -> Vec<&'static str> {
        Self::all().map(Self::as_str).collect()
    }

    /// Its name, which is also the extension of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text(format) => format.as_str(),
            Self::Xlsx => "xlsx",
            Self::Foreign(foreign) => foreign.format.as_str(),
        }
    }

    /// The format of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|format| format.as_str() == name)
    }
}

impl Default for FileFormat {
    /// quipu's own text.
    fn default() -> Self {
        Self::Text(OutputFormat::Quipu)
    }
}

/// A record as a JSON object, to be a part of another object. Its tokens stay as they are.
pub fn object<'r>(record: &'r Record<'_>) -> impl Serialize + use<'r> {
    json::object(record)
}

/// The parts of a record that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Full,
    /// Tags, moves and clocks, which the id of a record is computed from.
    Identity,
    /// The tokens of the moves, with a space after each.
    Moves,
}

/// Writes one record.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    extent: Extent,
    plies: usize,
    /// False after a `;` comment, which ends the line.
    line_open: bool,
}

impl<W: Sink> Writer<W> {
    /// A writer to `out`.
    pub fn new(out: W, extent: Extent) -> Self {
        Self { out, extent, plies: 0, line_open: false }
    }

    /// Writes the tag section, its empty line and the comments before the first move.
    pub fn head(&mut self, record: &Record<'_>, game: Option<&GameNotation>) -> fmt::Result {
        if self.extent == Extent::Moves {
            return Ok(());
        }
        for Tag { name, value, .. } in tags(record, game) {
            self.out.write_char('[')?;
            self.out.write_str(name)?;
            self.out.write_str(" \"")?;
            let mut rest = &**value;
            while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
                self.out.write_str(&rest[..at])?;
                self.out.write_char('\\')?;
                self.out.write_str(&rest[at..=at])?;
                rest = &rest[at + 1..];
            }
            self.out.write_str(rest)?;
            self.out.write_str("\"]\n")?;
        }
        self.out.write_char('\n')?;
        if self.extent == Extent::Full {
            for text in &record.movetext.comments {
                self.comment(text)?;
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// Writes tag lines that are in canonical form, and the empty line after them.
    pub fn copy_head(&mut self, lines: &str) -> fmt::Result {
        if self.extent == Extent::Moves {
            return Ok(());
        }
        self.out.write_str(lines)?;
        self.out.write_char('\n')
    }

    /// Writes a part of movetext that is in canonical form, with so many plies.
    pub fn copy(&mut self, text: &str, plies: usize) -> fmt::Result {
        self.plies += plies;
        self.line_open |= !text.is_empty();
        self.out.write_str(text)
    }

    /// Writes the next ply as `token`, with its clock and its notes.
    pub fn ply(&mut self, token: &str, ply: &Ply<'_>) -> fmt::Result {
        self.token_with(|out| out.write_str(token))?;
        self.beside(ply)
    }

    /// Writes the next ply without clock and notes: its number, if it begins a line, and the token that `token` writes.
    #[inline]
    pub fn token_with(&mut self, token: impl FnOnce(&mut W) -> fmt::Result) -> fmt::Result {
        if self.extent == Extent::Moves {
            token(&mut self.out)?;
            return self.out.write_char(' ');
        }
        if self.plies.is_multiple_of(2) {
            if self.plies > 0 {
                self.end_line()?;
            }
            write_decimal(Record::expected_number(self.plies), &mut self.out)?;
            self.out.write_char('.')?;
        }
        self.spaced(token)
    }

    /// Writes the clock of the last ply, in milliseconds.
    pub fn clock(&mut self, clock: u64) -> fmt::Result {
        if self.extent == Extent::Moves {
            return Ok(());
        }
        self.out.ascii(b" {[%clk ", 8)?;
        clock::write(clock, &mut self.out)?;
        self.out.ascii(b"]}", 2)
    }

    /// Writes the next ply with the number that it was written with, if any. The second ply of a line has a number only if it differs
    /// from `first`.
    fn ply_as_numbered(&mut self, ply: &Ply<'_>, first: Option<u64>) -> fmt::Result {
        let is_first = self.plies.is_multiple_of(2);
        if is_first && self.plies > 0 {
            self.end_line()?;
        }
        let written = ply.number.map(|number| number.value).filter(|number| is_first || Some(*number) != first);
        if let Some(written) = written {
            self.out.write_str(if is_first { "" } else { " " })?;
            write_decimal(written, &mut self.out)?;
            self.out.write_str(if is_first { "." } else { "..." })?;
        }
        self.spaced(|out| out.write_str(&ply.token))?;
        self.beside(ply)
    }

    #[inline]
    fn spaced(&mut self, token: impl FnOnce(&mut W) -> fmt::Result) -> fmt::Result {
        self.plies += 1;
        self.line_open = true;
        // A line begins with a space too, so that a token can never be read as a `%` line.
        self.out.write_char(' ')?;
        token(&mut self.out)
    }

    /// Writes the result and the empty line that ends a record.
    pub fn end(&mut self, result: &str) -> fmt::Result {
        if self.extent == Extent::Moves {
            return Ok(());
        }
        if self.plies > 0 {
            self.end_line()?;
        }
        self.out.write_str(result)?;
        self.out.write_str("\n\n")
    }

    /// The parts that are written.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn end_line(&mut self) -> fmt::Result {
        if std::mem::take(&mut self.line_open) { self.out.write_char('\n') } else { Ok(()) }
    }

    /// Writes a word after a space.
    fn put(&mut self, text: &str) -> fmt::Result {
        self.line_open = true;
        self.out.write_char(' ')?;
        self.out.write_str(text)
    }

    /// Writes the clock of a ply and, of a whole record, its notes.
    fn beside(&mut self, ply: &Ply<'_>) -> fmt::Result {
        let notes = ply.notes.as_deref().filter(|_| self.extent == Extent::Full);
        for nag in notes.iter().flat_map(|notes| &notes.nags) {
            write!(self.out, " ${nag}")?;
        }
        if let Some(clock) = ply.clock {
            self.clock(clock.value)?;
        }
        let Some(notes) = notes else { return Ok(()) };
        for text in &notes.comments {
            self.out.write_char(' ')?;
            self.comment(text)?;
        }
        for line in &notes.variations {
            self.variation(line)?;
        }
        Ok(())
    }

    /// Writes a comment in braces; one with a `}` was written after a `;`, and is written so again.
    fn comment(&mut self, text: &str) -> fmt::Result {
        if text.contains('}') {
            self.line_open = false;
            return writeln!(self.out, ";{text}");
        }
        self.line_open = true;
        write!(self.out, "{{{text}}}")
    }

    fn variation(&mut self, movetext: &Movetext<'_>) -> fmt::Result {
        self.out.write_str(" (")?;
        let mut first = true;
        for text in &movetext.comments {
            if !std::mem::take(&mut first) {
                self.out.write_char(' ')?;
            }
            self.comment(text)?;
        }
        for ply in &movetext.plies {
            if std::mem::take(&mut first) {
                self.out.write_str(&ply.token)?;
            } else {
                self.put(&ply.token)?;
            }
            self.beside(ply)?;
        }
        self.line_open = true;
        self.out.write_char(')')
    }
}

/// The result line: the final token, else the tag, else `*`. An invalid value of the tag would be read as a move there,
/// so it counts as none.
pub fn result_line(record: &Record<'_>) -> &'static str {
    record.outcome().as_str()
}

/// The move numbers of a record that are not the right ones.
pub fn wrong_numbers(record: &Record<'_>) -> usize {
    let numbers = record.movetext.plies.iter().enumerate().filter_map(|(index, ply)| Some((index, ply.number?)));
    numbers.filter(|(index, number)| number.value != Record::expected_number(*index)).count()
}

/// The record as [`as_written`], but with the move numbers that it was written with.
pub fn as_numbered(record: &Record<'_>) -> String {
    let mut writer = Writer::new(String::new(), Extent::Full);
    let written: fmt::Result = (|| {
        writer.head(record, record.game())?;
        for pair in record.movetext.plies.chunks(2) {
            let first = pair[0].number.map(|number| number.value);
            pair.iter().try_for_each(|ply| writer.ply_as_numbered(ply, first))?;
        }
        writer.end(result_line(record))
    })();
    debug_assert!(written.is_ok(), "a String takes everything");
    writer.into_inner()
}

/// The record as it is formatted: [`as_written`], and [`as_numbered`] where a move number is wrong, because such numbers reveal a
/// missing turn.
pub fn as_formatted(record: &Record<'_>) -> String {
    if wrong_numbers(record) > 0 { as_numbered(record) } else { as_written(record) }
}

/// The move tokens of a text that was written with [`Extent::Identity`], as [`Extent::Moves`] has them.
pub fn moves(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut at = memchr::memmem::find(bytes, b"\n\n").map_or(bytes.len(), |end| end + 2);
    let mut moves = Vec::with_capacity(bytes.len() - at);
    // A line of moves begins with its number; the result stands alone.
    let mut is_number = true;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\n' if !std::mem::replace(&mut is_number, true) => moves.push(b' '),
            b' ' if is_number => is_number = false,
            // A clock, with the space before it.
            b'{' if !is_number => {
                at += memchr::memchr(b'}', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
                moves.pop();
            }
            _ if !is_number => moves.push(byte),
            _ => {}
        }
    }
    // Whole words of a text.
    String::from_utf8(moves).unwrap_or_default()
}

/// The record in canonical form, as far as notation alone can write it: every token stays as it was written.
pub fn as_written(record: &Record<'_>) -> String {
    let mut writer = Writer::new(String::new(), Extent::Full);
    let written: fmt::Result = (|| {
        writer.head(record, record.game())?;
        for ply in &record.movetext.plies {
            writer.ply(&ply.token, ply)?;
        }
        writer.end(result_line(record))
    })();
    debug_assert!(written.is_ok(), "a String takes everything");
    writer.into_inner()
}
