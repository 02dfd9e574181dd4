//! Rebuilding the derived tables while the archive is in use.

use std::sync::mpsc;

use super::{
    archive::Store,
    checksum::Digest,
    error::StoreError,
    progress::{EVERY, Progress, Step},
    projections,
};

/// Checksums of the derived tables around a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RebuildSummary {
    /// Checksum before; none if the tables could not be read.
    pub before: Option<Digest>,
    /// Checksum after.
    pub after: Digest,
}

impl Store {
    /// Rebuilds the derived tables from the changes. Writers wait meanwhile; readers do not.
    ///
    /// # Errors
    /// If the archive fails; then the tables are unchanged.
    pub fn rebuild(&self, mut progress: impl FnMut(Progress)) -> Result<RebuildSummary, StoreError> {
        let end = self.last_change()?;
        let (sender, receiver) = mpsc::channel();
        // SQLite does not count dropped tables as changes, so the writer would not roll a failure back: the savepoint does.
        let pending = self.write_blocking(move |writing| {
            writing.in_savepoint(|writing| -> Result<_, StoreError> {
                writing.connection.take_time()?;
                // Receipts are not derived, and must not be lost with the deferred writes.
                writing.deferred.append_receipts(writing.connection)?;
                // Deferred writes of earlier jobs of this transaction belong to the state before.
                // A query that fails may fail the whole transaction, but not that of a savepoint around it.
                let before = writing
                    .in_savepoint(|writing| {
                        writing.deferred.write(writing.connection)?;
                        writing.digest()
                    })
                    .ok();
                projections::rebuild(writing.connection, |change| {
                    if change % EVERY == 0 || change == end {
                        // The rebuild finishes even if the caller is gone.
                        let _ = sender.send(change);
                    }
                })?;
                let after = writing.digest()?;
                writing.deferred.clear();
                Ok(RebuildSummary { before, after })
            })
        });
        for change in receiver {
            progress(Progress::of(Step::Derived, change, end));
        }
        pending.wait()
    }
}
