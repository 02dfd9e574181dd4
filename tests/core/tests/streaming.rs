//! However a source hands out its bytes, the same chunks come of them; and memory is bounded by the largest record.
//!
//! The contents of a chunk are tested in `reading.rs`.

use std::io::{self, Read};

use proptest::{collection::vec, prelude::*, sample::select};
use quipu_notation::{
    LineColumn,
    record::{Format, Record, write::OutputFormat},
};
use quipu_referee::{Status, Verdict, verify};
use quipu_tests_core::{NASTY, NASTY_CSV, NASTY_JSON, bytes, each_chunk, each_chunk_in, verdicts};

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

/// A chunk with the verdicts on its records.
#[derive(Debug, PartialEq)]
struct ReadChunk {
    text: Vec<u8>,
    offset: u64,
    form: Format,
    first: LineColumn,
    oversized: Option<LineColumn>,
    verdicts: Vec<Verdict>,
}

fn chunks(form: Option<Format>, source: impl Read) -> Vec<ReadChunk> {
    let mut chunks = Vec::new();
    each_chunk_in(form, source, |chunk| {
        assert_eq!(chunk.first_line(), chunk.place(0).line);
        chunks.push(ReadChunk {
            text: chunk.text().to_owned(),
            offset: chunk.offset(),
            form: chunk.format(),
            first: chunk.place(0),
            oversized: chunk.oversized(),
            verdicts: verify::chunk(chunk).map(|judged| judged.verdict).collect(),
        });
    });
    chunks
}

fn line_breaks(text: &[u8]) -> u64 {
    text.split(|&byte| byte == b'\n').count() as u64 - 1
}

/// White space, byte order marks and, where objects stand in an array, what belongs to that.
fn is_between(form: Format, text: &[u8]) -> bool {
    let more: &[u8] = if form == Format::Json { b"[,]" } else { b"" };
    text.iter().all(|byte| b" \t\n\r\x0b\x0c\xef\xbb\xbf".contains(byte) || more.contains(byte))
}

/// The same chunks, in pieces of these sizes as at once; together they are the text but for what stands between them.
#[track_caller]
fn check(form: Format, text: &[u8], sizes: &[usize]) {
    let expected = chunks(Some(form), text);
    assert_eq!(chunks(Some(form), Pieces::new(text, sizes)), expected);
    let mut at = 0;
    for chunk in &expected {
        assert_eq!(chunk.form, form);
        let stands =
            |from: &usize| text[*from..].starts_with(&chunk.text) && LineColumn::of(text, *from, 1) == chunk.first;
        let start = (at..=text.len()).find(stands).expect("it is of the text, where it says");
        assert!(is_between(form, &text[at..start]), "nothing is left out");
        let offset = usize::try_from(chunk.offset).expect("the text is in memory");
        assert!(stands(&offset) && is_between(form, &text[at..offset]), "it can be read again from there");
        at = start + chunk.text.len();
    }
    assert!(is_between(form, &text[at..]), "nothing is left over");
    // Its form is found from what is there, not from how much of it comes at once.
    assert_eq!(chunks(None, Pieces::new(text, sizes)), chunks(None, text));
}

#[test]
fn fixtures_in_pieces() {
    for name in ["games", "loose", "mutants", "cup"] {
        let text = bytes(&format!("andes/{name}.quipu"));
        check(Format::Quipu, &text, &[1]);
        check(Format::Quipu, &text, &[1, 4096, 3, 100_000, 17]);
    }
}

/// All records of the fixtures, written in a form.
fn fixtures_in(layout: OutputFormat) -> Vec<u8> {
    let mut text = String::new();
    for name in ["games", "loose", "mutants"] {
        each_chunk(bytes(&format!("andes/{name}.quipu")).as_slice(), |chunk| {
            text.extend(chunk.records().flatten().map(|record| layout.write(&record).0));
        });
    }
    text.into_bytes()
}

