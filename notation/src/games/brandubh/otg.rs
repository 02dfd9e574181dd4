//! Replays of `OpenTafl` (`.otg`), read as records of Brandubh.
//!
//! A replay is one game: tags `[name:value]`, whose values may go over several lines; then a line for each pair of
//! moves, `3. d6-a6xa5 d5-a5xa6`; behind a line the comments on its moves, `[on the first|on the second]`; and
//! lines that replace a move by others, `8b.1.1a. ..... d1-d3`. Of all that this module makes the record that says
//! the same. What a record has no place for is not dropped: it comes out as [`Dropped`], with its place. Which moves
//! are lawful is the referee's to say; so is whether a position can be played from.
//!
//! The attackers are red and side 2, the defenders black and side 1. Who begins is read off the rules string, and
//! by which of our rule sets the game goes ([`rules`]); a start position can say the first even where it is not the
//! set's own habit.

mod rules;
mod scan;

use std::{borrow::Cow, collections::HashMap, ops::Range};

use rules::{Rules, SETS, Set};
use scan::{is_blank, rows_at, syntax};

use crate::{
    Side, Span,
    record::{
        BOM, Dropped, Limit, Movetext, OtgFault, Outcome, Ply, ReadError, ReadErrorKind, Record, Spanned, Tag,
        comment::tidy,
        limits,
        text::{is_space, is_special},
    },
};

fn limit(limit: Limit, at: Range<usize>) -> ReadError {
    ReadError::limit(limit, Span::new(at.start, at.end))
}

/// The start position that goes without saying.
const START: &str = "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3";

/// A move record in whose place a player resigns.
const RESIGNS: &str = "---";

/// Tags that mean the same in a record, under its name for them.
const TAGS: [(&str, &str); 7] = [
    ("event", "Event"),
    ("site", "Site"),
    ("date", "Date"),
    ("round", "Round"),
    ("attackers", "Rojos"),
    ("defenders", "Negros"),
    ("annotator", "Annotator"),
];

/// Put before the name of a tag that a record has no name of its own for.
const PREFIX: &str = "Otg_";

/// Ends that `OpenTafl` tells in a sentence, and what shows them in it.
const ENDS: [(&str, &[&str]); 5] = [
    ("resignation", &["resign"]),
    ("time", &["on time", "out of time", "timeout", "time out"]),
    ("agreement", &["agreed", "agreement"]),
    ("adjudication", &["adjudicat"]),
    ("abandoned", &["abandon"]),
];

/// Reads a replay. The whole text is one record; places are bytes of it.
pub(crate) fn read(text: &str) -> Result<Record<'_>, ReadError> {
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

/// The text without white space around it, and where it stands; with that, it begins at `at`.
fn trimmed(text: &str, at: usize) -> (&str, Span) {
    let start = at + text.len() - text.trim_start_matches(is_blank).len();
    let text = text.trim_matches(is_blank);
    (text, Span::new(start, start + text.len()))
}

/// A replay as far as it was read.
struct Replay<'a> {
    text: &'a str,
    at: usize,
    record: Record<'a>,
    /// Tags by the name that a record could have for them, and where their own stands.
    named: HashMap<Cow<'a, str>, Span>,
    /// The set that the rules string says, and where.
    set: Option<(&'static Set, Span)>,
    /// Who begins.
    first: Side,
    /// Our rows of the start position, and where they come from.
    start: Option<(String, Span)>,
    /// Whether the time control has neither overtimes nor increment, if one is written.
    plain_time: Option<bool>,
    /// What the tag says.
    claimed: Option<Spanned<Outcome>>,
    /// What a resignation means.
    resigned: Option<Spanned<Outcome>>,
    /// The line of moves that comments may still follow.
    turn: Option<Turn<'a>>,
    moves: usize,
}

/// A line of moves.
struct Turn<'a> {
    address: Vec<Step>,
    /// How many moves at its beginning are dots.
    passed: usize,
    plies: Vec<Ply<'a>>,
    /// It ends with a resignation.
    resigned: bool,
    /// How many comments have followed.
    said: usize,
    span: Span,
}

/// A part of the address of a line: `8`, or `8b` where the move of a turn or the number of a variation is told.
#[derive(Clone, Copy)]
struct Step {
    number: u64,
    /// 0 for `a`.
    letter: Option<u64>,
}

impl Step {
    /// The place of the move among those of its line, of whose first turn `missing` moves are not there.
    fn index(self, missing: usize) -> Option<usize> {
        let turns = self.number.checked_sub(1)?.checked_mul(2)?;
        let index = turns.checked_add(self.letter.unwrap_or(0))?;
        usize::try_from(index).ok()?.checked_sub(missing)
    }
}

