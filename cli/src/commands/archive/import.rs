//! `quipu archive import`: stores records of any format, judged on all cores and written by the archive's one writer.
//!
//! Batches of records go to the writer while others are judged. The number of batches in flight is limited, which
//! bounds memory and keeps the writer busy.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
};

use clap::ArgMatches;
use quipu_archive::{
    model::{By, Submission},
    report::ImportReport,
    store::{Added, Contradiction, Pending, Relations, Store, StoreError},
};
use quipu_notation::{LineColumn, record::Chunk};
use quipu_referee::{
    Diagnostic, Status,
    report::{self, hex},
};

use super::failure;
use crate::{
    args::{jobs, reading},
    context::{CommandError, CommandResult, Context, ExitStatus, complain, harmless, stdout},
    input::{self, Found},
    origins::told,
    output::{self, Output},
    part,
    pool::{self, Slice, Work},
};

/// Digits of an id that are shown.
const SHORT: usize = 12;
/// Records in a batch for the writer, at most.
const BATCH: usize = 500;
/// Bytes in a batch for the writer, at most.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Batches in flight, at most.
const IN_FLIGHT: usize = 8;
/// Records named that are not verified, at most.
const NAMED: usize = 20;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let Found { sources, mut failures, mut passed_over } = input::asked(context, matches, reading(matches))?;
    let path = matches.get_one::<OsString>("refused").map(PathBuf::from);
    if let Some(path) = path.as_deref().filter(|path| sources.iter().any(|source| source.is(path))) {
        let file = harmless(&path.display().to_string());
        return Err(CommandError::Usage(context.fill("archive.import.refused-source", &[("file", &file)])));
    }
    let folder = super::folder(context, matches)?;
    // Checked before the archive is opened: a refused command must not create one.
    path.as_deref().map_or(Ok(()), |path| output::spare_archives(context, path, Some(&folder)))?;
    let store = super::open_or_make(context, &folder)?;
    let failed = |path: &Path, error| output::failure(context, path, &error);
    let mut refused =
        path.map(|path| Output::file(context, &path, Some(&folder)).map(|out| (out, path))).transpose()?;
    let mut importer =
        BatchImporter::new(context, &store, super::by(matches, "archive import"), matches.get_flag("keep-refused"));

    let work = Submitting { context, explains: refused.is_some() };
    let mut named = Vec::new();
    let read =
        pool::run(context, jobs(matches), &sources, reading(matches), &work, &mut |part: SubmissionPart, failure| {
            failures.extend(failure);
            if let Some((out, path)) = &mut refused {
                out.write_all(&part.refused).map_err(|error| failed(path, error))?;
            }
            named.extend(part.named.into_iter().take(NAMED.saturating_sub(named.len())));
            part.submissions.into_iter().try_for_each(|(origin, submission)| importer.take(origin, submission))
        })?;
    let report = importer.close(&folder, sources.len())?;
    if let Some((out, path)) = refused {
        out.finish().map_err(|error| failed(&path, error))?;
    }

    // All records are stored by now; merging the index only makes searches faster. The report is printed even if merging fails,
    // and merging happens even if nobody reads the report.
    let settled = store.merge_index(report.new);
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&report, &mut out)?;
    } else {
        writeln!(out, "{}", summary(context, &report))?;
        writeln!(out, "{}", context.fill("archive.import.archive", &[("folder", &harmless(&report.archive))]))?;
    }
    out.flush()?;
    tell_rejected(context, &named, report.incomplete + report.rejected + report.unreadable);
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
    }
    passed_over += read.passed_over;
    let told = passed_over.tell(context, reading(matches).format, read.records, !failures.is_empty());
    settled.map_err(|error| self::failure(context, &error))?;
    let found = report.rejected + report.unreadable + report.contradictions;
    Ok(told.max(match (failures.is_empty(), found) {
        (false, _) => ExitStatus::Failed,
        (true, 0) => ExitStatus::Clean,
        (true, _) => ExitStatus::Findings,
    }))
}

/// Names the first records that are not verified, and counts the others.
fn tell_rejected(context: Context, named: &[String], all: u64) {
    named.iter().for_each(complain);
    let more = all.saturating_sub(named.len() as u64);
    if more > 0 {
        complain(context.fill("archive.import.rejected-more", &[("count", &more)]));
    }
}

