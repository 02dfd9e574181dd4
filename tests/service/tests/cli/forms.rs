//! `quipu fmt` and `quipu convert`: records from one form into another, and what is said of what is lost.

use std::{fs, path::Path};

use quipu_tests_service::{
    bytes, fixture,
    program::{Run, run, run_with},
    text,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::{BAD, UNREADABLE, each_game, with};

const FORMS: [&str; 4] = ["quipu", "json", "ndjson", "csv"];

/// A file of this name and content in a folder of its own.
fn file(name: &str, content: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().expect("there is room");
    let path = folder.path().join(name);
    fs::write(&path, content).expect("there is room");
    let path = path.to_str().expect("our names are UTF-8").to_owned();
    (folder, path)
}

/// The verdicts of a text without what depends on the form that it is in.
fn verdicts(text: &str) -> Vec<Value> {
    let run = run_with(&["verify", "--json", "-"], text.as_bytes());
    let mut verdicts: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for diagnostic in verdicts.iter_mut().flat_map(|verdict| verdict["diagnostics"].as_array_mut().expect("a list")) {
        for field in ["line", "column", "message"] {
            diagnostic[field] = Value::Null;
        }
    }
    verdicts
}

/// Names of what lies in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is listed").file_name());
    entries.map(|name| name.into_string().expect("our names are UTF-8")).collect()
}

#[test]
fn every_form_of_a_game_has_the_same_verdict_and_id() {
    each_game(|game, _| {
        let original = format!("fixtures/{game}/games.quipu");
        let expected = verdicts(&text(&format!("{game}/games.quipu")));
        assert!(!expected.is_empty() && expected.iter().all(|verdict| verdict["id"].is_string()));
        for form in FORMS {
            let converted = run(&["convert", &original, "--to", form]);
            assert_eq!(converted.status, Some(0), "{game} to {form}: {}", converted.stderr);
            assert_eq!(verdicts(&converted.stdout), expected, "{game} to {form}");
        }
    });
}

#[test]
fn json_reads_back_byte_by_byte() {
    each_game(|game, _| {
        let original = text(&format!("{game}/games.quipu"));
        for form in ["json", "ndjson"] {
            let json = run(&["convert", &format!("fixtures/{game}/games.quipu"), "--to", form]).stdout;
            let back = run_with(&["convert", "-", "--to", "quipu"], json.as_bytes());
            assert_eq!(back, Run { status: Some(0), stdout: original.clone(), stderr: String::new() }, "{game} {form}");
        }
    });
}

#[test]
fn json_is_one_value() {
    let one = "[Game \"andes\"]\n\n1. 0d3\n*\n\n";
    let object = run_with(&["convert", "-", "--to", "json"], one.as_bytes()).stdout;
    assert!(serde_json::from_str::<Value>(&object).expect("JSON").is_object(), "{object}");
    let list = run_with(&["convert", "-", "--to", "json"], one.repeat(3).as_bytes()).stdout;
    assert_eq!(serde_json::from_str::<Value>(&list).expect("JSON").as_array().map(Vec::len), Some(3), "{list}");
    let nothing = run_with(&["convert", "-", "--to", "json"], b"");
    assert_eq!((nothing.status, nothing.stdout.as_str()), (Some(1), "[]\n"), "nothing was read");
}

