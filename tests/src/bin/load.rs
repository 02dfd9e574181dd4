//! Keeps the service busy, asks for more than it can do, and behaves badly: `load [SECONDS]`, half an hour unless said.
//!
//! **At full rate**, readers, writers, listeners of the feed and exports of everything go on together. No request may fail,
//! and when caches are full the memory of the server may not grow any more. **Ten times too many** then ask for costly
//! work: who is turned away is told so with 429 or 503 and when to come again, who is not waits no longer than
//! [`LONGEST`], and afterwards the service answers as before. At last come **those who mean no good**: heads and bodies
//! that drip, connections that say nothing, heads without end, compressed and nested bombs, very many tiny requests. Whoever
//! means well is answered meanwhile, and memory stays bounded.
//!
//! Fails at the first of these that does not hold. Client and server share the machine: the figures are not those of a
//! server that has one to itself.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use flate2::{Compression, write::GzEncoder};
use quipu_tests::{
    generated::Generator,
    program,
    served::{self, Served, token},
};
use tempfile::TempDir;
use ureq::Agent;

/// Games in the archive before.
const GAMES: usize = 2_000;
/// Clients of each kind at full rate.
const EACH: usize = 4;
/// Clients that ask for costly work, all the time: some ten times as many as two cores, which make the questions as well,
/// serve within the time that a request may take. Fewer in short runs, which are of programs built to be tested.
const CROWD: usize = 1_000;
const SHORT_CROWD: usize = 500;
/// What somebody who is let in waits at the most for costly work in a crowd.
const LONGEST: Duration = Duration::from_secs(10);
/// The same for something quick beside those who mean no good.
const PROMPT: Duration = Duration::from_secs(2);
/// MiB that the server may take at the most, grow by when its caches are full, and keep when a crowd has gone.
const MOST: u64 = 768;
const GROWTH: u64 = 64;
const KEPT: u64 = 320;
/// As the service is run: it tells the C library to let go of memory that is not used.
const UNIT: &str = include_str!("../../../docs/operations/quipu.service");

fn main() {
    let seconds = env::args().nth(1).map_or(1_800, |word| word.parse().expect("a number of seconds"));
    let house = House::new();
    house.full_rate(Duration::from_secs(seconds));
    // What follows needs no half an hour.
    let short = Duration::from_secs((seconds / 6).clamp(2, 60));
    house.crowd(short, if seconds < 60 { SHORT_CROWD } else { CROWD });
    house.no_good(short);
}

/// A service with games in it.
struct House {
    generator: Generator,
    folder: TempDir,
}

/// What came of the requests of a kind.
#[derive(Default)]
struct Kind {
    times: Vec<Duration>,
}

