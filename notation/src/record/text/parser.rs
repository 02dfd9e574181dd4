//! The grammar of one chunk: tag pairs, movetext, comments, annotations, variations, results.
//!
//! One pass over the text. Reading a record stops at its first fault of syntax; [`faults`] reads on, to find the others.

use std::borrow::Cow;

use super::{
    super::{
        BOM, Limit, Movetext, OddClock, Outcome, Ply, ReadError, ReadErrorKind, Record, Spanned, SyntaxFault, Tag,
        clock,
        comment::{self, Piece},
        faults::Faults,
        limits,
        tags::Names,
    },
    is_blank, is_space, is_special, token_end,
};
use crate::Span;

/// The records of a chunk, in order.
#[derive(Debug)]
pub(in crate::record) struct Records<'a> {
    cursor: Cursor<'a>,
    /// True before the first record: the tag section is still to come.
    first: bool,
    done: bool,
}

impl<'a> Records<'a> {
    pub(in crate::record) fn new(chunk: &'a [u8], long_comment: bool, skip_notes: bool) -> Self {
        let (text, foreign) = match std::str::from_utf8(chunk) {
            Ok(text) => (text, None),
            Err(error) => {
                let (valid, rest) = chunk.split_at(error.valid_up_to());
                (std::str::from_utf8(valid).unwrap_or_default(), Some(rest[0]))
            }
        };
        let at = if chunk.starts_with(BOM) { BOM.len() } else { 0 };
        Self {
            cursor: Cursor {
                text,
                foreign,
                long_comment,
                skip_notes,
                at,
                content: at,
                line_start: true,
                odd_clocks: Vec::new(),
                faults: Faults::default(),
                lost: false,
                unclosed: false,
            },
            first: true,
            done: false,
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = record(&mut self.cursor, self.first).transpose();
        self.first = false;
        // A fault ends the chunk: records behind it cannot be told apart.
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

/// The faults of a chunk behind so many records that can be read.
pub(in crate::record) fn faults(chunk: &str, long_comment: bool, before: usize) -> Vec<ReadError> {
    let mut records = Records::new(chunk.as_bytes(), long_comment, true);
    let read = records.by_ref().take(before).count();
    debug_assert_eq!(read, before, "they were read before");
    let Records { mut cursor, mut first, .. } = records;
    cursor.faults = Faults::collecting();
    let end = loop {
        match record(&mut cursor, first) {
            Ok(Some(_)) => first = false,
            Ok(None) => break Ok(()),
            Err(last) => break Err(last),
        }
    };
    cursor.faults.finish(end)
}

fn limit(limit: Limit, at: std::ops::Range<usize>) -> ReadError {
    ReadError::limit(limit, Span::new(at.start, at.end))
}

fn syntax(fault: SyntaxFault, at: std::ops::Range<usize>) -> ReadError {
    ReadError::syntax(fault, Span::new(at.start, at.end))
}

/// The fault of a value that does not end on its line.
const OPEN_VALUE: ReadErrorKind = ReadErrorKind::Syntax(SyntaxFault::TagValue);
/// Lines behind it on which its end is looked for.
const VALUE_LINES: usize = 8;

/// A tag pair at the beginning of a file that was joined to another.
pub(super) const MARKED_TAG: &[u8] = "\u{feff}[".as_bytes();

/// The position of reading.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the text read so far")]
struct Cursor<'a> {
    /// The chunk, up to the first byte that is not UTF-8.
    text: &'a str,
    /// That byte.
    foreign: Option<u8>,
    /// True if the unclosed comment is one that exceeds the limit.
    long_comment: bool,
    /// True if notes are checked and dropped: a short text can have very many.
    skip_notes: bool,
    at: usize,
    /// The end of the last taken text.
    content: usize,
    line_start: bool,
    /// Those of the record that is read.
    odd_clocks: Vec<OddClock<'a>>,
    faults: Faults,
    /// Reading went on behind a comment that is not closed: parentheses may be in it.
    lost: bool,
    /// No comment is closed behind the cursor.
    unclosed: bool,
}

/// The item at the cursor behind white space and skipped lines.
enum Item {
    /// The first `[` of a line.
    TagPair,
    /// `{`, or a `;` that is not part of a run.
    Comment,
    /// A run of characters: move numbers, a token, a result.
    Run,
    /// Any other character that is never part of a run.
    Special(u8),
}

/// The item that a byte can begin, behind white space and skipped lines.
#[derive(Clone, Copy)]
enum Begins {
    Run,
    Space,
    LineBreak,
    Comment,
    /// It depends on its place.
    Other,
}

/// By byte: one look-up, where comparisons took several steps for each byte of white space.
static BEGINS: [Begins; 256] = {
    let mut table = [Begins::Run; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        table[byte as usize] = match byte {
            b'\n' => Begins::LineBreak,
            b'{' | b';' => Begins::Comment,
            b'%' => Begins::Other,
            _ if is_space(byte) => Begins::Space,
            _ if is_special(byte) || byte == BOM[0] => Begins::Other,
            _ => Begins::Run,
        };
        byte -= 1;
    }
    table
};

impl<'a> Cursor<'a> {
    /// Checks that an item which ends at `end` was not cut off by a byte that is not UTF-8.
    fn reached(&self, end: usize) -> Result<(), ReadError> {
        match self.foreign {
            Some(byte) if end == self.text.len() => {
                Err(ReadError { kind: ReadErrorKind::Encoding { byte }, span: Span::new(end, end + 1) })
            }
            _ => Ok(()),
        }
    }

    /// The end of the line at `from`, without its line break.
    fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.text.as_bytes()[from..]).map_or(self.text.len(), |length| from + length)
    }

