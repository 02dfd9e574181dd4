//! The lines of a scoresheet: tags, header, rows.

use std::borrow::Cow;

use super::{
    super::{
        BOM, CsvFault, Limit, Outcome, Ply, ReadError, Record, Spanned, SyntaxFault, Tag, clock, comment, limits,
        tags::{self, Names},
        text::{inner, is_blank, is_space, is_token},
    },
    CLOCK, Kind, NUMBER, starter,
};
use crate::Span;

/// Reads a scoresheet; nothing if all its cells are empty.
pub(in crate::record) fn read(text: &str) -> Result<Option<Record<'_>>, ReadError> {
    let text = text.trim_end_matches(is_blank);
    let delimiter = delimiter(text);
    let mut record = Record::default();
    let mut names = Names::default();
    let mut sheet: Option<Sheet> = None;
    let mut start = None;
    for (at, line) in lines(text) {
        let mut cells = Cells { line, at, next: Some(0), delimiter };
        if sheet.is_none() && is_tag(line) {
            let (tag, name) = tag(cells)?;
            tags::check(&tag, name)?;
            names.add(&mut record.tags, tag, name)?;
        } else if cells.clone().all(|cell| cell.is_ok_and(|cell| cell.is_empty())) {
            continue;
        } else if let Some(sheet) = &mut sheet {
            sheet.row(&mut cells, &mut record)?;
        } else {
            sheet = Some(Sheet::new(cells, &record)?);
        }
        let inner = inner(line);
        record.span = Span::new(*start.get_or_insert(at + inner.start), at + inner.end);
    }
    Ok(start.map(|_| record))
}

fn fault(fault: CsvFault, span: Span) -> ReadError {
    ReadError::syntax(SyntaxFault::Csv(fault), span)
}

/// The lines of a text with their offsets, without line ends and byte order marks.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |whole| {
        let at = next;
        next += whole.len();
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line.strip_prefix('\u{feff}') {
            Some(line) => (at + BOM.len(), line),
            None => (at, line),
        }
    })
}

fn is_tag(line: &str) -> bool {
    Kind::of(line.as_bytes(), true) == Some(Kind::Tag)
}

/// The delimiter of cells: the first comma or semicolon of the header outside quotes.
fn delimiter(text: &str) -> u8 {
    let is_filled = |line: &str| line.bytes().any(|byte| !is_space(byte) && !matches!(byte, b',' | b';' | b'"'));
    let header = lines(text).map(|(_, line)| line).find(|line| !is_tag(line) && is_filled(line));
    let mut quoted = false;
    let mut bytes = header.unwrap_or_default().bytes();
    let found = bytes.find(|&byte| {
        quoted ^= byte == b'"';
        !quoted && matches!(byte, b',' | b';')
    });
    found.unwrap_or(b',')
}

/// A cell without white space around it.
#[derive(Clone, Debug, Default)]
struct Cell<'a> {
    text: Cow<'a, str>,
    /// Its span, without its quotes.
    span: Span,
}

impl<'a> Cell<'a> {
    /// The text at offset `at`, with doubled quotes if it is quoted.
    fn new(text: &'a str, at: usize, quoted: bool) -> Self {
        let span = Span::new(at, at + text.len());
        if quoted && text.contains('"') {
            return Self { text: Cow::Owned(text.replace("\"\"", "\"")), span };
        }
        Self { text: Cow::Borrowed(text), span }
    }

    /// Without white space around it.
    fn trimmed(self) -> Self {
        let inner = inner(&self.text);
        let text = comment::slice(&self.text, inner.clone());
        let start = self.span.start as usize + inner.start;
        // With doubled quotes the span is longer than the text.
        let behind = self.text.len() - inner.end;
        Self { text, span: Span::new(start, self.span.end as usize - behind) }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// The cells of a line.
#[derive(Clone, Debug)]
struct Cells<'a> {
    line: &'a str,
    /// The offset of the line.
    at: usize,
    /// The offset in the line of the next cell, if there is one.
    next: Option<usize>,
    delimiter: u8,
}

impl<'a> Cells<'a> {
    /// The next cell with its white space.
    fn whole(&mut self) -> Option<Result<Cell<'a>, ReadError>> {
        let start = self.next.take()?;
        let rest = &self.line[start..];
        let open = rest.len() - rest.trim_start_matches(is_blank).len();
        if !rest[open..].starts_with('"') {
            let length = memchr::memchr(self.delimiter, rest.as_bytes());
            self.next = length.map(|length| start + length + 1);
            return Some(Ok(Cell::new(&rest[..length.unwrap_or(rest.len())], self.at + start, false)));
        }
        let inside = &rest[open + 1..];
        let Some(length) = closing_quote(inside) else {
            let at = self.at + start + open;
            return Some(Err(fault(CsvFault::Quote, Span::new(at, self.at + self.line.len()))));
        };
        let behind = inside[length + 1..].trim_start_matches(is_blank);
        let at = start + rest.len() - behind.len();
        match behind.as_bytes().first() {
            None => {}
            Some(&byte) if byte == self.delimiter => self.next = Some(at + 1),
            Some(_) => {
                let span = Span::new(self.at + at, self.at + self.line.len());
                return Some(Err(fault(CsvFault::Quote, span)));
            }
        }
        Some(Ok(Cell::new(&inside[..length], self.at + start + open + 1, true)))
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Cell<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.whole()?.map(Cell::trimmed))
    }
}

