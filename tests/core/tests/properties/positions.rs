//! Properties of every position: its moves, its text, its replay.

use std::{collections::BTreeSet, num::NonZero};

use proptest::{collection::vec, prelude::*, sample::Index, string::string_regex};
use quipu_notation::games::andes::{Objectives, Setup};
use quipu_referee::{Board, Lang, games, messages};
use quipu_tests_core::{listed, verdicts};

use super::{STARTS, Start, andes_in_full, choices};

/// The same position for the player at the other side of the board.
fn turned(position: &str) -> String {
    let mut setup = Setup::parse(position).expect("a good position");
    setup.diagram.cells.reverse();
    for piece in setup.diagram.cells.iter_mut().flatten() {
        piece.side = !piece.side;
    }
    setup.turn = !setup.turn;
    setup.reserves.reverse();
    setup.attacked.reverse();
    setup.entered.reverse();
    // They are Sol's alone and decide nothing.
    setup.objectives = Objectives { persona: true, capture: true };
    setup.ply += 1;
    setup.to_string()
}

fn turned_move(token: &str) -> String {
    let turn = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    token.chars().map(turn).collect()
}

/// Nothing that can be asked of a board goes wrong.
fn ask_everything(board: &mut dyn Board, token: &str) {
    if let Some(moves) = listed(board) {
        assert_eq!(board.perft(1, NonZero::<usize>::MIN), moves.len() as u64);
    }
    assert!(board.suggestions(token).len() <= 5);
    board.drawing();
    if let Err(message) = board.play(token) {
        for lang in Lang::ALL {
            assert_ne!(messages::catalog().message(&message, lang), "");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn lawful_moves_are_read_from_their_own_text(start in Start::any(), choices in choices(12)) {
        for position in start.playout(&choices).0 {
            for token in listed(&*start.at(&position)).unwrap_or_default() {
                prop_assert_eq!(start.at(&position).play(&token), Ok(token.clone()));
                if let Some(full) = start.respelled(&position, &token) {
                    prop_assert_eq!(start.at(&position).play(&full), Ok(token));
                }
            }
        }
    }

    #[test]
    fn positions_read_back(start in Start::any(), choices in choices(60)) {
        for position in start.playout(&choices).0 {
            let board = start.at(&position);
            prop_assert_eq!(board.position(), position.as_str());
            if let Some(moves) = listed(&*board) {
                prop_assert_eq!(board.perft(1, NonZero::<usize>::MIN), moves.len() as u64);
            }
        }
    }

    #[test]
    fn no_disc_is_added_or_lost(start in Start::of("andes"), choices in choices(60)) {
        for position in start.playout(&choices).0 {
            let setup = Setup::parse(&position).expect("a good position");
            let on_board = setup.diagram.cells.iter().flatten().count();
            let off_board: u32 = setup.reserves.iter().chain(&setup.attacked).sum();
            prop_assert_eq!(on_board + off_board as usize, 14);
        }
    }

    #[test]
    fn the_replay_of_a_prefix_is_a_prefix_of_the_replay(start in Start::of_a_record(), choices in choices(40)) {
        let (positions, moves) = start.playout(&choices);
        for (plies, position) in positions.iter().enumerate() {
            let [verdict] = &*verdicts(start.record(&moves[..plies]).as_bytes()) else { panic!("one record") };
            prop_assert_eq!((verdict.plies, verdict.position.as_ref()), (Some(plies as u64), Some(position)));
        }
    }

    /// Terrain, moves, mode, captures and ends are the same for both sides: only Sol's first move is his alone (3.4).
    #[test]
    fn both_sides_of_the_board_are_alike(start in Start::of("andes"), choices in choices(30)) {
        let (positions, moves) = start.playout(&choices);
        for (index, position) in positions.iter().enumerate() {
            if Setup::parse(position).expect("a good position").ply == 0 {
                continue;
            }
            let (board, mut other) = (start.at(position), start.at(&turned(position)));
            let mut expected: Vec<_> = board.legal_moves().iter().map(|token| turned_move(token)).collect();
            expected.sort_unstable();
            prop_assert_eq!(other.legal_moves(), expected);
            let points = board.points().map(|points| [points.0[1], points.0[0]]);
            prop_assert_eq!(other.points().map(|points| points.0), points);
            let end = |board: &dyn Board| board.end().map(|end| (end.termination, end.outcome.winner()));
            prop_assert_eq!(end(&*other), end(&*board).map(|(end, winner)| (end, winner.map(|side| !side))));
            if let Some(token) = moves.get(index) {
                other.play(&turned_move(token)).expect("it is legal");
                prop_assert_eq!(other.position(), turned(&positions[index + 1]));
            }
        }
    }

    #[test]
    fn any_text_can_be_played(start in Start::any(), token in token_like()) {
        ask_everything(&mut *start.board(), &token);
    }

    #[test]
    fn any_text_can_be_asked_for_as_a_position(text in position_like(), token in token_like()) {
        for (game, rules) in games::ALL.iter().flat_map(|game| game.rule_sets().into_iter().map(move |rules| (game, rules))) {
            let _ = game.arrange(Some(rules), &text);
            match game.board(Some(rules), Some(&text)) {
                Ok(mut board) => {
                    prop_assert_eq!(board.position(), text.as_str());
                    ask_everything(&mut *board, &token);
                }
                Err(faults) => {
                    prop_assert!(!faults.is_empty());
                    prop_assert!(faults.iter().all(|fault| text.get(fault.span.range()).is_some()));
                }
            }
        }
    }
}

/// Every token of Andes that has the form of a move is accepted exactly where it is a spelling of a legal move.
#[test]
fn exactly_the_legal_moves_are_accepted() {
    let changes = ["", "a", "b", "c", "d", "e", "f", "g", "A", "B", "C", "D", "E", "F", "G"];
    let scales = ["", "0", "1", "2", "3", "4", "5", "6"];
    let places = changes[1..].iter().flat_map(|mark| scales[1..].iter().map(move |scale| format!("{mark}{scale}")));
    let places: Vec<_> = places.collect();
    let destinations: Vec<_> =
        changes.iter().flat_map(|mark| scales.iter().map(move |scale| format!("{mark}{scale}"))).collect();
    for start in STARTS.iter().filter(|start| start.id() == "andes").step_by(13) {
        let legal = start.board().legal_moves();
        let expected: BTreeSet<_> =
            legal.iter().cloned().chain(legal.iter().filter_map(|token| andes_in_full(token))).collect();
        let mut board = start.board();
        let mut accepted = BTreeSet::new();
        for kind in 0..4 {
            for place in &places {
                for destination in &destinations {
                    let token = format!("{kind}{place}{destination}");
                    if board.play(&token).is_ok() {
                        accepted.insert(token);
                        board = start.board();
                    }
                }
            }
        }
        assert_eq!(accepted, expected, "{start:?}");
    }
}

fn token_like() -> impl Strategy<Value = String> {
    let regex = |text: &str| string_regex(text).expect("a good pattern");
    prop_oneof![
        regex("\\PC{0,20}"),
        regex("[0-4a-hA-H0-7x+]{0,7}"),
        regex("[0-3][a-gA-G][0-6][a-gA-G]?[0-6]?x?(\\+[0-9]{1,30})?"),
        regex("[PGp]?[A-Fa][0-6]([x-][A-Fa][0-6])?"),
        regex("K?[a-g][1-7]-[a-g][1-7](x[a-g][1-7](/[a-h][1-8]){0,3})?[+-]{0,2}"),
        regex("(1?[0-9])?[a-j][1-7](-[a-j][1-7]|(\\^[a-j][1-7]){1,30})(\\*1?[0-9]-1?[0-9])?"),
        regex("[a-k0-8*^-]{0,12}"),
    ]
}

/// Texts of all kinds, and position strings with a few characters wrong.
fn position_like() -> impl Strategy<Value = String> {
    let regex = |text: &str| string_regex(text).expect("a good pattern");
    let wrong = (Start::any(), vec((any::<Index>(), regex("[0-9a-eA-EKTtPGg/ slnr+.;pcñ-]{0,2}")), 0..3));
    prop_oneof![
        regex("\\PC{0,40}"),
        regex("[+-][0-4]\\.[A-H][0-7];([+-][0-3]\\.[A-G][0-6];){0,3}"),
        regex("[a-dA-D1-7/]{0,20} [sl] [0-9]{1,11}-[0-9]{1,11} [0-9]-[0-9] [sl-]{1,2} [pc-]{1,2} [0-9]{1,11}"),
        regex(
            "([PGpg][PGpg1-4]{1,3}|5)(/([PGpg][PGpg1-4]{1,3}|5)){4} [ns] [0-5][0-3]-[0-5][0-3] (-|1?[0-9]) [0-9]{1,3}"
        ),
        regex("/?[KTt1-7/]{0,20}( [nr] [0-9]{1,11})?"),
        wrong.prop_map(|(start, changes)| {
            let mut position = start.position.clone();
            for (at, text) in changes {
                let at = at.index(position.len());
                if position.is_char_boundary(at) && position.is_char_boundary(at + 1) {
                    position.replace_range(at..=at, &text);
                }
            }
            position
        }),
    ]
}
