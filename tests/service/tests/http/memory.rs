//! Memory of responses: names of any length, records of any size, and clients that read nothing.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::server::Server;
use serde_json::Value;

use super::submit::{NDJSON, TEXT, game};

/// Bytes of a name that is nearly as long as a tag may be.
const LONG: usize = 60_000;
/// Bytes of a page, at most, each of its items being cut.
const MAX_PAGE: usize = 3 * 256 * 1024;

/// A name of so many characters, each of which JSON writes in six.
fn long_name(number: usize) -> String {
    format!("{number} {}", "\u{1}".repeat(LONG))
}

/// Comments of more than so many bytes together.
fn comments(bytes: usize) -> String {
    format!("{{{}}}\n", "x".repeat(60_000)).repeat(bytes.div_ceil(60_000))
}

/// A record of more than so many bytes.
fn large(bytes: usize) -> String {
    game("Ana", "Beto").replace("\n\n", &format!("\n\n{}", comments(bytes)))
}

/// The first line of a response.
const OK: &[u8] = b"HTTP/1.1 200 OK\r\n";

/// A connection whose response has begun, and of which only the first line is read. The response has its room by then: two
/// that are written at one time can take it from each other.
fn begin_response(server: &Server, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\n\r\n").expect("it is read");
    let mut line = [0; OK.len()];
    stream.read_exact(&mut line).expect("it is answered");
    assert_eq!(line.escape_ascii().to_string(), OK.escape_ascii().to_string());
    stream
}

/// All items of a list, page by page, none of which is too large.
fn walk(server: &Server, path: &str) -> Vec<Value> {
    let (mut items, mut next) = (Vec::new(), format!("{path}limit=200"));
    loop {
        let response = server.get(&next);
        assert_eq!(response.status, 200, "{next}");
        assert!(response.text().len() <= MAX_PAGE, "{next}: {}", response.text().len());
        let page = response.json();
        items.extend(page["items"].as_array().expect("a list").iter().cloned());
        match page["next"].as_str() {
            None => return items,
            Some(cursor) => {
                let name = if path.starts_with("/v1/changes") { "since" } else { "cursor" };
                next = format!("{path}limit=200&{name}={cursor}");
            }
        }
    }
}

#[test]
fn a_page_ends_by_bytes_and_the_list_goes_on() {
    let server = Server::start();
    for number in 0..20 {
        let record = game(&long_name(2 * number), &long_name(2 * number + 1));
        let record = record.replace("\n\n", &format!("\n[Event \"{}\"]\n\n", long_name(number)));
        server.keep(record.as_bytes());
    }
    let records = walk(&server, "/v1/records?");
    assert_eq!(records.len(), 20);
    let name = records[0]["players"][0]["name"].as_str().expect("a name");
    assert_eq!((name.chars().count(), name.ends_with('…')), (256, true));
    assert_eq!(walk(&server, "/v1/players?").len(), 40);
    assert_eq!(walk(&server, "/v1/rankings?game=andes&").len(), 40);
    assert_eq!(walk(&server, "/v1/events?").len(), 20);
    assert_eq!(walk(&server, "/v1/changes?").len(), 20);
    // One page has not all of them.
    assert!(!server.get("/v1/records?limit=200").json()["next"].is_null());
    // A player by itself has the whole name.
    let player = server.get("/v1/players/1").json();
    assert_eq!(player["name"].as_str().expect("a name").chars().count(), LONG + 2);
    for path in ["/records", "/players", "/events", "/rankings?game=andes"] {
        let page = server.ask("GET", path).header("Accept", "text/html").send();
        assert!(page.status == 200 && page.text().len() <= MAX_PAGE, "{path}: {}", page.text().len());
    }
}

/// Players whose names begin alike stay apart in the tables of an event.
#[test]
fn tables_tell_players_with_long_names_apart() {
    let server = Server::start();
    let name = |end: &str| format!("{}{end}", "n".repeat(1_000));
    for (one, two) in [("a", "b"), ("c", "a")] {
        let record = game(&name(one), &name(two)).replace("\n\n", "\n[Event \"Copa\"]\n\n");
        server.keep(record.as_bytes());
    }
    let tables = server.get("/v1/events/1/crosstable").json();
    let players = tables["tables"][0]["players"].as_array().expect("players").clone();
    assert_eq!(players.len(), 3);
    for player in &players {
        assert!(player["name"].as_str().expect("a name").chars().count() < 300);
    }
}

#[test]
fn the_feed_tells_of_everything_in_small_pieces() {
    let server = Server::start();
    for number in 0..20 {
        server.keep(game(&long_name(2 * number), &long_name(2 * number + 1)).as_bytes());
    }
    let feed = server.ask("GET", "/v1/feed?since=0").open().into_body().into_reader();
    let mut lines = BufReader::new(feed).lines();
    let mut ids = Vec::new();
    while ids.len() < 20 {
        let line = lines.next().expect("it goes on").expect("text");
        assert!(line.len() < 20_000, "{}", line.len());
        ids.extend(line.strip_prefix("id: ").and_then(|id| id.parse::<u64>().ok()).filter(|id| *id > 0));
    }
    assert_eq!(ids, (1..=20).collect::<Vec<_>>());
}

