//! Live scoring of the boards of a tournament: the page that a code opens, the codes of scoresheets with and without tokens, and
//! the time control.

use chrono::{DateTime, TimeDelta, Utc};
use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{
    server::{Response, Server},
    sheet_codes::sheet_codes,
};
use serde_json::{Value, json};

use super::{
    pages::{BROWSER, between, check, open},
    repair::field,
    submit::TEXT,
    tournaments::{Cup, settings, won},
};

const FORM: &str = "application/x-www-form-urlencoded";
const URL: &str = "https://cup.example";

fn cup_at(url: &str) -> Cup {
    Cup::with(Settings {
        public_url: url.to_owned(),
        address_rate: 1_000_000,
        token_rate: 1_000_000,
        ..Settings::default()
    })
}

/// A paired round.
fn paired_at(url: &str) -> Cup {
    let cup = cup_at(url);
    cup.paired();
    cup
}

/// The same on a service that knows its address.
fn paired() -> Cup {
    paired_at(URL)
}

fn start(cup: &Cup, board: u32) -> String {
    cup.get(&format!("/rounds/1/boards/{board}"))["starts"][0].as_str().expect("a text").to_owned()
}

#[track_caller]
fn page(server: &Server, path: &str, status: u16) -> String {
    for lang in ["es", "en"] {
        check(path, &open(server, path, lang), status, lang);
    }
    open(server, path, "en").text().to_owned()
}

#[test]
fn a_time_control_is_set_changed_and_shown() {
    let cup = paired_at("");
    assert_eq!(cup.get("").get("time_control"), None);
    assert!(!start(&cup, 1).contains("TimeControl"));
    let change = |seconds: Value, reason: bool| {
        let mut body = json!({ "steps": [{ "change": "time-control", "seconds": seconds }] });
        if reason {
            body["reason"] = json!("a hall that closes early");
        }
        cup.post("/changes").json(&body).send()
    };
    change(json!(900), false).problem(400, "api.body");
    assert_eq!(change(json!(900), true).status, 201);
    assert_eq!(cup.get("")["time_control"], 900);
    assert!(start(&cup, 1).contains("[TimeControl \"900\"]\n[Result \"*\"]\n"));
    assert!(page(&cup.server, "/tournaments/1", 200).contains("<dd>15 min</dd>"));
    // Twelve seconds are twelve minutes, written wrongly.
    let refused = change(json!(12), true).problem(409, "api.tournament");
    assert!(refused["detail"].as_str().expect("a text").contains("between 60 and 36000"), "{refused}");
    assert_eq!(change(Value::Null, true).status, 201);
    assert_eq!(cup.get("").get("time_control"), None);

    let mut settings = settings("Otra");
    settings["time_control"] = json!(61);
    let body = json!({ "game": "querni", "settings": settings });
    let made = cup.server.ask("POST", "/v1/tournaments").token(&cup.token).json(&body).send();
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(page(&cup.server, &made.header("location").replace("/v1", ""), 200).contains("<dd>61 s</dd>"));
    (settings["name"], settings["time_control"]) = (json!("Tercera"), json!(36_001));
    let body = json!({ "game": "querni", "settings": settings });
    cup.server.ask("POST", "/v1/tournaments").token(&cup.token).json(&body).send().problem(409, "api.tournament");
}

