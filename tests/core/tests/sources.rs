//! Files as people save them, against `fixtures/sources.tsv`: what no file of records can hold, since it is seen from how a
//! file begins, or only in scoresheets.

use quipu_notation::record::Record;
use quipu_referee::{
    advice::{PlayerName, Players},
    games, verify,
};
use quipu_tests_core::{each_chunk, rows};

/// The bytes of a field.
fn unescaped(field: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((before, behind)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, length) = match behind.as_bytes() {
            [b'n', ..] => (b'\n', 1),
            [b'0', ..] => (0, 1),
            [b'x', ..] => (u8::from_str_radix(&behind[1..3], 16).expect("two digits"), 3),
            _ => panic!("{field}: an escape is \\n, \\0 or \\xNN"),
        };
        bytes.push(byte);
        rest = &behind[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// The canonical tokens of a record.
fn tokens(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find).expect("it has a game");
    let normalized = game.normalized(record);
    normalized.movetext.plies.iter().map(|ply| &*ply.token).collect::<Vec<_>>().join(" ")
}

#[test]
fn sources_have_their_verdicts() {
    for [source, status, codes, moves] in rows("sources.tsv") {
        let (mut found, mut players) = (Vec::<[String; 3]>::new(), Players::default());
        each_chunk(&*unescaped(&source), |chunk| {
            for judged in verify::chunk(chunk) {
                let names = judged.record.iter().flat_map(|record| PlayerName::all(record));
                let slips: Vec<_> = names.filter_map(|name| players.note(&name)).collect();
                let told = judged.verdict.diagnostics.iter().chain(&judged.verdict.advice).chain(&slips);
                let codes: Vec<_> = told.map(|found| found.code().id).collect();
                let codes = if codes.is_empty() { "-".to_owned() } else { codes.join(" ") };
                let refused = judged.verdict.first_error().is_some();
                let moves = judged.record.filter(|_| !refused).map_or_else(|| "-".to_owned(), |record| tokens(&record));
                found.push([judged.verdict.status.as_str().to_owned(), codes, moves]);
            }
        });
        let found: [String; 3] =
            std::array::from_fn(|field| found.iter().map(|row| &*row[field]).collect::<Vec<_>>().join(" / "));
        assert_eq!(found, [status, codes, moves], "{source}");
    }
}
