//! `quipu repair`: the legal games that a rejected record may be of.

use std::io::Write;

use clap::ArgMatches;
use quipu_notation::record::{
    Chunk, Record,
    write::{FileFormat, Omitted, OutputFormat},
};
use quipu_referee::{
    Status, findings,
    repair::{Reading, Readings},
    repaired::{self, Repair, Stamp},
    report, verify,
};

use crate::{
    args::{number, reading, text},
    board,
    context::{CommandError, CommandResult, Context, ExitStatus, complain, harmless},
    diagnostics,
    input::{self, Found},
    output::{self, Output},
    part,
    record_writer::{self, RecordWriter},
    transcode,
};

/// The program in the comment of a repaired record.
pub(super) const PROGRAM: &str = concat!("quipu ", env!("CARGO_PKG_VERSION"));

/// Records that are taken over without a person who looks at each.
#[derive(Clone, Copy)]
struct Accepting<'m> {
    /// The least margin over the second reading; without one, the first has to be clear.
    margin: Option<u32>,
    person: Option<&'m str>,
}

impl Accepting<'_> {
    fn takes(self, readings: &Readings) -> bool {
        let is_ahead = |margin| readings.is_complete && readings.margin().is_none_or(|found| found >= margin);
        !readings.readings.is_empty() && self.margin.map_or(readings.is_clear, is_ahead)
    }
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let accepting = accepting(context, matches)?;
    let is_json = matches.get_flag("json");
    let options = reading(matches);
    let Found { sources, failures, mut passed_over } = input::asked(context, matches, options)?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(CommandError::Failed(failure.message));
    }
    let failed = output::failed(context, matches);
    let to_file = output::path_asked(matches).is_some();
    let format = record_writer::format_asked(matches).unwrap_or(FileFormat::Text(OutputFormat::Quipu));
    let mut records = None;
    // Of records and reports, only one goes to standard output.
    let mut reports = match accepting {
        Some(_) => {
            records = Some(RecordWriter::new(context, format, Output::asked(context, matches, true)?)?);
            to_file.then(crate::context::stdout).map(Reports::Stdout)
        }
        None => Some(Reports::Asked(Output::asked(context, matches, false)?)),
    };
    let (mut count, mut rejected, mut left_out) = (0, 0, 0);
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
                let taken =
                    repair.as_ref().zip(accepting).filter(|(repair, accepting)| accepting.takes(&repair.readings));
                if let Some(((repair, accepting), records)) = taken.filter(|_| records.is_some()).zip(records.as_mut())
                {
                    let stamp = Stamp { by: PROGRAM, person: accepting.person };
                    let marked = repaired::marked(&repair.record, &repair.readings.readings[0], stamp);
                    omitted += records.add(&marked).map_err(&failed)?;
                } else if !is_good {
                    rejected += 1;
                    left_out += 1;
                }
                let Some(out) = &mut reports else { continue };
                let text = match (&repair, &read) {
                    (Some(repair), _) if is_json => json(context, repair, path.as_deref(), index),
                    (Some(repair), _) => human(context, repair, &name, index),
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
            passed_over.add_without_record(&source.name(), source.size());
        }
        for file in &*reader.left_out() {
            passed_over.add_packed(&source.name(), file);
        }
    }
    if let Some(reports) = reports {
        reports.finish().map_err(&failed)?;
    }
    if let Some(records) = records {
        records.end().map_err(&failed)?;
        record_writer::omitted(context, format, omitted);
        if left_out > 0 {
            complain(context.fill("repair.left-out", &[("count", &left_out)]));
        }
    }
    let told = passed_over.tell(context, options.format, count, false);
    Ok(told.max(if rejected == 0 { ExitStatus::Clean } else { ExitStatus::Findings }))
}

fn is_good(status: Status) -> bool {
    matches!(status, Status::Verified | Status::Incomplete)
}

fn accepting(context: Context, matches: &ArgMatches) -> Result<Option<Accepting<'_>>, CommandError> {
    let (margin, person) = (number(matches, "margin"), text(matches, "by"));
    match text(matches, "accept") {
        Some("best") => Ok(Some(Accepting { margin, person })),
        Some(_) => Err(CommandError::Usage(context.say("repair.accept-what").to_owned())),
        None if margin.is_some() || person.is_some() => {
            Err(CommandError::Usage(context.say("repair.only-accepting").to_owned()))
        }
        None => Ok(None),
    }
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

/// The readings of a record for people.
fn human(context: Context, repair: &Repair<'_>, name: &str, index: u64) -> Vec<u8> {
    let Repair { record, verdict, readings, verdicts } = repair;
    let status = context.paint(diagnostics::style(verdict.status), context.word(verdict.status.word()));
    let mut text = format!("{name} {index:>4}  {}  {status}\n", diagnostics::players(record));
    if is_good(verdict.status) {
        return text.into_bytes();
    }
    for found in findings::for_people(verdict, Some(record)) {
        text += &format!("    {}: {}\n", found.message.code.id, harmless(&context.message(&found.message)));
    }
    let key = match (readings.readings.is_empty(), readings.is_clear) {
        (true, _) => "repair.none",
        (_, true) => "repair.clear",
        _ => "repair.unclear",
    };
    text += &format!("    {}\n", context.fill(key, &[("count", &readings.readings.len())]));
    if !readings.is_complete {
        text += &format!("    {}\n", context.say("repair.incomplete"));
    }
    for (place, (reading, verdict)) in readings.readings.iter().zip(verdicts).enumerate() {
        text += "\n";
        let next = readings.readings.get(place + 1);
        let cost = context.fill("repair.reading", &[("number", &(place + 1)), ("cost", &reading.cost)]);
        let margin = next.map(|next| context.fill("repair.next", &[("margin", &(next.cost - reading.cost))]));
        text += &format!("    {cost}{}\n", margin.unwrap_or_default());
        for edit in &reading.edits {
            text += &format!("       {}\n", harmless(&report::repair::edit_in_words(edit, context.lang)));
        }
        let result = verdict.finding.map_or("", |finding| finding.outcome.as_str());
        let end = verdict.finding.and_then(|finding| finding.termination).map_or("", |row| row.name);
        let points = verdict.points.map(|points| points.to_string()).unwrap_or_default();
        let status = context.paint(diagnostics::style(verdict.status), context.word(verdict.status.word()));
        text += &format!("       {}\n", format!("{status}  {result} {points} {end}").trim_end());
        if place == 0 {
            text += &board_before(context, record, reading);
        }
    }
    text.into_bytes()
}

/// The board before the first edited ply.
fn board_before(context: Context, record: &Record<'_>, reading: &Reading) -> String {
    let Some((ply, board)) = repaired::board_before(record, reading) else { return String::new() };
    let indented =
        board::draw(context, &board.drawing()).lines().map(|line| format!("       {line}\n")).collect::<String>();
    format!("       {}\n{indented}", context.fill("repair.board", &[("ply", &ply)]))
}
