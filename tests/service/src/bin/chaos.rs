//! Kills the program at random moments, fills its disk, and looks for what was promised: `chaos [KILLS] [SEED]`.
//!
//! `quipu serve` is killed while eight clients submit records, one by one and several at once; after each kill it is
//! started again, and every record that was acknowledged must be there byte by byte, with its verdict. Now and then
//! `quipu archive check` compares all that is derived with a rebuild, and looks for anything half-written.
//! `quipu archive import` and `quipu archive backup` are killed as often: what was imported is whole,
//! importing again adds what is missing and nothing twice, and a backup is there whole or not at all. At last the service
//! is given a small disk of its own until it is full, and then one that can only be read, and one that fails, where the
//! system lets a program make such disks.
//!
//! Fails at the first promise that is broken, and says which kill it was. Other failures of a disk are in
//! `tests/service/tests/http/failures.rs` and `tests/service/tests/archive`.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_tests_service::{
    generator::Generator,
    program,
    spawned_server::{self, SpawnedServer, token},
};
use serde_json::Value;
use ureq::Agent;

/// Clients at once.
const CLIENTS: usize = 8;
/// Kills before an archive is checked as a whole and another is begun.
const EACH: usize = 25;
/// A disk of its own for a program: `own-disk FOLDER PROGRAM …` has in FOLDER/disk what is in FOLDER/archive, and room for
/// little more until `ballast` is taken out of it. Nobody else sees it, and it goes with the program.
const OWN_DISK: &str = r#"exec unshare --user --map-root-user --mount sh -c '
    mount -t tmpfs -o size=8m none "$0/disk" && cp -a "$0/archive/." "$0/disk" &&
    head -c 3000000 /dev/zero > "$0/disk/ballast" && exec "$@"' "$@""#;
/// System calls of a program that writes to its files.
const WRITES: &str = "pwrite64,fdatasync,fsync,ftruncate";
/// Milliseconds that a server lives at most.
const LIFE: u64 = 250;
/// Records that are imported.
const IMPORTED: usize = 3_000;

fn main() {
    let mut arguments = env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let kills = usize::try_from(arguments.next().unwrap_or(1_000)).expect("a number of kills");
    let mut random = Rng::with_seed(arguments.next().unwrap_or(1532));
    let generator = Generator::new();
    let mut acknowledged = 0;
    let mut begun = Instant::now();
    let mut left = kills;
    while left > 0 {
        let now = left.min(EACH);
        acknowledged += serving(&generator, &mut random, now);
        left -= now;
    }
    println!(
        "serve: killed {kills} times in {:.0} s; {acknowledged} acknowledged records, all there, whole, with their verdicts",
        begun.elapsed().as_secs_f64()
    );
    begun = Instant::now();
    let finished = importing(&generator, &mut random, kills);
    println!(
        "import: killed {kills} times in {:.0} s ({finished} were done before); importing again came to the same archive each time",
        begun.elapsed().as_secs_f64()
    );
    begun = Instant::now();
    let whole = backing_up(&generator, &mut random, kills);
    println!(
        "backup: killed {kills} times in {:.0} s; {whole} backups were there, all whole",
        begun.elapsed().as_secs_f64()
    );
    match full_disk(&generator) {
        Some([stored, refused]) => println!(
            "full disk: {stored} records stored, {refused} turned away; all that were acknowledged could be read, and it went on when there was room"
        ),
        None => println!("full disk: left out, since this system lets nobody make a disk for one program"),
    }
    for (disk, error, status) in [("read-only", "EROFS", 503), ("failing", "EIO", 500)] {
        match failing_disk(&generator, error, status) {
            Some([stored, refused]) => println!(
                "{disk} disk: {stored} records stored, {refused} turned away; all that were acknowledged could be read, and it went on when the disk did"
            ),
            None => {
                println!("{disk} disk: left out, since this system lets nobody stand between a program and its disk");
            }
        }
    }
}

/// A record that was acknowledged.
struct Acknowledged {
    id: String,
    text: String,
}