    /// Skips to the next item; returns true if an empty line was passed, and no item at the end.
    fn next(&mut self) -> Result<(bool, Option<Item>), ReadError> {
        let bytes = self.text.as_bytes();
        let mut blank_line = false;
        let mut blank = self.line_start;
        while let Some(&byte) = bytes.get(self.at) {
            match BEGINS[usize::from(byte)] {
                Begins::Run => return Ok((blank_line, Some(Item::Run))),
                Begins::Space => {
                    self.line_start = false;
                    self.at += 1;
                }
                Begins::LineBreak => {
                    blank_line |= blank;
                    blank = true;
                    self.line_start = true;
                    self.at += 1;
                }
                Begins::Comment => return Ok((blank_line, Some(Item::Comment))),
                Begins::Other => match byte {
                    b'%' if self.line_start => {
                        self.at = self.line_end(self.at);
                        self.reached(self.at)?;
                        self.line_start = false;
                        blank = false;
                    }
                    _ if self.line_start && bytes[self.at..].starts_with(MARKED_TAG) => self.at += BOM.len(),
                    b'[' if self.line_start => return Ok((blank_line, Some(Item::TagPair))),
                    _ if is_special(byte) => return Ok((blank_line, Some(Item::Special(byte)))),
                    _ => return Ok((blank_line, Some(Item::Run))),
                },
            }
        }
        Ok((blank_line, None))
    }

