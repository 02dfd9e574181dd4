//! Players: the list, and the page of one player with the figures of each game.

use std::fmt::Display;

use actix_web::http::{StatusCode, header};
use maud::{Markup, display, html};
use quipu_referee::{
    competition::{Half, Level, Rating},
    report::hex,
};
use serde::Serialize;

use super::{
    about::About,
    boards, charts,
    frame::{
        LISTED, Page, View, captioned_table, fraction, game_name, joined, list_end, page_response, page_response_at,
        search_form,
    },
    records,
};
use crate::{
    endpoint::Endpoint,
    paging::Address,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, HTML, Response, Route},
    routes::shared::{CURSOR, LANG, NUMBER, PAGE, SEARCH_FIELD},
};
use quipu_archive::{
    model::{Card, RecordState},
    store::{self, Filter, NameFilter, Person, Reached, ReadTx, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/players",
            id: "page-players",
            params: &[SEARCH_FIELD, CURSOR, LANG],
            problems: &[problem::CURSOR],
            ..PAGE
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/players/{number}",
            id: "page-player",
            params: &[NUMBER, LANG],
            responses: &[
                Response::ok(&[Content::text(HTML)]),
                Response { status: 307, content: &[Content::text(HTML)] },
            ],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(show(context)),
    },
];

const PATH: &str = "/players";
/// Steps of a level in the chart and in the table.
const STEPS: usize = 100;
/// Records on the page of a player.
const RECORDS: usize = 10;
/// Similar names on the page of a player.
const LIKELY: usize = 20;

async fn index(context: RequestContext) -> HandlerResult {
    let (text, after) = (context.text("q").unwrap_or_default().to_owned(), context.cursor()?);
    let (search, address, view) = (NameFilter::new(&text), context.own_address(), View::of(&context));
    let ask = move |reading: &ReadTx<'_>| {
        let Some(store::ListPage { items, next }) = reading.players(search.as_ref(), after, LISTED)? else {
            return Ok(None);
        };
        let rated = items.into_iter().map(|person| Ok((reading.ratings(person.number)?, person)));
        let items =
            rated.map(|found| found.map(|(ratings, person)| (person, ratings))).collect::<Result<_, StoreError>>()?;
        Ok(Some(store::ListPage { items, next }))
    };
    let write = move |page: Option<_>| Ok(page.map(|page| list_page(&view, &text, &page, &address)));
    let page = context.read_then(ask, write).await?.ok_or_else(|| context.invalid_cursor())?;
    Ok(context.cacheable(page_response(&context, page)))
}

fn list_page<N: Serialize>(
    view: &View,
    text: &str,
    page: &store::ListPage<(Person, Vec<Rating>), N>,
    address: &Address,
) -> String {
    let store::ListPage { items, next } = page;
    let title = view.say("players.title");
    let body = html! {
        h1 { (title) }
        (search_form(view, PATH, "players.search", text, &html! {}))
        ul.names {
            @for (person, ratings) in items {
                li {
                    (name(view, person.number, &person.name))
                    @if !ratings.is_empty() { " " span.meta { (joined(ratings.iter().map(|one| Some(rated(view, one))))) } }
                    @if let Some((root, of)) = &person.counts_as {
                        " " (view.say("players.counts-as")) " " (name(view, *root, of))
                    }
                }
            }
        }
        (list_end(view, items.len(), next.as_ref().and_then(|next| address.next_page(next))))
    };
    view.write(&Page::new(title, PATH, body))
}

/// The games of a player in one game, with the level.
fn rated(view: &View, rating: &Rating) -> Markup {
    let (game, games) = (game_name(view, rating.game), rating.games);
    html! {
        @if let Some(level) = rating.level {
            (view.fill("players.level", &[("game", &game), ("games", &games), ("level", &level.value())]))
        } @else { (view.fill("players.games", &[("game", &game), ("games", &games)])) }
    }
}

/// The name of a player as a link.
pub(super) fn name(view: &View, number: i64, name: &str) -> Markup {
    html! { a href=(view.href(&format!("/players/{number}"), &[])) { (name) } }
}

struct PlayerData {
    also: Vec<Person>,
    likely: Vec<Person>,
    games: Vec<(Rating, Vec<Reached>)>,
    records: Vec<Card>,
}

async fn show(context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let view = View::of(&context);
    let ask = move |reading: &ReadTx<'_>| {
        let last = reading.last_change()?;
        let Some(person) = reading.player(number)? else { return Ok((last, None)) };
        if person.counts_as.is_some() {
            return Ok((last, Some((person, None))));
        }
        let mut games = Vec::new();
        for rating in reading.ratings(number)? {
            let steps = match rating.points {
                // Only games with points have levels.
                Some(_) => reading.levels(number, rating.game, None, STEPS)?.items,
                None => Vec::new(),
            };
            games.push((rating, steps));
        }
        let own = Filter { player: Some(number), states: vec![RecordState::Current], ..Filter::default() };
        let told = PlayerData {
            also: reading.also(number)?,
            likely: reading.likely_same(&person, LIKELY)?,
            games,
            records: reading.cards(&own, None, RECORDS)?.items,
        };
        Ok((last, Some((person, Some(told)))))
    };
    let writing = view.clone();
    let write = move |(last, found): (_, Option<(Person, Option<PlayerData>)>)| {
        let write = |person: &Person, told: PlayerData| {
            let about = Some(told.about(&writing, person));
            writing.write(&Page { about, ..Page::new(person.name.clone(), PATH, told.body(&writing, person)) })
        };
        Ok((last, found.map(|(person, told)| (told.map(|told| write(&person, told)), person))))
    };
    let (last, found) = context.read_then(ask, write).await?;
    match found {
        None => Err(Problem::variant(problem::NOT_FOUND, "player").with("found", number)),
        Some((Some(page), _)) => Ok(page_response_at(&context, last, page)),
        Some((None, person)) => {
            let (root, of) = person.counts_as.unwrap_or((number, String::new()));
            let place = view.href(&format!("{PATH}/{root}"), &[]);
            let body = html! {
                h1 { (person.name) }
                p { (view.say("players.counts-as")) " " (name(&view, root, &of)) }
            };
            let mut response = page_response(&context, view.write(&Page::new(person.name, PATH, body)));
            *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
            let place = place.try_into().map_err(|_| Problem::new(problem::INTERNAL))?;
            response.headers_mut().insert(header::LOCATION, place);
            Ok(response)
        }
    }
}

