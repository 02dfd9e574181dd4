//! Pages of lists: their JSON, their cursors, and the addresses of the next page.

use quipu_archive::store::cursor_text;
use schemars::JsonSchema;
use serde::Serialize;

use super::params;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List", deny_unknown_fields)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    /// Start of the next page, if there is one: the value of `cursor` or, in lists by number, of `since`.
    pub(crate) next: Option<String>,
}

/// The address of a request, from which the addresses of further pages are made.
pub(crate) struct Address {
    path: String,
    query: String,
}

impl Address {
    pub(super) fn new(path: &str, query: &str) -> Self {
        Self { path: path.to_owned(), query: query.to_owned() }
    }

    /// The address of the page that starts at a cursor.
    pub(crate) fn next_page(&self, cursor: &impl Serialize) -> Option<String> {
        cursor_text(cursor).map(|cursor| self.with("cursor", &cursor))
    }

    /// The same address with another value of one parameter.
    pub(super) fn with(&self, name: &str, value: &str) -> String {
        let mut query = params::without(&self.query, name);
        query.push(format!("{name}={}", params::encoded(value)));
        format!("{}?{}", self.path, query.join("&"))
    }
}
