//! Sheets of one game, and sheets that contradict each other, in any order of entry.

use std::collections::BTreeMap;

use proptest::prelude::*;
use quipu_referee::{
    competition::{Aliases, COMPARED, Difference, Moves, Related, Sheet, Sheets, group},
    games,
    verify::{self, Judged},
};
use quipu_tests_core::{each_chunk, fixture, text};
use serde_json::Value;

/// The sheets of all records of a text, in order.
fn sheets(text: &str, aliases: &Aliases) -> Vec<Option<Sheet>> {
    let mut sheets = Vec::new();
    each_chunk(text.as_bytes(), |chunk| {
        let sheet = |judged: &Judged<'_>, text: &str| {
            Sheet::new(judged.record.as_ref()?, &judged.verdict, || Moves::of_text(text), aliases)
        };
        sheets.extend(verify::with_texts([*chunk], sheet).map(|(.., sheet)| sheet));
    });
    sheets
}

#[track_caller]
fn sheet(text: &str) -> Sheet {
    let found = sheets(text, &Aliases::default());
    let [Some(sheet)] = &found[..] else { panic!("{text}") };
    sheet.clone()
}

/// The relations of these sheets, entered in this order from place 1.
fn related(sheets: &[Sheet]) -> Vec<Related> {
    let mut all = Sheets::default();
    (1..).zip(sheets).map(|(place, sheet)| all.add(place, sheet)).collect()
}

/// A drawn game of this many plies, with these tags.
fn game(tags: &str, plies: usize) -> String {
    let mut board = games::find("andes").expect("a game").board(None, None).expect("a board");
    let mut moves = String::new();
    for _ in 0..plies {
        let token = board.legal_moves().swap_remove(0);
        moves += &board.play(&token).expect("it is legal");
        moves.push(' ');
    }
    let given = |name: &str, usual: &str| if tags.contains(&format!("[{name} ")) { "" } else { usual }.to_owned();
    let players = given("Sol", "[Sol \"Quispe, Ana\"]\n") + &given("Luna", "[Luna \"Mamani, Luis\"]\n");
    let result = given("Result", "[Result \"1/2-1/2\"]\n[Termination \"agreement\"]\n");
    format!("[Game \"andes\"]\n{players}{result}{tags}\n\n{moves}\n\n")
}

/// Asserts that two sheets are of one game or not, whichever is entered first.
#[track_caller]
fn check(one: &str, other: &str, same: bool) {
    let [one, other] = [one, other].map(sheet);
    for pair in [[&one, &other], [&other, &one]] {
        let found = related(&pair.map(Clone::clone));
        assert_eq!(found[0], Related::default());
        assert_eq!(found[1].sheet_of, same.then_some(1), "{one:?} {other:?}");
    }
}

/// Tags of two sheets of a long game, which are otherwise equal.
#[track_caller]
fn tags(one: &str, other: &str, same: bool) {
    check(&game(one, 8), &game(other, 8), same);
}

#[test]
fn tags_that_do_not_matter() {
    tags("[Site \"Cusco\"]", "[Site \"Cuzco, Perú\"]", true);
    tags("[Arbiter \"Li\"]", "[UTCTime \"15:04:05\"]", true);
    tags("[TimeControl \"900\"]", "", true);
    let draw = "[Result \"1/2-1/2\"]\n[Termination \"adjudication\"]";
    tags("", draw, true);
}

#[test]
fn clocks_comments_and_spellings_of_moves_do_not_matter() {
    let cup = text("andes/cup.quipu");
    let without: String = cup.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
    let found = sheets(&(cup.clone() + &without), &Aliases::default());
    let found: Vec<_> = found.into_iter().map(|sheet| sheet.expect("all have names")).collect();
    assert_eq!(found.len(), 112);
    for (place, related) in (1..).zip(related(&found)) {
        assert_eq!((related.sheet_of, related.contradicts), ((place > 56).then(|| place - 56), None), "{place}");
    }
    let loose = text("andes/loose.quipu");
    let games: BTreeMap<_, _> = sheets(&text("andes/games.quipu"), &Aliases::default())
        .into_iter()
        .flatten()
        .map(|sheet| (sheet.clone().hashed().key(), sheet))
        .collect();
    for sheet in sheets(&loose, &Aliases::default()).into_iter().flatten() {
        let key = sheet.clone().hashed().key();
        assert!(key.is_none() || games.get(&key) == Some(&sheet));
    }
}

