//! A change of the archive as answers write it.

use chrono::{DateTime, SecondsFormat, Utc};
use quipu_referee::report;
use schemars::JsonSchema;
use serde::Serialize;

use quipu_archive::model::{self, Id, Number};

/// One thing that happened.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Change {
    /// Its number.
    #[schemars(range(min = 1))]
    number: Number,
    /// When it was stored.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// What it was.
    #[schemars(extend("enum" = super::enum_values::kinds()))]
    kind: &'static str,
    /// The name of the token or program that handed it in.
    submitter: String,
    /// Who decided it, where that is said.
    author: Option<String>,
    /// Why, where that is said.
    reason: Option<String>,
    /// The record that it brought or is about.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    record: Option<String>,
    /// Of a correction, the record that was corrected.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    corrects: Option<String>,
    /// Of a merge, the name that is merged.
    name: Option<String>,
    /// Of a merge, the name that it is merged into.
    into: Option<String>,
    /// Of an undo, the change that was undone.
    #[schemars(range(min = 1))]
    undoes: Option<Number>,
    /// The change that undid it, if one did.
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

/// A time as all answers write it.
pub(super) fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
