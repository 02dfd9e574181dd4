//! Notation of Brandubh: squares, piece letters, move tokens, position strings, and the formats of other programs.
//!
//! The author's text defines no notation, so all of it is quipu's, modelled on that of tafl players. Legality is the
//! referee's concern.

mod hnefatafl;
mod move_text;
mod otg;
mod pgn;
mod piece;
#[cfg(test)]
mod sample;
mod setup;
mod square;

pub use hnefatafl::HNEFATAFL;
pub use move_text::{MoveText, MoveTextFault};
pub use otg::OTG;
pub use pgn::PGN;
pub use piece::Piece;
pub use setup::{Diagram, OtgBoardFault, Setup};
pub use square::{Square, SquareSet};

use super::{GameNotation, SideNotation};

/// The row of Brandubh.
pub const NOTATION: GameNotation = GameNotation {
    id: "brandubh",
    sides: [
        SideNotation { name: "negros", tag: "Negros", letter: 'n' },
        SideNotation { name: "rojos", tag: "Rojos", letter: 'r' },
    ],
    // The rule set decides who starts.
    clocks: false,
    points: false,
    first: false,
    second_starts: &["nielsen"],
};

/// The rule set of a game of another program that names none: the one of tafl clubs.
const CLUB: &str = "nielsen";

/// The name under which a format without a final token carries it, where the tag `Result` does not give it.
const FINAL_TOKEN: &str = "result";

/// Files, and ranks, of the board.
pub const SIZE: usize = 7;
