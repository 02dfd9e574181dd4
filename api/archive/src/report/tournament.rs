//! Tournaments in JSON. Players have their names; numbers are those of the entry list.

use std::collections::BTreeMap;

use quipu_referee::{Lang, competition::Half, report::hex};
use quipu_tournament::{
    messages::catalog,
    model::{Board, Bye, GameResult, Origin, Player, PlayerId, System, Tally},
    records::{Misfit, Place},
    standings::{self, Figure, Method, Tiebreaker},
};
use serde::Serialize;

use crate::{
    model::Number,
    store::{ListedTournament, StoredTournament},
};

/// `{"tournament":7}`.
#[derive(Debug, Serialize)]
pub struct CreatedReport {
    /// Its number.
    pub tournament: Number,
}

/// A tournament in a list.
#[derive(Debug, Serialize)]
pub struct ListedReport<'t> {
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

/// The entry list.
#[derive(Debug, Serialize)]
pub struct EntriesReport<'t> {
    tournament: Number,
    players: Vec<EntrantReport<'t>>,
    forbidden: Vec<[&'t str; 2]>,
}

/// A player.
#[derive(Debug, Serialize)]
struct EntrantReport<'t> {
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

impl<'t> From<&'t StoredTournament> for EntriesReport<'t> {
    fn from(stored: &'t StoredTournament) -> Self {
        let tournament = &stored.tournament;
        let players = tournament.ids().zip(&tournament.entrants).map(|(number, entrant)| EntrantReport {
            number,
            player: &entrant.player,
            first: entrant.first,
            withdrawn: entrant.withdrawn,
            absences: &entrant.absences,
        });
        let forbidden = tournament.forbidden.iter().map(|pair| pair.map(|id| tournament.name(id)));
        Self { tournament: stored.number, players: players.collect(), forbidden: forbidden.collect() }
    }
}

/// `{"round":1,"boards":[{"board":1,"players":["side 1","side 2"]}],"byes":["…"]}`.
#[derive(Debug, Serialize)]
pub struct PairingReport<'t> {
    round: u32,
    boards: Vec<PairedReport<'t>>,
    byes: Vec<&'t str>,
}

#[derive(Debug, Serialize)]
struct PairedReport<'t> {
    board: u32,
    players: [&'t str; 2],
}

impl<'t> PairingReport<'t> {
    /// A paired round; none if it is not paired.
    pub fn new(stored: &'t StoredTournament, round: u32) -> Option<Self> {
        let paired = stored.tournament.round(round)?;
        let name = |id| stored.tournament.name(id);
        let boards = (1..).zip(&paired.boards);
        let boards = boards.map(|(board, paired)| PairedReport { board, players: paired.players.map(name) });
        let byes = paired.byes.iter().map(|(id, _)| name(*id));
        Some(Self { round, boards: boards.collect(), byes: byes.collect() })
    }
}

/// A round with its results, the records they come from, and the records that fit no board.
#[derive(Debug, Serialize)]
pub struct RoundReport<'t> {
    tournament: Number,
    round: u32,
    closed: bool,
    boards: Vec<BoardReport<'t>>,
    byes: Vec<ByeReport<'t>>,
    misfits: Vec<MisfitReport<'t>>,
}

#[derive(Debug, Serialize)]
struct BoardReport<'t> {
    board: u32,
    players: [&'t str; 2],
    /// Once all games have a result.
    scores: Option<[Half; 2]>,
    games: Vec<Option<GameReport<'t>>>,
}

/// A game of an encounter, for the players of the board in their order.
#[derive(Debug, Serialize)]
struct GameReport<'t> {
    scores: [Half; 2],
    played: bool,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[u32; 2]>,
}

#[derive(Debug, Serialize)]
struct ByeReport<'t> {
    player: &'t str,
    score: Half,
}

/// A record that gives no result, or replaces one of the arbiter.
#[derive(Debug, Serialize)]
struct MisfitReport<'t> {
    record: String,
    code: &'static str,
    facts: BTreeMap<&'static str, &'t str>,
    message: String,
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
        let misfits = stored.bindings.misfits.iter().map(|misfit| MisfitReport::new(misfit, lang));
        Some(Self {
            tournament: stored.number,
            round,
            closed: paired.is_closed,
            boards: boards.collect(),
            byes: byes.collect(),
            misfits: misfits.collect(),
        })
    }
}

