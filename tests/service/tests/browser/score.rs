//! Games kept by touching pieces and squares in a real browser: with the connection cut, the page loaded anew and another
//! browser looking on; undone, disputed, ended.

use quipu_notation::record::{Chunk, Reader};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::games;
use quipu_tests_service::{
    browser::{Browser, at},
    bytes,
    relay::Relay,
    server::Server,
};
use serde_json::{Value, json};

use super::{nothing_to_complain_of, offline::wait_for_worker};

mod devices;

/// Script: true on the score page once its latest state is judged.
const JUDGED: &str =
    "!document.getElementById('sync').classList.contains('off') && document.querySelectorAll('.plies em').length === 0";

/// True on the page of a game once moves can be entered.
pub(super) const BEGUN: &str = "return location.pathname === '/keep/desk' && !document.getElementById('table').hidden";

/// Begins the game that is filled in on the page.
#[track_caller]
pub(super) fn begin(browser: &Browser) {
    browser.click("#new button");
    browser.wait_for(BEGUN);
}

/// A browser at a desk.
pub(super) struct Keeper {
    pub(super) browser: Browser,
    pub(super) server: Server,
    /// The connection to the server, in tests that cut it.
    relay: Option<Relay>,
}

impl Keeper {
    /// With a token on the device.
    pub(super) fn new() -> Self {
        Self::over(|_| None, &[Scope::RecordsWrite])
    }

    /// With a token of these scopes on the device.
    pub(super) fn with(scopes: &[Scope]) -> Self {
        Self::over(|_| None, scopes)
    }

    /// The same over a connection that can be cut.
    fn over(relay: impl FnOnce(&Server) -> Option<Relay>, scopes: &[Scope]) -> Self {
        let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
        let (relay, token) = (relay(&server), server.token_of(scopes));
        let keeper = Self { browser: Browser::start(), server, relay };
        keeper.browser.open(&keeper.at("/keep?lang=en"));
        keeper.browser.write("#token", &token);
        keeper.browser.click("#token-form button");
        keeper.says("#token-state", "There is a token");
        keeper
    }

    /// The address of a page.
    pub(super) fn at(&self, path: &str) -> String {
        self.relay.as_ref().map_or_else(|| at(&self.server, path), |relay| relay.at(path))
    }

    /// Begins a game with these players; fields that are given are filled in.
    pub(super) fn begin(&self, game: &str, fields: &[(&str, &str)]) {
        self.browser.open(&self.at(&format!("/keep?game={game}&lang=en")));
        for (field, value) in fields {
            self.browser.run(&format!("document.getElementById('{field}').value = ''"));
            self.browser.write(&format!("#{field}"), value);
        }
        begin(&self.browser);
        self.plies(0);
    }

    /// Waits until so many plies are entered and judged.
    #[track_caller]
    pub(super) fn plies(&self, count: usize) {
        self.browser
            .wait_for(&format!("return document.querySelectorAll('.plies > li').length === {count} && {JUDGED}"));
    }

    /// Waits until all of it is on the server.
    #[track_caller]
    pub(super) fn saved(&self) {
        self.says("#sync", "Saved on this device and on the server.");
    }

    #[track_caller]
    pub(super) fn says(&self, selector: &str, text: &str) {
        let text = json!(text);
        self.browser
            .wait_for(&format!("return document.querySelector('{selector}')?.textContent.includes({text}) === true"));
    }

    /// The taps of a move, as the service lists them.
    #[track_caller]
    pub(super) fn taps(&self, record: &str, token: &str) -> Vec<String> {
        let desk = self.server.ask("POST", "/v1/desk").body("text/plain", record).send().json();
        let list = desk["moves"]["list"].as_array().expect("a list");
        let found = list.iter().find(|one| one["move"] == token).unwrap_or_else(|| panic!("{token} is not listed"));
        found["taps"].as_array().expect("a list").iter().map(|tap| tap.as_str().expect("a name").to_owned()).collect()
    }

    /// Touches a square, or something beside the board.
    #[track_caller]
    pub(super) fn touch(&self, name: &str) {
        self.browser.click(&format!("[data-name=\"{name}\"]"));
    }

