//! Scheduling under overload: submissions before pictures, a share for every client.

use std::{
    cell::Cell,
    io::{Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use quipu_archive::{
    model::Id,
    store::{StoreError, TokenRefusal},
};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::server::{Response, Server};
use ureq::{Body, http};

use super::submit::{NDJSON, TEXT, game};

const DEFAULT_WIDTH: u64 = 480;

/// A game that goes on for so many plies.
fn long(plies: usize) -> String {
    let moves = ["d3-c3", "d1-c1", "c3-d3", "c1-d1"].iter().cycle().take(plies);
    format!("[Game \"brandubh\"]\n\n{} *\n", moves.copied().collect::<Vec<_>>().join(" "))
}

/// A record with a comment of so many bytes.
fn large(number: usize, bytes: usize) -> String {
    game("Ana", &number.to_string()).replace("\n\n", &format!("\n\n{{{}}}", "x".repeat(bytes)))
}

fn last_change(server: &Server) -> i64 {
    server.store.read(|reading| -> Result<_, StoreError> { reading.last_change() }).expect("it can be read")
}

/// True if a condition comes true within a minute, which only a hang exceeds.
fn soon(mut is_true: impl FnMut() -> bool) -> bool {
    (0..3_000).any(|_| {
        thread::sleep(Duration::from_millis(20));
        is_true()
    })
}

/// Costly requests without a token leave submissions their permits: every submission is accepted.
#[track_caller]
fn check_submissions_beside(ask: impl Fn(&Server, &Id, usize) -> Response + Sync) {
    let settings = Settings {
        max_work: 1,
        query_timeout: Duration::from_millis(500),
        address_rate: 60_000_000,
        ..Settings::default()
    };
    let server = Server::with(settings);
    let token = server.token(Scope::RecordsWrite);
    let id = server.keep(long(150).as_bytes())[0];
    let (over, begun) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        for client in 0..12 {
            let (server, over, begun, ask) = (&server, &over, &begun, &ask);
            scope.spawn(move || {
                let mut number = 0;
                while !over.load(Ordering::Relaxed) {
                    let response = ask(server, &id, 1000 * client + number);
                    assert!(matches!(response.status, 200 | 503), "{}", response.status);
                    begun.fetch_or(response.status == 503, Ordering::Relaxed);
                    number += 1;
                }
            });
        }
        let (mut statuses, full) = (Vec::new(), soon(|| begun.load(Ordering::Relaxed)));
        for number in 0..20 {
            let record = game("Ana", &number.to_string());
            statuses.push(server.ask("POST", "/v1/records").token(&token).body(TEXT, record).send().status);
        }
        over.store(true, Ordering::Relaxed);
        assert!(full, "it is more than can be done");
        assert_eq!(statuses, [201; 20]);
    });
}

#[test]
fn pictures_keep_no_submission_waiting() {
    check_submissions_beside(|server, id, number| {
        server.get(&format!("/v1/records/{}/replay.gif?size=800&title={number}", hex(id)))
    });
}

#[test]
fn judging_for_anybody_keeps_no_submission_waiting() {
    let body = long(10).repeat(4000);
    check_submissions_beside(move |server, _, _| server.ask("POST", "/v1/verify").body(TEXT, body.clone()).send());
}

/// Checks the quota left after a request, from so many at the beginning.
#[track_caller]
fn check_cost(rate: u32, ask: impl FnOnce(&Server, &str) -> Response, cost: u64) {
    let server = Server::with(Settings { address_rate: rate, ..Settings::default() });
    let id = hex(&server.keep(long(30).as_bytes())[0]);
    let response = ask(&server, &id);
    assert_eq!(response.status, 200);
    let left = response.header("ratelimit").rsplit('=').next().and_then(|left| left.parse::<u64>().ok());
    // A moment gives some back.
    let least = u64::from(rate) - cost;
    assert!(left.is_some_and(|left| (least..least + 3).contains(&left)), "{left:?} of {least}");
}

