//! The page of an event: its counts, the order of its standings, rounds, results and files; and events and players in
//! lists. Figures are tested in `tests/core/tests/competition.rs`.

use quipu_tests_service::{bytes, program::run, server::Server};
use serde_json::{Value, json};

use crate::players::game;

const CUP: &str = "andes/cup.quipu";

fn with_cup() -> Server {
    let server = Server::start();
    server.keep(&bytes(CUP)[..]);
    server
}

/// A page in English.
#[track_caller]
fn page(server: &Server, path: &str) -> String {
    let response = server.ask("GET", path).header("Accept", "text/html").header("Accept-Language", "en").send();
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.text().to_owned()
}

/// HTML without its tags.
fn words(html: &str) -> String {
    let text: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.trim().to_owned()
}

/// The cells of the first table of a page, row by row, the headings first.
#[track_caller]
fn cells(page: &str) -> Vec<Vec<String>> {
    let table = page.split("<table").nth(1).expect("a table").split("</table>").next().expect("its end");
    let rows = table.split("<tr").skip(1);
    let cells = |row: &str| {
        let starts = row.match_indices("<t").filter(|(at, _)| ["<td", "<th"].contains(&&row[*at..*at + 3]));
        starts
            .map(|(at, _)| {
                let end = row[at..].find("</t").expect("its end");
                words(&row[at..at + end])
            })
            .collect()
    };
    rows.map(cells).collect()
}

/// The column of a table by its heading.
#[track_caller]
fn column(cells: &[Vec<String>], heading: &str) -> Vec<String> {
    let places: Vec<_> = cells[0].iter().enumerate().filter(|(_, own)| *own == heading).collect();
    let [(place, _)] = places[..] else { panic!("{heading} among {:?}", cells[0]) };
    cells[1..].iter().map(|row| row[place].clone()).collect()
}

#[test]
fn standings_of_andes_show_points_bonus_and_encounters() {
    let server = with_cup();
    let page = page(&server, "/events/1");
    let cells = cells(&page);
    let players = column(&cells, "Player");
    assert_eq!(players[..3], ["Choque Limachi, Edwin", "Guamán Toaquiza, Inti", "Condori Apaza, Wayra"]);
    assert_eq!(column(&cells, "points with bonus")[..3], ["391", "353½", "343½"]);
    assert_eq!(column(&cells, "points")[..3], ["268", "262", "257"]);
    assert_eq!(column(&cells, "score")[..3], ["9½", "8", "8½"]);
    // The encounters that the program counts for each player.
    let score: Value =
        serde_json::from_str(&run(&["score", "--json", "fixtures/andes/cup.quipu"]).stdout).expect("JSON");
    let encounters = score["encounters"].as_array().expect("a list");
    for ((player, won), lost) in
        players.iter().zip(column(&cells, "encounters won")).zip(column(&cells, "Encounters lost"))
    {
        let of_player =
            encounters.iter().filter(|one| one["players"].as_array().expect("names").contains(&json!(player)));
        let (victories, others): (Vec<_>, Vec<_>) =
            of_player.filter(|one| one["state"] == "won").partition(|one| one["winner"] == **player);
        assert_eq!([won, lost], [victories.len(), others.len()].map(|count| count.to_string()), "{player}");
    }
    assert!(page.contains("Order: points with bonus, encounters won, points, score."), "{page}");
    assert!(!page.contains(".5<"), "halves have a sign");
}

