//! The crosstable of an event: a square or, with many players or games, the opponents of each player.

use maud::{Markup, html};
use quipu_referee::competition::{Meeting, Quarter, Standings, StandingsRow};

use super::{
    data::{EventData, ROWS},
    standings::order,
};
use crate::pages::frame::{View, fraction, game_name, scrollable_table};

/// Players of the largest crosstable shown as a square; in larger ones each player has a list.
const SQUARE: usize = 40;
/// Links to games in a crosstable, at most, which keeps the page below 120 KiB. Rows beyond them are cut.
const LINKS: usize = 450;

pub(super) fn crosstable(data: &EventData, view: &View, table: &Standings) -> Markup {
    let caption = view.fill("event.crosstable-of", &[("game", &game_name(view, table.game))]);
    let links: u64 = table.rows.iter().map(StandingsRow::games).sum();
    let square = table.rows.len() <= SQUARE && links <= LINKS as u64;
    let shown = shown(table);
    let rows = html! {
        table.cross {
            caption { (caption) }
            thead {
                tr {
                    th.number scope="col" { (view.say("figure.place")) }
                    th.name scope="col" { (view.say("figure.player")) }
                    @if square {
                        @for (number, row) in (1..).zip(&table.rows) {
                            th.number scope="col" { abbr title=(row.name) { (number) } }
                        }
                    } @else {
                        th scope="col" { (view.say("event.opponents")) }
                    }
                    th.number scope="col" { (view.say("figure.score")) }
                }
            }
            tbody {
                @for (index, row) in table.rows.iter().enumerate().take(shown) {
                    tr {
                        td.number { (row.place) }
                        th scope="row" { @if square { (index + 1) ". " } (data.name(view, &row.name)) }
                        @if square { (cells(data, view, table, index)) } @else { td { (met(data, view, table, row)) } }
                        td.number { (fraction(row.score)) }
                    }
                }
            }
        }
    };
    let content = html! { (order(data, view, table)) (scrollable_table(&caption, &rows)) };
    data.section(view, table, "crosstable", shown, &content)
}

/// The number of rows with room on the page.
fn shown(table: &Standings) -> usize {
    let mut links = 0;
    let fits = |row: &&StandingsRow| {
        links += row.games();
        links <= LINKS as u64
    };
    table.rows.iter().take(ROWS).take_while(fits).count().max(1)
}

/// The cells of a row: the games against each of all players.
fn cells(data: &EventData, view: &View, table: &Standings, own: usize) -> Markup {
    let row = &table.rows[own];
    let meetings = row.meetings();
    html! {
        @for opponent in 0..table.rows.len() {
            td.number {
                @if opponent == own { span aria-hidden="true" { "×" } }
                @else if let Some(meeting) = meetings.iter().find(|meeting| meeting.opponent == opponent) {
                    (played(data, view, table, row, meeting))
                }
            }
        }
    }
}

/// The games of a row, opponent by opponent.
fn met(data: &EventData, view: &View, table: &Standings, row: &StandingsRow) -> Markup {
    html! {
        @for (place, meeting) in row.meetings().iter().enumerate() {
            @if place > 0 { "; " }
            (table.rows[meeting.opponent].name) ": " (played(data, view, table, row, meeting))
        }
    }
}

/// The scores against one opponent, each a link to its record.
fn played(data: &EventData, view: &View, table: &Standings, row: &StandingsRow, meeting: &Meeting<'_>) -> Markup {
    let opponent = &table.rows[meeting.opponent].name;
    html! {
        @for (place, played) in meeting.games.iter().enumerate() {
            @if place > 0 { " " }
            @let score = Quarter::from(played.score).with_signs();
            @let said = view.fill("event.against", &[("one", &row.name), ("two", opponent), ("score", &score)]);
            (data.game(view, played.game, &score, &said))
        }
    }
}
