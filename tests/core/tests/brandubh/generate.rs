//! The fixtures of the rule set that nobody else has computed: made by the reference referee, from one seed.
//!
//! `UPDATE_EXPECTED=1 cargo test --package quipu-tests-core --test core brandubh` writes the files anew: look at what has changed
//! before you commit it. That the quick referee finds the same is in `corpus.rs`, as for all fixtures.

use std::{env, fs};

use quipu_notation::Side;
use quipu_tests_core::fixture;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{reference::Reference, rules, splitmix::SplitMix, token_like};

const SET: &str = "nielsen";

/// Compares a fixture with what the reference referee makes of it.
#[track_caller]
fn check(name: &str, made: &str) {
    let path = fixture(&format!("brandubh/{name}"));
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, made).expect("it is written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(made == expected, "{name} is not what the reference referee makes");
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it is a tree") + "\n"
}

/// A verdict as fixtures have it.
#[derive(Serialize)]
struct Verdict {
    index: usize,
    status: &'static str,
    plies: usize,
    position: Option<String>,
    termination: Option<&'static str>,
    result: Option<&'static str>,
    winner: Option<&'static str>,
    points: Option<()>,
    id: String,
    diagnostics: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    code: &'static str,
    severity: &'static str,
    ply: Option<usize>,
}

/// A game of chance: where it starts, unless from the start, its moves, and the position after them.
struct Played {
    setup: Option<String>,
    moves: Vec<String>,
    after: Reference,
}

impl Played {
    /// From the start or from an arrangement, up to its end or so many plies.
    fn new(random: &mut SplitMix, arranged: bool, plies: usize) -> Self {
        let start = loop {
            let start = if arranged { random.arrangement(*rules(SET)) } else { Reference::start(*rules(SET)) };
            if start.end().is_none() {
                break start;
            }
        };
        let setup = arranged.then(|| start.position());
        let (mut moves, mut after) = (Vec::new(), start);
        while moves.len() < plies {
            let legal = after.moves();
            if legal.is_empty() {
                break;
            }
            moves.push(after.play(&random.pick(&legal)).expect("it is legal"));
        }
        Self { setup, moves, after }
    }

    /// One that goes on.
    fn going_on(random: &mut SplitMix) -> Self {
        loop {
            let arranged = random.below(3) == 0;
            let plies = 4 + random.below(24);
            let played = Self::new(random, arranged, plies);
            if played.after.end().is_none() {
                return played;
            }
        }
    }

    /// One that the board ends so.
    fn ended(random: &mut SplitMix, end: &str, winner: Side) -> Self {
        loop {
            // A side that cannot move has few pieces and little room, which random play from the start does not reach.
            let played = if end == "immobile" {
                Self::new(random, true, 6)
            } else {
                let arranged = random.below(4) == 0;
                Self::new(random, arranged, 70)
            };
            if !played.moves.is_empty() && played.after.end() == Some((end_named(end), winner)) {
                return played;
            }
        }
    }

    /// The record in canonical form, with its id.
    fn record(&self, round: usize, result: &str, termination: Option<&str>) -> (String, String) {
        let people = ["Ana Quispe", "Luis Mamani", "Elsa Colque", "Nahuel Curín", "Luz Chindoy", "Inti Toaquiza"];
        let (black, red) = (people[round % 6], people[(round + 1 + round / 6) % 6]);
        let mut record = format!("[Game \"brandubh\"]\n[Rules \"{SET}\"]\n[Event \"Partidas al azar\"]\n");
        record += &format!("[Date \"2026.09.{:02}\"]\n[Round \"{round}\"]\n", round % 28 + 1);
        record += &format!("[Negros \"{black}\"]\n[Rojos \"{red}\"]\n[Result \"{result}\"]\n");
        if let Some(setup) = &self.setup {
            record += &format!("[Setup \"{setup}\"]\n");
        }
        if let Some(termination) = termination {
            record += &format!("[Termination \"{termination}\"]\n");
        }
        record += "\n";
        for (number, pair) in (1..).zip(self.moves.chunks(2)) {
            record += &format!("{number}. {}\n", pair.join(" "));
        }
        record += &format!("{result}\n\n");
        let id = Sha256::digest(&record).iter().map(|byte| format!("{byte:02x}")).collect();
        (record, id)
    }
}

