//! `quipu archive copy`: copies an archive to another place, also from a file to a database and back.

use std::io::Write;

use clap::ArgMatches;
use quipu_options::settings::{Setting, Settings};

use super::{Bar, failure};
use crate::{
    args,
    context::{CommandError, CommandResult, Context, ExitStatus, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let settings = super::settings(context, matches)?;
    let at = |name| args::text(matches, name).map(|place| located(&settings, place));
    let (source, target) = (at("from").unwrap_or_else(|| settings.clone()), at("to"));
    let target = target.ok_or_else(|| CommandError::Usage(context.say("archive.copy.no-target").to_owned()))?;
    if (&source.data, &source.database) == (&target.data, &target.database) {
        return Err(CommandError::Usage(context.say("archive.copy.same").to_owned()));
    }
    let (source, target) = (super::open(context, &source)?, super::open_or_make(context, &target)?);
    let bar = Bar::new(context);
    let copied = source.copy_to(&target, |progress| bar.show(progress)).map_err(|error| failure(context, &error))?;
    bar.end();
    target.close().map_err(|error| failure(context, &error))?;
    let mut out = stdout();
    let line = context.fill(
        "archive.copy.done",
        &[("changes", &copied.changes), ("last", &copied.last), ("receipts", &copied.receipts)],
    );
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The settings of an archive at a place: the address of a database, or a folder.
fn located(settings: &Settings, place: &str) -> Settings {
    let mut settings = Settings { database: String::new(), ..settings.clone() };
    let is_database = Setting::find("database").is_some_and(|setting| setting.set(&mut settings, place).is_ok());
    if !is_database {
        settings.data = place.into();
    }
    settings
}
