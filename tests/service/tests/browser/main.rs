//! Pages in a real browser, Chromium without a window, over the real server: how games are stepped through, checked and
//! scored, with a script and without one. All pages, on all screens, are in `matrix.rs`.
//!
//! The contents of pages are tested in `tests/service/tests/http/pages.rs`.

mod board;
mod check;
mod cup;
mod desk;
mod game;
mod live;
mod matrix;
mod offline;
mod phone;
mod score;
mod search;
mod tables;
mod tournament;
mod tournament_sheets;

use quipu_notation::record::Chunk;
use quipu_referee::report::hex;
use quipu_tests_service::{
    browser::{Browser, at},
    bytes,
    server::Server,
};
use serde_json::{Value, json};

use game::elsewhere;

/// A record whose fourth ply is refused.
const BAD: &str = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result \"*\"]\n\n1. 0d3 2A1\n*\n";

/// A service that nobody is sent away from, with the first game of the cup; and how many plies that has.
fn with_a_game() -> (Server, String, u64) {
    let server = Server::start();
    let text = bytes("andes/cup.quipu");
    let id = hex(&server.keep(&text[..])[0]);
    let plies = Chunk::new(&text).records().next().expect("a record").expect("it can be read").movetext.plies.len();
    (server, id, plies as u64)
}

/// Creates a tournament of four players, with seconds for each if there are clocks, and pairs its first round. Returns the names
/// on its boards.
fn paired(server: &Server, token: &str, time_control: Option<u32>) -> [[String; 2]; 2] {
    let entered = ["Rosa Quispe", "Luis Tapia", "Ana Ruiz", "Inés Soto"];
    let entered = entered.map(|name| json!({ "change": "enter", "player": { "name": name }, "first": 1 }));
    let mut settings = json!({
        "name": "Copa", "system": { "kind": "swiss" }, "rounds": 2, "encounter": { "kind": "single" }, "first_side": 1
    });
    if let Some(seconds) = time_control {
        settings["time_control"] = seconds.into();
    }
    let send = |path: &str, body: &Value| {
        let response = server.ask("POST", path).token(token).json(body).send();
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()
    };
    send("/v1/tournaments", &json!({ "game": "andes", "settings": settings, "steps": entered }));
    let round = send("/v1/tournaments/1/pairings", &json!({}));
    [0, 1].map(|board| {
        [0, 1].map(|player| round["boards"][board]["players"][player].as_str().expect("a name").to_owned())
    })
}

/// Checks that nothing was asked for but from this server, and that the console is empty.
#[track_caller]
fn nothing_to_complain_of(browser: &Browser, server: &Server) {
    let console = browser.console();
    assert!(console.is_empty(), "{}: {console:#?}", browser.address());
    let (own, requests) = (at(server, "/"), browser.requests());
    // The browser's own first page, `chrome://new-tab-page` with its `chrome-untrusted://` frames, reaches no server.
    let is_own = |url: &str| {
        url.starts_with(&own) || ["data:", "chrome:", "chrome-untrusted:"].iter().any(|scheme| url.starts_with(scheme))
    };
    let foreign: Vec<_> = requests.iter().filter(|url| !is_own(url)).collect();
    assert!(foreign.is_empty(), "{}: {foreign:?}", browser.address());
    assert!(!requests.is_empty(), "requests are seen");
}

/// By how much the page is wider than there is room for it, and than the screen of this width.
fn horizontal_overflow(browser: &Browser, width: u32) -> Value {
    browser.run(&format!(
        "const page = document.documentElement;
         return [page.scrollWidth - page.clientWidth, innerWidth - {width}];"
    ))
}

/// Plies that the page shows: of the picture, the marked move, the slider, the field and the address.
fn shown(browser: &Browser) -> Value {
    browser.run(
        "const ply = text => Number(/([0-9]+)\\.svg/.exec(text)[1]);
         const image = document.querySelector('.board img');
         const source = document.querySelector('.board source').srcset;
         const move = document.querySelector('[data-part=moves] [aria-current]');
         return [ply(image.src), ply(source), move ? Number(move.dataset.ply) : 0,
                 Number(document.getElementById('ply').value), Number(new URL(location).searchParams.get('ply'))];",
    )
}