#[test]
fn content_that_a_scoresheet_cannot_express_is_reported() {
    let annotated = "[Game \"andes\"]\n\n{before} 1. 0d3! {a} {b} (0a1 {c}) 2A3 $7\n*\n";
    let sheet = run_with(&["convert", "-", "--to", "csv", "--lang", "en"], annotated.as_bytes());
    assert_eq!(sheet.status, Some(0));
    for count in ["comments (4)", "annotations (2)", "variations (1)"] {
        assert!(sheet.stderr.contains(count), "{count}: {}", sheet.stderr);
    }
    let plain = run_with(&["convert", "-", "--to", "csv"], b"[Game \"andes\"]\n\n1. 0d3 {[%clk 0:01:00]}\n*\n");
    assert_eq!((plain.status, plain.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_record_that_cannot_be_read_is_refused_and_the_others_are_converted() {
    let three = format!("{BAD}\n{UNREADABLE}\n{BAD}");
    let converted = run_with(&["convert", "-", "--to", "ndjson", "--lang", "en"], three.as_bytes());
    assert_eq!(converted.status, Some(1));
    assert_eq!(converted.stdout.lines().count(), 2);
    assert!(converted.stderr.starts_with("-:9:8: record.syntax: "), "{}", converted.stderr);
}

#[test]
fn the_form_can_be_told() {
    // It begins as a comment of the text form would, or as JSON.
    let json = "{ \"game\" : \"andes\" }";
    assert_eq!(run_with(&["verify", "--from", "json", "-"], json.as_bytes()).status, Some(0));
    assert_eq!(run_with(&["verify", "--from", "ndjson", "-"], json.as_bytes()).status, Some(0));
    assert_eq!(run_with(&["verify", "--from", "quipu", "-"], json.as_bytes()).status, Some(1));
    let unknown = run_with(&["verify", "--from", "sgf", "-", "--lang", "en"], json.as_bytes());
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.stderr.contains("quipu, json, ndjson, csv, otg, hnefatafl, pgn"), "{}", unknown.stderr);
}

#[test]
fn a_new_file_is_whole_or_not_there() {
    let (folder, path) = file("in.quipu", BAD.as_bytes());
    let target = folder.path().join("out.json");
    let target = target.to_str().expect("our names are UTF-8");
    let written = run(&["convert", &path, "--to", "ndjson", "-o", target]);
    assert_eq!(written, Run { status: Some(0), stdout: String::new(), stderr: String::new() });
    assert_eq!(verdicts(&fs::read_to_string(target).expect("it was written")), verdicts(BAD));
    // In and out may be the same file.
    assert_eq!(run(&["convert", &path, "--to", "csv", "-o", &path]).status, Some(0));
    assert_eq!(verdicts(&fs::read_to_string(&path).expect("it is there")), verdicts(BAD));
    // Unreadable records are not thrown away.
    let broken = format!("{BAD}\n{UNREADABLE}");
    fs::write(&path, &broken).expect("there is room");
    assert_eq!(run(&["convert", &path, "--to", "csv", "-o", &path]).status, Some(1));
    assert_eq!(fs::read_to_string(&path).expect("it is there"), broken);
    let nowhere = folder.path().join("missing/out.csv");
    let failed = run(&["convert", &path, "--to", "csv", "-o", nowhere.to_str().expect("UTF-8")]);
    assert_eq!(failed.status, Some(3));
    assert!(failed.stderr.contains("out.csv"), "{}", failed.stderr);
    let mut left = names(folder.path());
    left.sort();
    assert_eq!(left, ["in.quipu", "out.json"]);
}

#[cfg(unix)]
#[test]
fn outputs_that_are_not_regular_files_are_written_to_in_place() {
    use std::{os::unix::fs::FileTypeExt, process::Command, thread};

    let (folder, path) = file("in.quipu", BAD.as_bytes());
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("it is there").success());
    let reader = thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).expect("it is text")
    });
    let written = run(&["convert", &path, "--to", "csv", "-o", pipe.to_str().expect("our names are UTF-8")]);
    assert_eq!(written, Run { status: Some(0), stdout: String::new(), stderr: String::new() });
    assert_eq!(verdicts(&reader.join().expect("it was read")), verdicts(BAD));
    assert!(fs::symlink_metadata(&pipe).expect("it is there").file_type().is_fifo());
    // Standard output has a path too.
    let out = run(&["convert", &path, "--to", "csv", "-o", "/dev/stdout"]);
    assert_eq!((out.status, verdicts(&out.stdout)), (Some(0), verdicts(BAD)));
}

#[test]
fn loose_records_are_formatted() {
    each_game(|game, _| {
        let loose = format!("fixtures/{game}/loose.quipu");
        let formatted = run(&["fmt", &loose]);
        assert_eq!((formatted.status, formatted.stderr.as_str()), (Some(0), ""), "{game}");
        assert_eq!(verdicts(&formatted.stdout).len(), verdicts(&text(&format!("{game}/loose.quipu"))).len());
        assert_eq!(run_with(&["fmt"], formatted.stdout.as_bytes()).stdout, formatted.stdout, "{game}: it is stable");
        assert_eq!(run_with(&["fmt", "--check", "-"], formatted.stdout.as_bytes()).status, Some(0), "{game}");
    });
}

#[test]
fn check_names_what_is_not_canonical() {
    each_game(|game, _| {
        let [canonical, loose] = ["games", "loose"].map(|name| format!("fixtures/{game}/{name}.quipu"));
        let checked = run(&["fmt", "--check", &canonical, &loose]);
        let expected = Run { status: Some(1), stdout: format!("{loose}\n"), stderr: String::new() };
        assert_eq!(checked, expected, "{game}");
    });
    // Every byte counts.
    let canonical = text("andes/games.quipu");
    for other in [format!("\n{canonical}"), format!("{canonical}\n"), canonical.trim_end().to_owned()] {
        assert_eq!(run_with(&["fmt", "--check"], other.as_bytes()).status, Some(1));
    }
    assert_eq!(run_with(&["fmt", "--check"], canonical.as_bytes()).status, Some(0));
}

