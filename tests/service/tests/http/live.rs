//! Live scoring: the desk, saving, spectators, and the end of a game.
//!
//! Taps of a move are tested in `tests/core/tests/scoring.rs`.

use std::{
    io::{BufRead, BufReader},
    thread,
    time::Duration,
};

use quipu_archive::{
    model::{Clocks, Draft, Submission},
    store::{Store, StoreError},
};
use quipu_notation::record::Chunk;
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::server::{Ask, Response, Server};
use serde_json::{Value, json};

use super::submit::{BAD, OPEN, TEXT, UNREADABLE, changes, game, in_other_forms};

/// A game without moves.
const NEW: &str = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result \"*\"]\n\n*\n";

/// A service with a token that may score games.
struct LiveService {
    server: Server,
    token: String,
}

impl LiveService {
    fn new() -> Self {
        let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
        let token = server.token(Scope::RecordsWrite);
        Self { server, token }
    }

    fn ask(&self, method: &str, path: &str) -> Ask {
        self.server.ask(method, path).token(&self.token).header("Accept-Language", "en")
    }

    #[track_caller]
    fn open(&self, record: &str) -> Response {
        let response = self.ask("POST", "/v1/live").body(TEXT, record).send();
        assert_eq!(response.status, 201, "{}", response.text());
        assert_eq!(response.header("location"), format!("/v1/live/{}", response.json()["live"]));
        response
    }

    fn save(&self, live: u64, seen: &str, record: &str) -> Response {
        self.ask("PUT", &format!("/v1/live/{live}")).header("If-Match", seen).body(TEXT, record).send()
    }

    fn act(&self, live: u64, what: &str, seen: &str) -> Response {
        self.ask("POST", &format!("/v1/live/{live}/{what}")).header("If-Match", seen).send()
    }

    #[track_caller]
    fn state(&self, live: u64) -> Value {
        self.server.get(&format!("/v1/live/{live}")).json()
    }

    #[track_caller]
    fn desk(&self, record: &str) -> Value {
        self.server.ask("POST", "/v1/desk?lang=en").body(TEXT, record).send().json()
    }
}

#[test]
fn the_desk_reports_the_state_of_a_game() {
    let service = LiveService::new();
    let desk = service.desk(NEW);
    assert_eq!([&desk["game"], &desk["first"], &desk["to_move"]], ["andes", "sol", "sol"]);
    assert_eq!([&desk["plies"], &desk["end"], &desk["fault"]], [&json!(0), &Value::Null, &Value::Null]);
    assert_eq!(desk["points"], json!({ "sol": 7, "luna": 7 }));
    assert_eq!((&desk["moves"]["count"], &desk["moves"]["complete"]), (&json!(69), &json!(true)));
    let list = desk["moves"]["list"].as_array().expect("a list");
    assert_eq!(list.len(), 69);
    assert!(list.contains(&json!({ "move": "0d3", "taps": ["0", "d3"] })));
    let things: Vec<_> = desk["beside"].as_array().expect("a list").iter().map(|thing| &thing["name"]).collect();
    assert_eq!(things, ["0", "1", "2", "3"]);
    let board = &desk["board"];
    assert_eq!((&board["columns"], board["cells"].as_array().map(Vec::len)), (&json!(7), Some(49)));
    assert!(board["picture"].as_str().expect("a text").starts_with("<svg"));
    assert_eq!(desk["text"], NEW.to_owned() + "\n");
    assert_eq!(desk["verdict"]["status"], "incomplete");
    let endings = desk["endings"].as_array().expect("a list");
    assert!(
        endings.iter().any(|ending| ending["tags"] == json!({ "Termination": "time" }) && ending["winner"] == "luna")
    );
}

#[test]
fn the_desk_stops_at_an_illegal_move_and_reports_it() {
    let service = LiveService::new();
    let desk = service.desk("[Game \"andes\"]\n\n1. 0d3 2A1 {[%clk 0:01:00]}\n2. what 0D0\n*\n");
    assert_eq!((&desk["plies"], &desk["to_move"], &desk["moves"]["list"]), (&json!(1), &json!("luna"), &json!([])));
    let fault = &desk["fault"];
    assert_eq!([&fault["ply"], &fault["token"], &fault["code"]], [&json!(2), &json!("2A1"), &json!("andes.3.6")]);
    assert!(!fault["suggestions"].as_array().expect("a list").is_empty());
    assert_eq!(desk["record"]["moves"].as_array().map(Vec::len), Some(4));
    assert_eq!(desk["sides"][1]["clock_ms"], Value::Null);
}

