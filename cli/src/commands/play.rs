//! `quipu play`: plays tokens and prints the position after each.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;
use quipu_referee::Message;

use super::position::game;
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let mut out = stdout();
    let refused = play(matches, &mut out)?;
    if let Some((number, messages)) = &refused {
        // The code is data, for programs; the message is for people.
        let code = messages.first().map_or("", |message| message.code.id);
        writeln!(out, "ERROR {number} {code}")?;
    }
    out.flush()?;
    let Some((_, messages)) = refused else { return Ok(ExitStatus::Clean) };
    for message in &messages {
        print_to_stderr(context.message(message));
    }
    Ok(ExitStatus::Faults)
}

/// Plays all tokens. Returns the number of the one that was refused and the reasons; 0 is the start position.
fn play(matches: &ArgMatches, out: &mut impl Write) -> Result<Option<(usize, Vec<Message>)>, CommandError> {
    let mut board = match game(matches).board(text(matches, "rules"), text(matches, "position")) {
        Ok(board) => board,
        Err(faults) => return Ok(Some((0, faults.into_iter().map(|fault| fault.message).collect()))),
    };
    for (number, token) in (1..).zip(matches.get_many::<OsString>("token").unwrap_or_default()) {
        if let Err(message) = board.play(&token.to_string_lossy()) {
            return Ok(Some((number, vec![message])));
        }
        writeln!(out, "{}", board.position())?;
    }
    Ok(None)
}
