//! A table of a tournament on as many A4 sheets as it needs, each with title, headings and page number.

use quipu_referee::Lang;
use quipu_tournament::tables::{Column, TournamentTable, Value};

use super::{
    a4::{A4Sheet, HEIGHT, WIDTH, end_aligned, faint, style},
    font,
    messages::fill,
    scene::{Scene, TextStyle},
};

/// Paper and type.
pub(super) struct TableLayout {
    /// Width and height of the paper.
    paper: [i32; 2],
    /// Sizes of the type, the preferred one first.
    sizes: &'static [i32],
}

/// A wall chart: wide, and readable from a step away.
pub(super) const ACROSS: TableLayout = TableLayout { paper: [HEIGHT, WIDTH], sizes: &[44, 40, 36, 32, 28, 24] };
/// A list to find a name in, from further away.
pub(super) const UPRIGHT: TableLayout = TableLayout { paper: [WIDTH, HEIGHT], sizes: &[60, 52, 46] };

const MARGIN: i32 = 120;
const TITLE: i32 = 56;
const NOTE: i32 = 26;
/// Width of a column of texts in sizes of the type, at least; longer texts are cut if the table does not fit otherwise.
const NARROWEST: i32 = 12;
/// Lines of a heading, at most.
const HEADING_LINES: usize = 3;

/// The columns of a table in a size of type.
struct Columns {
    size: i32,
    widths: Vec<i32>,
    /// Columns of each sheet beside the ones that name a row.
    bands: Vec<std::ops::Range<usize>>,
}

/// The pages, those of the first rows first.
pub(super) fn pages<'t>(
    table: &'t TournamentTable,
    layout: &'t TableLayout,
    lang: Lang,
) -> impl Iterator<Item = Scene> + 't {
    let columns = columns(table, layout);
    let page = Page { table, layout, columns, lang };
    let rows = page.rows();
    let blocks = table.rows.len().div_ceil(rows).max(1);
    let sheets = blocks * page.columns.bands.len();
    (0..sheets).map(move |sheet| page.scene(sheet, sheets, rows))
}

/// The text of a cell.
fn shown(value: &Value) -> String {
    match value {
        Value::Empty => String::new(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.with_signs(),
    }
}

/// The columns in the largest type in which all fit beside each other, or in the smallest on several sheets.
fn columns(table: &TournamentTable, layout: &TableLayout) -> Columns {
    let room = layout.paper[0] - 2 * MARGIN;
    let measured = measured(table);
    let mut found = None;
    for size in layout.sizes {
        let widths = widths(&measured, *size, room);
        let fits = widths.iter().sum::<i32>() <= room;
        found = Some((*size, widths));
        if fits {
            break;
        }
    }
    let (size, widths) = found.unwrap_or_default();
    let bands = bands(&widths, table.fixed, room);
    Columns { size, widths, bands }
}

/// Size of the type in which columns are measured.
const MEASURED: i32 = 1000;

/// The widths that columns need in the type of [`MEASURED`], and true for texts, which may have less.
fn measured(table: &TournamentTable) -> Vec<(i32, bool)> {
    let of = |(index, column): (usize, &Column)| {
        let words = column.heading.split_whitespace();
        let words = words.map(|word| font::of(true).width(word, heading_size(MEASURED)));
        let cells = table.rows.iter().map(|row| font::of(false).width(&shown(&row[index]), MEASURED));
        (cells.chain(words).max().unwrap_or_default(), !column.is_number)
    };
    table.columns.iter().enumerate().map(of).collect()
}

/// Widths of the columns in a size; those of texts as narrow as they must be.
fn widths(measured: &[(i32, bool)], size: i32, room: i32) -> Vec<i32> {
    let natural = measured.iter().map(|(width, gives)| (size + width * size / MEASURED + 1, *gives));
    let natural: Vec<_> = natural.collect();
    let mut excess = natural.iter().map(|(width, _)| width).sum::<i32>() - room;
    let mut widths: Vec<_> = natural.iter().map(|(width, _)| *width).collect();
    let least = NARROWEST * size;
    // The widest column gives first; the first column, by which rows are found, gives last.
    while excess > 0 {
        let wide = || (0..widths.len()).filter(|index| natural[*index].1 && widths[*index] > least);
        let widest = wide().filter(|index| *index > 0).max_by_key(|index| widths[*index]);
        let Some(widest) = widest.or_else(|| wide().next()) else { break };
        let step = excess.min(size).min(widths[widest] - least);
        widths[widest] -= step;
        excess -= step;
    }
    widths
}

const fn heading_size(size: i32) -> i32 {
    size * 3 / 4
}

/// Divides the columns after the fixed ones among sheets.
fn bands(widths: &[i32], fixed: usize, room: i32) -> Vec<std::ops::Range<usize>> {
    let named: i32 = widths[..fixed].iter().sum();
    let (mut bands, mut from, mut width) = (Vec::new(), fixed, named);
    for (index, own) in widths.iter().enumerate().skip(fixed) {
        if width + own > room && index > from {
            bands.push(from..index);
            (from, width) = (index, named);
        }
        width += own;
    }
    bands.push(from..widths.len());
    bands
}

/// A table on its way to paper.
struct Page<'t> {
    table: &'t TournamentTable,
    layout: &'t TableLayout,
    columns: Columns,
    lang: Lang,
}

