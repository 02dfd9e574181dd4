//! Workbooks of `LibreOffice`: reads their `content.xml`. Repeated empty cells take no memory, so that a small file cannot
//! expand to many cells.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

use super::{Cells, Room, Sheet, Value, WorkbookError};

/// The media type in the entry `mimetype` of an `.ods` file.
pub(in super::super) const MEDIA: &str = "application/vnd.oasis.opendocument.spreadsheet";

/// The sheets of a workbook.
pub(in super::super) fn sheets(content: &[u8], mut room: Room) -> Result<Vec<Sheet>, WorkbookError> {
    let mut reader = Reader::from_str(str::from_utf8(content).map_err(|_| WorkbookError::Broken)?);
    let mut sheets = Vec::new();
    loop {
        match reader.read_event()? {
            Event::Start(start) if start.name().0 == "table:table" => {
                let name = attribute(&start, "table:name").unwrap_or_default();
                sheets.push(Sheet { name, cells: table(&mut reader, &mut room)? });
            }
            Event::Eof => return Ok(sheets),
            _ => {}
        }
    }
}

/// The cells of a table up to its end.
fn table(reader: &mut Reader<&[u8]>, room: &mut Room) -> Result<Cells, WorkbookError> {
    let mut cells = Cells::default();
    let mut row = 0_u32;
    loop {
        match reader.read_event()? {
            Event::Start(start) if start.name().0 == "table:table-row" => {
                let repeated = repeated(&start, "table:number-rows-repeated");
                let filled = read_row(reader)?;
                let copies = if filled.is_empty() { 0 } else { repeated };
                for copy in 0..copies {
                    for (column, value) in &filled {
                        cells.add(row.saturating_add(copy), *column, value.clone(), room)?;
                    }
                }
                row = row.saturating_add(repeated);
            }
            Event::Empty(start) if start.name().0 == "table:table-row" => {
                row = row.saturating_add(repeated(&start, "table:number-rows-repeated"));
            }
            // The end of the sheet: tables in cells are consumed with their row.
            Event::End(end) if end.name().0 == "table:table" => return Ok(cells),
            Event::Eof => return Err(WorkbookError::Broken),
            _ => {}
        }
    }
}

/// The filled cells of a row with their columns.
fn read_row(reader: &mut Reader<&[u8]>) -> Result<Vec<(u32, Value)>, WorkbookError> {
    let is_cell = |name: &str| matches!(name, "table:table-cell" | "table:covered-table-cell");
    let mut filled = Vec::new();
    let mut column = 0_u32;
    loop {
        match reader.read_event()? {
            Event::Start(start) if is_cell(start.name().0) => {
                let repeated = repeated(&start, "table:number-columns-repeated");
                let text = cell_text(reader)?;
                if let Some(value) = value(&start, text) {
                    for copy in 0..repeated {
                        if filled.len() >= Cells::COLUMNS as usize {
                            return Err(WorkbookError::Large);
                        }
                        filled.push((column.saturating_add(copy), value.clone()));
                    }
                }
                column = column.saturating_add(repeated);
            }
            Event::Empty(start) if is_cell(start.name().0) => {
                column = column.saturating_add(repeated(&start, "table:number-columns-repeated"));
            }
            Event::End(end) if end.name().0 == "table:table-row" => return Ok(filled),
            Event::Eof => return Err(WorkbookError::Broken),
            _ => {}
        }
    }
}

/// The text of a cell up to its end: its paragraphs with a space between them, without notes.
fn cell_text(reader: &mut Reader<&[u8]>) -> Result<String, WorkbookError> {
    let mut text = String::new();
    let (mut depth, mut paragraphs) = (0_u32, 0_u32);
    loop {
        match reader.read_event()? {
            Event::Start(start) => match start.name().0 {
                "office:annotation" => {
                    let end = start.to_end().into_owned();
                    reader.read_to_end(end.name())?;
                }
                name => {
                    depth += 1;
                    if name == "text:p" {
                        paragraphs += 1;
                        text.push_str(if paragraphs > 1 { " " } else { "" });
                    }
                }
            },
            Event::Empty(start) => match start.name().0 {
                "text:s" => {
                    let count = attribute(&start, "text:c").and_then(|count| count.parse().ok()).unwrap_or(1);
                    text.extend(std::iter::repeat_n(' ', usize::min(count, 256)));
                }
                "text:tab" | "text:line-break" => text.push(' '),
                _ => {}
            },
            Event::Text(found) => text.push_str(&found.xml10_content()),
            Event::CData(found) => text.push_str(&found.xml10_content()),
            Event::GeneralRef(entity) => match entity.resolve_char_ref()? {
                Some(character) => text.push(character),
                None => text.push_str(resolve_predefined_entity(&entity).ok_or(WorkbookError::Broken)?),
            },
            Event::End(_) if depth == 0 => return Ok(text),
            Event::End(_) => depth -= 1,
            Event::Eof => return Err(WorkbookError::Broken),
            _ => {}
        }
    }
}

