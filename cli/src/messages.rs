//! The message catalogue of this program, in Spanish and in English.

use std::{borrow::Cow, iter};

use quipu_referee::{
    Lang,
    messages::{self, Rows, Text},
};

/// A constant, because reading the catalogue took a good part of a short run.
static MESSAGES: Rows<Text> = include!(concat!(env!("OUT_DIR"), "/messages.rs"));

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
        endings.find_map(|(_, ending)| messages::row(MESSAGES, &format!("shared.{ending}")))
    };
    messages::row(MESSAGES, key).or_else(shared)
}
