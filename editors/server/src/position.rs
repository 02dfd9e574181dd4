//! Lines and columns of the protocol: a line ends with `\n`, `\r\n` or `\r`, and columns count from 0 in the units that were
//! agreed on with the client.

use gen_lsp_types::{Position, Range};

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PositionEncoding {
    Utf8,
    /// Code units of UTF-16, which every client has.
    #[default]
    Utf16,
}

impl PositionEncoding {
    fn width(self, text: &str) -> u32 {
        let width = match self {
            Self::Utf16 if !text.is_ascii() => text.chars().map(char::len_utf16).sum(),
            Self::Utf8 | Self::Utf16 => text.len(),
        };
        u32::try_from(width).unwrap_or(u32::MAX)
    }

    /// The offset of a column in a line: inside of a character its beginning, beyond the end of the line the end.
    fn offset(self, line: &str, column: u32) -> usize {
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if self == Self::Utf8 || line.is_ascii() {
            return boundary(line, column);
        }
        let mut passed = 0;
        for (at, character) in line.char_indices() {
            passed += character.len_utf16();
            if passed > column {
                return at;
            }
        }
        line.len()
    }
}

/// The offset itself, or the beginning of the character that it is in; at most the length of the text.
pub(crate) fn boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The offsets after the line breaks of a text.
pub(crate) fn breaks(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let ends = move |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    memchr::memchr2_iter(b'\n', b'\r', bytes).filter(ends).map(|at| at + 1)
}

/// The number of line breaks in a text.
pub(crate) fn count_breaks(text: &str) -> u32 {
    u32::try_from(breaks(text.as_bytes()).count()).unwrap_or(u32::MAX)
}

/// The offset of a position in a text: beyond the end of its line the end of the line, beyond the last line the end of the text.
pub(crate) fn offset_of(text: &str, position: Position, encoding: PositionEncoding) -> usize {
    let before = usize::try_from(position.line).unwrap_or(usize::MAX);
    let start = match before.checked_sub(1) {
        None => Some(0),
        Some(nth) => breaks(text.as_bytes()).nth(nth),
    };
    let Some(start) = start else { return text.len() };
    let line = &text[start..];
    let end = memchr::memchr2(b'\n', b'\r', line.as_bytes()).unwrap_or(line.len());
    start + encoding.offset(&line[..end], position.character)
}

/// Finds positions in a text. It continues from its last result, so that many in order cost no more than one; one before it is looked
/// for from the mark, or else from the beginning.
#[derive(Clone, Debug)]
pub(crate) struct Locator<'t> {
    text: &'t str,
    encoding: PositionEncoding,
    start: Place,
    mark: Place,
    last: Place,
    /// Bytes that were looked at.
    #[cfg(test)]
    pub(crate) scanned: usize,
}

/// An offset and its position.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: usize,
    position: Position,
}

impl<'t> Locator<'t> {
    /// For a text that begins at this position.
    pub(crate) fn new(text: &'t str, position: Position, encoding: PositionEncoding) -> Self {
        let start = Place { at: 0, position };
        Self {
            text,
            encoding,
            start,
            mark: start,
            last: start,
            #[cfg(test)]
            scanned: 0,
        }
    }

    /// Marks the place of the last result: others from there on are found without the text before it.
    pub(crate) fn mark(&mut self) {
        self.mark = self.last;
    }

    /// The position of a byte; beyond the end, that of the end.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        let offset = boundary(self.text, offset);
        if offset < self.last.at {
            self.last = if offset < self.mark.at { self.start } else { self.mark };
        }
        let Place { at: from, mut position } = self.last;
        // The byte after a `\r` shows that no `\n` belongs to it.
        let near = &self.text.as_bytes()[from..(offset + 1).min(self.text.len())];
        let mut line = from;
        for end in breaks(near).map(|end| from + end).take_while(|end| *end <= offset) {
            line = end;
            position = Position { line: position.line + 1, character: 0 };
        }
        position.character += self.encoding.width(&self.text[line..offset]);
        self.last = Place { at: offset, position };
        #[cfg(test)]
        {
            self.scanned += near.len();
        }
        position
    }

    pub(crate) fn range(&mut self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }
}

/// A range with this many lines more before it.
pub(crate) fn moved(range: Range, lines: u32) -> Range {
    let moved = |position: Position| Position { line: position.line + lines, ..position };
    Range { start: moved(range.start), end: moved(range.end) }
}

/// True if two ranges have a position in common, their ends included.
pub(crate) fn touch(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Position = Position { line: 0, character: 0 };

    const TEXT: &str = "ñ𝄞x\r\nab\rc\n\nñandú";

    #[track_caller]
    fn check(encoding: PositionEncoding, offset: usize, line: u32, character: u32) {
        let position = Position { line, character };
        assert_eq!(Locator::new(TEXT, START, encoding).position(offset), position);
        assert_eq!(offset_of(TEXT, position, encoding), offset);
    }

    #[test]
    fn columns_count_code_units_or_bytes() {
        for (offset, line, utf8, utf16) in
            [(0, 0, 0, 0), (2, 0, 2, 1), (6, 0, 6, 3), (7, 0, 7, 4), (9, 1, 0, 0), (12, 2, 0, 0), (14, 3, 0, 0)]
        {
            check(PositionEncoding::Utf8, offset, line, utf8);
            check(PositionEncoding::Utf16, offset, line, utf16);
        }
        check(PositionEncoding::Utf16, TEXT.len(), 4, 5);
        check(PositionEncoding::Utf8, TEXT.len(), 4, 7);
    }

    #[test]
    fn positions_that_do_not_exist_are_cut_short() {
        for (line, character, offset) in [(0, 2, 2), (0, 99, 7), (1, 99, 11), (3, 1, 14), (4, 99, 22), (9, 0, 22)] {
            assert_eq!(
                offset_of(TEXT, Position { line, character }, PositionEncoding::Utf16),
                offset,
                "{line} {character}"
            );
        }
        assert_eq!(
            offset_of(TEXT, Position { line: u32::MAX, character: u32::MAX }, PositionEncoding::Utf8),
            TEXT.len()
        );
    }

    #[test]
    fn positions_in_any_order_are_the_same() {
        let start = Position { line: 7, character: 3 };
        for mark in 0..=TEXT.len() {
            let mut locator = Locator::new(TEXT, start, PositionEncoding::Utf16);
            locator.position(mark);
            locator.mark();
            for offset in (0..=TEXT.len()).chain((0..TEXT.len()).rev()).chain((0..TEXT.len()).step_by(3)) {
                let fresh = Locator::new(TEXT, start, PositionEncoding::Utf16).position(offset);
                assert_eq!(locator.position(offset), fresh, "{offset} after {mark}");
            }
        }
    }

    /// Positions on one long line, and positions before the last one but after the mark.
    #[test]
    fn no_text_is_looked_at_again_and_again() {
        let line = "x".repeat(10_000);
        let mut locator = Locator::new(&line, START, PositionEncoding::Utf16);
        for offset in 0..line.len() {
            locator.position(offset);
            locator.mark();
            locator.position(offset + 10);
        }
        assert!(locator.scanned < 20 * line.len(), "{}", locator.scanned);
    }
}
