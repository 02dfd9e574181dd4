//! Submissions: the responses to one record and to many, and the archive afterwards.
//!
//! Verdicts are tested elsewhere; the archive has its own tests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::{Barrier, mpsc},
    thread,
    time::Duration,
};

use quipu_archive::{
    model::{Attribution, Id, RecordState},
    store::{Refusal, Store, StoreError},
};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::{
    server::{Ask, Response, Server},
    text,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const TEXT: &str = "text/plain";
pub(crate) const JSON: &str = "application/json";
pub(crate) const NDJSON: &str = "application/x-ndjson";
pub(crate) const CSV: &str = "text/csv";
pub(crate) const BYTES: &str = "application/octet-stream";

/// A game that goes on.
pub(crate) const OPEN: &str = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result \"*\"]\n\n1. 0d3\n*\n";
/// A game whose second ply is refused.
pub(crate) const BAD: &str = "[Game \"andes\"]\n[Result \"*\"]\n\n1. 0d3 2A1\n*\n";
/// A text that is no record.
pub(crate) const UNREADABLE: &str = "[Game \"andes\"]\n\n1. 0d3 {open\n*\n";

/// A game that Sol wins.
pub(crate) fn game(sol: &str, luna: &str) -> String {
    format!("[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n")
}

/// The same in other forms, each with its media type.
pub(crate) fn in_other_forms(sol: &str, luna: &str) -> Vec<(&'static str, String)> {
    let tags = json!({ "Sol": sol, "Luna": luna, "Result": "1-0" });
    let object = json!({ "game": "andes", "tags": tags, "moves": ["0a1", "0D0", "0b0", "0D0C"], "result": "1-0" });
    let sheet = format!("#Game: andes\n#Sol: {sol}\n#Luna: {luna}\n#Result: 1-0\nn,sol,luna\n1,0a1,0D0\n2,0b0,0D0C\n");
    vec![
        (JSON, object.to_string()),
        (JSON, format!("[{object}]")),
        (TEXT, object.to_string()),
        (BYTES, object.to_string()),
        (CSV, sheet.clone()),
        (TEXT, sheet),
        (TEXT, format!("\u{feff}\r\n{}", game(sol, luna).replace('\n', "\r\n"))),
        (BYTES, game(sol, luna)),
    ]
}

fn post(server: &Server, token: &str, path: &str) -> Ask {
    server.ask("POST", path).token(token).header("Accept-Language", "en")
}

/// Submits a text.
fn submit(server: &Server, token: &str, record: &str) -> Response {
    post(server, token, "/v1/records").body(TEXT, record).send()
}

fn keep(server: &Server, token: &str, record: &str) -> Response {
    post(server, token, "/v1/records?keep=refused").body(TEXT, record).send()
}

pub(crate) fn id_of(text: &Value) -> Id {
    let text = text.as_str().expect("an id");
    let byte = |at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hexadecimal");
    std::array::from_fn(byte)
}

/// Number and state of a record in the archive.
pub(crate) fn find(server: &Server, id: &Value) -> Option<(i64, RecordState)> {
    let id = id_of(id);
    server.store.read(|reading| -> Result<_, StoreError> { reading.find(&id) }).expect("the archive answers")
}

/// The number of changes.
pub(crate) fn changes(server: &Server) -> i64 {
    server.store.read(|reading| -> Result<_, StoreError> { reading.last_change() }).expect("the archive answers")
}

fn retract(store: &Store, id: Id) {
    let by = Attribution { submitter: "test".to_owned(), author: None, reason: None };
    store.write(move |writing| -> Result<i64, Refusal> { writing.retract(&id, &by) }).wait().expect("it stands");
}

/// A new record is 201, with where it is and what is known of it.
#[track_caller]
fn check_new(response: &Response, change: i64) -> Value {
    assert_eq!(response.status, 201, "{}", response.text());
    let stored = response.json();
    let id = stored["id"].as_str().expect("an id");
    assert_eq!(response.header("location"), format!("/v1/records/{id}"));
    assert_eq!(response.header("content-language"), "en");
    assert_eq!(response.header("idempotency-replayed"), "");
    assert_eq!(stored["change"], change);
    assert_eq!([&stored["status"], &stored["state"]], ["verified", "current"]);
    assert_eq!(stored["verdict"]["id"], stored["id"]);
    assert_eq!(stored["verdict"]["status"], "verified");
    assert_eq!(stored["verdict"]["index"], 1);
    stored
}

#[test]
fn a_record_is_stored_once_in_whatever_form_it_comes() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let first = check_new(&submit(&server, &token, &game("Ana", "Beto")), 1);
    assert_eq!(find(&server, &first["id"]), Some((1, RecordState::Current)));
    for (media, record) in in_other_forms("Ana", "Beto") {
        let again = post(&server, &token, "/v1/records").body(media, record.clone()).send();
        assert_eq!(again.status, 200, "{media}: {record}: {}", again.text());
        assert_eq!(again.header("location"), format!("/v1/records/{}", first["id"].as_str().expect("an id")));
        assert_eq!(again.json(), first, "{media}: {record}");
    }
    assert_eq!(changes(&server), 1);
    // By another hand it would have been the same.
    for (other, (media, record)) in (2..).zip(in_other_forms("Ana", "Carla")) {
        let server = Server::start();
        let token = server.token(Scope::Admin);
        let stored = check_new(&post(&server, &token, "/v1/records").body(media, record).send(), 1);
        let text = check_new(&submit(&server, &token, &game("Ana", &format!("Beto {other}"))), 2);
        assert_ne!(stored["id"], text["id"]);
        assert_eq!(submit(&server, &token, &game("Ana", "Carla")).json()["id"], stored["id"]);
    }
}

