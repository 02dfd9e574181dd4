//! Games on several devices and pages, and on a full device: no move is lost.

use quipu_options::Scope;
use quipu_tests_service::{
    browser::{Browser, at},
    relay::Relay,
    server::Server,
};
use serde_json::json;

use super::{BEGUN, Keeper, begin};

#[test]
fn two_devices_and_none_loses_anything() {
    let keeper = Keeper::new();
    keeper.begin("andes", &[("sol", "Ana")]);
    for tap in ["0", "d3"] {
        keeper.touch(tap);
    }
    keeper.plies(1);
    keeper.saved();
    let other = Browser::start();
    other.open(&at(&keeper.server, "/keep?lang=en"));
    other.write("#token", &keeper.server.token(Scope::RecordsWrite));
    other.click("#token-form button");
    other.click("a[href$=\"#live-1\"]");
    other.wait_for("return document.querySelectorAll('.plies > li').length === 1");
    other.wait_for("return document.getElementById('sync').textContent.startsWith('Saved on this device and on')");
    other.click("[data-name=\"2\"]");
    other.click("[data-name=\"g3\"]");
    other.wait_for("return document.querySelectorAll('.plies > li').length === 2");
    other.wait_for("return document.getElementById('sync').textContent.startsWith('Saved on this device and on')");
    keeper.touch("0");
    keeper.touch("a0");
    keeper.says("#trouble", "Another device has saved this game in the meantime (plies: 2).");
    keeper.press("The one on the other device");
    keeper.saved();
    assert_eq!(keeper.record(1)["moves"][1]["move"], "2A3");
    // The absent device picks up the version that was saved meanwhile.
    keeper.touch("0");
    keeper.touch("a0");
    keeper.plies(3);
    keeper.saved();
    // A page that is left before it has loaded is none to go back to.
    other.wait_for("return document.readyState === 'complete'");
    other.open("about:blank");
    other.back();
    other.wait_for("return document.querySelectorAll('.plies > li').length === 3");
    other.wait_for("return document.getElementById('sync').textContent.startsWith('Saved on this device and on')");
    keeper.browser.open(&at(&keeper.server, "/keep?lang=en"));
    assert_eq!(keeper.browser.run("return document.querySelectorAll('#games li').length"), 2);
    drop(keeper.browser.console());
}

/// A device without a connection enters moves while another one stores the game: the game is shown as it was stored, and the
/// moves stay in a copy.
#[test]
fn a_game_that_another_device_stored_keeps_what_is_only_here() {
    let keeper = Keeper::over(|server| Some(Relay::to(server)), &[Scope::RecordsWrite]);
    let relay = keeper.relay.as_ref().expect("a relay");
    first_ply(&keeper);
    relay.connect(false);
    keeper.browser.write("#move", "d1-c1");
    keeper.browser.click("#typed button");
    keeper.browser.wait_for("return document.querySelectorAll('.plies > li').length === 2");
    stored_elsewhere(&keeper);
    relay.connect(true);
    keeper.says("#sync", "The game is in the archive.");
    keeper.says("#trouble", "kept as a copy");
    assert_eq!(keeper.browser.run("return document.querySelectorAll('.plies > li').length"), 1);
    let shown = "return ['typed', 'ending', 'clock', 'live'].filter(id => document.getElementById(id)?.offsetParent)";
    assert_eq!(keeper.browser.run(shown), json!([]), "nothing can be entered any more");
    let counts = keeper.browser.run(
        "return Object.entries(localStorage).filter(([key]) => key.startsWith('quipu.game.'))
             .map(([, text]) => JSON.parse(text).record.moves.length).sort()",
    );
    assert_eq!(counts, json!([1, 2]), "the stored game and the copy");
    drop(keeper.browser.console());
}

/// Fills the storage of a device, up to the last letter.
const FILL: &str = "for (let size = 2 ** 20, count = 0; size >= 1;) {
      try { localStorage.setItem(`fill${count++}`, 'x'.repeat(size)); } catch { size /= 2; }
    }";
const EMPTY: &str =
    "Object.keys(localStorage).filter(key => key.startsWith('fill')).forEach(key => localStorage.removeItem(key))";
/// The games of a device: their plies, and true if they are finished.
const KEPT: &str = "return Object.entries(localStorage).filter(([key]) => key.startsWith('quipu.game.'))
      .map(([, text]) => JSON.parse(text)).map(game => [game.record.moves.length, Boolean(game.finished)]).sort()";

/// A game of one ply that another device then ends and stores.
fn stored_elsewhere(keeper: &Keeper) {
    let token = keeper.server.token(Scope::RecordsWrite);
    let ask = |method, path| keeper.server.ask(method, path).token(&token).header("If-Match", "*");
    let ended = "[Game \"brandubh\"]\n[Result \"1-0\"]\n[Termination \"resignation\"]\n\n1. d3-c3 1-0\n";
    assert_eq!(ask("PUT", "/v1/live/1").body("text/plain", ended).send().status, 200);
    let stored = ask("POST", "/v1/live/1/finish").send();
    assert!(stored.status < 300, "{}", stored.text());
}

/// The first ply of a game, saved.
fn first_ply(keeper: &Keeper) {
    keeper.begin("brandubh", &[]);
    keeper.touch("d3");
    keeper.touch("c3");
    keeper.plies(1);
    keeper.saved();
}

