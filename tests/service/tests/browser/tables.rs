//! Tables and lists on screens of all sizes: names that stay while a table scrolls, encounters as cards, links that fingers
//! hit, and the form for the order of the standings without a script.

use quipu_tests_service::{
    browser::{Browser, at},
    bytes,
    server::Server,
};
use serde_json::{Value, json};

use super::{horizontal_overflow, nothing_to_complain_of};

const VIEWS: [&str; 4] = ["standings", "crosstable", "encounters", "results"];

fn with_cup() -> (Server, Browser) {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    (server, Browser::start())
}

#[test]
fn every_link_in_a_table_is_large_enough() {
    let (server, browser) = with_cup();
    for (width, height, phone, scheme) in [(1280, 900, false, "light"), (360, 740, true, "dark")] {
        browser.screen(width, height, phone, scheme);
        for view in VIEWS {
            browser.open(&at(&server, &format!("/events/1?view={view}&lang=en")));
            let small = browser.run(
                "return [...document.querySelectorAll('table a')].map(one => [one.textContent, one.getBoundingClientRect()])
                   .filter(([, box]) => box.width < 24 || box.height < 24).map(([text, box]) => [text, box.width, box.height])",
            );
            assert_eq!(small, json!([]), "{view} at {width}");
            assert_eq!(horizontal_overflow(&browser, width), json!([0, 0]), "{view} at {width}: it scrolls sideways");
            let violations = browser.accessibility_violations();
            assert!(violations.is_empty(), "{view} at {width}: {violations:#?}");
        }
    }
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn names_stay_while_a_table_scrolls() {
    let (server, browser) = with_cup();
    browser.screen(360, 740, true, "light");
    for view in ["standings", "crosstable"] {
        browser.open(&at(&server, &format!("/events/1?view={view}&lang=en")));
        let found = browser.run(
            "const region = document.querySelector('.wide');
             region.scrollLeft = region.scrollWidth;
             const name = region.querySelector('tbody th').getBoundingClientRect();
             return [region.scrollLeft > 0, Math.abs(name.left - region.getBoundingClientRect().left) < 3,
                     name.width < 180, getComputedStyle(region).backgroundImage.split('linear-gradient').length - 1];",
        );
        // The shadows at the sides are two gradients, and two more cover them.
        assert_eq!(found, json!([true, true, true, 4]), "{view}");
        let heights = browser
            .run("return Math.max(...[...document.querySelectorAll('.wide tbody tr')].map(row => row.offsetHeight))");
        assert!(heights.as_f64().is_some_and(|height| height < 70.0), "{view}: {heights}");
    }
}

#[test]
fn encounters_are_cards_on_a_phone() {
    let (server, browser) = with_cup();
    browser.screen(360, 740, true, "dark");
    browser.open(&at(&server, "/events/1?view=encounters&lang=en"));
    let outside = browser.run(
        "return [...document.querySelectorAll('.encounters tbody td, .encounters tbody th')]
           .filter(cell => { const box = cell.getBoundingClientRect(); return box.right > innerWidth || !box.width; })
           .map(cell => cell.textContent)",
    );
    assert_eq!(outside, json!([]));
    let region = browser.run("const one = document.querySelector('.wide'); return one.scrollWidth <= one.clientWidth");
    assert_eq!(region, true, "nothing is out of sight");
    let heights: Value = browser
        .run("return Math.max(...[...document.querySelectorAll('.encounters tbody tr')].map(row => row.offsetHeight))");
    assert!(heights.as_f64().is_some_and(|height| height < 130.0), "{heights}");
    // It is a table for screen readers all the same.
    assert_eq!(browser.run("return document.querySelectorAll('.encounters [role=row] > [role=rowheader]').length"), 28);
}

#[test]
fn the_order_is_chosen_without_a_script() {
    let (server, browser) = with_cup();
    browser.scripts(false);
    browser.open(&at(&server, "/events/1?lang=en"));
    let note = || browser.run("return document.querySelector('section .note').textContent");
    assert!(note().as_str().is_some_and(|note| note.starts_with("Order: points with bonus, encounters won")));
    browser.click("#round option[value='3']");
    browser.click("form summary");
    for (number, criterion) in [(1, "score"), (2, "sonneborn-berger"), (3, ""), (4, "")] {
        browser.click(&format!("#criterion-{number} option[value='{criterion}']"));
    }
    browser.click("details button");
    browser.wait_for("return location.search.includes('tie_breaks=sonneborn-berger')");
    let note = note();
    let expected = "Order: score, Sonneborn-Berger. Players equal in all of these share a place. \
                    Only games up to round 3 count.";
    assert_eq!(note, expected);
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn lists_show_many_games_at_once() {
    let (server, browser) = with_cup();
    for (width, height, phone, most) in [(1280, 900, false, 8), (360, 740, true, 4)] {
        browser.screen(width, height, phone, "light");
        browser.open(&at(&server, "/records?lang=en"));
        let seen = browser.run(
            "return [...document.querySelectorAll('.cards li')].filter(one => one.getBoundingClientRect().bottom <= innerHeight).length",
        );
        assert!(seen.as_u64().is_some_and(|seen| seen >= most), "{seen} at {width}");
        browser.open(&at(&server, "/?lang=en"));
        let games = browser.run("return document.getElementById('games').getBoundingClientRect().top");
        assert!(games.as_f64().is_some_and(|top| top < 1100.0), "{games} at {width}");
    }
}
