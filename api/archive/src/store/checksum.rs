//! Checksums of the derived tables. Equal contents have equal checksums, in whatever order they were written.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::{
    database::{Connection, Parameters, Row, Value, params},
    error::StoreError,
    projections::TABLES,
    read_tx::ReadTx,
    search_index::{PREFIX, SEARCH, WORDS},
};

/// SHA-256 of the contents of tables.
pub type Digest = [u8; 32];

impl ReadTx<'_> {
    /// The checksum of all derived tables.
    pub fn digest(&self) -> Result<Digest, StoreError> {
        let mut hash = Sha256::new();
        for (_, digest, _) in of_tables(self.connection, "")? {
            hash.update(digest);
        }
        Ok(hash.finalize().into())
    }
}

/// Name, checksum and number of rows of each derived table, with a prefix before its name. Rows are hashed in the order of their
/// keys.
pub(super) fn of_tables(connection: &Connection, prefix: &str) -> Result<Vec<(&'static str, Digest, u64)>, StoreError> {
    let row = |(table, key): (&'static str, &str)| {
        let (digest, rows) =
            of_rows(connection, &format!("SELECT * FROM {prefix}{table} ORDER BY {key}"), params![], |_| Ok(()))?;
        Ok((table, digest, rows))
    };
    let mut tables = TABLES.into_iter().map(row).collect::<Result<Vec<_>, StoreError>>()?;
    let (digest, rows) = if connection.is_file() {
        of_search(connection, prefix)?
    } else {
        let texts = format!("SELECT rowid, CAST(text AS text) FROM {prefix}{SEARCH} ORDER BY rowid");
        of_rows(connection, &texts, params![], |_| Ok(()))?
    };
    tables.push((SEARCH, digest, rows));
    Ok(tables)
}

/// The checksum of the search index, and its number of terms: each term with its record and position, and the records of each
/// prefix that FTS5 indexes.
fn of_search(connection: &Connection, prefix: &str) -> Result<(Digest, u64), StoreError> {
    let mut prefixes = BTreeSet::new();
    let mut last = String::new();
    // FTS5 returns terms in their order.
    let (words, count) = of_rows(connection, &format!("SELECT * FROM {prefix}{WORDS}"), params![], |row| {
        let word = row.value("term")?.as_str()?;
        if word != last {
            word.clone_into(&mut last);
            let ends = word.char_indices().map(|(at, letter)| at + letter.len_utf8());
            prefixes.extend(ends.take(PREFIX).map(|end| word[..end].to_owned()));
        }
        Ok(())
    })?;
    let mut hash = Sha256::new_with_prefix(words);
    for beginning in prefixes {
        let quoted = format!("\"{}\"*", beginning.replace('"', "\"\""));
        let (found, _) = of_rows(connection, &format!("SELECT rowid FROM {prefix}{SEARCH} (?)"), [quoted], |_| Ok(()))?;
        hash.update(found);
    }
    Ok((hash.finalize().into(), count))
}

/// The checksum and number of the rows of a query. `seen` is called with each.
fn of_rows(
    connection: &Connection,
    sql: &str,
    values: impl Parameters,
    mut seen: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(Digest, u64), StoreError> {
    let mut hash = Sha256::new();
    let mut count = 0;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    statement.for_each(values, |row| {
        count += 1;
        seen(row)?;
        for column in 0..columns {
            // Type and length come before the value, so that different rows give different bytes.
            let number;
            let (kind, bytes): (u8, &[u8]) = match row.value(column)? {
                Value::Null => (0, &[]),
                Value::Integer(value) => {
                    number = value.to_be_bytes();
                    (1, &number)
                }
                Value::Real(value) => {
                    number = value.to_be_bytes();
                    (2, &number)
                }
                Value::Text(text) => (3, text),
                Value::Blob(bytes) => (4, bytes),
            };
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        Ok::<_, StoreError>(())
    })?;
    Ok((hash.finalize().into(), count))
}
