//! Bodies of requests: what their schemas allow is accepted, and what they do not is refused.

use quipu_options::Scope;
use quipu_tests_service::server::Server;
use serde_json::{Value, json};

use super::{
    routes::{api_operations, operations},
    submit::{JSON, game},
};

/// Every body of text rejects an empty one, and the document says so.
#[test]
fn bodies_of_text_are_not_blank() {
    let server = Server::start();
    let token = server.token(Scope::Admin);
    let mut tried = 0;
    for operation in operations(&server).iter().filter(|operation| operation.takes_a_body()) {
        let body = &operation.said["requestBody"];
        assert_eq!(body["required"], true, "{}", operation.path);
        let media = body["content"].as_object().expect("contents").keys().filter(|media| media.starts_with("text/"));
        for media in media {
            let validator = operation.validator(&body["content"][media]["schema"]);
            for text in ["", " ", "\r\n\t"] {
                assert!(!validator.is_valid(&json!(text)), "{} {media} {text:?}", operation.path);
                let ask = server.ask(&operation.method, &operation.path).token(&token).header("If-Match", "*");
                ask.body(media, text).send().problem(400, "api.body");
                tried += 1;
            }
            assert!(validator.is_valid(&json!(game("Ana", "Beto"))), "{} {media}", operation.path);
        }
    }
    assert!(tried > 30, "{tried}");
}

/// A record in JSON is readable if the document allows it, and otherwise not.
#[test]
fn records_are_read_as_the_document_says() {
    let server = Server::start();
    let all = api_operations(&server);
    let operation = |id: &str| all.iter().find(|one| one.id() == id).expect("it is there");
    let schema = |id: &str| operation(id).said["requestBody"]["content"][JSON]["schema"].clone();
    let [one, several] = ["desk", "verify"].map(schema);
    let check = |record: Value| {
        let valid = operation("verify").validator(&several).is_valid(&record);
        let response = server.ask("POST", "/v1/verify").json(&record).send();
        let is_read = response.status == 200 && response.json()["summary"]["unreadable"] == 0;
        assert_eq!(is_read, valid, "{record}: {}", response.text());
        if record.is_object() {
            assert_eq!(operation("desk").validator(&one).is_valid(&record), valid, "{record}");
        }
    };
    let game = json!({ "game": "andes", "moves": ["0a1", "0D0"] });
    for record in [game.clone(), json!({}), json!([game]), json!([game, {}, game])] {
        check(record);
    }
    for record in
        [json!(null), json!(7), json!("0a1"), json!(true), json!([]), json!([7]), json!([game, "x"]), json!([[game]])]
    {
        check(record);
    }
    for name in ["game", "rules", "setup", "first", "result", "comments", "moves", "tags", "nothing"] {
        for value in [
            json!(null),
            json!("x"),
            json!("x\ny"),
            json!(7),
            json!(true),
            json!(["x"]),
            json!([7]),
            json!({ "X": "x" }),
        ] {
            check(json!({ name: value }));
        }
    }
    for (name, value) in [
        ("Event", json!("Copa")),
        ("Event", json!(null)),
        ("Event", json!("a\nb")),
        ("Event", json!("x".repeat(65_536))),
        ("Event", json!("x".repeat(65_537))),
        ("Año_1", json!("x")),
        ("", json!("x")),
        ("a b", json!("x")),
        ("a-b", json!("x")),
    ] {
        check(json!({ "tags": { name: value } }));
    }
    let long = ["x".repeat(256), "x".repeat(257)];
    for token in [
        "0a1", "", " ", "0 a", "a;", ";a", "a(b", "a)", "a[", "a]", "a{", "a}", "a$", "a!", "a?", "ñ", &long[0],
        &long[1],
    ] {
        check(json!({ "moves": [token] }));
        check(json!({ "moves": [{ "move": token }] }));
    }
    for (name, value) in [
        ("move", json!(null)),
        ("clock_ms", json!(0)),
        ("clock_ms", json!(null)),
        ("clock_ms", json!(-1)),
        ("clock_ms", json!(1.5)),
        ("clock_ms", json!("1")),
        ("clock_ms", json!(3_600_000_000_000_000_u64)),
        ("comment", json!("x")),
        ("comment", json!(["x", "y"])),
        ("comment", json!([null])),
        ("comment", json!(7)),
        ("nags", json!([1, 4_294_967_295_u32])),
        ("nags", json!([4_294_967_296_u64])),
        ("nags", json!([-1])),
        ("nags", json!(null)),
        ("nags", json!(["1"])),
        ("variations", json!(null)),
        ("variations", json!([{ "comments": ["x"], "moves": ["0b0", { "move": "0c0" }] }, {}])),
        ("variations", json!([["0b0"]])),
        ("variations", json!([{ "move": "0b0" }])),
        ("nothing", json!(1)),
    ] {
        let mut played = json!({ "move": "0a1" });
        played[name] = value;
        check(json!({ "moves": [played] }));
    }
    check(json!({ "moves": [{}] }));
}

/// Decisions that the document allows are accepted.
#[test]
fn decisions_are_read_as_the_document_says() {
    let server = Server::start();
    let token = server.token(Scope::Admin);
    let all = operations(&server);
    let check = |id: &str, body: &Value| {
        let operation = all.iter().find(|operation| operation.said["operationId"] == id).expect("it is there");
        let schema = &operation.said["requestBody"]["content"][JSON]["schema"];
        let path = operation.path.trim_end_matches('?');
        let response = server.ask("POST", path).token(&token).json(body).send();
        let valid = operation.validator(schema).is_valid(body);
        // There is nothing that could be decided about.
        assert_eq!(response.status, if valid { 404 } else { 400 }, "{body}: {}", response.text());
    };
    let chars = ('\0'..='\u{a1}').chain('\u{1680}'..='\u{1680}').chain('\u{1ff0}'..='\u{2070}');
    for one in chars.chain(['\u{3000}', '\u{feff}', 'ñ', '😀']) {
        for text in [one.to_string(), format!("x{one}")] {
            check("retract", &json!({ "reason": text }));
            check("undo", &json!({ "reason": "x", "author": text }));
        }
    }
    for (reason, author) in [(0, 1), (2_000, 200), (2_001, 1), (1, 201), (1, 0)] {
        check("retract", &json!({ "reason": "ñ".repeat(reason), "author": "ñ".repeat(author) }));
    }
    for record in ["", " \n"] {
        check("correct", &json!({ "record": record, "reason": "x" }));
    }
    for into in ["7", "7.0", "1e3", "0", "-1", "7.5", "9007199254740991", "9007199254740992", "1e300", "\"\"", "null"] {
        check("merge", &json!({ "into": serde_json::from_str::<Value>(into).expect("JSON"), "reason": "x" }));
    }
    for body in
        ["null", "[]", "{}", r#"{"reason":"x","why":"y"}"#, r#"{"reason":null}"#, r#"{"reason":"x","author":null}"#]
    {
        check("retract", &serde_json::from_str(body).expect("JSON"));
    }
}
