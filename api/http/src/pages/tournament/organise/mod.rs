//! The pages of the organiser. A token is typed into each form, as on the page that checks scoresheets. Every form says what it saw,
//! so that sending it twice does no harm: a round is paired by its number, a result is for certain players, and names that are
//! entered already are left out.

use super::parameters::{ROUND, page_route};
use crate::{
    endpoint::Endpoint,
    pages::form_data::{MULTIPART, URLENCODED},
    problem::{self, Code},
    route::{Content, Method, PDF, Response, Route},
    routes::{
        shared::{CURSOR, LANG, NUMBER, PAGE},
        tournaments::board as boards,
    },
};

mod actions;
mod board;
mod change;
mod codes;
mod create;
mod fields;
mod files;
mod forbidden;
mod history;
mod main_page;
mod names;
mod order;
mod results;

use fields::BOARD;

/// Errors of forms that change something.
const PROBLEMS: &[Code] = &[
    problem::NOT_FOUND,
    problem::SCOPE,
    problem::CONFLICT,
    problem::TOURNAMENT,
    problem::READ_ONLY,
    problem::FULL,
    problem::UNCONFIRMED,
];
const FORM: &[Content] = &[Content::any(URLENCODED)];
const FORM_WITH_FILES: &[Content] = &[Content::any(MULTIPART), Content::any(URLENCODED)];

/// Before the pages of tournaments, where `{number}` would match `new` too.
pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route { path: "/tournaments/new", id: "page-tournament-new", ..PAGE },
        handler: |context| Box::pin(create::show(context)),
    },
    Endpoint {
        route: Route { problems: PROBLEMS, ..form("/tournaments/new", "tournament-new") },
        handler: |context| Box::pin(create::create(context)),
    },
    Endpoint {
        route: page_route("/tournaments/{number}/organise", "page-tournament-organise"),
        handler: |context| Box::pin(main_page::show(context)),
    },
    Endpoint {
        route: Route { params: &[NUMBER, LANG], ..form("/tournaments/{number}/organise", "tournament-organise") },
        handler: |context| Box::pin(main_page::act(context)),
    },
    Endpoint {
        route: page_route("/tournaments/{number}/tie-breaks", "page-tournament-tie-breaks"),
        handler: |context| Box::pin(order::show(context)),
    },
    Endpoint {
        route: Route { params: &[NUMBER, LANG], ..form("/tournaments/{number}/tie-breaks", "tournament-tie-breaks") },
        handler: |context| Box::pin(order::save(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, CURSOR, LANG],
            problems: &[problem::NOT_FOUND, problem::CURSOR],
            ..page_route("/tournaments/{number}/history", "page-tournament-history")
        },
        handler: |context| Box::pin(history::show(context)),
    },
    Endpoint {
        route: Route { params: &[NUMBER, LANG], ..form("/tournaments/{number}/history", "tournament-history") },
        handler: |context| Box::pin(history::act(context)),
    },
    Endpoint {
        route: page_route("/tournaments/{number}/files", "page-tournament-files"),
        handler: |context| Box::pin(files::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, LANG],
            body: FORM_WITH_FILES,
            streams: true,
            ..form("/tournaments/{number}/files", "tournament-files")
        },
        handler: |context| Box::pin(files::act(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, LANG],
            responses: &[Response::ok(&[Content::bytes(PDF)])],
            ..form("/tournaments/{number}/rounds/{round}/sheets.pdf", "tournament-codes")
        },
        handler: |context| Box::pin(codes::print(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, BOARD, LANG],
            ..page_route("/tournaments/{number}/rounds/{round}/results", "page-tournament-results")
        },
        handler: |context| Box::pin(results::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, BOARD, LANG],
            ..form("/tournaments/{number}/rounds/{round}/results", "tournament-results")
        },
        handler: |context| Box::pin(results::save(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, boards::BOARD, LANG],
            ..page_route("/tournaments/{number}/rounds/{round}/boards/{board}", "page-tournament-board")
        },
        handler: |context| Box::pin(board::show(context)),
    },
    Endpoint {
        route: Route {
            params: &[NUMBER, ROUND, boards::BOARD, LANG],
            ..form("/tournaments/{number}/rounds/{round}/boards/{board}", "tournament-board-decide")
        },
        handler: |context| Box::pin(board::act(context)),
    },
];

/// The route that takes a form.
const fn form(path: &'static str, id: &'static str) -> Route {
    Route { method: Method::Post, path, id, body: FORM, problems: PROBLEMS, ..PAGE }
}
