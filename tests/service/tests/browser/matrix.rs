//! Every kind of page in both languages, on a phone and on a large screen, by day and by night: the console, requests to
//! other sites, pictures, bytes, room to the side, and the rules of axe-core; and each by the keyboard alone, and without a
//! script.

use quipu_options::settings::Settings;
use quipu_tests_service::{
    browser::{Browser, at},
    sample_archive::sample_archive,
    server::Server,
};
use serde_json::{Value, json};

use super::{horizontal_overflow, nothing_to_complain_of};

/// Width and height of the screens, and if they are those of phones.
const SCREENS: [(u32, u32, bool); 2] = [(360, 640, true), (1280, 900, false)];
/// The rules of axe-core whose outcome depends on colours; a colour scheme changes nothing else.
const OF_COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];
/// Most bytes of a page over the network, with all that it loads.
const MAX_BYTES: u64 = 120 << 10;

/// The paths of all kinds of pages.
fn paths(ids: &[String]) -> Vec<String> {
    let fixed = [
        "/",
        "/records?q=a&game=andes",
        "/records?player=ma",
        "/positions",
        "/positions?game=querni",
        "/players",
        "/players/1",
        "/rankings",
        "/rankings?game=andes",
        "/ratings",
        "/ratings?game=andes",
        "/players/1/ratings",
        "/events",
        "/events/1",
        "/events/1?view=crosstable",
        "/events/1?view=encounters",
        "/tournaments",
        "/tournaments/new",
        "/tournaments/1",
        "/tournaments/1/standings",
        "/tournaments/1/screen",
        "/tournaments/1/players/1",
        "/tournaments/1/rounds/1",
        "/tournaments/1/rounds/1/pairing",
        "/tournaments/1/rounds/1/results",
        "/tournaments/1/rounds/1/boards/1",
        "/tournaments/1/rounds/1/boards/2",
        "/tournaments/1/files",
        "/tournaments/1/organise",
        "/tournaments/1/tie-breaks",
        "/tournaments/1/history",
        "/rules",
        "/rules?q=persona",
        "/rules/andes",
        "/rules/querni",
        "/rules/andes.3.6",
        "/rules/api.busy",
        "/check",
        "/keep",
        "/keep?game=querni",
        "/keep/desk",
        "/keep/1/1/2/1",
        "/live",
        "/live/1",
        "/webhooks",
        "/docs",
        "/docs/records",
    ];
    // Verified, incomplete, rejected, unreadable, corrected.
    let records = [0, 3, 6, 9, 14].into_iter().map(|at| format!("/records/{}", ids[at]));
    let embedded = format!("/embed/{}?ply=2", ids[0]);
    fixed.into_iter().map(str::to_owned).chain(records).chain([embedded]).collect()
}

/// An archive in which something of everything happened, the paths of its pages, and a browser.
fn all_pages() -> (Server, Vec<String>, Browser) {
    let (server, ids) = sample_archive(Settings { address_rate: 1_000_000, ..Settings::default() });
    let browser = Browser::start();
    // Pages for scoring a game would otherwise come through their service worker, and not as the service sends them.
    browser.ask("Network.enable", &json!({}));
    browser.ask("Network.setBypassServiceWorker", &json!({ "bypass": true }));
    browser.ask("Network.setCacheDisabled", &json!({ "cacheDisabled": true }));
    (server, paths(&ids), browser)
}

/// Waits until all pictures are there, also those that are fetched when somebody comes near them.
#[track_caller]
fn wait_for_pictures(browser: &Browser) {
    browser.run("for (const one of document.images) one.loading = 'eager'");
    browser.wait_for("return [...document.images].every(one => !one.src || (one.complete && one.naturalWidth > 0))");
}

