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
    time::Duration,
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
    sender::Sender,
};

/// Webhooks that are delivered to at once, at most.
const AT_ONCE: usize = 8;
/// Events that are delivered to a webhook before others have their turn.
const TURN: usize = 100;
/// Longest time between two looks at the webhooks: that of changes by other programs.
const POLL: Duration = Duration::from_secs(1);
/// Shortest time between two looks, however many changes are stored.
const PAUSE: Duration = Duration::from_millis(20);

/// The deliveries of one service. They end with it.
pub struct Webhooks {
    courier: Arc<Courier>,
    messages: Mutex<mpsc::Sender<Message>>,
    /// True while a message to wake waits.
    waking: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
    states: Arc<Mutex<Vec<WebhookState>>>,
}

enum Message {
    /// Something may be due.
    Wake,
    /// A turn has ended; the webhook, and the change up to which there is nothing for it.
    Done(String, Option<Number>),
}

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
        let sender = Sender::new(allows_private, system_lookup());
        let courier = Arc::new(Courier { store, sender, holder: hex(&holder), observer: Box::new(observer) });
        let (messages, receiver) = mpsc::channel();
        let states = Arc::default();
        let (waking, stopping) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let own = Dispatcher {
            courier: Arc::clone(&courier),
            messages: messages.clone(),
            waking: Arc::clone(&waking),
            stopping: Arc::clone(&stopping),
            states: Arc::clone(&states),
            has_failed: false,
            busy: HashSet::new(),
            known: HashMap::new(),
            turns: 0,
        };
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
        self.stopping.store(true, Ordering::Relaxed);
        self.wake();
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
struct Dispatcher {
    courier: Arc<Courier>,
    messages: mpsc::Sender<Message>,
    waking: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
    states: Arc<Mutex<Vec<WebhookState>>>,
    /// True if the last look has failed.
    has_failed: bool,
    /// Webhooks whose turn it is.
    busy: HashSet<String>,
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
}

impl Dispatcher {
    fn run(mut self, messages: &Receiver<Message>) {
        while !self.stopping.load(Ordering::Relaxed) {
            match self.start_due() {
                Ok(()) => self.has_failed = false,
                Err(StoreError::Stopped) => return,
                Err(error) => {
                    if !mem::replace(&mut self.has_failed, true) {
                        tracing::warn!(%error, "webhooks are not delivered");
                    }
                }
            }
            match messages.recv_timeout(POLL) {
                Ok(message) => self.note(message),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            thread::sleep(PAUSE);
            while let Ok(message) = messages.try_recv() {
                self.note(message);
            }
        }
    }

    fn note(&mut self, message: Message) {
        match message {
            Message::Wake => self.waking.store(false, Ordering::Release),
            Message::Done(id, seen) => {
                self.busy.remove(&id);
                if let Some(seen) = seen {
                    self.known.entry(id).or_default().seen = seen;
                }
            }
        }
    }

    /// Starts the turns of webhooks that are due, as far as there is room.
    fn start_due(&mut self) -> Result<(), StoreError> {
        let look = |reading: &ReadTx<'_>| Ok::<_, StoreError>((reading.webhooks()?, reading.last_change()?));
        let (webhooks, last) = self.courier.store.read_within(QUERY, look)?;
        *self.states.lock().unwrap_or_else(PoisonError::into_inner) =
            webhooks.iter().map(|webhook| webhook.state).collect();
        self.known.retain(|id, _| webhooks.iter().any(|webhook| webhook.id == *id));
        let now = Utc::now();
        let known = |webhook: &Webhook| self.known.get(&webhook.id).copied().unwrap_or_default();
        let is_due = |webhook: &Webhook| {
            !self.busy.contains(&webhook.id) && self.courier.is_due(webhook, last, known(webhook).seen, now)
        };
        let mut due: Vec<_> =
            webhooks.into_iter().filter(is_due).map(|webhook| (known(&webhook), webhook.id)).collect();
        due.sort_by_key(|(known, _)| known.turn);
        due.truncate(AT_ONCE - self.busy.len());
        for (known, id) in due {
            self.start_turn(id, known.seen);
        }
        Ok(())
    }

    fn start_turn(&mut self, id: String, seen: Number) {
        let (courier, stopping) = (Arc::clone(&self.courier), Arc::clone(&self.stopping));
        let mut turn = Turn { id: id.clone(), seen: None, messages: self.messages.clone() };
        let run = move || turn.seen = deliver(&courier, &turn.id, seen, &stopping);
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
    seen: Option<Number>,
    messages: mpsc::Sender<Message>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // The thread has ended if it does not listen.
        drop(self.messages.send(Message::Done(mem::take(&mut self.id), self.seen)));
    }
}

/// A turn of a webhook. Returns the change up to which there is nothing for it.
fn deliver(courier: &Courier, id: &str, seen: Number, stopping: &AtomicBool) -> Option<Number> {
    for _ in 0..TURN {
        if stopping.load(Ordering::Relaxed) {
            return None;
        }
        match courier.step(id, seen, Utc::now()) {
            Ok(Step::More) => {}
            Ok(Step::NothingUpTo(seen)) => return Some(seen),
            Ok(Step::Waiting) | Err(StoreError::Stopped) => return None,
            Err(error) => {
                tracing::warn!(webhook = id, %error, "webhook not delivered");
                return None;
            }
        }
    }
    None
}
