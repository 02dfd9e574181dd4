//! The entry of a record: its facts, the reason why it does not count, and its text.

use quipu_notation::{
    Side,
    record::{Chunk, Outcome},
};
use quipu_referee::{
    competition::{
        Aliases, Candidate, Entries, Entry, Half, Moves, Related, Sheet, Sheets, Start, Uncounted, players, read_entry,
        write_entry,
    },
    games::ALL,
    verify,
};
use quipu_tests_core::{bytes, each_chunk, every};
use serde_json::{Value, json};

use super::{DAY, result};

const HEAD: &str = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n";
const MOVES: &str = "\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n";

/// The facts of a record, or why it does not count.
fn facts(record: &str, aliases: &str) -> Result<Entry, Uncounted> {
    let aliases = Aliases::parse(aliases).expect("they are good");
    let chunk = Chunk::new(record.as_bytes());
    let judged = verify::chunk(&chunk).next().expect("a record");
    match &judged.record {
        Some(record) => Entry::new(7, record, &judged.verdict, &aliases),
        None => Err(Uncounted::not_verified(&judged.verdict)),
    }
}

#[test]
fn the_facts_of_a_game() {
    let tags = "[Event \"Copa\"]\n[Round \"3\"]\n[Leg \"2\"]\n[UTCDate \"2026.08.12\"]\n[UTCTime \"10:00:00\"]\n";
    let found = facts(&format!("{HEAD}{tags}{MOVES}"), "").expect("it counts");
    assert_eq!((found.place, found.game.id, found.termination.name), (7, "andes", "continent"));
    assert_eq!(found.players, ["Ana", "Bo"]);
    assert_eq!(
        (found.event.as_deref(), found.round.as_deref(), found.leg.as_deref()),
        (Some("Copa"), Some("3"), Some("2"))
    );
    assert_eq!(found.outcome, Outcome::Win(Side::One));
    assert_eq!(found.start, Start::new(Some(DAY), Some("10:00:00")));
    let points = found.points.expect("Andes counts points");
    assert_eq!(points.counted(), [11, 9]);
    assert_eq!(points.0.map(|count| count.breaks), [[2, 0, 5], [1, 0, 6]]);
    assert_eq!((found.score(Side::One), found.score(Side::Two)), (Half::ONE, Half::ZERO));
}

#[test]
fn absent_facts_are_unknown() {
    for (event, round) in [("?", "?"), ("", ""), (" ", " ? ")] {
        let found = facts(&format!("{HEAD}[Event \"{event}\"]\n[Round \"{round}\"]\n{MOVES}"), "").expect("it counts");
        assert_eq!((found.event, found.round, found.leg, found.start), (None, None, None, Start::default()));
    }
}

#[test]
fn games_that_do_not_count() {
    let code = |record: &str| match facts(record, "") {
        Err(Uncounted::NotVerified(status, first)) => (status.as_str(), first.map(|message| message.code.id)),
        other => panic!("{other:?}"),
    };
    assert_eq!(code(&format!("{HEAD}\n1. 0a1\n*\n")), ("incomplete", None));
    assert_eq!(code(&format!("{HEAD}\n1. 0d3 2A1\n*\n")), ("rejected", Some("andes.3.6")));
    assert_eq!(code(&format!("{HEAD}[Points \"1-1\"]\n{MOVES}")), ("rejected", Some("andes.points")));
    assert_eq!(code("[Game \"chess\"]\n\n1-0\n"), ("rejected", Some("record.game")));
    assert_eq!(code("[Game \"andes\"]\n\n1. 0d3 {open\n"), ("unreadable", Some("record.syntax")));
    for unnamed in ["", "?", "  "] {
        let record = format!("[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"{unnamed}\"]\n{MOVES}");
        assert_eq!(facts(&record, ""), Err(Uncounted::Unnamed("Luna")));
    }
    assert_eq!(facts(&format!("[Game \"andes\"]\n[Luna \"Bo\"]\n{MOVES}"), ""), Err(Uncounted::Unnamed("Sol")));
    assert_eq!(facts(&format!("{HEAD}{MOVES}"), "Ana = [\"Bo\"]"), Err(Uncounted::Alone("Ana".to_owned())));
}

#[test]
fn a_game_without_points() {
    let found = Entry { points: None, ..result(1, "A 1-0 B") };
    assert_eq!(found.clone().with_points(), Err(Uncounted::Pointless(found.game)));
    assert!(players(&[found], &[]).is_empty());
}

