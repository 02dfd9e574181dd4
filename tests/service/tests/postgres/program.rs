//! The program on a database: every command that takes an address does what it does on a folder, `archive copy` between the two,
//! and the messages about servers that cannot be used.

use std::{collections::BTreeSet, fs, path::Path, thread, time::Duration};

use quipu_archive::store::Store;
use quipu_tests_service::{
    generator::Generator,
    postgres::Postgres,
    program::{self, Run},
    spawned_server::SpawnedServer,
};
use tempfile::tempdir;

use super::{Place, check};

/// Commands with an address that are run elsewhere in this file: their output differs from that of a folder, or they serve.
const APART: [&str; 4] = ["serve", "archive backup", "archive rotate-key", "token add"];

/// Words of commands, one command in each line. `FIRST` and `SECOND` are ids of records; `GAME`, `OTHER`, `SHEETS` and `TRF` are files,
/// of which the first two are records. A space within a word is an underscore.
const COMMANDS: &str = "
    archive import fixtures/andes/games.quipu --json
    archive import GAME
    archive list --json
    archive list --player Quispe,_Ana
    archive show FIRST
    archive retract FIRST --reason Repetida
    archive undo 40 --reason Error
    archive correct SECOND OTHER --reason Error
    archive merge Vilca,_Rosa Quispe,_Ana --reason Alias
    archive export
    archive export --to csv
    archive ratings andes --json
    archive ratings andes --player Quispe,_Ana
    archive position andes --json
    archive reverify --all
    archive rebuild
    archive check
    tournament new Copa --game andes --system swiss --rounds 3 --first-side 1
    tournament list
    tournament players 44 --enter Rosa --rating 2000
    tournament players 44 --enter Ana
    tournament players 44 --enter Luis
    tournament players 44 --enter Inés
    tournament pair 44
    tournament result 44 --board 1 1-0 --points 22-17
    tournament result 44 --board 2 0-1 --points 12-20
    tournament boards 44 --json
    tournament unpair 44 --reason Error
    tournament undo 44 --reason Error
    tournament close 44
    tournament reopen 44 --reason Error
    tournament close 44
    tournament standings 44 --json
    tournament tie-breaks 44 wins --reason Pedido
    tournament time 44 3600 --reason Pedido
    tournament what-if 44
    tournament sheets 44 -o SHEETS
    tournament export 44 -o TRF
    tournament import TRF --game andes --name Otra
    tournament players 44 --enter Quispe,_Ana
    tournament rate 44
    tournament history 44
    token list --json
    token revoke mesa";

/// The names of the commands that take an address.
fn commands_with_database() -> BTreeSet<String> {
    let takes = |name: &&String| {
        let words: Vec<_> = name.split_whitespace().chain(["--help", "--lang", "en"]).collect();
        program::run(&words).stdout.contains("--database")
    };
    program::commands().iter().filter(takes).cloned().collect()
}

/// The program on an archive, with the options that name it.
struct CommandLine {
    options: Vec<String>,
    folder: tempfile::TempDir,
    /// Texts that differ from run to run, with those that stand for them.
    masks: Vec<(String, &'static str)>,
}

impl CommandLine {
    fn new(database: Option<&str>) -> Self {
        let folder = tempdir().expect("a folder");
        for (name, number) in [("GAME", 7), ("OTHER", 8)] {
            fs::write(folder.path().join(name), Generator::new().record(number)).expect("a file");
        }
        let data = folder.path().join("data").display().to_string();
        let mut options = vec!["--lang".to_owned(), "en".to_owned(), "--data".to_owned(), data];
        options.extend(database.into_iter().flat_map(|address| ["--database".to_owned(), address.to_owned()]));
        let masks = vec![(folder.path().display().to_string(), "FOLDER")];
        Self { options, folder, masks }
    }

    /// Adds a token, whose text and id differ each time.
    fn add_token(&mut self, name: &str) {
        let added = self.run(&["token", "add", "--name", name, "--scope", "records:write"]);
        assert_eq!(added.status, Some(0), "{added:?}");
        self.masks.push((added.stdout.split('_').nth(1).expect("an id").to_owned(), "TOKEN"));
    }