impl<'t> BoardReport<'t> {
    fn new(stored: &'t StoredTournament, number: u32, board: &'t Board) -> Self {
        let encounter = stored.tournament.settings.encounter;
        Self {
            board: number,
            players: board.players.map(|id| stored.tournament.name(id)),
            scores: board.result(encounter).map(|result| result.scores),
            games: board.games.iter().map(|game| game.as_ref().map(GameReport::from)).collect(),
        }
    }
}

impl<'t> From<&'t GameResult> for GameReport<'t> {
    fn from(result: &'t GameResult) -> Self {
        let (origin, record) = match &result.origin {
            Origin::Arbiter => ("arbiter", None),
            Origin::Record(id) => ("record", Some(id.as_str())),
        };
        Self {
            scores: result.outcome.scores(),
            played: result.outcome.was_played(),
            origin,
            record,
            points: result.tallies.map(|tallies| tallies.map(|Tally { points, .. }| points)),
        }
    }
}

impl<'t> MisfitReport<'t> {
    fn new(misfit: &'t Misfit, lang: Lang) -> Self {
        Self {
            record: hex(&misfit.record),
            code: misfit.fault.code.id,
            facts: misfit.fault.facts.iter().map(|(name, value)| (*name, value.as_str())).collect(),
            message: catalog().fault(&misfit.fault, lang),
        }
    }
}

/// Standings.
#[derive(Debug, Serialize)]
pub struct StandingsReport<'t> {
    tournament: Number,
    name: &'t str,
    round: u32,
    order: &'t [Tiebreaker],
    rows: Vec<RowReport<'t>>,
}

#[derive(Debug, Serialize)]
struct RowReport<'t> {
    place: u32,
    number: PlayerId,
    name: &'t str,
    score: Half,
    wins: u32,
    draws: u32,
    losses: u32,
    figures: &'t [Figure],
    /// The records of the games, in their order.
    records: Vec<String>,
}

impl<'t> StandingsReport<'t> {
    /// The standings with the records behind each score.
    pub fn new(stored: &'t StoredTournament, standings: &'t standings::Standings) -> Self {
        let rows = standings.rows.iter().map(|row| {
            let [wins, draws, losses] = row.played;
            RowReport {
                place: row.place,
                number: row.player,
                name: stored.tournament.name(row.player),
                score: row.score,
                wins,
                draws,
                losses,
                figures: &row.figures,
                records: stored.records_of(row.player, standings.round).collect(),
            }
        });
        Self {
            tournament: stored.number,
            name: &stored.tournament.settings.name,
            round: standings.round,
            order: &standings.order,
            rows: rows.collect(),
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

/// The places that are still possible.
#[derive(Debug, Serialize)]
pub struct ProspectsReport<'t> {
    tournament: Number,
    method: Method,
    open: usize,
    players: Vec<ChancesReport<'t>>,
}

#[derive(Debug, Serialize)]
struct ChancesReport<'t> {
    number: PlayerId,
    name: &'t str,
    best: u32,
    worst: u32,
    takes: Vec<NeededReport<'t>>,
}

#[derive(Debug, Serialize)]
struct NeededReport<'t> {
    round: u32,
    players: [&'t str; 2],
    scores: [Half; 2],
}

impl<'t> ProspectsReport<'t> {
    /// The prospects of all players.
    pub fn new(stored: &'t StoredTournament, prospects: &standings::Prospects) -> Self {
        let name = |id| stored.tournament.name(id);
        let players = prospects.players.iter().map(|chances| ChancesReport {
            number: chances.player,
            name: name(chances.player),
            best: chances.best,
            worst: chances.worst,
            takes: chances
                .takes
                .iter()
                .map(|needed| NeededReport {
                    round: needed.round,
                    players: needed.players.map(name),
                    scores: needed.scores,
                })
                .collect(),
        });
        Self { tournament: stored.number, method: prospects.method, open: prospects.open, players: players.collect() }
    }
}
