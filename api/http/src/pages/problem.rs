//! The page of a problem, for clients that prefer HTML: in words about pages, with links that lead on. The words of the API
//! are among its technical details.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use maud::{Markup, html};
use quipu_referee::Lang;

use super::{
    check,
    frame::{PLACES, Page, View, search_form},
    tournament::screen,
};
use crate::{
    params,
    problem::{self, Code, Problem, ProblemDocument},
    route::HTML,
};

/// The keys of the title and of the text for the codes that pages are answered with.
const WORDS: &[(&[Code], &str, &str)] = &[
    (
        &[problem::PARAMETER, problem::ID, problem::METHOD, problem::NOT_ACCEPTABLE],
        "problem.address",
        "problem.address.text",
    ),
    (&[problem::CURSOR], "problem.list", "problem.list.text"),
    (&[problem::NOT_FOUND], "problem.missing", "problem.missing.text"),
    (&[problem::BODY, problem::MEDIA, problem::TIMEOUT], "problem.form", "problem.form.text"),
    (&[problem::TOO_LARGE], "problem.large", "problem.large.text"),
    (&[problem::TOKEN, problem::TOKEN_EXPIRED, problem::SCOPE], "problem.closed", "problem.closed.text"),
    (&[problem::UNREADABLE], "problem.no-board", "problem.no-board.text"),
    (&[problem::RATE], "problem.rate", "problem.rate.text"),
    (&[problem::BUSY, problem::SLOW, problem::STOPPING], "problem.busy", "problem.busy.text"),
    (&[problem::INTERNAL, problem::ARCHIVE], "problem.failed", "problem.failed.text"),
    (&[problem::READ_ONLY, problem::FULL], "problem.unwritable", "problem.unwritable.text"),
];

/// Pages that are open in a private service too.
const OPEN: [&str; 1] = ["/rules"];
/// Seconds to wait where the problem names none.
const WAIT: &str = "1";

/// A problem as a page. The page of the checker includes its form.
pub(crate) fn problem_page(problem: Problem, path: &str, query: &str, lang: Lang, request: &str) -> HttpResponse {
    let said = params::value(query, "lang").and_then(|lang| Lang::parse(&lang));
    let view = View::at(path, query, said.unwrap_or(lang));
    let document = problem.document(view.lang, request);
    let own = WORDS.iter().find(|(codes, ..)| codes.iter().any(|code| code.id == document.code));
    let seconds = problem.seconds().unwrap_or_else(|| WAIT.to_owned());
    let (title, text) = match own {
        Some((_, title, text)) => (view.say(title), view.fill(text, &[("seconds", &seconds)])),
        None => (&*document.title, document.detail.clone()),
    };
    let code = problem.code();
    let is_again = [problem::RATE, problem::BUSY, problem::UNREACHABLE, problem::SLOW, problem::STOPPING]
        .iter()
        .any(|one| one.id == code);
    let is_closed = [problem::TOKEN, problem::TOKEN_EXPIRED, problem::SCOPE].iter().any(|one| one.id == code);
    // The sentence of a missing thing names it.
    let detail = (code == problem::NOT_FOUND.id || code == problem::TOO_LARGE.id).then_some(&document.detail);
    let body = html! {
        div data-code=(code) {
            h1 { (title) }
            @if let Some(detail) = detail { p.lead { (detail) } }
            p { (text) }
            @if path == check::PATH && !is_closed { (check::empty_form(&view)) }
            (ways(&view, path, is_again, is_closed))
            (details(&view, &document))
        }
    };
    let scripts = if path == check::PATH { check::SCRIPTS } else { &[] };
    let page = view.write(&Page { scripts, ..Page::new(title, "", body) });
    let mut response = problem.builder(HTML);
    response.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(view.lang.as_str())));
    if screen::is_at(path) {
        response.insert_header(screen::REFRESH);
    }
    response.body(page)
}

/// Links that lead on, and the search. In a private service only some pages are open.
fn ways(view: &View, path: &str, is_again: bool, is_closed: bool) -> Markup {
    let is_near = |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_way = |place: &str| if is_closed { OPEN.contains(&place) } else { is_near(place) || place == "/records" };
    let places = PLACES.iter().filter(|(place, _)| is_way(place));
    html! {
        section aria-labelledby="ways" {
            h2 #ways { (view.say("problem.ways")) }
            ul {
                @if is_again { li { a href=(view.in_language(view.lang)) { (view.say("problem.reload")) } } }
                @if !is_closed { li { a href=(view.href("/", &[])) { (view.say("problem.home")) } } }
                @for (place, key) in places { li { a href=(view.href(place, &[])) { (view.say(key)) } } }
                @if is_closed || path.starts_with("/v1") { li { a href=(view.href("/docs", &[])) { (view.say("frame.api")) } } }
            }
            @if !is_closed {
                (search_form(view, "/records", "start.search", "", &html! {}))
            }
        }
    }
}

/// The same problem in the words of the API.
fn details(view: &View, document: &ProblemDocument) -> Markup {
    let ProblemDocument { title, status, detail, code, right, request_id, .. } = document;
    html! {
        details {
            summary { (view.say("problem.details")) }
            p { (title) ": " (detail) @if let Some(right) = right { " " (right) } }
            dl {
                dt { (view.say("problem.code")) }
                dd { a href=(view.href(&format!("/rules/{code}"), &[])) { code { (code) } } }
                dt { "HTTP" }
                dd { (status) }
                dt { (view.say("problem.request")) }
                dd { code { (request_id) } }
            }
        }
    }
}
