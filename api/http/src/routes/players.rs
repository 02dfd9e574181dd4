//! Players, their levels, and rankings.

use actix_web::{HttpResponse, http::header};
use quipu_notation::games::{self, GameNotation};
use quipu_referee::{
    competition::{Half, Level, Rating},
    report::hex,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::shared::{CURSOR, GAME, LIMIT, NUMBER, SEARCH};
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::DEFAULT_LIMIT,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, Response, Route},
};
use quipu_archive::{
    model::Number,
    store::{self, ListPage, NameFilter, Person, Reached, ReadTx, StoreError},
};

/// The redirect from a merged name to its player.
pub(super) const MERGED: Response = Response { status: 307, content: &[Content::json::<Player>()] };

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/players",
            id: "players",
            group: "players",
            params: &[SEARCH, LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<List<Player>>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/players/{number}",
            id: "player",
            group: "players",
            params: &[NUMBER],
            responses: &[Response::ok(&[Content::json::<PlayerPage>()]), MERGED],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/players/{number}/history",
            id: "levels",
            group: "players",
            params: &[NUMBER, GAME.required(), LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<List<LevelStep>>()]), MERGED],
            problems: &[problem::NOT_FOUND, problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(history(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/rankings",
            id: "rankings",
            group: "players",
            params: &[GAME.required(), LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<List<Ranked>>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(ranking(context)),
    },
];

/// Steps of a level's history with a player.
const STEPS: usize = 10;
/// Similar names with a player.
const LIKELY: usize = 20;

/// A player in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Player {
    #[schemars(range(min = 1))]
    number: Number,
    name: String,
    /// The player that the name is merged into, or null.
    counts_as: Option<PlayerName>,
}

/// A player by number and name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlayerName {
    #[schemars(range(min = 1))]
    number: Number,
    name: String,
}

/// A player with the figures of each game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct PlayerPage {
    #[schemars(range(min = 1))]
    number: Number,
    name: String,
    /// Other names that are merged into it.
    also: Vec<PlayerName>,
    /// Players whose names are probably spellings of this one.
    likely_same: Vec<Player>,
    /// The figures of each game.
    games: Vec<PlayerGame>,
    /// Address of its records.
    records_url: String,
}

/// The figures of a player in one game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlayerGame {
    game: &'static str,
    #[serde(flatten)]
    figures: Figures,
    /// The last steps of the level's history, the latest first.
    history: Vec<LevelStep>,
    /// Address of the whole history; null in games without levels.
    history_url: Option<String>,
}

/// A player's place in the ranking of a game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Ranked {
    /// From 1; tied players share it.
    #[schemars(range(min = 1))]
    place: u64,
    player: PlayerName,
    #[serde(flatten)]
    figures: Figures,
}

/// Figures of games.
#[derive(Debug, Serialize, JsonSchema)]
struct Figures {
    /// Games that count.
    #[schemars(range(min = 1))]
    games: u64,
    /// Games won.
    wins: u64,
    /// Games drawn.
    draws: u64,
    /// Games lost.
    losses: u64,
    /// One for each win, a half for each draw.
    #[schemars(with = "f64", range(min = 0))]
    score: Half,
    /// Points without bonus; null in games that do not count points.
    points: Option<u64>,
    /// Bonuses of encounters.
    #[schemars(with = "Option<f64>", range(min = 0))]
    bonus: Option<Half>,
    /// Points with bonus.
    #[schemars(with = "Option<f64>", range(min = 0))]
    points_with_bonus: Option<Half>,
    /// 0 to 360, or null.
    #[schemars(range(max = 360))]
    level: Option<u16>,
    /// `cobre`, `plata` or `oro`, or null.
    #[schemars(extend("enum" = ["cobre", "plata", "oro", null]))]
    tier: Option<&'static str>,
}

/// A level, and the game whose win led to it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LevelStep {
    /// Id of the game's record.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    record: String,
    /// The day of its start, if known.
    #[schemars(extend("format" = "date"))]
    date: Option<String>,
    /// The time of its start, UTC, if known.
    #[schemars(regex(pattern = "^[0-9]{2}:[0-9]{2}:[0-9]{2}$"))]
    time: Option<String>,
    /// The points in it.
    last: u32,
    /// The points in the previous game won.
    previous: u32,
    /// 0 to 360; null while both are 0.
    #[schemars(range(max = 360))]
    level: Option<u16>,
    /// `cobre`, `plata` or `oro`, or null.
    #[schemars(extend("enum" = ["cobre", "plata", "oro", null]))]
    tier: Option<&'static str>,
}

impl From<(Number, String)> for PlayerName {
    fn from((number, name): (Number, String)) -> Self {
        Self { number, name }
    }
}

impl From<Person> for Player {
    fn from(person: Person) -> Self {
        Self { number: person.number, name: person.name, counts_as: person.counts_as.map(PlayerName::from) }
    }
}

impl From<Rating> for Figures {
    fn from(rating: Rating) -> Self {
        let Rating { games, wins, draws, points, bonus, level, .. } = rating;
        Self {
            games,
            wins,
            draws,
            losses: games - wins - draws,
            score: Half::half_of(2 * wins + draws),
            points,
            bonus: points.map(|_| bonus),
            points_with_bonus: points.map(|points| Half::whole(points) + bonus),
            level: level.map(Level::value),
            tier: level.map(tier),
        }
    }
}

