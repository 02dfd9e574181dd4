//! All codes, from the table of the record, that of advice, that of relations between records and that of each game.

use crate::{Code, advice, competition, games, record};

/// Every code: those of the record, of advice and of relations, then each game's in order of precedence.
pub fn all() -> impl Iterator<Item = &'static Code> {
    let shared = record::CODES.iter().chain(advice::CODES).chain(competition::CODES);
    shared.chain(games::ALL.iter().flat_map(|game| game.codes()))
}

/// The code with this name.
pub fn find(id: &str) -> Option<&'static Code> {
    all().find(|code| code.id == id)
}
