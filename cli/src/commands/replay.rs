//! `quipu replay`: shows a game move by move, as boards or as position strings.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use quipu_notation::record::{Record, clock};
use quipu_referee::{
    Board,
    replay::{Played, Replay},
};

use crate::{
    args::{number, reading},
    board,
    context::{CommandError, CommandResult, Context, ExitStatus, complain, stdout},
    select_record,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    if number(matches, "ply").is_some() && (number(matches, "from").is_some() || number(matches, "to").is_some()) {
        return Err(CommandError::Usage(context.say("replay.ply-or-range").to_owned()));
    }
    if number(matches, "from").zip(number(matches, "to")).is_some_and(|(from, to)| from > to) {
        return Err(CommandError::Usage(context.say("replay.backwards").to_owned()));
    }
    let file = matches.get_one("file").expect("the parser asks for it");
    select_record::show(context, matches, file, reading(matches), |judged| match &judged.record {
        Some(record) => replay(context, matches, record),
        None => Ok(ExitStatus::Clean),
    })
}

/// Prints the requested plies, up to the first that is refused.
fn replay(context: Context, matches: &ArgMatches, record: &Record<'_>) -> CommandResult {
    let only = number(matches, "ply");
    let first = only.or(number(matches, "from")).map_or(0, u64::from);
    let last = only.or(number(matches, "to")).map_or(u64::MAX, u64::from);
    let positions = matches.get_flag("positions");
    let Some(mut replay) = Replay::of(record) else { return Ok(ExitStatus::Findings) };
    let mut out = stdout();
    let mut show = |ply: u64, heading: &str, board: &dyn Board| -> Result<(), CommandError> {
        if !(first..=last).contains(&ply) {
            return Ok(());
        }
        if positions {
            writeln!(out, "{}", board.position())?;
        } else {
            let heading = context.paint(Style::new().bold(), heading);
            writeln!(out, "{heading}\n{}", board::draw(context, &board.drawing()))?;
        }
        Ok(())
    };
    show(0, context.say("replay.start"), replay.board())?;
    while replay.ply() < last {
        let Some(Played { ply, side, token, clock }) = replay.play() else { break };
        let side = replay.game().notation().side(side).tag;
        let mut heading = format!("{ply}. {side} {token}");
        if let Some(left) = clock {
            heading.push_str("  ");
            let _ = clock::write(left, &mut heading); // a String takes everything
        }
        if let Some(end) = replay.board().end() {
            let word = context.word(end.termination.word);
            let ended = context.fill("replay.end", &[("end", &word), ("result", &end.outcome.as_str())]);
            heading = format!("{heading}  {}", context.paint(AnsiColor::Yellow.on_default(), ended));
        }
        show(ply, &heading, replay.board())?;
    }
    out.flush()?;
    if let Some(ply) = only.filter(|_| first > replay.ply()) {
        complain(context.fill("replay.no-ply", &[("ply", &ply), ("count", &replay.ply())]));
        return Ok(ExitStatus::Usage);
    }
    Ok(ExitStatus::Clean)
}
