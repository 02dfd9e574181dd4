//! `quipu merge`: the game that several sheets of it explain best.

use std::io::Write;

use clap::ArgMatches;
use quipu_notation::record::write::{FileFormat, OutputFormat};
use quipu_referee::{
    repair::{Disputed, DisputedReading},
    repaired::{self, DifferingTag, MergeFault, MergedSheets, Stamp},
    report,
};

use super::repair::PROGRAM;
use crate::{
    args::{reading, text},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    diagnostics,
    input::{self, FoundSources},
    output::{self, Output},
    part,
    record_writer::{self, RecordWriter},
    transcode,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let options = reading(matches);
    let FoundSources { sources, failures, .. } = input::find_sources(context, matches, options)?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(CommandError::Failed(failure.message));
    }
    output::check_no_source(context, matches, &sources)?;
    let (mut sheets, mut names) = (Vec::new(), Vec::new());
    for source in &sources {
        let mut reader =
            source.reader(options).map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        loop {
            let failed = |error| CommandError::Failed(source.failure(context, &error));
            let parts = reader.parts_ahead().map_err(failed)?;
            let Some(chunk) = reader.next_chunk().map_err(failed)? else { break };
            let name = part::name(&source.name(), &parts, &chunk);
            for record in chunk.records() {
                match record {
                    Ok(record) => {
                        sheets.push(repaired::owned(&record));
                        names.push(name.clone());
                    }
                    Err(error) => {
                        for fault in quipu_referee::verify::unreadable(&error, &chunk).diagnostics {
                            let place = fault.span.map(|span| chunk.place(span.start as usize));
                            print_to_stderr(transcode::finding(context, &name, &chunk, place, &fault.message));
                        }
                        return Ok(ExitStatus::Faults);
                    }
                }
                // More are refused, so they are not kept.
                if sheets.len() > repaired::MOST_SHEETS {
                    break;
                }
            }
        }
    }
    let merged = match repaired::merge(&sheets) {
        Ok(merged) => merged,
        Err(fault) => {
            print_to_stderr(context.fill("error", &[("what", &fault_message(context, &fault, &names))]));
            return Ok(if fault == MergeFault::Few { ExitStatus::Usage } else { ExitStatus::Faults });
        }
    };
    let failed = output::failed(context, matches);
    if matches.get_flag("json") {
        let mut out = Output::from_args(context, matches, false)?;
        report::write(&report::repair::merge(&merged, context.lang), &mut out).map_err(&failed)?;
        out.finish().map_err(&failed)?;
    } else if output::path_asked(matches).is_some() || text(matches, "to").is_some() {
        let format = record_writer::format_asked(matches).unwrap_or(FileFormat::Text(OutputFormat::Quipu));
        let mut writer = RecordWriter::new(context, format, Output::from_args(context, matches, true)?)?;
        let stamp = Stamp { by: PROGRAM, person: text(matches, "by") };
        let omitted = writer.add(&repaired::merged_and_marked(&merged, stamp)).map_err(|error| failed(error.into()))?;
        writer.end().map_err(&failed)?;
        record_writer::omitted(context, format, omitted);
    } else {
        let mut out = Output::from_args(context, matches, false)?;
        out.write_all(human(context, &merged, &names).as_bytes()).map_err(&failed)?;
        out.finish().map_err(&failed)?;
    }
    Ok(ExitStatus::Clean)
}

/// The reason why sheets are not merged, in words.
fn fault_message(context: Context, fault: &MergeFault, names: &[String]) -> String {
    let of = |sheet: usize| format!("{} ({})", sheet + 1, names.get(sheet).map_or("-", |name| name));
    format!("{}: {}", fault.code(), report::repair::fault_in_words(fault, context.lang, of))
}

/// The merged game for people.
fn human(context: Context, sheets: &MergedSheets<'_>, names: &[String]) -> String {
    let MergedSheets { merged, record, verdict, tags } = sheets;
    let status = context.paint(diagnostics::style(verdict.status), context.word(verdict.status.word()));
    let result = verdict.end.map_or("", |end| end.outcome.as_str());
    let (plies, agreed, disputed) = (merged.moves.len(), merged.agreed, merged.disputed.len());
    let counts = context.fill("merge.counts", &[("plies", &plies), ("agreed", &agreed), ("disputed", &disputed)]);
    let mut text = format!("{}  {status} {result}\n{counts}\n", diagnostics::players(record));
    if !merged.is_complete {
        text += &format!("{}\n", context.say("repair.incomplete"));
    }
    if !tags.is_empty() {
        text += &format!("{}\n", context.say("merge.tags"));
    }
    for DifferingTag { tag, values } in tags {
        let taken = record.value(tag).unwrap_or_default();
        let of_sheet = |(sheet, (value, name)): (usize, (&Option<String>, &String))| {
            Some(format!("{} ({}, {name})", value.as_deref()?, sheet + 1))
        };
        let values: Vec<_> = values.iter().zip(names).enumerate().filter_map(of_sheet).collect();
        let line =
            context.fill("merge.tag-differs", &[("tag", tag), ("taken", &taken), ("values", &values.join(", "))]);
        text += &format!("    {}\n", harmless(&line));
    }
    for Disputed { ply, readings } in &merged.disputed {
        let token = merged.moves.get(usize::try_from(*ply).unwrap_or(1) - 1).map_or("", |token| token);
        text += &format!("\n{}\n", context.fill("merge.ply", &[("ply", ply), ("move", &token)]));
        for reading in readings {
            let line = match reading {
                DisputedReading::Sheet(sheet, Some(written)) => {
                    format!("{}: {written}", names.get(*sheet).map_or("-", |name| name))
                }
                DisputedReading::Sheet(sheet, None) => {
                    format!("{}: {}", names.get(*sheet).map_or("-", |name| name), context.say("merge.not-written"))
                }
                DisputedReading::Other(token, cost) => context.fill("merge.other", &[("move", token), ("cost", cost)]),
            };
            text += &format!("    {}\n", harmless(&line));
        }
    }
    text
}