    /// Takes the bytes up to `end`, on the same line.
    fn take(&mut self, end: usize) -> &'a str {
        let taken = &self.text[self.at..end];
        self.at = end;
        self.content = end;
        self.line_start = false;
        taken
    }

    /// Takes a comment: the text between its marks.
    fn comment(&mut self) -> Result<&'a str, ReadError> {
        let open = self.at;
        let inside = open + 1;
        if self.text.as_bytes()[open] == b';' {
            let end = self.line_end(inside);
            self.reached(end)?;
            let text = &self.text[inside..end];
            if text.strip_suffix('\r').unwrap_or(text).len() > limits::COMMENT {
                return Err(limit(Limit::Comment, open..inside));
            }
            return Ok(&self.take(end)[1..]);
        }
        let buffer = &self.text.as_bytes()[inside..];
        let buffer = &buffer[..buffer.len().min(limits::COMMENT + 1)];
        let Some(length) = memchr::memchr(b'}', buffer) else {
            if buffer.len() > limits::COMMENT || self.long_comment {
                return Err(limit(Limit::Comment, open..inside));
            }
            self.reached(self.text.len())?;
            return Err(syntax(SyntaxFault::Comment, open..inside));
        };
        Ok(&self.take(inside + length + 1)[1..=length])
    }

    /// Skips a comment that cannot be read: one that is too long, or one that is not closed. Of that one the next line with a
    /// move number or a result is no part.
    #[cold]
    fn skip_comment(&mut self) {
        let (text, open) = (self.text, self.at);
        if text.as_bytes()[open] == b';' {
            self.take(self.line_end(open));
            return;
        }
        if !self.unclosed {
            if let Some(length) = memchr::memchr(b'}', &text.as_bytes()[open..]) {
                self.take(open + length + 1);
                return;
            }
            self.unclosed = true;
        }
        self.lost = true;
        let mut at = self.line_end(open);
        while at < text.len() {
            let line = text[at + 1..].trim_start_matches([' ', '\t']);
            let run = line.split(is_blank).next().unwrap_or_default();
            if move_number(run).is_some() || Outcome::parse(run).is_some() {
                break;
            }
            at = self.line_end(at + 1);
        }
        self.take(at);
    }

    /// Skips the lines onto which the value of a tag goes on, if it is closed there.
    #[cold]
    fn skip_value(&mut self) {
        let mut at = self.at;
        for _ in 0..VALUE_LINES {
            let Some(line) = self.text.get(at + 1..) else { return };
            at = self.line_end(at + 1);
            let line = line[..at - (self.text.len() - line.len())].trim_matches(is_blank);
            if line.is_empty() || line.starts_with('[') {
                return;
            }
            if line.ends_with("\"]") {
                self.take(at);
                return;
            }
        }
    }

    /// Skips a bracket that is out of place, with what is inside it.
    #[cold]
    fn skip_bracket(&mut self) {
        let line = &self.text.as_bytes()[self.at..self.line_end(self.at)];
        let length = if line[0] == b'[' { memchr::memchr(b']', line) } else { None };
        self.take(self.at + length.unwrap_or_default() + 1);
    }

    /// Takes a run: characters that are neither white space nor special.
    fn run(&mut self) -> Result<&'a str, ReadError> {
        let length = token_end::find(&self.text.as_bytes()[self.at..]);
        self.reached(self.at + length)?;
        Ok(self.take(self.at + length))
    }
}

/// Reads one record; nothing at the end.
fn record<'a>(cursor: &mut Cursor<'a>, with_tags: bool) -> Result<Option<Record<'a>>, ReadError> {
    let mut record = Record::default();
    let mut names = Names::default();
    let mut in_tags = with_tags;
    let mut start = None;
    loop {
        let (blank_line, item) = cursor.next()?;
        in_tags &= !blank_line || record.tags.is_empty();
        let Some(item) = item else {
            cursor.reached(cursor.at)?;
            break;
        };
        start.get_or_insert(cursor.at);
        match item {
            Item::Comment => comment(cursor, &mut record.movetext, true)?,
            Item::TagPair if in_tags => {
                let read = tag_pair(cursor);
                let is_open = read.as_ref().is_err_and(|fault| fault.kind == OPEN_VALUE);
                if let Some((tag, name)) = cursor.faults.collect(read)? {
                    cursor.faults.collect(names.add(&mut record.tags, tag, name))?;
                } else if is_open {
                    cursor.skip_value();
                }
            }
            _ => {
                record.result = read_movetext(cursor, &mut record.movetext, None)?;
                break;
            }
        }
    }
    let Some(start) = start else { return Ok(None) };
    record.span = Span::new(start, cursor.content.max(start));
    if record.result.is_some() {
        while let (_, Some(Item::Comment)) = cursor.next()? {
            comment(cursor, &mut record.movetext, true)?;
            record.span = Span::new(start, cursor.content);
        }
    }
    record.odd_clocks = std::mem::take(&mut cursor.odd_clocks);
    Ok(Some(record))
}

