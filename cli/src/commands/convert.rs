//! `quipu convert`: converts records from one format to another.

use std::{ffi::OsString, io, path::Path};

use clap::ArgMatches;
use quipu_notation::record::write::{FileFormat, Omitted};

use crate::{
    args::{reading, text},
    config,
    context::{CommandError, CommandResult, Context, ExitStatus, complain, harmless},
    input::{self, InputSource},
    output::{self, Output},
    record_writer::{RecordWriter, omitted},
    transcode,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let file = matches.get_one("file").expect("the parser asks for it");
    let layout = text(matches, "to")
        .and_then(FileFormat::parse)
        .ok_or_else(|| CommandError::Usage(context.fill("usage.missing", &[("argument", &"--to")])))?;
    let (source, reader) = InputSource::open_one(context, file, reading(matches))?;
    let path = matches.get_one::<OsString>("output").map(Path::new).filter(|path| *path != Path::new("-"));
    let folder = config::usual_folder();
    let out = path.map_or_else(|| Ok(Output::stdout()), |path| Output::file(context, path, folder.as_deref()))?;
    let failed = |error: io::Error| match path {
        Some(path) => output::failure(context, path, &error),
        None => CommandError::from(error),
    };
    let mut pages = RecordWriter::new(context, layout, out)?;
    let mut dropped = Omitted::default();
    let done = transcode::each(context, &source, reader, |_, record| {
        dropped += pages.add(record).map_err(failed)?;
        Ok(())
    })?;
    let told = done.passed_over.tell(context, reading(matches).format, done.records, false);
    let refused = done.unreadable;
    if (refused > 0 || done.records == 0)
        && let Some(path) = path.filter(|path| !input::is_special(path))
    {
        // A part of the records must not take the place of a file.
        let file = harmless(&path.display().to_string());
        complain(context.fill("convert.unwritten", &[("file", &file), ("count", &refused)]));
        return Ok(ExitStatus::Findings);
    }
    pages.end().map_err(failed)?;
    omitted(context, layout, dropped);
    Ok(told.max(if refused == 0 { ExitStatus::Clean } else { ExitStatus::Findings }))
}
