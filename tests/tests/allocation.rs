//! Verifying a ply asks for no memory.
//!
//! The allocator that counts serves the whole program, so this file holds one test and nothing beside it.

use std::fmt::Write;

use quipu_notation::record::{Block, Record};
use quipu_referee::{Status, verify};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A lawful game of so many plies, numbered and clocked: both sides walk to and fro.
fn game(plies: usize) -> String {
    let mut text = "[Game \"andes\"]\n[Event \"a long walk\"]\n\n1. 0a1 0A1\n".to_owned();
    for pair in 1..plies / 2 {
        let change = if pair % 2 == 1 { "12" } else { "21" };
        writeln!(text, "{}. 0a{change} {{[%clk 0:11:00.500]}} 0A{change} {{[%clk 0:10:00]}}", pair + 1)
            .expect("a String takes everything");
    }
    text + "*\n"
}

/// The blocks of memory asked for while a record is verified.
fn blocks(record: &Record<'_>, plies: u64) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    let verdict = verify::record(record);
    let after = dhat::HeapStats::get().total_blocks;
    assert_eq!((verdict.status, verdict.plies, verdict.diagnostics), (Status::Incomplete, Some(plies), Vec::new()));
    after - before
}

#[test]
fn verifying_a_ply_allocates_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    // As many digits of plies in both, so that the position strings are of one length.
    let texts = [200, 400, 800].map(|plies| (plies, game(plies)));
    let counts = texts.each_ref().map(|(plies, text)| {
        let record = Block::new(text.as_bytes()).records().next().expect("a record").expect("it can be read");
        blocks(&record, *plies as u64)
    });
    assert_eq!(counts, [counts[0]; 3]);
}
