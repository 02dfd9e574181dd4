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

/// The rows of `record.syntax`.
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
