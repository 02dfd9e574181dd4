//! Notation of Querni: squares, numbered pieces, move tokens, position strings.
//!
//! The author's text defines no notation, so all of it is quipu's. Legality is the referee's concern.

mod move_text;
mod piece;
mod setup;
mod square;

pub use move_text::{Landings, MotionText, MoveText, MoveTextFault, PathText};
pub use piece::{Number, Piece, Run};
pub use setup::{Diagram, Setup};
pub use square::Square;

use super::{GameNotation, SideNotation};

/// The row of Querni in the table of games.
pub const NOTATION: GameNotation = GameNotation {
    id: "querni",
    sides: [
        SideNotation { name: "azul", tag: "Azul", letter: 'a' },
        SideNotation { name: "rosa", tag: "Rosa", letter: 'r' },
    ],
    // The start position names the side that starts; the tag may name it too.
    clocks: false,
    points: false,
    first: true,
    second_starts: &[],
};

/// Columns of the board, `a` to `j`.
pub const COLUMNS: usize = 10;
/// Rows of the board, `1` to `7`.
pub const ROWS: usize = 7;
