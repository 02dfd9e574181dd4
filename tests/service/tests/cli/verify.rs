//! `quipu verify`: the files that it reads, their order, and its output as text and as JSON.

use std::{collections::BTreeSet, fs, path::Path};

use quipu_referee::{Lang, Status, report};
use quipu_tests_service::{
    bytes,
    program::{Run, command, run, run_with},
    verdicts,
};
use serde_json::Value;

use crate::{BAD, GOOD, record_files, with};

/// The fields of a verdict, as the guide lists them; `file` where it was read from one.
const FIELDS: [&str; 13] = [
    "file",
    "index",
    "game",
    "rules",
    "status",
    "plies",
    "position",
    "termination",
    "result",
    "winner",
    "points",
    "diagnostics",
    "id",
];
/// The fields of advice.
const ADVICE: [&str; 5] = ["code", "ply", "line", "column", "message"];
/// The fields of a diagnostic.
const DIAGNOSTIC: [&str; 7] = ["code", "severity", "ply", "line", "column", "token", "message"];

fn strings(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The objects of a JSON output; every line is one.
#[track_caller]
fn objects(run: &Run) -> Vec<Value> {
    assert!(run.stdout.is_empty() || run.stdout.ends_with('\n'));
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"))).collect()
}

fn fields(object: &Value) -> BTreeSet<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The lines about games, without what is explained under them and without the summary.
fn lines(run: &Run) -> Vec<&str> {
    let mut lines: Vec<_> = run.stdout.lines().filter(|line| !line.starts_with("    ")).collect();
    lines.pop().expect("a summary closes the output");
    lines
}

/// File and number of each game that was verified, in the order of the output.
fn order(run: &Run) -> Vec<(String, u64)> {
    let object = |object: Value| {
        let file = object["file"].as_str().unwrap_or("-").to_owned();
        (file, object["index"].as_u64().expect("a number"))
    };
    objects(run).into_iter().map(object).collect()
}

#[test]
fn json_has_the_documented_fields_and_nothing_else() {
    let files = record_files();
    let run = run(&with(&["verify", "--json", "--color", "always"], &strings(&files)));
    assert_eq!(run.stderr, "");
    for object in objects(&run) {
        let mut expected = BTreeSet::from(FIELDS);
        for slip in object.get("advice").iter().flat_map(|advice| advice.as_array().expect("a list")) {
            expected.insert("advice");
            assert_eq!(fields(slip), BTreeSet::from(ADVICE), "{slip:#}");
        }
        // Relations to records before it, where there are any.
        expected.extend(["sheet_of", "contradicts"].into_iter().filter(|name| object.get(name).is_some()));
        assert_eq!(fields(&object), expected, "{object:#}");
        for diagnostic in object["diagnostics"].as_array().expect("a list") {
            let mut expected = BTreeSet::from(DIAGNOSTIC);
            if diagnostic.get("suggestions").is_some() {
                assert!(!diagnostic["token"].is_null(), "only an illegal move has suggestions: {diagnostic:#}");
                expected.insert("suggestions");
            }
            assert_eq!(fields(diagnostic), expected, "{diagnostic:#}");
        }
    }
}

/// A claimed handshake, which nobody can judge, is reported in the reader's language, whatever its value.
#[test]
fn a_handshake_is_reported() {
    let told = |game: &str, value: &str, lang: &str| {
        let record = format!("[Game \"{game}\"]\n[Handshake \"{value}\"]\n\n*\n");
        let run = run_with(&["verify", "-", "--lang", lang], record.as_bytes());
        assert_eq!(run.status, Some(0), "it is not judged: {run:#?}");
        run.stdout.lines().skip(1).take_while(|line| line.starts_with(' ')).collect::<String>()
    };
    assert_eq!(told("pastores", "yes", "es"), "    apretón de manos: sí");
    assert_eq!(told("pastores", "no", "es"), "    apretón de manos: no");
    assert_eq!(told("pastores", "yes", "en"), "    handshake: yes");
    assert_eq!(told("pastores", "later", "en"), "    handshake: later");
    assert_eq!(told("pastores", "\u{1b}[2J", "en"), "    handshake: \u{fffd}[2J");
    assert_eq!(told("andes", "yes", "en"), "", "other games have no such tag");
}

#[test]
fn json_of_standard_input_names_no_file() {
    let run = run_with(&["verify", "--json", "-"], GOOD.as_bytes());
    let [object] = &*objects(&run) else { panic!("one record: {run:#?}") };
    assert_eq!(fields(object), FIELDS.into_iter().filter(|name| *name != "file").collect());
}

#[test]
fn json_is_the_verdict_of_the_library() {
    for lang in [Lang::Es, Lang::En] {
        for file in record_files() {
            let run = run(&["verify", "--json", "--lang", lang.as_str(), &file]);
            let read = bytes(file.strip_prefix("fixtures/").expect("it is a fixture"));
            let expected = (1..).zip(verdicts(read.as_slice())).map(|(index, verdict)| {
                let mut report = report::verdict(&verdict, index, lang);
                report.file = Some(&file);
                serde_json::to_value(report).expect("it is a tree")
            });
            let mut found = objects(&run);
            for object in &mut found {
                // The library judges each record by itself.
                let members = object.as_object_mut().expect("an object");
                members.remove("sheet_of");
                members.remove("contradicts");
            }
            assert_eq!(found, expected.collect::<Vec<_>>(), "{file}");
        }
    }
}

#[test]
fn the_output_does_not_depend_on_jobs() {
    let files = record_files();
    // So long a file is judged in several parts.
    let folder = tempfile::tempdir().expect("a folder");
    let long = folder.path().join("long.quipu");
    fs::write(&long, bytes("andes/mutants.quipu").repeat(20)).expect("it is written");
    let paths = with(&strings(&files), &[long.to_str().expect("UTF-8"), "fixtures"]);
    for form in [&["--json"][..], &[], &["--boards"]] {
        let call = with(&["verify"], form);
        let one = run(&[&call, &["--jobs", "1"][..], &paths].concat());
        for jobs in ["2", "4", "32"] {
            let several = run(&[&call, &["--jobs", jobs][..], &paths].concat());
            assert!(one == several, "{form:?} with {jobs} jobs");
        }
        assert!(one == run(&with(&call, &paths)), "{form:?} with as many jobs as there are cores");
    }
}

#[test]
fn numbers_begin_again_in_each_file() {
    let run = run(&["verify", "--json", "fixtures/andes/cup.quipu", "fixtures/andes/games.quipu"]);
    let cup = (1..=56).map(|index| ("fixtures/andes/cup.quipu".to_owned(), index));
    let games = (1..=40).map(|index| ("fixtures/andes/games.quipu".to_owned(), index));
    assert_eq!(order(&run), cup.chain(games).collect::<Vec<_>>());
}

#[test]
fn numbers_go_on_in_a_long_file() {
    let run = run_with(&["verify", "--json", "--jobs", "4", "-"], &bytes("andes/cup.quipu").repeat(20));
    assert_eq!(order(&run), (1..=56 * 20).map(|index| ("-".to_owned(), index)).collect::<Vec<_>>());
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it is created");
    fs::write(path, text).expect("it is written");
}

/// Runs the program in a folder.
fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    command(arguments).current_dir(folder).output().expect("quipu runs").into()
}

