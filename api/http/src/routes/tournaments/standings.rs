//! Standings after each round, and the places that are still possible.

use quipu_archive::{
    report::{ProspectsReport, StandingsReport},
    store::StoredTournament,
};
use quipu_tournament::{
    model::MAX_ROUNDS,
    standings::{Prospects, prospects_within, standings},
};

use super::{no_round, shown, small, tables};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult},
    request::RequestContext,
    route::{CSV, Content, GET, Response, Route},
    routes::{events::json, shared::NUMBER},
};

/// The last round that counts.
const AFTER: Param = Param::query("round", Kind::Between(1, MAX_ROUNDS as i64));
/// Most places that a request for prospects computes: outcomes times players. The program has more time.
const PLACES: u64 = 1 << 18;

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}/standings",
            id: "tournament-standings",
            group: "tournaments",
            params: &[NUMBER, AFTER],
            responses: &[Response::ok(&[Content::json::<StandingsReport<'_>>(), Content::text(CSV)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}/what-if",
            id: "tournament-what-if",
            group: "tournaments",
            params: &[NUMBER],
            responses: &[Response::ok(&[Content::json::<ProspectsReport<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(prospects(context)),
    },
];

pub(crate) async fn show(context: RequestContext) -> HandlerResult {
    let (round, media) = (small(&context, AFTER.name), context.media);
    shown(&context, move |stored| {
        if let Some(round) = round.filter(|round| stored.tournament.round(*round).is_none()) {
            return Err(no_round(stored, round));
        }
        let found = standings(&stored.tournament, round);
        Ok(match media {
            CSV => tables::csv(tables::standings(stored, &found)),
            _ => json(&StandingsReport::new(stored, &found)),
        })
    })
    .await
}

async fn prospects(context: RequestContext) -> HandlerResult {
    shown(&context, |stored| Ok(json(&ProspectsReport::new(stored, &chances(stored))))).await
}

/// The places that are still possible, as far as a request may compute them.
pub(crate) fn chances(stored: &StoredTournament) -> Prospects {
    let players = stored.tournament.entrants.len().max(1) as u64;
    prospects_within(&stored.tournament, PLACES / players)
}
