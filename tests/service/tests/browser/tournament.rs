//! A small cup on a phone: names pasted, a round paired, results entered without a connection, a record sent, and the standings that
//! lead to it; and the same forms without a script.

use quipu_options::Scope;
use quipu_tests_service::{
    browser::{Browser, at},
    server::Server,
};
use serde_json::json;

use super::{horizontal_overflow, nothing_to_complain_of};

const NAMES: &str = "Rosa Quispe; 2000\nLuis Tapia; 1900\nAna Ruiz; 1800\nInés Soto; 1700";

/// Chooses an option of a list.
pub(super) fn choose(browser: &Browser, selector: &str, value: &str) {
    browser.run(&format!("document.querySelector({}).value = {}", json!(selector), json!(value)));
}

/// Presses a button of the form and waits for a sentence of the answer.
#[track_caller]
pub(super) fn press(browser: &Browser, action: &str, said: &str) {
    browser.click(&format!("button[name=do][value='{action}']"));
    expect_message(browser, said);
}

#[track_caller]
pub(super) fn expect_message(browser: &Browser, said: &str) {
    browser.wait_for(&format!("return document.querySelector('main')?.textContent.includes({}) === true", json!(said)));
}

#[track_caller]
pub(super) fn has_no_accessibility_violations(browser: &Browser) {
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{}: {violations:#?}", browser.address());
    assert_eq!(horizontal_overflow(browser, 360), json!([0, 0]), "{}", browser.address());
}

/// Creates a tournament of four players.
fn create(browser: &Browser, server: &Server, token: &str) {
    browser.open(&at(server, "/tournaments/new?lang=en"));
    browser.write("#token", token);
    browser.write("#name", "Copa");
    browser.write("#rounds", "2");
    choose(browser, "#game", "andes");
    choose(browser, "#encounter", "single");
    browser.click("form button:not([disabled])");
    expect_message(browser, "The tournament is created");
    browser.click("main a.button");
    browser.wait_for("return document.getElementById('pasted') !== null");
    browser.write("#pasted", NAMES);
}

#[test]
fn a_small_cup_on_a_phone() {
    let (server, browser) = (Server::start(), Browser::start());
    browser.screen(360, 640, true, "light");
    let token = server.token(Scope::EventsAdmin);
    create(&browser, &server, &token);
    has_no_accessibility_violations(&browser);
    browser.write("#token", &token);
    press(&browser, "names-check", "To be entered: 4");
    press(&browser, "names", "Entered: 4");
    // The token stays while the page does.
    press(&browser, "pair-check", "not confirmed");
    has_no_accessibility_violations(&browser);
    press(&browser, "pair", "The round is paired.");
    browser.click("main a[href*='/results']");
    browser.wait_for("return document.getElementById('results') !== null");
    has_no_accessibility_violations(&browser);
    browser.write("#token", &token);
    choose(&browser, "#result-1-1", "0");
    choose(&browser, "#result-2-1", "2");
    let players = browser.run("return document.querySelector('legend').textContent.slice(3).split(' – ')");
    // Without a connection nothing is lost, and nothing can be written that would be.
    browser.connected(false);
    browser.click("button[name=do][value=close]");
    browser.wait_for("return document.getElementById('waiting').hidden === false");
    assert_eq!(browser.run("return document.getElementById('result-1-1').value"), json!("0"));
    let is_inert = "return document.getElementById('result-2-1').closest('[inert]') !== null";
    assert_eq!(browser.run(is_inert), json!(true));
    // Nor does the note scroll away with the field of the token, here above an open keyboard.
    browser.screen(360, 320, true, "light");
    browser.run("scrollTo(0, document.body.scrollHeight)");
    let place = "const note = document.getElementById('waiting');
         const [above, place] = [note.previousElementSibling, note].map(part => part.getBoundingClientRect());
         return [above.bottom + place.height < 0, place.top >= 0 && place.bottom <= innerHeight];";
    assert_eq!(browser.run(place), json!([true, true]), "the note is in sight");
    browser.screen(360, 640, true, "light");
    browser.connected(true);
    expect_message(&browser, "The round is closed.");
    // The record of the first board, with a token of the players.
    let [one, two] = [&players[0], &players[1]].map(|name| name.as_str().expect("a name"));
    let record = format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"{one}\"]\n[Luna \"{two}\"]\n[Result \"1-0\"]\n\n\
         1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    );
    browser.open(&at(&server, "/check?lang=en"));
    browser.write("#text", &record);
    browser.click("#check button");
    browser.wait_for("return document.getElementById('token') !== null");
    browser.write("#token", &server.token(Scope::RecordsWrite));
    browser.click("[name=submit][value=all]");
    browser.wait_for("return document.getElementById('submitted') !== null");
    // From the standings to the game.
    browser.open(&at(&server, "/tournaments?lang=en"));
    browser.click("main ul.names a");
    browser.wait_for("return document.getElementById('entries') !== null");
    browser.click("main a[href*='/standings']");
    browser.wait_for("return location.pathname.endsWith('/standings')");
    browser.click("td a[href*='#games']");
    browser.wait_for("return location.hash === '#games'");
    browser.click("td a[href^='/records/']");
    browser.wait_for("return location.pathname.startsWith('/records/')");
    expect_message(&browser, one);
}

/// An answer that is not the page of the form takes nothing away, and is repeated only where that may help.
#[test]
fn answers_without_the_form() {
    let (server, browser) = (Server::start(), Browser::start());
    browser.open(&at(&server, "/tournaments/new?lang=en"));
    browser.write("#name", "Copa");
    let is_shown = |id: &str| browser.wait_for(&format!("return document.getElementById('{id}').hidden === false"));
    let send = |response: &str| {
        browser.run(&format!("window.sent = 0; window.fetch = async () => (window.sent += 1, {response});"));
        browser.click("form button:not([disabled])");
    };
    for (response, said) in [
        ("new Response('<h1>Too large</h1>', { status: 413 })", "not a page of quipu"),
        ("new Response('<main><h1>Busy</h1><p>It is read only.</p></main>', { status: 503 })", "Busy It is read only."),
        ("new Response('', { status: 500 })", "not a page of quipu"),
    ] {
        send(response);
        is_shown("failed");
        let state = "const [form, failed, waiting] =
                 ['form[data-resend]', '#failed', '#waiting'].map(part => document.querySelector(part));
             return [failed.textContent, form.ariaBusy, form.querySelector('[inert]') === null, waiting.hidden, window.sent,
                     form.elements.name.value];";
        let state = browser.run(state);
        assert!(state[0].as_str().is_some_and(|text| text.contains(said)), "{response}: {state}");
        assert_eq!(
            state.as_array().expect("a list")[1..],
            [json!("false"), json!(true), json!(true), json!(1), json!("Copa")]
        );
    }
    // No service behind the proxy, too many requests, and then a page.
    send(
        "[new Response('', { status: 502 }), new Response('', { status: 429, headers: { 'Retry-After': '1' } }),
          new Response('<main><h1>Made</h1></main>')][window.sent - 1]",
    );
    is_shown("waiting");
    expect_message(&browser, "Made");
    assert_eq!(browser.run("return window.sent"), json!(3));
    // No answer at all.
    browser.open(&at(&server, "/tournaments/new?lang=en"));
    send("await new Promise(() => {})");
    is_shown("waiting");
}

