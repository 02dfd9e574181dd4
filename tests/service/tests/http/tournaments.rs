//! Tournaments over HTTP: a small cup from the entry list to the standings, and the cases that go wrong.

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{
    engine,
    server::{Ask, Response, Server},
};
use quipu_tournament::standings::TournamentTieBreak;
use serde_json::{Value, json};

use super::{
    routes::{Operation, operations},
    submit::{CSV, JSON, TEXT},
};

/// A cup with an organiser.
pub(super) struct Cup {
    pub(super) server: Server,
    pub(super) token: String,
    pub(super) path: String,
}

const PLAYERS: &str =
    "name,rating,club\nRosa Quispe,2000,Puno\nLuis Tapia,1900,Lima\nAna Ruiz,1800,Cusco\nInés Soto,1700,Lima\n";

/// A game that side 1 wins.
pub(super) fn won(round: u32, [one, two]: [&str; 2]) -> String {
    format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"{round}\"]\n[Sol \"{one}\"]\n[Luna \"{two}\"]\n[Result \"1-0\"]\n\n\
         1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    )
}

pub(super) fn settings(name: &str) -> Value {
    json!({
        "name": name, "system": { "kind": "swiss" }, "rounds": 3, "encounter": { "kind": "single" }, "first_side": 1
    })
}

impl Cup {
    /// A tournament with four players.
    pub(super) fn new() -> Self {
        Self::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() })
    }

    /// The same on a service with other settings.
    pub(super) fn with(service: Settings) -> Self {
        let server = Server::with(service);
        let token = server.token(Scope::EventsAdmin);
        let body = json!({ "game": "andes", "settings": settings("Copa") });
        let made = server.ask("POST", "/v1/tournaments").token(&token).json(&body).send();
        assert_eq!(made.status, 201, "{}", made.text());
        let path = made.header("location").to_owned();
        let cup = Self { server, token, path };
        let entered = cup.post("/changes").body(CSV, PLAYERS).send();
        assert_eq!(entered.status, 201, "{}", entered.text());
        cup
    }

    fn ask(&self, method: &str, path: &str) -> Ask {
        let path = format!("{}{path}", self.path);
        self.server.ask(method, &path).token(&self.token).header("Accept-Language", "en")
    }

    pub(super) fn post(&self, path: &str) -> Ask {
        self.ask("POST", path)
    }

    #[track_caller]
    pub(super) fn get(&self, path: &str) -> Value {
        let response = self.ask("GET", path).send();
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()
    }

    fn change(&self, steps: &Value) -> Response {
        self.post("/changes").json(&json!({ "steps": steps, "reason": "x" })).send()
    }

    #[track_caller]
    pub(super) fn done(&self, steps: &Value) -> u64 {
        let response = self.change(steps);
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["change"].as_u64().expect("a number")
    }

    pub(super) fn pair(&self, body: &Value) -> Response {
        self.post("/pairings").json(body).send()
    }

    #[track_caller]
    pub(super) fn paired(&self) -> Value {
        let response = self.pair(&json!({}));
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()
    }

    /// Writes the result of a board for its players as they are.
    pub(super) fn result(&self, round: u32, board: usize, outcome: &str) -> Value {
        let entered = self.get("")["players"].clone();
        let number = |name: &Value| {
            let mut all = entered.as_array().expect("players").iter();
            all.find(|player| &player["name"] == name).expect("a player")["number"].clone()
        };
        let players = self.get(&format!("/rounds/{round}"))["boards"][board - 1]["players"].clone();
        let players: Vec<_> = players.as_array().expect("two").iter().map(number).collect();
        json!({
            "change": "result", "round": round, "board": board, "game": 1, "players": players,
            "result": { "outcome": outcome }
        })
    }

    fn undo(&self, change: u64) -> Response {
        let path = format!("/v1/changes/{change}/undo");
        self.server.ask("POST", &path).token(&self.token).json(&json!({ "reason": "a mistake" })).send()
    }
}

