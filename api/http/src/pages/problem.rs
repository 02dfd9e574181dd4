//! The page of a problem, for clients that prefer HTML.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use maud::html;
use quipu_referee::Lang;

use super::{
    check,
    frame::{Page, View},
};
use crate::{
    params,
    problem::{Document, Problem},
    route::HTML,
};

/// A problem as a page. The page of the checker includes its form.
pub(crate) fn problem_page(problem: Problem, path: &str, query: &str, lang: Lang, request: &str) -> HttpResponse {
    let said = params::value(query, "lang").and_then(|lang| Lang::parse(&lang));
    let view = View::at(path, query, said.unwrap_or(lang));
    let Document { title, status, detail, code, right, instance, .. } = &problem.document(view.lang, request);
    let body = html! {
        div data-code=(code) {
            h1 { (title) }
            p.lead { (detail) }
            @if let Some(right) = right { p { (right) } }
            dl {
                dt { (view.say("problem.code")) }
                dd { a href=(view.href(&format!("/rules/{code}"), &[])) { code { (code) } } }
                dt { "HTTP" }
                dd { (status) }
                dt { (view.say("problem.request")) }
                dd { code { (instance) } }
            }
            @if path == check::PATH { (check::form(&view, "")) }
        }
    };
    let scripts = if path == check::PATH { check::SCRIPTS } else { &[] };
    let page = view.write(&Page { scripts, ..Page::new(title, "", body) });
    let mut answer = problem.builder(HTML);
    answer.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(view.lang.as_str())));
    answer.body(page)
}