#[test]
fn the_desk_takes_one_record_that_can_be_played() {
    let service = LiveService::new();
    for (media, body) in in_other_forms("Ana", "Beto") {
        let desk = service.server.ask("POST", "/v1/desk").body(media, body).send().json();
        assert_eq!((&desk["plies"], &desk["end"]["result"]), (&json!(4), &json!("1-0")));
        assert_eq!(desk["endings"].as_array().map(Vec::len), Some(1));
    }
    let refused = |body: &str, status, code: &str| {
        service.server.ask("POST", "/v1/desk").body(TEXT, body).send().problem(status, code);
    };
    refused("", 400, "api.body");
    refused(&[NEW, OPEN].concat(), 400, "api.body");
    refused(&format!("{}{OPEN}", game("Ana", "Beto")), 400, "api.body");
    refused(UNREADABLE, 422, "record.syntax");
    refused("[Game \"chess\"]\n\n*\n", 422, "record.game");
    refused("[Game \"querni\"]\n\n*\n", 422, "record.setup");
    assert_eq!(changes(&service.server), 0, "nothing is stored");
}

#[test]
fn a_board_may_be_turned_and_dark() {
    let service = LiveService::new();
    let ask = |query: &str| service.server.ask("POST", &format!("/v1/desk?{query}")).body(TEXT, OPEN).send().json();
    let (plain, turned) = (ask("lang=en"), ask("lang=en&flip=yes&theme=dark"));
    let cells = |desk: &Value| desk["board"]["cells"].as_array().expect("a list").clone();
    assert!(cells(&plain).iter().eq(cells(&turned).iter().rev()));
    assert_ne!(plain["board"]["picture"], turned["board"]["picture"]);
    assert_eq!(cells(&plain)[24]["label"], "d3, persona · Sol");
}

#[test]
fn clocks_are_saved_beside_the_record() {
    let service = LiveService::new();
    let opened = service.open(NEW).json();
    assert_eq!([&opened["clocks_ms"], &opened["running"]], [&json!([null, null]), &Value::Null]);
    let save = |query: &str, seen: &str| {
        let path = format!("/v1/live/1?{query}");
        service.ask("PUT", &path).header("If-Match", seen).body(TEXT, OPEN).send()
    };
    let saved = save("clock_one=719500&clock_two=720000&running=yes", "\"1\"").json();
    assert_eq!(
        [&saved["version"], &saved["clocks_ms"], &saved["running"]],
        [&json!(2), &json!([719_500, 720_000]), &json!(true)]
    );
    // The same again is no new version; other clocks are.
    assert_eq!(save("clock_one=719500&clock_two=720000&running=yes", "\"1\"").json()["version"], 2);
    save("clock_one=719500&clock_two=700000&running=no", "\"1\"").problem(412, "api.version");
    assert_eq!(save("clock_one=719500&clock_two=700000&running=no", "\"2\"").json()["version"], 3);
    let page = service.server.get("/live/1?lang=en").text().to_owned();
    assert!(
        page.contains("The clocks are stopped.") && page.contains(">0:11:40<") && !page.contains("data-since"),
        "{page}"
    );
    // Without a word about the clocks those of the record stand.
    assert_eq!(save("", "\"3\"").json()["running"], Value::Null);
    let page = service.server.get("/live/1?lang=en").text().to_owned();
    assert!(!page.contains("The clocks are stopped.") && !page.contains("data-since"), "{page}");
    for query in ["clock_one=-1", "clock_two=1.5", "running=maybe", "running="] {
        save(query, "*").problem(400, "api.parameter");
    }
}

