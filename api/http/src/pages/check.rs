//! A scoresheet checked: pasted, dropped or chosen in any form, judged by the referee, and nothing of it kept. What is
//! found is shown with its place in the text, the board before the fault, what would have been lawful, and the law.

use std::{io::Cursor, mem};

use actix_web::web::{self, Bytes};
use maud::{Markup, html};
use quipu_notation::{
    Side,
    record::{Chunk, Record},
};
use quipu_referee::{Severity, Status, Verdict, competition, games, verify, words::catalog};

use super::{
    super::{
        budget::Reservation,
        call::{Cache, Call},
        problem::{self, Problem},
        routes::{
            Answered,
            ingest::{Asked, Ingest},
            positions::LegalMoves,
        },
    },
    Page, View, answered, boards,
    excerpt::Excerpt,
    form_body::Form,
    joined, line, records, rules, status,
};

/// Where it is.
pub(super) const PATH: &str = "/check";
/// Records that are told of in full, the first ones.
const TOLD: usize = 20;
/// Records that are named, with what became of them.
const NAMED: usize = 500;
/// Diagnostics of one record that are explained.
pub(super) const EXPLAINED: usize = 20;

pub(crate) async fn ask(call: Call) -> Answered {
    let view = View::of(&call);
    let title = view.say("check.title");
    let body = html! {
        h1 { (title) }
        p.lead { (view.say("check.lead")) }
        (form(&view))
        section aria-labelledby="sheets" {
            h2 #sheets { (view.say("check.sheets")) }
            ul.downloads {
                @for game in games::ALL {
                    @let path = format!("/v1/games/{}/sheet.pdf", game.notation().id);
                    li { a href=(view.spoken(&path, &[])) { (view.word(game.name())) " (PDF)" } }
                }
            }
        }
    };
    let page = view.write(&Page { scripts: SCRIPTS, ..Page::new(title, PATH, body) });
    Ok(call.tagged(answered(&call, page), Cache::Revalidate, format_args!("check")))
}

/// Scripts of pages with the form.
pub(super) const SCRIPTS: &[&str] = &["/assets/check.js"];

/// What is to be checked goes in here. Without a script all of it works but for dropping a file.
pub(super) fn form(view: &View) -> Markup {
    html! {
        form #check action=(view.href(PATH, &[])) method="post" enctype="multipart/form-data" {
            label for="text" { (view.say("check.text")) }
            textarea #text name="text" rows="12" spellcheck="false" autocapitalize="off" autocomplete="off" {}
            label for="file" { (view.say("check.file")) }
            input #file name="file" type="file";
            p #drop hidden { (view.say("check.drop")) }
            button { (view.say("check.button")) }
            p.note { (view.say("check.kept")) }
        }
    }
}

/// One record that was judged.
struct Judged {
    verdict: Verdict,
    title: String,
    /// For each of its first diagnostics the lines around it.
    excerpts: Vec<Option<Excerpt>>,
}

fn judge(block: &Chunk<'_>, most: usize) -> Vec<Judged> {
    let excerpts = |verdict: &Verdict| {
        let around = |(span, place)| Excerpt::of(block.text(), span, place);
        let found = verdict.diagnostics.iter().take(EXPLAINED);
        found.map(|one| one.span.zip(one.place).filter(|_| block.oversized().is_none()).map(around)).collect()
    };
    let judged = verify::block(block).take(most).map(|judged| Judged {
        excerpts: excerpts(&judged.verdict),
        title: judged.record.as_ref().map(title).unwrap_or_default(),
        verdict: judged.verdict,
    });
    judged.collect()
}

/// Who played, as far as it is written.
fn title(record: &Record<'_>) -> String {
    let Some(game) = record.game() else { return String::new() };
    let name = |side| competition::said(record, game.side(side).tag).unwrap_or("?");
    let names = Side::BOTH.map(name);
    if names == ["?"; 2] { String::new() } else { quipu_referee::shown(names.join(" – ").as_bytes()) }
}

/// What a source came to.
#[derive(Default)]
struct Found {
    told: Vec<Told>,
    /// Title and status of those that are only named.
    named: Vec<(String, Status)>,
    counts: [u64; Status::ALL.len()],
}

