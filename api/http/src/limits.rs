//! How much one client may ask for, and how much goes on at once. Every limit is a setting.

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::{
    Quota, RateLimiter, clock, clock::Clock, middleware::StateInformationMiddleware, state::keyed::DashMapStateStore,
};

use tokio::sync::Semaphore;

use super::{
    auth::Bearer,
    budget::{ByteBudget, Reservation},
    permits::{self, Permits},
    problem::{self, Problem},
    slots::{self, Full, Slot, Slots},
};
use quipu_archive::model::TokenText;
use quipu_options::settings::Settings;

type Limiter<K> = RateLimiter<K, DashMapStateStore<K>, clock::DefaultClock, StateInformationMiddleware>;

/// Long answers that are compressed at once, each with a compressor of some 256 KiB. Others go out as they are.
const COMPRESSORS: usize = 64;
/// Requests after which the clients that were not seen for a while are forgotten.
const FORGET_AFTER: usize = 10_000;

/// Bytes of a body that count as one request, where records are judged and not stored.
const BYTES_A_REQUEST: usize = 64 * 1024;
/// Connections beyond the share of a client that are told so; others are closed unheard.
const TOLD: usize = 8;

/// One client: a token, or an address of version 4, or the network of 64 bits that an address of version 6 is in, because
/// the owner of one address of such a network has them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Client {
    V4(u32),
    V6(u64),
    Token([u8; TokenText::ID]),
}

impl Client {
    /// The client behind a request, as far as shares count it: its token, or else its address. Requests from the machine
    /// itself are not told apart: a proxy there may stand for any number of clients.
    pub(super) fn of(bearer: Option<&Bearer>, address: Option<IpAddr>) -> Option<Self> {
        let remote = address.filter(|address| !address.to_canonical().is_loopback());
        bearer.map(|bearer| Self::Token(bearer.id)).or(remote.map(Self::from))
    }
}

/// Cost of a body in requests where records are judged and not stored.
pub(super) fn cost_of_body(bytes: usize) -> u32 {
    u32::try_from(bytes / BYTES_A_REQUEST).unwrap_or(u32::MAX)
}

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.to_bits()),
            IpAddr::V6(address) => Self::V6(u64::try_from(address.to_bits() >> 64).unwrap_or_default()),
        }
    }
}

/// The address that a request comes from. Behind a proxy it is the one that the proxy itself wrote: the last.
pub(super) fn address(headers: &HeaderMap, peer: Option<SocketAddr>, trust_proxy: bool) -> Option<IpAddr> {
    let peer = peer.map(|peer| peer.ip());
    if !trust_proxy {
        return peer;
    }
    let forwarded = headers.get_all(HeaderName::from_static("x-forwarded-for")).last();
    let last = forwarded.and_then(|value| value.to_str().ok()).and_then(|value| value.rsplit(',').next());
    // Some proxies write the port too.
    let read = |last: &str| last.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|last| last.ip()));
    last.and_then(|last| read(last.trim())).or(peer)
}

/// All limits that are counted.
pub(super) struct Limits {
    by_address: Counted<Client>,
    by_token: Counted<[u8; 8]>,
    /// Judging for routes that write: nothing that anybody may ask for takes these.
    pub(super) writes: Permits,
    /// Judging and replaying for routes that read.
    pub(super) reads: Permits,
    /// Drawing.
    pub(super) pictures: Permits,
    /// Long questions to the archive, exports included.
    pub(super) questions: Permits,
    /// Those of them that clients without a token may take.
    pub(super) open_questions: Permits,
    /// Large records that are worked on at once.
    pub(super) large: Permits,
    /// Listeners that look for news at once, so that a commit does not put all of them before a request.
    pub(super) looks: Semaphore,
    /// Long answers that are compressed at once.
    pub(super) compressors: Arc<Semaphore>,
    /// Bytes of bodies that are held at once.
    bodies: ByteBudget,
    /// Those of them that packed bodies may take while they come.
    packed: ByteBudget,
    /// Long answers at once.
    streams: Slots,
    /// Those of them that clients without a token may take.
    open_streams: Slots,
    listeners: Slots,
    slots: Slots,
    /// Connections beyond the share of their client that are told so.
    told: Slots,
    /// All connections, those included that are refused.
    connections: Arc<AtomicUsize>,
    /// True if all connections are those of a proxy.
    trust_proxy: bool,
}

