//! Sheets of one game count once, and sheets that contradict each other change the exit status.

use std::fs;

use quipu_tests_service::{
    program::{Run, command, run_with},
    text,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::with;

/// The sample tournament, and its first games again, as written by another player.
fn copies() -> TempDir {
    let cup = text("andes/cup.quipu");
    let first = cup.split_inclusive("\n\n").take(2).collect::<String>();
    let without_clocks: String = first
        .split('{')
        .map(|part| {
            part.split_once("} ").map_or_else(|| part.split_once('}').map_or(part, |(_, rest)| rest), |(_, rest)| rest)
        })
        .collect();
    assert_ne!(without_clocks, first);
    let elsewhere = first.replacen('\n', "\n[Arbiter \"Li\"]\n", 1);
    folder(&[("a.quipu", &cup), ("b.quipu", &elsewhere), ("d.quipu", &without_clocks)])
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("it is written");
    }
    folder
}

fn run_in(folder: &TempDir, arguments: &[&str]) -> Run {
    command(&with(arguments, &["--lang", "en"])).current_dir(folder.path()).output().expect("quipu runs").into()
}

const FILES: [&str; 3] = ["a.quipu", "b.quipu", "d.quipu"];

#[test]
fn three_sheets_of_one_game_count_once() {
    let folder = copies();
    for call in [&["score"][..], &["rank"], &["standings"], &["standings", "--crosstable"]] {
        let once = run_in(&folder, &with(call, &["a.quipu"]));
        let all = run_in(&folder, &with(call, &FILES));
        let told = "3 sheets of one game, which counts once: a.quipu 1, b.quipu 1, d.quipu 1\n";
        assert_eq!((all.status, all.stderr.as_str()), (Some(0), told), "{call:?}");
        assert_eq!(all.stdout, once.stdout, "{call:?}");
    }
    for (call, key) in [("score", "encounters"), ("rank", "players"), ("standings", "tables")] {
        let [once, all] = [&FILES[..1], &FILES].map(|files| {
            let run = run_in(&folder, &with(&[call, "--json"], files));
            serde_json::from_str::<Value>(&run.stdout).expect("JSON")
        });
        assert_eq!(all[key], once[key], "{call}");
        assert_eq!(all["sheets"], json!([{"games": [1, 57, 58]}]), "{call}");
        assert!(once.get("sheets").is_none() && all.get("contradictions").is_none(), "{call}");
    }
}