/// The name as the table has it.
fn end_named(name: &str) -> &'static str {
    let ends = ["corner", "king-captured", "immobile"];
    ends.into_iter().find(|end| *end == name).expect("an end of the board")
}

fn result(winner: Side) -> &'static str {
    match winner {
        Side::One => "1-0",
        Side::Two => "0-1",
    }
}

fn winner(result: &str) -> Option<&'static str> {
    match result {
        "1-0" => Some("negros"),
        "0-1" => Some("rojos"),
        _ => None,
    }
}

#[test]
fn games() {
    let mut random = SplitMix::new(1);
    let (mut records, mut verdicts) = (String::new(), String::new());
    let mut add = |played: &Played, result: &'static str, termination: Option<&'static str>, declared: bool| {
        let index = verdicts.lines().count() + 1;
        // An end of the board need not be declared.
        let (record, id) = played.record(index, result, termination.filter(|_| declared || index % 2 == 0));
        records += &record;
        verdicts += &line(&Verdict {
            index,
            status: if result == "*" { "incomplete" } else { "verified" },
            plies: played.moves.len(),
            position: Some(played.after.position()),
            termination: termination.filter(|_| result != "*"),
            result: Some(result),
            winner: winner(result),
            points: None,
            id,
            diagnostics: Vec::new(),
        });
    };
    let board = [
        ("corner", Side::One, 5),
        ("king-captured", Side::Two, 5),
        ("immobile", Side::One, 2),
        ("immobile", Side::Two, 2),
    ];
    for (end, winner, times) in board {
        for _ in 0..times {
            let played = Played::ended(&mut random, end, winner);
            add(&played, result(winner), Some(end), false);
        }
    }
    let declared = [
        ("1-0", Some("resignation")),
        ("0-1", Some("resignation")),
        ("1-0", Some("time")),
        ("0-1", Some("time")),
        ("1/2-1/2", Some("agreement")),
        ("1/2-1/2", Some("adjudication")),
        ("0-1", Some("abandoned")),
        ("*", Some("abandoned")),
        ("*", None),
    ];
    for (result, termination) in declared {
        add(&Played::going_on(&mut random), result, termination, true);
    }
    check("games.nielsen.quipu", &records);
    check("games.nielsen.verdicts.ndjson", &verdicts);
}

/// The codes about a move that this rule set knows, in order of precedence: its king goes as far as he likes.
const CODES: [&str; 8] = [
    "brandubh.notation",
    "brandubh.empty",
    "brandubh.owner",
    "brandubh.piece",
    "brandubh.line",
    "brandubh.B-5",
    "brandubh.blocked",
    "brandubh.claim",
];

/// A token that the position refuses with this code, if chance finds one.
fn refused(position: &Reference, random: &mut SplitMix, code: &str) -> Option<String> {
    let legal = position.moves();
    let mut token = || {
        if code != "brandubh.claim" {
            return token_like(random);
        }
        let [claimed, from] = [0, 0].map(|_| random.pick(&legal)[..2].to_owned());
        let captures = random.pick(&legal).split_once('x').map_or(claimed, |(_, captures)| captures.to_owned());
        let uncaptured = legal.iter().find(|token| token.starts_with(&from)).expect("it is one of them");
        format!("{}x{captures}", &uncaptured[..5])
    };
    (0..3000).map(|_| token()).find(|token| position.clone().play(token) == Err(code))
}

