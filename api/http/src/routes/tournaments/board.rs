//! A board of a round, with the records from which its games begin: a device that scores a game starts with them, so that the
//! finished record finds its board.

use std::fmt::Write;

use quipu_archive::{model::Number, report::BoardReport, store::StoredTournament};
use quipu_notation::Side;
use quipu_tournament::model::RoundGame;
use schemars::JsonSchema;
use serde::Serialize;

use super::{PLAYERS, ROUND, no_round, shown, small};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, Response, Route},
    routes::{events::json, shared::NUMBER},
};

/// A board of a round.
pub(crate) const BOARD: Param = Param::path("board", Kind::Between(1, PLAYERS / 2));

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/tournaments/{number}/rounds/{round}/boards/{board}",
        id: "tournament-board",
        group: "tournaments",
        params: &[NUMBER, ROUND, BOARD],
        responses: &[Response::ok(&[Content::json::<BoardPage<'_>>()])],
        problems: &[problem::NOT_FOUND],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

/// A board of a round.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BoardPage<'t> {
    #[schemars(range(min = 1))]
    tournament: Number,
    #[schemars(range(min = 1))]
    round: u32,
    #[serde(flatten)]
    board: BoardReport<'t>,
    /// The record without moves from which each game begins.
    starts: Vec<String>,
}

async fn show(context: RequestContext) -> HandlerResult {
    let [round, number] = [ROUND.name, BOARD.name].map(|name| small(&context, name).unwrap_or_default());
    shown(&context, move |stored| {
        let paired = stored.tournament.round(round).ok_or_else(|| no_round(stored, round))?;
        let board = paired.board(number).ok_or_else(|| missing(stored, round, number))?;
        Ok(json(&BoardPage {
            tournament: stored.number,
            round,
            board: BoardReport::new(stored, number, board),
            starts: stored
                .tournament
                .games_of(round)
                .iter()
                .filter(|game| game.board == number)
                .map(|game| start(stored, round, game))
                .collect(),
        }))
    })
    .await
}

/// The problem of a board that does not exist.
pub(crate) fn missing(stored: &StoredTournament, round: u32, board: u32) -> Problem {
    let problem = Problem::variant(problem::NOT_FOUND, "tournament-board").with("found", board);
    problem.with("round", round).with("tournament", stored.number)
}

/// The tags by which the record of a game finds its board, in their order.
pub(crate) fn tags(stored: &StoredTournament, round: u32, game: &RoundGame<'_>) -> Vec<(&'static str, String)> {
    let mut tags = vec![("Event", stored.tournament.settings.name.clone()), ("Round", round.to_string())];
    tags.extend(game.leg.map(|leg| ("Leg", leg.to_string())));
    tags.push(("Board", game.board.to_string()));
    tags.extend(Side::BOTH.map(|side| (stored.game.side(side).tag, game.players[side.index()].to_owned())));
    tags
}

/// The record from which a game begins.
fn start(stored: &StoredTournament, round: u32, game: &RoundGame<'_>) -> String {
    let mut tags = tags(stored, round, game);
    tags.insert(0, ("Game", stored.game.id.to_owned()));
    tags.extend(stored.tournament.time_control.map(|seconds| ("TimeControl", seconds.to_string())));
    tags.push(("Result", "*".to_owned()));
    let mut text = String::new();
    for (name, value) in tags {
        // Writing to memory does not fail.
        let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    text + "\n*\n"
}
