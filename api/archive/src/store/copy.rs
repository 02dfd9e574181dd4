//! Copying an archive to another, also of another engine: the base tables row by row, and the derived tables built again.
//!
//! It goes on where an earlier copy ended: rows are only appended, in the order of the changes and of the receipts, so a copy
//! is a beginning of the archive. The last tables, whose rows change, are copied whole at the end.

use super::{
    archive::Store,
    checksum::of_tables,
    database::{Connection, OwnedValue, Value, params},
    error::StoreError,
    progress::{Progress, Step},
    projections::{apply_stored, page_end},
    read_tx::ReadTx,
    search_index::SEARCH,
    statements::Insert,
    tx_cache::TxCache,
    write_tx::WriteTx,
};
use crate::model::Number;

/// Changes that are copied in one transaction.
const PAGE: usize = 1_000;

/// Tables with rows for changes, by the column with the number of the change, in the order in which they refer to each other.
const OF_CHANGES: [(&str, &str); 4] =
    [("change", "number"), ("record", "number"), ("verdict", "number"), ("tournament_change", "number")];

/// Tables whose rows may change, with their keys. A row refers to tables before its own.
const WHOLE: [(&str, &str); 8] = [
    ("signer", "number"),
    ("head", "size"),
    ("token", "id"),
    ("token_limit", "token"),
    ("answer", "token, key"),
    ("live", "number"),
    ("webhook", "id"),
    ("webhook_delivery", "webhook, number"),
];

/// The result of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// Number of the last change.
    pub last: Number,
    /// Number of changes that were copied now.
    pub changes: u64,
    /// Number of receipts.
    pub receipts: u64,
}

/// Rows of a table, with the names of its columns.
struct TableRows {
    table: &'static str,
    columns: Vec<String>,
    values: Vec<Vec<OwnedValue>>,
}

impl TableRows {
    fn read(
        connection: &Connection,
        table: &'static str,
        condition: &str,
        values: &[Value<'_>],
    ) -> Result<Self, StoreError> {
        let mut select = connection.prepare(&format!("SELECT * FROM {table} WHERE {condition}"))?;
        let columns = select.column_names();
        let count = columns.len();
        let rows = select
            .query_map(values, |row| (0..count).map(|column| row.value(column).map(OwnedValue::from)).collect())?;
        Ok(Self { table, columns, values: rows.collect::<Result<_, _>>()? })
    }

    fn insert(&self, connection: &Connection) -> Result<(), StoreError> {
        let Self { table, columns, values } = self;
        let placeholders = vec!["?"; columns.len()].join(", ");
        let mut insert =
            connection.prepare(&format!("INSERT INTO {table} ({}) VALUES ({placeholders})", columns.join(", ")))?;
        for row in values {
            insert.insert_buffered(Insert::AFTER_ALL, &row[..])?;
        }
        Ok(())
    }
}

impl Store {
    /// Copies this archive to another, which must be empty or an earlier copy of it.
    ///
    /// # Errors
    /// If one of the archives fails. [`StoreError::Diverged`] if the other has changes that this one does not have.
    pub fn copy_to(&self, target: &Self, mut progress: impl FnMut(Progress)) -> Result<CopySummary, StoreError> {
        let mut changes = 0;
        loop {
            let last = target.last_change()?;
            let end = self.last_change()?;
            if last > end {
                return Err(StoreError::Diverged(end));
            }
            self.check_beginning(target)?;
            let page = self.read(|reading| page(reading, last, target.receipts_of_copy()?))?;
            let Some((rows, until)) = page else { break };
            let copied = until - last;
            target.write_blocking(move |writing| append(writing, &rows, last, until)).wait()?;
            changes += u64::try_from(copied).unwrap_or_default();
            progress(Progress::of(Step::Records, until, end));
        }
        let whole = self.read(|reading| -> Result<_, StoreError> {
            WHOLE
                .iter()
                .map(|(table, key)| TableRows::read(reading.connection, table, &format!("true ORDER BY {key}"), &[]))
                .collect()
        });
        let whole: Vec<TableRows> = whole?;
        target.write_blocking(move |writing| replace(writing, &whole)).wait()?;
        self.compare(target)?;
        let (last, receipts) =
            target.read(|reading| Ok::<_, StoreError>((reading.last_change()?, reading.receipts()?)))?;
        Ok(CopySummary { last, changes, receipts })
    }

    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
    fn receipts_of_copy(&self) -> Result<u64, StoreError> {
        self.read(|reading| reading.receipts())
    }

