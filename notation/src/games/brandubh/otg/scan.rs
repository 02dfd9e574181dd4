//! Parts of a replay that its reader and its rules share.

use std::ops::Range;

use super::super::Diagram;
use crate::{
    Span,
    record::{OtgFault, ReadError, SyntaxFault, text::is_space},
};

pub(super) fn syntax(fault: OtgFault, at: Range<usize>) -> ReadError {
    ReadError::syntax(SyntaxFault::Otg(fault), Span::new(at.start, at.end))
}

pub(super) fn is_blank(character: char) -> bool {
    character.is_ascii() && is_space(character as u8)
}

/// Our rows of the position that stands there.
pub(super) fn rows_at(text: &str, span: Span) -> Result<String, ReadError> {
    let diagram = Diagram::parse_otg(text);
    let faulty = |at: Span| syntax(OtgFault::Rows, at.shifted(span.start as usize).range());
    diagram.map(|diagram| diagram.to_string()).map_err(|fault| faulty(fault.span))
}
