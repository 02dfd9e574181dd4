//! Replays of `OpenTafl` (`.otg`), read as records of Brandubh.
//!
//! A replay is one game: tags `[name:value]`, whose values may span several lines; then a line for each pair of moves,
//! `3. d6-a6xa5 d5-a5xa6`; after a line the comments on its moves, `[on the first|on the second]`; and lines that
//! replace a move by others, `8b.1.1a. ..... d1-d3`. This module translates all of that into a record. Anything that a
//! record has no place for is reported as [`Dropped`], with its span. The referee decides about the legality of moves
//! and start positions.
//!
//! The attackers are red and side 2, the defenders black and side 1. The rules string decides which side begins and
//! which rule set applies ([`rules`]). A start position can name a first side other than that of the rule set.

mod lines;
mod names;
mod rules;
mod scan;
#[cfg(test)]
mod tests;
mod time;
mod translate;
mod write;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use lines::{Turn, address, variation};
use names::{FOREIGN, NO_RESULT, OWN, RESIGNS, end_written, tag_of_record};
use rules::Rules;
use scan::{OtgFault, rows_at, syntax};
use time::Time;
use translate::{comment, end_told, our_name, outcome, token};

use super::{CLUB, NOTATION};
use crate::{
    Side, Span,
    games::ForeignFormat,
    record::{
        BOM, Dropped, Format, Limit, Outcome, Ply, ReadError, ReadErrorKind, Record, Spanned, Tag, limits,
        text::{is_blank, is_space, is_special},
    },
};

fn limit(limit: Limit, at: Range<usize>) -> ReadError {
    ReadError::limit(limit, Span::new(at.start, at.end))
}

/// Replays of `OpenTafl`.
pub const OTG: ForeignFormat = ForeignFormat {
    format: Format::Otg,
    game: NOTATION.id,
    is_single: true,
    fields: &[],
    tag: None,
    sites: &[],
    read,
    write: write::write,
};

/// Reads a replay. The whole text is one record; spans are offsets in it.
fn read(text: &str) -> Result<Record<'_>, ReadError> {
    let text = text.trim_end_matches(is_blank);
    let mut replay = Replay::new(text);
    if text.len() - replay.at > limits::RECORD {
        return Err(limit(Limit::Record, 0..0));
    }
    while replay.next() == Some(b'[') {
        replay.tag()?;
    }
    replay.settle();
    while let Some(byte) = replay.next() {
        if byte == b'[' {
            replay.comments()?;
        } else {
            replay.turn()?;
        }
    }
    Ok(replay.finish())
}

/// Trims a text that begins at `at`; returns it with its span.
fn trimmed(text: &str, at: usize) -> (&str, Span) {
    let start = at + text.len() - text.trim_start_matches(is_blank).len();
    let text = text.trim_matches(is_blank);
    (text, Span::new(start, start + text.len()))
}

