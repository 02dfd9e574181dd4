//! Output of a verdict for people: a line for the record with the findings below it.

use std::{
    io::Write,
    ops::{AddAssign, Range},
};

use anstyle::Style;
use quipu_notation::record::{Chunk, Record};
use quipu_referee::{
    Severity, Status, Verdict,
    competition::Related,
    findings,
    repaired::{self, Repair},
    report,
    verify::Judged,
};

use super::{
    origin::Origin,
    relations::{self, RelatedTo},
};
use crate::{
    board,
    context::{Context, harmless},
    diagnostics::{self, Explained, MANY},
    snippet::WINDOW,
    styled::{Styled, end_line},
};

/// Columns by which everything below the line of a record is indented.
const INDENT: usize = 4;
/// Width of the players' names in the line of a record, at least.
const PLAYERS: usize = 44;
/// Width of a termination in the line of a record, at most.
const MAX_TERMINATION_WIDTH: usize = 14;
/// Width of a result.
const OUTCOME: usize = "1/2-1/2 ".len();
/// Columns of a snippet in addition to the source text: line number, frame and spaces.
const FRAME: usize = 8;

/// Number of records by status, and by their relations to others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    statuses: [u64; Status::ALL.len()],
    /// Further sheets of games that were read before.
    sheets: u64,
    /// Sheets that contradict an earlier one.
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

    /// The summary line at the end of a report.
    pub(super) fn summary(&self, context: Context, files: usize) -> Vec<u8> {
        let total: u64 = self.statuses.iter().sum();
        let mut line = Styled::plain(context.fill("verify.summary", &[("records", &total), ("files", &files)]));
        for status in Status::ALL {
            let count = self.count(status);
            let name = context.fill(&format!("verify.{}", status.as_str()), &[("count", &count)]);
            let style = if count > 0 { diagnostics::style(status) } else { Style::new() };
            line = line.and(Style::new(), " · ").and(style, name);
        }
        let related = [("verify.sheets", self.sheets), ("verify.contradictions", self.contradictions)];
        for (key, count) in related.into_iter().filter(|(_, count)| *count > 0) {
            line = line.and(Style::new(), format!(" · {}", context.fill(key, &[("count", &count)])));
        }
        let mut end = Vec::new();
        below(context, &line, &mut end);
        end
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

/// The parts of a report that are not always there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportParts {
    /// The board before a faulty move.
    pub(super) boards: bool,
    /// The best reading of a rejected record, if it is clear.
    pub(super) reading: bool,
    /// The words for [`Status::ALL`].
    pub(super) statuses: [&'static str; Status::ALL.len()],
}

/// Prints the verdict on one record to `out`.
pub(super) fn record(
    context: Context,
    shown: ReportParts,
    Origin { name, number, path, .. }: &Origin<'_>,
    chunk: &Chunk<'_>,
    judged: &Judged<'_>,
    related: RelatedTo<'_>,
    out: &mut Vec<u8>,
) {
    let verdict = &judged.verdict;
    print_head(context, shown.statuses[verdict.status as usize], name, *number, judged, out);
    let indented = |text: String| Styled::plain(" ".repeat(INDENT) + &text);
    for remark in judged.record.iter().flat_map(|record| diagnostics::remarks(context, record)) {
        below(context, &indented(remark), out);
    }
    let has_findings = !verdict.diagnostics.is_empty() || !verdict.advice.is_empty();
    for line in has_findings.then(|| explanations(context, name, chunk, judged)).into_iter().flatten() {
        below(context, &line, out);
    }
    if shown.boards && diagnostics::faulty_move(verdict).is_some() {
        // Writing to memory does not fail.
        drop(out.write_all(board_before(context, verdict).as_bytes()));
    }
    let searched = judged.record.as_ref().filter(|_| shown.reading);
    if let Some(reading) = searched.and_then(|record| clear_reading(context, path.unwrap_or(name), record)) {
        below(context, &indented(reading), out);
    }
    if let Some((related, origins)) = related {
        let same = relations::same(context, related, origins).or_else(|| relations::repeats(context, related, origins));
        for line in same.into_iter().chain(relations::contradicts(context, related, origins)) {
            below(context, &indented(harmless(&line)), out);
        }
    }
}

/// Prints a line, wrapped to the width of the terminal if there is one.
fn below(context: Context, line: &Styled, out: &mut Vec<u8>) {
    match context.width {
        Some(width) if line.width() > width => {
            line.wrapped(width, INDENT + 2, usize::MAX).iter().for_each(|line| line.print(context, out));
        }
        _ => line.print(context, out),
    }
}

/// A line below that of a record, indented.
fn below_record(line: &Styled) -> Styled {
    let mut indented = Styled::plain(" ".repeat(INDENT));
    indented.append(line);
    indented
}

/// Prints file, number, players, status, result, points and termination: one line, or two on a terminal that is too narrow for it.
///
/// Every record has such a line, so it is written piece by piece where it is to stand, and only taken from there to be coloured
/// or wrapped: texts and styles of their own for its pieces took ten times as long.
fn print_head(context: Context, word: &str, name: &str, number: u64, judged: &Judged<'_>, out: &mut Vec<u8>) {
    let Judged { record, verdict } = judged;
    let start = out.len();
    out.extend_from_slice(name.as_bytes());
    out.push(b' ');
    RightAligned::default().decimal(number).write(4, out);
    out.extend_from_slice(b"  ");
    let players_start = out.len();
    match record {
        Some(record) => diagnostics::write_players(record, out),
        None => out.push(b'-'),
    }
    let players_end = out.len();
    pad(out, players_start, PLAYERS);
    out.push(b' ');
    let status = out.len();
    out.extend_from_slice(word.as_bytes());
    pad(out, status, 11);
    let facts = out.len();
    let end = verdict.end;
    let outcome = end.map_or("", |end| end.outcome.as_str());
    out.push(b' ');
    out.extend_from_slice(outcome.as_bytes());
    out.extend_from_slice(&SPACES[..OUTCOME - outcome.len()]);
    let points = verdict.points.map(|points| points.counted());
    let points = points.map(|[one, two]| RightAligned::default().decimal(two.into()).sign(b'-').decimal(one.into()));
    points.unwrap_or_default().write(5, out);
    out.extend_from_slice(b"  ");
    let end = end.and_then(|end| end.termination).map_or("", |row| row.name);
    out.extend_from_slice(end.as_bytes());
    if !context.color && context.width.is_none() {
        end_line(out, start);
        return;
    }
    let text = |range: Range<usize>| String::from_utf8_lossy(&out[range]).into_owned();
    let (begin, players) = (Styled::plain(text(start..status)), text(players_start..players_end));
    let verdict = Styled::of(diagnostics::style(verdict.status), text(status..facts));
    let verdict = verdict.and(Style::new(), text(facts..out.len()).trim_end());
    out.truncate(start);
    let needed = begin.width() + "incompleto  1/2-1/2 99-99  ".len() + MAX_TERMINATION_WIDTH;
    if context.width.is_some_and(|width| needed > width) {
        below(context, &Styled::plain(format!("{name} {number}  {players}")), out);
        below(context, &below_record(&verdict), out);
    } else {
        below(context, &begin.with(&verdict), out);
    }
}

/// Adds spaces to the text that begins at `start`, up to so many columns, which are at most [`PLAYERS`].
fn pad(out: &mut Vec<u8>, start: usize, columns: usize) {
    let text = &out[start..];
    // Characters: bytes that do not continue one.
    let width = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    out.extend_from_slice(&SPACES[..columns.saturating_sub(width)]);
}

const SPACES: [u8; PLAYERS] = [b' '; PLAYERS];

/// Text that is written from its end to its beginning: numbers need no formatter, which takes many times as long, and it is known
/// how many spaces are before them.
#[derive(Default)]
struct RightAligned {
    /// The text is at the end.
    signs: [u8; 32],
    length: usize,
}

impl RightAligned {
    fn sign(mut self, sign: u8) -> Self {
        self.length += 1;
        self.signs[32 - self.length] = sign;
        self
    }

    fn decimal(mut self, number: u64) -> Self {
        let mut rest = number;
        loop {
            self = self.sign(b'0' + u8::try_from(rest % 10).unwrap_or_default());
            rest /= 10;
            if rest == 0 {
                return self;
            }
        }
    }

    /// Writes it with spaces before it, up to so many columns.
    fn write(&self, columns: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&SPACES[..columns.saturating_sub(self.length)]);
        out.extend_from_slice(&self.signs[32 - self.length..]);
    }
}

