//! All derived tables from all changes.

use super::stored_changes::{apply_stored, page_end};
use crate::{
    model::Number,
    store::{
        database::{Aside, Connection},
        deferred::DeferredWrites,
        error::StoreError,
        positions,
        schema::{Objects, objects},
        search_index::{SEARCH, WORDS},
        statements::PreparedInserts,
    },
};

/// The derived tables with their keys, without those of the search index.
pub(in crate::store) const TABLES: [(&str, &str); 16] = [
    ("total", "game, status, state"),
    ("rating", "game, player"),
    ("entry", "record"),
    ("sheet", "record"),
    ("part", "player, record"),
    ("card", "number"),
    ("event", "number"),
    ("name_word", "kind, number, word"),
    ("player", "number"),
    ("term", "term"),
    ("term_rest", "rest, term"),
    positions::TABLES[0],
    positions::TABLES[1],
    positions::TABLES[2],
    positions::TABLES[3],
    positions::TABLES[4],
];

/// Deferred texts after which a build writes them.
const TEXTS: usize = 10_000;
/// Changes after which the index of positions is brought up to date.
const PAGE: usize = 1_000;

/// Builds the derived tables from the changes in a write transaction, while others read those that are there. `progress` gets the
/// number of each change.
pub(in crate::store) fn rebuild(connection: &Connection, progress: impl FnMut(Number)) -> Result<(), StoreError> {
    // Readers of a server wait while tables are replaced.
    let Some(aside) = Aside::begin(connection)? else { return replace(connection, progress) };
    let tables = || TABLES.into_iter().chain([(SEARCH, "rowid")]);
    create(connection)?;
    let objects_of = |schema| -> Result<Objects, StoreError> {
        let mut all = objects(connection, schema)?;
        all.retain(|[_, of], _| tables().any(|(table, _)| table == of));
        Ok(all)
    };
    // Also without more than is right: a trigger would change the rows.
    if objects_of(Some(aside.schema()))? == objects_of(None)? {
        fill(connection, progress)?;
        tables().try_for_each(|(table, key)| aside.update(table, key))?;
        aside.end(tables().map(|(table, _)| table))?;
        return Ok(());
    }
    aside.end(tables().map(|(table, _)| table))?;
    replace(connection, progress)
}

/// Drops the derived tables and builds them from the changes, while nobody reads them on a server.
pub(in crate::store) fn replace(connection: &Connection, progress: impl FnMut(Number)) -> Result<(), StoreError> {
    connection.lock_out_readers()?;
    for table in TABLES.map(|(table, _)| table).into_iter().chain([WORDS, SEARCH]) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    build(connection, progress)?;
    Ok(connection.optimize_texts()?)
}

/// Builds the derived tables where there are none.
pub(in crate::store) fn build(connection: &Connection, progress: impl FnMut(Number)) -> Result<(), StoreError> {
    create(connection)?;
    fill(connection, progress)
}

/// Creates the derived tables without rows.
pub(in crate::store) fn create(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(include_str!("../derived.sql"))?;
    Ok(connection.execute_batch(positions::TABLES_SQL)?)
}

/// Fills empty derived tables.
fn fill(connection: &Connection, mut progress: impl FnMut(Number)) -> Result<(), StoreError> {
    let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(connection));
    let mut last: Number = 0;
    while let Some(until) = page_end(connection, last, PAGE)? {
        apply_stored(connection, &inserts, &deferred, [last, until], &mut progress)?;
        last = until;
        if deferred.texts() >= TEXTS {
            deferred.flush(connection)?;
        }
        deferred.flush_positions(connection, last)?;
    }
    deferred.flush(connection)
}
