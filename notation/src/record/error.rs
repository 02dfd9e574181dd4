//! Why a text cannot be read as a record.

use crate::Span;

/// A fault that makes a record unreadable, and where it is in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What is wrong.
    pub kind: ReadErrorKind,
    /// Where.
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

/// What can be wrong with the form of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// `record.syntax`: something stands where it cannot.
    Syntax(SyntaxFault),
    /// `record.encoding`: a byte that is not UTF-8.
    Encoding {
        /// The byte.
        byte: u8,
    },
    /// `record.tag`: a tag name appears a second time.
    Tag {
        /// Where it stood first.
        first: Span,
    },
    /// `record.limit`: too large.
    Limit(Limit),
}

/// The rows of `record.syntax`, all forms together.
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
    /// Something stands behind a tag pair on its line.
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
    /// In another form than quipu's own: a name that no tag can have.
    Name,
    /// In another form: a value of a tag with a line break in it.
    ValueBreak,
    /// In another form: what cannot be written as a move.
    Token,
    /// In another form: a comment that the text form cannot hold.
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

/// What can be wrong with a record in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFault {
    /// Something that JSON does not have there.
    Form,
    /// The text ends before all that was opened is closed.
    End,
    /// Something else than an object.
    Object,
    /// Something else than a list.
    List,
    /// Something else than a text.
    Text,
    /// A text with an escape that stands for no character.
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

/// What can be wrong with a scoresheet in CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvFault {
    /// A line that begins with `#` and is not `#Name: value`.
    Tag,
    /// Something stands beside a tag in quotes.
    TagRest,
    /// A cell in quotes that is not closed on its line, or goes on behind them.
    Quote,
    /// A column that is not known.
    Column,
    /// A column that is there twice.
    ColumnTwice,
    /// The header does not name a column of moves for each side.
    Columns,
    /// A cell outside the columns of the header.
    Cell,
    /// A cell in the column of numbers that is no number.
    Number,
    /// An empty cell with moves behind it.
    Gap,
    /// What is no clock.
    Clock,
    /// A clock without a move.
    ClockAlone,
    /// Something stands behind the result.
    AfterResult,
}

/// The rows of `record.limit`.
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
}
