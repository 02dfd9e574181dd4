//! Cells of a line: delimiters, quotes, and the marks of texts.

use std::borrow::Cow;

use super::super::{
    CsvFault, ReadError, SyntaxFault, comment,
    text::{inner, is_blank},
};
use crate::Span;

pub(super) fn fault(fault: CsvFault, span: Span) -> ReadError {
    ReadError::syntax(SyntaxFault::Csv(fault), span)
}

/// A cell without white space around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell<'a> {
    pub(super) text: Cow<'a, str>,
    /// Its span, without its quotes.
    pub(super) span: Span,
    /// True if an apostrophe or a formula marked it as text, so that it is as it was typed.
    pub(super) marked: bool,
}

impl<'a> Cell<'a> {
    /// The text at offset `at`, with doubled quotes if it is quoted.
    pub(super) fn new(text: &'a str, at: usize, quoted: bool) -> Self {
        let span = Span::new(at, at + text.len());
        if quoted && text.contains('"') {
            return Self { text: Cow::Owned(text.replace("\"\"", "\"")), span, marked: false };
        }
        Self { text: Cow::Borrowed(text), span, marked: false }
    }

    /// Without white space around it, and without the mark of a text: `'0E01`, `="0E01"`.
    pub(super) fn trimmed(self) -> Self {
        let mut inner = inner(&self.text);
        let text = &self.text[inner.clone()];
        let marked = text.starts_with('\'');
        if marked {
            inner.start += 1;
        } else if text.len() > 2 && text.starts_with("=\"") && text.ends_with('"') {
            inner = inner.start + 2..inner.end - 1;
        }
        let text = comment::slice(&self.text, inner.clone());
        let start = self.span.start as usize + inner.start;
        // With doubled quotes the span is longer than the text.
        let behind = self.text.len() - inner.end;
        Self { text, span: Span::new(start, self.span.end as usize - behind), marked }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// The cells of a line.
#[derive(Clone, Debug)]
pub(super) struct Cells<'a> {
    pub(super) line: &'a str,
    /// The offset of the line.
    pub(super) at: usize,
    /// The offset in the line of the next cell, if there is one.
    pub(super) next: Option<usize>,
    pub(super) delimiter: u8,
}

impl<'a> Cells<'a> {
    /// The next cell with its white space.
    pub(super) fn whole(&mut self) -> Option<Result<Cell<'a>, ReadError>> {
        let start = self.next.take()?;
        let rest = &self.line[start..];
        // A tab may be the delimiter.
        let is_gap = |sign| is_blank(sign) && sign != char::from(self.delimiter);
        let open = rest.len() - rest.trim_start_matches(is_gap).len();
        if !rest[open..].starts_with('"') {
            let length = memchr::memchr(self.delimiter, rest.as_bytes());
            self.next = length.map(|length| start + length + 1);
            return Some(Ok(Cell::new(&rest[..length.unwrap_or(rest.len())], self.at + start, false)));
        }
        let inside = &rest[open + 1..];
        let Some(length) = closing_quote(inside) else {
            let at = self.at + start + open;
            return Some(Err(fault(CsvFault::Quote, Span::new(at, self.at + self.line.len()))));
        };
        let behind = inside[length + 1..].trim_start_matches(is_gap);
        let at = start + rest.len() - behind.len();
        match behind.as_bytes().first() {
            None => {}
            Some(&byte) if byte == self.delimiter => self.next = Some(at + 1),
            Some(_) => {
                let span = Span::new(self.at + at, self.at + self.line.len());
                return Some(Err(fault(CsvFault::Quote, span)));
            }
        }
        Some(Ok(Cell::new(&inside[..length], self.at + start + open + 1, true)))
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Cell<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.whole()?.map(Cell::trimmed))
    }
}

/// The offset of the closing quote; a doubled quote is an escaped one.
fn closing_quote(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', &text.as_bytes()[at..])?;
        if text.as_bytes().get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
