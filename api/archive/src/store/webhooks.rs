//! Webhooks. Only their rows are stored: the changes are the queue.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    archive::Store,
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    read_tx::ReadTx,
    rows,
    write_tx::WriteTx,
};
use crate::model::{Delivery, DeliveryFailure, EventType, Number, TokenText, Webhook, WebhookSecret, WebhookState};

/// Webhooks of an archive, at most.
const MAX_WEBHOOKS: usize = 100;
/// Attempts of a webhook that are kept, at most.
const KEPT: i64 = 100;
/// Time for which the secret before a rotation signs too.
const ROTATION: TimeDelta = TimeDelta::hours(24);

/// The reason that a webhook is not created or changed.
#[derive(Clone, Debug)]
pub enum WebhookRefusal {
    /// The archive failed.
    Store(StoreError),
    /// There is no such webhook.
    Missing,
    /// The archive has as many webhooks as it may have; their number.
    TooMany(usize),
}

impl From<StoreError> for WebhookRefusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<database::Error> for WebhookRefusal {
    fn from(error: database::Error) -> Self {
        Self::Store(error.into())
    }
}

/// State of a webhook after an attempt for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The receiver has it.
    Delivered,
    /// It is tried again at this time.
    Retry(DateTime<Utc>),
    /// The webhook is disabled.
    Disabled(WebhookState),
}

impl Store {
    /// True if several services may serve this archive at once.
    pub fn is_shared(&self) -> bool {
        !self.0.database.is_file()
    }
}

impl ReadTx<'_> {
    /// All webhooks, oldest first.
    pub fn webhooks(&self) -> Result<Vec<Webhook>, StoreError> {
        let mut webhooks = self.connection.prepare("SELECT * FROM webhook ORDER BY created, id")?;
        Ok(webhooks.query_map(params![], webhook_row)?.collect::<Result<_, _>>()?)
    }

    /// The webhook with an id.
    pub fn webhook(&self, id: &str) -> Result<Option<Webhook>, StoreError> {
        let mut webhook = self.connection.prepare("SELECT * FROM webhook WHERE id = ?")?;
        Ok(webhook.query_row([id], webhook_row).optional()?)
    }

    /// The latest attempts of a webhook, the last one first.
    pub fn deliveries(&self, id: &str) -> Result<Vec<Delivery>, StoreError> {
        let mut deliveries =
            self.connection.prepare("SELECT * FROM webhook_delivery WHERE webhook = ? ORDER BY number DESC")?;
        Ok(deliveries.query_map([id], delivery_row)?.collect::<Result<_, _>>()?)
    }
}

