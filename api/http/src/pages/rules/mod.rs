//! The rules: the games, the rules of each for people, and all codes, each with its law, its correction and an example.

use actix_web::HttpResponse;
use maud::{Markup, PreEscaped, html};
use quipu_referee::games;

use super::{
    boards,
    frame::{Page, View, page_response},
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Route},
    routes::shared::{LANG, NAME, PAGE, SEARCH_FIELD},
    rule::Rule,
};

mod articles;
mod code;
mod codes;
mod figure;
mod guide;
mod links;
mod markdown;

use links::PATH;
pub(super) use links::{link, page_of};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route { path: "/rules", id: "page-rules", access: Access::Open, params: &[SEARCH_FIELD, LANG], ..PAGE },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/rules/{code}",
            id: "page-rule",
            access: Access::Open,
            params: &[Param::path("code", Kind::Text(NAME)), LANG],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(show(context)),
    },
];

/// The games and all codes, or the codes that a search finds.
async fn index(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let title = view.say("rules.title");
    let sought = context.text("q");
    let body = html! {
        h1 { (title) }
        @if sought.is_none() {
            p.lead { (view.say("rules.lead")) }
            (games(&view))
        }
        (codes::all(&view, sought.unwrap_or_default()))
    };
    let page = view.write(&Page::new(title, PATH, body));
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("rules")))
}

/// The games, each with its board and in a few words.
fn games(view: &View) -> Markup {
    html! {
        ul.games {
            @for game in games::ALL {
                @let address = page_of(view, game.notation().id);
                li {
                    (boards::start(view, *game))
                    h2 { a href=(address) { (view.word(game.name())) } }
                    (PreEscaped(guide::text(view, *game).summary()))
                    p.ways { a href=(address) { (view.say("rules.read")) } }
                }
            }
        }
    }
}

/// The rules of a game, or a code. No code is named as a game is: each has a dot.
async fn show(context: RequestContext) -> HandlerResult {
    let (id, view) = (context.text("code").unwrap_or_default(), View::of(&context));
    let page = match games::find(id) {
        Some(game) => guide::page(&view, game),
        None => match Rule::find(id, context.lang) {
            Some(rule) => code::page(&view, &rule),
            None => return Err(Problem::variant(problem::NOT_FOUND, "code").with_quoted("found", id)),
        },
    };
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("{id}")))
}

/// The page of a code, for the route of the API that offers HTML too.
pub(crate) fn rule_page(context: &RequestContext, rule: &Rule) -> HttpResponse {
    page_response(context, code::page(&View::of(context), rule))
}