impl Kind {
    fn at(&mut self, hundredths: usize) -> Duration {
        self.times.sort_unstable();
        self.times
            .get((self.times.len() * hundredths / 100).min(self.times.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }
}

fn agent() -> Agent {
    let patience = Some(Duration::from_secs(60));
    Agent::config_builder().http_status_as_error(false).timeout_global(patience).build().new_agent()
}

/// The status of an answer and how long it took to come whole; nothing if there was none.
fn get(agent: &Agent, address: &str, path: &str) -> Option<(u16, Duration)> {
    let begun = Instant::now();
    let mut answer = agent.get(format!("http://{address}{path}")).call().ok()?;
    std::io::copy(&mut answer.body_mut().as_reader(), &mut std::io::sink()).ok()?;
    Some((answer.status().as_u16(), begun.elapsed()))
}

/// Resident memory of a process, in MiB: now, and at the most until now.
fn resident(process: u32) -> u64 {
    memory(process, "VmRSS:")
}

fn most_resident(process: u32) -> u64 {
    memory(process, "VmHWM:")
}

fn memory(process: u32, name: &str) -> u64 {
    let status =
        fs::read_to_string(format!("/proc/{process}/status")).expect("this system tells of its processes in /proc");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel counts it");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

impl House {
    fn new() -> Self {
        let house = Self { generator: Generator::new(), folder: tempfile::tempdir().expect("a folder") };
        let games = (0..GAMES).map(|number| house.generator.record(number));
        served::import(program::path(), house.folder.path(), games);
        house
    }

    fn serve(&self, options: &[&str]) -> Served {
        let mut command = Command::new(program::path());
        let let_go = UNIT.lines().find_map(|line| line.strip_prefix("Environment=")?.strip_prefix("MALLOC_MMAP_"));
        let (name, bytes) = let_go.and_then(|let_go| let_go.split_once('=')).expect("the unit sets it");
        command.env(format!("MALLOC_MMAP_{name}"), bytes);
        Served::start_by(command, self.folder.path(), options)
    }

    /// Readers, writers, listeners and exports together.
    fn full_rate(&self, time: Duration) {
        let token = token(program::path(), self.folder.path());
        let server = self.serve(&[]);
        let (over, number) = (AtomicBool::new(false), AtomicUsize::new(GAMES));
        let kinds = Mutex::new([const { Kind { times: Vec::new() } }; 3]);
        let heard = AtomicUsize::new(0);
        let ids = ids(&server.address);
        let goes_on = || !over.load(Ordering::Relaxed);
        let keep = |kind: usize, times: Vec<Duration>| {
            kinds.lock().expect("nobody panics").as_mut_slice()[kind].times.extend(times);
        };
        let read = |client: usize| {
            let (agent, mut random, mut times) = (agent(), Rng::with_seed(client as u64), Vec::new());
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
                times.push(took);
            }
            keep(0, times);
        };
        let write = || {
            let (agent, mut times) = (agent(), Vec::new());
            while goes_on() {
                let text = self.generator.record(number.fetch_add(1, Ordering::Relaxed));
                let post = agent.post(format!("http://{}/v1/records", server.address)).content_type("text/plain");
                let begun = Instant::now();
                let mut answer = post.header("Authorization", format!("Bearer {token}")).send(text).expect("an answer");
                let said = answer.body_mut().read_to_string().expect("text");
                assert_eq!(answer.status().as_u16(), 201, "{said}");
                times.push(begun.elapsed());
            }
            keep(1, times);
        };
        let listen = || {
            let mut stream = TcpStream::connect(&server.address).expect("it listens");
            stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
            stream.write_all(b"GET /v1/feed HTTP/1.1\r\nHost: quipu\r\n\r\n").expect("it is taken");
            let mut lines = BufReader::new(stream).lines();
            while goes_on() {
                let line = lines.next().expect("the feed goes on").expect("text");
                heard.fetch_add(usize::from(line.starts_with("id:")), Ordering::Relaxed);
            }
        };
        let export = || {
            let (agent, mut times) = (agent(), Vec::new());
            while goes_on() {
                let (status, took) = get(&agent, &server.address, "/v1/export").expect("an answer");
                assert_eq!(status, 200, "export");
                times.push(took);
            }
            keep(2, times);
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
                memory.push(resident(server.process()));
            }
            over.store(true, Ordering::Relaxed);
        });
        let added = number.load(Ordering::Relaxed) - GAMES;
        let mut kinds = kinds.into_inner().expect("nobody panics");
        for (name, kind) in ["reading", "writing", "exporting"].iter().zip(&mut kinds) {
            let count = kind.times.len();
            println!(
                "full rate, {name}: {count} in {:.0} s, none failed; median {:.1} ms, p99 {:.1} ms",
                time.as_secs_f64(),
                kind.at(50).as_secs_f64() * 1e3,
                kind.at(99).as_secs_f64() * 1e3
            );
            assert!(count > 0, "nobody came to anything {name}");
        }
        // A quarter of the time is for caches to fill.
        let [early, late] = [1, 3].map(|quarter| {
            let part = &memory[memory.len() * quarter / 4..memory.len() * (quarter + 1) / 4];
            part.iter().copied().max().unwrap_or_default()
        });
        println!("full rate, memory: at the most {early} MiB in the second quarter, {late} MiB in the last");
        assert!(late <= early + GROWTH && late <= MOST, "memory grows");
        let heard = heard.into_inner();
        println!("full rate, the feed: {EACH} listeners heard {heard} things of {added} records that were added");
        assert!(heard > 0, "the feed says nothing");
    }

