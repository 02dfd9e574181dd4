//! `replay`, `position`, `moves`, `play` and `perft`: they print what the library and the fixtures say.

use std::iter::once;

use quipu_notation::record::Reader;
use quipu_referee::{Lang, Referee, messages::catalog};
use quipu_tests_service::{
    bytes, every, every_object, every_row,
    program::{Run, run, run_with},
    text,
};
use serde_json::Value;

use crate::{GOOD, OVER, START, each_game};

/// One fixture in so many is enough here: `corpus.rs` checks them all, and a program has to be started for each.
const SAMPLE: usize = 10;

fn lines(run: &Run) -> Vec<&str> {
    run.stdout.lines().collect()
}

/// The positions of a record's replay, the start first.
fn positions(game: &dyn Referee, file: &str) -> Vec<Vec<String>> {
    let bytes = bytes(file);
    let mut reader = Reader::new(bytes.as_slice());
    let mut replays = Vec::new();
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        for record in chunk.records().flatten() {
            let mut board = game.start(&record).expect("it can be replayed");
            let start = board.position();
            let after = record.movetext.plies.iter().map(|ply| {
                board.play(&ply.token).expect("it is legal");
                board.position()
            });
            replays.push(once(start).chain(after).collect());
        }
    }
    replays
}

#[test]
fn replays_are_those_of_the_library() {
    each_game(|folder, game| {
        for file in every(folder, "games", "quipu") {
            for (number, expected) in (1..).zip(positions(game, &file)) {
                let file = format!("fixtures/{file}");
                let run = run(&["replay", &file, "--record", &format!("{number}"), "--positions"]);
                assert_eq!(lines(&run), expected, "{file} {number}");
            }
        }
    });
}

#[test]
fn a_part_of_a_replay() {
    let game = quipu_referee::games::find("andes").expect("it is in the table");
    let all = &positions(game, "andes/games.quipu")[2];
    assert!(all.len() > 12, "it is long enough");
    let last = all.len() - 1;
    let check = |options: &[&str], expected: &[String]| {
        let call = ["replay", "fixtures/andes/games.quipu", "--record", "3", "--positions"];
        let run = run(&[&call[..], options].concat());
        assert_eq!((lines(&run), run.status), (expected.iter().map(String::as_str).collect(), Some(0)), "{options:?}");
    };
    check(&[], all);
    check(&["--ply", "0"], &all[..1]);
    check(&["--ply", "7"], &all[7..8]);
    check(&["--from", "5"], &all[5..]);
    check(&["--to", "5"], &all[..=5]);
    check(&["--from", "3", "--to", "9"], &all[3..=9]);
    check(&["--from", "4", "--to", "4"], &all[4..=4]);
    check(&["--ply", &last.to_string()], &all[last..]);
    check(&["--to", "4294967295"], all);
    check(&["--from", &(last + 1).to_string()], &[]);
}

#[test]
fn boards_of_a_replay() {
    let boards = run_with(&["replay", "-", "--lang", "en"], GOOD.as_bytes()).stdout;
    let headings: Vec<_> = boards.split("\n\n").filter_map(|board| board.lines().next()).collect();
    let end = "4. Luna 0D0C  1-0 by one side's absence from the continent";
    assert_eq!(headings, ["Start position", "1. Sol 0a1", "2. Luna 0D0", "3. Sol 0b0", end]);
    // Every board but the first has the squares of the last move in brackets: one placed on, two of a movement.
    let marks: Vec<_> = boards.split("\n\n").map(|board| board.matches('[').count()).collect();
    assert_eq!(marks[..5], [0, 1, 1, 1, 2]);
}

#[test]
fn a_replay_goes_as_far_as_it_can() {
    let record = b"[Game \"andes\"]\n\n1. 0d3 2A3\n2. 0g9 2A2\n*\n";
    let run = run_with(&["replay", "-", "--positions", "--lang", "en"], record);
    assert_eq!(run.status, Some(1));
    assert_eq!(run.stdout.lines().count(), 3);
    let told = "-:4:4: andes.notation: After the mark there must be a scale, 0 to 6, and here it says “9”.\n";
    assert_eq!(run.stderr, told);
}

