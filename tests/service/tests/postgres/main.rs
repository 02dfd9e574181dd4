//! Archives in a PostgreSQL database: several stores in one, sessions that are lost, copies, databases that are refused, and
//! servers that fail in other ways.
//!
//! The other tests of the archive and of the service run on PostgreSQL with the program `with_postgres`.
#![cfg(unix)]
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

mod failures;
mod maintenance;
mod program;
mod tls;
mod writes;

use std::{
    collections::BTreeSet,
    net::TcpListener,
    path::Path,
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use quipu_archive::{
    model::{Attribution, Delivery, DeliveryFailure, EventType, Number, Submission},
    store::{Added, Address, Filter, ReadTx, Settled, Store, StoreError, TextFilter, WebhookRefusal, WriteTx},
};
use quipu_notation::record::Format;
use quipu_tests_service::{generator::Generator, postgres::Postgres};
use quipu_webhooks::Webhooks;
use tempfile::{TempDir, tempdir};

/// Time limit of a query that only a hang exceeds.
const PATIENCE: Duration = Duration::from_secs(30);

fn by() -> Attribution {
    Attribution { submitter: "test".to_owned(), author: None, reason: None }
}

fn records(range: std::ops::Range<usize>) -> Vec<Submission> {
    let generator = Generator::new();
    let texts = range.map(|number| generator.record(number));
    texts.map(|text| Submission::again(text.as_bytes(), Format::Quipu).expect("a record")).collect()
}

/// A server with an archive.
struct Place {
    server: Postgres,
    address: Address,
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let server = Postgres::start();
        let address = Address::parse(&server.address()).expect("an address");
        Self { server, address, folder: tempdir().expect("a folder") }
    }

    fn open(&self) -> Store {
        self.open_at(self.folder.path())
    }

    fn open_at(&self, folder: &Path) -> Store {
        Store::open_on_server(&self.address, folder).expect("an archive")
    }
}

