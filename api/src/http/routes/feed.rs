//! What happens, as it happens: a stream of events, each with the number of its change for its id.

use std::borrow::Cow;

use actix_web::web::Bytes;
use quipu_referee::report;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::{
    super::call::Call,
    Answered,
    changes::Change,
    pulse::{self, Over},
    records::Card,
};
use crate::{
    archive::{self, Number},
    store::Store,
};

/// Events that are sent at once.
const PAGE: usize = 50;

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
                "event": { "type": "string", "enum": super::choices::kinds() },
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

pub(super) async fn feed(call: Call) -> Answered {
    let asked = call.number("Last-Event-ID").or_else(|| call.number("since"));
    let since = call.read(|reading| {
        let last = reading.last_change()?;
        // What has not happened yet nobody has seen: such a number is of another archive.
        Ok(asked.map_or(last, |since| since.min(last)))
    })?;
    // An event that only has an id tells nobody anything; who is cut off before the first change knows where it was.
    let listener = Listener { store: call.store().clone(), since };
    call.events(pulse::listen(&call, &format!("id: {since}\n"), listener))
}

/// Somebody who listens.
struct Listener {
    store: Store,
    /// The last change that was sent.
    since: Number,
}

impl pulse::Listener for Listener {
    fn news(&mut self) -> Result<Option<Bytes>, Over> {
        let news = self.store.read(|reading| reading.news(self.since, PAGE))?;
        let Some((last, _)) = news.last() else { return Ok(None) };
        self.since = last.number;
        Ok(Some(events(news)))
    }
}

fn events(news: Vec<(archive::Change, Option<archive::Card>)>) -> Bytes {
    let mut text = Vec::with_capacity(news.len() * 1024);
    for (change, card) in news {
        text.extend_from_slice(format!("id: {}\nevent: {}\ndata: ", change.number, change.kind.as_str()).as_bytes());
        let news = News { change: change.into(), record: card.map(Card::from) };
        // Writing to memory does not fail, and ends the line.
        drop(report::write(&news, &mut text));
        text.push(b'\n');
    }
    text.into()
}
