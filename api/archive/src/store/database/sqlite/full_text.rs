//! The full-text index (FTS5): its match expressions, and how its segments are merged.

use super::engine::Connection;
use crate::store::database::{error::Result, text_match::TextMatch};

/// The match expression for texts that match one of the alternatives of each part.
pub(in crate::store::database) fn query(parts: &[Vec<TextMatch>]) -> String {
    let phrase =
        |TextMatch { words, is_prefix }: &TextMatch| format!("\"{words}\"{}", if *is_prefix { "*" } else { "" });
    let alternatives =
        |part: &Vec<TextMatch>| format!("({})", part.iter().map(phrase).collect::<Vec<_>>().join(" OR "));
    parts.iter().map(alternatives).collect::<Vec<_>>().join(" AND ")
}

/// Merges up to `pages` pages of the segments of the index; true if nothing is left to merge. The first call of a full merge has
/// `first`: it marks all segments of that moment for merging.
pub(in crate::store::database) fn merge(connection: &Connection, pages: i64, first: bool) -> Result<bool> {
    let before = connection.total_changes();
    let mut merge = connection.prepare_cached("INSERT INTO search (search, rank) VALUES ('merge', ?)")?;
    merge.execute([if first { -pages } else { pages }])?;
    // The statement itself counts as one change.
    Ok(connection.total_changes() - before < 2)
}

/// Merges the whole index into one segment.
pub(in crate::store::database) fn optimize(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch("INSERT INTO search (search) VALUES ('optimize')")?)
}