#[test]
fn names_are_compared_as_in_competitions() {
    tags("[Sol \"Quispe, Ana\"]", "[Sol \"ana  QUISPE\"]", true);
    tags("[Luna \"Núñez\"]", "[Luna \"nunez\"]", true);
    tags("[Luna \"Núñez\"]", "[Luna \"Nuñes\"]", false);
    tags("[Event \"Copa\"]", "[Event \"COPA\"]", true);
    // Sides matter.
    tags("[Sol \"A\"]\n[Luna \"B\"]", "[Sol \"B\"]\n[Luna \"A\"]", false);
    let aliases = Aliases::parse("\"Quispe, Ana\" = [\"Anita\"]").expect("it is good");
    let text = game("", 8) + &game("[Sol \"Anita\"]", 8);
    let found: Vec<_> = sheets(&text, &aliases).into_iter().map(|sheet| sheet.expect("named")).collect();
    assert_eq!(related(&found)[1].sheet_of, Some(1));
    let keys = [0, 1].map(|at| found[at].clone().hashed().with_players([["bo", "LI"], ["Bo", "Li"]][at]).key());
    assert_eq!(keys[0], keys[1]);
}

#[test]
fn a_player_without_a_name_is_nobody() {
    for name in ["", " ", "?"] {
        assert_eq!(sheets(&game(&format!("[Luna \"{name}\"]"), 8), &Aliases::default()), [None]);
    }
    assert_eq!(sheets("[Game \"andes\"]\n\n0d3 0A0 *\n", &Aliases::default()), [None]);
    assert_eq!(sheets("[Sol \"A\"]\n[Luna \"B\"]\n\n0d3 0A0 *\n", &Aliases::default()), [None]);
    assert_eq!(sheets("[Game \"andes\"]\n[Sol \"A\"]\n[Luna \"B\"]\n\n0d3 {open\n", &Aliases::default()), [None]);
}

#[test]
fn tags_known_of_both_must_agree() {
    for name in ["Event", "Round", "Leg", "Board", "Date"] {
        let tag = |value: &str| format!("[{name} \"{value}\"]");
        let known = if name == "Date" { "2026.08.15" } else { "1" };
        tags(&tag(known), "", true);
        for unknown in ["", " ", "?"] {
            tags(&tag(known), &tag(unknown), true);
        }
        tags(&tag(known), &tag(known), true);
        tags(&tag(known), &tag(if name == "Date" { "2026.08.16" } else { "2" }), false);
    }
}

#[test]
fn dates_may_be_partly_unknown() {
    let dates = |one: &str, other: &str, same| tags(&format!("[Date \"{one}\"]"), &format!("[Date \"{other}\"]"), same);
    dates("2026.08.??", "2026.08.15", true);
    dates("2026.??.15", "2026.08.??", true);
    dates("????.??.??", "15 de agosto", true);
    dates("2026", "2026.08.15", true);
    dates("2026-08-15", "2026.08.15", true);
    dates("2026/8/15", "2026.08.15", true);
    dates("2026.08.??", "2026.09.15", false);
    dates("202?.08.15", "2026.08.15", true);
    dates("202?.08.15", "2026.08.16", false);
    dates("15 de agosto", "15 DE AGOSTO", true);
    dates("15 de agosto", "2026.08.15", false);
    // The order of day and month is unknown.
    dates("05.08.2026", "2026.08.05", false);
    dates("2026.08.15.1", "2026.08.15", false);
    dates("99999999999.08.15", "2026.08.15", false);
}

#[test]
fn a_short_game_without_a_round_has_no_other_sheets() {
    check(&game("", 8), &game("", 8), true);
    check(&game("", 7), &game("", 7), false);
    check(&game("[Round \"1\"]", 7), &game("", 7), true);
    check(&game("[Round \"1\"]", 7), &game("[Round \"1\"]", 7), true);
    // The third agrees with the first and not with the second.
    let [with, without] = ["[Round \"1\"]", ""].map(|tags| sheet(&game(tags, 7)));
    let found = related(&[with.clone(), without.clone(), without, with]);
    assert_eq!(found.iter().map(|found| found.sheet_of).collect::<Vec<_>>(), [None, Some(1), None, Some(1)]);
}

