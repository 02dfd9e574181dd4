//! The lines of a scoresheet: tags, header, rows.

use std::borrow::Cow;

use super::{
    super::{
        BOM, CsvFault, Damaged, DamagedCell, Limit, Notes, OddClock, Outcome, Ply, ReadError, Record, Spanned,
        SyntaxFault, Tag, clock,
        comment::{self, Piece},
        faults::Faults,
        limits,
        tags::{self, Names},
        text::{inner, is_blank, is_space, is_token},
    },
    DELIMITERS, Kind, damage, is_delimiter, names, starter,
};
use crate::Span;

/// Reads a scoresheet; `None` if all its cells are empty.
pub(in crate::record) fn read(text: &str) -> Result<Option<Record<'_>>, ReadError> {
    sheet(text, &mut Faults::default())
}

/// The faults of a scoresheet.
pub(in crate::record) fn faults(text: &str) -> Vec<ReadError> {
    let mut faults = Faults::collecting();
    let end = sheet(text, &mut faults).map(drop);
    faults.finish(end)
}

fn sheet<'a>(text: &'a str, faults: &mut Faults) -> Result<Option<Record<'a>>, ReadError> {
    let text = text.trim_end_matches(is_blank);
    let delimiter = delimiter(text);
    let is_own = lines(text).any(|(_, line)| names_game(line) || has_nameless_sides(line));
    let mut record = Record::default();
    let mut seen = Names::default();
    let mut sheet: Option<Sheet<'_>> = None;
    // The header has a fault, so the meaning of the columns is unknown.
    let mut lost = false;
    let mut start = None;
    for (at, line) in lines(text) {
        let mut cells = Cells { line, at, next: Some(0), delimiter };
        let kind = Kind::of(line.as_bytes(), true).unwrap_or(Kind::Row);
        if start.is_none() && told_delimiter(line).is_some() {
            continue;
        }
        let is_tag = kind == Kind::Closing || (kind == Kind::Tag && sheet.is_none());
        let is_labelled = kind == Kind::Row && sheet.is_none() && !lost && is_labelled(cells.clone());
        if is_tag || is_labelled {
            if alone(cells.clone())
                .is_some_and(|cell| !cell.text.starts_with('#') && names::tag_named(&cell.text).is_some())
            {
                // A label without a value.
                continue;
            }
            let Some((mut tag, name)) = faults.collect(tag(&cells, is_own))? else { continue };
            let is_marked = line.trim_start_matches(['"', ',', ';', '\t']).starts_with('#');
            let is_unknown = !is_marked && names::tag_named(&tag.name).is_none();
            let own = if is_unknown { names::own_tag(&tag.name) } else { None };
            let is_remark = is_unknown && names::is_remarks(&names::plain_name(&tag.name));
            let is_twice = own.as_deref().is_some_and(|own| record.tag(own).is_some());
            if is_remark || is_twice || (is_unknown && own.is_none() && !Tag::is_name(&tag.name)) {
                // It cannot be a tag, and is worth keeping as a comment.
                let cell = Cell { text: tag.value, span: tag.span, marked: true };
                let column = Some(tag.name.into_owned()).filter(|_| !is_remark);
                faults.collect(add_comment(&mut record, Remark { column, cell }))?;
            } else {
                if let Some(own) = own {
                    tag.name = own.into();
                }
                faults.collect(add_tag(&mut record, &mut seen, tag, name, sheet.is_some()))?;
            }
        } else if lost || cells.clone().all(|cell| cell.is_ok_and(|cell| cell.is_empty())) {
            continue;
        } else if let Some(sheet) = &mut sheet {
            sheet.row(&mut cells, &mut record, faults)?;
        } else if let Some(title) = alone(cells.clone()).filter(|_| kind == Kind::Row) {
            if names::tag_named(&title.text).is_some() {
                // A label without a value.
                continue;
            }
            faults.collect(add_comment(&mut record, Remark { column: None, cell: title }))?;
        } else {
            let header = Sheet::new(cells, &record, faults);
            sheet = faults.collect(header)?;
            lost = sheet.is_none();
        }
        let inner = inner(line);
        record.span = Span::new(*start.get_or_insert(at + inner.start), at + inner.end);
    }
    Ok(start.map(|_| record))
}