#[test]
fn the_form_is_told_or_found() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let otg = text("brandubh/replay.otg");
    let stored = check_new(&post(&server, &token, "/v1/records").body(TEXT, otg.clone()).send(), 1);
    let again = post(&server, &token, "/v1/records?from=otg").body(JSON, otg).send();
    assert_eq!(again.json(), stored, "what is asked for counts for more than the media type");
    let again = submit(&server, &token, &text("brandubh/replay.quipu"));
    assert_eq!(again.json()["id"], stored["id"]);
    // Told wrong it is no record.
    let told = post(&server, &token, "/v1/records?from=csv").body(TEXT, game("Ana", "Beto")).send();
    assert_eq!(told.problem(422, told_code(&told))["verdict"]["status"], "rejected", "its lines are tags in two cells");
    post(&server, &token, "/v1/records?from=sgf").body(TEXT, game("Ana", "Beto")).send().problem(400, "api.parameter");
    assert_eq!(changes(&server), 1);
}

/// The code that a problem has, of which only the beginning is of interest.
fn told_code(response: &Response) -> &'static str {
    let problem: Value = serde_json::from_slice(&response.body).expect("JSON");
    let code = problem["code"].as_str().expect("a code");
    assert!(code.starts_with("record."), "{problem}");
    quipu_referee::codes::find(code).expect("a code of the referee").id
}

#[test]
fn a_retracted_record_submitted_again_says_so() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let first = check_new(&submit(&server, &token, &game("Ana", "Beto")), 1);
    retract(&server.store, id_of(&first["id"]));
    let again = submit(&server, &token, &game("Ana", "Beto"));
    assert_eq!(again.status, 200);
    assert_eq!([&again.json()["state"], &again.json()["status"]], ["retracted", "verified"]);
    assert_eq!(again.json()["change"], 1);
}

