//! The grammar of one chunk: tag pairs, movetext, comments, annotations, variations, results.
//!
//! One pass over the text. Reading a record stops at its first fault of syntax; [`faults`] reads on, to find the others.

use std::ops::Range;

use super::{
    super::{MoveSink, ReadError, Record, faults::Faults, tags::Names},
    cursor::{Cursor, Item},
    movetext::{read_comment, read_movetext},
    tag_pair::{OPEN_VALUE, TagLine, tag_pair},
};
use crate::Span;

/// The records of a chunk, in order.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    cursor: Cursor<'a>,
    /// True before the first record: the tag section is still to come.
    first: bool,
    done: bool,
}

impl<'a> Records<'a> {
    pub(crate) fn new(chunk: &'a [u8], long_comment: bool, skip_notes: bool) -> Self {
        Self { cursor: Cursor::new(chunk, long_comment, skip_notes), first: true, done: false }
    }
}

/// A record whose tags are read and whose moves are not.
#[derive(Debug)]
pub struct OpenRecord<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    record: &'c mut Record<'a>,
    head: Head,
}

impl<'c, 'a> OpenRecord<'c, 'a> {
    /// The record as far as it is read: its tags.
    pub fn record(&self) -> &Record<'a> {
        self.record
    }

    /// The text that spans refer to.
    pub fn text(&self) -> &'a str {
        self.cursor.text
    }

    /// The lines of the tags, if each is written as in canonical text and nothing is between them.
    pub fn tag_lines(&self) -> Option<&'a str> {
        self.head.lines.clone().map(|lines| &self.cursor.text[lines])
    }

    /// Reads the moves into a sink, and the result. The record that is returned has no moves.
    ///
    /// # Errors
    /// The first fault, or the reason of the sink.
    pub fn read_moves<S: MoveSink<'a>>(self, moves: &mut S) -> Result<&'c Record<'a>, S::Stop> {
        let Self { cursor, record, head } = self;
        body(cursor, record, head.start, moves)?;
        Ok(record)
    }
}

impl<'a> Records<'a> {
    /// Lets `read` read the next record into an empty one. If it returns nothing, or the tags have a fault, that record is still
    /// unread.
    pub(in crate::record) fn open_next<T>(
        &mut self,
        record: &mut Record<'a>,
        read: impl FnOnce(OpenRecord<'_, 'a>) -> Option<T>,
    ) -> Option<T> {
        if self.done {
            return None;
        }
        let Cursor { at, content, line_start, .. } = self.cursor;
        let found = match head(&mut self.cursor, record, self.first) {
            Ok(Some(head)) => read(OpenRecord { cursor: &mut self.cursor, record, head }),
            Ok(None) => {
                self.done = true;
                return None;
            }
            Err(_) => None,
        };
        if found.is_some() {
            self.first = false;
        } else {
            (self.cursor.at, self.cursor.content, self.cursor.line_start) = (at, content, line_start);
            self.cursor.odd_clocks.clear();
        }
        found
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = record(&mut self.cursor, self.first).transpose();
        self.first = false;
        // A fault ends the chunk: records after it cannot be told apart.
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

/// The faults of a chunk after so many records that can be read.
pub(in crate::record) fn faults(chunk: &str, long_comment: bool, before: usize) -> Vec<ReadError> {
    let mut records = Records::new(chunk.as_bytes(), long_comment, true);
    let read = records.by_ref().take(before).count();
    debug_assert_eq!(read, before, "they were read before");
    let Records { mut cursor, mut first, .. } = records;
    cursor.faults = Faults::collecting();
    let end = loop {
        match record(&mut cursor, first) {
            Ok(Some(_)) => first = false,
            Ok(None) => break Ok(()),
            Err(last) => break Err(last),
        }
    };
    cursor.faults.finish(end)
}

/// Reads one record; nothing at the end.
fn record<'a>(cursor: &mut Cursor<'a>, with_tags: bool) -> Result<Option<Record<'a>>, ReadError> {
    let mut record = Record::default();
    let Some(Head { start, .. }) = head(cursor, &mut record, with_tags)? else { return Ok(None) };
    let mut movetext = std::mem::take(&mut record.movetext);
    // Growing step by step costs more than the memory.
    movetext.plies.reserve(64);
    body(cursor, &mut record, start, &mut movetext)?;
    record.movetext = movetext;
    Ok(Some(record))
}

/// The beginning of a record, with its tags.
#[derive(Debug)]
struct Head {
    start: usize,
    /// The lines of the tags, if each is plain and nothing is between them.
    lines: Option<Range<usize>>,
}

/// Reads the tags of a record, and the comments before its first move; nothing at the end.
fn head<'a>(cursor: &mut Cursor<'a>, record: &mut Record<'a>, with_tags: bool) -> Result<Option<Head>, ReadError> {
    let mut names = Names::default();
    let mut in_tags = with_tags;
    let mut found = None;
    loop {
        let (blank_line, item) = cursor.next()?;
        in_tags &= !blank_line || record.tags.is_empty();
        let Some(item) = item else {
            cursor.reached(cursor.at)?;
            return Ok(found);
        };
        let at = cursor.at;
        let head = found.get_or_insert(Head { start: at, lines: Some(at..at) });
        match item {
            Item::Comment => read_comment(cursor, &mut record.movetext, true)?,
            Item::TagPair if in_tags => {
                let read = tag_pair(cursor);
                let is_open = read.as_ref().is_err_and(|fault| fault.kind == OPEN_VALUE);
                if let Some(TagLine { tag, name, is_plain }) = cursor.faults.collect(read)? {
                    let end = cursor.at + 1;
                    let before = head.lines.take().filter(|lines| is_plain && lines.end == at);
                    head.lines = before.map(|lines| lines.start..end).filter(|lines| lines.end <= cursor.text.len());
                    cursor.faults.collect(names.add(&mut record.tags, tag, name))?;
                } else if is_open {
                    cursor.skip_value();
                }
            }
            _ => return Ok(found),
        }
    }
}

/// Reads the moves and the result of a record that begins at `start`.
fn body<'a, S: MoveSink<'a>>(
    cursor: &mut Cursor<'a>,
    record: &mut Record<'a>,
    start: usize,
    moves: &mut S,
) -> Result<(), S::Stop> {
    if !cursor.is_at_end() {
        record.result = read_movetext(cursor, moves, None)?;
    }
    record.span = Span::new(start, cursor.content.max(start));
    if record.result.is_some() {
        while let (_, Some(Item::Comment)) = cursor.next()? {
            read_comment(cursor, moves, true)?;
            record.span = Span::new(start, cursor.content);
        }
    }
    record.odd_clocks = std::mem::take(&mut cursor.odd_clocks);
    Ok(())
}
