//! Real answers against the OpenAPI document: status, media type, every field.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{
    sample_archive::sample_archive,
    server::{Ask, Response, Server},
};
use serde_json::{Value, json};

use super::{
    routes::{Operation, operations},
    submit::{BAD, CSV, JSON, NDJSON, OPEN, TEXT, UNREADABLE, game, in_other_forms},
};

/// Checks that an answer is one of those that the document tells of.
#[track_caller]
fn check(operation: &Operation, path: &str, response: &Response) {
    let status = response.status.to_string();
    let content = &operation.said["responses"][&status]["content"];
    let media = response.header("content-type");
    let found = content.as_object().and_then(|content| content.get(media));
    let schema = found.unwrap_or_else(|| panic!("{path}: {status} {media} is not told of"))["schema"].clone();
    check_headers(operation, path, response);
    let whole = match media {
        "application/x-ndjson" => response.text().lines().map(str::to_owned).collect(),
        "application/json" | "application/problem+json" => vec![response.text().to_owned()],
        _ => return,
    };
    let validator = operation.validator(&schema);
    for text in whole {
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}\n{text}");
    }
}

/// Checks that an answer has the headers that the document says it always has, and in all it tells of what it says.
#[track_caller]
fn check_headers(operation: &Operation, path: &str, response: &Response) {
    let told = &operation.said["responses"][response.status.to_string()]["headers"];
    for (name, header) in told.as_object().expect("headers") {
        let header = operation.resolved(header);
        let value = response.header(name);
        if value.is_empty() {
            assert_ne!(header["required"], true, "{path}: {} lacks {name}", response.status);
            continue;
        }
        let number = header["schema"]["type"] == "integer";
        let value = if number { json!(value.parse::<u64>().expect("a number")) } else { json!(value) };
        assert!(operation.validator(&header["schema"]).is_valid(&value), "{path}: {name}: {value}");
    }
}

#[test]
fn good_answers_are_as_the_document_says() {
    let (server, ids) = sample_archive(Settings::default());
    let token = server.token(Scope::RecordsWrite);
    let mut checked = BTreeSet::new();
    for operation in operations(&server).iter().filter(|operation| operation.method == "GET") {
        let mut paths = vec![operation.path.clone()];
        if operation.params("path").any(|param| param["name"] == "id") {
            paths = ids.iter().map(|id| operation.path.replace(&"0".repeat(64), id)).collect();
        }
        if operation.params("path").any(|param| param["name"] == "number") {
            paths = (1..5).map(|number| operation.path.replacen("/1", &format!("/{number}"), 1)).collect();
        }
        if operation.path.contains("/feed?") {
            continue;
        }
        if operation.params("query").any(|param| param["name"] == "state") {
            paths.push(format!("{}&state=all", operation.path));
        }
        let contents = operation.said["responses"]["200"]["content"].as_object().expect("contents");
        for (path, media) in paths.iter().flat_map(|path| contents.keys().map(move |media| (path, media))) {
            let response = server.ask("GET", path).token(&token).header("Accept", media).send();
            check(operation, path, &response);
            if response.status == 200 {
                checked.insert(operation.path.clone());
            }
        }
    }
    assert!(checked.len() > 20, "{checked:#?}");
}

#[test]
fn problems_are_as_the_document_says() {
    let server = Server::start();
    let token = server.token(Scope::Admin);
    for operation in operations(&server) {
        let path = &operation.path;
        let ask = || operation.ask(&server).token(&token);
        let wrong = server.ask(&operation.method, &format!("{path}&nothing=1")).token(&token).send();
        check(&operation, path, &wrong);
        check(&operation, path, &ask().header("Accept", "video/mp4").send());
        if operation.method != "GET" {
            check(&operation, path, &server.ask(&operation.method, path).send());
        }
        if operation.takes_a_body() {
            check(&operation, path, &ask().body("image/png", "x").send());
            check(&operation, path, &ask().body("application/json", "{").send());
            check(&operation, path, &ask().body("application/json", "").send());
            check(&operation, path, &ask().json(&serde_json::json!({ "nothing": 1 })).send());
        }
    }
}

/// A service with the sample archive and a token with every scope.
struct CheckedClient {
    server: Server,
    operations: Vec<Operation>,
    token: String,
    /// Responses to writing requests, by route: statuses with codes of problems.
    answered: BTreeMap<String, BTreeSet<String>>,
}

impl CheckedClient {
    fn new() -> Self {
        let server = sample_archive(Settings { max_records: 3, ..Settings::default() }).0;
        let (operations, token) = (operations(&server), server.token(Scope::Admin));
        Self { server, operations, token, answered: BTreeMap::new() }
    }

    fn ask(&self, path: &str) -> Ask {
        self.server.ask("POST", path).token(&self.token)
    }