/// A record that is not verified is 422 with this code, is not stored, and is stored if that is asked for.
#[track_caller]
fn check_refused(record: &str, code: &str, status: &str, details: [&str; 2]) {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    for (lang, detail) in ["es", "en"].into_iter().zip(details) {
        let ask = server.ask("POST", "/v1/records").token(&token).header("Accept-Language", lang);
        let response = ask.body(TEXT, record).send();
        let problem = response.problem(422, code);
        assert_eq!(response.header("content-language"), lang);
        assert_eq!(response.header("location"), "");
        assert!(problem["detail"].as_str().expect("a text").contains(detail), "{problem}");
        assert_eq!(problem["verdict"]["status"], status);
        assert_eq!(problem["stored"], false);
        assert!(problem.get("id").is_none() && problem["right"].is_string(), "{problem}");
    }
    assert_eq!(changes(&server), 0);
    let kept = keep(&server, &token, record);
    let problem = kept.problem(422, code);
    assert_eq!(problem["stored"], true);
    assert_eq!(kept.header("location"), format!("/v1/records/{}", problem["id"].as_str().expect("an id")));
    assert_eq!([&problem["change"], &problem["state"]], [&json!(1), &json!("current")]);
    assert_eq!(find(&server, &problem["id"]), Some((1, RecordState::Current)));
    // It is there from now on, whether it is to be kept or not.
    for again in [submit(&server, &token, record), keep(&server, &token, record)] {
        let again = again.problem(422, code);
        for member in ["stored", "id", "change", "state", "verdict"] {
            assert_eq!(again[member], problem[member], "{member}");
        }
    }
    assert_eq!(changes(&server), 1);
}

#[test]
fn a_record_that_is_not_verified_is_refused_and_kept_only_if_asked() {
    check_refused(BAD, "andes.3.6", "rejected", ["A1", "A1"]);
    check_refused(OPEN, "api.incomplete", "incomplete", ["jugada 1", "ply 1"]);
    check_refused(UNREADABLE, "record.syntax", "unreadable", ["", ""]);
    check_refused("[Game \"chess\"]\n\n*\n", "record.game", "rejected", ["chess", "chess"]);
}

#[test]
fn an_unreadable_record_is_found_by_its_bytes() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let problem = keep(&server, &token, UNREADABLE).problem(422, "record.syntax");
    assert_eq!(problem["id"], hex(&Sha256::digest(UNREADABLE.as_bytes())));
    assert_eq!(problem["verdict"]["id"], Value::Null);
}

#[test]
fn of_a_record_that_is_too_large_nothing_is_kept() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let comment = format!("{{{}}}\n", "x".repeat(60_000));
    let large = format!("[Game \"andes\"]\n\n{}*\n", comment.repeat(280));
    let problem = keep(&server, &token, &large).problem(422, "record.limit");
    assert_eq!([&problem["stored"], &problem["verdict"]["status"]], [&json!(false), &json!("unreadable")]);
    let response = keep(&server, &token, &format!("{large}\n{}", game("Ana", "Beto")));
    assert_eq!(outcomes(&response.lines()), ["refused", "new"]);
    assert_eq!(changes(&server), 1);
}

#[test]
fn writing_needs_the_scope() {
    let server = Server::start();
    let ask = |token: Option<&str>| {
        let ask = server.ask("POST", "/v1/records").body(TEXT, game("Ana", "Beto"));
        match token {
            Some(token) => ask.token(token).send(),
            None => ask.send(),
        }
    };
    ask(None).problem(401, "api.token");
    ask(Some("quipu_none")).problem(401, "api.token");
    assert_eq!(ask(Some(&server.token(Scope::EventsAdmin))).problem(403, "api.scope")["scope"], "records:write");
    assert_eq!(changes(&server), 0);
    assert_eq!(ask(Some(&server.token(Scope::Admin))).status, 201);
}

