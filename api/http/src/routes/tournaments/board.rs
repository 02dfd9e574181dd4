//! A board of a round, with the records from which its games begin: a device that scores a game starts with them, so that the
//! finished record finds its board.

use std::fmt::Write;

use quipu_archive::{model::Number, report::BoardReport, store::StoredTournament};
use quipu_notation::Side;
use quipu_tournament::model::Board;
use schemars::JsonSchema;
use serde::Serialize;

use super::{PLAYERS, ROUND, no_round, shown, small};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Answer, Content, GET, Route},
    routes::{events::json, shared::NUMBER},
};

/// The number of a board.
pub(crate) const BOARD: Param = Param::path("board", Kind::Between(1, PLAYERS / 2));

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/tournaments/{number}/rounds/{round}/boards/{board}",
        id: "tournament-board",
        group: "tournaments",
        params: &[NUMBER, ROUND, BOARD],
        answers: &[Answer::ok(&[Content::json::<BoardPage<'_>>()])],
        problems: &[problem::NOT_FOUND],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

/// A board of a round.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BoardPage<'t> {
    /// The tournament.
    #[schemars(range(min = 1))]
    tournament: Number,
    /// The round.
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
            starts: (0..board.games.len()).map(|game| start(stored, round, number, board, game)).collect(),
        }))
    })
    .await
}

/// The problem of a board that the round does not have.
pub(crate) fn missing(stored: &StoredTournament, round: u32, board: u32) -> Problem {
    let problem = Problem::variant(problem::NOT_FOUND, "tournament-board").with("found", board);
    problem.with("round", round).with("tournament", stored.number)
}

/// The record from which a game of an encounter, counted from 0, begins.
fn start(stored: &StoredTournament, round: u32, number: u32, board: &Board, game: usize) -> String {
    let tournament = &stored.tournament;
    let (round, number, leg) = (round.to_string(), number.to_string(), (game + 1).to_string());
    let mut tags = vec![("Game", stored.game.id), ("Event", &*tournament.settings.name), ("Round", &*round)];
    if board.games.len() > 1 {
        tags.push(("Leg", &leg));
    }
    tags.push(("Board", &number));
    for side in Side::BOTH {
        let index = usize::from(Board::side(0, game) != side);
        tags.push((stored.game.side(side).tag, tournament.name(board.players[index])));
    }
    tags.push(("Result", "*"));
    let mut text = String::new();
    for (name, value) in tags {
        // Writing to memory does not fail.
        let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    text + "\n*\n"
}
