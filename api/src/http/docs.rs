//! Pages for people: all routes, and what a code means. They need no script and nothing from elsewhere.

use maud::{DOCTYPE, Markup, html};
use quipu_referee::Lang;

use super::{
    params::{Kind, Param},
    problem::MEDIA_TYPE,
    routes::{Access, Content, ROUTES, Route, Rule},
    words,
};

/// How pages look.
pub(super) const STYLE: &[u8] = include_bytes!("style.css");

fn frame(lang: Lang, title: &str, body: &Markup) -> String {
    let other = if lang == Lang::Es { Lang::En } else { Lang::Es };
    let page = html! {
        (DOCTYPE)
        html lang=(lang.as_str()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · quipu" }
                link rel="stylesheet" href="/docs/style.css";
            }
            body {
                header {
                    a href={ "/docs?lang=" (lang.as_str()) } { "quipu" }
                    " "
                    a href={ "?lang=" (other.as_str()) } hreflang=(other.as_str()) lang=(other.as_str()) {
                        (words::get("docs.language", other))
                    }
                }
                main { (body) }
            }
        }
    };
    page.into_string()
}

/// The page of all routes.
pub(super) fn page(lang: Lang, private: bool) -> String {
    let word = |key: &str| words::get(key, lang);
    let mut groups: Vec<&str> = Vec::new();
    for route in ROUTES {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
    }
    let body = html! {
        h1 { (word("docs.title")) }
        @for paragraph in word("docs.about").split("\n\n") { p { (paragraph) } }
        p { a href="/openapi.json" { "/openapi.json" } " " (word("docs.openapi")) }
        nav aria-label=(word("docs.contents")) {
            @for group in &groups {
                h2 { a href={ "#" (group) } { (word(&format!("group.{group}"))) } }
                ul {
                    @for route in ROUTES.iter().filter(|route| route.group == *group) {
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
            p { a href="/v1/rules" { "/v1/rules" } }
            h2 { (word("docs.lists-title")) }
            p { (word("docs.lists")) }
            h2 { (word("docs.limits-title")) }
            p { (word("docs.limits")) }
        }
        @for group in &groups {
            section {
                h2 id=(group) { (word(&format!("group.{group}"))) }
                @for route in ROUTES.iter().filter(|route| route.group == *group) { (article(route, lang)) }
            }
        }
    };
    frame(lang, word("docs.title"), &body)
}

fn article(route: &Route, lang: Lang) -> Markup {
    let word = |key: &str| words::get(key, lang);
    html! {
        article id=(route.id) {
            h3 { code { (route.method.as_str()) " " (route.path) } }
            p { (word(&format!("route.{}", route.id))) }
            @if let Some(more) = words::find(&format!("route.{}.more", route.id), lang) {
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
                        a href={ "/v1/rules/" (code.id) "?lang=" (lang.as_str()) } {
                            code { (code.status) " " (code.id) }
                        }
                        " "
                    }
                    code { (MEDIA_TYPE) }
                }
            }
            @if !route.params.is_empty() {
                div.wide {
                    table {
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
                }
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
    let word = |key: &str| words::get(key, lang);
    let plain = |key: &str| html! { (word(key)) };
    let value = match param.kind {
        Kind::Id => plain("docs.kind.id"),
        Kind::Number(min) => html! { (word("docs.kind.number")) " " (min) },
        Kind::Between(min, max) => html! { (min) "–" (max) },
        Kind::Limit => html! { "1–" (super::params::MAX_LIMIT) " (" (super::params::DEFAULT_LIMIT) ")" },
        Kind::Cursor => plain("docs.kind.cursor"),
        Kind::Text(max) | Kind::Key(max) => html! { (word("docs.kind.text")) " " (max) },
        Kind::Date => plain("docs.kind.date"),
        Kind::Choice(values) | Kind::Choices(values) => html! { @for value in values() { code { (value) } " " } },
    };
    html! {
        tr {
            td { code { (param.name) } @if param.required { " " (word("docs.required")) } }
            td { (word(&format!("docs.place.{}", param.place.as_str()))) }
            td { (value) }
            td { (words::param(route, param, lang).unwrap_or_default()) }
        }
    }
}

/// The page of a code.
pub(super) fn rule(rule: &Rule, lang: Lang) -> String {
    let word = |key: &str| words::get(key, lang);
    let body = html! {
        h1 { code { (rule.code) } }
        p { strong { (rule.title) } }
        dl {
            dt { (word("docs.severity")) }
            dd { (word(&format!("docs.severity.{}", rule.severity))) }
            dt { (word("docs.source")) }
            dd { (word(&format!("docs.source.{}", rule.source))) " " (rule.article.unwrap_or_default()) }
            @if let Some(status) = rule.status { dt { "HTTP" } dd { code { (status) } } }
        }
        @if let Some(law) = &rule.law {
            h2 { (word("docs.law")) }
            p lang="es" { (law.es) }
            p lang="en" { (law.en) }
        }
        h2 { (word("docs.right")) }
        p { (rule.right) }
        @if let Some(example) = &rule.example {
            h2 { (word("docs.example")) }
            @for text in [&example.record, &example.position, &example.token].into_iter().flatten() { pre { (text) } }
            h2 { (word("docs.corrected")) }
            pre { (example.right) }
        }
    };
    frame(lang, rule.code, &body)
}