#[test]
fn moves_result_start_and_rules_must_be_the_same() {
    check(&game("", 8), &game("", 9), false);
    check(&game("", 8), &game("[Result \"1-0\"]\n[Termination \"time\"]", 8), false);
    // The usual start, written out, is the usual start.
    tags("[Setup \"7/7/7/7/7/7/7 s 7-7 0-0 - - 0\"]", "", true);
    let seven = "[Game \"brandubh\"]\n[Negros \"A\"]\n[Rojos \"B\"]\n[Round \"1\"]\n";
    let first =
        games::find("brandubh").expect("a game").board(None, None).expect("a board").legal_moves().swap_remove(0);
    let end = format!("[Termination \"resignation\"]\n\n1. {first} 1-0\n");
    check(&format!("{seven}{end}"), &format!("{seven}[Rules \"base\"]\n{end}"), true);
    check(&format!("{seven}{end}"), &format!("{seven}[Rules \"cuervo\"]\n{end}"), false);
    let pastores = "[Game \"pastores\"]\n[Norte \"A\"]\n[Sur \"B\"]\n[Round \"1\"]\n[Termination \"agreement\"]\n";
    let [north, south] = ["norte", "sur"].map(|side| format!("{pastores}[First \"{side}\"]\n\n1/2-1/2\n"));
    check(&north, &north, true);
    check(&north, &south, false);
}

#[test]
fn only_verified_records_are_sheets_of_one_game() {
    let open = game("[Result \"*\"]", 8);
    check(&open, &open, false);
    let rejected = game("[Result \"1-0\"]", 8);
    check(&rejected, &rejected, false);
}

/// Asserts the difference of the second of two sheets of an event, round and leg from the first.
#[track_caller]
fn parts(one: &str, other: &str, expected: Option<&str>) {
    let with_event = |text: &str| sheet(&text.replacen('\n', "\n[Event \"Copa\"]\n[Round \"3\"]\n", 1));
    let found = related(&[with_event(one), with_event(other)]).swap_remove(1).contradicts;
    let shown = found.map(|found| {
        assert_eq!(found.place, 1);
        match found.difference {
            Difference::Ply(ply, moves) => {
                let [there, here] = moves.map(|token| token.unwrap_or_else(|| "-".to_owned()));
                format!("{ply} {there} {here}")
            }
            Difference::Result([there, here]) => format!("{} {}", there.as_str(), here.as_str()),
        }
    });
    assert_eq!(shown.as_deref(), expected, "{one}{other}");
}

#[test]
fn sheets_that_contradict_each_other() {
    let moves = |moves: &str, end: &str| {
        format!("[Game \"andes\"]\n[Sol \"A\"]\n[Luna \"B\"]\n[Termination \"resignation\"]\n\n{moves} {end}\n")
    };
    let first = moves("0d3 0A0 0a1 0B0", "1-0");
    parts(&first, &moves("0d3 0A0 0a1 0B0", "1-0"), None);
    parts(&first, &moves("0d3 {hm} 0A0 0a1 0B0 $1", "1-0"), None);
    parts(&first, &moves("0d3 0A0 0b0 0B0", "1-0"), Some("3 0a1 0b0"));
    parts(&first, &moves("0d3 0A0 0a1", "1-0"), Some("4 0B0 -"));
    parts(&moves("0d3 0A0 0a1", "1-0"), &first, Some("4 - 0B0"));
    parts(&first, &moves("0d3 0A0 0a1 0B0", "0-1"), Some("1-0 0-1"));
    // A rejected sheet has moves too; without a result it does not contradict.
    parts(&first, &moves("0d3 0A0 Oa1 0B0", "1-0"), Some("3 0a1 Oa1"));
    parts(&first, &moves("0d3 0A0", "*"), None);
    // Its claim counts, not the result on the board.
    let ended =
        |result: &str| format!("[Game \"andes\"]\n[Sol \"A\"]\n[Luna \"B\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n{result}\n");
    parts(&ended("1-0"), &ended("0-1"), Some("1-0 0-1"));
    // The other leg is another game, and so is one with the sides swapped.
    parts(&first, &moves("0d3 0A0", "1-0").replacen('\n', "\n[Leg \"2\"]\n", 1), None);
    parts(&first, &moves("0d3 0A0", "1-0").replacen("\"A\"", "\"C\"", 1), None);
    let swapped = moves("0d3 0A0", "1-0").replace("Sol \"A\"", "Sol \"B\"").replace("Luna \"B\"", "Luna \"A\"");
    parts(&first, &swapped, None);
}

