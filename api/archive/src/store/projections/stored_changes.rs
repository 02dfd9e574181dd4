//! Changes whose rows are stored already, as those of a copy are, and all of them when derived tables are rebuilt.

use std::{collections::HashMap, sync::Arc};

use quipu_referee::Status;

use super::{
    change_effect::{ChangeEffect, NewRecord},
    projector::Projector,
};
use crate::{
    model::{Facts, Id, Judgement, Number, PlayedGame, ReplayedGame, Source},
    store::{
        database::{Connection, params},
        deferred::DeferredWrites,
        error::StoreError,
        record_rows::{facts_of, judgement_row, source_row},
        rejudge::par_map,
        rows,
        statements::InsertRows,
    },
};

/// Changes whose records are in memory together, at most.
const PAGE: usize = 128;
/// Bytes of sources after which a page ends.
const BYTES: usize = 8 * 1024 * 1024;

/// A record that a change adds, read from its rows.
struct AddedRecord {
    id: Id,
    /// Time of its change, in milliseconds.
    at: i64,
    facts: Facts,
    judgement: Judgement,
    /// Its game for the index of positions, if it is verified.
    game: Option<Arc<ReplayedGame>>,
}

/// The number of the last change of a page of at most `changes` after a number; none at the end. An engine may read all rows of a
/// query at once, so changes are read page by page.
pub(in crate::store) fn page_end(
    connection: &Connection,
    after: Number,
    changes: usize,
) -> Result<Option<Number>, StoreError> {
    Ok(connection.query_row(
        "SELECT max(number) FROM (SELECT number FROM change WHERE number > ? ORDER BY number LIMIT ?) AS page",
        params![after, changes],
        |row| row.get(0),
    )?)
}

/// Updates the derived tables for the changes after a number up to another. Calls `each` with the number of each
/// applied change.
///
/// One query reads the records of a page, because each query is a round trip to a server; all cores parse and replay them.
pub(in crate::store) fn apply_stored(
    connection: &Connection,
    inserts: &dyn InsertRows,
    deferred: &DeferredWrites,
    [after, until]: [Number; 2],
    mut each: impl FnMut(Number),
) -> Result<(), StoreError> {
    let page = format!(
        "SELECT {}, (SELECT octet_length(source) + ifnull(octet_length(canonical), 0)
                     FROM record WHERE record.number = change.number) AS bytes
         FROM change WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
        ChangeEffect::COLUMNS
    );
    let mut last = after;
    loop {
        let mut changes = connection.prepare(&page)?;
        let changes = changes.query_map(params![last, until, PAGE], |row| {
            Ok((ChangeEffect::from_row(row), row.get("number")?, row.get("bytes")?))
        })?;
        let mut changes: Vec<(_, Number, Option<usize>)> = changes.collect::<Result<_, _>>()?;
        let mut bytes = 0;
        let page = changes.iter().take_while(|(.., more)| {
            let fits = bytes < BYTES;
            bytes += more.unwrap_or_default();
            fits
        });
        changes.truncate(page.count());
        let Some((_, end, _)) = changes.last() else { return Ok(()) };
        let records = added_records(connection, [last, *end])?;
        last = *end;
        let projector = |change| Projector { inserts, connection, change, deferred };
        projector(last).prefetch(&records.values().map(|record| &record.facts).collect::<Vec<_>>())?;
        for (effect, change, _) in changes {
            let effect = effect?;
            let record = effect.added_record(change).and_then(|record| records.get(&record));
            if let Some(game) = record.and_then(|record| record.game.as_ref()) {
                deferred.add_game(change, game);
            }
            let new_record =
                record.map(|AddedRecord { id, at, facts, judgement, .. }| NewRecord { id, at: *at, facts, judgement });
            projector(change).apply(&effect, new_record.as_ref())?;
            deferred.set_last_change(change);
            each(change);
        }
    }
}

/// The records that the changes after a number up to another add, by number.
fn added_records(
    connection: &Connection,
    [after, until]: [Number; 2],
) -> Result<HashMap<Number, AddedRecord>, StoreError> {
    // Without statistics, a server scans a table that has no range.
    let mut records = connection.prepare(
        "SELECT verdict.*, record.id, record.form, record.source, record.canonical, change.at FROM record
         JOIN verdict ON verdict.number = record.number JOIN change ON change.number = record.number
         WHERE record.number > ? AND record.number <= ? AND verdict.number > ? AND verdict.number <= ?
           AND change.number > ? AND change.number <= ?",
    )?;
    let rows = records.query_map([after, until, after, until, after, until], |row| {
        Ok((rows::id(row, "id")?, row.get("at")?, source_row(row)?, judgement_row(row)?))
    })?;
    let rows: Vec<(Id, i64, Source, Judgement)> = rows.collect::<Result<_, _>>()?;
    let read = par_map(&rows, |(_, _, source, judgement)| {
        let is_verified = judgement.status == Status::Verified;
        let game = if is_verified { PlayedGame::read(source.chunk().text()) } else { None };
        (facts_of(source, judgement), game.map(ReplayedGame::new).map(Arc::new))
    });
    let record = |((id, at, source, judgement), (facts, game)): ((_, _, Source, _), _)| {
        (source.number, AddedRecord { id, at, facts, judgement, game })
    };
    Ok(rows.into_iter().zip(read).map(record).collect())
}
