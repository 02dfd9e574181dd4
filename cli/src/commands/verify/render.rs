//! Output of a verdict for people: a line for the record with the faults below it.

use std::{io::Write, ops::AddAssign};

use anstyle::Style;
use quipu_notation::record::Chunk;
use quipu_referee::{Diagnostic, Status, Verdict, verify::Judged};

use crate::{
    board,
    context::Context,
    diagnostics::{self, Explained, MANY},
    snippet::WINDOW,
    styled::Styled,
};

/// Columns by which everything below the line of a record is indented.
const INDENT: usize = 4;
/// Width of the players' names in the line of a record, at least.
const PLAYERS: usize = 44;
/// Width of a termination in the line of a record, at most.
const LONGEST_END: usize = 14;
/// Columns of an excerpt beside the source: number of the line, frame and spaces.
const FRAME: usize = 8;

/// Number of records by status.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally([u64; Status::ALL.len()]);

impl Tally {
    pub(super) fn add(&mut self, status: Status) {
        self.0[status as usize] += 1;
    }

    pub(super) fn count(&self, status: Status) -> u64 {
        self.0[status as usize]
    }

    /// The last line of a report.
    pub(super) fn summary(&self, context: Context, files: usize) -> String {
        let total: u64 = self.0.iter().sum();
        let mut line = context.fill("verify.summary", &[("records", &total), ("files", &files)]);
        for status in Status::ALL {
            let count = self.count(status);
            let name = context.fill(&format!("verify.{}", status.as_str()), &[("count", &count)]);
            let style = if count > 0 { diagnostics::style(status) } else { Style::new() };
            line.extend([" · ", &context.paint(style, name)]);
        }
        line + "\n"
    }
}

impl AddAssign<&Self> for Tally {
    fn add_assign(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// Prints the verdict on one record to `out`, with or without the board before a faulty move.
pub(super) fn record(
    context: Context,
    boards: bool,
    name: &str,
    number: u64,
    chunk: &Chunk<'_>,
    judged: &Judged<'_>,
    out: &mut Vec<u8>,
) {
    let verdict = &judged.verdict;
    let mut print = |line: &Styled| below(context, line, out);
    for line in head(context, name, number, judged) {
        print(&line);
    }
    let indented = |text: String| Styled::plain(" ".repeat(INDENT) + &text);
    for line in diagnostics::dropped(context, name, chunk, judged.record.as_ref()) {
        print(&indented(line));
    }
    for remark in judged.record.iter().flat_map(|record| diagnostics::remarks(context, record)) {
        print(&indented(remark));
    }
    for diagnostic in verdict.diagnostics.iter().take(MANY) {
        for line in explanation(context, name, chunk, diagnostic) {
            print(&line);
        }
    }
    if let more @ 1.. = verdict.diagnostics.len().saturating_sub(MANY) {
        print(&indented(context.fill("verify.more-found", &[("count", &more)])));
    }
    if let Some(fault) = diagnostics::faulty_move(verdict) {
        if let Some(suggestions) = diagnostics::suggestions(context, fault) {
            print(&below_record(&suggestions));
        }
        if boards {
            // Writing to memory does not fail.
            drop(out.write_all(board_before(context, verdict).as_bytes()));
        }
    }
}

/// Prints a line, on a terminal in as many lines as it needs there.
fn below(context: Context, line: &Styled, out: &mut Vec<u8>) {
    let lines = match context.width {
        Some(width) if line.width() > width => line.wrapped(width, INDENT + 2, usize::MAX),
        _ => vec![line.clone()],
    };
    for line in lines {
        // Writing to memory does not fail.
        drop(writeln!(out, "{}", line.paint(context).trim_end()));
    }
}

/// A line below that of a record.
fn below_record(line: &Styled) -> Styled {
    let mut indented = Styled::plain(" ".repeat(INDENT));
    indented.append(line);
    indented
}

/// File, number, players, status, result, points and termination: one line, or two on a terminal that is too narrow for it.
fn head(context: Context, name: &str, number: u64, judged: &Judged<'_>) -> Vec<Styled> {
    let verdict = &judged.verdict;
    let status = context.word(verdict.status.word());
    let result = verdict.finding.map_or("", |finding| finding.outcome.as_str());
    let points = verdict.points.map(|points| points.to_string()).unwrap_or_default();
    let end = verdict.finding.and_then(|finding| finding.termination).map_or("", |row| row.name);
    let players = judged.record.as_ref().map_or_else(|| "-".to_owned(), diagnostics::players);
    let (plain, style) = (Style::new(), diagnostics::style(verdict.status));
    let verdict = format!(" {result:<7} {points:>5}  {end}");
    let verdict = Styled::of(style, format!("{status:<11}")).and(plain, verdict.trim_end());
    let mut line = Styled::plain(format!("{name} {number:>4}  {players:<PLAYERS$} "));
    let needed = line.width() + "incompleto  1/2-1/2 99-99  ".len() + LONGEST_END;
    if context.width.is_some_and(|width| needed > width) {
        return vec![Styled::plain(format!("{name} {number}  {players}")), below_record(&verdict)];
    }
    line.append(&verdict);
    vec![line]
}

/// A diagnostic with its excerpt, the law and the correction.
fn explanation(context: Context, name: &str, chunk: &Chunk<'_>, diagnostic: &Diagnostic) -> Vec<Styled> {
    let room = context.width.map_or(WINDOW, |width| width.saturating_sub(INDENT + FRAME).clamp(16, WINDOW));
    let Explained { head, place, law } = diagnostics::explained(context, name, chunk, diagnostic, room);
    [head].into_iter().chain(place).chain(law).map(|line| below_record(&line)).collect()
}

/// The board before a faulty move.
fn board_before(context: Context, verdict: &Verdict) -> String {
    let Some(board) = diagnostics::position(verdict) else { return String::new() };
    board::draw(context, &board.drawing()).lines().map(|line| format!("    {line}\n")).collect()
}
