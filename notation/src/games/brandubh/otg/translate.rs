//! Names, moves, comments, results and ends of `OpenTafl`, as a record writes them.

use std::borrow::Cow;

use crate::{
    Side,
    record::{Outcome, Tag, comment::tidy},
};

/// Ends that `OpenTafl` tells in a sentence, and what shows them in it.
const ENDS: [(&str, &[&str]); 5] = [
    ("resignation", &["resign"]),
    ("time", &["on time", "out of time", "timeout", "time out"]),
    ("agreement", &["agreed", "agreement"]),
    ("adjudication", &["adjudicat"]),
    ("abandoned", &["abandon"]),
];

/// A move in our form: `d6-a6xta5/Kd5` names pieces taken, which we do not, and the king, who is not taken off.
pub(super) fn token(run: &str) -> Cow<'_, str> {
    // Without a move before it this is no capture, and nothing is told of it that goes without saying.
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

/// A text as a comment of ours, or as one for each line where as one it could not be written: a `}` would close it, and
/// a line that looks like the first tag would show that it was not closed.
pub(super) fn comment(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    fn ours(text: &str) -> Option<Cow<'_, str>> {
        tidy(text, |part| Cow::Borrowed(&text[part]))
    }
    let by_line = text.contains('}') || text.contains("[Game \"");
    let whole = Some(text).filter(|_| !by_line).and_then(ours);
    let lines = Some(text).filter(|_| by_line).into_iter().flat_map(str::lines).filter_map(ours);
    whole.into_iter().chain(lines)
}

/// A name with nothing but what names of ours are made of.
pub(super) fn our_name(name: &str) -> Cow<'_, str> {
    let fits = Tag::is_of_name;
    if name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.chars().map(|c| if fits(c) { c } else { '_' }).collect())
}

/// What the tag `result` says; it speaks of the attackers.
pub(super) fn outcome(value: &str) -> Option<Outcome> {
    match value {
        "1" => Some(Outcome::Win(Side::Two)),
        "-1" => Some(Outcome::Win(Side::One)),
        "0" => Some(Outcome::Draw),
        "?" => Some(Outcome::Open),
        _ => None,
    }
}

/// The end that a sentence tells, if it tells one of ours and no other.
pub(super) fn end_told(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let mut told = ENDS.iter().filter(|(_, signs)| signs.iter().any(|sign| text.contains(sign)));
    let (end, _) = told.next()?;
    told.next().is_none().then_some(end)
}