#[test]
fn expensive_requests_count_more() {
    let frames = 31;
    check_cost(100, |server, id| server.get(&format!("/v1/records/{id}/positions/7.svg")), 1);
    check_cost(100, |server, id| server.get(&format!("/v1/records/{id}/positions/7.png?size=1024")), 1 + 4);
    check_cost(
        100,
        |server, id| server.get(&format!("/v1/records/{id}/replay.gif")),
        1 + frames * DEFAULT_WIDTH * DEFAULT_WIDTH / (512 * 512),
    );
    check_cost(100, |server, id| server.get(&format!("/v1/records/{id}/replay.html")), 1);
    let body = format!("{}{}", " ".repeat(3 * 64 * 1024), long(4));
    let verify = |server: &Server| server.ask("POST", "/v1/verify").body(TEXT, body.clone()).send();
    check_cost(100, |server, _| verify(server), 1 + 3);
    check_cost(
        100,
        |server, _| server.ask("POST", "/check").header("Accept", "text/html").body(TEXT, body.clone()).send(),
        1 + 3,
    );
    // Nothing costs more than there is.
    check_cost(3, |server, _| verify(server), 3);
}

#[test]
fn requests_beyond_the_remaining_quota_are_refused() {
    let server = Server::with(Settings { address_rate: 20, ..Settings::default() });
    let picture = |title: &str| server.get(&format!("/v1/positions.png?game=andes&size=2048&title={title}"));
    assert_eq!(picture("one").status, 200);
    let refused = picture("other");
    refused.problem(429, "api.rate");
    // The first took 17 of 20 and this one 1, and three seconds give one back.
    let left = refused.header("ratelimit").rsplit('=').next().and_then(|left| left.parse::<u32>().ok());
    assert!(left.is_some_and(|left| (2..16).contains(&left)), "{left:?}");
    // Submissions with a token are not counted by bytes.
    let server = Server::with(Settings { token_rate: 2, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let body = " ".repeat(200_000) + &game("Ana", "Beto");
    assert!(matches!(server.ask("POST", "/v1/records").token(&token).body(TEXT, body).send().status, 200 | 201));
    assert_eq!(server.ask("GET", "/v1/records").token(&token).send().status, 200);
}

/// Behind a proxy, so that this machine can be many.
fn shared(settings: Settings) -> Server {
    Server::with(Settings { trust_proxy: true, ..settings })
}

fn listen(server: &Server, address: &str) -> http::Response<Body> {
    server.ask("GET", "/v1/feed").header("X-Forwarded-For", address).open()
}

#[test]
fn one_client_has_a_share_of_the_listeners() {
    let server = shared(Settings { max_listeners: 8, ..Settings::default() });
    let mut held: Vec<_> =
        ["10.0.0.1", "10.0.0.1", "2001:db8::1", "2001:db8::2"].map(|one| listen(&server, one)).into();
    assert!(held.iter().all(|one| one.status() == 200));
    for address in ["10.0.0.1", "2001:db8::3"] {
        let response = server.ask("GET", "/v1/feed").header("X-Forwarded-For", address).send();
        let problem = response.problem(503, "api.busy");
        assert!(problem["detail"].as_str().expect("a text").contains('2'), "{problem}");
    }
    // A token is a client, whatever address it comes from; this machine is not told apart.
    let token = server.token(Scope::RecordsWrite);
    let with_token = || {
        let ask = server.ask("GET", "/v1/feed").header("X-Forwarded-For", "10.0.0.1").token(&token);
        ask.open()
    };
    held.extend([with_token(), with_token()]);
    assert_eq!(with_token().status(), 503);
    held.extend(["127.0.0.1", "127.0.0.1"].map(|one| listen(&server, one)));
    assert!(held.iter().all(|one| one.status() == 200));
    assert_eq!(listen(&server, "10.0.0.9").status(), 503, "all are held");
    held.remove(0);
    assert!(soon(|| listen(&server, "10.0.0.9").status() == 200));
}

/// A long answer to a body that does not end.
fn begin_stream(server: &Server, address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n";
    write!(stream, "{head}Accept: application/x-ndjson\r\nX-Forwarded-For: {address}\r\n\r\n1\r\n \r\n")
        .expect("it reads");
    stream
}

/// The path of an export without records that was not asked for before: a response that is cached takes no slot.
fn fresh_export(since: &Cell<usize>) -> String {
    since.set(since.get() + 1);
    format!("/v1/export?since={}", 1_000 + since.get())
}

#[test]
fn one_client_has_a_share_of_the_streams() {
    let server = shared(Settings { max_streams: 16, ..Settings::default() });
    let since = Cell::new(0);
    let export = |address: &str| {
        let path = fresh_export(&since);
        server.ask("GET", &path).header("X-Forwarded-For", address).send().status
    };
    let held = [(); 2].map(|()| begin_stream(&server, "10.0.0.1"));
    assert!(soon(|| export("10.0.0.1") == 503), "two of the eight that are for clients without a token");
    assert_eq!(export("10.0.0.2"), 200);
    drop(held);
    assert!(soon(|| export("10.0.0.1") == 200));
}

#[test]
fn a_bulk_upload_ends_when_its_token_is_revoked() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("it can be set");
    let head = "POST /v1/records HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\nContent-Type: text/plain\r\n";
    write!(stream, "{head}Accept: {NDJSON}\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\n\r\n")
        .expect("it reads");
    let mut send = |numbers: std::ops::Range<usize>| {
        let records: String = numbers.map(|number| game("Ana", &number.to_string())).collect();
        write!(stream, "{:x}\r\n{records}\r\n", records.len())
    };
    send(0..1500).expect("it reads");
    assert!(soon(|| last_change(&server) > 500), "what came is stored");
    let id = token.split('_').nth(1).expect("an id").to_owned();
    let revoked = server.store.write(move |writing| -> Result<_, TokenRefusal> {
        writing.revoke(&id)?;
        Ok(writing.last_change()?)
    });
    let last = revoked.wait().expect("it is revoked");
    // Nobody need read what comes now.
    drop(send(1500..4000));
    drop(write!(stream, "0\r\n\r\n"));
    let mut response = Vec::new();
    drop(stream.read_to_end(&mut response));
    assert_eq!(last_change(&server), last, "nothing is stored from then on");
    assert!(String::from_utf8_lossy(&response).contains("api.token"));
}

#[test]
fn reading_ends_when_its_token_is_revoked() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    let records: String = (0..200).map(|number| large(number, 60_000)).collect();
    server.keep(records.as_bytes());
    let token = server.token(Scope::RecordsWrite);
    let response = server.ask("GET", "/v1/export").header("Accept", TEXT).token(&token).open();
    assert_eq!(response.status(), 200);
    let id = token.split('_').nth(1).expect("an id").to_owned();
    server.store.write(move |writing| writing.revoke(&id)).wait().expect("it is revoked");
    let mut got = Vec::new();
    let read = response.into_body().into_reader().read_to_end(&mut got);
    assert!(read.is_err() && got.len() < 6_000_000, "{}", got.len());
}

