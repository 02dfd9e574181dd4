//! Ratings by Glicko-2: lists by day, the history of a player, and expected scores.

use quipu_archive::{
    model::Number,
    store::{Person, ReadTx, StoreError, cursor_text},
};
use quipu_ratings::{ExpectedReport, MonthCursor, RatingCursor, RatingHistoryReport, RatingListReport};

use super::{
    players::{MERGED, answer, game},
    shared::{COST, CURSOR, GAME, LIMIT, NUMBER},
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, Response, Route},
};

/// The day on which a list is in force.
const DATE: Param = Param::query("date", Kind::Date);
const OPPONENT: Param = Param::path("player", Kind::Number(1));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/ratings",
            id: "ratings",
            group: "players",
            params: &[GAME.required(), DATE, LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<RatingListReport>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(list(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/players/{number}/ratings",
            id: "rating-history",
            group: "players",
            params: &[NUMBER, GAME.required(), LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<RatingHistoryReport>()]), MERGED],
            problems: &[problem::NOT_FOUND, problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(history(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/players/{number}/ratings/{player}",
            id: "expected-scores",
            group: "players",
            params: &[NUMBER, OPPONENT, GAME.required(), DATE],
            responses: &[Response::ok(&[Content::json::<ExpectedReport>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT],
            ..GET
        },
        handler: |context| Box::pin(expected(context)),
    },
];

async fn list(context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    let (game, date, limit) = (game(&context)?, context.date("date"), context.limit());
    let (after, all): (Option<RatingCursor>, _) = (context.cursor()?, context.ratings().await?);
    let page = move || {
        let ratings = all.of(game);
        let list = ratings.list(date);
        let page = ratings.page(&list, after, limit);
        Ok(page.map(|(rows, next)| {
            RatingListReport::new(game, ratings, list.from, rows, next.as_ref().and_then(cursor_text))
        }))
    };
    let page = context.work(page).await?.ok_or_else(|| context.invalid_cursor())?;
    Ok(context.linked_page("cursor", page.next(), &page))
}

async fn history(context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    let (game, limit, after): (_, _, Option<MonthCursor>) = (game(&context)?, context.limit(), context.cursor()?);
    let all = context.ratings().await?;
    let ask = move |_: &ReadTx<'_>, person: &Person| {
        let ratings = all.of(game);
        let player = (person.number, person.name.as_str());
        let Some(index) = ratings.find(person.number) else {
            return Ok(RatingHistoryReport::new(game, player, [], None));
        };
        let (steps, next) = ratings.history_page(index, after, limit);
        Ok(RatingHistoryReport::new(game, player, steps, next.as_ref().and_then(cursor_text)))
    };
    answer(&context, "/ratings", limit, ask, |page| context.linked_page("cursor", page.next(), &page)).await
}

async fn expected(context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    let (game, date) = (game(&context)?, context.date("date"));
    let numbers = ["number", "player"].map(|name| context.path_number(name));
    let all = context.ratings().await?;
    let counted = |reading: &ReadTx<'_>, number| Ok::<_, StoreError>(reading.player(number)?.map(Person::counted));
    let [one, two] = context.read(|reading| Ok([counted(reading, numbers[0])?, counted(reading, numbers[1])?]))?;
    let no_player = |number: Number| Problem::variant(problem::NOT_FOUND, "player").with("found", number);
    let one = one.ok_or_else(|| no_player(numbers[0]))?;
    let two = two.ok_or_else(|| no_player(numbers[1]))?;
    if one.0 == two.0 {
        let problem = Problem::variant(problem::CONFLICT, "one-player").with("found", one.0);
        return Err(problem.extension("conflict", &"one-player"));
    }
    let ratings = all.of(game);
    let scores = ratings.expected([one.0, two.0], date);
    let report = ExpectedReport::new(game, ratings.in_force_from(date), [one, two], scores);
    Ok(context.cacheable(context.json(&report)))
}
