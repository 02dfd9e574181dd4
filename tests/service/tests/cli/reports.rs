//! The formats in which `quipu verify` reports: a finding is the same in each, and the formats for programs also report a
//! source that fails.

use std::{fs, path::Path};

use quipu_referee::{Lang, codes, messages::catalog};
use quipu_tests_service::{
    program::{Run, command, run, run_with},
    text,
};
use serde_json::Value;

use crate::{BAD, GOOD, record_files, with};

fn schema() -> jsonschema::Validator {
    let schema = String::from_utf8(quipu_tests_service::bytes("sarif-2.1.0.schema.json")).expect("UTF-8");
    // A bracket too many in this edition, which later ones have without it.
    let schema = schema.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    jsonschema::validator_for(&serde_json::from_str(&schema).expect("JSON")).expect("a schema")
}

/// A SARIF document, checked against the schema of the format.
#[track_caller]
fn sarif(run: &Run) -> Value {
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{why}: {}", run.stdout));
    let faults: Vec<_> =
        schema().iter_errors(&document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    document
}

/// Runs `quipu verify` in a folder.
fn verify_in(folder: &Path, arguments: &[&str]) -> Run {
    command(&with(&["verify", "--lang", "en"], arguments)).current_dir(folder).output().expect("quipu runs").into()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("there is room");
    }
    folder
}

const FAULT: &str = "andes.3.6";
const MESSAGE: &str =
    "The square a1 is light: a piece of type militar cannot be placed there, only one of type persona.";

#[test]
fn a_finding_is_one_short_line() {
    let folder = folder(&[("good.quipu", GOOD), ("bad.quipu", BAD)]);
    let run = verify_in(folder.path(), &["--output-format", "short", "good.quipu", "bad.quipu"]);
    let found: Vec<_> = run.stdout.lines().collect();
    assert!(found.len() == 1 && found[0].starts_with("bad.quipu:4:8: error andes.3.6 "), "{run:#?}");
    assert_eq!(run.status, Some(1));
    let stdin = run_with(&["verify", "--output-format", "short"], BAD.as_bytes());
    assert!(stdin.stdout.starts_with("-:4:8: error andes.3.6 "), "{stdin:#?}");
}

/// Every finding of every fixture is in every format, with the same code and place.
#[test]
fn all_formats_have_the_same_findings() {
    let files = record_files();
    let files: Vec<_> = files.iter().map(String::as_str).collect();
    let json = run(&with(&["verify", "--output-format", "json"], &files)).stdout;
    assert_eq!(json, run(&with(&["verify", "--json"], &files)).stdout, "--json is its other name");
    let mut expected = Vec::new();
    for verdict in json.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
        // As for people: errors first, and all bytes that are not UTF-8 as one finding.
        let diagnostics = verdict["diagnostics"].as_array().expect("a list");
        let (errors, others): (Vec<_>, Vec<_>) = diagnostics.iter().partition(|found| found["severity"] == "error");
        let mut bytes = 0;
        for found in errors.into_iter().chain(others) {
            bytes += usize::from(found["code"] == "record.encoding");
            if found["code"] == "record.encoding" && bytes > 1 {
                continue;
            }
            let text = |name: &str| found[name].as_str().expect("a text").to_owned();
            let number = |name: &str| found[name].as_u64();
            let file = verdict["file"].as_str().expect("a file").to_owned();
            expected.push((file, number("line"), number("column"), text("severity"), text("code")));
        }
        for found in verdict["advice"].as_array().into_iter().flatten() {
            let number = |name: &str| found[name].as_u64();
            let file = verdict["file"].as_str().expect("a file").to_owned();
            let code = found["code"].as_str().expect("a code").to_owned();
            expected.push((file, number("line"), number("column"), "note".to_owned(), code));
        }
        // The relation to another sheet has no place in the record.
        for (field, level) in [("sheet_of", "note"), ("contradicts", "error")] {
            if !verdict[field].is_null() {
                let code = if level == "note" { "sheets.same" } else { "sheets.contradicts" };
                expected.push((
                    verdict["file"].as_str().expect("a file").to_owned(),
                    None,
                    None,
                    level.to_owned(),
                    code.to_owned(),
                ));
            }
        }
    }
    assert!(expected.len() > 100, "{}", expected.len());

    let short = run(&with(&["verify", "--output-format", "short"], &files)).stdout;
    let lines: Vec<_> = short.lines().collect();
    assert_eq!(lines.len(), expected.len());
    for (line, (file, row, column, severity, code)) in lines.iter().zip(&expected) {
        let place = row.zip(*column).map(|(row, column)| format!(":{row}:{column}")).unwrap_or_default();
        assert!(
            line.starts_with(&format!("{file}{place}:")) && line.contains(&format!(": {severity} {code} ")),
            "{line}"
        );
    }

    let github = run(&with(&["verify", "--output-format", "github"], &files)).stdout;
    let lines: Vec<_> = github.lines().collect();
    assert_eq!(lines.len(), expected.len());
    for (line, (file, row, _, severity, code)) in lines.iter().zip(&expected) {
        let row = row.map(|row| format!(",line={row},")).unwrap_or_default();
        let name = if severity == "note" { "notice" } else { severity };
        assert!(line.starts_with(&format!("::{name} file={file}")), "{line}");
        assert!(line.contains(&row) && line.contains(&format!("title={code}::")), "{line}");
    }

    let sarif = sarif(&run(&with(&["verify", "--output-format", "sarif"], &files)));
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), expected.len());
    for (result, (file, row, column, severity, code)) in results.iter().zip(&expected) {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], **file);
        if row.is_some() {
            let found = ["startLine", "startColumn"].map(|name| place["region"][name].as_u64());
            assert_eq!(found, [*row, *column]);
        }
        assert_eq!((&result["level"], &result["ruleId"]), (&severity.as_str().into(), &code.as_str().into()));
        if code.starts_with("sheets.") {
            continue;
        }
        let rule = &sarif["runs"][0]["tool"]["driver"]["rules"]
            [usize::try_from(result["ruleIndex"].as_u64().expect("a rule")).expect("a small number")];
        assert_eq!(rule["id"], **code);
    }
}

