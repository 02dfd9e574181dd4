//! Parts of the grammar of move tokens and position strings that the games share, on `nom`.

use std::{fmt::Write as _, ops::Range};

use nom::{
    Parser,
    error::{ErrorKind, ParseError},
};

use super::GameNotation;
use crate::{
    Side, Span,
    record::write::{Bytes, write_decimal},
};

/// A fault in the form of a text: the element expected at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrammarFault<K> {
    /// The expected element.
    pub kind: K,
    /// The place in the text.
    pub span: Span,
}

impl<K> GrammarFault<K> {
    pub(crate) fn new(kind: K, at: Range<usize>) -> Self {
        Self { kind, span: Span::new(at.start, at.end) }
    }

    /// A fault at the rest of `text` where parsing stopped. It covers one character, or none at the end.
    pub(crate) fn at_rest(kind: K, text: &str, rest: usize) -> Self {
        let start = text.len() - rest;
        let width = text[start..].chars().next().map_or(0, char::len_utf8);
        Self::new(kind, start..start + width)
    }

    /// The same fault in a text that begins `by` bytes earlier.
    pub(crate) fn shifted(self, by: usize) -> Self {
        Self { kind: self.kind, span: self.span.shifted(by) }
    }
}

/// The error type for nom: the number of bytes left, and the expected element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<K> {
    pub(crate) rest: usize,
    pub(crate) kind: Option<K>,
}

impl<K> ParseError<&[u8]> for Expected<K> {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> Self {
        Self { rest: input.len(), kind: None }
    }

    fn append(_: &[u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Parses one byte that `accept` knows; otherwise `kind` was expected.
pub(crate) fn one<'a, T, K: Copy>(
    accept: impl Fn(u8) -> Option<T>,
    kind: K,
) -> impl Parser<&'a [u8], Output = T, Error = Expected<K>> {
    move |input: &'a [u8]| {
        input
            .split_first()
            .and_then(|(&byte, rest)| accept(byte).map(|value| (rest, value)))
            .ok_or(nom::Err::Error(Expected { rest: input.len(), kind: Some(kind) }))
    }
}

/// Runs `parser` over the whole of `text`; if it stops early, the fault is `rest`.
pub(crate) fn whole<'a, T, K: Copy>(
    text: &'a str,
    mut parser: impl Parser<&'a [u8], Output = T, Error = Expected<K>>,
    rest: K,
) -> Result<T, GrammarFault<K>> {
    match parser.parse(text.as_bytes()) {
        Ok(([], value)) => Ok(value),
        Ok((left, _)) => Err(GrammarFault::at_rest(rest, text, left.len())),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
            Err(GrammarFault::at_rest(error.kind.unwrap_or(rest), text, error.rest))
        }
        Err(nom::Err::Incomplete(_)) => Err(GrammarFault::at_rest(rest, text, 0)),
    }
}

/// A number as canonical texts write it: decimal, without leading zeros, at most 4 294 967 295.
pub(crate) fn number(text: &str) -> Option<u32> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}

/// A field of a position string, and its offset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl Field<'_> {
    /// A fault that covers the field.
    pub(crate) fn fault<K>(&self, kind: K) -> GrammarFault<K> {
        GrammarFault::new(kind, self.start..self.start + self.text.len())
    }

    /// The rows that `parse` reads in the field.
    pub(crate) fn rows<T>(
        &self,
        parse: impl Fn(&str) -> Result<T, GrammarFault<RowsFault>>,
    ) -> Result<T, GrammarFault<SetupFault>> {
        parse(self.text).map_err(|fault| {
            let GrammarFault { kind, span } = fault.shifted(self.start);
            GrammarFault { kind: SetupFault::Rows(kind), span }
        })
    }

    /// The field as the side to move.
    pub(crate) fn turn(&self, game: &GameNotation) -> Result<Side, GrammarFault<SetupFault>> {
        game.side_lettered(self.text).ok_or_else(|| self.fault(SetupFault::Turn))
    }

    /// The field as a count.
    pub(crate) fn number(&self) -> Result<u64, GrammarFault<SetupFault>> {
        number(self.text).map(u64::from).ok_or_else(|| self.fault(SetupFault::Number))
    }
}

