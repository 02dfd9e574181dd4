//! Selects one record of a file, for the commands that show one.

use std::ffi::OsString;

use clap::ArgMatches;
use quipu_referee::{
    findings,
    verify::{self, Judged},
};

use crate::{
    args::number,
    context::{CommandError, CommandResult, Context, ExitStatus, complain},
    input::{InputSource, ReadOptions},
    part, transcode,
};

/// Shows the record given by `--record`, else the first, and prints the findings against it.
pub(crate) fn show(
    context: Context,
    matches: &ArgMatches,
    file: &OsString,
    reading: ReadOptions,
    show: impl FnOnce(&Judged<'_>) -> CommandResult,
) -> CommandResult {
    let (source, mut reader) = InputSource::open_one(context, file, reading)?;
    let wanted = number(matches, "record").unwrap_or(1);
    let mut count = 0;
    loop {
        let failed = |error| CommandError::Failed(source.failure(context, &error));
        let parts = reader.parts_ahead().map_err(failed)?;
        let Some(chunk) = reader.next_chunk().map_err(failed)? else { break };
        for judged in verify::chunk(&chunk) {
            count += 1;
            if count < wanted {
                continue;
            }
            let name = part::name(&source.name(), &parts, &chunk);
            let mut status = show(&judged)?;
            for diagnostic in findings::for_people(&judged.verdict) {
                complain(transcode::finding(context, &name, &chunk, diagnostic.place, &diagnostic.message));
            }
            if judged.verdict.first_error().is_some() {
                status = status.max(ExitStatus::Findings);
            }
            return Ok(status);
        }
    }
    Err(CommandError::Usage(context.fill("replay.no-record", &[("record", &wanted), ("count", &count)])))
}