/// A record that is told of in full.
struct Told {
    judged: Judged,
    /// What was to be played where it was refused.
    refusal: Option<Refusal>,
}

/// What could have been played instead of a refused move.
struct Refusal {
    /// Those that may have been meant.
    suggestions: Vec<String>,
    /// All of them, of the first refused record alone: there may be very many, and to count them takes its time.
    legal: Option<LegalMoves>,
}

pub(crate) async fn check(mut call: Call) -> Answered {
    let asked = Asked::of(&call);
    let (form, body) = (Form::of(&call), call.body().await?);
    let mut room = call.take_room();
    room.grow(form.copies(&body))?;
    let content =
        web::block(move || form.content(body)).await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL)))?;
    let turn = call.permit().await?;
    let mut intake = Ingest::new(&call, Cursor::new(content), judge).at_once(turn);
    let found = call.work_with((), move || gather(&mut intake, &asked, &mut room).map(Found::with_refusals)).await?;
    let view = View::of(&call);
    let title = view.say("check.result");
    let page = Page { scripts: SCRIPTS, ..Page::new(title, PATH, found.body(&view)) };
    Ok(answered(&call, view.write(&page)))
}

/// Judges all records, and keeps the first of them.
fn gather(intake: &mut Ingest<Cursor<Bytes>, Judged>, asked: &Asked, room: &mut Reservation) -> Result<Found, Problem> {
    let mut found = Found::default();
    while let Some(round) = intake.round()? {
        for judged in round {
            let status = judged.verdict.status;
            asked.count(status);
            found.counts[status as usize] += 1;
            if found.told.len() < TOLD {
                room.grow(judged.title.len())?;
                found.told.push(Told { judged, refusal: None });
            } else if found.named.len() < NAMED {
                room.grow(judged.title.len())?;
                found.named.push((judged.title, status));
            }
        }
    }
    Ok(found)
}

impl Found {
    fn with_refusals(mut self) -> Self {
        let mut listed = false;
        for told in &mut self.told {
            told.refusal = told.judged.refusal(&mut listed);
        }
        self
    }

    fn body(&self, view: &View) -> Markup {
        let total: u64 = self.counts.iter().sum();
        let shown = (self.told.len() + self.named.len()) as u64;
        html! {
            h1 { (view.say("check.result")) }
            p.lead role="status" {
                (view.fill("check.summary", &[("records", &total)]))
                @for status in Status::ALL {
                    @let count = self.counts[status as usize];
                    @if count > 0 { " · " (view.word(status.word())) ": " (count) }
                }
            }
            p { a href="#check" { (view.say("check.again")) } }
            @for (number, told) in (1..).zip(&self.told) { (told.body(view, number)) }
            @if !self.named.is_empty() {
                h2 { (view.say("check.more")) }
                ol.names start=(self.told.len() + 1) {
                    @for (title, became) in &self.named { li { (title) " " (status(view, *became)) } }
                }
            }
            @if total > shown { p { (view.fill("check.counted", &[("count", &(total - shown))])) } }
            h2 { (view.say("check.another")) }
            (form(view))
        }
    }
}

impl Judged {
    /// What could have been played instead of a refused move. A game that is over has no legal moves, whether or not its
    /// position string says that it is.
    fn refusal(&self, listed: &mut bool) -> Option<Refusal> {
        let fault = self.verdict.diagnostics.iter().find(|one| one.token.is_some())?;
        if self.verdict.finding.is_some() {
            return None;
        }
        let game = self.verdict.game.and_then(games::find)?;
        let board = game.board(self.verdict.rules, self.verdict.position.as_deref()).ok()?;
        let legal = (!mem::replace(listed, true)).then(|| LegalMoves::of(&*board));
        Some(Refusal { suggestions: fault.suggestions.clone(), legal })
    }
}

