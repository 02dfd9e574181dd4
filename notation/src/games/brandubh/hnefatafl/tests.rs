//! Games of hnefatafl.org compared with equivalent records, and faults with their spans.

use std::borrow::Cow;

use super::{
    super::{sample::with_record, setup::START},
    HNEFATAFL,
    read::{HnefataflFault, read},
    write::write,
};
use crate::{
    Span,
    games::Unwritable,
    record::{Chunk, Limit, ReadErrorKind, Record, limits, write::as_written},
};

/// A game with all that the server writes.
const GAME: &str = r#"{"id": 53464, "attackers": "ana", "defenders": "luis", "rated": true, "variant": "brandubh-nielsen", "dim": 7,
"sw": false, "efe": false, "start": "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/", "moves": "a4-a3 d5-a5 d6-a6xa5xb3 ---",
"time_control": {"main_time_seconds": 900, "increment_length": 0},
"time_remaining_ms": {"attackers": 890000, "defenders": 880001, "last_move": "2026-06-21T22:05:55.449Z"}, "messages": []}"#;

/// The text of a record.
fn text(game: &str) -> String {
    as_written(&read(game).unwrap())
}

/// A game of the board with these fields.
fn game(fields: &str) -> String {
    format!("{{\"variant\": \"brandubh-base\", \"dim\": 7, {fields}}}")
}

#[track_caller]
fn moves(moves: &str, tokens: &str) {
    let game = game(&format!("\"atkf\": false, \"moves\": \"{moves}\""));
    let record = read(&game).unwrap();
    let found: Vec<_> = record.movetext.plies.iter().map(|ply| &*ply.token).collect();
    assert_eq!(found.join(" "), tokens);
    for ply in &record.movetext.plies {
        assert!(matches!(ply.token, Cow::Owned(_)) || game[ply.span.range()] == *ply.token);
    }
}

/// Asserts the parts that are left out.
#[track_caller]
fn leaves_out(game: &str, parts: &[&str]) {
    let record = read(game).unwrap();
    assert_eq!(record.dropped.iter().map(|dropped| &*dropped.what).collect::<Vec<_>>(), parts);
}

#[track_caller]
fn refused(game: &str, kind: impl Into<ReadErrorKind>, found: &str) {
    let error = read(game).unwrap_err();
    assert_eq!((error.kind, &game[error.span.range()]), (kind.into(), found), "{game}");
}

impl From<HnefataflFault> for ReadErrorKind {
    fn from(fault: HnefataflFault) -> Self {
        Self::Syntax(fault.into())
    }
}

#[test]
fn a_game_is_a_record() {
    assert_eq!(
        text(GAME),
        "[Game \"brandubh\"]\n[Rules \"nielsen\"]\n[Negros \"luis\"]\n[Rojos \"ana\"]\n\
         [Hnefatafl_id \"53464\"]\n[Hnefatafl_last_move \"2026-06-21T22:05:55.449Z\"]\n[Hnefatafl_rated \"true\"]\n\
         [Termination \"resignation\"]\n[TimeControl \"900\"]\n\n1. a4-a3 d5-a5 {[%clk 0:14:40.001]}\n\
         2. d6-a6xa5/b3 {[%clk 0:14:50.000]}\n0-1\n\n"
    );
    leaves_out(GAME, &[]);
    // Written again it is the same, but for spaces and the side that begins.
    let written = write(&read(GAME).unwrap()).unwrap();
    let plain = GAME.replace("\": ", "\":").replace(", \"", ",\"").replace(",\n", ",");
    let plain = plain.strip_suffix('}').unwrap();
    assert_eq!(written.replace("\"atkf\":true,", ""), format!("{plain},\"quipu\":{{}}}}\n"));
}

#[test]
fn variants_name_rule_sets() {
    for (variant, rules) in [
        ("brandubh", Some("nielsen")),
        ("brandub", Some("nielsen")),
        ("brandubh-base", None),
        ("brandubh-cuervo", Some("cuervo")),
        ("copenhagen", Some("copenhagen")),
    ] {
        let game = format!("{{\"dim\": 7, \"atkf\": false, \"variant\": \"{variant}\"}}");
        assert_eq!(read(&game).unwrap().value("Rules"), rules);
        leaves_out(&game, &[]);
    }
    leaves_out("{\"dim\": 7}", &["\"variant\""]);
    assert_eq!(read("{\"dim\": 7}").unwrap().dropped[0].assumed, Some("nielsen"));
    assert_eq!(read("{\"dim\": 7}").unwrap().value("Rules"), Some("nielsen"));
}

