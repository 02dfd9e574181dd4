//! Shared by all tests: fixtures, files of the project, and checks of tables.

use std::{fs, io::Read, num::NonZero, path::PathBuf};

use quipu_notation::record::{Chunk, Format, Reader};
use quipu_referee::{Board, Verdict, verify};
use serde_json::Value;

pub mod contract;
pub mod debug_format;
pub mod hard_querni;
pub mod prose;
pub mod repaired;
pub mod slipped;
pub mod slow_querni;
pub mod spoilt;
pub mod tafl;

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().expect("tests stand in the workspace")
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

/// The fixtures of a game with this name, and those of single rule sets beside them: `perft.tsv`, `perft.nielsen.tsv`.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn every(folder: &str, name: &str, ending: &str) -> Vec<String> {
    let of_name = |file: &String| {
        let between = file.strip_prefix(name).and_then(|rest| rest.strip_suffix(ending)?.strip_suffix('.'));
        between.is_some_and(|set| set.is_empty() || set.starts_with('.') && !set[1..].contains('.'))
    };
    let entries = fs::read_dir(fixture(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let files = entries.map(|entry| entry.expect("it is listed").file_name().to_string_lossy().into_owned());
    let mut files: Vec<_> = files.filter(of_name).map(|file| format!("{folder}/{file}")).collect();
    assert!(!files.is_empty(), "{folder} has no {name}.{ending}");
    files.sort();
    files
}

/// The objects of these NDJSON fixtures.
#[track_caller]
pub fn every_object(folder: &str, name: &str) -> Vec<Value> {
    let texts: String = every(folder, name, "ndjson").iter().map(|file| text(file)).collect();
    texts.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The rows of these TSV fixtures.
#[track_caller]
pub fn every_row<const N: usize>(folder: &str, name: &str) -> Vec<[String; N]> {
    every(folder, name, "tsv").iter().flat_map(|file| rows(file)).collect()
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

/// Runs `each` with every chunk of a source, whose form is found.
///
/// # Panics
/// If the source fails for good: an error is met with another attempt, and then another.
pub fn each_chunk(source: impl Read, each: impl FnMut(&Chunk<'_>)) {
    each_chunk_in(None, source, each);
}

/// The same with a source of this form, if one is given.
///
/// # Panics
/// If the source fails for good.
pub fn each_chunk_in(form: Option<Format>, source: impl Read, mut each: impl FnMut(&Chunk<'_>)) {
    let mut reader = reader(form, source);
    let mut failures = 0;
    loop {
        match reader.next_chunk() {
            Ok(Some(chunk)) => each(&chunk),
            Ok(None) => return,
            Err(error) => {
                failures += 1;
                assert!(failures < 1_000_000, "{error}");
            }
        }
    }
}

fn reader<R: Read>(form: Option<Format>, source: R) -> Reader<R> {
    match form {
        Some(form) => Reader::with_format(source, form),
        None => Reader::new(source),
    }
}

/// The verdicts on all records of a source.
pub fn verdicts(source: impl Read) -> Vec<Verdict> {
    verdicts_in(None, source)
}

/// The same with a source of this form, if one is given.
pub fn verdicts_in(form: Option<Format>, source: impl Read) -> Vec<Verdict> {
    let (mut reader, mut verdicts) = (reader(form, source), Vec::new());
    verify::source(&mut reader, |_, judged| verdicts.push(judged.verdict)).expect("it can be read");
    verdicts
}

/// Legal moves that tests list, at most. A position can have a million of them; then they are counted, and judged one
/// by one, but not listed.
pub const LISTED: u64 = 20_000;

/// The legal moves of a board, unless they are too many to list.
pub fn listed(board: &dyn Board) -> Option<Vec<String>> {
    (board.perft(1, NonZero::<usize>::MIN) <= LISTED).then(|| board.legal_moves())
}

/// Pieces in quipu's own text that can hide the beginning of a record, or look like one, and what stands around them.
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

/// The same in JSON.
pub const NASTY_JSON: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\\"",
    b"\\ud800",
    b"\n",
    b"\r\n",
    b"\n{",
    b"\n  {",
    b"\n\t",
    b" ",
    b"\xef\xbb\xbf",
    b"\xef",
    b"\xff",
    b"null",
    b"-1",
    b"5",
    b"\"game\":\"andes\"",
    b"\"tags\":{\"Event\":\"x\"}",
    b"\"Result\":null",
    b"\"moves\":[",
    b"\"moves\":[\"0d3\",\"2A3\"]",
    b"{\"move\":\"0d3\",\"clock_ms\":5}",
    b"\"comment\":[\"a\",\"[%clk 0:00:01] }\"]",
    b"\"variations\":[{\"moves\":[\"0a1\"]}]",
    b"\"nags\":[1]",
    b"\"result\":\"1-0\"",
    b"{\"game\":\"andes\",\"moves\":[\"0d3\"]}\n",
    "\"\u{f1}\"".as_bytes(),
];

/// The same in scoresheets.
pub const NASTY_CSV: &[&[u8]] = &[
    b"#",
    b"\"#",
    b"#Game: andes\n",
    b"\"#Sol: Quispe, Ana\",,\r\n",
    b"#Result: 1-0;;;\n",
    b"n,sol,luna\n",
    b"N;Sol;Sol_Clock;Luna;Luna_Clock\n",
    b"\nn",
    b"\"n\"",
    b"1,0d3,2A3\n",
    b"2;0a1;0:11:00;0D0;\n",
    b",1-0\n",
    b",",
    b";",
    b"\"",
    b"\"\"",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b" ",
    b",,,,\n",
    b"0:00:01",
    b"0d3",
    b"*",
    b":",
    b"\xef\xbb\xbf",
    b"\xef",
    b"\xff",
    "\u{f1}".as_bytes(),
];
