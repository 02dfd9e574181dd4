//! A tournament in a list, and as a whole.

use quipu_referee::Lang;
use quipu_tournament::{
    model::{About, Round, System, TIME_CONTROL, TournamentSettings},
    standings::TournamentTieBreak,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    entries::{EntrantReport, entrants, forbidden},
    round::{MisfitReport, misfits, missing},
};
use crate::{
    model::Number,
    store::{ListedTournament, StoredTournament},
};

/// A tournament in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TournamentCard", deny_unknown_fields)]
pub struct ListedReport<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    name: &'t str,
    game: &'static str,
    system: System,
    players: usize,
    paired: usize,
    rounds: u32,
}

impl<'t> From<&'t ListedTournament> for ListedReport<'t> {
    fn from(listed: &'t ListedTournament) -> Self {
        Self {
            tournament: listed.number,
            name: &listed.name,
            game: listed.game.id,
            system: listed.system,
            players: listed.players,
            paired: listed.paired,
            rounds: listed.rounds,
        }
    }
}

/// A tournament: settings, players, and the state of its rounds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tournament", deny_unknown_fields)]
pub struct TournamentReport<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    /// Grows with each change of the tournament, an undone one included.
    #[schemars(range(min = 1))]
    version: Number,
    game: &'static str,
    settings: &'t TournamentSettings,
    about: &'t About,
    /// Those in force, which may have changed since the creation.
    tie_breaks: &'t [TournamentTieBreak],
    /// Seconds with which each player starts a game, in force now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = TIME_CONTROL[0], max = TIME_CONTROL[1]))]
    time_control: Option<u32>,
    rounds: u32,
    /// The state of each paired round.
    paired: Vec<RoundState>,
    players: Vec<EntrantReport<'t>>,
    forbidden: Vec<[&'t str; 2]>,
    misfits: Vec<MisfitReport>,
}

/// The state of a round.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RoundState {
    #[schemars(range(min = 1))]
    round: u32,
    closed: bool,
    boards: usize,
    /// Boards without all results.
    missing: Vec<u32>,
}

impl<'t> TournamentReport<'t> {
    /// The report in a language.
    pub fn new(stored: &'t StoredTournament, lang: Lang) -> Self {
        let tournament = &stored.tournament;
        let state = |(round, paired): (u32, &Round)| RoundState {
            round,
            closed: paired.is_closed,
            boards: paired.boards.len(),
            missing: missing(tournament, paired),
        };
        Self {
            tournament: stored.number,
            version: stored.version,
            game: stored.game.id,
            settings: &tournament.settings,
            about: &tournament.about,
            tie_breaks: &tournament.tie_breaks,
            time_control: tournament.time_control,
            rounds: tournament.round_count(),
            paired: (1..).zip(&tournament.rounds).map(state).collect(),
            players: entrants(tournament),
            forbidden: forbidden(tournament),
            misfits: misfits(stored, lang),
        }
    }
}
