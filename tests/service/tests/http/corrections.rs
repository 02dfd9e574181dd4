//! Decisions over HTTP: corrections, retractions, merges, undoing them, and their effects.

use quipu_archive::{model::RecordState, store::StoreError};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::server::{Response, Server};
use serde_json::{Value, json};

use crate::submit::{BAD, OPEN, TEXT, changes, find, game, in_other_forms};

/// A service with a token for corrections and other decisions.
struct ArbiterClient {
    server: Server,
    token: String,
}

impl ArbiterClient {
    fn new() -> Self {
        Self::with(Settings::default())
    }

    fn with(settings: Settings) -> Self {
        let server = Server::with(settings);
        let token = server.token(Scope::EventsAdmin);
        Self { server, token }
    }

    /// Stores games and returns their ids.
    fn keep(&self, games: &[&str]) -> Vec<String> {
        let ids = self.server.keep(games.join("\n").as_bytes());
        ids.iter().map(|id| quipu_referee::report::hex(id)).collect()
    }

    fn post(&self, path: &str, body: &Value) -> Response {
        let ask = self.server.ask("POST", path).token(&self.token).header("Accept-Language", "en");
        ask.json(body).send()
    }

    fn correct(&self, id: &str, record: &str) -> Response {
        let body = json!({ "record": record, "reason": "misread", "author": "The arbiter" });
        self.post(&format!("/v1/records/{id}/corrections"), &body)
    }

    fn retract(&self, id: &str) -> Response {
        self.post(&format!("/v1/records/{id}/retractions"), &json!({ "reason": "a friendly game" }))
    }

    fn merge(&self, name: &str, into: &Value) -> Response {
        let number = self.player(name);
        let body = json!({ "into": into, "reason": "the same person" });
        self.post(&format!("/v1/players/{number}/merges"), &body)
    }

    fn undo(&self, change: i64) -> Response {
        self.post(&format!("/v1/changes/{change}/undo"), &json!({ "reason": "it was right before" }))
    }

    /// The number of a name.
    fn player(&self, name: &str) -> i64 {
        let player = self.server.store.read(|reading| -> Result<_, StoreError> { reading.player_named(name) });
        player.expect("the archive answers").expect("there is this player").number
    }

    /// The number of games of a player that count.
    fn games(&self, name: &str) -> u64 {
        let number = self.player(name);
        let ratings = self.server.store.read(|reading| -> Result<_, StoreError> { reading.ratings(number) });
        ratings.expect("the archive answers").iter().map(|rating| rating.games).sum()
    }

    fn state(&self, id: &str) -> RecordState {
        find(&self.server, &json!(id)).expect("it is there").1
    }

    /// Checks the number of games of each player.
    #[track_caller]
    fn check_games(&self, expected: &[(&str, u64)]) {
        for (name, games) in expected {
            assert_eq!(self.games(name), *games, "{name}");
        }
    }
}

/// The change that a decision is, apart from when it was.
#[track_caller]
fn decided(response: &Response) -> Value {
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.header("content-language"), "en");
    let mut change = response.json();
    let at = change["at"].take();
    assert!(at.as_str().is_some_and(|at| at.len() == "2026-01-01T00:00:00.000Z".len() && at.ends_with('Z')), "{at}");
    change
}

/// Something stands against a decision: this, in these words.
#[track_caller]
fn check_conflict(response: &Response, conflict: &str, detail: &str) -> Value {
    let problem = response.problem(409, "api.conflict");
    assert_eq!(problem["conflict"], conflict, "{problem}");
    assert!(problem["detail"].as_str().expect("a text").contains(detail), "{problem}");
    problem
}

#[test]
fn a_correction_takes_the_place_of_a_record() {
    for (_, record) in in_other_forms("Ana", "Carla") {
        let desk = ArbiterClient::new();
        let old = &desk.keep(&[&game("Ana", "Beto")])[0];
        desk.check_games(&[("Ana", 1), ("Beto", 1)]);
        let response = desk.correct(old, &record);
        assert_eq!(response.status, 201, "{record}: {}", response.text());
        let stored = response.json();
        let new = stored["id"].as_str().expect("an id");
        assert_eq!(response.header("location"), format!("/v1/records/{new}"));
        assert_eq!([&stored["change"], &stored["verdict"]["index"]], [2, 1]);
        assert_eq!([&stored["status"], &stored["state"], &stored["verdict"]["id"]], ["verified", "current", new]);
        assert_eq!([desk.state(old), desk.state(new)], [RecordState::Corrected, RecordState::Current]);
        desk.check_games(&[("Ana", 1), ("Beto", 0), ("Carla", 1)]);
        let history = desk.server.store.read(|reading| -> Result<_, StoreError> { reading.changes(1, 9) });
        let by = history.expect("the archive answers").items.remove(0).by;
        assert_eq!((by.author.as_deref(), by.reason.as_deref()), (Some("The arbiter"), Some("misread")));
        assert!(by.submitter.starts_with("events:admin"), "{}", by.submitter);
    }
}