/// Values of tags that were written under the record's own names, with their spans.
#[derive(Default)]
struct OwnTags<'a> {
    rules: Option<(&'a str, Span)>,
    setup: Option<(&'a str, Span)>,
    result: Option<(&'a str, Span)>,
    /// The record has no tag `Result`, only the final token.
    no_result: bool,
}

/// The state of reading a replay.
struct Replay<'a> {
    text: &'a str,
    at: usize,
    record: Record<'a>,
    /// The spans of tag names, by the name that the record would give the tag.
    named: HashMap<Cow<'a, str>, Span>,
    /// The names of the record's tags.
    taken: HashSet<Cow<'a, str>>,
    /// The rules string with its span and that of its tag, and its meaning.
    rules: Option<(&'a str, Span, Span, Rules<'a>)>,
    /// The side that begins.
    first: Side,
    /// The rows of the tag `position`, and their span.
    position: Option<(String, Span)>,
    /// Tags of the record that take precedence over those of `OpenTafl`.
    own: OwnTags<'a>,
    /// True if the time control has neither overtimes nor an increment; nothing without a time control.
    plain_time: Option<bool>,
    /// The result of the tag.
    claimed: Option<Spanned<Outcome>>,
    /// The result of a resignation.
    resigned: Option<Spanned<Outcome>>,
    /// The last line of moves, which comments may still follow.
    turn: Option<Turn<'a>>,
    moves: usize,
}

impl<'a> Replay<'a> {
    fn new(text: &'a str) -> Self {
        let mut replay = Self {
            text,
            at: if text.as_bytes().starts_with(BOM) { BOM.len() } else { 0 },
            record: Record::default(),
            named: HashMap::new(),
            taken: HashSet::new(),
            rules: None,
            first: Side::Two,
            position: None,
            own: OwnTags::default(),
            plain_time: None,
            claimed: None,
            resigned: None,
            turn: None,
            moves: 0,
        };
        replay.next();
        let start = replay.at;
        if text.len() - start <= limits::RECORD {
            replay.record.span = Span::new(start, text.len());
        }
        replay.put("Game", "brandubh", Span::new(start, start));
        replay
    }

    /// Skips white space and returns the next byte without taking it.
    fn next(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = rest.iter().take_while(|&&byte| is_space(byte)).count();
        self.at += blank;
        rest.get(blank).copied()
    }

    /// Adds a tag; returns false if the record has one of this name.
    fn put(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>, span: Span) -> bool {
        let name = name.into();
        let is_new = self.taken.insert(name.clone());
        if is_new {
            self.record.tags.push(Tag { name, value: value.into(), span });
        }
        is_new
    }

    fn leave_out(&mut self, what: impl Into<Cow<'a, str>>, span: Span) {
        self.record.dropped.push(Dropped::new(what, span));
    }

    /// Takes the text between the `[` here and the next `]`.
    fn bracketed(&mut self, fault: OtgFault) -> Result<&'a str, ReadError> {
        let open = self.at;
        let inside = &self.text[open + 1..];
        let length = memchr::memchr(b']', inside.as_bytes()).ok_or_else(|| syntax(fault, open..open + 1))?;
        self.at = open + length + 2;
        Ok(&inside[..length])
    }

    /// Takes a tag.
    fn tag(&mut self) -> Result<(), ReadError> {
        let open = self.at;
        let inside = self.bracketed(OtgFault::Tag)?;
        let whole = Span::new(open, self.at);
        let Some((name, value)) = inside.split_once(':').filter(|(name, _)| !name.contains('\n')) else {
            return Err(syntax(OtgFault::Tag, open..open + 1));
        };
        let value_at = self.at - 1 - value.len();
        let ((name, name_span), (value, span)) = (trimmed(name, open + 1), trimmed(value, value_at));
        if name == NO_RESULT && value.is_empty() {
            self.own.no_result = true;
            return Ok(());
        }
        let ours = our_name(name);
        if let Some(&first) = self.named.get(&ours) {
            if self.text[first.range()] == *name {
                return Err(ReadError { kind: ReadErrorKind::Tag { first }, span: name_span });
            }
            self.leave_out(&self.text[whole.range()], whole);
            return Ok(());
        }
        self.named.insert(ours.clone(), name_span);
        if name == "start-comment" || name == "starting-comment" {
            if value.len() > limits::COMMENT {
                return Err(limit(Limit::Comment, open..open + 1));
            }
            self.record.movetext.comments.extend(comment(value));
            return Ok(());
        }
        if value.len() > limits::VALUE {
            return Err(limit(Limit::Value, span.range()));
        }
        if let Some(own) = name.strip_prefix(OWN).filter(|own| Tag::is_name(own)) {
            self.own_tag(own, value, span, whole);
            return Ok(());
        }
        match name {
            "rules" => self.rules = Some((value, span, whole, Rules::decode(value, span)?)),
            // This tag has precedence over the start position of the rules.
            "position" => self.position = Some((rows_at(value, span)?, span)),
            "result" => match outcome(value) {
                Some(value) => self.claimed = Some(Spanned { value, span }),
                None => self.leave_out(&self.text[whole.range()], whole),
            },
            "termination" => {
                if let Some(end) = end_written(value) {
                    self.put_line("Termination".into(), end, span, whole);
                } else {
                    if let Some(end) = end_told(value) {
                        self.put_line("Termination".into(), end, span, whole);
                    }
                    self.put_line(format!("{FOREIGN}{ours}").into(), value, span, whole);
                }
            }
            "time-control" => {
                let plain = Time::parse(value).filter(|time| time.plain && time.length == value.len());
                self.plain_time = Some(plain.is_some());
                let digits = plain.map_or(value.len(), |time| time.digits);
                let span = Span::new(span.start as usize, span.start as usize + digits);
                self.put_line("TimeControl".into(), &value[..digits], span, whole);
            }
            _ => {
                let ours = tag_of_record(name).map_or_else(|| format!("{FOREIGN}{ours}").into(), Cow::Borrowed);
                self.put_line(ours, value, span, whole);
            }
        }
        Ok(())
    }

    /// Takes a tag under the record's own name.
    fn own_tag(&mut self, own: &'a str, value: &'a str, span: Span, whole: Span) {
        if value.contains(['\n', '\r']) {
            self.leave_out(&self.text[whole.range()], whole);
            return;
        }
        match own {
            "Rules" => self.own.rules = Some((value, span)),
            "Setup" => self.own.setup = Some((value, span)),
            "Result" => self.own.result = Some((value, span)),
            _ => self.put_line(own.into(), value, span, whole),
        }
    }

    /// Adds a tag, or drops it if its value has a line break or the record has one of this name.
    fn put_line(&mut self, name: Cow<'a, str>, value: &'a str, span: Span, whole: Span) {
        if value.contains(['\n', '\r']) || !self.put(name, value, span) {
            self.leave_out(&self.text[whole.range()], whole);
        }
    }

    /// Closes the tag section: sets the rule set and the start position.
    fn settle(&mut self) {
        let here = Span::new(self.at, self.at);
        let is_ours = self.own.rules.is_some();
        if self.rules.is_none() && !is_ours {
            self.record.dropped.push(Dropped::absent("[rules:]", here, CLUB));
        }
        let (span, rules) = match self.rules.take() {
            Some((text, span, whole, mut rules)) => {
                if !is_ours {
                    self.record.dropped.append(&mut rules.dropped);
                }
                if !rules.is_spelled {
                    self.put_line(format!("{FOREIGN}rules").into(), text, span, whole);
                }
                (span, rules)
            }
            None => (here, Rules::default()),
        };
        self.first = rules.first;
        let (name, name_span) = self.own.rules.unwrap_or((rules.set.name, span));
        self.put("Rules", name, name_span);
        let (position, at) = self.position.take().unzip();
        if let Some((setup, span)) = self.own.setup {
            self.put("Setup", setup, span);
        } else {
            let at = at.or(rules.start.as_ref().map(|(_, at)| *at)).unwrap_or(span);
            if let Some(setup) = rules.setup(position.as_deref()) {
                self.put("Setup", setup, at);
            }
        }
    }

    /// Takes a line of moves.
    fn turn(&mut self) -> Result<(), ReadError> {
        self.close_turn();
        let start = self.at;
        let run = self.run();
        let Some((address, length)) = address(run) else {
            return Err(limit(Limit::Nesting, start..self.at));
        };
        if address.is_empty() {
            let at = start..self.at;
            let long = run.len() > limits::TOKEN;
            return Err(if long { limit(Limit::Token, at) } else { syntax(OtgFault::Line, at) });
        }
        self.at = start + length;
        let span = Span::new(start, self.at);
        let mut turn = Turn { address, passed: 0, plies: Vec::new(), resigned: false, said: 0, span };
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'\n' | b'[' => break,
                _ if is_space(byte) => self.at += 1,
                _ => {
                    let at = self.at;
                    let run = self.run();
                    self.token(run, at, &mut turn)?;
                    turn.span = Span::new(start, self.at);
                }
            }
        }
        if let ([number], Some(first)) = (&*turn.address, turn.plies.first_mut()) {
            first.number = Some(Spanned { value: number.number, span: Span::new(start, start + length) });
        }
        self.turn = Some(turn);
        Ok(())
    }

    /// Takes the text up to white space or a `[`.
    fn run(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|byte| is_space(byte) || byte == b'[').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a move, dots in place of one, or a resignation.
    fn token(&mut self, run: &'a str, at: usize, turn: &mut Turn<'a>) -> Result<(), ReadError> {
        let span = Span::new(at, at + run.len());
        let game = turn.address.len() == 1;
        if game && self.resigned.is_some() {
            return Err(syntax(OtgFault::Resigned, span.range()));
        }
        if run == RESIGNS && game {
            let even = (self.record.movetext.plies.len() + turn.plies.len()).is_multiple_of(2);
            let resigns = if even { self.first } else { !self.first };
            self.resigned = Some(Spanned { value: Outcome::Win(!resigns), span });
            turn.resigned = true;
            return Ok(());
        }
        if run == RESIGNS {
            self.leave_out(run, span);
            return Ok(());
        }
        if turn.plies.is_empty() && run.bytes().all(|byte| byte == b'.') {
            turn.passed += 1;
            return Ok(());
        }
        if run.len() > limits::TOKEN {
            return Err(limit(Limit::Token, span.range()));
        }
        if !run.starts_with(|c: char| c.is_ascii_alphabetic()) || run.bytes().any(is_special) {
            return Err(syntax(OtgFault::Move, span.range()));
        }
        if self.moves >= limits::PLIES {
            return Err(limit(Limit::Plies, span.range()));
        }
        self.moves += 1;
        turn.plies.push(Ply { token: token(run), span, number: None, clock: None, notes: None });
        Ok(())
    }

    /// Takes comments: the first for the first move of the line, and so on.
    fn comments(&mut self) -> Result<(), ReadError> {
        let open = self.at;
        let inside = self.bracketed(OtgFault::Comment)?;
        let end = self.at - 1;
        let Some(mut turn) = self.turn.take() else {
            return Err(syntax(OtgFault::Line, open..open + 1));
        };
        turn.span = Span::new(turn.span.start as usize, self.at);
        let mut at = open + 1;
        for part in inside.split('|') {
            if part.len() > limits::COMMENT {
                return Err(limit(Limit::Comment, open..open + 1));
            }
            let (text, span) = trimmed(part, at);
            let count = turn.plies.len();
            match turn.plies.get_mut(turn.said) {
                _ if text.is_empty() => {}
                Some(ply) => self.note(ply, text, span),
                // A comment on the resignation goes to the last move.
                None if turn.resigned && turn.said == count => {
                    match turn.plies.last_mut().or(self.record.movetext.plies.last_mut()) {
                        Some(ply) => ply.notes.get_or_insert_default().comments.extend(comment(text)),
                        None => self.record.movetext.comments.extend(comment(text)),
                    }
                }
                None => {
                    let (rest, span) = trimmed(&self.text[at..end], at);
                    self.leave_out(rest, span);
                    break;
                }
            }
            turn.said += 1;
            at += part.len() + 1;
        }
        self.turn = Some(turn);
        Ok(())
    }

    /// Adds a comment to a ply, and the clock at its beginning if it is unambiguous and a record can express it.
    fn note(&self, ply: &mut Ply<'a>, text: &'a str, span: Span) {
        let time = Time::clock(text, self.plain_time);
        if let Some(time) = time {
            let start = span.start as usize;
            let span = Span::new(start, start + time.length);
            ply.clock = Some(Spanned { value: time.seconds * 1000, span });
        }
        let mut comments = comment(&text[time.map_or(0, |time| time.length)..]).peekable();
        if comments.peek().is_some() {
            ply.notes.get_or_insert_default().comments.extend(comments);
        }
    }

    /// Adds the last line of moves to the game or to its variation.
    fn close_turn(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        if turn.address.len() == 1 {
            self.record.movetext.plies.extend(turn.plies);
        } else if let Some(plies) = variation(&mut self.record.movetext, &turn) {
            plies.extend(turn.plies);
        } else {
            self.leave_out(&self.text[turn.span.range()], turn.span);
        }
    }

    fn finish(mut self) -> Record<'a> {
        self.close_turn();
        if let Some(resigned) = self.resigned {
            self.record.tags.retain(|tag| tag.name != "Termination");
            self.taken.remove("Termination");
            self.put("Termination", "resignation", resigned.span);
        }
        // An unknown result does not contradict a resignation.
        let known = |claimed: &Spanned<Outcome>| self.resigned.is_none() || claimed.value != Outcome::Open;
        let claimed = self.claimed.filter(known);
        match (self.own.result, claimed) {
            (Some((value, span)), _) => {
                self.put("Result", value, span);
            }
            (None, Some(Spanned { value, span })) if !self.own.no_result => {
                self.put("Result", value.as_str(), span);
            }
            _ => {}
        }
        self.record.result = self.resigned.or(claimed);
        self.record.dropped.sort_by_key(|dropped| dropped.span.start);
        self.record
    }
}
