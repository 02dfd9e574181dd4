//! `quipu verify`: judges records on all cores and prints the verdicts in the order of the input.

mod finding;
mod github;
mod json;
mod origin;
mod relations;
mod render;
mod sarif;
mod short;

use std::{
    borrow::Cow,
    io::{self, Write},
    iter,
    sync::{Mutex, MutexGuard, PoisonError},
};

use clap::ArgMatches;
use quipu_notation::record::Chunk;
use quipu_referee::{
    Diagnostic, Status,
    advice::{PlayerName, Players},
    competition::{Aliases, Moves, Related, Sheet, Sheets},
    verify::{self, Judged},
};

use self::{finding::Finding, origin::Origin, relations::RelatedTo, render::Tally};
use crate::{
    args::{self, jobs, reading},
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr},
    input::{self, FoundSources, InputSource},
    origins::Origins,
    output::{self, Output},
    pool::{self, RecordCount, Slice, Work},
    report_format::ReportFormat,
};

/// Rejected records of one run whose readings are searched.
const SEARCHED: usize = 10;

/// Bytes that the line of a record seldom exceeds, and a JSON object: growing step by step copies them again and again.
const LINE: usize = 128;
const OBJECT: usize = 512;

/// Bytes for the games that are kept to find further sheets of them: more than three thousand games.
const SHEETS: usize = 2 * 1024 * 1024;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let asked = args::text(matches, "output-format").and_then(ReportFormat::parse);
    let form = match (asked, matches.get_flag("json")) {
        (Some(form), true) if form != ReportFormat::Json => {
            return Err(CommandError::Usage(context.say("verify.json-or-format").to_owned()));
        }
        (_, true) => ReportFormat::Json,
        (asked, false) => asked.unwrap_or(ReportFormat::Text),
    };
    let FoundSources { sources, mut failures, mut skipped } = input::find_sources(context, matches, reading(matches))?;
    let work = Reporting {
        context,
        form: (!matches.get_flag("quiet")).then_some(form),
        boards: matches.get_flag("boards"),
        only_faults: matches.get_flag("only-faults"),
        statuses: Status::ALL.map(|status| context.word(status.word())),
        read: Mutex::default(),
    };
    let mut tally = Tally::default();
    let failed = output::failed(context, matches);
    let out = Output::from_args(context, matches, false)?;
    let mut out = Report { form: work.form, out, failed: &failed, begun: false };
    out.begin(context)?;
    for failure in &failures {
        out.add(&work.failed(failure))?;
    }
    let read = pool::run(context, jobs(matches), &sources, reading(matches), &work, &mut |(text, part), failure| {
        tally += &part;
        out.add(&text)?;
        if let Some(failure) = failure {
            out.add(&work.failed(&failure))?;
            failures.push(failure);
        }
        Ok(())
    })?;
    let refused = tally.count(Status::Rejected) + tally.count(Status::Unreadable) + tally.contradictions;
    let status = match (failures.is_empty(), refused) {
        (false, _) => ExitStatus::Failed,
        (true, 0) => ExitStatus::Clean,
        (true, _) => ExitStatus::Faults,
    };
    match work.form {
        Some(ReportFormat::Text) => out.add(&tally.summary(context, sources.len()))?,
        Some(ReportFormat::Sarif) => out.write(&sarif::end(context, &failures, status))?,
        _ => {}
    }
    out.out.finish().map_err(&failed)?;
    if work.read().sheets.forgot() {
        print_to_stderr(context.say("sheets.forgotten"));
    }
    for failure in &failures {
        print_to_stderr(context.fill("error", &[("what", failure)]));
    }
    skipped += read.skipped;
    let told = skipped.tell(context, reading(matches).format, read.records, !failures.is_empty());
    Ok(told.max(status))
}

/// The output of the command, in one format; without one, nothing is printed.
struct Report<'r> {
    form: Option<ReportFormat>,
    out: Output,
    failed: &'r (dyn Fn(io::Error) -> CommandError + Sync),
    /// True once a result was written.
    begun: bool,
}

