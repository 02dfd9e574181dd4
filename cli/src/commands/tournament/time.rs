//! `quipu tournament time`: another time control, recorded with its reason.

use std::io::Write;

use clap::ArgMatches;
use quipu_tournament::model::Change;

use super::{by, change};
use crate::{
    args::number,
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let seconds = number(matches, "seconds");
    let by = by(context, matches, "time", true)?;
    let steps = move |_: &_| Ok(vec![Change::TimeControl { seconds }]);
    change(context, matches, by, steps, |stored| {
        let (name, seconds) = (harmless(&stored.tournament.settings.name), seconds.unwrap_or_default());
        let mut out = stdout();
        writeln!(out, "{}", context.fill("tournament.time.done", &[("name", &name), ("seconds", &seconds)]))?;
        out.flush()?;
        Ok(ExitStatus::Clean)
    })
}
