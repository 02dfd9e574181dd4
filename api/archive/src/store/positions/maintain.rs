//! The index, brought up to the last change in the transaction that makes it.

use std::{collections::HashMap, sync::Arc};

use super::{
    block::{self, BlockEntry, Fingerprint},
    games,
    levels::{self, FAN, Merge, SEGMENT},
    look_up::{damaged, fingerprint},
    totals::{self, CROWD, CountChange, Crowd, SAMPLE},
};
use crate::{
    model::{Number, PlayedGame, ReplayedGame},
    store::{
        database::{Connection, params},
        error::StoreError,
        rejudge::par_map,
        statements::Insert,
    },
};

/// Games of new verdicts that are replayed already, in the order of the verdicts' numbers.
pub(in crate::store) type NewGames = Vec<(Number, Arc<ReplayedGame>)>;

/// Games from which on all cores replay them.
const MANY: usize = 32;

/// A verified game with its positions.
struct VerifiedGame {
    /// Number of its verdict.
    number: Number,
    record: Number,
    replayed: Arc<ReplayedGame>,
}

impl VerifiedGame {
    /// The fingerprints of its positions, in order.
    fn fingerprints(&self) -> Vec<Fingerprint> {
        let mut fingerprints: Vec<_> = self.replayed.visits.iter().map(|(key, _)| fingerprint(key)).collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        fingerprints
    }
}

