//! What the commands about competitions have in common: they read records, count those that are verified and say why
//! the others do not count.

use std::{collections::BTreeSet, io::Read, path::Path};

use clap::ArgMatches;
use quipu_notation::record::Chunk;
use quipu_referee::{
    Status,
    competition::{self, AliasError, AliasFault, Aliases, Entries, Entry, Uncounted},
    games,
    report::competition::FileReport,
    verify::{self, Ids},
};

use crate::{
    args::{form, jobs},
    context::{CommandError, Context, ExitStatus, complain, harmless},
    input::{self, Source},
    pool::{self, JudgedRecord, Slice, Work},
};

/// An alias file may have so many bytes.
const ALIAS_FILE: u64 = 1024 * 1024;

/// The games that count.
pub(crate) struct Input {
    /// Their facts.
    pub(crate) entries: Entries,
    /// The names that aliases lead to.
    aliases: Aliases,
    files: Vec<FileRead>,
    /// There was a record of what is wanted, whether it counts or not.
    met: bool,
    /// How reading went.
    pub(crate) status: ExitStatus,
}

/// A source that was read.
struct FileRead {
    path: Option<String>,
    name: String,
    /// The place of its first record in the whole input.
    first: u64,
    records: u64,
}

/// What a slice of records came to.
struct Part {
    /// The source, if the slice is its first.
    file: Option<FileRead>,
    /// The place of the first record.
    first: u64,
    found: Vec<Found>,
}

enum Found {
    Entry(Entry),
    Uncounted(Uncounted),
    /// Of an event that was not asked for.
    Elsewhere(Option<String>),
}

/// What is read, and what of it counts.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'m> {
    /// Only games that count points.
    pub(crate) points: bool,
    /// Only games of this event.
    pub(crate) event: Option<&'m str>,
}

/// Reads the records that the command line names.
///
/// # Errors
/// If there is nothing to read, or the alias file cannot be used.
pub(crate) fn read(context: Context, matches: &ArgMatches, wanted: Wanted<'_>) -> Result<Input, CommandError> {
    let paths = matches.get_many("path").unwrap_or_default();
    if paths.len() == 0 {
        return Err(CommandError::Usage(context.say("count.no-path").to_owned()));
    }
    let aliases = matches.get_one("aliases").map_or_else(|| Ok(Aliases::default()), |path| aliases(context, path))?;
    let (sources, mut failures) = input::sources(context, paths, form(matches));
    let mut input = Input {
        entries: Entries::default(),
        aliases: Aliases::default(),
        files: Vec::new(),
        met: false,
        status: ExitStatus::Clean,
    };
    let mut elsewhere = BTreeSet::new();
    let work = Counting { aliases: &aliases, wanted };
    pool::run(context, jobs(matches), &sources, form(matches), &work, &mut |part, failure| {
        failures.extend(failure);
        input.take(context, part, &mut elsewhere);
        Ok(())
    })?;
    input.aliases = aliases;
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
        input.status = ExitStatus::Failed;
    }
    if let Some(event) = wanted.event.filter(|_| !input.met && input.status != ExitStatus::Failed) {
        return Err(CommandError::Usage(no_event(context, event, &elsewhere)));
    }
    if input.entries.all().is_empty() {
        complain(context.say("count.nothing"));
    }
    input.tell_spellings(context);
    Ok(input)
}

/// Events that are named at the most where one is not there.
const NAMED: usize = 10;

/// What is said where there is nothing of what was asked for.
fn no_event(context: Context, event: &str, elsewhere: &BTreeSet<Option<String>>) -> String {
    let quoted = elsewhere.iter().flatten().map(|event| context.fill("quote", &[("text", event)]));
    let mut known: Vec<_> = quoted.take(NAMED + 1).collect();
    if known.is_empty() {
        return context.fill("count.no-event", &[("event", &event)]);
    }
    if known.len() > NAMED {
        known.truncate(NAMED);
        known.push("…".to_owned());
    }
    context.fill("count.other-event", &[("event", &event), ("known", &known.join(", "))])
}

/// Finds what of the records counts.
struct Counting<'a> {
    aliases: &'a Aliases,
    wanted: Wanted<'a>,
}

impl Work for Counting<'_> {
    type Record<'b> = JudgedRecord<'b>;
    type Part = Part;

    fn records<'b>(&self, blocks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = JudgedRecord<'b>> {
        verify::blocks(blocks, Ids::Computed)
    }

    fn part(&self, slice: Slice<'_, JudgedRecord<'_>>) -> Part {
        let first = slice.before.in_all + 1;
        let found = (first..).zip(&slice.records).map(|(place, (_, judged))| {
            let Some(record) = &judged.record else {
                return Found::Uncounted(Uncounted::not_verified(&judged.verdict));
            };
            let event = competition::event(record);
            if self.wanted.event.is_some_and(|wanted| event != Some(wanted)) {
                return Found::Elsewhere(event.map(str::to_owned));
            }
            let entry = Entry::new(place, record, &judged.verdict, self.aliases);
            let entry = if self.wanted.points { entry.and_then(Entry::with_points) } else { entry };
            entry.map_or_else(Found::Uncounted, Found::Entry)
        });
        let found = found.collect();
        let file = || FileRead { path: slice.source.path(), name: slice.source.name(), first, records: 0 };
        Part { file: slice.first.then(file), first, found }
    }
}

