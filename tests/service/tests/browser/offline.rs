//! The pages for scoring a game without a connection: what the device keeps of them, what it does not, and what becomes of
//! it when the program is upgraded.

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{browser::Browser, relay::Relay, server::Server};
use serde_json::{Value, json};

use super::score::{BEGUN, begin};

/// A service, the connection to it, and a browser.
fn device() -> (Server, Relay, Browser) {
    let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
    let (relay, browser) = (Relay::to(&server), Browser::start());
    (server, relay, browser)
}

/// Waits until the service worker has kept what it keeps.
#[track_caller]
pub(super) fn wait_for_worker(browser: &Browser) {
    browser.run("navigator.serviceWorker.ready.then(() => { window.kept = true; })");
    browser.wait_for("return window.kept === true");
}

/// The names of all caches, and what is in them: addresses, and contents as one text.
fn caches(browser: &Browser) -> Value {
    browser.run(
        "window.found = null;
         (async () => {
           const names = await caches.keys();
           const [paths, texts] = [[], []];
           for (const name of names) {
             const cache = await caches.open(name);
             for (const request of await cache.keys()) {
               const { pathname, search } = new URL(request.url);
               paths.push(pathname + search);
               texts.push(await (await cache.match(request)).text());
             }
           }
           window.found = { names, paths, text: texts.join('') };
         })()",
    );
    browser.wait_for("return window.found !== null");
    browser.run("return window.found")
}

#[track_caller]
fn plies(browser: &Browser, count: usize, unjudged: usize) {
    browser.wait_for(&format!(
        "return document.querySelectorAll('.plies > li').length === {count}
             && document.querySelectorAll('.plies em').length === {unjudged}"
    ));
}

#[track_caller]
fn enter(browser: &Browser, token: &str) {
    browser.write("#move", token);
    browser.click("#typed button");
}

#[track_caller]
fn saved(browser: &Browser) {
    browser.wait_for("return document.getElementById('sync').textContent.startsWith('Saved on this device and on')");
}

#[test]
fn games_go_on_and_begin_without_a_connection_and_are_judged_and_saved_after_it() {
    let (server, relay, browser) = device();
    let token = server.token(Scope::RecordsWrite);
    browser.open(&relay.at("/keep?lang=en"));
    browser.write("#token", &token);
    browser.click("#token-form button");
    wait_for_worker(&browser);
    browser.open(&relay.at("/keep?game=andes&lang=en"));
    begin(&browser);
    for tap in ["0", "d3"] {
        browser.click(&format!("[data-name=\"{tap}\"]"));
    }
    plies(&browser, 1, 0);
    saved(&browser);
    let first = browser.address();
    relay.connect(false);
    // A page that was open is loaded again, twice.
    for (count, move_) in [(2, "2A3"), (3, "0a0")] {
        browser.reload();
        plies(&browser, count - 1, count - 2);
        browser.wait_for("return document.getElementById('sync').classList.contains('off')");
        assert_eq!(browser.run("return document.getElementById('picture').naturalWidth > 0"), true);
        enter(&browser, move_);
        plies(&browser, count, count - 1);
    }
    // Another game begins, on pages that were never open.
    browser.open(&relay.at("/keep?game=brandubh&lang=en"));
    browser.wait_for("return document.querySelectorAll('#games li').length === 1");
    let shown = browser.run("return [document.querySelector('.offline').offsetHeight > 0, document.body.innerText.includes('On the server')]");
    assert_eq!(shown, json!([true, false]), "the page says where it comes from, and lists no game of the server");
    browser.write("#negros", "Ana");
    browser.click("#new button");
    browser.wait_for(BEGUN);
    let prompt = "return document.getElementById('now').textContent";
    assert_eq!(browser.run(prompt), "Black to move. There is no connection, so there is no board yet: type the moves.");
    enter(&browser, "d3-c3");
    plies(&browser, 1, 1);
    browser.reload();
    plies(&browser, 1, 1);
    enter(&browser, "d1-c1");
    plies(&browser, 2, 2);
    assert_eq!(browser.run("return document.querySelector('.plies li:last-child').textContent.split(' ')[0]"), "Red");
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    // Nothing else comes from the device: no other page, no request to the API, and no token.
    let kept = caches(&browser);
    let paths: Vec<_> =
        kept["paths"].as_array().expect("a list").iter().map(|path| path.as_str().expect("text")).collect();
    assert!(paths.iter().all(|path| path.starts_with("/assets/") || path.starts_with("/keep")), "{paths:?}");
    assert!(paths.contains(&"/keep/desk?lang=en") && paths.contains(&"/assets/sync.js"), "{paths:?}");
    assert!(!kept["text"].as_str().expect("a text").contains(&token), "the token is kept");
    let address = browser.address();
    browser.run("location.assign('/records')");
    browser.wait_for("return document.getElementById('main') === null");
    // The connection is back.
    relay.connect(true);
    browser.open(&address);
    plies(&browser, 2, 0);
    saved(&browser);
    assert_eq!(browser.run("return document.getElementById('square').hidden"), false);
    browser.open(&first);
    browser.wait_for("return document.querySelectorAll('.plies > li').length === 3 && document.querySelectorAll('.plies em').length === 0");
    saved(&browser);
    let games = server.get("/v1/live").json();
    let counts = games["items"].as_array().expect("a list").iter().map(|game| (&game["game"], &game["plies"]));
    assert_eq!(counts.collect::<Vec<_>>(), [(&json!("brandubh"), &json!(2)), (&json!("andes"), &json!(3))]);
    drop(browser.console());
}

