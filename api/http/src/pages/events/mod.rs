//! Events: the list, and one event with its standings, crosstable, encounters or results.

use actix_web::http::header::{self, HeaderValue};
use maud::{Markup, html};

use self::{
    choice::{EventChoice, EventTable, views},
    data::{EventData, PATH},
};
use super::frame::{LISTED, Page, View, game_name, joined, page_response, page_response_at};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult},
    request::RequestContext,
    respond::CachePolicy,
    route::{CSV, Content, Response, Route},
    routes::{
        enum_values::tie_breaks,
        events::{ROUND, no_event, no_round},
        shared::{CURSOR, GAME, LANG, NAME, NUMBER, PAGE, SEARCH_FIELD, TIE_BREAKS},
    },
};
use quipu_archive::store::{ListPage, NameFilter, ReadTx};

mod choice;
mod crosstable;
mod data;
mod encounters;
pub(super) mod list;
mod related;
mod results;
mod standings;

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/events",
            id: "page-events",
            params: &[SEARCH_FIELD, CURSOR, LANG],
            problems: &[problem::CURSOR],
            ..PAGE
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/events/{number}",
            id: "page-event",
            params: &[
                NUMBER,
                Param::query("view", Kind::Choice(views)),
                Param::field("round", Kind::Text(NAME)),
                Param::field("tie_breaks", Kind::Choices(tie_breaks)),
                LANG,
            ],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/events/{number}/standings.csv",
            id: "standings-csv",
            params: &[NUMBER, GAME, TIE_BREAKS, ROUND, LANG],
            responses: &[Response::ok(&[Content::text(CSV)])],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(file(context)),
    },
];

async fn index(context: RequestContext) -> HandlerResult {
    let (text, after) = (context.text("q").unwrap_or_default().to_owned(), context.cursor()?);
    let (search, address, view) = (NameFilter::new(&text), context.own_address(), View::of(&context));
    let ask = move |reading: &ReadTx<'_>| {
        let page = match &search {
            Some(search) => reading.events_named(search, after, LISTED)?,
            None => Some(reading.events(after, LISTED)?),
        };
        let Some(ListPage { items, next }) = page else { return Ok(None) };
        Ok(Some(ListPage { items: list::with_spans(reading, items)?, next }))
    };
    let write = move |page: Option<_>| Ok(page.map(|page| list::page(&view, &text, &page, &address)));
    let page = context.read_then(ask, write).await?.ok_or_else(|| context.invalid_cursor())?;
    Ok(context.cacheable(page_response(&context, page)))
}

async fn show(context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let (last, event) = context.read(|reading| Ok((reading.last_change()?, reading.event(number)?)))?;
    if event.is_none() {
        return Err(no_event(number));
    }
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{last}")) {
        return Ok(response);
    }
    let (view, choice) = (View::of(&context), EventChoice::of(&context));
    let round = choice.round.clone();
    // Counting the games of a large event takes a while.
    let ask = move |reading: &ReadTx<'_>| {
        let Some(event) = reading.event(number)? else { return Ok(Err(no_event(number))) };
        let data = EventData::of(reading, event, choice)?;
        Ok(data.ok_or_else(|| no_round(number, round.as_deref())))
    };
    let write = move |data: Result<EventData, _>| {
        let data = data?;
        let about = Some(data.about(&view));
        let page = Page { about, ..Page::new(data.event.name.clone(), PATH, body(&data, &view)) };
        Ok((data.last, view.write(&page)))
    };
    let (last, page) = context.read_then(ask, write).await?;
    Ok(page_response_at(&context, last, page))
}

/// The standings as a download.
async fn file(context: RequestContext) -> HandlerResult {
    let name = format!("attachment; filename=\"standings-{}.csv\"", context.path_number("number"));
    let mut response = crate::routes::events::standings(context).await?;
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

fn body(data: &EventData, view: &View) -> Markup {
    let EventData { choice, tables, .. } = data;
    let orders: Vec<_> = tables.iter().map(|table| table.order.clone()).collect();
    let counts_points = tables.iter().flat_map(|table| &table.rows).any(|row| row.tally.is_some());
    html! {
        h1 { (data.event.name) }
        (counts(data, view))
        (choice.tabs(view, &data.path()))
        (choice.form(view, &data.path(), &data.rounds, &orders, counts_points))
        @match choice.table {
            EventTable::Standings => { @for table in tables { (standings::standings(data, view, table)) } }
            EventTable::Crosstable => { @for table in tables { (crosstable::crosstable(data, view, table)) } }
            EventTable::Encounters => (encounters::encounters(data, view)),
            EventTable::Results => (results::results(data, view)),
        }
        @if data.games.is_empty() { p { (view.say("event.nothing")) } }
        @for names in &data.alike {
            p.note { (view.fill("event.alike", &[("names", &names.join("; "))])) }
        }
        (related::contradictions(data, view))
        (related::sheets(data, view))
    }
}

/// The days, the games that count, and the records, with those that do not count.
fn counts(data: &EventData, view: &View) -> Markup {
    let (number, records) = (data.event.number.to_string(), data.event.records);
    let uncounted = records.saturating_sub(data.event.games);
    let games = data.games.iter().map(|(game, games)| {
        Some(html! { (view.fill("event.games", &[("game", &game_name(view, game)), ("games", games)])) })
    });
    let all = html! {
        a href=(view.href("/records", &[("event", &number)])) { (view.fill("event.records", &[("records", &records)])) }
        @if uncounted > 0 { " " (view.fill("event.uncounted", &[("records", &uncounted)])) }
    };
    html! { p { (joined([list::days(&data.span)].into_iter().chain(games).chain([Some(all)]))) } }
}