#[test]
fn a_game_is_opened_saved_and_finished() {
    let service = LiveService::new();
    let opened = service.open(NEW).json();
    assert_eq!([&opened["live"], &opened["version"], &opened["plies"]], [&json!(1), &json!(1), &json!(0)]);
    assert_eq!(opened["players"], json!(["Ana", "Beto"]));
    let saved = service.save(1, "\"1\"", OPEN);
    assert!(saved.header("etag").starts_with("\"2."), "{}", saved.header("etag"));
    assert_eq!([&saved.json()["version"], &saved.json()["plies"]], [2, 1]);
    // The ETag of a response is the next If-Match. Saving the same record again changes nothing, whatever the version.
    let etag = saved.header("etag").to_owned();
    assert_eq!(service.save(1, "\"1\"", OPEN).json()["version"], 2);
    let whole = game("Ana", "Beto");
    assert_eq!(service.save(1, &etag, &whole).json()["version"], 3);
    let list = service.server.get("/v1/live").json();
    assert_eq!((&list["items"][0]["version"], &list["next"]), (&json!(3), &Value::Null));
    assert_eq!(changes(&service.server), 0, "it is not in the archive yet");

    let finished = service.act(1, "finish", "\"3\"");
    assert_eq!(finished.status, 201, "{}", finished.text());
    let id = finished.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(finished.header("location"), format!("/v1/records/{id}"));
    service.server.get(&format!("/v1/records/{id}")).json();
    assert_eq!(service.state(1)["finished"], *id);
    assert_eq!(service.server.get("/v1/live").json()["items"], json!([]));
    // A repeated request gets the same response, whatever its version.
    let again = service.act(1, "finish", "\"3\"");
    assert_eq!((again.status, &again.json()["id"]), (200, &json!(id)));
    let problem = service.save(1, "*", OPEN).problem(409, "api.conflict");
    assert_eq!([&problem["conflict"], &problem["id"]], ["live-finished", &*id]);
    service.act(1, "close", "*").problem(409, "api.conflict");
    assert_eq!(changes(&service.server), 1);
}

#[test]
fn of_two_clients_that_save_the_second_gets_412() {
    let service = LiveService::new();
    service.open(NEW);
    assert_eq!(service.save(1, "\"1\"", OPEN).status, 200);
    let other = OPEN.replace("0d3", "0a1");
    let problem = service.save(1, "\"1\"", &other).problem(412, "api.version");
    assert_eq!(problem["version"], 2);
    service.act(1, "finish", "\"1\"").problem(412, "api.version");
    service.act(1, "close", "\"1\"").problem(412, "api.version");
    assert_eq!(service.state(1)["version"], 2);
    // With `*` a client overwrites any version.
    assert_eq!(service.save(1, "*", &other).json()["version"], 3);
    for seen in ["x", "\"\"", "\"x\""] {
        service.save(1, seen, NEW).problem(412, "api.version");
    }
    service.ask("PUT", "/v1/live/1").body(TEXT, NEW).send().problem(428, "api.precondition");
    for action in ["finish", "close"] {
        service.ask("POST", &format!("/v1/live/1/{action}")).send().problem(428, "api.precondition");
    }
    assert_eq!(service.state(1)["version"], 3);
    // Of several at the same time only one is saved.
    let answers: Vec<_> = thread::scope(|scope| {
        let save = |mv: &'static str| {
            let service = &service;
            scope.spawn(move || service.save(1, "\"3\"", &OPEN.replace("0d3", mv)).status)
        };
        ["0b0", "0c0", "0d0", "0e0"].map(save).into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|status| **status == 412).count(), 3, "{answers:?}");
}

#[test]
fn a_rejected_game_is_stored_only_on_request() {
    let service = LiveService::new();
    service.open(BAD);
    let problem = service.act(1, "finish", "*").problem(422, "andes.3.6");
    assert_eq!(problem["stored"], false);
    assert_eq!(service.state(1)["finished"], Value::Null);
    let problem = service.act(1, "finish?keep=refused", "\"1\"").problem(422, "andes.3.6");
    assert_eq!((&problem["stored"], &problem["id"]), (&json!(true), &service.state(1)["finished"]));
    let again = service.act(1, "finish?keep=refused", "\"1\"").json();
    assert_eq!((&again["id"], &again["status"]), (&problem["id"], &json!("rejected")));
    service.open(OPEN);
    service.act(2, "finish", "*").problem(422, "api.incomplete");
}

#[test]
fn a_game_that_is_in_the_archive_already_is_finished_too() {
    let service = LiveService::new();
    let whole = game("Ana", "Beto");
    let id = service.ask("POST", "/v1/records").body(TEXT, whole.clone()).send().json()["id"].clone();
    service.open(&whole);
    let finished = service.act(1, "finish", "*");
    assert_eq!((finished.status, &finished.json()["id"]), (200, &id));
    assert_eq!(service.state(1)["finished"], id);
}

