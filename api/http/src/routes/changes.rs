//! Changes of the archive: their list, and the decisions of people: corrections, retractions, merges of players, and
//! undoing them. Each decision has a reason and is appended to the changes.

use std::sync::Arc;

use quipu_referee::{Lang, report};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::{
    change_filters::ChangeQuery,
    idempotency::{self, Job, JobError},
    ingest::{self, BodyFormat, single_record},
    shared::{IDEMPOTENCY, LIMIT, NUMBER, OF_EVENTS, OF_GAMES, OF_PLAYERS, OF_TOURNAMENT, RECORD, SINCE},
    stored_record::{self, RecordOutcome, Stored},
};
use crate::{
    auth::Bearer,
    endpoint::Endpoint,
    paging::List,
    params::MAX_NUMBER,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Access, Content, GET, Method, Response, Route},
};
use quipu_archive::{
    model::{self, Attribution, Id, Number, RecordState, SingleRecord, Submission, UnfitText},
    report::ChangeReport,
    store::{ListPage, ReadTx, Refusal, StoreError, WriteTx},
};
use quipu_options::Scope;

/// Access to decisions about stored records.
pub(super) const DECIDE: Access = Access::Scope(Scope::EventsAdmin);

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/records/{id}/corrections",
            id: "correct",
            group: "changes",
            access: DECIDE,
            params: &[RECORD, IDEMPOTENCY],
            body: &[Content::json::<Correction>()],
            responses: &[Response::created(&[Content::json::<Stored<'_>>()])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::CONFLICT, problem::INCOMPLETE, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(correct(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/records/{id}/retractions",
            id: "retract",
            group: "changes",
            access: DECIDE,
            params: &[RECORD, IDEMPOTENCY],
            body: &[Content::json::<Reason>()],
            responses: &[Response::created(&[Content::json::<ChangeReport>()])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(retract(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/changes",
            id: "changes",
            group: "changes",
            params: &[OF_GAMES, OF_EVENTS, OF_PLAYERS, OF_TOURNAMENT, SINCE, LIMIT],
            responses: &[Response::ok(&[Content::json::<List<ChangeReport>>()])],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/changes/{number}/undo",
            id: "undo",
            limited: true,
            group: "changes",
            access: DECIDE,
            params: &[NUMBER, IDEMPOTENCY],
            body: &[Content::json::<Reason>()],
            responses: &[Response::created(&[Content::json::<ChangeReport>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(undo(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/players/{number}/merges",
            id: "merge",
            group: "changes",
            access: DECIDE,
            params: &[NUMBER, IDEMPOTENCY],
            body: &[Content::json::<Merge>()],
            responses: &[Response::created(&[Content::json::<ChangeReport>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(merge(context)),
    },
];

/// JSON Schema pattern of a text that is not blank: it contains a character that is not white space
/// (`char::is_whitespace`).
pub(super) const NOT_BLANK: &str =
    r"[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";
/// The same, without characters that act on a terminal instead of being shown ([`quipu_referee::is_active`]).
pub(super) const LINE: &str = concat!(
    r"^[^\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]",
    r"[^\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"
);

/// A record that replaces another.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correction {
    /// One record, in any format.
    #[schemars(length(min = 1), regex(pattern = NOT_BLANK))]
    record: String,
    #[schemars(length(min = 1, max = Attribution::REASON), regex(pattern = NOT_BLANK))]
    reason: String,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// The reason of a decision.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    #[schemars(length(min = 1, max = Attribution::REASON), regex(pattern = NOT_BLANK))]
    reason: String,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// The player into which another is merged.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Merge {
    /// Its number, or its exact name.
    into: Player,
    #[schemars(length(min = 1, max = Attribution::REASON), regex(pattern = NOT_BLANK))]
    reason: String,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// A player, by number or by name.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the number or the name of a player")]
#[schemars(inline)]
enum Player {
    Number(
        #[serde(deserialize_with = "whole")]
        #[schemars(range(min = 1, max = MAX_NUMBER))]
        Number,
    ),
    Name(String),
}

/// A player number as JSON Schema counts whole numbers: `7.0` is one too.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
    let text = serde_json::Number::deserialize(deserializer)?.to_string();
    let number = text.strip_suffix(".0").unwrap_or(&text).parse().ok();
    number.filter(|number| (1..=MAX_NUMBER).contains(number)).ok_or_else(|| Error::custom("no number of a player"))
}

async fn index(context: RequestContext) -> HandlerResult {
    let (since, limit) = (context.number("since").unwrap_or_default(), context.limit());
    let query = ChangeQuery::of(&context)?;
    let is_all = query.is_all();
    let ask = move |reading: &ReadTx<'_>| reading.changes_about(&query.filter(reading)?, since, limit);
    let page = if is_all { context.read_page(limit, ask).await? } else { context.read_slowly(ask).await? };
    let ListPage { items, next } = page;
    Ok(context.page_since(items.into_iter().map(ChangeReport::from).collect(), next))
}

async fn correct(mut context: RequestContext) -> HandlerResult {
    let Correction { record, reason, author } = context.body_json().await?;
    let by = by(&context, Some(&reason), author)?;
    // The key is compared with the decoded values, however their JSON is written.
    let request = fingerprint(&(&record, &by.reason, &by.author));
    let submission = match context.work(move || single_record(record.as_bytes(), BodyFormat::default())).await? {
        SingleRecord::Nothing => return Err(ingest::nothing()),
        SingleRecord::Several => return Err(Problem::variant(problem::BODY, "several")),
        SingleRecord::One(submission) => *submission,
    };
    context.count_verdicts(submission.verdict.status, 1);
    let job = Arc::new(CorrectJob { id: context.record(), submission, by });
    match idempotency::execute(&context, &request, &job).await {
        Ok(executed) => stored_record::respond(&context, &executed, &job.submission),
        Err(error) => {
            let replacement = Some((&job.submission, context.lang));
            Err(error.into_problem(|refusal| refusal.into_problem(&report::hex(&job.id), replacement)))
        }
    }
}

async fn retract(mut context: RequestContext) -> HandlerResult {
    let (by, request) = reason(&mut context).await?;
    let id = context.record();
    decide(&context, &request, Decision::Retract(id), by, &report::hex(&id)).await
}

async fn merge(mut context: RequestContext) -> HandlerResult {
    let merge: Merge = context.body_json().await?;
    let request = fingerprint(&merge);
    let by = by(&context, Some(&merge.reason), merge.author)?;
    let player = context.path_number("number");
    decide(&context, &request, Decision::Merge { player, into: merge.into }, by, &player.to_string()).await
}

async fn undo(mut context: RequestContext) -> HandlerResult {
    let (by, request) = reason(&mut context).await?;
    let change = context.path_number("number");
    decide(&context, &request, Decision::Undo(change), by, &change.to_string()).await
}

/// Makes a decision, and responds with its change. `found` is the resource that the path names.
async fn decide(
    context: &RequestContext,
    request: &[u8],
    decision: Decision,
    by: Attribution,
    found: &str,
) -> HandlerResult {
    let job = Arc::new(DecideJob { bearer: context.bearer.clone(), decision, by });
    let executed = idempotency::execute(context, request, &job).await;
    let executed = executed.map_err(|error| error.into_problem(|refusal| refusal.into_problem(found, None)))?;
    let number = executed.outcome;
    let change = context.read(|reading| {
        let change = reading.changes(number - 1, 1)?.items.pop();
        change.ok_or_else(|| StoreError::Corrupt(format!("change {number} is missing")))
    })?;
    // A repeated request gets the change as it was, before it was undone.
    Ok(executed.json(None, &ChangeReport::from(model::Change { undone_by: None, ..change })))
}

/// A record to put in the place of another.
struct CorrectJob {
    id: Id,
    submission: Submission,
    by: Attribution,
}

impl Job for CorrectJob {
    type Output = RecordOutcome;
    type Refusal = ChangeRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<RecordOutcome, JobError<ChangeRefusal>> {
        let corrected = writing.correct(&self.id, &self.submission, &self.by);
        let change = corrected.map_err(|refusal| of_record(writing, &self.id, refusal))?;
        Ok(RecordOutcome::current(writing, &self.submission.id, change, true)?)
    }
}

/// A decision about the archive.
enum Decision {
    Retract(Id),
    Merge { player: Number, into: Player },
    Undo(Number),
}

struct DecideJob {
    bearer: Option<Bearer>,
    decision: Decision,
    by: Attribution,
}

impl Job for DecideJob {
    type Output = Number;
    type Refusal = ChangeRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<Number, JobError<ChangeRefusal>> {
        match &self.decision {
            Decision::Retract(id) => writing.retract(id, &self.by).map_err(|refusal| of_record(writing, id, refusal)),
            Decision::Merge { player, into } => {
                let name = name(writing, *player)?;
                let into = match into {
                    Player::Number(number) => self::name(writing, *number)?,
                    Player::Name(name) => name.clone(),
                };
                writing.merge(&name, &into, &self.by).map_err(|refusal| match refusal {
                    Refusal::SamePlayer => JobError::Refused(ChangeRefusal::SamePlayer(name)),
                    refusal => JobError::Refused(refusal.into()),
                })
            }
            Decision::Undo(change) => {
                // A token for a tournament does not undo its creation, whose number it has.
                let tournament = writing.tournament_of(*change)?.filter(|number| number != change);
                Bearer::checked(self.bearer.as_ref(), |bearer| bearer.may_direct(tournament))?;
                writing.undo(*change, &self.by).map_err(|refusal| JobError::Refused(refusal.into()))
            }
        }
    }
}

/// Name of a player.
fn name(reading: &ReadTx<'_>, number: Number) -> Result<String, JobError<ChangeRefusal>> {
    let player = reading.player(number)?;
    player.map(|player| player.name).ok_or(JobError::Refused(ChangeRefusal::NoPlayer(number)))
}

/// The refusal of a change of a record, with the record that has replaced it.
fn of_record(reading: &ReadTx<'_>, id: &Id, refusal: Refusal) -> JobError<ChangeRefusal> {
    match refusal {
        Refusal::NotCurrent(RecordState::Corrected) => match replacement_of(reading, id) {
            Ok(by) => JobError::Refused(ChangeRefusal::Corrected(by)),
            Err(error) => error.into(),
        },
        refusal => JobError::Refused(refusal.into()),
    }
}

/// The attribution in a body that has nothing else, and the bytes for its fingerprint.
async fn reason(context: &mut RequestContext) -> Result<(Attribution, Vec<u8>), Problem> {
    let reason: Reason = context.body_json().await?;
    let asked = fingerprint(&reason);
    Ok((by(context, Some(&reason.reason), reason.author)?, asked))
}

/// The values of a request as bytes, independent of the layout of its JSON.
pub(super) fn fingerprint(asked: &impl Serialize) -> Vec<u8> {
    // Writing to memory does not fail.
    serde_json::to_vec(asked).unwrap_or_default()
}

/// The attribution of a decision, checked.
pub(super) fn by(
    context: &RequestContext,
    reason: Option<&str>,
    author: Option<String>,
) -> Result<Attribution, Problem> {
    let wrong = |unfit| {
        let (variant, name, max) = match unfit {
            UnfitText::Reason => ("text", "reason", Attribution::REASON),
            UnfitText::Author => ("line", "author", Attribution::AUTHOR),
        };
        Problem::variant(problem::BODY, variant).with("name", name).with("max", max)
    };
    Attribution::decision(context.submitter(), reason, author).map_err(wrong)
}

/// The problem of a change that is not undone.
pub(crate) fn undo_refused(refusal: Refusal, change: Number) -> Problem {
    ChangeRefusal::Archive(refusal).into_problem(&change.to_string(), None)
}

/// The reason that a change is refused, with the facts of its problem.
enum ChangeRefusal {
    Archive(Refusal),
    /// No player has this number.
    NoPlayer(Number),
    /// The player with this name cannot be merged into itself.
    SamePlayer(String),
    /// The record was replaced by this one.
    Corrected(Id),
}

impl From<Refusal> for ChangeRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Archive(refusal)
    }
}

impl ChangeRefusal {
    /// The problem. `found` is the resource that the path names; `replacement` is the record of a correction with the language
    /// of the response. The extension `conflict` has the reason for programs.
    fn into_problem(self, found: &str, replacement: Option<(&Submission, Lang)>) -> Problem {
        let no = |variant| Problem::variant(problem::NOT_FOUND, variant).with("found", found);
        let conflict = |variant| Problem::variant(problem::CONFLICT, variant).extension("conflict", &variant);
        let its = |variant| conflict(variant).with("found", found);
        let refusal = match self {
            Self::Archive(refusal) => refusal,
            Self::NoPlayer(number) => return Problem::variant(problem::NOT_FOUND, "player").with("found", number),
            Self::SamePlayer(name) => return conflict("same-player").with_quoted("found", &name),
            Self::Corrected(by) => {
                let by = report::hex(&by);
                return its("corrected").with("by", &by).extension("corrected_by", &by);
            }
        };
        match (refusal, replacement) {
            (Refusal::Store(error), _) => error.into(),
            (Refusal::NoRecord, _) => no("record"),
            (Refusal::NoChange, _) => no("change"),
            (Refusal::NoPlayer(name), _) => Problem::variant(problem::NOT_FOUND, "name").with_quoted("found", &name),
            (Refusal::NotCurrent(_), _) => its("retracted"),
            (Refusal::SameRecord, _) => its("same"),
            (Refusal::AlreadyStored(state), Some((new, _))) => {
                let new = report::hex(&new.id);
                conflict("there").with("found", &new).extension("id", &new).extension("state", &state.as_str())
            }
            (Refusal::NotVerified, Some((new, lang))) => stored_record::refused(&new.verdict, lang),
            // Only a correction has a replacement, and only a merge is of one player. Changes of tournaments have their own refusals.
            (Refusal::AlreadyStored(_) | Refusal::NotVerified, None)
            | (
                Refusal::SamePlayer
                | Refusal::NoTournament
                | Refusal::TournamentExists(_)
                | Refusal::HasRecord { .. }
                | Refusal::NoReason
                | Refusal::ChangeTooLong(_),
                _,
            ) => Problem::new(problem::INTERNAL),
            (Refusal::AlreadyMerged(name, other), _) => {
                conflict("merged").with_quoted("found", &name).with_quoted("by", &other).extension("counts_as", &other)
            }
            (Refusal::NotUndoable(kind), _) => its("lasting").extension("kind", &kind.as_str()),
            (Refusal::AlreadyUndone(by), _) => its("undone").with("by", by).extension("undone_by", &by),
            (Refusal::HasLaterChange, _) => its("since"),
            (Refusal::Tournament(fault), _) => its("tournament").with("code", fault.code.id),
            (Refusal::BreaksLaterChange(by, fault), _) => {
                its("dependent").with("by", by).with("code", fault.code.id).extension("needed_by", &by)
            }
        }
    }
}

/// The record that has replaced a corrected one.
fn replacement_of(reading: &ReadTx<'_>, id: &Id) -> Result<Id, StoreError> {
    let current = reading.history(id)?.and_then(|history| history.replaced_by());
    current.ok_or_else(|| StoreError::Corrupt(format!("what corrects {} is missing", report::hex(id))))
}
