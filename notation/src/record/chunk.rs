//! A piece of a source that can be read by itself.

use std::str;

use super::{Format, Limit, ReadError, ReadErrorKind, Record, csv, json, text};
use crate::{LineColumn, LineIndex, Span, games::FOREIGN};

/// A record as it stands in its source, with what stands before the next one.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    pub(super) text: &'a [u8],
    pub(super) form: Format,
    /// Bytes of the source before it.
    pub(super) offset: u64,
    /// Of its first byte in the source.
    pub(super) place: LineColumn,
    pub(super) oversized: Option<LineColumn>,
    /// Its last comment was longer than any may be before it was cut off.
    pub(super) long_comment: bool,
}

impl<'a> Chunk<'a> {
    /// A text of its own in quipu's own form, to be read as one block: it must not hold more than one tag section.
    pub fn new(text: &'a [u8]) -> Self {
        let place = LineColumn { line: 1, column: 1 };
        Self { text, form: Format::Quipu, offset: 0, place, oversized: None, long_comment: false }
    }

    /// A text of its own in any form, to be read as one block.
    pub fn in_form(text: &'a [u8], form: Format) -> Self {
        Self { form, ..Self::new(text) }
    }

    /// Its bytes as they were read; of a block that is too large, none.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The form it is written in.
    pub fn form(&self) -> Format {
        self.form
    }

    /// How many bytes of its source stand before it. Who keeps that, and the block without its text, can read the text
    /// again and hand it to [`Chunk::with_text`]. White space behind a record may be other than it was, where there was
    /// more of it than is kept.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Number of its first line in the file, from 1.
    pub fn first_line(&self) -> u64 {
        self.place.line
    }

    /// Where the largest size of a record was passed, if it was. Such a block holds one unreadable record.
    pub fn oversized(&self) -> Option<LineColumn> {
        self.oversized
    }

    /// The place in the file of the byte at `offset` of this block.
    pub fn place(&self, offset: usize) -> LineColumn {
        self.oversized.unwrap_or_else(|| self.places().of(offset))
    }

    /// Finds many places in this block.
    pub fn places(&self) -> LineIndex<'a> {
        LineIndex::starting(self.text, self.place)
    }

    /// The records in it: one, or more where text goes on after a result.
    pub fn records(&self) -> Records<'a> {
        Records::new(self, false)
    }

    /// The same records without annotations, comments and variations, which are checked and not kept. What is left
    /// of a record takes no more memory than its tags and its 100 000 plies.
    pub fn bare_records(&self) -> Records<'a> {
        Records::new(self, true)
    }

    /// The same block as if nothing stood before it: places are counted from its own beginning.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { place: LineColumn { line: 1, column: 1 }, ..*self }
    }

    /// The block with this text instead, for who has copied it.
    #[must_use]
    pub fn with_text<'b>(&self, text: &'b [u8]) -> Chunk<'b> {
        Chunk { text, ..*self }
    }
}

/// Reads the one record of a block, bare or not; nothing if nothing is there.
type Read<'a> = fn(&'a str, bool) -> Result<Option<Record<'a>>, ReadError>;

/// The records of a block, in order.
#[derive(Debug)]
pub struct Records<'a>(Rest<'a>);

/// What is still to be read.
#[derive(Debug)]
enum Rest<'a> {
    /// Text goes on after a result.
    Text(text::Records<'a>),
    /// The other forms have one record in a block.
    One {
        text: &'a [u8],
        bare: bool,
        read: Read<'a>,
    },
    /// So have the formats that games bring along.
    Foreign {
        text: &'a [u8],
        bare: bool,
        read: fn(&str) -> Result<Record<'_>, ReadError>,
    },
    TooLarge,
    Nothing,
}

impl<'a> Records<'a> {
    fn new(block: &Chunk<'a>, bare: bool) -> Self {
        let one = |read| Rest::One { text: block.text, bare, read };
        Self(match block.form {
            _ if block.oversized.is_some() => Rest::TooLarge,
            Format::Quipu => Rest::Text(text::Records::new(block.text, block.long_comment, bare)),
            Format::Json => one(|text, bare| json::read(text, bare).map(Some)),
            Format::Csv => one(|text, _| csv::read(text)),
            foreign => match FOREIGN.iter().find(|row| row.format == foreign) {
                Some(row) => Rest::Foreign { text: block.text, bare, read: row.read },
                None => Rest::Nothing,
            },
        })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Rest::Text(records) = &mut self.0 {
            return records.next();
        }
        match std::mem::replace(&mut self.0, Rest::Nothing) {
            Rest::One { text, bare, read } => utf8(text).and_then(|text| read(text, bare)).transpose(),
            Rest::Foreign { text, bare, read } => {
                Some(utf8(text).and_then(read).map(|record| without_notes(record, bare)))
            }
            Rest::TooLarge => Some(Err(ReadError { kind: ReadErrorKind::Limit(Limit::Record), span: Span::default() })),
            Rest::Text(_) | Rest::Nothing => None,
        }
    }
}

fn utf8(text: &[u8]) -> Result<&str, ReadError> {
    str::from_utf8(text).map_err(|error| {
        let at = error.valid_up_to();
        ReadError { kind: ReadErrorKind::Encoding { byte: text[at] }, span: Span::new(at, at + 1) }
    })
}

/// The record as bare reading gives it.
fn without_notes(mut record: Record<'_>, bare: bool) -> Record<'_> {
    if bare {
        record.line.comments.clear();
        record.line.plies.iter_mut().for_each(|ply| ply.notes = None);
    }
    record
}
