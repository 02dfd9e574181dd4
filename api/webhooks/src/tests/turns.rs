//! The threads: turns, their limits, and pauses after failures of the archive.

use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    net::TcpListener,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use quipu_archive::model::{Delivery, DeliveryFailure};

use super::service::{Receiver, Service, courier};
use crate::{
    Webhooks,
    courier::Courier,
    resolver::system_lookup,
    sender::{Sender, TimeLimits},
    worker::{Dispatcher, Limits, Message},
};

/// The threads of a service deliver to a new webhook, and to it alone what comes after it.
#[test]
fn a_service_delivers_by_itself() {
    let (service, receiver) = (Service::start(2), Receiver::start(&[]));
    let results = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&results);
    let observe = move |delivery: &Delivery| noted.lock().expect("a lock").push(delivery.change);
    let webhooks = Webhooks::start(service.courier.store.clone(), true, observe).expect("it starts");
    let id = service.hook(&receiver.url(), &[], &[]);
    webhooks.wake();
    let wait_for = |count: usize| {
        for _ in 0..2_000 {
            if service.webhook(&id).delivered >= i64::try_from(count).expect("few") {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{:?}", service.deliveries(&id));
    };
    wait_for(2);
    service.add("[Game \"andes\"]\n[Result \"1-0\"]\n\n1. 2a1 1-0\n");
    webhooks.wake();
    wait_for(3);
    assert_eq!(receiver.changes(), [1, 2, 3]);
    assert_eq!(*results.lock().expect("a lock"), [Some(1), Some(2), Some(3)]);
}

/// A dispatcher whose turns the test begins and awaits.
struct Turns {
    dispatcher: Dispatcher,
    ends: mpsc::Receiver<Message>,
    now: Instant,
}

impl Turns {
    fn new(courier: Courier, limits: Limits) -> Self {
        let (messages, ends) = mpsc::channel();
        Self { dispatcher: Dispatcher::new(Arc::new(courier), messages, limits), ends, now: Instant::now() }
    }

    /// Begins the turns that are due. Returns how many are under way.
    fn start(&mut self) -> usize {
        self.dispatcher.start_due(self.now).expect("it looks");
        self.dispatcher.busy.len()
    }

    /// Waits for the end of a turn.
    fn end_one(&mut self) {
        let end = self.ends.recv_timeout(Duration::from_secs(60)).expect("a turn ends");
        self.dispatcher.note(end, self.now);
    }

    fn after(&mut self, seconds: u64) -> usize {
        self.now += Duration::from_secs(seconds);
        self.start()
    }
}

/// The header of the file says that programs of today may read it and not write.
#[test]
fn a_receiver_is_left_alone_while_results_cannot_be_stored() {
    let (service, receiver) = (Service::start(1), Receiver::start(&[]));
    let id = service.hook(&receiver.url(), &[], &[]);
    service.courier.store.close().expect("closed");
    let mut file = File::options().write(true).open(service.courier.store.path()).expect("it is there");
    file.seek(SeekFrom::Start(18)).expect("it is long enough");
    file.write_all(&[3]).expect("it is written");
    let mut turns = Turns::new(courier(&service.folder, true, system_lookup()), Limits::default());
    for (pause, attempts) in [(0, 1), (5, 2), (10, 3), (20, 4), (40, 5)] {
        if pause > 0 {
            assert_eq!(turns.after(pause - 1), 0, "the pause has not passed");
        }
        assert_eq!(turns.after(1), 1);
        turns.end_one();
        assert_eq!((turns.start(), receiver.changes()), (0, vec![1; attempts]));
    }
    // After a turn without a failure there is no pause.
    turns.dispatcher.note(Message::Done(id, Ok(None)), turns.now);
    assert_eq!(turns.start(), 1);
    turns.end_one();
    assert_eq!([turns.after(4), turns.after(1)], [0, 1], "the pauses begin anew");
}

/// A receiver that takes connections and never answers.
fn silent_receiver() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    (listener, url)
}

fn sender_with(whole: Duration) -> Sender {
    Sender::new(true, system_lookup(), TimeLimits { whole, ..TimeLimits::default() })
}

#[test]
fn a_receiver_that_never_answers_is_given_up() {
    let (_silent, url) = silent_receiver();
    let mut service = Service::start(1);
    service.courier.sender = sender_with(Duration::from_millis(100));
    let id = service.hook(&url, &[], &[]);
    assert_eq!(service.failure(&id), Some(DeliveryFailure::Timeout));
    assert!(service.deliveries(&id)[0].duration >= Duration::from_millis(100));
}

/// Eight of nine receivers are waited for at a time, and the ninth is the next.
#[test]
fn eight_webhooks_are_delivered_to_at_once() {
    let (_silent, url) = silent_receiver();
    let mut service = Service::start(1);
    service.courier.sender = sender_with(Duration::from_millis(500));
    let mut ids: Vec<_> = (0..9).map(|_| service.hook(&url, &[], &[])).collect();
    let mut turns = Turns::new(service.courier, Limits::default());
    assert_eq!([turns.start(), turns.start()], [8, 8]);
    ids.retain(|id| !turns.dispatcher.busy.contains(id));
    turns.end_one();
    turns.start();
    assert!(ids.len() == 1 && turns.dispatcher.busy.contains(&ids[0]), "{ids:?}");
}

/// A turn ends after some events or some time, whichever is first; then it is the turn of others.
#[test]
fn turns_are_bounded() {
    let long = Duration::from_secs(3_600);
    for (limits, events) in [
        (Limits { time: long, ..Limits::default() }, 100),
        (Limits { time: Duration::ZERO, ..Limits::default() }, 1),
        (Limits { time: long, events: 2, at_once: 1 }, 2),
    ] {
        let (service, receiver) = (Service::start(105), Receiver::start(&[]));
        service.hook(&receiver.url(), &[], &[]);
        let mut turns = Turns::new(service.courier, limits);
        assert_eq!(turns.start(), 1);
        turns.end_one();
        assert_eq!(receiver.requests().len(), events);
    }
}

#[test]
fn the_guide_has_the_limits() {
    let Limits { at_once, events, time } = Limits::default();
    let TimeLimits { whole, connect } = TimeLimits::default();
    let [time, whole, connect] = [time, whole, connect].map(|limit| limit.as_secs());
    for (guide, lines) in [
        (
            include_str!("../../../../docs/webhooks.md"),
            [
                format!("| {connect} s, {whole} s |"),
                format!("| {at_once}; of each, up to {events} changes or for {time} seconds "),
            ],
        ),
        (
            include_str!("../../../../docs/webhooks.es.md"),
            [
                format!("| {connect} s y {whole} s |"),
                format!("| {at_once}; de cada uno, hasta {events} cambios o durante {time} segundos "),
            ],
        ),
    ] {
        assert!(lines.iter().all(|line| guide.contains(line)), "{lines:?}");
    }
}