#[test]
fn a_chain_of_corrections_is_undone_from_its_end() {
    let desk = ArbiterClient::new();
    let first = &desk.keep(&[&game("Ana", "Beto")])[0];
    let id = |response: Response| response.json()["id"].as_str().expect("an id").to_owned();
    let second = id(desk.correct(first, &game("Ana", "Carla")));
    let third = id(desk.correct(&second, &game("Ana", "Dora")));
    desk.check_games(&[("Ana", 1), ("Beto", 0), ("Carla", 0), ("Dora", 1)]);
    // A corrected record is neither corrected again nor retracted: its replacement is.
    let problem = check_conflict(&desk.correct(first, &game("Ana", "Eva")), "corrected", &second);
    assert_eq!(problem["corrected_by"], second);
    assert_eq!(check_conflict(&desk.retract(&second), "corrected", &third)["corrected_by"], third);
    check_conflict(&desk.undo(2), "since", "2");
    assert_eq!(changes(&desk.server), 3);
    let undone = decided(&desk.undo(3));
    assert_eq!([&undone["number"], &undone["undoes"], &undone["kind"]], [&json!(4), &json!(3), &json!("undo")]);
    assert_eq!([desk.state(&second), desk.state(&third)], [RecordState::Current, RecordState::Retracted]);
    desk.check_games(&[("Ana", 1), ("Beto", 0), ("Carla", 1), ("Dora", 0)]);
    assert_eq!(check_conflict(&desk.undo(3), "undone", "4")["undone_by"], 4);
    decided(&desk.undo(2));
    assert_eq!([desk.state(first), desk.state(&second)], [RecordState::Current, RecordState::Retracted]);
    desk.check_games(&[("Ana", 1), ("Beto", 1), ("Carla", 0), ("Dora", 0)]);
    // A record that was taken out may come in again.
    assert_eq!(id(desk.correct(first, &game("Ana", "Dora"))), third);
    desk.check_games(&[("Ana", 1), ("Beto", 0), ("Dora", 1)]);
    let server = desk.server.restart();
    assert_eq!(find(&server, &json!(third)).map(|(_, state)| state), Some(RecordState::Current));
    assert_eq!(changes(&server), 6);
}

#[test]
fn a_record_is_retracted_and_comes_back() {
    let desk = ArbiterClient::new();
    let id = &desk.keep(&[&game("Ana", "Beto"), &game("Ana", "Carla")])[0];
    let change = decided(&desk.retract(id));
    let expected = json!({
        "number": 3, "at": null, "kind": "retraction", "submitter": change["submitter"], "author": null,
        "reason": "a friendly game", "record": id, "corrects": null, "name": null, "into": null, "undoes": null,
        "undone_by": null
    });
    assert_eq!(change, expected);
    assert_eq!(desk.state(id), RecordState::Retracted);
    desk.check_games(&[("Ana", 1), ("Beto", 0), ("Carla", 1)]);
    check_conflict(&desk.retract(id), "retracted", id);
    check_conflict(&desk.correct(id, &game("Ana", "Dora")), "retracted", id);
    decided(&desk.undo(3));
    desk.check_games(&[("Ana", 2), ("Beto", 1), ("Carla", 1)]);
}

#[test]
fn two_names_become_one_player_and_two_again() {
    let desk = ArbiterClient::new();
    desk.keep(&[&game("Ana", "Beto"), &game("Anna", "Carla"), &game("Ana María", "Carla")]);
    let change = decided(&desk.merge("Anna", &json!("Ana")));
    assert_eq!([&change["name"], &change["into"], &change["kind"]], ["Anna", "Ana", "merge"]);
    assert_eq!(change["number"], 4);
    desk.check_games(&[("Ana", 2), ("Beto", 1), ("Carla", 2)]);
    let change = decided(&desk.merge("Ana María", &json!(desk.player("Ana"))));
    assert_eq!([&change["name"], &change["into"]], ["Ana María", "Ana"]);
    desk.check_games(&[("Ana", 3)]);
    check_conflict(&desk.merge("Anna", &json!("Beto")), "merged", "“Anna” already counts as “Ana”");
    assert_eq!(check_conflict(&desk.merge("Beto", &json!("Anna")), "merged", "Ana")["counts_as"], "Ana");
    check_conflict(&desk.merge("Beto", &json!("Beto")), "same-player", "Beto");
    check_conflict(&desk.merge("Beto", &json!(desk.player("Beto"))), "same-player", "Beto");
    decided(&desk.undo(4));
    desk.check_games(&[("Ana", 2), ("Anna", 1)]);
    decided(&desk.undo(5));
    desk.check_games(&[("Ana", 1), ("Anna", 1), ("Ana María", 1)]);
}

