//! The ratings that were computed last.

use std::sync::{Arc, Mutex, PoisonError};

use super::archive::ArchiveRatings;

/// The newest ratings of an archive, with the version of the archive (`Store::version`) before it was read for them.
#[derive(Debug, Default)]
pub struct RatingCache(Mutex<Option<(u64, Arc<ArchiveRatings>)>>);

impl RatingCache {
    /// The ratings of this version of the archive, or of a later one.
    pub fn find(&self, version: u64) -> Option<Arc<ArchiveRatings>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(of, _)| *of >= version).map(|(_, ratings)| Arc::clone(ratings))
    }

    /// Keeps the ratings of a version of the archive, unless later ones are kept.
    pub fn keep(&self, version: u64, ratings: &Arc<ArchiveRatings>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|(of, _)| *of <= version) {
            *kept = Some((version, Arc::clone(ratings)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_ratings_replace_no_later_ones() {
        let cache = RatingCache::default();
        let [old, new] = [1, 2].map(|last_change| {
            let mut ratings = ArchiveRatings::default();
            ratings.last_change = last_change;
            Arc::new(ratings)
        });
        assert!(cache.find(0).is_none());
        cache.keep(7, &new);
        cache.keep(6, &old);
        let found = |version| cache.find(version).map(|found| found.last_change);
        assert_eq!([6, 7, 8].map(found), [Some(2), Some(2), None]);
        cache.keep(8, &old);
        assert_eq!(found(8), Some(1), "the archive may be one with fewer changes now");
    }
}
