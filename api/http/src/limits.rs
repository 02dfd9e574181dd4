//! Limits of the service: rate limits per client, and permits, slots and byte budgets for concurrent work. Every limit is
//! a setting.

use std::{net::IpAddr, sync::Arc};

use tokio::sync::Semaphore;

use super::{
    auth::Bearer,
    budget::{ByteBudget, Reservation},
    client::Client,
    connections::Connections,
    permits::{self, Permits},
    problem::Problem,
    rate_limit::{Quota, RateLimiter},
    slots::{self, Slot, Slots},
};
use quipu_options::settings::Settings;

/// Streamed responses that are compressed at once, each with a compressor of some 256 KiB. Further ones go out
/// uncompressed.
const COMPRESSORS: usize = 64;

/// Bytes of a body that count as one request on routes that judge records without storing them.
const BYTES_PER_REQUEST: usize = 64 * 1024;

/// Cost of a body in requests, on routes that judge records without storing them.
pub(super) fn cost_of_body(bytes: usize) -> u32 {
    u32::try_from(bytes / BYTES_PER_REQUEST).unwrap_or(u32::MAX)
}

/// All limits of the service.
pub(super) struct Limits {
    by_address: RateLimiter<Client>,
    by_token: RateLimiter<[u8; 8]>,
    /// Judging for routes that write. Routes open to anybody cannot take these permits.
    pub(super) write_permits: Permits,
    /// Judging and replaying for routes that read.
    pub(super) read_permits: Permits,
    /// Drawing of pictures.
    pub(super) picture_permits: Permits,
    /// Long queries of the archive, exports included.
    pub(super) query_permits: Permits,
    /// The part of the query permits open to clients without a token.
    pub(super) anonymous_query_permits: Permits,
    /// Work on large records, one at a time.
    pub(super) large_record_permits: Permits,
    /// Computing ratings, one at a time. It takes no permit of queries, so that others do not wait for it.
    pub(super) rating_permits: Permits,
    /// Concurrent polls of listeners, limited so that a commit does not put all listeners before a request.
    pub(super) listener_lookups: Semaphore,
    /// Compressors of streamed responses.
    pub(super) compressors: Arc<Semaphore>,
    /// Memory of request bodies.
    bodies: ByteBudget,
    /// Bytes of that memory that unfinished records of clients without a token leave free.
    spared_bodies: usize,
    /// The part of that memory open to compressed bodies while they arrive.
    compressed_bodies: ByteBudget,
    streams: Slots,
    /// The part of the streams open to clients without a token.
    anonymous_streams: Slots,
    listeners: Slots,
    pub(super) connections: Connections,
}

impl Limits {
    pub(super) fn new(settings: &Settings) -> Self {
        let Settings { client_share: percent, max_streams, max_listeners, .. } = *settings;
        let work = if settings.max_work == 0 { cores() } else { settings.max_work };
        let permits = |permits| Permits::new(permits, slots::share(permits::MAX_WAITING, percent));
        Self {
            by_address: RateLimiter::new(settings.address_rate, "address"),
            by_token: RateLimiter::new(settings.token_rate, "token"),
            write_permits: permits(work),
            read_permits: permits(work),
            picture_permits: permits(work / 2),
            query_permits: permits(work),
            anonymous_query_permits: permits(work / 2),
            large_record_permits: permits(1),
            rating_permits: permits(1),
            listener_lookups: Semaphore::new(cores()),
            compressors: Arc::new(Semaphore::new(COMPRESSORS)),
            bodies: ByteBudget::new(settings.max_bodies, "bodies"),
            spared_bodies: settings.max_bodies / 8,
            compressed_bodies: ByteBudget::new(settings.max_body.max(settings.max_bodies / 2), "bodies"),
            streams: Slots::new(max_streams, percent),
            anonymous_streams: Slots::new(max_streams.div_ceil(2), percent),
            listeners: Slots::new(max_listeners, percent),
            connections: Connections::new(settings),
        }
    }

