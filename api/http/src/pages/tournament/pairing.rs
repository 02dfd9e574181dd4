//! The reasons of a pairing in words: brackets, floats and sides (C.04.3).

use maud::{Markup, html};
use quipu_referee::competition::Half;
use quipu_tournament::{
    model::{PlayerId, System, Tournament},
    pairing::{self, PairedBoard},
    swiss::{Allocation, Explained, FloatKind, Placement, Strength},
};

use super::{
    parameters::{PLACE, round_of},
    tournament_page::{Tab, TournamentPage, page_of},
};
use crate::{
    pages::frame::{Page, fraction},
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

/// The reasons of the boards of a paired round. The pairing is computed again from what was before it.
fn explanation(cup: &TournamentPage<'_>, number: u32) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let Some(round) = tournament.round(number) else { return html! {} };
    let again = pairing::next(&before(tournament, number)).ok();
    let same = |players: [PlayerId; 2]| again.as_ref()?.boards.iter().find(|board| board.players == players);
    html! {
        (system(cup))
        ol.names {
            @for board in &round.boards {
                li {
                    @match same(board.players) {
                        Some(paired) => (self::board(cup, paired)),
                        None => {
                            (players(cup, board.players))
                            p.note { (view.say("tournament.why.other")) }
                        }
                    }
                }
            }
        }
        (super::round::byes(cup, round))
    }
}

/// The tournament as it was before a round was paired, with the results of today.
fn before(tournament: &Tournament, number: u32) -> Tournament {
    let mut before = tournament.clone();
    before.rounds.truncate((number as usize).saturating_sub(1));
    before
}

/// The rule of the system.
pub(super) fn system(cup: &TournamentPage<'_>) -> Markup {
    let key = match cup.tournament().settings.system {
        System::Swiss { accelerated: false } => "tournament.why.swiss",
        System::Swiss { accelerated: true } => "tournament.why.accelerated",
        System::RoundRobin { .. } => "tournament.why.round-robin",
        System::Knockout { .. } => "tournament.why.knockout",
        System::Manual => "tournament.why.manual",
    };
    html! { p { (cup.view.say(key)) } }
}

fn players(cup: &TournamentPage<'_>, players: [PlayerId; 2]) -> Markup {
    html! { strong { (cup.name(players[0])) " – " (cup.name(players[1])) } }
}

/// A board with its reasons.
pub(super) fn board(cup: &TournamentPage<'_>, board: &PairedBoard) -> Markup {
    html! {
        (players(cup, board.players))
        @if let Some(explained) = &board.explanation { (reasons(cup, explained)) }
    }
}

fn reasons(cup: &TournamentPage<'_>, explained: &Explained) -> Markup {
    let view = cup.view;
    html! {
        ul {
            li { (view.fill("tournament.why.bracket", &[("bracket", &explained.bracket)])) }
            @for placement in &explained.players { li { (self::placement(cup, placement)) } }
            @if cup.tournament().settings.encounter.prefers_sides() { li { (view.say(allocation(explained.sides))) } }
        }
    }
}

/// The way of a player to the board.
fn placement(cup: &TournamentPage<'_>, placement: &Placement) -> String {
    let view = cup.view;
    let name = cup.tournament().name(placement.player);
    let score: Half = placement.score;
    let mut said = vec![view.fill(
        "tournament.why.player",
        &[("player", &name), ("number", &placement.number), ("score", &fraction(score))],
    )];
    if placement.moved_down {
        said.push(view.say("tournament.why.moved-down").to_owned());
    }
    match placement.float {
        Some(FloatKind::Down) => said.push(view.say("tournament.why.down").to_owned()),
        Some(FloatKind::Up) => said.push(view.say("tournament.why.up").to_owned()),
        None => {}
    }
    if let Some(side) = placement.prefers.filter(|_| cup.tournament().settings.encounter.prefers_sides()) {
        let key = match placement.strength {
            Strength::None | Strength::Mild => "tournament.why.mild",
            Strength::Strong => "tournament.why.strong",
            Strength::Absolute => "tournament.why.absolute",
        };
        let granted = view.say(if placement.granted { "tournament.why.granted" } else { "tournament.why.not-granted" });
        said.push(format!("{} {}; {granted}", view.say(key), cup.side(side)));
    }
    format!("{}.", said.join("; "))
}

/// The rule that decided the sides.
const fn allocation(rule: Allocation) -> &'static str {
    match rule {
        Allocation::Both => "tournament.why.both",
        Allocation::Stronger => "tournament.why.stronger",
        Allocation::Alternation => "tournament.why.alternation",
        Allocation::Higher => "tournament.why.higher",
        Allocation::Number => "tournament.why.number",
    }
}
