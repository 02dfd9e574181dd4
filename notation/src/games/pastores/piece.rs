//! Stones: two kinds (GEN.06), written as one letter in moves and in positions.

use crate::Side;

/// The kind of a stone, for the whole game (NOR.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `P`, a shepherd: one step along a row or column (NOR.05).
    Pastor,
    /// `G`, a warrior: one step along a diagonal (NOR.06).
    Guerrero,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Pastor, Self::Guerrero];

    /// The kind that move tokens write as this letter, for both sides.
    #[inline]
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'P' => Some(Self::Pastor),
            b'G' => Some(Self::Guerrero),
            _ => None,
        }
    }

    /// The letter of move tokens.
    pub const fn letter(self) -> char {
        match self {
            Self::Pastor => 'P',
            Self::Guerrero => 'G',
        }
    }
}

/// A stone on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stone {
    /// Its owner.
    pub side: Side,
    /// Its kind.
    pub kind: Kind,
}

impl Stone {
    /// The stone that position strings write as this letter: upper case for norte, lower case for sur.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        let side = if letter.is_ascii_uppercase() { Side::One } else { Side::Two };
        match Kind::from_letter(letter.to_ascii_uppercase()) {
            Some(kind) => Some(Self { side, kind }),
            None => None,
        }
    }

    /// The letter of position strings.
    pub const fn letter(self) -> char {
        match self.side {
            Side::One => self.kind.letter(),
            Side::Two => self.kind.letter().to_ascii_lowercase(),
        }
    }
}