#[test]
fn starts_and_sides() {
    let setup = |fields: &str| read(&game(fields)).unwrap().value("Setup").map(str::to_owned);
    assert_eq!(setup("\"atkf\": false"), None);
    assert_eq!(setup("\"start\": \"/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/\""), Some(format!("{START} r 1")));
    assert_eq!(setup("\"atkf\": false, \"start\": \"/t6/7/7/3K3/7/7/7/\""), Some("7/7/7/3K3/7/7/t6 n 0".to_owned()));
    assert_eq!(setup("\"quipu\": {\"Setup\": \"7 x\"}"), Some("7 x".to_owned()));
    assert_eq!(setup("\"quipu\": {\"Setup\": \"\"}"), Some(String::new()));
}

#[test]
fn moves_have_their_captures_but_the_king() {
    moves("d3-c3 d2-c2xc3xd4", "d3-c3 d2-c2xc3");
    moves("d4-d5 a1-b1xd5 d5-e5 a1-a2xe5xd5/f1", "d4-d5 a1-b1 d5-e5 a1-a2xd5/f1");
    moves("d4-c3xb3 a1-a2xc3", "d4-c3xb3 a1-a2");
    moves(" d3-c3\\u0020d2-c2 ", "d3-c3 d2-c2");
    moves("Kd3-c3 xa1 zz", "Kd3-c3 xa1 zz");
    let resigned = game("\"moves\": \"resigns\"");
    assert_eq!(read(&resigned).unwrap().value("Termination"), Some("resignation"));
}

#[test]
fn clocks_are_those_of_the_last_moves() {
    let clocks = |fields: &str| -> (Vec<Option<u64>>, usize) {
        let game = game(&format!("\"moves\": \"a4-a3 d5-a5 d6-a6\", {fields}"));
        let record = read(&game).unwrap();
        let clocks = record.movetext.plies.iter().map(|ply| ply.clock.map(|clock| clock.value)).collect();
        (clocks, record.dropped.len())
    };
    assert_eq!(clocks("\"time_remaining_ms\": [5, 7]"), (vec![None, Some(7), Some(5)], 0));
    assert_eq!(
        clocks("\"time_remaining_ms\": {\"attackers\": -5, \"defenders\": null}"),
        (vec![None, None, Some(0)], 1)
    );
    let increment = "\"time_control\": {\"main_time_seconds\": 900, \"increment_length\": 10}";
    assert_eq!(clocks(&format!("\"time_remaining_ms\": [5, 7], {increment}")), (vec![None; 3], 1));
    assert_eq!(read(&game(increment)).unwrap().value("TimeControl"), Some("900 10i"));
    let unplayed = |left: &str| {
        let control = "\"time_control\": {\"main_time_seconds\": 900}";
        read(&game(&format!("{control}, \"time_remaining_ms\": {left}"))).unwrap().dropped.len()
    };
    assert_eq!((unplayed("[900000, 900000]"), unplayed("[900000, 1]")), (0, 1));
}

#[test]
fn parts_without_a_place_are_reported() {
    leaves_out(
        &game(
            "\"sw\": true, \"efe\": false, \"messages\": [{\"username\": \"a\"}], \"new\": {\"x\": [1, 2]}, \"none\": null",
        ),
        &["\"sw\": true", "\"messages\": [{\"username\": \"a\"}]", "\"new\": {\"x\": [1, 2]}"],
    );
    leaves_out(
        &game("\"quipu\": {\"Game\": \"x\", \"Rojos\": \"b\"}, \"attackers\": \"a\""),
        &["\"Game\": \"x\"", "a"],
    );
    leaves_out(&game("\"time_remaining_ms\": {\"attackers\": -25}"), &["-25"]);
}

