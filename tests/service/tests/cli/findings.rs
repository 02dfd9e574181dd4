//! Findings as people read them: all faults of a record in one run, errors first, a cascade once, advice last; and `fmt`, which
//! leaves the evidence of a missing turn alone.

use std::fs;

use quipu_tests_service::{
    bytes,
    program::{Run, run, run_with},
};
use serde_json::Value;

use crate::GOOD;

/// The output of `verify` on a text.
fn verified(text: &str, lang: &str) -> Run {
    run_with(&["verify", "-", "--lang", lang, "--color", "never"], text.as_bytes())
}

/// The verdicts on a text, as JSON.
fn json(text: &str) -> Vec<Value> {
    let run = run_with(&["verify", "-", "--json", "--lang", "en"], text.as_bytes());
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The heads of findings: their sign, code and message.
fn heads(run: &Run) -> Vec<&str> {
    let is_head = |line: &&str| ["    × ", "    ! ", "    i "].iter().any(|sign| line.starts_with(sign));
    run.stdout.lines().filter(is_head).map(str::trim_start).collect()
}

fn codes<'v>(verdict: &'v Value, list: &str) -> Vec<&'v str> {
    let found = verdict[list].as_array().map_or(&[][..], Vec::as_slice);
    found.iter().map(|one| one["code"].as_str().expect("a code")).collect()
}

/// The second record of the sample cup without its seventh turn.
fn without_a_turn() -> String {
    record_without(1, 7)
}

/// A record of the sample cup without a turn.
fn record_without(index: usize, turn: usize) -> String {
    let cup = String::from_utf8(bytes("andes/cup.quipu")).expect("UTF-8");
    let record = cup.split("\n\n[Game").nth(index).expect("there are many");
    let (record, turn) = (format!("[Game{}", record.trim_start_matches("[Game")), format!("{turn}. "));
    let lines: Vec<_> = record.lines().filter(|line| !line.starts_with(&turn)).collect();
    assert_eq!(lines.len() + 1, record.lines().count(), "it has that turn");
    lines.join("\n") + "\n\n"
}

#[test]
fn all_bad_clocks_of_a_sheet_are_told_in_one_run() {
    let rows: String = (1..=14).map(|number| format!("{number},0d3,soon,2A3,later\n")).collect();
    let sheet = format!("#Game: andes\nn,sol,sol_clock,luna,luna_clock\n{rows}");
    let run = verified(&sheet, "en");
    assert_eq!(run.status, Some(1));
    assert_eq!(heads(&run).len(), 28, "{}", run.stdout);
    assert!(heads(&run).iter().all(|head| head.starts_with("× record.syntax")), "{}", run.stdout);
    // The correction is the one for cells, and shown once.
    assert_eq!(run.stdout.matches("help: Correct the cell at the place given.").count(), 1, "{}", run.stdout);
    assert!(!run.stdout.contains("law:"), "{}", run.stdout);
    assert_eq!(codes(&json(&sheet)[0], "diagnostics"), vec!["record.syntax"; 28]);
    let converted = run_with(&["convert", "-", "--to", "quipu"], sheet.as_bytes());
    assert_eq!(converted.stderr.lines().count(), 28, "{}", converted.stderr);
}

#[test]
fn the_error_comes_before_the_numbers() {
    let text = without_a_turn();
    let run = verified(&text, "en");
    let heads = heads(&run);
    assert!(heads[0].starts_with("× "), "{heads:#?}");
    assert!(heads[1].starts_with("! record.number"), "{heads:#?}");
    let cascade = "From 8 on, every number is one too high: a turn is missing between 6 and 8.";
    assert!(heads[1].ends_with(cascade), "{heads:#?}");
    assert!(run.stdout.contains("From 8 on") && !run.stdout.contains("more in the same record"), "{}", run.stdout);
    let spanish = verified(&text, "es");
    assert!(spanish.stdout.contains("falta un turno entre 6 y 8"), "{}", spanish.stdout);
    // Programs get each number.
    let verdict = &json(&text)[0];
    assert!(codes(verdict, "diagnostics").iter().filter(|code| **code == "record.number").count() > 1, "{verdict:#}");
}

