//! Error responses: problem documents (RFC 9457), each with a code.
//!
//! [`CODES`] is the one table of the service's own codes; their words are in `problems.toml`. A record against the
//! rules is answered with the code of the referee.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use quipu_referee::{Lang, code, codes, messages::catalog, messages::fill};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::messages;
use quipu_archive::store::StoreError;

/// A code of the service, with the HTTP status that it is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// `api.` and a name.
    pub id: &'static str,
    /// The HTTP status.
    pub status: u16,
}

impl Code {
    const fn new(id: &'static str, status: u16) -> Self {
        Self { id, status }
    }
}

/// A parameter is unknown, missing, repeated or has an invalid value.
pub(crate) const PARAMETER: Code = Code::new("api.parameter", 400);
/// The id of a record is malformed.
pub(crate) const ID: Code = Code::new("api.id", 400);
/// A cursor of another list.
pub(crate) const CURSOR: Code = Code::new("api.cursor", 400);
/// A body that cannot be read.
pub(crate) const BODY: Code = Code::new("api.body", 400);
/// A token is missing or invalid.
pub(crate) const TOKEN: Code = Code::new("api.token", 401);
pub(crate) const TOKEN_EXPIRED: Code = Code::new("api.token-expired", 401);
/// The token lacks the scope.
pub(crate) const SCOPE: Code = Code::new("api.scope", 403);
/// The resource does not exist.
pub(crate) const NOT_FOUND: Code = Code::new("api.not-found", 404);
/// The path does not allow the method.
pub(crate) const METHOD: Code = Code::new("api.method", 405);
/// The client accepts none of the media types of the route.
pub(crate) const NOT_ACCEPTABLE: Code = Code::new("api.not-acceptable", 406);
/// The request did not arrive in time.
pub(crate) const TIMEOUT: Code = Code::new("api.timeout", 408);
/// The request conflicts with the stored state.
pub(crate) const CONFLICT: Code = Code::new("api.conflict", 409);
/// A record that is stored as submitted, and cannot be read.
pub(crate) const UNREADABLE: Code = Code::new("api.unreadable", 409);
/// The client has not seen the latest version of the resource.
pub(crate) const VERSION: Code = Code::new("api.version", 412);
/// The request does not say which version of the resource the client has seen.
pub(crate) const PRECONDITION: Code = Code::new("api.precondition", 428);
/// The body or its content exceeds a limit.
pub(crate) const TOO_LARGE: Code = Code::new("api.too-large", 413);
/// The media type or coding of the body is not supported.
pub(crate) const MEDIA: Code = Code::new("api.media", 415);
/// A record is legal so far, and the game is not over.
pub(crate) const INCOMPLETE: Code = Code::new("api.incomplete", 422);
/// The records are not sheets of one game, or no legal game explains them.
pub(crate) const MERGE: Code = Code::new("api.merge", 422);
/// The idempotency key was used with another body.
pub(crate) const IDEMPOTENCY: Code = Code::new("api.idempotency", 422);
/// A tournament refuses a change.
pub(crate) const TOURNAMENT: Code = Code::new("api.tournament", 409);
/// The picture would be too large, or the game is too long for it.
pub(crate) const PICTURE: Code = Code::new("api.picture", 422);
/// Too many requests.
pub(crate) const RATE: Code = Code::new("api.rate", 429);
/// A fault of the service.
pub(crate) const INTERNAL: Code = Code::new("api.internal", 500);
pub(crate) const ARCHIVE: Code = Code::new("api.archive", 500);
/// The service is overloaded.
pub(crate) const BUSY: Code = Code::new("api.busy", 503);
/// The server of the archive's database cannot be reached; nothing was stored.
pub(crate) const UNREACHABLE: Code = Code::new("api.unreachable", 503);
/// The connection to the server of the archive's database was lost during a commit, which may have taken place.
pub(crate) const UNCONFIRMED: Code = Code::new("api.unconfirmed", 503);
/// A response took too long.
pub(crate) const SLOW: Code = Code::new("api.slow", 503);
pub(crate) const STOPPING: Code = Code::new("api.stopping", 503);
/// The archive can be read but not written.
pub(crate) const READ_ONLY: Code = Code::new("api.read-only", 503);
pub(crate) const FULL: Code = Code::new("api.full", 507);

