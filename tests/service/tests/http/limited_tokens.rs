//! Tokens for one tournament or one of its boards: the routes that take them, and all that they do not allow.

use quipu_archive::model::Attribution;
use quipu_options::Scope;
use serde_json::{Value, json};

use super::{
    routes::operations,
    submit::{CSV, TEXT, game},
    tournaments::{Cup, settings, spoil, won},
};

/// Makes a token with a limit.
fn limited(cup: &Cup, name: &str, limit: &Value) -> String {
    let admin = cup.server.token(Scope::Admin);
    let body = json!({ "name": name, "scopes": ["records:write", "events:admin"], "limit": limit });
    let made = cup.server.ask("POST", "/v1/tokens").token(&admin).json(&body).send();
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(&made.json()["limit"], limit);
    made.json()["token"].as_str().expect("a token").to_owned()
}

/// A game that nobody has played yet.
fn open(round: u32, [one, two]: [&str; 2]) -> String {
    format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"{round}\"]\n[Sol \"{one}\"]\n[Luna \"{two}\"]\n[Result \"*\"]\n\n*\n"
    )
}

#[test]
fn a_token_for_a_board_sends_its_result_its_record_and_its_game() {
    let cup = Cup::new();
    cup.paired();
    let token = limited(&cup, "board", &json!({ "tournament": 1, "round": 1, "board": 1 }));
    let ask = |method: &str, path: &str| cup.server.ask(method, path).token(&token).header("Accept-Language", "en");
    let change =
        |steps: Value| ask("POST", "/v1/tournaments/1/changes").json(&json!({ "steps": steps, "reason": "x" })).send();
    let (own, other) = (["Rosa Quispe", "Ana Ruiz"], ["Inés Soto", "Luis Tapia"]);

    let opened = ask("POST", "/v1/live").body(TEXT, open(1, own)).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let live = opened.header("location").to_owned();
    assert_eq!(ask("PUT", &live).header("If-Match", "*").body(TEXT, open(1, own)).send().status, 200);
    assert_eq!(change(json!([cup.result(1, 1, "draw")])).status, 201);
    assert_eq!(ask("POST", "/v1/records").body(TEXT, won(1, own)).send().status, 201);
    assert_eq!(cup.get("/rounds/1")["boards"][0]["games"][0]["origin"], "record");

    let before = cup.get("");
    let problem = change(json!([cup.result(1, 2, "draw")])).problem(403, "api.scope");
    assert_eq!(problem["limit"], json!({ "tournament": 1, "round": 1, "board": 1 }));
    for steps in [
        json!([{ "change": "close", "round": 1 }]),
        json!([{ "change": "clear", "round": 1, "board": 1, "game": 1 }]),
        json!([cup.result(1, 1, "draw"), cup.result(1, 2, "draw")]),
    ] {
        change(steps).problem(403, "api.scope");
    }
    ask("POST", "/v1/tournaments/1/changes").body(CSV, "name\nEva Paz\n").send().problem(403, "api.scope");
    for record in [
        won(1, other),
        won(2, own),
        won(1, own).replace("Copa", "Liga"),
        won(1, ["Rosa Quispe", "Luis Tapia"]),
        game("Ana", "Beto"),
    ] {
        ask("POST", "/v1/records").body(TEXT, record.clone()).send().problem(403, "api.scope");
        let many = [record.clone(), record].join("\n");
        ask("POST", "/v1/records").body(TEXT, many).send().problem(403, "api.scope");
    }
    ask("POST", "/v1/live").body(TEXT, open(1, other)).send().problem(403, "api.scope");
    ask("PUT", &live).header("If-Match", "*").body(TEXT, open(1, other)).send().problem(403, "api.scope");
    let foreign = cup
        .server
        .ask("POST", "/v1/live")
        .token(&cup.server.token(Scope::RecordsWrite))
        .body(TEXT, open(1, other))
        .send();
    let foreign = foreign.header("location").to_owned();
    ask("PUT", &foreign).header("If-Match", "*").body(TEXT, open(1, own)).send().problem(403, "api.scope");
    ask("POST", &format!("{foreign}/close")).header("If-Match", "*").send().problem(403, "api.scope");
    ask("POST", &format!("{foreign}/finish")).header("If-Match", "*").send().problem(403, "api.scope");
    let reason = json!({ "reason": "x" });
    ask("POST", "/v1/tournaments/1/pairings").json(&json!({})).send().problem(403, "api.scope");
    ask("POST", "/v1/tournaments")
        .json(&json!({ "game": "andes", "settings": settings("Otra") }))
        .send()
        .problem(403, "api.scope");
    ask("POST", "/v1/changes/1/undo").json(&reason).send().problem(403, "api.scope");
    ask("POST", "/v1/players/1/merges").json(&json!({ "into": 2, "reason": "x" })).send().problem(403, "api.scope");
    ask("POST", &format!("/v1/records/{}/retractions", "0".repeat(64))).json(&reason).send().problem(403, "api.scope");
    let after = cup.get("");
    assert_eq!((&after["version"], &after["paired"]), (&before["version"], &before["paired"]));
    // The live game of its own board ends as any other.
    assert_eq!(ask("POST", &format!("{live}/close")).header("If-Match", "*").send().status, 200);
}

