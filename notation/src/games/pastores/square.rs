//! Points of the board, which have one name for both players: the row from the top, then the column from the left.

use std::fmt;

use super::SIZE;

/// A point: 0 is A1 at the top left, then along the rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u8);

impl Point {
    /// The number of points (GEN.03).
    pub const COUNT: usize = SIZE * SIZE;

    /// All points, row by row from the top left.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(Self::COUNT)
    }

    /// The point with this index in [`Point::all`].
    ///
    /// # Panics
    /// If the index is 25 or more.
    #[inline]
    pub const fn nth(index: usize) -> Self {
        assert!(index < Self::COUNT, "the board has 25 points");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self(index as u8)
    }

    /// The point in column `x` and row `y`, both from 0 at the top left.
    ///
    /// # Panics
    /// If one of them is 5 or more.
    #[inline]
    pub const fn at(x: usize, y: usize) -> Self {
        assert!(x < SIZE && y < SIZE, "the board is 5 x 5");
        Self::nth(y * SIZE + x)
    }

    /// The point with this letter and digit, in two table look-ups and one test, since every token needs it.
    #[inline]
    pub(super) fn named(row: u8, column: u8) -> Option<Self> {
        let index = ROWS[usize::from(row)].wrapping_add(COLUMNS[usize::from(column)]);
        if usize::from(index) < Self::COUNT { Some(Self(index)) } else { None }
    }

    /// Its index in [`Point::all`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The letter of its row.
    pub const fn row(self) -> char {
        (b'A' + self.0 / 5) as char
    }

    /// The digit of its column.
    pub const fn column(self) -> char {
        (b'1' + self.0 % 5) as char
    }
}

/// For each letter the index of the first point of its row, and for each digit its offset in a row. The entry of any other
/// character makes their sum an invalid index.
static ROWS: [u8; 256] = {
    let mut table = [INVALID; 256];
    let mut index = 0;
    while index < Point::COUNT {
        let point = Point::nth(index);
        table[point.row() as usize] = point.0;
        index += SIZE;
    }
    table
};
static COLUMNS: [u8; 256] = {
    let mut table = [INVALID; 256];
    let mut index = 0;
    while index < SIZE {
        let point = Point::nth(index);
        table[point.column() as usize] = point.0;
        index += 1;
    }
    table
};

const INVALID: u8 = 100;

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.row())?;
        fmt::Write::write_char(f, self.column())
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_one_name() {
        let names: Vec<_> = Point::all().map(|point| point.to_string()).collect();
        assert_eq!(names.len(), 25);
        assert_eq!([&names[0], &names[4], &names[5], &names[12], &names[24]], ["A1", "A5", "B1", "C3", "E5"]);
        assert_eq!(Point::at(2, 1).to_string(), "B3");
        let every = || (0..=u8::MAX).flat_map(|row| (0..=u8::MAX).map(move |column| [row, column]));
        for [row, column] in every() {
            let expected = Point::all().find(|point| [point.row(), point.column()] == [row, column].map(char::from));
            assert_eq!(Point::named(row, column), expected);
        }
    }
}
