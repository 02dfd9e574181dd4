//! The rules: the list of all codes, and each code with its law, its correction and an example.

use actix_web::HttpResponse;
use maud::{Markup, html};
use quipu_referee::{Code, Severity, advice, codes, competition, games, messages::catalog, record};

use super::{
    boards,
    frame::{Page, View, page_response, scrolled},
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, CODES, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Route},
    routes::shared::{LANG, NAME, PAGE},
    rule::Rule,
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route { path: "/rules", id: "page-rules", access: Access::Open, ..PAGE },
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

const PATH: &str = "/rules";

async fn index(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let title = view.say("rules.title");
    let body = html! {
        h1 { (title) }
        p.lead { (view.say("rules.lead")) }
        nav.tabs aria-label=(view.say("rules.choice")) {
            ul {
                li { a href="#record" { (view.say("rules.record")) } }
                li { a href="#advice" { (view.say("rules.advice")) } }
                li { a href="#sheets" { (view.say("rules.sheets")) } }
                @for game in games::ALL {
                    li { a href={ "#" (game.notation().id) } { (view.word(game.name())) } }
                }
                li { a href="#api" { (view.say("rules.service")) } }
            }
        }
        (of_referee(&view, "record", view.say("rules.record"), record::CODES))
        (of_referee(&view, "advice", view.say("rules.advice"), advice::CODES))
        (of_referee(&view, "sheets", view.say("rules.sheets"), competition::CODES))
        @for game in games::ALL { (of_referee(&view, game.notation().id, view.word(game.name()), game.codes())) }
        (of_service(&view))
    };
    let page = view.write(&Page::new(title, PATH, body));
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("rules")))
}

/// The codes of one game, or of all records.
fn of_referee(view: &View, id: &str, name: &str, codes: &'static [Code]) -> Markup {
    let rows = html! {
        @for code in codes {
            tr {
                th scope="row" { (link(view, code.id)) }
                td { @if let Some(words) = catalog().code(code) { (words.title.get(view.lang)) } }
                td { (catalog().source(code, view.lang)) }
                td { (severity(view, code.severity)) }
            }
        }
    };
    table(view, id, name, &rows)
}

fn of_service(view: &View) -> Markup {
    let rows = html! {
        @for code in CODES {
            tr {
                th scope="row" { (link(view, code.id)) }
                td { @if let Some(words) = crate::messages::code(code.id) { (words.title.get(view.lang)) } }
                td { "HTTP " (code.status) }
                td { (severity(view, Severity::Error)) }
            }
        }
    };
    table(view, "api", view.say("rules.service"), &rows)
}

fn table(view: &View, id: &str, name: &str, rows: &Markup) -> Markup {
    let table = html! {
        table {
            caption { (view.fill("rules.codes-of", &[("name", &name)])) }
            thead {
                tr {
                    th scope="col" { (view.say("rules.code")) }
                    th scope="col" { (view.say("rules.meaning")) }
                    th scope="col" { (view.say("rules.source")) }
                    th scope="col" { (view.say("rules.severity")) }
                }
            }
            tbody { (rows) }
        }
    };
    html! { section { h2 id=(id) { (name) } (scrolled(name, &table)) } }
}

/// A code as a link to its page.
pub(super) fn link(view: &View, code: &str) -> Markup {
    html! { a href=(view.href(&format!("{PATH}/{code}"), &[])) { code { (code) } } }
}

fn severity(view: &View, severity: Severity) -> &'static str {
    view.word(severity.word())
}

async fn show(context: RequestContext) -> HandlerResult {
    let id = context.text("code").unwrap_or_default();
    let Some(rule) = Rule::find(id, context.lang) else {
        return Err(Problem::variant(problem::NOT_FOUND, "code").with_quoted("found", id));
    };
    let page = page(&View::of(&context), &rule);
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("{id}")))
}

/// The page of a code, for the route of the API that offers HTML too.
pub(crate) fn rule_page(context: &RequestContext, rule: &Rule) -> HttpResponse {
    page_response(context, page(&View::of(context), rule))
}

/// The page of a code.
fn page(view: &View, rule: &Rule) -> String {
    let code = codes::find(rule.code);
    let body = html! {
        p { a href=(view.href(PATH, &[])) { (view.say("rules.title")) } }
        h1 { code { (rule.code) } " " (rule.title) }
        dl {
            dt { (view.say("rules.severity")) }
            dd { (severity(view, code.map_or(Severity::Error, |code| code.severity))) }
            dt { (view.say("rules.source")) }
            dd { @if let Some(code) = code { (catalog().source(code, view.lang)) } @else { (view.say("rules.service")) } }
            @if let Some(status) = rule.status { dt { "HTTP" } dd { (status) } }
        }
        @if let Some(law) = &rule.law {
            h2 { (view.say("rules.law")) }
            blockquote lang="es" { p { (law.es) } }
            blockquote lang="en" { p { (law.en) } }
        }
        h2 { (view.say("rules.right")) }
        p { (rule.right) }
        @if rule.example.is_some() { (example(view, rule)) }
    };
    view.write(&Page::new(format!("{} {}", rule.code, rule.title), PATH, body))
}

/// The example of a code, with its board if it has one, and the correction.
fn example(view: &View, rule: &Rule) -> Markup {
    let Some(example) = &rule.example else { return html! {} };
    let game = rule.code.split('.').next().and_then(games::find);
    html! {
        h2 { (view.say("rules.example")) }
        @if let Some((game, position)) = game.zip(example.position.as_deref()) {
            (boards::position(view, game, None, position, view.say("rules.board")))
        }
        @if let Some(position) = &example.position { p { (view.say("rules.position")) } pre { (position) } }
        @if let Some(text) = example.token.as_ref().or(example.record.as_ref()) {
            p { (view.say("rules.wrong")) }
            pre { (text) }
        }
        p { (view.say("rules.corrected")) }
        pre { (example.right) }
    }
}
