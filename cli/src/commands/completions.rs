//! `quipu completions`: completions for a shell.

use std::io::Write;

use clap::ArgMatches;
use clap_complete::Shell;

use crate::context::{CommandResult, Context, ExitStatus, stdout};

pub(crate) fn run(_: Context, matches: &ArgMatches, mut parser: clap::Command) -> CommandResult {
    let shell = matches.get_one::<Shell>("shell").copied().expect("the parser asks for it");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut parser, "quipu", &mut script);
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}
