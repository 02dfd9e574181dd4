//! A search in the full-text index.

/// Words that follow each other in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct TextMatch {
    /// The words, joined by spaces.
    pub(in crate::store) words: String,
    /// True if the last word may be the beginning of one.
    pub(in crate::store) is_prefix: bool,
}
