//! Filters of lists of records with several values, by two players or by ids; orders and counts.

use quipu_archive::model::Attribution;
use quipu_tests_service::{bytes, server::Server};
use serde_json::{Value, json};

use super::records::{all_items, fixtures};

/// A service with the cup and all fixtures, and everything that its list has.
fn sample() -> (Server, Vec<Value>) {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    server.keep_all(&fixtures());
    let all = all_items(&server, "/v1/records?limit=200");
    (server, all)
}

/// Checks that a filter finds what a look at every record finds, in the order of entry and by the export too.
#[track_caller]
fn check(server: &Server, all: &[Value], filter: &str, fits: impl Fn(&Value) -> bool) {
    let expected: Vec<_> = all.iter().filter(|card| fits(card)).cloned().collect();
    assert!(!expected.is_empty() && expected.len() < all.len(), "{filter}: {} of {}", expected.len(), all.len());
    assert_eq!(all_items(server, &format!("/v1/records?{filter}&limit=7")), expected, "{filter}");
    let exported = server.ask("GET", &format!("/v1/export?{filter}")).header("Accept", "application/x-ndjson").send();
    let exported: Vec<_> = exported.lines().iter().rev().map(|line| line["id"].clone()).collect();
    assert_eq!(exported, expected.iter().map(|card| card["id"].clone()).collect::<Vec<_>>(), "{filter}");
}

#[test]
fn several_values_match_each_of_them() {
    let (server, all) = sample();
    let one_of = |field: &'static str, values: &'static [&'static str]| {
        move |card: &Value| card[field].as_str().is_some_and(|value| values.contains(&value))
    };
    check(&server, &all, "game=querni,brandubh", one_of("game", &["querni", "brandubh"]));
    check(&server, &all, "result=1-0,*", one_of("result", &["1-0", "*"]));
    check(&server, &all, "termination=continent,resignation", one_of("termination", &["continent", "resignation"]));
    check(&server, &all, "status=rejected,unreadable", one_of("status", &["rejected", "unreadable"]));
    check(&server, &all, "status=verified,rejected", one_of("status", &["verified", "rejected"]));
    check(&server, &all, "game=andes,querni&result=0-1,1-0&status=verified", |card| {
        one_of("game", &["andes", "querni"])(card)
            && one_of("result", &["0-1", "1-0"])(card)
            && card["status"] == "verified"
    });
    assert_eq!(all_items(&server, "/v1/records?state=current,all&limit=200"), all);
    for twice in ["game=andes,andes", "state=current,current", "game=andes,", "result=1-0,2-0"] {
        server.get(&format!("/v1/records?{twice}")).problem(400, "api.parameter");
    }
}

#[test]
fn two_players_against_each_other() {
    let (server, all) = sample();
    let [rosa, elena] = ["Quispe Mamani, Rosa", "Toconás Vilte, Elena"];
    let name = |card: &Value, side: usize| card["players"][side]["name"].as_str().unwrap_or_default().to_owned();
    let pair = |card: &Value, one: &str, two: &str| {
        let names = [name(card, 0), name(card, 1)];
        names == [one, two] || names == [two, one]
    };
    let encoded = |name: &str| name.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let rival = all.iter().find(|card| name(card, 0) == rosa).map(|card| name(card, 1)).expect("a game");
    check(&server, &all, &format!("player={}&against={}", encoded(rosa), encoded(&rival)), |card| {
        pair(card, rosa, &rival)
    });
    check(&server, &all, &format!("against={}&player={}", encoded(rosa), encoded(&rival)), |card| {
        pair(card, rosa, &rival)
    });
    let problem = server.get(&format!("/v1/records?against={}", encoded(rosa))).problem(400, "api.parameter");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("player")), "{problem}");
    assert_eq!(server.get("/v1/records?player=1&against=Nadie").json()["items"], json!([]));

    // A merged name is its player, on either side of the board.
    let by = Attribution { submitter: "mesa".to_owned(), author: None, reason: Some("la misma".to_owned()) };
    let into = rival.clone();
    server.store.write(move |writing| writing.merge(elena, &into, &by)).wait().expect("players");
    for against in [elena, &rival] {
        let found = all_items(&server, &format!("/v1/records?player={}&against={}", encoded(rosa), encoded(against)));
        let expected: Vec<_> =
            all.iter().filter(|card| pair(card, rosa, &rival) || pair(card, rosa, elena)).cloned().collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn records_by_their_ids() {
    let (server, all) = sample();
    let id = |index: usize| all[index]["id"].as_str().expect("an id");
    let absent = "f".repeat(64);
    let page = server.get(&format!("/v1/records?ids={},{absent},{},{}", id(9), id(3), id(3))).json();
    assert_eq!(page, json!({ "items": [all[3], all[9]], "next": null, "total": null }));
    assert_eq!(server.get(&format!("/v1/records?ids={absent}")).json()["items"], json!([]));

    // A record that is named is found whatever its state.
    let retracted = server.store.read(|reading| reading.ids_with_prefix(id(3), 1)).expect("an id")[0];
    let by = Attribution { submitter: "mesa".to_owned(), author: None, reason: Some("repetida".to_owned()) };
    server.store.write(move |writing| writing.retract(&retracted, &by)).wait().expect("it stands");
    let found = |more: &str| server.get(&format!("/v1/records?ids={},{}{more}", id(3), id(9))).json()["items"].clone();
    assert_eq!((&found("")[0]["state"], found("").as_array().map(Vec::len)), (&json!("retracted"), Some(2)));
    assert_eq!(found("&state=current"), json!([all[9]]));

    let many = |count: usize| vec![&*absent; count].join(",");
    assert_eq!(server.get(&format!("/v1/records?ids={}", many(100))).status, 200);
    let problem = server.get(&format!("/v1/records?ids={}", many(101))).problem(400, "api.parameter");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("100")), "{problem}");
    for wrong in ["x", "", &format!("{absent},"), &absent[1..]] {
        let response = server.get(&format!("/v1/records?ids={wrong}"));
        response.problem(400, "api.id");
    }
    server.get(&format!("/v1/records?ids={absent}&q=copa")).problem(400, "api.parameter");
}

