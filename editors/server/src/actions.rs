//! Code actions: the texts that may have been meant, the readings of a rejected record, and its move numbers.

use gen_lsp_types::{CodeAction, CodeActionKind, Range, TextEdit};
use quipu_notation::record::{ReadError, Record, write};
use quipu_referee::{
    Status,
    repaired::{self, Stamp},
    report::repair::edit_in_short,
};

use crate::{
    document::PartPlace,
    files::{OpenFile, workspace_edit},
    findings::diagnostic,
    formatting::edit,
    judgement::{Finding, JudgedRecord},
    messages::{fill, say},
    position::{Locator, moved, touch},
    settings::SessionSettings,
};

/// Actions that an editor gets at a time, at most.
pub(crate) const MAX_ACTIONS: usize = 100;

/// Rejected records whose readings an editor gets at a time, at most: finding them takes much longer than all else.
pub(crate) const REPAIRED: usize = 5;

/// The actions in a range of a file, the likeliest of each record first; at most [`MAX_ACTIONS`].
pub(crate) fn actions(file: &OpenFile, range: Range, settings: &SessionSettings) -> Vec<CodeAction> {
    let mut actions = Actions { file, range, settings, found: Vec::new(), repaired: 0 };
    for place in file.document.places_in(range) {
        let chunk = file.document.chunk(place);
        actions.of_part(place, chunk.records());
        if actions.found.len() >= MAX_ACTIONS {
            break;
        }
    }
    actions.found.truncate(MAX_ACTIONS);
    actions.found
}

/// The actions that were found so far.
struct Actions<'a> {
    file: &'a OpenFile,
    range: Range,
    settings: &'a SessionSettings,
    found: Vec<CodeAction>,
    /// Rejected records whose readings were found.
    repaired: usize,
}

impl Actions<'_> {
    /// Adds those of a part, whose records are read only up to the last one in the range.
    fn of_part<'t>(&mut self, place: PartPlace, mut records: impl Iterator<Item = Result<Record<'t>, ReadError>>) {
        let mut read = 0;
        for (index, judged) in self.file.document.records(place).iter().enumerate() {
            let is_here = |found: &&Finding| touch(moved(found.range, place.line), self.range);
            let here: Vec<_> = judged.findings.iter().filter(is_here).collect();
            if here.is_empty() {
                continue;
            }
            if self.found.len() >= MAX_ACTIONS {
                return;
            }
            for finding in here {
                self.replacements(finding, place);
            }
            let record = records.nth(index - read);
            read = index + 1;
            if let Some(Ok(record)) = record {
                self.of_record(place, judged, &record);
            }
        }
    }

    /// Adds an action for each text that may have been meant in place of a finding.
    fn replacements(&mut self, finding: &Finding, place: PartPlace) {
        let is_only = finding.replacements.len() == 1;
        for text in &finding.replacements {
            let edit = TextEdit { range: moved(finding.range, place.line), new_text: text.clone() };
            let action = self.action(fill("action.replace", self.settings.lang, &[("text", text)]), edit);
            self.found.push(CodeAction {
                diagnostics: Some(vec![diagnostic(finding, place, self.settings)]),
                is_preferred: is_only.then_some(true),
                ..action
            });
        }
    }

    /// Adds the actions that replace a whole record.
    fn of_record(&mut self, place: PartPlace, judged: &JudgedRecord, record: &Record<'_>) {
        let old = &self.file.document.text_of(place)[judged.bytes.clone()];
        let start = moved(judged.range, place.line).start;
        let encoding = self.settings.encoding;
        let change = |new: &str| edit_of_record(old, new, Locator::new(old, start, encoding));
        if judged.status == Status::Rejected && self.repaired < REPAIRED {
            self.repaired += 1;
            for reading in readings(record, self.settings) {
                let Some(edit) = change(&reading.text) else { continue };
                let action = self.action(reading.title, edit);
                self.found.push(CodeAction { is_preferred: reading.is_clear.then_some(true), ..action });
            }
        }
        if write::wrong_numbers(record) > 0
            && let Some(edit) = change(&write::as_written(record))
        {
            let action = self.action(say("action.renumber", self.settings.lang).to_owned(), edit);
            self.found.push(action);
        }
    }

    fn action(&self, title: String, edit: TextEdit) -> CodeAction {
        CodeAction {
            title,
            kind: Some(CodeActionKind::QuickFix),
            edit: Some(workspace_edit([(self.file, vec![edit])], self.settings)),
            ..CodeAction::default()
        }
    }
}

/// The edit that replaces a record. The white space after it stays.
fn edit_of_record(old: &str, new: &str, locator: Locator<'_>) -> Option<TextEdit> {
    let new = new.trim_end();
    let new = if old.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() };
    edit(old, &new, locator)
}

/// A legal game that a record may be of.
struct NamedReading {
    title: String,
    text: String,
    is_clear: bool,
}

/// The readings of a rejected record, with the evidence in their comments.
fn readings(record: &Record<'_>, settings: &SessionSettings) -> Vec<NamedReading> {
    let repair = repaired::of(record);
    let stamp = Stamp { by: settings.program.name, person: None };
    let named = repair.readings.readings.iter().enumerate().map(|(index, reading)| {
        let edits: Vec<_> = reading.edits.iter().map(|edit| edit_in_short(edit, settings.lang)).collect();
        NamedReading {
            title: fill("action.repair", settings.lang, &[("edits", &edits.join("; "))]),
            text: write::as_written(&repaired::marked(&repair.record, reading, stamp)),
            is_clear: index == 0 && repair.readings.is_clear,
        }
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use gen_lsp_types::{Position, Uri};
    use quipu_referee::Lang;

    use super::*;
    use crate::settings::Program;

    /// Every record has a finding and no action, and all are one chunk.
    #[test]
    fn the_records_of_a_part_are_read_once() {
        let settings = SessionSettings::new(Program { name: "quipu", lang: Lang::En, draw: |_, _| String::new() });
        let mut file = OpenFile::new(Uri::from("file:///x.quipu"), 1, "*\n".repeat(10_000), &settings);
        file.document.judge();
        let [start, end] = [0, 10_000].map(|line| Position { line, character: 0 });
        let mut actions =
            Actions { file: &file, range: Range { start, end }, settings: &settings, found: Vec::new(), repaired: 0 };
        let place = file.document.places().next().expect("a part");
        assert!(file.document.records(place).iter().all(|record| !record.findings.is_empty()));
        let read = Cell::new(0);
        let chunk = file.document.chunk(place);
        actions.of_part(place, chunk.records().inspect(|_| read.set(read.get() + 1)));
        assert_eq!((read.get(), actions.found.len(), actions.repaired), (10_000, 0, REPAIRED));
    }
}
