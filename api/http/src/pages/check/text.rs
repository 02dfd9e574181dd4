//! The text of the records in the text box: as it was read, with the game that was chosen, or with a reading in the place of
//! a record.

use std::{
    io::{self, Write},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use actix_web::web::Bytes;
use quipu_notation::{
    Span,
    record::{Chunk, Format, Reader, Record, as_windows_1252, write::OutputFormat},
};
use quipu_referee::{is_active, repaired};

use crate::{
    problem::Problem,
    routes::ingest::{self, BodyFormat},
    stream,
};

/// Bytes of a text in the text box, at most.
pub(super) const MAX_TEXT: usize = 256 * 1024;
/// The mark at the beginning of a text in UTF-8.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Records to be read, and how.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) bytes: Bytes,
    pub(super) form: BodyFormat,
}

impl Source {
    /// A text in UTF-8, whose format its content decides.
    pub(super) fn of_text(text: String) -> Self {
        Self { bytes: text.into(), form: BodyFormat::default() }
    }

    /// Calls `each` with the chunks of a text that fits the box and is in one format; false for any other source, at
    /// whatever chunk that shows.
    fn each_chunk(&self, mut each: impl FnMut(&Chunk<'_>)) -> Result<bool, Problem> {
        let mut reader = ingest::reader(&*self.bytes, self.form.clone());
        let (mut form, mut size) = (None, 0);
        while let Some(chunk) = reader.next_chunk().map_err(stream::problem)? {
            size += chunk.text().len();
            let is_other = form.replace(chunk.format()).is_some_and(|before| before != chunk.format());
            if is_other || size > MAX_TEXT || chunk.is_refused() || chunk.oversized().is_some() {
                return Ok(false);
            }
            each(&chunk);
        }
        Ok(true)
    }

    /// The same with the game in each record that names none, and the number of these records. Text that the box cannot hold
    /// stays as it is.
    ///
    /// # Errors
    /// As for any reading of the source.
    pub(super) fn with_game(&self, game: &str) -> Result<(Self, usize), Problem> {
        let (mut joined, mut added) = (JoinedText::default(), 0);
        let fits = self.each_chunk(|chunk| match named(chunk, game) {
            Some((text, count)) => {
                joined.push(chunk.format(), &text);
                added += count;
            }
            None => joined.push(chunk.format(), chunk.text()),
        })?;
        let named = joined.source().filter(|_| fits && added > 0);
        Ok(named.map_or_else(|| (self.clone(), 0), |named| (named, added)))
    }

    /// The record of this index.
    ///
    /// # Errors
    /// As for any reading of the source.
    pub(super) fn with_record<T>(
        &self,
        index: usize,
        mut use_it: impl FnMut(&Chunk<'_>, Record<'_>) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let (mut before, mut found) = (0, None);
        self.each_chunk(|chunk| {
            let mut records = chunk.records();
            let mut rest = 0;
            if found.is_none()
                && before <= index
                && let Some(Ok(record)) = records.by_ref().inspect(|_| rest += 1).nth(index - before)
            {
                found = use_it(chunk, record);
            }
            before += rest + records.count();
        })?;
        Ok(found)
    }

    /// All records, if there are at most `most`, and their chunks have at most `size` bytes each.
    ///
    /// # Errors
    /// As for any reading of the source.
    pub(super) fn records(&self, most: usize, size: usize) -> Result<Option<Vec<Record<'static>>>, Problem> {
        let (mut records, mut fit) = (Vec::new(), true);
        let is_whole = self.each_chunk(|chunk| {
            fit &= chunk.text().len() <= size;
            if fit {
                records.extend(chunk.records().flatten().take(most + 1).map(|record| repaired::owned(&record)));
            }
        })?;
        Ok(Some(records).filter(|records| is_whole && fit && records.len() <= most))
    }

