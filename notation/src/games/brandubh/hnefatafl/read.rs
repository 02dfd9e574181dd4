//! Reads a game of hnefatafl.org.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    super::{
        CLUB, Diagram, FINAL_TOKEN, NOTATION, Piece, SIZE, Square,
        setup::{START, setup_tag},
    },
    names::{FOREIGN, KEPT, Kind, first, rules, time_control},
};
use crate::{
    Side, Span,
    record::{
        BASE_RULES, Dropped, ForeignFault, Limit, Outcome, Ply, ReadError, ReadErrorKind, Record, Spanned, SyntaxFault,
        Tag, check_tag, clock,
        json::{Cursor, Text},
        limits,
        text::{is_blank, is_token},
    },
};

/// A fault in a game of hnefatafl.org.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HnefataflFault {
    /// A board of another size.
    Board,
    /// No size of the board is told.
    NoSize,
    /// A start position that is not seven rows of seven squares with `t`, `T` and `K`.
    Rows,
    /// A value of another type than the field has.
    Value,
    /// A move after a resignation.
    Resigned,
}

impl From<HnefataflFault> for SyntaxFault {
    fn from(fault: HnefataflFault) -> Self {
        let (variant, quotes) = match fault {
            HnefataflFault::Board => ("hnefatafl-board", true),
            HnefataflFault::NoSize => ("hnefatafl-no-size", false),
            HnefataflFault::Rows => ("hnefatafl-rows", true),
            HnefataflFault::Value => ("hnefatafl-value", true),
            HnefataflFault::Resigned => ("hnefatafl-resigned", true),
        };
        Self::Foreign(ForeignFault { variant, quotes })
    }
}

fn fault(fault: HnefataflFault, span: Span) -> ReadError {
    ReadError::syntax(fault.into(), span)
}

/// Reads one object.
pub(super) fn read(text: &str) -> Result<Record<'_>, ReadError> {
    let mut game = Game { text, ..Game::default() };
    let mut cursor = Cursor::new(text);
    cursor.peek();
    let start = cursor.at;
    object(&mut cursor, |cursor, name| game.field(cursor, &name))?;
    game.record.span = Span::new(start, cursor.at);
    if cursor.peek().is_some() {
        return Err(cursor.unexpected());
    }
    game.finish(Span::new(start, start + 1))
}

/// Takes an object with each name once; `field` takes the values that are not `null`.
fn object<'a>(
    cursor: &mut Cursor<'a>,
    mut field: impl FnMut(&mut Cursor<'a>, Text<'a>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut names = HashMap::new();
    cursor.object(|cursor, name| {
        if let Some(first) = names.insert(name.value.clone(), name.span) {
            return Err(ReadError { kind: ReadErrorKind::Tag { first }, span: name.span });
        }
        if cursor.null() { Ok(()) } else { field(cursor, name) }
    })
}

/// Takes a number, `true` or `false`.
fn word<'a>(cursor: &mut Cursor<'a>) -> Result<(&'a str, Span), ReadError> {
    let (word, span) = cursor.word();
    if word.is_empty() { Err(cursor.unexpected()) } else { Ok((word, span)) }
}

/// Takes a whole number without a sign.
fn number(cursor: &mut Cursor<'_>) -> Result<(u64, Span), ReadError> {
    let (word, span) = word(cursor)?;
    Ok((whole(word, span)?, span))
}

/// The value of digits.
fn whole(digits: &str, span: Span) -> Result<u64, ReadError> {
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    let value = digits.parse().ok().filter(|_| is_whole);
    value.ok_or_else(|| fault(HnefataflFault::Value, span))
}

/// Takes `true` or `false`.
fn truth(cursor: &mut Cursor<'_>) -> Result<(bool, Span), ReadError> {
    let (word, span) = word(cursor)?;
    match word {
        "true" => Ok((true, span)),
        "false" => Ok((false, span)),
        _ => Err(fault(HnefataflFault::Value, span)),
    }
}

/// Skips a value of any type.
fn skipped(cursor: &mut Cursor<'_>) -> Result<Span, ReadError> {
    cursor.peek();
    let start = cursor.at;
    cursor.skip_value()?;
    Ok(Span::new(start, cursor.at))
}

