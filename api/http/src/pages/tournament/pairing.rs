//! The reasons of a pairing in words: brackets, floats and sides (C.04.3).

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_tournament::{
    model::PlayerId,
    pairing::PairedBoard,
    reasons::{Reasons, RulePairing},
};

use super::{
    parameters::{PLACE, round_of},
    tournament_page::{Tab, TournamentPage, page_of},
};
use crate::{
    pages::frame::Page,
    problem::HandlerResult,
    request::RequestContext,
    routes::{shared::COST, tournaments::no_round},
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    // The round is paired again.
    context.charge(COST)?;
    let number = round_of(&context).unwrap_or_default();
    page_of(&context, move |cup| {
        if cup.tournament().round(number).is_none() {
            return Err(no_round(cup.stored, number));
        }
        let name = &cup.tournament().settings.name;
        let title = cup.view.fill("tournament.pairing-of", &[("name", name), ("round", &number)]);
        let body = html! {
            h1 { (title) }
            (cup.tabs(Tab::Other))
            p { a href=(cup.href(&format!("/rounds/{number}"))) { (cup.view.fill("tournament.round", &[("round", &number)])) } }
            (explanation(cup, number))
        };
        Ok(Page::new(title.clone(), PLACE, body))
    })
    .await
}

/// The reasons of the boards of a paired round.
fn explanation(cup: &TournamentPage<'_>, number: u32) -> Markup {
    let Some(round) = cup.tournament().round(number) else { return html! {} };
    let by_rule = RulePairing::new(cup.tournament(), number);
    html! {
        (system(cup))
        ol.names {
            @for board in &round.boards {
                li {
                    @match by_rule.board(board.players) {
                        Some(paired) => (self::board(cup, paired)),
                        None => {
                            (players(cup, board.players))
                            @for reason in reasons(cup).of(None) { p.note { (reason) } }
                        }
                    }
                }
            }
        }
        (super::round::byes(cup, round))
    }
}

fn reasons<'c>(cup: &'c TournamentPage<'_>) -> Reasons<'c> {
    let sides = Side::BOTH.map(|side| cup.side(side));
    Reasons { tournament: cup.tournament(), sides, lang: cup.view.lang }
}

/// The rule of the system.
pub(super) fn system(cup: &TournamentPage<'_>) -> Markup {
    html! { p { (reasons(cup).system()) } }
}

fn players(cup: &TournamentPage<'_>, players: [PlayerId; 2]) -> Markup {
    html! { strong { (cup.name(players[0])) " – " (cup.name(players[1])) } }
}

/// A board with its reasons.
pub(super) fn board(cup: &TournamentPage<'_>, board: &PairedBoard) -> Markup {
    let reasons = reasons(cup).of(Some(board));
    html! {
        (players(cup, board.players))
        @if !reasons.is_empty() { ul { @for reason in reasons { li { (reason) } } } }
    }
}