#[test]
fn names_are_those_that_aliases_lead_to() {
    let found = facts(&format!("{HEAD}{MOVES}"), "\"Paz, Ana\" = [\"Ana\"]").expect("it counts");
    assert_eq!(found.players, ["Paz, Ana", "Bo"]);
    let found = facts(&format!("{HEAD}{MOVES}"), "\"Paz, Ana\" = [\"ana\"]").expect("it counts");
    assert_eq!(found.players, ["Ana", "Bo"], "to the letter");
}

#[test]
fn a_game_counts_once() {
    let mut entries = Entries::default();
    assert_eq!(entries.add(result(3, "A 1-0 B")), Ok(()));
    let again = Entry { place: 5, ..result(3, "A 1-0 B") };
    assert_eq!(entries.add(again), Err(Uncounted::Duplicate(3)));
    assert_eq!(entries.add(result(6, "A 1-0 B")), Ok(()));
    assert_eq!(entries.all().len(), 2);
    let places = [3, 5, 6].map(|place| entries.at(place).map(|entry| entry.place));
    assert_eq!(places, [Some(3), None, Some(6)]);
}

/// The entries of a text, each with its sheet.
fn entries_with_sheets(text: &str) -> Vec<(Entry, Sheet)> {
    let aliases = Aliases::default();
    let mut found = Vec::new();
    each_chunk(text.as_bytes(), |chunk| {
        found.extend(
            verify::with_texts([*chunk], |judged, text| {
                let record = judged.record.as_ref()?;
                let entry = Entry::new(0, record, &judged.verdict, &aliases).ok()?;
                Some((entry, Sheet::new(record, &judged.verdict, || Moves::of_text(text), &aliases)?))
            })
            .filter_map(|(.., found)| found),
        );
    });
    found
}

#[test]
fn entries_and_their_sheets_are_read_back_from_their_texts() {
    let of_games = ["games", "loose", "mutants"]
        .into_iter()
        .flat_map(|name| ALL.iter().flat_map(move |game| every(game.notation().id, name, "quipu")));
    let texts: Vec<_> = of_games
        .chain(["andes/cup.quipu".to_owned()])
        .map(|file| String::from_utf8_lossy(&bytes(&file)).into_owned())
        .collect();
    let (mut written, mut read) = (Sheets::default(), Sheets::default());
    let mut found = [0; 3];
    // Again, in another round, and in another event.
    let tags = ["[Round \"", "[Event \""].map(|tag| (tag, format!("{tag}9")));
    for (from, to) in [("", String::new()), ("", String::new())].into_iter().chain(tags) {
        for (entry, sheet) in texts.iter().flat_map(|text| entries_with_sheets(&text.replace(from, &to))) {
            found[0] += 1;
            let again = read_entry(&write_entry(&entry, Some(&sheet.clone().hashed())));
            let Some(Candidate::Entry(same, Some(hashed))) = again else { panic!("{entry:?}") };
            assert_eq!(same, entry);
            let Related { sheet_of, repeats, .. } = written.add(found[0], &sheet);
            let expected = Related { sheet_of, contradicts: None, repeats };
            assert_eq!(read.add(found[0], &hashed), expected, "{entry:?}");
            found[1] += u64::from(sheet_of.is_some());
            found[2] += u64::from(repeats.is_some());
        }
    }
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}

#[test]
fn texts_that_no_entry_has_are_refused() {
    for text in ["", "{}", "null", "[Game \"andes\"]"] {
        assert!(read_entry(text).is_none(), "{text}");
    }
    let text = write_entry(&result(1, "Ana 1-0 Bo"), None);
    let with = |path: &str, value: &Value| {
        let mut text: Value = serde_json::from_str(&text).expect("JSON");
        *text.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value.clone();
        read_entry(&text.to_string()).is_some()
    };
    for (path, value) in [
        ("/players/1", json!("Ana")),
        ("/players/0", json!(" ")),
        ("/players/0", json!("?")),
        ("/event", json!("")),
        ("/round", json!("?")),
        ("/start", json!("rubbish")),
        ("/start", json!("2026.11.26 9:00")),
        ("/result", json!("*")),
        ("/result", json!("1/2-1/2")),
        ("/termination", json!("agreement")),
        ("/termination", json!("corner")),
        ("/points", Value::Null),
        ("/points/0/0", json!(u32::MAX)),
        ("/points/1/3", json!(1001)),
        ("/game", json!("brandubh")),
    ] {
        assert!(!with(path, &value), "{path} {value}");
    }
    for (path, value) in [
        ("/players/1", json!("Li")),
        ("/event", Value::Null),
        ("/start", json!("2026.11.26 09:00:00")),
        ("/result", json!("0-1")),
        ("/termination", json!("adjudication")),
        ("/termination", json!("continent")),
        ("/points/0/0", json!(1000)),
    ] {
        assert!(with(path, &value), "{path} {value}");
    }
}