/// Whichever move is refused then, the numbers after it tell of the turn too.
#[test]
fn a_missing_turn_is_told_of_every_record() {
    let mut refused = 0;
    for (index, turn) in (0..8).flat_map(|index| [(index, 5), (index, 7)]) {
        let text = record_without(index, turn);
        if !text.contains(&format!("\n{}. ", turn + 2)) {
            continue;
        }
        let run = verified(&text, "en");
        let (before, behind) = (turn - 1, turn + 1);
        let cascade =
            format!("From {behind} on, every number is one too high: a turn is missing between {before} and {behind}.");
        let heads = heads(&run);
        assert!(heads.iter().any(|head| head.ends_with(&cascade)), "{index}: {}", run.stdout);
        let is_refused =
            json(&text)[0]["diagnostics"].as_array().expect("a list").iter().any(|one| one["token"].is_string());
        let likelier = "most likely a turn is missing before this move: the numbers jump\n";
        assert_eq!(run.stdout.contains(likelier), is_refused, "{index}: {}", run.stdout);
        refused += usize::from(is_refused);
    }
    assert!(refused >= 4, "{refused}");
}

/// The suggestions stand under their error, before the warnings.
#[test]
fn suggestions_stand_under_their_error() {
    let text = "[Game \"andes\"]\n\n1. 0d3 2A3\n3. 2a1 0D0\n4. 0a0 0D1\n*\n";
    let run = verified(text, "en");
    let place = |said: &str| run.stdout.find(said).unwrap_or_else(|| panic!("{said}: {}", run.stdout));
    let order = [
        "× andes.3.6",
        "most likely a turn is missing before this move: the numbers jump",
        "you may have meant: ",
        "! record.number",
    ];
    assert!(order.map(place).is_sorted(), "{}", run.stdout);
    let spanish = verified(text, "es");
    assert!(spanish.stdout.contains("falte un turno antes de esta jugada"), "{}", spanish.stdout);
    // Without a jump only the moves are told.
    let run = verified(&text.replace("3. ", "2. ").replace("4. ", "3. "), "en");
    assert!(run.stdout.contains("you may have meant: ") && !run.stdout.contains("most likely"), "{}", run.stdout);
}

#[test]
fn errors_are_never_cut() {
    let text = format!("[Game \"andes\"]\n\n0d3{}\n", " }".repeat(50));
    assert_eq!(heads(&verified(&text, "en")).len(), 50);
}

#[test]
fn bytes_of_another_encoding_are_one_finding() {
    let text = b"[Game \"andes\"]\n[Sol \"P\xe9rez, Jos\xe9\"]\n[Luna \"Mu\xf1oz\"]\n\n1. 0d3 }\n*\n";
    let run = run_with(&["verify", "-", "--lang", "en"], text);
    let heads = heads(&run);
    assert_eq!(heads.len(), 2, "{heads:#?}");
    assert!(heads[0].contains("Other places like it: 2; the last is on line 3."), "{heads:#?}");
    assert!(heads[1].contains("closing brace"), "{heads:#?}");
}

/// Asserts that a tag gets advice that changes nothing and names the likely value.
#[track_caller]
fn check_advice(tag: &str, code: &str, said: &str) {
    let text = GOOD.replace("[Result", &format!("{tag}\n[Result"));
    let [verdict] = &json(&text)[..] else { panic!("one record") };
    assert_eq!((verdict["status"].as_str(), codes(verdict, "diagnostics")), (Some("verified"), Vec::new()), "{tag}");
    assert_eq!(codes(verdict, "advice"), [code], "{tag}");
    let advice = &verdict["advice"][0];
    assert!(advice["message"].as_str().expect("a sentence").contains(said), "{advice:#}");
    assert_eq!(advice["line"], 2, "{advice:#}");
    let run = verified(&text, "en");
    assert_eq!(run.status, Some(0), "{tag}");
    let heads = heads(&run);
    assert!(heads.len() == 1 && heads[0].starts_with(&format!("i {code}")), "{heads:#?}");
    assert!(!run.stdout.contains("law:"), "it breaks none: {}", run.stdout);
}

