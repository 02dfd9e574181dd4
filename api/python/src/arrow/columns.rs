//! Verdicts as columns: the fields of the public JSON, with integers of 64 bits.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, RecordBatch,
    builder::{ArrayBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder},
};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use quipu_referee::{
    Lang, Verdict,
    report::{self, AdviceReport, DiagnosticReport, VerdictReport},
};

use crate::points::points_by_side;

/// Bytes of text in all columns together, at most: offsets have 32 bits.
pub(super) const MAX_TEXT: usize = i32::MAX as usize;

/// The verdicts have more text than [`MAX_TEXT`].
#[derive(Debug)]
pub(super) struct TooLarge;

type Structs = ListBuilder<StructBuilder>;

/// Columns that are being filled.
pub(super) struct VerdictColumns {
    lang: Lang,
    row: Int64Builder,
    index: Int64Builder,
    plies: Int64Builder,
    /// The columns of [`TEXTS`].
    texts: [StringBuilder; TEXTS.len()],
    points: Structs,
    diagnostics: Structs,
    advice: Structs,
    /// The column of entries, if it is wanted.
    entry: Option<StringBuilder>,
    /// The row after the last one.
    next: u64,
    /// The number of the last record in its row.
    number: i64,
    size: usize,
}

const TEXTS: [&str; 8] = ["game", "rules", "status", "position", "termination", "result", "winner", "id"];

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

fn number(name: &str) -> Field {
    Field::new(name, DataType::Int64, true)
}

fn structs(fields: Vec<Field>) -> Structs {
    ListBuilder::new(StructBuilder::from_fields(Fields::from(fields), 0))
}

impl VerdictColumns {
    pub(super) fn new(lang: Lang, entries: bool) -> Self {
        let suggestions = Field::new("suggestions", DataType::List(Arc::new(text("item"))), true);
        let place = || [number("ply"), number("line"), number("column")];
        let [ply, line, column] = place();
        let diagnostics =
            vec![text("code"), text("severity"), ply, line, column, text("token"), text("message"), suggestions];
        let [ply, line, column] = place();
        Self {
            lang,
            row: Int64Builder::new(),
            index: Int64Builder::new(),
            plies: Int64Builder::new(),
            texts: Default::default(),
            points: structs(vec![text("side"), number("points")]),
            diagnostics: structs(diagnostics),
            advice: structs(vec![text("code"), ply, line, column, text("message")]),
            entry: entries.then(StringBuilder::new),
            next: 0,
            number: 0,
            size: 0,
        }
    }

    /// Adds the verdict on the next record of a row; rows before it without a record become nulls.
    pub(super) fn add(&mut self, row: u64, verdict: &Verdict, entry: Option<&str>) -> Result<(), TooLarge> {
        self.fill_to(row);
        self.number = if row < self.next { self.number + 1 } else { 1 };
        self.next = row + 1;
        let points = points_by_side(verdict.game, verdict.points);
        let report = report::verdict(verdict, 1, self.lang);
        self.row.append_value(signed(row));
        self.index.append_value(self.number);
        self.plies.append_option(report.plies.map(signed));
        let VerdictReport { game, rules, status, position, termination, result, winner, ref id, .. } = report;
        let texts = [game, rules, Some(status), position, termination, result, winner, id.as_deref()];
        for (column, value) in self.texts.iter_mut().zip(texts) {
            self.size += value.map_or(0, str::len);
            column.append_option(value);
        }
        self.add_points(points);
        for diagnostic in &report.diagnostics {
            self.size += add_diagnostic(self.diagnostics.values(), diagnostic);
        }
        self.diagnostics.append(true);
        for advice in &report.advice {
            self.size += add_advice(self.advice.values(), advice);
        }
        self.advice.append(true);
        if let Some(column) = &mut self.entry {
            self.size += entry.map_or(0, str::len);
            column.append_option(entry);
        }
        if self.size > MAX_TEXT { Err(TooLarge) } else { Ok(()) }
    }

