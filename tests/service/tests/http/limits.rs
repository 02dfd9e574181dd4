//! Limits, each with its clear answer.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{engine, server::Server};

use crate::submit::{TEXT, game};

#[test]
fn too_many_requests_of_an_address() {
    let server = Server::with(Settings { address_rate: 3, ..Settings::default() });
    for left in [2, 1, 0] {
        let response = server.get("/v1/games");
        assert_eq!((response.status, response.header("ratelimit")), (200, &*format!("\"address\";r={left}")));
        assert_eq!(response.header("ratelimit-policy"), "\"address\";q=3;w=60");
    }
    let response = server.get("/v1/games");
    let problem = response.problem(429, "api.rate");
    assert!(problem["detail"].as_str().expect("a text").contains('3'), "{problem}");
    assert!((1..=21).contains(&response.header("retry-after").parse().expect("seconds")), "{problem}");
    // Probes are never rate limited.
    for path in ["/healthz", "/readyz"] {
        assert_eq!((server.get(path).status, server.get(path).header("ratelimit")), (200, ""));
    }
    // An unknown address counts too; and each token has its own limit.
    server.get("/nothing").problem(429, "api.rate");
    let token = server.token(Scope::RecordsWrite);
    assert_eq!(server.ask("GET", "/v1/records").token(&token).send().status, 200);
    // A token that does not hold opens no other count.
    let stranger = "quipu_abcdefgh_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    server.ask("GET", "/v1/records").token(stranger).send().problem(429, "api.rate");
}

#[test]
fn too_many_requests_with_a_token() {
    let server = Server::with(Settings { token_rate: 2, ..Settings::default() });
    let [one, other] = [(); 2].map(|()| server.token(Scope::RecordsWrite));
    let ask = |token: &str| server.ask("GET", "/v1/records").token(token).send();
    assert_eq!([ask(&one).status, ask(&one).status], [200, 200]);
    ask(&one).problem(429, "api.rate");
    assert_eq!(ask(&other).status, 200);
    assert_eq!(server.get("/v1/records").status, 200);
}

#[test]
fn behind_a_proxy_clients_are_told_apart() {
    let limited = Settings { address_rate: 1, trust_proxy: true, ..Settings::default() };
    let server = Server::with(limited.clone());
    let from = |server: &Server, address: &str| {
        server.ask("GET", "/v1/games").header("X-Forwarded-For", address).send().status
    };
    assert_eq!(from(&server, "10.0.0.1"), 200);
    assert_eq!(from(&server, "10.0.0.2"), 200);
    assert_eq!(from(&server, "10.0.0.1"), 429);
    assert_eq!(from(&server, "10.0.0.3, 10.0.0.1"), 429);
    let alone = Server::with(Settings { trust_proxy: false, ..limited });
    assert_eq!([from(&alone, "10.0.0.1"), from(&alone, "10.0.0.2")], [200, 429]);
}

#[test]
fn a_body_that_is_too_large() {
    let server = Server::with(Settings { max_body: 1_000, ..Settings::default() });
    let token = server.token(Scope::Admin);
    for path in ["/v1/verify", "/v1/records"] {
        let response = server.ask("POST", path).token(&token).body("text/plain", vec![b' '; 1_001]).send();
        let problem = response.problem(413, "api.too-large");
        assert!(problem["detail"].as_str().expect("a text").contains("1000"), "{problem}");
    }
}

#[test]
fn too_many_connections() {
    let server = Server::with(Settings { max_connections: 2, ..Settings::default() });
    let open = || {
        let mut stream = TcpStream::connect(server.address()).expect("it listens");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: quipu\r\n\r\n").expect("it is read");
        let mut begin = [0; 12];
        std::io::Read::read_exact(&mut stream, &mut begin).expect("an answer");
        (stream, String::from_utf8_lossy(&begin).into_owned())
    };
    let (first, one) = open();
    let (second, two) = open();
    assert_eq!([&*one, &*two], ["HTTP/1.1 200"; 2]);
    let response = server.get("/healthz");
    response.problem(503, "api.busy");
    assert_eq!((response.header("retry-after"), response.header("connection")), ("1", "close"));
    drop((first, second));
    let again = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        server.get("/healthz").status == 200
    });
    assert!(again, "who has gone makes room");
}

