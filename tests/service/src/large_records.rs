//! Records that are small to send and large to answer: the archive that a stranger with a narrow token can plant.
//!
//! The filler is U+0001, a byte that becomes six in JSON and next to none in gzip.

use std::{
    fmt::Write as _,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use quipu_archive::model::Submission;
use quipu_notation::record::{Chunk, limits};
use quipu_referee::report;

use crate::generator::Generator;

/// Bytes of a tag that is as long as a tag may be, behind the digits that tell it from others.
const TAG: usize = limits::VALUE - 10;
/// Players of [`event`]: each meets each of the others once.
const PLAYERS: usize = 64;
/// Bytes of the name of each.
const NAME: usize = 6_000;
/// Name of the event.
pub const EVENT: &str = "Costly crosstable";

/// A record whose event, round and players have names as long as they may be.
pub fn long_names(generator: &Generator, number: usize) -> String {
    let name = |what: usize| format!("{number:05}{what:05}{}", filler(TAG));
    with_tags(&generator.record(number), &[name(0), name(1), name(2), name(3)])
}

/// One event in which everybody meets everybody, under long names.
pub fn event(generator: &Generator) -> impl Iterator<Item = String> {
    let name = |player: usize| format!("{player:05}{}", filler(NAME));
    let pairs = (0..PLAYERS).flat_map(|one| (one + 1..PLAYERS).map(move |other| [one, other]));
    pairs.enumerate().map(move |(number, [one, other])| {
        // The games of one tournament of the generator are all of one kind.
        let record = generator.record(number % 120);
        with_tags(&record, &[EVENT.to_owned(), number.to_string(), name(one), name(other)])
    })
}

/// The record of this number with comments of nearly `bytes` bytes. They are no part of its id.
///
/// # Panics
/// If the generator writes no move.
pub fn long_comments(generator: &Generator, number: usize, bytes: usize) -> String {
    let record = generator.record(number);
    let (before, after) = record.split_once("\n1. ").expect("it has a first move");
    let comment = format!("{{{}}}\n", filler(limits::COMMENT - 64));
    let (whole, rest) = (bytes / comment.len(), bytes % comment.len());
    format!("{before}\n{}{{{}}}\n1. {after}", comment.repeat(whole), filler(rest))
}

/// The beginning of a game that goes on: what is said of it comes to `bytes` bytes. `version` tells it from others.
pub fn unfinished_game(version: usize, bytes: usize) -> String {
    let comment = |bytes: usize| format!("{{{version:06}{}}}\n", filler(bytes - 9));
    let size = limits::COMMENT / 2;
    let comments: String = (0..bytes.div_ceil(size)).map(|at| comment(size.min(bytes - at * size).max(9))).collect();
    format!("[Game \"andes\"]\n\n{comments}0d3 *\n\n")
}

/// A record that never comes to its end, as text and as a scoresheet.
pub fn unfinished_records(bytes: usize) -> [String; 2] {
    let comment = format!("{{{}}}\n", "x".repeat(limits::COMMENT - 64));
    let text = format!("[Game \"andes\"]\n\n0d3 {}", comment.repeat(bytes / comment.len()));
    let row = format!("#{}: {}\n", "Note", "x".repeat(limits::VALUE / 2));
    let sheet = format!("#Game: andes\n{}", row.repeat(bytes / row.len()));
    [text, sheet]
}

/// The id under which the archive keeps a record.
///
/// # Panics
/// If it is not one record.
pub fn id(record: &str) -> String {
    let made = Submission::all(&Chunk::new(record.as_bytes())).next().expect("there is a record");
    report::hex(&made.id)
}

/// Puts records into an archive, those that the referee refuses too.
///
/// # Panics
/// If the program does not take them.
pub fn plant(program: &Path, data: &Path, records: impl Iterator<Item = String>) {
    let mut child = Command::new(program)
        .args(["archive", "import", "--keep-unverified", "-", "--data"])
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("quipu runs");
    let mut pipe = child.stdin.take().expect("it was asked for");
    for record in records {
        pipe.write_all(record.as_bytes()).expect("it reads");
    }
    drop(pipe);
    // 1 says that some were refused, and kept.
    let status = child.wait().expect("it ends").code();
    assert!(matches!(status, Some(0 | 1)), "{status:?}");
}

fn filler(bytes: usize) -> String {
    "\u{1}".repeat(bytes)
}

/// The same record with another event, round, and players.
fn with_tags(record: &str, [event, round, one, two]: &[String; 4]) -> String {
    let mut changed = String::with_capacity(record.len() + event.len() + round.len() + one.len() + two.len());
    for (at, line) in record.split_inclusive('\n').enumerate() {
        // The generator writes game, event, date, round and the two sides, in this order.
        let value = match at {
            1 => event,
            3 => round,
            4 => one,
            5 => two,
            _ => {
                changed += line;
                continue;
            }
        };
        let tag = line.split(' ').next().unwrap_or_default();
        writeln!(changed, "{tag} \"{value}\"]").expect("a String takes everything");
    }
    changed
}

#[cfg(test)]
mod tests {
    use quipu_referee::Status;

    use super::*;

    #[track_caller]
    fn status(record: &str) -> Status {
        let made: Vec<_> = Submission::all(&Chunk::new(record.as_bytes())).collect();
        assert_eq!(made.len(), 1);
        made[0].verdict.status
    }

    #[test]
    fn costly_records_are_records() {
        let generator = Generator::new();
        assert!(long_names(&generator, 7).len() > 4 * TAG);
        assert_ne!(status(&long_names(&generator, 7)), Status::Unreadable);
        assert_eq!(status(&long_comments(&generator, 3, 1 << 20)), Status::Verified);
        let game = unfinished_game(3, 195 << 10);
        assert!((190 << 10..200 << 10).contains(&game.len()), "{}", game.len());
        assert_eq!(status(&game), Status::Incomplete);
        let [text, sheet] = unfinished_records(1 << 20);
        assert!(text.len() > 900 << 10 && sheet.len() > 900 << 10);
    }

    #[test]
    fn everybody_of_the_event_meets_everybody() {
        let generator = Generator::new();
        let records: Vec<_> = event(&generator).collect();
        assert_eq!(records.len(), 2_016);
        let mut ids: Vec<_> = records[..100].iter().map(|record| id(record)).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 100);
    }
}
