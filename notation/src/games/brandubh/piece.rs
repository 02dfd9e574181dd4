//! Pieces: the king and the pawns of both sides, with the letters that tafl players use.

use crate::Side;

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// `K`: the king, black.
    King,
    /// `T` black, `t` red.
    Pawn(Side),
}

impl Piece {
    /// The piece that position strings write as this letter.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'K' => Some(Self::King),
            b'T' => Some(Self::Pawn(Side::One)),
            b't' => Some(Self::Pawn(Side::Two)),
            _ => None,
        }
    }

    /// The letter of position strings.
    pub const fn letter(self) -> char {
        match self {
            Self::King => 'K',
            Self::Pawn(Side::One) => 'T',
            Self::Pawn(Side::Two) => 't',
        }
    }

    /// Its owner.
    pub const fn side(self) -> Side {
        match self {
            Self::King => Side::One,
            Self::Pawn(side) => side,
        }
    }
}