/// Adds the verdicts up to a change, the last one if it is not given, and games that began or ceased to count. Games that are not
/// in `replayed` are read and replayed here.
pub(in crate::store) fn update(
    connection: &Connection,
    until: Option<Number>,
    replayed: &NewGames,
    changes: &[CountChange],
) -> Result<(), StoreError> {
    let (last, newest): (Number, Number) = connection.query_row(
        "SELECT ifnull((SELECT max(last) FROM position_extent), 0), ifnull((SELECT max(number) FROM change), 0)",
        params![],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let end = until.unwrap_or(newest);
    if end <= last {
        return totals::change(connection, changes, &HashMap::new());
    }
    let games = verified_games(connection, last, end, replayed)?;
    // Positions that become common below are counted as all these changes leave them.
    let in_memory = games.iter().map(|game| (game.record, Arc::clone(&game.replayed))).collect();
    totals::change(connection, changes, &in_memory)?;
    let (mut rest, mut crowds) = (&games[..], Vec::new());
    for segment in (last + 1) / SEGMENT..(end + 1) / SEGMENT {
        let next = (segment + 1) * SEGMENT;
        let (own, later) = rest.split_at(rest.partition_point(|game| game.number < next));
        rest = later;
        let mut found = build(connection, segment, own)?;
        for merge in levels::merges(segment + 1) {
            found.extend(self::merge(connection, merge, next)?);
        }
        crowds.push((next, found));
    }
    // A game that is entered again, after damage to the extent, keeps its entry.
    let mut tail = connection.prepare("INSERT INTO position_tail VALUES (?, ?) ON CONFLICT DO NOTHING")?;
    for game in rest {
        let entries: Vec<u8> = game.fingerprints().into_iter().flat_map(u32::to_be_bytes).collect();
        tail.insert_buffered(Insert::AFTER_ALL, params![game.number, entries])?;
    }
    connection.prepare("DELETE FROM position_extent")?.execute_later(params![])?;
    connection.prepare("INSERT INTO position_extent VALUES (?)")?.execute_later([end])?;
    for (next, crowds) in crowds {
        totals::wait(connection, &crowds)?;
        totals::count_some(connection, next)?;
    }
    Ok(())
}

/// The games of verdicts after a number up to another: those that are replayed already, and the others from their records.
fn verified_games(
    connection: &Connection,
    after: Number,
    end: Number,
    replayed: &NewGames,
) -> Result<Vec<VerifiedGame>, StoreError> {
    let verified = games::verified(connection, after, end)?;
    let mut known: HashMap<_, _> = replayed.iter().map(|(number, game)| (*number, Arc::clone(game))).collect();
    let mut missing = verified.iter().map(|(number, _)| *number).filter(|number| !known.contains_key(number));
    if let Some(first) = missing.next() {
        let last = missing.next_back().unwrap_or(first);
        let mut texts = games::texts(connection, first, last)?;
        texts.retain(|(number, _)| !known.contains_key(number));
        known.extend(replay(&texts));
    }
    let game = |(number, record)| Some(VerifiedGame { number, record, replayed: known.remove(&number)? });
    Ok(verified.into_iter().filter_map(game).collect())
}

/// Replays games, many of them on all cores.
fn replay(texts: &[(Number, Vec<u8>)]) -> Vec<(Number, Arc<ReplayedGame>)> {
    let replay =
        |(number, text): &(Number, Vec<u8>)| Some((*number, Arc::new(ReplayedGame::new(PlayedGame::read(text)?))));
    let games = if texts.len() < MANY { texts.iter().map(replay).collect() } else { par_map(texts, replay) };
    games.into_iter().flatten().collect()
}

/// Makes the blocks of a segment of level 0, from the tail and from games that are not in it.
fn build(connection: &Connection, segment: Number, games: &[VerifiedGame]) -> Result<Vec<Crowd>, StoreError> {
    let (first, next) = (segment * SEGMENT, (segment + 1) * SEGMENT);
    let offset = |number: Number| u32::try_from(number - first).unwrap_or_default();
    let mut entries = Vec::new();
    let mut tail = connection.prepare("SELECT number, entries FROM position_tail WHERE number < ? ORDER BY number")?;
    let mut rows = tail.query([next])?;
    while let Some(row) = rows.next()? {
        let offset = offset(row.get("number")?);
        let (found, _) = row.value("entries")?.as_blob()?.as_chunks::<4>();
        entries.extend(found.iter().map(|bytes| BlockEntry { fingerprint: u32::from_be_bytes(*bytes), offset }));
    }
    drop(rows);
    connection.prepare("DELETE FROM position_tail WHERE number < ?")?.execute_later([next])?;
    for game in games {
        let offset = offset(game.number);
        entries.extend(game.fingerprints().into_iter().map(|fingerprint| BlockEntry { fingerprint, offset }));
    }
    write(connection, 0, segment, next, entries)
}

/// Merges blocks of a level into those of the next, after so many changes.
fn merge(
    connection: &Connection,
    Merge { level, segment, prefix }: Merge,
    changes: Number,
) -> Result<Vec<Crowd>, StoreError> {
    let (below, first, next) = (level - 1, segment * FAN, (segment + 1) * FAN);
    let own = params![below, prefix, first, next];
    let mut entries = Vec::new();
    let mut blocks = connection.prepare(
        "SELECT segment, entries FROM position_block WHERE level = ? AND prefix = ? AND segment >= ? AND segment < ?
         ORDER BY segment",
    )?;
    let mut rows = blocks.query(own)?;
    while let Some(row) = rows.next()? {
        let part: Number = row.get("segment")?;
        let offset = u32::try_from((part - first) * levels::span(below)).unwrap_or_default();
        let found = block::decode(row.value("entries")?.as_blob()?, levels::first_of(below, prefix))
            .ok_or_else(|| damaged(below, prefix, part))?;
        entries.extend(found.into_iter().map(|entry| BlockEntry { offset: entry.offset + offset, ..entry }));
    }
    drop(rows);
    let mut delete = connection
        .prepare("DELETE FROM position_block WHERE level = ? AND prefix = ? AND segment >= ? AND segment < ?")?;
    delete.execute_later(own)?;
    write(connection, level, segment, changes, entries)
}

/// Writes the blocks of a segment. Returns the fingerprints of which the archive has [`CROWD`] games after this number of changes if all
/// segments have as many.
fn write(
    connection: &Connection,
    level: u32,
    segment: Number,
    changes: Number,
    mut entries: Vec<BlockEntry>,
) -> Result<Vec<Crowd>, StoreError> {
    entries.sort_unstable();
    // As in the tail.
    entries.dedup();
    let prefix_of = |entry: &BlockEntry| levels::prefix_of(level, entry.fingerprint);
    let mut insert = connection.prepare("INSERT INTO position_block VALUES (?, ?, ?, ?)")?;
    for part in entries.chunk_by(|one, other| prefix_of(one) == prefix_of(other)) {
        let Some(prefix) = part.first().map(prefix_of) else { continue };
        let bytes = block::encode(part, levels::first_of(level, prefix));
        insert.insert_buffered(Insert::AFTER_ALL, params![level, prefix, segment, bytes])?;
    }
    let segments = usize::try_from(changes / levels::span(level)).unwrap_or_default();
    let crowds = entries.chunk_by(|one, other| one.fingerprint == other.fingerprint);
    let crowds = crowds.map(|games| Crowd { fingerprint: games[0].fingerprint, games: games.len() });
    let is_crowd = |games: usize| games >= SAMPLE && games.saturating_mul(segments) >= CROWD;
    Ok(crowds.filter(|crowd| is_crowd(crowd.games)).collect())
}
