//! What the tests share: where the fixtures are, how they are read, how the program is run.

use std::{fs, io::Read, path::PathBuf};

use quipu_notation::record::{Block, Reader};
use quipu_referee::{Verdict, verify};

pub mod program;

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("tests stand in the workspace").to_owned()
}

/// A file under `fixtures/`.
pub fn fixture(path: &str) -> PathBuf {
    root().join("fixtures").join(path)
}

/// The bytes of a fixture.
///
/// # Panics
/// If it is not there.
#[track_caller]
pub fn bytes(path: &str) -> Vec<u8> {
    fs::read(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text of a fixture.
#[track_caller]
pub fn text(path: &str) -> String {
    String::from_utf8(bytes(path)).expect("this fixture is UTF-8")
}

/// Fields of the lines of a TSV fixture.
#[track_caller]
pub fn rows<const N: usize>(path: &str) -> Vec<[String; N]> {
    let row = |line: &str| {
        let fields: Vec<_> = line.split('\t').map(str::to_owned).collect();
        fields.try_into().unwrap_or_else(|_| panic!("{path}: not {N} fields: {line}"))
    };
    text(path).lines().map(row).collect()
}

/// Runs `each` with every block of a source.
///
/// # Panics
/// If the source fails for good: an error is met with another attempt, and then another.
pub fn each_block(source: impl Read, mut each: impl FnMut(&Block<'_>)) {
    let mut reader = Reader::new(source);
    let mut failures = 0;
    loop {
        match reader.next_block() {
            Ok(Some(block)) => each(&block),
            Ok(None) => return,
            Err(error) => {
                failures += 1;
                assert!(failures < 1_000_000, "{error}");
            }
        }
    }
}

/// The verdicts on all records of a source.
pub fn verdicts(source: impl Read) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    each_block(source, |block| verdicts.extend(verify::block(block).map(|judged| judged.verdict)));
    verdicts
}

/// Pieces of text that can hide the beginning of a record, or look like one, and what stands around them.
pub const NASTY: &[&[u8]] = &[
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b"%",
    b"$",
    b"!",
    b"?",
    b"\"",
    b"\\",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b" ",
    b"\xef\xbb\xbf",
    b"\xef",
    b"\xbb\xbf",
    b"\xff",
    b"\n[",
    b"\n%",
    b"\n[Game \"",
    b"\n[Game \"andes\"]\n",
    b"[Event \"x\"]\n",
    b"[Result \"1-0\"]\n",
    b"{[%clk 0:01:00]}",
    b"[%clk ",
    b"0:01:00]",
    b"$7",
    b"!?",
    b"0d3",
    b"0D0",
    b"1.",
    b"1-0",
    b"*",
    b"x",
    "\u{f1}".as_bytes(),
];
