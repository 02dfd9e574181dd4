//! Measures an archive on PostgreSQL beside SQLite and beside minimal inserts, in one run: `bench_postgres [short]`.
//!
//! Writing: 64 clients submit records to a service, each waiting for its answer. Beside it the rows that the same records come to
//! are inserted into the same tables with the same indexes by the library that the service uses: one statement with many rows
//! for each table, 64 records a commit, one round trip each. Nothing is judged, looked up or waited for.
//!
//! Reading: one client keeps 32 connections busy with records that were not asked for before, so that no response is ready: at a
//! service on a file, at one on PostgreSQL, and at two, of which the second reads from a synchronous standby.
//!
//! The measure is the ratio of two figures of one round, and of the rounds the median. Clients, services and servers share the
//! machine: on two cores two services cannot be twice as fast as one. The goals are printed beside and fail nothing.

use std::{
    collections::{HashMap, HashSet},
    env, fs,
    process::Stdio,
    time::Instant,
};

use quipu_options::Scope;
use quipu_tests_service::{
    generator::Generator,
    measure::{Load, Spread, load, per_second, post, request},
    postgres::Postgres,
    program,
    spawned_server::{self, SpawnedServer},
    tables::{OF_MANY, OF_RECORDS},
};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Amounts to measure.
struct Size {
    /// Games in the archive before, each of which is read once in a round.
    games: usize,
    rounds: usize,
    /// Records submitted per round.
    writes: usize,
}

const LONG: Size = Size { games: 10_000, rounds: 7, writes: 4_096 };
const SHORT: Size = Size { games: 2_000, rounds: 3, writes: 1_024 };

/// Records whose rows are inserted in one commit.
const COMMIT: usize = 64;
/// The full-text index, a table with the number of each record.
const SEARCH: (&str, &str) = ("search", "rowid");
/// The database that all begin with.
const TEMPLATE: &str = "games";

fn main() {
    let is_short = env::args().nth(1).is_some_and(|word| word == "short");
    let bench = Bench::new(if is_short { SHORT } else { LONG });
    bench.writing();
    bench.reading();
}

struct Bench {
    size: Size,
    generator: Generator,
    primary: Postgres,
    /// The folder with the key of receipts.
    key: TempDir,
}

impl Bench {
    fn new(size: Size) -> Self {
        let (primary, key) = (Postgres::start(), tempfile::tempdir().expect("a folder"));
        let bench = Self { size, generator: Generator::new(), primary, key };
        bench.primary.sql(&format!("CREATE DATABASE {TEMPLATE}"));
        bench.import(&bench.key, Some(&bench.address(TEMPLATE)));
        // It makes the key.
        drop(serve(&bench.key, &bench.address(TEMPLATE), &[]));
        bench
    }

    fn records(&self, first: usize, count: usize) -> Vec<String> {
        (first..first + count).map(|number| self.generator.record(number)).collect()
    }

    fn address(&self, database: &str) -> String {
        self.primary.address_of(database)
    }

    /// Fills an archive with the games of the template.
    fn import(&self, folder: &TempDir, database: Option<&str>) {
        let mut command = program::command(&["archive", "import", "-"]);
        // Remarks on the games.
        command.stderr(Stdio::null());
        if let Some(database) = database {
            command.args(["--database", database]);
        }
        spawned_server::import_by(command, folder.path(), self.records(0, self.size.games).into_iter());
    }

