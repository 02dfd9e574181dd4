//! `quipu replay`: a game move by move, as boards or as position strings.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use quipu_notation::record::{Record, clock};
use quipu_referee::{
    Board, games,
    verify::{self, Judged},
};

use crate::{
    board,
    context::{Context, Outcome, Status, Stop, complain, stdout},
    input::Source,
    parse::number,
    rewrite,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> Outcome {
    if number(matches, "ply").is_some() && (number(matches, "from").is_some() || number(matches, "to").is_some()) {
        return Err(Stop::Usage(context.say("replay.ply-or-range").to_owned()));
    }
    if number(matches, "from").zip(number(matches, "to")).is_some_and(|(from, to)| from > to) {
        return Err(Stop::Usage(context.say("replay.backwards").to_owned()));
    }
    let file = matches.get_one("file").expect("the parser asks for it");
    let (source, mut reader) = Source::open_one(context, file, None)?;
    let wanted = number(matches, "record").unwrap_or(1);
    let mut count = 0;
    while let Some(block) = reader.next_block().map_err(|error| Stop::Failed(source.failure(context, &error)))? {
        for Judged { record, verdict } in verify::block(&block) {
            count += 1;
            if count < wanted {
                continue;
            }
            let mut status = Status::Clean;
            if let Some(record) = record {
                status = replay(context, matches, &record)?;
            }
            for diagnostic in &verdict.diagnostics {
                complain(rewrite::finding(context, &source, diagnostic.place, &diagnostic.message));
            }
            if verdict.first_error().is_some() {
                status = status.max(Status::Findings);
            }
            return Ok(status);
        }
    }
    Err(Stop::Usage(context.fill("replay.no-record", &[("record", &wanted), ("count", &count)])))
}

/// Prints the plies that were asked for, up to the first that is refused.
fn replay(context: Context, matches: &ArgMatches, record: &Record<'_>) -> Outcome {
    let only = number(matches, "ply");
    let first = only.or(number(matches, "from")).unwrap_or(0) as usize;
    let last = only.or(number(matches, "to")).map_or(usize::MAX, |ply| ply as usize);
    let positions = matches.get_flag("positions");
    let Some(game) = record.value("Game").and_then(games::find) else { return Ok(Status::Findings) };
    let Ok(mut board) = game.start(record) else { return Ok(Status::Findings) };
    let mut out = stdout();
    let mut show = |index: usize, heading: &str, board: &dyn Board| -> Result<(), Stop> {
        if !(first..=last).contains(&index) {
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
    show(0, context.say("replay.start"), &*board)?;
    let mut played = 0;
    for (index, ply) in (1..).zip(&record.line.plies) {
        if index > last {
            break;
        }
        let side = game.notation().side(board.turn()).tag;
        let Ok(token) = board.play(&ply.token) else { break };
        let mut heading = format!("{index}. {side} {token}");
        if let Some(left) = ply.clock {
            heading.push_str("  ");
            let _ = clock::write(left.value, &mut heading); // a String takes everything
        }
        if let Some(end) = board.end() {
            let word = context.word(end.termination.word);
            let ended = context.fill("replay.end", &[("end", &word), ("result", &end.outcome.as_str())]);
            heading = format!("{heading}  {}", context.paint(AnsiColor::Yellow.on_default(), ended));
        }
        show(index, &heading, &*board)?;
        played = index;
    }
    out.flush()?;
    if let Some(ply) = only.filter(|_| first > played) {
        complain(context.fill("replay.no-ply", &[("ply", &ply), ("count", &played)]));
        return Ok(Status::Usage);
    }
    Ok(Status::Clean)
}
