//! Permits for expensive work. Each kind of work has its own, so that none delays another. Waiting clients are served by
//! start-time fair queueing: the client whose work has taken the least time comes first, so that a client with one cheap
//! request does not wait behind each of many with expensive ones. Work open to anybody runs on threads of low priority, so
//! that the scheduler of the system prefers submissions.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use actix_web::web::Bytes;
use tokio::{
    runtime::{self, Handle},
    sync::{
        OnceCell,
        mpsc::{self, UnboundedSender},
        oneshot,
    },
    time::timeout,
};

use super::{
    client::Client,
    problem::{self, Problem},
};

/// Most requests that wait for one kind of permit.
pub(super) const MAX_WAITING: usize = 256;
/// Nice value of threads for anonymous clients. Beside threads of normal priority (0) they get a tenth of the
/// processor; the lowest priority (19) gets a seventieth, with which work would hardly finish on a busy machine.
const NICE: i32 = 10;
/// Most threads of low priority: more than a system starts. Permits and slots bound the work.
const MAX_BACKGROUND: usize = 1 << 16;

/// The permits of one kind of work.
#[derive(Clone)]
pub(super) struct Permits(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    /// Most waiting requests of one client.
    share: usize,
}

struct Queue {
    free: usize,
    /// Virtual time, in milliseconds of work: the start of the work that began last.
    now: u64,
    /// Virtual time at which the next work of a client may start, for clients whose time lies ahead of `now`.
    starts: HashMap<Option<Client>, u64>,
    /// Waiting requests by client. No entry is empty; of clients with the same start the first is served first.
    clients: VecDeque<(Option<Client>, VecDeque<oneshot::Sender<Permit>>)>,
}

/// One permit, returned when it is dropped. Its client is then charged for the time in between.
pub(super) struct Permit(Option<Charge>);

struct Charge {
    to: Arc<Shared>,
    client: Option<Client>,
    begun: Instant,
}

impl Permits {
    /// A number of permits. One client may have `share` requests waiting for them.
    pub(super) fn new(permits: usize, share: usize) -> Self {
        let queue = Queue { free: permits.max(1), now: 0, starts: HashMap::new(), clients: VecDeque::new() };
        Self(Arc::new(Shared { queue: Mutex::new(queue), share }))
    }

    /// A permit, if one is free.
    pub(super) fn try_acquire(&self, client: Option<Client>) -> Option<Permit> {
        let mut queue = self.0.lock();
        queue.free = queue.free.checked_sub(1)?;
        queue.start(client);
        Some(self.0.permit(client))
    }

    /// A permit, once it is the client's turn, within `patience`. Anonymous clients (`None`) share one queue, which
    /// only [`MAX_WAITING`] bounds. Work that has begun has no timeout (`None`), and waits however many others do.
    ///
    /// # Errors
    /// `api.busy` if the time is over, or too many requests wait already.
    pub(super) async fn acquire(&self, client: Option<Client>, patience: Option<Duration>) -> Result<Permit, Problem> {
        let busy = |variant| Problem::variant(problem::BUSY, variant).retry_after(1);
        let receiver = {
            let mut queue = self.0.lock();
            if queue.free > 0 {
                queue.free -= 1;
                queue.start(client);
                return Ok(self.0.permit(client));
            }
            let (most, share) = if patience.is_some() { (MAX_WAITING, self.0.share) } else { (usize::MAX, usize::MAX) };
            queue.enqueue(client, most, share).map_err(busy)?
        };
        let permit = match patience {
            Some(patience) => timeout(patience, receiver).await.ok(),
            None => Some(receiver.await),
        };
        permit.and_then(Result::ok).ok_or_else(|| busy("work"))
    }

    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.0.lock().free
    }
}

