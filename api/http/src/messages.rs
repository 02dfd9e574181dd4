//! The message catalogues of the service in Spanish and in English: `problems.toml` for its codes, `messages.toml` for its
//! routes, parameters and fields.

use std::{collections::BTreeMap, sync::LazyLock};

use quipu_referee::{Lang, messages::Text};

/// The words of a code.
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

static MESSAGES: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    toml::from_str(include_str!("messages.toml")).expect("our own words have the shape that this module reads")
});

static CODES: LazyLock<BTreeMap<String, CodeWords>> = LazyLock::new(|| {
    toml::from_str(include_str!("problems.toml")).expect("our own words have the shape that this module reads")
});

/// The words of a code of the service.
pub(super) fn code_words(id: &str) -> Option<&'static CodeWords> {
    CODES.get(id)
}

/// The text of a key, if there is one.
pub(super) fn find(key: &str, lang: Lang) -> Option<&'static str> {
    MESSAGES.get(key).map(|text| text.get(lang))
}

/// The text of a key that must exist. A missing one is empty; a test walks all keys.
pub(super) fn get(key: &str, lang: Lang) -> &'static str {
    let found = find(key, lang);
    debug_assert!(found.is_some(), "no words for {key}");
    found.unwrap_or_default()
}

/// Every code that has words.
#[cfg(test)]
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    CODES.keys().map(String::as_str)
}
