//! Deliveries to a receiver on this machine, at times that the tests choose.

use std::{
    collections::{HashMap, VecDeque},
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use quipu_archive::{
    model::{Attribution, Delivery, DeliveryFailure, EventType, Kind, Number, Submission, Webhook, WebhookState},
    report::NewsReport,
    store::{Added, ChangeFilter, Filter, NextChange, Refusal, Settled, Store, StoreError, WebhookRefusal},
};
use quipu_notation::record::Format;
use quipu_referee::{Status, report};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    Webhooks,
    courier::{Courier, Step},
    resolver::{Lookup, system_lookup},
    sender::{Sender, TimeLimits},
    signature,
    worker::{Dispatcher, Limits, Message},
};

/// A request as the receiver got it.
#[derive(Clone)]
struct Request {
    headers: HashMap<String, String>,
    body: String,
}

impl Request {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    fn change(&self) -> Number {
        self.json()["data"]["change"]["number"].as_i64().expect("a number")
    }

    /// The id that an event of a webhook has by its change.
    fn id(&self, webhook: &str) -> String {
        let at = self.json()["timestamp"].as_str().map(DateTime::parse_from_rfc3339).expect("a time").expect("a time");
        format!("msg_{webhook}_{}_{}", self.change(), at.timestamp_millis())
    }
}

/// A receiver that answers with the given responses, and then with 204.
#[derive(Clone)]
struct Receiver {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    answers: Arc<Mutex<VecDeque<String>>>,
}

impl Receiver {
    fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let answers = Arc::new(Mutex::new(answers.iter().map(|answer| (*answer).to_owned()).collect()));
        let receiver = Self { address, requests: Arc::default(), answers };
        let own = receiver.clone();
        thread::spawn(move || listener.incoming().for_each(|stream| own.answer(stream.expect("a connection"))));
        receiver
    }

    fn answer(&self, mut stream: TcpStream) {
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

    fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("a lock").clone()
    }

    fn changes(&self) -> Vec<Number> {
        self.requests().iter().map(Request::change).collect()
    }
}

/// An archive with some records, and what delivers its changes.
struct Service {
    courier: Courier,
    folder: TempDir,
}

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_800_000_000_000_000_000);

fn courier(folder: &TempDir, allows_private: bool, lookup: Lookup) -> Courier {
    let store = Store::open(folder.path()).expect("an archive");
    let (sender, holder) = (Sender::new(allows_private, lookup, TimeLimits::default()), "one".to_owned());
    Courier { store, sender, holder, observer: Box::new(|_| ()) }
}

impl Service {
    fn start(records: usize) -> Self {
        Self::with(records, true, system_lookup())
    }

