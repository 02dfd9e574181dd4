//! Entry lists and report files: their columns and lines, their refusals, and what they cannot hold.

use quipu_tournament::{
    exchange::{
        csv,
        trf::{self, Edition},
    },
    model::{About, Bye, Change, Encounter, Player, PlayerId, Tournament, TournamentSettings},
};

use super::{SWISS, refused, settings, tournament};

#[test]
fn entry_lists_are_read_by_their_columns() {
    let (changes, report) = csv::entries("\u{feff}Nombre;Elo;mesa\nRosa;2100;1\n;;\nLuis;;2\n", 1).expect("a list");
    let names = changes.iter().map(|change| match change {
        Change::Enter { player, .. } => (player.name.as_str(), player.rating),
        _ => unreachable!("entries only"),
    });
    assert_eq!(names.collect::<Vec<_>>(), [("Rosa", Some(2100)), ("Luis", None)]);
    assert_eq!(report[0].code.id, "exchange.unused");
    let refused = |text: &str| csv::entries(text, 1).expect_err("it is refused").code.id;
    assert_eq!(refused("rating\n1\n"), "exchange.no-column");
    assert_eq!(refused("name,rating\nRosa,high\n"), "exchange.unreadable");
    assert_eq!(refused("name,rating\n,1200\n"), "exchange.unreadable");
}

/// An entry list that is refused: the code, and the values of its facts.
#[track_caller]
fn refused_list(text: &str, code: &str, facts: &[&str]) {
    let fault = csv::entries(text, 1).expect_err("it is refused");
    let found: Vec<_> = fault.facts.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!((fault.code.id, found.as_slice()), (code, facts));
}

#[test]
fn entry_lists_lose_nothing_silently() {
    refused_list("nombre,elo\nAna,1\nSoto, Inés,\n", "exchange.unreadable", &["3", "field.rating", "Inés"]);
    refused_list("nombre\nAna\nSoto, Inés\n", "exchange.extra-cell", &["3", "Inés"]);
    refused_list("name;nombre\nAna;Luis\n", "exchange.same-column", &["1", "nombre"]);
    refused_list("elo,club,Rating,name\n1,x,2,Ana\n", "exchange.same-column", &["1", "Rating"]);
    refused_list("name,elo\nAna,1\n\"Soto, Inés,2\nLuis,3\n", "exchange.open-quote", &["3"]);
    refused_list("name,elo\nAna,1\n\"Soto\n\"Luis,3\n", "exchange.open-quote", &["3"]);
    refused_list("name,elo\n\"Soto,2", "exchange.open-quote", &["2"]);
    refused_list("name,elo\nAna,99999\n", "exchange.unreadable", &["2", "field.rating", "99999"]);
    refused_list("\n;;\nname;elo\n;3\n", "exchange.unreadable", &["4", "field.name", ""]);
    refused_list("", "exchange.no-column", &["name"]);
    let names = |text: &str| -> Vec<String> {
        let (changes, report) = csv::entries(text, 1).expect("a list");
        assert!(report.len() <= 1, "{report:?}");
        let name = |change: Change| if let Change::Enter { player, .. } = change { player.name } else { String::new() };
        changes.into_iter().map(name).collect()
    };
    assert_eq!(names("\u{feff}\r\n  \n;;\r\nnombre;elo\r\nSoto, Inés;1\r\n"), ["Soto, Inés"]);
    assert_eq!(names("\"a;b\",name,\nx,\"Soto, \"\"I\"\"\",,\n"), ["Soto, \"I\""]);
}

#[test]
fn sexes_are_letters_or_words_of_both_languages() {
    let check = |text: &str, sex: Option<char>| {
        let (changes, _) = csv::entries(&format!("nombre,sexo\nAna,{text}\n"), 1).expect("a list");
        let Some(Change::Enter { player, .. }) = changes.first() else { panic!("an entry") };
        assert_eq!(player.sex, sex, "{text}");
    };
    for (sex, texts) in [('m', ["m", "H", "hombre", "male"]), ('w', ["w", "F", "Mujer", "woman"])] {
        for text in texts {
            check(text, Some(sex));
        }
    }
    check(" ", None);
    refused_list("nombre,sexo\nAna,x\n", "exchange.unreadable", &["2", "field.sex", "x"]);
    refused_list("nombre,sexo\nAna,mujeres\n", "exchange.unreadable", &["2", "field.sex", "mujeres"]);
}

