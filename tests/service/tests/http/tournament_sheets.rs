//! The sheets of a tournament on the pages of its organiser: a pile of files with the board of each record, and contradicting
//! sheets of a board side by side.

use quipu_archive::store::TokenRefusal;
use quipu_options::Scope;
use quipu_tests_service::server::Response;
use serde_json::json;

use super::{
    organiser::{FORM, Organiser},
    pages::{BROWSER, attributes, check, plain},
    sheets::workbook,
    tournaments::won,
};

const MULTIPART: &str = "multipart/form-data; boundary=x";

/// A cup with a paired round, and the names on its boards, side 1 first.
struct Cup {
    organiser: Organiser,
    /// A token that submits records and organises.
    token: String,
    boards: [[String; 2]; 2],
}

impl Cup {
    fn new() -> Self {
        Self::of(Organiser::paired())
    }

    fn of(organiser: Organiser) -> Self {
        let made = organiser.server.store.write(|writing| -> Result<String, TokenRefusal> {
            Ok(writing.add_token("mesa", &[Scope::RecordsWrite, Scope::EventsAdmin], None)?.1.reveal())
        });
        let token = made.wait().expect("a token");
        let round = organiser.server.get(&format!("/v1{}/rounds/1", organiser.path)).json();
        let boards = [0, 1].map(|board| {
            [0, 1].map(|player| round["boards"][board]["players"][player].as_str().expect("a name").to_owned())
        });
        Self { organiser, token, boards }
    }

    /// A game of a board that side 1 wins.
    fn won(&self, board: usize) -> String {
        won(1, self.boards[board].each_ref().map(String::as_str))
    }

    /// The answer to files and fields.
    fn sent(&self, files: &[(&str, &[u8])], fields: &[(&str, &str)]) -> Response {
        let mut body = Vec::new();
        let mut part = |head: String, value: &[u8]| {
            body.extend(format!("--x\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes());
            body.extend([value, b"\r\n"].concat());
        };
        for (name, value) in fields {
            part(format!("name=\"{name}\""), value.as_bytes());
        }
        for (name, value) in files {
            part(format!("name=\"files\"; filename=\"{name}\""), value);
        }
        body.extend(b"--x--\r\n");
        let path = format!("{}/files", self.organiser.path);
        let ask = self.organiser.server.ask("POST", &path).header("Accept", BROWSER).header("Accept-Language", "en");
        ask.body(MULTIPART, body).send()
    }

    /// The page about files.
    #[track_caller]
    fn checked(&self, files: &[(&str, &str)]) -> String {
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        let response = self.sent(&files, &[("do", "check")]);
        check("a pile", &response, 200, "en");
        response.text().to_owned()
    }

    /// The answer to the form of a page, with some of its boxes.
    fn store(&self, page: &str, token: &str, boxes: &[&str], reason: &str) -> Response {
        let (kept, offered) = (hidden(page, "sheet"), hidden(page, "offered"));
        let mut fields = vec![("do", "store"), ("token", token), ("reason", reason)];
        fields.extend(kept.iter().map(|kept| ("sheet", kept.as_str())));
        fields.extend(offered.iter().map(|offered| ("offered", offered.as_str())));
        fields.extend(boxes.iter().map(|chosen| ("store", *chosen)));
        self.sent(&[], &fields)
    }

    /// The page after the boxes of a page that are checked.
    #[track_caller]
    fn stored(&self, page: &str) -> String {
        let chosen = boxes(page, true);
        let response = self.store(page, &self.token, &chosen.iter().map(String::as_str).collect::<Vec<_>>(), "");
        check("stored", &response, 200, "en");
        response.text().to_owned()
    }

    fn count(&self) -> usize {
        let list = self.organiser.server.get("/v1/records?limit=200").json();
        list["items"].as_array().expect("a list").len()
    }
}

/// The values of hidden fields.
fn hidden(page: &str, name: &str) -> Vec<String> {
    let inputs = page.split("<input").skip(1).filter_map(|rest| rest.split('>').next());
    inputs
        .filter(|tag| tag.contains(&format!("type=\"hidden\" name=\"{name}\"")))
        .flat_map(|tag| attributes(tag, "value"))
        .collect()
}

/// The boxes of a page, those that are checked or those that are not.
fn boxes(page: &str, are_checked: bool) -> Vec<String> {
    let inputs = page.split("<input").skip(1).filter_map(|rest| rest.split('>').next());
    let boxes = inputs.filter(|tag| tag.contains("name=\"store\"") && tag.contains(" checked") == are_checked);
    boxes.flat_map(|tag| attributes(tag, "value")).collect()
}

/// The values of boxes without the ids of their records.
fn seen(boxes: &[String]) -> Vec<&str> {
    boxes.iter().map(|value| value.split_once(' ').expect("an id").1).collect()
}

/// The text of a row of the table, by a text in it.
#[track_caller]
fn row<'p>(page: &'p str, text: &str) -> &'p str {
    page.split("<tr").skip(1).find(|row| row.contains(text)).unwrap_or_else(|| panic!("no {text} in {page}"))
}

