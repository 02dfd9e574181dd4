//! `quipu`: a thin shell over the libraries. It reads arguments, files and the environment, and prints; records and
//! moves are judged by the referee.

#![cfg_attr(
    not(all(
        feature = "view",
        feature = "draw",
        feature = "archive",
        feature = "lsp",
        feature = "serve",
        feature = "watch"
    )),
    allow(dead_code, unused_imports, reason = "commands that are left out use it")
)]

use std::process::ExitCode;

mod args;
mod board;
mod breakdown;
mod citation;
mod closest;
mod command;
mod commands;
mod competition;
mod config;
mod context;
mod diagnostics;
mod input;
mod language;
mod messages;
mod origins;
mod output;
mod pager;
mod parser;
mod part;
mod pool;
mod readings;
mod record_writer;
mod report_format;
mod select_record;
mod skipped_files;
mod snippet;
mod styled;
mod table;
mod toml_file;
mod transcode;
mod usage;
mod user_settings;
mod user_settings_file;
mod wrap;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    parser::run(&arguments).into()
}
