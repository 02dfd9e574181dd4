//! Names of a game and its sides in a record.

use crate::Side;

/// The identifier of a game and the names of its sides.
#[derive(Debug, PartialEq, Eq)]
pub struct GameNotation {
    /// Value of the tag `Game`, and the prefix of the game's codes.
    pub id: &'static str,
    /// The sides, side 1 first.
    pub sides: [SideNotation; 2],
    /// True if the game is played with clocks unless a record says otherwise: an empty scoresheet has columns for them.
    pub clocks: bool,
    /// True if the tag `Points` applies: the game is counted in points, and an empty scoresheet has a row for them.
    pub points: bool,
    /// True if the tag `First` applies: the game leaves open which side starts.
    pub first: bool,
    /// Rule sets in which side 2 starts by default.
    pub second_starts: &'static [&'static str],
}

/// The names of one side.
#[derive(Debug, PartialEq, Eq)]
pub struct SideNotation {
    /// In values and verdicts: `sol`.
    pub name: &'static str,
    /// The tag that names its player: `Sol`.
    pub tag: &'static str,
    /// The turn in position strings: `s`.
    pub letter: char,
}

impl GameNotation {
    /// The names of `side`.
    pub fn side(&self, side: Side) -> &SideNotation {
        &self.sides[side.index()]
    }

    /// The side that a position string calls `turn`.
    pub fn side_lettered(&self, turn: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| turn.chars().eq([self.side(side).letter]))
    }

    /// The side with exactly this name.
    pub fn side_named(&self, name: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.side(side).name == name)
    }
}