/// Adds a tag. A tag below the moves may repeat one above them.
fn add_tag<'a>(
    record: &mut Record<'a>,
    names: &mut Names<'a>,
    tag: Tag<'a>,
    name: Span,
    below: bool,
) -> Result<(), ReadError> {
    tags::check(&tag, name)?;
    if below && record.value(&tag.name) == Some(&*tag.value) {
        return Ok(());
    }
    let readings = if tag.name == "Points" { damage::pair_readings(&tag.value) } else { Vec::new() };
    if !readings.is_empty() {
        let cell = DamagedCell::Tag(record.tags.len());
        record.damaged.push(Damaged { cell, found: tag.value.clone(), readings, span: tag.span });
    }
    names.add(&mut record.tags, tag, name)
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

/// True for the tag `#Game` in one cell. It marks a sheet that quipu wrote, as [`has_nameless_sides`] does: tags in one cell are
/// taken literally.
fn names_game(line: &str) -> bool {
    let cell = line.trim_start_matches(['"', ',', ';', '\t']);
    let name = cell.strip_prefix('#').and_then(|tag| tag.split_once(':'));
    name.is_some_and(|(name, _)| name.trim_matches(is_blank) == "Game")
}

/// True for the header that quipu writes where it does not know the game: `n,first,second`, with clocks or without.
fn has_nameless_sides(line: &str) -> bool {
    let mut cells = line.split([',', ';', '\t']).map(|cell| cell.trim_matches('"'));
    (cells.next(), cells.next()) == (Some("n"), Some("first"))
}

/// The delimiter that a first line `sep=;` names, a convention of Excel.
fn told_delimiter(line: &str) -> Option<u8> {
    let bytes = line.strip_prefix("sep=")?.trim_end_matches(['\r', ' ']).as_bytes();
    bytes.first().copied().filter(|byte| is_delimiter(*byte) && bytes[1..].iter().all(|other| is_delimiter(*other)))
}

/// The delimiter: the one that the first line names, else the one that splits the header into known columns, else the first
/// unquoted delimiter in the first line that may be a header.
fn delimiter(text: &str) -> u8 {
    if let Some(told) = lines(text).find(|(_, line)| !line.is_empty()).and_then(|(_, line)| told_delimiter(line)) {
        return told;
    }
    let is_filled = |line: &str| line.bytes().any(|byte| !is_space(byte) && !is_delimiter(byte) && byte != b'"');
    let is_tag = |line: &str| matches!(Kind::of(line.as_bytes(), true), Some(Kind::Tag | Kind::Closing));
    let candidates = || lines(text).filter(|(_, line)| !is_tag(line) && is_filled(line)).take(Sheet::TITLES);
    let is_header = |line: &str| Kind::of(line.as_bytes(), true) == Some(Kind::Header);
    let header = candidates().position(|(_, line)| is_header(line));
    let known = candidates().take(header.map_or(Sheet::TITLES, |header| header + 1)).find_map(|(at, line)| {
        DELIMITERS.into_iter().find(|&delimiter| Sheet::is_header(Cells { line, at, next: Some(0), delimiter }))
    });
    let first = || {
        let mut quoted = false;
        let (_, line) = candidates().nth(header.unwrap_or_default())?;
        line.bytes().find(|&byte| {
            quoted ^= byte == b'"';
            !quoted && is_delimiter(byte)
        })
    };
    // A sheet of only tags: those in two cells show the delimiter.
    let of_tags = || {
        let first =
            |line: &'_ str| line.split_once('\t').map(|(cell, _)| cell.trim_matches(['"', '#', ' ']).to_owned());
        let tells =
            |line: &str| first(line).is_some_and(|cell| cell.ends_with(':') || names::tag_named(&cell).is_some());
        lines(text).any(|(_, line)| tells(line)).then_some(b'\t')
    };
    known.or_else(first).or_else(of_tags).unwrap_or(b',')
}

/// A cell without white space around it.
#[derive(Clone, Debug, Default)]
struct Cell<'a> {
    text: Cow<'a, str>,
    /// Its span, without its quotes.
    span: Span,
    /// True if an apostrophe or a formula marked it as text, so that it is as it was typed.
    marked: bool,
}

impl<'a> Cell<'a> {
    /// The text at offset `at`, with doubled quotes if it is quoted.
    fn new(text: &'a str, at: usize, quoted: bool) -> Self {
        let span = Span::new(at, at + text.len());
        if quoted && text.contains('"') {
            return Self { text: Cow::Owned(text.replace("\"\"", "\"")), span, marked: false };
        }
        Self { text: Cow::Borrowed(text), span, marked: false }
    }

