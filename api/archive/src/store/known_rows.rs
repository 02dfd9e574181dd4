//! Rows that the writer has looked up or added: names of players and events, and terms of the search index. The next
//! transactions need not look them up again.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::error::StoreError;

/// Names of players, names of events, and terms that are known, each at most. With one more, all of its kind are forgotten.
const MOST: usize = 16 * 1024;
/// Bytes of a name or term that is kept, at most: a tag may have 64 KiB.
const LONGEST: usize = 128;

/// Known rows of one connection.
#[derive(Default)]
pub(super) struct KnownRows {
    /// Number and root by name. Only a merge changes them.
    players: HashMap<String, [i64; 2]>,
    /// Number by name.
    events: HashMap<String, i64>,
    terms: HashSet<String>,
    /// Terms whose rests are known.
    split_terms: HashSet<String>,
    /// SQLite's `data_version`, which changes with each commit of another connection.
    version: Option<i64>,
}

impl KnownRows {
    /// Forgets everything if another connection has written since the last call. To be called in each transaction, before
    /// anything else.
    pub(super) fn refresh(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let mut version = connection.prepare_cached("PRAGMA data_version")?;
        let version = Some(version.query_row([], |row| row.get(0))?);
        if version != self.version {
            *self = Self { version, ..Self::default() };
        }
        Ok(())
    }

    /// Forgets players and events.
    pub(super) fn forget_names(&mut self) {
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

    /// Adds a term; false if it was known.
    pub(super) fn add_term(&mut self, term: &str) -> bool {
        is_new(&mut self.terms, term)
    }

    /// Adds the rests of a term; false if they were known.
    pub(super) fn add_rests_of(&mut self, term: &str) -> bool {
        is_new(&mut self.split_terms, term)
    }
}

/// Adds a term; false if the set has it.
fn is_new(known: &mut HashSet<String>, term: &str) -> bool {
    if known.contains(term) {
        return false;
    }
    if known.len() == MOST {
        known.clear();
    }
    if term.len() <= LONGEST {
        known.insert(term.to_owned());
    }
    true
}

fn add<V>(known: &mut HashMap<String, V>, name: &str, value: V) {
    if known.len() == MOST {
        known.clear();
    }
    if name.len() <= LONGEST {
        known.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_rows_are_bounded() {
        let mut known = KnownRows::default();
        for number in 0..3 * MOST {
            assert!(known.add_term(&number.to_string()));
            assert!(known.terms.len() <= MOST);
        }
        assert!(!known.add_term(&(3 * MOST - 1).to_string()));
        let long = "x".repeat(LONGEST + 1);
        assert!(known.add_term(&long) && known.add_term(&long));
    }
}
