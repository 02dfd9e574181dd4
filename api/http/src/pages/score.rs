//! Scoring a game: a page to start a game, and the desk at which its moves are entered. The script saves them on the
//! device and on the server, and asks the referee through `/v1/desk` which moves are legal.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{Referee, games};
use serde_json::{Map, Value};

use super::{
    frame::{LISTED, Page, View, page_response},
    live,
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::HandlerResult,
    request::RequestContext,
    route::Route,
    routes::{
        enum_values::game_ids,
        shared::{LANG, PAGE},
    },
};
use quipu_archive::{model::Live, store};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/keep",
            id: "page-keep",
            params: &[Param::field("game", Kind::Choice(game_ids)), LANG],
            ..PAGE
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route { path: "/keep/desk", id: "page-keep-desk", ..PAGE },
        handler: |context| Box::pin(desk(context)),
    },
];

const PATH: &str = "/keep";
const SCRIPTS: &[&str] = &["/assets/keep.js"];

/// Default minutes of a player (Andes, 6.2).
const MINUTES: u32 = 12;
/// Most minutes of a player.
const MOST_MINUTES: u32 = 600;

/// Keys of the messages of the script. It fills the `{placeholders}`.
const MESSAGES: [&str; 52] = [
    "keep.against",
    "keep.all",
    "keep.behind",
    "keep.choose",
    "keep.clear",
    "keep.closed",
    "keep.confirm-close",
    "keep.confirm-remove",
    "keep.conflict",
    "keep.conflict-mine",
    "keep.conflict-theirs",
    "keep.continue",
    "keep.device-full",
    "keep.device-none-kept",
    "keep.device-only",
    "keep.disputed",
    "keep.ended",
    "keep.enter-disputed",
    "keep.faulty",
    "keep.finished",
    "keep.flag",
    "keep.gone",
    "keep.left",
    "keep.mark-disputed",
    "keep.no-game",
    "keep.no-move",
    "keep.not-stored",
    "keep.offline",
    "keep.open-record",
    "keep.over",
    "keep.pause",
    "keep.ply",
    "keep.points",
    "keep.refused",
    "keep.remove",
    "keep.reopen-live",
    "keep.saved",
    "keep.saving",
    "keep.slept",
    "keep.slept-count",
    "keep.start",
    "keep.store-refused",
    "keep.to-move",
    "keep.token-kept",
    "keep.token-missing",
    "keep.token-refused",
    "keep.token-wrong",
    "keep.too-many",
    "keep.undo",
    "keep.undo-to",
    "keep.unjudged",
    "keep.was-undone",
];

async fn index(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let chosen = context.text("game").and_then(games::find);
    let write = move |page: store::Page<Live, _>| Ok(start_page(&view, chosen, &page.items));
    let page = context.read_then(|reading| reading.lives(None, LISTED), write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}

fn start_page(view: &View, chosen: Option<&'static dyn Referee>, running: &[Live]) -> String {
    let body = html! {
        div #keep data-say=(messages(view)) data-desk=(view.href("/keep/desk", &[])) {
            h1 { (view.say("keep.title")) }
            p.lead { (view.say("keep.lead")) }
            noscript { p.notice { (view.say("keep.noscript")) } }
            p.notice #trouble role="alert" hidden {}
            section aria-labelledby="begin" {
                h2 #begin { (view.say("keep.begin")) }
                nav.tabs aria-label=(view.say("keep.which")) {
                    ul {
                        @for game in games::ALL {
                            @let here = chosen.is_some_and(|chosen| chosen.notation().id == game.notation().id);
                            li {
                                a href=(view.href(PATH, &[("game", game.notation().id)])) aria-current=[here.then_some("page")] {
                                    (view.word(game.name()))
                                }
                            }
                        }
                    }
                }
                @if let Some(game) = chosen { (form(view, game)) }
            }
            section aria-labelledby="device" {
                h2 #device { (view.say("keep.device")) }
                ul.cards.bare #games {}
                p #none { (view.say("keep.device-none")) }
            }
            section aria-labelledby="server" {
                h2 #server { (view.say("keep.server")) }
                @if running.is_empty() { p { (view.say("live.nothing")) } }
                (live::cards(view, running, Some("/keep/desk")))
            }
            (token(view))
        }
    };
    view.write(&Page { scripts: SCRIPTS, ..Page::new(view.say("keep.title"), PATH, body) })
}

