//! A change of the archive as responses contain it.

use chrono::{DateTime, SecondsFormat, Utc};
use quipu_referee::report;
use schemars::JsonSchema;
use serde::Serialize;

use quipu_archive::model::{self, Id, Number};

/// A change of the archive.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Change {
    /// Its number.
    #[schemars(range(min = 1))]
    number: Number,
    /// Time of storage.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Kind of the change.
    #[schemars(extend("enum" = super::enum_values::kinds()))]
    kind: &'static str,
    /// Name of the token or program that submitted it.
    submitter: String,
    /// Author of the decision, if given.
    author: Option<String>,
    /// Reason of the decision, if given.
    reason: Option<String>,
    /// The record that it added or changed.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    record: Option<String>,
    /// The corrected record, of a correction.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    corrects: Option<String>,
    /// The merged name, of a merge.
    name: Option<String>,
    /// The name that remains, of a merge.
    into: Option<String>,
    /// The undone change, of an undo.
    #[schemars(range(min = 1))]
    undoes: Option<Number>,
    /// The change that undid it, if there is one.
    #[schemars(range(min = 1))]
    undone_by: Option<Number>,
}

impl From<model::Change> for Change {
    fn from(change: model::Change) -> Self {
        let id = |id: Option<Id>| id.map(|id| report::hex(&id));
        let (name, into) = change.names.map(|[name, into]| (name, into)).unzip();
        Self {
            number: change.number,
            at: time(change.at),
            kind: change.kind.as_str(),
            submitter: change.by.submitter,
            author: change.by.author,
            reason: change.by.reason,
            record: id(change.record),
            corrects: id(change.corrects),
            name,
            into,
            undoes: change.undoes,
            undone_by: change.undone_by,
        }
    }
}

/// A time in RFC 3339 with milliseconds.
pub(super) fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
