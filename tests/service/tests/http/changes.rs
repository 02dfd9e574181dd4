//! The list of changes.

use quipu_archive::model::Attribution;
use quipu_referee::report::hex;
use quipu_tests_service::{bytes, server::Server};
use serde_json::{Value, json};

use super::{feed::many, submit::game};

/// An archive with a change of each kind that people make; says the ids of its records.
fn sample_archive() -> (Server, Vec<String>) {
    let server = Server::start();
    let mut all = super::records::fixtures();
    all.retain(|one| one.verdict.status == quipu_referee::Status::Verified);
    let ids: Vec<_> = all[..3].iter().map(|one| one.id).collect();
    server.keep_all(&all[..2]);
    let by = Attribution { submitter: "mesa".to_owned(), author: None, reason: Some("prueba".to_owned()) };
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
        let response = server.get(&path);
        let page = response.json();
        numbers.extend(page["items"].as_array().expect("items").iter().map(|change| change["number"].as_i64()));
        let link = response.header("link").strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        let Some(next) = link else { break };
        assert_eq!(next, format!("/v1/changes?limit=7&since={}", page["next"].as_str().expect("it goes on")));
        next.clone_into(&mut path);
    }
    assert_eq!(numbers, (1..=56).map(Some).collect::<Vec<_>>());
    assert_eq!(count, 56);
    assert_eq!(server.get(&format!("/v1/changes?since={count}")).json(), json!({ "items": [], "next": null }));
    for query in ["since=-1", "since=x", "kind=record", "cursor=x", "game=chess", "game=andes,andes", "event="] {
        server.get(&format!("/v1/changes?{query}")).problem(400, "api.parameter");
    }
}

/// Numbers of the changes of a list, through all its pages.
#[track_caller]
fn numbers(server: &Server, query: &str) -> Vec<i64> {
    let (mut path, mut numbers) = (format!("/v1/changes?{query}"), Vec::new());
    loop {
        let page = server.get(&path).json();
        let items = page["items"].as_array().expect("items");
        numbers.extend(items.iter().map(|change| change["number"].as_i64().expect("a number")));
        let Some(next) = page["next"].as_str() else { return numbers };
        path = format!("/v1/changes?{query}&since={next}");
    }
}

/// Changes are found by the records and players that they are about, also those that undo another.
#[test]
fn changes_of_one_game_event_or_player() {
    let (server, _) = sample_archive();
    let cards = server.get("/v1/records?state=all").json();
    let card = |change: i64| {
        let cards = cards["items"].as_array().expect("items");
        cards.iter().find(|card| card["change"] == change).expect("a record").clone()
    };
    let all = [1, 2, 3, 4, 5, 6];
    // A correction is about both of its records, as is the change that undoes it.
    let about = |record: i64| match record {
        1 => vec![1, 3, 4, 6],
        2 => vec![2],
        _ => vec![3, 4],
    };
    let merge = 5;
    for (field, name) in [("game", "game"), ("event", "event"), ("player", "players")] {
        for record in 1..=3 {
            let found = &card(record)[name];
            let value = match field {
                "game" => found.as_str().map(str::to_owned),
                "event" => found["number"].as_i64().map(|number| number.to_string()),
                _ => found[0]["number"].as_i64().map(|number| number.to_string()),
            };
            let Some(value) = value else { continue };
            let merged = ["Quispe, Ana", "Ñahui, Sumaq"].map(Value::from);
            let is_merged = merged.contains(&found[0]["name"]);
            let same =
                |player: &Value| player["name"] == found[0]["name"] || is_merged && merged.contains(&player["name"]);
            let fits = |other: i64| match field {
                "player" => card(other)[name].as_array().expect("two").iter().any(same),
                _ => card(other)[name] == *found,
            };
            let mut expected: Vec<i64> = (1..=3).filter(|other| fits(*other)).flat_map(about).collect();
            expected.extend((field != "player" || is_merged).then_some(merge));
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(numbers(&server, &format!("{field}={value}")), expected, "{field}={value}");
        }
    }
    assert_eq!(numbers(&server, "event=Nada"), [merge], "a merge may change the figures of any event");
    assert_eq!(numbers(&server, "player=Nadie"), [0_i64; 0]);
    assert_eq!(
        numbers(&server, "player=Quispe,%20Ana"),
        numbers(&server, "player=%C3%91ahui,%20Sumaq"),
        "they are one"
    );
    assert_eq!(numbers(&server, "game=andes,pastores,querni,brandubh"), all);
    let events = (1..=20).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(server.get(&format!("/v1/changes?event={events}")).status, 200);
    let problem = server.get(&format!("/v1/changes?event={events},21")).problem(400, "api.parameter");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("20")), "{problem}");
}

/// A page passes over so many changes that it takes little time, and says where to go on.
#[test]
fn a_page_of_few_among_many_changes_goes_on() {
    let server = Server::start();
    server.keep(game("Rara", "Avis").as_bytes());
    server.keep_all(&many(5_100));
    server.keep(game("Rara", "Zoe").as_bytes());
    let page = server.get("/v1/changes?player=Rara").json();
    assert_eq!((page["items"].as_array().map(Vec::len), &page["next"]), (Some(1), &json!("5000")));
    let page = server.get("/v1/changes?player=Rara&since=5000").json();
    assert_eq!((&page["items"][0]["number"], &page["next"]), (&json!(5_102), &json!(null)));
    let page = server.get("/v1/changes?player=Ana&limit=7").json();
    assert_eq!((page["items"].as_array().map(Vec::len), &page["next"]), (Some(7), &json!("8")));
}