/// The form with the details of a new game.
fn form(view: &View, game: &dyn Referee) -> Markup {
    let notation = game.notation();
    let text = |id: &str, label: &str, tag: &str| {
        html! { div { label for=(id) { (label) } input id=(id) data-tag=(tag) maxlength="200" autocomplete="off"; } }
    };
    let rule_sets = game.rule_sets();
    let dealt = matches!(game.deal(None, 0, None), Ok(Some(_)));
    html! {
        form #new data-game=(notation.id) data-deal=[dealt.then(|| format!("/v1/games/{}/deal", notation.id))] {
            div.fields {
                @for side in Side::BOTH { (text(notation.side(side).name, notation.side(side).tag, notation.side(side).tag)) }
                @if rule_sets.len() > 1 {
                    div {
                        label for="rules" { (view.say("keep.rules")) }
                        select #rules { @for rules in &rule_sets { option value=(rules) { (rules) } } }
                    }
                }
                @if notation.first {
                    div {
                        label for="first" { (view.say("keep.first")) }
                        select #first {
                            @for side in Side::BOTH { option value=(notation.side(side).name) { (notation.side(side).tag) } }
                        }
                    }
                }
                @if dealt {
                    div {
                        label for="seed" { (view.say("keep.seed")) }
                        input #seed type="number" min="0" max="4294967295" inputmode="numeric" autocomplete="off";
                    }
                }
                div {
                    label for="minutes" { (view.say("keep.minutes")) }
                    input #minutes type="number" min="0" max=(MOST_MINUTES) step="any" value=(MINUTES) required inputmode="decimal";
                }
                (text("event", view.say("keep.event"), "Event"))
                (text("round", view.say("keep.round"), "Round"))
                (text("board", view.say("keep.table"), "Board"))
                (leg(view, "leg"))
                (text("site", view.say("keep.site"), "Site"))
            }
            p { button { (view.say("keep.to-desk")) } }
        }
    }
}

/// The choice of the leg of an encounter.
fn leg(view: &View, id: &str) -> Markup {
    html! {
        div {
            label for=(id) { (view.say("keep.leg")) }
            select id=(id) data-tag="Leg" {
                option value="" { (view.say("keep.leg-none")) }
                @for leg in ["1", "2"] { option value=(leg) { (leg) } }
            }
        }
    }
}

/// The tags of the game, to be changed until it is stored. The script names the sides.
fn tags(view: &View) -> Markup {
    let text = |id: &str, label: &str, tag: Option<&str>| {
        html! { div { label for=(id) { (label) } input id=(id) data-tag=[tag] maxlength="200" autocomplete="off"; } }
    };
    html! {
        details #details {
            summary { (view.say("keep.details")) }
            form #tags {
                div.fields {
                    (text("player-0", "", None))
                    (text("player-1", "", None))
                    (text("event", view.say("keep.event"), Some("Event")))
                    (text("round", view.say("keep.round"), Some("Round")))
                    (text("board", view.say("keep.table"), Some("Board")))
                    (leg(view, "leg"))
                    (text("site", view.say("keep.site"), Some("Site")))
                }
                p { button { (view.say("keep.details-save")) } }
            }
        }
    }
}

/// The form for the token with which games are saved on the server.
fn token(view: &View) -> Markup {
    html! {
        section aria-labelledby="access" {
            h2 #access { (view.say("keep.token")) }
            p { (view.say("keep.token-about")) }
            form #token-form {
                label for="token" { (view.say("keep.token-label")) }
                p.line {
                    input #token type="password" autocomplete="off" spellcheck="false" required maxlength="200";
                    button { (view.say("keep.token-keep")) }
                    button #token-forget type="button" hidden { (view.say("keep.token-forget")) }
                }
                p #token-state role="status" { (view.say("keep.token-missing")) }
            }
        }
    }
}

