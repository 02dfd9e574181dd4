//! Authorization: no token, a wrong one, one of too small a scope, a revoked one; and a private service.

use std::{collections::BTreeSet, io::Read};

use quipu_archive::store::{StoreError, TokenRefusal};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::server::{Response, Server};

use super::{routes::operations, submit::game};

/// Paths that a private service answers to everybody.
const OPEN: [&str; 38] = [
    "/assets/board.js",
    "/assets/check.js",
    "/assets/clock.js",
    "/assets/desk.js",
    "/assets/device.js",
    "/assets/endings.js",
    "/assets/entry.js",
    "/assets/game.js",
    "/assets/icon-192.png",
    "/assets/icon-512.png",
    "/assets/icon.svg",
    "/assets/keep.js",
    "/assets/live.js",
    "/assets/moving.js",
    "/assets/names.js",
    "/assets/organise.js",
    "/assets/score.js",
    "/assets/screen.js",
    "/assets/style.css",
    "/assets/sync.js",
    "/assets/ui.js",
    "/docs",
    "/docs/records",
    "/healthz",
    "/keep/manifest.webmanifest",
    "/keep/worker.js",
    "/openapi.json",
    "/readyz",
    "/rules",
    "/rules/record.syntax",
    "/v1/games",
    "/v1/games/andes/deal",
    "/v1/games/andes/sheet.pdf",
    "/v1/keys",
    "/v1/positions.png",
    "/v1/positions.svg",
    "/v1/rules",
    "/v1/rules/record.syntax",
];
/// Has the form of a token, and is none.
const STRANGER: &str = "quipu_abcdefgh_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// The scope that an operation asks for, if it asks for a certain one.
fn scope(operation: &super::routes::Operation) -> Option<Scope> {
    Scope::parse(operation.said["security"][0]["token"][0].as_str()?)
}

#[track_caller]
fn challenged(response: &Response, more: &str) {
    response.problem(401, "api.token");
    assert_eq!(response.header("www-authenticate"), format!("Bearer realm=\"quipu\"{more}"));
}

#[test]
fn writing_needs_a_token_with_its_scope() {
    let server = Server::start();
    let tokens = Scope::ALL.map(|scope| (scope, server.token(scope)));
    let mut guarded = 0;
    for operation in operations(&server) {
        let Some(needed) = scope(&operation) else { continue };
        guarded += 1;
        operation.declares(401, "api.token");
        operation.declares(401, "api.token-expired");
        operation.declares(403, "api.scope");
        let ask = || server.ask(&operation.method, &operation.path).body("image/png", "x");
        challenged(&ask().send(), "");
        challenged(&ask().token(STRANGER).send(), ", error=\"invalid_token\"");
        challenged(&ask().token("secret").send(), ", error=\"invalid_token\"");
        challenged(&ask().header("Authorization", "Basic cXVpcHU6cXVpcHU=").send(), ", error=\"invalid_token\"");
        for (scope, token) in &tokens {
            let response = ask().token(token).send();
            if scope.allows(needed) {
                // The next gate after this one.
                match &*operation.method {
                    "GET" if operation.params("path").next().is_some() => {
                        drop(response.problem(404, "api.not-found"));
                    }
                    "GET" => assert_eq!(response.status, 200, "{}", operation.path),
                    _ if operation.params("header").any(|param| param["required"] == true) => {
                        drop(response.problem(428, "api.precondition"));
                    }
                    _ if operation.takes_a_body() => drop(response.problem(415, "api.media")),
                    _ => drop(response.problem(404, "api.not-found")),
                }
                continue;
            }
            assert_eq!(response.problem(403, "api.scope")["scope"], needed.as_str());
            let challenge =
                format!("Bearer realm=\"quipu\", error=\"insufficient_scope\", scope=\"{}\"", needed.as_str());
            assert_eq!(response.header("www-authenticate"), challenge);
        }
    }
    assert!(guarded >= 5, "{guarded}");
}

#[test]
fn reading_is_free_unless_the_service_is_private() {
    let (free, private) = (Server::start(), Server::with(Settings { private: true, ..Settings::default() }));
    let token = private.token(Scope::RecordsWrite);
    let free_operations = operations(&free);
    for (operation, in_private) in free_operations.iter().zip(operations(&private)) {
        if operation.method != "GET" || scope(operation).is_some() {
            continue;
        }
        assert!(!operation.needs_token());
        let response = |server: &Server| server.ask("HEAD", &operation.path).send();
        assert_ne!(response(&free).status, 401, "{}", operation.path);
        let locked = in_private.needs_token();
        assert_eq!(response(&private).status == 401, locked, "{}", operation.path);
        assert_ne!(private.ask("HEAD", &operation.path).token(&token).send().status, 401, "{}", operation.path);
        if locked {
            challenged(&private.get(&operation.path), "");
        }
    }
    for path in ["/healthz", "/readyz", "/openapi.json", "/docs", "/v1/games", "/v1/rules"] {
        assert_eq!(private.get(path).status, 200, "{path}");
    }
    for path in ["/metrics", "/v1/records", "/v1/feed", "/v1/export"] {
        challenged(&private.get(path), "");
    }
    // Nothing else is open by an oversight: what the service says of itself and of the rules and what it draws of what it is
    // handed, and no game that it keeps.
    let said = operations(&private);
    let open: BTreeSet<&str> = said
        .iter()
        .filter(|operation| !operation.needs_token())
        .filter_map(|operation| operation.path.split('?').next())
        .collect();
    assert_eq!(open, BTreeSet::from(OPEN));
    // A token that does not hold is said to be wrong where nobody needs one.
    challenged(&free.ask("GET", "/v1/records").token(STRANGER).send(), ", error=\"invalid_token\"");
}

/// Revokes the one token that there is.
fn revoke(server: &Server) {
    let name = server.store.read(|reading| -> Result<_, StoreError> { Ok(reading.tokens()?[0].name.clone()) });
    let name = name.expect("a token");
    let revoked = server.store.write(move |writing| -> Result<_, TokenRefusal> { writing.revoke(&name) });
    revoked.wait().expect("it held");
}

/// A stream ends when its token is revoked.
#[test]
fn a_revoked_token_hears_nothing_more() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let response = server.ask("GET", "/v1/feed").token(&token).open();
    assert_eq!(response.status(), 200);
    let mut feed = response.into_body().into_reader();
    let mut heard = [0; 1_000];
    let mut length = feed.read(&mut heard).expect("a beginning");
    server.keep(game("Ana", "Beto").as_bytes());
    while !heard[..length].ends_with(b"}\n\n") {
        length += feed.read(&mut heard[length..]).expect("what happens");
    }
    revoke(&server);
    server.keep(game("Carla", "Dora").as_bytes());
    let mut rest = String::new();
    feed.read_to_string(&mut rest).expect("it comes to its end");
    assert!(!rest.contains("Carla"), "{rest}");
}

#[test]
fn a_revoked_token_holds_no_longer() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    let token = server.token(Scope::Admin);
    let ask = || server.ask("GET", "/v1/records").token(&token).send();
    assert_eq!(ask().status, 200);
    revoke(&server);
    challenged(&ask(), ", error=\"invalid_token\"");
    let server = server.restart();
    challenged(&server.ask("GET", "/v1/records").token(&token).send(), ", error=\"invalid_token\"");
}
