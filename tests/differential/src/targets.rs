//! Fuzz targets: functions of bytes, with assertions that must hold for any input. `libFuzzer` calls these from
//! `tests/fuzz`, and tests do so with the kept corpora and with damage of their own. Nothing here may panic but the
//! assertions.

use std::{io::Read, num::NonZero};

pub use quipu_notation::record::Format;
use quipu_notation::{
    games::FOREIGN,
    record::{
        Movetext, Reader, Record, is_plain,
        write::{self, OutputFormat},
    },
};
use quipu_referee::{
    Lang, Verdict, games,
    messages::catalog,
    report,
    verify::{self, Ids, Judged},
};

use crate::{Tally, compare};

/// A target: what it is called, as is the folder of its corpus, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All that need no service.
pub const TARGETS: [Target; 11] = [
    ("read", |bytes| read(None, bytes)),
    ("text", |bytes| read(Some(Format::Quipu), bytes)),
    ("json", |bytes| read(Some(Format::Json), bytes)),
    ("csv", |bytes| read(Some(Format::Csv), bytes)),
    ("otg", |bytes| read(Some(Format::Otg), bytes)),
    ("hnefatafl", |bytes| read(Some(Format::Hnefatafl), bytes)),
    ("pgn", |bytes| read(Some(Format::Pgn), bytes)),
    ("position", position),
    ("stream", stream),
    ("differential", differential),
    ("judge", |bytes| judge(None, bytes)),
];

/// Legal moves that are listed, at most: a position can have a million of them.
const LISTED: u64 = 10_000;

/// A reader of a source whose form is known or has to be found.
fn reader<R: Read>(form: Option<Format>, source: R) -> Reader<R> {
    match form {
        Some(form) => Reader::with_format(source, form),
        None => Reader::new(source),
    }
}

fn canonical(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}

/// True for the separators of chunks: white space, byte order marks and, around objects, the punctuation of an array.
fn is_between(form: Format, text: &[u8]) -> bool {
    let more: &[u8] = if matches!(form, Format::Json | Format::Hnefatafl) { b"[,]" } else { b"" };
    text.iter().all(|byte| b" \t\n\r\x0b\x0c\xef\xbb\xbf".contains(byte) || more.contains(byte))
}

/// The one record of a text that was written.
fn again<R>(form: Format, written: &str, check: impl FnOnce(&Record<'_>) -> R) -> R {
    let mut reader = Reader::with_format(written.as_bytes(), form);
    let chunk = reader.next_chunk().expect("memory does not fail").expect("there is a record");
    let found: Vec<_> = chunk.records().collect();
    let [Ok(record)] = &found[..] else { panic!("one record was written: {written}") };
    let result = check(record);
    assert!(reader.next_chunk().expect("memory does not fail").is_none(), "one record was written: {written}");
    result
}

/// Any bytes can be read in any form, no byte is lost between chunks, and writing what was read and reading it again changes nothing.
///
/// # Panics
/// If this does not hold.
pub fn read(form: Option<Format>, text: &[u8]) {
    let mut reader = reader(form, text);
    let (mut rest, mut form) = (text, Format::Json);
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        form = chunk.format();
        let length = chunk.text().len();
        let at =
            if length == 0 { Some(rest.len()) } else { rest.windows(length).position(|part| part == chunk.text()) };
        // A compressed source, or one in another encoding, is read as other bytes.
        if is_plain(text) {
            let at = at.expect("it is of the text");
            assert!(is_between(form, &rest[..at]), "no byte is lost");
            rest = &rest[at + length..];
        }
        for (record, judged) in chunk.records().zip(verify::chunk(&chunk)) {
            for lang in Lang::ALL {
                report::verdict(&judged.verdict, 1, lang);
            }
            let Ok(record) = record else { continue };
            let is_unchanged = record.damaged.is_empty();
            let written = canonical(&record);
            again(Format::Quipu, &written, |record| {
                assert_eq!(canonical(record), written);
                let found = verify::record(record);
                assert_eq!(found.id, judged.verdict.id, "{written}");
                // Only a scoresheet can say that a spreadsheet has changed it.
                if is_unchanged {
                    assert_eq!(found.status, judged.verdict.status, "{written}");
                }
                assert_eq!(found.position, judged.verdict.position, "{written}");
            });
            for layout in OutputFormat::ALL {
                let written = layout.write(&record).0;
                again(layout.input_format(), &written, |record| assert_eq!(layout.write(record).0, written));
            }
            for format in FOREIGN {
                let Ok((written, _)) = format.written(&record) else { continue };
                let read = (format.read)(&written).expect("it was read for the losses");
                assert_eq!(format.written(&read).map(|(text, _)| text), Ok(written));
            }
        }
    }
    assert!(!is_plain(text) || is_between(form, rest), "no byte is lost");
}

