//! The page that checks scoresheets: the text and the choices that stay, the formats, links to lines, replay, submission.
//!
//! Verdicts and readings on the page are tested in `pages.rs` and `repair.rs`; scripts, in `tests/service/tests/browser`.

use std::collections::BTreeSet;

use quipu_notation::record::Reader;
use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{
    bytes,
    program::run,
    server::{Response, Server},
};
use serde_json::Value;

use crate::{
    pages::{check, scoresheets::checked},
    repair::{boxed, field},
    sheets::workbook,
    submit::{BAD, OPEN, TEXT, UNREADABLE, changes, game},
};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data; boundary=x";

/// Sends the fields of the form.
fn sent(server: &Server, fields: &[(&str, &str)]) -> Response {
    let fields: Vec<_> = fields.iter().map(|(name, value)| field(name, value)).collect();
    checked(server, FORM, fields.join("&"))
}

/// The page for the fields of the form.
#[track_caller]
fn page(server: &Server, fields: &[(&str, &str)]) -> String {
    let response = sent(server, fields);
    check("/check", &response, 200, "en");
    response.text().to_owned()
}

/// The page for a chosen file, beside other fields.
#[track_caller]
fn page_of_file(server: &Server, file: &[u8], fields: &[(&str, &str)]) -> String {
    let part = |head: String, value: &[u8]| {
        [format!("--x\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes(), value, b"\r\n"].concat()
    };
    let mut body = part("name=\"file\"; filename=\"a\"".to_owned(), file);
    body.extend(fields.iter().flat_map(|(name, value)| part(format!("name=\"{name}\""), value.as_bytes())));
    body.extend(b"--x--\r\n");
    let response = checked(server, MULTIPART, body);
    check("/check", &response, 200, "en");
    response.text().to_owned()
}

/// The text in the box, without what it was escaped for.
fn text(page: &str) -> String {
    let text = boxed(page).replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}

/// The options that are selected.
fn selected(page: &str) -> Vec<&str> {
    let options = page.split("<option value=\"").skip(1).filter_map(|option| option.split_once('"'));
    options.filter(|(_, rest)| rest.starts_with(" selected>")).map(|(value, _)| value).collect()
}

#[test]
fn the_text_and_the_choices_stay_in_the_form() {
    let server = Server::start();
    for record in [BAD, OPEN, UNREADABLE, "\n\n  <b>&amp;\n", &*game("Ana & \u{fffd}", "Beto")] {
        assert_eq!(text(&page(&server, &[("text", record)])), record);
        // Browsers send each line break as two characters.
        assert_eq!(text(&page(&server, &[("text", &record.replace('\n', "\r\n"))])), record);
    }
    let choices = [("game", "querni"), ("format", "quipu"), ("encoding", "windows-1252")];
    let with_text = [&[("text", BAD)], &choices[..]].concat();
    assert_eq!(selected(&page(&server, &with_text)), ["querni", "quipu", "windows-1252"]);
    assert_eq!(selected(&page_of_file(&server, BAD.as_bytes(), &choices)), ["querni", "quipu", "windows-1252"]);
    // A text that is too long for the box.
    let long = game("Ana", "Beto").repeat(4000);
    let found = page(&server, &[("text", &long)]);
    assert!(found.contains("exceeds 256 KiB") && text(&found).is_empty());
    assert!(!found.contains("name=\"replay\"") && found.contains("choose the file again"));
    let changed = page(&server, &[("text", &game("Ana\u{202e}", "Beto"))]);
    assert!(changed.contains("characters that cannot be shown") && text(&changed).contains("Ana\u{fffd}"));
}

/// Text that cannot be judged stays in the box as well, with a sentence that says why.
#[test]
fn a_text_that_is_not_judged_stays_in_the_form() {
    let server = Server::with(Settings { max_records: 1, ..Settings::default() });
    let many = game("Ana", "Beto").repeat(2);
    for (record, status, said) in [("[]", 400, "The text contains no record."), (&*many, 413, "at most 1 records")] {
        let response = sent(&server, &[("text", record)]);
        check("/check", &response, status, "en");
        assert!(response.text().contains(said) && text(response.text()) == record, "{}", response.text());
    }
}

/// The id that the program gives to the one record of a file, with these options.
#[track_caller]
fn id_of_program(file: &[u8], options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sheet");
    std::fs::write(&path, file).expect("it is written");
    let path = path.display().to_string();
    let told = run(&[&["verify", "--json"], options, &[&path]].concat()).stdout;
    let verdict: Value = serde_json::from_str(told.lines().next().expect("a line")).expect("JSON");
    assert_eq!(verdict["status"], "verified", "{verdict}");
    verdict["id"].as_str().expect("an id").to_owned()
}

/// Cells as a spreadsheet copies them, tags in two cells, clocks as Excel shows them, other encodings, a workbook: the page
/// says what the program says, and has the text in its box.
#[test]
fn scoresheets_of_spreadsheets_are_read_as_by_the_program() {
    let server = Server::start();
    let cells =
        "Juego\tandes\nSol\tMuñoz, Ana\nLuna\tPeña, Luis\nResultado\t1-0\nNo.\tSol\tLuna\n1\t0a1\t0D0\n2\t0b0\t0D0C\n";
    let two_cells = "#Game;andes\n#Sol;Muñoz, Ana\n#Luna;Luis\n#Result;1-0\nn;sol;luna\n1;0a1;0D0\n2;0b0;0D0C\n";
    let clocks = "#Game\tandes\n#Result\t1-0\nn\tsol\tsol_clock\tluna\tluna_clock\n\
                  1\t0a1\t11:55.6\t0D0\t11:50.2\n2\t0b0\t11:40.0\t0D0C\t11:30\n";
    for sheet in [cells, two_cells, clocks] {
        let id = id_of_program(sheet.as_bytes(), &[]);
        for found in [page(&server, &[("text", sheet)]), page_of_file(&server, sheet.as_bytes(), &[])] {
            assert!(found.contains(&id), "{sheet}: {found}");
            assert_eq!(text(&found), sheet);
        }
    }
    let ansi: Vec<u8> = cells.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect();
    let wide: Vec<u8> = cells.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&[0xff, 0xfe][..], &wide].concat();
    for (file, encoding) in [(&ansi, "windows-1252"), (&wide, "utf-16le"), (&marked, "")] {
        let options = if encoding.is_empty() { vec![] } else { vec!["--encoding", encoding] };
        let id = id_of_program(file, &options);
        assert_eq!(id, id_of_program(cells.as_bytes(), &[]));
        let found = page_of_file(&server, file, &[("encoding", encoding)]);
        assert!(found.contains(&id), "{encoding}: {found}");
        assert_eq!(text(&found), cells);
    }
    // Without its encoding the file is unreadable, and the box shows how it reads in that of Excel.
    let guessed = page_of_file(&server, &ansi, &[]);
    assert!(guessed.contains("status unreadable") && guessed.contains("how it reads in Windows-1252"), "{guessed}");
    assert_eq!(text(&guessed), cells);
    assert!(page(&server, &[("text", &text(&guessed))]).contains("status verified"));
    assert_eq!(text(&page_of_file(&server, &wide, &[])), "", "half of its bytes are no letters");
}

#[test]
fn the_cells_of_a_workbook_are_in_the_box() {
    let server = Server::start();
    let file = workbook(&[game("Ana", "Beto"), game("Carla", "Dora").replace("0b0", "9z9")].concat());
    let found = page_of_file(&server, &file, &[]);
    assert!(found.contains("verified: 1 · rejected: 1") && found.contains("cell "), "{found}");
    assert_eq!(selected(&found), ["tsv"]);
    let corrected = text(&found).replace("9z9", "0b0");
    assert!(corrected.contains("\t0a1\t"), "{corrected}");
    let found = page(&server, &[("text", &corrected), ("format", "tsv")]);
    assert!(found.contains("Records checked: 2 · verified: 2"), "{found}");
}

#[test]
fn the_chosen_game_is_added_to_records_that_name_none() {
    let server = Server::start();
    let moves = "1. 0a1 0D0 2. 0b0 0D0C 1-0\n";
    let other = "[Game \"querni\"]\n[Result \"*\"]\n\n*\n";
    for (nameless, tag) in [
        (moves.to_owned(), "[Game \"andes\"]"),
        (format!("[Sol \"Ana\"]\n\n{moves}"), "[Game \"andes\"]"),
        ("n\tsol\tluna\n1\t0a1\t0D0\n2\t0b0\t0D0C\n\t1-0\n".to_owned(), "#Game: andes"),
        (r#"{"moves": ["0a1", "0D0", "0b0", "0D0C"], "result": "1-0"}"#.to_owned(), r#""game": "andes""#),
    ] {
        let found = page(&server, &[("text", &nameless)]);
        assert!(found.contains("The tag Game is missing") && text(&found) == nameless, "{found}");
        assert!(found.contains("Choose the game below the text") && !found.contains("Likely games"), "{found}");
        let found = page(&server, &[("text", &nameless), ("game", "andes")]);
        assert!(found.contains("status verified"), "{nameless}: {found}");
        assert!(found.contains("The game Andes was added to the records that do not name one: 1."), "{found}");
        assert_eq!(text(&found).matches(tag).count(), 1, "{found}");
        // The corrected text stands by itself.
        assert!(page(&server, &[("text", &text(&found))]).contains("status verified"), "{nameless}");
        let of_file = page_of_file(&server, nameless.as_bytes(), &[("game", "andes")]);
        assert_eq!(text(&of_file), text(&found));
    }
    let found = page(&server, &[("text", other), ("game", "andes")]);
    assert!(text(&found) == other && !found.contains("was added"), "{found}");
    let both = [moves, other].join("\n");
    let found = page(&server, &[("text", &both), ("game", "andes")]);
    assert!(found.contains("do not name one: 1.") && text(&found).contains(other), "{found}");
}

#[test]
fn the_chosen_format_decides() {
    let server = Server::start();
    let (record, sheet) = (game("Ana", "Beto"), "#Game: andes\nn,sol,luna\n1,0a1,0D0\n2,0b0,0D0C\n,1-0\n");
    for (text, format, status) in [
        (&*record, "quipu", "verified"),
        (&record, "csv", "rejected"),
        (&record, "json", "unreadable"),
        (sheet, "csv", "verified"),
        (sheet, "tsv", "verified"),
        (sheet, "quipu", "rejected"),
        (sheet, "otg", "unreadable"),
        (r#"{"game": "andes", "moves": []}"#, "ndjson", "incomplete"),
    ] {
        let found = page(&server, &[("text", text), ("format", format)]);
        assert!(found.contains(&format!("status {status}")), "{format}: {found}");
    }
}

#[test]
fn findings_lead_to_their_lines() {
    let server = Server::start();
    let found = page(&server, &[("text", &[BAD, UNREADABLE].join("\n"))]);
    for line in [4, 9] {
        assert!(found.contains(&format!("href=\"#line-{line}\" data-line=\"{line}\">line {line}, ")), "{found}");
        assert_eq!(found.matches(&format!("id=\"line-{line}\"")).count(), 1, "{found}");
    }
}

#[test]
fn an_ordinary_pile_is_a_small_page() {
    let server = Server::start();
    let mut reader = Reader::new(bytes("andes/cup.quipu").leak() as &[u8]);
    let mut pile = String::new();
    for number in 0..20 {
        let chunk = reader.next_chunk().expect("memory does not fail").expect("there are as many");
        let text = str::from_utf8(chunk.text()).expect("UTF-8");
        // Every fifth is refused in its middle.
        pile += &if number % 5 == 0 { text.replacen("\n8. ", "\n8. 9z9 ", 1) } else { text.to_owned() };
    }
    let found = page(&server, &[("text", &pile)]);
    assert!(found.contains("Records checked: 20 · verified: 16 · rejected: 4"), "{found}");
    assert_eq!(text(&found), pile);
    assert!(found.len() < 120 * 1024, "{} bytes, {} of them the text", found.len(), pile.len());
    let replayed = page(&server, &[("text", &pile), ("replay", "2 20")]);
    assert!(replayed.len() < 120 * 1024, "{} bytes", replayed.len());
}

/// The plies of the buttons with which a game is stepped through, the first on the page being that of the start.
fn steps(page: &str) -> Vec<String> {
    let buttons = page.split("name=\"replay\" value=\"").skip(1).filter_map(|button| button.split_once('"'));
    buttons.map(|(value, _)| value.to_owned()).take(4).collect()
}

#[test]
fn every_judged_record_is_replayed_on_a_board() {
    let server = Server::start();
    let text = [&*game("Ana", "Beto"), BAD, OPEN, UNREADABLE].join("\n");
    let result = page(&server, &[("text", &text)]);
    for button in ["1 4", "2 1", "3 1"] {
        assert!(result.contains(&format!("name=\"replay\" value=\"{button}\"")), "{button}: {result}");
    }
    assert!(!result.contains("name=\"replay\" value=\"4"), "{result}");
    for (at, now, buttons) in [
        ("1 0", "Start position", ["1 0", "1 0", "1 1", "1 4"]),
        ("1 3", "Ply 3 of 4: Sol 0b0", ["1 0", "1 2", "1 4", "1 4"]),
        ("1 4", "Ply 4 of 4: Luna 0D0C · ended by", ["1 0", "1 3", "1 4", "1 4"]),
        ("1 99", "Ply 4 of 4: Luna 0D0C", ["1 0", "1 3", "1 4", "1 4"]),
        ("2 1", "Ply 1 of 1: Sol 0d3", ["2 0", "2 0", "2 1", "2 1"]),
        ("3 1", "Ply 1 of 1: Sol 0d3", ["3 0", "3 0", "3 1", "3 1"]),
    ] {
        let found = page(&server, &[("text", &text), ("replay", at), ("format", "quipu")]);
        assert!(found.contains(now), "{at}: {found}");
        assert_eq!(steps(&found), buttons, "{at}");
        assert!(found.contains("<img src=\"data:image/svg+xml;base64,"), "{at}: {found}");
        assert_eq!((self::text(&found), selected(&found)), (text.clone(), vec!["quipu"]), "the form is there");
        assert_eq!(found.contains("Ply 2 was rejected:"), at.starts_with('2'), "{at}");
    }
    for nothing in ["4 0", "9 0"] {
        let found = page(&server, &[("text", &text), ("replay", nothing)]);
        assert!(found.contains("This game cannot be replayed") && found.contains("Records checked: 4"), "{found}");
    }
    // Clocks and points of a game that has them.
    let cup = String::from_utf8(bytes("andes/cup.quipu")).expect("UTF-8");
    let cup = &cup[..cup.find("\n\n[Game").expect("a second game")];
    let found = page(&server, &[("text", cup), ("replay", "1 2")]);
    assert!(found.contains("0:11:51.454") && found.contains("0:11:45.838"), "{found}");
}

/// Ids, sources and states of all records of an archive.
fn archived(server: &Server) -> BTreeSet<(String, Vec<u8>)> {
    let list = server.get("/v1/records?limit=200").json();
    let ids =
        list["items"].as_array().expect("a list").iter().map(|item| item["id"].as_str().expect("an id").to_owned());
    ids.map(|id| (id.clone(), server.get(&format!("/v1/records/{id}/source")).body)).collect()
}

/// A pile is submitted from the page: the archive has what it has after `POST /v1/records`, and the box the others.
#[test]
fn verified_records_are_submitted_from_the_page() {
    let [server, other] = [(); 2].map(|()| Server::start());
    let token = server.token(Scope::RecordsWrite);
    let pile = [&*game("Ana", "Beto"), BAD, &game("Carla", "Dora"), OPEN, UNREADABLE, &game("Ana", "Beto")].join("\n");
    let submit = |fields: &[(&str, &str)]| {
        let found = page(&server, &[fields, &[("token", &token)]].concat());
        assert!(!found.contains(&token), "the token is not shown: {found}");
        found
    };
    let found = submit(&[("text", &pile.replace('\n', "\r\n")), ("submit", "all")]);
    assert!(found.contains("New in the archive: 2 · already there: 1 · not submitted: 3"), "{found}");
    let by_api = other.ask("POST", "/v1/records").token(&other.token(Scope::RecordsWrite)).body(TEXT, &*pile).send();
    assert_eq!(by_api.status, 200);
    assert_eq!(archived(&server), archived(&other));
    let id = server.get("/v1/records").json()["items"][0]["id"].as_str().expect("an id").to_owned();
    assert!(found.contains(&format!("href=\"/records/{id}\">")), "{found}");
    let record = server.ask("GET", &format!("/records/{id}")).header("Accept-Language", "en").send();
    assert!(record.text().contains("Submitted by records:write 0"), "{}", record.text());
    // The others are in the box, each with the reason.
    assert!(found.contains("Records checked: 3 · incomplete: 1 · rejected: 1 · unreadable: 1"), "{found}");
    assert!(!text(&found).contains("Carla") && text(&found).contains("1. 0d3 {open"), "{found}");
    assert_eq!(found.matches("class=\"found error\"").count(), 2, "{found}");
    // Submitting again changes nothing.
    let before = changes(&server);
    let found = submit(&[("text", &pile), ("submit", "all")]);
    assert!(found.contains("New in the archive: 0 · already there: 3 · not submitted: 3"), "{found}");
    assert_eq!(changes(&server), before);
}

#[test]
fn one_record_of_a_pile_is_submitted() {
    let server = Server::start();
    let token = server.token(Scope::RecordsWrite);
    let pile = [game("Ana", "Beto"), game("Carla", "Dora")].concat();
    let found = page(&server, &[("text", &pile)]);
    let button = found.split_once("Carla – Dora").and_then(|(_, rest)| rest.split_once("name=\"submit\" value=\""));
    let id = &button.expect("a button").1[..64];
    let found = page(&server, &[("text", &pile), ("submit", id), ("token", &token)]);
    assert!(found.contains("New in the archive: 1 · already there: 0 · not submitted: 1"), "{found}");
    assert_eq!(text(&found), game("Ana", "Beto"));
    assert_eq!(archived(&server).into_iter().map(|(id, _)| id).collect::<Vec<_>>(), [id]);
    // The last one leaves an empty box, and the id of no record stores nothing.
    let found = page(&server, &[("text", &game("Ana", "Beto")), ("submit", "all"), ("token", &token)]);
    assert!(found.contains("New in the archive: 1") && text(&found).is_empty(), "{found}");
    let none = "0".repeat(64);
    let found = page(&server, &[("text", &pile), ("submit", &none), ("token", &token)]);
    assert!(found.contains("New in the archive: 0 · already there: 0 · not submitted: 2"), "{found}");
    // A file in a format that the box shows is submitted as well.
    let found = page_of_file(&server, &workbook(&game("Eva", "Luis")), &[("submit", "all"), ("token", &token)]);
    assert!(found.contains("New in the archive: 1"), "{found}");
}

#[test]
fn nothing_is_submitted_without_a_token_that_suffices() {
    let server = Server::start();
    let record = game("Ana", "Beto");
    let revoked = server.token(Scope::RecordsWrite);
    let id = revoked.split('_').nth(1).expect("an id").to_owned();
    server.store.write(move |writing| writing.revoke(&id)).wait().expect("it is revoked");
    let (other, good) = (server.token(Scope::EventsAdmin), server.token(Scope::RecordsWrite));
    for (token, status, code, said) in [
        ("", 401, "api.token", "type your token"),
        ("quipu_x", 401, "api.token", "the token is not valid"),
        (&*revoked, 401, "api.token", "the token is not valid"),
        (&other, 403, "api.scope", "this token does not have the scope records:write"),
    ] {
        let fields = [("text", &*record), ("submit", "all"), ("token", token)];
        let response = sent(&server, &fields);
        check("/check", &response, status, "en");
        assert!(response.text().contains(said) && text(response.text()) == record, "{token}: {}", response.text());
        assert!(token.is_empty() || !response.text().contains(token), "the token is not shown");
        let body = fields.map(|(name, value)| field(name, value)).join("&");
        // A proxy may add the header, also to what a page of another site sends.
        let ask = server.ask("POST", "/check").token(&good).header("Accept", "application/json, text/html;q=0.1");
        ask.body(FORM, body).send().problem(status, code);
    }
    // Other buttons store nothing, whatever the token.
    page(&server, &[("text", &record), ("token", &good)]);
    assert_eq!(changes(&server), 0);
}
