//! Sheets of one game over HTTP: a later one is stored with the id of the counted one, and tables count the game once.

use quipu_options::Scope;
use quipu_tests_service::{
    server::{Response, Server},
    text,
};
use serde_json::{Value, json};

use crate::submit::{NDJSON, TEXT};

/// The sample tournament, and its first game as others wrote it: at another place, and without clocks.
fn sheets() -> (String, [String; 2]) {
    let cup = text("andes/cup.quipu");
    let first = cup.split_inclusive("\n\n").take(2).collect::<String>();
    let elsewhere = first.replacen('\n', "\n[Arbiter \"Li\"]\n", 1);
    let plain = first.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
    (cup, [elsewhere, plain])
}

fn submit(server: &Server, token: &str, body: &str) -> Response {
    server.ask("POST", "/v1/records").token(token).header("Accept-Language", "en").body(TEXT, body).send()
}

/// A service with the tournament, and the ids of three sheets of its first game.
fn with_sheets() -> (Server, String, Vec<String>) {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let (cup, others) = sheets();
    let ids = server.keep(cup.as_bytes());
    let mut ids = vec![quipu_referee::report::hex(&ids[0])];
    for other in others {
        let response = submit(&server, &token, &other);
        assert_eq!(response.status, 201, "{}", response.text());
        let stored = response.json();
        assert_eq!((&stored["sheet_of"], &stored["state"]), (&json!(ids[0]), &json!("current")));
        ids.push(stored["id"].as_str().expect("an id").to_owned());
    }
    (server, token, ids)
}

#[test]
fn three_sheets_of_a_game_are_one_game_on_the_pages_of_the_event() {
    let (server, _, ids) = with_sheets();
    let event = server.get("/v1/events/1").json();
    assert_eq!((&event["records"], &event["games"]), (&json!(58), &json!(56)));
    assert_eq!(event["by_game"], json!([{"game": "andes", "games": 56}]));
    for table in ["standings", "crosstable", "encounters"] {
        let found = server.get(&format!("/v1/events/1/{table}")).json();
        assert_eq!(found["games"].as_array().map(Vec::len), Some(56), "{table}");
        assert_eq!(found["sheets"], json!([{"game": 1, "ids": ids}]), "{table}");
        assert_eq!(found["contradictions"], json!([]), "{table}");
        let page = server.get(&format!("/events/1?view={table}&lang=en")).text().to_owned();
        assert!(page.contains("Games with several sheets"), "{table}");
        for id in &ids {
            assert!(page.contains(&format!("href=\"/records/{id}?lang=en\"")), "{table}");
        }
    }
    // Each has played 14 games, as without the others.
    let players = server.get("/v1/events/1/standings").json()["tables"][0]["players"].clone();
    assert!(players.as_array().expect("a list").iter().all(|player| player["games"] == 14), "{players}");
    let ranking = server.get("/v1/rankings?game=andes").json();
    assert!(ranking["items"].as_array().expect("a list").iter().all(|player| player["games"] == 14), "{ranking}");
}

#[test]
fn a_record_says_of_which_game_it_is_a_sheet() {
    let (server, _, ids) = with_sheets();
    for (index, id) in ids.iter().enumerate() {
        let first = if index == 0 { Value::Null } else { json!(ids[0]) };
        let history = server.get(&format!("/v1/records/{id}/history")).json();
        assert_eq!(history["sheets"], json!(ids));
        let page = server.get(&format!("/records/{id}?lang=en")).text().to_owned();
        let told = ["This is another sheet of a game that already counts", "Other sheets of this game"];
        assert_eq!(told.map(|words| page.contains(words)), [index > 0, true], "{page}");
        let list = server.get("/v1/records?limit=200").json();
        let card = list["items"].as_array().expect("a list").iter().find(|card| card["id"] == *id).cloned();
        assert_eq!(card.expect("it is listed")["sheet_of"], first);
    }
    let other = server.get("/v1/records?limit=1&round=2").json()["items"][0].clone();
    assert_eq!(other["sheet_of"], Value::Null);
    let history = server.get(&format!("/v1/records/{}/history", other["id"].as_str().expect("an id"))).json();
    assert_eq!(history["sheets"], json!([]));
}

