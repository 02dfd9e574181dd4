//! A record in a list, as JSON.

use std::collections::BTreeMap;

use quipu_referee::{
    Status,
    report::{PointsReport, hex},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::time;
use crate::model::{Card, Number, RecordState};

/// The facts of a record that lists show.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Card", deny_unknown_fields)]
pub struct CardReport {
    /// Its id.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// The change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    /// Time of storage.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// The game, if known.
    game: Option<&'static str>,
    /// Status of the verdict.
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    status: &'static str,
    /// State of the record.
    #[schemars(extend("enum" = RecordState::ALL.map(RecordState::as_str)))]
    state: &'static str,
    /// The event, if it names one.
    event: Option<CardEvent>,
    /// The round, if it names one.
    round: Option<String>,
    /// The players, side 1 first.
    #[schemars(length(equal = 2))]
    players: Vec<Option<CardPlayer>>,
    /// The day of play.
    #[schemars(extend("format" = "date"))]
    date: Option<String>,
    /// The result that the referee found.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*", null]))]
    result: Option<String>,
    /// The termination.
    termination: Option<String>,
    /// Points by side, in games that count them.
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    points: Option<PointsReport>,
    /// Number of legal plies.
    plies: Option<u64>,
    /// The record of another sheet that counts for the same game, so that this one does not.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sheet_of: Option<String>,
}

/// The event of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CardEvent {
    /// Its number.
    #[schemars(range(min = 1))]
    number: i64,
    /// Its name.
    name: String,
}

/// A player of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CardPlayer {
    /// The side.
    side: &'static str,
    /// Number of the name.
    #[schemars(range(min = 1))]
    number: i64,
    /// The name as written in the record.
    name: String,
}

impl From<Card> for CardReport {
    fn from(card: Card) -> Self {
        let game = card.game;
        let sides = game.into_iter().flat_map(|game| &game.sides).map(|side| side.name);
        let mut sides = sides.chain(["", ""]);
        let player = |player: Option<(i64, String)>| {
            let side = sides.next().unwrap_or_default();
            player.map(|(number, name)| CardPlayer { side, number, name })
        };
        Self {
            id: hex(&card.id),
            change: card.number,
            at: time(card.at),
            game: game.map(|game| game.id),
            status: card.status.as_str(),
            state: card.state.as_str(),
            event: card.event.map(|(number, name)| CardEvent { number, name }),
            round: card.round,
            players: card.players.into_iter().map(player).collect(),
            date: card.date.map(|date| date.to_string()),
            result: card.result,
            termination: card.termination,
            points: game.zip(card.points).map(|(game, points)| PointsReport::new(game, points)),
            plies: card.plies,
            sheet_of: card.sheet_of.map(|id| hex(&id)),
        }
    }
}
