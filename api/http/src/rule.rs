//! A code of the referee or of the service, with its law, its correction and an example.

use quipu_referee::{
    Lang, Severity,
    code::Source,
    codes,
    messages::{self, catalog},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{messages::code_words, problem::CODES};

/// A code with everything known about it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Rule {
    pub(crate) code: &'static str,
    /// `error`, `warning` or `advice`.
    pub(crate) severity: &'static str,
    /// The meaning in one line.
    pub(crate) title: String,
    /// The source of the law: `article`, `ruling`, `follows`, `format` or `service`.
    pub(crate) source: &'static str,
    /// The article or ruling, if there is one.
    pub(crate) article: Option<&'static str>,
    /// The text of the law in both languages; null for codes of the service.
    pub(crate) law: Option<Law>,
    /// The correction.
    pub(crate) right: String,
    /// An example that triggers it, with its correction; null for codes of the service.
    pub(crate) example: Option<Example>,
    /// The HTTP status of a response with the code; null for a warning.
    pub(crate) status: Option<u16>,
}

/// A law in both languages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Law {
    pub(crate) es: String,
    pub(crate) en: String,
}

/// An example of a code: a record, or a position with or without a move in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Example {
    pub(crate) record: Option<String>,
    pub(crate) position: Option<String>,
    /// A move in it.
    pub(crate) token: Option<String>,
    /// The correction: a record, a position or a move.
    pub(crate) right: String,
}

impl Rule {
    /// The code of the referee or of the service with this id.
    pub(crate) fn find(id: &str, lang: Lang) -> Option<Self> {
        let Some(code) = codes::find(id) else { return Self::of_service(id, lang) };
        let words = catalog().code(code)?;
        let (source, article) = match code.source {
            Source::Article(article) => ("article", Some(article)),
            Source::Ruling(ruling) => ("ruling", Some(ruling)),
            Source::Follows(article) => ("follows", Some(article)),
            Source::Format => ("format", None),
        };
        let messages::Example { record, position, token, right } = words.example;
        let [record, position, token] = [record, position, token].map(|text| text.map(str::to_owned));
        Some(Self {
            code: code.id,
            severity: code.severity.as_str(),
            title: words.title.get(lang).to_owned(),
            source,
            article,
            law: Some(Law { es: words.law.es.to_string(), en: words.law.en.to_string() }),
            right: words.right.get(lang).to_owned(),
            example: Some(Example { record, position, token, right: right.to_owned() }),
            status: (code.severity == Severity::Error).then_some(422),
        })
    }

    fn of_service(id: &str, lang: Lang) -> Option<Self> {
        let code = CODES.iter().find(|code| code.id == id)?;
        let words = code_words(id)?;
        Some(Self {
            code: code.id,
            severity: Severity::Error.as_str(),
            title: words.title.get(lang).to_owned(),
            source: "service",
            article: None,
            law: None,
            right: words.right.get(lang).to_owned(),
            example: None,
            status: Some(code.status),
        })
    }
}
