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
    model::{Attribution, Submission},
    report::ImportReport,
    store::{Added, Contradiction, Pending, Relations, Store, StoreError},
};
use quipu_notation::{LineColumn, LineIndex, record::Chunk};
use quipu_referee::{Diagnostic, Severity, Status, report};

use super::{failure, short};
use crate::{
    args::{jobs, reading},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout},
    input::{self, FoundSources},
    origins::difference_message,
    output::{self, Output},
    part,
    pool::{self, Slice, Work},
};

/// Records in a batch for the writer, at most.
const BATCH: usize = 500;
/// Bytes in a batch for the writer, at most.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Batches in flight, at most.
const IN_FLIGHT: usize = 8;
/// Records named that are not verified, at most, and warnings and advice told of others.
const NAMED: usize = 20;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let FoundSources { sources, mut failures, mut skipped } = input::find_sources(context, matches, reading(matches))?;
    let path = matches.get_one::<OsString>("unverified").map(PathBuf::from);
    if let Some(path) = path.as_deref().filter(|path| sources.iter().any(|source| source.is(path))) {
        let file = harmless(&path.display().to_string());
        return Err(CommandError::Usage(context.fill("archive.import.unverified-source", &[("file", &file)])));
    }
    let settings = super::settings(context, matches)?;
    let folder = settings.data.clone();
    // Checked before the archive is opened: a refused command must not create one.
    path.as_deref().map_or(Ok(()), |path| output::spare_archives(context, path, Some(&folder)))?;
    let store = super::open_or_make(context, &settings)?;
    let failed = |path: &Path, error| output::failure(context, path, &error);
    let mut unverified =
        path.map(|path| Output::file(context, &path, Some(&folder)).map(|out| (out, path))).transpose()?;
    let keep_unverified = matches.get_flag("keep-unverified");
    let mut importer = BatchImporter::new(context, &store, super::by(matches, "archive import"), keep_unverified);

    let work = Submitting { context, keep_unverified, explains: unverified.is_some() };
    let (mut named, mut told_of) = (Vec::new(), Vec::new());
    let mut found = [0; 2];
    let read = pool::run(
        context,
        jobs(matches),
        &sources,
        reading(matches),
        &work,
        &mut |slice: SubmissionSlice, failure| {
            failures.extend(failure);
            if let Some((out, path)) = &mut unverified {
                out.write_all(&slice.unverified).map_err(|error| failed(path, error))?;
            }
            named.extend(slice.named.into_iter().take(NAMED.saturating_sub(named.len())));
            told_of.extend(slice.told.into_iter().take(NAMED.saturating_sub(told_of.len())));
            found = [found[0] + slice.found[0], found[1] + slice.found[1]];
            slice.submissions.into_iter().try_for_each(|(origin, submission)| importer.take(origin, submission))
        },
    )?;
    let [warnings, advice] = found;
    let report = ImportReport { warnings, advice, ..importer.close(&folder, sources.len())? };
    if let Some((out, path)) = unverified {
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
    let count = report.incomplete + report.rejected + report.unreadable;
    tell(context, &named, count, "archive.import.rejected-more");
    tell(context, &told_of, warnings + advice, "archive.import.found-more");
    for failure in &failures {
        print_to_stderr(context.fill("error", &[("what", failure)]));
    }
    skipped += read.skipped;
    let told = skipped.tell(context, reading(matches).format, read.records, !failures.is_empty());
    settled.map_err(|error| self::failure(context, &error))?;
    let found = report.rejected + report.unreadable + report.contradictions;
    Ok(told.max(match (failures.is_empty(), found) {
        (false, _) => ExitStatus::Failed,
        (true, 0) => ExitStatus::Clean,
        (true, _) => ExitStatus::Faults,
    }))
}

