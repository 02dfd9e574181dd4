//! Finds the end of a run: characters that are neither white space nor special.

use super::{is_space, is_special};

/// The length of the run at the beginning of a text.
///
/// Most of a record is moves, so eight bytes are checked together: that takes about as many instructions as two single
/// bytes, and no branch has to predict the end of a move.
#[inline]
pub(super) fn find(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(eight) = text[length..].first_chunk() {
        let suspects = suspects(u64::from_le_bytes(*eight));
        length += suspects.trailing_zeros() as usize / 8;
        if suspects != 0 {
            if ENDS_RUN[usize::from(text[length])] {
                return length;
            }
            length += 1;
        }
    }
    length + text[length..].iter().position(|&byte| ENDS_RUN[usize::from(byte)]).unwrap_or(text.len() - length)
}

/// The length of the run that eight bytes begin with, as far as it can be told from them: 8 if no byte may end it. The byte
/// after it may be one that does not.
#[inline]
pub(super) const fn in_word(word: u64) -> usize {
    suspects(word).trailing_zeros() as usize / 8
}

/// By byte: white space and special characters.
static ENDS_RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 128;
    while byte > 0 {
        byte -= 1;
        table[byte as usize] = is_space(byte) || is_special(byte);
    }
    table
};

/// The same byte eight times.
const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

const ONES: u64 = all(1);
const TOPS: u64 = all(0x80);

/// The high bit of each of eight bytes that may end a run. The first marked byte ends the run or is rare in moves. Bits
/// after it mean nothing.
#[inline]
const fn suspects(bytes: u64) -> u64 {
    const LOW: u64 = all(b'*');
    const UNLIKE_BRACKETS: u64 = all(0x26);
    const BRACKET: u64 = all(0x7f);
    const QUESTION: u64 = all(b'?');
    // White space and ! $ ( ) are below *.
    let low = bytes.wrapping_sub(LOW) & !bytes & TOPS;
    // With these bits set [ ] { } are equal.
    let brackets = zeros((bytes | UNLIKE_BRACKETS) ^ BRACKET);
    low | brackets | zeros(bytes ^ QUESTION)
}

/// Marks zeros.
#[inline]
const fn zeros(bytes: u64) -> u64 {
    bytes.wrapping_sub(ONES) & !bytes & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=u8::MAX {
            for (length, filler) in (0..20).flat_map(|length| b"a0Y_y-\xff\x7f%\"".map(|filler| (length, filler))) {
                let mut text = vec![filler; 20];
                text[length] = byte;
                let expected = if is_space(byte) || is_special(byte) { length } else { 20 };
                assert_eq!(super::find(&text), expected, "{byte:x} {filler:x}");
                assert_eq!(super::find(&text[..=length]), expected.min(length + 1), "{byte:x} {filler:x}");
            }
        }
    }
}