#[test]
fn lists_in_every_order() {
    let (server, all) = sample();
    let change = |card: &Value| card["change"].as_i64();
    let mut by_date: Vec<_> = all.iter().filter(|card| !card["date"].is_null()).cloned().collect();
    assert!(by_date.len() < all.len(), "some have no day");
    by_date.sort_by_key(|card| (card["date"].to_string(), change(card)));
    let backwards = |cards: &[Value]| cards.iter().rev().cloned().collect::<Vec<_>>();
    let list = |query: &str| all_items(&server, &format!("/v1/records?limit=13&{query}"));
    assert_eq!(list("sort=-change"), all);
    assert_eq!(list("sort=change"), backwards(&all));
    assert_eq!(list("sort=date"), by_date);
    assert_eq!(list("sort=-date"), backwards(&by_date));
    let some = |card: &&Value| card["date"].as_str().is_some_and(|day| day <= "2026-08-12");
    assert_eq!(list("sort=date&to=2026-08-12"), by_date.iter().filter(some).cloned().collect::<Vec<_>>());
    let entered: Vec<_> = all.iter().rev().filter(some).cloned().collect();
    assert_eq!(list("sort=change&to=2026-08-12"), entered);

    // A cursor is of one order.
    let next = |query: &str| {
        server.get(&format!("/v1/records?limit=2&{query}")).json()["next"].as_str().expect("more").to_owned()
    };
    let (entry, date) = (next("sort=change"), next("sort=date"));
    server.get(&format!("/v1/records?sort=date&cursor={entry}")).problem(400, "api.cursor");
    server.get(&format!("/v1/records?sort=change&cursor={date}")).problem(400, "api.cursor");
    server.get("/v1/records?sort=players").problem(400, "api.parameter");
}

#[test]
fn totals_are_exact_or_say_that_they_are_not() {
    let (server, all) = sample();
    let total = |query: &str| server.get(&format!("/v1/records?limit=1&total=yes&{query}")).json()["total"].clone();
    let count = |fits: &dyn Fn(&Value) -> bool| json!({ "records": all.iter().filter(|card| fits(card)).count(), "exact": true });
    assert_eq!(total(""), count(&|_| true));
    assert_eq!(
        total("game=andes,querni"),
        count(&|card| ["andes", "querni"].iter().any(|game| card["game"] == **game))
    );
    assert_eq!(
        total("game=andes&status=rejected"),
        count(&|card| card["game"] == "andes" && card["status"] == "rejected")
    );
    assert_eq!(total("event=Copa+de+los+Andes"), count(&|card| card["event"]["name"] == "Copa de los Andes"));
    assert_eq!(total("result=1-0"), count(&|card| card["result"] == "1-0"));
    assert_eq!(total("from=2026-08-12"), count(&|card| card["date"].as_str().is_some_and(|day| day >= "2026-08-12")));
    assert_eq!(total("state=all&result=1-0"), count(&|card| card["result"] == "1-0"));
    assert_eq!(total("player=Nadie"), json!({ "records": 0, "exact": true }));
    for slow in ["round=1", "q=copa", "game=andes&result=1-0", "sort=change&from=2026-01-01"] {
        assert_eq!(total(slow), json!(null), "{slow}");
    }
    assert_eq!(server.get("/v1/records?total=no").json()["total"], json!(null));
    // Later pages have the same total.
    let next = server.get("/v1/records?limit=2&total=yes").json()["next"].as_str().expect("more").to_owned();
    assert_eq!(total(&format!("cursor={next}")), count(&|_| true));
}

/// Records are counted one by one up to a thousand.
#[test]
fn more_than_a_thousand_are_not_counted() {
    let server = Server::start();
    server.keep_all(&super::feed::many(1_001));
    let total = |query: &str| server.get(&format!("/v1/records?limit=1&total=yes&{query}")).json()["total"].clone();
    assert_eq!(total("player=Ana"), json!({ "records": 1_000, "exact": false }));
    assert_eq!(total(""), json!({ "records": 1_001, "exact": true }));
}
