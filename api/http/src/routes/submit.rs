//! Submission of records: they are judged, and stored if they are legal.
//!
//! A single record has a response of its own. Several are stored in batches of a few hundred; each gets a line of the
//! response once it is on the disk. After a broken response it is safe to submit everything again: stored records are
//! recognized.

use std::{
    io::{Cursor, Read},
    sync::Arc,
};

use actix_web::http::StatusCode;
use quipu_notation::record::{Chunk, is_plain};
use quipu_referee::{Lang, Status, report};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    idempotency::{self, Job, JobError},
    ingest::{self, Ingest, RequestInfo, single_record},
    record_body::RECORDS,
    records::SMALL,
    shared::{FROM, IDEMPOTENCY, KEEP, WRITE},
    stored_record::{self, RecordOutcome, Stored},
};
use crate::{
    auth::Bearer,
    budget::Reservation,
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem, ProblemDocument},
    request::RequestContext,
    route::{Content, GET, Method, NDJSON, Response, Route},
    schema::Verdict,
    stream::{End, Sink},
    token_limit::AllowedGames,
};
use quipu_archive::{
    model::{Attribution, Number, RecordState, SingleRecord, Submission},
    store::{Added, Pending, Relations, Store, WriteTx},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        method: Method::Post,
        path: "/v1/records",
        id: "submit",
        limited: true,
        group: "records",
        access: WRITE,
        params: &[FROM, KEEP, IDEMPOTENCY],
        body: RECORDS,
        responses: &[
            Response::created(&[Content::json::<Stored<'_>>()]),
            Response::ok(&[Content::json::<Stored<'_>>(), Content::ndjson::<Line<'_>>()]),
        ],
        problems: &[problem::INCOMPLETE, problem::IDEMPOTENCY],
        streams: true,
        ..GET
    },
    handler: |context| Box::pin(create(context)),
}];

/// A line of the response to several records.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "StoredLine")]
pub(crate) enum Line<'v> {
    /// The outcome of the next record.
    Record(Box<Received<'v>>),
    /// The last line of a complete response.
    Summary(Closing),
    /// The last line after an error. Records without a line may or may not be stored.
    Problem(Box<ProblemDocument>),
}

/// The outcome of one of several records.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Received<'v> {
    /// Number of the record, from 1.
    #[schemars(range(min = 1))]
    index: u64,
    /// `new`, `there`, `kept` or `refused`.
    #[schemars(extend("enum" = ["new", "there", "kept", "refused"]))]
    outcome: &'static str,
    /// Its id, if it is stored.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: Option<String>,
    /// The change that added it, if it is stored.
    #[schemars(range(min = 1))]
    change: Option<Number>,
    #[schemars(extend("enum" = super::enum_values::statuses()))]
    status: &'static str,
    /// State of the record, if it is stored.
    #[schemars(extend("enum" = states_or_none()))]
    state: Option<&'static str>,
    /// The record of another sheet that counts for the same game, so that this one does not.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sheet_of: Option<String>,
    /// The first record that it contradicts.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    contradicts: Option<String>,
    /// Code of the first error, if it is not verified.
    code: Option<&'static str>,
    /// The verdict, if it is not verified.
    verdict: Option<Verdict<'v>>,
}

/// The last line of the response to several records.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoredClosing", deny_unknown_fields)]
pub(crate) struct Closing {
    /// The outcome of all records.
    summary: Summary,
}

/// The outcome of several records.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "StoredSummary", deny_unknown_fields)]
pub(crate) struct Summary {
    /// All records.
    read: u64,
    /// Verified, and stored now.
    new: u64,
    /// Stored before.
    there: u64,
    /// Not verified, and stored as refused.
    kept: u64,
    /// Not verified, and not stored.
    refused: u64,
}

fn states_or_none() -> Vec<Option<&'static str>> {
    super::enum_values::record_states().into_iter().map(Some).chain([None]).collect()
}

