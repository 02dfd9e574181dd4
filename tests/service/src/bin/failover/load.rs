//! Clients that write, and the changes that were acknowledged to them.

use std::{
    collections::HashMap,
    sync::{
        RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use quipu_archive::store::{Address, Store, StoreError};
use quipu_referee::report;
use quipu_tests_service::{generator::Generator, program};
use serde_json::{Value, json};
use ureq::{Agent, Body, http::Response};

use crate::services::Services;

/// Time limit of a request. A service gives a lost database up sooner.
const REQUEST: Duration = Duration::from_secs(20);
/// Time limit of a change with all its requests. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Pause before a request is repeated.
const AGAIN: Duration = Duration::from_millis(20);
/// Pause between two looks at the number of changes.
const LOOK: Duration = Duration::from_millis(1);
/// Of so many clients one creates tournaments.
const CREATORS: usize = 8;
/// Changes that are read at once.
const PAGE: usize = 1_000;

/// A change that was acknowledged.
pub(crate) struct Acknowledged {
    number: i64,
    made: Made,
}

/// The content of a change.
enum Made {
    Record { id: String, text: String },
    Tournament { name: String },
}

/// Clients of two services.
pub(crate) struct Load<'s> {
    addresses: [&'s RwLock<String>; 2],
    token: String,
    generator: &'s Generator,
    next: AtomicUsize,
    /// Changes that each service has acknowledged.
    acknowledged: [AtomicUsize; 2],
    /// Requests that were repeated.
    repeated: AtomicUsize,
    ends: AtomicBool,
}

/// Has the clients end, also if the work beside them panics.
struct End<'l>(&'l AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<'s> Load<'s> {
    pub(crate) fn new(addresses: [&'s RwLock<String>; 2], token: &str, generator: &'s Generator) -> Self {
        Self {
            addresses,
            token: token.to_owned(),
            generator,
            next: AtomicUsize::new(0),
            acknowledged: Default::default(),
            repeated: AtomicUsize::new(0),
            ends: AtomicBool::new(false),
        }
    }

    /// Does `work` while clients write, and returns all acknowledged changes.
    pub(crate) fn beside(&self, clients: usize, work: impl FnOnce()) -> Vec<Acknowledged> {
        thread::scope(|scope| {
            let clients: Vec<_> = (0..clients).map(|client| scope.spawn(move || self.client(client))).collect();
            let end = End(&self.ends);
            work();
            drop(end);
            clients.into_iter().flat_map(|client| client.join().expect("a client ends well")).collect()
        })
    }

    /// Changes that were acknowledged by both services, or by one.
    pub(crate) fn acknowledged(&self, service: Option<usize>) -> usize {
        let count = |service: usize| self.acknowledged[service].load(Ordering::Relaxed);
        service.map_or_else(|| count(0) + count(1), count)
    }

    /// Requests that were repeated.
    pub(crate) fn repeated(&self) -> usize {
        self.repeated.load(Ordering::Relaxed)
    }

    /// Waits until there are more acknowledged changes than `before`, and returns the time that this took.
    ///
    /// # Panics
    /// If that hangs.
    pub(crate) fn wait_beyond(&self, before: usize, service: Option<usize>) -> Duration {
        let begun = Instant::now();
        while self.acknowledged(service) <= before {
            assert!(begun.elapsed() < PATIENCE, "writes do not go on");
            thread::sleep(LOOK);
        }
        begun.elapsed()
    }

    /// Makes changes, one after the other.
    fn client(&self, client: usize) -> Vec<Acknowledged> {
        let agents = [(); 2].map(|()| {
            let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(REQUEST));
            config.build().new_agent()
        });
        let mut all = Vec::new();
        while !self.ends.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let made = if client % CREATORS == CREATORS - 1 {
                Made::Tournament { name: format!("Copa {number}") }
            } else {
                Made::Record { id: String::new(), text: self.generator.record(number) }
            };
            all.push(self.make(&agents, client + number, made));
        }
        all
    }

    /// Makes a change, and finds it at the other service.
    fn make(&self, agents: &[Agent; 2], number: usize, mut made: Made) -> Acknowledged {
        let (path, kind, body) = match &made {
            Made::Record { text, .. } => ("records", "text/plain", text.clone()),
            Made::Tournament { name } => ("tournaments", "application/json", tournament(name)),
        };
        let key = format!("{path}-{}", fastrand::u128(..));
        let (service, text) = self.ask(number % 2, 201, |service, address| {
            let post = agents[service].post(format!("{address}/v1/{path}")).header("Idempotency-Key", &key);
            post.header("Authorization", self.bearer()).header("Content-Type", kind).send(&body)
        });
        self.acknowledged[service].fetch_add(1, Ordering::Relaxed);
        let stored: Value = serde_json::from_str(&text).expect("JSON");
        let (change, found) = match &mut made {
            Made::Record { id, .. } => {
                stored["id"].as_str().expect("an id").clone_into(id);
                ("change", id.clone())
            }
            Made::Tournament { .. } => ("tournament", stored["tournament"].to_string()),
        };
        let change = stored[change].as_i64().expect("a number");
        self.ask(1 - service, 200, |service, address| {
            let get = agents[service].get(format!("{address}/v1/{path}/{found}"));
            get.header("Authorization", self.bearer()).header("Quipu-After-Change", change.to_string()).call()
        });
        Acknowledged { number: change, made }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Repeats a request at one service and the other until it has a response, which must have this status. Returns the service and
    /// the text.
    fn ask(
        &self,
        first: usize,
        expected: u16,
        send: impl Fn(usize, &str) -> Result<Response<Body>, ureq::Error>,
    ) -> (usize, String) {
        let begun = Instant::now();
        for service in [0, 1].into_iter().cycle().skip(first) {
            assert!(begun.elapsed() < PATIENCE, "no response");
            let address = format!("http://{}", self.addresses[service].read().expect("nobody panics with it"));
            let response = send(service, &address).and_then(|mut response| {
                let text = response.body_mut().read_to_string()?;
                Ok((response.status().as_u16(), text))
            });
            match response {
                Ok((status, text)) if status == expected => return (service, text),
                // A request is not even read while all threads wait for a frozen server.
                Ok((408 | 503 | 504, _)) | Err(_) => {
                    self.repeated.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(AGAIN);
                }
                Ok((status, text)) => panic!("{status} for {expected}: {text}"),
            }
        }
        unreachable!("the services are tried in turns without end")
    }
}

fn tournament(name: &str) -> String {
    let settings =
        json!({ "name": name, "system": { "kind": "swiss" }, "rounds": 3, "encounter": { "kind": "two-legs" } });
    json!({ "game": "andes", "settings": settings }).to_string()
}

/// Ends the services, and checks that the changes of the archive are the acknowledged ones, each once and with its number.
///
/// # Panics
/// If they are not.
pub(crate) fn verify(services: Services, database: &str, all: &[Acknowledged]) {
    let folder = services.end();
    let checked = program::command(&["archive", "check", "--lang", "en", "--database", database, "--data"])
        .arg(folder.path())
        .output()
        .expect("quipu runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let address = Address::parse(database).expect("an address");
    let store = Store::open_existing_on_server(&address, folder.path()).expect("an archive");
    let by_number: HashMap<_, _> = all.iter().map(|one| (one.number, &one.made)).collect();
    assert_eq!(by_number.len(), all.len(), "two requests have one change");
    let mut last = 0;
    loop {
        let page = store.read(|reading| reading.changes(last, PAGE)).expect("it answers");
        for change in page.items {
            assert_eq!(change.number, last + 1, "changes have a gap");
            last = change.number;
            let made = by_number.get(&last).unwrap_or_else(|| panic!("nobody was told of {change:?}"));
            match made {
                Made::Record { id, text } => {
                    let stored = change.record.expect("the change of a record");
                    assert_eq!(report::hex(&stored), *id);
                    let source =
                        store.read(|reading| reading.source(&stored)).expect("it answers").expect("it is there");
                    assert_eq!(source.bytes, text.as_bytes());
                }
                Made::Tournament { name } => {
                    let number = change.tournament.expect("the change of a tournament");
                    let found = store.read::<_, StoreError>(|reading| reading.tournament(number)).expect("it answers");
                    assert_eq!(found.expect("it is there").tournament.settings.name, *name);
                }
            }
        }
        if page.next.is_none() {
            break;
        }
    }
    assert_eq!(usize::try_from(last), Ok(all.len()), "an acknowledged change is lost");
}