    fn add_points(&mut self, points: Option<Vec<(&'static str, u32)>>) {
        let is_known = points.is_some();
        for (side, count) in points.into_iter().flatten() {
            let entry = self.points.values();
            put_text(entry, 0, Some(side));
            put_number(entry, 1, Some(count.into()));
            entry.append(true);
        }
        self.points.append(is_known);
    }

    /// Adds nulls for the rows before `row` that have no record.
    fn fill_to(&mut self, row: u64) {
        for row in self.next..row {
            self.row.append_value(signed(row));
            self.index.append_null();
            self.plies.append_null();
            self.texts.iter_mut().for_each(StringBuilder::append_null);
            for list in [&mut self.points, &mut self.diagnostics, &mut self.advice] {
                list.append(false);
            }
            self.entry.iter_mut().for_each(StringBuilder::append_null);
        }
        self.next = self.next.max(row);
    }

    /// The table of all rows, of which there are `rows`.
    pub(super) fn finish(mut self, rows: u64) -> Result<RecordBatch, ArrowError> {
        self.fill_to(rows);
        let Self { mut row, mut index, mut plies, texts, mut points, mut diagnostics, mut advice, entry, .. } = self;
        let [game, rules, status, position, termination, result, winner, id] =
            texts.map(|mut column| Arc::new(column.finish()) as ArrayRef);
        let columns: [(&str, ArrayRef); 14] = [
            ("row", Arc::new(row.finish())),
            ("index", Arc::new(index.finish())),
            (TEXTS[0], game),
            (TEXTS[1], rules),
            (TEXTS[2], status),
            ("plies", Arc::new(plies.finish())),
            (TEXTS[3], position),
            (TEXTS[4], termination),
            (TEXTS[5], result),
            (TEXTS[6], winner),
            ("points", Arc::new(points.finish())),
            ("diagnostics", Arc::new(diagnostics.finish())),
            (TEXTS[7], id),
            ("advice", Arc::new(advice.finish())),
        ];
        let entry = entry.map(|mut entry| ("entry", Arc::new(entry.finish()) as ArrayRef));
        RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().chain(entry).map(|(name, column)| (name, column, true)),
        )
    }
}

/// A number of the public JSON; none of them exceeds 63 bits.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column of a struct.
fn of<B: ArrayBuilder>(entry: &mut StructBuilder, index: usize) -> &mut B {
    entry.field_builder(index).expect("the builders are made from the fields")
}

fn put_text(entry: &mut StructBuilder, index: usize, value: Option<&str>) -> usize {
    of::<StringBuilder>(entry, index).append_option(value);
    value.map_or(0, str::len)
}

fn put_number(entry: &mut StructBuilder, index: usize, value: Option<u64>) {
    of::<Int64Builder>(entry, index).append_option(value.map(signed));
}

/// Adds a finding, and returns the bytes of its texts.
fn add_diagnostic(entry: &mut StructBuilder, diagnostic: &DiagnosticReport<'_>) -> usize {
    let DiagnosticReport { code, severity, ply, line, column, token, message, suggestions } = diagnostic;
    let mut size = put_text(entry, 0, Some(code)) + put_text(entry, 1, Some(severity));
    for (index, place) in [ply, line, column].into_iter().enumerate() {
        put_number(entry, 2 + index, *place);
    }
    size += put_text(entry, 5, *token) + put_text(entry, 6, Some(message));
    let list = of::<ListBuilder<Box<dyn ArrayBuilder>>>(entry, 7);
    for suggestion in *suggestions {
        size += suggestion.len();
        let texts = list.values().as_any_mut().downcast_mut::<StringBuilder>();
        texts.expect("a list of texts").append_value(suggestion);
    }
    list.append(true);
    entry.append(true);
    size
}

/// Adds a likely slip, and returns the bytes of its texts.
fn add_advice(entry: &mut StructBuilder, advice: &AdviceReport<'_>) -> usize {
    let AdviceReport { code, ply, line, column, message } = advice;
    let size = put_text(entry, 0, Some(code)) + put_text(entry, 4, Some(message));
    for (index, place) in [ply, line, column].into_iter().enumerate() {
        put_number(entry, 1 + index, *place);
    }
    entry.append(true);
    size
}
