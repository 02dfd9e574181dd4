//! The games that reached a position, what was played next, and how they ended.

use quipu_referee::games;

use super::{
    pictures::{POSITION, RULES, with_faults},
    shared::{CURSOR, GAME, LIMIT},
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, Response, Route},
};
use quipu_archive::{
    report::PositionReport,
    store::{ReadTx, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/positions",
        id: "position-search",
        group: "records",
        params: &[GAME.required(), POSITION, RULES, LIMIT, CURSOR],
        responses: &[Response::ok(&[Content::json::<PositionReport>()])],
        problems: &[problem::POSITION, problem::CURSOR],
        ..GET
    },
    handler: |context| Box::pin(index(context)),
}];

async fn index(context: RequestContext) -> HandlerResult {
    let game = context.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let board = game
        .board(context.text("rules"), context.text("position"))
        .map_err(|faults| with_faults(Problem::new(problem::POSITION), &faults, context.lang))?;
    let (before, limit) = (context.cursor()?, context.limit());
    let ask = move |reading: &ReadTx<'_>| -> Result<_, StoreError> {
        let found = reading.position_games(&*board, before, limit)?;
        Ok(PositionReport::new(game.notation(), board.position(), found))
    };
    let report = context.read_slowly(ask).await?;
    Ok(context.cacheable(context.json(&report)))
}
