//! Sessions of a client: every kind of message, in every state, well-formed or not.

#![expect(clippy::needless_pass_by_value, reason = "parameters are handed over as they are made")]

use gen_lsp_types::TextEdit;
use proptest::prelude::*;
use quipu_referee::Lang;
use serde_json::json;

use super::*;
use crate::{
    actions,
    changes::Change,
    completion::{LONG, VALUES},
    document::{Document, MAX_FILE},
    findings, hints,
    requests::REQUESTS,
    rpc::{INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_FAILED},
    symbols,
    transport::Frame,
};

const URI: &str = "file:///cup.quipu";

struct Session {
    server: Server,
    next: u64,
}

impl Session {
    fn new() -> Self {
        let draw = |drawing: &quipu_referee::drawing::Drawing, _: Lang| {
            // A row of the board is enough to tell positions apart.
            let pieces = drawing.cells.iter().map(|cell| cell.piece.as_ref().map_or(".", |piece| piece.plain.as_str()));
            pieces.collect::<String>() + "\n"
        };
        let program = Program { name: "quipu 0.1.0", lang: Lang::En, draw };
        Self { server: Server::new(program), next: 0 }
    }

    /// A client whose server is initialized.
    fn ready(options: Value) -> Self {
        let mut session = Self::new();
        let capabilities = json!({
            "textDocument": { "hover": { "contentFormat": ["markdown", "plaintext"] } },
            "general": { "positionEncodings": ["utf-16"] },
        });
        let answer =
            session.ask("initialize", json!({ "capabilities": capabilities, "initializationOptions": options }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "quipu");
        session
    }

    /// A client that has opened a file, and the findings in it.
    fn with(text: &str) -> (Self, Vec<Value>) {
        let mut session = Self::ready(Value::Null);
        session.open(URI, text);
        let found = session.findings();
        (session, found)
    }

    fn send(&mut self, content: &[u8]) -> Vec<Value> {
        self.take(Frame::Content(content.to_vec()))
    }

    fn take(&mut self, frame: Frame) -> Vec<Value> {
        let mut out = Vec::new();
        assert!(self.server.receive(Message::of(frame), false, &mut out), "the session goes on");
        out
    }

    fn open(&mut self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "quipu", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": item }));
    }

    fn change(&mut self, changes: Value) -> Vec<Value> {
        let document = json!({ "uri": URI, "version": 2 });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }))
    }

    fn tell(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().as_bytes())
    }

    /// The response to a request, which is the last message.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        let answer = self.send(request.to_string().as_bytes()).pop().expect("a response");
        assert_eq!(answer["id"], self.next);
        answer
    }

    /// The result of a request about the file.
    fn of_file(&mut self, method: &str, params: Value) -> Value {
        let mut params = params;
        params["textDocument"] = json!({ "uri": URI });
        let answer = self.ask(&format!("textDocument/{method}"), params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.of_file(method, json!({ "position": { "line": line, "character": character } }))
    }

    fn findings(&mut self) -> Vec<Value> {
        let mut out = Vec::new();
        self.server.publish(&mut out);
        assert_eq!(out.len(), 1, "{out:?}");
        assert_eq!(out[0]["params"]["uri"], URI);
        out[0]["params"]["diagnostics"].as_array().expect("a list").clone()
    }
}

const GAME: &str = "[Game \"andes\"]\n[Sol \"Quispe, Ana\"]\n[Luna \"Mamani, Luis\"]\n\n1. 0d3 2A3\n2. 2a1 0D0\n*\n";

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