    fn with(records: usize, allows_private: bool, lookup: Lookup) -> Self {
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
    fn add(&self, text: &str) {
        let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
        let added = self.courier.store.write(move |writing| writing.add(&submission, &by(), true)).wait();
        assert!(matches!(added.expect("it is stored"), Added::New(_)), "{text}");
    }

    fn hook(&self, url: &str, events: &[EventType], games: &[&str]) -> String {
        let (url, events) = (url.to_owned(), events.to_vec());
        let games: Vec<_> = games.iter().map(|game| (*game).to_owned()).collect();
        let add = self.courier.store.write(move |writing| writing.add_webhook(&url, &events, &games, Some(0)));
        add.wait().expect("a webhook").id
    }

    fn webhook(&self, id: &str) -> Webhook {
        self.courier.store.read(|reading| reading.webhook(id)).expect("it is read").expect("a webhook")
    }

    fn deliveries(&self, id: &str) -> Vec<Delivery> {
        self.courier.store.read(|reading| reading.deliveries(id)).expect("they are read")
    }

    fn step(&self, id: &str, now: DateTime<Utc>) -> Step {
        self.courier.step(id, 0, now).expect("a step")
    }

    /// Steps as long as there is more.
    fn deliver(&self, id: &str) -> Step {
        loop {
            let step = self.step(id, NOW);
            if step != Step::More {
                return step;
            }
        }
    }

    /// Delivers one change that fails. Returns the failure.
    fn failure(&self, id: &str) -> Option<DeliveryFailure> {
        assert_eq!(self.step(id, NOW), Step::Waiting);
        self.deliveries(id)[0].failure
    }

    fn set(&self, id: &str, state: WebhookState) {
        let id = id.to_owned();
        let set = self.courier.store.write(move |writing| writing.set_webhook_state(&id, state));
        assert_eq!(set.wait().expect("it is set").state, state);
    }
}

fn by() -> Attribution {
    Attribution { submitter: "mesa".to_owned(), author: None, reason: None }
}

#[test]
fn changes_are_delivered_in_order_and_again_after_a_failure() {
    let (service, receiver) = (Service::start(3), Receiver::start(&["500 Oh", "204 No Content", "503 Busy"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.deliver(&id), Step::Waiting);
    assert_eq!(service.step(&id, NOW + TimeDelta::seconds(4)), Step::Waiting, "the pause has not passed");
    assert_eq!(receiver.changes(), [1]);
    let webhook = service.webhook(&id);
    assert_eq!((webhook.attempts, webhook.failing_since, webhook.delivered), (1, Some(NOW), 0));

    let later = NOW + TimeDelta::seconds(10);
    assert_eq!(service.step(&id, later), Step::More);
    assert_eq!(service.webhook(&id).attempts, 0);
    assert_eq!(service.step(&id, later), Step::Waiting, "the second change fails");
    let later = later + TimeDelta::seconds(10);
    assert_eq!([service.step(&id, later), service.step(&id, later)], [Step::More, Step::More]);
    assert_eq!(service.step(&id, later), Step::NothingUpTo(3));
    assert_eq!(receiver.changes(), [1, 1, 2, 2, 3]);
    for request in receiver.requests() {
        assert_eq!(request.headers["webhook-id"], request.id(&id), "each attempt has the id of its event");
    }
    let attempts: Vec<_> = service.deliveries(&id).iter().map(|one| (one.change, one.attempt, one.status)).collect();
    let expected = [(3, 1, 204), (2, 2, 204), (2, 1, 503), (1, 2, 204), (1, 1, 500)];
    assert_eq!(attempts, expected.map(|(change, attempt, status)| (Some(change), attempt, Some(status))));
}

#[test]
fn a_body_has_the_bytes_of_the_feed_and_a_signature() {
    let (service, receiver) = (Service::start(1), Receiver::start(&[]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.deliver(&id);
    let Request { headers, body } = receiver.requests().remove(0);
    let next =
        service.courier.store.read(|reading| reading.next_change(&ChangeFilter::default(), 0)).expect("a change");
    let NextChange::Found(change, card) = next else { panic!("{next:?}") };
    let at = quipu_archive::report::time(change.at);
    let mut data = Vec::new();
    report::write(&NewsReport::new(*change, card.map(|card| *card)), &mut data).expect("written");
    let data = String::from_utf8(data).expect("UTF-8");
    assert_eq!(body, format!("{{\"type\":\"record.verified\",\"timestamp\":\"{at}\",\"data\":{}}}", data.trim_end()));

    let secret = service.webhook(&id).secret;
    let timestamp = NOW.timestamp();
    assert_eq!(headers["webhook-timestamp"], timestamp.to_string());
    assert_eq!(headers["webhook-signature"], signature(&[secret], &headers["webhook-id"], timestamp, body.as_bytes()));
    assert_eq!(headers["content-type"], "application/json");
    assert!(headers["user-agent"].starts_with("quipu/"), "{headers:?}");
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    let before = service.webhook(&id).secret;
    let own = id.clone();
    let rotate = service.courier.store.write(move |writing| writing.rotate_webhook_secret(&own));
    let after = rotate.wait().expect("it is rotated").secret;
    assert_ne!(before, after);
    let until = service.webhook(&id).old_secret.expect("an old secret").1;
    service.step(&id, until - TimeDelta::seconds(1));
    service.step(&id, until + TimeDelta::seconds(60));
    let requests = receiver.requests();
    for (request, secrets) in requests.iter().zip([&[after, before][..], &[after]]) {
        let timestamp = request.headers["webhook-timestamp"].parse().expect("a number");
        let expected = signature(secrets, &request.id(&id), timestamp, request.body.as_bytes());
        assert_eq!(request.headers["webhook-signature"], expected);
    }
    assert_eq!(requests.len(), 2);
}

#[test]
fn a_restart_goes_on_after_the_last_delivery() {
    let (service, receiver) = (Service::start(3), Receiver::start(&["204 No Content", "500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.deliver(&id), Step::Waiting);
    service.courier.store.close().expect("closed");
    let service = Service { courier: courier(&service.folder, true, system_lookup()), folder: service.folder };
    assert_eq!(service.step(&id, NOW), Step::Waiting, "the pause goes on");
    let later = NOW + TimeDelta::seconds(10);
    assert_eq!([service.step(&id, later), service.step(&id, later)], [Step::More, Step::More]);
    assert_eq!(receiver.changes(), [1, 2, 2, 3]);
    assert_eq!(service.deliveries(&id)[1].attempt, 2);
}

#[test]
fn a_receiver_that_fails_for_three_days_is_disabled() {
    let (service, receiver) = (Service::start(2), Receiver::start(&vec!["500 Oh"; 100]));
    let id = service.hook(&receiver.url(), &[], &[]);
    let mut now = NOW;
    let end = NOW + TimeDelta::days(3);
    while service.webhook(&id).state == WebhookState::Enabled {
        assert_eq!(service.step(&id, now), Step::Waiting);
        if let Some(next) = service.webhook(&id).next_attempt {
            assert!(next > now && next <= end, "{next}");
            now = next;
        }
    }
    let webhook = service.webhook(&id);
    assert_eq!((webhook.state, now, webhook.failing_since), (WebhookState::Failed, end, Some(NOW)));
    let attempts = receiver.changes().len();
    assert!((20..=25).contains(&attempts) && webhook.attempts == u32::try_from(attempts).expect("few"), "{attempts}");
    assert_eq!(service.step(&id, end + TimeDelta::days(1)), Step::Waiting, "it gets nothing more");
    assert_eq!(receiver.changes().len(), attempts);

    // Enabled again, it goes on where it was.
    receiver.answers.lock().expect("a lock").clear();
    service.set(&id, WebhookState::Enabled);
    assert_eq!(service.webhook(&id).attempts, 0);
    service.deliver(&id);
    assert_eq!(receiver.changes()[attempts..], [1, 2]);
}

#[test]
fn a_receiver_that_is_gone_is_disabled_at_once() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["410 Gone"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Gone));
    assert_eq!(service.webhook(&id).state, WebhookState::Gone);
    assert_eq!(service.step(&id, NOW + TimeDelta::days(1)), Step::Waiting);
    assert_eq!(receiver.requests().len(), 1);
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Receiver::start(&[]);
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let receiver = Receiver::start(&[&format!("{status}\r\nLocation: {}", other.url())]);
        let service = Service::start(1);
        let id = service.hook(&receiver.url(), &[], &[]);
        assert_eq!(service.failure(&id), Some(DeliveryFailure::Redirect), "{status}");
        assert_eq!((receiver.requests().len(), other.requests().len()), (1, 0), "{status}");
    }
}

#[test]
fn a_receiver_may_ask_for_a_pause() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["429 Too Many Requests\r\nRetry-After: 120"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Status));
    let ended = NOW + service.deliveries(&id)[0].duration;
    assert_eq!(service.webhook(&id).next_attempt, Some(ended + TimeDelta::seconds(120)));
}

/// A receiver that answers late has its pause all the same.
#[test]
fn a_pause_begins_with_the_end_of_an_attempt() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let held = receiver.answers.lock().expect("a lock");
    thread::scope(|scope| {
        let id = service.hook(&receiver.url(), &[], &[]);
        let step = scope.spawn({
            let (service, id) = (&service, id.clone());
            move || service.step(&id, NOW)
        });
        while receiver.requests().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_secs(1));
        drop(held);
        assert_eq!(step.join().expect("it ends"), Step::Waiting);
        let duration = service.deliveries(&id)[0].duration;
        assert!(duration >= Duration::from_secs(1), "{duration:?}");
        let next = service.webhook(&id).next_attempt.expect("another attempt");
        assert!(next >= NOW + duration + TimeDelta::seconds(5), "{next}");
    });
}

/// The clock was a week ahead when the attempt failed.
#[test]
fn a_clock_that_is_set_back_stalls_nothing() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.step(&id, NOW + TimeDelta::days(7)), Step::Waiting);
    let webhook = service.webhook(&id);
    let next = webhook.next_attempt.expect("another attempt");
    let is_due = |now| service.courier.is_due(&webhook, 1, 0, now);
    let longest = TimeDelta::hours(6);
    assert!(!is_due(next - longest) && is_due(next - longest - TimeDelta::seconds(1)) && is_due(next));
    assert_eq!(service.step(&id, NOW), Step::More);
    assert_eq!(receiver.changes(), [1, 1]);
}