impl<'a> Replay<'a> {
    fn new(text: &'a str) -> Self {
        let mut replay = Self {
            text,
            at: if text.as_bytes().starts_with(BOM) { BOM.len() } else { 0 },
            record: Record::default(),
            named: HashMap::new(),
            set: None,
            first: Side::Two,
            start: None,
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

    /// Goes over white space to the next thing: its first byte.
    fn next(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = rest.iter().take_while(|&&byte| is_space(byte)).count();
        self.at += blank;
        rest.get(blank).copied()
    }

    fn put(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>, span: Span) {
        self.record.tags.push(Tag { name: name.into(), value: value.into(), span });
    }

    fn leave_out(&mut self, what: impl Into<Cow<'a, str>>, span: Span) {
        self.record.left_out.push(Dropped { what: what.into(), span });
    }

    /// Takes what stands between the `[` here and the next `]`.
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
            self.record.line.comments.extend(comment(value));
            return Ok(());
        }
        if value.len() > limits::VALUE {
            return Err(limit(Limit::Value, span.range()));
        }
        match name {
            "rules" => {
                let Rules { set, first, start, left_out } = Rules::decode(value, span)?;
                self.set = Some((set, span));
                self.first = first;
                self.start = self.start.take().or(start);
                self.record.left_out.extend(left_out);
                self.put_line(format!("{PREFIX}{ours}").into(), value, span, whole);
            }
            // It goes before the start position of the rules.
            "position" => self.start = Some((rows_at(value, span)?, span)),
            "result" => match outcome(value) {
                Some(value) => self.claimed = Some(Spanned { value, span }),
                None => self.leave_out(&self.text[whole.range()], whole),
            },
            "termination" => {
                if let Some(end) = end_told(value) {
                    self.put("Termination", end, span);
                }
                self.put_line(format!("{PREFIX}{ours}").into(), value, span, whole);
            }
            "time-control" => {
                let plain = Time::parse(value).filter(|time| time.plain && time.length == value.len());
                self.plain_time = Some(plain.is_some());
                let digits = plain.map_or(value.len(), |time| time.digits);
                let span = Span::new(span.start as usize, span.start as usize + digits);
                self.put_line("TimeControl".into(), &value[..digits], span, whole);
            }
            _ => {
                let same = TAGS.iter().find(|(otg, _)| *otg == name);
                let ours = same.map_or_else(|| format!("{PREFIX}{ours}").into(), |(_, ours)| Cow::Borrowed(*ours));
                self.put_line(ours, value, span, whole);
            }
        }
        Ok(())
    }

    /// Puts a tag whose value may have a line break, which a value of ours cannot.
    fn put_line(&mut self, name: Cow<'a, str>, value: &'a str, span: Span, whole: Span) {
        if value.contains(['\n', '\r']) {
            self.leave_out(&self.text[whole.range()], whole);
        } else {
            self.put(name, value, span);
        }
    }

