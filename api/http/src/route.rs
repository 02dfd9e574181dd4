//! Routes as data: method, path, parameters, media types and errors. An [`Endpoint`](super::endpoint::Endpoint) joins one
//! with its handler. The router, the parameter checks, the OpenAPI document and the page `/docs` are all read from routes,
//! so a route cannot do what it does not declare.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::{
    params::{self, Param},
    problem::{self, Code},
};
use quipu_options::Scope;

/// HTTP methods of routes. `HEAD` is answered wherever `GET` is, and `OPTIONS` everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// The permission that a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Open to anybody, also on a private service.
    Open,
    /// Open to anybody; on a private service, to any valid token.
    Read,
    /// Open to tokens with this scope.
    Scope(Scope),
}

impl Access {
    /// True if the route stores nothing.
    pub(crate) fn is_reading(self) -> bool {
        !matches!(self, Self::Scope(_))
    }
}

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A media type with the shape of its content.
#[derive(Clone, Copy)]
pub(crate) struct Content {
    pub(crate) media: &'static str,
    pub(crate) shape: Shape,
}

/// The shape of a body or a response.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// A value with this JSON Schema; in lines of JSON, each line.
    Json(SchemaOf),
    Text,
    Bytes,
}

impl Content {
    /// JSON of a type.
    pub(crate) const fn json<T: JsonSchema>() -> Self {
        Self::of(JSON, SchemaGenerator::subschema_for::<T>)
    }

    /// One line of JSON of a type per item.
    pub(crate) const fn ndjson<T: JsonSchema>() -> Self {
        Self::of(NDJSON, SchemaGenerator::subschema_for::<T>)
    }

    /// Server-sent events of a type.
    pub(crate) const fn events<T: JsonSchema>() -> Self {
        Self::of(EVENTS, SchemaGenerator::subschema_for::<T>)
    }

    /// Content of a media type that may be anything.
    pub(crate) const fn any(media: &'static str) -> Self {
        Self::of(media, |_| Schema::default())
    }

    /// Values of a media type with this schema.
    const fn of(media: &'static str, schema: SchemaOf) -> Self {
        Self { media, shape: Shape::Json(schema) }
    }

    /// Text of a media type.
    pub(crate) const fn text(media: &'static str) -> Self {
        Self { media, shape: Shape::Text }
    }

    /// Bytes of a media type.
    pub(crate) const fn bytes(media: &'static str) -> Self {
        Self { media, shape: Shape::Bytes }
    }
}

/// Media type of newline-delimited JSON.
pub(crate) const NDJSON: &str = "application/x-ndjson";
/// Media type of JSON.
pub(crate) const JSON: &str = "application/json";
/// Media type of plain text.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
/// Media type of scoresheets and tables in CSV.
pub(crate) const CSV: &str = "text/csv; charset=utf-8";
/// Media type of HTML pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// Media type of server-sent events.
pub(crate) const EVENTS: &str = "text/event-stream";
/// Media type of style sheets.
pub(crate) const CSS: &str = "text/css; charset=utf-8";
/// Media type of scripts.
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
/// Media type of manifests of web applications.
pub(crate) const WEB_MANIFEST: &str = "application/manifest+json";
/// Media type of vector pictures.
pub(crate) const SVG: &str = "image/svg+xml";
/// Media type of raster pictures.
pub(crate) const PNG: &str = "image/png";
/// Media type of animations.
pub(crate) const GIF: &str = "image/gif";
/// Media type of printable documents.
pub(crate) const PDF: &str = "application/pdf";
/// Media type of workbooks.
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Media type of raw bytes.
pub(crate) const BYTES: &str = "application/octet-stream";

/// One successful response of a route.
#[derive(Clone, Copy)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Media types on offer, the preferred one first.
    pub(crate) content: &'static [Content],
}

impl Response {
    /// A response with status 200.
    pub(crate) const fn ok(content: &'static [Content]) -> Self {
        Self { status: 200, content }
    }

