//! Pieces: four kinds, written as a digit in moves (6.6.1) and as a letter in positions (6.5.2).

use crate::Side;

/// The kind of a disc, shown by the way it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `0`, `a`: one square in any direction (3.3.1).
    Persona,
    /// `1`, `b`: up to two squares diagonally (3.3.3).
    EstatalLeft,
    /// `2`, `c`: up to two squares along a row or column (3.3.2).
    Militar,
    /// `3`, `d`: as [`Kind::EstatalLeft`]; the two differ in writing only.
    EstatalRight,
}

impl Kind {
    /// All kinds, in the order of their digits.
    pub const ALL: [Self; 4] = [Self::Persona, Self::EstatalLeft, Self::Militar, Self::EstatalRight];

    /// The kind that move tokens write as this digit.
    #[inline]
    pub const fn from_digit(digit: u8) -> Option<Self> {
        match digit {
            b'0'..=b'3' => Some(Self::ALL[(digit - b'0') as usize]),
            _ => None,
        }
    }

    /// The digit of move tokens.
    pub const fn digit(self) -> char {
        (b'0' + self as u8) as char
    }
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Its owner.
    pub side: Side,
    /// Its kind.
    pub kind: Kind,
}

impl Piece {
    /// The piece that position strings write as this letter: lower case for Sol, upper case for Luna.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'a'..=b'd' => Some(Self { side: Side::One, kind: Kind::ALL[(letter - b'a') as usize] }),
            b'A'..=b'D' => Some(Self { side: Side::Two, kind: Kind::ALL[(letter - b'A') as usize] }),
            _ => None,
        }
    }

    /// The letter of position strings.
    pub const fn letter(self) -> char {
        let first = match self.side {
            Side::One => b'a',
            Side::Two => b'A',
        };
        (first + self.kind as u8) as char
    }
}