#[test]
fn own_rules_have_precedence() {
    let rules = |own: &str| read(&game(&format!("\"quipu\": {own}"))).unwrap().value("Rules").map(str::to_owned);
    assert_eq!(rules("{}"), None);
    assert_eq!(rules("{\"Rules\": \"brandubh\"}"), Some("brandubh".to_owned()));
    assert_eq!(rules("{\"Rules\": \"\"}"), Some(String::new()));
    assert_eq!(rules("{\"Rules\": \"base\"}"), None);
    // Names that the server has for other rule sets, and a start position that depends on the rule set.
    for rules in ["brandubh", "brandub", "brandubh-base", "brandubh-nielsen", "copenhagen", "nielsen", ""] {
        kept(&format!("[Rules \"{rules}\"]\n\n1. d3-c3 *"));
    }
}

/// Asserts that a record is written without a loss and read as the same.
#[track_caller]
fn kept(text: &str) {
    with_record(text, |record| {
        let (game, lost) = HNEFATAFL.written(record).unwrap();
        assert_eq!(lost, [], "{game}");
        let again = read(&game).unwrap();
        assert_eq!(again.dropped, [], "{game}");
        for tag in &record.tags {
            assert_eq!(again.value(&tag.name), Some(&*tag.value), "{game}");
        }
        assert_eq!(again.tags.len(), record.tags.len(), "{game}");
        let tokens =
            |record: &Record<'_>| record.movetext.plies.iter().map(|ply| ply.token.to_string()).collect::<Vec<_>>();
        assert_eq!((tokens(&again), again.outcome()), (tokens(record), record.outcome()), "{game}");
    });
}

#[test]
fn values_without_text_are_kept() {
    kept(
        "[Rojos \"\"]\n[Negros \"\"]\n[Result \"\"]\n[Setup \"\"]\n[Termination \"\"]\n[TimeControl \"\"]\n\n1. d3-c3 1-0",
    );
}

/// A record may claim the capture of a king, as a game of the server tells it; only there it is no claim.
#[test]
fn own_moves_are_read_as_they_are_written() {
    kept("\n1. d3-c3 a1-b1xd4 Kd4-d5+ a1-a2xd5 d5-e5 a1-a2xKe5/f1 xa1 zz *");
    moves("Kd4-d5+ a1-a2xKd5xf1 Kd5-Ke5-- a1-a2xe5+", "Kd4-d5+ a1-a2xf1 Kd5-Ke5-- a1-a2");
    let literal = game("\"moves\": \"a1-a2xd4\", \"quipu\": {}");
    assert_eq!(read(&literal).unwrap().movetext.plies[0].token, "a1-a2xd4");
    for token in ["---", "resigns", "a1-b1xc1xd1"] {
        with_record(&format!("\n1. d2-e2 {token}"), |record| {
            assert_eq!(write(record), Err(Unwritable::Token(1)), "{token}");
        });
    }
}

#[test]
fn results_are_carried() {
    for (own, tag, token) in [
        ("\"Result\": \"1-0\"", Some("1-0"), Some("1-0")),
        ("\"Result\": \"won\"", Some("won"), None),
        ("\"result\": \"0-1\"", None, Some("0-1")),
        ("\"Result\": \"won\", \"result\": \"*\"", Some("won"), Some("*")),
    ] {
        let game = game(&format!("\"quipu\": {{{own}}}"));
        let record = read(&game).unwrap();
        assert_eq!(record.value("Result"), tag);
        assert_eq!(record.result.map(|result| result.value.as_str()), token);
        assert_eq!(as_written(&read(&write(&record).unwrap()).unwrap()), as_written(&record));
    }
}