    /// A response with status 201.
    pub(crate) const fn created(content: &'static [Content]) -> Self {
        Self { status: 201, content }
    }
}

#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of a few routes, and set by its name")]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// The operation id, and the key of its words (`route.<id>`, `route.<id>.more`).
    pub(crate) id: &'static str,
    /// The group in the documentation, with the words `group.<name>`.
    pub(crate) group: &'static str,
    pub(crate) access: Access,
    pub(crate) params: &'static [Param],
    /// Media types of the body; empty for no body.
    pub(crate) body: &'static [Content],
    pub(crate) responses: &'static [Response],
    /// Errors particular to this route; [`Route::problems`] adds those that follow from its other fields.
    pub(crate) problems: &'static [Code],
    /// True if the response may take longer than the request timeout.
    pub(crate) streams: bool,
    /// True if the response tells of this very moment, or if nobody may store it: it has no entity tag.
    pub(crate) volatile: bool,
    /// True if the route is not rate limited, so that health checks are never refused.
    pub(crate) free: bool,
    /// True if other sites may show the page in a frame.
    pub(crate) framed: bool,
    /// True if tokens with a limit may use a route that writes: its handler checks what they change.
    pub(crate) limited: bool,
}

/// Defaults of a route: `GET`, open for reading, no parameters.
pub(crate) const GET: Route = Route {
    method: Method::Get,
    path: "",
    id: "",
    group: "",
    access: Access::Read,
    params: &[],
    body: &[],
    responses: &[],
    problems: &[],
    streams: false,
    volatile: false,
    free: false,
    framed: false,
    limited: false,
};

impl Route {
    /// True if every response with status 200 has an entity tag, and a request that names it is answered with 304.
    pub(crate) fn has_tag(&self) -> bool {
        let mut contents = self.responses.iter().flat_map(|response| response.content);
        self.method == Method::Get && !self.volatile && contents.all(|content| content.media != EVENTS)
    }

    /// True if people open the address in a browser: a page, or a response that is not only data. Its errors are pages for
    /// clients that prefer them.
    pub(crate) fn is_for_people(&self) -> bool {
        let mut contents = self.responses.iter().flat_map(|response| response.content);
        let is_read = self.method == Method::Get && self.access.is_reading();
        self.group == "pages" || (is_read && contents.any(|content| ![JSON, NDJSON, EVENTS].contains(&content.media)))
    }

    /// True if the header `If-Match` is required.
    pub(crate) fn needs_version(&self) -> bool {
        self.params.iter().any(|param| param.required && param.name == params::SEEN_VERSION)
    }

    /// Every error code that the route can answer with.
    pub(crate) fn problems(&self) -> impl Iterator<Item = Code> {
        let with = |applies: bool, codes: &'static [Code]| codes.iter().copied().filter(move |_| applies);
        let reads = self.access != Access::Open;
        let is_raw = self.responses.iter().flat_map(|response| response.content).any(|content| content.media == BYTES);
        with(true, &[problem::PARAMETER])
            .chain(with(reads, &[problem::TOKEN, problem::TOKEN_EXPIRED]))
            .chain(with(matches!(self.access, Access::Scope(_)), &[problem::SCOPE]))
            .chain(with(!is_raw, &[problem::NOT_ACCEPTABLE]))
            .chain(with(!self.body.is_empty(), &[problem::BODY, problem::TIMEOUT, problem::TOO_LARGE, problem::MEDIA]))
            .chain(with(self.needs_version(), &[problem::VERSION, problem::PRECONDITION]))
            .chain(self.problems.iter().copied())
            .chain(with(
                matches!(self.access, Access::Scope(_)),
                &[problem::READ_ONLY, problem::FULL, problem::UNCONFIRMED],
            ))
            .chain(with(!self.free, &[problem::RATE]))
            .chain(with(true, &[problem::INTERNAL]))
            .chain(with(reads, &[problem::ARCHIVE, problem::UNREACHABLE]))
            .chain(with(true, &[problem::BUSY, problem::SLOW]))
            .chain(with(reads, &[problem::STOPPING]))
    }
}
