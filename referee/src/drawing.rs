//! A board as data for drawing, without pixels. Terminal, pages and pictures all draw it.

use quipu_notation::Side;

use crate::Fact;

/// The width of a square in the units of [`Ground::texture`] and [`Face`]; 0 0 is its middle.
///
/// Paths are written as in SVG, with the commands `M`, `L`, `C` and `Z` and whole numbers, all separated by spaces: `M
/// -20 0 L 20 0`.
pub const SQUARE: i32 = 120;

/// The radius of a piece in the same units: pieces of 42 mm on squares of 52.5 mm.
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
    /// Width of the margin with the names, in hundredths of a square.
    pub margin: u8,
    /// The side below the board.
    pub below: Side,
    /// A piece of the side to move, to show beside the board; none in a bare arrangement and when the game is over.
    pub turn: Option<Glyph>,
    /// The pieces that the side to move places from beside the board, with the names of their [taps](crate::scoring::Tap).
    pub placed: Vec<(&'static str, Glyph)>,
    /// The cells of the last move: origin, squares touched on the way, destination; one alone for a placing.
    pub path: Vec<usize>,
    /// Red, green, blue of the pieces of each side.
    pub pieces: [[u8; 3]; 2],
    /// True if the path is that of a move that the position refuses.
    pub refused: bool,
    /// Labels and values to show beside the board.
    pub facts: Vec<(&'static str, Vec<Fact>)>,
    /// Sentences about the position: the key of each and the values of its places.
    pub notes: Vec<Note>,
}

/// The key of a sentence among the words, and the values of its places.
pub type Note = (&'static str, Vec<(&'static str, Fact)>);

/// One square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its ground.
    pub ground: &'static Ground,
    /// True for the dark squares.
    pub dark: bool,
    /// Its name, as side 1 calls it.
    pub name: String,
    /// The piece on it.
    pub piece: Option<Glyph>,
    /// The piece that the last move removed from it.
    pub taken: Option<Glyph>,
}

/// A kind of square.
#[derive(Debug, PartialEq, Eq)]
pub struct Ground {
    /// Its name: a key of the words.
    pub word: &'static str,
    /// The character for an empty square without colours.
    pub symbol: char,
    /// Red, green, blue on a light and on a dark square.
    pub colors: [[u8; 3]; 2],
    /// Lines that show the ground without its colour, in the units of [`SQUARE`]; may be empty.
    pub texture: &'static str,
}

/// A piece: a short label and its look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// A letter or a number.
    pub label: String,
    /// The label without colours, which tells the sides apart by itself.
    pub plain: String,
    /// Its owner.
    pub side: Side,
    /// Key of the word for its kind; none where the label is enough.
    pub word: Option<&'static str>,
    /// Its face.
    pub face: Face,
}

/// The drawing on a piece, besides its colour.
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

/// A direction on the board, as seen from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Away from side 1.
    Up,
    /// To the right.
    Right,
    /// Towards side 1.
    Down,
    /// To the left.
    Left,
}

impl Way {
    /// The same as seen from across the board.
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
    /// A letter that shows its owner without colours.
    pub fn letter(letter: char, side: Side, word: &'static str, face: Face) -> Self {
        Self { label: letter.to_string(), plain: letter.to_string(), side, word: Some(word), face }
    }
}

impl Drawing {
    /// True if the last move touched a cell or removed its piece.
    pub fn is_touched(&self, index: usize) -> bool {
        self.path.contains(&index) || self.cells[index].taken.is_some()
    }

    /// The same board without pieces and facts.
    #[must_use]
    pub fn emptied(mut self) -> Self {
        for cell in &mut self.cells {
            (cell.piece, cell.taken) = (None, None);
        }
        Self { path: Vec::new(), turn: None, placed: Vec::new(), facts: Vec::new(), notes: Vec::new(), ..self }
    }

    /// Marks the pieces that the last move removed: those on the board before it and not after it.
    pub(crate) fn taken_from(&mut self, before: &Self) {
        let origin = if self.path.len() > 1 { self.path.first().copied() } else { None };
        for (index, (cell, was)) in self.cells.iter_mut().zip(&before.cells).enumerate() {
            let Some(was) = was.piece.as_ref().filter(|_| origin != Some(index)) else { continue };
            if cell.piece.as_ref().is_none_or(|piece| piece.side != was.side) {
                cell.taken = Some(was.clone());
            }
        }
        // A moved piece that is gone was removed at its destination.
        if let (Some(from), Some(&to)) = (origin, self.path.last())
            && self.cells[to].piece.is_none()
        {
            self.cells[to].taken.clone_from(&before.cells[from].piece);
        }
    }
}
