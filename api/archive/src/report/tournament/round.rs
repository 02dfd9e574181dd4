//! Rounds: pairings, and results with the records that they come from.

use quipu_referee::{Lang, competition::Half, report::hex};
use quipu_tournament::{
    model::{Board, GameOutcome, GameResult, Origin, Round, Tally, Tournament},
    reasons::RulePairing,
    records::Misfit,
    swiss::Explained,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::FaultReport;
use crate::{model::Number, store::StoredTournament};

/// `{"round":1,"boards":[{"board":1,"players":["side 1","side 2"]}],"byes":["…"]}`.
#[derive(Debug, Serialize)]
pub struct PairingReport<'t> {
    round: u32,
    boards: Vec<PairedReport<'t>>,
    byes: Vec<&'t str>,
}

/// A paired board.
#[derive(Debug, Serialize)]
pub struct PairedReport<'t> {
    board: u32,
    players: [&'t str; 2],
    /// With the reasons: false for a board that the rules of today do not give, because it was paired by hand or data changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_rule: Option<bool>,
    /// The reasons of a Swiss pairing, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explained>,
}

impl<'t> PairingReport<'t> {
    /// A paired round; none if it is not paired.
    pub fn new(stored: &'t StoredTournament, round: u32) -> Option<Self> {
        let paired = stored.tournament.round(round)?;
        let name = |id| stored.tournament.name(id);
        let boards = (1..).zip(&paired.boards);
        let boards = boards.map(|(board, paired)| {
            let players = paired.players.map(name);
            PairedReport { board, players, by_rule: None, explanation: None }
        });
        let byes = paired.byes.iter().map(|(id, _)| name(*id));
        Some(Self { round, boards: boards.collect(), byes: byes.collect() })
    }

    /// The same with the reasons of the boards that the rules give, and a mark on those that they do not.
    #[must_use]
    pub fn explained(mut self, tournament: &Tournament, by_rule: &RulePairing) -> Self {
        let paired = tournament.round(self.round).map_or(&[][..], |round| &round.boards);
        for (report, board) in self.boards.iter_mut().zip(paired) {
            let given = by_rule.board(board.players);
            report.by_rule = Some(given.is_some());
            report.explanation = given.and_then(|board| board.explanation.clone());
        }
        self
    }
}

/// A round with its results, the records they come from, and the records that fit no board.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TournamentRound", deny_unknown_fields)]
pub struct RoundReport<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    #[schemars(range(min = 1))]
    round: u32,
    closed: bool,
    boards: Vec<BoardReport<'t>>,
    byes: Vec<ByeReport<'t>>,
    /// Boards without all results.
    missing: Vec<u32>,
    misfits: Vec<MisfitReport>,
}

/// A board of a round.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TournamentBoard", deny_unknown_fields)]
pub struct BoardReport<'t> {
    #[schemars(range(min = 1))]
    board: u32,
    players: [&'t str; 2],
    /// Once all games have a result.
    #[schemars(with = "Option<[f64; 2]>")]
    scores: Option<[Half; 2]>,
    games: Vec<Option<GameReport<'t>>>,
}

/// A game of an encounter, for the players of the board in their order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BoardGame", deny_unknown_fields)]
pub(super) struct GameReport<'t> {
    outcome: GameOutcome,
    #[schemars(with = "[f64; 2]", inner(range(min = 0, max = 1)))]
    scores: [Half; 2],
    played: bool,
    #[schemars(extend("enum" = ["arbiter", "record"]))]
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    record: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[u32; 2]>,
}

/// A player without a board.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RoundBye", deny_unknown_fields)]
struct ByeReport<'t> {
    player: &'t str,
    #[schemars(with = "f64", range(min = 0, max = 1))]
    score: Half,
}

/// A record that gives no result, or replaces one of the arbiter.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Misfit")]
pub(super) struct MisfitReport {
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    record: String,
    #[serde(flatten)]
    fault: FaultReport,
}

impl<'t> RoundReport<'t> {
    /// A paired round; none if it is not paired.
    pub fn new(stored: &'t StoredTournament, round: u32, lang: Lang) -> Option<Self> {
        let tournament = &stored.tournament;
        let paired = tournament.round(round)?;
        let boards = (1..).zip(&paired.boards).map(|(number, board)| BoardReport::new(stored, number, board));
        let bye = tournament.settings.bye;
        let byes =
            paired.byes.iter().map(|(id, kind)| ByeReport { player: tournament.name(*id), score: kind.score(bye) });
        Some(Self {
            tournament: stored.number,
            round,
            closed: paired.is_closed,
            boards: boards.collect(),
            byes: byes.collect(),
            missing: missing(tournament, paired),
            misfits: misfits(stored, lang),
        })
    }
}

/// The records of a tournament that give no result, or replace one.
pub(super) fn misfits(stored: &StoredTournament, lang: Lang) -> Vec<MisfitReport> {
    let misfit =
        |misfit: &Misfit| MisfitReport { record: hex(&misfit.record), fault: FaultReport::new(&misfit.fault, lang) };
    stored.bindings.misfits.iter().map(misfit).collect()
}

impl<'t> BoardReport<'t> {
    /// A board by its number.
    pub fn new(stored: &'t StoredTournament, number: u32, board: &'t Board) -> Self {
        let encounter = stored.tournament.settings.encounter;
        Self {
            board: number,
            players: board.players.map(|id| stored.tournament.name(id)),
            scores: board.result(encounter).map(|result| result.scores),
            games: games(board),
        }
    }
}

/// The games of a board that have a result, at their places.
pub(super) fn games(board: &Board) -> Vec<Option<GameReport<'_>>> {
    board.games.iter().map(|game| game.as_ref().map(GameReport::from)).collect()
}

impl<'t> From<&'t GameResult> for GameReport<'t> {
    fn from(result: &'t GameResult) -> Self {
        let (origin, record) = match &result.origin {
            Origin::Arbiter => ("arbiter", None),
            Origin::Record(id) => ("record", Some(id.as_str())),
        };
        Self {
            outcome: result.outcome,
            scores: result.outcome.scores(),
            played: result.outcome.was_played(),
            origin,
            record,
            points: result.tallies.map(|tallies| tallies.map(|Tally { points, .. }| points)),
        }
    }
}

/// The boards of a round that lack a result.
pub(super) fn missing(tournament: &Tournament, round: &Round) -> Vec<u32> {
    let encounter = tournament.settings.encounter;
    let boards = (1..).zip(&round.boards).filter(|(_, board)| board.result(encounter).is_none());
    boards.map(|(number, _)| number).collect()
}