#[test]
fn a_pile_finds_its_boards_and_is_stored() {
    let cup = Cup::new();
    let (one, two) = (cup.won(0), cup.won(1));
    let json = json!({ "game": "andes", "event": "Copa", "round": "1", "moves": ["0a1"] }).to_string();
    let page = cup.checked(&[("uno.quipu", &one), ("dos.txt", &two), ("abierta.json", &json), ("nada.txt", " ")]);
    assert_eq!(cup.count(), 0, "nothing is stored");
    assert!(page.contains("Records: 3. With a board: 2."), "{page}");
    let names = cup.boards[0].join(" – ");
    let first = row(&page, "uno.quipu · 1");
    assert!(first.contains("verified") && first.contains("Round 1, board 1") && first.contains(&names), "{first}");
    assert!(first.contains(&format!("{}/rounds/1/boards/1", cup.organiser.path)), "{first}");
    assert!(row(&page, "abierta.json").contains("The record is "), "{page}");
    assert!(page.contains("nada.txt: "), "{page}");
    assert_eq!(seen(&boxes(&page, true)), ["1-1-1", "1-2-1"]);
    for expected in ["Stored: 2. Already there: 0. Not stored: 0.", "Stored: 0. Already there: 2. Not stored: 0."] {
        assert!(cup.stored(&page).contains(expected), "{page}");
    }
    assert_eq!(cup.count(), 2);
    let round = cup.organiser.page("/rounds/1");
    assert!(round.contains("open, all results are there"), "{round}");
    // The text is stored as it was sent.
    let again = cup.checked(&[("otra vez.quipu", &one)]);
    assert!(row(&again, "otra vez").contains("Already there") && boxes(&again, true).is_empty(), "{again}");
}

#[test]
fn texts_and_workbooks_of_several_records() {
    let cup = Cup::new();
    let both = [cup.won(0), cup.won(1)].join("\n");
    let page = cup.checked(&[("copa.quipu", &both)]);
    assert!(page.contains("copa.quipu · 1") && page.contains("copa.quipu · 2"), "{page}");
    let page = cup.sent(&[("libro.xlsx", &workbook(&both))], &[("do", "check")]);
    assert!(page.text().contains("libro.xlsx · ") && page.text().contains("With a board: 2."), "{}", page.text());
    assert!(cup.stored(page.text()).contains("Stored: 2."), "a workbook");
    // The same record twice is one row.
    let page = cup.checked(&[("a.quipu", &both), ("b.quipu", &cup.won(0))]);
    assert!(page.contains("Records that were in this list already: 1."), "{page}");
}

