//! Any text can be asked for as a position, and any other played on it. The first line is the one, each further line the
//! other.

#![no_main]

use std::num::NonZero;

use libfuzzer_sys::fuzz_target;
use quipu_referee::{Lang, games, words::catalog};

fuzz_target!(|text: &str| {
    let (position, moves) = text.split_once('\n').unwrap_or((text, ""));
    for game in games::ALL {
        let arranged = game.arrange(None, position);
        let mut board = match game.board(None, Some(position)) {
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
            let lawful = board.legal_moves();
            assert_eq!(board.perft(1, NonZero::<usize>::MIN), lawful.len() as u64);
            assert!(board.suggestions(token, 3).len() <= 3);
            board.drawing();
            let before = board.position();
            match board.play(token) {
                Ok(canonical) => assert!(lawful.contains(&canonical), "{token} in {before}"),
                Err(message) => {
                    assert_ne!(catalog().message(&message, Lang::En), "");
                    assert!(!lawful.iter().any(|lawful| lawful == token), "{token} in {before}");
                    assert_eq!(board.position(), before, "a refused move changes nothing");
                }
            }
        }
    }
});