#[test]
fn the_page_of_a_board_has_names_and_clock() {
    let cup = paired_at("");
    let first = page(&cup.server, "/keep/1/1/1/1?players=1-3", 200);
    for hidden in [
        r#"data-tag="Sol" data-label="Sol" value="Rosa Quispe""#,
        r#"data-tag="Luna" data-label="Luna" value="Ana Ruiz""#,
        r#"data-tag="Event" value="Copa""#,
        r#"data-tag="Round" value="1""#,
        r#"data-tag="Board" value="1""#,
    ] {
        assert!(first.contains(hidden), "{hidden}: {first}");
    }
    // The clock is that of the game, unless the tournament has one.
    assert!(first.contains(r#"data-seconds="720""#) && first.contains("<dd>12 min</dd>"), "{first}");
    let known = page(&cup.server, "/keep/1/1/1/1", 200);
    let form = |page: &str| between(page, "<form id=\"new\"", "</form>").to_owned();
    assert_eq!(form(&known), form(&first), "an address that was typed");
    let paired_again = page(&cup.server, "/keep/1/1/1/1?players=1-2", 200);
    assert!(paired_again.contains("paired again") && paired_again.contains("href=\"/keep/1/1/1/1\""), "{paired_again}");
    assert!(!paired_again.contains("<form"), "{paired_again}");
    for (path, said) in [
        ("/keep/9/1/1/1", "no tournament number 9"),
        ("/keep/1/2/1/1", "Round 2 of tournament 1 is not paired"),
        ("/keep/1/1/3/1", "has no board 3"),
        ("/keep/1/1/1/2", "has no game 2"),
    ] {
        let found = page(&cup.server, path, 404);
        assert!(found.contains(said), "{path}: {found}");
    }
    // It is being scored, which the round shows at once.
    let tag = open(&cup.server, "/tournaments/1/rounds/1", "en").header("etag").to_owned();
    let writer = cup.server.token(Scope::RecordsWrite);
    let opened = cup.server.ask("POST", "/v1/live").token(&writer).body(TEXT, start(&cup, 1)).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let round = || cup.server.ask("GET", "/tournaments/1/rounds/1").header("Accept-Language", "en");
    let shown = round().header("If-None-Match", &tag).send();
    assert_eq!(shown.status, 200);
    assert_eq!(shown.text().matches("<a href=\"/live/1\">being played</a>").count(), 1, "{}", shown.text());
    let scored = page(&cup.server, "/keep/1/1/1/1", 200);
    assert!(scored.contains("/keep/desk#live-1/1/1/1/1") && scored.contains("href=\"/live/1\""), "{scored}");
    assert!(page(&cup.server, "/keep/1/1/2/1", 200).contains("<form"), "the other board is free");
    // It may be begun at any time, so no browser keeps the page.
    let now = open(&cup.server, "/keep/1/1/1/1", "en");
    assert_eq!((now.header("cache-control"), now.header("etag")), ("no-store", ""));
    // The game is over.
    cup.server.keep(won(1, ["Rosa Quispe", "Ana Ruiz"]).as_bytes());
    let decided = page(&cup.server, "/keep/1/1/1/1", 200);
    assert!(decided.contains("has its result already") && decided.contains("/records/"), "{decided}");
    assert!(!round().send().text().contains("being played"));
}

/// Of several games with the same sides, the record of the game in progress says the leg.
#[test]
fn games_of_an_encounter_have_pages_of_their_own() {
    let server = Server::with(Settings { address_rate: 1_000_000, ..Settings::default() });
    let token = server.token(Scope::EventsAdmin);
    let mut settings = settings("Liga");
    settings["encounter"] = json!({ "kind": "games", "count": 4 });
    let players = ["Ana", "Eva"].map(|name| json!({ "change": "enter", "player": { "name": name }, "first": 1 }));
    let body = json!({ "game": "pastores", "settings": settings, "steps": players });
    assert_eq!(server.ask("POST", "/v1/tournaments").token(&token).json(&body).send().status, 201);
    assert_eq!(server.ask("POST", "/v1/tournaments/1/pairings").token(&token).json(&json!({})).send().status, 201);
    let board = server.get("/v1/tournaments/1/rounds/1/boards/1").json();
    let writer = server.token(Scope::RecordsWrite);
    let third = board["starts"][2].as_str().expect("a text").replace("[Result", "[First \"norte\"]\n[Result");
    let opened = server.ask("POST", "/v1/live").token(&writer).body(TEXT, third).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    for leg in 1..=4 {
        let found = page(&server, &format!("/keep/1/1/1/{leg}"), 200);
        assert_eq!(found.contains("being scored already"), leg == 3, "{leg}");
        // The one who begins is drawn by lot at the board, and this game has no clock of its own.
        assert_eq!(found.contains("id=\"first\""), leg != 3, "{leg}");
        assert_eq!(found.contains("data-seconds=\"0\""), leg != 3, "{leg}");
        assert!(found.contains(&format!("data-place=\"1/1/1/{leg}\"")), "{found}");
    }
}

#[test]
fn scoresheets_have_codes_if_the_service_knows_its_address() {
    let cup = paired();
    let sheets = |cup: &Cup| sheet_codes(&cup.server.get("/tournaments/1/rounds/1/sheets.pdf").body);
    let addresses = ["1/1/1/1?players=1-3", "1/1/2/1?players=4-2"].map(|path| format!("{URL}/keep/{path}"));
    assert_eq!(sheets(&cup), addresses);
    for address in addresses {
        assert!(open(&cup.server, &address[URL.len()..], "en").text().contains("<form"));
    }
    let organise = open(&cup.server, "/tournaments/1/organise", "en").text().to_owned();
    assert!(organise.contains("formaction=\"/tournaments/1/rounds/1/sheets.pdf\""), "{organise}");
    let unknown = paired_at("");
    assert_eq!(sheets(&unknown), [""; 0]);
    let organise = page(&unknown.server, "/tournaments/1/organise", 200);
    assert!(organise.contains("have no QR code") && !organise.contains("formaction"), "{organise}");
    let refused = print(&unknown, &unknown.token, "24");
    assert!(refused.problem(409, "api.tournament")["detail"].as_str().expect("a text").contains("public_url"));
}

/// Asks for scoresheets whose codes have tokens.
fn print(cup: &Cup, token: &str, hours: &str) -> Response {
    let fields = [field("token", token), field("hours", hours)].join("&");
    let ask = cup.server.ask("POST", "/tournaments/1/rounds/1/sheets.pdf").header("Accept-Language", "en");
    ask.body(FORM, fields).send()
}

#[test]
fn codes_may_keep_score_of_their_board_alone() {
    let cup = paired();
    let printed = print(&cup, &cup.token, "2");
    assert_eq!((printed.status, printed.header("content-type")), (200, "application/pdf"), "{}", printed.text());
    assert_eq!(printed.header("cache-control"), "no-store");
    let codes = sheet_codes(&printed.body);
    let tokens: Vec<_> = codes.iter().map(|code| code.split_once("#token=").expect("a token")).collect();
    assert_eq!(
        tokens.iter().map(|(address, _)| *address).collect::<Vec<_>>(),
        [format!("{URL}/keep/1/1/1/1?players=1-3"), format!("{URL}/keep/1/1/2/1?players=4-2")]
    );
    // From the start of its game to the result of the board.
    let ask = |board: usize, method: &str, path: &str| cup.server.ask(method, path).token(tokens[board - 1].1);
    let opened = ask(1, "POST", "/v1/live").body(TEXT, start(&cup, 1)).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let live = opened.header("location").to_owned();
    let whole = start(&cup, 1).replace("[Result \"*\"]\n\n*", "[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0");
    let saved = ask(1, "PUT", &live).header("If-Match", "*").body(TEXT, whole).send();
    assert_eq!(saved.status, 200, "{}", saved.text());
    ask(2, "PUT", &live).header("If-Match", "*").body(TEXT, start(&cup, 2)).send().problem(403, "api.scope");
    let finished = ask(1, "POST", &format!("{live}/finish")).header("If-Match", "*").send();
    assert_eq!(finished.status, 201, "{}", finished.text());
    assert_eq!(cup.get("/rounds/1")["boards"][0]["games"][0]["origin"], "record");
    ask(2, "POST", "/v1/live").body(TEXT, start(&cup, 1)).send().problem(403, "api.scope");
    ask(1, "POST", "/v1/records").body(TEXT, won(1, ["Inés Soto", "Luis Tapia"])).send().problem(403, "api.scope");
    let steps = json!({ "steps": [{ "change": "close", "round": 1 }] });
    ask(1, "POST", "/v1/tournaments/1/changes").json(&steps).send().problem(403, "api.scope");
}

#[test]
fn tokens_of_codes_expire_and_are_few() {
    let cup = paired();
    let admin = cup.server.token(Scope::Admin);
    let tokens = || {
        let all = cup.server.ask("GET", "/v1/tokens").token(&admin).send().json()["items"].clone();
        let all = all
            .as_array()
            .expect("a list")
            .iter()
            .filter(|token| token.get("limit").is_some_and(|limit| !limit.is_null()));
        all.cloned().collect::<Vec<_>>()
    };
    for (token, hours, status, code) in [
        ("", "24", 401, "api.token"),
        (&*cup.server.token(Scope::RecordsWrite), "24", 403, "api.scope"),
        (&*cup.token, "0", 409, "api.tournament"),
        (&*cup.token, "169", 409, "api.tournament"),
        (&*cup.token, "1.5", 409, "api.tournament"),
    ] {
        print(&cup, token, hours).problem(status, code);
    }
    assert_eq!(tokens(), Vec::<Value>::new());
    for _ in 0..5 {
        assert_eq!(print(&cup, &cup.token, "168").status, 200);
    }
    let made = tokens();
    assert_eq!(made.len(), 10);
    for token in &made {
        assert_eq!(token["scopes"], json!(["records:write"]));
        let expires: DateTime<Utc> = token["expires"].as_str().expect("a time").parse().expect("RFC 3339");
        let left = expires - Utc::now();
        assert!((1..=168).contains(&left.num_hours()), "{token}");
    }
    // Those of the sixth are in place of the oldest, and a token that was made by hand stays.
    let body = json!({
        "name": "hand", "scopes": ["records:write"], "limit": { "tournament": 1, "round": 1, "board": 1 }
    });
    assert_eq!(cup.server.ask("POST", "/v1/tokens").token(&admin).json(&body).send().status, 201);
    assert_eq!(print(&cup, &cup.token, "24").status, 200);
    let revoked = |board| {
        let of_board = tokens().into_iter().filter(|token| token["limit"]["board"] == board);
        of_board.map(|token| !token["revoked"].is_null()).collect::<Vec<_>>()
    };
    assert_eq!(revoked(2), [true, false, false, false, false, false]);
    assert_eq!(revoked(1).iter().filter(|revoked| **revoked).count(), 1);
    assert!(tokens().iter().any(|token| token["name"] == "hand" && token["revoked"].is_null()));
    // No token outlives the one that makes it.
    let soon = Utc::now() + TimeDelta::minutes(30);
    let body = json!({ "name": "short", "scopes": ["events:admin"], "expires": soon.to_rfc3339() });
    let short = cup.server.ask("POST", "/v1/tokens").token(&admin).json(&body).send().json();
    assert_eq!(print(&cup, short["token"].as_str().expect("a token"), "24").status, 200);
    let last = tokens().iter().filter_map(|token| Some(token["expires"].as_str()?.to_owned())).min();
    assert_eq!(last.as_deref(), short["expires"].as_str());
}

/// The tokens of the codes of sheets.
fn tokens_of(printed: &Response) -> Vec<String> {
    assert_eq!(printed.status, 200, "{}", printed.text());
    let codes = sheet_codes(&printed.body);
    codes.iter().map(|code| code.split_once("#token=").expect("a token").1.to_owned()).collect()
}

#[test]
fn codes_are_void_while_their_board_has_other_players() {
    let cup = paired();
    let old = tokens_of(&print(&cup, &cup.token, "24")).remove(0);
    let change = |steps: Value| {
        let body = json!({ "steps": steps, "reason": "x" });
        assert_eq!(cup.post("/changes").json(&body).send().status, 201);
    };
    let unpair = || change(json!([{ "change": "unpair", "round": 1 }]));
    let pair = |boards: Value| assert_eq!(cup.post("/pairings").json(&json!({ "boards": boards })).send().status, 201);
    unpair();
    pair(json!([[2, 4], [1, 3]]));
    let submit =
        |token: &str, players| cup.server.ask("POST", "/v1/records").token(token).body(TEXT, won(1, players)).send();
    let (one, two) = (["Luis Tapia", "Inés Soto"], ["Rosa Quispe", "Ana Ruiz"]);
    submit(&old, one).problem(403, "api.scope");
    submit(&old, two).problem(403, "api.scope");
    cup.server.ask("POST", "/v1/live").token(&old).body(TEXT, start(&cup, 1)).send().problem(403, "api.scope");
    let new = tokens_of(&print(&cup, &cup.token, "24")).remove(0);
    assert_eq!(submit(&new, one).status, 201);
    // They hold for their players on this board, who may have changed sides.
    let cup = paired();
    let old = tokens_of(&print(&cup, &cup.token, "24")).remove(0);
    let body = json!({ "steps": [{ "change": "unpair", "round": 1 }], "reason": "x" });
    assert_eq!(cup.post("/changes").json(&body).send().status, 201);
    assert_eq!(cup.post("/pairings").json(&json!({ "boards": [[3, 1], [2, 4]] })).send().status, 201);
    let record = won(1, ["Ana Ruiz", "Rosa Quispe"]);
    assert_eq!(cup.server.ask("POST", "/v1/records").token(&old).body(TEXT, record).send().status, 201);
}

/// A name is corrected while the game is scored: the game gets it, and goes on.
#[test]
fn a_game_goes_on_under_a_corrected_name() {
    let cup = paired();
    let tokens = tokens_of(&print(&cup, &cup.token, "24"));
    let (token, before) = (&tokens[0], start(&cup, 1));
    let open = || {
        let opened = cup.server.ask("POST", "/v1/live").token(token).body(TEXT, before.clone()).send();
        assert_eq!(opened.status, 201, "{}", opened.text());
        opened.header("location").to_owned()
    };
    let (live, given_up) = (open(), open());
    let edit = json!({ "change": "edit", "id": 3, "player": { "name": "Ana Ruiz Paz" } });
    let body = json!({ "steps": [edit], "reason": "x" });
    let edited = cup.post("/changes").json(&body).send();
    assert_eq!(edited.status, 201, "{}", edited.text());
    let after = start(&cup, 1);
    assert!(after.contains("Ana Ruiz Paz"), "{after}");
    let save = |token: &str, text: &str| {
        cup.server.ask("PUT", &live).token(token).header("If-Match", "*").body(TEXT, text.to_owned()).send()
    };
    let problem = save(token, &before).problem(403, "api.scope");
    assert!(problem.get("limit").is_some(), "{problem}");
    save(&tokens[1], &after).problem(403, "api.scope");
    let saved = save(token, &after);
    assert_eq!(saved.status, 200, "{}", saved.text());
    let close =
        |token: &str| cup.server.ask("POST", &format!("{given_up}/close")).token(token).header("If-Match", "*").send();
    close(&tokens[1]).problem(403, "api.scope");
    assert_eq!(close(token).status, 200);
}

/// The game of a board is finished although a name was corrected after its last save, also with a sheet that was printed again;
/// but not for the board of other players.
#[test]
fn a_game_is_finished_under_the_name_that_it_began_with() {
    let cup = paired();
    let token = tokens_of(&print(&cup, &cup.token, "24")).remove(0);
    let open = || {
        let record = won(1, ["Rosa Quispe", "Ana Ruiz"]);
        let opened = cup.server.ask("POST", "/v1/live").token(&token).body(TEXT, record).send();
        assert_eq!(opened.status, 201, "{}", opened.text());
        opened.header("location").to_owned()
    };
    let (live, left) = (open(), open());
    let change = |steps: Value| {
        let body = json!({ "steps": steps, "reason": "x" });
        assert_eq!(cup.post("/changes").json(&body).send().status, 201);
    };
    change(json!([{ "change": "edit", "id": 3, "player": { "name": "Ana Ruiz Paz" } }]));
    let again = tokens_of(&print(&cup, &cup.token, "24")).remove(0);
    let finish = |token: &str, live: &str| {
        cup.server.ask("POST", &format!("{live}/finish")).token(token).header("If-Match", "*").send()
    };
    let finished = finish(&again, &live);
    assert_eq!(finished.status, 201, "{}", finished.text());
    assert_eq!(finish(&token, &live).status, 200);
    change(json!([{ "change": "unpair", "round": 1 }]));
    assert_eq!(cup.post("/pairings").json(&json!({ "boards": [[2, 4], [1, 3]] })).send().status, 201);
    finish(&token, &left).problem(403, "api.scope");
}

#[test]
fn no_codes_with_tokens_without_an_address_that_fits_or_on_a_private_service() {
    let long = format!("https://{}.example", "x".repeat(90));
    let cup = paired_at(&long);
    let organise = open(&cup.server, "/tournaments/1/organise", "en").text().to_owned();
    assert!(organise.contains("more than 90 characters") && !organise.contains("formaction"), "{organise}");
    print(&cup, &cup.token, "24").problem(409, "api.tournament");
    let cup = Cup::with(Settings {
        public_url: URL.to_owned(),
        private: true,
        address_rate: 1_000_000,
        token_rate: 1_000_000,
        ..Settings::default()
    });
    cup.paired();
    let admin = cup.server.token(Scope::Admin);
    let ask = cup.server.ask("POST", "/tournaments/1/rounds/1/sheets.pdf").token(&cup.token);
    let fields = [field("token", &cup.token), field("hours", "24")].join("&");
    let refused = ask.header("Accept-Language", "en").body(FORM, fields).send().problem(409, "api.tournament");
    assert!(refused["detail"].as_str().expect("a text").contains("private service"), "{refused}");
    let made = cup.server.ask("GET", "/v1/tokens").token(&admin).send().json()["items"].clone();
    let limited = made.as_array().expect("a list").iter().filter(|token| token.get("limit").is_some());
    assert_eq!(limited.count(), 0);
}

#[test]
fn a_browser_is_told_why_no_codes_are_printed() {
    let cup = paired_at("");
    let ask = cup.server.ask("POST", "/tournaments/1/rounds/2/sheets.pdf").header("Accept", BROWSER);
    let told = ask.header("Accept-Language", "en").body(FORM, field("token", &cup.token)).send();
    check("a service without an address", &told, 409, "en");
    assert!(told.text().contains("its operator sets"), "{}", told.text());
}
