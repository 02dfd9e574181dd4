//! `quipu perft`: counts sequences of legal plies.

use std::io::Write;

use clap::ArgMatches;

use super::position::{game, refuse};
use crate::{
    args::{jobs, number, text},
    context::{CommandResult, Context, ExitStatus, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let board = match game(matches).board(text(matches, "rules"), text(matches, "position")) {
        Ok(board) => board,
        Err(faults) => return Ok(refuse(context, &faults)),
    };
    let depth = number(matches, "depth").unwrap_or_default();
    let jobs = jobs(matches);
    let mut out = stdout();
    if matches.get_flag("divide") && depth > 0 {
        let rows = board.divide(depth, jobs);
        for (token, nodes) in &rows {
            writeln!(out, "{token} {nodes}")?;
        }
        writeln!(out, "{}", rows.iter().map(|(_, nodes)| nodes).sum::<u64>())?;
    } else {
        writeln!(out, "{}", board.perft(depth, jobs))?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}
