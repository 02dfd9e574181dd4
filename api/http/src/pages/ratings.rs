//! Ratings by Glicko-2: the first players of every game, the list of one, and the history of a player.

use chrono::NaiveDate;
use maud::{Markup, display, html};
use quipu_archive::store::{Person, ReadTx};
use quipu_notation::games::{self, GAMES, GameNotation};
use quipu_ratings::{Glicko, RatedPlayer, RatingCursor, RatingStep, Ratings};

use super::{
    about::About,
    frame::{
        LISTED, Page, View, captioned_table, empty_list, fraction, game_name, list_end, page_response, page_response_at,
    },
    players,
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::Route,
    routes::{
        enum_values::game_ids,
        shared::{COST, CURSOR, LANG, NUMBER, PAGE},
    },
};
use quipu_referee::competition::Half;

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: PATH,
            id: "page-ratings",
            params: &[Param::field("game", Kind::Choice(game_ids)), Param::field("date", Kind::Date), CURSOR, LANG],
            problems: &[problem::CURSOR],
            ..PAGE
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/players/{number}/ratings",
            id: "page-rating-history",
            params: &[NUMBER, LANG],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(history(context)),
    },
];

const PATH: &str = "/ratings";
/// The entry of the main navigation that leads here.
const PLACE: &str = "/rankings";
/// Players per game on the page of all games.
const FIRST: usize = 10;
/// Months on the page of a player, per game.
const MONTHS: usize = 100;

/// A row of a list, with number and name of its player.
type RatingRow = (RatedPlayer, i64, String);

struct ListPart {
    game: &'static GameNotation,
    from: Option<NaiveDate>,
    rows: Vec<RatingRow>,
    next: Option<RatingCursor>,
}

impl ListPart {
    /// The rows after a cursor; none if it is of no player.
    fn of(
        ratings: &Ratings,
        game: &'static GameNotation,
        date: Option<NaiveDate>,
        after: Option<RatingCursor>,
        limit: usize,
    ) -> Option<Self> {
        let list = ratings.list(date);
        let (rows, next) = ratings.page(&list, after, limit)?;
        let named = |row: &RatedPlayer| {
            let (number, name) = ratings.player(row.player);
            (*row, number, name.to_owned())
        };
        Some(Self { game, from: list.from, rows: rows.iter().map(named).collect(), next })
    }
}

async fn index(context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    match context.text("game").and_then(games::find) {
        Some(game) => of_game(&context, game).await,
        None => of_all(&context).await,
    }
}

async fn of_game(context: &RequestContext, game: &'static GameNotation) -> HandlerResult {
    let (after, date, all) = (context.cursor()?, context.date("date"), context.ratings().await?);
    let (address, view) = (context.own_address(), View::of(context));
    let write = move || {
        Ok(ListPart::of(all.of(game), game, date, after, LISTED).map(|part| {
            let next = part.next.as_ref().and_then(|next| address.next_page(next));
            game_page(&view, date, &part, next)
        }))
    };
    let page = context.work(write).await?.ok_or_else(|| context.invalid_cursor())?;
    Ok(context.cacheable(page_response(context, page)))
}

fn game_page(view: &View, date: Option<NaiveDate>, part: &ListPart, next: Option<String>) -> String {
    let name = game_name(view, part.game);
    let title = view.fill("ratings.of", &[("game", &name)]);
    let body = html! {
        h1 { (title) }
        (choice(view, Some(part.game)))
        form.search action=(PATH) method="get" {
            (view.language_field())
            input type="hidden" name="game" value=(part.game.id);
            p.line {
                label for="date" { (view.say("ratings.date")) }
                input id="date" name="date" type="date" value=[date.map(|day| day.to_string())];
                button { (view.say("ratings.show")) }
            }
        }
        (in_force(view, part))
        @if !part.rows.is_empty() { (table(view, &title, &part.rows)) }
        (list_end(view, part.rows.len(), next))
        p.note { (view.say("ratings.order")) }
    };
    let about = About {
        description: view.fill("ratings.about", &[("game", &name)]),
        address: view.href(PATH, &[("game", part.game.id)]),
        picture: None,
    };
    view.write(&Page { about: Some(about), ..Page::new(title, PLACE, body) })
}

async fn of_all(context: &RequestContext) -> HandlerResult {
    if context.text("cursor").is_some() {
        // A cursor belongs to the list of one game.
        return Err(context.invalid_cursor());
    }
    let (date, all, view) = (context.date("date"), context.ratings().await?, View::of(context));
    let last = all.last_change;
    let write = move || {
        let parts = GAMES.iter().filter_map(|game| ListPart::of(all.of(game), game, date, None, FIRST));
        Ok(page_of_all(&view, &parts.collect::<Vec<_>>()))
    };
    let page = context.work(write).await?;
    Ok(page_response_at(context, last, page))
}

fn page_of_all(view: &View, all: &[ListPart]) -> String {
    let title = view.say("ratings.title");
    let body = html! {
        h1 { (title) }
        (choice(view, None))
        @for part in all {
            @let name = game_name(view, part.game);
            section {
                h2 id=(part.game.id) { (name) }
                @if part.rows.is_empty() { (empty_list(view)) }
                @else { (in_force(view, part)) (table(view, name, &part.rows)) }
                @if part.next.is_some() {
                    p { a href=(view.href(PATH, &[("game", part.game.id)])) { (view.fill("ratings.whole", &[("game", &name)])) } }
                }
            }
        }
        p.note { (view.say("ratings.order")) }
    };
    let about = Some(view.about(view.say("ratings.about-all")));
    view.write(&Page { about, ..Page::new(title, PLACE, body) })
}