    /// Without white space around it, and without the mark of a text: `'0E01`, `="0E01"`.
    fn trimmed(self) -> Self {
        let mut inner = inner(&self.text);
        let text = &self.text[inner.clone()];
        let marked = text.starts_with('\'');
        if marked {
            inner.start += 1;
        } else if text.len() > 2 && text.starts_with("=\"") && text.ends_with('"') {
            inner = inner.start + 2..inner.end - 1;
        }
        let text = comment::slice(&self.text, inner.clone());
        let start = self.span.start as usize + inner.start;
        // With doubled quotes the span is longer than the text.
        let behind = self.text.len() - inner.end;
        Self { text, span: Span::new(start, self.span.end as usize - behind), marked }
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
        // A tab may be the delimiter.
        let is_gap = |sign| is_blank(sign) && sign != char::from(self.delimiter);
        let open = rest.len() - rest.trim_start_matches(is_gap).len();
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
        let behind = inside[length + 1..].trim_start_matches(is_gap);
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
/// In one cell it is `#Name: value`. The rest of the line is the value, commas included, except the trailing delimiters
/// with which spreadsheets fill their rows; one space after the colon is not part of it. If the cell is quoted, the others
/// must be empty. In two cells the first is the name, with or without `#` and colon. Known names are read in upper or lower
/// case and in both languages, and values as they are usually typed; in a sheet that quipu wrote, `#Name: value` is taken
/// literally.
fn tag<'a>(cells: &Cells<'a>, is_own: bool) -> Result<(Tag<'a>, Span), ReadError> {
    // A sheet may begin in its second column.
    let line = cells.line.trim_start_matches(char::from(cells.delimiter));
    let lead = cells.line.len() - line.len();
    let mut others = Cells { next: Some(lead), ..cells.clone() };
    let first = others.whole().unwrap_or_else(|| Ok(Cell::default()))?;
    let Cell { text: name, span, .. } = first.clone().trimmed();
    let colon = name.find(':');
    let has_value = colon.is_some_and(|colon| !name[colon + 1..].trim_matches(is_blank).is_empty());
    if !has_value {
        let mut value = None;
        for cell in others.by_ref() {
            let cell = cell?;
            if cell.is_empty() {
                continue;
            }
            if value.is_some() {
                return Err(fault(CsvFault::TagRest, cell.span));
            }
            value = Some(cell);
        }
        if let Some(Cell { text: value, span: at, .. }) = value {
            let hash = usize::from(name.starts_with('#'));
            return Ok(two_cells(&name, hash, colon, span, value, at));
        }
    }
    let cell = if line.starts_with('"') {
        for other in others {
            let other = other?;
            if !other.is_empty() {
                return Err(fault(CsvFault::TagRest, other.span));
            }
        }
        first
    } else {
        Cell::new(line.trim_end_matches(char::from(others.delimiter)), others.at + lead, false)
    };
    let Cell { text, span, .. } = cell;
    let Some(colon) = text.find(':') else { return Err(fault(CsvFault::Tag, span)) };
    let hash = usize::from(text.starts_with('#'));
    let name_at = inner(&text[hash..colon]);
    let (name_start, name_end) = (hash + name_at.start, hash + name_at.end);
    let is_usual = hash == 0 || !is_own;
    let name = comment::slice(&text, name_start..name_end);
    let name = names::tag_named(&name).filter(|_| is_usual).map_or(name, Cow::Borrowed);
    let value_start = colon + if text[colon + 1..].starts_with(' ') { 2 } else { 1 };
    let value = comment::slice(&text, value_start..text.len());
    let value = if is_usual { names::value(&name, value) } else { value };
    // A name cannot contain a quote, so places in the name equal those in the text.
    let start = span.start as usize;
    let name_span = Span::new(start + name_start, start + name_end);
    Ok((Tag { name, value, span: Span::new(start + value_start, span.end as usize) }, name_span))
}

/// The tag whose name and value are in two cells.
fn two_cells<'a>(
    name: &Cow<'a, str>,
    hash: usize,
    colon: Option<usize>,
    span: Span,
    value: Cow<'a, str>,
    at: Span,
) -> (Tag<'a>, Span) {
    let end = colon.unwrap_or(name.len());
    let range = inner(&name[hash..end]);
    let own = comment::slice(name, hash + range.start..hash + range.end);
    let name = names::tag_named(&own).map_or(own, Cow::Borrowed);
    let value = names::value(&name, value);
    (Tag { name, value, span: at }, span)
}