#[test]
fn a_token_for_a_tournament_changes_no_other() {
    let cup = Cup::new();
    let token = limited(&cup, "organiser", &json!({ "tournament": 1 }));
    let ask = |path: &str| cup.server.ask("POST", path).token(&token);
    let enter = json!({ "steps": [{ "change": "enter", "player": { "name": "Eva Paz" }, "first": 1 }] });
    let change = ask("/v1/tournaments/1/changes").json(&enter).send().json()["change"].clone();
    let undo = |change: &Value| ask(&format!("/v1/changes/{change}/undo")).json(&json!({ "reason": "x" })).send();
    assert_eq!(undo(&change).status, 201);
    assert_eq!(ask("/v1/tournaments/1/pairings").json(&json!({})).send().status, 201);
    let other = json!({ "game": "andes", "settings": settings("Otra") });
    ask("/v1/tournaments").json(&other).send().problem(403, "api.scope");
    let made = cup.server.ask("POST", "/v1/tournaments").token(&cup.token).json(&other).send();
    let other = made.header("location").to_owned();
    ask(&format!("{other}/changes")).json(&enter).send().problem(403, "api.scope");
    ask(&format!("{other}/pairings?dry_run=yes")).json(&json!({})).send().problem(403, "api.scope");
    undo(&made.json()["tournament"]).problem(403, "api.scope");
    assert_eq!(ask("/v1/records").body(TEXT, won(1, ["Rosa Quispe", "Ana Ruiz"])).send().status, 201);
    ask("/v1/records").body(TEXT, game("Ana", "Beto")).send().problem(403, "api.scope");
}

/// A transaction compares names only: it is short, and all others wait for it.
#[test]
fn a_token_with_a_limit_has_its_tournament_read_once() {
    let cup = Cup::new();
    cup.paired();
    let own = ["Rosa Quispe", "Ana Ruiz"];
    let whole = limited(&cup, "organiser", &json!({ "tournament": 1 }));
    let board = limited(&cup, "board", &json!({ "tournament": 1, "round": 1, "board": 1 }));
    let submit =
        |token: &str, records: &str| cup.server.ask("POST", "/v1/records").token(token).body(TEXT, records).send();
    assert_eq!(submit(&board, &won(1, own)).status, 201);
    let opened = cup.server.ask("POST", "/v1/live").token(&board).body(TEXT, open(1, own)).send();
    let live = opened.header("location").to_owned();
    // From here on the tournament cannot be read again.
    spoil(&cup);
    for token in [&whole, &board] {
        let many = (0..500).map(|day| won(1, own).replace("[Round", &format!("[Site \"{day}\"]\n[Round")));
        let response = submit(token, &many.collect::<Vec<_>>().join("\n"));
        let last: Value = serde_json::from_str(response.text().lines().last().expect("lines")).expect("JSON");
        assert_eq!(last["summary"]["read"], 500, "{last}");
    }
    let save = || cup.server.ask("PUT", &live).token(&board).header("If-Match", "*").body(TEXT, open(1, own)).send();
    assert_eq!(save().status, 200);
    let other = cup.server.ask("PUT", &live).token(&board).header("If-Match", "*").body(TEXT, open(2, own)).send();
    other.problem(403, "api.scope");
}