#[test]
fn forms_of_an_organiser_without_a_script() {
    let (server, browser) = (Server::start(), Browser::start());
    browser.scripts(false);
    let token = server.token(Scope::EventsAdmin);
    create(&browser, &server, &token);
    // Enter in a field does nothing by itself.
    browser.write("#token", &token);
    browser.press("Enter");
    press(&browser, "names", "Entered: 4");
    press(&browser, "pair-check", "not confirmed");
    press(&browser, "pair", "Type your token");
    let console = browser.console();
    assert!(console.len() == 1 && console[0].contains("401"), "{console:?}");
    assert_eq!(browser.run("return document.getElementById('token').value"), json!(""), "it is not shown again");
    browser.write("#token", &token);
    press(&browser, "pair-check", "not confirmed");
    browser.write("#token", &token);
    press(&browser, "pair", "The round is paired.");
    nothing_to_complain_of(&browser, &server);
}

/// Forbidden pairs, tie-breaks and the history on a phone, with scripts and without.
#[test]
fn an_organiser_needs_no_command() {
    for has_scripts in [true, false] {
        let (server, browser) = (Server::start(), Browser::start());
        browser.screen(360, 640, true, "light");
        browser.scripts(has_scripts);
        let token = server.token(Scope::EventsAdmin);
        create(&browser, &server, &token);
        // A script keeps the token in the field.
        let sign = || {
            browser.run("document.getElementById('token').value = ''");
            browser.write("#token", &token);
        };
        let check = || {
            if has_scripts {
                has_no_accessibility_violations(&browser);
            }
        };
        sign();
        press(&browser, "names", "Entered: 4");
        sign();
        choose(&browser, "#pair-one", "1");
        choose(&browser, "#pair-two", "3");
        press(&browser, "forbid", "Rosa Quispe – Ana Ruiz");
        check();
        browser.click("main a[href*='/tie-breaks']");
        browser.wait_for("return document.getElementById('order-1') !== null");
        check();
        sign();
        choose(&browser, "#order-1", "wins");
        browser.write("#reason", "a bulletin");
        browser.click("#order button:not([disabled])");
        expect_message(&browser, "reason: a bulletin");
        check();
        browser.click("main a[href*='/organise']");
        browser.wait_for("return document.getElementById('pasted') !== null");
        browser.click("main a[href*='/history']");
        browser.wait_for("return document.querySelectorAll('#history li').length === 4");
        check();
        // The third change, after creation and entries, forbids the pair.
        browser.click("#history li:nth-child(2) summary");
        sign();
        browser.write("#reason-3", "they are no siblings");
        check();
        browser.click("button[name=do][value='undo 3']");
        expect_message(&browser, "Change 3 is undone.");
        expect_message(&browser, "reason: they are no siblings");
        browser.click("main nav a");
        browser.wait_for("return document.getElementById('entries') !== null");
        let page = browser.run("return document.querySelector('main').textContent");
        let page = page.as_str().expect("a text");
        assert!(page.contains("reason: a bulletin") && !page.contains("Forbidden pair"), "{page}");
        nothing_to_complain_of(&browser, &server);
    }
}