#[test]
fn findings_have_places_codes_and_links() {
    let (mut session, found) = Session::with(GAME);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("andes.3.6"), &json!(1)));
    assert_eq!(found[0]["range"], range(5, 3, 6));
    assert!(found[0].get("codeDescription").is_none());
    session.change(json!([{ "range": range(5, 3, 6), "text": "2a0" }]));
    assert_eq!(session.findings(), Vec::<Value>::new());
    let closed = session.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(closed[0]["params"]["diagnostics"], json!([]));

    let mut session = Session::ready(json!({ "publicUrl": "https://games.example.org/", "language": "es" }));
    session.open(URI, GAME);
    let found = session.findings();
    assert_eq!(found[0]["codeDescription"]["href"], "https://games.example.org/rules/andes.3.6?lang=es");
    assert!(found[0]["message"].as_str().expect("a text").starts_with("La casilla a1 es clara"), "{found:?}");
}

#[test]
fn a_hover_shows_board_and_article() {
    let (mut session, _) = Session::with(GAME);
    let text = |value: &Value| value["contents"]["value"].as_str().expect("a text").to_owned();
    let played = session.at("hover", 4, 8);
    assert!(text(&played).starts_with("**2. Luna 2A3**\n\n```text\n"), "{played}");
    assert_eq!(played["range"], range(4, 7, 10));
    let refused = text(&session.at("hover", 5, 4));
    assert!(
        refused.starts_with("**3. Sol 2a1**") && refused.contains("**andes.3.6 · error · article 3.6**"),
        "{refused}"
    );
    let start = text(&session.at("hover", 0, 8));
    assert!(start.starts_with("**Start position**"), "{start}");
    assert_ne!(start.lines().nth(3), text(&played).lines().nth(3), "another position");
    // Nothing is known after a refused move, nor between the tags.
    assert_eq!(session.at("hover", 5, 8), Value::Null);
    assert_eq!(session.at("hover", 3, 0), Value::Null);
    assert_eq!(session.at("hover", 99, 0), Value::Null);
}

#[test]
fn completion_offers_moves_tags_and_values() {
    let text = "[Game \"brandubh\"]\n[Negros \"Ana\"]\n\n1. d3-c3 *\n\n\
        [Game \"brandubh\"]\n[Negros \"Eva\"]\n[\n\n1. d3-c3 d\n\n\
        [Game \"brandubh\"]\n[Rojos \"\"]\n[Termination \"\"]\n\n*\n";
    let (mut session, _) = Session::with(text);
    let labels = |list: Value| -> Vec<String> {
        let items = list["items"].as_array().expect("a list").clone();
        items.iter().map(|item| item["label"].as_str().expect("a text").to_owned()).collect()
    };
    let tags = labels(session.at("completion", 7, 1));
    assert!(tags.contains(&"Rojos".to_owned()) && !tags.contains(&"Negros".to_owned()), "{tags:?}");
    assert!(!tags.contains(&"Sol".to_owned()) && !tags.contains(&"Points".to_owned()), "{tags:?}");
    assert_eq!(labels(session.at("completion", 12, 8)), ["Ana"]);
    let ends = labels(session.at("completion", 13, 14));
    assert!(ends.contains(&"resignation".to_owned()) && ends.contains(&"corner".to_owned()), "{ends:?}");
    // The record with the lone bracket cannot be read, and so has no moves.
    assert_eq!(labels(session.at("completion", 9, 10)), Vec::<String>::new());

    let (mut session, _) = Session::with("[Game \"brandubh\"]\n\n1. d3-c3 d2-c2 {x} ; y\n2.c\n");
    let moves = session.at("completion", 3, 3);
    let edit = &moves["items"][0]["textEdit"];
    assert_eq!(edit["range"], range(3, 2, 3), "behind the number");
    let moves = labels(moves);
    assert!(moves.len() > 10 && moves.contains(&"c3-d3".to_owned()) && moves.contains(&"1-0".to_owned()), "{moves:?}");
    for (line, character) in [(2, 17), (2, 22)] {
        assert_eq!(labels(session.at("completion", line, character)), Vec::<String>::new(), "in a comment");
    }
}