#[test]
fn write_puts_canonical_text_in_its_place() {
    let loose = bytes("andes/loose.quipu");
    let (folder, path) = file("loose.quipu", &loose);
    let expected = run(&["fmt", &path]).stdout;
    let written = run(&["fmt", "--write", &path]);
    assert_eq!(written, Run { status: Some(0), stdout: format!("{path}\n"), stderr: String::new() });
    assert_eq!(fs::read_to_string(&path).expect("it is there"), expected);
    let again = run(&["fmt", "--write", &path]);
    assert_eq!(again, Run { status: Some(0), stdout: String::new(), stderr: String::new() }, "nothing is left to do");
    assert_eq!(names(folder.path()), ["loose.quipu"]);
}

#[test]
fn a_file_that_cannot_be_read_as_a_whole_stays_as_it_is() {
    let broken = format!("{BAD}\n{UNREADABLE}");
    let (folder, path) = file("broken.quipu", broken.as_bytes());
    let refused = run(&["fmt", "--write", &path, "--lang", "en"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("broken.quipu:9:8: record.syntax"), "{}", refused.stderr);
    assert!(refused.stderr.contains("is unchanged"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), broken);
    assert_eq!(names(folder.path()), ["broken.quipu"]);
}

#[test]
fn only_text_is_formatted() {
    let (_folder, path) = file("game.json", b"{\"game\":\"andes\"}");
    for mode in [&["fmt"][..], &["fmt", "--check"], &["fmt", "--write"]] {
        let refused = run(&with(mode, &[&path, "--lang", "en"]));
        assert_eq!((refused.status, refused.stdout.as_str()), (Some(3), ""));
        assert!(refused.stderr.contains("convert"), "{}", refused.stderr);
    }
    assert_eq!(fs::read(&path).expect("it is there"), b"{\"game\":\"andes\"}");
}

#[test]
fn folders_are_formatted_file_by_file() {
    let folder = TempDir::new().expect("there is room");
    fs::copy(fixture("andes/loose.quipu"), folder.path().join("a.quipu")).expect("there is room");
    fs::write(folder.path().join("b.json"), "{}").expect("there is room");
    let path = folder.path().to_str().expect("our names are UTF-8");
    assert_eq!(run(&["fmt", "--write", path]).status, Some(0));
    let check = run(&["fmt", "--check", path, "--lang", "en"]);
    let told = format!(
        "skipped {path}/b.json: its extension is not that of the format quipu; to read it, name the file itself\n"
    );
    assert_eq!(check, Run { status: Some(0), stdout: String::new(), stderr: told });
}

#[test]
fn usage_of_fmt() {
    assert_eq!(run(&["fmt", "--check", "--write", "fixtures/andes/games.quipu"]).status, Some(2));
    assert_eq!(run(&["fmt", "--write"]).status, Some(2));
    assert_eq!(run(&["fmt", "--write", "-"]).status, Some(2));
    assert_eq!(run(&["convert", "fixtures/andes/games.quipu"]).status, Some(2));
}

#[test]
fn content_of_opentafl_that_a_record_cannot_express_is_reported() {
    let replay = "fixtures/brandubh/replay-rules.otg";
    let expected = text("brandubh/replay-rules.quipu");
    let converted = run(&["convert", replay, "--to", "quipu", "--lang", "en"]);
    assert_eq!((converted.status, converted.stdout.trim_end()), (Some(0), expected.trim_end()));
    let expected = ": record.left-out: Left out, because a record has no place for it: “tfr:l”.\n";
    assert!(converted.stderr.contains(expected), "{}", converted.stderr);
    let lines = converted.stderr.lines().count();
    assert!(converted.stderr.lines().all(|line| line.starts_with(&format!("{replay}:"))), "{}", converted.stderr);
    let verified = run(&["verify", replay, "--lang", "en"]);
    assert_eq!(verified.stdout.matches("a record has no place for it").count(), lines, "{}", verified.stdout);
    let json = run(&["verify", "--json", replay, "--lang", "en"]);
    let verdict: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let left_out =
        verdict["diagnostics"].as_array().expect("a list").iter().filter(|found| found["code"] == "record.left-out");
    let told: Vec<_> = left_out
        .map(|found| {
            format!(
                "{replay}:{}:{}: record.left-out: {}\n",
                found["line"],
                found["column"],
                found["message"].as_str().expect("words")
            )
        })
        .collect();
    assert_eq!((told.concat(), &*json.stderr), (converted.stderr, ""));
}

/// A game in the style of PGN names neither game nor rules, so it is detected by the program that wrote it, and judged by the usual
/// rules with a warning.
#[test]
fn a_game_in_the_style_of_pgn_without_rules_is_judged_with_a_warning() {
    let moves = "\n\n1. d2e2 d3c3\n";
    let verdict = |arguments: &[&str], tags: &str| -> Value {
        let run =
            run_with(&with(&["verify", "--json", "--lang", "en", "-"], arguments), format!("{tags}{moves}").as_bytes());
        serde_json::from_str(&run.stdout).expect("one record")
    };
    let told = |verdict: &Value| {
        verdict["diagnostics"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|found| found["message"].clone())
            .collect::<Vec<_>>()
    };
    let assumed = ["The game names no rule set: it is judged by “nielsen”."];
    for (arguments, tags, messages) in [
        (&[][..], "[Site \"https://www.playtafl.com\"]", &assumed[..]),
        (&[], "[Event \"x\"]\n[Site \"hnefatafl.org\"]", &assumed),
        (&["--from", "pgn"], "[Event \"x\"]", &assumed),
        (&[], "[Variant \"brandubh\"]\n[Rules \"nielsen\"]", &[]),
        (&["--from", "pgn"], "[Event \"x\"]\n[Rules \"nielsen\"]", &[]),
    ] {
        let verdict = verdict(arguments, tags);
        assert_eq!(
            (&verdict["rules"], &verdict["status"]),
            (&Value::from("nielsen"), &Value::from("incomplete")),
            "{verdict}"
        );
        assert_eq!(told(&verdict), messages, "{tags}");
    }
    assert_eq!(verdict(&[], "[Event \"x\"]")["diagnostics"][0]["code"], "record.game");
}

#[test]
fn replays_of_opentafl_are_the_records_beside_them() {
    for name in ["replay", "replay-resigned", "replay-clocks", "replay-king", "replay-rules"] {
        let converted = run(&["convert", &format!("fixtures/brandubh/{name}.otg"), "--to", "quipu"]);
        let expected = text(&format!("brandubh/{name}.quipu"));
        assert_eq!(converted.stdout.trim_end(), expected.trim_end(), "{name}");
        let verified = run_with(&["verify", "--json", "-"], expected.as_bytes());
        assert!(!verified.stdout.contains("\"code\":\"brandubh."), "{name}: {}", verified.stdout);
    }
}

/// A short game of Brandubh with all that other programs have no place for.
const BRANDUBH: &str = "[Game \"brandubh\"]\n[Event \"Copa\"]\n[Negros \"Quispe, Ana\"]\n[Rojos \"Mamani, Luis\"]\n[Result \"1-0\"]\n\
    [Termination \"resignation\"]\n[TimeControl \"900\"]\n[UTCDate \"2026.08.15\"]\n\n\
    1. d3-c3 $1 {[%clk 0:14:50.000]} d2-c2 {[%clk 0:14:55.000]} {note}\n2. c3-d3 {[%clk 0:14:40.000]} (c3-b3)\n1-0\n\n";

#[test]
fn records_of_brandubh_go_out_and_in_by_the_formats_of_other_programs() {
    let (folder, path) = file("in.quipu", BRANDUBH.as_bytes());
    for (format, lost) in [
        ("otg", &[("10:1", "$1")][..]),
        ("hnefatafl", &[("10:11", "[%clk 0:14:50.000]"), ("10:4", "$1"), ("10:41", "{note}"), ("11:4", "(c3-b3)")]),
        (
            "pgn",
            &[
                ("10:11", "[%clk 0:14:50.000]"),
                ("10:4", "$1"),
                ("10:41", "[%clk 0:14:55.000]"),
                ("10:41", "{note}"),
                ("11:4", "[%clk 0:14:40.000]"),
                ("11:4", "(c3-b3)"),
            ],
        ),
    ] {
        let out = folder.path().join(format!("out.{format}"));
        let out = out.to_str().expect("our names are UTF-8");
        let written = run(&["convert", &path, "-o", out, "--lang", "en"]);
        assert_eq!((written.status, &*written.stdout), (Some(0), ""), "{format}: {written:#?}");
        let told: Vec<_> = written.stderr.lines().collect();
        assert_eq!(told.len(), lost.len(), "{format}: {told:#?}");
        for (line, (_, part)) in told.iter().zip(lost) {
            assert!(line.starts_with(&format!("{path}:")), "{line}");
            assert!(
                line.ends_with(&format!(": left out, because the format {format} has no place for it: {part}")),
                "{line}"
            );
        }
        let again = run(&["convert", out, "--to", "quipu"]);
        assert_eq!((again.status, &*again.stderr), (Some(0), ""), "{format}");
        let bare = |text: &str| {
            let words = text.split_inclusive(' ').filter(|word| !lost.iter().any(|(_, part)| word.trim_end() == *part));
            words.collect::<String>()
        };
        let tags = |text: &str| text.split("\n\n").next().map(str::to_owned);
        assert_eq!(tags(&again.stdout), tags(BRANDUBH), "{format}");
        if format == "otg" {
            assert_eq!(again.stdout, bare(BRANDUBH), "{format}");
        }
        assert_eq!(run(&["verify", out]).status, run(&["verify", &path]).status, "{format}");
    }
}

#[test]
fn formats_of_other_programs_refuse_what_they_are_not_for() {
    let andes = run_with(&["convert", "-", "--to", "pgn", "--lang", "en"], BAD.as_bytes());
    assert_eq!((andes.status, andes.stdout.as_str()), (Some(1), ""));
    assert!(andes.stderr.contains(": the format pgn is for brandubh only"), "{}", andes.stderr);
    let two = format!("{BRANDUBH}{BRANDUBH}");
    let second = run_with(&["convert", "-", "--to", "otg", "--lang", "en"], two.as_bytes());
    assert_eq!(second.status, Some(1));
    assert!(second.stderr.contains("-:14:1: a file of the format otg has only one record"), "{}", second.stderr);
    assert_eq!(run_with(&["convert", "-", "--to", "hnefatafl"], two.as_bytes()).stdout.lines().count(), 2);
    let (folder, path) = file("two.quipu", two.as_bytes());
    let target = folder.path().join("out.otg");
    let target = target.to_str().expect("our names are UTF-8");
    let unwritten = run(&["convert", &path, "-o", target, "--lang", "en"]);
    assert_eq!(unwritten.status, Some(1));
    assert!(
        unwritten.stderr.ends_with(
            "out.otg is not written, because not every record fits into its format (records that do not: 1); \
             a file that was there stays as it is\n"
        ),
        "{unwritten:#?}"
    );
    assert!(!fs::exists(target).expect("it can be asked"));
    // Both reasons have their own counts.
    fs::write(&path, format!("{UNREADABLE}\n{BAD}\n{BAD}\n{BRANDUBH}")).expect("there is room");
    let mixed = run(&["convert", &path, "-o", target, "--lang", "en"]);
    assert_eq!((mixed.status, fs::exists(target).expect("it can be asked")), (Some(1), false), "{mixed:#?}");
    for reason in ["(unreadable records: 1)", "(records that do not: 2)"] {
        assert!(mixed.stderr.contains(reason), "{mixed:#?}");
    }
    fs::write(&path, "").expect("there is room");
    let nothing = run(&["convert", &path, "-o", target, "--lang", "en"]);
    assert_eq!(nothing.status, Some(1));
    assert!(nothing.stderr.contains("out.otg is not written, because no record was read;"), "{nothing:#?}");
    assert!(!nothing.stderr.contains("records that do not"), "{nothing:#?}");
    let spoilt = BRANDUBH.replace("[Result \"1-0\"]", "[Result \"1-0 ]\"]");
    let spoilt = run_with(&["convert", "-", "--to", "otg", "--lang", "en"], spoilt.as_bytes());
    assert_eq!((spoilt.status, &*spoilt.stdout), (Some(1), ""));
    let expected = "the tag Result cannot be written in the format otg, and without it the verdict would change";
    assert!(spoilt.stderr.contains(expected), "{spoilt:#?}");
    for (larger, code) in
        [("{\"dim\": 11, \"moves\": \"\"}", "record.syntax"), ("[Site \"playtafl\"]\n\n1. h1h3 g5g2", "record.syntax")]
    {
        let refused = run_with(&["verify", "-", "--lang", "en"], larger.as_bytes());
        assert_eq!(refused.status, Some(1));
        assert!(refused.stdout.contains(code) && refused.stdout.contains("7 by 7"), "{}", refused.stdout);
    }
    let copenhagen = run_with(&["verify", "-"], br#"{"dim": 7, "variant": "copenhagen", "moves": ""}"#);
    assert!(copenhagen.stdout.contains("record.rules"), "{}", copenhagen.stdout);
}
