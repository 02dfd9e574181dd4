//! A record as a scoresheet.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt::{self, Write},
    ops::AddAssign,
};

use super::{
    super::sink::write_decimal,
    super::{
        DamagedCell, Movetext, Ply, Record, Tag, clock,
        csv::{CLOCK, NUMBER, needs_mark, starter},
    },
    order::{tags, template},
};
use crate::{Side, games::GameNotation};

/// Counts of notes that a format cannot express. A variation counts with everything in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Comments.
    pub comments: usize,
    /// Annotations.
    pub annotations: usize,
    /// Variations.
    pub variations: usize,
}

impl AddAssign for Omitted {
    fn add_assign(&mut self, other: Self) {
        self.comments += other.comments;
        self.annotations += other.annotations;
        self.variations += other.variations;
    }
}

impl Omitted {
    /// Counts all that a scoresheet without a column for comments leaves out.
    pub(super) fn count(&mut self, movetext: &Movetext<'_>) {
        self.comments += movetext.comments.len();
        for notes in movetext.plies.iter().filter_map(|ply| ply.notes.as_deref()) {
            self.comments += notes.comments.len();
            self.annotations += notes.nags.len();
            self.variations += notes.variations.len();
            notes.variations.iter().for_each(|line| self.count(line));
        }
    }
}

/// A scoresheet to write the moves of a record into, with rows for its tags. A row without a value is in two cells, so that
/// the value is typed into the second.
pub(super) fn empty_sheet(record: &Record<'_>) -> String {
    let mut text = String::new();
    let rows = template(record, record.game());
    let written = rows.iter().try_for_each(|(name, value)| tag(name, value.as_deref(), &mut text));
    let written = written.and_then(|()| moves(record, &mut text));
    debug_assert!(written.is_ok(), "a String takes everything");
    text
}

/// The scoresheet of a record, and the counts of omitted notes.
pub(super) fn sheet(record: &Record<'_>) -> (String, Omitted) {
    let mut text = String::new();
    let written = write(record, &mut text);
    debug_assert!(written.is_ok(), "a String takes everything");
    let mut omitted = Omitted::default();
    omitted.count(&record.movetext);
    omitted.comments -=
        comments(&record.movetext.comments, &record.movetext.plies).filter(|text| is_evidence(text)).count();
    (text, omitted)
}

/// Commands in comments that tell how a record was repaired. A scoresheet keeps them.
const EVIDENCE: [&str; 5] = ["[%repaired ", "[%written ", "[%added ", "[%merged ", "[%sheet "];

fn is_evidence(comment: &str) -> bool {
    EVIDENCE.iter().any(|command| comment.starts_with(command))
}

/// These comments, and those of these plies.
fn comments<'r>(first: &'r [Cow<'r, str>], plies: &'r [Ply<'r>]) -> impl Iterator<Item = &'r str> {
    let of_plies = plies.iter().filter_map(|ply| ply.notes.as_deref()).flat_map(|notes| &notes.comments);
    first.iter().chain(of_plies).map(|comment| &**comment)
}

fn write(record: &Record<'_>, out: &mut String) -> fmt::Result {
    for Tag { name, value, .. } in tags(record, record.game()) {
        tag(name, Some(value), out)?;
    }
    moves(record, out)
}

/// Writes the line of a tag.
fn tag(name: &str, value: Option<&str>, out: &mut String) -> fmt::Result {
    match value {
        None => write!(out, "{name},")?,
        Some("") => write!(out, "#{name}:")?,
        Some(value) => cell(&format!("#{name}: {value}"), out),
    }
    out.push('\n');
    Ok(())
}

/// Writes the header and the rows of moves.
fn moves(record: &Record<'_>, out: &mut String) -> fmt::Result {
    let game = record.game();
    let sides = match game.map(|game| (game, starter(record, game))) {
        Some((game, starter)) => [starter, !starter].map(|side| game.side(side).name),
        None => ["first", "second"],
    };
    let clocks = has_clocks(record, game);
    out.push_str(NUMBER);
    for side in sides {
        write!(out, ",{side}")?;
        if clocks {
            write!(out, ",{side}{CLOCK}")?;
        }
    }
    let Movetext { comments: first, plies } = &record.movetext;
    let has_evidence = !plies.is_empty() && comments(first, plies).any(is_evidence);
    if has_evidence {
        out.push_str(",comments");
    }
    out.push('\n');
    // A cell that is not restored stays as a spreadsheet has left it.
    let changed: HashSet<_> = record.damaged.iter().map(|damaged| damaged.cell).collect();
    for (index, pair) in record.movetext.plies.chunks(2).enumerate() {
        write_decimal(Record::expected_number(2 * index), out)?;
        for side in Side::BOTH {
            let is_changed = changed.contains(&DamagedCell::Ply(2 * index + side.index()));
            half(pair.get(side.index()), clocks, is_changed, out)?;
        }
        if has_evidence {
            let first = if index == 0 { first.as_slice() } else { &[] };
            let evidence: Vec<_> = comments(first, pair).filter(|comment| is_evidence(comment)).collect();
            out.push(',');
            cell(&evidence.join(" "), out);
        }
        out.push('\n');
    }
    // The tag has the result as well, but does not show that it follows the moves.
    let token = record.result.map(|result| result.value.as_str());
    if let Some(token) = token.filter(|token| record.value("Result") != Some(token)) {
        writeln!(out, ",{token}")?;
    }
    Ok(())
}

/// True if the sheet has columns for clocks: some are written, or nothing is written yet in a game that is played with them.
fn has_clocks(record: &Record<'_>, game: Option<&GameNotation>) -> bool {
    let plies = &record.movetext.plies;
    let is_clocked = || game.is_some_and(|game| game.clocks) || record.value("TimeControl").is_some();
    if plies.is_empty() { is_clocked() } else { plies.iter().any(|ply| ply.clock.is_some()) }
}

/// Writes the cells of one side in a row.
fn half(ply: Option<&Ply<'_>>, clocks: bool, is_changed: bool, out: &mut String) -> fmt::Result {
    out.push(',');
    let token = ply.map_or("", |ply| &*ply.token);
    if needs_mark(token) && !is_changed {
        // A spreadsheet would make a number of `0E01`. It keeps the mark in its cell, and readers leave it out.
        cell(&format!("'{token}"), out);
    } else {
        cell(token, out);
    }
    if clocks {
        out.push(',');
        if let Some(clock) = ply.and_then(|ply| ply.clock) {
            // A spreadsheet saves a time as it shows it, with a digit or two after the seconds.
            out.push('\'');
            clock::write(clock.value, out)?;
        }
    }
    Ok(())
}

/// Writes a cell, in quotes if it has a quote or a delimiter.
fn cell(text: &str, out: &mut String) {
    if text.contains(['"', ',', ';', '\t']) {
        out.extend(["\"", &text.replace('"', "\"\""), "\""]);
    } else {
        out.push_str(text);
    }
}
