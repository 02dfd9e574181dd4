//! Webhooks and deliveries in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::time;
use crate::model::{Delivery, DeliveryFailure, EventType, Number, Webhook, WebhookState};

/// A webhook without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookReport<'w> {
    /// Its id.
    pub id: &'w str,
    /// Address of the receiver.
    pub url: &'w str,
    /// The types of events that it gets; empty for all.
    #[schemars(with = "Vec<String>")]
    pub events: Vec<&'static str>,
    /// The games whose changes it gets; empty for all.
    pub games: &'w [String],
    /// Its state.
    #[schemars(extend("enum" = WebhookState::ALL.map(WebhookState::as_str)))]
    pub state: &'static str,
    /// Time of its creation.
    #[schemars(extend("format" = "date-time"))]
    pub created: String,
    /// The last change that was delivered, or that it does not get.
    #[schemars(range(min = 0))]
    pub delivered: Number,
    /// Failed attempts for the next change.
    pub attempts: u32,
    /// Time of the first of them.
    #[schemars(extend("format" = "date-time"))]
    pub failing_since: Option<String>,
    /// Time of the next attempt, after one that failed.
    #[schemars(extend("format" = "date-time"))]
    pub next_attempt: Option<String>,
}

impl<'w> WebhookReport<'w> {
    /// The report of a webhook.
    pub fn new(webhook: &'w Webhook) -> Self {
        Self {
            id: &webhook.id,
            url: &webhook.url,
            events: webhook.events.iter().map(|event| event.as_str()).collect(),
            games: &webhook.games,
            state: webhook.state.as_str(),
            created: time(webhook.created),
            delivered: webhook.delivered,
            attempts: webhook.attempts,
            failing_since: webhook.failing_since.map(time),
            next_attempt: webhook.next_attempt.map(time),
        }
    }
}

/// An attempt to deliver an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery", deny_unknown_fields)]
pub struct DeliveryReport {
    /// Time of the attempt.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// Type of the event.
    #[schemars(extend("enum" = event_types_and_ping()))]
    pub event: &'static str,
    /// The change; none for a test.
    #[schemars(range(min = 1))]
    pub change: Option<Number>,
    /// Number of the attempt for this event.
    #[schemars(range(min = 1))]
    pub attempt: u32,
    /// Status of the response, if there was one.
    #[schemars(range(min = 100, max = 999))]
    pub status: Option<u16>,
    /// The failure, if it failed.
    #[schemars(extend("enum" = failures_or_none()))]
    pub failure: Option<&'static str>,
    /// Its duration.
    pub milliseconds: u64,
}

fn event_types_and_ping() -> Vec<&'static str> {
    EventType::ALL.into_iter().chain([EventType::Ping]).map(EventType::as_str).collect()
}

fn failures_or_none() -> Vec<Option<&'static str>> {
    DeliveryFailure::ALL.into_iter().map(|failure| Some(failure.as_str())).chain([None]).collect()
}

impl From<&Delivery> for DeliveryReport {
    fn from(delivery: &Delivery) -> Self {
        Self {
            at: time(delivery.at),
            event: delivery.event.as_str(),
            change: delivery.change,
            attempt: delivery.attempt,
            status: delivery.status,
            failure: delivery.failure.map(DeliveryFailure::as_str),
            milliseconds: u64::try_from(delivery.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
