//! Stored totals of common positions: games that count, by their next move and outcome.
//!
//! A position becomes common when about a thousand games have it, and stays so. From then on each game that begins or ceases to
//! count changes its totals. Keys are 128 bits of a SHA-256, so no two positions share totals. Those that may become common wait in
//! a table, and some are counted when a segment ends.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter,
    ops::ControlFlow,
    sync::Arc,
};

use quipu_notation::record::Outcome;
use quipu_referee::symmetry::PositionKey;

use super::{
    block::Fingerprint,
    games::{BATCH, Candidate, each_candidate, game_of_record, outcome_index},
    levels::SEGMENT,
    look_up::{each_part, fingerprint},
};
use crate::{
    model::{Number, ReplayedGame},
    store::{
        database::{Connection, Parameter, params},
        error::StoreError,
        statements::Insert,
    },
};

/// Smallest number of games of a block that an estimate uses.
pub(super) const SAMPLE: usize = 16;
/// Smallest number of games of a fingerprint whose positions are counted. A query may replay twice as many.
pub(super) const CROWD: usize = 1_024;
/// Smallest number of games of a position with stored totals: several positions may have one fingerprint.
const COMMON: usize = 16;
/// Fingerprints that are looked up with a segment, at most.
const LOOKED_UP: usize = 64;
/// Rejected fingerprints after which a segment looks up no more.
const REJECTED: usize = 4;
/// Games that are counted with a segment besides those of the first fingerprint, at most.
const MORE: usize = 512;
/// Keys in one query.
const KEYS: usize = 64;
/// Games by outcome: won by side 1, won by side 2, drawn.
pub(super) type Outcomes = [i64; 3];

/// A fingerprint that many games of a block have.
pub(super) struct Crowd {
    pub(super) fingerprint: Fingerprint,
    pub(super) games: usize,
}

/// A game that began or ceased to count.
pub(in crate::store) struct CountChange {
    pub(in crate::store) record: Number,
    pub(in crate::store) outcome: Outcome,
    /// 1 or -1.
    pub(in crate::store) by: i64,
}

/// The totals of a position, by the next move as all images have it; an empty move where games ended. None if the position is not
/// common.
pub(super) fn stored(
    connection: &Connection,
    key: &PositionKey,
) -> Result<Option<Vec<(String, Outcomes)>>, StoreError> {
    let mut totals =
        connection.prepare("SELECT move, one, two, drawn FROM position_total WHERE hash = ? ORDER BY move")?;
    let totals = totals.query_map(params![key], |row| Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?])))?;
    let totals: Vec<_> = totals.collect::<Result<_, _>>()?;
    Ok(Some(totals).filter(|totals| !totals.is_empty()))
}

/// Adds changes to the totals of common positions. `read` has games of records that are in memory.
pub(super) fn change(
    connection: &Connection,
    changes: &[CountChange],
    read: &HashMap<Number, Arc<ReplayedGame>>,
) -> Result<(), StoreError> {
    let mut net: BTreeMap<Number, Outcomes> = BTreeMap::new();
    for CountChange { record, outcome, by } in changes {
        if let Some(index) = outcome_index(*outcome) {
            net.entry(*record).or_default()[index] += by;
        }
    }
    net.retain(|_, outcomes| *outcomes != Outcomes::default());
    // Games that are not in memory, with their positions.
    let mut others = BTreeMap::new();
    for record in net.keys().filter(|record| !read.contains_key(record)) {
        if let Some(game) = game_of_record(connection, *record)? {
            others.insert(*record, ReplayedGame::new(game));
        }
    }
    let game = |record: &Number| read.get(record).map(|game| &**game).or_else(|| others.get(record));
    let keys = net.keys().filter_map(game).flat_map(|game| game.visits.iter().map(|(key, _)| *key)).collect();
    let common = common(connection, &keys)?;
    if common.is_empty() {
        return Ok(());
    }
    let mut deltas: BTreeMap<(PositionKey, String), Outcomes> = BTreeMap::new();
    for (record, outcomes) in &net {
        let Some(ReplayedGame { game, visits }) = game(record) else { continue };
        let (keys, plies): (Vec<_>, Vec<_>) = visits.iter().filter(|(key, _)| common.contains(key)).copied().unzip();
        for at in keys.into_iter().zip(game.next_moves(&plies)) {
            add(deltas.entry(at).or_default(), outcomes);
        }
    }
    write(connection, &deltas)
}