impl Queue {
    fn enqueue(
        &mut self,
        client: Option<Client>,
        most: usize,
        share: usize,
    ) -> Result<oneshot::Receiver<Permit>, &'static str> {
        // Clients that disconnected or timed out do not count.
        for (_, waiting) in &mut self.clients {
            waiting.retain(|waiting| !waiting.is_closed());
        }
        self.clients.retain(|(_, waiting)| !waiting.is_empty());
        if self.clients.iter().map(|(_, waiting)| waiting.len()).sum::<usize>() >= most {
            return Err("work");
        }
        let (sender, receiver) = oneshot::channel();
        match self.clients.iter_mut().find(|(other, _)| *other == client) {
            Some((Some(_), waiting)) if waiting.len() >= share => return Err("work-share"),
            Some((_, waiting)) => waiting.push_back(sender),
            None => self.clients.push_back((client, VecDeque::from([sender]))),
        }
        Ok(receiver)
    }

    /// The virtual time at which the next work of a client starts.
    fn start_of(&self, client: Option<Client>) -> u64 {
        self.starts.get(&client).map_or(self.now, |start| self.now.max(*start))
    }

    /// Begins work of a client.
    fn start(&mut self, client: Option<Client>) {
        self.now = self.start_of(client);
    }

    /// Charges a client for the duration of its work, at least a millisecond.
    fn charge(&mut self, client: Option<Client>, took: Duration) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).saturating_add(1);
        let next = self.start_of(client).saturating_add(took);
        self.starts.insert(client, next);
        let now = self.now;
        self.starts.retain(|_, start| *start > now);
    }

    /// The request to be served next: the first one of the client whose work starts first.
    fn next(&mut self) -> Option<(Option<Client>, oneshot::Sender<Permit>)> {
        let place = (0..self.clients.len()).min_by_key(|place| self.start_of(self.clients[*place].0))?;
        let (client, mut waiting) = self.clients.remove(place)?;
        let next = waiting.pop_front();
        if !waiting.is_empty() {
            self.clients.push_back((client, waiting));
        }
        self.start(client);
        next.map(|next| (client, next))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(self: &Arc<Self>, client: Option<Client>) -> Permit {
        Permit(Some(Charge { to: Arc::clone(self), client, begun: Instant::now() }))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(Charge { to, client, begun }) = self.0.take() else { return };
        to.lock().charge(client, begun.elapsed());
        loop {
            let next = {
                let mut queue = to.lock();
                let next = queue.next();
                queue.free += usize::from(next.is_none());
                next
            };
            let Some((client, next)) = next else { return };
            match next.send(to.permit(client)) {
                Ok(()) => return,
                // That request waits no longer. The loop passes its permit on, so dropping it here must not.
                Err(mut permit) => drop(permit.0.take()),
            }
        }
    }
}

/// Work for another thread.
type Job = Box<dyn FnOnce() + Send>;

/// Threads of low priority. They stay for some seconds after their work: a thread per piece of work would change the
/// memory map of the process all the time, which every other thread then waits for.
///
/// Jobs go through a thread of normal priority. The lock of the pool may be held by a thread of low priority that gets no
/// turn on a busy machine, and a request thread that waited for it would answer nobody meanwhile.
static BACKGROUND: LazyLock<io::Result<UnboundedSender<Job>>> = LazyLock::new(|| {
    let threads = runtime::Builder::new_current_thread()
        .max_blocking_threads(MAX_BACKGROUND)
        .thread_name("quipu-background")
        .on_thread_start(lower_priority)
        .build()?;
    let (sender, mut jobs) = mpsc::unbounded_channel::<Job>();
    thread::Builder::new().name("quipu-dispatch".to_owned()).spawn(move || {
        while let Some(job) = jobs.blocking_recv() {
            // The runtime panics if the system starts no thread and none is left of earlier work.
            if catch_unwind(AssertUnwindSafe(|| drop(threads.spawn_blocking(job)))).is_err() {
                tracing::error!("no thread");
            }
        }
    })?;
    Ok(sender)
});

/// Starts work on a thread of normal priority, at once: the returned future only waits for the result. The runtime gets a box,
/// because it would be compiled again for each closure.
///
/// # Errors
/// The error of `work`, or `api.internal` if it panics.
pub(super) fn in_foreground<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> impl Future<Output = Result<T, Problem>> {
    let (sender, done) = oneshot::channel();
    // A client that left has no use for the result.
    let job: Job = Box::new(move || drop(sender.send(work())));
    drop(Handle::current().spawn_blocking(job));
    async move { done.await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL))) }
}

