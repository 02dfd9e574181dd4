//! The feed: changes as server-sent events, each with the number of its change as its id.

use std::borrow::Cow;

use actix_web::web::Bytes;
use quipu_referee::report;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{
    change_filters::ChangeQuery,
    shared::{LAST_EVENT, OF_EVENTS, OF_GAMES, OF_PLAYERS, OF_TOURNAMENT, SINCE},
    sse::{self, StreamEnd},
};
use crate::{
    endpoint::Endpoint,
    problem::HandlerResult,
    request::RequestContext,
    route::{Content, GET, Response, Route},
    service::Service,
};
use quipu_archive::{
    model::{self, Number},
    report::NewsReport,
    store::{NextChange, Store, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/feed",
        id: "feed",
        group: "changes",
        params: &[OF_GAMES, OF_EVENTS, OF_PLAYERS, OF_TOURNAMENT, SINCE, LAST_EVENT],
        responses: &[Response::ok(&[Content::events::<Event>()])],
        streams: true,
        ..GET
    },
    handler: |context| Box::pin(feed(context)),
}];

/// Bytes of events that are sent at once, except for the last event.
const BATCH: usize = 16 * 1024;
/// Most bytes of a batch: its last event has five short names and a reason.
const MAX_BATCH: usize = 2 * BATCH;

/// An event as OpenAPI describes it: its fields, and the schema of its data.
pub(crate) enum Event {}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "FeedEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let news = generator.subschema_for::<NewsReport>();
        json_schema!({
            "type": "object",
            "required": ["id", "event", "data"],
            "properties": {
                "id": { "type": "string", "pattern": "^[1-9][0-9]*$" },
                "event": { "type": "string", "enum": super::enum_values::change_kinds() },
                "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": news }
            }
        })
    }
}

async fn feed(context: RequestContext) -> HandlerResult {
    let query = ChangeQuery::of(&context)?;
    let asked = context.number("Last-Event-ID").or_else(|| context.number("since"));
    let since = context.read(|reading| {
        let last = reading.last_change()?;
        // A number in the future belongs to another archive.
        Ok(asked.map_or(last, |since| since.min(last)))
    })?;
    // The id is also that of a client that reconnects before the first change.
    let source = Feed { store: context.store().clone(), query, since, told: since };
    context.events(sse::stream(&context, &last_id(since), source, context.commits()))
}

/// An event with only an id: it is not delivered to scripts, but sets the id with which a client reconnects.
fn last_id(since: Number) -> String {
    format!("id: {since}\n")
}

/// A listener of the feed.
struct Feed {
    store: Store,
    query: ChangeQuery,
    /// The last change sent or passed over.
    since: Number,
    /// The last id sent.
    told: Number,
}

/// Changes passed over after which a listener is told how far it is, so that it need not begin there again.
const MAX_UNREPORTED: Number = 500;

impl sse::EventSource for Feed {
    async fn poll(&mut self, service: &Service) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        let Ok(mut reservation) = service.spool.memory().reserve(MAX_BATCH) else { return Err(StreamEnd::Later) };
        let mut events = Vec::new();
        self.store.read_within(service.settings.query_timeout, |reading| {
            let filter = self.query.filter(reading)?;
            while events.len() < BATCH {
                match reading.next_change(&filter, self.since)? {
                    NextChange::Found(change, card) => {
                        (self.since, self.told) = (change.number, change.number);
                        write_event(*change, card.map(|card| *card), &mut events);
                    }
                    NextChange::NoneUpTo(last) => {
                        self.since = last;
                        break;
                    }
                }
            }
            Ok::<_, StoreError>(())
        })?;
        if self.since - self.told >= MAX_UNREPORTED {
            self.told = self.since;
            events.extend_from_slice(format!("{}\n", last_id(self.told)).as_bytes());
        }
        reservation.shrink_to(events.len());
        Ok((!events.is_empty()).then(|| vec![reservation.hold(events)]))
    }
}

fn write_event(change: model::Change, card: Option<model::Card>, text: &mut Vec<u8>) {
    text.extend_from_slice(format!("id: {}\nevent: {}\ndata: ", change.number, change.kind.as_str()).as_bytes());
    let news = NewsReport::new(change, card);
    // Writing to memory does not fail, and ends the line.
    drop(report::write(&news, &mut *text));
    text.push(b'\n');
}
