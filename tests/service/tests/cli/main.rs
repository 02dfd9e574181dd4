//! The program as its users run it: what it prints where, in which language, and how it exits.
//!
//! Verdicts on records and moves are tested in `corpus.rs`; here only the output of the program.

mod archive;
mod archive_export;
mod competition;
mod conventions;
mod decisions;
mod draw;
mod findings;
mod forms;
mod games;
#[cfg(unix)]
mod ipv6;
mod language;
mod new;
#[cfg(unix)]
mod outputs;
mod positions;
mod ratings;
mod readme;
mod receipts;
mod reference;
mod refusals;
mod repair;
mod reports;
mod same_game;
mod serve;
mod sheets;
mod skipped_files;
mod status;
mod terminal;
mod token;
mod tournament;
mod tournament_files;
mod verify;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod whole_files;
#[cfg(unix)]
mod width;

use std::{ffi::OsStr, fs, path::Path};

use quipu_referee::Referee;
use quipu_tests_service::fixture;

/// The start position of Andes.
const START: &str = "7/7/7/7/7/7/7 s 7-7 0-0 - - 0";
/// Luna has left the continent: Sol wins.
const OVER: &str = "2A4/7/7/7/7/6a/5a1 s 5-6 0-0 l - 4";
/// A game that is over and says so.
const GOOD: &str = "[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n";
/// A game whose second ply is refused.
const BAD: &str = "[Game \"andes\"]\n[Result \"*\"]\n\n1. 0d3 2A1\n*\n";
/// A text that is no record.
const UNREADABLE: &str = "[Game \"andes\"]\n\n1. 0d3 {open\n*\n";

/// Runs `check` with every game and the folder of its fixtures.
fn each_game(check: impl Fn(&str, &dyn Referee)) {
    for game in quipu_referee::games::ALL {
        check(game.notation().id, *game);
    }
}

/// All files of records among the fixtures, as seen from the root of the repository.
fn record_files() -> Vec<String> {
    let mut files = Vec::new();
    for game in quipu_referee::games::ALL {
        let folder = game.notation().id;
        for entry in fs::read_dir(fixture(folder)).expect("every game has fixtures") {
            let name = entry.expect("it can be listed").file_name().into_string().expect("our names are UTF-8");
            if Path::new(&name).extension() == Some(OsStr::new("quipu")) {
                files.push(format!("fixtures/{folder}/{name}"));
            }
        }
    }
    files.sort();
    files
}

/// The words of a command, with more behind them.
fn words<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    command.split(' ').chain(more.iter().copied()).collect()
}

/// Arguments with the same at their end.
fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [arguments, more].concat()
}