#[test]
fn other_forms_in_pieces() {
    for layout in OutputFormat::ALL {
        let text = fixtures_in(layout);
        check(layout.input_format(), &text, &[1]);
        check(layout.input_format(), &text, &[1, 4096, 3, 100_000, 17]);
        assert_eq!(chunks(None, &*text), chunks(Some(layout.input_format()), &*text), "its form is found");
    }
}

#[test]
fn a_comment_behind_tags_is_no_empty_line_between_them_in_whatever_pieces() {
    check(Format::Quipu, b"\n[\n\n{{[%clk 0:01:00]}\n[Game \"andes\"]\n", &[1]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn nasty_texts_in_pieces(parts in vec(select(NASTY), 0..60), sizes in vec(1..9_usize, 1..5)) {
        check(Format::Quipu, &parts.concat(), &sizes);
    }

    #[test]
    fn nasty_objects_in_pieces(parts in vec(select(NASTY_JSON), 0..60), sizes in vec(1..9_usize, 1..5)) {
        check(Format::Json, &parts.concat(), &sizes);
    }

    #[test]
    fn nasty_scoresheets_in_pieces(parts in vec(select(NASTY_CSV), 0..60), sizes in vec(1..9_usize, 1..5)) {
        check(Format::Csv, &parts.concat(), &sizes);
    }

    /// Reading without what stands beside the moves finds the same records and the same faults.
    #[test]
    fn records_without_notes_are_the_same_records(
        (form, parts) in prop_oneof![
            (Just(Format::Quipu), vec(select(NASTY), 0..60)),
            (Just(Format::Json), vec(select(NASTY_JSON), 0..60)),
            (Just(Format::Csv), vec(select(NASTY_CSV), 0..60)),
        ]
    ) {
        each_chunk_in(Some(form), parts.concat().as_slice(), |chunk| {
            let full: Vec<_> = chunk.records().map(|record| record.map(without_notes)).collect();
            assert_eq!(chunk.records_without_notes().collect::<Vec<_>>(), full);
        });
    }
}

fn without_notes(mut record: Record<'_>) -> Record<'_> {
    record.movetext.comments.clear();
    for ply in &mut record.movetext.plies {
        ply.notes = None;
    }
    record
}

/// A record that is verified.
const GOOD: &[u8] = b"[Game \"andes\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n\n";
const TAG: &[u8] = b"[Game \"andes\"]\n\n";
/// The same record in JSON, and as a scoresheet.
const GOOD_JSON: &[u8] =
    b"{\"game\":\"andes\",\"moves\":[\"0a1\",\"0D0\",\"0b0\",\"0D0C\"],\"result\":\"1-0\",\"tags\":{\"Result\":null}}\n";
const GOOD_CSV: &[u8] = b"#Game: andes\nn,sol,luna\n1,0a1,0D0\n2,0b0,0D0C\n,1-0\n\n";
/// Bytes: more than a record may have.
const HUGE: u64 = 18 * 1024 * 1024;

/// A text again and again.
struct Again {
    text: &'static [u8],
    at: usize,
}

impl Read for Again {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &self.text[self.at..];
            let count = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&rest[..count]);
            filled += count;
            self.at = (self.at + count) % self.text.len();
        }
        Ok(filled)
    }
}

/// So much of the same text.
fn huge(text: &'static [u8]) -> impl Read {
    Again { text, at: 0 }.take(HUGE)
}

/// Between two good records a source makes one record, which is too large and hides neither of the two.
#[track_caller]
fn check_too_large(between: impl Read) {
    check_too_large_after(GOOD, between);
}

