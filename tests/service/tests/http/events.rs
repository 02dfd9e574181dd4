//! Events and the tables that follow from their games. Figures are tested in `tests/core/tests/competition.rs`; here,
//! that the service and the program give the same for the same games.

use quipu_archive::store::{Filter, Refusal};
use quipu_tests_service::{
    bytes,
    program::run,
    server::{Response, Server},
    text,
};
use serde_json::{Value, json};

use crate::players::{by, game, merge};

const CUP: &str = "andes/cup.quipu";

fn with_cup() -> (Server, Vec<String>) {
    let server = Server::start();
    let ids = server.keep(&bytes(CUP)[..]);
    (server, ids.iter().map(|id| quipu_referee::report::hex(id)).collect())
}

/// The output of the program for fixtures.
#[track_caller]
fn printed(arguments: &[&str]) -> Value {
    let run = run(arguments);
    serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{why}: {run:#?}"))
}

/// Takes the numbers of players away, which only an archive has.
fn remove_numbers(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("number");
            members.remove("numbers");
            members.values_mut().for_each(remove_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_numbers),
        _ => {}
    }
}

/// Checks that tables at a path are those that the program prints.
#[track_caller]
fn check(server: &Server, path: &str, arguments: &[&str]) {
    let mut found = server.get(path).json();
    remove_numbers(&mut found["tables"]);
    assert_eq!(found["tables"], printed(arguments)["tables"], "{path}");
}

#[test]
fn the_tables_of_the_sample_tournament_are_those_of_the_program() {
    let (server, _) = with_cup();
    let file = "fixtures/andes/cup.quipu";
    let standings = ["standings", "--json", file];
    check(&server, "/v1/events/1/standings", &standings);
    check(&server, "/v1/events/1/standings?game=andes", &standings);
    let order = "direct,wins,points-with-bonus,points";
    let ordered = ["standings", "--json", "--tie-breaks", order, file];
    check(&server, &format!("/v1/events/1/standings?tie_breaks={order}"), &ordered);
    check(&server, "/v1/events/1/crosstable", &["standings", "--json", "--crosstable", file]);
    let ordered = ["standings", "--json", "--crosstable", "--tie-breaks", order, file];
    check(&server, &format!("/v1/events/1/crosstable?tie_breaks={order}"), &ordered);
    assert_eq!(server.get("/v1/events/1/crosstable?game=querni").json()["tables"], json!([]));
}

#[test]
fn the_encounters_of_the_sample_tournament_are_those_expected() {
    let (server, _) = with_cup();
    let mut found = server.get("/v1/events/1/encounters").json();
    remove_numbers(&mut found);
    for expected in [
        serde_json::from_str(&text("andes/cup.competition.json")).expect("JSON"),
        printed(&["score", "--json", "fixtures/andes/cup.quipu"]),
    ] {
        assert_eq!(found["encounters"], expected["encounters"]);
        assert_eq!(found["players"], expected["players"]);
    }
}

#[test]
fn an_event_of_several_games_has_a_table_for_each() {
    let server = Server::start();
    let mut arguments = vec!["standings", "--json", "--event", "Random games"];
    let files = ["andes/cup.quipu", "pastores/games.quipu", "querni/games.quipu", "andes/games.quipu"];
    let paths = files.map(|file| format!("fixtures/{file}"));
    for (file, path) in files.iter().zip(&paths) {
        server.keep(&bytes(file)[..]);
        arguments.push(path);
    }
    let events = server.get("/v1/events?q=random").json();
    let number = &events["items"][0]["number"];
    check(&server, &format!("/v1/events/{number}/standings"), &arguments);
    let all = printed(&arguments);
    let tables = all["tables"].as_array().expect("tables");
    let games: Vec<_> = tables.iter().map(|table| table["game"].as_str().expect("a game")).collect();
    assert_eq!(games, ["pastores", "querni", "andes"]);
    let event = server.get(&format!("/v1/events/{number}")).json();
    for (game, table) in games.iter().zip(tables) {
        let mut found = server.get(&format!("/v1/events/{number}/standings?game={game}")).json();
        remove_numbers(&mut found["tables"]);
        assert_eq!(found["tables"], json!([table]), "{game}");
        let counted = found["games"].as_array().expect("a list").len();
        let by_game = event["by_game"].as_array().expect("a list").iter().find(|one| one["game"] == *game);
        assert_eq!(by_game.expect("it is there")["games"], counted, "{game}");
    }
}

