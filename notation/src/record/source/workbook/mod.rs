//! Workbooks: each sheet becomes text with a line for each row and tabs between the cells.

use std::{collections::BTreeMap, sync::Arc};

use super::super::{csv::may_be_changed, limits};

pub(super) mod ods;
pub(super) mod xlsx;

/// A sheet of a workbook.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) name: String,
    pub(super) cells: Cells,
}

/// The reason that the sheets of a workbook cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkbookError {
    /// The file is broken.
    Broken,
    /// The content exceeds the limits.
    Large,
}

impl From<quick_xml::Error> for WorkbookError {
    fn from(_: quick_xml::Error) -> Self {
        Self::Broken
    }
}

/// The value of a cell. Cells that share a text have one copy of it.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// A text, as it was typed.
    Text(Arc<str>),
    /// A number.
    Number(f64),
    /// Milliseconds: a time of the day or a duration.
    Time(u64),
    /// Year, month, day.
    Date(i64, u8, u8),
}

/// Room left for the cells of a workbook, all its sheets together: a few bytes can stand for very many cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    cells: usize,
    bytes: usize,
}

impl Room {
    /// Room for this many bytes of text.
    pub(super) const fn new(bytes: usize) -> Self {
        Self { cells: limits::CELLS, bytes }
    }

    /// Reserves the room of a cell.
    fn take(&mut self, value: &Value) -> Result<(), WorkbookError> {
        let bytes = if let Value::Text(text) = value { text.len() } else { 0 };
        self.cells = self.cells.checked_sub(1).ok_or(WorkbookError::Large)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(WorkbookError::Large)?;
        Ok(())
    }
}

/// Filled cells by row and column, both from 0.
#[derive(Debug, Default)]
pub(super) struct Cells {
    cells: BTreeMap<(u32, u32), Value>,
}

impl Cells {
    /// Rows and columns that a cell may be in.
    const ROWS: u32 = 1_048_576;
    const COLUMNS: u32 = 16_384;

    /// Adds a cell.
    fn add(&mut self, row: u32, column: u32, value: Value, room: &mut Room) -> Result<(), WorkbookError> {
        if row >= Self::ROWS || column >= Self::COLUMNS {
            return Err(WorkbookError::Large);
        }
        room.take(&value)?;
        self.cells.insert((row, column), value);
        Ok(())
    }

    /// The lines of the sheet; `None` if they have more than `most` bytes.
    pub(super) fn text(&self, most: usize) -> Option<Vec<u8>> {
        // Spreadsheets take `11:55` typed as minutes and seconds for hours and minutes; then no cell has seconds.
        let times =
            self.cells.values().filter_map(|value| if let Value::Time(millis) = value { Some(*millis) } else { None });
        let has_seconds = times.into_iter().any(|millis| millis % 60_000 != 0);
        let mut text = Vec::new();
        let (mut line, mut place) = (0, 0);
        for ((row, column), value) in &self.cells {
            let gap = if *row > line { row - line + column } else { column - place };
            if text.len() + gap as usize > most {
                return None;
            }
            if *row > line {
                text.extend(std::iter::repeat_n(b'\n', (row - line) as usize));
                (line, place) = (*row, 0);
            }
            text.extend(std::iter::repeat_n(b'\t', (column - place) as usize));
            place = *column;
            text.extend_from_slice(value.text(has_seconds).as_bytes());
        }
        (text.len() <= most).then_some(text)
    }
}

impl Value {
    /// The text of the cell in a line with tabs.
    fn text(&self, has_seconds: bool) -> String {
        match self {
            Self::Text(text) => typed(text),
            Self::Number(number) => number_text(*number),
            Self::Time(millis) => {
                let (minutes, rest) = (millis / 60_000, millis % 60_000);
                let (hours, minutes) = (minutes / 60, minutes % 60);
                match (has_seconds, rest % 1000) {
                    (false, _) => format!("{hours}:{minutes:02}"),
                    (true, 0) => format!("{hours}:{minutes:02}:{:02}", rest / 1000),
                    (true, millis) => format!("{hours}:{minutes:02}:{:02}.{millis:03}", rest / 1000),
                }
            }
            Self::Date(year, month, day) => format!("{year:04}.{month:02}.{day:02}"),
        }
    }
}

