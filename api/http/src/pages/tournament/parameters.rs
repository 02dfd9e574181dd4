//! The addresses and the parameters of the pages of tournaments.

use quipu_tournament::model::MAX_ROUNDS;

use crate::{
    params::{Kind, Param},
    problem,
    request::RequestContext,
    route::Route,
    routes::{
        enum_values::yes_or_no,
        shared::{LANG, NUMBER, PAGE},
        tournaments::{self, PLAYERS},
    },
};

/// Path of the list, and the beginning of those of tournaments.
pub(super) const PATH: &str = "/tournaments";
/// Their entry in the main navigation: a tournament is an event before its first game.
pub(super) const PLACE: &str = "/events";
/// Rows of a table, unless all are wanted.
pub(super) const ROWS: usize = 200;

pub(super) const ROUND: Param = Param::path("round", Kind::Between(1, MAX_ROUNDS as i64));
pub(super) const PLAYER: Param = Param::path("player", Kind::Between(1, PLAYERS));
/// The last round that counts.
pub(super) const AFTER: Param = Param::field("round", Kind::Between(1, MAX_ROUNDS as i64));
/// A long table as a whole.
pub(super) const ALL: Param = Param::query("all", Kind::Choice(yes_or_no));

pub(super) const fn page_route(path: &'static str, id: &'static str) -> Route {
    Route { path, id, params: &[NUMBER, LANG], problems: &[problem::NOT_FOUND], ..PAGE }
}

/// The number of a round in the path or the query.
pub(super) fn round_of(context: &RequestContext) -> Option<u32> {
    tournaments::small(context, ROUND.name)
}

/// Rows of a table that are shown.
pub(super) fn rows_of(context: &RequestContext) -> usize {
    if context.text(ALL.name) == Some("yes") { usize::MAX } else { ROWS }
}