/// Applies the edits of an action or of formatting.
fn applied(text: &str, edits: &Value) -> String {
    let mut document = Document::new(text.to_owned(), PositionEncoding::Utf16, Lang::En);
    let mut edits: Vec<TextEdit> = serde_json::from_value(edits.clone()).expect("edits");
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
    for edit in edits {
        document.change(&[Change { range: Some(edit.range), text: edit.new_text }]);
    }
    document.text().to_owned()
}

#[test]
fn actions_replace_and_repair() {
    let (mut session, _) = Session::with(GAME);
    let asked = json!({ "range": range(5, 4, 4), "context": { "diagnostics": [] } });
    let actions = session.of_file("codeAction", asked);
    let actions = actions.as_array().expect("a list");
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().expect("a text")).collect();
    assert!(titles.contains(&"Replace with 2a0") && titles[0].starts_with("Replace with"), "{titles:?}");
    let repairs: Vec<_> = actions
        .iter()
        .filter(|action| action["title"].as_str().is_some_and(|title| title.starts_with("Repair")))
        .collect();
    assert!(!repairs.is_empty(), "{titles:?}");
    for action in actions {
        let text = applied(GAME, &action["edit"]["changes"][URI]);
        let (_, found) = Session::with(&text);
        assert_eq!(found, Vec::<Value>::new(), "{text}");
    }
    let repaired = applied(GAME, &repairs[0]["edit"]["changes"][URI]);
    assert!(repaired.contains("[%repaired quipu 0.1.0]") && repaired.contains("[%written 3 "), "{repaired}");
    let asked = json!({ "range": range(4, 0, 0), "context": { "diagnostics": [], "only": ["refactor"] } });
    assert_eq!(session.of_file("codeAction", asked), json!([]));

    let numbers = "[Game \"brandubh\"]\n\n1. d3-c3 d2-c2\n7. c3-d3 *\n";
    let (mut session, _) = Session::with(numbers);
    let actions = session.of_file("codeAction", json!({ "range": range(3, 0, 2), "context": { "diagnostics": [] } }));
    assert_eq!(
        applied(numbers, &actions[0]["edit"]["changes"][URI]),
        "[Game \"brandubh\"]\n\n1. d3-c3 d2-c2\n2. c3-d3\n*\n"
    );
}

#[test]
fn formatting_is_that_of_fmt() {
    let options = json!({ "options": { "tabSize": 4, "insertSpaces": true } });
    for (text, expected) in [
        (
            "\n\n[Sol \"a\"]\n[Game \"andes\"]\n1. 0d3 2A3 2. 2a0 *",
            "[Game \"andes\"]\n[Sol \"a\"]\n\n1. 0d3 2A3\n2. 2a0\n*\n\n",
        ),
        ("[Game \"andes\"]\n\n1. 0d3\n*\n\n", "[Game \"andes\"]\n\n1. 0d3\n*\n\n"),
        ("[Game \"andes\"]\r\n\r\n1. 0d3 *\r\n", "[Game \"andes\"]\r\n\r\n1. 0d3\r\n*\r\n\r\n"),
        // Replayed tokens are canonical.
        ("[Game \"brandubh\"]\n\n1. d3-c3+ *\n", "[Game \"brandubh\"]\n\n1. d3-c3\n*\n\n"),
        ("; x\n", "\n{x}\n*\n\n"),
        // Text without a record stays.
        ("% x\n", "% x\n"),
        ("", ""),
        (" \n\n", ""),
    ] {
        let (mut session, _) = Session::with(text);
        let edits = session.of_file("formatting", options.clone());
        assert_eq!(applied(text, &edits), expected, "{text:?}");
        let (mut session, _) = Session::with(expected);
        assert_eq!(session.of_file("formatting", options.clone()), json!([]), "{expected:?}");
    }
    let text = "[Game \"andes\"]\n1. 0d3 *\n[Game \"andes\"]\n1. 0d3 {\n";
    let (mut session, _) = Session::with(text);
    let asked = json!({ "textDocument": { "uri": URI }, "options": options["options"] });
    let refused = session.ask("textDocument/formatting", asked);
    assert_eq!(refused["error"]["code"], REQUEST_FAILED);
    assert!(
        refused["error"]["message"].as_str().expect("a text").contains("the record at line 3 cannot be read"),
        "{refused}"
    );
    // A part of the file can be formatted all the same.
    let mut first = options;
    first["range"] = range(0, 0, 3);
    let edits = session.of_file("rangeFormatting", first);
    assert!(applied(text, &edits).starts_with("[Game \"andes\"]\n\n1. 0d3\n*\n\n[Game"), "{edits}");
}