struct Counted<K: std::hash::Hash + Eq + Clone> {
    limiter: Limiter<K>,
    seen: AtomicUsize,
    rate: NonZeroU32,
    policy: HeaderValue,
    variant: &'static str,
}

impl<K: std::hash::Hash + Eq + Clone> Counted<K> {
    fn new(rate: u32, variant: &'static str) -> Self {
        let rate = NonZeroU32::new(rate).unwrap_or(NonZeroU32::MIN);
        let policy = format!("\"{variant}\";q={rate};w=60");
        Self {
            limiter: RateLimiter::dashmap(Quota::per_minute(rate)).with_middleware(),
            seen: AtomicUsize::new(0),
            rate,
            policy: HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("")),
            variant,
        }
    }

    /// Counts a request that costs as much as so many. None costs more than there is in all.
    fn count(&self, key: &K, cost: u32) -> Result<Share, Problem> {
        if self.seen.fetch_add(1, Ordering::Relaxed) % FORGET_AFTER == FORGET_AFTER - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        let share = |left: u32| Share { policy: self.policy.clone(), variant: self.variant, left };
        let cost = NonZeroU32::new(cost).unwrap_or(NonZeroU32::MIN).min(self.rate);
        match self.limiter.check_key_n(key, cost) {
            Ok(Ok(state)) => Ok(share(state.remaining_burst_capacity())),
            // No cost is larger than the allowance.
            Err(_) => Ok(share(0)),
            Ok(Err(until)) => {
                let wait = until.wait_time_from(clock::DefaultClock::default().now());
                let problem = Problem::variant(problem::RATE, self.variant).with("max", self.rate);
                let [policy, limit] = share(self.left(cost, wait)).headers();
                // Rounded up: who comes back then is let in.
                Err(problem.retry_after(wait.as_secs() + 1).header(policy.0, policy.1).header(limit.0, limit.1))
            }
        }
    }
}

impl<K: std::hash::Hash + Eq + Clone> Counted<K> {
    /// The rest of the allowance, if a request of this cost must wait so long.
    fn left(&self, cost: NonZeroU32, wait: Duration) -> u32 {
        let missing = wait.as_nanos() * u128::from(self.rate.get()) / Duration::from_secs(60).as_nanos() + 1;
        u32::try_from(missing).map_or(0, |missing| cost.get().saturating_sub(missing))
    }
}

/// What is left of a limit.
#[derive(Clone, Debug)]
pub(super) struct Share {
    policy: HeaderValue,
    variant: &'static str,
    left: u32,
}

impl Share {
    /// As the answer says it.
    pub(super) fn headers(self) -> [(HeaderName, HeaderValue); 2] {
        let left = HeaderValue::from_str(&format!("\"{}\";r={}", self.variant, self.left));
        [
            (HeaderName::from_static("ratelimit-policy"), self.policy),
            (HeaderName::from_static("ratelimit"), left.unwrap_or(HeaderValue::from_static(""))),
        ]
    }
}

impl Limits {
    pub(super) fn new(settings: &Settings) -> Self {
        let Settings { client_share: percent, max_connections, max_streams, max_listeners, .. } = *settings;
        let work = if settings.max_work == 0 { cores() } else { settings.max_work };
        let permits = |permits| Permits::new(permits, slots::share(permits::MAX_WAITING, percent));
        Self {
            by_address: Counted::new(settings.address_rate, "address"),
            by_token: Counted::new(settings.token_rate, "token"),
            writes: permits(work),
            reads: permits(work),
            pictures: permits(work / 2),
            questions: permits(work),
            open_questions: permits(work / 2),
            large: permits(1),
            looks: Semaphore::new(cores()),
            compressors: Arc::new(Semaphore::new(COMPRESSORS)),
            bodies: ByteBudget::new(settings.max_bodies, "bodies"),
            packed: ByteBudget::new(settings.max_body.max(settings.max_bodies / 2), "bodies"),
            streams: Slots::new(max_streams, percent),
            open_streams: Slots::new(max_streams.div_ceil(2), percent),
            listeners: Slots::new(max_listeners, percent),
            slots: Slots::new(max_connections, percent),
            told: Slots::with_share(usize::MAX, TOLD),
            connections: Arc::default(),
            trust_proxy: settings.trust_proxy,
        }
    }

