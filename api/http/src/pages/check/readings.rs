//! Readings of a rejected sheet, and the game of several sheets, on the page that checks them. A button takes one into the
//! text box, as a record with its evidence; other buttons choose the move of a disputed ply.

use maud::{Markup, html};
use quipu_notation::record::{Record, write::OutputFormat};
use quipu_referee::{
    Board, games,
    repair::{Disputed, DisputedReading, Reading},
    repaired::{self, MergedSheets, Repair, Stamp},
    report::repair::edit_in_words,
};

use super::{
    fields::{self, FormChoice},
    form::{self, PATH},
    judged::KEPT,
    text::Source,
};
use crate::{
    pages::{
        boards,
        frame::{View, scrollable_table, status},
    },
    problem::Problem,
};

/// Readings shown of a record.
const SHOWN: usize = 3;
/// Records that are merged if they are sheets of one game.
pub(super) const MERGED: usize = 4;
/// The program in the comment of a repaired record.
const PROGRAM: &str = concat!("quipu ", env!("CARGO_PKG_VERSION"));

fn stamp(person: Option<&str>) -> Stamp<'_> {
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
                        @if let Some(finding) = verdict.finding { " " (finding.outcome.as_str()) }
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
    let game = &merged.merged;
    let (plies, agreed, disputed) = (game.moves.len(), game.agreed, game.disputed.len());
    let counts = view.fill("check.merged.counts", &[("plies", &plies), ("agreed", &agreed), ("disputed", &disputed)]);
    let sheet = |sheet: &usize| view.fill("check.merged.sheet", &[("sheet", &(sheet + 1))]);
    let numbers: Vec<_> = (0..game.sheets.len()).collect();
    let rows = disputed_rows(merged, choice, can_choose);
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
            tbody { @for row in &rows { (row.body(view)) } }
        }
    };
    html! {
        section aria-labelledby="merged" {
            h2 #merged { (view.say("check.merged")) " " (status(view, merged.verdict.status)) }
            p { (counts) }
            @if !game.is_complete { p { (view.say("check.readings.incomplete")) } }
            @if can_choose {
                @for (ply, token) in &choice.plies {
                    input form=(form::ID) type="hidden" name=(fields::CHOICE) value={ (ply) " " (token) };
                }
            }
            @if disputed > 0 {
                @if can_choose { p { (view.say("check.merged.choose")) } }
                (scrollable_table(view.say("check.merged.disputed"), &table))
            }
            @if can_choose {
                (person(view, choice.person.as_deref()))
                button form=(form::ID) name=(fields::TAKE) value=(fields::MERGED) { (view.say("check.readings.take")) }
            }
        }
    }
}

/// A button that chooses, at a ply, a move or none.
fn choose(view: &View, value: &str, title: Option<&str>, said: &str) -> Markup {
    let action = format!("{}#merged", view.href(PATH, &[]));
    html! {
        button.choice form=(form::ID) formaction=(action) name=(fields::CHOICE) value=(value) title=[title] { (said) }
    }
}

/// The row of a disputed ply.
struct DisputedRow<'m> {
    disputed: &'m Disputed,
    token: &'m str,
    /// True if a person chose the move.
    is_chosen: bool,
    /// The board before the ply, where moves can be chosen.
    board: Option<Box<dyn Board>>,
}

/// The rows of all disputed plies. The game is replayed once.
fn disputed_rows<'m>(merged: &'m MergedSheets<'_>, choice: &FormChoice, can_choose: bool) -> Vec<DisputedRow<'m>> {
    let moves = &merged.merged.moves;
    let start = || games::find(merged.record.value("Game")?)?.start(&merged.record).ok();
    let mut board = can_choose.then(start).flatten();
    let mut played = 0;
    let row = |disputed: &'m Disputed| {
        let index = usize::try_from(disputed.ply - 1).unwrap_or(usize::MAX).min(moves.len());
        for token in &moves[played..index] {
            board = board.take().and_then(|mut board| board.play(token).is_ok().then_some(board));
        }
        played = index;
        let token = moves.get(index).map_or("", |token| token);
        let is_chosen = choice.plies.iter().any(|(ply, _)| *ply == disputed.ply);
        DisputedRow { disputed, token, is_chosen, board: board.as_ref().map(|board| board.copied()) }
    };
    merged.merged.disputed.iter().map(row).collect()
}

impl DisputedRow<'_> {
    fn body(&self, view: &View) -> Markup {
        let mut others = Vec::new();
        let mut written = Vec::new();
        for reading in &self.disputed.readings {
            match reading {
                DisputedReading::Other(token, _) => others.push(self.alternative(view, token)),
                DisputedReading::Sheet(_, Some(text)) => written.push(self.alternative(view, text)),
                DisputedReading::Sheet(_, None) => written.push(html! { (view.say("check.merged.missing")) }),
            }
        }
        let ply = self.disputed.ply;
        html! {
            tr {
                th.number scope="row" { (ply) }
                td {
                    code { (self.token) }
                    @if self.is_chosen {
                        " " (choose(view, &ply.to_string(), None, view.say("check.merged.undo")))
                    }
                    @for other in &others { " " (other) }
                }
                @for cell in &written { td { (cell) } }
            }
        }
    }

    /// A text for the ply: a button if it is another legal move.
    fn alternative(&self, view: &View, text: &str) -> Markup {
        let token = self.board.as_ref().and_then(|board| board.copied().play(text).ok());
        let ply = self.disputed.ply;
        let Some(token) = token.filter(|token| token != self.token) else { return html! { code { (text) } } };
        let label = view.fill("check.merged.take", &[("ply", &ply), ("move", &token)]);
        choose(view, &format!("{ply} {token}"), Some(&label), text)
    }
}
