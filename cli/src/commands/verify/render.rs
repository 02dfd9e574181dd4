//! Output of a verdict: a line of JSON, or a line for people with the faults below it.

use std::{io::Write, ops::AddAssign};

use anstyle::Style;
use quipu_notation::record::Chunk;
use quipu_referee::{Diagnostic, Severity, Status, Verdict, competition::Related, findings, report, verify::Judged};

use crate::{
    board,
    context::{Context, complain, harmless},
    diagnostics::{self, Explained, MANY},
    origins::{Origins, told},
    snippet::WINDOW,
};

/// Format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportFormat {
    /// One object per line.
    Json,
    /// Text for people, with or without the board before a faulty move.
    People { boards: bool },
}

/// Number of records by status, and by their relations to others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    statuses: [u64; Status::ALL.len()],
    /// Further sheets of games that were read before.
    sheets: u64,
    /// Sheets that contradict one before them.
    pub(super) contradictions: u64,
}

impl Tally {
    pub(super) fn add(&mut self, status: Status, related: &Related) {
        self.statuses[status as usize] += 1;
        self.sheets += u64::from(related.sheet_of.is_some());
        self.contradictions += u64::from(related.contradicts.is_some());
    }

    pub(super) fn count(&self, status: Status) -> u64 {
        self.statuses[status as usize]
    }

    /// The last line of a report.
    pub(super) fn summary(&self, context: Context, files: usize) -> String {
        let total: u64 = self.statuses.iter().sum();
        let mut line = context.fill("verify.summary", &[("records", &total), ("files", &files)]);
        for status in Status::ALL {
            let count = self.count(status);
            let name = context.fill(&format!("verify.{}", status.as_str()), &[("count", &count)]);
            let style = if count > 0 { diagnostics::style(status) } else { Style::new() };
            line.extend([" · ", &context.paint(style, name)]);
        }
        let related = [("verify.sheets", self.sheets), ("verify.contradictions", self.contradictions)];
        for (key, count) in related.into_iter().filter(|(_, count)| *count > 0) {
            line.extend([" · ", &context.fill(key, &[("count", &count)])]);
        }
        line + "\n"
    }
}

impl AddAssign<&Self> for Tally {
    fn add_assign(&mut self, other: &Self) {
        for (count, more) in self.statuses.iter_mut().zip(other.statuses) {
            *count += more;
        }
        self.sheets += other.sheets;
        self.contradictions += other.contradictions;
    }
}

/// The source of records: its path and its part for programs, its name for people.
pub(super) struct From<'s> {
    pub(super) path: Option<&'s str>,
    pub(super) part: Option<&'s str>,
    pub(super) name: String,
}

/// Prints the verdict on one record to `out`, with its relation to records before it, if there is one.
#[expect(clippy::too_many_arguments, reason = "each is another part of the record or of the output")]
pub(super) fn record(
    context: Context,
    form: ReportFormat,
    From { path, part, name }: &From<'_>,
    number: u64,
    chunk: &Chunk<'_>,
    judged: &Judged<'_>,
    related: Option<(&Related, &Origins)>,
    out: &mut Vec<u8>,
) {
    let verdict = &judged.verdict;
    // Writing to memory does not fail.
    match form {
        ReportFormat::Json => {
            for line in diagnostics::dropped(context, name, chunk, judged.record.as_ref()) {
                complain(line);
            }
            let mut report = report::verdict(verdict, number, context.lang);
            report.file = *path;
            report.part = *part;
            if let Some((related, origins)) = related {
                report.sheet_of = related.sheet_of.map(|place| origins.report(place));
                report.contradicts = related.contradicts.as_ref().map(|found| origins.contradiction(found));
            }
            drop(report.write(&mut *out));
        }
        ReportFormat::People { boards } => {
            drop(writeln!(out, "{}", line(context, name, number, judged)));
            for line in diagnostics::dropped(context, name, chunk, judged.record.as_ref()) {
                drop(writeln!(out, "    {line}"));
            }
            for remark in judged.record.iter().flat_map(|record| diagnostics::remarks(context, record)) {
                drop(writeln!(out, "    {remark}"));
            }
            drop(out.write_all(explanations(context, name, chunk, verdict).as_bytes()));
            if let Some(fault) = diagnostics::faulty_move(verdict) {
                drop(out.write_all(around(context, verdict, fault, boards).as_bytes()));
            }
            for line in related.into_iter().flat_map(|(related, origins)| relations(context, related, origins)) {
                drop(writeln!(out, "    {}", harmless(&line)));
            }
        }
    }
}

/// The relation of a record to those before it.
fn relations(context: Context, related: &Related, origins: &Origins) -> Vec<String> {
    let same = related.sheet_of.map(|place| context.fill("sheets.same", &[("other", &origins.shown(place))]));
    let contradicts = related.contradicts.as_ref().map(|found| {
        let what = told(context, &origins.shown(found.place), &found.parting);
        context.fill("sheets.contradicts", &[("sheet", &context.say("sheets.this")), ("what", &what)])
    });
    same.into_iter().chain(contradicts).collect()
}

/// File, number, players, status, result, points and termination.
fn line(context: Context, name: &str, number: u64, judged: &Judged<'_>) -> String {
    let verdict = &judged.verdict;
    let status = context.word(verdict.status.word());
    let status = context.paint(diagnostics::style(verdict.status), format_args!("{status:<11}"));
    let result = verdict.finding.map_or("", |finding| finding.outcome.as_str());
    let points = verdict.points.map(|points| points.to_string()).unwrap_or_default();
    let end = verdict.finding.and_then(|finding| finding.termination).map_or("", |row| row.name);
    let players = judged.record.as_ref().map_or_else(|| "-".to_owned(), diagnostics::players);
    format!("{name} {number:>4}  {players:<44} {status} {result:<7} {points:>5}  {end}").trim_end().to_owned()
}

/// All errors, the first of the warnings and the first of the advice, each with its excerpt; with the first of each code, the law
/// and the correction.
fn explanations(context: Context, name: &str, chunk: &Chunk<'_>, verdict: &Verdict) -> String {
    let told = findings::for_people(verdict);
    let errors = told.iter().take_while(|found| found.severity() == Severity::Error).count();
    let (shown, advice) = (told.len().min(errors.max(MANY)), verdict.advice.len().min(MANY));
    let mut text = String::new();
    let mut codes = Vec::new();
    for diagnostic in told[..shown].iter().map(|found| &**found).chain(&verdict.advice[..advice]) {
        let Explained { head, place, law } = diagnostics::explained(context, name, chunk, diagnostic, WINDOW);
        let is_new = !codes.contains(&diagnostic.code().id);
        if is_new {
            codes.push(diagnostic.code().id);
        }
        let lines = [head].into_iter().chain(place).chain(law.into_iter().filter(|_| is_new));
        text.extend(lines.map(|line| format!("    {}\n", line.paint(context))));
    }
    if let more @ 1.. = told.len() - shown + verdict.advice.len() - advice {
        text += &format!("    {}\n", context.fill("verify.more-found", &[("count", &more)]));
    }
    text
}

/// Help about a faulty move: legal moves that may have been meant, and the board.
fn around(context: Context, verdict: &Verdict, fault: &Diagnostic, boards: bool) -> String {
    let mut text = String::new();
    if let Some(suggestions) = diagnostics::suggestions(context, fault) {
        text += &format!("    {}\n", suggestions.paint(context));
    }
    if boards && let Some(board) = diagnostics::position(verdict) {
        text.extend(board::draw(context, &board.drawing()).lines().map(|line| format!("    {line}\n")));
    }
    text
}