#[test]
fn bodies_that_are_not_taken() {
    let server = Server::with(Settings { max_body: 1_000, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let ask = |path| post(&server, &token, path);
    for (media, body) in [(TEXT, ""), (TEXT, " \n\n"), (JSON, "[]"), (JSON, ""), (NDJSON, "\n\n"), (CSV, "")] {
        let problem = ask("/v1/records").body(media, body).send().problem(400, "api.body");
        assert_eq!(problem["detail"], "The body contains no record.", "{media}: {body}");
    }
    ask("/v1/records").body(TEXT, game(&"x".repeat(1_000), "y")).send().problem(413, "api.too-large");
    ask("/v1/records").body("text/html", game("x", "y")).send().problem(415, "api.media");
    ask("/v1/records").body(TEXT, game("x", "y")).header("Content-Encoding", "br").send().problem(415, "api.media");
    ask("/v1/records").body(TEXT, game("x", "y")).header("Content-Encoding", "gzip").send().problem(400, "api.body");
    ask("/v1/records")
        .body(TEXT, game("x", "y"))
        .header("Accept", "image/png")
        .send()
        .problem(406, "api.not-acceptable");
    ask("/v1/records?keep=all").body(TEXT, game("x", "y")).send().problem(400, "api.parameter");
    ask("/v1/records?kept=refused").body(TEXT, game("x", "y")).send().problem(400, "api.parameter");
    assert_eq!(changes(&server), 0);
}

/// The outcome of each record, from the lines of a response whose last one closes it.
#[track_caller]
fn outcomes(lines: &[Value]) -> Vec<&str> {
    let (last, lines) = lines.split_last().expect("there are lines");
    let mut counts = json!({ "read": lines.len(), "new": 0, "there": 0, "kept": 0, "refused": 0 });
    let mut found = Vec::new();
    for (index, line) in (1..).zip(lines) {
        assert_eq!(line["index"], index);
        let outcome = line["outcome"].as_str().expect("a word");
        counts[outcome] = json!(counts[outcome].as_u64().expect("an outcome that is known") + 1);
        let (stored, verified) = (outcome != "refused", line["status"] == "verified");
        for field in ["id", "change", "state"] {
            assert_eq!(line[field].is_null(), !stored, "{field}: {line}");
        }
        for field in ["code", "verdict"] {
            assert_eq!(line[field].is_null(), verified, "{field}: {line}");
        }
        if !verified {
            assert_eq!([&line["verdict"]["index"], &line["verdict"]["status"]], [&line["index"], &line["status"]]);
        }
        found.push(outcome);
    }
    assert_eq!(*last, json!({ "summary": counts }));
    found
}

#[test]
fn many_records_have_a_line_each() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let there = check_new(&submit(&server, &token, &game("Ana", "Beto")), 1);
    let body = [&game("Ana", "Carla"), BAD, &game("Ana", "Beto"), OPEN, UNREADABLE, &game("Ana", "Carla")].join("\n");
    let response = submit(&server, &token, &body);
    assert_eq!((response.status, response.header("content-language")), (200, "en"));
    let lines = response.lines();
    assert_eq!(outcomes(&lines), ["new", "refused", "there", "refused", "refused", "there"]);
    assert_eq!(lines[2]["id"], there["id"]);
    assert_eq!([&lines[0]["change"], &lines[5]["change"]], [2, 2]);
    let codes: Vec<_> = [1, 3, 4].map(|at: usize| lines[at]["code"].as_str().expect("a code")).to_vec();
    assert_eq!(codes, ["andes.3.6", "api.incomplete", "record.syntax"]);
    let lines = keep(&server, &token, &body).lines();
    assert_eq!(outcomes(&lines), ["there", "kept", "there", "kept", "kept", "there"]);
    assert_eq!(changes(&server), 5);
    let lines = submit(&server, &token, &body).lines();
    assert_eq!(outcomes(&lines), ["there"; 6]);
    // The words of verdicts are in the language that was asked for.
    let spanish = server.ask("POST", "/v1/records").token(&token).body(TEXT, body).send();
    assert_eq!(spanish.header("content-language"), "es");
    let message = |lines: &[Value]| lines[1]["verdict"]["diagnostics"][0]["message"].clone();
    assert_ne!(message(&spanish.lines()), message(&lines));
}

#[test]
fn a_single_record_is_answered_in_lines_where_lines_are_spoken() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let object = &in_other_forms("Ana", "Beto")[0].1;
    let lines = post(&server, &token, "/v1/records").body(NDJSON, format!("{object}\n")).send().lines();
    assert_eq!(outcomes(&lines), ["new"]);
    let ask = post(&server, &token, "/v1/records").header("Accept", NDJSON);
    assert_eq!(outcomes(&ask.body(TEXT, game("Ana", "Beto")).send().lines()), ["there"]);
    let ask = post(&server, &token, "/v1/records").header("Accept", NDJSON);
    ask.body(TEXT, " ").send().problem(400, "api.body");
    // Many are answered in lines in any case.
    let ask = post(&server, &token, "/v1/records").header("Accept", JSON);
    assert_eq!(outcomes(&ask.body(TEXT, game("A", "B") + "\n" + &game("A", "C")).send().lines()), ["new"; 2]);
}