#[test]
fn folders_are_searched_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["b.quipu", "a/2.quipu", "a/10.quipu", "a/deep/er/x.quipu", "ñ.quipu", "Z.quipu", "a/.quipu"];
    for name in names {
        write(folder.path(), name, GOOD);
    }
    for name in
        ["a/notes.txt", "a/game.quipu.bak", "quipu", "a/deep/game.QUIPU", "empty/readme", "a/json", "a/game.xml"]
    {
        write(folder.path(), name, BAD);
    }
    fs::create_dir(folder.path().join("folder.quipu")).expect("it is created");
    let found = |paths: &[&str], status: i32, told: &[&str]| {
        let run = run_in(folder.path(), &with(&["verify", "--json", "--lang", "en"], paths));
        assert_eq!(run.status, Some(status), "{paths:?}: {run:#?}");
        assert_eq!(run.stderr.lines().collect::<Vec<_>>(), told, "{paths:?}");
        order(&run).into_iter().map(|(file, _)| file).collect::<Vec<_>>()
    };
    let a = ["a/10.quipu", "a/2.quipu", "a/deep/er/x.quipu", "a/deep/game.QUIPU"];
    let told = [
        "skipped a/game.quipu.bak: files with the extension .bak are not read from folders; to read it, name the file itself",
        "skipped a/game.xml: files with the extension .xml are not read from folders; to read it, name the file itself",
        "skipped a/json: files without an extension are not read from folders; to read it, name the file itself",
        "skipped a/notes.txt: files with the extension .txt are not read from folders; to read it, name the file itself",
    ];
    assert_eq!(found(&["a"], 1, &told), a);
    let all = [
        "./Z.quipu",
        "./a/10.quipu",
        "./a/2.quipu",
        "./a/deep/er/x.quipu",
        "./a/deep/game.QUIPU",
        "./b.quipu",
        "./ñ.quipu",
    ];
    let many = ["skipped: 7 files (3 without an extension, 1 .bak, 1 .txt, 1 .xml, empty folders: 1)"];
    assert_eq!(found(&["."], 1, &many), all);
    let several = [&["b.quipu"], &a[..]].concat();
    assert_eq!(found(&["b.quipu", "a"], 1, &told), several, "in the order that they are named in");
    let many = ["skipped: 8 files (2 without an extension, 2 .bak, 2 .txt, 2 .xml)"];
    assert_eq!(found(&["a", "a"], 1, &many), [a, a].concat(), "what is named twice is read twice");
    let told = [
        "skipped empty/readme: files without an extension are not read from folders; to read it, name the file itself",
        "no record was read",
    ];
    assert_eq!(found(&["empty"], 1, &told), [] as [&str; 0]);
    assert_eq!(found(&["a/deep/er"], 0, &[]), ["a/deep/er/x.quipu"]);
    // A file named on the command line is read, whatever its extension.
    assert_eq!(run_in(folder.path(), &["verify", "a/notes.txt"]).status, Some(1));
}