/// An administrator enables the webhook while an attempt is under way that fails then.
#[test]
fn a_webhook_that_is_enabled_begins_anew() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"; 3]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.step(&id, NOW);
    service.set(&id, WebhookState::Enabled);
    let webhook = service.webhook(&id);
    assert_eq!((webhook.attempts, webhook.next_attempt, webhook.failing_since), (0, None, None));
    assert_eq!(service.step(&id, NOW), Step::Waiting);
    let late = Delivery { attempt: 4, ..service.deliveries(&id)[0].clone() };
    for settled in [Settled::Retry(NOW), Settled::Disabled(WebhookState::Failed)] {
        let (id, late) = (id.clone(), late.clone());
        let settle = service.courier.store.write(move |writing| writing.settle(&id, 0, &late, settled));
        assert!(!settle.wait().map_err(|error: StoreError| error.to_string()).expect("it answers"), "{settled:?}");
    }
    let webhook = service.webhook(&id);
    assert_eq!((webhook.state, webhook.attempts), (WebhookState::Enabled, 1));
}

/// A lookup of any name that gives these addresses one after the other, and counts how often it was asked.
fn lookup(answers: &[&[SocketAddr]]) -> (Lookup, Arc<Mutex<usize>>) {
    let (answers, asked) = (answers.iter().map(|found| found.to_vec()).collect::<Vec<_>>(), Arc::new(Mutex::new(0)));
    let count = Arc::clone(&asked);
    let lookup: Lookup = Arc::new(move |_, _| {
        let mut count = count.lock().expect("a lock");
        *count += 1;
        Ok(answers[(*count - 1).min(answers.len() - 1)].clone())
    });
    (lookup, asked)
}

