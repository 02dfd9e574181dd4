//! Changes of a tournament in words.

use maud::{Markup, html};
use quipu_archive::{model::Change, store::TournamentChange};
use quipu_tournament::summary::summary;

use super::tournament_page::TournamentPage;
use crate::pages::frame::{joined, time};

pub(super) fn effect(cup: &TournamentPage<'_>, change: &TournamentChange) -> String {
    // The numbers of an undone change may be those of other players by now.
    let names = change.undo.is_none().then(|| cup.tournament());
    summary(&change.steps, names, cup.view.lang)
}

/// Time, author and reason of a change.
pub(super) fn origin(cup: &TournamentPage<'_>, change: &Change) -> Markup {
    let reason = change.by.reason.as_ref();
    joined([
        Some(time(change.at)),
        Some(html! { (change.by.author.as_ref().unwrap_or(&change.by.submitter)) }),
        reason.map(|reason| html! { (cup.view.fill("tournament.reason-is", &[("reason", reason)])) }),
    ])
}

/// The changes of the tie-breaks with their reasons.
pub(super) fn orders(cup: &TournamentPage<'_>, orders: &[TournamentChange]) -> Markup {
    html! {
        @if !orders.is_empty() {
            p.note { (cup.view.say("tournament.order-changed")) }
            ul.names {
                @for order in orders {
                    li { (effect(cup, order)) br; span.meta { (origin(cup, &order.change)) } }
                }
            }
        }
    }
}