/// Takes the line of a tag pair: the pair, and the span of its name.
fn tag_pair<'a>(cursor: &mut Cursor<'a>) -> Result<(Tag<'a>, Span), ReadError> {
    use SyntaxFault::{TagClose, TagName, TagQuote, TagRest, TagValue};
    let start = cursor.at;
    let end = cursor.line_end(start);
    cursor.reached(end)?;
    let line = cursor.take(end);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if let Some((name, value)) = plain_tag(line) {
        let (name_span, from) = (Span::new(start + 1, start + 1 + name.len()), start + name.len() + 3);
        let span = Span::new(from, from + value.len());
        return Ok((Tag { name: Cow::Borrowed(name), value: Cow::Borrowed(value), span }, name_span));
    }
    // The offset of `rest`, a tail of the line; and a fault that covers it.
    let offset = |rest: &str| start + line.len() - rest.len();
    let fault = |fault, rest: &str| syntax(fault, offset(rest)..start + line.len());

    let after_bracket = &line[1..];
    let named = &after_bracket[blanks(after_bracket)..];
    let (name, rest) = named.split_at(name_length(named));
    if name.is_empty() {
        return Err(fault(TagName, after_bracket));
    }
    let name_start = offset(named);
    let quote = blanks(rest);
    let is_quoted = rest[quote..].starts_with('"');
    if quote == 0 {
        return Err(fault(if is_quoted { TagQuote } else { TagName }, rest));
    }
    if !is_quoted {
        return Err(fault(TagQuote, rest));
    }
    let rest = &rest[quote + 1..];
    let value_start = offset(rest);
    let (value, rest) = quoted(rest).ok_or_else(|| syntax(TagValue, value_start - 1..start + line.len()))?;
    let value_end = offset(rest) - 1;
    if value.len() > limits::VALUE {
        cursor.faults.add(limit(Limit::Value, value_start..value_end))?;
    }
    let behind = rest[blanks(rest)..].strip_prefix(']').ok_or_else(|| fault(TagClose, rest))?;
    let behind = behind.trim_start_matches(is_blank);
    if !behind.is_empty() {
        cursor.faults.add(fault(TagRest, behind))?;
    }
    let tag = Tag { name: Cow::Borrowed(name), value, span: Span::new(value_start, value_end) };
    Ok((tag, Span::new(name_start, name_start + name.len())))
}

/// Fast path for nearly all tag pairs, `[Name "value"]` without escapes: a quarter less instructions than the general
/// one.
fn plain_tag(line: &str) -> Option<(&str, &str)> {
    let name = &line[1..=name_length(&line[1..])];
    let value = line[1 + name.len()..].strip_prefix(" \"")?.strip_suffix("\"]")?;
    // The loop does not stop at the first escape: there is hardly ever one, and this is faster.
    let resolved = value.bytes().fold(false, |found, byte| found | matches!(byte, b'"' | b'\\' | b'\r'));
    (!name.is_empty() && value.len() <= limits::VALUE && !resolved).then_some((name, value))
}

/// The number of spaces and tabs at the beginning of a text.
fn blanks(text: &str) -> usize {
    text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// By byte: ASCII characters of tag names.
static IS_OF_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// The length of the tag name at the beginning of a text.
fn name_length(text: &str) -> usize {
    let plain = text.bytes().take_while(|&byte| IS_OF_NAME[usize::from(byte)]).count();
    if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    text.find(|character| !Tag::is_of_name(character)).unwrap_or(text.len())
}

/// Reads up to the closing quote: the value with its escapes resolved, and what follows.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let bytes = text.as_bytes();
    let mut end = 0;
    let mut escaped = false;
    loop {
        end += memchr::memchr3(b'"', b'\\', b'\r', &bytes[end..])?;
        match bytes[end] {
            b'"' => break,
            b'\\' if matches!(bytes.get(end + 1), Some(b'"' | b'\\')) => {
                escaped = true;
                end += 2;
            }
            b'\\' => end += 1,
            _ => return None,
        }
    }
    let raw = &text[..end];
    let rest = &text[end + 1..];
    if !escaped {
        return Some((Cow::Borrowed(raw), rest));
    }
    let mut value = String::with_capacity(raw.len());
    let mut characters = raw.chars().peekable();
    while let Some(character) = characters.next() {
        let stands_for = match character {
            '\\' => characters.next_if(|&next| next == '"' || next == '\\').unwrap_or(character),
            _ => character,
        };
        value.push(stands_for);
    }
    Some((Cow::Owned(value), rest))
}

