//! Squares and sets of them: files `a` to `g` from left to right, ranks `1` to `7` from bottom to top.

use std::fmt;

use super::SIZE;

/// A square: 0 is a7, the top left one, then along the ranks downwards. This is the order of the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = SIZE * SIZE;

    /// All squares in the order of the board.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(Self::COUNT)
    }

    /// The square at this place of [`Square::all`].
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub const fn new(index: usize) -> Self {
        assert!(index < Self::COUNT, "the board is 7 x 7");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self(index as u8)
    }

    /// The square of this name: `d4`.
    pub fn parse(name: &str) -> Option<Self> {
        let &[file, rank] = name.as_bytes() else { return None };
        Self::named(file, rank)
    }

    /// The square with this letter and digit, in two table look-ups and one test, since every token needs it.
    #[inline]
    pub(super) fn named(file: u8, rank: u8) -> Option<Self> {
        let index = FILES[usize::from(file)].wrapping_add(RANKS[usize::from(rank)]);
        if usize::from(index) < Self::COUNT { Some(Self(index)) } else { None }
    }

    /// The square on a file and a rank, both from 0.
    #[inline]
    pub(super) const fn at(file: u8, rank: u8) -> Self {
        Self::new((SIZE - 1 - rank as usize) * SIZE + file as usize)
    }

    /// Its index in [`Square::all`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its column, 0 for file `a`.
    #[inline]
    pub const fn column(self) -> usize {
        self.index() % SIZE
    }

    /// Its row, 0 for rank `7`.
    #[inline]
    pub const fn row(self) -> usize {
        self.index() / SIZE
    }

    /// The letter of its file.
    pub const fn file(self) -> char {
        (b'a' + self.0 % 7) as char
    }

    /// The digit of its rank.
    pub const fn rank(self) -> char {
        (b'7' - self.0 / 7) as char
    }
}

/// The file that has this letter, from 0.
pub(super) fn file_from_letter(letter: u8) -> Option<u8> {
    letter.checked_sub(b'a').filter(|&file| usize::from(file) < SIZE)
}

/// The rank that has this digit, from 0.
pub(super) fn rank_from_digit(digit: u8) -> Option<u8> {
    digit.checked_sub(b'1').filter(|&rank| usize::from(rank) < SIZE)
}

/// The share of each letter and digit in the index of a square. Any other character gives an invalid index.
static FILES: [u8; 256] = {
    let mut table = [NOTHING; 256];
    let mut index = 0;
    while index < SIZE {
        let square = Square::new(index);
        table[square.file() as usize] = square.0;
        index += 1;
    }
    table
};
static RANKS: [u8; 256] = {
    let mut table = [NOTHING; 256];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::new(index);
        table[square.rank() as usize] = square.0;
        index += SIZE;
    }
    table
};

const NOTHING: u8 = 100;

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.file())?;
        fmt::Write::write_char(f, self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A set of squares, one bit each in the order of [`Square::all`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SquareSet(u64);

impl SquareSet {
    /// True if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Adds a square; returns true if it is new.
    #[inline]
    pub(super) fn insert(&mut self, square: Square) -> bool {
        let before = self.0;
        self.0 |= 1 << square.index();
        self.0 != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_the_order_of_the_board() {
        let names: Vec<_> = Square::all().map(|square| square.to_string()).collect();
        assert_eq!((names[0].as_str(), names[6].as_str(), names[7].as_str()), ("a7", "g7", "a6"));
        assert_eq!((names[24].as_str(), names[42].as_str(), names[48].as_str()), ("d4", "a1", "g1"));
        for square in Square::all() {
            assert_eq!(Square::parse(&square.to_string()), Some(square));
            assert_eq!(Square::new(square.row() * SIZE + square.column()), square);
        }
        let every = || (0..=u8::MAX).flat_map(|file| (0..=u8::MAX).map(move |rank| [file, rank]));
        for [file, rank] in every() {
            let expected = Square::all().find(|square| [square.file(), square.rank()] == [file, rank].map(char::from));
            assert_eq!(Square::named(file, rank), expected);
        }
        for name in ["", "a", "h1", "a0", "a8", "A1", "a11", "1a", "ñ1"] {
            assert_eq!(Square::parse(name), None, "{name}");
        }
    }
}
