//! Code actions: the texts that may have been meant, the readings of a rejected record, and its move numbers.

use std::collections::HashMap;

use gen_lsp_types::{CodeAction, CodeActionKind, Range, TextEdit, Uri, WorkspaceEdit};
use quipu_notation::record::{Record, write};
use quipu_referee::{
    Status,
    repaired::{self, Stamp},
    report::repair::edit_in_short,
};

use crate::{
    document::{Document, PartPlace},
    findings::diagnostic,
    formatting::edit,
    judgement::{Finding, JudgedRecord},
    messages::{fill, say},
    position::{moved, touch},
    settings::Settings,
};

/// The actions in a range of a file, the likeliest first.
pub(crate) fn actions(document: &Document, uri: &Uri, range: Range, settings: &Settings) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    for place in document.places_in(range) {
        for (index, record) in document.records(place).iter().enumerate() {
            let here: Vec<_> =
                record.findings.iter().filter(|found| touch(moved(found.range, place.line), range)).collect();
            for finding in &here {
                actions.extend(replacements(finding, place, uri, settings));
            }
            if !here.is_empty() {
                actions.extend(of_record(document, place, index, record, uri, settings));
            }
        }
    }
    actions
}

/// An action for each text that may have been meant in place of a finding.
fn replacements(finding: &Finding, place: PartPlace, uri: &Uri, settings: &Settings) -> Vec<CodeAction> {
    let is_only = finding.replacements.len() == 1;
    let action = |text: &String| {
        let edit = TextEdit { range: moved(finding.range, place.line), new_text: text.clone() };
        CodeAction {
            diagnostics: Some(vec![diagnostic(finding, place, settings)]),
            is_preferred: is_only.then_some(true),
            ..action(fill("action.replace", settings.lang, &[("text", text)]), uri, edit)
        }
    };
    finding.replacements.iter().map(action).collect()
}

/// The actions that replace a whole record.
fn of_record(
    document: &Document,
    place: PartPlace,
    index: usize,
    judged: &JudgedRecord,
    uri: &Uri,
    settings: &Settings,
) -> Vec<CodeAction> {
    let chunk = document.chunk(place);
    let Some(Ok(record)) = chunk.records().nth(index) else { return Vec::new() };
    let with = |title: String, new: &str| {
        let old = &document.text_of(place)[judged.bytes.clone()];
        let edit = edit_of_record(document, place, judged, old, new)?;
        Some(action(title, uri, edit))
    };
    let mut actions = Vec::new();
    if judged.status == Status::Rejected {
        actions.extend(readings(&record, settings).into_iter().filter_map(|reading| {
            let action = with(reading.title, &reading.text)?;
            Some(CodeAction { is_preferred: reading.is_clear.then_some(true), ..action })
        }));
    }
    if write::wrong_numbers(&record) > 0 {
        actions.extend(with(say("action.renumber", settings.lang).to_owned(), &write::as_written(&record)));
    }
    actions
}

/// The edit that replaces a record. The white space behind it stays.
fn edit_of_record(
    document: &Document,
    place: PartPlace,
    judged: &JudgedRecord,
    old: &str,
    new: &str,
) -> Option<TextEdit> {
    let new = new.trim_end();
    let new = if old.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() };
    let text = document.text_of(place);
    let before = &text[..judged.bytes.start];
    let behind = &text[judged.bytes.end..];
    edit(text, &[before, &new, behind].concat(), document.locator(place))
}

/// A legal game that a record may be of.
struct NamedReading {
    title: String,
    text: String,
    is_clear: bool,
}

/// The readings of a rejected record, with the evidence in their comments.
fn readings(record: &Record<'_>, settings: &Settings) -> Vec<NamedReading> {
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

fn action(title: String, uri: &Uri, edit: TextEdit) -> CodeAction {
    let changes = HashMap::from([(uri.clone(), vec![edit])]);
    CodeAction {
        title,
        kind: Some(CodeActionKind::QuickFix),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    }
}
