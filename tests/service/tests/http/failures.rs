//! Responses when the archive fails, when time is up, and when the service stops.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Write},
    net::TcpStream,
    path::Path,
    thread,
    time::Duration,
};

use quipu_archive::store::Store;
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report;
use quipu_tests_service::{
    engine::{Held, spoil},
    files_only,
    generator::Generator,
    server::{Ask, Response, Server},
};
use rusqlite::Connection;
use serde_json::json;

use crate::submit::{NDJSON, TEXT, game};

/// Checks that the response is a problem whose detail has these words, in Spanish and in English.
#[track_caller]
fn check(ask: impl Fn() -> Ask, (status, code): (u16, &str), [es, en]: [&str; 2]) {
    for (lang, word) in [("es", es), ("en", en)] {
        let response = ask().header("Accept-Language", lang).send();
        let problem = response.problem(status, code);
        assert!(problem["detail"].as_str().expect("a text").contains(word), "{problem}");
        let again = response.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0);
        assert_eq!(again, status == 503, "{code}: whether it helps to ask again");
    }
}

/// The folder of the archive of a service.
fn folder(server: &Server) -> &Path {
    server.store.path().parent().expect("a folder")
}

#[test]
fn a_damaged_archive() {
    let server = Server::start();
    server.keep(game("Ana", "Beto").as_bytes());
    spoil(folder(&server), "DROP TABLE card");
    check(|| server.ask("GET", "/v1/records"), (500, "api.archive"), ["dañado", "damaged"]);
    // Requests that do not need the damaged part succeed.
    assert_eq!(server.get("/v1/players").json()["items"].as_array().map(Vec::len), Some(2));
    // But nobody is sent here any more until somebody has looked at it.
    check(|| server.ask("GET", "/readyz"), (500, "api.archive"), ["dañado", "damaged"]);
    assert_eq!(server.get("/healthz").status, 200);
}

/// The disk returns other bytes than were written.
#[test]
fn an_archive_of_garbage() {
    files_only!("it changes bytes of the file");
    // With or without the first page, which says what file it is.
    for from in [0, 4_096] {
        let written = Written::new();
        let path = written.server.store.path();
        let other = Connection::open(path).expect("a file");
        other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("nobody reads");
        drop(other);
        let mut file = File::options().write(true).open(path).expect("it is there");
        let length = file.metadata().expect("a file").len();
        file.seek(SeekFrom::Start(from)).expect("it is long enough");
        let mut random = fastrand::Rng::with_seed(from);
        file.write_all(&(from..length).map(|_| random.u8(..)).collect::<Vec<_>>()).expect("it is written");
        for path in ["/v1/records", "/v1/players", "/v1/log", "/v1/rankings?game=andes", "/v1/records?q=ana"] {
            let status = written.server.get(path).status;
            assert!(matches!(status, 200 | 500), "{path}: {status}");
        }
        let status = written.submit("Nadie").status;
        assert!(matches!(status, 201 | 500), "{status}");
        written.server.get("/readyz").problem(500, "api.archive");
        assert_eq!(written.server.get("/healthz").status, 200);
    }
}

/// A file of SQLite that says that programs of today may read it and not write.
#[test]
fn an_archive_that_cannot_be_written() {
    files_only!("it changes the header of the file");
    let server = Server::start();
    server.keep(game("Ana", "Beto").as_bytes());
    let token = server.token(Scope::RecordsWrite);
    let server = server.restart_after(|path| {
        let mut file = File::options().write(true).open(path).expect("it is there");
        file.seek(SeekFrom::Start(18)).expect("it is long enough");
        file.write_all(&[3]).expect("it is written");
    });
    let submit = || server.ask("POST", "/v1/records").token(&token).body(TEXT, game("Ana", "Carla"));
    assert_eq!(server.get("/readyz").status, 200, "nothing has failed yet");
    check(submit, (503, "api.read-only"), ["escribir", "written"]);
    check(|| server.ask("GET", "/readyz"), (503, "api.read-only"), ["escribir", "written"]);
    assert_eq!(server.get("/v1/records").json()["items"].as_array().map(Vec::len), Some(1));
}

/// A service with a client that submits records.
struct Written {
    server: Server,
    token: String,
}

impl Written {
    fn new() -> Self {
        let server = Server::start();
        let token = server.token(Scope::RecordsWrite);
        let written = Self { server, token };
        assert_eq!(written.submit("Ana").status, 201);
        assert_eq!(written.server.get("/v1/records").status, 200);
        written
    }

    fn submit(&self, name: &str) -> Response {
        self.server.ask("POST", "/v1/records").token(&self.token).body(TEXT, game(name, "Beto")).send()
    }

    /// Checks that nothing is stored, and that the service is not ready until it can be.
    #[track_caller]
    fn stores_nothing(&self, status: u16, code: &str) {
        self.submit("Nadie").problem(status, code);
        self.server.get("/readyz").problem(status, code);
        assert_eq!(self.server.get("/healthz").status, 200);
    }

    /// Checks that the service works as before, with so many records.
    #[track_caller]
    fn goes_on(&self, records: u64) {
        assert_eq!(self.server.get("/readyz").status, 200);
        assert_eq!(self.submit("Carla").status, 201);
        let checked = self.server.store.check(|_| (), |fault| panic!("{fault:?}")).expect("it can be checked");
        assert_eq!(checked.records, records + 1);
    }
}

