//! JSON output of the archive commands.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::store::StoredToken;

/// Counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Files that were read.
    pub files: usize,
    /// Records that were read.
    pub read: u64,
    /// Records that were stored.
    pub new: u64,
    /// Records that the archive had before.
    pub duplicate: u64,
    /// Incomplete records, stored or not.
    pub incomplete: u64,
    /// Rejected records, stored or not.
    pub rejected: u64,
    /// Unreadable records, stored or not.
    pub unreadable: u64,
    /// New records that are further sheets of a game, and so do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub sheets: u64,
    /// New records that contradict one before them.
    #[serde(skip_serializing_if = "is_zero")]
    pub contradictions: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A token without its secret. Times are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenReport<'t> {
    /// Its public id.
    pub id: &'t str,
    /// Its name.
    pub name: &'t str,
    /// Its scopes.
    pub scopes: Vec<&'static str>,
    /// Time of its creation.
    pub created: String,
    /// Time of its revocation, if it was revoked.
    pub revoked: Option<String>,
}

impl<'t> TokenReport<'t> {
    /// The report of a stored token.
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
