//! Records that are about to be added: everything that adding them asks a server for is asked for at once. Record by record, each
//! would wait for several round trips.

use std::collections::BTreeSet;

use super::{
    error::StoreError,
    projections::{FIND_EVENT, FIND_PLAYER, HAS_SHEETS},
    records::FIND,
    write_tx::WriteTx,
};
use crate::model::{Facts, Submission};

impl WriteTx<'_> {
    /// Looks up what adding these records will look up, as far as that does not depend on each other. Nothing in a file, where a
    /// lookup costs the same alone.
    pub fn announce<'s>(&self, submissions: impl IntoIterator<Item = &'s Submission>) -> Result<(), StoreError> {
        if self.connection.is_file() {
            return Ok(());
        }
        let all: Vec<_> = submissions.into_iter().collect();
        let facts = || all.iter().map(|submission| &submission.facts);
        self.announce_names(facts)?;
        let ids: Vec<_> = all.iter().map(|submission| submission.id).collect();
        let found = self.connection.prepare(FIND)?.first_rows(&ids, |_| Ok(()))?;
        let absent = ids.into_iter().zip(found).filter(|(_, found)| found.is_none()).map(|(id, _)| id);
        self.deferred.expect_records(absent);
        let keys: Vec<_> = facts().filter_map(|facts| facts.sheet.as_ref()?.key()).collect();
        let found = self.connection.prepare(HAS_SHEETS)?.first_rows(&keys, |row| row.get(0))?;
        let absent = keys.into_iter().zip(found).filter(|(_, found)| *found == Some(false)).map(|(key, _)| key);
        self.deferred.expect_sheets(absent);
        Ok(())
    }

    /// Looks the players and events of records up.
    fn announce_names<'s, F: Iterator<Item = &'s Facts>>(&self, facts: impl Fn() -> F) -> Result<(), StoreError> {
        let players: BTreeSet<_> = facts().flat_map(|facts| facts.players.iter().flatten()).collect();
        let players: Vec<_> = players.into_iter().filter(|name| !self.deferred.knows_player(name)).collect();
        let found = self.connection.prepare(FIND_PLAYER)?.first_rows(&players, |row| Ok([row.get(0)?, row.get(1)?]))?;
        for (name, found) in players.into_iter().zip(found) {
            found.map(|player| self.deferred.player(name, || Ok(player))).transpose()?;
        }
        let events: BTreeSet<_> = facts().filter_map(|facts| facts.event.as_ref()).collect();
        let events: Vec<_> = events.into_iter().filter(|name| !self.deferred.knows_event(name)).collect();
        let found = self.connection.prepare(FIND_EVENT)?.first_rows(&events, |row| row.get(0))?;
        for (name, found) in events.into_iter().zip(found) {
            found.map(|event| self.deferred.event(name, || Ok(event))).transpose()?;
        }
        Ok(())
    }
}
