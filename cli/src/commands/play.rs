//! `quipu play`: plays tokens and prints the position after each.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;
use quipu_referee::Message;

use super::position::game;
use crate::{
    context::{Context, Outcome, Status, Stop, complain, stdout},
    parse::text,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> Outcome {
    let mut out = stdout();
    // The code goes with the data, for programs; the words go to people.
    let mut refuse = |number: usize, messages: &[&Message]| -> Outcome {
        if let Some(message) = messages.first() {
            writeln!(out, "ERROR {number} {}", message.code.id)?;
        }
        out.flush()?;
        for message in messages {
            complain(context.message(message));
        }
        Ok(Status::Findings)
    };
    let mut board = match game(matches)?.board(text(matches, "rules"), text(matches, "position")) {
        Ok(board) => board,
        Err(faults) => return refuse(0, &faults.iter().map(|fault| &fault.message).collect::<Vec<_>>()),
    };
    let mut printed = stdout();
    for (number, token) in (1..).zip(matches.get_many::<OsString>("token").unwrap_or_default()) {
        match board.play(&token.to_string_lossy()) {
            Ok(_) => writeln!(printed, "{}", board.position()).map_err(Stop::from)?,
            Err(message) => {
                printed.flush()?;
                return refuse(number, &[&message]);
            }
        }
    }
    printed.flush()?;
    Ok(Status::Clean)
}
