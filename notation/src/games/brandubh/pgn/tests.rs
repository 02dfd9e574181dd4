//! Games in the style of PGN compared with equivalent records, and faults with their spans.

use super::{super::sample::with_record, PGN, read, write};
use crate::{
    games::Unwritable,
    record::{Chunk, ForeignFault, ReadErrorKind, SyntaxFault, write::as_written},
};

const GAME: &str =
    "[Event \"Game 7\"]\n[Site \"hnefatafl.org\"]\n[Date \"2026-05-01 18:00:00 +0000\"]\n\n1. a4a3 d5a5 2. d6a6\n";

#[test]
fn a_game_is_a_record() {
    let record = read(GAME).unwrap();
    assert_eq!(
        as_written(&record),
        "[Game \"brandubh\"]\n[Rules \"nielsen\"]\n[Event \"Game 7\"]\n[Site \"hnefatafl.org\"]\n\
         [Date \"2026-05-01 18:00:00 +0000\"]\n\n1. a4-a3 d5-a5\n2. d6-a6\n*\n\n"
    );
    let dropped: Vec<_> = record.dropped.iter().map(|dropped| (&*dropped.what, dropped.assumed)).collect();
    assert_eq!(dropped, [("[Rules]", Some("nielsen"))]);
    assert_eq!(&GAME[record.movetext.plies[2].span.range()], "d6a6");
    let written = write(&record).unwrap();
    let head = "[Variant \"brandubh\"]\n[Rules \"nielsen\"]\n";
    assert_eq!(written, format!("{head}{GAME}\n"));
    assert_eq!(read(&written).unwrap().dropped, []);
}

#[test]
fn tags_of_a_record_are_read_as_in_a_record() {
    let text = "[Rules \"base\"]\n[Result \"1-0\"]\n[Setup \"x\"]\n\n1. d3c3 {a} (d3e3 a1a2) d2-c2";
    let record = read(text).unwrap();
    assert_eq!((record.value("Rules"), record.value("Setup")), (None, Some("x")));
    assert_eq!(record.result.map(|result| result.value.as_str()), Some("1-0"));
    assert!(as_written(&record).contains("1. d3-c3 {a} (d3-e3 a1-a2) d2-c2\n1-0"), "{}", as_written(&record));
    assert_eq!(record.dropped, []);
    let other = read("[Game \"andes\"]\n[Rules \"base\"]\n\n1. d2e2 1-0 d2e2").unwrap();
    assert_eq!((other.value("Game"), &*other.dropped[0].what), (Some("andes"), "d2e2"));
}

/// Characters that are blanks in Unicode are a part of tokens in a record.
#[test]
fn the_rest_of_a_text_ends_before_blanks_of_a_record() {
    for blank in ["\u{a0}", "\u{85}", "\u{2003}", "\u{2028}", "\u{3000}"] {
        let text = format!("[Event \"x\"]\n\n1. d2e2 1-0 {blank}\n \t\r\n");
        let record = read(&text).unwrap();
        let dropped = record.dropped.iter().find(|dropped| dropped.assumed.is_none()).unwrap();
        assert_eq!((&*dropped.what, &text[dropped.span.range()]), (blank, blank));
    }
}

#[test]
fn the_game_is_named_by_either_tag() {
    let tags = |text: &str| -> Vec<(String, String)> {
        let record = read(text).unwrap();
        record.tags.iter().map(|tag| (tag.name.to_string(), tag.value.to_string())).collect()
    };
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let (game, rules) = (tag("Game", "brandubh"), tag("Rules", "nielsen"));
    assert_eq!(tags("[Variant \"brandubh\"]"), [game.clone(), rules.clone()]);
    assert_eq!(tags("[Variant \"tablut\"]"), [game.clone(), tag("Variant", "tablut"), rules]);
    // A game that names itself as records do has their default rule set.
    assert_eq!(tags("[Game \"brandubh\"]"), std::slice::from_ref(&game));
    assert_eq!(tags("[Variant \"brandubh\"]\n[Game \"brandubh\"]"), [tag("Variant", "brandubh"), game]);
}

