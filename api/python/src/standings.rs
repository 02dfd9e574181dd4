//! Counts the verified games of a competition. `quipu/results.py` makes classes of the JSON.

use std::collections::{BTreeMap, BTreeSet};

use pyo3::prelude::*;
use quipu_notation::record::Chunk;
use quipu_referee::{
    Lang,
    competition::{AliasFault, Aliases, Candidate, CountedGames, TieBreak, Uncounted, Wanted, standings},
    report::competition::{FileReport, Numbers, TablesReport, crosstable},
    verify::Judged,
};

use crate::{
    arguments::{Language, ReadOptions, jobs, listed},
    batch::Work,
    errors::{ErrorFacts, QuipuError, refused, type_error},
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

impl Work for Counting {
    type Item = Candidate;
    const TEXTS: bool = true;

    fn item(&self, _: &Chunk<'_>, judged: Judged<'_>, text: &str) -> Candidate {
        let wanted = Wanted { points: false, event: self.event.as_deref() };
        Candidate::new(judged.record.as_ref(), &judged.verdict, text, &self.aliases, wanted)
    }
}

/// A record that does not count: its place, the reason, and the code of its first error.
type UncountedRecord = (u64, &'static str, Option<&'static str>);

fn reason(place: u64, uncounted: Uncounted) -> UncountedRecord {
    let word = uncounted.as_str();
    match uncounted {
        Uncounted::NotVerified(_, message) => (place, word, message.map(|message| message.code.id)),
        _ => (place, word, None),
    }
}

/// A list of names, or a text that was passed for one.
#[derive(FromPyObject)]
pub(crate) enum ListOrText {
    List(Vec<String>),
    Text(String),
}

pub(crate) fn order_of(py: Python<'_>, asked: Option<ListOrText>, lang: Lang) -> PyResult<Vec<TieBreak>> {
    let asked = match asked {
        None => return Ok(TieBreak::DEFAULT.to_vec()),
        Some(ListOrText::List(asked)) => asked,
        Some(ListOrText::Text(found)) => return Err(type_error("python.tie-break-form", lang, &[("found", &found)])),
    };
    let mut order = Vec::new();
    for name in asked {
        let new = TieBreak::parse(&name).filter(|tie_break| !order.contains(tie_break));
        order.push(new.ok_or_else(|| {
            let known = listed(TieBreak::ALL.map(TieBreak::as_str));
            refused(py, "python.tie-break", lang, &[("found", &name), ("known", &known)])
        })?);
    }
    Ok(order)
}

fn aliases_of(py: Python<'_>, asked: BTreeMap<String, ListOrText>, lang: Lang) -> PyResult<Aliases> {
    let players = asked.into_iter().map(|(name, others)| match others {
        ListOrText::List(others) => Ok((name, others)),
        ListOrText::Text(_) => Err(AliasFault::Form),
    });
    players.collect::<Result<Vec<_>, _>>().and_then(Aliases::new).map_err(|fault| {
        let reason = match fault {
            AliasFault::Form => return type_error("python.alias-form", lang, &[]),
            AliasFault::Blank => fill("python.alias-blank", lang, &[]),
            AliasFault::Twice { alias, first } => {
                fill("python.alias-twice", lang, &[("alias", &alias), ("first", &first)])
            }
            AliasFault::Chain(alias) => fill("python.alias-chain", lang, &[("alias", &alias)]),
        };
        refused(py, "python.aliases", lang, &[("reason", &reason)])
    })
}

/// The exception about an event without records, which lists those of the sources.
fn no_event(py: Python<'_>, found: &str, elsewhere: &BTreeSet<Option<String>>, lang: Lang) -> PyErr {
    let mut known: Vec<_> = elsewhere.iter().flatten().map(String::as_str).take(LISTED + 1).collect();
    if known.len() > LISTED {
        known[LISTED] = "…";
    }
    let key = if known.is_empty() { "no-event" } else { "python.event" };
    let message = fill(key, lang, &[("found", &found), ("known", &listed(known))]);
    ErrorFacts { code: "python.event", message, ..ErrorFacts::default() }.raised::<QuipuError>(py)
}

/// The selection of games and the order of players, as `quipu.standings` passes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Selection {
    event: Option<String>,
    tie_breaks: Option<ListOrText>,
    aliases: BTreeMap<String, ListOrText>,
    format: Option<String>,
    encoding: Option<String>,
}

/// The standings of the games of some sources with their crosstables as JSON, and the records that do not count.
#[pyfunction]
pub(crate) fn counted(
    py: Python<'_>,
    sources: Vec<Bound<'_, PyAny>>,
    selection: Selection,
    lang: Language,
    jobs: Option<usize>,
) -> PyResult<(String, Vec<UncountedRecord>)> {
    let Language(lang) = lang;
    let Selection { event, tie_breaks, aliases, format, encoding } = selection;
    let order = order_of(py, tie_breaks, lang)?;
    let aliases = aliases_of(py, aliases, lang)?;
    let threads = self::jobs(py, jobs, lang)?;
    let options = ReadOptions::new(py, format.as_deref(), encoding.as_deref(), lang)?;
    let (mut count, mut uncounted, mut records, mut files) = (CountedGames::default(), Vec::new(), 0, Vec::new());
    for source in &sources {
        let first = records + 1;
        let source = Source::open(source, options, lang)?;
        let file = source.file.clone();
        let work = Counting { aliases: aliases.clone(), event: event.clone() };
        let mut pipeline = Pipeline::new(source, work, threads);
        while let Some(batch) = py.detach(|| pipeline.next())? {
            for (_, candidate) in batch {
                records += 1;
                uncounted.extend(count.add(records, candidate).map(|uncounted| reason(records, uncounted)));
            }
            py.check_signals()?;
        }
        files.push((file, first, records + 1 - first));
    }
    if let Some(event) = event.filter(|_| !count.met && records > 0) {
        return Err(no_event(py, &event, &count.other_events, lang));
    }
    let tables = standings(count.entries.all(), &order);
    let several = files.iter().filter(|_| files.len() > 1);
    let report = TablesReport {
        tables: tables.iter().map(|table| crosstable(table, &Numbers::new())).collect(),
        files: several
            .map(|(file, first, records)| FileReport { file: file.as_deref(), first: *first, records: *records })
            .collect(),
        sheets: (&count).into(),
    };
    let report = json::line(&report);
    Ok((report, uncounted))
}
