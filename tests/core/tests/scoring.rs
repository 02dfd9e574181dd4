//! Games at the desk of who keeps the score: how moves are entered by touching things, and how games can be ended. The
//! verdict on a record is tested in `tests/core/tests/corpus.rs`.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use quipu_notation::{
    Span,
    record::{Chunk, Outcome, Record, Spanned, Tag},
};
use quipu_referee::{
    Board, Status, games, scoring,
    scoring::{LISTED, Tap, Tapped},
    termination::DECLARED,
    verify,
};
use quipu_tests_core::{bytes, each_chunk, every, every_object, listed, rows};

/// Names of the tapped things, in order.
fn names(board: &dyn Board, taps: &[Tap]) -> Vec<String> {
    let cells = board.drawing().cells;
    let name = |tap: &Tap| match tap {
        Tap::Cell(index) => cells[*index].name.clone(),
        Tap::Beside { name, .. } => (*name).to_owned(),
    };
    taps.iter().map(name).collect()
}

/// Checks that every legal move is entered by touching things, and no two alike.
#[track_caller]
fn check(board: &dyn Board) {
    let Some(moves) = listed(board) else { return };
    let tapped = board.tapped_moves();
    assert!(tapped.iter().map(|one| &one.token).eq(&moves), "{}", board.position());
    let squares: BTreeSet<_> = board.drawing().cells.into_iter().map(|cell| cell.name).collect();
    let mut ways = BTreeMap::new();
    for Tapped { token, taps } in &tapped {
        assert!(!taps.is_empty(), "{token} in {}", board.position());
        for tap in taps {
            if let Tap::Beside { name, .. } = tap {
                assert!(!squares.contains(*name), "{name} is a square");
            }
        }
        let other = ways.insert(names(board, taps), token);
        assert_eq!(other, None, "{token} is entered in the same way in {}", board.position());
    }
}

#[test]
fn every_move_is_entered_in_a_way_of_its_own() {
    for game in games::ALL {
        for row in every_object(game.notation().id, "positions") {
            let field = |name: &str| row[name].as_str();
            check(&*game.board(field("rules"), field("position")).expect("a good position"));
        }
    }
}

/// Checks the taps of a move in a position, by default the one that a game starts from.
#[track_caller]
fn touched(game: &str, position: Option<&str>, token: &str, expected: &str) {
    let board = games::find(game).expect("a game").board(None, position).expect("a good position");
    let all = board.tapped_moves();
    let one = all.iter().find(|one| one.token == token).unwrap_or_else(|| panic!("{token} is not legal"));
    assert_eq!(names(&*board, &one.taps).join(" "), expected);
}

#[test]
fn pieces_are_touched_and_then_where_they_go() {
    touched("andes", None, "0d3", "0 d3");
    touched("andes", None, "2a3", "2 a3");
    // Luna's names are those of the other side; a square is called as Sol calls it, whoever moves.
    touched("andes", Some("7/3a3/7/7/7/7/7 l 6-7 0-0 s - 1"), "2A3", "2 g3");
    touched("andes", Some("7/3a3/7/7/7/7/7 s 6-7 0-0 s - 2"), "0d5e4", "d5 e4");
    touched("pastores", None, "PA3", "P A3");
    touched("pastores", None, "GB1", "G B1");
    touched("brandubh", None, "d3-c3", "d3 c3");
    let chain = Some("10/3C6/10/2B7/1A8/10/7e2 a 0 20");
    touched("querni", chain, "d6-d5", "d6 d5");
    touched("querni", chain, "d6-d5*1-3", "d6 d5 b3 d5");
    touched("querni", Some("10/10/3C6/2B7/1A8/10/7e2 a 0 20"), "*1-3", "b3 d5");
}