fn every_page(lang: &str) {
    let (server, paths, browser) = all_pages();
    browser.speak(lang);
    let mut wrong = Vec::new();
    for path in paths {
        let mut check = |told: &str, found: Value, expected: Value| {
            if found != expected {
                wrong.push(format!("{path}: {told}: {found}"));
            }
        };
        browser.screen(SCREENS[0].0, SCREENS[0].1, SCREENS[0].2, "light");
        browser.open(&at(&server, &path));
        browser.wait_for("return document.readyState === 'complete'");
        check("language", browser.run("return document.documentElement.lang"), json!(lang));
        let bytes = browser.run(
            "const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
             return all.reduce((sum, one) => sum + one.transferSize, 0)",
        );
        let is_small = bytes.as_u64().is_some_and(|bytes| (1..=MAX_BYTES).contains(&bytes));
        check(&format!("{bytes} bytes"), json!(is_small), json!(true));
        // Axe-core takes longest. Its rules see no language, so each language has half of the screens and schemes.
        for (index, (width, height, phone)) in SCREENS.into_iter().enumerate() {
            for scheme in ["light", "dark"] {
                browser.screen(width, height, phone, scheme);
                wait_for_pictures(&browser);
                check(&format!("sideways at {width}"), horizontal_overflow(&browser, width), json!([0, 0]));
                let violations = match (scheme, (index == 0) == (lang == "es")) {
                    ("light", true) => browser.accessibility_violations(),
                    ("dark", false) => browser.accessibility_violations_of(&OF_COLOURS),
                    _ => continue,
                };
                check(&format!("violations at {width} {scheme}"), json!(violations), json!([]));
            }
        }
        nothing_to_complain_of(&browser, &server);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_page_in_spanish() {
    every_page("es");
}

#[test]
fn every_page_in_english() {
    every_page("en");
}

#[test]
fn every_control_is_reached_by_the_keyboard_and_shows_it() {
    let (server, paths, browser) = all_pages();
    let mut wrong = Vec::new();
    for path in paths {
        browser.open(&at(&server, &path));
        // Radio buttons of a group are one stop: the arrow keys lead from the chosen one to the others.
        let controls = browser.run(
            "window.reached = new Set();
             window.invisible = [];
             addEventListener('focusin', ({ target }) => {
               const { outlineStyle, outlineWidth } = getComputedStyle(target);
               if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) invisible.push(target.outerHTML);
               reached.add(target);
             });
             window.controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
               .filter(one => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }))
               .filter(one => one.type !== 'radio' || one.checked);
             return controls.length",
        );
        let count = usize::try_from(controls.as_u64().expect("a number")).expect("few");
        // A field for a date takes more than one key.
        let mut pressed = 0;
        let unreached = loop {
            browser.press_often("Tab", 100.min(count + 10));
            pressed += 100.min(count + 10);
            let rest = browser.run("return controls.filter(one => !reached.has(one)).map(one => one.outerHTML)");
            if rest == json!([]) || pressed > 2 * count + 100 {
                break rest;
            }
        };
        let invisible = browser.run("return invisible");
        if unreached != json!([]) || invisible != json!([]) {
            wrong.push(format!("{path}: not reached: {unreached}; not seen: {invisible}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Without a script each page has the headings that it has with one, and most of its text: a slider has words of its own.
#[test]
fn every_page_can_be_read_without_a_script() {
    let (server, paths, browser) = all_pages();
    let headings = "return [...document.querySelectorAll('main :is(h1, h2, h3)')]
        .filter(one => one.checkVisibility()).map(one => one.textContent)";
    let length = "return document.querySelector('main').innerText.length";
    let mut wrong = Vec::new();
    for path in paths {
        let [with, without] = [true, false].map(|scripts| {
            browser.scripts(scripts);
            browser.open(&at(&server, &path));
            browser.wait_for("return document.readyState === 'complete'");
            (browser.run(headings), browser.run(length).as_f64().expect("a number"))
        });
        if with.0 != without.0 || without.1 < 0.6 * with.1 {
            wrong.push(format!("{path}: {with:?} with a script, {without:?} without one"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
