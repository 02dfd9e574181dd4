//! Figures of requests to a service, and clients that do so little that what is measured is the server.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use memchr::memmem;

use crate::spawned_server::SpawnedServer;

/// Connections of a client that reads. One half is asked while the other half's answers are read.
const CONNECTIONS: usize = 32;
/// Clients that submit records.
const CLIENTS: usize = 64;

/// Rate of so many requests in a time.
#[expect(clippy::cast_precision_loss, reason = "a report")]
pub fn per_second(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds
}

/// The median of some figures, and the outermost of them.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The one in the middle.
    pub median: f64,
    /// The first.
    pub least: f64,
    /// The last.
    pub most: f64,
}

impl Spread {
    /// Those of figures.
    ///
    /// # Panics
    /// If there are none.
    pub fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<_> = figures.collect();
        figures.sort_unstable_by(f64::total_cmp);
        Self { median: figures[figures.len() / 2], least: figures[0], most: figures[figures.len() - 1] }
    }
}

/// Figures of many requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// Of all together.
    pub seconds: f64,
    /// CPU time of the servers; not a number where it is not known.
    pub processor: f64,
    /// Median time of one.
    pub median: f64,
    /// 99th percentile of it.
    pub p99: f64,
}

impl Load {
    /// The figures of requests that took these times.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(seconds: f64, processor: f64, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let [median, p99] = [times.len() / 2, times.len() * 99 / 100].map(|at| times[at].as_secs_f64());
        Self { seconds, processor, median, p99 }
    }
}

/// Asks for all of these again and again on all connections, as fast as answers come. The connections go to these servers in
/// turns, each an address with a process.
///
/// # Panics
/// If a server does not answer.
pub fn load(servers: &[(&str, u32)], asks: &[Vec<u8>], count: usize) -> Load {
    let mut halves = [0, 1].map(|_| {
        let turns = servers.iter().cycle().take(CONNECTIONS / 2);
        turns.map(|(address, _)| (RawConnection::open(address), Instant::now())).collect::<Vec<_>>()
    });
    let mut asks = asks.iter().cycle();
    let mut times = Vec::with_capacity(count);
    let mut ask = |(wire, sent): &mut (RawConnection, Instant)| {
        *sent = Instant::now();
        wire.send(asks.next().expect("it goes round"));
    };
    let processor = || servers.iter().map(|(_, process)| processor_time(*process)).sum::<f64>();
    let (before, begun) = (processor(), Instant::now());
    for half in &mut halves {
        half.iter_mut().for_each(&mut ask);
    }
    while times.len() < count {
        for half in &mut halves {
            for (wire, sent) in half.iter_mut() {
                wire.receive();
                times.push(sent.elapsed());
            }
            half.iter_mut().for_each(&mut ask);
        }
    }
    for (wire, _) in halves.iter_mut().flatten() {
        wire.receive();
    }
    let seconds = begun.elapsed().as_secs_f64();
    Load::new(seconds, processor() - before, times)
}

/// Seconds of CPU time that a process has had; not a number where the system does not tell it.
fn processor_time(process: u32) -> f64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return f64::NAN };
    let time = |thread: fs::DirEntry| -> Option<f64> {
        let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = told.split(' ').next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    };
    threads.flatten().map(time).sum::<Option<f64>>().unwrap_or(f64::NAN)
}

/// Submits records, each of 64 clients one after the other.
///
/// # Panics
/// If one is not stored.
pub fn post(served: &SpawnedServer, token: &str, records: &[String]) -> Load {
    let next = AtomicUsize::new(0);
    let client = || {
        let mut wire = RawConnection::open(&served.address);
        let mut times = Vec::new();
        while let Some(record) = records.get(next.fetch_add(1, Ordering::Relaxed)) {
            let head = format!(
                "POST /v1/records HTTP/1.1\r\nHost: quipu\r\nAuthorization: Bearer {token}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
                record.len()
            );
            let begun = Instant::now();
            wire.send(&[head.as_bytes(), record.as_bytes()].concat());
            let response = wire.receive();
            assert!(response.starts_with(b"HTTP/1.1 201"), "{}", String::from_utf8_lossy(response));
            times.push(begun.elapsed());
        }
        times
    };
    let begun = Instant::now();
    let times: Vec<_> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        clients.into_iter().flat_map(|client| client.join().expect("all is stored")).collect()
    });
    Load::new(begun.elapsed().as_secs_f64(), f64::NAN, times)
}

/// A request without a body.
pub fn request(path: &str, more: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: quipu\r\n{more}\r\n").into_bytes()
}

/// The value of a header of an answer.
///
/// # Panics
/// If the head is not ASCII.
pub fn header<'a>(response: &'a [u8], name: &str) -> Option<&'a str> {
    let head = memmem::find(response, b"\r\n\r\n").map_or(response, |end| &response[..end]);
    let lines = std::str::from_utf8(head).expect("a head is ASCII").split("\r\n");
    lines
        .filter_map(|line| line.split_once(": "))
        .find(|(own, _)| own.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

/// The body of an answer.
///
/// # Panics
/// If it has no head.
pub fn body(response: &[u8]) -> &[u8] {
    let end = memmem::find(response, b"\r\n\r\n").expect("a head");
    &response[end + 4..]
}

/// A connection that is kept. It does little, so that what is measured is the server.
#[derive(Debug)]
pub struct RawConnection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl RawConnection {
    /// Opens one.
    ///
    /// # Panics
    /// If nobody listens.
    pub fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a connection");
        Self { stream, buffer: vec![0; 1 << 18] }
    }

    /// Sends a request.
    ///
    /// # Panics
    /// If it is not taken.
    pub fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).expect("it is taken");
    }

    /// The next answer, head and body.
    ///
    /// # Panics
    /// If it breaks off.
    pub fn receive(&mut self) -> &[u8] {
        let mut filled = 0;
        let mut whole = None;
        while whole.is_none_or(|whole| filled < whole) {
            let read = self.stream.read(&mut self.buffer[filled..]).expect("it answers");
            assert!(read > 0, "the answer breaks off");
            filled += read;
            if whole.is_none() {
                whole = length(&self.buffer[..filled]);
            }
        }
        &self.buffer[..filled]
    }
}

/// The length of a response, as soon as its head has arrived.
fn length(response: &[u8]) -> Option<usize> {
    let head = memmem::find(response, b"\r\n\r\n")? + 4;
    let said = memmem::find(&response[..head], b"content-length: ");
    let digits = said.map_or(&b""[..], |at| &response[at + b"content-length: ".len()..head]);
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    Some(head + digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0')))
}
