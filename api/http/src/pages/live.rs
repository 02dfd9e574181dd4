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
use quipu_referee::{Diagnostic, Lang, verify};

use super::{
    about::About,
    frame::{LISTED, Page, View, game_name, line, list_end, page_response, time},
    game::{BoardPicture, BoardView, CurrentClocks, ReplayedGame, SHOWN},
    legend, messages, players, rules,
    sides::clock_text,
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, GET, Response, Route, TEXT},
    routes::{
        live,
        shared::{CURSOR, FLIP, LANG, NUMBER, PAGE},
    },
};
use quipu_archive::{
    model::{Clocks, Live, Number},
    store::{self, Event, Person},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route { path: "/live", id: "page-lives", params: &[CURSOR, LANG], problems: &[problem::CURSOR], ..PAGE },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/live/{number}",
            id: "page-live",
            params: &[NUMBER, SHOWN, FLIP, LANG],
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
            responses: &[Response::ok(&[Content::text(TEXT)])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(file(context)),
    },
];

const PATH: &str = "/live";
const SCRIPTS: &[&str] = &["/assets/game.js", "/assets/live.js"];

async fn index(context: RequestContext) -> HandlerResult {
    let (before, address, view) = (context.cursor()?, context.own_address(), View::of(&context));
    let write = move |page: store::ListPage<Live, _>| {
        let body = html! {
            h1 { (view.say("live.title")) }
            p.lead { (view.say("live.lead")) }
            (cards(&view, &page.items, None))
            @if !page.items.is_empty() { (list_end(&view, page.items.len(), page.next.and_then(|next| address.next_page(&next)))) }
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
                    (event_line(view, live, live.draft.event.as_ref().map(|event| html! { (event) })))
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

fn event_line(view: &View, live: &Live, event: Option<Markup>) -> Markup {
    let round = |round: &String| html! { (view.fill("records.in-round", &[("round", round)])) };
    line([
        Some(html! { (game_name(view, live.draft.game)) }),
        event,
        live.draft.round.as_ref().map(round),
        Some(html! { (view.fill("live.plies", &[("plies", &live.draft.plies)])) }),
        Some(html! { (time(live.changed)) }),
    ])
}

async fn show(context: RequestContext) -> HandlerResult {
    let live = live::found(&context)?;
    let (last, known) = context.read(|reading| {
        let player = |name: &Option<String>| match name {
            Some(name) => reading.player_named(name),
            None => Ok(None),
        };
        let event = live.draft.event.as_ref().map(|name| reading.event_named(name)).transpose()?.flatten();
        let [one, two] = &live.draft.players;
        Ok((reading.last_change()?, ArchivedNames { event, players: [player(one)?, player(two)?] }))
    })?;
    let (view, version) = (View::of(&context), live.version);
    let state = format!("live-{}-{version}-{last}", live.number);
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{state}")) {
        return Ok(response);
    }
    let (at, flip) = (context.number("ply"), context.text("flip") == Some("yes"));
    // After a save all spectators ask for the page at once.
    let key = format!("{state} {} {}?{}", context.lang.as_str(), context.path, context.query);
    let page = context.work_once(key, move || page(&view, &live, &known, at, flip)).await?;
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("{state}")))
}

/// The record as a download.
async fn file(context: RequestContext) -> HandlerResult {
    let live = live::found(&context)?;
    let name = format!("attachment; filename=\"{}-{}.quipu\"", live.draft.game.id, live.number);
    let mut response: HttpResponse = context.bytes(live.draft.text);
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{}", live.version)))
}

/// The event and the players of a game in progress that the archive knows by their names.
struct ArchivedNames {
    event: Option<Event>,
    players: [Option<Person>; 2],
}

