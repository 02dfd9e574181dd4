//! Writes a record as a game of hnefatafl.org.

use serde::{Serialize, Serializer};

use super::{
    super::{
        FINAL_TOKEN, SIZE, Setup,
        setup::{START, setup_tag},
    },
    names::{self, FOREIGN, first, times, variant},
    read,
};
use crate::{
    Side,
    games::Unwritable,
    record::{BASE_RULES, Outcome, Record},
};

/// The fields, in the order of the server.
#[derive(Serialize)]
struct Game<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    attackers: &'r str,
    defenders: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rated: Option<bool>,
    variant: &'r str,
    dim: usize,
    sw: bool,
    efe: bool,
    atkf: bool,
    start: String,
    moves: String,
    time_control: Option<TimeControl>,
    time_remaining_ms: Option<TimeRemaining<'r>>,
    messages: [(); 0],
    /// Also if it is empty: it tells the reader that quipu wrote the moves.
    #[serde(serialize_with = "as_map")]
    quipu: Vec<(&'r str, &'r str)>,
}

#[derive(Serialize)]
struct TimeControl {
    main_time_seconds: u64,
    increment_length: u64,
}

#[derive(Serialize)]
struct TimeRemaining<'r> {
    attackers: u64,
    defenders: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_move: Option<&'r str>,
}

/// Writes a record, on one line.
pub(super) fn write(record: &Record<'_>) -> Result<String, Unwritable> {
    if let Some(index) = record.movetext.plies.iter().position(|ply| !is_written(&ply.token)) {
        return Err(Unwritable::Token(index));
    }
    let mut text = serde_json::to_string(&game(record)).map_err(|_| Unwritable::Large)?;
    text.push('\n');
    Ok(text)
}

/// True for a token that the reader gives back.
fn is_written(text: &str) -> bool {
    let written = token(text);
    let is_resignation = matches!(text, "---" | "resigns");
    !is_resignation && read::token(&written, None).as_deref().unwrap_or(&written) == text
}

fn game<'r>(record: &'r Record<'_>) -> Game<'r> {
    let kept = |name: &str| record.value(&format!("{FOREIGN}{name}"));
    let id = kept("id").and_then(|id| id.parse().ok().filter(|number: &u64| number.to_string() == id));
    let rated = kept("rated").and_then(|rated| rated.parse().ok());
    let times = record.value("TimeControl").and_then(times);
    let rules = record.value("Rules").unwrap_or(BASE_RULES);
    let setup = record.value("Setup");
    let arranged = setup.and_then(|setup| Setup::parse(setup).ok());
    let begins = arranged.map_or_else(|| first(rules), |setup| setup.turn);
    let (rows, start) = match arranged {
        Some(Setup { diagram, .. }) => {
            let mut start = String::new();
            let written = diagram.write_otg(&mut start);
            debug_assert!(written.is_ok(), "a String takes everything");
            (diagram.to_string(), start)
        }
        // It is the same from either end.
        None => (START.to_owned(), format!("/{START}/")),
    };
    let remaining = remaining(record, begins, times, kept("last_move"));
    let mut moves: Vec<_> = record.movetext.plies.iter().map(|ply| token(&ply.token)).collect();
    let resigned = resigned(record, begins);
    if resigned {
        moves.push("---".to_owned());
    }
    let mut quipu = Vec::new();
    for tag in &record.tags {
        let (name, value) = (&*tag.name, &*tag.value);
        let has_field = match name {
            // A tag with the name of the final token would be read as that.
            "Game" | "Rules" | "Setup" | FINAL_TOKEN => true,
            "Rojos" | "Negros" => !value.is_empty(),
            "TimeControl" => times.is_some(),
            "Termination" => resigned,
            "Hnefatafl_id" => id.is_some(),
            "Hnefatafl_rated" => rated.is_some(),
            "Hnefatafl_last_move" => remaining.is_some(),
            _ => false,
        };
        if !has_field {
            quipu.push((name, value));
        }
    }
    if names::rules(variant(rules)).unwrap_or(variant(rules)) != rules {
        quipu.push(("Rules", rules));
    }
    if let Some(setup) = setup
        && setup_tag(&rows, begins, first(rules)).as_deref() != Some(setup)
    {
        quipu.push(("Setup", setup));
    }
    let told = record.value("Result").and_then(Outcome::parse);
    let of_moves = resigned.then(|| record.outcome());
    if let Some(token) = record.result.map(|result| result.value).filter(|token| told.or(of_moves) != Some(*token)) {
        quipu.push((FINAL_TOKEN, token.as_str()));
    }
    Game {
        id,
        attackers: record.value("Rojos").unwrap_or_default(),
        defenders: record.value("Negros").unwrap_or_default(),
        rated,
        variant: variant(rules),
        dim: SIZE,
        sw: false,
        efe: false,
        atkf: begins == Side::Two,
        start,
        moves: moves.join(" "),
        time_control: times
            .map(|(main_time_seconds, increment_length)| TimeControl { main_time_seconds, increment_length }),
        time_remaining_ms: remaining,
        messages: [],
        quipu,
    }
}

/// True if the end of the game is the resignation of the side to move, which is written after the moves.
fn resigned(record: &Record<'_>, begins: Side) -> bool {
    let side = if record.movetext.plies.len().is_multiple_of(2) { begins } else { !begins };
    record.value("Termination") == Some("resignation") && record.outcome() == Outcome::Win(!side)
}

/// The last clocks of both sides, or all of their time; nothing if a clock is missing.
fn remaining<'r>(
    record: &Record<'_>,
    begins: Side,
    times: Option<(u64, u64)>,
    last_move: Option<&'r str>,
) -> Option<TimeRemaining<'r>> {
    let plies = &record.movetext.plies;
    let (seconds, increment) = times?;
    if increment > 0 {
        return None;
    }
    let left = |side: Side| {
        let parity = usize::from(side != begins);
        match (0..plies.len()).rev().find(|index| index % 2 == parity) {
            Some(last) => plies[last].clock.map(|clock| clock.value),
            None => seconds.checked_mul(1000),
        }
    };
    plies.iter().any(|ply| ply.clock.is_some()).then_some(())?;
    Some(TimeRemaining { attackers: left(Side::Two)?, defenders: left(Side::One)?, last_move })
}

/// A move with an `x` before each capture.
fn token(token: &str) -> String {
    match token.split_once('x') {
        Some((moved, captures)) if !moved.is_empty() => format!("{moved}x{}", captures.replace('/', "x")),
        _ => token.to_owned(),
    }
}

fn as_map<S: Serializer>(tags: &[(&str, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(tags.iter().copied())
}
