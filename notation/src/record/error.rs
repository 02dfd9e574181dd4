//! Faults that make a text unreadable as a record.

use super::SourceRefusal;
use crate::Span;

/// A fault that makes a record unreadable, and its span in the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The fault.
    pub kind: ReadErrorKind,
    /// Its span in the chunk.
    pub span: Span,
}

impl ReadError {
    pub(crate) const fn syntax(fault: SyntaxFault, span: Span) -> Self {
        Self { kind: ReadErrorKind::Syntax(fault), span }
    }

    pub(crate) const fn limit(limit: Limit, span: Span) -> Self {
        Self { kind: ReadErrorKind::Limit(limit), span }
    }
}

/// The codes of unreadable records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// `record.syntax`: something is out of place.
    Syntax(SyntaxFault),
    /// `record.encoding`: a byte that is not UTF-8.
    Encoding {
        /// The byte.
        byte: u8,
    },
    /// `record.tag`: a tag name appears a second time.
    Tag {
        /// Its first place.
        first: Span,
    },
    /// `record.limit`: too large.
    Limit(Limit),
    /// `record.foreign`: the source, or a part of it, is no text at all.
    Refused(SourceRefusal),
}

/// The variants of `record.syntax`, for all formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxFault {
    /// A tag's name is missing or has other characters than letters, digits and `_`.
    TagName,
    /// After a tag's name no white space and a double quote follow.
    TagQuote,
    /// A tag's value is not closed on its line.
    TagValue,
    /// After a tag's value no `]` follows.
    TagClose,
    /// Text follows a tag pair on its line.
    TagRest,
    /// A `[` or `]` inside the movetext.
    Bracket,
    /// A `}` without `{`.
    Brace,
    /// A comment that is not closed.
    Comment,
    /// A variation that is not closed.
    Variation,
    /// A variation before any move.
    VariationStart,
    /// A `)` without `(`.
    VariationEnd,
    /// An annotation before any move.
    Annotation,
    /// A run of `!` and `?` that is no annotation.
    Marks,
    /// A `$` without a number.
    Nag,
    /// In another format than quipu's own: an invalid tag name.
    Name,
    /// In another format: a tag value with a line break.
    ValueBreak,
    /// In another format: a token that the text format would not read as one.
    Token,
    /// In another format: a comment that the text format cannot express.
    CommentText,
    /// A fault that only JSON has.
    Json(JsonFault),
    /// A fault that only scoresheets in CSV have.
    Csv(CsvFault),
    /// A fault of a format that one game brings along.
    Foreign(ForeignFault),
}

/// A fault of a format that one game brings along ([`crate::games::ForeignFormat`]), under the name that its messages have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignFault {
    /// The variant of `record.syntax`: `otg-tag`.
    pub variant: &'static str,
    /// True if the message quotes the text at the place of the fault.
    pub quotes: bool,
}

/// A fault in a record in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFault {
    /// A character that JSON does not allow there.
    Form,
    /// The text ends before all that was opened is closed.
    End,
    /// A value other than an object.
    Object,
    /// A value other than a list.
    List,
    /// A value other than a string.
    Text,
    /// A string with an escape for no character.
    Escape,
    /// A field that is not known there.
    Field,
    /// A move without its field `move`.
    Move,
    /// A `clock_ms` that no clock can show.
    Clock,
    /// An annotation that is no number.
    Nag,
}

/// A fault in a scoresheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvFault {
    /// A line that begins with `#` and is not `#Name: value`.
    Tag,
    /// A filled cell beside a tag in quotes.
    TagRest,
    /// A cell in quotes that is not closed on its line, or has text after its quotes.
    Quote,
    /// A column that is there twice.
    ColumnTwice,
    /// The header does not name a column of moves for each side. The names of the sides, where the game is known.
    Columns(Option<[&'static str; 2]>),
    /// A cell outside the columns of the header.
    Cell,
    /// A cell in the column of numbers that is no number.
    Number,
    /// An empty cell with moves after it.
    Gap,
    /// A cell in a column of clocks that is no clock.
    Clock,
    /// A clock without a move.
    ClockAlone,
    /// A filled cell after the result.
    AfterResult,
}

/// The variants of `record.limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`super::limits::TOKEN`]
    Token,
    /// [`super::limits::VALUE`]
    Value,
    /// [`super::limits::COMMENT`]
    Comment,
    /// [`super::limits::NESTING`]
    Nesting,
    /// [`super::limits::RECORD`]
    Record,
    /// [`super::limits::PLIES`]
    Plies,
    /// [`super::limits::NAG`]
    Nag,
    /// [`super::limits::FAULTS`]
    Faults,
}
