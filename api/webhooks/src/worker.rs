//! The threads that deliver: one looks for webhooks that are due, and starts a thread for each, of which some run at once.

use std::{
    collections::{HashMap, HashSet},
    io, mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use chrono::Utc;
use quipu_archive::{
    model::{Delivery, Number, Webhook, WebhookState},
    store::{ReadTx, Store, StoreError},
};
use quipu_referee::report::hex;

use crate::{
    courier::{Courier, QUERY, Step},
    resolver::system_lookup,
    sender::{Sender, TimeLimits},
};

/// Pause of a webhook after a first failure of the archive. Each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause after a failure of the archive.
const MAX_PAUSE: Duration = Duration::from_secs(300);
/// Longest time between two looks at the webhooks: that of changes by other programs.
const POLL: Duration = Duration::from_secs(1);
/// Shortest time between two looks, however many changes are stored.
const PAUSE: Duration = Duration::from_millis(20);

/// Limits of turns.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Webhooks that are delivered to at once, at most.
    pub(crate) at_once: usize,
    /// Events that are delivered to a webhook before others have their turn.
    pub(crate) events: usize,
    /// Time after which no further event of a turn begins.
    pub(crate) time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { at_once: 8, events: 100, time: Duration::from_secs(10) }
    }
}

/// The deliveries of one service. They end with it.
pub struct Webhooks {
    courier: Arc<Courier>,
    messages: Mutex<mpsc::Sender<Message>>,
    /// True while a message to wake waits.
    waking: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
    states: Arc<Mutex<Vec<WebhookState>>>,
}

pub(crate) enum Message {
    /// Something may be due.
    Wake,
    /// A turn of a webhook has ended.
    Done(String, End),
}

/// The end of a turn: the change up to which there is nothing to deliver, or the failure of the archive.
type End = Result<Option<Number>, StoreError>;

impl Webhooks {
    /// Starts to deliver the changes of an archive. `allows_private` allows receivers in private networks. `observer` is called
    /// with each attempt.
    ///
    /// # Errors
    /// If no thread can be started, or the system has no random numbers.
    pub fn start(
        store: Store,
        allows_private: bool,
        observer: impl Fn(&Delivery) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let mut holder = [0; 8];
        getrandom::fill(&mut holder).map_err(io::Error::other)?;
        let sender = Sender::new(allows_private, system_lookup(), TimeLimits::default());
        let courier = Arc::new(Courier { store, sender, holder: hex(&holder), observer: Box::new(observer) });
        let (messages, receiver) = mpsc::channel();
        let own = Dispatcher::new(Arc::clone(&courier), messages.clone(), Limits::default());
        let (waking, stopping, states) = (Arc::clone(&own.waking), Arc::clone(&own.stopping), Arc::clone(&own.states));
        thread::Builder::new().name("quipu-webhooks".to_owned()).spawn(move || own.run(&receiver))?;
        Ok(Self { courier, messages: Mutex::new(messages), waking, stopping, states })
    }

    /// Has the webhooks looked at soon, such as after a commit.
    pub fn wake(&self) {
        if self.waking.swap(true, Ordering::AcqRel) {
            return;
        }
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread has ended if it does not listen.
        drop(messages.send(Message::Wake));
    }

    /// Starts no more attempts. One that is under way goes on until the archive is closed: its result is lost then, and its
    /// event is delivered again.
    pub fn stop(&self) {
        if self.stopping.swap(true, Ordering::Relaxed) {
            return;
        }
        self.wake();
        if self.courier.store.is_shared() {
            self.courier.release();
        }
    }

    /// States of all webhooks, as they were a second ago.
    pub fn states(&self) -> Vec<WebhookState> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a test to a webhook, which takes some seconds at most. None if there is no such webhook.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn ping(&self, id: &str) -> Result<Option<Delivery>, StoreError> {
        self.courier.ping(id, Utc::now())
    }
}

impl Drop for Webhooks {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The thread that looks for webhooks that are due.
pub(crate) struct Dispatcher {
    courier: Arc<Courier>,
    messages: mpsc::Sender<Message>,
    limits: Limits,
    waking: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
    states: Arc<Mutex<Vec<WebhookState>>>,
    /// True if the last look has failed.
    has_failed: bool,
    /// Webhooks whose turn it is.
    pub(crate) busy: HashSet<String>,
    known: HashMap<String, Known>,
    /// Number of turns so far.
    turns: u64,
}

/// The memory of a webhook.
#[derive(Clone, Copy, Default)]
struct Known {
    /// A change up to which there is nothing to deliver.
    seen: Number,
    /// Its last turn.
    turn: u64,
    /// Failures of the archive since the last turn without one.
    failures: u32,
    /// End of the pause after them.
    paused: Option<Instant>,
}

impl Known {
    /// Begins a pause, in which a receiver does not get the same event again and again because its result cannot be stored.
    fn pause(&mut self, now: Instant) {
        let doubled = FIRST_PAUSE.saturating_mul(1_u32.checked_shl(self.failures).unwrap_or(u32::MAX));
        self.failures = self.failures.saturating_add(1);
        self.paused = Some(now + doubled.min(MAX_PAUSE));
    }
}

impl Dispatcher {
    /// A dispatcher whose turns report their ends to `messages`.
    pub(crate) fn new(courier: Arc<Courier>, messages: mpsc::Sender<Message>, limits: Limits) -> Self {
        Self {
            courier,
            messages,
            limits,
            waking: Arc::default(),
            stopping: Arc::default(),
            states: Arc::default(),
            has_failed: false,
            busy: HashSet::new(),
            known: HashMap::new(),
            turns: 0,
        }
    }

