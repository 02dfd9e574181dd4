//! The message catalogue of the package, in Spanish and in English.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use quipu_referee::{
    Lang,
    messages::{self, Text},
};

static MESSAGES: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    toml::from_str(include_str!("messages.toml")).expect("our own words have the shape that this module reads")
});

/// A message with its placeholders filled. The key of an error is its code.
pub(crate) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    debug_assert!(MESSAGES.contains_key(key), "no words for {key}");
    let text = MESSAGES.get(key).map_or("", |text| text.get(lang));
    messages::fill(text, |name| values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string()))
}
