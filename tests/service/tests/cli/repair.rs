//! `quipu repair` and `quipu merge`: their JSON, their exit statuses, and the records that they write.

use std::fs;

use quipu_tests_service::{
    program::{Run, run, run_with},
    text,
};
use serde_json::Value;

use crate::{BAD, GOOD, UNREADABLE};

/// A game whose third ply has a look-alike character.
const SPOILT: &str = "[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0bO 0D0C\n1-0\n";

/// A folder with a file of this text, and the path of the file.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.quipu");
    fs::write(&path, text).expect("it is written");
    (folder, path.display().to_string())
}

#[track_caller]
fn object(run: &Run) -> Value {
    serde_json::from_str(run.stdout.lines().next().expect("a line")).expect("JSON")
}

#[test]
fn a_record_has_a_line_with_its_readings() {
    let (_folder, path) = file(&format!("{SPOILT}\n{GOOD}"));
    let run = run(&["repair", "--json", &path]);
    assert_eq!(run.status, Some(1));
    let spoilt = object(&run);
    assert_eq!(spoilt["file"], path.as_str());
    assert_eq!((&spoilt["index"], &spoilt["status"]), (&1.into(), &"rejected".into()));
    let first = &spoilt["readings"][0];
    assert_eq!(first["moves"], serde_json::json!(["0a1", "0D0", "0b0", "0D0C"]));
    let edit = serde_json::json!([{"ply": 3, "kind": "alike", "from": "0bO", "to": "0b0"}]);
    assert_eq!(first["edits"], edit);
    assert_eq!(first["verdict"]["status"], "verified");
    assert_eq!(spoilt["complete"], true);
    let good: Value = serde_json::from_str(run.stdout.lines().nth(1).expect("a second line")).expect("JSON");
    assert_eq!((&good["readings"][0]["cost"], &good["clear"]), (&0.into(), &true.into()));
    assert_eq!(good["readings"][0]["edits"], serde_json::json!([]));
}

#[test]
fn text_that_is_no_record_has_no_reading() {
    let (_folder, path) = file(UNREADABLE);
    let run = run(&["repair", "--json", &path]);
    assert_eq!(run.status, Some(1));
    let found = object(&run);
    assert_eq!((&found["status"], &found["readings"]), (&"unreadable".into(), &serde_json::json!([])));
}

#[test]
fn nothing_is_applied_unasked_and_evidence_is_written() {
    let (folder, path) = file(SPOILT);
    let before = fs::read(&path).expect("it is there");
    assert_eq!(run(&["repair", &path]).status, Some(1));
    let out = folder.path().join("repaired.quipu").display().to_string();
    let accepted = run(&["repair", "--accept", "best", "--margin", "0", "--by", "Ana", "-o", &out, &path]);
    assert_eq!(accepted.status, Some(0), "{accepted:?}");
    assert_eq!(fs::read(&path).expect("it is there"), before);
    let text = fs::read_to_string(&out).expect("it is written");
    assert!(text.contains("[%written 3 alike 0bO]") && text.contains("[%repaired quipu "), "{text}");
    assert!(text.contains(", Ana]"), "{text}");
    assert_eq!(run(&["verify", &out]).status, Some(0));
    let converted = folder.path().join("repaired.csv").display().to_string();
    assert_eq!(run(&["convert", "-o", &converted, &out]).status, Some(0));
    assert!(fs::read_to_string(&converted).expect("it is written").contains("[%written 3 alike 0bO]"));
    let workbook = folder.path().join("repaired.xlsx").display().to_string();
    assert_eq!(run(&["convert", "-o", &workbook, &out]).status, Some(0));
    let back = run(&["convert", "--to", "quipu", &workbook]);
    assert!(back.stdout.contains("[%written 3 alike 0bO]"), "{back:?}");
}

#[test]
fn options_that_say_nothing_are_errors_of_use() {
    let (_folder, path) = file(SPOILT);
    assert_eq!(run(&["repair", "--margin", "10", &path]).status, Some(2));
    assert_eq!(run(&["repair", "--accept", "worst", &path]).status, Some(2));
    assert_eq!(run(&["merge", &path]).status, Some(2));
}