    /// A database with the contents of the template.
    fn copy(&self, name: &str) -> String {
        self.primary.sql(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        // Sessions that have ended go a moment later.
        self.primary.wait_until(&format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{TEMPLATE}'"), "0");
        self.primary.sql(&format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}"));
        self.address(name)
    }

    /// A folder with the key of receipts, and without the last head that was signed: each database begins with the same log.
    fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let [key, copy] = [&self.key, &folder].map(|folder| folder.path().join("quipu.key"));
        if key.exists() {
            fs::copy(key, copy).expect("it is copied");
        }
        folder
    }

    fn writing(&self) {
        let records = self.records(self.size.games, self.size.writes);
        let mut rows = None;
        let rounds: Vec<[Load; 2]> = (0..=self.size.rounds)
            .map(|_| {
                let filled = self.copy("filled");
                let (folder, scope) = (self.folder(), [Scope::RecordsWrite]);
                let token = spawned_server::token_with(program::path(), folder.path(), &scope, Some(&filled));
                let served = serve(&folder, &filled, &[]);
                let over_http = post(&served, &token, &records);
                drop(served);
                let rows = rows.get_or_insert_with(|| Rows::new(&self.address(TEMPLATE), &filled));
                [over_http, rows.insert(&self.copy("inserted"))]
            })
            // In the first all is new to the machine.
            .skip(1)
            .collect();
        let rate = |side: usize| {
            let seconds = Spread::of(rounds.iter().map(|round| round[side].seconds)).median;
            per_second(records.len(), seconds)
        };
        let late = Spread::of(rounds.iter().map(|[over_http, _]| over_http.p99)).median;
        println!("| writing on PostgreSQL | records per second |");
        println!("| --- | ---: |");
        println!("| over HTTP, 64 clients | {:.0}, p99 {:.1} ms |", rate(0), late * 1e3);
        println!("| minimal inserts, {COMMIT} records a commit | {:.0} |", rate(1));
        println!();
        ratios(&[(
            "over HTTP to minimal inserts",
            0.6,
            Spread::of(rounds.iter().map(|[over_http, plain]| plain.seconds / over_http.seconds)),
        )]);
    }

    fn reading(&self) {
        let standby = self.primary.standby();
        let file = tempfile::tempdir().expect("a folder");
        self.import(&file, None);
        let database = self.address(TEMPLATE);
        let ids = ids(&database);
        let asks: Vec<_> = ids.iter().map(|id| request(&format!("/v1/records/{id}"), "")).collect();
        let second = format!(
            "postgres://quipu@{},{}/{TEMPLATE}?target_session_attrs=prefer-standby",
            self.primary.host(),
            standby.host()
        );
        let (one, folders) = (["--workers", "1"], [(); 2].map(|()| self.folder()));
        let measure = |servers: &[SpawnedServer]| {
            let servers: Vec<_> = servers.iter().map(|served| (&*served.address, served.process())).collect();
            // The client has some requests under way in the end.
            load(&servers, &asks, asks.len() - 64)
        };
        let rounds: Vec<[Load; 3]> = (0..=self.size.rounds)
            .map(|_| {
                [
                    measure(&[SpawnedServer::start(program::path(), file.path(), &one)]),
                    measure(&[serve(&folders[0], &database, &one)]),
                    measure(&[serve(&folders[0], &database, &one), serve(&folders[1], &second, &one)]),
                ]
            })
            .skip(1)
            .collect();
        println!("| reading a record | per second | p99 |");
        println!("| --- | ---: | ---: |");
        let names =
            ["a service on a file", "a service on PostgreSQL", "two services on PostgreSQL, with primary and standby"];
        for (side, name) in names.into_iter().enumerate() {
            let of = |of: fn(&Load) -> f64| Spread::of(rounds.iter().map(|round| of(&round[side]))).median;
            let rate = per_second(asks.len() - 64, of(|load| load.seconds));
            println!("| {name} | {rate:.0} | {:.2} ms |", of(|load| load.p99) * 1e3);
        }
        println!();
        ratios(&[
            (
                "one service to one on a file",
                0.8,
                Spread::of(rounds.iter().map(|[file, one, _]| file.seconds / one.seconds)),
            ),
            ("two services to one", 1.6, Spread::of(rounds.iter().map(|[_, one, two]| one.seconds / two.seconds))),
        ]);
    }
}

/// A service on a database.
fn serve(folder: &TempDir, database: &str, options: &[&str]) -> SpawnedServer {
    SpawnedServer::start(program::path(), folder.path(), &[&["--database", database], options].concat())
}

fn ratios(all: &[(&str, f64, Spread)]) {
    println!("| ratio | goal | median | from | to |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (name, goal, Spread { median, least, most }) in all {
        println!("| {name} | {goal:.2} | {median:.2} | {least:.2} | {most:.2} |");
    }
    println!();
}

/// Ids of all records of a database.
fn ids(database: &str) -> Vec<String> {
    SqlClient::open(database).rows("SELECT encode(id, 'hex') FROM record ORDER BY number")
}

/// The rows that records come to, as SQL.
struct Rows {
    commits: Vec<String>,
}

impl Rows {
    /// Those of the database `filled` that `empty` lacks.
    fn new(empty: &str, filled: &str) -> Self {
        let (empty, filled) = (SqlClient::open(empty), SqlClient::open(filled));
        let last = |client: &SqlClient| client.number("SELECT max(number) FROM change");
        let (first, last) = (last(&empty) + 1, last(&filled));
        let size = i64::try_from(COMMIT).expect("a number");
        let mut commits = Vec::new();
        let mut of_many = OF_MANY.iter().filter_map(|table| filled.changed(&empty, table)).collect::<String>();
        for from in (first..=last).step_by(COMMIT) {
            let mut sql = std::mem::take(&mut of_many);
            for (table, column) in OF_RECORDS.into_iter().chain([SEARCH]) {
                let rows = filled.values(table, &format!("WHERE {column} BETWEEN {from} AND {}", from + size - 1));
                sql += &filled.insert(table, &rows);
            }
            // Statements that are sent together are one transaction.
            commits.push(sql);
        }
        Self { commits }
    }