#[test]
fn symbols_hints_and_names() {
    let text = [GAME, "\n", &GAME.replace("Quispe, Ana", "ANA QUISPE").replace("2a1", "2a0")].concat();
    let (mut session, _) = Session::with(&text);
    let symbols = session.of_file("documentSymbol", json!({}));
    let lines: Vec<_> =
        symbols.as_array().expect("a list").iter().map(|symbol| (&symbol["name"], &symbol["detail"])).collect();
    assert_eq!(lines[0], (&json!("Quispe, Ana – Mamani, Luis"), &json!("* · rejected")), "{symbols}");
    assert_eq!(lines[1], (&json!("ANA QUISPE – Mamani, Luis"), &json!("* · incomplete")), "{symbols}");

    let whole = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } } });
    let hints = session.of_file("inlayHint", whole);
    let hints: Vec<_> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64(), hint["label"].as_str()))
        .collect();
    assert_eq!(hints[0], (Some(4), Some("9-9")));
    assert_eq!(hints.len(), 3, "one a line of legal moves: {hints:?}");

    let at = session.at("prepareRename", 1, 8);
    assert_eq!((&at["placeholder"], &at["range"]), (&json!("Quispe, Ana"), &range(1, 6, 17)));
    let asked = json!({ "position": { "line": 1, "character": 8 }, "newName": "Quispe \"Anita\", Ana" });
    let edits = session.of_file("rename", asked)["changes"][URI].clone();
    assert_eq!(edits.as_array().map(Vec::len), Some(2), "{edits}");
    let renamed = applied(&text, &edits);
    assert_eq!(renamed.matches("[Sol \"Quispe \\\"Anita\\\", Ana\"]").count(), 2, "{renamed}");
    for (name, line, code) in [
        (" ", 1, INVALID_PARAMS),
        ("?", 1, INVALID_PARAMS),
        (" ?", 1, INVALID_PARAMS),
        ("a\nb", 1, INVALID_PARAMS),
        ("x", 4, REQUEST_FAILED),
        ("x", 0, REQUEST_FAILED),
    ] {
        let place =
            json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": 8 }, "newName": name });
        assert_eq!(session.ask("textDocument/rename", place)["error"]["code"], code, "{name:?} {line}");
    }
    let long = json!({ "textDocument": { "uri": URI }, "position": { "line": 1, "character": 8 }, "newName": "x".repeat(65_537) });
    assert_eq!(session.ask("textDocument/rename", long)["error"]["code"], INVALID_PARAMS);
}

#[test]
fn a_file_with_very_many_findings_shows_the_first_and_those_of_the_last_change() {
    let record = "[Game \"andes\"]\n\n1. 9z9 *\n\n";
    let text = record.repeat(findings::MAX_FINDINGS + 100);
    let (mut session, found) = Session::with(&text);
    assert_eq!(found.len(), findings::MAX_FINDINGS + 1);
    assert!(
        found[findings::MAX_FINDINGS]["message"].as_str().expect("a text").starts_with("1000 findings of 1100"),
        "{:?}",
        found[findings::MAX_FINDINGS]
    );
    let last = 4 * (findings::MAX_FINDINGS as u64 + 100) - 2;
    session.change(json!([{ "range": range(u32::try_from(last).expect("few"), 3, 3), "text": "8" }]));
    let found = session.findings();
    assert_eq!(found[0]["range"]["start"]["line"], last, "the changed record comes first");
    assert_eq!(found.len(), findings::MAX_FINDINGS + 1);
}

