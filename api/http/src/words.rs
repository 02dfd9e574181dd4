//! The words of the service, in Spanish and in English: of its codes (`messages.toml`), and of its routes, parameters,
//! fields and pages (`words.toml`).

use std::{collections::BTreeMap, sync::LazyLock};

use quipu_referee::{Lang, words::Text};

use super::{params::Param, problem, routes::Route};

static WORDS: LazyLock<BTreeMap<String, Text>> = LazyLock::new(|| {
    toml::from_str(include_str!("words.toml")).expect("our own words have the shape that this module reads")
});

static CODES: LazyLock<BTreeMap<String, problem::Words>> = LazyLock::new(|| {
    toml::from_str(include_str!("messages.toml")).expect("our own words have the shape that this module reads")
});

/// What is said of a code of the service.
pub(super) fn code(id: &str) -> Option<&'static problem::Words> {
    CODES.get(id)
}

/// A word, line or paragraph, if there is one.
pub(super) fn find(key: &str, lang: Lang) -> Option<&'static str> {
    WORDS.get(key).map(|text| text.get(lang))
}

/// The same where there must be one. What is missing shows as nothing; a test walks all that are asked for.
pub(super) fn get(key: &str, lang: Lang) -> &'static str {
    let found = find(key, lang);
    debug_assert!(found.is_some(), "no words for {key}");
    found.unwrap_or_default()
}

/// Every code of the service that something is said of.
#[cfg(test)]
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    CODES.keys().map(String::as_str)
}

/// What a parameter of a route is for.
pub(super) fn param(route: &Route, param: &Param, lang: Lang) -> Option<&'static str> {
    let own = format!("param.{}.{}", route.id, param.name);
    find(&own, lang).or_else(|| find(&format!("param.{}", param.name), lang))
}
