//! Writes deferred to the end of a transaction: texts for the search index, the index of positions, receipts, and the counts of
//! players, events and totals.
//!
//! A transaction often has many records of one tournament. The totals of a player are written once and not for each game, each
//! name is looked up once, and hashes are computed in one batch. Each of the three took a sixth or more of the time of the
//! writer.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    mem,
    sync::Arc,
};

use quipu_notation::record::Outcome;

use super::{
    database::{Connection, params},
    error::StoreError,
    positions::{self, CountChange, NewGames},
    projections::{RatingDelta, RatingDeltas, add_to_ratings},
    receipt_log::PendingEntry,
    row_cache::RowCache,
    search_index,
    tx_cache::TxCache,
};
use crate::model::{Number, RecordState, ReplayedGame};

/// The deferred writes of one transaction, and the rows that need not be looked up in it.
#[derive(Default)]
pub(super) struct DeferredWrites {
    pending: RefCell<PendingWrites>,
    cache: RefCell<RowCache>,
    /// The last change, if this transaction made it.
    last: Cell<Option<Number>>,
    pub(super) tx_cache: RefCell<TxCache>,
}

#[derive(Default)]
struct PendingWrites {
    /// FTS5 flushes its index whenever a statement begins that may be rolled back, so all texts are inserted together.
    texts: Vec<(Number, String)>,
    /// Receipts; the first `appended` are in the log.
    receipts: Vec<PendingEntry>,
    appended: usize,
    counts: Counts,
    /// Games of new verdicts that are replayed already.
    games: NewGames,
    /// Games that begin or cease to count.
    count_changes: Vec<CountChange>,
}

/// Differences to add to stored counts.
#[derive(Clone, Default)]
struct Counts {
    /// By game and player.
    ratings: RatingDeltas,
    /// By event.
    events: BTreeMap<i64, EventCounts>,
    /// A list, because a transaction has few keys.
    totals: Vec<(TotalKey, i64)>,
}

#[derive(Clone, Copy, Default)]
struct EventCounts {
    records: i64,
    games: i64,
    /// The last change that touched the event.
    change: Number,
}

/// Game, status and state.
type TotalKey = (String, String, RecordState);

/// The deferred writes at some moment, to roll back to.
#[derive(Default)]
pub(super) struct Savepoint {
    texts: usize,
    receipts: usize,
    appended: usize,
    counts: Counts,
    games: usize,
    count_changes: usize,
}

impl DeferredWrites {
    /// Those of a transaction that begins, with the cached rows of the ones before.
    pub(super) fn new(cache: RowCache) -> Self {
        Self { cache: RefCell::new(cache), ..Self::default() }
    }

    /// The rows that the next transaction knows, after the commit of this one.
    pub(super) fn into_cache(self) -> RowCache {
        self.cache.into_inner()
    }

    /// Number of deferred texts.
    pub(super) fn texts(&self) -> usize {
        self.pending.borrow().texts.len()
    }

    pub(super) fn savepoint(&self) -> Savepoint {
        let PendingWrites { texts, receipts, appended, counts, games, count_changes } = &*self.pending.borrow();
        Savepoint {
            texts: texts.len(),
            receipts: receipts.len(),
            appended: *appended,
            counts: counts.clone(),
            games: games.len(),
            count_changes: count_changes.len(),
        }
    }

    /// Drops all that was deferred after a savepoint.
    pub(super) fn rollback_to(&self, savepoint: Savepoint) {
        let pending = &mut *self.pending.borrow_mut();
        pending.texts.truncate(savepoint.texts);
        pending.receipts.truncate(savepoint.receipts);
        pending.appended = savepoint.appended;
        pending.counts = savepoint.counts;
        pending.games.truncate(savepoint.games);
        pending.count_changes.truncate(savepoint.count_changes);
        self.cache.take();
        self.last.set(None);
        self.tx_cache.take();
    }

    /// Drops all deferred writes, and the cached rows.
    pub(super) fn clear(&self) {
        self.rollback_to(Savepoint::default());
    }

    /// Forgets the players of names, because a merge changes them.
    pub(super) fn invalidate_names(&self) {
        self.cache.borrow_mut().invalidate_names();
    }

    /// Writes everything and drops it.
    pub(super) fn flush(&self, connection: &Connection) -> Result<(), StoreError> {
        self.write(connection)?;
        self.pending.take();
        self.last.set(None);
        self.tx_cache.take();
        Ok(())
    }

    /// Writes the index of positions up to a change, and drops what it needs.
    pub(super) fn flush_positions(&self, connection: &Connection, until: Number) -> Result<(), StoreError> {
        let pending = &mut *self.pending.borrow_mut();
        let (games, changes) = (mem::take(&mut pending.games), mem::take(&mut pending.count_changes));
        positions::update(connection, Some(until), &games, &changes)
    }