fn summary(context: Context, report: &ImportReport) -> String {
    let mut summary = context.fill(
        "archive.import.summary",
        &[
            ("read", &report.read),
            ("new", &report.new),
            ("duplicate", &report.duplicate),
            ("incomplete", &report.incomplete),
            ("rejected", &report.rejected),
            ("unreadable", &report.unreadable),
        ],
    );
    let related = [("verify.sheets", report.sheets), ("verify.contradictions", report.contradictions)];
    for (key, count) in related.into_iter().filter(|(_, count)| *count > 0) {
        summary.extend([" · ", &context.fill(key, &[("count", &count)])]);
    }
    summary
}

/// Judges records and makes submissions of them.
struct Submitting {
    context: Context,
    /// Records that are not verified are written to `--refused` with the reasons.
    explains: bool,
}

/// The submissions of a slice of records.
struct SubmissionPart {
    /// Each with its file and its number there.
    submissions: Vec<(String, Submission)>,
    /// Text for `--refused`: the records that are not verified, with the reasons.
    refused: Vec<u8>,
    /// A line about each of the first of them.
    named: Vec<String>,
}

impl Work for Submitting {
    /// The chunk without its text, the place where the record begins, and its submission.
    type Item<'b> = (Chunk<'static>, LineColumn, Submission);
    type Part = SubmissionPart;
    const PRINTS: bool = false;

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Item<'b>> {
        let mut at = (None, 0);
        Submission::of_chunks(chunks).map(move |(chunk, submission)| {
            // Records of one chunk follow each other without a gap.
            if at.0 != Some(chunk.offset()) {
                at = (Some(chunk.offset()), 0);
            }
            let place = chunk.place(at.1);
            at.1 += submission.source.len();
            (chunk.with_text(&[]), place, submission)
        })
    }

    fn part(&self, slice: Slice<'_, Self::Item<'_>>) -> SubmissionPart {
        let (mut refused, mut named) = (Vec::new(), Vec::new());
        for (number, (chunk, place, submission)) in (slice.before.in_source + 1..).zip(&slice.records) {
            if submission.verdict.status == Status::Verified {
                continue;
            }
            if named.len() < NAMED {
                named.push(self.line(&slice.name_of(chunk), number, chunk, *place, submission));
            }
            if self.explains {
                self.explain(&slice.name_of(chunk), number, chunk, *place, submission, &mut refused);
            }
        }
        let sources: Vec<_> = slice.records.iter().map(|(chunk, ..)| slice.name_of(chunk)).collect();
        let numbered = (slice.before.in_source + 1..).zip(sources).map(|(number, name)| format!("{name} {number}"));
        let submissions = numbered.zip(slice.records.into_iter().map(|(.., submission)| submission));
        SubmissionPart { submissions: submissions.collect(), refused, named }
    }
}

impl Submitting {
    /// A record that is not verified in one line: its place, its number, its status and its first error.
    fn line(&self, name: &str, number: u64, chunk: &Chunk<'_>, start: LineColumn, submission: &Submission) -> String {
        let verdict = &submission.verdict;
        let found = verdict.first_error().or(verdict.diagnostics.first());
        let place = found.and_then(|found| placed(start, found, submission)).unwrap_or(start);
        let (place, status) = (part::place(name, chunk, place), self.context.word(verdict.status.word()));
        let mut line = self
            .context
            .fill("archive.import.rejected", &[("place", &place), ("number", &number), ("status", &status)]);
        if let Some(found) = found {
            line.push_str(&format!(": {}: {}", found.code().id, self.context.message(&found.message)));
        }
        line
    }

    /// Writes a record after the reasons against it, which stand in comment lines.
    fn explain(
        &self,
        name: &str,
        number: u64,
        chunk: &Chunk<'_>,
        start: LineColumn,
        submission: &Submission,
        out: &mut Vec<u8>,
    ) {
        let status = self.context.word(submission.verdict.status.word());
        let mut lines = vec![format!("{name} {number}: {status}")];
        lines.extend(submission.verdict.diagnostics.iter().map(|found| {
            let place = placed(start, found, submission);
            let place = place.map_or_else(|| name.to_owned(), |place| part::place(name, chunk, place));
            format!("{place}: {}: {}", found.code().id, self.context.message(&found.message))
        }));
        for line in lines {
            out.extend(format!("% {}\n", harmless(&line)).into_bytes());
        }
        out.extend(&submission.source);
        out.extend(if submission.source.ends_with(b"\n") { &b"\n"[..] } else { b"\n\n" });
    }
}

