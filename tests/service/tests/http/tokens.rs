//! Tokens over HTTP: made, listed and revoked by an administrator, and expired ones.

use chrono::{DateTime, TimeDelta, Utc};
use quipu_archive::{report::time, store::TokenRefusal};
use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{
    engine::spoil,
    server::{Response, Server},
};
use serde_json::{Value, json};

use super::submit::{TEXT, game};

/// Asks for a token.
fn make(server: &Server, token: &str, body: &Value) -> Response {
    server.ask("POST", "/v1/tokens").token(token).json(body).send()
}

/// All tokens, through all pages.
fn list(server: &Server, token: &str) -> Vec<Value> {
    let (mut items, mut path) = (Vec::new(), "/v1/tokens?limit=2".to_owned());
    loop {
        let response = server.ask("GET", &path).token(token).send();
        assert_eq!(response.header("cache-control"), "no-store");
        let page = response.json();
        items.extend(page["items"].as_array().expect("items").iter().cloned());
        let Some(next) = page["next"].as_str() else { return items };
        path = format!("/v1/tokens?limit=2&cursor={next}");
    }
}

#[test]
fn an_administrator_makes_lists_and_revokes_tokens() {
    let server = Server::start();
    let admin = server.token(Scope::Admin);
    let expires = time(Utc::now() + TimeDelta::days(2));
    let response = make(&server, &admin, &json!({ "name": "Mesa 4", "scopes": ["records:write"], "expires": expires }));
    assert_eq!((response.status, response.header("cache-control")), (201, "no-store"), "{}", response.text());
    let made = response.json();
    let secret = made["token"].as_str().expect("a secret");
    let id = made["id"].as_str().expect("an id");
    assert!(secret.starts_with(&format!("quipu_{id}_")), "{made}");
    assert_eq!(response.header("location"), format!("/v1/tokens/{id}"));
    assert_eq!((&made["name"], &made["scopes"]), (&json!("Mesa 4"), &json!(["records:write"])));
    assert_eq!((&made["expires"], &made["revoked"]), (&json!(expires), &json!(null)));

    let ask = || server.ask("POST", "/v1/records").token(secret).body(TEXT, game("Ana", "Beto")).send();
    assert_eq!(ask().status, 201);
    let both = make(&server, &admin, &json!({ "name": "Mesa 5", "scopes": ["events:admin", "records:write"] })).json();
    assert_eq!((&both["scopes"], &both["expires"]), (&json!(["records:write", "events:admin"]), &json!(null)));
    let listed = list(&server, &admin);
    let names: Vec<_> = listed.iter().map(|token| token["name"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), 3);
    assert!(names.contains(&"Mesa 4") && names.contains(&"Mesa 5"), "{names:?}");
    let without = listed.iter().all(|token| token.get("token").is_none() && !token.to_string().contains(&secret[16..]));
    assert!(without, "the secret is nowhere");

    let path = format!("/v1/tokens/{id}");
    let revoke = || server.ask("DELETE", &path).token(&admin).send();
    let revoked = revoke().json();
    assert!(revoked["revoked"].is_string(), "{revoked}");
    assert_eq!(revoke().json(), revoked, "a second time changes nothing");
    ask().problem(401, "api.token");
    server.ask("DELETE", "/v1/tokens/abcdefgh").token(&admin).send().problem(404, "api.not-found");
    server.ask("DELETE", "/v1/tokens/Mesa%205").token(&admin).send().problem(400, "api.parameter");
}

#[test]
fn only_administrators_make_tokens() {
    let server = Server::start();
    let body = json!({ "name": "x", "scopes": ["records:write"] });
    server.ask("POST", "/v1/tokens").json(&body).send().problem(401, "api.token");
    for scope in [Scope::RecordsWrite, Scope::EventsAdmin] {
        let token = server.token(scope);
        make(&server, &token, &body).problem(403, "api.scope");
        server.ask("GET", "/v1/tokens").token(&token).send().problem(403, "api.scope");
        server.ask("DELETE", "/v1/tokens/abcdefgh").token(&token).send().problem(403, "api.scope");
    }
}