/// The records of a fixture as they can be read.
fn each_record(file: &str, mut each: impl FnMut(&Record<'_>)) {
    each_chunk(bytes(file).as_slice(), |chunk| chunk.records().filter_map(Result::ok).for_each(|record| each(&record)));
}

/// A record that is not ended.
fn reopened<'a>(record: &Record<'a>) -> Record<'a> {
    let mut record = record.clone();
    record.tags.retain(|tag| !["Result", "Termination", "Decision"].contains(&&*tag.name));
    record.result = Some(Spanned { value: Outcome::Open, span: Span::default() });
    record
}

#[test]
fn a_game_can_be_ended_in_every_way_that_is_offered() {
    for game in games::ALL {
        let mut decided = 0;
        for file in every(game.notation().id, "games", "quipu") {
            each_record(&file, |record| {
                let open = reopened(record);
                let Ok(desk) = scoring::look(&open) else { return };
                assert_eq!(desk.plies, record.movetext.plies.len(), "{file}");
                assert_eq!(desk.verdict, verify::record(&open));
                assert!(!desk.endings.is_empty());
                for ending in &desk.endings {
                    let mut ended = open.clone();
                    let tag = |name, value| Tag {
                        name: Cow::Borrowed(name),
                        value: Cow::Borrowed(value),
                        span: Span::default(),
                    };
                    ended.tags.extend(ending.tags.iter().map(|(name, value)| tag(*name, *value)));
                    ended.result = Some(Spanned { value: ending.outcome, span: Span::default() });
                    let verdict = verify::record(&ended);
                    // Other claims of the record may be wrong; the end is not.
                    let end = verdict.end.expect("an end is found");
                    assert_eq!((end.termination, end.outcome), (Some(ending.termination), ending.outcome));
                    decided += usize::from(ending.tags.iter().any(|(name, _)| *name == "Decision"));
                }
                let board = desk.board.end().is_some();
                assert_eq!(board, desk.endings.iter().all(|ending| !DECLARED.contains(ending.termination)));
                assert_eq!(desk.moves.map(|moves| moves.is_empty()), Some(board), "{file}");
            });
        }
        assert!(decided.is_multiple_of(2), "both sides can be decided for");
    }
}

#[test]
fn a_refused_ply_is_the_end_of_what_is_known() {
    let text = b"[Game \"andes\"]\n\n1. 0d3 {[%clk 0:11:55.120]} 2A3 {[%clk 0:11:50.000]}\n2. 2a3 9 0D0\n*\n";
    let record = Chunk::new(text).records().next().expect("a record").expect("it can be read");
    let desk = scoring::look(&record).expect("there is something to play on");
    assert_eq!((desk.plies, desk.verdict.status, desk.count), (3, Status::Rejected, 0));
    assert_eq!(desk.clocks, [Some(715_120), Some(710_000)]);
    assert_eq!(desk.moves, Some(Vec::new()));
    assert_eq!(desk.board.position(), desk.verdict.position.expect("a position"));
    assert!(desk.endings.iter().all(|ending| DECLARED.contains(ending.termination)));
}

#[test]
fn where_nothing_can_be_played_on() {
    for text in ["[Game \"chess\"]\n\n*\n", "[Game \"querni\"]\n\n*\n", "[Game \"andes\"]\n[Rules \"x\"]\n\n*\n"] {
        let record = Chunk::new(text.as_bytes()).records().next().expect("a record").expect("it can be read");
        let verdict = scoring::look(&record).err().expect("there is nothing");
        assert_eq!((verdict.status, verdict.position), (Status::Rejected, None), "{text}");
    }
}

#[test]
fn moves_that_are_too_many_are_counted() {
    for [rules, position, _, _, moves, _] in rows("querni/hard.tsv") {
        let text = format!("[Game \"querni\"]\n[Rules \"{rules}\"]\n[Setup \"{position}\"]\n\n*\n");
        let record = Chunk::new(text.as_bytes()).records().next().expect("a record").expect("it can be read");
        let desk = scoring::look(&record).expect("there is something to play on");
        assert!(desk.count > LISTED);
        assert_eq!((desk.count.to_string(), desk.moves), (moves, None));
    }
}
