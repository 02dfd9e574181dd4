//! The message catalogue of the pages, in Spanish and in English.

use std::fmt;

use quipu_referee::{Lang, messages::TextCatalog};

static MESSAGES: TextCatalog = TextCatalog::new(include_str!("messages.toml"));

pub(super) fn say(key: &str, lang: Lang) -> &'static str {
    MESSAGES.say(key, lang)
}

/// The same with values for its placeholders.
pub(super) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    MESSAGES.fill(key, lang, values)
}
