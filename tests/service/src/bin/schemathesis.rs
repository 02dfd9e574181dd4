//! Runs schemathesis against the real service: `schemathesis` with the same requests each time, `schemathesis SECONDS`
//! with others as long as that.
//!
//! A public service is called by somebody without a token, on what it has for everybody, and a private one with a token
//! that may do everything. The checks are configured in `tests/schemathesis`. The program is installed into
//! `target/schemathesis` first, if it is not there. Fails if an answer is not as the OpenAPI document has it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output},
    thread,
};

use quipu_notation::record::{Record, write::OutputFormat};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{
    bytes, each_chunk, generator::Generator, root, sample_archive::sample_archive, server::Server,
    tools::install_python,
};
use serde_json::{Value, json};

/// Requests a minute that are let in: as many as there may be.
const RATE: u32 = 60_000_000;
/// New records of each game to submit.
const EACH: usize = 20;

fn main() -> ExitCode {
    let seconds = std::env::args().nth(1);
    let how =
        seconds.map_or(vec!["--generation-deterministic".to_owned()], |seconds| vec!["--max-time".to_owned(), seconds]);
    let folder = root().join("target/schemathesis");
    if let Err(why) = install_python(&own("requirements.txt"), &folder) {
        eprintln!("{why}");
        return ExitCode::FAILURE;
    }
    fs::write(folder.join("records.json"), records().to_string()).expect("it can be written");
    let (folder, how) = (&*folder, &*how);
    let outputs = thread::scope(|scope| {
        let run = |private| {
            // Webhooks go to this machine, where nobody listens, and nowhere else.
            let webhook_private_networks = true;
            let limits = Settings { address_rate: RATE, token_rate: RATE, ..Settings::default() };
            let settings = Settings { private, webhook_private_networks, ..limits };
            call(folder, &sample_archive(settings).0, private, how)
        };
        let runs = [false, true].map(|private| scope.spawn(move || run(private)));
        runs.map(|run| run.join().expect("it runs"))
    });
    for (name, output) in ["public, without a token", "private, with a token"].iter().zip(&outputs) {
        println!("{name}:\n{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    if outputs.iter().all(|output| output.status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A file of `tests/schemathesis`.
fn own(name: &str) -> PathBuf {
    root().join("tests/schemathesis").join(name)
}

/// Bodies with a record each, and with several: new games of every kind, broken off ones, and some that are there.
fn records() -> Value {
    let (generator, mut one, mut many) = (Generator::new(), Vec::new(), Vec::new());
    // The numbers of the first tournament of each game, as `generated` counts them, and where what is there is found.
    for (first, game) in [(0, "andes"), (120, "pastores"), (360, "querni"), (600, "brandubh")] {
        let new: Vec<_> = (first..first + EACH).map(|number| generator.record(number).into_bytes()).collect();
        let mut there = Vec::new();
        each_chunk(bytes(&format!("{game}/mutants.quipu")).as_slice(), |chunk| there.push(chunk.text().to_vec()));
        let broken = new.iter().take(EACH / 5).map(|record| record[..record.len() / 2].to_vec());
        let all: Vec<_> = new.iter().cloned().chain(broken).chain(there.into_iter().take(EACH / 5)).collect();
        many.extend(all.rchunks(4).map(|records| records.join(&b'\n')));
        one.extend(all);
    }
    json!({ "one": bodies(&one), "many": bodies(&many) })
}

/// Bodies of records by media type, those of JSON as its values.
fn bodies(sources: &[Vec<u8>]) -> Value {
    let texts: Vec<_> = sources.iter().map(|source| String::from_utf8_lossy(source)).collect();
    let (mut objects, mut lines, mut sheets) = (Vec::new(), Vec::new(), Vec::new());
    for source in sources {
        let written = |layout: OutputFormat| {
            let mut text = String::new();
            let mut write = |record: &Record<'_>| text += &layout.write(record).0;
            each_chunk(source.as_slice(), |chunk| chunk.records().flatten().for_each(|record| write(&record)));
            text
        };
        let ndjson = written(OutputFormat::Ndjson);
        let mut values: Vec<Value> =
            ndjson.lines().map(|line| serde_json::from_str(line).expect("it was written so")).collect();
        objects.push(match values.len() {
            // An unreadable record has no other format.
            0 => continue,
            1 => values.remove(0),
            _ => Value::Array(values),
        });
        lines.push(ndjson);
        sheets.push(written(OutputFormat::Csv));
    }
    json!({
        "text/plain": texts,
        "application/octet-stream": texts,
        "application/json": objects,
        "application/x-ndjson": lines,
        "text/csv": sheets
    })
}

/// The document of the API, and in it that of the pages, which is not served.
fn whole_document(server: &Server, private: bool) -> Value {
    let mut whole = server.get("/openapi.json").json();
    let pages = quipu_http::document_of_pages(private);
    for place in ["/paths", "/components/schemas", "/components/responses"] {
        let more = pages.pointer(place).and_then(Value::as_object).cloned().unwrap_or_default();
        let all = whole.pointer_mut(place).and_then(Value::as_object_mut).expect("the document has it");
        // Parts that both have are the same.
        all.extend(more);
    }
    if !private {
        open_to_all(&mut whole);
    }
    whole
}

/// Leaves the paths with an operation that is open without a token: the private service refuses the others without one too.
fn open_to_all(document: &mut Value) {
    let is_open = |operation: &Value| {
        let ways = operation["security"].as_array();
        ways.is_none_or(|ways| ways.is_empty() || ways.contains(&json!({})))
    };
    let paths = document["paths"].as_object_mut().expect("the document has it");
    paths.retain(|_, path| path.as_object().is_some_and(|operations| operations.values().any(is_open)));
}

/// Calls a service, with a token if it is private.
fn call(folder: &Path, server: &Server, private: bool, how: &[String]) -> Output {
    let mut command = Command::new(folder.join("bin/st"));
    // It finds what belongs to it where it stands, and leaves nothing there.
    command.current_dir(own("")).env("PYTHONDONTWRITEBYTECODE", "1").env("HYPOTHESIS_STORAGE_DIRECTORY", folder);
    command.env("QUIPU_RECORDS", folder.join("records.json")).env_remove("QUIPU_TOKEN");
    if private {
        command.env("QUIPU_TOKEN", server.token(Scope::Admin));
    }
    // From its address the route of the document itself would be left out.
    let document = folder.join(if private { "private.json" } else { "public.json" });
    fs::write(&document, whole_document(server, private).to_string()).expect("it can be written");
    command.arg("run").arg(document).args(["--url", &format!("http://{}", server.address()), "--no-color"]);
    command.args(how).output().expect("it was installed")
}