/// Makes the changes of a tournament unreadable.
pub(super) fn spoil(cup: &Cup) {
    let folder = cup.server.store.path().parent().expect("a folder");
    engine::spoil(folder, "UPDATE tournament_change SET body = '{'");
}

#[test]
fn a_cup_from_the_entry_list_to_the_standings() {
    let cup = Cup::new();
    let whole = cup.get("");
    assert_eq!((&whole["game"], &whole["settings"]["name"]), (&json!("andes"), &json!("Copa")));
    assert_eq!(whole["players"].as_array().map(Vec::len), Some(4));
    assert_eq!((&whole["players"][2]["name"], &whole["players"][2]["number"]), (&json!("Ana Ruiz"), &json!(3)));

    let dry = cup.post("/pairings?dry_run=yes").json(&json!({ "round": 1 })).send();
    assert_eq!(dry.status, 200, "{}", dry.text());
    let dry = dry.json();
    assert_eq!(dry["change"], Value::Null);
    assert_eq!(dry["boards"][0]["players"], json!(["Rosa Quispe", "Ana Ruiz"]));
    assert_eq!(dry["boards"][0]["explanation"]["bracket"], 1);
    assert_eq!(cup.get("")["paired"], json!([]), "a dry run changes nothing");
    let made = cup.paired();
    assert_eq!((&made["round"], &made["boards"][0]["players"]), (&json!(1), &dry["boards"][0]["players"]));

    cup.done(&json!([cup.result(1, 2, "draw")]));
    assert_eq!(cup.get("")["paired"], json!([{ "round": 1, "closed": false, "boards": 2, "missing": [1] }]));
    cup.pair(&json!({})).problem(409, "api.tournament");
    // The record of board 1 arrives.
    let id = quipu_referee::report::hex(&cup.server.keep(won(1, ["Rosa Quispe", "Ana Ruiz"]).as_bytes())[0]);
    let round = cup.get("/rounds/1");
    assert_eq!(round["boards"][0]["games"][0]["record"], json!(id));
    assert_eq!((&round["boards"][0]["scores"], &round["missing"]), (&json!([1, 0]), &json!([])));
    let refused = cup.change(&json!([cup.result(1, 1, "second")])).problem(409, "api.conflict");
    assert_eq!((&refused["conflict"], &refused["id"]), (&json!("has-record"), &json!(id)));

    let board = cup.get("/rounds/1/boards/2");
    assert_eq!((&board["players"], &board["scores"]), (&json!(["Inés Soto", "Luis Tapia"]), &json!([0.5, 0.5])));
    let start = board["starts"][0].as_str().expect("a text");
    assert!(start.contains("[Round \"1\"]\n[Board \"2\"]\n[Sol \"Inés Soto\"]\n[Luna \"Luis Tapia\"]"), "{start}");
    let writer = cup.server.token(Scope::RecordsWrite);
    assert_eq!(cup.server.ask("POST", "/v1/live").token(&writer).body(TEXT, start).send().status, 201);
    cup.ask("GET", "/rounds/1/boards/3").send().problem(404, "api.not-found");
    let second = cup.paired();
    assert_eq!(second["round"], 2);
    assert_eq!(cup.get("")["paired"][0]["closed"], true);
    let table = cup.get("/standings?round=1");
    let first = &table["rows"][0];
    assert_eq!((&first["name"], &first["score"], &first["records"]), (&json!("Rosa Quispe"), &json!(1), &json!([id])));
    assert!(first["figures"].as_array().is_some_and(|figures| figures[0]["parts"].is_array()), "{first}");
    let csv = cup.ask("GET", "/standings").header("Accept", "text/csv").send();
    assert!(csv.text().starts_with("place,name,score,wins,draws,losses,buchholz-cut1,"), "{}", csv.text());
    let csv = cup.ask("GET", "/rounds/1").header("Accept", "text/csv").send();
    assert_eq!(csv.text().lines().nth(1), Some("1,Rosa Quispe,Ana Ruiz,1,0"));

    let card = cup.get("/players/1");
    assert_eq!(card["rounds"][0]["encounter"]["opponent"], "Ana Ruiz");
    assert_eq!(card["rounds"][0]["encounter"]["games"][0]["record"], json!(id));
    assert_eq!(card["standing"]["place"], 1);
    let chances = cup.get("/what-if");
    assert_eq!((&chances["method"], chances["players"].as_array().map(Vec::len)), (&json!("bounds"), Some(4)));
    let listed = cup.server.get("/v1/tournaments").json();
    assert_eq!((&listed["items"][0]["name"], &listed["items"][0]["paired"]), (&json!("Copa"), &json!(2)));
}

