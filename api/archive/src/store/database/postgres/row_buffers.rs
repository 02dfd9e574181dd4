//! Rows that are inserted together: those of one statement go to the server as one statement with arrays, before the next
//! statement of another kind.

use std::{collections::BTreeMap, error::Error, mem, result, sync::Arc};

use bytes::BytesMut;
use tokio_postgres::{
    Statement,
    types::{Format, IsNull, ToSql, Type},
};

use super::full_text;
use crate::store::database::value::{OwnedValue, Parameter, Value};

/// Rows of all buffers, at most.
const ROWS: usize = 1_024;
/// Bytes of the values of all buffers, at most, before the last row.
const BYTES: usize = 1024 * 1024;

/// Buffered rows by the order in which they are inserted, which is that of their foreign keys.
#[derive(Default)]
pub(super) struct RowBuffers {
    buffers: BTreeMap<usize, RowBuffer>,
    rows: usize,
    bytes: usize,
}

/// The rows of one statement, by column.
pub(super) struct RowBuffer {
    /// The statement that inserts the rows of arrays.
    pub(super) insert: Arc<Statement>,
    pub(super) columns: Vec<ColumnValues>,
}

/// The values of a column of several rows.
pub(super) struct ColumnValues(Vec<OwnedValue>);

impl RowBuffers {
    /// True if the buffered rows must be inserted before a row of this statement: the buffers are full, or have another statement of
    /// this order.
    pub(super) fn must_flush(&self, order: usize, insert: &Arc<Statement>) -> bool {
        self.rows >= ROWS
            || self.bytes >= BYTES
            || self.buffers.get(&order).is_some_and(|buffer| !Arc::ptr_eq(&buffer.insert, insert))
    }

    /// Buffers a row. `types` are those of its columns in the table.
    pub(super) fn push(&mut self, order: usize, insert: &Arc<Statement>, types: &[Type], values: &[Value<'_>]) {
        let new = || RowBuffer {
            insert: Arc::clone(insert),
            columns: values.iter().map(|_| ColumnValues(Vec::new())).collect(),
        };
        let buffer = self.buffers.entry(order).or_insert_with(new);
        for ((ColumnValues(column), kind), value) in buffer.columns.iter_mut().zip(types).zip(values) {
            self.bytes += match value {
                Value::Text(bytes) | Value::Blob(bytes) => bytes.len(),
                _ => size_of::<i64>(),
            };
            column.push(match value {
                // An array holds the words of the full-text index as text, which the server parses.
                Value::Text(text) if *kind == Type::TS_VECTOR => {
                    OwnedValue::Text(full_text::vector(&String::from_utf8_lossy(text)).into_bytes())
                }
                value => OwnedValue::from(*value),
            });
        }
        self.rows += 1;
    }

    /// Bytes of the values of all buffers.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The buffers in their order, which are then empty.
    pub(super) fn take(&mut self) -> impl Iterator<Item = RowBuffer> + use<> {
        mem::take(self).buffers.into_values()
    }
}

impl std::fmt::Debug for ColumnValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

impl ToSql for ColumnValues {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> result::Result<IsNull, Box<dyn Error + Sync + Send>> {
        let values: Vec<_> = self.0.iter().map(OwnedValue::value).collect();
        (&values[..]).to_sql(kind, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> result::Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(kind, out)
    }
}