/// Starts work on a thread of low priority, at once: the returned future only waits for the result.
///
/// # Errors
/// The error of `work`, or `api.busy` if no thread can be started.
pub(super) fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> impl Future<Output = Result<T, Problem>> {
    let runtime = Handle::current();
    let (sender, done) = oneshot::channel();
    let started = Arc::new(AtomicBool::new(false));
    let job = {
        let started = Arc::clone(&started);
        move || {
            started.store(true, Ordering::Release);
            let _runtime = runtime.enter();
            // A client that left has no use for the result.
            drop(sender.send(work()));
        }
    };
    // Without a channel, the job is dropped, and so is its sender.
    if let Ok(jobs) = BACKGROUND.as_ref() {
        drop(jobs.send(Box::new(job)));
    }
    async move {
        match done.await {
            Ok(result) => result,
            // Work that panics has no result.
            Err(_) if started.load(Ordering::Acquire) => Err(Problem::new(problem::INTERNAL)),
            Err(_) => Err(Problem::variant(problem::BUSY, "work").retry_after(1)),
        }
    }
}

/// Lowers the priority of this thread, on systems that have priorities of threads. A refusal changes nothing. A thread
/// cannot raise its priority again.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICE);
}

/// Work under way. Requests for the same work meanwhile share its result.
#[derive(Default)]
pub(super) struct SingleFlight(Mutex<HashMap<String, Weak<OnceCell<Bytes>>>>);

