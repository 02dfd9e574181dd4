//! Jobs: changes of the archive that requests ask for. The writer gets a job as data and returns its outcome as data; the
//! handler renders the response when the commit is on the disk.
//!
//! The outcome of a request with an idempotency key is stored in the same transaction. A repeated request gets the same
//! response from it, and its job does not run again. A refused request has changed nothing and stores nothing, so it may be
//! corrected and repeated with the same key.

use std::sync::Arc;

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use quipu_referee::{Lang, report};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::{
    problem::{self, Problem},
    request::RequestContext,
};
use quipu_archive::{
    model::{Submission, TokenText},
    store::{IdempotencyLookup, StoreError, WriteTx},
};

/// Marks the response to a repeated request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A change of the archive, as data.
pub(super) trait Job: Send + Sync + 'static {
    /// The facts that the response is rendered from, also when it is repeated. With the request and rows that never change
    /// they suffice for the same bytes.
    type Output: Serialize + DeserializeOwned + Send;
    /// The reason that the change is refused.
    type Refusal: Send + Unpin;

    /// Makes the change in a transaction of the writer, which is rolled back if this fails.
    fn run(&self, writing: &WriteTx<'_>) -> Result<Self::Output, JobError<Self::Refusal>>;

    fn status(_: &Self::Output) -> StatusCode {
        StatusCode::CREATED
    }

    /// The record that it adds, if it adds one.
    fn submission(&self) -> Option<Arc<Submission>> {
        None
    }
}

/// The failure of a job. It has changed nothing.
pub(super) enum JobError<R> {
    /// The archive, the token or the idempotency key is the reason.
    Problem(Problem),
    /// The job refused the change.
    Refused(R),
}

impl<R> JobError<R> {
    /// The problem, with that of a refusal from `refused`.
    pub(super) fn into_problem(self, refused: impl FnOnce(R) -> Problem) -> Problem {
        match self {
            Self::Problem(problem) => problem,
            Self::Refused(refusal) => refused(refusal),
        }
    }
}

impl<R> From<Problem> for JobError<R> {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl<R> From<StoreError> for JobError<R> {
    fn from(error: StoreError) -> Self {
        Self::Problem(error.into())
    }
}

/// The outcome of a job, and what else the response needs of the first request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Executed<O> {
    /// Tag of the language.
    lang: String,
    request: String,
    pub(super) outcome: O,
    #[serde(skip)]
    status: u16,
    #[serde(skip)]
    pub(super) is_replayed: bool,
}

impl<O> Executed<O> {
    /// Language of the response.
    pub(super) fn lang(&self) -> Lang {
        Lang::parse(&self.lang).unwrap_or_default()
    }

    /// A response in JSON, about the resource at `location`.
    pub(super) fn json(&self, location: Option<&str>, value: &impl Serialize) -> HttpResponse {
        self.response("application/json", location, value)
    }

    /// A problem although the job has stored something, at `location`.
    pub(super) fn problem(&self, problem: &Problem, location: &str) -> HttpResponse {
        debug_assert_eq!(problem.status().as_u16(), self.status, "the status of the outcome is that of the problem");
        self.response(problem::MEDIA_TYPE, Some(location), &problem.document(self.lang(), &self.request))
    }

    fn response(&self, media: &'static str, location: Option<&str>, value: &impl Serialize) -> HttpResponse {
        let mut body = Vec::with_capacity(1024);
        // Writing to memory does not fail.
        drop(report::write(value, &mut body));
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponseBuilder::new(status);
        response.content_type(HeaderValue::from_static(media));
        response.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(self.lang().as_str())));
        if let Some(location) = location {
            response.insert_header((header::LOCATION, location));
        }
        if self.is_replayed {
            response.insert_header((REPLAYED, HeaderValue::from_static("true")));
        }
        response.body(body)
    }
}

