//! `quipu archive export`: writes records of the archive one by one, in any output format or as a table.

use std::{collections::BTreeSet, ffi::OsString, io, path::Path};

use clap::ArgMatches;
use quipu_archive::{
    model::{Card, Source},
    store::{Filter, ReadTx, Store, StoreError},
};
use quipu_notation::record::{
    Chunk, Record,
    write::{FileFormat, Omitted, OutputFormat},
};
use quipu_referee::{
    competition::{event, known_value},
    games,
    report::hex,
};

use super::{
    failure,
    filter::filter,
    parquet::{ParquetRow, ParquetWriter},
};
use crate::{
    args::text,
    command::PARQUET,
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr},
    output::{self, Output},
    record_writer::{AddError, RecordWriter, omitted},
};

/// Records in memory at once.
const PAGE: usize = 64;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let (format, verbatim) = (text(matches, "to"), matches.get_flag("source"));
    if format.is_some() && verbatim {
        return Err(CommandError::Usage(context.say("archive.export.source-or-to").to_owned()));
    }
    let settings = super::settings(context, matches)?;
    let folder = settings.data.clone();
    let path = matches.get_one::<OsString>("output").map(Path::new).filter(|path| *path != Path::new("-"));
    path.map_or(Ok(()), |path| output::spare_archives(context, path, Some(&folder)))?;
    let store = super::open(context, &settings)?;
    let filter = filter(context, matches, &store)?;
    let out = path.map_or_else(|| Ok(Output::stdout()), |path| Output::file(context, path, Some(&folder)))?;
    let since = matches.get_one::<u64>("since").map_or(0, |&since| i64::try_from(since).unwrap_or(i64::MAX));
    let export = Export { context, store, filter, path };
    let left_out = if format == Some(PARQUET) {
        export.table(since, ParquetWriter::new(context, out)?)?
    } else {
        let layout = format.and_then(FileFormat::parse).unwrap_or_default();
        let pages = RecordWriter::new(context, layout, out)?;
        if verbatim { export.sources(since, pages)? } else { export.records(since, layout, pages)? }
    };
    Ok(if left_out == 0 { ExitStatus::Clean } else { ExitStatus::Faults })
}

/// A stored record, and the names that its players count under.
struct Stored {
    card: Card,
    source: Source,
    players: [Option<String>; 2],
}

/// The records of an archive that a filter selects. Its functions return the number of records that they leave out and report:
/// unreadable ones, which only their sources show, and those that do not fit into the format.
struct Export<'p> {
    context: Context,
    store: Store,
    filter: Filter,
    path: Option<&'p Path>,
}

impl Export<'_> {
    /// Calls back with the records stored after a change, page by page.
    fn each(&self, mut since: i64, mut take: impl FnMut(Stored) -> io::Result<()>) -> Result<(), CommandError> {
        loop {
            let page = self.store.read(|reading| self.page(reading, since));
            let page = page.map_err(|error: StoreError| failure(self.context, &error))?;
            let Some(last) = page.last() else { return Ok(()) };
            since = last.card.number;
            page.into_iter().try_for_each(&mut take).map_err(|error| self.failed(error))?;
        }
    }

    fn page(&self, reading: &ReadTx<'_>, since: i64) -> Result<Vec<Stored>, StoreError> {
        let name = |player: &Option<(i64, String)>| -> Result<Option<String>, StoreError> {
            let Some((number, _)) = player else { return Ok(None) };
            Ok(reading.player(*number)?.map(|person| person.counted().1))
        };
        let found = reading.export(&self.filter, since, PAGE, usize::MAX)?;
        let found = found.into_iter().filter_map(|(card, source)| Some((card, source?)));
        let stored = found.map(|(card, source)| {
            let [one, two] = card.players.each_ref().map(name);
            Ok(Stored { players: [one?, two?], card, source })
        });
        stored.collect()
    }

    fn failed(&self, error: io::Error) -> CommandError {
        match self.path {
            Some(path) => output::failure(self.context, path, &error),
            None => CommandError::from(error),
        }
    }

    /// Writes the records as they were submitted.
    fn sources(&self, since: i64, mut pages: RecordWriter) -> Result<u64, CommandError> {
        let mut forms = BTreeSet::new();
        self.each(since, |Stored { source, .. }| {
            forms.insert(source.format.as_str());
            pages.add_as_is(&source.bytes)
        })?;
        pages.end().map_err(|error| self.failed(error))?;
        if forms.len() > 1 {
            let forms = forms.into_iter().collect::<Vec<_>>().join(", ");
            print_to_stderr(self.context.fill("archive.export.mixed", &[("forms", &forms)]));
        }
        Ok(0)
    }

    /// Writes the readable records in a format.
    fn records(&self, since: i64, layout: FileFormat, mut pages: RecordWriter) -> Result<u64, CommandError> {
        let (mut dropped, mut unreadable, mut unfit) = (Omitted::default(), 0, 0_u64);
        self.each(since, |Stored { card, source, .. }| {
            let place = self.context.fill("archive.export.place", &[("number", &card.number)]);
            unreadable += each_readable(&source, |record| {
                match pages.add_placed(record, |_| Some(place.clone())) {
                    Ok(omitted) => dropped += omitted,
                    Err(AddError::Output(error)) => return Err(error),
                    Err(AddError::Record(reason)) => {
                        unfit += 1;
                        print_to_stderr(format!("{place}: {reason}"));
                    }
                }
                Ok(())
            })?;
            Ok(())
        })?;
        pages.end().map_err(|error| self.failed(error))?;
        omitted(self.context, layout, dropped);
        self.tell_unreadable(unreadable);
        if unfit > 0 {
            let form = layout.as_str();
            print_to_stderr(self.context.fill("archive.export.unfit", &[("count", &unfit), ("form", &form)]));
        }
        Ok(unreadable + unfit)
    }

    /// Writes the readable records as a table.
    fn table(&self, since: i64, mut rows: ParquetWriter) -> Result<u64, CommandError> {
        let mut unreadable = 0;
        self.each(since, |Stored { card, source, mut players }| {
            let (id, sheet_of) = (hex(&card.id), card.sheet_of.map(|id| hex(&id)));
            unreadable += each_readable(&source, |record| {
                rows.add(&ParquetRow {
                    number: card.number,
                    id: &id,
                    record: OutputFormat::Quipu.write(record).0,
                    game: card.game.map(|game| game.id),
                    event: event(record),
                    round: known_value(record, "Round"),
                    players: players.each_mut().map(Option::take),
                    date: card.date,
                    status: card.status.as_str(),
                    result: card.result.as_deref(),
                    termination: card.termination.as_deref(),
                    plies: card.plies,
                    points: card.points.map(|points| points.counted()),
                    sheet_of: sheet_of.as_deref(),
                })
            })?;
            Ok(())
        })?;
        rows.end().map_err(|error| self.failed(error))?;
        self.tell_unreadable(unreadable);
        Ok(unreadable)
    }

    /// Reports unreadable records, if there are any.
    fn tell_unreadable(&self, count: u64) {
        if count > 0 {
            print_to_stderr(self.context.fill("archive.export.unreadable", &[("count", &count)]));
        }
    }
}

/// Calls back with the record of a source in its canonical form; returns 1 if it is unreadable.
fn each_readable(source: &Source, mut take: impl FnMut(&Record<'_>) -> io::Result<()>) -> io::Result<u64> {
    let mut unreadable = 0;
    for record in Chunk::in_format(&source.bytes, source.format).records() {
        let Ok(record) = record else {
            unreadable += 1;
            continue;
        };
        take(&games::normalized(&record))?;
    }
    Ok(unreadable)
}