impl WriteTx<'_> {
    /// Creates a webhook that gets the changes after `since`; after the last one, if that is not given.
    pub fn add_webhook(
        &self,
        url: &str,
        events: &[EventType],
        games: &[String],
        since: Option<Number>,
    ) -> Result<Webhook, WebhookRefusal> {
        let count: usize = self.connection.query_row("SELECT count(*) FROM webhook", params![], |row| row.get(0))?;
        if count >= MAX_WEBHOOKS {
            return Err(WebhookRefusal::TooMany(MAX_WEBHOOKS));
        }
        let last = self.deferred.next_change(self.connection)? - 1;
        let events: Vec<_> = events.iter().map(|event| event.as_str()).collect();
        let id = TokenText::generate().map_err(no_randomness)?.id().to_owned();
        let mut insert = self.connection.prepare(
            "INSERT INTO webhook (id, url, events, games, secret, created, state, delivered, attempts)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        insert.execute(params![
            id,
            url,
            events.join(" "),
            games.join(" "),
            WebhookSecret::generate().map_err(no_randomness)?.as_ref(),
            self.now().timestamp_millis(),
            WebhookState::Enabled.as_str(),
            since.map_or(last, |since| since.min(last)),
            0_i64,
        ])?;
        self.stored_webhook(&id)
    }

    /// Enables a webhook, which goes on at once after the last change that it needs no more, or pauses it.
    pub fn set_webhook_state(&self, id: &str, state: WebhookState) -> Result<Webhook, WebhookRefusal> {
        let mut update = self.connection.prepare(
            "UPDATE webhook SET state = ?, attempts = 0, failing_since = NULL, next_attempt = NULL WHERE id = ?",
        )?;
        update.execute(params![state.as_str(), id])?;
        self.stored_webhook(id)
    }

    /// Gives a webhook another secret. The one before signs too for a day.
    pub fn rotate_webhook_secret(&self, id: &str) -> Result<Webhook, WebhookRefusal> {
        let webhook = self.stored_webhook(id)?;
        let mut update =
            self.connection.prepare("UPDATE webhook SET secret = ?, old_secret = ?, old_until = ? WHERE id = ?")?;
        let until = (self.now() + ROTATION).timestamp_millis();
        let secret = WebhookSecret::generate().map_err(no_randomness)?;
        update.execute(params![secret.as_ref(), webhook.secret.as_ref(), until, id])?;
        self.stored_webhook(id)
    }

    /// Deletes a webhook with its attempts. Returns it.
    pub fn delete_webhook(&self, id: &str) -> Result<Webhook, WebhookRefusal> {
        let webhook = self.stored_webhook(id)?;
        self.connection.execute("DELETE FROM webhook_delivery WHERE webhook = ?", [id])?;
        self.connection.execute("DELETE FROM webhook WHERE id = ?", [id])?;
        Ok(webhook)
    }

    /// Has one service deliver to a webhook until a time, for which the others leave it alone. False if another has it. A time
    /// that is farther ahead than twice this one is from a clock that was set back since, and counts for nothing.
    pub fn hold_webhook(
        &self,
        id: &str,
        holder: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut update = self.connection.prepare(
            "UPDATE webhook SET holder = ?1, held_until = ?2
             WHERE id = ?3 AND (holder IS NULL OR holder = ?1 OR held_until <= ?4 OR held_until > ?5)",
        )?;
        let farthest = (until + (until - now)).timestamp_millis();
        let (until, now) = (until.timestamp_millis(), now.timestamp_millis());
        Ok(update.execute(params![holder, until, id, now, farthest])? > 0)
    }

    /// Has the other services deliver to all webhooks that this one holds.
    pub fn release_webhooks(&self, holder: &str) -> Result<(), StoreError> {
        self.connection.execute("UPDATE webhook SET holder = NULL, held_until = NULL WHERE holder = ?", [holder])?;
        Ok(())
    }

    /// Stores that a webhook needs none of the changes after one up to another.
    pub fn pass_over(&self, id: &str, after: Number, until: Number) -> Result<(), StoreError> {
        let mut update = self.connection.prepare("UPDATE webhook SET delivered = ? WHERE id = ? AND delivered = ?")?;
        update.execute(params![until, id, after])?;
        Ok(())
    }

    /// Stores an attempt for the change after `after`. False if the webhook was deleted, another service was faster, or the
    /// attempt failed and the webhook was enabled anew meanwhile.
    pub fn settle(&self, id: &str, after: Number, delivery: &Delivery, settled: Settled) -> Result<bool, StoreError> {
        let Some(change) = delivery.change else { return self.note_ping(id, delivery) };
        let changed = match settled {
            Settled::Delivered => {
                let mut update = self.connection.prepare(
                    "UPDATE webhook SET delivered = ?, attempts = 0, failing_since = NULL, next_attempt = NULL
                     WHERE id = ? AND delivered = ?",
                )?;
                update.execute(params![change, id, after])?
            }
            Settled::Retry(at) => {
                let mut update = self.connection.prepare(
                    "UPDATE webhook SET attempts = ?, failing_since = ifnull(failing_since, ?), next_attempt = ?
                     WHERE id = ? AND delivered = ? AND attempts = ?",
                )?;
                let (since, before) = (delivery.at.timestamp_millis(), delivery.attempt - 1);
                update.execute(params![delivery.attempt, since, at.timestamp_millis(), id, after, before])?
            }
            Settled::Disabled(state) => {
                let mut update = self.connection.prepare(
                    "UPDATE webhook SET state = ?, attempts = ?, failing_since = ifnull(failing_since, ?), next_attempt = NULL
                     WHERE id = ? AND delivered = ? AND attempts = ? AND state = 'enabled'",
                )?;
                let (since, before) = (delivery.at.timestamp_millis(), delivery.attempt - 1);
                update.execute(params![state.as_str(), delivery.attempt, since, id, after, before])?
            }
        };
        if changed > 0 {
            self.insert_delivery(id, delivery)?;
        }
        Ok(changed > 0)
    }

    /// Stores a test of a webhook. False if it was deleted.
    fn note_ping(&self, id: &str, delivery: &Delivery) -> Result<bool, StoreError> {
        let is_there = self.webhook(id)?.is_some();
        if is_there {
            self.insert_delivery(id, delivery)?;
        }
        Ok(is_there)
    }

    fn insert_delivery(&self, id: &str, delivery: &Delivery) -> Result<(), StoreError> {
        let last: i64 = self.connection.query_row(
            "SELECT ifnull(max(number), 0) FROM webhook_delivery WHERE webhook = ?",
            [id],
            |row| row.get(0),
        )?;
        let mut insert = self.connection.prepare("INSERT INTO webhook_delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
        insert.execute(params![
            id,
            last + 1,
            delivery.at.timestamp_millis(),
            delivery.event.as_str(),
            delivery.change,
            delivery.attempt,
            delivery.status,
            delivery.failure.map(DeliveryFailure::as_str),
            i64::try_from(delivery.duration.as_millis()).unwrap_or(i64::MAX),
        ])?;
        let mut forget = self.connection.prepare("DELETE FROM webhook_delivery WHERE webhook = ? AND number <= ?")?;
        forget.execute(params![id, last + 1 - KEPT])?;
        Ok(())
    }

    fn stored_webhook(&self, id: &str) -> Result<Webhook, WebhookRefusal> {
        self.webhook(id)?.ok_or(WebhookRefusal::Missing)
    }
}

