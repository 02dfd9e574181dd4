//! `quipu help` and `quipu version`: the same output as the options `--help` and `--version`.

use std::io::Write;

use clap::ArgMatches;

use crate::{
    closest,
    context::{CommandError, CommandResult, Context, ExitStatus, stdout},
    usage,
};

pub(crate) fn run(context: Context, matches: &ArgMatches, parser: clap::Command) -> CommandResult {
    let mut called: Vec<&str> = Vec::new();
    let mut command = &parser;
    for name in matches.get_many::<String>("command").unwrap_or_default() {
        let Some(own) = command.find_subcommand(name) else {
            let known = command.get_subcommands().map(clap::Command::get_name);
            let mut message = context.fill("usage.command", &[("found", name)]);
            if let [close, ..] = &*closest::matches(name, known) {
                message.extend(["\n", &context.fill("usage.close", &[("close", close)])]);
            }
            return Err(CommandError::Usage(message));
        };
        called.push(name);
        command = own;
    }
    print(&usage::help(parser, context, &called))
}

pub(crate) fn version(_: Context, _: &ArgMatches) -> CommandResult {
    print(concat!("quipu ", env!("CARGO_PKG_VERSION"), "\n"))
}

fn print(text: &str) -> CommandResult {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}