/// The parts of a text between ASCII characters. `str::split` starts a search for each, which costs more than such
/// short parts.
fn parts(text: &str, sign: u8) -> impl Iterator<Item = Field<'_>> {
    let mut start = 0;
    text.as_bytes().split(move |&byte| byte == sign).map(move |part| {
        let field = Field { text: &text[start..start + part.len()], start };
        start += part.len() + 1;
        field
    })
}

/// A fault in a position string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupFault {
    /// The number of fields, which single spaces separate, is wrong.
    Fields {
        /// Fields written.
        found: usize,
        /// Fields of a position string.
        expected: usize,
    },
    /// The rows are at fault.
    Rows(RowsFault),
    /// The turn is not the letter of a side.
    Turn,
    /// A count is no canonical number.
    Number,
    /// A field that only one game has is at fault: the variant of the message, `hands`.
    Field(&'static str),
}

/// The fields of a position string, separated by single spaces.
pub(crate) fn fields<const N: usize>(text: &str) -> Result<[Field<'_>; N], GrammarFault<SetupFault>> {
    let mut fields = [Field::default(); N];
    let mut found = 0;
    for field in parts(text, b' ') {
        if let Some(slot) = fields.get_mut(found) {
            *slot = field;
        }
        found += 1;
    }
    if found == N {
        Ok(fields)
    } else {
        Err(GrammarFault::new(SetupFault::Fields { found, expected: N }, 0..text.len()))
    }
}

/// The span of a field of a position string, counted from 0; beyond the last one, the end of the text.
pub fn field_span(text: &str, number: usize) -> Span {
    let field = parts(text, b' ').nth(number).unwrap_or(Field { text: "", start: text.len() });
    Span::new(field.start, field.start + field.text.len())
}

/// A fault in the rows of a position string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFault {
    /// The number of rows is not that of the board.
    Rows {
        /// Rows written.
        found: usize,
        /// Rows of the board.
        expected: usize,
    },
    /// A row has the wrong number of squares.
    Row {
        /// Its number, from 1.
        row: usize,
        /// Squares written.
        width: usize,
        /// Squares of a row.
        expected: usize,
    },
    /// A run of empty squares is zero, longer than a row, has a leading zero or follows another number.
    Run {
        /// Squares of a row.
        most: usize,
    },
    /// A character is no piece.
    Piece,
}

/// Reads rows joined by `/`: pieces as `piece` knows them, runs of empty squares as numbers, never two in a row.
/// `cells` has `width` entries a row and is all empty.
pub(crate) fn rows<P>(
    text: &str,
    width: usize,
    cells: &mut [Option<P>],
    piece: impl Fn(u8) -> Option<P>,
) -> Result<(), GrammarFault<RowsFault>> {
    if plain_rows(text, width, cells, &piece).is_some() {
        return Ok(());
    }
    cells.fill_with(|| None);
    rows_with_faults(text, width, cells, piece)
}

/// Fast path for rows without faults: one loop over their bytes. `None` leaves them to the general one.
fn plain_rows<P>(text: &str, width: usize, cells: &mut [Option<P>], piece: impl Fn(u8) -> Option<P>) -> Option<()> {
    let (mut at, mut run, mut row_end) = (0, 0, width);
    for byte in text.bytes() {
        let digit = usize::from(byte.wrapping_sub(b'0'));
        if digit < 10 {
            run = run * 10 + digit;
            // A run is not zero, and no longer than a row.
            if run == 0 || run > width {
                return None;
            }
            continue;
        }
        at += std::mem::take(&mut run);
        if byte == b'/' {
            if at != row_end || row_end == cells.len() {
                return None;
            }
            row_end += width;
        } else {
            if at >= row_end {
                return None;
            }
            cells[at] = Some(piece(byte)?);
            at += 1;
        }
    }
    at += run;
    (at == row_end && at == cells.len()).then_some(())
}

/// The same, with the fault that comes first.
#[cold]
fn rows_with_faults<P>(
    text: &str,
    width: usize,
    cells: &mut [Option<P>],
    piece: impl Fn(u8) -> Option<P>,
) -> Result<(), GrammarFault<RowsFault>> {
    let expected = cells.len() / width;
    let found = parts(text, b'/').count();
    if found != expected {
        return Err(GrammarFault::new(RowsFault::Rows { found, expected }, 0..text.len()));
    }
    for (index, (row, cells)) in parts(text, b'/').zip(cells.chunks_mut(width)).enumerate() {
        let filled = one_row(row.text, cells, &piece).map_err(|fault| fault.shifted(row.start))?;
        if filled != width {
            return Err(row.fault(RowsFault::Row { row: index + 1, width: filled, expected: width }));
        }
    }
    Ok(())
}

