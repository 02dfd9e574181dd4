//! A service on an archive, and a receiver on this machine.

use std::{
    collections::{HashMap, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use chrono::{DateTime, Utc};
use quipu_archive::{
    model::{Attribution, Delivery, DeliveryFailure, EventType, Number, Submission, Webhook, WebhookState},
    store::{Added, Store},
};
use quipu_notation::record::Format;
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    courier::{Courier, Step},
    resolver::{Lookup, system_lookup},
    sender::{Sender, TimeLimits},
};

/// A request as the receiver got it.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) headers: HashMap<String, String>,
    pub(super) body: String,
}

impl Request {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub(super) fn change(&self) -> Number {
        self.json()["data"]["change"]["number"].as_i64().expect("a number")
    }

    /// The id that an event of a webhook has by its change.
    pub(super) fn id(&self, webhook: &str) -> String {
        let at = self.json()["timestamp"].as_str().map(DateTime::parse_from_rfc3339).expect("a time").expect("a time");
        format!("msg_{webhook}_{}_{}", self.change(), at.timestamp_millis())
    }
}

/// A receiver that answers with the given responses, and then with 204.
#[derive(Clone)]
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    pub(super) requests: Arc<Mutex<Vec<Request>>>,
    pub(super) answers: Arc<Mutex<VecDeque<String>>>,
}

impl Receiver {
    pub(super) fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let answers = Arc::new(Mutex::new(answers.iter().map(|answer| (*answer).to_owned()).collect()));
        let receiver = Self { address, requests: Arc::default(), answers };
        let own = receiver.clone();
        thread::spawn(move || listener.incoming().for_each(|stream| own.answer(stream.expect("a connection"))));
        receiver
    }

    pub(super) fn answer(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().expect("a stream"));
        let mut line = String::new();
        // A connection without a request counts too.
        let mut headers = HashMap::from([("first".to_owned(), String::new())]);
        while lines.read_line(&mut line).is_ok_and(|read| read > 2) {
            if let Some((name, value)) = line.trim_end().split_once(": ") {
                headers.insert(name.to_lowercase(), value.to_owned());
            }
            line.clear();
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
        let mut body = vec![0; length];
        lines.read_exact(&mut body).expect("a body");
        let body = String::from_utf8(body).expect("UTF-8");
        self.requests.lock().expect("a lock").push(Request { headers, body });
        let answer = self.answers.lock().expect("a lock").pop_front().unwrap_or_else(|| "204 No Content".to_owned());
        // The sender may have closed the connection.
        drop(write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("a lock").clone()
    }

    pub(super) fn changes(&self) -> Vec<Number> {
        self.requests().iter().map(Request::change).collect()
    }
}

/// An archive with some records, and what delivers its changes.
pub(super) struct Service {
    pub(super) courier: Courier,
    pub(super) folder: TempDir,
}

pub(super) const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_800_000_000_000_000_000);

pub(super) fn courier(folder: &TempDir, allows_private: bool, lookup: Lookup) -> Courier {
    let store = Store::open(folder.path()).expect("an archive");
    let (sender, holder) = (Sender::new(allows_private, lookup, TimeLimits::default()), "one".to_owned());
    Courier { store, sender, holder, observer: Box::new(|_| ()) }
}

impl Service {
    pub(super) fn start(records: usize) -> Self {
        Self::with(records, true, system_lookup())
    }

    pub(super) fn with(records: usize, allows_private: bool, lookup: Lookup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let service = Self { courier: courier(&folder, allows_private, lookup), folder };
        for site in 0..records {
            service.add(&format!(
                "[Game \"andes\"]\n[Site \"{site}\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
            ));
        }
        service
    }

    /// Stores a record, also one that is not verified.
    pub(super) fn add(&self, text: &str) {
        let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
        let added = self.courier.store.write(move |writing| writing.add(&submission, &by(), true)).wait();
        assert!(matches!(added.expect("it is stored"), Added::New(_)), "{text}");
    }

    pub(super) fn hook(&self, url: &str, events: &[EventType], games: &[&str]) -> String {
        let (url, events) = (url.to_owned(), events.to_vec());
        let games: Vec<_> = games.iter().map(|game| (*game).to_owned()).collect();
        let add = self.courier.store.write(move |writing| writing.add_webhook(&url, &events, &games, Some(0)));
        add.wait().expect("a webhook").id
    }

    pub(super) fn webhook(&self, id: &str) -> Webhook {
        self.courier.store.read(|reading| reading.webhook(id)).expect("it is read").expect("a webhook")
    }

    pub(super) fn deliveries(&self, id: &str) -> Vec<Delivery> {
        self.courier.store.read(|reading| reading.deliveries(id)).expect("they are read")
    }

    pub(super) fn step(&self, id: &str, now: DateTime<Utc>) -> Step {
        self.courier.step(id, 0, now).expect("a step")
    }

    /// Steps as long as there is more.
    pub(super) fn deliver(&self, id: &str) -> Step {
        loop {
            let step = self.step(id, NOW);
            if step != Step::More {
                return step;
            }
        }
    }

    /// Delivers one change that fails. Returns the failure.
    pub(super) fn failure(&self, id: &str) -> Option<DeliveryFailure> {
        assert_eq!(self.step(id, NOW), Step::Waiting);
        self.deliveries(id)[0].failure
    }

    pub(super) fn set(&self, id: &str, state: WebhookState) {
        let id = id.to_owned();
        let set = self.courier.store.write(move |writing| writing.set_webhook_state(&id, state));
        assert_eq!(set.wait().expect("it is set").state, state);
    }
}

pub(super) fn by() -> Attribution {
    Attribution { submitter: "mesa".to_owned(), author: None, reason: None }
}