#[test]
fn a_game_is_stepped_through_without_loading_it_anew() {
    let (server, id, last) = with_a_game();
    let browser = Browser::start();
    browser.open(&at(&server, &format!("/records/{id}?ply=0&lang=en")));
    browser.run("window.same = true");
    let is_at = |ply: u64| {
        browser.wait_for(&format!("return new URL(location).searchParams.get('ply') === '{ply}'"));
        assert_eq!(shown(&browser), json!([ply, ply, ply, ply, ply]));
        assert_eq!(browser.run("return window.same"), true, "the page was loaded anew");
        // The server says what is to be seen there.
        let page = server.get(&format!("/records/{id}?ply={ply}&lang=en")).text().to_owned();
        let now = browser.run("return document.querySelector('[data-part=now]').textContent");
        assert!(page.contains(&format!("role=\"status\">{}</p>", now.as_str().expect("a text"))), "{now}");
        for part in ["above", "below"] {
            for named in [".who", "[data-points]", "[data-clock]"] {
                let told =
                    browser.run(&format!("return document.querySelector('[data-part={part}] {named}').outerHTML"));
                assert!(page.contains(told.as_str().expect("a text")), "{told}");
            }
        }
    };
    // Buttons, which keep the keyboard.
    browser.click("a[data-go=next]");
    is_at(1);
    browser.press("Enter");
    is_at(2);
    assert_eq!(browser.run("return document.activeElement.dataset.go"), "next");
    browser.click("a[data-go=last]");
    is_at(last);
    browser.click("a[data-go=next]");
    is_at(last);
    browser.click("a[data-go=first]");
    is_at(0);
    // Keys.
    browser.press("ArrowRight");
    is_at(1);
    browser.press("End");
    is_at(last);
    browser.press("Home");
    is_at(0);
    // A move of the list, and the keys from there: the focus is in the list.
    browser.click("[data-ply='4']");
    is_at(4);
    browser.press("ArrowRight");
    is_at(5);
    browser.press("End");
    is_at(last);
    browser.press("Home");
    is_at(0);
    browser.press("ArrowRight");
    is_at(1);
    browser.click("[data-ply='4']");
    is_at(4);
    // The slider, as fast as somebody drags it: the last place is where it ends.
    browser.run(
        "const slider = document.getElementById('ply');
         for (let ply = 0; ply <= 20; ply += 1) { slider.value = ply; slider.dispatchEvent(new Event('input')); }",
    );
    is_at(20);
    // The address shows the same to everybody, in either language.
    let address = browser.address();
    browser.open(&address);
    assert_eq!(shown(&browser), json!([20, 20, 20, 20, 20]));
    browser.click("a[data-go=next]");
    browser.wait_for("return new URL(location).searchParams.get('ply') === '21'");
    browser.click("header a[hreflang]");
    browser.wait_for("return document.documentElement.lang === 'es'");
    assert_eq!(shown(&browser), json!([21, 21, 21, 21, 21]));
    nothing_to_complain_of(&browser, &server);
}

/// The snippet for other pages has the address of the service, and shows the board there, and only the board.
#[test]
fn a_board_in_another_page() {
    let (server, id, _) = with_a_game();
    let browser = Browser::start();
    browser.open(&at(&server, &format!("/records/{id}?ply=3")));
    let snippet = browser.run("return document.getElementById('snippet').value");
    let snippet = snippet.as_str().expect("a text").to_owned();
    assert!(snippet.contains(&format!("src=\"{}", at(&server, &format!("/embed/{id}?ply=3")))), "{snippet}");
    let inside = |html: &str| {
        browser.open(&elsewhere(html));
        browser.frame(true);
        let found = browser.run("return document.querySelector('.board img')?.naturalWidth > 0");
        let found = found == json!(true);
        if found {
            browser.click("a[data-go=next]");
            browser.wait_for("return new URL(location).searchParams.get('ply') === '4'");
        }
        browser.frame(false);
        found
    };
    assert!(inside(&snippet.replace(" loading=\"lazy\"", "")));
    assert!(!inside(&format!("<iframe src=\"{}\"></iframe>", at(&server, &format!("/records/{id}")))));
}

