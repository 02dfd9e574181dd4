//! Answers that are ready are what they would be if they were made anew. A request with a token bypasses the cache, and
//! so gives the expected response.

use quipu_options::Scope;
use quipu_tests_service::{
    bytes,
    server::{Response, Server},
};

use crate::players::{game, merge};

/// Headers that differ from request to request, or from client to client.
const OWN: [&str; 4] = ["date", "x-request-id", "ratelimit", "ratelimit-policy"];

/// All of an answer that must be the same.
fn of_all(response: &Response) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let headers = response.headers().filter(|(name, _)| !OWN.contains(name));
    let mut headers: Vec<_> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    headers.sort();
    (response.status, headers, response.body.clone())
}

/// Checks that a repeated request gets the same response without a token as with one.
#[track_caller]
fn check(server: &Server, token: &str, method: &str, path: &str, header: (&str, &str)) {
    let ask = || server.ask(method, path).header(header.0, header.1);
    let right = of_all(&ask().token(token).send());
    // A problem has the id of its request in it.
    if right.0 >= 400 {
        return;
    }
    for turn in 0..3 {
        let response = ask().send();
        assert_eq!(of_all(&response), right, "{method} {path} {header:?}, time {turn}");
        assert_eq!(response.header("x-request-id").len(), 16, "{path}");
        assert!(response.header("ratelimit").starts_with("\"address\";r="), "{path}");
    }
}

#[test]
fn repeated_requests_have_the_same_response() {
    let server = Server::start();
    let ids = server.keep(&*bytes("andes/cup.quipu"));
    let token = server.token(Scope::RecordsWrite);
    let record = format!("/v1/records/{}", quipu_referee::report::hex(&ids[0]));
    let paths = [
        record.clone(),
        format!("{record}/verdict"),
        format!("{record}/source"),
        "/v1/rankings?game=andes".to_owned(),
        "/v1/rankings?game=andes&limit=2".to_owned(),
        "/v1/players/1".to_owned(),
        "/v1/players".to_owned(),
        "/v1/records?limit=3".to_owned(),
        "/v1/events/1/standings".to_owned(),
        "/records".to_owned(),
    ];
    for path in &paths {
        let tag = server.get(path).header("etag").to_owned();
        for header in [
            ("Accept", "*/*"),
            ("Accept", "text/plain"),
            ("Accept", "text/csv, */*;q=0.5"),
            ("Accept-Language", "en"),
            ("Accept-Encoding", "gzip"),
            ("If-None-Match", &*tag),
            ("If-None-Match", "\"other\""),
        ] {
            if !header.1.is_empty() {
                check(&server, &token, "GET", path, header);
                check(&server, &token, "HEAD", path, header);
            }
        }
    }
}

#[test]
fn changed_responses_are_not_taken_from_the_cache() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    server.keep(game("Ana", "Bo", "").as_bytes());
    let paths = ["/v1/rankings?game=andes", "/v1/records", "/v1/players", "/v1/players/1", "/v1/changes", "/players/1"];
    let ask = || paths.map(|path| [server.get(path), server.get(path)].map(|response| response.body)[1].clone());
    let mut before = ask();
    let deeds: [(&dyn Fn(), bool); 2] = [
        (
            &|| {
                server.keep(game("Ana", "Carla", "").as_bytes());
            },
            true,
        ),
        (
            &|| {
                merge(&server, "Carla", "Bo");
            },
            false,
        ),
    ];
    for (deed, all) in deeds {
        deed();
        let after = ask();
        for ((path, before), after) in paths.iter().zip(&before).zip(&after) {
            let right = server.ask("GET", path).token(&token).send().body;
            assert!(*after == right, "{path}");
            assert!(!all || after != before, "{path}");
        }
        before = after;
    }
}
