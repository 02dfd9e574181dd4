//! Any bytes can be read, and writing what was read and reading it again changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_notation::record::{Reader, Record, write};
use quipu_referee::{Lang, games, report, verify};

fn canonical(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}

/// White space, or a byte order mark: what stands between blocks.
fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| b" \t\n\r\x0b\x0c\xef\xbb\xbf".contains(byte))
}

fuzz_target!(|text: &[u8]| {
    let mut reader = Reader::new(text);
    let mut rest = text;
    while let Some(block) = reader.next_block().expect("memory does not fail") {
        let at = rest.windows(block.text().len()).position(|part| part == block.text()).expect("it is of the text");
        assert!(is_blank(&rest[..at]), "no byte is lost");
        rest = &rest[at + block.text().len()..];
        for (record, judged) in block.records().zip(verify::block(&block)) {
            for lang in Lang::ALL {
                report::verdict(&judged.verdict, 1, lang);
            }
            let Ok(record) = record else { continue };
            let written = canonical(&record);
            let mut again = Reader::new(written.as_bytes());
            let block = again.next_block().expect("memory does not fail").expect("there is a record");
            let found: Vec<_> = block.records().zip(verify::block(&block)).collect();
            let [(Ok(record), found)] = &found[..] else { panic!("one record was written: {written}") };
            assert_eq!(canonical(record), written);
            assert_eq!(found.verdict.id, judged.verdict.id, "{written}");
            assert_eq!(found.verdict.status, judged.verdict.status, "{written}");
            assert_eq!(found.verdict.position, judged.verdict.position, "{written}");
            assert!(again.next_block().expect("memory does not fail").is_none(), "one record was written: {written}");
        }
    }
    assert!(is_blank(rest), "no byte is lost");
});
