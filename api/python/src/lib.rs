//! The Python package `quipu`: verdicts, records and positions of the referee, repaired and merged sheets, standings, and
//! verdicts as Arrow batches.
//!
//! Python classes that only hold results are in `quipu/results.py`; their fields are those of the public JSON. No rule of a
//! game is here.

#![expect(clippy::doc_markdown, reason = "docstrings of Python have the form of NumPy")]
#![expect(clippy::needless_pass_by_value, reason = "arguments come from Python by value")]

mod arguments;
mod arrow;
mod batch;
mod chunks;
mod entries;
mod errors;
mod exclusive;
mod json;
mod messages;
mod pipeline;
mod points;
mod position;
mod record;
mod record_verdict;
mod repair;
mod source;
mod standings;
mod verdict;
mod verdicts;

/// The compiled part of the package.
#[pyo3::pymodule]
mod _quipu {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{
        arrow::{VerdictBatch, verify_batch},
        chunks::{Chunks, chunks},
        entries::{distinct_games, ratings_in, tables},
        errors::{IllegalMoveError, MergeError, PositionError, QuipuError, UnreadableError},
        position::GamePosition,
        record::GameRecord,
        record_verdict::RecordVerdict,
        repair::{merged, readings},
        standings::counted,
        verdict::{Advice, Contradiction, Diagnostic, SheetOrigin},
        verdicts::{Verdicts, verify},
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
