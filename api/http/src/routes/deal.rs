//! Start positions dealt at random.

use quipu_referee::games;
use schemars::JsonSchema;
use serde::Serialize;

use super::shared::{NAME, PATH_GAME};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Access, Content, GET, Response, Route},
};
use quipu_archive::model::Number;

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/games/{game}/deal",
        id: "deal",
        group: "live",
        access: Access::Open,
        params: &[PATH_GAME, Param::query("seed", Kind::Number(0)), Param::query("first", Kind::Text(NAME))],
        responses: &[Response::ok(&[Content::json::<Deal>()])],
        problems: &[problem::NOT_FOUND],
        volatile: true,
        ..GET
    },
    handler: |context| Box::pin(deal(context)),
}];

/// A start position dealt at random.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Deal {
    /// The seed: the same number always gives the same position.
    seed: Number,
    position: String,
}

async fn deal(context: RequestContext) -> HandlerResult {
    let game = context.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let first = context.text("first").map(|name| {
        let wrong = || Problem::variant(problem::NOT_FOUND, "side").with_quoted("found", name);
        game.notation().side_named(name).ok_or_else(wrong)
    });
    let seed = match context.number("seed") {
        Some(seed) => seed,
        None => random()?,
    };
    let dealt = game.deal(None, u64::try_from(seed).unwrap_or_default(), first.transpose()?);
    let board = dealt
        .ok()
        .flatten()
        .ok_or_else(|| Problem::variant(problem::NOT_FOUND, "deal").with("found", game.notation().id))?;
    Ok(context.json(&Deal { seed, position: board.position() }))
}

/// A random seed, short enough to be written down.
fn random() -> Result<Number, Problem> {
    getrandom::u32().map(Number::from).map_err(|_| Problem::new(problem::INTERNAL))
}
