//! Tags of records, read without their moves, and places in the text of tags.

use std::ops::Range as Bytes;

use quipu_notation::record::{Chunk, Record};

/// The record of a chunk as far as its tags go; none if they cannot be read.
pub(crate) fn of_chunk<'t>(chunk: &Chunk<'t>) -> Option<Record<'t>> {
    let mut record = Record::default();
    chunk.records_without_notes().open_next(&mut record, |_| Some(()))?;
    Some(record)
}

/// A value as it is written between quotes.
pub(crate) fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A place in a line of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagPlace<'t> {
    /// In the name; its bytes up to the offset.
    Name(Bytes<usize>),
    /// In the value of the tag of this name; its bytes up to the offset, without the quote.
    Value(&'t str, Bytes<usize>),
}

/// The place of an offset of a text, if it is in a line that begins with `[`.
pub(crate) fn place_in(text: &str, offset: usize) -> Option<TagPlace<'_>> {
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |line| line + 1);
    let line = &text[start..offset];
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let inside = line.strip_prefix('[')?;
    let after_bracket = offset - inside.len();
    let name = inside.trim_start();
    let name_start = offset - name.len();
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    let Some(end) = name.find(|character| !is_of_name(character)) else {
        return Some(TagPlace::Name(name_start.max(after_bracket)..offset));
    };
    let (name, rest) = name.split_at(end);
    let value = rest.trim_start().strip_prefix('"')?;
    // The value is still open: each quote in it is escaped.
    let mut is_escaped = false;
    for character in value.chars() {
        if character == '"' && !is_escaped {
            return None;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    Some(TagPlace::Value(name, offset - value.len()..offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_tags() {
        let name = |bytes| Some(TagPlace::Name(bytes));
        let value = |name, bytes| Some(TagPlace::Value(name, bytes));
        for (text, expected) in [
            ("[", name(1..1)),
            ("x\n[ Ga", name(4..6)),
            ("[Game \"", value("Game", 7..7)),
            ("[Game  \"an", value("Game", 8..10)),
            ("[Sol \"Ana \\\"la", value("Sol", 6..14)),
            ("[Game \"andes\"", None),
            ("[Game andes", None),
            ("Game \"", None),
            ("1. [", None),
        ] {
            assert_eq!(place_in(text, text.len()), expected, "{text}");
        }
    }
}
