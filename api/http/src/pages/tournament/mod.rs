//! Tournaments: the list, and of one the entry list, rounds, standings, players, the reasons of its pairings, and a page for a big
//! screen; and the pages of the organiser, who types a token into them.

use crate::{
    endpoint::Endpoint,
    problem,
    route::{CSV, Content, PDF, Response, Route},
    routes::shared::{CURSOR, LANG, NUMBER, PAGE},
};

mod board;
mod changes;
mod list;
pub(super) mod organise;
mod overview;
mod pairing;
mod parameters;
mod player;
mod round;
pub(super) mod screen;
mod sheets;
mod standings;
mod tournament_page;

use parameters::{AFTER, ALL, PLAYER, ROUND, page_route};

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
        route: Route { params: &[NUMBER, ALL, LANG], ..page_route("/tournaments/{number}", "page-tournament") },
        handler: |context| Box::pin(overview::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, AFTER, ALL, LANG],
            ..page_route("/tournaments/{number}/standings", "page-tournament-standings")
        },
        handler: |context| Box::pin(standings::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, AFTER, LANG],
            responses: &[Response::ok(&[Content::text(CSV)])],
            ..page_route("/tournaments/{number}/standings.csv", "file-tournament-standings")
        },
        handler: |context| Box::pin(standings::file(context)),
    },
    Endpoint {
        route: page_route("/tournaments/{number}/screen", "page-tournament-screen"),
        handler: |context| Box::pin(screen::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, PLAYER, AFTER, LANG],
            ..page_route("/tournaments/{number}/players/{player}", "page-tournament-player")
        },
        handler: |context| Box::pin(player::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, ALL, LANG],
            ..page_route("/tournaments/{number}/rounds/{round}", "page-tournament-round")
        },
        handler: |context| Box::pin(round::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, LANG],
            ..page_route("/tournaments/{number}/rounds/{round}/pairing", "page-tournament-pairing")
        },
        handler: |context| Box::pin(pairing::show(context)),
    },
    Endpoint { route: board::ROUTE, handler: |context| Box::pin(board::show(context)) },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, LANG],
            responses: &[Response::ok(&[Content::bytes(PDF)])],
            ..page_route("/tournaments/{number}/rounds/{round}/sheets.pdf", "file-tournament-sheets")
        },
        handler: |context| Box::pin(sheets::file(context)),
    },
];
