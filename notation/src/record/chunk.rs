//! A piece of a source that can be read by itself.

use std::str;

use super::{Format, Limit, OpenRecord, ReadError, ReadErrorKind, Record, SourceRefusal, csv, faults, json, text};
use crate::{LineColumn, LineIndex, Span, games::FOREIGN};

/// The bytes of a record in its source, up to the next record.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    pub(super) text: &'a [u8],
    pub(super) format: Format,
    /// Bytes of the source before the chunk.
    pub(super) offset: u64,
    /// Place of its first byte in the source.
    pub(super) place: LineColumn,
    pub(super) oversized: Option<LineColumn>,
    /// Its last comment exceeded the limit and was cut off.
    pub(super) long_comment: bool,
    /// The number of its part of the source, from 1; 0 for a source that is a single text.
    pub(super) part: u32,
    /// True if its lines are rows of a worksheet, with tabs between the cells.
    pub(super) cells: bool,
    /// The reason that there is nothing to read.
    pub(super) refused: Option<SourceRefusal>,
    pub(super) tags_before: Option<TagsBefore>,
}

/// The tags before a chunk that became a separate record, because an empty line ends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagsBefore {
    /// Number of their first line in the file, from 1.
    pub line: u64,
    /// True if one of them is `Game`.
    pub has_game: bool,
}

impl<'a> Chunk<'a> {
    /// A whole text in quipu's own format, read as one chunk: it must not have more than one tag section.
    pub fn new(text: &'a [u8]) -> Self {
        let place = LineColumn { line: 1, column: 1 };
        Self {
            text,
            format: Format::Quipu,
            offset: 0,
            place,
            oversized: None,
            long_comment: false,
            part: 0,
            cells: false,
            refused: None,
            tags_before: None,
        }
    }

    /// A whole text in any format, read as one chunk.
    pub fn in_format(text: &'a [u8], format: Format) -> Self {
        Self { format, ..Self::new(text) }
    }

    /// Its bytes; none if the chunk is too large.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The number of bytes before it in its source. A caller that stores it with the chunk, but not the text, can read
    /// the text again and pass it to [`Chunk::with_text`]. Long white space after a record may differ then, since only
    /// part of it is kept.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Number of its first line in the file, from 1.
    pub fn first_line(&self) -> u64 {
        self.place.line
    }

    /// The number of its sheet of a workbook, or of its file in a zip, from 1; [`Reader::parts`](super::Reader::parts) has
    /// the name. A source that is a single text has no parts.
    pub fn part(&self) -> Option<usize> {
        (self.part > 0).then_some(self.part as usize)
    }

    /// True if there is nothing to read: the source, or this part of it, is not text.
    pub fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// The tags of the previous chunk, if it contains nothing else.
    pub fn tags_before(&self) -> Option<TagsBefore> {
        self.tags_before
    }

    /// True if it is in a worksheet: places are rows and columns of cells, from 1.
    pub fn is_of_cells(&self) -> bool {
        self.cells
    }

    /// The place where the chunk exceeded the largest size of a record, if it did. Such a chunk is one unreadable
    /// record.
    pub fn oversized(&self) -> Option<LineColumn> {
        self.oversized
    }

    /// True if its last comment exceeded the limit and was cut off, which is a fault of its record. The text after the chunk may
    /// decide that.
    pub fn has_long_comment(&self) -> bool {
        self.long_comment
    }

    /// The place in the file of the byte at `offset` of this chunk.
    pub fn place(&self, offset: usize) -> LineColumn {
        self.oversized.unwrap_or_else(|| self.places().of(offset))
    }

    /// An index for many places of this chunk.
    pub fn places(&self) -> LineIndex<'a> {
        if self.cells { LineIndex::of_cells(self.text, self.place) } else { LineIndex::starting(self.text, self.place) }
    }

    /// Its records: one, or more if text follows a result.
    pub fn records(&self) -> ChunkRecords<'a> {
        ChunkRecords::new(self, false)
    }

    /// The same records without annotations, comments and variations, which are checked and dropped. The rest of a
    /// record takes no more memory than its tags and its 100 000 plies.
    pub fn records_without_notes(&self) -> ChunkRecords<'a> {
        ChunkRecords::new(self, true)
    }

    /// All faults of its unreadable record: first the one that [`records`](Self::records) returns, then at most
    /// [`FAULTS`](super::limits::FAULTS) others in the order of the text. Empty if all records can be read.
    #[cold]
    pub fn faults(&self) -> Vec<ReadError> {
        let found = self.records_without_notes().enumerate().find_map(|(before, read)| Some((before, read.err()?)));
        let Some((before, first)) = found else { return Vec::new() };
        if self.oversized.is_some() || self.refused.is_some() {
            return vec![first];
        }
        let (text, foreign) = faults::readable(self.text);
        let others = match self.format {
            Format::Quipu => text::faults(&text, self.long_comment, before),
            Format::Json => json::faults(&text),
            Format::Csv => csv::faults(&text),
            Format::Otg | Format::Hnefatafl | Format::Pgn => Vec::new(),
        };
        faults::in_order(first, &text, foreign, others)
    }

    /// The same chunk as a separate text: lines are counted from its beginning.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { place: LineColumn { line: 1, column: 1 }, ..*self }
    }

    /// The same chunk after other text: its first line has this number, from 1.
    #[must_use]
    pub fn at_line(&self, line: u64) -> Self {
        let moved = |before: TagsBefore| (before.line + line).saturating_sub(self.place.line);
        let tags_before = self.tags_before.map(|before| TagsBefore { line: moved(before), ..before });
        Self { place: LineColumn { line, ..self.place }, tags_before, ..*self }
    }

    /// The chunk with another copy of its text.
    #[must_use]
    pub fn with_text<'b>(&self, text: &'b [u8]) -> Chunk<'b> {
        Chunk { text, ..*self }
    }
}

