//! quipu's own text: tag pairs and movetext, modelled on PGN.

use std::ops::Range;

mod cursor;
mod move_number;
mod movetext;
mod parser;
mod plain_moves;
mod scanner;
mod tag_pair;
mod token_end;

pub(crate) use movetext::is_token;
pub use parser::OpenRecord;
pub(crate) use parser::Records;
pub(super) use parser::faults;
pub(super) use scanner::{GAME_TAG, Splitter, has_game};

/// True for white space.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The same for a character.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_ascii() && is_space(character as u8)
}

/// The range of a text without the white space around it.
pub(super) fn inner(text: &str) -> Range<usize> {
    let end = text.trim_end_matches(is_blank).len();
    let start = end - text[..end].trim_start_matches(is_blank).len();
    start..end
}

/// True for characters that are never part of a token.
pub(crate) const fn is_special(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'$' | b'!' | b'?')
}
