//! Plies a second: reading records, replaying what was read, and both together; nodes a second of perft.
//!
//! One row a game, one thread. Absolute figures drift with the machine: compare rows of one run. Beside them stand what the
//! same bytes cost to be gone through at all, and the crate `hnefatafl` with games of Brandubh.
//!
//! Then what it takes to judge one move of Querni where millions are legal, with counting them all beside it: the first
//! rows have nanoseconds and microseconds, the last one milliseconds.

use std::{hint::black_box, num::NonZero};

use divan::{Bencher, counter::ItemsCount};
use quipu_notation::record::{Reader, Record};
use quipu_referee::{
    Game, Position as _, games,
    games::querni::{Position, Querni},
    slips::{LIMIT, Written},
    verify,
};
use quipu_tests_core::{bytes, rows, tafl, verdicts};

fn main() {
    divan::main();
}

/// Identifiers of all games.
fn ids() -> impl Iterator<Item = &'static str> {
    games::ALL.iter().map(|game| game.notation().id)
}

/// The legal games of a folder, often enough to forget the cost of starting.
fn text(folder: &str) -> Vec<u8> {
    bytes(&format!("{folder}/games.quipu")).repeat(20)
}

fn plies(text: &[u8]) -> ItemsCount {
    let plies: u64 = verdicts(text).iter().filter_map(|verdict| verdict.plies).sum();
    ItemsCount::new(plies)
}

/// From bytes to records.
#[divan::bench(args = ids())]
fn parse(bencher: Bencher<'_, '_>, game: &str) {
    let text = text(game);
    bencher.counter(plies(&text)).bench(|| {
        let (mut reader, mut read) = (Reader::new(text.as_slice()), 0);
        while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
            read += chunk.records_without_notes().flatten().count();
        }
        read
    });
}

/// From records to verdicts.
#[divan::bench(args = ids())]
fn replay(bencher: Bencher<'_, '_>, game: &str) {
    let text = text(game);
    let mut reader = Reader::new(text.as_slice());
    let mut chunks = Vec::new();
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        chunks.push((chunk.text().to_owned(), chunk.with_text(&[])));
    }
    let chunks: Vec<_> = chunks.iter().map(|(text, chunk)| chunk.with_text(text)).collect();
    let records: Vec<Record<'_>> = chunks.iter().flat_map(|chunk| chunk.records().flatten()).collect();
    bencher
        .counter(plies(&text))
        .bench(|| records.iter().filter_map(|record| verify::record(record).plies).sum::<u64>());
}

/// From bytes to verdicts.
#[divan::bench(args = ids())]
fn verify(bencher: Bencher<'_, '_>, game: &str) {
    let text = text(game);
    bencher.counter(plies(&text)).bench(|| verdicts(text.as_slice()).len());
}

/// Lines of the same bytes, counted: what no reader can be quicker than.
#[divan::bench(args = ids())]
fn newlines(bencher: Bencher<'_, '_>, game: &str) {
    let text = text(game);
    bencher.counter(plies(&text)).bench(|| memchr::memchr_iter(b'\n', black_box(&text)).count());
}

/// The same bytes cut at white space, as a reader would that asks for nothing else.
#[divan::bench(args = ids())]
fn words(bencher: Bencher<'_, '_>, game: &str) {
    let text = String::from_utf8(text(game)).expect("this fixture is UTF-8");
    bencher.counter(plies(text.as_bytes())).bench(|| black_box(&text).split_ascii_whitespace().count());
}

/// Games of the rule set that is nearest to one of the crate `hnefatafl`.
fn nielsen() -> Vec<u8> {
    bytes("brandubh/games.nielsen.quipu").repeat(20)
}

/// The crate `hnefatafl` reads and plays moves of Brandubh.
#[divan::bench]
fn hnefatafl_play(bencher: Bencher<'_, '_>) {
    let games = tafl::games(&nielsen());
    let play = || games.iter().map(|moves| tafl::play(black_box(moves))).sum::<u64>();
    bencher.counter(ItemsCount::new(play())).bench(play);
}

/// The same games from bytes to verdicts, tags and all.
#[divan::bench]
fn hnefatafl_verify(bencher: Bencher<'_, '_>) {
    let text = nielsen();
    bencher.counter(plies(&text)).bench(|| verdicts(text.as_slice()).len());
}

/// Nodes of the largest row of the game's perft table.
#[divan::bench(args = ids())]
fn perft(bencher: Bencher<'_, '_>, game: &str) {
    let rows = rows::<4>(&format!("{game}/perft.tsv"));
    let nodes = |row: &&[String; 4]| row[3].parse::<u64>().expect("a number");
    let row = rows.iter().max_by_key(nodes).expect("a table has rows");
    let [rules, position, depth, _] = row;
    let referee = games::find(game).expect("it is of the table");
    let board = referee.board(Some(rules), Some(position)).expect("a good position");
    let depth = depth.parse().expect("a number");
    bencher.counter(ItemsCount::new(nodes(&row))).bench(|| board.perft(depth, NonZero::<usize>::MIN));
}

/// Numbers of legal moves of the hard positions of Querni: their names here.
fn hard() -> impl Iterator<Item = String> {
    rows("querni/hard.tsv").into_iter().map(|[_, _, _, _, moves, _]| moves)
}

/// The hard position with so many legal moves, and one of the longest of them.
fn hard_position(name: &str) -> (Position, String) {
    let row = rows("querni/hard.tsv").into_iter().find(|[_, _, _, _, moves, _]| moves == name);
    let [_, position, _, _, _, longest] = row.expect("it is of the table");
    (Querni::position((), &position).expect("a good position"), longest)
}

/// Judges the longest jump with a removal after it, which is legal.
#[divan::bench(args = hard())]
fn querni_judge_longest(bencher: Bencher<'_, '_>, moves: &str) {
    let (position, longest) = hard_position(moves);
    bencher.bench(|| black_box(&position).resolve(black_box(&longest)).is_ok());
}

/// The rejection of the longest jump, written so that it ends on its first square.
#[divan::bench(args = hard())]
fn querni_refuse_longest(bencher: Bencher<'_, '_>, moves: &str) {
    let (position, longest) = hard_position(moves);
    let token = back(&longest);
    bencher.bench(|| black_box(&position).resolve(black_box(&token)).is_err());
}

/// Judges a pass, which is illegal, and looks for the end of the game, which is not there.
#[divan::bench(args = hard())]
fn querni_judge_pass(bencher: Bencher<'_, '_>, moves: &str) {
    let (position, _) = hard_position(moves);
    bencher.bench(|| (black_box(&position).resolve("--").is_err(), black_box(&position).end()));
}

/// Which moves may have been meant by the longest jump with a fault at its end.
#[divan::bench(args = hard())]
fn querni_suggest(bencher: Bencher<'_, '_>, moves: &str) {
    let (position, longest) = hard_position(moves);
    let token = back(&longest);
    bencher.bench(|| {
        let mut found = 0;
        black_box(&position).each_near(&Written::new(black_box(&token)), LIMIT, |_, _| found += 1);
        found
    });
}

/// The number of all legal moves: what none of the above can wait for.
#[divan::bench(args = hard())]
fn querni_count_all(bencher: Bencher<'_, '_>, moves: &str) {
    let (position, _) = hard_position(moves);
    bencher.bench(|| black_box(&position).count_moves());
}

/// A jump that goes on to where it began.
fn back(token: &str) -> String {
    let motion = token.split('*').next().unwrap_or(token);
    format!("{motion}^{}", &motion[..2])
}
