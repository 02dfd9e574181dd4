//! Records judged and not kept: the verdicts are those of the referee, in every form, whole or line by line.

use std::time::Duration;

use quipu_options::settings::Settings;
use quipu_referee::{Lang, games, report};
use quipu_tests_service::{
    bytes,
    server::{Response, Server},
    text, verdicts,
};
use serde_json::{Value, json};

use crate::submit::{
    BAD, BYTES, CSV, JSON, NDJSON, OPEN, TEXT, UNREADABLE, broken_gzip, by_hand, changes, game, in_other_forms,
};

/// Has a body judged.
fn verify(server: &Server, path: &str, media: &str, body: impl Into<Vec<u8>>) -> Response {
    server.ask("POST", path).header("Accept-Language", "en").body(media, body).send()
}

/// The same, line by line.
fn lines(server: &Server, body: impl Into<Vec<u8>>) -> Response {
    server.ask("POST", "/v1/verify").header("Accept-Language", "en").header("Accept", NDJSON).body(TEXT, body).send()
}

/// The number of verdicts of each kind.
fn summary(verdicts: &[Value]) -> Value {
    let count = |status: &str| verdicts.iter().filter(|verdict| verdict["status"] == status).count();
    json!({
        "records": verdicts.len(), "verified": count("verified"), "incomplete": count("incomplete"),
        "rejected": count("rejected"), "unreadable": count("unreadable")
    })
}

#[test]
fn every_record_has_the_verdict_that_the_referee_gives() {
    let server = Server::start();
    for game in games::ALL {
        let body = bytes(&format!("{}/mutants.quipu", game.notation().id));
        let found = verdicts(body.as_slice());
        for lang in Lang::ALL {
            let report = |(index, verdict)| serde_json::to_value(report::verdict(verdict, index, lang));
            let expected: Vec<_> = (1..).zip(&found).map(|one| report(one).expect("JSON")).collect();
            let ask = || server.ask("POST", "/v1/verify").header("Accept-Language", lang.as_str());
            let whole = ask().body(TEXT, body.clone()).send();
            assert_eq!(whole.header("content-language"), lang.as_str());
            assert_eq!(whole.json(), json!({ "verdicts": expected, "summary": summary(&expected) }));
            let streamed = ask().header("Accept", NDJSON).body(TEXT, body.clone()).send();
            assert_eq!(streamed.header("content-language"), lang.as_str());
            let mut lines = streamed.lines();
            assert_eq!(lines.pop(), Some(json!({ "summary": summary(&expected) })));
            assert_eq!(lines, expected);
        }
    }
    assert_eq!(changes(&server), 0, "nothing is kept");
}

#[test]
fn every_form_of_a_game_has_the_same_verdict() {
    let server = Server::start();
    let expected = verify(&server, "/v1/verify", TEXT, game("Ana", "Beto")).json();
    assert_eq!(expected["summary"]["verified"], 1);
    for (media, record) in in_other_forms("Ana", "Beto") {
        assert_eq!(verify(&server, "/v1/verify", media, record.clone()).json(), expected, "{media}: {record}");
        let mut lines = lines(&server, record).lines();
        assert_eq!(lines.pop(), Some(json!({ "summary": expected["summary"] })));
        assert_eq!(json!(lines), expected["verdicts"]);
    }
    let objects: String = (0..3).map(|_| format!("{}\n", in_other_forms("Ana", "Beto")[0].1)).collect();
    assert_eq!(verify(&server, "/v1/verify", NDJSON, objects).json()["summary"]["verified"], 3);
    let id = |response: Response| response.json()["verdicts"][0]["id"].clone();
    let otg = id(verify(&server, "/v1/verify", BYTES, text("brandubh/replay.otg")));
    assert_eq!(otg, id(verify(&server, "/v1/verify", TEXT, text("brandubh/replay.quipu"))));
}

/// The rule set that is assumed for a game, and a part that a record has no place for, are in the verdict.
#[test]
fn parts_of_other_formats_without_a_place_are_warnings() {
    let server = Server::start();
    let found = |from: &str, game: &str| {
        let verdict = verify(&server, &format!("/v1/verify?from={from}"), TEXT, game).json()["verdicts"][0].clone();
        assert_eq!(verdict["status"], "incomplete", "{verdict}");
        let found = verdict["diagnostics"].as_array().expect("a list").iter();
        found.map(|found| json!([found["code"], found["severity"], found["line"]])).collect::<Vec<_>>()
    };
    let warning = |line: u64| json!(["record.left-out", "warning", line]);
    assert_eq!(found("pgn", "[Event \"x\"]\n\n1. d2e2\n"), [warning(1)]);
    assert_eq!(found("pgn", "[Rules \"nielsen\"]\n\n1. d2e2\n"), [json!(null); 0]);
    assert_eq!(found("otg", "[rules:surf:n ks:c cenh: cenhe:]\n[x:a\nb]\n\n1. d2-e2\n"), [warning(2)]);
}

