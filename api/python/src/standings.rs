//! Counts the verified games of a competition. `quipu/results.py` makes classes of the JSON.

use std::collections::{BTreeMap, BTreeSet};

use pyo3::prelude::*;
use quipu_notation::record::Chunk;
use quipu_referee::{
    Lang, Status,
    competition::{
        self, AliasFault, Aliases, Contradiction, Entries, Entry, Moves, Related, Sheet, Sheets, TieBreak, Uncounted,
        standings,
    },
    report::{
        competition::{FileReport, Numbers, RelatedReport, TablesReport, crosstable},
        sheets::{ContradictionReport, SheetsReport, difference},
    },
    verify::Judged,
};

use crate::{
    arguments::{Language, ReadOptions, jobs, listed},
    batch::Work,
    errors::refused,
    json,
    messages::fill,
    pipeline::Pipeline,
    source::Source,
};

/// Events listed in an error, at most.
const LISTED: usize = 10;

/// Takes from each record what counts.
struct Counting {
    aliases: Aliases,
    /// Only games of this event.
    event: Option<String>,
}

enum Outcome {
    Entry(Entry, Option<Sheet>),
    Uncounted(Uncounted, Option<Sheet>),
    /// A game of another event than the wanted one.
    Elsewhere(Option<String>),
}

impl Work for Counting {
    type Item = Outcome;
    const TEXTS: bool = true;

    fn item(&self, _: &Chunk<'_>, judged: Judged<'_>, text: &str) -> Outcome {
        let Judged { record, verdict } = judged;
        let Some(record) = record else { return Outcome::Uncounted(Uncounted::not_verified(&verdict), None) };
        let event = competition::event(&record);
        if self.event.is_some() && event != self.event.as_deref() {
            return Outcome::Elsewhere(event.map(str::to_owned));
        }
        let sheet = Sheet::new(&record, &verdict, Moves::of_text(text), &self.aliases);
        match Entry::new(0, &record, &verdict, &self.aliases) {
            Ok(entry) => Outcome::Entry(entry, sheet),
            Err(uncounted) => Outcome::Uncounted(uncounted, sheet),
        }
    }
}

/// The games that count, and their relations.
#[derive(Default)]
struct Count {
    entries: Entries,
    sheets: Sheets,
    /// Places of the sheets of each game that has several, the counted one first, by its place.
    of_one_game: BTreeMap<u64, Vec<u64>>,
    /// The later sheet, and the earlier one that it contradicts.
    contradictions: Vec<(u64, Contradiction)>,
    /// Places of records that do not count, with the reason and the code of the first error.
    uncounted: Vec<(u64, &'static str, Option<&'static str>)>,
    /// True once a record of the wanted event was read.
    met: bool,
    elsewhere: BTreeSet<String>,
    /// Records read.
    records: u64,
}

impl Count {
    fn add(&mut self, outcome: Outcome) {
        self.records += 1;
        let place = self.records;
        let uncounted = match outcome {
            Outcome::Entry(entry, sheet) => {
                self.met = true;
                self.enter(Entry { place, ..entry }, sheet.as_ref())
            }
            Outcome::Uncounted(uncounted, sheet) => {
                self.met |= !matches!(uncounted, Uncounted::NotVerified(Status::Unreadable, _));
                // Only a sheet that is not verified may be one of a game that counts.
                let sheet = sheet.filter(|_| matches!(uncounted, Uncounted::NotVerified(..)));
                self.compare(place, sheet.as_ref());
                Some(uncounted)
            }
            Outcome::Elsewhere(event) => {
                self.elsewhere.extend(event);
                None
            }
        };
        let reason = uncounted.map(|uncounted| match uncounted {
            Uncounted::NotVerified(status, message) => (status.as_str(), message.map(|message| message.code.id)),
            Uncounted::Unnamed(_) => ("unnamed", None),
            Uncounted::Alone(_) => ("alone", None),
            Uncounted::Duplicate(_) => ("duplicate", None),
            Uncounted::Pointless(_) => ("pointless", None),
        });
        self.uncounted.extend(reason.map(|(reason, code)| (place, reason, code)));
    }

    /// Adds a game, unless it was entered before: as the same record, or as another sheet.
    fn enter(&mut self, entry: Entry, sheet: Option<&Sheet>) -> Option<Uncounted> {
        if let Some(first) = self.entries.place(&entry.id) {
            return Some(Uncounted::Duplicate(first));
        }
        let Some(first) = self.compare(entry.place, sheet) else { return self.entries.add(entry).err() };
        self.entries.add_sheet(&entry);
        self.of_one_game.entry(first).or_insert_with(|| vec![first]).push(entry.place);
        None
    }