/// Adds a record; again if the connection is lost during the commit.
fn add(store: &Store, record: &Submission) -> Number {
    loop {
        let record = record.clone();
        match store.write(move |writing| writing.add(&record, &by(), false)).wait() {
            Ok(Added::New(number) | Added::AlreadyStored(number, _)) => return number,
            Ok(Added::Refused) => panic!("a verified record"),
            Err(StoreError::Unconfirmed(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// All records are there once, changes have no gaps, and nothing is wrong.
#[track_caller]
fn check(store: &Store, count: u64) {
    let checked = store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    assert_eq!((checked.records, checked.faults), (count, 0));
    let last = store.read(|reading| reading.last_change()).expect("it answers");
    assert_eq!(u64::try_from(last), Ok(count));
}

#[test]
fn several_stores_write_in_turns() {
    let place = Place::new();
    let (one, other) = (place.open(), place.open());
    let all = records(0..120);
    let numbers: BTreeSet<Number> = thread::scope(|scope| {
        let halves = all.chunks(all.len() / 2).zip([&one, &other]);
        let threads: Vec<_> = halves
            .map(|(half, store)| scope.spawn(move || half.iter().map(|record| add(store, record)).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    });
    assert_eq!(numbers, (1..=120).collect());
    check(&one, 120);
    let version = other.version();
    add(&one, &records(120..121)[0]);
    while other.version() == version {
        thread::sleep(Duration::from_millis(5));
    }
    check(&other, 121);
}

#[test]
fn a_lost_session_loses_nothing() {
    let place = Place::new();
    let store = place.open();
    let (done, stored) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..20 {
                thread::sleep(Duration::from_millis(250));
                place.server.end_sessions();
            }
            done.store(true, Ordering::Relaxed);
        });
        for record in records(0..10_000) {
            if done.load(Ordering::Relaxed) {
                break;
            }
            add(&store, &record);
            stored.fetch_add(1, Ordering::Relaxed);
        }
    });
    check(&store, stored.into_inner());
}

#[test]
fn a_store_whose_session_was_lost_looks_names_up_again() {
    let place = Place::new();
    let (one, other) = (place.open(), place.open());
    let all = records(0..120);
    let [name, into] = [0, 1].map(|record| all[record].facts.players[0].clone().expect("a name"));
    let of = |record: &Submission, name: &String| record.facts.players.iter().flatten().any(|own| own == name);
    let again =
        all[2..].iter().find(|record| of(record, &name) && !of(record, &into)).expect("a player has many games");
    for record in &all[..2] {
        add(&one, record);
    }
    place.server.end_sessions();
    // The stores notice that.
    thread::sleep(Duration::from_millis(500));
    other.write(move |writing| writing.merge(&name, &into, &by())).wait().expect("it is merged");
    add(&one, again);
    let checked = one.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    assert_eq!((checked.records, checked.faults), (3, 0));
}

#[test]
fn a_standby_takes_over() {
    let primary = Postgres::start();
    let standby = primary.standby();
    let both = format!("postgres://quipu@{},{}/postgres", primary.host(), standby.host());
    let address = Address::parse(&both).expect("an address");
    let folder = tempdir().expect("a folder");
    let store = Store::open_on_server(&address, folder.path()).expect("an archive");
    let all = records(0..160);
    thread::scope(|scope| {
        for quarter in all.chunks(40) {
            let store = &store;
            scope.spawn(move || {
                for record in quarter {
                    add(store, record);
                }
            });
        }
        thread::sleep(Duration::from_millis(300));
        primary.kill();
        standby.promote();
    });
    // Each acknowledged record is on the standby, once.
    check(&store, 160);
}

/// A store of two hosts.
fn on_both(primary: &Postgres, other: &str, parameters: &str) -> (Store, TempDir) {
    let both = format!("postgres://quipu@{},{other}/postgres{parameters}", primary.host());
    let folder = tempdir().expect("a folder");
    let address = Address::parse(&both).expect("an address");
    (Store::open_on_server(&address, folder.path()).expect("an archive"), folder)
}

/// A store of a primary and its standby that reads from the standby.
fn reading_from_standby(primary: &Postgres, standby: &Postgres) -> (Store, TempDir) {
    on_both(primary, &standby.host(), "?target_session_attrs=prefer-standby")
}

/// Number of sessions of archives on a server.
fn sessions(server: &Postgres) -> u32 {
    let count = server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'quipu'");
    count.parse().expect("a number")
}

fn last_change(store: &Store) -> Number {
    store.read(|reading| reading.last_change()).expect("it answers")
}

/// True if a read of one query shows a record.
fn shows(store: &Store, record: &Submission) -> bool {
    store.read_autocommit(PATIENCE, |reading| reading.source(&record.id, 1 << 20)).expect("it answers").is_some()
}

#[test]
fn reads_prefer_a_standby() {
    let primary = Postgres::start();
    let standby = primary.standby();
    let (store, _folder) = reading_from_standby(&primary, &standby);
    add(&store, &records(0..1)[0]);
    standby.wait_until("SELECT count(*) FROM change", "1");
    assert!(shows(&store, &records(0..1)[0]));
    assert_eq!(last_change(&store), 1);
    assert_eq!(sessions(&standby), 1);
    // Without a standby the primary is read.
    standby.kill();
    primary.sql("ALTER SYSTEM RESET synchronous_standby_names");
    primary.sql("SELECT pg_reload_conf()");
    add(&store, &records(1..2)[0]);
    // The session was lost: a read of one query notices, and reads the primary.
    assert!(shows(&store, &records(1..2)[0]));
    assert_eq!(last_change(&store), 2);
}

#[test]
fn a_standby_that_lags_is_not_read() {
    let primary = Postgres::start();
    let standby = primary.standby();
    let (one, _folder) = reading_from_standby(&primary, &standby);
    let (other, _other_folder) = reading_from_standby(&primary, &standby);
    add(&one, &records(0..1)[0]);
    standby.wait_until("SELECT count(*) FROM change", "1");
    assert_eq!([&one, &other].map(last_change), [1, 1]);
    assert_eq!(sessions(&standby), 2);
    // The standby has all that is committed, and shows nothing new.
    standby.sql("SELECT pg_wal_replay_pause()");
    standby.wait_until("SELECT pg_get_wal_replay_pause_state()", "paused");
    add(&one, &records(1..2)[0]);
    assert_eq!(standby.query("SELECT count(*) FROM change"), "1");
    assert!(shows(&one, &records(1..2)[0]), "a store reads its own writes");
    assert_eq!(last_change(&one), 2);
    other.catch_up(2, PATIENCE).expect("it answers");
    assert_eq!(last_change(&other), 2, "and those of others that it is told of");
    standby.sql("SELECT pg_wal_replay_resume()");
    standby.wait_until("SELECT count(*) FROM change", "2");
    check(&one, 2);
}

/// A read shows no less than an earlier one, which came from the primary.
#[test]
fn reads_do_not_go_back_to_a_standby_that_lags() {
    let primary = Postgres::start();
    let standby = primary.standby();
    let (one, _folder) = reading_from_standby(&primary, &standby);
    let (other, _other_folder) = reading_from_standby(&primary, &standby);
    add(&one, &records(0..1)[0]);
    standby.wait_until("SELECT count(*) FROM change", "1");
    assert_eq!(last_change(&other), 1);
    assert_eq!(sessions(&standby), 1);
    standby.sql("SELECT pg_wal_replay_pause()");
    standby.wait_until("SELECT pg_get_wal_replay_pause_state()", "paused");
    add(&one, &records(1..2)[0]);
    // A standby that does not answer is left for the primary.
    standby.freeze();
    assert_eq!(last_change(&other), 2);
    standby.thaw();
    // For longer than the primary is read after that.
    for _ in 0..15 {
        assert_eq!(last_change(&other), 2);
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(standby.query("SELECT count(*) FROM change"), "1");
    standby.sql("SELECT pg_wal_replay_resume()");
}

/// One read looks for a standby that does not answer; the others read the primary meanwhile.
#[test]
fn a_standby_that_is_away_holds_one_read_up() {
    let primary = Postgres::start();
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = silent.local_addr().expect("it has one").to_string();
    let (store, _folder) = on_both(&primary, &address, "?target_session_attrs=prefer-standby");
    let begin = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                begin.wait();
                for _ in 0..3 {
                    assert_eq!(last_change(&store), 0);
                }
            });
        }
    });
    silent.set_nonblocking(true).expect("a socket");
    assert_eq!(silent.incoming().map_while(Result::ok).count(), 1);
}