#[test]
fn a_record_that_is_not_there() {
    let run = run_with(&["replay", "-", "--record", "3", "--lang", "en"], GOOD.as_bytes());
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: there is no record 3: the input has 1\n"), "{run:#?}");
}

/// Turns a position into another form and says what is printed.
#[track_caller]
fn turned(game: &str, position: &str, form: &str) -> String {
    let run = run(&["position", game, "--to", form, position]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{position}");
    run.stdout.strip_suffix('\n').expect("a line").to_owned()
}

#[test]
fn positions_are_turned_into_other_forms_and_back() {
    for line in text("andes/positions.ndjson").lines().step_by(SAMPLE) {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let position = row["position"].as_str().expect("a position");
        let (diagram, _) = position.split_once(' ').expect("the rows come first");
        assert_eq!(turned("andes", position, "position"), position);
        assert_eq!(turned("andes", position, "diagram"), diagram);
        assert_eq!(turned("andes", diagram, "diagram"), diagram);
        let log = turned("andes", position, "log");
        assert_eq!(turned("andes", diagram, "log"), log);
        if !log.is_empty() {
            assert_eq!(turned("andes", &log, "diagram"), diagram);
            assert_eq!(turned("andes", &log, "log"), log);
        }
    }
}

/// Output can be read again, an empty board too.
#[test]
fn the_log_of_an_empty_board_is_read_back() {
    let log = turned("andes", START, "log");
    assert_eq!(turned("andes", &log, "diagram"), "7/7/7/7/7/7/7");
}

#[test]
fn a_log_begins_with_either_sign() {
    assert_eq!(turned("andes", "+0.D3;-2.A3;", "diagram"), "7/7/7/C2a3/7/7/7");
    assert_eq!(turned("andes", "-2.A3;+0.D3;", "diagram"), "7/7/7/C2a3/7/7/7");
    assert_eq!(turned("andes", "-2.A3", "log"), "-2.A3;");
    let after = run(&["position", "andes", "--to", "diagram", "--", "-2.A3;"]).stdout;
    assert_eq!(after, "7/7/7/C6/7/7/7\n");
}

#[test]
fn positions_are_read_from_standard_input() {
    for input in [START.to_owned(), format!("{START}\n"), format!("{START}\r\n")] {
        let run = run_with(&["position", "andes", "--to", "position", "-"], input.as_bytes());
        assert_eq!((run.stdout, run.status), (format!("{START}\n"), Some(0)));
    }
    let run = run_with(&["position", "andes", "--to", "diagram", "-"], b"-2.A3;\n");
    assert_eq!(run.stdout, "7/7/7/C6/7/7/7\n");
}

#[test]
fn without_a_position_the_start_is_taken() {
    assert_eq!(run(&["position", "andes", "--to", "position"]).stdout, format!("{START}\n"));
    assert_eq!(run(&["position", "andes"]), run(&["position", "andes", "--to", "board", START]));
}

#[test]
fn positions_are_accepted_or_refused() {
    each_game(|folder, _| {
        for [rules, position, code] in every_row(folder, "setups") {
            let run = run(&["position", folder, "--rules", &rules, "--to", "position", "--", &position]);
            if code == "-" {
                assert_eq!(run, Run { status: Some(0), stdout: format!("{position}\n"), stderr: String::new() });
            } else {
                assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{position}");
                assert!(run.stderr.contains(&format!("{code}: ")), "{position}: {run:#?}");
            }
        }
    });
}

#[test]
fn a_refused_position_shows_where() {
    let run = run(&["position", "andes", "7/7/7/3x3/7/7/7", "--lang", "en"]);
    let told = "  ╭─ position:1:8
1 │ 7/7/7/3x3/7/7/7
  │        ^
  ╰─
andes.position: “x” is not a piece: Sol uses a, b, c and d, and Luna uses A, B, C and D.
";
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(1), "", told));
}

#[test]
fn every_game_gives_its_position_and_its_diagram() {
    each_game(|folder, _| {
        let position = text(&format!("{folder}/positions.ndjson")).lines().next().map(|line| {
            let row: Value = serde_json::from_str(line).expect("JSON");
            row["position"].as_str().expect("a position").to_owned()
        });
        let position = position.expect("there is one");
        let (diagram, _) = position.split_once(' ').expect("the rows come first");
        assert_eq!(turned(folder, &position, "position"), position);
        assert_eq!(turned(folder, &position, "diagram"), diagram);
        assert_eq!(turned(folder, diagram, "diagram"), diagram);
    });
}

