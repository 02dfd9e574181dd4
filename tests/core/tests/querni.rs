//! Querni compared with a slow implementation of its own, on positions of all kinds; and the positions in which one piece
//! has hundreds of thousands of paths.

use std::{collections::BTreeSet, num::NonZero};

use proptest::{prelude::*, sample::Index, sample::subsequence};
use quipu_notation::{
    Side,
    games::querni::{Diagram, Number, Piece, Setup, Square},
};
use quipu_referee::games;
use quipu_tests_core::{
    hard_querni::{self, Hard, board},
    listed, rows,
    slow_querni::Slow,
};

const ONE: NonZero<usize> = NonZero::<usize>::MIN;

fn pieces() -> Vec<Piece> {
    Side::BOTH.into_iter().flat_map(|side| Number::all().map(move |number| Piece { side, number })).collect()
}

/// Some pieces on a part of the board, so that crowds are as likely as solitude.
fn position() -> impl Strategy<Value = String> {
    let part = (0..10_usize, 0..7_usize, 2..=10_usize, 2..=7_usize).prop_map(|(x, y, width, height)| {
        let inside = move |square: &Square| {
            let (column, row) = square.coordinates();
            (x..x + width).contains(&column) && (y..y + height).contains(&row)
        };
        Square::all().filter(inside).collect::<Vec<_>>()
    });
    let some = subsequence(pieces(), 0..=32);
    let placed = (part.prop_flat_map(|part| Just(part).prop_shuffle()), some, any::<bool>());
    placed.prop_map(|(squares, pieces, azul)| {
        let mut diagram = Diagram::EMPTY;
        for (square, piece) in squares.into_iter().zip(pieces) {
            diagram.cells[square.index()] = Some(piece);
        }
        let turn = if azul { Side::One } else { Side::Two };
        Setup { diagram, turn, idle: 0, ply: 40 }.to_string()
    })
}

/// A side with its pieces in the order of their numbers along a walk: chains, broken here and there.
fn walk() -> impl Strategy<Value = String> {
    let choices = prop::collection::vec(any::<Index>(), 16);
    (0..Square::COUNT, choices, subsequence(pieces(), 0..=12)).prop_map(|(start, choices, others)| {
        let mut diagram = Diagram::EMPTY;
        let mut at = Square::from_index(start);
        for (number, choice) in Number::all().zip(choices) {
            diagram.cells[at.index()] = Some(Piece { side: Side::One, number });
            let (x, y) = at.coordinates();
            let free: Vec<_> = Square::all()
                .filter(|next| {
                    let (column, row) = next.coordinates();
                    // Now and then a square that is no neighbour.
                    x.abs_diff(column) <= 1 && y.abs_diff(row) <= 2 && diagram.get(*next).is_none()
                })
                .collect();
            if free.is_empty() {
                break;
            }
            at = *choice.get(&free);
        }
        for piece in others.into_iter().filter(|piece| piece.side == Side::Two) {
            let free = Square::all().filter(|square| diagram.get(*square).is_none());
            let square = free.min_by_key(|square| square.index() * 37 % 70).expect("there is room");
            diagram.cells[square.index()] = Some(piece);
        }
        Setup { diagram, turn: Side::One, idle: 3, ply: 3 }.to_string()
    })
}

/// The moves of a position are those found the slow way, and so is their number. Some are judged one by one too, with
/// what they become when a character of them is another.
fn check(position: &str, choices: &[(Index, Index, char)]) {
    let board_of = || board(position);
    let slow = Slow::read(position);
    if board_of().end().is_some() {
        assert_eq!(board_of().legal_moves(), [] as [String; 0], "{position}");
        return;
    }
    let Some(moves) = listed(&*board_of()) else {
        assert_eq!(board_of().perft(1, ONE), slow.count(), "{position}");
        return;
    };
    assert_eq!(moves, slow.moves(), "{position}");
    assert_eq!(board_of().perft(1, ONE), moves.len() as u64, "{position}");
    let legal: BTreeSet<_> = moves.iter().map(String::as_str).collect();
    for (which, at, other) in choices {
        let token = which.get(&moves);
        assert_eq!(board_of().play(token).as_ref(), Ok(token), "{position}");
        let mut changed = token.clone();
        let at = at.index(token.len());
        changed.replace_range(at..=at, &other.to_string());
        let found = board_of().play(&changed);
        // With the number of its piece before it, another token is the same move.
        let bare = changed.trim_start_matches(|c: char| c.is_ascii_digit());
        match found {
            Ok(canonical) => assert!(canonical == bare && legal.contains(bare), "{changed} in {position}"),
            Err(_) => assert!(!legal.contains(changed.as_str()), "{changed} in {position}"),
        }
    }
}

