//! The full-text index (FTS5): how its segments are merged.

use crate::store::database::{self, Connection};

/// Merges up to `pages` pages of the segments of the index; true if nothing is left to merge. The first call of a full merge has
/// `first`: it marks all segments of that moment for merging.
pub(in crate::store) fn merge(connection: &Connection, pages: i64, first: bool) -> database::Result<bool> {
    let before = connection.rows_written();
    let mut merge = connection.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")?;
    merge.execute([if first { -pages } else { pages }])?;
    // The statement itself counts as one change.
    Ok(connection.rows_written() - before < 2)
}

/// Merges the whole index into one segment.
pub(in crate::store) fn optimize(connection: &Connection) -> database::Result<()> {
    connection.execute_batch("INSERT INTO search (search) VALUES ('optimize')")
}