impl Page<'_> {
    fn row_height(&self) -> i32 {
        self.columns.size * 3 / 2
    }

    /// The base line of the first line of headings.
    fn headings(&self) -> i32 {
        MARGIN + TITLE + 36 + heading_size(self.columns.size)
    }

    /// Lines of headings, at most [`HEADING_LINES`].
    fn heading_lines(&self) -> usize {
        let lines = self.table.columns.iter().zip(&self.columns.widths);
        let count = lines.map(|(column, width)| self.heading(&column.heading, *width).len());
        count.max().unwrap_or(1).min(HEADING_LINES)
    }

    fn heading(&self, heading: &str, width: i32) -> Vec<String> {
        let size = heading_size(self.columns.size);
        font::of(true).lines(heading, size, width - self.columns.size)
    }

    /// The upper edge of the rows.
    fn top(&self) -> i32 {
        let lines = i32::try_from(self.heading_lines()).unwrap_or(1);
        self.headings() + (lines - 1) * heading_size(self.columns.size) * 5 / 4 + 24
    }

    /// Rows of a sheet.
    fn rows(&self) -> usize {
        let room = self.layout.paper[1] - MARGIN - 110 - self.top();
        usize::try_from(room / self.row_height()).unwrap_or_default().max(1)
    }

    fn scene(&self, number: usize, sheets: usize, rows: usize) -> Scene {
        let (width, height) = (self.layout.paper[0], self.layout.paper[1]);
        let (left, right) = (MARGIN, width - MARGIN);
        let bands = &self.columns.bands;
        let (block, band) = (number / bands.len(), &bands[number % bands.len()]);
        let mut sheet = A4Sheet::default();
        sheet.text(style(TITLE, true), left, MARGIN + TITLE, &self.table.title, right - left);
        let (top, row_height, size) = (self.top(), self.row_height(), self.columns.size);
        let chosen: Vec<_> = (0..self.table.fixed).chain(band.clone()).collect();
        let used: i32 = chosen.iter().map(|index| self.columns.widths[*index]).sum();
        let mut x = left;
        for index in &chosen {
            let (column, width) = (&self.table.columns[*index], self.columns.widths[*index]);
            let mut y = self.headings();
            for line in self.heading(&column.heading, width).into_iter().take(HEADING_LINES) {
                put(&mut sheet, column.is_number, style(heading_size(size), true), [x, y], [width, size], &line);
                y += heading_size(size) * 5 / 4;
            }
            x += width;
        }
        sheet.rule([left, top], [left + used, top]);
        let first = block * rows;
        let on_sheet = self.table.rows.iter().skip(first).take(rows);
        let mut y = top;
        for (place, row) in on_sheet.enumerate() {
            if place % 2 == 1 {
                sheet.band(left, y, used, row_height);
            }
            let base = y + row_height / 2 + font::below_middle(size);
            let mut x = left;
            for index in &chosen {
                let (column, width) = (&self.table.columns[*index], self.columns.widths[*index]);
                put(&mut sheet, column.is_number, style(size, false), [x, base], [width, size], &shown(&row[*index]));
                x += width;
            }
            y += row_height;
        }
        sheet.rule([left, y], [left + used, y]);
        let foot = height - MARGIN;
        if let Some(note) = &self.table.note {
            sheet.lines(faint(NOTE), left, foot - NOTE, note, right - left - 400);
        }
        let of = fill("page.number", self.lang, &[("page", &(number + 1)), ("pages", &sheets)]);
        sheet.text(end_aligned(faint(NOTE + 4)), right, foot, &of, 380);
        sheet.scene_of(self.layout.paper, &self.table.title, self.lang)
    }
}

/// Puts a text into a column, with a gap of half its `size` on either side: numbers end at its right edge.
fn put(sheet: &mut A4Sheet, is_number: bool, style: TextStyle, [x, y]: [i32; 2], [width, size]: [i32; 2], text: &str) {
    let room = width - size;
    if is_number {
        sheet.text(end_aligned(style), x + size / 2 + room, y, text, room);
    } else {
        sheet.text(style, x + size / 2, y, text, room);
    }
}
