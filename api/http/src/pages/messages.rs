//! The message catalogue of the pages, in Spanish and in English.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use quipu_referee::{
    Lang,
    messages::{self, Text},
};

static MESSAGES: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    toml::from_str(include_str!("messages.toml")).expect("our own words have the shape that this module reads")
});

/// The text of a key. A missing one is empty; a test walks all keys.
pub(super) fn say(key: &str, lang: Lang) -> &'static str {
    debug_assert!(MESSAGES.contains_key(key), "no words for {key}");
    MESSAGES.get(key).map_or("", |text| text.get(lang))
}

/// The same with values for its placeholders.
pub(super) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    messages::fill(say(key, lang), |name| {
        values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string())
    })
}
