//! Keys of the words for sides.

use quipu_notation::Side;

/// The word for each side.
pub(super) const SIDES: [&str; 2] = ["querni.azul", "querni.rosa"];

/// The word for a side.
pub(super) const fn side_word(side: Side) -> &'static str {
    SIDES[side.index()]
}