impl Report<'_> {
    fn write(&mut self, text: &[u8]) -> Result<(), CommandError> {
        self.out.write_all(text).map_err(self.failed)
    }

    fn begin(&mut self, context: Context) -> Result<(), CommandError> {
        if self.form == Some(ReportFormat::Sarif) {
            self.write(&sarif::begin(context))?;
        }
        Ok(())
    }

    /// Writes results, which are separated in the formats that are one document.
    fn add(&mut self, text: &[u8]) -> Result<(), CommandError> {
        if self.form == Some(ReportFormat::Sarif) && !text.is_empty() && std::mem::replace(&mut self.begun, true) {
            self.write(sarif::SEPARATOR)?;
        }
        self.write(text)
    }
}

/// A judged record with its relations to earlier ones.
struct RelatedRecord<'b> {
    chunk: Chunk<'b>,
    judged: Box<Judged<'b>>,
    /// Until it is compared with the others. Most inputs without names have none, and a record is small to move without it.
    sheet: Option<Box<Sheet>>,
    related: Related,
    /// True if its readings are to be searched.
    searched: bool,
}

/// The sheets that were read, and their sources.
struct ReadSheets {
    sheets: Sheets,
    origins: Origins,
    /// The names in them.
    players: Players,
    /// Rejected records whose readings are searched.
    searched: usize,
}

impl Default for ReadSheets {
    fn default() -> Self {
        Self { sheets: Sheets::within(SHEETS), origins: Origins::default(), players: Players::default(), searched: 0 }
    }
}

/// Prints verdicts, and counts them by status.
struct Reporting {
    context: Context,
    /// The format; `None` to print nothing.
    form: Option<ReportFormat>,
    /// True to draw the board before a faulty move.
    boards: bool,
    /// True to print only records that change the exit status.
    only_faults: bool,
    /// The words for [`Status::ALL`].
    statuses: [&'static str; Status::ALL.len()],
    read: Mutex<ReadSheets>,
}

impl RelatedRecord<'_> {
    /// Adds advice on names that are close to earlier ones.
    fn compare_names(&mut self, players: &mut Players) {
        let Self { chunk, judged, .. } = self;
        let Judged { record, verdict } = &mut **judged;
        for name in record.iter().flat_map(|record| PlayerName::all(record)) {
            let found = players.note(&name).map(|found| {
                let place = found.span.map(|span| chunk.place(span.start as usize));
                Diagnostic { place, ..found }
            });
            verdict.advice.extend(found);
        }
    }
}

/// The record as a sheet of a game, if its players have names.
fn sheet(judged: &Judged<'_>, moves: impl FnOnce() -> Moves) -> Option<Box<Sheet>> {
    Sheet::new(judged.record.as_ref()?, &judged.verdict, moves, &Aliases::default()).map(Box::new)
}

