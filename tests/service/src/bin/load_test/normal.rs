//! The client that means well: from an address of its own it reads and submits, one small request after the other.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use quipu_tests_service::generator::Generator;
use socket2::{Domain, Socket, Type};

use super::harness::{HANG, Latencies};

/// Addresses of this machine that no other client has.
pub(crate) const READER: Ipv4Addr = Ipv4Addr::new(127, 2, 0, 1);
pub(crate) const WRITER: Ipv4Addr = Ipv4Addr::new(127, 2, 0, 2);
/// Time between two requests, which keeps a client below the default rate of an address.
const PAUSE: Duration = Duration::from_millis(15);
/// Failures that are told.
const TOLD: usize = 5;

/// A connection from an address of this machine.
pub(crate) fn connect(from: Ipv4Addr, server: SocketAddr, receive: Option<usize>) -> std::io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    if let Some(bytes) = receive {
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.bind(&SocketAddr::from((from, 0)).into())?;
    socket.connect_timeout(&server.into(), HANG)?;
    Ok(socket.into())
}

/// The bytes of a request after which the connection is closed.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let length = if length == 0 { String::new() } else { format!("Content-Length: {length}\r\n") };
    let head = format!("{method} {path} HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\n{headers}{length}\r\n");
    [head.as_bytes(), body].concat()
}

/// A whole answer.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) took: Duration,
}

/// Asks by a connection of its own.
///
/// # Errors
/// If no whole answer comes before the request counts as one that hangs.
pub(crate) fn ask(from: Ipv4Addr, server: SocketAddr, request: &[u8]) -> Result<Response, String> {
    let begun = Instant::now();
    let io = |error: std::io::Error| format!("{error} after {:.1} s", begun.elapsed().as_secs_f64());
    let mut stream = connect(from, server, None).map_err(io)?;
    stream.set_read_timeout(Some(HANG)).map_err(io)?;
    stream.set_write_timeout(Some(HANG)).map_err(io)?;
    stream.write_all(request).map_err(io)?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).map_err(io)?;
    let took = begun.elapsed();
    let end =
        memchr::memmem::find(&response, b"\r\n\r\n").ok_or_else(|| format!("no head in {} bytes", response.len()))?;
    let body = response.split_off(end + 4);
    let head = String::from_utf8_lossy(&response).to_ascii_lowercase();
    let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or_else(|| head.clone())?;
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    let is_whole = match header("content-length: ") {
        Some(length) => length.parse() == Ok(body.len()),
        None => body.ends_with(b"0\r\n\r\n"),
    };
    if !is_whole {
        return Err(format!("{status}, cut short after {} bytes", body.len()));
    }
    if took > HANG {
        Err(format!("{status} after {:.0} s", took.as_secs_f64()))
    } else {
        Ok(Response { status, body, took })
    }
}

/// Requests that a normal client makes.
pub(crate) struct Normal {
    /// Name and path of each request that reads.
    pub(crate) reads: Vec<(&'static str, String)>,
    /// A token to submit records with.
    pub(crate) token: String,
}

/// Name of the requests that write.
pub(crate) const SUBMISSION: &str = "submission";

/// Results of a normal client's requests.
#[derive(Default)]
pub(crate) struct LoadResult {
    /// By name of the request.
    pub(crate) latencies: BTreeMap<&'static str, Latencies>,
    pub(crate) failed: usize,
    /// The first failures.
    pub(crate) failures: Vec<String>,
}

impl LoadResult {
    /// Notes an answer, which should have this status.
    pub(crate) fn add(&mut self, name: &'static str, expected: u16, response: Result<Response, String>) {
        match response {
            Ok(response) if response.status == expected => {
                self.latencies.entry(name).or_default().add(response.took);
            }
            other => {
                let what = other.map_or_else(
                    |error| error,
                    |response| {
                        let body = String::from_utf8_lossy(&response.body);
                        format!("{} {}", response.status, body.chars().take(200).collect::<String>())
                    },
                );
                self.fail(format!("{name}: {what}"));
            }
        }
    }

    /// Notes a failure.
    pub(crate) fn fail(&mut self, what: String) {
        self.failed += 1;
        if self.failures.len() < TOLD {
            self.failures.push(what);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (name, latencies) in other.latencies {
            self.latencies.entry(name).or_default().extend(latencies);
        }
        self.failed += other.failed;
        self.failures.extend(other.failures);
    }

    /// All latencies together, but for those of `except`.
    pub(crate) fn all_but(&self, except: &str) -> Latencies {
        let mut all = Latencies::default();
        for (_, latencies) in self.latencies.iter().filter(|(name, _)| **name != except) {
            all.extend(latencies.clone());
        }
        all
    }
}

impl Normal {
    /// Reads and submits until it is to end, waits for the last answers, and takes no notice of those that come when all is
    /// over. Records begin with number `first` of the generator.
    pub(crate) fn run(
        &self,
        server: SocketAddr,
        generator: &Generator,
        first: usize,
        ending: &AtomicBool,
        over: &AtomicBool,
    ) -> LoadResult {
        let outcome = Mutex::new(LoadResult::default());
        let [goes_on, counts] = [ending, over].map(|flag| move || !flag.load(Ordering::Relaxed));
        let note = |name, expected, response| {
            if counts() {
                outcome.lock().expect("nobody panics").add(name, expected, response);
            }
            thread::sleep(PAUSE);
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                for (name, path) in self.reads.iter().cycle().take_while(|_| goes_on()) {
                    note(name, 200, ask(READER, server, &request("GET", path, "", b"")));
                }
            });
            scope.spawn(|| {
                for number in (first..).take_while(|_| goes_on()) {
                    note(SUBMISSION, 201, self.submit(server, &generator.record(number)));
                }
            });
        });
        outcome.into_inner().expect("nobody panics")
    }

    /// Submits a record.
    pub(crate) fn submit(&self, server: SocketAddr, record: &str) -> Result<Response, String> {
        let headers = format!("Authorization: Bearer {}\r\nContent-Type: text/plain\r\n", self.token);
        ask(WRITER, server, &request("POST", "/v1/records", &headers, record.as_bytes()))
    }
}