/// A primary that was frozen while its standby was promoted accepts connections again, and lacks the changes since.
#[test]
fn a_replaced_primary_that_wakes_up_is_not_read() {
    let primary = Postgres::start();
    let standby = primary.standby();
    let (one, _folder) = on_both(&primary, &standby.host(), "");
    let (other, _other_folder) = on_both(&primary, &standby.host(), "");
    add(&one, &records(0..1)[0]);
    assert_eq!([&one, &other].map(last_change), [1, 1]);
    // A read that goes on meanwhile fails in the end, whatever it has found.
    let during = one.read(|reading| -> Result<_, StoreError> {
        reading.last_change()?;
        primary.freeze();
        standby.promote();
        add(&one, &records(1..2)[0]);
        primary.thaw();
        reading.last_change()
    });
    assert!(matches!(during, Err(StoreError::Unreachable(_))), "{during:?}");
    // Connections from before are not read any more.
    assert_eq!(last_change(&one), 2);
    assert_eq!(primary.query("SELECT count(*) FROM change"), "1");
    // A store that has not noticed the failure finds the new primary when it is told of a change.
    other.catch_up(2, PATIENCE).expect("it answers");
    assert_eq!(last_change(&other), 2);
    add(&other, &records(2..3)[0]);
    check(&one, 3);
}

#[test]
fn a_commit_that_the_standby_lacks_is_not_acknowledged() {
    let place = Place::new();
    let standby = place.server.standby();
    let store = place.open();
    add(&store, &records(0..1)[0]);
    standby.freeze();
    let record = records(1..2).remove(0);
    let written = store.write(move |writing| writing.add(&record, &by(), false)).wait();
    standby.thaw();
    assert!(matches!(written, Err(StoreError::Unconfirmed(_))), "{written:?}");
    add(&store, &records(1..2)[0]);
    check(&store, 2);
}

