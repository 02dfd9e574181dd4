//! A tournament as a workbook, and as lists to hang on the wall.

use quipu_archive::store::StoredTournament;
use quipu_pictures as pictures;
use quipu_tournament::{
    exchange::xlsx,
    tables::{ListOrder, Tables},
};

use super::{ROUND, no_round, shown_at_cost, small};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, PDF, Response, Route, XLSX},
    routes::{
        shared::COST,
        shared::{LANG, NUMBER},
    },
};

const ORDER: Param = Param::query("order", Kind::Choice(orders));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}/workbook.xlsx",
            id: "tournament-workbook",
            group: "tournaments",
            params: &[NUMBER, LANG],
            responses: &[Response::ok(&[Content::bytes(XLSX)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(workbook(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}/crosstable.pdf",
            id: "tournament-crosstable",
            group: "tournaments",
            params: &[NUMBER, LANG],
            responses: &[Response::ok(&[Content::bytes(PDF)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(crosstable(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}/rounds/{round}/pairings.pdf",
            id: "tournament-pairings",
            group: "tournaments",
            params: &[NUMBER, ROUND, ORDER, LANG],
            responses: &[Response::ok(&[Content::bytes(PDF)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(pairings(context)),
    },
];

fn orders() -> Vec<&'static str> {
    ListOrder::ALL.map(ListOrder::as_str).to_vec()
}

async fn workbook(context: RequestContext) -> HandlerResult {
    let lang = context.lang;
    shown_at_cost(&context, COST, move |stored| {
        xlsx::write(&stored.tournament, stored.game, lang).map_err(|_| Problem::new(problem::INTERNAL))
    })
    .await
}

async fn crosstable(context: RequestContext) -> HandlerResult {
    let lang = context.lang;
    let write = move |stored: &StoredTournament| {
        let table = Tables::new(&stored.tournament, stored.game, lang).crosstable();
        Ok(pictures::wall_chart_pdf(&table, lang))
    };
    shown_at_cost(&context, COST, write).await
}

async fn pairings(context: RequestContext) -> HandlerResult {
    let (round, lang) = (small(&context, ROUND.name).unwrap_or_default(), context.lang);
    let order = context.text(ORDER.name).and_then(ListOrder::parse).unwrap_or_default();
    shown_at_cost(&context, COST, move |stored| {
        let table = Tables::new(&stored.tournament, stored.game, lang).pairings(round, order);
        table.map(|table| pictures::wall_list_pdf(&table, lang)).ok_or_else(|| no_round(stored, round))
    })
    .await
}
