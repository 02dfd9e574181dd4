//! The positions of a stored game, replayed by the referee.

use std::{borrow::Cow, collections::BTreeMap, iter, num::NonZero};

use quipu_notation::{games::GameNotation, record::Record};
use quipu_referee::{
    Board,
    replay::{Played, Replay},
    report::{self, PointsReport, hex},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::{
    records,
    shared::{PLY, RECORD},
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, GET, Response, Route},
};
use quipu_archive::model::{Id, Source};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/positions",
            id: "positions",
            group: "records",
            params: &[RECORD],
            responses: &[Response::ok(&[Content::json::<Positions<'_>>()])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
            streams: true,
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/positions/{ply}",
            id: "position",
            group: "records",
            params: &[RECORD, PLY],
            responses: &[Response::ok(&[Content::json::<Position>()])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
];

/// Most listed legal moves. A position of Querni can have two million.
const LISTED: u64 = 1_000;

/// Every position of a game.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Positions<'r> {
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// The game, if known.
    game: Option<&'static str>,
    /// The start position, and the position after each legal ply; empty if the game cannot be replayed.
    items: Replays<'r>,
}

/// A position, and the ply that led to it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Position {
    /// Number of the ply; 0 is the start position.
    ply: u64,
    /// The side that played it.
    side: Option<&'static str>,
    /// The move in canonical form.
    #[serde(rename = "move")]
    token: Option<String>,
    /// The remaining time of this side, in milliseconds.
    clock_ms: Option<u64>,
    #[serde(rename = "position")]
    text: String,
    /// Points by side, in games that count them.
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    points: Option<PointsReport>,
    /// The ending on the board, if there is one.
    end: Option<BoardEnd>,
    /// The side to move.
    to_move: Option<&'static str>,
    /// The legal moves; only in a response with a single position.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_moves: Option<LegalMoves>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct BoardEnd {
    termination: &'static str,
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2"]))]
    result: &'static str,
    /// The side that won.
    winner: Option<&'static str>,
}

impl BoardEnd {
    pub(super) fn new(end: quipu_referee::End, game: &'static GameNotation) -> Self {
        let winner = end.outcome.winner().map(|side| game.side(side).name);
        Self { termination: end.termination.name, result: end.outcome.as_str(), winner }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LegalMoves {
    /// Number of moves.
    pub(crate) count: u64,
    /// The moves, in the order of their bytes; null if there are more than 1000.
    pub(crate) moves: Option<Vec<String>>,
}

async fn index(context: RequestContext) -> HandlerResult {
    let (id, mut out) = (context.record(), context.spool());
    let written = records::with_source(&context, &id, move |source| {
        // `finish` reports a response that cannot be spooled.
        drop(report::write(&Positions::of(&id, &readable(&id, source)?), &mut out));
        out.finish()
    });
    let response = context.with_language(context.spooled(written.await?));
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{}", hex(&id))))
}

async fn show(context: RequestContext) -> HandlerResult {
    let (id, ply) = (context.record(), context.path_number("ply"));
    let ply = u64::try_from(ply).unwrap_or_default();
    let position = records::with_source(&context, &id, move |source| position_after(ply, &id, source)).await?;
    Ok(context.with_etag(context.json(&position), CachePolicy::UntilChange, format_args!("{}", hex(&id))))
}

/// The position after a number of plies, with its legal moves.
fn position_after(ply: u64, id: &Id, source: &Source) -> Result<Position, Problem> {
    let record = readable(id, source)?;
    let (replay, played) = replayed(ply, id, &record)?;
    Ok(Position { legal_moves: Some(LegalMoves::of(replay.board())), ..position_now(&replay, played) })
}

/// A record replayed up to a ply.
pub(super) fn replayed<'r>(ply: u64, id: &Id, record: &'r Record<'_>) -> Result<(Replay<'r>, Option<Played>), Problem> {
    let Some(mut replay) = Replay::of(record) else {
        return Err(Problem::variant(problem::NOT_FOUND, "replay").with("found", hex(id)));
    };
    let mut played = None;
    while replay.ply() < ply {
        played = replay.play();
        if played.is_none() {
            let problem = Problem::variant(problem::NOT_FOUND, "ply");
            return Err(problem.with("found", ply).with("last", replay.ply()));
        }
    }
    Ok((replay, played))
}

/// A stored record without its annotations.
pub(crate) fn readable<'s>(id: &Id, source: &'s Source) -> Result<Record<'s>, Problem> {
    match source.chunk().records_without_notes().next() {
        Some(Ok(record)) => Ok(record),
        _ => Err(records::unreadable(id)),
    }
}

impl<'r> Positions<'r> {
    fn of(id: &Id, record: &'r Record<'r>) -> Self {
        Self { id: hex(id), game: record.game().map(|game| game.id), items: Replays(record) }
    }
}

/// The positions of a record, replayed while they are written.
struct Replays<'r>(&'r Record<'r>);

impl Serialize for Replays<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(Replay::of(self.0).into_iter().flat_map(all))
    }
}

impl JsonSchema for Replays<'_> {
    fn schema_name() -> Cow<'static, str> {
        Vec::<Position>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Position>::json_schema(generator)
    }
}

/// The current position of a replay, with the ply played last.
fn position_now(replay: &Replay<'_>, played: Option<Played>) -> Position {
    let (game, board) = (replay.game().notation(), replay.board());
    let name = |side| game.side(side).name;
    let (side, token, clock_ms) = match played {
        Some(Played { side, token, clock, .. }) => (Some(name(side)), Some(token), clock),
        None => (None, None, None),
    };
    let end = board.end();
    Position {
        ply: replay.ply(),
        side,
        token,
        clock_ms,
        text: board.position(),
        points: board.points().map(|points| PointsReport::new(game, points)),
        to_move: end.is_none().then(|| name(board.turn())),
        end: end.map(|end| BoardEnd::new(end, game)),
        legal_moves: None,
    }
}

/// All positions of a replay, from its start.
fn all(mut replay: Replay<'_>) -> impl Iterator<Item = Position> {
    let first = position_now(&replay, None);
    iter::once(first).chain(iter::from_fn(move || {
        let played = replay.play()?;
        Some(position_now(&replay, Some(played)))
    }))
}

impl LegalMoves {
    pub(crate) fn of(board: &dyn Board) -> Self {
        let count = if board.end().is_some() { 0 } else { board.perft(1, NonZero::<usize>::MIN) };
        Self { count, moves: (count <= LISTED).then(|| board.legal_moves()) }
    }
}