#[test]
fn games_that_cannot_be_scored_are_refused() {
    let service = LiveService::new();
    let refused = |body: &str, status, code: &str| {
        service.ask("POST", "/v1/live").body(TEXT, body).send().problem(status, code);
    };
    refused("", 400, "api.body");
    refused(&[NEW, OPEN].concat(), 400, "api.body");
    refused(UNREADABLE, 422, "record.syntax");
    refused("[Game \"chess\"]\n\n*\n", 422, "record.game");
    refused("[Game \"querni\"]\n\n*\n", 422, "record.setup");
    service.open(NEW);
    let problem = service.save(1, "*", "[Game \"brandubh\"]\n\n*\n").problem(409, "api.conflict");
    assert_eq!(problem["conflict"], "live-game");
    for number in [2, 9_999] {
        service.save(number, "*", NEW).problem(404, "api.not-found");
        service.act(number, "finish", "*").problem(404, "api.not-found");
        service.act(number, "close", "*").problem(404, "api.not-found");
        service.server.get(&format!("/v1/live/{number}/feed")).problem(404, "api.not-found");
        service.server.get(&format!("/live/{number}")).problem(404, "api.not-found");
    }
    for scope in [None, Some(Scope::EventsAdmin)] {
        let (status, code) = scope.map_or((401, "api.token"), |_| (403, "api.scope"));
        let ask = |method: &str, path: &str| {
            let ask = service.server.ask(method, path).header("If-Match", "*");
            if let Some(scope) = scope { ask.token(&service.server.token(scope)) } else { ask }
        };
        ask("POST", "/v1/live").body(TEXT, NEW).send().problem(status, code);
        ask("PUT", "/v1/live/1").body(TEXT, OPEN).send().problem(status, code);
        ask("POST", "/v1/live/1/finish").send().problem(status, code);
        ask("POST", "/v1/live/1/close").send().problem(status, code);
    }
    assert_eq!(service.state(1)["version"], 1);
}

#[test]
fn a_game_has_at_most_256_kib() {
    const MAX_TEXT: usize = 256 * 1024;
    let service = LiveService::new();
    // Comments are at most 64 KiB each.
    let with = |bytes: usize| {
        let comments: String =
            (0..8).map(|at| format!("{{{}}}\n", "x".repeat(if at < 7 { 36 * 1024 } else { bytes }))).collect();
        NEW.replace("\n\n*", &format!("\n\n{comments}*"))
    };
    let length = |record: &str| service.desk(record)["text"].as_str().expect("a text").len();
    let room = MAX_TEXT - length(&with(1)) + 1;
    let longest = with(room);
    assert_eq!(length(&longest), MAX_TEXT);
    service.open(&longest);
    let longer = with(room + 1);
    service.server.ask("POST", "/v1/desk").body(TEXT, longer.clone()).send().problem(413, "api.too-large");
    service.ask("POST", "/v1/live").body(TEXT, longer.clone()).send().problem(413, "api.too-large");
    service.save(1, "*", &longer).problem(413, "api.too-large");
}

#[test]
fn a_token_has_at_most_200_open_games() {
    let service = LiveService::new();
    for _ in 0..200 {
        service.open(NEW);
    }
    let problem = service.ask("POST", "/v1/live").body(TEXT, NEW).send().problem(409, "api.conflict");
    assert_eq!(problem["conflict"], "live-many");
    let other = service.server.token(Scope::RecordsWrite);
    assert_eq!(service.server.ask("POST", "/v1/live").token(&other).body(TEXT, NEW).send().status, 201);
    assert_eq!(service.act(7, "close", "*").json()["live"], 7);
    service.server.get("/v1/live/7").problem(404, "api.not-found");
    // A number is never used again.
    assert_eq!(service.open(NEW).json()["live"], 202);
    let first = service.server.get("/v1/live?limit=150").json();
    let next = first["next"].as_str().expect("there are more");
    let rest = service.server.get(&format!("/v1/live?limit=150&cursor={next}")).json();
    let count = |page: &Value| page["items"].as_array().expect("a list").len();
    assert_eq!((count(&first), count(&rest), &rest["next"]), (150, 51, &Value::Null));
    assert_eq!(first["items"][0]["live"], 202);
}

