//! What is answered when something is not answered: problem documents (RFC 9457), each with a code.
//!
//! [`CODES`] is the one table of the service's own codes; their words stand in `messages.toml`. A record that breaks a
//! law is answered with the code of the referee that found it.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use quipu_referee::{Lang, code, codes, words::catalog, words::fill};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::words;
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

/// A parameter is unknown, missing, written twice or has a wrong value.
pub(crate) const PARAMETER: Code = Code::new("api.parameter", 400);
/// What should be the id of a record has not the form of one.
pub(crate) const ID: Code = Code::new("api.id", 400);
/// A cursor that was not made here.
pub(crate) const CURSOR: Code = Code::new("api.cursor", 400);
/// A body that cannot be read.
pub(crate) const BODY: Code = Code::new("api.body", 400);
/// A token is missing or does not hold.
pub(crate) const TOKEN: Code = Code::new("api.token", 401);
/// The token has not the scope.
pub(crate) const SCOPE: Code = Code::new("api.scope", 403);
/// There is no such thing.
pub(crate) const NOT_FOUND: Code = Code::new("api.not-found", 404);
/// The path has no such method.
pub(crate) const METHOD: Code = Code::new("api.method", 405);
/// None of the media types that were asked for can be given.
pub(crate) const NOT_ACCEPTABLE: Code = Code::new("api.not-acceptable", 406);
/// A record that is stored as it was handed in, and cannot be read.
pub(crate) const UNREADABLE: Code = Code::new("api.unreadable", 406);
/// The request did not come to its end in time.
pub(crate) const TIMEOUT: Code = Code::new("api.timeout", 408);
/// What is asked does not go with what is stored.
pub(crate) const CONFLICT: Code = Code::new("api.conflict", 409);
/// What is to be changed is not as the client has seen it last.
pub(crate) const VERSION: Code = Code::new("api.version", 412);
/// The body, or what is in it, is more than may be.
pub(crate) const TOO_LARGE: Code = Code::new("api.too-large", 413);
/// The body is of a media type or coding that is not read here.
pub(crate) const MEDIA: Code = Code::new("api.media", 415);
/// A record is lawful so far and not at its end.
pub(crate) const INCOMPLETE: Code = Code::new("api.incomplete", 422);
/// The same idempotency key came with another body.
pub(crate) const IDEMPOTENCY: Code = Code::new("api.idempotency", 422);
/// The picture would be too large, or the game is too long for it.
pub(crate) const PICTURE: Code = Code::new("api.picture", 422);
/// Too many requests.
pub(crate) const RATE: Code = Code::new("api.rate", 429);
/// A fault of the service.
pub(crate) const INTERNAL: Code = Code::new("api.internal", 500);
/// The archive is damaged.
pub(crate) const ARCHIVE: Code = Code::new("api.archive", 500);
/// Too much is going on.
pub(crate) const BUSY: Code = Code::new("api.busy", 503);
/// An answer took too long.
pub(crate) const SLOW: Code = Code::new("api.slow", 503);
/// The service is stopping.
pub(crate) const STOPPING: Code = Code::new("api.stopping", 503);
/// The archive can be read and not written.
pub(crate) const READ_ONLY: Code = Code::new("api.read-only", 503);
/// The disk is full.
pub(crate) const FULL: Code = Code::new("api.full", 507);

/// Every code of the service.
pub const CODES: &[Code] = &[
    PARAMETER,
    ID,
    CURSOR,
    BODY,
    TOKEN,
    SCOPE,
    NOT_FOUND,
    METHOD,
    NOT_ACCEPTABLE,
    UNREADABLE,
    TIMEOUT,
    CONFLICT,
    VERSION,
    TOO_LARGE,
    MEDIA,
    INCOMPLETE,
    IDEMPOTENCY,
    PICTURE,
    RATE,
    INTERNAL,
    ARCHIVE,
    BUSY,
    SLOW,
    STOPPING,
    READ_ONLY,
    FULL,
];

/// Media type of a problem document.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";
/// Seconds after which somebody who was sent away may try again.
const AGAIN: u64 = 1;
/// The same where people must do something before.
const LATER: u64 = 60;
/// Characters of a text of others that are repeated.
const SHOWN: usize = 60;

/// What is said of an archive that will not be better by itself.
const DAMAGED: &str = "damaged";
/// The fact that is the whole sentence, where the referee has said it already.
const REFUSED: &str = "refused";

/// The response of a handler, or the problem instead of it.
pub(crate) type HandlerResult = Result<HttpResponse, Problem>;

