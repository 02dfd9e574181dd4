//! Attacks: every route of the OpenAPI document with every insufficient token, and every filter and every displayed text with
//! input that other programs would execute.
//!
//! Scopes are tested in `auth`, pages in `pages`, limits in `limits`, the terminal in `cli`.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::{
    sample_archive::sample_archive,
    server::{Response, Server},
};
use serde_json::{Value, json};

use super::{
    routes::{Operation, operations},
    submit::{TEXT, game},
};

/// A well-formed token that was never issued.
const UNKNOWN_TOKEN: &str = "quipu_abcdefgh_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// Injections: SQL, full-text queries, HTML, formulas of spreadsheets, paths.
const HOSTILE: [&str; 12] = [
    "' OR '1'='1",
    "'; DROP TABLE record; --",
    "\" OR \"\"=\"",
    "x\" NEAR \"y",
    "* OR text MATCH 'a'",
    "{search} : a",
    "a*b^c-d+e(f)",
    "%' UNION SELECT hash FROM token --",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "=HYPERLINK(\"http://example.org\";\"x\")",
    "../../../../etc/passwd",
];

/// Percent-encodes every byte of a text.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// All operations except feeds, which never end.
fn finite(server: &Server) -> Vec<Operation> {
    operations(server).into_iter().filter(|operation| !operation.path.contains("/feed")).collect()
}

/// Settings with rate limits that no test reaches.
fn without_rate_limits() -> Settings {
    Settings { address_rate: 60_000_000, token_rate: 60_000_000, ..Settings::default() }
}

/// Fails if the archive has a fault or another number of records.
#[track_caller]
fn is_sound(server: &Server, records: u64) {
    let checked = server.store.check(|_| (), |fault| panic!("{fault:?}")).expect("it can be checked");
    assert_eq!(checked.records, records);
}

#[test]
fn a_private_service_opens_to_nobody() {
    let server = Server::with(Settings { private: true, ..without_rate_limits() });
    let revoked = server.token(Scope::Admin);
    let id = revoked.split('_').nth(1).expect("an id").to_owned();
    server.store.write(move |writing| writing.revoke(&id)).wait().expect("it is revoked");
    let secret = revoked.splitn(3, '_').nth(2).expect("a secret");
    let reader = server.token(Scope::RecordsWrite);
    let mut locked = 0;
    for operation in finite(&server).iter().filter(|operation| operation.needs_token()) {
        locked += 1;
        let ask = || server.ask(&operation.method, &operation.path);
        let answers = [
            ask().send(),
            ask().token(UNKNOWN_TOKEN).send(),
            ask().token(&revoked).send(),
            ask().token(&format!("{revoked}A")).send(),
            ask().token(&revoked.to_uppercase()).send(),
            ask().header("Authorization", &format!("bearer  {revoked}")).send(),
            ask().header("Authorization", &reader).send(),
            ask().header("Cookie", &format!("token={reader}")).send(),
        ];
        for response in &answers {
            response.problem(401, "api.token");
            assert!(!format!("{response:?} {}", response.text()).contains(secret), "{response:?}");
        }
        // In a query a token is only an unknown parameter.
        let asked = server.ask(&operation.method, &operation.with(&format!("token={reader}"))).send();
        assert_eq!(asked.status, 401, "{}", asked.text());
    }
    assert!(locked > 40, "{locked}");
}

#[test]
fn a_token_is_never_repeated() {
    let server = Server::with(without_rate_limits());
    let token = server.token(Scope::RecordsWrite);
    let secret = token.splitn(3, '_').nth(2).expect("a secret");
    for operation in finite(&server) {
        for path in [operation.path.clone(), operation.with("nothing=1")] {
            for asked in [token.clone(), format!("{token}x"), format!("x{token}")] {
                let response = server.ask(&operation.method, &path).token(&asked).send();
                let whole = format!("{response:?} {}", String::from_utf8_lossy(&response.body));
                assert!(!whole.contains(secret), "{path}: {whole}");
            }
        }
    }
}