    /// The tags are behind: says by which rules and from where the game goes.
    fn settle(&mut self) {
        let here = Span::new(self.at, self.at);
        let (set, span) = self.set.unwrap_or_else(|| {
            self.leave_out("[rules:]", here);
            (&SETS[0], here)
        });
        self.put("Rules", set.name, span);
        let (rows, span) = self.start.take().unwrap_or_else(|| (START.to_owned(), span));
        if rows != START || self.first != set.first {
            let turn = match self.first {
                Side::One => 'n',
                Side::Two => 'r',
            };
            // An even number of plies is behind when the side that begins by the rules is to move.
            let ply = u8::from(self.first != set.first);
            self.put("Setup", format!("{rows} {turn} {ply}"), span);
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

    /// Takes what stands up to white space or a `[`.
    fn run(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|byte| is_space(byte) || byte == b'[').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a move, dots in the place of one, or a resignation.
    fn token(&mut self, run: &'a str, at: usize, turn: &mut Turn<'a>) -> Result<(), ReadError> {
        let span = Span::new(at, at + run.len());
        let game = turn.address.len() == 1;
        if game && self.resigned.is_some() {
            return Err(syntax(OtgFault::Resigned, span.range()));
        }
        if run == RESIGNS && game {
            let even = (self.record.line.plies.len() + turn.plies.len()).is_multiple_of(2);
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
                // It is about the end of the game, so it goes to the last move.
                None if turn.resigned && turn.said == count => {
                    match turn.plies.last_mut().or(self.record.line.plies.last_mut()) {
                        Some(ply) => ply.notes.get_or_insert_default().comments.extend(comment(text)),
                        None => self.record.line.comments.extend(comment(text)),
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

    /// Keeps a comment, and the clock that it begins with, if it can only be one and is one of ours.
    fn note(&self, ply: &mut Ply<'a>, text: &'a str, span: Span) {
        let sure = |time: &Time| time.full || (time.length == text.len() && self.plain_time.is_some());
        let ours = |time: &Time| time.plain && self.plain_time != Some(false);
        let time = Time::parse(text).filter(|time| sure(time) && ours(time));
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

    /// Puts the last line of moves where it belongs.
    fn close_turn(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        if turn.address.len() == 1 {
            self.record.line.plies.extend(turn.plies);
        } else if let Some(plies) = variation(&mut self.record.line, &turn) {
            plies.extend(turn.plies);
        } else {
            self.leave_out(&self.text[turn.span.range()], turn.span);
        }
    }

    fn finish(mut self) -> Record<'a> {
        self.close_turn();
        if let Some(resigned) = self.resigned {
            self.record.tags.retain(|tag| tag.name != "Termination");
            self.put("Termination", "resignation", resigned.span);
        }
        // «Not known» does not contradict a resignation.
        let known = |claimed: &Spanned<Outcome>| self.resigned.is_none() || claimed.value != Outcome::Open;
        let claimed = self.claimed.filter(known);
        if let Some(Spanned { value, span }) = claimed {
            self.put("Result", value.as_str(), span);
        }
        self.record.result = self.resigned.or(claimed);
        self.record.left_out.sort_by_key(|left_out| left_out.span.start);
        self.record
    }
}

/// The moves that the line goes on with, if its address names a place that is there.
fn variation<'r, 'a>(game: &'r mut Movetext<'a>, turn: &Turn<'a>) -> Option<&'r mut Vec<Ply<'a>>> {
    let (last, path) = turn.address.split_last()?;
    // The turn of the game is where its number says, or it could be another.
    let number = game.plies.get(path[0].index(0)? / 2 * 2)?.number?;
    if number.value != path[0].number {
        return None;
    }
    last.letter?;
    let next = last.index(0)?.checked_add(turn.passed)?;
    let mut line = game;
    // Moves of the first turn that are not in the line: a variation begins with the move that it replaces.
    let mut missing = 0;
    for (depth, steps) in path.chunks(2).enumerate() {
        let [replaced, Step { number, letter: None }] = *steps else { return None };
        let ply = line.plies.get_mut(replaced.index(missing)?)?;
        missing = usize::try_from(replaced.letter?).ok()?;
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let is_last = depth + 1 == path.len() / 2;
        if is_last && next == missing && index == ply.notes.as_ref().map_or(0, |notes| notes.variations.len()) {
            ply.notes.get_or_insert_default().variations.push(Movetext::default());
        }
        line = ply.notes.as_mut()?.variations.get_mut(index)?;
    }
    (next == line.plies.len() + missing).then_some(&mut line.plies)
}

/// Reads the address at the beginning of a line, `3.` or `8b.1.1a.`: its steps, and how many bytes it takes; nothing if
/// it goes too deep.
fn address(run: &str) -> Option<(Vec<Step>, usize)> {
    let bytes = run.as_bytes();
    let (mut steps, mut at) = (Vec::new(), 0);
    loop {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let letter = bytes.get(at + digits).filter(|byte| byte.is_ascii_lowercase()).map(|byte| u64::from(byte - b'a'));
        let dot = at + digits + usize::from(letter.is_some());
        let dots = bytes[dot.min(bytes.len())..].iter().take_while(|&&byte| byte == b'.').count();
        if digits == 0 || dots == 0 {
            return Some((steps, at));
        }
        if steps.len() > 2 * limits::NESTING {
            return None;
        }
        steps.push(Step { number: run[at..at + digits].parse().unwrap_or(u64::MAX), letter });
        at = dot + dots;
    }
}

/// A move in our form: `d6-a6xta5/Kd5` names pieces taken, which we do not, and the king, who is not taken off.
fn token(run: &str) -> Cow<'_, str> {
    // Without a move before it this is no capture, and nothing is told of it that goes without saying.
    let Some((moved, rest)) = run.split_once('x').filter(|(moved, _)| !moved.is_empty()) else {
        return Cow::Borrowed(run);
    };
    let taken = rest.trim_end_matches(['+', '-']);
    let is_king = |square: &&str| matches!(square.as_bytes(), [b'K', b'a'..=b'g', b'1'..=b'7']);
    let squares: Vec<_> = taken
        .split('/')
        .filter(|square| !is_king(square))
        .map(|square| square.strip_prefix(['t', 'T']).unwrap_or(square))
        .collect();
    let joint = if squares.is_empty() { "" } else { "x" };
    let ours = format!("{moved}{joint}{}{}", squares.join("/"), &rest[taken.len()..]);
    if ours == run { Cow::Borrowed(run) } else { Cow::Owned(ours) }
}

/// A text as a comment of ours, or as one for each line where as one it could not be written: a `}` would close it, and
/// a line that looks like the first tag would show that it was not closed.
fn comment(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    fn ours(text: &str) -> Option<Cow<'_, str>> {
        tidy(text, |part| Cow::Borrowed(&text[part]))
    }
    let by_line = text.contains('}') || text.contains("[Game \"");
    let whole = Some(text).filter(|_| !by_line).and_then(ours);
    let lines = Some(text).filter(|_| by_line).into_iter().flat_map(str::lines).filter_map(ours);
    whole.into_iter().chain(lines)
}

/// A name with nothing but what names of ours are made of.
fn our_name(name: &str) -> Cow<'_, str> {
    let fits = Tag::is_of_name;
    if name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.chars().map(|c| if fits(c) { c } else { '_' }).collect())
}

/// What the tag `result` says; it speaks of the attackers.
fn outcome(value: &str) -> Option<Outcome> {
    match value {
        "1" => Some(Outcome::Win(Side::Two)),
        "-1" => Some(Outcome::Win(Side::One)),
        "0" => Some(Outcome::Draw),
        "?" => Some(Outcome::Open),
        _ => None,
    }
}

/// The end that a sentence tells, if it tells one of ours and no other.
fn end_told(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let mut told = ENDS.iter().filter(|(_, signs)| signs.iter().any(|sign| text.contains(sign)));
    let (end, _) = told.next()?;
    told.next().is_none().then_some(end)
}

/// A time as `OpenTafl` writes it: `300 30/3 5i` is 300 seconds, three times 30 more, and 5 with each move.
#[derive(Clone, Copy)]
struct Time {
    seconds: u64,
    /// Bytes of the seconds.
    digits: usize,
    /// Bytes of it all.
    length: usize,
    /// There is neither overtime nor increment.
    plain: bool,
    /// More than the seconds is written.
    full: bool,
}

impl Time {
    /// Digits of a number at the most.
    const DIGITS: usize = 9;

    /// Reads a time at the beginning of a text; white space follows it, or nothing.
    fn parse(text: &str) -> Option<Self> {
        let (seconds, after) = Self::number(text)?;
        let (mut plain, mut rest) = (true, after);
        if let Some((each, behind)) = rest.strip_prefix(' ').and_then(Self::number)
            && let Some((times, behind)) = behind.strip_prefix('/').and_then(Self::number)
        {
            plain = each == 0 || times == 0;
            rest = behind;
        }
        if let Some((increment, behind)) = rest.strip_prefix(' ').and_then(Self::number)
            && let Some(behind) = behind.strip_prefix('i')
        {
            plain &= increment == 0;
            rest = behind;
        }
        let (digits, length) = (text.len() - after.len(), text.len() - rest.len());
        let ends = rest.bytes().next().is_none_or(is_space);
        ends.then_some(Self { seconds, digits, length, plain, full: digits < length })
    }

    fn number(text: &str) -> Option<(u64, &str)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number = text[..digits].parse().ok().filter(|_| digits <= Self::DIGITS)?;
        Some((number, &text[digits..]))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::NOTATION, *};
    use crate::record::{
        Chunk, SyntaxFault,
        write::{Extent, Writer, as_written, result_line},
    };

    /// The rules of `nielsen`, as `OpenTafl` writes them.
    const RULES: &str = "dim:7 surf:n ks:c cenh: cenhe: start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";

    /// The replays, the records that say the same, and what these leave out.
    macro_rules! samples {
        ($($name:literal: $left_out:expr),* $(,)?) => {
            [$((
                include_str!(concat!("../../../../fixtures/brandubh/", $name, ".otg")),
                include_str!(concat!("../../../../fixtures/brandubh/", $name, ".quipu")),
                &$left_out as &[&str],
            )),*]
        };
    }

    fn samples() -> [(&'static str, &'static str, &'static [&'static str]); 5] {
        samples! {
            "replay": [],
            "replay-resigned": [],
            "replay-clocks": [],
            "replay-king": [],
            "replay-rules": [
                "[notes:Primera parte.\nSegunda parte.]",
                "tfr:l",
                "ks:w",
                "linc:y",
                "Sobra este comentario.",
                "9a.1.1a. d1-e1\n[Aquí no hay jugada que reemplazar.]",
            ],
        }
    }

