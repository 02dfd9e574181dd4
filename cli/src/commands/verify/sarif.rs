//! SARIF 2.1.0, the format of findings that code hosts and editors read: one document, written as a stream.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::path::Path;

use quipu_referee::{codes, messages::catalog, report};
use serde_json::{Value, json};

use super::finding::{Finding, Level, Region};
use crate::{
    citation,
    context::{Context, ExitStatus},
    input::Failure,
};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Bytes between two results.
pub(super) const SEPARATOR: &[u8] = b",\n";

/// The document up to its first result: the program, and a rule for each code.
pub(super) fn begin(context: Context) -> Vec<u8> {
    let rules = codes::all().filter_map(|code| {
        let words = catalog().code(code)?;
        Some(json!({
            "id": code.id,
            "shortDescription": { "text": words.title.get(context.lang) },
            "fullDescription": { "text": words.law.get(context.lang) },
            "help": { "text": words.right.get(context.lang) },
            "defaultConfiguration": { "level": Level::from(code.severity).as_str() },
            "properties": { "source": citation::source_at_length(context, code) },
        }))
    });
    let version = env!("CARGO_PKG_VERSION");
    let driver = json!({
        "name": "quipu",
        "version": version,
        "semanticVersion": version,
        "language": context.lang.as_str(),
        "shortDescription": { "text": context.say("quipu.about") },
        "rules": rules.collect::<Vec<_>>(),
    });
    let mut document = format!(r#"{{"$schema":"{SCHEMA}","version":"2.1.0","runs":[{{"#).into_bytes();
    document.extend_from_slice(br#""columnKind":"unicodeCodePoints","tool":{"driver":"#);
    write(&driver, &mut document);
    document.extend_from_slice(b"},\"results\":[\n");
    document
}

/// The result of a finding; suggestions become fixes.
pub(super) fn result(context: Context, finding: &Finding<'_>, out: &mut Vec<u8>) {
    let mut result = json!({
        "ruleId": finding.code,
        "level": finding.level.as_str(),
        "message": { "text": finding.message },
        "locations": [location(finding)],
    });
    if let Some(index) = codes::all().position(|code| code.id == finding.code) {
        result["ruleIndex"] = index.into();
    }
    if let Some(ply) = finding.ply {
        result["properties"] = json!({ "ply": ply });
    }
    if let Some(region) = finding.region.filter(|_| !finding.suggestions.is_empty()) {
        let fix = |token: &String| {
            json!({
                "description": { "text": format!("{} {token}", context.word("suggestions")) },
                "artifactChanges": [{
                    "artifactLocation": artifact(finding.file),
                    "replacements": [{ "deletedRegion": bounds(region), "insertedContent": { "text": token } }],
                }],
            })
        };
        result["fixes"] = finding.suggestions.iter().map(fix).collect();
    }
    write(&result, out);
}

/// The document after its last result: the end of the run, with the sources that failed.
pub(super) fn end(context: Context, failures: &[Failure], status: ExitStatus) -> Vec<u8> {
    let notification = |failure: &Failure| {
        json!({
            "level": "error",
            "descriptor": { "id": failure.code },
            "message": { "text": failure.message },
            "locations": [location(&Finding::of_failure(failure))],
        })
    };
    let invocation = json!({
        "executionSuccessful": failures.is_empty(),
        "exitCode": status as i32,
        "exitCodeDescription": context.say(match status {
            ExitStatus::Clean => "exit.clean",
            ExitStatus::Faults => "exit.with-faults",
            ExitStatus::Usage => "exit.usage",
            ExitStatus::Failed => "exit.failed",
        }),
        "toolExecutionNotifications": failures.iter().map(notification).collect::<Vec<_>>(),
    });
    let mut document = b"\n],\"invocations\":[".to_vec();
    write(&invocation, &mut document);
    document.extend_from_slice(b"]}]}\n");
    document
}

/// Appends JSON without a line end. Writing to memory does not fail.
fn write(value: &Value, out: &mut Vec<u8>) {
    drop(report::write(value, &mut *out));
    out.pop();
}

fn location(finding: &Finding<'_>) -> Value {
    let mut physical = json!({ "artifactLocation": artifact(finding.file) });
    if let Some(region) = finding.region {
        physical["region"] = bounds(region);
    }
    let mut location = json!({ "physicalLocation": physical });
    let mut logical = Vec::new();
    if let Some(record) = finding.record {
        logical.push(json!({ "fullyQualifiedName": format!("{} {record}", finding.name), "kind": "record" }));
        if finding.region.is_none() && finding.at != finding.name {
            logical.push(json!({ "fullyQualifiedName": finding.at, "kind": "place" }));
        }
        location["logicalLocations"] = logical.into();
    }
    location
}

fn bounds(Region { start, end }: Region) -> Value {
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column })
}

/// The location of a file; standard input is `stdin:`.
fn artifact(file: Option<&Path>) -> Value {
    json!({ "uri": file.map_or_else(|| "stdin:".to_owned(), uri) })
}

/// A path as a URI: absolute paths with the scheme `file`, others relative to the working directory.
fn uri(path: &Path) -> String {
    let begin = match (path.is_absolute(), cfg!(windows)) {
        (true, true) => "file:///",
        (true, false) => "file://",
        (false, _) => "",
    };
    let mut uri = begin.to_owned();
    for byte in bytes(path) {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The bytes of a path, with `/` between its parts.
#[cfg(unix)]
fn bytes(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

/// The bytes of a path, with `/` between its parts.
#[cfg(not(unix))]
fn bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    use super::*;

    #[test]
    fn a_path_becomes_a_uri() {
        let of = |path: &[u8]| uri(Path::new(OsStr::from_bytes(path)));
        assert_eq!(of(b"round/cup.quipu"), "round/cup.quipu");
        assert_eq!(of("ronda 3/Ñuñoa #1:50%.quipu".as_bytes()), "ronda%203/%C3%91u%C3%B1oa%20%231%3A50%25.quipu");
        assert_eq!(of(b"/tmp/\xff.quipu"), "file:///tmp/%FF.quipu");
    }
}
