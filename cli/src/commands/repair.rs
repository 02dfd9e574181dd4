//! `quipu repair`: the legal games that a rejected record may be of.

mod choose;

use std::io::Write;

use clap::ArgMatches;
use quipu_notation::record::{
    Chunk,
    write::{FileFormat, Omitted, OutputFormat},
};
use quipu_referee::{
    Status, findings,
    repair::Readings,
    repaired::{self, Repair, Stamp},
    report, verify,
};

use self::choose::Dialogue;
use crate::{
    args::{number, reading, text},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    diagnostics,
    input::{self, FoundSources, InputSource},
    output::{self, Output},
    part, readings,
    record_writer::{self, RecordWriter},
    transcode,
};

/// The program in the comment of a repaired record.
pub(super) const PROGRAM: &str = concat!("quipu ", env!("CARGO_PKG_VERSION"));

/// Records named that are not written, at most.
const NAMED: usize = 20;

/// The records that are written.
#[derive(Clone, Copy)]
struct Accepting<'m> {
    rule: AcceptRule,
    person: Option<&'m str>,
}

/// The rule by which a reading is accepted.
#[derive(Clone, Copy)]
enum AcceptRule {
    /// The first one if it is clear.
    Clear,
    /// The first one if the second costs so much more.
    Margin(u32),
    /// The one that a person chooses.
    Choose,
}

impl AcceptRule {
    /// The reading to write, counted from 0; an error of the terminal, or none if no reading is accepted.
    fn reading(
        self,
        dialogue: &mut Dialogue,
        repair: &Repair<'_>,
        heading: impl FnOnce() -> String,
    ) -> std::io::Result<Option<usize>> {
        let readings = &repair.readings;
        let is_accepted = match self {
            _ if readings.readings.is_empty() => false,
            Self::Clear => readings.is_clear,
            Self::Margin(margin) => is_ahead(readings, margin),
            Self::Choose if is_good(repair.verdict.status) => true,
            Self::Choose => return dialogue.choose(repair, &heading()),
        };
        Ok(is_accepted.then_some(0))
    }
}

fn is_ahead(readings: &Readings, margin: u32) -> bool {
    readings.is_complete && readings.margin().is_none_or(|found| found >= margin)
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let accepting = accepting(context, matches)?;
    let is_json = matches.get_flag("json");
    let options = reading(matches);
    let FoundSources { sources, failures, mut skipped } = input::find_sources(context, matches, options)?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(CommandError::Failed(failure.message));
    }
    output::check_no_source(context, matches, &sources)?;
    if accepting.is_some_and(|accepting| matches!(accepting.rule, AcceptRule::Choose))
        && sources.iter().any(|source| matches!(source, InputSource::Stdin))
    {
        return Err(CommandError::Usage(context.say("repair.choose-stdin").to_owned()));
    }
    let failed = output::failed(context, matches);
    let to_file = output::path_asked(matches).is_some();
    let format = record_writer::format_asked(matches).unwrap_or(FileFormat::Text(OutputFormat::Quipu));
    let mut records = None;
    // Of records and reports, only one goes to standard output.
    let mut reports = match accepting {
        Some(accepting) => {
            records = Some(RecordWriter::new(context, format, Output::from_args(context, matches, true)?)?);
            let is_reported = to_file && !matches!(accepting.rule, AcceptRule::Choose);
            is_reported.then(crate::context::stdout).map(Reports::Stdout)
        }
        None => Some(Reports::Asked(Output::from_args(context, matches, false)?)),
    };
    let mut dialogue = Dialogue::new(context);
    let (mut count, mut rejected, mut unrepaired) = (0, 0, 0);
    let mut not_written = Vec::new();
    let mut omitted = Omitted::default();
    for source in &sources {
        let opening = |error| CommandError::Failed(source.failure(context, &error));
        let mut reader = source.reader(options).map_err(opening)?;
        let path = source.path();
        let mut index = 0;
        loop {
            let parts = reader.parts_ahead().map_err(opening)?;
            let Some(chunk) = reader.next_chunk().map_err(opening)? else { break };
            let name = part::name(&source.name(), &parts, &chunk);
            for read in chunk.records() {
                index += 1;
                count += 1;
                let repair = read.as_ref().ok().map(repaired::of);
                let is_good = repair.as_ref().is_some_and(|repair| is_good(repair.verdict.status));
                let accepted = match repair.as_ref().zip(accepting) {
                    Some((repair, accepting)) => {
                        let heading = || heading(context, repair, &name, index);
                        let reading = accepting.rule.reading(&mut dialogue, repair, heading)?;
                        reading.map(|reading| (repair, &repair.readings.readings[reading], accepting.person))
                    }
                    None => None,
                };
                if let Some(((repair, reading, person), records)) = accepted.zip(records.as_mut()) {
                    let marked = repaired::marked(&repair.record, reading, Stamp { by: PROGRAM, person });
                    omitted += records.add(&marked).map_err(|error| failed(error.into()))?;
                } else if !is_good {
                    rejected += 1;
                    unrepaired += 1;
                    if not_written.len() < NAMED {
                        not_written.push(format!("{name} {index}"));
                    }
                }
                let Some(out) = &mut reports else { continue };
                let text = match (&repair, &read) {
                    (Some(repair), _) if is_json => json(context, repair, path.as_deref(), index),
                    (Some(repair), _) => human(context, repair, &name, index).into_bytes(),
                    (None, _) if is_json => {
                        let mut report = report::repair::unreadable(index);
                        report.file = path.as_deref();
                        line(&report)
                    }
                    (None, Err(error)) => unreadable(context, &name, &chunk, error),
                    (None, Ok(_)) => Vec::new(),
                };
                out.write_all(&text).map_err(&failed)?;
            }
        }
        if index == 0 {
            skipped.add_without_record(&source.name(), source.size());
        }
        for file in &*reader.skipped() {
            skipped.add_zip_entry(&source.name(), file);
        }
    }
    if let Some(reports) = reports {
        reports.finish().map_err(&failed)?;
    }
    if let Some(records) = records {
        records.end().map_err(&failed)?;
        record_writer::omitted(context, format, omitted);
        if unrepaired > 0 {
            if not_written.len() < unrepaired {
                not_written.push("…".to_owned());
            }
            print_to_stderr(context.fill("repair.not-written", &[("names", &not_written.join(", "))]));
            print_to_stderr(context.fill("repair.left-out", &[("count", &unrepaired)]));
        }
    }
    let told = skipped.tell(context, options.format, count, false);
    Ok(told.max(if rejected == 0 { ExitStatus::Clean } else { ExitStatus::Faults }))
}