/// Kills the service so often on one archive; says how many records it acknowledged.
fn serving(generator: &Generator, random: &mut Rng, kills: usize) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let token = token(program::path(), data);
    let next = AtomicUsize::new(0);
    let mut all: Vec<Acknowledged> = Vec::new();
    for kill in 0..kills {
        let server = SpawnedServer::start(program::path(), data, &[]);
        let agent = Agent::config_builder().http_status_as_error(false).build().new_agent();
        look(&agent, &server.address, &all, random, kill);
        let life = Duration::from_millis(random.u64(1..LIFE));
        let new = thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (agent, token, next) = (&agent, &token, &next);
                    let uri = format!("http://{}/v1/records", server.address);
                    // Every fourth submits several at once.
                    let many = if client % 4 == 0 { 5 } else { 1 };
                    scope.spawn(move || submit(agent, &uri, token, generator, next, many))
                })
                .collect();
            thread::sleep(life);
            server.kill();
            clients.into_iter().flat_map(|client| client.join().expect("a client ends")).collect::<Vec<_>>()
        });
        all.extend(new);
    }
    let server = SpawnedServer::start(program::path(), data, &[]);
    let agent = Agent::config_builder().http_status_as_error(false).build().new_agent();
    // In the end all of them are asked for.
    for one in &all {
        is_there(&agent, &server.address, one, kills);
    }
    drop(server);
    check(data);
    all.len()
}

/// Submits records until the service no longer responds.
fn submit(
    agent: &Agent,
    uri: &str,
    token: &str,
    generator: &Generator,
    next: &AtomicUsize,
    many: usize,
) -> Vec<Acknowledged> {
    let mut acknowledged = Vec::new();
    loop {
        let first = next.fetch_add(many, Ordering::Relaxed);
        let texts: Vec<_> = (first..first + many).map(|number| generator.record(number)).collect();
        let post =
            agent.post(uri).header("Authorization", format!("Bearer {token}")).header("Content-Type", "text/plain");
        let post = if many > 1 { post.header("Accept", "application/x-ndjson") } else { post };
        let Ok(mut response) = post.send(texts.concat()) else { return acknowledged };
        // Of an answer that was cut off its whole lines count: each was said after its commit.
        let mut body = Vec::new();
        let read = std::io::copy(&mut response.body_mut().as_reader(), &mut body);
        let whole =
            if read.is_ok() { body.len() } else { body.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1) };
        let lines = if many > 1 {
            body[..whole].split_inclusive(|&byte| byte == b'\n').collect()
        } else {
            vec![&body[..whole]]
        };
        for (line, text) in lines.into_iter().filter(|line| !line.is_empty()).zip(texts) {
            let Ok(response) = serde_json::from_slice::<Value>(line) else {
                assert!(read.is_err(), "{}", String::from_utf8_lossy(line));
                break;
            };
            let id = response["id"].as_str().unwrap_or_else(|| panic!("it is taken: {response}")).to_owned();
            acknowledged.push(Acknowledged { id, text });
        }
        if read.is_err() {
            return acknowledged;
        }
    }
}

/// Looks whether the last that were acknowledged are there, and some before them.
fn look(agent: &Agent, address: &str, all: &[Acknowledged], random: &mut Rng, kill: usize) {
    let last = all.len().saturating_sub(60);
    for one in &all[last..] {
        is_there(agent, address, one, kill);
    }
    for _ in 0..20.min(last) {
        is_there(agent, address, &all[random.usize(..last)], kill);
    }
}

fn is_there(agent: &Agent, address: &str, one: &Acknowledged, kill: usize) {
    let get = |what| {
        let mut response =
            agent.get(format!("http://{address}/v1/records/{}/{what}", one.id)).call().expect("an answer");
        let body = response.body_mut().read_to_vec().expect("the answer comes to its end");
        (response.status().as_u16(), body)
    };
    let (status, source) = get("source");
    assert!(status == 200 && source == one.text.as_bytes(), "after kill {kill}: {} has {status}", one.id);
    let (status, verdict) = get("verdict");
    let verdict: Value = serde_json::from_slice(&verdict).unwrap_or_default();
    assert!(status == 200 && verdict["status"] == "verified", "after kill {kill}: {} has {status} {verdict}", one.id);
}

