//! Move numbers: digits and dots.

/// A move number at the beginning of a run: its value, at most that of 64 bits, and its length.
#[inline]
pub(super) fn move_number(run: &[u8]) -> Option<(u64, usize)> {
    let (mut value, mut length) = (0_u64, 0);
    while let Some(digit) = run.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        value = value.saturating_mul(10).saturating_add(u64::from(digit));
        length += 1;
    }
    if length == 0 || run.get(length) != Some(&b'.') {
        return None;
    }
    length += run[length..].iter().take_while(|&&byte| byte == b'.').count();
    Some((value, length))
}
