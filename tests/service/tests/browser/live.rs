//! A live game seen by spectators, and taken over on another device: its clocks, and steps during an update.

use std::time::{Duration, Instant};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{
    browser::{Browser, at},
    server::Server,
};
use serde_json::json;

use super::{
    nothing_to_complain_of,
    score::{BEGUN, Keeper},
};

/// A spectator's clock of a side, and true in the end if it runs.
fn clock(browser: &Browser, side: &str) -> (String, bool) {
    let found = browser.run(&format!(
        "const clock = document.querySelector('[data-clock={side}]');
         return [clock.textContent, clock.dataset.since !== undefined]"
    ));
    (found[0].as_str().expect("a text").to_owned(), found[1] == json!(true))
}

#[test]
fn a_stopped_clock_stands_for_spectators() {
    let keeper = Keeper::new();
    keeper.begin("andes", &[("sol", "Ana"), ("luna", "Beto")]);
    keeper.press("Start the clock");
    keeper.touch("0");
    keeper.touch("d3");
    keeper.plies(1);
    let spectator = Browser::start();
    spectator.open(&at(&keeper.server, "/live/1?lang=en"));
    spectator.wait_for("return document.querySelector('[data-clock=Luna]')?.dataset.since !== undefined");
    keeper.press("Stop the clock");
    spectator.wait_for("return document.getElementById('going-on').textContent.includes('The clocks are stopped.')");
    let (time, running) = clock(&spectator, "Luna");
    assert!(!running && *time < *"0:12:00", "{time}: what was thought is gone, and no more goes");
    let state = keeper.server.get("/v1/live/1").json();
    assert_eq!(state["running"], false);
    let kept = keeper.browser.run(
        "const key = Object.keys(localStorage).find(key => key.startsWith('quipu.game.'));
         return JSON.parse(localStorage[key]).clock.left.map(Math.round)",
    );
    assert_eq!(state["clocks_ms"], kept);
    // A spectator who comes now sees the same, and sees it run again.
    spectator.reload();
    assert_eq!(clock(&spectator, "Luna"), (time, false));
    keeper.press("Start the clock");
    spectator.wait_for("return document.querySelector('[data-clock=Luna]').dataset.since !== undefined");
    assert_eq!(
        spectator.run("return document.getElementById('going-on').textContent.trim()"),
        "The game is in progress."
    );
    nothing_to_complain_of(&spectator, &keeper.server);
}

/// A device that opens a game is no change of it: the clock of the other runs on, and its next save is no conflict.
#[test]
fn a_game_opened_on_a_second_device_stays_as_it_is() {
    let keeper = Keeper::new();
    timed(&keeper, "clock_one=700000&clock_two=650000&running=yes");
    let state = || keeper.server.get("/v1/live/1").json();
    let before = state();
    keeper.browser.open(&keeper.at("/keep/desk?lang=en#live-1"));
    keeper.plies(2);
    keeper.saved();
    assert_eq!(state(), before);
    // The times go on from there.
    keeper.touch("0");
    keeper.touch("a0");
    keeper.plies(3);
    keeper.saved();
    let after = state();
    assert_eq!([&after["clocks_ms"], &after["running"]], [&json!([700_000, 650_000]), &json!(false)]);
}

/// A room may have clocks of its own: those of the page show no time before one is started.
#[test]
fn clocks_that_nobody_started_have_no_time_for_spectators() {
    let keeper = Keeper::new();
    let clocks = || {
        let state = keeper.server.get("/v1/live/1").json();
        [state["clocks_ms"].clone(), state["running"].clone()]
    };
    keeper.begin("andes", &[]);
    keeper.touch("0");
    keeper.touch("d3");
    keeper.plies(1);
    keeper.saved();
    assert_eq!(clocks(), [json!([null, null]), json!(null)]);
    let page = keeper.server.get("/live/1?lang=en").text().to_owned();
    assert!(!page.contains("The clocks are stopped.") && !page.contains("0:12:00"), "{page}");
    keeper.press("Start the clock");
    keeper.browser.wait_for("return document.getElementById('clock').textContent === 'Stop the clock'");
    let begun = Instant::now();
    while clocks()[1] != json!(true) && begun.elapsed() < Duration::from_secs(15) {
        std::thread::sleep(Duration::from_millis(30));
    }
    let [times, running] = clocks();
    assert_eq!([&times[0], &running], [&json!(720_000), &json!(true)]);
}

/// A game with two plies on the server, saved with these clocks.
fn timed(keeper: &Keeper, clocks: &str) {
    let token = keeper.server.token(Scope::RecordsWrite);
    let text = "[Game \"andes\"]\n[TimeControl \"720\"]\n[Result \"*\"]\n\n1. 0d3 0D0\n*\n";
    let ask = |method, path| keeper.server.ask(method, path).token(&token).body("text/plain", text);
    assert_eq!(ask("POST", "/v1/live").send().status, 201);
    let saved = ask("PUT", &format!("/v1/live/1?{clocks}")).header("If-Match", "*").send();
    assert_eq!(saved.status, 200, "{}", saved.text());
}

