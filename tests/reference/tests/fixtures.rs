//! The expectations of the fixtures, held against the second judge: games, broken games, positions, refusals, set-ups, small perft.

use std::{collections::BTreeSet, fs, path::PathBuf};

use quipu_reference::{GAMES, Position, position, verdicts};
use serde_json::Value;

fn folder(game: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(game)
}

/// The files of a game with this name, and those of single rule sets.
fn files(game: &str, name: &str, ending: &str) -> Vec<PathBuf> {
    let all = [format!("{name}.{ending}"), format!("{name}.nielsen.{ending}")];
    let there: Vec<_> = all.iter().map(|file| folder(game).join(file)).filter(|file| file.exists()).collect();
    assert!(!there.is_empty(), "{game} has no {name}");
    there
}

fn lines(game: &str, name: &str, ending: &str) -> Vec<String> {
    let texts = files(game, name, ending).into_iter().map(|file| fs::read_to_string(file).expect("it is a text"));
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn good(game: &str, rules: &str, text: &str) -> Box<dyn Position> {
    position(game, rules, text).unwrap_or_else(|| panic!("{game} {rules} {text}"))
}

#[track_caller]
fn check_verdicts(name: &str) {
    for (game, ..) in GAMES {
        for file in files(game, name, "quipu") {
            let found = verdicts(&fs::read(&file).expect("it is there"));
            let expected = fs::read_to_string(file.with_extension("verdicts.ndjson")).expect("it is there");
            let expected: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let file = file.display();
            assert_eq!(found.len(), expected.len(), "{file}");
            for (found, expected) in found.iter().zip(&expected) {
                let at = format!("{file} {}: {found:?}\n{expected}", expected["index"]);
                assert_eq!(Some(found.status), expected["status"].as_str(), "{at}");
                assert_eq!(found.plies, expected["plies"].as_u64(), "{at}");
                assert_eq!(found.position.as_deref(), expected["position"].as_str(), "{at}");
                assert_eq!(found.termination.as_deref(), expected["termination"].as_str(), "{at}");
                assert_eq!(found.result.as_deref(), expected["result"].as_str(), "{at}");
                assert_eq!(found.winner.as_deref(), expected["winner"].as_str(), "{at}");
                let points = expected["points"].as_object().map(|points| [&points["sol"], &points["luna"]]);
                let points = points.map(|both| both.map(|points| points.as_u64().expect("a number")));
                assert_eq!(found.points, points, "{at}");
                assert_eq!(found.id.as_deref(), expected["id"].as_str(), "{at}");
                let findings = expected["diagnostics"].as_array().expect("a list").iter();
                let pair = |one: &Value| (one["code"].as_str().expect("a code").to_owned(), one["ply"].as_u64());
                assert_eq!(found.findings, findings.map(pair).collect(), "{at}");
            }
        }
    }
}

#[test]
fn games_have_their_verdicts() {
    check_verdicts("games");
}

#[test]
fn loosely_written_games_have_the_same_verdicts() {
    check_verdicts("loose");
}

#[test]
fn broken_games_have_their_verdicts() {
    check_verdicts("mutants");
}

#[test]
fn legal_moves_are_those_listed() {
    for (game, ..) in GAMES {
        for line in lines(game, "positions", "ndjson") {
            let row: Value = serde_json::from_str(&line).expect("JSON");
            let text = row["position"].as_str().expect("a position");
            let at = good(game, row["rules"].as_str().expect("rules"), text);
            let moves = row["moves"].as_array().expect("a list").iter();
            let moves: BTreeSet<String> = moves.map(|one| one.as_str().expect("a move").to_owned()).collect();
            assert_eq!(at.moves(usize::MAX).into_iter().collect::<BTreeSet<_>>(), moves, "{text}");
            for token in &moves {
                assert_eq!(at.again().play(token).as_ref(), Ok(token), "{text}");
            }
        }
    }
}

#[test]
fn illegal_moves_have_their_codes() {
    for (game, ..) in GAMES {
        for line in lines(game, "illegal", "tsv") {
            let fields: Vec<&str> = line.split('\t').collect();
            let mut at = good(game, fields[0], fields[1]);
            assert_eq!(at.play(fields[2]).as_deref(), Err(&fields[3]), "{line}");
            assert_eq!(at.text(), fields[1]);
        }
    }
}

#[test]
fn positions_are_read_or_refused() {
    for (game, ..) in GAMES {
        for line in lines(game, "setups", "tsv") {
            let fields: Vec<&str> = line.split('\t').collect();
            let read = position(game, fields[0], fields[1]).map(|at| at.text());
            assert_eq!(read.as_deref(), (fields[2] == "-").then_some(fields[1]), "{line}");
        }
    }
}

/// "the number of sequences of exactly `depth` legal plies. A game that is over has none."
fn sequences(at: &dyn Position, depth: u32) -> usize {
    if at.end().is_some() {
        return 0;
    }
    let moves = at.moves(usize::MAX);
    if depth == 1 {
        return moves.len();
    }
    let after = |token: &String| {
        let mut after = at.again();
        after.play(token).expect("it is legal");
        sequences(after.as_ref(), depth - 1)
    };
    moves.iter().map(after).sum()
}

#[test]
fn short_sequences_are_as_many() {
    let mut rows = 0;
    for (game, ..) in GAMES {
        for line in lines(game, "perft", "tsv") {
            let fields: Vec<&str> = line.split('\t').collect();
            let [depth, nodes] = [2, 3].map(|field: usize| fields[field].parse::<u32>().expect("a number"));
            if nodes < 20_000 {
                let found = sequences(good(game, fields[0], fields[1]).as_ref(), depth);
                assert_eq!(found.to_string(), fields[3], "{line}");
                rows += 1;
            }
        }
    }
    assert!(rows > 100, "{rows}");
}

#[test]
fn single_sentences_are_read_as_worked_out_by_hand() {
    for line in lines("brandubh", "readings", "tsv") {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, rules, text, token, canonical, after, end] = fields[..] else { panic!("{line}") };
        let mut at = good("brandubh", rules, text);
        assert_eq!(at.play(token).as_deref(), Ok(canonical), "{line}");
        assert_eq!(at.text(), after, "{line}");
        assert_eq!(at.end().map_or("-", |end| end.name), end, "{line}");
    }
}

#[test]
fn it_stands_alone() {
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("it is there");
    let (_, dependencies) = manifest.split_once("[dependencies]").expect("it says so");
    let (none, _) = dependencies.split_once('[').expect("more follows");
    assert_eq!(none.trim(), "");
}