/// No filter finds a record that does not have its value, and none changes the archive.
#[test]
fn values_in_queries_are_never_executed() {
    let server = Server::with(without_rate_limits());
    let ids = server.keep([game("Ana", "Beto"), game("Ana", "Carla")].join("\n").as_bytes());
    let token = server.token(Scope::Admin);
    let mut asked = 0;
    for operation in finite(&server).iter().filter(|operation| operation.method == "GET") {
        let path = operation.path.replace(&"0".repeat(64), &hex(&ids[0]));
        for param in operation.params("query") {
            let name = param["name"].as_str().expect("a name");
            for text in HOSTILE {
                let query = format!("{name}={}", encoded(text));
                let before: Vec<_> = path.split(['?', '&']).skip(1).filter(|pair| !pair.is_empty()).collect();
                let before = before.into_iter().filter(|pair| pair.split('=').next() != Some(name));
                let query = before.chain([&*query]).collect::<Vec<_>>().join("&");
                let whole = format!("{}?{query}", path.split('?').next().expect("a path"));
                let response = server.ask("GET", &whole).token(&token).send();
                assert!(
                    matches!(response.status, 200 | 400 | 404 | 422),
                    "{whole}: {} {}",
                    response.status,
                    response.text()
                );
                let narrows = response.status == 200 && ["player", "event", "round"].contains(&name);
                let found = serde_json::from_slice::<Value>(&response.body).ok().filter(|_| narrows);
                let found = found.and_then(|found| found["items"].as_array().map(Vec::len));
                assert_eq!(found.unwrap_or_default(), 0, "{whole}");
                asked += 1;
            }
        }
    }
    assert!(asked > 500, "{asked}");
    is_sound(&server, 2);
}

#[test]
fn submitted_values_are_never_executed() {
    let server = Server::with(without_rate_limits());
    let token = server.token(Scope::Admin);
    let post = |path: &str, body: &Value| server.ask("POST", path).token(&token).json(body).send();
    for (index, text) in (0..).zip(HOSTILE) {
        let value = text.replace('\\', "\\\\").replace('"', "\\\"");
        let record =
            game(&value, "Beto").replace("[Result", &format!("[Event \"{value}\"]\n[Site \"{index}\"]\n[Result"));
        let response = server.ask("POST", "/v1/records").token(&token).body(TEXT, record).send();
        let stored = response.json();
        let id = stored["id"].as_str().expect("an id");
        let found = server.get(&format!("/v1/records?player={}&state=all", encoded(text))).json();
        assert_eq!(found["items"].as_array().map(Vec::len), Some(1), "{text}: {found}");
        assert_eq!((&found["items"][0]["id"], &found["items"][0]["event"]["name"]), (&json!(id), &json!(text)));
        let withdrawn =
            post(&format!("/v1/records/{id}/retractions"), &json!({ "reason": text, "author": text })).json();
        assert_eq!((&withdrawn["reason"], &withdrawn["author"]), (&json!(text), &json!(text)));
        let key = server.ask("POST", "/v1/records").token(&token).header("Idempotency-Key", text);
        assert!(matches!(key.body(TEXT, game("Ana", text)).send().status, 200 | 201 | 400 | 422), "{text}");
    }
    let named = server.store.read(|reading| reading.player_named(HOSTILE[1])).expect("it answers");
    assert!(named.is_some());
    let checked = server.store.check(|_| (), |fault| panic!("{fault:?}")).expect("it can be checked");
    assert!(checked.records >= HOSTILE.len() as u64);
}

