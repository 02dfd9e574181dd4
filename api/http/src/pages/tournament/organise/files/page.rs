//! The page of a pile of files.

use maud::{Markup, html};
use quipu_referee::{Severity, Status, findings, messages::catalog, report::hex};

use super::{
    super::{
        super::tournament_page::{Tab, TournamentPage},
        fields::{DO, Fields, REASON, reason_field, token_field_with},
    },
    fit::{Fit, OtherPlace, OtherSheet, Proposal, Step},
    page_state::{CHECK, FILES, PageState, SHEET, STORE},
    pile::{self, Sheet},
    store::{self, StoreResult},
    upload::{self, Unread},
};
use crate::pages::{
    check,
    form_data::MULTIPART,
    frame::{View, joined, scrollable_table, short, status},
    records, rules,
};

/// Findings shown of a record.
const FINDINGS: usize = 3;
/// Bytes of a record that a button opens on the page that checks it.
const OPENED: usize = 16 * 1024;

pub(super) fn body(cup: &TournamentPage<'_>, title: &str, shown: &PageState) -> Markup {
    let view = cup.view;
    let PageState { pile, outcomes, refusal, reason, .. } = shown;
    let count = |is: fn(&StoreResult) -> bool| outcomes.values().filter(|one| is(one)).count();
    let [new, there, refused] = [
        count(|one| matches!(one, StoreResult::New)),
        count(|one| matches!(one, StoreResult::AlreadyStored)),
        count(|one| matches!(one, StoreResult::Refused(_))),
    ];
    html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        p {
            (joined([
                Some(html! { a href=(cup.href("/organise")) { (view.say("tournament.organise")) } }),
                (cup.last_round() > 0).then(|| html! {
                    a href=(cup.href(&format!("/rounds/{}", cup.last_round()))) { (view.fill("tournament.round", &[("round", &cup.last_round())])) }
                }),
            ]))
        }
        @if let Some(refusal) = refusal { p.notice role="alert" { (refusal) } }
        @if !outcomes.is_empty() {
            p.hint role="status" { (view.fill("pile.stored", &[("new", &new), ("there", &there), ("refused", &refused)])) }
        }
        form #pile action=(cup.href("/files")) method="post" enctype=(MULTIPART) data-resend {
            (token_field_with(view, "pile.token"))
            p {
                label for="files" { (view.say("pile.files")) }
                input #files name=(FILES) type="file" multiple aria-describedby="pile-note";
            }
            p #drop hidden { (view.say("pile.drop")) }
            p.note #pile-note { (view.fill("pile.note", &[("files", &upload::MAX_FILES), ("records", &pile::MAX_RECORDS)])) }
            p { button #check name=(DO) value=(CHECK) { (view.say("pile.check")) } }
            @for Unread { file, problem } in &pile.unread { p.notice { (file) ": " (problem.detail(view.lang)) } }
            @if pile.again > 0 { p.note { (view.fill("pile.again", &[("count", &pile.again)])) } }
            @if !pile.sheets.is_empty() {
                (sheets(cup, shown))
                (reason_field(view, &Fields::with(REASON, reason)))
                p.note { (view.say("pile.reason-note")) }
                p { button name=(DO) value=(STORE) { (view.say("pile.store")) } }
            }
        }
    }
}

fn sheets(cup: &TournamentPage<'_>, shown: &PageState) -> Markup {
    let view = cup.view;
    let fits = shown.fits.iter().filter(|fit| fit.place.is_ok()).count();
    let caption = view.say("pile.records");
    let fields = shown.pile.fields();
    let rows = shown.pile.sheets.iter().zip(&shown.fits).zip(&fields).enumerate();
    let table = html! {
        // On a phone the rows are cards; the roles stay those of a table.
        table.pile role="table" {
            caption { (caption) }
            thead role="rowgroup" {
                tr role="row" {
                    @for key in ["pile.record", "records.status", "event.board", "pile.storing"] {
                        th scope="col" role="columnheader" { (view.say(key)) }
                    }
                }
            }
            tbody role="rowgroup" {
                @for (index, ((sheet, fit), field)) in rows {
                    (RecordRow { cup, shown, index, sheet, fit, is_kept: field.is_some() }.body())
                }
            }
        }
    };
    html! {
        // The table has the same name, and is the landmark.
        section {
            h2 #records { (caption) }
            p role="status" { (view.fill("pile.counts", &[("records", &shown.pile.sheets.len()), ("fit", &fits)])) }
            @for field in fields.iter().flatten() { input type="hidden" name=(SHEET) value=(field); }
            (scrollable_table(caption, &table))
        }
    }
}

struct RecordRow<'s> {
    cup: &'s TournamentPage<'s>,
    shown: &'s PageState,
    index: usize,
    sheet: &'s Sheet,
    fit: &'s Fit,
    /// False if there is no room to keep it.
    is_kept: bool,
}

