//! The examples of the OpenAPI document: every operation has some, and all are real. Requests are accepted, and responses are
//! those of a service with the sample archive, apart from times, keys and versions; long texts and lists are cut.
//!
//! `UPDATE_EXPECTED=1 cargo test -p quipu-tests-service --test http -- examples` writes them again, and so adds those of a new
//! route. One that writes needs a row in [`STEPS`].

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    thread,
};

use quipu_archive::model::{TokenText, Webhook};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{
    root,
    sample_archive::sample_archive,
    server::{Response, Server},
};
use serde_json::{Map, Value, json};

use super::{
    routes::{Operation, api_operations},
    submit::{CSV, JSON, NDJSON, TEXT, game, in_other_forms},
};

/// A step of the requests that write or judge, in their order: an operation, its path and its body.
type Step = (&'static str, &'static str, fn() -> Map<String, Value>);

const STEPS: &[Step] = &[
    ("verify", "/v1/verify", one_record),
    ("repair", "/v1/repair", one_slipped),
    ("merge-sheets", "/v1/merge", two_sheets),
    ("desk", "/v1/desk", one_record),
    ("submit", "/v1/records", one_record),
    ("live-open", "/v1/live", another_record),
    ("live-save", "/v1/live/2", another_record),
    ("live-finish", "/v1/live/2/finish", Map::new),
    ("live-close", "/v1/live/3/close", Map::new),
    ("correct", "/v1/records/{id}/corrections", || {
        json_body(&json!({ "record": game("Ana", "Berta"), "reason": "Luna se llama Berta", "author": "Clara" }))
    }),
    ("retract", "/v1/records/{id}/retractions", || json_body(&json!({ "reason": "La partida no se jugó" }))),
    ("undo", "/v1/changes/{change}/undo", || {
        json_body(&json!({ "reason": "La partida sí se jugó", "author": "Clara" }))
    }),
    ("merge", "/v1/players/3/merges", || json_body(&json!({ "into": 4, "reason": "Es la misma persona" }))),
    ("tournament-create", "/v1/tournaments", || {
        let settings = json!({
            "name": "Liga de invierno", "system": { "kind": "round-robin" }, "rounds": 1,
            "encounter": { "kind": "two-legs" }
        });
        let enter = |name| json!({ "change": "enter", "player": { "name": name, "club": "Puno" }, "first": 1 });
        json_body(&json!({ "game": "andes", "settings": settings, "steps": [enter("Ana Ruiz"), enter("Inés Soto")] }))
    }),
    ("tournament-change", "/v1/tournaments/1/changes", || {
        let result = json!({ "outcome": "draw" });
        json_body(&json!({ "steps": [
            { "change": "result", "round": 1, "board": 2, "game": 1, "players": [4, 2], "result": result },
            { "change": "enter", "player": { "name": "Eva Paz", "rating": 1650 }, "first": 2 }
        ], "reason": "llegó tarde", "author": "Clara" }))
    }),
    ("tournament-pair", "/v1/tournaments/1/pairings?dry_run=yes", || json_body(&json!({ "round": 2 }))),
    ("tournament-pair", "/v1/tournaments/1/pairings", || json_body(&json!({ "round": 2 }))),
    ("token-add", "/v1/tokens", || json_body(&json!({ "name": "Mesa 4", "scopes": ["records:write"] }))),
    ("token-revoke", "/v1/tokens/{token}", Map::new),
    ("webhook-add", "/v1/webhooks", || {
        json_body(
            &json!({ "url": "https://receiver.example/quipu", "events": ["record.verified"], "games": ["andes"] }),
        )
    }),
    ("webhook-state", "/v1/webhooks/{webhook}/state", || json_body(&json!({ "state": "paused" }))),
    ("webhooks", "/v1/webhooks", Map::new),
    ("webhook", "/v1/webhooks/{webhook}", Map::new),
    ("webhook-secret", "/v1/webhooks/{webhook}/secret", Map::new),
    ("webhook-ping", "/v1/webhooks/{receiver}/ping", Map::new),
    ("webhook-deliveries", "/v1/webhooks/{receiver}/deliveries", Map::new),
    ("webhook-delete", "/v1/webhooks/{webhook}", Map::new),
];

