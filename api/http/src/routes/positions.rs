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
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
    },
    Answered, records,
};
use quipu_archive::model::{Id, Source};

/// Lawful moves that are listed at the most. A position of Querni can have two million.
const LISTED: u64 = 1_000;

/// Every position of a game.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Positions<'r> {
    /// Id of the record.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// The game, if known.
    game: Option<&'static str>,
    /// The start, and the position after each lawful ply; nothing if there is nothing to replay on.
    items: Replays<'r>,
}

/// A position, and the ply that led to it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Position {
    /// Number of the ply; 0 is the start.
    ply: u64,
    /// The side that played it.
    side: Option<&'static str>,
    /// The move, in its canonical form.
    #[serde(rename = "move")]
    token: Option<String>,
    /// The time that this side had left then, in milliseconds.
    clock_ms: Option<u64>,
    /// The position.
    #[serde(rename = "position")]
    text: String,
    /// Points by side, in games that count them.
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    points: Option<PointsReport>,
    /// The end that the board shows, if it shows one.
    end: Option<BoardEnd>,
    /// Who moves now.
    to_move: Option<&'static str>,
    /// What can be played now; only where one position is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_moves: Option<LegalMoves>,
}

/// An end that a board shows.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct BoardEnd {
    /// Which.
    termination: &'static str,
    /// The result.
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

/// What can be played in a position.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LegalMoves {
    /// How many moves.
    pub(crate) count: u64,
    /// Which, in the order of their bytes; null if there are more than 1000.
    pub(crate) moves: Option<Vec<String>>,
}

pub(super) async fn positions(call: Call) -> Answered {
    let (id, mut out) = (call.record(), call.spool());
    let written = records::with_source(&call, &id, move |source| {
        // A response that cannot be spooled is reported by `finish`.
        drop(report::write(&Positions::of(&id, &readable(&id, source)?), &mut out));
        out.finish()
    });
    let answer = call.spoken(call.spooled(written.await?));
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{}", hex(&id))))
}

pub(super) async fn position(call: Call) -> Answered {
    let (id, ply) = (call.record(), call.path_number("ply"));
    let ply = u64::try_from(ply).unwrap_or_default();
    let position = records::with_source(&call, &id, move |source| position_after(ply, &id, source)).await?;
    Ok(call.tagged(call.json(&position), Cache::Revalidate, format_args!("{}", hex(&id))))
}

/// The position after some plies, with what can be played in it.
fn position_after(ply: u64, id: &Id, source: &Source) -> Result<Position, Problem> {
    let record = readable(id, source)?;
    let (replay, played) = replayed(ply, id, &record)?;
    Ok(Position { legal_moves: Some(LegalMoves::of(replay.board())), ..position_now(&replay, played) })
}

/// A record replayed up to after some ply.
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

/// A stored record without what stands beside its moves.
pub(crate) fn readable<'s>(id: &Id, source: &'s Source) -> Result<Record<'s>, Problem> {
    match records::block(source).records_without_notes().next() {
        Some(Ok(record)) => Ok(record),
        _ => Err(records::unreadable(id)),
    }
}

impl<'r> Positions<'r> {
    fn of(id: &Id, record: &'r Record<'r>) -> Self {
        Self { id: hex(id), game: record.game().map(|game| game.id), items: Replays(record) }
    }
}

/// The positions of a record, replayed as they are written down.
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

/// The position that a replay has reached by what was played last.
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

/// The position of a replay that begins, and all that follow.
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