/// True for the label of an unknown tag and its value, in two cells.
fn is_labelled(cells: Cells<'_>) -> bool {
    let mut filled = cells.filter(|cell| !cell.as_ref().is_ok_and(Cell::is_empty));
    let (Some(Ok(label)), Some(Ok(_)), None) = (filled.next(), filled.next(), filled.next()) else { return false };
    names::own_tag(&label.text).is_some()
}

/// The filled cell, if there is only one.
fn alone(cells: Cells<'_>) -> Option<Cell<'_>> {
    let mut found = None;
    for cell in cells {
        let cell = cell.ok()?;
        if !cell.is_empty() && found.replace(cell).is_some() {
            return None;
        }
    }
    found
}

/// A cell that is kept as a comment, and the name of its column.
#[derive(Debug)]
struct Remark<'a> {
    column: Option<String>,
    cell: Cell<'a>,
}

impl<'a> Remark<'a> {
    /// The text of the comment.
    fn text(self) -> Cow<'a, str> {
        match self.column {
            Some(column) => format!("{column}: {}", self.cell.text).trim_matches(is_blank).to_owned().into(),
            None => self.cell.text,
        }
    }
}

/// Keeps a comment: of the last move, or of the record before its first.
fn add_comment<'a>(record: &mut Record<'a>, remark: Remark<'a>) -> Result<(), ReadError> {
    let span = remark.cell.span;
    let text = remark.text();
    comment::check_length(&text, span)?;
    comment::check(&text, span)?;
    let Some(ply) = record.movetext.plies.last_mut() else {
        record.movetext.comments.push(text);
        return Ok(());
    };
    let mut notes = std::mem::take(&mut ply.notes).unwrap_or_default();
    let (mut time, odd_clocks) = (ply.clock, &mut record.odd_clocks);
    comment::pieces(
        &text,
        |range| comment::slice(&text, range),
        |piece| {
            match piece {
                Piece::Clock(value, _) => time = time.or(Some(Spanned { value, span })),
                Piece::Text(text) => notes.comments.push(text),
                Piece::Odd(found, _) if odd_clocks.len() < limits::FAULTS => odd_clocks.push(OddClock { found, span }),
                Piece::Odd(..) => {}
            }
            Ok::<_, ReadError>(())
        },
    )?;
    ply.clock = time;
    ply.notes = (*notes != Notes::default()).then_some(notes);
    Ok(())
}

/// The contents of a column; the side is 0 for the first column of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Number,
    Moves(usize),
    Clocks(usize),
    /// Comments.
    Remarks,
    /// Any other column; its cells become comments.
    Other,
}

/// The columns, and the state of reading the rows.
#[derive(Debug)]
struct Sheet<'a> {
    /// The columns by index, each with its name; nothing for one without a name.
    columns: Vec<Option<(Column, Cow<'a, str>)>>,
    /// The side of the second column starts.
    second_starts: bool,
    /// The order of the cells in a row, known from the first row on.
    order: Option<Order>,
    /// The first empty cell that no move may follow.
    gap: Option<Span>,
    /// True once a cell after the result was reported.
    ended: bool,
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
    remarks: Vec<Remark<'a>>,
}

impl<'a> Sheet<'a> {
    /// Columns, at most.
    const COLUMNS: usize = 64;
    /// Lines above the header that are searched for the delimiter, at most.
    const TITLES: usize = 20;

    /// True if the cells name both sides of a game.
    fn is_header(cells: Cells<'_>) -> bool {
        let mut wanted = None;
        cells.take(Self::COLUMNS).map_while(Result::ok).any(|cell| {
            let plain = names::plain_name(&cell.text);
            let plain = names::bare_side(&plain);
            if wanted.is_some_and(|wanted| plain == wanted) {
                return true;
            }
            wanted = wanted.or_else(|| names::side(&plain).map(|(_, other)| other));
            false
        })
    }

