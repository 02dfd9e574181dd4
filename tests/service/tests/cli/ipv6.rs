//! The service over IPv6. A machine without it has nothing to test here.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

use quipu_tests_service::program::{command, run};
use serde_json::Value;
use tempfile::TempDir;

use crate::{GOOD, serve::Service, with};

fn has_ipv6() -> bool {
    TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok()
}

/// A service that listens on `listen`, with more options.
fn start(listen: &str, options: &[&str]) -> (TempDir, Service) {
    let folder = tempfile::tempdir().expect("there is room");
    let data = folder.path().to_str().expect("our paths are UTF-8").to_owned();
    let service = Service::start(command(&with(&["serve", "--data", &data, "--listen", listen], options)));
    (folder, service)
}

/// Sends the head of a request, and says what comes until the connection is closed.
fn ask(address: SocketAddr, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "{head}\r\nHost: [::1]\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    response
}

fn get(address: SocketAddr, path: &str, headers: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1{headers}"), "")
}

#[test]
fn it_listens_on_an_address_of_version_6_and_says_so() {
    if !has_ipv6() {
        return;
    }
    let (_folder, service) = start("[::1]:0", &["--log-json"]);
    let address: SocketAddr = service.address().parse().expect("an address with its port");
    assert_eq!(address.ip(), Ipv6Addr::LOCALHOST);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, address.port())).is_err(), "and on no other");
    for path in ["/", "/v1/games", "/readyz", "/metrics", "/openapi.json"] {
        let response = get(address, path, "");
        assert!(response.starts_with("HTTP/1.1 200 "), "{path}: {response}");
    }
    let taken = run(&["serve", "--lang", "en", "--data", "/nonexistent/quipu", "--listen", "[::1]"]);
    assert!(taken.stderr.contains("127.0.0.1:8080 or [::1]:8080"), "{taken:#?}");
    let (other, listen) = (tempfile::tempdir().expect("there is room"), address.to_string());
    let taken = run(&["serve", "--lang", "en", "--data", other.path().to_str().expect("UTF-8"), "--listen", &listen]);
    assert_eq!(taken.status, Some(3));
    assert!(
        taken.stderr.contains(&format!("cannot listen on {address}: another program uses that port")),
        "{taken:#?}"
    );
    // The log tells the address of the client.
    let (status, rest) = service.stop("-TERM");
    assert_eq!(status, Some(0), "{rest}");
    let lines = rest.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let addresses: Vec<_> = lines.filter_map(|line| line["fields"]["address"].as_str().map(str::to_owned)).collect();
    assert!(addresses.len() >= 5 && addresses.iter().all(|address| address == "::1"), "{rest}");
}

/// One that listens on all addresses answers over both versions.
#[test]
fn it_listens_on_both_versions_at_once() {
    if !has_ipv6() {
        return;
    }
    let (_folder, service) = start("[::]:0", &[]);
    let port = service.address().parse::<SocketAddr>().expect("an address").port();
    for address in [SocketAddr::from((Ipv6Addr::LOCALHOST, port)), SocketAddr::from((Ipv4Addr::LOCALHOST, port))] {
        let response = get(address, "/v1/games", "");
        assert!(response.starts_with("HTTP/1.1 200 "), "{address}: {response}");
    }
}

#[test]
fn clients_are_told_apart_by_networks_of_64_bits() {
    if !has_ipv6() {
        return;
    }
    let (_folder, service) = start("[::1]:0", &["--address-rate", "1"]);
    let address = service.address().parse().expect("an address");
    let statuses = [(); 2].map(|()| get(address, "/v1/games", "")[9..12].to_owned());
    assert_eq!(statuses, ["200", "429"]);
    drop(service);

    // Behind a proxy, that itself is asked over IPv6 and speaks IPv6.
    let (_folder, service) = start("[::1]:0", &["--address-rate", "1", "--trust-proxy"]);
    let address = service.address().parse().expect("an address");
    let asked = |client: &str| get(address, "/v1/games", &format!("\r\nX-Forwarded-For: {client}"))[9..12].to_owned();
    for (client, expected) in [
        ("2001:db8::1", "200"),
        ("2001:db8::1", "429"),
        ("2001:db8::2", "429"),
        ("2001:DB8:0:0:ffff::3", "429"),
        ("[2001:db8::4]:50000", "429"),
        ("2001:db8:0:1::1, 2001:db8::5", "429"),
        ("2001:db8:0:1::1", "200"),
        ("2001:db8::6, 2001:db8:0:1::2", "429"),
        ("10.0.0.1", "200"),
        ("::ffff:10.0.0.1", "429"),
        ("[::ffff:10.0.0.2]:443", "200"),
        ("10.0.0.2", "429"),
    ] {
        assert_eq!(asked(client), expected, "{client}");
    }
}

#[test]
fn many_connections_are_answered_and_a_listener_hears_what_comes() {
    if !has_ipv6() {
        return;
    }
    let (folder, service) = start("[::1]:0", &[]);
    let address = service.address().parse().expect("an address");
    let data = folder.path().to_str().expect("UTF-8");
    let token = run(&["token", "add", "--name", "mesa", "--scope", "records:write", "--data", data]).stdout;
    let token = format!("\r\nAuthorization: Bearer {}", token.trim());

    let mut feed = TcpStream::connect(address).expect("it listens");
    feed.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
    write!(feed, "GET /v1/feed?since=0 HTTP/1.1\r\nHost: [::1]{token}\r\n\r\n").expect("it reads");
    let mut lines = BufReader::new(feed).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("HTTP/1.1 200 OK"));

    // All are open at once, and all are answered.
    let mut open: Vec<_> = (0..200).map(|_| TcpStream::connect(address).expect("it listens")).collect();
    for stream in &mut open {
        write!(stream, "GET /v1/games HTTP/1.1\r\nHost: [::1]{token}\r\n\r\n").expect("it reads");
    }
    for stream in &mut open {
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).expect("it answers");
        assert_eq!(begin, *b"HTTP/1.1 200");
    }

    let stored = ask(address, &format!("POST /v1/records HTTP/1.1{token}\r\nContent-Type: text/plain"), GOOD);
    assert!(stored.starts_with("HTTP/1.1 201 "), "{stored}");
    assert!(lines.any(|line| line.starts_with("data:")), "the listener hears of it");
    drop((open, lines));
    let (status, rest) = service.stop("-TERM");
    assert_eq!(status, Some(0), "{rest}");
    assert!(fs::metadata(folder.path().join("quipu.db")).is_ok());
}
