//! `quipu archive import`: records of any form into the archive, judged by all cores and stored by its one writer.
//!
//! Batches of records are handed to the writer while others are judged. Few of them are under way at a time, so that
//! memory is bounded and the writer does not wait.

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
    store::{Added, Pending, Store, StoreError},
};
use quipu_notation::{LineColumn, record::Chunk};
use quipu_referee::{Status, report};

use super::failure;
use crate::{
    args::{form, jobs},
    context::{CommandError, CommandResult, Context, ExitStatus, complain, harmless, stdout},
    input,
    output::{self, Output},
    pool::{self, Slice, Work},
};

/// Records that are handed to the writer together.
const BATCH: usize = 500;
/// And bytes of them.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Batches that are under way.
const UNDER_WAY: usize = 8;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let paths = matches.get_many("path").unwrap_or_default();
    if paths.len() == 0 {
        return Err(CommandError::Usage(context.say("archive.import.no-path").to_owned()));
    }
    let (sources, mut failures) = input::sources(context, paths, form(matches));
    let path = matches.get_one::<OsString>("refused").map(PathBuf::from);
    if let Some(path) = path.as_deref().filter(|path| sources.iter().any(|source| source.is(path))) {
        let file = harmless(&path.display().to_string());
        return Err(CommandError::Usage(context.fill("archive.import.refused-source", &[("file", &file)])));
    }
    let folder = super::folder(context, matches)?;
    // Before there is an archive, so that none is made where the command is refused.
    path.as_deref().map_or(Ok(()), |path| output::spare_archives(context, path, Some(&folder)))?;
    let store = super::open_or_make(context, &folder)?;
    let failed = |path: &Path, error| output::failure(context, path, &error);
    let mut refused =
        path.map(|path| Output::file(context, &path, Some(&folder)).map(|out| (out, path))).transpose()?;
    let mut desk = Desk::new(context, &store, super::by(matches, "archive import"), matches.get_flag("keep-refused"));

    let work = Judging { context, explains: refused.is_some() };
    pool::run(context, jobs(matches), &sources, form(matches), &work, &mut |part: Part, failure| {
        failures.extend(failure);
        if let Some((out, path)) = &mut refused {
            out.write_all(&part.refused).map_err(|error| failed(path, error))?;
        }
        part.submissions.into_iter().try_for_each(|submission| desk.take(submission))
    })?;
    let report = desk.close(sources.len())?;
    if let Some((out, path)) = refused {
        out.finish().map_err(|error| failed(&path, error))?;
    }

    // By now all is stored; only how quickly is searched depends on this. What was stored is said whatever becomes of it, and
    // it is done whether or not anybody listens.
    let settled = store.merge_index(report.new);
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&report, &mut out)?;
    } else {
        writeln!(out, "{}", summary(context, &report))?;
    }
    out.flush()?;
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
    }
    settled.map_err(|error| self::failure(context, &error))?;
    Ok(match (failures.is_empty(), report.rejected + report.unreadable) {
        (false, _) => ExitStatus::Failed,
        (true, 0) => ExitStatus::Clean,
        (true, _) => ExitStatus::Findings,
    })
}

fn summary(context: Context, report: &ImportReport) -> String {
    context.fill(
        "archive.import.summary",
        &[
            ("read", &report.read),
            ("new", &report.new),
            ("duplicate", &report.duplicate),
            ("incomplete", &report.incomplete),
            ("rejected", &report.rejected),
            ("unreadable", &report.unreadable),
        ],
    )
}

/// Judges records as the archive wants them.
struct Judging {
    context: Context,
    /// What is not verified is written down with the reasons.
    explains: bool,
}

/// What a slice of records comes to.
struct Part {
    submissions: Vec<Submission>,
    /// Those that are not verified, with the reasons.
    refused: Vec<u8>,
}

impl Work for Judging {
    /// With the place where it begins.
    type Record<'b> = (LineColumn, Submission);
    type Part = Part;
    const PRINTS: bool = false;