/// A cascade of wrong move numbers is one finding for people, in each of their formats, and one diagnostic each in JSON.
#[test]
fn a_cascade_is_reported_once() {
    // From the seventh turn on, each number is one too high.
    let cup = text("andes/cup.quipu");
    let end = cup.find("\n0-1\n").expect("a result") + "\n0-1\n".len();
    let mut lines: Vec<_> = cup[..end].lines().map(str::to_owned).collect();
    for line in &mut lines {
        let turn = line.split_once(". ").and_then(|(number, moves)| Some((number.parse::<u32>().ok()?, moves)));
        if let Some((number @ 7.., moves)) = turn {
            *line = format!("{}. {moves}", number + 1);
        }
    }
    let record = lines.join("\n") + "\n";
    let run = |format: &str| {
        let run = run_with(&["verify", "--output-format", format, "--lang", "en"], record.as_bytes());
        assert_eq!(run.status, Some(0), "{run:#?}");
        run.stdout
    };
    let told = "From 8 on, every number is one too high: a turn is missing between 6 and 8.";
    assert_eq!(run("text").matches("record.number").count(), 1);
    assert_eq!(run("short"), format!("-:23:1: warning record.number {told}\n"));
    assert_eq!(run("github"), format!("::warning line=23,col=1,endColumn=2,title=record.number::{told}\n"));
    let sarif: Value = serde_json::from_str(&run("sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!((results.len(), &results[0]["message"]["text"]), (1, &told.into()));
    assert!(run("json").matches("record.number").count() > 10);
}

#[test]
fn sarif_has_a_rule_for_each_code_in_the_language_asked_for() {
    for lang in Lang::ALL {
        let document =
            sarif(&run_with(&["verify", "--output-format", "sarif", "--lang", lang.as_str()], GOOD.as_bytes()));
        let driver = &document["runs"][0]["tool"]["driver"];
        assert_eq!(driver["language"], lang.as_str());
        let rules = driver["rules"].as_array().expect("a list");
        assert_eq!(rules.len(), codes::all().count());
        for (rule, code) in rules.iter().zip(codes::all()) {
            let words = catalog().code(code).expect("it has words");
            assert_eq!(rule["id"], code.id);
            assert_eq!(rule["shortDescription"]["text"], words.title.get(lang));
            assert_eq!(rule["fullDescription"]["text"], words.law.get(lang));
            assert_eq!(rule["help"]["text"], words.right.get(lang));
        }
        assert_eq!(document["runs"][0]["results"], Value::Array(Vec::new()));
    }
}

#[test]
fn sarif_has_regions_fixes_and_percent_encoded_names() {
    let record = "[Game \"andes\"]\n\n1. 0d3 2A3\n2. 2a1 0D0\n*\n";
    let folder = folder(&[("ronda 3 #1 ñ.quipu", record)]);
    let run = verify_in(folder.path(), &["--output-format", "sarif", "ronda 3 #1 ñ.quipu"]);
    assert_eq!(run.status, Some(1));
    let document = sarif(&run);
    let result = &document["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], FAULT);
    assert_eq!(result["message"]["text"], MESSAGE);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "ronda%203%20%231%20%C3%B1.quipu");
    let region = serde_json::json!({ "startLine": 4, "startColumn": 4, "endLine": 4, "endColumn": 7 });
    assert_eq!(place["region"], region);
    let fix = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!((&fix["deletedRegion"], &fix["insertedContent"]["text"]), (&region, &"2a0".into()));
    let absolute = folder.path().join("ronda 3 #1 ñ.quipu");
    let run = verify_in(folder.path(), &["--output-format", "sarif", absolute.to_str().expect("UTF-8")]);
    let uri =
        sarif(&run)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone();
    assert!(uri.as_str().expect("a URI").starts_with("file:///"), "{uri}");
}

/// A cell of a workbook has no line in its file: its place is its name.
#[test]
fn a_cell_is_reported_by_its_name() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("hoja.xlsx");
    let file = file.to_str().expect("UTF-8");
    let made = run_with(&["convert", "-", "--lang", "en", "-o", file], BAD.as_bytes());
    assert_eq!(made.status, Some(0), "{made:#?}");
    let short = run(&["verify", "--output-format", "short", file]).stdout;
    let (place, _) = short.split_once(": error").expect("a fault");
    assert!(place.contains("hoja.xlsx:") && place.contains('!'), "{short}");
    let document = sarif(&run(&["verify", "--output-format", "sarif", file]));
    let location = &document["runs"][0]["results"][0]["locations"][0];
    assert_eq!(location["physicalLocation"]["region"], Value::Null);
    assert_eq!(location["logicalLocations"][1]["fullyQualifiedName"], place);
    let github = run(&["verify", "--output-format", "github", file]).stdout;
    assert!(!github.contains("line=") && github.contains(&place.replace('%', "%25")), "{github}");
}

#[test]
fn a_source_that_fails_is_in_the_formats_of_programs() {
    let folder = folder(&[("good.quipu", GOOD)]);
    let verify = |format: &str| {
        let run = verify_in(folder.path(), &["--output-format", format, "gone.quipu", "good.quipu"]);
        assert_eq!(run.status, Some(3), "{run:#?}");
        assert_eq!(run.stderr, "error: cannot read gone.quipu: it does not exist\n");
        run
    };
    let json = verify("json").stdout;
    let first: Value = serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    let expected = serde_json::json!({
        "file": "gone.quipu",
        "status": "failed",
        "code": "io.not-found",
        "message": "cannot read gone.quipu: it does not exist",
    });
    assert_eq!((first, json.lines().count()), (expected, 2));
    assert_eq!(verify("short").stdout, "gone.quipu: error io.not-found cannot read gone.quipu: it does not exist\n");
    assert_eq!(
        verify("github").stdout,
        "::error file=gone.quipu,title=io.not-found::cannot read gone.quipu: it does not exist\n"
    );
    let invocation = sarif(&verify("sarif"))["runs"][0]["invocations"][0].clone();
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &3.into()));
    let told = &invocation["toolExecutionNotifications"][0];
    assert_eq!(told["descriptor"]["id"], "io.not-found");
    assert_eq!(told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "gone.quipu");
}

