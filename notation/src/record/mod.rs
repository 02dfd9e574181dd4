//! The record of a game: the container that all games share.
//!
//! Records come in several [`Format`]s. [`Reader`] detects the format and cuts a stream into [`Chunk`]s,
//! [`Chunk::records`] parses each into [`Record`]s, [`mod@write`] writes them. A record is the text as *written*, in
//! any format; the referee judges it.

use std::borrow::Cow;

use crate::{Side, Span};

mod chunk;
pub mod clock;
pub(crate) mod comment;
mod csv;
mod detect;
mod error;
mod faults;
mod format;
pub(crate) mod json;
pub mod limits;
mod move_sink;
mod read_buffer;
mod reader;
mod sink;
mod source;
mod tags;
pub(crate) mod text;
pub mod write;

pub use chunk::{Chunk, ChunkRecords, TagsBefore};
pub use csv::{clock_readings, is_shared_tag, plain_name, tag_named, tag_names, termination_named};
pub use error::{CsvFault, ForeignFault, JsonFault, Limit, ReadError, ReadErrorKind, SyntaxFault};
pub use format::Format;
pub use move_sink::{MoveSink, PlainPly, WrittenPly};
pub use reader::Reader;
pub use source::{Encoding, FileKind, SourceRefusal, encoding::as_windows_1252, is_plain};
pub use text::OpenRecord;

pub(crate) use crate::span::BOM;
pub(crate) use tags::{BASE_RULES, check as check_tag};

/// One game as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its span in the chunk.
    pub span: Span,
    /// The tag pairs in the order they were written, each name once.
    pub tags: Vec<Tag<'a>>,
    /// Comments before the first move, then the moves.
    pub movetext: Movetext<'a>,
    /// The final token.
    pub result: Option<Spanned<Outcome>>,
    /// Parts of a foreign format without a place in the record.
    pub dropped: Vec<Dropped<'a>>,
    /// Cells of a scoresheet that a spreadsheet has changed.
    pub damaged: Vec<Damaged<'a>>,
    /// Texts in the comments after moves that look like clocks and are not read as clocks; at most [`limits::FAULTS`].
    pub odd_clocks: Vec<OddClock<'a>>,
}

/// A cell that a spreadsheet has changed into a number, a time or a date, or a clock in another form. The referee finds the
/// legal one among its readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged<'a> {
    /// Its part of the record.
    pub cell: DamagedCell,
    /// As it was found.
    pub found: Cow<'a, str>,
    /// Texts that it may have had before, at least one.
    pub readings: Vec<String>,
    /// Its span in the chunk.
    pub span: Span,
}

/// The part of a record that a damaged cell holds, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DamagedCell {
    /// The token of a ply, which the record has as it was found.
    Ply(usize),
    /// The clock of a ply, for which the record has the first reading.
    Clock(usize),
    /// The value of a tag, which the record has as it was found.
    Tag(usize),
}

/// A text that looks like a clock and is not one: `[%clk 9:37]`, or a comment `9:37` by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddClock<'a> {
    /// As it was found, without brackets and `%clk`.
    pub found: Cow<'a, str>,
    /// Its span in the chunk.
    pub span: Span,
}

/// A part of a foreign format that a record cannot hold, or an absent one that a value was assumed for, to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped<'a> {
    /// As it was written; the name of an absent part.
    pub what: Cow<'a, str>,
    /// Its span in the chunk.
    pub span: Span,
    /// The rule set that was assumed, if the part is absent and should name one.
    pub assumed: Option<&'static str>,
}

/// A tag pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Letters, digits and `_`.
    pub name: Cow<'a, str>,
    /// Anything but line breaks.
    pub value: Cow<'a, str>,
    /// Span of the value, without its quotes.
    pub span: Span,
}

/// A sequence of moves: the game itself, or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Movetext<'a> {
    /// Comments before the first move.
    pub comments: Vec<Cow<'a, str>>,
    /// The moves in turn.
    pub plies: Vec<Ply<'a>>,
}

