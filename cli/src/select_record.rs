//! Selects one record of a file, for the commands that show one.

use std::{ffi::OsString, io::Read};

use clap::ArgMatches;
use quipu_notation::record::Reader;
use quipu_referee::{
    findings,
    verify::{self, Judged},
};

use crate::{
    args::number,
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr},
    input::{self, InputSource, ReadOptions},
    part, transcode,
};

/// Shows the record given by `--record`, else the first, and prints the findings against it. Says how many others there are if
/// none was asked for.
pub(crate) fn show(
    context: Context,
    matches: &ArgMatches,
    file: Option<&OsString>,
    reading: ReadOptions,
    mut show: impl FnMut(&Judged<'_>) -> CommandResult,
) -> CommandResult {
    let file = input::source_path(context, file)?;
    let (source, mut reader) = InputSource::open_one(context, &file, reading)?;
    let asked = number(matches, "record");
    let wanted = asked.unwrap_or(1);
    let mut count = 0;
    loop {
        let failed = |error| CommandError::Failed(source.failure(context, &error));
        let parts = reader.parts_ahead().map_err(failed)?;
        let Some(chunk) = reader.next_chunk().map_err(failed)? else { break };
        let mut shown = None;
        let mut in_chunk: u64 = 0;
        for judged in verify::chunk(&chunk) {
            (count, in_chunk) = (count + 1, in_chunk + 1);
            if shown.is_some() || count < wanted {
                continue;
            }
            let name = part::name(&source.name(), &parts, &chunk);
            let mut status = show(&judged)?;
            for diagnostic in findings::for_people(&judged.verdict, judged.record.as_ref()) {
                print_to_stderr(transcode::finding(context, &name, &chunk, diagnostic.place, &diagnostic.message));
            }
            if judged.verdict.first_error().is_some() {
                status = status.max(ExitStatus::Faults);
            }
            shown = Some(status);
            if asked.is_some() {
                break;
            }
        }
        if let Some(status) = shown {
            if asked.is_none() {
                tell_others(context, &source, in_chunk - 1, reader)?;
            }
            return Ok(status);
        }
    }
    Err(CommandError::Usage(context.fill("replay.no-record", &[("record", &wanted), ("count", &count)])))
}

/// Says how many records of the source were not shown.
fn tell_others(
    context: Context,
    source: &InputSource,
    first: u64,
    mut reader: Reader<impl Read>,
) -> Result<(), CommandError> {
    let mut others = first;
    while let Some(chunk) =
        reader.next_chunk().map_err(|error| CommandError::Failed(source.failure(context, &error)))?
    {
        others += chunk.records().count() as u64;
    }
    if others > 0 {
        print_to_stderr(context.fill("replay.others", &[("file", &source.name()), ("count", &(others + 1))]));
    }
    Ok(())
}
