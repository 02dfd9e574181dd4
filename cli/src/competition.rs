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
    Status,
    competition::{
        self, AliasError, AliasFault, Aliases, Contradiction, Entries, Entry, Moves, Related, Sheet, Sheets, Uncounted,
    },
    games,
    report::{
        competition::{FileReport, RelatedReport},
        sheets::{ContradictionReport, SheetsReport, difference},
    },
    verify::{self, Judged},
};

use crate::{
    args::{jobs, reading},
    context::{CommandError, Context, ExitStatus, complain, harmless},
    input::{self, Found, InputSource},
    origins::{Origins, difference_message},
    pool::{self, Slice, Work},
};

/// Bytes of an alias file, at most.
const ALIAS_FILE: u64 = 1024 * 1024;

/// The games that count, with their sources.
pub(crate) struct Input {
    pub(crate) entries: Entries,
    /// Aliases of `--aliases`.
    aliases: Aliases,
    /// Number of games without points that do not count, by game.
    pointless: BTreeMap<&'static str, u64>,
    origins: Origins,
    sheets: Sheets,
    /// Places of the sheets of each game that has several, the counted one first, by its place.
    of_one_game: BTreeMap<u64, Vec<u64>>,
    /// The later sheet, and the earlier one that it contradicts.
    contradictions: Vec<(u64, Contradiction)>,
    /// Games with the moves of an earlier one, which is another by its tags: their places.
    repeated: Vec<(u64, u64)>,
    /// True once a record of the wanted event was read, counted or not.
    met: bool,
    /// Exit status of the reading.
    pub(crate) status: ExitStatus,
}

/// Outcomes of a slice of records.
struct CountedPart {
    /// The source, if the slice is its first.
    source: Option<InputSource>,
    /// Place of the first record in the whole input.
    first: u64,
    found: Vec<CountOutcome>,
}

enum CountOutcome {
    Entry(Entry, Option<Sheet>),
    Uncounted(Uncounted, Option<Sheet>),
    /// A game of another event than the wanted one.
    Elsewhere(Option<String>),
}

/// Selection of the games that count.
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
    let aliases = matches.get_one("aliases").map_or_else(|| Ok(Aliases::default()), |path| aliases(context, path))?;
    let Found { sources, mut failures, mut skipped } = input::find_sources(context, matches, reading(matches))?;
    let mut input = Input {
        entries: Entries::default(),
        aliases: Aliases::default(),
        pointless: BTreeMap::new(),
        origins: Origins::default(),
        sheets: Sheets::default(),
        of_one_game: BTreeMap::new(),
        contradictions: Vec::new(),
        repeated: Vec::new(),
        met: false,
        status: ExitStatus::Clean,
    };
    let mut elsewhere = BTreeSet::new();
    let work = Counting { aliases: &aliases, wanted };
    let read = pool::run(context, jobs(matches), &sources, reading(matches), &work, &mut |part, failure| {
        failures.extend(failure);
        input.take(context, part, &mut elsewhere);
        Ok(())
    })?;
    input.aliases = aliases;
    for (game, count) in &input.pointless {
        let reason = context.fill("count.pointless", &[("game", &game_name(context, game))]);
        complain(context.fill("count.not-several", &[("count", count), ("reason", &reason)]));
    }
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
        input.status = ExitStatus::Failed;
    }
    skipped += read.skipped;
    let told = skipped.tell(context, reading(matches).format, read.records, !failures.is_empty());
    input.status = input.status.max(told);
    if read.records == 0 {
        return Ok(input);
    }
    if let Some(event) = wanted.event.filter(|_| !input.met && input.status != ExitStatus::Failed) {
        return Err(CommandError::Usage(no_event(context, event, &elsewhere)));
    }
    if input.entries.all().is_empty() {
        complain(context.say("count.nothing"));
    }
    input.tell_sheets(context);
    input.tell_spellings(context);
    Ok(input)
}

/// The name of a game.
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
    type Item<'b> = (Judged<'b>, Option<Sheet>);
    type Part = CountedPart;

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Item<'b>> {
        let sheet = |judged: &Judged<'_>, text: &str| {
            Sheet::new(judged.record.as_ref()?, &judged.verdict, Moves::of_text(text), self.aliases)
        };
        verify::with_texts(chunks, sheet).map(|(_, judged, sheet)| (judged, sheet))
    }

    fn part(&self, slice: Slice<'_, Self::Item<'_>>) -> CountedPart {
        let first = slice.before.in_all + 1;
        let found = (first..).zip(slice.records).map(|(place, (judged, sheet))| {
            let Some(record) = &judged.record else {
                return CountOutcome::Uncounted(Uncounted::not_verified(&judged.verdict), None);
            };
            let event = competition::event(record);
            if self.wanted.event.is_some_and(|wanted| event != Some(wanted)) {
                return CountOutcome::Elsewhere(event.map(str::to_owned));
            }
            let entry = Entry::new(place, record, &judged.verdict, self.aliases);
            match if self.wanted.points { entry.and_then(Entry::with_points) } else { entry } {
                Ok(entry) => CountOutcome::Entry(entry, sheet),
                Err(uncounted) => CountOutcome::Uncounted(uncounted, sheet),
            }
        });
        CountedPart { found: found.collect(), source: slice.first.then(|| slice.source.clone()), first }
    }
}

