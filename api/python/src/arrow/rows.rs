//! The rows of an Arrow table as a source of records.

use std::io;

use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchReader as _, cast::AsArray as _, ffi_stream::RecordBatchStreamReader,
};
use arrow_pyarrow::FromPyArrow as _;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError, PyValueError},
    intern,
    prelude::*,
};
use quipu_notation::record::{Format, Reader};
use quipu_referee::{Lang, competition::is_known};

use crate::{
    arguments::listed,
    batch::{Batch, Feed},
    errors::{refused, wrong_type},
};

/// A column of records.
pub(super) struct Rows {
    /// Its parts, the last first.
    parts: Vec<ArrayRef>,
    /// Rows read of the current part.
    read: usize,
    /// Rows of the parts before it.
    before: u64,
    /// The format of each row; without one its content decides.
    format: Option<Format>,
}

/// Two columns with the names that the players of a row count under.
pub(super) struct NameColumns {
    /// The parts of both, with the number of their first rows.
    parts: Vec<(u64, [ArrayRef; 2])>,
}

impl NameColumns {
    /// The names in a row, side 1 first; none where one is null, blank or `?`.
    pub(super) fn at(&self, row: u64) -> Option<[&str; 2]> {
        let (first, columns) =
            self.parts.get(self.parts.partition_point(|(first, _)| *first <= row).checked_sub(1)?)?;
        let row = usize::try_from(row - first).ok()?;
        let [one, two] = columns.each_ref().map(|column| {
            let name = bytes(column, row).and_then(|name| str::from_utf8(name).ok());
            name.filter(|name| is_known(name))
        });
        Some([one?, two?])
    }
}

/// The columns that `verify_batch` reads.
pub(super) struct Input<'n> {
    pub(super) record: &'n str,
    pub(super) players: Option<&'n [String; 2]>,
    pub(super) format: Option<Format>,
}

impl Rows {
    /// The records of a table, and the columns with names.
    pub(super) fn of(table: &Bound<'_, PyAny>, input: &Input<'_>, lang: Lang) -> PyResult<(Self, Option<NameColumns>)> {
        let py = table.py();
        let (schema, batches) = batches(table, lang)?;
        let column = |name: &str| -> PyResult<usize> {
            let Some((index, field)) = schema.column_with_name(name) else {
                let known = listed(schema.fields().iter().map(|field| field.name().as_str()));
                return Err(refused(py, "python.column", lang, &[("found", &name), ("known", &known)]));
            };
            if is_other(field.data_type()) {
                let found = field.data_type();
                return Err(refused(py, "python.column-type", lang, &[("column", &name), ("found", found)]));
            }
            Ok(index)
        };
        let record = column(input.record)?;
        let names = match input.players {
            None => None,
            Some([one, two]) => {
                let players = [column(one)?, column(two)?];
                let mut first = 0;
                let parts = batches.iter().map(|batch| {
                    let part = (first, players.map(|index| ArrayRef::clone(batch.column(index))));
                    first += batch.num_rows() as u64;
                    part
                });
                Some(NameColumns { parts: parts.collect() })
            }
        };
        let parts = batches.iter().rev().map(|batch| ArrayRef::clone(batch.column(record)));
        Ok((Self { parts: parts.collect(), read: 0, before: 0, format: input.format }, names))
    }

    /// The number of rows, before any is read.
    pub(super) fn count(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

/// The columns of a table, and its batches.
fn batches(table: &Bound<'_, PyAny>, lang: Lang) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let py = table.py();
    if table.hasattr(intern!(py, "__arrow_c_array__"))? {
        let batch = RecordBatch::from_pyarrow_bound(table).map_err(|error| not_a_table(table, error, lang))?;
        return Ok((batch.schema(), vec![batch]));
    }
    if table.hasattr(intern!(py, "__arrow_c_stream__"))? {
        let stream = RecordBatchStreamReader::from_pyarrow_bound(table);
        let stream = stream.map_err(|error| not_a_table(table, error, lang))?;
        let schema = stream.schema();
        return py.detach(|| stream.collect::<Result<_, _>>()).map(|batches| (schema, batches)).map_err(failed);
    }
    Err(wrong_type(table, "python.arrow", lang))
}

/// The exception about Arrow data that is no table, such as an array; other exceptions are those of the object.
fn not_a_table(object: &Bound<'_, PyAny>, error: PyErr, lang: Lang) -> PyErr {
    let py = object.py();
    if !error.is_instance_of::<PyTypeError>(py) && !error.is_instance_of::<PyValueError>(py) {
        return error;
    }
    let refused = wrong_type(object, "python.arrow", lang);
    refused.set_cause(py, Some(error));
    refused
}

/// The exception about a fault that no argument explains.
pub(super) fn failed(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// True for a column of anything but text or bytes. One of nulls alone may have no type.
fn is_other(column: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    !matches!(column, Null | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

/// The bytes of a row; none if it is null.
fn bytes(column: &ArrayRef, row: usize) -> Option<&[u8]> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        _ => return None,
    })
}

impl Feed for Rows {
    fn next(&mut self) -> io::Result<Option<Batch>> {
        let mut batch = Batch::default();
        while let Some(part) = self.parts.last()
            && !batch.is_full()
        {
            if self.read == part.len() {
                self.before += part.len() as u64;
                self.read = 0;
                self.parts.pop();
                continue;
            }
            if let Some(text) = bytes(part, self.read) {
                let mut reader = match self.format {
                    Some(format) => Reader::with_format(text, format),
                    None => Reader::new(text),
                };
                while let Some(chunk) = reader.next_chunk()? {
                    batch.push(self.before + self.read as u64, &chunk);
                }
            }
            self.read += 1;
        }
        Ok((!batch.is_empty()).then_some(batch))
    }
}