#[test]
fn unknown_addresses_are_not_found() {
    let desk = ArbiterClient::new();
    let id = &desk.keep(&[&game("Ana", "Beto")])[0];
    let none = "0".repeat(64);
    let detail =
        |response: &Response| response.problem(404, "api.not-found")["detail"].as_str().expect("a text").to_owned();
    assert!(detail(&desk.correct(&none, &game("Ana", "Carla"))).contains(&none));
    assert!(detail(&desk.retract(&none)).contains(&none));
    assert!(detail(&desk.undo(99)).contains("99"));
    let merge = |number: i64, into: Value| {
        desk.post(&format!("/v1/players/{number}/merges"), &json!({ "into": into, "reason": "x" }))
    };
    let ana = desk.player("Ana");
    assert!(detail(&merge(99, json!("Ana"))).contains("99"));
    assert!(detail(&merge(ana, json!(98))).contains("98"));
    assert!(detail(&merge(ana, json!("Zoe"))).contains("Zoe"));
    desk.retract("xyz").problem(400, "api.id");
    desk.correct(&id.to_uppercase(), "x").problem(400, "api.id");
    desk.undo(0).problem(400, "api.parameter");
    assert_eq!(changes(&desk.server), 1);
}

#[test]
fn corrections_that_are_refused() {
    let desk = ArbiterClient::new();
    let ids = desk.keep(&[&game("Ana", "Beto"), &game("Ana", "Carla"), &game("Ana", "Dora")]);
    let rejected = desk.correct(&ids[0], BAD).problem(422, "andes.3.6");
    assert_eq!(rejected["verdict"]["diagnostics"][0]["token"], "2A1");
    let open = desk.correct(&ids[0], OPEN).problem(422, "api.incomplete");
    assert_eq!(open["verdict"]["status"], "incomplete");
    check_conflict(&desk.correct(&ids[0], &in_other_forms("Ana", "Beto")[0].1), "same", "the same");
    let there = check_conflict(&desk.correct(&ids[0], &game("Ana", "Carla")), "there", &ids[1]);
    assert_eq!([&there["id"], &there["state"]], [&ids[1], "current"]);
    assert_eq!(desk.correct(&ids[1], &game("Ana", "Eva")).status, 201);
    assert_eq!(check_conflict(&desk.correct(&ids[0], &game("Ana", "Carla")), "there", &ids[1])["state"], "corrected");
    // A retracted one is free.
    decided(&desk.retract(&ids[2]));
    assert_eq!(desk.correct(&ids[0], &game("Ana", "Dora")).json()["id"], ids[2]);
    for record in ["", " \n"] {
        let problem = desk.correct(&ids[2], record).problem(400, "api.body");
        assert_eq!(problem["detail"], "The body contains no record.");
    }
    let several = desk.correct(&ids[2], &format!("{}\n{OPEN}", game("A", "B"))).problem(400, "api.body");
    assert_eq!(several["detail"], "One record is expected, and the body contains several.");
    assert_eq!(changes(&desk.server), 6);
}

#[test]
fn submissions_cannot_be_undone_and_decisions_can() {
    let desk = ArbiterClient::new();
    let id = &desk.keep(&[&game("Ana", "Beto")])[0];
    assert_eq!(check_conflict(&desk.undo(1), "lasting", "1")["kind"], "record");
    decided(&desk.retract(id));
    decided(&desk.undo(2));
    assert_eq!(check_conflict(&desk.undo(3), "lasting", "3")["kind"], "undo");
    check_conflict(&desk.undo(2), "undone", "Change 3 has already undone change 2");
}

/// A body of a decision is refused, because of this.
#[track_caller]
fn check_body(desk: &ArbiterClient, id: &str, body: &str, detail: &str) {
    let path = format!("/v1/records/{id}/retractions");
    let ask = desk.server.ask("POST", &path).token(&desk.token).header("Accept-Language", "en");
    let problem = ask.body("application/json", body).send().problem(400, "api.body");
    assert!(problem["detail"].as_str().expect("a text").contains(detail), "{body}: {problem}");
}

