//! What commands about the archive tell programs, as JSON.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::store::StoredToken;

/// What became of records that were handed in together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Sources that were read.
    pub files: usize,
    /// Records that were read.
    pub read: u64,
    /// Those that were stored.
    pub new: u64,
    /// Those that were there before.
    pub duplicate: u64,
    /// Those that are incomplete, stored or not.
    pub incomplete: u64,
    /// Those that are rejected, stored or not.
    pub rejected: u64,
    /// Those that are unreadable, stored or not.
    pub unreadable: u64,
}

/// A token, without its secret; times as RFC 3339 has them, in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenReport<'t> {
    /// Its public part.
    pub id: &'t str,
    /// What it is called.
    pub name: &'t str,
    /// What it allows.
    pub scopes: Vec<&'static str>,
    /// When it was made.
    pub created: String,
    /// When it was revoked, if it was.
    pub revoked: Option<String>,
}

impl<'t> TokenReport<'t> {
    /// What is told of a token.
    pub fn new(token: &'t StoredToken) -> Self {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
        Self {
            id: &token.id,
            name: &token.name,
            scopes: token.scopes.iter().map(|scope| scope.as_str()).collect(),
            created: time(token.created),
            revoked: token.revoked.map(time),
        }
    }
}
