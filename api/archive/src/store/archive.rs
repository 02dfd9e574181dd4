//! An open archive: one writer, and a pool of connections that read.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use super::{
    change_counter::ChangeCounter,
    database::OpenDatabase,
    error::StoreError,
    prefetch::Lookups,
    read_tx::{AutocommitRead, ReadTx, Readers},
    receipt_log::LogSigner,
    write_tx::WriteTx,
    writer::{Observer, Pending, Writer},
};
use crate::model::Number;

/// An open archive. Clones share it.
#[derive(Clone)]
pub struct Store(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) path: PathBuf,
    pub(super) readers: Readers,
    pub(super) writer: Writer,
    pub(super) observer: Arc<OnceLock<Observer>>,
    pub(super) counter: ChangeCounter,
    pub(super) signing: Arc<LogSigner>,
    pub(super) database: OpenDatabase,
    /// The write-ahead log that was missing when the file was opened.
    pub(super) missing_log: Option<PathBuf>,
    /// The result of the first `close`.
    pub(super) closed: OnceLock<Result<(), StoreError>>,
}

impl Inner {
    /// Closes all connections, that of the writer last: the last one to be closed moves the write-ahead log into the file,
    /// and it must be able to write.
    fn close(&self) -> Result<(), StoreError> {
        let closed = self.closed.get_or_init(|| {
            self.readers.close();
            self.counter.close();
            self.writer.close()
        });
        closed.clone()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A caller that needs the result has called `close`.
        let _ = self.close();
    }
}

impl Store {
    /// Closes the archive for all clones: accepted jobs are finished, running queries are cancelled, and the write-ahead
    /// log is moved into the file, which is then the whole archive. Every later call fails with [`StoreError::Stopped`].
    /// Dropping the last clone does the same without a result.
    ///
    /// # Errors
    /// If the write-ahead log could not be moved, and so is still part of the archive. [`StoreError::Stopped`] if the writer
    /// had ended by itself.
    pub fn close(&self) -> Result<(), StoreError> {
        self.0.close()
    }

    /// Ready when the writer has ended, by [`Store::close`] or by itself. Nothing can be stored any more then.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.writer.ended()
    }

    /// The write-ahead log that belongs to the file and was missing when it was opened: the file was copied or moved without
    /// it, and the latest changes may be missing.
    pub fn missing_log(&self) -> Option<&Path> {
        self.0.missing_log.as_deref()
    }

    /// Path of the SQLite file; the key and the pinned head are beside it, also those of an archive on a server.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Queries the archive in one read transaction, so that all results are of the same moment.
    ///
    /// # Errors
    /// Those of `query`, or the reason that the archive cannot be read.
    pub fn read<T, E: From<StoreError>>(&self, query: impl FnOnce(&ReadTx<'_>) -> Result<T, E>) -> Result<T, E> {
        self.0.readers.read(None, query)
    }

    /// [`Store::read`] of one query, with a time limit. `query` may run twice.
    ///
    /// # Errors
    /// As [`Store::read_within`].
    pub fn read_autocommit<T>(
        &self,
        limit: Duration,
        query: impl Fn(AutocommitRead<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.0.readers.read_autocommit(Some(limit), query)
    }

    /// [`Store::read`] from the server that accepts writes, where a standby may lag behind this store or another.
    pub(super) fn read_primary<T>(
        &self,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.0.readers.read_primary(query)
    }

    /// Number of the last change, 0 in an empty archive.
    ///
    /// # Errors
    /// If the archive cannot be read.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
    pub(super) fn last_change(&self) -> Result<Number, StoreError> {
        self.read(|reading| reading.last_change())
    }

    /// [`Store::read`] with a time limit, beyond which it fails with [`StoreError::Slow`].
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_within<T, E: From<StoreError>>(
        &self,
        limit: Duration,
        query: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.0.readers.read(Some(limit), query)
    }

    /// Has later reads show a change that another store has made: a read from a standby, or one of a response that is cached for
    /// [`Store::version`], may lag behind it otherwise. Does nothing if there is no such change yet. The limit is that of each
    /// query.
    ///
    /// # Errors
    /// If the archive cannot be read.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
    pub fn catch_up(&self, change: Number, limit: Duration) -> Result<(), StoreError> {
        let is_shown = || Ok::<_, StoreError>(self.read_within(limit, |reading| reading.last_change())? >= change);
        if is_shown()? {
            return Ok(());
        }
        self.0.counter.refresh()?;
        if !is_shown()? {
            // The server may have been replaced while it was frozen: it has none of the changes since.
            self.0.database.look_for_successor();
            self.0.counter.refresh()?;
        }
        Ok(())
    }

    /// Queues a job for the writer. Its changes are committed as a whole, or not at all if it fails. The result is ready when
    /// the commit is on the disk. If another job of the same transaction fails, `job` may run again from the beginning, with
    /// its earlier effects rolled back.
    pub fn write<T, E>(&self, job: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.write_with_lookups(Lookups::default(), job)
    }

    /// [`Store::write`] of a job that will look up these rows: a server gets its lookups together with those of other waiting jobs.
    pub fn write_with_lookups<T, E>(
        &self,
        lookups: Lookups,
        job: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.writer.submit(lookups, job, false)
    }

    /// [`Store::write`] for bulk work: blocks while the queue is full instead of failing.
    pub fn write_blocking<T, E>(&self, job: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.writer.submit(Lookups::default(), job, true)
    }

    /// Calls `observer` after every commit from now on. Only the first observer is installed.
    pub fn observe(&self, observer: Observer) {
        let _ = self.0.observer.set(observer);
    }

    /// A number that changes whenever the archive may have changed: before the result of a job of this store is ready, and
    /// within some milliseconds after another program has committed.
    pub fn version(&self) -> u64 {
        self.0.counter.get()
    }

    /// Succeeds if the archive can be read and written. After a failed commit it tries a small one.
    ///
    /// # Errors
    /// The reason that it cannot.
    pub fn check_ready(&self) -> Result<(), StoreError> {
        if !self.0.writer.is_running() {
            return Err(StoreError::Stopped);
        }
        self.check_names()?;
        // A connection does not read pages again that it has cached.
        let fresh = self.0.database.connect()?;
        ReadTx { connection: &fresh }.last_change()?;
        if self.0.writer.has_failed() {
            self.0.database.has_room()?;
            self.write(|tx| Ok::<_, StoreError>(tx.connection.touch()?)).wait()?;
        }
        Ok(())
    }

    /// Checks that the file and its write-ahead log still have their names. A log without a name is lost when the program
    /// ends, so the writer checkpoints it.
    ///
    /// # Errors
    /// [`StoreError::Moved`] if one has not.
    pub(crate) fn check_names(&self) -> Result<(), StoreError> {
        self.0.database.is_there().inspect_err(|_| {
            let _ = self.write(|tx| Ok::<_, StoreError>(tx.connection.touch()?)).wait();
        })
    }

    /// Number of jobs in the queue of the writer.
    pub fn waiting(&self) -> usize {
        self.0.writer.waiting()
    }
}
