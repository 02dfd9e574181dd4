//! Translates names, moves, comments, results and ends of `OpenTafl` into those of a record.

use std::borrow::Cow;

use crate::{
    Side,
    record::{Outcome, Tag, comment::tidy},
};

/// Terminations, and the words that show each in a sentence of `OpenTafl`.
const ENDS: [(&str, &[&str]); 5] = [
    ("resignation", &["resign"]),
    ("time", &["on time", "out of time", "timeout", "time out"]),
    ("agreement", &["agreed", "agreement"]),
    ("adjudication", &["adjudicat"]),
    ("abandoned", &["abandon"]),
];

/// The token of a move: `d6-a6xta5/Kd5` names the captured pieces, which a token does not, and the king, which stays on
/// the board.
pub(super) fn token(run: &str) -> Cow<'_, str> {
    // Without a move before the `x` it is no capture, and the text stays as it is.
    let Some((moved, rest)) = run.split_once('x').filter(|(moved, _)| !moved.is_empty()) else {
        return Cow::Borrowed(run);
    };
    let taken = rest.trim_end_matches(['+', '-']);
    let is_king = |square: &&str| matches!(square.as_bytes(), [b'K', b'a'..=b'g', b'1'..=b'7']);
    let squares: Vec<_> = taken
        .split('/')
        .filter(|square| !is_king(square))
        .map(|square| square.strip_prefix(['t', 'T']).unwrap_or(square))
        .collect();
    let joint = if squares.is_empty() { "" } else { "x" };
    let ours = format!("{moved}{joint}{}{}", squares.join("/"), &rest[taken.len()..]);
    if ours == run { Cow::Borrowed(run) } else { Cow::Owned(ours) }
}

/// The comments of a text: one, or one for each line if a single comment could not be written, because a `}` would
/// close it or a line looks like the first tag.
pub(super) fn comment(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    fn ours(text: &str) -> Option<Cow<'_, str>> {
        tidy(text, |part| Cow::Borrowed(&text[part]))
    }
    let by_line = text.contains('}') || text.contains("[Game \"");
    let whole = Some(text).filter(|_| !by_line).and_then(ours);
    let lines = Some(text).filter(|_| by_line).into_iter().flat_map(str::lines).filter_map(ours);
    whole.into_iter().chain(lines)
}

/// The name with `_` for each character that a tag name cannot have.
pub(super) fn our_name(name: &str) -> Cow<'_, str> {
    let fits = Tag::is_of_name;
    if name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.chars().map(|c| if fits(c) { c } else { '_' }).collect())
}

/// The outcome of the tag `result`, which is that of the attackers.
pub(super) fn outcome(value: &str) -> Option<Outcome> {
    Outcome::ALL.into_iter().find(|outcome| code(*outcome) == value)
}

/// The value of the tag `result` for an outcome.
pub(super) const fn code(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::Two) => "1",
        Outcome::Win(Side::One) => "-1",
        Outcome::Draw => "0",
        Outcome::Open => "?",
    }
}

/// The termination that a sentence names, if it names exactly one.
pub(super) fn end_told(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let mut told = ENDS.iter().filter(|(_, signs)| signs.iter().any(|sign| text.contains(sign)));
    let (end, _) = told.next()?;
    told.next().is_none().then_some(end)
}
