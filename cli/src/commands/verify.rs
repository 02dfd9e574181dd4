//! `quipu verify`: judges records on all cores and prints the verdicts in the order of the input.

mod render;

use std::{
    io::Write,
    sync::{Mutex, MutexGuard, PoisonError},
};

use clap::ArgMatches;
use quipu_notation::record::{Chunk, write};
use quipu_referee::{
    Diagnostic, Status,
    advice::{PlayerName, Players},
    competition::{Aliases, Related, Sheet, Sheets},
    verify::{self, Judged},
};

use self::render::{ReportFormat, Tally};
use crate::{
    args::{jobs, reading},
    context::{CommandResult, Context, ExitStatus, complain, stdout},
    input::{self, Found, InputSource},
    origins::Origins,
    pool::{self, RecordCount, Slice, Work},
};

/// Bytes that games are kept in, to find further sheets of them: some hundred thousand games.
const SHEETS: usize = 64 * 1024 * 1024;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let paths = matches.get_many("path").unwrap_or_default();
    let Found { sources, mut failures, mut passed_over } = if paths.len() == 0 {
        return Err(crate::context::CommandError::Usage(context.say("verify.no-path").to_owned()));
    } else {
        input::sources(context, paths, reading(matches))
    };
    let printed = match (matches.get_flag("json"), matches.get_flag("boards")) {
        (true, _) => ReportFormat::Json,
        (false, boards) => ReportFormat::People { boards },
    };
    let mut tally = Tally::default();
    let mut out = stdout();
    let work = Rendering { context, form: printed, read: Mutex::default() };
    let read = pool::run(context, jobs(matches), &sources, reading(matches), &work, &mut |(text, part), failure| {
        tally += &part;
        failures.extend(failure);
        Ok(out.write_all(&text)?)
    })?;
    if printed != ReportFormat::Json {
        write!(out, "{}", tally.summary(context, sources.len()))?;
    }
    out.flush()?;
    if work.read().sheets.forgot() {
        complain(context.say("sheets.forgotten"));
    }
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
    }
    passed_over += read.passed_over;
    let told = passed_over.tell(context, reading(matches).format, read.records, !failures.is_empty());
    let refused = tally.count(Status::Rejected) + tally.count(Status::Unreadable) + tally.contradictions;
    Ok(told.max(match (failures.is_empty(), refused) {
        (false, _) => ExitStatus::Failed,
        (true, 0) => ExitStatus::Clean,
        (true, _) => ExitStatus::Findings,
    }))
}

/// Prints verdicts, and counts them by status.
struct Rendering {
    context: Context,
    form: ReportFormat,
    read: Mutex<ReadSheets>,
}

/// The sheets that were read, and their sources.
struct ReadSheets {
    sheets: Sheets,
    origins: Origins,
    /// The names in them.
    players: Players,
}

impl Default for ReadSheets {
    fn default() -> Self {
        Self { sheets: Sheets::within(SHEETS), origins: Origins::default(), players: Players::default() }
    }
}

/// A judged record with its relation to those before it.
struct RelatedRecord<'b> {
    chunk: Chunk<'b>,
    judged: Judged<'b>,
    /// Until it is compared with the others.
    sheet: Option<Sheet>,
    related: Related,
}

impl RelatedRecord<'_> {
    /// Adds advice on names that are close to those before.
    fn compare_names(&mut self, players: &mut Players) {
        let Self { chunk, judged: Judged { record, verdict }, .. } = self;
        for name in record.iter().flat_map(|record| PlayerName::all(record)) {
            let found = players.note(&name).map(|found| {
                let place = found.span.map(|span| chunk.place(span.start as usize));
                Diagnostic { place, ..found }
            });
            verdict.advice.extend(found);
        }
    }
}

impl Rendering {
    fn read(&self) -> MutexGuard<'_, ReadSheets> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work for Rendering {
    type Item<'b> = RelatedRecord<'b>;
    type Part = (Vec<u8>, Tally);

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = RelatedRecord<'b>> {
        let aliases = Aliases::default();
        verify::with_texts(chunks).map(move |(chunk, judged, text)| {
            let record = judged.record.as_ref();
            let sheet = record.and_then(|of| Sheet::new(of, &judged.verdict, write::tokens(&text), &aliases));
            RelatedRecord { chunk, judged, sheet, related: Related::default() }
        })
    }

    fn in_order(&self, source: &InputSource, before: RecordCount, records: &mut [RelatedRecord<'_>]) {
        let ReadSheets { sheets, origins, players } = &mut *self.read();
        if before.in_source == 0 {
            origins.add(source, before.in_all + 1);
        }
        for (place, record) in (before.in_all + 1..).zip(records) {
            if let Some(sheet) = record.sheet.take() {
                record.related = sheets.add(place, &sheet);
            }
            if !players.is_full() {
                record.compare_names(players);
            }
        }
    }

    fn part(&self, slice: Slice<'_, RelatedRecord<'_>>) -> Self::Part {
        let (mut text, mut tally) = (Vec::new(), Tally::default());
        let path = slice.source.path();
        for (number, record) in (slice.before.in_source + 1..).zip(&slice.records) {
            let RelatedRecord { chunk, judged, related, .. } = record;
            tally.add(judged.verdict.status, related);
            let part = chunk.part().and_then(|part| slice.parts.get(part - 1)).map(String::as_str);
            let source = render::From { path: path.as_deref(), part, name: slice.name_of(chunk) };
            let is_related = *related != Related::default();
            let read = is_related.then(|| self.read());
            let related = read.as_deref().map(|read| (related, &read.origins));
            render::record(self.context, self.form, &source, number, chunk, judged, related, &mut text);
        }
        (text, tally)
    }
}