impl RecordRow<'_> {
    fn view(&self) -> &View {
        self.cup.view
    }

    fn body(&self) -> Markup {
        let players = self.sheet.submission.facts.players.each_ref().map(Option::as_deref);
        html! {
            tr role="row" {
                th scope="row" role="rowheader" {
                    (self.sheet.origin)
                    @if players != [None, None] { br; (players[0].unwrap_or("?")) " – " (players[1].unwrap_or("?")) }
                }
                td role="cell" { (self.verdict()) }
                td role="cell" { (self.board()) }
                td role="cell" { (self.storing()) }
            }
        }
    }

    /// The verdict with its first findings.
    fn verdict(&self) -> Markup {
        let (view, submission) = (self.view(), &self.sheet.submission);
        let verdict = &submission.verdict;
        let found = findings::for_people(verdict, None);
        let game = verdict.points.zip(submission.facts.game);
        let text = str::from_utf8(&submission.source).ok();
        let text = text.filter(|text| verdict.status != Status::Verified && (1..=OPENED).contains(&text.len()));
        html! {
            (status(view, verdict.status))
            @if let Some(end) = verdict.end { " " span.result { (end.outcome.as_str()) } }
            @if let Some((points, game)) = game { " " span.points { (records::points(view, game, points)) } }
            @for one in found.iter().filter(|one| one.severity() == Severity::Error).take(FINDINGS) {
                p {
                    (rules::link(view, one.code().id)) " " (catalog().message(&one.message, view.lang))
                }
                (check::place(view, one.ply, one.place.map(|at| (at.line, at.column))))
            }
            @if let Some(text) = text {
                button.plain name="text" value=(text) formaction=(view.href(check::PATH, &[])) { (view.say("pile.open")) }
            }
        }
    }

    /// The board, or the reason that there is none, and other records of the game.
    fn board(&self) -> Markup {
        let (cup, view) = (self.cup, self.view());
        html! {
            @match &self.fit.place {
                Ok(place) => (cup.place(*place)),
                Err(fault) => {
                    (cup.sentence(fault))
                    @if let Some(place) = self.fit.meant() { p { (view.say("pile.would-be")) " " (cup.place(place)) } }
                },
            }
            @for other in &self.fit.others { p { (self.other(other)) } }
            @if self.fit.more > 0 { p { (view.fill("pile.more", &[("count", &self.fit.more)])) } }
            @if self.fit.other_result { p.mark { (view.say("pile.other-result")) } }
        }
    }

    fn other(&self, other: &OtherSheet) -> Markup {
        let view = self.view();
        let is_stored = matches!(other.place, OtherPlace::Stored(_));
        let key = match (is_stored, other.agrees) {
            (true, true) => "pile.agrees",
            (true, false) => "pile.contradicts",
            (false, true) => "pile.agrees-here",
            (false, false) => "pile.contradicts-here",
        };
        html! {
            span.mark[!other.agrees] { (view.say(key)) } " "
            @match &other.place {
                OtherPlace::Stored(id) => {
                    @let id = hex(id);
                    a href=(view.href(&format!("/records/{id}"), &[])) { (short(&id)) }
                },
                OtherPlace::Pile(index) => (self.shown.pile.sheets[*index].origin),
            }
        }
    }

    /// The result of storing it, or the box that chooses it.
    fn storing(&self) -> Markup {
        let (view, fit) = (self.view(), self.fit);
        let id = hex(&self.sheet.submission.id);
        let link = |key| html! { a href=(view.href(&format!("/records/{id}"), &[])) { (view.say(key)) } };
        let refused = match self.shown.outcomes.get(&self.index) {
            Some(StoreResult::Refused(reason)) => Some(reason),
            _ => None,
        };
        html! {
            @if let Some(reason) = refused { p.mark { (reason) } }
            @match (self.shown.outcomes.get(&self.index), fit.state) {
                (Some(StoreResult::New), _) => (link("pile.new")),
                (_, Some(state)) => { (link("pile.there")) " " span.meta { "(" (records::state(view, state)) ")" } },
                _ => (self.choice()),
            }
        }
    }

    fn choice(&self) -> Markup {
        let (view, fit) = (self.view(), self.fit);
        let Some(seen) = fit.seen() else { return html! { "–" } };
        if !self.is_kept {
            return html! { (view.say("pile.no-room")) };
        }
        let proposal = fit.proposal.as_ref().filter(|_| fit.place.is_err());
        let words = match proposal.map(|proposal| &proposal.step) {
            None => view.say("pile.choose").to_owned(),
            Some(Step::Tags(tags)) => {
                let tags: Vec<_> = tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]")).collect();
                view.fill("pile.choose-tags", &[("tags", &tags.join(" "))])
            }
            Some(Step::Names(names)) => {
                let names: Vec<_> = names
                    .iter()
                    .map(|[name, into]| view.fill("pile.name", &[("name", name), ("into", into)]))
                    .collect();
                view.fill("pile.choose-names", &[("names", &names.join("; "))])
            }
        };
        let origin = &self.sheet.origin;
        let id = self.sheet.submission.id;
        let value = format!("{} {seen}", hex(&id));
        let is_checked =
            if self.shown.offered.contains(&id) { self.shown.chosen.contains(&value) } else { proposal.is_none() };
        html! {
            input type="hidden" name=(store::OFFERED) value=(hex(&id));
            label {
                input type="checkbox" name=(store::CHOSEN) value=(value) checked[is_checked]
                    aria-label={ (words) " – " (origin) };
                " " (words)
            }
            @if let Some(text) = proposal.and_then(|proposal: &Proposal| store::preview(self.sheet, proposal)) {
                details { summary { (view.say("pile.preview")) } pre { (text) } }
            }
        }
    }
}
