//! The verdicts on the records of a check, and their part of the page.

use std::{collections::BTreeSet, io::Cursor, mem};

use actix_web::web::Bytes;
use maud::{Markup, html};
use quipu_referee::{
    Status,
    advice::Players,
    games,
    repaired::{self, MergedSheets, Repair},
    report::hex,
};

use super::{
    fields::{self, FormChoice},
    findings::{Findings, outcome},
    form,
    judged::{Alternatives, Judged, LISTED, Sheet},
    readings, replay, submission,
    text::{BoxText, JoinedText, TextCopy},
};
use crate::{
    budget::Reservation,
    pages::{
        boards,
        frame::{View, status},
    },
    problem::Problem,
    routes::ingest::{Ingest, RequestInfo},
};

/// Records shown in detail, from the first.
const DETAILED: usize = 20;
/// Rejected records whose readings are searched.
const SEARCHED: usize = 5;

/// The verdicts on a body.
#[derive(Default)]
pub(super) struct CheckResult {
    detailed: Vec<DetailedRecord>,
    /// Title and status of the records that are only listed.
    listed: Vec<(String, Status)>,
    counts: [u64; Status::ALL.len()],
    /// The game of the records, if they are its sheets.
    merged: Option<MergedSheets<'static>>,
    choice: FormChoice,
    /// No game has the moves that were chosen.
    is_impossible: bool,
    /// The text of the records.
    pub(super) text: BoxText,
}

/// A record shown in detail.
struct DetailedRecord {
    judged: Judged,
    /// The name of the sheet or file that it stands in.
    part: Option<String>,
    /// The legal moves at the illegal ply.
    alternatives: Option<Alternatives>,
    /// The readings of a rejected record.
    repair: Option<Repair<'static>>,
}

/// Judges all records, and keeps the first ones.
///
/// # Errors
/// Those of the body, or `api.busy` if there is no memory for the page.
pub(super) fn gather(
    mut ingest: Ingest<Cursor<Bytes>, Judged>,
    copy: &TextCopy,
    info: &RequestInfo,
    room: &mut Reservation,
) -> Result<CheckResult, Problem> {
    let (mut found, mut players, mut parts) = (CheckResult::default(), Players::default(), JoinedText::default());
    let (mut has_parts, mut is_of_cells) = (false, false);
    while let Some(round) = ingest.next_batch()? {
        for mut judged in round {
            let names = mem::take(&mut judged.players);
            judged.told.extend(names.iter().filter_map(|name| players.note(name)).map(|slip| (slip, None)));
            let status = judged.verdict.status;
            info.count(status);
            found.counts[status as usize] += 1;
            has_parts |= judged.part.is_some();
            is_of_cells |= judged.sheet == Sheet::Workbook;
            if let Some((form, text)) = judged.text.take() {
                parts.push(form, &text);
            }
            if found.detailed.len() < DETAILED {
                let part = ingest.part_name(judged.part);
                room.grow(judged.size() + part.as_ref().map_or(0, String::len))?;
                found.detailed.push(DetailedRecord { judged, part, alternatives: None, repair: None });
            } else if found.listed.len() < LISTED {
                room.grow(judged.title.len())?;
                found.listed.push((judged.title, status));
            }
        }
    }
    let text = if has_parts { parts.text() } else { copy.text() };
    room.grow(text.as_ref().map_or(0, Vec::len))?;
    found.text = BoxText { is_of_cells, ..BoxText::of(text) };
    Ok(found)
}

