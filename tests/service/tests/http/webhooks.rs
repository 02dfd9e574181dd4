//! Webhooks over HTTP: their routes and page, and deliveries of a service to a receiver beside it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::server::{Response, Server};
use serde_json::{Value, json};

use super::submit::{TEXT, game};

/// A receiver that answers 204 and keeps the bodies.
struct Receiver {
    url: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let bodies = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&bodies);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let body = answer(stream.expect("a connection"));
                kept.lock().expect("a lock").push(body);
            }
        });
        Self { url, bodies }
    }

    /// The bodies, once there are so many.
    fn bodies(&self, count: usize) -> Vec<Value> {
        for _ in 0..3_000 {
            let bodies = self.bodies.lock().expect("a lock").clone();
            if bodies.len() >= count {
                return bodies.iter().map(|body| serde_json::from_str(body).expect("JSON")).collect();
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{:?}", self.bodies.lock());
    }
}

/// Answers a request. Returns its body.
fn answer(mut stream: TcpStream) -> String {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream"));
    let (mut line, mut length) = (String::new(), 0);
    while lines.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(text) = line.to_lowercase().strip_prefix("content-length: ") {
            length = text.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body).expect("a body");
    drop(write!(stream, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"));
    String::from_utf8(body).expect("UTF-8")
}

/// A service that may deliver to this machine.
fn service() -> (Server, String) {
    let server = Server::with(Settings { webhook_private_networks: true, ..Settings::default() });
    let admin = server.token(Scope::Admin);
    (server, admin)
}

fn make(server: &Server, token: &str, body: &Value) -> Response {
    server.ask("POST", "/v1/webhooks").token(token).json(body).send()
}

fn store(server: &Server, one: &str, two: &str) -> Response {
    let token = server.token(Scope::RecordsWrite);
    server.ask("POST", "/v1/records").token(&token).body(TEXT, game(one, two)).send()
}

#[test]
fn changes_come_to_a_receiver_in_their_order() {
    let ((server, admin), receiver) = (service(), Receiver::start());
    assert_eq!(store(&server, "Ana", "Beto").status, 201);
    let made = make(&server, &admin, &json!({ "url": receiver.url }));
    assert_eq!((made.status, made.header("cache-control")), (201, "no-store"), "{}", made.text());
    let made = made.json();
    let id = made["id"].as_str().expect("an id");
    assert!(made["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")), "{made}");
    assert_eq!((&made["delivered"], &made["state"]), (&json!(1), &json!("enabled")), "it begins with the next change");
    for name in ["Carla", "Dora", "Elena"] {
        assert_eq!(store(&server, "Ana", name).status, 201);
    }
    let bodies = receiver.bodies(3);
    let feed = server.ask("GET", "/v1/changes?since=1").send().json();
    for (body, change) in bodies.iter().zip(feed["items"].as_array().expect("changes")) {
        assert_eq!((&body["type"], &body["data"]["change"]), (&json!("record.verified"), change));
        assert_eq!(body["timestamp"], change["at"]);
    }
    let path = format!("/v1/webhooks/{id}");
    let ping = server.ask("POST", &format!("{path}/ping")).token(&admin).send().json();
    assert_eq!((&ping["event"], &ping["status"], &ping["failure"]), (&json!("ping"), &json!(204), &json!(null)));
    assert_eq!(receiver.bodies(4)[3]["data"], json!({ "webhook": id }));
    let deliveries = server.ask("GET", &format!("{path}/deliveries")).token(&admin).send();
    assert_eq!(deliveries.header("cache-control"), "no-store");
    let changes: Vec<_> =
        deliveries.json()["items"].as_array().expect("items").iter().map(|one| one["change"].clone()).collect();
    assert_eq!(changes, [json!(null), json!(4), json!(3), json!(2)]);
    let metrics = server.ask("GET", "/metrics").send();
    let metrics = metrics.text();
    assert!(metrics.contains("quipu_webhook_deliveries_total{result=\"delivered\"} 4"), "{metrics}");
    assert!(metrics.contains("quipu_webhooks{state=\"enabled\"} 1"), "{metrics}");
}

#[test]
fn a_webhook_is_paused_rotated_and_deleted() {
    let ((server, admin), receiver) = (service(), Receiver::start());
    let body = json!({ "url": receiver.url, "events": ["record.verified", "undo"], "games": ["andes"], "since": 0 });
    let made = make(&server, &admin, &body).json();
    let path = format!("/v1/webhooks/{}", made["id"].as_str().expect("an id"));
    let ask = |method: &str, more: &str, body: Option<Value>| {
        let request = server.ask(method, &format!("{path}{more}")).token(&admin);
        match body {
            Some(body) => request.json(&body).send(),
            None => request.send(),
        }
    };
    assert_eq!(ask("PUT", "/state", Some(json!({ "state": "paused" }))).json()["state"], "paused");
    assert_eq!(store(&server, "Ana", "Beto").status, 201);
    assert_eq!(ask("PUT", "/state", Some(json!({ "state": "enabled" }))).json()["state"], "enabled");
    assert_eq!(receiver.bodies(1)[0]["data"]["change"]["number"], 1, "nothing is lost meanwhile");
    let shown = ask("GET", "", None).json();
    assert_eq!((&shown["events"], &shown["games"]), (&body["events"], &body["games"]));
    assert!(shown.get("secret").is_none(), "{shown}");
    let rotated = ask("POST", "/secret", None).json();
    assert!(rotated["secret"].is_string() && rotated["secret"] != made["secret"], "{rotated}");
    let all = server.ask("GET", "/v1/webhooks").token(&admin).send().json();
    assert_eq!((all["items"].as_array().map(Vec::len), &all["items"][0]["id"]), (Some(1), &made["id"]));
    assert_eq!(ask("DELETE", "", None).json()["id"], made["id"]);
    for (method, more) in [("GET", ""), ("DELETE", ""), ("POST", "/secret"), ("POST", "/ping"), ("GET", "/deliveries")]
    {
        ask(method, more, None).problem(404, "api.not-found");
    }
    ask("PUT", "/state", Some(json!({ "state": "paused" }))).problem(404, "api.not-found");
}

#[test]
fn webhooks_that_are_refused() {
    let server = Server::start();
    let admin = server.token(Scope::Admin);
    let long = format!("https://example.com/{}", "a".repeat(2_000));
    for url in [
        "",
        "example.com",
        "http://example.com/",
        "https://user:secret@example.com/",
        "https://example.com/#a",
        "https://127.0.0.1/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        &long,
    ] {
        let problem = make(&server, &admin, &json!({ "url": url }));
        assert!(!problem.text().contains("secret"), "{}", problem.text());
        problem.problem(400, "api.body");
    }
    let url = "https://example.com/";
    for body in [
        json!({}),
        json!({ "url": url, "events": ["ping"] }),
        json!({ "url": url, "events": ["record"] }),
        json!({ "url": url, "games": ["chess"] }),
        json!({ "url": url, "since": -1 }),
        json!({ "url": url, "secret": "x" }),
    ] {
        make(&server, &admin, &body).problem(400, "api.body");
    }
    let made = make(&server, &admin, &json!({ "url": url })).json();
    let path = format!("/v1/webhooks/{}/state", made["id"].as_str().expect("an id"));
    let state = server.ask("PUT", &path).token(&admin).json(&json!({ "state": "gone" })).send();
    state.problem(400, "api.body");
    for _ in 1..100 {
        assert_eq!(make(&server, &admin, &json!({ "url": url })).status, 201);
    }
    let many = make(&server, &admin, &json!({ "url": url })).problem(409, "api.conflict");
    assert_eq!(many["conflict"], "webhook-many");
}

#[test]
fn only_administrators_have_webhooks() {
    let server = Server::start();
    let body = json!({ "url": "https://example.com/" });
    server.ask("POST", "/v1/webhooks").json(&body).send().problem(401, "api.token");
    for scope in [Scope::RecordsWrite, Scope::EventsAdmin] {
        let token = server.token(scope);
        make(&server, &token, &body).problem(403, "api.scope");
        for path in ["/v1/webhooks", "/v1/webhooks/abcdefgh", "/v1/webhooks/abcdefgh/deliveries"] {
            server.ask("GET", path).token(&token).send().problem(403, "api.scope");
        }
    }
}

#[test]
fn the_page_shows_deliveries_to_administrators() {
    let ((server, admin), receiver) = (service(), Receiver::start());
    let made = make(&server, &admin, &json!({ "url": receiver.url, "since": 0 })).json();
    let id = made["id"].as_str().expect("an id");
    assert_eq!(store(&server, "Ana", "Beto").status, 201);
    receiver.bodies(1);
    let form = server.ask("GET", "/webhooks?lang=en").send();
    let form = form.text();
    assert!(form.contains("name=\"token\"") && !form.contains(id), "{form}");
    let ask = |token: &str| {
        let request = server.ask("POST", "/webhooks?lang=en").header("accept", "text/html");
        request.body("application/x-www-form-urlencoded", format!("token={token}")).send()
    };
    let writer = server.token(Scope::RecordsWrite);
    for (token, status) in [("", 401), ("quipu_x", 401), (&*writer, 403)] {
        let refused = ask(token);
        assert_eq!(refused.status, status);
        assert!(refused.text().contains("role=\"alert\"") && !refused.text().contains(id), "{token}");
    }
    // The delivery is stored after the receiver has answered.
    for _ in 0..1_000 {
        let page = ask(&admin);
        let page = page.text();
        if page.contains("record.verified") {
            assert!(page.contains(id) && page.contains(&receiver.url) && page.contains("delivered"), "{page}");
            assert!(!page.contains(&admin) && !page.contains("whsec_"));
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("no delivery on the page");
}
