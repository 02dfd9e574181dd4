//! Clients that abuse the protocol: heads and bodies that drip, connections that are silent, heads without end, compressed
//! and nested bombs, very many tiny requests. A client that means well is answered meanwhile, and memory stays bounded.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};

use super::{
    harness::{self, Harness, Latencies, unloaded},
    normal::{READER, ask, request},
};

pub(crate) fn run(harness: &Harness, time: Duration) {
    let server = harness.serve(&["--header-timeout", "2s", "--request-timeout", "5s"]);
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
    let socket: SocketAddr = address.parse().expect("an address");
    let list = request("GET", "/v1/records?limit=10", "", b"");
    let game = harness.generator.record(0);
    let verify = request("POST", "/v1/verify", "Content-Type: text/plain\r\n", game.as_bytes());
    let (mut latencies, mut tiny) = (Latencies::default(), 0);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| drip(b"GET / HTTP/1.1\r\nHost: quipu\r\nX: ", b'a', often));
            scope.spawn(|| {
                while goes_on() {
                    let silent = TcpStream::connect(address);
                    thread::sleep(Duration::from_millis(200));
                    drop(silent);
                }
            });
        }
        // The lengths that these announce would leave no room for the bodies of others.
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
        let begun = Instant::now();
        while begun.elapsed() < time {
            for request in [&list, &verify] {
                let response = ask(READER, socket, request).expect("a client that means well is answered");
                assert_eq!(response.status, 200, "a client that means well is answered");
                latencies.add(response.took);
            }
            thread::sleep(Duration::from_millis(20));
        }
        over.store(true, Ordering::Relaxed);
        tiny = tiny_requests.join().expect("nobody panics");
    });
    let peak = harness::peak(server.process()).expect("the service runs");
    println!(
        "protocol abuse: {} answers to a client that means well, p99 {:.0} ms, at most {:.0} ms (goal: 2 s); {tiny} tiny requests; memory at most {peak} MiB",
        latencies.count(),
        latencies.percentile(99),
        latencies.percentile(100)
    );
    assert!(peak <= harness::MEMORY, "memory is not bounded");
    println!("protocol abuse, a small request afterwards: {:.2} ms", unloaded(address));
}

/// A request that is much smaller than what it asks for.
struct Bomb {
    name: &'static str,
    /// Number of clients that send it at once.
    throwers: usize,
    /// It is a text that can be judged: as one that cannot be read.
    is_judged: bool,
    request: Vec<u8>,
}

/// So many mebibytes of nothing, compressed.
fn blank(mebibytes: usize) -> GzEncoder<Vec<u8>> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    let mebibyte = vec![b' '; 1 << 20];
    (0..mebibytes).for_each(|_| compressed.write_all(&mebibyte).expect("memory does not fail"));
    compressed.flush().expect("memory does not fail");
    compressed
}

/// A compressed body that is too short for the length it tells of.
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
    let compressed = blank(256).finish().expect("memory does not fail");
    let nested = "[".repeat(1 << 20);
    let variations = format!("[Game \"andes\"]\n\n0d3 {}", "(0d3 ".repeat(200_000));
    let head = format!("GET / HTTP/1.1\r\nHost: quipu\r\nX: {}\r\n\r\n", "a".repeat(1 << 20));
    vec![
        Bomb {
            name: "compressed",
            throwers: 40,
            is_judged: false,
            request: post("text/plain", "Content-Encoding: gzip\r\n", &compressed),
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
    // A service that refuses need not read it to its end.
    drop(stream.write_all(&bomb.request));
    let mut response = Vec::new();
    drop(stream.read_to_end(&mut response));
    let line = std::str::from_utf8(response.get(..12)?).ok()?;
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