/// Asks for a good answer, and reads only its beginning.
fn open_answer(server: &Server, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: quipu\r\nAccept: */*\r\nConnection: close\r\n\r\n").expect("it reads");
    let mut status = [0; 12];
    stream.read_exact(&mut status).expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 200", "{path}");
    stream
}

/// Reads the rest of an answer at a steady pace, and says how long it is.
fn read_slowly(mut stream: TcpStream, bytes: usize, pause: Duration) -> usize {
    let (mut part, mut length) = (vec![0; bytes], 0);
    loop {
        thread::sleep(pause);
        match stream.read(&mut part) {
            Ok(0) => return length,
            Ok(read) => length += read,
            Err(_) => return 0,
        }
    }
}

/// A client that takes what comes at a steady pace gets all of it, however long that takes; 160 KiB within the time are
/// enough. One that takes nothing is let go.
#[test]
fn slow_readers_get_all_and_idle_ones_are_let_go() {
    let server = Server::with(Settings {
        request_timeout: Duration::from_secs(2),
        query_timeout: Duration::from_secs(2),
        max_streams: 4,
        ..Settings::default()
    });
    let id = hex(&server.keep(large(1000, 6_000_000).as_bytes())[0]);
    let records: String = (0..100).map(|number| large(number, 60_000)).collect();
    server.keep(records.as_bytes());
    let source = format!("/v1/records/{id}/source");
    thread::scope(|scope| {
        let slowly = |stream| scope.spawn(move || read_slowly(stream, 32 << 10, Duration::from_millis(80)));
        let sized = slowly(open_answer(&server, &source));
        // Both are open before anybody else asks for a slot.
        let export = slowly(open_answer(&server, "/v1/export?since=1"));
        let _idle = open_answer(&server, "/v1/export");
        let since = Cell::new(0);
        let probe = || server.ask("GET", &fresh_export(&since)).header("Accept-Language", "en").send();
        let problem = probe().problem(503, "api.busy");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains("long responses to clients without a token at once: at most 2"), "{problem}");
        assert!(soon(|| probe().status == 200), "and one of them is given back");
        assert!(export.join().expect("no panic") > 6_000_000);
        assert!(sized.join().expect("no panic") > 6_000_000);
    });
}
