//! The public JSON of competitions. Its fields are told in `docs/competition.md`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::competition::{Encounter, Half, Level, Player, Quarter, Row, Standings, Step, TieBreak};

/// Encounters, and what they come to for the players.
#[derive(Debug, Serialize)]
pub struct ScoreReport<'c> {
    /// In the order of their first games.
    pub encounters: Vec<EncounterReport<'c>>,
    /// In the order of their names.
    pub players: Vec<PlayerReport<'c>>,
    /// Which places are whose, where several sources were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport<'c>>,
}

/// Players with their levels.
#[derive(Debug, Serialize)]
pub struct RankReport<'c> {
    /// The highest level first.
    pub players: Vec<RankedReport<'c>>,
    /// Which places are whose, where several sources were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport<'c>>,
}

/// Standings of each game and event.
#[derive(Debug, Serialize)]
pub struct TablesReport<'c> {
    /// In the order of their first games.
    pub tables: Vec<StandingsReport<'c>>,
    /// Which places are whose, where several sources were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport<'c>>,
}

/// A source of records among several.
#[derive(Debug, Serialize)]
pub struct FileReport<'c> {
    /// Its name; null for standard input.
    pub file: Option<&'c str>,
    /// The place of its first record.
    pub first: u64,
    /// How many it has.
    pub records: u64,
}

/// An encounter.
#[derive(Debug, Serialize)]
pub struct EncounterReport<'c> {
    /// The event, or null.
    pub event: Option<&'c str>,
    /// The round, or null.
    pub round: Option<&'c str>,
    /// Places of its games.
    pub games: &'c [u64],
    /// `won`, `tied`, `open` or `irregular`.
    pub state: &'static str,
    /// The two names.
    pub players: [&'c str; 2],
    /// Their points, without bonus.
    pub points: [u32; 2],
    /// Who won it, or null.
    pub winner: Option<&'c str>,
    /// What is added to their points.
    pub bonus: [Half; 2],
}

/// A player of games that count points.
#[derive(Debug, Serialize)]
pub struct PlayerReport<'c> {
    /// The name.
    pub name: &'c str,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub won: u64,
    /// Points without bonus.
    pub points: u64,
    /// Points with bonus.
    pub points_with_bonus: Half,
    /// 0 to 360, or null.
    pub level: Option<u16>,
    /// `cobre`, `plata` or `oro`, or null.
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

/// A level and what it was computed from.
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
pub struct StandingsReport<'c> {
    /// The game.
    pub game: &'static str,
    /// The event, or null.
    pub event: Option<&'c str>,
    /// What ranks players with equal scores, the first first.
    pub tie_breaks: Vec<&'static str>,
    /// The best first.
    pub players: Vec<RowReport<'c>>,
}

/// A player's place.
#[derive(Debug, Serialize)]
pub struct RowReport<'c> {
    /// From 1; those who are equal in everything share it.
    pub place: u64,
    /// The name.
    pub name: &'c str,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// One for each win, a half for each draw.
    pub score: Half,
    /// The tie-breaks by their names; null where one says nothing of the player.
    pub tie_breaks: BTreeMap<&'static str, Option<Quarter>>,
    /// The row of the crosstable, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Vec<MeetingReport<'c>>>,
}

/// A cell of the crosstable.
#[derive(Debug, Serialize)]
pub struct MeetingReport<'c> {
    /// The opponent.
    pub name: &'c str,
    /// What the games were worth together.
    pub score: Half,
    /// The games in the order of entry.
    pub games: Vec<GameReport>,
}

/// A game as a player sees it.
#[derive(Debug, Serialize)]
pub struct GameReport {
    /// Its place.
    pub game: u64,
    /// What it was worth: 1, 0.5 or 0.
    pub score: Half,
}

/// An encounter.
pub fn encounter(encounter: &Encounter) -> EncounterReport<'_> {
    EncounterReport {
        event: encounter.event.as_deref(),
        round: encounter.round.as_deref(),
        games: &encounter.games,
        state: encounter.state.as_str(),
        players: encounter.players.each_ref().map(String::as_str),
        points: encounter.sums.map(|sum| sum.points),
        winner: encounter.winner(),
        bonus: encounter.bonus(),
    }
}

/// A player of games that count points.
pub fn player(player: &Player) -> PlayerReport<'_> {
    PlayerReport {
        name: &player.name,
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
    RankedReport { player: self::player(player), history: player.history.iter().map(step).collect() }
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

/// Standings, with the crosstable or without.
pub fn standings(standings: &Standings, crosstable: bool) -> StandingsReport<'_> {
    StandingsReport {
        game: standings.game.id,
        event: standings.event.as_deref(),
        tie_breaks: standings.order.iter().map(|tie_break| tie_break.as_str()).collect(),
        players: standings.rows.iter().map(|of| row(standings, of, crosstable)).collect(),
    }
}

fn row<'c>(standings: &'c Standings, row: &'c Row, crosstable: bool) -> RowReport<'c> {
    let meetings = || {
        let meetings = row.meetings().into_iter().map(|meeting| MeetingReport {
            name: &standings.rows[meeting.opponent].name,
            score: meeting.score(),
            games: meeting.games.iter().map(|played| GameReport { game: played.game, score: played.score }).collect(),
        });
        meetings.collect()
    };
    RowReport {
        place: row.place,
        name: &row.name,
        games: row.games(),
        wins: row.wins,
        draws: row.draws,
        losses: row.losses,
        score: row.score,
        tie_breaks: standings.order.iter().copied().map(TieBreak::as_str).zip(row.figures.iter().copied()).collect(),
        opponents: crosstable.then(meetings),
    }
}