    /// Ends the game in the first way of this kind, or in the one that says so.
    #[track_caller]
    pub(super) fn end(&self, kind: &str, text: &str) {
        self.press("End the game…");
        let text = json!(text);
        self.browser.wait_for(&format!(
            "const one = [...document.querySelectorAll('#ways [data-group={kind}] button')].find(one => one.textContent.includes({text}));
             one?.click();
             return Boolean(one)"
        ));
        self.says("#ended", "The game is over");
    }

    /// The button that says so.
    #[track_caller]
    pub(super) fn press(&self, text: &str) {
        let text = json!(text);
        self.browser.wait_for(&format!(
            "const one = [...document.querySelectorAll('button')].find(one => one.textContent.includes({text}) && one.offsetParent);
             one?.click();
             return Boolean(one)"
        ));
    }

    /// The record on the server.
    pub(super) fn record(&self, live: u64) -> Value {
        self.server.get(&format!("/v1/live/{live}")).json()["record"].clone()
    }
}

/// The moves of a game of a fixture, by its index, and its tags.
pub(super) fn moves(file: &str, game: usize) -> (Vec<String>, Vec<(String, String)>) {
    let text = bytes(file);
    let mut reader = Reader::new(&text[..]);
    let mut before = game;
    loop {
        let chunk: Chunk<'_> = reader.next_chunk().expect("it can be read").expect("there is one");
        let records: Vec<_> = chunk.records().collect();
        let Some(record) = records.get(before) else {
            before -= records.len();
            continue;
        };
        let record = record.as_ref().expect("it can be read");
        let canonical = games::find(record.value("Game").expect("a game")).expect("it is known").normalized(record);
        let tags = record.tags.iter().map(|tag| (tag.name.to_string(), tag.value.to_string()));
        return (canonical.movetext.plies.iter().map(|ply| ply.token.to_string()).collect(), tags.collect());
    }
}

#[test]
fn a_whole_game_by_touch_with_the_connection_cut_and_the_page_loaded_anew() {
    let (tokens, _) = moves("andes/cup.quipu", 0);
    let keeper = Keeper::new();
    let (browser, server) = (&keeper.browser, &keeper.server);
    keeper.begin("andes", &[("sol", "Quispe, Ana"), ("luna", "Mamani, Luis"), ("event", "Copa")]);
    keeper.saved();
    keeper.press("Start the clock");
    let watcher = Browser::start();
    watcher.open(&at(server, "/live/1?lang=en"));
    watcher.wait_for("return document.getElementById('following').textContent === 'Following the game.'");
    let cut = tokens.len() / 2;
    let mut record = "[Game \"andes\"]\n\n".to_owned();
    for (index, token) in tokens.iter().enumerate() {
        let taps = keeper.taps(&format!("{record}*\n"), token);
        if index == cut {
            // Nobody is there: moves are written, and kept as not judged.
            browser.connected(false);
            browser.write("#move", token);
            browser.click("#typed button");
            browser.wait_for("return document.getElementById('sync').classList.contains('off')");
            browser.wait_for("return document.querySelectorAll('.plies em').length === 1");
            browser.connected(true);
            keeper.plies(index + 1);
            // The page goes and comes back; the clock has gone on.
            let address = browser.address();
            browser.open("about:blank");
            std::thread::sleep(std::time::Duration::from_millis(300));
            browser.open(&address);
            browser.wait_for(
                "return location.pathname === '/keep/desk' && document.querySelectorAll('.plies > li').length > 0",
            );
        } else {
            for tap in &taps {
                keeper.touch(tap);
            }
        }
        keeper.plies(index + 1);
        record += &format!("{token} ");
        if index % 10 == 0 {
            let shown = format!("return document.querySelectorAll('.plies > li').length === {}", index + 1);
            watcher.wait_for(&shown);
        }
    }
    keeper.says("#ended", "The game is over");
    let violations = browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    keeper.press("Verify and store");
    keeper.says("#outcome", "The game is in the archive.");
    watcher.wait_for("return document.querySelector('[data-part=event] a[href*=records]') !== null");
    let violations = watcher.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    nothing_to_complain_of(&watcher, server);
    browser.click("#outcome a");
    browser.wait_for("return location.pathname.startsWith('/records/')");
    let id = browser.run("return location.pathname.split('/').pop()");
    let stored = server.get(&format!("/v1/records/{}", id.as_str().expect("an id"))).json();
    let kept = stored["moves"].as_array().expect("a list");
    assert!(kept.iter().map(|ply| &ply["move"]).eq(&tokens));
    // The clocks go down, by what was thought.
    let clocks: Vec<_> = kept.iter().map(|ply| ply["clock_ms"].as_u64().expect("a clock")).collect();
    assert!(clocks.iter().all(|&clock| clock < 720_000) && clocks[0] > 600_000, "{clocks:?}");
    assert!(clocks[cut + 1] <= clocks[cut - 1] - 300, "the clock went on: {clocks:?}");
    assert_eq!(stored["tags"]["TimeControl"], "720");
    // The browser itself logs failures while the server was away.
    drop(browser.console());
}