#[test]
fn slips_in_tags_get_advice() {
    check_advice("[Soll \"Ana\"]", "advice.tag", "did you mean Sol?");
    check_advice("[Termiation \"continent\"]", "advice.tag", "did you mean Termination?");
    check_advice("[Ronda \"3\"]", "advice.tag", "did you mean Round?");
    check_advice("[Date \"2026.13.45\"]", "advice.date", "no day “2026.13.45”");
    check_advice("[Date \"12/08/2026\"]", "advice.date", "2026.08.12, 2026.12.08");
    check_advice("[Round \"uno\"]", "advice.round", "did you mean 1?");
    check_advice("[Leg \"7\"]", "advice.leg", "Leg is 1 or 2");
    check_advice("[TimeControl \"12+5\"]", "advice.time-control", "720 seconds");
}

#[test]
fn records_without_slips_have_no_advice() {
    let run = run(&["verify", "--json", "fixtures/andes/cup.quipu"]);
    assert!(!run.stdout.contains("\"advice\""), "{}", run.stdout);
}

#[test]
fn misspelt_games_are_recognized() {
    for (tag, code, said) in [
        ("[game \"andes\"]", "advice.tag", "did you mean Game?"),
        ("[Juego \"andes\"]", "advice.tag", "did you mean Game?"),
        ("[Game \"Andes\"]", "record.game", "did you mean andes?"),
        ("[Game \"anders\"]", "record.game", "did you mean andes?"),
    ] {
        let run = verified(&format!("{tag}\n\n0d3 *\n"), "en");
        assert_eq!(run.status, Some(1), "{tag}");
        let heads = heads(&run);
        assert!(
            heads.iter().any(|head| head.contains(code) && head.ends_with(said) || head.contains(said)),
            "{heads:#?}"
        );
    }
}

#[test]
fn terminations_in_spanish_are_recognized_and_the_list_is_whole() {
    for (value, meant) in [("tiempo", "time"), ("abandono", "resignation, abandoned"), ("Continente", "continent")] {
        let run = verified(&GOOD.replace("[Result", &format!("[Termination \"{value}\"]\n[Result")), "en");
        assert_eq!(run.status, Some(1), "{value}");
        assert!(run.stdout.contains(&format!("did you mean: {meant}? ")), "{}", run.stdout);
        assert!(run.stdout.contains("agreement, adjudication, abandoned."), "{}", run.stdout);
    }
}