#[test]
fn private_addresses_are_refused_unless_they_are_allowed() {
    let receiver = Receiver::start(&[]);
    for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]"] {
        let found = format!("{address}:{}", receiver.address.port()).parse().expect("an address");
        let (lookup, _) = lookup(&[&[found]]);
        let service = Service::with(1, false, lookup);
        let id = service.hook("https://receiver.example/", &[], &[]);
        assert_eq!(service.failure(&id), Some(DeliveryFailure::Address), "{address}");
    }
    for name in ["localhost", "2130706433", "0x7f000001", "127.1"] {
        let service = Service::with(1, false, system_lookup());
        let id = service.hook(&format!("https://{name}:{}/", receiver.address.port()), &[], &[]);
        let failure = service.failure(&id);
        assert!(matches!(failure, Some(DeliveryFailure::Address | DeliveryFailure::Name)), "{name}: {failure:?}");
    }
    assert_eq!(receiver.requests().len(), 0);
}

/// Only private addresses are called without TLS: `http` to a public one would be in the clear.
#[test]
fn http_goes_to_private_addresses_alone() {
    let (lookup, _) = lookup(&[&["8.8.8.8:80".parse().expect("an address")]]);
    let service = Service::with(1, true, lookup);
    let id = service.hook("http://receiver.example/", &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Address));
    let service = Service::with(1, false, system_lookup());
    let id = service.hook("http://receiver.example/", &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Address), "http is not allowed at all");
}