#[test]
fn every_game_is_begun_and_given_up() {
    let keeper = Keeper::new();
    let games = [
        ("andes", "sol", vec!["0", "d3"], "0d3"),
        ("pastores", "norte", vec!["P", "A3"], "PA3"),
        ("querni", "azul", vec![], ""),
        ("brandubh", "negros", vec!["d3", "c3"], "d3-c3"),
    ];
    for (live, (game, side, taps, token)) in (1..).zip(games) {
        let fields = if game == "querni" { vec![(side, "Ana"), ("seed", "7")] } else { vec![(side, "Ana")] };
        keeper.begin(game, &fields);
        keeper.saved();
        for (width, height, phone, scheme) in [(1280, 900, false, "light"), (360, 740, true, "dark")] {
            keeper.browser.screen(width, height, phone, scheme);
            keeper.saved();
            let wide = keeper.browser.run("return document.documentElement.scrollWidth <= innerWidth");
            assert_eq!(wide, true, "{game}: it scrolls sideways");
            let violations = keeper.browser.accessibility_violations();
            assert!(violations.is_empty(), "{game} {width}: {violations:#?}");
        }
        if game == "querni" {
            // The first move that is listed, whichever it is.
            let record = keeper.server.get(&format!("/live/{live}/game.quipu")).text().to_owned();
            let desk = keeper.server.ask("POST", "/v1/desk").body("text/plain", record).send().json();
            for tap in desk["moves"]["list"][0]["taps"].as_array().expect("a list") {
                keeper.touch(tap.as_str().expect("a name"));
            }
            // It may be the beginning of a longer one.
            let more = "return document.querySelectorAll('#choices button').length > 0";
            if keeper.browser.run(more) == json!(true) {
                keeper.browser.click("#choices button");
            }
        } else {
            for tap in taps {
                keeper.touch(tap);
            }
        }
        keeper.plies(1);
        keeper.saved();
        if !token.is_empty() {
            assert_eq!(keeper.record(live)["moves"][0]["move"], token);
        }
        keeper.end("resignation", "");
        keeper.press("Verify and store");
        keeper.says("#outcome", "The game is in the archive.");
        let id = keeper.server.get(&format!("/v1/live/{live}")).json()["finished"].as_str().expect("an id").to_owned();
        let stored = keeper.server.get(&format!("/v1/records/{id}")).json();
        assert_eq!(stored["tags"]["Termination"], "resignation");
        nothing_to_complain_of(&keeper.browser, &keeper.server);
    }
}