/// Two programs of different versions: what the device kept of the first, the second replaces.
#[test]
fn an_upgraded_program_is_shown_at_once_and_kept() {
    let (server, relay, browser) = device();
    let script = server.get("/keep/worker.js").text().to_owned();
    let version = script.split("\"version\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a version");
    let title = "return document.querySelector('h1')?.textContent";
    let is = |text: &str| browser.wait_for(&format!("{title} === {}", json!(text)));
    // The earlier program calls its page otherwise.
    relay.change(&[[version, "00000000"], ["Score a game", "Keep the score"], ["etag: ", "none: "]]);
    browser.open(&relay.at("/keep?lang=en"));
    wait_for_worker(&browser);
    assert_eq!(caches(&browser)["names"], json!(["quipu-keep-00000000"]));
    relay.connect(false);
    browser.open(&relay.at("/keep?lang=en"));
    is("Keep the score");
    // The later one. An entity tag would have the browser take a page of the service for one that it kept.
    relay.change(&[["etag: ", "none: "]]);
    relay.connect(true);
    // A service that is slow to answer is shown from the device once more.
    let is_later = || {
        browser.open(&relay.at("/keep?lang=en"));
        browser.run(title) == json!("Score a game")
    };
    assert!((0..20).any(|_| is_later()), "the later program is shown");
    let own = format!("quipu-keep-{version}");
    browser.run("window.names = []");
    browser.wait_for(&format!(
        "caches.keys().then(names => {{ window.names = names; }});
         return window.names.join() === {}",
        json!(own)
    ));
    relay.connect(false);
    browser.open(&relay.at("/keep?lang=en"));
    is("Score a game");
    browser.wait_for("return document.querySelector('.offline').offsetHeight > 0");
    // The page is in English only, because it was never open in Spanish.
    browser.open(&relay.at("/keep?lang=es"));
    is("Score a game");
    // A proxy before the service that is away answers for it.
    relay.connect(true);
    relay.change(&[["HTTP/1.1 200 OK", "HTTP/1.1 502 Bad Gateway"]]);
    browser.open(&relay.at("/keep?lang=en"));
    browser.wait_for("return document.querySelector('.offline').offsetHeight > 0");
    drop(browser.console());
}

#[test]
fn the_service_worker_serves_its_pages_only() {
    let (_server, relay, browser) = device();
    browser.open(&relay.at("/keep?lang=es"));
    wait_for_worker(&browser);
    let scope = browser.run("return navigator.serviceWorker.ready.then(found => new URL(found.scope).pathname)");
    assert_eq!(scope, "/keep");
    for (path, controlled) in [("/keep/desk", true), ("/keep?game=andes", true), ("/", false), ("/records", false)] {
        browser.open(&relay.at(path));
        assert_eq!(browser.run("return Boolean(navigator.serviceWorker.controller)"), controlled, "{path}");
    }
    assert!(browser.console().is_empty());
}
