//! Idempotent writes: a request that comes again with the same `Idempotency-Key` gets the stored response, and nothing
//! is done twice.
//!
//! Only responses to successful requests are stored. A refused request has changed nothing, so it may come again,
//! corrected, with the same key.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use quipu_referee::{Lang, report};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
};
use quipu_archive::{
    model::TokenText,
    store::{IdempotencyLookup, StoreError, WriteTx},
};

/// Marks a replayed response.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A stored response.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredResponse {
    #[serde(skip)]
    status: u16,
    media: String,
    lang: String,
    location: Option<String>,
    body: String,
}

impl StoredResponse {
    /// A response in JSON about the resource at `location`.
    pub(super) fn new(status: u16, lang: Lang, location: Option<String>, value: &impl Serialize) -> Self {
        let mut body = Vec::with_capacity(1024);
        // Writing to memory does not fail, and JSON is UTF-8.
        drop(report::write(value, &mut body));
        Self {
            status,
            media: "application/json".to_owned(),
            lang: lang.as_str().to_owned(),
            location,
            body: String::from_utf8(body).unwrap_or_default(),
        }
    }

    /// A problem whose record is stored all the same.
    pub(super) fn problem(problem: &Problem, lang: Lang, request: &str, location: String) -> Self {
        let status = problem.status().as_u16();
        let said = Self::new(status, lang, Some(location), &problem.document(lang, request));
        Self { media: problem::MEDIA_TYPE.to_owned(), ..said }
    }

    fn answer(self, replayed: bool) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut answer = HttpResponse::build(status);
        answer.content_type(self.media);
        answer.insert_header((header::CONTENT_LANGUAGE, self.lang));
        if let Some(location) = self.location {
            answer.insert_header((header::LOCATION, location));
        }
        if replayed {
            answer.insert_header((REPLAYED, HeaderValue::from_static("true")));
        }
        answer.body(self.body)
    }
}

/// The outcome of a write.
pub(super) enum OutcomeBody {
    /// A response.
    Now(StoredResponse),
    /// A function that builds the response outside the writer thread, without the archive.
    Later(Box<dyn FnOnce() -> StoredResponse + Send>),
}

impl From<StoredResponse> for OutcomeBody {
    fn from(said: StoredResponse) -> Self {
        Self::Now(said)
    }
}

impl OutcomeBody {
    fn said(self) -> StoredResponse {
        match self {
            Self::Now(said) => said,
            Self::Later(make) => make(),
        }
    }
}

/// An idempotency key with its token and the fingerprint of the request.
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
            // Unambiguous, because none of these parts contains a line break.
            hash.update(b"\n");
        }
        hash.update(body);
        Some(Self { token: context.bearer.as_ref()?.id, text, fingerprint: hash.finalize().into() })
    }

    fn token(&self) -> &str {
        std::str::from_utf8(&self.token).unwrap_or_default()
    }

    /// Runs `work`, or finds its stored response. The transaction decides which of two simultaneous requests is the
    /// first.
    fn once<S: Into<OutcomeBody>>(
        &self,
        writing: &WriteTx<'_>,
        work: impl Fn(&WriteTx<'_>) -> Result<S, Problem>,
    ) -> Result<(OutcomeBody, bool), Problem> {
        let damaged = |error: serde_json::Error| StoreError::Other(error.to_string());
        match writing.recall(self.token(), &self.text, &self.fingerprint)? {
            IdempotencyLookup::Same { status, body } => {
                let said: StoredResponse = serde_json::from_str(&body).map_err(damaged)?;
                Ok((OutcomeBody::Now(StoredResponse { status, ..said }), true))
            }
            IdempotencyLookup::Other => Err(Problem::new(problem::IDEMPOTENCY).with_quoted("found", &self.text)),
            IdempotencyLookup::New => {
                let said = work(writing)?.into().said();
                let body = serde_json::to_string(&said).map_err(damaged)?;
                writing.remember(self.token(), &self.text, &self.fingerprint, said.status, &body)?;
                Ok((said.into(), false))
            }
        }
    }
}

/// Carries out a write of a request with this body, and responds once it is on the disk.
pub(super) async fn once<S: Into<OutcomeBody>>(
    context: &RequestContext,
    body: &[u8],
    work: impl Fn(&WriteTx<'_>) -> Result<S, Problem> + Send + 'static,
) -> HandlerResult {
    let key = Key::of(context, body);
    let said = context.write(move |writing| match &key {
        Some(key) => key.once(writing, &work),
        None => work(writing).map(|said| (said.into(), false)),
    });
    let (said, replayed) = said.await?;
    Ok(said.said().answer(replayed))
}
