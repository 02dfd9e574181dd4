//! Records of an archive as a Parquet file, a row for each. Rows are written in groups, so that memory is bounded.

use std::{
    io::{self, IsTerminal},
    mem,
    sync::Arc,
};

use chrono::NaiveDate;
use parquet::{
    basic::{Compression, ConvertedType, Repetition, Type as Physical},
    data_type::{ByteArrayType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::Type,
};

use crate::{
    command::PARQUET,
    context::{CommandError, Context},
    output::Output,
};

/// Bytes of text in a group of rows, from which on it is written.
const GROUP: usize = 32 * 1024 * 1024;

/// The column of `docs/scale.md` with this name. Every value may be null.
const COLUMNS: [(&str, Kind); 16] = [
    ("number", Kind::Number),
    ("id", Kind::Text),
    ("record", Kind::Text),
    ("game", Kind::Text),
    ("event", Kind::Text),
    ("round", Kind::Text),
    ("player_1", Kind::Text),
    ("player_2", Kind::Text),
    ("date", Kind::Day),
    ("status", Kind::Text),
    ("result", Kind::Text),
    ("termination", Kind::Text),
    ("plies", Kind::Number),
    ("points_1", Kind::Number),
    ("points_2", Kind::Number),
    ("sheet_of", Kind::Text),
];

#[derive(Clone, Copy)]
enum Kind {
    Number,
    Text,
    Day,
}

/// A row, with the fields of [`COLUMNS`].
pub(super) struct ParquetRow<'r> {
    pub(super) number: i64,
    pub(super) id: &'r str,
    pub(super) record: String,
    pub(super) game: Option<&'r str>,
    pub(super) event: Option<&'r str>,
    pub(super) round: Option<&'r str>,
    /// The names that the players count under, side 1 first.
    pub(super) players: [Option<String>; 2],
    pub(super) date: Option<NaiveDate>,
    pub(super) status: &'r str,
    pub(super) result: Option<&'r str>,
    pub(super) termination: Option<&'r str>,
    pub(super) plies: Option<u64>,
    pub(super) points: Option<[u32; 2]>,
    pub(super) sheet_of: Option<&'r str>,
}

enum Value<'r> {
    Number(Option<i64>),
    Text(Option<&'r str>),
    Day(Option<NaiveDate>),
}

impl ParquetRow<'_> {
    fn values(&self) -> [Value<'_>; COLUMNS.len()] {
        let [one, two] = self.players.each_ref().map(Option::as_deref);
        let points = |side: usize| Value::Number(self.points.map(|points| points[side].into()));
        [
            Value::Number(Some(self.number)),
            Value::Text(Some(self.id)),
            Value::Text(Some(&self.record)),
            Value::Text(self.game),
            Value::Text(self.event),
            Value::Text(self.round),
            Value::Text(one),
            Value::Text(two),
            Value::Day(self.date),
            Value::Text(Some(self.status)),
            Value::Text(self.result),
            Value::Text(self.termination),
            Value::Number(self.plies.map(|plies| i64::try_from(plies).unwrap_or(i64::MAX))),
            points(0),
            points(1),
            Value::Text(self.sheet_of),
        ]
    }
}

/// The values of a column in the current group, without its nulls.
enum Values {
    Numbers(Vec<i64>),
    Texts(Vec<Vec<u8>>),
    Days(Vec<i32>),
}

struct Column {
    values: Values,
    /// 1 for a value, 0 for a null.
    levels: Vec<i16>,
}

impl Column {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Number => Values::Numbers(Vec::new()),
            Kind::Text => Values::Texts(Vec::new()),
            Kind::Day => Values::Days(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    /// Adds a value, and returns the bytes of its text.
    fn add(&mut self, value: &Value<'_>) -> usize {
        let (is_known, size) = match (&mut self.values, value) {
            (Values::Numbers(numbers), Value::Number(number)) => {
                numbers.extend(*number);
                (number.is_some(), 0)
            }
            (Values::Texts(texts), Value::Text(text)) => {
                texts.extend(text.map(|text| text.as_bytes().to_vec()));
                (text.is_some(), text.map_or(0, str::len))
            }
            (Values::Days(days), Value::Day(day)) => {
                days.extend(day.map(|day| day.to_epoch_days()));
                (day.is_some(), 0)
            }
            _ => unreachable!("a row has the kinds of the columns"),
        };
        self.levels.push(i16::from(is_known));
        size
    }

    fn write(self, mut into: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(&self.levels[..]);
        match self.values {
            Values::Numbers(numbers) => into.typed::<Int64Type>().write_batch(&numbers, levels, None)?,
            Values::Days(days) => into.typed::<Int32Type>().write_batch(&days, levels, None)?,
            Values::Texts(texts) => {
                let texts: Vec<_> = texts.into_iter().map(Into::into).collect();
                into.typed::<ByteArrayType>().write_batch(&texts, levels, None)?
            }
        };
        into.close()
    }
}

fn columns() -> Vec<Column> {
    COLUMNS.iter().map(|(_, kind)| Column::new(*kind)).collect()
}

fn schema() -> Result<Type, ParquetError> {
    let field = |(name, kind): &(&str, Kind)| {
        let (physical, converted) = match kind {
            Kind::Number => (Physical::INT64, ConvertedType::NONE),
            Kind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
            Kind::Day => (Physical::INT32, ConvertedType::DATE),
        };
        let field = Type::primitive_type_builder(name, physical).with_converted_type(converted);
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields = COLUMNS.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("records").with_fields(fields).build()
}

/// The error that one of the library wraps.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => error.downcast().map_or_else(io::Error::other, |error| *error),
        error => io::Error::other(error),
    }
}

/// A Parquet file that is being written.
pub(super) struct ParquetWriter {
    file: SerializedFileWriter<Output>,
    columns: Vec<Column>,
    /// Bytes of text in `columns`.
    size: usize,
}

impl ParquetWriter {
    /// # Errors
    /// [`CommandError::Usage`] on a terminal.
    pub(super) fn new(context: Context, out: Output) -> Result<Self, CommandError> {
        if matches!(out, Output::Terminal(_)) && io::stdout().is_terminal() {
            return Err(CommandError::Usage(context.fill("draw.terminal", &[("form", &PARQUET)])));
        }
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = schema().and_then(|schema| SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)));
        Ok(Self { file: file.map_err(cause)?, columns: columns(), size: 0 })
    }

    pub(super) fn add(&mut self, row: &ParquetRow<'_>) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(row.values()) {
            self.size += column.add(&value);
        }
        if self.size < GROUP { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.size = 0;
        let write = |file: &mut SerializedFileWriter<Output>, columns: Vec<Column>| {
            let mut group = file.next_row_group()?;
            for column in columns {
                let into = group.next_column()?.expect("the schema is made from the columns");
                column.write(into)?;
            }
            group.close().map(drop)
        };
        write(&mut self.file, mem::replace(&mut self.columns, columns())).map_err(cause)
    }

    /// Writes the rest.
    pub(super) fn end(mut self) -> io::Result<()> {
        if self.size > 0 {
            self.write_group()?;
        }
        self.file.into_inner().map_err(cause)?.finish()
    }
}
