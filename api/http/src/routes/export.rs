//! Export of records: all that match the filters, in the order of entry.

use std::io::{self, Write};

use actix_web::http::header::{HeaderName, HeaderValue};
use quipu_referee::{
    Status,
    report::{self, hex},
};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::runtime::Handle;

use super::{
    filters::RecordQuery,
    records::{self, Record},
    shared::{SINCE, filters},
};
use crate::{
    client::Client,
    endpoint::Endpoint,
    headers::NO_RANGES,
    permits::Permits,
    problem::HandlerResult,
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, GET, Response, Route, TEXT},
    spool::{Spool, Spooled},
    stream::{End, Sink, SinkWriter},
};
use quipu_archive::{
    model::{Card, Number, Source},
    store::{Filter, Store, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/export",
        id: "export",
        group: "records",
        params: filters![query; SINCE],
        responses: &[Response::ok(&[Content::ndjson::<Line<'_>>(), Content::text(TEXT)])],
        streams: true,
        ..GET
    },
    handler: |context| Box::pin(export(context)),
}];

/// Records per query. They may be large, and no query of the archive lasts as long as a slow client reads.
const PAGE: usize = 32;

/// Number of the last change that the response covers. A client that continues `since` this number misses nothing.
const LAST_CHANGE: HeaderName = HeaderName::from_static("quipu-last-change");

/// A record and its place in the archive.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExportLine", deny_unknown_fields)]
pub(crate) struct Line<'r> {
    /// The change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    #[schemars(extend("enum" = super::enum_values::statuses()))]
    status: &'static str,
    #[schemars(extend("enum" = super::enum_values::record_states()))]
    state: &'static str,
    /// The record; null if it cannot be read.
    record: Option<Record<'r>>,
}

async fn export(context: RequestContext) -> HandlerResult {
    let query = RecordQuery::of(&context)?;
    let since = context.number("since").unwrap_or_default();
    let (last, filter) = context.read(|reading| Ok((reading.last_change()?, query.filter(reading)?)))?;
    if let Some(mut response) = context.not_modified(CachePolicy::UntilChange, format_args!("{last}")) {
        response.headers_mut().insert(LAST_CHANGE, HeaderValue::from(last));
        return Ok(response);
    }
    let write: WriteRecord = if context.media == TEXT { text } else { line };
    let store = context.store().clone();
    let large = Large {
        permits: context.service.limits.large_record_permits.clone(),
        client: context.client,
        spool: context.service.spool.clone(),
    };
    let export = move |sink: &mut Sink| match filter {
        Some(filter) => each(&store, &filter, since, last, &large, sink, write),
        None => Ok(()),
    };
    let mut response = context.stream(export).await?;
    let (name, value) = NO_RANGES;
    response.headers_mut().insert(name, value);
    response.headers_mut().insert(LAST_CHANGE, HeaderValue::from(last));
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{last}")))
}

/// Writes every record after `since`, up to the last change at the time of the request.
fn each(
    store: &Store,
    filter: &Filter,
    mut since: Number,
    last: Number,
    large: &Large,
    sink: &mut Sink,
    write: WriteRecord,
) -> Result<(), End> {
    while since < last {
        let page = store.read(|reading| reading.export(filter, since, PAGE, records::LARGE))?;
        for (card, source) in page.iter().take_while(|(card, _)| card.number <= last) {
            match source {
                Some(source) => write(card, source, &mut SinkWriter(sink)).map_err(|_| End::Gone)?,
                None => large.write(store, card, write, sink)?,
            }
        }
        since = page.last().map_or(last, |(card, _)| card.number);
    }
    Ok(())
}

type WriteRecord = fn(&Card, &Source, &mut dyn Write) -> io::Result<()>;

/// Writes large records: each is read alone, with a permit, and spooled before the client reads any of it.
struct Large {
    permits: Permits,
    client: Option<Client>,
    spool: Spool,
}

impl Large {
    fn write(&self, store: &Store, card: &Card, write: WriteRecord, sink: &mut Sink) -> Result<(), End> {
        let written = sink.without_permit(|| self.spool_record(store, card, write))?;
        written.copy_to(&mut SinkWriter(sink)).map_err(|_| End::Gone)
    }

    fn spool_record(&self, store: &Store, card: &Card, write: WriteRecord) -> Result<Spooled, End> {
        let _permit = Handle::current().block_on(self.permits.acquire(self.client, None))?;
        let source = store.read(|reading| reading.source(&card.id))?;
        let source = source.ok_or_else(|| StoreError::Corrupt(format!("change {} is missing", card.number)))?;
        let mut out = self.spool.writer();
        // `finish` reports a response that cannot be spooled.
        drop(write(card, &source, &mut out));
        Ok(out.finish()?)
    }
}

/// Writes a record as one line of JSON.
fn line(card: &Card, source: &Source, out: &mut dyn Write) -> io::Result<()> {
    let record = source.chunk().records().next().and_then(Result::ok);
    let line = Line {
        change: card.number,
        id: hex(&card.id),
        status: card.status.as_str(),
        state: card.state.as_str(),
        record: record.as_ref().map(Record),
    };
    report::write(&line, out)
}

/// Writes a record as canonical text, after a line that the reader skips. An unreadable record has only that line.
fn text(card: &Card, source: &Source, out: &mut dyn Write) -> io::Result<()> {
    let place = format!("% change {} id {}", card.number, hex(&card.id));
    if card.status == Status::Unreadable {
        return out.write_all(format!("{place} unreadable\n\n").as_bytes());
    }
    out.write_all(format!("{place}\n").as_bytes())?;
    out.write_all(source.chunk().text())
}
