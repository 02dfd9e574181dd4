//! Measures `quipu serve` beside peers in the same run: `bench_http [short] [PROGRAM]`.
//!
//! Reading: the program answers with a worker, and so does a minimal actix handler, a process of this same program, that
//! gives a fixed body of the same size with the same headers. One client keeps all its connections busy, first at the
//! one, then at the other, round after round. Writing: 64 clients submit records, each waiting for its answer; beside
//! it the same records go through the same store one a commit, and the rows that they come to are inserted by plain
//! statements into the same tables with the same indexes, 64 a commit. The same rows, 1024 a commit, are beside what
//! `quipu archive import` takes, both until the archive is closed. The measure is the ratio of two figures of one
//! round, and of the rounds the median: client and server share the machine, so that the figures themselves say little.
//!
//! Of reading there is also the CPU time that each server takes for a request, where the system tells it: who is kept
//! waiting by others on the machine has used no more of it.
//!
//! `short` takes half a minute. A ratio that has fallen by more than a third below [`KEPT`] is named at the end, and fails
//! nothing: a machine that others use gives other ratios from one hour to the next.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Instant,
};

use actix_web::{
    App, HttpResponse, HttpServer,
    http::{
        StatusCode,
        header::{HeaderName, HeaderValue},
    },
    rt,
    web::{self, Bytes},
};
use memchr::memmem;
use quipu_archive::{
    model::{Attribution, Submission},
    store::{Store, StoreError},
};
use quipu_notation::record::Chunk;
use quipu_tests_service::{
    generator::Generator,
    measure::{Load, RawConnection, Spread, body, header, load, per_second, post, request},
    program,
    spawned_server::{self, SpawnedServer},
    tables::{OF_MANY, OF_RECORDS},
};
use rusqlite::{Connection, types};
use serde_json::Value;
use tempfile::TempDir;

/// Ratios that were reached on 2 cores by a release build, and by the long form.
const KEPT: &[(&str, f64)] = &[
    ("a record as JSON", 0.95),
    ("a record as text", 0.94),
    ("its verdict", 0.93),
    ("a page of a ranking", 0.89),
    ("a cached record: 304", 0.91),
    ("over HTTP to a commit each", 4.68),
    ("over HTTP to 64 minimal inserts a commit", 0.43),
    ("imported to 1024 minimal inserts a commit", 0.75),
];

/// Records that are asked for: those of nearly the same size.
const DIFFERENT: usize = 64;

/// Amounts to measure.
struct Size {
    /// Games in the archive before.
    games: usize,
    rounds: usize,
    /// Requests of a kind in a round.
    reads: usize,
    /// Records submitted per round, in each way.
    writes: usize,
    /// Records that are imported in a round.
    imports: usize,
    /// Processes that are started.
    starts: usize,
}

const LONG: Size = Size { games: 10_000, rounds: 7, reads: 60_000, writes: 4_096, imports: 32_768, starts: 40 };
const SHORT: Size = Size { games: 2_000, rounds: 5, reads: 6_000, writes: 1_024, imports: 4_096, starts: 10 };

fn main() {
    let mut words = env::args().skip(1).peekable();
    if words.next_if_eq("peer").is_some() {
        peer(&words.next().expect("a file"));
        return;
    }
    let is_short = words.next_if_eq("short").is_some();
    let program = words.next().map_or_else(|| program::path().clone(), PathBuf::from);
    let bench = Bench::new(if is_short { SHORT } else { LONG }, program);
    let mut ratios = bench.reading();
    ratios.extend(bench.writing());
    bench.starting();
    for (name, kept) in KEPT {
        let (_, reached) = ratios.iter().find(|(own, _)| own == name).expect("it was measured");
        if *reached < kept * 2.0 / 3.0 {
            println!("{name}: {reached:.2}, and was {kept:.2}");
        }
    }
}

struct Bench {
    size: Size,
    program: PathBuf,
    generator: Generator,
    folder: TempDir,
}

impl Bench {
    fn new(size: Size, program: PathBuf) -> Self {
        let bench = Self { size, program, generator: Generator::new(), folder: tempfile::tempdir().expect("a folder") };
        spawned_server::import(&bench.program, &bench.template(), bench.records(0, bench.size.games));
        bench
    }

