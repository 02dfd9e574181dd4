//! The fields of verdicts in Python, and what they contain.

use pyo3::{prelude::*, types::PyDict};
use quipu_notation::record::Outcome;
use quipu_referee::report::{
    self, AdviceReport, DiagnosticReport,
    sheets::{ContradictsReport, OriginReport},
};

use crate::{
    json,
    points::{points_by_side, points_dict},
    record::GameRecord,
    record_verdict::RecordVerdict,
};

/// A finding about a record.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "quipu")]
#[derive(Clone, PartialEq)]
pub(crate) struct Diagnostic {
    /// The code, such as `andes.3.6`.
    code: String,
    /// `error` or `warning`.
    severity: String,
    /// The ply, from 1.
    ply: Option<u64>,
    /// The line in the source, from 1.
    line: Option<u64>,
    /// The column, from 1, in characters.
    column: Option<u64>,
    /// The token it is about.
    token: Option<String>,
    /// The message in the language of the verdict.
    message: String,
    /// Legal moves that may have been meant, the likeliest first.
    suggestions: Vec<String>,
}

impl From<DiagnosticReport<'_>> for Diagnostic {
    fn from(report: DiagnosticReport<'_>) -> Self {
        Self {
            code: report.code.to_owned(),
            severity: report.severity.to_owned(),
            ply: report.ply,
            line: report.line,
            column: report.column,
            token: report.token.map(str::to_owned),
            message: report.message,
            suggestions: report.suggestions.to_vec(),
        }
    }
}

#[pymethods]
impl Diagnostic {
    fn __repr__(&self) -> String {
        format!("<quipu.Diagnostic {}: {}>", self.code, self.message)
    }
}

/// A likely slip that breaks no rule.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "quipu")]
#[derive(Clone, PartialEq)]
pub(crate) struct Advice {
    /// The code, such as `advice.player`.
    code: String,
    /// The ply, from 1.
    ply: Option<u64>,
    /// The line in the source, from 1.
    line: Option<u64>,
    /// The column, from 1, in characters.
    column: Option<u64>,
    /// The message in the language of the verdict.
    message: String,
}

impl From<AdviceReport<'_>> for Advice {
    fn from(report: AdviceReport<'_>) -> Self {
        let AdviceReport { code, ply, line, column, message } = report;
        Self { code: code.to_owned(), ply, line, column, message }
    }
}

#[pymethods]
impl Advice {
    fn __repr__(&self) -> String {
        format!("<quipu.Advice {}: {}>", self.code, self.message)
    }
}

/// An earlier record of the same source.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "quipu")]
#[derive(Clone, PartialEq)]
pub(crate) struct SheetOrigin {
    /// The path of the source, if it has one.
    file: Option<String>,
    /// Its number in the source, from 1.
    index: u64,
}

/// The difference from an earlier record that should be of the same game.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "quipu")]
#[derive(Clone, PartialEq)]
pub(crate) struct Contradiction {
    /// The path of the source, if it has one.
    file: Option<String>,
    /// The number of the earlier record in the source, from 1.
    index: u64,
    /// The first ply that differs, from 1; `None` if only the results differ.
    ply: Option<u64>,
    /// Both moves there, the earlier record first.
    moves: Option<[Option<String>; 2]>,
    /// Both results, if only these differ.
    results: Option<[&'static str; 2]>,
}

#[pymethods]
impl RecordVerdict {
    /// The number of the record in its source, from 1.
    #[getter]
    fn index(&self) -> u64 {
        self.index
    }

    /// The path of the source, if it has one.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The sheet of a workbook, or the file in a zip, that the record is in.
    #[getter]
    fn part(&self) -> Option<&str> {
        self.written.as_ref()?.part()
    }

    /// The game, if it is known.
    #[getter]
    fn game(&self) -> Option<&'static str> {
        self.verdict.game
    }

    /// The rule set, if it is known.
    #[getter]
    fn rules(&self) -> Option<&'static str> {
        self.verdict.rules
    }

    /// ``"verified"``, ``"incomplete"``, ``"rejected"`` or ``"unreadable"``.
    #[getter]
    fn status(&self) -> &'static str {
        self.verdict.status.as_str()
    }

    /// Legal plies that were replayed.
    #[getter]
    fn plies(&self) -> Option<u64> {
        self.verdict.plies
    }

    /// The position after them, as a position string.
    #[getter]
    fn position(&self) -> Option<&str> {
        self.verdict.position.as_deref()
    }

    /// The termination.
    #[getter]
    fn termination(&self) -> Option<&'static str> {
        self.verdict.end?.termination.map(|termination| termination.name)
    }

    /// The result that the referee found: ``"1-0"``, ``"0-1"``, ``"1/2-1/2"`` or ``"*"``.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        self.verdict.end.map(|end| end.outcome).map(Outcome::as_str)
    }

    /// The name of the side that won.
    #[getter]
    fn winner(&self) -> Option<String> {
        self.report().winner.map(str::to_owned)
    }

    /// Points by the name of the side.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        points_dict(py, points_by_side(self.verdict.game, self.verdict.points))
    }

    /// The findings.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.report().diagnostics.into_iter().map(Diagnostic::from).collect()
    }

    /// Likely slips that break no rule and change nothing of the verdict.
    #[getter]
    fn advice(&self) -> Vec<Advice> {
        self.report().advice.into_iter().map(Advice::from).collect()
    }

    /// SHA-256 of the canonical text, in hexadecimal.
    #[getter]
    fn id(&self) -> Option<String> {
        self.verdict.id.as_ref().map(|id| report::hex(id))
    }

    /// The first sheet of the same game among the records before this one.
    #[getter]
    fn sheet_of(&self) -> Option<SheetOrigin> {
        let OriginReport { file, index } = self.report().sheet_of?;
        Some(SheetOrigin { file: file.map(str::to_owned), index })
    }

    /// An earlier record that this one contradicts.
    #[getter]
    fn contradicts(&self) -> Option<Contradiction> {
        let ContradictsReport { origin: OriginReport { file, index }, difference } = self.report().contradicts?;
        let moves = difference.moves.map(|moves| moves.map(|token| token.map(str::to_owned)));
        let (ply, results) = (difference.ply, difference.results);
        Some(Contradiction { file: file.map(str::to_owned), index, ply, moves, results })
    }

    /// The record, or ``None`` if it is unreadable or in no source.
    ///
    /// The record is read again from its text, which every verdict keeps together with the text of its neighbours, some
    /// 128 KiB in all.
    #[getter]
    fn record(&self) -> Option<GameRecord> {
        GameRecord::read(self.written.clone()?, self.index, self.file.clone(), self.lang)
    }

    /// The verdict as the line of JSON that ``quipu verify --json`` prints.
    ///
    /// Returns
    /// -------
    /// str
    ///     JSON without a line break.
    fn to_json(&self) -> String {
        json::line(&self.report())
    }

    /// The verdict as a dictionary with the fields of its JSON.
    ///
    /// Returns
    /// -------
    /// dict
    ///     The result of ``json.loads(self.to_json())``.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        json::dict(py, &self.report())
    }

    fn __repr__(&self) -> String {
        let game = self.verdict.game.map(|game| format!(" {game}")).unwrap_or_default();
        format!("<quipu.Verdict {}:{game} {}>", self.index, self.verdict.status.as_str())
    }
}
