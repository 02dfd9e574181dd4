//! `score`, `rank` and `standings`: what they read and count, and the forms they print it in.
//!
//! Figures of games are tested in `tests/core/tests/competition.rs`; here only the output of the program.

use std::{fs, path::Path};

use quipu_notation::record::Reader;
use quipu_referee::{Lang, competition::TieBreak, games, messages::catalog, verify};
use quipu_tests_service::{
    bytes,
    program::{Run, command, run, run_with},
    root, text,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::with;

const CUP: &str = "fixtures/andes/cup.quipu";
const COMMANDS: [&str; 3] = ["score", "rank", "standings"];

/// A game that Sol wins with 11 points to 9.
fn game(sol: &str, luna: &str, tags: &str) -> String {
    format!(
        "[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result \"1-0\"]\n{tags}\n\
         1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n\n"
    )
}

/// The same as a leg of an encounter.
fn leg(sol: &str, luna: &str, leg: u8) -> String {
    game(sol, luna, &format!("[Event \"Copa\"]\n[Round \"1\"]\n[Leg \"{leg}\"]\n"))
}

#[track_caller]
fn json(run: &Run) -> Value {
    assert_eq!(run.stdout.lines().count(), 1, "{run:#?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{why}: {run:#?}"))
}

/// The rows of a CSV, its header first.
#[track_caller]
fn csv(run: &Run) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(run.stdout.as_bytes());
    let rows = reader.records().map(|row| row.expect("every row is as long").iter().map(str::to_owned).collect());
    rows.collect()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("it is written");
    }
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    command(arguments).current_dir(folder).output().expect("quipu runs").into()
}

