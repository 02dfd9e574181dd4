//! Records as texts: the canonical form, written piece by piece, and the other forms.
//!
//! [`Writer`] puts any [`Sink`] in the form that `record.md` defines: a text for people, or the bytes that the
//! id of a record is made of. It is told the canonical token of each ply by who knows it, the referee; what it is
//! not told stands as it was written ([`as_written`]).

use std::fmt::{self, Write};

use serde::Serialize;

use super::{Format, Movetext, Notes, Outcome, Ply, Record, Tag, clock};
use crate::games::GameNotation;

mod csv;
mod json;

pub use csv::Omitted;

/// Tags that stand first, in this order; `Rules` only if it is not [`BASE_RULES`].
const FIRST_TAGS: [&str; 6] = ["Game", "Rules", "Event", "Site", "Date", "Round"];

/// The rule set that goes without saying.
pub const BASE_RULES: &str = "base";

/// A form that records can be written in.
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

    /// Its name, which is also the ending of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quipu => "quipu",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
        }
    }

    /// The layout of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.as_str() == name)
    }

    /// The form that it is read as.
    pub const fn form(self) -> Format {
        match self {
            Self::Quipu => Format::Quipu,
            Self::Json | Self::Ndjson => Format::Json,
            Self::Csv => Format::Csv,
        }
    }

    /// A record in this form, with its tokens as they stand in it, and what the form cannot hold of it. Records that
    /// are written one after another can be read so.
    pub fn write(self, record: &Record<'_>) -> (String, Omitted) {
        match self {
            Self::Quipu => (as_written(record), Omitted::default()),
            Self::Json => (json::pretty(record), Omitted::default()),
            Self::Ndjson => (json::line(record), Omitted::default()),
            Self::Csv => csv::sheet(record),
        }
    }
}

/// A record as a JSON object, for who writes it as a part of another. Its tokens are those that stand in it.
pub fn object<'r>(record: &'r Record<'_>) -> impl Serialize + use<'r> {
    json::object(record)
}

/// The tags in their canonical order; the rule set that goes without saying is none.
fn tags<'r, 'a>(record: &'r Record<'a>, game: Option<&GameNotation>) -> impl Iterator<Item = &'r Tag<'a>> {
    let players = game.map_or([""; 2], |game| [game.sides[0].tag, game.sides[1].tag]);
    let rank = |tag: &Tag<'_>| {
        let first = FIRST_TAGS.iter().chain(&players).chain(&["Result"]).position(|name| *name == tag.name);
        first.unwrap_or(usize::MAX)
    };
    let said = record.tags.iter().filter(|tag| !(tag.name == "Rules" && tag.value == BASE_RULES));
    let mut tags: Vec<_> = said.map(|tag| (rank(tag), tag)).collect();
    // Most records have them in this order, and then sorting only looks at them once.
    tags.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
    tags.into_iter().map(|(_, tag)| tag)
}

/// What is written beside the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything that is kept.
    Full,
    /// Moves and clocks: what the id of a record is made of.
    Identity,
}

/// What records are written to.
pub trait Sink: Write {
    /// Writes the first `length` of these ASCII signs. Their number is known when the program is built: to copy all and let go
    /// of the rest takes a few instructions, where so many as there are would take a call.
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result;
}

impl Sink for String {
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result {
        self.write_str(std::str::from_utf8(&signs[..length]).map_err(|_| fmt::Error)?)
    }
}

impl<S: Sink> Sink for &mut S {
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result {
        (**self).ascii(signs, length)
    }
}

/// A text as the bytes that something is made of. Nobody reads them, so signs that are added are not looked at once more.
#[derive(Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Write for Bytes {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.0.push(byte),
            _ => self.0.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(())
    }
}

impl Sink for Bytes {
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result {
        let end = self.0.len() + length;
        self.0.extend_from_slice(signs);
        self.0.truncate(end);
        Ok(())
    }
}

/// Writes one record.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    extent: Extent,
    plies: usize,
    /// A `;` comment has ended the line.
    line_open: bool,
}

impl<W: Sink> Writer<W> {
    /// A writer to `out`.
    pub fn new(out: W, extent: Extent) -> Self {
        Self { out, extent, plies: 0, line_open: false }
    }

