//! Rate limits: requests per minute of a client.

use std::{
    hash::Hash,
    num::NonZeroU32,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use actix_web::http::header::{HeaderName, HeaderValue};
use governor::{clock, clock::Clock, middleware::StateInformationMiddleware, state::keyed::DashMapStateStore};

use super::problem::{self, Problem};

type Governor<K> = governor::RateLimiter<K, DashMapStateStore<K>, clock::DefaultClock, StateInformationMiddleware>;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Requests between two clean-ups, which drop clients with a full quota.
const CLEAN_UP_AFTER: usize = 10_000;

/// A rate limit with one quota per key.
pub(super) struct RateLimiter<K: Hash + Eq + Clone> {
    governor: Governor<K>,
    requests: AtomicUsize,
    /// Requests per minute, and at once.
    pub(super) rate: NonZeroU32,
    policy: HeaderValue,
    variant: &'static str,
}

impl<K: Hash + Eq + Clone> RateLimiter<K> {
    pub(super) fn new(rate: u32, variant: &'static str) -> Self {
        let rate = NonZeroU32::new(rate).unwrap_or(NonZeroU32::MIN);
        let policy = format!("\"{variant}\";q={rate};w=60");
        Self {
            governor: governor::RateLimiter::dashmap(governor::Quota::per_minute(rate)).with_middleware(),
            requests: AtomicUsize::new(0),
            rate,
            policy: HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("")),
            variant,
        }
    }

    /// Counts a request as `cost` requests, at most as the whole quota.
    ///
    /// # Errors
    /// `api.rate` with `Retry-After` if the quota is used up. A refused request costs nothing.
    pub(super) fn count(&self, key: &K, cost: u32) -> Result<Quota, Problem> {
        if self.requests.fetch_add(1, Ordering::Relaxed) % CLEAN_UP_AFTER == CLEAN_UP_AFTER - 1 {
            self.governor.retain_recent();
            self.governor.shrink_to_fit();
        }
        let quota = |left: u32| Quota { policy: self.policy.clone(), variant: self.variant, left };
        let cost = NonZeroU32::new(cost).unwrap_or(NonZeroU32::MIN).min(self.rate);
        match self.governor.check_key_n(key, cost) {
            Ok(Ok(state)) => Ok(quota(state.remaining_burst_capacity())),
            // Unreachable: no cost exceeds the quota.
            Err(_) => Ok(quota(0)),
            Ok(Err(until)) => {
                let wait = until.wait_time_from(self.governor.clock().now());
                let problem = Problem::variant(problem::RATE, self.variant).with("max", self.rate);
                let [policy, limit] = quota(self.left(cost, wait)).headers();
                // Rounded up, so that a client that returns on time is accepted.
                Err(problem.retry_after(wait.as_secs() + 1).header(policy.0, policy.1).header(limit.0, limit.1))
            }
        }
    }

    /// The remaining quota of a client that has to wait so long for a request of this cost.
    fn left(&self, cost: NonZeroU32, wait: Duration) -> u32 {
        let missing = wait.as_nanos() * u128::from(self.rate.get()) / Duration::from_secs(60).as_nanos() + 1;
        u32::try_from(missing).map_or(0, |missing| cost.get().saturating_sub(missing))
    }
}

/// The remaining quota of a client.
#[derive(Clone, Debug)]
pub(super) struct Quota {
    policy: HeaderValue,
    variant: &'static str,
    pub(super) left: u32,
}

impl Quota {
    /// The headers `RateLimit-Policy` and `RateLimit`.
    pub(super) fn headers(self) -> [(HeaderName, HeaderValue); 2] {
        // Each response has these headers, so they are written without formatting, and not copied.
        let mut left = String::with_capacity(self.variant.len() + 16);
        left.extend(["\"", self.variant, "\";r=", self.left.to_string().as_str()]);
        let left = HeaderValue::try_from(left).unwrap_or(HeaderValue::from_static(""));
        [(POLICY, self.policy), (LIMIT, left)]
    }
}
