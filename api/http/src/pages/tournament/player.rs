//! A player's card: every round with opponent, side, results and scores before it; the parts of each figure; and the places that
//! are still possible.

use maud::{Markup, html};
use quipu_referee::competition::Half;
use quipu_tournament::{
    model::{PlayerId, Slot},
    standings::{Figure, Method, PlayerProspects, TournamentRow, standings},
};

use super::{
    overview::presence,
    parameters::{PLACE, PLAYER, round_of},
    tournament_page::{Tab, TournamentPage, page_of, tie_break},
};
use crate::{
    pages::frame::{Page, captioned_table, fraction, line},
    problem::HandlerResult,
    request::RequestContext,
    routes::tournaments::{no_player, no_round, small, standings::chances},
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let (player, after) = (PlayerId(small(&context, PLAYER.name).unwrap_or_default()), round_of(&context));
    page_of(&context, move |cup| {
        if cup.tournament().entrant(player).is_none() {
            return Err(no_player(cup.stored, player));
        }
        if let Some(round) = after.filter(|round| cup.tournament().round(*round).is_none()) {
            return Err(no_round(cup.stored, round));
        }
        let name = cup.tournament().name(player);
        Ok(Page::new(name, PLACE, body(cup, player, after)))
    })
    .await
}

fn body(cup: &TournamentPage<'_>, player: PlayerId, after: Option<u32>) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let table = standings(tournament, after);
    let row = table.rows.iter().find(|row| row.player == player);
    html! {
        h1 { (tournament.name(player)) }
        (facts(cup, player))
        (cup.tabs(Tab::Other))
        @if let Some(row) = row {
            p {
                (view.fill("tournament.place-after", &[("place", &row.place), ("players", &table.rows.len()), ("round", &table.round), ("score", &fraction(row.score))]))
            }
        }
        section {
            h2 #games { (view.say("tournament.rounds")) }
            (rounds(cup, player, table.round as usize))
        }
        @if let Some(row) = row { (figures(cup, row)) }
        @if after.is_none() || after == Some(cup.last_round()) { (prospects(cup, player)) }
    }
}

fn facts(cup: &TournamentPage<'_>, player: PlayerId) -> Markup {
    let view = cup.view;
    let Some(entrant) = cup.tournament().entrant(player) else { return html! {} };
    let known = &entrant.player;
    let text = |text: &Option<String>| text.as_ref().map(|text| html! { (text) });
    let presence = presence(cup, entrant);
    line([
        Some(html! { a href=(cup.href("")) { (cup.tournament().settings.name) } }),
        Some(html! { (view.fill("tournament.entry-number", &[("number", &player)])) }),
        known.rating.map(|rating| html! { (view.fill("tournament.rated", &[("rating", &rating)])) }),
        text(&known.title),
        text(&known.federation),
        text(&known.club),
        text(&known.id),
        (presence != "–").then(|| html! { (presence) }),
        Some(
            html! { a href=(view.href("/records", &[("player", &known.name), ("event", &cup.tournament().settings.name)])) { (view.say("tournament.records")) } },
        ),
    ])
}