async fn create(mut context: RequestContext) -> HandlerResult {
    if context.media == NDJSON || context.body_media == NDJSON {
        let body = context.body_reader();
        let ingest = Ingest::new(&context, body, judge).counting_unfinished(&context);
        return bulk(context, ingest).await;
    }
    let body = context.body().await?;
    let (form, looked_at) = (ingest::body_format(&context), body.clone());
    let look = move || {
        let sole = single_record(&looked_at, form)?;
        // The game is replayed here, because other jobs wait for the writer.
        Ok(if let SingleRecord::One(submission) = sole {
            SingleRecord::One(Box::new(submission.replayed()))
        } else {
            sole
        })
    };
    let is_small = body.len() <= SMALL && is_plain(&body);
    let sole = if is_small { context.work_soon(look).await? } else { context.work(look).await? };
    match sole {
        SingleRecord::Nothing => Err(ingest::nothing()),
        SingleRecord::One(submission) => one(&context, &body, *submission).await,
        SingleRecord::Several => {
            let ingest = Ingest::new(&context, Cursor::new(body), judge);
            bulk(context, ingest).await
        }
    }
}

/// True if records that are not verified are stored too.
pub(super) fn keeps_refused(context: &RequestContext) -> bool {
    context.text("keep").is_some()
}

/// Code of the first error of a record that is not verified.
fn code(verdict: &quipu_referee::Verdict) -> &'static str {
    verdict.first_error().map_or(problem::INCOMPLETE.id, |error| error.code().id)
}

/// A record to add.
struct SubmitJob {
    games: AllowedGames,
    submission: Arc<Submission>,
    by: Attribution,
    keep_refused: bool,
}

/// The record is not verified, and was not to be stored.
struct NotStored;

impl Job for SubmitJob {
    type Output = RecordOutcome;
    type Refusal = NotStored;

    fn run(&self, writing: &WriteTx<'_>) -> Result<RecordOutcome, JobError<NotStored>> {
        self.games.now(writing)?.submit(&self.submission)?;
        let added = RecordOutcome::add(writing, &self.submission, &self.by, self.keep_refused)?;
        added.ok_or(JobError::Refused(NotStored))
    }

    fn status(outcome: &RecordOutcome) -> StatusCode {
        outcome.status()
    }

    fn submission(&self) -> Option<Arc<Submission>> {
        Some(Arc::clone(&self.submission))
    }
}

async fn one(context: &RequestContext, body: &[u8], submission: Submission) -> HandlerResult {
    context.count_verdicts(submission.verdict.status, 1);
    let (games, by, keep_refused) = (context.allowed_games().await?, context.by(None, None), keeps_refused(context));
    let job = Arc::new(SubmitJob { games, submission: Arc::new(submission), by, keep_refused });
    match idempotency::execute(context, body, &job).await {
        Ok(executed) => stored_record::respond(context, &executed, &job.submission),
        Err(error) => Err(error.into_problem(|NotStored| not_stored(&job.submission, context.lang))),
    }
}

/// The problem of a record that is not verified, and was not stored.
pub(super) fn not_stored(submission: &Submission, lang: Lang) -> Problem {
    stored_record::refused(&submission.verdict, lang).extension("stored", &false)
}

/// The records of a chunk, to be submitted.
pub(crate) fn judge(chunk: &Chunk<'_>, most: usize) -> Vec<Submission> {
    Submission::all(chunk).take(most).map(Submission::replayed).collect()
}

/// Submits several records.
async fn bulk(mut context: RequestContext, ingest: Ingest<impl Read + Send + 'static, Submission>) -> HandlerResult {
    // Stored records are recognized, so repeating the request needs no key.
    if context.text("Idempotency-Key").is_some() {
        return Err(Problem::variant(problem::PARAMETER, "many").with("name", "Idempotency-Key"));
    }
    context.media = NDJSON;
    let submission = BulkSubmission {
        info: RequestInfo::of(&context),
        submitter: Submitter::of(&context, keeps_refused(&context)).await?,
        summary: Summary::default(),
        _body_reservation: context.take_body_reservation(),
    };
    let response = context.stream_of_body(move |sink| submission.run(ingest, sink)).await?;
    Ok(context.with_language(response))
}

/// The submission of several records.
struct BulkSubmission {
    info: RequestInfo,
    submitter: Submitter,
    summary: Summary,
    /// Memory of the body.
    _body_reservation: Reservation,
}

/// Records in a pending transaction.
type Batch = (Arc<Vec<Submission>>, PendingRecords);
/// The result for each of them.
type PendingRecords = Pending<Vec<(Added, Relations)>, Problem>;

/// A client that submits records.
#[derive(Clone)]
pub(crate) struct Submitter {
    store: Store,
    by: Attribution,
    /// The token of the request.
    bearer: Option<Bearer>,
    games: AllowedGames,
    /// True if records that are not verified are stored too.
    keep: bool,
}

