//! Rankings: the top players of every game, or all players of one.

use maud::{Markup, html};
use quipu_notation::games::{self, GAMES, GameNotation};
use quipu_referee::competition::Half;
use serde::Serialize;

use super::{
    about::About,
    boards,
    frame::{
        LISTED, Page, View, captioned_table, empty_list, fraction, game_name, list_end, page_response, page_response_at,
    },
    players,
};
use crate::{
    endpoint::Endpoint,
    paging::Address,
    params::{Kind, Param},
    problem::{self, HandlerResult},
    request::RequestContext,
    route::Route,
    routes::{
        enum_values::game_ids,
        shared::{CURSOR, LANG, PAGE},
    },
};
use quipu_archive::store::{self, Ranked, ReadTx};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/rankings",
        id: "page-rankings",
        params: &[Param::field("game", Kind::Choice(game_ids)), CURSOR, LANG],
        problems: &[problem::CURSOR],
        ..PAGE
    },
    handler: |context| Box::pin(index(context)),
}];

const PATH: &str = "/rankings";
/// Players per game on the page of all games.
const FIRST: usize = 10;

async fn index(context: RequestContext) -> HandlerResult {
    match context.text("game").and_then(games::find) {
        Some(game) => of_game(&context, game).await,
        None => of_all(&context).await,
    }
}

async fn of_game(context: &RequestContext, game: &'static GameNotation) -> HandlerResult {
    let (after, address, view) = (context.cursor()?, context.own_address(), View::of(context));
    let ask = move |reading: &ReadTx<'_>| reading.ranking(game, after, LISTED);
    let write = move |page: Option<_>| Ok(page.map(|page| game_page(&view, game, &page, &address)));
    let page = context.read_then(ask, write).await?.ok_or_else(|| context.invalid_cursor())?;
    Ok(context.cacheable(page_response(context, page)))
}

fn game_page<N: Serialize>(
    view: &View,
    game: &'static GameNotation,
    page: &store::ListPage<Ranked, N>,
    address: &Address,
) -> String {
    let store::ListPage { items, next } = page;
    let title = view.fill("rankings.of", &[("game", &game_name(view, game))]);
    let body = html! {
        h1 { (title) }
        (choice(view, Some(game)))
        p { a href=(view.href("/ratings", &[("game", game.id)])) { (view.say("rankings.ratings")) } }
        @if !items.is_empty() { (table(view, &title, items)) }
        (list_end(view, items.len(), next.as_ref().and_then(|next| address.next_page(next))))
        p.note { (view.say("rankings.order")) }
    };
    let about = About {
        description: view.fill("about.ranking", &[("game", &game_name(view, game))]),
        address: view.href(PATH, &[("game", game.id)]),
        picture: quipu_referee::games::find(game.id).and_then(|game| boards::start_for_sharing(view, game)),
    };
    view.write(&Page { about: Some(about), ..Page::new(title, PATH, body) })
}

async fn of_all(context: &RequestContext) -> HandlerResult {
    if context.text("cursor").is_some() {
        // A cursor belongs to the list of one game.
        return Err(context.invalid_cursor());
    }
    let ask = |reading: &ReadTx<'_>| {
        let mut all = Vec::new();
        for game in GAMES {
            let first = reading.ranking(game, None, FIRST)?;
            all.push((*game, first.map_or(Vec::new(), |page| page.items)));
        }
        Ok((reading.last_change()?, all))
    };
    let view = View::of(context);
    let write = move |(last, all): (_, Vec<_>)| Ok((last, page_of_all(&view, &all)));
    let (last, page) = context.read_then(ask, write).await?;
    Ok(page_response_at(context, last, page))
}

fn page_of_all(view: &View, all: &[(&'static GameNotation, Vec<Ranked>)]) -> String {
    let title = view.say("rankings.title");
    let body = html! {
        h1 { (title) }
        (choice(view, None))
        p { a href=(view.href("/ratings", &[])) { (view.say("rankings.ratings")) } }
        @for (game, items) in all {
            section {
                h2 id=(game.id) { (game_name(view, game)) }
                @if items.is_empty() { (empty_list(view)) }
                @else { (table(view, game_name(view, game), items)) }
                @if items.len() == FIRST {
                    p { a href=(view.href(PATH, &[("game", game.id)])) {
                        (view.fill("rankings.whole", &[("game", &game_name(view, game))]))
                    } }
                }
            }
        }
        p.note { (view.say("rankings.order")) }
    };
    view.write(&Page::new(title, PATH, body))
}

/// Links to the ranking of each game.
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

fn table(view: &View, caption: &str, items: &[Ranked]) -> Markup {
    let counts_points = items.iter().any(|ranked| ranked.rating.points.is_some());
    let head = html! {
        th.number scope="col" { (view.say("figure.place")) }
        th scope="col" { (view.say("figure.player")) }
        @if counts_points {
            th.number scope="col" { (view.say("figure.level")) }
            th scope="col" { (view.say("figure.tier")) }
            th.number scope="col" { (view.say("figure.with-bonus")) }
            th.number scope="col" { (view.say("figure.points")) }
        }
        th.number scope="col" { (view.say("figure.score")) }
        th.number scope="col" { (view.say("figure.games")) }
        th.number scope="col" { (view.say("figure.wins")) }
        th.number scope="col" { (view.say("figure.draws")) }
        th.number scope="col" { (view.say("figure.losses")) }
    };
    let body = html! {
        tbody { @for ranked in items { (row(view, ranked, counts_points)) } }
    };
    captioned_table(caption, &head, &body)
}

fn row(view: &View, Ranked { position, player, rating, .. }: &Ranked, counts_points: bool) -> Markup {
    html! {
        tr {
            td.number { (position) }
            th scope="row" { (players::name(view, player.0, &player.1)) }
            @if counts_points {
                td.number { @if let Some(level) = rating.level { (level.value()) } @else { "–" } }
                td { @if let Some(level) = rating.level { (view.word(level.tier().word())) } @else { "–" } }
                td.number { @if let Some(points) = rating.points { (fraction(Half::whole(points) + rating.bonus)) } @else { "–" } }
                td.number { @if let Some(points) = rating.points { (points) } @else { "–" } }
            }
            td.number { (fraction(Half::half_of(2 * rating.wins + rating.draws))) }
            td.number { (rating.games) }
            td.number { (rating.wins) }
            td.number { (rating.draws) }
            td.number { (rating.games - rating.wins - rating.draws) }
        }
    }
}
