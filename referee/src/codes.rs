//! All codes, from the table of the record, that of advice and that of each game.

use crate::{Code, advice, games, record};

/// Every code: those of the record and of advice, then each game's in order of precedence.
pub fn all() -> impl Iterator<Item = &'static Code> {
    record::CODES.iter().chain(advice::CODES).chain(games::ALL.iter().flat_map(|game| game.codes()))
}

/// The code with this name.
pub fn find(id: &str) -> Option<&'static Code> {
    all().find(|code| code.id == id)
}
