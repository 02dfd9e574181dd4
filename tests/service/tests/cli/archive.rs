//! `quipu archive`: records that come in, are judged again, copied and checked. Projections are tested with the archive.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use quipu_archive::{
    model::{Attribution, Judgement},
    store::{Filter, Store, StoreError},
};
use quipu_options::Scope;
use quipu_referee::Status;
use quipu_tests_service::{
    fixture,
    program::{Run, path, run, run_with},
    root, text,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::{BAD, GOOD, UNREADABLE, each_game, record_files, with};

/// Replays of `OpenTafl` among the fixtures.
const REPLAYS: usize = 5;

/// A folder for an archive, and things beside it.
pub(super) struct TestArchive(TempDir);

impl TestArchive {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room"))
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("our paths are UTF-8").to_owned()
    }

    fn data(&self) -> String {
        self.file("data")
    }

    /// Runs a command about the archive.
    pub(super) fn archive(&self, arguments: &[&str]) -> Run {
        run(&with(&["archive", "--lang", "en"], &with(arguments, &["--data", &self.data()])))
    }

    /// Runs it, and says what it printed; it had nothing to complain about.
    #[track_caller]
    pub(super) fn good(&self, arguments: &[&str]) -> String {
        let run = self.archive(arguments);
        assert_eq!(run.status, Some(0), "{arguments:?}: {run:#?}");
        run.stdout
    }

    #[track_caller]
    pub(super) fn import(&self, arguments: &[&str]) -> Value {
        let run = self.archive(&with(&["import", "--json"], arguments));
        assert!(matches!(run.status, Some(0 | 1)) && !run.stderr.contains("error: "), "{arguments:?}: {run:#?}");
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(report["archive"], self.data().as_str());
        // Records that are not verified are named, and nothing else.
        let count = |field: &str| report[field].as_u64().expect("a number");
        let all = count("incomplete") + count("rejected") + count("unreadable");
        let named = run.stderr.lines().filter(|line| line.contains(": record ")).count() as u64;
        assert_eq!(named, all.min(20), "{arguments:?}: {run:#?}");
        report
    }

    pub(super) fn store(&self) -> Store {
        Store::open(self.data().as_ref()).expect("it is there")
    }
}

/// Status and id of all records in a text.
#[track_caller]
fn verdicts(records: &str) -> Vec<(String, String)> {
    let json = run_with(&["verify", "--json", "-"], records.as_bytes()).stdout;
    let verdicts = json.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let told = |verdict: &Value, name: &str| verdict[name].as_str().unwrap_or_default().to_owned();
    verdicts.map(|verdict| (told(&verdict, "status"), told(&verdict, "id"))).collect()
}

/// The ids of those that are verified.
#[track_caller]
pub(super) fn verified(records: &str) -> BTreeSet<String> {
    verdicts(records).into_iter().filter(|(status, _)| status == "verified").map(|(_, id)| id).collect()
}

#[test]
fn imported_records_are_counted_by_their_verdict() {
    each_game(|name, _| {
        let place = TestArchive::new();
        for file in ["games", "mutants"] {
            let path = format!("fixtures/{name}/{file}.quipu");
            let expected = text(&format!("{name}/{file}.verdicts.ndjson"));
            let expected: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let count = |status: &str| expected.iter().filter(|verdict| verdict["status"] == status).count();
            let report = place.import(&[&path]);
            let ids: BTreeSet<_> = expected
                .iter()
                .filter(|verdict| verdict["status"] == "verified")
                .map(|verdict| verdict["id"].to_string())
                .collect();
            for (field, value) in [
                ("files", 1),
                ("read", expected.len()),
                ("incomplete", count("incomplete")),
                ("rejected", count("rejected")),
                ("unreadable", count("unreadable")),
            ] {
                assert_eq!(report[field], value, "{path}: {field}");
            }
            let stored = [&report["new"], &report["duplicate"]].map(|count| count.as_u64().expect("a number"));
            assert_eq!(stored[0] + stored[1], count("verified") as u64, "{path}: {report}");
            assert!(stored[0] <= ids.len() as u64, "{path}: {report}");
            let again = place.import(&[&path]);
            assert_eq!((again["new"].as_u64(), again["duplicate"].as_u64()), (Some(0), Some(stored[0] + stored[1])));
        }
    });
}