impl Input {
    /// Adds a part, in the order of the input, and reports the records in it that do not count.
    fn take(&mut self, context: Context, part: CountedPart, elsewhere: &mut BTreeSet<Option<String>>) {
        if let Some(source) = part.source {
            self.origins.add(&source, part.first);
        }
        self.origins.count(part.found.len());
        for (place, found) in (part.first..).zip(part.found) {
            self.met |= match &found {
                CountOutcome::Entry(..) => true,
                CountOutcome::Uncounted(uncounted, _) => {
                    !matches!(uncounted, Uncounted::NotVerified(Status::Unreadable, _))
                }
                CountOutcome::Elsewhere(_) => false,
            };
            let uncounted = match found {
                CountOutcome::Entry(entry, sheet) => self.enter(entry, sheet.as_ref()),
                CountOutcome::Uncounted(uncounted, sheet) => {
                    // Only a sheet that is not verified may be one of a game that counts.
                    let sheet = sheet.filter(|_| matches!(uncounted, Uncounted::NotVerified(..)));
                    self.compare(place, sheet.as_ref());
                    Some(uncounted)
                }
                CountOutcome::Elsewhere(event) => {
                    elsewhere.insert(event);
                    None
                }
            };
            // A copy of a record is no fault.
            let is_fault = !matches!(uncounted, Some(Uncounted::Duplicate(_)));
            if let Some(Uncounted::Pointless(game)) = uncounted {
                *self.pointless.entry(game.id).or_default() += 1;
                self.status = ExitStatus::Faults;
            } else if let Some(uncounted) = uncounted {
                let (file, number) = self.origin(place);
                let reason = self.reason(context, &uncounted);
                complain(context.fill("count.not", &[("file", &file), ("number", &number), ("reason", &reason)]));
                if is_fault {
                    self.status = ExitStatus::Faults;
                }
            }
        }
    }

    /// Adds a game, unless it was entered before: as the same record, or as another sheet.
    fn enter(&mut self, entry: Entry, sheet: Option<&Sheet>) -> Option<Uncounted> {
        if let Some(first) = self.entries.place(&entry.id) {
            return Some(Uncounted::Duplicate(first));
        }
        match self.compare(entry.place, sheet) {
            None => return self.entries.add(entry).err(),
            Some(first) => {
                self.entries.add_sheet(&entry);
                self.of_one_game.entry(first).or_insert_with(|| vec![first]).push(entry.place);
            }
        }
        None
    }

    /// Compares a sheet with earlier ones. Returns the place of the first sheet of the same game.
    fn compare(&mut self, place: u64, sheet: Option<&Sheet>) -> Option<u64> {
        let Related { sheet_of, contradicts, repeats } = self.sheets.add(place, sheet?);
        self.repeated.extend(repeats.map(|first| (place, first)));
        if let Some(contradicted) = contradicts {
            self.contradictions.push((place, contradicted));
            self.status = ExitStatus::Faults;
        }
        sheet_of
    }

    /// Reports sheets of one game, and sheets that contradict each other.
    fn tell_sheets(&self, context: Context) {
        for sheets in self.of_one_game.values() {
            let mut named: Vec<_> = sheets.iter().take(NAMED).map(|&place| self.origins.shown(place)).collect();
            if sheets.len() > NAMED {
                named.push("…".to_owned());
            }
            let (count, sheets) = (sheets.len(), named.join(", "));
            complain(context.fill("sheets.counted", &[("count", &count), ("sheets", &sheets)]));
        }
        for (place, first) in self.repeated.iter().take(NAMED) {
            let (sheet, other) = (self.origins.shown(*place), self.origins.shown(*first));
            complain(format!("{sheet}: {}", context.fill("sheets.repeats", &[("other", &other)])));
        }
        if self.repeated.len() > NAMED {
            complain(context.fill("sheets.more-repeats", &[("count", &(self.repeated.len() - NAMED))]));
        }
        let counted: HashSet<_> = if self.contradictions.is_empty() {
            HashSet::new()
        } else {
            let sheets = self.of_one_game.values().flatten().copied();
            self.entries.all().iter().map(|entry| entry.place).chain(sheets).collect()
        };
        for (place, Contradiction { place: other, difference }) in &self.contradictions {
            let what = difference_message(context, &self.origins.shown(*other), difference);
            let both = counted.contains(place) && counted.contains(other);
            let key = if both { "sheets.both-count" } else { "sheets.contradicts" };
            complain(context.fill(key, &[("sheet", &self.origins.shown(*place)), ("what", &what)]));
        }
    }

    /// The same for JSON.
    pub(crate) fn related(&self) -> RelatedReport<'_> {
        let contradictions = self.contradictions.iter().map(|(place, found)| ContradictionReport {
            games: [found.place, *place],
            difference: difference(&found.difference),
        });
        RelatedReport {
            sheets: self.of_one_game.values().map(|games| SheetsReport { games }).collect(),
            contradictions: contradictions.collect(),
        }
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

    /// The names of all events.
    fn events(&self) -> BTreeSet<&str> {
        self.entries.all().iter().filter_map(|entry| entry.event.as_deref()).collect()
    }

    /// The names of all players.
    fn names(&self) -> BTreeSet<&str> {
        self.entries.all().iter().flat_map(|entry| &entry.players).map(String::as_str).collect()
    }

    /// Reports names that are likely spellings of one player or one event.
    fn tell_spellings(&self, context: Context) {
        for (key, names) in [("count.spellings", self.names()), ("count.event-spellings", self.events())] {
            for names in competition::spelled_differently(names) {
                let names: Vec<_> = names.iter().map(|name| context.fill("quote", &[("text", name)])).collect();
                complain(context.fill(key, &[("names", &names.join(", "))]));
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
            complain(context.fill("count.taken-player", &[("wanted", &wanted), ("name", &only)]));
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
