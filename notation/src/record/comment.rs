//! The text of comments, whatever form they were written in.

use std::{borrow::Cow, ops::Range};

use super::{Limit, ReadError, SyntaxFault, clock, limits, read_buffer::unmarked, text};
use crate::Span;

/// What a comment after a move is made of.
pub(super) enum Piece<'a> {
    /// A clock, and where in the comment it stands.
    Clock(u64, Range<usize>),
    /// What is left, tidied.
    Text(Cow<'a, str>),
}

/// Takes a comment after a move to pieces; `part` gives parts of it to keep. What stands between clocks are comments of
/// their own: joined, they could read as another clock.
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

/// A comment's text without white space around it and with line feeds only; nothing if that is empty.
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

/// A part of a text, borrowed as long as the whole was.
pub(super) fn slice<'a>(text: &Cow<'a, str>, range: Range<usize>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

/// Checks that a comment of another form is no longer than one may be.
pub(super) fn check_length(text: &str, at: Span) -> Result<(), ReadError> {
    if text.len() > limits::COMMENT { Err(ReadError::limit(Limit::Comment, at)) } else { Ok(()) }
}

/// Checks that the text form could hold a tidied comment: in braces no `}`, behind `;` no line break, and no line that
/// shows a comment which was not closed.
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