/// Fills `cells` from one row; returns its number of squares, which may exceed that of the cells.
fn one_row<P>(
    row: &str,
    cells: &mut [Option<P>],
    piece: impl Fn(u8) -> Option<P>,
) -> Result<usize, GrammarFault<RowsFault>> {
    let bytes = row.as_bytes();
    let (mut at, mut column) = (0, 0);
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            let run = number(&row[at..at + digits]).map_or(0, |run| run as usize);
            if run == 0 || run > cells.len() {
                return Err(GrammarFault::new(RowsFault::Run { most: cells.len() }, at..at + digits));
            }
            column += run;
            at += digits;
            continue;
        }
        let Some(found) = piece(bytes[at]) else {
            return Err(GrammarFault::at_rest(RowsFault::Piece, row, row.len() - at));
        };
        if let Some(cell) = cells.get_mut(column) {
            *cell = Some(found);
        }
        column += 1;
        at += 1;
    }
    Ok(column)
}

/// Writes rows as [`rows`] reads them.
pub(crate) fn write_rows<P: Copy>(
    cells: &[Option<P>],
    width: usize,
    letter: impl Fn(P) -> char,
    out: &mut impl std::fmt::Write,
) -> std::fmt::Result {
    PositionString::new(cells, width, letter).write(out)
}

/// A position string while it is made, field by field: a formatter takes many times as long for each letter and number. It is
/// ASCII, so bytes are appended.
pub(crate) struct PositionString(Bytes);

impl PositionString {
    /// Bytes of the fields after the rows, seldom more.
    const FIELDS: usize = 40;

    /// The rows.
    pub(crate) fn new<P: Copy>(cells: &[Option<P>], width: usize, letter: impl Fn(P) -> char) -> Self {
        let mut text = Bytes(Vec::with_capacity(cells.len() + cells.len() / width + Self::FIELDS));
        for (index, row) in cells.chunks(width).enumerate() {
            if index > 0 {
                text.0.push(b'/');
            }
            let mut empty = 0;
            for cell in row {
                let Some(piece) = *cell else {
                    empty += 1;
                    continue;
                };
                push_run(std::mem::take(&mut empty), &mut text);
                push(letter(piece), &mut text);
            }
            push_run(empty, &mut text);
        }
        Self(text)
    }

    /// Adds a field.
    pub(crate) fn word(mut self, word: &str) -> Self {
        self.0.0.push(b' ');
        self.0.0.extend_from_slice(word.as_bytes());
        self
    }

    /// Adds the letter of the side to move.
    pub(crate) fn turn(mut self, letter: char) -> Self {
        self.0.0.push(b' ');
        push(letter, &mut self.0);
        self
    }

    /// Adds a count.
    pub(crate) fn count(mut self, count: u64) -> Self {
        self.0.0.push(b' ');
        push_decimal(count, &mut self.0);
        self
    }

    /// Adds the counts of both sides.
    pub(crate) fn pair(self, [one, two]: [u32; 2]) -> Self {
        let mut text = self.count(one.into());
        text.0.0.push(b'-');
        push_decimal(two.into(), &mut text.0);
        text
    }

    /// Writes all fields.
    pub(crate) fn write(&self, out: &mut impl std::fmt::Write) -> std::fmt::Result {
        out.write_str(std::str::from_utf8(&self.0.0).map_err(|_| std::fmt::Error)?)
    }
}

/// Adds the length of a run of empty squares, if it is one.
fn push_run(run: u64, text: &mut Bytes) {
    if run > 0 {
        push_decimal(run, text);
    }
}

fn push_decimal(number: u64, text: &mut Bytes) {
    let written = write_decimal(number, text);
    debug_assert!(written.is_ok(), "bytes take everything");
}

fn push(letter: char, text: &mut Bytes) {
    let written = text.write_char(letter);
    debug_assert!(written.is_ok(), "bytes take everything");
}