impl PlayerData {
    /// The description of the page: the games of the player with their numbers, and the last position.
    fn about(&self, view: &View, person: &Person) -> About {
        let games = self.games.iter().map(|(rating, _)| {
            view.fill("player.about", &[("game", &game_name(view, rating.game)), ("games", &rating.games)])
        });
        About {
            description: [person.name.clone()].into_iter().chain(games).collect::<Vec<_>>().join(" · "),
            address: view.href(&format!("{PATH}/{}", person.number), &[]),
            picture: self.records.iter().find_map(|card| boards::end_for_sharing(view, card)),
        }
    }

    fn body(&self, view: &View, person: &Person) -> Markup {
        let number = person.number.to_string();
        html! {
            h1 { (person.name) }
            @if !self.also.is_empty() {
                p { (view.say("player.also")) " " (self.also.iter().map(|one| &*one.name).collect::<Vec<_>>().join("; ")) }
            }
            @if !self.likely.is_empty() {
                p {
                    (view.say("player.likely"))
                    @for (place, one) in self.likely.iter().enumerate() {
                        @if place > 0 { ";" } " " (name(view, one.number, &one.name))
                    }
                }
            }
            @if self.games.is_empty() { p { (view.say("player.nothing")) } }
            @for (rating, steps) in &self.games { (game(view, rating, steps)) }
            @if !self.games.is_empty() {
                p { a href=(view.href(&format!("{PATH}/{number}/ratings"), &[])) { (view.say("ratings.player")) } }
            }
            section aria-labelledby="records" {
                h2 #records { (view.say("nav.records")) }
                (records::cards(view, &self.records))
                p { a href=(view.href("/records", &[("player", &number)])) { (view.say("player.all")) } }
            }
        }
    }
}

/// The figures of a player in one game.
fn game(view: &View, rating: &Rating, steps: &[Reached]) -> Markup {
    let id = rating.game.id;
    let losses = rating.games - rating.wins - rating.draws;
    let score = Half::half_of(2 * rating.wins + rating.draws);
    let chart: Vec<Level> = steps.iter().rev().filter_map(|reached| reached.step.level).collect();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (game_name(view, rating.game)) }
            @if let Some(level) = rating.level {
                p.level {
                    strong { (view.fill("player.level", &[("level", &level.value())])) } " · "
                    (view.word(level.tier().word()))
                }
                (charts::gauge(view, level))
            } @else if rating.points.is_some() {
                p { (view.say("player.no-level")) }
            }
            dl.figures {
                (figure(view, "figure.games", &rating.games))
                (figure(view, "figure.wins", &rating.wins))
                (figure(view, "figure.draws", &rating.draws))
                (figure(view, "figure.losses", &losses))
                (figure(view, "figure.score", &fraction(score)))
                @if let Some(points) = rating.points {
                    (figure(view, "figure.points", &points))
                    (figure(view, "figure.bonus", &fraction(rating.bonus)))
                    (figure(view, "figure.with-bonus", &fraction(Half::whole(points) + rating.bonus)))
                }
            }
            @if chart.len() > 1 {
                figure { figcaption { (view.say("player.history")) } (charts::levels(view, &chart)) }
            }
            @if !steps.is_empty() {
                details { summary { (view.say("player.history")) } (history(view, steps)) }
            }
        }
    }
}

fn figure(view: &View, key: &str, value: &dyn Display) -> Markup {
    html! { div { dt { (view.say(key)) } dd { (display(value)) } } }
}

/// The levels of a player, the latest first.
fn history(view: &View, steps: &[Reached]) -> Markup {
    let caption = view.say("player.history");
    let head = html! {
        th scope="col" { (view.say("figure.date")) }
        th.number scope="col" { (view.say("figure.last")) }
        th.number scope="col" { (view.say("figure.previous")) }
        th.number scope="col" { (view.say("figure.level")) }
        th scope="col" { (view.say("figure.tier")) }
    };
    let body = html! {
        tbody {
            @for Reached { step, record, start } in steps {
                tr {
                    th scope="row" {
                        a href=(view.href(&format!("/records/{}", hex(record)), &[])) {
                            @if let Some(date) = start.date() { (display(date)) } @else { (view.say("figure.undated")) }
                        }
                    }
                    td.number { (step.last) }
                    td.number { (step.previous) }
                    td.number { @if let Some(level) = step.level { (level.value()) } @else { "–" } }
                    td { @if let Some(level) = step.level { (view.word(level.tier().word())) } @else { "–" } }
                }
            }
        }
    };
    captioned_table(caption, &head, &body)
}
