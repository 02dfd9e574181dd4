//! Advice: likely slips that break no rule, the codes `advice.*`. It changes no verdict, status or id.
//!
//! For a well-formed record the cost is a check of each tag, and nothing per ply.

mod players;
mod slip;
mod tags;
mod values;

use quipu_notation::{
    Span,
    record::{Chunk, OddClock, Record, Tag, clock, clock_readings},
};

pub use players::{PlayerName, Players};
pub use slip::CODES;

use self::slip::Slip;
use crate::{Diagnostic, text::Messages};

/// The message catalogue of these codes.
pub static MESSAGES: Messages = include!(concat!(env!("OUT_DIR"), "/advice/messages.rs"));

/// Unknown tags of a record that are compared with the known ones, at most.
pub const UNKNOWN_TAGS: usize = 64;

/// The advice on a record of a chunk; diagnostics have spans and no places yet.
pub(crate) fn of(record: &Record<'_>, chunk: &Chunk<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut unknown = 0;
    for tag in &record.tags {
        if let Some(slip) = values::slip(tag) {
            found.push(Diagnostic::new(slip.into(), Some(tag.span)));
        } else if !tags::is_known(&tag.name) && unknown < UNKNOWN_TAGS {
            unknown += 1;
            if let Some(likely) = tags::likely(record, &tag.name) {
                let slip = Slip::Tag { found: &tag.name, tag: likely };
                found.push(Diagnostic::new(slip.into(), Some(name_of(tag, chunk))));
            }
        }
    }
    found.extend(record.odd_clocks.iter().map(|odd| clock_advice(record, odd)));
    if let Some(before) = chunk.tags_before()
        && !record.tags.is_empty()
        && before.has_game != record.tag("Game").is_some()
    {
        let start = record.span.start;
        let slip = Slip::BlankLine { line: before.line };
        found.push(Diagnostic::new(slip.into(), Some(Span { start, end: start + 1 })));
    }
    found
}

/// The span of a tag's name, which is before the value on the same line.
#[cold]
fn name_of(tag: &Tag<'_>, chunk: &Chunk<'_>) -> Span {
    let before = chunk.text().get(..tag.span.start as usize).unwrap_or_default();
    let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let name = tag.name.as_bytes();
    let at = before[line..].windows(name.len().max(1)).position(|window| window == name);
    at.map_or(tag.span, |at| Span::new(line + at, line + at + name.len()))
}

#[cold]
fn clock_advice(record: &Record<'_>, OddClock { found, span }: &OddClock<'_>) -> Diagnostic {
    let readings: Vec<_> = clock_readings(found).into_iter().map(clock::text).collect();
    let slip = if readings.is_empty() {
        Slip::NoClock { found }
    } else {
        Slip::Clock { found, readings: readings.join(", ") }
    };
    let ply = record.movetext.plies.partition_point(|ply| ply.span.start < span.start);
    Diagnostic { ply: Some(ply as u64), ..Diagnostic::new(slip.into(), Some(*span)) }
}
