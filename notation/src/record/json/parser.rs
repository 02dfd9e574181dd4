//! The fields of a record, with checks that the text format can express them.

use std::{borrow::Cow, ops::Range};

use super::{
    super::{
        JsonFault, Limit, Movetext, Notes, OddClock, Outcome, Ply, ReadError, ReadErrorKind, Record, Spanned,
        SyntaxFault, Tag, clock,
        comment::{self, Piece},
        faults::Faults,
        limits,
        tags::{self, Names},
        text::is_token,
    },
    cursor::{Cursor, Text, fault},
};
use crate::Span;

const RECORD: [&str; 8] = ["game", "rules", "tags", "setup", "first", "comments", "moves", "result"];
const MOVE: [&str; 5] = ["move", "clock_ms", "comment", "nags", "variations"];
const VARIATION: [&str; 2] = ["comments", "moves"];

/// Reads a record. With `skip_notes`, notes beside the moves are checked and dropped.
pub(in crate::record) fn read(text: &str, skip_notes: bool) -> Result<Record<'_>, ReadError> {
    record(&mut Cursor::new(text), skip_notes)
}

/// The faults of a record.
pub(in crate::record) fn faults(text: &str) -> Vec<ReadError> {
    let mut cursor = Cursor::new(text);
    cursor.faults = Faults::collecting();
    let end = record(&mut cursor, true).map(drop);
    cursor.faults.finish(end)
}

fn record<'a>(cursor: &mut Cursor<'a>, skip_notes: bool) -> Result<Record<'a>, ReadError> {
    let mut record = Record::default();
    let mut names = Names::default();
    // The field `result`, and the spans of it and of the tag of that name.
    let mut result: Option<(Text<'_>, Span)> = None;
    let mut result_tag = None;
    cursor.peek();
    let start = cursor.at;
    cursor.fields(RECORD, |cursor, field, at| match field {
        "tags" => cursor.object(|cursor, name| {
            if name.value == "Result" {
                result_tag = Some(name.span);
            }
            if cursor.null() {
                return Ok(());
            }
            let value = cursor.text()?;
            add(&mut names, &mut record, name.value, name.span, value)
        }),
        "comments" => comments(cursor, |text| keep_opening(&mut record.movetext, text, skip_notes)),
        "moves" => moves(cursor, &mut record.movetext, 0, skip_notes),
        "result" => {
            result = Some((cursor.text()?, at));
            Ok(())
        }
        _ => {
            let name = match field {
                "game" => "Game",
                "rules" => "Rules",
                "setup" => "Setup",
                _ => "First",
            };
            let value = cursor.text()?;
            add(&mut names, &mut record, name.into(), at, value)
        }
    })?;
    record.span = Span::new(start, cursor.at);
    record.odd_clocks = std::mem::take(&mut cursor.odd_clocks);
    if cursor.peek().is_some() {
        return Err(cursor.unexpected());
    }
    if let Some((text, at)) = result {
        let outcome = Outcome::parse(&text.value);
        record.result = outcome.map(|value| Spanned { value, span: text.span });
        match (result_tag, outcome) {
            // It is the final token and the tag.
            (None, _) => {
                let added = add(&mut names, &mut record, "Result".into(), at, text);
                cursor.faults.collect(added)?;
            }
            // Anything but a result can only be the tag, which has another value already.
            (Some(first), None) => {
                cursor.faults.add(ReadError { kind: ReadErrorKind::Tag { first }, span: at })?;
            }
            (Some(_), Some(_)) => {}
        }
    }
    Ok(record)
}

/// Adds a tag; `at` is the span of its name.
fn add<'a>(
    names: &mut Names<'a>,
    record: &mut Record<'a>,
    name: Cow<'a, str>,
    at: Span,
    value: Text<'a>,
) -> Result<(), ReadError> {
    let tag = Tag { name, value: value.value, span: value.span };
    tags::check(&tag, at)?;
    names.add(&mut record.tags, tag, at)
}

/// Takes one comment, or a list of them.
fn comments<'a>(
    cursor: &mut Cursor<'a>,
    mut each: impl FnMut(&Text<'a>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut one = |cursor: &mut Cursor<'a>| {
        let text = cursor.text()?;
        comment::check_length(&text.value, text.span)?;
        each(&text)
    };
    if cursor.peek() == Some(b'[') { cursor.list(one) } else { one(cursor) }
}

/// Adds a comment before the first move.
fn keep_opening<'a>(movetext: &mut Movetext<'a>, text: &Text<'a>, skip_notes: bool) -> Result<(), ReadError> {
    if let Some(value) = comment::tidy(&text.value, |range| comment::slice(&text.value, range)) {
        comment::check(&value, text.span)?;
        if !skip_notes {
            movetext.comments.push(value);
        }
    }
    Ok(())
}

/// Takes the moves of the game, at depth 0, or of a variation.
fn moves<'a>(
    cursor: &mut Cursor<'a>,
    movetext: &mut Movetext<'a>,
    depth: usize,
    skip_notes: bool,
) -> Result<(), ReadError> {
    cursor.list(|cursor| {
        let ply = ply(cursor, depth, skip_notes)?;
        if depth == 0 && movetext.plies.len() >= limits::PLIES {
            return Err(ReadError::limit(Limit::Plies, ply.span));
        }
        if depth == 0 || !skip_notes {
            movetext.plies.push(ply);
        }
        Ok(())
    })
}

