//! `quipu tournament close`, `reopen` and `unpair`: the states of a round.

use std::io::Write;

use clap::ArgMatches;
use quipu_tournament::model::Change;

use super::{by, change, round_of};
use crate::{
    args::number,
    context::{CommandResult, Context, ExitStatus, stdout},
};

pub(crate) fn close(context: Context, matches: &ArgMatches) -> CommandResult {
    run(context, matches, "close", |round| Change::Close { round })
}

pub(crate) fn reopen(context: Context, matches: &ArgMatches) -> CommandResult {
    run(context, matches, "reopen", |round| Change::Reopen { round })
}

pub(crate) fn unpair(context: Context, matches: &ArgMatches) -> CommandResult {
    run(context, matches, "unpair", |round| Change::Unpair { round })
}

/// Changes the round of `--round`, or the last one.
fn run(context: Context, matches: &ArgMatches, command: &str, step: fn(u32) -> Change) -> CommandResult {
    let by = by(context, matches, command, step(1).needs_reason())?;
    let asked = number(matches, "round");
    let done = match command {
        "close" => "tournament.close.done",
        "reopen" => "tournament.reopen.done",
        _ => "tournament.unpair.done",
    };
    change(
        context,
        matches,
        by,
        move |stored| Ok(vec![step(round_of(stored, asked)?)]),
        |stored| {
            // A round that is not paired any more is the next one.
            let last = stored.tournament.next_round() - u32::from(command != "unpair");
            let mut out = stdout();
            writeln!(out, "{}", context.fill(done, &[("round", &asked.unwrap_or(last))]))?;
            out.flush()?;
            Ok(ExitStatus::Clean)
        },
    )
}
