//! Tables of canonical tokens: assembling a token character by character takes longer than playing it.

/// A table of tokens as text.
pub(super) const fn ascii(signs: &[u8]) -> &str {
    match str::from_utf8(signs) {
        Ok(tokens) => tokens,
        Err(_) => panic!("tokens are ASCII"),
    }
}