    /// In canonical form, as far as it goes without a referee.
    fn written(record: &Record<'_>) -> String {
        let mut writer = Writer::new(String::new(), Extent::Full);
        writer.head(record, Some(&NOTATION)).unwrap();
        for ply in &record.line.plies {
            let token = ply.token.trim_start_matches('K').trim_end_matches(['+', '-']);
            writer.ply(token, ply).unwrap();
        }
        writer.end(result_line(record)).unwrap();
        writer.into_inner()
    }

    /// A replay with these tags besides the rules, and these lines of moves.
    fn replay(tags: &str, moves: &str) -> String {
        format!("{tags}[rules:{RULES}]\n\n{moves}")
    }

    /// What is left out. It stands where its place says, unless it goes without saying.
    #[track_caller]
    fn left_out<'r>(text: &str, record: &'r Record<'_>) -> Vec<&'r str> {
        for Dropped { what, span } in &record.left_out {
            let stands = text[span.range()] == **what;
            assert!(stands || matches!(what, Cow::Owned(_)) || what == "[rules:]", "{what}");
        }
        record.left_out.iter().map(|left_out| &*left_out.what).collect()
    }

    /// The replay says this in this tag, and this is left out.
    #[track_caller]
    fn says(text: &str, name: &str, value: Option<&str>, leaves_out: &[&str]) {
        let record = read(text).unwrap();
        assert_eq!(record.value(name), value, "{name}");
        assert_eq!(left_out(text, &record), leaves_out);
    }

