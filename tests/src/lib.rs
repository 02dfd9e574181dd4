//! What the tests share: where the fixtures are, how they are read, how the program is run.

use std::{fs, path::PathBuf};

use quipu_notation::record::Reader;
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

/// The verdicts on all records of a text.
///
/// # Panics
/// Never: reading from memory does not fail.
pub fn verdicts(text: &[u8]) -> Vec<Verdict> {
    let mut reader = Reader::new(text);
    let mut verdicts = Vec::new();
    while let Some(block) = reader.next_block().expect("memory does not fail") {
        verdicts.extend(verify::block(&block));
    }
    verdicts
}