#[test]
fn results_are_carried() {
    for (tags, token, carried) in [
        ("[Result \"1-0\"]\n", "1-0", None),
        ("[Result \"1-0\"]\n", "*", Some("*")),
        ("[Result \"1-0\"]\n", "0-1", Some("0-1")),
        ("[Result \"won\"]\n", "1/2-1/2", Some("1/2-1/2")),
        ("[Result \"\"]\n", "1-0", Some("1-0")),
        ("", "1-0", Some("1-0")),
        ("", "*", None),
    ] {
        with_record(&format!("{tags}\n1. d3-c3 {token}"), |record| {
            let (text, lost) = PGN.written(record).unwrap();
            assert_eq!(lost, [], "{text}");
            let again = read(&text).unwrap();
            assert_eq!((again.value("Result"), again.outcome()), (record.value("Result"), record.outcome()), "{text}");
            let tag = text.lines().find_map(|line| line.strip_prefix("[result \"")?.strip_suffix("\"]"));
            assert_eq!(tag, carried, "{text}");
        });
    }
    // A value that is no result stays a tag, and is lost when it is written.
    let odd = read("[result \"won\"]\n\n1. d2e2").unwrap();
    assert_eq!((odd.value("result"), odd.result), (Some("won"), None));
    let (_, lost) = PGN.written(&odd).unwrap();
    assert_eq!(lost.iter().map(|lost| &*lost.what).collect::<Vec<_>>(), ["[result \"won\"]"]);
}

#[test]
fn only_moves_are_written() {
    for (token, written) in [("d3-c3", Some("d3c3")), ("d3-c3xc4/b3+", Some("d3c3")), ("d3-c3--", Some("d3c3"))] {
        with_record(&format!("\n1. d2-e2 {token}"), |record| {
            let text = write(record).unwrap();
            assert_eq!(text.split_once("d2e2 ").map(|(_, text)| text.trim_end()), written);
        });
    }
    for token in ["Kd3-c3", "d3c3", "d3", "x", "h1-h3", "a1-b1x", "\u{a0}", "d3-c3xa1/a1"] {
        with_record(&format!("\n1. d2-e2 {token}"), |record| {
            assert_eq!(write(record), Err(Unwritable::Token(1)), "{token}");
        });
    }
}

#[test]
fn larger_boards_are_refused() {
    for token in ["h1h3", "a1a8", "k10k11", "a10b10", "d2h2"] {
        let text = format!("[Event \"x\"]\n\n1. d2e2 {token}");
        let error = read(&text).unwrap_err();
        let fault = ForeignFault { variant: "pgn-board", quotes: true };
        assert_eq!(error.kind, ReadErrorKind::Syntax(SyntaxFault::Foreign(fault)));
        assert_eq!(&text[error.span.range()], token);
    }
    for token in ["a1", "a1b", "a111b1", "A1b1", "a1b1c1", "ñ1b1", "x"] {
        let text = format!("[Event \"x\"]\n\n1. {token}");
        assert_eq!(read(&text).unwrap().movetext.plies[0].token, token);
    }
}

/// With any part missing or doubled, the text is a record or a fault, and all spans are inside the text.
#[test]
fn any_text_is_read_or_refused() {
    let check = |text: &str| match read(text) {
        Ok(record) => {
            assert!(record.movetext.plies.iter().all(|ply| text.get(ply.span.range()).is_some()));
            let written = as_written(&record);
            let again: Vec<_> =
                Chunk::new(written.as_bytes()).records().map(|again| as_written(&again.unwrap())).collect();
            assert_eq!(again, [&*written], "{text}");
            if let Ok(game) = write(&record) {
                assert_eq!(write(&read(&game).unwrap()).as_ref(), Ok(&game), "{text}");
            }
        }
        Err(error) => assert!(text.get(error.span.range()).is_some(), "{text}"),
    };
    check("");
    for (at, _) in GAME.char_indices() {
        let (before, after) = (&GAME[..at], &GAME[at + 1..]);
        check(before);
        check(&format!("{before}{after}"));
        for sign in [
            "[", "]", "\"", "\\", "1-0", "ñ", " ", "\n", "}", "{", "(", ")", ";", "%", "9", "-", "x", "\u{a0}",
            "\u{85}", "\u{2003}", "\u{feff}",
        ] {
            check(&format!("{before}{sign}{after}"));
        }
    }
}