/// Queries of examples that say more than what must be there. The newest list of ratings depends on the time of the last change,
/// since the sample archive has games of later days.
const QUERIES: [(&str, &str); 5] = [
    ("deal", "seed=7"),
    ("expected-scores", "date=2027-01-01"),
    ("log-consistency", "from=2&to=5"),
    ("positions", ""),
    ("ratings", "date=2027-01-01&limit=2"),
];

/// Members whose values differ from run to run or from version to version.
const VOLATILE: [&str; 18] = [
    "at",
    "changed",
    "created",
    "head",
    "key",
    "milliseconds",
    "opened",
    "program",
    "proof",
    "public",
    "revoked",
    "root",
    "secret",
    "signature",
    "signed_by",
    "time",
    "token",
    "version",
];

/// Characters of a text that are shown.
const SHOWN: usize = 400;
/// Items of a list that are shown.
const LISTED: usize = 2;

fn json_body(value: &Value) -> Map<String, Value> {
    Map::from_iter([(JSON.to_owned(), value.clone())])
}

/// A game in all forms of text.
fn in_all_forms(text: String, [object, sheet]: [&str; 2]) -> Map<String, Value> {
    let object: Value = serde_json::from_str(object).expect("JSON");
    let all = [
        (TEXT, text.into()),
        (NDJSON, format!("{object}\n").into()),
        (CSV, sheet.into()),
        ("text/tab-separated-values", sheet.replace(',', "\t").into()),
        (JSON, object),
    ];
    all.into_iter().map(|(media, body): (&str, Value)| (media.to_owned(), body)).collect()
}

fn record(sol: &str, luna: &str) -> Map<String, Value> {
    let forms = in_other_forms(sol, luna);
    in_all_forms(game(sol, luna), [&forms[0].1, &forms[4].1])
}

fn one_record() -> Map<String, Value> {
    record("Ana", "Beto")
}

fn another_record() -> Map<String, Value> {
    record("Carla", "Diego")
}

/// The same with a slip in its second ply.
fn one_slipped() -> Map<String, Value> {
    let forms = in_other_forms("Ana", "Beto");
    let [text, object, sheet] =
        [&game("Ana", "Beto"), &forms[0].1, &forms[4].1].map(|text| text.replace("0D0C", "0D0D"));
    in_all_forms(text, [&object, &sheet])
}

/// Two sheets of a game.
fn two_sheets() -> Map<String, Value> {
    let one = one_record();
    let twice = |media: &str| {
        let text = one[media].as_str().expect("a text");
        Value::from(format!("{text}\n{text}"))
    };
    let both = [(TEXT, twice(TEXT)), (NDJSON, twice(NDJSON).as_str().expect("a text").replace("\n\n", "\n").into())];
    let both = both.into_iter().chain([(JSON, json!([one[JSON], one[JSON]]))]);
    both.map(|(media, body)| (media.to_owned(), body)).collect()
}

/// A value with long texts and lists cut.
fn cut(value: Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]).into(),
            None => text.into(),
        },
        Value::Array(items) => items.into_iter().take(LISTED).map(cut).collect(),
        Value::Object(members) => members.into_iter().map(|(name, member)| (name, cut(member))).collect(),
        value => value,
    }
}

/// True if an id is that of a token, which is random.
fn is_of_token(id: &Value) -> bool {
    id.as_str().is_some_and(|id| id.len() == TokenText::ID)
}

