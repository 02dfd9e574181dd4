//! quipu's own text: tag pairs and movetext, on the habits of PGN.

use std::ops::Range;

mod parser;
mod run;
mod scanner;

pub(super) use parser::{Records, is_token};
pub(super) use scanner::{GAME_TAG, Splitter};

/// Whether a byte ends a run of characters.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The same of a character.
pub(super) fn is_blank(character: char) -> bool {
    character.is_ascii() && is_space(character as u8)
}

/// Where the rest of a text is when the white space around it is left out.
pub(super) fn inner(text: &str) -> Range<usize> {
    let end = text.trim_end_matches(is_blank).len();
    let start = end - text[..end].trim_start_matches(is_blank).len();
    start..end
}

/// Characters that are never part of a run.
pub(crate) const fn is_special(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'$' | b'!' | b'?')
}