/// One move of one side, with its notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply<'a> {
    /// The move token.
    pub token: Cow<'a, str>,
    /// Span of the token.
    pub span: Span,
    /// The move number before it. Of several, the first wrong one, else the last.
    pub number: Option<Spanned<u64>>,
    /// The mover's remaining time in milliseconds. Of several, the last.
    pub clock: Option<Spanned<u64>>,
    /// Annotations, comments and variations, if there are any.
    pub notes: Option<Box<Notes<'a>>>,
}

/// Notes of a ply, which are not judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes<'a> {
    /// Numbers of the annotations; `!` is 1, `?` 2, `!!` 3, `??` 4, `!?` 5, `?!` 6.
    pub nags: Vec<u32>,
    /// Comments without their clocks.
    pub comments: Vec<Cow<'a, str>>,
    /// Alternatives to the move.
    pub variations: Vec<Movetext<'a>>,
}

/// A value and its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its span in the chunk.
    pub span: Span,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// `1-0` or `0-1`.
    Win(Side),
    /// `1/2-1/2`.
    Draw,
    /// `*`: not over, or not known.
    Open,
}

impl Outcome {
    /// All.
    pub const ALL: [Self; 4] = [Self::Win(Side::One), Self::Win(Side::Two), Self::Draw, Self::Open];

    /// Reads one of the four results.
    #[inline]
    pub fn parse(text: &str) -> Option<Self> {
        // Patterns of bytes are compared without a call, and every token is compared.
        match *text.as_bytes() {
            [b'1', b'-', b'0'] => Some(Self::Win(Side::One)),
            [b'0', b'-', b'1'] => Some(Self::Win(Side::Two)),
            [b'1', b'/', b'2', b'-', b'1', b'/', b'2'] => Some(Self::Draw),
            [b'*'] => Some(Self::Open),
            _ => None,
        }
    }

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win(Side::One) => "1-0",
            Self::Win(Side::Two) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Open => "*",
        }
    }

    /// The winner, if there is one.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw | Self::Open => None,
        }
    }
}

impl<'a> Dropped<'a> {
    /// A part that the record cannot hold.
    pub(crate) fn new(what: impl Into<Cow<'a, str>>, span: Span) -> Self {
        Self { what: what.into(), span, assumed: None }
    }

    /// An absent part of this name; `rules` are assumed in its place.
    pub(crate) fn absent(what: &'static str, span: Span, rules: &'static str) -> Self {
        Self { assumed: Some(rules), ..Self::new(what, span) }
    }
}

impl Tag<'_> {
    /// True if a tag may have this name.
    pub fn is_name(name: &str) -> bool {
        !name.is_empty() && name.chars().all(Self::is_of_name)
    }

    /// True if a tag name may have this character.
    pub(crate) fn is_of_name(character: char) -> bool {
        character.is_alphanumeric() || character == '_'
    }
}

impl Record<'_> {
    /// The result: the final token, else the tag, else [`Outcome::Open`]. An invalid value of the tag counts as none.
    pub fn outcome(&self) -> Outcome {
        let tag = || self.value("Result").and_then(Outcome::parse);
        self.result.map(|result| result.value).or_else(tag).unwrap_or(Outcome::Open)
    }

    /// The tag of this name.
    pub fn tag(&self, name: &str) -> Option<&Tag<'_>> {
        // Of names of the same length, most differ in the first byte, and comparing them whole takes a call.
        let begins = |tag: &Tag<'_>| tag.name.as_bytes().first() == name.as_bytes().first();
        self.tags.iter().find(|tag| tag.name.len() == name.len() && begins(tag) && tag.name == name)
    }

    /// The value of the tag of this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.tag(name).map(|tag| &*tag.value)
    }

    /// The correct number of the ply at `index`: one number covers a ply of the side that starts and one of the other.
    #[inline]
    pub const fn expected_number(index: usize) -> u64 {
        index as u64 / 2 + 1
    }
}
