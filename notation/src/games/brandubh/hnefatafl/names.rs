//! Names and times that the reader and the writer share.

use super::super::NOTATION;
use crate::Side;

/// Prefix of a tag that a record has no name for.
pub(super) const FOREIGN: &str = "Hnefatafl_";

/// Fields that become such tags, with what they are in JSON.
pub(super) const KEPT: [(&str, Kind); 3] = [("id", Kind::Number), ("rated", Kind::Truth), ("last_move", Kind::Text)];

/// The type of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Truth,
    Text,
}

/// Values of `variant` and the rule sets that they name.
const VARIANTS: [(&str, &str); 5] = [
    ("brandubh-base", "base"),
    ("brandubh-cuervo", "cuervo"),
    ("brandubh-nielsen", "nielsen"),
    ("brandubh", "nielsen"),
    ("brandub", "nielsen"),
];

/// The rule set that a variant names.
pub(super) fn rules(variant: &str) -> Option<&'static str> {
    VARIANTS.iter().find(|(name, _)| *name == variant).map(|(_, rules)| *rules)
}

/// The variant of a rule set; an unknown rule set is its own.
pub(super) fn variant(rules: &str) -> &str {
    VARIANTS.iter().find(|(_, name)| *name == rules).map_or(rules, |(variant, _)| *variant)
}

/// The side that begins by a rule set.
pub(super) fn first(rules: &str) -> Side {
    if NOTATION.second_starts.contains(&rules) { Side::Two } else { Side::One }
}

/// The tag `TimeControl` for these seconds, and so many more with each move.
pub(super) fn time_control(seconds: u64, increment: u64) -> String {
    if increment == 0 { seconds.to_string() } else { format!("{seconds} {increment}i") }
}

/// The seconds and the increment of a tag `TimeControl`, if it is written so.
pub(super) fn times(value: &str) -> Option<(u64, u64)> {
    let (seconds, increment) = match value.split_once(' ') {
        Some((seconds, increment)) => (seconds, increment.strip_suffix('i')?.parse().ok()?),
        None => (value, 0),
    };
    let seconds = seconds.parse().ok()?;
    (time_control(seconds, increment) == value).then_some((seconds, increment))
}