    /// Reads the header. The sides are those of the game in the tags; without a known game, the first two names that are not
    /// those of other columns.
    fn new(cells: Cells<'a>, record: &Record<'_>, faults: &mut Faults) -> Result<Self, ReadError> {
        let line = Span::new(cells.at, cells.at + cells.line.len());
        let game = record.game();
        let mut sides: Vec<String> = Vec::new();
        let mut columns: Vec<Option<(Column, Cow<'a, str>)>> = Vec::new();
        let mut owners: Vec<(usize, String, Span)> = Vec::new();
        for (index, cell) in cells.take(Self::COLUMNS).enumerate() {
            let cell = cell?;
            let plain = names::bare_side(&names::plain_name(&cell.text)).into_owned();
            if plain.is_empty() {
                columns.push((!cell.is_empty()).then_some((Column::Other, cell.text)));
                continue;
            }
            let twice = |column: Column, columns: &[Option<(Column, Cow<'_, str>)>]| {
                columns.iter().flatten().any(|(other, _)| *other == column)
            };
            let is_side = game.map_or(sides.len() < 2, |game| game.side_named(&plain).is_some());
            let known = sides.iter().position(|side| *side == plain);
            let column = match names::clock_owner(&plain) {
                _ if names::is_number(&plain) && !twice(Column::Number, &columns) => Column::Number,
                _ if names::is_number(&plain) => {
                    faults.add(fault(CsvFault::ColumnTwice, cell.span))?;
                    Column::Other
                }
                Some(owner) => {
                    owners.push((index, owner, cell.span));
                    Column::Other
                }
                None if known.is_some() => {
                    faults.add(fault(CsvFault::ColumnTwice, cell.span))?;
                    Column::Other
                }
                None if names::is_remarks(&plain) => Column::Remarks,
                None if is_side => {
                    sides.push(plain);
                    Column::Moves(sides.len() - 1)
                }
                None => Column::Other,
            };
            columns.push(Some((column, cell.text)));
        }
        for (index, owner, span) in owners {
            // A clock without the name of a side belongs to the moves on its left.
            let left = columns[..index].iter().flatten().rev().find_map(|(column, _)| match column {
                Column::Moves(side) => Some(*side),
                _ => None,
            });
            let side = if owner.is_empty() { left } else { sides.iter().position(|side| *side == owner) };
            let Some(side) = side else { continue };
            if columns.iter().flatten().any(|(column, _)| *column == Column::Clocks(side)) {
                faults.add(fault(CsvFault::ColumnTwice, span))?;
                continue;
            }
            if let Some((column, _)) = &mut columns[index] {
                *column = Column::Clocks(side);
            }
        }
        let [_, second] = &sides[..] else {
            let names = game.map(|game| game.sides.each_ref().map(|side| side.name));
            return Err(fault(CsvFault::Columns(names), line));
        };
        let second_starts = game.is_some_and(|game| game.side_named(second) == Some(starter(record, game)));
        Ok(Self { columns, second_starts, order: None, gap: None, ended: false })
    }

    /// Reads a row that is not empty.
    fn row(&mut self, cells: &mut Cells<'a>, record: &mut Record<'a>, faults: &mut Faults) -> Result<(), ReadError> {
        let mut row = Row::default();
        let end = cells.at + cells.line.len();
        let missing = Cell { span: Span::new(end, end), ..Cell::default() };
        row.moves = [missing.clone(), missing];
        for (index, cell) in cells.enumerate() {
            let Some(cell) = faults.collect(cell)? else { return Ok(()) };
            match self.columns.get(index).and_then(Option::as_ref) {
                Some((Column::Number, _)) => row.number = cell,
                Some((Column::Moves(side), _)) => row.moves[*side] = cell,
                Some((Column::Clocks(side), _)) => row.clocks[*side] = cell,
                _ if cell.is_empty() => {}
                Some((Column::Remarks, _)) => row.remarks.push(Remark { column: None, cell }),
                Some((Column::Other, name)) => row.remarks.push(Remark { column: Some(name.to_string()), cell }),
                None => faults.add(fault(CsvFault::Cell, cell.span))?,
            }
        }
        if row.number.text.starts_with(char::is_alphabetic) && names::is_remarks(&names::plain_name(&row.number.text)) {
            // Remarks below the moves, with their name in front.
            row.number = Cell::default();
            let cells = [&mut row.moves, &mut row.clocks].map(std::mem::take).into_iter().flatten();
            let remarks = cells.filter(|cell| !cell.is_empty()).map(|cell| Remark { column: None, cell });
            row.remarks.extend(remarks);
        }
        let filled = |cells: &[Cell<'_>; 2]| cells.iter().any(|cell| !cell.is_empty());
        if !filled(&row.moves) && !filled(&row.clocks) && !row.number.text.starts_with(|c: char| c.is_ascii_digit()) {
            // A title between two parts of a sheet, or remarks alone.
            let title = Some(row.number).filter(|cell| !cell.is_empty());
            let title = title.map(|cell| Remark { column: None, cell });
            let mut remarks = title.into_iter().chain(row.remarks);
            return remarks.try_for_each(|remark| faults.collect(add_comment(record, remark)).map(drop));
        }
        let first = self.order.is_none();
        let Order { turns, numbered } = *self.order.get_or_insert_with(|| {
            let turns = if self.second_starts && !row.moves[0].is_empty() { [1, 0] } else { [0, 1] };
            let late = row.moves[turns[0]].is_empty() && !row.moves[turns[1]].is_empty();
            Order { turns, numbered: turns[usize::from(late)] }
        });
        let number = faults.collect(number(&row.number))?.flatten();
        for side in turns {
            let [cell, clock] = [&mut row.moves, &mut row.clocks].map(|cells| std::mem::take(&mut cells[side]));
            let outcome = if cell.marked { None } else { names::outcome(&cell.text).and_then(Outcome::parse) };
            if !clock.is_empty() && (cell.is_empty() || outcome.is_some()) {
                faults.add(fault(CsvFault::ClockAlone, clock.span))?;
            }
            if cell.is_empty() {
                // Only the very first cell may be empty: then the other side starts.
                if !first || side == turns[1] {
                    self.gap.get_or_insert(cell.span);
                }
                continue;
            }
            if record.result.is_some() {
                if !std::mem::replace(&mut self.ended, true) {
                    faults.add(fault(CsvFault::AfterResult, cell.span))?;
                }
                continue;
            }
            if let Some(value) = outcome {
                record.result = Some(Spanned { value, span: cell.span });
                continue;
            }
            if let Some(gap) = self.gap.take() {
                faults.add(fault(CsvFault::Gap, gap))?;
            }
            let number = number.filter(|_| side == numbered);
            let added = add_ply(record, cell, clock, number, faults);
            faults.collect(added)?;
        }
        row.remarks.into_iter().try_for_each(|remark| faults.collect(add_comment(record, remark)).map(drop))
    }
}

/// Reads a move number, if there is one; a full stop or a parenthesis may follow it.
fn number(cell: &Cell<'_>) -> Result<Option<Spanned<u64>>, ReadError> {
    let digits = cell.text.trim_end_matches(['.', ')', '°', 'º']);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || (digits.is_empty() && !cell.is_empty()) {
        return Err(fault(CsvFault::Number, cell.span));
    }
    let value = digits.parse().unwrap_or(u64::MAX);
    Ok((!cell.is_empty()).then_some(Spanned { value, span: cell.span }))
}

/// Adds a move. A cell that a spreadsheet has changed is recorded with its readings.
fn add_ply<'a>(
    record: &mut Record<'a>,
    cell: Cell<'a>,
    clock: Cell<'a>,
    number: Option<Spanned<u64>>,
    faults: &mut Faults,
) -> Result<(), ReadError> {
    let Cell { text: mut token, span, marked } = cell;
    let index = record.movetext.plies.len();
    if token.len() > limits::TOKEN {
        faults.add(ReadError::limit(Limit::Token, span))?;
    }
    if index >= limits::PLIES {
        return Err(ReadError::limit(Limit::Plies, span));
    }
    let readings = if !marked && may_be_damaged(&token) { damage::move_readings(&token) } else { Vec::new() };
    if !readings.is_empty() {
        record.damaged.push(Damaged { cell: DamagedCell::Ply(index), found: token.clone(), readings, span });
        if !is_token(&token, true) {
            // `0.00E+00` would be read as a number and a move.
            token = Cow::Owned(token.replace('.', ","));
        }
    }
    if !is_token(&token, true) {
        faults.add(ReadError::syntax(SyntaxFault::Token, span))?;
    }
    let clock = match clock::parse_bare(&clock.text) {
        Some(value) => Some(Spanned { value, span: clock.span }),
        None if clock.is_empty() => None,
        None => {
            let millis = damage::clock_readings(&clock.text);
            if let Some(&value) = millis.first() {
                let readings = millis.into_iter().map(clock::text).collect();
                let Cell { text: found, span, .. } = clock;
                record.damaged.push(Damaged { cell: DamagedCell::Clock(index), found, readings, span });
                Some(Spanned { value, span })
            } else {
                faults.add(fault(CsvFault::Clock, clock.span))?;
                None
            }
        }
    };
    record.movetext.plies.push(Ply { token, span, number, clock, notes: None });
    Ok(())
}

/// A cheap check that rules out most moves: true if a spreadsheet may have changed this one.
fn may_be_damaged(token: &str) -> bool {
    let digits = token.bytes().take(2).filter(u8::is_ascii_digit).count();
    digits == token.len().min(2) || token.contains(['.', ',', '+', '/', '-', ' '])
}