#[test]
fn reasons_why_a_record_fits_no_board() {
    let cup = Cup::new();
    let one = cup.won(0);
    let [first, second] = &cup.boards[0];
    let swapped = won(1, [second, first]);
    let other = won(1, [first, &cup.boards[1][0]]);
    for (text, reason) in [
        (one.replace("\"Copa\"", "\"Liga\""), "The record says the event “Liga”"),
        (one.replace("Round \"1\"", "Round \"2\""), "which is not paired"),
        (swapped, "does not have side 1"),
        (other, "In round 1, "),
        (won(1, [first, "Eva Paz"]), "“Eva Paz” is not in the tournament."),
        (one.replace("0D0C", "0D0Z"), "The record is "),
        (one.replacen("[Round", "[Board \"2\"]\n[Round", 1), "The record says board “2”"),
    ] {
        let page = cup.checked(&[("a.quipu", &text)]);
        assert!(plain(&page).contains(reason), "{reason}: {page}");
        assert!(boxes(&page, true).is_empty() && boxes(&page, false).is_empty(), "{page}");
    }
    // A rejected record says why, and is opened in detail.
    let page = cup.checked(&[("a.quipu", &one.replace("0D0C", "9z9"))]);
    assert!(page.contains("formaction=\"/check\"") && page.contains("/rules/"), "{page}");
}

#[test]
fn other_records_and_results_of_the_game_are_named() {
    let cup = Cup::new();
    let one = cup.won(0);
    let id = quipu_referee::report::hex(&cup.organiser.server.keep(one.as_bytes())[0]);
    let same = one.replacen("[Round", "[Site \"Lima\"]\n[Round", 1);
    let contradicting = one.replace("0D0C", "0D0E");
    let page = cup.checked(&[("same.quipu", &same), ("other.quipu", &contradicting)]);
    let same = row(&page, "same.quipu · 1");
    assert!(same.contains("Another stored record agrees:") && same.contains(&id), "{same}");
    assert!(same.contains("Another one in this list contradicts it:"), "{same}");
    let other = row(&page, "other.quipu · 1<br>");
    assert!(other.contains("Another stored record contradicts it:"), "{other}");
    // The arbiter's result.
    let form = cup.organiser.open("/rounds/1/results").with(&[("result-2-1", "1")]).press("save");
    form.done();
    let page = cup.checked(&[("two.quipu", &cup.won(1))]);
    assert!(page.contains("The arbiter wrote another result."), "{page}");
}

#[test]
fn missing_tags_are_added_only_if_they_are_chosen() {
    let cup = Cup::new();
    let bare = cup.won(0).replace("[Event \"Copa\"]\n", "").replace("[Round \"1\"]\n", "");
    let page = cup.checked(&[("a.quipu", &bare)]);
    assert!(boxes(&page, true).is_empty(), "{page}");
    let chosen = boxes(&page, false);
    assert_eq!(seen(&chosen), ["1-1-1 Event=Copa;Round=1"]);
    assert!(plain(&page).contains("store with [Event \"Copa\"] [Round \"1\"]"), "{page}");
    assert!(plain(&page).contains("[%added Round 1]"), "the text that would be stored");
    for expected in ["Stored: 1.", "Already there: 1."] {
        let response = cup.store(&page, &cup.token, &[&chosen[0]], "");
        assert!(response.text().contains(expected), "{}", response.text());
    }
    let list = cup.organiser.server.get("/v1/records").json();
    let id = list["items"][0]["id"].as_str().expect("an id");
    let text = cup.organiser.server.ask("GET", &format!("/v1/records/{id}")).header("Accept", "text/plain").send();
    assert!(text.text().contains("[Round \"1\"]") && text.text().contains("[%repaired quipu "), "{}", text.text());
    assert!(cup.organiser.page("/rounds/1").contains(&format!("/records/{id}")));
    // A proposal that is no longer that of the page is not stored.
    let other = cup.store(&page, &cup.token, &[&chosen[0].replace(" 1-1-1", " 1-2-1")], "");
    assert!(other.text().contains("its board has changed meanwhile"), "{}", other.text());
}