#[test]
fn the_sample_tournament_scores_what_is_expected() {
    let run = run(&["score", "--json", CUP]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let expected: Value = serde_json::from_str(&text("andes/cup.competition.json")).expect("JSON");
    assert_eq!(json(&run), expected);
}

#[test]
fn rank_has_the_same_players_with_their_history() {
    let expected: Value = serde_json::from_str(&text("andes/cup.competition.json")).expect("JSON");
    let found = json(&run(&["rank", "--json", CUP]));
    let mut players = found["players"].as_array().expect("a list").clone();
    let levels: Vec<_> = players.iter().map(|player| player["level"].as_u64()).collect();
    assert!(levels.is_sorted_by(|one, other| one >= other), "the highest first: {levels:?}");
    for player in &mut players {
        let fields = player.as_object_mut().expect("an object");
        let history = fields.remove("history").expect("it is there");
        let history = history.as_array().expect("a list");
        assert_eq!(history.len() as u64 + 1, fields["won"].as_u64().expect("a number"));
        let last = history.last().expect("all have won twice");
        assert_eq!((&last["level"], &last["tier"]), (&fields["level"], &fields["tier"]));
    }
    players.sort_by_key(|player| player["name"].as_str().map(str::to_owned));
    assert_eq!(Value::from(players), expected["players"]);
}

#[test]
fn standings_agree_with_the_games() {
    let found = json(&run(&["standings", "--json", "--crosstable", CUP]));
    let tables = found["tables"].as_array().expect("a list");
    assert_eq!(tables.len(), 1);
    assert_eq!((&tables[0]["game"], &tables[0]["event"]), (&"andes".into(), &"Copa de los Andes".into()));
    let players = tables[0]["players"].as_array().expect("a list");
    let scores: f64 = players.iter().map(|player| player["score"].as_f64().expect("a number")).sum();
    assert!((scores - 56.0).abs() < f64::EPSILON, "{scores}");
    for player in players {
        let met = player["opponents"].as_array().expect("a list");
        assert_eq!(met.len(), 7);
        assert!(met.iter().all(|opponent| opponent["games"].as_array().is_some_and(|games| games.len() == 2)));
    }
    let without = json(&run(&["standings", "--json", CUP]));
    assert!(without["tables"][0]["players"][0].get("opponents").is_none());
}

/// All forms show the same figures, in the same order.
#[test]
fn forms_agree() {
    let found = json(&run(&["score", "--json", CUP]));
    let rows = csv(&run(&["score", "--csv", CUP]));
    let header = [
        "event", "round", "games", "player_1", "player_2", "points_1", "points_2", "bonus_1", "bonus_2", "state",
        "winner",
    ];
    assert_eq!(rows[0], header);
    let expected = found["encounters"].as_array().expect("a list").iter().map(|encounter| {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let games: Vec<_> = encounter["games"].as_array().expect("a list").iter().map(text).collect();
        let mut row = vec![text(&encounter["event"]), text(&encounter["round"]), games.join(" ")];
        for field in ["players", "points", "bonus"] {
            row.extend([0, 1].map(|index| text(&encounter[field][index])));
        }
        row.extend(["state", "winner"].map(|field| text(&encounter[field])));
        row
    });
    assert_eq!(rows[1..], expected.collect::<Vec<_>>());

    for call in [&["rank", CUP][..], &["standings", CUP], &["standings", "--crosstable", CUP]] {
        let data = csv(&run(&with(call, &["--csv"])));
        let [aligned, md] = [&[][..], &["--md"]].map(|form| run(&[call, form, &["--lang", "en"]].concat()).stdout);
        // Headings of the text are in the first columns of the data.
        let skipped = if call[0] == "rank" { 0 } else { 2 };
        let rows = data[1..].iter().map(|row| row[skipped..].iter().map(|cell| shown(cell)).collect::<Vec<_>>());
        let lines = aligned.lines().skip(aligned.lines().count() + 1 - data.len());
        let md_rows = md.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
        // Under the header stands a line of hyphens.
        let md_rows: Vec<Vec<_>> = md_rows.skip(2).map(|line| line.split(" | ").collect()).collect();
        assert_eq!(rows.clone().collect::<Vec<_>>(), md_rows);
        for (row, line) in rows.zip(lines) {
            let rest = row.iter().try_fold(line, |rest, cell| Some(rest.split_once(cell.as_str())?.1));
            assert_eq!(rest, Some(""), "{row:?} in {line}");
        }
    }
}

/// A cell of CSV as people see it in English.
fn shown(cell: &str) -> String {
    match cell {
        "" => "–".to_owned(),
        "x" => "×".to_owned(),
        "oro" => "gold".to_owned(),
        "plata" => "silver".to_owned(),
        "cobre" => "copper".to_owned(),
        results if results.contains(' ') => results.replace("0.5", "½"),
        _ => cell.to_owned(),
    }
}

#[test]
fn columns_are_aligned_by_what_is_seen() {
    // Two columns wide each; a mark that is a character of its own has no width.
    let input = game("秘魯", "n\u{303}an\u{303}a", "") + &game("Ana", "Bo", "[Round \"2\"]\n");
    let rows = run_with(&["rank", "-", "--lang", "en"], input.as_bytes()).stdout;
    let expected = "player  games  won  points  with bonus  level  tier
Ana         1    1      11        16.5      –  –
秘魯        1    1      11        16.5      –  –
Bo          1    0       9           9      –  –
n\u{303}an\u{303}a        1    0       9           9      –  –
";
    assert_eq!(rows, expected);
}

#[test]
fn one_form_at_a_time() {
    for command in COMMANDS {
        for forms in [["--json", "--csv"], ["--csv", "--md"], ["--md", "--json"]] {
            let run = run(&[&[command, CUP][..], &forms, &["--lang", "en"]].concat());
            assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{command} {forms:?}");
            assert!(run.stderr.starts_with("error: --json, --csv and --md cannot be combined"), "{run:#?}");
        }
        for form in ["--json", "--csv", "--md"] {
            let run = run(&[command, CUP, form, "--explain", "Quispe Mamani, Rosa", "--lang", "en"]);
            assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{command} {form}");
            assert!(run.stderr.starts_with("error: --explain cannot be combined with"), "{run:#?}");
        }
    }
}

#[test]
fn the_rest_is_listed_with_its_reason() {
    let good = leg("Ana", "Bo", 1);
    let input = [
        good.as_str(),
        &good,
        &game("Ana", "", ""),
        &game("Ana", "Ana", ""),
        "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n\n1. 0d3 2A1\n*\n\n",
        "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n\n1. 0d3\n*\n\n",
        "[Game \"andes\"]\n\n1. 0d3 {open\n",
    ];
    for command in COMMANDS {
        let run = run_with(&[command, "-", "--lang", "en"], input.concat().as_bytes());
        let told = "- 2 does not count: it is the same game as - 1
- 3 does not count: the name in Luna is missing
- 4 does not count: Ana plays both sides
- 5 does not count: rejected: andes.3.6: The square A1 is light: a piece of type militar cannot be placed there, only one of type persona.
- 6 does not count: incomplete
- 7 does not count: unreadable: record.syntax: The comment that is opened here with a brace is never closed.
";
        assert_eq!((run.status, run.stderr.as_str()), (Some(1), told), "{command}");
    }
    let found = json(&run_with(&["score", "--json", "-"], input.concat().as_bytes()));
    assert_eq!(found["encounters"].as_array().map(Vec::len), Some(1));
    assert_eq!(found["players"][0]["games"], 1);
}

#[test]
fn games_count_beside_files_that_fail() {
    let run = run(&["score", "--json", "no-such.quipu", CUP]);
    assert_eq!(run.status, Some(3));
    assert_eq!(run.stderr, "error: no se pudo leer no-such.quipu: no existe\n");
    assert_eq!(json(&run)["players"].as_array().map(Vec::len), Some(8));
}

#[test]
fn nothing_to_count() {
    for command in COMMANDS {
        let run = run_with(&[command, "-", "--lang", "en"], b"");
        let expected = "skipped -: it contains no record\nno record was read\n";
        assert_eq!((run.status, run.stderr.as_str()), (Some(1), expected), "{command}");
        // A table without rows has its header all the same.
        let run = run_with(&[command, "-", "--csv"], b"");
        assert_eq!(csv(&run).len(), 1, "{command}");
    }
    let tables = json(&run_with(&["standings", "--json", "-"], b""));
    assert_eq!(tables["tables"], Value::from(Vec::<Value>::new()));
}

/// Games without points are no part of the score of any competition, and have standings all the same.
#[test]
fn games_of_every_kind() {
    for game in games::ALL {
        let file = format!("{}/games.quipu", game.notation().id);
        let read = bytes(&file);
        let mut reader = Reader::new(read.as_slice());
        let mut points = false;
        while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
            points |= verify::chunk(&chunk).any(|judged| judged.verdict.points.is_some());
        }
        let path = format!("fixtures/{file}");
        let score = run(&["score", "--json", &path, "--lang", "en"]);
        assert_eq!(json(&score)["encounters"].as_array().is_some_and(|list| !list.is_empty()), points, "{path}");
        assert_eq!(score.stderr.contains("does not count points"), !points, "{path}");
        let standings = json(&run(&["standings", "--json", &path]));
        assert_eq!(standings["tables"][0]["game"], game.notation().id);
    }
}

