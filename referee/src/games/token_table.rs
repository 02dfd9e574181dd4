//! Tables that canonical tokens are cut from: putting tokens together sign by sign takes longer than playing them.

/// A table of tokens as text.
pub(super) const fn ascii(signs: &[u8]) -> &str {
    match str::from_utf8(signs) {
        Ok(tokens) => tokens,
        Err(_) => panic!("tokens are ASCII"),
    }
}
