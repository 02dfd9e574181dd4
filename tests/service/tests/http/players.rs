//! Players, their levels, and rankings. Figures are tested in `tests/core/tests/competition.rs`; here, that the service
//! and the program give the same for the same games.

use std::collections::BTreeSet;

use quipu_archive::{model::Attribution, store::Refusal};
use quipu_tests_service::{
    bytes,
    program::run,
    server::{Response, Server},
};
use serde_json::{Value, json};

use crate::events::names;

/// A game of Andes that Sol wins with 11 points to 9.
pub(crate) fn game(sol: &str, luna: &str, tags: &str) -> String {
    format!(
        "[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result \"1-0\"]\n{tags}\n\n\
         1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n\n"
    )
}

/// The same on a day.
fn on(day: u8, sol: &str, luna: &str) -> String {
    game(sol, luna, &format!("[UTCDate \"2026.08.{day:02}\"]\n[UTCTime \"10:00:00\"]"))
}

pub(crate) fn by() -> Attribution {
    Attribution { submitter: "test".to_owned(), author: None, reason: None }
}

/// Merges a name into another, and says the number of the change.
#[track_caller]
pub(crate) fn merge(server: &Server, name: &'static str, into: &'static str) -> i64 {
    let merged = server.store.write(move |writing| -> Result<_, Refusal> { writing.merge(name, into, &by()) });
    merged.wait().expect("they are merged")
}

#[track_caller]
fn undo(server: &Server, change: i64) {
    let undone = server.store.write(move |writing| -> Result<_, Refusal> { writing.undo(change, &by()) });
    undone.wait().expect("it is undone");
}

/// The number of the player of a name.
#[track_caller]
fn number(server: &Server, name: &str) -> i64 {
    let person = server.store.read(|reading| reading.player_named(name)).expect("the archive is read");
    person.unwrap_or_else(|| panic!("no {name}")).number
}

/// The page of the player of a name.
#[track_caller]
fn page(server: &Server, name: &str) -> Value {
    server.get(&format!("/v1/players/{}", number(server, name))).json()
}

fn items(response: &Value) -> &Vec<Value> {
    response["items"].as_array().expect("a list")
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

/// The program's players of the sample tournament, the highest level first.
fn ranked() -> Vec<Value> {
    let run = run(&["rank", "--json", "fixtures/andes/cup.quipu"]);
    let ranked: Value = serde_json::from_str(&run.stdout).expect("JSON");
    ranked["players"].as_array().expect("a list").clone()
}

#[test]
fn a_player_of_the_sample_tournament_has_the_figures_of_the_program() {
    let server = Server::start();
    let ids = server.keep(&bytes("andes/cup.quipu")[..]);
    let standings = server.get("/v1/events/1/standings").json();
    for expected in ranked() {
        let name = expected["name"].as_str().expect("a name");
        let page = page(&server, name);
        assert_eq!((&page["name"], &page["also"], &page["likely_same"]), (&expected["name"], &json!([]), &json!([])));
        let [found] = &page["games"].as_array().expect("a list")[..] else { panic!("{page}") };
        assert_eq!(found["game"], "andes");
        for field in ["games", "points", "points_with_bonus", "level", "tier"] {
            assert_eq!(found[field], expected[field], "{name} {field}");
        }
        let rows = standings["tables"][0]["players"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["name"] == name).expect("it is there");
        for field in ["games", "wins", "draws", "losses", "score"] {
            assert_eq!(found[field], row[field], "{name} {field}");
        }
        // The history of the program is the oldest first, and names games by their places.
        let steps = expected["history"].as_array().expect("a list").iter().rev();
        let history = found["history"].as_array().expect("a list");
        assert_eq!(history.len(), steps.len(), "{name}");
        for (found, expected) in history.iter().zip(steps) {
            let place = usize::try_from(expected["game"].as_u64().expect("a number")).expect("it is small");
            assert_eq!(found["record"], quipu_referee::report::hex(&ids[place - 1]), "{name}");
            for field in ["last", "previous", "level", "tier"] {
                assert_eq!(found[field], expected[field], "{name} {field}");
            }
        }
    }
}

#[test]
fn the_ranking_of_the_sample_tournament_is_that_of_the_program() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let expected: Vec<_> = ranked().iter().map(|player| player["name"].clone()).collect();
    let whole = server.get("/v1/rankings?game=andes").json();
    let found: Vec<_> = items(&whole).iter().map(|ranked| ranked["player"]["name"].clone()).collect();
    assert_eq!(found, expected);
    // Two have the level 360.
    let places: Vec<_> = items(&whole).iter().map(|ranked| ranked["place"].as_u64().expect("a place")).collect();
    assert_eq!(places, [1, 1, 3, 4, 5, 6, 7, 8]);
    for limit in 1..=8 {
        assert_eq!(all(&server, &format!("/v1/rankings?game=andes&limit={limit}")), *items(&whole), "{limit}");
    }
    for ranked in items(&whole) {
        let page = server.get(&format!("/v1/players/{}", ranked["player"]["number"])).json();
        for (field, value) in ranked.as_object().expect("an object") {
            if !["place", "player"].contains(&&**field) {
                assert_eq!(page["games"][0][field], *value, "{field}");
            }
        }
    }
    assert_eq!(server.get("/v1/rankings?game=querni").json()["items"], json!([]));
}

