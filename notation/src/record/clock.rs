//! Remaining times: `H:MM:SS.mmm`, in comments `[%clk H:MM:SS.mmm]`.

use std::fmt;

use super::sink::{self, Sink};

/// The beginning of a clock in a comment.
pub const OPEN: &str = "[%clk ";

/// The most digits of the hours.
const HOURS: usize = 9;

/// The largest time of a clock, in milliseconds.
pub const MOST: u64 = ((999_999_999 * 60 + 59) * 60 + 59) * 1000 + 999;

/// Finds the first clock in a text: its start, its milliseconds, and its end.
pub fn find(text: &str) -> Option<(usize, u64, usize)> {
    memchr::memchr_iter(b'[', text.as_bytes())
        .find_map(|at| parse(&text.as_bytes()[at..]).map(|(millis, length)| (at, millis, at + length)))
}

/// Reads a clock at the beginning of `text`: its milliseconds and its length in bytes.
#[inline]
pub fn parse(text: &[u8]) -> Option<(u64, usize)> {
    let rest = text.strip_prefix(OPEN.as_bytes())?;
    match rest.first_chunk().and_then(|clock| plain(*clock)) {
        Some(millis) => Some((millis, OPEN.len() + 12)),
        None => other(rest),
    }
}

/// Reads a clock of any length after [`OPEN`].
fn other(rest: &[u8]) -> Option<(u64, usize)> {
    let digits = rest.iter().take(HOURS).take_while(|byte| byte.is_ascii_digit()).count();
    let hours = number(&rest[..digits])?;
    let (fixed, rest) = rest[digits..].split_first_chunk::<6>()?;
    if fixed[0] != b':' || fixed[3] != b':' {
        return None;
    }
    let sixtieth = |digits| number(digits).filter(|&number| number < 60);
    let seconds = (hours * 60 + sixtieth(&fixed[1..3])?) * 60 + sixtieth(&fixed[4..])?;
    let (millis, length) = match *rest {
        [b']', ..] => (0, 7),
        [b'.', a, b, c, b']', ..] => (number(&[a, b, c])?, 11),
        _ => return None,
    };
    Some((seconds * 1000 + millis, OPEN.len() + digits + length))
}

/// Reads a whole text as a clock without brackets.
pub fn parse_bare(text: &str) -> Option<u64> {
    let clock = format!("{OPEN}{text}]");
    parse(clock.as_bytes()).filter(|(_, length)| *length == clock.len()).map(|(millis, _)| millis)
}

/// Fast path for the usual length, `H:MM:SS.mmm]`: its milliseconds. All digits are checked together, which takes less
/// than half of the instructions of a loop.
#[inline]
fn plain(clock: [u8; 12]) -> Option<u64> {
    const FORM: u128 = u128::from_le_bytes(*b"0:00:00.000]\0\0\0\0");
    const MOST: u128 = u128::from_le_bytes([9, 0, 5, 9, 0, 5, 9, 0, 9, 9, 9, 0, 0, 0, 0, 0]);
    const TOPS: u128 = u128::from_le_bytes([0x80; 16]);
    /// Added to the value of a digit, it sets the highest bit if the digit is too large.
    const BEYOND: u128 = u128::from_le_bytes([0x7f; 16]) - MOST;
    let mut bytes = [0; 16];
    bytes[..12].copy_from_slice(&clock);
    // A digit becomes its value, and a separator in its place becomes 0.
    let values = u128::from_le_bytes(bytes) ^ FORM;
    if (values.wrapping_add(BEYOND) | values) & TOPS != 0 {
        return None;
    }
    let [h, _, m0, m1, _, s0, s1, _, a, b, c, ..] = values.to_le_bytes().map(u64::from);
    Some(((h * 60 + m0 * 10 + m1) * 60 + s0 * 10 + s1) * 1000 + a * 100 + b * 10 + c)
}

/// The value of decimal digits; nothing if there are none or any byte is another.
fn number(bytes: &[u8]) -> Option<u64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    (!bytes.is_empty()).then_some(())?;
    bytes.iter().try_fold(0, |number, &byte| Some(number * 10 + digit(byte)?))
}

/// Milliseconds as `H:MM:SS.mmm`.
pub fn text(millis: u64) -> String {
    let mut text = String::new();
    let written = write(millis, &mut text);
    debug_assert!(written.is_ok(), "a String takes everything");
    text
}

/// Writes milliseconds as `H:MM:SS.mmm`.
pub fn write(millis: u64, out: &mut impl Sink) -> fmt::Result {
    let (hours, rest) = (millis / 3_600_000, u32::try_from(millis % 3_600_000).unwrap_or_default());
    if hours >= 10 {
        sink::write_decimal(hours / 10, out)?;
    }
    // Formatting each field with its zeros took longer than replaying the move.
    let digit = |number: u32| b'0' + u8::try_from(number % 10).unwrap_or_default();
    let (minutes, seconds) = (rest / 60_000, rest / 1000 % 60);
    let text = [
        digit(u32::try_from(hours % 10).unwrap_or_default()),
        b':',
        digit(minutes / 10),
        digit(minutes),
        b':',
        digit(seconds / 10),
        digit(seconds),
        b'.',
        digit(rest / 100),
        digit(rest / 10),
        digit(rest),
    ];
    out.ascii(&text, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        assert_eq!(parse(b"[%clk 0:11:55.120] x"), Some((715_120, 18)));
        assert_eq!(parse(b"[%clk 9:59:59.999]"), Some((35_999_999, 18)));
        assert_eq!(parse(b"[%clk 0:11:29]"), Some((689_000, 14)));
        assert_eq!(parse(b"[%clk 999999999:00:00]"), Some((3_599_999_996_400_000, 22)));
        let no_clocks = [
            "[%clk 1:2:3]",
            "[%clk 0:60:00]",
            "[%clk 0:60:00.000]",
            "[%clk 0:00:60.000]",
            "[%clk 0:00:00.00:]",
            "[%clk /:00:00.000]",
            "[%clk 0:00:00.000}",
            "[%clk 0:00:00,000]",
            "[%clk 0:11:29.5]",
            "[%clk 11:29]",
            "[%clk 1000000000:00:00]",
            "[%clk  0:11:29]",
            "[%clk :11:29]",
            "[%clk 0:11:29",
            "[%clk 0:11:29.1234]",
            "[%clk 0:1a:29]",
            "[%clk ñ:11:29]",
        ];
        for text in no_clocks {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        for text in ["", "0:11:29]", " 0:11:29", "0:11:29 ", "0:11:29]x[%clk 0:11:29", "11:29"] {
            assert_eq!(parse_bare(text), None, "{text}");
        }
    }

    #[test]
    fn found_in_a_comment() {
        assert_eq!(find("nota [x] [%clk 0:00:01] más"), Some((9, 1000, 23)));
        assert_eq!(find("[%clk [%clk 0:00:01.500]"), Some((6, 1500, 24)));
        assert_eq!(find("nota"), None);
    }

    #[test]
    fn written_as_read() {
        for millis in [0, 1, 999, 1000, 59_999, 60_000, 3_600_000, 715_120, MOST] {
            let mut text = String::from(OPEN);
            write(millis, &mut text).unwrap();
            text.push(']');
            assert_eq!(parse(text.as_bytes()), Some((millis, text.len())));
            assert_eq!(parse_bare(&text[OPEN.len()..text.len() - 1]), Some(millis));
        }
    }
}
