//! Tables: aligned for people, Markdown, CSV.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, Write},
};

use anstyle::Style;
use clap::ArgMatches;
use quipu_referee::report::standings_csv;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    args::text,
    context::{CommandError, Context, harmless},
    styled::Styled,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    /// Aligned, for people.
    Text,
    /// For programs. The document comes from `report`.
    Json,
    /// For programs and spreadsheets.
    Csv(CsvForm),
    /// For Markdown documents.
    Md,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvForm {
    /// Commas, decimal points.
    Plain,
    /// For the spreadsheets of countries with a decimal comma: a byte order mark, semicolons, decimal commas, and lines that end
    /// as on Windows.
    Excel,
}

impl CsvForm {
    pub(crate) const ALL: [Self; 2] = [Self::Plain, Self::Excel];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Excel => "excel",
        }
    }
}

/// The byte order mark, by which Excel knows UTF-8.
const BOM: &str = "\u{feff}";

/// Columns by which the cells of a row are indented in a list.
const LIST_INDENT: usize = 4;

/// Width of a cell in aligned tables, at most; wider texts are cut.
const MAX_WIDTH: usize = 60;

/// A table. A row has a cell for each column, and may lack the last ones.
pub(crate) struct Table {
    /// Heading lines above the table.
    pub(crate) headings: Vec<String>,
    /// Columns from left to right.
    pub(crate) columns: Vec<TableColumn>,
    /// Rows from top to bottom.
    pub(crate) rows: Vec<Vec<TableCell>>,
}

pub(crate) struct TableColumn {
    /// Name in data.
    name: Cow<'static, str>,
    /// Heading for people; `None` for a column of data only.
    heading: Option<String>,
    /// True if the cells are aligned right.
    number: bool,
    /// True if the cells are numbers or lists of them.
    figures: bool,
}

pub(crate) struct TableCell {
    data: String,
    shown: String,
}

impl TableFormat {
    /// The format set by the options.
    ///
    /// # Errors
    /// [`CommandError::Usage`] if there are several.
    pub(crate) fn from_args(context: Context, matches: &ArgMatches) -> Result<Self, CommandError> {
        let csv = text(matches, "csv").and_then(|name| CsvForm::ALL.into_iter().find(|form| form.as_str() == name));
        let flag = |name, form| matches.get_flag(name).then_some(form);
        let forms = [flag("json", Self::Json), csv.map(Self::Csv), flag("md", Self::Md)];
        let mut asked = forms.into_iter().flatten();
        match (asked.next(), asked.next()) {
            (None, _) => Ok(Self::Text),
            (Some(form), None) => Ok(form),
            (Some(_), Some(_)) => Err(CommandError::Usage(context.say("table.one-form").to_owned())),
        }
    }
}

impl TableColumn {
    /// A column of texts.
    pub(crate) fn text(name: impl Into<Cow<'static, str>>, heading: impl Into<String>) -> Self {
        Self { name: name.into(), heading: Some(heading.into()), number: false, figures: false }
    }

    /// A column of numbers.
    pub(crate) fn number(name: impl Into<Cow<'static, str>>, heading: impl Into<String>) -> Self {
        Self { number: true, figures: true, ..Self::text(name, heading) }
    }

    /// A column of lists of numbers.
    pub(crate) fn figures(name: impl Into<Cow<'static, str>>, heading: impl Into<String>) -> Self {
        Self { figures: true, ..Self::text(name, heading) }
    }

    /// A column in data only; people find its value in the heading of the table.
    pub(crate) fn data(name: &'static str) -> Self {
        Self { name: name.into(), heading: None, number: false, figures: false }
    }
}

impl TableCell {
    /// A number, or a text of our own in one form for all.
    pub(crate) fn of(value: impl Display) -> Self {
        let data = value.to_string();
        Self { shown: data.clone(), data }
    }

    /// A text of our own that differs between data and people.
    pub(crate) fn pair(data: impl Display, shown: impl Display) -> Self {
        Self { data: data.to_string(), shown: shown.to_string() }
    }

    /// A text from a record, made harmless for terminals and for spreadsheets, which take some texts for formulas.
    pub(crate) fn foreign(text: &str) -> Self {
        Self { data: standings_csv::plain(text), shown: harmless(text) }
    }

    pub(crate) fn empty() -> Self {
        Self { data: String::new(), shown: "–".to_owned() }
    }

    /// A value, or an empty cell.
    pub(crate) fn maybe(value: Option<impl Display>) -> Self {
        value.map_or_else(Self::empty, Self::of)
    }

    /// A text from a record, or an empty cell.
    pub(crate) fn maybe_foreign(text: Option<&str>) -> Self {
        text.map_or_else(Self::empty, Self::foreign)
    }
}

/// Prints tables one after the other; as CSV, all under one header.
pub(crate) fn print(context: Context, form: TableFormat, tables: &[Table], out: &mut impl Write) -> io::Result<()> {
    match form {
        TableFormat::Csv(form) => csv(form, tables, out),
        TableFormat::Text | TableFormat::Json | TableFormat::Md => {
            for (index, table) in tables.iter().enumerate() {
                if index > 0 {
                    writeln!(out)?;
                }
                if form == TableFormat::Md { table.md(out)? } else { table.text(context, out)? }
            }
            Ok(())
        }
    }
}

