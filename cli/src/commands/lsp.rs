//! `quipu lsp`: a language server for editors, on standard input and output.

use std::io::{self, BufReader, IsTerminal};

use clap::ArgMatches;
use quipu_lsp::Program;

use super::repair::PROGRAM;
use crate::{
    board,
    context::{CommandError, CommandResult, Context, ExitStatus},
};

pub(crate) fn run(context: Context, _: &ArgMatches) -> CommandResult {
    let input = io::stdin();
    if input.is_terminal() {
        return Err(CommandError::Usage(context.say("lsp.terminal").to_owned()));
    }
    let program =
        Program { name: PROGRAM, lang: context.lang, draw: |drawing, lang| board::draw(Context::plain(lang), drawing) };
    let is_ended = quipu_lsp::serve(BufReader::new(input), io::stdout().lock(), program)?;
    Ok(if is_ended { ExitStatus::Clean } else { ExitStatus::Faults })
}
