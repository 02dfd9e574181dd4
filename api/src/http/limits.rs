//! How much one client may ask for, and how much goes on at once. Every limit is a setting.

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::{
    Quota, RateLimiter, clock, clock::Clock, middleware::StateInformationMiddleware, state::keyed::DashMapStateStore,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    auth::Bearer,
    budget::{ByteBudget, Reservation},
    problem::{self, Problem},
};
use crate::settings::Settings;

type Limiter<K> = RateLimiter<K, DashMapStateStore<K>, clock::DefaultClock, StateInformationMiddleware>;

/// Requests after which the clients that were not seen for a while are forgotten.
const FORGET_AFTER: usize = 10_000;

/// Who is counted as one client: an address of version 4, or the network of 64 bits that an address of version 6 is in,
/// because whoever has one of those has them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Client {
    V4(u32),
    V6(u64),
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
    /// Judging at once.
    pub(super) work: Arc<Semaphore>,
    /// Long questions to the archive at once. They are counted by themselves, so that who only looks keeps nobody from
    /// handing in.
    pub(super) questions: Arc<Semaphore>,
    /// Large records that are worked on at once.
    pub(super) large: Arc<Semaphore>,
    /// Bytes of bodies that are held at once.
    bodies: ByteBudget,
    /// Those of them that packed bodies may take while they come.
    packed: ByteBudget,
    /// Long answers at once.
    streams: Arc<Semaphore>,
    /// Long answers at once to who has no token, who thus leave room for those who have one.
    open_streams: Arc<Semaphore>,
    max_streams: usize,
    /// Listeners of the feed at once.
    pub(super) listeners: Arc<Semaphore>,
    connections: Arc<AtomicUsize>,
    max_connections: usize,
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

    fn count(&self, key: &K) -> Result<Share, Problem> {
        if self.seen.fetch_add(1, Ordering::Relaxed) % FORGET_AFTER == FORGET_AFTER - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        let share = |left: u32| Share { policy: self.policy.clone(), variant: self.variant, left };
        match self.limiter.check_key(key) {
            Ok(state) => Ok(share(state.remaining_burst_capacity())),
            Err(until) => {
                let wait = until.wait_time_from(clock::DefaultClock::default().now());
                let problem = Problem::variant(problem::RATE, self.variant).with("max", self.rate);
                let [policy, limit] = share(0).headers();
                // Rounded up: who comes back then is let in.
                Err(problem.again_after(wait.as_secs() + 1).header(policy.0, policy.1).header(limit.0, limit.1))
            }
        }
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
        let work = if settings.max_work == 0 { cores() } else { settings.max_work };
        Self {
            by_address: Counted::new(settings.address_rate, "address"),
            by_token: Counted::new(settings.token_rate, "token"),
            work: Arc::new(Semaphore::new(work)),
            questions: Arc::new(Semaphore::new(work)),
            large: Arc::new(Semaphore::new(1)),
            bodies: ByteBudget::new(settings.max_bodies, "bodies"),
            packed: ByteBudget::new(settings.max_body.max(settings.max_bodies / 2), "bodies"),
            streams: Arc::new(Semaphore::new(settings.max_streams)),
            open_streams: Arc::new(Semaphore::new(settings.max_streams.div_ceil(2))),
            max_streams: settings.max_streams,
            listeners: Arc::new(Semaphore::new(settings.max_listeners)),
            connections: Arc::default(),
            max_connections: settings.max_connections,
        }
    }

    /// Counts a request: of its token, or else of its address.
    pub(super) fn count(&self, bearer: Option<&Bearer>, address: Option<IpAddr>) -> Result<Option<Share>, Problem> {
        match (bearer, address) {
            (Some(bearer), _) => self.by_token.count(&bearer.id).map(Some),
            (None, Some(address)) => self.by_address.count(&address.into()).map(Some),
            (None, None) => Ok(None),
        }
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

    /// Counts a long answer, as long as the turns are held.
    pub(super) fn stream(&self, bearer: Option<&Bearer>) -> Result<Turns, Problem> {
        let turn = |turns: &Arc<Semaphore>| Arc::clone(turns).try_acquire_owned().ok();
        let busy = |variant, max: usize| Problem::variant(problem::BUSY, variant).with("max", max).again_after(5);
        let open = if bearer.is_none() {
            let max = self.max_streams.div_ceil(2);
            Some(turn(&self.open_streams).ok_or_else(|| busy("open-streams", max))?)
        } else {
            None
        };
        Ok((turn(&self.streams).ok_or_else(|| busy("streams", self.max_streams))?, open))
    }

    /// Counts a connection.
    pub(super) fn connect(&self) -> Connection {
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        Connection { refused: before >= self.max_connections, open: Arc::clone(&self.connections) }
    }

    /// How many connections are open.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// What a long answer holds.
pub(super) type Turns = (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

/// A connection, as long as it is open.
#[derive(Debug)]
pub(super) struct Connection {
    /// Whether it is one too many.
    pub(super) refused: bool,
    open: Arc<AtomicUsize>,
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
        let left = |limits: &Limits| limits.count(None, address).map(|share| share.map(|share| share.left));
        assert_eq!(left(&limits).ok().flatten(), Some(1));
        assert_eq!(left(&limits).ok().flatten(), Some(0));
        assert_eq!(left(&limits).map_err(|problem| problem.code()), Err("api.rate"));
        assert!(limits.count(None, Some(IpAddr::from([10, 0, 0, 2]))).is_ok());
    }

    #[test]
    fn connections_beyond_the_limit_are_refused_until_others_close() {
        let limits = Limits::new(&Settings { max_connections: 1, ..Settings::default() });
        let first = limits.connect();
        assert!(!first.refused && limits.connect().refused);
        drop(first);
        assert!(!limits.connect().refused);
    }
}