/// Lets no page reach the referee until `window.broken` is false.
const UNREACHED: &str = "const real = fetch;
    window.broken = true;
    window.fetch = (path, ...rest) => window.broken && String(path).startsWith('/v1/desk')
      ? Promise.reject(new TypeError('no connection')) : real(path, ...rest);";

/// Moves are saved before the clocks are read: the times on the server stay.
#[test]
fn clocks_that_cannot_be_read_stay_on_the_server() {
    let keeper = Keeper::new();
    timed(&keeper, "clock_one=600000&clock_two=540000&running=no");
    keeper.browser.ask("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": UNREACHED }));
    keeper.browser.open(&keeper.at("/keep/desk?lang=en#live-1"));
    keeper.says("#trouble", "The clocks of this game could not be read.");
    keeper.browser.run("window.broken = false");
    keeper.plies(2);
    keeper.touch("0");
    keeper.touch("a0");
    keeper.plies(3);
    keeper.saved();
    let state = keeper.server.get("/v1/live/1").json();
    assert_eq!([&state["plies"], &state["clocks_ms"]], [&json!(3), &json!([600_000, 540_000])]);
}

/// The device that takes a game over knows its clocks from the server or says so; it does not begin from full time.
#[test]
fn clocks_that_cannot_be_read_are_not_started() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    let opened = keeper.server.ask("POST", "/v1/live").token(&keeper.server.token(Scope::RecordsWrite)).body(
        "text/plain",
        "[Game \"andes\"]\n[TimeControl \"720\"]\n[Result \"*\"]\n\n1. 0d3 {[%clk 0:11:00]} 0D0 {[%clk 0:09:00]}\n*\n",
    );
    assert_eq!(opened.send().status, 201);
    browser.ask("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": UNREACHED }));
    browser.open(&keeper.at("/keep/desk?lang=en#live-1"));
    keeper.says("#trouble", "The clocks of this game could not be read.");
    let shown = "return [...document.querySelectorAll('.seat .time')].map(time => time.textContent).join()";
    browser.wait_for("return !document.getElementById('table').hidden");
    assert_eq!(browser.run(shown), "–,–");
    assert_eq!(browser.run("return document.getElementById('clock').hidden"), true);
    browser.run("window.broken = false");
    keeper.press("Try again");
    browser.wait_for(BEGUN);
    browser.wait_for("return !document.getElementById('clock').hidden");
    assert_eq!(browser.run(shown), "11:00,9:00");
    assert_eq!(browser.run("return document.getElementById('trouble').hidden"), true);
}

/// The reader steps back while the page of the ply is on its way, and a move is saved meanwhile.
#[test]
fn a_step_during_an_update_arrives() {
    let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let record = |moves: &str| format!("[Game \"andes\"]\n[Result \"*\"]\n\n{moves}\n*\n");
    let opened = server.ask("POST", "/v1/live").token(&token).body("text/plain", record("1. 0a1 0D0 2. 0b0")).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let browser = Browser::start();
    browser.open(&at(&server, "/live/1?lang=en"));
    browser.wait_for("return document.getElementById('following').textContent === 'Following the game.'");
    // Pages of a ply arrive when the test lets them.
    browser.run(
        "const real = fetch;
         window.held = [];
         window.fetch = async (...asked) => {
           const answer = await real(...asked);
           if (String(asked[0]).includes('ply=')) await new Promise(done => window.held.push(done));
           return answer;
         };",
    );
    browser.press("ArrowLeft");
    browser.wait_for("return window.held.length === 1");
    let saved = server.ask("PUT", "/v1/live/1").token(&token).header("If-Match", "*");
    assert_eq!(saved.body("text/plain", record("1. 0a1 0D0 2. 0b0 0A1")).send().status, 200);
    browser.wait_for("return document.getElementById('ply').max === '4'");
    browser.run("setInterval(() => window.held.splice(0).forEach(done => done()), 20)");
    browser.wait_for("return document.querySelector('[data-ply=\"4\"]') !== null");
    browser.wait_for("return new URL(location).searchParams.get('ply') === '2'");
    let shown = "return [document.querySelector('[data-part=moves] [aria-current]').dataset.ply, document.getElementById('ply').value]";
    assert_eq!(browser.run(shown), json!(["2", "2"]));
    browser.press("End");
    browser.wait_for("return document.querySelector('[data-part=moves] [aria-current]').dataset.ply === '4'");
    nothing_to_complain_of(&browser, &server);
}