/// True if two examples are the same, apart from what differs from run to run.
fn alike(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let same = |(name, member): (&String, &Value)| {
                let is_volatile = VOLATILE.contains(&name.as_str()) || name == "id" && is_of_token(member);
                expected.get(name).is_some_and(|other| is_volatile || alike(member, other))
            };
            found.len() == expected.len() && found.iter().all(same)
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(one, other)| alike(one, other))
        }
        (Value::String(found), Value::String(expected)) if found.starts_with('{') => {
            let [found, expected] = [found, expected].map(|text| serde_json::from_str(text).unwrap_or(Value::Null));
            alike(&found, &expected)
        }
        (found, expected) => found == expected,
    }
}

/// A service, and the examples that it has given.
struct Recorder {
    server: Server,
    token: String,
    lang: &'static str,
    operations: Vec<Operation>,
    examples: BTreeMap<String, Value>,
}

impl Recorder {
    fn operation(&self, id: &str) -> &Operation {
        self.operations.iter().find(|one| one.id() == id).unwrap_or_else(|| panic!("there is no operation {id}"))
    }

    /// Sends a request, and takes the response as an example if it is a good one.
    fn send(&mut self, id: &str, path: &str, accept: &str, body: Option<(&str, &Value)>) -> Response {
        let operation = self.operation(id);
        let ask = self.server.ask(&operation.method, path).token(&self.token).header("Accept-Language", self.lang);
        let ask = ask.header("Accept", accept).header("If-Match", "*");
        let response = match body {
            Some((media, Value::String(text))) => ask.body(media, text.as_str()).send(),
            Some((_, value)) => ask.json(value).send(),
            None => ask.send(),
        };
        let status = response.status.to_string();
        let content = &operation.said["responses"][&status]["content"];
        let media = response.header("content-type").to_owned();
        if !matches!(response.status, 200 | 201 | 307) {
            return response;
        }
        let schema = &content[&media]["schema"];
        let shown = match media.split(';').next().expect("a type") {
            "application/json" => serde_json::from_slice(&response.body).ok(),
            NDJSON => response.lines().into_iter().next(),
            TEXT | CSV => Some(response.text().into()),
            _ => None,
        };
        // The document would be an example of itself.
        if let Some(shown) = shown.map(cut).filter(|_| id != "openapi") {
            let valid = operation.validator(schema);
            let faults: Vec<_> = valid.iter_errors(&shown).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{path}: {faults:#?}\n{shown:#}");
            let answers = &mut self.example(id, path)["answers"][&status];
            if answers[&media].is_null() {
                answers[&media] = shown;
            }
        } else {
            self.example(id, path);
        }
        response
    }

    /// The example of an operation, whose first good request counts.
    fn example(&mut self, id: &str, path: &str) -> &mut Value {
        self.examples.entry(id.to_owned()).or_insert_with(|| json!({ "path": path }))
    }

    /// The media types of good responses.
    fn media(&self, id: &str) -> Vec<String> {
        let responses = self.operation(id).said["responses"].as_object().expect("responses").iter();
        let good = responses.filter(|(status, _)| status.starts_with('2'));
        good.flat_map(|(_, response)| response["content"].as_object().expect("contents").keys().cloned()).collect()
    }

    /// Reads with an operation: at the first of several addresses that gives a good answer.
    fn read(&mut self, id: &str, ids: &[String]) {
        let operation = self.operation(id);
        let query = QUERIES.iter().find(|(of, _)| *of == id).map(|(_, query)| (*query).to_owned());
        let query = query.or_else(|| operation.takes("limit").then(|| "limit=2".to_owned())).unwrap_or_default();
        let (path, required) = operation.path.split_once('?').expect("a query");
        let required = if query.contains("from=") { "" } else { required };
        let query = [required, &query].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("&");
        let whole = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        let is_stream = !operation.said["responses"]["200"]["content"]["text/event-stream"].is_null();
        if is_stream {
            return self.listen(id, &whole);
        }
        let games = ["andes", "querni"].map(|game| whole.replace("games/andes", &format!("games/{game}")));
        let numbers = games.iter().flat_map(|path| (1..9).map(|number| path.replacen("/1", &format!("/{number}"), 1)));
        let paths: Vec<_> =
            numbers.flat_map(|path| ids.iter().map(move |id| path.replace(&"0".repeat(64), id))).collect();
        let media = self.media(id);
        let found = paths.into_iter().find(|path| self.send(id, path, &media[0], None).status == 200);
        let path = found.unwrap_or_else(|| panic!("{id}: no answer is 200"));
        self.example(id, &path)["path"] = path.clone().into();
        for accept in &media {
            self.send(id, &path, accept, None);
        }
    }

    /// Listens to events until the first one with data.
    fn listen(&mut self, id: &str, path: &str) {
        let path = format!("{path}?since=0");
        let ask = self.server.ask("GET", &path).header("Accept-Language", self.lang);
        let lines = BufReader::new(ask.open().into_body().into_reader()).lines();
        let mut event = Map::new();
        for line in lines.map_while(Result::ok) {
            match line.split_once(": ") {
                Some((name, value)) => drop(event.insert(name.to_owned(), value.into())),
                None if event.contains_key("data") => break,
                None => event.clear(),
            }
        }
        let data: Value = serde_json::from_str(event["data"].as_str().expect("a text")).expect("JSON");
        event.insert("data".to_owned(), cut(data).to_string().into());
        let example = json!({ "path": path, "answers": { "200": { "text/event-stream": event } } });
        self.examples.insert(id.to_owned(), example);
    }

    /// Makes the requests of a step: its body in all forms, and each form of the answer.
    fn step(&mut self, id: &str, path: &str, body: &Map<String, Value>) -> Response {
        let media = self.media(id);
        let bodies: Vec<_> = body.iter().map(|(media, body)| (media.as_str(), body)).collect();
        let first = self.send(id, path, JSON, bodies.first().copied());
        assert!(matches!(first.status, 200 | 201), "{id}: {}", first.text());
        let more = bodies.iter().skip(1).map(|body| (JSON, Some(*body)));
        let forms = media.iter().filter(|media| *media != JSON).map(|media| (media.as_str(), bodies.first().copied()));
        for (accept, body) in more.chain(forms) {
            let response = self.send(id, path, accept, body);
            assert!(matches!(response.status, 200 | 201), "{id} {body:?}: {}", response.text());
        }
        if !body.is_empty() {
            self.example(id, path)["body"] = body.clone().into();
        }
        first
    }
}

/// All examples in a language, by operation.
fn recorded(lang: &'static str) -> BTreeMap<String, Value> {
    let (server, ids) = sample_archive(Settings { webhook_private_networks: true, ..Settings::default() });
    let (operations, token) = (api_operations(&server), server.token(Scope::Admin));
    let current = &ids[ids.len() - 1..];
    // The routes of webhooks read what steps have made.
    let reads = operations.iter().filter(|one| one.is_get() && !one.path.starts_with("/v1/webhooks"));
    let reads: Vec<_> = reads.map(|one| one.id().to_owned()).collect();
    let mut recorder = Recorder { server, token, lang, operations, examples: BTreeMap::new() };
    for id in reads {
        recorder.read(&id, current);
    }
    let (mut id, mut change, mut made) = (String::new(), Value::Null, String::new());
    let (mut webhook, receiver) = (String::new(), receiver());
    for (operation, path, body) in STEPS {
        let path = path.replace("{id}", &id).replace("{change}", &change.to_string()).replace("{token}", &made);
        let path = path.replace("{webhook}", &webhook);
        let path =
            if path.contains("{receiver}") { path.replace("{receiver}", &hook(&recorder, &receiver)) } else { path };
        let response = recorder.step(operation, &path, &body());
        let response: Value = serde_json::from_slice(&response.body).expect("JSON");
        match *operation {
            "submit" | "correct" => response["id"].as_str().expect("an id").clone_into(&mut id),
            "token-add" => response["id"].as_str().expect("an id").clone_into(&mut made),
            "webhook-add" => response["id"].as_str().expect("an id").clone_into(&mut webhook),
            of_one if of_one.starts_with("webhook-") || of_one == "webhook" => {
                let (_, route) = path.split_at("/v1/webhooks/".len() + Webhook::ID);
                recorder.example(operation, &path)["path"] = format!("/v1/webhooks/abcdefgh{route}").into();
            }
            "token-revoke" => recorder.example(operation, &path)["path"] = "/v1/tokens/abcdefgh".into(),
            "retract" => change = response["number"].clone(),
            // A finished game can be finished again.
            "live-finish" => drop(recorder.send(operation, &path, JSON, None)),
            _ => {}
        }
    }
    for operation in &recorder.operations {
        assert!(recorder.examples.contains_key(operation.id()), "{} needs a row in STEPS", operation.id());
    }
    recorder.examples
}

/// The address of a receiver of webhooks, which answers 204.
fn receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            write!(stream, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").expect("it is written");
            // The sender closes the connection.
            drop(stream.read_to_end(&mut Vec::new()));
        }
    });
    url
}