#[test]
fn a_name_that_is_spelled_differently_is_merged() {
    let cup = Cup::new();
    let [first, second] = &cup.boards[0];
    let wrong = second.replace('z', "s").replace('u', "ú");
    let page = cup.checked(&[("a.quipu", &won(1, [first, &wrong]))]);
    let chosen = boxes(&page, false);
    assert_eq!(seen(&chosen), [format!("1-1-1 {wrong}={second}")], "{page}");
    let store = |token: &str, reason: &str| cup.store(&page, token, &[&chosen[0]], reason);
    assert!(Organiser::refused(&store(&cup.token, ""), 409).contains("needs a reason"));
    // Names are merged with the scope for it.
    let writer = cup.organiser.server.token(Scope::RecordsWrite);
    assert!(Organiser::refused(&store(&writer, "x"), 403).contains("events:admin"));
    assert_eq!(cup.count(), 0);
    let response = store(&cup.token, "one person");
    assert!(response.text().contains("Stored: 1."), "{}", response.text());
    assert!(cup.organiser.page("/rounds/1").contains("1–0"));
    let changes = cup.organiser.server.get("/v1/changes?limit=200");
    assert!(changes.text().contains("\"merge\"") && changes.text().contains("one person"), "{}", changes.text());
    assert!(store(&cup.token, "one person").text().contains("Already there: 1."));
    assert!(cup.organiser.server.store.check(|_| (), |fault| panic!("{fault:?}")).is_ok());
}

#[test]
fn a_pile_that_is_refused_stays_in_its_form() {
    let cup = Cup::new();
    let page = cup.checked(&[("uno.quipu", &cup.won(0)), ("dos.quipu", &cup.won(1))]);
    let all: Vec<_> = boxes(&page, true);
    let all: Vec<_> = all.iter().map(String::as_str).collect();
    for (token, status, said) in [
        (String::new(), 401, "Type your token"),
        ("wrong".to_owned(), 401, "not valid"),
        (cup.organiser.server.token(Scope::EventsAdmin), 403, "records:write"),
    ] {
        let response = cup.store(&page, &token, &all, "");
        assert!(Organiser::refused(&response, status).contains(said), "{token}");
        assert_eq!(hidden(response.text(), "sheet"), hidden(&page, "sheet"));
    }
    assert!(Organiser::refused(&cup.store(&page, &cup.token, &[], ""), 409).contains("No record is chosen"));
    assert!(Organiser::refused(&cup.sent(&[], &[("do", "check")]), 409).contains("at least one file"));
    assert!(Organiser::refused(&cup.sent(&[], &[]), 409).contains("Press one of the buttons"));
    assert_eq!(cup.sent(&[], &[("do", "check"), ("sheet", "x")]).status, 400);
    assert_eq!(cup.count(), 0);
}

#[test]
fn the_record_that_is_chosen_is_stored() {
    let cup = Cup::new();
    // The page has no room for the first one.
    let long = "a".repeat(3_000);
    let filler = |number: usize| format!("[Annotator \"{long}\"]\n[Site \"{number}\"]\n[Round");
    let many: Vec<_> = (0..400).map(|number| cup.won(1).replacen("[Round", &filler(number), 1)).collect();
    let (one, other) = (cup.won(0), cup.won(0).replace("0D0C", "0D0E"));
    let page = cup.checked(&[("many.quipu", &many.join("\n")), ("one.quipu", &one), ("other.quipu", &other)]);
    assert!(hidden(&page, "sheet").len() < 402, "{}", hidden(&page, "sheet").len());
    let box_of = |name: &str| boxes(row(&page, name), true).pop().expect("a box");
    let response = cup.store(&page, &cup.token, &[&box_of("one.quipu")], "");
    assert!(response.text().contains("Stored: 1. Already there: 0. Not stored: 0."), "{}", response.text());
    let list = cup.organiser.server.get("/v1/records").json();
    assert_eq!(list["items"][0]["id"], box_of("one.quipu").split(' ').next().expect("an id"), "{list}");
}

#[test]
fn boxes_stay_as_they_were_after_a_refusal() {
    let cup = Cup::new();
    let bare = cup.won(0).replace("[Round \"1\"]\n", "");
    let page = cup.checked(&[("uno.quipu", &cup.won(1)), ("dos.quipu", &bare)]);
    let (fits, proposed) = (boxes(&page, true), boxes(&page, false));
    assert_eq!((fits.len(), proposed.len()), (1, 1), "{page}");
    let response = cup.store(&page, "", &[&proposed[0]], "");
    assert!(Organiser::refused(&response, 401).contains("Type your token"));
    assert_eq!((boxes(response.text(), true), boxes(response.text(), false)), (proposed, fits));
}