    /// The tags that these come to, the ones of every replay aside.
    #[track_caller]
    fn tags(text: &str, tags: &[(&str, &str)], leaves_out: &[&str]) {
        let text = replay(text, "1. d2-e2\n");
        let record = read(&text).unwrap();
        let found: Vec<_> = record
            .tags
            .iter()
            .filter(|tag| !["Game", "Rules", "Otg_rules"].contains(&&*tag.name))
            .map(|tag| (&*tag.name, &*tag.value))
            .collect();
        assert_eq!(found, tags);
        assert_eq!(left_out(&text, &record), leaves_out);
    }

    /// The rules string says this set, and these switches differ from it.
    #[track_caller]
    fn rules(rules: &str, set: &str, setup: Option<&str>, differ: &[&str]) {
        let text = format!("[rules:{rules}]\n\n1. d2-e2\n");
        says(&text, "Rules", Some(set), differ);
        says(&text, "Setup", setup, differ);
    }

    /// The lines of moves come to this movetext.
    #[track_caller]
    fn moves(lines: &str, movetext: &str, leaves_out: &[&str]) {
        let text = replay("", lines);
        let record = read(&text).unwrap();
        let found = written(&record);
        let (_, found) = found.split_once("\n\n").unwrap();
        assert_eq!(found.trim_end(), movetext);
        assert_eq!(left_out(&text, &record), leaves_out);
    }

    #[track_caller]
    fn refused(text: &str, kind: impl Into<ReadErrorKind>, found: &str) {
        let error = read(text).unwrap_err();
        assert_eq!((error.kind, &text[error.span.range()]), (kind.into(), found), "{text}");
    }

    impl From<SyntaxFault> for ReadErrorKind {
        fn from(fault: SyntaxFault) -> Self {
            Self::Syntax(fault)
        }
    }

    impl From<Limit> for ReadErrorKind {
        fn from(limit: Limit) -> Self {
            Self::Limit(limit)
        }
    }

    #[test]
    fn samples_say_what_stands_beside_them() {
        for (otg, quipu, leaves_out) in samples() {
            let record = read(otg).unwrap();
            assert_eq!(written(&record), quipu);
            assert_eq!(left_out(otg, &record), leaves_out);
        }
    }

    #[test]
    fn tags_have_their_names_or_are_carried_over() {
        tags(
            "[event:Copa][attackers: Ana ]\n[defenders:Luis]\n",
            &[("Event", "Copa"), ("Rojos", "Ana"), ("Negros", "Luis")],
            &[],
        );
        tags("[time-remaining:1, 2]\n[Añe 1:x:y]", &[("Otg_time_remaining", "1, 2"), ("Otg_Añe_1", "x:y")], &[]);
        tags("[a-b:1]\n[a_b:2]\n", &[("Otg_a_b", "1")], &["[a_b:2]"]);
        says("[rules:surf:n ks:c\ncenh: cenhe:]", "Rules", Some("nielsen"), &["[rules:surf:n ks:c\ncenh: cenhe:]"]);
        tags("[site:Cusco,\nPerú]\n[x:\r]\n", &[("Otg_x", "")], &["[site:Cusco,\nPerú]"]);
        tags("[time-control:300]", &[("TimeControl", "300")], &[]);
        tags("[time-control:300 30/0 0i]", &[("TimeControl", "300")], &[]);
        tags("[time-control:300 30/3 5i]", &[("TimeControl", "300 30/3 5i")], &[]);
        tags("[time-control:a while]", &[("TimeControl", "a while")], &[]);
    }

    #[test]
    fn results_speak_of_the_attackers() {
        for (otg, ours) in [("1", "0-1"), ("-1", "1-0"), ("0", "1/2-1/2"), ("?", "*")] {
            let text = replay(&format!("[result:{otg}]"), "1. d2-e2\n");
            says(&text, "Result", Some(ours), &[]);
            assert_eq!(read(&text).unwrap().result.map(|result| result.value.as_str()), Some(ours));
        }
        tags("[result:won]", &[], &["[result:won]"]);
    }

    #[test]
    fn ends_are_told_in_a_sentence() {
        let end = |text: &str, end| {
            let otg = ("Otg_termination", text);
            let text = format!("[termination:{text}]");
            match end {
                Some(end) => tags(&text, &[("Termination", end), otg], &[]),
                None => tags(&text, &[otg], &[]),
            }
        };
        end("Black resigns", Some("resignation"));
        end("White wins on time", Some("time"));
        end("Draw agreed", Some("agreement"));
        end("Abandoned", Some("abandoned"));
        end("Adjudicated", Some("adjudication"));
        end("King escaped just in time", None);
        end("Adjudicated after White resigned", None);
    }

