//! `quipu man`: the manual page, with every command.

use std::io::Write;

use clap::ArgMatches;
use clap_mangen::Man;

use crate::{
    context::{Context, Outcome, Status, stdout},
    parse,
};

pub(crate) fn run(context: Context, _: &ArgMatches) -> Outcome {
    let mut parser = parse::parser(context.lang);
    parser.build();
    let mut page = Vec::new();
    Man::new(parser.clone()).render(&mut page)?;
    for command in parser.get_subcommands() {
        let man = Man::new(command.clone());
        page.extend_from_slice(b"\n");
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    let mut out = stdout();
    out.write_all(&page)?;
    out.flush()?;
    Ok(Status::Clean)
}