/// Every code of the service.
pub const CODES: &[Code] = &[
    PARAMETER,
    ID,
    CURSOR,
    BODY,
    TOKEN,
    TOKEN_EXPIRED,
    SCOPE,
    NOT_FOUND,
    METHOD,
    NOT_ACCEPTABLE,
    TIMEOUT,
    CONFLICT,
    UNREADABLE,
    VERSION,
    PRECONDITION,
    TOO_LARGE,
    MEDIA,
    INCOMPLETE,
    MERGE,
    IDEMPOTENCY,
    TOURNAMENT,
    PICTURE,
    RATE,
    INTERNAL,
    ARCHIVE,
    BUSY,
    UNREACHABLE,
    UNCONFIRMED,
    SLOW,
    STOPPING,
    READ_ONLY,
    FULL,
];

/// Media type of a problem document.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";
/// Begins the URI of a request. A bare id would be a relative reference, to a resource beside the requested one.
const REQUEST_URN: &str = "urn:quipu:request:";
/// `Retry-After` of a temporary failure, in seconds.
const AGAIN: u64 = 1;
/// `Retry-After` of a failure that an operator has to repair.
const LATER: u64 = 60;
/// Most characters of a quoted text.
const SHOWN: usize = 60;

/// The variant for an archive that will not recover by itself.
const DAMAGED: &str = "damaged";
/// The variant, and the fact, for a sentence of the referee.
const REFUSED: &str = "refused";

/// The response of a handler, or the problem instead of it.
pub(crate) type HandlerResult = Result<HttpResponse, Problem>;

/// The reason that a request fails: code and facts. The words are added when it is written.
#[derive(Debug)]
pub(crate) struct Problem {
    code: &'static str,
    status: u16,
    variant: &'static str,
    facts: Vec<(&'static str, String)>,
    extensions: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// A problem whose code has one sentence.
    pub(crate) fn new(code: Code) -> Self {
        Self::variant(code, "default")
    }

    /// A problem with a certain sentence of its code.
    pub(crate) fn variant(code: Code, variant: &'static str) -> Self {
        Self {
            code: code.id,
            status: code.status,
            variant,
            facts: Vec::new(),
            extensions: Map::new(),
            headers: Vec::new(),
        }
    }

    /// The problem of a damaged archive.
    pub(crate) fn damaged() -> Self {
        Self::variant(ARCHIVE, DAMAGED)
    }

    /// True for the problem of a damaged archive.
    pub(super) fn is_damage(&self) -> bool {
        self.code == ARCHIVE.id && self.variant == DAMAGED
    }

    /// The problem of a rejected record: code and sentence are those of the referee's first finding.
    pub(crate) fn refused(code: &'static code::Code, detail: String) -> Self {
        let code = Code::new(code.id, StatusCode::UNPROCESSABLE_ENTITY.as_u16());
        Self::variant(code, REFUSED).with(REFUSED, detail)
    }

    /// Adds a value for a placeholder of the sentence.
    #[expect(clippy::needless_pass_by_value, reason = "values are handed over as they are made")]
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.facts.push((name, value.to_string()));
        self
    }