/// Pages, pictures and offline games show the text of records and never execute it.
#[test]
fn text_of_records_is_escaped() {
    let server = Server::with(without_rate_limits());
    let (script, picture) = (HOSTILE[8], HOSTILE[9].replace('"', "\\\""));
    let tags =
        format!("[Event \"{script}\"]\n[Site \"{picture}\"]\n[Round \"{script}\"]\n[Annotator \"{picture}\"]\n[Result");
    let record = game(script, &picture).replace("[Result", &tags);
    let record = record.replace("1. 0a1", &format!("{{{script} {}}} 1. 0a1", HOSTILE[9]));
    let rejected = record.replace("2. 0b0", "2. 9z9");
    let unreadable = record.replace("2. 0b0", "2. 0b0 {");
    let ids = server.keep(format!("{record}\n{rejected}\n{unreadable}").as_bytes());
    let mut looked = 0;
    for operation in finite(&server).iter().filter(|operation| operation.method == "GET") {
        let good = operation.said["responses"]["200"]["content"].as_object().cloned().unwrap_or_default();
        for media in good.keys().filter(|media| media.contains("html") || media.contains("svg")) {
            for id in &ids {
                let path = operation.path.replace(&"0".repeat(64), &hex(id));
                for path in
                    [path.clone(), format!("{path}&title={}", encoded(script)), format!("{path}&q={}", encoded(script))]
                {
                    let response = server.ask("GET", &path).header("Accept", media).send();
                    let text = String::from_utf8_lossy(&response.body);
                    for raw in ["<script>alert", "<img src=x"] {
                        assert!(!text.contains(raw), "{path} {media}: {raw}\n{text}");
                    }
                    looked += 1;
                }
            }
        }
    }
    assert!(looked > 100, "{looked}");
}

/// Characters that reverse the direction of text could show a result `1-0` as `0-1`.
#[test]
fn names_cannot_reverse_the_text_after_them() {
    let server = Server::with(without_rate_limits());
    let ids = server.keep(game("\u{202e}Ana", "Beto\u{2067}").as_bytes());
    let mut looked = 0;
    for operation in finite(&server).iter().filter(|operation| operation.method == "GET") {
        let good = operation.said["responses"]["200"]["content"].as_object().cloned().unwrap_or_default();
        for media in good.keys().filter(|media| media.contains("html") || media.contains("svg")) {
            let path = operation.path.replace(&"0".repeat(64), &hex(&ids[0]));
            let response = server.ask("GET", &path).header("Accept", media).send();
            let text = String::from_utf8_lossy(&response.body);
            assert!(!text.contains(['\u{202e}', '\u{2067}']), "{path} {media}: {text}");
            looked += usize::from(text.contains("Ana"));
        }
    }
    assert!(looked > 3, "{looked}");
}

/// A terminal executes control characters of a page that is printed on it: no page and no picture contains one, whatever a
/// record, a query or a path has.
#[test]
fn no_control_character_stands_raw_in_a_page() {
    let server = Server::with(without_rate_limits());
    let controls: String = ('\u{0}'..='\u{9f}').filter(|one| one.is_control() && !matches!(one, '\n' | '\r')).collect();
    let (game, rest) =
        game("NAME", "NAME").split_once('\n').map(|(one, rest)| (one.to_owned(), rest.to_owned())).expect("lines");
    let tags = ["Event", "Site", "Round", "Annotator", "Date", "TimeControl", "Termination", "Luna", "Own"];
    let tags: String = tags.iter().map(|tag| format!("[{tag} \"TAG\"]\n")).collect();
    let legal = format!("{game}\n{}", rest.replace("2. 0b0", "{ NOTE } 2. 0b0"));
    let rejected = format!("{game}\n{tags}{}", rest.replace("2. 0b0", "{ NOTE } 2. 0b0NOTE"));
    let named = format!("{game}\n[Event \"TAG\"]\n[Round \"TAG\"]\n{rest}");
    let mut looked = 0;
    let mut check = |what: &str, response: &quipu_tests_service::server::Response| {
        let text = String::from_utf8_lossy(&response.body);
        let raw: Vec<_> = text.chars().filter(|one| one.is_control() && !matches!(one, '\n' | '\t')).collect();
        assert!(raw.is_empty(), "{what}: {raw:?}");
        looked += usize::from(text.contains('\u{fffd}'));
    };
    let ids: Vec<_> = [legal, rejected, named]
        .iter()
        .flat_map(|record| {
            let record = record.replace("NAME", &format!("Ana{controls}")).replace("TAG", &format!("tag{controls}"));
            server.keep(record.replace("NOTE", &format!("note{controls}\r.")).as_bytes())
        })
        .collect();
    for operation in finite(&server).iter().filter(|operation| operation.method == "GET") {
        let good = operation.said["responses"]["200"]["content"].as_object().cloned().unwrap_or_default();
        for media in good.keys().filter(|media| media.contains("html") || media.contains("svg")) {
            for id in &ids {
                let path = operation.path.replace(&"0".repeat(64), &hex(id));
                check(&path, &server.ask("GET", &path).header("Accept", media).send());
            }
        }
    }
    let coded: String = controls.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for path in
        [format!("/records/{coded}"), format!("/records?q={coded}"), format!("/{coded}"), format!("/rules/{coded}")]
    {
        check(&path, &server.ask("GET", &path).header("Accept", "text/html").send());
    }
    let body = format!("[Game \"andes\"]\n[Event \"{controls}\"]\n\n1. {controls} {{ {controls} }}\n*\n");
    check("/check", &server.ask("POST", "/check").header("Accept", "text/html").body(TEXT, body).send());
    assert!(looked > 8, "{looked}");
}

