//! Runs a command with a PostgreSQL server from a temporary folder: archives of tests are in schemas of its database then.
//!
//! usage: `with_postgres COMMAND ARGUMENT…`

use std::{
    env,
    process::{Command, ExitCode},
};

use quipu_tests_service::postgres::Postgres;

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: with_postgres COMMAND ARGUMENT…");
        return ExitCode::FAILURE;
    };
    let server = Postgres::start();
    // No test of these crashes the machine.
    server.sql("ALTER SYSTEM SET fsync = off");
    server.sql("ALTER SYSTEM SET full_page_writes = off");
    server.sql("SELECT pg_reload_conf()");
    let status = Command::new(program).args(words).env("QUIPU_TEST_DATABASE", server.address()).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        other => {
            eprintln!("{other:?}");
            ExitCode::FAILURE
        }
    }
}
