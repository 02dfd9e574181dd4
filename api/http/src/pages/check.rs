//! The check of a scoresheet: records are pasted, dropped or chosen in any format and judged, and nothing is stored.
//! Each finding is shown with its place in the text, the board before the fault, the legal moves, and the law.

use std::{borrow::Cow, io::Cursor, mem};

use actix_web::web::{self, Bytes};
use maud::{Markup, html};
use quipu_notation::{
    LineColumn, Side,
    record::{Chunk, Format, Record},
};
use quipu_referee::{
    Diagnostic, Severity, Status, Verdict,
    advice::{PlayerName, Players},
    competition, findings, games,
    messages::catalog,
    repaired::{self, MergedSheets, Repair},
    verify,
};

use super::{
    boards,
    form_body::{self, Form, FormChoice, FormContent, MULTIPART, URLENCODED},
    frame::{Page, View, joined, line, page_response, status},
    readings, records, rules,
    snippet::Snippet,
};
use crate::{
    budget::Reservation,
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, Method, Route},
    routes::{
        ingest::{Ingest, RequestInfo},
        positions::LegalMoves,
        repair::COST,
        shared::{FROM, LANG, PAGE},
        verify::player_names,
    },
};

/// Media types of records, in the form of the page or as they are.
const FORMS: &[Content] = &[
    Content::text(MULTIPART),
    Content::text(URLENCODED),
    Content::text("text/plain"),
    Content::text("application/json"),
    Content::text("application/x-ndjson"),
    Content::text("text/csv"),
    Content::text("text/tab-separated-values"),
    Content::text("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    Content::text("application/vnd.oasis.opendocument.spreadsheet"),
    Content::text("application/gzip"),
    Content::text("application/zstd"),
    Content::text("application/zip"),
    Content::text("application/octet-stream"),
];

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint { route: Route { path: "/check", id: "page-check", ..PAGE }, handler: |context| Box::pin(show(context)) },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/check",
            id: "check",
            params: &[FROM, LANG],
            body: FORMS,
            streams: true,
            ..PAGE
        },
        handler: |context| Box::pin(check(context)),
    },
];

/// Path of the page.
pub(super) const PATH: &str = form_body::ACTION;
/// Records shown in detail, from the first.
const DETAILED: usize = 20;
/// Encodings that a file can be read in where its content does not say which.
const ENCODINGS: [&str; 3] = ["windows-1252", "utf-16le", "utf-16be"];
/// Records listed with their status.
const LISTED: usize = 500;
/// Findings explained per record, beside its errors.
pub(super) const EXPLAINED: usize = 20;
/// Rejected records whose readings are searched.
const SEARCHED: usize = 5;
/// Records that are merged if they are sheets of one game.
const MERGED: usize = 4;
/// Bytes of a record that is kept for this, and how many times its size it takes.
const KEPT: usize = 16 * 1024;
const SIZE_KEPT: usize = 50;
/// Bytes of a finding that is shown beside them.
const FINDING: usize = 1024;

async fn show(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let title = view.say("check.title");
    let body = html! {
        h1 { (title) }
        p.lead { (view.say("check.lead")) }
        (form(&view, ""))
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
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("check")))
}

/// Scripts of pages with the form.
pub(super) const SCRIPTS: &[&str] = &["/assets/check.js"];

/// The form with a text. Everything except dropping a file works without a script.
pub(super) fn form(view: &View, text: &str) -> Markup {
    html! {
        form #check action=(view.href(PATH, &[])) method="post" enctype="multipart/form-data" {
            label for="text" { (view.say("check.text")) }
            textarea #text name="text" rows="12" spellcheck="false" autocapitalize="off" autocomplete="off" { (text) }
            label for="file" { (view.say("check.file")) }
            input #file name="file" type="file";
            label for="encoding" { (view.say("check.encoding")) }
            select #encoding name="encoding" {
                option value="" { (view.say("check.encoding.content")) }
                @for name in ENCODINGS { option value=(name) { (name) } }
            }
            p #drop hidden { (view.say("check.drop")) }
            button { (view.say("check.button")) }
            p.note { (view.say("check.kept")) }
        }
    }
}

/// A judged record.
struct Judged {
    verdict: Verdict,
    title: String,
    /// The findings as people read them, those that are shown, each with the lines around it.
    told: Vec<(Diagnostic, Option<Snippet>)>,
    /// Findings that are not shown.
    more: usize,
    /// True if a turn is likely missing before the refused move.
    turn_is_missing: bool,
    players: Vec<PlayerName<'static>>,
    /// Its form, and the number of the sheet or file that it stands in.
    sheet: Sheet,
    part: Option<usize>,
    /// The record, if it is short, for its readings, and about the bytes that it takes.
    record: Option<Record<'static>>,
    kept: usize,
}