#[test]
fn a_token_with_a_limit_follows_its_tournament() {
    let cup = Cup::new();
    cup.paired();
    let token = limited(&cup, "board", &json!({ "tournament": 1, "round": 1, "board": 1 }));
    let submit = |players| cup.server.ask("POST", "/v1/records").token(&token).body(TEXT, won(1, players)).send();
    let (before, after) = (["Rosa Quispe", "Ana Ruiz"], ["Rosa Quispe", "Luis Tapia"]);
    assert_eq!(submit(before).status, 201);
    submit(after).problem(403, "api.scope");
    cup.done(&json!([{ "change": "unpair", "round": 1 }]));
    submit(before).problem(403, "api.scope");
    assert_eq!(cup.pair(&json!({ "boards": [[1, 2], [4, 3]] })).status, 201);
    submit(before).problem(403, "api.scope");
    assert_eq!(submit(after).status, 201);
}

/// As records find their boards.
#[test]
fn a_token_for_a_board_takes_the_names_that_its_players_count_as() {
    let cup = Cup::new();
    cup.paired();
    let token = limited(&cup, "board", &json!({ "tournament": 1, "round": 1, "board": 1 }));
    let submit = || {
        let record = won(1, ["Rosa Quispe", "Anita Ruiz"]);
        cup.server.ask("POST", "/v1/records").token(&token).body(TEXT, record).send()
    };
    submit().problem(403, "api.scope");
    for name in ["Ana Ruiz", "Anita Ruiz"] {
        cup.server.keep(game(name, "Beto").as_bytes());
    }
    let by = Attribution { submitter: "x".to_owned(), author: None, reason: Some("the same person".to_owned()) };
    let merged = cup.server.store.write(move |writing| writing.merge("Ana Ruiz", "Anita Ruiz", &by)).wait();
    merged.expect("merged");
    assert_eq!(submit().status, 201);
    assert_eq!(cup.get("/rounds/1")["boards"][0]["games"][0]["origin"], "record");
}

#[test]
fn a_token_for_a_tournament_does_not_undo_its_creation() {
    let cup = Cup::new();
    let whole = limited(&cup, "organiser", &json!({ "tournament": 1 }));
    let undo = |token: &str, change: u64| {
        let ask = cup.server.ask("POST", &format!("/v1/changes/{change}/undo")).token(token);
        ask.json(&json!({ "reason": "x" })).send()
    };
    assert_eq!(undo(&whole, 2).status, 201);
    undo(&whole, 1).problem(403, "api.scope");
    assert_eq!(undo(&cup.token, 1).status, 201);
}

/// The routes that take a token with a limit. Each checks it itself.
const LIMITED: [&str; 8] =
    ["live-close", "live-finish", "live-open", "live-save", "submit", "tournament-change", "tournament-pair", "undo"];

#[test]
fn no_other_route_takes_a_token_with_a_limit() {
    let cup = Cup::new();
    let token = limited(&cup, "organiser", &json!({ "tournament": 1 }));
    let mut found = Vec::new();
    for operation in operations(&cup.server) {
        if operation.said["security"][0]["token"][0].is_null() {
            continue;
        }
        let response = cup.server.ask(&operation.method, &operation.path).token(&token).body("image/png", "x").send();
        if response.status == 403 {
            response.problem(403, "api.scope");
        } else {
            found.push(operation.said["operationId"].as_str().expect("an id").to_owned());
        }
    }
    found.sort_unstable();
    assert_eq!(found, LIMITED);
}

#[test]
fn limits_that_no_token_has() {
    let cup = Cup::new();
    let admin = cup.server.token(Scope::Admin);
    let make = |scope: &str, limit: Value| {
        let body = json!({ "name": "x", "scopes": [scope], "limit": limit });
        cup.server.ask("POST", "/v1/tokens").token(&admin).json(&body).send()
    };
    make("admin", json!({ "tournament": 1 })).problem(400, "api.body");
    for limit in [
        json!({ "tournament": 9 }),
        json!({ "tournament": 1, "round": 1 }),
        json!({ "tournament": 1, "board": 1 }),
        json!({ "tournament": 1, "round": 0, "board": 1 }),
        json!({ "round": 1, "board": 1 }),
    ] {
        make("records:write", limit).problem(400, "api.body");
    }
}
