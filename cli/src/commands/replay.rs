//! `quipu replay`: shows a game move by move, as boards or as position strings.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use quipu_notation::record::{Record, clock};
use quipu_referee::{
    Board,
    replay::{Played, Replay},
    report::PlyReport,
};

use crate::{
    args::{number, reading},
    board,
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr},
    output::{self, Output},
    pager::PagedOutput,
    select_record,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    if number(matches, "ply").is_some() && (number(matches, "from").is_some() || number(matches, "to").is_some()) {
        return Err(CommandError::Usage(context.say("replay.ply-or-range").to_owned()));
    }
    if number(matches, "from").zip(number(matches, "to")).is_some_and(|(from, to)| from > to) {
        return Err(CommandError::Usage(context.say("replay.backwards").to_owned()));
    }
    if matches.get_flag("json") && matches.get_flag("positions") {
        return Err(CommandError::Usage(context.say("replay.json-or-positions").to_owned()));
    }
    select_record::show(context, matches, matches.get_one("file"), reading(matches), |judged| match &judged.record {
        Some(record) => replay(context, matches, record),
        None => Ok(ExitStatus::Clean),
    })
}

/// Prints the requested plies, up to the first that is refused.
fn replay(context: Context, matches: &ArgMatches, record: &Record<'_>) -> CommandResult {
    let only = number(matches, "ply");
    let first = only.or(number(matches, "from")).map_or(0, u64::from);
    let last = only.or(number(matches, "to")).map_or(u64::MAX, u64::from);
    let (positions, json) = (matches.get_flag("positions"), matches.get_flag("json"));
    let Some(mut replay) = Replay::of(record) else { return Ok(ExitStatus::Faults) };
    let game = replay.game().notation();
    let is_short = positions || json || matches.get_flag("no-pager");
    let failed = output::failed(context, matches);
    let mut out = PagedOutput::new(context, Output::from_args(context, matches, false)?, !is_short);
    let mut show = |played: Option<&Played>, heading: &str, board: &dyn Board| -> Result<(), CommandError> {
        if !(first..=last).contains(&played.map_or(0, |played| played.ply)) {
            return Ok(());
        }
        if json {
            PlyReport::new(game, played, board).write(&mut out).map_err(&failed)?;
        } else if positions {
            writeln!(out, "{}", board.position()).map_err(&failed)?;
        } else {
            let heading = context.paint(Style::new().bold(), heading);
            writeln!(out, "{heading}\n{}", board::draw(context, &board.drawing())).map_err(&failed)?;
        }
        Ok(())
    };
    show(None, context.say("replay.start"), replay.board())?;
    while replay.ply() < last {
        let Some(played) = replay.play() else { break };
        let side = replay.game().notation().side(played.side).tag;
        let mut heading = format!("{}. {side} {}", played.ply, played.token);
        if let Some(left) = played.clock {
            heading.push_str("  ");
            let _ = clock::write(left, &mut heading); // a String takes everything
        }
        if let Some(end) = replay.board().end() {
            let word = context.word(end.termination.word);
            let ended = context.fill("replay.end", &[("end", &word), ("result", &end.outcome.as_str())]);
            heading = format!("{heading}  {}", context.paint(AnsiColor::Yellow.on_default(), ended));
        }
        show(Some(&played), &heading, replay.board())?;
    }
    out.finish().map_err(&failed)?;
    if let Some(ply) = only.filter(|_| first > replay.ply()) {
        print_to_stderr(context.fill("replay.no-ply", &[("ply", &ply), ("count", &replay.ply())]));
        return Ok(ExitStatus::Usage);
    }
    Ok(ExitStatus::Clean)
}
