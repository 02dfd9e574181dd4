//! `quipu archive export`: writes records of the archive one by one, in any output format.

use std::{collections::BTreeSet, ffi::OsString, path::Path};

use clap::ArgMatches;
use quipu_archive::{
    model::{Card, Source},
    store::StoreError,
};
use quipu_notation::record::{
    Chunk,
    write::{FileFormat, Omitted},
};
use quipu_referee::games;

use super::{failure, filter::filter};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, complain},
    output::{self, Output},
    record_writer::{RecordWriter, omitted},
};

/// Records in memory at once.
const PAGE: usize = 64;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let (layout, verbatim) = (text(matches, "to").and_then(FileFormat::parse), matches.get_flag("source"));
    if layout.is_some() && verbatim {
        return Err(CommandError::Usage(context.say("archive.export.source-or-to").to_owned()));
    }
    let folder = super::folder(context, matches)?;
    let path = matches.get_one::<OsString>("output").map(Path::new).filter(|path| *path != Path::new("-"));
    path.map_or(Ok(()), |path| output::spare_archives(context, path, Some(&folder)))?;
    let store = super::open(context, &folder)?;
    let filter = filter(context, matches, &store)?;
    let out = path.map_or_else(|| Ok(Output::stdout()), |path| Output::file(context, path, Some(&folder)))?;
    let failed = |error: std::io::Error| match path {
        Some(path) => output::failure(context, path, &error),
        None => CommandError::from(error),
    };
    let mut pages = RecordWriter::new(context, layout.unwrap_or_default(), out)?;
    let (mut dropped, mut unreadable, mut forms) = (Omitted::default(), 0_u64, BTreeSet::new());
    let mut since = matches.get_one::<u64>("since").map_or(0, |&since| i64::try_from(since).unwrap_or(i64::MAX));
    loop {
        let found = store.read(|reading| reading.export(&filter, since, PAGE, usize::MAX));
        let found: Vec<(Card, Option<Source>)> = found.map_err(|error: StoreError| failure(context, &error))?;
        let Some((last, _)) = found.last() else { break };
        since = last.number;
        for source in found.iter().filter_map(|(_, source)| source.as_ref()) {
            if verbatim {
                forms.insert(source.form.as_str());
                pages.add_as_is(&source.bytes).map_err(failed)?;
                continue;
            }
            for record in Chunk::in_form(&source.bytes, source.form).records() {
                let Ok(record) = record else {
                    unreadable += 1;
                    continue;
                };
                let game = record.value("Game").and_then(games::find);
                let canonical = game.map(|game| game.normalized(&record));
                dropped += pages.add(canonical.as_ref().unwrap_or(&record)).map_err(failed)?;
            }
        }
    }
    pages.end().map_err(failed)?;
    omitted(context, layout.unwrap_or_default(), dropped);
    if forms.len() > 1 {
        let forms = forms.into_iter().collect::<Vec<_>>().join(", ");
        complain(context.fill("archive.export.mixed", &[("forms", &forms)]));
    }
    if unreadable > 0 {
        complain(context.fill("archive.export.unreadable", &[("count", &unreadable)]));
        return Ok(ExitStatus::Faults);
    }
    Ok(ExitStatus::Clean)
}
