//! Places in a text: spans of bytes, lines and columns.

use std::ops::Range;

/// The byte order mark that some editors put before a text.
pub(crate) const BOM: &[u8] = "\u{feff}".as_bytes();

/// A range of bytes in the text that was read: a chunk of a file, or one position string or token.
///
/// 32 bits are enough: a record is at most 16 MiB ([`crate::record::limits`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`.
    ///
    /// # Panics
    /// If an offset does not fit 32 bits, which the limits of this crate rule out.
    #[inline]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).expect("texts are limited to 4 GiB");
        Self { start: narrow(start), end: narrow(end) }
    }

    /// As a range, to index with.
    #[inline]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The same span in a text with `by` more bytes before it.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self::new(self.start as usize + by, self.end as usize + by)
    }
}

/// A place in a file for people: line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1, in characters (Unicode scalar values).
    pub column: u64,
}

impl LineColumn {
    /// Its name as that of a cell in a worksheet: `C7`.
    pub fn cell(self) -> String {
        let mut letters = Vec::new();
        let mut column = self.column;
        while column > 0 {
            column -= 1;
            letters.push(char::from(b'A' + u8::try_from(column % 26).unwrap_or_default()));
            column /= 26;
        }
        let letters: String = letters.into_iter().rev().collect();
        format!("{letters}{}", self.line)
    }

    /// The place of the byte at `offset` of `text`, whose first byte is at the beginning of line `first_line`.
    pub fn of(text: &[u8], offset: usize, first_line: u64) -> Self {
        LineIndex::new(text, first_line).of(offset)
    }

    /// The offset of this place in `text`, whose first byte begins the first line. A place that does not exist gives
    /// the end of its line, or of the text.
    pub fn offset(self, text: &[u8]) -> usize {
        let before = usize::try_from(self.line.saturating_sub(1)).unwrap_or(usize::MAX);
        let start = match before.checked_sub(1) {
            None => 0,
            Some(nth) => memchr::memchr_iter(b'\n', text).nth(nth).map_or(text.len(), |at| at + 1),
        };
        let line = &text[start..];
        let mut rest = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
        let end = start + rest.len();
        while let Some(unmarked) = rest.strip_prefix(BOM) {
            rest = unmarked;
        }
        let widths = rest.utf8_chunks().flat_map(|chunk| {
            let valid = chunk.valid().chars().map(char::len_utf8);
            valid.chain(chunk.invalid().iter().map(|_| 1))
        });
        let passed = usize::try_from(self.column.saturating_sub(1)).unwrap_or(usize::MAX);
        end - rest.len() + widths.take(passed).sum::<usize>()
    }
}

/// Finds places in one text. It continues from its last result, so that many in order cost no more than one.
///
/// Bytes that are not UTF-8 count as one character each; byte order marks that begin a line are not counted.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a [u8],
    first: LineColumn,
    offset: usize,
    place: LineColumn,
    /// Columns are cells, with tabs between them.
    cells: bool,
}

impl<'a> LineIndex<'a> {
    /// For a text whose first byte is at the beginning of line `first_line`.
    pub fn new(text: &'a [u8], first_line: u64) -> Self {
        Self::starting(text, LineColumn { line: first_line, column: 1 })
    }

    /// For a text whose first byte is at this place.
    pub fn starting(text: &'a [u8], first: LineColumn) -> Self {
        Self { text, first, offset: 0, place: first, cells: false }
    }

    /// For lines of cells with tabs between them: columns are those of the cells.
    pub fn of_cells(text: &'a [u8], first: LineColumn) -> Self {
        Self { cells: true, ..Self::starting(text, first) }
    }

    /// The place of the byte at `offset`; beyond the end, the place after the last byte.
    pub fn of(&mut self, offset: usize) -> LineColumn {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            *self = Self { cells: self.cells, ..Self::starting(self.text, self.first) };
        }
        let mut passed = &self.text[self.offset..offset];
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.place.line += memchr::memchr_iter(b'\n', passed).count() as u64;
            self.place.column = 1;
            passed = &passed[last + 1..];
        }
        while self.place.column == 1
            && let Some(unmarked) = passed.strip_prefix(BOM)
        {
            passed = unmarked;
        }
        let characters: usize = if self.cells {
            memchr::memchr_iter(b'\t', passed).count()
        } else {
            passed.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
        };
        self.place.column += characters as u64;
        self.offset = offset;
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], offset: usize, line: u64, column: u64) {
        let place = LineColumn { line, column };
        assert_eq!(LineColumn::of(text, offset, 1), place);
        // The place is after a byte order mark, which is not counted.
        assert_eq!(LineColumn::of(text, place.offset(text), 1), place);
    }

    #[test]
    fn cells_have_letters() {
        for (column, name) in [(1, "A7"), (26, "Z7"), (27, "AA7"), (52, "AZ7"), (703, "AAA7")] {
            assert_eq!(LineColumn { line: 7, column }.cell(), name);
        }
    }

    #[test]
    fn places_in_any_order_are_the_same() {
        let text = "ñ [Game]\n\nab\u{feff}c\r\n\u{feff}[x\nñandú".as_bytes();
        let mut places = LineIndex::new(text, 7);
        let offsets = (0..=text.len()).chain((0..text.len()).rev()).chain((0..text.len()).step_by(3));
        for offset in offsets.filter(|&offset| std::str::from_utf8(&text[..offset]).is_ok()) {
            assert_eq!(places.of(offset), LineColumn::of(text, offset, 7), "{offset}");
        }
    }

    #[test]
    fn columns_of_cells() {
        let mut places = LineIndex::of_cells(b"a\tbb\tc\n\tx", LineColumn { line: 4, column: 1 });
        for (offset, line, column) in [(0, 4, 1), (3, 4, 2), (5, 4, 3), (8, 5, 2), (2, 4, 2)] {
            assert_eq!(places.of(offset), LineColumn { line, column });
        }
    }

    #[test]
    fn a_text_may_start_inside_a_line() {
        let whole = "ñu\nñandú {\n}".as_bytes();
        let (before, text) = whole.split_at(9);
        let first = LineColumn::of(whole, before.len(), 1);
        assert_eq!(first, LineColumn { line: 2, column: 5 });
        let mut places = LineIndex::starting(text, first);
        for offset in (0..=text.len()).rev() {
            assert_eq!(places.of(offset), LineColumn::of(whole, before.len() + offset, 1), "{offset}");
        }
    }

    #[test]
    fn places_count_characters_and_lines() {
        check(b"abc", 0, 1, 1);
        check(b"abc", 3, 1, 4);
        check("ñandú x".as_bytes(), 8, 1, 7);
        check(b"a\nb\nc", 4, 3, 1);
        check(b"a\r\nb", 3, 2, 1);
        check(b"\xff\xfex", 2, 1, 3);
        check("\u{feff}[Game".as_bytes(), 3, 1, 1);
        check("\u{feff}\u{feff}[Game".as_bytes(), 7, 1, 2);
        check(b"ab", 99, 1, 3);
    }
}
