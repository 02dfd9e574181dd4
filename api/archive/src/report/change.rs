//! A change of the archive in JSON.

use quipu_referee::report::hex;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CardReport, time};
use crate::model::{Card, Change, ChangeKind, Id, Number};

/// A change of the archive.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Change", deny_unknown_fields)]
pub struct ChangeReport {
    /// Change number, from 1, in the order of entry.
    #[schemars(range(min = 1))]
    number: Number,
    /// Time of storage.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Kind of the change.
    #[schemars(extend("enum" = ChangeKind::ALL.map(ChangeKind::as_str)))]
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
    /// The tournament, of a change that creates or changes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    tournament: Option<Number>,
    /// The undone change, of an undo.
    #[schemars(range(min = 1))]
    undoes: Option<Number>,
    /// The change that undid it, if there is one.
    #[schemars(range(min = 1))]
    undone_by: Option<Number>,
}

/// A change with the record that it is about, as the feed and webhooks have it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "News")]
pub struct NewsReport {
    change: ChangeReport,
    /// The record that it is about, in its current state.
    record: Option<CardReport>,
}

impl NewsReport {
    /// A change with the current card of its record, if it is about one.
    pub fn new(change: Change, card: Option<Card>) -> Self {
        Self { change: change.into(), record: card.map(CardReport::from) }
    }
}

impl From<Change> for ChangeReport {
    fn from(change: Change) -> Self {
        let id = |id: Option<Id>| id.map(|id| hex(&id));
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
            tournament: change.tournament,
            undoes: change.undoes,
            undone_by: change.undone_by,
        }
    }
}