#[test]
fn a_token_for_a_board_stores_only_its_records() {
    let cup = Cup::new();
    let token = limited(&cup, json!({ "round": 1, "board": 1 }), &["records:write", "events:admin"]);
    let page = cup.checked(&[("uno.quipu", &cup.won(0)), ("dos.quipu", &cup.won(1))]);
    let chosen = boxes(&page, true);
    let response = cup.store(&page, &token, &chosen.iter().map(String::as_str).collect::<Vec<_>>(), "");
    assert!(response.text().contains("Stored: 1. Already there: 0. Not stored: 1."), "{}", response.text());
    assert!(row(response.text(), "dos.quipu").contains("limited to a tournament or a board"), "{}", response.text());
}

/// A token that is limited to the tournament, or to a part of it.
fn limited(cup: &Cup, part: serde_json::Value, scopes: &[&str]) -> String {
    let keys = cup.organiser.server.token(Scope::Admin);
    let mut limit = part;
    limit["tournament"] = json!(cup.organiser.path.rsplit('/').next().expect("it").parse::<u64>().expect("a number"));
    let body = json!({ "name": format!("limited {}", scopes.len()), "scopes": scopes, "limit": limit });
    let made = cup.organiser.server.ask("POST", "/v1/tokens").token(&keys).json(&body).send();
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["token"].as_str().expect("a token").to_owned()
}

