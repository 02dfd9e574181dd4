//! Competitions: encounters, bonuses and levels of Andes (articles 9.1 to 9.5), and standings of any game.
//!
//! Everything is computed from [`Entry`]s, the facts of games that count. Each figure uses only the entries that it is
//! about: an [`Encounter`] its games, a [`Player`] the games of that player, [`Standings`] the games of one event.
//! Storage, input and output belong to the callers.

use std::{collections::HashMap, hash::Hash};

use crate::text::Messages;

mod counted_games;
mod crosstable;
mod encounter;
mod entry;
mod entry_text;
mod event_tags;
mod fraction;
mod level;
mod names;
mod player;
mod rating;
mod rounds;
mod sheet;
mod sheets;
mod standings;
mod tie_break;

pub use counted_games::{Candidate, CountedGames, Wanted};
pub use crosstable::Meeting;
pub use encounter::{Basis, Encounter, Irregularity, State, encounters};
pub use entry::{Entries, Entry, Start, Uncounted, event, is_known, known_value};
pub use entry_text::{read_entry, write_entry};
pub use event_tags::EventTags;
pub use fraction::{Half, Quarter};
pub use level::{Level, Step, Tier, Win, history};
pub use names::{
    AliasError, AliasFault, Aliases, folded, is_near, is_short_form, likely, normal, order, spelled_differently,
};
pub use player::{Player, players, rank};
pub use rating::{Rating, ratings};
pub use rounds::{numeric_key, rounds, until_round};
pub use sheet::{Difference, HashedSheet, Moves, Sheet, SheetKey};
pub use sheets::{CODES, COMPARED, Contradiction, Related, Sheets, group};
pub use standings::{Direct, Played, Standings, StandingsRow, Tally, standings};
pub use tie_break::TieBreak;

/// Groups things by a key, in the order of first appearance.
pub fn grouped<T, K: Hash + Eq>(things: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut indices = HashMap::new();
    for thing in things {
        let index = *indices.entry(key(&thing)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(thing);
    }
    groups
}

/// The words of competitions.
pub static MESSAGES: Messages = include!(concat!(env!("OUT_DIR"), "/competition/messages.rs"));
