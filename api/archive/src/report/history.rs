//! The history of a record, as JSON.

use quipu_notation::record::Format;
use quipu_referee::{
    Lang, Status,
    report::{VerdictReport, hex},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeReport, time};
use crate::{
    model::{Judgement, Number, RecordState},
    store::History,
};

/// A verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verdict<'v>(pub VerdictReport<'v>);

/// The history of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "History", deny_unknown_fields)]
pub struct HistoryReport<'h> {
    /// Its id.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// The change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    /// Time of storage.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Status of the verdict.
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    status: &'static str,
    /// State of the record.
    #[schemars(extend("enum" = RecordState::ALL.map(RecordState::as_str)))]
    state: &'static str,
    /// Format of the submission.
    #[schemars(extend("enum" = Format::ALL.map(Format::as_str)))]
    form: &'static str,
    /// Name of the token or program that submitted it.
    submitter: &'h str,
    /// Author of the decision, if given.
    author: Option<&'h str>,
    /// Reason of the decision, if given.
    reason: Option<&'h str>,
    /// The records that it replaces.
    #[schemars(inner(regex(pattern = "^[0-9a-f]{64}$")))]
    replaces: Vec<String>,
    /// The record that replaces it.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    replaced_by: Option<String>,
    /// The sheets of its game in the order of entry. The first of them counts; the list is empty if there is no other sheet.
    #[schemars(inner(regex(pattern = "^[0-9a-f]{64}$")))]
    sheets: Vec<String>,
    /// Its verdicts, the oldest first.
    verdicts: Vec<PastVerdict<'h>>,
    /// The changes that affected it, the oldest first.
    changes: Vec<ChangeReport>,
}

/// A stored record with its history, as commands print it.
#[derive(Debug, Serialize)]
pub struct RecordReport<'h, R> {
    #[serde(flatten)]
    history: HistoryReport<'h>,
    /// The record as JSON; null if it is unreadable.
    record: Option<R>,
}

impl<'h, R: Serialize> RecordReport<'h, R> {
    /// `record` is the record as the format JSON writes it.
    pub fn new(history: HistoryReport<'h>, record: Option<R>) -> Self {
        Self { history, record }
    }
}

/// A verdict on the record, current or past.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PastVerdict<'h> {
    /// The change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    /// Time of the verdict.
    #[schemars(extend("format" = "date-time"))]
    at: Option<String>,
    /// Edition of the rules.
    edition: u32,
    /// Version of the program.
    program: &'h str,
    /// The verdict.
    verdict: Verdict<'h>,
}

impl<'h> HistoryReport<'h> {
    /// The report of a history; `form` is the format of the submission.
    pub fn new(history: &'h History, form: Format, lang: Lang) -> Self {
        let History { card, by, judgements, changes, sheets } = history;
        let at = |judgement: &Judgement| {
            changes.iter().find(|change| change.number == judgement.number).map(|change| time(change.at))
        };
        let verdicts = judgements.iter().map(|judgement| PastVerdict {
            change: judgement.number,
            at: at(judgement),
            edition: judgement.edition,
            program: &judgement.program,
            verdict: Verdict(judgement.report(lang)),
        });
        Self {
            id: hex(&card.id),
            change: card.number,
            at: time(card.at),
            status: card.status.as_str(),
            state: card.state.as_str(),
            form: form.as_str(),
            submitter: &by.submitter,
            author: by.author.as_deref(),
            reason: by.reason.as_deref(),
            replaces: history.replaces().map(|old| hex(&old)).collect(),
            replaced_by: history.replaced_by().map(|new| hex(&new)),
            sheets: sheets.iter().map(|(_, id)| hex(id)).collect(),
            verdicts: verdicts.collect(),
            changes: changes.iter().cloned().map(ChangeReport::from).collect(),
        }
    }
}