/// Has the positions of crowds wait for being counted, if none of them is common.
pub(super) fn wait(connection: &Connection, crowds: &[Crowd]) -> Result<(), StoreError> {
    let mut insert = connection.prepare(
        "INSERT INTO position_crowd SELECT CAST(? AS INTEGER), CAST(? AS INTEGER)
         WHERE NOT EXISTS (SELECT 1 FROM position_total WHERE hash >= ? AND hash <= ? AND move = '')
         ON CONFLICT (fingerprint) DO UPDATE SET games = excluded.games",
    )?;
    for Crowd { fingerprint, games } in crowds {
        let [mut first, mut last] = [[0; 16], [u8::MAX; 16]];
        first[..4].copy_from_slice(&fingerprint.to_be_bytes());
        last[..4].copy_from_slice(&fingerprint.to_be_bytes());
        insert.execute_later(params![fingerprint, games, first, last])?;
    }
    Ok(())
}

/// Counts the positions of fingerprints that wait, those of the most games first, and stores the totals of common ones. A number,
/// and the games of verdicts before it, decide how many are counted, and which are common, so that an index that is rebuilt has
/// the same.
pub(super) fn count_some(connection: &Connection, before: Number) -> Result<(), StoreError> {
    let mut first =
        connection.prepare("SELECT fingerprint FROM position_crowd ORDER BY games DESC, fingerprint DESC LIMIT ?")?;
    let waiting = first.query_map([LOOKED_UP], |row| row.get(0))?;
    let waiting: Vec<Fingerprint> = waiting.collect::<Result<_, _>>()?;
    let mut delete = connection.prepare("DELETE FROM position_crowd WHERE fingerprint = ?")?;
    // Many of them are of the same games, such as those of one line, or the first positions of all. Each game is read and replayed
    // once.
    let (mut sought, mut numbers) = (HashSet::new(), BTreeSet::new());
    let (mut more, mut rejected) = (0, 0);
    let most = most_games(before);
    for fingerprint in waiting {
        let (mut own, mut games, mut added) = (Vec::new(), 0, 0);
        let is_first = sought.is_empty();
        let is_rejected = |games, added| games >= CROWD && if is_first { games > most } else { more + added > MORE };
        each_part(connection, fingerprint, None, |part| {
            let early = part.iter().filter(|number| **number < before);
            games += early.clone().count();
            added += early.filter(|number| !numbers.contains(*number)).count();
            own.extend(part);
            Ok(if is_rejected(games, added) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if is_rejected(games, added) {
            rejected += 1;
            if is_first || rejected == REJECTED {
                break;
            }
            continue;
        }
        delete.execute_later([fingerprint])?;
        // Otherwise the estimate was too high. A later block with as many games has the fingerprint wait again.
        if games >= CROWD {
            more += if sought.is_empty() { 0 } else { added };
            sought.insert(fingerprint);
            numbers.extend(own);
        }
    }
    count_all(connection, &sought, &numbers.into_iter().collect::<Vec<_>>(), before)
}

/// Games of the first crowd that the segment before a number counts, at most: a thousand, two thousand in every second segment,
/// four thousand in every fourth, and so on. So a segment reads at most half a thousand games more, on average, each time the
/// archive has doubled. A crowd is counted in the end, since a segment adds at most half a thousand games to it.
fn most_games(before: Number) -> usize {
    let segment = before / SEGMENT;
    let power_of_two = segment & -segment;
    usize::try_from(power_of_two).unwrap_or(usize::MAX).saturating_mul(CROWD)
}

/// Stores the totals of the common positions with some fingerprints, from the games of these verdicts.
fn count_all(
    connection: &Connection,
    sought: &HashSet<Fingerprint>,
    numbers: &[Number],
    before: Number,
) -> Result<(), StoreError> {
    // Different positions may have one fingerprint.
    let mut games: BTreeMap<PositionKey, usize> = BTreeMap::new();
    let mut totals: BTreeMap<(PositionKey, String), Outcomes> = BTreeMap::new();
    for numbers in numbers.chunks(BATCH) {
        // It never breaks.
        let _ = each_candidate(connection, numbers, |Candidate { number, outcome, game, .. }| {
            let visits = game.visits().into_iter().filter(|(key, _)| sought.contains(&fingerprint(key)));
            let (keys, plies): (Vec<_>, Vec<_>) = visits.unzip();
            for at in keys.into_iter().zip(game.next_moves(&plies)) {
                *games.entry(at.0).or_default() += usize::from(number < before);
                if let Some(outcome) = outcome {
                    totals.entry(at).or_default()[outcome] += 1;
                }
            }
            ControlFlow::Continue(())
        })?;
    }
    games.retain(|_, games| *games >= COMMON);
    totals.retain(|(key, _), _| games.contains_key(key));
    for key in games.into_keys() {
        totals.entry((key, String::new())).or_default();
    }
    write(connection, &totals)
}

/// Those of the keys whose positions are common.
fn common(connection: &Connection, keys: &BTreeSet<PositionKey>) -> Result<HashSet<PositionKey>, StoreError> {
    let placeholders = vec!["?"; KEYS].join(", ");
    let mut found =
        connection.prepare(&format!("SELECT hash FROM position_total WHERE move = '' AND hash IN ({placeholders})"))?;
    let keys: Vec<_> = keys.iter().collect();
    // The query always has `KEYS` placeholders, so that it is prepared once.
    let lists = keys.chunks(KEYS).map(|keys| {
        let last = iter::repeat(keys.last()).flatten();
        keys.iter().chain(last).take(KEYS).map(Parameter::value).collect()
    });
    let lists: Vec<_> = lists.collect();
    Ok(found.query_pipelined(&lists, |row| row.get(0))?.into_iter().flatten().collect())
}

fn add(outcomes: &mut Outcomes, more: &Outcomes) {
    for (outcome, more) in outcomes.iter_mut().zip(more) {
        *outcome += more;
    }
}

/// Adds to stored totals. Moves that no game plays any more are dropped.
fn write(connection: &Connection, deltas: &BTreeMap<(PositionKey, String), Outcomes>) -> Result<(), StoreError> {
    let mut upsert = connection.prepare(
        "INSERT INTO position_total VALUES (?, ?, ?, ?, ?) ON CONFLICT (hash, move) DO UPDATE
         SET one = position_total.one + excluded.one, two = position_total.two + excluded.two,
           drawn = position_total.drawn + excluded.drawn",
    )?;
    let mut delete = connection.prepare(
        "DELETE FROM position_total WHERE hash = ? AND move = ? AND move <> '' AND one = 0 AND two = 0 AND drawn = 0",
    )?;
    for ((key, next), outcomes) in deltas {
        let [one, two, drawn] = outcomes;
        upsert.insert_buffered(Insert::AFTER_ALL, params![key, next, one, two, drawn])?;
        if outcomes.iter().any(|by| *by < 0) {
            delete.execute_later(params![key, next])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Crowds that a share of all games has, of one game in sixteen to all.
    #[test]
    fn a_crowd_that_grows_with_the_archive_is_counted_in_the_end() {
        for (start, sixteenths) in (1..3_000).flat_map(|start| (1..=16).map(move |sixteenths| (start, sixteenths))) {
            let games = |segment: Number| usize::try_from(segment * SEGMENT * sixteenths / 16).expect("a number");
            let is_counted = |segment: &Number| games(*segment) <= most_games(segment * SEGMENT);
            assert!((start..=4 * start).any(|segment| is_counted(&segment)), "{sixteenths}/16 from segment {start}");
        }
    }

    #[test]
    fn a_segment_reads_a_thousand_games_of_a_first_crowd_on_average() {
        for games in [CROWD, CROWD + 1, 2 * CROWD, 34_000, 1_000_000] {
            let segments = 1 << 14;
            let counted = (1..=segments).filter(|segment| games <= most_games(segment * SEGMENT)).count();
            let read = counted * games / (1 << 14);
            assert!(counted > 0 && read <= CROWD, "{games}: {read}");
        }
    }
}