#[test]
fn two_sheets_are_one_game() {
    let (_one, spoilt) = file(SPOILT);
    let (_other, good) = file(&GOOD.replace("0D0C", "_"));
    let run = run(&["merge", "--json", &spoilt, &good]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let merged = object(&run);
    assert_eq!(merged["moves"], serde_json::json!(["0a1", "0D0", "0b0", "0D0C"]));
    assert_eq!((&merged["agreed"], &merged["verdict"]["status"]), (&2.into(), &"verified".into()));
    let plies: Vec<_> = merged["disputed"].as_array().expect("a list").iter().map(|row| row["ply"].clone()).collect();
    assert_eq!(plies, [Value::from(3), Value::from(4)]);
    assert_eq!(merged["disputed"][0]["readings"][0]["written"], "0bO");
}

#[test]
fn sheets_of_two_games_are_refused() {
    let (_one, one) = file(GOOD);
    let (_other, other) = file(BAD);
    let run = run(&["merge", &one, &other]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("merge.moves"), "{}", run.stderr);
}

/// A rejection ends with the best reading, in the report for people only, and in the first rejected records only.
#[test]
fn verify_names_a_clear_reading() {
    let (_folder, path) = file(&format!("{SPOILT}\n").repeat(12));
    for (lang, told) in [
        ("en", format!("most likely played: ply 3 0b0 instead of 0bO (quipu repair {path})")),
        ("es", format!("lo más probable: jugada 3 0b0 en lugar de 0bO (quipu repair {path})")),
    ] {
        let run = run(&["verify", "--lang", lang, &path]);
        assert_eq!((run.status, run.stdout.matches(&told).count()), (Some(1), 10), "{}", run.stdout);
    }
    assert!(!run(&["verify", "--json", &path]).stdout.contains("most likely"));
    let (_folder, path) = file(&BAD.repeat(2));
    assert!(!run(&["verify", "--lang", "en", &path]).stdout.contains("most likely"), "no reading is clear");
}

/// Runs `quipu repair --choose` on a spoilt and a good record with these lines as keys. Returns the run and what was written.
#[track_caller]
fn choose(keys: &str) -> (Run, String) {
    let (folder, path) = file(&format!("{SPOILT}\n{GOOD}"));
    let out = folder.path().join("repaired.quipu");
    let arguments = ["repair", "--lang", "en", "--choose", "--by", "Ana", "-o", &out.display().to_string(), &path];
    let run = run_with(&arguments, keys.as_bytes());
    (run, fs::read_to_string(out).expect("it is written"))
}

/// Without a terminal the first letter of each line is a key.
#[test]
fn a_reading_is_chosen_by_key() {
    for keys in ["\n", "1\n", "n\np\n\n", "x\n0\n1\n"] {
        let (run, written) = choose(keys);
        assert_eq!(run.status, Some(0), "{keys:?}: {}", run.stderr);
        assert!(run.stderr.contains("ply 3: 0b0 instead of 0bO"), "{keys:?}: {}", run.stderr);
        assert!(run.stderr.contains("The board before ply 3:"), "{keys:?}: {}", run.stderr);
        assert!(run.stderr.contains("Reading 1 of "), "{keys:?}: {}", run.stderr);
        assert!(written.contains("[%written 3 alike 0bO]") && written.contains(", Ana]"), "{keys:?}: {written}");
        assert_eq!(written.matches("[Game ").count(), 2, "{keys:?}: the good record is written as it is");
    }
    let (second, written) = choose("n\n\n");
    assert!(second.stderr.contains("Reading 2 of "), "{}", second.stderr);
    assert!(written.contains("[%repaired ") && !written.contains("[%written 3 alike 0bO]"), "{written}");
}

/// A record that is skipped, all after `q`, and those after the end of the input stay as they are.
#[test]
fn a_record_without_a_choice_is_not_written() {
    for keys in ["s\n", "q\n", "", "7"] {
        let (run, written) = choose(keys);
        assert_eq!(run.status, Some(1), "{keys:?}: {}", run.stderr);
        assert!(run.stderr.contains("left as they were and not written: 1"), "{keys:?}: {}", run.stderr);
        assert!(!written.contains("%repaired") && written.contains("[Game "), "{keys:?}: {written}");
    }
}

#[test]
fn a_choice_goes_with_no_other_way_to_accept() {
    let (folder, path) = file(SPOILT);
    let out = folder.path().join("out.quipu").display().to_string();
    let more = [&["--accept", "best", "-o", &out][..], &["--json", "-o", &out], &["--margin", "3", "-o", &out], &[]];
    for more in more.into_iter().chain([&["-", "-o", &out][..], &["-o", &path]]) {
        let run = run(&[&["repair", "--choose", &path][..], more].concat());
        assert_eq!((run.status, &*run.stdout), (Some(2), ""), "{more:?}: {}", run.stderr);
    }
    assert!(!std::path::Path::new(&out).exists());
    assert_eq!(fs::read_to_string(&path).expect("it is there"), SPOILT, "the original stays");
}

/// A decided game whose end is not declared: perhaps nothing else is missing, so no added move is clear.
#[test]
fn a_missing_termination_leaves_the_readings_unclear() {
    let cup = text("andes/cup.quipu");
    let (mut seen, folder) = (0, tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("game.quipu");
    for game in cup.split("\n\n[").filter(|game| game.contains("[Termination \"resignation\"]")) {
        let game = format!("[{}", game.trim_start_matches('['))
            .replace("[Termination \"resignation\"]", "[Terminacion \"resignation\"]");
        fs::write(&path, game).expect("it is written");
        let found = object(&run(&["repair", "--json", &path.display().to_string()]));
        assert_eq!((&found["status"], &found["clear"]), (&"rejected".into(), &false.into()), "{found}");
        seen += 1;
    }
    assert!(seen > 5, "{seen} games");
}

/// The tags in which sheets differ are named, and which value the game has.
#[test]
fn tags_in_which_sheets_differ_are_listed() {
    let (folder, path) = file(&SPOILT.replace("[Result", "[Date \"2026.08.12\"]\n[Result"));
    let other = folder.path().join("other.quipu").display().to_string();
    let text = SPOILT.replace("0bO", "0b0").replace("[Result", "[Date \"2026.13.12\"]\n[Result");
    fs::write(&other, text).expect("it is written");
    let told = run(&["merge", "--lang", "en", &path, &other]);
    assert!(told.stdout.contains("Date: 2026.13.12 is taken; written 2026.08.12 ("), "{}", told.stdout);
    let found = object(&run(&["merge", "--json", &path, &other]));
    assert_eq!(found["tags"], serde_json::json!([{"tag": "Date", "values": ["2026.08.12", "2026.13.12"]}]));
    let itself = run(&["merge", "-o", &path, &path, &other]);
    assert_eq!(itself.status, Some(2), "{}", itself.stderr);
}
