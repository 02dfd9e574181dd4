//! Ten times more costly work than can be done in the time that a request may take: a client that is turned away is told
//! so with 429 or 503 and when to come again, and memory stays bounded and is let go.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::harness::{self, Harness, Latencies, agent, unloaded};

/// Clients that ask for costly work all the time: some ten times as many as two cores, which make the questions as well,
/// serve within the time that a request may take. Fewer in short runs, which are of programs built to be tested.
const CLIENTS: usize = 1_000;
const SHORT_CLIENTS: usize = 500;
/// MiB that the service may keep when they have gone.
const KEPT: u64 = 320;

pub(crate) fn run(harness: &Harness, time: Duration) {
    let clients = if time < Duration::from_secs(10) { SHORT_CLIENTS } else { CLIENTS };
    let server = harness.serve_on_small_machine(&["--request-timeout", "1s", "--query-timeout", "1s"]);
    let before = unloaded(&server.address);
    let work: String = (0..400).map(|number| harness.generator.record(number)).collect();
    let (over, accepted) = (AtomicBool::new(false), Mutex::new(Latencies::default()));
    let (refused, cut_off) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let client = || {
        let (agent, mut own) = (agent(), Latencies::default());
        while !over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let post = agent.post(format!("http://{}/v1/verify", server.address)).content_type("text/plain");
            // Some give up before they have sent everything, since the service does not listen to them any more.
            let Ok(mut response) = post.send(&work) else {
                cut_off.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            let status = response.status().as_u16();
            let says_when = response.headers().contains_key("retry-after");
            let read = std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::sink());
            match status {
                200 => {
                    read.expect("an answer that began comes to its end");
                    own.add(begun.elapsed());
                }
                429 | 503 => {
                    assert!(says_when, "{status} does not say when to come again");
                    refused.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(20));
                }
                _ => panic!("{status}"),
            }
        }
        accepted.lock().expect("nobody panics").extend(own);
    };
    thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(client);
        }
        thread::sleep(time);
        over.store(true, Ordering::Relaxed);
    });
    let mut accepted = accepted.into_inner().expect("nobody panics");
    let (count, refused, cut_off) = (accepted.count(), refused.into_inner(), cut_off.into_inner());
    println!(
        "overload by {clients}: {count} accepted, p99 {:.2} s, at most {:.2} s (goal: 10 s); {refused} refused and told when to come again; {cut_off} cut off before they had sent everything",
        accepted.percentile(99) / 1e3,
        accepted.percentile(100) / 1e3
    );
    assert!(count > 0 && refused > 0, "some are let in and some are not");
    let after = unloaded(&server.address);
    println!("overload, a small request before and after: {before:.2} and {after:.2} ms (goal: the same)");
    let [peak, kept] = [harness::peak, harness::resident].map(|of| of(server.process()).expect("the service runs"));
    println!("overload, memory: at most {peak} MiB, afterwards {kept} MiB");
    assert!(peak <= harness::MEMORY, "memory is not bounded");
    assert!(kept <= KEPT, "memory is not let go");
}
