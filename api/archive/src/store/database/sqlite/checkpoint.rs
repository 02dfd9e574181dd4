//! Checkpoints of the write-ahead log, by a thread beside the writer: a commit that ran one itself took a hundred times as long
//! as another.
//!
//! Under constant writes the log is never checkpointed as a whole, and so never restarts. When it has become long, the writer
//! checkpoints the few pages that are left.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
        mpsc,
    },
    thread::{Builder, JoinHandle},
};

use rusqlite::{hooks::Wal, wal::CheckpointMode};

use super::file::Opened;
use crate::store::{
    database::{self, Connection, Leased},
    error::StoreError,
};

/// Limits of the write-ahead log, in pages.
#[derive(Clone, Copy)]
struct Limits {
    /// A checkpoint is due when this many pages are in the log alone.
    behind: i32,
    /// Length from which the log is long.
    long: i32,
    /// Most pages of a long log that the writer checkpoints itself.
    few: i32,
}

const LIMITS: Limits = Limits { behind: 4_000, long: 16_000, few: 1_000 };

/// Starts checkpoints of the log of the writer's connection.
pub(in crate::store) fn watch(connection: &mut Connection, file: Opened) -> database::Result<()> {
    watch_within(connection, file, LIMITS)
}

fn watch_within(connection: &mut Connection, file: Opened, limits: Limits) -> database::Result<()> {
    let mut checkpointer = Checkpointer { file, limits, done: Arc::default(), wake: None, thread: None };
    let connection = connection.to_file_mut()?;
    connection.wal_hook(Some(move |log: &mut Wal, pages: i32| {
        checkpointer.committed(log, pages);
        Ok(())
    }))?;
    Ok(())
}

/// Stops checkpoints and waits for the thread. Afterwards this connection may be the last to be closed.
pub(in crate::store) fn unwatch(connection: &mut Connection) -> database::Result<()> {
    let connection = connection.to_file_mut()?;
    connection.wal_hook(None::<fn(&mut Wal, i32) -> rusqlite::Result<()>>)?;
    Ok(())
}

/// Moves as much of the log into the file as is possible without waiting; returns the number of its pages that are there.
pub(in crate::store) fn checkpoint(connection: &Connection) -> database::Result<i32> {
    checkpoint_in(connection, CheckpointMode::PASSIVE)
}

/// [`checkpoint`] in another mode.
pub(super) fn checkpoint_in(connection: &Connection, mode: CheckpointMode) -> database::Result<i32> {
    let connection = connection.to_file()?;
    let (_, done) = connection.wal_checkpoint_v2(None::<&str>, mode)?;
    Ok(done)
}

/// The hook of the writer's connection, and the thread that it wakes.
struct Checkpointer {
    file: Opened,
    limits: Limits,
    /// Pages of the log that are in the file.
    done: Arc<AtomicI32>,
    wake: Option<mpsc::SyncSender<()>>,
    /// Started with the first checkpoint.
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Called after each commit with the length of the log.
    fn committed(&mut self, log: &mut Wal, pages: i32) {
        let done = self.done.load(Ordering::Relaxed);
        // A log that is shorter than before has restarted.
        let done = if pages < done { 0 } else { done };
        self.done.store(done, Ordering::Relaxed);
        let (left, Limits { behind, long, few }) = (pages - done, self.limits);
        let is_done =
            if pages < long { left < behind || self.woken() } else { left > few && pages < 2 * long && self.woken() };
        // A checkpoint that fails is tried again after the next commit.
        if !is_done && let Ok((_, done)) = log.checkpoint_v2(CheckpointMode::PASSIVE) {
            self.done.store(done, Ordering::Relaxed);
        }
    }

    /// Wakes the thread; false if there is none.
    fn woken(&mut self) -> bool {
        // A thread that ended by itself is replaced.
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let (wake, woken) = mpsc::sync_channel(1);
            let (file, done) = (self.file.clone(), Arc::clone(&self.done));
            let thread = Builder::new().name("quipu-checkpoint".to_owned());
            self.thread = thread.spawn(move || run(&file, &woken, &done)).ok();
            self.wake = Some(wake);
        }
        // A full channel is as good: the thread is awake.
        let gone = |wake: &mpsc::SyncSender<()>| matches!(wake.try_send(()), Err(mpsc::TrySendError::Disconnected(())));
        !self.wake.as_ref().is_none_or(gone)
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(file: &Opened, woken: &mpsc::Receiver<()>, done: &AtomicI32) {
    let mut connection = None;
    while woken.recv().is_ok() {
        let opened = connection.take().map_or_else(|| open(file), Ok);
        // If the checkpoint fails, the writer runs one when the log has become long. A connection that was opened while the
        // disk was read-only stays so, and is opened again.
        connection = opened
            .ok()
            .filter(|connection| checkpoint(connection).map(|pages| done.store(pages, Ordering::Relaxed)).is_ok());
    }
}

fn open(file: &Opened) -> Result<Leased, StoreError> {
    // A new file of this name would have another log.
    file.is_there()?;
    file.connect_to_write()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::store::database::{
        params,
        sqlite::connect::{Access, connect, make_private},
    };

    #[test]
    fn the_log_is_put_into_the_file_and_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("test.db");
        make_private(&path).expect("a file");
        let mut connection = connect(&path, Access::Write).expect("a connection");
        let mode = connection.query_row("PRAGMA journal_mode = wal", params![], |row| row.get::<String>(0));
        assert_eq!(mode, Ok("wal".to_owned()));
        let created = connection.execute_batch("CREATE TABLE written (number INTEGER PRIMARY KEY, bytes BLOB)");
        created.expect("a table");
        let limits = Limits { behind: 40, long: 160, few: 10 };
        let opened = Opened::new(&path, Access::Read).expect("it is there");
        watch_within(&mut connection, opened, limits).expect("it is watched");
        for number in 0..1_000_i64 {
            let inserted = connection.execute("INSERT INTO written VALUES (?, zeroblob(20000))", [number]);
            assert_eq!(inserted, Ok(1));
        }
        unwatch(&mut connection).expect("it has ended");
        let size = |path: &Path| fs::metadata(path).expect("a file").len();
        let log = size(&folder.path().join("test.db-wal"));
        // Its length while the thread works depends on the scheduler.
        assert!(log < 20_000 * 1_000 / 2, "{log}");
        // All but the end of it is in the file.
        let file = size(&path);
        assert!(file > 20_000 * 1_000 - log, "{file}");
    }
}