/// The name of a receiver has another address for each lookup, as with DNS rebinding. Each attempt looks it up once, and connects
/// to the address that was checked.
#[test]
fn a_name_that_changes_its_address_leads_nowhere_else() {
    let (receiver, metadata) = (Receiver::start(&[]), "169.254.169.254:80".parse().expect("an address"));
    let (lookup, asked) = lookup(&[&[metadata, receiver.address], &[metadata]]);
    let service = Service::with(2, true, lookup);
    let id = service.hook("http://receiver.example/", &[], &[]);
    assert_eq!(service.step(&id, NOW), Step::More, "the address that may be called is called");
    assert_eq!((receiver.changes(), *asked.lock().expect("a lock")), (vec![1], 1));
    assert_eq!(receiver.requests()[0].headers["host"], "receiver.example");
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Address));
    assert_eq!((receiver.changes(), *asked.lock().expect("a lock")), (vec![1], 2));
}

#[test]
fn other_failures() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let plain = Receiver::start(&[]);
    let long = Receiver::start(&[&format!("200 OK\r\nX-Long: {}", "x".repeat(100_000))]);
    let wrong = Receiver::start(&["nothing"]);
    for (url, failure) in [
        (format!("http://{closed}/"), DeliveryFailure::Connection),
        ("http://receiver.invalid/".to_owned(), DeliveryFailure::Name),
        (format!("https://{}/", plain.address), DeliveryFailure::Tls),
        (long.url(), DeliveryFailure::Response),
        (wrong.url(), DeliveryFailure::Response),
    ] {
        let service = Service::start(1);
        let id = service.hook(&url, &[], &[]);
        assert_eq!(service.failure(&id), Some(failure), "{url}");
        assert_eq!(service.deliveries(&id)[0].status, None, "{url}");
    }
}