#[test]
fn the_summary_is_for_people() {
    let place = TestArchive::new();
    let data = place.data();
    let input = format!("{GOOD}\n{GOOD}\n{BAD}\n[Game \"andes\"]\n\n1. 0d3\n*\n\n{UNREADABLE}");
    for (lang, expected, archive, named) in [
        (
            "es",
            "Leídos: 5 · nuevos: 1 · ya estaban: 1 · incompletos: 1 · rechazados: 1 · ilegibles: 1\n",
            "Archivo de partidas",
            [
                "-:18:8: registro 3: rechazado: andes.3.6: La casilla A1 es clara",
                "-:21:1: registro 4: incompleto",
                "-:28:8: registro 5: ilegible: record.syntax: El comentario",
            ],
        ),
        (
            "en",
            "Read: 5 · new: 0 · already stored: 2 · incomplete: 1 · rejected: 1 · unreadable: 1\n",
            "Archive",
            [
                "-:18:8: record 3: rejected: andes.3.6: The square A1 is light",
                "-:21:1: record 4: incomplete",
                "-:28:8: record 5: unreadable: record.syntax: The comment",
            ],
        ),
    ] {
        let run = run_with(&["archive", "import", "-", "--data", &data, "--lang", lang], input.as_bytes());
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), &*format!("{expected}{archive}: {data}\n")));
        assert_eq!(run.stderr.lines().count(), named.len(), "{run:#?}");
        for (line, named) in run.stderr.lines().zip(named) {
            assert!(line.starts_with(named), "{line}");
        }
    }
    let run = run_with(&["archive", "import", "-", "--data", &data], GOOD.as_bytes());
    assert_eq!(run.status, Some(0));
}

/// Of many records that are not verified the first are named, and the others are counted.
#[test]
fn records_that_are_not_stored_are_named_up_to_a_bound() {
    let place = TestArchive::new();
    let (data, good) = (place.data(), place.file("good.csv"));
    let csv = run_with(&["convert", "-", "--to", "csv"], BAD.as_bytes()).stdout;
    fs::write(&good, csv).expect("there is room");
    let many = format!("{BAD}\n").repeat(30);
    let run = run_with(&["archive", "import", &good, "-", "--data", &data, "--lang", "en"], many.as_bytes());
    assert_eq!(run.status, Some(1), "{run:#?}");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 21, "{run:#?}");
    // The move stands behind the apostrophe that keeps it text in a spreadsheet.
    assert!(lines[0].starts_with(&format!("{good}:4:7: record 1: rejected: andes.3.6: ")), "{}", lines[0]);
    assert!(lines[19].starts_with("-:"), "{}", lines[19]);
    assert_eq!(lines[20], "… and 11 more; --unverified FILE saves all of them with their reasons");
    let refused = place.file("refused.quipu");
    let arguments = ["archive", "import", &good, "-", "--data", &data, "--unverified", &refused, "--json"];
    let run = run_with(&arguments, many.as_bytes());
    assert_eq!(run.status, Some(1), "{run:#?}");
    assert_eq!(fs::read_to_string(refused).expect("it is written").matches("andes.3.6").count(), 31);
}

