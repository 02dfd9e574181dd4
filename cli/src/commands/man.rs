//! `quipu man`: the manual page, with every command.

use std::io::{self, Write};

use clap::ArgMatches;
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use crate::context::{CommandResult, Context, ExitStatus, stdout};

pub(crate) fn run(context: Context, _: &ArgMatches, mut parser: clap::Command) -> CommandResult {
    parser.build();
    let mut out = stdout();
    page(context, &parser, &mut out)?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The description of the whole program by clap, then the help of each command.
fn page(context: Context, parser: &clap::Command, out: &mut impl Write) -> io::Result<()> {
    let man = Man::new(parser.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    section(&context.say("help.usage").replace(':', ""), context.say("quipu.usage"), out)?;
    man.render_options_section(out)?;
    for command in parser.get_subcommands() {
        sections("quipu", command, out)?;
    }
    man.render_extra_section(out)
}

/// A section for a command and for each of its subcommands.
fn sections(before: &str, command: &clap::Command, out: &mut impl Write) -> io::Result<()> {
    let name = format!("{before} {}", command.get_name());
    section(&name, &command.clone().render_help().to_string(), out)?;
    command.get_subcommands().try_for_each(|command| sections(&name, command, out))
}

/// A section with its lines as they are.
fn section(heading: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [heading]);
    roff.control("nf", []);
    for line in text.trim_end().lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.to_writer(out)
}
