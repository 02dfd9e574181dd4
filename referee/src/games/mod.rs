//! The table of games, with one line and one folder for each.

use std::borrow::Cow;

use quipu_notation::record::Record;

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

/// A record with its tokens in the canonical form of its game, as [`Referee::normalized`] gives it; one of an unknown game as it is.
pub fn normalized<'r, 'a>(record: &'r Record<'a>) -> Cow<'r, Record<'a>> {
    let game = record.value("Game").and_then(find);
    game.map_or(Cow::Borrowed(record), |game| Cow::Owned(game.normalized(record)))
}
