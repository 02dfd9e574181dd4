//! The message catalogue of the package, in Spanish and in English.

use std::fmt;

use quipu_referee::{Lang, messages::TextCatalog};

static MESSAGES: TextCatalog = TextCatalog::new(include_str!("messages.toml"));

/// A message with its placeholders filled. The key of an error is its code.
pub(crate) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    MESSAGES.fill(key, lang, values)
}