impl Work for Reporting {
    type Item<'b> = RelatedRecord<'b>;
    type SliceResult = (Vec<u8>, Tally);

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = RelatedRecord<'b>> {
        // Only JSON has ids.
        let (mut with_ids, mut without) = if self.form == Some(ReportFormat::Json) {
            let sheet = |judged: &Judged<'_>, text: &str| sheet(judged, || Moves::of_text(text));
            (Some(verify::with_texts(chunks, sheet)), None)
        } else {
            let sheet = |judged: &Judged<'_>, moves: &str| sheet(judged, || Moves::new(moves));
            (None, Some(verify::with_moves(chunks, Sheet::is_of, sheet)))
        };
        iter::from_fn(move || {
            let next = with_ids.as_mut().map_or_else(|| without.as_mut()?.next(), Iterator::next);
            let (chunk, judged, sheet) = next?;
            Some(RelatedRecord { chunk, judged, sheet, related: Related::default(), searched: false })
        })
    }

    fn in_order(&self, source: &InputSource, before: RecordCount, records: &mut [RelatedRecord<'_>]) {
        let ReadSheets { sheets, origins, players, searched } = &mut *self.read();
        if before.in_source == 0 {
            origins.add(source, before.in_all + 1);
        }
        for (place, record) in (before.in_all + 1..).zip(records) {
            if let Some(sheet) = record.sheet.take() {
                record.related = sheets.add(place, &sheet);
            }
            if self.form == Some(ReportFormat::Text) && record.judged.verdict.status == Status::Rejected {
                record.searched = *searched < SEARCHED;
                *searched += 1;
            }
            if !players.is_full() {
                record.compare_names(players);
            }
        }
    }

    fn slice_result(&self, slice: Slice<'_, RelatedRecord<'_>>) -> Self::SliceResult {
        let line = if self.form == Some(ReportFormat::Json) { OBJECT } else { LINE };
        let (mut text, mut tally) = (Vec::with_capacity(slice.records.len() * line), Tally::default());
        let (path, source) = (slice.source.path(), slice.source.name());
        for (number, record) in (slice.before.in_source + 1..).zip(&slice.records) {
            let RelatedRecord { chunk, judged, related, searched, .. } = record;
            let status = judged.verdict.status;
            tally.add(status, related);
            let is_fault = matches!(status, Status::Rejected | Status::Unreadable) || related.contradicts.is_some();
            if self.only_faults && !is_fault {
                continue;
            }
            let part = chunk.part().and_then(|part| slice.parts.get(part - 1)).map(String::as_str);
            let name = chunk.part().map_or(Cow::Borrowed(&*source), |_| slice.name_of(chunk).into());
            let origin = Origin { path: path.as_deref(), file: slice.source.file(), part, name: &name, number };
            let is_related = *related != Related::default();
            let read = is_related.then(|| self.read());
            let related = read.as_deref().map(|read| (related, &read.origins));
            self.print(&origin, chunk, judged, related, *searched, &mut text);
        }
        (text, tally)
    }
}

impl Reporting {
    fn read(&self) -> MutexGuard<'_, ReadSheets> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints the verdict on one record to `out`.
    fn print(
        &self,
        origin: &Origin<'_>,
        chunk: &Chunk<'_>,
        judged: &Judged<'_>,
        related: RelatedTo<'_>,
        searched: bool,
        out: &mut Vec<u8>,
    ) {
        let context = self.context;
        match self.form {
            None => {}
            Some(ReportFormat::Text) => {
                let shown = render::ReportParts { boards: self.boards, reading: searched, statuses: self.statuses };
                render::record(context, shown, origin, chunk, judged, related, out);
            }
            Some(ReportFormat::Json) => json::record(context, origin, judged, related, out),
            Some(form) => {
                for finding in finding::of_record(context, origin, chunk, judged, related) {
                    self.print_finding(form, &finding, out);
                }
            }
        }
    }

    fn print_finding(&self, form: ReportFormat, finding: &Finding<'_>, out: &mut Vec<u8>) {
        match form {
            ReportFormat::Short => out.extend_from_slice(short::line(finding).as_bytes()),
            ReportFormat::Github => out.extend_from_slice(github::command(finding).as_bytes()),
            ReportFormat::Sarif => {
                if !out.is_empty() {
                    out.extend_from_slice(sarif::SEPARATOR);
                }
                sarif::result(self.context, finding, out);
            }
            ReportFormat::Text | ReportFormat::Json => {}
        }
    }

    /// Prints a source that failed, in the formats that report it among the results. The format for people reports it on
    /// standard error, and SARIF in its invocation.
    fn failed(&self, failure: &input::Failure) -> Vec<u8> {
        let mut out = Vec::new();
        match self.form {
            None | Some(ReportFormat::Text | ReportFormat::Sarif) => {}
            Some(ReportFormat::Json) => json::failure(failure, &mut out),
            Some(form) => self.print_finding(form, &Finding::of_failure(failure), &mut out),
        }
        out
    }
}