#[test]
fn undone_and_disputed_moves_stay_in_the_record() {
    let keeper = Keeper::new();
    keeper.begin("andes", &[]);
    for tap in ["0", "d3"] {
        keeper.touch(tap);
    }
    keeper.plies(1);
    for tap in ["2", "g3"] {
        keeper.touch(tap);
    }
    keeper.plies(2);
    keeper.press("Undo the last move");
    keeper.plies(1);
    keeper.says("#moves", "(undone: 2A3)");
    // Nothing that cannot be played can be entered but against a warning.
    keeper.browser.write("#move", "2A1");
    keeper.browser.click("#typed button");
    keeper.says("#trouble", "The referee rejects 2A1.");
    keeper.plies(1);
    let violations = keeper.browser.accessibility_violations();
    assert!(violations.is_empty(), "{violations:#?}");
    keeper.press("Enter it as disputed");
    keeper.says("#moves", "(disputed)");
    keeper.browser.write("#move", "2a3");
    keeper.browser.click("#typed button");
    keeper.browser.wait_for("return document.querySelectorAll('.plies em').length === 2");
    keeper.saved();
    let record = keeper.record(1);
    let told: Vec<_> = record["moves"].as_array().expect("a list").iter().map(|ply| &ply["move"]).collect();
    assert_eq!(told, ["0d3", "2A1", "2a3"]);
    assert_eq!(record["moves"][0]["comment"], "[%undone 2A3]");
    assert_eq!(record["moves"][1]["comment"], "[%disputed]");
    keeper.end("other", "the decision of the arbiter");
    keeper.press("Verify and store");
    keeper.says("#outcome", "It was not stored in the archive:");
    keeper.press("Store it as rejected");
    keeper.says("#outcome", "The game is in the archive.");
}

#[test]
fn a_move_that_turns_out_to_be_unlawful_is_shown() {
    let keeper = Keeper::new();
    keeper.begin("brandubh", &[]);
    keeper.saved();
    keeper.browser.connected(false);
    for token in ["d3-c3", "d7-d1", "c3-c2"] {
        keeper.browser.write("#move", token);
        keeper.browser.click("#typed button");
    }
    keeper.browser.wait_for("return document.querySelectorAll('.plies em').length === 3");
    keeper.browser.connected(true);
    keeper.says("#trouble", "The referee rejects ply 2, d7-d1.");
    keeper.press("Undo back to ply 2");
    keeper.plies(1);
    keeper.saved();
    let comments = keeper.record(1)["moves"][0]["comment"].to_string();
    assert!(comments.contains("undone c3-c2") && comments.contains("undone d7-d1"), "{comments}");
}

#[test]
fn nothing_is_handed_in_that_is_not_on_the_screen() {
    let keeper = Keeper::new();
    keeper.begin("brandubh", &[]);
    for tap in ["d3", "c3"] {
        keeper.touch(tap);
    }
    keeper.plies(1);
    keeper.end("resignation", "");
    keeper.saved();
    // Another device saves something else.
    let token = keeper.server.token(Scope::RecordsWrite);
    let put = keeper.server.ask("PUT", "/v1/live/1").token(&token).header("If-Match", "*");
    let other = "[Game \"brandubh\"]\n[Result \"1-0\"]\n[Termination \"resignation\"]\n\n1. d3-e3 1-0\n";
    assert_eq!(put.body("text/plain", other).send().status, 200);
    keeper.press("Continue the game");
    keeper.says("#sync", "Another device has saved this game in the meantime.");
    keeper.end("resignation", "");
    keeper.press("Verify and store");
    keeper.says("#outcome", "Another device has saved this game in the meantime.");
    assert_eq!(keeper.server.get("/v1/live/1").json()["finished"], Value::Null);
    keeper.press("The one on this device");
    keeper.saved();
    keeper.press("Verify and store");
    keeper.says("#outcome", "The game is in the archive.");
    let id = keeper.server.get("/v1/live/1").json()["finished"].as_str().expect("an id").to_owned();
    assert_eq!(keeper.server.get(&format!("/v1/records/{id}")).json()["moves"][0]["move"], "d3-c3");
    drop(keeper.browser.console());
}