/// Moves that are only on a full device cannot be copied, so nothing takes their place.
#[test]
fn a_full_device_loses_no_moves() {
    let keeper = Keeper::over(|server| Some(Relay::to(server)), &[Scope::RecordsWrite]);
    let (browser, relay) = (&keeper.browser, keeper.relay.as_ref().expect("a relay"));
    let full = "There is no space left on this device";
    first_ply(&keeper);
    relay.connect(false);
    browser.write("#move", "d1-c1");
    browser.click("#typed button");
    browser.wait_for("return document.querySelectorAll('.plies > li').length === 2");
    browser.wait_for("return document.getElementById('sync').classList.contains('off')");
    browser.run(FILL);
    // Another device saves something else, and a person takes that.
    let token = keeper.server.token(Scope::RecordsWrite);
    let put = keeper.server.ask("PUT", "/v1/live/1").token(&token).header("If-Match", "*");
    assert_eq!(put.body("text/plain", "[Game \"brandubh\"]\n[Result \"*\"]\n\n1. d3-c3\n*\n").send().status, 200);
    let put = keeper.server.ask("PUT", "/v1/live/1").token(&token).header("If-Match", "*");
    assert_eq!(put.body("text/plain", "[Game \"brandubh\"]\n[Result \"*\"]\n\n1. d3-b3\n*\n").send().status, 200);
    relay.connect(true);
    keeper.press("The one on the other device");
    keeper.says("#trouble", full);
    assert_eq!(browser.run(KEPT), json!([[2, false]]));
    assert_eq!(browser.run("return document.querySelectorAll('.plies > li').length"), 2);
    // It stores the game.
    stored_elsewhere(&keeper);
    browser.reload();
    keeper.says("#trouble", full);
    assert_eq!(browser.run(KEPT), json!([[2, false]]));
    // With space the game is taken, and asked for once. The page is left first: a request of it that is still on the way would
    // take the game as soon as there is space.
    let desk = browser.address();
    browser.open(&relay.at("/?lang=en"));
    browser.run(EMPTY);
    browser.requests();
    browser.open(&desk);
    keeper.says("#trouble", "kept as a copy");
    assert_eq!(browser.run(KEPT), json!([[1, true], [2, false]]));
    assert_eq!(browser.requests().iter().filter(|url| url.ends_with("/v1/live/1")).count(), 1);
    drop(browser.console());
}

/// The game that another device stored cannot be fetched at first: until then nothing is finished here, and nothing copied.
#[test]
fn a_game_that_another_device_stored_is_fetched_before_it_is_finished_here() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    first_ply(&keeper);
    stored_elsewhere(&keeper);
    browser.run(
        "const real = fetch;
         window.asked = 0;
         window.answer = () => new Response('{}', { status: 503 });
         window.fetch = async (path, asked) => {
           if (!window.answer || !String(path).startsWith('/v1/live') || asked.method !== 'GET') return real(path, asked);
           window.asked += 1;
           return window.answer();
         };",
    );
    keeper.touch("d1");
    keeper.touch("c1");
    let waits = |count: u32| {
        browser.wait_for(&format!("return window.asked >= {count}"));
        browser.wait_for("return document.getElementById('sync').classList.contains('off')");
        assert_eq!(browser.run(KEPT), json!([[2, false]]), "{count}");
    };
    waits(1);
    browser.run("window.answer = () => { throw new TypeError('no connection'); }");
    waits(3);
    browser.run("window.answer = null");
    keeper.says("#trouble", "kept as a copy");
    keeper.says("#sync", "The game is in the archive.");
    assert_eq!(browser.run(KEPT), json!([[1, true], [2, false]]));
    drop(browser.console());
}

/// Pages of one device that are older than the game: gone back to, or open beside it.
#[test]
fn no_page_writes_over_what_another_kept() {
    let server = Server::start();
    let browser = Browser::start();
    // Unreadable entries do not block the others.
    browser.open(&at(&server, "/keep?game=andes&lang=en"));
    browser.run("localStorage.setItem('quipu.game.damaged', '{'); localStorage.setItem('quipu.game.empty', 'null')");
    browser.open(&at(&server, "/keep?game=andes&lang=en"));
    begin(&browser);
    browser.click(".downloads a[href^=\"/keep\"]");
    browser.wait_for("return document.querySelectorAll('#games li').length === 1");
    browser.click("#games a");
    browser.wait_for(BEGUN);
    for (index, taps) in [["0", "d3"], ["2", "g3"]].iter().enumerate() {
        for tap in taps {
            let touched = format!("[data-name=\"{tap}\"]");
            browser.wait_for(&format!("return document.querySelector('{touched}') !== null"));
            browser.click(&touched);
        }
        browser.wait_for(&format!("return document.querySelectorAll('.plies > li').length === {}", index + 1));
    }
    for path in ["/keep", "/keep/desk"] {
        browser.back();
        browser.wait_for(&format!("return location.pathname === '{path}' && document.readyState === 'complete'"));
    }
    browser.wait_for("return document.querySelectorAll('.plies > li').length === 2");
    browser.run("document.querySelector('.downloads a[href^=\"/keep\"]').click()");
    browser.wait_for("return document.querySelectorAll('#games li').length === 1");
    let kept = browser.run(
        "return Object.values(localStorage).map(text => JSON.parse(text.replace(/^{$/, 'null'))).find(Boolean).record.moves.length",
    );
    assert_eq!(kept, 2);
}
