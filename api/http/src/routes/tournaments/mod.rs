//! Tournaments: created, changed step by step, paired, and read with their standings. The rules are those of
//! `quipu-tournament`; each change is checked against the tournament in the transaction that makes it.

pub(crate) mod board;
pub(super) mod decisions;
pub(super) mod export;
pub(super) mod files;
mod games_in_progress;
pub(super) mod list;
pub(super) mod pairings;
mod refusal;
pub(super) mod rounds;
pub(crate) mod standings;
mod tables;

use actix_web::{
    http::header::{self, HeaderValue},
    web::Bytes,
};
use quipu_archive::{
    model::Number,
    store::{ReadTx, StoreError, StoredTournament, TournamentChange},
};
use quipu_notation::record::as_windows_1252;
use quipu_tournament::{
    model::{MAX_PLAYERS, MAX_ROUNDS, PlayerId, Tournament},
    pairing::{self, Plan, Wanted},
};

use super::shared::seen_version;
use crate::{
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
};
pub(crate) use board::BOARD;
pub(crate) use games_in_progress::GamesInProgress;
pub(crate) use refusal::TournamentRefusal;

const ROUND: Param = Param::path("round", Kind::Between(1, MAX_ROUNDS as i64));
#[expect(clippy::cast_possible_wrap, reason = "it is small")]
pub(crate) const PLAYERS: i64 = MAX_PLAYERS as i64;
/// Most players of a Swiss round that is paired over HTTP. Pairing goes on after a response that is late, and helps nobody then.
const PAIRED: usize = 2_000;
const PLAYER: Param = Param::path("player", Kind::Between(1, PLAYERS));

/// The problem of a tournament that does not exist.
pub(crate) fn missing(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "tournament").with("found", number)
}

/// The problem of a round that is not paired.
pub(crate) fn no_round(stored: &StoredTournament, round: u32) -> Problem {
    Problem::variant(problem::NOT_FOUND, "tournament-round").with("tournament", stored.number).with("found", round)
}

/// The problem of a player who is not in the tournament.
pub(crate) fn no_player(stored: &StoredTournament, player: PlayerId) -> Problem {
    Problem::variant(problem::NOT_FOUND, "tournament-player").with("tournament", stored.number).with("found", player)
}

/// A small number in the path, or in the query.
pub(crate) fn small(context: &RequestContext, name: &str) -> Option<u32> {
    context.number(name).and_then(|number| u32::try_from(number).ok())
}

/// The state that everything about a tournament depends on: its version and, for its records, the last change of the archive.
fn state(reading: &ReadTx<'_>, number: Number) -> Result<Option<String>, StoreError> {
    let Some(version) = reading.tournament_version(number)? else { return Ok(None) };
    Ok(Some(format!("{version}-{}", reading.last_change()?)))
}

/// The same with the games that are being scored.
fn state_with_games(reading: &ReadTx<'_>, number: Number) -> Result<Option<String>, StoreError> {
    let Some(state) = state(reading, number)? else { return Ok(None) };
    let (count, newest) = reading.open_lives()?;
    Ok(Some(format!("{state}-{count}-{newest}")))
}

/// Responds with what `make` makes of the tournament in the path, on another thread, and not at all for a client that has it
/// already.
pub(crate) async fn shown(
    context: &RequestContext,
    make: impl FnOnce(&StoredTournament) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    shown_in(context, 0, state, |_, _| Ok(()), |stored, ()| make(stored)).await
}

/// The same with the changes of its tie-breaks.
pub(crate) async fn shown_with_orders(
    context: &RequestContext,
    make: impl FnOnce(&StoredTournament, &Vec<TournamentChange>) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    shown_in(context, 0, state, orders, make).await
}

fn orders(reading: &ReadTx<'_>, stored: &StoredTournament) -> Result<Vec<TournamentChange>, StoreError> {
    reading.order_changes(stored)
}

