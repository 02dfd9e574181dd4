//! What waits for the end of a transaction: texts that are searched, receipts, and what is counted of games, players and
//! events.
//!
//! A transaction has many records of one tournament. What its players come to is written once and not with each of their
//! games, who a name is, is asked once, and all that is hashed is hashed together. Each of the three took a sixth and more of
//! the time of the one thread that writes.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashMap, HashSet},
};

use quipu_referee::competition::Level;
use rusqlite::{Connection, OptionalExtension, params};

use super::{StoreError, projections, receipt_log::PendingEntry, records::terms};
use crate::model::{Number, State};

/// Texts that a small transaction adds to the index of words. SQLite leaves what it adds beside the others until there are
/// sixteen, and then puts them together at once; of larger ones it puts some together as they come.
const FEW: usize = 64;
/// Pages of that index that are put together with each small transaction.
const JOINED: i64 = 16;

/// What is written at the end of a transaction, and what is known from its beginning on.
#[derive(Default)]
pub(super) struct DeferredWrites {
    waiting: RefCell<Waiting>,
    known: RefCell<Known>,
    /// The last change, if it was made in this transaction.
    last: Cell<Option<Number>>,
}

/// What is still to be written.
#[derive(Default)]
struct Waiting {
    /// SQLite writes its index of words out whenever a statement begins that may have to be taken back, so it is given all
    /// texts at once.
    texts: Vec<(Number, String)>,
    /// Receipts, of which so many are in the log.
    receipts: Vec<PendingEntry>,
    filed: usize,
    counts: Counts,
}

/// What was counted.
#[derive(Clone, Default)]
struct Counts {
    /// By game and player.
    gains: BTreeMap<(&'static str, i64), Gain>,
    events: BTreeMap<i64, Touched>,
    /// Few kinds: game, status and state.
    totals: Vec<(Sort, i64)>,
}

/// Names that were looked up. What they stand for does not change but by merging.
#[derive(Default)]
struct Known {
    players: HashMap<String, [i64; 2]>,
    events: HashMap<String, i64>,
}

/// What games come to for a player: to be added to what is stored.
#[derive(Clone, Copy, Default)]
pub(super) struct Gain {
    pub(super) games: i64,
    pub(super) wins: i64,
    pub(super) draws: i64,
    /// Nothing in games that do not count points.
    pub(super) points: Option<i64>,
    /// In halves.
    pub(super) bonus: i64,
}

/// What became of an event.
#[derive(Clone, Copy, Default)]
struct Touched {
    records: i64,
    games: i64,
    /// The last change that touched it.
    change: Number,
}

/// Records of which kind.
type Sort = (String, String, State);

/// What a rating has: games, wins and draws; level and rank as they were.
type Sums = (i64, i64, i64, Option<u16>, Option<i64>);

/// What was waiting at some moment, to come back to.
#[derive(Default)]
pub(super) struct Mark {
    texts: usize,
    receipts: usize,
    filed: usize,
    counts: Counts,
}

impl DeferredWrites {
    /// How many texts there are.
    pub(super) fn texts(&self) -> usize {
        self.waiting.borrow().texts.len()
    }

    /// What is waiting now.
    pub(super) fn mark(&self) -> Mark {
        let Waiting { texts, receipts, filed, counts } = &*self.waiting.borrow();
        Mark { texts: texts.len(), receipts: receipts.len(), filed: *filed, counts: counts.clone() }
    }

    /// All that came since is taken back.
    pub(super) fn rollback_to(&self, mark: Mark) {
        let waiting = &mut *self.waiting.borrow_mut();
        waiting.texts.truncate(mark.texts);
        waiting.receipts.truncate(mark.receipts);
        waiting.filed = mark.filed;
        waiting.counts = mark.counts;
        self.forget_names();
        self.last.set(None);
    }

    /// Forgets all that is waiting.
    pub(super) fn forget(&self) {
        self.rollback_to(Mark::default());
    }

    /// Forgets who a name is: players are merged.
    pub(super) fn forget_names(&self) {
        self.known.take();
    }

    /// Writes all of it, and forgets it.
    pub(super) fn store(&self, connection: &Connection) -> Result<(), StoreError> {
        self.put(connection)?;
        self.forget();
        Ok(())
    }

