//! Moves as canonical text has them: `12. e2-e3 e5-e4`, single spaces, and perhaps a clock after each.
//!
//! Most of every record is no more than that. One loop with few branches reads it from whole words of eight bytes, and leaves
//! everything else to the grammar.

use super::{
    super::{MoveSink, PlainPly, Record, Spanned, clock, limits},
    cursor::{BEGINS, Begins, Cursor},
    token_end,
};
use crate::Span;

/// The beginning of most comments: a clock after a move.
const CLOCK: &[u8; 8] = b" {[%clk ";

/// Reads such moves of the main line, as many as there are. Returns true if it took any.
pub(super) fn plain_moves<'a, S: MoveSink<'a>>(cursor: &mut Cursor<'a>, moves: &mut S) -> Result<bool, S::Stop> {
    let (text, bytes) = (cursor.text, cursor.text.as_bytes());
    let mut plies = moves.count();
    let mut next = NumberText::new(Record::expected_number(plies));
    // The end of what was taken, and the beginning of the next move.
    let (mut taken, mut at) = (cursor.at, cursor.at);
    while plies < limits::PLIES {
        let begins_line = plies % 2 == 0;
        let begin = at;
        if begins_line {
            if !next.begins(&bytes[at..]) {
                break;
            }
            at += next.length + 1;
        }
        let Some((length, mut space)) = length_to_space(&bytes[at..]) else { break };
        let end = at + length;
        let ply = PlainPly { text, begin, start: at, end };
        if !moves.plain_ply(ply, || is_plain_token(&bytes[at..], length))? {
            break;
        }
        plies += 1;
        (taken, at) = (end, end);
        if space == b' '
            && bytes.get(end + 1) == Some(&b'{')
            && bytes[end..].first_chunk() == Some(CLOCK)
            && let Some((clock, end)) = lone_clock(bytes, end + 1)
        {
            moves.clock(clock);
            (taken, at) = (end, end);
            let Some(&byte) = bytes.get(at) else { break };
            space = byte;
        }
        if begins_line {
            if space != b' ' {
                break;
            }
        } else {
            if space != b'\n' {
                break;
            }
            next.increase();
        }
        at += 1;
    }
    let took = taken > cursor.at;
    if took {
        cursor.take(taken);
    }
    Ok(took)
}

/// The number of bytes before the next space or line break, and that byte; `None` if there is none within the limit, if another
/// control character is before it, or if the text ends too soon.
#[inline]
fn length_to_space(text: &[u8]) -> Option<(usize, u8)> {
    let length = match place_of_space(*text.first_chunk()?) {
        Some(length) => length,
        None => long_length_to_space(text)?,
    };
    let space = text[length];
    matches!(space, b' ' | b'\n').then_some((length, space))
}

/// The number of bytes before the next space or control character, if they are more than seven.
#[inline(never)]
fn long_length_to_space(text: &[u8]) -> Option<usize> {
    let mut length = 8;
    loop {
        if let Some(place) = place_of_space(*text[length..].first_chunk()?) {
            return (length + place <= limits::TOKEN).then_some(length + place);
        }
        length += 8;
        if length > limits::TOKEN {
            return None;
        }
    }
}

