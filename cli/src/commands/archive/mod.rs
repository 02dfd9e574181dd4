//! `quipu archive`: maintenance of an archive. Its storage format is known to `quipu-archive` only.

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use chrono::NaiveDate;
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};
#[cfg(feature = "postgres")]
use quipu_archive::store::Address;
use quipu_archive::{
    model::{Attribution, Card, Id, Judgement},
    store::{Progress, Step, Store, StoreError},
};
use quipu_files::create_private_folder;
use quipu_options::settings::Settings;
use quipu_referee::report::hex;

use crate::{
    args,
    config::Config,
    context::{CommandError, Context, harmless},
    input, output,
};

pub(super) mod backup;
pub(super) mod check;
pub(super) mod copy;
pub(super) mod decide;
pub(super) mod export;
pub(super) mod filter;
pub(super) mod import;
pub(super) mod list;
mod parquet;
pub(super) mod position;
pub(super) mod ratings;
pub(super) mod rebuild;
pub(super) mod refusal;
pub(super) mod reverify;
pub(super) mod rotate;
pub(super) mod show;

/// Opens the archive of the settings; creates folder and archive if they are missing, readable by their owner only.
pub(super) fn open_or_make(context: Context, settings: &Settings) -> Result<Store, CommandError> {
    let folder = &settings.data;
    create_private_folder(folder).map_err(|error| output::failure(context, folder, &error))?;
    let opened = match address(context, settings)? {
        None => Store::open(folder),
        #[cfg(feature = "postgres")]
        Some(address) => Store::open_on_server(&address, folder),
    };
    opened.map_err(|error| failure(context, &error))
}

/// The settings of a command's archive.
fn settings(context: Context, matches: &ArgMatches) -> Result<Settings, CommandError> {
    Ok(Config::read(context, matches)?.settings)
}

/// Opens the archive of the settings; fails if there is none.
fn open(context: Context, settings: &Settings) -> Result<Store, CommandError> {
    let opened = match address(context, settings)? {
        None => Store::open_existing(&settings.data),
        #[cfg(feature = "postgres")]
        Some(address) => Store::open_existing_on_server(&address, &settings.data),
    };
    opened.map_err(|error| failure(context, &error))
}

/// The address of the database, if the archive is on a server.
#[cfg(feature = "postgres")]
fn address(context: Context, settings: &Settings) -> Result<Option<Address>, CommandError> {
    let address = Some(&*settings.database).filter(|address| !address.is_empty());
    let wrong =
        |what: String| CommandError::Usage(context.fill("archive.database.wrong", &[("what", &harmless(&what))]));
    let address = address.map(|address| Address::parse(address).map_err(wrong)).transpose()?;
    Ok(address.map(|address| address.with_connections(settings.database_connections)))
}

/// A program without servers refuses the setting.
#[cfg(not(feature = "postgres"))]
fn address(context: Context, settings: &Settings) -> Result<Option<std::convert::Infallible>, CommandError> {
    if settings.database.is_empty() {
        return Ok(None);
    }
    Err(CommandError::Usage(context.say("archive.database.not-built").to_owned()))
}

/// Opens the archive of a command, and creates it if it is missing.
pub(super) fn open_or_create_store(context: Context, matches: &ArgMatches) -> Result<Store, CommandError> {
    open_or_make(context, &settings(context, matches)?)
}

/// Opens the archive of a command; fails if it is missing.
pub(super) fn open_store(context: Context, matches: &ArgMatches) -> Result<Store, CommandError> {
    open(context, &settings(context, matches)?)
}

/// The day of an option, with a year of four digits.
pub(super) fn day(context: Context, matches: &ArgMatches, name: &str) -> Result<Option<NaiveDate>, CommandError> {
    let wrong = |found: &str| {
        let (found, flag) = (harmless(found), format!("--{name}"));
        CommandError::Usage(context.fill("archive.export.bad-date", &[("found", &found), ("flag", &flag)]))
    };
    let parse = |found: &str| {
        // The library takes other forms too, such as +12026-08-01 and 2026-8-1.
        let day = found.parse().ok().filter(|day: &NaiveDate| found.len() == 10 && day.to_string() == found);
        day.ok_or_else(|| wrong(found))
    };
    args::text(matches, name).map(parse).transpose()
}

