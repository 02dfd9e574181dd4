//! Input of the commands about competitions: reads records, counts the verified games and reports why the others do not
//! count.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io::Read,
    path::Path,
};

use clap::ArgMatches;
use quipu_notation::record::Chunk;
use quipu_referee::{
    competition::{self, AliasError, AliasFault, Aliases, Candidate, Contradiction, CountedGames, Uncounted, Wanted},
    games,
    report::competition::{FileReport, RelatedReport},
    verify::{self, Judged},
};

use crate::{
    args::{jobs, reading},
    context::{CommandError, Context, ExitStatus, harmless, print_to_stderr},
    input::{self, FoundSources, InputSource},
    origins::{Origins, difference_message},
    pool::{self, Slice, Work},
};

/// Bytes of an alias file, at most.
const ALIAS_FILE: u64 = 1024 * 1024;

/// The games that count, with their sources.
pub(crate) struct Input {
    pub(crate) count: CountedGames,
    /// Aliases of `--aliases`.
    aliases: Aliases,
    /// Number of games without points that do not count, by game.
    pointless: BTreeMap<&'static str, u64>,
    origins: Origins,
    /// Exit status of the reading.
    pub(crate) status: ExitStatus,
}

/// Outcomes of a slice of records.
struct CountedSlice {
    /// The source, if the slice is its first.
    source: Option<InputSource>,
    /// Place of the first record in the whole input.
    first: u64,
    found: Vec<Candidate>,
}

/// Reads the records that the command line names.
///
/// # Errors
/// If there is nothing to read, or the alias file cannot be used.
pub(crate) fn read(context: Context, matches: &ArgMatches, wanted: Wanted<'_>) -> Result<Input, CommandError> {
    let aliases = matches.get_one("aliases").map_or_else(|| Ok(Aliases::default()), |path| aliases(context, path))?;
    let FoundSources { sources, mut failures, mut skipped } = input::find_sources(context, matches, reading(matches))?;
    let mut input = Input {
        count: CountedGames::default(),
        aliases: Aliases::default(),
        pointless: BTreeMap::new(),
        origins: Origins::default(),
        status: ExitStatus::Clean,
    };
    let work = Counting { aliases: &aliases, wanted };
    let read = pool::run(context, jobs(matches), &sources, reading(matches), &work, &mut |slice, failure| {
        failures.extend(failure);
        input.take(context, slice);
        Ok(())
    })?;
    input.aliases = aliases;
    for (game, count) in &input.pointless {
        let reason = context.fill("count.pointless", &[("game", &game_name(context, game))]);
        print_to_stderr(context.fill("count.not-several", &[("count", count), ("reason", &reason)]));
    }
    for failure in &failures {
        print_to_stderr(context.fill("error", &[("what", failure)]));
        input.status = ExitStatus::Failed;
    }
    skipped += read.skipped;
    let told = skipped.tell(context, reading(matches).format, read.records, !failures.is_empty());
    input.status = input.status.max(told);
    if read.records == 0 {
        return Ok(input);
    }
    if let Some(event) = wanted.event.filter(|_| !input.count.met && input.status != ExitStatus::Failed) {
        return Err(CommandError::Usage(no_event(context, event, &input.count.other_events)));
    }
    if input.count.entries.all().is_empty() {
        print_to_stderr(context.say("count.nothing"));
    }
    input.tell_sheets(context);
    input.tell_spellings(context);
    Ok(input)
}

fn game_name(context: Context, id: &'static str) -> &'static str {
    games::find(id).map_or(id, |game| quipu_referee::messages::catalog().word(game.name(), context.lang))
}

/// Events listed in an error, at most.
const NAMED: usize = 10;

/// The error about an event without games, which lists the events of the input.
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

/// Decides which records count.
struct Counting<'a> {
    aliases: &'a Aliases,
    wanted: Wanted<'a>,
}

impl Work for Counting<'_> {
    type Item<'b> = Candidate;
    type SliceResult = CountedSlice;

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Item<'b>> {
        let candidate = |judged: &Judged<'_>, text: &str| {
            Candidate::new(judged.record.as_ref(), &judged.verdict, text, self.aliases, self.wanted)
        };
        verify::with_texts(chunks, candidate).map(|(_, _, candidate)| candidate)
    }

    fn slice_result(&self, slice: Slice<'_, Candidate>) -> CountedSlice {
        let first = slice.before.in_all + 1;
        CountedSlice { found: slice.records, source: slice.first.then(|| slice.source.clone()), first }
    }
}

