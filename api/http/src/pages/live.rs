//! Games in progress: the list, and the page of one game, which follows it move by move.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use maud::{Markup, html};
use quipu_notation::{
    Side,
    record::{Chunk, Format, Ply, Record},
};
use quipu_referee::{Lang, scoring};

use super::{
    boards,
    frame::{LISTED, Page, View, game_name, line, page_response, rest, time},
    messages, rules,
    sides::{Sides, clock_text},
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Answer, Content, GET, Route, TEXT},
    routes::{
        live,
        shared::{CURSOR, LANG, NUMBER, PAGE},
    },
};
use quipu_archive::{model::Live, store};
use quipu_pictures as pictures;

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route { path: "/live", id: "page-lives", params: &[CURSOR, LANG], problems: &[problem::CURSOR], ..PAGE },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/live/{number}",
            id: "page-live",
            params: &[NUMBER, LANG],
            problems: &[problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/live/{number}/game.quipu",
            id: "file-live",
            group: "pages",
            params: &[NUMBER],
            answers: &[Answer::ok(&[Content::text(TEXT)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(file(context)),
    },
];

const PATH: &str = "/live";
const SCRIPTS: &[&str] = &["/assets/live.js"];

async fn index(context: RequestContext) -> HandlerResult {
    let (before, address, view) = (context.cursor()?, context.own_address(), View::of(&context));
    let write = move |page: store::Page<Live, _>| {
        let body = html! {
            h1 { (view.say("live.title")) }
            p.lead { (view.say("live.lead")) }
            (cards(&view, &page.items, None))
            @if !page.items.is_empty() { (rest(&view, page.items.len(), page.next.and_then(|next| address.next_page(&next)))) }
            p { a.button href=(view.href("/keep", &[])) { (view.say("live.keep")) } }
        };
        Ok(view.write(&Page::new(view.say("live.title"), PATH, body)))
    };
    let page = context.read_then(move |reading| reading.lives(before, LISTED), write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}

/// A list of games, with a link to the desk if a path is given; a note if there are none.
pub(super) fn cards(view: &View, lives: &[Live], desk: Option<&str>) -> Markup {
    html! {
        @if lives.is_empty() { p { (view.say("live.nothing")) } }
        ul.cards.bare {
            @for live in lives {
                li {
                    p.title { a href=(view.href(&format!("/live/{}", live.number), &[])) { (title(view, live)) } }
                    (occasion(view, live))
                    @if let Some(desk) = desk {
                        p.act { a href={ (view.href(desk, &[])) "#live-" (live.number) } { (view.say("keep.take-over")) } }
                    }
                }
            }
        }
    }
}

fn title(view: &View, live: &Live) -> String {
    let [one, two] = live.draft.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    view.fill("keep.against", &[("one", &one), ("two", &two)])
}

fn occasion(view: &View, live: &Live) -> Markup {
    let round = |round: &String| html! { (view.fill("records.in-round", &[("round", round)])) };
    line([
        Some(html! { (game_name(view, live.draft.game)) }),
        live.draft.event.as_ref().map(|event| html! { (event) }),
        live.draft.round.as_ref().map(round),
        Some(html! { (view.fill("live.plies", &[("plies", &live.draft.plies)])) }),
        Some(html! { (time(live.changed)) }),
    ])
}

async fn show(context: RequestContext) -> HandlerResult {
    let live = live::found(&context)?;
    let (view, version) = (View::of(&context), live.version);
    if let Some(answer) = context.not_modified(CachePolicy::UntilChange, format_args!("live-{}-{version}", live.number))
    {
        return Ok(answer);
    }
    let number = live.number;
    let page = context.work(move || page(&view, &live)).await?;
    Ok(context.with_etag(
        page_response(&context, page),
        CachePolicy::UntilChange,
        format_args!("live-{number}-{version}"),
    ))
}

/// The record as a download.
async fn file(context: RequestContext) -> HandlerResult {
    let live = live::found(&context)?;
    let name = format!("attachment; filename=\"{}-{}.quipu\"", live.draft.game.id, live.number);
    let mut answer: HttpResponse = context.bytes(live.draft.text);
    if let Ok(name) = HeaderValue::from_str(&name) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(context.with_etag(answer, CachePolicy::UntilChange, format_args!("{}", live.version)))
}

fn page(view: &View, live: &Live) -> Result<String, Problem> {
    let chunk = Chunk::in_form(live.draft.text.as_bytes(), Format::Quipu);
    let broken = || Problem::new(problem::ARCHIVE);
    let record = chunk.records().next().and_then(Result::ok).ok_or_else(broken)?;
    let found = scoring::look(&record).map_err(|_| broken())?;
    let own = LivePage { view, live, record: &record, found: &found };
    let title = title(view, live);
    let body = html! {
        div #live data-number=(live.number) data-version=(live.version) {
            h1 { (title) }
            div data-part="occasion" { (occasion(view, live)) (own.state()) }
            div.game {
                section.shown aria-label=(view.say("keep.board")) {
                    (own.board())
                    (own.sides())
                }
                div.moves {
                    h2 { (view.say("game.moves")) }
                    (own.moves())
                    div data-part="facts" {
                        ul.facts { @for fact in pictures::facts(&found.board.drawing(), view.lang) { li { (fact) } } }
                    }
                }
            }
            ul.downloads {
                li { a href=(format!("/live/{}/game.quipu", live.number)) download { (view.say("download.quipu")) } }
                li { a href=(view.href(PATH, &[])) { (view.say("live.all")) } }
                li { a href={ (view.href("/keep/desk", &[])) "#live-" (live.number) } { (view.say("keep.take-over")) } }
            }
        }
    };
    Ok(view.write(&Page { scripts: SCRIPTS, ..Page::new(title, PATH, body) }))
}

/// A game on its page.
struct LivePage<'p> {
    view: &'p View,
    live: &'p Live,
    record: &'p Record<'p>,
    found: &'p scoring::ScoringState,
}

impl LivePage<'_> {
    /// The state of the game, and its fault.
    fn state(&self) -> Markup {
        let view = self.view;
        let fault = self.found.verdict.first_error();
        html! {
            @if self.live.finished.is_none() {
                p #following hidden role="status" data-on=(view.say("live.following")) data-off=(view.say("live.cut"))
                    data-closed=(view.say("live.closed")) {}
            }
            @match &self.live.finished {
                Some(id) => p.lead {
                    a href=(view.href(&format!("/records/{}", quipu_referee::report::hex(id)), &[])) { (view.say("live.finished")) }
                },
                None => p { (view.say("live.going-on")) },
            }
            @if let Some(fault) = fault {
                div.found.error {
                    p {
                        @if let Some(ply) = fault.ply { (view.fill("check.ply", &[("ply", &ply)])) " · " }
                        (rules::link(view, fault.code().id)) " "
                        (quipu_referee::messages::catalog().message(&fault.message, view.lang))
                    }
                    p.note { (view.say("live.unjudged")) }
                }
            }
        }
    }

    fn board(&self) -> Markup {
        let (view, found) = (self.view, self.found);
        let label = view.fill("game.after", &[("ply", &found.plies)]);
        let rules = self.record.value("Rules");
        html! {
            div data-part="board" { (boards::position(view, found.game, rules, &found.board.position(), &label)) }
            p.now data-part="now" role="status" { (self.now()) }
        }
    }

    /// The last move in one line.
    fn now(&self) -> String {
        let Some(last) = self.found.plies.checked_sub(1) else { return self.view.say("game.start").to_owned() };
        let (ply, tag) = (last + 1, self.tag(self.side(last)));
        let token = &self.record.movetext.plies[last].token;
        let line = self.view.fill("live.now", &[("ply", &ply), ("side", &tag), ("token", token)]);
        match self.found.board.end() {
            Some(end) => {
                let ended = self.view.fill("game.ended", &[("end", &self.view.word(end.termination.word))]);
                format!("{line} · {ended} · {}", end.outcome.as_str())
            }
            None => line,
        }
    }

    fn side(&self, index: usize) -> Side {
        if index.is_multiple_of(2) { self.found.first } else { !self.found.first }
    }

    fn tag(&self, side: Side) -> &'static str {
        self.live.draft.game.side(side).tag
    }

    fn sides(&self) -> Markup {
        let (Live { draft, .. }, found) = (self.live, self.found);
        let name = |side: Side| html! { (draft.players[side.index()].as_deref().unwrap_or("?")) };
        let sides = Sides {
            game: draft.game,
            to_move: found.board.end().is_none().then(|| found.board.turn()),
            players: Side::BOTH.map(name),
            clocks: Some(found.clocks).filter(|clocks| clocks.iter().any(Option::is_some)),
            points: found.board.points().map(|points| points.counted()),
        };
        sides.table(self.view)
    }

    /// The moves as entered, including those that are not judged.
    fn moves(&self) -> Markup {
        let (view, line) = (self.view, &self.record.movetext);
        let last = self.found.plies.checked_sub(1);
        html! {
            div.list data-part="moves" role="region" aria-label=(view.say("game.moves")) tabindex="0" {
                @if line.plies.is_empty() { p { (view.say("game.no-moves")) } }
                (marks(view.lang, &line.comments.iter().map(|text| &**text).collect::<Vec<_>>()))
                ol.plies {
                    @for (index, ply) in line.plies.iter().enumerate() {
                        li aria-current=[(last == Some(index)).then_some("step")] {
                            (self.tag(self.side(index))) " " strong { (ply.token) }
                            @if let Some(clock) = ply.clock { " " span.clock { (clock_text(clock.value)) } }
                            @if index >= self.found.plies { " " em { (view.say("keep.unjudged")) } }
                            (marks(view.lang, &comments(ply)))
                        }
                    }
                }
            }
        }
    }
}

fn comments<'p>(ply: &'p Ply<'_>) -> Vec<&'p str> {
    ply.notes.iter().flat_map(|notes| &notes.comments).map(|text| &**text).collect()
}

/// The notes of a ply: disputed, undone moves, and comments.
fn marks(lang: Lang, comments: &[&str]) -> Markup {
    let said = |text: &str| match text.strip_prefix("[%").and_then(|rest| rest.strip_suffix(']')) {
        Some("disputed") => messages::say("keep.disputed", lang).to_owned(),
        Some(mark) => match mark.strip_prefix("undone ") {
            Some(what) => {
                let disputed = what.strip_suffix(" disputed");
                let what = match disputed {
                    Some(what) => &*format!("{what} {}", messages::say("keep.disputed", lang)),
                    None => what,
                };
                messages::fill("keep.was-undone", lang, &[("what", &what)])
            }
            None => text.to_owned(),
        },
        None => text.to_owned(),
    };
    html! { @for text in comments { " " span.mark { (said(text)) } } }
}