    /// Writes all of it.
    pub(super) fn put(&self, connection: &Connection) -> Result<(), StoreError> {
        self.file(connection)?;
        let Waiting { texts, counts: Counts { gains, events, totals }, .. } = &*self.waiting.borrow();
        for ((game, player), gain) in gains {
            gain.put(connection, game, *player)?;
        }
        let mut event = connection.prepare_cached(
            "UPDATE event SET records = records + ?, games = games + ?, changed = ? WHERE number = ?",
        )?;
        for (number, Touched { records, games, change }) in events {
            event.execute(params![records, games, change, number])?;
        }
        for (sort, by) in totals.iter().filter(|(_, by)| *by != 0) {
            put_total(connection, sort, *by)?;
        }
        let mut insert = connection.prepare_cached("INSERT INTO search (rowid, text) VALUES (?, ?)")?;
        for (number, text) in texts {
            insert.execute(params![number, text])?;
        }
        if (1..FEW).contains(&texts.len()) {
            projections::join_words(connection, JOINED, false)?;
        }
        let mut term = connection.prepare_cached("INSERT OR IGNORE INTO term VALUES (?)")?;
        for word in texts.iter().flat_map(|(_, text)| terms(text)).collect::<HashSet<_>>() {
            term.execute([word])?;
        }
        Ok(())
    }

    /// Puts the receipts that wait into the log. It is to be done before the log is looked at.
    pub(super) fn file(&self, connection: &Connection) -> Result<(), StoreError> {
        let waiting = &mut *self.waiting.borrow_mut();
        PendingEntry::file(&waiting.receipts[waiting.filed..], connection)?;
        waiting.filed = waiting.receipts.len();
        Ok(())
    }

    /// The place of the last receipt that waits, or waited.
    pub(super) fn last_receipt(&self) -> Option<u64> {
        self.waiting.borrow().receipts.last().map(|last| last.index)
    }

    /// A receipt is to be put into the log.
    pub(super) fn receipt(&self, receipt: PendingEntry) {
        self.waiting.borrow_mut().receipts.push(receipt);
    }

    /// The number of the next change.
    pub(super) fn next(&self, connection: &Connection) -> Result<Number, StoreError> {
        if let Some(last) = self.last.get() {
            return Ok(last + 1);
        }
        let mut next = connection.prepare_cached("SELECT ifnull(max(number), 0) + 1 FROM change")?;
        Ok(next.query_row([], |row| row.get(0))?)
    }

    /// A change was made.
    pub(super) fn made(&self, change: Number) {
        self.last.set(Some(change));
    }

    /// A text of a record is to be searched.
    pub(super) fn search(&self, record: Number, text: String) {
        self.waiting.borrow_mut().texts.push((record, text));
    }

    /// A player has games more or less.
    pub(super) fn gain(&self, game: &'static str, player: i64, gain: Gain) {
        let gains = &mut self.waiting.borrow_mut().counts.gains;
        let all = gains.entry((game, player)).or_insert(Gain { points: gain.points.map(|_| 0), ..Gain::default() });
        all.games += gain.games;
        all.wins += gain.wins;
        all.draws += gain.draws;
        all.points = all.points.zip(gain.points).map(|(all, points)| all + points);
        all.bonus += gain.bonus;
    }

    /// An event has records and games that count more or less, by a change.
    pub(super) fn touch(&self, event: i64, records: i64, games: i64, change: Number) {
        let events = &mut self.waiting.borrow_mut().counts.events;
        let touched = events.entry(event).or_default();
        touched.records += records;
        touched.games += games;
        touched.change = change;
    }

    /// There are records of a kind more or less.
    pub(super) fn total(&self, game: &str, status: &str, state: State, by: i64) {
        let totals = &mut self.waiting.borrow_mut().counts.totals;
        let same = |(sort, _): &&mut (Sort, i64)| sort.0 == game && sort.1 == status && sort.2 == state;
        match totals.iter_mut().find(same) {
            Some((_, all)) => *all += by,
            None => totals.push(((game.to_owned(), status.to_owned(), state), by)),
        }
    }

    /// The player of a name and who it counts as, looked up once by `find`.
    pub(super) fn player(
        &self,
        name: &str,
        find: impl FnOnce() -> Result<[i64; 2], StoreError>,
    ) -> Result<[i64; 2], StoreError> {
        if let Some(player) = self.known.borrow().players.get(name) {
            return Ok(*player);
        }
        let player = find()?;
        self.known.borrow_mut().players.insert(name.to_owned(), player);
        Ok(player)
    }

