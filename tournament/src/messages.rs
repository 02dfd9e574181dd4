//! The words of this crate in Spanish and English. Only this module turns facts into sentences.

use std::{collections::BTreeMap, sync::LazyLock};

use quipu_referee::{
    Lang,
    messages::{Text, fill},
};
use serde::Deserialize;

use crate::fault::Fault;

/// All words, as JSON.
const MESSAGES: &str = include_str!(concat!(env!("OUT_DIR"), "/messages.json"));

/// Words by their keys, and sentences by codes.
#[derive(Debug, Deserialize)]
pub struct Catalog {
    words: BTreeMap<String, Text>,
    sentences: BTreeMap<String, Text>,
}

static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| serde_json::from_str(MESSAGES).expect("our own words have the shape that this module reads"));

/// The words, read when first asked for.
pub fn catalog() -> &'static Catalog {
    &CATALOG
}

impl Catalog {
    /// A word. A missing one shows as its key.
    pub fn word<'k>(&'k self, key: &'k str, lang: Lang) -> &'k str {
        self.words.get(key).map_or(key, |text| text.get(lang))
    }

    /// Words by their keys.
    pub fn words(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.words.iter().map(|(key, text)| (key.as_str(), text))
    }

    /// Sentences by their codes.
    pub fn sentences(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.sentences.iter().map(|(code, text)| (code.as_str(), text))
    }

    /// A fault as a sentence.
    pub fn fault(&self, fault: &Fault, lang: Lang) -> String {
        let Some(template) = self.sentences.get(fault.code.id) else { return fault.code.id.to_owned() };
        fill(template.get(lang), |name| {
            let (_, value) = fault.facts.iter().find(|(fact, _)| *fact == name)?;
            // These two are keys of words; all others show as they are.
            let is_key = matches!(name, "field" | "name");
            Some(if is_key { self.word(value, lang).to_owned() } else { value.clone() })
        })
    }
}
