//! Delivers the changes of an archive to one webhook after the other, one event at a time.

use std::time::Duration;

use chrono::{DateTime, Utc};
use quipu_archive::{
    model::{Card, Change, Delivery, DeliveryFailure, EventType, Number, Webhook, WebhookState},
    store::{ChangeFilter, NextChange, ReadTx, Settled, Store, StoreError},
};

use crate::{
    backoff::{self, MAX_PAUSE, next_attempt},
    event::Event,
    sender::{Attempt, Sender},
};

/// Changes passed over after which the place of a webhook is stored, so that a restart need not pass over them again.
const MAX_UNSTORED: Number = 1_000;
/// Time for which one of several services delivers to a webhook alone.
const HELD: Duration = Duration::from_secs(60);
/// Time that must be left of it before an attempt.
const LEFT: Duration = Duration::from_secs(30);

/// Time limit of a query.
pub(crate) const QUERY: Duration = Duration::from_secs(5);

/// Called with each attempt.
pub(crate) type Observer = Box<dyn Fn(&Delivery) + Send + Sync>;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There may be more to deliver at once.
    More,
    /// There is nothing to deliver up to this change.
    NothingUpTo(Number),
    /// There is nothing to do before the state of the webhook or the time is another.
    Waiting,
}

/// Delivers the changes of an archive.
pub(crate) struct Courier {
    pub(crate) store: Store,
    pub(crate) sender: Sender,
    /// Name of this service among several.
    pub(crate) holder: String,
    pub(crate) observer: Observer,
}

/// The next event of a webhook.
enum Next {
    Event {
        change: Box<Change>,
        card: Option<Box<Card>>,
        event: EventType,
    },
    /// None up to this change; true if that is the last one.
    NoneUpTo(Number, bool),
}

impl Courier {
    /// True if a webhook has an event to deliver, or may have one. `seen` is a change up to which it has none.
    pub(crate) fn is_due(&self, webhook: &Webhook, last: Number, seen: Number, now: DateTime<Utc>) -> bool {
        self.may_deliver(webhook, now) && webhook.delivered.max(seen) < last
    }

    fn may_deliver(&self, webhook: &Webhook, now: DateTime<Utc>) -> bool {
        let has_other =
            |(holder, until): &(String, DateTime<Utc>)| *holder != self.holder && is_ahead(*until, now, HELD * 2);
        webhook.state == WebhookState::Enabled
            && !webhook.next_attempt.is_some_and(|next| is_ahead(next, now, MAX_PAUSE))
            && !(self.store.is_shared() && webhook.holder.as_ref().is_some_and(has_other))
    }

    /// Delivers the next event of a webhook after `seen`, if it is due.
    pub(crate) fn step(&self, id: &str, seen: Number, now: DateTime<Utc>) -> Result<Step, StoreError> {
        let found = self.store.read_within(QUERY, |reading| {
            let webhook = reading.webhook(id)?.filter(|webhook| self.may_deliver(webhook, now));
            let Some(webhook) = webhook else { return Ok(None) };
            Ok::<_, StoreError>(Some((next_event(reading, &webhook, seen)?, webhook)))
        });
        let Some((next, webhook)) = found? else { return Ok(Step::Waiting) };
        match next {
            Next::NoneUpTo(until, is_last) => {
                if until - webhook.delivered >= MAX_UNSTORED {
                    let (id, after) = (webhook.id, webhook.delivered);
                    self.store.write_blocking(move |writing| writing.pass_over(&id, after, until)).wait()?;
                }
                Ok(if is_last { Step::NothingUpTo(until) } else { Step::More })
            }
            Next::Event { change, card, event } => {
                if !self.holds(&webhook, now)? {
                    return Ok(Step::Waiting);
                }
                let number = change.number;
                let sent = Event::of_change(&webhook, event, *change, card.map(|card| *card));
                let attempt = self.send(&webhook, &sent, now);
                self.settle(webhook, event, number, &attempt, now)
            }
        }
    }