#[test]
fn every_figure_leads_to_its_records() {
    let (server, ids) = with_cup();
    let games: Vec<_> = (1..).zip(&ids).map(|(place, id)| json!({ "game": place, "id": id })).collect();
    for table in ["standings", "crosstable", "encounters"] {
        assert_eq!(server.get(&format!("/v1/events/1/{table}")).json()["games"], json!(games), "{table}");
    }
}

#[test]
fn an_event_says_what_is_in_it() {
    let (server, ids) = with_cup();
    let event = server.get("/v1/events/1").json();
    let expected = json!({
        "number": 1, "name": "Copa de los Andes", "records": ids.len(), "games": ids.len(), "changed": ids.len(),
        "by_game": [{ "game": "andes", "games": ids.len() }],
        "records_url": "/v1/records?event=1",
        "standings_url": "/v1/events/1/standings",
        "crosstable_url": "/v1/events/1/crosstable",
        "encounters_url": "/v1/events/1/encounters"
    });
    assert_eq!(event, expected);
    for kind in ["standings", "crosstable", "encounters"] {
        server.get(event[format!("{kind}_url")].as_str().expect("a place")).json();
    }
}

/// The tag of an answer that is good.
#[track_caller]
fn tag(response: &Response) -> String {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("cache-control"), "no-cache");
    response.header("etag").to_owned()
}

#[test]
fn unchanged_responses_are_not_sent_again() {
    let (server, _) = with_cup();
    for path in ["/v1/events/1", "/v1/events/1/standings", "/v1/events/1/crosstable", "/v1/events/1/encounters"] {
        let first = tag(&server.get(path));
        for known in [first.clone(), format!("W/{first}"), format!("\"other\", {first}"), "*".to_owned()] {
            let again = server.ask("GET", path).header("If-None-Match", &known).send();
            assert_eq!((again.status, again.header("etag"), again.body.len()), (304, &*first, 0), "{path} {known}");
        }
        let compressed = first.trim_end_matches('"').to_owned() + "-gzip\"";
        let again = server.ask("GET", path).header("If-None-Match", &compressed).send();
        assert_eq!((again.status, again.header("etag")), (304, &*compressed), "{path}");

        // A game of another event, of other players, and then one of this.
        server.keep(game("Ana", "Bo", &format!("[Event \"Other\"]\n[Round \"{path}\"]")).as_bytes());
        assert_eq!(tag(&server.get(path)), first, "{path}");
        server.keep(game("Ana", "Bo", &format!("[Event \"Copa de los Andes\"]\n[Round \"{path}\"]")).as_bytes());
        let changed = server.ask("GET", path).header("If-None-Match", &first).send();
        assert_ne!(tag(&changed), first, "{path}");
    }
}

#[test]
fn merges_and_retractions_change_the_tables_of_their_events() {
    let (server, ids) = with_cup();
    let path = "/v1/events/1/standings";
    let first = server.get(path);
    let change = merge(&server, "Quispe Mamani, Rosa", "Huamán Ccori, Julio");
    let merged = server.get(path);
    assert_ne!(tag(&merged), tag(&first));
    let players = merged.json()["tables"][0]["players"].as_array().expect("a list").len();
    assert_eq!(players, 7);
    // Both their games against each other count no more.
    assert_eq!(server.get("/v1/events/1").json()["games"], ids.len() - 2);
    let undone = server.store.write(move |writing| -> Result<_, Refusal> { writing.undo(change, &by()) });
    undone.wait().expect("it is undone");
    let last = server.get(path);
    assert_ne!(tag(&last), tag(&merged));
    assert_eq!(last.json(), first.json());

    let id =
        server.store.read(|reading| reading.export(&Filter::default(), 0, 1, usize::MAX)).expect("the archive is read")
            [0]
        .0
        .id;
    let retracted = server.store.write(move |writing| -> Result<_, Refusal> { writing.retract(&id, &by()) });
    retracted.wait().expect("it is retracted");
    assert_ne!(tag(&server.get(path)), tag(&last));
    assert_eq!(server.get("/v1/events/1").json()["games"], ids.len() - 1);
}