#[test]
fn tokens_that_cannot_be_made() {
    let server = Server::start();
    let admin = server.token(Scope::Admin);
    let fine = json!({ "name": "Mesa 4", "scopes": ["records:write"] });
    assert_eq!(make(&server, &admin, &fine).status, 201);
    let taken = make(&server, &admin, &fine).problem(409, "api.conflict");
    assert_eq!(taken["conflict"], "token-name");
    let with = |field: &str, value: Value| {
        let mut body = json!({ "name": "Mesa 5", "scopes": ["records:write"] });
        body[field] = value;
        body
    };
    for body in [
        with("name", json!("")),
        with("name", json!(" x")),
        with("name", json!("a\u{202e}b")),
        with("name", json!("ñ".repeat(101))),
        with("scopes", json!([])),
        with("scopes", json!(["root"])),
        with("scopes", json!("admin")),
        with("expires", json!("2020-01-01T00:00:00Z")),
        with("expires", json!("tomorrow")),
        with("expires", json!("2030-01-01")),
        with("why", json!("x")),
        json!({ "name": "Mesa 5" }),
    ] {
        make(&server, &admin, &body).problem(400, "api.body");
    }
    assert_eq!(make(&server, &admin, &with("name", json!("ñ".repeat(100)))).status, 201);
    assert_eq!(make(&server, &admin, &with("expires", json!(null))).status, 201);
}

/// An expiry would mean nothing if its token could make another that lasts longer.
#[test]
fn no_token_outlives_the_one_that_makes_it() {
    let server = Server::start();
    let last = Utc::now() + TimeDelta::hours(1);
    let made = server.store.write(move |writing| -> Result<_, TokenRefusal> {
        Ok(writing.add_token("guest", &[Scope::Admin], Some(last))?.1.reveal())
    });
    let guest = made.wait().expect("a token");
    let body = |name: &str, expires: Option<DateTime<Utc>>| json!({ "name": name, "scopes": ["admin"], "expires": expires.map(time) });
    for expires in [None, Some(last + TimeDelta::seconds(1))] {
        let problem = make(&server, &guest, &body("x", expires)).problem(400, "api.body");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(&time(last))), "{problem}");
    }
    assert_eq!(make(&server, &guest, &body("y", Some(last - TimeDelta::seconds(1)))).status, 201);
}

#[test]
fn an_expired_token_is_refused_with_its_own_code() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    let token = make(
        &server,
        &server.token(Scope::Admin),
        &json!({
            "name": "x", "scopes": ["records:write"], "expires": time(Utc::now() + TimeDelta::hours(1)),
        }),
    );
    let secret = token.json()["token"].as_str().expect("a secret").to_owned();
    let ask = || server.ask("GET", "/v1/records").token(&secret).send();
    assert_eq!(ask().status, 200);
    // Its hour passes.
    spoil(server.store.path().parent().expect("a folder"), "UPDATE token SET expires = 1 WHERE name = 'x'");
    let problem = ask().problem(401, "api.token-expired");
    assert_eq!(problem["expired"], "1970-01-01T00:00:00.001Z");
    let challenge = "Bearer realm=\"quipu\", error=\"invalid_token\", error_description=\"The token has expired\"";
    assert_eq!(ask().header("www-authenticate"), challenge);
    // People read about the page, with the pages that are open.
    let page = server
        .ask("GET", "/records")
        .token(&secret)
        .header("Accept", "text/html")
        .header("Accept-Language", "en")
        .send();
    assert!(page.text().contains("This archive is not open to the public"), "{}", page.text());
    assert!(!page.text().contains("type=\"search\""), "{}", page.text());
    // A stranger learns nothing about it.
    let other = format!("{}x", &secret[..secret.len() - 1]);
    if other != secret {
        server.ask("GET", "/v1/records").token(&other).send().problem(401, "api.token");
    }
}
