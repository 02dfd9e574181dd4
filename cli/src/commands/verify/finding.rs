//! A finding for the formats of programs: each of them renders this one type.

use std::path::Path;

use quipu_notation::{LineColumn, record::Chunk};
use quipu_referee::{Diagnostic, Severity, verify::Judged};

use super::Origin;
use crate::{
    context::{Context, complain},
    diagnostics, input, part,
};

/// A finding about a record, or a source that failed.
pub(super) struct Finding<'a> {
    /// The name of the source and its part.
    pub(super) name: String,
    /// The path of the source; `None` for standard input.
    pub(super) file: Option<&'a Path>,
    /// The number of the record in the source; a source that failed has none.
    pub(super) record: Option<u64>,
    /// The place in the style of compilers, or the name alone.
    pub(super) at: String,
    /// The bounds in the text of the source; `None` for a source that has no lines, such as a workbook.
    pub(super) region: Option<Region>,
    pub(super) code: &'a str,
    pub(super) severity: Severity,
    pub(super) ply: Option<u64>,
    pub(super) message: String,
    /// Texts that may have been meant by that of the region, the likeliest first.
    pub(super) suggestions: &'a [String],
}

/// The bounds of a finding: its first character and the one after its last.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub(super) start: LineColumn,
    pub(super) end: LineColumn,
}

/// The findings about a record. Parts of a foreign format that it has no place for are reported on standard error.
pub(super) fn of_record<'a>(
    context: Context,
    origin: &'a Origin<'_>,
    number: u64,
    chunk: &Chunk<'_>,
    judged: &'a Judged<'_>,
) -> Vec<Finding<'a>> {
    for line in diagnostics::dropped(context, &origin.name, chunk, judged.record.as_ref()) {
        complain(line);
    }
    let found = judged.verdict.diagnostics.iter();
    found.map(|diagnostic| of_diagnostic(context, origin, number, chunk, diagnostic)).collect()
}

fn of_diagnostic<'a>(
    context: Context,
    origin: &'a Origin<'_>,
    number: u64,
    chunk: &Chunk<'_>,
    diagnostic: &'a Diagnostic,
) -> Finding<'a> {
    let at = diagnostic.place.map(|place| part::place(&origin.name, chunk, place));
    // A part of a source is a text of its own, without a path.
    let start = diagnostic.place.filter(|_| origin.part.is_none() && !chunk.is_of_cells());
    let end = diagnostic.span.map(|span| chunk.place(span.end as usize));
    Finding {
        name: origin.name.clone(),
        file: origin.file,
        record: Some(number),
        at: at.unwrap_or_else(|| origin.name.clone()),
        region: start.map(|start| Region { start, end: end.unwrap_or(start) }),
        code: diagnostic.code().id,
        severity: diagnostic.severity(),
        ply: diagnostic.ply,
        message: context.message(&diagnostic.message),
        suggestions: &diagnostic.suggestions,
    }
}

impl<'a> Finding<'a> {
    /// A source that failed.
    pub(super) fn of_failure(failure: &'a input::Failure) -> Self {
        let name = crate::context::harmless(failure.file.as_deref().unwrap_or("-"));
        Self {
            at: name.clone(),
            name,
            file: failure.file.as_deref().map(Path::new),
            record: None,
            region: None,
            code: failure.code,
            severity: Severity::Error,
            ply: None,
            message: failure.message.clone(),
            suggestions: &[],
        }
    }
}
