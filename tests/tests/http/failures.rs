//! What is answered when the archive fails, when time is up, and when the service stops.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use quipu_api::{archive::Scope, settings::Settings, store::Store};
use quipu_referee::report;
use quipu_tests::{
    generated::Generator,
    server::{Ask, Server},
};
use rusqlite::Connection;
use serde_json::json;

use crate::submit::{NDJSON, TEXT, game};

/// That a request is answered with a problem, which says one of these words in each language.
#[track_caller]
fn check(ask: impl Fn() -> Ask, (status, code): (u16, &str), [es, en]: [&str; 2]) {
    for (lang, word) in [("es", es), ("en", en)] {
        let answer = ask().header("Accept-Language", lang).send();
        let problem = answer.problem(status, code);
        assert!(problem["detail"].as_str().expect("a text").contains(word), "{problem}");
        let again = answer.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0);
        assert_eq!(again, status == 503, "{code}: whether it helps to ask again");
    }
}

#[test]
fn a_damaged_archive() {
    let server = Server::start();
    server.keep(game("Ana", "Beto").as_bytes());
    let damaged = Connection::open(server.store.path()).expect("it is SQLite's");
    damaged.execute_batch("DROP TABLE card").expect("it is there");
    check(|| server.ask("GET", "/v1/records"), (500, "api.archive"), ["dañado", "damaged"]);
    // What does not need it goes on.
    assert_eq!(server.get("/v1/players").json()["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.get("/readyz").status, 200);
}

/// A file of SQLite that says that programs of today may read it and not write.
#[test]
fn an_archive_that_cannot_be_written() {
    let server = Server::start();
    server.keep(game("Ana", "Beto").as_bytes());
    let token = server.token(Scope::RecordsWrite);
    let server = server.restart_after(|path| {
        let mut file = File::options().write(true).open(path).expect("it is there");
        file.seek(SeekFrom::Start(18)).expect("it is long enough");
        file.write_all(&[3]).expect("it is written");
    });
    let submit = || server.ask("POST", "/v1/records").token(&token).body(TEXT, game("Ana", "Carla"));
    check(submit, (503, "api.read-only"), ["escribir", "written"]);
    assert_eq!(server.get("/v1/records").json()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_question_that_takes_too_long() {
    let server = Server::with(Settings { query_timeout: Duration::ZERO, ..Settings::default() });
    let generator = Generator::new();
    let records: String = (0..3_000).map(|number| generator.record(number) + "\n").collect();
    server.keep(records.as_bytes());
    check(|| server.ask("GET", "/v1/records?q=torneo&round=none"), (503, "api.slow"), ["La consulta", "The question"]);
    // The connection that was interrupted is as good as before.
    assert_eq!(server.get("/v1/records?limit=1").status, 200);
}

/// Somebody else is writing to the file for a long time.
#[test]
fn an_answer_that_takes_too_long() {
    let server = Server::with(Settings { request_timeout: Duration::from_millis(500), ..Settings::default() });
    let id = report::hex(&server.keep(game("Ana", "Beto").as_bytes())[0]);
    let token = server.token(Scope::EventsAdmin);
    let mut other = Connection::open(server.store.path()).expect("it is SQLite's");
    let held = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).expect("nobody writes");
    let path = format!("/v1/records/{id}/retractions");
    let retract = || server.ask("POST", &path).token(&token).json(&json!({ "reason": "Repetida" }));
    check(retract, (503, "api.slow"), ["puede haberse guardado", "may have been stored"]);
    drop(held);
    // It was stored indeed, once.
    let stored = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(50));
        server.get("/v1/records?state=retracted").json()["items"].as_array().is_some_and(|items| items.len() == 1)
    });
    assert!(stored);
}

/// A connection that a request is written to by hand.
struct Open(BufReader<TcpStream>);

impl Open {
    fn new(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
        Self(BufReader::new(stream))
    }

    fn write(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).expect("it reads");
    }

    /// The first line of the next answer.
    fn status(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("it answers");
        line
    }

    fn rest(mut self) -> String {
        let mut rest = String::new();
        self.0.read_to_string(&mut rest).expect("UTF-8");
        rest
    }
}

#[test]
fn what_was_accepted_is_finished_when_the_service_stops() {
    let mut server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let mut listener = Open::new(&server);
    listener.write("GET /v1/feed HTTP/1.1\r\nHost: quipu\r\n\r\n");
    assert!(listener.status().starts_with("HTTP/1.1 200"));
    let mut open = Open::new(&server);
    let games: Vec<_> = (0..3).map(|number| game("Ana", &format!("Beto {number}")) + "\n").collect();
    let length: usize = games.iter().map(String::len).sum();
    open.write(&format!(
        "POST /v1/records HTTP/1.1\r\nHost: quipu\r\nAuthorization: Bearer {token}\r\nContent-Type: {TEXT}\r\n\
         Accept: {NDJSON}\r\nContent-Length: {length}\r\n\r\n"
    ));
    // What was not read before was not accepted.
    thread::sleep(Duration::from_millis(500));
    server.begin_to_stop();
    drop(listener.rest());
    let refused = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20));
        TcpStream::connect(server.address()).is_err()
    });
    assert!(refused, "nobody new is let in");
    for game in &games {
        open.write(game);
        thread::sleep(Duration::from_millis(50));
    }
    let answer = open.rest();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"summary\""), "{answer}");
    assert_eq!(answer.matches("\"outcome\":\"new\"").count(), 3, "{answer}");
    let path = server.store.path().parent().expect("a folder").to_owned();
    server.stop();
    let stored =
        Store::open_existing(&path).and_then(|store| store.read(|reading| reading.changes(0, 10).map(|all| all.len())));
    assert_eq!(stored.expect("it answers"), 3);
}
