//! A line of JSON for each verdict, and for each source that failed.

use quipu_referee::{
    report::{self, FailureReport},
    verify::Judged,
};

use super::{origin::Origin, relations::RelatedTo};
use crate::{context::Context, input};

/// Prints the verdict on one record.
pub(super) fn record(
    context: Context,
    Origin { path, part, number, .. }: &Origin<'_>,
    judged: &Judged<'_>,
    related: RelatedTo<'_>,
    out: &mut Vec<u8>,
) {
    let mut report = report::verdict(&judged.verdict, *number, context.lang);
    report.file = *path;
    report.part = *part;
    if let Some((related, origins)) = related {
        report.sheet_of = related.sheet_of.map(|place| origins.report(place));
        report.contradicts = related.contradicts.as_ref().map(|found| origins.contradiction(found));
    }
    report.append_to(out);
}

/// Prints a source that failed.
pub(super) fn failure(failure: &input::Failure, out: &mut Vec<u8>) {
    let input::Failure { file, code, message } = failure;
    drop(report::write(&FailureReport::new(file.as_deref(), code, message), out));
}