/// Bodies that are held as a whole are counted by their bytes, of all requests together.
#[test]
fn too_many_bodies_at_once() {
    let room = Settings { max_body: 10_000, max_bodies: 10_000, ..Settings::default() };
    let server = Server::with(room);
    let (first, second) = (game("Ana", &"B".repeat(6_000)), game("Ana", &"C".repeat(6_000)));
    let (begin, end) = first.split_at(6_000);
    let mut open = TcpStream::connect(server.address()).expect("it listens");
    open.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
    let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\nContent-Type: text/plain\r\n";
    write!(open, "{head}Content-Length: {}\r\n\r\n{begin}", first.len()).expect("it reads");
    let verify = || server.ask("POST", "/v1/verify").body(TEXT, second.clone()).send();
    let refused = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        Some(verify()).filter(|response| response.status != 200)
    });
    let refused = refused.expect("there is no room for both");
    refused.problem(503, "api.busy");
    assert_eq!(refused.header("retry-after"), "1");
    // A body that is judged as it comes is not held.
    let lines = server.ask("POST", "/v1/verify").header("Accept", "application/x-ndjson").body(TEXT, second.clone());
    assert_eq!(lines.send().lines().len(), 2);
    open.write_all(end.as_bytes()).expect("it reads");
    let mut response = String::new();
    open.read_to_string(&mut response).expect("UTF-8");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert_eq!(verify().status, 200, "who has gone makes room");
}

/// A body of unknown length reserves memory as it grows, and returns it for its response.
#[test]
fn a_body_and_its_answer_share_the_room() {
    let server = Server::with(Settings { max_body: 10_000, max_bodies: 10_000, ..Settings::default() });
    let text = game("Ana", &"B".repeat(6_000));
    let mut open = TcpStream::connect(server.address()).expect("it listens");
    open.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
    let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\nContent-Type: text/plain\r\n";
    write!(open, "{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{text}\r\n0\r\n\r\n", text.len()).expect("it reads");
    let mut response = String::new();
    open.read_to_string(&mut response).expect("UTF-8");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
}

/// A body that leaves no memory for its response is refused, and the message promises nothing.
#[test]
fn a_body_and_its_answer_that_are_too_large_together() {
    let server = Server::with(Settings { max_body: 10_000, max_bodies: 10_000, ..Settings::default() });
    let verify = |body: String| server.ask("POST", "/v1/verify").body(TEXT, body).send();
    let text = game("Ana", "Beto");
    let blank = 10_000 - text.len();
    verify(" ".repeat(blank) + &text).problem(413, "api.too-large");
    assert_eq!(verify(" ".repeat(blank / 2) + &text).status, 200);
}

