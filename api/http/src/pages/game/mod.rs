//! One record: its board ply by ply with moves, clocks and points, its verdict and downloads, and the board alone for pages
//! of other sites.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{Severity, codes, report::hex};

use super::{
    about::About,
    boards, check,
    frame::{Page, View, game_name, line, page_response, page_response_at, status},
    legend, players, records, rules,
    snippet::Snippet,
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{CSV, Content, Response, Route, TEXT},
    routes::{
        records::{Record, size},
        shared::{FILE, FLIP, LANG, PAGE, RECORD},
    },
};
use quipu_archive::{
    model::{Card, Judgement, StoredDiagnostic},
    store::{History, Neighbours},
};

mod board;
mod downloads;
mod history;
mod moves;
mod record;
mod replay;

pub(super) use board::{BoardPicture, BoardView, CurrentClocks};
use downloads::file;
use record::{RecordPage, nothing_to_show, replayed};
pub(super) use replay::ReplayedGame;

/// The ply whose position is shown.
pub(super) const SHOWN: Param = Param::query("ply", Kind::Number(0));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/records/{id}",
            id: "page-record",
            params: &[RECORD, SHOWN, FLIP, LANG],
            problems: &[problem::ID, problem::NOT_FOUND],
            ..PAGE
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/records/{id}/game.quipu",
            id: "file-quipu",
            responses: &[Response::ok(&[Content::text(TEXT)])],
            ..FILE
        },
        handler: |context| Box::pin(file(context)),
    },
    Endpoint {
        route: Route {
            path: "/records/{id}/game.json",
            id: "file-json",
            responses: &[Response::ok(&[Content::json::<Record<'_>>()])],
            ..FILE
        },
        handler: |context| Box::pin(file(context)),
    },
    Endpoint {
        route: Route {
            path: "/records/{id}/game.csv",
            id: "file-csv",
            responses: &[Response::ok(&[Content::text(CSV)])],
            ..FILE
        },
        handler: |context| Box::pin(file(context)),
    },
    Endpoint {
        route: Route {
            path: "/embed/{id}",
            id: "page-embed",
            params: &[RECORD, SHOWN, FLIP, LANG],
            problems: &[problem::ID, problem::NOT_FOUND],
            framed: true,
            ..PAGE
        },
        handler: |context| Box::pin(embedded(context)),
    },
];

const SCRIPTS: &[&str] = &["/assets/game.js"];

async fn show(context: RequestContext) -> HandlerResult {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
    let last = context.read(|reading| reading.last_change())?;
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{last}")) {
        return Ok(response);
    }
    let view = View::of(&context);
    let write = move |whole: &RecordPage| {
        let title = records::title(&whole.history.card, &whole.id);
        let about = Some(whole.about(&view));
        Ok(view.write(&Page { scripts: SCRIPTS, about, ..Page::new(title, "/records", whole.body(&view)) }))
    };
    let page = replayed(&context, write).await?;
    Ok(page_response_at(&context, last, page))
}

/// The board alone, for frames in other pages. It changes only with the version of the program.
async fn embedded(context: RequestContext) -> HandlerResult {
    let id = hex(&context.record());
    size(&context, &context.record())?;
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{id}")) {
        return Ok(response);
    }
    let view = View::of(&context);
    let page = replayed(&context, move |whole| embedded_page(&view, whole)).await?;
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("{id}")))
}

fn embedded_page(view: &View, whole: &RecordPage) -> Result<String, Problem> {
    let id = &whole.id;
    let Some(game) = &whole.game else { return Err(nothing_to_show(id)) };
    let title = records::title(&whole.history.card, id);
    let own = whole.board(view, game, format!("/embed/{id}"));
    let at = game.at.to_string();
    let content = html! {
        main #game data-last=(game.last()) {
            h1.unseen { (title) }
            (own.board())
            (own.steps())
            p data-part="whole" {
                a href=(view.href(&format!("/records/{id}"), &[("ply", &at)])) target="_blank" rel="noopener" {
                    (view.say("game.whole"))
                }
            }
        }
    };
    Ok(view.document(&title, "embedded", SCRIPTS, None, None, &content))
}

/// A link to the search for the position that is shown.
fn same_position(view: &View, game: &ReplayedGame) -> Markup {
    let rules = game.rules.as_deref().map(|rules| ("rules", rules));
    let query = [("game", game.referee.notation().id), ("position", &game.shown.position)].into_iter().chain(rules);
    let address = view.href("/positions", &query.collect::<Vec<_>>());
    html! { p data-part="position" { a href=(address) { (view.say("game.same-position")) } } }
}