/// The form of a record, which its places and corrections depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sheet {
    /// A text or JSON.
    None,
    /// Rows of cells in a text.
    Csv,
    /// Rows of cells in a workbook.
    Workbook,
}

impl Sheet {
    fn of(chunk: &Chunk<'_>) -> Self {
        match chunk.form() {
            Format::Csv if chunk.is_of_cells() => Self::Workbook,
            Format::Csv => Self::Csv,
            _ => Self::None,
        }
    }
}

fn judge(chunk: &Chunk<'_>, most: usize) -> Vec<Judged> {
    let around = |one: &Diagnostic| {
        let at = one.span.zip(one.place).filter(|_| chunk.oversized().is_none());
        at.map(|(span, place)| Snippet::of(chunk.text(), span, place))
    };
    // The referee drops comments, which a reading keeps.
    let mut whole = (chunk.text().len() <= KEPT).then(|| chunk.records());
    let judged = verify::chunk(chunk).take(most).map(|judged| {
        let found = findings::for_people(&judged.verdict, judged.record.as_ref());
        let turn_is_missing = findings::turn_is_missing(found.iter().map(|one| &**one));
        let advice = &judged.verdict.advice;
        let errors = found.iter().take_while(|one| one.severity() == Severity::Error).count();
        let shown = errors.max(EXPLAINED);
        let more = found.len().saturating_sub(shown) + advice.len().saturating_sub(EXPLAINED);
        let advice = advice.iter().take(EXPLAINED).map(Cow::Borrowed);
        let told = found.into_iter().take(shown).chain(advice).enumerate().map(|(place, one)| {
            let snippet = if place < 2 * EXPLAINED { around(&one) } else { None };
            (one.into_owned(), snippet)
        });
        let record =
            whole.as_mut().and_then(Iterator::next).and_then(Result::ok).map(|record| repaired::owned(&record));
        Judged {
            kept: if record.is_some() { SIZE_KEPT * chunk.text().len() } else { 0 },
            record,
            told: told.collect(),
            more,
            turn_is_missing,
            players: player_names(chunk, judged.record.as_ref()),
            sheet: Sheet::of(chunk),
            part: chunk.part(),
            title: judged.record.as_ref().map(title).unwrap_or_default(),
            verdict: judged.verdict,
        }
    });
    judged.collect()
}

/// The names of the players, as far as they are written.
fn title(record: &Record<'_>) -> String {
    let Some(game) = record.game() else { return String::new() };
    let name = |side| competition::known_value(record, game.side(side).tag).unwrap_or("?");
    let names = Side::BOTH.map(name);
    if names == ["?"; 2] { String::new() } else { quipu_referee::shown(names.join(" – ").as_bytes()) }
}

/// The verdicts on a body.
#[derive(Default)]
struct CheckResult {
    detailed: Vec<DetailedRecord>,
    /// Title and status of the records that are only listed.
    listed: Vec<(String, Status)>,
    counts: [u64; Status::ALL.len()],
    /// The game of the records, if they are its sheets.
    merged: Option<MergedSheets<'static>>,
    /// The choices of the form.
    choice: FormChoice,
    /// No game has the moves that were chosen.
    is_impossible: bool,
    /// The chosen reading; empty if there is none.
    taken: String,
}

/// A record shown in detail.
struct DetailedRecord {
    judged: Judged,
    /// The name of the sheet or file that it stands in.
    part: Option<String>,
    /// The legal moves at the refused ply.
    refusal: Option<Refusal>,
    /// The readings of a rejected record.
    repair: Option<Repair<'static>>,
}

/// Alternatives to a refused move.
struct Refusal {
    /// Legal moves that may have been meant.
    suggestions: Vec<String>,
    /// All legal moves, only of the first refused record: there may be very many, and counting them takes time.
    legal: Option<LegalMoves>,
}

