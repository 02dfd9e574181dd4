//! Hostile clients, very many of each kind: they ask for the largest answers that a stranger with a narrow token can
//! plant, and read little or nothing of them. Each kind comes by itself, then all kinds at once, from many addresses and
//! from one. Memory stays bounded, and each request of a client that means well succeeds.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use quipu_tests_service::{
    large_records, program,
    spawned_server::{SpawnedServer, token},
};
use serde_json::Value;

use super::{
    harness::{self, Harness, Latencies},
    normal::{LoadResult, Normal, SUBMISSION, ask, request},
    swarm::{self, Ask, From, Make, Reads, Tally},
};

/// Clients of each kind. A program that was built to be tested takes ten times as long for an answer.
const CLIENTS: usize = if cfg!(debug_assertions) { 200 } else { 1_000 };
/// Games of normal players in the archive.
const NORMAL: usize = 1_000;
/// Records whose names are as long as they may be: a page of the longest list.
const LONG: usize = 200;
/// Bytes of the largest record, of a game in progress, and of a record that does not end.
const RECORD: usize = (16 << 20) - (64 << 10);
const GAME: usize = 195 << 10;
const UNFINISHED: usize = 15_700_000;
/// MiB at which the service is stopped, before the machine is in trouble.
const STOP: u64 = 4_096;
/// Milliseconds within which 99 of 100 normal requests should be answered by an optimized program.
const GOAL: f64 = 50.0;
/// Time between two looks at the memory.
const SAMPLE: Duration = Duration::from_millis(200);
/// The address that costly records come from.
const PLANTER: Ipv4Addr = Ipv4Addr::new(127, 2, 0, 3);

/// Kinds of hostile clients; the last one is not among all kinds at once.
const KINDS: [&str; 10] =
    ["records", "names", "feed", "large-record", "live", "crosstable", "gif", "unfinished", "pages", "export"];
const AT_ONCE: usize = KINDS.len() - 1;

/// An archive with costly records in it.
struct Planted {
    harness: Harness,
    /// Id of the largest record.
    large: String,
    /// The cursor from which a list begins with the records that have long names, and the number of the change before they came.
    cursor: String,
    before: u64,
    event: u64,
    live: u64,
    normal: Normal,
}

/// Figures of one run.
struct Run {
    peak: u64,
    kernel: u64,
    tally: Tally,
    outcome: LoadResult,
}

