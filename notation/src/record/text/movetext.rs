//! The grammar of movetext: move numbers, tokens, clocks, comments, annotations, variations, results.

use std::borrow::Cow;

use super::{
    super::{
        Limit, MoveSink, Movetext, OddClock, Outcome, ReadError, Record, Spanned, SyntaxFault, WrittenPly,
        comment::{self, Piece},
        limits,
        move_sink::DroppedMoves,
    },
    cursor::{Cursor, Item, limit, syntax},
    is_space, is_special,
    move_number::move_number,
    plain_moves::{lone_clock, plain_moves},
    token_end,
};
use crate::Span;

/// An open variation: the offset of its `(`, and the number of open ones.
#[derive(Clone, Copy)]
pub(super) struct Open {
    at: usize,
    depth: usize,
    /// A fault was reported at its `(`.
    told: bool,
}

/// Reads moves up to a result, to the `)` of the variation, or to the end.
pub(super) fn read_movetext<'a, S: MoveSink<'a>>(
    cursor: &mut Cursor<'a>,
    moves: &mut S,
    variation: Option<Open>,
) -> Result<Option<Spanned<Outcome>>, S::Stop> {
    let mut number = None;
    loop {
        let (_, item) = cursor.next()?;
        let at = cursor.at;
        let Some(item) = item else {
            cursor.reached(at)?;
            if let Some(open) = variation.filter(|open| !open.told)
                && !cursor.lost
            {
                cursor.faults.add(syntax(SyntaxFault::Variation, open.at..open.at + 1))?;
            }
            return Ok(None);
        };
        match item {
            Item::Run => {
                let main = variation.is_none();
                if main && number.is_none() && plain_moves(cursor, moves)? {
                    continue;
                }
                if let Some(result) = run(cursor, moves, &mut number, main)? {
                    return Ok(Some(result));
                }
            }
            Item::Comment => read_comment(cursor, moves, variation.is_none())?,
            Item::TagPair | Item::Special(b'[' | b']') => {
                cursor.faults.add(syntax(SyntaxFault::Bracket, at..at + 1))?;
                cursor.skip_bracket();
            }
            Item::Special(b'}') => {
                cursor.faults.add(syntax(SyntaxFault::Brace, at..at + 1))?;
                cursor.take(at + 1);
            }
            Item::Special(b'(') => {
                let depth = variation.map_or(0, |open| open.depth) + 1;
                let told = moves.count() == 0;
                if told {
                    cursor.faults.add(syntax(SyntaxFault::VariationStart, at..at + 1))?;
                }
                if depth > limits::NESTING {
                    return Err(limit(Limit::Nesting, at..at + 1).into());
                }
                cursor.take(at + 1);
                let open = Some(Open { at, depth, told });
                if cursor.skip_notes {
                    read_movetext(cursor, &mut DroppedMoves::default(), open)?;
                } else {
                    let mut inner = Movetext::default();
                    read_movetext(cursor, &mut inner, open)?;
                    if let Some(notes) = moves.notes() {
                        notes.variations.push(inner);
                    }
                }
            }
            Item::Special(b')') if variation.is_some() => {
                cursor.take(at + 1);
                return Ok(None);
            }
            Item::Special(b')') => {
                if !cursor.lost {
                    cursor.faults.add(syntax(SyntaxFault::VariationEnd, at..at + 1))?;
                }
                cursor.take(at + 1);
            }
            Item::Special(_) => {
                if let Some(number) = annotation(cursor, moves.count() > 0)?
                    && !cursor.skip_notes
                    && let Some(notes) = moves.notes()
                {
                    notes.nags.push(number);
                }
            }
        }
    }
}

