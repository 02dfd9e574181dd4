//! Merging the full-text index after many records came at once.

use super::{archive::Store, error::StoreError, write_tx::WriteTx};

/// Number of records from which the number of index segments slows searches.
const MANY: u64 = 100_000;
/// Index pages that are merged in one transaction.
const MERGED: i64 = 1_000;

impl Store {
    /// Merges the search index after `new` records were added at once. Each search reads all segments of the index, and each
    /// transaction adds one; FTS5 merges some of them from time to time. This merges all, if the archive is large and at least
    /// a quarter of it is new.
    ///
    /// # Errors
    /// If the archive fails; segments that were merged until then remain merged.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
    pub fn merge_index(&self, new: u64) -> Result<(), StoreError> {
        let all = self.read(|reading| reading.record_count())?;
        if all >= MANY && new >= all / 4 { self.merge_all() } else { Ok(()) }
    }

    /// Merges all segments in short transactions, so that other writers need not wait for the whole.
    fn merge_all(&self) -> Result<(), StoreError> {
        let mut first = true;
        loop {
            let merge =
                move |writing: &WriteTx<'_>| Ok::<_, StoreError>(writing.connection.merge_texts(MERGED, first)?);
            if self.write_blocking(merge).wait()? {
                return Ok(());
            }
            first = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::database::params;

    /// Writes texts into the index, each in a transaction of its own. Returns the number of segments.
    fn written(store: &Store, texts: std::ops::Range<i64>) -> i64 {
        for number in texts {
            let added = store.write(move |writing| -> Result<(), StoreError> {
                let text = format!("torneo {number} de los andes");
                writing.deferred.index_text(number, text);
                Ok(())
            });
            added.wait().expect("it is written");
        }
        segments(store)
    }

    fn segments(store: &Store) -> i64 {
        let count = "SELECT count(DISTINCT segid) FROM search_idx";
        let counted = store
            .read(|reading| Ok::<_, StoreError>(reading.connection.query_row(count, params![], |row| row.get(0))?));
        counted.expect("it answers")
    }

    fn found(store: &Store) -> i64 {
        let count = "SELECT count(*) FROM search WHERE search MATCH 'torneo AND andes'";
        let counted = store
            .read(|reading| Ok::<_, StoreError>(reading.connection.query_row(count, params![], |row| row.get(0))?));
        counted.expect("it answers")
    }

    #[test]
    fn the_index_stays_in_few_segments_and_is_merged() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        assert_eq!(written(&store, 1..4), 3);
        // FTS5 alone would leave up to sixteen.
        let most = (1..40).map(|tens| written(&store, tens * 10..tens * 10 + 10)).max();
        assert!(most.is_some_and(|most| most < 12), "{most:?}");
        assert!(segments(&store) > 1);
        // The archive is too small for a merge.
        store.merge_index(1_000).expect("merged");
        assert!(segments(&store) > 1);
        store.merge_all().expect("merged");
        assert_eq!((segments(&store), found(&store)), (1, 393));
        store.merge_all().expect("merged");
        assert_eq!((segments(&store), found(&store)), (1, 393));
        assert!(written(&store, 1_000..1_007) > 1);
        assert_eq!(found(&store), 400);
    }
}
