//! Deliveries, at times that the tests choose.

use std::{thread, time::Duration};

use chrono::TimeDelta;
use quipu_archive::{
    model::{Attribution, ChangeKind, Delivery, DeliveryFailure, EventType, WebhookState},
    report::NewsReport,
    store::{ChangeFilter, Filter, NextChange, Refusal, Settled, StoreError, WebhookRefusal},
};
use quipu_referee::{Status, report};
use serde_json::Value;

use super::service::{NOW, Receiver, Request, Service, by, courier};
use crate::{courier::Step, resolver::system_lookup, signature};

#[test]
fn changes_are_delivered_in_order_and_again_after_a_failure() {
    let (service, receiver) = (Service::start(3), Receiver::start(&["500 Oh", "204 No Content", "503 Busy"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.deliver(&id), Step::Waiting);
    assert_eq!(service.step(&id, NOW + TimeDelta::seconds(4)), Step::Waiting, "the pause has not passed");
    assert_eq!(receiver.changes(), [1]);
    let webhook = service.webhook(&id);
    assert_eq!((webhook.attempts, webhook.failing_since, webhook.delivered), (1, Some(NOW), 0));

    let later = NOW + TimeDelta::seconds(10);
    assert_eq!(service.step(&id, later), Step::More);
    assert_eq!(service.webhook(&id).attempts, 0);
    assert_eq!(service.step(&id, later), Step::Waiting, "the second change fails");
    let later = later + TimeDelta::seconds(10);
    assert_eq!([service.step(&id, later), service.step(&id, later)], [Step::More, Step::More]);
    assert_eq!(service.step(&id, later), Step::NothingUpTo(3));
    assert_eq!(receiver.changes(), [1, 1, 2, 2, 3]);
    for request in receiver.requests() {
        assert_eq!(request.headers["webhook-id"], request.id(&id), "each attempt has the id of its event");
    }
    let attempts: Vec<_> = service.deliveries(&id).iter().map(|one| (one.change, one.attempt, one.status)).collect();
    let expected = [(3, 1, 204), (2, 2, 204), (2, 1, 503), (1, 2, 204), (1, 1, 500)];
    assert_eq!(attempts, expected.map(|(change, attempt, status)| (Some(change), attempt, Some(status))));
}

#[test]
fn a_body_has_the_bytes_of_the_feed_and_a_signature() {
    let (service, receiver) = (Service::start(1), Receiver::start(&[]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.deliver(&id);
    let Request { headers, body } = receiver.requests().remove(0);
    let next =
        service.courier.store.read(|reading| reading.next_change(&ChangeFilter::default(), 0)).expect("a change");
    let NextChange::Found(change, card) = next else { panic!("{next:?}") };
    let at = quipu_archive::report::time(change.at);
    let mut data = Vec::new();
    report::write(&NewsReport::new(*change, card.map(|card| *card)), &mut data).expect("written");
    let data = String::from_utf8(data).expect("UTF-8");
    assert_eq!(body, format!("{{\"type\":\"record.verified\",\"timestamp\":\"{at}\",\"data\":{}}}", data.trim_end()));

    let secret = service.webhook(&id).secret;
    let timestamp = NOW.timestamp();
    assert_eq!(headers["webhook-timestamp"], timestamp.to_string());
    assert_eq!(headers["webhook-signature"], signature(&[secret], &headers["webhook-id"], timestamp, body.as_bytes()));
    assert_eq!(headers["content-type"], "application/json");
    assert!(headers["user-agent"].starts_with("quipu/"), "{headers:?}");
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    let before = service.webhook(&id).secret;
    let own = id.clone();
    let rotate = service.courier.store.write(move |writing| writing.rotate_webhook_secret(&own));
    let after = rotate.wait().expect("it is rotated").secret;
    assert_ne!(before, after);
    let until = service.webhook(&id).old_secret.expect("an old secret").1;
    service.step(&id, until - TimeDelta::seconds(1));
    service.step(&id, until + TimeDelta::seconds(60));
    let requests = receiver.requests();
    for (request, secrets) in requests.iter().zip([&[after, before][..], &[after]]) {
        let timestamp = request.headers["webhook-timestamp"].parse().expect("a number");
        let expected = signature(secrets, &request.id(&id), timestamp, request.body.as_bytes());
        assert_eq!(request.headers["webhook-signature"], expected);
    }
    assert_eq!(requests.len(), 2);
}

#[test]
fn a_restart_goes_on_after_the_last_delivery() {
    let (service, receiver) = (Service::start(3), Receiver::start(&["204 No Content", "500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.deliver(&id), Step::Waiting);
    service.courier.store.close().expect("closed");
    let service = Service { courier: courier(&service.folder, true, system_lookup()), folder: service.folder };
    assert_eq!(service.step(&id, NOW), Step::Waiting, "the pause goes on");
    let later = NOW + TimeDelta::seconds(10);
    assert_eq!([service.step(&id, later), service.step(&id, later)], [Step::More, Step::More]);
    assert_eq!(receiver.changes(), [1, 2, 2, 3]);
    assert_eq!(service.deliveries(&id)[1].attempt, 2);
}

#[test]
fn a_receiver_that_fails_for_three_days_is_disabled() {
    let (service, receiver) = (Service::start(2), Receiver::start(&vec!["500 Oh"; 100]));
    let id = service.hook(&receiver.url(), &[], &[]);
    let mut now = NOW;
    let end = NOW + TimeDelta::days(3);
    while service.webhook(&id).state == WebhookState::Enabled {
        assert_eq!(service.step(&id, now), Step::Waiting);
        if let Some(next) = service.webhook(&id).next_attempt {
            assert!(next > now && next <= end, "{next}");
            now = next;
        }
    }
    let webhook = service.webhook(&id);
    assert_eq!((webhook.state, now, webhook.failing_since), (WebhookState::Failed, end, Some(NOW)));
    let attempts = receiver.changes().len();
    assert!((20..=25).contains(&attempts) && webhook.attempts == u32::try_from(attempts).expect("few"), "{attempts}");
    assert_eq!(service.step(&id, end + TimeDelta::days(1)), Step::Waiting, "it gets nothing more");
    assert_eq!(receiver.changes().len(), attempts);

    // Enabled again, it goes on where it was.
    receiver.answers.lock().expect("a lock").clear();
    service.set(&id, WebhookState::Enabled);
    assert_eq!(service.webhook(&id).attempts, 0);
    service.deliver(&id);
    assert_eq!(receiver.changes()[attempts..], [1, 2]);
}

#[test]
fn a_receiver_that_is_gone_is_disabled_at_once() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["410 Gone"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Gone));
    assert_eq!(service.webhook(&id).state, WebhookState::Gone);
    assert_eq!(service.step(&id, NOW + TimeDelta::days(1)), Step::Waiting);
    assert_eq!(receiver.requests().len(), 1);
}

#[test]
fn a_receiver_may_ask_for_a_pause() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["429 Too Many Requests\r\nRetry-After: 120"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Status));
    let ended = NOW + service.deliveries(&id)[0].duration;
    assert_eq!(service.webhook(&id).next_attempt, Some(ended + TimeDelta::seconds(120)));
}

/// A receiver that answers late has its pause all the same.
#[test]
fn a_pause_begins_with_the_end_of_an_attempt() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let held = receiver.answers.lock().expect("a lock");
    thread::scope(|scope| {
        let id = service.hook(&receiver.url(), &[], &[]);
        let step = scope.spawn({
            let (service, id) = (&service, id.clone());
            move || service.step(&id, NOW)
        });
        while receiver.requests().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_secs(1));
        drop(held);
        assert_eq!(step.join().expect("it ends"), Step::Waiting);
        let duration = service.deliveries(&id)[0].duration;
        assert!(duration >= Duration::from_secs(1), "{duration:?}");
        let next = service.webhook(&id).next_attempt.expect("another attempt");
        assert!(next >= NOW + duration + TimeDelta::seconds(5), "{next}");
    });
}

/// The clock was a week ahead when the attempt failed.
#[test]
fn a_clock_that_is_set_back_stalls_nothing() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    assert_eq!(service.step(&id, NOW + TimeDelta::days(7)), Step::Waiting);
    let webhook = service.webhook(&id);
    let next = webhook.next_attempt.expect("another attempt");
    let is_due = |now| service.courier.is_due(&webhook, 1, 0, now);
    let longest = TimeDelta::hours(6);
    assert!(!is_due(next - longest) && is_due(next - longest - TimeDelta::seconds(1)) && is_due(next));
    assert_eq!(service.step(&id, NOW), Step::More);
    assert_eq!(receiver.changes(), [1, 1]);
}