#[test]
fn the_reader_chooses_the_order() {
    let server = with_cup();
    // A form sends every field, also those that nobody filled in.
    let asked =
        "/events/1?view=standings&round=&tie_breaks=score&tie_breaks=buchholz&tie_breaks=wins&tie_breaks=&tie_breaks=";
    let page = page(&server, asked);
    assert!(page.contains("Order: score, Buchholz, wins."), "{page}");
    let cells = cells(&page);
    let expected = server.get("/v1/events/1/standings?tie_breaks=buchholz,wins").json();
    let names: Vec<_> =
        expected["tables"][0]["players"].as_array().expect("a list").iter().map(|row| row["name"].clone()).collect();
    assert_eq!(json!(column(&cells, "Player")), json!(names));
    // As a criterion the wins have no second column.
    assert_eq!(cells[0].iter().filter(|heading| heading.eq_ignore_ascii_case("wins")).count(), 1, "{:?}", cells[0]);
    // The form shows the order, and other tables keep it.
    assert!(page.contains("<option value=\"buchholz\" selected>") && page.contains("<details open>"));
    assert!(page.contains("view=crosstable&amp;tie_breaks=score%2Cbuchholz%2Cwins"), "{page}");
    let problem = server.ask("GET", "/events/1?tie_breaks=luck").header("Accept", "text/html").send();
    assert_eq!(problem.status, 400);
}

/// The score ranks where an order names it, for the API and the program alike.
#[test]
fn the_score_may_be_a_later_criterion() {
    let server = with_cup();
    let order = "points-with-bonus,encounters,points,score";
    let found = server.get(&format!("/v1/events/1/standings?tie_breaks={order}")).json();
    let printed = run(&["standings", "--json", "--tie-breaks", order, "fixtures/andes/cup.quipu"]);
    let printed: Value = serde_json::from_str(&printed.stdout).expect("JSON");
    let rows = |tables: &Value| {
        let rows = tables["tables"][0]["players"].as_array().expect("a list").iter();
        rows.map(|row| json!([row["place"], row["name"], row["tie_breaks"]])).collect::<Vec<_>>()
    };
    assert_eq!(rows(&found), rows(&printed));
    assert_eq!(found["tables"][0]["players"][1]["name"], "Guamán Toaquiza, Inti");
    assert_eq!(found["tables"][0]["players"][1]["tie_breaks"]["score"], 8);
}

#[test]
fn tables_after_a_round() {
    let server = with_cup();
    let all = server.get("/v1/events/1/standings").json();
    assert_eq!(all["round"], Value::Null);
    let first = server.get("/v1/events/1/standings?round=2").json();
    assert_eq!(first["round"], "2");
    let games = |response: &Value| response["games"].as_array().expect("a list").len();
    // Each round has four encounters of two games.
    assert_eq!((games(&all), games(&first)), (56, 16));
    assert!(first["tables"][0]["players"].as_array().expect("a list").iter().all(|row| row["games"] == 4));
    assert_eq!(games(&server.get("/v1/events/1/crosstable?round=2").json()), 16);
    assert_eq!(server.get("/v1/events/1/encounters?round=2").json()["encounters"].as_array().expect("a list").len(), 8);
    for (view, rows) in [("standings", 8), ("crosstable", 8), ("encounters", 8)] {
        let page = page(&server, &format!("/events/1?view={view}&round=2"));
        assert_eq!(page.matches("<th scope=\"row\"").count(), rows, "{view}");
        assert!(page.contains("Only games up to round 2 count."), "{view}");
        assert!(page.contains("<option value=\"2\" selected>2</option>"), "{view}");
    }
    for path in ["/v1/events/1/standings", "/v1/events/1/crosstable", "/v1/events/1/encounters", "/events/1"] {
        let problem = server.get(&format!("{path}?round=9")).problem(404, "api.not-found");
        assert!(problem["detail"].to_string().contains('9'), "{problem}");
    }
}