/// The offset of the closing quote; a doubled quote is an escaped one.
fn closing_quote(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', &text.as_bytes()[at..])?;
        if text.as_bytes().get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Reads a line of a tag: the tag, and the span of its name.
///
/// The value is the rest of the line, commas included, without the delimiters at its end with which spreadsheets fill
/// their rows. In quotes it is one cell, and all other cells are empty. One space after the colon is not part of the
/// value.
fn tag(mut cells: Cells<'_>) -> Result<(Tag<'_>, Span), ReadError> {
    let cell = if cells.line.starts_with('"') {
        let cell = cells.whole().unwrap_or_else(|| Ok(Cell::default()))?;
        for other in cells {
            let other = other?;
            if !other.is_empty() {
                return Err(fault(CsvFault::TagRest, other.span));
            }
        }
        cell
    } else {
        let line = cells.line.trim_end_matches(char::from(cells.delimiter));
        Cell::new(line, cells.at, false)
    };
    let Cell { text, span } = cell;
    let Some(colon) = text.find(':') else { return Err(fault(CsvFault::Tag, span)) };
    let name_at = inner(&text[1..colon]);
    let (name_start, name_end) = (1 + name_at.start, 1 + name_at.end);
    let name = comment::slice(&text, name_start..name_end);
    let value_start = colon + if text[colon + 1..].starts_with(' ') { 2 } else { 1 };
    let value = comment::slice(&text, value_start..text.len());
    // A name with a quote is invalid anyway, so the span is that of the text.
    let start = span.start as usize;
    let name_span = Span::new(start + name_start, start + name_end);
    Ok((Tag { name, value, span: Span::new(start + value_start, span.end as usize) }, name_span))
}

/// The contents of a column; the side is 0 for the first column of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Number,
    Moves(usize),
    Clocks(usize),
}

