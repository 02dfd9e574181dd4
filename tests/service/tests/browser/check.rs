//! The check page in a browser: lines of findings, replay in its place, submission with the token of the device; and all of
//! it without scripts, on a phone and for screen readers.

use quipu_options::Scope;
use quipu_tests_service::{
    browser::{Browser, at},
    server::Server,
};
use serde_json::json;

use super::{BAD, horizontal_overflow, nothing_to_complain_of};

/// A game that Sol wins.
fn game(sol: &str, luna: &str) -> String {
    format!("[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n")
}

/// Checks a text that is written into the box.
fn check(browser: &Browser, server: &Server, text: &str) {
    browser.open(&at(server, "/check?lang=en"));
    browser.write("#text", text);
    browser.click("#check button");
    browser.wait_for("return document.querySelectorAll('article').length > 0");
}

#[track_caller]
fn has_no_accessibility_violations(browser: &Browser) {
    for (width, height, phone, scheme) in [(1280, 900, false, "light"), (360, 740, true, "dark")] {
        browser.screen(width, height, phone, scheme);
        let violations = browser.accessibility_violations();
        assert!(violations.is_empty(), "{width}: {violations:#?}");
        assert_eq!(horizontal_overflow(browser, width), json!([0, 0]), "{width}: it scrolls sideways");
    }
    browser.screen(1280, 900, false, "light");
}

#[test]
fn the_line_of_a_finding_is_selected_in_the_text() {
    let (server, browser) = (Server::start(), Browser::start());
    let before = game("Carla", "Dora").repeat(5);
    check(&browser, &server, &format!("{before}{BAD}"));
    browser.click("a[data-line]");
    let selected = "const text = document.getElementById('text');
                    return [document.activeElement.id, text.value.slice(text.selectionStart, text.selectionEnd)]";
    assert_eq!(browser.run(selected), json!(["text", "1. 0d3 2A1"]));
    // It is in sight, in the box and on the page.
    let seen = "const text = document.getElementById('text');
                const place = text.value.slice(0, text.selectionStart).split('\\n').length / text.value.split('\\n').length;
                const [y, box] = [place * text.scrollHeight - text.scrollTop, text.getBoundingClientRect()];
                return y > 0 && y < text.clientHeight + 10 && box.top >= 0 && box.bottom <= innerHeight";
    assert_eq!(browser.run(seen), true);
    nothing_to_complain_of(&browser, &server);
    // Without a script the link leads to the excerpt.
    browser.scripts(false);
    check(&browser, &server, BAD);
    browser.click("a[data-line]");
    browser.wait_for("return location.hash === '#line-6' && Boolean(document.getElementById('line-6'))");
}

#[test]
fn a_checked_game_is_replayed_in_its_place() {
    let (server, browser) = (Server::start(), Browser::start());
    check(&browser, &server, &[game("Ana", "Beto"), BAD.to_owned()].join("\n"));
    browser.run("window.same = true");
    let is_at = |now: &str| {
        browser.wait_for(&format!(
            "return document.querySelector('article .now')?.textContent.includes('{now}') === true"
        ));
        assert_eq!(browser.run("return window.same === true && document.querySelectorAll('.game').length"), 1);
    };
    browser.click("article [name=replay]");
    is_at("Ply 4 of 4: Luna 0D0C");
    assert_eq!(browser.run("return document.querySelector('article:first-of-type .game') !== null"), true);
    browser.press("Home");
    is_at("Start position");
    browser.press("ArrowRight");
    is_at("Ply 1 of 4: Sol 0a1");
    // A button keeps the keyboard.
    browser.click("[data-go=next]");
    is_at("Ply 2 of 4: Luna 0D0");
    browser.press("Enter");
    is_at("Ply 3 of 4: Sol 0b0");
    assert_eq!(browser.run("return document.activeElement.dataset.go"), "next");
    browser.click("td [value='1 2']");
    is_at("Ply 2 of 4: Luna 0D0");
    assert_eq!(browser.run("return document.activeElement.value"), "1 2");
    assert_eq!(browser.run("return document.querySelector('.game .board img').naturalWidth > 0"), true);
    has_no_accessibility_violations(&browser);
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn a_checked_game_is_replayed_without_a_script() {
    let (server, browser) = (Server::start(), Browser::start());
    browser.scripts(false);
    check(&browser, &server, &[game("Ana", "Beto"), BAD.to_owned()].join("\n"));
    browser.click("article [name=replay]");
    browser.wait_for("return document.querySelector('.now')?.textContent.includes('Ply 4 of 4') === true");
    browser.click("[data-go=previous]");
    browser.wait_for("return document.querySelector('.now')?.textContent.includes('Ply 3 of 4') === true");
    browser.click("td [value='1 1']");
    browser.wait_for("return document.querySelector('.now')?.textContent.includes('Ply 1 of 4') === true");
    browser.scripts(true);
    has_no_accessibility_violations(&browser);
    browser.scripts(false);
    // The way back to the result is the form.
    browser.click("#check button");
    browser.wait_for("return document.querySelectorAll('article').length === 2");
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn verified_games_are_submitted_with_the_token_of_the_device() {
    let (server, browser) = (Server::start(), Browser::start());
    let token = server.token(Scope::RecordsWrite);
    browser.open(&at(&server, "/keep?lang=en"));
    browser.write("#token", &token);
    browser.click("#token-form button");
    browser.wait_for("return document.getElementById('token-state').textContent.startsWith('There is a token')");
    check(&browser, &server, &[game("Ana", "Beto"), game("Carla", "Dora"), BAD.to_owned()].join("\n"));
    assert_eq!(browser.run("return document.getElementById('device-token').hidden"), false);
    has_no_accessibility_violations(&browser);
    browser.click("article [name=submit]");
    browser.wait_for("return document.getElementById('submitted') !== null");
    assert_eq!(browser.run("return document.querySelectorAll('article').length"), 2);
    browser.click("[name=submit][value=all]");
    browser.wait_for("return document.querySelectorAll('article').length === 1");
    assert_eq!(browser.run("return document.getElementById('text').value"), BAD);
    has_no_accessibility_violations(&browser);
    browser.click("#submitted ~ ol a");
    browser.wait_for("return location.pathname.startsWith('/records/')");
    nothing_to_complain_of(&browser, &server);
}

/// Enter in the field of the token or of a name submits nothing by itself.
#[test]
fn a_token_is_typed_without_a_script() {
    let (server, browser) = (Server::start(), Browser::start());
    let token = server.token(Scope::RecordsWrite);
    browser.scripts(false);
    check(&browser, &server, &game("Ana", "Beto"));
    browser.write("#token", "wrong");
    browser.press("Enter");
    assert_eq!(browser.run("return document.querySelector('[role=alert]')"), json!(null));
    browser.click("[name=submit]");
    browser.wait_for("return document.querySelector('[role=alert]')?.textContent.includes('not valid') === true");
    assert_eq!(browser.run("return document.getElementById('token').value"), "", "it is not shown again");
    browser.write("#token", &token);
    browser.click("[name=submit]");
    browser.wait_for("return document.querySelector('#submitted ~ ol a') !== null");
    assert_eq!(browser.run("return document.getElementById('text').value"), "");
}
