//! Standings as the columns and cells of CSV, as described in `docs/competition.md`.

use std::fmt::Display;

use crate::{
    competition::{Standings, StandingsRow, TieBreak},
    harmless,
};

/// The columns that every table has, the score last.
const FIXED: [&str; 9] = ["game", "event", "place", "name", "games", "wins", "draws", "losses", "score"];

/// The names of the columns. The score and the wins have a column as tie-breaks, too, so no second one.
pub fn columns(order: &[TieBreak]) -> Vec<&'static str> {
    FIXED.into_iter().chain(own(order).map(|(_, tie_break)| tie_break.as_str())).collect()
}

/// The cells of a row, empty where a figure does not apply to the player.
pub fn cells(standings: &Standings, row: &StandingsRow) -> Vec<String> {
    let figures = own(&standings.order).map(|(index, _)| row.figures[index].map(text).unwrap_or_default());
    let fixed = [
        standings.game.id.to_owned(),
        standings.event.as_deref().map(plain).unwrap_or_default(),
        text(row.place),
        plain(&row.name),
        text(row.games()),
        text(row.wins),
        text(row.draws),
        text(row.losses),
        text(row.score),
    ];
    fixed.into_iter().chain(figures).collect()
}

/// The tie-breaks with a column of their own, with their indices.
fn own(order: &[TieBreak]) -> impl Iterator<Item = (usize, TieBreak)> {
    let order = order.iter().copied().enumerate();
    order.filter(|(_, tie_break)| !matches!(tie_break, TieBreak::Wins | TieBreak::Score))
}

fn text(figure: impl Display) -> String {
    figure.to_string()
}

/// A text from a record, made harmless for spreadsheets: a part that one would take for a formula has a `'` in front.
pub fn plain(text: &str) -> String {
    // Some spreadsheets take a semicolon for a separator, whatever the file uses.
    let part = |part: &str| if is_formula(part) { format!("'{part}") } else { part.to_owned() };
    harmless(text).split_inclusive([';', '\t']).map(part).collect()
}

/// True if a spreadsheet takes the text for a formula, with or without invisible characters before it.
fn is_formula(text: &str) -> bool {
    let unseen =
        |letter: char| letter.is_whitespace() || matches!(letter, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}');
    text.trim_start_matches(unseen).starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}