/// A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula. Names have their tag in front, and no legal
/// move begins so. A rejected record is exported as it was written.
#[test]
fn no_game_is_a_formula() {
    let server = Server::with(without_rate_limits());
    for formula in ["=1+1", "+1", "-1", "@SUM(1)", "=HYPERLINK(x)"] {
        let tags = format!("[Event \"{formula}\"]\n[Annotator \"{formula}\"]\n[Result");
        let ids = server.keep(game(formula, "Beto").replace("[Result", &tags).as_bytes());
        let sheet = server.ask("GET", &format!("/v1/records/{}", hex(&ids[0]))).header("Accept", "text/csv").send();
        assert_eq!(sheet.status, 200);
        for cell in sheet.text().lines().flat_map(|line| line.split([',', ';'])) {
            let cell = cell.trim_start_matches('"');
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{formula}: {cell}");
        }
    }
    let ids = server.keep(game("Ana", "Beto").replace("2. 0b0", "2. =1+1").as_bytes());
    let sheet = server.ask("GET", &format!("/v1/records/{}", hex(&ids[0]))).header("Accept", "text/csv").send();
    assert!(sheet.status == 200 && sheet.text().contains("=1+1"), "{}", sheet.text());
    assert_eq!(sheet.header("x-content-type-options"), "nosniff");
}