/// Has the program check the archive: the file, every id and verdict, and what is derived against a rebuild.
fn check(data: &Path) {
    let checked =
        program::command(&["archive", "check", "--lang", "en", "--data"]).arg(data).output().expect("quipu runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// Kills imports; says how many had come to their end before.
fn importing(generator: &Generator, random: &mut Rng, kills: usize) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.quipu");
    let texts: Vec<_> = (0..IMPORTED).map(|number| generator.record(number)).collect();
    fs::write(&file, texts.concat()).expect("it can be written");
    let import = |data: &Path| {
        let mut command = program::command(&["archive", "import", "--json", "--data"]);
        command.arg(data).arg(&file).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    };
    // The duration of a whole import, so that kills come at any moment of it.
    let begun = Instant::now();
    let whole = import(&folder.path().join("whole")).output().expect("quipu runs");
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stdout));
    let life = begun.elapsed();
    let mut finished = 0;
    for kill in 0..kills {
        let data = folder.path().join(format!("{kill}"));
        let mut child = import(&data).spawn().expect("quipu runs");
        thread::sleep(life.mul_f64(random.f64()));
        finished += usize::from(child.try_wait().expect("it can be asked").is_some());
        drop(child.kill());
        child.wait().expect("it ends");
        let again = import(&data).output().expect("quipu runs");
        let count: Value = serde_json::from_slice(&again.stdout).expect("JSON");
        let stored = count["new"].as_u64().zip(count["duplicate"].as_u64()).map(|(new, known)| new + known);
        assert_eq!(stored, Some(IMPORTED as u64), "import {kill}: {count}");
        check(&data);
        fs::remove_dir_all(&data).expect("it is ours");
    }
    finished
}

/// Kills backups; says how many were there in the end.
fn backing_up(generator: &Generator, random: &mut Rng, kills: usize) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    spawned_server::import(program::path(), &data, (0..IMPORTED).map(|number| generator.record(number)));
    let back_up = |file: &Path| {
        let mut command = program::command(&["archive", "backup", "--data"]);
        command.arg(&data).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let begun = Instant::now();
    assert!(back_up(&folder.path().join("first.db")).status().expect("quipu runs").success(), "it can be copied");
    let life = begun.elapsed();
    let mut there = 0;
    for kill in 0..kills {
        let copy = folder.path().join(format!("{kill}"));
        fs::create_dir(&copy).expect("a folder");
        let file = copy.join("quipu.db");
        let mut child = back_up(&file).spawn().expect("quipu runs");
        thread::sleep(life.mul_f64(random.f64()));
        drop(child.kill());
        child.wait().expect("it ends");
        if file.exists() {
            there += 1;
            check(&copy);
        }
        // Remains of a killed backup block nobody.
        assert!(back_up(&file).arg("--force").status().expect("quipu runs").success(), "backup {kill}");
        check(&copy);
        fs::remove_dir_all(&copy).expect("it is ours");
    }
    check(&data);
    there
}

/// A client that submits records one by one, and keeps the acknowledged ones.
struct Clerk<'s> {
    server: &'s SpawnedServer,
    agent: Agent,
    token: String,
    all: Vec<Acknowledged>,
}

impl<'s> Clerk<'s> {
    fn new(server: &'s SpawnedServer, token: String) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).build().new_agent();
        Self { server, agent, token, all: Vec::new() }
    }

    fn get(&self, path: &str) -> u16 {
        let response = self.agent.get(format!("http://{}{path}", self.server.address)).call();
        response.expect("an answer").status().as_u16()
    }

    /// Statuses of readiness, liveness and the list of records.
    fn states(&self) -> [u16; 3] {
        ["/readyz", "/healthz", "/v1/records"].map(|path| self.get(path))
    }

    fn submit(&mut self, text: String) -> u16 {
        let post = self.agent.post(format!("http://{}/v1/records", self.server.address));
        let post = post.header("Authorization", format!("Bearer {}", self.token)).header("Content-Type", "text/plain");
        let mut response = post.send(&text).expect("an answer");
        let status = response.status().as_u16();
        if status == 201 {
            let stored: Value = serde_json::from_reader(response.body_mut().as_reader()).expect("JSON");
            self.all.push(Acknowledged { id: stored["id"].as_str().expect("an id").to_owned(), text });
        }
        status
    }