#[test]
fn only_faults_are_shown_if_asked_for() {
    let folder = folder(&[("good.quipu", GOOD), ("bad.quipu", BAD)]);
    let run = verify_in(folder.path(), &["--only-faults", "good.quipu", "bad.quipu"]);
    assert!(run.stdout.starts_with("bad.quipu") && run.stdout.contains("Read: 2 · files: 2 · verified: 1"), "{run:#?}");
    let run = verify_in(folder.path(), &["--only-faults", "--json", "good.quipu", "bad.quipu"]);
    assert_eq!(run.stdout.lines().count(), 1);
}

#[test]
fn a_quiet_run_answers_with_its_status() {
    let folder = folder(&[("good.quipu", GOOD), ("bad.quipu", BAD)]);
    for quiet in ["-q", "--quiet"] {
        for (files, status) in [(&["good.quipu"][..], 0), (&["good.quipu", "bad.quipu"], 1)] {
            let run = verify_in(folder.path(), &with(&[quiet], files));
            assert_eq!(run, Run { status: Some(status), stdout: String::new(), stderr: String::new() });
        }
        let run = verify_in(folder.path(), &[quiet, "gone.quipu"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""));
        assert!(run.stderr.contains("gone.quipu"));
    }
}

#[test]
fn one_format_at_a_time() {
    let run = run(&["verify", "--json", "--output-format", "sarif", "fixtures/andes/cup.quipu", "--lang", "en"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.starts_with("error: --json is the same as --output-format json"), "{run:#?}");
}

#[test]
fn a_report_can_go_to_a_file() {
    let folder = folder(&[("bad.quipu", BAD)]);
    let printed = verify_in(folder.path(), &["--output-format", "sarif", "bad.quipu"]);
    let run = verify_in(folder.path(), &["--output-format", "sarif", "bad.quipu", "-o", "report.sarif"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert_eq!(fs::read_to_string(folder.path().join("report.sarif")).expect("it is there"), printed.stdout);
}