/// Reads the one record of a chunk, with notes or without; `None` if the chunk is blank.
type Read<'a> = fn(&'a str, bool) -> Result<Option<Record<'a>>, ReadError>;

/// The records of a chunk, in order.
#[derive(Debug)]
pub struct ChunkRecords<'a>(Rest<'a>);

/// The unread rest of a chunk.
#[derive(Debug)]
enum Rest<'a> {
    /// Text may follow a result, so there can be several records.
    Text(text::Records<'a>),
    /// The other formats have one record in a chunk.
    One {
        text: &'a [u8],
        skip_notes: bool,
        read: Read<'a>,
    },
    /// As do the formats that games bring along.
    Foreign {
        text: &'a [u8],
        skip_notes: bool,
        read: fn(&str) -> Result<Record<'_>, ReadError>,
    },
    /// There is no text.
    Unreadable(ReadErrorKind),
    Nothing,
}

impl<'a> ChunkRecords<'a> {
    fn new(chunk: &Chunk<'a>, skip_notes: bool) -> Self {
        let one = |read| Rest::One { text: chunk.text, skip_notes, read };
        let limit = chunk.oversized.map(|_| ReadErrorKind::Limit(Limit::Record));
        if let Some(kind) = limit.or(chunk.refused.map(ReadErrorKind::Refused)) {
            return Self(Rest::Unreadable(kind));
        }
        Self(match chunk.format {
            Format::Quipu => Rest::Text(text::Records::new(chunk.text, chunk.long_comment, skip_notes)),
            Format::Json => one(|text, skip_notes| json::read(text, skip_notes).map(Some)),
            Format::Csv => {
                one(|text, skip_notes| csv::read(text).map(|record| Some(without_notes(record?, skip_notes))))
            }
            foreign @ (Format::Otg | Format::Hnefatafl | Format::Pgn) => {
                match FOREIGN.iter().find(|row| row.format == foreign) {
                    Some(row) => Rest::Foreign { text: chunk.text, skip_notes, read: row.read },
                    None => Rest::Nothing,
                }
            }
        })
    }
}

impl<'a> ChunkRecords<'a> {
    /// Lets `read` read the next record into an empty one, with its moves one by one, if that is in quipu's own text. If `read`
    /// returns nothing, or the tags of the record have a fault, it is still unread, and the other one may have a part of it. If `read`
    /// returns a value without reading the moves, the iterator must not be used again.
    pub fn open_next<T>(
        &mut self,
        record: &mut Record<'a>,
        read: impl FnOnce(OpenRecord<'_, 'a>) -> Option<T>,
    ) -> Option<T> {
        match &mut self.0 {
            Rest::Text(records) => records.open_next(record, read),
            _ => None,
        }
    }
}

impl<'a> Iterator for ChunkRecords<'a> {
    type Item = Result<Record<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Rest::Text(records) = &mut self.0 {
            return records.next();
        }
        match std::mem::replace(&mut self.0, Rest::Nothing) {
            Rest::One { text, skip_notes, read } => utf8(text).and_then(|text| read(text, skip_notes)).transpose(),
            Rest::Foreign { text, skip_notes, read } => {
                Some(utf8(text).and_then(read).map(|record| without_notes(record, skip_notes)))
            }
            Rest::Unreadable(kind) => Some(Err(ReadError { kind, span: Span::default() })),
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

/// Drops the notes of a record if it is read without them.
fn without_notes(mut record: Record<'_>, skip_notes: bool) -> Record<'_> {
    if skip_notes {
        record.movetext.comments.clear();
        record.movetext.plies.iter_mut().for_each(|ply| ply.notes = None);
    }
    record
}