#[test]
fn a_decision_has_a_reason() {
    let desk = ArbiterClient::new();
    let ids = desk.keep(&[&game("Ana", "Beto"), &game("Ana", "Carla")]);
    let id = &ids[0];
    check_body(&desk, id, "", "empty");
    check_body(&desk, id, " ", "empty");
    check_body(&desk, id, "x", "line 1, column 1");
    check_body(&desk, id, "[\"x\", \"y\"]", "not a JSON object");
    check_body(&desk, id, "{\"reason\": \"x\"", "well-formed JSON: line 1, column 14");
    check_body(&desk, id, "{}", "“reason”");
    check_body(&desk, id, "{\n\"reason\": 5}", "wrong type: line 2, column 11");
    check_body(&desk, id, "{\"reason\": \"x\", \"reason\": \"y\"}", "repeated");
    check_body(&desk, id, "{\"reason\": \"x\", \"why\": \"y\"}", "the member “why”; it accepts: author, reason");
    let reason = |text: String| json!({ "reason": text }).to_string();
    check_body(&desk, id, &reason(String::new()), "“reason” is a text of 1 to 2000 characters");
    check_body(&desk, id, &reason(" \n".to_owned()), "not blank");
    check_body(&desk, id, &reason("ñ".repeat(2_001)), "2000");
    let author = |text: String| json!({ "reason": "x", "author": text }).to_string();
    check_body(&desk, id, &author(" ".to_owned()), "“author” is a text of 1 to 200 characters");
    check_body(&desk, id, &author("ñ".repeat(201)), "200");
    check_body(&desk, id, &author("a\nb".to_owned()), "control characters");
    assert_eq!(changes(&desk.server), 2);
    for (id, body) in [
        (&ids[0], json!({ "reason": "ñ".repeat(2_000), "author": "ñ".repeat(200) })),
        (&ids[1], json!({ "reason": "two\nlines", "author": null })),
    ] {
        let change = decided(&desk.post(&format!("/v1/records/{id}/retractions"), &body));
        assert_eq!([&change["reason"], &change["author"]], [&body["reason"], &body["author"]]);
    }
    let merge = json!({ "into": true, "reason": "x" });
    desk.post(&format!("/v1/players/{}/merges", desk.player("Ana")), &merge).problem(400, "api.body");
}

#[test]
fn decisions_need_the_scope() {
    let desk = ArbiterClient::new();
    let id = &desk.keep(&[&game("Ana", "Beto")])[0];
    let writer = desk.server.token(Scope::RecordsWrite);
    let reason = json!({ "reason": "x" });
    for path in [
        format!("/v1/records/{id}/corrections"),
        format!("/v1/records/{id}/retractions"),
        format!("/v1/players/{}/merges", desk.player("Ana")),
        "/v1/changes/1/undo".to_owned(),
    ] {
        let ask = || desk.server.ask("POST", &path).json(&reason);
        ask().send().problem(401, "api.token");
        assert_eq!(ask().token(&writer).send().problem(403, "api.scope")["scope"], "events:admin");
        let ask = || desk.server.ask("POST", &path).token(&desk.token);
        ask().body(TEXT, "x").send().problem(415, "api.media");
        ask().json(&reason).header("Accept", "text/csv").send().problem(406, "api.not-acceptable");
    }
    assert_eq!(changes(&desk.server), 1);
    let admin = desk.server.token(Scope::Admin);
    let path = format!("/v1/records/{id}/retractions");
    assert_eq!(desk.server.ask("POST", &path).token(&admin).json(&reason).send().status, 201);
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let desk = ArbiterClient::with(Settings { max_body: 100, ..Settings::default() });
    let id = &desk.keep(&[&game("Ana", "Beto")])[0];
    desk.correct(id, &game("Ana", "Carla")).problem(413, "api.too-large");
}

#[test]
fn problems_are_told_in_spanish_too() {
    let desk = ArbiterClient::new();
    let id = &desk.keep(&[&game("Ana", "Beto")])[0];
    decided(&desk.retract(id));
    let path = format!("/v1/records/{id}/retractions");
    let response = desk.server.ask("POST", &path).token(&desk.token).json(&json!({ "reason": "x" })).send();
    let problem = response.problem(409, "api.conflict");
    assert_eq!(response.header("content-language"), "es");
    assert_eq!(problem["detail"], format!("El registro {id} está retirado."));
}

