//! Symmetries of boards: positions that are the same game, turned or mirrored.
//!
//! A game names the symmetries that its laws have in a position. Positions are compared by the least of their images, so that a
//! position and its images have one key.

use std::array;

use arrayvec::ArrayVec;
use sha2::{Digest, Sha256};

/// A symmetry of a board: for each square, in the order of the board, the one whose piece it takes to it.
pub type Symmetry = &'static [u8];

/// Some symmetries of a board.
pub(crate) type Symmetries = ArrayVec<Symmetry, 8>;

/// The key of a position and of its images: the beginning of a SHA-256.
pub type PositionKey = [u8; 16];

/// Squares of the largest board.
const SQUARES: usize = 70;
/// Bytes of the longest state.
const STATE: usize = 16;

/// A position as searches compare it: without the number of completed plies and other counts of plies.
pub struct Likeness {
    /// The letter of the piece on each square, in the order of the board; 0 for none.
    pub squares: ArrayVec<u8, SQUARES>,
    /// Everything else that the game goes on from, which no symmetry changes.
    pub state: ArrayVec<u8, STATE>,
}

impl Likeness {
    /// Those of `symmetries` that lead to the least image.
    pub(crate) fn least(&self, symmetries: &[Symmetry]) -> Symmetries {
        let mut least = Symmetries::new();
        for &symmetry in symmetries {
            let order = least.first().map(|best| self.image(symmetry).cmp(self.image(best)));
            match order {
                Some(std::cmp::Ordering::Greater) => {}
                Some(std::cmp::Ordering::Equal) => least.push(symmetry),
                Some(std::cmp::Ordering::Less) | None => {
                    least.clear();
                    least.push(symmetry);
                }
            }
        }
        least
    }

    /// The key of the position in a game.
    pub(crate) fn key(&self, game: &str, symmetries: &[Symmetry]) -> PositionKey {
        let mut hash = Sha256::new();
        hash.update(game);
        hash.update([0]);
        match self.least(symmetries).first() {
            Some(symmetry) => hash.update(self.image(symmetry).collect::<ArrayVec<u8, SQUARES>>()),
            None => hash.update(&self.squares),
        }
        hash.update(&self.state);
        let digest: [u8; 32] = hash.finalize().into();
        let mut key = PositionKey::default();
        key.copy_from_slice(&digest[..16]);
        key
    }

    fn image(&self, symmetry: Symmetry) -> impl Iterator<Item = u8> {
        symmetry.iter().map(|&from| self.squares[usize::from(from)])
    }
}

/// The square that a symmetry takes a square to.
pub(crate) fn image(symmetry: Symmetry, square: usize) -> usize {
    symmetry.iter().position(|&from| usize::from(from) == square).unwrap_or(square)
}

/// The squares of a board as a symmetry takes them.
pub(crate) fn image_of<T: Copy, const SQUARES: usize>(cells: &[T; SQUARES], symmetry: Symmetry) -> [T; SQUARES] {
    array::from_fn(|square| cells[usize::from(symmetry[square])])
}

/// The two mirrors of a board with `columns` columns, both, and neither, which comes first: left and right, then top and bottom.
pub(crate) const fn of_rectangle<const SQUARES: usize>(columns: usize) -> [[u8; SQUARES]; 4] {
    [
        table(columns, false, false, false),
        table(columns, true, false, false),
        table(columns, false, true, false),
        table(columns, true, true, false),
    ]
}

/// The rotations and mirrors of a square board; the first four are those of a rectangle.
pub(crate) const fn of_square<const SQUARES: usize>(columns: usize) -> [[u8; SQUARES]; 8] {
    let [same, mirrored, flipped, turned] = of_rectangle(columns);
    [
        same,
        mirrored,
        flipped,
        turned,
        table(columns, false, false, true),
        table(columns, true, false, true),
        table(columns, false, true, true),
        table(columns, true, true, true),
    ]
}

#[expect(clippy::cast_possible_truncation, reason = "boards have fewer than 256 squares")]
const fn table<const SQUARES: usize>(columns: usize, mirrored: bool, flipped: bool, transposed: bool) -> [u8; SQUARES] {
    assert!(SQUARES <= 256, "an index is a byte");
    let rows = SQUARES / columns;
    let mut table = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let (column, row) = (square % columns, square / columns);
        let (column, row) = if transposed { (row, column) } else { (column, row) };
        let column = if mirrored { columns - 1 - column } else { column };
        let row = if flipped { rows - 1 - row } else { row };
        table[square] = (row * columns + column) as u8;
        square += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    static SQUARE: [[u8; 9]; 8] = of_square(3);
    static RECTANGLE: [[u8; 6]; 4] = of_rectangle(3);

    fn likeness(squares: &[u8], state: &[u8]) -> Likeness {
        Likeness { squares: squares.iter().copied().collect(), state: state.iter().copied().collect() }
    }

    #[test]
    fn symmetries_of_a_square() {
        let board = likeness(b"abcdefghi", b"");
        let images: Vec<String> =
            SQUARE.iter().map(|symmetry| board.image(symmetry).map(char::from).collect()).collect();
        let expected =
            ["abcdefghi", "cbafedihg", "ghidefabc", "ihgfedcba", "adgbehcfi", "cfibehadg", "gdahebifc", "ifchebgda"];
        assert_eq!(images, expected);
    }

    #[test]
    fn symmetries_of_a_rectangle() {
        let board = likeness(b"abcdef", b"");
        let images: Vec<String> =
            RECTANGLE.iter().map(|symmetry| board.image(symmetry).map(char::from).collect()).collect();
        assert_eq!(images, ["abcdef", "cbafed", "defabc", "fedcba"]);
    }

    #[test]
    fn the_image_of_a_square_has_its_piece() {
        for symmetry in &SQUARE {
            for square in 0..9 {
                assert_eq!(usize::from(symmetry[image(symmetry, square)]), square);
            }
        }
    }

    #[test]
    fn images_have_one_key_and_others_another() {
        let all: Vec<Symmetry> = SQUARE.iter().map(|symmetry| &symmetry[..]).collect();
        let one = likeness(b"ab\0\0c\0\0\0\0", b"n");
        let key = one.key("game", &all);
        for symmetry in &all {
            let image: Vec<u8> = one.image(symmetry).collect();
            assert_eq!(likeness(&image, b"n").key("game", &all), key);
        }
        assert_ne!(likeness(b"ba\0\0c\0\0\0a", b"n").key("game", &all), key);
        assert_ne!(one.key("other", &all), key);
        assert_ne!(likeness(&one.squares, b"r").key("game", &all), key);
        assert_eq!(likeness(&[0; 9], b"").least(&all).len(), 8);
    }
}