#[test]
fn faults_have_their_place() {
    use HnefataflFault::{Board, NoSize, Resigned, Rows, Value};
    refused("{\"dim\": 11, \"start\": 1}", Board, "11");
    refused(" {\"rated\": true}", NoSize, "{");
    refused(&game("\"start\": \"/7/7/7/7/7/7/6A/\""), Rows, "A");
    refused(&game("\"start\": \"/3t3/3t3/\""), Rows, "3t3/3t3");
    for value in ["1", "\"x\"", "[]"] {
        assert!(read(&game(&format!("\"rated\": {value}"))).is_err());
    }
    refused(&game("\"rated\": yes"), Value, "yes");
    refused(&game("\"id\": 007"), Value, "007");
    refused(&game("\"id\": -1"), Value, "-1");
    refused(&game("\"time_remaining_ms\": [1, 2, 3]"), Value, "3");
    refused(&game("\"quipu\": {\"result\": \"won\"}"), Value, "won");
    refused(&game("\"moves\": \"--- a1-a2\""), Resigned, "a1-a2");
    refused(&game("\"time_remaining_ms\": [-007, 1]"), Value, "-007");
    refused(&game("\"time_remaining_ms\": [+1, 1]"), Value, "+1");
    let twice = "{\"dim\": 7, \"dim\": 7}";
    refused(twice, ReadErrorKind::Tag { first: Span::new(2, 5) }, "dim");
    for (field, name) in [
        ("quipu", "Event"),
        ("quipu", "Setup"),
        ("time_control", "increment_length"),
        ("time_remaining_ms", "defenders"),
    ] {
        let value = if field == "quipu" { "\"\"" } else { "0" };
        let twice = format!("{{\"dim\": 7, \"{field}\": {{\"{name}\": {value}, \"{name}\": null}}}}");
        let first = twice.find(name).unwrap();
        refused(&twice, ReadErrorKind::Tag { first: Span::new(first, first + name.len()) }, name);
    }
    for broken in
        ["", "{", "{}x", "[]", "{\"dim\"}", "{\"dim\": 7,}", "{\"attackers\": 7}", "{\"moves\": \"(\", \"dim\": 7}"]
    {
        assert!(read(broken).is_err(), "{broken}");
    }
}

#[test]
fn limits_are_kept() {
    let filled = |length: usize| "x".repeat(length);
    let token = |length| game(&format!("\"moves\": \"{}\"", filled(length)));
    assert!(read(&token(limits::TOKEN)).is_ok());
    refused(&token(limits::TOKEN + 1), ReadErrorKind::Limit(Limit::Token), &filled(limits::TOKEN + 1));
    let value = |length| game(&format!("\"attackers\": \"{}\"", filled(length)));
    assert!(read(&value(limits::VALUE)).is_ok());
    refused(&value(limits::VALUE + 1), ReadErrorKind::Limit(Limit::Value), &filled(limits::VALUE + 1));
    let plies = |count| game(&format!("\"moves\": \"{}\"", "x ".repeat(count)));
    assert!(read(&plies(limits::PLIES)).is_ok());
    refused(&plies(limits::PLIES + 1), ReadErrorKind::Limit(Limit::Plies), "x");
    // Values of fields that are not known may nest at any depth.
    let deep = 1_000_000;
    let nested = game(&format!("\"new\": {}{}", "[".repeat(deep), "]".repeat(deep)));
    assert!(read(&nested).is_ok());
    assert!(read(&game(&format!("\"new\": {}", "[".repeat(deep)))).is_err());
}

/// With any part missing or doubled, the text is a record or a fault, and all spans are inside the text. A record is unchanged by
/// writing and reading it.
#[test]
fn any_text_is_read_or_refused() {
    let stable = |record: &Record<'_>, text: &str| {
        let written = as_written(record);
        let again: Vec<_> = Chunk::new(written.as_bytes()).records().map(|again| as_written(&again.unwrap())).collect();
        assert_eq!(again, [&*written], "{text}");
        if let Ok(game) = write(record) {
            assert_eq!(write(&read(&game).unwrap()).as_ref(), Ok(&game), "{text}");
        }
    };
    let check = |text: &str| match read(text) {
        Ok(record) => {
            assert!(record.movetext.plies.iter().all(|ply| text.get(ply.span.range()).is_some()));
            assert!(record.tags.iter().all(|tag| text.get(tag.span.range()).is_some()));
            assert!(record.dropped.iter().all(|dropped| text.get(dropped.span.range()).is_some()));
            stable(&record, text);
        }
        Err(error) => assert!(text.get(error.span.range()).is_some(), "{text}"),
    };
    let odd = game(
        "\"quipu\": {\"Site\": \"a\\u0022\", \"Result\": \"1-0\", \"result\": \"*\"}, \"new\": [{}], \"moves\": \"\\u0078\"",
    );
    for game in [GAME, &odd] {
        for (at, character) in game.char_indices() {
            let (before, after) = (&game[..at], &game[at + character.len_utf8()..]);
            check(before);
            check(&format!("{before}{after}"));
            for sign in [
                "{", "}", "[", "]", ":", ",", "\"", "\\", "-", "1", "ñ", " ", "\n", "null", "x", "/", "\u{a0}",
                "\u{85}", "\u{2003}", "\u{feff}",
            ] {
                check(&format!("{before}{sign}{after}"));
            }
        }
    }
}
