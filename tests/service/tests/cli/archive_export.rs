//! Exports of an archive: their formats, what does not fit into them, and filters.

use std::{
    collections::BTreeSet,
    fs::{self, File},
};

use parquet::file::reader::SerializedFileReader;
use quipu_archive::model::Attribution;
use quipu_tests_service::text;
use serde_json::Value;

use super::archive::{TestArchive, verified};
use crate::{each_game, with};

#[test]
fn an_export_contains_all_imported_records() {
    each_game(|name, _| {
        let place = TestArchive::new();
        let records = text(&format!("{name}/games.quipu"));
        place.import(&[&format!("fixtures/{name}/games.quipu")]);
        let expected = verified(&records);
        for form in ["quipu", "json", "ndjson", "csv"] {
            let out = place.good(&["export", "--to", form]);
            assert_eq!(verified(&out), expected, "{name} as {form}");
        }
        let out = place.file("out.quipu");
        assert_eq!(place.good(&["export", "--source", "-o", &out]), "");
        assert_eq!(verified(&fs::read_to_string(out).expect("it is written")), expected);
    });
}

/// The rows of a Parquet file as JSON.
fn rows(path: &str) -> Vec<Value> {
    let file = SerializedFileReader::new(File::open(path).expect("it is written")).expect("Parquet");
    file.into_iter().map(|row| row.expect("a row").to_json_value()).collect()
}

#[test]
fn a_table_has_the_records_and_the_names_that_their_players_count_under() {
    let place = TestArchive::new();
    let out = place.file("out.parquet");
    place.import(&["fixtures", "--keep-unverified"]);
    let run = place.archive(&["export", "--to", "parquet", "-o", &out]);
    assert_eq!(run.status, Some(1), "{run:#?}");
    assert!(run.stderr.contains("unreadable records were left out"), "{run:#?}");
    let table = rows(&out);
    let texts: String = table.iter().map(|row| row["record"].as_str().expect("a text")).collect();
    assert_eq!(texts, place.archive(&["export"]).stdout);
    let numbers: Vec<_> = table.iter().map(|row| row["number"].as_i64()).collect();
    assert!(numbers.is_sorted() && numbers[0].is_some());
    let found: BTreeSet<_> =
        table.iter().filter(|row| row["status"] == "verified").map(|row| row["id"].as_str().unwrap_or("")).collect();
    let ids = verified(&texts);
    assert_eq!(found, ids.iter().map(String::as_str).collect());

    let cup = place.file("cup.parquet");
    let of_cup = ["--event", "Copa de los Andes", "--round", "1", "--to", "parquet", "-o", &cup];
    place.good(&with(&["export"], &of_cup));
    let row = rows(&cup).remove(0);
    let [one, two] = ["player_1", "player_2"].map(|column| row[column].as_str().expect("a name").to_owned());
    assert_eq!(row["event"], "Copa de los Andes");
    assert!(row["date"].is_string() && row["points_1"].is_i64() && row["plies"].is_i64(), "{row}");
    let by = Attribution { submitter: "test".to_owned(), author: None, reason: None };
    let names = (one, two.clone());
    let merged = place.store().write(move |writing| writing.merge(&names.0, &names.1, &by)).wait();
    assert!(merged.is_ok(), "{merged:?}");
    place.good(&with(&["export"], &of_cup));
    assert_eq!(rows(&cup)[0]["player_1"], two.as_str());
}

#[test]
fn records_come_out_to_the_byte() {
    let place = TestArchive::new();
    let input = place.file("in.quipu");
    // In no canonical form: tags in another order, CR LF, other spellings, a comment, and no line feed at the end.
    let first = "[Result \"1-0\"]\r\n[Game  \"andes\"]\r\n\r\n1.0a1 {primera}  0D0\r\n0b0 0D0C 1-0\r\n\r\n";
    let second = "[Round \"2\"]\n[Game \"andes\"]\n[Result \"1-0\"]\n% note\n0a1 0D0 0b0 0D0C 1-0";
    fs::write(&input, format!("{first}{second}")).expect("there is room");
    assert_eq!(place.import(&[&input])["new"], 2);
    assert_eq!(place.good(&["export", "--source"]), format!("{first}{second}\n"));
    assert_ne!(place.good(&["export"]), format!("{first}{second}\n"));
}

/// A record that does not fit into the format is named by its number and left out; the others are written.
#[test]
fn an_export_leaves_out_what_does_not_fit_into_its_format() {
    let place = TestArchive::new();
    place.import(&["fixtures/brandubh/replay.otg"]);
    place.import(&["fixtures/andes/games.quipu"]);
    let place_of = |game: &str| place.good(&["export", "--game", game]).matches("[Game ").count();
    let (andes, brandubh) = (place_of("andes"), place_of("brandubh"));
    assert!(andes > 0 && brandubh > 0, "{andes} {brandubh}");
    let run = place.archive(&["export", "--to", "pgn"]);
    assert_eq!(run.status, Some(1), "{run:#?}");
    assert_eq!(run.stdout.matches("[Variant \"brandubh\"]\n").count(), brandubh, "{run:#?}");
    let refused: Vec<_> =
        run.stderr.lines().filter(|line| line.ends_with(": the format pgn is for brandubh only")).collect();
    assert_eq!(refused.len(), andes, "{run:#?}");
    assert!(
        refused.iter().enumerate().all(|(index, line)| line.starts_with(&format!("record {}: ", brandubh + index + 1)))
    );
    let total = format!("{andes} records were left out, because they do not fit into the format pgn");
    assert_eq!(run.stderr.lines().last(), Some(&*total), "{run:#?}");
}

#[test]
fn exports_can_be_filtered() {
    let place = TestArchive::new();
    place.import(&["fixtures/andes/cup.quipu", "fixtures/querni/games.quipu"]);
    let ids = |filter: &[&str]| verified(&place.good(&with(&["export"], filter)));
    let all = ids(&[]);
    let cup = ids(&["--event", "Copa de los Andes"]);
    assert_eq!(cup, verified(&text("andes/cup.quipu")));
    assert_eq!(ids(&["--game", "querni"]), &all - &cup);
    let one = ids(&["--player", "Quispe Mamani, Rosa", "--event", "Copa de los Andes"]);
    assert_eq!(one.len(), 14);
    let results = ["1-0", "0-1", "1/2-1/2"].map(|result| ids(&["--event", "Copa de los Andes", "--result", result]));
    assert_eq!(results.iter().map(BTreeSet::len).sum::<usize>(), cup.len());
    assert!(results.iter().all(|part| part.is_subset(&cup)));
    assert_eq!(ids(&["--status", "rejected"]).len(), 0);
    assert!(ids(&["--text", "quispe rosa"]).is_superset(&one));
    let [early, late] = ["--before", "--after"].map(|side| ids(&[side, "2026-08-12"]));
    assert!(!early.is_empty() && !late.is_empty());
    let rounds = ids(&["--event", "Copa de los Andes", "--round", "1"]);
    assert!(!rounds.is_empty() && rounds.is_subset(&cup));
    let since = place.good(&["export", "--since", &(cup.len()).to_string()]);
    assert_eq!(verified(&since), &all - &cup);
}