    /// Adds a text of the client as such a value, shortened.
    pub(crate) fn with_quoted(self, name: &'static str, text: &str) -> Self {
        let mut shown: String = text.chars().filter(|&c| !quipu_referee::is_active(c)).take(SHOWN + 1).collect();
        if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
            shown.replace_range(end.., "…");
        }
        self.with(name, shown)
    }

    /// Adds an extension member to the document. A value that is not JSON is left out.
    pub(crate) fn extension(mut self, name: &str, value: &impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.extensions.insert(name.to_owned(), value);
        }
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Adds a header of text. Text that is not a valid header is left out.
    pub(crate) fn header_text(self, name: HeaderName, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => self.header(name, value),
            Err(_) => self,
        }
    }

    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The seconds after which the request may be repeated, if it may.
    pub(crate) fn seconds(&self) -> Option<String> {
        let again = self.headers.iter().find(|(name, _)| *name == header::RETRY_AFTER);
        again.and_then(|(_, value)| value.to_str().ok()).map(str::to_owned)
    }

    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The document in a language. A stream has it as a line of its own.
    pub(crate) fn document(&self, lang: Lang, request: &str) -> ProblemDocument {
        let own = messages::code_words(self.code);
        let referee = codes::find(self.code).and_then(|code| catalog().code(code));
        let title = own.map(|words| &words.title).or(referee.map(|words| &words.title));
        let right = own.map(|words| &words.right).or(referee.map(|words| &words.right));
        let fact = |name: &str| self.facts.iter().find(|(fact, _)| *fact == name).map(|(_, value)| value.clone());
        let sentence = own.and_then(|words| words.detail.get(self.variant));
        let detail = sentence.map(|sentence| fill(sentence.get(lang), fact)).or_else(|| fact(REFUSED));
        ProblemDocument {
            kind: format!("/v1/rules/{}", self.code),
            title: title.map_or_else(String::new, |text| text.get(lang).to_owned()),
            status: self.status,
            detail: detail.unwrap_or_default(),
            code: self.code.to_owned(),
            right: right.map(|text| text.get(lang).to_owned()),
            instance: format!("{REQUEST_URN}{request}"),
            request_id: request.to_owned(),
            extensions: self.extensions.clone(),
        }
    }

    /// The sentence about this case.
    pub(crate) fn detail(&self, lang: Lang) -> String {
        self.document(lang, "").detail
    }

    pub(super) fn response(self, lang: Lang, request: &str) -> HttpResponse {
        let mut text = Vec::with_capacity(512);
        // Writing to memory does not fail.
        drop(quipu_referee::report::write(&self.document(lang, request), &mut text));
        let mut response = self.builder(MEDIA_TYPE);
        response.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(lang.as_str())));
        response.body(text)
    }

    /// A response with its status and headers, to be given a body of this media type.
    pub(super) fn builder(self, media: &'static str) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(self.status());
        response.content_type(HeaderValue::from_static(media));
        for header in self.headers {
            response.insert_header(header);
        }
        response
    }
}

/// A problem document of RFC 9457.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemDocument {
    /// Address of the page of the code.
    #[serde(rename = "type")]
    kind: String,
    /// Meaning of the code in one line.
    pub(super) title: String,
    #[schemars(range(min = 400, max = 599))]
    pub(super) status: u16,
    /// Details of this case.
    pub(super) detail: String,
    pub(super) code: String,
    /// The correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) right: Option<String>,
    /// The request as a URI.
    #[schemars(regex(pattern = "^urn:quipu:request:[A-Za-z0-9_.-]{1,64}$"))]
    instance: String,
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    pub(super) request_id: String,
    /// Extension members of the code.
    #[serde(flatten)]
    extensions: Map<String, Value>,
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy | StoreError::Overloaded => Self::new(BUSY).retry_after(AGAIN),
            lost @ (StoreError::Unreachable(_) | StoreError::Behind(_) | StoreError::Denied(_)) => {
                tracing::warn!(error = %lost, "archive");
                Self::new(UNREACHABLE).retry_after(AGAIN)
            }
            lost @ StoreError::Unconfirmed(_) => {
                tracing::warn!(error = %lost, "archive");
                Self::new(UNCONFIRMED).retry_after(AGAIN)
            }
            StoreError::Slow => Self::variant(SLOW, "archive").retry_after(AGAIN),
            StoreError::Stopped => Self::new(STOPPING).retry_after(AGAIN),
            StoreError::Full => Self::new(FULL),
            StoreError::ReadOnly => Self::new(READ_ONLY).retry_after(LATER),
            // The details are for the log, not for the client.
            damage @ (StoreError::Corrupt(_) | StoreError::Foreign(_) | StoreError::RewrittenLog(_)) => {
                tracing::error!(error = %damage, "archive");
                Self::damaged()
            }
            other => {
                tracing::error!(error = %other, "archive");
                Self::new(ARCHIVE)
            }
        }
    }
}