impl Submitter {
    /// The client of a request.
    ///
    /// # Errors
    /// That of the archive, or `api.busy`.
    pub(crate) async fn of(context: &RequestContext, keep: bool) -> Result<Self, Problem> {
        let (store, bearer, games) = (context.store().clone(), context.bearer.clone(), context.allowed_games().await?);
        Ok(Self { store, by: context.by(None, None), bearer, games, keep })
    }

    /// Adds records in one transaction, if the token is still valid then. An overloaded writer refuses the first batch of a
    /// request; later ones wait.
    pub(crate) fn add(&self, submissions: &Arc<Vec<Submission>>, is_first: bool) -> PendingRecords {
        let (own, all) = (self.clone(), Arc::clone(submissions));
        let work = move |writing: &WriteTx<'_>| {
            // A long body may end after its token was revoked.
            Bearer::checked(own.bearer.as_ref(), |bearer| bearer.check(writing))?;
            let games = own.games.now(writing)?;
            writing.prefetch(all.iter())?;
            let add = |submission| -> Result<_, Problem> {
                games.submit(submission)?;
                let added = writing.add(submission, &own.by, own.keep)?;
                let related = added.number().map(|number| writing.relations(number)).transpose()?;
                Ok((added, related.unwrap_or_default()))
            };
            all.iter().map(add).collect::<Result<_, Problem>>()
        };
        if is_first { self.store.write(work) } else { self.store.write_blocking(work) }
    }
}

impl BulkSubmission {
    fn run(mut self, mut ingest: Ingest<impl Read, Submission>, sink: &mut Sink) -> Result<(), End> {
        let mut written: Option<Batch> = None;
        loop {
            // The next records are judged while the previous ones are on their way to the disk.
            let round = ingest.next_batch();
            if let Some((submissions, batch)) = written.take() {
                match batch.wait() {
                    Ok(batch) => self.report(&submissions, &batch, sink)?,
                    Err(problem) => return self.fail(problem, sink),
                }
            }
            match round {
                Ok(Some(submissions)) => written = Some(self.write(submissions)),
                Ok(None) => return sink.line(&Line::Summary(Closing { summary: self.summary })),
                Err(problem) => return self.fail(problem, sink),
            }
        }
    }

    fn write(&self, submissions: Vec<Submission>) -> Batch {
        let submissions = Arc::new(submissions);
        let pending = self.submitter.add(&submissions, self.summary.read == 0);
        (submissions, pending)
    }

    fn report(&mut self, submissions: &[Submission], batch: &[(Added, Relations)], sink: &mut Sink) -> Result<(), End> {
        for (submission, (added, related)) in submissions.iter().zip(batch) {
            let verdict = &submission.verdict;
            let verified = verdict.status == Status::Verified;
            self.info.count(verdict.status);
            self.summary.read += 1;
            let (outcome, count, stored) = match *added {
                Added::New(change) if verified => ("new", &mut self.summary.new, Some((change, RecordState::Current))),
                Added::New(change) => ("kept", &mut self.summary.kept, Some((change, RecordState::Current))),
                Added::AlreadyStored(change, state) => ("there", &mut self.summary.there, Some((change, state))),
                Added::Refused => ("refused", &mut self.summary.refused, None),
            };
            *count += 1;
            let index = self.summary.read;
            sink.line(&Line::Record(Box::new(Received {
                index,
                outcome,
                id: stored.map(|_| report::hex(&submission.id)),
                change: stored.map(|(change, _)| change),
                status: verdict.status.as_str(),
                state: stored.map(|(_, state)| state.as_str()),
                sheet_of: related.sheet_of.map(|id| report::hex(&id)),
                contradicts: related.contradicts.as_ref().map(|found| report::hex(&found.earlier())),
                code: (!verified).then(|| code(verdict)),
                verdict: (!verified).then(|| Verdict(report::verdict(verdict, index, self.info.lang))),
            })))?;
        }
        // Finished lines leave at once.
        sink.flush()
    }

    /// Ends the response with a problem: as its last line, or as the whole response if there is no line yet.
    fn fail(&self, problem: Problem, sink: &mut Sink) -> Result<(), End> {
        match self.summary.read {
            0 => Err(problem.into()),
            _ => sink.line(&Line::Problem(Box::new(self.info.line(&problem)))),
        }
    }
}
