//! What is done with a whole archive while it is in use: the derived tables made anew, and copies of it.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata},
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use quipu_files::{
    has_mark,
    names::{JOURNAL, WAL, WAL_INDEX},
};
use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};

use super::{
    BUSY, ReadTx, Store, StoreError, check::PROGRESS, checksum::Digest, file_error, make_private, opening, projections,
};
use crate::model::Number;

/// How far something has come that takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// With what.
    pub step: Step,
    /// How much is done.
    pub done: u64,
    /// How much there is to do.
    pub all: u64,
}

/// What takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The file as such.
    File,
    /// Records, counted by the numbers of changes.
    Records,
    /// The log of receipts.
    Receipts,
    /// Derived tables, counted by the numbers of changes.
    Derived,
    /// Pages that are copied.
    Pages,
}

/// What making the derived tables anew came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// What was in them; nothing if that could not be read.
    pub before: Option<Digest>,
    /// What is in them now.
    pub after: Digest,
}

/// A copy of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The last change in it; 0 if there is none.
    pub last: Number,
    /// Records in it, of all games.
    pub records: u64,
    /// Its size.
    pub bytes: u64,
}

/// Pages that are copied between two reports of progress.
const PAGES: i32 = 1_024;
/// Records from which on searches tell how many parts the index of words has.
const MANY: u64 = 100_000;
/// Pages of the index of words that are put together in one transaction.
const JOINED: i64 = 1_000;
/// How long to wait where a step of copying is not possible at once.
const PAUSE: Duration = Duration::from_millis(10);

impl Progress {
    /// Numbers of changes are never below zero.
    pub(super) fn of(step: Step, done: i64, all: i64) -> Self {
        let count = |number| u64::try_from(number).unwrap_or_default();
        Self { step, done: count(done), all: count(all) }
    }
}

impl Store {
    /// Makes the derived tables anew from the changes. Who writes waits until it is done; who reads does not.
    ///
    /// # Errors
    /// If the archive fails; then the tables are as they were.
    pub fn rebuild(&self, mut progress: impl FnMut(Progress)) -> Result<Rebuilt, StoreError> {
        let end = self.read(end)?;
        let (tell, told) = mpsc::channel();
        // Dropping tables is not counted as writing, so that this is taken back by itself if it fails.
        let pending = self.write_slowly(move |writing| {
            writing.whole(|writing| -> Result<_, StoreError> {
                // Receipts are not derived, and are never left out.
                writing.later.file(writing.connection)?;
                // What others did in this transaction belongs to what was before, with what waits for its end.
                let before = writing.later.put(writing.connection).and_then(|()| writing.digest()).ok();
                projections::rebuild(writing.connection, |change| {
                    if change % PROGRESS == 0 || change == end {
                        // Who asked may have gone; what was begun is finished.
                        let _ = tell.send(change);
                    }
                })?;
                let after = writing.digest()?;
                writing.later.forget();
                Ok(Rebuilt { before, after })
            })
        });
        for change in told {
            progress(Progress::of(Step::Derived, change, end));
        }
        pending.wait()
    }

    /// Leaves the archive quick to search after `new` records have come at once. Each search looks through all parts of the
    /// index of words, and each transaction adds one; SQLite itself puts some together from time to time. Here all of them are,
    /// where what is new is a good part of very many.
    ///
    /// # Errors
    /// If the archive fails; what was put together until then remains so.
    pub fn settle(&self, new: u64) -> Result<(), StoreError> {
        let all = self.read(records)?;
        if all >= MANY && new >= all / 4 { self.join_words() } else { Ok(()) }
    }

    /// Puts all parts of the index of words together, bit by bit, so that who else writes need not wait for the whole of it.
    fn join_words(&self) -> Result<(), StoreError> {
        let mut first = true;
        while !self.write_slowly(move |writing| projections::join_words(writing.connection, JOINED, first)).wait()? {
            first = false;
        }
        Ok(())
    }

