//! The message catalogue of pictures, in Spanish and in English.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use quipu_referee::{
    Lang,
    messages::{self, Text},
};

static MESSAGES: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    toml::from_str(include_str!("messages.toml")).expect("our own words have the shape that this module reads")
});

/// A message. A key that is missing gives an empty text in release builds; a test looks up every key in use.
pub(super) fn say(key: &str, lang: Lang) -> &'static str {
    debug_assert!(MESSAGES.contains_key(key), "no words for {key}");
    MESSAGES.get(key).map_or("", |text| text.get(lang))
}

/// A message with its placeholders filled.
pub(super) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    messages::fill(say(key, lang), |name| {
        values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string())
    })
}

/// All messages.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static Text> {
    MESSAGES.values()
}
