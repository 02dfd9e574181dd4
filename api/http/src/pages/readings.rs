//! Readings of a rejected sheet, and the game of several sheets, on the page that checks them. A button takes one into the
//! text box, as a record with its evidence.

use maud::{Markup, html};
use quipu_notation::record::{Record, write::OutputFormat};
use quipu_referee::{
    games,
    repair::{Disputed, DisputedReading, Reading},
    repaired::{self, MergedSheets, Repair, Stamp},
    report::repair::edit_in_words,
};

use super::{
    boards, form_body,
    frame::{View, scrolled, status},
};

/// Readings shown of a record.
const SHOWN: usize = 3;
/// Bytes of a record that a button takes over, at most.
const TAKEN: usize = 64 * 1024;
/// The program in the comment of a repaired record.
const STAMP: Stamp<'static> = Stamp { by: concat!("quipu ", env!("CARGO_PKG_VERSION")), person: None };

/// The readings of a record.
pub(super) fn of_record(view: &View, repair: &Repair<'_>) -> Markup {
    let Repair { record, readings, verdicts, .. } = repair;
    let key = match (readings.readings.is_empty(), readings.is_clear) {
        (true, _) => "check.readings.none",
        (_, true) => "check.readings.clear",
        _ => "check.readings.unclear",
    };
    html! {
        section {
            h3 { (view.say("check.readings")) }
            p { (view.say(key)) }
            @if !readings.is_complete { p { (view.say("check.readings.incomplete")) } }
            @for (reading, verdict) in readings.readings.iter().zip(verdicts).take(SHOWN) {
                div.reading {
                    ul { @for edit in &reading.edits { li { (edit_in_words(edit, view.lang)) } } }
                    p {
                        (status(view, verdict.status))
                        @if let Some(finding) = verdict.finding { " " (finding.outcome.as_str()) }
                    }
                    (board(view, record, reading))
                    (button(view, &repaired::marked(record, reading, STAMP)))
                }
            }
        }
    }
}

/// The board before the first edited ply.
fn board(view: &View, record: &Record<'_>, reading: &Reading) -> Markup {
    let Some(game) = record.value("Game").and_then(games::find) else { return html! {} };
    let Some((ply, board)) = repaired::board_before(record, reading) else { return html! {} };
    let label = view.fill("check.readings.board", &[("ply", &ply)]);
    html! {
        figure {
            (boards::position(view, game, record.value("Rules"), &board.position(), &label))
            figcaption { (label) }
        }
    }
}

/// The button that takes a record into the text box; none for a very long one.
fn button(view: &View, record: &Record<'_>) -> Markup {
    let (text, _) = OutputFormat::Quipu.write(record);
    html! {
        @if text.len() <= TAKEN {
            form action=(view.href(form_body::ACTION, &[])) method="post" {
                input type="hidden" name=(form_body::READING) value=(text);
                button { (view.say("check.readings.take")) }
            }
        }
    }
}

/// The game of the sheets on the page, with the disputed plies side by side.
pub(super) fn merged(view: &View, sheets: &MergedSheets<'_>) -> Markup {
    let MergedSheets { merged, verdict, .. } = sheets;
    let (plies, agreed, disputed) = (merged.moves.len(), merged.agreed, merged.disputed.len());
    let counts = view.fill("check.merged.counts", &[("plies", &plies), ("agreed", &agreed), ("disputed", &disputed)]);
    let sheet = |sheet: &usize| view.fill("check.merged.sheet", &[("sheet", &(sheet + 1))]);
    let numbers: Vec<_> = (0..merged.sheets.len()).collect();
    let table = html! {
        table {
            caption { (view.say("check.merged.disputed")) }
            thead {
                tr {
                    th.number scope="col" { (view.say("check.merged.ply")) }
                    th scope="col" { (view.say("check.merged.move")) }
                    @for number in &numbers { th scope="col" { (sheet(number)) } }
                }
            }
            tbody { @for one in &merged.disputed { (disputed_ply(view, sheets, one)) } }
        }
    };
    html! {
        section aria-labelledby="merged" {
            h2 #merged { (view.say("check.merged")) " " (status(view, verdict.status)) }
            p { (counts) }
            @if !merged.is_complete { p { (view.say("check.readings.incomplete")) } }
            @if disputed > 0 { (scrolled(view.say("check.merged.disputed"), &table)) }
            (button(view, &repaired::merged_and_marked(sheets, STAMP)))
        }
    }
}

/// The row of a disputed ply.
fn disputed_ply(view: &View, sheets: &MergedSheets<'_>, Disputed { ply, readings }: &Disputed) -> Markup {
    let token = usize::try_from(ply - 1).ok().and_then(|index| sheets.merged.moves.get(index));
    let others = readings.iter().filter_map(|reading| match reading {
        DisputedReading::Other(token, _) => Some(&**token),
        DisputedReading::Sheet(..) => None,
    });
    let others: Vec<_> = others.collect();
    let written = readings.iter().filter_map(|reading| match reading {
        DisputedReading::Sheet(_, written) => Some(written.as_deref()),
        DisputedReading::Other(..) => None,
    });
    html! {
        tr {
            th.number scope="row" { (ply) }
            td {
                code { (token.map_or("", |token| token)) }
                @if !others.is_empty() { " " (view.fill("check.merged.other", &[("moves", &others.join(" "))])) }
            }
            @for written in written {
                td { @if let Some(text) = written { code { (text) } } @else { (view.say("check.merged.missing")) } }
            }
        }
    }
}
