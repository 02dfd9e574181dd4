//! Times of `OpenTafl`: `300 30/3 5i`.

use crate::record::text::is_space;

/// A time as `OpenTafl` writes it: `300 30/3 5i` is 300 seconds, three times 30 more, and 5 with each move.
#[derive(Clone, Copy)]
pub(super) struct Time {
    pub(super) seconds: u64,
    /// Bytes of the seconds.
    pub(super) digits: usize,
    /// Bytes of the whole time.
    pub(super) length: usize,
    /// There is neither overtime nor increment.
    pub(super) plain: bool,
    /// More than the seconds is written.
    full: bool,
}

impl Time {
    /// The most digits of a number.
    const DIGITS: usize = 9;

    /// Reads a time at the beginning of a text, followed by white space or nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (seconds, after) = Self::number(text)?;
        let (mut plain, mut rest) = (true, after);
        if let Some((each, behind)) = rest.strip_prefix(' ').and_then(Self::number)
            && let Some((times, behind)) = behind.strip_prefix('/').and_then(Self::number)
        {
            plain = each == 0 || times == 0;
            rest = behind;
        }
        if let Some((increment, behind)) = rest.strip_prefix(' ').and_then(Self::number)
            && let Some(behind) = behind.strip_prefix('i')
        {
            plain &= increment == 0;
            rest = behind;
        }
        let (digits, length) = (text.len() - after.len(), text.len() - rest.len());
        let ends = rest.bytes().next().is_none_or(is_space);
        ends.then_some(Self { seconds, digits, length, plain, full: digits < length })
    }

    /// The clock at the beginning of a comment, if it is unambiguous and a record can express it. `plain_time` is true if the
    /// time control of the replay has neither overtimes nor an increment, and nothing without a time control.
    pub(super) fn clock(comment: &str, plain_time: Option<bool>) -> Option<Self> {
        let time = Self::parse(comment)?;
        let is_sure = time.full || (time.length == comment.len() && plain_time.is_some());
        (is_sure && time.plain && plain_time != Some(false)).then_some(time)
    }

    fn number(text: &str) -> Option<(u64, &str)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number = text[..digits].parse().ok().filter(|_| digits <= Self::DIGITS)?;
        Some((number, &text[digits..]))
    }
}