#[test]
fn names_that_may_be_one_player_are_told() {
    let server = Server::start();
    server.keep(game("Quispe, Ana", "Bo", "[Event \"Copa\"]").as_bytes());
    server.keep(game("Ana Quispe", "Caro", "[Event \"Copa\"]").as_bytes());
    server.keep(game("Ána quispe", "Bo", "[Event \"Other\"]").as_bytes());
    for table in ["standings", "crosstable", "encounters"] {
        let found = server.get(&format!("/v1/events/1/{table}")).json();
        assert_eq!(found["spelled_differently"], json!([["Ana Quispe", "Quispe, Ana"]]), "{table}");
    }
}

/// The names on all pages of a list, and how many pages there were.
#[track_caller]
pub(crate) fn names(server: &Server, path: &str) -> (Vec<String>, usize) {
    let (mut names, mut pages, mut path) = (Vec::new(), 0, path.to_owned());
    loop {
        let response = server.get(&path);
        let page = response.json();
        pages += 1;
        for item in page["items"].as_array().expect("a list") {
            names.push(item["name"].as_str().expect("a name").to_owned());
        }
        let link = response.header("link");
        assert_eq!(link.is_empty(), page["next"].is_null(), "{page}");
        if link.is_empty() {
            return (names, pages);
        }
        let next = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")).expect("a link");
        path = next.into();
        assert!(path.contains(page["next"].as_str().expect("a cursor")), "{path}");
    }
}

#[test]
fn events_are_listed_by_age_or_by_name() {
    let server = Server::start();
    // A name may be longer than what a cursor may be.
    let long = "Copa ".to_owned() + &"x".repeat(3000);
    let all = ["Copa b", "Torneo", "copa C", "Cópa", &long, "COPA A"];
    for event in all {
        server.keep(game("Ana", "Bo", &format!("[Event \"{event}\"]")).as_bytes());
    }
    server.keep("[Game \"andes\"]\n[Event \"\"]\n\n*\n".as_bytes());
    // A list shows 256 characters of it.
    let shown = |name: &str| if name == long { format!("{}…", &long[..255]) } else { name.to_owned() };
    let latest: Vec<String> = all.iter().rev().map(|name| shown(name)).collect();
    assert_eq!(names(&server, "/v1/events"), (latest.clone(), 1));
    assert_eq!(names(&server, "/v1/events?limit=2"), (latest, 3));
    let by_name = ["Cópa", "COPA A", "Copa b", "copa C", &long].map(shown).to_vec();
    for q in ["cop", "COP", "c%C3%B3pa"] {
        assert_eq!(names(&server, &format!("/v1/events?q={q}")), (by_name.clone(), 1), "{q}");
        assert_eq!(names(&server, &format!("/v1/events?limit=1&q={q}")), (by_name.clone(), 5), "{q}");
    }
    assert_eq!(names(&server, "/v1/events?q=opa"), (by_name, 1));
    assert_eq!(names(&server, "/v1/events?q=op"), (Vec::new(), 1));
}