    fn run(mut self, messages: &Receiver<Message>) {
        while !self.stopping.load(Ordering::Relaxed) {
            match self.start_due(Instant::now()) {
                Ok(()) => self.has_failed = false,
                Err(StoreError::Stopped) => return,
                Err(error) => {
                    if !mem::replace(&mut self.has_failed, true) {
                        tracing::warn!(%error, "webhooks are not delivered");
                    }
                }
            }
            match messages.recv_timeout(POLL) {
                Ok(message) => self.note(message, Instant::now()),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            thread::sleep(PAUSE);
            while let Ok(message) = messages.try_recv() {
                self.note(message, Instant::now());
            }
        }
    }

    pub(crate) fn note(&mut self, message: Message, now: Instant) {
        match message {
            Message::Wake => self.waking.store(false, Ordering::Release),
            Message::Done(id, end) => {
                self.busy.remove(&id);
                let known = self.known.entry(id.clone()).or_default();
                match end {
                    Ok(seen) => {
                        (known.failures, known.paused) = (0, None);
                        known.seen = seen.unwrap_or(known.seen);
                    }
                    Err(error) => {
                        if known.failures == 0 {
                            tracing::warn!(webhook = id, %error, "webhook not delivered");
                        }
                        known.pause(now);
                    }
                }
            }
        }
    }

    /// Starts the turns of webhooks that are due, as far as there is room.
    pub(crate) fn start_due(&mut self, instant: Instant) -> Result<(), StoreError> {
        let look = |reading: &ReadTx<'_>| Ok::<_, StoreError>((reading.webhooks()?, reading.last_change()?));
        let (webhooks, last) = self.courier.store.read_within(QUERY, look)?;
        *self.states.lock().unwrap_or_else(PoisonError::into_inner) =
            webhooks.iter().map(|webhook| webhook.state).collect();
        self.known.retain(|id, _| webhooks.iter().any(|webhook| webhook.id == *id));
        let now = Utc::now();
        let known = |webhook: &Webhook| self.known.get(&webhook.id).copied().unwrap_or_default();
        let is_due = |webhook: &Webhook| {
            let Known { seen, paused, .. } = known(webhook);
            !self.busy.contains(&webhook.id)
                && paused.is_none_or(|end| end <= instant)
                && self.courier.is_due(webhook, last, seen, now)
        };
        let mut due: Vec<_> =
            webhooks.into_iter().filter(is_due).map(|webhook| (known(&webhook), webhook.id)).collect();
        due.sort_by_key(|(known, _)| known.turn);
        due.truncate(self.limits.at_once.saturating_sub(self.busy.len()));
        for (known, id) in due {
            self.start_turn(id, known.seen);
        }
        Ok(())
    }

    fn start_turn(&mut self, id: String, seen: Number) {
        let (courier, stopping) = (Arc::clone(&self.courier), Arc::clone(&self.stopping));
        let (limits, end) = (self.limits, Err(StoreError::Other("the delivery panicked".to_owned())));
        let mut turn = Turn { id: id.clone(), end, messages: self.messages.clone() };
        let run = move || turn.end = deliver(&courier, &turn.id, seen, limits, &stopping);
        match thread::Builder::new().name("quipu-webhook".to_owned()).spawn(run) {
            Ok(_) => {
                self.turns += 1;
                self.known.entry(id.clone()).or_default().turn = self.turns;
                self.busy.insert(id);
            }
            Err(error) => tracing::warn!(%error, "no thread for a webhook"),
        }
    }
}

/// A turn of a webhook. It reports its end, also that by a panic.
struct Turn {
    id: String,
    end: End,
    messages: mpsc::Sender<Message>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // The thread has ended if it does not listen.
        let end = mem::replace(&mut self.end, Ok(None));
        drop(self.messages.send(Message::Done(mem::take(&mut self.id), end)));
    }
}

/// A turn of a webhook.
fn deliver(courier: &Courier, id: &str, seen: Number, limits: Limits, stopping: &AtomicBool) -> End {
    let begun = Instant::now();
    for _ in 0..limits.events {
        if stopping.load(Ordering::Relaxed) {
            break;
        }
        match courier.step(id, seen, Utc::now()) {
            Ok(Step::More) if begun.elapsed() < limits.time => {}
            Ok(Step::NothingUpTo(seen)) => return Ok(Some(seen)),
            Ok(Step::More | Step::Waiting) | Err(StoreError::Stopped) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