    /// Compares a sheet with earlier ones. Returns the place of the first sheet of the same game.
    fn compare(&mut self, place: u64, sheet: Option<&Sheet>) -> Option<u64> {
        let Related { sheet_of, contradicts, .. } = self.sheets.add(place, sheet?);
        self.contradictions.extend(contradicts.map(|contradicted| (place, contradicted)));
        sheet_of
    }

    fn related(&self) -> RelatedReport<'_> {
        let contradictions = self.contradictions.iter().map(|(place, found)| ContradictionReport {
            games: [found.place, *place],
            difference: difference(&found.difference),
        });
        RelatedReport {
            sheets: self.of_one_game.values().map(|games| SheetsReport { games }).collect(),
            contradictions: contradictions.collect(),
        }
    }
}

fn order_of(py: Python<'_>, asked: Option<&[String]>, lang: Lang) -> PyResult<Vec<TieBreak>> {
    let Some(asked) = asked else { return Ok(TieBreak::DEFAULT.to_vec()) };
    let mut order = Vec::new();
    for name in asked {
        let new = TieBreak::parse(name).filter(|tie_break| !order.contains(tie_break));
        order.push(new.ok_or_else(|| {
            let known = listed(TieBreak::ALL.map(TieBreak::as_str));
            refused(py, "python.tie-break", lang, &[("found", name), ("known", &known)])
        })?);
    }
    Ok(order)
}

fn aliases_of(py: Python<'_>, asked: &BTreeMap<String, Vec<String>>, lang: Lang) -> PyResult<Aliases> {
    let text = toml::to_string(asked).unwrap_or_default();
    Aliases::parse(&text).map_err(|error| {
        let reason = match error.fault {
            AliasFault::Form => fill("python.alias-form", lang, &[]),
            AliasFault::Blank => fill("python.alias-blank", lang, &[]),
            AliasFault::Twice { alias, first } => {
                fill("python.alias-twice", lang, &[("alias", &alias), ("first", &first)])
            }
            AliasFault::Chain(alias) => fill("python.alias-chain", lang, &[("alias", &alias)]),
        };
        refused(py, "python.aliases", lang, &[("reason", &reason)])
    })
}

/// The selection of games and the order of players, as `quipu.standings` passes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Selection {
    event: Option<String>,
    tie_breaks: Option<Vec<String>>,
    aliases: BTreeMap<String, Vec<String>>,
    jobs: Option<usize>,
    format: Option<String>,
    encoding: Option<String>,
}

/// A record that does not count: its place, the reason, and the code of its first error.
type UncountedRecord = (u64, &'static str, Option<&'static str>);

/// The standings of the games of some sources with their crosstables as JSON, and the records that do not count.
#[pyfunction]
pub(crate) fn counted(
    py: Python<'_>,
    sources: Vec<Bound<'_, PyAny>>,
    lang: Language,
    selection: Selection,
) -> PyResult<(String, Vec<UncountedRecord>)> {
    let Language(lang) = lang;
    let Selection { event, tie_breaks, aliases, jobs, format, encoding } = selection;
    let order = order_of(py, tie_breaks.as_deref(), lang)?;
    let aliases = aliases_of(py, &aliases, lang)?;
    let threads = self::jobs(py, jobs, lang)?;
    let options = ReadOptions::new(py, format.as_deref(), encoding.as_deref(), lang)?;
    let (mut count, mut files) = (Count::default(), Vec::new());
    for source in &sources {
        let first = count.records + 1;
        let source = Source::open(source, options, lang)?;
        let file = source.file.clone();
        let work = Counting { aliases: aliases.clone(), event: event.clone() };
        let mut pipeline = Pipeline::new(source, work, threads)?;
        while let Some(records) = py.detach(|| pipeline.next())? {
            for (_, outcome) in records {
                count.add(outcome);
            }
            py.check_signals()?;
        }
        files.push((file, first, count.records + 1 - first));
    }
    if let Some(event) = event.filter(|_| !count.met) {
        let known = listed(count.elsewhere.iter().take(LISTED).map(String::as_str));
        return Err(refused(py, "python.event", lang, &[("found", &event), ("known", &known)]));
    }
    let tables = standings(count.entries.all(), &order);
    let several = files.iter().filter(|_| files.len() > 1);
    let report = TablesReport {
        tables: tables.iter().map(|table| crosstable(table, &Numbers::new())).collect(),
        files: several
            .map(|(file, first, records)| FileReport { file: file.as_deref(), first: *first, records: *records })
            .collect(),
        sheets: count.related(),
    };
    let report = json::line(&report);
    Ok((report, count.uncounted))
}
