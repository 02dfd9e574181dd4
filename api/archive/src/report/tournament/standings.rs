//! Standings with the records behind each score.

use quipu_referee::{competition::Half, report::hex};
use quipu_tournament::{
    model::PlayerId,
    records::Place,
    standings::{Figure, TournamentStandings, TournamentTieBreak},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{model::Number, store::StoredTournament};

/// Standings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TournamentStandings", deny_unknown_fields)]
pub struct StandingsReport<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    name: &'t str,
    /// The last round that counts; 0 before the first.
    round: u32,
    order: &'t [TournamentTieBreak],
    rows: Vec<RowReport<'t>>,
}

/// A player's place.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TournamentRow", deny_unknown_fields)]
pub(super) struct RowReport<'t> {
    #[schemars(range(min = 1))]
    place: u32,
    number: PlayerId,
    name: &'t str,
    #[schemars(with = "f64", range(min = 0))]
    score: Half,
    wins: u32,
    draws: u32,
    losses: u32,
    figures: &'t [Figure],
    /// The records of the games, in their order.
    #[schemars(inner(regex(pattern = "^[0-9a-f]{64}$")))]
    records: Vec<String>,
}

impl<'t> StandingsReport<'t> {
    /// The standings with the records behind each score.
    pub fn new(stored: &'t StoredTournament, standings: &'t TournamentStandings) -> Self {
        Self {
            tournament: stored.number,
            name: &stored.tournament.settings.name,
            round: standings.round,
            order: &standings.order,
            rows: standings.rows.iter().map(|row| RowReport::new(stored, row, standings.round)).collect(),
        }
    }
}

impl<'t> RowReport<'t> {
    /// The place of a player after a round.
    pub(super) fn new(
        stored: &'t StoredTournament,
        row: &'t quipu_tournament::standings::TournamentRow,
        round: u32,
    ) -> Self {
        let [wins, draws, losses] = row.played;
        Self {
            place: row.place,
            number: row.player,
            name: stored.tournament.name(row.player),
            score: row.score,
            wins,
            draws,
            losses,
            figures: &row.figures,
            records: stored.records_of(row.player, round).collect(),
        }
    }
}

impl StoredTournament {
    /// The records of a player's games up to a round.
    fn records_of(&self, player: PlayerId, last: u32) -> impl Iterator<Item = String> {
        let plays = move |place: &Place| {
            let board = self.tournament.round(place.round).and_then(|round| round.boards.get(place.board as usize - 1));
            place.round <= last && board.is_some_and(|board| board.index_of(player).is_some())
        };
        self.bindings.places.iter().filter(move |(place, _)| plays(place)).map(|(_, id)| hex(id))
    }
}
