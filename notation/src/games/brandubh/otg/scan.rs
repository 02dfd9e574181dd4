//! Faults and places of a replay, shared by the reader of the moves and that of the rules.

use std::ops::Range;

use super::super::Diagram;
use crate::{
    Span,
    record::{ForeignFault, ReadError, SyntaxFault},
};

/// A fault in a replay.
#[derive(Clone, Copy, Debug)]
pub(super) enum OtgFault {
    /// A tag is not `[name:value]`.
    Tag,
    /// A comment that is not closed.
    Comment,
    /// A line begins with neither a move number nor a `[`.
    Line,
    /// The text of a move begins with no letter, or has a character that no move has.
    Move,
    /// A move after a resignation.
    Resigned,
    /// The rules are for a board of another size.
    Board,
    /// A position is not seven rows of seven squares with `t`, `T` and `K`.
    Rows,
}

impl From<OtgFault> for SyntaxFault {
    fn from(fault: OtgFault) -> Self {
        let (variant, quotes) = match fault {
            OtgFault::Tag => ("otg-tag", false),
            OtgFault::Comment => ("otg-comment", false),
            OtgFault::Line => ("otg-line", true),
            OtgFault::Move => ("otg-move", true),
            OtgFault::Resigned => ("otg-resigned", true),
            OtgFault::Board => ("otg-board", true),
            OtgFault::Rows => ("otg-rows", true),
        };
        Self::Foreign(ForeignFault { variant, quotes })
    }
}

pub(super) fn syntax(fault: OtgFault, at: Range<usize>) -> ReadError {
    ReadError::syntax(fault.into(), Span::new(at.start, at.end))
}

/// The rows of a position, as quipu writes them; `span` is its place.
pub(super) fn rows_at(text: &str, span: Span) -> Result<String, ReadError> {
    let diagram = Diagram::parse_otg(text);
    let faulty = |at: Span| syntax(OtgFault::Rows, at.shifted(span.start as usize).range());
    diagram.map(|diagram| diagram.to_string()).map_err(|fault| faulty(fault.span))
}