    #[test]
    fn rules_are_decoded_switch_by_switch() {
        let start = "start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
        let black = Some("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 1");
        rules(RULES, "nielsen", None, &[]);
        rules("dim:7 name:B_C surf:n atkf:y ks:c ka:y nj:n cj:n cenh: cenhe: spd:-1,", "nielsen", None, &[]);
        rules("surf:n ks:c cenh: cenhe: cor:g7,a7,g1,a1, cen:d4, afor: tfr:i spd:6,-1,", "nielsen", None, &[]);
        rules(&format!("surf:n atkf:n ks:c cenh: cenhe: {start}"), "nielsen", black, &[]);
        // What OpenTafl calls Brandub: there two take the king anywhere.
        rules(&format!("surf:n ks:w cenh: cenhe: {start}"), "nielsen", None, &["ks:w"]);
        rules("surf:n ks:c cenh: cenhe: corh:tT cens:tK", "nielsen", None, &["corh:tT", "cens:tK"]);
        rules("tfr:d linc:y foo bar:1 ks:c surf:n cenhe: cenh:", "nielsen", None, &["tfr:d", "linc:y", "foo", "bar:1"]);
        rules("surf:n ks:c cenh: cenhe: cor:a1, spd:2", "nielsen", None, &["cor:a1,", "spd:2"]);
        // The last of two counts.
        rules("surf:n ks:w ks:c cenh: cenhe:", "nielsen", None, &[]);
        // What is not written, too: the king strong, the empty centre an enemy.
        rules("surf:n cenh:", "nielsen", None, &["ks:s", "cenhe:tcnkTCNK"]);
        let cuervo = "atkf:n surf:n ka:n ks:m spd:-1,-1,-1,-1,-1,-1,-1,1, corh: cenh: cenhe:K cenp:K";
        rules(cuervo, "cuervo", None, &[]);
        let red = Some("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1");
        rules(&format!("{cuervo} atkf:y efe:y"), "cuervo", red, &["efe:y"]);
        let twelve = "-1,-1,-1,-1,-1,-1,-1,-1,-1,1,-1,-1";
        rules(&format!("{cuervo} spd:{twelve}"), "cuervo", None, &[]);
        says("1. d2-e2", "Rules", Some("nielsen"), &["[rules:]"]);
        says("1. d2-e2", "Setup", None, &["[rules:]"]);
    }

    #[test]
    fn moves_keep_their_captures_but_the_king() {
        moves(
            "1. d6-a6xa5 d5-a5xa6\n2. a3-a4xb4/d4/a5+ Ke5-e1-",
            "1. d6-a6xa5 d5-a5xa6\n2. a3-a4xb4/d4/a5 e5-e1\n*",
            &[],
        );
        moves("1.d2-e2 c4-c5xta5/Ta3\n2... d2-d3xKd4++", "1. d2-e2 c4-c5xa5/a3\n2. d2-d3\n*", &[]);
        moves("1. Ne6^=e8xce7/ne9 d2=d3xK", "1. Ne6^=e8xce7/ne9 d2=d3xK\n*", &[]);
        moves("1. xKd4 xa5", "1. xKd4 xa5\n*", &[]);
        moves("1. d2-e2\n2. ..... c4-c5\n", "1. d2-e2 c4-c5\n*", &[]);
        let record = replay("", "1. d2-e2 c4-c5\n3. f4-f5\n");
        let numbers = read(&record).unwrap().line.plies.into_iter().map(|ply| ply.number.map(|number| number.value));
        assert_eq!(numbers.collect::<Vec<_>>(), [Some(1), None, Some(3)]);
    }

    #[test]
    fn comments_go_to_their_moves() {
        moves("1. d2-e2 c4-c5\n[ uno\r\ny medio |dos]", "1. d2-e2 {uno\ny medio} c4-c5 {dos}\n*", &[]);
        moves("1. d2-e2 c4-c5 [|dos]\n[tres|\ncuatro]", "1. d2-e2 c4-c5 {dos}\n*", &["tres|\ncuatro"]);
        moves("1. d2-e2\n[|]\n2. ..... c4-c5\n[uno]", "1. d2-e2 c4-c5 {uno}\n*", &[]);
        moves("1. d2-e2\n[a\n{b}\n\nc]", "1. d2-e2 {a} ;{b}\n {c}\n*", &[]);
        moves("1. d2-e2\n[a\n[Game \"andes\"\n:]", "1. d2-e2 {a} {[Game \"andes\"} {:}\n*", &[]);
        let start = replay("[start-comment:Antes.]\n[starting-comment:Más.]", "1. d2-e2\n[{x}]");
        assert_eq!(read(&start).unwrap().line.comments, ["Antes.", "Más."]);
    }