/// A fault that is in one part of a position stands under that part.
#[test]
fn several_faults_of_a_position_each_show_where() {
    let run = run(&["position", "pastores", "5/5/5/5/5 n 53-53 11 1", "--lang", "en"]);
    let told = "  ╭─ position:1:13
1 │ 5/5/5/5/5 n 53-53 11 1
  │             ^^^^^
  ╰─
  ╭─ position:1:19
1 │ 5/5/5/5/5 n 53-53 11 1
  │                   ^^
  ╰─
  ╭─ position:1:19
1 │ 5/5/5/5/5 n 53-53 11 1
  │                   ^^
  ╰─
pastores.position: The number of stones that Sur has left to place is 8, and with that turn and the count of plies at 1 it must be 7.
pastores.position: The countdown of one against one is written - or a number from 0 to 10, without leading zeros, and here it says “11”.
pastores.position: The countdown of one against one cannot run while stones are being placed: a hyphen belongs here.
";
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(1), "", told));
}

/// Every fault of a position is told, not only the first.
#[test]
fn all_faults_of_a_position_are_told() {
    let run = run(&["position", "andes", "7/7/7/3a3/7/7/7 l 7-7 0-0 - - 2", "--lang", "en"]);
    assert_eq!(run.stderr.lines().count(), 4, "{run:#?}");
}

#[test]
fn moves_are_those_of_the_fixtures() {
    each_game(|folder, _| {
        for row in every_object(folder, "positions").into_iter().step_by(SAMPLE) {
            let [rules, position] = ["rules", "position"].map(|name| row[name].as_str().expect("a text"));
            let moves: Vec<_> = row["moves"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            let run = run(&["moves", folder, "--rules", rules, "--position", position]);
            assert_eq!((lines(&run), run.stderr.as_str(), run.status), (moves, "", Some(0)), "{position}");
        }
    });
}

#[test]
fn moves_of_the_start() {
    let start = run(&["moves", "andes"]);
    assert_eq!(start, run(&["moves", "andes", "--position", START, "--rules", "base"]));
    assert_eq!(start.stdout.lines().count(), 69);
    assert!(start.stdout.lines().is_sorted(), "in the order of their bytes");
}

#[test]
fn a_refused_token_has_its_code() {
    each_game(|folder, game| {
        for [rules, position, token, code] in every_row(folder, "illegal").into_iter().step_by(SAMPLE) {
            let run = run(&["play", folder, "--rules", &rules, "--position", &position, "--lang", "en", "--", &token]);
            let mut board = game.board(Some(&rules), Some(&position)).expect("a good position");
            let message = board.play(&token).expect_err("it is refused");
            assert_eq!(run.stdout, format!("ERROR 1 {code}\n"), "{token} in {position}");
            assert_eq!(run.stderr, format!("{}\n", catalog().message(&message, Lang::En)), "{token} in {position}");
            assert_eq!(run.status, Some(1));
        }
    });
}

#[test]
fn play_prints_the_position_after_each_token() {
    each_game(|folder, game| {
        for file in every(folder, "games", "quipu") {
            let bytes = bytes(&file);
            let mut reader = Reader::new(bytes.as_slice());
            let mut replays = positions(game, &file).into_iter();
            while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
                for (record, expected) in chunk.records().flatten().zip(&mut replays) {
                    let rules = record.value("Rules").unwrap_or("base").to_owned();
                    let call = ["play", folder, "--rules", &rules, "--position", &expected[0], "--"];
                    let tokens = record.movetext.plies.iter().map(|ply| &*ply.token);
                    let run = run(&call.into_iter().chain(tokens).collect::<Vec<_>>());
                    assert_eq!(
                        (lines(&run), run.status),
                        (expected[1..].iter().map(String::as_str).collect(), Some(0))
                    );
                }
            }
        }
    });
}

#[track_caller]
fn plays(arguments: &[&str], expected: &str) {
    let run = run(&[&["play", "andes"], arguments].concat());
    let status = Some(i32::from(expected.contains("ERROR")));
    assert_eq!((run.stdout.as_str(), run.status), (expected, status), "{run:#?}");
    assert_eq!(run.stderr.is_empty(), status == Some(0), "{run:#?}");
}

