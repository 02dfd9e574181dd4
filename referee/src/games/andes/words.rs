//! Keys of the words for sides and pieces.

use quipu_notation::{Side, games::andes::Kind};

/// The word for each side.
pub(super) const SIDES: [&str; 2] = ["andes.sol", "andes.luna"];

/// The word for a side.
pub(super) const fn side_word(side: Side) -> &'static str {
    SIDES[side.index()]
}

/// The word for a kind of piece.
pub(super) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Persona => "andes.persona",
        Kind::EstatalLeft => "andes.estatal-left",
        Kind::Militar => "andes.militar",
        Kind::EstatalRight => "andes.estatal-right",
    }
}
