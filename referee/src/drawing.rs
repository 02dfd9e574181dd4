//! A board as a picture without pixels: what to draw where. Terminal, pages and pictures all draw this.

use quipu_notation::Side;

use crate::Fact;

/// A board.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Squares in a row.
    pub columns: usize,
    /// The squares, row by row from the top left.
    pub cells: Vec<Cell>,
    /// Names of the columns above the board, those of side 2 where the players name them differently.
    pub top: Vec<String>,
    /// Names of the columns below the board, as side 1 calls them.
    pub bottom: Vec<String>,
    /// Names of the rows left of the board, as side 1 calls them.
    pub left: Vec<String>,
    /// Names of the rows right of the board, those of side 2 where the players name them differently.
    pub right: Vec<String>,
    /// Pairs of neighbouring cells that a line joins, by their index, the lower first: boards that are points on lines.
    pub lines: Vec<[usize; 2]>,
    /// Red, green, blue of the pieces of each side.
    pub pieces: [[u8; 3]; 2],
    /// What is to be said beside it: labels and values.
    pub facts: Vec<(&'static str, Vec<Fact>)>,
}

/// One square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it is made of.
    pub ground: &'static Ground,
    /// Whether it is one of the dark squares.
    pub dark: bool,
    /// What stands on it.
    pub piece: Option<Glyph>,
    /// Whether the last move left or reached it.
    pub last: bool,
}

/// A kind of square.
#[derive(Debug, PartialEq, Eq)]
pub struct Ground {
    /// Its name: a key of the words.
    pub word: &'static str,
    /// What an empty one shows where there are no colours.
    pub symbol: char,
    /// Red, green, blue on a light and on a dark square.
    pub colors: [[u8; 3]; 2],
}

/// A piece as a short label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// A letter or a number.
    pub label: String,
    /// The same for where there are no colours, so that it tells the sides apart by itself.
    pub plain: String,
    /// Whose it is.
    pub side: Side,
}

impl Glyph {
    /// A letter that tells by itself whose it is.
    pub fn letter(letter: char, side: Side) -> Self {
        Self { label: letter.to_string(), plain: letter.to_string(), side }
    }
}
