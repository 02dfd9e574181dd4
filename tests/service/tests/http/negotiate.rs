//! Content negotiation and headers: languages, compression, HEAD, `ETag`, CORS, request ids.

use quipu_options::{Scope, settings::Settings};
use quipu_referee::report::hex;
use quipu_tests_service::{bytes, sample_archive::sample_archive, server::Server};
use serde_json::json;

use super::{routes::operations, submit::game};

/// Headers of requests that a preflight allows.
const ALLOWED: &str = "Accept, Accept-Language, Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-Match, \
                       If-None-Match, Last-Event-ID, Quipu-After-Change, X-Request-Id";

#[test]
fn problems_are_in_the_language_of_the_reader() {
    let server = Server::start();
    let problem = |languages: &str| {
        let response = server.ask("GET", "/v1/records?nothing=1").header("Accept-Language", languages).send();
        (response.header("content-language").to_owned(), response.problem(400, "api.parameter"))
    };
    let (es, spanish) = problem("qu, es-PE");
    let (en, english) = problem("en-GB, es;q=0.5");
    assert_eq!((&*es, &*en), ("es", "en"));
    assert!(spanish["detail"].as_str().expect("a text").starts_with("Esta ruta no tiene el parámetro"), "{spanish}");
    assert!(english["detail"].as_str().expect("a text").starts_with("This route has no parameter"), "{english}");
    assert_eq!(server.get("/v1/records?nothing=1").header("content-language"), "es");
    assert_eq!(server.get("/v1/records?nothing=1").header("vary"), "Accept, Accept-Language, Accept-Encoding");
}

#[test]
fn a_head_response_has_no_body() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    let listed = operations(&server).into_iter().filter(|operation| operation.method == "GET");
    for path in listed.map(|operation| operation.path.replace(&"0".repeat(64), &id)) {
        if path.starts_with("/v1/feed") {
            assert_eq!(server.ask("HEAD", &path).send().status, 200);
            continue;
        }
        let (head, get) = (server.ask("HEAD", &path).send(), server.get(&path));
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        for name in ["content-type", "etag", "cache-control", "content-language", "link"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
        let compressed = server.ask("HEAD", &path).header("Accept-Encoding", "gzip").send();
        assert_ne!(compressed.header("content-length"), "0", "{path}");
        if !head.header("content-length").is_empty() && !path.starts_with("/metrics") {
            assert_eq!(head.header("content-length"), get.body.len().to_string(), "{path}");
        }
    }
}

#[test]
fn long_responses_are_compressed_for_clients_that_accept_it() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    for path in ["/openapi.json", "/docs", "/v1/records", "/v1/export", &*format!("/v1/records/{id}")] {
        let plain = server.get(path);
        let compressed = server.ask("GET", path).header("Accept-Encoding", "gzip").send();
        assert_eq!((plain.header("content-encoding"), compressed.header("content-encoding")), ("", "gzip"), "{path}");
        assert!(compressed.body.starts_with(&[0x1f, 0x8b]) && compressed.body.len() < plain.body.len(), "{path}");
        let tag = plain.header("etag").trim_end_matches('"');
        if !tag.is_empty() {
            assert_eq!(compressed.header("etag"), format!("{tag}-gzip\""), "{path}");
            for (coding, tag) in [("gzip", compressed.header("etag")), ("identity", plain.header("etag"))] {
                let again = server.ask("GET", path).header("Accept-Encoding", coding).header("If-None-Match", tag);
                let again = again.send();
                assert_eq!((again.status, again.header("etag"), again.body.len()), (304, tag, 0), "{path}");
            }
        }
        let refused = server.ask("GET", path).header("Accept-Encoding", "gzip;q=0, br").send();
        assert_eq!(refused.header("content-encoding"), "", "{path}");
    }
    let twice = server.ask("POST", "/v1/verify").header("Content-Encoding", "identity");
    twice.header("Content-Encoding", "gzip").body("text/plain", "x").send().problem(415, "api.media");
    let short = server.ask("GET", "/healthz").header("Accept-Encoding", "gzip").send();
    assert_eq!(short.header("content-encoding"), "");
}

#[test]
fn responses_with_an_etag_are_not_sent_twice() {
    let (server, ids) = sample_archive(Settings::default());
    let (id, token) = (ids.last().expect("a record"), server.token(Scope::Admin));
    let get = |path: &str| server.ask("GET", path).token(&token);
    let webhook = server.ask("POST", "/v1/webhooks").token(&token);
    let webhook = webhook.json(&json!({ "url": "https://receiver.example/" })).send().json();
    let webhook = webhook["id"].as_str().expect("an id");
    let mut tagged = 0;
    for operation in operations(&server).iter().filter(|operation| operation.is_get()) {
        let contents = operation.said["responses"]["200"]["content"].as_object().expect("contents");
        if contents.contains_key("text/event-stream") {
            assert!(operation.said["responses"]["304"].is_null(), "{}", operation.path);
            continue;
        }
        let own = operation.path.replace(&"0".repeat(64), id).replace("abcdefgh", webhook);
        let paths = (1..9).map(|number| own.replacen("/1", &format!("/{number}"), 1));
        let paths: Vec<_> = paths.chain([operation.path.replace("andes", "querni")]).collect();
        let found = paths.iter().map(|path| (path, get(path).send())).find(|(_, response)| response.status == 200);
        let (path, response) = found.unwrap_or_else(|| panic!("{}: no answer is 200", operation.path));
        let tag = response.header("etag").to_owned();
        assert_eq!(tag.is_empty(), operation.said["responses"]["304"].is_null(), "{path}: {tag}");
        if tag.is_empty() {
            continue;
        }
        tagged += 1;
        // Another language is another response, even if its bytes are the same.
        assert_ne!(get(path).header("Accept-Language", "en").send().header("etag"), tag, "{path}");
        for sent in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let again = get(path).header("If-None-Match", &sent).send();
            assert_eq!((again.status, again.header("etag")), (304, &*tag), "{path} {sent}");
        }
    }
    assert!(tagged > 50, "{tagged}");
}