/// The rounds of a player up to a round.
fn rounds(cup: &TournamentPage<'_>, player: PlayerId, last: usize) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let caption = view.say("tournament.rounds");
    let histories = tournament.histories();
    let index = |player: PlayerId| player.0 as usize - 1;
    let bye = tournament.settings.bye;
    let before = |player: PlayerId, round: usize| -> Half {
        histories[index(player)].iter().take(round).map(|slot| slot.score(bye)).sum()
    };
    let head = html! {
        th.number scope="col" { (view.say("records.round")) }
        th.name scope="col" { (view.say("tournament.opponent")) }
        th scope="col" { (cup.side_column()) }
        th scope="col" { (view.say("records.result")) }
        th.number scope="col" { (view.say("tournament.score")) }
        th scope="col" { (view.say("tournament.before")) }
    };
    let body = html! {
        tbody {
            @for (round, slot) in histories[index(player)].iter().enumerate().take(last) {
                tr {
                    td.number { a href=(cup.href(&format!("/rounds/{}", round + 1))) { (round + 1) } }
                    @match slot {
                        Slot::Out => {
                            th scope="row" { (view.say("tournament.out")) }
                            td { "–" } td { "–" } td.number { "–" } td { "–" }
                        }
                        Slot::Bye(kind) => {
                            th scope="row" { (cup.bye(*kind)) }
                            td { "–" } td { "–" } td.number { (fraction(slot.score(bye))) } td { "–" }
                        }
                        Slot::Encounter { board, opponent, side, result, .. } => {
                            th scope="row" { (cup.name(*opponent)) }
                            td { (cup.side(*side)) }
                            td { @if let Some(board) = tournament.rounds[round].boards.get(*board) { (cup.results(board)) } }
                            td.number { @if result.is_some() { (fraction(slot.score(bye))) } @else { "–" } }
                            td { (scores_before(cup, before(player, round), before(*opponent, round))) }
                        }
                    }
                }
            }
        }
    };
    html! {
        @if last == 0 { p { (view.say("tournament.not-begun")) } } @else { (captioned_table(caption, &head, &body)) }
    }
}

/// The scores of both players before a round, and the float that follows from them.
fn scores_before(cup: &TournamentPage<'_>, own: Half, other: Half) -> Markup {
    let float = match own.cmp(&other) {
        std::cmp::Ordering::Greater => Some("tournament.float.down"),
        std::cmp::Ordering::Less => Some("tournament.float.up"),
        std::cmp::Ordering::Equal => None,
    };
    html! {
        (fraction(own)) "–" (fraction(other))
        @if let Some(float) = float { " " span.meta { (cup.view.say(float)) } }
    }
}

/// The figures of a player, each with its parts.
fn figures(cup: &TournamentPage<'_>, row: &TournamentRow) -> Markup {
    html! {
        section aria-labelledby="figures" {
            h2 #figures { (cup.view.say("tournament.figures")) }
            @for figure in &row.figures { (self::figure(cup, figure)) }
        }
    }
}

fn figure(cup: &TournamentPage<'_>, figure: &Figure) -> Markup {
    let view = cup.view;
    let name = tie_break(view, figure.tie_break);
    let value = figure.value.map_or_else(|| "–".to_owned(), fraction);
    html! {
        h3 id=(figure.tie_break.as_str()) { span.label { (name) } ": " (value) }
        @if figure.parts.is_empty() { p.note { (view.say("tournament.no-parts")) } } @else {
            ul.names {
                @for part in &figure.parts {
                    li {
                        (view.fill("tournament.round", &[("round", &part.round)]))
                        @if let Some(opponent) = part.opponent { ", " (cup.name(opponent)) }
                        ": "
                        @if part.cut { del { (fraction(part.value)) } " " span.meta { (view.say("tournament.part-cut")) } }
                        @else { strong { (fraction(part.value)) } }
                    }
                }
            }
        }
    }
}

/// The best and the worst place that is still possible, and a way to the best one.
fn prospects(cup: &TournamentPage<'_>, player: PlayerId) -> Markup {
    let view = cup.view;
    let found = chances(cup.stored);
    let Some(own) = found.players.iter().find(|chances| chances.player == player) else { return html! {} };
    let PlayerProspects { best, worst, takes, .. } = own;
    html! {
        section aria-labelledby="what-if" {
            h2 #what-if { (view.say("tournament.prospects")) }
            p { (view.fill("tournament.places", &[("best", best), ("worst", worst)])) }
            p.note {
                @match found.method {
                    Method::Exact => (view.fill("tournament.exact", &[("open", &found.open)])),
                    Method::Bounds => (view.say("tournament.bounds")),
                }
            }
            @if !takes.is_empty() {
                p { (view.say("tournament.takes")) }
                ul.names {
                    @for needed in takes {
                        @let [one, two] = needed.scores.map(fraction);
                        li {
                            (view.fill("tournament.round", &[("round", &needed.round)])) ": "
                            (cup.name(needed.players[0])) " " strong { (one) "–" (two) } " " (cup.name(needed.players[1]))
                        }
                    }
                }
            }
        }
    }
}
