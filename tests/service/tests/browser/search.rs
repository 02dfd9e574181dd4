//! Names that are suggested while one types.

use quipu_tests_service::{
    browser::{Browser, at},
    bytes,
    server::Server,
};
use serde_json::json;

use super::nothing_to_complain_of;

#[test]
fn names_are_suggested_while_one_types() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let browser = Browser::start();
    browser.speak("en");
    browser.open(&at(&server, "/records"));
    browser.run("document.querySelector('details').open = true");
    // The beginning of a first name and the middle of a surname, without its accent.
    browser.write("#player", "nahuel urin");
    browser.wait_for("return document.querySelectorAll('#player-names option').length > 0");
    let names = browser.run("return [...document.querySelectorAll('#player-names option')].map(one => one.value)");
    assert_eq!(names, json!(["Painemal Curín, Nahuel"]));
    browser.write("#against", "nahuel curin");
    browser.wait_for("return document.querySelectorAll('#against-names option').length > 0");
    browser.run("document.getElementById('against').value = ''");
    browser.write("#event", "and");
    browser.wait_for("return document.querySelector('#event-names option')?.value === 'Copa de los Andes'");
    browser.run("document.getElementById('event').value = ''");
    // A suggestion that is taken is a whole name.
    browser.run("const input = document.getElementById('player'); input.value = document.querySelector('#player-names option').value");
    browser.click("form.search button");
    browser.wait_for("return new URL(location).searchParams.get('player') === 'Painemal Curín, Nahuel'");
    assert_eq!(browser.run("return document.querySelectorAll('.cards li').length > 0"), true);
    nothing_to_complain_of(&browser, &server);
}
