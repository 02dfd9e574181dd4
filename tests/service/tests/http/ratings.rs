//! Ratings: lists by day, histories, expected scores, and the pages with them. Figures are tested in `api/ratings`; here, that the
//! service gives those of the program, page by page, and follows the archive.

use std::time::Duration;

use quipu_options::settings::Settings;
use quipu_tests_service::{
    bytes,
    engine::spoil,
    program::run,
    server::{Response, Server},
};
use serde_json::{Value, json};

use crate::players::{game, merge};

/// A game of Andes that Sol wins in a month of 2026.
fn in_month(month: u8, sol: &str, luna: &str) -> String {
    game(sol, luna, &format!("[UTCDate \"2026.{month:02}.10\"]"))
}

fn items(response: &Value) -> &Vec<Value> {
    response["items"].as_array().expect("a list")
}

/// Number of a player.
fn number(server: &Server, name: &str) -> i64 {
    let person = server.store.read(|reading| reading.player_named(name)).expect("the archive is read");
    person.unwrap_or_else(|| panic!("no {name}")).number
}

/// The items on all pages of a list.
#[track_caller]
fn all(server: &Server, path: &str) -> Vec<Value> {
    let (mut all, mut path) = (Vec::new(), path.to_owned());
    loop {
        let response = server.get(&path);
        all.extend(items(&response.json()).clone());
        let Some(link) = response.header("link").strip_prefix('<') else { return all };
        path = link.split_once('>').expect("a link").0.into();
    }
}

#[track_caller]
fn refused(response: &Response, status: u16, code: &str, words: &str) {
    let told = response.problem(status, code);
    assert!(told["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{told}");
}

#[test]
fn the_list_is_that_of_the_program() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let data = server.store.path().parent().expect("a folder").to_str().expect("UTF-8").to_owned();
    let program = |arguments: &[&str]| -> Value {
        let run = run(&[&["archive", "ratings", "andes", "--json", "--data", &data], arguments].concat());
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        serde_json::from_str(&run.stdout).expect("JSON")
    };
    let list = server.get("/v1/ratings?game=andes").json();
    assert_eq!(list, program(&[]));
    assert_eq!(items(&list).len(), 8);
    for limit in [1, 3, 8] {
        assert_eq!(all(&server, &format!("/v1/ratings?game=andes&limit={limit}")), *items(&list), "{limit}");
    }
    assert_eq!(server.get("/v1/ratings?game=andes&date=2026-08-31").json(), program(&["--date", "2026-08-31"]));
    let [one, two] = [&items(&list)[0], &items(&list)[7]];
    let [best, worst] = [one, two].map(|row| row["name"].as_str().expect("a name"));
    let history = server.get(&format!("/v1/players/{}/ratings?game=andes", one["number"])).json();
    assert_eq!(history, program(&["--player", best]));
    let figures = |row: &Value| ["rating", "deviation", "volatility", "provisional"].map(|field| row[field].clone());
    assert_eq!(figures(&items(&history)[0]), figures(one));
    let path = format!("/v1/players/{}/ratings/{}?game=andes", one["number"], two["number"]);
    let expected = server.get(&path).json();
    assert_eq!(expected, program(&["--player", best, "--against", worst]));
    let scores = [0, 1].map(|side| expected["players"][side]["expected"].as_f64().expect("a score"));
    assert!(scores[0] > 0.5 && (scores[0] + scores[1] - 1.0).abs() < 1e-9, "{expected}");
    assert_eq!(
        server.get("/v1/ratings?game=querni").json(),
        json!({"game": "querni", "from": null, "items": [], "next": null})
    );
}

#[test]
fn lists_follow_corrections_and_days() {
    let server = Server::start();
    for (month, sol, luna) in [(1, "Ana", "Bo"), (1, "Bo", "Carla"), (3, "Ana", "Carla")] {
        server.keep(in_month(month, sol, luna).as_bytes());
    }
    let names = |path: &str| -> Vec<String> {
        items(&server.get(path).json()).iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names("/v1/ratings?game=andes&date=2026-01-31"), [""; 0]);
    assert_eq!(names("/v1/ratings?game=andes&date=2026-02-01"), ["Ana", "Bo", "Carla"]);
    let before = server.get("/v1/ratings?game=andes&date=2026-03-31").json();
    assert_eq!((&before["from"], &before["items"][0]["last"]), (&json!("2026-03-01"), &json!("2026-01")));
    let newest = server.get("/v1/ratings?game=andes").json();
    assert_eq!((&newest["from"], &newest["items"][0]["last"]), (&json!("2026-04-01"), &json!("2026-03")));
    // An old game changes every later list.
    server.keep(in_month(1, "Carla", "Ana").as_bytes());
    assert_ne!(server.get("/v1/ratings?game=andes&date=2026-03-31").json(), before);
    assert_eq!(names("/v1/ratings?game=andes"), ["Ana", "Bo", "Carla"]);

    let ana = number(&server, "Ana");
    let months = |path: &str| -> Vec<Value> { all(&server, path).iter().map(|step| step["month"].clone()).collect() };
    for limit in [1, 50] {
        let path = format!("/v1/players/{ana}/ratings?game=andes&limit={limit}");
        assert_eq!(months(&path), [json!("2026-03"), json!("2026-01")]);
    }
    server.keep(game("Ana", "Bo", "").as_bytes());
    assert_eq!(
        months(&format!("/v1/players/{ana}/ratings?game=andes&limit=1")),
        [json!("2026-03"), json!("2026-01"), Value::Null]
    );
}