#[test]
fn places_go_on_from_file_to_file() {
    let folder = folder(&[("1.quipu", &leg("Ana", "Bo", 1)), ("2.quipu", ""), ("3.quipu", &leg("Bo", "Ana", 2))]);
    let run = run_in(folder.path(), &["score", "--json", "."]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), "no se leyó ./2.quipu: está vacío\n"));
    let found = json(&run);
    assert_eq!(found["encounters"][0]["games"], Value::from(vec![1, 2]));
    assert_eq!(found["encounters"][0]["state"], "tied");
    let files = ["./1.quipu", "./3.quipu"];
    let expected = files
        .iter()
        .zip([(1, 1), (2, 1)])
        .map(|(file, (first, records))| serde_json::json!({"file": file, "first": first, "records": records}));
    assert_eq!(found["files"], Value::from(expected.collect::<Vec<_>>()));
    // With the other leg first the players are named in the other order, and nothing else changes.
    let turned = json(&run_in(folder.path(), &["score", "--json", "3.quipu", "1.quipu"]));
    assert_eq!(turned["encounters"][0]["players"], serde_json::json!(["Bo", "Ana"]));
    assert_eq!(turned["players"], found["players"]);
    let explained = run_in(folder.path(), &["score", ".", "--explain", "Ana"]).stdout;
    assert!(explained.contains("  1  ./1.quipu         1  "), "{explained}");
    assert!(explained.contains("  2  ./3.quipu         1  "), "{explained}");
}

#[test]
fn the_output_does_not_depend_on_jobs() {
    // So long an input is judged in several parts.
    let rounds = (0..40).map(|copy| text("andes/cup.quipu").replace("[Round \"", &format!("[Round \"{copy}.")));
    let input: String = rounds.collect();
    for call in [&["score", "--json", "-"][..], &["standings", "--crosstable", "-"], &["rank", "--json", "-"]] {
        let one = run_with(&with(call, &["--jobs", "1"]), input.as_bytes());
        assert_eq!(one.status, Some(0));
        // Each game is there forty times, in other rounds.
        let told: Vec<_> = one.stderr.lines().collect();
        let (last, named) = told.split_last().expect("games that are repeated");
        assert!(
            named.len() == 10 && named.iter().all(|line| line.contains("tiene las jugadas, los jugadores")),
            "{named:?}"
        );
        assert!(last.starts_with("otros registros en el mismo caso: "), "{last}");
        for jobs in ["2", "8"] {
            assert!(one == run_with(&with(call, &["--jobs", jobs]), input.as_bytes()), "{call:?} with {jobs} jobs");
        }
    }
}