/// An error of the archive in words.
pub(super) fn failure(context: Context, error: &StoreError) -> CommandError {
    let shown = |path: &Path| harmless(&path.display().to_string());
    CommandError::Failed(match error {
        StoreError::File(path, error) => input::failure(context, &shown(path), error),
        StoreError::Missing(folder) => context.fill("archive.none", &[("folder", &shown(folder))]),
        StoreError::Foreign(path) => context.fill("archive.foreign", &[("file", &shown(path))]),
        StoreError::InUse(_) => context.say("archive.served").to_owned(),
        StoreError::Moved(path) => context.fill("archive.moved", &[("file", &shown(path))]),
        StoreError::HardLinked(path) => context.fill("archive.linked", &[("file", &shown(path))]),
        StoreError::LogNotMerged(path) => context.fill("archive.log-left", &[("file", &shown(path))]),
        StoreError::ExposedKey(path) => context.fill("archive.key.exposed", &[("file", &shown(path))]),
        StoreError::NoKey(path) => context.fill("archive.key.none", &[("file", &shown(path))]),
        StoreError::ReplacedKey(path) => context.fill("archive.key.retired", &[("file", &shown(path))]),
        StoreError::MissingKey(path) => context.fill("archive.key.lost", &[("file", &shown(path))]),
        StoreError::UnknownKey(path) => context.fill("archive.key.stranger", &[("file", &shown(path))]),
        StoreError::RewrittenLog(path) => context.fill("archive.rewritten", &[("file", &shown(path))]),
        StoreError::SameFile(path) => {
            return CommandError::Usage(context.fill("archive.backup.own", &[("file", &shown(path))]));
        }
        StoreError::Newer(found, known) => context.fill("archive.newer", &[("found", found), ("known", known)]),
        StoreError::Busy => context.say("archive.busy").to_owned(),
        StoreError::Full => context.say("io.full").to_owned(),
        StoreError::ReadOnly => context.say("archive.read-only").to_owned(),
        StoreError::Corrupt(what) => context.fill("archive.corrupt", &[("what", what)]),
        StoreError::Unreachable(what) => context.fill("archive.unreachable", &[("what", &harmless(what))]),
        StoreError::Behind(what) => context.fill("archive.behind", &[("what", &harmless(what))]),
        StoreError::Denied(what) => context.fill("archive.denied", &[("what", &harmless(what))]),
        StoreError::Unconfirmed(what) => context.fill("archive.unconfirmed", &[("what", &harmless(what))]),
        StoreError::Diverged(last) => context.fill("archive.diverged", &[("last", last)]),
        StoreError::OnServer => return CommandError::Usage(context.say("archive.on-server").to_owned()),
        StoreError::Slow => context.say("archive.slow").to_owned(),
        StoreError::Overloaded => context.say("archive.overloaded").to_owned(),
        StoreError::Stopped => context.say("archive.stopped").to_owned(),
        StoreError::Other(what) => context.fill("archive.other", &[("what", what)]),
    })
}

/// The author and the reason of a change, from the options of a command.
pub(super) fn by(matches: &ArgMatches, command: &str) -> Attribution {
    let said = |name| args::text(matches, name).map(str::to_owned);
    Attribution { submitter: format!("quipu {command}"), author: said("author"), reason: said("reason") }
}

/// A progress bar on standard error, if that is a terminal.
struct Bar {
    context: Context,
    bar: ProgressBar,
}

impl Bar {
    fn new(context: Context) -> Self {
        if !io::stderr().is_terminal() {
            return Self { context, bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{msg} {bar:40} {percent} % {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { context, bar }
    }

    fn show(&self, progress: Progress) {
        let step = match progress.step {
            Step::File => self.context.say("archive.step.file"),
            Step::Records => self.context.say("archive.step.records"),
            Step::Receipts => self.context.say("archive.step.receipts"),
            Step::Derived => self.context.say("archive.step.derived"),
            Step::Pages => self.context.say("archive.step.pages"),
        };
        self.bar.set_message(step);
        self.bar.set_length(progress.all);
        self.bar.set_position(progress.done);
    }

    /// Prints without mixing the output with the bar.
    fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Digits of an id in messages.
const SHORT: usize = 12;

/// The first digits of an id.
pub(super) fn short(id: &Id) -> String {
    format!("{}…", &hex(id)[..SHORT])
}

/// The names of both players.
fn players(card: &Card) -> String {
    let names = card.players.each_ref().map(|player| player.as_ref().map_or("?", |(_, name)| name));
    harmless(&names.join(" – "))
}

/// A verdict in a few words: state, result, first code.
pub(super) fn in_short(context: Context, judgement: &Judgement) -> String {
    let status = context.word(judgement.status.word()).to_owned();
    let result = judgement.result.map(|result| result.as_str().to_owned());
    let code = judgement.diagnostics.first().map(|found| found.code.clone());
    [Some(status), result, code].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