#[test]
fn results_by_round_and_board() {
    let server = Server::start();
    for (sol, luna, tags) in [
        ("Ana", "Bo", "[Round \"10\"]\n[Board \"1\"]"),
        ("Cy", "Di", "[Round \"2\"]\n[Board \"10\"]"),
        ("Ana", "Di", "[Round \"2\"]\n[Board \"2\"]\n[Leg \"1\"]"),
        ("Eva", "Flor", ""),
    ] {
        server.keep(game(sol, luna, &format!("[Event \"Copa\"]\n{tags}")).as_bytes());
    }
    let page = page(&server, "/events/1?view=results");
    let found: Vec<_> = cells(&page).into_iter().map(|row| row.join("|")).collect();
    let expected = [
        "Board|Sol|Result|Luna|Points|Leg",
        "Round 2",
        "2|Ana|1–0|Di|11–9|1",
        "10|Cy|1–0|Di|11–9|–",
        "Round 10",
        "1|Ana|1–0|Bo|11–9|–",
        "No round",
        "–|Eva|1–0|Flor|11–9|–",
    ];
    assert_eq!(found, expected);
    assert_eq!(page.matches("aria-label=\"Ana against Di: 1–0\"").count(), 1);
    let one = self::page(&server, "/events/1?view=results&round=10");
    assert_eq!(
        cells(&one)[1..],
        [vec!["Round 10".to_owned()], ["1", "Ana", "1–0", "Bo", "11–9"].map(str::to_owned).to_vec()]
    );
}