    /// Checks the status of a response, and the response against the document.
    #[track_caller]
    fn check(&mut self, id: &str, path: &str, ask: Ask, status: u16) -> Response {
        let operation = self.operations.iter().find(|operation| operation.said["operationId"] == id);
        let response = ask.send();
        assert_eq!(response.status, status, "{path}: {}", response.text());
        check(operation.expect("there is this operation"), path, &response);
        let code = serde_json::from_slice::<Value>(&response.body).ok();
        let code = code.and_then(|problem| problem["code"].as_str().map(|code| format!("{status} {code}")));
        self.answered.entry(id.to_owned()).or_default().insert(code.unwrap_or_else(|| status.to_string()));
        response
    }

    #[track_caller]
    fn decide(&mut self, id: &str, path: &str, body: &Value, status: u16) -> Response {
        let ask = self.ask(path).json(body);
        self.check(id, path, ask, status)
    }

    /// Checks that requests of this route were answered so, whatever else.
    #[track_caller]
    fn met(&self, id: &str, expected: &[&str]) {
        let answered = &self.answered[id];
        let missing: Vec<_> = expected.iter().filter(|one| !answered.contains(**one)).collect();
        assert!(missing.is_empty(), "{id} was not answered {missing:?}: {answered:?}");
    }
}

#[test]
fn answers_to_records_are_as_the_document_says() {
    let mut desk = CheckedClient::new();
    let two = [game("Ana", "Dora"), BAD.to_owned()].join("\n");
    let four = [&*two, OPEN, UNREADABLE].join("\n");
    let mut bodies: Vec<_> = in_other_forms("Ana", "Carla").into_iter().collect();
    let texts = [game("Ana", "Beto"), game("Ana", "Beto"), BAD.into(), OPEN.into(), UNREADABLE.into(), two, four];
    bodies.extend(texts.map(|text| (TEXT, text)));
    bodies.extend([(NDJSON, "{}\n{\"game\":\n".to_owned()), (TEXT, String::new()), (JSON, "[]".to_owned())]);
    bodies.extend([(CSV, in_other_forms("Ana", "Eva")[4].1.clone()), ("image/png", String::new())]);
    for (path, id) in [
        ("/v1/verify", "verify"),
        ("/v1/repair", "repair"),
        ("/v1/merge", "merge-sheets"),
        ("/v1/records", "submit"),
        ("/v1/records?keep=refused", "submit"),
    ] {
        for (media, body) in &bodies {
            for accept in [JSON, NDJSON] {
                let response = desk.ask(path).header("Accept", accept).body(media, body.clone()).send();
                let ask = desk.ask(path).header("Accept", accept).body(media, body.clone());
                // A record stored the first time exists the second time; both are responses.
                if response.status == 201 {
                    check(
                        desk.operations.iter().find(|one| one.said["operationId"] == id).expect("it"),
                        path,
                        &response,
                    );
                }
                let status = if response.status == 201 { 200 } else { response.status };
                desk.check(id, path, ask, status);
            }
        }
    }
    for (record, status) in [(game("Ana", "Flor"), 201), (game("Ana", "Flor"), 201), (game("Ana", "Gil"), 422)] {
        let ask = desk.ask("/v1/records").header("Idempotency-Key", "k").body(TEXT, record);
        desk.check("submit", "/v1/records", ask, status);
    }
    let nobody = desk.server.ask("POST", "/v1/records").body(TEXT, game("Ana", "Beto"));
    desk.check("submit", "/v1/records", nobody, 401);
    let reader = desk.server.token(Scope::EventsAdmin);
    let ask = desk.server.ask("POST", "/v1/records").token(&reader).body(TEXT, game("Ana", "Beto"));
    desk.check("submit", "/v1/records", ask, 403);
    desk.met("verify", &["200", "400 api.body", "413 api.too-large", "415 api.media"]);
    let refused = ["422 andes.3.6", "422 api.incomplete", "422 record.syntax", "422 api.idempotency"];
    desk.met("submit", &[&refused[..], &["200", "201", "400 api.body", "401 api.token", "403 api.scope"]].concat());
}