/// A write to a file that no longer has a name is lost with it: it must not be acknowledged.
#[cfg(unix)]
#[test]
fn an_archive_that_was_moved_away() {
    files_only!("it moves the file");
    let written = Written::new();
    let path = written.server.store.path().to_owned();
    let away = path.with_extension("away");
    fs::rename(&path, &away).expect("it is moved");
    written.stores_nothing(500, "api.archive");
    // Nor to another that has its name now.
    fs::copy(&away, &path).expect("it is copied");
    written.stores_nothing(500, "api.archive");
    fs::rename(&away, &path).expect("it is moved back");
    written.goes_on(1);
}

/// Others hold the file for longer than is waited for.
#[test]
fn an_archive_that_is_locked() {
    let written = Written::new();
    let held = Held::new(folder(&written.server));
    assert_eq!(written.server.get("/readyz").status, 200, "nothing has failed yet");
    written.submit("Nadie").problem(503, "api.busy");
    assert_eq!(written.server.get("/v1/records").json()["items"].as_array().map(Vec::len), Some(1));
    written.server.get("/readyz").problem(503, "api.busy");
    drop(held);
    // Pending readiness probes hold up nothing.
    thread::sleep(Duration::from_millis(100));
    written.goes_on(1);
}

/// Damage that shows in the middle of a long answer.
#[test]
fn an_answer_that_meets_damage_on_its_way() {
    files_only!("it changes bytes of the file");
    let server = Server::start();
    let generator = Generator::new();
    let records: String = (0..4_000).map(|number| generator.record(number) + "\n").collect();
    server.keep(records.as_bytes());
    let path = server.store.path();
    let other = Connection::open(path).expect("a file");
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("nobody reads");
    // The last records, with what was stored beside them. Where records begin nothing is touched.
    let last = generator.record(3_900);
    let moves = &last.trim_end().as_bytes()[last.trim_end().len() - 60..];
    let mut bytes = fs::read(path).expect("a file");
    let from = bytes.windows(moves.len()).rposition(|found| found == moves).expect("it is in the file") / 8_192 * 8_192;
    bytes[from..from + 8 * 8_192].fill(0xa5);
    File::options().write(true).open(path).and_then(|mut file| file.write_all(&bytes)).expect("it is written");
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.write_all(b"GET /v1/export HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\n\r\n").expect("it is sent");
    let mut response = Vec::new();
    drop(stream.read_to_end(&mut response));
    assert!(response.starts_with(b"HTTP/1.1 200") && response.len() > 100_000, "it began well: {}", response.len());
    assert!(!response.ends_with(b"0\r\n\r\n"), "it was broken off");
    check(|| server.ask("GET", "/readyz"), (500, "api.archive"), ["dañado", "damaged"]);
}

/// The file shrinks while it is served, and with it what SQLite believes to be in it.
#[cfg(unix)]
#[test]
fn an_archive_that_shrinks() {
    files_only!("it cuts the file");
    let written = Written::new();
    let path = written.server.store.path();
    // Most of it is in the file and not in its log, and what is asked for has been read before.
    let other = Connection::open(path).expect("a file");
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("nobody reads");
    assert_eq!((written.submit("Berta").status, written.server.get("/v1/players").status), (201, 200));
    let file = File::options().write(true).open(path).expect("it is there");
    assert!(file.metadata().expect("a file").len() > 100_000);
    for length in [100_000, 8_192, 100, 0] {
        file.set_len(length).expect("it is cut");
        // The program lives, and says what it cannot do any more.
        for path in ["/v1/records", "/v1/players", "/v1/log", "/v1/rankings?game=andes"] {
            let status = written.server.get(path).status;
            assert!(matches!(status, 200 | 500), "{path}: {status}");
        }
        let status = written.submit("Nadie").status;
        assert!(matches!(status, 201 | 500), "{length}: {status}");
        assert_eq!(written.server.get("/healthz").status, 200);
    }
    written.server.get("/readyz").problem(500, "api.archive");
}

#[test]
fn a_question_that_takes_too_long() {
    files_only!("the limit on a server is a time, and here one of steps is meant");
    let server = Server::with(Settings { query_timeout: Duration::ZERO, ..Settings::default() });
    let generator = Generator::new();
    let records: String = (0..12_000).map(|number| generator.record(number) + "\n").collect();
    server.keep(records.as_bytes());
    check(|| server.ask("GET", "/v1/records?q=torneo&round=none"), (503, "api.slow"), ["La consulta", "The query"]);
    // The connection that was interrupted is as good as before.
    assert_eq!(server.get("/v1/records?limit=1").status, 200);
}

/// Somebody else is writing to the file for a long time.
#[test]
fn an_answer_that_takes_too_long() {
    let server = Server::with(Settings { request_timeout: Duration::from_millis(500), ..Settings::default() });
    let id = report::hex(&server.keep(game("Ana", "Beto").as_bytes())[0]);
    let token = server.token(Scope::EventsAdmin);
    let held = Held::new(folder(&server));
    let path = format!("/v1/records/{id}/retractions");
    let retract = || server.ask("POST", &path).token(&token).json(&json!({ "reason": "Repetida" }));
    check(retract, (503, "api.slow"), ["se hayan guardado", "may have been stored"]);
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
fn accepted_requests_are_finished_when_the_service_stops() {
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
    // Connections that were not read before are not accepted.
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
    let response = open.rest();
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("\"summary\""), "{response}");
    assert_eq!(response.matches("\"outcome\":\"new\"").count(), 3, "{response}");
    let path = server.store.path().parent().expect("a folder").to_owned();
    server.stop();
    let stored = Store::open_existing(&path)
        .and_then(|store| store.read(|reading| reading.changes(0, 10).map(|all| all.items.len())));
    assert_eq!(stored.expect("it answers"), 3);
}
