//! How a game names itself and its sides in a record.

use crate::Side;

/// How the two sides and the identifier of one game are written.
#[derive(Debug, PartialEq, Eq)]
pub struct GameNotation {
    /// Value of the tag `Game`, and the prefix of the game's codes.
    pub id: &'static str,
    /// The sides, side 1 first.
    pub sides: [SideNotation; 2],
    /// Whether the tag `First` is heard: the game leaves open who starts.
    pub first: bool,
    /// Rule sets in which side 2 starts where nothing says who does.
    pub second_starts: &'static [&'static str],
}

/// How one side is written.
#[derive(Debug, PartialEq, Eq)]
pub struct SideNotation {
    /// In values and verdicts: `sol`.
    pub name: &'static str,
    /// The tag that names its player: `Sol`.
    pub tag: &'static str,
    /// In position strings, where they say who moves: `s`.
    pub letter: char,
}

impl GameNotation {
    /// How `side` is written.
    pub fn side(&self, side: Side) -> &SideNotation {
        &self.sides[side.index()]
    }

    /// The side that a position string calls `turn`.
    pub fn side_lettered(&self, turn: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| turn.chars().eq([self.side(side).letter]))
    }

    /// The side whose name is `name`, to the letter.
    pub fn side_named(&self, name: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.side(side).name == name)
    }
}
