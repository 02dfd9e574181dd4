//! Positions that are set up by hand: the fields besides the pieces.

use quipu_notation::{
    Side,
    games::querni::{Diagram, Setup},
};

/// A diagram with a side to move.
pub(super) fn completed(diagram: Diagram, turn: Side) -> Setup {
    Setup { diagram, turn, idle: 0, ply: 0 }
}
