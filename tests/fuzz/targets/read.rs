//! Any bytes can be read, and writing what was read and reading it again changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_notation::record::{Reader, Record, write};
use quipu_referee::{Lang, games, report, verify};

fn canonical(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}

fuzz_target!(|text: &[u8]| {
    let mut reader = Reader::new(text);
    let mut length = 0;
    while let Some(block) = reader.next_block().expect("memory does not fail") {
        length += block.text().len();
        for judged in verify::block(&block) {
            for lang in Lang::ALL {
                report::verdict(&judged.verdict, 1, lang);
            }
            let Some(record) = judged.record else { continue };
            let written = canonical(&record);
            let mut again = Reader::new(written.as_bytes());
            let block = again.next_block().expect("memory does not fail").expect("there is a record");
            let found: Vec<_> = verify::block(&block).collect();
            let [found] = &found[..] else { panic!("one record was written: {written}") };
            let record = found.record.as_ref().unwrap_or_else(|| panic!("it can be read: {written}"));
            assert_eq!(canonical(record), written);
            assert_eq!(found.verdict.id, judged.verdict.id, "{written}");
            assert_eq!(found.verdict.status, judged.verdict.status, "{written}");
            assert_eq!(found.verdict.position, judged.verdict.position, "{written}");
            assert!(again.next_block().expect("memory does not fail").is_none(), "one record was written: {written}");
        }
    }
    assert_eq!(length, text.len(), "no byte is lost");
});