/// Prints the first lines, and the number of the others.
fn tell(context: Context, lines: &[String], all: u64, key: &str) {
    lines.iter().for_each(print_to_stderr);
    let more = all.saturating_sub(lines.len() as u64);
    if more > 0 {
        print_to_stderr(context.fill(key, &[("count", &more)]));
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
    let more = [
        ("archive.import.warnings", report.warnings),
        ("archive.import.advice", report.advice),
        ("verify.sheets", report.sheets),
        ("verify.contradictions", report.contradictions),
    ];
    for (key, count) in more.into_iter().filter(|(_, count)| *count > 0) {
        summary.extend([" · ", &context.fill(key, &[("count", &count)])]);
    }
    summary
}

/// Judges records and makes submissions of them.
struct Submitting {
    context: Context,
    /// Records that are not verified are stored too.
    keep_unverified: bool,
    /// Records that are not verified are written to `--unverified` with the reasons.
    explains: bool,
}

/// The submissions of a slice of records.
struct SubmissionSlice {
    /// Each with its file and its number there.
    submissions: Vec<(String, Submission)>,
    /// Text for `--unverified`: the records that are not verified, with the reasons.
    unverified: Vec<u8>,
    /// A line about each of the first of them.
    named: Vec<String>,
    /// Warnings and advice on records that are stored.
    found: [u64; 2],
    /// A line about each of the first of these.
    told: Vec<String>,
}

/// A judged record with its places in the source.
struct PlacedSubmission {
    /// The chunk without its text.
    chunk: Chunk<'static>,
    /// The place where the record begins.
    start: LineColumn,
    /// The places of its diagnostics, then those of its advice.
    places: Vec<Option<LineColumn>>,
    submission: Submission,
}

impl PlacedSubmission {
    /// All findings with their places, diagnostics first.
    fn findings(&self) -> impl Iterator<Item = (&Diagnostic, Option<LineColumn>)> {
        let verdict = &self.submission.verdict;
        verdict.diagnostics.iter().chain(&verdict.advice).zip(self.places.iter().copied())
    }

    /// The place in words; of the whole source if there is none.
    fn at(&self, name: &str, place: Option<LineColumn>) -> String {
        place.map_or_else(|| name.to_owned(), |place| part::place(name, &self.chunk, place))
    }
}

impl Work for Submitting {
    type Item<'b> = PlacedSubmission;
    type SliceResult = SubmissionSlice;
    const PRINTS: bool = false;

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = Self::Item<'b>> {
        // The chunk that is being read, the bytes of its records so far, and its lines.
        let mut open: Option<((Option<usize>, u64), usize, LineIndex<'b>)> = None;
        Submission::of_chunks(chunks).map(move |(chunk, submission)| {
            let submission = submission.replayed();
            // Records of one chunk follow each other without a gap.
            let key = (chunk.part(), chunk.offset());
            let same = open.take().filter(|(other, ..)| *other == key);
            let (_, begin, mut lines) = same.unwrap_or_else(|| (key, 0, chunk.places()));
            let mut place = |at: usize| chunk.oversized().unwrap_or_else(|| lines.of(at));
            let start = place(begin);
            // A record without a source of its own is judged as a part of its chunk.
            let base = if submission.is_whole() { begin } else { 0 };
            let findings = submission.verdict.diagnostics.iter().chain(&submission.verdict.advice);
            let of = |found: &Diagnostic| found.span.map(|span| place(base + span.start as usize)).or(found.place);
            let places = findings.map(of).collect();
            open = Some((key, begin + submission.source.len(), lines));
            PlacedSubmission { chunk: chunk.with_text(&[]), start, places, submission }
        })
    }

    fn slice_result(&self, slice: Slice<'_, Self::Item<'_>>) -> SubmissionSlice {
        let (mut unverified, mut named) = (Vec::new(), Vec::new());
        let (mut found, mut told) = ([0; 2], Vec::new());
        for (number, record) in (slice.before.in_source + 1..).zip(&slice.records) {
            let is_verified = record.submission.verdict.status == Status::Verified;
            if !is_verified && named.len() < NAMED {
                named.push(self.line(&slice.name_of(&record.chunk), number, record));
            }
            if !is_verified && self.explains {
                self.explain(&slice.name_of(&record.chunk), number, record, &mut unverified);
            }
            if is_verified || self.keep_unverified {
                for (finding, place) in record.findings().filter(|(finding, _)| finding.severity() != Severity::Error) {
                    found[usize::from(finding.severity() == Severity::Advice)] += 1;
                    if told.len() < NAMED {
                        told.push(self.finding(&record.at(&slice.name_of(&record.chunk), place), finding));
                    }
                }
            }
        }
        let sources: Vec<_> = slice.records.iter().map(|record| slice.name_of(&record.chunk)).collect();
        let numbered = (slice.before.in_source + 1..).zip(sources).map(|(number, name)| format!("{name} {number}"));
        let submissions = numbered.zip(slice.records.into_iter().map(|record| record.submission)).collect();
        SubmissionSlice { submissions, unverified, named, found, told }
    }
}

impl Submitting {
    /// A record that is not verified in one line: its place, its number, its status and its first error. Without an error it
    /// is the first finding, unless that is told anyway.
    fn line(&self, name: &str, number: u64, record: &PlacedSubmission) -> String {
        let is_error = |(finding, _): &(&Diagnostic, _)| finding.severity() == Severity::Error;
        let first = record.findings().find(is_error);
        let first = first.or_else(|| record.findings().next().filter(|_| !self.keep_unverified));
        let place = first.and_then(|(_, place)| place).unwrap_or(record.start);
        let status = self.context.word(record.submission.verdict.status.word());
        let place = record.at(name, Some(place));
        let mut line = self
            .context
            .fill("archive.import.rejected", &[("place", &place), ("number", &number), ("status", &status)]);
        if let Some((finding, _)) = first {
            line.push_str(&format!(": {}: {}", finding.code().id, self.context.message(&finding.message)));
        }
        line
    }

    /// A finding in one line.
    fn finding(&self, place: &str, finding: &Diagnostic) -> String {
        format!("{place}: {}: {}", finding.code().id, self.context.message(&finding.message))
    }

    /// Writes a record after the reasons against it, which stand in comment lines.
    fn explain(&self, name: &str, number: u64, record: &PlacedSubmission, out: &mut Vec<u8>) {
        let source = &record.submission.source;
        let status = self.context.word(record.submission.verdict.status.word());
        let mut lines = vec![format!("{name} {number}: {status}")];
        lines.extend(record.findings().map(|(finding, place)| self.finding(&record.at(name, place), finding)));
        for line in lines {
            out.extend(format!("% {}\n", harmless(&line)).into_bytes());
        }
        out.extend(source);
        out.extend(if source.ends_with(b"\n") { &b"\n"[..] } else { b"\n\n" });
    }
}

/// Hands batches of submissions to the writer and counts the outcomes.
struct BatchImporter<'s> {
    context: Context,
    store: &'s Store,
    by: Attribution,
    keep_unverified: bool,
    batch: Vec<(String, Submission)>,
    bytes: usize,
    in_flight: VecDeque<Pending<BatchOutcome, StoreError>>,
    report: ImportReport,
}

