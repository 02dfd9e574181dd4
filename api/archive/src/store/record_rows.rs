//! Rows of records and verdicts as types, and the current verdict of a record.

use quipu_notation::record::{Chunk, Format, Outcome};
use quipu_referee::competition::{Aliases, Moves, Sheet};

use super::{
    database::{self, Connection, Row},
    error::StoreError,
    read_tx::ReadTx,
    rows,
};
use crate::model::{Facts, Judgement, Number, Source, StoredDiagnostic, read_points};

/// SQL for the number of a record's current verdict: the last one.
pub(super) const CURRENT_VERDICT: &str = "ifnull((SELECT max(number) FROM verdict AS again WHERE again.record = record.number AND again.record <> again.number), record.number)";

pub(super) fn source_row(row: &Row<'_>) -> database::Result<Source> {
    Ok(Source {
        number: row.get("number")?,
        format: rows::format(row, "form")?,
        bytes: row.get("source")?,
        canonical: row.get("canonical")?,
    })
}

pub(super) fn judgement_row(row: &Row<'_>) -> database::Result<Judgement> {
    let parse = |text: &str| serde_json::from_str(text).ok();
    let named: bool = row.get("named")?;
    let id = rows::id(row, "id")?;
    Ok(Judgement {
        number: row.get("number")?,
        edition: row.get("edition")?,
        program: row.get("program")?,
        game: row.get("game")?,
        rules: row.get("rules")?,
        status: rows::status(row, "status")?,
        plies: row.get("plies")?,
        position: row.get("position")?,
        termination: row.get("termination")?,
        result: rows::maybe(row, "result", Outcome::parse)?,
        points: rows::maybe(row, "points", read_points)?,
        diagnostics: rows::maybe(row, "diagnostics", parse)?.unwrap_or_default(),
        id: named.then_some(id),
    })
}

/// Reads the verdict of a change.
pub(super) fn judgement(connection: &Connection, number: Number) -> database::Result<Judgement> {
    let mut verdict = connection.prepare(
        "SELECT verdict.*, record.id FROM verdict JOIN record ON record.number = verdict.record WHERE verdict.number = ?",
    )?;
    verdict.query_row([number], judgement_row)
}

/// The facts of a stored record, from its source and a verdict on it.
pub(super) fn stored_facts(
    connection: &Connection,
    record: Number,
    judgement: &Judgement,
) -> Result<Facts, StoreError> {
    let mut source = connection.prepare("SELECT number, form, source, canonical FROM record WHERE number = ?")?;
    Ok(facts_of(&source.query_row([record], source_row)?, judgement))
}

/// The facts of a record with this source, from a verdict on it.
pub(super) fn facts_of(source: &Source, judgement: &Judgement) -> Facts {
    let read = Chunk::in_format(&source.bytes, source.format).records_without_notes().next();
    let Some(Ok(record)) = read else { return Facts::default() };
    Facts::new(&record, &judgement.verdict(), || moves(source))
}

/// A stored record as a sheet, with its moves.
pub(super) fn stored_sheet(connection: &Connection, record: Number) -> Result<Option<Sheet>, StoreError> {
    let mut row = connection.prepare(&format!(
        "SELECT number, form, source, canonical, {CURRENT_VERDICT} AS verdict FROM record WHERE number = ?"
    ))?;
    let (source, verdict): (_, Number) = row.query_row([record], |row| Ok((source_row(row)?, row.get("verdict")?)))?;
    let judgement = judgement(connection, verdict)?;
    let read = Chunk::in_format(&source.bytes, source.format).records_without_notes().next();
    let Some(Ok(record)) = read else { return Ok(None) };
    Ok(Sheet::new(&record, &judgement.verdict(), || moves(&source), &Aliases::default()))
}

/// The moves of the canonical text of a record.
fn moves(source: &Source) -> Moves {
    let text = source.canonical.as_ref().map_or(&*source.bytes, String::as_bytes);
    let read = Chunk::in_format(text, Format::Quipu).records_without_notes().next();
    let record = read.and_then(Result::ok).unwrap_or_default();
    record.movetext.plies.iter().map(|ply| &*ply.token).collect()
}

/// Diagnostics as the column `diagnostics` has them; null if there are none.
pub(super) fn diagnostics_json(diagnostics: &[StoredDiagnostic]) -> Result<Option<String>, StoreError> {
    let json = (!diagnostics.is_empty()).then(|| serde_json::to_string(diagnostics));
    json.transpose().map_err(|error| StoreError::Other(error.to_string()))
}

impl ReadTx<'_> {
    /// Number of the current verdict of a record.
    pub fn current_verdict(&self, record: Number) -> Result<Number, StoreError> {
        let sql = format!("SELECT {CURRENT_VERDICT} FROM record WHERE number = ?");
        Ok(self.connection.prepare(&sql)?.query_row([record], |row| row.get(0))?)
    }
}