/// Players of one level keep their place, and stand in the order of their points with bonus, on every page of the list.
#[test]
fn players_of_one_level_rank_by_points_with_bonus() {
    let server = Server::start();
    // The winner of two games or more has the level 360: all wins have the same points.
    for (day, [winner, loser]) in (1..).zip([
        ["Ana", "X"],
        ["Ana", "X"],
        ["Bo", "X"],
        ["Bo", "X"],
        ["Bo", "X"],
        ["Zoe", "X"],
        ["Zoe", "X"],
        ["Zoe", "X"],
        ["Zoe", "X"],
    ]) {
        server.keep(on(day, winner, loser).as_bytes());
    }
    let whole = server.get("/v1/rankings?game=andes").json();
    let row = |ranked: &Value| {
        (ranked["place"].as_u64().expect("a place"), ranked["player"]["name"].as_str().expect("a name").to_owned())
    };
    let found: Vec<_> = items(&whole).iter().map(row).collect();
    assert_eq!(found, [(1, "Zoe"), (1, "Bo"), (1, "Ana"), (4, "X")].map(|(place, name)| (place, name.to_owned())));
    for limit in 1..=4 {
        assert_eq!(all(&server, &format!("/v1/rankings?game=andes&limit={limit}")), *items(&whole), "{limit}");
    }
    // The page numbers the order that it states.
    let page = server.ask("GET", "/rankings?game=andes&lang=en").header("Accept", "text/html").send();
    let positions = page.text().split("<tbody>").nth(1).expect("a table").split("<tr>").skip(1);
    let positions: Vec<_> = positions.map(|row| row.split("</td>").next().expect("a cell").to_owned()).collect();
    assert_eq!(positions, ["1", "2", "3", "4"].map(|number| format!("<td class=\"number\">{number}")));
    assert!(page.text().contains("equal levels by points with bonus"));
}

#[test]
fn games_without_points_rank_by_score() {
    let server = Server::start();
    server.keep(&bytes("pastores/games.quipu")[..]);
    let whole = server.get("/v1/rankings?game=pastores&limit=200").json();
    let score = |ranked: &Value| ranked["score"].as_f64().expect("a number");
    let (mut place, mut before) = (0, f64::INFINITY);
    for (index, ranked) in (1..).zip(items(&whole)) {
        if score(ranked) < before {
            (place, before) = (index, score(ranked));
        }
        assert!(score(ranked) <= before, "{ranked}");
        assert_eq!(ranked["place"], place, "{ranked}");
        let sum = ["wins", "draws", "losses"].map(|field| ranked[field].as_u64().expect("a number"));
        assert_eq!(ranked["games"], sum.iter().sum::<u64>());
        for field in ["points", "bonus", "points_with_bonus", "level", "tier"] {
            assert_eq!(ranked[field], Value::Null, "{field}");
        }
    }
    let places: BTreeSet<_> = items(&whole).iter().map(|ranked| ranked["place"].as_u64()).collect();
    assert!(places.len() > 1 && places.len() < items(&whole).len(), "some are equal and some are not");
    assert_eq!(all(&server, "/v1/rankings?game=pastores&limit=1"), *items(&whole));
    let number = &items(&whole)[0]["player"]["number"];
    let page = server.get(&format!("/v1/players/{number}")).json();
    assert_eq!((&page["games"][0]["history"], &page["games"][0]["history_url"]), (&json!([]), &Value::Null));
    assert_eq!(server.get(&format!("/v1/players/{number}/history?game=pastores")).json()["items"], json!([]));
}

