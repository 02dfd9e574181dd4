//! Workbooks of Excel.

use std::{io::Cursor, panic};

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};

use super::{Cells, Room, Sheet, Value, WorkbookError, of_days};

/// The sheets of a workbook.
///
/// calamine panics on some damaged workbooks, such as one with a cell in row 99999999999; they are broken like any other.
pub(in super::super) fn sheets(bytes: &[u8], room: Room) -> Result<Vec<Sheet>, WorkbookError> {
    panic::catch_unwind(|| read(bytes, room)).unwrap_or(Err(WorkbookError::Broken))
}

fn read(bytes: &[u8], mut room: Room) -> Result<Vec<Sheet>, WorkbookError> {
    let broken = |_| WorkbookError::Broken;
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(broken)?;
    let mut sheets = Vec::new();
    for name in workbook.sheet_names() {
        // A sheet may be a chart.
        let Ok(mut reader) = workbook.worksheet_cells_reader(&name) else { continue };
        let mut cells = Cells::default();
        while let Some(cell) = reader.next_cell().map_err(broken)? {
            let (row, column) = cell.get_position();
            if let Some(value) = value(cell.get_value()) {
                cells.add(row, column, value, &mut room)?;
            }
        }
        sheets.push(Sheet { name, cells });
    }
    Ok(sheets)
}

/// The value of a cell; `None` for an empty cell.
fn value(data: &DataRef<'_>) -> Option<Value> {
    let text = |text: &str| (!text.is_empty()).then(|| Value::Text(text.into()));
    match data {
        #[expect(clippy::cast_precision_loss, reason = "a spreadsheet has no other numbers")]
        DataRef::Int(number) => Some(Value::Number(*number as f64)),
        DataRef::Float(number) => Some(Value::Number(*number)),
        DataRef::SharedString(found) => text(found),
        DataRef::Bool(found) => text(if *found { "TRUE" } else { "FALSE" }),
        DataRef::DateTime(time) => of_time(*time),
        DataRef::String(found) | DataRef::DateTimeIso(found) | DataRef::DurationIso(found) => text(found),
        DataRef::Error(error) => text(&error.to_string()),
        DataRef::Empty => None,
    }
}

fn of_time(time: ExcelDateTime) -> Option<Value> {
    of_days(time.as_f64(), time.is_duration()).or(Some(Value::Number(time.as_f64())))
}
