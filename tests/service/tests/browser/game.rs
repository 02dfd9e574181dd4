//! Games read in a real browser: on one screen, turned around, played by itself, with the connection cut, in a frame of
//! another page, and while they go on.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::{
    browser::{Browser, at},
    bytes,
    server::Server,
};
use serde_json::{Value, json};

use super::{horizontal_overflow, nothing_to_complain_of, with_a_game};

/// The address of a page of another site, which answers once.
pub(crate) fn elsewhere(html: &str) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("it has one");
    let response =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!DOCTYPE html>{html}");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the browser asks");
        let mut asked = [0; 4096];
        assert!(stream.read(&mut asked).is_ok_and(|read| read > 0), "it asks for a page");
        stream.write_all(response.as_bytes()).expect("it takes the page");
    });
    format!("http://{address}/")
}

/// The first record of a file of fixtures, and the first with some text.
fn record(file: &str, text: &str) -> String {
    let all = String::from_utf8(bytes(file)).expect("text");
    let records = all.split("\n[Game ").map(|rest| format!("[Game {}\n", rest.trim_start_matches("[Game ")));
    records.into_iter().find(|record| record.contains(text)).expect("a record")
}

/// Top and bottom of an element within the window.
fn edges(browser: &Browser, selector: &str) -> [f64; 2] {
    let found = browser.run(&format!(
        "const box = document.querySelector('{selector}').getBoundingClientRect(); return [box.top, box.bottom];"
    ));
    [0, 1].map(|edge| found[edge].as_f64().expect("a number"))
}

fn query(browser: &Browser, name: &str) -> Value {
    browser.run(&format!("return new URL(location).searchParams.get('{name}')"))
}

