//! Preferences for sides, which take the role of colours (C.04.3, articles 1.7 and 5).

use std::cmp::Ordering;

use quipu_notation::Side;
use serde::Serialize;

/// The strength of a preference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PreferenceStrength"))]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// No game yet.
    #[default]
    None,
    /// The other side than last time.
    Mild,
    /// One side was played once more than the other.
    Strong,
    /// One side was played twice more than the other, or in the last two games.
    Absolute,
}

/// The preference of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Preference {
    pub(super) side: Option<Side>,
    pub(super) strength: Strength,
    /// By how many games the sides differ.
    pub(super) imbalance: u32,
    /// The side of the last two games, if they had the same.
    pub(super) repeated: Option<Side>,
}

impl Preference {
    /// The preference after these games (1.7).
    pub(super) fn after(sides: &[Side]) -> Self {
        let Some(&last) = sides.last() else { return Self::default() };
        let ones = sides.iter().filter(|side| **side == Side::One).count();
        let twos = sides.len() - ones;
        let imbalance = u32::try_from(ones.abs_diff(twos)).unwrap_or(u32::MAX);
        let rarer = if ones > twos { Side::Two } else { Side::One };
        let repeated = (sides.len() > 1 && sides[sides.len() - 2] == last).then_some(last);
        let (side, strength) = match (imbalance, repeated) {
            (2.., _) => (rarer, Strength::Absolute),
            (_, Some(side)) => (!side, Strength::Absolute),
            (1, None) => (rarer, Strength::Strong),
            (_, None) => (!last, Strength::Mild),
        };
        Self { side: Some(side), strength, imbalance, repeated }
    }

    /// True if both have a preference for the same side.
    pub(super) fn clashes(self, other: Self) -> bool {
        self.side.is_some() && self.side == other.side
    }

    pub(super) fn is_absolute(self) -> bool {
        self.strength == Strength::Absolute
    }
}

/// The rule that decided the sides of a pair (5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SideAllocation"))]
pub enum Allocation {
    /// Both preferences are granted.
    #[serde(rename = "5.2.1")]
    Both,
    /// The stronger preference is granted.
    #[serde(rename = "5.2.2")]
    Stronger,
    /// The sides alternate from the last round in which they differed.
    #[serde(rename = "5.2.3")]
    Alternation,
    /// The preference of the higher ranked player is granted.
    #[serde(rename = "5.2.4")]
    Higher,
    /// The pairing number of the higher ranked player decides.
    #[serde(rename = "5.2.5")]
    Number,
}

/// A player as the allocation sees one.
pub(super) struct SideCandidate<'p> {
    pub(super) preference: &'p Preference,
    pub(super) sides: &'p [Side],
    pub(super) number: u32,
}

/// The side of the higher ranked player of a pair, and the rule that gives it.
pub(super) fn allocate(higher: &SideCandidate, lower: &SideCandidate, initial: Side) -> (Side, Allocation) {
    let (one, two) = (higher.preference, lower.preference);
    match (one.side, two.side) {
        (None, None) => {
            let side = if higher.number % 2 == 1 { initial } else { !initial };
            return (side, Allocation::Number);
        }
        (Some(side), None) => return (side, Allocation::Both),
        (None, Some(side)) => return (!side, Allocation::Both),
        (Some(side), Some(other)) if side != other => return (side, Allocation::Both),
        (Some(_), Some(_)) => {}
    }
    let wanted = one.side.expect("both prefer a side");
    let width =
        |preference: &Preference| (preference.strength, preference.is_absolute().then_some(preference.imbalance));
    match width(one).cmp(&width(two)) {
        Ordering::Greater => return (wanted, Allocation::Stronger),
        Ordering::Less => return (!wanted, Allocation::Stronger),
        Ordering::Equal => {}
    }
    let last = higher.sides.iter().rev().zip(lower.sides.iter().rev()).find(|(one, two)| one != two);
    match last {
        Some((_, other)) => (*other, Allocation::Alternation),
        None => (wanted, Allocation::Higher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(text: &str) -> Vec<Side> {
        text.bytes().map(|byte| if byte == b'1' { Side::One } else { Side::Two }).collect()
    }

    #[track_caller]
    fn check(played: &str, side: Option<Side>, strength: Strength) {
        let preference = Preference::after(&sides(played));
        assert_eq!((preference.side, preference.strength), (side, strength), "{played}");
    }

    #[test]
    fn preferences_follow_from_the_games() {
        check("", None, Strength::None);
        check("1", Some(Side::Two), Strength::Strong);
        check("12", Some(Side::One), Strength::Mild);
        check("121", Some(Side::Two), Strength::Strong);
        check("1221", Some(Side::Two), Strength::Mild);
        check("122", Some(Side::One), Strength::Absolute);
        check("1211", Some(Side::Two), Strength::Absolute);
        check("1121122", Some(Side::One), Strength::Absolute);
    }

    #[track_caller]
    fn check_pair(one: &str, two: &str, expected: (Side, Allocation)) {
        let (one, two) = (sides(one), sides(two));
        let claim = |sides, number| (Preference::after(sides), number);
        let ((first, number), (second, other)) = (claim(&one, 3), claim(&two, 8));
        let found = allocate(
            &SideCandidate { preference: &first, sides: &one, number },
            &SideCandidate { preference: &second, sides: &two, number: other },
            Side::One,
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn sides_are_allocated_by_the_first_rule_that_decides() {
        check_pair("", "", (Side::One, Allocation::Number));
        check_pair("1", "", (Side::Two, Allocation::Both));
        check_pair("1", "2", (Side::Two, Allocation::Both));
        check_pair("12", "2", (Side::Two, Allocation::Stronger));
        check_pair("1221", "2211", (Side::One, Allocation::Stronger));
        check_pair("2112", "1212", (Side::Two, Allocation::Alternation));
        check_pair("1212", "1212", (Side::One, Allocation::Higher));
    }
}
