//! The words of this crate in Spanish and English. Only this module turns facts into sentences.

use std::borrow::Cow;

use quipu_referee::{
    Lang,
    messages::{Rows, Text, fill, row},
};

use crate::fault::Fault;

/// Words by their keys, and sentences by codes.
#[derive(Debug)]
pub struct Catalog {
    words: Rows<Text>,
    sentences: Rows<Text>,
}

static CATALOG: Catalog = include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// The words.
pub fn catalog() -> &'static Catalog {
    &CATALOG
}

impl Catalog {
    /// A word. A missing one shows as its key.
    pub fn word<'k>(&'k self, key: &'k str, lang: Lang) -> &'k str {
        row(self.words, key).map_or(key, |text| text.get(lang))
    }

    /// Words by their keys.
    pub fn words(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.words.iter().map(|(key, text)| (*key, text))
    }

    /// Sentences by their codes.
    pub fn sentences(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.sentences.iter().map(|(code, text)| (*code, text))
    }

    /// A fault as a sentence.
    pub fn fault(&self, fault: &Fault, lang: Lang) -> String {
        let Some(template) = row(self.sentences, fault.code.id) else { return fault.code.id.to_owned() };
        fill(template.get(lang), |name| {
            let (_, value) = fault.facts.iter().find(|(fact, _)| *fact == name)?;
            // Keys of words, and ids of records.
            Some(match name {
                "field" | "name" | "status" | "what" => self.word(value, lang).to_owned(),
                "records" => value.split(", ").map(short).collect::<Vec<_>>().join(", "),
                _ => value.clone(),
            })
        })
    }
}

/// The beginning of an id, which is enough for `quipu archive show`.
fn short(id: &str) -> String {
    id.get(..12).map_or_else(|| id.to_owned(), |start| format!("{start}…"))
}