#[test]
fn clocks_in_another_form_get_advice() {
    for (clock, said) in [
        ("{[%clk 9:37]}", "it may be 0:09:37.000, 9:37:00.000"),
        ("{[%clk 0:09:62]}", "“0:09:62” was not read as a clock: it is not one"),
        ("{9:37}", "it may be 0:09:37.000"),
        ("{[%CLK 0:11:30]}", "“0:11:30” was not read as a clock"),
        ("{[%clk 0:11:35,906]}", "it may be 0:11:35.906"),
    ] {
        let verdict = &json(&format!("[Game \"andes\"]\n\n1. 0d3 2A3 {clock} *\n"))[0];
        assert_eq!(verdict["status"], "incomplete");
        assert_eq!(codes(verdict, "advice"), ["advice.clock"], "{clock}");
        let advice = &verdict["advice"][0];
        assert_eq!((&advice["ply"], &advice["line"]), (&Value::from(2), &Value::from(3)), "{advice:#}");
        assert!(advice["message"].as_str().expect("a sentence").contains(said), "{advice:#}");
    }
    let verdict = &json(r#"{"game":"andes","moves":["0d3",{"move":"2A3","comment":"[%clk 9:37]"}]}"#)[0];
    assert_eq!(codes(verdict, "advice"), ["advice.clock"]);
    assert_eq!(verdict["advice"][0]["ply"], 2);
    let verdict = &json("#Game: andes\nn,sol,luna,notas\n1,0d3,2A3,9:37\n")[0];
    assert_eq!(codes(verdict, "advice"), ["advice.clock"]);
    // Comments with other numbers give no advice.
    for comment in ["{a [%clk 0:11:30] b}", "{12:30:15 pm}", "{3:2 en casa}", "{[nota] 9:37 h}"] {
        let verdict = &json(&format!("[Game \"andes\"]\n\n1. 0d3 {comment} *\n"))[0];
        assert_eq!(codes(verdict, "advice"), [] as [&str; 0], "{comment}");
    }
}

#[test]
fn an_empty_line_between_tags_is_explained() {
    let text = "[Game \"andes\"]\n[Sol \"Ana\"]\n\n[Luna \"Luis\"]\n\n1. 0d3 *\n";
    let [first, second] = &json(text)[..] else { panic!("two records") };
    assert_eq!(codes(first, "advice"), [] as [&str; 0]);
    assert_eq!(codes(second, "diagnostics"), ["record.game"]);
    let message = second["diagnostics"][0]["message"].as_str().expect("a sentence");
    assert!(message.contains("an empty line separates it from the tags that begin on line 1"), "{message}");
    assert_eq!(codes(second, "advice"), ["advice.blank-line"]);
    // Records of only tags give no such advice.
    let stubs = json(
        "[Game \"andes\"]\n[Round \"1\"]\n\n[Game \"andes\"]\n[Round \"2\"]\n\n[Event \"x\"]\n[Game \"andes\"]\n*\n",
    );
    assert_eq!(stubs.len(), 3);
    assert!(stubs.iter().all(|verdict| codes(verdict, "advice").is_empty()), "{stubs:#?}");
}

#[test]
fn names_that_differ_by_one_letter_get_advice_across_records() {
    let record =
        |sol: &str, luna: &str| GOOD.replace("[Result", &format!("[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result"));
    let text = [
        record("Quispe Mamani, Rosa", "Toconás, Elena"),
        record("Toconas, Elena", "Quispe Mamani, Roza"),
        record("Quispe Mamani, Roza", "Toconás, Elena"),
    ];
    let verdicts = json(&text.join("\n"));
    assert_eq!(verdicts.iter().map(|verdict| codes(verdict, "advice").len()).collect::<Vec<_>>(), [0, 2, 0]);
    let same = verdicts[1]["advice"][0]["message"].as_str().expect("a sentence");
    assert!(same.starts_with("“Toconas, Elena” is “Toconás, Elena” in another spelling, "), "{same}");
    let advice = &verdicts[1]["advice"][1];
    assert_eq!((&advice["code"], &advice["line"]), (&Value::from("advice.player"), &Value::from(12)), "{advice:#}");
    let said = "“Quispe Mamani, Roza” differs by one letter from “Quispe Mamani, Rosa”, which is in this input too";
    assert!(advice["message"].as_str().expect("a sentence").contains(said), "{advice:#}");
}

/// `verify` and the tables find the same likeness of names.
#[test]
fn likeness_of_names_is_told_by_every_command() {
    let record = |event: &str, sol: &str, luna: &str| {
        let tags = format!("[Event \"{event}\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result");
        GOOD.replace("[Result", &tags) + "\n"
    };
    let text = record("Copa del Cusco", "Quispe, Rosa", "Mamani, Luis")
        + &record("Copa del Cuzco", "ROSA QUISPE", "Mamani, Luiz")
        + &record("Grupo A", "Ana", "Bo")
        + &record("Grupo B", "Bo", "Ana");
    let said: Vec<_> =
        json(&text).iter().filter_map(|verdict| verdict["advice"].as_array().cloned()).flatten().collect();
    let said: Vec<_> = said.iter().map(|advice| advice["message"].as_str().expect("a sentence")).collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].starts_with("“ROSA QUISPE” is “Quispe, Rosa” in another spelling, "), "{said:#?}");
    assert!(said[1].starts_with("“Mamani, Luiz” differs by one letter from “Mamani, Luis”, "), "{said:#?}");
    for command in ["standings", "score", "rank"] {
        let run = run_with(&[command, "-", "--lang", "en"], text.as_bytes());
        let expected = [
            "this may be one player: “Mamani, Luis”, “Mamani, Luiz”; merge the names with --aliases",
            "this may be one player: “Quispe, Rosa”, “ROSA QUISPE”; merge the names with --aliases",
            "this may be one event: “Copa del Cusco”, “Copa del Cuzco”; write its name the same way in all records",
        ];
        let found: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("this may be one ")).collect();
        assert_eq!((run.status, found), (Some(0), expected.to_vec()), "{command}");
    }
}

