//! Messages and words in Spanish and English. Only this module turns facts into sentences.
//!
//! Words are in `messages.toml` files beside the rules, key by key in both languages. The build script makes each of them a
//! constant, because reading them took a good part of a short run.

use std::{collections::BTreeMap, fmt, sync::OnceLock};

use crate::{Code, Fact, Message, advice, code::Source, competition, drawing::Note, games, record};

pub use crate::text::{CodeWords, Example, Lang, Messages, Rows, Text, row};

/// All words of this crate.
#[derive(Debug)]
pub struct Catalog(());

static CATALOG: Catalog = Catalog(());

/// All words of this crate.
pub fn catalog() -> &'static Catalog {
    &CATALOG
}

/// The texts of each `messages.toml`.
fn files() -> impl Iterator<Item = &'static Messages> {
    let shared = [&record::MESSAGES, &advice::MESSAGES, &competition::MESSAGES];
    shared.into_iter().chain(games::ALL.iter().map(|game| game.messages()))
}

impl Catalog {
    /// A word. A missing one shows as its key.
    pub fn word<'k>(&'k self, key: &'k str, lang: Lang) -> &'k str {
        files().find_map(|file| row(file.words, key)).map_or(key, |text| text.get(lang))
    }

    /// All words by their keys.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, &'static Text)> {
        files().flat_map(|file| file.words).map(|(key, text)| (*key, text))
    }

    /// The texts of a code.
    pub fn code(&self, code: &Code) -> Option<&'static CodeWords> {
        files().find_map(|file| row(file.codes, code.id))
    }

    /// Every code with texts.
    pub fn codes(&self) -> impl Iterator<Item = (&'static str, &'static CodeWords)> {
        files().flat_map(|file| file.codes).map(|(id, words)| (*id, words))
    }

    /// Sentences that codes of several games share, by variant.
    pub fn shared(&self) -> impl Iterator<Item = (&'static str, &'static Text)> {
        files().flat_map(|file| file.shared).map(|(variant, text)| (*variant, text))
    }

    /// The sentence of a message: its code's own, else a shared one.
    pub fn sentence(&self, message: &Message) -> Option<&'static Text> {
        let own = self.code(message.code).and_then(|words| row(words.message, message.variant));
        own.or_else(|| files().find_map(|file| row(file.shared, message.variant)))
    }

    /// A message as a sentence.
    pub fn message(&self, message: &Message, lang: Lang) -> String {
        let Some(template) = self.sentence(message) else { return message.code.id.to_owned() };
        fill(template.get(lang), |name| {
            let (_, fact) = message.facts.iter().find(|(fact, _)| *fact == name)?;
            Some(self.fact(fact, lang))
        })
    }

    /// The source of a code in words: an article, a ruling of this project, or its record format.
    pub fn source(&self, code: &Code, lang: Lang) -> String {
        let (key, place) = match code.source {
            Source::Article(article) => ("law.article", article),
            Source::Follows(article) => ("law.follows", article),
            Source::Ruling(ruling) => ("law.ruling", ruling),
            Source::Format => ("law.format", ""),
        };
        fill(self.word(key, lang), |_| Some(place.to_owned()))
    }

    /// A sentence about a position.
    pub fn note(&self, (key, values): &Note, lang: Lang) -> String {
        fill(self.word(key, lang), |name| {
            let (_, fact) = values.iter().find(|(place, _)| *place == name)?;
            Some(self.fact(fact, lang))
        })
    }

    /// A value as a text.
    pub fn fact(&self, fact: &Fact, lang: Lang) -> String {
        match fact {
            Fact::Text(text) => text.clone(),
            Fact::Word(key) => self.word(key, lang).to_owned(),
            Fact::Message(message) => self.message(message, lang).trim_end_matches('.').to_owned(),
        }
    }
}

/// The texts of the `messages.toml` of another package, by their keys. They are read at their first use.
#[derive(Debug)]
pub struct TextCatalog {
    toml: &'static str,
    texts: OnceLock<BTreeMap<String, Text>>,
}

impl TextCatalog {
    /// For the contents of a file.
    pub const fn new(toml: &'static str) -> Self {
        Self { toml, texts: OnceLock::new() }
    }

    /// All texts by their keys.
    ///
    /// # Panics
    /// If the file has another shape, which a test of each package would show.
    pub fn texts(&self) -> &BTreeMap<String, Text> {
        self.texts.get_or_init(|| toml::from_str(self.toml).expect("our own words have the shape that this type reads"))
    }

    /// The text of a key, if there is one.
    pub fn find(&self, key: &str, lang: Lang) -> Option<&str> {
        self.texts().get(key).map(|text| text.get(lang))
    }

    /// The text of a key that must exist. A missing one is empty in release builds; tests look up every key in use.
    pub fn say(&self, key: &str, lang: Lang) -> &str {
        let found = self.find(key, lang);
        debug_assert!(found.is_some(), "no words for {key}");
        found.unwrap_or_default()
    }

    /// The same with values for its placeholders.
    pub fn fill(&self, key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
        fill(self.say(key, lang), |name| {
            values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string())
        })
    }
}

/// Puts values into the placeholders of a template, such as `{max}`; one without a value stays as it is.
pub fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        text.push_str(before);
        let filled = from.find('}').and_then(|close| Some((value(&from[1..close])?, close)));
        if let Some((filled, close)) = filled {
            text.push_str(&filled);
            rest = &from[close + 1..];
        } else {
            text.push('{');
            rest = &from[1..];
        }
    }
    text.push_str(rest);
    text
}
