//! Symmetries of boards: positions that are the same game, turned or mirrored.
//!
//! A game names the symmetries that its laws have in a position. Positions are compared by the least of their images, so that a
//! position and its images have one key.

use sha2::{Digest, Sha256};

/// A symmetry of a board: for each square, in the order of the board, the one whose piece it takes to it.
pub type Symmetry = &'static [u8];

/// The key of a position and of its images: the beginning of a SHA-256.
pub type PositionKey = [u8; 16];

/// A position as searches compare it: without the number of completed plies and other counts of plies.
pub struct Likeness {
    /// The letter of the piece on each square, in the order of the board; 0 for none.
    pub squares: Vec<u8>,
    /// Everything else that the game goes on from, which no symmetry changes.
    pub state: Vec<u8>,
}

impl Likeness {
    /// Those of `symmetries` that lead to the least image.
    pub(crate) fn least(&self, symmetries: &[Symmetry]) -> Vec<Symmetry> {
        let mut least: Vec<Symmetry> = Vec::with_capacity(symmetries.len());
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
        let least = self.least(symmetries);
        let mut text = Vec::with_capacity(game.len() + 1 + self.squares.len() + self.state.len());
        text.extend_from_slice(game.as_bytes());
        text.push(0);
        match least.first() {
            Some(symmetry) => text.extend(self.image(symmetry)),
            None => text.extend_from_slice(&self.squares),
        }
        text.extend_from_slice(&self.state);
        let digest: [u8; 32] = Sha256::digest(&text).into();
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

    #[test]
    fn symmetries_of_a_square() {
        let board = Likeness { squares: b"abcdefghi".to_vec(), state: Vec::new() };
        let images: Vec<String> =
            SQUARE.iter().map(|symmetry| board.image(symmetry).map(char::from).collect()).collect();
        let expected =
            ["abcdefghi", "cbafedihg", "ghidefabc", "ihgfedcba", "adgbehcfi", "cfibehadg", "gdahebifc", "ifchebgda"];
        assert_eq!(images, expected);
    }

    #[test]
    fn symmetries_of_a_rectangle() {
        let board = Likeness { squares: b"abcdef".to_vec(), state: Vec::new() };
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
        let board = |squares: Vec<u8>| Likeness { squares, state: b"n".to_vec() };
        let one = board(b"ab\0\0c\0\0\0\0".to_vec());
        let key = one.key("game", &all);
        for symmetry in &all {
            assert_eq!(board(one.image(symmetry).collect()).key("game", &all), key);
        }
        assert_ne!(board(b"ba\0\0c\0\0\0a".to_vec()).key("game", &all), key);
        assert_ne!(one.key("other", &all), key);
        assert_ne!(Likeness { state: b"r".to_vec(), ..one }.key("game", &all), key);
        let even = board(vec![0; 9]);
        assert_eq!(even.least(&all).len(), 8);
    }
}