    /// Runs a command on the archive.
    fn run(&self, words: &[&str]) -> Run {
        let in_folder = |word: &&str| match *word {
            "GAME" | "OTHER" | "SHEETS" | "TRF" => self.folder.path().join(word).display().to_string(),
            word => word.replace('_', " "),
        };
        let words: Vec<_> = words.iter().map(in_folder).chain(self.options.clone()).collect();
        let Run { status, stdout, stderr } = program::run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let masked = |text: String| self.masks.iter().fold(text, |text, (found, mask)| text.replace(found, mask));
        let [stdout, stderr] = [stdout, stderr].map(|text| without_times(&masked(text)));
        Run { status, stdout, stderr }
    }
}

/// A text without the times that it tells, whose digits are zero, and without the checksum of a rebuild, to which the full-text index of
/// the engine belongs.
fn without_times(text: &str) -> String {
    let text = text.split_once("before (").map_or(text, |(before, _)| before);
    let words = text.split_inclusive([' ', '\n', '"', '\t']);
    let is_time = |word: &str| word.starts_with("20") && word.matches('-').count() == 2;
    let zeroed = |word: &str| word.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    words.map(|word| if is_time(word) { zeroed(word) } else { word.to_owned() }).collect()
}

#[test]
fn every_command_does_on_a_database_what_it_does_on_a_folder() {
    let place = Place::new();
    let [mut file, mut server] = [None, Some(&*place.server.address())].map(CommandLine::new);
    file.add_token("mesa");
    server.add_token("mesa");
    let mut run = BTreeSet::new();
    let mut ids = Vec::new();
    for line in COMMANDS.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        let with_ids: Vec<_> = words
            .iter()
            .map(|word| match *word {
                "FIRST" => ids.first().map_or("missing", String::as_str),
                "SECOND" => ids.get(1).map_or("missing", String::as_str),
                word => word,
            })
            .collect();
        let [expected, found] = [&file, &server].map(|session| session.run(&with_ids));
        assert_eq!(expected.status, Some(0), "{line}: {expected:?}");
        assert_eq!(found, expected, "{line}");
        let name = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        if name == "archive list" && ids.is_empty() {
            let id =
                |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["id"].as_str().map(str::to_owned);
            ids = found.stdout.lines().filter_map(id).collect();
        }
        run.insert(name);
    }
    run.extend(APART.map(str::to_owned));
    assert_eq!(commands_with_database(), run);
}

#[test]
fn commands_that_differ_on_a_database() {
    let place = Place::new();
    let session = CommandLine::new(Some(&place.server.address()));
    let none = session.run(&["archive", "list"]);
    assert!(none.status == Some(3) && none.stderr.contains("no archive"), "{none:?}");
    assert_eq!(session.run(&["archive", "import", "GAME"]).status, Some(0));
    let backup = session.run(&["archive", "backup", "SHEETS"]);
    assert!(backup.status == Some(2) && backup.stderr.contains("pg_dump"), "{backup:?}");
    assert!(!session.folder.path().join("SHEETS").exists());
    let data = session.folder.path().join("data");
    let served = SpawnedServer::start(program::path(), &data, &["--database", &place.server.address()]);
    let records = ureq::get(format!("http://{}/v1/records", served.address)).call().expect("an answer");
    assert!(records.into_body().read_to_string().expect("UTF-8").contains("\"items\":[{"));
    let (status, said) = served.stop("TERM");
    assert_eq!(status.code(), Some(0), "{said}");
    let rotated = session.run(&["archive", "rotate-key"]);
    assert_eq!(rotated.status, Some(0), "{rotated:?}");
    assert_eq!(session.run(&["archive", "check"]).status, Some(0));
}

