//! Formatting: canonical text, as `quipu fmt` writes it, with an edit for each record that differs from it.

use std::ops::Range as Bytes;

use gen_lsp_types::{Range, TextEdit};
use quipu_notation::record::write;
use quipu_referee::games;

use crate::{
    document::{Document, PartPlace},
    messages::fill,
    position::Locator,
    settings::SessionSettings,
};

/// The edits in a range, or in the whole file.
///
/// # Errors
/// The message that a record cannot be read; nothing is changed then, as nothing is lost.
pub(crate) fn edits(
    document: &Document,
    range: Option<Range>,
    settings: &SessionSettings,
) -> Result<Vec<TextEdit>, String> {
    let mut edits = Vec::new();
    if document.places().next().is_none() {
        let all = document.lead();
        let is_blank = all.start != all.end && range.is_none_or(|range| range.start < all.end);
        edits.extend(is_blank.then(|| TextEdit { range: all, new_text: String::new() }));
    }
    let places: Vec<PartPlace> = match range {
        Some(range) => document.places_in(range).collect(),
        None => document.places().collect(),
    };
    for place in places {
        let (old, locator) = document.with_lead(place);
        let mut records = Vec::new();
        for record in document.chunk(place).records() {
            let line = place.line + 1;
            let record = record.map_err(|_| fill("format.unreadable", settings.lang, &[("line", &line)]))?;
            records.push(write::as_formatted(&games::normalized(&record)));
        }
        if records.is_empty() {
            // Such as a lone comment, which would be lost.
            continue;
        }
        let mut new = records.concat();
        if old.contains("\r\n") {
            new = new.replace('\n', "\r\n");
        }
        edits.extend(edit(old, &new, locator));
    }
    Ok(edits)
}

/// The edit that makes one text another, of whole lines; none if they are the same. The locator is that of the old one.
pub(crate) fn edit(old: &str, new: &str, mut locator: Locator<'_>) -> Option<TextEdit> {
    let (bytes, new) = difference(old, new)?;
    Some(TextEdit { range: locator.range(bytes), new_text: new.to_owned() })
}

/// The lines in which two texts differ: their bytes in the old one, and their text in the new one.
fn difference<'n>(old: &str, new: &'n str) -> Option<(Bytes<usize>, &'n str)> {
    if old == new {
        return None;
    }
    let line_start = |text: &str, at: usize| text[..at].rfind('\n').map_or(0, |line| line + 1);
    let same = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    let start = line_start(new, crate::position::boundary(new, same));
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let lines = old_rest.split_inclusive('\n').rev().zip(new_rest.split_inclusive('\n').rev());
    let same: usize = lines.take_while(|(one, other)| one == other).map(|(line, _)| line.len()).sum();
    Some((start..old.len() - same, &new_rest[..new_rest.len() - same]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: Option<&(Bytes<usize>, &str)>) {
        let found = difference(old, new);
        assert_eq!(found.as_ref(), expected);
        if let Some((bytes, text)) = found {
            let mut edited = old.to_owned();
            edited.replace_range(bytes, text);
            assert_eq!(edited, new);
        }
    }

    #[test]
    fn an_edit_is_of_the_lines_that_differ() {
        check("a\nb\nc\n", "a\nb\nc\n", None);
        check("a\nb\nc\n", "a\nx\nc\n", Some(&(2..4, "x\n")));
        check("a\nb\nc\n", "a\nc\n", Some(&(2..4, "")));
        check("a\nc\n", "a\nb\nc\n", Some(&(2..2, "b\n")));
        check("", "a\n", Some(&(0..0, "a\n")));
        check("a\na\n", "a\na\na\n", Some(&(4..4, "a\n")));
        check("ñandú", "ñandó", Some(&(0..7, "ñandó")));
        check("a\n\n\n", "a\n\n", Some(&(3..4, "")));
    }
}
