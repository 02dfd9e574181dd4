//! The message catalogues of the service in Spanish and in English: `problems.toml` for its codes, `messages.toml` for its
//! routes, parameters and fields.

use std::{collections::BTreeMap, sync::LazyLock};

use quipu_referee::{
    Lang,
    messages::{Text, TextCatalog},
};

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeWords {
    /// The meaning in one line.
    pub(crate) title: Text,
    /// Sentences by variant, with `{placeholders}`.
    pub(crate) detail: BTreeMap<String, Text>,
    /// The correction.
    pub(crate) right: Text,
}

static MESSAGES: TextCatalog = TextCatalog::new(include_str!("messages.toml"));

static CODES: LazyLock<BTreeMap<String, CodeWords>> = LazyLock::new(|| {
    toml::from_str(include_str!("problems.toml")).expect("our own words have the shape that this module reads")
});

/// The words of a code of the service.
pub(super) fn code_words(id: &str) -> Option<&'static CodeWords> {
    CODES.get(id)
}

/// The text of a key, if there is one.
pub(super) fn find(key: &str, lang: Lang) -> Option<&'static str> {
    MESSAGES.find(key, lang)
}

/// The text of a key that must exist.
pub(super) fn get(key: &str, lang: Lang) -> &'static str {
    MESSAGES.say(key, lang)
}

/// Every code that has words.
#[cfg(test)]
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    CODES.keys().map(String::as_str)
}