    /// Counts a request as `cost` requests of its token, or else of its address.
    pub(super) fn count(
        &self,
        bearer: Option<&Bearer>,
        address: Option<IpAddr>,
        cost: u32,
    ) -> Result<Option<Quota>, Problem> {
        match (bearer, address) {
            (Some(bearer), _) => self.by_token.count(&bearer.id, cost).map(Some),
            (None, Some(address)) => self.by_address.count(&address.into(), cost).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Counts the cost of a request beyond the one request that was counted already. Both together never exceed the whole
    /// quota.
    pub(super) fn charge(
        &self,
        bearer: Option<&Bearer>,
        address: Option<IpAddr>,
        cost: u32,
    ) -> Result<Option<Quota>, Problem> {
        let rate = if bearer.is_some() { self.by_token.rate } else { self.by_address.rate };
        let cost = cost.min(rate.get() - 1);
        if cost == 0 { Ok(None) } else { self.count(bearer, address, cost) }
    }

    pub(super) fn body_reservation(&self) -> Reservation {
        self.bodies.reservation()
    }

    /// An empty reservation for the unfinished records of a body that is judged as it arrives. Clients without a token leave a
    /// part of the memory free, so that no number of such bodies has a submission refused.
    pub(super) fn unfinished_reservation(&self, has_token: bool) -> Reservation {
        self.bodies.reservation_sparing(if has_token { 0 } else { self.spared_bodies })
    }

    /// An empty reservation for a compressed body while it arrives. A few bytes can expand to very many, so compressed
    /// bodies have a budget of their own.
    pub(super) fn compressed_body_reservation(&self) -> Reservation {
        self.compressed_bodies.reservation()
    }

    /// Slots for a streamed response.
    pub(super) fn stream(&self, bearer: Option<&Bearer>, client: Option<Client>) -> Result<StreamSlots, Problem> {
        let anonymous = if bearer.is_none() {
            Some(self.anonymous_streams.take(client).map_err(|full| full.problem("open-streams"))?)
        } else {
            None
        };
        Ok((self.streams.take(client).map_err(|full| full.problem("streams"))?, anonymous))
    }

    /// A slot for a listener of events.
    pub(super) fn listen(&self, client: Option<Client>) -> Result<Slot, Problem> {
        self.listeners.take(client).map_err(|full| full.problem("listeners"))
    }
}

/// The slots of a streamed response: one of all, and one of those for clients without a token.
pub(super) type StreamSlots = (Slot, Option<Slot>);

/// The number of threads that the machine runs at once.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_quota_is_a_problem_with_a_time() {
        let limits = Limits::new(&Settings { address_rate: 2, ..Settings::default() });
        let address = Some(IpAddr::from([10, 0, 0, 1]));
        let left = |limits: &Limits| limits.count(None, address, 1).map(|quota| quota.map(|quota| quota.left));
        assert_eq!(left(&limits).ok().flatten(), Some(1));
        assert_eq!(left(&limits).ok().flatten(), Some(0));
        assert_eq!(left(&limits).map_err(|problem| problem.code()), Err("api.rate"));
        assert!(limits.count(None, Some(IpAddr::from([10, 0, 0, 2])), 1).is_ok());
    }

    #[test]
    fn a_request_may_cost_as_much_as_several() {
        let limits = Limits::new(&Settings { address_rate: 100, ..Settings::default() });
        let address = Some(IpAddr::from([10, 0, 0, 1]));
        let left = |cost| limits.count(None, address, cost).map(|quota| quota.map(|quota| quota.left));
        assert_eq!(left(0).ok().flatten(), Some(99), "one at least");
        assert_eq!(left(60).ok().flatten(), Some(39));
        // A refused request costs nothing, and the response names the remaining quota.
        let refused = left(50).expect_err("more than the remaining quota");
        let response = refused.response(quipu_referee::Lang::En, "");
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert_eq!(header("ratelimit"), "\"address\";r=39");
        assert_eq!(header("retry-after"), "7", "11 of 100 a minute");
        assert_eq!(left(39).ok().flatten(), Some(0));
        let whole = Limits::new(&Settings { address_rate: 3, ..Settings::default() });
        assert!(whole.count(None, address, 1000).is_ok(), "no cost exceeds the quota");
    }
}