/// Why a request is not answered as was asked. Facts; words come in when it is written.
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

    /// A problem that a certain sentence of the code says.
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

    /// That the archive is damaged.
    pub(crate) fn damaged() -> Self {
        Self::variant(ARCHIVE, DAMAGED)
    }

    /// Whether it is that.
    pub(super) fn is_damage(&self) -> bool {
        self.code == ARCHIVE.id && self.variant == DAMAGED
    }

    /// A record that is refused: code and sentence are those of the first thing that the referee found against it.
    pub(crate) fn refused(code: &'static code::Code, detail: String) -> Self {
        let code = Code::new(code.id, StatusCode::UNPROCESSABLE_ENTITY.as_u16());
        Self::variant(code, REFUSED).with(REFUSED, detail)
    }

    /// With a value for a place of the sentence.
    #[expect(clippy::needless_pass_by_value, reason = "values are handed over as they are made")]
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.facts.push((name, value.to_string()));
        self
    }

    /// With a text that came from outside, shortened.
    pub(crate) fn with_quoted(self, name: &'static str, text: &str) -> Self {
        let mut shown: String = text.chars().filter(|&c| !quipu_referee::is_active(c)).take(SHOWN + 1).collect();
        if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
            shown.replace_range(end.., "…");
        }
        self.with(name, shown)
    }

    /// With a member of its own in the document. What cannot be written as JSON is left out.
    pub(crate) fn extension(mut self, name: &str, value: &impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.extensions.insert(name.to_owned(), value);
        }
        self
    }

    /// With a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// With a header of text. Text that no header can hold is left out.
    pub(crate) fn header_text(self, name: HeaderName, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => self.header(name, value),
            Err(_) => self,
        }
    }

    /// Saying when to try again.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The code.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// The HTTP status.
    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The document, in the language of the reader. A stream has it as a line of its own.
    pub(crate) fn document(&self, lang: Lang, request: &str) -> Document {
        let own = words::code(self.code);
        let referee = codes::find(self.code).and_then(|code| catalog().code(code));
        let title = own.map(|words| &words.title).or(referee.map(|words| &words.title));
        let right = own.map(|words| &words.right).or(referee.map(|words| &words.right));
        let fact = |name: &str| self.facts.iter().find(|(fact, _)| *fact == name).map(|(_, value)| value.clone());
        let sentence = own.and_then(|words| words.detail.get(self.variant));
        let detail = sentence.map(|sentence| fill(sentence.get(lang), fact)).or_else(|| fact(REFUSED));
        Document {
            kind: format!("/v1/rules/{}", self.code),
            title: title.map_or_else(String::new, |text| text.get(lang).to_owned()),
            status: self.status,
            detail: detail.unwrap_or_default(),
            code: self.code.to_owned(),
            right: right.map(|text| text.get(lang).to_owned()),
            instance: request.to_owned(),
            extensions: self.extensions.clone(),
        }
    }

    /// The problem document as a response.
    pub(super) fn response(self, lang: Lang, request: &str) -> HttpResponse {
        let mut text = Vec::with_capacity(512);
        // Writing to memory does not fail.
        drop(quipu_referee::report::write(&self.document(lang, request), &mut text));
        let mut answer = self.builder(MEDIA_TYPE);
        answer.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(lang.as_str())));
        answer.body(text)
    }

    /// A response with its status and headers, to be given a body of this media type.
    pub(super) fn builder(self, media: &'static str) -> HttpResponseBuilder {
        let mut answer = HttpResponse::build(self.status());
        answer.content_type(HeaderValue::from_static(media));
        for header in self.headers {
            answer.insert_header(header);
        }
        answer
    }
}

/// A problem as RFC 9457 writes it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct Document {
    /// Page of the code.
    #[serde(rename = "type")]
    kind: String,
    /// What the code means, in one line.
    pub(super) title: String,
    /// The HTTP status.
    #[schemars(range(min = 400, max = 599))]
    pub(super) status: u16,
    /// What happened here.
    pub(super) detail: String,
    /// The code.
    pub(super) code: String,
    /// What would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) right: Option<String>,
    /// Id of the request.
    pub(super) instance: String,
    /// What else the code has to say.
    #[serde(flatten)]
    extensions: Map<String, Value>,
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy | StoreError::Overloaded => Self::new(BUSY).retry_after(AGAIN),
            StoreError::Slow => Self::variant(SLOW, "archive").retry_after(AGAIN),
            StoreError::Stopped => Self::new(STOPPING).retry_after(AGAIN),
            StoreError::Full => Self::new(FULL),
            StoreError::ReadOnly => Self::new(READ_ONLY).retry_after(LATER),
            // What it is in particular is for the log and not for who asks.
            damage @ (StoreError::Corrupt(_) | StoreError::Foreign(_) | StoreError::Rewritten(_)) => {
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
