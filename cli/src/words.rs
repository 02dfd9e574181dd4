//! The message catalogue of this program, in Spanish and in English.

use std::{collections::BTreeMap, sync::LazyLock};

use quipu_referee::{Lang, words::Text};

static WORDS: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/words.json")))
        .expect("our own words have the shape that this module reads")
});

/// A message. A key that is missing gives an empty text in release builds; a test looks up every key in use.
pub(crate) fn get(key: &str, lang: Lang) -> &'static str {
    debug_assert!(WORDS.contains_key(key), "no words for {key}");
    WORDS.get(key).map_or("", |text| text.get(lang))
}
