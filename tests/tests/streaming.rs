//! However a source hands out its bytes, the same blocks come of them; and memory is bounded by the largest record.
//!
//! What a block says is left to `reading.rs`.

use std::io::{self, Read};

use proptest::{collection::vec, prelude::*, sample::select};
use quipu_notation::{Place, record::Record};
use quipu_referee::{Status, Verdict, verify};
use quipu_tests::{NASTY, bytes, each_block, verdicts};

/// Hands out a text in pieces of the sizes given, again and again, each after an interruption and a failure.
struct Pieces<'a> {
    text: &'a [u8],
    sizes: &'a [usize],
    calls: usize,
}

impl<'a> Pieces<'a> {
    fn new(text: &'a [u8], sizes: &'a [usize]) -> Self {
        Self { text, sizes, calls: 0 }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        match self.calls % 3 {
            1 => Err(io::ErrorKind::Interrupted.into()),
            2 => Err(io::ErrorKind::WouldBlock.into()),
            _ => {
                let size = self.sizes[self.calls / 3 % self.sizes.len()].min(buffer.len());
                self.text.read(&mut buffer[..size])
            }
        }
    }
}

/// All that a block is, and what is found in it.
#[derive(Debug, PartialEq)]
struct Seen {
    text: Vec<u8>,
    first_line: u64,
    oversized: Option<Place>,
    verdicts: Vec<Verdict>,
}

fn blocks(source: impl Read) -> Vec<Seen> {
    let mut blocks = Vec::new();
    each_block(source, |block| {
        blocks.push(Seen {
            text: block.text().to_owned(),
            first_line: block.first_line(),
            oversized: block.oversized(),
            verdicts: verify::block(block).map(|judged| judged.verdict).collect(),
        });
    });
    blocks
}

fn line_breaks(text: &[u8]) -> u64 {
    text.split(|&byte| byte == b'\n').count() as u64 - 1
}

/// White space, or a byte order mark.
fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| b" \t\n\r\x0b\x0c\xef\xbb\xbf".contains(byte))
}

/// The same blocks, in pieces of these sizes as at once; together they are the text but for blank lines between.
#[track_caller]
fn check(text: &[u8], sizes: &[usize]) {
    let expected = blocks(text);
    assert_eq!(blocks(Pieces::new(text, sizes)), expected);
    let (mut rest, mut line) = (text, 1);
    for block in &expected {
        let gap = rest.windows(block.text.len()).position(|window| window == block.text).expect("it is of the text");
        assert!(is_blank(&rest[..gap]), "nothing is left out");
        line += line_breaks(&rest[..gap]);
        assert_eq!(block.first_line, line);
        line += line_breaks(&block.text);
        rest = &rest[gap + block.text.len()..];
    }
    assert!(is_blank(rest), "nothing is left over");
}