/// All tables under the header of the widest one: the others lack only its last columns.
fn csv(form: CsvForm, tables: &[Table], out: &mut impl Write) -> io::Result<()> {
    let Some(widest) = tables.iter().max_by_key(|table| table.columns.len()) else { return Ok(()) };
    let mut builder = csv::WriterBuilder::new();
    if form == CsvForm::Excel {
        out.write_all(BOM.as_bytes())?;
        builder.delimiter(b';').terminator(csv::Terminator::CRLF);
    }
    let mut writer = builder.from_writer(out);
    writer.write_record(widest.columns.iter().map(|column| &*column.name))?;
    for row in tables.iter().flat_map(|table| &table.rows) {
        let missing = widest.columns.len() - row.len();
        let cells = row.iter().zip(&widest.columns).map(|(cell, column)| match form {
            // Only numbers have a decimal point that is not a part of a text.
            CsvForm::Excel if column.figures => cell.data.replace('.', ",").into(),
            CsvForm::Plain | CsvForm::Excel => Cow::Borrowed(cell.data.as_str()),
        });
        let cells = cells.chain(std::iter::repeat_n(Cow::Borrowed(""), missing));
        writer.write_record(cells.map(|cell| cell.as_bytes().to_vec()))?;
    }
    writer.flush()
}

impl Table {
    /// The columns for people, with their headings.
    fn shown(&self) -> impl Iterator<Item = (usize, &TableColumn, &str)> {
        let columns = self.columns.iter().enumerate();
        columns.filter_map(|(index, column)| Some((index, column, column.heading.as_deref()?)))
    }

    /// Prints the table for people: aligned or, on a terminal that is too narrow, as a list.
    fn text(&self, context: Context, out: &mut impl Write) -> io::Result<()> {
        let lines = self.aligned();
        for heading in &self.headings {
            let heading = Styled::of(Style::new().bold(), heading);
            for line in heading.wrapped(context.width.unwrap_or(usize::MAX), 2, usize::MAX) {
                writeln!(out, "{}", line.paint(context))?;
            }
        }
        if let Some(width) = context.width.filter(|width| lines.iter().any(|line| line.width() > *width)) {
            return self.list(context, width, out);
        }
        let (head, rows) = lines.split_first().expect("there is a line of headings");
        writeln!(out, "{}", context.paint(Style::new().dimmed(), head))?;
        rows.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// The rows one below the other: the cells up to the first text, and below them the others with their headings.
    fn list(&self, context: Context, width: usize, out: &mut impl Write) -> io::Result<()> {
        let shown: Vec<_> = self.shown().collect();
        let names = shown.iter().position(|(_, column, _)| !column.number).map_or(1, |text| text + 1);
        for row in &self.rows {
            let cell = |index: usize| row.get(index).map_or("", |cell| &*cell.shown);
            let name: Vec<_> = shown[..names].iter().map(|(index, ..)| cell(*index)).collect();
            let mut line = Styled::of(Style::new().bold(), name.join("  "));
            let rest = shown[names..].iter().filter(|(index, ..)| !matches!(cell(*index), "" | "–"));
            let rest: Vec<_> = rest.map(|(index, _, heading)| format!("{heading}: {}", cell(*index))).collect();
            for line in line.wrapped(width, LIST_INDENT, usize::MAX) {
                writeln!(out, "{}", line.paint(context))?;
            }
            line = Styled::plain(" ".repeat(LIST_INDENT) + &rest.join(" · "));
            for line in line.wrapped(width, LIST_INDENT, usize::MAX) {
                writeln!(out, "{}", line.paint(context).trim_end())?;
            }
        }
        Ok(())
    }

    /// The lines of the aligned table: the headings, and the rows.
    fn aligned(&self) -> Vec<String> {
        let mut lines = vec![String::new(); self.rows.len() + 1];
        for (place, (index, column, heading)) in self.shown().enumerate() {
            let cells = self.rows.iter().map(|row| row.get(index).map_or("", |cell| &cell.shown));
            let cells: Vec<_> = std::iter::once(heading).chain(cells).map(|cell| cut(cell, MAX_WIDTH)).collect();
            let width = cells.iter().map(|cell| cell.width()).max().unwrap_or_default();
            for (line, cell) in lines.iter_mut().zip(&cells) {
                let space = " ".repeat(width - cell.width());
                let gap = if place > 0 { "  " } else { "" };
                let [before, after] = if column.number { [space.as_str(), ""] } else { ["", space.as_str()] };
                line.extend([gap, before, cell, after]);
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned()).collect()
    }

    fn md(&self, out: &mut impl Write) -> io::Result<()> {
        for (index, heading) in self.headings.iter().enumerate() {
            writeln!(out, "{}{}\n", if index == 0 { "### " } else { "" }, escaped(heading))?;
        }
        let mut line = |cells: Vec<Cow<'_, str>>| writeln!(out, "| {} |", cells.join(" | "));
        line(self.shown().map(|(_, _, heading)| escaped(heading)).collect())?;
        line(self.shown().map(|(_, column, _)| if column.number { "---:" } else { "---" }.into()).collect())?;
        self.rows.iter().try_for_each(|row| {
            line(
                self.shown().map(|(index, ..)| row.get(index).map_or("".into(), |cell| escaped(&cell.shown))).collect(),
            )
        })
    }
}

/// Numbers joined by a separator.
pub(crate) fn list(numbers: &[u64], between: &str) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(between)
}

/// The text cut to this width.
pub(crate) fn cut(text: &str, widest: usize) -> Cow<'_, str> {
    if text.width() <= widest {
        return text.into();
    }
    let mut width = 0;
    let fits = |letter: &char| {
        width += letter.width().unwrap_or_default();
        width < widest
    };
    text.chars().take_while(fits).chain(['…']).collect::<String>().into()
}

/// The text with Markdown's active characters escaped.
fn escaped(text: &str) -> Cow<'_, str> {
    let acts = |letter: char| matches!(letter, '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '&' | '~' | '#');
    if !text.contains(acts) {
        return text.into();
    }
    let letters = text.chars().flat_map(|letter| acts(letter).then_some('\\').into_iter().chain([letter]));
    letters.collect::<String>().into()
}