/// A game of Andes that is over, in JSON and as a scoresheet.
const JSON: &str = r#"{"game":"andes","moves":["0a1","0D0","0b0","0D0C"],"result":"1-0"}"#;
const CSV: &str = "#Game: andes\n#Result: 1-0\nn,sol,luna\n1,0a1,0D0\n2,0b0,0D0C\n";

#[test]
fn every_format_is_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let pretty = JSON.replace('{', "{\n  ").replace('}', "\n}");
    write(folder.path(), "a.quipu", GOOD);
    write(folder.path(), "b.json", &format!("[{JSON},\n{pretty}]"));
    write(folder.path(), "c.ndjson", &format!("{JSON}\n{{\"game\":\"andes\"\n{JSON}\n"));
    write(folder.path(), "d.csv", &format!("\u{feff}{CSV}\n{CSV}").replace(',', ";").replace('\n', "\r\n"));
    let run = run_in(folder.path(), &["verify", "--json", "./a.quipu", "./b.json", "./c.ndjson", "./d.csv"]);
    let objects = objects(&run);
    let found: Vec<_> = objects
        .iter()
        .map(|object| format!("{} {} {}", object["file"], object["index"], object["status"]).replace('"', ""))
        .collect();
    assert_eq!(
        found,
        [
            "./a.quipu 1 verified",
            "./b.json 1 verified",
            "./b.json 2 verified",
            "./c.ndjson 1 verified",
            "./c.ndjson 2 unreadable",
            "./c.ndjson 3 verified",
            "./d.csv 1 verified",
            "./d.csv 2 verified",
        ]
    );
    let ids: BTreeSet<_> = objects.iter().filter_map(|object| object["id"].as_str()).collect();
    assert_eq!(ids.len(), 1, "it is one game");
    // The name of a file does not matter.
    write(folder.path(), "e.txt", CSV);
    assert_eq!(run_in(folder.path(), &["verify", "e.txt"]).status, Some(0));
    assert_eq!(run_with(&["verify", "-"], JSON.as_bytes()).status, Some(0));
}

/// A folder may hold other JSON than records: that is reported.
#[test]
fn a_folder_is_searched_for_all_formats_or_for_one() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "a.quipu", GOOD);
    write(folder.path(), "b.json", JSON);
    write(folder.path(), "c.ndjson", JSON);
    write(folder.path(), "d.csv", CSV);
    write(folder.path(), "package.json", "{\"name\": \"club\", \"version\": 1}");
    let files = |arguments: &[&str]| {
        let run = run_in(folder.path(), &with(arguments, &["--json", "."]));
        assert!(matches!(run.status, Some(0 | 1)), "{}", run.stderr);
        let objects = objects(&run);
        objects.iter().map(|object| object["file"].as_str().expect("a file").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files(&["verify"]), ["./a.quipu", "./b.json", "./c.ndjson", "./d.csv"]);
    let told = "skipped ./package.json: it is JSON, but not of records; to read it, name the file itself\n";
    assert_eq!(run_in(folder.path(), &["verify", ".", "--lang", "en"]).stderr, told);
    assert_eq!(files(&["verify", "--from", "json"]), ["./b.json", "./c.ndjson", "./package.json"]);
    assert_eq!(files(&["verify", "--from", "csv"]), ["./d.csv"]);
}