/// The state of reading a game.
#[derive(Default)]
struct Game<'a> {
    text: &'a str,
    record: Record<'a>,
    /// The names of the record's tags.
    taken: HashSet<Cow<'a, str>>,
    has_size: bool,
    variant: Option<Text<'a>>,
    start: Option<(String, Span)>,
    /// The defenders begin.
    black_begins: bool,
    moves: Option<Text<'a>>,
    /// Seconds and increment.
    control: Option<(u64, u64)>,
    /// The times that the attackers and the defenders have left, and the span of the field.
    left: Option<([Option<Spanned<u64>>; 2], Span)>,
    /// The object has the field `quipu`, as those that quipu writes.
    is_own: bool,
    /// Values of the field `quipu`, which take precedence.
    rules: Option<Text<'a>>,
    setup: Option<Text<'a>>,
    token: Option<Spanned<Outcome>>,
}

impl<'a> Game<'a> {
    /// Takes the value of a field.
    fn field(&mut self, cursor: &mut Cursor<'a>, name: &Text<'a>) -> Result<(), ReadError> {
        if let Some((_, kind)) = KEPT.iter().find(|(kept, _)| *kept == name.value) {
            let value = match kind {
                Kind::Text => cursor.text()?,
                Kind::Number => spelled(self.text, number(cursor)?.1),
                Kind::Truth => spelled(self.text, truth(cursor)?.1),
            };
            return self.tag(format!("{FOREIGN}{}", name.value).into(), value);
        }
        match &*name.value {
            "attackers" => self.player("Rojos", cursor.text()?),
            "defenders" => self.player("Negros", cursor.text()?),
            "dim" => {
                let (size, span) = number(cursor)?;
                self.has_size = true;
                if size == SIZE as u64 { Ok(()) } else { Err(fault(HnefataflFault::Board, span)) }
            }
            // Rules of other variants, which Brandubh does not have.
            "sw" | "efe" => {
                let (is_on, span) = truth(cursor)?;
                if is_on {
                    self.leave_out(name.span, span);
                }
                Ok(())
            }
            "atkf" => {
                self.black_begins = !truth(cursor)?.0;
                Ok(())
            }
            "variant" => {
                self.variant = Some(cursor.text()?);
                Ok(())
            }
            "start" => self.position(&cursor.text()?),
            "moves" => {
                self.moves = Some(cursor.text()?);
                Ok(())
            }
            "time_control" => self.time_control(cursor, name.span),
            "time_remaining_ms" => self.time_left(cursor, name.span),
            "quipu" => {
                self.is_own = true;
                object(cursor, |cursor, name| self.own(cursor, name))
            }
            _ => {
                let value = skipped(cursor)?;
                if !self.text[value.range()].trim_matches(['[', ']', ' ']).is_empty() {
                    self.leave_out(name.span, value);
                }
                Ok(())
            }
        }
    }

    /// Reports a field, whose name and value stand in these spans.
    fn leave_out(&mut self, name: Span, value: Span) {
        let whole = Span::new(name.start as usize - 1, value.end as usize);
        self.record.dropped.push(Dropped::new(&self.text[whole.range()], whole));
    }

    /// Adds a tag that the record does not have yet.
    fn tag(&mut self, name: Cow<'a, str>, value: Text<'a>) -> Result<(), ReadError> {
        let tag = Tag { name, value: value.value, span: value.span };
        check_tag(&tag, value.span)?;
        if self.taken.insert(tag.name.clone()) {
            self.record.tags.push(tag);
        } else {
            self.record.dropped.push(Dropped::new(tag.value, tag.span));
        }
        Ok(())
    }

    fn player(&mut self, tag: &'static str, name: Text<'a>) -> Result<(), ReadError> {
        if name.value.is_empty() { Ok(()) } else { self.tag(tag.into(), name) }
    }

    fn position(&mut self, text: &Text<'a>) -> Result<(), ReadError> {
        let diagram = Diagram::parse_otg(&text.value).map_err(|found| {
            let is_plain = matches!(text.value, Cow::Borrowed(_));
            let span = if is_plain { found.span.shifted(text.span.start as usize) } else { text.span };
            fault(HnefataflFault::Rows, span)
        })?;
        self.start = Some((diagram.to_string(), text.span));
        Ok(())
    }

    fn time_control(&mut self, cursor: &mut Cursor<'a>, name: Span) -> Result<(), ReadError> {
        let (mut seconds, mut increment) = (None, 0);
        cursor.peek();
        let start = cursor.at;
        object(cursor, |cursor, name| {
            match &*name.value {
                "main_time_seconds" => seconds = Some(number(cursor)?.0),
                "increment_length" => increment = number(cursor)?.0,
                _ => {
                    let value = skipped(cursor)?;
                    self.leave_out(name.span, value);
                }
            }
            Ok(())
        })?;
        let span = Span::new(start, cursor.at);
        let Some(seconds) = seconds else {
            self.leave_out(name, span);
            return Ok(());
        };
        self.control = Some((seconds, increment));
        self.tag("TimeControl".into(), Text { value: time_control(seconds, increment).into(), span })
    }

