//! The places that are still possible.

use quipu_referee::competition::Half;
use quipu_tournament::{
    model::PlayerId,
    standings::{Method, PlayerProspects, Prospects},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{model::Number, store::StoredTournament};

/// The places that are still possible.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Prospects", deny_unknown_fields)]
pub struct ProspectsReport<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    method: Method,
    open: usize,
    players: Vec<PlayerProspectsReport<'t>>,
}

/// The places that a player can still reach.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlayerProspects", deny_unknown_fields)]
struct PlayerProspectsReport<'t> {
    number: PlayerId,
    name: &'t str,
    #[schemars(range(min = 1))]
    best: u32,
    #[schemars(range(min = 1))]
    worst: u32,
    takes: Vec<NeededReport<'t>>,
}

/// A result that the best place takes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NeededResult", deny_unknown_fields)]
struct NeededReport<'t> {
    #[schemars(range(min = 1))]
    round: u32,
    players: [&'t str; 2],
    #[schemars(with = "[f64; 2]", inner(range(min = 0, max = 1)))]
    scores: [Half; 2],
}

impl<'t> ProspectsReport<'t> {
    /// The prospects of all players.
    pub fn new(stored: &'t StoredTournament, prospects: &Prospects) -> Self {
        let players = prospects.players.iter().map(|chances| PlayerProspectsReport::new(stored, chances));
        Self { tournament: stored.number, method: prospects.method, open: prospects.open, players: players.collect() }
    }
}

impl<'t> PlayerProspectsReport<'t> {
    fn new(stored: &'t StoredTournament, chances: &PlayerProspects) -> Self {
        let name = |id| stored.tournament.name(id);
        let takes = chances.takes.iter().map(|needed| NeededReport {
            round: needed.round,
            players: needed.players.map(name),
            scores: needed.scores,
        });
        Self {
            number: chances.player,
            name: name(chances.player),
            best: chances.best,
            worst: chances.worst,
            takes: takes.collect(),
        }
    }
}