#[test]
fn a_server_that_restarts_is_found_again() {
    let place = Place::new();
    let store = place.open();
    add(&store, &records(0..1)[0]);
    place.server.kill();
    assert!(matches!(store.read(|reading| reading.last_change()), Err(StoreError::Unreachable(_))));
    place.server.restart();
    add(&store, &records(1..2)[0]);
    check(&store, 2);
}

#[test]
fn a_frozen_server_holds_nobody_up() {
    let place = Place::new();
    let store = place.open();
    add(&store, &records(0..1)[0]);
    place.server.freeze();
    let late = store.read_within(Duration::from_millis(100), |reading| reading.last_change());
    let refused = Store::open_on_server(&place.address, place.folder.path());
    let record = records(1..2).remove(0);
    let written = store.write(move |writing| writing.add(&record, &by(), false)).wait();
    place.server.thaw();
    assert!(matches!(late, Err(StoreError::Slow | StoreError::Unreachable(_))), "{late:?}");
    assert!(matches!(refused.map(drop), Err(StoreError::Unreachable(_))));
    assert!(matches!(written, Err(StoreError::Unreachable(_) | StoreError::Unconfirmed(_))), "{written:?}");
    add(&store, &records(1..2)[0]);
    check(&store, 2);
}

/// Adds a webhook with an attempt. Returns its id.
fn add_webhook(store: &Store) -> String {
    let add = |writing: &WriteTx<'_>| -> Result<String, WebhookRefusal> {
        let webhook =
            writing.add_webhook("https://receiver.example/", &EventType::ALL, &["andes".to_owned()], Some(0))?;
        let (event, change, status) = (EventType::ALL[0], Some(1), Some(503));
        let (failure, duration) = (Some(DeliveryFailure::Status), Duration::from_millis(7));
        let delivery = Delivery { at: webhook.created, event, change, attempt: 1, status, failure, duration };
        let next = Settled::Retry(webhook.created + Duration::from_secs(5));
        assert!(writing.settle(&webhook.id, 0, &delivery, next)?);
        Ok(webhook.id)
    };
    store.write(add).wait().expect("a webhook")
}

/// Of several services on a server one delivers to a webhook, until its time has passed.
#[test]
fn one_service_holds_a_webhook() {
    let place = Place::new();
    let [one, two] = [(); 2].map(|()| place.open());
    assert!(one.is_shared());
    let id = add_webhook(&one);
    let created = one.read(|reading| reading.webhook(&id)).expect("it answers").expect("a webhook").created;
    let hold = |store: &Store, holder: &'static str, seconds: u64| {
        let (id, now) = (id.clone(), created + Duration::from_secs(seconds));
        let held = store.write(move |writing| writing.hold_webhook(&id, holder, now, now + Duration::from_secs(60)));
        held.wait().map_err(|error: StoreError| error.to_string()).expect("it answers")
    };
    assert_eq!([hold(&one, "one", 0), hold(&two, "two", 59), hold(&two, "two", 60)], [true, false, true]);
    assert!(!hold(&one, "one", 61));
    let release = two.write(|writing| writing.release_webhooks("two"));
    release.wait().map_err(|error: StoreError| error.to_string()).expect("it is released");
    assert!(hold(&one, "one", 61));
    let settled = two.read(|reading| reading.webhook(&id)).expect("it answers").expect("a webhook");
    assert_eq!((settled.attempts, settled.failing_since), (1, Some(created)));
}