#[test]
fn a_long_history_goes_on_behind_the_page_of_the_player() {
    let server = Server::start();
    // The last day comes in first.
    for day in (1..=27).rev() {
        server.keep(on(day, "Ana", if day % 2 == 0 { "Bo" } else { "Caro" }).as_bytes());
    }
    server.keep(game("Ana", "Bo", "[UTCDate \"2026.08.28\"]").as_bytes());
    server.keep(game("Ana", "Bo", "[Date \"2026.08.28\"]").as_bytes());
    let page = page(&server, "Ana");
    let andes = &page["games"][0];
    let url = andes["history_url"].as_str().expect("a place");
    let whole = server.get(&format!("{url}&limit=200")).json();
    // The game without a date is the oldest, and nothing was won before it.
    let days: Vec<_> = items(&whole).iter().map(|step| (step["date"].clone(), step["time"].clone())).collect();
    let day = |day: u8| json!(format!("2026-08-{day:02}"));
    let expected = [(day(28), Value::Null)].into_iter().chain((1..=27).rev().map(|at| (day(at), json!("10:00:00"))));
    assert_eq!(days, expected.collect::<Vec<_>>());
    assert_eq!(andes["history"].as_array().expect("a list")[..], items(&whole)[..10]);
    for limit in [1, 2, 7, 27, 28, 29] {
        assert_eq!(all(&server, &format!("{url}&limit={limit}")), *items(&whole), "{limit}");
    }
}

#[test]
fn players_are_listed_by_name() {
    let server = Server::start();
    let long = "Zoe ".to_owned() + &"x".repeat(3000);
    server.keep(game("Ñahui, Sumaq", "nahui, beto", "").as_bytes());
    server.keep(game("Óscar", &long, "").as_bytes());
    server.keep(game("NAHUI, SUMAQ", "Zoe", "").as_bytes());
    // A list shows 256 characters of it.
    let shown = format!("{}…", &long[..255]);
    let sorted = ["nahui, beto", "NAHUI, SUMAQ", "Ñahui, Sumaq", "Óscar", "Zoe", &shown].map(str::to_owned).to_vec();
    assert_eq!(names(&server, "/v1/players"), (sorted.clone(), 1));
    for limit in 1..=6 {
        let pages = 6_usize.div_ceil(limit);
        assert_eq!(names(&server, &format!("/v1/players?limit={limit}")), (sorted.clone(), pages), "{limit}");
    }
    let check = |q: &str, expected: &[String]| {
        assert_eq!(names(&server, &format!("/v1/players?q={q}")).0, expected, "{q}");
        assert_eq!(names(&server, &format!("/v1/players?q={q}&limit=1")).0, expected, "{q}");
    };
    // Names that differ in case and accents alone are in the order of entry.
    check("na", &[0, 2, 1].map(|place: usize| sorted[place].clone()));
    for q in ["%C3%91AHUI,%20S", "nahui,++sumaq", "sumaq+nahui"] {
        check(q, &[2, 1].map(|place: usize| sorted[place].clone()));
    }
    check("zoe", &sorted[4..]);
    check("o", &sorted[3..4]);
    check("ahui", &[0, 2, 1].map(|place: usize| sorted[place].clone()));
    check("ahuy", &[]);
    // A cursor of a player whom the search does not find is none of its list.
    let first = server.get("/v1/players?limit=1").json()["next"].as_str().expect("a cursor").to_owned();
    server.get(&format!("/v1/players?q=o&cursor={first}")).problem(400, "api.cursor");
}

#[test]
fn a_merged_name_leads_to_its_player_until_that_is_undone() {
    let server = Server::start();
    server.keep(on(1, "Ana Quispe", "Bo").as_bytes());
    server.keep(on(2, "Quispe, Ana", "Caro").as_bytes());
    server.keep(on(3, "Ana Quispe", "Quispe, Ana").as_bytes());
    let (one, other) = (number(&server, "Ana Quispe"), number(&server, "Quispe, Ana"));
    let likely = |number: i64, name: &str| json!([{ "number": number, "name": name, "counts_as": null }]);
    let before = [page(&server, "Ana Quispe"), page(&server, "Quispe, Ana")];
    assert_eq!(before[0]["likely_same"], likely(other, "Quispe, Ana"));
    assert_eq!(before[1]["likely_same"], likely(one, "Ana Quispe"));
    assert_eq!((&before[0]["games"][0]["wins"], &before[0]["games"][0]["points"]), (&json!(2), &json!(22)));

    let change = merge(&server, "Quispe, Ana", "Ana Quispe");
    let merged = page(&server, "Ana Quispe");
    assert_eq!(merged["also"], json!([{ "number": other, "name": "Quispe, Ana" }]));
    assert_eq!(merged["likely_same"], json!([]));
    // The game against oneself counts no more.
    assert_eq!((&merged["games"][0]["games"], &merged["games"][0]["points"]), (&json!(2), &json!(22)));
    assert_eq!(merged["games"][0]["history"].as_array().map(Vec::len), Some(1));

    let check = |path: &str, place: &str| {
        let response: Response = server.get(path);
        assert_eq!((response.status, response.header("location")), (307, place), "{}", response.text());
        assert_eq!(response.header("cache-control"), "no-store");
        let body: Value = serde_json::from_slice(&response.body).expect("JSON");
        let root = json!({ "number": one, "name": "Ana Quispe" });
        assert_eq!(body, json!({ "number": other, "name": "Quispe, Ana", "counts_as": root }));
        server.get(place).json();
    };
    check(&format!("/v1/players/{other}"), &format!("/v1/players/{one}"));
    check(
        &format!("/v1/players/{other}/history?game=andes&limit=3"),
        &format!("/v1/players/{one}/history?game=andes&limit=3"),
    );
    let listed = server.get("/v1/players?q=quispe").json();
    assert_eq!(items(&listed)[1]["counts_as"], json!({ "number": one, "name": "Ana Quispe" }));
    let ranking = server.get("/v1/rankings?game=andes").json();
    assert_eq!(items(&ranking).len(), 3);

    undo(&server, change);
    assert_eq!([page(&server, "Ana Quispe"), page(&server, "Quispe, Ana")], before);
}

