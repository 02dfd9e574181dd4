//! A line for each finding, in the style of compilers: `file:line:column: severity code message`.

use super::finding::Finding;

pub(super) fn line(finding: &Finding<'_>) -> String {
    let Finding { at, code, level, message, .. } = finding;
    format!("{at}: {} {code} {message}\n", level.as_str())
}
