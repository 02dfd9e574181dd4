//! Games in the style of PGN compared with equivalent records, and faults with their spans.

use super::{read, write};
use crate::record::{Chunk, ForeignFault, ReadErrorKind, SyntaxFault, write::as_written};

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
    assert_eq!(record.dropped.iter().map(|dropped| &*dropped.what).collect::<Vec<_>>(), ["[Rules]"]);
    assert_eq!(&GAME[record.movetext.plies[2].span.range()], "d6a6");
    let written = write(&record).unwrap();
    assert_eq!(written.replace("[Rules \"nielsen\"]\n", ""), format!("{GAME}\n"));
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
        for sign in ["[", "]", "\"", "\\", "1-0", "ñ", " ", "\n", "}", "{", "(", ")", ";", "%", "9", "-", "x"] {
            check(&format!("{before}{sign}{after}"));
        }
    }
}