#[test]
fn names_like_another_name_of_the_player_are_likely_the_same() {
    let server = Server::start();
    server.keep(game("Rosa", "Rosa Quispe", "").as_bytes());
    server.keep(game("Quispe, Rosa", "Bo", "").as_bytes());
    merge(&server, "Rosa Quispe", "Rosa");
    let likely = page(&server, "Rosa")["likely_same"].clone();
    assert_eq!(likely[0]["name"], "Quispe, Rosa");
    assert_eq!(likely.as_array().map(Vec::len), Some(1));
    let likely = page(&server, "Quispe, Rosa")["likely_same"].clone();
    assert_eq!((&likely[0]["name"], &likely[0]["counts_as"]["name"]), (&json!("Rosa Quispe"), &json!("Rosa")));
}

#[test]
fn problems_have_their_reason_in_both_languages() {
    let server = Server::start();
    server.keep(game("Ana", "Bo", "").as_bytes());
    let check = |path: &str, status, code, es: &str, en: &str| {
        for (lang, detail) in [("es", es), ("en", en)] {
            let response = server.ask("GET", path).header("Accept-Language", lang).send();
            assert_eq!(response.problem(status, code)["detail"], detail, "{path}");
        }
    };
    for path in ["/v1/players/9", "/v1/players/9/history?game=andes"] {
        check(path, 404, "api.not-found", "No existe el jugador número 9.", "There is no player number 9.");
    }
    for path in ["/v1/rankings", "/v1/players/1/history"] {
        check(path, 400, "api.parameter", "Falta el parámetro «game».", "The parameter “game” is missing.");
        server.get(&format!("{path}?game=chess")).problem(400, "api.parameter");
    }
    server.get("/v1/players/0").problem(400, "api.parameter");
    server.get("/v1/players?q=").problem(400, "api.parameter");
    for path in ["/v1/players?", "/v1/rankings?game=andes&", "/v1/players/1/history?game=andes&"] {
        // {"player":9}, {"event":1}, {"rank":0,"player":9,"place":1,"before":1} and no JSON at all.
        for cursor in [
            "eyJwbGF5ZXIiOjl9",
            "eyJldmVudCI6MX0",
            "eyJyYW5rIjowLCJ3b3J0aCI6MCwicGxheWVyIjo5LCJwbGFjZSI6MSwicG9zaXRpb24iOjEsImJlZm9yZSI6MX0",
            "AAAA",
        ] {
            server.get(&format!("{path}cursor={cursor}")).problem(400, "api.cursor");
        }
    }
}

#[test]
fn a_ranking_bears_any_number_in_its_cursor() {
    let server = Server::start();
    server.keep(game("Ana", "Bo", "").as_bytes());
    // {"rank":-1,"worth":0,"player":1,"place":18446744073709551615,"position":18446744073709551615,"before":18446744073709551615}
    let cursor = "eyJyYW5rIjotMSwid29ydGgiOjAsInBsYXllciI6MSwicGxhY2UiOjE4NDQ2NzQ0MDczNzA5NTUxNjE1LCJwb3NpdGlvbiI6MTg0\
                  NDY3NDQwNzM3MDk1NTE2MTUsImJlZm9yZSI6MTg0NDY3NDQwNzM3MDk1NTE2MTV9";
    let page = server.get(&format!("/v1/rankings?game=andes&cursor={cursor}")).json();
    assert_eq!(items(&page).len(), 2);
}
