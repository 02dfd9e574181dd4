//! What a route is. The router, the OpenAPI document and the page of the documentation are read off the table of all of
//! them; what a route does not say there it does not do. The handlers stand in files of their own, a group in each.

#![expect(clippy::unused_async, reason = "all handlers have one shape, whether they wait for something or not")]

use actix_web::HttpResponse;
use futures_util::future::LocalBoxFuture;
use schemars::{Schema, SchemaGenerator};

use super::{
    call::Call,
    params::Param,
    problem::{self, Code, Problem},
};
use quipu_options::Scope;

mod changes;
mod corrections;
mod desk;
mod enum_values;
mod events;
mod export;
mod feed;
mod filters;
mod games_and_rules;
mod history;
mod idempotency;
pub(super) mod ingest;
pub(super) mod live;
mod pictures;
mod players;
pub(super) mod positions;
mod receipts;
pub(super) mod records;
mod service;
mod sse;
mod submit;
mod table;
mod verify;

pub(super) use games_and_rules::Rule;
pub(super) use live::LiveEvents;
pub(crate) use table::ROUTES;

/// Methods of the table. `HEAD` is answered wherever `GET` is, and `OPTIONS` everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
}

impl Method {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anybody, always.
    Open,
    /// Anybody, unless the service is private: then whoever has a token.
    Read,
    /// Who has a token with this scope.
    Scope(Scope),
}

impl Access {
    /// Whether nothing is stored, so that programs of any site may ask for it.
    pub(crate) fn is_reading(self) -> bool {
        !matches!(self, Self::Scope(_))
    }
}

/// What comes of a request.
pub(crate) type Answered = Result<HttpResponse, Problem>;
/// What answers the requests of a route.
pub(crate) type Handler = fn(Call) -> LocalBoxFuture<'static, Answered>;
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A media type, and what is in it.
#[derive(Clone, Copy)]
pub(crate) struct Content {
    pub(crate) media: &'static str,
    /// None where it is text or bytes.
    pub(crate) schema: Option<SchemaOf>,
}

/// Media type of lines of JSON.
pub(crate) const NDJSON: &str = "application/x-ndjson";
/// Media type of JSON.
pub(crate) const JSON: &str = "application/json";
/// Media type of text.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
/// Media type of scoresheets.
pub(crate) const CSV: &str = "text/csv; charset=utf-8";
/// Media type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// Media type of event streams.
pub(crate) const EVENTS: &str = "text/event-stream";
/// Media type of styles.
pub(crate) const CSS: &str = "text/css; charset=utf-8";
/// Media type of scripts.
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
/// Media type of drawings.
pub(crate) const SVG: &str = "image/svg+xml";
/// Media type of pictures made of pixels.
pub(crate) const PNG: &str = "image/png";
/// Media type of pictures that move.
pub(crate) const GIF: &str = "image/gif";
/// Media type of what is printed.
pub(crate) const PDF: &str = "application/pdf";
/// Media type of bytes as they came.
pub(crate) const BYTES: &str = "application/octet-stream";

/// One good answer.
#[derive(Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// What it can be given in, the dearest first.
    pub(crate) content: &'static [Content],
}

/// One route.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// Its name: the id of the operation, and the key of its words (`route.<id>`, `route.<id>.more`).
    pub(crate) id: &'static str,
    /// The group it stands in, with the words `group.<name>`.
    pub(crate) group: &'static str,
    pub(crate) access: Access,
    pub(crate) params: &'static [Param],
    /// What a body may be in; no body where empty.
    pub(crate) body: &'static [Content],
    pub(crate) answers: &'static [Answer],
    /// What can go wrong with this route in particular; [`Route::problems`] has the rest.
    pub(crate) problems: &'static [Code],
    /// Whether its answer may take as long as it takes.
    pub(crate) streams: bool,
    /// Whether it is answered however often it is asked for: who watches over the service must not be sent away.
    pub(crate) free: bool,
    /// Whether its page may be shown inside of pages of other sites.
    pub(crate) framed: bool,
    pub(crate) handler: Handler,
}

impl Route {
    /// Every code that it can answer with.
    pub(crate) fn problems(&self) -> impl Iterator<Item = Code> {
        let with = |applies: bool, codes: &'static [Code]| codes.iter().copied().filter(move |_| applies);
        let reads = self.access != Access::Open;
        let as_it_came = self.answers.iter().flat_map(|answer| answer.content).any(|content| content.media == BYTES);
        with(true, &[problem::PARAMETER])
            .chain(with(reads, &[problem::TOKEN]))
            .chain(with(matches!(self.access, Access::Scope(_)), &[problem::SCOPE]))
            .chain(with(!as_it_came, &[problem::NOT_ACCEPTABLE]))
            .chain(with(!self.body.is_empty(), &[problem::BODY, problem::TIMEOUT, problem::TOO_LARGE, problem::MEDIA]))
            .chain(self.problems.iter().copied())
            .chain(with(matches!(self.access, Access::Scope(_)), &[problem::READ_ONLY, problem::FULL]))
            .chain(with(!self.free, &[problem::RATE]))
            .chain(with(true, &[problem::INTERNAL]))
            .chain(with(reads, &[problem::ARCHIVE]))
            .chain(with(true, &[problem::BUSY, problem::SLOW]))
            .chain(with(reads, &[problem::STOPPING]))
    }
}
