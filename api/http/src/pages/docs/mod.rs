//! The pages `/docs`: an introduction to the API, and a page for each group of its routes. All of it is read from the table of
//! routes and the OpenAPI document.

use maud::{Markup, html};

use super::frame::{Page, View, page_response};
use crate::{
    endpoint::Endpoint,
    messages,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Route},
    routes::shared::{LANG, NAME, PAGE},
};

mod curl;
mod operation;
mod text;
mod types;

use text::{marked, paragraphs};

const GROUP: Param = Param::path("group", Kind::Text(NAME));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route { path: PATH, id: "docs", access: Access::Open, ..PAGE },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/docs/{group}",
            id: "docs-group",
            access: Access::Open,
            params: &[GROUP, LANG],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(group(context)),
    },
];

const PATH: &str = "/docs";

async fn index(context: RequestContext) -> HandlerResult {
    let private = context.settings().private;
    let page = introduction(&View::of(&context), &context.service.api, private);
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("docs-{private}")))
}

async fn group(context: RequestContext) -> HandlerResult {
    let asked = context.text("group").unwrap_or_default();
    let routes: Vec<_> = context.service.api.iter().copied().filter(|route| route.group == asked).collect();
    let Some(group) = routes.first().map(|route| route.group) else {
        return Err(Problem::variant(problem::NOT_FOUND, "path").with_quoted("found", &context.path));
    };
    let view = View::of(&context);
    let schemas = types::Schemas::of(context.service.openapi(context.lang), &routes);
    let title = messages::get(&format!("group.{group}"), view.lang);
    let body = html! {
        p { a href=(view.href(PATH, &[])) { (messages::get("docs.title", view.lang)) } }
        h1 { (title) }
        p { (marked(messages::get("docs.examples", view.lang))) }
        nav.contents aria-label=(messages::get("docs.contents", view.lang)) {
            (list(&routes, |route| format!("#{}", route.id)))
        }
        @for route in &routes { (operation::article(&view, route, &schemas)) }
        (schemas.all(&view))
    };
    let about = view.about(view.fill("about.docs-group", &[("group", &title)]));
    let page = view.write(&Page { about: Some(about), ..Page::new(title, PATH, body) });
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("docs-{group}")))
}

/// The page that introduces the API, with links to all its routes.
fn introduction(view: &View, routes: &[&Route], private: bool) -> String {
    let word = |key: &str| messages::get(key, view.lang);
    let mut groups: Vec<&str> = Vec::new();
    for route in routes {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
    }
    let of = |group: &str| routes.iter().copied().filter(|route| route.group == group).collect::<Vec<_>>();
    let subject = |title: &str, text: &str| html! { h2 { (word(title)) } p { (marked(word(text))) } };
    let body = html! {
        h1 { (word("docs.title")) }
        (paragraphs(word("docs.about")))
        p { a href="/openapi.json" { "/openapi.json" } " " (word("docs.openapi")) }
        nav.contents aria-label=(word("docs.contents")) {
            @for group in groups {
                @let address = view.href(&format!("{PATH}/{group}"), &[]);
                h2 { a href=(address) { (word(&format!("group.{group}"))) } }
                (list(&of(group), |route| format!("{address}#{}", route.id)))
            }
        }
        (subject("docs.token-title", "docs.token"))
        @if private { p { (word("docs.private")) } }
        (subject("docs.problems-title", "docs.problems"))
        p { a href=(view.href("/rules", &[])) { (view.say("rules.title")) } }
        (subject("docs.lists-title", "docs.lists"))
        (subject("docs.limits-title", "docs.limits"))
    };
    let about = view.about(view.say("about.docs"));
    view.write(&Page { about: Some(about), ..Page::new(word("docs.title"), PATH, body) })
}

/// Links to routes.
fn list(routes: &[&Route], address: impl Fn(&Route) -> String) -> Markup {
    html! {
        ul { @for route in routes { li { a href=(address(route)) { code { (route.method.as_str()) " " (route.path) } } } } }
    }
}