/// Runs the job of a request with this body, once for each idempotency key.
///
/// # Errors
/// The refusal of the job, `api.idempotency` if another request had the key, or that of the archive.
pub(super) async fn execute<J: Job>(
    context: &RequestContext,
    body: &[u8],
    job: &Arc<J>,
) -> Result<Executed<J::Output>, JobError<J::Refusal>> {
    let request = Request {
        key: Key::of(context, body),
        lang: context.lang,
        id: context.id.as_str().to_owned(),
        job: Arc::clone(job),
    };
    context.write_with_lookups(job.submission(), move |writing| request.run(writing)).await
}

/// The outcome of a request that was carried out before, by its key. It saves long work whose outcome [`execute`] would not use.
///
/// # Errors
/// `api.idempotency` if another request had the key, or that of the archive.
pub(super) async fn replayed<O: DeserializeOwned + Send + 'static>(
    context: &RequestContext,
    body: &[u8],
) -> Result<Option<Executed<O>>, Problem> {
    let Some(key) = Key::of(context, body) else { return Ok(None) };
    context.write(move |writing| key.recall(writing)).await
}

/// A job on its way to the writer.
struct Request<J> {
    key: Option<Key>,
    lang: Lang,
    id: String,
    job: Arc<J>,
}

impl<J: Job> Request<J> {
    /// Replays the stored outcome of the key, or runs the job and stores its outcome. Both are in one transaction, so that of
    /// two requests at once only one runs.
    fn run(&self, writing: &WriteTx<'_>) -> Result<Executed<J::Output>, JobError<J::Refusal>> {
        let Some(key) = &self.key else { return self.run_job(writing) };
        if let Some(executed) = key.recall(writing)? {
            return Ok(executed);
        }
        let executed = self.run_job(writing)?;
        let outcome = serde_json::to_string(&executed).map_err(|error| failed(&error))?;
        writing.remember(key.token(), &key.text, &key.fingerprint, executed.status, &outcome)?;
        Ok(executed)
    }

    fn run_job(&self, writing: &WriteTx<'_>) -> Result<Executed<J::Output>, JobError<J::Refusal>> {
        let outcome = self.job.run(writing)?;
        Ok(Executed {
            lang: self.lang.as_str().to_owned(),
            request: self.id.clone(),
            status: J::status(&outcome).as_u16(),
            outcome,
            is_replayed: false,
        })
    }
}

fn failed(error: &serde_json::Error) -> StoreError {
    StoreError::Other(error.to_string())
}

/// The idempotency key of a request, with its token and the hash of all that the request says.
struct Key {
    token: [u8; TokenText::ID],
    text: String,
    fingerprint: [u8; 32],
}

impl Key {
    fn of(context: &RequestContext, body: &[u8]) -> Option<Self> {
        let text = context.text("Idempotency-Key")?.to_owned();
        let mut hash = Sha256::new();
        for part in [context.path.as_bytes(), context.query.as_bytes(), context.body_media.as_bytes()] {
            hash.update(part);
            // None of these has a line break.
            hash.update(b"\n");
        }
        hash.update(body);
        Some(Self { token: context.bearer.as_ref()?.id, text, fingerprint: hash.finalize().into() })
    }

    /// The stored outcome of the request.
    fn recall<O: DeserializeOwned>(&self, writing: &WriteTx<'_>) -> Result<Option<Executed<O>>, Problem> {
        match writing.recall(self.token(), &self.text, &self.fingerprint)? {
            IdempotencyLookup::New => Ok(None),
            IdempotencyLookup::Same { status, outcome } => {
                let executed: Executed<O> = serde_json::from_str(&outcome).map_err(|error| failed(&error))?;
                Ok(Some(Executed { status, is_replayed: true, ..executed }))
            }
            IdempotencyLookup::Other => Err(Problem::new(problem::IDEMPOTENCY).with_quoted("found", &self.text)),
        }
    }

    fn token(&self) -> &str {
        std::str::from_utf8(&self.token).unwrap_or_default()
    }
}