/// A decision with a key is carried out once, and answered the same again, however its JSON is written.
#[track_caller]
fn check_once(desk: &ArbiterClient, path: &str, body: &Value, other: &Value) {
    let ask = |body: String| {
        let ask = desk.server.ask("POST", path).token(&desk.token).header("Idempotency-Key", path);
        ask.header("Accept-Language", "en").body("application/json", body).send()
    };
    let before = changes(&desk.server);
    let first = ask(body.to_string());
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, ""), "{}", first.text());
    let again = ask(format!(" {body:#}\n"));
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, "true"), "{}", again.text());
    assert_eq!((again.text(), again.header("location")), (first.text(), first.header("location")));
    ask(other.to_string()).problem(422, "api.idempotency");
    assert_eq!(changes(&desk.server), before + 1, "{path}");
}

#[test]
fn a_key_holds_for_decisions_too() {
    let desk = ArbiterClient::new();
    let ids = desk.keep(&[&game("Ana", "Beto"), &game("Anna", "Carla")]);
    let (reason, other) = (json!({ "reason": "x" }), json!({ "reason": "y" }));
    let correction = |luna: &str| json!({ "record": game("Ana", luna), "reason": "x" });
    check_once(&desk, &format!("/v1/records/{}/corrections", ids[0]), &correction("Dora"), &correction("Eva"));
    check_once(&desk, &format!("/v1/records/{}/retractions", ids[1]), &reason, &other);
    check_once(&desk, "/v1/changes/4/undo", &reason, &other);
    let merge = |into: &str| json!({ "into": into, "reason": "x" });
    check_once(&desk, &format!("/v1/players/{}/merges", desk.player("Anna")), &merge("Ana"), &merge("Beto"));
    // A refused request may come again with its key.
    let ask = |body: &Value| {
        let path = "/v1/changes/5/undo";
        desk.server.ask("POST", path).token(&desk.token).header("Idempotency-Key", "k").json(body).send()
    };
    ask(&reason).problem(409, "api.conflict");
    ask(&other).problem(409, "api.conflict");
}

/// The response to a repeated request is rendered from its stored outcome, and still has the bytes of the first.
#[test]
fn a_repeated_request_has_its_first_response_after_later_changes() {
    let desk = ArbiterClient::new();
    let writer = desk.server.token(Scope::RecordsWrite);
    let submit = || {
        let ask = desk.server.ask("POST", "/v1/records").token(&writer).header("Accept-Language", "en");
        ask.header("Idempotency-Key", "k").body(TEXT, game("Ana", "Beto")).send()
    };
    let decide = |path: &str, body: &Value| {
        let ask = desk.server.ask("POST", path).token(&desk.token).header("Accept-Language", "en");
        ask.header("Idempotency-Key", path).json(body).send()
    };
    let stored = submit();
    let path = format!("/v1/records/{}", stored.json()["id"].as_str().expect("an id"));
    let (correct, retract) = (format!("{path}/corrections"), format!("{path}/retractions"));
    let (correction, reason) = (json!({ "record": game("Ana", "Dora"), "reason": "x" }), json!({ "reason": "x" }));
    let corrected = decide(&correct, &correction);
    assert_eq!(decided(&desk.undo(2))["number"], 3);
    let retracted = decide(&retract, &reason);
    assert_eq!(decided(&desk.undo(4))["number"], 5);
    let again = [submit(), decide(&correct, &correction), decide(&retract, &reason)];
    for (first, again) in [stored, corrected, retracted].iter().zip(&again) {
        assert_eq!((first.status, again.status, again.header("idempotency-replayed")), (201, 201, "true"));
        assert_eq!((again.text(), again.header("location")), (first.text(), first.header("location")));
    }
    assert_eq!(changes(&desk.server), 5);
}

#[test]
fn of_two_who_decide_at_once_one_is_first() {
    let desk = ArbiterClient::new();
    for round in 0..10 {
        let id = &desk.keep(&[&game("Ana", &format!("Beto {round}"))])[0];
        let before = changes(&desk.server);
        let statuses = std::thread::scope(|scope| {
            let one = scope.spawn(|| desk.retract(id).status);
            let other = scope.spawn(|| desk.correct(id, &game("Ana", &format!("Carla {round}"))).status);
            let mut statuses = [one, other].map(|one| one.join().expect("an answer"));
            statuses.sort_unstable();
            statuses
        });
        assert_eq!(statuses, [201, 409]);
        assert_eq!(changes(&desk.server), before + 1);
    }
}