#[test]
fn a_report_file_goes_out_and_comes_back() {
    let cup = Cup::new();
    cup.paired();
    cup.done(&json!([cup.result(1, 1, "first"), cup.result(1, 2, "forfeit-to-second")]));
    let json = cup.ask("GET", "/export?to=trf26").header("Accept", JSON).send().json();
    assert!(json["remarks"].as_array().is_some_and(|remarks| !remarks.is_empty()), "{json}");
    let file = cup.ask("GET", "/export?to=trf26").send().text().to_owned();
    assert_eq!(json["file"], file);
    let import = |query: &str, file: &str| {
        let path = format!("/v1/tournaments{query}");
        cup.server.ask("POST", &path).token(&cup.token).body(TEXT, file).send()
    };
    let again = import("?game=andes&name=Otra", &file);
    assert_eq!(again.status, 201, "{}", again.text());
    let number = again.json()["tournament"].clone();
    let round = cup.server.get(&format!("/v1/tournaments/{number}/rounds/1")).json();
    assert_eq!(round["boards"][0]["players"], cup.get("/rounds/1")["boards"][0]["players"]);
    assert_eq!(import("?game=andes", &file).problem(409, "api.conflict")["conflict"], "tournament-exists");
    import("", &file).problem(400, "api.parameter");
    import("?game=andes", "").problem(400, "api.body");
    import("?game=andes", "001    x\n").problem(400, "api.body");
}

