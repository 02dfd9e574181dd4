//! Limits, each with its clear answer.

use std::{io::Write, net::TcpStream};

use quipu_api::{archive::Scope, settings::Settings};
use quipu_tests::server::Server;

#[test]
fn too_many_requests_of_an_address() {
    let server = Server::with(Settings { address_rate: 3, ..Settings::default() });
    for left in [2, 1, 0] {
        let answer = server.get("/v1/games");
        assert_eq!((answer.status, answer.header("ratelimit")), (200, &*format!("\"address\";r={left}")));
        assert_eq!(answer.header("ratelimit-policy"), "\"address\";q=3;w=60");
    }
    let answer = server.get("/v1/games");
    let problem = answer.problem(429, "api.rate");
    assert!(problem["detail"].as_str().expect("a text").contains('3'), "{problem}");
    assert!((1..=21).contains(&answer.header("retry-after").parse().expect("seconds")), "{problem}");
    // Where there is nothing, too; and a token of one's own has its own limit.
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
        let answer = server.ask("POST", path).token(&token).body("text/plain", vec![b' '; 1_001]).send();
        let problem = answer.problem(413, "api.too-large");
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
    let answer = server.get("/healthz");
    answer.problem(503, "api.busy");
    assert_eq!((answer.header("retry-after"), answer.header("connection")), ("1", "close"));
    drop((first, second));
    let again = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        server.get("/healthz").status == 200
    });
    assert!(again, "who has gone makes room");
}