    #[test]
    fn clocks_are_those_that_ours_can_say() {
        let clocks = |tags: &str, comments: &str, ours: &str| {
            let text = replay(tags, &format!("1. d2-e2 c4-c5\n[{comments}]"));
            let found = written(&read(&text).unwrap());
            assert_eq!(found.split_once("\n\n1. d2-e2 ").unwrap().1.lines().next(), Some(ours), "{comments}");
        };
        clocks("", "290 0/0 0i|30 0/3 Bien.", "{[%clk 0:04:50.000]} c4-c5 {[%clk 0:00:30.000]} {Bien.}");
        clocks("", "3|3 peones", "{3} c4-c5 {3 peones}");
        clocks("[time-control:300]", "3|3 peones", "{[%clk 0:00:03.000]} c4-c5 {3 peones}");
        clocks("[time-control:300]", "3 0i|3rd", "{[%clk 0:00:03.000]} c4-c5 {3rd}");
        clocks("", "0 30/2 0i x|9 0/0 5i", "{0 30/2 0i x} c4-c5 {9 0/0 5i}");
        clocks("[time-control:300 30/3]", "290 0/0 0i|280", "{290 0/0 0i} c4-c5 {280}");
        clocks("", "999999999 0/0|1000000000 0/0", "{[%clk 277777:46:39.000]} c4-c5 {1000000000 0/0}");
        let text = replay("", "1. d2-e2\n[ 290 0/0 Bien.]");
        let clock = read(&text).unwrap().line.plies[0].clock.unwrap();
        assert_eq!((clock.value, &text[clock.span.range()]), (290_000, "290 0/0"));
    }

    #[test]
    fn who_resigns_loses() {
        let resigns = |tags: &str, moves: &str, result: &str, tag: Option<&str>| {
            let text = replay(tags, moves);
            let record = read(&text).unwrap();
            let written = record.result.unwrap();
            assert_eq!((written.value.as_str(), &text[written.span.range()]), (result, "---"));
            says(&text, "Result", tag, &[]);
            says(&text, "Termination", Some("resignation"), &[]);
        };
        resigns("", "1. d2-e2 ---\n[|Adiós.]", "0-1", None);
        resigns("", "1. d2-e2 c4-c5\n2. ---", "1-0", None);
        resigns("[result:?][termination:on time]", "1. ---\n[Nada.]", "1-0", None);
        resigns("[result:1]", "1. ---", "1-0", Some("0-1"));
        moves("1. d2-e2 c4-c5\n2. ---\n[Adiós.|x]", "1. d2-e2 c4-c5 {Adiós.}\n1-0", &["x"]);
        refused(&replay("", "1. --- d2-e2"), SyntaxFault::Otg(OtgFault::Resigned), "d2-e2");
        let black_begins = replay("", "1. ---").replace("surf:n", "surf:n atkf:n");
        assert_eq!(read(&black_begins).unwrap().result.unwrap().value, Outcome::Win(Side::Two));
    }

    #[test]
    fn variations_need_their_place() {
        let game = "1. a1-a2 a3-a4\n2. b1-b2 b3-b4\n";
        let one = |line: &str, movetext: &str| moves(&format!("{game}{line}"), &format!("{movetext}\n*"), &[]);
        one("1a.1.1a. x y", "1. a1-a2 (x y) a3-a4\n2. b1-b2 b3-b4");
        one("2b.1.1a. ..... x\n2b.1.2a. y\n2b.2.1a. ..... z", "1. a1-a2 a3-a4\n2. b1-b2 b3-b4 (x y) (z)");
        one("2b.1.1b. x\n2b.1.2a. y", "1. a1-a2 a3-a4\n2. b1-b2 b3-b4 (x y)");
        one("1b.1.1b. x\n1b.1.2a. y z\n1b.1.2a.1.1a. u v\n[|w]", "1. a1-a2 a3-a4 (x y (u v {w}) z)\n2. b1-b2 b3-b4");
        for line in [
            "3a.1.1a. x",
            "2.1.1a. x",
            "2c.1.1a. x",
            "0a.1.1a. x",
            "1a.2.1a. x",
            "1a.0.1a. x",
            "1a.1a.1a. x",
            "1a.1. x",
            "1a.1.1. x",
            "1a.1.2a. x",
            "1b.1.1a. x",
            "1a.1.1a.1.1a. x",
            "99999999999999999999a.1.1a. x",
            "9223372036854775809a.1.1a. x",
            "1a.99999999999999999999.1a. x\n[y]",
        ] {
            moves(&format!("{game}{line}"), "1. a1-a2 a3-a4\n2. b1-b2 b3-b4\n*", &[line]);
        }
        moves("1. d2-e2\n1a.1.1a. x ---", "1. d2-e2 (x)\n*", &["---"]);
    }

    #[test]
    fn faults_have_their_place() {
        use OtgFault::{Board, Comment, Line, Move, Rows, Tag};
        refused("[event:x", SyntaxFault::Otg(Tag), "[");
        refused("[event:x]\n[event]", SyntaxFault::Otg(Tag), "[");
        refused("[event:x] y", SyntaxFault::Otg(Line), "y");
        refused("[a [b]]", SyntaxFault::Otg(Tag), "[");
        refused("[a:[b]]", SyntaxFault::Otg(Line), "]");
        let twice = "[event:x]\n[ event :y]";
        refused(twice, ReadErrorKind::Tag { first: Span::new(1, 6) }, "event");
        refused("[rules:dim:11 start:/11/]", SyntaxFault::Otg(Board), "dim:11");
        refused("[rules:start:/7/7/7/7/7/7/6c/]", SyntaxFault::Otg(Rows), "c");
        refused("[position:\n/7/7/7/8/7/7/7/]", SyntaxFault::Otg(Rows), "8");
        refused(&replay("", "d2-e2"), SyntaxFault::Otg(Line), "d2-e2");
        refused(&replay("", "1. d2-e2\nc4-c5"), SyntaxFault::Otg(Line), "c4-c5");
        refused(&replay("", "1. d2-e2 [x"), SyntaxFault::Otg(Comment), "[");
        for token in ["d2-e2!", "1-0", "*", "(d2-e2)", "ñ2-e2", "{x}", "d2-e2]", ";", "."] {
            refused(&replay("", &format!("1. d2-e2 {token}")), SyntaxFault::Otg(Move), token);
        }
    }