#[test]
fn a_game_is_kept_by_the_keyboard_and_without_a_token() {
    let server = Server::start();
    let browser = Browser::start();
    browser.open(&at(&server, "/keep?game=andes&lang=es"));
    begin(&browser);
    browser.wait_for("return document.getElementById('sync').textContent === 'Guardada solo en este dispositivo.'");
    // From one square to the next with the arrow keys, and what can go there is offered.
    browser.run("document.querySelector('#cells button').focus()");
    browser.press("ArrowRight");
    assert_eq!(browser.run("return document.activeElement.dataset.name"), "f6");
    browser.press("Enter");
    browser.wait_for("return document.querySelector('#choices button')?.textContent === '0f6'");
    browser.click("#choices button");
    browser.wait_for("return document.querySelectorAll('.plies > li').length === 1");
    browser.open(&at(&server, "/keep?lang=es"));
    browser.click("#games a");
    browser.wait_for("return document.querySelectorAll('.plies > li').length === 1");
    assert_eq!(server.get("/v1/live").json()["items"], json!([]));
    browser.wait_for("return document.getElementById('download').download.endsWith('.quipu')");
    let text = browser
        .run("return decodeURIComponent(document.getElementById('download').href.split(',').slice(1).join(','))");
    let text = text.as_str().expect("a text").to_owned();
    assert!(text.contains("1. 0f6") && text.contains("[Game \"andes\"]"), "{text}");
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn a_desk_without_a_game_leads_to_all_games() {
    let (server, browser) = (Server::start(), Browser::start());
    for path in ["/keep/desk?lang=en", "/keep/desk?lang=en#nothing"] {
        browser.open(&at(&server, path));
        browser.wait_for("return document.querySelector('#trouble:not([hidden]) a') !== null");
        let said = browser.run("return document.getElementById('trouble').textContent");
        assert_eq!(said, "This game is not on this device.All games on this device", "{path}");
        browser.click("#trouble a");
        browser.wait_for("return location.pathname === '/keep' && document.readyState === 'complete'");
    }
}

/// Hidden elements have no box in any state of the pages, and a stored game cannot be changed any more.
#[test]
fn hidden_controls_are_not_on_the_screen() {
    let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
    let browser = Browser::start();
    let seen = "return [...document.querySelectorAll('[hidden]')].filter(one => one.getClientRects().length).map(one => one.id)";
    let nothing_hidden_is_seen = |state: &str| assert_eq!(browser.run(seen), json!([]), "{state}");
    browser.open(&at(&server, "/keep?game=andes&lang=en"));
    browser.wait_for("return document.getElementById('token-state').textContent.startsWith('There is no token')");
    nothing_hidden_is_seen("no token");
    assert_eq!(browser.run("return document.getElementById('token-forget').hidden"), true);
    browser.run("document.getElementById('minutes').value = '0'");
    begin(&browser);
    nothing_hidden_is_seen("no clock and no server");
    for id in ["clock", "watch", "close", "result", "second"] {
        let hidden = format!("return Boolean(document.getElementById('{id}').closest('[hidden]'))");
        assert_eq!(browser.run(&hidden), true, "{id}");
    }
    drop(browser);
    let keeper = Keeper::new();
    keeper.begin("andes", &[("sol", "Ana"), ("luna", "Beto")]);
    keeper.touch("0");
    keeper.touch("d3");
    keeper.plies(1);
    keeper.end("resignation", "");
    assert_eq!(keeper.browser.run(seen), json!([]), "over");
    keeper.press("Verify and store");
    keeper.says("#outcome", "The game is in the archive.");
    assert_eq!(keeper.browser.run(seen), json!([]), "stored");
    let record = "return Object.values(localStorage).find(text => text.includes('record'))";
    let before = keeper.browser.run(record);
    for id in ["reopen", "undo", "ending", "clock"] {
        keeper
            .browser
            .run(&format!("document.getElementById('{id}').disabled = false; document.getElementById('{id}').click()"));
    }
    let of =
        |text: &Value| serde_json::from_str::<Value>(text.as_str().expect("a text")).expect("JSON")["record"].clone();
    assert_eq!(of(&keeper.browser.run(record)), of(&before), "a stored game does not change");
}

/// Both legs of an encounter on a phone: no clock is written that nobody started, the connection is cut in between and the
/// page loaded again, details are changed afterwards, and the encounter has its winner.
#[test]
fn an_encounter_of_two_legs_on_a_phone() {
    let keeper = Keeper::over(|server| Some(Relay::to(server)), &[Scope::RecordsWrite]);
    let (browser, server) = (&keeper.browser, &keeper.server);
    let relay = keeper.relay.as_ref().expect("it is there");
    wait_for_worker(browser);
    browser.screen(360, 640, true, "light");
    browser.open(&keeper.at("/keep?game=andes&lang=en"));
    for (field, value) in [("sol", "Quispe, Ana"), ("luna", "Mamani, Luis"), ("event", "Copa"), ("round", "1")] {
        browser.write(&format!("#{field}"), value);
    }
    browser.run("document.getElementById('leg').value = '1'");
    begin(browser);
    keeper.plies(0);
    keeper.saved();
    // Board, pieces and clocks are on the screen together.
    let fits = "const boxes = ['.square', '#beside'].map(one => document.querySelector(one).getBoundingClientRect());
        const clocks = document.querySelector('.seats').getBoundingClientRect();
        return boxes[0].top >= 0 && boxes[1].bottom <= innerHeight && clocks.bottom <= innerHeight
            && boxes[0].bottom <= boxes[1].top + 1 && boxes[1].bottom <= clocks.top + 1 && scrollY === 0";
    browser.run("scrollTo(0, 0)");
    let boxes = "return JSON.stringify(['.square', '#beside', '.seats'].map(one => document.querySelector(one).getBoundingClientRect()))";
    assert_eq!(browser.run(fits), true, "{}", browser.run(boxes));
    for tap in ["0", "d3"] {
        keeper.touch(tap);
    }
    keeper.plies(1);
    relay.connect(false);
    browser.reload();
    browser.wait_for("return document.getElementById('sync').classList.contains('off')");
    browser.write("#move", "2A3");
    browser.click("#typed button");
    browser.wait_for("return document.querySelectorAll('.plies em').length === 1");
    browser.reload();
    browser.wait_for("return document.querySelectorAll('.plies em').length === 1");
    relay.connect(true);
    keeper.plies(2);
    keeper.saved();
    // The number of the board was forgotten.
    browser.click("#details summary");
    browser.write("#board", "3");
    browser.click("#tags button");
    keeper.saved();
    assert_eq!(keeper.record(1)["tags"]["Board"], "3");
    let end = |winner: &str| {
        keeper.end("resignation", winner);
        keeper.press("Verify and store");
        keeper.says("#outcome", "The game is in the archive.");
    };
    end("1-0");
    keeper.press("Start the second leg");
    browser.wait_for("return document.getElementById('title').textContent === 'Mamani, Luis – Quispe, Ana'");
    keeper.plies(0);
    keeper.saved();
    keeper.press("Start the clock");
    for tap in ["0", "d3"] {
        keeper.touch(tap);
    }
    keeper.plies(1);
    // The clock runs on after a move is taken back.
    keeper.press("Undo the last move");
    keeper.plies(0);
    browser.wait_for("return document.getElementById('clock').textContent === 'Stop the clock'");
    for tap in ["0", "d3"] {
        keeper.touch(tap);
    }
    keeper.plies(1);
    keeper.saved();
    end("0-1");
    let records: Vec<Value> = [1, 2]
        .map(|live| {
            let id = server.get(&format!("/v1/live/{live}")).json()["finished"].as_str().expect("an id").to_owned();
            server.get(&format!("/v1/records/{id}")).json()
        })
        .into();
    assert_eq!([&records[0]["tags"]["Leg"], &records[1]["tags"]["Leg"]], ["1", "2"]);
    assert_eq!([&records[1]["tags"]["Sol"], &records[1]["tags"]["Board"]], ["Mamani, Luis", "3"]);
    let clocks = |record: &Value| {
        let plies = record["moves"].as_array().expect("a list").iter();
        plies.filter(|ply| !ply["clock_ms"].is_null()).count()
    };
    assert_eq!([clocks(&records[0]), clocks(&records[1])], [0, 1], "a clock is written once it was started");
    let encounters = server.get("/v1/events/1/encounters").json();
    let encounter = &encounters["encounters"][0];
    // A player who resigns twice can still have more points.
    assert_eq!([&encounter["state"], &encounter["winner"]], ["won", "Mamani, Luis"], "{encounters}");
    assert_eq!([&encounter["points"], &encounter["bonus"]], [&json!([16, 18]), &json!([0, 9])]);
    drop(browser.console());
}
