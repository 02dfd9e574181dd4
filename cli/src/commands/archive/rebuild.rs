//! `quipu archive rebuild`: computes the derived tables again from the changes.

use std::io::Write;

use clap::ArgMatches;
use quipu_referee::report::hex;

use super::{Bar, failure};
use crate::context::{CommandResult, Context, ExitStatus, stdout};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = super::open_store(context, matches)?;
    let bar = Bar::new(context);
    let rebuilt = store.rebuild(|progress| bar.show(progress)).map_err(|error| failure(context, &error))?;
    bar.end();
    let after = hex(&rebuilt.after);
    let line = match rebuilt.before.map(|before| hex(&before)) {
        Some(before) if before == after => context.fill("archive.rebuild.same", &[("digest", &after)]),
        Some(before) => context.fill("archive.rebuild.other", &[("before", &before), ("after", &after)]),
        None => context.fill("archive.rebuild.damaged", &[("after", &after)]),
    };
    let mut out = stdout();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}
