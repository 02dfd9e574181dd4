//! All derived tables from all changes.

use super::{change_effect::ChangeEffect, projector::Projector};
use crate::{
    model::Number,
    store::{
        database::{Connection, params},
        deferred::DeferredWrites,
        error::StoreError,
        search_index::{SEARCH, WORDS},
        statements::PreparedInserts,
    },
};

/// The derived tables with their keys, without those of the search index.
pub(in crate::store) const TABLES: [(&str, &str); 11] = [
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
];

/// Deferred texts after which a build writes them.
const TEXTS: usize = 10_000;
/// Changes that are read in one query.
const PAGE: usize = 1_000;

/// Drops the derived tables and builds them from the changes. `progress` gets the number of each change.
pub(in crate::store) fn rebuild(connection: &Connection, progress: impl FnMut(Number)) -> Result<(), StoreError> {
    for table in TABLES.map(|(table, _)| table).into_iter().chain([WORDS, SEARCH]) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    build(connection, progress)?;
    Ok(connection.optimize_texts()?)
}

/// Builds the derived tables where there are none.
pub(in crate::store) fn build(connection: &Connection, mut progress: impl FnMut(Number)) -> Result<(), StoreError> {
    connection.execute_batch(include_str!("../derived.sql"))?;
    let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(connection));
    let page = format!("SELECT {} FROM change WHERE number > ? ORDER BY number LIMIT ?", ChangeEffect::COLUMNS);
    let mut last: Number = 0;
    loop {
        // Page by page, because an engine may read all rows of a query at once.
        let mut changes = connection.prepare(&page)?;
        let changes =
            changes.query_map(params![last, PAGE], |row| Ok((ChangeEffect::from_row(row), row.get("number")?)))?;
        let changes: Vec<(_, Number)> = changes.collect::<Result<_, _>>()?;
        let Some((_, end)) = changes.last() else { break };
        last = *end;
        for (effect, change) in changes {
            Projector { inserts: &inserts, connection, change, deferred: &deferred }.apply(&effect?, None)?;
            progress(change);
            if deferred.texts() >= TEXTS {
                deferred.flush(connection)?;
            }
        }
    }
    deferred.flush(connection)
}
