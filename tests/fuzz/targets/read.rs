//! Any bytes can be read, and writing what was read and reading it again changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_notation::record::{
    Form, Reader, Record,
    write::{self, Layout},
};
use quipu_referee::{Lang, games, report, verify};

fn canonical(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}

/// What stands between blocks: white space, byte order marks and, around objects, what belongs to an array.
fn is_between(form: Form, text: &[u8]) -> bool {
    let more: &[u8] = if form == Form::Json { b"[,]" } else { b"" };
    text.iter().all(|byte| b" \t\n\r\x0b\x0c\xef\xbb\xbf".contains(byte) || more.contains(byte))
}

/// The one record of a text that was written.
fn again<R>(form: Form, written: &str, check: impl FnOnce(&Record<'_>) -> R) -> R {
    let mut reader = Reader::with_form(written.as_bytes(), form);
    let block = reader.next_block().expect("memory does not fail").expect("there is a record");
    let found: Vec<_> = block.records().collect();
    let [Ok(record)] = &found[..] else { panic!("one record was written: {written}") };
    let result = check(record);
    assert!(reader.next_block().expect("memory does not fail").is_none(), "one record was written: {written}");
    result
}

fuzz_target!(|text: &[u8]| {
    let mut reader = Reader::new(text);
    let (mut rest, mut form) = (text, Form::Json);
    while let Some(block) = reader.next_block().expect("memory does not fail") {
        form = block.form();
        let length = block.text().len();
        let at =
            if length == 0 { Some(rest.len()) } else { rest.windows(length).position(|part| part == block.text()) };
        let at = at.expect("it is of the text");
        assert!(is_between(form, &rest[..at]), "no byte is lost");
        rest = &rest[at + length..];
        for (record, judged) in block.records().zip(verify::block(&block)) {
            for lang in Lang::ALL {
                report::verdict(&judged.verdict, 1, lang);
            }
            let Ok(record) = record else { continue };
            let written = canonical(&record);
            again(Form::Quipu, &written, |record| {
                assert_eq!(canonical(record), written);
                let found = verify::record(record);
                assert_eq!(found.id, judged.verdict.id, "{written}");
                assert_eq!(found.status, judged.verdict.status, "{written}");
                assert_eq!(found.position, judged.verdict.position, "{written}");
            });
            for layout in Layout::ALL {
                let written = layout.write(&record).0;
                again(layout.form(), &written, |record| assert_eq!(layout.write(record).0, written));
            }
        }
    }
    assert!(is_between(form, rest), "no byte is lost");
});
