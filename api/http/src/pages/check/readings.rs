//! Readings of a rejected sheet, and the game of several sheets, on the page that checks them. A button takes one into the
//! text box, as a record with its evidence.

use maud::{Markup, html};
use quipu_notation::record::{Record, write::OutputFormat};
use quipu_referee::{
    games,
    repair::Reading,
    repaired::{self, MergedSheets, Repair, Stamp},
    report::repair::edit_in_words,
};

use super::{
    fields::{self, FormChoice},
    form::{self, PATH},
    judged::KEPT,
    merged::{self, ChoiceForm},
    text::Source,
};
use crate::{
    pages::{
        boards,
        frame::{View, status},
    },
    problem::Problem,
};

/// Readings shown of a record.
const SHOWN: usize = 3;
/// Records that are merged if they are sheets of one game.
pub(super) const MERGED: usize = 4;
/// The program in the comment of a repaired record.
const PROGRAM: &str = concat!("quipu ", env!("CARGO_PKG_VERSION"));

/// The origin of a record that is repaired on a page.
pub(crate) fn stamp(person: Option<&str>) -> Stamp<'_> {
    Stamp { by: PROGRAM, person }
}

/// A text with a reading in the place of its record, with its evidence; none if there is no such reading.
///
/// # Errors
/// As for any reading of the source.
pub(super) fn taken(
    source: &Source,
    record: usize,
    reading: usize,
    person: Option<&str>,
) -> Result<Option<Source>, Problem> {
    source.replaced(record, |record| {
        let length = (record.span.end - record.span.start) as usize;
        let record = (length <= KEPT).then(|| repaired::owned(record))?;
        let repair = repaired::of(&record);
        Some(repaired::owned(&repaired::marked(&record, repair.readings.readings.get(reading)?, stamp(person))))
    })
}

/// The merged game of all records of a text, with its evidence; none if they are not its sheets.
///
/// # Errors
/// As for any reading of the source.
pub(super) fn taken_merged(source: &Source, choice: &FormChoice) -> Result<Option<Source>, Problem> {
    let Some(sheets) = source.records(MERGED, KEPT)? else { return Ok(None) };
    let Ok(merged) = repaired::merge_with(&sheets, &choice.plies) else { return Ok(None) };
    let record = repaired::merged_and_marked(&merged, stamp(choice.person.as_deref()));
    Ok(Some(Source::of_text(OutputFormat::Quipu.write(&record).0)))
}

/// The readings of the record with this number. Buttons take one into the text box, if that has the record.
pub(super) fn of_record(view: &View, number: usize, repair: &Repair<'_>, can_take: bool) -> Markup {
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
            @if can_take && !readings.readings.is_empty() { (person(view, None)) }
            @for (reading_number, (reading, verdict)) in (1..).zip(readings.readings.iter().zip(verdicts)).take(SHOWN) {
                div.reading {
                    ul { @for edit in &reading.edits { li { (edit_in_words(edit, view.lang)) } } }
                    p {
                        (status(view, verdict.status))
                        @if let Some(end) = verdict.end { " " (end.outcome.as_str()) }
                    }
                    (board(view, record, reading))
                    @if can_take {
                        button form=(form::ID) name=(fields::TAKE) value={ (number) " " (reading_number) } {
                            (view.say("check.readings.take"))
                        }
                    }
                }
            }
        }
    }
}

/// The field for the name of the person who chooses.
fn person(view: &View, name: Option<&str>) -> Markup {
    html! {
        p {
            label {
                (view.say("check.readings.person")) " "
                input form=(form::ID) name=(fields::PERSON) value=[name] maxlength="100" autocomplete="name";
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

/// The game of the sheets on the page, with the disputed plies side by side. Moves can be chosen if the text box has the
/// sheets.
pub(super) fn merged(view: &View, merged: &MergedSheets<'_>, choice: &FormChoice, can_choose: bool) -> Markup {
    let form = ChoiceForm { id: form::ID, action: Some(format!("{}#merged", view.href(PATH, &[]))) };
    html! {
        section aria-labelledby="merged" {
            h2 #merged { (view.say("check.merged")) " " (status(view, merged.verdict.status)) }
            (merged::disputed(view, merged, choice, can_choose.then_some(&form)))
            @if can_choose {
                (person(view, choice.person.as_deref()))
                button form=(form::ID) name=(fields::TAKE) value=(fields::MERGED) { (view.say("check.readings.take")) }
            }
        }
    }
}