/// Edits that are likely to turn a token into another one.
fn choices() -> impl Strategy<Value = Vec<(Index, Index, char)>> {
    let other = prop::sample::select("abcdefghij1234567-^*".chars().collect::<Vec<_>>());
    prop::collection::vec((any::<Index>(), any::<Index>(), other), 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn moves_are_those_found_the_slow_way(position in position(), choices in choices()) {
        check(&position, &choices);
    }

    #[test]
    fn so_are_those_of_chains(position in walk(), choices in choices()) {
        check(&position, &choices);
    }
}

#[test]
fn hard_positions_have_so_many_moves() {
    for Hard { position, from, paths, moves, longest } in hard_querni::all() {
        let slow = Slow::read(&position);
        assert!(paths >= 100_000, "{position} is not hard");
        assert_eq!((slow.count_jumps(&from), slow.count()), (paths, moves), "{position}");
        assert_eq!(board(&position).perft(1, ONE), moves, "{position}");
        assert_eq!(board(&position).play(&longest), Ok(longest.clone()), "{position}");
    }
}

/// That this lists no moves is seen in its instructions, which `tests/core/src/bin/instructions.rs` counts.
#[test]
fn hard_positions_are_judged() {
    hard_querni::all().iter().for_each(Hard::judge);
}

/// Deals by seed, computed by another program from the description in `docs/rules/querni.md`.
#[test]
fn deals_are_as_described() {
    let game = games::find("querni").expect("it is in the table");
    for [seed, first, position] in rows("querni/deals.tsv") {
        let seed = seed.parse().expect("a number");
        let first = game.notation().side_named(&first);
        assert!(first.is_some());
        let dealt = game.deal(None, seed, first).expect("there are base rules").expect("Querni is dealt");
        assert_eq!(dealt.position(), position, "{seed}");
        if first == Some(Side::One) {
            let dealt = game.deal(None, seed, None).expect("there are base rules").expect("Querni is dealt");
            assert_eq!(dealt.position(), position, "{seed}: azul starts if nothing is said");
        }
    }
}

#[track_caller]
fn suggests(position: &str, token: &str, expected: &[&str]) {
    let mut board = board(position);
    assert!(board.play(token).is_err(), "{token} is no fault");
    let found = board.suggestions(token);
    assert!(found.iter().zip(expected).all(|(found, expected)| found == expected), "{token}: {found:?}");
    assert!(found.len() >= expected.len() && (found.is_empty() || !expected.is_empty()), "{token}: {found:?}");
}

#[test]
fn suggestions_for_illegal_moves() {
    let position = "10/3C6/10/2B7/1A8/10/7e2 a 0 20";
    // A jump for a step, and a step for a jump.
    suggests(position, "b3-d5", &["b3^d5"]);
    suggests(position, "b3^b4", &["b3-b4"]);
    // The number or the square may be wrong.
    suggests(position, "2b3-b4", &["b3-b4"]);
    suggests(position, "3d5-e5", &["d6-e5"]);
    // A square too many, one forgotten, one that is wrong.
    suggests(position, "b3^d5^d7^d5", &["b3^d5^d7"]);
    suggests(position, "b3^d7", &["b3^d5", "b3^d5^d7"]);
    suggests(position, "b3^d5^e7", &["b3^d5^d7"]);
    // Another run after the motion, or none.
    suggests(position, "d6-d5*1-4", &["d6-d5*1-3"]);
    suggests(position, "d6-e6*1-3", &["d6-e6"]);
    suggests("10/10/10/3CD5/2B7/1A8/7e2 a 0 20", "*1-5", &["*1-3", "*1-4"]);
    // Characters in the wrong case, changed places, look-alikes, no sign.
    suggests(position, "B3-C3", &["b3-c3"]);
    suggests(position, "3b-c3", &["b3-c3"]);
    suggests(position, "b8-c3", &["b3-c3"]);
    suggests(position, "b3d5", &["b3^d5"]);
    // Nothing is like these, and nothing follows that speaks for one move.
    suggests(position, "x", &[]);
    suggests(position, "_", &[]);
}
