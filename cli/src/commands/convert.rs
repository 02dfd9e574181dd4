//! `quipu convert`: converts records from one format to another.

use clap::ArgMatches;
use quipu_notation::record::write::Omitted;

use crate::{
    args::reading,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    input::{self, FoundSources},
    output::{self, Output},
    record_writer::{self, AddError, RecordWriter, omitted},
    transcode::{self, Transcoded},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let path = output::path_asked(matches);
    let layout = match (record_writer::format_asked(matches), path) {
        (Some(layout), _) => layout,
        (None, Some(path)) => return Err(record_writer::no_format(context, path)),
        (None, None) => return Err(CommandError::Usage(context.say("convert.no-form").to_owned())),
    };
    let reading = reading(matches);
    let FoundSources { sources, failures, mut skipped } = input::find_sources(context, matches, reading)?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(CommandError::Failed(failure.message));
    }
    let mut readers = Vec::new();
    if let [source] = &*sources {
        // The error about a source comes before one about the output.
        let opened = source.reader(reading).map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        readers.push(opened);
    }
    let failed = output::failed(context, matches);
    let mut pages = RecordWriter::new(context, layout, Output::from_args(context, matches, true)?)?;
    let mut dropped = Omitted::default();
    let (mut done, mut unwritten) = (Transcoded::default(), 0);
    for source in &sources {
        let opened = readers.pop().map_or_else(|| source.reader(reading), Ok);
        let reader = opened.map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
        done += transcode::each(context, source, reader, |place, record| {
            match pages.add_placed(record, |span| Some(place.of(span))) {
                Ok(omitted) => dropped += omitted,
                Err(AddError::Output(error)) => return Err(failed(error)),
                Err(AddError::Record(reason)) => {
                    unwritten += 1;
                    print_to_stderr(format!("{}: {reason}", place.of(record.span)));
                }
            }
            Ok(())
        })?;
    }
    skipped += done.skipped;
    let told = skipped.tell(context, reading.format, done.records, false);
    let refused = done.unreadable + unwritten;
    if (refused > 0 || done.records == 0)
        && let Some(path) = path.filter(|path| !input::is_special(path))
    {
        // An existing file must not be replaced by only a part of the records.
        let file = harmless(&path.display().to_string());
        if refused == 0 {
            print_to_stderr(context.fill("convert.none", &[("file", &file)]));
        }
        for (key, count) in [("convert.unwritten", done.unreadable), ("convert.unfit", unwritten)] {
            if count > 0 {
                print_to_stderr(context.fill(key, &[("file", &file), ("count", &count)]));
            }
        }
        return Ok(ExitStatus::Faults);
    }
    pages.end().map_err(&failed)?;
    omitted(context, layout, dropped);
    Ok(told.max(if refused == 0 { ExitStatus::Clean } else { ExitStatus::Faults }))
}
