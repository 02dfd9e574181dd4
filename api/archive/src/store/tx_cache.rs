//! Rows that a write transaction has looked up, and rows that it knows to be absent. Nobody else writes meanwhile, so they stay as
//! they are until it changes them itself.
//!
//! On a server each lookup is a round trip. Those of the jobs that wait go out together, and what they found is here.

use std::collections::{HashMap, HashSet};

use quipu_referee::competition::{Entry, SheetKey};

use crate::model::{Id, Number, StoredToken};

/// The games of two players in a round, which decide a bonus together (9.4).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EncounterKey {
    pub(super) game: &'static str,
    /// 0 if unknown.
    pub(super) event: i64,
    pub(super) round: String,
    /// The roots of the players, the smaller one first.
    pub(super) players: [i64; 2],
}

/// Rows that a write transaction has looked up or added, and rows that are absent; dropped at its end.
#[derive(Default)]
pub(super) struct TxCache {
    /// Ids of records that the archive lacks.
    absent_records: HashSet<Id>,
    /// Keys that no sheet has.
    absent_sheets: HashSet<SheetKey>,
    /// Names of events, with pairings of which they have no sheet.
    absent_pairings: HashSet<(String, SheetKey)>,
    /// The first games of encounters.
    encounters: HashMap<EncounterKey, Vec<Entry>>,
    pub(super) players: NewNames,
    pub(super) events: NewNames,
    tokens: HashMap<String, Option<StoredToken>>,
    /// The record that was added last, if no other record is related to it.
    unrelated: Option<Number>,
}

/// The names of players or events that a write transaction knows.
#[derive(Default)]
pub(super) struct NewNames {
    /// Names that the archive lacks.
    absent: HashSet<String>,
    /// Numbers of names that were added.
    new: HashSet<i64>,
    last: Option<i64>,
}

impl NewNames {
    pub(super) fn add_absent(&mut self, name: &str) {
        self.absent.insert(name.to_owned());
    }

    /// True if it is known that the archive lacks a name.
    pub(super) fn lacks(&self, name: &str) -> bool {
        self.absent.contains(name)
    }

    /// Notes a name that was added.
    pub(super) fn add_new(&mut self, name: &str, number: i64) {
        self.absent.remove(name);
        self.new.insert(number);
        self.last = Some(number);
    }

    /// The largest number, if this transaction added a name.
    pub(super) fn last(&self) -> Option<i64> {
        self.last
    }
}

impl TxCache {
    pub(super) fn add_absent_records(&mut self, ids: impl IntoIterator<Item = Id>) {
        self.absent_records.extend(ids);
    }

    /// True if the archive is known to lack a record.
    pub(super) fn lacks_record(&self, id: &Id) -> bool {
        self.absent_records.contains(id)
    }

    /// Notes that the archive has a record now.
    pub(super) fn add_record(&mut self, id: &Id) {
        self.absent_records.remove(id);
    }

    pub(super) fn add_absent_sheets(&mut self, keys: impl IntoIterator<Item = SheetKey>) {
        self.absent_sheets.extend(keys);
    }

    /// True if it is known that no sheet has a key.
    pub(super) fn lacks_sheet(&self, key: &SheetKey) -> bool {
        self.absent_sheets.contains(key)
    }

    pub(super) fn add_absent_pairings(&mut self, pairings: impl IntoIterator<Item = (String, SheetKey)>) {
        self.absent_pairings.extend(pairings);
    }

    /// Notes a new sheet with this key. True if it has no pairing, or if no other sheet of its event is known to have it.
    pub(super) fn add_sheet(&mut self, key: &SheetKey, pairing: Option<(&str, SheetKey)>) -> bool {
        self.absent_sheets.remove(key);
        pairing.is_none_or(|(event, key)| self.absent_pairings.remove(&(event.to_owned(), key)))
    }

    pub(super) fn add_encounters(&mut self, encounters: impl IntoIterator<Item = (EncounterKey, Vec<Entry>)>) {
        self.encounters.extend(encounters);
    }

    /// The first games of an encounter, if they are known.
    pub(super) fn encounter(&mut self, key: &EncounterKey) -> Option<Vec<Entry>> {
        // A new event has no games, and a new player has none.
        let is_new =
            self.events.new.contains(&key.event) || key.players.iter().any(|player| self.players.new.contains(player));
        match self.encounters.get(key) {
            Some(games) => Some(games.clone()),
            None if is_new => {
                self.encounters.insert(key.clone(), Vec::new());
                Some(Vec::new())
            }
            None => None,
        }
    }

    /// Notes the games of a known encounter after one was added.
    pub(super) fn update_encounter(&mut self, key: &EncounterKey, games: &[Entry]) {
        if let Some(known) = self.encounters.get_mut(key) {
            known.clear();
            known.extend_from_slice(games);
        }
    }

    /// Forgets all encounters, because one has lost a game.
    pub(super) fn forget_encounters(&mut self) {
        self.encounters.clear();
        self.players.new.clear();
        self.events.new.clear();
    }

    /// The token of an id: `Some(None)` if there is none, `None` if it was not looked up.
    pub(super) fn token(&self, id: &str) -> Option<&Option<StoredToken>> {
        self.tokens.get(id)
    }

    pub(super) fn add_token(&mut self, id: &str, token: Option<StoredToken>) {
        self.tokens.insert(id.to_owned(), token);
    }

    /// Forgets all tokens, because one changes.
    pub(super) fn forget_tokens(&mut self) {
        self.tokens.clear();
    }

    /// Forgets the unrelated record, because a change may add a sheet of its game.
    pub(super) fn forget_unrelated(&mut self) {
        self.unrelated = None;
    }

    /// Notes that no other record is related to the one that was added last.
    pub(super) fn set_unrelated(&mut self, record: Number) {
        self.unrelated = Some(record);
    }

    /// True if it is known that no other record is related to one.
    pub(super) fn is_unrelated(&self, record: Number) -> bool {
        self.unrelated == Some(record)
    }
}
