//! Parameters, media types and templates that several routes share.

use std::{num::ParseIntError, ops::RangeInclusive};

use super::enum_values::{formats, game_ids, themes, tie_breaks, yes_or_no};
use crate::{
    params::{Kind, Param, SEEN_VERSION},
    problem::{self, Problem},
    request::RequestContext,
    route::{Access, Content, GET, HTML, Response, Route},
};
use quipu_archive::model::Number;
use quipu_options::Scope;

/// Longest name or search text in characters.
pub(crate) const NAME: usize = 256;

/// Cost of long work, such as a search, a pairing or a large file, in ordinary requests, beside the cost of the body.
pub(crate) const COST: u32 = 20;

pub(crate) const RECORD: Param = Param::path("id", Kind::Id);
pub(crate) const PLY: Param = Param::path("ply", Kind::Number(0));
pub(crate) const NUMBER: Param = Param::path("number", Kind::Number(1));
pub(crate) const PATH_GAME: Param = Param::path("game", Kind::Choice(game_ids));
pub(crate) const LIMIT: Param = Param::query("limit", Kind::Limit);
pub(crate) const CURSOR: Param = Param::query("cursor", Kind::Cursor);
pub(crate) const SINCE: Param = Param::query("since", Kind::Number(0));
pub(crate) const LANG: Param = Param::query("lang", Kind::Choice(|| vec!["es", "en"]));
pub(crate) const GAME: Param = Param::query("game", Kind::Choice(game_ids));
pub(crate) const TIE_BREAKS: Param = Param::query("tie_breaks", Kind::Choices(tie_breaks));
pub(crate) const FROM: Param = Param::query("from", Kind::Choice(formats));
pub(crate) const KEEP: Param = Param::query("keep", Kind::Choice(|| vec!["refused"]));
pub(crate) const THEME: Param = Param::query("theme", Kind::Choice(themes));
pub(crate) const FLIP: Param = Param::query("flip", Kind::Choice(yes_or_no));
pub(crate) const IF_MATCH: Param = Param::header(SEEN_VERSION, Kind::Key(255));
pub(crate) const LAST_EVENT: Param = Param::header("Last-Event-ID", Kind::EventId);
pub(crate) const IDEMPOTENCY: Param = Param::header("Idempotency-Key", Kind::Key(255));
pub(crate) const SEARCH: Param = Param::query("q", Kind::Text(NAME));
/// The same in an HTML form.
pub(crate) const SEARCH_FIELD: Param = Param::field("q", Kind::Text(NAME));

/// Filters of changes.
pub(crate) const OF_GAMES: Param = Param::query("game", Kind::Choices(game_ids));
pub(crate) const OF_EVENTS: Param = Param::query("event", Kind::Text(NAME));
pub(crate) const OF_PLAYERS: Param = Param::query("player", Kind::Text(NAME));
pub(crate) const OF_TOURNAMENT: Param = Param::query("tournament", Kind::Number(1));

/// The version in `If-Match`; none for `*` or without the header. `parse` reads it in the state that an entity tag begins with.
///
/// # Errors
/// `api.version` in this variant for anything else.
pub(crate) fn seen_version(
    context: &RequestContext,
    variant: &'static str,
    parse: fn(&str) -> Result<Number, ParseIntError>,
) -> Result<Option<Number>, Problem> {
    let Some(text) = context.text(SEEN_VERSION).filter(|text| *text != "*") else { return Ok(None) };
    let tag = text.trim_start_matches("W/").trim_matches('"');
    let version = parse(tag.split('.').next().unwrap_or_default());
    version.map(Some).map_err(|_| Problem::variant(problem::VERSION, variant).with_quoted("found", text))
}

/// A whole number in a range.
pub(crate) const fn between(range: &RangeInclusive<u32>) -> Kind {
    Kind::Between(*range.start() as i64, *range.end() as i64)
}

/// The filters of a list of records, followed by further parameters.
macro_rules! filters {
    ($make:ident; $($more:expr),* $(,)?) => {
        &[
            $crate::params::Param::$make("game", $crate::params::Kind::Choices($crate::routes::enum_values::game_ids)),
            $crate::params::Param::$make("player", $crate::params::Kind::Text($crate::routes::shared::NAME)),
            $crate::params::Param::$make("against", $crate::params::Kind::Text($crate::routes::shared::NAME)),
            $crate::params::Param::$make("event", $crate::params::Kind::Text($crate::routes::shared::NAME)),
            $crate::params::Param::$make("round", $crate::params::Kind::Text($crate::routes::shared::NAME)),
            $crate::params::Param::$make("result", $crate::params::Kind::Choices($crate::routes::enum_values::results)),
            $crate::params::Param::$make("termination", $crate::params::Kind::Choices($crate::routes::enum_values::terminations)),
            $crate::params::Param::$make("status", $crate::params::Kind::Choices($crate::routes::enum_values::statuses)),
            $crate::params::Param::$make("state", $crate::params::Kind::Choices($crate::routes::enum_values::record_states_or_all)),
            $crate::params::Param::$make("from", $crate::params::Kind::Date),
            $crate::params::Param::$make("to", $crate::params::Kind::Date),
            $crate::params::Param::$make("q", $crate::params::Kind::Text($crate::routes::shared::NAME)),
            $($more),*
        ]
    };
}
pub(crate) use filters;

/// Access to routes that store records.
pub(crate) const WRITE: Access = Access::Scope(Scope::RecordsWrite);

/// Defaults of a page of HTML.
pub(crate) const PAGE: Route =
    Route { group: "pages", params: &[LANG], responses: &[Response::ok(&[Content::text(HTML)])], ..GET };

/// Defaults of a download of one record.
pub(crate) const FILE: Route = Route {
    group: "pages",
    params: &[RECORD],
    problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
    ..GET
};
