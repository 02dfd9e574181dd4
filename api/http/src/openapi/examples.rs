//! Examples of requests and responses: real ones, which a test records and compares.

use std::{collections::BTreeMap, sync::LazyLock};

use quipu_referee::Lang;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A request to a route, and the responses to it. Long texts and lists are cut.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Example {
    /// Path and query of the request.
    pub(crate) path: String,
    /// Bodies by media type.
    #[serde(default)]
    pub(crate) body: Map<String, Value>,
    /// Successful responses by status and media type.
    #[serde(default)]
    pub(crate) answers: BTreeMap<String, Map<String, Value>>,
}

type Examples = BTreeMap<String, Example>;

static SPANISH: LazyLock<Examples> = LazyLock::new(|| read(include_str!("examples.es.json")));
static ENGLISH: LazyLock<Examples> = LazyLock::new(|| read(include_str!("examples.en.json")));

fn read(text: &str) -> Examples {
    serde_json::from_str(text).expect("our own examples have the shape that this module reads")
}

/// The example of a route by its id, with responses in a language.
pub(crate) fn example(route: &str, lang: Lang) -> Option<&'static Example> {
    match lang {
        Lang::Es => SPANISH.get(route),
        Lang::En => ENGLISH.get(route),
    }
}