#[test]
fn events_and_games_are_chosen() {
    let (service, receiver) = (Service::start(1), Receiver::start(&[]));
    service.add("[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 2a1 1-0\n");
    service.add("[Game \"brandubh\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\n0-1\n");
    let id = service.courier.store.read(|reading| reading.cards(&Filter::default(), None, 10));
    let id = id.expect("cards").items.iter().find(|card| card.status == Status::Verified).expect("a record").id;
    let retract = service.courier.store.write(move |writing| writing.retract(&id, &by()));
    assert!(retract.wait().map_err(|refusal: Refusal| format!("{refusal:?}")).is_ok());

    let types = |events: &[EventType], games: &[&str]| {
        let before = receiver.requests().len();
        let id = service.hook(&receiver.url(), events, games);
        assert_eq!(service.deliver(&id), Step::NothingUpTo(4));
        let types = receiver.requests()[before..].iter().map(|one| one.json()["type"].clone()).collect::<Vec<_>>();
        types.iter().map(|name| name.as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    let all = types(&[], &[]);
    assert_eq!(all.len(), 4);
    assert_eq!((&*all[1], &*all[3]), ("record.rejected", "retraction"));
    assert_eq!(types(&[EventType::Record(Status::Rejected)], &[]), ["record.rejected"]);
    assert_eq!(types(&[EventType::Change(Kind::Retraction), EventType::Change(Kind::Undo)], &[]), ["retraction"]);
    assert_eq!(types(&[], &["brandubh"]).len() + types(&[], &["andes"]).len(), 4);
    assert_eq!(types(&[EventType::Record(Status::Rejected)], &["brandubh"]), [""; 0]);
}

/// The place of a webhook that gets nothing of a long log is stored from time to time.
#[test]
fn changes_that_a_webhook_does_not_get_are_passed_over() {
    let (service, receiver) = (Service::start(1_101), Receiver::start(&[]));
    for (events, games) in [(&[EventType::Change(Kind::Undo)][..], &[][..]), (&[], &["querni"])] {
        let id = service.hook(&receiver.url(), events, games);
        assert_eq!(service.step(&id, NOW), Step::More);
        assert_eq!(service.webhook(&id).delivered, 1_000);
        assert_eq!(service.deliver(&id), Step::NothingUpTo(1_101));
        assert_eq!((service.webhook(&id).delivered, receiver.requests().len()), (1_000, 0));
    }
}

#[test]
fn a_paused_webhook_gets_tests_alone_and_misses_nothing() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.set(&id, WebhookState::Paused);
    assert_eq!(service.step(&id, NOW), Step::Waiting);
    let ping = service.courier.ping(&id, NOW).expect("it is sent").expect("a webhook");
    assert_eq!((ping.event, ping.status, ping.failure), (EventType::Ping, Some(500), Some(DeliveryFailure::Status)));
    assert_eq!(service.deliveries(&id), [ping]);
    let sent = receiver.requests()[0].json();
    assert_eq!((&sent["type"], &sent["data"]["webhook"]), (&Value::from("ping"), &Value::from(id.clone())));
    assert_eq!(service.webhook(&id).attempts, 0, "a test changes nothing");
    assert!(service.courier.ping("abcdefgh", NOW).expect("it answers").is_none());
    service.set(&id, WebhookState::Enabled);
    service.deliver(&id);
    assert_eq!(receiver.requests()[1].change(), 1);
}

#[test]
fn attempts_are_bounded_and_go_with_their_webhook() {
    let (service, receiver) = (Service::start(105), Receiver::start(&[]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.deliver(&id);
    let deliveries = service.deliveries(&id);
    assert_eq!((deliveries.len(), deliveries[0].change, deliveries[99].change), (100, Some(105), Some(6)));
    let own = id.clone();
    service.courier.store.write(move |writing| writing.delete_webhook(&own)).wait().expect("deleted");
    assert_eq!(service.deliveries(&id), []);
    assert_eq!(service.step(&id, NOW), Step::Waiting);
    let again = service.courier.store.write(move |writing| writing.delete_webhook(&id)).wait();
    assert!(matches!(again, Err(WebhookRefusal::Missing)), "{again:?}");
}

#[test]
fn an_archive_has_a_hundred_webhooks() {
    let service = Service::start(0);
    let add = || service.courier.store.write(|writing| writing.add_webhook("https://a.example", &[], &[], None)).wait();
    for _ in 0..100 {
        add().expect("a webhook");
    }
    assert!(matches!(add(), Err(WebhookRefusal::TooMany(100))));
}

/// Of several services one delivers, until its time has passed without a delivery.
#[test]
fn one_service_holds_a_webhook() {
    let service = Service::start(0);
    let id = service.hook("https://a.example", &[], &[]);
    let hold = |holder: &'static str, seconds: i64| {
        let (id, now) = (id.clone(), NOW + TimeDelta::seconds(seconds));
        let until = now + TimeDelta::seconds(60);
        let held = service.courier.store.write(move |writing| writing.hold_webhook(&id, holder, now, until));
        held.wait().map_err(|error: StoreError| error.to_string()).expect("it answers")
    };
    assert_eq!([hold("one", 0), hold("two", 1), hold("one", 30), hold("two", 61)], [true, false, true, false]);
    assert_eq!([hold("two", 90), hold("one", 91)], [true, false]);
    // A time that is farther ahead than twice a minute is from a clock that was set back; another clock may differ by a minute.
    assert_eq!([hold("one", 30), hold("one", 29)], [false, true]);
    // A service that stops leaves it to another.
    assert!(!hold("two", 30));
    assert_eq!(service.courier.holder, "one");
    service.courier.release();
    assert!(hold("two", 30));
}

/// The largest event has a reason and names of the greatest length, with letters that JSON escapes.
#[test]
fn bodies_are_bounded() {
    let (service, receiver) = (Service::start(0), Receiver::start(&[]));
    let long = "ñ".repeat(10_000);
    service.add(&format!(
        "[Game \"andes\"]\n[Event \"{long}\"]\n[Round \"{long}\"]\n[Sol \"{long}a\"]\n[Luna \"{long}b\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    ));
    let cards = service.courier.store.read(|reading| reading.cards(&Filter::default(), None, 1)).expect("a card");
    let (id, reason) = (cards.items[0].id, "\u{202e}".repeat(Attribution::REASON));
    let by = Attribution::decision("mesa".to_owned(), Some(&reason), None).expect("a reason");
    let retract = service.courier.store.write(move |writing| writing.retract(&id, &by));
    assert!(retract.wait().map_err(|refusal: Refusal| format!("{refusal:?}")).is_ok());
    let hook = service.hook(&receiver.url(), &[], &[]);
    service.deliver(&hook);
    let longest = receiver.requests().iter().map(|request| request.body.len()).max().expect("requests");
    assert!((12_000..=32 * 1024).contains(&longest), "{longest}");
}

/// The threads of a service deliver to a new webhook, and to it alone what comes after it.
#[test]
fn a_service_delivers_by_itself() {
    let (service, receiver) = (Service::start(2), Receiver::start(&[]));
    let results = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&results);
    let observe = move |delivery: &Delivery| noted.lock().expect("a lock").push(delivery.change);
    let webhooks = Webhooks::start(service.courier.store.clone(), true, observe).expect("it starts");
    let id = service.hook(&receiver.url(), &[], &[]);
    webhooks.wake();
    let wait_for = |count: usize| {
        for _ in 0..2_000 {
            if service.webhook(&id).delivered >= i64::try_from(count).expect("few") {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{:?}", service.deliveries(&id));
    };
    wait_for(2);
    service.add("[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 2a1 1-0\n");
    webhooks.wake();
    wait_for(3);
    assert_eq!(receiver.changes(), [1, 2, 3]);
    assert_eq!(*results.lock().expect("a lock"), [Some(1), Some(2), Some(3)]);
}

/// A dispatcher whose turns the test begins and awaits.
struct Turns {
    dispatcher: Dispatcher,
    ends: mpsc::Receiver<Message>,
    now: Instant,
}

impl Turns {
    fn new(courier: Courier, limits: Limits) -> Self {
        let (messages, ends) = mpsc::channel();
        Self { dispatcher: Dispatcher::new(Arc::new(courier), messages, limits), ends, now: Instant::now() }
    }

    /// Begins the turns that are due. Returns how many are under way.
    fn start(&mut self) -> usize {
        self.dispatcher.start_due(self.now).expect("it looks");
        self.dispatcher.busy.len()
    }

    /// Waits for the end of a turn.
    fn end_one(&mut self) {
        let end = self.ends.recv_timeout(Duration::from_secs(60)).expect("a turn ends");
        self.dispatcher.note(end, self.now);
    }

    fn after(&mut self, seconds: u64) -> usize {
        self.now += Duration::from_secs(seconds);
        self.start()
    }
}

/// The header of the file says that programs of today may read it and not write.
#[test]
fn a_receiver_is_left_alone_while_results_cannot_be_stored() {
    let (service, receiver) = (Service::start(1), Receiver::start(&[]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.courier.store.close().expect("closed");
    let mut file = File::options().write(true).open(service.courier.store.path()).expect("it is there");
    file.seek(SeekFrom::Start(18)).expect("it is long enough");
    file.write_all(&[3]).expect("it is written");
    let mut turns = Turns::new(courier(&service.folder, true, system_lookup()), Limits::default());
    for (pause, attempts) in [(0, 1), (5, 2), (10, 3), (20, 4), (40, 5)] {
        if pause > 0 {
            assert_eq!(turns.after(pause - 1), 0, "the pause has not passed");
        }
        assert_eq!(turns.after(1), 1);
        turns.end_one();
        assert_eq!((turns.start(), receiver.changes()), (0, vec![1; attempts]));
    }
    // After a turn without a failure there is no pause.
    turns.dispatcher.note(Message::Done(id, Ok(None)), turns.now);
    assert_eq!(turns.start(), 1);
    turns.end_one();
    assert_eq!([turns.after(4), turns.after(1)], [0, 1], "the pauses begin anew");
}

/// A receiver that takes connections and never answers.
fn silent_receiver() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    (listener, url)
}

fn sender_with(whole: Duration) -> Sender {
    Sender::new(true, system_lookup(), TimeLimits { whole, ..TimeLimits::default() })
}

#[test]
fn a_receiver_that_never_answers_is_given_up() {
    let (_silent, url) = silent_receiver();
    let mut service = Service::start(1);
    service.courier.sender = sender_with(Duration::from_millis(100));
    let id = service.hook(&url, &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Timeout));
    assert!(service.deliveries(&id)[0].duration >= Duration::from_millis(100));
}

/// Eight of nine receivers are waited for at a time, and the ninth is the next.
#[test]
fn eight_webhooks_are_delivered_to_at_once() {
    let (_silent, url) = silent_receiver();
    let mut service = Service::start(1);
    service.courier.sender = sender_with(Duration::from_millis(500));
    let mut ids: Vec<_> = (0..9).map(|_| service.hook(&url, &[], &[])).collect();
    let mut turns = Turns::new(service.courier, Limits::default());
    assert_eq!([turns.start(), turns.start()], [8, 8]);
    ids.retain(|id| !turns.dispatcher.busy.contains(id));
    turns.end_one();
    turns.start();
    assert!(ids.len() == 1 && turns.dispatcher.busy.contains(&ids[0]), "{ids:?}");
}

/// A turn ends after some events or some time, whichever is first; then it is the turn of others.
#[test]
fn turns_are_bounded() {
    let long = Duration::from_secs(3_600);
    for (limits, events) in [
        (Limits { time: long, ..Limits::default() }, 100),
        (Limits { time: Duration::ZERO, ..Limits::default() }, 1),
        (Limits { time: long, events: 2, at_once: 1 }, 2),
    ] {
        let (service, receiver) = (Service::start(105), Receiver::start(&[]));
        service.hook(&receiver.url(), &[], &[]);
        let mut turns = Turns::new(service.courier, limits);
        assert_eq!(turns.start(), 1);
        turns.end_one();
        assert_eq!(receiver.requests().len(), events);
    }
}

#[test]
fn the_guide_has_the_limits() {
    let Limits { at_once, events, time } = Limits::default();
    let TimeLimits { whole, connect } = TimeLimits::default();
    let [time, whole, connect] = [time, whole, connect].map(|limit| limit.as_secs());
    for (guide, lines) in [
        (
            include_str!("../../../docs/webhooks.md"),
            [
                format!("| {connect} s, {whole} s |"),
                format!("| {at_once}, in turns of up to {events} changes, of which none begins after {time} seconds |"),
            ],
        ),
        (
            include_str!("../../../docs/webhooks.es.md"),
            [
                format!("| {connect} s y {whole} s |"),
                format!(
                    "| {at_once}, en turnos de hasta {events} cambios, de los que ninguno empieza pasados {time} segundos |"
                ),
            ],
        ),
    ] {
        assert!(lines.iter().all(|line| guide.contains(line)), "{lines:?}");
    }
}