#[test]
fn fmt_leaves_numbers_in_doubt_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w5.quipu");
    let path = path.to_str().expect("UTF-8");
    let text = without_a_turn();
    fs::write(path, text.replacen("\n1. ", "\n1.  ", 1)).expect("it is written");
    let wrong = text.lines().skip_while(|line| !line.starts_with("8. ")).filter(|line| line.contains(". ")).count();
    let written = run(&["fmt", "--write", path, "--lang", "en"]);
    assert_eq!((written.status, written.stdout), (Some(0), format!("{path}\n")));
    let left = format!("{path}: move numbers that do not fit and were left as they are: {wrong}; ");
    assert!(written.stderr.starts_with(&left), "{}", written.stderr);
    assert_eq!(fs::read_to_string(path).expect("it is there"), text, "the evidence stays");
    assert_eq!(run(&["fmt", "--check", path]).status, Some(0), "it is stable");

    let checked = run(&["fmt", "--check", "--renumber", path, "--lang", "en"]);
    assert_eq!(checked.status, Some(1));
    assert_eq!(checked.stderr, format!("{path}: move numbers to correct: {wrong}\n"));
    let renumbered = run(&["fmt", "--write", "--renumber", path, "--lang", "en"]);
    assert_eq!(renumbered.status, Some(0));
    assert_eq!(renumbered.stderr, format!("{path}: move numbers corrected: {wrong}\n"));
    let now = fs::read_to_string(path).expect("it is there");
    assert!(now.contains("\n7. ") && !run(&["verify", path]).stdout.contains("record.number"), "{now}");
}

#[test]
fn fmt_keeps_numbers_of_every_kind() {
    let text = "[Game \"brandubh\"]\n\n1. d3-c3 d2-c2\n3. c3-d3 4... c2-d2\n d3-c3 d2-c2\n5. c3-d3 c2-d2\n*\n\n";
    let formatted = run_with(&["fmt"], text.as_bytes());
    assert_eq!(formatted.stdout, text);
    let loose = "[Game \"brandubh\"]\n1.d3-c3 1...d2-c2 3.c3-d3 {a} 4... c2-d2 d3-c3 d2-c2 5. c3-d3 5... c2-d2 *";
    assert_eq!(run_with(&["fmt"], loose.as_bytes()).stdout, text.replace("c3-d3 4", "c3-d3 {a} 4"));
    let right = loose.replace("3.c3", "2.c3").replace("4...", "2...").replace("5.", "4.");
    assert_eq!(run_with(&["fmt"], right.as_bytes()).stderr, "");
    assert!(run_with(&["fmt"], right.as_bytes()).stdout.contains("\n3. d3-c3 d2-c2\n4. c3-d3 c2-d2\n"));
}