    #[test]
    fn limits_are_kept() {
        let filled = |length: usize| "x".repeat(length);
        let token = |length| replay("", &format!("1.{}", filled(length)));
        assert!(read(&token(limits::TOKEN)).is_ok());
        refused(&token(limits::TOKEN + 1), Limit::Token, &filled(limits::TOKEN + 1));
        refused(&filled(limits::TOKEN + 1), Limit::Token, &filled(limits::TOKEN + 1));
        let value = |length| replay(&format!("[event: {} ]", filled(length)), "");
        assert!(read(&value(limits::VALUE)).is_ok());
        refused(&value(limits::VALUE + 1), Limit::Value, &filled(limits::VALUE + 1));
        let comment = |length| replay("", &format!("1. d2-e2\n[{0}|{0}]", filled(length)));
        assert!(read(&comment(limits::COMMENT)).is_ok());
        refused(&comment(limits::COMMENT + 1), Limit::Comment, "[");
        let start = |length| replay(&format!("[start-comment:{}]", filled(length)), "");
        assert!(read(&start(limits::COMMENT)).is_ok());
        refused(&start(limits::COMMENT + 1), Limit::Comment, "[");
        let plies = |count| replay("", &format!("1.{}", " x".repeat(count)));
        assert!(read(&plies(limits::PLIES)).is_ok());
        refused(&plies(limits::PLIES + 1), Limit::Plies, "x");
        let large = |length| format!("\u{feff} {}\n", &replay("[a:]", &"[]".repeat(limits::RECORD / 2))[..length]);
        refused(&large(limits::RECORD), SyntaxFault::Otg(OtgFault::Tag), "[");
        refused(&large(limits::RECORD + 1), Limit::Record, "");
        let address = |depth| format!("1a.{}", "1.1a.".repeat(depth));
        let nested = |depth| (1..=depth).map(|depth| format!("{} x\n", address(depth))).collect::<String>();
        let nested = |depth| replay("", &format!("1. x\n{}", nested(depth)));
        assert!(read(&nested(limits::NESTING)).unwrap().left_out.is_empty());
        refused(&nested(limits::NESTING + 1), Limit::Nesting, &address(limits::NESTING + 1));
    }

    /// Whatever is missing or doubled: a record or a fault, and places that are in the text. What a record says stays the
    /// same when it is written down.
    #[test]
    fn any_text_is_read_or_refused() {
        let check = |text: &str| match read(text) {
            Ok(record) => {
                left_out(text, &record);
                assert!(record.line.plies.iter().all(|ply| text.get(ply.span.range()).is_some()));
                assert!(record.tags.iter().all(|tag| text.get(tag.span.range()).is_some()));
                let written = as_written(&record);
                let again: Vec<_> =
                    Chunk::new(written.as_bytes()).records().map(|again| as_written(&again.unwrap())).collect();
                assert_eq!(again, [&*written], "{text}");
            }
            Err(error) => assert!(text.get(error.span.range()).is_some(), "{text}"),
        };
        check("");
        check("\u{feff}");
        for (otg, _, _) in samples() {
            for (at, character) in otg.char_indices() {
                let (before, after) = (&otg[..at], &otg[at + character.len_utf8()..]);
                check(before);
                check(&format!("{before}{after}"));
                for sign in ["[", "]", "|", ":", "/", "1.", "ñ", " ", "\n", "}\n", "\n{", ";", "%"] {
                    check(&format!("{before}{sign}{after}"));
                }
            }
        }
    }

    #[test]
    fn starts_are_turned_round() {
        let position = "/7/t6/K6/7/7/7/3T3/";
        let ours = "3T3/7/7/7/K6/t6/7";
        let text = |tags: &str| format!("{tags}\n\n1. d7-e7\n");
        let from_rules = text(&format!("[rules:surf:n ks:c cenh: cenhe: start:{position}]"));
        says(&from_rules, "Setup", Some(&format!("{ours} r 0")), &[]);
        let from_tag = text(&format!("[position:{position}][rules:{RULES}]"));
        says(&from_tag, "Setup", Some(&format!("{ours} r 0")), &[]);
        let from_either = text(&format!("[rules:atkf:n {RULES}]\n[position:{position}]"));
        says(&from_either, "Setup", Some(&format!("{ours} n 1")), &[]);
        let record = read(&from_either).unwrap();
        assert_eq!(&from_either[record.tag("Setup").unwrap().span.range()], position);
    }
}