#[test]
fn standings_as_csv_are_those_of_the_program() {
    let server = with_cup();
    let csv = |server: &Server, path: &str| server.ask("GET", path).header("Accept", "text/csv").send();
    let found = csv(&server, "/v1/events/1/standings");
    assert_eq!((found.status, found.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert_eq!(found.text(), run(&["standings", "--csv", "fixtures/andes/cup.quipu"]).stdout);
    let order = "points-with-bonus,wins,score";
    let ordered = csv(&server, &format!("/v1/events/1/standings?tie_breaks={order}"));
    let printed = run(&["standings", "--csv", "--tie-breaks", order, "fixtures/andes/cup.quipu"]);
    assert_eq!(ordered.text(), printed.stdout);
    assert_ne!(found.header("etag"), server.get("/v1/events/1/standings").header("etag"));
    // The link of the page: the same order, as a file.
    let page = page(&server, "/events/1?round=2");
    let link = page.split("href=\"").find(|link| link.starts_with("/events/1/standings.csv")).expect("a link");
    let link = link.split('"').next().expect("its end").replace("&amp;", "&");
    let file = server.get(&link);
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"standings-1.csv\"");
    let first: Vec<_> = file.text().lines().take(2).collect();
    assert_eq!(first[0], "game,event,place,name,games,wins,draws,losses,score,points-with-bonus,encounters,points");
    assert_eq!(file.text().lines().count(), 9, "{}", file.text());
    // Names that a spreadsheet would take for formulas, and an event in which nothing counts.
    let server = Server::start();
    server.keep(game("=1+1", "Bo", "[Event \"Copa\"]").as_bytes());
    server.keep(&b"[Game \"andes\"]\n[Event \"Liga\"]\n\n*\n"[..]);
    assert!(csv(&server, "/v1/events/1/standings").text().contains(",'=1+1,"));
    assert_eq!(csv(&server, "/v1/events/2/standings").text().lines().count(), 1);
}

#[test]
fn tables_name_players_with_their_numbers() {
    let server = with_cup();
    let number = |name: &Value| {
        let name = name.as_str().expect("a name").to_owned();
        let person = server.store.read(move |reading| reading.player_named(&name)).expect("the archive is read");
        json!(person.expect("a player").number)
    };
    let standings = server.get("/v1/events/1/standings").json();
    for row in standings["tables"][0]["players"].as_array().expect("a list") {
        assert_eq!(row["number"], number(&row["name"]), "{row}");
    }
    let crosstable = server.get("/v1/events/1/crosstable").json();
    for row in crosstable["tables"][0]["players"].as_array().expect("a list") {
        assert_eq!(row["number"], number(&row["name"]), "{row}");
        for opponent in row["opponents"].as_array().expect("a list") {
            assert_eq!(opponent["number"], number(&opponent["name"]), "{opponent}");
        }
    }
    let encounters = server.get("/v1/events/1/encounters").json();
    for one in encounters["encounters"].as_array().expect("a list") {
        assert_eq!(one["numbers"], json!([number(&one["players"][0]), number(&one["players"][1])]), "{one}");
    }
    for row in encounters["players"].as_array().expect("a list") {
        assert_eq!(row["number"], number(&row["name"]), "{row}");
    }
    // A name that is cut has its number all the same.
    let server = Server::start();
    server.keep(game(&"Ana ".repeat(100), "Bo", "[Event \"Copa\"]").as_bytes());
    let row = server.get("/v1/events/1/standings").json()["tables"][0]["players"][0].clone();
    assert!(row["name"].as_str().expect("a name").ends_with("… #1") && row["number"] == 1, "{row}");
    assert!(page(&server, "/events/1").contains("href=\"/players/1\""));
}

/// The schemas of all fields `score` in a schema.
fn collect_scores(value: &Value, scores: &mut Vec<Value>) {
    match value {
        Value::Object(members) => {
            scores.extend(members.get("score").filter(|score| score.is_object()).cloned());
            members.values().for_each(|member| collect_scores(member, scores));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_scores(item, scores)),
        _ => {}
    }
}

#[test]
fn scores_of_crosstables_are_numbers_in_the_document() {
    let document = Server::start().get("/openapi.json").json();
    let mut scores = Vec::new();
    collect_scores(&document["components"]["schemas"]["CrossTable"], &mut scores);
    assert!(scores.len() >= 3, "{scores:?}");
    for score in scores {
        assert!(score["type"] == "number" && score["enum"].is_null(), "{score}");
    }
}

#[test]
fn an_event_tells_the_games_that_count_from_the_records() {
    let server = with_cup();
    assert!(page(&server, "/events/1").contains("Andes, games that count: 56"));
    assert!(page(&server, "/events/1").contains("All records: 56"));
    assert!(!page(&server, "/events/1").contains("not counted"));
    server.keep(&b"[Game \"andes\"]\n[Event \"Copa de los Andes\"]\n[Date \"2027.01.02\"]\n\n1. 0a9\n*\n"[..]);
    let page = page(&server, "/events/1");
    assert!(page.contains("Andes, games that count: 56") && page.contains("All records: 57"), "{page}");
    assert!(page.contains("(not counted: 1)") && page.contains(">2027-01-02</time>"), "{page}");
}

#[test]
fn lists_tell_games_days_and_levels() {
    let server = with_cup();
    server.keep(game("Ana", "Bo", "[Event \"Liga\"]").as_bytes());
    for path in ["/events", "/"] {
        let list = words(&page(&server, path));
        assert!(list.contains("Liga Andes · games: 1"), "{list}");
        assert!(list.contains("Copa de los Andes Andes · 20") && list.contains(" · games: 56"), "{list}");
    }
    let players = words(&page(&server, "/players"));
    assert!(players.contains("Choque Limachi, Edwin Andes, games: 14, level 360"), "{players}");
    assert!(players.contains("Ana Andes, games: 1"), "{players}");
    // The games stand before the lists of games and events.
    let start = page(&server, "/");
    let place = |id: &str| start.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    assert!(place("games") < place("new") && place("new") < place("events"));
    // Thumbnails have no names of squares.
    assert!(start.contains(".svg?coordinates=no&amp;theme=light"), "{start}");
}

/// A tournament of many players, rounds and games: every table of it stays below 120 KiB.
#[test]
fn pages_of_large_events_stay_small() {
    let server = Server::start();
    let mut records = String::new();
    for round in 1..=12 {
        for board in 0..60 {
            let (one, two) = (board, 60 + (board + round) % 60);
            let [one, two] = [one, two].map(|number| format!("Apellido {number:03}, Nombre Segundo"));
            let tags = format!("[Event \"Abierto\"]\n[Round \"{round}\"]\n[Board \"{}\"]", board + 1);
            records += &game(&one, &two, &tags);
        }
    }
    server.keep(records.as_bytes());
    for view in ["standings", "crosstable", "encounters", "results"] {
        let page = page(&server, &format!("/events/1?view={view}"));
        assert!(page.len() < 120 * 1024, "{view}: {}", page.len());
    }
    let cut = page(&server, "/events/1?view=results");
    assert!(cut.contains("of 720 results"), "a long list says that it is cut");
}
