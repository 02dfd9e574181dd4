//! Readings of spoilt sheets and the game of several sheets, over HTTP and on the page that checks them.

use quipu_options::settings::Settings;
use quipu_tests_service::{
    program::run,
    server::{Response, Server},
    text,
};
use serde_json::{Value, json};

use crate::submit::{BAD, NDJSON, TEXT, UNREADABLE, changes, game};

/// A game whose third ply has a look-alike character.
fn spoilt() -> String {
    game("Ana", "Beto").replace("0b0", "0bO")
}

/// The same game without its last ply's text.
fn torn() -> String {
    game("Ana", "Beto").replace("0D0C", "_")
}

#[track_caller]
fn ask(server: &Server, path: &str, accept: &str, body: impl Into<Vec<u8>>) -> Response {
    server.ask("POST", path).header("Accept-Language", "en").header("Accept", accept).body(TEXT, body).send()
}

#[test]
fn every_record_has_its_readings() {
    let server = Server::start();
    let body = [&*spoilt(), UNREADABLE, &*game("Ana", "Beto")].join("\n");
    let whole = ask(&server, "/v1/repair", "application/json", body.clone()).json();
    let summary = json!({ "records": 3, "verified": 1, "incomplete": 0, "rejected": 1, "unreadable": 1 });
    assert_eq!(whole["summary"], summary);
    let first = &whole["repairs"][0];
    assert_eq!([&first["index"], &first["status"]], [&json!(1), &json!("rejected")]);
    let edits = json!([{ "ply": 3, "kind": "alike", "from": "0bO", "to": "0b0" }]);
    assert_eq!(first["readings"][0]["edits"], edits);
    assert_eq!(first["readings"][0]["moves"], json!(["0a1", "0D0", "0b0", "0D0C"]));
    assert_eq!(whole["repairs"][1]["readings"], json!([]));
    assert_eq!(whole["repairs"][2]["readings"][0]["cost"], 0);
    let mut lines = ask(&server, "/v1/repair", NDJSON, body).lines();
    assert_eq!(lines.pop(), Some(json!({ "summary": summary })));
    assert_eq!(json!(lines), whole["repairs"]);
    assert_eq!(changes(&server), 0, "nothing is kept");
}

/// The service gives the readings of the program.
#[test]
fn readings_are_those_of_the_program() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.quipu");
    for sheet in spoilt_sheets(2) {
        std::fs::write(&path, &sheet).expect("it is written");
        let told = run(&["repair", "--lang", "en", "--json", &path.display().to_string()]).stdout;
        let mut expected: Value = serde_json::from_str(told.lines().next().expect("a line")).expect("JSON");
        expected.as_object_mut().expect("an object").remove("file");
        let found = ask(&server, "/v1/repair", "application/json", sheet).json();
        assert_eq!(found["repairs"], json!([expected]));
    }
}