#[test]
fn pages_work_without_a_script() {
    let (server, id, _) = with_a_game();
    let browser = Browser::start();
    browser.scripts(false);
    browser.open(&at(&server, &format!("/records/{id}?ply=0&lang=en")));
    assert_eq!(browser.run("return getComputedStyle(document.querySelector('.slider')).display"), "none");
    browser.click("a[data-go=next]");
    browser.wait_for("return location.search.includes('ply=1')");
    browser.click("[data-ply='7']");
    browser.wait_for(
        "return location.search.includes('ply=7') && document.querySelector('.board img').src.includes('/7.svg')",
    );
    browser.open(&at(&server, "/?lang=en"));
    browser.write("#q", "mamani");
    browser.click("form button");
    browser.wait_for("return location.pathname === '/records' && document.querySelectorAll('.cards li').length > 0");
    browser.open(&at(&server, "/check?lang=en"));
    browser.write("#text", BAD);
    browser.click("#check button");
    browser.wait_for("return document.querySelector('mark')?.textContent === '2A1'");
    assert_eq!(browser.run("return document.documentElement.lang"), "en");
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn a_scoresheet_is_chosen_or_dropped() {
    let (server, ..) = with_a_game();
    let browser = Browser::start();
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), BAD).expect("it can be written");
    browser.open(&at(&server, "/check?lang=en"));
    browser.write("#file", &file.path().display().to_string());
    browser.click("#check button");
    browser.wait_for("return document.querySelector('mark')?.textContent === '2A1'");
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    browser.screen(360, 740, true, "dark");
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    assert_eq!(horizontal_overflow(&browser, 360), json!([0, 0]), "it scrolls sideways");
    // Dropped on the page of the result, which has the form too.
    browser.run("window.same = true");
    browser.run(&format!(
        "const data = new DataTransfer();
         data.items.add(new File([{}], 'game.csv'));
         for (const kind of ['dragover', 'drop']) {{
           document.body.dispatchEvent(new DragEvent(kind, {{ bubbles: true, cancelable: true, dataTransfer: data }}));
         }}",
        json!("#Game: andes\n#Sol: Carla\n#Luna: Dora\n#Result: *\nn,sol,luna\n1,0a1,0D0\n")
    ));
    browser.wait_for("return !window.same && document.readyState === 'complete'");
    browser.wait_for("return document.querySelector('article h2').textContent.includes('Carla – Dora')");
    nothing_to_complain_of(&browser, &server);
    // By the keyboard alone, from the beginning of the page.
    browser.open(&at(&server, "/check?lang=en"));
    browser.press("Tab");
    assert_eq!(browser.run("return document.activeElement.className"), "skip");
    browser.press("Enter");
    browser.press("Tab");
    assert_eq!(browser.run("return document.activeElement.id"), "text");
}

/// A phone, first without scripts: the reading of a spoilt sheet goes into the text box, and two sheets stand side by side.
#[test]
fn a_spoilt_scoresheet_is_corrected() {
    let server = Server::start();
    let browser = Browser::start();
    browser.scripts(false);
    browser.screen(360, 740, true, "light");
    let spoilt = "[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0bO 0D0C\n1-0\n";
    browser.open(&at(&server, "/check?lang=en"));
    browser.write("#text", spoilt);
    browser.click("#check button");
    browser.wait_for("return document.querySelector('.reading li')?.textContent.includes('0b0 instead of 0bO')");
    let fits = |page: &str| assert_eq!(horizontal_overflow(&browser, 360), json!([0, 0]), "{page} scrolls sideways");
    fits("a rejected sheet");
    browser.write("[name=by]", "Ana López");
    browser.click(".reading button");
    browser.wait_for("return document.querySelector('#text')?.value.includes('[%written 3 alike 0bO]')");
    assert_eq!(browser.run("return document.querySelector('#text').value.includes(', Ana López]')"), true);
    fits("the chosen reading");
    // One click for each disputed ply, then the merged game.
    let sheets = [spoilt.replace("0bO", "0b0"), spoilt.replace("0bO", "0b0").replace("0D0C", "0D0E")];
    browser.open(&at(&server, "/check?lang=en"));
    browser.write("#text", &sheets.join("\n"));
    browser.click("#check button");
    browser.wait_for("return document.querySelector('#merged + p')?.textContent.includes('disputed: 1')");
    fits("two legal sheets");
    let other = browser.run("return document.querySelector('button.choice').textContent");
    browser.click("button.choice");
    browser.wait_for("return document.querySelector('button.choice')?.textContent === 'cancel the choice'");
    assert_eq!(browser.run("return document.querySelector('tbody code').textContent"), other);
    browser.click("[name=take]");
    browser.wait_for("return document.querySelector('#text')?.value.includes('[%merged quipu ')");
    browser.scripts(true);
    browser.open(&at(&server, "/check?lang=en"));
    browser.write("#text", &format!("{spoilt}\n{}", spoilt.replace("0bO", "0b0").replace("0D0C", "_")));
    browser.click("#check button");
    browser.wait_for("return document.querySelector('#merged + p')?.textContent.includes('disputed: 2')");
    fits("two sheets");
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
}
