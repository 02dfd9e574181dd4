//! `quipu moves`: lists the legal moves of a position.

use std::io::Write;

use clap::ArgMatches;

use super::position::{game, refuse};
use crate::{
    args::text,
    context::{CommandResult, Context, ExitStatus, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let board = match game(matches).board(text(matches, "rules"), text(matches, "position")) {
        Ok(board) => board,
        Err(faults) => return Ok(refuse(context, &faults)),
    };
    let mut out = stdout();
    for token in board.legal_moves() {
        writeln!(out, "{token}")?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}
