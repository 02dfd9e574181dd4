//! The games, as far as writing goes: one row a game, one folder a game.

pub mod andes;
pub mod brandubh;
pub(crate) mod grammar;
mod notation;
pub mod pastores;
pub mod querni;

pub(crate) use brandubh::otg::read as read_otg;
pub use grammar::{Fault, RowsFault, field_span};
pub use notation::{GameNotation, SideNotation};

/// Every game this crate can read and write.
pub const GAMES: &[&GameNotation] = &[&andes::NOTATION, &pastores::NOTATION, &querni::NOTATION, &brandubh::NOTATION];

/// The game whose tag `Game` has this value.
pub fn find(id: &str) -> Option<&'static GameNotation> {
    GAMES.iter().copied().find(|game| game.id == id)
}
