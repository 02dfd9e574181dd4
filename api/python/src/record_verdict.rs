//! `quipu.Verdict`: a verdict with its source. Its fields in Python are in `verdict.rs`.

use std::sync::Arc;

use pyo3::prelude::*;
use quipu_referee::{
    Lang, Verdict,
    competition::Contradiction,
    report::{
        self, VerdictReport,
        sheets::{ContradictsReport, OriginReport, difference},
    },
};

use crate::batch::WrittenRecord;

/// Relations of a record to earlier ones of the same source.
pub(crate) struct SheetRelations {
    pub(crate) sheet_of: Option<u64>,
    pub(crate) contradicts: Option<Contradiction>,
}

/// The verdict on a record.
///
/// Fields that do not apply are ``None``. `docs/python.md` explains all of them.
#[pyclass(frozen, name = "Verdict", module = "quipu")]
pub(crate) struct RecordVerdict {
    pub(crate) verdict: Verdict,
    pub(crate) index: u64,
    pub(crate) file: Option<Arc<str>>,
    pub(crate) written: Option<WrittenRecord>,
    pub(crate) related: Option<Box<SheetRelations>>,
    pub(crate) lang: Lang,
}

impl RecordVerdict {
    /// The verdict on a record that is in no source.
    pub(crate) fn alone(verdict: Verdict, lang: Lang) -> Self {
        Self { verdict, index: 1, file: None, written: None, related: None, lang }
    }

    /// The public JSON, as `quipu verify --json` prints it.
    pub(crate) fn report(&self) -> VerdictReport<'_> {
        let file = self.file.as_deref();
        let mut report = report::verdict(&self.verdict, self.index, self.lang);
        report.file = file;
        report.part = self.written.as_ref().and_then(WrittenRecord::part);
        if let Some(related) = &self.related {
            report.sheet_of = related.sheet_of.map(|index| OriginReport { file, index });
            report.contradicts = related.contradicts.as_ref().map(|found| ContradictsReport {
                origin: OriginReport { file, index: found.place },
                difference: difference(&found.difference),
            });
        }
        report
    }
}
