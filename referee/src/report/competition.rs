//! The public JSON of competitions, as described in `docs/competition.md`.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::sheets::{ContradictionReport, SheetsReport, difference};
use crate::competition::{
    CountedGames, Encounter, Half, Level, Player, Quarter, Standings, StandingsRow, Step, TieBreak,
};
#[cfg(feature = "schema")]
use crate::competition::{Irregularity, State, Tier};

/// One of each state that JSON distinguishes.
#[cfg(feature = "schema")]
const STATES: [State; 4] = [State::Won(0), State::Tied, State::Open, State::Irregular(Irregularity::Leg)];

/// Numbers of players by their names, where an archive gives them numbers.
pub type Numbers = HashMap<String, i64>;

/// A list of names of tie-breaks.
#[cfg(feature = "schema")]
fn tie_breaks(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names = TieBreak::ALL.map(TieBreak::as_str);
    schemars::json_schema!({ "type": "array", "items": { "type": "string", "enum": names } })
}

/// Encounters, and the sums of the players.
#[derive(Debug, Serialize)]
pub struct ScoreReport<'c> {
    /// In the order of their first games.
    pub encounters: Vec<EncounterReport<'c>>,
    /// In the order of their names.
    pub players: Vec<PlayerReport<'c>>,
    /// The places of each source, if several were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport<'c>>,
    /// Sheets of one game, and sheets that contradict each other.
    #[serde(flatten)]
    pub sheets: RelatedReport<'c>,
}

/// Players with their levels.
#[derive(Debug, Serialize)]
pub struct RankReport<'c> {
    /// The highest level first.
    pub players: Vec<RankedReport<'c>>,
    /// The places of each source, if several were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport<'c>>,
    /// Sheets of one game, and sheets that contradict each other.
    #[serde(flatten)]
    pub sheets: RelatedReport<'c>,
}

/// Standings of each game and event.
#[derive(Debug, Serialize)]
pub struct TablesReport<'c, R> {
    /// In the order of their first games.
    pub tables: Vec<StandingsReport<'c, R>>,
    /// The places of each source, if several were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport<'c>>,
    /// Sheets of one game, and sheets that contradict each other.
    #[serde(flatten)]
    pub sheets: RelatedReport<'c>,
}

/// Relations between the records that were read.
#[derive(Debug, Default, Serialize)]
pub struct RelatedReport<'c> {
    /// Games with several sheets, in the order of their first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sheets: Vec<SheetsReport<'c>>,
    /// In the order of the later sheets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<ContradictionReport<'c>>,
}

impl<'c> From<&'c CountedGames> for RelatedReport<'c> {
    fn from(count: &'c CountedGames) -> Self {
        let contradictions = count.contradictions.iter().map(|(place, found)| ContradictionReport {
            games: [found.place, *place],
            difference: difference(&found.difference),
        });
        Self {
            sheets: count.sheets_of_games.values().map(|games| SheetsReport { games }).collect(),
            contradictions: contradictions.collect(),
        }
    }
}

/// A source of records among several.
#[derive(Debug, Serialize)]
pub struct FileReport<'c> {
    /// Its name; null for standard input.
    pub file: Option<&'c str>,
    /// The place of its first record.
    pub first: u64,
    /// The number of its records.
    pub records: u64,
}

/// An encounter.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct EncounterReport<'c> {
    /// The event, or null.
    pub event: Option<&'c str>,
    /// The round, or null.
    pub round: Option<&'c str>,
    /// Places of its games.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub games: &'c [u64],
    /// `won`, `tied`, `open` or `irregular`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = STATES.map(State::as_str))))]
    pub state: &'static str,
    /// The two names.
    pub players: [&'c str; 2],
    /// Their numbers in the archive; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required, inner(range(min = 1))))]
    pub numbers: Option<[i64; 2]>,
    /// Their points, without bonus.
    pub points: [u32; 2],
    /// The winner, or null.
    pub winner: Option<&'c str>,
    /// Their bonuses.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 2]", inner(range(min = 0))))]
    pub bonus: [Half; 2],
}

/// A player of games that count points.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct PlayerReport<'c> {
    /// The name.
    pub name: &'c str,
    /// Its number in the archive; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required, range(min = 1)))]
    pub number: Option<i64>,
    /// Games played.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub games: u64,
    /// Games won.
    pub won: u64,
    /// Points without bonus.
    pub points: u64,
    /// Points with bonus.
    #[cfg_attr(feature = "schema", schemars(with = "f64", range(min = 0)))]
    pub points_with_bonus: Half,
    /// 0 to 360, or null.
    #[cfg_attr(feature = "schema", schemars(range(max = 360)))]
    pub level: Option<u16>,
    /// `cobre`, `plata` or `oro`, or null.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = super::or_null(Tier::ALL.map(Tier::as_str)))))]
    pub tier: Option<&'static str>,
}

/// A player with the history of the level.
#[derive(Debug, Serialize)]
pub struct RankedReport<'c> {
    /// As in [`ScoreReport`].
    #[serde(flatten)]
    pub player: PlayerReport<'c>,
    /// The level after each won game from the second on, the oldest first.
    pub history: Vec<StepReport>,
}

/// A level and the points that it was computed from.
#[derive(Debug, Serialize)]
pub struct StepReport {
    /// Place of the won game.
    pub game: u64,
    /// The points in it.
    pub last: u32,
    /// The points in the game won before.
    pub previous: u32,
    /// 0 to 360, or null.
    pub level: Option<u16>,
    /// `cobre`, `plata` or `oro`, or null.
    pub tier: Option<&'static str>,
}

