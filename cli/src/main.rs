//! `quipu`: a thin shell over the libraries. It reads arguments, files and the environment, and prints; what a
//! record or a move is worth is said by the referee.

#![cfg_attr(
    not(all(feature = "view", feature = "draw", feature = "archive", feature = "serve")),
    allow(dead_code, unused_imports, reason = "commands that are left out use it")
)]

use std::process::ExitCode;

mod board;
mod commands;
mod competition;
mod config;
mod context;
mod excerpt;
mod findings;
mod input;
mod law;
mod one;
mod output;
mod pages;
mod parse;
mod pool;
mod rewrite;
mod styled;
mod table;
mod trace;
mod usage;
mod words;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    parse::run(&arguments).into()
}