#[test]
fn the_form_is_told_by_the_media_type_and_above_that_by_from() {
    let server = Server::start();
    let status = |path: &str, media: &str| {
        let response = verify(&server, path, media, game("Ana", "Beto")).json();
        response["verdicts"][0]["status"].as_str().expect("a word").to_owned()
    };
    assert_eq!(status("/v1/verify", TEXT), "verified");
    assert_ne!(status("/v1/verify", JSON), "verified");
    assert_ne!(status("/v1/verify", NDJSON), "verified");
    assert_ne!(status("/v1/verify", CSV), "verified");
    for media in [TEXT, BYTES, JSON, NDJSON, CSV] {
        assert_eq!(status("/v1/verify?from=quipu", media), "verified");
        assert_ne!(status("/v1/verify?from=otg", media), "verified");
    }
    for (from, at) in [("json", 0), ("ndjson", 0), ("csv", 4)] {
        let response =
            verify(&server, &format!("/v1/verify?from={from}"), TEXT, in_other_forms("A", "B")[at].1.clone());
        assert_eq!(response.json()["summary"]["verified"], 1, "{from}");
    }
    verify(&server, "/v1/verify?from=sgf", TEXT, "x").problem(400, "api.parameter");
}

#[test]
fn places_are_those_in_the_body() {
    let server = Server::start();
    // Two blank lines, a game of eight, a blank one, and three of the next before its moves.
    let body = format!("\n\n{}\n{BAD}", game("Ana", "Beto"));
    let response = verify(&server, "/v1/verify", TEXT, body).json();
    let found = &response["verdicts"][1]["diagnostics"][0];
    assert_eq!([&found["line"], &found["column"], &found["token"]], [&json!(15), &json!(8), &json!("2A1")]);
    assert_eq!([&response["verdicts"][0]["index"], &response["verdicts"][1]["index"]], [1, 2]);
}

#[test]
fn bodies_that_are_not_taken() {
    let server = Server::with(Settings { max_body: 1_000, ..Settings::default() });
    for (media, body) in [(TEXT, ""), (TEXT, " \n"), (JSON, "[]"), (JSON, " "), (NDJSON, "\n"), (CSV, "\n")] {
        let problem = verify(&server, "/v1/verify", media, body).problem(400, "api.body");
        assert_eq!(problem["detail"], "The body contains no record.", "{media}: {body}");
    }
    lines(&server, "\n").problem(400, "api.body");
    let spanish = server.ask("POST", "/v1/verify").body(TEXT, "").send().problem(400, "api.body");
    assert_eq!(spanish["detail"], "El cuerpo no contiene ningún registro.");
    verify(&server, "/v1/verify", TEXT, game(&"x".repeat(1_000), "y")).problem(413, "api.too-large");
    verify(&server, "/v1/verify", "image/png", "x").problem(415, "api.media");
    server
        .ask("POST", "/v1/verify")
        .header("Accept", "image/png")
        .body(TEXT, "x")
        .send()
        .problem(406, "api.not-acceptable");
    let ask = |coding| server.ask("POST", "/v1/verify").header("Content-Encoding", coding).body(TEXT, "x").send();
    ask("br").problem(415, "api.media");
    ask("gzip").problem(400, "api.body");
}

#[test]
fn too_many_records_are_said_to_be() {
    let server = Server::with(Settings { max_records: 3, ..Settings::default() });
    let body = |records: usize| game("Ana", "Beto").repeat(records);
    assert_eq!(verify(&server, "/v1/verify", TEXT, body(3)).json()["summary"]["records"], 3);
    assert_eq!(lines(&server, body(3)).lines().len(), 4);
    let problem = verify(&server, "/v1/verify", TEXT, body(4)).problem(413, "api.too-large");
    assert!(problem["detail"].as_str().expect("a text").contains('3'), "{problem}");
    let response = lines(&server, body(4));
    let lines = response.lines();
    let statuses: Vec<_> = lines.iter().map(|line| line["status"].clone()).collect();
    assert_eq!(statuses, [json!("verified"), json!("verified"), json!("verified"), json!(413)]);
    assert_eq!([&lines[3]["code"], &lines[3]["type"]], ["api.too-large", "/v1/rules/api.too-large"]);
    assert_eq!(lines[3]["request_id"], response.header("x-request-id"));
}

