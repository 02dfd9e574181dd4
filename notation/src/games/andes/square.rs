//! Squares and their two names: each player counts from the corner at the player's right hand (2.3).

use std::fmt;

use super::SIZE;
use crate::Side;

/// A square: 0 is the top left one from Sol's seat, then along the rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = SIZE * SIZE;

    /// All squares, row by row from the top left.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(Self::COUNT)
    }

    /// The square in column `x` and row `y`, both from 0 at the top left.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub const fn at(x: usize, y: usize) -> Self {
        assert!(x < SIZE && y < SIZE, "the board is 7 x 7");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self((y * SIZE + x) as u8)
    }

    /// The square that `side` calls by this mark (0 for `a`) and scale.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub const fn named(side: Side, mark: u8, scale: u8) -> Self {
        let turned = Self::at(mark as usize, scale as usize);
        match side {
            Side::Two => turned,
            Side::One => turned.turned(),
        }
    }

    /// The square of this name. Lower case marks are Sol's, upper case ones Luna's.
    pub fn parse(name: &str) -> Option<Self> {
        let &[mark, scale] = name.as_bytes() else { return None };
        let scale = scale.checked_sub(b'0').filter(|&scale| usize::from(scale) < SIZE)?;
        match mark {
            b'a'..=b'g' => Some(Self::named(Side::One, mark - b'a', scale)),
            b'A'..=b'G' => Some(Self::named(Side::Two, mark - b'A', scale)),
            _ => None,
        }
    }

    /// The square at the sum of the shares of a letter and a digit.
    #[inline]
    pub(super) fn of_shares(letter: u8, digit: u8) -> Option<Self> {
        let index = letter.wrapping_add(digit);
        if usize::from(index) < Self::COUNT { Some(Self(index)) } else { None }
    }

    /// Its index in [`Square::all`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The square at the same place as seen from the other side of the board.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Self {
        Self(48 - self.0)
    }

    /// Mark (0 for `a`) and scale in the naming of `side`.
    pub const fn coordinates(self, side: Side) -> (u8, u8) {
        let turned = match side {
            Side::Two => self,
            Side::One => self.turned(),
        };
        (turned.0 % 7, turned.0 / 7)
    }

    /// Its name as `side` writes it.
    #[inline]
    pub const fn name(self, side: Side) -> SquareName {
        SquareName { square: self, side }
    }
}

/// The share of each letter in the index of a square, by the side whose mark it is. Any other character gives an invalid index.
pub(super) static LETTERS: [[u8; 256]; 2] = {
    let mut tables = [[NOTHING; 256]; 2];
    let mut mark = 0;
    while mark < LAST + 1 {
        // The digit of these squares has the share 0.
        tables[0][(b'a' + mark) as usize] = Square::named(Side::One, mark, LAST).0;
        tables[1][(b'A' + mark) as usize] = Square::named(Side::Two, mark, 0).0;
        mark += 1;
    }
    tables
};

/// The share of each digit, by the side whose scale it is.
pub(super) static DIGITS: [[u8; 256]; 2] = {
    let mut tables = [[NOTHING; 256]; 2];
    let mut scale = 0;
    while scale < LAST + 1 {
        tables[0][(b'0' + scale) as usize] = Square::named(Side::One, LAST, scale).0;
        tables[1][(b'0' + scale) as usize] = Square::named(Side::Two, 0, scale).0;
        scale += 1;
    }
    tables
};

/// The last mark and the last scale.
#[expect(clippy::cast_possible_truncation, reason = "the board is small")]
const LAST: u8 = SIZE as u8 - 1;

/// Too large for the share of a square: neither a sum with it nor a sum of two is an index.
pub(super) const NOTHING: u8 = 100;

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name(Side::One))
    }
}

/// A square's name in one player's naming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareName {
    square: Square,
    side: Side,
}

impl SquareName {
    /// The letter of the mark in the case of its player.
    pub const fn mark(self) -> char {
        let first = match self.side {
            Side::One => b'a',
            Side::Two => b'A',
        };
        (first + self.square.coordinates(self.side).0) as char
    }

    /// The digit of the scale.
    pub const fn scale(self) -> char {
        (b'0' + self.square.coordinates(self.side).1) as char
    }
}

impl fmt::Display for SquareName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.mark())?;
        fmt::Write::write_char(f, self.scale())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_are_one_square() {
        for (sol, luna) in [("a0", "G6"), ("b5", "F1"), ("d3", "D3"), ("g6", "A0")] {
            assert_eq!(Square::parse(sol), Square::parse(luna), "{sol} {luna}");
        }
        assert_eq!(Square::parse("a0"), Some(Square::at(6, 6)));
        assert_eq!(Square::parse("A0"), Some(Square::at(0, 0)));
    }

    #[test]
    fn every_name_reads_back() {
        for square in Square::all() {
            for side in Side::BOTH {
                assert_eq!(Square::parse(&square.name(side).to_string()), Some(square));
            }
        }
        for name in ["", "a", "h0", "a7", "a00", "0a", "ñ0"] {
            assert_eq!(Square::parse(name), None, "{name}");
        }
    }
}
