//! A player of a tournament, round by round.

use quipu_referee::competition::Half;
use quipu_tournament::{
    model::{Bye, PlayerId, Slot},
    standings::TournamentStandings,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    entries::EntrantReport,
    round::{GameReport, games},
    standings::RowReport,
};
use crate::{model::Number, store::StoredTournament};

/// A player with all rounds so far.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TournamentPlayer", deny_unknown_fields)]
pub struct PlayerCardReport<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    player: EntrantReport<'t>,
    /// The row in the standings; none for a player whose first round is yet to come.
    standing: Option<RowReport<'t>>,
    rounds: Vec<PlayerRound<'t>>,
}

/// A round of a player.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlayerRound<'t> {
    #[schemars(range(min = 1))]
    round: u32,
    #[schemars(with = "f64", range(min = 0, max = 1))]
    score: Half,
    /// The kind of a bye.
    bye: Option<Bye>,
    encounter: Option<PlayerEncounter<'t>>,
}

/// An encounter of a player.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlayerEncounter<'t> {
    #[schemars(range(min = 1))]
    board: u32,
    number: PlayerId,
    opponent: &'t str,
    /// The side in the first game.
    #[schemars(range(min = 1, max = 2))]
    side: usize,
    /// For the players of the board in their order.
    games: Vec<Option<GameReport<'t>>>,
}

impl<'t> PlayerCardReport<'t> {
    /// A player; none if nobody has the number.
    pub fn new(stored: &'t StoredTournament, standings: &'t TournamentStandings, player: PlayerId) -> Option<Self> {
        let tournament = &stored.tournament;
        let entrant = tournament.entrant(player)?;
        let history = tournament.histories().swap_remove(player.0 as usize - 1);
        let rounds = (1..).zip(history).filter_map(|(round, slot)| PlayerRound::new(stored, round, &slot));
        let row = standings.rows.iter().find(|row| row.player == player);
        Some(Self {
            tournament: stored.number,
            player: EntrantReport::new(player, entrant),
            standing: row.map(|row| RowReport::new(stored, row, standings.round)),
            rounds: rounds.collect(),
        })
    }
}

impl<'t> PlayerRound<'t> {
    /// A round; none if the player was not in the tournament.
    fn new(stored: &'t StoredTournament, round: u32, slot: &Slot) -> Option<Self> {
        let tournament = &stored.tournament;
        let (bye, encounter) = match slot {
            Slot::Out => return None,
            Slot::Bye(bye) => (Some(*bye), None),
            Slot::Encounter { board, opponent, side, .. } => {
                let paired = tournament.round(round)?.boards.get(*board)?;
                let encounter = PlayerEncounter {
                    board: u32::try_from(*board).map_or(u32::MAX, |board| board + 1),
                    number: *opponent,
                    opponent: tournament.name(*opponent),
                    side: side.index() + 1,
                    games: games(paired),
                };
                (None, Some(encounter))
            }
        };
        Some(Self { round, score: slot.score(tournament.settings.bye), bye, encounter })
    }
}