/// An open variation: the offset of its `(`, and the number of open ones.
#[derive(Clone, Copy)]
struct Open {
    at: usize,
    depth: usize,
    /// A fault was reported at its `(`.
    told: bool,
}

/// Reads moves up to a result, to the `)` of the variation, or to the end.
fn read_movetext<'a>(
    cursor: &mut Cursor<'a>,
    movetext: &mut Movetext<'a>,
    variation: Option<Open>,
) -> Result<Option<Spanned<Outcome>>, ReadError> {
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
                if let Some(result) = runs(cursor, movetext, &mut number, variation.is_none())? {
                    return Ok(Some(result));
                }
                if cursor.skip_notes && variation.is_some() {
                    // One ply is enough to take annotations.
                    let others = movetext.plies.len().saturating_sub(1);
                    movetext.plies.drain(..others);
                }
            }
            Item::Comment => comment(cursor, movetext, variation.is_none())?,
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
                let told = movetext.plies.is_empty();
                if told {
                    cursor.faults.add(syntax(SyntaxFault::VariationStart, at..at + 1))?;
                }
                if depth > limits::NESTING {
                    return Err(limit(Limit::Nesting, at..at + 1));
                }
                cursor.take(at + 1);
                let mut inner = Movetext::default();
                read_movetext(cursor, &mut inner, Some(Open { at, depth, told }))?;
                if !cursor.skip_notes
                    && let Some(ply) = movetext.plies.last_mut()
                {
                    ply.notes.get_or_insert_default().variations.push(inner);
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
            Item::Special(_) => annotation(cursor, movetext)?,
        }
    }
}

/// Reads runs: move numbers, tokens, each with the clock behind it, and the result. In the main line it continues while
/// only a space or a line break separates them: most records are no more than that, and one loop takes little more than
/// half of the instructions of returning to [`movetext`] for each.
fn runs<'a>(
    cursor: &mut Cursor<'a>,
    movetext: &mut Movetext<'a>,
    number: &mut Option<Spanned<u64>>,
    main: bool,
) -> Result<Option<Spanned<Outcome>>, ReadError> {
    let (text, bytes) = (cursor.text, cursor.text.as_bytes());
    let mut at = cursor.at;
    loop {
        let end = at + token_end::find(&bytes[at..]);
        cursor.reached(end)?;
        let mut rest = &text[at..end];
        while let Some((value, length)) = move_number(rest) {
            if rest[length..].starts_with(';') {
                break; // On its own it would begin a comment: the number is part of the token.
            }
            let off = |number: &Spanned<u64>| number.value != Record::expected_number(movetext.plies.len());
            if !number.as_ref().is_some_and(off) {
                *number = Some(Spanned { value, span: Span::new(at, at + length) });
            }
            at += length;
            rest = &rest[length..];
        }
        if !rest.is_empty() {
            let span = Span::new(at, end);
            if main && let Some(value) = Outcome::parse(rest) {
                cursor.take(end);
                return Ok(Some(Spanned { value, span }));
            }
            if rest.len() > limits::TOKEN {
                cursor.faults.add(limit(Limit::Token, span.range()))?;
            }
            if main && movetext.plies.len() >= limits::PLIES {
                return Err(limit(Limit::Plies, span.range()));
            }
            let number = number.take().filter(|_| main);
            if movetext.plies.is_empty() && main {
                // Growing step by step costs more than the memory.
                movetext.plies.reserve(64);
            }
            movetext.plies.push(Ply { token: Cow::Borrowed(rest), span, number, clock: None, notes: None });
        }
        at = end;
        if bytes[at..].starts_with(CLOCK)
            && let Some(ply) = movetext.plies.last_mut()
            && let Some((clock, end)) = lone_clock(bytes, at + 1)
        {
            ply.clock = Some(clock);
            at = end;
        }
        match bytes[at..] {
            [b' ' | b'\n', next, ..] if main && matches!(BEGINS[usize::from(next)], Begins::Run) => at += 1,
            _ => break,
        }
    }
    cursor.take(at);
    Ok(None)
}

