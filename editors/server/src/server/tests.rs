//! Sessions of a client: every kind of message, in every state, well-formed or not.

#![expect(clippy::needless_pass_by_value, reason = "parameters are handed over as they are made")]

use proptest::prelude::*;
use quipu_referee::Lang;

use super::*;

const URI: &str = "file:///cup.quipu";

/// A client.
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
        let item = json!({ "uri": URI, "languageId": "quipu", "version": 1, "text": text });
        session.tell("textDocument/didOpen", json!({ "textDocument": item }));
        let found = session.findings();
        (session, found)
    }

    fn send(&mut self, content: &[u8]) -> Vec<Value> {
        let mut out = Vec::new();
        assert!(self.server.receive(&Frame::Content(content.to_vec()), &mut out), "the session goes on");
        out
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
    let change = json!({ "range": range(5, 3, 6), "text": "2a0" });
    let document = json!({ "uri": URI, "version": 2 });
    session.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    assert_eq!(session.findings(), Vec::<Value>::new());
    let closed = session.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(closed[0]["params"]["diagnostics"], json!([]));

    let mut session = Session::ready(json!({ "publicUrl": "https://games.example.org/", "language": "es" }));
    let item = json!({ "uri": URI, "languageId": "quipu", "version": 1, "text": GAME });
    session.tell("textDocument/didOpen", json!({ "textDocument": item }));
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
    // Nothing is known behind a refused move, nor between the tags.
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
    let mut document = Document::new(text.to_owned(), Columns::Utf16, Lang::En);
    let mut edits: Vec<gen_lsp_types::TextEdit> = serde_json::from_value(edits.clone()).expect("edits");
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
    for edit in edits {
        document.change(Some(edit.range), &edit.new_text);
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
    assert_eq!(refused["error"]["code"], FAILED);
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
    for (name, line, code) in [(" ", 1, PARAMS), ("a\nb", 1, PARAMS), ("x", 4, FAILED), ("x", 0, FAILED)] {
        let place =
            json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": 8 }, "newName": name });
        assert_eq!(session.ask("textDocument/rename", place)["error"]["code"], code, "{name:?} {line}");
    }
    let long = json!({ "textDocument": { "uri": URI }, "position": { "line": 1, "character": 8 }, "newName": "x".repeat(65_537) });
    assert_eq!(session.ask("textDocument/rename", long)["error"]["code"], PARAMS);
}

#[test]
fn a_file_with_very_many_findings_shows_the_first_and_those_of_the_last_change() {
    let record = "[Game \"andes\"]\n\n1. 9z9 *\n\n";
    let text = record.repeat(findings::MOST + 100);
    let (mut session, found) = Session::with(&text);
    assert_eq!(found.len(), findings::MOST + 1);
    assert!(
        found[findings::MOST]["message"].as_str().expect("a text").starts_with("1000 findings of 1100"),
        "{:?}",
        found[findings::MOST]
    );
    let last = 4 * (findings::MOST as u64 + 100) - 2;
    let change = json!({ "range": range(u32::try_from(last).expect("few"), 3, 3), "text": "8" });
    let document = json!({ "uri": URI, "version": 2 });
    session.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    let found = session.findings();
    assert_eq!(found[0]["range"]["start"]["line"], last, "the changed record comes first");
    assert_eq!(found.len(), findings::MOST + 1);
}

#[test]
fn a_file_beyond_the_limit_is_told() {
    let (_, found) = Session::with(&" ".repeat(crate::document::LARGEST + 1));
    assert_eq!(found.len(), 1);
    assert!(found[0]["message"].as_str().expect("a text").starts_with("This file has more than 64 MiB"), "{found:?}");
}

#[test]
fn messages_that_do_not_fit_get_errors() {
    let mut session = Session::new();
    assert_eq!(session.ask("textDocument/hover", json!({}))["error"]["code"], EARLY);
    assert_eq!(session.tell("textDocument/didOpen", json!({})), Vec::<Value>::new());
    assert_eq!(session.ask("initialize", json!({ "capabilities": 7 }))["error"]["code"], PARAMS);
    let mut session = Session::ready(json!({ "language": "fr", "publicUrl": "ftp://x" }));
    assert_eq!(session.ask("initialize", json!({ "capabilities": {} }))["error"]["code"], NOT_NOW);
    assert_eq!(session.ask("workspace/symbol", json!({}))["error"]["code"], UNKNOWN);
    assert_eq!(session.ask("textDocument/hover", json!([]))["error"]["code"], PARAMS);
    let place = json!({ "textDocument": { "uri": "file:///other" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(session.ask("textDocument/hover", place)["error"]["code"], PARAMS);
    let told = session.tell("textDocument/didOpen", json!({ "textDocument": 7 }));
    assert_eq!(told[0]["method"], "window/logMessage");
    assert_eq!(session.tell("$/cancelRequest", json!({ "id": 1 })), Vec::<Value>::new());
    for content in [&b"{"[..], b"", b"\xff", b"[]", b"7", b"{\"method\": 7}"] {
        let answer = session.send(content).pop().expect("a response");
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(MALFORMED)),
            "{}",
            content.escape_ascii()
        );
    }
    let mut out = Vec::new();
    for frame in [Frame::NoLength, Frame::TooLarge(1 << 40)] {
        assert!(session.server.receive(&frame, &mut out));
        assert_eq!(out.pop().expect("a message")["method"], "window/logMessage");
    }
    assert_eq!(session.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(session.ask("shutdown", Value::Null)["error"]["code"], NOT_NOW);
    assert!(session.server.is_shut_down());
    let exit = Frame::Content(b"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}".to_vec());
    assert!(!session.server.receive(&exit, &mut out), "the session ends");
}

const REQUESTS: [&str; 9] = [
    "hover",
    "completion",
    "codeAction",
    "formatting",
    "rangeFormatting",
    "documentSymbol",
    "inlayHint",
    "prepareRename",
    "rename",
];

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
        let document = json!({ "uri": URI, "version": 2 });
        let change = json!({ "range": range, "text": new });
        session.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
        for method in REQUESTS {
            for place in &places {
                let params = json!({
                    "textDocument": { "uri": URI },
                    "position": position(*place),
                    "range": range,
                    "context": { "diagnostics": [], "triggerKind": 1 },
                    "options": { "tabSize": 4, "insertSpaces": true },
                    "newName": "x",
                });
                let answer = session.ask(&format!("textDocument/{method}"), params);
                let code = answer["error"]["code"].as_i64();
                prop_assert!(code.is_none_or(|code| code == i64::from(FAILED)), "{method}: {answer}");
            }
        }
    }
}