/// The place of the first space or control character.
#[inline]
fn place_of_space(bytes: [u8; 8]) -> Option<usize> {
    const ABOVE_SPACE: u64 = u64::from_le_bytes([b' ' + 1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    let word = u64::from_le_bytes(bytes);
    // A borrow marks only bytes after the first one.
    let found = word.wrapping_sub(ABOVE_SPACE) & !word & TOPS;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// True if the text begins with so many characters before white space that are sure to be a token: a whole run that is no number and
/// no result.
#[inline]
fn is_plain_token(text: &[u8], length: usize) -> bool {
    let Some(word) = text.first_chunk::<8>().filter(|_| length > 1) else { return false };
    let (first, second) = (word[0], word[1]);
    // Numbers and results, but for `*`, begin with a digit, and after it they have one of `-./0123456789`.
    matches!(BEGINS[usize::from(first)], Begins::Run)
        && !(first.is_ascii_digit() && matches!(second, b'-'..=b'9'))
        && (token_end::in_word(u64::from_le_bytes(*word)) == length || token_end::find(text) == length)
}

/// A comment in braces that is only a clock, and its end.
#[inline]
pub(super) fn lone_clock(bytes: &[u8], at: usize) -> Option<(Spanned<u64>, usize)> {
    let inside = at + 1;
    let (value, length) = clock::parse(bytes[at..].strip_prefix(b"{")?)?;
    let end = inside + length;
    (bytes.get(end) == Some(&b'}')).then(|| (Spanned { value, span: Span::new(inside, end) }, end + 1))
}

/// A move number as it is written: its digits, a dot and a space in the low bytes of a word.
struct NumberText {
    value: u64,
    /// Bytes, without the space.
    length: usize,
    word: u64,
    mask: u64,
    /// One in the place of the last digit.
    unit: u64,
    /// The last digit.
    digit: u64,
}

impl NumberText {
    /// The text of a number of a record, at most half of [`limits::PLIES`].
    fn new(value: u64) -> Self {
        const MARKS: u64 = u64::from_le_bytes(*b". \0\0\0\0\0\0");
        let (mut word, mut length, mut rest) = (MARKS, 1, value);
        while rest > 0 {
            word = word << 8 | (u64::from(b'0') + rest % 10);
            length += 1;
            rest /= 10;
        }
        Self {
            value,
            length,
            word,
            mask: u64::MAX >> (56 - 8 * length),
            unit: 1 << (8 * (length - 2)),
            digit: value % 10,
        }
    }

    /// True if a text begins with it.
    #[inline]
    fn begins(&self, text: &[u8]) -> bool {
        text.first_chunk().is_some_and(|bytes| (u64::from_le_bytes(*bytes) ^ self.word) & self.mask == 0)
    }

    /// Makes it the next number.
    #[inline]
    fn increase(&mut self) {
        if self.digit == 9 {
            *self = Self::new(self.value + 1);
        } else {
            self.digit += 1;
            self.value += 1;
            self.word = self.word.wrapping_add(self.unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Chunk, Ply};

    #[test]
    fn every_number_is_its_text() {
        let mut number = NumberText::new(1);
        for value in 1..=limits::PLIES as u64 / 2 {
            let text = format!("{value}. ");
            let padded = format!("{text}\0\0\0\0\0\0");
            assert_eq!((number.value, number.length + 1), (value, text.len()));
            assert!(number.begins(padded.as_bytes()) && NumberText::new(value).begins(padded.as_bytes()), "{text}");
            assert!(!number.begins(format!("{value}.  ").replace(". ", "..").as_bytes()));
            assert!(!number.begins(text.as_bytes()) || text.len() == 8, "a text of less than eight bytes is left");
            number.increase();
        }
    }

    #[test]
    fn lengths_of_tokens() {
        let check = |text: &str, length: Option<usize>| {
            let found = length_to_space(text.as_bytes()).map(|(length, _)| length);
            let found = found.filter(|&length| is_plain_token(text.as_bytes(), length));
            assert_eq!(found, length, "{text}");
        };
        check("e2-e3 e5-e4", Some(5));
        check("0a4\n12. x", Some(3));
        check("0a4\t12. x", None);
        check("0a4\u{1} 2. x", None);
        check("0a4-0a5-0a6\u{1} 2. x", None);
        check("0a4{[%clk]}", None);
        check("0a4{[%clk] x}", None);
        check("YY_y]abcde", None);
        check("0a4 12. x", Some(3));
        check("12345678 x", None);
        check("d4-d6xd5/d7xe8 d1", Some(14));
        check(&("x".repeat(limits::TOKEN) + " 12. e2-e3"), Some(limits::TOKEN));
        check(&("x".repeat(limits::TOKEN + 1) + " 12. e2-e3"), None);
        // At the end of the text, where a byte that is not UTF-8 may follow.
        check("abcdefghij", None);
        check("0a4 a", None);
        // Results and numbers.
        for text in [
            "1-0\n\n\n\n\n\n",
            "0-1 x x x x",
            "1/2-1/2\n\n",
            "*\n\n\n\n\n\n\n\n",
            "12. e2-e3",
            "3...e4 x x",
            "7.e4 x x x",
        ] {
            check(text, None);
        }
        // The beginning of a comment, a byte order mark, a line that is skipped.
        for text in [";2345678 9", "{2345678 9", "\u{feff}345678 9", "%2345678 9", " 2345678 9"] {
            check(text, None);
        }
    }

    #[test]
    fn the_first_space_ends_a_token() {
        for (length, end) in (1..8).flat_map(|length| (0..=b' ').map(move |end| (length, end))) {
            let mut text = [b'!', 0xff, b'x', b'!', 0xc3, b'!', b'x', b'!', b' ', b' '];
            text[length] = end;
            assert_eq!(length_to_space(&text), matches!(end, b' ' | b'\n').then_some((length, end)), "{text:?}");
        }
    }

    /// The moves, numbers, clocks and results of a text, or the kind of its fault.
    fn read(text: &str) -> Vec<String> {
        let read = Chunk::new(text.as_bytes()).records().map(|record| match record {
            Ok(Record { movetext, result, .. }) => {
                let ply = |ply: &Ply<'_>| {
                    (ply.token.to_string(), ply.number.map(|it| it.value), ply.clock.map(|it| it.value))
                };
                let plies: Vec<_> = movetext.plies.iter().map(ply).collect();
                format!("{plies:?} {:?}", result.map(|result| result.value))
            }
            Err(fault) => format!("{:?}", fault.kind),
        });
        read.collect()
    }

    /// White space that this loop leaves to the grammar changes nothing but places.
    #[test]
    fn loop_and_grammar_agree() {
        const PIECES: [&str; 12] =
            ["1.", "2.", "1...", "e2-e3", "0a4", "2.0a4", "1-0", "*", "{[%clk 0:00:01.000]}", "%x", "(d4-d5)", "12"];
        let mut texts = vec![[String::new(), String::new()]];
        for _ in 0..4 {
            texts = texts
                .iter()
                .flat_map(|[plain, wide]| {
                    PIECES.iter().flat_map(move |piece| {
                        [[" ", "  "], ["\n", " \n"]]
                            .map(|[space, spaces]| [format!("{plain}{piece}{space}"), format!("{wide}{piece}{spaces}")])
                    })
                })
                .collect();
            for [plain, wide] in &texts {
                let [plain, wide] = [plain, wide].map(|text| format!("[Game \"andes\"]\n\n{text}0a4 0a4 0a4 0a4\n"));
                assert_eq!(read(&plain), read(&wide), "{plain}");
            }
            // The number of texts stays small: a part of them continues.
            let kept = texts.len().min(4000);
            let step = texts.len() / kept;
            texts = texts.into_iter().step_by(step).collect();
        }
    }
}
