//! Outputs that records are written to.

use std::fmt::{self, Write};

/// An output for records.
pub trait Sink: Write {
    /// Writes the first `length` of these ASCII characters. `N` is known at compile time: copying all and truncating
    /// takes a few instructions, where copying `length` would take a call.
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result;
}

impl Sink for String {
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result {
        self.write_str(std::str::from_utf8(&signs[..length]).map_err(|_| fmt::Error)?)
    }
}

impl<S: Sink> Sink for &mut S {
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result {
        (**self).ascii(signs, length)
    }
}

/// The bytes of a text that is hashed, not shown: appended bytes are not checked again for UTF-8.
#[derive(Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Write for Bytes {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.0.push(byte),
            _ => self.0.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(())
    }
}

impl Sink for Bytes {
    fn ascii<const N: usize>(&mut self, signs: &[u8; N], length: usize) -> fmt::Result {
        let end = self.0.len() + length;
        self.0.extend_from_slice(signs);
        self.0.truncate(end);
        Ok(())
    }
}

/// Writes a number in decimal. `core::fmt` takes several times as long, and a record is full of numbers.
///
/// # Errors
/// Those of `out`.
pub fn write_decimal(number: u64, out: &mut impl Sink) -> fmt::Result {
    if let Some(digit) = u8::try_from(number).ok().filter(|&digit| digit < 10) {
        return out.write_char(char::from(b'0' + digit));
    }
    let mut signs = [b'0'; 20];
    let (mut rest, length) = (number, number.checked_ilog10().map_or(1, |tens| tens as usize + 1));
    for sign in signs[..length].iter_mut().rev() {
        *sign += u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    out.ascii(&signs, length)
}
