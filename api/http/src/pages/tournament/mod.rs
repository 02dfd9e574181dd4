//! Tournaments: the list, and of one the entry list, rounds, standings, players, the reasons of its pairings, and a page for a big
//! screen; and the pages of the organiser, who types a token into them.

use quipu_archive::store::StoredTournament;
use quipu_tournament::model::MAX_ROUNDS;

use super::frame::{Page, View};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Answer, CSV, Content, PDF, Route},
    routes::{
        enum_values::yes_or_no,
        shared::{CURSOR, LANG, NUMBER, PAGE},
        tournaments::{self, PLAYERS},
    },
};

mod cup;
mod list;
pub(super) mod organise;
mod overview;
mod pairing;
mod player;
mod round;
mod screen;
mod sheets;
mod standings;

use cup::Cup;

/// Path of the list, and the beginning of those of tournaments.
const PATH: &str = "/tournaments";
/// Their entry in the main navigation: a tournament is an event before its first game.
const PLACE: &str = "/events";
/// Rows of a table, unless all are wanted.
const ROWS: usize = 200;

const ROUND: Param = Param::path("round", Kind::Between(1, MAX_ROUNDS as i64));
const PLAYER: Param = Param::path("player", Kind::Between(1, PLAYERS));
/// The last round that counts.
const AFTER: Param = Param::field("round", Kind::Between(1, MAX_ROUNDS as i64));
/// A long table as a whole.
const ALL: Param = Param::query("all", Kind::Choice(yes_or_no));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/tournaments",
            id: "page-tournaments",
            params: &[CURSOR, LANG],
            problems: &[problem::CURSOR],
            ..PAGE
        },
        handler: |context| Box::pin(list::index(context)),
    },
    Endpoint {
        route: Route { params: &[NUMBER, ALL, LANG], ..of("/tournaments/{number}", "page-tournament") },
        handler: |context| Box::pin(overview::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, AFTER, ALL, LANG],
            ..of("/tournaments/{number}/standings", "page-tournament-standings")
        },
        handler: |context| Box::pin(standings::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, AFTER, LANG],
            answers: &[Answer::ok(&[Content::text(CSV)])],
            ..of("/tournaments/{number}/standings.csv", "file-tournament-standings")
        },
        handler: |context| Box::pin(standings::file(context)),
    },
    Endpoint {
        route: of("/tournaments/{number}/screen", "page-tournament-screen"),
        handler: |context| Box::pin(screen::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, PLAYER, AFTER, LANG],
            ..of("/tournaments/{number}/players/{player}", "page-tournament-player")
        },
        handler: |context| Box::pin(player::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, ALL, LANG],
            ..of("/tournaments/{number}/rounds/{round}", "page-tournament-round")
        },
        handler: |context| Box::pin(round::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, LANG],
            ..of("/tournaments/{number}/rounds/{round}/pairing", "page-tournament-pairing")
        },
        handler: |context| Box::pin(pairing::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, LANG],
            answers: &[Answer::ok(&[Content::bytes(PDF)])],
            ..of("/tournaments/{number}/rounds/{round}/sheets.pdf", "file-tournament-sheets")
        },
        handler: |context| Box::pin(sheets::file(context)),
    },
];

/// The route of a page of a tournament.
const fn of(path: &'static str, id: &'static str) -> Route {
    Route { path, id, params: &[NUMBER, LANG], problems: &[problem::NOT_FOUND], ..PAGE }
}

/// Responds with a page about the tournament in the path.
async fn page_of(
    context: &RequestContext,
    page: impl FnOnce(&Cup<'_>) -> Result<Page, Problem> + Send + 'static,
) -> HandlerResult {
    let view = View::of(context);
    let write = move |stored: &StoredTournament| {
        let page = page(&Cup { view: &view, stored })?;
        Ok(view.write(&page).into_bytes())
    };
    tournaments::shown(context, write).await
}

/// The number of a round in the path or the query.
fn round_of(context: &RequestContext) -> Option<u32> {
    tournaments::small(context, ROUND.name)
}

/// Rows of a table that are shown.
fn rows_of(context: &RequestContext) -> usize {
    if context.text(ALL.name) == Some("yes") { usize::MAX } else { ROWS }
}
