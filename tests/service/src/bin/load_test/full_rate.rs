//! Readers, writers, listeners of the feed and exports together: no request fails, and when caches are full memory does
//! not grow any more.

use std::{
    io::{BufRead, BufReader},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_tests_service::{program, spawned_server::token};

use super::harness::{self, GAMES, Harness, Latencies, agent, get, listener};

/// Clients of each kind.
const EACH: usize = 4;
/// MiB that the service may grow by when its caches are full.
const GROWTH: u64 = 64;
/// Kinds of requests.
const KINDS: [&str; 3] = ["reading", "writing", "exporting"];

pub(crate) fn run(harness: &Harness, time: Duration) {
    let token = token(program::path(), harness.folder.path());
    let server = harness.serve(&[]);
    let (over, number) = (AtomicBool::new(false), AtomicUsize::new(GAMES));
    let latencies = Mutex::new(KINDS.map(|_| Latencies::default()));
    let heard = AtomicUsize::new(0);
    let ids = ids(&server.address);
    let goes_on = || !over.load(Ordering::Relaxed);
    let keep = |kind: usize, own: Latencies| latencies.lock().expect("nobody panics")[kind].extend(own);
    let read = |client: usize| {
        let (agent, mut random, mut own) = (agent(), Rng::with_seed(client as u64), Latencies::default());
        while goes_on() {
            let id = &ids[random.usize(..ids.len())];
            let path = match random.u8(..8) {
                0 => format!("/v1/records/{id}"),
                1 => format!("/v1/records/{id}/verdict"),
                2 => format!("/v1/players/{}", random.u32(1..200)),
                3 => "/v1/rankings?game=andes".to_owned(),
                4 => "/v1/records?limit=50&game=brandubh".to_owned(),
                5 => format!("/v1/events/{}/standings", random.u32(1..10)),
                6 => format!("/records/{id}?ply={}", random.u32(0..20)),
                _ => "/v1/records?q=torneo".to_owned(),
            };
            let (status, took) = get(&agent, &server.address, &path).unwrap_or_else(|| panic!("{path}: no answer"));
            assert!(matches!(status, 200 | 404), "{path}: {status}");
            own.add(took);
        }
        keep(0, own);
    };
    let write = || {
        let (agent, mut own) = (agent(), Latencies::default());
        while goes_on() {
            let text = harness.generator.record(number.fetch_add(1, Ordering::Relaxed));
            let post = agent.post(format!("http://{}/v1/records", server.address)).content_type("text/plain");
            let begun = Instant::now();
            let mut response = post.header("Authorization", format!("Bearer {token}")).send(text).expect("an answer");
            let said = response.body_mut().read_to_string().expect("text");
            assert_eq!(response.status().as_u16(), 201, "{said}");
            own.add(begun.elapsed());
        }
        keep(1, own);
    };
    let listen = || {
        // A chunk may end within a character: the client joins them.
        let feed = listener().get(format!("http://{}/v1/feed", server.address)).call().expect("an answer");
        let mut lines = BufReader::new(feed.into_body().into_reader()).lines();
        while goes_on() {
            let line = lines.next().expect("the feed goes on").expect("text");
            heard.fetch_add(usize::from(line.starts_with("id:")), Ordering::Relaxed);
        }
    };
    let export = || {
        let (agent, mut own) = (agent(), Latencies::default());
        while goes_on() {
            let (status, took) = get(&agent, &server.address, "/v1/export").expect("an answer");
            assert_eq!(status, 200, "export");
            own.add(took);
        }
        keep(2, own);
    };
    let mut memory = Vec::new();
    thread::scope(|scope| {
        for client in 0..EACH {
            scope.spawn(move || read(client));
            scope.spawn(write);
            scope.spawn(listen);
        }
        scope.spawn(export);
        let begun = Instant::now();
        while begun.elapsed() < time {
            thread::sleep(time.min(Duration::from_secs(1)));
            memory.push(harness::resident(server.process()).expect("the service runs"));
        }
        over.store(true, Ordering::Relaxed);
    });
    let added = number.load(Ordering::Relaxed) - GAMES;
    for (name, mut latencies) in KINDS.into_iter().zip(latencies.into_inner().expect("nobody panics")) {
        let count = latencies.count();
        println!(
            "full rate, {name}: {count} in {:.0} s, none failed; median {:.1} ms, p99 {:.1} ms",
            time.as_secs_f64(),
            latencies.percentile(50),
            latencies.percentile(99)
        );
        assert!(count > 0, "nobody came to anything {name}");
    }
    // A quarter of the time is for caches to fill.
    let [early, late] = [1, 3].map(|quarter| {
        let part = &memory[memory.len() * quarter / 4..memory.len() * (quarter + 1) / 4];
        part.iter().copied().max().unwrap_or_default()
    });
    println!("full rate, memory: at most {early} MiB in the second quarter, {late} MiB in the last");
    assert!(late <= early + GROWTH && late <= harness::MEMORY, "memory grows");
    let heard = heard.into_inner();
    println!("full rate, the feed: {EACH} listeners heard {heard} things of {added} records that were added");
    assert!(heard > 0, "the feed says nothing");
}

/// Ids of some records.
fn ids(address: &str) -> Vec<String> {
    let mut response = agent().get(format!("http://{address}/v1/records?limit=200")).call().expect("an answer");
    let list: serde_json::Value = serde_json::from_reader(response.body_mut().as_reader()).expect("JSON");
    let cards = list["items"].as_array().expect("a list").iter();
    cards.map(|card| card["id"].as_str().expect("an id").to_owned()).collect()
}