    fn records(&self, first: usize, count: usize) -> impl Iterator<Item = String> {
        (first..first + count).map(|number| self.generator.record(number))
    }

    /// The archive that all begin with.
    fn template(&self) -> PathBuf {
        self.folder.path().join("template")
    }

    /// A copy of it.
    fn archive(&self) -> TempDir {
        let copy = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        fs::copy(self.template().join("quipu.db"), copy.path().join("quipu.db")).expect("it is copied");
        copy
    }

    fn reading(&self) -> Vec<(String, f64)> {
        let archive = self.archive();
        let served = SpawnedServer::start(&self.program, archive.path(), &["--workers", "1"]);
        // By a connection of its own each time: one that waits as long as a row takes would be closed meanwhile.
        let response = |request: &[u8]| {
            let mut wire = RawConnection::open(&served.address);
            wire.send(request);
            wire.receive().to_vec()
        };
        let get = |path: &str| response(&request(path, ""));
        let list: Value = serde_json::from_slice(body(&get("/v1/records?limit=200"))).expect("JSON");
        let ids: Vec<_> = list["items"].as_array().expect("a list").iter().map(|card| card["id"].as_str()).collect();
        let mut ids: Vec<_> =
            ids.into_iter().flatten().map(|id| (get(&format!("/v1/records/{id}")).len(), id)).collect();
        ids.sort_unstable();
        let middle = (ids.len() - DIFFERENT) / 2..usize::midpoint(ids.len(), DIFFERENT);
        let of_each = |end: &str, more: &str| -> Vec<Vec<u8>> {
            ids[middle.clone()].iter().map(|(_, id)| request(&format!("/v1/records/{id}{end}"), more)).collect()
        };
        let ranking = "/v1/rankings?game=andes";
        let unchanged: Vec<_> = ids[middle.clone()]
            .iter()
            .map(|(_, id)| {
                let path = format!("/v1/records/{id}");
                let response = get(&path);
                request(&path, &format!("If-None-Match: {}\r\n", header(&response, "etag").expect("a tag")))
            })
            .collect();
        let kinds = [
            ("a record as JSON", of_each("", "")),
            ("a record as text", of_each("", "Accept: text/plain\r\n")),
            ("its verdict", of_each("/verdict", "")),
            ("a page of a ranking", vec![request(ranking, "")]),
            ("a cached record: 304", unchanged),
        ];
        println!(
            "| reading | bytes | minimal handler, per second | quipu, per second | ratio | from | to | CPU time | p99 of the minimal handler | of quipu | ratio |"
        );
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        let mut ratios = Vec::new();
        for (name, asks) in kinds {
            let response = response(&asks[asks.len() / 2]);
            let peer = Peer::start(self.folder.path(), &response);
            let sides = [(&*peer.address, peer.child.id()), (&*served.address, served.process())];
            let mut rounds = Vec::new();
            for round in 0..=self.size.rounds {
                let [bare, ours] = sides.map(|(address, process)| load(&[(address, process)], &asks, self.size.reads));
                // In the first, connections and memory are still new to all.
                if round > 0 {
                    rounds.push([bare, ours]);
                }
            }
            let rate = Spread::of(rounds.iter().map(|[bare, ours]| bare.seconds / ours.seconds));
            let processor = Spread::of(rounds.iter().map(|[bare, ours]| bare.processor / ours.processor));
            let late = Spread::of(rounds.iter().map(|[bare, ours]| ours.p99 / bare.p99));
            let side = |of: fn(&Load) -> f64| {
                [0, 1].map(|side| Spread::of(rounds.iter().map(|round| of(&round[side]))).median)
            };
            let [seconds, p99] = [side(|load| load.seconds), side(|load| load.p99)];
            let [bare, ours] = seconds.map(|seconds| per_second(self.size.reads, seconds));
            println!(
                "| {name} | {} | {bare:.0} | {ours:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} ms | {:.2} ms | {:.2} |",
                response.len(),
                rate.median,
                rate.least,
                rate.most,
                processor.median,
                p99[0] * 1e3,
                p99[1] * 1e3,
                late.median
            );
            ratios.push((name.to_owned(), if processor.median.is_finite() { processor.median } else { rate.median }));
        }
        ratios
    }