/// The beginning of most comments: a clock behind a move.
const CLOCK: &[u8] = b" {[%clk ";

/// A comment in braces that is only a clock, and its end.
fn lone_clock(bytes: &[u8], at: usize) -> Option<(Spanned<u64>, usize)> {
    let inside = at + 1;
    let (value, length) = clock::parse(bytes[at..].strip_prefix(b"{")?)?;
    let end = inside + length;
    (bytes.get(end) == Some(&b'}')).then(|| (Spanned { value, span: Span::new(inside, end) }, end + 1))
}

/// A move number at the beginning of a run: its value, at most that of 64 bits, and its length.
fn move_number(run: &str) -> Option<(u64, usize)> {
    let bytes = run.as_bytes();
    let (mut value, mut length) = (0_u64, 0);
    while let Some(digit) = bytes.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        value = value.saturating_mul(10).saturating_add(u64::from(digit));
        length += 1;
    }
    if length == 0 || bytes.get(length) != Some(&b'.') {
        return None;
    }
    length += bytes[length..].iter().take_while(|&&byte| byte == b'.').count();
    Some((value, length))
}

/// True if the text of a move in another format would be read here as the same token: a whole run, no number and,
/// except in a variation, no result.
pub(in crate::record) fn is_token(text: &str, main: bool) -> bool {
    let is_run = !text.is_empty() && text.bytes().all(|byte| !is_space(byte) && !is_special(byte));
    let has_number = move_number(text).is_some_and(|(_, length)| !text[length..].starts_with(';'));
    let is_result = main && Outcome::parse(text).is_some();
    is_run && !has_number && !is_result && !text.starts_with(';')
}

/// Takes `$7`, `!?` and the like.
fn annotation(cursor: &mut Cursor<'_>, movetext: &mut Movetext<'_>) -> Result<(), ReadError> {
    let start = cursor.at;
    let bytes = cursor.text.as_bytes();
    let number = if bytes[start] == b'$' {
        cursor.take(start + 1);
        let digits = cursor.run()?;
        let at = start..cursor.at;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return cursor.faults.add(syntax(SyntaxFault::Nag, at));
        }
        let Ok(number) = digits.parse() else { return cursor.faults.add(limit(Limit::Nag, at)) };
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
            _ => return cursor.faults.add(syntax(SyntaxFault::Marks, start..cursor.at)),
        }
    };
    let Some(ply) = movetext.plies.last_mut() else {
        return cursor.faults.add(syntax(SyntaxFault::Annotation, start..cursor.at));
    };
    if !cursor.skip_notes {
        ply.notes.get_or_insert_default().nags.push(number);
    }
    Ok(())
}

/// Takes a comment: to the last move, with its clock, or to the beginning of the line.
fn comment<'a>(cursor: &mut Cursor<'a>, movetext: &mut Movetext<'a>, main: bool) -> Result<(), ReadError> {
    if let Some(ply) = movetext.plies.last_mut()
        && let Some((clock, end)) = lone_clock(cursor.text.as_bytes(), cursor.at)
    {
        ply.clock = Some(clock);
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
    let Some(ply) = movetext.plies.last_mut() else {
        movetext.comments.extend(comment::tidy(text, part).filter(|_| !skip_notes));
        return Ok(());
    };
    comment::pieces(text, part, |piece| {
        match piece {
            Piece::Clock(value, at) => {
                ply.clock = Some(Spanned { value, span: Span::new(start + at.start, start + at.end) });
            }
            Piece::Text(text) if !skip_notes => ply.notes.get_or_insert_default().comments.push(text),
            Piece::Odd(found, at) if main && cursor.odd_clocks.len() < limits::FAULTS => {
                let span = Span::new(start + at.start, start + at.end);
                cursor.odd_clocks.push(OddClock { found, span });
            }
            Piece::Text(_) | Piece::Odd(..) => {}
        }
        Ok(())
    })
}