/// A text of very many records that all stand in one block.
#[test]
fn records_that_follow_a_result_count_too() {
    let server = Server::with(Settings { max_records: 100, ..Settings::default() });
    let body = game("Ana", "Beto") + &"*\n".repeat(1_000_000);
    verify(&server, "/v1/verify", TEXT, body).problem(413, "api.too-large");
}

#[test]
fn a_record_that_is_too_large_is_one_verdict() {
    let server = Server::start();
    let large = format!("[Game \"andes\"]\n\n{}*\n", format!("{{{}}}\n", "x".repeat(60_000)).repeat(280));
    let body = format!("{}\n{large}\n{}", game("Ana", "Beto"), game("Ana", "Carla"));
    let verdicts = verify(&server, "/v1/verify", TEXT, body.clone()).json()["verdicts"].clone();
    let statuses: Vec<_> = (0..3).map(|at| verdicts[at]["status"].as_str().expect("a word")).collect();
    assert_eq!(statuses, ["verified", "unreadable", "verified"]);
    assert_eq!(verdicts[1]["diagnostics"][0]["code"], "record.limit");
    assert_eq!(lines(&server, body).lines()[..3], verdicts.as_array().expect("a list")[..]);
}

/// A long body that is sent whole before anything of the answer is read, judged by several threads.
#[test]
fn a_long_body_is_judged_in_its_order() {
    let server = Server::start();
    let record = |number: usize| match number % 4 {
        0 => OPEN.to_owned(),
        1 => BAD.to_owned(),
        2 => UNREADABLE.to_owned(),
        _ => game(&"x".repeat(2_000), &number.to_string()),
    };
    let body: String = (0..10_000).map(record).collect::<Vec<_>>().join("\n");
    let streamed = lines(&server, body.clone());
    let mut lines = streamed.lines();
    let counts =
        json!({ "records": 10_000, "verified": 2_500, "incomplete": 2_500, "rejected": 2_500, "unreadable": 2_500 });
    assert_eq!(lines.pop(), Some(json!({ "summary": counts })));
    for (number, line) in lines.iter().enumerate() {
        let expected = ["incomplete", "rejected", "unreadable", "verified"][number % 4];
        assert_eq!((line["status"].as_str(), line["index"].as_u64()), (Some(expected), Some(number as u64 + 1)));
    }
    assert_eq!(verify(&server, "/v1/verify", TEXT, body).json()["verdicts"], json!(lines));
    assert!(server.get("/metrics").text().contains("verified"), "verdicts are counted");
}

#[test]
fn many_ask_at_once() {
    let server = Server::start();
    let expected = verify(&server, "/v1/verify", TEXT, game("Ana", "Beto")).json();
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(verify(&server, "/v1/verify", TEXT, game("Ana", "Beto")).json(), expected);
                }
            });
        }
    });
}

#[test]
fn a_body_without_a_length_is_read_as_it_comes() {
    let server = Server::with(Settings { max_body: 500, ..Settings::default() });
    let record = game("Ana", "Beto");
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let (begin, rest) = record.split_at(40);
    for accept in ["Accept: application/json", "Accept: application/x-ndjson"] {
        let send = |chunks: &[&str]| {
            let body: String = chunks.iter().copied().map(chunk).collect();
            let headers = [accept, "Content-Type: text/plain", "Transfer-Encoding: chunked"];
            by_hand(&server, "/v1/verify", &headers, &[body.as_bytes(), b"0\r\n\r\n"])
        };
        let response = send(&[begin, rest]);
        assert!(response.starts_with("HTTP/1.1 200") && response.contains("\"verified\":1"), "{response}");
        // That it is too long shows only behind its beginning.
        let response = send(&[&record, &record, &record, &record, &record, &record]);
        assert!(response.contains("\"code\":\"api.too-large\"") && !response.contains("summary"), "{response}");
    }
}