    /// Takes the times left: an object, or a list of two.
    fn time_left(&mut self, cursor: &mut Cursor<'a>, name: Span) -> Result<(), ReadError> {
        let mut left = [None; 2];
        if cursor.peek() == Some(b'[') {
            let mut count = 0;
            cursor.list(|cursor| {
                let found = self.time(cursor)?;
                let place = left.get_mut(count).ok_or_else(|| fault(HnefataflFault::Value, found.span))?;
                *place = Some(found);
                count += 1;
                Ok(())
            })?;
        } else {
            object(cursor, |cursor, name| {
                match &*name.value {
                    "attackers" => left[0] = Some(self.time(cursor)?),
                    "defenders" => left[1] = Some(self.time(cursor)?),
                    "last_move" => {
                        let text = cursor.text()?;
                        self.tag(format!("{FOREIGN}last_move").into(), text)?;
                    }
                    _ => {
                        let value = skipped(cursor)?;
                        self.leave_out(name.span, value);
                    }
                }
                Ok(())
            })?;
        }
        self.left = Some((left, Span::new(name.start as usize, cursor.at)));
        Ok(())
    }

    /// Takes a time left. One below zero, which a clock of a record cannot be, is reported and becomes zero.
    fn time(&mut self, cursor: &mut Cursor<'a>) -> Result<Spanned<u64>, ReadError> {
        let (word, span) = word(cursor)?;
        let Some(below) = word.strip_prefix('-') else {
            return Ok(Spanned { value: whole(word, span)?, span });
        };
        whole(below, span)?;
        self.record.dropped.push(Dropped::new(word, span));
        Ok(Spanned { value: 0, span })
    }

    /// Takes a tag of the field `quipu`, or the final token.
    fn own(&mut self, cursor: &mut Cursor<'a>, name: Text<'a>) -> Result<(), ReadError> {
        let value = cursor.text()?;
        match &*name.value {
            "Game" => {
                self.leave_out(name.span, Span::new(value.span.start as usize, value.span.end as usize + 1));
            }
            "Rules" => self.rules = Some(value),
            "Setup" => self.setup = Some(value),
            FINAL_TOKEN => {
                let outcome = Outcome::parse(&value.value).ok_or_else(|| fault(HnefataflFault::Value, value.span))?;
                self.token = Some(Spanned { value: outcome, span: value.span });
            }
            _ => {
                if !Tag::is_name(&name.value) {
                    return Err(ReadError::syntax(SyntaxFault::Name, name.span));
                }
                return self.tag(name.value, value);
            }
        }
        Ok(())
    }

