//! What happens, as it happens: a stream of events, each with the number of its change for its id.

use std::{borrow::Cow, future, time::Duration};

use actix_web::web::Bytes;
use futures_util::stream::{self, StreamExt};
use quipu_referee::report;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use tokio::{
    sync::watch,
    time::{self, Instant},
};

use super::{super::call::Call, Answered, changes::Change, records::Card};
use crate::{
    archive::{self, Number},
    store::Store,
};

/// Events that are sent at once.
const PAGE: usize = 50;
/// How long it may take until changes are seen that another program wrote.
const POLL: Duration = Duration::from_secs(1);
/// How long a listener waits at least between two looks, so that many of them leave the archive time for others.
const PAUSE: Duration = Duration::from_millis(50);
/// How long nothing is sent at the most; a connection that is silent for longer is taken for dead on its way.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Milliseconds after which a client is to try again.
const RETRY: u32 = 2_000;

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
                "event": { "type": "string", "enum": super::kinds() },
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
    let first = Bytes::from(format!("retry: {RETRY}\nid: {since}\n\n"));
    let now = Instant::now();
    let listener =
        Listener { store: call.store().clone(), commits: call.commits(), since, looked: now - PAUSE, sent: now };
    call.events(stream::once(future::ready(first)).chain(stream::unfold(listener, Listener::next)))
}

/// Somebody who listens. What was sent and not yet taken holds the next look up, so that nothing piles up.
struct Listener {
    store: Store,
    commits: watch::Receiver<u64>,
    /// The last change that was sent.
    since: Number,
    /// When the archive was asked last.
    looked: Instant,
    /// When something was sent last.
    sent: Instant,
}

impl Listener {
    /// The next events, or a sign of life; nothing if the archive fails, so that the client comes back.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        loop {
            time::sleep_until(self.looked + PAUSE).await;
            // Before the archive is asked: what is committed from now on wakes again.
            self.commits.mark_unchanged();
            self.looked = Instant::now();
            let news = self.store.read(|reading| reading.news(self.since, PAGE));
            let news = news.inspect_err(|error| tracing::error!(%error, "feed")).ok()?;
            if let Some((change, _)) = news.last() {
                self.since = change.number;
                self.sent = Instant::now();
                return Some((events(news), self));
            }
            let heartbeat = self.sent + HEARTBEAT;
            if self.looked >= heartbeat {
                self.sent = self.looked;
                return Some((Bytes::from_static(b":\n\n"), self));
            }
            let wake = heartbeat.min(self.looked + POLL);
            // That it is time to look again is no less good than that something was committed.
            if let Ok(Err(_)) = time::timeout_at(wake, self.commits.changed()).await {
                return None;
            }
        }
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
