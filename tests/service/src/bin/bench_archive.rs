//! Makes archives of generated games and measures what the service costs on them: `bench_archive [postgres] [GAMES] [FOLDER]`.
//!
//! One archive has 10 000 games and one has GAMES, a million unless said. Both are filled by `quipu archive import` and
//! served by `quipu serve`; the same requests go to both in turns, one client, one at a time, in rounds with fresh
//! servers, all on one core (see [`run_on_cores`]). All come with a token, so that every answer is made and none is ready. It
//! prints what `docs/operations.md` reports. In FOLDER, the archives are kept and used again, and copies are served, so that
//! additions do not make the small archive larger from run to run; else they are made in a temporary one and need half the space.
//!
//! With `postgres` the archives are copied by `quipu archive copy` into databases of a PostgreSQL server, which are served, and
//! back into files, which must have the same records and the same derived tables.

use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_archive::store::Store;
use quipu_options::Scope;
use quipu_tests_service::{
    generator::Generator,
    postgres::Postgres,
    program,
    spawned_server::{self, Imported, SpawnedServer},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use ureq::Agent;

/// Games of the small archive.
const FEW: usize = 10_000;
/// Pages of a ranking before the deep one.
const PAGES: usize = 10;
/// Rounds.
const ROUNDS: u64 = 15;
/// Requests of each kind in a round.
const REQUESTS: usize = 60;
/// Requests before these, which are not counted: until what a connection keeps of the file in memory is that of a service
/// that has run for a while. Of those that add something fewer, for a small archive must stay small.
const WARM: usize = 400;
const WARM_ADDING: usize = 20;

fn main() {
    let mut arguments = env::args().skip(1).peekable();
    let postgres = arguments.next_if(|word| word == "postgres").map(|_| Postgres::start());
    let many = arguments.next().map_or(1_000_000, |word| word.parse().expect("a number of games"));
    let kept = arguments.next().map(PathBuf::from);
    let temporary = tempfile::tempdir().expect("a folder");
    let generator = Generator::new();
    // The build of the program, if it is missing, must not be measured.
    let _ = program::path();
    println!(
        "| games | seconds to import | games a second | peak of memory, MiB | bytes a game of the file | of the text |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    let archives = [FEW, many].map(|games| {
        let served = temporary.path().join(format!("{games}"));
        let data = kept.as_ref().map_or_else(|| served.clone(), |kept| kept.join(format!("{games}")));
        if !data.join("quipu.db").exists() {
            fill(&generator, &data, games);
        }
        if data != served {
            fs::create_dir(&served).expect("a folder");
            // A key is there if it was served before.
            for file in fs::read_dir(&data).expect("a folder").map(|file| file.expect("a file").file_name()) {
                fs::copy(data.join(&file), served.join(&file)).expect("it is copied");
            }
        }
        (served, games)
    });
    let databases: [Option<String>; 2] = match &postgres {
        None => Default::default(),
        Some(server) => copies(server, &archives, temporary.path()),
    };
    let all_cores = format!("0-{}", thread::available_parallelism().map_or(1, usize::from) - 1);
    run_on_cores("0");
    let mut starts = Measured::default();
    let mut measured: Vec<_> = REQUEST_KINDS.iter().map(|_| Measured::default()).collect();
    let mut peaks = [None; 2];
    for round in 0..ROUNDS {
        let servers = [0, 1]
            .map(|archive| Server::start(&archives[archive].0, databases[archive].as_deref(), archives[archive].1));
        starts.add(servers.each_ref().map(|server| vec![server.started]));
        for ((_, request), measured) in REQUEST_KINDS.iter().zip(&mut measured) {
            measured.round(&servers, *request, &generator, round);
        }
        for (peak, server) in peaks.iter_mut().zip(&servers) {
            *peak = spawned_server::peak(server.served.process()).max(*peak);
        }
    }
    println!();
    println!(
        "| request | median at {FEW} | p99 | median at {many} | p99 | ratio of the medians, the middle one of the rounds |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let names = REQUEST_KINDS.iter().map(|(name, _)| *name).chain(["the first answer after a start"]);
    for (name, Measured { times, mut ratios }) in names.zip(measured.into_iter().chain([starts])) {
        let [few, many] = times.map(|mut times| {
            times.sort_unstable();
            [times[times.len() / 2], times[times.len() * 99 / 100]]
        });
        ratios.sort_unstable_by(f64::total_cmp);
        let ratio = ratios[ratios.len() / 2];
        println!("| {name} | {} | {} | {} | {} | {ratio:.2} |", ms(few[0]), ms(few[1]), ms(many[0]), ms(many[1]));
    }
    println!();
    let [few, large] = peaks.map(mib);
    println!("Peak of memory of the service: {few} MiB at {FEW} games, {large} MiB at {many}.");
    if let Some(memory) = postgres.as_ref().and_then(Postgres::memory) {
        println!("Memory of the PostgreSQL server: {} MiB.", memory / 1024);
    }
    if postgres.is_none() {
        run_on_cores(&all_cores);
        let [few, large] = archives.each_ref().map(|(data, _)| rebuild(data));
        println!();
        println!("`quipu archive rebuild`: {few:.1} s at {FEW} games, {large:.1} s at {many}.");
    }
}

/// Copies archives into databases of a server and back, compares them, and returns the addresses of the databases.
fn copies(server: &Postgres, archives: &[(PathBuf, usize); 2], temporary: &Path) -> [Option<String>; 2] {
    println!();
    println!("| games | seconds to copy into PostgreSQL | bytes a game of the database | seconds to copy back |");
    println!("| ---: | ---: | ---: | ---: |");
    archives.each_ref().map(|(data, games)| {
        let database = format!("games{games}");
        server.sql(&format!("CREATE DATABASE {database}"));
        let address = server.address_of(&database);
        let back = temporary.join(format!("back-{games}"));
        // The key of receipts is no part of an archive.
        fs::create_dir(&back).expect("a folder");
        let to_server = copy(data, data.as_os_str(), address.as_ref());
        let to_file = copy(data, address.as_ref(), back.as_os_str());
        let size: usize =
            server.query(&format!("SELECT pg_database_size('{database}')")).parse().expect("a number of bytes");
        println!("| {games} | {to_server:.1} | {} | {to_file:.1} |", size / games);
        assert_eq!(contents(data), contents(&back), "the copies differ");
        fs::remove_dir_all(&back).expect("it is ours");
        Some(address)
    })
}

/// Seconds that a copy takes. The folder has the key of receipts.
fn copy(data: &Path, from: &std::ffi::OsStr, to: &std::ffi::OsStr) -> f64 {
    let begun = Instant::now();
    let mut copied = program::command(&["archive", "copy", "--from"]);
    let copied = copied.arg(from).arg("--to").arg(to).env("QUIPU_DATA", data).output().expect("quipu runs");
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    begun.elapsed().as_secs_f64()
}

/// Checksums of the records of an archive in a file, with their changes, and of its derived tables.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
fn contents(data: &Path) -> [[u8; 32]; 2] {
    let store = Store::open_existing(data).expect("an archive");
    let derived = store.read(|reading| reading.digest()).expect("it answers");
    drop(store);
    let mut export = program::command(&["archive", "export", "--source", "--data"]);
    let mut export = export.arg(data).stdout(Stdio::piped()).spawn().expect("quipu runs");
    let (mut records, mut out, mut part) = (Sha256::new(), export.stdout.take().expect("a pipe"), [0; 1 << 14]);
    loop {
        match out.read(&mut part).expect("it writes") {
            0 => break,
            read => records.update(&part[..read]),
        }
    }
    assert!(export.wait().expect("it ends").success());
    [derived, records.finalize().into()]
}

/// Seconds that rebuilding all derived tables takes.
fn rebuild(data: &Path) -> f64 {
    let begun = Instant::now();
    let rebuilt = program::command(&["archive", "rebuild", "--data"]).arg(data).output().expect("quipu runs");
    assert!(rebuilt.status.success(), "{}", String::from_utf8_lossy(&rebuilt.stderr));
    begun.elapsed().as_secs_f64()
}

/// Keeps this process, which has one thread so far, and what it starts on these cores. Requests are measured on one: on two,
/// how the system places threads decides what an answer takes, for waking a thread on another core may take longer than to answer.
fn run_on_cores(cores: &str) {
    let placed = Command::new("taskset").args(["-cp", cores, &process::id().to_string()]).output();
    assert!(
        placed.is_ok_and(|placed| placed.status.success()),
        "taskset, of util-linux, does not run, or the first core may not be used"
    );
}

/// Times of requests of one kind.
#[derive(Default)]
struct Measured {
    /// Of the small archive and of the large one.
    times: [Vec<Duration>; 2],
    /// Of the medians of each round.
    ratios: Vec<f64>,
}

impl Measured {
    fn round(&mut self, servers: &[Server; 2], request: Request, generator: &Generator, round: u64) {
        let mut random = Rng::with_seed(round);
        let adds = request(&servers[0], generator, &mut random, 0).body.is_some();
        let warm = if adds { WARM_ADDING } else { WARM };
        let mut times = [const { Vec::new() }; 2];
        for turn in 0..warm + REQUESTS {
            for (server, times) in servers.iter().zip(&mut times) {
                let ask = request(server, generator, &mut random, turn);
                let begun = Instant::now();
                server.send(&ask);
                if turn >= warm {
                    times.push(begun.elapsed());
                }
            }
        }
        self.add(times);
    }

    fn add(&mut self, times: [Vec<Duration>; 2]) {
        let [few, many] = times.each_ref().map(|times| {
            let mut times = times.clone();
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64()
        });
        self.ratios.push(many / few);
        for (all, times) in self.times.iter_mut().zip(times) {
            all.extend(times);
        }
    }
}

/// Memory that the system told of in KiB.
fn mib(peak: Option<u64>) -> String {
    peak.map_or_else(|| "?".to_owned(), |peak| (peak / 1024).to_string())
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

/// Fills an archive through the program, and says how fast that went.
fn fill(generator: &Generator, data: &Path, games: usize) {
    let begun = Instant::now();
    let Imported { bytes, peak } =
        spawned_server::import(program::path(), data, (0..games).map(|number| generator.record(number)));
    let seconds = begun.elapsed().as_secs_f64();
    let size = fs::metadata(data.join("quipu.db")).expect("an archive").len();
    #[expect(clippy::cast_precision_loss, reason = "a report")]
    let rate = games as f64 / seconds;
    println!("| {games} | {seconds:.1} | {rate:.0} | {} | {} | {} |", mib(peak), size / games as u64, bytes / games);
}

/// A request.
struct Ask {
    path: String,
    body: Option<String>,
}

fn get(path: String) -> Ask {
    Ask { path, body: None }
}

type Request = fn(&Server, &Generator, &mut Rng, usize) -> Ask;

/// Every kind of request that is measured.
const REQUEST_KINDS: &[(&str, Request)] = &[
    ("fetch a record", |server, _, random, _| get(format!("/v1/records/{}", server.some_record(random)))),
    ("its verdict", |server, _, random, _| get(format!("/v1/records/{}/verdict", server.some_record(random)))),
    ("add a record", |server, generator, _, turn| Ask {
        path: "/v1/records".to_owned(),
        body: Some(generator.record(server.next + turn)),
    }),
    ("a player's page", |server, _, random, _| get(format!("/v1/players/{}", random.i64(1..=server.players)))),
    ("a ranking, first page", |_, _, _, _| get("/v1/rankings?game=andes".to_owned())),
    ("a ranking, a deep page", |server, _, _, _| get(format!("/v1/rankings?game=andes&cursor={}", server.deep))),
    ("the latest records", |_, _, _, _| get("/v1/records".to_owned())),
    ("the records of an event", |server, _, random, _| {
        get(format!("/v1/records?event={}", random.i64(1..=server.events)))
    }),
    ("games of two players", |server, _, random, _| {
        let [one, other] = [(); 2].map(|()| random.i64(1..=server.players));
        get(format!("/v1/records?player={one}&against={other}"))
    }),
    ("records with one of two results", |_, _, _, _| get("/v1/records?result=1-0,0-1".to_owned())),
    ("the first games played", |_, _, _, _| get("/v1/records?sort=date".to_owned())),
    ("records by ids", |server, _, random, _| {
        let ids = [(); 5].map(|()| server.some_record(random)).join(",");
        get(format!("/v1/records?ids={ids}"))
    }),
    ("changes of a player", |server, _, random, _| {
        let since = random.i64(0..server.changes / 2);
        get(format!("/v1/changes?player={}&since={since}", random.i64(1..=server.players)))
    }),
    ("the standings of an event", |server, _, random, _| {
        get(format!("/v1/events/{}/standings", random.i64(1..=server.events)))
    }),
    // Of numbers that as many of the latest games of both have, so that a page is filled from as many: those of a round
    // and a table, and not of a tournament alone.
    ("a search", |_, _, random, _| get(format!("/v1/records?q=torneo+{}+quispe", random.usize(1..=15)))),
    ("a search for a word that all have", |_, _, _, _| get("/v1/records?q=torneo".to_owned())),
    ("a deep page of that", |server, _, _, _| get(format!("/v1/records?q=torneo&cursor={}", server.deep_search))),
];

/// The program, serving one archive.
struct Server {
    served: SpawnedServer,
    agent: Agent,
    token: String,
    /// Time until its first response.
    started: Duration,
    /// The number of the first game that is not in the archive before anything is added.
    next: usize,
    changes: i64,
    players: i64,
    events: i64,
    /// Addresses of a deep page of a ranking, and of one of a search.
    deep: String,
    deep_search: String,
}

impl Server {
    fn start(data: &Path, database: Option<&str>, games: usize) -> Self {
        let options: Vec<_> = database.iter().flat_map(|database| ["--database", database]).collect();
        let token = spawned_server::token_with(program::path(), data, &[Scope::RecordsWrite], database);
        let begun = Instant::now();
        let mut server = Self {
            served: SpawnedServer::start(program::path(), data, &options),
            agent: Agent::new_with_defaults(),
            token,
            started: Duration::ZERO,
            next: 0,
            changes: 0,
            players: 0,
            events: 0,
            deep: String::new(),
            deep_search: String::new(),
        };
        // A later run on the same archive finds what an earlier one added, and adds other games.
        let latest = server.json("/v1/records?limit=1");
        server.started = begun.elapsed();
        let latest = latest["items"][0]["change"].as_i64().expect("a number");
        server.look(games, latest);
        server
    }

    /// Finds out what there is to ask for, with the number of the latest change.
    fn look(&mut self, games: usize, latest: i64) {
        self.changes = i64::try_from(games).expect("a number");
        let added = latest - self.changes;
        self.next = games + usize::try_from(added).expect("a number") * 2;
        self.events = self.json("/v1/events?limit=1")["items"][0]["number"].as_i64().expect("a number") / 2;
        let player = |path: &str| self.json(path)["items"].as_array().map_or(0, Vec::len);
        self.players = if player("/v1/players?limit=200") < 200 { 100 } else { 1_000 };
        self.deep = self.behind("/v1/rankings?game=andes");
        self.deep_search = self.behind("/v1/records?q=torneo");
    }

    /// The address of a list behind some pages.
    fn behind(&self, list: &str) -> String {
        let mut page = self.json(list);
        for _ in 0..PAGES {
            page = self.json(&format!("{list}&cursor={}", page["next"].as_str().expect("more")));
        }
        page["next"].as_str().expect("more").to_owned()
    }

    fn some_record(&self, random: &mut Rng) -> String {
        let since = random.i64(0..self.changes);
        let change = self.json(&format!("/v1/changes?since={since}&limit=1"));
        change["items"][0]["record"].as_str().expect("an id").to_owned()
    }

    fn json(&self, path: &str) -> Value {
        let mut response = self.agent.get(format!("http://{}{path}", self.served.address)).call().expect(path);
        serde_json::from_reader(response.body_mut().as_reader()).expect("JSON")
    }

    fn send(&self, ask: &Ask) {
        let uri = format!("http://{}{}", self.served.address, ask.path);
        let response = match &ask.body {
            None => self.agent.get(uri).header("Authorization", format!("Bearer {}", self.token)).call(),
            Some(body) => self
                .agent
                .post(uri)
                .header("Authorization", format!("Bearer {}", self.token))
                .header("Content-Type", "text/plain")
                .send(body),
        };
        let mut response = response.unwrap_or_else(|error| panic!("{}: {error}", ask.path));
        assert!(ask.body.is_none() || response.status() == 201, "{}: {}", ask.path, response.status());
        std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::sink()).expect("the answer comes to its end");
    }
}
