//! Games that may have a position: those with an entry of its fingerprint.

use std::ops::ControlFlow;

use super::{
    block::{self, Fingerprint},
    levels::{self, HIGHEST},
};
use crate::{
    model::Number,
    store::{
        database::{Connection, params},
        error::StoreError,
    },
};

/// The fingerprint of a key.
pub(super) fn fingerprint(key: &[u8; 16]) -> Fingerprint {
    let [a, b, c, d, ..] = *key;
    Fingerprint::from_be_bytes([a, b, c, d])
}

/// Calls `each` with the numbers of the verdicts before `before` whose games have an entry of a fingerprint, the last first, part by
/// part, until it breaks. Only the parts that are needed are read.
pub(super) fn each_part(
    connection: &Connection,
    sought: Fingerprint,
    before: Option<Number>,
    mut each: impl FnMut(Vec<Number>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let before = before.unwrap_or(Number::MAX);
    if each(in_tail(connection, sought, before)?)?.is_break() {
        return Ok(());
    }
    let last: Number =
        connection.query_row("SELECT ifnull(max(last), 0) FROM position_extent", params![], |row| row.get(0))?;
    for level in 0..=HIGHEST {
        let span = levels::span(level);
        if level > 0 && span > last {
            break;
        }
        // Older entries are on higher levels.
        if each(on_level(connection, level, sought, before)?)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn in_tail(connection: &Connection, sought: Fingerprint, before: Number) -> Result<Vec<Number>, StoreError> {
    let mut found = Vec::new();
    let mut tail =
        connection.prepare("SELECT number, entries FROM position_tail WHERE number < ? ORDER BY number DESC")?;
    let mut rows = tail.query([before])?;
    let sought = sought.to_be_bytes();
    while let Some(row) = rows.next()? {
        let (entries, _) = row.value("entries")?.as_blob()?.as_chunks::<4>();
        if entries.binary_search(&sought).is_ok() {
            found.push(row.get("number")?);
        }
    }
    Ok(found)
}

fn on_level(
    connection: &Connection,
    level: u32,
    sought: Fingerprint,
    before: Number,
) -> Result<Vec<Number>, StoreError> {
    let (prefix, span) = (levels::prefix_of(level, sought), levels::span(level));
    let mut found = Vec::new();
    let mut blocks = connection.prepare(
        "SELECT segment, entries FROM position_block WHERE level = ? AND prefix = ? AND segment <= ? ORDER BY segment DESC",
    )?;
    let mut rows = blocks.query(params![level, prefix, before / span])?;
    while let Some(row) = rows.next()? {
        let segment: Number = row.get("segment")?;
        let entries = row.value("entries")?.as_blob()?;
        let offsets = block::find(entries, levels::first_of(level, prefix), sought)
            .ok_or_else(|| damaged(level, prefix, segment))?;
        let numbers = offsets.into_iter().rev().map(|offset| segment * span + Number::from(offset));
        found.extend(numbers.filter(|number| *number < before));
    }
    Ok(found)
}

/// The error for a block whose bytes cannot be read.
pub(super) fn damaged(level: u32, prefix: u32, segment: Number) -> StoreError {
    StoreError::Corrupt(format!("block {level}/{prefix}/{segment} of the index of positions"))
}