    fn records<'b>(&self, blocks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = (LineColumn, Submission)> {
        let mut at = (None, 0);
        Submission::of_blocks(blocks).map(move |(block, submission)| {
            // Records of one block stand one behind the other.
            if at.0 != Some(block.offset()) {
                at = (Some(block.offset()), 0);
            }
            let place = block.place(at.1);
            at.1 += submission.source.len();
            (place, submission)
        })
    }

    fn part(&self, slice: Slice<'_, (LineColumn, Submission)>) -> Part {
        let mut refused = Vec::new();
        if self.explains {
            for (number, (place, submission)) in (slice.before.in_source + 1..).zip(&slice.records) {
                if submission.verdict.status != Status::Verified {
                    self.explain(&slice.source.name(), number, *place, submission, &mut refused);
                }
            }
        }
        Part { submissions: slice.records.into_iter().map(|(_, submission)| submission).collect(), refused }
    }
}

impl Judging {
    /// Writes a record with the reasons before it, in lines that are none of the record.
    fn explain(&self, name: &str, number: u64, start: LineColumn, submission: &Submission, out: &mut Vec<u8>) {
        let status = self.context.word(submission.verdict.status.word());
        let mut lines = vec![format!("{name} {number}: {status}")];
        lines.extend(submission.verdict.diagnostics.iter().map(|found| {
            // What is too large has its place in the file already, and nothing else of it is left.
            let place = found.place.map(|place| if submission.is_whole() { behind(start, place) } else { place });
            let place = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
            format!("{name}{place}: {}: {}", found.code().id, self.context.message(&found.message))
        }));
        for line in lines {
            out.extend(format!("% {}\n", harmless(&line)).into_bytes());
        }
        out.extend(&submission.source);
        out.extend(if submission.source.ends_with(b"\n") { &b"\n"[..] } else { b"\n\n" });
    }
}

/// The place in a file of what stands at a place of a record that starts there.
fn behind(start: LineColumn, place: LineColumn) -> LineColumn {
    let column = if place.line == 1 { start.column + place.column - 1 } else { place.column };
    LineColumn { line: start.line + place.line - 1, column }
}

/// Where records are handed in.
struct Desk<'s> {
    context: Context,
    store: &'s Store,
    by: By,
    keep_refused: bool,
    batch: Vec<Submission>,
    bytes: usize,
    under_way: VecDeque<Pending<Stored, StoreError>>,
    report: ImportReport,
}

/// How many of a batch are new, and how many were there.
type Stored = [u64; 2];

impl<'s> Desk<'s> {
    fn new(context: Context, store: &'s Store, by: By, keep_refused: bool) -> Self {
        let (batch, under_way) = (Vec::new(), VecDeque::new());
        Self { context, store, by, keep_refused, batch, bytes: 0, under_way, report: ImportReport::default() }
    }

    fn take(&mut self, submission: Submission) -> Result<(), CommandError> {
        self.report.read += 1;
        match submission.verdict.status {
            Status::Verified => {}
            Status::Incomplete => self.report.incomplete += 1,
            Status::Rejected => self.report.rejected += 1,
            Status::Unreadable => self.report.unreadable += 1,
        }
        self.bytes += submission.source.len();
        self.batch.push(submission);
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES { self.hand_in() } else { Ok(()) }
    }

    /// Hands the batch to the writer, and waits for the oldest where too many are under way.
    fn hand_in(&mut self) -> Result<(), CommandError> {
        let (batch, by, keep_refused) = (std::mem::take(&mut self.batch), self.by.clone(), self.keep_refused);
        self.bytes = 0;
        self.under_way.push_back(self.store.write_slowly(move |writing| {
            let mut stored = [0; 2];
            for submission in &batch {
                match writing.add(submission, &by, keep_refused)? {
                    Added::New(_) => stored[0] += 1,
                    Added::There(..) => stored[1] += 1,
                    Added::Refused => {}
                }
            }
            Ok(stored)
        }));
        if self.under_way.len() > UNDER_WAY { self.wait() } else { Ok(()) }
    }

    /// Waits for the oldest batch.
    fn wait(&mut self) -> Result<(), CommandError> {
        let Some(oldest) = self.under_way.pop_front() else { return Ok(()) };
        let [new, duplicate] = oldest.wait().map_err(|error| failure(self.context, &error))?;
        self.report.new += new;
        self.report.duplicate += duplicate;
        Ok(())
    }

    /// Waits for all.
    fn close(mut self, files: usize) -> Result<ImportReport, CommandError> {
        self.hand_in()?;
        while !self.under_way.is_empty() {
            self.wait()?;
        }
        self.report.files = files;
        Ok(self.report)
    }
}
