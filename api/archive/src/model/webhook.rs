//! Webhooks: addresses that get the changes of the archive, and attempts to deliver to them.

use std::{fmt, time::Duration};

use chrono::{DateTime, Utc};
use quipu_referee::Status;

use super::{Card, Change, ChangeKind, Number};

/// Type of an event, as deliveries name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// A record was added; the status of its verdict.
    Record(Status),
    /// Any other change.
    Change(ChangeKind),
    /// A test of the address; no change.
    Ping,
}

impl EventType {
    /// All types that a webhook may choose.
    pub const ALL: [Self; 10] = [
        Self::Record(Status::Verified),
        Self::Record(Status::Incomplete),
        Self::Record(Status::Rejected),
        Self::Record(Status::Unreadable),
        Self::Change(ChangeKind::Verdict),
        Self::Change(ChangeKind::Correction),
        Self::Change(ChangeKind::Retraction),
        Self::Change(ChangeKind::Merge),
        Self::Change(ChangeKind::Tournament),
        Self::Change(ChangeKind::Undo),
    ];

    /// The type of a change with the record that it is about; none for an added record without a card.
    pub fn of(change: &Change, card: Option<&Card>) -> Option<Self> {
        match change.kind {
            ChangeKind::Record => card.map(|card| Self::Record(card.status)),
            kind => Some(Self::Change(kind)),
        }
    }

    /// Name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Record(Status::Verified) => "record.verified",
            Self::Record(Status::Incomplete) => "record.incomplete",
            Self::Record(Status::Rejected) => "record.rejected",
            Self::Record(Status::Unreadable) => "record.unreadable",
            Self::Change(kind) => kind.as_str(),
            Self::Ping => "ping",
        }
    }

    /// The type with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::Ping]).find(|event| event.as_str() == name)
    }
}

/// State of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WebhookState {
    /// It gets changes.
    Enabled,
    /// An administrator has paused it.
    Paused,
    /// Disabled: its receiver has answered 410.
    Gone,
    /// Disabled: a delivery has failed for too long.
    Failed,
}

impl WebhookState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Enabled, Self::Paused, Self::Gone, Self::Failed];

    /// Name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Paused => "paused",
            Self::Gone => "gone",
            Self::Failed => "failed",
        }
    }

    /// The state with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Kind of failure of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryFailure {
    /// The response has a status other than 2xx, 3xx and 410.
    Status,
    /// The response has the status 410.
    Gone,
    /// The response is a redirect, which is not followed.
    Redirect,
    /// The name of the host has no address.
    Name,
    /// No address of the host may be called.
    Address,
    /// The connection failed.
    Connection,
    /// The certificate of the receiver is not valid for its name, or TLS failed.
    Tls,
    /// There was no response in time.
    Timeout,
    /// The response is not HTTP, or has too long headers.
    Response,
}

impl DeliveryFailure {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Status,
        Self::Gone,
        Self::Redirect,
        Self::Name,
        Self::Address,
        Self::Connection,
        Self::Tls,
        Self::Timeout,
        Self::Response,
    ];

    /// Name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Gone => "gone",
            Self::Redirect => "redirect",
            Self::Name => "name",
            Self::Address => "address",
            Self::Connection => "connection",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Response => "response",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|failure| failure.as_str() == name)
    }
}

/// The key that signs the deliveries of a webhook.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WebhookSecret([u8; Self::BYTES]);

impl WebhookSecret {
    /// Its bytes.
    pub const BYTES: usize = 32;

    /// The secret of these bytes.
    pub const fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// A random secret.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; Self::BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }
}

impl AsRef<[u8]> for WebhookSecret {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Prints no secret, because debug output gets into logs.
impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whsec_…")
    }
}

/// A webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its id, of [`Webhook::ID`] characters.
    pub id: String,
    /// Address of the receiver.
    pub url: String,
    /// The types that it gets; empty for all.
    pub events: Vec<EventType>,
    /// Identifiers of the games whose changes it gets; empty for all.
    pub games: Vec<String>,
    /// The key that signs deliveries.
    pub secret: WebhookSecret,
    /// The key before it was rotated, which signs too until this time.
    pub old_secret: Option<(WebhookSecret, DateTime<Utc>)>,
    /// Time of its creation.
    pub created: DateTime<Utc>,
    /// Its state.
    pub state: WebhookState,
    /// The last change that was delivered or passed over.
    pub delivered: Number,
    /// Failed attempts for the next change.
    pub attempts: u32,
    /// Time of the first of them.
    pub failing_since: Option<DateTime<Utc>>,
    /// Time of the next attempt, after one that failed.
    pub next_attempt: Option<DateTime<Utc>>,
    /// The service that delivers, and the time until which it does so alone.
    pub holder: Option<(String, DateTime<Utc>)>,
}

impl Webhook {
    /// Characters of an id.
    pub const ID: usize = super::TokenText::ID;
    /// Most characters of an address.
    pub const URL: usize = 2_000;
}

/// An attempt to deliver an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Time of the attempt.
    pub at: DateTime<Utc>,
    /// Type of the event.
    pub event: EventType,
    /// The change; none for a test.
    pub change: Option<Number>,
    /// Number of the attempt for this event, from 1.
    pub attempt: u32,
    /// Status of the response, if there was one.
    pub status: Option<u16>,
    /// The failure, if it failed.
    pub failure: Option<DeliveryFailure>,
    /// Its duration.
    pub duration: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed() {
        let secret = WebhookSecret::new([7; WebhookSecret::BYTES]);
        let webhook = Webhook {
            id: "abcd2345".to_owned(),
            url: "https://receiver.example/".to_owned(),
            events: Vec::new(),
            games: Vec::new(),
            secret,
            old_secret: Some((secret, DateTime::UNIX_EPOCH)),
            created: DateTime::UNIX_EPOCH,
            state: WebhookState::Enabled,
            delivered: 0,
            attempts: 0,
            failing_since: None,
            next_attempt: None,
            holder: None,
        };
        let printed = format!("{webhook:?}");
        assert!(printed.contains("secret: whsec_…, old_secret: Some((whsec_…,"), "{printed}");
    }
}