/// The same for a file that takes as long as so many ordinary requests in addition.
pub(crate) async fn shown_at_cost(
    context: &RequestContext,
    cost: u32,
    make: impl FnOnce(&StoredTournament) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    shown_in(context, cost, state, |_, _| Ok(()), |stored, ()| make(stored)).await
}

/// The same of the tournament and its games that are being scored.
pub(crate) async fn shown_with_games(
    context: &RequestContext,
    make: impl FnOnce(&StoredTournament, &GamesInProgress) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    shown_in(context, 0, state_with_games, GamesInProgress::of, make).await
}

/// The same as it is now, which clients do not keep: names and rounds of games change while they are scored.
pub(crate) async fn shown_now(
    context: &RequestContext,
    make: impl FnOnce(&StoredTournament, &GamesInProgress) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    let number = context.path_number("number");
    let read = move |reading: &ReadTx<'_>| {
        let Some(stored) = reading.tournament(number)? else { return Ok(None) };
        let games = GamesInProgress::of(reading, &stored)?;
        Ok(Some((stored, games)))
    };
    let found = context.read_then(read, move |found| {
        let (stored, games) = found.ok_or_else(|| missing(number))?;
        make(&stored, &games)
    });
    let mut response = context.with_language(context.bytes(found.await?));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn shown_in<T: Send + 'static>(
    context: &RequestContext,
    cost: u32,
    state: fn(&ReadTx<'_>, Number) -> Result<Option<String>, StoreError>,
    more: fn(&ReadTx<'_>, &StoredTournament) -> Result<T, StoreError>,
    make: impl FnOnce(&StoredTournament, &T) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    let number = context.path_number("number");
    let known = context.read(|reading| state(reading, number))?.ok_or_else(|| missing(number))?;
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{known}")) {
        return Ok(response);
    }
    context.charge(cost)?;
    // Such a file takes up to some hundred MiB while it is made.
    let permit = if cost > 0 { Some(context.large_record_permit().await?) } else { None };
    let read = move |reading: &ReadTx<'_>| {
        let (Some(state), Some(stored)) = (state(reading, number)?, reading.tournament(number)?) else {
            return Ok(None);
        };
        let more = more(reading, &stored)?;
        Ok(Some((state, stored, more)))
    };
    let found = context.read_then(read, move |found| {
        let (state, stored, more) = found.ok_or_else(|| missing(number))?;
        let file = make(&stored, &more)?;
        drop(permit);
        Ok((state, file))
    });
    let (state, body) = found.await?;
    Ok(context.with_etag(context.with_language(context.bytes(body)), CachePolicy::UntilChange, format_args!("{state}")))
}

/// The version in `If-Match`: an entity tag of the tournament, or only its number; none for `*` or without the header.
fn seen(context: &RequestContext) -> Result<Option<Number>, Problem> {
    seen_version(context, "tournament-form", |state| state.split('-').next().unwrap_or_default().parse())
}

/// The pairing that an organiser wants, unless the tournament has more players than are paired within the time of a response.
///
/// # Errors
/// The reasons not to pair so.
pub(crate) fn plan(tournament: &Tournament, wanted: &Wanted) -> Result<Plan, TournamentRefusal> {
    if !tournament.has_fixed_field() && tournament.playing(tournament.next_round()).len() > PAIRED {
        return Err(TournamentRefusal::Large(PAIRED));
    }
    pairing::plan(tournament, wanted).map_err(TournamentRefusal::Faults)
}

/// The file in the body, which is not blank.
async fn file(context: &mut RequestContext) -> Result<Bytes, Problem> {
    let body = context.body().await?;
    if body.trim_ascii().is_empty() { Err(Problem::variant(problem::BODY, "empty")) } else { Ok(body) }
}

/// The text of a file: UTF-8 or Windows-1252.
fn text_of(file: &[u8]) -> String {
    str::from_utf8(file).map_or_else(|_| as_windows_1252(file), str::to_owned)
}