fn is_good(status: Status) -> bool {
    matches!(status, Status::Verified | Status::Incomplete)
}

fn accepting(context: Context, matches: &ArgMatches) -> Result<Option<Accepting<'_>>, CommandError> {
    let (margin, person) = (number(matches, "margin"), text(matches, "by"));
    let usage = |key| Err(CommandError::Usage(context.say(key).to_owned()));
    let rule = match (text(matches, "accept"), matches.get_flag("choose")) {
        (Some("best"), false) => margin.map_or(AcceptRule::Clear, AcceptRule::Margin),
        (Some("best"), true) => return usage("repair.accept-or-choose"),
        (Some(_), _) => return usage("repair.accept-what"),
        (None, true) if margin.is_some() || matches.get_flag("json") => return usage("repair.accept-or-choose"),
        (None, true) if output::path_asked(matches).is_none() => return usage("repair.choose-output"),
        (None, true) => AcceptRule::Choose,
        (None, false) if margin.is_some() || person.is_some() => return usage("repair.only-accepting"),
        (None, false) => return Ok(None),
    };
    Ok(Some(Accepting { rule, person }))
}

/// The place of the reports.
enum Reports {
    Stdout(std::io::BufWriter<std::io::Stdout>),
    Asked(Output),
}

impl Reports {
    fn write_all(&mut self, text: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Stdout(out) => out.write_all(text),
            Self::Asked(out) => out.write_all(text),
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush(),
            Self::Asked(out) => out.finish(),
        }
    }
}

fn json(context: Context, repair: &Repair<'_>, path: Option<&str>, index: u64) -> Vec<u8> {
    let mut report = report::repair::repair(repair, index, context.lang);
    report.file = path;
    line(&report)
}

/// A report as a line of JSON.
fn line(report: &report::repair::RepairReport<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    drop(report::write(report, &mut out));
    out
}

fn unreadable(context: Context, name: &str, chunk: &Chunk<'_>, error: &quipu_notation::record::ReadError) -> Vec<u8> {
    let faults = verify::unreadable(error, chunk).diagnostics;
    let line = |fault: &quipu_referee::Diagnostic| {
        let place = fault.span.map(|span| chunk.place(span.start as usize));
        transcode::finding(context, name, chunk, place, &fault.message) + "\n"
    };
    faults.iter().map(line).collect::<String>().into_bytes()
}

/// A record with all its readings, the first with its board.
fn human(context: Context, repair: &Repair<'_>, name: &str, index: u64) -> String {
    let mut text = heading(context, repair, name, index);
    if is_good(repair.verdict.status) {
        return text;
    }
    for place in 0..repair.readings.readings.len() {
        text += "\n";
        text += &choose::reading(context, repair, place, place == 0);
    }
    text
}

/// A record, its faults, and the number of its readings.
fn heading(context: Context, repair: &Repair<'_>, name: &str, index: u64) -> String {
    let Repair { record, verdict, .. } = repair;
    let status = context.paint(diagnostics::style(verdict.status), context.word(verdict.status.word()));
    let mut text = format!("{name} {index:>4}  {}  {status}\n", diagnostics::players(record));
    if is_good(verdict.status) {
        return text;
    }
    for found in findings::for_people(verdict, Some(record)) {
        text += &format!("    {}: {}\n", found.message.code.id, harmless(&context.message(&found.message)));
    }
    text.extend(readings::summary(context, repair).iter().map(|line| format!("    {}\n", line.paint(context))));
    text
}