    fn writing(&self) -> Vec<(String, f64)> {
        let count = self.size.writes;
        let records: Vec<String> = self.records(self.size.games, self.size.imports.max(count)).collect();
        let judged: Vec<Submission> =
            records.iter().flat_map(|text| Submission::all(&Chunk::new(text.as_bytes())).collect::<Vec<_>>()).collect();
        let (some, all) = (self.rows(&judged[..count]), self.rows(&judged[..self.size.imports]));
        let names = [
            "over HTTP, 64 clients",
            "a commit each",
            "64 minimal inserts a commit",
            "imported",
            "1024 minimal inserts a commit",
        ];
        let counts = [count, count, count, self.size.imports, self.size.imports];
        let mut rounds: Vec<[Load; 5]> = Vec::new();
        for _ in 0..self.size.rounds {
            let over_http = {
                let archive = self.archive();
                let token = spawned_server::token(&self.program, archive.path());
                let served = SpawnedServer::start(&self.program, archive.path(), &[]);
                post(&served, &token, &records[..count])
            };
            let one = commits(self.archive().path(), &judged[..count], 1);
            let some = some.insert(self.archive().path(), 64, End::LastCommit);
            let imported = {
                let archive = self.archive();
                let begun = Instant::now();
                spawned_server::import(&self.program, archive.path(), records[..self.size.imports].iter().cloned());
                Load { seconds: begun.elapsed().as_secs_f64(), ..Load::default() }
            };
            // A program that has ended has closed its archive.
            let all = all.insert(self.archive().path(), 1024, End::Closed);
            rounds.push([over_http, one, some, imported, all]);
        }
        println!();
        println!("| writing | records per second | median time | p99 |");
        println!("| --- | ---: | ---: | ---: |");
        for (at, (name, count)) in names.iter().zip(counts).enumerate() {
            let of = |of: fn(&Load) -> f64| Spread::of(rounds.iter().map(|round| of(&round[at]))).median;
            let rate = per_second(count, of(|load| load.seconds));
            println!(
                "| {name} | {rate:.0} | {:.2} ms | {:.2} ms |",
                of(|load| load.median) * 1e3,
                of(|load| load.p99) * 1e3
            );
        }
        println!();
        println!("| ratio | median | from | to |");
        println!("| --- | ---: | ---: | ---: |");
        let faster =
            |one: usize, other: usize| Spread::of(rounds.iter().map(|round| round[other].seconds / round[one].seconds));
        let late = Spread::of(rounds.iter().map(|[over_http, one, ..]| over_http.p99 / one.median));
        let ratios = [
            ("over HTTP to a commit each", faster(0, 1)),
            ("over HTTP to 64 minimal inserts a commit", faster(0, 2)),
            ("imported to 1024 minimal inserts a commit", faster(3, 4)),
        ];
        for (name, Spread { median, least, most }) in ratios.iter().chain(&[("p99 over HTTP to a commit", late)]) {
            println!("| {name} | {median:.2} | {least:.2} | {most:.2} |");
        }
        ratios.map(|(name, spread)| (name.to_owned(), spread.median)).into()
    }

    /// The rows that these records come to.
    fn rows(&self, judged: &[Submission]) -> Rows {
        let archive = self.archive();
        commits(archive.path(), judged, 1024);
        Rows::new(&self.template(), archive.path(), judged)
    }

    fn starting(&self) {
        let archive = self.archive();
        let file = archive.path().join("game.quipu");
        fs::write(&file, self.generator.record(0)).expect("it is written");
        let verify = Spread::of((0..self.size.starts).map(|_| {
            let begun = Instant::now();
            let done = Command::new(&self.program).arg("verify").arg(&file).stdout(Stdio::null()).status();
            assert!(done.expect("quipu runs").success());
            begun.elapsed().as_secs_f64()
        }));
        let serve = Spread::of((0..self.size.starts).map(|_| first_answer(&self.program, archive.path())));
        let bytes = fs::metadata(&self.program).expect("the program").len();
        println!();
        println!("| start | median | from | to |");
        println!("| --- | ---: | ---: | ---: |");
        let rows = [("quipu verify of one game", verify), ("quipu serve until it answers", serve)];
        for (name, Spread { median, least, most }) in rows {
            println!("| {name} | {:.1} ms | {:.1} ms | {:.1} ms |", median * 1e3, least * 1e3, most * 1e3);
        }
        #[expect(clippy::cast_precision_loss, reason = "a report")]
        let size = bytes as f64 / f64::from(1 << 20);
        println!();
        println!("The program has {size:.1} MiB.");
    }
}