#[test]
fn of_two_organisers_at_once_the_second_is_told() {
    let cup = Cup::new();
    let tag = cup.ask("GET", "").send().header("etag").to_owned();
    let enter = |name: &str| json!({ "steps": [{ "change": "enter", "player": { "name": name }, "first": 1 }] });
    let first = cup.post("/changes").header("If-Match", &tag).json(&enter("Eva Paz")).send();
    assert_eq!(first.status, 201, "{}", first.text());
    let late = cup.post("/changes").header("If-Match", &tag).json(&enter("Hugo Vera")).send();
    let version = late.problem(412, "api.version")["version"].clone();
    assert_eq!(version, first.json()["change"]);
    cup.post("/pairings").header("If-Match", &tag).json(&json!({})).send().problem(412, "api.version");
    let again = cup.post("/changes").header("If-Match", &format!("\"{version}\"")).json(&enter("Hugo Vera")).send();
    assert_eq!(again.status, 201, "{}", again.text());
    cup.post("/changes").header("If-Match", "x").json(&enter("Y")).send().problem(412, "api.version");
    // An undone change is a new version too.
    let change = again.json()["change"].as_u64().expect("a number");
    assert_eq!(cup.undo(change).status, 201);
    let version = format!("\"{change}\"");
    cup.post("/changes").header("If-Match", &version).json(&enter("Z")).send().problem(412, "api.version");
    assert_eq!(cup.get("")["players"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_round_is_paired_once() {
    let cup = Cup::new();
    let ask = || cup.post("/pairings").header("Idempotency-Key", "round-1").json(&json!({ "round": 1 })).send();
    let first = ask();
    assert_eq!(first.status, 201, "{}", first.text());
    // The response was lost: the same request again is answered with it.
    let again = ask();
    assert_eq!((again.status, again.text()), (201, first.text()));
    assert_eq!(again.header("idempotency-replayed"), "true");
    let twice = cup.pair(&json!({ "round": 1 })).problem(409, "api.tournament");
    assert_eq!(twice["faults"][0]["code"], "tournament.round-paired");
    let open = cup.pair(&json!({})).problem(409, "api.tournament");
    assert_eq!(open["faults"][0]["code"], "tournament.results-missing");
}

#[test]
fn a_result_for_a_board_that_was_paired_again_is_refused() {
    let cup = Cup::new();
    cup.paired();
    let result = cup.result(1, 1, "first");
    cup.post("/changes")
        .json(&json!({ "steps": [{ "change": "unpair", "round": 1 }] }))
        .send()
        .problem(400, "api.body");
    let clear = json!({ "change": "clear", "round": 1, "board": 1, "game": 1 });
    cup.post("/changes").json(&json!({ "steps": [clear] })).send().problem(400, "api.body");
    cup.done(&json!([{ "change": "unpair", "round": 1 }]));
    let by_hand = cup.pair(&json!({ "boards": [[1, 2], [4, 3]] }));
    assert_eq!(by_hand.status, 201, "{}", by_hand.text());
    assert!(by_hand.json()["remarks"].as_array().is_some_and(|remarks| !remarks.is_empty()));
    let refused = cup.change(&json!([result])).problem(409, "api.tournament");
    assert_eq!(refused["faults"][0]["code"], "tournament.other-players");
    // So is a record of the old board.
    cup.server.keep(won(1, ["Rosa Quispe", "Ana Ruiz"]).as_bytes());
    assert_eq!(cup.get("/rounds/1")["misfits"][0]["code"], "record.other-opponent");
}

#[test]
fn changes_hold_together_and_are_undone_together() {
    let cup = Cup::new();
    let before = cup.get("")["players"].clone();
    let refused = cup.change(&json!([
        { "change": "enter", "player": { "name": "Eva Paz" }, "first": 1 },
        { "change": "withdraw", "id": 9, "round": 1 }
    ]));
    let refused = refused.problem(409, "api.tournament");
    assert_eq!(
        (&refused["faults"][0]["code"], &refused["faults"][0]["facts"]["step"]),
        (&json!("tournament.unknown-player"), &json!("2"))
    );
    assert_eq!(cup.get("")["players"], before);
    let change = cup.done(&json!([
        { "change": "enter", "player": { "name": "Eva Paz" }, "first": 1 },
        { "change": "forbid", "players": [1, 5] }
    ]));
    assert_eq!(cup.get("")["forbidden"], json!([["Rosa Quispe", "Eva Paz"]]));
    assert_eq!(cup.undo(change).status, 201);
    let whole = cup.get("");
    assert_eq!((&whole["players"], &whole["forbidden"]), (&before, &json!([])));
    let twice = cup.change(&json!([{ "change": "enter", "player": { "name": " Ana Ruiz" }, "first": 1 }]));
    assert_eq!(twice.problem(409, "api.tournament")["faults"][0]["code"], "tournament.same-name");
}

#[test]
fn changes_that_cannot_be_read_or_belong_elsewhere() {
    let cup = Cup::new();
    for steps in [
        json!([]),
        json!([{ "change": "create", "settings": settings("Otra") }]),
        json!([{ "change": "pair", "round": 1, "boards": [[1, 2], [3, 4]] }]),
        json!([{ "change": "nothing" }]),
        json!([{ "change": "close", "round": "1" }]),
        json!([{ "change": "close", "round": 1, "more": 1 }]),
    ] {
        cup.change(&steps).problem(400, "api.body");
    }
    cup.paired();
    let mut forged = cup.result(1, 1, "first");
    forged["result"]["origin"] = json!({ "record": "0".repeat(64) });
    let forged = cup.change(&json!([forged])).problem(409, "api.tournament");
    assert_eq!(forged["faults"][0]["code"], "tournament.result-of-record");
    let csv = |list: &str| cup.post("/changes").body("text/csv", list).send();
    csv("club\nPuno\n").problem(400, "api.body");
    csv("name\n").problem(400, "api.body");
    for path in ["/rounds/2", "/standings?round=2", "/players/9"] {
        cup.ask("GET", path).send().problem(404, "api.not-found");
    }
    for path in ["/rounds/0", "/players/5000", "/export"] {
        cup.ask("GET", path).send().problem(400, "api.parameter");
    }
    let none = cup.server.ask("POST", "/v1/tournaments/99/pairings").token(&cup.token).json(&json!({})).send();
    none.problem(404, "api.not-found");
}

#[test]
fn a_known_tournament_is_not_sent_again_until_a_record_arrives() {
    let cup = Cup::new();
    cup.paired();
    let tag = cup.ask("GET", "/rounds/1").send().header("etag").to_owned();
    let ask = || cup.ask("GET", "/rounds/1").header("If-None-Match", &tag).send().status;
    assert_eq!(ask(), 304);
    cup.server.keep(won(1, ["Rosa Quispe", "Ana Ruiz"]).as_bytes());
    assert_eq!(ask(), 200);
}

#[test]
fn a_creation_is_checked_as_its_changes_are() {
    let cup = Cup::new();
    let create = |settings: Value, steps: Value| {
        let body = json!({ "game": "andes", "settings": settings, "steps": steps });
        cup.server.ask("POST", "/v1/tournaments").token(&cup.token).header("Accept-Language", "en").json(&body).send()
    };
    let enter = |name: &str| json!({ "change": "enter", "player": { "name": name }, "first": 1 });
    let twice = create(settings("Liga"), json!([enter("Eva Paz"), enter("Eva Paz ")])).problem(409, "api.tournament");
    let fault = &twice["faults"][0];
    assert_eq!((&fault["code"], &fault["facts"]["step"]), (&json!("tournament.same-name"), &json!("2")));
    let blank = create(settings(" "), json!([])).problem(409, "api.tournament");
    assert_eq!(blank["faults"][0]["code"], "tournament.unnamed");
    assert_eq!(create(settings("Copa "), json!([])).problem(409, "api.conflict")["conflict"], "tournament-exists");
    let describe = json!({ "change": "describe", "about": {} });
    create(settings("Liga"), json!(vec![describe; 10_001])).problem(413, "api.too-large");
    let order = json!({ "change": "tie-breaks", "order": ["wins"] });
    create(settings("Liga"), json!([order])).problem(400, "api.body");
    let paired = [enter("Eva Paz"), enter("Hugo Vera"), json!({ "change": "pair", "round": 1, "boards": [[1, 2]] })];
    create(settings("Liga"), json!(paired)).problem(400, "api.body");

    let two_legs = |name: &str, tie_breaks: Option<Value>| {
        let mut settings = settings(name);
        settings["encounter"] = json!({ "kind": "two-legs" });
        if let Some(order) = tie_breaks {
            settings["tie_breaks"] = order;
        }
        let made = create(settings, json!([]));
        assert_eq!(made.status, 201, "{}", made.text());
        cup.server.get(made.header("location")).json()["tie_breaks"].clone()
    };
    // The default of `quipu tournament new`.
    let usual = serde_json::to_value(TournamentTieBreak::by_points()).expect("JSON");
    assert_eq!(two_legs("Ida y vuelta", None), usual);
    assert_eq!(two_legs("Otra", Some(json!(["wins"]))), json!(["wins"]));
}

/// Points that the pieces of the game cannot be worth are refused, with the facts.
#[test]
fn points_are_those_of_all_pieces() {
    let cup = Cup::new();
    cup.paired();
    let with = |points: [u32; 2], counts: [[u32; 3]; 2]| {
        let mut result = cup.result(1, 1, "first");
        let tally = |side: usize| json!({ "points": points[side], "counts": counts[side] });
        result["result"]["tallies"] = json!([tally(0), tally(1)]);
        cup.change(&json!([result]))
    };
    let none = [[0; 3]; 2];
    let problem = with([31, 24], none).problem(409, "api.tournament");
    assert_eq!(problem["faults"][0]["code"], "tournament.impossible-points");
    let facts = json!({ "round": "1", "board": "1", "points": "31-24", "sum": "55", "pieces": "14", "least": "14", "most": "42" });
    assert_eq!(problem["faults"][0]["facts"], facts);
    let problem = with([16, 15], [[3, 2, 3], [4, 1, 2]]).problem(409, "api.tournament");
    assert_eq!(problem["faults"][0]["code"], "tournament.impossible-counts");
    assert_eq!(cup.get("/rounds/1")["boards"][0]["games"], json!([null]));
    assert_eq!(with([16, 15], [[3, 2, 3], [4, 1, 1]]).status, 201);
    assert_eq!(with([31, 11], none).status, 201);
}

/// A tie-break that is equal for all is allowed, with a remark, which a repeated request gets again.
#[test]
fn tie_breaks_that_say_nothing_get_a_remark() {
    let cup = Cup::new();
    let remark = |response: &Response| response.json()["remarks"][0]["code"].clone();
    let code = "tournament.tie-break-without-effect";
    let mut body = json!({ "game": "andes", "settings": settings("Liga") });
    body["settings"]["system"] = json!({ "kind": "round-robin" });
    body["settings"]["tie_breaks"] = json!(["buchholz", "wins"]);
    let made = cup.server.ask("POST", "/v1/tournaments").token(&cup.token).json(&body).send();
    assert_eq!((made.status, remark(&made)), (201, json!(code)), "{}", made.text());
    let order = |order: &[&str]| {
        let body = json!({ "steps": [{ "change": "tie-breaks", "order": order }], "reason": "x" });
        let path = format!("{}/changes", made.header("location"));
        let ask = cup.server.ask("POST", &path).token(&cup.token).header("Idempotency-Key", &order.join("-"));
        ask.json(&body).send()
    };
    for _ in 0..2 {
        let changed = order(&["wins", "buchholz-cut1"]);
        assert_eq!((changed.status, remark(&changed)), (201, json!(code)), "{}", changed.text());
    }
    assert_eq!(order(&["wins"]).json()["remarks"], json!([]));
    let swiss = cup.change(&json!([{ "change": "tie-breaks", "order": ["buchholz"] }]));
    assert_eq!(swiss.json()["remarks"], json!([]));
}

/// The changes of a tournament, and those that undid them, are found by its number.
#[test]
fn changes_of_one_tournament() {
    let cup = Cup::new();
    let body = json!({ "game": "andes", "settings": settings("Otra") });
    let other = cup.server.ask("POST", "/v1/tournaments").token(&cup.token).json(&body).send();
    let number = |response: &Response| response.json()["tournament"].as_u64().expect("a number");
    let own: u64 = cup.path.rsplit('/').next().and_then(|number| number.parse().ok()).expect("a number");
    let other = number(&other);
    cup.server.keep(won(1, ["Rosa Quispe", "Ana Ruiz"]).as_bytes());
    let paired = cup.paired()["change"].as_u64().expect("a number");
    let undone = cup.server.ask("POST", &format!("/v1/changes/{paired}/undo")).token(&cup.token);
    let undone = undone.json(&json!({ "reason": "x" })).send().json()["number"].as_u64().expect("a number");
    let numbers = |query: &str| {
        let found = cup.server.get(&format!("/v1/changes?{query}")).json();
        let items = found["items"].as_array().expect("items");
        items.iter().map(|change| change["number"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    let entered = own + 1;
    assert_eq!(numbers(&format!("tournament={own}")), [own, entered, paired, undone]);
    assert_eq!(numbers(&format!("tournament={own}&since={entered}&limit=1")), [paired]);
    assert_eq!(numbers(&format!("tournament={other}")), [other]);
    assert_eq!(numbers("tournament=99"), [0_u64; 0]);
    // It is about no record, so that other filters exclude it.
    assert_eq!(numbers(&format!("tournament={own}&game=andes")), [0_u64; 0]);
    cup.server.get("/v1/changes?tournament=Copa").problem(400, "api.parameter");
}

#[test]
fn an_entry_list_begins_with_the_next_round() {
    let cup = Cup::new();
    cup.paired();
    let list = cup.post("/changes").body(CSV, "name,shoe\nEva Paz,40\n").send();
    assert_eq!(list.status, 201, "{}", list.text());
    assert_eq!(list.json()["remarks"][0]["code"], "exchange.unused");
    assert_eq!(cup.get("")["players"][4]["first"], 2);
    let long: String = (0..5000).map(|number| format!("{number}\n")).collect();
    let long = cup.post("/changes").body(CSV, format!("name\n{long}")).send().problem(400, "api.body");
    assert_eq!(long["faults"][0]["code"], "tournament.too-many-players");
}

#[test]
fn the_version_counts_before_the_pairing() {
    let cup = Cup::new();
    let tag = cup.ask("GET", "").send().header("etag").to_owned();
    let pair = |query: &str| cup.post(&format!("/pairings{query}")).header("If-Match", &tag).json(&json!({}));
    let first = pair("").header("Idempotency-Key", "round-1").send();
    assert_eq!(first.status, 201, "{}", first.text());
    // The round is open, which only a pairing finds.
    pair("?dry_run=yes").send().problem(412, "api.version");
    // A repeated request pairs nothing, and does not even read the tournament.
    spoil(&cup);
    let again = pair("").header("Idempotency-Key", "round-1").send();
    assert_eq!((again.status, again.text()), (201, first.text()));
}

/// The service judges the body first.
#[test]
fn an_unreadable_body_counts_before_the_version() {
    let cup = Cup::new();
    let send = |path, version, media, body: &str| cup.post(path).header("If-Match", version).body(media, body).send();
    for version in ["1", "x"] {
        send("/changes", version, CSV, "club\nPuno\n").problem(400, "api.body");
        send("/changes", version, JSON, "{}").problem(400, "api.body");
        send("/pairings", version, JSON, "[]").problem(400, "api.body");
        send("/changes", version, CSV, "name\nEva Paz\n").problem(412, "api.version");
        send("/pairings", version, JSON, "{}").problem(412, "api.version");
    }
}

#[test]
fn the_document_has_the_steps_that_are_accepted() {
    let cup = Cup::new();
    let operations = operations(&cup.server);
    let is_made = |operation: &&Operation| operation.said["operationId"] == "tournament-change";
    let operation = operations.iter().find(is_made).expect("the operation");
    let validator = operation.validator(&operation.said["requestBody"]["content"][JSON]["schema"]);
    let steps = |step: Value| json!({ "steps": [step] });
    let withdraw = |id: u64| steps(json!({ "change": "withdraw", "id": id, "round": 1 }));
    for good in [withdraw(1), withdraw(4096), steps(json!({ "change": "close", "round": 1 }))] {
        assert!(validator.is_valid(&good), "{good}");
    }
    for refused in [
        withdraw(0),
        withdraw(4097),
        steps(json!({ "change": "create", "settings": settings("Otra") })),
        steps(json!({ "change": "pair", "round": 1, "boards": [[1, 2]] })),
        steps(json!({ "change": "close", "round": 1_u64 << 32 })),
    ] {
        assert!(!validator.is_valid(&refused), "{refused}");
        let response = cup.post("/changes").json(&refused).send();
        assert!(response.status == 400 || response.status == 409, "{}", response.text());
    }
}

#[test]
fn a_round_that_takes_longer_than_a_response_is_not_paired() {
    let cup = Cup::new();
    let list: String = (4..2001).map(|number| format!("{number}\n")).collect();
    assert_eq!(cup.post("/changes").body(CSV, format!("name\n{list}")).send().status, 201);
    for body in [json!({}), json!({ "boards": [[1, 2]], "force": true })] {
        let large = cup.pair(&body).problem(409, "api.conflict");
        assert_eq!(large["conflict"], "tournament-large");
    }
    // Nobody waits long for 2000 players, and here nobody waits for them at all.
    cup.done(&json!([{ "change": "withdraw", "id": 2001, "round": 1 }]));
    let few = cup.pair(&json!({ "boards": [[1, 1]] })).problem(409, "api.tournament");
    assert_eq!(few["faults"][0]["code"], "tournament.placed-twice");
}
