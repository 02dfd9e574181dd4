//! Ratings: lists by day, histories, expected scores, and the pages with them. Figures are tested in `api/ratings`; here, that the
//! service gives those of the program, page by page, and follows the archive.

use quipu_tests_service::{
    bytes,
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