/// So many records, of every kind, and what they come to when they are kept.
fn pile(size: usize) -> (String, Vec<&'static str>) {
    let (mut body, mut expected) = (String::new(), Vec::new());
    for number in 0..size {
        let (record, outcome) = match number % 10 {
            7 => (BAD.replace("[Result", &format!("[Event \"{number}\"]\n[Result")), "kept"),
            8 => (OPEN.replace("Ana", &format!("Ana {number}")), "kept"),
            9 => (game("Ana 0", "Beto 0"), "there"),
            _ => (game(&format!("Ana {number}"), &format!("Beto {number}")), "new"),
        };
        body += &record;
        body.push('\n');
        expected.push(outcome);
    }
    (body, expected)
}

#[test]
fn a_big_pile_is_stored_in_its_order_and_is_there_after_a_restart() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let (body, expected) = pile(3_000);
    let lines = keep(&server, &token, &body).lines();
    assert_eq!(outcomes(&lines), expected);
    // They have their numbers in the order of the body.
    let new = lines.iter().filter(|line| line["outcome"] == "new" || line["outcome"] == "kept");
    let numbers: Vec<_> = new.map(|line| line["change"].as_i64().expect("a number")).collect();
    assert_eq!(numbers, (1..=2_700).collect::<Vec<_>>());
    let server = server.restart();
    assert_eq!(changes(&server), 2_700);
    for line in lines.iter().filter(|line| line["change"].is_number()) {
        assert_eq!(find(&server, &line["id"]).map(|(number, _)| number), line["change"].as_i64());
    }
    assert_eq!(outcomes(&submit(&server, &token, &body).lines()), vec!["there"; 3_000]);
}

