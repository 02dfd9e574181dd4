//! Renaming of a player: in all records of the open files, in every spelling that competitions take for the same name.

use std::ops::Range as Bytes;

use gen_lsp_types::{Position, Range, TextEdit, WorkspaceEdit};
use quipu_notation::record::{Record, Tag, limits};
use quipu_referee::{
    competition::{is_known, normal},
    is_active,
};

use crate::{
    document::{Document, MAX_FILE},
    files::{Files, OpenFile, workspace_edit},
    messages::{fill, say},
    settings::SessionSettings,
    tags,
};

/// The name of a player at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayerAt {
    pub(crate) name: String,
    /// Its place between the quotes.
    pub(crate) range: Range,
}

/// The tags of a record that name its players.
fn players<'r>(record: &'r Record<'r>) -> impl Iterator<Item = &'r Tag<'r>> {
    let sides = record.game().map(|game| &game.sides).into_iter().flatten();
    sides.filter_map(|side| record.tag(side.tag)).filter(|tag| is_known(&tag.value))
}

/// The player whose name is at a position.
///
/// # Errors
/// The message that there is none.
pub(crate) fn player_at(
    document: &Document,
    position: Position,
    settings: &SessionSettings,
) -> Result<PlayerAt, String> {
    let none = || say("rename.no-player", settings.lang).to_owned();
    let offset = document.offset(position);
    let place = document.place_at(offset).ok_or_else(none)?;
    let record = tags::of_chunk(&document.chunk(place)).ok_or_else(none)?;
    let inner = offset - place.start;
    let is_here = |bytes: Bytes<usize>| (bytes.start..=bytes.end).contains(&inner);
    let tag = players(&record).find(|tag| is_here(tag.span.range())).ok_or_else(none)?;
    let range = document.locator(place).range(tag.span.range());
    Ok(PlayerAt { name: tag.value.clone().into_owned(), range })
}

/// Checks the new name of a player.
///
/// # Errors
/// The reason why it cannot be the value of a tag.
pub(crate) fn check(name: &str, settings: &SessionSettings) -> Result<(), String> {
    let lang = settings.lang;
    if !is_known(name) {
        return Err(say("rename.unknown", lang).to_owned());
    }
    if name.contains(is_active) {
        return Err(say("rename.control", lang).to_owned());
    }
    if name.len() > limits::VALUE {
        return Err(fill("rename.long", lang, &[("max", &limits::VALUE)]));
    }
    Ok(())
}

/// The edits of all open files that give a player a new name.
///
/// # Errors
/// The message that a file, or the tags of a record, cannot be read: the player would keep the old name there.
pub(crate) fn edits(files: &Files, old: &str, new: &str, settings: &SessionSettings) -> Result<WorkspaceEdit, String> {
    if let Some(uri) = files.lost() {
        return Err(fill("rename.lost", settings.lang, &[("uri", uri)]));
    }
    let (old, new) = (normal(old), tags::quoted(new));
    let edits = files.all().map(|file| Ok((file, of_file(file, &old, &new, settings)?)));
    let edits = edits.collect::<Result<Vec<_>, String>>()?;
    Ok(workspace_edit(edits.into_iter().filter(|(_, edits)| !edits.is_empty()), settings))
}

/// The edits of a file; `old` is in normal form, `new` as it is written between quotes.
fn of_file(file: &OpenFile, old: &str, new: &str, settings: &SessionSettings) -> Result<Vec<TextEdit>, String> {
    let OpenFile { uri, document, .. } = file;
    if document.is_too_large() {
        let max = MAX_FILE / 1024 / 1024;
        return Err(fill("rename.large", settings.lang, &[("uri", uri), ("max", &max)]));
    }
    let mut edits = Vec::new();
    for place in document.places() {
        let chunk = document.chunk(place);
        let Some(record) = tags::of_chunk(&chunk) else {
            if chunk.records_without_notes().next().is_some() {
                let line = place.line + 1;
                return Err(fill("rename.unreadable", settings.lang, &[("line", &line), ("uri", uri)]));
            }
            continue;
        };
        let mut spans: Vec<_> =
            players(&record).filter(|tag| normal(&tag.value) == old).map(|tag| tag.span.range()).collect();
        if spans.is_empty() {
            continue;
        }
        spans.sort_by_key(|bytes| bytes.start);
        let mut locator = document.locator(place);
        let edit = |bytes| TextEdit { range: locator.range(bytes), new_text: new.to_owned() };
        edits.extend(spans.into_iter().map(edit));
    }
    Ok(edits)
}
