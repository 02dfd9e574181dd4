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
