//! The entry list.

use std::collections::BTreeMap;

use quipu_tournament::model::{Bye, Entrant, Player, PlayerId, Tournament};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{model::Number, store::StoredTournament};

/// The entry list.
#[derive(Debug, Serialize)]
pub struct EntriesReport<'t> {
    tournament: Number,
    players: Vec<EntrantReport<'t>>,
    forbidden: Vec<[&'t str; 2]>,
}

/// A player.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Entrant")]
pub(super) struct EntrantReport<'t> {
    number: PlayerId,
    #[serde(flatten)]
    player: &'t Player,
    /// The first round.
    first: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawn: Option<u32>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    absences: &'t BTreeMap<u32, Bye>,
}

impl<'t> EntrantReport<'t> {
    pub(super) fn new(number: PlayerId, entrant: &'t Entrant) -> Self {
        Self {
            number,
            player: &entrant.player,
            first: entrant.first,
            withdrawn: entrant.withdrawn,
            absences: &entrant.absences,
        }
    }
}

/// The players by their numbers.
pub(super) fn entrants(tournament: &Tournament) -> Vec<EntrantReport<'_>> {
    tournament.ids().zip(&tournament.entrants).map(|(number, entrant)| EntrantReport::new(number, entrant)).collect()
}

/// The names of pairs that must not be.
pub(super) fn forbidden(tournament: &Tournament) -> Vec<[&str; 2]> {
    tournament.forbidden.iter().map(|pair| pair.map(|id| tournament.name(id))).collect()
}

impl<'t> From<&'t StoredTournament> for EntriesReport<'t> {
    fn from(stored: &'t StoredTournament) -> Self {
        let tournament = &stored.tournament;
        Self { tournament: stored.number, players: entrants(tournament), forbidden: forbidden(tournament) }
    }
}
