//! JSON on one line: serialized, or written field by field. A serializer looks at each byte of each text, also of the names of
//! fields.

use std::io;

use quipu_notation::record::write::{Bytes, write_decimal};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::{is_active, message::is_printable_ascii};

/// Writes a value with active characters escaped ([`is_active`]).
///
/// # Errors
/// Those of `out`.
pub(super) fn write_value(report: &(impl Serialize + ?Sized), out: impl io::Write) -> io::Result<()> {
    Ok(report.serialize(&mut Serializer::with_formatter(out, Harmless))?)
}

/// JSON without spaces and without control characters.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        // Fast path: nearly all text is printable ASCII.
        if is_printable_ascii(fragment) {
            return out.write_all(fragment.as_bytes());
        }
        for part in fragment.split_inclusive(is_active) {
            let Some(control) = part.chars().next_back().filter(|&last| is_active(last)) else {
                return out.write_all(part.as_bytes());
            };
            out.write_all(&part.as_bytes()[..part.len() - control.len_utf8()])?;
            write!(out, "\\u{:04x}", u32::from(control))?;
        }
        Ok(())
    }
}

/// An object that is appended to a buffer. Keys come with their quotes and the colon; a comma follows each value.
pub(super) struct Line<'o> {
    /// The buffer, with what it had before.
    text: Bytes,
    out: &'o mut Vec<u8>,
}

impl<'o> Line<'o> {
    pub(super) fn begin(out: &'o mut Vec<u8>) -> Self {
        let mut text = Bytes(std::mem::take(out));
        text.0.push(b'{');
        Self { text, out }
    }

    /// A text, or null.
    #[inline]
    pub(super) fn text<const N: usize>(&mut self, key: &[u8; N], text: Option<&str>) {
        self.text.0.extend_from_slice(key);
        let Some(text) = text else { return self.null() };
        if is_plain(text) {
            self.text.0.push(b'"');
            self.text.0.extend_from_slice(text.as_bytes());
            self.text.0.extend_from_slice(b"\",");
        } else {
            self.serialized(text);
        }
    }

    /// A text that is left out if there is none.
    pub(super) fn text_if_any<const N: usize>(&mut self, key: &[u8; N], text: Option<&str>) {
        if text.is_some() {
            self.text(key, text);
        }
    }

    /// A number, or null.
    pub(super) fn number<const N: usize>(&mut self, key: &[u8; N], number: Option<u64>) {
        self.text.0.extend_from_slice(key);
        let Some(number) = number else { return self.null() };
        self.decimal(number);
        self.text.0.push(b',');
    }

    /// Numbers by their names, or null. Names are plain.
    pub(super) fn numbers<'n, const N: usize>(
        &mut self,
        key: &[u8; N],
        numbers: Option<impl Iterator<Item = (&'n str, u32)>>,
    ) {
        self.text.0.extend_from_slice(key);
        let Some(numbers) = numbers else { return self.null() };
        let mut sign = b'{';
        for (name, number) in numbers {
            self.text.0.extend_from_slice(&[sign, b'"']);
            self.text.0.extend_from_slice(name.as_bytes());
            self.text.0.extend_from_slice(b"\":");
            self.decimal(number.into());
            sign = b',';
        }
        self.text.0.extend_from_slice(b"},");
    }

    /// A list.
    pub(super) fn list<const N: usize>(&mut self, key: &[u8; N], list: &[impl Serialize]) {
        self.text.0.extend_from_slice(key);
        if list.is_empty() {
            self.text.0.extend_from_slice(b"[],");
        } else {
            self.serialized(list);
        }
    }

    /// Any other value.
    pub(super) fn value<const N: usize>(&mut self, key: &[u8; N], value: Option<&impl Serialize>) {
        self.text.0.extend_from_slice(key);
        match value {
            Some(value) => self.serialized(value),
            None => self.null(),
        }
    }

    /// Ends the object and the line.
    pub(super) fn end(mut self) {
        // In the place of the last comma.
        self.text.0.pop();
        self.text.0.extend_from_slice(b"}\n");
        *self.out = self.text.0;
    }

    fn decimal(&mut self, number: u64) {
        let written = write_decimal(number, &mut self.text);
        debug_assert!(written.is_ok(), "a Vec takes everything");
    }

    fn null(&mut self) {
        self.text.0.extend_from_slice(b"null,");
    }

    fn serialized(&mut self, value: &(impl Serialize + ?Sized)) {
        let written = write_value(value, &mut self.text.0);
        debug_assert!(written.is_ok(), "a Vec takes everything");
        self.text.0.push(b',');
    }
}

/// True for a text that is written as it is. The loop does not stop at the first other byte, so that many are compared at once.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |plain, byte| plain & matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_those_that_serialization_leaves() {
        for character in (0..=0x2100).filter_map(char::from_u32) {
            let text = format!("a{character}");
            let mut serialized = Vec::new();
            write_value(&text, &mut serialized).expect("memory takes everything");
            let is_left = serialized == format!("\"{text}\"").as_bytes();
            assert!(is_left || !is_plain(&text), "{text:?}");
            assert_eq!(is_plain(&text), is_left && character.is_ascii(), "{text:?}");
        }
    }
}