#[test]
fn the_same_bytes_are_there_already() {
    let (server, token, ids) = with_sheets();
    let again = submit(&server, &token, &sheets().1[0]);
    assert_eq!(again.status, 200);
    assert_eq!((&again.json()["id"], &again.json()["sheet_of"]), (&json!(ids[1]), &json!(ids[0])));
    assert_eq!(server.get("/v1/events/1").json()["records"], 58);
}

#[test]
fn the_next_sheet_counts_when_the_first_is_retracted() {
    let (server, _, ids) = with_sheets();
    let token = server.token(Scope::EventsAdmin);
    let history = format!("/v1/records/{}/history", ids[1]);
    let tag = server.get(&history).header("etag").to_owned();
    let path = format!("/v1/records/{}/retractions", ids[0]);
    let retracted = server.ask("POST", &path).token(&token).body("application/json", r#"{"reason":"wet"}"#).send();
    assert_eq!(retracted.status, 201);
    let event = server.get("/v1/events/1").json();
    assert_eq!((&event["records"], &event["games"]), (&json!(57), &json!(56)));
    let found = server.get("/v1/events/1/standings").json();
    assert_eq!(found["sheets"][0]["ids"], json!(ids[1..]));
    // The earlier response is not served from the cache.
    let now = server.ask("GET", &history).header("If-None-Match", &tag).send();
    assert_eq!((now.status, &now.json()["sheets"]), (200, &json!(ids[1..])));
}

#[test]
fn many_records_say_it_line_by_line() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let (cup, others) = sheets();
    let body = cup + &others.concat();
    let ask = server.ask("POST", "/v1/records").token(&token).header("Accept", NDJSON);
    let lines = ask.body(TEXT, body).send().lines();
    assert_eq!(lines.len(), 59);
    for (index, line) in lines[..58].iter().enumerate() {
        let expected = if index < 56 { Value::Null } else { lines[0]["id"].clone() };
        assert_eq!(
            (&line["outcome"], &line["sheet_of"], &line["contradicts"]),
            (&json!("new"), &expected, &Value::Null)
        );
    }
}

#[test]
fn a_repeated_request_says_the_same() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let (cup, [other, _]) = sheets();
    server.keep(cup.as_bytes());
    let ask = || {
        let ask = server.ask("POST", "/v1/records").token(&token).header("Idempotency-Key", "one");
        ask.body(TEXT, other.as_str()).send()
    };
    let [first, second] = [ask(), ask()];
    assert_eq!((first.status, second.status), (201, 201));
    assert!(first.json()["sheet_of"].is_string());
    assert_eq!(first.json(), second.json());
}

const FIRST: &str = "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n";

#[test]
fn contradicting_sheets_are_on_the_page_of_the_event() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let [one, two] = [FIRST.to_owned(), FIRST.replace("0D0C", "0D0E")].map(|record| {
        let response = submit(&server, &token, &record);
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()
    });
    assert_eq!((&one["contradicts"], &two["contradicts"]), (&Value::Null, &one["id"]));
    let difference = json!({"ply": 4, "moves": ["0D0C", "0D0E"]});
    for table in ["standings", "crosstable", "encounters"] {
        let found = server.get(&format!("/v1/events/1/{table}")).json();
        assert_eq!(
            found["contradictions"],
            json!([{"ids": [one["id"], two["id"]], "difference": difference}]),
            "{table}"
        );
        assert_eq!(found["games"].as_array().map(Vec::len), Some(2), "both count");
        let page = server.get(&format!("/events/1?view={table}&lang=en")).text().to_owned();
        assert!(page.contains("Sheets that contradict each other"), "{table}");
        assert!(page.contains("they differ at ply 4: 0D0C in the first, 0D0E in the second"), "{table}");
        let page = server.get(&format!("/events/1?view={table}&lang=es")).text().to_owned();
        assert!(page.contains("difieren en la jugada 4: 0D0C en la primera, 0D0E en la segunda"), "{table}");
    }
    let encounter = server.get("/v1/events/1/encounters").json()["encounters"][0].clone();
    assert_eq!(encounter["state"], "irregular");
}