impl CheckResult {
    /// The number of records with a status.
    pub(super) fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// The number of all records.
    pub(super) fn count_all(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(super) fn with_refusals(mut self) -> Self {
        let mut counted = false;
        for detailed in &mut self.detailed {
            detailed.alternatives = detailed.judged.alternatives(&mut counted);
        }
        self
    }

    /// True if a record does not name its game.
    pub(super) fn lacks_game(&self) -> bool {
        self.detailed.iter().any(|one| one.judged.lacks_game)
    }

    /// True if there is something to search for: a short rejected record, or sheets of what may be one game.
    pub(super) fn is_searched(&self) -> bool {
        self.may_be_sheets() || self.detailed.iter().any(DetailedRecord::is_searched)
    }

    fn may_be_sheets(&self) -> bool {
        self.listed.is_empty()
            && (2..=readings::MERGED).contains(&self.detailed.len())
            && self.detailed.iter().all(|detailed| detailed.judged.record.is_some())
    }

    /// With the readings of the first rejected records, and the game of a few sheets.
    pub(super) fn with_readings(mut self, mut choice: FormChoice) -> Self {
        let sheets: Vec<_> = self.detailed.iter().filter_map(|detailed| detailed.judged.record.clone()).collect();
        let merged = self.may_be_sheets().then_some(()).and_then(|()| {
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
        let is_rejected = self.count(Status::Rejected) > 0;
        self.merged = merged.filter(|sheets| is_rejected || !sheets.merged.disputed.is_empty());
        self.choice = choice;
        for detailed in self.detailed.iter_mut().filter(|one| one.is_searched()).take(SEARCHED) {
            detailed.repair = detailed.judged.record.as_ref().map(|record| repaired::of(record).into_owned());
        }
        self
    }

    /// The numbers of records, and of those of each status.
    pub(super) fn summary(&self, view: &View) -> Markup {
        html! {
            p.lead role="status" {
                (view.fill("check.summary", &[("records", &self.count_all())]))
                @for status in Status::ALL {
                    @let count = self.count(status);
                    @if count > 0 { " · " (view.word(status.word())) ": " (count) }
                }
            }
        }
    }

    pub(super) fn body(&self, view: &View) -> Markup {
        let shown = (self.detailed.len() + self.listed.len()) as u64;
        let (verified, total) = (self.count(Status::Verified), self.count_all());
        let has_text = !self.text.text.is_empty();
        let mut findings = Findings { view, lines: BTreeSet::new() };
        let buttons = Buttons { view, has_text, is_one_of_many: total > 1 };
        html! {
            @if verified > 0 { (submission::section(view, verified, has_text)) }
            @if let Some(merged) = &self.merged {
                @if self.is_impossible { p.notice role="alert" { (view.say("check.merged.impossible")) } }
                (readings::merged(view, merged, &self.choice, has_text))
            }
            @for (number, detailed) in (1..).zip(&self.detailed) { (detailed.body(&mut findings, &buttons, number)) }
            @if !self.listed.is_empty() {
                h2 { (view.say("check.more")) }
                ol.names start=(self.detailed.len() + 1) {
                    @for (number, (title, became)) in (self.detailed.len() + 1..).zip(&self.listed) {
                        li {
                            (title) " " (status(view, *became))
                            @if *became != Status::Unreadable { " " (buttons.replay(number, 0)) }
                        }
                    }
                }
            }
            @if total > shown { p { (view.fill("check.counted", &[("count", &(total - shown))])) } }
        }
    }
}

/// The buttons beside a record, which act on the text box.
struct Buttons<'v> {
    view: &'v View,
    has_text: bool,
    is_one_of_many: bool,
}

impl Buttons<'_> {
    fn replay(&self, number: usize, ply: u64) -> Markup {
        html! { @if self.has_text { (replay::open(self.view, number, ply)) } }
    }

    /// Submits one of several records.
    fn submit(&self, id: &[u8; 32]) -> Markup {
        html! {
            @if self.has_text && self.is_one_of_many {
                p { button.plain form=(form::ID) name=(fields::SUBMIT) value=(hex(id)) { (self.view.say("check.submit.one")) } }
            }
        }
    }
}

impl DetailedRecord {
    /// True if its readings are searched for: it is short, rejected, and of a game.
    fn is_searched(&self) -> bool {
        let Judged { verdict, record, .. } = &self.judged;
        verdict.status == Status::Rejected && verdict.game.is_some() && record.is_some()
    }

    fn body(&self, findings: &mut Findings<'_>, buttons: &Buttons<'_>, number: usize) -> Markup {
        let view = buttons.view;
        let Judged { verdict, title, .. } = &self.judged;
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
                        (findings.of(&self.judged))
                        @if let Some(id) = verdict.id {
                            p.note { (view.say("check.id")) " " code { (hex(&id)) } }
                            @if verdict.status == Status::Verified { (buttons.submit(&id)) }
                        }
                    }
                    (self.board(buttons, number))
                }
                @if let Some(repair) = &self.repair { (readings::of_record(view, number, repair, buttons.has_text)) }
            }
        }
    }

    /// The board at which the replay stopped, with the alternatives.
    fn board(&self, buttons: &Buttons<'_>, number: usize) -> Markup {
        let (view, verdict) = (buttons.view, &self.judged.verdict);
        let Some(game) = verdict.game.and_then(games::find) else { return html! {} };
        let (Some(position), Some(plies)) = (&verdict.position, verdict.plies) else { return html! {} };
        let key = if self.alternatives.is_some() { "check.before" } else { "check.after" };
        let label = view.fill(key, &[("ply", &(plies + u64::from(self.alternatives.is_some())))]);
        html! {
            div {
                div data-replay=(number) {
                    figure {
                        (boards::position(view, game, verdict.rules, position, &label))
                        figcaption { (label) }
                    }
                    @if plies > 0 { p { (buttons.replay(number, plies)) } }
                }
                @if let Some(Alternatives { suggestions, legal }) = &self.alternatives {
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
