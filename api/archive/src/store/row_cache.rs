//! A cache of rows that the writer has looked up or added: names of players and events, and terms of the search index. The
//! next transactions need not look them up again.

use std::collections::{HashMap, HashSet};

use super::{database::Connection, error::StoreError};

/// Cached names of players, names of events, and terms, each at most. One more clears all of its kind.
const MAX_ROWS: usize = 16 * 1024;
/// Bytes of a cached name or term, at most: a tag may have 64 KiB.
const MAX_NAME: usize = 128;

/// Cached rows of one connection.
#[derive(Default)]
pub(super) struct RowCache {
    /// Number and root by name. Only a merge changes them.
    players: HashMap<String, [i64; 2]>,
    /// Number by name.
    events: HashMap<String, i64>,
    terms: HashSet<String>,
    /// Terms whose suffixes are stored.
    split_terms: HashSet<String>,
    /// [`Connection::foreign_version`].
    version: Option<i64>,
}

impl RowCache {
    /// Clears the cache if another connection has written since the last call. Each transaction calls it before anything
    /// else.
    pub(super) fn refresh(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let version = Some(connection.foreign_version()?);
        if version != self.version {
            *self = Self { version, ..Self::default() };
        }
        Ok(())
    }

    /// Clears players and events.
    pub(super) fn invalidate_names(&mut self) {
        self.players.clear();
        self.events.clear();
    }

    pub(super) fn player(&self, name: &str) -> Option<[i64; 2]> {
        self.players.get(name).copied()
    }

    pub(super) fn add_player(&mut self, name: &str, player: [i64; 2]) {
        add(&mut self.players, name, player);
    }

    pub(super) fn event(&self, name: &str) -> Option<i64> {
        self.events.get(name).copied()
    }

    pub(super) fn add_event(&mut self, name: &str, event: i64) {
        add(&mut self.events, name, event);
    }

    /// Adds a term; false if it was cached.
    pub(super) fn add_term(&mut self, term: &str) -> bool {
        is_new(&mut self.terms, term)
    }

    /// Adds the suffixes of a term; false if they were cached.
    pub(super) fn add_suffixes_of(&mut self, term: &str) -> bool {
        is_new(&mut self.split_terms, term)
    }
}

/// Adds a term; false if the set has it.
fn is_new(cache: &mut HashSet<String>, term: &str) -> bool {
    if cache.contains(term) {
        return false;
    }
    if cache.len() == MAX_ROWS {
        cache.clear();
    }
    if term.len() <= MAX_NAME {
        cache.insert(term.to_owned());
    }
    true
}

fn add<V>(cache: &mut HashMap<String, V>, name: &str, value: V) {
    if cache.len() == MAX_ROWS {
        cache.clear();
    }
    if name.len() <= MAX_NAME {
        cache.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded() {
        let mut cache = RowCache::default();
        for number in 0..3 * MAX_ROWS {
            assert!(cache.add_term(&number.to_string()));
            assert!(cache.terms.len() <= MAX_ROWS);
        }
        assert!(!cache.add_term(&(3 * MAX_ROWS - 1).to_string()));
        let long = "x".repeat(MAX_NAME + 1);
        assert!(cache.add_term(&long) && cache.add_term(&long));
    }
}