/// Both players, the board, the last move and the buttons are seen at once, and on a phone the moves come right after them.
#[test]
fn a_game_is_stepped_through_on_one_screen() {
    let (server, id, _) = with_a_game();
    let browser = Browser::start();
    for (width, height, phone) in [(1280, 900, false), (360, 640, true)] {
        browser.screen(width, height, phone, "light");
        browser.open(&at(&server, &format!("/records/{id}?ply=9&lang=en")));
        browser.wait_for("return document.querySelector('.board img').complete");
        let order = ["[data-part=above]", ".board", "[data-part=below]", ".steps", "[data-part=now]"];
        let edges_of = order.map(|selector| edges(&browser, selector));
        assert!(edges_of.windows(2).all(|pair| pair[0][1] <= pair[1][0] + 1.0), "{edges_of:?}");
        let lowest = if phone { ".steps" } else { "[data-part=now]" };
        let [_, bottom] = edges(&browser, lowest);
        assert!(bottom <= f64::from(height), "{lowest} ends at {bottom} of {height}");
        // No number is cut; a long name is on a phone, where the heading has all of it.
        let whole = if phone { ".player .side, .counts" } else { ".player strong, .player .side, .counts" };
        let cut = browser.run(&format!(
            "return [...document.querySelectorAll('{whole}')].filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.outerHTML)",
        ));
        assert_eq!(cut, json!([]), "{width}");
        if phone {
            let [top, _] = edges(&browser, "[data-part=moves]");
            assert!(top < 1.3 * f64::from(height), "the moves are at {top}");
        }
        assert_eq!(horizontal_overflow(&browser, width), json!([0, 0]));
        let violations = browser.accessibility_violations();
        assert!(violations.is_empty(), "{violations:#?}");
    }
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn the_board_is_turned_around_and_the_game_plays_by_itself() {
    let (server, id, last) = with_a_game();
    let browser = Browser::start();
    browser.open(&at(&server, &format!("/records/{id}?ply=3&lang=en")));
    browser.run("window.same = true");
    let above = |side: &str, turned: bool| {
        browser.wait_for(&format!(
            "return document.querySelector('[data-part=above] [role=group]').getAttribute('aria-label') === '{side}'
               && document.querySelector('.board img').src.includes('flip=yes') === {turned}"
        ));
    };
    above("Luna", false);
    browser.press("f");
    above("Sol", true);
    assert_eq!([query(&browser, "flip"), query(&browser, "ply")], [json!("yes"), json!("3")]);
    // It stays so at other plies, and the button turns it back.
    browser.press("ArrowRight");
    browser.wait_for("return new URL(location).searchParams.get('ply') === '4'");
    above("Sol", true);
    browser.click("a[data-go=flip]");
    above("Luna", false);
    assert_eq!(query(&browser, "flip"), Value::Null);
    // From near the end it plays to the end and stops; from there it plays from the start.
    browser.press("End");
    browser.wait_for(&format!("return new URL(location).searchParams.get('ply') === '{last}'"));
    browser.press("ArrowLeft");
    browser.wait_for(&format!("return new URL(location).searchParams.get('ply') === '{}'", last - 1));
    let label = |text: &str| {
        browser.wait_for(&format!("return document.getElementById('play').getAttribute('aria-label') === '{text}'"));
    };
    browser.click("#play");
    label("Stop playing");
    browser.wait_for(&format!("return new URL(location).searchParams.get('ply') === '{last}'"));
    label("Play the game");
    browser.click("#play");
    browser.wait_for("return new URL(location).searchParams.get('ply') === '1'");
    browser.press("ArrowRight");
    label("Play the game");
    assert_eq!(browser.run("return window.same"), true, "the page was loaded anew");
    nothing_to_complain_of(&browser, &server);
    // Without a script the link turns it, and there is no button that does nothing.
    browser.scripts(false);
    browser.open(&at(&server, &format!("/records/{id}?ply=3&lang=en")));
    assert_eq!(browser.run("return document.getElementById('play').offsetParent"), Value::Null);
    browser.click("a[data-go=flip]");
    browser.wait_for(
        "return location.search.includes('flip=yes') && document.querySelector('.board img').src.includes('flip=yes')",
    );
}

#[test]
fn a_step_without_a_connection_stays_on_the_page() {
    let (server, id, _) = with_a_game();
    let browser = Browser::start();
    browser.open(&at(&server, &format!("/records/{id}?ply=5&lang=en")));
    browser.run("window.same = true");
    browser.connected(false);
    browser.click("a[data-ply='20']");
    browser.wait_for("return !document.getElementById('unreached').hidden");
    let state = "return [window.same, new URL(location).searchParams.get('ply'), document.getElementById('ply').value,
                         document.querySelector('[aria-current=step]').dataset.ply]";
    assert_eq!(browser.run(state), json!([true, "5", "5", "5"]));
    browser.connected(true);
    browser.click("a[data-ply='20']");
    browser.wait_for("return new URL(location).searchParams.get('ply') === '20'");
    assert_eq!(browser.run("return [window.same, document.getElementById('unreached').hidden]"), json!([true, true]));
}

/// The frame of the snippet is as large as the board in it, in every game, with the longest captions too.
#[test]
fn the_frame_for_other_pages_fits_each_game() {
    let server = Server::start();
    let browser = Browser::start();
    browser.screen(1280, 900, false, "light");
    for (file, text) in [
        ("andes/cup.quipu", "[Game "),
        ("pastores/games.quipu", "[Game "),
        ("querni/games.quipu", "^"),
        ("brandubh/games.quipu", "[Game "),
        ("brandubh/games.quipu", "[Rules \"cuervo\"]"),
    ] {
        let id = hex(&server.keep(record(file, text).as_bytes())[0]);
        for query in ["?ply=0&lang=es", "?lang=es", "?lang=en&flip=yes"] {
            browser.open(&at(&server, &format!("/records/{id}{query}")));
            let snippet = browser.run("return document.getElementById('snippet').value");
            let snippet = snippet.as_str().expect("a text").replace(" loading=\"lazy\"", "");
            assert!(snippet.contains(" title=\""), "{snippet}");
            browser.open(&elsewhere(&snippet));
            browser.frame(true);
            browser.wait_for("return document.querySelector('.board img')?.naturalWidth > 0 && !document.getElementById('play').hidden");
            let room = browser.run(
                "const page = document.documentElement;
                 const end = document.querySelector('[data-part=whole]').getBoundingClientRect().bottom;
                 return [page.scrollWidth - page.clientWidth, page.scrollHeight - page.clientHeight, page.clientHeight - end];",
            );
            browser.frame(false);
            let spare = room[2].as_f64().expect("a number");
            assert!((0.0..=60.0).contains(&spare), "{file} {query}: {room}");
            assert_eq!([&room[0], &room[1]], [0, 0], "{file} {query}: it is cut off");
        }
    }
}

