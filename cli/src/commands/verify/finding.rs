//! A finding, as the formats for programs (`short`, `github`, `sarif`) render it.

use std::{borrow::Cow, path::Path};

use quipu_notation::{LineColumn, record::Chunk};
use quipu_referee::{Diagnostic, Severity, findings, verify::Judged};

use super::{
    origin::Origin,
    relations::{self, RelatedTo},
};
use crate::{
    context::{Context, harmless},
    input, part,
};

/// The level of a finding, as in SARIF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// It changes the exit status.
    Error,
    Warning,
    /// It breaks no rule.
    Note,
}

impl Level {
    /// Its name, in SARIF and elsewhere.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Advice => Self::Note,
        }
    }
}

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
    pub(super) level: Level,
    pub(super) ply: Option<u64>,
    pub(super) message: String,
    /// Replacements for the text of the region, the likeliest first.
    pub(super) suggestions: Cow<'a, [String]>,
}

/// The bounds of a finding: its first character and the one after its last.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub(super) start: LineColumn,
    pub(super) end: LineColumn,
}

/// The findings about a record in the order for people, the advice, and its relations to earlier records.
pub(super) fn of_record<'a>(
    context: Context,
    origin: &'a Origin<'_>,
    chunk: &Chunk<'_>,
    judged: &'a Judged<'_>,
    related: RelatedTo<'_>,
) -> Vec<Finding<'a>> {
    let found = findings::for_people(&judged.verdict, judged.record.as_ref());
    let found = found.into_iter().chain(judged.verdict.advice.iter().map(Cow::Borrowed));
    let mut found: Vec<_> = found.map(|diagnostic| of_diagnostic(context, origin, chunk, diagnostic)).collect();
    if let Some((related, origins)) = related {
        let relation = |code, level, message| {
            let place = chunk.place(0);
            let region = origin.has_lines(chunk).then_some(Region { start: place, end: place });
            let at = part::place(origin.name, chunk, place);
            Finding { at, region, message, ..Finding::new(origin, code, level) }
        };
        if related.sheet_of.is_some() {
            let message = relations::same(context, related, origins).unwrap_or_default();
            found.push(relation("sheets.same", Level::Note, message));
        }
        if related.contradicts.is_some() {
            let message = relations::contradicts(context, related, origins).unwrap_or_default();
            found.push(relation("sheets.contradicts", Level::Error, message));
        }
    }
    found
}

fn of_diagnostic<'a>(
    context: Context,
    origin: &'a Origin<'_>,
    chunk: &Chunk<'_>,
    diagnostic: Cow<'a, Diagnostic>,
) -> Finding<'a> {
    let new = Finding::new(origin, diagnostic.code().id, diagnostic.severity().into());
    let start = diagnostic.place.filter(|_| origin.has_lines(chunk));
    let end = diagnostic.span.map(|span| chunk.place(span.end as usize));
    Finding {
        at: diagnostic.place.map_or(new.at, |place| part::place(origin.name, chunk, place)),
        region: start.map(|start| Region { start, end: end.unwrap_or(start) }),
        ply: diagnostic.ply,
        message: context.message(&diagnostic.message),
        suggestions: match diagnostic {
            Cow::Borrowed(diagnostic) => Cow::Borrowed(&*diagnostic.suggestions),
            Cow::Owned(diagnostic) => Cow::Owned(diagnostic.suggestions),
        },
        ..new
    }
}

impl Origin<'_> {
    /// True if places are lines of the file itself, not of a part in it.
    fn has_lines(&self, chunk: &Chunk<'_>) -> bool {
        self.part.is_none() && !chunk.is_of_cells()
    }
}

impl<'a> Finding<'a> {
    /// A finding about a record, without a region and a message yet.
    fn new(origin: &'a Origin<'_>, code: &'a str, level: Level) -> Self {
        Self {
            name: origin.name.to_owned(),
            file: origin.file,
            record: Some(origin.number),
            at: origin.name.to_owned(),
            region: None,
            code,
            level,
            ply: None,
            message: String::new(),
            suggestions: Cow::Borrowed(&[]),
        }
    }

    /// A source that failed.
    pub(super) fn of_failure(failure: &'a input::Failure) -> Self {
        let name = harmless(failure.file.as_deref().unwrap_or("-"));
        Self {
            at: name.clone(),
            name,
            file: failure.file.as_deref().map(Path::new),
            record: None,
            region: None,
            code: failure.code,
            level: Level::Error,
            ply: None,
            message: failure.message.clone(),
            suggestions: Cow::Borrowed(&[]),
        }
    }
}
