//! `quipu watch`: each content is uploaded once, whatever happens to the connection, the service or the program.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::Path,
    process::{Child, ChildStderr, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{
    program::{Run, command},
    relay::Relay,
    server::Server,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    BAD, GOOD, UNREADABLE,
    whole_files::{NOBODY, public_program},
    with,
};

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("our paths are UTF-8")
}

fn write(folder: &TempDir, name: &str, content: &str) {
    fs::write(folder.path().join(name), content).expect("there is room");
}

/// The lines of the journal.
fn journal(folder: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join(".quipu-watch")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The number of records that a service has.
fn stored(server: &Server) -> usize {
    let page: Value = server.get("/v1/records?limit=1&total=yes").json();
    page["total"]["records"].as_u64().and_then(|number| number.try_into().ok()).expect("a number")
}

fn watch(folder: &TempDir, address: &str, token: &str, more: &[&str]) -> Command {
    let all = ["watch", text(folder.path()), "--to", address, "--lang", "en", "--interval", "1"];
    let mut command = command(&with(&all, more));
    command.env("QUIPU_TOKEN", token).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Uploads the files that are there.
fn once(folder: &TempDir, address: &str, token: &str, more: &[&str]) -> Run {
    watch(folder, address, token, &with(&["--once"], more)).output().expect("quipu runs").into()
}

/// `quipu watch` while it runs. It is killed when it is dropped.
struct Watching {
    child: Child,
    out: BufReader<ChildStdout>,
    said: BufReader<ChildStderr>,
}

impl Watching {
    fn start(folder: &TempDir, address: &str, token: &str) -> Self {
        Self::of(watch(folder, address, token, &[]))
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.spawn().expect("quipu runs");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        Self { child, out, said }
    }

    fn uploaded(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("UTF-8");
        line
    }

    fn wait_for(&mut self, part: &str) {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert!(self.said.read_line(&mut line).expect("UTF-8") > 0, "it ended before {part:?}");
        }
    }

    fn ask_to_stop(&mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A proxy that passes every request on. Of the first responses, it loses all but so many bytes each.
fn losing(server: SocketAddr, lost: Vec<usize>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("it has one");
    thread::spawn(move || {
        let mut lost = lost.into_iter();
        for client in listener.incoming().map_while(Result::ok) {
            let mut service = TcpStream::connect(server).expect("the service listens");
            let mut request = client.try_clone().expect("a socket");
            let mut upstream = service.try_clone().expect("a socket");
            // It ends when the client, or this proxy, closes the connection.
            thread::spawn(move || drop(std::io::copy(&mut request, &mut upstream)));
            let mut client = client;
            if let Some(bytes) = lost.next() {
                // The closing line of a response shows that everything is stored.
                let mut response = Vec::new();
                let mut buffer = [0; 4096];
                while !response.windows(9).any(|part| part == b"\"summary\"") {
                    let read = service.read(&mut buffer).expect("a response");
                    assert!(read > 0, "it ended early");
                    response.extend_from_slice(&buffer[..read]);
                }
                drop(client.write_all(&response[..bytes]));
                drop(client.shutdown(Shutdown::Both));
            } else {
                drop(std::io::copy(&mut service, &mut client));
            }
        }
    });
    format!("http://{address}")
}

/// A game of another round.
fn round(number: usize) -> String {
    GOOD.replace("[Result", &format!("[Round \"{number}\"]\n[Result"))
}

fn served() -> (Server, String, String) {
    let server = Server::start();
    let (token, address) = (server.token(Scope::RecordsWrite), format!("http://{}", server.address()));
    (server, token, address)
}

#[test]
fn files_are_uploaded_when_they_arrive_and_not_again_after_a_kill() {
    let (server, token, address) = served();
    let folder = folder();
    write(&folder, "one.quipu", &round(1));
    let mut watching = Watching::start(&folder, &address, &token);
    assert_eq!(watching.uploaded(), "one.quipu · new: 1 · already stored: 0 · rejected: 0\n");
    // Another program writes it, and gives it its name in the end.
    write(&folder, "two.quipu.part", &round(2)[..20]);
    write(&folder, "three.quipu", &round(3));
    assert_eq!(watching.uploaded(), "three.quipu · new: 1 · already stored: 0 · rejected: 0\n");
    assert_eq!(watching.ask_to_stop(Signal::KILL), None);
    write(&folder, "two.quipu.part", &round(2));
    fs::rename(folder.path().join("two.quipu.part"), folder.path().join("two.quipu")).expect("there is room");
    let run = once(&folder, &address, &token, &[]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "two.quipu · new: 1 · already stored: 0 · rejected: 0\n"));
    let run = once(&folder, &address, &token, &[]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    assert_eq!((stored(&server), journal(&folder).len()), (3, 3));
    // A changed file is uploaded again; its records that are stored stay as they are.
    write(&folder, "one.quipu", &(round(1) + "\n" + &round(4)));
    let run = once(&folder, &address, &token, &[]);
    assert_eq!(run.stdout, "one.quipu · new: 1 · already stored: 1 · rejected: 0\n");
    assert_eq!(stored(&server), 4);
}

#[test]
fn a_lost_response_stores_nothing_twice() {
    let (server, token, address) = served();
    for (number, bytes) in [0, 40, 150].into_iter().enumerate() {
        let folder = folder();
        write(&folder, "one.quipu", &round(number));
        let proxy = losing(server.address(), vec![bytes]);
        let run = once(&folder, &proxy, &token, &[]);
        assert_eq!(run.stdout, "one.quipu · new: 0 · already stored: 1 · rejected: 0\n", "{bytes}: {run:#?}");
        assert!(run.stderr.contains("cannot upload: ") && run.stderr.contains("responds again"), "{run:#?}");
        assert_eq!((run.status, stored(&server), journal(&folder).len()), (Some(0), number + 1, 1));
        // As after a crash between the response and the journal.
        fs::remove_file(folder.path().join(".quipu-watch")).expect("it is there");
        let run = once(&folder, &address, &token, &[]);
        assert_eq!(run.stdout, "one.quipu · new: 0 · already stored: 1 · rejected: 0\n");
    }
}

#[test]
fn a_service_may_go_away_and_come_back() {
    let (server, token, _) = served();
    let folder = folder();
    let relay = Relay::to(&server);
    relay.connect(false);
    write(&folder, "one.quipu", &round(1));
    let mut watching = Watching::start(&folder, &relay.at(""), &token);
    watching.wait_for("cannot upload: there is no connection to the service, or it broke");
    assert_eq!((stored(&server), journal(&folder).len()), (0, 0));
    relay.connect(true);
    assert_eq!(watching.uploaded(), "one.quipu · new: 1 · already stored: 0 · rejected: 0\n");
    watching.wait_for("the service responds again");
    for signal in [Signal::TERM, Signal::INT] {
        assert_eq!(watching.ask_to_stop(signal), Some(0));
        watching = Watching::start(&folder, &relay.at(""), &token);
        watching.wait_for("files that arrive in");
    }
    relay.connect(false);
    write(&folder, "two.quipu", &round(2));
    let in_use = once(&folder, &relay.at(""), &token, &["--attempts", "1"]);
    assert_eq!(in_use.status, Some(3));
    assert!(in_use.stderr.contains("another `quipu watch` is using it"), "{in_use:#?}");
    drop(watching);
    let given_up = once(&folder, &relay.at(""), &token, &["--attempts", "1"]);
    assert_eq!((given_up.status, given_up.stdout.as_str(), journal(&folder).len()), (Some(3), "", 1));
    assert!(given_up.stderr.contains("two.quipu: it was not uploaded"), "{given_up:#?}");
}

#[test]
fn long_files_are_sent_in_parts() {
    let server = Server::with(Settings { max_records: 1000, ..Settings::default() });
    let (token, folder) = (server.token(Scope::RecordsWrite), folder());
    write(&folder, "long.quipu", &(0..2100).map(|number| round(number) + "\n").collect::<String>());
    let run = once(&folder, &format!("http://{}", server.address()), &token, &[]);
    assert_eq!(run.stdout, "long.quipu · new: 2100 · already stored: 0 · rejected: 0\n", "{run:#?}");
    assert_eq!((run.status, stored(&server)), (Some(0), 2100));
}

#[test]
fn a_file_that_is_too_large_is_rejected_and_the_rest_goes_on() {
    let server = Server::with(Settings { max_body: 1024, ..Settings::default() });
    let (token, folder, address) =
        (server.token(Scope::RecordsWrite), folder(), format!("http://{}", server.address()));
    write(&folder, "a.quipu", &GOOD.replace("1. 0a1", &format!("{{{}}} 1. 0a1", "a".repeat(2000))));
    write(&folder, "b.quipu", GOOD);
    let run = once(&folder, &address, &token, &[]);
    assert_eq!(run.stdout, "b.quipu · new: 1 · already stored: 0 · rejected: 0\n", "{run:#?}");
    assert!(run.stderr.contains("a.quipu: the service does not accept it") && run.stderr.contains("api.too-large"));
    assert_eq!((run.status, journal(&folder).len()), (Some(1), 1));
    // The limit of the service may have changed.
    let run = once(&folder, &address, &token, &[]);
    assert_eq!(
        (run.status, run.stdout.as_str(), run.stderr.contains("api.too-large")),
        (Some(1), "", true),
        "{run:#?}"
    );
}

/// A response without a body.
fn response(head: &str) -> String {
    format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

/// Responses in place of the service, one for each request, with the number of requests so far. The service gives those
/// that are `None`, and all that follow.
fn answer(relay: &Relay, responses: Vec<Option<String>>) -> Arc<AtomicUsize> {
    let requests = Arc::<AtomicUsize>::default();
    let (counted, mut responses) = (Arc::clone(&requests), responses.into_iter());
    relay.answer(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        responses.next().flatten()
    });
    requests
}

#[test]
fn a_response_for_now_is_followed_by_another_attempt() {
    let (server, token, _) = served();
    let relay = Relay::to(&server);
    let none_of_quipu = |status: u16| format!("the response, of HTTP status {status}, is none of quipu");
    for (number, (head, said)) in [
        ("429 Too Many Requests\r\nRetry-After: 3", "HTTP 429; pause of 3 s".to_owned()),
        ("503 Service Unavailable", "HTTP 503; pause of 1 s".to_owned()),
        ("200 OK\r\nContent-Type: text/html", none_of_quipu(200)),
        ("400 Bad Request\r\nContent-Type: text/html", none_of_quipu(400)),
        ("413 Content Too Large\r\nContent-Type: text/html", none_of_quipu(413)),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = folder();
        write(&folder, "one.quipu", &round(number));
        let requests = answer(&relay, vec![Some(response(head))]);
        let run = once(&folder, &relay.at(""), &token, &[]);
        assert_eq!(run.stdout, "one.quipu · new: 1 · already stored: 0 · rejected: 0\n", "{head}: {run:#?}");
        assert!(run.stderr.contains(&format!("cannot upload: {said}")), "{head}: {run:#?}");
        assert_eq!((run.status, requests.load(Ordering::Relaxed), journal(&folder).len()), (Some(0), 2, 1), "{head}");
    }
}

#[test]
fn a_service_that_is_silent_meets_the_time_limit() {
    let (server, token, _) = served();
    let (folder, relay) = (folder(), Relay::to(&server));
    write(&folder, "one.quipu", GOOD);
    let mut is_first = true;
    relay.answer(move || {
        if std::mem::take(&mut is_first) {
            thread::sleep(Duration::from_secs(3));
            return Some(String::new());
        }
        None
    });
    let run = once(&folder, &relay.at(""), &token, &["--timeout", "2"]);
    assert!(run.stderr.contains("cannot upload: the time limit passed"), "{run:#?}");
    assert_eq!((run.status, stored(&server), journal(&folder).len()), (Some(0), 1, 1), "{run:#?}");
}

#[test]
fn a_network_without_the_service_ends_it_at_the_start_alone() {
    let (server, token, _) = served();
    let relay = Relay::to(&server);
    for (number, (head, said)) in [
        ("302 Found\r\nLocation: https://sign-in.example.org", "HTTP 302: https://sign-in.example.org; give that one"),
        ("403 Forbidden", "does not accept the token: HTTP 403"),
        ("404 Not Found", "there is no service of quipu at"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = folder();
        write(&folder, "a.quipu", &round(2 * number));
        write(&folder, "b.quipu", &round(2 * number + 1));
        answer(&relay, vec![Some(response(head))]);
        let run = once(&folder, &relay.at(""), &token, &[]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{head}: {run:#?}");
        assert!(run.stderr.contains(said), "{head}: {run:#?}");
        answer(&relay, vec![None, Some(response(head))]);
        let run = once(&folder, &relay.at(""), &token, &[]);
        let status = &head[..3];
        assert!(run.stderr.contains(&format!("the response, of HTTP status {status}, is none of quipu")), "{run:#?}");
        assert_eq!((run.status, journal(&folder).len()), (Some(0), 2), "{head}: {run:#?}");
    }
    // The token may be revoked at any time.
    let folder = folder();
    write(&folder, "a.quipu", &round(10));
    write(&folder, "b.quipu", &round(11));
    let document = "{\"status\":401,\"code\":\"api.token\"}";
    let head = format!("HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\nConnection: close", document.len());
    answer(&relay, vec![None, Some(format!("{head}\r\n\r\n{document}"))]);
    let run = once(&folder, &relay.at(""), &token, &[]);
    assert_eq!((run.status, journal(&folder).len()), (Some(3), 1), "{run:#?}");
    assert!(run.stderr.contains("does not accept the token: api.token"), "{run:#?}");
}

#[test]
fn files_are_not_all_tried_as_often_without_a_service() {
    let (server, token, _) = served();
    let (folder, relay) = (folder(), Relay::to(&server));
    for (number, name) in ["a.quipu", "b.quipu", "c.quipu"].into_iter().enumerate() {
        write(&folder, name, &round(number));
    }
    let closed = || Some(String::new());
    let requests = answer(&relay, vec![closed(); 10]);
    let run = once(&folder, &relay.at(""), &token, &["--attempts", "2"]);
    assert_eq!((run.status, requests.load(Ordering::Relaxed)), (Some(3), 4), "{run:#?}");
    assert_eq!(run.stderr.matches("it was not uploaded").count(), 3, "{run:#?}");
    // A service that asks for a pause is left alone.
    let busy = response("503 Service Unavailable\r\nRetry-After: 3600");
    let requests = answer(&relay, vec![Some(busy); 10]);
    let run = once(&folder, &relay.at(""), &token, &["--attempts", "1"]);
    assert_eq!((run.status, requests.load(Ordering::Relaxed)), (Some(3), 1), "{run:#?}");
    // One that is there again is tried as often as before.
    let requests = answer(&relay, vec![closed(), closed(), None, closed(), None]);
    let run = once(&folder, &relay.at(""), &token, &["--attempts", "2"]);
    assert_eq!((run.status, requests.load(Ordering::Relaxed), journal(&folder).len()), (Some(3), 5, 2), "{run:#?}");
    assert_eq!(run.stdout.lines().map(|line| &line[..1]).collect::<Vec<_>>(), ["b", "c"], "{run:#?}");
}

#[test]
fn a_file_that_changes_is_named() {
    let (server, token, address) = served();
    let folder = folder();
    write(&folder, "a.quipu", GOOD);
    let mut child = watch(&folder, &address, &token, &["--once"]).spawn().expect("quipu runs");
    let mut file = fs::File::options().append(true).open(folder.path().join("a.quipu")).expect("it is there");
    while child.try_wait().expect("its state").is_none() {
        file.write_all(b"\n").expect("there is room");
        thread::sleep(Duration::from_millis(20));
    }
    let run: Run = child.wait_with_output().expect("its output").into();
    assert_eq!((run.status, run.stdout.as_str(), stored(&server)), (Some(3), "", 0), "{run:#?}");
    assert!(run.stderr.contains("a.quipu: it is still changing"), "{run:#?}");
    // It changes while it is uploaded.
    let (relay, path) = (Relay::to(&server), folder.path().join("a.quipu"));
    relay.answer(move || {
        fs::write(&path, format!("{GOOD}\n{}", round(2))).expect("there is room");
        None
    });
    let run = once(&folder, &relay.at(""), &token, &[]);
    assert_eq!((run.status, run.stdout.as_str(), journal(&folder).len()), (Some(3), "", 0), "{run:#?}");
    assert!(run.stderr.contains("a.quipu: it is still changing"), "{run:#?}");
    let run = once(&folder, &address, &token, &[]);
    assert_eq!(run.stdout, "a.quipu · new: 1 · already stored: 1 · rejected: 0\n", "{run:#?}");
}

#[test]
fn files_that_cannot_be_read_are_named_once_and_tried_again() {
    let (_server, token, address) = served();
    let [folder, place] = [folder(), folder()];
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    mode(place.path(), 0o755);
    mode(folder.path(), 0o777);
    let quipu = public_program(place.path());
    let is_root = fs::metadata(place.path()).expect("it is there").uid() == 0;
    let watch = |more: &[&str]| {
        let known = watch(&folder, &address, &token, more);
        let mut command = Command::new(&quipu);
        command.args(known.get_args()).env("QUIPU_TOKEN", &token).env("HOME", "/").env_remove("QUIPU_DATA");
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let (sub, file) = (folder.path().join("sub"), folder.path().join("a.quipu"));
    fs::create_dir(&sub).expect("there is room");
    write(&folder, "sub/c.quipu", &round(3));
    write(&folder, "b.quipu", &round(2));
    for (name, folder_mode) in [("sub: it is not", 0o000), ("sub/c.quipu: it is not", 0o444)] {
        mode(&sub, folder_mode);
        write(&folder, "sub/d.part", "");
        let run: Run = watch(&["--once"]).output().expect("quipu runs").into();
        assert_eq!((run.status, run.stderr.matches("it is not uploaded").count()), (Some(3), 1), "{run:#?}");
        assert!(run.stderr.contains(name), "{run:#?}");
    }
    mode(&sub, 0o755);
    write(&folder, "a.quipu", &round(1));
    mode(&file, 0o000);
    let run: Run = watch(&["--once"]).output().expect("quipu runs").into();
    assert_eq!(run.stdout, "sub/c.quipu · new: 1 · already stored: 0 · rejected: 0\n", "{run:#?}");
    assert_eq!((run.status, run.stderr.matches("a.quipu: it is not uploaded").count()), (Some(3), 1), "{run:#?}");
    let mut watching = Watching::of(watch(&[]));
    watching.wait_for("a.quipu: it is not uploaded");
    mode(&file, 0o644);
    write(&folder, "z.quipu", &round(4));
    for name in ["a.quipu", "z.quipu"] {
        let line = watching.uploaded();
        assert!(line.starts_with(name), "each scan tries it again: {line}");
    }
}

#[test]
fn a_file_that_is_too_large_for_one_body_is_not_cut() {
    let (server, token, address) = served();
    let folder = folder();
    write(&folder, "a.zip", "PK\u{3}\u{4}");
    let file = fs::File::options().write(true).open(folder.path().join("a.zip")).expect("it is there");
    file.set_len((1 << 30) + 1).expect("zeros take no room");
    let run = once(&folder, &address, &token, &[]);
    assert_eq!((run.status, run.stdout.as_str(), stored(&server)), (Some(3), "", 0), "{run:#?}");
    assert!(run.stderr.contains("a.zip: it is not uploaded: it has more than 1024 MiB"), "{run:#?}");
}

#[test]
fn the_proxy_of_the_environment_is_used() {
    let (server, token, _) = served();
    let (folder, relay) = (folder(), Relay::to(&server));
    write(&folder, "a.quipu", GOOD);
    for (exception, is_used) in [("", true), ("games.invalid", false)] {
        let requests = answer(&relay, vec![Some(response("502 Bad Gateway"))]);
        let mut command = watch(&folder, "http://games.invalid", &token, &["--once", "--attempts", "1"]);
        let run: Run =
            command.env("ALL_PROXY", relay.at("")).env("NO_PROXY", exception).output().expect("quipu runs").into();
        assert_eq!((run.status, requests.load(Ordering::Relaxed) > 0), (Some(3), is_used), "{run:#?}");
    }
}

#[test]
fn broken_records_are_named_and_copies_are_not_sent() {
    let (server, token, address) = served();
    let folder = folder();
    write(&folder, "a.quipu", &[GOOD, BAD, UNREADABLE].join("\n"));
    write(&folder, "b.quipu", &[GOOD, BAD, UNREADABLE].join("\n"));
    write(&folder, "c.jpg", "no record");
    let run = once(&folder, &address, &token, &["--json"]);
    let events: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let kinds: Vec<_> =
        events.iter().map(|event| (event["event"].as_str().unwrap(), event["file"].as_str().unwrap())).collect();
    assert_eq!(kinds, [("skipped", "c.jpg"), ("uploaded", "a.quipu"), ("same", "b.quipu")]);
    assert_eq!((&events[1]["new"], &events[1]["refused"]), (&1.into(), &2.into()));
    assert_eq!(
        (&events[1]["refusals"][0]["index"], &events[1]["refusals"][0]["code"]),
        (&2.into(), &"andes.3.6".into())
    );
    assert_eq!((run.status, stored(&server), events[2]["as"].as_str()), (Some(1), 1, Some("a.quipu")));
}

#[test]
fn a_wrong_token_or_address_ends_it() {
    let (server, token, address) = served();
    let folder = folder();
    write(&folder, "a.quipu", GOOD);
    let other = server.token(Scope::EventsAdmin);
    for (address, token, said) in [
        (address.as_str(), "", "api.token"),
        (&address, "quipu_wrong", "api.token"),
        (&address, &other, "does not accept the token"),
        (&format!("{address}/nowhere"), &token, "there is no service of quipu at"),
    ] {
        let run = once(&folder, address, token, &[]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{run:#?}");
        assert!(run.stderr.contains(said), "{run:#?}");
    }
    assert_eq!((stored(&server), journal(&folder).len()), (0, 0));
    write(&folder, "token", &format!("{token}\n"));
    let file = folder.path().join("token");
    let run = once(&folder, &address, "quipu_wrong", &["--token-file", text(&file)]);
    assert_eq!((run.status, stored(&server)), (Some(0), 1), "{run:#?}");
}

#[test]
fn only_a_journal_is_written_to() {
    let folder = folder();
    write(&folder, "a.quipu", GOOD);
    let state = folder.path().join("a.quipu");
    let run = once(&folder, "http://127.0.0.1:1", "", &["--state", text(&state)]);
    assert_eq!(run.status, Some(3));
    assert!(run.stderr.contains("a.quipu:1: this is not a line of `quipu watch`"), "{run:#?}");
    assert_eq!(fs::read_to_string(&state).expect("it is there"), GOOD);
}