/// The standings of one game in one event.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct StandingsReport<'c, R> {
    /// The game.
    pub game: &'static str,
    /// The event, or null.
    pub event: Option<&'c str>,
    /// The tie-breaks, the first one first.
    #[cfg_attr(feature = "schema", schemars(schema_with = "tie_breaks"))]
    pub tie_breaks: Vec<&'static str>,
    /// The best first.
    pub players: Vec<R>,
}

/// A player's place.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct RowReport<'c> {
    /// From 1; players equal in everything share a place.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub place: u64,
    /// The name.
    pub name: &'c str,
    /// Its number in the archive; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required, range(min = 1)))]
    pub number: Option<i64>,
    /// Games played.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// One for each win, a half for each draw.
    #[cfg_attr(feature = "schema", schemars(with = "f64", range(min = 0)))]
    pub score: Half,
    /// The tie-breaks by their names; null where one does not apply to the player.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Option<f64>>"))]
    pub tie_breaks: BTreeMap<&'static str, Option<Quarter>>,
}

/// A player's place, with the row of the crosstable.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct CrossRowReport<'c> {
    /// The place.
    #[serde(flatten)]
    pub row: RowReport<'c>,
    /// The games against each opponent.
    pub opponents: Vec<MeetingReport<'c>>,
}

/// A cell of the crosstable.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct MeetingReport<'c> {
    /// The opponent.
    pub name: &'c str,
    /// Its number in the archive; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(required, range(min = 1)))]
    pub number: Option<i64>,
    /// The score in all of them.
    #[cfg_attr(feature = "schema", schemars(with = "f64", range(min = 0)))]
    pub score: Half,
    /// The games in the order of entry.
    pub games: Vec<GameReport>,
}

/// A game as a player sees it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct GameReport {
    /// Its place.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub game: u64,
    /// Its score: 1, 0.5 or 0.
    #[cfg_attr(feature = "schema", schemars(with = "f64", range(min = 0, max = 1)))]
    pub score: Half,
}

/// An encounter.
pub fn encounter<'c>(encounter: &'c Encounter, numbers: &Numbers) -> EncounterReport<'c> {
    let [one, two] = encounter.players.each_ref().map(|name| numbers.get(name).copied());
    EncounterReport {
        event: encounter.event.as_deref(),
        round: encounter.round.as_deref(),
        games: &encounter.games,
        state: encounter.state.as_str(),
        players: encounter.players.each_ref().map(String::as_str),
        numbers: one.zip(two).map(|(one, two)| [one, two]),
        points: encounter.sums.map(|sum| sum.points),
        winner: encounter.winner(),
        bonus: encounter.bonus(),
    }
}

/// A player of games that count points.
pub fn player<'c>(player: &'c Player, numbers: &Numbers) -> PlayerReport<'c> {
    PlayerReport {
        name: &player.name,
        number: numbers.get(&player.name).copied(),
        games: player.games,
        won: player.won,
        points: player.points,
        points_with_bonus: player.points_with_bonus(),
        level: player.level().map(Level::value),
        tier: player.level().map(|level| level.tier().as_str()),
    }
}

/// The same with the history of the level.
pub fn ranked(player: &Player) -> RankedReport<'_> {
    let history = player.history.iter().map(step).collect();
    RankedReport { player: self::player(player, &Numbers::new()), history }
}

fn step(step: &Step) -> StepReport {
    StepReport {
        game: step.game,
        last: step.last,
        previous: step.previous,
        level: step.level.map(Level::value),
        tier: step.level.map(|level| level.tier().as_str()),
    }
}

/// Standings without the crosstable.
pub fn standings<'c>(standings: &'c Standings, numbers: &Numbers) -> StandingsReport<'c, RowReport<'c>> {
    table(standings, |of| row(standings, of, numbers))
}

/// Standings with the crosstable.
pub fn crosstable<'c>(standings: &'c Standings, numbers: &Numbers) -> StandingsReport<'c, CrossRowReport<'c>> {
    table(standings, |of| {
        let opponents = of.meetings().into_iter().map(|meeting| {
            let name = &standings.rows[meeting.opponent].name;
            MeetingReport {
                name,
                number: numbers.get(name).copied(),
                score: meeting.score(),
                games: meeting
                    .games
                    .iter()
                    .map(|played| GameReport { game: played.game, score: played.score })
                    .collect(),
            }
        });
        CrossRowReport { row: row(standings, of, numbers), opponents: opponents.collect() }
    })
}

fn table<'c, R>(standings: &'c Standings, row: impl Fn(&'c StandingsRow) -> R) -> StandingsReport<'c, R> {
    StandingsReport {
        game: standings.game.id,
        event: standings.event.as_deref(),
        tie_breaks: standings.order.iter().map(|tie_break| tie_break.as_str()).collect(),
        players: standings.rows.iter().map(row).collect(),
    }
}

fn row<'c>(standings: &'c Standings, row: &'c StandingsRow, numbers: &Numbers) -> RowReport<'c> {
    RowReport {
        place: row.place,
        name: &row.name,
        number: numbers.get(&row.name).copied(),
        games: row.games(),
        wins: row.wins,
        draws: row.draws,
        losses: row.losses,
        score: row.score,
        tie_breaks: standings.order.iter().copied().map(TieBreak::as_str).zip(row.figures.iter().copied()).collect(),
    }
}
