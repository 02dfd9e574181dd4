//! A round with its boards and results, the records behind them, and those that do not fit.

use quipu_archive::report::RoundReport;

use super::{ROUND, no_round, shown, small, tables};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult},
    request::RequestContext,
    route::{CSV, Content, GET, Response, Route},
    routes::{events::json, shared::NUMBER},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/tournaments/{number}/rounds/{round}",
        id: "tournament-round",
        group: "tournaments",
        params: &[NUMBER, ROUND],
        responses: &[Response::ok(&[Content::json::<RoundReport<'_>>(), Content::text(CSV)])],
        problems: &[problem::NOT_FOUND],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

async fn show(context: RequestContext) -> HandlerResult {
    let (round, lang, media) = (small(&context, ROUND.name).unwrap_or_default(), context.lang, context.media);
    shown(&context, move |stored| {
        let report = RoundReport::new(stored, round, lang).ok_or_else(|| no_round(stored, round))?;
        Ok(if media == CSV { tables::csv(tables::round(stored, round)) } else { json(&report) })
    })
    .await
}
