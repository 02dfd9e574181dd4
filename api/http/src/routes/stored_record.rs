//! Records that a request has stored: the outcome of the job, and the response.

use actix_web::http::StatusCode;
use quipu_referee::{Lang, Status, messages::catalog, report};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::idempotency::Executed;
use crate::{
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    schema::Verdict,
};
use quipu_archive::{
    model::{Attribution, Id, Judgement, Number, RecordState, Submission},
    receipts::Hex,
    store::{Added, Relations, StoreError, WriteTx},
};

/// A record that is in the archive.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Stored<'v> {
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// Number of the change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    #[schemars(extend("enum" = super::enum_values::statuses()))]
    status: &'static str,
    #[schemars(extend("enum" = super::enum_values::record_states()))]
    state: &'static str,
    /// The record of another sheet that counts for the same game, so that this one does not.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sheet_of: Option<String>,
    /// The first record that it contradicts.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    contradicts: Option<String>,
    verdict: Verdict<'v>,
}

/// A record that a job has stored or found.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RecordOutcome {
    id: Hex<32>,
    change: Number,
    state: RecordState,
    /// Number of the verdict in the response.
    verdict: Number,
    is_new: bool,
    /// True for a submission that is not verified, and stored all the same.
    is_refused: bool,
    /// The record that counts for the same game, if that is another.
    #[serde(default)]
    sheet_of: Option<Hex<32>>,
    /// The first record that it contradicts.
    #[serde(default)]
    contradicts: Option<Hex<32>>,
}

impl RecordOutcome {
    /// Adds a submission; none if it is not verified and `keep_refused` is false.
    pub(super) fn add(
        writing: &WriteTx<'_>,
        submission: &Submission,
        by: &Attribution,
        keep_refused: bool,
    ) -> Result<Option<Self>, StoreError> {
        let (change, state, is_new) = match writing.add(submission, by, keep_refused)? {
            Added::New(change) => (change, RecordState::Current, true),
            Added::AlreadyStored(change, state) => (change, state, false),
            Added::Refused => return Ok(None),
        };
        let verdict = if is_new { change } else { writing.current_verdict(change)? };
        let is_refused = submission.verdict.status != Status::Verified;
        let outcome = Self {
            id: Hex(submission.id),
            change,
            state,
            verdict,
            is_new,
            is_refused,
            sheet_of: None,
            contradicts: None,
        };
        outcome.related(writing, change).map(Some)
    }

    /// The same with the relations of the record of this number.
    fn related(self, writing: &WriteTx<'_>, number: Number) -> Result<Self, StoreError> {
        let Relations { sheet_of, contradicts } = writing.relations(number)?;
        let contradicts = contradicts.map(|found| Hex(found.earlier()));
        Ok(Self { sheet_of: sheet_of.map(Hex), contradicts, ..self })
    }

    /// A record as it is in the archive. `change` is that of the response; `is_new` if it was made by this job.
    pub(super) fn current(writing: &WriteTx<'_>, id: &Id, change: Number, is_new: bool) -> Result<Self, StoreError> {
        let missing = || StoreError::Corrupt(format!("change {change} is missing"));
        let (number, state) = writing.find(id)?.ok_or_else(missing)?;
        let verdict = writing.current_verdict(number)?;
        let (id, is_refused) = (Hex(*id), false);
        Self { id, change, state, verdict, is_new, is_refused, sheet_of: None, contradicts: None }
            .related(writing, number)
    }

    pub(super) fn status(&self) -> StatusCode {
        match (self.is_refused, self.is_new) {
            (true, _) => StatusCode::UNPROCESSABLE_ENTITY,
            (false, true) => StatusCode::CREATED,
            (false, false) => StatusCode::OK,
        }
    }
}

/// The response to a request that has stored or found a record. `submission` is that of the request.
pub(super) fn respond(
    context: &RequestContext,
    executed: &Executed<RecordOutcome>,
    submission: &Submission,
) -> HandlerResult {
    let RecordOutcome { id, change, state, verdict, is_new, is_refused, sheet_of, contradicts } = executed.outcome;
    let location = format!("/v1/records/{id}");
    if is_refused {
        let problem = refused(&submission.verdict, executed.lang())
            .extension("stored", &true)
            .extension("id", &id.to_string())
            .extension("change", &change)
            .extension("state", &state.as_str());
        return Ok(executed.problem(&problem, &location));
    }
    // The verdict of a new record is that of its submission. Others, and those of repeated requests, are read.
    let judgement = if is_new && verdict == change && !executed.is_replayed {
        Judgement::new(verdict, &submission.verdict)
    } else {
        let missing = || StoreError::Corrupt(format!("verdict {verdict} is missing"));
        context.read(|reading| reading.verdict(verdict)?.ok_or_else(missing))?
    };
    let stored = Stored {
        id: id.to_string(),
        change,
        status: judgement.status.as_str(),
        state: state.as_str(),
        sheet_of: sheet_of.map(|id| id.to_string()),
        contradicts: contradicts.map(|id| id.to_string()),
        verdict: Verdict(judgement.report(executed.lang())),
    };
    Ok(executed.json(Some(&location), &stored))
}

/// The problem of a submission that is not verified: the code of its first error, with the verdict.
pub(super) fn refused(verdict: &quipu_referee::Verdict, lang: Lang) -> Problem {
    let problem = match verdict.first_error() {
        Some(error) => Problem::refused(error.code(), catalog().message(&error.message, lang)),
        None => Problem::new(problem::INCOMPLETE).with("plies", verdict.plies.unwrap_or_default()),
    };
    problem.extension("verdict", &report::verdict(verdict, 1, lang))
}
