//! Searches for people: players by any words of their names, and games by a part of the name of a player.

use quipu_options::settings::Settings;
use quipu_tests_service::server::Server;

use super::{
    pages::{attributes, check, open},
    players::{game, merge},
};

fn filled() -> Server {
    let server = Server::with(Settings { address_rate: 1_000_000, ..Settings::default() });
    for (sol, luna) in
        [("Huamán, Rosa", "Quispe Mamani, Rosalía"), ("Łucja Żółkiewska", "Huamán, Rosa"), ("Søren Ærø", "Li Bo")]
    {
        server.keep(game(sol, luna, "[Event \"Copa\"]").as_bytes());
    }
    server
}

fn names(server: &Server, query: &str) -> Vec<String> {
    let response = server.get(&format!("/v1/players?{query}")).json();
    let items = response["items"].as_array().expect("a list").iter();
    items.map(|item| item["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn players_are_found_by_any_words_of_their_names() {
    let server = filled();
    for (query, expected) in [
        ("q=rosa", &["Huamán, Rosa", "Quispe Mamani, Rosalía"][..]),
        ("q=rosa+huaman", &["Huamán, Rosa"]),
        ("q=lucja", &["Łucja Żółkiewska"]),
        ("q=soren", &["Søren Ærø"]),
        ("q=aero", &["Søren Ærø"]),
        ("q=osa", &["Huamán, Rosa", "Quispe Mamani, Rosalía"]),
        ("q=ispe", &["Quispe Mamani, Rosalía"]),
        ("q=--", &[]),
    ] {
        assert_eq!(names(&server, query), expected, "{query}");
        let page = open(&server, &format!("/players?{query}"), "es").text().to_owned();
        for name in expected {
            assert!(page.contains(&format!(">{name}</a>")), "{query}: {page}");
        }
        assert_eq!(page.matches("href=\"/players/").count(), expected.len(), "{query}");
    }
    assert_eq!(names(&server, "").len(), 5);
    // Page by page the list is the same.
    let first = server.get("/v1/players?q=rosa&limit=1");
    let next = first.json()["next"].as_str().expect("a cursor").to_owned();
    assert_eq!(names(&server, &format!("q=rosa&limit=1&cursor={next}")), ["Quispe Mamani, Rosalía"]);
    server.get(&format!("/v1/players?q=soren&cursor={next}")).problem(400, "api.cursor");
    // Names of events and words in the tags of records are folded so too.
    server.keep(game("Ana", "Bo", "[Event \"Łódź Open\"]").as_bytes());
    for query in ["lodz", "open", "odz", "open+lo", "PEN"] {
        let found = server.get(&format!("/v1/events?q={query}")).json();
        assert_eq!(found["items"][0]["name"], "Łódź Open", "{query}");
        assert!(open(&server, &format!("/events?q={query}"), "es").text().contains("Łódź Open"), "{query}");
    }
    assert_eq!(server.get("/v1/events?q=en").json()["items"].as_array().map(Vec::len), Some(0));
    assert_eq!(server.get("/v1/records?q=zolkiewska").json()["items"].as_array().expect("a list").len(), 1);
}

#[test]
fn games_are_found_by_a_part_of_a_name() {
    let server = filled();
    let page = |query: &str| {
        let path = format!("/records?{query}");
        let response = open(&server, &path, "en");
        check(&path, &response, 200, "en");
        response.text().to_owned()
    };
    let count = |page: &str| page.matches("href=\"/records/").count();
    // The only player is the one that is meant.
    let only = page("player=huaman");
    assert_eq!(count(&only), 2);
    assert!(
        only.contains("Games of <a href=\"/players/1\">Huamán, Rosa</a>") && only.contains("value=\"huaman\""),
        "{only}"
    );
    assert_eq!(count(&page("player=lucja+zol")), 1);
    // Of several each is a link to the same search.
    let several = page("player=rosa&result=1-0&q=copa");
    assert_eq!(count(&several), 0);
    let links = attributes(&several, "href");
    let choices: Vec<_> = links.iter().filter(|link| link.contains("&player=")).collect();
    assert_eq!(choices, ["/records?result=1-0&q=copa&player=1", "/records?result=1-0&q=copa&player=2"]);
    assert!(several.contains("Which player?"));
    assert_eq!([count(&page("result=1-0&q=copa&player=1")), count(&page("result=1-0&q=copa&player=2"))], [2, 1]);
    let none = page("player=nadie");
    assert!(none.contains("No name has words with “nadie”."), "{none}");
    // A whole name and a number say who it is; the page does not repeat it.
    for whole in ["player=Li+Bo", "player=5"] {
        let page = page(whole);
        assert_eq!((count(&page), page.contains("Games of <a")), (1, false), "{whole}");
    }
    // Two names of one player are one.
    merge(&server, "Quispe Mamani, Rosalía", "Huamán, Rosa");
    assert_eq!(count(&page("player=rosa")), 2);
    // The API takes whole names only, as ever.
    assert_eq!(server.get("/v1/records?player=huaman").json()["items"].as_array().expect("a list").len(), 0);
}

#[test]
fn games_are_found_by_opponent_and_ending() {
    let server = filled();
    let page = |query: &str| {
        let path = format!("/records?{query}");
        let response = open(&server, &path, "en");
        check(&path, &response, 200, "en");
        response.text().to_owned()
    };
    let count = |page: &str| page.matches("href=\"/records/").count();
    let form = page("player=huaman&against=ucja&termination=time");
    assert!(form.contains("value=\"ucja\"") && form.contains("<option value=\"time\" selected>"), "{form}");
    assert!(
        form.contains("Games of <a href=\"/players/1\">") && form.contains("Games against <a href=\"/players/3\">"),
        "{form}"
    );
    assert_eq!(count(&form), 0);
    assert_eq!(count(&page("player=huaman&against=ucja&termination=")), 1);
    // An opponent without a player is the player.
    assert_eq!([count(&page("against=huaman")), count(&page("player=&against=li+bo"))], [2, 1]);
    // Each of two parts of names may mean several players.
    let unsure = page("player=ucja&against=rosa");
    let links = attributes(&unsure, "href");
    let choices: Vec<_> = links.iter().filter(|link| link.contains("against=") && !link.contains("lang=")).collect();
    assert_eq!(choices, ["/records?player=ucja&against=1", "/records?player=ucja&against=2"]);
    // Every ending has its own words in the list.
    let endings =
        form.split("name=\"termination\"").nth(1).and_then(|rest| rest.split("</select>").next()).expect("a list");
    let known = server.get("/openapi.json").json();
    let params = known["paths"]["/v1/records"]["get"]["parameters"].as_array().expect("a list");
    let termination = params.iter().find(|param| param["name"] == "termination").expect("a parameter");
    for name in termination["schema"]["items"]["enum"].as_array().expect("names") {
        let option = format!("<option value={name}");
        assert!(
            endings.contains(&option) && !endings.contains(&format!("{option}>{}<", name.as_str().expect("a text"))),
            "{name}"
        );
    }
}
