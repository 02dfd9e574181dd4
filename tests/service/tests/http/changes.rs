//! The list of changes.

use quipu_archive::model::By;
use quipu_referee::report::hex;
use quipu_tests_service::{bytes, server::Server};
use serde_json::{Value, json};

/// An archive with a change of each kind that people make; says the ids of its records.
fn sample_archive() -> (Server, Vec<String>) {
    let server = Server::start();
    let mut all = super::records::fixtures();
    all.retain(|one| one.verdict.status == quipu_referee::Status::Verified);
    let ids: Vec<_> = all[..3].iter().map(|one| one.id).collect();
    server.keep_all(&all[..2]);
    let by = By { submitter: "mesa".to_owned(), author: None, reason: Some("prueba".to_owned()) };
    let (old, new) = (ids[0], all[2].clone());
    let done = server.store.write(move |writing| {
        writing.correct(&old, &new, &by)?;
        writing.undo(3, &by)?;
        writing.merge("Quispe, Ana", "Ñahui, Sumaq", &by)?;
        writing.retract(&old, &by)
    });
    assert_eq!(done.wait().expect("all of it can be done"), 6);
    (server, ids.iter().map(|id| hex(id)).collect())
}

#[test]
fn every_change_says_what_it_was() {
    let (server, ids) = sample_archive();
    let page = server.get("/v1/changes").json();
    let items = page["items"].as_array().expect("items");
    let of = |field: &str| -> Vec<Value> { items.iter().map(|change| change[field].clone()).collect() };
    assert_eq!(of("number"), [1, 2, 3, 4, 5, 6]);
    assert_eq!(of("kind"), ["record", "record", "correction", "undo", "merge", "retraction"]);
    assert_eq!(of("submitter"), ["test", "test", "mesa", "mesa", "mesa", "mesa"]);
    let null = Value::Null;
    let id = |index: usize| json!(ids[index]);
    assert_eq!(of("record"), [id(0), id(1), id(2), null.clone(), null.clone(), id(0)]);
    assert_eq!(of("corrects")[2], id(0));
    assert_eq!((&items[2]["undone_by"], &items[3]["undoes"]), (&json!(4), &json!(3)));
    assert_eq!((&items[4]["name"], &items[4]["into"]), (&json!("Quispe, Ana"), &json!("Ñahui, Sumaq")));
    assert_eq!((&items[0]["reason"], &items[5]["reason"]), (&null, &json!("prueba")));
    assert!(items[0]["at"].as_str().is_some_and(|at| at.len() == 24 && at.ends_with('Z')), "{}", items[0]["at"]);
    assert_eq!(page["next"], null);
}

#[test]
fn changes_go_on_by_their_numbers() {
    let server = Server::start();
    let count = server.keep(&bytes("andes/cup.quipu")[..]).len();
    let (mut path, mut numbers) = ("/v1/changes?limit=7".to_owned(), Vec::new());
    loop {
        let answer = server.get(&path);
        let page = answer.json();
        numbers.extend(page["items"].as_array().expect("items").iter().map(|change| change["number"].as_i64()));
        let link = answer.header("link").strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        let Some(next) = link else { break };
        assert_eq!(next, format!("/v1/changes?limit=7&since={}", page["next"].as_str().expect("it goes on")));
        next.clone_into(&mut path);
    }
    assert_eq!(numbers, (1..=56).map(Some).collect::<Vec<_>>());
    assert_eq!(count, 56);
    assert_eq!(server.get(&format!("/v1/changes?since={count}")).json(), json!({ "items": [], "next": null }));
    for query in ["since=-1", "since=x", "kind=record", "cursor=x"] {
        server.get(&format!("/v1/changes?{query}")).problem(400, "api.parameter");
    }
}