    fn finish(mut self, open: Span) -> Result<Record<'a>, ReadError> {
        if !self.has_size {
            return Err(fault(HnefataflFault::NoSize, open));
        }
        let of_variant = |Text { value, span }| Text { value: rules(&value).map_or(value, Cow::Borrowed), span };
        let rules = self.rules.take().or(self.variant.take().map(of_variant)).unwrap_or_else(|| {
            self.record.dropped.push(Dropped::absent("\"variant\"", open, CLUB));
            Text { value: CLUB.into(), span: open }
        });
        let begins = if self.black_begins { Side::One } else { Side::Two };
        self.record.tags.insert(0, Tag { name: "Game".into(), value: NOTATION.id.into(), span: open });
        let (rows, span) = self.start.take().unwrap_or_else(|| (START.to_owned(), open));
        let synthetic = setup_tag(&rows, begins, first(&rules.value)).map(|value| Text { value: value.into(), span });
        if let Some(setup) = self.setup.take().or(synthetic) {
            self.tag("Setup".into(), setup)?;
        }
        if rules.value != BASE_RULES {
            self.tag("Rules".into(), rules)?;
        }
        if let Some(moves) = self.moves.take() {
            self.moves(&moves, &rows, begins)?;
        }
        self.clocks(begins);
        let tag = self.record.tag("Result").and_then(|tag| Some((Outcome::parse(&tag.value)?, tag.span)));
        let token = self.token.or(tag.map(|(value, span)| Spanned { value, span }));
        self.record.result = token.or(self.record.result);
        self.record.dropped.sort_by_key(|dropped| dropped.span.start);
        Ok(self.record)
    }

    /// Reads the moves: tokens with spaces between them, and a resignation at the end.
    fn moves(&mut self, text: &Text<'a>, rows: &str, begins: Side) -> Result<(), ReadError> {
        let diagram = Diagram::parse(rows).unwrap_or(Diagram::EMPTY);
        let mut king =
            Square::all().find(|square| diagram.get(*square) == Some(Piece::King)).map(|king| king.to_string());
        let mut resigned = false;
        let mut at = 0;
        for run in text.value.split(is_blank) {
            let span = match &text.value {
                Cow::Borrowed(_) => Span::new(text.span.start as usize + at, text.span.start as usize + at + run.len()),
                // With escapes, offsets in the value are not offsets in the source.
                Cow::Owned(_) => text.span,
            };
            let range = at..at + run.len();
            at += run.len() + 1;
            if run.is_empty() {
                continue;
            }
            if resigned {
                return Err(fault(HnefataflFault::Resigned, span));
            }
            if run == "---" || run == "resigns" {
                resigned = true;
                let side = if self.record.movetext.plies.len().is_multiple_of(2) { begins } else { !begins };
                self.record.result = Some(Spanned { value: Outcome::Win(!side), span });
                self.tag("Termination".into(), Text { value: "resignation".into(), span })?;
                continue;
            }
            if run.len() > limits::TOKEN {
                return Err(ReadError::limit(Limit::Token, span));
            }
            if !is_token(run, true) {
                return Err(ReadError::syntax(SyntaxFault::Token, span));
            }
            if self.record.movetext.plies.len() >= limits::PLIES {
                return Err(ReadError::limit(Limit::Plies, span));
            }
            // quipu writes no captured king, so one that is claimed was claimed in the record.
            let captured = king.as_deref().filter(|_| !self.is_own);
            let token = match (token(run, captured), &text.value) {
                (Some(token), _) => Cow::Owned(token),
                (None, Cow::Borrowed(value)) => Cow::Borrowed(&value[range]),
                (None, Cow::Owned(_)) => Cow::Owned(run.to_owned()),
            };
            if let Some((from, to)) = run.split_once('-')
                && king.as_deref() == Some(bare(from))
            {
                king = Some(bare(to.split('x').next().unwrap_or(to)).to_owned());
            }
            self.record.movetext.plies.push(Ply { token, span, number: None, clock: None, notes: None });
        }
        Ok(())
    }

    /// Gives the times left to the last moves of the sides, if the clocks have no increment, which clocks of a record cannot
    /// express.
    fn clocks(&mut self, begins: Side) {
        let Some((left, span)) = self.left.take() else { return };
        let count = self.record.movetext.plies.len();
        let (seconds, increment) = self.control.unwrap_or_default();
        let mut is_kept = true;
        for (side, time) in [Side::Two, Side::One].into_iter().zip(left) {
            let Some(time) = time else { continue };
            let parity = usize::from(side != begins);
            let last = (0..count).rev().find(|index| index % 2 == parity);
            match last {
                Some(index) if increment == 0 && time.value <= clock::MOST => {
                    self.record.movetext.plies[index].clock = Some(time);
                }
                // A side that has not moved has all of its time.
                None if seconds.checked_mul(1000) == Some(time.value) => {}
                _ => is_kept = false,
            }
        }
        if !is_kept {
            self.leave_out(span, span);
        }
    }
}

/// The text of a number or a word as a value.
fn spelled(text: &str, span: Span) -> Text<'_> {
    Text { value: Cow::Borrowed(&text[span.range()]), span }
}

/// A square without the letter of the king and the marks at the end of a move.
fn bare(square: &str) -> &str {
    square.strip_prefix('K').unwrap_or(square).trim_end_matches(['+', '-'])
}

/// The token of a move: captures have an `x` each there, and a captured king is among them. Nothing if it is the same.
pub(super) fn token(run: &str, king: Option<&str>) -> Option<String> {
    let (moved, captures) = run.split_once('x').filter(|(moved, _)| !moved.is_empty())?;
    let squares: Vec<_> = captures.split(['x', '/']).filter(|square| Some(bare(square)) != king).collect();
    let joint = if squares.is_empty() { "" } else { "x" };
    let token = format!("{moved}{joint}{}", squares.join("/"));
    (token != run).then_some(token)
}
