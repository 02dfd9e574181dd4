//! Events as deliveries have them: headers and body.

use chrono::{DateTime, Utc};
use quipu_archive::{
    model::{Card, Change, EventType, Webhook},
    report::{NewsReport, time},
};
use quipu_referee::report;
use serde::Serialize;

use crate::signature::signature;

/// An event on its way to a receiver.
pub(crate) struct Event {
    /// The same for all attempts, so that a receiver recognizes what it has.
    id: String,
    body: Vec<u8>,
}

#[derive(Serialize)]
struct Body<'d, D: Serialize> {
    r#type: &'static str,
    timestamp: String,
    data: &'d D,
}

#[derive(Serialize)]
struct Ping<'w> {
    webhook: &'w str,
}

impl Event {
    /// The event of a change, with the record that it is about.
    pub(crate) fn of_change(webhook: &Webhook, event: EventType, change: Change, card: Option<Card>) -> Self {
        let (number, at) = (change.number, change.at);
        let body = body(event, at, &NewsReport::new(change, card));
        // A copy of the archive that was served again has other changes with the same numbers, at other times.
        Self { id: format!("msg_{}_{number}_{}", webhook.id, at.timestamp_millis()), body }
    }

    /// A test of the receiver.
    pub(crate) fn ping(webhook: &Webhook, now: DateTime<Utc>) -> Self {
        let body = body(EventType::Ping, now, &Ping { webhook: &webhook.id });
        Self { id: format!("msg_{}_ping_{}", webhook.id, now.timestamp_millis()), body }
    }

    /// Headers at the time of an attempt.
    pub(crate) fn headers(&self, webhook: &Webhook, now: DateTime<Utc>) -> [(&'static str, String); 4] {
        let old = webhook.old_secret.filter(|(_, until)| *until > now).map(|(secret, _)| secret);
        let secrets: Vec<_> = [webhook.secret].into_iter().chain(old).collect();
        let signature = signature(&secrets, &self.id, now.timestamp(), &self.body);
        [
            ("content-type", "application/json".to_owned()),
            ("webhook-id", self.id.clone()),
            ("webhook-timestamp", now.timestamp().to_string()),
            ("webhook-signature", signature),
        ]
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }
}

fn body(event: EventType, at: DateTime<Utc>, data: &impl Serialize) -> Vec<u8> {
    let mut body = Vec::with_capacity(1024);
    // Writing to memory does not fail, and ends the line.
    drop(report::write(&Body { r#type: event.as_str(), timestamp: time(at), data }, &mut body));
    body.pop();
    body
}