#[test]
fn problems_have_their_reason_in_both_languages() {
    let (server, _) = with_cup();
    let check = |path: &str, status, code, es: &str, en: &str| {
        for (lang, detail) in [("es", es), ("en", en)] {
            let response = server.ask("GET", path).header("Accept-Language", lang).send();
            assert_eq!(response.problem(status, code)["detail"], detail, "{path}");
        }
    };
    for path in ["/v1/events/2", "/v1/events/2/standings", "/v1/events/2/crosstable", "/v1/events/2/encounters"] {
        check(path, 404, "api.not-found", "No existe el evento número 2.", "There is no event number 2.");
    }
    let known = "buchholz, sonneborn-berger, direct, wins, points, points-with-bonus, encounters, score";
    for table in ["standings", "crosstable"] {
        check(
            &format!("/v1/events/1/{table}?tie_breaks=wins,luck"),
            400,
            "api.parameter",
            &format!("«luck» no es un valor de «tie_breaks»; se admite: {known}."),
            &format!("“luck” is not a value of “tie_breaks”; allowed: {known}."),
        );
        check(
            &format!("/v1/events/1/{table}?tie_breaks=wins,direct,wins"),
            400,
            "api.parameter",
            "«tie_breaks» contiene «wins» más de una vez.",
            "“tie_breaks” contains “wins” more than once.",
        );
        server.get(&format!("/v1/events/1/{table}?game=chess")).problem(400, "api.parameter");
        server.get(&format!("/v1/events/1/{table}?tie_breaks=")).problem(400, "api.parameter");
    }
    server.get("/v1/events/1/encounters?game=andes").problem(400, "api.parameter");
    server.get("/v1/events/one").problem(400, "api.parameter");
    // {"event":7}, {"player":1} and no JSON at all.
    for cursor in ["eyJldmVudCI6N30", "eyJwbGF5ZXIiOjF9", "AAAA"] {
        server.get(&format!("/v1/events?q=c&cursor={cursor}")).problem(400, "api.cursor");
    }
}

#[test]
fn answers_are_as_the_document_says() {
    let server = Server::start();
    server.keep(&bytes(CUP)[..]);
    server.keep(&bytes("pastores/games.quipu")[..]);
    merge(&server, "Quispe Mamani, Rosa", "Huamán Ccori, Julio");
    let document = server.get("/openapi.json").json();
    let check = |route: &str, path: &str, status: u16| {
        let response = server.get(path);
        assert_eq!(response.status, status, "{path}: {}", response.text());
        let said = &document["paths"][route]["get"]["responses"][status.to_string()];
        let schema = said["content"]["application/json"]["schema"].clone();
        let mut schema = schema.as_object().expect("a schema").clone();
        schema.insert("components".to_owned(), document["components"].clone());
        let validator = jsonschema::validator_for(&schema.into()).expect("a schema");
        let body: Value = serde_json::from_slice(&response.body).expect("JSON");
        let faults: Vec<_> = validator.iter_errors(&body).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{path}: {faults:?}");
        // Undeclared fields would be refused: nothing passes because the schema says nothing.
        assert!(!validator.is_valid(&json!({ "nothing": 1 })), "{route}");
    };
    check("/v1/players", "/v1/players?limit=200", 200);
    for number in 1..=12 {
        // The first name that came in is the one that was merged.
        let status = if number == 1 { 307 } else { 200 };
        check("/v1/players/{number}", &format!("/v1/players/{number}"), status);
        check("/v1/players/{number}/history", &format!("/v1/players/{number}/history?game=andes"), status);
    }
    for game in ["andes", "pastores", "querni"] {
        check("/v1/rankings", &format!("/v1/rankings?game={game}"), 200);
    }
    check("/v1/events", "/v1/events", 200);
    for number in 1..=3 {
        check("/v1/events/{number}", &format!("/v1/events/{number}"), 200);
        for table in ["standings", "crosstable", "encounters"] {
            check(&format!("/v1/events/{{number}}/{table}"), &format!("/v1/events/{number}/{table}"), 200);
        }
        let order = "points,points-with-bonus,sonneborn-berger";
        let path = format!("/v1/events/{number}/standings?tie_breaks={order}");
        check("/v1/events/{number}/standings", &path, 200);
    }
}
