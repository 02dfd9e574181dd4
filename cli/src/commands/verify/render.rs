//! What is printed of a verdict: a line of JSON, or a line for people with the faults under it.

use std::{io::Write, ops::AddAssign};

use anstyle::{AnsiColor, Style};
use quipu_notation::record::{Block, Record};
use quipu_referee::{Diagnostic, Referee, Severity, Status, Verdict, games, report, verify::Judged, words::catalog};

use crate::{
    board,
    context::{Context, complain, harmless},
    excerpt::Excerpt,
    law, rewrite,
};

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One object a line.
    Json,
    /// For people, with or without the board before a faulty move.
    People { boards: bool },
}

/// Lawful moves are listed under a fault if they are no more than this.
const FEW: usize = 12;

/// Diagnostics of one record that are explained to people; JSON has them all.
const MANY: usize = 20;

/// How many records came to what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally([u64; Status::ALL.len()]);

impl Tally {
    pub(super) fn add(&mut self, status: Status) {
        self.0[status as usize] += 1;
    }

    pub(super) fn count(&self, status: Status) -> u64 {
        self.0[status as usize]
    }

    /// The line that closes a report.
    pub(super) fn summary(&self, context: Context, files: usize) -> String {
        let total: u64 = self.0.iter().sum();
        let mut line = context.fill("verify.summary", &[("records", &total), ("files", &files)]);
        for status in Status::ALL {
            let count = self.count(status);
            let name = context.fill(&format!("verify.{}", status.as_str()), &[("count", &count)]);
            let style = if count > 0 { style(status) } else { Style::new() };
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

fn style(status: Status) -> Style {
    let color = match status {
        Status::Verified => AnsiColor::Green,
        Status::Incomplete => AnsiColor::Yellow,
        Status::Rejected | Status::Unreadable => AnsiColor::Red,
    };
    color.on_default().bold()
}

/// Where records come from: for programs, and for people.
pub(super) struct From {
    pub(super) path: Option<String>,
    pub(super) name: String,
}

/// Prints the verdict on one record to `out`.
pub(super) fn record(
    context: Context,
    form: Form,
    From { path, name }: &From,
    number: u64,
    block: &Block<'_>,
    judged: &Judged<'_>,
    out: &mut Vec<u8>,
) {
    let verdict = &judged.verdict;
    // Writing to memory does not fail.
    match form {
        Form::Json => {
            for line in left_out(context, name, block, judged) {
                complain(line);
            }
            let mut report = report::verdict(verdict, number, context.lang);
            report.file = path.as_deref();
            drop(report.write(&mut *out));
        }
        Form::People { boards } => {
            drop(writeln!(out, "{}", line(context, name, number, judged)));
            for line in left_out(context, name, block, judged) {
                drop(writeln!(out, "    {line}"));
            }
            for remark in judged.record.iter().flat_map(|record| remarks(context, record)) {
                drop(writeln!(out, "    {remark}"));
            }
            for diagnostic in verdict.diagnostics.iter().take(MANY) {
                drop(out.write_all(explanation(context, name, block, diagnostic).as_bytes()));
            }
            if let more @ 1.. = verdict.diagnostics.len().saturating_sub(MANY) {
                drop(writeln!(out, "    {}", context.fill("verify.more-found", &[("count", &more)])));
            }
            if let Some(fault) = faulty_move(verdict) {
                drop(out.write_all(around(context, verdict, fault, boards).as_bytes()));
            }
        }
    }
}

/// What a foreign form says of the game and no record can, each with its place.
fn left_out(context: Context, name: &str, block: &Block<'_>, judged: &Judged<'_>) -> Vec<String> {
    let left_out = judged.record.iter().flat_map(|record| &record.left_out);
    left_out.map(|left_out| rewrite::left_out(context, name, block, left_out)).collect()
}

/// File, number, players, status, result, points and end.
fn line(context: Context, name: &str, number: u64, judged: &Judged<'_>) -> String {
    let verdict = &judged.verdict;
    let status = context.word(verdict.status.word());
    let status = context.paint(style(verdict.status), format_args!("{status:<11}"));
    let result = verdict.finding.map_or("", |finding| finding.outcome.as_str());
    let points = verdict.points.map(|points| points.to_string()).unwrap_or_default();
    let end = verdict.finding.and_then(|finding| finding.termination).map_or("", |row| row.name);
    let players = judged.record.as_ref().map_or_else(|| "-".to_owned(), players);
    format!("{name} {number:>4}  {players:<44} {status} {result:<7} {points:>5}  {end}").trim_end().to_owned()
}

/// The players' names, as far as they are written.
fn players(record: &Record<'_>) -> String {
    let Some(game) = record.game() else { return "-".to_owned() };
    let names = game.sides.each_ref().map(|side| record.value(side.tag).unwrap_or("?"));
    harmless(&names.join(" – "))
}

/// What a record says in tags that its game passes on and does not judge.
fn remarks(context: Context, record: &Record<'_>) -> Vec<String> {
    let game = record.value("Game").and_then(games::find);
    let written = game.into_iter().flat_map(Referee::remarks).filter_map(|row| Some((row, record.value(row.tag)?)));
    let told = written.map(|(row, value)| {
        let word = row.values.iter().find(|(known, _)| *known == value).map(|(_, word)| context.word(word));
        format!("{}: {}", context.word(row.word), harmless(word.unwrap_or(value)))
    });
    told.collect()
}

/// A diagnostic with its place, the law and what would be right.
fn explanation(context: Context, name: &str, block: &Block<'_>, diagnostic: &Diagnostic) -> String {
    let code = diagnostic.code();
    let (sign, color) = match diagnostic.severity() {
        Severity::Error => ("×", AnsiColor::Red),
        Severity::Warning => ("!", AnsiColor::Yellow),
    };
    let mut lines = Vec::new();
    let head = context.paint(color.on_default().bold(), format_args!("{sign} {}", code.id));
    let source = law::source(context, code);
    let ply = diagnostic.ply.map(|ply| context.fill("verify.ply", &[("ply", &ply)])).unwrap_or_default();
    let message = context.message(&diagnostic.message);
    lines.push(format!("{head} ({source}){ply}: {message}"));
    if let (Some(span), Some(place)) = (diagnostic.span, diagnostic.place)
        && block.oversized().is_none()
    {
        lines.extend(Excerpt { name, text: block.text(), span, place }.lines(context));
    } else if let Some(place) = diagnostic.place {
        lines.push(format!("{name}:{}:{}", place.line, place.column));
    }
    let label = |key: &str| context.paint(Style::new().dimmed(), context.say(key));
    if let Some(words) = catalog().code(code) {
        lines.push(format!("{} {}", label("verify.law"), words.law.get(context.lang)));
        lines.push(format!("{} {}", label("verify.right"), words.right.get(context.lang)));
    }
    lines.into_iter().map(|line| format!("    {line}\n")).collect()
}

/// The diagnostic of the move at which the replay stopped.
fn faulty_move(verdict: &Verdict) -> Option<&Diagnostic> {
    verdict.diagnostics.iter().find(|diagnostic| diagnostic.token.is_some())
}

/// What the position before a faulty move offers: lawful moves that may have been meant, and the board.
fn around(context: Context, verdict: &Verdict, fault: &Diagnostic, boards: bool) -> String {
    let game = verdict.game.and_then(games::find);
    let board = game.and_then(|game| game.board(verdict.rules, verdict.position.as_deref()).ok());
    let Some(board) = board else { return String::new() };
    let mut text = String::new();
    // A game that is over has no legal moves, whether or not its position string says that it is.
    let goes_on = verdict.finding.is_none();
    let likely = board.suggestions(fault.token.as_deref().unwrap_or_default(), FEW);
    if goes_on && !likely.is_empty() {
        let label = context.paint(Style::new().dimmed(), context.say("verify.legal"));
        text += &format!("    {label} {}\n", likely.join(" "));
    }
    if boards {
        text.extend(board::draw(context, &board.drawing()).lines().map(|line| format!("    {line}\n")));
    }
    text
}
