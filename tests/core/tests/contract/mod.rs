//! Contracts between tables. Each test walks a table and names what is missing elsewhere.

mod cycles;
mod examples;
mod layers;
mod messages;
mod prose;
mod variants;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use quipu_notation::record::{Chunk, write::OutputFormat};
use quipu_referee::{codes, games};
use quipu_tests_core::{
    contract::{document, nothing, project},
    rows, text,
};
use serde_json::Value;

#[test]
fn codes_have_names_of_their_own() {
    let mut seen = BTreeSet::new();
    nothing(codes::all().map(|code| code.id).filter(|id| !seen.insert(*id)), "codes that are there twice");
    let owners: BTreeSet<_> =
        games::ALL.iter().map(|game| game.notation().id).chain(["record", "advice", "sheets"]).collect();
    let stray =
        codes::all().map(|code| code.id).filter(|id| id.split_once('.').is_none_or(|(of, _)| !owners.contains(of)));
    nothing(stray, "codes of no game");
    for game in games::ALL {
        let of_game = |id: &str| id.split_once('.').is_some_and(|(of, _)| of == game.notation().id);
        nothing(game.codes().iter().filter(|code| !of_game(code.id)), "codes of another game");
    }
}

#[test]
fn games_have_names_of_their_own() {
    let written: Vec<_> = quipu_notation::games::GAMES.iter().map(|game| game.id).collect();
    let refereed: Vec<_> = games::ALL.iter().map(|game| game.notation().id).collect();
    assert_eq!(written, refereed, "the games that are written are those that are refereed, in one order");
    assert_eq!(refereed.iter().collect::<BTreeSet<_>>().len(), refereed.len(), "{refereed:?}");
    for game in games::ALL {
        let sets = game.rule_sets();
        assert_eq!(sets.first(), Some(&"base"), "{sets:?}");
        assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), sets.len(), "{sets:?}");
    }
}

/// The letters of the sides are those of position strings.
#[test]
fn sides_have_their_letters() {
    for game in games::ALL {
        let letters = game.notation().sides.each_ref().map(|side| side.letter);
        assert_ne!(letters[0], letters[1]);
        for line in text(&format!("{}/positions.ndjson", game.notation().id)).lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            let position = row["position"].as_str().expect("a text");
            let board = game.board(row["rules"].as_str(), Some(position)).expect("a good position");
            let turn = position.split(' ').nth(1).expect("a field");
            assert_eq!(turn, game.notation().side(board.turn()).letter.to_string(), "{position}");
        }
    }
}

/// A scoresheet begins with the side that starts, and does not hear a `First` that the rules do not.
#[test]
fn scoresheets_begin_with_the_side_that_starts() {
    let header = |text: &str| {
        let record = Chunk::new(text.as_bytes()).records().next().expect("a record").expect("it can be read");
        let (sheet, _) = OutputFormat::Csv.write(&record);
        sheet.lines().find(|line| line.starts_with("n,")).expect("a header").to_owned()
    };
    for game in games::ALL {
        let notation = game.notation();
        for rules in game.rule_sets() {
            let Ok(board) = game.board(Some(rules), None) else { continue };
            let tags = format!("[Game \"{}\"]\n[Rules \"{rules}\"]\n", notation.id);
            let first = format!("n,{}", notation.side(board.turn()).name);
            assert!(header(&format!("{tags}\n*\n")).starts_with(&first), "{} {rules}", notation.id);
            let other = notation.side(!board.turn()).name;
            let told = header(&format!("{tags}[First \"{other}\"]\n\n*\n"));
            assert_eq!(told.starts_with(&first), !notation.first, "{} {rules}: {told}", notation.id);
        }
    }
}

/// A new game changes no line of what serves all: nothing there can know a game by its name.
#[test]
fn no_shared_source_names_a_game() {
    let rooms = [
        "notation/src/",
        "referee/src/",
        "api/options/src/",
        "api/files/src/",
        "api/archive/src/",
        "api/pictures/src/",
        "api/http/src/",
        "api/python/src/",
        "cli/src/",
    ];
    let tables = ["notation/src/games/mod.rs", "referee/src/games/mod.rs"];
    let ids: Vec<_> = games::ALL.iter().map(|game| game.notation().id).collect();
    let shared = project().into_iter().filter(|path| {
        let of_game = ids.iter().any(|id| path.contains(&format!("/games/{id}/")));
        Path::new(path).extension().is_some_and(|ending| ending == "rs")
            && rooms.iter().any(|room| path.starts_with(room))
            && !path.ends_with("/tests.rs")
            && !of_game
    });
    let mut found = Vec::new();
    for path in shared.filter(|path| !tables.contains(&path.as_str())) {
        let source = document(&path);
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = (1..).zip(code.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
        let naming = lines.filter(|(_, line)| ids.iter().any(|id| line.to_lowercase().contains(id)));
        found.extend(naming.map(|(number, line)| format!("{path}:{number}: {}", line.trim())));
    }
    nothing(found, "shared sources that name a game");
}

/// The number of times that each code is expected in the fixtures of a game.
fn expected_codes(folder: &str) -> BTreeMap<String, usize> {
    let mut codes = BTreeMap::new();
    for line in text(&format!("{folder}/mutants.verdicts.ndjson")).lines() {
        let verdict: Value = serde_json::from_str(line).expect("JSON");
        for diagnostic in verdict["diagnostics"].as_array().expect("a list") {
            *codes.entry(diagnostic["code"].as_str().expect("a code").to_owned()).or_default() += 1;
        }
    }
    let illegal = rows(&format!("{folder}/illegal.tsv")).into_iter().map(|[_, _, _, code]| code);
    let setups = rows(&format!("{folder}/setups.tsv")).into_iter().map(|[_, _, code]| code);
    for code in illegal.chain(setups).filter(|code| code != "-") {
        *codes.entry(code).or_default() += 1;
    }
    codes
}

#[test]
fn every_code_is_expected_by_a_fixture() {
    let mut shared = BTreeSet::new();
    for game in games::ALL {
        let folder = game.notation().id;
        let expected = expected_codes(folder);
        let missing = game.codes().iter().map(|code| code.id).filter(|id| !expected.contains_key(*id));
        nothing(missing, &format!("codes that no fixture of {folder} expects"));
        nothing(expected.keys().filter(|id| codes::find(id).is_none()), "codes of the fixtures that are in no table");
        shared.extend(expected.into_keys());
    }
    shared.extend(
        rows("sources.tsv")
            .into_iter()
            .flat_map(|[_, _, codes, _]| codes.split(' ').map(str::to_owned).collect::<Vec<_>>()),
    );
    let shared_codes = quipu_referee::record::CODES.iter().chain(quipu_referee::advice::CODES);
    let missing = shared_codes.map(|code| code.id).filter(|id| !shared.contains(*id));
    nothing(missing, "codes that no fixture expects");
}
