//! `GET /v1/positions` and the page of positions: totals, pages, symmetries, and positions that are refused.

use quipu_tests_service::{
    generator::RandomGames,
    server::{Response, Server},
};
use serde_json::Value;

use super::pages::open;

/// A service with random games, as many of every kind, and of every rule set of a kind.
fn with_games(count: usize) -> Server {
    let server = Server::start();
    let mut games = RandomGames::new(3);
    let text: String = (0..count).map(|_| games.record()).collect();
    server.keep(text.as_bytes());
    server
}

fn problem(response: &Response) -> Value {
    serde_json::from_str(response.text()).expect("JSON")
}

fn games_of(outcomes: &Value) -> u64 {
    let wins = outcomes["wins"].as_object().expect("wins").values().map(|wins| wins.as_u64().expect("a number"));
    let games = outcomes["games"].as_u64().expect("a number");
    assert_eq!(wins.sum::<u64>() + outcomes["draws"].as_u64().expect("a number"), games);
    games
}

#[test]
fn a_position_has_its_games_and_next_moves() {
    let server = with_games(240);
    let found = server.get("/v1/positions?game=brandubh&limit=15").json();
    assert_eq!(found["game"], "brandubh");
    assert_eq!(found["position"], "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0");
    assert_eq!((games_of(&found["total"]), &found["exact"]), (20, &Value::Bool(true)));
    let moves = found["moves"].as_array().expect("moves");
    let sums: Vec<_> = moves.iter().map(|next| games_of(&next["total"])).collect();
    assert!(sums.is_sorted_by(|one, other| one >= other), "{sums:?}");
    assert_eq!(sums.iter().sum::<u64>() + games_of(&found["ended"]), 20);
    // The list goes on where it ended.
    let cursor = found["next"].as_str().expect("there are more");
    let rest = server.get(&format!("/v1/positions?game=brandubh&limit=15&cursor={cursor}")).json();
    assert_eq!(
        (found["items"].as_array().expect("games").len(), rest["items"].as_array().expect("games").len()),
        (15, 5)
    );
    assert_eq!(rest["next"], Value::Null);
    let changes: Vec<_> = [&found, &rest]
        .into_iter()
        .flat_map(|page| page["items"].as_array().expect("games"))
        .map(|item| item["record"]["change"].as_u64().expect("a number"))
        .collect();
    assert!(changes.is_sorted_by(|one, other| one > other), "{changes:?}");

    // A game is found by each of its positions, which its record has, and by their images.
    let id = found["items"][0]["record"]["id"].as_str().expect("an id");
    let positions = server.get(&format!("/v1/records/{id}/positions")).json();
    for (ply, position) in positions["items"].as_array().expect("positions").iter().enumerate().skip(1).step_by(5) {
        let text = position["position"].as_str().expect("a position");
        let (rows, rest) = text.split_once(' ').expect("fields");
        let flipped = rows.rsplit('/').collect::<Vec<_>>().join("/");
        for rows in [rows, &flipped] {
            let path = format!("/v1/positions?game=brandubh&position={}", format!("{rows} {rest}").replace(' ', "%20"));
            let found = server.get(&path).json();
            let items = found["items"].as_array().expect("games");
            let own = items.iter().find(|item| item["record"]["id"] == id).unwrap_or_else(|| panic!("{path}"));
            assert!(own["ply"].as_u64().expect("a number") <= ply as u64);
        }
        // The page of the game links to the search for the position that it shows.
        let page = open(&server, &format!("/records/{id}?ply={ply}"), "en");
        let escaped = text.replace('/', "%2F").replace(' ', "%20");
        let link = format!("href=\"/positions?game=brandubh&amp;position={escaped}");
        assert!(page.text().contains(&link), "{link}: {}", page.text());
    }
}

#[test]
fn a_position_that_is_not_valid_is_refused() {
    let server = Server::start();
    for (query, code) in [
        ("game=brandubh&position=7", "brandubh.position"),
        ("game=brandubh&position=3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3%20r%200", "brandubh.position"),
        ("game=brandubh&rules=none", "record.rules"),
        ("game=querni", "record.setup"),
    ] {
        let response = server.get(&format!("/v1/positions?{query}"));
        assert_eq!(response.status, 422, "{query}: {}", response.text());
        let problem = problem(&response);
        assert_eq!(problem["code"], "api.position", "{query}");
        assert_eq!(problem["faults"][0]["code"], code, "{query}: {problem}");
    }
    for (query, code) in [("", "api.parameter"), ("game=chess", "api.parameter"), ("game=andes&cursor=x", "api.cursor")]
    {
        let response = server.get(&format!("/v1/positions?{query}"));
        assert_eq!((response.status, &problem(&response)["code"]), (400, &Value::from(code)), "{query}");
    }
}

