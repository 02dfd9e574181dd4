//! The log put into the file, beside the one that writes and not by it: a commit that did this besides took a hundred times
//! as long as another.
//!
//! A log that is written to all the time is never wholly in the file, and so is never begun anew. When it has become long,
//! the one that writes does the little that is left then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
        mpsc,
    },
    thread::{Builder, JoinHandle},
};

use rusqlite::{Connection, hooks::Wal, wal::CheckpointMode};

use super::{StoreError, connections::Leased, file::Opened};

/// How long the log may become, in pages.
#[derive(Clone, Copy)]
struct Limits {
    /// So many that are in the log alone are put in their places.
    behind: i32,
    /// A log of so many is long.
    long: i32,
    /// So many of a long one the one that writes puts in their places itself.
    few: i32,
}

const LIMITS: Limits = Limits { behind: 4_000, long: 16_000, few: 1_000 };

/// Has the log of a connection that writes put into the file from now on.
pub(super) fn watch(connection: &mut Connection, file: Opened) -> rusqlite::Result<()> {
    watch_within(connection, file, LIMITS)
}

fn watch_within(connection: &mut Connection, file: Opened, limits: Limits) -> rusqlite::Result<()> {
    let mut aside = Aside { file, limits, done: Arc::default(), wake: None, thread: None };
    connection.wal_hook(Some(move |log: &mut Wal, pages: i32| {
        aside.committed(log, pages);
        Ok(())
    }))
}

/// Waits until that has ended: afterwards this connection may be the last to be closed.
pub(super) fn unwatch(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.wal_hook(None::<fn(&mut Wal, i32) -> rusqlite::Result<()>>)
}

/// Who does it.
struct Aside {
    file: Opened,
    limits: Limits,
    /// Pages of the log that are in their places.
    done: Arc<AtomicI32>,
    wake: Option<mpsc::SyncSender<()>>,
    /// Started when there is something to do for the first time.
    thread: Option<JoinHandle<()>>,
}

impl Aside {
    /// The log has so many pages after a commit.
    fn committed(&mut self, log: &mut Wal, pages: i32) {
        let done = self.done.load(Ordering::Relaxed);
        // A log that is shorter than it was has begun anew.
        let done = if pages < done { 0 } else { done };
        self.done.store(done, Ordering::Relaxed);
        let (left, Limits { behind, long, few }) = (pages - done, self.limits);
        let is_done =
            if pages < long { left < behind || self.woken() } else { left > few && pages < 2 * long && self.woken() };
        // If it does not succeed, it is tried again after the next commit.
        if !is_done && let Ok((_, done)) = log.checkpoint_v2(CheckpointMode::PASSIVE) {
            self.done.store(done, Ordering::Relaxed);
        }
    }

    /// Wakes the thread; says whether there is one.
    fn woken(&mut self) -> bool {
        // One that has ended without being told to is followed by another.
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let (wake, woken) = mpsc::sync_channel(1);
            let (file, done) = (self.file.clone(), Arc::clone(&self.done));
            let thread = Builder::new().name("quipu-checkpoint".to_owned());
            self.thread = thread.spawn(move || run(&file, &woken, &done)).ok();
            self.wake = Some(wake);
        }
        // That it is woken already is as good.
        let gone = |wake: &mpsc::SyncSender<()>| matches!(wake.try_send(()), Err(mpsc::TrySendError::Disconnected(())));
        !self.wake.as_ref().is_none_or(gone)
    }
}

impl Drop for Aside {
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
        let held = connection.take().map_or_else(|| open(file), Ok);
        // If it does not succeed, the one that writes does it when the log has become long. What was opened on a disk that
        // could not be written then never can, and so is opened anew.
        connection = held.ok().filter(|connection| {
            let put = connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE);
            put.map(|(_, pages)| done.store(pages, Ordering::Relaxed)).is_ok()
        });
    }
}

fn open(file: &Opened) -> Result<Leased, StoreError> {
    // Another file would have another log.
    file.is_there()?;
    file.connect_to_write()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::store::{Access, connect, make_private};

    #[test]
    fn the_log_is_put_into_the_file_and_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("test.db");
        make_private(&path).expect("a file");
        let mut connection = connect(&path, Access::Write).expect("a connection");
        let mode = connection.query_row("PRAGMA journal_mode = wal", [], |row| row.get::<_, String>(0));
        assert_eq!(mode.as_deref(), Ok("wal"));
        let created = connection.execute_batch("CREATE TABLE written (number INTEGER PRIMARY KEY, bytes BLOB)");
        created.expect("a table");
        let limits = Limits { behind: 40, long: 160, few: 10 };
        let opened = Opened::new(&path, Access::Read).expect("it is there");
        watch_within(&mut connection, opened, limits).expect("it is watched");
        for number in 0..1_000 {
            let inserted = connection.execute("INSERT INTO written VALUES (?, zeroblob(20000))", [number]);
            assert_eq!(inserted, Ok(1));
        }
        unwatch(&mut connection).expect("it has ended");
        let size = |path: &Path| fs::metadata(path).expect("a file").len();
        let log = size(&folder.path().join("test.db-wal"));
        // How long it becomes while the thread is at work is for the system to say.
        assert!(log < 20_000 * 1_000 / 2, "{log}");
        // All but the last of it is in the file.
        let file = size(&path);
        assert!(file > 20_000 * 1_000 - log, "{file}");
    }
}