impl Told {
    fn body(&self, view: &View, number: usize) -> Markup {
        let Judged { verdict, title, excerpts } = &self.judged;
        let heading = format!("record-{number}");
        let more = verdict.diagnostics.len().saturating_sub(EXPLAINED);
        html! {
            article aria-labelledby=(heading) {
                h2 id=(heading) { (number) "." @if !title.is_empty() { " " (title) } " " (status(view, verdict.status)) }
                (outcome(view, verdict))
                div.judged {
                    div {
                        @for (one, excerpt) in verdict.diagnostics.iter().zip(excerpts) {
                            (diagnostic(view, one, excerpt.as_ref()))
                        }
                        @if more > 0 { p { (view.fill("check.more-found", &[("count", &more)])) } }
                        @if let Some(id) = verdict.id {
                            p.note { (view.say("check.id")) " " code { (quipu_referee::report::hex(&id)) } }
                        }
                    }
                    (self.refused(view))
                }
            }
        }
    }

    /// The board at which the replay stopped, and what could have been played on it.
    fn refused(&self, view: &View) -> Markup {
        let verdict = &self.judged.verdict;
        let Some(game) = verdict.game.and_then(games::find) else { return html! {} };
        let (Some(position), Some(plies)) = (&verdict.position, verdict.plies) else { return html! {} };
        let key = if self.refusal.is_some() { "check.before" } else { "check.after" };
        let label = view.fill(key, &[("ply", &(plies + u64::from(self.refusal.is_some())))]);
        html! {
            div {
                figure {
                    (boards::position(view, game, verdict.rules, position, &label))
                    figcaption { (label) }
                }
                @if let Some(Refusal { suggestions, legal }) = &self.refusal {
                    @if !suggestions.is_empty() { p.label { (view.word("suggestions")) " " (tokens(suggestions)) } }
                    @if let Some(legal) = legal {
                        @if let Some(moves) = &legal.moves {
                            details {
                                summary { (view.fill("check.legal", &[("count", &legal.count)])) }
                                p { (tokens(moves)) }
                            }
                        } @else { p { (view.fill("check.legal", &[("count", &legal.count)])) } }
                    }
                }
            }
        }
    }
}

fn tokens(tokens: &[String]) -> Markup {
    html! { @for (place, token) in tokens.iter().enumerate() { @if place > 0 { " " } code { (token) } } }
}

/// How it ended, and with what points.
pub(super) fn outcome(view: &View, verdict: &Verdict) -> Markup {
    let game = verdict.game.and_then(games::find);
    let end = verdict.finding.and_then(|finding| finding.termination);
    let said = [
        game.map(|game| html! { (view.word(game.name())) }),
        verdict.finding.map(|finding| html! { strong.result { (finding.outcome.as_str()) } }),
        end.map(|end| html! { (view.fill("game.ended", &[("end", &view.word(end.word))])) }),
        verdict.points.zip(game).map(|(points, game)| html! { (records::points(view, game.notation(), points)) }),
        verdict.plies.map(|plies| html! { (view.fill("game.plies", &[("plies", &plies)])) }),
    ];
    html! { p { (joined(said)) } }
}

/// Where something was found.
pub(super) fn place(view: &View, ply: Option<u64>, place: Option<(u64, u64)>) -> Markup {
    let ply = ply.map(|ply| html! { (view.fill("check.ply", &[("ply", &ply)])) });
    let at = |(line, column)| html! { (view.fill("check.place", &[("line", &line), ("column", &column)])) };
    html! { @if ply.is_some() || place.is_some() { (line([ply, place.map(at)])) } }
}

/// One thing found, where it stands, the law and what would be right.
fn diagnostic(view: &View, one: &quipu_referee::Diagnostic, excerpt: Option<&Excerpt>) -> Markup {
    let code = one.code();
    let kind = match one.severity() {
        Severity::Error => "severity.error",
        Severity::Warning => "severity.warning",
    };
    html! {
        div class={ "found " (one.severity().as_str()) } {
            h3 { (view.word(kind)) " " (rules::link(view, code.id)) " " span.source { (catalog().source(code, view.lang)) } }
            p { (catalog().message(&one.message, view.lang)) }
            (place(view, one.ply, one.place.map(|place| (place.line, place.column))))
            @if let Some(excerpt) = excerpt { (excerpt.show(view)) }
            @if let Some(words) = catalog().code(code) {
                dl {
                    dt { (view.say("rules.law")) } dd { (words.law.get(view.lang)) }
                    dt { (view.say("rules.right")) } dd { (words.right.get(view.lang)) }
                }
            }
        }
    }
}