    /// Writes the tag section, its empty line and the comments before the first move.
    pub fn head(&mut self, record: &Record<'_>, game: Option<&GameNotation>) -> fmt::Result {
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
            for text in &record.line.comments {
                self.comment(text)?;
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// Writes the next ply as `token`, with what stands beside it.
    pub fn ply(&mut self, token: &str, ply: &Ply<'_>) -> fmt::Result {
        self.ply_with(|out| out.write_str(token), ply)
    }

    /// The same with a token that is written where it is to stand.
    pub fn ply_with(&mut self, token: impl FnOnce(&mut W) -> fmt::Result, ply: &Ply<'_>) -> fmt::Result {
        if self.plies.is_multiple_of(2) {
            if self.plies > 0 {
                self.end_line()?;
            }
            number(Record::expected_number(self.plies), &mut self.out)?;
            self.out.write_char('.')?;
        }
        self.plies += 1;
        self.line_open = true;
        // A line begins with a space too, so that a token can never be read as a `%` line.
        self.out.write_char(' ')?;
        token(&mut self.out)?;
        let notes = ply.notes.as_deref().filter(|_| self.extent == Extent::Full);
        self.beside(ply, notes)
    }

    /// Writes the result and the empty line that ends a record.
    pub fn end(&mut self, result: &str) -> fmt::Result {
        if self.plies > 0 {
            self.end_line()?;
        }
        self.out.write_str(result)?;
        self.out.write_str("\n\n")
    }

    /// Gives back where it wrote to.
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

    fn beside(&mut self, ply: &Ply<'_>, notes: Option<&Notes<'_>>) -> fmt::Result {
        for nag in notes.iter().flat_map(|notes| &notes.nags) {
            write!(self.out, " ${nag}")?;
        }
        if let Some(clock) = ply.clock {
            self.out.ascii(b" {[%clk ", 8)?;
            clock::write(clock.value, &mut self.out)?;
            self.out.ascii(b"]}", 2)?;
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

    /// Writes a comment in braces; one that holds a `}` can only have come from behind a `;`, and goes back there.
    fn comment(&mut self, text: &str) -> fmt::Result {
        if text.contains('}') {
            self.line_open = false;
            return writeln!(self.out, ";{text}");
        }
        self.line_open = true;
        write!(self.out, "{{{text}}}")
    }

    fn variation(&mut self, line: &Movetext<'_>) -> fmt::Result {
        self.out.write_str(" (")?;
        let mut first = true;
        for text in &line.comments {
            if !std::mem::take(&mut first) {
                self.out.write_char(' ')?;
            }
            self.comment(text)?;
        }
        for ply in &line.plies {
            if std::mem::take(&mut first) {
                self.out.write_str(&ply.token)?;
            } else {
                self.put(&ply.token)?;
            }
            self.beside(ply, ply.notes.as_deref())?;
        }
        self.line_open = true;
        self.out.write_char(')')
    }
}

/// Writes a number in decimal. `core::fmt` does the same at several times the price, and a record is full of them.
pub(crate) fn number(number: u64, out: &mut impl Sink) -> fmt::Result {
    let mut signs = [b'0'; 20];
    let (mut rest, length) = (number, number.checked_ilog10().map_or(1, |tens| tens as usize + 1));
    for sign in signs[..length].iter_mut().rev() {
        *sign += u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    out.ascii(&signs, length)
}

/// What the result line says: the final token, else the tag, else `*`. A tag that is no result cannot be written there
/// without being read as a move, so it counts as none.
pub fn result_line(record: &Record<'_>) -> &'static str {
    let tag = || record.value("Result").and_then(Outcome::parse);
    record.result.map(|result| result.value).or_else(tag).unwrap_or(Outcome::Open).as_str()
}

/// The record in canonical form as far as it goes without a referee: every token as it was written.
pub fn as_written(record: &Record<'_>) -> String {
    let mut writer = Writer::new(String::new(), Extent::Full);
    let written: fmt::Result = (|| {
        writer.head(record, record.game())?;
        for ply in &record.line.plies {
            writer.ply(&ply.token, ply)?;
        }
        writer.end(result_line(record))
    })();
    debug_assert!(written.is_ok(), "a String takes everything");
    writer.into_inner()
}