    /// Looks for all that were acknowledged.
    fn are_there(&self) {
        for one in &self.all {
            is_there(&self.agent, &self.server.address, one, 0);
        }
    }
}

/// Submits records until the disk of the service is full, and again when there is room; says how many were stored and how
/// many turned away. Nothing if no program can be given a disk of its own.
fn full_disk(generator: &Generator) -> Option<[usize; 2]> {
    let folder = tempfile::tempdir().expect("a folder");
    let [archive, disk] = ["archive", "disk"].map(|name| folder.path().join(name));
    fs::create_dir(&archive).and_then(|()| fs::create_dir(&disk)).expect("it is ours");
    let own_disk = |program: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", OWN_DISK, "own-disk"]).arg(folder.path()).args(program);
        command
    };
    let mut first = own_disk(&["true"]);
    if !first.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let token = token(program::path(), &archive);
    let server = SpawnedServer::start_by(own_disk(&[program::path().to_str().expect("UTF-8")]), &disk, &[]);
    let mut clerk = Clerk::new(&server, token);
    assert_eq!(clerk.states(), [200; 3], "it is ready while there is room");
    let (mut number, mut turned_away) = (0, 0);
    while turned_away < 40 {
        assert!(number < 5_000, "the disk does not fill");
        let status = clerk.submit(generator.record(number));
        assert!(matches!(status, 201 | 507), "record {number}: {status}");
        turned_away += usize::from(status == 507);
        number += 1;
    }
    assert_eq!(clerk.states(), [507, 200, 200], "it reads, and is not ready");
    let seen = Path::new("/proc").join(server.process().to_string()).join("root");
    let disk = seen.join(disk.strip_prefix("/").expect("a path from the root"));
    fs::remove_file(disk.join("ballast")).expect("it is there");
    assert_eq!(clerk.states(), [200; 3], "there is room again");
    assert_eq!(clerk.submit(generator.record(number)), 201, "there is room again");
    clerk.are_there();
    // Only another program can follow the link of its root; the files behind it can be copied.
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).expect("it is ours");
    for file in ["quipu.db", "quipu.db-wal"] {
        fs::copy(disk.join(file), copy.join(file)).expect("it can be read");
    }
    check(&copy);
    Some([clerk.all.len(), turned_away])
}

/// Submits records while each write to the disk fails in this way; and before, and afterwards. Says how many were stored
/// and how many turned away, with `status`. Nothing if the system lets nobody stand between a program and its disk.
fn failing_disk(generator: &Generator, error: &str, status: u16) -> Option<[usize; 2]> {
    const EACH: usize = 20;
    let folder = tempfile::tempdir().expect("a folder");
    let token = token(program::path(), folder.path());
    let server = SpawnedServer::start(program::path(), folder.path(), &[]);
    let mut clerk = Clerk::new(&server, token);
    let stored = |clerk: &mut Clerk, from: usize| {
        assert_eq!(clerk.states(), [200; 3], "it is ready");
        for number in from..from + EACH {
            assert_eq!(clerk.submit(generator.record(number)), 201, "record {number}");
        }
    };
    stored(&mut clerk, 0);
    let inject = format!("inject={WRITES}:error={error}");
    let mut between = Command::new("strace")
        .args(["-f", "-e", &format!("trace={WRITES}"), "-e", &inject, "-o", "/dev/null", "-p"])
        .arg(server.process().to_string())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut said = BufReader::new(between.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let attached = said.any(|line| line.contains("attached"));
    // A writer to standard error blocks without a reader.
    let reader = thread::spawn(move || said.for_each(drop));
    if attached {
        for number in EACH..2 * EACH {
            assert_eq!(clerk.submit(generator.record(number)), status, "record {number}, {error}");
        }
        assert_eq!(clerk.states(), [status, 200, 200], "{error}: it reads, and is not ready");
        clerk.are_there();
        let left = Command::new("kill").arg(between.id().to_string()).status();
        assert!(left.is_ok_and(|left| left.success()), "it can be told to go");
    }
    between.wait().expect("it ends");
    reader.join().expect("it ends");
    if !attached {
        return None;
    }
    stored(&mut clerk, 2 * EACH);
    clerk.are_there();
    let all = clerk.all.len();
    drop(server);
    check(folder.path());
    Some([all, EACH])
}