pub(crate) fn run(time: Duration, only: Option<&str>) {
    let time = time.max(Duration::from_secs(3));
    harness::allow_open_files(CLIENTS * KINDS.len() + 1_000);
    let begun = Instant::now();
    let planted = Planted::new();
    println!(
        "hostile: an archive with costly records, made in {:.0} s; {CLIENTS} clients of each kind, {:.0} s each",
        begun.elapsed().as_secs_f64(),
        time.as_secs_f64()
    );
    println!(
        "| clients | from | memory, MiB | of the kernel | answers held | whole | refused | cut off | normal requests | failed | median | p99 | submissions | median | p99 |"
    );
    println!(
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let is_asked = |name: &str| only.is_none_or(|only| only == name);
    let mut faults = Vec::new();
    if is_asked("none") {
        planted.measure("none", &[], From::Many, time, &mut faults);
    }
    for kind in KINDS.into_iter().filter(|kind| is_asked(kind)) {
        planted.measure(kind, &[kind], From::Many, time, &mut faults);
    }
    if is_asked("all") {
        planted.measure("all", &KINDS[..AT_ONCE], From::Many, time, &mut faults);
        planted.measure("all", &KINDS[..AT_ONCE], From::One, time, &mut faults);
    }
    println!("(goal for the p99 of normal requests, of an optimized program: {GOAL} ms)");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

impl Planted {
    fn new() -> Self {
        let harness = Harness::empty();
        let generator = &harness.generator;
        let large = large_records::long_comments(generator, NORMAL, RECORD);
        let large_id = large_records::id(&large);
        let normal = (0..NORMAL).map(|number| generator.record(number));
        let long = (0..LONG).map(|number| large_records::long_names(generator, number));
        let last = generator.record(NORMAL + 1);
        let records = normal.chain(large_records::event(generator)).chain([large]).chain(long).chain([last]);
        large_records::plant(program::path(), harness.folder.path(), records);
        let token = token(program::path(), harness.folder.path());
        let server = harness.serve_by_default(&[]);
        let address = socket(&server);
        let get = |path: &str| json(&ask(PLANTER, address, &request("GET", path, "", b"")));
        let found = get(&format!("/v1/events?q={}", large_records::EVENT.replace(' ', "%20")));
        let event = found["items"][0]["number"].as_u64().expect("the event is there");
        let headers = format!("Authorization: Bearer {token}\r\nContent-Type: text/plain\r\n");
        let game = large_records::unfinished_game(0, GAME);
        let live = json(&ask(PLANTER, address, &request("POST", "/v1/live", &headers, game.as_bytes())));
        let live = live["live"].as_u64().unwrap_or_else(|| panic!("{live}"));
        // Normal submissions go on, and would soon be what a list begins with.
        let latest = get("/v1/records?limit=1&state=all");
        let cursor = latest["next"].as_str().expect("there are more").to_owned();
        let before = latest["items"][0]["change"].as_u64().expect("a number") - LONG as u64 - 1;
        drop(server);
        // Of the generator's tournaments the sixth is the first of Brandubh, which nothing costly is of.
        let record = large_records::id(&generator.record(NORMAL - 1));
        let reads = vec![
            ("list", "/v1/records?game=brandubh&limit=20".to_owned()),
            ("latest", "/v1/records?limit=20".to_owned()),
            ("record", format!("/v1/records/{record}")),
            ("page", format!("/records/{record}")),
        ];
        Self { harness, large: large_id, cursor, before, event, live, normal: Normal { reads, token } }
    }

    /// Runs these kinds of clients beside a normal one, prints the row, and notes what should not be.
    fn measure(&self, name: &str, kinds: &[&str], from: From, time: Duration, faults: &mut Vec<String>) {
        let mut run = self.run(kinds, from, time);
        let from = match from {
            From::One => "one address",
            From::Many => "50 addresses",
        };
        let mut reads = run.outcome.all_but(SUBMISSION);
        let mut writes = run.outcome.latencies.remove(SUBMISSION).unwrap_or_default();
        let row = |latencies: &mut Latencies| {
            format!("{} ms | {} ms", milliseconds(latencies.percentile(50)), milliseconds(latencies.percentile(99)))
        };
        let Tally { held, whole, cut_off, .. } = run.tally;
        println!(
            "| {name} | {from} | {} | {} | {held} | {whole} | {} | {cut_off} | {} | {} | {} | {} | {} |",
            run.peak,
            run.kernel,
            run.tally.refused(),
            reads.count(),
            run.outcome.failed,
            row(&mut reads),
            writes.count(),
            row(&mut writes)
        );
        let mut fault = |what: String| faults.push(format!("{name}, {from}: {what}"));
        if run.peak > harness::MEMORY {
            fault(format!("{} MiB, and {} are allowed", run.peak, harness::MEMORY));
        }
        for failure in &run.outcome.failures {
            fault(format!("of {} normal requests that failed: {failure}", run.outcome.failed));
        }
        if reads.count() == 0 || writes.count() == 0 {
            fault("a normal client is not answered".to_owned());
        }
        // They may be refused in any way that is not a failure of the service, nor one of this program.
        let fair = |status: u16| matches!(status, 200 | 406 | 408 | 413 | 422 | 429 | 503);
        for (status, count) in run.tally.statuses.iter().filter(|(status, _)| !fair(**status)) {
            fault(format!("{count} answers with status {status}"));
        }
    }

    fn run(&self, kinds: &[&str], from: From, time: Duration) -> Run {
        // Submissions of an earlier run are there already, so each begins behind them.
        let first = 1_000_000 + fastrand::usize(..1_000_000) * 1_000;
        let server = self.harness.serve_by_default(&[]);
        let (address, process) = (socket(&server), server.process());
        let (ending, over) = (&AtomicBool::new(false), &AtomicBool::new(false));
        let (mut tally, mut kernel, mut peak) = (Tally::default(), 0, 0);
        let mut server = Some(server);
        let outcome = thread::scope(|scope| {
            let normal = scope.spawn(move || self.normal.run(address, &self.harness.generator, first, ending, over));
            let swarms: Vec<_> = kinds
                .iter()
                .map(|kind| {
                    let make = self.make(kind);
                    scope.spawn(move || swarm::run(&make, CLIENTS, from, address, over))
                })
                .collect();
            if kinds.contains(&"live") {
                scope.spawn(move || self.save(address, over));
            }
            let begun = Instant::now();
            // A normal request that is under way when the time is up is waited for.
            while !normal.is_finished() && peak < STOP {
                ending.store(begun.elapsed() >= time, Ordering::Relaxed);
                thread::sleep(SAMPLE);
                peak = peak.max(harness::peak(process).unwrap_or_default());
                kernel = kernel.max(harness::kernel_memory());
            }
            over.store(true, Ordering::Relaxed);
            drop(server.take());
            for swarm in swarms {
                tally.merge(&swarm.join().expect("nobody panics"));
            }
            normal.join().expect("nobody panics")
        });
        Run { peak, kernel, tally, outcome }
    }

    /// Saves the game in progress again and again, each time with something else in it.
    fn save(&self, address: SocketAddr, over: &AtomicBool) {
        let path = format!("/v1/live/{}", self.live);
        let headers =
            format!("Authorization: Bearer {}\r\nContent-Type: text/plain\r\nIf-Match: *\r\n", self.normal.token);
        for version in 1.. {
            if over.load(Ordering::Relaxed) {
                return;
            }
            let game = large_records::unfinished_game(version, GAME);
            // It is refused when the service is busy, and tries again.
            drop(ask(PLANTER, address, &request("PUT", &path, &headers, game.as_bytes())));
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// The requests of a kind.
    fn make(&self, kind: &str) -> Make {
        let (id, cursor, event, live) = (&self.large, &self.cursor, self.event, self.live);
        let paths: Vec<(String, &'static str, Reads)> = match kind {
            "records" => nothing(&[format!("/v1/records?limit=200&state=all&cursor={cursor}")]),
            "names" => nothing(
                &["/v1/players?limit=200", "/v1/rankings?game=andes&limit=200", "/v1/events?limit=200"]
                    .map(str::to_owned),
            ),
            "feed" => nothing(&[format!("/v1/feed?since={}", self.before)]),
            "large-record" => {
                let record = |what: &str| format!("/v1/records/{id}{what}");
                let all = ["", "/source", "/verdict", "/history", "/positions", "/replay.html", "/positions/1.svg"];
                let api = all.map(record).into_iter().chain([format!("/records/{id}"), format!("/embed/{id}")]);
                let both = api.flat_map(|path| [(path.clone(), "", Reads::Nothing), (path, "", Reads::Slowly)]);
                let text = (record(""), "Accept: text/plain\r\n", Reads::Slowly);
                both.chain([text]).collect()
            }
            "live" => nothing(&[format!("/v1/live/{live}/feed")]),
            "crosstable" => nothing(&["crosstable", "standings"].map(|what| format!("/v1/events/{event}/{what}"))),
            "gif" => {
                let path = format!("/v1/records/{}/replay.gif?size=800&title=", self.normal_record());
                vec![(path, "", Reads::Everything)]
            }
            "pages" => nothing(&[
                format!("/records?state=all&cursor={cursor}"),
                "/players".to_owned(),
                "/events".to_owned(),
                "/rankings?game=andes".to_owned(),
                format!("/events/{event}"),
                format!("/events/{event}?view=crosstable"),
                format!("/live/{live}"),
                "/".to_owned(),
            ]),
            "export" => nothing(&["/v1/export".to_owned()]),
            "unfinished" => return unfinished(),
            _ => panic!("{kind} is no kind: {KINDS:?}, `none` and `all` are"),
        };
        let is_gif = kind == "gif";
        let body: Arc<[u8]> = Arc::default();
        Box::new(move |random| {
            let (path, headers, reads) = &paths[random.usize(..paths.len())];
            let title = if is_gif { random.u64(..).to_string() } else { String::new() };
            let head = request("GET", &format!("{path}{title}"), headers, b"");
            Ask { head, body: Arc::clone(&body), reads: *reads }
        })
    }

    fn normal_record(&self) -> String {
        large_records::id(&self.harness.generator.record(NORMAL - 2))
    }
}

fn nothing(paths: &[String]) -> Vec<(String, &'static str, Reads)> {
    paths.iter().map(|path| (path.clone(), "", Reads::Nothing)).collect()
}

/// Streams of one record that stop before its end, as text and as a scoresheet.
fn unfinished() -> Make {
    let records = large_records::unfinished_records(UNFINISHED).map(|record| Arc::<[u8]>::from(record.into_bytes()));
    Box::new(move |random| {
        let at = random.usize(..records.len());
        let kind = ["text/plain", "text/csv"][at];
        let head = format!(
            "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: {kind}\r\nAccept: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
            records[at].len() + 1_000_000
        );
        Ask { head: head.into_bytes(), body: Arc::clone(&records[at]), reads: Reads::Nothing }
    })
}

fn socket(server: &SpawnedServer) -> SocketAddr {
    server.address.parse().expect("an address")
}

#[track_caller]
fn json(response: &Result<super::normal::Response, String>) -> Value {
    let response = response.as_ref().expect("an answer");
    let said = || String::from_utf8_lossy(&response.body[..response.body.len().min(500)]).into_owned();
    assert!((200..300).contains(&response.status), "{} {}", response.status, said());
    serde_json::from_slice(&response.body).unwrap_or_else(|_| panic!("{}", said()))
}

fn milliseconds(time: f64) -> String {
    format!("{time:.1}")
}