/// Slips do not enter the archive in silence: they are told as in `verify`, up to a bound, and counted.
#[test]
fn warnings_and_advice_on_stored_records_are_told() {
    let place = TestArchive::new();
    let tags = "[Soll \"Ana\"]\n[Date \"2026.13.45\"]\n[Leg \"7\"]\n[Result";
    let slipped = GOOD.replace("[Result", tags).replace("0D0\n", "0D0 {[%clk 9:37]}\n").replace("\n2. ", "\n3. ");
    let input = place.file("in.quipu");
    fs::write(&input, format!("{GOOD}\n{slipped}")).expect("there is room");
    let run = place.archive(&["import", &input]);
    assert_eq!(run.status, Some(0), "{run:#?}");
    let start = GOOD.lines().count() + 1;
    let expected = [
        (8, 1, "record.number: "),
        (2, 2, "advice.tag: The tag “Soll” is unknown; did you mean Sol?"),
        (3, 8, "advice.date: There is no day “2026.13.45”."),
        (4, 7, "advice.leg: "),
        (7, 19, "advice.clock: "),
    ];
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{run:#?}");
    for (line, (row, column, said)) in lines.iter().zip(expected) {
        let at = format!("{input}:{}:{column}: {said}", start + row);
        assert!(line.starts_with(&at), "{at}: {run:#?}");
    }
    assert!(run.stdout.contains(" · unreadable: 0 · warnings: 1 · advice: 4\n"), "{run:#?}");
    let report = place.import(&[&input]);
    assert_eq!((&report["warnings"], &report["advice"]), (&Value::from(1), &Value::from(4)), "{report}");
    assert!(place.import(&["fixtures/andes/cup.quipu"]).get("advice").is_none());

    // Those of records that are not stored are left out; `--unverified` has them with the other reasons.
    let rejected = BAD.replace("[Result", "[Leg \"7\"]\n[Result");
    fs::write(&input, rejected).expect("there is room");
    let refused = place.file("refused.quipu");
    let run = place.archive(&["import", &input, "--unverified", &refused]);
    assert!(run.stderr.lines().count() == 1 && !run.stdout.contains("advice"), "{run:#?}");
    let written = fs::read_to_string(&refused).expect("it is written");
    assert!(written.contains("% ") && written.contains(": advice.leg: "), "{written}");
    let run = place.archive(&["import", &input, "--keep-unverified"]);
    assert!(run.stderr.lines().count() == 2 && run.stdout.contains(" · advice: 1"), "{run:#?}");

    let many: String =
        (0..10).map(|round| slipped.replace("[Result", &format!("[Round \"{round}\"]\n[Result"))).collect();
    fs::write(&input, many).expect("there is room");
    let run = place.archive(&["import", &input]);
    assert_eq!(run.stderr.lines().count(), 21, "{run:#?}");
    let more = "… and 30 more warnings and advice; `quipu verify` shows all of them";
    assert_eq!(run.stderr.lines().last(), Some(more), "{run:#?}");
}

/// The archive that the environment names is named too.
#[test]
fn the_archive_that_was_written_to_is_named() {
    let place = TestArchive::new();
    let mut command =
        quipu_tests_service::program::command(&["archive", "import", "fixtures/andes/cup.quipu", "--lang", "en"]);
    let run: Run = command.env("XDG_DATA_HOME", place.file("share")).output().expect("quipu runs").into();
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(run.stdout.ends_with(&format!("\nArchive: {}\n", place.file("share/quipu"))), "{run:#?}");
}

#[test]
fn the_folder_is_for_its_owner() {
    let place = TestArchive::new();
    place.import(&["fixtures/andes/games.quipu"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.data()).expect("it is made").permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{mode:o}");
    }
}

/// Files of a folder that are read although they hold no records: tables, and JSON with a member that records have too.
fn other_files() -> usize {
    let names = |folder: &str| {
        let entries = fs::read_dir(root().join("fixtures").join(folder)).expect("it can be read");
        entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
    };
    let is_read = |name: &String| {
        Path::new(name).extension().is_some_and(|ending| ending == "tsv")
            || name.starts_with("positions") && name.ends_with(".ndjson")
            || name == "sarif-2.1.0.schema.json"
    };
    ["", "andes", "brandubh", "pastores", "querni"].into_iter().flat_map(names).filter(is_read).count()
}

/// All forms and all folders, by one thread or many, come to the same archive.
#[test]
fn the_order_of_entry_is_that_of_the_input() {
    let exports = ["1", "7"].map(|jobs| {
        let place = TestArchive::new();
        let mut report = place.import(&["fixtures", "fixtures/brandubh/replay.otg", "--jobs", jobs]);
        assert_eq!(report["archive"].take(), place.data());
        assert_eq!(report["files"], record_files().len() + REPLAYS + other_files() + 1);
        (report, place.good(&["export"]))
    });
    assert_eq!(exports[0], exports[1]);
}

#[track_caller]
fn refuses(place: &TestArchive, status: i32, arguments: &[&str], expected: &str) {
    let run = place.archive(arguments);
    assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{arguments:?}: {run:#?}");
    assert!(run.stderr.contains(expected), "{arguments:?}: {run:#?}");
}

#[test]
fn impossible_commands_are_reported() {
    let place = TestArchive::new();
    let none = format!("error: there is no archive in {}; `quipu serve`, `quipu archive import` or", place.data());
    for command in ["export", "reverify", "rebuild", "check"] {
        refuses(&place, 3, &[command], &none);
    }
    refuses(&place, 3, &["backup", "copy.db"], &none);
    assert!(!Path::new(&place.data()).exists(), "nothing is made");
    refuses(&place, 2, &["import"], "error: there is nothing to read: name files or folders");
    refuses(&place, 2, &["import", "-", "--jobs", "0"], "--jobs");
    refuses(
        &place,
        3,
        &["import", "no-such.quipu", "--unverified", "no/such/folder"],
        "error: cannot write no/such/folder",
    );
    place.import(&["fixtures/andes/cup.quipu"]);
    refuses(&place, 2, &["export", "--player", "Nadie"], "the archive has no player “Nadie”");
    refuses(&place, 2, &["export", "--event", "Nada"], "the archive has no event “Nada”");
    refuses(&place, 2, &["export", "--after", "2026-02-30"], "“2026-02-30” is not a date for --after");
    refuses(&place, 2, &["export", "--text", "¿?"], "“¿?” contains no word to search for");
    refuses(&place, 2, &["export", "--to", "csv", "--source"], "--source cannot be combined with --to");
    refuses(&place, 2, &["export", "--to", "pdf"], "allowed: quipu, json, ndjson, csv");
    refuses(&place, 2, &["sell"], "there is no command “sell”");
}

#[test]
fn files_that_fail_do_not_hide_the_others() {
    let place = TestArchive::new();
    let run = place.archive(&["import", "no-such.quipu", "fixtures/andes/cup.quipu"]);
    assert_eq!(run.status, Some(3));
    assert_eq!(run.stderr, "error: cannot read no-such.quipu: it does not exist\n");
    assert!(run.stdout.starts_with("Read: ") && !run.stdout.contains("new: 0"), "{run:#?}");
}

#[test]
fn unverified_records_are_written_with_their_reasons() {
    let place = TestArchive::new();
    let [input, refused] = ["in.quipu", "refused.quipu"].map(|name| place.file(name));
    fs::write(&input, format!("{GOOD}\n{BAD}\n{UNREADABLE}")).expect("there is room");
    place.import(&[&input, "--unverified", &refused]);
    let written = fs::read_to_string(&refused).expect("it is written");
    let reasons: Vec<_> = written.lines().filter(|line| line.starts_with('%')).collect();
    let expected = [
        format!("% {input} 2: rejected"),
        format!("% {input}:11:8: andes.3.6: "),
        format!("% {input} 3: unreadable"),
        format!("% {input}:16:8: record.syntax: "),
    ];
    assert_eq!(reasons.len(), expected.len(), "{written}");
    for (line, expected) in reasons.iter().zip(expected) {
        assert!(line.starts_with(&expected), "{expected}: {written}");
    }
    let records: String =
        written.lines().filter(|line| !line.starts_with('%')).map(|line| format!("{line}\n")).collect();
    assert_eq!(records, format!("{BAD}\n\n{UNREADABLE}\n"));
    refuses(&place, 2, &["import", &input, "--unverified", &input], "is an input and cannot be the output");
    assert!(fs::read_to_string(&input).expect("it is there").starts_with(GOOD));
}

#[test]
fn the_former_names_of_options_mean_the_same() {
    let place = TestArchive::new();
    let [input, now, before] = ["in.quipu", "now.quipu", "before.quipu"].map(|name| place.file(name));
    fs::write(&input, format!("{GOOD}\n{BAD}")).expect("there is room");
    place.import(&[&input, "--unverified", &now]);
    place.import(&[&input, "--refused", &before]);
    let [now, before] = [now, before].map(|path| fs::read_to_string(path).expect("it is written"));
    assert!(now.contains("andes.3.6") && now == before, "{now}{before}");
    // The rejected record is new, because no import before has stored it.
    assert_eq!(place.import(&[&input, "--keep-refused"])["new"], 1);
}

/// The rejected records in the output are the submitted ones: judged again they get the same verdicts.
#[test]
fn unverified_records_are_as_they_were() {
    each_game(|name, _| {
        let place = TestArchive::new();
        let refused = place.file("refused.quipu");
        let path = format!("fixtures/{name}/mutants.quipu");
        let report = place.import(&[&path, "--unverified", &refused]);
        let sum: u64 = ["incomplete", "rejected", "unreadable"].iter().filter_map(|field| report[field].as_u64()).sum();
        let written = fs::read(&refused).expect("it is written");
        let heads = String::from_utf8_lossy(&written);
        let heads = heads.lines().filter(|line| line.starts_with(&format!("% {path} ")));
        assert_eq!(heads.count() as u64, sum, "{path}");
    });
}

#[test]
fn refused_records_are_kept_where_that_is_asked_for() {
    let place = TestArchive::new();
    let path = "fixtures/andes/mutants.quipu";
    let report = place.import(&[path, "--keep-unverified", "--author", "Ana", "--reason", "para ver"]);
    let read = report["read"].as_u64().expect("a number");
    assert_eq!(report["new"].as_u64().expect("a number") + report["duplicate"].as_u64().expect("a number"), read);
    let source = place.good(&["export", "--source", "--status", "rejected"]);
    assert!(verdicts(&source).iter().all(|(status, _)| status == "rejected"), "{source}");
    // An unreadable record has no other format than its own.
    let run = place.archive(&["export", "--status", "unreadable"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:#?}");
    assert!(run.stderr.contains("unreadable records were left out"), "{run:#?}");
    let changes =
        place.store().read(|reading| reading.changes(0, 1)).unwrap_or_else(|error: StoreError| panic!("{error}"));
    let by = &changes.items[0].by;
    let said = [Some(by.submitter.as_str()), by.author.as_deref(), by.reason.as_deref()];
    assert_eq!(said, [Some("quipu archive import"), Some("Ana"), Some("para ver")]);
}

/// All that the fixtures have, refused or not, is judged again as it was.
#[test]
fn a_sound_archive_is_found_sound() {
    let place = TestArchive::new();
    let report = place.import(&["fixtures", "fixtures/brandubh/replay.otg", "--keep-unverified"]);
    let run = place.archive(&["check"]);
    let expected = format!("Checked: {} · faults: 0\n", report["new"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", expected.as_str()));
    let run = place.archive(&["reverify", "--all"]);
    let expected = format!("Judged: {} · changed: 0\n", report["new"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", expected.as_str()));
    let rebuilt = place.good(&["rebuild"]);
    assert!(rebuilt.starts_with("rebuilt: they are the same as before ("), "{rebuilt}");
}

/// Gives the first record of an archive the verdict that it is rejected, as if of this edition of the rules.
fn misjudge(place: &TestArchive, edition: u32) -> String {
    let store = place.store();
    let first = store.read(|reading| {
        let first = reading.export(&Filter::default(), 0, 1, usize::MAX)?.remove(0).0;
        Ok::<_, StoreError>((reading.judgement(&first.id)?, first))
    });
    let (judgement, card) = first.expect("there is one");
    let wrong = Judgement { status: Status::Rejected, edition, ..judgement.expect("it has a verdict") };
    let by = Attribution { submitter: "test".to_owned(), author: None, reason: None };
    let number = card.number;
    store
        .write(move |writing| writing.judge(number, &wrong, &by))
        .wait()
        .unwrap_or_else(|error: StoreError| panic!("{error}"));
    quipu_referee::report::hex(&card.id)
}

#[test]
fn verdicts_under_other_rules_are_judged_again() {
    let place = TestArchive::new();
    place.import(&["fixtures/andes/cup.quipu"]);
    let before = place.good(&["export"]);
    let id = misjudge(&place, 0);
    let run = place.archive(&["check"]);
    assert!(run.stderr.starts_with("judged under another edition of the rules: 1;"), "{run:#?}");
    let expected = format!("{id}  Quispe Mamani, Rosa – Toconás Vilte, Elena  rejected");
    for dry in [&["--dry-run"][..], &[]] {
        let run = place.archive(&with(&["reverify", "--author", "Ana"], dry));
        assert_eq!(run.status, Some(0), "{run:#?}");
        assert!(run.stdout.starts_with(&expected) && run.stdout.contains(" → verified "), "{run:#?}");
        assert_eq!(run.stdout.lines().count(), 1, "{run:#?}");
        let stored = run.stderr == "Judged: 1 · changed: 1\n";
        assert_eq!(stored, dry.is_empty(), "{run:#?}");
    }
    assert_eq!(place.archive(&["reverify"]).stderr, "Judged: 0 · changed: 0\n");
    assert_eq!(place.good(&["export", "--status", "verified"]), before);
    assert_eq!(place.archive(&["check"]).status, Some(0));
}

#[test]
fn a_wrong_verdict_is_found() {
    let place = TestArchive::new();
    place.import(&["fixtures/andes/cup.quipu"]);
    let id = misjudge(&place, quipu_referee::verify::EDITION);
    let run = place.archive(&["check"]);
    assert_eq!(run.status, Some(1), "{run:#?}");
    assert!(run.stdout.starts_with(&format!("{id}: the computed verdict is different: rejected")), "{run:#?}");
    assert!(run.stderr.ends_with("faults: 1\n"), "{run:#?}");
}

/// The same bytes elsewhere in a file.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = bytes.to_vec();
    while let Some(at) = bytes.windows(old.len()).position(|window| window == old) {
        bytes[at..at + old.len()].copy_from_slice(new);
    }
    bytes
}

#[test]
fn a_changed_record_is_found() {
    let place = TestArchive::new();
    place.import(&["fixtures/andes/cup.quipu"]);
    let copy = place.file("copy.db");
    place.good(&["backup", &copy]);
    let other = TestArchive::new();
    fs::create_dir(other.data()).expect("there is room");
    let bytes = replaced(&fs::read(&copy).expect("it is written"), b"[Round \"3\"]", b"[Round \"4\"]");
    fs::write(Path::new(&other.data()).join("quipu.db"), bytes).expect("there is room");
    let run = other.archive(&["check"]);
    assert_eq!(run.status, Some(1), "{run:#?}");
    assert!(run.stdout.contains(": the computed id is "), "{run:#?}");
}

#[test]
fn a_copy_is_an_archive() {
    let place = TestArchive::new();
    let report = place.import(&["fixtures/andes/cup.quipu"]);
    let copy = place.file("copy.db");
    let told = place.good(&["backup", &copy]);
    let bytes = fs::metadata(&copy).expect("it is there").len();
    let new = &report["new"];
    assert_eq!(told, format!("{copy}: {bytes} bytes · records: {new} · last change: {new}\n"));
    let there = format!("error: {copy} already exists; replace it with --force\n");
    refuses(&place, 2, &["backup", &copy], &there);
    place.import(&["fixtures/querni/games.quipu"]);
    let first = fs::read(&copy).expect("it is there");
    place.good(&["backup", &copy, "--force"]);
    assert_ne!(fs::read(&copy).expect("it is there"), first);
    let own = Path::new(&place.data()).join("quipu.db");
    refuses(&place, 2, &["backup", own.to_str().expect("UTF-8"), "--force"], "is an archive in use");
    refuses(
        &place,
        3,
        &["backup", "no/such/folder.db"],
        "error: cannot write no/such/folder.db: the folder no/such does not exist",
    );

    let other = TestArchive::new();
    fs::create_dir(other.data()).expect("there is room");
    fs::copy(&copy, Path::new(&other.data()).join("quipu.db")).expect("there is room");
    assert_eq!(other.good(&["export"]), place.good(&["export"]));
    assert_eq!(other.archive(&["check"]).status, Some(0));
    let left = fs::read_dir(place.0.path()).expect("it is there").count();
    assert_eq!(left, 2, "nothing but the archive and the copy");
}

/// Two programs may use an archive at once.
#[test]
fn a_copy_is_made_while_the_archive_is_open() {
    let place = TestArchive::new();
    place.import(&["fixtures/andes/cup.quipu"]);
    let store = place.store();
    place.good(&["backup", &place.file("copy.db")]);
    place.import(&["fixtures/querni/games.quipu"]);
    drop(store);
    assert!(fixture("andes").is_dir());
}

/// `read-only FOLDER PROGRAM …` has its folder on a file system that is read-only. Nobody else sees it.
const READ_ONLY: &str = r#"exec unshare --user --map-root-user --mount sh -c '
    mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"' "$@""#;

/// On a file system that is read-only an archive is read as ever, and says so where it is to be written.
#[test]
fn an_archive_that_nobody_can_change() {
    let place = TestArchive::new();
    // Names that mean something to SQLite mean nothing here.
    let data = place.file("file:%41?b#c d");
    let on_it = |arguments: &[&str], lang: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", READ_ONLY, "read-only", &data]).arg(path()).args(arguments);
        command.args(["--data", &data, "--lang", lang]);
        Run::from(command.output().expect("a shell"))
    };
    let [games, copy] = ["games.quipu", "copy.db"].map(|name| place.file(name));
    fs::write(&games, GOOD).expect("there is room");
    let imported = run(&["archive", "import", &games, "--data", &data]);
    assert_eq!(imported.status, Some(0), "{imported:#?}");
    let exported = run(&["archive", "export", "--data", &data]);
    assert!(exported.stdout.contains("[Game "), "{exported:#?}");
    let tried = on_it(&["archive", "export"], "es");
    if tried.stderr.contains("unshare") || tried.stderr.contains("mount") {
        eprintln!("left out, since this system lets nobody make a file system for one program: {}", tried.stderr);
        return;
    }
    assert_eq!(tried, exported);
    let checked = on_it(&["archive", "check"], "en");
    assert_eq!((checked.status, checked.stdout.as_str()), (Some(0), ""), "{checked:#?}");
    assert!(on_it(&["archive", "backup", &copy], "en").status == Some(0) && fs::metadata(&copy).is_ok());
    for (lang, words, read_only) in [
        ("en", "cannot write to the archive", "the file system is read-only"),
        ("es", "no se puede escribir en el archivo", "el sistema de archivos es de solo lectura"),
    ] {
        for arguments in
            [&["archive", "import", &games][..], &["archive", "rebuild"], &["archive", "reverify", "--all"]]
        {
            let refused = on_it(arguments, lang);
            assert!(refused.status == Some(3) && refused.stderr.contains(words), "{arguments:?}: {refused:#?}");
        }
        let refused = on_it(&["serve", "--listen", "127.0.0.1:0"], lang);
        assert!(refused.status == Some(3) && refused.stderr.contains(read_only), "{refused:#?}");
    }
    // With a log beside it the file is not all of the archive, and is not taken for it.
    let store = Store::open(data.as_ref()).expect("an archive");
    store
        .write(|writing| writing.add_token("one", &[Scope::RecordsWrite], None))
        .wait()
        .map(drop)
        .expect("it is written");
    let log = fs::read(place.file("file:%41?b#c d/quipu.db-wal")).expect("a log");
    drop(store);
    fs::write(place.file("file:%41?b#c d/quipu.db-wal"), log).expect("there is room");
    let refused = on_it(&["archive", "export"], "en");
    assert!(refused.status == Some(3) && refused.stderr.contains("the file system is read-only"), "{refused:#?}");
}