#[test]
fn report_files_name_what_they_cannot_hold() {
    let mut two = tournament(SWISS, 2, Encounter::TwoLegs, 2);
    let player = Player { name: "N".repeat(40), club: Some("Cusco".to_owned()), ..Player::default() };
    two.apply(&Change::Edit { id: PlayerId(1), player }).expect("a player");
    two.apply(&Change::Absent { id: PlayerId(2), round: 2, bye: Bye::Half }).expect("a player");
    let codes = |edition| {
        let (_, report) = trf::write(&two, edition);
        report.iter().map(|fault| (fault.code.id, fault.facts[0].1.clone())).collect::<Vec<_>>()
    };
    let shared = [
        ("exchange.shortened", "field.name".to_owned()),
        ("exchange.no-field", "field.club".to_owned()),
        ("exchange.no-field", "field.games".to_owned()),
    ];
    assert_eq!(codes(Edition::Trf26), shared);
    assert_eq!(codes(Edition::Trf16).len(), shared.len() + 3);
}

#[test]
fn a_report_file_with_a_name_twice_makes_no_tournament() {
    let line = |number: u32| format!("001 {number:>4} {:82}\n", "     Rosa");
    let (changes, _) = trf::read(&format!("012 X\n{}{}", line(1), line(2))).expect("a file");
    let fault = Tournament::from_changes(&changes).expect_err("it is refused");
    assert_eq!((fault.code.id, &*fault.facts[0].1), ("tournament.same-name", "Rosa"));
}

#[test]
fn damaged_report_files_are_refused_with_their_line() {
    let line = |number: u32, cells: &str| format!("001 {number:>4} {:82}{cells}\n", format!("     Rosa {number}"));
    let check = |text: &str, code: &str, place: &str| {
        let fault = trf::read(text).expect_err("it is refused");
        assert_eq!((fault.code.id, fault.facts[0].1.as_str()), (code, place));
    };
    check(&line(1, "   2 w 1"), "exchange.contradiction", "1");
    check(&format!("012 X\n{}", line(1, "   2 w ?")), "exchange.unreadable", "2");
    check(&format!("{}{}", line(1, ""), line(1, "")), "exchange.contradiction", "2");
    check("001  X\n", "exchange.unreadable", "1");
    let (changes, _) = trf::read(&format!("012 X\n{}{}", line(1, "   2 w 1"), line(2, "   1 b 0"))).expect("a file");
    assert_eq!(Tournament::from_changes(&changes).expect("good changes").rounds.len(), 1);
}

#[test]
fn a_time_control_is_within_its_bounds_and_goes_into_report_files() {
    let mut cup = tournament(SWISS, 1, Encounter::Single, 2);
    for seconds in [0, 12, 59, 36_001] {
        refused(&mut cup, &Change::TimeControl { seconds: Some(seconds) }, "tournament.setting");
        let settings = TournamentSettings { time_control: Some(seconds), ..settings(SWISS, 1, Encounter::Single) };
        assert_eq!(Tournament::new(settings).expect_err("out of bounds").code.id, "tournament.setting");
    }
    for seconds in [Some(60), Some(36_000), None, Some(725)] {
        cup.apply(&Change::TimeControl { seconds }).expect("it is allowed");
        assert_eq!((cup.time_control, cup.settings.time_control), (seconds, None));
    }
    for (words, line, kept) in [("", "122 725 s", (Some(725), "")), ("12 min", "122 12 min", (None, "12 min"))] {
        cup.apply(&Change::Describe { about: About { clock: words.to_owned(), ..About::default() } }).expect("facts");
        let (text, report) = trf::write(&cup, Edition::Trf26);
        assert!(text.lines().any(|found| found == line), "{text}");
        let lost = report.iter().any(|fault| fault.facts.contains(&("field", "setting.time-control".to_owned())));
        assert_eq!(lost, kept.0.is_none(), "{report:?}");
        let (changes, _) = trf::read(&text).expect("our own file");
        let read = Tournament::from_changes(&changes).expect("a tournament");
        assert_eq!((read.time_control, &*read.about.clock), kept);
    }
    // Older changes have none.
    let older = r#"{"change":"create","settings":{"name":"x","system":{"kind":"swiss"},"rounds":1,"encounter":{"kind":"single"}}}"#;
    let older: Change = serde_json::from_str(older).expect("a change");
    assert_eq!(Tournament::from_changes([&older]).expect("it is created").time_control, None);
    assert!(!serde_json::to_string(&older).expect("JSON").contains("time_control"));
}
