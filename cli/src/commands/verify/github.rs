//! Workflow commands of GitHub Actions: each finding becomes an annotation of its file.
//!
//! <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>

use super::finding::{Finding, Level};
use crate::context::harmless;

pub(super) fn command(finding: &Finding<'_>) -> String {
    let name = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(file) = finding.file {
        properties.push(("file", harmless(&file.display().to_string())));
    }
    if let Some(region) = finding.region {
        properties.push(("line", region.start.line.to_string()));
        properties.push(("col", region.start.column.to_string()));
        // `endColumn` is valid only if the annotation begins and ends on one line.
        if region.end.line == region.start.line && region.end.column > region.start.column {
            properties.push(("endColumn", (region.end.column - 1).to_string()));
        }
    }
    properties.push(("title", finding.code.to_owned()));
    let properties: Vec<_> = properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    // A place without a line in the file, such as a cell, goes into the message.
    let place = match (finding.region, finding.record) {
        (None, Some(_)) => format!("{}: ", finding.at),
        _ => String::new(),
    };
    format!("::{name} {}::{}\n", properties.join(","), data(&format!("{place}{}", finding.message)))
}

/// Escapes the characters that end a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the characters that end a command or a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_of_a_command_are_escaped() {
        assert_eq!(data("100 %\r\n::x"), "100 %25%0D%0A::x");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