#[test]
fn a_game_of_the_future_moves_no_list() {
    let server = Server::start();
    server.keep(in_month(1, "Ana", "Bo").as_bytes());
    let before = server.get("/v1/ratings?game=andes").json();
    assert_eq!(before["from"], json!("2026-02-01"));
    for date in ["2206.01.10", "9999.12.31"] {
        server.keep(game("Ana", "Carla", &format!("[UTCDate \"{date}\"]")).as_bytes());
        assert_eq!(server.get("/v1/ratings?game=andes").json(), before, "{date}");
        let page = server.ask("GET", "/players/1/ratings").header("Accept", "text/html").send();
        assert_eq!(page.status, 200, "{date}");
    }
    assert_eq!(items(&server.get("/v1/ratings?game=andes&date=2206-02-01").json()).len(), 3);
    // Nor does one of long ago change players without dates.
    let server = Server::start();
    server.keep(game("Ana", "Bo", "").as_bytes());
    let before = server.get("/v1/ratings?game=andes").json();
    server.keep(game("Carla", "Dora", "[UTCDate \"0001.01.01\"]").as_bytes());
    let after = server.get("/v1/ratings?game=andes").json();
    assert_eq!((&before["from"], &after["from"]), (&Value::Null, &json!("0001-02-01")));
    for row in items(&before) {
        assert!(items(&after).contains(row), "{row}: {after}");
    }
}

/// Requests of many clients, while records are added, get the lists of moments one after the other.
#[test]
fn lists_of_many_clients_follow_the_archive() {
    let server = Server::with(Settings { max_work: 1, address_rate: 60_000_000, ..Settings::default() });
    let names: Vec<String> = (0..24).map(|number| format!("P{number:02}")).collect();
    std::thread::scope(|scope| {
        for client in 0..4 {
            let server = &server;
            scope.spawn(move || {
                let mut most = 0;
                for number in 0..40 {
                    // Each address is one of its own, so that no response is ready.
                    let path =
                        format!("/v1/ratings?game=andes&date=2030-01-01&limit={}", 100 + 40 * client % 80 + number);
                    let response = server.get(&path);
                    assert_eq!(response.status, 200, "{}", response.text());
                    let rows = items(&response.json()).len();
                    assert!(rows >= most, "{rows} players after {most}");
                    most = rows;
                }
            });
        }
        for pair in names.chunks(2) {
            server.keep(in_month(1, &pair[0], &pair[1]).as_bytes());
            let list = server.get("/v1/ratings?game=andes&limit=200").json();
            let has_both = pair.iter().all(|name| items(&list).iter().any(|row| row["name"] == name.as_str()));
            assert!(has_both, "a list after a commit has it: {pair:?} in {list}");
        }
    });
    assert_eq!(items(&server.get("/v1/ratings?game=andes&limit=200").json()).len(), 24);
}

/// A rebuild by another program adds no change, and may change every rating.
#[test]
fn lists_follow_a_rebuild_beside_the_service() {
    let server = Server::start();
    server.keep(in_month(1, "Ana", "Bo").as_bytes());
    let list = || server.get("/v1/ratings?game=andes").json();
    let right = list();
    let folder = server.store.path().parent().expect("a folder").to_owned();
    let settled = |is_so: &dyn Fn() -> bool| {
        // The service sees within milliseconds that another program has committed; a minute only a hang exceeds.
        (0..3_000).any(|_| {
            is_so() || {
                std::thread::sleep(Duration::from_millis(20));
                false
            }
        })
    };
    spoil(&folder, "UPDATE entry SET result = '0-1'");
    assert!(settled(&|| list()["items"][0]["name"] == "Bo"));
    let rebuilt = run(&["archive", "rebuild", "--data", folder.to_str().expect("UTF-8")]);
    assert_eq!(rebuilt.status, Some(0), "{rebuilt:#?}");
    assert!(settled(&|| list() == right));
}