#[test]
fn the_limits_of_a_pile() {
    let cup = Cup::new();
    let files: Vec<_> = (0..201).map(|number| (format!("{number}.txt"), cup.won(0))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    assert!(Organiser::refused(&cup.sent(&files, &[("do", "check")]), 413).contains("at most 200 files"));
    assert_eq!(cup.sent(&files[1..], &[("do", "check")]).status, 200);
    let game = |number: usize| cup.won(0).replacen("[Round", &format!("[Site \"{number}\"]\n[Round"), 1);
    let many = |count: usize| (0..count).map(game).collect::<Vec<_>>().join("\n");
    let most = cup.sent(&[("a.quipu", many(500).as_bytes())], &[("do", "check")]);
    assert_eq!(most.status, 200);
    // All are of one game: each names three others.
    let named = |text: &str| most.text().matches(text).count();
    assert_eq!(named("Another one in this list agrees:"), 1_500);
    assert_eq!(named("Further records of this game: 496."), 500);
    let over = cup.sent(&[("a.quipu", many(501).as_bytes())], &[("do", "check")]);
    assert!(Organiser::refused(&over, 413).contains("at most 500 records"));
    // Records for which the page has no room are shown, and not kept.
    let long =
        |number: usize| game(number).replacen("[Round", &format!("[Annotator \"{}\"]\n[Round", "a".repeat(3_000)), 1);
    let page = cup.checked(&[("largo.quipu", &(0..400).map(long).collect::<Vec<_>>().join("\n"))]);
    assert!((300..399).contains(&hidden(&page, "sheet").len()), "{}", hidden(&page, "sheet").len());
    assert!(page.contains("Too large for this page"), "{}", page.len());
}

#[test]
fn forms_with_too_many_fields() {
    let cup = Cup::new();
    let many = "a&".repeat(20_000);
    for path in ["/files", BOARD, "/organise"] {
        let ask = cup.organiser.server.ask("POST", &format!("{}{path}", cup.organiser.path));
        assert_eq!(ask.header("Accept", BROWSER).body(FORM, many.clone()).send().status, 400, "{path}");
    }
    assert_eq!(cup.sent(&[], &vec![("a", ""); 20_000]).status, 400);
}

#[test]
fn a_leg_is_not_proposed_if_the_arbiter_wrote_the_result_of_another() {
    let organiser = Organiser::of("4").enter();
    organiser.pair(&[]);
    let cup = Cup::of(organiser);
    assert!(boxes(&cup.checked(&[("a.quipu", &cup.won(0))]), false).is_empty());
    cup.organiser.open("/rounds/1/results").with(&[("result-1-1", "1")]).press("save").done();
    let page = cup.checked(&[("a.quipu", &cup.won(0))]);
    assert!(boxes(&page, false).is_empty() && page.contains("Add the tag Leg."), "{page}");
    // If the other has a record, one game alone can be meant.
    let kept = cup.won(0).replacen("[Round", "[Leg \"1\"]\n[Round", 1);
    cup.organiser.server.keep(kept.as_bytes());
    let page = cup.checked(&[("a.quipu", &cup.won(0).replace("0D0C", "0D0E"))]);
    assert_eq!(seen(&boxes(&page, false)), ["1-1-3 Leg=3"], "{page}");
}

#[test]
fn a_workbook_costs_more_than_a_page() {
    let organiser = Organiser::with("single", 70);
    let files = ["workbook.xlsx?lang=es", "workbook.xlsx?lang=en", "crosstable.pdf?lang=es", "crosstable.pdf?lang=en"];
    let get = |file: &str| organiser.server.get(&format!("/v1{}/{file}", organiser.path)).status;
    let statuses = files.map(get);
    assert_eq!((statuses[0], statuses[3]), (200, 429), "{statuses:?}");
}

/// A cup with two contradicting sheets on board 1, and their ids.
fn contradicted() -> (Cup, [String; 2]) {
    let cup = Cup::new();
    let [one, two] = [cup.won(0), cup.won(0).replace("0D0C", "0D0E")];
    let ids = [one, two].map(|text| quipu_referee::report::hex(&cup.organiser.server.keep(text.as_bytes())[0]));
    (cup, ids)
}

const BOARD: &str = "/rounds/1/boards/1";

#[test]
fn contradicting_sheets_are_side_by_side() {
    let (cup, ids) = contradicted();
    let round = cup.organiser.page("/rounds/1");
    assert!(round.contains("Compare the sheets"), "{round}");
    let page = cup.organiser.page(BOARD);
    assert!(ids.iter().all(|id| page.contains(&format!("/records/{id}"))), "{page}");
    assert!(page.contains("contradict each other, and none counts"), "{page}");
    assert!(page.contains("<a href=\"#ply-1-4\">4</a>") && page.contains("<mark><code>0D0E</code></mark>"), "{page}");
    assert!(!page.contains("<mark><code>0a1"), "{page}");
    assert!(page.contains("The game that explains these sheets"), "{page}");
    let empty = cup.organiser.page("/rounds/1/boards/2");
    assert!(empty.contains("This board has no records."), "{empty}");
    for path in ["/rounds/1/boards/3", "/rounds/2/boards/1"] {
        assert_eq!(cup.organiser.server.get(&format!("{}{path}", cup.organiser.path)).status, 404, "{path}");
    }
}

#[test]
fn all_sheets_that_contradict_each_other_are_shown() {
    let (cup, ids) = contradicted();
    // Many earlier ones agree with the first.
    for number in 0..40 {
        let copy = cup.won(0).replacen("[Round", &format!("[Site \"{number}\"]\n[Round"), 1);
        cup.organiser.server.keep(copy.as_bytes());
    }
    let late = cup.won(0).replace("0D0C", "0D0E").replace("0a1", "0a2");
    let late = quipu_referee::report::hex(&cup.organiser.server.keep(late.as_bytes())[0]);
    let page = cup.organiser.page(BOARD);
    for id in ids.iter().chain([&late]) {
        assert!(page.contains(&format!("\"keep {id}\"")), "{page}");
    }
    assert!(page.contains("Some records are not shown"), "{page}");
    // Those that are not shown contradict the one that is to count, until they are decided too.
    let decide = || cup.organiser.open(BOARD).with(&[("reason", "x")]).press(&format!("keep {late}")).done();
    assert!(decide().contains("others still contradict each other"));
    assert!(decide().contains("Settled."));
    let round = cup.organiser.page("/rounds/1");
    assert!(round.contains(&format!("/records/{late}\"><span class=\"result\">1–0")), "{round}");
}

#[test]
fn a_merged_game_is_proposed_for_one_leg_at_a_time() {
    let organiser = Organiser::of("two-legs").enter();
    organiser.pair(&[]);
    let cup = Cup::of(organiser);
    let [one, two] = cup.boards[0].each_ref().map(String::as_str);
    for (leg, players) in [("1", [one, two]), ("2", [two, one])] {
        let sheet = won(1, players).replacen("[Round", &format!("[Leg \"{leg}\"]\n[Round"), 1);
        cup.organiser.server.keep(sheet.as_bytes());
        cup.organiser.server.keep(sheet.replace("0D0C", "0D0E").as_bytes());
    }
    let page = cup.organiser.page(BOARD);
    assert_eq!(page.matches("contradict each other, and none counts").count(), 2, "{page}");
    assert!(page.contains("\"merge 0\"") && !page.contains("\"merge 1\""), "{page}");
    assert!(!page.contains("cannot be merged"), "{page}");
    assert_eq!(page.matches("once the game before it is settled").count(), 1, "{page}");
}

#[test]
fn a_record_that_begins_to_fit_is_ticked() {
    let organiser = Organiser::of("single").enter();
    let cup = Cup { token: String::new(), boards: Default::default(), organiser };
    // One of them has the sides that will be drawn by lot.
    let games = [["Rosa Quispe", "Ana Ruiz"], ["Ana Ruiz", "Rosa Quispe"]].map(|names| won(1, names));
    let page = cup.checked(&[("a.quipu", &games[0]), ("b.quipu", &games[1])]);
    assert!(boxes(&page, true).is_empty() && hidden(&page, "offered").is_empty(), "{page}");
    cup.organiser.pair(&[]);
    let sheets = hidden(&page, "sheet");
    let sheets = sheets.iter().map(|sheet| ("sheet", sheet.as_str()));
    let page = cup.sent(&[], &[("do", "check")].into_iter().chain(sheets).collect::<Vec<_>>()).text().to_owned();
    assert_eq!(boxes(&page, true).len(), 1, "{page}");
}

#[test]
fn a_sheet_is_decided_to_count_and_that_is_undone() {
    let (cup, [one, two]) = contradicted();
    let keep = format!("keep {one}");
    let form = cup.organiser.open(BOARD).with(&[("author", "Eva Ríos")]).press(&keep);
    assert!(Organiser::refused(&form.send(), 409).contains("needs a reason"));
    assert!(Organiser::refused(&form.send_without_token(), 401).contains("Type your token"));
    let form = form.with(&[("reason", "both players agree")]);
    assert!(form.done().contains("Settled."), "{BOARD}");
    // The same again, as after a lost connection.
    assert!(form.done().contains("no longer contradict each other"));
    let round = cup.organiser.page("/rounds/1");
    assert!(round.contains(&format!("/records/{one}\"><span class=\"result\">1–0")), "{round}");
    assert!(cup.organiser.server.get(&format!("/v1/records/{two}/history")).text().contains("\"retracted\""));
    let page = cup.organiser.page(BOARD);
    assert!(page.contains("Eva Ríos: both players agree") && page.contains(&format!("/records/{two}")), "{page}");
    let undo = attributes(&page, "value").into_iter().find(|value| value.starts_with("undo ")).expect("a button");
    let undo = cup.organiser.open(BOARD).with(&[("reason", "one of them does not")]).press(&undo);
    assert!(undo.done().contains("The change is undone."));
    assert!(undo.done().contains("It was undone before."));
    assert!(cup.organiser.page(BOARD).contains("none counts"));
    // The retracted one cannot count.
    let late = cup.organiser.open(BOARD).with(&[("reason", "x")]).press(&keep);
    cup.organiser.open(BOARD).with(&[("reason", "y")]).press(&format!("keep {two}")).done();
    assert!(Organiser::refused(&late.send(), 409).contains("have changed meanwhile"));
}

#[test]
fn of_two_decisions_at_once_one_is_refused() {
    let (cup, ids) = contradicted();
    let form = |id: &String| cup.organiser.open(BOARD).with(&[("reason", "x")]).press(&format!("keep {id}"));
    let forms = ids.each_ref().map(form);
    // The writer is busy until both forms have read the board.
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let busy = cup.organiser.server.store.write(move |_| -> Result<(), TokenRefusal> {
        let _ = released.lock().expect("a lock").recv();
        Ok(())
    });
    let mut statuses = std::thread::scope(|scope| {
        let sent = forms.each_ref().map(|form| scope.spawn(|| form.send().status));
        std::thread::sleep(std::time::Duration::from_millis(500));
        drop(release);
        sent.map(|sent| sent.join().expect("an answer"))
    });
    assert!(busy.wait().is_ok());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let round = cup.organiser.page("/rounds/1");
    assert_eq!(ids.iter().filter(|id| round.contains(id.as_str())).count(), 1, "{round}");
}

#[test]
fn a_decision_is_about_the_sheets_that_were_shown() {
    let (cup, [one, _]) = contradicted();
    let form = cup.organiser.open(BOARD).with(&[("reason", "x")]).press(&format!("keep {one}"));
    let third = cup.won(0).replace("0D0C", "0D0E").replace("0a1", "0a2");
    cup.organiser.server.keep(third.as_bytes());
    let merge = cup.organiser.open(BOARD).with(&[("reason", "x"), ("seen-0", "1 2")]).press("merge 0");
    for form in [form, merge] {
        assert!(Organiser::refused(&form.send(), 409).contains("have changed meanwhile"));
    }
    for (button, said) in
        [("", "Press one"), ("keep x", "Press one"), ("undo 1", "changed meanwhile"), ("merge 7", "changed")]
    {
        let form = cup.organiser.open(BOARD).with(&[("reason", "x")]).press(button);
        assert!(Organiser::refused(&form.send(), 409).contains(said), "{button}");
    }
}

#[test]
fn the_merged_game_is_stored_as_a_correction() {
    let (cup, ids) = contradicted();
    let page = cup.organiser.page(BOARD);
    assert!(page.contains("Store the merged game"), "{page}");
    // A move is chosen first, which decides nothing.
    let choice = attributes(&page, "value").into_iter().find(|value| value.starts_with("4 0D0")).expect("a choice");
    let token = choice.split_once(' ').expect("a move").1;
    let path = format!("{}{BOARD}", cup.organiser.path);
    let chosen = cup.organiser.send(&path, &[("choice", &choice)]);
    check("a choice", &chosen, 200, "en");
    let merge = cup.organiser.form(chosen.text()).with(&[("reason", "asked both"), ("author", "Eva")]).press("merge 0");
    assert!(merge.done().contains("Settled."));
    assert!(merge.done().contains("no longer contradict each other"));
    let round = cup.organiser.server.get(&format!("/v1{}/rounds/1", cup.organiser.path)).json();
    assert_eq!(round["misfits"], json!([]), "{round}");
    let record = round["boards"][0]["games"][0]["record"].as_str().expect("a record").to_owned();
    let text = cup.organiser.server.ask("GET", &format!("/v1/records/{record}")).header("Accept", "text/plain").send();
    assert!(text.text().contains(token), "{}", text.text());
    assert!(ids.contains(&record) || text.text().contains("[%merged quipu "), "{}", text.text());
}

#[test]
fn tokens_that_decide_nothing_about_a_board() {
    let (cup, [one, _]) = contradicted();
    let keep = format!("keep {one}");
    let seen = cup.organiser.open(BOARD).value("seen-0").to_owned();
    let path = format!("{}{BOARD}", cup.organiser.path);
    for (token, status) in [
        ("wrong".to_owned(), 401),
        (cup.organiser.server.token(Scope::RecordsWrite), 403),
        (limited(&cup, json!({ "round": 1, "board": 1 }), &["events:admin"]), 403),
        (limited(&cup, json!({}), &["events:admin", "records:write"]), 403),
    ] {
        let fields = [("token", token.as_str()), ("do", &keep), ("reason", "x"), ("seen-0", &seen)];
        let response = cup.organiser.send(&path, &fields);
        assert_eq!(response.status, status, "{token}");
    }
    assert!(cup.organiser.page(BOARD).contains("none counts"));
}
