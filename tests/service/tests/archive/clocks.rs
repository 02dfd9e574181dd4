//! A clock that jumps under the whole service, by `faketime`: a year ahead, and back to before the archive was made.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use quipu_archive::store::{ArchiveFault, Store};
use quipu_tests_service::{
    generator::Generator,
    program,
    spawned_server::{SpawnedServer, token},
};
use serde_json::Value;
use tempfile::tempdir;
use ureq::Agent;

/// Offsets of the clock from that of the machine, one after the other.
const JUMPS: [&str; 7] = ["+0", "+365d", "-30d", "-3650d", "+1d", "+3650d", "+0"];
/// Records submitted at each.
const EACH: usize = 5;
/// Time limit for a response that comes at once.
const PATIENCE: Duration = Duration::from_secs(30);

/// The library to preload so that a program's clock can be set; `None` without `faketime`.
fn library() -> Option<String> {
    let said = Command::new("faketime").args(["-m", "-f", "+0d", "printenv", "LD_PRELOAD"]).output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    (!said.is_empty()).then_some(said)
}

/// A client that sends a token.
struct Client<'a> {
    agent: &'a Agent,
    address: &'a str,
    token: &'a str,
}

impl Client<'_> {
    fn send(&self, method: &str, path: &str, key: Option<&str>, body: &str) -> (u16, Value) {
        let uri = format!("http://{}{path}", self.address);
        let request = ureq::http::Request::builder().method(method).uri(uri).header("Content-Type", "text/plain");
        let mut request = request.header("Authorization", format!("Bearer {}", self.token));
        if method == "PUT" {
            request = request.header("If-Match", "*");
        }
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let mut response = self.agent.run(request.body(body.to_owned()).expect("a request")).expect("an answer");
        let text = response.body_mut().read_to_string().expect("an answer");
        (response.status().as_u16(), serde_json::from_str(&text).unwrap_or_default())
    }
}

#[test]
fn clocks_that_jump_under_the_service() {
    let Some(library) = library() else {
        eprintln!("no faketime: clocks that jump under the service are not tested");
        return;
    };
    let folder = tempdir().expect("a folder");
    let (data, clock) = (folder.path().join("data"), folder.path().join("clock"));
    let set = |jump: &str| {
        // Read while it is written it would be no time.
        let new = folder.path().join("new");
        fs::write(&new, jump).and_then(|()| fs::rename(&new, &clock)).expect("ours");
    };
    set(JUMPS[0]);
    let with_clock = |command: &mut Command| {
        command.env("LD_PRELOAD", &library).env("FAKETIME_TIMESTAMP_FILE", &clock).env("FAKETIME_NO_CACHE", "1");
        // Only the time of day jumps: what measures how long something takes does not.
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
    };
    let first = token(program::path(), &data);
    let mut command = Command::new(program::path());
    with_clock(&mut command);
    let served = SpawnedServer::start_by(command, &data, &[]);
    let agent = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().new_agent();
    let client = Client { agent: &agent, address: &served.address, token: &first };
    // A listener from the beginning receives every change, in order.
    let (told, news) = mpsc::channel();
    let feed = format!("http://{}/v1/feed?since=0", served.address);
    thread::spawn(move || {
        let feed = ureq::get(feed).call().expect("an answer");
        for line in BufReader::new(feed.into_body().into_reader()).lines().map_while(Result::ok) {
            let number = line.strip_prefix("id: ").map(|number| number.parse::<i64>().expect("a number"));
            // The first says only that it begins.
            if let Some(number) = number.filter(|number| *number > 0) {
                let _ = told.send(number);
            }
        }
    });
    let generator = Generator::new();
    let draft = |round: usize| {
        let text = generator.record(0);
        let tags = text.lines().take_while(|line| line.starts_with('['));
        let tags: Vec<_> = tags.filter(|tag| !tag.starts_with("[Result") && !tag.starts_with("[Termination")).collect();
        format!("{}\n[Note \"{round}\"]\n\n*\n", tags.join("\n"))
    };
    let (status, opened) = client.send("POST", "/v1/live", None, &draft(0));
    assert_eq!(status, 201, "{opened}");
    let live = format!("/v1/live/{}", opened["live"]);
    let mut ids = Vec::new();
    for (round, jump) in JUMPS.into_iter().enumerate() {
        set(jump);
        for number in round * EACH..(round + 1) * EACH {
            let (text, key) = (generator.record(number), format!("key {number}").replace(' ', "-"));
            let [one, again] = [(); 2].map(|()| client.send("POST", "/v1/records", Some(&key), &text));
            assert_eq!((one.0, &again), (201, &one), "{jump}: {} {}", one.1, again.1);
            let number = i64::try_from(number).expect("a number") + 1;
            assert_eq!(news.recv_timeout(PATIENCE), Ok(number), "{jump}");
            ids.push(one.1["id"].as_str().expect("an id").to_owned());
        }
        // A token of that time, and a command beside the service.
        let mut added = program::command(&[
            "token",
            "add",
            "--scope",
            "records:write",
            "--name",
            &format!("Club {round}"),
            "--data",
        ]);
        with_clock(added.arg(&data));
        let added = added.output().expect("quipu runs");
        assert!(added.status.success(), "{jump}: {}", String::from_utf8_lossy(&added.stderr));
        let token = String::from_utf8(added.stdout).expect("UTF-8");
        let other = Client { token: token.trim(), ..client };
        assert_eq!(other.send("PUT", &live, None, &draft(round + 1)).0, 200, "{jump}");
        for path in ["/readyz", "/v1/records", "/v1/log", &live] {
            assert_eq!(client.send("GET", path, None, "").0, 200, "{jump}: {path}");
        }
    }
    for id in &ids {
        assert_eq!(client.send("GET", &format!("/v1/records/{id}/receipt"), None, "").0, 200);
    }
    let (status, said) = served.stop("TERM");
    assert_eq!(status.code(), Some(0), "{said}");
    let store = Store::open_existing(&data).expect("an archive");
    let mut faults: Vec<ArchiveFault> = Vec::new();
    let checked = store.check(|_| (), |fault| faults.push(fault)).expect("checked");
    assert_eq!((checked.records, faults), (ids.len() as u64, Vec::new()));
    let changes = store.read(|reading| reading.changes(0, 1_000)).expect("it answers").items;
    assert!(changes.is_sorted_by_key(|change| change.number));
}