impl Input {
    /// Takes a part in the order of the input, and tells what of it does not count.
    fn take(&mut self, context: Context, part: Part, elsewhere: &mut BTreeSet<Option<String>>) {
        self.files.extend(part.file);
        if let Some(file) = self.files.last_mut() {
            file.records += part.found.len() as u64;
        }
        for (place, found) in (part.first..).zip(part.found) {
            self.met |= match &found {
                Found::Entry(_) => true,
                Found::Uncounted(uncounted) => !matches!(uncounted, Uncounted::NotVerified(Status::Unreadable, _)),
                Found::Elsewhere(_) => false,
            };
            let uncounted = match found {
                Found::Entry(entry) => self.entries.add(entry).err(),
                Found::Uncounted(uncounted) => Some(uncounted),
                Found::Elsewhere(event) => {
                    elsewhere.insert(event);
                    None
                }
            };
            if let Some(uncounted) = uncounted {
                let (file, number) = self.origin(place);
                let reason = self.reason(context, &uncounted);
                complain(context.fill("count.not", &[("file", &file), ("number", &number), ("reason", &reason)]));
                self.status = ExitStatus::Findings;
            }
        }
    }

    /// The file that a place is in, and the number of the record there.
    pub(crate) fn origin(&self, place: u64) -> (&str, u64) {
        let after = self.files.partition_point(|file| file.first <= place);
        let file = after.checked_sub(1).and_then(|index| self.files.get(index));
        file.map_or(("-", place), |file| (&file.name, place - file.first + 1))
    }

    /// Why a game does not count.
    fn reason(&self, context: Context, uncounted: &Uncounted) -> String {
        match uncounted {
            Uncounted::NotVerified(status, None) => context.word(status.word()).to_owned(),
            Uncounted::NotVerified(status, Some(message)) => {
                let (code, message) = (message.code.id, context.message(message));
                format!("{}: {code}: {message}", context.word(status.word()))
            }
            Uncounted::Unnamed(tag) => context.fill("count.unnamed", &[("tag", tag)]),
            Uncounted::Alone(name) => context.fill("count.alone", &[("name", name)]),
            Uncounted::Duplicate(place) => {
                let (file, number) = self.origin(*place);
                context.fill("count.duplicate", &[("file", &file), ("number", &number)])
            }
            Uncounted::Pointless(game) => {
                let name = games::find(game.id).map_or(game.id, |game| context.word(game.name()));
                context.fill("count.pointless", &[("game", &name)])
            }
        }
    }

    /// The names of all who played.
    fn names(&self) -> BTreeSet<&str> {
        self.entries.all().iter().flat_map(|entry| &entry.players).map(String::as_str).collect()
    }

    /// Tells which players are likely one, written in two ways.
    fn tell_spellings(&self, context: Context) {
        for names in competition::spelled_differently(self.names()) {
            let names: Vec<_> = names.iter().map(|name| context.fill("quote", &[("text", name)])).collect();
            complain(context.fill("count.spellings", &[("names", &names.join(", "))]));
        }
    }

    /// The player that is asked for by this name.
    ///
    /// # Errors
    /// If there is none: who may have been meant.
    pub(crate) fn player<'i>(&'i self, context: Context, wanted: &'i str) -> Result<&'i str, CommandError> {
        let name = self.aliases.resolve(wanted);
        let names = self.names();
        if names.contains(name) {
            return Ok(name);
        }
        let likely = competition::likely(name, names).into_iter().map(|name| context.fill("quote", &[("text", &name)]));
        let likely = likely.collect::<Vec<_>>().join(", ");
        Err(CommandError::Usage(if likely.is_empty() {
            context.fill("count.no-player", &[("name", &wanted)])
        } else {
            context.fill("count.other-player", &[("name", &wanted), ("likely", &likely)])
        }))
    }

    /// Which places are whose, where there are several sources to tell apart.
    pub(crate) fn files(&self) -> Vec<FileReport<'_>> {
        let files = self.files.iter().filter(|_| self.files.len() > 1);
        files.map(|file| FileReport { file: file.path.as_deref(), first: file.first, records: file.records }).collect()
    }
}

/// Reads an alias file.
fn aliases(context: Context, path: &std::ffi::OsString) -> Result<Aliases, CommandError> {
    let source = Source::File(path.into());
    let failed = |error| CommandError::Failed(source.failure(context, &error));
    let mut bytes = Vec::new();
    input::open(Path::new(path)).and_then(|file| file.take(ALIAS_FILE + 1).read_to_end(&mut bytes)).map_err(failed)?;
    let name = harmless(&path.to_string_lossy());
    if bytes.len() as u64 > ALIAS_FILE {
        return Err(CommandError::Usage(context.fill("aliases.size", &[("file", &name), ("max", &ALIAS_FILE)])));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed(std::io::ErrorKind::InvalidData.into()))?;
    Aliases::parse(&text).map_err(|AliasError { fault, span }| {
        let place = Chunk::new(text.as_bytes()).place(span.start as usize);
        let what = match fault {
            AliasFault::Form => context.say("aliases.form").to_owned(),
            AliasFault::Blank => context.say("aliases.blank").to_owned(),
            AliasFault::Twice { alias, first } => {
                context.fill("aliases.twice", &[("alias", &alias), ("first", &first)])
            }
            AliasFault::Chain(alias) => context.fill("aliases.chain", &[("alias", &alias)]),
        };
        CommandError::Usage(format!("{name}:{}:{}: {what}", place.line, place.column))
    })
}