    /// Sends a test to a webhook, whatever its state. None if there is no such webhook.
    pub(crate) fn ping(&self, id: &str, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError> {
        let Some(webhook) = self.store.read_within(QUERY, |reading| reading.webhook(id))? else { return Ok(None) };
        let attempt = self.send(&webhook, &Event::ping(&webhook, now), now);
        let delivery = delivery(EventType::Ping, None, 1, &attempt, now);
        (self.observer)(&delivery);
        let (id, after, noted) = (webhook.id, webhook.delivered, delivery.clone());
        self.store.write(move |writing| writing.settle(&id, after, &noted, Settled::Delivered)).wait()?;
        Ok(Some(delivery))
    }

    /// Leaves all webhooks to other services, as soon as the archive has stored it.
    pub(crate) fn release(&self) {
        let holder = self.holder.clone();
        // A service that cannot store it holds them for their minute.
        drop(self.store.write(move |writing| writing.release_webhooks(&holder)));
    }

    /// True if this service is the one that delivers to a webhook, for long enough.
    fn holds(&self, webhook: &Webhook, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let is_held = |(holder, until): &(String, _)| {
            *holder == self.holder && *until >= now + LEFT && is_ahead(*until, now, HELD * 2)
        };
        if !self.store.is_shared() || webhook.holder.as_ref().is_some_and(is_held) {
            return Ok(true);
        }
        let (id, holder) = (webhook.id.clone(), self.holder.clone());
        self.store.write_blocking(move |writing| writing.hold_webhook(&id, &holder, now, now + HELD)).wait()
    }

    fn send(&self, webhook: &Webhook, event: &Event, now: DateTime<Utc>) -> Attempt {
        let headers = event.headers(webhook, now);
        let headers = headers.each_ref().map(|(name, value)| (*name, &**value));
        self.sender.post(&webhook.url, &headers, event.body())
    }

    /// Stores the result of an attempt.
    fn settle(
        &self,
        webhook: Webhook,
        event: EventType,
        change: Number,
        attempt: &Attempt,
        now: DateTime<Utc>,
    ) -> Result<Step, StoreError> {
        let delivery = delivery(event, Some(change), webhook.attempts.saturating_add(1), attempt, now);
        (self.observer)(&delivery);
        let since = webhook.failing_since.unwrap_or(now);
        let settled = match delivery.failure {
            None => Settled::Delivered,
            Some(DeliveryFailure::Gone) => Settled::Disabled(WebhookState::Gone),
            Some(_) => {
                let next =
                    next_attempt(now + attempt.duration, since, delivery.attempt, attempt.retry_after, fastrand::f64());
                next.map_or(Settled::Disabled(WebhookState::Failed), Settled::Retry)
            }
        };
        let failure = delivery.failure.map(DeliveryFailure::as_str);
        let (id, after) = (webhook.id.clone(), webhook.delivered);
        let settle = self.store.write_blocking(move |writing| writing.settle(&id, after, &delivery, settled));
        let is_settled = settle.wait()?;
        let (webhook, status) = (webhook.id, attempt.status);
        match settled {
            _ if !is_settled => {}
            Settled::Delivered => tracing::debug!(webhook, change, "webhook delivered"),
            Settled::Retry(_) => tracing::info!(webhook, change, failure, status, "webhook failed"),
            Settled::Disabled(state) => {
                let days = backoff::LIMIT.num_days();
                tracing::warn!(webhook, change, failure, status, state = state.as_str(), days, "webhook disabled");
            }
        }
        Ok(if settled == Settled::Delivered && is_settled { Step::More } else { Step::Waiting })
    }
}

/// True if a time comes, and not later than it can be: the clock may have been set back since it was stored.
fn is_ahead(time: DateTime<Utc>, now: DateTime<Utc>, longest: Duration) -> bool {
    time > now && time <= now + longest
}

fn delivery(event: EventType, change: Option<Number>, number: u32, attempt: &Attempt, now: DateTime<Utc>) -> Delivery {
    let Attempt { status, failure, duration, .. } = *attempt;
    Delivery { at: now, event, change, attempt: number, status, failure, duration }
}

/// The first event of a webhook after those delivered and `seen`, among some hundred changes.
fn next_event(reading: &ReadTx<'_>, webhook: &Webhook, seen: Number) -> Result<Next, StoreError> {
    let games = Some(webhook.games.clone()).filter(|games| !games.is_empty());
    let filter = ChangeFilter { games, ..ChangeFilter::default() };
    let begin = webhook.delivered.max(seen);
    let mut passed = begin;
    while passed - begin < MAX_UNSTORED {
        match reading.next_change(&filter, passed)? {
            NextChange::Found(change, card) => {
                let missing = || StoreError::Corrupt(format!("the record of change {}", change.number));
                let event = EventType::of(&change, card.as_deref()).ok_or_else(missing)?;
                if webhook.events.is_empty() || webhook.events.contains(&event) {
                    return Ok(Next::Event { change, card, event });
                }
                passed = change.number;
            }
            NextChange::NoneUpTo(until) if until >= reading.last_change()? => return Ok(Next::NoneUpTo(until, true)),
            NextChange::NoneUpTo(until) => passed = until,
        }
    }
    Ok(Next::NoneUpTo(passed, false))
}
