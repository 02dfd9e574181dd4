//! A cursor over JSON that gives the span of every value.
//!
//! It walks objects, lists and strings itself, in one pass at any depth, so that each fault has its span. `serde_json`
//! resolves the escapes of strings.

use std::borrow::Cow;

use super::super::{JsonFault, OddClock, ReadError, ReadErrorKind, SyntaxFault, faults::Faults};
use crate::Span;

/// The position of reading.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pub(crate) at: usize,
    pub(super) faults: Faults,
    pub(super) odd_clocks: Vec<OddClock<'a>>,
}

/// A string.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    /// Its value, escapes resolved.
    pub(crate) value: Cow<'a, str>,
    /// Its span, without its quotes.
    pub(crate) span: Span,
}

pub(super) fn fault(fault: JsonFault, span: Span) -> ReadError {
    ReadError::syntax(SyntaxFault::Json(fault), span)
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, faults: Faults::default(), odd_clocks: Vec::new() }
    }

    /// Skips white space and returns the next byte without taking it.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes this byte, if it is the next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The fault of a next character that is out of place.
    pub(crate) fn unexpected(&mut self) -> ReadError {
        self.peek();
        self.fault_at(JsonFault::Form)
    }

    /// A fault that covers the next character; at the end of the text, that of an early end.
    fn fault_at(&self, kind: JsonFault) -> ReadError {
        if let Some(character) = self.text[self.at..].chars().next() {
            return fault(kind, Span::new(self.at, self.at + character.len_utf8()));
        }
        let end = self.text.trim_end().len();
        fault(JsonFault::End, Span::new(end, end))
    }

    /// Takes a number or a word.
    pub(crate) fn word(&mut self) -> (&'a str, Span) {
        self.peek();
        let rest = &self.text[self.at..];
        let ends = |character: char| " \t\n\r,:[]{}\"".contains(character);
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let start = self.at;
        self.at += word.len();
        (word, Span::new(start, self.at))
    }

    /// The fault of a next value of the wrong type.
    fn other(&mut self, kind: JsonFault) -> ReadError {
        match self.word() {
            ("", _) => self.fault_at(kind),
            (_, span) => fault(kind, span),
        }
    }

    /// Takes a whole number without a sign: its digits. Any other value is the fault `kind`.
    pub(super) fn digits(&mut self, kind: JsonFault) -> Result<(&'a str, Span), ReadError> {
        self.peek();
        let start = self.at;
        let (word, span) = self.word();
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit()) && (word == "0" || !word.starts_with('0'));
        if word.is_empty() || !is_number {
            self.at = start;
            return Err(self.other(kind));
        }
        Ok((word, span))
    }

    /// Takes a `null`, if that is next.
    pub(crate) fn null(&mut self) -> bool {
        self.peek();
        let start = self.at;
        let found = self.word().0 == "null";
        if !found {
            self.at = start;
        }
        found
    }

    /// Takes a string.
    pub(crate) fn text(&mut self) -> Result<Text<'a>, ReadError> {
        if !self.take(b'"') {
            return Err(self.other(JsonFault::Text));
        }
        let start = self.at;
        let mut escapes = false;
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escapes = true;
                    self.at += 1;
                    self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
                }
                Some(0x20..) => self.at += 1,
                _ => return Err(self.fault_at(JsonFault::Form)),
            }
        }
        let span = Span::new(start, self.at);
        self.at += 1;
        let value = if escapes {
            let quoted = &self.text[start - 1..self.at];
            Cow::Owned(serde_json::from_str(quoted).map_err(|_| fault(JsonFault::Escape, span))?)
        } else {
            Cow::Borrowed(&self.text[span.range()])
        };
        Ok(Text { value, span })
    }

    /// Takes an object; `field` takes the value of each name. `field` has to treat `null` like a missing name.
    pub(crate) fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, Text<'a>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.items(b'{', b'}', JsonFault::Object, |cursor| {
            if cursor.peek() != Some(b'"') {
                return Err(cursor.unexpected());
            }
            let name = cursor.text()?;
            if !cursor.take(b':') {
                return Err(cursor.unexpected());
            }
            cursor.value(|cursor| field(cursor, name))
        })
    }

    /// Takes an object that has no other fields than these, each once; `value` takes those that are not `null`.
    pub(super) fn fields<const N: usize>(
        &mut self,
        known: [&'static str; N],
        mut value: impl FnMut(&mut Self, &'static str, Span) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut seen = [None; N];
        self.object(|cursor, name| {
            let Some(index) = known.iter().position(|known| *known == name.value) else {
                return Err(fault(JsonFault::Field, name.span));
            };
            if let Some(first) = seen[index].replace(name.span) {
                return Err(ReadError { kind: ReadErrorKind::Tag { first }, span: name.span });
            }
            if cursor.null() { Ok(()) } else { value(cursor, known[index], name.span) }
        })
    }

    /// Takes a list; `item` takes each of its values.
    pub(crate) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        self.items(b'[', b']', JsonFault::List, |cursor| cursor.value(&mut item))
    }

    /// Takes a value. One with a fault is skipped, if faults are gathered.
    fn value(&mut self, take: impl FnOnce(&mut Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        let start = self.at;
        let Err(fault) = take(self) else { return Ok(()) };
        self.faults.add(fault)?;
        self.at = start;
        self.skip_value()
    }

    /// Skips a value of any type.
    pub(crate) fn skip_value(&mut self) -> Result<(), ReadError> {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => match self.text() {
                    Err(fault) if fault.kind != ReadErrorKind::Syntax(SyntaxFault::Json(JsonFault::Escape)) => {
                        return Err(fault);
                    }
                    _ => {}
                },
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',' | b':') if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ if self.word().0.is_empty() => return Err(self.unexpected()),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Takes items between two marks, separated by commas; anything else is the fault `kind`.
    fn items(
        &mut self,
        open: u8,
        close: u8,
        other: JsonFault,
        mut item: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        if !self.take(open) {
            return Err(self.other(other));
        }
        if self.take(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.take(close) {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.unexpected());
            }
        }
    }
}
