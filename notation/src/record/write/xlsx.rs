//! Writes records as scoresheets in an Excel workbook, one sheet for each. Cells have the format Text, so that spreadsheets
//! do not change typed moves, and the cell of the result offers the four results.

use std::fmt;

use rust_xlsxwriter::{DataValidation, DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use super::{
    super::{
        Outcome, Ply, Record, clock,
        csv::{label, starter, survives, terminations},
    },
    csv::Omitted,
    order::{tags, template},
};
use crate::games::GameNotation;

/// The language of labels in a scoresheet. quipu reads both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelLanguage {
    /// `Juego`, `Reloj`, `Observaciones`.
    Spanish,
    /// `Game`, `Clock`, `Remarks`.
    English,
}

/// Rows of moves of an empty scoresheet.
const TEMPLATE_ROWS: u32 = 80;
/// UTF-16 code units of the name of a sheet, at most: a limit of Excel.
const NAME: usize = 31;
/// Characters of a cell, at most: a limit of Excel.
const CELL: usize = 32_767;

/// A workbook to which scoresheets are added.
pub struct ScoresheetWorkbook {
    workbook: Workbook,
    language: LabelLanguage,
    sheets: usize,
}

impl fmt::Debug for ScoresheetWorkbook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScoresheetWorkbook").field("sheets", &self.sheets).finish_non_exhaustive()
    }
}

/// The formats of cells.
struct Formats {
    text: Format,
    bold: Format,
    number: Format,
}

impl ScoresheetWorkbook {
    /// A workbook without sheets.
    pub fn new(language: LabelLanguage) -> Self {
        let mut workbook = Workbook::new();
        // The same records give the same bytes.
        if let Ok(created) = ExcelDateTime::from_ymd(2000, 1, 1) {
            workbook.set_properties(&DocProperties::new().set_creation_datetime(&created));
        }
        Self { workbook, language, sheets: 0 }
    }

    /// Adds the sheet of a record, and counts the annotations and variations that a sheet cannot hold.
    ///
    /// # Errors
    /// If a cell has more characters, or a sheet more rows, than a workbook can hold.
    pub fn add(&mut self, record: &Record<'_>) -> Result<Omitted, WorkbookError> {
        self.sheet(record, false)?;
        let mut omitted = Omitted::default();
        omitted.count(&record.movetext);
        Ok(Omitted { comments: 0, ..omitted })
    }

    /// Adds a sheet to write the moves of a record into, with rows for its tags and for 80 pairs of moves.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_template(&mut self, record: &Record<'_>) -> Result<(), WorkbookError> {
        self.sheet(record, true)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the content exceeds a limit of the file format.
    pub fn finish(mut self) -> Result<Vec<u8>, WorkbookError> {
        if self.sheets == 0 {
            self.workbook.add_worksheet();
        }
        Ok(self.workbook.save_to_buffer()?)
    }

    fn sheet(&mut self, record: &Record<'_>, template: bool) -> Result<(), WorkbookError> {
        self.sheets += 1;
        let formats = Formats {
            text: Format::new().set_num_format("@"),
            bold: Format::new().set_num_format("@").set_bold(),
            number: Format::new().set_num_format("0"),
        };
        let game = record.game();
        let mut sheet = Sheet { worksheet: Worksheet::new(), formats, language: self.language, row: 0 };
        sheet.worksheet.set_name(name(self.sheets, record, game))?;
        sheet.tags(record, game, template)?;
        sheet.moves(record, game, template)?;
        self.workbook.push_worksheet(sheet.worksheet);
        Ok(())
    }
}

/// The reason that a workbook cannot be written.
#[derive(Debug)]
pub struct WorkbookError(String);

impl fmt::Display for WorkbookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WorkbookError {}

impl From<XlsxError> for WorkbookError {
    fn from(error: XlsxError) -> Self {
        Self(error.to_string())
    }
}

/// The name of a sheet: its number, and the players or the game.
fn name(number: usize, record: &Record<'_>, game: Option<&GameNotation>) -> String {
    let players = game.map(|game| game.sides.each_ref().map(|side| record.value(side.tag).unwrap_or_default()));
    let title = match players {
        Some([one, two]) if !one.is_empty() && !two.is_empty() => format!("{number} {one} – {two}"),
        _ => format!("{number} {}", record.value("Game").unwrap_or_default()),
    };
    let is_forbidden =
        |sign: char| matches!(sign, '[' | ']' | ':' | '*' | '?' | '/' | '\\' | '\'') || sign.is_control();
    let name: String = title.chars().map(|sign| if is_forbidden(sign) { ' ' } else { sign }).collect();
    let mut short = String::new();
    for sign in name.trim().chars() {
        if short.encode_utf16().count() + sign.len_utf16() > NAME {
            break;
        }
        short.push(sign);
    }
    short.trim_end().to_owned()
}

/// A sheet that is being filled.
struct Sheet {
    worksheet: Worksheet,
    formats: Formats,
    language: LabelLanguage,
    row: u32,
}

impl Sheet {
    fn put(&mut self, column: u16, text: &str) -> Result<(), WorkbookError> {
        if text.chars().count() > CELL {
            return Err(WorkbookError(format!("{CELL} characters")));
        }
        if text.starts_with('\'') {
            // The first apostrophe marks text and is not read, so it is doubled.
            self.worksheet.write_string_with_format(self.row, column, format!("'{text}"), &self.formats.text)?;
        } else if !text.is_empty() {
            self.worksheet.write_string_with_format(self.row, column, text, &self.formats.text)?;
        }
        Ok(())
    }