    /// Checks that the receipt log of the target is a beginning of this one.
    fn check_beginning(&self, target: &Self) -> Result<(), StoreError> {
        let (size, root) = target.read(|reading| {
            let size = reading.receipts()?;
            Ok::<_, StoreError>((size, reading.root_at(size)?.0))
        })?;
        let own = self.read(|reading| -> Result<_, StoreError> {
            if size > reading.receipts()? { Ok(None) } else { Ok(Some(reading.root_at(size)?.0)) }
        });
        if own? == Some(root) { Ok(()) } else { Err(StoreError::Diverged(target.last_change()?)) }
    }

    /// Compares the derived tables of two archives. The full-text index differs from engine to engine.
    fn compare(&self, target: &Self) -> Result<(), StoreError> {
        let tables = |store: &Self| store.read(|reading| of_tables(reading.connection, ""));
        let (own, other) = (tables(self)?, tables(target)?);
        let differs =
            |((table, own, _), (_, other, _)): &(&(&str, _, _), &(&str, _, _))| *table != SEARCH && own != other;
        match own.iter().zip(&other).find(differs) {
            None => Ok(()),
            Some(((table, ..), _)) => Err(StoreError::Corrupt(format!("the table {table} of the copy"))),
        }
    }
}

/// The rows of the next changes with their receipts, and the number of the last of these changes; none at the end.
fn page(reading: &ReadTx<'_>, last: Number, receipts: u64) -> Result<Option<(Vec<TableRows>, Number)>, StoreError> {
    let until = match page_end(reading.connection, last, PAGE)? {
        Some(until) => until,
        // Confirmations have receipts and no changes.
        None if reading.receipts()? > receipts => last,
        None => return Ok(None),
    };
    let mut rows = Vec::new();
    let mut start = last;
    for end in batch_ends(reading, last, until)? {
        for (table, key) in OF_CHANGES {
            let condition = format!("{key} > ? AND {key} <= ? ORDER BY {key}");
            rows.push(TableRows::read(reading.connection, table, &condition, &params![start, end])?);
        }
        start = end;
    }
    let first_beyond: Option<i64> = reading.connection.query_row(
        "SELECT min(number) FROM receipt WHERE number >= ? AND verdict > ?",
        params![receipts, until],
        |row| row.get(0),
    )?;
    let end = first_beyond.unwrap_or(i64::MAX);
    let of_receipts = [("receipt", "number"), ("confirmation", "receipt")];
    for (table, key) in of_receipts {
        let condition = format!("{key} >= ? AND {key} < ? ORDER BY {key}");
        rows.push(TableRows::read(reading.connection, table, &condition, &params![receipts, end])?);
    }
    Ok(Some((rows, until)))
}

/// The last change of each batch of a page. A correction and its record are in different batches, because all rows of `change` are
/// inserted before those of `record`, to which they refer.
fn batch_ends(reading: &ReadTx<'_>, last: Number, until: Number) -> Result<Vec<Number>, StoreError> {
    let mut corrections = reading.connection.prepare(
        "SELECT number, corrects FROM change WHERE corrects > ? AND number > ? AND number <= ? ORDER BY number",
    )?;
    let corrections = corrections.query_map([last, last, until], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (mut ends, mut start) = (Vec::new(), last);
    for correction in corrections {
        let (number, corrected): (Number, Number) = correction?;
        if corrected > start {
            start = number - 1;
            ends.push(start);
        }
    }
    ends.push(until);
    Ok(ends)
}

/// Appends the rows of changes, and updates the derived tables by each change.
fn append(writing: &WriteTx<'_>, rows: &[TableRows], last: Number, until: Number) -> Result<(), StoreError> {
    writing.connection.take_time()?;
    if writing.last_change()? != last {
        return Err(StoreError::Busy);
    }
    for rows in rows {
        rows.insert(writing.connection)?;
    }
    // The copied rows may be among those known to be absent.
    *writing.deferred.tx_cache.borrow_mut() = TxCache::default();
    apply_stored(writing.connection, writing.inserts, writing.deferred, [last, until], |_| ())
}

/// Replaces all rows of tables whose rows may change.
fn replace(writing: &WriteTx<'_>, whole: &[TableRows]) -> Result<(), StoreError> {
    writing.connection.take_time()?;
    for rows in whole.iter().rev() {
        writing.connection.execute(&format!("DELETE FROM {}", rows.table), params![])?;
    }
    for rows in whole {
        rows.insert(writing.connection)?;
    }
    writing.deferred.tx_cache.borrow_mut().forget_tokens();
    writing.connection.continue_numbers("live", "number")?;
    Ok(())
}