    /// Copies the archive as it is at one moment, while it is read and written. The copy is made beside `target`,
    /// checked, put on the disk, and only then given its name; an older copy of that name goes then.
    ///
    /// # Errors
    /// If the archive cannot be read or the copy not be written. [`StoreError::Foreign`] if something else has its
    /// name, [`StoreError::Itself`] if that is the archive.
    pub fn backup(&self, target: &Path, mut progress: impl FnMut(Progress)) -> Result<Copied, StoreError> {
        let at = |path: &Path, error| file_error(path, error);
        let name = target.file_name().ok_or_else(|| at(target, std::io::ErrorKind::InvalidInput.into()))?;
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().map_err(|error| at(folder, error))?;
        let target = folder.join(name);
        self.replaceable(&target)?;
        remove_old_parts(&folder, name);
        let part = Part::beside(&folder, name)?;
        let (last, records) = self.copy(&part.0, &mut progress)?;
        let file = File::open(&part.0).map_err(|error| at(&part.0, error))?;
        file.sync_all().map_err(|error| at(&part.0, error))?;
        let bytes = file.metadata().map_err(|error| at(&part.0, error))?.len();
        fs::rename(&part.0, &target).map_err(|error| at(&target, error))?;
        // The name is on the disk when its folder is. Not every system lets a folder be opened.
        if let Ok(folder) = File::open(&folder) {
            folder.sync_all().map_err(|error| at(&target, error))?;
        }
        Ok(Copied { last, records, bytes })
    }

    /// Whether what has this name now, if anything does, may go: it is an archive, and not this one.
    fn replaceable(&self, target: &Path) -> Result<(), StoreError> {
        let own = self.path().canonicalize().map_err(|error| file_error(self.path(), error))?;
        let beside = |ending: &str| {
            let mut name = own.clone().into_os_string();
            name.push(ending);
            PathBuf::from(name)
        };
        let resolved = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        if ["", WAL, WAL_INDEX, JOURNAL].iter().any(|ending| beside(ending) == resolved) {
            return Err(StoreError::Itself(target.to_owned()));
        }
        if fs::symlink_metadata(target).is_err() {
            return Ok(());
        }
        let ours = has_mark(target).map_err(|error| file_error(target, error))?;
        if ours { Ok(()) } else { Err(StoreError::Foreign(target.to_owned())) }
    }

    /// Copies everything to a new file; says what the last change in it is, and how many records there are.
    fn copy(&self, part: &Path, progress: &mut impl FnMut(Progress)) -> Result<(Number, u64), StoreError> {
        make_private(part)?;
        let mut copy = Connection::open(part).map_err(|error| opening(part, error))?;
        copy.pragma_update(None, "synchronous", "off")?;
        self.read(|reading| {
            // This question fixes the moment. As long as it lasts, what others write is not seen, so that copying need
            // not begin again, and does not keep them waiting.
            reading.last_change()?;
            let backup = Backup::new(reading.connection, &mut copy)?;
            let mut moved = Instant::now();
            loop {
                match backup.step(PAGES)? {
                    StepResult::More => moved = Instant::now(),
                    StepResult::Done => return Ok(()),
                    _ if moved.elapsed() > BUSY => return Err(StoreError::Busy),
                    _ => thread::sleep(PAUSE),
                }
                let (all, left) = (backup.progress().pagecount, backup.progress().remaining);
                progress(Progress::of(Step::Pages, (all - left).into(), all.into()));
            }
        })?;
        let mut check = copy.prepare("PRAGMA quick_check")?;
        let said: String = check.query_row([], |row| row.get(0))?;
        drop(check);
        if said != "ok" {
            return Err(StoreError::Corrupt(said));
        }
        let copied = ReadTx { connection: &copy };
        let last = copied.last_change()?;
        let records = records(&copied)?;
        // It is all in one file, and says so.
        copy.query_row("PRAGMA journal_mode = delete", [], |_| Ok(()))?;
        copy.close().map_err(|(_, error)| error)?;
        Ok((last, records))
    }
}