/// Large responses wait on the disk for clients that read nothing; where neither memory nor disk is left others are told to
/// come again, and what was begun comes whole.
#[test]
fn responses_that_nobody_reads_are_bounded() {
    let settings = Settings { max_responses: 1 << 20, max_spool: 8 << 20, ..Settings::default() };
    let server = Server::with(settings);
    let id = hex(&server.keep(large(6 << 20).as_bytes())[0]);
    let path = format!("/v1/records/{id}/source");
    let mut first = begin_response(&server, &path);
    let refused = server.get(&path);
    refused.problem(503, "api.busy");
    assert!(!refused.header("retry-after").is_empty());
    assert_eq!(server.get("/v1/records").status, 200, "what is small is answered");
    let mut rest = Vec::new();
    first.read_to_end(&mut rest).expect("it comes");
    assert!(rest.len() > 6 << 20, "{}", rest.len());
    assert_eq!(server.get(&path).status, 200, "its room was given back");
}

#[test]
fn a_large_record_comes_whole_in_every_form() {
    let server = Server::start();
    let id = hex(&server.keep(large(1 << 20).as_bytes())[0]);
    for (path, media) in [
        (format!("/v1/records/{id}"), "application/json"),
        (format!("/v1/records/{id}"), "text/plain"),
        (format!("/v1/records/{id}"), "text/csv"),
        (format!("/v1/records/{id}/source"), "*/*"),
        ("/v1/export".to_owned(), "application/x-ndjson"),
        ("/v1/export".to_owned(), "text/plain"),
    ] {
        for coding in ["identity", "gzip"] {
            let response = server.ask("GET", &path).header("Accept", media).header("Accept-Encoding", coding).send();
            assert_eq!(response.status, 200, "{path} {media}");
            // A scoresheet has no comments, and what is compressed is short.
            let is_long = || response.text().len() > 1 << 20;
            assert!(coding == "gzip" || media == "text/csv" || is_long(), "{path} {media}");
        }
    }
    for rest in ["positions", "verdict", "history", "receipt"] {
        assert_eq!(server.get(&format!("/v1/records/{id}/{rest}")).status, 200, "{rest}");
    }
    assert_eq!(server.ask("GET", &format!("/records/{id}")).header("Accept", "text/html").send().status, 200);
}

/// The response to an unfinished record is buffered, and so counted.
#[test]
fn unfinished_records_are_counted() {
    // On a busy machine it takes many requests until the record has arrived.
    let (address_rate, request_timeout) = (1_000_000, Duration::from_secs(120));
    let small = Settings { max_body: 1 << 20, max_bodies: 1 << 20, ..Settings::default() };
    let server = Server::with(Settings { address_rate, request_timeout, ..small });
    let start = format!("{{\"game\":\"brandubh\",\"comments\":[\"{}", "x".repeat(900_000));
    let connect = || {
        let mut socket = TcpStream::connect(server.address()).expect("it listens");
        let head = format!("POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: {NDJSON}\r\nAccept: {NDJSON}\r\n");
        // A connection that is refused early may be closed before all of it is sent.
        let _ = write!(socket, "{head}Content-Length: 1000000\r\n\r\n{start}");
        socket.set_nonblocking(true).expect("a socket");
        socket
    };
    let verify = |text: &str| server.ask("POST", "/v1/verify").body(TEXT, text.to_owned()).send().status;
    let large = format!("[Game \"brandubh\"]\n\n{}*\n", comments(200_000));
    let soon = |status, before: &mut dyn FnMut()| {
        // At least a minute, which only a hang exceeds.
        (0..3_000).any(|_| {
            before();
            thread::sleep(Duration::from_millis(20));
            verify(&large) == status
        })
    };
    let mut unfinished = connect();
    // Bytes that arrive while a large record is judged may find no room. Then the request is answered, and is sent again.
    let mut ask_again = || {
        if unfinished.peek(&mut [0]).map_err(|error| error.kind()) != Err(ErrorKind::WouldBlock) {
            unfinished = connect();
        }
    };
    assert!(soon(503, &mut ask_again), "it takes all that is open to it");
    assert_eq!(verify(&game("Ana", "Beto")), 200, "an eighth stays free");
    drop(unfinished);
    assert!(soon(200, &mut || {}), "and gives it back");
}

/// All spectators of a game are sent the same bytes, in memory once.
#[test]
fn spectators_share_an_event() {
    let server = Server::with(Settings { max_responses: 4 << 20, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let text = |bytes| format!("[Game \"brandubh\"]\n\n{}*\n", comments(bytes));
    let opened = server.ask("POST", "/v1/live").token(&token).body(TEXT, text(100_000)).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    // Together they would take more than there is.
    let listen = |_| server.ask("GET", "/v1/live/1/feed?since=0").open().into_body().into_reader();
    let mut spectators: Vec<_> = (0..20).map(|number| BufReader::new(listen(number)).lines()).collect();
    let saved = server.ask("PUT", "/v1/live/1").token(&token).header("If-Match", "*").body(TEXT, text(170_000)).send();
    assert_eq!(saved.status, 200, "{}", saved.text());
    for lines in &mut spectators {
        let last = lines.by_ref().map(|line| line.expect("text")).find(|line| line == "id: 2");
        assert!(last.is_some());
        let data = lines.by_ref().map(|line| line.expect("text")).find(|line| line.starts_with("data: "));
        assert!(data.expect("the game").len() > 170_000);
    }
}
