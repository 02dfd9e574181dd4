//! One operation: its request, its responses and an example.

use maud::{Markup, html};
use quipu_referee::Lang;
use serde_json::Value;

use super::{
    curl,
    text::{marked, paragraphs},
    types::Schemas,
};
use crate::{
    messages,
    openapi::{examples::example, param_words},
    pages::{
        frame::{View, scrollable_table},
        rules,
    },
    params::{DEFAULT_LIMIT, Kind, MAX_LIMIT, Param},
    route::{Access, Content, Route},
};

pub(super) fn article(view: &View, route: &Route, schemas: &Schemas<'_>) -> Markup {
    let lang = view.lang;
    let word = |key: &str| messages::get(key, lang);
    let example = example(route.id, lang);
    html! {
        article id=(route.id) {
            h2 { code { (route.method.as_str()) " " (route.path) } }
            (paragraphs(word(&format!("route.{}", route.id))))
            @if let Some(more) = messages::find(&format!("route.{}.more", route.id), lang) { (paragraphs(more)) }
            @if let Some(example) = example { pre { (curl::command(route, example)) } }
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
                    dd { (contents(schemas, route, None, route.body)) }
                }
                dt { (word("docs.answers")) }
                @for response in route.responses {
                    dd { code { (response.status) } " " (contents(schemas, route, Some(response.status), response.content)) }
                }
            }
            @if !route.params.is_empty() {
                (scrollable_table(&format!("{}: {} {}", view.say("docs.parameters"), route.method.as_str(), route.path), &html! {
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
            @for (status, answers) in example.iter().flat_map(|example| &example.answers) {
                @for (media, response) in answers {
                    details {
                        summary { (word("docs.example")) ": " code { (status) " " (media) } }
                        pre { (shown(response)) }
                    }
                }
            }
            details {
                summary { (word("docs.errors")) }
                ul { @for code in route.problems() { li { (code.status) " " (rules::link(view, code.id)) } } }
            }
        }
    }
}

/// Media types, each with its type if it is JSON. `status` is that of the response; none for the body of the request.
fn contents(schemas: &Schemas<'_>, route: &Route, status: Option<u16>, content: &[Content]) -> Markup {
    html! {
        @for (place, content) in content.iter().enumerate() {
            @if place > 0 { ", " }
            code { (content.media) }
            @if let Some(shape) = schemas.shape(route, status, content.media) { " (" (shape) ")" }
        }
    }
}

/// An example as text.
fn shown(example: &Value) -> String {
    match example {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}

fn row(route: &Route, param: &Param, lang: Lang) -> Markup {
    let word = |key: &str| messages::get(key, lang);
    let plain = |key: &str| html! { (word(key)) };
    let value = match param.kind {
        Kind::Id => plain("docs.kind.id"),
        Kind::Ids(max) => html! { (word("docs.kind.ids")) " " (max) },
        Kind::EventId => html! { (word("docs.kind.number")) " 0" },
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
            td { (marked(param_words(route, param, lang).unwrap_or_default())) }
        }
    }
}
