//! Readings of a rejected sheet, and the game of several sheets, on the page that checks them. A button takes one into the
//! text box, as a record with its evidence; other buttons choose the move of a disputed ply.

use std::io::Cursor;

use maud::{Markup, html};
use quipu_notation::record::{Format, Reader, Record, write::OutputFormat};
use quipu_referee::{
    Board, games,
    repair::{Disputed, DisputedReading, Reading},
    repaired::{self, MergedSheets, Repair, Stamp},
    report::repair::edit_in_words,
};

use super::{
    boards,
    form_body::{self, FormChoice, TakenReading},
    frame::{View, scrolled, status},
};

/// Readings shown of a record.
const SHOWN: usize = 3;
/// Bytes of a record that a button takes over, at most.
pub(super) const TAKEN: usize = 64 * 1024;
/// The program in the comment of a repaired record.
const PROGRAM: &str = concat!("quipu ", env!("CARGO_PKG_VERSION"));

/// The record that a choice takes into the text box, with its evidence; none if it takes none.
pub(super) fn taken(text: &[u8], choice: &FormChoice) -> Option<String> {
    let taken = choice.taken?;
    let mut reader = Reader::with_form(Cursor::new(text), Format::Quipu).with_limit(TAKEN as u64);
    let most = if taken == TakenReading::Merged { repaired::MOST_SHEETS } else { 1 };
    let mut sheets = Vec::new();
    while sheets.len() < most
        && let Ok(Some(chunk)) = reader.next_chunk()
    {
        sheets.extend(chunk.records().flatten().take(most).map(|record| repaired::owned(&record)));
    }
    let stamp = Stamp { by: PROGRAM, person: choice.person.as_deref() };
    let record = match taken {
        TakenReading::Reading(number) => {
            let record = sheets.first()?;
            repaired::marked(record, repaired::of(record).readings.readings.get(number)?, stamp)
        }
        TakenReading::Merged => repaired::merged_and_marked(&repaired::merge_with(&sheets, &choice.plies).ok()?, stamp),
    };
    Some(OutputFormat::Quipu.write(&record).0)
}

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
            @let text = OutputFormat::Quipu.write(record).0;
            form action=(view.href(form_body::ACTION, &[])) method="post" {
                @if text.len() <= TAKEN && !readings.readings.is_empty() {
                    (no_default_button())
                    input type="hidden" name=(form_body::READING) value=(text);
                    (person(view, None))
                }
                @for (number, (reading, verdict)) in (1..).zip(readings.readings.iter().zip(verdicts)).take(SHOWN) {
                    div.reading {
                        ul { @for edit in &reading.edits { li { (edit_in_words(edit, view.lang)) } } }
                        p {
                            (status(view, verdict.status))
                            @if let Some(finding) = verdict.finding { " " (finding.outcome.as_str()) }
                        }
                        (board(view, record, reading))
                        @if text.len() <= TAKEN {
                            button name=(form_body::TAKE) value=(number) { (view.say("check.readings.take")) }
                        }
                    }
                }
            }
        }
    }
}

/// The first button of a form is pressed by Enter in a field; this one does nothing.
fn no_default_button() -> Markup {
    html! { button disabled hidden {} }
}

/// The field for the name of the person who chooses.
fn person(view: &View, name: Option<&str>) -> Markup {
    html! {
        p {
            label {
                (view.say("check.readings.person")) " "
                input name=(form_body::PERSON) value=[name] maxlength="100" autocomplete="name";
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

/// The game of the sheets on the page, with the disputed plies side by side. `sheets` are as they were written.
pub(super) fn merged(view: &View, merged: &MergedSheets<'_>, sheets: &[Record<'_>], choice: &FormChoice) -> Markup {
    let game = &merged.merged;
    let (plies, agreed, disputed) = (game.moves.len(), game.agreed, game.disputed.len());
    let counts = view.fill("check.merged.counts", &[("plies", &plies), ("agreed", &agreed), ("disputed", &disputed)]);
    let text: String = sheets.iter().map(|sheet| OutputFormat::Quipu.write(sheet).0).collect();
    let can_choose = text.len() <= TAKEN;
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
            form action={ (view.href(form_body::ACTION, &[])) "#merged" } method="post" {
                @if can_choose {
                    (no_default_button())
                    input type="hidden" name=(form_body::READING) value=(text);
                    @for (ply, token) in &choice.plies {
                        input type="hidden" name=(form_body::CHOICE) value={ (ply) " " (token) };
                    }
                }
                @if disputed > 0 {
                    @if can_choose { p { (view.say("check.merged.choose")) } }
                    (scrolled(view.say("check.merged.disputed"), &table))
                }
                @if can_choose {
                    (person(view, choice.person.as_deref()))
                    button name=(form_body::TAKE) value=(form_body::MERGED) { (view.say("check.readings.take")) }
                }
            }
        }
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
                        " " button.choice name=(form_body::CHOICE) value=(ply) { (view.say("check.merged.undo")) }
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
        html! { button.choice name=(form_body::CHOICE) value={ (ply) " " (token) } title=(label) { (text) } }
    }
}