#[test]
fn too_many_records_are_stopped_at_the_limit() {
    let server = Server::with(Settings { max_records: 3, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let games: Vec<_> = (0..5).map(|number| game("Ana", &format!("Beto {number}"))).collect();
    assert_eq!(outcomes(&submit(&server, &token, &games[..3].join("\n")).lines()), ["new"; 3]);
    let response = submit(&server, &token, &games[1..].join("\n"));
    let lines = response.lines();
    assert_eq!(lines.len(), 4);
    let outcomes: Vec<_> = lines[..3].iter().map(|line| line["outcome"].as_str().expect("a word")).collect();
    assert_eq!(outcomes, ["there", "there", "new"]);
    assert_eq!([&lines[3]["code"], &lines[3]["status"]], [&json!("api.too-large"), &json!(413)]);
    assert_eq!(lines[3]["request_id"], response.header("x-request-id"));
    assert_eq!(changes(&server), 4);
}

/// A text of very many records that all stand in one block.
#[test]
fn records_that_follow_a_result_count_too() {
    let server = Server::with(Settings { max_records: 100, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let lines = submit(&server, &token, &(game("Ana", "Beto") + &"*\n".repeat(1_000_000))).lines();
    assert_eq!(lines.len(), 101);
    assert_eq!([&lines[0]["outcome"], &lines[1]["outcome"], &lines[100]["code"]], ["new", "refused", "api.too-large"]);
}

/// Sends a request by hand, piece by piece, and reads what comes back.
pub(crate) fn by_hand(server: &Server, path: &str, headers: &[&str], pieces: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
    let head = ["POST ", path, " HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\n"].concat();
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    write!(stream, "{head}{headers}\r\n").expect("it reads");
    for piece in pieces {
        stream.write_all(piece).expect("it reads");
        // It comes by itself.
        thread::sleep(Duration::from_millis(200));
    }
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("it answers");
    String::from_utf8(response).expect("UTF-8")
}

/// A beginning of a gzip stream that holds these bytes as they are, and what breaks it.
pub(crate) fn broken_gzip(bytes: &[u8]) -> [Vec<u8>; 2] {
    let length = u16::try_from(bytes.len()).expect("it fits into a block");
    let header: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 0];
    [[header, &length.to_le_bytes(), &(!length).to_le_bytes(), bytes].concat(), vec![0x07; 100]]
}

#[test]
fn complete_records_are_stored_when_the_body_breaks_off() {
    let server = Server::start();
    let token = format!("Authorization: Bearer {}", server.token(Scope::RecordsWrite));
    let record = |number: u32| format!("{}\n", in_other_forms("Ana", &format!("Beto {number}"))[0].1);
    let [begin, end] =
        broken_gzip((0..3).map(record).chain(["{\"game\": \"and".to_owned()]).collect::<String>().as_bytes());
    let length = format!("Content-Length: {}", begin.len() + end.len());
    let headers = [&*token, "Content-Type: application/x-ndjson", "Content-Encoding: gzip", &length];
    let response = by_hand(&server, "/v1/records", &headers, &[&begin, &end]);
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert_eq!(response.matches("\"outcome\":\"new\"").count(), 3, "{response}");
    assert!(response.contains("\"code\":\"api.body\"") && !response.contains("summary"), "{response}");
    assert_eq!(changes(&server), 3);
}

#[test]
fn a_slow_body_is_given_up() {
    let server = Server::with(Settings { request_timeout: Duration::from_millis(500), ..Settings::default() });
    let token = format!("Authorization: Bearer {}", server.token(Scope::RecordsWrite));
    for media in [TEXT, NDJSON] {
        let headers = [&*token, &format!("Content-Type: {media}"), "Content-Length: 1000"];
        let response = by_hand(&server, "/v1/records", &headers, &[b"{\"game\":"]);
        assert!(response.starts_with("HTTP/1.1 408") && response.contains("\"code\":\"api.timeout\""), "{response}");
    }
}

#[test]
fn an_interrupted_submission_can_be_sent_again() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let (body, expected) = pile(1_000);
    let response = post(&server, &token, "/v1/records").body(TEXT, body.clone()).open();
    let mut first = String::new();
    BufReader::new(response.into_body().into_reader()).read_line(&mut first).expect("a line");
    assert!(first.contains("\"outcome\":\"new\""), "{first}");
    let lines = submit(&server, &token, &body).lines();
    let outcomes = outcomes(&lines);
    assert!(outcomes[0] == "there");
    assert_eq!(outcomes.iter().filter(|one| **one != "refused").count(), 800);
    let new = expected.iter().filter(|one| **one == "new").count();
    assert_eq!(changes(&server), i64::try_from(new).expect("it is small"));
}

/// The responses to so many clients that begin at once.
fn at_once(clients: usize, ask: impl Fn(usize) -> Response + Sync) -> Vec<Response> {
    let (start, ask) = (Barrier::new(clients), &ask);
    thread::scope(|scope| {
        let start = &start;
        let clients = (0..clients).map(|client| {
            scope.spawn(move || {
                start.wait();
                ask(client)
            })
        });
        let clients: Vec<_> = clients.collect();
        clients.into_iter().map(|client| client.join().expect("an answer")).collect()
    })
}

#[test]
fn of_clients_with_the_same_record_at_once_one_is_the_first() {
    let server = Server::start();
    let tokens = [server.token(Scope::RecordsWrite), server.token(Scope::Admin)];
    for round in 0..20 {
        let record = game("Ana", &format!("Beto {round}"));
        let answers = at_once(8, |client| submit(&server, &tokens[client % 2], &record));
        let mut statuses: Vec<_> = answers.iter().map(|response| response.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
        let stored = answers[0].json();
        assert!(answers.iter().all(|response| response.json() == stored));
    }
    assert_eq!(changes(&server), 20);
}

fn keyed(server: &Server, token: &str, key: &str, record: &str) -> Response {
    post(server, token, "/v1/records").header("Idempotency-Key", key).body(TEXT, record).send()
}

/// The answer is one that was given before, to the byte.
#[track_caller]
fn check_replayed(response: &Response, first: &Response) {
    assert_eq!(response.header("idempotency-replayed"), "true", "{}", response.text());
    assert_eq!((response.status, response.text()), (first.status, first.text()));
    for name in ["content-type", "content-language", "location"] {
        assert_eq!(response.header(name), first.header(name), "{name}");
    }
}

#[test]
fn a_key_is_answered_the_same_again() {
    let server = Server::start();
    let (token, other) = (server.token(Scope::RecordsWrite), server.token(Scope::RecordsWrite));
    let record = game("Ana", "Beto");
    let first = keyed(&server, &token, "key 1".replace(' ', "-").as_str(), &record);
    check_new(&first, 1);
    check_replayed(&keyed(&server, &token, "key-1", &record), &first);
    // Without the key it is there already, and with another one too.
    assert_eq!(submit(&server, &token, &record).status, 200);
    let there = keyed(&server, &token, "key-2", &record);
    assert_eq!((there.status, there.header("idempotency-replayed")), (200, ""));
    check_replayed(&keyed(&server, &token, "key-2", &record), &there);
    // The request is compared: the body, its media type, and the query.
    let problem = keyed(&server, &token, "key-1", &game("Ana", "Carla")).problem(422, "api.idempotency");
    assert!(problem["detail"].as_str().expect("a text").contains("key-1"));
    let ask = |path, media| post(&server, &token, path).header("Idempotency-Key", "key-1").body(media, record.clone());
    ask("/v1/records?keep=refused", TEXT).send().problem(422, "api.idempotency");
    ask("/v1/records", BYTES).send().problem(422, "api.idempotency");
    // Keys of another token are others.
    assert_eq!(keyed(&server, &other, "key-1", &game("Ana", "Carla")).status, 201);
    assert_eq!(changes(&server), 2);
    // An answer is remembered when the service is started again, and in the language that it was given in.
    let server = server.restart();
    check_replayed(&keyed(&server, &token, "key-1", &record), &first);
    let spanish = server.ask("POST", "/v1/records").token(&token).header("Accept-Language", "es");
    check_replayed(&spanish.header("Idempotency-Key", "key-1").body(TEXT, record).send(), &first);
}

#[test]
fn a_key_of_what_was_refused_is_still_new_and_of_what_was_kept_is_not() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    keyed(&server, &token, "k", BAD).problem(422, "andes.3.6");
    let again = keyed(&server, &token, "k", BAD);
    again.problem(422, "andes.3.6");
    assert_eq!(again.header("idempotency-replayed"), "");
    check_new(&keyed(&server, &token, "k", &game("Ana", "Beto")), 1);
    let kept = || {
        let ask = post(&server, &token, "/v1/records?keep=refused").header("Idempotency-Key", "kept");
        ask.body(TEXT, BAD).send()
    };
    let first = kept();
    assert_eq!(first.problem(422, "andes.3.6")["stored"], true);
    check_replayed(&kept(), &first);
    assert_eq!(changes(&server), 2);
}

#[test]
fn keys_that_are_not_taken() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    for key in ["", "a b", &"x".repeat(256)] {
        keyed(&server, &token, key, &game("Ana", "Beto")).problem(400, "api.parameter");
    }
    let bearer = format!("Authorization: Bearer {token}");
    for keys in [&["Idempotency-Key: a", "Idempotency-Key: b"][..], &["Idempotency-Key: llave-ñ"]] {
        let body = game("Ana", "Beto");
        let length = format!("Content-Length: {}", body.len());
        let headers = [&[&*bearer, "Content-Type: text/plain", &length], keys].concat();
        let response = by_hand(&server, "/v1/records", &headers, &[body.as_bytes()]);
        assert!(response.starts_with("HTTP/1.1 400") && response.contains("\"code\":\"api.parameter\""), "{response}");
    }
    check_new(&keyed(&server, &token, &"x".repeat(255), &game("Ana", "Beto")), 1);
    // With many records it is not needed.
    let many = game("Ana", "Carla") + "\n" + &game("Ana", "Dora");
    let problem = keyed(&server, &token, "k", &many).problem(400, "api.parameter");
    assert!(problem["detail"].as_str().expect("a text").contains("Idempotency-Key"));
    let ask = post(&server, &token, "/v1/records").header("Idempotency-Key", "k").header("Accept", NDJSON);
    ask.body(TEXT, game("Ana", "Carla")).send().problem(400, "api.parameter");
    assert_eq!(changes(&server), 1);
}

#[test]
fn of_requests_with_the_same_key_at_once_one_is_carried_out() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    for round in 0..10 {
        let (key, record) = (format!("key-{round}"), game("Ana", &format!("Beto {round}")));
        let answers = at_once(8, |_| keyed(&server, &token, &key, &record));
        let first = answers.iter().filter(|response| response.header("idempotency-replayed").is_empty());
        let first: Vec<_> = first.collect();
        assert_eq!(first.len(), 1);
        check_new(first[0], round + 1);
        assert!(answers.iter().all(|response| (response.status, response.text()) == (201, first[0].text())));
        // With other contents at once one is carried out too.
        let key = format!("other-{round}");
        let answers = at_once(2, |client| keyed(&server, &token, &key, &format!("{record}{}", "\n".repeat(client))));
        let mut statuses: Vec<_> = answers.iter().map(|response| response.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422]);
    }
    assert_eq!(changes(&server), 10);
}

#[test]
fn where_too_much_waits_nothing_is_begun() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    // The writer is held up, and all that may wait waits.
    let (tell, begun) = mpsc::channel();
    let (go, going) = mpsc::channel::<()>();
    let hold = server.store.write(move |_| -> Result<(), StoreError> {
        tell.send(()).expect("the test waits for it");
        let _ = going.recv();
        Ok(())
    });
    begun.recv().expect("it begins");
    let waiting: Vec<_> = (0..5_000).map(|_| server.store.write(|_| -> Result<(), StoreError> { Ok(()) })).collect();
    for body in [game("Ana", "Beto"), game("Ana", "Beto") + "\n" + &game("Ana", "Carla")] {
        let response = submit(&server, &token, &body);
        response.problem(503, "api.busy");
        assert!(response.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0));
    }
    drop(go);
    hold.wait().expect("it is let go");
    assert!(waiting.into_iter().filter_map(|one| one.wait().err()).count() > 0, "not all could wait");
    assert_eq!(changes(&server), 0);
    check_new(&submit(&server, &token, &game("Ana", "Beto")), 1);
}