fn no_randomness(error: getrandom::Error) -> StoreError {
    StoreError::Other(error.to_string())
}

/// A list of words, separated by spaces.
fn words<T>(row: &Row<'_>, column: &'static str, parse: impl Fn(&str) -> Option<T>) -> database::Result<Vec<T>> {
    rows::parsed(row, column, |text| text.split_terminator(' ').map(&parse).collect())
}

fn maybe_time(row: &Row<'_>, column: &'static str) -> database::Result<Option<DateTime<Utc>>> {
    row.get::<Option<i64>>(column)?.map(|_| rows::time(row, column)).transpose()
}

fn webhook_row(row: &Row<'_>) -> database::Result<Webhook> {
    let old_secret = row.get::<Option<_>>("old_secret")?.map(WebhookSecret::new).zip(maybe_time(row, "old_until")?);
    let holder = row.get::<Option<String>>("holder")?.zip(maybe_time(row, "held_until")?);
    Ok(Webhook {
        id: row.get("id")?,
        url: row.get("url")?,
        events: words(row, "events", EventType::parse)?,
        games: words(row, "games", |game| Some(game.to_owned()))?,
        secret: WebhookSecret::new(row.get("secret")?),
        old_secret,
        created: rows::time(row, "created")?,
        state: rows::parsed(row, "state", WebhookState::parse)?,
        delivered: row.get("delivered")?,
        attempts: row.get("attempts")?,
        failing_since: maybe_time(row, "failing_since")?,
        next_attempt: maybe_time(row, "next_attempt")?,
        holder,
    })
}

fn delivery_row(row: &Row<'_>) -> database::Result<Delivery> {
    Ok(Delivery {
        at: rows::time(row, "at")?,
        event: rows::parsed(row, "event", EventType::parse)?,
        change: row.get("change")?,
        attempt: row.get("attempt")?,
        status: row.get("status")?,
        failure: rows::maybe(row, "failure", DeliveryFailure::parse)?,
        duration: Duration::from_millis(row.get("duration")?),
    })
}
