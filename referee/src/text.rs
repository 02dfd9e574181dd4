//! Texts in both languages, as the build script makes them constants of each `messages.toml`.

use std::borrow::Cow;

use serde::Deserialize;

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
    pub es: Cow<'static, str>,
    /// English.
    pub en: Cow<'static, str>,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeWords {
    /// One line.
    pub title: Text,
    /// The law.
    pub law: Text,
    /// The correct way.
    pub right: Text,
    /// The same in a scoresheet of rows and cells, where that is something else.
    pub cells: Option<Text>,
    /// An example that triggers it, and its correction.
    pub example: Example,
    /// Sentences by variant, with `{places}` for facts. Codes of relations between records have none: programs that compare
    /// records tell them in their own words.
    pub message: Rows<Text>,
}

/// An example of a code. Either `record`, or `position` with or without `token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// A record; in it `\xff` stands for the byte of that number.
    pub record: Option<&'static str>,
    /// A position.
    pub position: Option<&'static str>,
    /// A move in it.
    pub token: Option<&'static str>,
    /// The correction: a record, a position or a move.
    pub right: &'static str,
}

/// Rows in the order of their keys.
pub type Rows<T> = &'static [(&'static str, T)];

/// The row of a key.
pub fn row<T>(rows: Rows<T>, key: &str) -> Option<&'static T> {
    let at = rows.binary_search_by_key(&key, |(key, _)| key).ok()?;
    Some(&rows[at].1)
}

/// The texts of one `messages.toml`.
#[derive(Debug)]
pub struct Messages {
    /// Words.
    pub words: Rows<Text>,
    /// Sentences that codes of several games share, by variant.
    pub shared: Rows<Text>,
    /// Texts of codes.
    pub codes: Rows<CodeWords>,
}