/// Seconds until the service has answered for the first time.
fn first_answer(program: &Path, archive: &Path) -> f64 {
    let begun = Instant::now();
    let served = SpawnedServer::start(program, archive, &[]);
    let mut wire = RawConnection::open(&served.address);
    wire.send(&request("/v1/records", ""));
    assert!(wire.receive().starts_with(b"HTTP/1.1 200"));
    begun.elapsed().as_secs_f64()
}

/// Stores records that are judged already, so many in each commit.
fn commits(archive: &Path, records: &[Submission], size: usize) -> Load {
    let store = Store::open(archive).expect("an archive");
    let batches: Vec<Vec<Submission>> = records.chunks(size).map(<[_]>::to_vec).collect();
    let begun = Instant::now();
    let mut times = Vec::new();
    for batch in batches {
        let begun = Instant::now();
        let stored = store.write(move |writing| -> Result<(), StoreError> {
            let by = Attribution { submitter: "measure".to_owned(), author: None, reason: None };
            batch.iter().try_for_each(|record| writing.add(record, &by, false).map(drop))
        });
        stored.wait().expect("it is stored");
        times.push(begun.elapsed());
    }
    Load::new(begun.elapsed().as_secs_f64(), f64::NAN, times)
}

/// Until when inserting is timed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    LastCommit,
    /// Until all is in the file itself.
    Closed,
}

/// The rows that records come to in an archive, in the order they came. To insert them is the least that writing records
/// can take: nothing is judged, looked up, counted, hashed or waited for; a row that several records changed is there
/// once, as the last of them left it.
struct Rows {
    statements: Vec<String>,
    /// By record: which statement, and its values.
    records: Vec<Vec<(usize, Vec<types::Value>)>>,
}

impl Rows {
    /// Rows of `filled` that `empty` lacks.
    fn new(empty: &Path, filled: &Path, judged: &[Submission]) -> Self {
        let connection = Connection::open(filled.join("quipu.db")).expect("an archive");
        let old = empty.join("quipu.db");
        connection.execute("ATTACH ? AS old", [old.to_str().expect("a path")]).expect("an archive");
        let first: i64 = connection
            .query_row("SELECT max(number) + 1 FROM old.change", [], |row| row.get(0))
            .expect("it has records");
        let mut rows = Self { statements: Vec::new(), records: Vec::new() };
        for (number, submission) in (first..).zip(judged) {
            let mut own = Vec::new();
            for (at, (table, column)) in OF_RECORDS.iter().enumerate() {
                let select = |columns: &str| format!("SELECT {columns} FROM main.{table} WHERE {column} = {number}");
                own.extend(rows.select(&connection, at, table, select));
            }
            own.push((OF_RECORDS.len(), vec![number.into(), submission.facts.text.clone().into()]));
            rows.records.push(own);
        }
        rows.statements.push("INSERT INTO search (rowid, text) VALUES (?, ?)".to_owned());
        for table in OF_MANY {
            let select =
                |columns: &str| format!("SELECT {columns} FROM main.{table} EXCEPT SELECT {columns} FROM old.{table}");
            let changed = rows.select(&connection, rows.statements.len(), table, select);
            rows.records.last_mut().expect("there are records").extend(changed);
        }
        rows
    }

