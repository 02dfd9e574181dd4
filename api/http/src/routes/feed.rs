//! The feed: changes as server-sent events, each with the number of its change as its id.

use std::borrow::Cow;

use actix_web::web::Bytes;
use quipu_referee::report;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::{
    shared::{LAST_EVENT, SINCE},
    sse::{self, StreamEnd},
};
use crate::{
    endpoint::Endpoint,
    problem::HandlerResult,
    request::RequestContext,
    route::{Answer, Content, GET, Route},
    service::Service,
};
use quipu_archive::{
    model::{self, Number},
    report::{CardReport, ChangeReport},
    store::{Store, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/feed",
        id: "feed",
        group: "changes",
        params: &[SINCE, LAST_EVENT],
        answers: &[Answer::ok(&[Content::events::<Event>()])],
        streams: true,
        ..GET
    },
    handler: |context| Box::pin(feed(context)),
}];

/// Bytes of events that are sent at once, except for the last event.
const BATCH: usize = 16 * 1024;
/// Most bytes of a batch: its last event has five short names and a reason.
const LARGEST: usize = 2 * BATCH;

/// An event as OpenAPI describes it: its fields, and the schema of its data.
pub(crate) enum Event {}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "FeedEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let news = generator.subschema_for::<News>();
        json_schema!({
            "type": "object",
            "required": ["id", "event", "data"],
            "properties": {
                "id": { "type": "string", "pattern": "^[1-9][0-9]*$" },
                "event": { "type": "string", "enum": super::enum_values::kinds() },
                "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": news }
            }
        })
    }
}

/// The data of an event.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct News {
    /// The change.
    change: ChangeReport,
    /// The record that it is about, in its current state.
    record: Option<CardReport>,
}

async fn feed(context: RequestContext) -> HandlerResult {
    let asked = context.number("Last-Event-ID").or_else(|| context.number("since"));
    let since = context.read(|reading| {
        let last = reading.last_change()?;
        // A number in the future belongs to another archive.
        Ok(asked.map_or(last, |since| since.min(last)))
    })?;
    // An event with only an id is not delivered to scripts, but sets the id with which a client reconnects before the
    // first change.
    let source = Feed { store: context.store().clone(), since };
    context.events(sse::stream(&context, &format!("id: {since}\n"), source))
}

/// A listener of the feed.
struct Feed {
    store: Store,
    /// The last change sent.
    since: Number,
}

impl sse::EventSource for Feed {
    async fn poll(&mut self, service: &Service) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        let Ok(mut reservation) = service.spool.memory().reserve(LARGEST) else { return Err(StreamEnd::Later) };
        let mut events = Vec::new();
        self.store.read(|reading| {
            while events.len() < BATCH
                && let Some((change, card)) = reading.change_after(self.since)?
            {
                self.since = change.number;
                write_event(change, card, &mut events);
            }
            Ok::<_, StoreError>(())
        })?;
        reservation.shrink_to(events.len());
        Ok((!events.is_empty()).then(|| vec![reservation.hold(events)]))
    }
}

fn write_event(change: model::Change, card: Option<model::Card>, text: &mut Vec<u8>) {
    text.extend_from_slice(format!("id: {}\nevent: {}\ndata: ", change.number, change.kind.as_str()).as_bytes());
    let news = News { change: change.into(), record: card.map(CardReport::from) };
    // Writing to memory does not fail, and ends the line.
    drop(report::write(&news, &mut *text));
    text.push(b'\n');
}