/// Any text can be asked for as a position, and any other played on it. The first line is the one, each further line the other.
///
/// # Panics
/// If a position is not written as it was read, or if what is played is not what is legal.
pub fn position(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (position, moves) = text.split_once('\n').unwrap_or((text, ""));
    let sets = games::ALL.iter().flat_map(|game| game.rule_sets().into_iter().map(move |rules| (game, rules)));
    for (game, rules) in sets {
        let arranged = game.arrange(Some(rules), position);
        let second = quipu_reference::position(game.notation().id, rules, position);
        let mut board = match game.board(Some(rules), Some(position)) {
            Ok(board) => board,
            Err(faults) => {
                assert!(second.is_none(), "the second referee reads it");
                for fault in faults.iter().chain(arranged.as_ref().err().into_iter().flatten()) {
                    assert!(position.get(fault.span.range()).is_some());
                    assert_ne!(catalog().message(&fault.message, Lang::Es), "");
                }
                continue;
            }
        };
        assert_eq!(board.position(), position);
        let mut second = second.expect("the second referee reads it too");
        for token in moves.lines() {
            let count = board.perft(1, NonZero::<usize>::MIN);
            let legal = (count <= LISTED).then(|| board.legal_moves());
            assert!(legal.as_ref().is_none_or(|legal| legal.len() as u64 == count));
            assert!(board.suggestions(token).len() <= 5);
            board.drawing();
            let before = board.position();
            let over = board.end().is_some();
            let is_listed = |token: &str| legal.as_ref().map(|legal| legal.iter().any(|other| other == token));
            let played = board.play(token);
            if !over {
                let code = played.as_ref().map_err(|message| message.code.id);
                assert_eq!(code, second.play(token).as_ref().map_err(|code| *code), "{token} in {before}");
            }
            match played {
                Ok(canonical) => assert!(is_listed(&canonical).unwrap_or(true), "{token} in {before}"),
                Err(message) => {
                    assert_ne!(catalog().message(&message, Lang::En), "");
                    assert!(!is_listed(token).unwrap_or(false), "{token} in {before}");
                    assert_eq!(board.position(), before, "a refused move changes nothing");
                }
            }
            if over {
                break;
            }
        }
    }
}

/// A source that hands out a few bytes at a time.
struct Dripping<'a> {
    rest: &'a [u8],
    sizes: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = usize::from(*self.sizes.next().expect("they go round")) % 16 + 1;
        let size = size.min(buffer.len()).min(self.rest.len());
        buffer[..size].copy_from_slice(&self.rest[..size]);
        self.rest = &self.rest[size..];
        Ok(size)
    }
}

/// All that is read from a source and said of it.
fn all_of(source: impl Read) -> Vec<String> {
    let mut reader = Reader::new(source);
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        all.push(format!("{:?} {:?}", chunk.format(), chunk.text()));
        all.extend(verify::chunk(&chunk).map(|judged| format!("{:?}", judged.verdict)));
    }
    all
}

/// A stream in pieces is read as one that arrives at once: the first four bytes are the sizes of the pieces.
///
/// # Panics
/// If it is not.
pub fn stream(bytes: &[u8]) {
    let Some((sizes, text)) = bytes.split_first_chunk::<4>() else { return };
    assert_eq!(all_of(text), all_of(Dripping { rest: text, sizes: sizes.iter().cycle() }));
}

/// Both referees say the same of any text.
///
/// # Panics
/// If they do not.
pub fn differential(text: &[u8]) {
    if let Some(difference) = compare(text, &mut Tally::default()) {
        panic!("{difference}");
    }
}

/// A record that is judged while it is read has the verdict of one that is read whole, and its id is that of the same text, also
/// behind records of other chunks. Only a record without findings may come without its moves.
///
/// # Panics
/// If this does not hold.
pub fn judge(form: Option<Format>, text: &[u8]) {
    let mut reader = reader(form, text);
    loop {
        let chunks: Vec<_> = reader.next_chunks().expect("memory does not fail").collect();
        if chunks.is_empty() {
            return;
        }
        let whole: Vec<_> = chunks.iter().flat_map(verify::chunk).collect();
        let found = verify::chunks(chunks.clone(), Ids::Computed).map(|(_, judged)| *judged);
        assert_eq!(
            found.map(without_clean_moves).collect::<Vec<_>>(),
            whole.iter().cloned().map(without_clean_moves).collect::<Vec<_>>()
        );
        let texts: Vec<_> =
            verify::with_texts(chunks.clone(), |_, text| text.to_owned()).map(|(.., text)| text).collect();
        let canonical = whole.iter().map(|judged| {
            judged.record.as_ref().filter(|_| judged.verdict.id.is_some()).map(canonical).unwrap_or_default()
        });
        assert_eq!(texts, canonical.collect::<Vec<_>>());
        let without_ids: Vec<_> =
            verify::chunks(chunks.clone(), Ids::Skipped).map(|(_, judged)| judged.verdict).collect();
        let (with_moves, moves): (Vec<_>, Vec<_>) = verify::with_moves(chunks, |_| true, |_, moves| moves.to_owned())
            .map(|(_, judged, moves)| (judged.verdict, moves))
            .unzip();
        assert_eq!(moves, texts.iter().map(|text| write::moves(text)).collect::<Vec<_>>());
        let without_positions = without_ids.iter().zip(&with_moves).map(|(verdict, with_moves)| {
            let is_left_out = verdict.diagnostics.is_empty() && with_moves.position.is_none();
            Verdict { position: verdict.position.clone().filter(|_| !is_left_out), ..verdict.clone() }
        });
        assert_eq!(with_moves, without_positions.collect::<Vec<_>>());
        let whole: Vec<_> = whole.into_iter().map(|Judged { verdict, .. }| Verdict { id: None, ..verdict }).collect();
        assert_eq!(without_ids, whole);
    }
}

/// A judged record, without its moves if there is nothing to report.
fn without_clean_moves(mut judged: Judged<'_>) -> Judged<'_> {
    if let Some(record) = judged.record.as_mut().filter(|_| judged.verdict.diagnostics.is_empty()) {
        record.movetext = Movetext::default();
    }
    judged
}