/// All errors, the first warnings and the first advice, each with its snippet. The first finding of each code also has the
/// law and the correction, and the illegal move the suggestions.
fn explanations(
    context: Context,
    name: &str,
    chunk: &Chunk<'_>,
    Judged { record, verdict }: &Judged<'_>,
) -> Vec<Styled> {
    let room = context.width.map_or(WINDOW, |width| width.saturating_sub(INDENT + FRAME).clamp(16, WINDOW));
    let told = findings::for_people(verdict, record.as_ref());
    let turn_is_missing = findings::turn_is_missing(told.iter().map(|found| &**found));
    let errors = told.iter().take_while(|found| found.severity() == Severity::Error).count();
    let (shown, advice) = (told.len().min(errors.max(MANY)), verdict.advice.len().min(MANY));
    let mut lines = Vec::new();
    let mut codes = Vec::new();
    for diagnostic in told[..shown].iter().map(|found| &**found).chain(&verdict.advice[..advice]) {
        let Explained { head, place, law } = diagnostics::explained(context, name, chunk, diagnostic, room);
        let is_new = !codes.contains(&diagnostic.code().id);
        if is_new {
            codes.push(diagnostic.code().id);
        }
        let law = law.into_iter().filter(|_| is_new);
        let suggestions = diagnostics::suggestions(context, diagnostic, turn_is_missing);
        lines.extend([head].into_iter().chain(place).chain(law).chain(suggestions).map(|line| below_record(&line)));
    }
    if let more @ 1.. = told.len() - shown + verdict.advice.len() - advice {
        let more = context.fill("verify.more-found", &[("count", &more)]);
        lines.push(Styled::plain(" ".repeat(INDENT) + &more));
    }
    lines
}

/// The best reading of a rejected record, if it is clear.
fn clear_reading(context: Context, file: &str, record: &Record<'_>) -> Option<String> {
    let Repair { readings, .. } = repaired::of(record);
    let best = readings.readings.first().filter(|_| readings.is_clear)?;
    // The findings correct wrong claims already.
    if best.edits.iter().all(|edit| repaired::CLAIMS.contains(&edit.kind)) {
        return None;
    }
    let edits = best.edits.iter().map(|edit| report::repair::edit_in_short(edit, context.lang));
    let edits = edits.collect::<Vec<_>>().join("; ");
    Some(harmless(&context.fill("verify.reading", &[("edits", &edits), ("file", &file)])))
}

/// The board before a faulty move.
fn board_before(context: Context, verdict: &Verdict) -> String {
    let Some(board) = diagnostics::position(verdict) else { return String::new() };
    let context = Context { width: context.width.map(|width| width.saturating_sub(INDENT)), ..context };
    board::draw(context, &board.drawing()).lines().map(|line| format!("    {line}\n")).collect()
}