impl Input {
    /// Adds a slice, in the order of the input, and reports the records in it that do not count.
    fn take(&mut self, context: Context, slice: CountedSlice) {
        if let Some(source) = slice.source {
            self.origins.add(&source, slice.first);
        }
        self.origins.count(slice.found.len());
        for (place, found) in (slice.first..).zip(slice.found) {
            let Some(uncounted) = self.count.add(place, found) else { continue };
            if let Uncounted::Pointless(game) = uncounted {
                *self.pointless.entry(game.id).or_default() += 1;
                self.status = ExitStatus::Faults;
                continue;
            }
            let (file, number) = self.origin(place);
            let reason = self.reason(context, &uncounted);
            print_to_stderr(context.fill("count.not", &[("file", &file), ("number", &number), ("reason", &reason)]));
            // A copy of a record is no fault.
            if !matches!(uncounted, Uncounted::Duplicate(_)) {
                self.status = ExitStatus::Faults;
            }
        }
        if !self.count.contradictions.is_empty() {
            self.status = ExitStatus::Faults;
        }
    }

    /// Reports sheets of one game, and sheets that contradict each other.
    fn tell_sheets(&self, context: Context) {
        for sheets in self.count.sheets_of_games.values() {
            let mut named: Vec<_> = sheets.iter().take(NAMED).map(|&place| self.origins.shown(place)).collect();
            if sheets.len() > NAMED {
                named.push("…".to_owned());
            }
            let (count, sheets) = (sheets.len(), named.join(", "));
            print_to_stderr(context.fill("sheets.counted", &[("count", &count), ("sheets", &sheets)]));
        }
        for (place, first) in self.count.repeated.iter().take(NAMED) {
            let (sheet, other) = (self.origins.shown(*place), self.origins.shown(*first));
            print_to_stderr(format!("{sheet}: {}", context.fill("sheets.repeats", &[("other", &other)])));
        }
        if self.count.repeated.len() > NAMED {
            print_to_stderr(context.fill("sheets.more-repeats", &[("count", &(self.count.repeated.len() - NAMED))]));
        }
        let counted: HashSet<_> = if self.count.contradictions.is_empty() {
            HashSet::new()
        } else {
            let sheets = self.count.sheets_of_games.values().flatten().copied();
            self.count.entries.all().iter().map(|entry| entry.place).chain(sheets).collect()
        };
        for (place, Contradiction { place: other, difference }) in &self.count.contradictions {
            let what = difference_message(context, &self.origins.shown(*other), difference);
            let both = counted.contains(place) && counted.contains(other);
            let key = if both { "sheets.both-count" } else { "sheets.contradicts" };
            print_to_stderr(context.fill(key, &[("sheet", &self.origins.shown(*place)), ("what", &what)]));
        }
    }

    /// The same for JSON.
    pub(crate) fn related(&self) -> RelatedReport<'_> {
        (&self.count).into()
    }

    /// The file of a place in the input, and the number of the record in that file.
    pub(crate) fn origin(&self, place: u64) -> (&str, u64) {
        self.origins.of(place)
    }

    /// The reason why a game does not count.
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
            Uncounted::Pointless(game) => context.fill("count.pointless", &[("game", &game_name(context, game.id))]),
        }
    }

    fn events(&self) -> BTreeSet<&str> {
        self.count.entries.all().iter().filter_map(|entry| entry.event.as_deref()).collect()
    }

    fn names(&self) -> BTreeSet<&str> {
        self.count.entries.all().iter().flat_map(|entry| &entry.players).map(String::as_str).collect()
    }

    /// Reports names that are likely spellings of one player or one event.
    fn tell_spellings(&self, context: Context) {
        for (key, names) in [("count.spellings", self.names()), ("count.event-spellings", self.events())] {
            for names in competition::spelled_differently(names) {
                let names: Vec<_> = names.iter().map(|name| context.fill("quote", &[("text", name)])).collect();
                print_to_stderr(context.fill(key, &[("names", &names.join(", "))]));
            }
        }
    }

    /// The player of this name, aliases resolved.
    ///
    /// # Errors
    /// If there is none; the error lists similar names.
    pub(crate) fn player<'i>(&'i self, context: Context, wanted: &'i str) -> Result<&'i str, CommandError> {
        let name = self.aliases.resolve(wanted);
        let names = self.names();
        if names.contains(name) {
            return Ok(name);
        }
        let likely = competition::likely(name, names);
        if let [only] = *likely
            && competition::is_short_form(name, only)
        {
            print_to_stderr(context.fill("count.taken-player", &[("wanted", &wanted), ("name", &only)]));
            return Ok(only);
        }
        let likely: Vec<_> = likely.into_iter().map(|name| context.fill("quote", &[("text", &name)])).collect();
        let likely = likely.join(", ");
        Err(CommandError::Usage(if likely.is_empty() {
            context.fill("count.no-player", &[("name", &wanted)])
        } else {
            context.fill("count.other-player", &[("name", &wanted), ("likely", &likely)])
        }))
    }

    /// The range of places of each source, if there are several sources.
    pub(crate) fn files(&self) -> Vec<FileReport<'_>> {
        self.origins.files()
    }
}

/// Reads an alias file.
fn aliases(context: Context, path: &std::ffi::OsString) -> Result<Aliases, CommandError> {
    let source = InputSource::File(path.into());
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
