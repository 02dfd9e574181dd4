//! A connection to the service that can be cut, and that can change what comes over it: a client behind it meets a service
//! that is away, one of another version, or a network that answers in its place.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use crate::server::Server;

/// A port that passes requests on to a service. It closes when it is dropped.
pub struct Relay {
    address: SocketAddr,
    line: Arc<Mutex<Line>>,
}

/// The state of the connection.
struct Line {
    server: SocketAddr,
    connected: bool,
    closed: bool,
    /// Texts to be replaced in responses, each with its replacement.
    changes: Vec<[String; 2]>,
    answer: Answer,
}

/// The response to a request in place of the service, if there is one.
type Answer = Box<dyn FnMut() -> Option<String> + Send>;

impl Relay {
    /// To a service; connected, without changes.
    ///
    /// # Panics
    /// If there is no free port.
    pub fn to(server: &Server) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("it has one");
        let line = Line {
            server: server.address(),
            connected: true,
            closed: false,
            changes: Vec::new(),
            answer: Box::new(|| None),
        };
        let line = Arc::new(Mutex::new(line));
        let own = Arc::clone(&line);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let line = Arc::clone(&own);
                if held(&line).closed {
                    return;
                }
                // A client that goes away meanwhile misses nothing.
                thread::spawn(move || drop(pass(stream, &line)));
            }
        });
        Self { address, line }
    }

    /// The address of a page.
    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Connects it, or cuts it: then connections are closed without a response.
    pub fn connect(&self, connected: bool) {
        held(&self.line).connected = connected;
    }

    /// Replaces texts in responses from now on.
    pub fn change(&self, changes: &[[&str; 2]]) {
        held(&self.line).changes = changes.iter().map(|change| change.map(str::to_owned)).collect();
    }

    /// Calls a function for each request from now on. The service answers those for which it returns no response; an empty
    /// one closes the connection.
    pub fn answer(&self, answer: impl FnMut() -> Option<String> + Send + 'static) {
        held(&self.line).answer = Box::new(answer);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        held(&self.line).closed = true;
        drop(TcpStream::connect(self.address));
    }
}

fn held(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().expect("no other thread panics")
}

/// Passes one request on, and its response back.
fn pass(mut client: TcpStream, line: &Mutex<Line>) -> io::Result<()> {
    let mut request = Vec::new();
    let (head, length) = loop {
        if let Some(end) = find(&request, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..end]).into_owned();
            let length = header(&head, "content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
            break (head, end + 4 + length);
        }
        read(&mut client, &mut request)?;
    };
    while request.len() < length {
        read(&mut client, &mut request)?;
    }
    let (server, changes) = {
        let mut line = held(line);
        if !line.connected {
            return client.shutdown(Shutdown::Both);
        }
        if let Some(response) = (line.answer)() {
            client.write_all(response.as_bytes())?;
            return client.shutdown(Shutdown::Both);
        }
        (line.server, line.changes.clone())
    };
    let mut upstream = TcpStream::connect(server)?;
    upstream.write_all(without(&head, &["connection", "accept-encoding"]).as_bytes())?;
    upstream.write_all(b"\r\nConnection: close\r\n\r\n")?;
    upstream.write_all(&request[head.len() + 4..])?;
    let mut response = Vec::new();
    upstream.read_to_end(&mut response)?;
    client.write_all(&changed(response, &changes))?;
    client.shutdown(Shutdown::Both)
}

/// A response with its texts replaced, if it is text of a known length.
fn changed(response: Vec<u8>, changes: &[[String; 2]]) -> Vec<u8> {
    let Some(end) = find(&response, b"\r\n\r\n") else { return response };
    let head = String::from_utf8_lossy(&response[..end]).into_owned();
    let Ok(mut body) = String::from_utf8(response[end + 4..].to_vec()) else { return response };
    if header(&head, "content-length").is_none() {
        return response;
    }
    let mut head = without(&head, &["content-length"]);
    for [from, to] in changes {
        head = head.replace(from, to);
        body = body.replace(from, to);
    }
    format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A head without some of its headers.
fn without(head: &str, names: &[&str]) -> String {
    let is_other = |line: &&str| {
        line.split_once(':').is_none_or(|(name, _)| !names.iter().any(|one| name.eq_ignore_ascii_case(one)))
    };
    // The first line has a colon of its own in the address.
    let (first, rest) = head.split_once("\r\n").unwrap_or((head, ""));
    std::iter::once(first).chain(rest.split("\r\n").filter(is_other)).collect::<Vec<_>>().join("\r\n")
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let lines = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
    lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn read(stream: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    match stream.read(&mut buffer)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        count => {
            into.extend_from_slice(&buffer[..count]);
            Ok(())
        }
    }
}