/// The number up to which it goes.
pub(super) fn end(reading: &ReadTx<'_>) -> Result<Number, StoreError> {
    reading.last_change()
}

/// How many records there are, of all games.
fn records(reading: &ReadTx<'_>) -> Result<u64, StoreError> {
    Ok(reading.totals()?.iter().map(|total| total.records).sum())
}

/// How long a part stays that nobody writes to: what made it was killed.
const LEFT: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what killed back-ups of this name have left. One that cannot be removed stays: that keeps nobody from copying.
fn remove_old_parts(folder: &Path, name: &OsStr) {
    let is_old = |path: &Path| {
        let about = fs::symlink_metadata(path).ok().filter(Metadata::is_file);
        let age = about.and_then(|about| about.modified().ok()?.elapsed().ok());
        age.is_some_and(|age| age > LEFT)
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for part in files.filter(|file| is_part(&file.file_name(), name)).map(|file| file.path()) {
        if is_old(&part) {
            drop(Part(part));
        }
    }
}

/// Whether a file has the name of a part of a copy of this name.
fn is_part(file: &OsStr, name: &OsStr) -> bool {
    let rest = file.as_encoded_bytes().strip_prefix(b".").and_then(|rest| rest.strip_prefix(name.as_encoded_bytes()));
    let chance = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".part"));
    chance.is_some_and(|chance| chance.len() == 16 && chance.iter().all(u8::is_ascii_hexdigit))
}

/// A file that is not finished. What is left of it goes if it never is.
struct Part(PathBuf);

impl Part {
    fn beside(folder: &Path, name: &OsStr) -> Result<Self, StoreError> {
        let chance = getrandom::u64().map_err(|error| StoreError::Other(error.to_string()))?;
        let mut part = OsString::from(".");
        part.push(name);
        part.push(format!(".{chance:016x}.part"));
        Ok(Self(folder.join(part)))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        for ending in ["", WAL, WAL_INDEX, JOURNAL] {
            let mut path = self.0.clone().into_os_string();
            path.push(ending);
            // Of one that was finished nothing is left.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes texts into the index of words, each in a transaction of its own; says how many parts it has then.
    fn written(store: &Store, texts: std::ops::Range<i64>) -> i64 {
        for number in texts {
            let added = store.write(move |writing| -> Result<(), StoreError> {
                let text = format!("torneo {number} de los andes");
                writing.later.search(number, text);
                Ok(())
            });
            added.wait().expect("it is written");
        }
        parts(store)
    }

    fn parts(store: &Store) -> i64 {
        let count = "SELECT count(DISTINCT segid) FROM search_idx";
        let counted =
            store.read(|reading| Ok::<_, StoreError>(reading.connection.query_row(count, [], |row| row.get(0))?));
        counted.expect("it answers")
    }

    fn found(store: &Store) -> i64 {
        let count = "SELECT count(*) FROM search WHERE search MATCH 'torneo AND andes'";
        let counted =
            store.read(|reading| Ok::<_, StoreError>(reading.connection.query_row(count, [], |row| row.get(0))?));
        counted.expect("it answers")
    }

    #[test]
    fn the_index_of_words_stays_in_few_parts_and_is_put_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        assert_eq!(written(&store, 1..4), 3);
        // SQLite would leave up to sixteen.
        let most = (1..40).map(|tens| written(&store, tens * 10..tens * 10 + 10)).max();
        assert!(most.is_some_and(|most| most < 12), "{most:?}");
        assert!(parts(&store) > 1);
        // So few records are not worth it.
        store.settle(1_000).expect("settled");
        assert!(parts(&store) > 1);
        store.join_words().expect("put together");
        assert_eq!((parts(&store), found(&store)), (1, 393));
        store.join_words().expect("put together");
        assert_eq!((parts(&store), found(&store)), (1, 393));
        assert!(written(&store, 1_000..1_007) > 1);
        assert_eq!(found(&store), 400);
    }
}
