//! The home page: an introduction, recent records and events, and the games.

use maud::html;
use quipu_referee::{Status, games};

use super::{
    about::About,
    boards, events,
    frame::{Page, View, page_response_at, search_form},
    records, rules,
};
use crate::{endpoint::Endpoint, problem::HandlerResult, request::RequestContext, route::Route, routes::shared::PAGE};
use quipu_archive::{
    model::{Card, Number, RecordState},
    store::{Event, EventSpan, Filter, ReadTx, Total},
};

pub(crate) const ROUTES: &[Endpoint] =
    &[Endpoint { route: Route { path: "/", id: "page-start", ..PAGE }, handler: |context| Box::pin(show(context)) }];

/// Recent records shown.
const NEW: usize = 10;
/// Recent events shown.
const EVENTS: usize = 5;

async fn show(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let ask = |reading: &ReadTx<'_>| {
        // Only verified games are shown first; the list of records has all.
        let current =
            Filter { states: vec![RecordState::Current], statuses: vec![Status::Verified], ..Filter::default() };
        let new = reading.cards(&current, None, NEW)?.items;
        let events = events::list::with_spans(reading, reading.events(None, EVENTS)?.items)?;
        Ok(HomeData { last: reading.last_change()?, totals: reading.totals()?, new, events })
    };
    let (last, page) = context.read_then(ask, move |shown| Ok((shown.last, shown.page(&view)))).await?;
    Ok(page_response_at(&context, last, page))
}

struct HomeData {
    last: Number,
    totals: Vec<Total>,
    new: Vec<Card>,
    events: Vec<(Event, EventSpan)>,
}

impl HomeData {
    fn page(&self, view: &View) -> String {
        let Self { totals, new, events, .. } = self;
        let body = html! {
            div.start {
                div {
                    h1 { "quipu" }
                    p.lead { (view.say("start.lead")) }
                    p { (view.say("start.about")) }
                    (search_form(view, "/records", "start.search", "", &html! {}))
                    p {
                        a.button href=(view.href("/check", &[])) { (view.say("start.check")) } " "
                        a.button href=(view.href("/keep", &[])) { (view.say("nav.keep")) }
                    }
                }
                @if let Some(card) = new.iter().find(|card| card.plies.is_some_and(|plies| plies > 0)) {
                    figure {
                        (boards::large_end(view, card))
                        figcaption { (view.say("start.latest")) " " (records::link(view, card)) }
                    }
                }
            }
            section aria-labelledby="games" {
                h2 #games { (view.say("start.games")) }
                ul.games {
                    @for game in games::ALL {
                        @let id = game.notation().id;
                        li {
                            (boards::start(view, *game))
                            h3 { (view.word(game.name())) }
                            p { (view.fill("start.count", &[("games", &verified(totals, id))])) }
                            p.ways {
                                a href=(view.href("/records", &[("game", id)])) { (view.say("nav.records")) } " "
                                a href=(view.href("/rankings", &[("game", id)])) { (view.say("nav.rankings")) } " "
                                a href=(view.href("/positions", &[("game", id)])) { (view.say("positions.title")) } " "
                                a href=(rules::page_of(view, id)) { (view.say("nav.rules")) }
                            }
                        }
                    }
                }
            }
            section aria-labelledby="new" {
                h2 #new { (view.say("start.new")) }
                @if new.is_empty() && totals.is_empty() { p { (view.say("start.empty")) } }
                (records::cards(view, new))
                @if new.len() == NEW || new.is_empty() && !totals.is_empty() { p { a href=(view.href("/records", &[])) { (view.say("start.all")) } } }
            }
            @if !events.is_empty() {
                section aria-labelledby="events" {
                    h2 #events { (view.say("start.events")) }
                    (events::list::events(view, events))
                }
            }
        };
        let about = About {
            description: view.say("start.lead").to_owned(),
            address: view.href("/", &[]),
            picture: new.iter().find_map(|card| boards::end_for_sharing(view, card)),
        };
        view.write(&Page { about: Some(about), ..Page::new("quipu", "/", body) })
    }
}

/// Number of verified current records of a game.
fn verified(totals: &[Total], game: &str) -> u64 {
    let standing =
        totals.iter().filter(|total| total.status == Status::Verified && total.state == RecordState::Current);
    standing.filter(|total| total.game == game).map(|total| total.records).sum()
}
