//! `quipu position`: checks, converts and draws a position, a diagram or the log of an arrangement.

use std::io::{Read, Write};

use clap::ArgMatches;
use quipu_referee::{Located, Message, Referee, games};

use crate::{
    args, board,
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr, stdout},
    input,
    snippet::{Snippet, WINDOW},
};

/// The format that is a drawing; the others belong to the games.
pub(crate) const BOARD: &str = "board";

/// Bytes of a position on standard input, at most.
const MAX_INPUT: u64 = 64 * 1024;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let game = game(matches);
    let rules = args::text(matches, "rules");
    let text = match args::text(matches, "position") {
        Some("-") => {
            let mut text = String::new();
            let failed = |error| CommandError::Failed(input::failure(context, "-", &error));
            std::io::stdin().take(MAX_INPUT).read_to_string(&mut text).map_err(failed)?;
            text.trim_end_matches(['\r', '\n']).to_owned()
        }
        Some(text) => text.to_owned(),
        None => match game.board(rules, None) {
            Ok(board) => board.position(),
            Err(faults) => return Ok(refuse(context, &faults)),
        },
    };
    let arrangement = match game.arrange(rules, &text) {
        Ok(arrangement) => arrangement,
        Err(faults) => {
            for fault in &faults {
                underline(context, &text, fault);
            }
            return Ok(refuse(context, &faults));
        }
    };
    let wanted = args::text(matches, "to").unwrap_or(BOARD);
    let mut out = stdout();
    if wanted == BOARD {
        write!(out, "{}", board::draw(context, &arrangement.drawing))?;
    } else {
        let form = arrangement.forms.iter().find(|(name, _)| *name == wanted);
        let Some((_, converted)) = form else {
            return Err(CommandError::Usage(context.fill("position.no-form", &[("form", &wanted)])));
        };
        writeln!(out, "{converted}")?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The game named on the command line.
pub(super) fn game(matches: &ArgMatches) -> &'static dyn Referee {
    args::text(matches, "game").and_then(games::find).expect("the parser takes no other game")
}

/// Prints the reasons against a position.
pub(super) fn refuse(context: Context, faults: &[Located]) -> ExitStatus {
    for fault in faults {
        tell(context, &fault.message);
    }
    ExitStatus::Faults
}

/// Prints a message without a snippet.
pub(super) fn tell(context: Context, message: &Message) {
    print_to_stderr(format_args!("{}: {}", message.code.id, context.message(message)));
}

/// Prints the text with carets under the fault.
pub(super) fn underline(context: Context, text: &str, fault: &Located) {
    let range = fault.span.range();
    if range.is_empty() || range.len() == text.len() {
        return;
    }
    let place = quipu_notation::LineColumn::of(text.as_bytes(), range.start, 1);
    let location = format!("{}:{}:{}", context.say("position.name"), place.line, place.column);
    let snippet = Snippet { location: &location, text: text.as_bytes(), span: fault.span, place };
    for line in snippet.lines(WINDOW) {
        print_to_stderr(line.paint(Context { color: false, ..context }));
    }
}
