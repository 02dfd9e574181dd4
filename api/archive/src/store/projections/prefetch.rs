//! Lookups of records that are about to be added: on a server they go out together. One after the other, each would wait for a
//! round trip.

use std::collections::BTreeSet;

use super::{
    entries::{ENCOUNTER_GAMES, encounter_params, stored_entry},
    events::FIND_EVENT,
    players::FIND_PLAYER,
    projector::Projector,
    sheets::{HAS_PAIRING, HAS_SHEETS},
};
use crate::{
    model::Facts,
    store::{
        database::{Connection, FromValue, Parameter, Value},
        error::StoreError,
        tx_cache::EncounterKey,
    },
};

impl Projector<'_> {
    /// Looks up the rows that adding records with these facts needs, in one round trip for each kind. Does nothing for a file,
    /// where a lookup is no round trip.
    pub(in crate::store) fn prefetch(&self, all: &[&Facts]) -> Result<(), StoreError> {
        if self.connection.is_file() {
            return Ok(());
        }
        self.look_up_names(all)?;
        self.look_up_sheets(all)?;
        self.look_up_pairings(all)?;
        self.look_up_encounters(all)
    }

    /// Looks the players and events of records up.
    fn look_up_names(&self, all: &[&Facts]) -> Result<(), StoreError> {
        let players: BTreeSet<_> = all.iter().flat_map(|one| one.players.iter().flatten()).collect();
        let players: Vec<_> = players.into_iter().filter(|name| self.deferred.known_player(name).is_none()).collect();
        let lists: Vec<_> = players.iter().map(|name| vec![name.value()]).collect();
        let found =
            self.connection.prepare(FIND_PLAYER)?.query_pipelined(&lists, |row| Ok([row.get(0)?, row.get(1)?]))?;
        for (name, found) in players.into_iter().zip(found) {
            match found.first() {
                Some(player) => drop(self.deferred.player(name, || Ok(*player))?),
                None => self.deferred.tx_cache.borrow_mut().players.add_absent(name),
            }
        }
        let events: BTreeSet<_> = all.iter().filter_map(|one| one.event.as_ref()).collect();
        let events: Vec<_> = events.into_iter().filter(|name| self.deferred.known_event(name).is_none()).collect();
        let lists: Vec<_> = events.iter().map(|name| vec![name.value()]).collect();
        for (name, event) in events.iter().zip(first_column(self.connection, FIND_EVENT, &lists)?) {
            match event {
                Some(event) => drop(self.deferred.event(name, || Ok(event))?),
                None => self.deferred.tx_cache.borrow_mut().events.add_absent(name),
            }
        }
        Ok(())
    }

    /// Looks up which sheets the archive lacks.
    fn look_up_sheets(&self, all: &[&Facts]) -> Result<(), StoreError> {
        let keys: Vec<_> = all.iter().filter_map(|one| one.sheet.as_ref()?.key()).collect();
        let lists: Vec<_> = keys.iter().map(|key| vec![key.value()]).collect();
        let found = first_column::<bool>(self.connection, HAS_SHEETS, &lists)?;
        let absent = keys.iter().zip(found).filter(|(_, found)| *found == Some(false)).map(|(key, _)| *key);
        self.deferred.tx_cache.borrow_mut().add_absent_sheets(absent);
        Ok(())
    }

    /// Looks up the pairings without sheets.
    fn look_up_pairings(&self, all: &[&Facts]) -> Result<(), StoreError> {
        let pairing = |one: &&Facts| Some((one.event.clone()?, one.sheet.as_ref()?.pairing_key()?));
        let pairings: BTreeSet<_> = all.iter().filter_map(pairing).collect();
        // An event that the archive lacks has no sheets. A name that is too long for the cache is looked up when it is needed.
        let is_absent = |event: &str| self.deferred.tx_cache.borrow().events.lacks(event);
        let (mut absent, mut known): (Vec<_>, Vec<_>) = pairings.into_iter().partition(|(event, _)| is_absent(event));
        known.retain(|(event, _)| self.deferred.known_event(event).is_some());
        let events: Vec<_> = known.iter().map(|(event, _)| self.deferred.known_event(event)).collect();
        let lists: Vec<_> =
            events.iter().zip(&known).map(|(event, (_, key))| vec![event.value(), key.value()]).collect();
        let found = first_column::<bool>(self.connection, HAS_PAIRING, &lists)?;
        absent.extend(
            known.into_iter().zip(found).filter(|(_, found)| *found == Some(false)).map(|(pairing, _)| pairing),
        );
        self.deferred.tx_cache.borrow_mut().add_absent_pairings(absent);
        Ok(())
    }

    /// Looks up the first games of encounters between players that are in the archive.
    fn look_up_encounters(&self, all: &[&Facts]) -> Result<(), StoreError> {
        let key = |one: &&Facts| {
            let entry = one.entry.as_ref().filter(|entry| entry.points.is_some())?;
            let root = |name: &Option<String>| self.deferred.known_player(name.as_ref()?).map(|[_, root]| root);
            let event = match &one.event {
                Some(name) => self.deferred.known_event(name)?,
                None => 0,
            };
            let [one, two] = &one.players;
            let (one, two) = (root(one)?, root(two)?);
            let (game, round) = (entry.game.id, entry.round.clone().unwrap_or_default());
            Some(EncounterKey { game, event, round, players: [one.min(two), one.max(two)] })
        };
        let keys: BTreeSet<_> = all.iter().filter_map(key).collect();
        let lists: Vec<_> = keys.iter().map(|key| encounter_params(key).to_vec()).collect();
        let found = self.connection.prepare(ENCOUNTER_GAMES)?.query_pipelined(&lists, stored_entry)?;
        self.deferred.tx_cache.borrow_mut().add_encounters(keys.into_iter().zip(found));
        Ok(())
    }
}

/// Runs a query with each list of parameters. Returns the first column of each first row.
pub(in crate::store) fn first_column<T: FromValue>(
    connection: &Connection,
    sql: &str,
    lists: &[Vec<Value<'_>>],
) -> Result<Vec<Option<T>>, StoreError> {
    let found = connection.prepare(sql)?.query_pipelined(lists, |row| row.get(0))?;
    Ok(found.into_iter().map(|rows| rows.into_iter().next()).collect())
}
