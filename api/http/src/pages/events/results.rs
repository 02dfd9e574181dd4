//! The results of an event, by round and board.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::competition::{Entry, grouped, numeric_key};

use super::data::{EventData, ROWS};
use crate::pages::frame::{View, game_name, scrollable_table};

pub(super) fn results(data: &EventData, view: &View) -> Markup {
    let mut entries: Vec<_> = data.entries.iter().collect();
    // Games without a round, and games without a board in their round, come last.
    let round = |entry: &Entry| data.rounds.iter().position(|round| entry.round.as_ref() == Some(round));
    let key = |entry: &&Entry| {
        let (round, board) = (round(entry), entry.board.as_deref().map(numeric_key));
        (round.is_none(), round, board.is_none(), board, entry.place)
    };
    entries.sort_by_cached_key(key);
    let all = entries.len();
    entries.truncate(ROWS);
    let caption = view.say("event.results");
    html! {
        @if !entries.is_empty() { (scrollable_table(caption, &table(data, view, caption, &entries))) }
        @if all > ROWS { p { (view.fill("event.results-cut", &[("shown", &ROWS), ("rows", &all)])) } }
    }
}

fn table(data: &EventData, view: &View, caption: &str, entries: &[&Entry]) -> Markup {
    let has_boards = entries.iter().any(|entry| entry.board.is_some());
    let has_legs = entries.iter().any(|entry| entry.leg.is_some());
    let has_points = entries.iter().any(|entry| entry.points.is_some());
    let games = grouped(entries, |entry| entry.game.id);
    let side = |side: Side| match &games[..] {
        [one] => one[0].game.side(side).tag,
        _ => view.say("figure.player"),
    };
    let columns = 3 + [has_boards, has_legs, has_points, games.len() > 1].into_iter().filter(|has| *has).count();
    html! {
        table.results {
            caption { (caption) }
            thead {
                tr {
                    @if has_boards { th.number scope="col" { (view.say("event.board")) } }
                    th scope="col" { (side(Side::One)) }
                    th.number scope="col" { (view.say("records.result")) }
                    th scope="col" { (side(Side::Two)) }
                    @if has_points { th.number scope="col" { (view.say("figure.points")) } }
                    @if has_legs { th.number scope="col" { (view.say("event.leg-of")) } }
                    @if games.len() > 1 { th scope="col" { (view.say("records.game")) } }
                }
            }
            @for of_round in grouped(entries.iter().copied(), |entry| &entry.round) {
                tbody {
                    tr.part { th colspan=(columns) scope="rowgroup" {
                        @if let Some(round) = &of_round[0].round {
                            (view.fill("event.in-round", &[("round", round)]))
                        } @else { (view.say("event.no-round")) }
                    } }
                    @for entry in of_round {
                        tr {
                            @if has_boards { td.number { (entry.board.as_deref().unwrap_or("–")) } }
                            th scope="row" { (data.name(view, entry.player(Side::One))) }
                            td.number { (result(data, view, entry)) }
                            td { (data.name(view, entry.player(Side::Two))) }
                            @if has_points {
                                td.number { @if let Some(points) = entry.points { (points.to_string().replace('-', "–")) } @else { "–" } }
                            }
                            @if has_legs { td.number { (entry.leg.as_deref().unwrap_or("–")) } }
                            @if games.len() > 1 { td { (game_name(view, entry.game)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The result as a link to the record.
fn result(data: &EventData, view: &View, entry: &Entry) -> Markup {
    let score = entry.outcome.as_str().replace("1/2", "½").replace('-', "–");
    let [one, two] = &entry.players;
    let said = view.fill("event.against", &[("one", one), ("two", two), ("score", &score)]);
    data.game(view, entry.place, &score, &said)
}