/// An administrator enables the webhook while an attempt is under way that fails then.
#[test]
fn a_webhook_that_is_enabled_begins_anew() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"; 3]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.step(&id, NOW);
    service.set(&id, WebhookState::Enabled);
    let webhook = service.webhook(&id);
    assert_eq!((webhook.attempts, webhook.next_attempt, webhook.failing_since), (0, None, None));
    assert_eq!(service.step(&id, NOW), Step::Waiting);
    let late = Delivery { attempt: 4, ..service.deliveries(&id)[0].clone() };
    for settled in [Settled::Retry(NOW), Settled::Disabled(WebhookState::Failed)] {
        let (id, late) = (id.clone(), late.clone());
        let settle = service.courier.store.write(move |writing| writing.settle(&id, 0, &late, settled));
        assert!(!settle.wait().map_err(|error: StoreError| error.to_string()).expect("it answers"), "{settled:?}");
    }
    let webhook = service.webhook(&id);
    assert_eq!((webhook.state, webhook.attempts), (WebhookState::Enabled, 1));
}

#[test]
fn events_and_games_are_chosen() {
    let (service, receiver) = (Service::start(1), Receiver::start(&[]));
    service.add("[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 2a1 1-0\n");
    service.add("[Game \"brandubh\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\n0-1\n");
    let id = service.courier.store.read(|reading| reading.cards(&Filter::default(), None, 10));
    let id = id.expect("cards").items.iter().find(|card| card.status == Status::Verified).expect("a record").id;
    let retract = service.courier.store.write(move |writing| writing.retract(&id, &by()));
    assert!(retract.wait().map_err(|refusal: Refusal| format!("{refusal:?}")).is_ok());

    let types = |events: &[EventType], games: &[&str]| {
        let before = receiver.requests().len();
        let id = service.hook(&receiver.url(), events, games);
        assert_eq!(service.deliver(&id), Step::NothingUpTo(4));
        let types = receiver.requests()[before..].iter().map(|one| one.json()["type"].clone()).collect::<Vec<_>>();
        types.iter().map(|name| name.as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    let all = types(&[], &[]);
    assert_eq!(all.len(), 4);
    assert_eq!((&*all[1], &*all[3]), ("record.rejected", "retraction"));
    assert_eq!(types(&[EventType::Record(Status::Rejected)], &[]), ["record.rejected"]);
    assert_eq!(
        types(&[EventType::Change(ChangeKind::Retraction), EventType::Change(ChangeKind::Undo)], &[]),
        ["retraction"]
    );
    assert_eq!(types(&[], &["brandubh"]).len() + types(&[], &["andes"]).len(), 4);
    assert_eq!(types(&[EventType::Record(Status::Rejected)], &["brandubh"]), [""; 0]);
}

/// The place of a webhook that gets nothing of a long log is stored from time to time.
#[test]
fn changes_that_a_webhook_does_not_get_are_passed_over() {
    let (service, receiver) = (Service::start(1_101), Receiver::start(&[]));
    for (events, games) in [(&[EventType::Change(ChangeKind::Undo)][..], &[][..]), (&[], &["querni"])] {
        let id = service.hook(&receiver.url(), events, games);
        assert_eq!(service.step(&id, NOW), Step::More);
        assert_eq!(service.webhook(&id).delivered, 1_000);
        assert_eq!(service.deliver(&id), Step::NothingUpTo(1_101));
        assert_eq!((service.webhook(&id).delivered, receiver.requests().len()), (1_000, 0));
    }
}

#[test]
fn a_paused_webhook_gets_tests_alone_and_misses_nothing() {
    let (service, receiver) = (Service::start(1), Receiver::start(&["500 Oh"]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.set(&id, WebhookState::Paused);
    assert_eq!(service.step(&id, NOW), Step::Waiting);
    let ping = service.courier.ping(&id, NOW).expect("it is sent").expect("a webhook");
    assert_eq!((ping.event, ping.status, ping.failure), (EventType::Ping, Some(500), Some(DeliveryFailure::Status)));
    assert_eq!(service.deliveries(&id), [ping]);
    let sent = receiver.requests()[0].json();
    assert_eq!((&sent["type"], &sent["data"]["webhook"]), (&Value::from("ping"), &Value::from(id.clone())));
    assert_eq!(service.webhook(&id).attempts, 0, "a test changes nothing");
    assert!(service.courier.ping("abcdefgh", NOW).expect("it answers").is_none());
    service.set(&id, WebhookState::Enabled);
    service.deliver(&id);
    assert_eq!(receiver.requests()[1].change(), 1);
}

#[test]
fn attempts_are_bounded_and_go_with_their_webhook() {
    let (service, receiver) = (Service::start(105), Receiver::start(&[]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.deliver(&id);
    let deliveries = service.deliveries(&id);
    assert_eq!((deliveries.len(), deliveries[0].change, deliveries[99].change), (100, Some(105), Some(6)));
    let own = id.clone();
    service.courier.store.write(move |writing| writing.delete_webhook(&own)).wait().expect("deleted");
    assert_eq!(service.deliveries(&id), []);
    assert_eq!(service.step(&id, NOW), Step::Waiting);
    let again = service.courier.store.write(move |writing| writing.delete_webhook(&id)).wait();
    assert!(matches!(again, Err(WebhookRefusal::Missing)), "{again:?}");
}

#[test]
fn an_archive_has_a_hundred_webhooks() {
    let service = Service::start(0);
    let add = || service.courier.store.write(|writing| writing.add_webhook("https://a.example", &[], &[], None)).wait();
    for _ in 0..100 {
        add().expect("a webhook");
    }
    assert!(matches!(add(), Err(WebhookRefusal::TooMany(100))));
}

/// Of several services one delivers, until its time has passed without a delivery.
#[test]
fn one_service_holds_a_webhook() {
    let service = Service::start(0);
    let id = service.hook("https://a.example", &[], &[]);
    let hold = |holder: &'static str, seconds: i64| {
        let (id, now) = (id.clone(), NOW + TimeDelta::seconds(seconds));
        let until = now + TimeDelta::seconds(60);
        let held = service.courier.store.write(move |writing| writing.hold_webhook(&id, holder, now, until));
        held.wait().map_err(|error: StoreError| error.to_string()).expect("it answers")
    };
    assert_eq!([hold("one", 0), hold("two", 1), hold("one", 30), hold("two", 61)], [true, false, true, false]);
    assert_eq!([hold("two", 90), hold("one", 91)], [true, false]);
    // A time that is farther ahead than twice a minute is from a clock that was set back; another clock may differ by a minute.
    assert_eq!([hold("one", 30), hold("one", 29)], [false, true]);
    // A service that stops leaves it to another.
    assert!(!hold("two", 30));
    assert_eq!(service.courier.holder, "one");
    service.courier.release();
    assert!(hold("two", 30));
}

/// The largest event has a reason and names of the greatest length, with letters that JSON escapes.
#[test]
fn bodies_are_bounded() {
    let (service, receiver) = (Service::start(0), Receiver::start(&[]));
    let long = "ñ".repeat(10_000);
    service.add(&format!(
        "[Game \"andes\"]\n[Event \"{long}\"]\n[Round \"{long}\"]\n[Sol \"{long}a\"]\n[Luna \"{long}b\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    ));
    let cards = service.courier.store.read(|reading| reading.cards(&Filter::default(), None, 1)).expect("a card");
    let (id, reason) = (cards.items[0].id, "\u{202e}".repeat(Attribution::REASON));
    let by = Attribution::decision("mesa".to_owned(), Some(&reason), None).expect("a reason");
    let retract = service.courier.store.write(move |writing| writing.retract(&id, &by));
    assert!(retract.wait().map_err(|refusal: Refusal| format!("{refusal:?}")).is_ok());
    let hook = service.hook(&receiver.url(), &[], &[]);
    service.deliver(&hook);
    let longest = receiver.requests().iter().map(|request| request.body.len()).max().expect("requests");
    assert!((12_000..=32 * 1024).contains(&longest), "{longest}");
}
