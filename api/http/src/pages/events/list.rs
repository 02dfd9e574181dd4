//! Events in lists.

use maud::{Markup, html};
use serde::Serialize;

use super::data::PATH;
use crate::{
    pages::frame::{Page, View, game_name, joined, list_end, search_form},
    paging::Address,
};
use quipu_archive::store::{self, Event, EventSpan, ReadTx, StoreError};

/// Events, each with its days and games.
pub(crate) fn with_spans(reading: &ReadTx<'_>, events: Vec<Event>) -> Result<Vec<(Event, EventSpan)>, StoreError> {
    let with_span = |event: Event| Ok((reading.event_span(event.number)?, event));
    let spans = events.into_iter().map(with_span);
    spans.map(|found| found.map(|(span, event)| (event, span))).collect()
}

/// The days of an event: one, or the first and the last.
pub(super) fn days(span: &EventSpan) -> Option<Markup> {
    let (first, last) = span.days?;
    let day = |day: chrono::NaiveDate| html! { time datetime=(day.to_string()) { (day.to_string()) } };
    Some(html! { (day(first)) @if first != last { " – " (day(last)) } })
}

/// A list of events with their games, days and numbers of games.
pub(crate) fn events(view: &View, events: &[(Event, EventSpan)]) -> Markup {
    html! {
        ul.names {
            @for (event, span) in events {
                li {
                    a href=(view.href(&format!("{PATH}/{}", event.number), &[])) { (event.name) }
                    " "
                    span.meta {
                        (joined(span.games.iter().map(|game| Some(html! { (game_name(view, game)) })).chain([
                            days(span),
                            Some(html! { (view.fill("events.count", &[("games", &event.games)])) }),
                        ])))
                    }
                }
            }
        }
    }
}

/// A page of the list of all events, or of those whose names a search finds.
pub(super) fn page<N: Serialize>(
    view: &View,
    text: &str,
    page: &store::ListPage<(Event, EventSpan), N>,
    address: &Address,
) -> String {
    let store::ListPage { items, next } = page;
    let title = view.say("events.title");
    let body = html! {
        h1 { (title) }
        p { a href=(view.href("/tournaments", &[])) { (view.say("events.tournaments")) } }
        (search_form(view, PATH, "events.search", text, &html! {}))
        (events(view, items))
        (list_end(view, items.len(), next.as_ref().and_then(|next| address.next_page(next))))
    };
    view.write(&Page::new(title, PATH, body))
}