    /// The same with other text for the record of this index.
    ///
    /// # Errors
    /// As for any reading of the source.
    pub(super) fn replaced(
        &self,
        index: usize,
        write: impl Fn(&Record<'_>) -> Option<Record<'static>>,
    ) -> Result<Option<Self>, Problem> {
        let (mut joined, mut before, mut is_done) = (JoinedText::default(), 0, false);
        let fits = self.each_chunk(|chunk| {
            let records: Vec<_> = chunk.records().collect();
            let own = index.checked_sub(before).and_then(|own| records.get(own)?.as_ref().ok());
            before += records.len();
            let Some((record, other)) = own.and_then(|record| Some((record, write(record)?))) else {
                return joined.push(chunk.format(), chunk.text());
            };
            is_done = true;
            let (format, text) = written(chunk.format(), &other);
            let place = if records.len() == 1 { 0..chunk.text().len() } else { range(record.span) };
            joined.push(format, &[&chunk.text()[..place.start], text.as_bytes(), &chunk.text()[place.end..]].concat());
        })?;
        Ok(joined.source().filter(|_| fits && is_done))
    }
}

/// A record as text in the format of its source; in quipu's own if nothing is written in that.
fn written(form: Format, record: &Record<'_>) -> (Format, String) {
    let format = match form {
        Format::Quipu | Format::Otg | Format::Hnefatafl | Format::Pgn => OutputFormat::Quipu,
        Format::Json => OutputFormat::Json,
        Format::Csv => OutputFormat::Csv,
    };
    (format.input_format(), format.write(record).0)
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The text of a chunk with the game in its records that name none, and their number; none if there are none, or if it
/// could not be read so.
fn named(chunk: &Chunk<'_>, game: &str) -> Option<(Vec<u8>, usize)> {
    let text = chunk.text();
    let nameless = chunk.records_without_notes().flatten().filter(|record| record.tag("Game").is_none());
    let places: Vec<_> = nameless.map(|record| (record.span.start as usize, record.tags.is_empty())).collect();
    let (mut named, mut copied) = (Vec::with_capacity(text.len() + 32 * places.len()), 0);
    for (start, is_bare) in &places {
        let at = match chunk.format() {
            Format::Quipu => *start,
            Format::Csv => {
                if text.starts_with(BOM) {
                    BOM.len()
                } else {
                    0
                }
            }
            Format::Json => text.iter().position(|byte| *byte == b'{')? + 1,
            Format::Otg | Format::Hnefatafl | Format::Pgn => return None,
        };
        named.extend_from_slice(text.get(copied..at)?);
        copied = at;
        let begins_line = named.last().is_none_or(|byte| *byte == b'\n') || named.ends_with(BOM);
        let tag = match chunk.format() {
            Format::Csv => format!("#Game: {game}\n"),
            Format::Json => format!("\"game\": \"{game}\", "),
            _ => {
                let [before, after] = [if begins_line { "" } else { "\n\n" }, if *is_bare { "\n" } else { "" }];
                format!("{before}[Game \"{game}\"]\n{after}")
            }
        };
        named.extend_from_slice(tag.as_bytes());
    }
    named.extend_from_slice(&text[copied..]);
    (!places.is_empty() && games(&named, chunk.format(), game) >= places.len()).then_some((named, places.len()))
}

/// The number of records of a text that name this game.
fn games(text: &[u8], form: Format, game: &str) -> usize {
    let mut reader = Reader::with_format(text, form);
    let mut count = 0;
    // Memory does not fail.
    while let Ok(Some(chunk)) = reader.next_chunk() {
        count += chunk.records().flatten().filter(|record| record.value("Game") == Some(game)).count();
    }
    count
}

/// Texts one after another, if all are in one format and fit the box.
#[derive(Default)]
pub(super) struct JoinedText {
    form: Option<Format>,
    text: Vec<u8>,
    is_broken: bool,
}

impl JoinedText {
    pub(super) fn push(&mut self, form: Format, text: &[u8]) {
        let is_other = self.form.replace(form).is_some_and(|before| before != form);
        if self.is_broken || is_other || self.text.len() + text.len() > MAX_TEXT {
            (self.is_broken, self.text) = (true, Vec::new());
            return;
        }
        if !self.text.is_empty() && !self.text.ends_with(b"\n") {
            self.text.push(b'\n');
        }
        if !self.text.is_empty() && form == Format::Quipu && !self.text.ends_with(b"\n\n") {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(text);
    }

    /// The texts, if they could be joined.
    pub(super) fn text(self) -> Option<Vec<u8>> {
        (!self.is_broken).then_some(self.text)
    }

    /// The same as a source in their format.
    pub(super) fn source(self) -> Option<Source> {
        let form = BodyFormat::default().with(self.form, None);
        self.text().map(|text| Source { bytes: text.into(), form })
    }
}

/// A copy of the text that a reader reads, up to [`MAX_TEXT`] bytes.
#[derive(Clone, Default)]
pub(super) struct TextCopy(Arc<Mutex<(Vec<u8>, bool)>>);

impl TextCopy {
    /// The text, if it is not too long.
    pub(super) fn text(&self) -> Option<Vec<u8>> {
        let (text, is_over) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!*is_over).then(|| std::mem::take(text))
    }
}

impl Write for TextCopy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (text, is_over) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *is_over |= text.len() + bytes.len() > MAX_TEXT;
        if *is_over {
            *text = Vec::new();
        } else {
            text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The content of the text box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BoxText {
    /// Empty if there is nothing, or the box cannot hold it.
    pub(super) text: String,
    pub(super) state: BoxState,
    /// Its lines are the rows of a workbook.
    pub(super) is_of_cells: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BoxState {
    /// The text as it was read.
    #[default]
    Whole,
    /// The bytes are not UTF-8, and the text is that in Windows-1252.
    Guessed,
    /// The page shows some characters as U+FFFD.
    Changed,
    /// It is too long, or no text.
    Missing,
}

impl BoxText {
    pub(super) fn of(bytes: Option<Vec<u8>>) -> Self {
        let missing = Self { state: BoxState::Missing, ..Self::default() };
        let Some(bytes) = bytes else { return missing };
        let (text, state) = match String::from_utf8(bytes) {
            Ok(text) => (text, BoxState::Whole),
            Err(error) => (as_windows_1252(error.as_bytes()), BoxState::Guessed),
        };
        let is_shown = |character: char| matches!(character, '\n' | '\r' | '\t') || !is_active(character);
        let is_text = text.chars().all(is_shown);
        if text.contains('\0') || state == BoxState::Guessed && (!is_text || text.contains(char::REPLACEMENT_CHARACTER))
        {
            return missing;
        }
        let state = if is_text { state } else { BoxState::Changed };
        Self { text: text.trim_start_matches('\u{feff}').to_owned(), state, is_of_cells: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { bytes: Bytes::copy_from_slice(text.as_bytes()), form: BodyFormat::default() }
    }

    #[track_caller]
    fn with_game(text: &str, expected: &str) {
        let (found, added) = source(text).with_game("andes").unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(str::from_utf8(&found.bytes), Ok(expected));
        assert_eq!(added > 0, text != expected);
    }

    #[test]
    fn the_game_is_added_in_every_format() {
        with_game("1. 0a1 0D0\n*\n", "[Game \"andes\"]\n\n1. 0a1 0D0\n*\n");
        with_game("[Sol \"Ana\"]\n\n1. 0a1\n*\n", "[Game \"andes\"]\n[Sol \"Ana\"]\n\n1. 0a1\n*\n");
        with_game("1. 0a1 * 1. 0a2 *", "[Game \"andes\"]\n\n1. 0a1 * \n\n[Game \"andes\"]\n\n1. 0a2 *");
        with_game("n\tsol\tluna\n1\t0a1\t0D0\n", "#Game: andes\nn\tsol\tluna\n1\t0a1\t0D0\n");
        with_game("{\"moves\": [\"0a1\"]}", "{\"game\": \"andes\", \"moves\": [\"0a1\"]}");
        for own in
            ["[Game \"querni\"]\n\n1. a\n*\n", "{\"game\":\"querni\",\"moves\":[]}\n", "#Game: querni\nn,rojo,azul\n"]
        {
            with_game(own, own);
        }
        // A text that cannot be read is left alone.
        with_game("1. 0a1 {", "1. 0a1 {");
    }

    #[test]
    fn a_record_is_replaced_where_it_stands() {
        let text = "[Game \"andes\"]\n\n1. 0a1\n*\n\n[Game \"andes\"]\n\n1. 0a2 *\n";
        let replaced = |index: usize| {
            let empty = |record: &Record<'_>| {
                let mut record = repaired::owned(record);
                record.movetext.plies.clear();
                Some(record)
            };
            let found = source(text).replaced(index, empty).unwrap_or_else(|_| panic!("{index}"));
            found.map(|found| String::from_utf8(found.bytes.to_vec()).expect("UTF-8"))
        };
        let [first, second] = ["[Game \"andes\"]\n\n1. 0a1\n*\n", "[Game \"andes\"]\n\n1. 0a2 *\n"];
        let empty = "[Game \"andes\"]\n\n*\n";
        assert_eq!(replaced(0), Some([empty, second].join("\n")));
        assert_eq!(replaced(1), Some([first, empty, ""].join("\n")));
        assert_eq!(replaced(2), None);
    }

    #[test]
    fn the_box_holds_text() {
        let check = |bytes: &[u8], text: &str, state| {
            assert_eq!(BoxText::of(Some(bytes.to_vec())), BoxText { text: text.to_owned(), state, is_of_cells: false });
        };
        check("\u{feff}Muñoz\r\n".as_bytes(), "Muñoz\r\n", BoxState::Whole);
        check(b"Mu\xf1oz\n", "Muñoz\n", BoxState::Guessed);
        check(b"Mu\xf1oz\x81\n", "", BoxState::Missing);
        check(b"M\0u\0\xf1\0", "", BoxState::Missing);
        check("a\u{202e}b".as_bytes(), "a\u{202e}b", BoxState::Changed);
        let mut copy = TextCopy::default();
        copy.write_all(&vec![b'a'; MAX_TEXT]).expect("it takes everything");
        assert_eq!(copy.clone().text().map(|text| text.len()), Some(MAX_TEXT));
        copy.write_all(&vec![b'a'; MAX_TEXT + 1]).expect("it takes everything");
        assert_eq!(BoxText::of(copy.text()).state, BoxState::Missing);
    }
}