    /// Rows of a table, to be inserted by the statement that stands there, or will.
    fn select(
        &mut self,
        connection: &Connection,
        at: usize,
        table: &str,
        select: impl Fn(&str) -> String,
    ) -> Vec<(usize, Vec<types::Value>)> {
        // Without the generated ones.
        let stored = format!("SELECT group_concat(name) FROM pragma_table_info('{table}')");
        let mut stored = connection.prepare_cached(&stored).expect("a table");
        let stored: String = stored.query_row([], |row| row.get(0)).expect("it has columns");
        let mut select = connection.prepare_cached(&select(&stored)).expect("a table");
        let columns = select.column_count();
        if self.statements.len() == at {
            let replaces = if OF_MANY.contains(&table) { " OR REPLACE" } else { "" };
            let values = ", ?".repeat(columns - 1);
            self.statements.push(format!("INSERT{replaces} INTO {table} ({stored}) VALUES (?{values})"));
        }
        let rows = select.query_map([], |row| (0..columns).map(|column| row.get(column)).collect());
        rows.expect("it is read").map(|row| (at, row.expect("a row"))).collect()
    }

    /// Inserts those of so many records in each commit.
    fn insert(&self, archive: &Path, size: usize, end: End) -> Load {
        let mut connection = Connection::open(archive.join("quipu.db")).expect("an archive");
        for (name, value) in [("synchronous", "full"), ("cache_size", "-16384"), ("wal_autocheckpoint", "4000")] {
            connection.pragma_update(None, name, value).expect("a setting");
        }
        connection.set_prepared_statement_cache_capacity(self.statements.len());
        let begun = Instant::now();
        let mut times = Vec::new();
        for batch in self.records.chunks(size) {
            let begun = Instant::now();
            let transaction = connection.transaction().expect("nobody else writes");
            // As the archive does it: words go to their index in one piece.
            let words = |(at, _): &&(usize, Vec<_>)| *at == OF_RECORDS.len();
            let rows = batch.iter().flatten();
            for (at, values) in rows.clone().filter(|row| !words(row)).chain(rows.filter(words)) {
                let mut insert = transaction.prepare_cached(&self.statements[*at]).expect("a statement");
                insert.execute(rusqlite::params_from_iter(values)).expect("it is inserted");
            }
            transaction.commit().expect("it is on the disk");
            times.push(begun.elapsed());
        }
        let committed = begun.elapsed();
        drop(connection);
        let end = if end == End::Closed { begun.elapsed() } else { committed };
        Load::new(end.as_secs_f64(), f64::NAN, times)
    }
}

/// A minimal handler in a process of its own.
struct Peer {
    child: Child,
    address: String,
}

impl Peer {
    /// Starts one that gives this answer.
    fn start(folder: &Path, response: &[u8]) -> Self {
        let file = folder.join("answer");
        fs::write(&file, response).expect("it is written");
        let own = env::current_exe().expect("a program knows where it is");
        let child = Command::new(own).arg("peer").arg(&file).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("it runs");
        let mut address = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        BufReader::new(out).read_line(&mut address).expect("it says where it listens");
        Self { child, address: address.trim().to_owned() }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Gives the answer that is in a file to whatever it is asked, until it is ended.
fn peer(file: &str) {
    let response = fs::read(file).expect("an answer");
    let head = memmem::find(&response, b"\r\n\r\n").expect("a head");
    let head = std::str::from_utf8(&response[..head]).expect("a head is ASCII");
    let status = head.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok());
    let status = StatusCode::from_u16(status.expect("a status")).expect("a status");
    let lines = head.split("\r\n").filter_map(|line| line.split_once(": "));
    let own = |name: &str| !["content-length", "date", "connection"].contains(&name);
    let headers: Vec<(HeaderName, HeaderValue)> = lines
        .filter(|(name, _)| own(name))
        .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
        .collect();
    let bytes = Bytes::copy_from_slice(body(&response));
    let app = move || {
        let (headers, bytes) = (headers.clone(), bytes.clone());
        let response = move || {
            let mut response = HttpResponse::build(status);
            for (name, value) in &headers {
                response.insert_header((name.clone(), value.clone()));
            }
            std::future::ready(response.body(bytes.clone()))
        };
        // Not even a path is looked at.
        App::new().default_service(web::to(response))
    };
    rt::System::new().block_on(async {
        let server = HttpServer::new(app).workers(1).bind(("127.0.0.1", 0)).expect("a free port");
        println!("{}", server.addrs()[0]);
        server.run().await.expect("it runs");
    });
}