#[test]
fn a_file_beyond_the_limit_is_told() {
    let (_, found) = Session::with(&" ".repeat(MAX_FILE + 1));
    assert_eq!(found.len(), 1);
    assert!(found[0]["message"].as_str().expect("a text").starts_with("This file has more than 64 MiB"), "{found:?}");
}

#[test]
fn messages_that_do_not_fit_get_errors() {
    let mut session = Session::new();
    assert_eq!(session.ask("textDocument/hover", json!({}))["error"]["code"], SERVER_NOT_INITIALIZED);
    assert_eq!(session.tell("textDocument/didOpen", json!({})), Vec::<Value>::new());
    assert_eq!(session.ask("initialize", json!({ "capabilities": 7 }))["error"]["code"], INVALID_PARAMS);
    let mut session = Session::ready(json!({ "language": "fr", "publicUrl": "ftp://x" }));
    assert_eq!(session.ask("initialize", json!({ "capabilities": {} }))["error"]["code"], INVALID_REQUEST);
    assert_eq!(session.ask("workspace/symbol", json!({}))["error"]["code"], METHOD_NOT_FOUND);
    assert_eq!(session.ask("textDocument/hover", json!([]))["error"]["code"], INVALID_PARAMS);
    let place = json!({ "textDocument": { "uri": "file:///other" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(session.ask("textDocument/hover", place)["error"]["code"], INVALID_PARAMS);
    let told = session.tell("textDocument/didOpen", json!({ "textDocument": 7 }));
    assert_eq!(told[0]["method"], "window/logMessage");
    assert_eq!(session.tell("$/cancelRequest", json!({ "id": 1 })), Vec::<Value>::new());
    for content in
        [&b"{"[..], b"", b"\xff", b"[]", b"7", b"{\"method\": 7}", br#"[null,"exit"]"#, br#"[1,"shutdown",null]"#]
    {
        let answer = session.send(content).pop().expect("a response");
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(PARSE_ERROR)),
            "{}",
            content.escape_ascii()
        );
    }
    for frame in [Frame::NoLength, Frame::TooLarge(1 << 40)] {
        assert_eq!(session.take(frame).pop().expect("a message")["method"], "window/logMessage");
    }
    let place = json!([{ "uri": URI }, { "line": 0, "character": 0 }]);
    assert_eq!(session.ask("textDocument/hover", place)["error"]["code"], INVALID_PARAMS, "a sequence is no structure");
    assert_eq!(session.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(session.ask("shutdown", Value::Null)["error"]["code"], INVALID_REQUEST);
    assert!(session.server.is_shut_down());
    let exit = Message::Notification { method: "exit".to_owned(), params: Value::Null };
    assert!(!session.server.receive(exit, false, &mut Vec::new()), "the session ends");
}

#[test]
fn actions_are_bounded() {
    let record = "[Game \"brandubh\"]\n\n1. d3-c3 d3-c3 *\n\n";
    let rejected = record.repeat(actions::REPAIRED + 2);
    let (mut session, found) = Session::with(&rejected);
    assert_eq!(found.len(), actions::REPAIRED + 2);
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let asked = json!({ "range": whole, "context": { "diagnostics": [] } });
    let titles = |actions: &Value| -> Vec<String> {
        let actions = actions.as_array().expect("a list").iter();
        actions.map(|action| action["title"].as_str().expect("a text").to_owned()).collect()
    };
    // Each record has as many readings.
    let one = Session::with(record).0.of_file("codeAction", asked.clone());
    let repairs = |titles: &[String]| titles.iter().filter(|title| title.starts_with("Repair")).count();
    let of_one = repairs(&titles(&one));
    let all = titles(&session.of_file("codeAction", asked.clone()));
    assert!(of_one > 0 && all.len() < actions::MAX_ACTIONS, "{all:?}");
    assert_eq!(repairs(&all), of_one * actions::REPAIRED);

    let (mut session, _) = Session::with(&record.repeat(actions::MAX_ACTIONS));
    assert_eq!(titles(&session.of_file("codeAction", asked)).len(), actions::MAX_ACTIONS);
}

#[test]
fn outline_and_hints_are_bounded() {
    let (mut session, _) = Session::with(&"*\n".repeat(symbols::MAX_SYMBOLS + 1));
    assert_eq!(session.of_file("documentSymbol", json!({})).as_array().map(Vec::len), Some(symbols::MAX_SYMBOLS));
    let hints = |text: &str| -> Vec<String> {
        let (mut session, _) = Session::with(text);
        let end = json!({ "line": 99_999, "character": 0 });
        let whole = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": end } });
        let hints = session.of_file("inlayHint", whole);
        hints
            .as_array()
            .expect("a list")
            .iter()
            .map(|hint| hint["label"].as_str().expect("a text").to_owned())
            .collect()
    };
    // A line has the points after its last move, and so has the last one.
    let game = "[Game \"andes\"]\n\n1. 0d3\n2A3 2a0 *\n\n";
    let of_one = hints(game);
    assert!(of_one.len() == 2 && of_one[1] != hints(&game.replace(" 2a0", ""))[1], "{of_one:?}");
    assert_eq!(hints(&game.repeat(hints::MAX_HINTS / 2 + 1)), vec![of_one; hints::MAX_HINTS / 2].concat());
}

#[test]
fn offers_of_completion_are_bounded() {
    let record = |number: usize| format!("[Game \"andes\"]\n[Event \"{number:03}\"]\n\n*\n\n");
    let long = format!("[Game \"andes\"]\n[Event \"{}\"]\n\n*\n\n", "x".repeat(LONG + 1));
    let longest = format!("[Game \"andes\"]\n[Event \"{}\"]\n\n*\n\n", "y".repeat(LONG));
    let text =
        format!("[Event \"\"]\n\n{longest}{longest}{long}{long}{}", (0..=VALUES).map(record).collect::<String>());
    let (mut session, _) = Session::with(&text);
    let offered = session.at("completion", 0, 8);
    let offered: Vec<_> = offered["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| item["label"].as_str().expect("a text"))
        .collect();
    assert_eq!((offered.len(), offered[0].len()), (VALUES, LONG));
    assert!(!offered.contains(&"x".repeat(LONG + 1).as_str()));

    // A position with two million moves, of which only those near the written one are offered.
    let hard = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/querni/hard.tsv");
    let hard = std::fs::read_to_string(hard).expect("a fixture");
    let row = hard.lines().find(|line| !line.starts_with('#') && line.contains('\t')).expect("a row");
    let fields: Vec<_> = row.split('\t').collect();
    let text = format!("[Game \"querni\"]\n[Rules \"{}\"]\n[Setup \"{}\"]\n\n1. a1\n", fields[0], fields[1]);
    let (mut session, _) = Session::with(&text);
    let offered = session.at("completion", 4, 5);
    let moves = offered["items"].as_array().expect("a list").iter().filter(|item| item["kind"] == 20).count();
    assert!(moves < 100, "{moves}");
}

/// A client that knows versions gets them with each edit, so that it applies none to a text that has changed.
#[test]
fn edits_name_the_version_that_they_are_for() {
    let mut session = Session::new();
    let capabilities = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
    session.ask("initialize", json!({ "capabilities": capabilities }));
    session.open(URI, &GAME.replace("2a1", "2a"));
    session.change(json!([{ "range": range(5, 5, 5), "text": "1" }]));
    session.open("file:///other.quipu", GAME);
    let actions = session.of_file("codeAction", json!({ "range": range(5, 4, 4), "context": { "diagnostics": [] } }));
    for action in actions.as_array().expect("a list") {
        assert!(action["edit"].get("changes").is_none(), "{action}");
        let change = &action["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({ "uri": URI, "version": 2 }), "{action}");
        let (_, found) = Session::with(&applied(GAME, &change["edits"]));
        assert_eq!(found, Vec::<Value>::new(), "{action}");
    }
    let asked = json!({ "position": { "line": 1, "character": 8 }, "newName": "Ana" });
    let edit = session.of_file("rename", asked);
    let changes = edit["documentChanges"].as_array().expect("a list");
    let mut files: Vec<_> = changes
        .iter()
        .map(|change| (change["textDocument"]["uri"].as_str(), change["textDocument"]["version"].as_i64()))
        .collect();
    files.sort_unstable();
    assert_eq!(files, [(Some(URI), Some(2)), (Some("file:///other.quipu"), Some(1))]);
}

/// The name of a player is changed everywhere or nowhere.
#[test]
fn a_name_that_cannot_be_changed_everywhere_stays() {
    let asked =
        || json!({ "textDocument": { "uri": URI }, "position": { "line": 1, "character": 8 }, "newName": "Ana" });
    let refused = |session: &mut Session, told: &str| {
        let answer = session.ask("textDocument/rename", asked());
        assert_eq!(answer["error"]["code"], REQUEST_FAILED, "{answer}");
        assert!(answer["error"]["message"].as_str().expect("a text").contains(told), "{answer}");
    };
    let (mut session, _) = Session::with(&format!("{GAME}\n[Game \"andes\"]\n[Sol \"Quispe, Ana\" x]\n\n*\n"));
    refused(&mut session, "the record at line 9 of file:///cup.quipu cannot be read");
    // Moves that cannot be read have no names.
    let (mut session, _) = Session::with(&format!("{GAME}\n[Game \"andes\"]\n[Sol \"Quispe, Ana\"]\n\n1. {{\n"));
    session.open("file:///remark.quipu", "% no record\n");
    let edits = session.of_file("rename", asked())["changes"][URI].clone();
    assert_eq!(edits.as_array().map(Vec::len), Some(2), "{edits}");
    session.open("file:///large.quipu", &" ".repeat(MAX_FILE + 1));
    refused(&mut session, "file:///large.quipu has more than 64 MiB");
    session.tell("textDocument/didClose", json!({ "textDocument": { "uri": "file:///large.quipu" } }));
    session.open("file:///other.quipu", GAME);
    let lost = json!({ "textDocument": { "uri": "file:///other.quipu", "version": 2 }, "contentChanges": 7 });
    session.tell("textDocument/didChange", lost);
    refused(&mut session, "the server does not know the text of file:///other.quipu");
}

/// A file whose text is not known is not judged, and says so, until it is opened again.
#[track_caller]
fn check_lost(session: &mut Session, told: Vec<Value>) {
    let found: Vec<_> = told.iter().filter(|told| told["method"] == "textDocument/publishDiagnostics").collect();
    assert_eq!(found.len(), 1, "{told:?}");
    let message = &found[0]["params"]["diagnostics"][0]["message"];
    assert!(message.as_str().expect("a text").contains("open it again"), "{message}");
    session.change(json!([{ "range": range(5, 3, 6), "text": "2a0" }]));
    let mut out = Vec::new();
    session.server.publish(&mut out);
    assert_eq!(out, Vec::<Value>::new());
    let place = json!({ "textDocument": { "uri": URI }, "position": { "line": 4, "character": 8 } });
    assert_eq!(session.ask("textDocument/hover", place.clone())["error"]["code"], INVALID_PARAMS);
    session.open(URI, GAME);
    assert_eq!(session.findings().len(), 1);
    assert!(session.ask("textDocument/hover", place)["result"].is_object());
}

#[test]
fn a_file_of_which_a_change_is_lost_is_forgotten() {
    let (mut session, _) = Session::with(GAME);
    let far = u64::from(u32::MAX) + 1;
    for change in [
        // A range of another form is not the whole text.
        json!([{ "range": { "start": { "line": 5, "character": 3 } }, "text": "2a0" }]),
        json!([{ "range": { "start": { "line": far, "character": 0 }, "end": { "line": far, "character": 0 } }, "text": "" }]),
        json!([{ "range": range(5, 3, 6) }]),
        json!({ "text": "2a0" }),
    ] {
        let told = session.change(change);
        check_lost(&mut session, told);
    }
    let told = session.tell("textDocument/didChange", json!({ "textDocument": 7 }));
    check_lost(&mut session, told);
    for frame in
        [Frame::TooLarge(1 << 40), Frame::NoLength, Frame::Content(br#"{"method":"x","params":"\ud83d"}"#.to_vec())]
    {
        let told = session.take(frame);
        check_lost(&mut session, told);
    }
    // A loss in another file, and a message that is no change, do not matter.
    session.tell("textDocument/didChange", json!({ "textDocument": { "uri": "file:///other", "version": 2 } }));
    session.send(b"[]");
    session.change(json!([{ "range": range(5, 3, 6), "text": "2a0" }]));
    assert_eq!(session.findings(), Vec::<Value>::new());
    session.change(json!([{ "text": 7 }]));
    let closed = session.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(closed[0]["params"]["diagnostics"], json!([]));
}

#[test]
fn a_cancelled_request_is_not_worked_on() {
    let (mut session, _) = Session::with(GAME);
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 4, "character": 8 } });
    let request =
        || Message::Request { id: json!("a"), method: "textDocument/hover".to_owned(), params: params.clone() };
    for (is_cancelled, code) in [(false, Value::Null), (true, json!(REQUEST_CANCELLED))] {
        let mut out = Vec::new();
        assert!(session.server.receive(request(), is_cancelled, &mut out));
        assert_eq!((out.len(), &out[0]["id"], &out[0]["error"]["code"]), (1, &json!("a"), &code));
    }
}

#[test]
fn an_address_of_a_service_has_no_path() {
    for (address, told) in [
        ("https://x.example", 0),
        ("https://x.example/", 0),
        ("", 0),
        ("ftp://x", 1),
        ("https://", 1),
        ("https://x/y", 1),
        ("https://x y", 1),
    ] {
        let mut session = Session::new();
        let params = json!({ "capabilities": {}, "initializationOptions": { "publicUrl": address } });
        let mut out = Vec::new();
        let initialize = Message::Request { id: json!(1), method: "initialize".to_owned(), params };
        assert!(session.server.receive(initialize, false, &mut out));
        assert_eq!(out.len(), told + 1, "{address}: {out:?}");
    }
}

proptest! {
    /// Any text, any change and any place are answered.
    #[test]
    fn nothing_ends_a_session(
        text in "(\\[Game \"(andes|querni|brandubh|pastores)\"\\]\n)?[\\[\\]{}()\"\\\\;%$!?.a-dA-D0-9ñ𝄞 \r\n*-]{0,80}",
        new in "[\\[\\]{}\"a-d0-9ñ𝄞\n]{0,10}",
        places in prop::collection::vec((0..12_u32, 0..40_u32), 4),
    ) {
        let (mut session, _) = Session::with(&text);
        let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let range = json!({ "start": position(places[0]), "end": position(places[1]) });
        session.change(json!([{ "range": range, "text": new }]));
        for (method, _) in REQUESTS {
            for place in &places {
                let params = json!({
                    "textDocument": { "uri": URI },
                    "position": position(*place),
                    "range": range,
                    "context": { "diagnostics": [], "triggerKind": 1 },
                    "options": { "tabSize": 4, "insertSpaces": true },
                    "newName": "x",
                });
                let answer = session.ask(method, params);
                let code = answer["error"]["code"].as_i64();
                prop_assert!(code.is_none_or(|code| code == i64::from(REQUEST_FAILED)), "{method}: {answer}");
            }
        }
    }
}
