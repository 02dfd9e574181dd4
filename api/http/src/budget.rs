//! Budgets of bytes that all requests share: memory for bodies and responses, disk for spooled responses.

use std::sync::Arc;

use actix_web::web::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::{self, Problem};

/// A limit on the bytes reserved at once.
#[derive(Clone, Debug)]
pub(super) struct ByteBudget {
    left: Arc<Semaphore>,
    max: usize,
    /// The variant of `api.busy` for an exhausted budget.
    variant: &'static str,
}

impl ByteBudget {
    pub(super) fn new(max: usize, variant: &'static str) -> Self {
        Self { left: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))), max, variant }
    }

    pub(super) fn reservation(&self) -> Reservation {
        self.reservation_sparing(0)
    }

    /// An empty reservation that grows only while so many bytes of the budget stay free for others.
    pub(super) fn reservation_sparing(&self, bytes: usize) -> Reservation {
        Reservation { budget: self.clone(), max: self.max - bytes.min(self.max), held: None }
    }

    /// A reservation of this size.
    ///
    /// # Errors
    /// As [`Reservation::grow`].
    pub(super) fn reserve(&self, bytes: usize) -> Result<Reservation, Problem> {
        let mut reservation = self.reservation();
        reservation.grow(bytes)?;
        Ok(reservation)
    }
}

/// A part of a budget, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: ByteBudget,
    /// Bytes of the budget that are open to it.
    max: usize,
    held: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    fn bytes(&self) -> usize {
        self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    /// Reserves more bytes. It never waits: requests would wait for each other.
    ///
    /// # Errors
    /// `api.busy` if too few are left now; `api.too-large` if more than is open to it is asked for.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        let (ByteBudget { left, variant, .. }, max) = (&self.budget, &self.max);
        if self.bytes().saturating_add(bytes) > *max {
            return Err(Problem::variant(problem::TOO_LARGE, "answer").with("max", *max));
        }
        let open = left.available_permits().saturating_sub(self.budget.max - max);
        let more = u32::try_from(bytes).ok().filter(|_| bytes <= open);
        let more = more.and_then(|more| Arc::clone(left).try_acquire_many_owned(more).ok());
        let more = more.ok_or_else(|| Problem::variant(problem::BUSY, variant).with("max", *max).retry_after(1))?;
        match &mut self.held {
            Some(held) => held.merge(more),
            held @ None => *held = Some(more),
        }
        Ok(())
    }

    /// Grows to this size, or to all that is open to it if that is smaller.
    ///
    /// # Errors
    /// `api.busy` if too few bytes are left now.
    pub(super) fn grow_within(&mut self, bytes: usize) -> Result<(), Problem> {
        self.grow_to(bytes.min(self.max))
    }

    /// Grows to this size, if it is smaller.
    ///
    /// # Errors
    /// As [`Reservation::grow`].
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        match bytes.checked_sub(self.bytes()) {
            None | Some(0) => Ok(()),
            Some(more) => self.grow(more),
        }
    }

    /// Shrinks to this size, if it is larger.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        if let Some(held) = &mut self.held {
            drop(held.split(held.num_permits().saturating_sub(bytes)));
        }
    }

    /// The bytes, with this reservation kept while any part of them exists.
    pub(super) fn hold(self, bytes: impl AsRef<[u8]> + Send + 'static) -> Bytes {
        Bytes::from_owner(Reserved(bytes, self))
    }

    /// The same for bytes that several responses share.
    pub(super) fn share(self, bytes: Vec<u8>) -> Arc<Reserved<Vec<u8>>> {
        Arc::new(Reserved(bytes, self))
    }
}

/// Bytes with their reservation, which is given back when they are dropped.
#[derive(Debug)]
pub(super) struct Reserved<B>(B, #[expect(dead_code, reason = "it is held, and not used")] Reservation);

impl<B: AsRef<[u8]>> AsRef<[u8]> for Reserved<B> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// One handle of shared bytes.
pub(super) fn shared(bytes: Arc<Reserved<Vec<u8>>>) -> Bytes {
    struct Owner(Arc<Reserved<Vec<u8>>>);

    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            Reserved::as_ref(&self.0)
        }
    }

    Bytes::from_owner(Owner(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_given_back_with_the_last_part_of_what_holds_them() {
        let budget = ByteBudget::new(100, "bodies");
        let mut whole = budget.reserve(100).expect("room").hold(vec![1; 100]);
        let part = whole.split_to(10);
        drop(whole);
        assert_eq!(budget.reserve(1).map(drop).map_err(|problem| problem.code()), Err("api.busy"));
        drop(part);
        assert!(budget.reserve(100).is_ok());
    }

    #[test]
    fn a_reservation_grows_and_shrinks() {
        let budget = ByteBudget::new(100, "bodies");
        let mut reservation = budget.reserve(10).expect("room");
        assert!(reservation.grow_to(60).is_ok() && reservation.grow_to(20).is_ok());
        assert_eq!(reservation.bytes(), 60);
        reservation.shrink_to(5);
        assert!(budget.reserve(95).is_ok());
        assert_eq!(reservation.grow(96).map_err(|problem| problem.code()), Err("api.too-large"));
    }

    #[test]
    fn a_reservation_leaves_the_rest_to_others() {
        let budget = ByteBudget::new(100, "bodies");
        let mut sparing = budget.reservation_sparing(20);
        assert_eq!(sparing.grow(81).map_err(|problem| problem.code()), Err("api.too-large"));
        assert!(sparing.grow_within(90).is_ok());
        assert_eq!(sparing.bytes(), 80);
        let mut other = budget.reservation_sparing(20);
        assert_eq!(other.grow(1).map_err(|problem| problem.code()), Err("api.busy"));
        let spared = budget.reserve(20).expect("the rest");
        sparing.shrink_to(70);
        assert!(other.grow(1).is_err(), "so much stays free whoever has the rest");
        drop(spared);
        assert!(other.grow(10).is_ok() && other.grow(1).is_err());
        drop(sparing);
        assert!(other.grow(70).is_ok());
    }
}
