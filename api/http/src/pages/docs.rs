//! The page `/docs`: all routes, read from the table.

use maud::{Markup, html};
use quipu_referee::Lang;

use super::{
    frame::{Page, View, page_response, scrolled},
    rules,
};
use crate::{
    endpoint::Endpoint,
    messages,
    openapi::param_words,
    params::{DEFAULT_LIMIT, Kind, MAX_LIMIT, Param},
    problem::{HandlerResult, MEDIA_TYPE},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Content, Route},
    routes::shared::PAGE,
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route { path: "/docs", id: "docs", group: "service", access: Access::Open, ..PAGE },
    handler: |context| Box::pin(show(context)),
}];

async fn show(context: RequestContext) -> HandlerResult {
    let private = context.settings().private;
    let page = page(&View::of(&context), &context.service.routes, private);
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("docs-{private}")))
}

/// The page of all routes.
fn page(view: &View, routes: &[&Route], private: bool) -> String {
    let lang = view.lang;
    let word = |key: &str| messages::get(key, lang);
    let mut groups: Vec<&str> = Vec::new();
    for route in routes {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
    }
    let body = html! {
        h1 { (word("docs.title")) }
        @for paragraph in word("docs.about").split("\n\n") { p { (paragraph) } }
        p { a href="/openapi.json" { "/openapi.json" } " " (word("docs.openapi")) }
        nav.contents aria-label=(word("docs.contents")) {
            @for group in &groups {
                h2 { a href={ "#group-" (group) } { (word(&format!("group.{group}"))) } }
                ul {
                    @for route in routes.iter().filter(|route| route.group == *group) {
                        li { a href={ "#" (route.id) } { code { (route.method.as_str()) " " (route.path) } } }
                    }
                }
            }
        }
        section {
            h2 { (word("docs.token-title")) }
            p { (word("docs.token")) }
            @if private { p { (word("docs.private")) } }
            h2 { (word("docs.problems-title")) }
            p { (word("docs.problems")) }
            p { a href=(view.href("/rules", &[])) { (view.say("rules.title")) } }
            h2 { (word("docs.lists-title")) }
            p { (word("docs.lists")) }
            h2 { (word("docs.limits-title")) }
            p { (word("docs.limits")) }
        }
        @for group in &groups {
            section {
                h2 id={ "group-" (group) } { (word(&format!("group.{group}"))) }
                @for route in routes.iter().filter(|route| route.group == *group) { (article(view, route)) }
            }
        }
    };
    view.write(&Page::new(word("docs.title"), "/docs", body))
}

fn article(view: &View, route: &Route) -> Markup {
    let lang = view.lang;
    let word = |key: &str| messages::get(key, lang);
    html! {
        article id=(route.id) {
            h3 { code { (route.method.as_str()) " " (route.path) } }
            p { (word(&format!("route.{}", route.id))) }
            @if let Some(more) = messages::find(&format!("route.{}.more", route.id), lang) {
                @for paragraph in more.split("\n\n") { p { (paragraph) } }
            }
            dl {
                dt { (word("docs.access")) }
                dd {
                    @match route.access {
                        Access::Open => (word("docs.access.open")),
                        Access::Read => (word("docs.access.read")),
                        Access::Scope(scope) => { (word("docs.access.scope")) " " code { (scope.as_str()) } },
                    }
                }
                @if !route.body.is_empty() {
                    dt { (word("docs.body")) }
                    dd { (media(route.body)) }
                }
                dt { (word("docs.answers")) }
                @for answer in route.answers { dd { code { (answer.status) } " " (media(answer.content)) } }
                dt { (word("docs.errors")) }
                dd {
                    @for code in route.problems() {
                        (code.status) " " (rules::link(view, code.id)) " "
                    }
                    code { (MEDIA_TYPE) }
                }
            }
            @if !route.params.is_empty() {
                (scrolled(&format!("{}: {} {}", view.say("docs.parameters"), route.method.as_str(), route.path), &html! {
                    table {
                        caption { (view.say("docs.parameters")) }
                        thead {
                            tr {
                                th scope="col" { (word("docs.parameter")) }
                                th scope="col" { (word("docs.place")) }
                                th scope="col" { (word("docs.value")) }
                                th scope="col" { (word("docs.meaning")) }
                            }
                        }
                        tbody { @for param in route.params { (row(route, param, lang)) } }
                    }
                }))
            }
        }
    }
}

fn media(content: &[Content]) -> Markup {
    html! {
        @for (place, content) in content.iter().enumerate() {
            @if place > 0 { ", " }
            code { (content.media) }
        }
    }
}

fn row(route: &Route, param: &Param, lang: Lang) -> Markup {
    let word = |key: &str| messages::get(key, lang);
    let plain = |key: &str| html! { (word(key)) };
    let value = match param.kind {
        Kind::Id => plain("docs.kind.id"),
        Kind::Number(min) => html! { (word("docs.kind.number")) " " (min) },
        Kind::Between(min, max) => html! { (min) "–" (max) },
        Kind::Limit => html! { "1–" (MAX_LIMIT) " (" (DEFAULT_LIMIT) ")" },
        Kind::Cursor => plain("docs.kind.cursor"),
        Kind::Text(max) | Kind::Key(max) => html! { (word("docs.kind.text")) " " (max) },
        Kind::Date => plain("docs.kind.date"),
        Kind::Choice(values) | Kind::Choices(values) => html! { @for value in values() { code { (value) } " " } },
    };
    html! {
        tr {
            th scope="row" { code { (param.name) } @if param.required { " " (word("docs.required")) } }
            td { (word(&format!("docs.place.{}", param.location.as_str()))) }
            td { (value) }
            td { (param_words(route, param, lang).unwrap_or_default()) }
        }
    }
}