/// New records and duplicates in a batch, and the origins of new records with relations to others.
type BatchOutcome = ([u64; 2], Vec<(String, Relations)>);

impl<'s> BatchImporter<'s> {
    fn new(context: Context, store: &'s Store, by: Attribution, keep_unverified: bool) -> Self {
        let (batch, in_flight) = (Vec::new(), VecDeque::new());
        Self { context, store, by, keep_unverified, batch, bytes: 0, in_flight, report: ImportReport::default() }
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
        let (batch, by, keep_unverified) = (std::mem::take(&mut self.batch), self.by.clone(), self.keep_unverified);
        self.bytes = 0;
        self.in_flight.push_back(self.store.write_blocking(move |writing| {
            writing.prefetch(batch.iter().map(|(_, submission)| submission))?;
            let (mut stored, mut related) = ([0; 2], Vec::new());
            for (origin, submission) in &batch {
                match writing.add(submission, &by, keep_unverified)? {
                    Added::New(number) => {
                        stored[0] += 1;
                        let found = writing.relations(number)?;
                        if found != Relations::default() {
                            related.push((origin.clone(), found));
                        }
                    }
                    Added::AlreadyStored(..) => stored[1] += 1,
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
            print_to_stderr(context.fill("archive.import.sheet", &[("sheet", &origin), ("id", &short(counted))]));
        }
        if let Some(found @ Contradiction { difference, .. }) = contradicts {
            self.report.contradictions += 1;
            let other = short(&found.earlier());
            let what = difference
                .as_ref()
                .map_or_else(|| other.clone(), |difference| difference_message(context, &other, difference));
            print_to_stderr(context.fill("archive.both-count", &[("sheet", &origin), ("what", &what)]));
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
