//! Pages for people, in Spanish and in English. Every page can be read and used without a script, and loads nothing from
//! other sites; scripts make some of them quicker to use.
//!
//! [`frame`] has the elements of all pages. Contents come from the archive as for the API, and rules from the referee.

#![expect(clippy::unused_async, reason = "all handlers have one shape, whether they wait for something or not")]

use super::endpoint::Endpoint;

mod about;
mod assets;
mod boards;
mod charts;
mod check;
mod docs;
mod events;
mod form_data;
mod frame;
mod game;
mod home;
mod legend;
mod live;
mod messages;
mod players;
mod positions;
mod problem;
mod rankings;
mod ratings;
mod records;
mod rules;
mod score;
mod sides;
mod snippet;
mod tournament;
mod webhooks;

pub(super) use problem::problem_page;
pub(super) use rules::rule_page;

/// The endpoints of pages, in the order of the documentation.
pub(super) const ROUTES: &[&[Endpoint]] = &[
    docs::ROUTES,
    home::ROUTES,
    records::ROUTES,
    game::ROUTES,
    positions::ROUTES,
    players::ROUTES,
    rankings::ROUTES,
    ratings::ROUTES,
    events::ROUTES,
    tournament::organise::ROUTES,
    tournament::ROUTES,
    rules::ROUTES,
    check::ROUTES,
    score::ROUTES,
    live::ROUTES,
    webhooks::ROUTES,
    assets::ROUTES,
];
