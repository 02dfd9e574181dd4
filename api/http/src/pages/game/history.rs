//! The state and the history of a record.

use maud::{Markup, html};
use quipu_referee::report::hex;

use super::record::RecordPage;
use crate::pages::{
    frame::{View, short, time},
    records,
};
use quipu_archive::{
    model::{Change, ChangeKind, Id, RecordState},
    store::History,
};

impl RecordPage {
    /// The state of the record, with links to the records that replace it or that it replaces.
    pub(super) fn standing(&self, view: &View) -> Markup {
        let History { card, changes, sheets, .. } = &self.history;
        let corrections = || changes.iter().filter(|one| one.kind == ChangeKind::Correction && one.undone_by.is_none());
        let link = |id: &Id| {
            let id = hex(id);
            html! { a href=(view.href(&format!("/records/{id}"), &[])) { code { (short(&id)) } } }
        };
        html! {
            @if card.state != RecordState::Current { p.notice { strong { (records::state(view, card.state)) } } }
            @for change in corrections() {
                @if let (Some(old), Some(new)) = (&change.corrects, &change.record) {
                    @if *old == card.id { p { (view.say("game.replaced-by")) " " (link(new)) } }
                    @if *new == card.id { p { (view.say("game.replaces")) " " (link(old)) } }
                }
            }
            @if let Some(counted) = &card.sheet_of { p.notice { (view.say("game.sheet-of")) " " (link(counted)) } }
            @let others: Vec<_> = sheets.iter().filter(|(_, id)| *id != card.id && Some(*id) != card.sheet_of).collect();
            @if !others.is_empty() {
                p { (view.say("game.sheets")) @for (_, id) in others { " " (link(id)) } }
            }
        }
    }

    /// The changes that affected the record.
    pub(super) fn changes(&self, view: &View) -> Markup {
        let History { by, changes, .. } = &self.history;
        let form = self.form.as_str();
        html! {
            section aria-labelledby="history" {
                h2 #history { (view.say("game.history")) }
                p { (view.fill("game.handed-in", &[("who", &by.submitter), ("form", &form)])) }
                ol.names { @for change in changes { li { (self.change(view, change)) } } }
                p.note { (view.say("game.id")) " " code { (self.id) } }
            }
        }
    }

    fn change(&self, view: &View, change: &Change) -> Markup {
        let kind = view.say(match change.kind {
            ChangeKind::Record => "change.record",
            ChangeKind::Verdict => "change.verdict",
            ChangeKind::Correction if change.corrects == Some(self.history.card.id) => "change.corrected",
            ChangeKind::Correction => "change.correction",
            ChangeKind::Retraction => "change.retraction",
            ChangeKind::Merge => "change.merge",
            ChangeKind::Tournament => "change.tournament",
            ChangeKind::Undo => "change.undo",
        });
        html! {
            (time(change.at)) " · " (kind)
            @if let Some(author) = &change.by.author { " · " (author) }
            @if let Some(reason) = &change.by.reason { ": " (reason) }
        }
    }
}