async fn desk(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let body = html! {
        div #desk data-say=(messages(&view)) data-lang=(view.lang.as_str()) data-live=(view.href("/live/0", &[]))
            data-record=(view.href("/records/0", &[])) data-keep=(view.href(PATH, &[])) {
            h1 #title { (view.say("keep.desk")) }
            noscript {
                p.notice { (view.say("keep.noscript")) }
                p { a href=(view.href(PATH, &[])) { (view.say("keep.all")) } }
            }
            p #sync role="status" {}
            div.notice #trouble role="alert" hidden {}
            div.desk #table hidden {
                div.seats {
                    @for seat in [0, 1] {
                        div.seat data-seat=(seat) {
                            p.who { span.name {} " " span.turn {} }
                            p.time role="timer" aria-live="off" {}
                            p.points {}
                        }
                    }
                }
                div.play {
                    div.square {
                        img #picture alt="" hidden;
                        div #cells role="group" aria-label=(view.say("keep.squares")) {}
                    }
                    p.now #now role="status" {}
                    div.things #beside role="group" aria-label=(view.say("keep.beside")) {}
                    div.things #choices role="group" aria-label=(view.say("keep.choices")) {}
                    form #typed {
                        label for="move" { (view.say("keep.move")) }
                        p.line {
                            input #move autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="256" required
                                pattern="(?!(?:1-0|0-1|1/2-1/2|\\*|\\d+\\.+)$)[^\\s\\(\\)\\[\\]\\{\\}$!?;]+" aria-describedby="move-help";
                            button { (view.say("keep.enter")) }
                        }
                        p.note #move-help { (view.say("keep.move-help")) }
                    }
                    div.things {
                        button #clock type="button" { (view.say("keep.start")) }
                        button #undo type="button" { (view.say("keep.undo")) }
                        button #flip type="button" { (view.say("keep.flip")) }
                        button #ending type="button" aria-expanded="false" aria-controls="endings" { (view.say("keep.ending")) }
                    }
                    div #endings hidden {
                        h2 { (view.say("keep.how-ended")) }
                        div.things #ways {}
                    }
                    div #result hidden {
                        h2 { (view.say("keep.result")) }
                        p #ended {}
                        p.things {
                            button #finish type="button" { (view.say("keep.finish")) }
                            button #reopen type="button" { (view.say("keep.reopen")) }
                        }
                        div #outcome role="status" {}
                        p { button.plain #second type="button" hidden { (view.say("keep.second")) } }
                    }
                }
                div.score {
                    h2 #moves-title { (view.say("game.moves")) }
                    div.list #moves role="region" aria-labelledby="moves-title" tabindex="0" {}
                    ul.facts #facts {}
                    (tags(&view))
                    ul.downloads {
                        li { a #download { (view.say("keep.download")) } }
                        li { a #watch hidden { (view.say("keep.watch")) } }
                        li { button.plain #close type="button" hidden { (view.say("keep.close")) } }
                        li { a href=(view.href(PATH, &[])) { (view.say("keep.all")) } }
                    }
                }
            }
        }
    };
    let page = Page { scripts: SCRIPTS, ..Page::new(view.say("keep.desk"), PATH, body) };
    Ok(page_response(&context, view.write(&page)))
}

/// The messages of the script as a JSON object.
fn messages(view: &View) -> String {
    let one = |key: &&str| (key["keep.".len()..].to_owned(), Value::from(view.say(key)));
    let suggested = ("suggested".to_owned(), Value::from(view.word("suggestions")));
    Value::Object(MESSAGES.iter().map(one).chain([suggested]).collect::<Map<_, _>>()).to_string()
}
