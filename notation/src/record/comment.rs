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
    /// A text in the one before that looks like a clock and is none, and its range in the comment.
    Odd(Cow<'a, str>, Range<usize>),
}

/// Bytes of a text that looks like a clock.
const ODD: usize = 32;

/// The range of a text that looks like a clock and is none: in brackets after `%clk`, or a whole comment of digits and colons.
fn odd_clock(text: &str) -> Option<Range<usize>> {
    let marked = memchr::memchr_iter(b'[', text.as_bytes()).find_map(|open| {
        let inside = &text[open + 1..];
        let close = memchr::memchr(b']', &inside.as_bytes()[..inside.len().min(ODD)])?;
        let inside = &inside[..close];
        let name = inside.trim_start().strip_prefix('%')?.trim_start();
        name.get(..3).filter(|name| name.eq_ignore_ascii_case("clk"))?;
        let start = open + 1 + inside.len() - name.len() + 3;
        let value = text::inner(&text[start..open + 1 + close]);
        Some(start + value.start..start + value.end)
    });
    marked.or_else(|| {
        let inner = text::inner(text);
        let clock = &text[inner.clone()];
        if clock.len() > ODD || !clock.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let mut parts = clock.split(':');
        let is_number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let last = parts.next_back()?;
        let seconds = last.split(['.', ',']).next().unwrap_or(last);
        let is_fraction = last[seconds.len()..].bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let is_clock = is_number(seconds) && is_fraction && (1..=2).contains(&parts.clone().count());
        (is_clock && parts.all(is_number)).then_some(inner)
    })
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
        between(text, start..from, &part, &mut each)?;
        each(Piece::Clock(millis, from..to))?;
        start = to;
    }
    between(text, start..text.len(), &part, &mut each)
}

/// The pieces of a range without clocks.
fn between<'a, E>(
    text: &str,
    range: Range<usize>,
    part: &impl Fn(Range<usize>) -> Cow<'a, str>,
    each: &mut impl FnMut(Piece<'a>) -> Result<(), E>,
) -> Result<(), E> {
    let (start, text) = (range.start, &text[range]);
    let moved = |range: Range<usize>| start + range.start..start + range.end;
    let Some(tidied) = tidy(text, |range| part(moved(range))) else { return Ok(()) };
    each(Piece::Text(tidied))?;
    match odd_clock(text).map(moved) {
        Some(odd) => each(Piece::Odd(part(odd.clone()), odd)),
        None => Ok(()),
    }
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

/// Checks that the text format can express a tidied comment: in braces no `}`, after `;` no line break, and no line
/// that looks like a tag section after an unclosed comment.
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