/// The page of a game after a ply; after the last one if it has fewer, because plies are taken back.
fn page(view: &View, live: &Live, known: &ArchivedNames, at: Option<Number>, flip: bool) -> Result<String, Problem> {
    let chunk = Chunk::in_format(live.draft.text.as_bytes(), Format::Quipu);
    let broken = || Problem::new(problem::ARCHIVE);
    let record = chunk.records().next().and_then(Result::ok).ok_or_else(broken)?;
    let at = at.filter(|at| u64::try_from(*at).is_ok_and(|at| at <= live.draft.plies));
    let game =
        ReplayedGame::of(&record, at.and_then(|at| usize::try_from(at).ok()), view.lang).ok_or_else(broken)??;
    let fault = verify::record_without_id(&record).first_error().cloned();
    let own = LivePage { view, live, record: &record, game: &game, fault, at, flip };
    let title = title(view, live);
    let board = own.board(known);
    let event = known.event.as_ref().map(|event| {
        html! { a href=(view.href(&format!("/events/{}", event.number), &[])) { (event.name) } }
    });
    let event = event.or_else(|| own.live.draft.event.as_ref().map(|name| html! { (name) }));
    let body = html! {
        div #live data-number=(live.number) data-version=(live.version) {
            h1 { (title) }
            div data-part="event" { (event_line(view, live, event)) (own.state()) }
            div.game #game data-last=(game.last()) data-follows {
                section.shown aria-label=(view.say("keep.board")) { (board.board()) (board.steps()) }
                section.moves {
                    h2 { (view.say("game.moves")) }
                    (own.moves(&board))
                }
                div.more {
                    (board.notes())
                    (board.words())
                    section aria-labelledby="legend" {
                        h2 #legend { (view.say("legend.title")) }
                        (legend::legend(view, game.referee))
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
    let about = Some(own.about());
    Ok(view.write(&Page { scripts: SCRIPTS, about, ..Page::new(title, PATH, body) }))
}

/// A game on its page.
struct LivePage<'p> {
    view: &'p View,
    live: &'p Live,
    record: &'p Record<'p>,
    game: &'p ReplayedGame,
    fault: Option<Diagnostic>,
    /// The ply of the address; none if the page shows the last one and follows the game.
    at: Option<Number>,
    flip: bool,
}

impl LivePage<'_> {
    /// The state of the game, and its fault.
    fn state(&self) -> Markup {
        let view = self.view;
        html! {
            @if self.live.finished.is_none() {
                p #following hidden role="status" data-on=(view.say("live.following")) data-off=(view.say("live.cut"))
                    data-closed=(view.say("live.closed")) {}
            }
            @match &self.live.finished {
                Some(id) => p.lead {
                    a href=(view.href(&format!("/records/{}", quipu_referee::report::hex(id)), &[])) { (view.say("live.finished")) }
                },
                None => p #going-on {
                    (view.say("live.going-on"))
                    @if self.live.clocks.running == Some(false) { " " (view.say("live.stopped")) }
                },
            }
            @if let Some(fault) = &self.fault {
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

    /// The description of the page: game, event, round and state, and the position shown.
    fn about(&self) -> About {
        let (view, draft) = (self.view, &self.live.draft);
        let state = if self.live.finished.is_some() { "live.finished" } else { "live.going-on" };
        let parts = [
            Some(game_name(view, draft.game).to_owned()),
            draft.event.clone(),
            draft.round.as_ref().map(|round| view.fill("records.in-round", &[("round", round)])),
            Some(view.say(state).to_owned()),
        ];
        About {
            picture: Some(self.game.position_for_sharing(view, self.record.value("Rules"))),
            ..view.about(parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
        }
    }

    fn board(&self, known: &ArchivedNames) -> BoardView<'_> {
        let name = |side: Side| match (&known.players[side.index()], &self.live.draft.players[side.index()]) {
            (Some(person), _) => players::name(self.view, person.number, &person.name),
            (None, Some(name)) => html! { (name) },
            (None, None) => html! { "?" },
        };
        BoardView {
            view: self.view,
            base: format!("{PATH}/{}", self.live.number),
            flip: self.flip,
            players: Side::BOTH.map(name),
            game: self.game,
            picture: BoardPicture::Move(self.record.value("Rules")),
            clocks: self.clocks(),
        }
    }

    /// The clocks now, if the page follows a game that goes on.
    fn clocks(&self) -> CurrentClocks {
        if self.live.finished.is_some() || self.at.is_some() {
            return CurrentClocks::default();
        }
        let Clocks { left, running } = self.live.clocks;
        let runs = running == Some(true) && self.fault.is_none();
        CurrentClocks { left, since: runs.then(|| self.live.changed.timestamp_millis()) }
    }

    fn side(&self, index: usize) -> Side {
        if index.is_multiple_of(2) { self.game.first } else { !self.game.first }
    }

    /// The moves as entered, including those that are not judged.
    fn moves(&self, board: &BoardView<'_>) -> Markup {
        let (view, line, game) = (self.view, &self.record.movetext, self.game);
        html! {
            div.list data-part="moves" role="region" aria-label=(view.say("game.moves")) tabindex="0" {
                @if line.plies.is_empty() { p { (view.say("game.no-moves")) } }
                (marks(view.lang, &line.comments.iter().map(|text| &**text).collect::<Vec<_>>()))
                ol.plies {
                    @for (index, ply) in line.plies.iter().enumerate() {
                        li {
                            (game.tag(self.side(index))) " "
                            @if index < game.last() {
                                a data-ply=(index + 1) href=(board.at(index + 1))
                                    aria-current=[(game.at == index + 1).then_some("step")] { (ply.token) }
                            } @else { strong { (ply.token) } " " em { (view.say("keep.unjudged")) } }
                            @if let Some(clock) = ply.clock { " " span.clock { (clock_text(clock.value)) } }
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