/// No receiver listens on the port, so the service holds the webhook for a minute after its first attempt.
#[test]
fn a_service_that_stops_leaves_its_webhooks_to_others() {
    let place = Place::new();
    let store = place.open();
    add(&store, &records(0..1)[0]);
    let id = store.write(|writing| writing.add_webhook("http://127.0.0.1:1/", &[], &[], Some(0)));
    let id = id.wait().expect("a webhook").id;
    let wait_for = |is_held: bool| {
        for _ in 0..2_000 {
            let webhook = store.read(|reading| reading.webhook(&id)).expect("it answers").expect("a webhook");
            if webhook.holder.is_some() == is_held {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it is held: {}", !is_held);
    };
    let webhooks = Webhooks::start(store.clone(), true, |_| ()).expect("it starts");
    wait_for(true);
    webhooks.stop();
    wait_for(false);
}

#[test]
fn an_archive_is_copied_to_a_server_and_back() {
    let place = Place::new();
    let [first, second, own] = [(); 3].map(|()| tempdir().expect("a folder"));
    let file = Store::open(first.path()).expect("an archive");
    file.unlock().expect("a key");
    let all = records(0..60);
    for record in &all[..40] {
        add(&file, record);
    }
    let id = all[3].id;
    file.write(move |writing| writing.retract(&id, &by())).wait().expect("it is retracted");
    // The second corrects a correction.
    let corrected: Vec<_> = records(100..103);
    for [old, new] in [[&all[5], &corrected[0]], [&corrected[0], &corrected[1]], [&all[6], &corrected[2]]] {
        let (old, new) = (old.id, new.clone());
        file.write(move |writing| writing.correct(&old, &new, &by())).wait().expect("it is corrected");
    }
    let webhook = add_webhook(&file);
    let server = place.open_at(own.path());
    assert_eq!(file.copy_to(&server, |_| ()).expect("copied").last, 44);
    // The copy is completed.
    for record in &all[40..] {
        add(&file, record);
    }
    let copied = file.copy_to(&server, |_| ()).expect("copied");
    assert_eq!((copied.last, copied.changes, copied.receipts), (64, 20, 63));
    let back = Store::open(second.path()).expect("an archive");
    server.copy_to(&back, |_| ()).expect("copied");
    let digests = [&file, &back].map(|store| store.read(|reading| reading.digest()).expect("it answers"));
    assert_eq!(digests[0], digests[1]);
    let webhooks = [&file, &server, &back].map(|store| {
        let read = |reading: &ReadTx<'_>| Ok::<_, StoreError>((reading.webhooks()?, reading.deliveries(&webhook)?));
        store.read(read).expect("it answers")
    });
    assert_eq!((webhooks[0].0.len(), webhooks[0].1.len()), (1, 1));
    assert!(webhooks.iter().all(|copied| *copied == webhooks[0]), "{webhooks:?}");
    let found = |store: &Store| {
        let filter = Filter { text: TextFilter::new("torneo 1"), ..Filter::default() };
        let cards = store.read(|reading| reading.cards(&filter, None, 100)).expect("a list");
        cards.items.into_iter().map(|card| card.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&file), found(&server));
    assert!(found(&server).len() > 10);
    // A change of the copy itself: it is no beginning of the archive any more.
    add(&back, &records(60..61)[0]);
    add(&file, &records(61..62)[0]);
    assert!(matches!(file.copy_to(&back, |_| ()), Err(StoreError::Diverged(_))));
}

#[test]
fn other_databases_are_refused() {
    let place = Place::new();
    place.server.sql("CREATE TABLE customer (number integer)");
    assert!(matches!(
        Store::open_on_server(&place.address, place.folder.path()).map(drop),
        Err(StoreError::Foreign(_))
    ));
    place.server.sql("DROP TABLE customer");
    drop(place.open());
    place.server.sql("UPDATE archive SET version = 99");
    assert!(matches!(
        Store::open_on_server(&place.address, place.folder.path()).map(drop),
        Err(StoreError::Newer(99, _))
    ));
    let nowhere = Address::parse("postgres://quipu@127.0.0.1:1/postgres").expect("an address");
    assert!(matches!(Store::open_on_server(&nowhere, place.folder.path()).map(drop), Err(StoreError::Unreachable(_))));
    let missing = Address::parse(&place.server.address().replace("/postgres", "/missing"));
    assert!(Store::open_on_server(&missing.expect("an address"), place.folder.path()).is_err());
}
