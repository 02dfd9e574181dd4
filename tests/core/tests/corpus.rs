//! Every fixture of every game: what an independent implementation computed, we find too.

use std::{collections::BTreeSet, num::NonZero};

use quipu_notation::record::{Reader, Record, write};
use quipu_referee::{
    Lang, Referee, games,
    report::{self, VerdictReport},
};
use quipu_tests_core::{bytes, every, every_object, every_row, text, verdicts};
use serde_json::Value;

/// Runs `check` with the folder of each game.
fn each_game(check: impl Fn(&str, &dyn Referee)) {
    for game in games::ALL {
        check(game.notation().id, *game);
    }
}

/// The pairs of code and ply, the form in which diagnostics are compared.
fn findings(verdict: &Value) -> BTreeSet<(String, Option<u64>)> {
    let diagnostics = verdict["diagnostics"].as_array().expect("a list");
    diagnostics
        .iter()
        .map(|found| (found["code"].as_str().expect("a code").to_owned(), found["ply"].as_u64()))
        .collect()
}

#[track_caller]
fn check_verdicts(folder: &str, name: &str) {
    for file in every(folder, name, "quipu") {
        let expected = text(&file.replace(".quipu", ".verdicts.ndjson"));
        let expected: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let found = verdicts(bytes(&file).as_slice());
        assert_eq!(found.len(), expected.len(), "{file}: number of records");
        for (index, (found, expected)) in (1..).zip(found.iter().zip(&expected)) {
            let report = report::verdict(found, index, Lang::En);
            check_line(&report);
            check_line(&VerdictReport { file: Some("Ñuñoa \\ \"1\""), part: Some("1"), ..report });
            let found = serde_json::to_value(report::verdict(found, index, Lang::En)).expect("it is a tree");
            for field in ["index", "status", "plies", "position", "termination", "result", "winner", "points", "id"] {
                assert_eq!(found[field], expected[field], "{file} {index}: {field} in {found:#}");
            }
            assert_eq!(findings(&found), findings(expected), "{file} {index}: {found:#}");
        }
    }
}

/// A line of JSON that is written field by field is the serialized report.
#[track_caller]
fn check_line(report: &VerdictReport<'_>) {
    let (mut line, mut serialized) = (b"before".to_vec(), b"before".to_vec());
    report.append_to(&mut line);
    report::write(report, &mut serialized).expect("memory takes everything");
    assert_eq!(line, serialized, "{}", String::from_utf8_lossy(&line));
}

#[test]
fn games_have_their_verdicts() {
    each_game(|folder, _| check_verdicts(folder, "games"));
}

#[test]
fn loosely_written_games_have_the_same_verdicts() {
    each_game(|folder, _| check_verdicts(folder, "loose"));
}

#[test]
fn broken_games_have_their_verdicts() {
    each_game(|folder, _| check_verdicts(folder, "mutants"));
}

#[test]
fn the_sample_tournament_is_verified() {
    let found = verdicts(bytes("andes/cup.quipu").as_slice());
    assert_eq!(found.len(), 56);
    for (index, verdict) in (1..).zip(&found) {
        assert_eq!(report::verdict(verdict, index, Lang::En).status, "verified", "game {index}");
        assert_eq!(verdict.diagnostics, [], "game {index}");
    }
}

#[test]
fn legal_moves_are_those_listed() {
    each_game(|folder, game| {
        for row in every_object(folder, "positions") {
            let (rules, position) = (row["rules"].as_str(), row["position"].as_str());
            let board = game.board(rules, position).expect("a good position");
            let moves: Vec<_> = row["moves"].as_array().expect("a list").iter().map(Value::as_str).collect();
            let found = board.legal_moves();
            assert_eq!(found.iter().map(|token| Some(token.as_str())).collect::<Vec<_>>(), moves, "{position:?}");
        }
    });
}

#[test]
fn illegal_moves_have_their_codes() {
    each_game(|folder, game| {
        for [rules, position, token, code] in every_row(folder, "illegal") {
            let mut board = game.board(Some(&rules), Some(&position)).expect("a good position");
            let found = board.play(&token).map_err(|message| message.code.id);
            assert_eq!(found, Err(code.as_str()), "{token} in {position}");
            assert_eq!(board.position(), position, "a refused move changes nothing");
        }
    });
}

#[test]
fn positions_are_read_or_refused() {
    each_game(|folder, game| {
        for [rules, position, code] in every_row(folder, "setups") {
            match game.board(Some(&rules), Some(&position)) {
                Ok(board) => assert_eq!((board.position().as_str(), "-"), (position.as_str(), code.as_str())),
                Err(faults) => {
                    assert!(!faults.is_empty());
                    assert!(faults.iter().all(|fault| fault.message.code.id == code), "{position}: {faults:?}");
                }
            }
        }
    });
}

#[test]
fn perft_counts() {
    let threads = NonZero::new(2).expect("not zero");
    each_game(|folder, game| {
        for [rules, position, depth, nodes] in every_row(folder, "perft") {
            let board = game.board(Some(&rules), Some(&position)).expect("a good position");
            let depth = depth.parse().expect("a number");
            assert_eq!(board.perft(depth, threads).to_string(), nodes, "{position} at {depth}");
            assert_eq!(board.perft(depth, NonZero::<usize>::MIN).to_string(), nodes, "{position} at {depth}");
            let divided: u64 = board.divide(depth, threads).iter().map(|(_, nodes)| nodes).sum();
            assert_eq!(divided.to_string(), nodes, "{position} at {depth}, divided");
        }
    });
}

/// Runs `check` with every record of a file that can be read.
fn each_record(file: &str, mut check: impl FnMut(&Record<'_>, &str)) {
    let bytes = bytes(file);
    let mut reader = Reader::new(bytes.as_slice());
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        for record in chunk.records().flatten() {
            let span = record.span.range();
            check(&record, std::str::from_utf8(&chunk.text()[span]).expect("it was read"));
        }
    }
}

#[test]
fn canonical_games_are_written_as_they_stand() {
    each_game(|folder, game| {
        for file in every(folder, "games", "quipu") {
            each_record(&file, |record, written| {
                assert_eq!(game.canonical(record), format!("{written}\n\n"));
                assert_eq!(write::as_written(record), format!("{written}\n\n"));
            });
        }
    });
}
