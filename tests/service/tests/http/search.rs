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
    let answer = server.get(&format!("/v1/players?{query}")).json();
    let items = answer["items"].as_array().expect("a list").iter();
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
        ("q=osa", &[]),
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
    assert_eq!(server.get("/v1/events?q=lodz").json()["items"][0]["name"], "Łódź Open");
    assert_eq!(server.get("/v1/records?q=zolkiewska").json()["items"].as_array().expect("a list").len(), 1);
}

#[test]
fn games_are_found_by_a_part_of_a_name() {
    let server = filled();
    let page = |query: &str| {
        let path = format!("/records?{query}");
        let answer = open(&server, &path, "en");
        check(&path, &answer, 200, "en");
        answer.text().to_owned()
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
    assert!(none.contains("No name has words that begin with “nadie”."), "{none}");
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