#[test]
fn mutants() {
    let mut random = SplitMix::new(2);
    let (mut records, mut verdicts) = (String::new(), String::new());
    let mut add = |(record, id): (String, String), verdict: Verdict| {
        records += &record;
        verdicts += &line(&Verdict { index: verdicts.lines().count() + 1, id, ..verdict });
    };
    let found = |code, ply| vec![Found { code, severity: "error", ply }];
    let rejected = |plies, position, diagnostics| Verdict {
        index: 0,
        status: "rejected",
        plies,
        position,
        termination: None,
        result: None,
        winner: None,
        points: None,
        id: String::new(),
        diagnostics,
    };
    let mut round = 0;
    for code in CODES.iter().flat_map(|code| [*code; 2]) {
        let (mut played, wrong) = loop {
            let played = Played::going_on(&mut random);
            if let Some(wrong) = refused(&played.after, &mut random, code) {
                break (played, wrong);
            }
        };
        let plies = played.moves.len();
        let verdict = rejected(plies, Some(played.after.position()), found(code, Some(plies + 1)));
        // Moves after a fault are not judged.
        played.moves.extend([wrong, "a1-a1".to_owned()]);
        round += 1;
        add(played.record(round, "0-1", Some("resignation")), verdict);
    }
    for (end, winner) in [("corner", Side::One), ("king-captured", Side::Two)] {
        let mut played = Played::ended(&mut random, end, winner);
        let plies = played.moves.len();
        let finding = || Verdict {
            termination: Some(end),
            result: Some(result(winner)),
            winner: self::winner(result(winner)),
            ..rejected(plies, Some(played.after.position()), Vec::new())
        };
        let contradicted = Verdict { diagnostics: found("record.result", None), ..finding() };
        let gone_on = Verdict { diagnostics: found("record.after-end", Some(plies + 1)), ..finding() };
        add(played.record(round + 1, result(!winner), None), contradicted);
        // A move that would be legal if the game went on, as the position string alone may say (N-8).
        let read = Reference::read(*rules(SET), &played.after.position()).expect("it was written");
        played.moves.push(read.moves().first().cloned().unwrap_or("d4-d5".to_owned()));
        add(played.record(round + 2, result(winner), None), gone_on);
        round += 2;
    }
    // Red begins: the start of the other rule sets is none of this one.
    let setup = "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0".to_owned();
    let played = Played { setup: Some(setup), moves: vec!["d3-c3".to_owned()], after: Reference::start(*rules(SET)) };
    add(played.record(round + 1, "*", None), rejected(0, None, found("record.setup", None)));
    check("mutants.nielsen.quipu", &records);
    check("mutants.nielsen.verdicts.ndjson", &verdicts);
}

#[test]
fn positions() {
    #[derive(Serialize)]
    struct Row {
        rules: &'static str,
        position: String,
        moves: Vec<String>,
    }
    let mut random = SplitMix::new(3);
    let rows = (0..60).map(|_| {
        let position = Played::going_on(&mut random).after;
        line(&Row { rules: SET, position: position.position(), moves: position.moves() })
    });
    check("positions.nielsen.ndjson", &rows.collect::<String>());
}

#[test]
fn illegal() {
    let mut random = SplitMix::new(4);
    let mut rows = String::new();
    for code in CODES {
        let mut count = 0;
        while count < 16 {
            let position = Played::going_on(&mut random).after;
            if let Some(token) = refused(&position, &mut random, code) {
                rows += &format!("{SET}\t{}\t{token}\t{code}\n", position.position());
                count += 1;
            }
        }
    }
    check("illegal.nielsen.tsv", &rows);
}

#[test]
fn setups() {
    let mut random = SplitMix::new(5);
    let (mut good, mut bad) = (String::new(), String::new());
    for index in 0..24 {
        let position = random.arrangement(*rules(SET)).position();
        good += &format!("{SET}\t{position}\t-\n");
        let wrong = loop {
            let mut wrong = position.clone();
            if index % 4 == 0 {
                // It would be the other side's turn.
                let turn = if position.contains(" n ") { " r " } else { " n " };
                wrong = position.replace(" n ", turn).replace(" r ", turn);
            } else {
                let at = random.below(wrong.len());
                wrong
                    .replace_range(at..=at, random.pick(&["n", "r", "K", "T", "t", "1", "7", "8", "0", "/", " ", "-"]));
            }
            if Reference::read(*rules(SET), &wrong).is_none() {
                break wrong;
            }
        };
        bad += &format!("{SET}\t{wrong}\tbrandubh.position\n");
    }
    check("setups.nielsen.tsv", &(bad + &good));
}

#[test]
fn perft() {
    let mut random = SplitMix::new(6);
    let mut rows = String::new();
    let mut count = |position: &Reference, deepest| {
        for depth in 1..=deepest {
            rows += &format!("{SET}\t{}\t{depth}\t{}\n", position.position(), position.perft(depth));
        }
    };
    count(&Reference::start(*rules(SET)), 4);
    for _ in 0..10 {
        count(&Played::going_on(&mut random).after, 3);
    }
    check("perft.nielsen.tsv", &rows);
}
