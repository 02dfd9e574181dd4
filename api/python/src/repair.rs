//! Readings of rejected records, and the game of several sheets. `quipu/results.py` makes classes of their JSON.

use pyo3::prelude::*;
use quipu_referee::{
    repaired::{self, MergeFault, Stamp},
    report::repair::{fault_in_words, merge, repair},
};

use crate::{
    arguments::Language,
    errors::{ErrorFacts, MergeError},
    json,
    messages::fill,
    record::GameRecord,
    record_verdict::RecordVerdict,
};

/// The program in the comments of records that it made.
const PROGRAM: &str = concat!("quipu ", env!("CARGO_PKG_VERSION"));

/// The readings of a record: their JSON, and the record and the verdict of each.
#[pyfunction]
pub(crate) fn readings(
    py: Python<'_>,
    record: &GameRecord,
    by: Option<String>,
) -> (String, Vec<(GameRecord, RecordVerdict)>) {
    let lang = record.lang();
    py.detach(|| {
        let repair_of = repaired::of(&record.read_again());
        let stamp = Stamp { by: PROGRAM, person: by.as_deref() };
        let readings = repair_of.readings.readings.iter().zip(&repair_of.verdicts);
        let made = readings.map(|(reading, verdict)| {
            let record = GameRecord::made(&repaired::marked(&repair_of.record, reading, stamp), lang);
            (record, RecordVerdict::alone(verdict.clone(), lang))
        });
        (json::line(&repair(&repair_of, record.index(), lang)), made.collect())
    })
}

/// The game of several sheets: its JSON, its record and its verdict.
#[pyfunction]
pub(crate) fn merged(
    py: Python<'_>,
    sheets: Vec<PyRef<'_, GameRecord>>,
    chosen: Vec<(u64, String)>,
    by: Option<String>,
    lang: Language,
) -> PyResult<(String, GameRecord, RecordVerdict)> {
    let (Language(lang), sheets) = (lang, sheets.iter().map(|sheet| sheet.record.clone()).collect::<Vec<_>>());
    let found = py.detach(|| {
        let found = repaired::merge_with(&sheets, &chosen)?;
        let record = repaired::merged_and_marked(&found, Stamp { by: PROGRAM, person: by.as_deref() });
        let record = GameRecord::made(&record, lang);
        Ok((json::line(&merge(&found, lang)), record, RecordVerdict::alone(found.verdict, lang)))
    });
    found.map_err(|fault| {
        let message = if fault == MergeFault::NoGame && !chosen.is_empty() {
            let plies: Vec<_> = chosen.iter().map(|(ply, token)| format!("{ply}: {token}")).collect();
            fill("no-game-with", lang, &[("chosen", &plies.join(", "))])
        } else {
            fault_in_words(&fault, lang, |sheet| (sheet + 1).to_string())
        };
        ErrorFacts { code: fault.code(), message, ..ErrorFacts::default() }.raised::<MergeError>(py)
    })
}
