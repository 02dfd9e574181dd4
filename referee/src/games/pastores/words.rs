//! Keys of the words for sides, stones and rows.

use quipu_notation::{Side, games::pastores::Kind};

/// The word for each side.
pub(super) const SIDES: [&str; 2] = ["pastores.norte", "pastores.sur"];

/// The word for a side.
pub(super) const fn side_word(side: Side) -> &'static str {
    SIDES[side.index()]
}

/// The word for a stone.
pub(super) const fn stone_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Pastor => "pastores.pastor",
        Kind::Guerrero => "pastores.guerrero",
    }
}

/// The word for stones of a kind.
pub(super) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Pastor => "pastores.pastores",
        Kind::Guerrero => "pastores.guerreros",
    }
}

/// The rows of a side in words.
pub(super) const fn rows_word(side: Side) -> &'static str {
    match side {
        Side::One => "pastores.rows-norte",
        Side::Two => "pastores.rows-sur",
    }
}