/// Scripts of any site may use the API, also to write: a token is theirs, and no browser adds one by itself. They may not send
/// the forms of pages.
#[test]
fn scripts_of_any_site_may_use_the_api() {
    let server = Server::start();
    let from_elsewhere = |method: &str, path: &str| server.ask(method, path).header("Origin", "https://example.org");
    for operation in operations(&server) {
        let ask = from_elsewhere("OPTIONS", &operation.path);
        let response = ask.header("Access-Control-Request-Method", &operation.method).send();
        assert_eq!(response.status, 204, "{}", operation.path);
        let is_api = operation.path.starts_with("/v1/") || operation.path.starts_with("/openapi.json");
        let (methods, headers) = if is_api { (response.header("allow"), ALLOWED) } else { ("", "") };
        assert_eq!(response.header("access-control-allow-methods"), methods, "{}", operation.path);
        assert_eq!(response.header("access-control-allow-headers"), headers, "{}", operation.path);
        let origin = if is_api { "*" } else { "" };
        assert_eq!(response.header("access-control-allow-origin"), origin, "{}", operation.path);
        assert_eq!(response.header("access-control-allow-credentials"), "", "{}", operation.path);
    }
    for (method, path) in [("PATCH", "/v1/records"), ("POST", "/check"), ("GET", "/")] {
        let response = from_elsewhere("OPTIONS", path).header("Access-Control-Request-Method", method).send();
        assert_eq!(response.header("access-control-allow-methods"), "", "{method} {path}");
    }
    let token = server.token(Scope::RecordsWrite);
    let stored = from_elsewhere("POST", "/v1/records").token(&token).body("text/plain", game("Ana", "Beto")).send();
    assert_eq!((stored.status, stored.header("access-control-allow-origin")), (201, "*"));
    let exposed = stored.header("access-control-expose-headers").to_owned();
    for operation in operations(&server) {
        let responses = operation.said["responses"].as_object().expect("responses").values();
        for name in responses.filter_map(|response| response["headers"].as_object()).flat_map(|headers| headers.keys())
        {
            assert!(exposed.split(", ").any(|known| known == name), "{name} is not in {exposed}");
        }
    }
    // The reason of a refusal is readable too.
    let refused = from_elsewhere("POST", "/v1/records").body("text/plain", "x").send();
    refused.problem(401, "api.token");
    assert_eq!(refused.header("access-control-allow-origin"), "*");
    let page = from_elsewhere("GET", "/check").header("Accept", "text/html").send();
    assert_eq!((page.status, page.header("access-control-allow-origin")), (200, ""));
    let response = server.ask("GET", "/v1/records").header("Origin", "https://example.org").send();
    assert_eq!(response.header("access-control-allow-origin"), "*");
    assert!(response.header("access-control-expose-headers").contains("ETag"));
    assert_eq!(response.header("access-control-allow-credentials"), "");
    let verified = server.ask("POST", "/v1/verify").body("text/plain", bytes("andes/cup.quipu")).send();
    assert_eq!((verified.status, verified.header("access-control-allow-origin")), (200, "*"));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ] {
        assert_eq!(response.header(name), value);
    }
}

#[test]
fn a_request_has_an_id() {
    let server = Server::start();
    let given = server.ask("GET", "/healthz").header("X-Request-Id", "mesa-7").send();
    assert_eq!(given.header("x-request-id"), "mesa-7");
    let [one, other] = [(); 2].map(|()| server.get("/healthz").header("x-request-id").to_owned());
    assert!(!one.is_empty() && one != other, "{one} {other}");
    let strange = server.ask("GET", "/healthz").header("X-Request-Id", &"x".repeat(1_000)).send();
    assert!(strange.header("x-request-id").len() < 1_000);
}

#[test]
fn a_response_shows_the_change_that_the_client_names() {
    let server = Server::start();
    server.keep(&*bytes("andes/cup.quipu"));
    let list = |after: &str| server.ask("GET", "/v1/records?limit=1").header("Quipu-After-Change", after).send();
    let stored = list("0").json()["items"][0]["change"].as_i64().expect("a number");
    // It is there, or has not come yet.
    for after in [stored, stored + 1] {
        assert_eq!(list(&after.to_string()).json()["items"][0]["change"], stored);
    }
    for after in ["", "-1", "x", "9007199254740992"] {
        list(after).problem(400, "api.parameter");
    }
}
