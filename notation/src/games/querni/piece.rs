//! Pieces: sixteen numbers a side, written as numbers in moves and as letters in positions.

use std::fmt;

use crate::Side;

/// The number of a piece, 1 to 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number(u8);

impl Number {
    /// The number of pieces of a side.
    pub const COUNT: usize = 16;

    /// All numbers, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..).map(Self).take(Self::COUNT)
    }

    /// The number, if a piece has it.
    pub const fn new(number: u8) -> Option<Self> {
        if number == 0 || number as usize > Self::COUNT { None } else { Some(Self(number)) }
    }

    /// The number that is written so, without leading zeros.
    #[inline]
    pub(super) fn from_digits(digits: &[u8]) -> Option<Self> {
        match *digits {
            [unit @ b'1'..=b'9'] => Some(Self(unit - b'0')),
            [b'1', unit @ b'0'..=b'6'] => Some(Self(10 + (unit - b'0'))),
            _ => None,
        }
    }

    /// The number with this index in [`Number::all`].
    ///
    /// # Panics
    /// If the index is 16 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < Self::COUNT, "a side has 16 pieces");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self(index as u8 + 1)
    }

    /// Its index in [`Number::all`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// As a number.
    #[inline]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Pieces of consecutive numbers, from one to another. As written the numbers may descend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The number written first.
    pub first: Number,
    /// The number written last.
    pub last: Number,
}

impl Run {
    /// Reads a removal: `*5-9`.
    #[inline]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (&[b'*', first], rest) = text.split_first_chunk()? else { return None };
        let (first, last) = match *rest {
            [b'-', ref last @ ..] => (Number::from_digits(&[first]), last),
            [unit, b'-', ref last @ ..] => (Number::from_digits(&[first, unit]), last),
            _ => return None,
        };
        Some(Self { first: first?, last: Number::from_digits(last)? })
    }

    /// Its numbers; none if they descend.
    #[inline]
    pub fn numbers(self) -> impl Iterator<Item = Number> {
        (self.first.0..=self.last.0).map(Number)
    }
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Its owner.
    pub side: Side,
    /// Its number.
    pub number: Number,
}

impl Piece {
    /// The piece that position strings write as this letter: upper case for azul, lower case for rosa, `A` being 1.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'A'..=b'P' => Some(Self { side: Side::One, number: Number(letter - b'A' + 1) }),
            b'a'..=b'p' => Some(Self { side: Side::Two, number: Number(letter - b'a' + 1) }),
            _ => None,
        }
    }

    /// The letter of position strings.
    pub const fn letter(self) -> char {
        let first = match self.side {
            Side::One => b'A',
            Side::Two => b'a',
        };
        (first + self.number.0 - 1) as char
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_numbers_read_back() {
        let pieces: Vec<_> =
            Side::BOTH.into_iter().flat_map(|side| Number::all().map(move |number| Piece { side, number })).collect();
        let letters: String = pieces.iter().map(|piece| piece.letter()).collect();
        assert_eq!(letters, "ABCDEFGHIJKLMNOPabcdefghijklmnop");
        assert!(letters.bytes().map(Piece::from_letter).eq(pieces.into_iter().map(Some)));
        assert_eq!([b'Q', b'q', b'@', b'1'].map(Piece::from_letter), [None; 4]);
        assert!(Number::all().map(|number| Number::from_index(number.index())).eq(Number::all()));
        assert_eq!([0, 17].map(Number::new), [None; 2]);
    }

    #[test]
    fn a_run_has_its_numbers_unless_it_descends() {
        let run = |first, last| Run { first: Number(first), last: Number(last) }.numbers().map(Number::get);
        assert_eq!(run(5, 9).collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
        assert_eq!(run(16, 16).collect::<Vec<_>>(), [16]);
        assert_eq!(run(7, 5).count(), 0);
    }
}
