//! The handlers of the API, each file with the routes of its handlers.

#![expect(clippy::unused_async, reason = "all handlers have one shape, whether they wait for something or not")]

use super::endpoint::Endpoint;

mod change_filters;
pub(super) mod changes;
mod deal;
mod desk;
pub(super) mod enum_values;
pub(super) mod event_games;
pub(super) mod events;
mod export;
mod feed;
mod filters;
mod games;
mod history;
mod idempotency;
pub(super) mod ingest;
pub(super) mod live;
pub(super) mod live_feed;
mod live_game;
mod ops;
mod pictures;
mod players;
mod position_search;
pub(super) mod positions;
mod ratings;
mod receipts;
pub(super) mod record_body;
pub(super) mod records;
pub(super) mod repair;
mod rules;
pub(super) mod shared;
mod sse;
mod stored_record;
pub(super) mod submit;
pub(super) mod tokens;
pub(super) mod tournaments;
pub(super) mod verify;
pub(super) mod webhooks;

/// The endpoints of the API. The documentation has this order, and of several paths that match the router takes the first.
pub(super) const ROUTES: &[&[Endpoint]] = &[
    verify::ROUTES,
    repair::ROUTES,
    submit::ROUTES,
    records::ROUTES,
    desk::ROUTES,
    live::ROUTES,
    deal::ROUTES,
    receipts::ROUTES,
    history::ROUTES,
    // Before positions, where `{ply}` would match `1.svg` too.
    pictures::ROUTES,
    positions::ROUTES,
    position_search::ROUTES,
    changes::ROUTES,
    export::ROUTES,
    players::ROUTES,
    ratings::ROUTES,
    events::ROUTES,
    tournaments::list::ROUTES,
    tournaments::decisions::ROUTES,
    tournaments::pairings::ROUTES,
    tournaments::rounds::ROUTES,
    tournaments::board::ROUTES,
    tournaments::standings::ROUTES,
    tournaments::export::ROUTES,
    tournaments::files::ROUTES,
    feed::ROUTES,
    games::ROUTES,
    rules::ROUTES,
    tokens::ROUTES,
    webhooks::ROUTES,
    ops::ROUTES,
];
