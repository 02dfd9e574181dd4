//! Squares: a column and a row, the same names for both players.

use std::fmt;

use super::{COLUMNS, ROWS};

/// The digit of the row at the top.
const TOP_ROW: u8 = b'7';

/// A square: 0 is a7, the top left one, then along the rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = COLUMNS * ROWS;

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
        assert!(x < COLUMNS && y < ROWS, "the board is 10 x 7");
        Self::from_index(y * COLUMNS + x)
    }

    /// The square at this place of [`Square::all`].
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < Self::COUNT, "the board has 70 squares");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self(index as u8)
    }

    /// The square with this letter and digit, in two table look-ups and one test, since every token needs it.
    #[inline]
    pub fn named(column: u8, row: u8) -> Option<Self> {
        let index = LETTERS[usize::from(column)].wrapping_add(DIGITS[usize::from(row)]);
        if usize::from(index) < Self::COUNT { Some(Self(index)) } else { None }
    }

    /// Its index in [`Square::all`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its column from the left and its row from the top, both from 0.
    #[inline]
    pub const fn coordinates(self) -> (usize, usize) {
        (self.index() % COLUMNS, self.index() / COLUMNS)
    }

    /// The place of a column's letter, from 0.
    pub(super) fn column(letter: u8) -> Option<usize> {
        letter.checked_sub(b'a').map(usize::from).filter(|&x| x < COLUMNS)
    }

    /// The place of a row's digit, from 0 at the top.
    pub(super) fn row(digit: u8) -> Option<usize> {
        TOP_ROW.checked_sub(digit).map(usize::from).filter(|&y| y < ROWS)
    }

    /// The two characters of its name.
    pub const fn name(self) -> [char; 2] {
        let (x, y) = self.coordinates();
        #[expect(clippy::cast_possible_truncation, reason = "the board is small")]
        let (x, y) = (x as u8, y as u8);
        [(b'a' + x) as char, (TOP_ROW - y) as char]
    }
}

/// The share of each letter and digit in the index of a square. Any other character gives an invalid index.
static LETTERS: [u8; 256] = {
    let mut table = [NOTHING; 256];
    let mut index = 0;
    while index < COLUMNS {
        let square = Square::from_index(index);
        table[square.name()[0] as usize] = square.0;
        index += 1;
    }
    table
};
static DIGITS: [u8; 256] = {
    let mut table = [NOTHING; 256];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::from_index(index);
        table[square.name()[1] as usize] = square.0;
        index += COLUMNS;
    }
    table
};

const NOTHING: u8 = 100;

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [column, row] = self.name();
        write!(f, "{column}{row}")
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_has_a_name_of_its_own() {
        let names: Vec<_> = Square::all().map(|square| square.to_string()).collect();
        let expected: Vec<_> =
            "7654321".chars().flat_map(|row| ('a'..='j').map(move |c| format!("{c}{row}"))).collect();
        assert_eq!(names, expected);
        for square in Square::all() {
            let (x, y) = square.coordinates();
            let [column, row] = square.name().map(|c| c as u8);
            assert_eq!((Square::at(x, y), Square::from_index(square.index())), (square, square));
            assert_eq!((Square::column(column), Square::row(row)), (Some(x), Some(y)));
        }
        let every = || (0..=u8::MAX).flat_map(|column| (0..=u8::MAX).map(move |row| [column, row]));
        for [column, row] in every() {
            let expected = Square::all().find(|square| square.name() == [column, row].map(char::from));
            assert_eq!(Square::named(column, row), expected);
        }
    }

    #[test]
    fn beyond_the_board() {
        assert_eq!([b'k', b'A', b'0', b'`'].map(Square::column), [None; 4]);
        assert_eq!([b'8', b'0', b'a', b'/'].map(Square::row), [None; 4]);
    }
}