#[test]
fn play_stops_at_the_first_that_is_refused() {
    plays(&[], "");
    plays(&["0d3"], "7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1\n");
    plays(&["0d3", "0d3", "nonsense"], "7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1\nERROR 2 andes.2.4\n");
    plays(&["0d3", "--", "-0A3"], "7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1\nERROR 2 andes.notation\n");
    plays(&["--", "-"], "ERROR 1 andes.notation\n");
    plays(&["--", "--rules"], "ERROR 1 andes.notation\n");
    plays(&[""], "ERROR 1 andes.notation\n");
    plays(&["--position", OVER, "0a3"], "ERROR 1 record.after-end\n");
    let finished = run(&["play", "andes", "0a1", "0D0", "0b0", "0D0C", "0a2"]).stdout;
    assert_eq!(finished.lines().last(), Some("ERROR 5 record.after-end"));
}

#[test]
fn play_refuses_the_start_too() {
    plays(&["--position", "7/7", "0d3"], "ERROR 0 andes.position\n");
    plays(&["--position", "7/7"], "ERROR 0 andes.position\n");
    plays(&["--position", "", "0d3"], "ERROR 0 andes.position\n");
    plays(&["--position", "-7/7", "0d3"], "ERROR 0 andes.position\n");
    plays(&["--rules", "quick", "0d3"], "ERROR 0 record.rules\n");
}

#[test]
fn perft_counts() {
    each_game(|folder, _| {
        for [rules, position, depth, nodes] in every_row(folder, "perft") {
            let call = ["perft", folder, &depth, "--rules", &rules, "--position", &position];
            let counted = run(&call);
            assert_eq!((counted.stdout, counted.status), (format!("{nodes}\n"), Some(0)), "{position} at {depth}");
            let counted = run(&[&call[..], &["--divide", "--jobs", "2"]].concat());
            let mut divided: Vec<_> = counted.stdout.lines().collect();
            assert_eq!(divided.pop(), Some(nodes.as_str()), "{position} at {depth}: the sum comes last");
            assert!(divided.is_sorted(), "{position} at {depth}: in the order of their bytes");
            let count = |line: &&str| line.split_once(' ').and_then(|(_, nodes)| nodes.parse::<u64>().ok());
            let sum: u64 = divided.iter().map(|line| count(line).expect("a token and a number")).sum();
            assert_eq!(sum.to_string(), nodes, "{position} at {depth}");
        }
    });
}

#[test]
fn perft_divides_by_the_legal_moves() {
    let moves = run(&["moves", "andes"]).stdout;
    let divided = run(&["perft", "andes", "1", "--divide"]).stdout;
    let expected = moves.lines().map(|token| format!("{token} 1\n")).collect::<String>() + "69\n";
    assert_eq!(divided, expected);
    let one = run(&["perft", "andes", "3", "--jobs", "1"]);
    assert_eq!(one, run(&["perft", "andes", "3", "--jobs", "8"]));
}

/// A board of `OpenTafl` is another form of a diagram; what it cannot say is not made up.
#[test]
fn boards_of_opentafl_are_turned_and_back() {
    for row in every_object("brandubh", "positions").into_iter().step_by(SAMPLE) {
        let [rules, position] = ["rules", "position"].map(|name| row[name].as_str().expect("a text"));
        let (diagram, _) = position.split_once(' ').expect("the rows come first");
        let ranks: Vec<_> = diagram.split('/').rev().collect();
        let otg = format!("/{}/", ranks.join("/"));
        for (text, form, expected) in [(diagram, "otg", &*otg), (&otg, "diagram", diagram), (&otg, "otg", &otg)] {
            assert_eq!(turned("brandubh", text, form), expected);
        }
        let run = run(&["position", "brandubh", "--rules", rules, "--to", "otg", position]);
        assert_eq!(run.stdout, format!("{otg}\n"));
    }
    let run = run(&["position", "brandubh", "--to", "position", "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
}

#[test]
fn the_start_is_that_of_the_rule_set() {
    for (rules, turn) in [("base", "n 0"), ("cuervo", "n 0"), ("nielsen", "r 0")] {
        let start = format!("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 {turn}\n");
        assert_eq!(run(&["position", "brandubh", "--rules", rules, "--to", "position"]).stdout, start);
    }
}