/// A body of many records takes its room until the last of them is stored.
#[test]
fn a_body_that_is_being_stored_takes_room() {
    let server = Server::with(Settings { max_body: 4 << 20, max_bodies: 4 << 20, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    // A server stores fewer in the time that a client waits.
    let count = if engine::is_server() { 2_000 } else { 10_000 };
    let body: String = (0..count).map(|number| game("Ana", &number.to_string())).collect();
    let half = " ".repeat((4 << 20) - body.len()) + "*";
    let verify = || server.ask("POST", "/v1/verify").body(TEXT, half.clone()).send();
    assert_eq!(verify().status, 200);
    let response = server.ask("POST", "/v1/records").token(&token).body(TEXT, body).open();
    assert_eq!(response.status().as_u16(), 200);
    verify().problem(503, "api.busy");
    let mut lines = String::new();
    response.into_body().into_reader().read_to_string(&mut lines).expect("UTF-8");
    assert!(lines.ends_with("}}\n") && lines.lines().count() == count + 1, "{}", lines.len());
    assert_eq!(verify().status, 200, "what was taken is given back");
}

/// Compressed bodies that are on their way leave half of the room to others.
#[test]
fn compressed_bodies_do_not_take_all_room() {
    let server = Server::with(Settings { max_body: 100_000, max_bodies: 200_000, ..Settings::default() });
    let mut compressed = GzEncoder::new(Vec::new(), Compression::none());
    compressed.write_all(&vec![b' '; 90_000]).expect("memory does not fail");
    let compressed = compressed.finish().expect("memory does not fail");
    let begin = || {
        let mut open = TcpStream::connect(server.address()).expect("it listens");
        let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n";
        write!(open, "{head}Content-Length: {}\r\n\r\n", compressed.len()).expect("it reads");
        open.write_all(&compressed[..compressed.len() - 4]).expect("it reads");
        open
    };
    let open = begin();
    let verify = |length: usize| server.ask("POST", "/v1/verify").body(TEXT, " ".repeat(length) + "*").send().status;
    let again = |compressed: &[u8]| {
        let ask = server.ask("POST", "/v1/verify").header("Content-Encoding", "gzip").body(TEXT, compressed.to_vec());
        ask.send().status
    };
    let busy = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        again(&compressed) == 503
    });
    assert!(busy, "there is no room for both");
    assert_eq!(verify(80_000), 200);
    drop(open);
    let free = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        again(&compressed) != 503
    });
    assert!(free, "who has gone makes room");
}