/// Reads a run: move numbers, a token, a result, or several of them without white space between them.
fn run<'a, S: MoveSink<'a>>(
    cursor: &mut Cursor<'a>,
    moves: &mut S,
    number: &mut Option<Spanned<u64>>,
    main: bool,
) -> Result<Option<Spanned<Outcome>>, S::Stop> {
    let (text, bytes) = (cursor.text, cursor.text.as_bytes());
    let mut at = cursor.at;
    let end = at + token_end::find(&bytes[at..]);
    cursor.reached(end)?;
    while let Some((value, length)) = move_number(&bytes[at..end]) {
        if bytes[at + length..end].starts_with(b";") {
            break; // On its own it would begin a comment: the number is part of the token.
        }
        let off = |number: &Spanned<u64>| number.value != Record::expected_number(moves.count());
        if !number.as_ref().is_some_and(off) {
            *number = Some(Spanned { value, span: Span::new(at, at + length) });
        }
        at += length;
    }
    cursor.take(end);
    if at == end {
        return Ok(None);
    }
    let (token, span) = (&text[at..end], Span::new(at, end));
    if main && let Some(value) = Outcome::parse(token) {
        return Ok(Some(Spanned { value, span }));
    }
    if token.len() > limits::TOKEN {
        cursor.faults.add(limit(Limit::Token, span.range()))?;
    }
    if main && moves.count() >= limits::PLIES {
        return Err(limit(Limit::Plies, span.range()).into());
    }
    let number = number.take().filter(|_| main);
    moves.ply(WrittenPly { token, span, number })?;
    Ok(None)
}

/// True if the text of a move in another format would be read here as the same token: a whole run, no number and,
/// except in a variation, no result.
pub(crate) fn is_token(text: &str, main: bool) -> bool {
    let is_run = !text.is_empty() && text.bytes().all(|byte| !is_space(byte) && !is_special(byte));
    let has_number = move_number(text.as_bytes()).is_some_and(|(_, length)| !text[length..].starts_with(';'));
    let is_result = main && Outcome::parse(text).is_some();
    is_run && !has_number && !is_result && !text.starts_with(';')
}

/// Takes `$7`, `!?` and the like: its number. `is_behind_a_ply` tells if there is a ply that it annotates.
fn annotation(cursor: &mut Cursor<'_>, is_behind_a_ply: bool) -> Result<Option<u32>, ReadError> {
    let start = cursor.at;
    let bytes = cursor.text.as_bytes();
    let number = if bytes[start] == b'$' {
        cursor.take(start + 1);
        let digits = cursor.run()?;
        let at = start..cursor.at;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return cursor.faults.collect(Err(syntax(SyntaxFault::Nag, at)));
        }
        let Ok(number) = digits.parse() else { return cursor.faults.collect(Err(limit(Limit::Nag, at))) };
        number
    } else {
        let length = bytes[start..].iter().take_while(|byte| matches!(byte, b'!' | b'?')).count();
        cursor.reached(start + length)?;
        match cursor.take(start + length) {
            "!" => 1,
            "?" => 2,
            "!!" => 3,
            "??" => 4,
            "!?" => 5,
            "?!" => 6,
            _ => return cursor.faults.collect(Err(syntax(SyntaxFault::Marks, start..cursor.at))),
        }
    };
    if !is_behind_a_ply {
        return cursor.faults.collect(Err(syntax(SyntaxFault::Annotation, start..cursor.at)));
    }
    Ok(Some(number))
}

/// Takes a comment: to the last move, with its clock, or to the beginning of the line.
pub(super) fn read_comment<'a, S: MoveSink<'a>>(
    cursor: &mut Cursor<'a>,
    moves: &mut S,
    main: bool,
) -> Result<(), S::Stop> {
    let is_behind_a_ply = moves.count() > 0;
    if is_behind_a_ply && let Some((clock, end)) = lone_clock(cursor.text.as_bytes(), cursor.at) {
        moves.clock(clock);
        cursor.take(end);
        return Ok(());
    }
    let start = cursor.at + 1;
    let text = match cursor.comment() {
        Ok(text) => text,
        Err(fault) => {
            cursor.faults.add(fault)?;
            cursor.skip_comment();
            return Ok(());
        }
    };
    let skip_notes = cursor.skip_notes;
    let part = |range| Cow::Borrowed(&text[range]);
    if !is_behind_a_ply {
        if let Some(text) = comment::tidy(text, part).filter(|_| !skip_notes) {
            moves.comment(text);
        }
        return Ok(());
    }
    comment::pieces(text, part, |piece| {
        match piece {
            Piece::Clock(value, at) => {
                moves.clock(Spanned { value, span: Span::new(start + at.start, start + at.end) });
            }
            Piece::Text(text) => {
                if !skip_notes && let Some(notes) = moves.notes() {
                    notes.comments.push(text);
                }
            }
            Piece::Odd(found, at) => {
                if main && cursor.odd_clocks.len() < limits::FAULTS {
                    let span = Span::new(start + at.start, start + at.end);
                    cursor.odd_clocks.push(OddClock { found, span });
                }
            }
        }
        Ok(())
    })
}
