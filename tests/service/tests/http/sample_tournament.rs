//! The sample tournament, byte by byte: JSON of commands and routes against the files of `expected/cup`.
//!
//! These files change only with a decision about the format. `UPDATE_EXPECTED=1 cargo test -p quipu-tests-service --test
//! http -- sample_tournament` writes them again.

use std::{env, fs};

use quipu_tests_service::{bytes, program::run, root, server::Server};

const CUP: &str = "fixtures/andes/cup.quipu";

/// Members that came later, at the end of the objects about an event: sheets of one game, of which the tournament has none.
const SHEETS: &str = r#","sheets":[],"contradictions":[]"#;

/// Collects the files whose contents differ.
#[derive(Default)]
struct Files(Vec<String>);

impl Files {
    /// Compares a text with a file, apart from the members that come at the end of its object.
    fn compare_but(&mut self, members: &str, name: &str, found: &str) {
        match found.strip_suffix("}\n").and_then(|object| object.strip_suffix(members)) {
            Some(object) => self.compare(name, &format!("{object}}}\n")),
            None => self.0.push(format!("{name}: {members} is not at the end")),
        }
    }

    fn compare(&mut self, name: &str, found: &str) {
        let path = root().join("tests/service/tests/expected/cup").join(name);
        if env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(&path, found).expect("it is written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        if found != expected {
            let at = found.bytes().zip(expected.bytes()).take_while(|(found, expected)| found == expected).count();
            self.0.push(format!("{name} from byte {at}"));
        }
    }
}

#[test]
fn commands_print_the_stored_json() {
    let mut files = Files::default();
    for (name, arguments) in [
        ("verify.cli.ndjson", &["verify", "--json", CUP][..]),
        ("score.cli.json", &["score", "--json", CUP]),
        ("rank.cli.json", &["rank", "--json", CUP]),
        ("standings.cli.json", &["standings", "--json", CUP]),
        ("crosstable.cli.json", &["standings", "--json", "--crosstable", CUP]),
    ] {
        let run = run(arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{name}");
        files.compare(name, &run.stdout);
    }
    assert!(files.0.is_empty(), "{:?}", files.0);
}

#[test]
fn routes_answer_the_stored_json() {
    let server = Server::start();
    let ids = server.keep(&bytes("andes/cup.quipu")[..]);
    let record = format!("/v1/records/{}", quipu_referee::report::hex(&ids[0]));
    let verified = server.ask("POST", "/v1/verify").body("text/plain", bytes("andes/cup.quipu")).send();
    let mut files = Files::default();
    files.compare("verify.http.json", verified.text());
    for (name, path) in [
        ("record.http.json", record.as_str()),
        ("verdict.http.json", &format!("{record}/verdict")),
        ("events.http.json", "/v1/events"),
        ("players.http.json", "/v1/players?limit=3"),
        ("rankings.http.json", "/v1/rankings?game=andes"),
    ] {
        files.compare(name, server.get(path).text());
    }
    for (name, path) in [
        ("standings.http.json", "/v1/events/1/standings"),
        ("crosstable.http.json", "/v1/events/1/crosstable"),
        ("encounters.http.json", "/v1/events/1/encounters"),
    ] {
        files.compare_but(SHEETS, name, server.get(path).text());
    }
    assert!(files.0.is_empty(), "{:?}", files.0);
}
