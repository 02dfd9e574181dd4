//! Records of an event that stand for one game, and records that contradict each other.

use maud::{Markup, html};
use quipu_referee::{competition::Difference, report::hex};

use super::data::{EventData, RELATED};
use crate::pages::frame::View;
use quipu_archive::{model::Id, store::Contradiction};

/// A link to one of several records, which are numbered.
fn record_link(view: &View, id: &Id, number: u64) -> Markup {
    let said = view.fill("event.sheet", &[("number", &number)]);
    html! { a href=(view.href(&format!("/records/{}", hex(id)), &[])) { (said) } }
}

/// The difference between two records in words.
fn difference_text(view: &View, difference: &Difference) -> String {
    match difference {
        Difference::Ply(ply, moves) => {
            let ended = || view.say("event.ended").to_owned();
            let [one, two] = moves.each_ref().map(|token| token.clone().unwrap_or_else(ended));
            view.fill("event.difference", &[("ply", ply), ("one", &one), ("two", &two)])
        }
        Difference::Result([one, two]) => {
            view.fill("event.result-differs", &[("one", &one.as_str()), ("two", &two.as_str())])
        }
    }
}

/// The games with several sheets, each a list of links.
pub(super) fn sheets(data: &EventData, view: &View) -> Markup {
    let all = &data.related.sheets;
    html! {
        @if !all.is_empty() {
            section aria-labelledby="sheets" {
                h2 #sheets { (view.say("event.sheets")) }
                p { (view.say("event.sheets-count")) }
                ul.names {
                    @for sheets in all.iter().take(RELATED) {
                        li {
                            @if let Some((_, id)) = sheets.first() { (data.title(id)) ":" }
                            @for (number, (_, id)) in (1..).zip(sheets) { " " (record_link(view, id, number)) }
                        }
                    }
                    @if all.len() > RELATED { li { "…" } }
                }
            }
        }
    }
}

/// Records that contradict each other.
pub(super) fn contradictions(data: &EventData, view: &View) -> Markup {
    let all = &data.related.contradictions;
    html! {
        @if !all.is_empty() {
            section aria-labelledby="contradictions" {
                h2 #contradictions { (view.say("event.contradictions")) }
                p { (view.say("event.contradictions-count")) }
                ul.names {
                    @for Contradiction { records, difference } in all.iter().take(RELATED) {
                        li {
                            (data.title(&records[0].1)) ":"
                            @for (number, (_, id)) in (1..).zip(records) { " " (record_link(view, id, number)) }
                            @if let Some(difference) = difference { " · " (difference_text(view, difference)) }
                        }
                    }
                    @if all.len() > RELATED { li { "…" } }
                }
            }
        }
    }
}