#[track_caller]
fn check_too_large_after(good: &[u8], between: impl Read) {
    let found = verdicts(good.chain(between).chain(&b"\n\n"[..]).chain(good));
    let statuses: Vec<_> = found.iter().map(|verdict| verdict.status).collect();
    assert_eq!(statuses, [Status::Verified, Status::Unreadable, Status::Verified]);
    assert_eq!(found[1].diagnostics[0].code().id, "record.limit");
    let line = found[1].diagnostics[0].place.expect("it has a place").line;
    assert!(line > line_breaks(good));
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

#[test]
fn huge_objects_are_one_unreadable_record() {
    let check = |between: &mut dyn Read| check_too_large_after(GOOD_JSON, between);
    check(&mut b"{\"comments\":[\"".chain(huge(b"x")));
    check(&mut b"{\"comments\":[\"".chain(huge(b"\\\"")));
    check(&mut b"{\"moves\":[".chain(huge(b"\"0a1\",")));
    check(&mut b"{\"moves\":[".chain(huge(b"\"0a1\",\n")));
    check(&mut b"{\"moves\":[".chain(huge(b" ")));
    check(&mut b"{\"moves\":[".chain(huge(b"\n")));
    check(&mut b"{".chain(huge(b"\xff")));
    check(&mut huge(b"{\"a\":"));
    check(&mut huge(b"x"));
    check(&mut huge(b"\xc3\xb1\n"));
    let whole = b"{\"comments\":[\"\"".chain(huge(b",\"x\"")).chain(&b"]}"[..]);
    check_too_large_after(GOOD_JSON, whole);
}

#[test]
fn huge_scoresheets_are_one_unreadable_record() {
    let check = |between: &mut dyn Read| check_too_large_after(GOOD_CSV, between);
    let header = &b"\nn,sol,luna"[..];
    check(&mut b"#Game: ".chain(huge(b"x")).chain(header));
    check(&mut huge(b"#Game: andes\n").chain(header));
    check(&mut b"\"#Game: ".chain(huge(b"\"\"")).chain(header));
    check(&mut b"n,sol,luna\n".chain(huge(b"1,0a1,0D0\n")));
    check(&mut b"n,sol,luna\n".chain(huge(b",,\n")));
    check(&mut b"n,sol,luna\n".chain(huge(b",")));
    check(&mut b"n,sol,luna\n1".chain(huge(b"\n")).chain(&b",x\n"[..]));
    check(&mut b"n,sol,luna\n".chain(huge(b"\xff")));
}

#[test]
fn huge_gaps_between_records_of_other_forms_are_no_part_of_them() {
    for (good, gap) in [(GOOD_JSON, b"\n"), (GOOD_JSON, b" "), (GOOD_CSV, b"\n")] {
        let found = verdicts(good.chain(huge(gap)).chain(good).chain(huge(gap)));
        let statuses: Vec<_> = found.iter().map(|verdict| verdict.status).collect();
        assert_eq!(statuses, [Status::Verified; 2]);
    }
}

/// A place after what was let go is counted right: on the same line, and in characters.
#[test]
fn places_behind_a_huge_object() {
    let mut found = Vec::new();
    let text = (&b"{\"comments\":[\""[..]).chain(huge("ñ".as_bytes())).chain(&b"\"]} {}"[..]);
    each_chunk(text, |chunk| found.push(chunk.place(0)));
    let column = HUGE / 2 + 19;
    assert_eq!(found[1..], [LineColumn { line: 1, column }]);
}

/// Each of these objects is open to the end of the text, and the next may have begun in it.
#[test]
fn objects_that_are_never_closed_are_followed_so_far() {
    let times = 100_000;
    let found = verdicts(b"{\"a\":\n".repeat(times).as_slice());
    assert_eq!(found.len(), times);
    assert!(found.iter().all(|verdict| verdict.status == Status::Unreadable));
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
    for good in [GOOD, GOOD_JSON, GOOD_CSV] {
        let mut records = 0;
        each_chunk(huge(good), |chunk| {
            assert!(chunk.text().len() <= good.len());
            records += 1;
        });
        assert_eq!(records, HUGE.div_ceil(good.len() as u64));
    }
}