async fn check(mut context: RequestContext) -> HandlerResult {
    let info = RequestInfo::of(&context);
    let (form, body) = (Form::of(&context), context.body().await?);
    let mut room = context.take_body_reservation();
    room.grow(form.copies(&body))?;
    let parse = move || form.content(body);
    let form = web::block(parse).await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL)))?;
    let FormContent { records, encoding, choice } = form;
    if choice.is_some() && records.len() > readings::TAKEN {
        return Err(Problem::variant(problem::TOO_LARGE, "body").with("max", readings::TAKEN));
    }
    // Each choice starts a search anew.
    if choice.as_ref().is_some_and(|choice| choice.taken.is_some() || !choice.plies.is_empty()) {
        context.charge(COST)?;
    }
    let taken = match &choice {
        Some(choice) if choice.taken.is_some() => {
            let (records, choice) = (records.clone(), choice.clone());
            context.work(move || Ok(readings::taken(&records, &choice))).await?
        }
        _ => None,
    };
    let records = taken.clone().map_or(records, Bytes::from);
    let permit = context.permit().await?;
    let mut ingest = Ingest::new(&context, Cursor::new(records), judge).at_once(permit);
    if let Some(encoding) = encoding {
        ingest = ingest.with_encoding(encoding);
    }
    let work = move || {
        let choice = choice.unwrap_or_default();
        let found = gather(&mut ingest, &info, &mut room)?.with_refusals().with_readings(choice);
        Ok(CheckResult { taken: taken.unwrap_or_default(), ..found })
    };
    let found = context.work_with((), work).await?;
    let view = View::of(&context);
    let title = view.say("check.result");
    let page = Page { scripts: SCRIPTS, ..Page::new(title, PATH, found.body(&view)) };
    Ok(page_response(&context, view.write(&page)))
}

/// Judges all records, and keeps the first ones.
fn gather(
    ingest: &mut Ingest<Cursor<Bytes>, Judged>,
    info: &RequestInfo,
    room: &mut Reservation,
) -> Result<CheckResult, Problem> {
    let (mut found, mut players) = (CheckResult::default(), Players::default());
    while let Some(round) = ingest.next_batch()? {
        for mut judged in round {
            let names = mem::take(&mut judged.players);
            judged.told.extend(names.iter().filter_map(|name| players.note(name)).map(|slip| (slip, None)));
            let status = judged.verdict.status;
            info.count(status);
            found.counts[status as usize] += 1;
            if found.detailed.len() < DETAILED {
                let part = ingest.part_name(judged.part);
                room.grow(judged.size() + part.as_ref().map_or(0, String::len))?;
                found.detailed.push(DetailedRecord { judged, part, refusal: None, repair: None });
            } else if found.listed.len() < LISTED {
                room.grow(judged.title.len())?;
                found.listed.push((judged.title, status));
            }
        }
    }
    Ok(found)
}

impl CheckResult {
    fn with_refusals(mut self) -> Self {
        let mut counted = false;
        for detailed in &mut self.detailed {
            detailed.refusal = detailed.judged.refusal(&mut counted);
        }
        self
    }

    /// With the readings of the first rejected records, and the game of a few sheets.
    fn with_readings(mut self, choice: FormChoice) -> Self {
        let all: Option<Vec<_>> = self.detailed.iter().map(|detailed| detailed.judged.record.clone()).collect();
        let is_alone = self.listed.is_empty() && (2..=MERGED).contains(&self.detailed.len());
        let mut choice = choice;
        let merged = all.filter(|_| is_alone).and_then(|sheets| {
            repaired::merge_with(&sheets, &choice.plies).ok().or_else(|| {
                // No game has all that was chosen: the last choice is dropped, or all if that is not enough.
                self.is_impossible = choice.plies.pop().is_some();
                let without = |choice: &FormChoice| repaired::merge_with(&sheets, &choice.plies).ok();
                let merged = self.is_impossible.then(|| without(&choice)).flatten();
                merged.or_else(|| {
                    choice.plies.clear();
                    self.is_impossible.then(|| without(&choice)).flatten()
                })
            })
        });
        self.merged = merged.filter(|sheets| {
            let rejected = self.counts[Status::Rejected as usize];
            rejected > 0 || !sheets.merged.disputed.is_empty()
        });
        self.choice = choice;
        let rejected = self.detailed.iter_mut().filter(|one| one.judged.verdict.status == Status::Rejected);
        for detailed in rejected.take(SEARCHED) {
            detailed.repair = detailed.judged.record.as_ref().map(|record| repaired::of(record).into_owned());
        }
        self
    }

    fn body(&self, view: &View) -> Markup {
        let total: u64 = self.counts.iter().sum();
        let shown = (self.detailed.len() + self.listed.len()) as u64;
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
            @if let Some(merged) = &self.merged {
                @if self.is_impossible { p.notice role="alert" { (view.say("check.merged.impossible")) } }
                @let sheets = self.detailed.iter().filter_map(|one| one.judged.record.clone()).collect::<Vec<_>>();
                (readings::merged(view, merged, &sheets, &self.choice))
            }
            @for (number, detailed) in (1..).zip(&self.detailed) { (detailed.body(view, number)) }
            @if !self.listed.is_empty() {
                h2 { (view.say("check.more")) }
                ol.names start=(self.detailed.len() + 1) {
                    @for (title, became) in &self.listed { li { (title) " " (status(view, *became)) } }
                }
            }
            @if total > shown { p { (view.fill("check.counted", &[("count", &(total - shown))])) } }
            h2 { (view.say(if self.taken.is_empty() { "check.another" } else { "check.taken" })) }
            (form(view, &self.taken))
        }
    }
}

