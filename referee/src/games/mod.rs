//! The table of games, with one line and one folder for each.

use crate::{Referee, referee::Adapter};

pub mod andes;
mod bitboard;
pub mod brandubh;
pub mod pastores;
pub mod querni;
mod token_table;

/// Every game that the referee knows. A static: other crates would compile every game again for a constant.
pub static ALL: &[&dyn Referee] = &[
    &Adapter::<andes::Andes>::NEW,
    &Adapter::<pastores::Pastores>::NEW,
    &Adapter::<querni::Querni>::NEW,
    &Adapter::<brandubh::Brandubh>::NEW,
];

/// The game with this identifier.
pub fn find(id: &str) -> Option<&'static dyn Referee> {
    ALL.iter().copied().find(|game| game.notation().id == id)
}