/// The addresses of the buttons of squares, as a browser without scripts sends them.
#[test]
fn a_board_is_set_up_with_clicks() {
    let server = with_games(80);
    let page = open(&server, "/positions?game=brandubh", "en");
    assert_eq!(page.status, 200);
    let text = page.text();
    assert!(text.contains("value=\"3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0\""), "{text}");
    assert_eq!(text.matches("<button class=\"plain\" name=\"at\"").count(), 49);
    assert!(text.contains("aria-label=\"K, d4: king (Black)\""), "{text}");
    // Squares are counted from the top left: d7 is cleared, and a red pawn put on c7, where the same click takes it away.
    let start = "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3%20n%200";
    let cleared = open(&server, &format!("/positions?game=brandubh&position={start}&piece=-&turn=n&at=3"), "en");
    assert!(cleared.text().contains("value=\"7/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0\""), "{}", cleared.text());
    let put = open(&server, &format!("/positions?game=brandubh&position={start}&piece=t&turn=r&at=2"), "en");
    assert!(put.text().contains("value=\"2tt3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1\""), "{}", put.text());
    // Nine red pawns are too many: the page says so, and the board can be set up further.
    assert!(put.text().contains("brandubh.position") && put.text().contains("name=\"at\""), "{}", put.text());
    for game in ["andes", "pastores", "querni"] {
        let page = open(&server, &format!("/positions?game={game}"), "es");
        assert_eq!(page.status, 200, "{game}");
        assert!(page.text().contains("name=\"at\""), "{game}");
    }
}

/// A position is searched for under one rule set, and the links to the others keep it if they can.
#[test]
fn a_position_has_the_games_of_a_rule_set() {
    let server = with_games(48);
    let [base, nielsen] = ["3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 0"];
    for (rules, start) in [("base", base), ("cuervo", base), ("nielsen", nielsen)] {
        let found = server.get(&format!("/v1/positions?game=brandubh&rules={rules}")).json();
        assert_eq!((games_of(&found["total"]), &found["position"]), (4, &start.into()), "{rules}");
        let page = open(&server, &format!("/positions?game=brandubh&rules={rules}"), "en");
        assert!(page.text().contains(&format!("name=\"position\" value=\"{start}\"")), "{}", page.text());
        assert!(page.text().contains(">Next moves<") && !page.text().contains("role=\"alert\""), "{}", page.text());
        for other in ["base", "cuervo", "nielsen"] {
            let link = format!("href=\"/positions?game=brandubh&amp;rules={other}\"");
            assert!(page.text().contains(&link), "{rules} {other}: {}", page.text());
        }
    }
    // Under the other rule set Red has the first move, so the count of plies differs.
    let moved = "/positions?game=brandubh&position=3t3/3t3/3T3/tt1KTtt/2TT3/3t3/3t3%20r%201";
    let page = open(&server, moved, "en");
    let kept = "rules=nielsen&amp;position=3t3%2F3t3%2F3T3%2Ftt1KTtt%2F2TT3%2F3t3%2F3t3%20r%200\"";
    assert!(page.text().contains(kept), "{}", page.text());
    // The button of the choices makes such a position valid, but a text that is searched for stays as it is.
    let changed = open(&server, &format!("{moved}&rules=nielsen&turn=r"), "en");
    assert!(changed.text().contains("3t3/3t3/3T3/tt1KTtt/2TT3/3t3/3t3 r 0\""), "{}", changed.text());
    let searched = open(&server, &format!("{moved}&rules=nielsen"), "en");
    assert!(searched.text().contains("brandubh.position"), "{}", searched.text());
    let unknown = open(&server, "/positions?game=brandubh&rules=none", "en");
    assert!(unknown.text().contains("record.rules"), "{}", unknown.text());
}

/// Each next move is a link to the position after it.
#[test]
fn next_moves_lead_to_their_positions() {
    let server = with_games(80);
    let page = open(&server, "/positions?game=pastores", "en").text().to_owned();
    let (_, table) = page.split_once("<tbody>").expect("a table");
    let (_, link) = table.split_once("href=\"").expect("a link");
    let (link, _) = link.split_once('"').expect("an end");
    let after = open(&server, &link.replace("&amp;", "&"), "en");
    assert_eq!(after.status, 200);
    assert!(after.text().contains("<tbody>"), "{}", after.text());
}
