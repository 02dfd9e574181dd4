//! What happens, as it happens: a stream of events, each with the number of its change for its id.

use std::borrow::Cow;

use actix_web::web::Bytes;
use quipu_referee::report;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::{
    change::Change,
    records::Card,
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

/// Bytes of events that are sent at once, but for the last of them.
const BATCH: usize = 16 * 1024;
/// Bytes of a batch at the most: its last event has five short names and a reason.
const LARGEST: usize = 2 * BATCH;

/// An event as OpenAPI describes it: the values of its fields, and what its data are.
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

/// What an event tells.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct News {
    /// What happened.
    change: Change,
    /// The record that it is about, as it is now.
    record: Option<Card>,
}

async fn feed(context: RequestContext) -> HandlerResult {
    let asked = context.number("Last-Event-ID").or_else(|| context.number("since"));
    let since = context.read(|reading| {
        let last = reading.last_change()?;
        // What has not happened yet nobody has seen: such a number is of another archive.
        Ok(asked.map_or(last, |since| since.min(last)))
    })?;
    // An event that only has an id tells nobody anything; who is cut off before the first change knows where it was.
    let listener = Listener { store: context.store().clone(), since };
    context.events(sse::listen(&context, &format!("id: {since}\n"), listener))
}

/// Somebody who listens.
struct Listener {
    store: Store,
    /// The last change that was sent.
    since: Number,
}

impl sse::Listener for Listener {
    async fn news(&mut self, service: &Service) -> Result<Option<Vec<Bytes>>, StreamEnd> {
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
    let news = News { change: change.into(), record: card.map(Card::from) };
    // Writing to memory does not fail, and ends the line.
    drop(report::write(&news, &mut *text));
    text.push(b'\n');
}