#[test]
fn an_unknown_event_or_round_contradicts_nothing() {
    for tags in ["", "[Event \"Copa\"]\n", "[Round \"1\"]\n", "[Event \"?\"]\n[Round \"1\"]\n"] {
        let found = related(&[sheet(&game(tags, 8)), sheet(&game(tags, 9))]);
        assert_eq!(found, [Related::default(), Related::default()], "{tags}");
    }
}

#[test]
fn every_sheet_that_contradicts_another_is_found() {
    let of = |plies| sheet(&game("[Event \"Copa\"]\n[Round \"1\"]", plies));
    let found = related(&[of(8), of(8), of(9), of(10), of(9), of(8)]);
    let firsts: Vec<_> = found.iter().map(|found| found.sheet_of).collect();
    assert_eq!(firsts, [None, Some(1), None, None, Some(3), Some(1)]);
    let others: Vec<_> = found.iter().map(|found| found.contradicts.as_ref().map(|found| found.place)).collect();
    assert_eq!(others, [None, None, Some(1), Some(1), Some(1), Some(3)]);
}

/// Each pair of `sheets.ndjson` differs where its texts do, and without its slips it is of one game.
#[test]
fn pairs_of_spoilt_sheets() {
    let (mut parted, mut pairs) = (0, 0);
    for game in games::ALL {
        let path = fixture(&format!("{}/sheets.ndjson", game.notation().id));
        for line in std::fs::read_to_string(path).expect("it is there").lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let [a, b] = ["a", "b"].map(|key| line[key].as_str().expect("a sheet").to_owned());
            let tokens = |text: &str| {
                let mut tokens = Vec::new();
                each_chunk(text.as_bytes(), |chunk| {
                    let record = chunk.records().next().expect("a record").expect("it can be read");
                    tokens = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
                });
                tokens
            };
            let (moves_a, moves_b) = (tokens(&a), tokens(&b));
            let apart = (0..moves_a.len().max(moves_b.len())).find(|&ply| moves_a.get(ply) != moves_b.get(ply));
            let found = related(&[sheet(&a), sheet(&b)]).swap_remove(1);
            let has_event_and_round = |text: &str| ["[Event \"", "[Round \""].iter().all(|tag| text.contains(tag));
            let expected = apart
                .filter(|_| has_event_and_round(&a) && has_event_and_round(&b))
                .map(|ply| Difference::Ply(ply as u64 + 1, [moves_a.get(ply).cloned(), moves_b.get(ply).cloned()]));
            let case = format!("{} {}", game.notation().id, line["case"]);
            assert_eq!(found.contradicts.map(|found| found.difference), expected, "{case}");
            parted += usize::from(apart.is_some());

            let truth: Vec<_> =
                line["truth"].as_array().expect("a list").iter().map(|token| token.as_str().expect("a text")).collect();
            let played = |text: &str| {
                let (head, moves) = text.split_once("\n\n").expect("a head");
                let result = moves.trim_end().rsplit(['\n', ' ']).next().expect("a result");
                format!("{head}\n\n{} {result}\n", truth.join(" "))
            };
            let [a, b] = [played(&a), played(&b)];
            let b = if b.contains("[Site ") { b } else { b.replacen('\n', "\n[Site \"Otra parte\"]\n", 1) };
            let found = related(&[sheet(&a), sheet(&b)]).swap_remove(1);
            assert_eq!((found.sheet_of, found.contradicts), (Some(1), None), "{case}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, 120);
    assert!(parted > 100, "{parted}");
}

/// A sheet with one of a few values of each tag.
fn any_sheet() -> impl Strategy<Value = Sheet> {
    let value = || prop_oneof![Just(""), Just("1"), Just("2")];
    let date = prop_oneof![Just(""), Just("2026.08.??"), Just("2026.??.15"), Just("2026.09.15"), Just("agosto")];
    (value(), value(), value(), date, 7..=8_usize).prop_map(|(event, round, leg, date, plies)| {
        let tags = format!("[Event \"{event}\"]\n[Round \"{round}\"]\n[Leg \"{leg}\"]\n[Date \"{date}\"]");
        sheet(&game(&tags, plies))
    })
}

/// True if two sheets by themselves are of one game.
fn agree(one: &Sheet, other: &Sheet) -> bool {
    let [one, other] = [one, other].map(|sheet| sheet.clone().hashed());
    one.key() == other.key() && group([one.event_tags(), other.event_tags()]) == [0, 0]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn agreement_is_symmetric(one in any_sheet(), other in any_sheet()) {
        prop_assert_eq!(agree(&one, &other), agree(&other, &one));
    }

    /// In the order of entry, a record joins the first group with all of whose records it agrees.
    #[test]
    fn groups_are_as_defined(sheets in proptest::collection::vec(any_sheet(), 0..12)) {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let expected: Vec<_> = (0..sheets.len()).map(|index| {
            let all_agree = |group: &&mut Vec<usize>| group.iter().all(|&other| agree(&sheets[other], &sheets[index]));
            if let Some(group) = groups.iter_mut().find(all_agree) {
                group.push(index);
                Some(group[0] as u64 + 1)
            } else {
                groups.push(vec![index]);
                None
            }
        }).collect();
        let found: Vec<_> = related(&sheets).into_iter().map(|found| found.sheet_of).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_hundred_thousand_sheets_are_compared_at_once() {
    let tags = "[Event \"Copa\"]\n[Round \"1\"]";
    let [one, other] = [8, 9].map(|plies| sheet(&game(tags, plies)));
    let text = game(tags, 8);
    let mut all = Sheets::default();
    let mut found = [0; 2];
    for place in 1..=100_000 {
        let sheet = match place % 3 {
            0 => one.clone(),
            1 => other.clone(),
            _ => sheet(&text.replace("Quispe, Ana", &place.to_string())),
        };
        let related = all.add(place, &sheet);
        found[0] += u32::from(related.sheet_of.is_some());
        found[1] += u32::from(related.contradicts.is_some());
    }
    // All but the first of both, and of these all but the first again.
    assert_eq!(found, [66_665, 66_666]);
    assert!(!all.forgot());
}

#[test]
fn memory_is_bounded_and_the_oldest_games_are_forgotten() {
    let text = game("[Event \"Copa\"]\n[Round \"1\"]", 8);
    let of = |player: &str| sheet(&text.replace("Quispe, Ana", player));
    let mut all = Sheets::within(100 * 1024);
    assert_eq!(all.add(1, &of("Ana")).sheet_of, None);
    assert_eq!(all.add(2, &of("Ana")).sheet_of, Some(1));
    assert!(!all.forgot());
    for place in 3..2_000 {
        all.add(place, &of(&place.to_string()));
    }
    assert!(all.forgot());
    assert_eq!(all.add(2_000, &of("Ana")).sheet_of, None);
    assert_eq!(all.add(2_001, &of("1999")).sheet_of, Some(1_999));
}

#[test]
fn a_sheet_is_compared_with_a_limited_number_of_others_with_its_moves() {
    let mut all = Sheets::default();
    for round in 1..=COMPARED as u64 + 1 {
        assert_eq!(all.add(round, &sheet(&game(&format!("[Round \"{round}\"]"), 8))).sheet_of, None);
    }
    for (round, first) in [(1, Some(1)), (COMPARED as u64, Some(COMPARED as u64)), (COMPARED as u64 + 1, None)] {
        assert_eq!(all.add(200, &sheet(&game(&format!("[Round \"{round}\"]"), 8))).sheet_of, first);
    }
}
