//! A board as a picture without pixels: what to draw where. Terminal, pages and pictures all draw this.

use quipu_notation::Side;

use crate::Fact;

/// How wide a square is in the measure that [`Ground::texture`] and [`Face`] are drawn in; 0 0 is its middle.
///
/// What is drawn there is written as in SVG, with the commands `M`, `L`, `C` and `Z` and whole numbers, all with spaces
/// between them: `M -20 0 L 20 0`.
pub const SQUARE: i32 = 120;

/// The radius of a piece in the same measure: pieces of 42 mm on squares of 52.5 mm.
pub const PIECE: i32 = 48;

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
    /// Corners between squares that the board marks, by the cell above and left of each.
    pub dots: Vec<usize>,
    /// How wide the margin is that the names stand in, in hundredths of a square.
    pub margin: u8,
    /// Who sits below the board.
    pub below: Side,
    /// Who is to move, as a piece beside the board can show it; nobody in a bare arrangement and where the game is over.
    pub turn: Option<Glyph>,
    /// The cells of the last move: where the piece came from, where it touched the board and where it arrived; one alone
    /// where it was placed.
    pub path: Vec<usize>,
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
    /// Its name, as side 1 calls it.
    pub name: String,
    /// What stands on it.
    pub piece: Option<Glyph>,
    /// What the last move took off it.
    pub taken: Option<Glyph>,
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
    /// Lines that tell it apart without its colour, in the measure of [`SQUARE`]; none where empty.
    pub texture: &'static str,
}

/// A piece: a short label, and what it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// A letter or a number.
    pub label: String,
    /// The same for where there are no colours, so that it tells the sides apart by itself.
    pub plain: String,
    /// Whose it is.
    pub side: Side,
    /// Key of the word for its kind; nothing where the label says all.
    pub word: Option<&'static str>,
    /// What is to be seen on it.
    pub face: Face,
}

/// What is to be seen on a piece, besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Nothing.
    Plain,
    /// Its label.
    Label,
    /// A hole through it, off its centre towards one side, as side 1 sees it.
    Hole(Way),
    /// Lines.
    Lines(&'static str),
    /// A shape, filled.
    Shape(&'static str),
}

/// A direction on the board, as it is seen from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Away.
    Up,
    /// To the right.
    Right,
    /// Towards who looks.
    Down,
    /// To the left.
    Left,
}

impl Way {
    /// The same as who sits across the board sees it.
    #[must_use]
    pub const fn turned(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
        }
    }
}

impl Glyph {
    /// A letter that tells by itself whose it is.
    pub fn letter(letter: char, side: Side, word: &'static str, face: Face) -> Self {
        Self { label: letter.to_string(), plain: letter.to_string(), side, word: Some(word), face }
    }
}

impl Drawing {
    /// Whether the last move touched a cell, or took something off it.
    pub fn is_touched(&self, index: usize) -> bool {
        self.path.contains(&index) || self.cells[index].taken.is_some()
    }

    /// The same with nothing on it, and with nothing to be said.
    #[must_use]
    pub fn emptied(mut self) -> Self {
        for cell in &mut self.cells {
            (cell.piece, cell.taken) = (None, None);
        }
        Self { path: Vec::new(), turn: None, facts: Vec::new(), ..self }
    }

    /// Notes what the last move took off the board: what stood there before it and does not now.
    pub(crate) fn taken_from(&mut self, before: &Self) {
        let origin = if self.path.len() > 1 { self.path.first().copied() } else { None };
        for (index, (cell, was)) in self.cells.iter_mut().zip(&before.cells).enumerate() {
            let Some(was) = was.piece.as_ref().filter(|_| origin != Some(index)) else { continue };
            if cell.piece.as_ref().is_none_or(|piece| piece.side != was.side) {
                cell.taken = Some(was.clone());
            }
        }
        // What moved and stands nowhere was taken where it arrived.
        if let (Some(from), Some(&to)) = (origin, self.path.last())
            && self.cells[to].piece.is_none()
        {
            self.cells[to].taken.clone_from(&before.cells[from].piece);
        }
    }
}