/// The place of a diagnostic in the file, given where the record starts.
fn placed(start: LineColumn, found: &Diagnostic, submission: &Submission) -> Option<LineColumn> {
    // An oversized record has its place in the file already, and its text is not kept.
    found.place.map(|place| if submission.is_whole() { behind(start, place) } else { place })
}

/// Converts a place inside a record to a place in the file, given where the record starts.
fn behind(start: LineColumn, place: LineColumn) -> LineColumn {
    let column = if place.line == 1 { start.column + place.column - 1 } else { place.column };
    LineColumn { line: start.line + place.line - 1, column }
}

/// Hands batches of submissions to the writer and counts the outcomes.
struct BatchImporter<'s> {
    context: Context,
    store: &'s Store,
    by: By,
    keep_refused: bool,
    batch: Vec<(String, Submission)>,
    bytes: usize,
    in_flight: VecDeque<Pending<BatchOutcome, StoreError>>,
    report: ImportReport,
}

/// New records and duplicates in a batch, and the origins of new records with relations to others.
type BatchOutcome = ([u64; 2], Vec<(String, Relations)>);

impl<'s> BatchImporter<'s> {
    fn new(context: Context, store: &'s Store, by: By, keep_refused: bool) -> Self {
        let (batch, in_flight) = (Vec::new(), VecDeque::new());
        Self { context, store, by, keep_refused, batch, bytes: 0, in_flight, report: ImportReport::default() }
    }

    fn take(&mut self, origin: String, submission: Submission) -> Result<(), CommandError> {
        self.report.read += 1;
        match submission.verdict.status {
            Status::Verified => {}
            Status::Incomplete => self.report.incomplete += 1,
            Status::Rejected => self.report.rejected += 1,
            Status::Unreadable => self.report.unreadable += 1,
        }
        self.bytes += submission.source.len();
        self.batch.push((origin, submission));
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES { self.hand_in() } else { Ok(()) }
    }

    /// Hands the batch to the writer. Waits for the oldest batch if too many are in flight.
    fn hand_in(&mut self) -> Result<(), CommandError> {
        let (batch, by, keep_refused) = (std::mem::take(&mut self.batch), self.by.clone(), self.keep_refused);
        self.bytes = 0;
        self.in_flight.push_back(self.store.write_slowly(move |writing| {
            let (mut stored, mut related) = ([0; 2], Vec::new());
            for (origin, submission) in &batch {
                match writing.add(submission, &by, keep_refused)? {
                    Added::New(number) => {
                        stored[0] += 1;
                        let found = writing.relations(number)?;
                        if found != Relations::default() {
                            related.push((origin.clone(), found));
                        }
                    }
                    Added::There(..) => stored[1] += 1,
                    Added::Refused => {}
                }
            }
            Ok((stored, related))
        }));
        if self.in_flight.len() > IN_FLIGHT { self.wait() } else { Ok(()) }
    }

    /// Waits for the oldest batch.
    fn wait(&mut self) -> Result<(), CommandError> {
        let Some(oldest) = self.in_flight.pop_front() else { return Ok(()) };
        let ([new, duplicate], related) = oldest.wait().map_err(|error| failure(self.context, &error))?;
        self.report.new += new;
        self.report.duplicate += duplicate;
        for (origin, related) in related {
            self.tell(&origin, &related);
        }
        Ok(())
    }

    /// Reports the relations of a new record to those in the archive.
    fn tell(&mut self, origin: &str, Relations { sheet_of, contradicts }: &Relations) {
        let context = self.context;
        if let Some(counted) = sheet_of {
            self.report.sheets += 1;
            let id = &hex(counted)[..SHORT];
            complain(context.fill("archive.import.sheet", &[("sheet", &origin), ("id", &id)]));
        }
        if let Some(found @ Contradiction { difference, .. }) = contradicts {
            self.report.contradictions += 1;
            let other = format!("{}…", &hex(&found.earlier())[..SHORT]);
            let what =
                difference.as_ref().map_or_else(|| other.clone(), |difference| told(context, &other, difference));
            complain(context.fill("sheets.contradicts", &[("sheet", &origin), ("what", &what)]));
        }
    }

    /// Waits for all batches.
    fn close(mut self, folder: &Path, files: usize) -> Result<ImportReport, CommandError> {
        self.hand_in()?;
        while !self.in_flight.is_empty() {
            self.wait()?;
        }
        self.report.files = files;
        self.report.archive = folder.display().to_string();
        Ok(self.report)
    }
}
