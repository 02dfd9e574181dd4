//! Real answers against the OpenAPI document: status, media type, every field.

use std::collections::BTreeSet;

use quipu_api::archive::{By, Scope, Submission};
use quipu_referee::{Status, report::hex};
use quipu_tests::{
    bytes,
    server::{Answer, Server},
};
use serde_json::Value;

use super::{
    records::fixtures,
    routes::{Operation, operations},
};

/// An archive with records of every kind, of which some were corrected, retracted and merged; and the ids of some.
fn eventful() -> (Server, Vec<String>) {
    let server = Server::start();
    let all = fixtures();
    let cup = server.keep(&bytes("andes/cup.quipu")[..]);
    server.keep(super::records::UNKNOWN);
    server.keep_all(&all);
    let of = |status: Status| all.iter().filter(move |one| one.verdict.status == status).take(3);
    let some = Status::ALL.into_iter().flat_map(of).chain(&all[..2]);
    let mut ids: Vec<_> = some.map(|one| hex(&one.id)).collect();
    ids.extend(cup[..4].iter().map(|id| hex(id)));
    let by = By { submitter: "mesa".to_owned(), author: Some("Ana".to_owned()), reason: Some("prueba".to_owned()) };
    let other = String::from_utf8_lossy(&bytes("andes/cup.quipu")).replace("Arequipa", "Cusco");
    let mut others = Vec::new();
    quipu_tests::each_block(other.as_bytes(), |block| others.extend(Submission::all(block)));
    let new = others.swap_remove(0);
    let done = server.store.write(move |writing| {
        writing.correct(&cup[0], &new, &by)?;
        let retracted = writing.retract(&cup[1], &by)?;
        writing.undo(retracted, &by)?;
        writing.retract(&cup[2], &by)?;
        writing.merge("Quispe Mamani, Rosa", "Toconás Vilte, Elena", &by)
    });
    done.wait().expect("all of it can be done");
    (server, ids)
}

/// Checks that an answer is one of those that the document tells of.
#[track_caller]
fn check(operation: &Operation, path: &str, answer: &Answer) {
    let status = answer.status.to_string();
    let content = &operation.said["responses"][&status]["content"];
    let media = answer.header("content-type");
    let found = content.as_object().and_then(|content| content.get(media));
    let schema = found.unwrap_or_else(|| panic!("{path}: {status} {media} is not told of"))["schema"].clone();
    let whole = match media {
        "application/x-ndjson" => answer.text().lines().map(str::to_owned).collect(),
        "application/json" | "application/problem+json" => vec![answer.text().to_owned()],
        _ => return,
    };
    if schema == serde_json::json!({}) {
        return;
    }
    let validator = operation.validator(&schema);
    for text in whole {
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}\n{text}");
    }
}

#[test]
fn good_answers_are_as_the_document_says() {
    let (server, ids) = eventful();
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
        if operation.path.starts_with("/v1/feed") {
            continue;
        }
        if operation.params("query").any(|param| param["name"] == "state") {
            paths.push(format!("{}&state=all", operation.path));
        }
        let contents = operation.said["responses"]["200"]["content"].as_object().expect("contents");
        for (path, media) in paths.iter().flat_map(|path| contents.keys().map(move |media| (path, media))) {
            let answer = server.ask("GET", path).token(&token).header("Accept", media).send();
            check(operation, path, &answer);
            if answer.status == 200 {
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
        let ask = || server.ask(&operation.method, path).token(&token);
        let wrong = server.ask(&operation.method, &format!("{path}&nothing=1")).token(&token).send();
        check(&operation, path, &wrong);
        check(&operation, path, &ask().header("Accept", "image/png").send());
        if operation.method == "POST" {
            check(&operation, path, &server.ask("POST", path).send());
            check(&operation, path, &ask().body("image/png", "x").send());
            check(&operation, path, &ask().body("application/json", "{").send());
            check(&operation, path, &ask().body("application/json", "").send());
            check(&operation, path, &ask().json(&serde_json::json!({ "nothing": 1 })).send());
        }
    }
}
