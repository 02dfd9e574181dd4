//! Plies a second: reading records, replaying what was read, and both together; nodes a second of perft.
//!
//! One row a game, one thread. Absolute figures drift with the machine: compare rows of one run.

use std::num::NonZero;

use divan::{Bencher, counter::ItemsCount};
use quipu_notation::record::{Reader, Record};
use quipu_referee::{games, verify};
use quipu_tests::{bytes, each_block, rows, verdicts};

fn main() {
    divan::main();
}

/// Identifiers of all games.
fn ids() -> impl Iterator<Item = &'static str> {
    games::ALL.iter().map(|game| game.notation().id)
}

/// The lawful games of a folder, often enough to forget the cost of starting.
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
        let mut read = 0;
        each_block(text.as_slice(), |block| read += block.records().flatten().count());
        read
    });
}

/// From records to verdicts.
#[divan::bench(args = ids())]
fn replay(bencher: Bencher<'_, '_>, game: &str) {
    let text = text(game);
    let mut reader = Reader::new(text.as_slice());
    let mut blocks = Vec::new();
    while let Some(block) = reader.next_block().expect("memory does not fail") {
        blocks.push((block.text().to_owned(), block.with_text(&[])));
    }
    let blocks: Vec<_> = blocks.iter().map(|(text, block)| block.with_text(text)).collect();
    let records: Vec<Record<'_>> = blocks.iter().flat_map(|block| block.records().flatten()).collect();
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