impl SingleFlight {
    /// The result of the work under way with this key, or else that of `work`.
    ///
    /// # Errors
    /// The error of `work`. It is not shared: the next waiting request tries again.
    pub(super) async fn run(
        &self,
        key: String,
        work: impl Future<Output = Result<Bytes, Problem>>,
    ) -> Result<Bytes, Problem> {
        let cell = {
            let mut under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            under_way.retain(|_, cell| cell.strong_count() > 0);
            let cell = under_way.get(&key).and_then(Weak::upgrade).unwrap_or_default();
            under_way.insert(key, Arc::downgrade(&cell));
            cell
        };
        cell.get_or_try_init(|| work).await.cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use actix_web::rt;

    use super::*;

    const ONE: Option<Client> = Some(Client::V4(1));
    const OTHER: Option<Client> = Some(Client::V4(2));
    const PATIENCE: Option<Duration> = Some(Duration::from_secs(10));

    /// A client whose work took long waits behind all that came after it with cheap requests.
    #[actix_web::test]
    async fn the_client_whose_work_took_least_is_served_first() {
        let permits = Permits::new(1, 8);
        let held = permits.try_acquire(ONE).expect("it is free");
        let served = Rc::new(RefCell::new(Vec::new()));
        let wait = |name, client| {
            let (permits, served) = (permits.clone(), Rc::clone(&served));
            rt::spawn(async move {
                let _permit = permits.acquire(client, PATIENCE).await.expect("a turn");
                served.borrow_mut().push(name);
            })
        };
        let waiting = [("costly", ONE), ("cheap 1", OTHER), ("cheap 2", OTHER), ("cheap 3", OTHER)];
        let waiting = waiting.map(|(name, client)| wait(name, client));
        settle().await;
        permits.0.lock().charge(ONE, Duration::from_secs(60));
        drop(held);
        for one in waiting {
            one.await.expect("no panic");
        }
        assert_eq!(*served.borrow(), ["cheap 1", "cheap 2", "cheap 3", "costly"]);
        // Time that went by unused is not saved up: a client that comes back starts where the others are.
        assert!(permits.0.lock().start_of(OTHER) >= 60_000);
    }

    #[actix_web::test]
    async fn clients_are_served_in_turn() {
        let permits = Permits::new(1, 8);
        // The time until it is dropped is charged, so none of the others holds it.
        let held = permits.try_acquire(Some(Client::V4(3))).expect("it is free");
        let served = Rc::new(RefCell::new(Vec::new()));
        let mut waiting = Vec::new();
        for (name, client) in [("a1", ONE), ("a2", ONE), ("a3", ONE), ("b1", OTHER), ("b2", OTHER), ("c", None)] {
            let (permits, served) = (permits.clone(), Rc::clone(&served));
            waiting.push(rt::spawn(async move {
                let _permit = permits.acquire(client, PATIENCE).await.expect("a turn");
                served.borrow_mut().push(name);
            }));
            rt::task::yield_now().await;
        }
        drop(held);
        for one in waiting {
            one.await.expect("no panic");
        }
        assert_eq!(*served.borrow(), ["a1", "b1", "c", "a2", "b2", "a3"]);
        assert_eq!(permits.free(), 1);
    }

    /// Lets all tasks run as far as they can: the runtime polls only some of them at a time.
    async fn settle() {
        for _ in 0..2 * MAX_WAITING {
            rt::task::yield_now().await;
        }
    }

    #[actix_web::test]
    async fn one_client_waits_in_some_places_and_all_in_so_many() {
        let permits = Permits::new(1, 2);
        let held = permits.try_acquire(None);
        let wait = |client| {
            let permits = permits.clone();
            rt::spawn(async move { permits.acquire(client, PATIENCE).await.err().map(|problem| problem.code()) })
        };
        let refused =
            async |client| permits.acquire(client, Some(Duration::ZERO)).await.err().map(|problem| problem.code());
        let mut waiting = vec![wait(ONE), wait(ONE)];
        settle().await;
        assert_eq!(refused(ONE).await, Some("api.busy"));
        waiting.extend((2..MAX_WAITING).map(|_| wait(None)));
        settle().await;
        assert_eq!(refused(OTHER).await, Some("api.busy"));
        // A request that goes away frees its place, and takes no permit.
        waiting.swap_remove(0).abort();
        settle().await;
        waiting.push(wait(OTHER));
        drop(held);
        for one in waiting {
            assert!(matches!(one.await, Ok(None) | Err(_)));
        }
        assert_eq!(permits.free(), 1);
    }

    #[actix_web::test]
    async fn a_permit_on_its_way_to_a_client_that_left_is_not_lost() {
        let permits = Permits::new(1, 8);
        let held = permits.try_acquire(None);
        let waiting = rt::spawn({
            let permits = permits.clone();
            async move { permits.acquire(ONE, None).await }
        });
        rt::task::yield_now().await;
        drop(held);
        waiting.abort();
        drop(waiting.await);
        assert_eq!(permits.free(), 1);
    }

    #[actix_web::test]
    async fn background_work() {
        assert_eq!(in_background(|| Ok(1)).await.ok(), Some(1));
        let failed = in_background(|| -> Result<(), _> { panic!("a fault of ours") }).await;
        assert_eq!(failed.map_err(|problem| problem.code()), Err("api.internal"));
        #[cfg(target_os = "linux")]
        {
            let nice = in_background(|| Ok(rustix::process::getpriority_process(None).ok())).await;
            assert_eq!(nice.ok().flatten(), Some(NICE));
            assert_ne!(rustix::process::getpriority_process(None).ok(), Some(NICE), "nor is any other thread's");
        }
    }

    #[actix_web::test]
    async fn the_same_work_is_done_once() {
        let (flight, count) = (SingleFlight::default(), RefCell::new(0));
        let work = |fails| {
            let count = &count;
            async move {
                *count.borrow_mut() += 1;
                rt::task::yield_now().await;
                if fails { Err(Problem::new(problem::INTERNAL)) } else { Ok(Bytes::from_static(b"drawn")) }
            }
        };
        let run = |key: &str, fails| flight.run(key.to_owned(), work(fails));
        let all = futures_util::future::join_all([run("a", false), run("a", false), run("b", false)]).await;
        assert!(all.iter().all(|one| one.as_deref().ok() == Some(b"drawn")));
        assert_eq!(*count.borrow(), 2);
        let all = futures_util::future::join_all([run("a", true), run("a", false)]).await;
        assert_eq!(all.iter().filter(|one| one.is_ok()).count(), 1, "what failed is tried again");
        assert_eq!(*count.borrow(), 4);
    }
}