/// The id of the webhook of a receiver, which is made if it is not there.
fn hook(recorder: &Recorder, url: &str) -> String {
    let ask = |method: &str| recorder.server.ask(method, "/v1/webhooks").token(&recorder.token);
    let all = ask("GET").send().json();
    let found = all["items"].as_array().expect("items").iter().find(|webhook| webhook["url"] == *url).cloned();
    let webhook = found.unwrap_or_else(|| ask("POST").json(&json!({ "url": url })).send().json());
    webhook["id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn check(lang: &'static str) {
    let found = recorded(lang);
    let path = root().join(format!("api/http/src/openapi/examples.{lang}.json"));
    let stored = fs::read_to_string(&path).expect("it is there");
    let stored: BTreeMap<String, Value> = serde_json::from_str(&stored).expect("JSON");
    // Metrics are counts of everything that happened.
    let same = |id: &str, stored: &Value| id == "metrics" || alike(&found[id], stored);
    let other = |id: &&String| !stored.get(*id).is_some_and(|stored| same(id, stored));
    let differing: Vec<_> = found.keys().filter(other).collect();
    let gone: Vec<_> = stored.keys().filter(|id| !found.contains_key(*id)).collect();
    if env::var_os("UPDATE_EXPECTED").is_some() {
        // An example stays as it is if it differs only from run to run.
        let all = found.iter().map(|(id, found)| (id, if differing.contains(&id) { found } else { &stored[id] }));
        let all: BTreeMap<_, _> = all.collect();
        fs::write(&path, serde_json::to_string_pretty(&all).expect("JSON") + "\n").expect("it is written");
        return;
    }
    assert!(differing.is_empty() && gone.is_empty(), "{lang}: {differing:?} are other examples, and {gone:?} are none");
}

#[test]
fn examples_in_spanish_are_real() {
    check("es");
}

#[test]
fn examples_in_english_are_real() {
    check("en");
}

/// Every body and every answer in JSON or text of the served document has an example that its own schema allows.
#[test]
fn every_operation_has_examples() {
    let server = Server::start();
    for operation in api_operations(&server) {
        let valid = |content: &Value| {
            let content = content.as_object().expect("contents").values();
            let examples = content.filter(|media| !media["example"].is_null());
            let examples = examples.filter(|media| operation.validator(&media["schema"]).is_valid(&media["example"]));
            examples.count()
        };
        if operation.takes_a_body() {
            assert_ne!(valid(&operation.said["requestBody"]["content"]), 0, "{}", operation.path);
        }
        let answers = operation.said["responses"].as_object().expect("responses").iter();
        for (status, response) in answers.filter(|(status, _)| status.starts_with('2')) {
            let content = &response["content"];
            if content.get(JSON).is_some() && operation.id() != "openapi" {
                assert_ne!(valid(content), 0, "{} {status}", operation.path);
            }
        }
    }
}
