//! The message catalogue of pictures, in Spanish and in English.

use std::fmt;

use quipu_referee::{Lang, messages::TextCatalog};

static MESSAGES: TextCatalog = TextCatalog::new(include_str!("messages.toml"));

/// A message.
pub(super) fn say(key: &str, lang: Lang) -> &'static str {
    MESSAGES.say(key, lang)
}

/// A message with its placeholders filled.
pub(super) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    MESSAGES.fill(key, lang, values)
}

/// All messages.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static quipu_referee::messages::Text> {
    MESSAGES.texts().values()
}
