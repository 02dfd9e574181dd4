//! The code of a scoresheet on a phone: names and clock are there, a game is played to its end with the token of the board, and the
//! round shows its verified result.

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{
    browser::{Browser, at},
    relay::Relay,
    server::Server,
    sheet_codes::sheet_codes,
};
use serde_json::{Value, json};

use super::{
    horizontal_overflow, nothing_to_complain_of,
    offline::wait_for_worker,
    paired,
    score::{BEGUN, begin},
};

const URL: &str = "https://cup.example";
const FORM: &str = "application/x-www-form-urlencoded";

/// A service with a paired round, and the token of its organiser.
fn cup() -> (Server, String) {
    let settings =
        Settings { public_url: URL.to_owned(), address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() };
    let server = Server::with(settings);
    let token = server.token(Scope::EventsAdmin);
    paired(&server, &token, Some(600));
    (server, token)
}

/// The path of a code with its token.
fn code(server: &Server, token: &str, board: usize) -> String {
    let ask = server.ask("POST", "/tournaments/1/rounds/1/sheets.pdf");
    let printed = ask.body(FORM, format!("token={token}")).send();
    assert_eq!(printed.status, 200, "{}", printed.text());
    let address = sheet_codes(&printed.body).swap_remove(board - 1);
    address.strip_prefix(URL).expect("the service").replace('#', "&lang=en#")
}

fn text(browser: &Browser, selector: &str) -> Value {
    browser.run(&format!("return document.querySelector({}).textContent", json!(selector)))
}

#[track_caller]
fn says(browser: &Browser, selector: &str, said: &str) {
    let (selector, said) = (json!(selector), json!(said));
    browser.wait_for(&format!("return document.querySelector({selector})?.textContent.includes({said}) === true"));
}

#[track_caller]
fn fits(browser: &Browser) {
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{}: {violations:#?}", browser.address());
    assert_eq!(horizontal_overflow(browser, 360), json!([0, 0]), "{}", browser.address());
}

#[test]
fn the_code_of_a_scoresheet_leads_to_the_result_of_its_board() {
    let ((server, token), browser) = (cup(), Browser::start());
    browser.screen(360, 640, true, "light");
    let path = code(&server, &token, 1);
    browser.open(&at(&server, &path));
    browser.wait_for("return document.getElementById('new') !== null && location.hash === ''");
    assert!(!browser.address().contains("token"), "{}", browser.address());
    assert_eq!(text(&browser, "dl"), "SolRosa QuispeLunaAna RuizTime for each player10 min");
    fits(&browser);
    begin(&browser);
    says(&browser, "[data-seat='0']", "Sol · Rosa Quispe");
    says(&browser, "[data-seat='1']", "Luna · Ana Ruiz");
    says(&browser, "[data-seat='0'] .time", "10:00");
    says(&browser, "#sync", "Saved on this device and on the server.");
    let round = || server.ask("GET", "/tournaments/1/rounds/1").header("Accept-Language", "en").send();
    assert!(round().text().contains("<a href=\"/live/1\">being played</a>"), "{}", round().text());
    // The code is read again: the same game, and no second one.
    let desk = browser.address();
    browser.open("about:blank");
    browser.open(&at(&server, &path));
    browser.wait_for(BEGUN);
    assert_eq!(browser.address(), desk);
    for (ply, token) in (1..).zip(["0a1", "0D0", "0b0", "0D0C"]) {
        browser.write("#move", token);
        browser.click("#typed button");
        browser.wait_for(&format!("return document.querySelectorAll('.plies > li').length === {ply}"));
    }
    says(&browser, "#ended", "The game is over");
    browser.click("#finish");
    says(&browser, "#outcome", "The game is in the archive.");
    let board = server.get("/v1/tournaments/1/rounds/1").json()["boards"][0].clone();
    assert_eq!((&board["games"][0]["origin"], &board["scores"]), (&json!("record"), &json!([1, 0])));
    let record = server.get(&format!("/v1/records/{}", board["games"][0]["record"].as_str().expect("an id"))).json();
    let tags = &record["tags"];
    assert_eq!([&tags["Round"], &tags["Board"], &tags["TimeControl"]], ["1", "1", "600"]);
    assert!(tags["Date"].is_string(), "{tags}");
    assert_eq!(server.get("/v1/live").json()["items"], json!([]));
    browser.open(&at(&server, "/tournaments/1/rounds/1?lang=en"));
    assert_eq!(browser.run("return document.querySelectorAll('#board-1 a[href^=\"/records/\"]').length"), 1);
    // The game is decided, and its token is of no use at the other board.
    browser.open(&at(&server, &path));
    says(&browser, "main", "has its result already");
    browser.wait_for("return location.hash === ''");
    fits(&browser);
    browser.open(&at(&server, "/keep/1/1/2/1?lang=en"));
    begin(&browser);
    says(&browser, "#sync", "Saved only on this device");
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn a_board_goes_on_without_a_connection_and_says_if_it_cannot_begin() {
    let ((server, token), browser) = (cup(), Browser::start());
    let relay = Relay::to(&server);
    browser.open(&relay.at(&code(&server, &token, 1)));
    wait_for_worker(&browser);
    begin(&browser);
    says(&browser, "#sync", "Saved on this device and on the server.");
    let desk = browser.address();
    // Pages go through the worker once they are opened after it.
    browser.open(&relay.at("/keep?lang=en"));
    browser.wait_for("return document.querySelectorAll('#games li').length === 1");
    relay.connect(false);
    browser.open(&relay.at("/keep/1/1/1/1?players=1-3&lang=en"));
    browser.wait_for(BEGUN);
    assert_eq!(browser.address(), desk);
    browser.open(&relay.at("/keep/1/1/2/1?lang=en"));
    says(&browser, "#trouble", "No connection to the server, which has the names");
    relay.connect(true);
    browser.click("#trouble button");
    browser.wait_for("return document.getElementById('new')?.dataset.seconds === '600'");
    // A second device continues the game that is being scored.
    let other = Browser::start();
    other.open(&at(&server, &code(&server, &token, 1)));
    says(&other, "main", "This game is being scored already");
    other.click("main a.button");
    other.wait_for(BEGUN);
    says(&other, "#sync", "Saved on this device and on the server.");
    assert_eq!(server.get("/v1/live").json()["items"].as_array().map(Vec::len), Some(1));
    // The name of a player is corrected: its numbers lead the code to the same game.
    let edit = json!({ "change": "edit", "id": 3, "player": { "name": "Ana Ruiz Paz" } });
    let body = json!({ "steps": [edit], "reason": "misspelt" });
    let changed = server.ask("POST", "/v1/tournaments/1/changes").token(&token).json(&body).send();
    assert_eq!(changed.status, 201, "{}", changed.text());
    browser.open("about:blank");
    browser.open(&relay.at(&code(&server, &token, 1)));
    browser.wait_for(BEGUN);
    assert_eq!(browser.address(), desk);
    // The browser itself logs failures while the server was away.
    drop(browser.console());
}
