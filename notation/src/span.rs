//! Where something stands in a text.

use std::ops::Range;

/// A range of bytes in the text that was read: a block of a file, or one position string or token.
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
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).expect("texts are limited to 4 GiB");
        Self { start: narrow(start), end: narrow(end) }
    }

    /// As a range, to index with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The same span seen from `by` bytes further back.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self::new(self.start as usize + by, self.end as usize + by)
    }
}

/// A place in a file as people count: both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1, in characters (Unicode scalar values).
    pub column: u64,
}

impl Place {
    /// The place of the byte at `offset` of `text`, whose first byte is at the beginning of line `first_line`.
    ///
    /// Bytes that are not UTF-8 count as one character each; a byte order mark at the beginning is not counted.
    pub fn of(text: &[u8], offset: usize, first_line: u64) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let lines = memchr::memchr_iter(b'\n', before).count() as u64;
        let on_line = &before[line_start..];
        let on_line = on_line.strip_prefix(crate::record::BOM).unwrap_or(on_line);
        let characters: usize =
            on_line.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum();
        Self { line: first_line + lines, column: characters as u64 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], offset: usize, line: u64, column: u64) {
        assert_eq!(Place::of(text, offset, 1), Place { line, column });
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
        check(b"ab", 99, 1, 3);
    }
}
