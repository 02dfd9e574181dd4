//! The notations of the games: one row and one folder for each game.

pub mod andes;
pub mod brandubh;
mod foreign;
pub(crate) mod grammar;
mod notation;
pub mod pastores;
pub mod querni;

pub use foreign::{ForeignFormat, Unwritable};
pub use grammar::{GrammarFault, RowsFault, SetupFault, field_span};
pub use notation::{GameNotation, SideNotation};

use crate::record::Record;

/// Every game that this crate reads and writes.
pub const GAMES: &[&GameNotation] = &[&andes::NOTATION, &pastores::NOTATION, &querni::NOTATION, &brandubh::NOTATION];

/// Formats of other programs, each for one game.
pub const FOREIGN: &[ForeignFormat] = &[brandubh::OTG, brandubh::HNEFATAFL, brandubh::PGN];

/// The game whose tag `Game` has this value.
pub fn find(id: &str) -> Option<&'static GameNotation> {
    GAMES.iter().copied().find(|game| game.id == id)
}

impl Record<'_> {
    /// The game its tag `Game` names, if this crate knows it.
    pub fn game(&self) -> Option<&'static GameNotation> {
        self.value("Game").and_then(find)
    }
}