/// Takes a move: its token alone, or an object with its notes.
fn ply<'a>(cursor: &mut Cursor<'a>, depth: usize, skip_notes: bool) -> Result<Ply<'a>, ReadError> {
    let (mut token, mut is_told) = (None, false);
    let mut clock = None;
    let mut notes = Notes::default();
    if cursor.peek() == Some(b'{') {
        let open = cursor.at;
        cursor.fields(MOVE, |cursor, field, _| {
            match field {
                "move" => {
                    is_told = true;
                    token = Some(take_token(cursor, depth)?);
                }
                "clock_ms" => clock = Some(take_clock(cursor)?),
                "comment" => {
                    let mut odd = Vec::new();
                    comments(cursor, |text| keep(text, &mut clock, &mut notes, &mut odd, skip_notes))?;
                    let room = limits::FAULTS.saturating_sub(cursor.odd_clocks.len());
                    cursor.odd_clocks.extend(odd.into_iter().filter(|_| depth == 0).take(room));
                }
                "nags" => cursor.list(|cursor| {
                    let nag = take_nag(cursor)?;
                    if !skip_notes {
                        notes.nags.push(nag);
                    }
                    Ok(())
                })?,
                _ => cursor.list(|cursor| {
                    let movetext = variation(cursor, depth + 1, skip_notes)?;
                    if !skip_notes {
                        notes.variations.push(movetext);
                    }
                    Ok(())
                })?,
            }
            Ok(())
        })?;
        if token.is_none() && !is_told {
            return Err(fault(JsonFault::Move, Span::new(open, open + 1)));
        }
        // Its fault was reported.
        token = token.or_else(|| Some(Text { value: Cow::Borrowed(""), span: Span::new(open, open + 1) }));
    }
    let token = match token {
        Some(token) => token,
        None => take_token(cursor, depth)?,
    };
    let notes = (notes != Notes::default()).then(|| Box::new(notes));
    Ok(Ply { token: token.value, span: token.span, number: None, clock, notes })
}

/// Takes a token that the text format would read as the same.
fn take_token<'a>(cursor: &mut Cursor<'a>, depth: usize) -> Result<Text<'a>, ReadError> {
    let text = cursor.text()?;
    if text.value.len() > limits::TOKEN {
        return Err(ReadError::limit(Limit::Token, text.span));
    }
    if !is_token(&text.value, depth == 0) {
        return Err(ReadError::syntax(SyntaxFault::Token, text.span));
    }
    Ok(text)
}

/// Takes milliseconds that a clock can show.
fn take_clock(cursor: &mut Cursor<'_>) -> Result<Spanned<u64>, ReadError> {
    let (digits, span) = cursor.digits(JsonFault::Clock)?;
    let millis = digits.parse().ok().filter(|&millis| millis <= clock::MOST);
    let value = millis.ok_or_else(|| fault(JsonFault::Clock, span))?;
    Ok(Spanned { value, span })
}

/// Takes the number of an annotation.
fn take_nag(cursor: &mut Cursor<'_>) -> Result<u32, ReadError> {
    let (digits, span) = cursor.digits(JsonFault::Nag)?;
    digits.parse().map_err(|_| ReadError::limit(Limit::Nag, span))
}

/// Adds a comment of a move, with its clocks.
fn keep<'a>(
    text: &Text<'a>,
    clock: &mut Option<Spanned<u64>>,
    notes: &mut Notes<'a>,
    odd_clocks: &mut Vec<OddClock<'a>>,
    skip_notes: bool,
) -> Result<(), ReadError> {
    let Text { value, span } = text;
    // In a string with escapes, offsets in the value are not offsets in the source.
    let place = |at: Range<usize>| match value {
        Cow::Borrowed(_) => Span::new(span.start as usize + at.start, span.start as usize + at.end),
        Cow::Owned(_) => *span,
    };
    comment::pieces(
        value,
        |range| comment::slice(value, range),
        |piece| {
            match piece {
                Piece::Clock(millis, at) => *clock = Some(Spanned { value: millis, span: place(at) }),
                Piece::Odd(found, at) => odd_clocks.push(OddClock { found, span: place(at) }),
                Piece::Text(text) => {
                    comment::check(&text, *span)?;
                    if !skip_notes {
                        notes.comments.push(text);
                    }
                }
            }
            Ok(())
        },
    )
}

/// Takes a variation at this depth.
fn variation<'a>(cursor: &mut Cursor<'a>, depth: usize, skip_notes: bool) -> Result<Movetext<'a>, ReadError> {
    cursor.peek();
    if depth > limits::NESTING {
        return Err(ReadError::limit(Limit::Nesting, Span::new(cursor.at, cursor.at + 1)));
    }
    let mut movetext = Movetext::default();
    cursor.fields(VARIATION, |cursor, field, _| match field {
        "comments" => comments(cursor, |text| keep_opening(&mut movetext, text, skip_notes)),
        _ => moves(cursor, &mut movetext, depth, skip_notes),
    })?;
    Ok(movetext)
}
