//! Anonymous readers of GIFs beside writers with a token: no write is refused, and drawing does not delay it much.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use quipu_tests_service::{large_records, program, spawned_server::token};

use super::{
    harness::Harness,
    normal::{LoadResult, Normal, SUBMISSION, request},
    swarm::{self, Ask, From, Make, Reads, Tally},
};

/// Clients that read GIFs all the time, and clients that write.
const READERS: usize = 60;
const WRITERS: usize = 4;

pub(crate) fn run(harness: &Harness, time: Duration) {
    let time = time.max(Duration::from_secs(5));
    let token = token(program::path(), harness.folder.path());
    let server = harness.serve_by_default(&[]);
    let address = server.address.parse().expect("an address");
    let next = AtomicUsize::new(5_000_000);
    let normal = Normal { reads: Vec::new(), token };
    let make = gifs(harness);
    let mut p99 = [0.0; 3];
    let mut failures = Vec::new();
    let runs = [
        ("without readers of GIFs", None),
        ("with 60 from 50 addresses", Some(From::Many)),
        ("with 60 from one address", Some(From::One)),
    ];
    for ((name, from), p99) in runs.into_iter().zip(&mut p99) {
        let (mut outcome, tally) = beside(&normal, harness, &next, address, &make, from, time);
        let mut writes = outcome.latencies.remove(SUBMISSION).unwrap_or_default();
        *p99 = writes.percentile(99);
        println!(
            "pictures, {name}: {} writes, {} failed, median {:.1} ms, p99 {p99:.1} ms; {} GIFs drawn and read, {} refused",
            writes.count(),
            outcome.failed,
            writes.percentile(50),
            tally.whole,
            tally.refused()
        );
        failures.extend(outcome.failures.drain(..).map(|failure| format!("{name}: {failure}")));
        if writes.count() == 0 {
            failures.push(format!("{name}: nothing is written"));
        }
    }
    println!(
        "pictures, p99 of a write: {:.2} and {:.2} times as long (goal: less than 2)",
        p99[1] / p99[0],
        p99[2] / p99[0]
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Writers, and beside them readers from somewhere.
fn beside(
    normal: &Normal,
    harness: &Harness,
    next: &AtomicUsize,
    address: SocketAddr,
    make: &Make,
    from: Option<From>,
    time: Duration,
) -> (LoadResult, Tally) {
    let over = AtomicBool::new(false);
    let write = || {
        let mut outcome = LoadResult::default();
        while !over.load(Ordering::Relaxed) {
            let record = harness.generator.record(next.fetch_add(1, Ordering::Relaxed));
            outcome.add(SUBMISSION, 201, normal.submit(address, &record));
            thread::sleep(Duration::from_millis(10));
        }
        outcome
    };
    thread::scope(|scope| {
        let readers = from.map(|from| {
            scope.spawn({
                let over = &over;
                move || swarm::run(make, READERS, from, address, over)
            })
        });
        if from.is_some() {
            // All of them draw before anybody writes.
            thread::sleep(Duration::from_secs(1));
        }
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
        thread::sleep(time);
        over.store(true, Ordering::Relaxed);
        let mut all = LoadResult::default();
        for writer in writers {
            all.merge(writer.join().expect("nobody panics"));
        }
        let tally = readers.map_or_else(Tally::default, |readers| readers.join().expect("nobody panics"));
        (all, tally)
    })
}

/// Requests for a large GIF that no cache has.
fn gifs(harness: &Harness) -> Make {
    let id = large_records::id(&harness.generator.record(0));
    Box::new(move |random| {
        let path = format!("/v1/records/{id}/replay.gif?size=800&title={}", random.u64(..));
        Ask { head: request("GET", &path, "", b""), body: Arc::default(), reads: Reads::Everything }
    })
}
