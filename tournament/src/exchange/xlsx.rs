//! A tournament as an Excel workbook: the entry list, standings, the crosstable, and a sheet for each round.
//!
//! Numbers are numbers. All texts have the format Text, so that a name that looks like a formula stays a name.

use quipu_notation::{games::GameNotation, record::write::WorkbookError};
use quipu_referee::Lang;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet};

use crate::{
    model::Tournament,
    tables::{Column, Tables, TournamentTable, Value},
};

/// Width of a column in characters, at most.
const MAX_WIDTH: usize = 40;
/// Characters of the title above printed pages, at most: Excel allows 255 with its signs.
const TITLE: usize = 120;

/// The workbook.
///
/// # Errors
/// If the content exceeds a limit of the file format.
pub fn write(tournament: &Tournament, game: &GameNotation, lang: Lang) -> Result<Vec<u8>, WorkbookError> {
    let mut workbook = Workbook::new();
    let mut properties = DocProperties::new().set_title(&tournament.settings.name);
    // The same tournament gives the same bytes.
    if let Ok(created) = ExcelDateTime::from_ymd(2000, 1, 1) {
        properties = properties.set_creation_datetime(&created);
    }
    workbook.set_properties(&properties);
    let formats =
        Formats { text: Format::new().set_num_format("@"), heading: Format::new().set_num_format("@").set_bold() };
    let tables = Tables::new(tournament, game, lang);
    for table in [tables.entries(), tables.standings(), tables.crosstable()] {
        workbook.push_worksheet(sheet(&table, &formats)?);
    }
    for table in (1..tournament.next_round()).filter_map(|round| tables.round(round)) {
        workbook.push_worksheet(sheet(&table, &formats)?);
    }
    Ok(workbook.save_to_buffer()?)
}

/// The formats of cells.
struct Formats {
    text: Format,
    heading: Format,
}

fn sheet(table: &TournamentTable, formats: &Formats) -> Result<Worksheet, WorkbookError> {
    let mut sheet = Worksheet::new();
    sheet.set_name(&table.name)?;
    for (column, Column { heading, is_number }) in (0..).zip(&table.columns) {
        sheet.write_string_with_format(0, column, heading, &formats.heading)?;
        let cells = table.rows.iter().map(|row| length(&row[usize::from(column)]));
        let width = cells.chain([heading.chars().count()]).max().unwrap_or_default().min(MAX_WIDTH) + 2;
        sheet.set_column_width(column, u32::try_from(width).unwrap_or(u32::MAX))?;
        if !is_number {
            sheet.set_column_format(column, &formats.text)?;
        }
    }
    let mut row = 1;
    for cells in &table.rows {
        for (column, value) in (0..).zip(cells) {
            match value {
                Value::Empty => {}
                Value::Text(text) => {
                    sheet.write_string_with_format(row, column, text, &formats.text)?;
                }
                Value::Number(number) => {
                    sheet.write_number(row, column, number.to_float())?;
                }
            }
        }
        row += 1;
    }
    if let Some(note) = &table.note {
        sheet.write_string_with_format(row + 1, 0, note, &formats.text)?;
    }
    let fixed = u16::try_from(table.fixed).unwrap_or(u16::MAX);
    sheet.set_freeze_panes(1, fixed)?.set_repeat_rows(0, 0)?;
    let title: String = table.title.chars().take(TITLE).collect();
    // In headers `&` begins a code. A4, fitted to the width of the page, with as many pages as needed.
    sheet.set_header(format!("&C{}", title.replace('&', "&&")));
    sheet.set_paper_size(9).set_landscape().set_print_fit_to_pages(1, 0);
    Ok(sheet)
}

/// The number of characters of a value.
fn length(value: &Value) -> usize {
    match value {
        Value::Empty => 0,
        Value::Text(text) => text.chars().count(),
        Value::Number(number) => number.to_string().len(),
    }
}
