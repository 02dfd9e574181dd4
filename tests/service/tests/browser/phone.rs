//! Whole games of each kind on a small phone: board and pieces stay on the screen, and nobody scrolls between them. The clock, the
//! end of a game, and the sections of the header that are out of sight.

use quipu_tests_service::browser::Browser;
use serde_json::json;

use super::score::{BEGUN, Keeper, moves};

/// True if the middle of the square or piece is on the screen and takes the touch, and the page stands where it stood.
fn is_in_reach(browser: &Browser, name: &str) -> bool {
    is_seen(browser, &format!("document.querySelector(`[data-name=${{CSS.escape({})}}]`)", json!(name)))
}

/// The same of the element of an expression.
fn is_seen(browser: &Browser, element: &str) -> bool {
    let script = format!(
        "const one = {element};
         const {{ left, right, top, bottom }} = one.getBoundingClientRect();
         const whole = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
         const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
         return whole && scrollY === 0 && one.contains(hit)"
    );
    browser.run(&script) == json!(true)
}

/// Enters a game of a fixture, by its index, as far as the moves that it has.
#[track_caller]
fn check(file: &str, index: usize) {
    let (tokens, tags) = moves(file, index);
    let tag = |name: &str| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    browser.screen(360, 640, true, "light");
    let (game, first) = (tag("Game").expect("a game"), tag("First"));
    let mut record = json!({ "game": game, "tags": {}, "comments": [], "moves": [], "result": "*" });
    let mut text = format!("[Game \"{game}\"]\n");
    for (name, field) in [("Rules", "rules"), ("Setup", "setup"), ("First", "first")] {
        if let Some(value) = tag(name) {
            text += &format!("[{name} \"{value}\"]\n");
            record[field] = json!(value);
        }
    }
    let stored = json!({ "record": record, "key": "0123456789abcdef", "clock": null, "changed": 0 }).to_string();
    browser.run(&format!("localStorage.setItem('quipu.game.phone', {})", json!(stored)));
    browser.open(&keeper.at("/keep/desk?lang=en#phone"));
    browser.wait_for(BEGUN);
    keeper.plies(0);
    text += "\n";
    for (ply, token) in tokens.iter().enumerate() {
        browser.run("scrollTo(0, 0)");
        for name in keeper.taps(&format!("{text}*\n"), token) {
            assert!(is_in_reach(browser, &name), "{file} {index}, {first:?}: {name} of ply {}, {token}", ply + 1);
            let name = json!(name);
            browser.run(&format!("document.querySelector(`[data-name=${{CSS.escape({name})}}]`).click()"));
        }
        // Moves that could go on are chosen below the board.
        let chosen = format!(
            "const all = [...document.querySelectorAll('#choices button')];
             const one = all.find(one => one.textContent === {});
             one?.click();
             return document.querySelectorAll('.plies > li').length",
            json!(token)
        );
        assert_eq!(browser.run(&chosen), json!(ply + 1), "{token}");
        keeper.plies(ply + 1);
        text += &format!("{token} ");
    }
    assert_eq!(browser.run("return document.documentElement.scrollWidth <= innerWidth"), true);
}

#[test]
fn a_game_of_andes() {
    check("andes/games.quipu", 4);
}

#[test]
fn a_game_of_pastores() {
    check("pastores/games.quipu", 7);
}

#[test]
fn a_game_of_querni_with_its_chains() {
    check("querni/games.quipu", 7);
}

#[test]
fn a_game_of_brandubh() {
    check("brandubh/games.quipu", 12);
}

#[test]
fn a_game_of_el_cuervo() {
    check("brandubh/games.quipu", 2);
}

/// In each state of a game the buttons that it needs are on the screen with the board.
#[test]
fn clock_and_end_are_in_reach_beside_the_board() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    browser.screen(360, 640, true, "light");
    for lang in ["en", "es"] {
        browser.open(&keeper.at(&format!("/keep?game=andes&lang={lang}")));
        super::score::begin(browser);
        keeper.plies(0);
        let check = |state: &str, buttons: &[&str]| {
            browser.run("scrollTo(0, 0)");
            for id in [&["undo", "flip"], buttons].concat() {
                let button = format!("document.getElementById('{id}')");
                assert!(is_seen(browser, &button), "{lang}, {state}: {id}");
            }
            assert!(is_in_reach(browser, "0") && is_in_reach(browser, "a1"), "{lang}, {state}");
        };
        check("before the first move", &["clock", "ending"]);
        browser.click("#clock");
        browser.wait_for("return document.querySelector('.seat.moving .time').textContent !== '12:00'");
        check("with a running clock", &["clock", "ending"]);
        for name in ["0", "d3"] {
            keeper.touch(name);
        }
        keeper.plies(1);
        check("after a move", &["clock", "ending"]);
        browser.click("#ending");
        browser.wait_for("return document.activeElement.closest('#ways') !== null");
        browser.click("#ways button");
        browser.wait_for("return !document.getElementById('result').hidden");
        assert_eq!(browser.run("return document.documentElement.scrollWidth <= innerWidth"), true);
    }
}

/// The header shows by a shadow that it has more sections, at the side where they are.
#[test]
fn sections_out_of_sight_are_shown_by_a_shadow() {
    let keeper = Keeper::new();
    let browser = &keeper.browser;
    let shadows = "const nav = document.querySelector('header nav');
        const style = getComputedStyle(nav);
        return [nav.scrollWidth > nav.clientWidth,
                style.backgroundImage.split('linear-gradient').length - 1, style.backgroundAttachment]";
    browser.screen(360, 640, true, "light");
    browser.open(&keeper.at("/records?lang=es"));
    assert_eq!(browser.run(shadows), json!([true, 4, "local, local, scroll, scroll"]));
    browser.screen(1280, 900, false, "light");
    assert_eq!(browser.run(shadows), json!([false, 0, "scroll"]));
}