#[test]
fn a_repeated_idempotency_key_opens_one_game() {
    let service = LiveService::new();
    let open = || service.ask("POST", "/v1/live").header("Idempotency-Key", "k").body(TEXT, NEW).send();
    let (one, other) = (open(), open());
    assert_eq!((one.text(), other.header("idempotency-replayed")), (other.text(), "true"));
    // The response is that of the game as it was opened.
    assert_eq!(service.save(1, "\"1\"", &NEW.replace("Beto", "Carla")).status, 200);
    assert_eq!(open().text(), one.text());
    assert_eq!(service.server.get("/v1/live").json()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn annotations_of_moves_are_stored() {
    let service = LiveService::new();
    let record = json!({
        "game": "andes", "tags": { "Sol": "Ana", "Luna": "Beto" }, "comments": ["[%undone 0a1 0:11:59.000]"],
        "moves": [
            { "move": "0d3", "clock_ms": 719_500, "comment": ["[%undone 2A3]", "[%undone 2A1 0:11:00.000 disputed]"] },
            { "move": "9z9", "clock_ms": 700_001, "comment": ["[%disputed]"] },
            { "move": "2a3" }
        ],
        "result": "*"
    });
    let opened = service.ask("POST", "/v1/live").json(&record).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let found = service.state(1)["record"].clone();
    assert_eq!(found["comments"], record["comments"]);
    assert_eq!(found["moves"][0], record["moves"][0]);
    assert_eq!(found["moves"][1]["comment"], "[%disputed]");
    assert_eq!(found["moves"][2], record["moves"][2]);
    // The same text is read back.
    let saved = service.ask("PUT", "/v1/live/1").header("If-Match", "\"1\"").json(&found).send();
    assert_eq!(saved.json()["version"], 1);
    let page = service.server.get("/live/1?lang=en");
    for said in ["(disputed)", "(undone: 2A1 0:11:00.000 (disputed))", "(not judged)"] {
        assert!(page.text().contains(said), "{said}");
    }
}

#[test]
fn a_restart_loses_nothing() {
    let mut service = LiveService::new();
    service.open(NEW);
    service.save(1, "*", OPEN);
    let before = service.state(1);
    service.server = service.server.restart();
    assert_eq!(service.state(1), before);
    assert_eq!(service.save(1, "\"2\"", &game("Ana", "Beto")).json()["version"], 3);
    assert_eq!(service.act(1, "finish", "\"3\"").status, 201);
    let checked = service.server.store.check(|_| (), |fault| panic!("{fault:?}")).expect("it can be checked");
    assert_eq!(checked.faults, 0);
}

/// The events of a feed, each with its id, its name and its data.
struct Feed(BufReader<Box<dyn std::io::Read>>);

impl Feed {
    #[track_caller]
    fn open(service: &LiveService, query: &str, last: Option<&str>) -> Self {
        let ask = service.server.ask("GET", &format!("/v1/live/1/feed{query}"));
        let ask = last.map_or_else(
            || service.server.ask("GET", &format!("/v1/live/1/feed{query}")),
            |last| ask.header("Last-Event-ID", last),
        );
        let response = ask.open();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self(BufReader::new(Box::new(response.into_body().into_reader())))
    }

    fn next(&mut self) -> Option<(String, String, Value)> {
        let (mut id, mut event) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("it ends well") == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("event", value)) => value.clone_into(&mut event),
                Some(("data", value)) => return Some((id, event, serde_json::from_str(value).expect("JSON"))),
                _ => {}
            }
        }
    }

    #[track_caller]
    fn expect(&mut self, version: u64, kind: &str, plies: u64) {
        let (id, event, data) = self.next().expect("an event");
        assert_eq!((&*id, &*event), (&*version.to_string(), kind));
        assert_eq!((&data["version"], &data["plies"]), (&json!(version), &json!(plies)));
    }
}

#[test]
fn spectators_are_notified_at_once() {
    let service = LiveService::new();
    service.open(NEW);
    let mut feed = Feed::open(&service, "", None);
    feed.expect(1, "saved", 0);
    service.save(1, "*", OPEN);
    feed.expect(2, "saved", 1);
    // A client that comes back has missed nothing, and receives nothing twice.
    let mut back = Feed::open(&service, "?since=1", Some("2"));
    service.save(1, "*", &game("Ana", "Beto"));
    back.expect(3, "saved", 4);
    feed.expect(3, "saved", 4);
    Feed::open(&service, "", Some("1")).expect(3, "saved", 4);
    // An id that is none is ignored, and `since` holds.
    Feed::open(&service, "", Some("x")).expect(3, "saved", 4);
    Feed::open(&service, "?since=99", None).expect(3, "saved", 4);
    service.act(1, "finish", "*");
    for feed in [&mut feed, &mut back] {
        feed.expect(4, "finished", 4);
        assert_eq!(feed.next(), None);
    }
    // The feed of a finished game ends.
    assert_eq!(Feed::open(&service, "?since=4", None).next(), None);
}

