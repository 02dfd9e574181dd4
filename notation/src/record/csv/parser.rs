//! The lines of a scoresheet: tags, comments and the table.

use std::borrow::Cow;

use super::{
    super::{
        BOM, CsvFault, Damaged, DamagedCell, ReadError, Record, Tag, comment,
        faults::Faults,
        tags::{self, Names},
        text::{inner, is_blank, is_space},
    },
    DELIMITERS, Kind,
    cells::{Cell, Cells, fault},
    damage, is_delimiter, names,
    remark::{Remark, add_comment},
    table::Sheet,
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
