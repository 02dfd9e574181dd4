//! `quipu convert`: converts records from one format to another.

use clap::ArgMatches;
use quipu_notation::record::write::Omitted;

use crate::{
    args::reading,
    context::{CommandError, CommandResult, Context, ExitStatus, complain},
    input,
    output::{self, Output},
    record_writer::{self, RecordWriter, omitted},
    transcode,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let path = output::path_asked(matches);
    let layout = match (record_writer::format_asked(matches), path) {
        (Some(layout), _) => layout,
        (None, Some(path)) => return Err(record_writer::no_format(context, path)),
        (None, None) => return Err(CommandError::Usage(context.say("convert.no-form").to_owned())),
    };
    let reading = reading(matches);
    let (sources, failures) = input::asked(context, matches, reading)?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(CommandError::Failed(failure.message));
    }
    let mut readers = Vec::new();
    if let [source] = &*sources {
        // A source that cannot be opened leaves the output alone.
        let opened = source.reader(reading).map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        readers.push(opened);
    }
    let mut readers = readers.into_iter();
    let failed = output::failed(context, matches);
    let mut pages = RecordWriter::new(context, layout, Output::asked(context, matches, true)?)?;
    let mut dropped = Omitted::default();
    let (mut refused, mut kept) = (0, false);
    for source in &sources {
        let opened = readers.next().map_or_else(|| source.reader(reading), Ok);
        let reader = opened.map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        let unreadable = transcode::each(context, source, reader, |_, record| {
            dropped += pages.add(record).map_err(&failed)?;
            Ok(())
        })?;
        refused += unreadable;
        if unreadable > 0 && path.is_some_and(|path| source.is(path)) {
            // Replacing the file would lose its unreadable records.
            complain(context.fill("fmt.kept", &[("file", &source.name())]));
            kept = true;
        }
    }
    if kept {
        return Ok(ExitStatus::Findings);
    }
    pages.end().map_err(&failed)?;
    omitted(context, layout, dropped);
    Ok(if refused == 0 { ExitStatus::Clean } else { ExitStatus::Findings })
}
