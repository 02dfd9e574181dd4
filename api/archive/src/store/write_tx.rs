//! A write transaction, in which the jobs of the writer run.

use std::{
    any::Any,
    ops::Deref,
    panic::{AssertUnwindSafe, catch_unwind},
};

use chrono::{DateTime, Utc};

#[cfg(any(test, feature = "testing"))]
use super::database::sqlite::connect::leave_no_space;
use super::{database, deferred::DeferredWrites, error::StoreError, read_tx::ReadTx, statements::InsertRows};

/// The archive in a write transaction. It also has the queries of [`ReadTx`].
pub struct WriteTx<'c> {
    reading: ReadTx<'c>,
    pub(super) deferred: &'c DeferredWrites,
    pub(super) inserts: &'c dyn InsertRows,
    at: DateTime<Utc>,
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.reading
    }
}

impl<'c> WriteTx<'c> {
    pub(super) fn new(inserts: &'c dyn InsertRows, deferred: &'c DeferredWrites, at: DateTime<Utc>) -> Self {
        Self { reading: ReadTx { connection: inserts.connection() }, deferred, inserts, at }
    }

    /// Fixes the size of the archive, as a full disk does.
    #[cfg(any(test, feature = "testing"))]
    pub fn leave_no_space(&self) -> Result<(), StoreError> {
        Ok(leave_no_space(self.connection)?)
    }

    /// The time that the changes of this job get.
    pub fn now(&self) -> DateTime<Utc> {
        self.at
    }

    /// A value that differs from an earlier one if anything was written since.
    pub(super) fn extent(&self) -> (u64, usize) {
        (self.connection.rows_written(), self.deferred.texts())
    }

    /// Runs a job; a panic in it is an error.
    pub(super) fn caught<T, E: From<StoreError>>(&self, job: impl Fn(&Self) -> Result<T, E>) -> Result<T, E> {
        caught(|| job(self))
    }

    /// Runs a job in a savepoint, so that one that fails leaves nothing behind.
    pub(super) fn in_savepoint<T, E: From<StoreError>>(&self, job: impl Fn(&Self) -> Result<T, E>) -> Result<T, E> {
        let connection = self.connection;
        let failed = |error: database::Error| E::from(error.into());
        connection.savepoint().map_err(failed)?;
        let savepoint = self.deferred.savepoint();
        let kept = |done| connection.release_savepoint().map(|()| done).map_err(failed);
        match self.caught(job).and_then(kept) {
            Ok(done) => Ok(done),
            Err(error) => {
                self.deferred.rollback_to(savepoint);
                connection.rollback_to_savepoint().map_err(failed)?;
                Err(error)
            }
        }
    }
}

/// Runs `work`; a panic in it is an error.
pub(super) fn caught<T, E: From<StoreError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|panic| Err(StoreError::Other(panic_text(&*panic)).into()))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic").to_owned()
}