/// The value of a cell that shows this text; `None` for an empty cell.
fn value(start: &BytesStart<'_>, text: String) -> Option<Value> {
    let kind = attribute(start, "office:value-type").unwrap_or_default();
    let special = match kind.as_str() {
        "float" | "percentage" | "currency" => {
            attribute(start, "office:value").and_then(|number| number.parse().ok()).map(Value::Number)
        }
        "time" => attribute(start, "office:time-value").and_then(|time| duration(&time)).map(Value::Time),
        "date" => attribute(start, "office:date-value").and_then(|date| of_date(&date)),
        _ => None,
    };
    special.or_else(|| (!text.is_empty()).then(|| Value::Text(text.into())))
}

/// Milliseconds of `PT00H11M55.123S`.
fn duration(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("PT")?;
    let (hours, rest) = rest.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?;
    let (seconds, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
    let digits: String = format!("{fraction:0<4}").chars().take(4).collect();
    // Spreadsheets count in parts of a day, so the last digits may be off.
    let millis = (digits.parse::<u64>().ok()? + 5) / 10;
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| *number < 1_000_000);
    Some(((number(hours)? * 60 + number(minutes)?) * 60 + number(seconds)?) * 1000 + millis)
}

/// The date `2026-08-15`, or `1899-12-30T…`, which is a time.
fn of_date(text: &str) -> Option<Value> {
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    if date == "1899-12-30" && !time.is_empty() {
        let mut parts = time.splitn(3, ':');
        let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
        return duration(&format!("PT{hours}H{minutes}M{seconds}S")).map(Value::Time);
    }
    let mut parts = date.splitn(3, '-');
    let mut number = || parts.next()?.parse::<u16>().ok();
    let (year, month, day) = (number()?, number()?, number()?);
    Some(Value::Date(year.into(), u8::try_from(month).ok()?, u8::try_from(day).ok()?))
}

fn repeated(start: &BytesStart<'_>, name: &str) -> u32 {
    attribute(start, name).and_then(|count| count.parse().ok()).unwrap_or(1)
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    Some(attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(rows: &str) -> Result<String, WorkbookError> {
        let content = format!(
            "<office:spreadsheet><table:table table:name=\"Hoja &amp; 1\">{rows}</table:table></office:spreadsheet>"
        );
        let sheets = sheets(content.as_bytes(), Room::new(1 << 20))?;
        assert_eq!(sheets[0].name, "Hoja & 1");
        let text = sheets[0].cells.text(1 << 20).ok_or(WorkbookError::Large)?;
        Ok(String::from_utf8(text).expect("it was text"))
    }

    #[test]
    fn cells_of_all_kinds() {
        let rows = r#"<table:table-row><table:table-cell office:value-type="string"><text:p>a &lt;b&#62;</text:p><text:p>c<text:s text:c="2"/>d</text:p></table:table-cell>
            <table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="float" office:value="2E+064"><text:p>2E+64</text:p></table:table-cell></table:table-row>
            <table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>
            <table:table-row><table:table-cell office:value-type="time" office:time-value="PT00H11M55.1229999S"><text:p>x</text:p></table:table-cell>
            <table:table-cell office:value-type="date" office:date-value="2026-08-15"><office:annotation><text:p>note</text:p></office:annotation><text:p>15/08</text:p></table:table-cell></table:table-row>"#;
        assert_eq!(sheet(rows).as_deref(), Ok("a <b> c  d\t\t\t2E+64\n\n\n0:11:55.123\t2026.08.15"));
    }

    #[test]
    fn cells_repeated_too_often_are_refused_if_they_are_filled() {
        let many = r#"table:number-rows-repeated="1048576""#;
        let wide = r#"table:number-columns-repeated="16384""#;
        let filled = format!(
            r"<table:table-row {many}><table:table-cell {wide}><text:p>x</text:p></table:table-cell></table:table-row>"
        );
        assert_eq!(sheet(&filled), Err(WorkbookError::Large));
        let long = "x".repeat(1 << 10);
        let row = format!(
            r"<table:table-row {many}><table:table-cell><text:p>{long}</text:p></table:table-cell></table:table-row>"
        );
        assert_eq!(sheet(&row), Err(WorkbookError::Large), "a long text counts as often as it is repeated");
        let empty = format!(r"<table:table-row {many}><table:table-cell {wide}/></table:table-row>");
        assert_eq!(sheet(&empty).as_deref(), Ok(""));
        let below = format!(
            "{empty}<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"
        );
        assert_eq!(sheet(&below), Err(WorkbookError::Large), "there are no more rows");
        assert_eq!(sheet("<table:table-row>"), Err(WorkbookError::Broken));
        assert_eq!(
            sheet("<table:table-row><table:table-cell>&none;</table:table-cell></table:table-row>"),
            Err(WorkbookError::Broken)
        );
    }
}
