//! The games of a position, as JSON.

use std::collections::BTreeMap;

use quipu_notation::games::GameNotation;
use schemars::JsonSchema;
use serde::Serialize;

use super::CardReport;
use crate::store::{GameAtPosition, NextMove, PositionGames, cursor_text};

/// The games that reached a position or one of its images, what was played next, and how they ended. Only games that count; one
/// that reached it several times counts once, with its first move there.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PositionGames", deny_unknown_fields)]
pub struct PositionReport {
    /// The game.
    game: &'static str,
    /// The position.
    position: String,
    /// All games by outcome.
    total: OutcomesReport,
    /// False if a limit kept some games from being counted.
    exact: bool,
    /// The games that ended with the position.
    ended: OutcomesReport,
    /// The moves that the others played next, most games first.
    moves: Vec<NextMoveReport>,
    /// A page of the games, the last added first.
    items: Vec<GameAtPositionReport>,
    /// Start of the next page, if there is one: the value of `cursor`.
    next: Option<String>,
}

/// Games by outcome.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PositionOutcomes", deny_unknown_fields)]
struct OutcomesReport {
    /// Number of games.
    games: u64,
    /// Games won, by side.
    wins: BTreeMap<&'static str, u64>,
    /// Games drawn.
    draws: u64,
}

/// A move that was played in a position, in the position as it was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PositionMove", deny_unknown_fields)]
struct NextMoveReport {
    /// The move; of moves that are images of each other the first by its bytes.
    #[serde(rename = "move")]
    token: String,
    /// Its games by outcome.
    total: OutcomesReport,
}

/// A game that reached a position.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GameAtPosition", deny_unknown_fields)]
struct GameAtPositionReport {
    /// Number of plies before it reached the position for the first time.
    ply: u64,
    /// Its record.
    record: CardReport,
}

impl OutcomesReport {
    fn new(game: &'static GameNotation, outcomes: [u64; 3]) -> Self {
        let [one, two, draws] = outcomes;
        let wins = game.sides.iter().map(|side| side.name).zip([one, two]).collect();
        Self { games: one + two + draws, wins, draws }
    }
}

impl PositionReport {
    /// The report of a position, as its string, with a page of its games.
    pub fn new(game: &'static GameNotation, position: String, found: PositionGames) -> Self {
        let PositionGames { totals, page } = found;
        let next_move =
            |NextMove { token, outcomes }| NextMoveReport { token, total: OutcomesReport::new(game, outcomes) };
        let item = |GameAtPosition { card, ply }| GameAtPositionReport { ply, record: CardReport::from(card) };
        Self {
            game: game.id,
            position,
            total: OutcomesReport::new(game, totals.outcomes),
            exact: totals.is_exact,
            ended: OutcomesReport::new(game, totals.ended),
            moves: totals.moves.into_iter().map(next_move).collect(),
            items: page.items.into_iter().map(item).collect(),
            next: page.next.as_ref().and_then(cursor_text),
        }
    }
}