    /// Counts a request that costs as much as so many, for its token or else for its address.
    pub(super) fn count(
        &self,
        bearer: Option<&Bearer>,
        address: Option<IpAddr>,
        cost: u32,
    ) -> Result<Option<Share>, Problem> {
        match (bearer, address) {
            (Some(bearer), _) => self.by_token.count(&bearer.id, cost).map(Some),
            (None, Some(address)) => self.by_address.count(&address.into(), cost).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Counts what a request costs beyond the one that it is, which was counted: with that it costs no more than all.
    pub(super) fn charge(
        &self,
        bearer: Option<&Bearer>,
        address: Option<IpAddr>,
        cost: u32,
    ) -> Result<Option<Share>, Problem> {
        let rate = if bearer.is_some() { self.by_token.rate } else { self.by_address.rate };
        let cost = cost.min(rate.get() - 1);
        if cost == 0 { Ok(None) } else { self.count(bearer, address, cost) }
    }

    /// Room for a body, nothing of it taken yet.
    pub(super) fn room(&self) -> Reservation {
        self.bodies.reservation()
    }

    /// Room for a packed body as long as it comes. A few bytes can take very much of it, and should not take that of all
    /// others.
    pub(super) fn packed_room(&self) -> Reservation {
        self.packed.reservation()
    }

    /// Counts a long answer, as long as the slots are held.
    pub(super) fn stream(&self, bearer: Option<&Bearer>, client: Option<Client>) -> Result<StreamSlots, Problem> {
        let open = if bearer.is_none() {
            Some(self.open_streams.take(client).map_err(|full| busy(full, "open-streams"))?)
        } else {
            None
        };
        Ok((self.streams.take(client).map_err(|full| busy(full, "streams"))?, open))
    }

    /// Counts a listener, as long as the slot is held.
    pub(super) fn listen(&self, client: Option<Client>) -> Result<Slot, Problem> {
        self.listeners.take(client).map_err(|full| busy(full, "listeners"))
    }

    /// Counts a connection from this address.
    pub(super) fn connect(&self, peer: Option<SocketAddr>) -> Connection {
        self.connections.fetch_add(1, Ordering::Relaxed);
        let client = Client::of(None, peer.map(|peer| peer.ip())).filter(|_| !self.trust_proxy);
        let (taken, refused) = match self.slots.take(client) {
            Ok(slot) => (Some(slot), None),
            Err(full @ Full::All(_)) => (None, Some(full)),
            Err(full @ Full::Share(_)) => (self.told.take(client).ok(), Some(full)),
        };
        let closed = taken.is_none() && matches!(refused, Some(Full::Share(_)));
        Connection { refused, closed, open: Arc::clone(&self.connections), _slot: taken }
    }

    /// How many connections are open.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// The slots of a long answer: one of all, and one of those for clients without a token.
pub(super) type StreamSlots = (Slot, Option<Slot>);

/// That there is no slot; all are held of this kind, or the client has its share.
pub(super) fn busy(full: Full, kind: &'static str) -> Problem {
    let (variant, max) = match full {
        Full::All(max) => (kind, max),
        Full::Share(max) => ("share", max),
    };
    Problem::variant(problem::BUSY, variant).with("max", max).retry_after(5)
}

/// A connection, as long as it is open.
pub(super) struct Connection {
    /// Why it is one too many, if it is.
    pub(super) refused: Option<Full>,
    /// True if it is closed without an answer, since its client is told so on others already.
    pub(super) closed: bool,
    open: Arc<AtomicUsize>,
    _slot: Option<Slot>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many threads the machine runs at once.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(one: &str, other: &str, expected: bool) {
        let client = |text: &str| Client::from(text.parse::<IpAddr>().expect("an address"));
        assert_eq!(client(one) == client(other), expected, "{one} {other}");
    }

    #[test]
    fn clients() {
        same("10.0.0.1", "10.0.0.1", true);
        same("10.0.0.1", "10.0.0.2", false);
        same("::ffff:10.0.0.1", "10.0.0.1", true);
        same("2001:db8::1", "2001:db8::ffff", true);
        same("2001:db8::1", "2001:db8:0:1::1", false);
    }

    #[test]
    fn only_the_last_hop_is_believed_and_only_behind_a_proxy() {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static("1.1.1.1, 2.2.2.2"));
        let peer: SocketAddr = "127.0.0.1:5".parse().expect("an address");
        let seen = |trust| address(&headers, Some(peer), trust).map(|address| address.to_string());
        for (written, read) in
            [("3.3.3.3:567", "3.3.3.3"), ("[2001:db8::1]:9", "2001:db8::1"), ("unknown", "127.0.0.1")]
        {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(written));
            assert_eq!(address(&headers, Some(peer), true).map(|found| found.to_string()).as_deref(), Some(read));
        }
        assert_eq!(seen(false).as_deref(), Some("127.0.0.1"));
        assert_eq!(seen(true).as_deref(), Some("2.2.2.2"));
    }

    #[test]
    fn a_full_quota_is_a_problem_with_a_time() {
        let limits = Limits::new(&Settings { address_rate: 2, ..Settings::default() });
        let address = Some(IpAddr::from([10, 0, 0, 1]));
        let left = |limits: &Limits| limits.count(None, address, 1).map(|share| share.map(|share| share.left));
        assert_eq!(left(&limits).ok().flatten(), Some(1));
        assert_eq!(left(&limits).ok().flatten(), Some(0));
        assert_eq!(left(&limits).map_err(|problem| problem.code()), Err("api.rate"));
        assert!(limits.count(None, Some(IpAddr::from([10, 0, 0, 2])), 1).is_ok());
    }

    #[test]
    fn connections_beyond_the_limit_are_refused_until_others_close() {
        let limits = Limits::new(&Settings { max_connections: 1, ..Settings::default() });
        let refused = |peer: [u8; 4]| limits.connect(Some((peer, 1).into())).refused;
        let first = limits.connect(None);
        assert_eq!((first.refused, refused([127, 0, 0, 1])), (None, Some(Full::All(1))));
        drop(first);
        assert_eq!(refused([127, 0, 0, 1]), None);
    }

    #[test]
    fn one_address_has_a_share_of_the_connections() {
        let settings = Settings { max_connections: 8, client_share: 25, ..Settings::default() };
        let limits = Limits::new(&settings);
        let connect = |limits: &Limits, peer: &str| limits.connect(peer.parse().ok());
        let mut held: Vec<_> = (0..2 + TOLD).map(|_| connect(&limits, "10.0.0.1:5")).collect();
        assert_eq!(held.iter().filter(|one| one.refused.is_none()).count(), 2);
        assert!(held.iter().all(|one| !one.closed));
        let beyond = connect(&limits, "10.0.0.1:5");
        assert!(beyond.closed && beyond.refused == Some(Full::Share(2)));
        // Others have theirs; a network of version 6 is one; the machine itself and all behind a proxy are not told apart.
        held.extend(["[2001:db8::1]:5", "[2001:db8::2]:5"].map(|peer| connect(&limits, peer)));
        assert_eq!(connect(&limits, "[2001:db8::3]:5").refused, Some(Full::Share(2)));
        held.extend(
            ["127.0.0.1:5", "127.0.0.1:5", "[::1]:5", "[::ffff:127.0.0.1]:5"].map(|peer| connect(&limits, peer)),
        );
        assert!(held[2 + TOLD..].iter().all(|one| one.refused.is_none()));
        assert_eq!(connect(&limits, "127.0.0.1:5").refused, Some(Full::All(8)));
        assert_eq!(limits.connections(), held.len() + 1);
        let behind = Limits::new(&Settings { trust_proxy: true, ..settings });
        let held: Vec<_> = (0..8).map(|_| connect(&behind, "10.0.0.1:5")).collect();
        assert!(held.iter().all(|one| one.refused.is_none()));
    }

    #[test]
    fn a_request_may_cost_as_much_as_several() {
        let limits = Limits::new(&Settings { address_rate: 100, ..Settings::default() });
        let address = Some(IpAddr::from([10, 0, 0, 1]));
        let left = |cost| limits.count(None, address, cost).map(|share| share.map(|share| share.left));
        assert_eq!(left(0).ok().flatten(), Some(99), "one at the least");
        assert_eq!(left(60).ok().flatten(), Some(39));
        // A refused request costs nothing, and the answer says what is left.
        let refused = left(50).expect_err("it is more than what is left");
        let answer = refused.answer(quipu_referee::Lang::En, "");
        let header = |name| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert_eq!(header("ratelimit"), "\"address\";r=39");
        assert_eq!(header("retry-after"), "7", "11 of 100 a minute");
        assert_eq!(left(39).ok().flatten(), Some(0));
        let whole = Limits::new(&Settings { address_rate: 3, ..Settings::default() });
        assert!(whole.count(None, address, 1000).is_ok(), "nothing costs more than there is");
    }
}