#[test]
fn a_page_of_a_history_tells_that_there_is_more() {
    let server = Server::start();
    let games = |months: std::ops::Range<u32>| -> String {
        let dated = |month: u32| {
            let date = format!("[UTCDate \"{}.{:02}.10\"]", 2000 + month / 12, month % 12 + 1);
            game("Ana", &format!("P{month}"), &date)
        };
        months.map(dated).collect()
    };
    let page = || {
        let page = server.ask("GET", "/players/1/ratings?lang=en").header("Accept", "text/html").send();
        page.text().to_owned()
    };
    let link = "href=\"/v1/players/1/ratings?game=andes\"";
    server.keep(games(0..100).as_bytes());
    let whole = page();
    assert_eq!((whole.matches("<th scope=\"row\">").count(), whole.contains(link)), (100, false));
    server.keep(games(100..101).as_bytes());
    let cut = page();
    assert_eq!((cut.matches("<th scope=\"row\">").count(), cut.contains(link)), (100, true));
    assert!(cut.contains("the latest 100 months"), "{cut}");
    assert_eq!(all(&server, "/v1/players/1/ratings?game=andes").len(), 101);
}

#[test]
fn merged_names_lead_to_their_player() {
    let server = Server::start();
    server.keep(in_month(1, "Ana", "Bo").as_bytes());
    server.keep(in_month(2, "Anna", "Bo").as_bytes());
    merge(&server, "Anna", "Ana");
    let [ana, alias, bo] = ["Ana", "Anna", "Bo"].map(|name| number(&server, name));
    let redirected = server.get(&format!("/v1/players/{alias}/ratings?game=andes"));
    assert_eq!(redirected.status, 307);
    assert_eq!(redirected.header("location"), format!("/v1/players/{ana}/ratings?game=andes"));
    let expected = |one: i64, two: i64| server.get(&format!("/v1/players/{one}/ratings/{two}?game=andes"));
    assert_eq!(expected(alias, bo).json(), expected(ana, bo).json());
    refused(&expected(ana, alias), 409, "api.conflict", &ana.to_string());
}

#[test]
fn mistakes_are_told() {
    let server = Server::start();
    server.keep(in_month(1, "Ana", "Bo").as_bytes());
    let get = |path: &str| server.ask("GET", path).header("Accept-Language", "en").send();
    refused(&get("/v1/ratings"), 400, "api.parameter", "game");
    refused(&get("/v1/ratings?game=chess"), 400, "api.parameter", "chess");
    refused(&get("/v1/ratings?game=andes&date=2026-13-01"), 400, "api.parameter", "2026-13-01");
    refused(&get("/v1/ratings?game=andes&cursor=abc"), 400, "api.cursor", "abc");
    // A cursor of another list, and one of a player who is not there.
    let other =
        quipu_archive::store::cursor_text(&json!({"provisional": true, "rating": 0, "player": 99})).expect("text");
    refused(&get(&format!("/v1/ratings?game=andes&cursor={other}")), 400, "api.cursor", &other);
    refused(&get("/v1/players/1/ratings/2"), 400, "api.parameter", "game");
    refused(&get("/v1/players/1/ratings/99?game=andes"), 404, "api.not-found", "99");
    refused(&get("/v1/players/99/ratings/1?game=andes"), 404, "api.not-found", "99");
    refused(&get("/v1/players/99/ratings?game=andes"), 404, "api.not-found", "99");
    refused(&get("/v1/players/1/ratings/1?game=andes"), 409, "api.conflict", "1");
    // A player without games of a game has the figures of the beginning.
    let expected = get("/v1/players/1/ratings/2?game=querni").json();
    assert_eq!(expected["players"][0]["rating"], 1500.0, "{expected}");
    assert_eq!(expected["players"][1]["expected"], 0.5);
    assert_eq!(get("/v1/players/1/ratings?game=querni").json()["items"], json!([]));
}

#[test]
fn pages_show_lists_and_histories() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let page = |path: &str| {
        let response = server.ask("GET", path).header("Accept", "text/html").send();
        assert_eq!(response.status, 200, "{path}");
        response.text().to_owned()
    };
    let rows = |page: &str| page.split("<tbody>").nth(1).map_or(0, |body| body.matches("<tr>").count());
    let list = page("/ratings?game=andes&lang=en");
    assert_eq!(rows(&list), 8);
    let first = server.get("/v1/ratings?game=andes").json()["items"][0].clone();
    let whole = format!("{:.0}", first["rating"].as_f64().expect("a number"));
    for words in [first["name"].as_str().expect("a name"), &whole, "In force from 2026-09-01", "Deviation"] {
        assert!(list.contains(words), "{words}: {list}");
    }
    assert_eq!(rows(&page("/ratings?game=andes&date=2026-08-01")), 0);
    assert!(page("/ratings?lang=es").contains("Valoraciones"));
    assert!(page("/rankings?lang=en").contains("href=\"/ratings?lang=en\""));
    let player = format!("/players/{}", first["number"]);
    assert!(page(&player).contains(&format!("href=\"{player}/ratings\"")));
    let history = page(&format!("{player}/ratings?lang=en"));
    assert_eq!(rows(&history), 1);
    assert!(history.contains("2026-08") && history.contains(&whole), "{history}");
    assert_eq!(server.get("/players/99/ratings").status, 404);
    assert_eq!(server.get("/ratings?cursor=abc").status, 400);
}