impl Judged {
    /// About the bytes of its part of the page.
    fn size(&self) -> usize {
        self.kept + self.title.len() + self.told.len().saturating_sub(EXPLAINED) * FINDING
    }

    /// The alternatives in the position before a refused move.
    fn refusal(&self, counted: &mut bool) -> Option<Refusal> {
        let fault = self.verdict.diagnostics.iter().find(|one| one.token.is_some())?;
        let game = self.verdict.game.and_then(games::find)?;
        let board = game.board(self.verdict.rules, self.verdict.position.as_deref()).ok()?;
        // A game that is over has no legal moves, even if its position string does not say so.
        if self.verdict.finding.is_some() {
            return None;
        }
        let legal = (!mem::replace(counted, true)).then(|| LegalMoves::of(&*board));
        Some(Refusal { suggestions: fault.suggestions.clone(), legal })
    }
}

impl DetailedRecord {
    fn body(&self, view: &View, number: usize) -> Markup {
        let Judged { verdict, title, told, more, sheet, .. } = &self.judged;
        let heading = format!("record-{number}");
        html! {
            article aria-labelledby=(heading) {
                h2 id=(heading) { (number) "." @if !title.is_empty() { " " (title) } " " (status(view, verdict.status)) }
                @if let Some(part) = &self.part {
                    p.note { (view.say("check.part")) " " (quipu_referee::shown(part.as_bytes())) }
                }
                (outcome(view, verdict))
                div.judged {
                    div {
                        @for (place, (one, snippet)) in told.iter().enumerate() {
                            @let is_new = told[..place].iter().all(|(other, _)| other.code() != one.code());
                            (diagnostic(view, one, snippet.as_ref(), *sheet, is_new))
                        }
                        @if *more > 0 { p { (view.fill("check.more-found", &[("count", more)])) } }
                        @if let Some(id) = verdict.id {
                            p.note { (view.say("check.id")) " " code { (quipu_referee::report::hex(&id)) } }
                        }
                    }
                    (self.refused(view))
                }
                @if let Some(repair) = &self.repair { (readings::of_record(view, repair)) }
            }
        }
    }

    /// The board at which the replay stopped, with the alternatives.
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
                    @if self.judged.turn_is_missing { p.note { (view.word("suggestions.turn")) } }
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

/// The ending and the points.
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

/// The place of a finding in a worksheet.
fn place_in_sheet(view: &View, ply: Option<u64>, place: LineColumn) -> Markup {
    let ply = ply.map(|ply| html! { (view.fill("check.ply", &[("ply", &ply)])) });
    line([ply, Some(html! { (view.fill("check.cell", &[("cell", &place.cell())])) })])
}

/// The place of a finding.
pub(super) fn place(view: &View, ply: Option<u64>, place: Option<(u64, u64)>) -> Markup {
    let ply = ply.map(|ply| html! { (view.fill("check.ply", &[("ply", &ply)])) });
    let at = |(line, column)| html! { (view.fill("check.place", &[("line", &line), ("column", &column)])) };
    html! { @if ply.is_some() || place.is_some() { (line([ply, place.map(at)])) } }
}

/// A finding with its place and, with the first of its code, the law and the correction.
fn diagnostic(view: &View, one: &Diagnostic, snippet: Option<&Snippet>, sheet: Sheet, with_law: bool) -> Markup {
    let code = one.code();
    html! {
        div class={ "found " (one.severity().as_str()) } {
            h3 { (view.word(one.severity().word())) " " (rules::link(view, code.id)) " " span.source { (catalog().source(code, view.lang)) } }
            p { (catalog().message(&one.message, view.lang)) }
            @match one.place {
                Some(at) if sheet == Sheet::Workbook => { (place_in_sheet(view, one.ply, at)) }
                at => { (place(view, one.ply, at.map(|at| (at.line, at.column)))) }
            }
            @if let Some(snippet) = snippet { (snippet.show(view)) }
            @if with_law && let Some(words) = catalog().code(code) {
                @match words.cells.as_ref().filter(|_| sheet != Sheet::None) {
                    // The law is that of the text form.
                    Some(cells) => dl { dt { (view.say("rules.right")) } dd { (cells.get(view.lang)) } },
                    None => dl {
                        @if one.severity() != Severity::Advice {
                            dt { (view.say("rules.law")) } dd { (words.law.get(view.lang)) }
                        }
                        dt { (view.say("rules.right")) } dd { (words.right.get(view.lang)) }
                    },
                }
            }
        }
    }
}
