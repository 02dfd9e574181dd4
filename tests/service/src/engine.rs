//! The engine of the archives of tests: a SQLite file in the folder of each, or a schema for each in the PostgreSQL database that
//! `QUIPU_TEST_DATABASE` names, which the program `with_postgres` sets.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use quipu_archive::store::Address;
use rusqlite::Connection;

/// True if the archives are on a server.
pub fn is_server() -> bool {
    env::var_os("QUIPU_TEST_DATABASE").is_some()
}

/// True if a test is left out because archives are on a server: it is about files, for this reason.
pub fn leaves_out(reason: &str) -> bool {
    if is_server() {
        println!("left out on a server: {reason}");
    }
    is_server()
}

/// Ends a test that is about files if archives are on a server. The reason is a part of a sentence: "it copies the file".
#[macro_export]
macro_rules! files_only {
    ($reason:literal) => {
        if $crate::engine::leaves_out($reason) {
            return;
        }
    };
}

/// Runs SQL on an archive behind its back, without checks of references. It is SQL for SQLite, with the few words of PostgreSQL
/// that stand for others.
///
/// # Panics
/// If the SQL fails.
pub fn spoil(folder: &Path, sql: &str) {
    if !is_server() {
        let file = Connection::open(folder.join("quipu.db")).expect("a file");
        file.pragma_update(None, "foreign_keys", false).expect("SQL");
        return file.execute_batch(sql).expect("SQL");
    }
    let sql = format!(
        "SET session_replication_role = replica; {}; UPDATE archive SET commits = commits + 1",
        translated(sql).trim().trim_end_matches(';')
    );
    let status = psql(folder).args(["-c", &sql]).stdout(Stdio::null()).status();
    assert!(status.expect("PostgreSQL is installed").success(), "{sql}");
}

/// The number that a query of an archive finds.
///
/// # Panics
/// If the query fails.
pub fn number(folder: &Path, sql: &str) -> i64 {
    if !is_server() {
        let file = Connection::open(folder.join("quipu.db")).expect("a file");
        return file.query_row(sql, [], |row| row.get(0)).expect("a number");
    }
    let found = psql(folder).args(["-A", "-t", "-c", &translated(sql)]).output().expect("PostgreSQL is installed");
    String::from_utf8_lossy(&found.stdout).trim().parse().expect("a number")
}

/// Another program that has begun to write to an archive, and goes on until this is dropped.
pub enum Held {
    /// With a file.
    File(Connection),
    /// With a session on a server.
    Session(OpenTransaction),
}

/// A transaction on a server that waits for nothing, until it is dropped.
pub struct OpenTransaction(
    Child,
    #[expect(dead_code, reason = "the program ends without its reader")] BufReader<ChildStdout>,
);

impl OpenTransaction {
    /// Begins it with SQL, by the program `psql` with the arguments of a command.
    ///
    /// # Panics
    /// If the SQL fails.
    pub fn new(mut psql: Command, sql: &str) -> Self {
        psql.args(["-q", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut session = psql.spawn().expect("PostgreSQL is installed");
        let sql = format!("BEGIN; {sql}; SELECT 'done';\n");
        session.stdin.as_mut().expect("a pipe").write_all(sql.as_bytes()).expect("it reads");
        let mut said = BufReader::new(session.stdout.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("UTF-8");
        assert_eq!(line.trim(), "done");
        Self(session, said)
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

impl Held {
    /// Waits until nobody else writes.
    ///
    /// # Panics
    /// If somebody does for long.
    pub fn new(folder: &Path) -> Self {
        if !is_server() {
            let file = Connection::open(folder.join("quipu.db")).expect("a file");
            file.execute_batch("BEGIN IMMEDIATE").expect("nobody writes");
            return Self::File(file);
        }
        Self::Session(OpenTransaction::new(psql(folder), "UPDATE archive SET commits = commits"))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Self::File(file) = self {
            drop(file.execute_batch("ROLLBACK"));
        }
    }
}

/// A client of the schema of an archive.
fn psql(folder: &Path) -> Command {
    let address = Address::of_test(folder).expect("archives are on a server");
    let mut psql = Command::new("psql");
    psql.args(["-q", "-X", "-v", "ON_ERROR_STOP=1"]).arg(env::var("QUIPU_TEST_DATABASE").expect("an address"));
    psql.env("PGOPTIONS", format!("-c search_path={}", address.schema().expect("a schema of its own")));
    psql.stdin(Stdio::null());
    psql
}

/// Words of SQLite and of PostgreSQL.
const WORDS: [(&str, &str); 7] = [
    ("zeroblob(64)", "decode(repeat('00', 64), 'hex')"),
    ("zeroblob(32)", "decode(repeat('00', 32), 'hex')"),
    ("zeroblob(16)", "decode(repeat('00', 16), 'hex')"),
    ("CAST(source AS TEXT)", "convert_from(source, 'UTF8')"),
    (" AS BLOB)", " AS bytea)"),
    (" x'", " '\\x"),
    ("ifnull(", "coalesce("),
];

fn translated(sql: &str) -> String {
    WORDS.iter().fold(sql.to_owned(), |sql, (word, other)| sql.replace(word, other))
}
