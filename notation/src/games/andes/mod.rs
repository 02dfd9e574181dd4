//! Notation of Andes: squares as either player names them, piece letters, move tokens, position strings.
//!
//! Articles 2.3, 2.4, 6.5 and 6.6 of the laws. Legality is the referee's concern.

mod move_text;
mod piece;
mod setup;
mod square;

pub use move_text::{Claims, Destination, Mark, MoveText, MoveTextFault, PlainMove};
pub use piece::{Kind, Piece};
pub use setup::{Diagram, LogFault, Objectives, Setup};
pub use square::{Square, SquareName};

use super::{GameNotation, SideNotation};

/// The row of Andes.
pub const NOTATION: GameNotation = GameNotation {
    id: "andes",
    sides: [
        SideNotation { name: "sol", tag: "Sol", letter: 's' },
        SideNotation { name: "luna", tag: "Luna", letter: 'l' },
    ],
    // Sol moves first (1.2).
    clocks: true,
    points: true,
    first: false,
    second_starts: &[],
};

/// Columns, and rows, of the board (2.1).
pub const SIZE: usize = 7;