/// Somebody who follows a game sees each move and the running clock; somebody who looks at an earlier ply stays there.
#[test]
fn a_live_game_is_followed_and_stepped_through() {
    let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
    let token = server.token(Scope::RecordsWrite);
    let record =
        |moves: &str| format!("[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result \"*\"]\n\n{moves}\n*\n");
    let three = "1. 0a1 {[%clk 0:11:50]} 0D0 {[%clk 0:11:40]}\n2. 0b0 {[%clk 0:11:30]}";
    let opened = server.ask("POST", "/v1/live").token(&token).body("text/plain", record(three)).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let save = |moves: &str| {
        let saved = server.ask("PUT", "/v1/live/1?running=yes").token(&token).header("If-Match", "*");
        assert_eq!(saved.body("text/plain", record(moves)).send().status, 200);
    };
    save(three);
    let browser = Browser::start();
    browser.open(&at(&server, "/live/1?lang=en"));
    browser.run("window.same = true");
    let clock = "document.querySelector('[data-clock=Luna]').textContent";
    browser.wait_for(&format!("return {clock} < '0:11:40' && {clock} > '0:11:00'"));
    let now = browser.run(&format!("return {clock}"));
    browser.wait_for(&format!("return {clock} < {now}"));
    assert_eq!(browser.run("return document.querySelector('[data-clock=Sol]').textContent"), "0:11:30");
    // The next move is marked, and the other clock runs.
    let four = format!("{three} 0A1 {{[%clk 0:11:20]}}");
    save(&four);
    browser.wait_for("return document.querySelector('.board img').src.includes('move=0A1')");
    browser.wait_for("return document.querySelector('[data-clock=Sol]').dataset.since && document.querySelector('[data-clock=Luna]').textContent === '0:11:20'");
    browser.wait_for("return document.querySelector('[data-ply=\"4\"]').getAttribute('aria-current') === 'step'");
    // An earlier ply stays, while the list grows.
    browser.press("ArrowLeft");
    browser.press("ArrowLeft");
    browser.wait_for("return new URL(location).searchParams.get('ply') === '2'");
    save(&format!("{four}\n3. 0b0c {{[%clk 0:11:10]}}"));
    browser.wait_for("return document.querySelector('[data-ply=\"5\"]') !== null");
    let shown = "return [document.querySelector('[data-part=moves] [aria-current]').dataset.ply, document.getElementById('ply').value,
                         document.getElementById('ply').max, document.querySelectorAll('[data-since]').length]";
    assert_eq!(browser.run(shown), json!(["2", "2", "5", 0]));
    // At its end it follows again.
    browser.press("End");
    browser.wait_for("return new URL(location).searchParams.get('ply') === null");
    assert_eq!(browser.run(shown), json!(["5", "5", "5", 1]));
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    assert_eq!(server.ask("POST", "/v1/live/1/close").token(&token).header("If-Match", "*").send().status, 200);
    browser.wait_for("return document.getElementById('following').textContent.includes('abandoned')");
    assert_eq!(browser.run("return [document.getElementById('going-on'), window.same]"), json!([null, true]));
    assert_eq!(browser.run("return document.querySelectorAll('[data-since]').length"), 0);
    nothing_to_complain_of(&browser, &server);
}

/// Paper has the board and the moves, and nothing to click on.
#[test]
fn a_printed_game_has_no_controls() {
    let (server, id, _) = with_a_game();
    let browser = Browser::start();
    browser.open(&at(&server, &format!("/records/{id}?lang=en")));
    browser.ask("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    let seen =
        "return ['.saves', '.embedding', '.steps', '.slider', '.board', '[data-part=moves]', '[data-part=above]'].map(
                    one => document.querySelector(one).getBoundingClientRect().height > 0)";
    assert_eq!(browser.run(seen), json!([false, false, false, false, true, true, true]));
}
