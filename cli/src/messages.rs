//! The message catalogue of this program, in Spanish and in English.

use std::{collections::BTreeMap, iter, sync::LazyLock};

use quipu_referee::{Lang, messages::Text};

static MESSAGES: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/messages.json")))
        .expect("our own words have the shape that this module reads")
});

/// A message. A key that is missing gives an empty text in release builds; a test looks up every key in use.
pub(crate) fn get(key: &str, lang: Lang) -> &'static str {
    let row = row(key);
    debug_assert!(row.is_some(), "no words for {key}");
    row.map_or("", |text| text.get(lang))
}

/// The row of a key, or the row of its ending under `shared`: `archive.import.from` takes `shared.from`.
fn row(key: &str) -> Option<&'static Text> {
    let shared = || {
        let mut endings = iter::successors(key.split_once('.'), |(_, rest)| rest.split_once('.'));
        endings.find_map(|(_, ending)| MESSAGES.get(&format!("shared.{ending}")))
    };
    MESSAGES.get(key).or_else(shared)
}
