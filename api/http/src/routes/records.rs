//! Stored records: lists, one record in its formats, its submitted bytes, and its verdict.

use std::{borrow::Cow, io::Write};

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use quipu_notation::record::{
    self, Format,
    write::{self, OutputFormat},
};
use quipu_referee::report::{self, hex};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::{
    enum_values::{record_orders, yes_or_no},
    filters::RecordQuery,
    shared::{CURSOR, LIMIT, RECORD, filters},
};
use crate::{
    endpoint::Endpoint,
    headers::{NO_RANGES, repr_digest},
    params::{DEFAULT_LIMIT, Kind, Param},
    permits::Permit,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{BYTES, CSV, Content, GET, JSON, Response, Route, TEXT},
    schema,
    spool::SpoolWriter,
};
use quipu_archive::{
    model::{Card, Id, Source},
    report::CardReport,
    store::{self, Count, Cursor, LimitedSource, ReadTx, Size, StoreError, cursor_text},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/records",
            id: "records",
            group: "records",
            params: filters![query; IDS, SORT, TOTAL, LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<CardList>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}",
            id: "record",
            group: "records",
            params: &[RECORD],
            responses: &[Response::ok(&[Content::json::<Record<'_>>(), Content::text(TEXT), Content::text(CSV)])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/source",
            id: "source",
            group: "records",
            params: &[RECORD],
            responses: &[Response::ok(&[
                Content::text(TEXT),
                Content::any(JSON),
                Content::text(CSV),
                Content::bytes(BYTES),
            ])],
            problems: &[problem::ID, problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(source(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/verdict",
            id: "verdict",
            group: "records",
            params: &[RECORD],
            responses: &[Response::ok(&[Content::json::<schema::Verdict<'_>>()])],
            problems: &[problem::ID, problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(verdict(context)),
    },
];

/// Most ids of records in a request.
const MAX_IDS: usize = 100;
/// Records that are counted one by one at most.
const MAX_COUNT: u64 = 1_000;

const IDS: Param = Param::query("ids", Kind::Ids(MAX_IDS));
const SORT: Param = Param::query("sort", Kind::Choice(record_orders));
const TOTAL: Param = Param::query("total", Kind::Choice(yes_or_no));

/// A page of a list of records.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CardList {
    /// The items of the page.
    items: Vec<CardReport>,
    /// Start of the next page, if there is one: the value of `cursor`.
    next: Option<String>,
    /// Number of records on all pages, if the request asks for it.
    total: Option<Total>,
}

/// Number of records that match the filters.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecordTotal", deny_unknown_fields)]
struct Total {
    /// The number, or the number up to which they were counted.
    records: u64,
    /// False if there are more.
    exact: bool,
}

/// Largest record that is read on the worker thread, in bytes.
pub(super) const SMALL: usize = 8 * 1024;
/// Largest record that is read concurrently with others, in bytes.
pub(crate) const LARGE: usize = 256 * 1024;

async fn index(context: RequestContext) -> HandlerResult {
    let search = Search::of(&context)?;
    let (is_quick, limit) = (search.query.is_quick(), search.limit);
    let ask = move |reading: &ReadTx<'_>| search.read(reading);
    let found = if is_quick { context.read_page(limit, ask).await? } else { context.read_slowly(ask).await? };
    let SearchPage { page: store::ListPage { items, next }, total } = found;
    let items = items.into_iter().map(CardReport::from).collect();
    let total = total.map(|Count { records, is_exact }| Total { records, exact: is_exact });
    let list = CardList { items, next: next.as_ref().and_then(cursor_text), total };
    Ok(context.linked_page("cursor", list.next.as_deref(), &list))
}

/// One page of a search for records.
pub(crate) struct Search {
    query: RecordQuery,
    after: Option<Cursor>,
    limit: usize,
    /// True if the number of all records is requested too.
    is_counted: bool,
}

pub(crate) struct SearchPage {
    pub(crate) page: store::ListPage<Card, Cursor>,
    /// The number of all records, if it was requested and takes little time.
    pub(crate) total: Option<Count>,
}

impl Search {
    /// The search of a request.
    ///
    /// # Errors
    /// `api.parameter` for parameters that do not fit, or `api.cursor` for a cursor of a list in another order.
    pub(crate) fn of(context: &RequestContext) -> Result<Self, Problem> {
        Self::with(context, RecordQuery::of(context)?)
    }

    /// The search of a form, in which an opponent alone is the player.
    ///
    /// # Errors
    /// As [`Search::of`].
    pub(crate) fn of_form(context: &RequestContext) -> Result<Self, Problem> {
        Self::with(context, RecordQuery::of_form(context)?)
    }

    fn with(context: &RequestContext, query: RecordQuery) -> Result<Self, Problem> {
        let after: Option<Cursor> = context.cursor()?;
        if after.as_ref().is_some_and(|after| after.date.is_some() != query.order().is_by_date()) {
            return Err(context.invalid_cursor());
        }
        let limit = if context.declares("limit") { context.limit() } else { DEFAULT_LIMIT };
        let is_counted = context.declares("total") && context.text("total") == Some("yes");
        Ok(Self { query, after, limit, is_counted })
    }

    /// The same search with this player as the first or the second that it names.
    pub(crate) fn with_player(mut self, place: usize, number: i64) -> Self {
        let player = if place == 0 { &mut self.query.player } else { &mut self.query.against };
        *player = Some(number.to_string());
        self
    }

    /// The cards of the page.
    ///
    /// # Errors
    /// The error of the archive.
    pub(crate) fn read(self, reading: &ReadTx<'_>) -> Result<SearchPage, StoreError> {
        let order = self.query.order();
        let Some(filter) = self.query.filter(reading)? else {
            let none = Count { records: 0, is_exact: true };
            let page = store::ListPage { items: Vec::new(), next: None };
            return Ok(SearchPage { page, total: self.is_counted.then_some(none) });
        };
        let page = reading.cards_in(order, &filter, self.after.as_ref(), self.limit)?;
        let total = if self.is_counted { reading.count(&filter, order, MAX_COUNT)? } else { None };
        Ok(SearchPage { page, total })
    }
}

pub(crate) async fn show(context: RequestContext) -> HandlerResult {
    let (id, media) = (context.record(), context.media);
    let mut out = context.spool();
    let write = move |source: &Source| {
        let digest = write_in(media, &id, source, &mut out)?;
        Ok((out.finish()?, digest))
    };
    let (written, digest) = with_source_now(&context, &id, write).await?;
    let mut response = context.spooled(written);
    let headers = [NO_RANGES].into_iter().chain(digest.map(repr_digest));
    headers.for_each(|(name, value)| drop(response.headers_mut().insert(name, value)));
    Ok(context.with_etag(response, CachePolicy::Immutable, format_args!("{}", hex(&id))))
}

/// Writes a record in one of its formats. Returns the SHA-256 of its text.
fn write_in(media: &str, id: &Id, source: &Source, out: &mut SpoolWriter) -> Result<Option<Id>, Problem> {
    let chunk = source.chunk();
    let Some(Ok(record)) = chunk.records().next() else { return Err(unreadable(id)) };
    // `finish` reports a response that cannot be spooled.
    drop(match media {
        TEXT => out.write_all(chunk.text()),
        CSV => out.write_all(OutputFormat::Csv.write(&record).0.as_bytes()),
        _ => report::write(&Record(&record), out),
    });
    Ok((media == TEXT).then(|| Sha256::digest(chunk.text()).into()))
}

/// Processes a stored record on another thread, with a permit, and a large one alone. So memory holds only records that
/// are being processed.
pub(crate) async fn with_source<T: Send + 'static>(
    context: &RequestContext,
    id: &Id,
    make: impl FnOnce(&Source) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let size = size(context, id)?.record;
    let (store, id) = (context.store().clone(), *id);
    let work = move || make(&store.read(|reading| reading.source(&id))?.ok_or_else(|| no_record(&id))?);
    if size <= LARGE { context.work(work).await } else { context.work_on_large_record(work).await }
}

/// Processes a stored record at low cost: on this thread for a small record, else as [`with_source`].
pub(crate) async fn with_source_now<T: Send + 'static>(
    context: &RequestContext,
    id: &Id,
    make: impl FnOnce(&Source) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match context.read_autocommit(|reading| reading.source(id, SMALL))?.ok_or_else(|| no_record(id))? {
        LimitedSource::Source(source) => make(&source),
        LimitedSource::TooLarge => with_source(context, id, make).await,
    }
}

/// The permit to process a record, if it is a large one.
pub(super) async fn permit_if_large(context: &RequestContext, id: &Id) -> Result<Option<Permit>, Problem> {
    let is_large = size(context, id)?.record > LARGE;
    Ok(if is_large { Some(context.large_record_permit().await?) } else { None })
}

async fn source(context: RequestContext) -> HandlerResult {
    let (id, mut out) = (context.record(), context.spool());
    let format = size(&context, &id)?.format;
    let written = with_source(&context, &id, move |source| {
        drop(out.write_all(&source.bytes));
        let is_text = std::str::from_utf8(&source.bytes).is_ok();
        Ok((out.finish()?, is_text, Sha256::digest(&source.bytes)))
    });
    let (written, is_text, digest) = written.await?;
    let media = match format {
        _ if !is_text => BYTES,
        Format::Json | Format::Hnefatafl => JSON,
        Format::Csv => CSV,
        Format::Quipu | Format::Otg | Format::Pgn => TEXT,
    };
    let id = hex(&id);
    let name = format!("attachment; filename=\"{id}.{}\"", format.as_str());
    let mut response = HttpResponse::Ok();
    response.content_type(HeaderValue::from_static(media));
    response
        .insert_header((header::CONTENT_DISPOSITION, name))
        .insert_header(NO_RANGES)
        .insert_header(repr_digest(digest));
    Ok(context.with_etag(response.body(written.into_body()), CachePolicy::Immutable, format_args!("{id}-source")))
}

async fn verdict(context: RequestContext) -> HandlerResult {
    let (id, lang) = (context.record(), context.lang);
    let small = context.read(|reading| {
        let Some(size) = reading.size(&id)? else { return Ok(None) };
        Ok::<_, StoreError>(Some(if size.verdicts > LARGE { None } else { reading.judgement(&id)? }))
    });
    let small = small?.ok_or_else(|| no_record(&id))?;
    let (response, number) = if let Some(judgement) = small {
        (context.json(&schema::Verdict(judgement.report(lang))), judgement.number)
    } else {
        let (store, mut out) = (context.store().clone(), context.spool());
        let written = context.work_on_large_record(move || {
            let judgement = store.read(|reading| reading.judgement(&id))?.ok_or_else(|| no_record(&id))?;
            drop(report::write(&schema::Verdict(judgement.report(lang)), &mut out));
            Ok((out.finish()?, judgement.number))
        });
        let (written, number) = written.await?;
        (context.with_language(context.spooled(written)), number)
    };
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{number}")))
}

pub(crate) fn size(context: &RequestContext, id: &Id) -> Result<Size, Problem> {
    context.read(|reading| reading.size(id))?.ok_or_else(|| no_record(id))
}

/// The problem of a record that does not exist.
pub(crate) fn no_record(id: &Id) -> Problem {
    Problem::variant(problem::NOT_FOUND, "record").with("found", hex(id))
}

/// The problem of a record that is stored as submitted and has no other format.
pub(super) fn unreadable(id: &Id) -> Problem {
    let id = hex(id);
    let source = format!("/v1/records/{id}/source");
    let problem = Problem::new(problem::UNREADABLE).with("found", id).with("source", &source);
    let link = format!("<{source}>; rel=\"alternate\"");
    problem.extension("source", &source).header_text(header::LINK, &link)
}

/// A record as JSON.
pub(crate) struct Record<'r>(pub(super) &'r record::Record<'r>);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write::object(self.0).serialize(serializer)
    }
}

impl JsonSchema for Record<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Record".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let moves = generator.subschema_for::<Move>();
        let text = json_schema!({ "type": "string" });
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["moves"],
            "properties": {
                "game": text,
                "rules": text,
                "tags": { "type": "object", "additionalProperties": { "type": ["string", "null"] } },
                "setup": text,
                "first": text,
                "comments": { "type": "array", "items": text },
                "moves": { "type": "array", "items": moves },
                "result": text
            }
        })
    }
}

/// A move of a record as JSON.
enum Move {}

impl JsonSchema for Move {
    fn schema_name() -> Cow<'static, str> {
        "Move".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let variation = generator.subschema_for::<Variation>();
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["move"],
            "properties": {
                "move": { "type": "string" },
                "clock_ms": { "type": "integer", "minimum": 0 },
                "comment": { "type": ["string", "array"], "items": { "type": "string" } },
                "nags": { "type": "array", "items": { "type": "integer", "minimum": 0 } },
                "variations": { "type": "array", "items": variation }
            }
        })
    }
}

/// A variation of a move.
enum Variation {}

impl JsonSchema for Variation {
    fn schema_name() -> Cow<'static, str> {
        "Variation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let moves = generator.subschema_for::<Move>();
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["moves"],
            "properties": {
                "comments": { "type": "array", "items": { "type": "string" } },
                "moves": { "type": "array", "items": moves }
            }
        })
    }
}
