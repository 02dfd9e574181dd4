//! Notation of Pastores y Guerreros: points, stones, move tokens, position strings.
//!
//! The author's text names the rows A to E and leaves the rest of the notation open, so it is this project's own.
//! Legality is the referee's concern.

mod move_text;
mod piece;
mod setup;
mod square;

pub use move_text::{MoveText, MoveTextFault};
pub use piece::{Kind, Stone};
pub use setup::{Diagram, Hand, Setup};
pub use square::Point;

use super::{GameNotation, SideNotation};

/// The row of Pastores y Guerreros.
pub const NOTATION: GameNotation = GameNotation {
    id: "pastores",
    sides: [
        SideNotation { name: "norte", tag: "Norte", letter: 'n' },
        SideNotation { name: "sur", tag: "Sur", letter: 's' },
    ],
    // The players agree on it (NOR.01).
    clocks: false,
    points: false,
    first: true,
    second_starts: &[],
};

/// Columns, and rows, of the board (GEN.03).
pub const SIZE: usize = 5;
