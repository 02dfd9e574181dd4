//! Changes of a text, as the client sends them: each is of the text that the ones before it made.

use gen_lsp_types::{Position, Range};
use ropey::Rope;
use serde::Deserialize;

use crate::position::PositionEncoding;

/// A new text for a range, or for the whole.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) range: Option<Range>,
    pub(crate) text: String,
}

/// The text after many changes of ranges. Each takes time that grows with the logarithm of the text.
pub(crate) fn changed(text: &str, changes: &[Change], encoding: PositionEncoding) -> String {
    let mut rope = Rope::from_str(text);
    for Change { range, text } in changes {
        let all = || (0, rope.len_chars());
        let (one, other) =
            range.map_or_else(all, |range| (offset(&rope, range.start, encoding), offset(&rope, range.end, encoding)));
        rope.remove(one.min(other)..one.max(other));
        rope.insert(one.min(other), text);
    }
    rope.into()
}

/// The characters before a position, which is cut short as [`offset_of`](crate::position::offset_of) does.
fn offset(rope: &Rope, position: Position, encoding: PositionEncoding) -> usize {
    let line = usize::try_from(position.line).unwrap_or(usize::MAX);
    let column = usize::try_from(position.character).unwrap_or(usize::MAX);
    if line >= rope.len_lines() {
        return rope.len_chars();
    }
    let start = rope.line_to_char(line);
    let mut end = rope.line_to_char(line + 1);
    for line_break in ['\n', '\r'] {
        if end > start && rope.char(end - 1) == line_break {
            end -= 1;
        }
    }
    let found = match encoding {
        PositionEncoding::Utf8 => {
            rope.byte_to_char(rope.line_to_byte(line).saturating_add(column).min(rope.len_bytes()))
        }
        PositionEncoding::Utf16 => {
            let units = rope.char_to_utf16_cu(start).saturating_add(column);
            rope.utf16_cu_to_char(units.min(rope.len_utf16_cu()))
        }
    };
    found.min(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::position::offset_of;

    /// The text after changes one by one.
    fn one_by_one(text: &str, changes: &[Change], encoding: PositionEncoding) -> String {
        let mut text = text.to_owned();
        for Change { range, text: new } in changes {
            let Some(range) = range else {
                text.clone_from(new);
                continue;
            };
            let [one, other] = [range.start, range.end].map(|position| offset_of(&text, position, encoding));
            text.replace_range(one.min(other)..one.max(other), new);
        }
        text
    }

    fn text(most: usize) -> impl Strategy<Value = String> {
        let piece = prop::sample::select(&["a", "bc", "ñ", "𝄞", "\n", "\r", "\r\n", "\u{85}", "\u{2028}"][..]);
        prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn many_changes_are_those_one_by_one(
            before in text(1500),
            changes in prop::collection::vec((prop::option::weighted(0.95, [0..500_u32, 0..12, 0..500, 0..12]), text(5)), 0..8),
            is_utf8: bool,
        ) {
            let encoding = if is_utf8 { PositionEncoding::Utf8 } else { PositionEncoding::Utf16 };
            let position = |line, character| Position { line, character };
            let range = |[a, b, c, d]: [u32; 4]| Range { start: position(a, b), end: position(c, d) };
            let changes: Vec<_> =
                changes.into_iter().map(|(places, text)| Change { range: places.map(range), text }).collect();
            prop_assert_eq!(changed(&before, &changes, encoding), one_by_one(&before, &changes, encoding));
        }
    }
}