#[test]
fn irregular_encounters_are_told() {
    let input = leg("Ana", "Bo", 1) + &leg("Bo", "Ana", 1);
    let run = run_with(&["score", "-", "--lang", "en"], input.as_bytes());
    let told = "irregular encounter of Ana and Bo (games: 1, 2): two games have the same Leg\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), told));
    assert!(run.stdout.contains("irregular"), "{run:#?}");
}

#[test]
fn names_that_are_likely_one_players() {
    let input =
        game("Núñez, Inés", "Bo", "") + &game("INES NUNEZ", "Li", "") + &game("Bo", "inés  núñez", "[Round \"2\"]\n");
    let names = |run: &Run| {
        let found = json(run);
        let players = found["players"].as_array().expect("a list").iter();
        players.map(|player| player["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let apart = run_with(&["score", "--json", "-", "--lang", "en"], input.as_bytes());
    let told = "this may be one player: “INES NUNEZ”, “Núñez, Inés”, “inés  núñez”; merge the names with --aliases\n";
    assert_eq!((apart.status, apart.stderr.as_str()), (Some(0), told));
    assert_eq!(names(&apart), ["Bo", "INES NUNEZ", "inés  núñez", "Li", "Núñez, Inés"]);

    let folder = folder(&[
        ("names.toml", "\"Núñez, Inés\" = [\"INES NUNEZ\", \"inés  núñez\", \"nobody\"] # one of us\n"),
        ("games.quipu", &input),
    ]);
    let merged = run_in(folder.path(), &["score", "--json", "games.quipu", "--aliases", "names.toml"]);
    assert_eq!((merged.status, merged.stderr.as_str()), (Some(0), ""));
    assert_eq!(names(&merged), ["Bo", "Li", "Núñez, Inés"]);
    assert_eq!(json(&merged)["players"][2]["games"], 3);
    // A player may be named by an alias.
    let explained =
        run_in(folder.path(), &["score", "games.quipu", "--aliases", "names.toml", "--explain", "INES NUNEZ"]);
    assert!(explained.stdout.starts_with("Núñez, Inés\n"), "{explained:#?}");
    // A player against an alias of the same player plays alone.
    let alone = game("Núñez, Inés", "INES NUNEZ", "");
    fs::write(folder.path().join("alone.quipu"), alone).expect("it is written");
    let run = run_in(folder.path(), &["score", "alone.quipu", "--aliases", "names.toml", "--lang", "en"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("Núñez, Inés plays both sides"), "{run:#?}");
}

#[test]
fn alias_files_that_are_refused() {
    let check = |text: &[u8], status: i32, expected: &str| {
        let folder = folder(&[("games.quipu", &leg("Ana", "Bo", 1))]);
        fs::write(folder.path().join("names.toml"), text).expect("it is written");
        for command in COMMANDS {
            let call = [command, "games.quipu", "--aliases", "names.toml", "--lang", "en"];
            let run = run_in(folder.path(), &call);
            assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{run:#?}");
            assert_eq!(run.stderr.lines().next(), Some(expected), "{run:#?}");
        }
    };
    let form = "each line must be of the form \"Name\" = [\"Other name\", \"One more\"], \
                and each name may be before the sign = only once";
    check(b"# names\nAna = Bo\n", 2, &format!("error: names.toml:2:7: {form}"));
    check("Ñ = [\"Bo\"]\n".as_bytes(), 2, &format!("error: names.toml:1:1: {form}"));
    check(
        b"B = [\"x\"]\nA = [\"x\"]\n",
        2,
        "error: names.toml:2:6: \u{201c}x\u{201d} is already an alias of \u{201c}B\u{201d}",
    );
    check(
        b"A = [\"B\"]\nB = [\"x\"]\n",
        2,
        "error: names.toml:1:6: \u{201c}B\u{201d} cannot be an alias, because it has aliases itself",
    );
    check(b"A = [\"\"]\n", 2, "error: names.toml:1:6: a name is missing here");
    check(b"A = [\"\xff\"]\n", 3, "error: cannot read names.toml: it is not UTF-8 text");
    let mut long = b"A = [\"x\"]\n#".to_vec();
    long.resize(1024 * 1024, b' ');
    long.push(b'\n');
    check(&long, 2, "error: names.toml is too large: an alias file has at most 1048576 bytes");
    // Exactly as many are allowed.
    long.pop();
    let folder = folder(&[("games.quipu", &leg("Ana", "Bo", 1))]);
    fs::write(folder.path().join("names.toml"), long).expect("it is written");
    assert_eq!(run_in(folder.path(), &["score", "games.quipu", "--aliases", "names.toml"]).status, Some(0));
    let run = run(&["score", CUP, "--aliases", "no-such.toml", "--lang", "en"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(3), "error: cannot read no-such.toml: it does not exist\n"));
}

#[test]
fn tie_breaks_are_chosen_and_printed() {
    let check = |asked: &str, keys: &str| {
        let words: Vec<_> = keys
            .split(", ")
            .map(|key| catalog().word(TieBreak::parse(key).expect("a tie-break").word(), Lang::En))
            .collect();
        let run = run(&["standings", CUP, "--tie-breaks", asked, "--lang", "en"]);
        let printed = format!("Tie-breaks, in this order: {}", words.join(", "));
        assert_eq!(run.stdout.lines().nth(1), Some(printed.as_str()));
        let found = json(&self::run(&["standings", CUP, "--tie-breaks", asked, "--json"]));
        let order = found["tables"][0]["tie_breaks"].as_array().expect("a list").iter().filter_map(Value::as_str);
        assert_eq!(order.collect::<Vec<_>>().join(", "), keys);
    };
    check("wins", "wins");
    check("direct,points", "direct, points");
    check(" points-with-bonus, buchholz", "points-with-bonus, buchholz");
    let default = run(&["standings", CUP]);
    assert_eq!(default, run(&["standings", CUP, "--tie-breaks", "buchholz,sonneborn-berger,direct,wins"]));
    let all = TieBreak::ALL.map(TieBreak::as_str).join(",");
    check(&all, &all.replace(',', ", "));

    let refused = |asked: &str, expected: &str| {
        let run = run(&["standings", CUP, "--tie-breaks", asked, "--lang", "en"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{asked}");
        assert_eq!(run.stderr.lines().next(), Some(expected));
    };
    let known = TieBreak::ALL.map(TieBreak::as_str).join(", ");
    refused("elo", &format!("error: there is no tie-break “elo”; allowed: {known}"));
    refused("", &format!("error: there is no tie-break “”; allowed: {known}"));
    refused("wins,Wins", &format!("error: there is no tie-break “Wins”; allowed: {known}"));
    refused("wins,direct,wins", "error: the tie-break “wins” is given twice");
}

#[test]
fn standings_of_one_event() {
    let event = |event: &str, sol: &str| game(sol, "Bo", &format!("[Event \"{event}\"]\n"));
    let broken = event("Liga", "Cy").replace("0a1", "9a1");
    let input = [event("Copa", "Ana"), event("Liga", "Cy"), broken].concat();
    let all = run_with(&["standings", "-", "--lang", "en"], input.as_bytes());
    assert_eq!(all.status, Some(1));
    let several = "there are 2 tables, one per game and event; choose an event with --event";
    assert_eq!(all.stderr.lines().last(), Some(several));
    assert!(all.stdout.starts_with("Copa · Andes\n") && all.stdout.contains("\n\nLiga · Andes\n"), "{all:#?}");
    // Faults in another event are not reported.
    let one = run_with(&["standings", "-", "--event", "Copa", "--lang", "en"], input.as_bytes());
    assert_eq!((one.status, one.stderr.as_str()), (Some(0), ""));
    assert!(all.stdout.starts_with(&one.stdout));
    let csv = csv(&run_with(&["standings", "-", "--csv"], input.as_bytes()));
    assert_eq!(csv.iter().map(|row| row[1].as_str()).collect::<Vec<_>>(), ["event", "Copa", "Copa", "Liga", "Liga"]);

    let refused = run_with(&["standings", "-", "--event", "copa", "--lang", "en"], input.as_bytes());
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""));
    let told = "error: there are no games of the event “copa”; events in the input: “Copa”, “Liga”";
    assert_eq!(refused.stderr.lines().next(), Some(told));
    // An event whose games all fail is there.
    let broken = event("Copa", "Ana").replace("0a1", "9a1");
    assert_eq!(run_with(&["standings", "-", "--event", "Copa"], broken.as_bytes()).status, Some(1));
}

/// As JSON there is no limit; the crosstable of so many people is read by nobody.
#[test]
fn a_crosstable_has_a_limit() {
    let names: Vec<_> = (0..1002).map(|number| format!("P{number}")).collect();
    let games: Vec<_> = names.chunks(2).map(|pair| game(&pair[0], &pair[1], "")).collect();
    let (most, more) = (games[..500].concat(), games.concat());
    assert_eq!(run_with(&["standings", "--crosstable", "--csv", "-"], most.as_bytes()).status, Some(0));
    let run = run_with(&["standings", "--crosstable", "-", "--lang", "en"], more.as_bytes());
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    assert!(
        run.stderr.starts_with("error: a crosstable has at most 1000 players, and here there are 1002;"),
        "{}",
        run.stderr
    );
    assert_eq!(run_with(&["standings", "--crosstable", "--json", "-"], more.as_bytes()).status, Some(0));
    assert_eq!(run_with(&["standings", "-"], more.as_bytes()).status, Some(0));
}

#[test]
fn a_spreadsheet_finds_no_formula() {
    let names = ["=1+1", "+1", "-1", "@x", "＝1", "a=1", "b;=1+1", "c; \u{a0}@x;-1", " =2", "\u{200b}=3"];
    let games: String =
        names.iter().map(|name| game(name, "Bo, \\\"el\\\" | [x](y)", "[Event \"=cmd\"]\n[Round \"-1\"]\n")).collect();
    for (call, name) in [(&["rank", "--csv", "-"][..], 0), (&["standings", "--csv", "-"], 3)] {
        let rows = csv(&run_with(call, games.as_bytes()));
        let found: Vec<_> = rows[1..].iter().map(|row| row[name].clone()).collect();
        let marked = ["'=1+1", "'+1", "'-1", "'@x", "'＝1", "b;'=1+1", "c;' \u{a0}@x;'-1", "' =2", "'\u{200b}=3"];
        for name in marked.into_iter().chain(["a=1", "Bo, \"el\" | [x](y)"]) {
            assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
        }
    }
    let rows = csv(&run_with(&["score", "--csv", "-"], games.as_bytes()));
    assert!(rows[1..].iter().all(|row| row[0] == "'=cmd" && row[1] == "'-1"), "{rows:?}");
    // Nor does Markdown find anything to act on.
    let md = run_with(&["rank", "--md", "-"], games.as_bytes()).stdout;
    assert!(md.contains("| Bo, \"el\" \\| \\[x\\](y) | 10 |"), "{md}");
    // JSON has names as they are.
    let found = json(&run_with(&["rank", "--json", "-"], games.as_bytes()));
    assert!(found["players"].as_array().expect("a list").iter().any(|player| player["name"] == "=1+1"));
}

#[test]
fn a_long_name_is_cut_where_tables_are_aligned() {
    let long = "é".repeat(300);
    let input = game(&long, "Bo", "");
    let run = |form: &[&str]| run_with(&with(&["rank", "-"], form), input.as_bytes()).stdout;
    assert!(run(&[]).contains(&format!("\n{}…  ", "é".repeat(59))), "{}", run(&[]));
    for form in ["--json", "--csv", "--md"] {
        assert!(run(&[form]).contains(&long), "{form}");
    }
}

#[test]
fn a_player_who_is_not_there() {
    for command in COMMANDS {
        let check = |name: &str, expected: &str| {
            let run = run(&[command, CUP, "--explain", name, "--lang", "en"]);
            assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{command}");
            assert_eq!(run.stderr.lines().next(), Some(expected));
        };
        check(
            "cu",
            "error: “cu” is in none of the games that count; similar names: “Cuatindioy Chindoy, Luz”, “Painemal Curín, Nahuel”",
        );
        // Another first name is another player.
        check(
            "Quispe, Juan",
            "error: “Quispe, Juan” is in none of the games that count; similar names: “Quispe Mamani, Rosa”",
        );
        check("Zuluaga", "error: “Zuluaga” is in none of the games that count");
        // A name that only one player resembles is taken for that player, and the command says so.
        let full = run(&[command, CUP, "--explain", "Quispe Mamani, Rosa", "--lang", "en"]);
        for name in ["quispe", "Rosa Quispe Mamani"] {
            let short = run(&[command, CUP, "--explain", name, "--lang", "en"]);
            assert_eq!((short.status, &short.stdout), (Some(0), &full.stdout), "{command}");
            let told = format!("“{name}” is taken for Quispe Mamani, Rosa, the only similar name\n");
            assert_eq!(short.stderr, told + &full.stderr);
        }
    }
}

/// Compares an output with `expected/<name>.<language>.txt`, which `UPDATE_EXPECTED=1` writes anew.
#[track_caller]
fn as_expected(name: &str, arguments: &[&str], input: &str) {
    for lang in Lang::ALL.map(Lang::as_str) {
        let path = root().join(format!("tests/service/tests/expected/{name}.{lang}.txt"));
        let found = run_with(&with(arguments, &["--lang", lang]), input.as_bytes()).stdout;
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&path, &found).expect("it is written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(found, expected, "{name}.{lang}.txt");
    }
}

/// A game that an arbiter ended, with what both sides had then: on the board (at most 3), attacked, in reserve.
fn ended(sol: (&str, [u8; 3]), luna: (&str, [u8; 3]), result: &str, tags: &str) -> String {
    let row = |piece: &str, count: u8| format!("{}{}", piece.repeat(count.into()), 7 - count);
    let ([sol_board, sol_attacked, sol_reserve], [luna_board, luna_attacked, luna_reserve]) = (sol.1, luna.1);
    let rows = format!("{}/7/7/7/7/7/{}", row("A", luna_board), row("a", sol_board));
    let setup = format!("{rows} s {sol_reserve}-{luna_reserve} {sol_attacked}-{luna_attacked} - - 0");
    format!(
        "[Game \"andes\"]\n[Sol \"{}\"]\n[Luna \"{}\"]\n[Result \"{result}\"]\n[Setup \"{setup}\"]\n\
         [Termination \"adjudication\"]\n{tags}\n{result}\n\n",
        sol.0, luna.0
    )
}

/// Games of one player that come to everything there is to explain.
fn career() -> String {
    let ana = |counts| ("Ana", counts);
    let mut days = 1..;
    let mut tags = |round: u8, leg: &str| {
        let leg = if leg.is_empty() { String::new() } else { format!("[Leg \"{leg}\"]\n") };
        let day = days.next().expect("there are enough");
        format!("[Event \"Copa\"]\n[Round \"{round}\"]\n{leg}[UTCDate \"2026.08.{day:02}\"]\n[UTCTime \"15:00:00\"]\n")
    };
    let (more, less) = ([3, 0, 4], [2, 0, 5]);
    [
        // Won and lost on points.
        ended(ana(more), ("Bo", less), "1-0", &tags(1, "1")),
        ended(("Bo", less), ana(more), "1-0", &tags(1, "2")),
        ended(ana(less), ("Cy", more), "1-0", &tags(2, "1")),
        ended(("Cy", more), ana(less), "1-0", &tags(2, "2")),
        // 24 points each, 5 pieces on the board to 4; then 23 points and all else the same.
        ended(ana(more), ("Di", less), "1-0", &tags(3, "1")),
        ended(("Di", [2, 2, 3]), ana(less), "1/2-1/2", &tags(3, "2")),
        ended(ana([2, 1, 4]), ("Eva", less), "0-1", &tags(4, "1")),
        ended(("Eva", [2, 1, 4]), ana(less), "0-1", &tags(4, "2")),
        // A leg alone, two single games, two games that are no encounter.
        ended(ana(more), ("Flo", less), "1-0", &tags(5, "1")),
        ended(ana(less), ("Gil", more), "1-0", &tags(6, "")),
        ended(ana(less), ("Hal", more), "1/2-1/2", &tags(7, "")),
        ended(ana(more), ("Ivo", less), "0-1", &tags(8, "")),
        ended(("Ivo", less), ana(more), "1-0", &tags(8, "")),
        // Two wins without a point.
        ended(("Jo", [3, 0, 11]), ana([0, 0, 0]), "0-1", &tags(9, "")),
        ended(("Kai", [3, 0, 11]), ana([0, 0, 0]), "0-1", &tags(10, "")),
    ]
    .concat()
}

#[test]
fn points_and_levels_are_explained() {
    as_expected("explained-score", &["score", "-", "--explain", "Ana"], &career());
    let [score, rank] =
        ["score", "rank"].map(|command| run_with(&[command, "-", "--explain", "Ana"], career().as_bytes()));
    assert_eq!(score.stdout, rank.stdout, "both show the same figures");
}

#[test]
fn standings_are_explained() {
    let order = TieBreak::ALL.map(TieBreak::as_str).join(",");
    as_expected("explained-standings", &["standings", "-", "--tie-breaks", &order, "--explain", "Ana"], &career());
}

#[test]
fn the_direct_encounter_is_explained() {
    let draw = |sol: &str, luna: &str| ended((sol, [3, 0, 4]), (luna, [3, 0, 4]), "1/2-1/2", "");
    let win = |winner: &str, loser: &str| game(winner, loser, "");
    let check = |games: &[String], player: &str, expected: &[&str]| {
        let call = ["standings", "-", "--tie-breaks", "direct", "--explain", player, "--lang", "en"];
        let run = run_with(&call, games.concat().as_bytes());
        let lines: Vec<_> = run.stdout.lines().collect();
        assert_eq!(lines[lines.len() - 2..], *expected, "{run:#?}");
    };
    let among = [win("A", "B"), win("C", "D"), draw("A", "C"), win("B", "D"), win("D", "A"), draw("B", "C")];
    check(&among, "A", &["direct encounter: 1 (games: 1; against “B”)", "place: 2 of 4"]);
    check(&among, "B", &["direct encounter: 0 (games: 1; against “A”)", "place: 3 of 4"]);
    check(&among, "C", &["direct encounter: not decisive: nobody is tied so far", "place: 1 of 4"]);
    let three = [win("A", "B"), win("B", "C"), win("C", "A")];
    check(&three, "A", &["direct encounter: 1 + 0 = 1 (games: 1, 3; against “B”, “C”)", "place: 1 of 3, shared by 3"]);
    let apart = [win("A", "B"), win("C", "D")];
    let told = "direct encounter: not decisive: not all players tied so far have met";
    check(&apart, "D", &[told, "place: 3 of 4, shared by 2"]);
}

/// Every figure of the tables is in the explanation.
#[test]
fn every_figure_is_explained() {
    let score = json(&run(&["score", "--json", CUP]));
    let standings = json(&run(&["standings", "--json", CUP]));
    for player in score["players"].as_array().expect("a list") {
        let name = player["name"].as_str().expect("a name");
        let told = run(&["score", CUP, "--explain", name, "--lang", "en"]).stdout;
        let field = |field: &str| player[field].to_string();
        for line in [
            format!("won: {} (games: ", field("won")),
            format!(" = {}\nbonuses", field("points")),
            format!(" = {}\n\nLevel", field("points_with_bonus")),
        ] {
            assert!(told.contains(&line), "{name}: {line:?} in {told}");
        }
        let tier = match player["tier"].as_str() {
            Some("oro") => "gold",
            Some("plata") => "silver",
            _ => "copper",
        };
        assert!(told.ends_with(&format!(" = {}, {tier}\n", field("level"))), "{told}");
    }
    for player in standings["tables"][0]["players"].as_array().expect("a list") {
        let name = player["name"].as_str().expect("a name");
        let told = run(&["standings", CUP, "--explain", name, "--lang", "en"]).stdout;
        for (label, figure) in [
            ("score", &player["score"]),
            ("Buchholz", &player["tie_breaks"]["buchholz"]),
            ("Sonneborn-Berger", &player["tie_breaks"]["sonneborn-berger"]),
        ] {
            let line = told.lines().find(|line| line.starts_with(&format!("{label}: "))).expect("it is explained");
            let (_, sum) = line.split_once(": ").expect("a colon");
            let (parts, total) = sum.split_once(" = ").expect("a sum");
            assert_eq!(total, figure.to_string(), "{line}");
            let value = |part: &str| match part.split_once(" / ") {
                Some((value, _)) => value.parse::<f64>().expect("a number") / 2.0,
                None => part.parse().expect("a number"),
            };
            let parts: f64 = parts.split(" + ").map(value).sum();
            assert!((parts - figure.as_f64().expect("a number")).abs() < f64::EPSILON, "{line}");
        }
        assert!(told.contains(&format!("place: {} of 8", player["place"])), "{told}");
    }
}