#[test]
fn fixtures_in_pieces() {
    for name in ["games", "loose", "mutants", "cup"] {
        let text = bytes(&format!("andes/{name}.quipu"));
        check(&text, &[1]);
        check(&text, &[1, 4096, 3, 100_000, 17]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn nasty_texts_in_pieces(parts in vec(select(NASTY), 0..60), sizes in vec(1..9_usize, 1..5)) {
        check(&parts.concat(), &sizes);
    }

    /// Reading without what stands beside the moves finds the same records and the same faults.
    #[test]
    fn bare_records_are_the_same_records(parts in vec(select(NASTY), 0..60)) {
        each_block(parts.concat().as_slice(), |block| {
            let full: Vec<_> = block.records().map(|record| record.map(without_notes)).collect();
            assert_eq!(block.bare_records().collect::<Vec<_>>(), full);
        });
    }
}

fn without_notes(mut record: Record<'_>) -> Record<'_> {
    record.line.comments.clear();
    for ply in &mut record.line.plies {
        ply.notes = None;
    }
    record
}

/// A record that is verified.
const GOOD: &[u8] = b"[Game \"andes\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n\n";
const TAG: &[u8] = b"[Game \"andes\"]\n\n";
const HUGE: u64 = 40 * 1024 * 1024;

/// A text again and again.
struct Again {
    text: &'static [u8],
    at: usize,
}

impl Read for Again {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for (byte, next) in buffer.iter_mut().zip(self.text.iter().cycle().skip(self.at)) {
            *byte = *next;
        }
        self.at = (self.at + buffer.len()) % self.text.len();
        Ok(buffer.len())
    }
}

/// So much of the same text.
fn huge(text: &'static [u8]) -> impl Read {
    Again { text, at: 0 }.take(HUGE)
}

/// Between two good records a source makes one record, which is too large and hides neither of the two.
#[track_caller]
fn check_too_large(between: impl Read) {
    let found = verdicts(GOOD.chain(between).chain(&b"\n\n"[..]).chain(GOOD));
    let statuses: Vec<_> = found.iter().map(|verdict| verdict.status).collect();
    assert_eq!(statuses, [Status::Verified, Status::Unreadable, Status::Verified]);
    assert_eq!(found[1].diagnostics[0].code().id, "record.limit");
    let line = found[1].diagnostics[0].place.expect("it has a place").line;
    assert!(line > line_breaks(GOOD));
    assert_eq!(found[0].id, found[2].id);
}

#[test]
fn huge_records_are_one_unreadable_record() {
    check_too_large(TAG.chain(huge(b"0a1 {ant} 0D0 (0D1) ; moves\n% skipped [\n")));
    check_too_large(huge(b"[Event \"only tags\"]\n"));
}

#[test]
fn huge_tokens_are_one_unreadable_record() {
    check_too_large(TAG.chain(huge(b"x")));
    check_too_large(TAG.chain(huge(b";")));
    check_too_large(TAG.chain(&b"0a1 ("[..]).chain(huge(b"$")));
    check_too_large((&b"[Game \""[..]).chain(huge(b"x")));
}

#[test]
fn huge_comments_are_one_unreadable_record() {
    check_too_large(TAG.chain(&b"{"[..]).chain(huge(b"x")));
    check_too_large(TAG.chain(&b"{"[..]).chain(huge(b"\n")));
    check_too_large(TAG.chain(huge(b"{")));
    check_too_large(TAG.chain(&b"{"[..]).chain(huge(b"x\n")).chain(&b"}"[..]));
    check_too_large(TAG.chain(huge(b"{[%clk 0:01:00] \xc3\xb1}")));
}

#[test]
fn a_huge_record_at_the_end_is_not_forgotten() {
    for last in [&b"x"[..], b"0a1 0D0\n", b"{", b"{}", b"; ", b"% skipped\n"] {
        let found = verdicts(GOOD.chain(TAG).chain(huge(last)));
        let statuses: Vec<_> = found.iter().map(|verdict| verdict.status).collect();
        assert_eq!(statuses, [Status::Verified, Status::Unreadable], "{:?}", last.escape_ascii().to_string());
    }
}

#[test]
fn huge_gaps_inside_a_record_make_it_too_large() {
    check_too_large(TAG.chain(&b"0a1"[..]).chain(huge(b"\n")).chain(&b"0D0 *"[..]));
    check_too_large(TAG.chain(&b"0a1"[..]).chain(huge(b" ")).chain(&b"0D0 *"[..]));
    check_too_large(TAG.chain(&b"0a1"[..]).chain(huge(b"% skipped\n")).chain(&b"*"[..]));
}

#[test]
fn huge_gaps_between_records_are_no_part_of_them() {
    let gap = || huge(b"\n");
    let found = verdicts(gap().chain(GOOD).chain(gap()).chain(GOOD).chain(gap()));
    let statuses: Vec<_> = found.iter().map(|verdict| verdict.status).collect();
    assert_eq!(statuses, [Status::Verified; 2]);
}

/// Each of these comments is followed to the end of the text, unless what was seen on the way is remembered: this
/// text takes a second then, and minutes otherwise.
#[test]
fn comments_that_are_never_closed_are_followed_once() {
    let times = 500_000;
    let found = verdicts(b"{\n[a\n".repeat(times).as_slice());
    assert_eq!(found.len(), times + 1);
    assert!(found.iter().all(|verdict| verdict.status == Status::Unreadable));
}

#[test]
fn a_file_of_many_records_is_read_record_by_record() {
    let mut records = 0;
    each_block(huge(GOOD), |block| {
        assert!(block.text().len() <= GOOD.len());
        records += 1;
    });
    assert_eq!(records, HUGE.div_ceil(GOOD.len() as u64));
}
