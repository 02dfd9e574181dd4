//! The text of comments, in any format.

use std::{borrow::Cow, ops::Range};

use super::{Limit, ReadError, SyntaxFault, clock, limits, read_buffer::unmarked, text};
use crate::Span;

/// A part of a comment after a move.
pub(super) enum Piece<'a> {
    /// A clock, and its range in the comment.
    Clock(u64, Range<usize>),
    /// Text between clocks, tidied.
    Text(Cow<'a, str>),
}

/// Splits a comment after a move; `part` returns the text of a range. Texts between clocks become separate comments:
/// joined, they could read as another clock.
pub(super) fn pieces<'a, E>(
    text: &str,
    part: impl Fn(Range<usize>) -> Cow<'a, str>,
    mut each: impl FnMut(Piece<'a>) -> Result<(), E>,
) -> Result<(), E> {
    let mut start = 0;
    while let Some((from, millis, to)) = clock::find(&text[start..]) {
        let (from, to) = (start + from, start + to);
        if let Some(before) = tidy(&text[start..from], |range| part(start + range.start..start + range.end)) {
            each(Piece::Text(before))?;
        }
        each(Piece::Clock(millis, from..to))?;
        start = to;
    }
    let rest = tidy(&text[start..], |range| part(start + range.start..start + range.end));
    rest.map_or(Ok(()), |rest| each(Piece::Text(rest)))
}

/// The text of a comment without white space around it and with line feeds only; nothing if that is empty.
pub(crate) fn tidy<'a>(text: &str, part: impl Fn(Range<usize>) -> Cow<'a, str>) -> Option<Cow<'a, str>> {
    let inner = text::inner(text);
    if inner.is_empty() {
        return None;
    }
    let text = &text[inner.clone()];
    if !text.contains("\r\n") {
        return Some(part(inner));
    }
    let lines: Vec<_> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    Some(Cow::Owned(lines.join("\n")))
}

/// A part of a text, borrowed if the whole text is.
pub(super) fn slice<'a>(text: &Cow<'a, str>, range: Range<usize>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

/// Checks the length of a comment of another format.
pub(super) fn check_length(text: &str, at: Span) -> Result<(), ReadError> {
    if text.len() > limits::COMMENT { Err(ReadError::limit(Limit::Comment, at)) } else { Ok(()) }
}

/// Checks that the text format can express a tidied comment: in braces no `}`, behind `;` no line break, and no line
/// that looks like a tag section behind an unclosed comment.
pub(super) fn check(text: &str, at: Span) -> Result<(), ReadError> {
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let one_line = first.len() == text.len();
    let shows_open = |line: &str| unmarked(line.as_bytes()).starts_with(text::GAME_TAG);
    if !one_line && text.contains('}') || lines.any(shows_open) {
        return Err(ReadError::syntax(SyntaxFault::CommentText, at));
    }
    Ok(())
}
