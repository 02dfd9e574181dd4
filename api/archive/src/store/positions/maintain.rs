//! The index, brought up to the last change in the transaction that makes it.

use std::collections::HashMap;

use super::{
    block::{self, BlockEntry, Fingerprint},
    games::verified_games,
    levels::{self, FAN, Merge, SEGMENT},
    look_up::{damaged, fingerprint},
    stored_game::{ReplayedGame, StoredGame},
    totals::{self, COMMON, CountChange, Crowd},
};
use crate::{
    model::Number,
    store::{
        database::{Connection, params},
        error::StoreError,
        rejudge::par_map,
    },
};

/// Games from which on all cores replay them.
const MANY: usize = 32;

/// A verified game with its positions.
struct NewGame {
    /// Number of its verdict.
    number: Number,
    record: Number,
    replayed: ReplayedGame,
}

impl NewGame {
    /// The fingerprints of its positions, in order.
    fn fingerprints(&self) -> Vec<Fingerprint> {
        let mut fingerprints: Vec<_> = self.replayed.visits.iter().map(|(key, _)| fingerprint(key)).collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        fingerprints
    }
}

/// Adds the verdicts up to a change, the last one if it is not given, and games that began or ceased to count.
pub(in crate::store) fn update(
    connection: &Connection,
    until: Option<Number>,
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
    let games = replayed(&verified_games(connection, last, end)?);
    // Positions that become common below are counted as all these changes leave them.
    let in_memory = games.iter().map(|game| (game.record, &game.replayed)).collect();
    totals::change(connection, changes, &in_memory)?;
    let (mut rest, mut crowds) = (&games[..], Vec::new());
    for segment in (last + 1) / SEGMENT..(end + 1) / SEGMENT {
        let next = (segment + 1) * SEGMENT;
        let (own, later) = rest.split_at(rest.partition_point(|game| game.number < next));
        rest = later;
        let mut found = build(connection, segment, own)?;
        for merge in levels::merges(segment + 1) {
            found.extend(self::merge(connection, merge)?);
        }
        crowds.push((next, found));
    }
    let mut tail = connection.prepare("INSERT INTO position_tail VALUES (?, ?)")?;
    for game in rest {
        let entries: Vec<u8> = game.fingerprints().into_iter().flat_map(u32::to_be_bytes).collect();
        tail.execute_later(params![game.number, entries])?;
    }
    connection.prepare("DELETE FROM position_extent")?.execute_later(params![])?;
    connection.prepare("INSERT INTO position_extent VALUES (?)")?.execute_later([end])?;
    for (next, crowds) in crowds {
        totals::wait(connection, &crowds)?;
        totals::count_some(connection, next)?;
    }
    Ok(())
}

/// Replays games, many of them on all cores.
fn replayed(texts: &[(Number, Number, Vec<u8>)]) -> Vec<NewGame> {
    let replay = |(number, record, text): &(Number, Number, Vec<u8>)| {
        let replayed = ReplayedGame::new(StoredGame::read(text)?);
        Some(NewGame { number: *number, record: *record, replayed })
    };
    let games = if texts.len() < MANY { texts.iter().map(replay).collect() } else { par_map(texts, replay) };
    games.into_iter().flatten().collect()
}

/// Makes the blocks of a segment of level 0, from the tail and from games that are not in it.
fn build(connection: &Connection, segment: Number, games: &[NewGame]) -> Result<Vec<Crowd>, StoreError> {
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
    write(connection, 0, segment, entries)
}

/// Merges blocks of a level into those of the next.
fn merge(connection: &Connection, Merge { level, segment, prefix }: Merge) -> Result<Vec<Crowd>, StoreError> {
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
    write(connection, level, segment, entries)
}

/// Writes the blocks of a segment; the fingerprints that many of its games have.
fn write(
    connection: &Connection,
    level: u32,
    segment: Number,
    mut entries: Vec<BlockEntry>,
) -> Result<Vec<Crowd>, StoreError> {
    entries.sort_unstable();
    let prefix_of = |entry: &BlockEntry| levels::prefix_of(level, entry.fingerprint);
    let mut insert = connection.prepare("INSERT INTO position_block VALUES (?, ?, ?, ?)")?;
    for part in entries.chunk_by(|one, other| prefix_of(one) == prefix_of(other)) {
        let Some(prefix) = part.first().map(prefix_of) else { continue };
        let bytes = block::encode(part, levels::first_of(level, prefix));
        insert.execute_later(params![level, prefix, segment, bytes])?;
    }
    let games = entries.chunk_by(|one, other| one.fingerprint == other.fingerprint);
    let crowds = games.filter(|games| games.len() >= COMMON);
    Ok(crowds.map(|games| Crowd { fingerprint: games[0].fingerprint, games: games.len() }).collect())
}