impl From<Reached> for LevelStep {
    fn from(Reached { step, record, start }: Reached) -> Self {
        Self {
            record: hex(&record),
            date: start.date().map(|date| date.to_string()),
            time: start.time().map(|time| time.to_string()),
            last: step.last,
            previous: step.previous,
            level: step.level.map(Level::value),
            tier: step.level.map(tier),
        }
    }
}

fn tier(level: Level) -> &'static str {
    level.tier().as_str()
}

async fn index(context: RequestContext) -> HandlerResult {
    let (search, after, limit) = (context.text("q").and_then(NameFilter::new), context.cursor()?, context.limit());
    let ask = move |reading: &ReadTx<'_>| reading.players(search.as_ref(), after, limit);
    let Some(ListPage { items, next }) = context.read_page(limit, ask).await? else {
        return Err(context.invalid_cursor());
    };
    Ok(context.page(items.into_iter().map(Player::from).collect(), next.as_ref()))
}

async fn show(context: RequestContext) -> HandlerResult {
    answer(&context, "", DEFAULT_LIMIT, PlayerPage::new, |page| context.cacheable(context.json(&page))).await
}

async fn history(context: RequestContext) -> HandlerResult {
    let (game, after, limit) = (game(&context)?, context.cursor()?, context.limit());
    let ask = move |reading: &ReadTx<'_>, person: &Person| reading.levels(person.number, game, after.as_ref(), limit);
    answer(&context, "/history", limit, ask, |ListPage { items, next }| {
        context.page(items.into_iter().map(LevelStep::from).collect(), next.as_ref())
    })
    .await
}

async fn ranking(context: RequestContext) -> HandlerResult {
    let (game, after, limit) = (game(&context)?, context.cursor()?, context.limit());
    let ask = move |reading: &ReadTx<'_>| reading.ranking(game, after, limit);
    let Some(ListPage { items, next }) = context.read_page(limit, ask).await? else {
        return Err(context.invalid_cursor());
    };
    let ranked = |store::Ranked { place, player, rating, .. }| Ranked {
        place,
        player: PlayerName::from(player),
        figures: Figures::from(rating),
    };
    Ok(context.page(items.into_iter().map(ranked).collect(), next.as_ref()))
}

/// The game in the query.
pub(super) fn game(context: &RequestContext) -> Result<&'static GameNotation, Problem> {
    let game = context.text("game").and_then(games::find);
    game.ok_or_else(|| Problem::variant(problem::PARAMETER, "missing").with("name", "game"))
}

/// Responds with data of the player in the path. A name that is merged into another player is redirected to the same
/// address of that player, under `rest`. The redirect is temporary, because a merge can be undone.
pub(super) async fn answer<T: Send + 'static>(
    context: &RequestContext,
    rest: &str,
    limit: usize,
    ask: impl FnOnce(&ReadTx<'_>, &Person) -> Result<T, StoreError> + Send + 'static,
    tell: impl FnOnce(T) -> HttpResponse,
) -> HandlerResult {
    let number = context.path_number("number");
    let ask = move |reading: &ReadTx<'_>| {
        let Some(person) = reading.player(number)? else { return Ok(None) };
        let told = if person.counts_as.is_none() { Some(ask(reading, &person)?) } else { None };
        Ok(Some((person, told)))
    };
    let found = context.read_page(limit, ask).await?;
    match found {
        None => Err(Problem::variant(problem::NOT_FOUND, "player").with("found", number)),
        Some((_, Some(told))) => Ok(tell(told)),
        Some((person, None)) => {
            let root = person.counts_as.as_ref().map_or(number, |(root, _)| *root);
            let query = Some(&*context.query).filter(|query| !query.is_empty()).map(|query| format!("?{query}"));
            let place = format!("/v1/players/{root}{rest}{}", query.unwrap_or_default());
            let mut response = HttpResponse::TemporaryRedirect();
            response.insert_header((header::LOCATION, place));
            Ok(context.json_with(response, &Player::from(person)))
        }
    }
}

impl PlayerPage {
    fn new(reading: &ReadTx<'_>, person: &Person) -> Result<Self, StoreError> {
        let number = person.number;
        let mut played = Vec::new();
        for rating in reading.ratings(number)? {
            let game = rating.game;
            // Only games with points have levels.
            let has_levels = rating.points.is_some();
            let steps = if has_levels { reading.levels(number, game, None, STEPS)?.items } else { Vec::new() };
            played.push(PlayerGame {
                game: game.id,
                figures: Figures::from(rating),
                history: steps.into_iter().map(LevelStep::from).collect(),
                history_url: has_levels.then(|| format!("/v1/players/{number}/history?game={}", game.id)),
            });
        }
        let also = reading.also(number)?.into_iter().map(|other| PlayerName::from((other.number, other.name)));
        Ok(Self {
            number,
            name: person.name.clone(),
            also: also.collect(),
            likely_same: reading.likely_same(person, LIKELY)?.into_iter().map(Player::from).collect(),
            games: played,
            records_url: format!("/v1/records?player={number}"),
        })
    }
}
