//! Slots for long-lived resources: connections, listeners, streams. Their number is limited, and one client may take a
//! share of them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    client::Client,
    problem::{self, Problem},
};

/// All slots of one kind.
#[derive(Clone)]
pub(super) struct Slots(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    max: usize,
    /// Most slots of one client.
    share: usize,
    held: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_client: HashMap<Client, usize>,
}

/// One slot, freed when it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    of: Arc<Shared>,
    client: Option<Client>,
}

/// The limit that leaves no slot, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// All slots are taken.
    All(usize),
    /// The client has its share.
    Share(usize),
}

impl Full {
    /// The problem `api.busy`: with the variant `kind` if all slots are taken, or `share` if the client has its share.
    pub(super) fn problem(self, kind: &'static str) -> Problem {
        let (variant, max) = match self {
            Self::All(max) => (kind, max),
            Self::Share(max) => ("share", max),
        };
        Problem::variant(problem::BUSY, variant).with("max", max).retry_after(5)
    }
}

impl Slots {
    pub(super) fn new(max: usize, percent: usize) -> Self {
        Self::with_share(max, share(max, percent))
    }

    /// A number of slots, and the share of one client.
    pub(super) fn with_share(max: usize, share: usize) -> Self {
        Self(Arc::new(Shared { max, share, held: Mutex::default() }))
    }

    /// A slot for a client. Anonymous clients (`None`) have no share, and may take all.
    ///
    /// # Errors
    /// If no slot is free.
    pub(super) fn take(&self, client: Option<Client>) -> Result<Slot, Full> {
        let Shared { max, share, .. } = *self.0;
        let mut held = self.0.lock();
        if held.all >= max {
            return Err(Full::All(max));
        }
        if let Some(client) = client {
            let own = held.by_client.entry(client).or_default();
            if *own >= share {
                return Err(Full::Share(share));
            }
            *own += 1;
        }
        held.all += 1;
        Ok(Slot { of: Arc::clone(&self.0), client })
    }
}

/// A percentage of a number, at least 1.
pub(super) fn share(max: usize, percent: usize) -> usize {
    max.saturating_mul(percent).div_ceil(100).max(1)
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = self.of.lock();
        held.all -= 1;
        if let Some(client) = self.client
            && let Some(own) = held.by_client.get_mut(&client)
        {
            *own -= 1;
            if *own == 0 {
                held.by_client.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_has_a_share_and_all_have_the_rest() {
        let slots = Slots::new(4, 50);
        let (one, other) = (Some(Client::V4(1)), Some(Client::Token(*b"abcdefgh")));
        let mut held: Vec<_> = (0..2).map(|_| slots.take(one).expect("a slot")).collect();
        assert_eq!(slots.take(one).err(), Some(Full::Share(2)));
        held.push(slots.take(other).expect("a slot"));
        held.push(slots.take(None).expect("a slot"));
        assert_eq!(slots.take(other).err(), Some(Full::All(4)));
        held.remove(0);
        assert!(slots.take(one).is_ok());
        drop(held);
        assert!(slots.0.lock().by_client.is_empty(), "nothing is left of clients that are gone");
    }

    #[test]
    fn an_unknown_client_may_take_all_slots() {
        let slots = Slots::new(2, 1);
        let held = [(); 2].map(|()| slots.take(None).expect("a slot"));
        assert_eq!(slots.take(None).err(), Some(Full::All(2)));
        drop(held);
    }
}