    /// More costly work than can be done in the time that a request may take.
    fn crowd(&self, time: Duration, crowd: usize) {
        let server = self.serve(&["--request-timeout", "1s", "--query-timeout", "1s"]);
        let quiet = calm(&server.address);
        let work: String = (0..400).map(|number| self.generator.record(number)).collect();
        let (over, accepted) = (AtomicBool::new(false), Mutex::new(Kind::default()));
        let (turned_away, given_up) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..crowd {
                scope.spawn(|| {
                    let (agent, mut times) = (agent(), Vec::new());
                    while !over.load(Ordering::Relaxed) {
                        let begun = Instant::now();
                        let post =
                            agent.post(format!("http://{}/v1/verify", server.address)).content_type("text/plain");
                        // Some give up before they have said everything, since nobody listens to them any more.
                        let Ok(mut answer) = post.send(&work) else {
                            given_up.fetch_add(1, Ordering::Relaxed);
                            continue;
                        };
                        let status = answer.status().as_u16();
                        let again = answer.headers().contains_key("retry-after");
                        let read = std::io::copy(&mut answer.body_mut().as_reader(), &mut std::io::sink());
                        match status {
                            200 => {
                                read.expect("an answer that began comes to its end");
                                times.push(begun.elapsed());
                            }
                            429 | 503 => {
                                assert!(again, "{status} does not say when to come again");
                                turned_away.fetch_add(1, Ordering::Relaxed);
                                thread::sleep(Duration::from_millis(20));
                            }
                            _ => panic!("{status}"),
                        }
                    }
                    accepted.lock().expect("nobody panics").times.extend(times);
                });
            }
            thread::sleep(time);
            over.store(true, Ordering::Relaxed);
        });
        let mut accepted = accepted.into_inner().expect("nobody panics");
        let (count, p99, worst) = (accepted.times.len(), accepted.at(99), accepted.at(100));
        let (turned_away, given_up) = (turned_away.into_inner(), given_up.into_inner());
        println!(
            "crowd of {crowd}: {count} accepted, p99 {:.2} s, at the most {:.2} s; {turned_away} turned away and told when to come again; {given_up} cut off before they had sent everything",
            p99.as_secs_f64(),
            worst.as_secs_f64()
        );
        assert!(count > 0 && turned_away > 0, "some are let in and some are not");
        assert!(worst <= LONGEST, "who is let in waits too long");
        let after = calm(&server.address);
        println!("crowd, before and after: {:.2} and {:.2} ms", quiet.as_secs_f64() * 1e3, after.as_secs_f64() * 1e3);
        assert!(after <= quiet * 5 + Duration::from_millis(5), "it does not recover");
        let (most, kept) = (most_resident(server.process()), resident(server.process()));
        println!("crowd, memory: at the most {most} MiB, afterwards {kept} MiB");
        assert!(most <= MOST, "memory is not bounded");
        assert!(kept <= KEPT, "memory is not let go");
    }

    /// Those who mean no good, and one who does.
    fn no_good(&self, time: Duration) {
        let server = self.serve(&["--header-timeout", "2s", "--request-timeout", "5s"]);
        let over = AtomicBool::new(false);
        let goes_on = || !over.load(Ordering::Relaxed);
        let address = &server.address;
        let drip = |head: &[u8], byte: u8, pause: Duration| {
            while goes_on() {
                let Ok(mut stream) = TcpStream::connect(address) else { continue };
                let mut alive = stream.write_all(head).is_ok();
                while alive && goes_on() {
                    alive = stream.write_all(&[byte]).is_ok();
                    thread::sleep(pause);
                }
            }
        };
        let often = Duration::from_millis(50);
        let (bombs, unfinished) = (bombs(), unfinished());
        let game = self.generator.record(0);
        let (mut kind, mut tiny) = (Kind::default(), 0);
        let mut most = 0;
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| drip(b"GET / HTTP/1.1\r\nHost: quipu\r\nX: ", b'a', often));
                scope.spawn(|| {
                    while goes_on() {
                        // It says nothing at all, and is there all the same.
                        let silent = TcpStream::connect(address);
                        thread::sleep(Duration::from_millis(200));
                        drop(silent);
                    }
                });
            }
            // All that they say will come would leave no room for anybody else's.
            for _ in 0..300 {
                scope.spawn(|| {
                    drip(b"POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: text/plain\r\nContent-Length: 1048576\r\n\r\n", b'0', often * 4);
                });
            }
            // A little that comes to nearly all that a body may be, of which no more than a byte now and then follows.
            for _ in 0..8 {
                scope.spawn(|| drip(&unfinished, 0, often * 4));
            }
            for bomb in bombs.iter().flat_map(|bomb| std::iter::repeat_n(bomb, bomb.throwers)) {
                scope.spawn(move || {
                    while goes_on() {
                        let status = throw(address, bomb);
                        let is_fair = bomb.is_judged && status == Some(200);
                        assert!(is_fair || matches!(status, None | Some(400..500 | 503)), "{}: {status:?}", bomb.name);
                    }
                });
            }
            let tiny_requests = scope.spawn(|| {
                let mut count = 0_usize;
                while goes_on() {
                    count += pipelined(address, 500);
                }
                count
            });
            let (agent, begun) = (agent(), Instant::now());
            while begun.elapsed() < time {
                let (status, took) = get(&agent, address, "/v1/records?limit=10").expect("an answer");
                assert_eq!(status, 200, "who means well is answered");
                kind.times.push(took);
                let post = agent.post(format!("http://{address}/v1/verify")).content_type("text/plain");
                let answer = post.send(&game).expect("an answer");
                assert_eq!(answer.status(), 200, "and judged");
                most = most.max(resident(server.process()));
                thread::sleep(Duration::from_millis(20));
            }
            over.store(true, Ordering::Relaxed);
            tiny = tiny_requests.join().expect("nobody panics");
        });
        let (p99, worst) = (kind.at(99), kind.at(100));
        println!(
            "no good: {} answers to who means well, p99 {:.0} ms, at the most {:.0} ms; {tiny} tiny requests; memory at the most {most} MiB",
            kind.times.len(),
            p99.as_secs_f64() * 1e3,
            worst.as_secs_f64() * 1e3
        );
        assert!(p99 <= PROMPT, "who means well waits too long");
        assert!(most <= MOST, "memory is not bounded");
        let after = calm(address);
        println!("no good, afterwards: {:.2} ms", after.as_secs_f64() * 1e3);
    }
}