/// Sends a request line unchanged: HTTP clients normalize paths.
fn raw(server: &Server, line: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    write!(stream, "{line} HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\n\r\n").expect("it reads");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("it answers");
    String::from_utf8_lossy(&response).into_owned()
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a name").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// No path leads to a file: all responses come from the program or the archive.
#[test]
fn no_path_leaves_the_archive() {
    let server = Server::with(without_rate_limits());
    let folder = server.store.path().parent().expect("a folder").to_owned();
    let before = files(&folder);
    let up = ["../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "....//", "..%00/", "%c0%ae%c0%ae/", "/", "//"];
    for before in ["/", "/assets/", "/records/", "/v1/records/", "/v1/rules/", "/embed/", "/docs/", "/rules/"] {
        for step in up {
            for file in ["etc/passwd", "quipu.db", "quipu.key", "Cargo.toml"] {
                let path = format!("{before}{}{file}", step.repeat(6));
                let response = raw(&server, &format!("GET {path}"));
                let status = response.split(' ').nth(1).unwrap_or_default();
                assert!(["400", "404"].contains(&status), "{path}: {response}");
                assert!(!response.contains("root:x") && !response.contains("SQLite format"), "{path}: {response}");
            }
        }
    }
    // The name of an uploaded file is ignored.
    for name in ["../../up.quipu", "/tmp/quipu-up.quipu", "..\\up.quipu", "quipu.db", "quipu.key", "a\u{0}b"] {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
        let body = format!("{head}{}\r\n--x--\r\n", game("Ana", "Beto"));
        let response = server.ask("POST", "/check").body("multipart/form-data; boundary=x", body).send();
        assert!(matches!(response.status, 200 | 400), "{name}: {}", response.text());
    }
    assert_eq!(files(&folder), before);
    assert!(!Path::new("/tmp/quipu-up.quipu").exists());
}

/// Checks the security headers of a response, which all of them have.
#[track_caller]
fn is_guarded(path: &str, response: &Response) {
    assert_eq!(response.header("x-content-type-options"), "nosniff", "{path}");
    assert_eq!(response.header("referrer-policy"), "no-referrer", "{path}");
    let policy = response.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
    let foreign = ["unsafe-inline", "unsafe-eval", "http:", "https:", " * "];
    assert!(!foreign.iter().any(|word| policy.contains(word)), "{path}: {policy}");
    let framed = policy.contains("frame-ancestors *");
    assert_eq!(response.header("x-frame-options"), if framed { "" } else { "DENY" }, "{path}");
    assert!(!framed || path.starts_with("/embed/"), "{path} may be framed");
    assert!(policy.contains("frame-ancestors "), "{path}: {policy}");
    assert_eq!(response.header("set-cookie"), "", "{path}");
    assert_eq!(response.header("server"), "", "{path}");
    assert!(!response.header("cache-control").is_empty() && !response.header("x-request-id").is_empty(), "{path}");
}

#[test]
fn every_response_has_its_headers() {
    let (server, ids) = sample_archive(without_rate_limits());
    for operation in finite(&server) {
        let path = operation.path.replace(&"0".repeat(64), &ids[0]);
        let ask = |method: &str, path: &str| server.ask(method, path);
        is_guarded(&path, &ask(&operation.method, &path).send());
        is_guarded(&path, &ask(&operation.method, &operation.path).send());
        is_guarded(&path, &ask(&operation.method, &operation.with("nothing=1")).send());
        is_guarded(&path, &ask("OPTIONS", &path).send());
        is_guarded(&path, &ask("DELETE", &path).send());
        is_guarded(&path, &ask(&operation.method, &path).header("Accept", "text/html").send());
        if operation.method == "GET" {
            let tag = ask("GET", &path).send().header("etag").to_owned();
            is_guarded(&path, &ask("GET", &path).header("If-None-Match", &tag).send());
            is_guarded(&path, &ask("HEAD", &path).send());
        }
    }
    is_guarded("/nothing", &server.get("/nothing"));
}

/// No page contains a script, a style or an event handler: its Content-Security-Policy would block them.
#[test]
fn no_page_has_a_script_in_it() {
    let (server, ids) = sample_archive(without_rate_limits());
    let mut pages = 0;
    for operation in finite(&server).iter().filter(|operation| operation.method == "GET") {
        for id in [&ids[0], &ids[9]] {
            let path = operation.path.replace(&"0".repeat(64), id);
            let response = server.ask("GET", &path).header("Accept", "text/html").send();
            // An offline game is a file of its own; its policy allows its one script by hash.
            if !response.header("content-type").starts_with("text/html") || path.contains("/replay.html") {
                continue;
            }
            pages += 1;
            let page = response.text();
            for script in page.split("<script").skip(1) {
                let (tag, rest) = script.split_once('>').expect("the end of a tag");
                assert!(tag.contains(" src=\"/assets/") && rest.starts_with("</script>"), "{path}: <script{tag}>");
            }
            for tag in page.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
                let handler = tag.split_whitespace().skip(1).any(|part| part.starts_with("on") && part.contains('='));
                assert!(!handler && !tag.contains("javascript:") && !tag.contains(" style="), "{path}: <{tag}>");
            }
        }
    }
    assert!(pages > 15, "{pages}");
}
