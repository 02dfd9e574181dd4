//! The games that the referee knows.

use quipu_referee::{Referee, games, messages::catalog, termination::DECLARED};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    endpoint::Endpoint,
    problem::HandlerResult,
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Content, GET, Response, Route},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/games",
        id: "games",
        group: "laws",
        access: Access::Open,
        responses: &[Response::ok(&[Content::json::<Games>()])],
        ..GET
    },
    handler: |context| Box::pin(index(context)),
}];

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Games {
    /// In the order of the table.
    items: Vec<Game>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the tag that it is the value of")]
struct Game {
    /// Value of the tag `Game`.
    game: &'static str,
    name: String,
    /// Its sides, side 1 first.
    sides: Vec<Side>,
    /// Values of the tag `Rules`; the first one applies if the tag is missing.
    rules: Vec<&'static str>,
    /// The possible endings.
    terminations: Vec<Ending>,
    /// True if its games count points.
    points: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Side {
    /// Its name in verdicts.
    name: &'static str,
    /// The tag that names its player.
    tag: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ending {
    /// Value of the tag `Termination`.
    termination: &'static str,
    /// The same in words.
    title: String,
}

async fn index(context: RequestContext) -> HandlerResult {
    let word = |key: &str| catalog().word(key, context.lang).to_owned();
    let game = |game: &&dyn Referee| {
        let notation = game.notation();
        let ends = game.ends().iter().chain(DECLARED);
        let board = game.board(None, None).ok();
        Game {
            game: notation.id,
            name: word(game.name()),
            sides: notation.sides.iter().map(|side| Side { name: side.name, tag: side.tag }).collect(),
            rules: game.rule_sets(),
            terminations: ends.map(|end| Ending { termination: end.name, title: word(end.word) }).collect(),
            points: board.is_some_and(|board| board.points().is_some()),
        }
    };
    let games = Games { items: games::ALL.iter().map(game).collect() };
    Ok(context.with_etag(context.json(&games), CachePolicy::UntilChange, format_args!("games")))
}
