//! The routes and parameters of the API against a recorded list: clients rely on them, so none disappears unnoticed.
//!
//! A route or parameter that is added needs a line in `tests/service/tests/expected/api.tsv` and in the section *Changes of the
//! API* of `docs/api.md` and `docs/api.es.md`; one that is taken away breaks clients.

use std::collections::BTreeSet;

use quipu_tests_service::{contract::document, server::Server};
use serde_json::Value;

const RECORDED: &str = "tests/service/tests/expected/api.tsv";

/// Routes beside those of version 1.
const SERVICE: [&str; 4] = ["/healthz", "/readyz", "/metrics", "/openapi.json"];

/// A line of a parameter, or of a body with its media type.
fn line(operation: &str, place: &str, name: &str, required: bool) -> String {
    format!("{operation}\t{place}\t{name}\t{}", if required { "required" } else { "optional" })
}

/// The lines of an operation: itself, its parameters, its bodies and its responses.
fn lines(method: &str, path: &str, operation: &Value) -> Vec<String> {
    let name = format!("{}\t{path}", method.to_uppercase());
    let params = operation["parameters"].as_array().into_iter().flatten().map(|param| {
        let text = |key: &str| param[key].as_str().unwrap_or_default();
        line(&name, text("in"), text("name"), param["required"] == true)
    });
    let bodies = operation["requestBody"]["content"].as_object().into_iter().flatten();
    let bodies = bodies.map(|(media, _)| line(&name, "body", media, false));
    let responses = operation["responses"].as_object().into_iter().flatten();
    let good = responses.filter(|(status, _)| status.starts_with('2'));
    let answers = good.flat_map(|(status, response)| {
        let media = response["content"].as_object().into_iter().flatten();
        media.map(|(media, _)| format!("{name}\t{status}\t{media}\t-")).collect::<Vec<_>>()
    });
    params.chain(bodies).chain(answers).collect()
}

/// The API as the document describes it. Pages for people may change at any time.
fn described() -> BTreeSet<String> {
    let document = Server::start().get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("paths").iter();
    let operations = paths.flat_map(|(path, item)| {
        let operations = item.as_object().expect("operations").iter();
        operations.map(move |(method, operation)| (method, path, operation))
    });
    let of_api = operations.filter(|(_, path, _)| path.starts_with("/v1/") || SERVICE.contains(&path.as_str()));
    of_api.flat_map(|(method, path, operation)| lines(method, path, operation)).collect()
}

#[test]
fn the_api_is_the_recorded_one() {
    let (described, recorded) = (described(), document(RECORDED));
    let recorded: BTreeSet<_> = recorded.lines().skip(1).map(str::to_owned).collect();
    assert!(described.len() > 200, "{}", described.len());
    let lines = |lines: Vec<&String>| lines.iter().map(|line| format!("\n{line}")).collect::<String>();
    let (gone, new) = (recorded.difference(&described).collect(), described.difference(&recorded).collect());
    let (gone, new) = (lines(gone), lines(new));
    assert!(gone.is_empty(), "gone from the API, which breaks clients:{gone}");
    assert!(new.is_empty(), "new in the API; add these lines to {RECORDED}, and tell of them in docs/api.md:{new}");
}

/// Each page about the API promises what stays and lists what has changed.
#[test]
fn both_guides_tell_of_changes_of_the_api() {
    for (page, promise, changes) in [
        ("docs/api.md", "\n## Compatibility\n", "\n## Changes of the API\n"),
        ("docs/api.es.md", "\n## Compatibilidad\n", "\n## Cambios de la API\n"),
    ] {
        let text = document(page);
        assert!(text.contains(promise), "{page}");
        let (_, changes) = text.split_once(changes).expect("a list of changes");
        assert!(changes.split("\n## ").next().is_some_and(|changes| changes.contains("\n- ")), "{page}");
    }
}