#[test]
fn complete_records_are_judged_when_the_body_breaks_off() {
    let server = Server::start();
    let [begin, end] = broken_gzip(game("Ana", "Beto").repeat(2).as_bytes());
    let length = format!("Content-Length: {}", begin.len() + end.len());
    let send = |accept: &str| {
        let headers = [accept, "Content-Type: text/plain", "Content-Encoding: gzip", &length];
        by_hand(&server, "/v1/verify", &headers, &[&begin, &end])
    };
    let response = send("Accept: application/json");
    assert!(response.starts_with("HTTP/1.1 400") && response.contains("\"code\":\"api.body\""), "{response}");
    let response = send("Accept: application/x-ndjson");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert_eq!(response.matches("\"status\":\"verified\"").count(), 1, "the second may have gone on: {response}");
    assert!(response.contains("\"code\":\"api.body\"") && !response.contains("summary"), "{response}");
}

#[test]
fn a_slow_body_is_given_up() {
    let server = Server::with(Settings { request_timeout: Duration::from_millis(500), ..Settings::default() });
    for accept in ["Accept: application/json", "Accept: application/x-ndjson"] {
        let headers = [accept, "Content-Type: text/plain", "Content-Length: 1000"];
        let response = by_hand(&server, "/v1/verify", &headers, &[b"[Game"]);
        assert!(response.starts_with("HTTP/1.1 408") && response.contains("\"code\":\"api.timeout\""), "{response}");
    }
}

#[test]
fn a_private_service_judges_for_those_who_have_a_token() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    verify(&server, "/v1/verify", TEXT, game("Ana", "Beto")).problem(401, "api.token");
    let token = server.token(quipu_options::Scope::EventsAdmin);
    let response = server.ask("POST", "/v1/verify").token(&token).body(TEXT, game("Ana", "Beto")).send();
    assert_eq!(response.json()["summary"]["verified"], 1);
}

/// Advice stands beside the diagnostics, in both languages, and changes no verdict; names are compared across the body.
#[test]
fn slips_get_advice() {
    let server = Server::start();
    let slipped = |sol: &str| {
        let tags = format!("[Soll \"{sol}\"]\n[Sol \"{sol}\"]\n[Luna \"Toconás, Elena\"]\n[Date \"12/08/2026\"]\n");
        format!("[Game \"andes\"]\n{}\n1. 0d3 {{[%clk 9:37]}} *\n\n", tags.replace("Soll", "Rond"))
    };
    let body = slipped("Quispe, Rosa") + &slipped("Quispe, Roza") + &slipped("Quispe, Roza");
    let expected = ["advice.tag", "advice.date", "advice.clock"];
    let codes = |verdict: &Value| {
        let advice = verdict["advice"].as_array().expect("a list");
        advice.iter().map(|slip| slip["code"].as_str().expect("a code").to_owned()).collect::<Vec<_>>()
    };
    let whole = verify(&server, "/v1/verify", TEXT, body.clone()).json();
    let mut lines = lines(&server, body.clone()).lines();
    lines.pop();
    for verdicts in [whole["verdicts"].as_array().expect("a list"), &lines] {
        assert_eq!(verdicts.len(), 3);
        for (verdict, more) in verdicts.iter().zip([&[][..], &["advice.player"], &[]]) {
            assert_eq!((&verdict["status"], &verdict["diagnostics"]), (&json!("incomplete"), &json!([])));
            assert_eq!(codes(verdict), [&expected[..], more].concat(), "{verdict:#}");
        }
        assert_eq!(verdicts[1]["advice"][3]["line"], 11);
    }
    let spanish = server.ask("POST", "/v1/verify").header("Accept-Language", "es").body(TEXT, body).send().json();
    let message = spanish["verdicts"][0]["advice"][0]["message"].as_str().expect("a sentence").to_owned();
    let expected = "La etiqueta «Rond» es desconocida; ¿quiso escribir Round? Tal como está, no se usa para nada.";
    assert_eq!(message, expected);
    let clean = verify(&server, "/v1/verify", TEXT, game("Ana", "Beto")).json();
    assert_eq!(clean["verdicts"][0].get("advice"), None);
}

/// All faults of a body that cannot be read are told at once.
#[test]
fn all_faults_are_told_at_once() {
    let server = Server::start();
    let sheet = "#Game: andes\nn,sol,sol_clock,luna\n1,0d3,soon,2A3\nx,2a3,,0D0\n";
    let verdict = verify(&server, "/v1/verify", "text/csv", sheet).json()["verdicts"][0].clone();
    assert_eq!(verdict["status"], "unreadable");
    let places: Vec<_> = verdict["diagnostics"].as_array().expect("a list").iter().map(|one| &one["line"]).collect();
    assert_eq!(places, [3, 4]);
}