/// Each message says what to do, in both languages, with the password left out.
#[test]
fn servers_that_cannot_be_used_are_explained() {
    let place = Place::new();
    let folder = tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let explained = |address: &str, status: i32, es: &str, en: &str| {
        for (lang, words) in [("es", es), ("en", en)] {
            let told = program::run(&["archive", "check", "--lang", lang, "--data", &data, "--database", address]);
            assert_eq!(told.status, Some(status), "{address}: {told:?}");
            assert!(told.stderr.contains(words) && !told.stderr.contains("secret"), "{address}: {words}: {told:?}");
        }
    };
    let address = place.server.address();
    explained("mysql://one", 2, "--database", "--database");
    explained("postgres:///club", 2, "--database", "--database");
    explained(
        "postgres://quipu:secret@127.0.0.1:1/club",
        3,
        "revise la dirección de --database",
        "check the address of --database",
    );
    explained(&address.replace("/postgres", "/missing"), 3, "revise el usuario", "check user");
    explained(&address.replace("quipu@", "nobody:secret@"), 3, "revise el usuario", "check user");
    explained(&address, 3, "no hay ningún archivo de partidas", "no archive");
    place.server.sql("CREATE TABLE customer (number integer)");
    explained(&address, 3, "no es un archivo de partidas", "is no archive of quipu");
    place.server.sql("DROP TABLE customer");
    drop(place.open());
    place.server.sql("UPDATE archive SET version = 99");
    explained(&address, 3, "99", "99");
}

/// Copies an archive with the program, and returns its output.
fn copy(from: &str, to: &str) -> Run {
    program::run(&["archive", "copy", "--lang", "en", "--from", from, "--to", to])
}

#[test]
fn a_copy_goes_on_where_it_was_interrupted() {
    let place = Place::new();
    let folder = tempdir().expect("a folder");
    let [source, back] = ["source", "back"].map(|name| folder.path().join(name).display().to_string());
    let store = Store::open(Path::new(&source)).expect("an archive");
    store.unlock().expect("a key");
    for chunk in super::records(0..2_000).chunks(500) {
        let chunk = chunk.to_vec();
        let added = store.write(move |writing| {
            chunk.iter().try_for_each(|record| writing.add(record, &super::by(), false).map(drop))
        });
        added.wait().expect("stored");
    }
    drop(store);
    let address = place.server.address();
    // It is killed after a page of changes, and before the last.
    let mut killed =
        program::command(&["archive", "copy", "--from", &source, "--to", &address]).spawn().expect("quipu runs");
    let begun = (0..6_000).any(|_| {
        thread::sleep(Duration::from_millis(5));
        changes(&place.server).is_some_and(|changes| changes >= 1_000)
    });
    killed.kill().expect("it runs, or has ended");
    let ended = killed.wait().expect("it ends");
    assert!(begun, "{ended}");
    let copied = copy(&source, &address);
    assert!(copied.status == Some(0) && copied.stdout.contains("last change: 2000"), "{copied:?}");
    // All of it is there once, and the two are equal.
    check(&place.open(), 2_000);
    let again = copy(&source, &address);
    assert!(again.status == Some(0) && again.stdout.contains("changes copied: 0"), "{again:?}");
    assert_eq!(copy(&address, &back).status, Some(0));
    let listed = |options: &[&str]| program::run(&[&["archive", "export", "--data"], options].concat()).stdout;
    assert_eq!(listed(&[&source]), listed(&[&back]));
    // A database of another archive, and one of another program.
    let other = folder.path().join("other").display().to_string();
    assert_eq!(program::run(&["archive", "import", "fixtures/andes/games.quipu", "--data", &other]).status, Some(0));
    let refused = copy(&other, &address);
    assert!(refused.status == Some(3) && refused.stderr.contains("no copy of this archive"), "{refused:?}");
    place.server.sql("CREATE DATABASE club");
    let club = address.replace("/postgres", "/club");
    // A table that is not the archive's.
    place.server.query_of("club", "CREATE TABLE customer (number integer)");
    let refused = copy(&source, &club);
    assert!(refused.status == Some(3) && refused.stderr.contains("is no archive of quipu"), "{refused:?}");
    check(&place.open(), 2_000);
}

/// The number of changes in the database of a server, if it has the table.
fn changes(server: &Postgres) -> Option<u64> {
    let is_there = server.query("SELECT to_regclass('change') IS NOT NULL") == "t";
    is_there.then(|| server.query("SELECT count(*) FROM change").parse().expect("a number"))
}