/// The service hears of such a commit by looking only.
#[test]
fn spectators_see_what_another_program_saves() {
    let service = LiveService::new();
    service.open(NEW);
    service.open(NEW);
    let mut feed = Feed::open(&service, "", None);
    feed.expect(1, "saved", 0);
    let other = Store::open(service.server.store.path().parent().expect("a folder")).expect("the same archive");
    let submission = Submission::all(&Chunk::new(OPEN.as_bytes())).next().expect("a record");
    let draft = Draft::new(&submission).expect("a game");
    let saved = other.write(move |writing| -> Result<_, StoreError> {
        Ok(writing.save_live(1, Some(1), &draft, Clocks::default()).is_ok())
    });
    assert!(saved.wait().expect("it is written"));
    feed.expect(2, "saved", 1);
}

#[test]
fn spectators_are_notified_when_a_game_is_closed() {
    let service = LiveService::new();
    service.open(OPEN);
    let mut feed = Feed::open(&service, "?since=1", None);
    let closed = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            service.act(1, "close", "\"1\"")
        });
        feed.next()
    });
    let (_, event, data) = closed.expect("an event");
    assert_eq!((&*event, &data["plies"]), ("closed", &json!(1)));
    assert_eq!(feed.next(), None);
    service.server.get("/v1/live/1/feed").problem(404, "api.not-found");
}

#[test]
fn random_starts_follow_from_their_seed() {
    let server = Server::start();
    let deal = server.get("/v1/games/querni/deal?seed=7").json();
    assert_eq!(deal, server.get("/v1/games/querni/deal?seed=7").json());
    assert_eq!(deal["seed"], 7);
    let position = deal["position"].as_str().expect("a text");
    assert!(position.ends_with(" a 0 0"), "{position}");
    let rosa = server.get("/v1/games/querni/deal?seed=7&first=rosa").json();
    assert_eq!(rosa["position"], position.replace(" a 0 0", " r 0 0"));
    let any: Vec<_> = (0..4).map(|_| server.get("/v1/games/querni/deal").json()["position"].to_string()).collect();
    assert!(any.iter().any(|one| *one != any[0]), "they are dealt at random");
    server.get("/v1/games/querni/deal?first=sol").problem(404, "api.not-found");
    server.get("/v1/games/andes/deal").problem(404, "api.not-found");
}

#[test]
fn pages_show_games_in_progress() {
    let service = LiveService::new();
    assert!(service.server.get("/live?lang=en").text().contains("No games are being scored now."));
    service.open(&OPEN.replace("Ana", "Ana <b>"));
    for path in ["/live", "/keep", "/keep?game=querni"] {
        let page = service.server.get(&format!("{path}{}lang=es", if path.contains('?') { '&' } else { '?' }));
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text().contains("Ana &lt;b&gt; – Beto"), "{path}");
    }
    let page = service.server.get("/live/1?lang=es");
    assert!(page.text().contains("Ana &lt;b&gt; – Beto") && page.text().contains("0d3"));
    let etag = page.header("etag").to_owned();
    assert_eq!(service.server.ask("GET", "/live/1?lang=es").header("If-None-Match", &etag).send().status, 304);
    let file = service.server.get("/live/1/game.quipu");
    assert_eq!(file.text(), service.state(1)["text"].as_str().expect("a text"));
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"andes-1.quipu\"");
    for (path, id) in [("/keep", "keep"), ("/keep/desk", "desk")] {
        assert!(service.server.get(path).text().contains(&format!("id=\"{id}\"")), "{path}");
    }
    // A desk without a game leads to the games of the device, with a script and without one.
    let desk = service.server.get("/keep/desk?lang=en");
    assert!(desk.text().contains("data-keep=\"/keep\"") || desk.text().contains("data-keep=\"/keep?lang=en\""));
    let (_, without) = desk.text().split_once("<noscript>").expect("it says that it needs a script");
    let (without, _) = without.split_once("</noscript>").expect("it ends");
    assert!(without.contains("href=\"/keep") && without.contains("All games on this device"), "{without}");
}