    /// The event of a name, looked up once by `find`.
    pub(super) fn event(&self, name: &str, find: impl FnOnce() -> Result<i64, StoreError>) -> Result<i64, StoreError> {
        if let Some(event) = self.known.borrow().events.get(name) {
            return Ok(*event);
        }
        let event = find()?;
        self.known.borrow_mut().events.insert(name.to_owned(), event);
        Ok(event)
    }
}

impl Gain {
    /// Adds it to what is stored.
    fn put(self, connection: &Connection, game: &str, player: i64) -> Result<(), StoreError> {
        let Self { games, wins, draws, points, bonus } = self;
        let mut rating = connection.prepare_cached(
            "UPDATE rating SET games = games + ?, wins = wins + ?, draws = draws + ?, points = points + ?, bonus = bonus + ?
             WHERE game = ? AND player = ? RETURNING games, wins, draws, level, rank",
        )?;
        let sums = rating.query_row(params![games, wins, draws, points, bonus, game, player], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, Some(row.get(4)?)))
        });
        let sums: Option<Sums> = sums.optional()?;
        if sums.is_none() {
            if games == 0 {
                return Ok(());
            }
            let mut insert = connection.prepare_cached(
                "INSERT INTO rating (game, player, games, wins, draws, points, bonus, rank, folded, name)
                 SELECT ?1, number, ?3, ?4, ?5, ?6, ?7, 0, folded, name FROM player WHERE number = ?2",
            )?;
            insert.execute(params![game, player, games, wins, draws, points, bonus])?;
        }
        let (games, wins, draws, level_before, rank_before) = sums.unwrap_or((games, wins, draws, None, None));
        if games == 0 {
            let mut delete = connection.prepare_cached("DELETE FROM rating WHERE game = ? AND player = ?")?;
            delete.execute(params![game, player])?;
            return Ok(());
        }
        // Nobody has as many games as this would take: the row is not what was counted.
        let score = wins.checked_mul(2).and_then(|wins| wins.checked_add(draws));
        let score = score.ok_or_else(|| StoreError::Corrupt(format!("the rating of player {player} in {game}")))?;
        // Only games that count points make a level.
        let level = if points.is_some() { level(connection, game, player)? } else { None };
        // Where there are levels the highest is first and none is last; else the highest score is.
        let rank = match level {
            Some(level) => -i64::from(level.value()),
            None if points.is_some() => 1,
            None => -score,
        };
        // What stays is not written: the ranking has an index of its own.
        if (level.map(Level::value), Some(rank)) != (level_before, rank_before) {
            let mut update =
                connection.prepare_cached("UPDATE rating SET level = ?, rank = ? WHERE game = ? AND player = ?")?;
            update.execute(params![level.map(Level::value), rank, game, player])?;
        }
        Ok(())
    }
}

/// The level that the last two won games give (9.5).
fn level(connection: &Connection, game: &str, player: i64) -> Result<Option<Level>, StoreError> {
    let mut wins = connection.prepare_cached(
        "SELECT won FROM entry WHERE winner = ? AND game = ? AND won IS NOT NULL ORDER BY start DESC, place DESC LIMIT 2",
    )?;
    let wins: Vec<u32> = wins.query_map(params![player, game], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(match wins[..] {
        [last, previous] => Level::of(last, previous),
        _ => None,
    })
}

fn put_total(connection: &Connection, (game, status, state): &Sort, by: i64) -> Result<(), StoreError> {
    let state = state.as_str();
    let mut total = connection
        .prepare_cached("UPDATE total SET records = records + ? WHERE game = ? AND status = ? AND state = ?")?;
    if total.execute(params![by, game, status, state])? == 0 {
        let mut insert = connection.prepare_cached("INSERT INTO total VALUES (?, ?, ?, ?)")?;
        insert.execute(params![game, status, state, by])?;
    } else if by < 0 {
        let mut delete = connection
            .prepare_cached("DELETE FROM total WHERE game = ? AND status = ? AND state = ? AND records = 0")?;
        delete.execute(params![game, status, state])?;
    }
    Ok(())
}