/// The columns, and the state of reading the rows.
#[derive(Debug)]
struct Sheet {
    /// The columns with a name, by their indices.
    columns: Vec<(usize, Column)>,
    /// The side of the second column starts.
    second_starts: bool,
    /// The order of the cells in a row, known from the first row on.
    order: Option<Order>,
    /// The first empty cell that no move may follow.
    gap: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Order {
    /// The columns of moves, in the order of play.
    turns: [usize; 2],
    /// The index of the column with the first ply, whose moves the numbers count.
    numbered: usize,
}

/// The cells of a row.
#[derive(Debug, Default)]
struct Row<'a> {
    number: Cell<'a>,
    moves: [Cell<'a>; 2],
    clocks: [Cell<'a>; 2],
}

impl Sheet {
    /// The most columns with names: the numbers, and two for each side.
    const COLUMNS: usize = 5;

    /// Reads the header. The tag Game gives the names of the sides; without a known game, the two names that are not
    /// those of clocks.
    fn new(cells: Cells<'_>, record: &Record<'_>) -> Result<Self, ReadError> {
        let line = Span::new(cells.at, cells.at + cells.line.len());
        let game = record.game();
        let mut named: Vec<(usize, String, Span)> = Vec::new();
        for (index, cell) in cells.enumerate() {
            let cell = cell?;
            if cell.is_empty() {
                continue;
            }
            let name = cell.text.to_lowercase();
            if named.iter().any(|(_, other, _)| *other == name) {
                return Err(fault(CsvFault::ColumnTwice, cell.span));
            }
            if named.len() == Self::COLUMNS {
                return Err(fault(CsvFault::Column, cell.span));
            }
            named.push((index, name, cell.span));
        }
        let is_moves = |name: &str| name != NUMBER && !name.ends_with(CLOCK);
        let is_side = |name: &str| game.is_none_or(|game| game.side_named(name).is_some());
        let sides: Vec<_> = named.iter().map(|(_, name, _)| name.as_str()).filter(|name| is_moves(name)).collect();
        let column = |name: &str| {
            let side = |name: &str| sides.iter().take(2).position(|side| *side == name).filter(|_| is_side(name));
            match name.strip_suffix(CLOCK) {
                _ if name == NUMBER => Some(Column::Number),
                Some(owner) => side(owner).map(Column::Clocks),
                None => side(name).map(Column::Moves),
            }
        };
        let mut columns = Vec::new();
        for (index, name, span) in &named {
            columns.push((*index, column(name).ok_or_else(|| fault(CsvFault::Column, *span))?));
        }
        let [_, second] = sides[..] else { return Err(fault(CsvFault::Columns, line)) };
        let second_starts = game.is_some_and(|game| game.side_named(second) == Some(starter(record, game)));
        Ok(Self { columns, second_starts, order: None, gap: None })
    }

    /// Reads a row that is not empty.
    fn row<'a>(&mut self, cells: &mut Cells<'a>, record: &mut Record<'a>) -> Result<(), ReadError> {
        let mut row = Row::default();
        let end = cells.at + cells.line.len();
        let missing = Cell { span: Span::new(end, end), ..Cell::default() };
        row.moves = [missing.clone(), missing];
        for (index, cell) in cells.enumerate() {
            let cell = cell?;
            match self.columns.iter().find(|(place, _)| *place == index) {
                Some((_, Column::Number)) => row.number = cell,
                Some((_, Column::Moves(side))) => row.moves[*side] = cell,
                Some((_, Column::Clocks(side))) => row.clocks[*side] = cell,
                None if cell.is_empty() => {}
                None => return Err(fault(CsvFault::Cell, cell.span)),
            }
        }
        let first = self.order.is_none();
        let Order { turns, numbered } = *self.order.get_or_insert_with(|| {
            let turns = if self.second_starts && !row.moves[0].is_empty() { [1, 0] } else { [0, 1] };
            let late = row.moves[turns[0]].is_empty() && !row.moves[turns[1]].is_empty();
            Order { turns, numbered: turns[usize::from(late)] }
        });
        let number = number(&row.number)?;
        for side in turns {
            let [cell, clock] = [&mut row.moves, &mut row.clocks].map(|cells| std::mem::take(&mut cells[side]));
            if !clock.is_empty() && (cell.is_empty() || Outcome::parse(&cell.text).is_some()) {
                return Err(fault(CsvFault::ClockAlone, clock.span));
            }
            if cell.is_empty() {
                // The very first cell may be empty: then the other side starts.
                if !first || side == turns[1] {
                    self.gap.get_or_insert(cell.span);
                }
                continue;
            }
            if record.result.is_some() {
                return Err(fault(CsvFault::AfterResult, cell.span));
            }
            if let Some(value) = Outcome::parse(&cell.text) {
                record.result = Some(Spanned { value, span: cell.span });
                continue;
            }
            if let Some(gap) = self.gap {
                return Err(fault(CsvFault::Gap, gap));
            }
            let number = number.filter(|_| side == numbered);
            record.line.plies.push(ply(cell, &clock, number, record.line.plies.len())?);
        }
        Ok(())
    }
}

/// Reads a move number, if there is one.
fn number(cell: &Cell<'_>) -> Result<Option<Spanned<u64>>, ReadError> {
    if !cell.text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(fault(CsvFault::Number, cell.span));
    }
    let value = cell.text.parse().unwrap_or(u64::MAX);
    Ok((!cell.is_empty()).then_some(Spanned { value, span: cell.span }))
}

/// Reads the move of a cell; `before` is the number of plies before it.
fn ply<'a>(
    cell: Cell<'a>,
    clock: &Cell<'a>,
    number: Option<Spanned<u64>>,
    before: usize,
) -> Result<Ply<'a>, ReadError> {
    let Cell { text: token, span } = cell;
    if token.len() > limits::TOKEN {
        return Err(ReadError::limit(Limit::Token, span));
    }
    if before >= limits::PLIES {
        return Err(ReadError::limit(Limit::Plies, span));
    }
    if !is_token(&token, true) {
        return Err(ReadError::syntax(SyntaxFault::Token, span));
    }
    let clock = match clock::parse_bare(&clock.text) {
        Some(value) => Some(Spanned { value, span: clock.span }),
        None if clock.is_empty() => None,
        None => return Err(fault(CsvFault::Clock, clock.span)),
    };
    Ok(Ply { token, span, number, clock, notes: None })
}
