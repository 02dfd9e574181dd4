//! A round: boards with their results, each linked to its record, byes, and what is missing.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_tournament::{
    messages::catalog,
    model::{Board, Round},
};

use super::{
    parameters::{PLACE, round_of, rows_of},
    tournament_page::{Tab, TournamentPage, cup_of},
};
use crate::{
    pages::frame::{Page, line, scrollable_table},
    problem::HandlerResult,
    request::RequestContext,
    routes::tournaments::{GamesInProgress, no_round},
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let (number, rows) = (round_of(&context).unwrap_or_default(), rows_of(&context));
    cup_of(&context, move |cup, games| {
        let round = cup.tournament().round(number).ok_or_else(|| no_round(cup.stored, number))?;
        let title = title(cup, number);
        let body = body(cup, number, round, &title, rows, games);
        Ok(cup.view.write(&Page::new(title, PLACE, body)))
    })
    .await
}

/// `Copa de Mayo, round 2`.
pub(super) fn title(cup: &TournamentPage<'_>, round: u32) -> String {
    cup.view.fill("tournament.round-of", &[("name", &cup.tournament().settings.name), ("round", &round)])
}

fn body(
    cup: &TournamentPage<'_>,
    number: u32,
    round: &Round,
    title: &str,
    rows: usize,
    games: &GamesInProgress,
) -> Markup {
    let view = cup.view;
    let beside = |number: u32, key: &str| {
        let is_there = cup.tournament().round(number).is_some();
        is_there.then(|| html! { a href=(cup.href(&format!("/rounds/{number}"))) { (view.say(key)) } })
    };
    let missing = cup.missing(round);
    let at = |board: usize| {
        let page = if board > rows { view.with_query("all", "yes") } else { String::new() };
        format!("{page}#board-{board}")
    };
    html! {
        h1 { (title) }
        (cup.tabs(Tab::Round))
        (line([
            Some(html! { (cup.state(round)) }),
            number.checked_sub(1).and_then(|before| beside(before, "tournament.round-before")),
            beside(number + 1, "tournament.round-after"),
            Some(html! { a href=(cup.href(&format!("/rounds/{number}/pairing"))) { (view.say("tournament.pairing")) } }),
            Some(html! { a href=(view.href(&cup.path("/standings"), &[("round", &number.to_string())])) { (view.say("tournament.standings-after")) } }),
            Some(html! { a href=(cup.href("/files")) { (view.say("pile.link")) } }),
        ]))
        @if !missing.is_empty() {
            @let what = catalog().word(if missing.len() == 1 { "board.one" } else { "board.several" }, view.lang);
            p.hint {
                (view.fill("tournament.missing", &[("what", &what)])) " "
                @for (index, board) in missing.iter().take(rows).enumerate() {
                    @if index > 0 { ", " }
                    a href=(at(*board)) { (board) }
                }
            }
        }
        (boards(cup, number, round, rows, games))
        (byes(cup, round))
        ul.downloads {
            @for (order, key) in [("board", "tournament.wall-list"), ("name", "tournament.wall-index")] {
                @let path = format!("/rounds/{number}/pairings.pdf");
                li { a href=(cup.file(&path, &[("order", order)])) { (view.say(key)) } }
            }
        }
        (cup.misfits(Some(number)))
    }
}

fn boards(cup: &TournamentPage<'_>, in_round: u32, round: &Round, rows: usize, games: &GamesInProgress) -> Markup {
    let view = cup.view;
    let caption = view.say("tournament.boards");
    let table = html! {
        table.results {
            caption { (caption) }
            thead {
                tr {
                    th.number scope="col" { (view.say("event.board")) }
                    th scope="col" { (cup.side_heading(Side::One)) }
                    th.number scope="col" { (view.say("tournament.score")) }
                    th scope="col" { (cup.side_heading(Side::Two)) }
                    th scope="col" { (view.say("records.result")) }
                }
            }
            tbody {
                @for (board, number) in round.boards.iter().zip(1_usize..).take(rows) {
                    tr id={ "board-" (number) } {
                        td.number { a href=(cup.href(&format!("/rounds/{in_round}/boards/{number}"))) { (number) } }
                        th scope="row" { (cup.name(board.players[0])) }
                        td.number { @if let Some([one, two]) = cup.score(board) { (one) "–" (two) } @else { "–" } }
                        td { (cup.name(board.players[1])) }
                        td { (cup.results(board)) (in_progress(cup, in_round, board, games)) }
                    }
                }
            }
        }
    };
    html! {
        (scrollable_table(caption, &table))
        (cup.cut(rows, round.boards.len()))
    }
}

/// Links to the games of a board that are being scored.
fn in_progress(cup: &TournamentPage<'_>, round: u32, board: &Board, games: &GamesInProgress) -> Markup {
    let names = board.players.map(|id| cup.tournament().name(id));
    html! {
        @if board.games.iter().any(Option::is_none) {
            @for game in games.on_board(round, names).take(board.games.len()) {
                " " a href=(cup.view.href(&format!("/live/{game}"), &[])) { (cup.view.say("tournament.in-progress")) }
            }
        }
    }
}

/// The players without a board.
pub(super) fn byes(cup: &TournamentPage<'_>, round: &Round) -> Markup {
    html! {
        @if !round.byes.is_empty() {
            section aria-labelledby="byes" {
                h2 #byes { (cup.view.say("tournament.byes")) }
                ul.names {
                    @for (player, bye) in &round.byes { li { (cup.name(*player)) " " span.meta { (cup.bye(*bye)) } } }
                }
            }
        }
    }
}