    fn heading(&mut self, column: u16, text: &str) -> Result<(), WorkbookError> {
        self.worksheet.write_string_with_format(self.row, column, text, &self.formats.bold)?;
        Ok(())
    }

    /// A word in the language of the labels.
    fn word(&self, english: &'static str, spanish: &'static str) -> &'static str {
        match self.language {
            LabelLanguage::English => english,
            LabelLanguage::Spanish => spanish,
        }
    }

    /// The rows of tags: a name and its value.
    fn tags(&mut self, record: &Record<'_>, game: Option<&GameNotation>, template: bool) -> Result<(), WorkbookError> {
        let rows: Vec<(String, String)> = if template {
            self::template(record, game).into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect()
        } else {
            tags(record, game).map(|tag| (tag.name.to_string(), tag.value.to_string())).collect()
        };
        // If any tag would be read differently from two cells, all tags are in one cell each, as in CSV.
        let is_own = !template && !rows.iter().all(|(name, value)| survives(name, value));
        let spanish = self.language == LabelLanguage::Spanish;
        for (name, value) in rows {
            if is_own || (value.is_empty() && !template) {
                let space = if value.is_empty() { "" } else { " " };
                self.put(0, &format!("#{name}:{space}{value}"))?;
            } else {
                self.heading(0, &label(&name, spanish))?;
                self.put(1, &value)?;
            }
            if value.is_empty() && template {
                // The format is set before anything is typed.
                self.worksheet.write_blank(self.row, 1, &self.formats.text)?;
            }
            match &*name {
                _ if is_own => {}
                "Result" => self.offer_results()?,
                "Leg" if template => self.offer(if spanish { &["ida", "vuelta"] } else { &["1", "2"] })?,
                "Termination" if template => self.offer(&terminations(spanish))?,
                _ => {}
            }
            self.row += 1;
        }
        self.row += 1;
        Ok(())
    }

    /// The header and the rows of moves.
    fn moves(&mut self, record: &Record<'_>, game: Option<&GameNotation>, template: bool) -> Result<(), WorkbookError> {
        let sides = match game {
            Some(game) => {
                let starter = starter(record, game);
                [starter, !starter].map(|side| game.side(side).tag)
            }
            None => ["first", "second"],
        };
        let clocks = template || record.movetext.plies.iter().any(|ply| ply.clock.is_some());
        let width = if clocks { 2 } else { 1 };
        let remarks = 1 + 2 * width;
        let clock = self.word("clock", "reloj");
        self.heading(0, self.word("n", "n.º"))?;
        for (side, column) in sides.into_iter().zip([1, 1 + width]) {
            self.heading(column, side)?;
            if clocks {
                let title = match self.language {
                    LabelLanguage::English => format!("{side} {clock}"),
                    LabelLanguage::Spanish => format!("{clock} {side}"),
                };
                self.heading(column + 1, &title)?;
            }
        }
        self.heading(remarks, self.word("remarks", "observaciones"))?;
        self.worksheet.set_freeze_panes(self.row + 1, 0)?;
        self.worksheet.set_repeat_rows(self.row, self.row)?;
        self.row += 1;
        for comment in &record.movetext.comments {
            self.put(remarks, comment)?;
            self.row += 1;
        }
        for (index, pair) in record.movetext.plies.chunks(2).enumerate() {
            self.number(Record::expected_number(2 * index))?;
            for (ply, column) in pair.iter().zip([1, 1 + width]) {
                self.put(column, &ply.token)?;
                if let Some(time) = ply.clock {
                    self.put(column + 1, &clock::text(time.value))?;
                }
            }
            self.put(remarks, &comments(pair))?;
            self.row += 1;
        }
        let token = record.result.map(|result| result.value.as_str());
        if let Some(token) = token.filter(|token| record.value("Result") != Some(token)) {
            self.put(1, token)?;
            self.offer_results()?;
            self.row += 1;
        }
        if template {
            for number in 1..=TEMPLATE_ROWS {
                self.number(number.into())?;
                self.row += 1;
            }
        }
        self.layout(remarks)
    }

    /// The second cell of the row offers the four results and rejects other values.
    fn offer_results(&mut self) -> Result<(), WorkbookError> {
        self.offer(&Outcome::ALL.map(Outcome::as_str))
    }

    /// The second cell of the row offers these values and rejects others. It may stay empty.
    fn offer(&mut self, values: &[&str]) -> Result<(), WorkbookError> {
        let list = DataValidation::new().allow_list_strings(values)?;
        self.worksheet.add_data_validation(self.row, 1, self.row, 1, &list)?;
        Ok(())
    }

    fn number(&mut self, number: u64) -> Result<(), WorkbookError> {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        self.worksheet.write_number_with_format(self.row, 0, number, &self.formats.number)?;
        Ok(())
    }

    /// Formats and widths of the columns, and the page.
    fn layout(&mut self, remarks: u16) -> Result<(), WorkbookError> {
        for column in 1..=remarks {
            self.worksheet.set_column_format(column, &self.formats.text)?;
            self.worksheet.set_column_width(column, if column == remarks { 40 } else { 14 })?;
        }
        self.worksheet.set_column_width(0, 14)?;
        // A4, fitted to the width of the page, with as many pages as needed.
        self.worksheet.set_paper_size(9).set_print_fit_to_pages(1, 0);
        Ok(())
    }
}

/// The comments of a row, joined for one cell.
fn comments(pair: &[Ply<'_>]) -> String {
    let notes = pair.iter().filter_map(|ply| ply.notes.as_deref());
    notes.flat_map(|notes| &notes.comments).map(|text| text.replace('\n', " ")).collect::<Vec<_>>().join("; ")
}
