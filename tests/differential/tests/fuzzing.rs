//! The fuzz targets that need no service, each with its corpus and five seconds of damage. The long form is `libFuzzer`'s, in `tests/fuzz`.

use std::time::Duration;

use quipu_differential::{
    targets::{TARGETS, Target},
    throw,
};

#[track_caller]
fn check(name: &str) {
    let (name, target): Target = TARGETS.into_iter().find(|(known, _)| *known == name).expect("it is in the table");
    let count = throw(name, target, Duration::from_secs(5));
    println!("{name}: {count} inputs");
}

#[test]
fn any_form() {
    check("read");
}

#[test]
fn text() {
    check("text");
}

#[test]
fn json() {
    check("json");
}

#[test]
fn csv() {
    check("csv");
}

#[test]
fn otg() {
    check("otg");
}

#[test]
fn hnefatafl() {
    check("hnefatafl");
}

#[test]
fn pgn() {
    check("pgn");
}

#[test]
fn positions_and_moves() {
    check("position");
}

#[test]
fn streaming() {
    check("stream");
}

#[test]
fn differential() {
    check("differential");
}

#[test]
fn judged_while_reading() {
    check("judge");
}
