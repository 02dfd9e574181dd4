//! All derived tables from all changes.

use super::{change_effect::ChangeEffect, projector::Projector};
use crate::{
    model::Number,
    store::{
        database::{Connection, params, sqlite::full_text},
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

/// Drops the derived tables and builds them from the changes. `progress` gets the number of each change.
pub(in crate::store) fn rebuild(connection: &Connection, progress: impl FnMut(Number)) -> Result<(), StoreError> {
    for table in TABLES.map(|(table, _)| table).into_iter().chain([WORDS, SEARCH]) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    build(connection, progress)?;
    Ok(full_text::optimize(connection)?)
}

/// Builds the derived tables where there are none.
pub(in crate::store) fn build(connection: &Connection, mut progress: impl FnMut(Number)) -> Result<(), StoreError> {
    connection.execute_batch(include_str!("../derived.sql"))?;
    let mut changes = connection.prepare(&format!("SELECT {} FROM change ORDER BY number", ChangeEffect::COLUMNS))?;
    let mut rows = changes.query(params![])?;
    let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(connection));
    while let Some(row) = rows.next()? {
        let (effect, change) = (ChangeEffect::from_row(&row)?, row.get("number")?);
        Projector { inserts: &inserts, connection, change, deferred: &deferred }.apply(&effect, None)?;
        progress(change);
        if deferred.texts() >= TEXTS {
            deferred.flush(connection)?;
        }
    }
    deferred.flush(connection)
}
