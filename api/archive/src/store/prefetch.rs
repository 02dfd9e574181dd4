//! Lookups of jobs that wait: on a server they go out together. One after the other, each would wait for a round trip.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    database::{FromValue, Parameter, Value},
    error::StoreError,
    projections::{ENCOUNTER_GAMES, FIND_EVENT, FIND_PLAYER, HAS_PAIRING, HAS_SHEETS, encounter_params, stored_entry},
    records::FIND,
    tokens::{TOKEN, token_row},
    tx_cache::EncounterKey,
    write_tx::WriteTx,
};
use crate::model::Submission;

/// The keys of the rows that a job is going to look up.
#[derive(Clone, Debug, Default)]
pub struct Lookups {
    /// The id of its token.
    pub token: Option<String>,
    /// The record that it adds.
    pub submission: Option<Arc<Submission>>,
}

impl WriteTx<'_> {
    /// Looks up the rows that adding these records needs, in one round trip for each kind. Does nothing for a file, where a lookup
    /// is no round trip.
    pub fn prefetch<'s>(&self, submissions: impl IntoIterator<Item = &'s Submission>) -> Result<(), StoreError> {
        if self.connection.is_file() {
            return Ok(());
        }
        let all: Vec<_> = submissions.into_iter().collect();
        self.look_up_names(&all)?;
        self.look_up_records(&all)?;
        self.look_up_pairings(&all)?;
        self.look_up_encounters(&all)
    }

    /// Looks up the tokens of jobs, and the rows of the records that they add.
    pub(super) fn prefetch_jobs<'l>(&self, jobs: impl Iterator<Item = &'l Lookups> + Clone) -> Result<(), StoreError> {
        if self.connection.is_file() {
            return Ok(());
        }
        let is_unknown = |id: &&str| self.deferred.tx_cache.borrow().token(id).is_none();
        let tokens: BTreeSet<_> = jobs.clone().filter_map(|job| job.token.as_deref()).filter(is_unknown).collect();
        self.look_up_tokens(&tokens.into_iter().collect::<Vec<_>>())?;
        self.prefetch(jobs.filter_map(|job| job.submission.as_deref()))
    }

    fn look_up_tokens(&self, ids: &[&str]) -> Result<(), StoreError> {
        let lists: Vec<_> = ids.iter().map(|id| vec![id.value()]).collect();
        let found = self.connection.prepare(TOKEN)?.query_pipelined(&lists, token_row)?;
        for (id, tokens) in ids.iter().zip(found) {
            self.deferred.tx_cache.borrow_mut().add_token(id, tokens.into_iter().next());
        }
        Ok(())
    }

    /// The first column of the first row of a run of a query with each of these lists of parameters.
    fn first_column<T: FromValue>(&self, sql: &str, lists: &[Vec<Value<'_>>]) -> Result<Vec<Option<T>>, StoreError> {
        let found = self.connection.prepare(sql)?.query_pipelined(lists, |row| row.get(0))?;
        Ok(found.into_iter().map(|rows| rows.into_iter().next()).collect())
    }

    /// Looks the players and events of records up.
    fn look_up_names(&self, all: &[&Submission]) -> Result<(), StoreError> {
        let players: BTreeSet<_> = all.iter().flat_map(|one| one.facts.players.iter().flatten()).collect();
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
        let events: BTreeSet<_> = all.iter().filter_map(|one| one.facts.event.as_ref()).collect();
        let events: Vec<_> = events.into_iter().filter(|name| self.deferred.known_event(name).is_none()).collect();
        let lists: Vec<_> = events.iter().map(|name| vec![name.value()]).collect();
        for (name, event) in events.iter().zip(self.first_column(FIND_EVENT, &lists)?) {
            match event {
                Some(event) => drop(self.deferred.event(name, || Ok(event))?),
                None => self.deferred.tx_cache.borrow_mut().events.add_absent(name),
            }
        }
        Ok(())
    }

    /// Looks up which records, and which sheets, the archive lacks.
    fn look_up_records(&self, all: &[&Submission]) -> Result<(), StoreError> {
        let ids: Vec<_> = all.iter().map(|one| one.id).collect();
        let lists: Vec<_> = ids.iter().map(|id| vec![id.value()]).collect();
        let found = self.first_column::<i64>(FIND, &lists)?;
        let absent = ids.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(id, _)| *id);
        self.deferred.tx_cache.borrow_mut().add_absent_records(absent);
        let keys: Vec<_> = all.iter().filter_map(|one| one.facts.sheet.as_ref()?.key()).collect();
        let lists: Vec<_> = keys.iter().map(|key| vec![key.value()]).collect();
        let found = self.first_column::<bool>(HAS_SHEETS, &lists)?;
        let absent = keys.iter().zip(found).filter(|(_, found)| *found == Some(false)).map(|(key, _)| *key);
        self.deferred.tx_cache.borrow_mut().add_absent_sheets(absent);
        Ok(())
    }

    /// Looks up the pairings without sheets.
    fn look_up_pairings(&self, all: &[&Submission]) -> Result<(), StoreError> {
        let pairing = |one: &&Submission| Some((one.facts.event.clone()?, one.facts.sheet.as_ref()?.pairing_key()?));
        let pairings: BTreeSet<_> = all.iter().filter_map(pairing).collect();
        // An event that the archive lacks has no sheets. A name that is too long for the cache is looked up when it is needed.
        let is_absent = |event: &str| self.deferred.tx_cache.borrow().events.lacks(event);
        let (mut absent, mut known): (Vec<_>, Vec<_>) = pairings.into_iter().partition(|(event, _)| is_absent(event));
        known.retain(|(event, _)| self.deferred.known_event(event).is_some());
        let events: Vec<_> = known.iter().map(|(event, _)| self.deferred.known_event(event)).collect();
        let lists: Vec<_> =
            events.iter().zip(&known).map(|(event, (_, key))| vec![event.value(), key.value()]).collect();
        let found = self.first_column::<bool>(HAS_PAIRING, &lists)?;
        absent.extend(
            known.into_iter().zip(found).filter(|(_, found)| *found == Some(false)).map(|(pairing, _)| pairing),
        );
        self.deferred.tx_cache.borrow_mut().add_absent_pairings(absent);
        Ok(())
    }

    /// Looks up the first games of encounters between players that are in the archive.
    fn look_up_encounters(&self, all: &[&Submission]) -> Result<(), StoreError> {
        let key = |one: &&Submission| {
            let (facts, entry) = (&one.facts, one.facts.entry.as_ref().filter(|entry| entry.points.is_some())?);
            let [one, two] = &facts.players;
            let root = |name: &Option<String>| self.deferred.known_player(name.as_ref()?).map(|[_, root]| root);
            let event = match &facts.event {
                Some(name) => self.deferred.known_event(name)?,
                None => 0,
            };
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
