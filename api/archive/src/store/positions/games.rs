//! Games of verdicts, with their moves and outcomes.

use std::ops::ControlFlow;

use quipu_notation::{Side, record::Outcome};

use crate::{
    model::{Number, PlayedGame},
    store::{
        database::{Connection, Parameter, Row, Value, params},
        error::StoreError,
        rows,
    },
};

/// Numbers of verdicts in one query.
pub(super) const BATCH: usize = 32;

/// A game with an entry in the index.
pub(super) struct Candidate {
    /// Number of its verdict.
    pub(super) number: Number,
    pub(super) record: Number,
    /// The index of its outcome in sums; none if the verdict is not the current one of the record, or the record does not count.
    pub(super) outcome: Option<usize>,
    pub(super) game: PlayedGame,
}

/// The columns of a record that its canonical text is read from.
const TEXT: &str = "record.source, record.canonical";

/// The index of an outcome in sums: won by side 1, won by side 2, drawn. A game without one does not count.
pub(super) fn outcome_index(outcome: Outcome) -> Option<usize> {
    match outcome {
        Outcome::Win(Side::One) => Some(0),
        Outcome::Win(Side::Two) => Some(1),
        Outcome::Draw => Some(2),
        Outcome::Open => None,
    }
}

/// Calls `each` with the games of verdicts, the last first, until it breaks. One is in memory at a time. At most [`BATCH`] numbers.
pub(super) fn each_candidate(
    connection: &Connection,
    numbers: &[Number],
    mut each: impl FnMut(Candidate) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, StoreError> {
    let Some(last) = numbers.last() else { return Ok(ControlFlow::Continue(())) };
    let places = vec!["?"; BATCH].join(", ");
    let mut found = connection.prepare(&format!(
        "SELECT verdict.number, verdict.record, entry.result, {TEXT} FROM verdict
         CROSS JOIN record ON record.number = verdict.record
         LEFT JOIN card ON card.number = verdict.record AND card.verdict = verdict.number
         LEFT JOIN entry ON entry.record = card.number
         WHERE verdict.number IN ({places}) ORDER BY verdict.number DESC"
    ))?;
    // The query always has as many places, so that it is prepared once.
    let values: Vec<Value<'_>> =
        numbers.iter().chain(std::iter::repeat(last)).take(BATCH).map(Parameter::value).collect();
    let mut rows = found.query(&values[..])?;
    while let Some(row) = rows.next()? {
        let outcome = rows::maybe(&row, "result", Outcome::parse)?.and_then(outcome_index);
        let Some(game) = game_of(&row)? else { continue };
        if each(Candidate { number: row.get(0)?, record: row.get(1)?, outcome, game }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The game of a record; none if it cannot be replayed.
pub(super) fn game_of_record(connection: &Connection, record: Number) -> Result<Option<PlayedGame>, StoreError> {
    let mut text = connection.prepare(&format!("SELECT {TEXT} FROM record WHERE number = ?"))?;
    let mut rows = text.query([record])?;
    let row = rows.next()?;
    row.map_or(Ok(None), |row| game_of(&row))
}

/// Verdicts of verified games after a number up to another, in order, each with its record.
pub(super) fn verified(
    connection: &Connection,
    after: Number,
    end: Number,
) -> Result<Vec<(Number, Number)>, StoreError> {
    let mut verified = connection.prepare(
        "SELECT number, record FROM verdict WHERE number > ? AND number <= ? AND status = 'verified' ORDER BY number",
    )?;
    let verified = verified.query_map(params![after, end], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(verified.collect::<Result<_, _>>()?)
}

/// Canonical texts of the records of such verdicts, from one to another, each with the number of its verdict.
pub(super) fn texts(
    connection: &Connection,
    first: Number,
    last: Number,
) -> Result<Vec<(Number, Vec<u8>)>, StoreError> {
    let mut texts = connection.prepare(&format!(
        "SELECT verdict.number, {TEXT} FROM verdict CROSS JOIN record ON record.number = verdict.record
         WHERE verdict.number >= ? AND verdict.number <= ? AND verdict.status = 'verified'"
    ))?;
    let mut rows = texts.query(params![first, last])?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        texts.push((row.get(0)?, text_of(&row)?));
    }
    Ok(texts)
}

fn game_of(row: &Row<'_>) -> Result<Option<PlayedGame>, StoreError> {
    Ok(PlayedGame::read(&text_of(row)?))
}

/// The canonical text of a record.
fn text_of(row: &Row<'_>) -> Result<Vec<u8>, StoreError> {
    Ok(match row.value("canonical")?.as_str_or_null()? {
        Some(text) => text.as_bytes().to_vec(),
        None => row.get("source")?,
    })
}