/// The day from which a list is in force.
fn in_force(view: &View, part: &ListPart) -> Markup {
    html! { @if let Some(day) = part.from { p { (view.fill("ratings.from", &[("day", &day)])) } } }
}

/// Links to the list of each game.
fn choice(view: &View, shown: Option<&GameNotation>) -> Markup {
    html! {
        nav.tabs aria-label=(view.say("rankings.choice")) {
            ul {
                @for game in GAMES {
                    li {
                        a href=(view.href(PATH, &[("game", game.id)]))
                            aria-current=[(shown == Some(*game)).then_some("page")] { (game_name(view, game)) }
                    }
                }
            }
        }
    }
}

fn table(view: &View, caption: &str, rows: &[RatingRow]) -> Markup {
    let head = html! {
        th.number scope="col" { (view.say("figure.place")) }
        th scope="col" { (view.say("figure.player")) }
        (heads_of_figures(view))
        th.number scope="col" { (view.say("figure.games")) }
        th scope="col" { (view.say("ratings.last")) }
    };
    let body = html! {
        tbody {
            @for (row, number, name) in rows {
                tr {
                    td.number { @if let Some(place) = row.place { (place) } @else { "–" } }
                    th scope="row" { (players::name(view, *number, name)) }
                    (figures(view, row.glicko))
                    td.number { (row.games) }
                    td { (month(view, row.last)) }
                }
            }
        }
    };
    captioned_table(caption, &head, &body)
}

fn heads_of_figures(view: &View) -> Markup {
    html! {
        th.number scope="col" { (view.say("ratings.glicko")) }
        th.number scope="col" { (view.say("ratings.deviation")) }
        th scope="col" { (view.say("ratings.kind")) }
    }
}

fn figures(view: &View, glicko: Glicko) -> Markup {
    let kind = if glicko.is_provisional() { "ratings.provisional" } else { "ratings.established" };
    html! {
        td.number { (glicko.whole()) }
        td.number { (format!("{:.0}", glicko.deviation())) }
        td { (view.say(kind)) }
    }
}

/// A month, or a note for games without a date.
fn month(view: &View, month: Option<quipu_ratings::Period>) -> Markup {
    html! { @if let Some(month) = month { (display(month)) } @else { (view.say("figure.undated")) } }
}

async fn history(context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    let (number, all, view) = (context.path_number("number"), context.ratings().await?, View::of(&context));
    let last = all.last_change;
    let ask = move |reading: &ReadTx<'_>| reading.player(number);
    let write = move |person: Option<Person>| {
        Ok(person.map(|person| {
            let (root, name) = person.counted();
            let played = |game: &&'static GameNotation| PlayedGame::of(all.of(game), game, root);
            history_page(&view, root, &name, &GAMES.iter().filter_map(played).collect::<Vec<_>>())
        }))
    };
    let page = context.read_then(ask, write).await?;
    let page = page.ok_or_else(|| Problem::variant(problem::NOT_FOUND, "player").with("found", number))?;
    Ok(page_response_at(&context, last, page))
}

/// The rating of a player in a game.
struct PlayedGame {
    game: &'static GameNotation,
    /// The figures in the newest list; none if only dates in the future count.
    now: Option<Glicko>,
    /// The latest months.
    steps: Vec<RatingStep>,
    /// True if there are earlier ones.
    continues: bool,
}

impl PlayedGame {
    /// That of a player with games.
    fn of(ratings: &Ratings, game: &'static GameNotation, number: i64) -> Option<Self> {
        let player = ratings.find(number)?;
        let now = ratings.standing(player, None).map(|standing| standing.glicko);
        let (steps, next) = ratings.history_page(player, None, MONTHS);
        Some(Self { game, now, steps: steps.copied().collect(), continues: next.is_some() })
    }
}

fn history_page(view: &View, number: i64, name: &str, games: &[PlayedGame]) -> String {
    let title = view.fill("ratings.history-of", &[("player", &name)]);
    let body = html! {
        h1 { (title) }
        p { (players::name(view, number, name)) }
        @if games.is_empty() { p { (view.say("player.nothing")) } }
        @for PlayedGame { game, now, steps, continues } in games {
            section {
                h2 id=(game.id) { (game_name(view, game)) }
                @if let Some(glicko) = now { p { (sentence(view, *glicko)) } }
                (months(view, game_name(view, game), steps))
                @if *continues {
                    p.note {
                        (view.fill("ratings.latest", &[("months", &MONTHS)])) " "
                        a href={ "/v1/players/" (number) "/ratings?game=" (game.id) } { (view.say("ratings.all-months")) }
                    }
                }
            }
        }
    };
    view.write(&Page::new(title, "/players", body))
}

/// The figures of a player in the newest list.
fn sentence(view: &View, glicko: Glicko) -> String {
    let (rating, deviation) = (glicko.whole(), format!("{:.0}", glicko.deviation()));
    let values: &[(&str, &dyn std::fmt::Display)] = &[("rating", &rating), ("deviation", &deviation)];
    let key = if glicko.is_provisional() { "ratings.now-provisional" } else { "ratings.now" };
    view.fill(key, values)
}

fn months(view: &View, caption: &str, steps: &[RatingStep]) -> Markup {
    let head = html! {
        th scope="col" { (view.say("ratings.month")) }
        th.number scope="col" { (view.say("figure.games")) }
        th.number scope="col" { (view.say("figure.score")) }
        (heads_of_figures(view))
    };
    let body = html! {
        tbody {
            @for step in steps {
                tr {
                    th scope="row" { (month(view, step.period)) }
                    td.number { (step.games) }
                    td.number { (fraction(Half::half_of(step.half_points.into()))) }
                    (figures(view, step.glicko))
                }
            }
        }
    };
    captioned_table(caption, &head, &body)
}