    /// Writes everything, and keeps it for [`DeferredWrites::clear`].
    pub(super) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        self.append_receipts(connection)?;
        let PendingWrites { texts, counts: Counts { ratings, events, totals }, games, count_changes, .. } =
            &*self.pending.borrow();
        add_to_ratings(connection, ratings)?;
        let mut event = connection
            .prepare("UPDATE event SET records = records + ?, games = games + ?, changed = ? WHERE number = ?")?;
        for (number, EventCounts { records, games, change }) in events {
            event.execute_later(params![records, games, change, number])?;
        }
        for (key, by) in totals.iter().filter(|(_, by)| *by != 0) {
            add_to_total(connection, key, *by)?;
        }
        search_index::insert(connection, texts, &mut self.cache.borrow_mut())?;
        positions::update(connection, self.last.get(), games, count_changes)
    }

    /// Appends the pending receipts to the log. To be called before the log is read.
    pub(super) fn append_receipts(&self, connection: &Connection) -> Result<(), StoreError> {
        let pending = &mut *self.pending.borrow_mut();
        PendingEntry::append(&pending.receipts[pending.appended..], connection)?;
        pending.appended = pending.receipts.len();
        Ok(())
    }

    /// Index of the last receipt of this transaction, pending or appended.
    pub(super) fn last_receipt(&self) -> Option<u64> {
        self.pending.borrow().receipts.last().map(|last| last.index)
    }

    /// Defers a receipt.
    pub(super) fn receipt(&self, receipt: PendingEntry) {
        self.pending.borrow_mut().receipts.push(receipt);
    }

    /// Number of the next change.
    pub(super) fn next_change(&self, connection: &Connection) -> Result<Number, StoreError> {
        if let Some(last) = self.last.get() {
            return Ok(last + 1);
        }
        let mut next = connection.prepare("SELECT ifnull(max(number), 0) + 1 FROM change")?;
        Ok(next.query_row(params![], |row| row.get(0))?)
    }

    /// Notes the number of a change that was made.
    pub(super) fn set_last_change(&self, change: Number) {
        self.last.set(Some(change));
        self.tx_cache.borrow_mut().forget_unrelated();
    }

    /// Defers the text of a record to the search index.
    pub(super) fn index_text(&self, record: Number, text: String) {
        self.pending.borrow_mut().texts.push((record, text));
    }

    /// Adds to the rating of a player.
    pub(super) fn add_rating_delta(&self, game: &'static str, player: i64, delta: RatingDelta) {
        let ratings = &mut self.pending.borrow_mut().counts.ratings;
        let all = ratings
            .entry((game, player))
            .or_insert(RatingDelta { points: delta.points.map(|_| 0), ..RatingDelta::default() });
        all.games += delta.games;
        all.wins += delta.wins;
        all.draws += delta.draws;
        all.points = all.points.zip(delta.points).map(|(all, points)| all + points);
        all.bonus += delta.bonus;
        all.has_wins |= delta.has_wins;
    }

    /// Keeps the game of a new verdict for the index of positions.
    pub(super) fn add_game(&self, verdict: Number, game: &Arc<ReplayedGame>) {
        self.pending.borrow_mut().games.push((verdict, Arc::clone(game)));
    }

    /// Notes that a game begins (`by` 1) or ceases (-1) to count.
    pub(super) fn add_count_change(&self, record: Number, outcome: Outcome, by: i64) {
        self.pending.borrow_mut().count_changes.push(CountChange { record, outcome, by });
    }

    /// Adds to the counts of an event, by a change.
    pub(super) fn add_to_event(&self, event: i64, records: i64, games: i64, change: Number) {
        let events = &mut self.pending.borrow_mut().counts.events;
        let counts = events.entry(event).or_default();
        counts.records += records;
        counts.games += games;
        counts.change = change;
    }

    /// Adds to a total.
    pub(super) fn add_to_total(&self, game: &str, status: &str, state: RecordState, by: i64) {
        let totals = &mut self.pending.borrow_mut().counts.totals;
        let same = |(key, _): &&mut (TotalKey, i64)| key.0 == game && key.1 == status && key.2 == state;
        match totals.iter_mut().find(same) {
            Some((_, all)) => *all += by,
            None => totals.push(((game.to_owned(), status.to_owned(), state), by)),
        }
    }

    /// Number and root of the player of a name, if they need not be looked up.
    pub(super) fn known_player(&self, name: &str) -> Option<[i64; 2]> {
        self.cache.borrow().player(name)
    }

    /// Number of the event of a name, if it need not be looked up.
    pub(super) fn known_event(&self, name: &str) -> Option<i64> {
        self.cache.borrow().event(name)
    }

    /// Number and root of the player of a name; `find` runs once for each name.
    pub(super) fn player(
        &self,
        name: &str,
        find: impl FnOnce() -> Result<[i64; 2], StoreError>,
    ) -> Result<[i64; 2], StoreError> {
        if let Some(player) = self.known_player(name) {
            return Ok(player);
        }
        let player = find()?;
        self.cache.borrow_mut().add_player(name, player);
        Ok(player)
    }

    /// Number of the event of a name; `find` runs once for each name.
    pub(super) fn event(&self, name: &str, find: impl FnOnce() -> Result<i64, StoreError>) -> Result<i64, StoreError> {
        if let Some(event) = self.known_event(name) {
            return Ok(event);
        }
        let event = find()?;
        self.cache.borrow_mut().add_event(name, event);
        Ok(event)
    }
}

fn add_to_total(connection: &Connection, (game, status, state): &TotalKey, by: i64) -> Result<(), StoreError> {
    let state = state.as_str();
    let mut total =
        connection.prepare("UPDATE total SET records = records + ? WHERE game = ? AND status = ? AND state = ?")?;
    if total.execute(params![by, game, status, state])? == 0 {
        let mut insert = connection.prepare("INSERT INTO total VALUES (?, ?, ?, ?)")?;
        insert.execute(params![game, status, state, by])?;
    } else if by < 0 {
        let mut delete =
            connection.prepare("DELETE FROM total WHERE game = ? AND status = ? AND state = ? AND records = 0")?;
        delete.execute(params![game, status, state])?;
    }
    Ok(())
}