#[test]
fn verify_tells_of_other_sheets_and_of_nothing_else() {
    let folder = copies();
    let run = run_in(&folder, &with(&["verify"], &FILES));
    assert_eq!(run.status, Some(0));
    let told = "    this record is another sheet of the game in a.quipu 1: they count as one\n";
    assert_eq!(run.stdout.matches(told).count(), 2, "{}", run.stdout);
    assert!(run.stdout.ends_with(" · further sheets of the same games: 2\n"), "{}", run.stdout);

    let lines = |files: &[&str]| {
        let run = run_in(&folder, &with(&["verify", "--json"], files));
        assert_eq!(run.status, Some(0));
        run.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = lines(&FILES);
    assert_eq!(all[..56], lines(&FILES[..1])[..]);
    for (line, alone) in all[56..].iter().zip([lines(&FILES[1..2]), lines(&FILES[2..])].concat()) {
        let whole = line.strip_suffix(r#","sheet_of":{"file":"a.quipu","index":1}}"#).expect("it is told");
        assert_eq!(format!("{whole}}}"), alone);
    }
}

#[test]
fn standard_input_has_no_file() {
    let input = text("andes/cup.quipu").repeat(2);
    let run = run_with(&["verify", "--json", "-"], input.as_bytes());
    assert_eq!(run.status, Some(0));
    for (index, line) in (1..).zip(run.stdout.lines()) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let first = (index > 56).then(|| json!({"index": index - 56}));
        assert_eq!(line.get("sheet_of"), first.as_ref(), "{index}");
    }
}

const FIRST: &str = "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n\n";

/// Another sheet of that game.
fn second(old: &str, new: &str) -> String {
    let second = FIRST.replace(old, new);
    assert_ne!(second, FIRST);
    second
}

#[track_caller]
fn contradicts(second: &str, words: &str, members: &Value, verified: bool) {
    let folder = folder(&[("1.quipu", FIRST), ("2.quipu", second)]);
    let files = ["1.quipu", "2.quipu"];
    let run = run_in(&folder, &with(&["verify"], &files));
    assert_eq!(run.status, Some(1));
    assert!(run.stdout.contains(&format!("\n    this record contradicts 1.quipu 1: {words}\n")), "{}", run.stdout);
    assert!(run.stdout.ends_with(" · contradicting sheets: 1\n"), "{}", run.stdout);
    let run = run_in(&folder, &with(&["verify", "--json"], &files));
    assert_eq!(run.status, Some(1));
    let last: Value = serde_json::from_str(run.stdout.lines().last().expect("two lines")).expect("JSON");
    let mut expected = json!({"file": "1.quipu", "index": 1});
    expected.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
    assert_eq!((&last["contradicts"], last.get("sheet_of")), (&expected, None));
    for call in ["score", "rank", "standings"] {
        let run = run_in(&folder, &with(&[call], &files));
        assert_eq!(run.status, Some(1), "{call}");
        // A sheet that is not verified does not count anyway.
        let both = if verified { "; both count until one of them is corrected or left out" } else { "" };
        assert!(run.stderr.contains(&format!("2.quipu 1 contradicts 1.quipu 1: {words}{both}\n")), "{}", run.stderr);
        assert_eq!(run.stderr.contains("2.quipu 1 does not count"), !verified, "{}", run.stderr);
        if call == "score" {
            assert_eq!(run.stdout.contains("irregular"), verified, "{}", run.stdout);
        }
        let run = run_in(&folder, &with(&[call, "--json"], &files));
        let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let mut expected = members.clone();
        expected["games"] = json!([1, 2]);
        assert_eq!(found["contradictions"], json!([expected]), "{call}");
    }
}

#[test]
fn sheets_that_contradict_each_other() {
    let moves = second("0b0 0D0C\n1-0", "0b0 0D0E\n1-0");
    let words = "they differ at ply 4; “0D0C” there, “0D0E” here";
    contradicts(&moves, words, &json!({"ply": 4, "moves": ["0D0C", "0D0E"]}), true);
    let shorter = second("\n\n1. 0a1 0D0\n2. 0b0 0D0C", "\n[Termination \"time\"]\n\n1. 0a1 0D0\n2. 0b0");
    let words = "they differ at ply 4; “0D0C” there, no move here";
    contradicts(&shorter, words, &json!({"ply": 4, "moves": ["0D0C", null]}), true);
    let rejected = second("0D0C", "0D9");
    let words = "they differ at ply 4; “0D0C” there, “0D9” here";
    contradicts(&rejected, words, &json!({"ply": 4, "moves": ["0D0C", "0D9"]}), false);
    let result = second("1-0", "0-1");
    let words = "the moves are the same; the result is 1-0 there, 0-1 here";
    contradicts(&result, words, &json!({"ply": null, "results": ["1-0", "0-1"]}), false);
}

#[test]
fn sheets_agree_in_spanish_too() {
    let folder = folder(&[("1.quipu", FIRST), ("2.quipu", &second("[Round", "[Site \"Cusco\"]\n[Round"))]);
    let run: Run = command(&["score", "1.quipu", "2.quipu", "--lang", "es"])
        .current_dir(folder.path())
        .output()
        .expect("quipu runs")
        .into();
    let told = "2 planillas de una sola partida, que cuenta una vez: 1.quipu 1, 2.quipu 1\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), told));
}

#[test]
fn many_sheets_are_not_all_named() {
    let files: Vec<_> = (1..=11).map(|site| second("[Round", &format!("[Site \"{site}\"]\n[Round"))).collect();
    let run = run_with(&["standings", "-", "--lang", "en"], files.concat().as_bytes());
    let named: Vec<_> = (1..=10).map(|number| format!("- {number}")).collect();
    let told = format!("11 sheets of one game, which counts once: {}, …\n", named.join(", "));
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), told.as_str()));
}