/// A fault has the place of the value, in every format.
#[test]
fn faults_are_shown_where_they_stand() {
    let json = JSON.replace("0D0C", "0D7");
    let csv = CSV.replace("0D0C", "0D7");
    for (text, place, line) in [(json, "-:1:45", r#""0b0","0D7""#), (csv, "-:5:7", "2,0b0,0D7")] {
        let run = run_with(&["verify", "-", "--lang", "en"], text.as_bytes());
        assert_eq!(run.status, Some(1));
        assert!(run.stdout.contains(&format!("╭─ {place}\n")), "{}", run.stdout);
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
}

#[test]
fn missing_files_are_reported_and_the_others_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "good.quipu", GOOD);
    write(folder.path(), "last.quipu", GOOD);
    let paths = ["good.quipu", "gone.quipu", "gone/too.quipu", "last.quipu"];
    let run = run_in(folder.path(), &with(&["verify", "--json", "--lang", "en"], &paths));
    assert_eq!(run.status, Some(3));
    let objects = objects(&run);
    let found = objects.iter().map(|object| [&object["file"], &object["status"]].map(|field| field.as_str()));
    let expected = [
        ["good.quipu", "verified"],
        ["gone.quipu", "failed"],
        ["gone/too.quipu", "failed"],
        ["last.quipu", "verified"],
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected.map(|object| object.map(Some)));
    let failed = serde_json::json!({
        "file": "gone.quipu",
        "status": "failed",
        "code": "io.not-found",
        "message": "cannot read gone.quipu: it does not exist",
    });
    assert_eq!(objects[1], failed);
    let told =
        "error: cannot read gone.quipu: it does not exist\nerror: cannot read gone/too.quipu: it does not exist\n";
    assert_eq!(run.stderr, told);
}

#[test]
fn standard_input_is_one_of_the_files() {
    let run = run_with(&["verify", "--json", "fixtures/andes/cup.quipu", "-", "fixtures/andes/loose.quipu"], b"*");
    let names: BTreeSet<_> = order(&run).into_iter().map(|(name, _)| name).collect();
    let expected = ["-", "fixtures/andes/cup.quipu", "fixtures/andes/loose.quipu"];
    assert_eq!(names, BTreeSet::from(expected.map(str::to_owned)));
    assert_eq!(order(&run)[56].0, "-");
}

#[test]
fn an_empty_file_holds_no_games() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "empty.quipu", "");
    write(folder.path(), "blank.quipu", " \n\r\n\t\n");
    let run = run_in(folder.path(), &["verify", "empty.quipu", "blank.quipu", "--lang", "en"]);
    // A file that is skipped is not counted.
    let summary = "Read: 0 · files: 1 · verified: 0 · incomplete: 0 · rejected: 0 · unreadable: 0\n";
    let told = "skipped empty.quipu: it is empty\nskipped blank.quipu: it contains no record\nno record was read\n";
    assert_eq!(run, Run { status: Some(1), stdout: summary.to_owned(), stderr: told.to_owned() });
    let run = run_in(folder.path(), &["verify", "empty.quipu", "--json"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
}

#[test]
fn one_line_a_game() {
    let run = run_with(&["verify", "-"], GOOD.as_bytes());
    assert_eq!(
        lines(&run),
        ["-    1  ? – ?                                        verificado  1-0      11-9  continent"]
    );
    let run = run_with(&["verify", "-", "--lang", "en"], b"[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Li\"]\n\n0d3 *");
    assert_eq!(lines(&run), ["-    1  Ana – Li                                     incomplete  *         9-7"]);
    let run = run_with(&["verify", "-", "--lang", "en"], b"0d3 *");
    assert_eq!(lines(&run), ["-    1  -                                            rejected"]);
}

#[test]
fn lines_say_what_json_says() {
    let files = record_files();
    let json = run(&with(&["verify", "--json"], &strings(&files)));
    let people = run(&with(&["verify", "--lang", "en"], &strings(&files)));
    let objects = objects(&json);
    let lines = lines(&people);
    assert_eq!(objects.len(), lines.len());
    for (object, line) in objects.iter().zip(lines) {
        let field = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
        let begin = format!("{} {:>4}  ", field("file"), object["index"].as_u64().expect("a number"));
        assert!(line.starts_with(&begin), "{begin} in {line}");
        let points = object["points"].as_object().map(|points| {
            // Sides are in the order of their game, and here by their names.
            [&points["sol"], &points["luna"]].map(ToString::to_string).join("-")
        });
        let (status, result, points) = (field("status"), field("result"), points.unwrap_or_default());
        let end = format!("{status:<11} {result:<7} {points:>5}  {}", field("termination"));
        assert!(line.ends_with(end.trim_end()), "{end} in {line}");
    }
}

#[test]
fn the_summary_counts() {
    let files = record_files();
    let json = run(&with(&["verify", "--json"], &strings(&files)));
    let objects = objects(&json);
    let mut expected = format!("Read: {} · files: {}", objects.len(), files.len());
    for status in Status::ALL.map(Status::as_str) {
        let count = objects.iter().filter(|object| object["status"] == status).count();
        expected += &format!(" · {status}: {count}");
    }
    for (field, name) in [("sheet_of", "further sheets of the same games"), ("contradicts", "contradicting sheets")] {
        let count = objects.iter().filter(|object| object.get(field).is_some()).count();
        assert!(count > 0, "{field}");
        expected += &format!(" · {name}: {count}");
    }
    let people = run(&with(&["verify", "--lang", "en"], &strings(&files)));
    assert_eq!(people.stdout.lines().last(), Some(expected.as_str()));
}