    fn insert(&self, database: &str) -> Load {
        let client = SqlClient::open(database);
        let begun = Instant::now();
        let mut times = Vec::new();
        for sql in &self.commits {
            let begun = Instant::now();
            client.run(sql);
            times.push(begun.elapsed());
        }
        Load::new(begun.elapsed().as_secs_f64(), f64::NAN, times)
    }
}

/// A client with the library that the service uses.
struct SqlClient {
    runtime: tokio::runtime::Runtime,
    client: Client,
    columns: HashMap<String, Vec<String>>,
}

impl SqlClient {
    fn open(database: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread");
        let (client, connection) = runtime.block_on(tokio_postgres::connect(database, NoTls)).expect("it accepts it");
        runtime.spawn(connection);
        let mut opened = Self { runtime, client, columns: HashMap::new() };
        let columns = opened.pairs(
            "SELECT table_name, quote_ident(column_name) FROM information_schema.columns
             WHERE table_schema = current_schema() AND is_generated = 'NEVER' ORDER BY ordinal_position",
        );
        for (table, column) in columns {
            opened.columns.entry(table).or_default().push(column);
        }
        opened
    }

    fn query(&self, sql: &str) -> Vec<SimpleQueryMessage> {
        self.runtime.block_on(self.client.simple_query(sql)).unwrap_or_else(|error| panic!("{sql:.200}: {error:?}"))
    }

    fn run(&self, sql: &str) {
        let done = self.runtime.block_on(self.client.batch_execute(sql));
        done.unwrap_or_else(|error| panic!("{sql:.200}: {error:?}"));
    }

    fn pairs(&self, sql: &str) -> Vec<(String, String)> {
        let rows = self.query(sql).into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                let text = |column: usize| row.get(column).unwrap_or_default().to_owned();
                Some((text(0), if row.len() > 1 { text(1) } else { String::new() }))
            }
            _ => None,
        });
        rows.collect()
    }

    /// The first column of rows.
    fn rows(&self, sql: &str) -> Vec<String> {
        self.pairs(sql).into_iter().map(|(first, _)| first).collect()
    }

    fn number(&self, sql: &str) -> i64 {
        self.rows(sql)[0].parse().expect("a number")
    }

    /// Rows of a table, each as it stands in VALUES.
    fn values(&self, table: &str, condition: &str) -> Vec<String> {
        let columns: Vec<_> =
            self.columns[table].iter().map(|column| format!("quote_nullable({column}::text)")).collect();
        self.rows(&format!("SELECT '(' || {} || ')' FROM {table} {condition}", columns.join(" || ',' || ")))
    }

    fn insert(&self, table: &str, rows: &[String]) -> String {
        if rows.is_empty() {
            return String::new();
        }
        let columns = self.columns[table].join(", ");
        format!("INSERT INTO {table} ({columns}) VALUES {};\n", rows.join(","))
    }

    /// SQL that inserts or replaces the rows of a table that another database lacks.
    fn changed(&self, other: &Self, table: &str) -> Option<String> {
        let known: HashSet<_> = other.values(table, "").into_iter().collect();
        let rows: Vec<_> = self.values(table, "").into_iter().filter(|row| !known.contains(row)).collect();
        if rows.is_empty() {
            return None;
        }
        let key = format!("SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'p'");
        let sets: Vec<_> = self.columns[table].iter().map(|column| format!("{column} = excluded.{column}")).collect();
        let insert = self.insert(table, &rows);
        let insert = insert.trim_end().trim_end_matches(';');
        Some(format!("{insert} ON CONFLICT ON CONSTRAINT {} DO UPDATE SET {};\n", self.rows(&key)[0], sets.join(", ")))
    }
}
