//! Messages and words in Spanish and English. Only this module turns facts into sentences.
//!
//! Words are in `messages.toml` files beside the rules, key by key in both languages.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{Code, Fact, Message, advice, code::Source, competition, drawing::Note, games, record};

/// A language that people read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// Spanish, the language of the sources.
    #[default]
    Es,
    /// English.
    En,
}

impl Lang {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Es, Self::En];

    /// The language of a tag by its beginning: `es`, `es_PE.UTF-8`, `en-GB`.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "es" => Some(Self::Es),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// Its tag.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es => "es",
            Self::En => "en",
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Spanish.
    pub es: String,
    /// English.
    pub en: String,
}

impl Text {
    /// In one language.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::Es => &self.es,
            Lang::En => &self.en,
        }
    }
}

/// The texts of a code.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CodeWords {
    /// One line.
    pub title: Text,
    /// The law.
    pub law: Text,
    /// The correct way.
    pub right: Text,
    /// The same in a scoresheet of rows and cells, where that is something else.
    #[serde(default)]
    pub cells: Option<Text>,
    /// An example that triggers it, and its correction.
    pub example: Example,
    /// Sentences by variant, with `{places}` for facts. Codes of relations between records have none: programs that compare
    /// records tell them in their own words.
    #[serde(default)]
    pub message: BTreeMap<String, Text>,
}

/// An example of a code. Either `record`, or `position` with or without `token`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// A record; in it `\xff` stands for the byte of that number.
    pub record: Option<String>,
    /// A position.
    pub position: Option<String>,
    /// A move in it.
    pub token: Option<String>,
    /// The correction: a record, a position or a move.
    pub right: String,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    words: BTreeMap<String, Text>,
    #[serde(default)]
    shared: BTreeMap<String, Text>,
    #[serde(flatten)]
    codes: BTreeMap<String, CodeWords>,
}

/// All words of this crate.
#[derive(Debug)]
pub struct Catalog {
    words: BTreeMap<String, Text>,
    shared: BTreeMap<String, Text>,
    codes: BTreeMap<String, CodeWords>,
}

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let mut catalog = Catalog { words: BTreeMap::new(), shared: BTreeMap::new(), codes: BTreeMap::new() };
    for source in [record::MESSAGES, advice::MESSAGES, competition::MESSAGES]
        .into_iter()
        .chain(games::ALL.iter().map(|game| game.messages()))
    {
        let file: File = serde_json::from_str(source).expect("our own words have the shape that this module reads");
        catalog.words.extend(file.words);
        catalog.shared.extend(file.shared);
        catalog.codes.extend(file.codes);
    }
    catalog
});

/// The words, read when first asked for.
pub fn catalog() -> &'static Catalog {
    &CATALOG
}

impl Catalog {
    /// A word. A missing one shows as its key.
    pub fn word<'k>(&'k self, key: &'k str, lang: Lang) -> &'k str {
        self.words.get(key).map_or(key, |text| text.get(lang))
    }

    /// Keys of all words.
    pub fn words(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.words.iter().map(|(key, text)| (key.as_str(), text))
    }

    /// The texts of a code.
    pub fn code(&self, code: &Code) -> Option<&CodeWords> {
        self.codes.get(code.id)
    }

    /// Every code with texts.
    pub fn codes(&self) -> impl Iterator<Item = (&str, &CodeWords)> {
        self.codes.iter().map(|(id, words)| (id.as_str(), words))
    }

    /// Sentences that codes of several games share, by variant.
    pub fn shared(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.shared.iter().map(|(variant, text)| (variant.as_str(), text))
    }

    /// The sentence of a message: its code's own, else a shared one.
    pub fn sentence(&self, message: &Message) -> Option<&Text> {
        let own = self.code(message.code).and_then(|words| words.message.get(message.variant));
        own.or_else(|| self.shared.get(message.variant))
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

/// Puts values into the `{places}` of a template; a place without a value stays as it is.
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
