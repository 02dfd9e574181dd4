//! Positions that are set up by hand: the fields besides the pieces.

use quipu_notation::{
    Side,
    games::brandubh::{Diagram, Setup},
};

use super::Rules;

/// A diagram with a side to move.
pub(super) fn completed(rules: &Rules, diagram: Diagram, turn: Side) -> Setup {
    Setup { diagram, turn, ply: u64::from(rules.turn(0) != turn) }
}