/// Records of one file that are read in several parts, by several threads.
#[test]
fn the_output_does_not_depend_on_jobs() {
    let input = text("andes/cup.quipu").repeat(30);
    for call in [&["verify", "-"][..], &["verify", "--json", "-"], &["standings", "--json", "-"]] {
        let one = run_with(&with(call, &["--jobs", "1"]), input.as_bytes());
        assert!(one == run_with(&with(call, &["--jobs", "8"]), input.as_bytes()), "{call:?}");
    }
}

#[test]
fn an_import_keeps_every_sheet_and_counts_one() {
    let folder = copies();
    let import = |more: &[&str]| run_in(&folder, &with(&["archive", "import", "--data", "data"], more));
    let first = import(&["a.quipu"]);
    assert_eq!((first.status, first.stderr.as_str()), (Some(0), ""));
    let second = import(&["b.quipu", "d.quipu"]);
    let ids: Value = serde_json::from_str(
        run_in(&folder, &["verify", "--json", "a.quipu"]).stdout.lines().next().expect("a verdict"),
    )
    .expect("JSON");
    let id = &ids["id"].as_str().expect("an id")[..12];
    let told = ["b", "d"].map(|name| {
        format!("{name}.quipu 1 is another sheet of the game of record {id}…: it is kept and does not count\n")
    });
    assert_eq!((second.status, second.stderr.as_str()), (Some(0), told.concat().as_str()));
    assert!(second.stdout.contains(" · unreadable: 0 · further sheets of the same games: 2\n"), "{}", second.stdout);
    // A record that is there already is not reported again.
    let again = import(&["--json", "b.quipu"]);
    assert_eq!((again.status, again.stderr.as_str()), (Some(0), ""));
    let summary: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!((&summary["duplicate"], summary.get("sheets")), (&json!(1), None));
    let checked = run_in(&folder, &["archive", "check", "--data", "data"]);
    assert_eq!(checked.status, Some(0), "{checked:#?}");
}

#[test]
fn an_import_tells_of_contradictions() {
    let folder = folder(&[("1.quipu", FIRST), ("2.quipu", &second("0b0 0D0C\n1-0", "0b0 0D0E\n1-0"))]);
    let run = run_in(&folder, &["archive", "import", "--json", "--data", "data", "1.quipu", "2.quipu"]);
    assert_eq!(run.status, Some(1));
    let words = "2.quipu 1 contradicts ";
    assert!(run.stderr.starts_with(words), "{}", run.stderr);
    let words = "…: they differ at ply 4; “0D0C” there, “0D0E” here; both count, except in a tournament, until one of them is corrected or retracted\n";
    assert!(run.stderr.ends_with(words), "{}", run.stderr);
    let summary: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&summary["new"], &summary["contradictions"], summary.get("sheets")), (&json!(2), &json!(1), None));
}

/// A sheet whose date cannot be right is of another game by its tags; that is told, and both count.
#[test]
fn a_game_that_is_repeated_under_other_tags_is_pointed_out() {
    let cup = text("andes/cup.quipu");
    let first = cup.split_inclusive("\n\n").take(2).collect::<String>();
    let (_, date) = first.split_once("[Date \"").expect("a date");
    let (date, _) = date.split_once('"').expect("its end");
    let other = first.replace(date, "2026.13.12");
    let folder = folder(&[("a.quipu", &first), ("b.quipu", &other)]);
    let expected = "has the moves, the players and the result of a.quipu 1, and counts as another game";
    let verified = run_in(&folder, &["verify", "a.quipu", "b.quipu"]);
    assert_eq!(verified.status, Some(0));
    assert!(verified.stdout.contains(expected), "{}", verified.stdout);
    let standings = run_in(&folder, &["standings", "a.quipu", "b.quipu"]);
    assert_eq!(standings.status, Some(0));
    assert!(standings.stderr.contains(&format!("b.quipu 1: this record {expected}")), "{}", standings.stderr);
}