/// What a small question takes in the middle, when nobody else asks.
fn calm(address: &str) -> Duration {
    let agent = agent();
    let mut kind = Kind::default();
    for _ in 0..50 {
        let (status, took) = get(&agent, address, "/v1/records?limit=10").expect("an answer");
        assert_eq!(status, 200);
        kind.times.push(took);
    }
    kind.at(50)
}

/// Ids of some records.
fn ids(address: &str) -> Vec<String> {
    let mut answer = agent().get(format!("http://{address}/v1/records?limit=200")).call().expect("an answer");
    let list: serde_json::Value = serde_json::from_reader(answer.body_mut().as_reader()).expect("JSON");
    let cards = list["items"].as_array().expect("a list").iter();
    cards.map(|card| card["id"].as_str().expect("an id").to_owned()).collect()
}

/// A request that is much smaller than what it asks for.
struct Bomb {
    name: &'static str,
    /// How many throw it at once.
    throwers: usize,
    /// It is a text that can be judged: as one that cannot be read.
    is_judged: bool,
    request: Vec<u8>,
}

/// So many mebibytes of nothing, packed.
fn blank(mebibytes: usize) -> GzEncoder<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let mebibyte = vec![b' '; 1 << 20];
    (0..mebibytes).for_each(|_| packed.write_all(&mebibyte).expect("memory does not fail"));
    packed.flush().expect("memory does not fail");
    packed
}

/// A packed body that is too short for the length it tells of.
fn unfinished() -> Vec<u8> {
    let head = "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 1048576\r\n\r\n";
    [head.as_bytes(), blank(60).get_ref()].concat()
}

fn bombs() -> Vec<Bomb> {
    let post = |kind: &str, more: &str, body: &[u8]| {
        let length = body.len();
        let head = format!(
            "POST /v1/verify HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\nContent-Type: {kind}\r\n{more}Content-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    };
    let packed = blank(256).finish().expect("memory does not fail");
    let nested = "[".repeat(1 << 20);
    let variations = format!("[Game \"andes\"]\n\n0d3 {}", "(0d3 ".repeat(200_000));
    let head = format!("GET / HTTP/1.1\r\nHost: quipu\r\nX: {}\r\n\r\n", "a".repeat(1 << 20));
    vec![
        Bomb {
            name: "compressed",
            throwers: 40,
            is_judged: false,
            request: post("text/plain", "Content-Encoding: gzip\r\n", &packed),
        },
        Bomb { name: "nested", throwers: 1, is_judged: true, request: post("application/json", "", nested.as_bytes()) },
        Bomb { name: "a head without end", throwers: 1, is_judged: false, request: head.into_bytes() },
        Bomb {
            name: "variations",
            throwers: 1,
            is_judged: true,
            request: post("text/plain", "", variations.as_bytes()),
        },
    ]
}

/// The status of the answer; nothing if the connection was closed before.
fn throw(address: &str, bomb: &Bomb) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    // Whoever refuses need not hear it to its end.
    drop(stream.write_all(&bomb.request));
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    let line = std::str::from_utf8(answer.get(..12)?).ok()?;
    line.strip_prefix("HTTP/1.1 ")?.parse().ok()
}

/// Sends many tiny requests before it reads the first answer; says how many were answered.
fn pipelined(address: &str, count: usize) -> usize {
    let Ok(mut stream) = TcpStream::connect(address) else { return 0 };
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    let requests = b"GET /healthz HTTP/1.1\r\nHost: q\r\n\r\n".repeat(count - 1);
    drop(stream.write_all(&requests));
    drop(stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: q\r\nConnection: close\r\n\r\n"));
    let mut answers = Vec::new();
    drop(stream.read_to_end(&mut answers));
    memchr::memmem::find_iter(&answers, b"HTTP/1.1 200").count()
}
