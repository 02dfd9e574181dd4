//! Any text can be asked for as a position, and any other played on it. The first line is the one, each further line the
//! other.

#![no_main]

use std::num::NonZero;

use libfuzzer_sys::fuzz_target;
use quipu_referee::{Lang, games, words::catalog};

/// Lawful moves that are listed at the most: a position can have a million of them.
const LISTED: u64 = 10_000;

fuzz_target!(|text: &str| {
    let (position, moves) = text.split_once('\n').unwrap_or((text, ""));
    let sets = games::ALL.iter().flat_map(|game| game.rule_sets().into_iter().map(move |rules| (game, rules)));
    for (game, rules) in sets {
        let arranged = game.arrange(Some(rules), position);
        let mut board = match game.board(Some(rules), Some(position)) {
            Ok(board) => board,
            Err(faults) => {
                for fault in faults.iter().chain(arranged.as_ref().err().into_iter().flatten()) {
                    assert!(position.get(fault.span.range()).is_some());
                    assert_ne!(catalog().message(&fault.message, Lang::Es), "");
                }
                continue;
            }
        };
        assert_eq!(board.position(), position);
        for token in moves.lines() {
            let count = board.perft(1, NonZero::<usize>::MIN);
            let lawful = (count <= LISTED).then(|| board.legal_moves());
            assert!(lawful.as_ref().is_none_or(|lawful| lawful.len() as u64 == count));
            assert!(board.suggestions(token, 3).len() <= 3);
            board.drawing();
            let before = board.position();
            let is_listed = |token: &str| lawful.as_ref().map(|lawful| lawful.iter().any(|other| other == token));
            match board.play(token) {
                Ok(canonical) => assert!(is_listed(&canonical).unwrap_or(true), "{token} in {before}"),
                Err(message) => {
                    assert_ne!(catalog().message(&message, Lang::En), "");
                    assert!(!is_listed(token).unwrap_or(false), "{token} in {before}");
                    assert_eq!(board.position(), before, "a refused move changes nothing");
                }
            }
        }
    }
});