#[test]
fn answers_to_decisions_are_as_the_document_says() {
    let mut desk = CheckedClient::new();
    let ids = desk.server.keep([game("Ana", "Beto"), game("Anna", "Carla"), game("Dora", "Eva")].join("\n").as_bytes());
    let [first, second, third] = [0, 1, 2].map(|at| quipu_referee::report::hex(&ids[at]));
    let reason = json!({ "reason": "x", "author": "y" });
    let none = "0".repeat(64);

    let corrections = |id: &str| format!("/v1/records/{id}/corrections");
    let record = |record: &str| json!({ "record": record, "reason": "x" });
    let new = game("Ana", "Flor");
    for (id, body, status) in [
        (&first, record(&new), 201),
        (&first, record(&game("Ana", "Gil")), 409),
        (&second, record(&game("Anna", "Carla")), 409),
        (&second, record(&new), 409),
        (&second, record(BAD), 422),
        (&second, record(OPEN), 422),
        (&second, record(""), 400),
        (&second, reason.clone(), 400),
        (&none, record(&game("Ana", "Hugo")), 404),
    ] {
        desk.decide("correct", &corrections(id), &body, status);
    }
    let told = ["201", "400 api.body", "404 api.not-found", "409 api.conflict", "422 andes.3.6", "422 api.incomplete"];
    desk.met("correct", &told);

    let path = format!("/v1/records/{third}/retractions");
    let change = desk.decide("retract", &path, &reason, 201).json()["number"].clone();
    desk.decide("retract", &path, &reason, 409);
    desk.decide("retract", &path, &json!({ "reason": " " }), 400);
    desk.decide("retract", &format!("/v1/records/{none}/retractions"), &reason, 404);

    let undo = |number: &Value| format!("/v1/changes/{number}/undo");
    desk.decide("undo", &undo(&change), &reason, 201);
    desk.decide("undo", &undo(&change), &reason, 409);
    desk.decide("undo", &undo(&json!(1)), &reason, 409);
    desk.decide("undo", &undo(&json!(9_999_999)), &reason, 404);
    desk.decide("undo", &undo(&json!(0)), &reason, 400);

    let players = desk.server.get("/v1/players?q=Ann").json();
    let path = format!("/v1/players/{}/merges", players["items"][0]["number"]);
    let merge = |into: Value| json!({ "into": into, "reason": "x" });
    desk.decide("merge", &path, &merge(json!("Zoe")), 404);
    desk.decide("merge", &path, &merge(json!("Ana")), 201);
    desk.decide("merge", &path, &merge(json!("Beto")), 409);
    desk.decide("merge", &path, &merge(json!(true)), 400);

    for (id, path) in [("retract", format!("/v1/records/{second}/retractions")), ("undo", undo(&json!(1)))] {
        let nobody = desk.server.ask("POST", &path).json(&reason);
        desk.check(id, &path, nobody, 401);
        let ask = desk.ask(&path).header("Accept", "text/csv").json(&reason);
        desk.check(id, &path, ask, 406);
    }
    for (body, status) in [(&reason, 201), (&reason, 201), (&json!({ "reason": "z" }), 422)] {
        let path = format!("/v1/records/{second}/retractions");
        let ask = desk.ask(&path).header("Idempotency-Key", "k").json(body);
        desk.check("retract", &path, ask, status);
    }
}

#[test]
fn events_are_as_the_document_says() {
    let (server, _) = sample_archive(Settings::default());
    let operations = operations(&server);
    let feed = operations.iter().find(|operation| operation.said["operationId"] == "feed").expect("the feed");
    let schema = &feed.said["responses"]["200"]["content"]["text/event-stream"]["schema"];
    let schema = feed.resolved(schema);
    let (event, data) = (feed.validator(schema), feed.validator(&schema["properties"]["data"]["contentSchema"]));
    let response = server.ask("GET", "/v1/feed?since=0").open();
    let mut fields = serde_json::Map::new();
    let mut kinds = BTreeSet::new();
    for line in BufReader::new(response.into_body().into_reader()).lines() {
        let line = line.expect("it goes on");
        if let Some((name, value)) = line.split_once(": ") {
            fields.insert(name.to_owned(), value.into());
            continue;
        }
        let found = Value::Object(std::mem::take(&mut fields));
        // The first only says where it begins.
        let Some(text) = found["data"].as_str() else { continue };
        let value: Value = serde_json::from_str(text).expect("JSON");
        assert!(event.is_valid(&found) && data.is_valid(&value), "{found}");
        kinds.insert(found["event"].as_str().expect("a word").to_owned());
        if kinds.contains("merge") {
            break;
        }
    }
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["correction", "merge", "record", "retraction", "tournament", "undo"]
    );
}

/// Parameters of one name that are not of one kind are not told of in the same words.
#[test]
fn parameters_are_told_apart() {
    let server = Server::start();
    for lang in ["es", "en"] {
        let document = server.get(&format!("/openapi.json?lang={lang}")).json();
        let mut kinds: BTreeMap<[String; 2], Value> = BTreeMap::new();
        for operation in document["paths"].as_object().expect("paths").values().filter_map(|path| path.as_object()) {
            for param in operation.values().flat_map(|said| said["parameters"].as_array().into_iter().flatten()) {
                let key = [param["name"].to_string(), param["description"].to_string()];
                let kind = kinds.entry(key).or_insert_with(|| param["schema"].clone());
                assert_eq!(*kind, param["schema"], "{lang}: {param}");
            }
        }
    }
}
