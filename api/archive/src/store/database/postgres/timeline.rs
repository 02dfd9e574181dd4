//! Timelines: a promotion begins one. A primary that was frozen and wakes up after its standby was promoted still accepts
//! connections, and is on an older timeline: what it shows and what it stores are not the archive's any more.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// The timeline of the server of a connection, beside the latest one that its store knows of.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    /// 0 of a server that does not tell it.
    own: i64,
    latest: Arc<AtomicI64>,
}

impl Timeline {
    /// The timeline that a query for the name of a file of the write-ahead log tells.
    pub(super) fn of(log_file: Option<&str>, latest: &Arc<AtomicI64>) -> Self {
        let digits = log_file.and_then(|name| name.get(..8));
        let own = digits.and_then(|digits| i64::from_str_radix(digits, 16).ok()).unwrap_or(0);
        Self { own, latest: Arc::clone(latest) }
    }

    /// Takes notice of a server that is used.
    pub(super) fn note(&self) {
        self.latest.fetch_max(self.own, Ordering::AcqRel);
    }

    /// True if a server of a later timeline was used since.
    pub(super) fn is_over(&self) -> bool {
        self.own < self.latest.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_timeline_ends_an_earlier_one() {
        let latest = Arc::default();
        let of = |name| Timeline::of(name, &latest);
        let (first, later) = (of(Some("000000010000000000000003")), of(Some("0000000A0000000000000003")));
        first.note();
        assert!(!first.is_over());
        later.note();
        assert!(first.is_over() && !later.is_over() && of(None).is_over());
    }
}
