//! The readings of a record in lines, for the terminal and the viewer.

use anstyle::{AnsiColor, Style};
use quipu_referee::{
    repair::{Edit, MOST_READINGS},
    repaired::{self, Repair},
    report,
};

use crate::{
    board,
    context::{Context, harmless},
    diagnostics,
    styled::Styled,
};

/// The written token of a change, and the token read instead.
const WRITTEN: Style = AnsiColor::Red.on_default().strikethrough();
const READ: Style = AnsiColor::Green.on_default().bold();

/// The number of readings, and how far they may be trusted.
pub(crate) fn summary(context: Context, repair: &Repair<'_>) -> Vec<Styled> {
    let readings = &repair.readings;
    let key = match (readings.readings.is_empty(), readings.is_clear) {
        (true, _) => "repair.none",
        (_, true) => "repair.clear",
        _ => "repair.unclear",
    };
    let mut lines = vec![Styled::plain(context.fill(key, &[("count", &readings.readings.len())]))];
    if readings.readings.len() == MOST_READINGS {
        lines.push(Styled::plain(context.fill("repair.more-readings", &[("count", &MOST_READINGS)])));
    }
    if !readings.is_complete {
        lines.push(Styled::plain(context.say("repair.incomplete")));
    }
    lines
}

/// A reading, counted from 0, with its changes and its verdict.
pub(crate) fn reading(context: Context, repair: &Repair<'_>, place: usize) -> Vec<Styled> {
    let readings = &repair.readings.readings;
    let (Some(reading), Some(verdict)) = (readings.get(place), repair.verdicts.get(place)) else {
        return Vec::new();
    };
    let cost = context.fill("repair.reading", &[("number", &(place + 1)), ("cost", &reading.cost)]);
    let next = readings.get(place + 1);
    let margin = next.map(|next| context.fill("repair.next", &[("margin", &(next.cost - reading.cost))]));
    let mut lines = vec![Styled::plain(cost + &margin.unwrap_or_default())];
    lines.extend(reading.edits.iter().map(|edit| Styled::plain("   ").with(&change(context, edit))));
    let result = verdict.end.map_or("", |end| end.outcome.as_str());
    let end = verdict.end.and_then(|end| end.termination).map_or("", |row| row.name);
    let points = verdict.points.map(|points| points.to_string()).unwrap_or_default();
    let status = diagnostics::style(verdict.status);
    let facts = format!("  {result} {points} {end}");
    let line = Styled::plain("   ").and(status, context.word(verdict.status.word()));
    lines.push(line.and(Style::new(), facts.trim_end()));
    lines
}

/// A change in words, with both tokens highlighted.
fn change(context: Context, edit: &Edit) -> Styled {
    // Control characters stand for the tokens in the filled message.
    const PLACES: [char; 2] = ['\u{1}', '\u{2}'];
    let tokens = [(&edit.from, WRITTEN), (&edit.to, READ)];
    let [from, to] = [0, 1].map(|place| tokens[place].0.as_ref().map(|_| PLACES[place].to_string()));
    let words = report::repair::edit_in_words(&Edit { from, to, ..edit.clone() }, context.lang);
    let mut line = Styled::default();
    for piece in words.split_inclusive(PLACES) {
        let place = PLACES.iter().position(|place| piece.ends_with(*place));
        line.push(Style::new(), piece.trim_end_matches(PLACES));
        if let Some((Some(token), style)) = place.map(|place| tokens[place]) {
            line.push(style, &harmless(token));
        }
    }
    line
}

/// The heading of the board before the first changed ply, and the board; none if only claims are changed.
pub(crate) fn board(context: Context, repair: &Repair<'_>, place: usize) -> Option<(String, String)> {
    let reading = repair.readings.readings.get(place)?;
    let (ply, board) = repaired::board_before(&repair.record, reading)?;
    Some((context.fill("repair.board", &[("ply", &ply)]), board::draw(context, &board.drawing())))
}