impl RecordPage {
    /// The board of the record on the page with the path `base`.
    fn board<'p>(&'p self, view: &'p View, game: &'p ReplayedGame, base: String) -> BoardView<'p> {
        let player = |side: Side| {
            let player = self.history.card.players[side.index()].as_ref();
            player.map_or_else(|| html! { "?" }, |(number, name)| players::name(view, *number, name))
        };
        let (players, picture) = (Side::BOTH.map(player), BoardPicture::Record(&self.id));
        BoardView { view, base, flip: self.flip, players, game, picture, clocks: CurrentClocks::default() }
    }

    fn body(&self, view: &View) -> Markup {
        let Self { id, history, game, .. } = self;
        let History { card, judgements, .. } = history;
        let about = html! {
            @if let Some(judgement) = judgements.last() { (verdict(view, judgement, &self.snippets)) }
            (self.downloads(view))
        };
        html! {
            h1 { (records::title(card, id)) }
            (event_line(view, card))
            (self.standing(view))
            @if let Some(game) = game {
                @let own = self.board(view, game, format!("/records/{id}"));
                div.game #game data-last=(game.last()) {
                    section.shown aria-label=(view.say("game.board")) { (own.board()) (own.steps()) }
                    section.moves {
                        h2 { (view.say("game.moves")) }
                        (own.moves())
                        (self.beside(view))
                    }
                    div.more {
                        (own.notes())
                        (same_position(view, game))
                        (own.chart())
                        (own.words())
                        section aria-labelledby="legend" {
                            h2 #legend { (view.say("legend.title")) }
                            (legend::legend(view, game.referee))
                        }
                    }
                    div.told { (about) }
                }
            } @else {
                p { (view.say("game.nothing")) }
                (about)
            }
            (self.embedding(view))
            (self.changes(view))
        }
    }

    /// Links to the other games of the round, and to the other leg of the encounter.
    fn beside(&self, view: &View) -> Markup {
        let Neighbours { previous, next, other_leg } = &self.neighbours;
        let entries = [("game.leg", "", other_leg), ("game.before", "prev", previous), ("game.behind", "next", next)];
        html! {
            @if entries.iter().any(|(.., card)| card.is_some()) {
                nav aria-label=(view.say("game.others")) {
                    ul.others {
                        @for (key, rel, card) in entries {
                            @if let Some(card) = card {
                                li {
                                    (view.say(key)) " "
                                    a href=(view.href(&format!("/records/{}", hex(&card.id)), &[]))
                                        rel=[Some(rel).filter(|rel| !rel.is_empty())] { (records::title(card, &hex(&card.id))) }
                                    @if let Some(result) = records::result(card) { " " (result) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The description of the page: game, event, round, day, result and points, and the final position.
    fn about(&self, view: &View) -> About {
        let card = &self.history.card;
        let points = card.game.zip(card.points).map(|(game, points)| records::points(view, game, points));
        let parts = [
            card.game.map(|game| game_name(view, game).to_owned()),
            card.event.as_ref().map(|(_, name)| name.clone()),
            card.round.as_ref().map(|round| view.fill("records.in-round", &[("round", round)])),
            card.date.map(|date| date.to_string()),
            card.result.clone().filter(|result| result != "*"),
            points,
            Some(view.word(card.status.word()).to_owned()),
        ];
        let path = format!("/records/{}", self.id);
        About {
            description: parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            address: view.href(&path, &[]),
            picture: self.game.as_ref().and_then(|_| boards::end_for_sharing(view, card)),
        }
    }
}

/// The result, game, event, round, day and status.
fn event_line(view: &View, card: &Card) -> Markup {
    let last = [Some(status(view, card.status))];
    line([records::result(card)].into_iter().chain(records::event_facts(view, card)).chain(last))
}

/// The diagnostics with their indices, errors before warnings.
fn errors_first(found: &[StoredDiagnostic]) -> Vec<(usize, &StoredDiagnostic)> {
    let mut found: Vec<_> = found.iter().enumerate().collect();
    found.sort_by_key(|(_, one)| one.severity != Severity::Error.as_str());
    found
}

/// The current verdict.
fn verdict(view: &View, judgement: &Judgement, snippets: &[Option<Snippet>]) -> Markup {
    html! {
        section aria-labelledby="verdict" {
            h2 #verdict { (view.say("game.verdict")) " " (status(view, judgement.status)) }
            (check::outcome(view, &judgement.verdict()))
            @for (index, one) in errors_first(&judgement.diagnostics) {
                div class={ "found " (one.severity) } {
                    h3 { @if codes::find(&one.code).is_some() { (rules::link(view, &one.code)) } @else { code { (one.code) } } }
                    p { (one.message(view.lang)) }
                    (check::place(view, one.ply, one.line.zip(one.column)))
                    @if let Some(Some(snippet)) = snippets.get(index) { (snippet.show(view)) }
                }
            }
            p.note { (view.fill("game.judged-by", &[("program", &judgement.program), ("edition", &judgement.edition)])) }
        }
    }
}
