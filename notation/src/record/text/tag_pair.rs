//! The grammar of tag pairs: `[Name "value"]`.

use std::borrow::Cow;

use super::{
    super::{Limit, ReadError, ReadErrorKind, SyntaxFault, Tag, limits},
    cursor::{Cursor, limit, syntax},
    is_blank,
};
use crate::Span;

/// The fault of a value that does not end on its line.
pub(super) const OPEN_VALUE: ReadErrorKind = ReadErrorKind::Syntax(SyntaxFault::TagValue);

/// The line of a tag pair.
pub(super) struct TagLine<'a> {
    pub(super) tag: Tag<'a>,
    /// Span of the name.
    pub(super) name: Span,
    /// True if it is written as in canonical text, and a line feed alone ends it.
    pub(super) is_plain: bool,
}

/// Takes the line of a tag pair.
pub(super) fn tag_pair<'a>(cursor: &mut Cursor<'a>) -> Result<TagLine<'a>, ReadError> {
    use SyntaxFault::{TagClose, TagName, TagQuote, TagRest, TagValue};
    let start = cursor.at;
    let end = cursor.line_end(start);
    cursor.reached(end)?;
    let whole = cursor.take(end);
    let line = whole.strip_suffix('\r').unwrap_or(whole);
    if let Some((name, value)) = plain_tag(line) {
        let (name_span, from) = (Span::new(start + 1, start + 1 + name.len()), start + name.len() + 3);
        let span = Span::new(from, from + value.len());
        let tag = Tag { name: Cow::Borrowed(name), value: Cow::Borrowed(value), span };
        return Ok(TagLine { tag, name: name_span, is_plain: line.len() == whole.len() });
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
    Ok(TagLine { tag, name: Span::new(name_start, name_start + name.len()), is_plain: false })
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
