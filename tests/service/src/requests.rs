//! Requests of the fuzzer: each must get a response.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    sync::OnceLock,
    time::{Duration, Instant},
};

use quipu_http as http;
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::codes;
use serde_json::Value;

use crate::server::Server;

/// Time limit of a response. All requests are small, so only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A service with something in its archive, and a token that may do everything.
fn service() -> &'static (Server, String) {
    static SERVICE: OnceLock<(Server, String)> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
        for game in ["andes", "pastores", "querni", "brandubh"] {
            server.keep(&crate::bytes(&format!("{game}/games.quipu"))[..]);
        }
        let token = server.token(Scope::Admin);
        (server, token)
    })
}

/// Sends what these bytes ask for: on the first line a method and a path, then lines of headers up to an empty one,
/// then the body. `$TOKEN` stands for a token that may do everything. Headers that the protocol requires are added;
/// bytes that begin with a zero are sent as they are.
///
/// # Panics
/// If there is no answer, or one that no request should have.
pub fn answer(bytes: &[u8]) {
    let (server, token) = service();
    let raw = bytes.first() == Some(&0);
    let request = if raw { bytes[1..].to_vec() } else { request(bytes, token) };
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let begun = Instant::now();
    // It may answer and close before it has read everything.
    drop(stream.write_all(&request));
    if raw {
        drop(stream.shutdown(Shutdown::Write));
    }
    let (response, whole) = read(&mut stream);
    assert!(begun.elapsed() < PATIENCE, "it takes too long");
    assert!(!response.is_empty() || raw, "no answer");
    let mut rest = &response[..];
    // Bytes that are sent as they are may be more than one request.
    while !rest.is_empty() {
        rest = check(rest, whole);
        assert!(raw || rest.is_empty(), "more than the answer: {}", String::from_utf8_lossy(rest));
    }
}

/// Looks at an answer; gives what follows it. The last one of a connection may have no end, if the connection had none.
fn check(response: &[u8], whole: bool) -> &[u8] {
    let shown = || String::from_utf8_lossy(response);
    let Some(end) = response.windows(4).position(|part| part == b"\r\n\r\n") else {
        assert!(!whole, "no head: {}", shown());
        return &[];
    };
    let (head, body) = (&response[..end], &response[end + 4..]);
    let head = String::from_utf8(head.to_vec()).expect("heads are text").to_ascii_lowercase();
    let status: u16 = head.get(9..12).and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("{head}"));
    assert!((100..600).contains(&status) && status != 500, "{}", shown());
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    // Some answers have no body whatever length they tell of: that to HEAD too.
    let bare = matches!(status, 100..200 | 204 | 304) || body.is_empty() || body.starts_with(b"HTTP/1.");
    let length = match (bare, header("transfer-encoding"), header("content-length")) {
        (true, ..) => Some(0),
        (_, Some(_), _) => chunks(body),
        (_, _, Some(length)) => Some(length.parse().expect("a number")),
        _ => Some(body.len()),
    };
    let length = length.filter(|length| *length <= body.len());
    assert!(!whole || length.is_some(), "cut short: {}", shown());
    let (body, rest) = body.split_at(length.unwrap_or(body.len()));
    let is_plain = header("content-encoding").is_none() && header("transfer-encoding").is_none();
    if is_plain && length.is_some() && !body.is_empty() && header("content-type") == Some("application/problem+json") {
        let problem: Value = serde_json::from_slice(body).expect("JSON");
        assert_eq!(problem["status"], status, "{problem}");
        let known = |code: &str| http::CODES.iter().any(|known| known.id == code) || codes::find(code).is_some();
        assert!(problem["code"].as_str().is_some_and(known), "{problem}");
    }
    rest
}

/// Offset of the end of a chunked body; none if it does not end.
fn chunks(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let end = at + body[at..].windows(2).position(|part| part == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&body[at..end]).ok()?, 16).ok()?;
        at = end + 2 + size;
        at = at.checked_add(2).filter(|next| body.get(at..*next) == Some(b"\r\n"))?;
        if size == 0 {
            return Some(at);
        }
    }
}

/// The answers, and whether they are whole: some have no end.
fn read(stream: &mut TcpStream) -> (Vec<u8>, bool) {
    let mut response = Vec::new();
    let mut part = [0; 16 * 1024];
    loop {
        match stream.read(&mut part) {
            Ok(0) => return (response, true),
            Ok(read) => response.extend_from_slice(&part[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
                return (response, false);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&response)),
        }
        if response.windows(17).any(|part| part.eq_ignore_ascii_case(b"text/event-stream")) || response.len() > 8 << 20
        {
            return (response, false);
        }
    }
}

/// A request as the protocol wants it.
fn request(bytes: &[u8], token: &str) -> Vec<u8> {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let (method, path) = first.split_once(' ').unwrap_or(("GET", &first));
    let method =
        if method.bytes().all(|byte| byte.is_ascii_uppercase()) && !method.is_empty() { method } else { "GET" };
    let path: String = path.bytes().filter(u8::is_ascii_graphic).map(char::from).collect();
    let path = path.trim_start_matches('/');
    let mut rest = lines.next().unwrap_or_default();
    let mut head = format!("{method} /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&rest[..end]).replace("$TOKEN", token);
        rest = &rest[end + 1..];
        let Some((name, value)) = line.split_once(':') else { break };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        // These say how the rest is to be read, and are said below.
        let ours = ["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade"];
        if is_name && !ours.contains(&name.to_ascii_lowercase().as_str()) {
            let value: String = value.chars().filter(|letter| !letter.is_control()).collect();
            head += &format!("{name}: {value}\r\n");
        }
    }
    let mut request = format!("{head}Content-Length: {}\r\n\r\n", rest.len()).into_bytes();
    request.extend_from_slice(rest);
    request
}