/// A byte now and then is not enough, though each comes in time.
/// Compression can say nothing in very many bytes, which would be waited for as long as they come.
#[test]
fn a_compressed_body_that_says_nothing() {
    let server = Server::with(Settings { max_body: 10_000, ..Settings::default() });
    // In pieces, so that nobody knows before how much it is.
    let status = |compressed: &[u8]| {
        let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: text/plain\r\nConnection: close\r\n";
        let mut stream = TcpStream::connect(server.address()).expect("it listens");
        let mut send = |bytes: &[u8]| stream.write_all(bytes);
        send(format!("{head}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes())
            .expect("it is sent");
        // A client that is refused already need not read it all.
        for piece in compressed.chunks(1_000) {
            drop(send(&[format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()));
        }
        drop(send(b"0\r\n\r\n"));
        let mut response = Vec::new();
        drop(stream.read_to_end(&mut response));
        String::from_utf8_lossy(&response).split_whitespace().nth(1).map(str::to_owned)
    };
    // Blocks of no bytes, and now and then one with a blank.
    let saying = |blanks: usize| {
        let mut compressed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
        for _ in 0..blanks {
            compressed.extend([0, 0, 0, 0xff, 0xff].repeat(50));
            compressed.extend([0, 1, 0, 0xfe, 0xff, b' ']);
        }
        compressed
    };
    assert_eq!(status(&saying(200)).as_deref(), Some("413"));
    // Compression that does not pay is no reason to refuse anything.
    let mut stored = GzEncoder::new(Vec::new(), Compression::none());
    stored.write_all((" ".repeat(9_999) + "*").as_bytes()).expect("memory does not fail");
    let stored = stored.finish().expect("memory does not fail");
    assert!(stored.len() > 10_000);
    assert_eq!(status(&stored).as_deref(), Some("200"));
}

#[test]
fn a_body_that_drips_is_given_up() {
    let server = Server::with(Settings { request_timeout: Duration::from_millis(500), ..Settings::default() });
    for accept in ["application/json", "application/x-ndjson"] {
        let mut open = TcpStream::connect(server.address()).expect("it listens");
        open.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
        let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n";
        write!(open, "{head}Accept: {accept}\r\n\r\n").expect("it reads");
        let mut dripping = open.try_clone().expect("a second hold of it");
        let drips = std::thread::spawn(move || {
            (0..100)
                .take_while(|_| {
                    std::thread::sleep(Duration::from_millis(100));
                    dripping.write_all(b" ").is_ok()
                })
                .count()
        });
        let mut response = String::new();
        drop(open.read_to_string(&mut response));
        assert!(response.starts_with("HTTP/1.1 408") && response.contains("api.timeout"), "{response}");
        assert!(drips.join().expect("no panic") < 100);
    }
}

/// A small body can come to a large answer, which takes room too.
#[test]
fn an_answer_that_is_too_large() {
    let server = Server::with(Settings { max_body: 50_000, max_bodies: 100_000, ..Settings::default() });
    let shuffle = ["g4-g3", "d5-e5", "g3-g4", "e5-d5"].map(|token| format!("9.{token} ")).concat();
    let record = |times: usize| format!("[Game \"brandubh\"]\n[Rules \"nielsen\"]\n\n{}*\n", shuffle.repeat(times));
    let verify = |times| server.ask("POST", "/v1/verify").body(TEXT, record(times));
    assert_eq!(verify(10).send().status, 200);
    let problem = verify(1_000).send().problem(413, "api.too-large");
    assert!(problem["detail"].as_str().expect("a text").contains("100000"), "{problem}");
    // Verdict by verdict it is given.
    let lines = verify(1_000).header("Accept", "application/x-ndjson").send().lines();
    assert!(lines[0]["diagnostics"].as_array().is_some_and(|all| all.len() > 1_000));
    assert_eq!(verify(10).send().status, 200, "what was taken is given back");
}

/// The head has a time limit of its own. Nobody knows yet in which language to say so.
#[test]
fn a_slow_head_is_given_up() {
    let server = Server::with(Settings { header_timeout: Duration::from_secs(1), ..Settings::default() });
    let mut open = TcpStream::connect(server.address()).expect("it listens");
    open.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
    open.write_all(b"GET /healthz HTTP/1.1\r\nHost:").expect("it reads");
    let mut response = String::new();
    open.read_to_string(&mut response).expect("UTF-8");
    assert!(response.starts_with("HTTP/1.1 408"), "{response}");
}

/// A body that nobody read, since the request was refused before, ends the connection, whatever its length is said to be.
#[test]
fn an_unread_response_ends_the_connection() {
    let server = Server::with(Settings { max_body: 100_000, ..Settings::default() });
    let token = format!("Authorization: Bearer {}", server.token(Scope::Admin));
    let chunk = ["ffff\r\n", &" ".repeat(0xffff), "\r\n"].concat();
    let ways: [(&str, &[&str], u32, &str); 4] = [
        ("/v1/records", &["Content-Type: text/plain"], 90_000, "401"),
        ("/v1/verify", &["Content-Type: text/html"], 90_000, "415"),
        ("/nothing", &[], 90_000, "404"),
        ("/v1/records", &[&token, "Content-Type: text/plain"], 1_000_000, "413"),
    ];
    for (path, headers, length, status) in ways {
        for length in [&*format!("Content-Length: {length}"), "Transfer-Encoding: chunked"] {
            let mut open = TcpStream::connect(server.address()).expect("it listens");
            open.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be set");
            let headers: String = headers.iter().chain([&length]).map(|header| format!("{header}\r\n")).collect();
            write!(open, "POST {path} HTTP/1.1\r\nHost: quipu\r\n{headers}\r\n").expect("it reads");
            // A client that goes on sending meets a closed connection sooner or later, and still receives the response.
            let sent = (0..3).map_while(|_| open.write_all(chunk.as_bytes()).ok()).count();
            let mut response = Vec::new();
            drop(open.read_to_end(&mut response));
            let response = String::from_utf8_lossy(&response);
            assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{path} {length} {sent}: {response}");
            assert!(response.to_ascii_lowercase().contains("connection: close"), "{path} {length}: {response}");
        }
    }
}