/// A typed text on one line, quoted or marked so that it is read back as it was typed.
fn typed(text: &str) -> String {
    let line = text.replace(['\t', '\n', '\r'], " ");
    match line.trim_start().chars().next() {
        Some('"') => format!("\"{}\"", line.replace('"', "\"\"")),
        // An apostrophe in the cell itself came with a CSV file, where it marks text.
        Some('\'') => line,
        Some('=') => format!("'{}", line.trim_start()),
        // The type of the cell is text, so no spreadsheet has changed it.
        _ if may_be_changed(line.trim()) => format!("'{}", line.trim()),
        _ => line,
    }
}

/// A number as spreadsheets show it, with a sign in its exponent, which distinguishes it from a typed text.
fn number_text(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-4..1e15).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:E}");
    if text.contains("E-") { text } else { text.replace('E', "E+") }
}

/// A date or a time from a count of days since the end of 1899.
fn of_days(days: f64, is_duration: bool) -> Option<Value> {
    const DAY: f64 = 86_400_000.0;
    if !(0.0..3_000_000.0).contains(&days) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::float_arithmetic,
        reason = "it is in the range, and a spreadsheet has no other times; a millisecond is far above its rounding"
    )]
    let millis = (days * DAY).round() as u64;
    if is_duration || millis < 86_400_000 {
        return Some(Value::Time(millis));
    }
    let (year, month, day) = civil(i64::try_from(millis / 86_400_000).ok()? - 25_569);
    Some(Value::Date(year, month, day))
}

/// The date this many days after 1970-01-01.
fn civil(days: i64) -> (i64, u8, u8) {
    // Years are counted from March, so that the leap day is the last of a year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, u8::try_from(month).unwrap_or_default(), u8::try_from(day).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cells: &[(u32, u32, Value)], expected: &str) {
        let mut sheet = Cells::default();
        let mut room = Room::new(10_000);
        for (row, column, value) in cells {
            sheet.add(*row, *column, value.clone(), &mut room).expect("it is small");
        }
        let text = sheet.text(10_000).expect("it is small");
        assert_eq!(String::from_utf8(text).as_deref(), Ok(expected));
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn rows_are_lines() {
        check(&[(0, 0, text("a")), (0, 2, text("b")), (2, 1, text("c"))], "a\t\tb\n\n\tc");
        check(&[(0, 0, text("a\tb\r\nc")), (1, 0, text("\"q\"")), (2, 0, text("'x"))], "a b  c\n\"\"\"q\"\"\"\n'x");
        check(&[(0, 0, text("20")), (0, 1, text("0E01")), (0, 2, text("1-0"))], "'20\t0E01\t1-0");
    }

    #[test]
    fn numbers_times_and_dates() {
        let numbers = [0.0, 1.0, 20.0, 0.5, 2e64, 3e6, 1e20];
        let cells: Vec<_> = (0..).zip(numbers).map(|(row, number)| (row, 0, Value::Number(number))).collect();
        check(&cells, "0\n1\n20\n0.5\n2E+64\n3000000\n1E+20");
        let day = |days| of_days(days, false).expect("it is in the range");
        check(&[(0, 0, day(46_249.0))], "2026.08.15");
        check(&[(0, 0, day(0.008_275_694_444_444)), (0, 1, day(0.5))], "0:11:55.020\t12:00:00");
        check(&[(0, 0, day(0.496_527_777_777_778))], "11:55");
        assert_eq!(of_days(-1.0, false), None);
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
    }

    #[test]
    fn a_sheet_that_is_too_large_is_none() {
        let mut sheet = Cells::default();
        let mut room = Room::new(10);
        assert_eq!(sheet.add(Cells::ROWS - 1, Cells::COLUMNS - 1, text("x"), &mut room), Ok(()));
        assert_eq!(sheet.add(Cells::ROWS, 0, text("x"), &mut room), Err(WorkbookError::Large));
        assert_eq!(sheet.add(0, Cells::COLUMNS, text("x"), &mut room), Err(WorkbookError::Large));
        assert_eq!(sheet.text(1_000_000), None);
        assert!(sheet.text(2_000_000).is_some());
    }

    #[test]
    fn all_sheets_share_the_room() {
        let mut room = Room { cells: 3, bytes: 4 };
        let mut sheet = Cells::default();
        assert_eq!(sheet.add(0, 0, text("four"), &mut room), Ok(()));
        assert_eq!(sheet.add(0, 1, text("5"), &mut room), Err(WorkbookError::Large));
        assert_eq!(Cells::default().add(0, 0, Value::Number(1.0), &mut room), Ok(()));
        assert_eq!(Cells::default().add(0, 0, Value::Number(1.0), &mut room), Err(WorkbookError::Large));
    }
}
