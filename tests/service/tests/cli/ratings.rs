//! `quipu archive ratings` and `quipu tournament rate`: tables, data, mistakes, and a tournament that is seeded by an archive.
//! JSON is compared with that of the service in `http/ratings.rs`.

use quipu_tests_service::program::{Run, run, run_with};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::with;

/// An archive of some games of Andes, which side 1 wins: month of 2026, winner, loser.
struct Rated {
    _folder: TempDir,
    data: String,
}

impl Rated {
    fn new(games: &[(u8, &str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        let data = folder.path().join("archive").to_str().expect("our paths are UTF-8").to_owned();
        let rated = Self { _folder: folder, data };
        let game = |(round, (month, sol, luna)): (usize, &(u8, &str, &str))| {
            format!(
                "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"{round}\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n\
                 [UTCDate \"2026.{month:02}.15\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
            )
        };
        let text: Vec<_> = games.iter().enumerate().map(game).collect();
        let imported = run_with(&["archive", "import", "--data", &rated.data, "-"], text.join("\n").as_bytes());
        assert_eq!(imported.status, Some(0), "{imported:#?}");
        rated
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(&with(arguments, &["--data", &self.data]))
    }

    #[track_caller]
    fn good(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}: {run:#?}");
        run.stdout
    }

    #[track_caller]
    fn bad(&self, arguments: &[&str], words: &str) {
        let run = self.run(&with(arguments, &["--lang", "en"]));
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:#?}");
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }
}

/// The figures are those of the reference for two players of 1500, 350 and 0.06.
#[test]
fn tables_are_for_people_and_data_is_exact() {
    let rated = Rated::new(&[(5, "Ana", "Bo")]);
    assert_eq!(
        rated.good(&["archive", "ratings", "andes", "--lang", "en"]),
        "Andes · in force from 2026-06-01\n\
         place  player  rating  deviation  status       games  last month\n    \
             –  Ana       1662        290  provisional      1  2026-05\n    \
             –  Bo        1338        290  provisional      1  2026-05\n"
    );
    assert_eq!(
        rated.good(&["archive", "ratings", "andes", "--csv", "--date", "2026-08-15"]),
        "place,name,rating,deviation,volatility,status,games,last\n\
         ,Ana,1662.311,290.693,0.06,provisional,1,2026-05\n\
         ,Bo,1337.689,290.693,0.06,provisional,1,2026-05\n"
    );
    assert_eq!(
        rated.good(&["archive", "ratings", "andes", "--csv", "--player", "Ana"]),
        "month,games,score,rating,deviation,volatility,status\n2026-05,1,1,1662.311,290.319,0.06,provisional\n"
    );
    let expected = rated.good(&["archive", "ratings", "andes", "--json", "--player", "Ana", "--against", "2"]);
    let expected: Value = serde_json::from_str(&expected).expect("JSON");
    let scores: Vec<_> =
        expected["players"].as_array().expect("two").iter().map(|player| &player["expected"]).collect();
    assert_eq!(scores, [&json!(0.7573), &json!(0.2427)]);
    assert!(rated.good(&["archive", "ratings", "querni", "--lang", "es"]).starts_with("Querni\npuesto"));
}

#[test]
fn mistakes_are_told() {
    let rated = Rated::new(&[(5, "Ana", "Bo")]);
    let ratings = |more: &[&'static str]| with(&["archive", "ratings", "andes"], more);
    rated.bad(&ratings(&["--date", "15.8.2026"]), "“15.8.2026” is not a date for --date");
    for date in ["+12026-01-01", "2026-8-1", " 2026-08-01"] {
        rated.bad(&ratings(&["--date", date]), "is not a date for --date");
    }
    rated.bad(&ratings(&["--player", "Carla"]), "no player “Carla”");
    rated.bad(&ratings(&["--against", "Bo"]), "--against goes with --player");
    rated.bad(&ratings(&["--player", "Ana", "--date", "2026-08-15"]), "add --against");
    rated.bad(&ratings(&["--player", "Ana", "--against", "Ana"]), "the same player, “Ana”");
    rated.bad(&ratings(&["--json", "--csv"]), "");
    rated.bad(&["archive", "ratings", "chess"], "chess");
}

#[test]
fn a_tournament_is_seeded_by_the_ratings_of_the_archive() {
    let rated = Rated::new(&[(5, "Ana", "Bo"), (5, "Carla", "Ana"), (6, "Bo", "Ana")]);
    rated.good(&[
        "tournament",
        "new",
        "Copa",
        "--game",
        "andes",
        "--system",
        "swiss",
        "--rounds",
        "2",
        "--first-side",
        "1",
    ]);
    // The entry of the tournament is the change after the three records.
    let number = "4";
    for name in ["Bo", "Ana", "Carla", "Zoe"] {
        rated.good(&["tournament", "players", number, "--enter", name, "--rating", "1000"]);
    }
    let rate = |more: &[&'static str]| {
        let run = rated.run(&[&["tournament", "rate", number, "--lang", "en", "--json"], more].concat());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), "without a rating in the list: Zoe\n"), "{run:#?}");
        let entries: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let entries = entries["players"].as_array().expect("a list").clone();
        entries.iter().map(|entry| entry["rating"].as_i64().expect("a rating")).collect::<Vec<_>>()
    };
    let listed = |more: &[&'static str]| -> Vec<i64> {
        let list = rated.good(&[&["archive", "ratings", "andes", "--json"], more].concat());
        let list: Value = serde_json::from_str(&list).expect("JSON");
        let rating = |name: &str| {
            let rows = list["items"].as_array().expect("a list");
            let row = rows.iter().find(|row| row["name"] == name).expect("a row");
            format!("{:.0}", row["rating"].as_f64().expect("a number")).parse().expect("a number")
        };
        [["Bo", "Ana", "Carla"].map(rating).to_vec(), vec![1000]].concat()
    };
    let june = rate(&["--date", "2026-06-30"]);
    assert_eq!(june, listed(&["--date", "2026-06-30"]));
    let july = rate(&[]);
    assert_eq!(july, listed(&[]));
    assert!(july[0] > june[0] && july[1] < june[1], "{june:?} {july:?}");
    // Nothing is written where nothing changes.
    let history = rated.good(&["tournament", "history", number]);
    assert_eq!(rate(&[]), july);
    assert_eq!(rated.good(&["tournament", "history", number]), history);
    // The highest rating has the number 1, and side 1 in the first round against the third.
    let paired = rated.good(&["tournament", "pair", number, "--lang", "en", "--json"]);
    let paired: Value = serde_json::from_str(&paired).expect("JSON");
    assert_eq!(paired["boards"][0]["players"][0], "Carla", "{paired}");
    rated.good(&["tournament", "new", "Otra", "--game", "querni", "--system", "swiss", "--rounds", "2"]);
    rated.bad(&["tournament", "rate", "99"], "99");
}

#[test]
fn a_tournament_without_rated_entries_is_not_changed() {
    let rated = Rated::new(&[(5, "Ana", "Bo")]);
    rated.good(&["tournament", "new", "Copa", "--game", "querni", "--system", "swiss", "--rounds", "2"]);
    rated.good(&["tournament", "players", "2", "--enter", "Ana"]);
    rated.bad(&["tournament", "rate", "2"], "no entry has a rating of Querni");
    rated.bad(&["tournament", "rate", "2", "--date", "soon"], "“soon” is not a date");
}