/// The first spoilt sheets of the fixture of Brandubh.
fn spoilt_sheets(count: usize) -> Vec<String> {
    let text = text("brandubh/repair.ndjson");
    let cases = text.lines().take(count).map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    cases.map(|case| case["sheet"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_body_has_a_bounded_number_of_searches() {
    let server = Server::start();
    let body = |records: usize| game("Ana", "Beto").repeat(records);
    assert_eq!(ask(&server, "/v1/repair", "application/json", body(20)).json()["summary"]["records"], 20);
    let problem = ask(&server, "/v1/repair", "application/json", body(21)).problem(413, "api.too-large");
    assert!(problem["detail"].as_str().expect("a text").contains("20"), "{problem}");
    ask(&server, "/v1/repair", "application/json", "").problem(400, "api.body");
    let limited = Server::with(Settings { address_rate: 30, ..Settings::default() });
    assert_eq!(ask(&limited, "/v1/repair", "application/json", game("Ana", "Beto")).status, 200);
    ask(&limited, "/v1/merge", "application/json", game("Ana", "Beto")).problem(429, "api.rate");
}

#[test]
fn sheets_of_one_game_are_merged() {
    let server = Server::start();
    let merged = ask(&server, "/v1/merge", "application/json", [spoilt(), torn()].join("\n")).json();
    assert_eq!(merged["moves"], json!(["0a1", "0D0", "0b0", "0D0C"]));
    assert_eq!([&merged["agreed"], &merged["complete"]], [&json!(2), &json!(true)]);
    assert_eq!(merged["verdict"]["status"], "verified");
    let plies: Vec<_> = merged["disputed"].as_array().expect("a list").iter().map(|one| &one["ply"]).collect();
    assert_eq!(plies, [3, 4]);
    assert_eq!(merged["disputed"][0]["readings"][0]["written"], "0bO");
    assert_eq!(changes(&server), 0, "nothing is kept");
}

#[test]
fn records_that_are_not_sheets_of_one_game_are_not_merged() {
    let server = Server::start();
    for (body, fault) in [
        (game("Ana", "Beto"), "merge.few"),
        (game("Ana", "Beto").repeat(17), "merge.many"),
        ([game("Ana", "Beto"), game("Carla", "Dora")].join("\n"), "merge.players"),
        ([&*game("Ana", "Beto"), BAD].join("\n"), "merge.moves"),
        (game("Ana", "Beto") + &game("Ana", "Beto").replace("andes", "querni"), "merge.tag"),
    ] {
        let problem = ask(&server, "/v1/merge", "application/json", body).problem(422, "api.merge");
        assert_eq!(problem["fault"], fault, "{problem}");
        assert!(problem["detail"].as_str().expect("a text").len() > 30, "{problem}");
    }
    let unreadable = [&*game("Ana", "Beto"), UNREADABLE].join("\n");
    ask(&server, "/v1/merge", "application/json", unreadable).problem(422, "record.syntax");
    ask(&server, "/v1/merge", "application/json", " \n").problem(400, "api.body");
}

/// The page of a checked text.
fn page(server: &Server, lang: &str, body: impl Into<Vec<u8>>) -> String {
    let media = "application/x-www-form-urlencoded";
    let ask = server.ask("POST", "/check").header("Accept", "text/html").header("Accept-Language", lang);
    let response = ask.body(media, body).send();
    assert_eq!(response.status, 200, "{}", response.text());
    response.text().to_owned()
}

pub(crate) fn field(name: &str, text: &str) -> String {
    let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("{name}={encoded}")
}

/// The value of a field of a page, as the browser sends it.
#[track_caller]
fn value(page: &str, name: &str) -> String {
    let (_, value) = page.split_once(&format!("name=\"{name}\" value=\"")).expect("a field");
    let (value, _) = value.split_once('"').expect("its end");
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The text in the text box of a page.
#[track_caller]
pub(crate) fn boxed(page: &str) -> &str {
    let (_, text) = page.split_once("<textarea").and_then(|(_, text)| text.split_once(">\n")).expect("a text box");
    text.split_once("</textarea>").expect("its end").0
}

/// A reading goes from its button into the text box, with what was written and the name of the person who chose.
#[test]
fn a_reading_is_taken_into_the_text_box() {
    let server = Server::start();
    for (lang, edit) in [("en", "ply 3: 0b0 instead of 0bO"), ("es", "jugada 3: 0b0 en lugar de 0bO")] {
        let text = field("text", &spoilt());
        let found = page(&server, lang, text.clone());
        assert!(found.contains(edit), "{found}");
        let fields = [&*text, &field("take", &value(&found, "take"))].join("&");
        for (person, mark) in [("", "]"), ("Ana López", ", Ana López]")] {
            let taken = page(&server, lang, [&*fields, &field("by", person)].join("&"));
            assert!(taken.contains("class=\"status verified\""), "{taken}");
            let boxed = boxed(&taken);
            let repaired = format!("[%repaired quipu {}{mark}", env!("CARGO_PKG_VERSION"));
            assert!(boxed.contains("[%written 3 alike 0bO]") && boxed.contains(&repaired), "{boxed}");
        }
        let none = page(&server, lang, [&*text, &field("take", "1 9")].join("&"));
        assert!(!boxed(&none).contains("[%repaired"), "a reading that does not exist is not taken");
    }
    let good = page(&server, "en", field("text", &game("Ana", "Beto")));
    assert!(!good.contains("name=\"take\""), "{good}");
}

/// The reading takes the place of its record, in the format of the text; the other records stay as they are.
#[test]
fn a_reading_takes_the_place_of_its_record() {
    let server = Server::start();
    let (first, last) = (game("Ana", "Beto"), game("Carla", "Dora"));
    let pile = [&*first, &spoilt(), &last].join("\n");
    let fields = [field("text", &pile), field("take", "2 1")].join("&");
    let found = page(&server, "en", fields);
    let boxed_text = boxed(&found).replace("&quot;", "\"");
    assert!(found.contains("Records checked: 3 · verified: 3"), "{found}");
    assert!(boxed_text.contains(&first) && boxed_text.ends_with(&last), "{boxed_text}");
    assert!(boxed_text.contains("[%written 3 alike 0bO]"), "{boxed_text}");
    let sheet = "#Game: andes\n#Sol: SOL\n#Result: 1-0\nn,sol,luna\n1,0a1,0D0\n2,0bO,0D0C\n";
    let sheets = [sheet.replace("SOL", "Ana"), sheet.replace("SOL", "Eva").replace("0bO", "0b0")].concat();
    let found = page(&server, "en", [field("text", &sheets), field("take", "1 1")].join("&"));
    assert!(found.contains("Records checked: 2 · verified: 2"), "{found}");
    assert!(boxed(&found).contains("#Sol: Ana") && boxed(&found).contains("[%repaired"), "{}", boxed(&found));
}

/// Two sheets that differ at a ply where both are legal: a button for each chooses the move, and the game follows.
#[test]
fn the_move_of_a_disputed_ply_is_chosen() {
    let server = Server::start();
    let text = [game("Ana", "Beto"), game("Ana", "Beto").replace("0D0C", "0D0E")].join("\n");
    let sheets = field("text", &text);
    let found = page(&server, "en", sheets.clone());
    let chosen = value(&found, "choice");
    let (ply, token) = chosen.split_once(' ').expect("a ply and a token");
    assert_eq!(ply, "4");
    let other = if token == "0D0C" { "0D0E" } else { "0D0C" };
    let after = page(&server, "en", [&*sheets, &field("choice", &chosen)].join("&"));
    assert!(
        after.contains(&format!("<code>{token}</code> <button class=\"choice\"")),
        "the choice can be undone: {after}"
    );
    assert!(after.contains(&format!("value=\"4 {other}\"")), "the other move can be chosen: {after}");
    let fields = [&*sheets, &field("choice", &chosen), &field("take", "merged"), &field("by", "Eva")].join("&");
    let merged = page(&server, "en", fields);
    let boxed = boxed(&merged);
    let mark = format!("[%merged quipu {}, 2, Eva]", env!("CARGO_PKG_VERSION"));
    assert!(boxed.contains(&mark) && boxed.contains(&format!("2. 0b0 {token}")), "{boxed}");
    assert!(boxed.contains("[%sheet 4 1 0D0C]") && boxed.contains("[%sheet 4 2 0D0E]"), "{boxed}");
    for impossible in ["4 9z9", "1 0b0", "5 0a1"] {
        let found = page(&server, "en", [&*sheets, &field("choice", impossible)].join("&"));
        assert!(found.contains("No legal game close to these sheets was found"), "{impossible}: {found}");
        assert!(
            found.contains("id=\"merged\"") && !found.contains("type=\"hidden\" name=\"choice\""),
            "{impossible}: {found}"
        );
    }
}

/// A choice on the page costs as much of the rate limit as a request for readings, and so does the search for readings. It is
/// left out if there is too little left; a choice is refused.
#[test]
fn searches_on_the_page_are_counted() {
    let media = "application/x-www-form-urlencoded";
    let send = |server: &Server, body: &str| {
        let ask = server.ask("POST", "/check").header("Accept", "text/html").header("Accept-Language", "en");
        ask.body(media, body).send()
    };
    let server = Server::with(Settings { address_rate: 30, ..Settings::default() });
    let body = [field("text", &spoilt()), field("choice", "3 0b0")].join("&");
    assert_eq!([send(&server, &body).status, send(&server, &body).status], [200, 429]);
    let server = Server::with(Settings { address_rate: 30, ..Settings::default() });
    let text = field("text", &spoilt());
    let [first, second] = [(); 2].map(|()| send(&server, &text));
    assert_eq!([first.status, second.status], [200, 200]);
    let paused = "The search for likely games was skipped";
    assert!(first.text().contains("0b0 instead of 0bO") && !first.text().contains(paused), "{}", first.text());
    assert!(second.text().contains(paused) && second.text().contains("status rejected"), "{}", second.text());
    let server = Server::with(Settings { address_rate: 30, ..Settings::default() });
    let good = field("text", &game("Ana", "Beto"));
    assert_eq!([(); 5].map(|()| send(&server, &good).status), [200; 5], "a verified record has no search");
}

#[test]
fn two_sheets_stand_side_by_side() {
    let server = Server::start();
    let text = field("text", &[spoilt(), torn()].join("\n"));
    let found = page(&server, "en", text.clone());
    let (_, merged) = found.split_once("id=\"merged\"").expect("the merged game");
    let (merged, _) = merged.split_once("</section>").expect("its end");
    assert!(merged.contains("Plies: 4 · all sheets agree: 2 · disputed: 2"), "{merged}");
    assert!(merged.contains("<code>0bO</code>"), "{merged}");
    let taken = [&*text, &field("take", "merged")].join("&");
    assert!(boxed(&page(&server, "en", taken)).contains("[%sheet 3 1 0bO]"));
    let two = page(&server, "en", field("text", &[spoilt(), game("Carla", "Dora")].join("\n")));
    assert!(!two.contains("id=\"merged\""), "{two}");
}
