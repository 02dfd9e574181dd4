//! The examples of codes: what is shown as wrong has that code and no other, what is shown as right has none.

use quipu_notation::record::{Format, write::OutputFormat};
use quipu_referee::{
    Code, Message, Referee, Severity, Status, Verdict,
    advice::{PlayerName, Players},
    codes,
    competition::{self, Aliases, Moves, Related, Sheet, Sheets},
    games,
    messages::{CodeWords, Example, catalog},
    verify::{self, Judged},
};
use quipu_tests_core::{each_chunk, verdicts};

/// A record of an example: `\xff` stands for the byte of that number.
pub(crate) fn bytes(record: &str) -> Vec<u8> {
    let mut parts = record.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

/// Messages about an example.
pub(crate) fn findings(code: &Code, example: &Example) -> Vec<Message> {
    match (&example.record, &example.position, &example.token) {
        (Some(record), None, None) if competition::CODES.contains(code) => relations(record),
        (Some(record), None, None) if code.severity == Severity::Advice => advice(record),
        (Some(record), None, None) => of_record(&verdict(code, record)),
        (None, Some(position), Some(token)) => of_token(game(code), position, token),
        (None, Some(position), None) => of_position(game(code), position),
        _ => panic!("{}: an example is a record, a position, or a position and a token", code.id),
    }
}

/// Messages about its correction.
fn findings_in_right(code: &Code, example: &Example) -> Vec<Message> {
    match (&example.record, &example.position, &example.token) {
        (Some(_), ..) => [of_record(&verdict(code, example.right)), advice(example.right)].concat(),
        (None, Some(position), Some(_)) => of_token(game(code), position, example.right),
        _ => of_position(game(code), example.right),
    }
}

/// The game that a code belongs to.
fn game(code: &Code) -> &'static dyn Referee {
    let (owner, _) = code.id.split_once('.').expect("a code names its game");
    games::find(owner).unwrap_or_else(|| panic!("{}: only a record can show it", code.id))
}

#[track_caller]
fn verdict(code: &Code, record: &str) -> Verdict {
    let mut verdicts = verdicts(bytes(record).as_slice());
    assert_eq!(verdicts.len(), 1, "{}: an example is one record", code.id);
    verdicts.remove(0)
}

fn of_record(verdict: &Verdict) -> Vec<Message> {
    verdict.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect()
}

/// The advice on records, which may be one about another.
pub(crate) fn advice(records: &str) -> Vec<Message> {
    let (mut found, mut players) = (Vec::new(), Players::default());
    each_chunk(&*bytes(records), |chunk| {
        for judged in verify::chunk(chunk) {
            found.extend(judged.verdict.advice);
            let names = judged.record.iter().flat_map(|record| PlayerName::all(record));
            found.extend(names.filter_map(|name| players.note(&name)));
        }
    });
    found.into_iter().map(|slip| slip.message).collect()
}

/// The relations of records to earlier ones, as messages without a sentence.
fn relations(records: &str) -> Vec<Message> {
    let (mut sheets, mut found, mut places) = (Sheets::default(), Vec::new(), 1..);
    let relation = |id: &str| Message::new(codes::find(id).expect("it is in the table"));
    each_chunk(&*bytes(records), |chunk| {
        let sheet = |judged: &Judged<'_>, text: &str| {
            let record = judged.record.as_ref().expect("it can be read");
            Sheet::new(record, &judged.verdict, || Moves::of_text(text), &Aliases::default())
        };
        for (.., sheet) in verify::with_texts([*chunk], sheet) {
            let place = places.next().expect("there is no last one");
            let Related { sheet_of, contradicts, .. } = sheets.add(place, &sheet.expect("it has players"));
            found.extend(sheet_of.map(|_| relation("sheets.same")));
            found.extend(contradicts.map(|_| relation("sheets.contradicts")));
        }
    });
    found
}

fn of_position(game: &dyn Referee, position: &str) -> Vec<Message> {
    game.board(None, Some(position)).err().into_iter().flatten().map(|fault| fault.message).collect()
}

fn of_token(game: &dyn Referee, position: &str, token: &str) -> Vec<Message> {
    let mut board = game.board(None, Some(position)).unwrap_or_else(|faults| panic!("{position}: {faults:?}"));
    board.play(token).err().into_iter().collect()
}

/// Every code with its words.
fn all() -> impl Iterator<Item = (&'static Code, &'static CodeWords)> {
    codes::all().map(|code| (code, catalog().code(code).expect("every code has words")))
}

#[test]
fn a_wrong_example_has_its_code_and_no_other() {
    for (code, words) in all() {
        let found: Vec<_> = findings(code, &words.example).iter().map(|message| message.code.id).collect();
        assert_eq!(found, [code.id], "{:?}", words.example);
    }
}

#[test]
fn a_right_example_has_no_code() {
    for (code, words) in all() {
        let found = findings_in_right(code, &words.example);
        assert!(found.is_empty(), "{}: {found:?}", code.id);
        if words.example.record.is_some() {
            let status = verdict(code, words.example.right).status;
            assert!(matches!(status, Status::Verified | Status::Incomplete), "{}: {status:?}", code.id);
        }
    }
}

#[test]
fn the_right_example_corrects_the_wrong_one() {
    for (code, Example { record, position, token, right }) in all().map(|(code, words)| (code, &words.example)) {
        let wrong = [token, record, position].into_iter().flatten().next().expect("something is wrong");
        assert_ne!(wrong, right, "{}", code.id);
        if record.is_none() {
            assert!(!right.contains('\n'), "{}: a position or a move", code.id);
        }
    }
}

/// Readers are shown records as they should be: in canonical form, or as near to it as the fault allows.
#[test]
fn right_records_are_canonical() {
    for (code, words) in all().filter(|(_, words)| words.example.record.is_some()) {
        let right = bytes(words.example.right);
        let mut reader = quipu_notation::record::Reader::new(right.as_slice());
        let chunk = reader.next_chunk().expect("memory does not fail").expect("a record");
        let record = chunk.records().next().expect("a record").expect("it can be read");
        let game = record.value("Game").and_then(games::find).expect("of a game that is known");
        if chunk.format() == Format::Csv {
            let (sheet, _) = OutputFormat::Csv.write(&game.normalized(&record));
            assert_eq!(sheet, words.example.right, "{}", code.id);
            continue;
        }
        assert_eq!(game.canonical(&record), format!("{}\n", words.example.right), "{}", code.id);
    }
}
