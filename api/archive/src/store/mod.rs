//! The archive in one SQLite file. Nothing outside this folder speaks SQL.
//!
//! There is one writer, a thread that groups what is waiting into one transaction, and a pool of connections that read.
//! What happened is in tables that only grow ([`WriteTx`] appends to them); what follows from it, lists and counts, is
//! kept up to date as changes come in and can be made anew at any time.

use std::{
    borrow::Cow,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, atomic::AtomicU64},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use quipu_files::{
    create_private, create_private_folder,
    names::{DATABASE, JOURNAL, LOCK, WAL, WAL_INDEX},
    regular,
};

mod change_counter;
mod check;
mod checkpoint;
mod checksum;
mod connections;
mod deferred;
mod error;
mod file;
mod idempotency;
mod keys;
mod listing;
mod live;
mod pinned_head;
mod players;
mod projections;
mod read_tx;
mod receipt_log;
mod records;
mod rejudge;
mod reverify;
mod rows;
mod schema;
mod shutdown;
mod statements;
mod tokens;
mod upkeep;
mod write_tx;
mod writer;

pub use check::{Checked, Fault};
pub use checksum::Digest;
pub use error::StoreError;
pub use idempotency::IdempotencyLookup;
pub use live::LiveRefusal;
pub use pinned_head::Signer;
pub use players::{Event, EventCursor, Person, PlayerCursor, RankCursor, Ranked, Rating, Reached, WinCursor};
pub use read_tx::ReadTx;
pub use records::{Cursor, Filter, History, Page, Size, TextFilter, Total};
pub use reverify::{Changed, Reverified};
pub use tokens::{StoredToken, TokenRefusal};
pub use upkeep::{Copied, Progress, Rebuilt, Step};
pub use write_tx::{Added, Refusal, WriteTx};
pub use writer::{Observer, Pending};

/// How long another program is waited for.
const BUSY: Duration = Duration::from_secs(10);
/// How long until it is tried again where SQLite does not wait.
const PAUSE: Duration = Duration::from_millis(10);
/// Memory for pages, a connection.
const CACHE_KIB: i64 = 16 * 1024;

/// An archive that is open.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    path: PathBuf,
    readers: read_tx::Readers,
    writer: writer::Writer,
    observer: Arc<OnceLock<Observer>>,
    version: change_counter::Version,
    signing: Arc<pinned_head::LogSigner>,
    file: file::Opened,
    /// The log that the file should have had when it was opened.
    missing_log: Option<PathBuf>,
    /// Once it was closed, what came of it.
    closed: OnceLock<Result<(), StoreError>>,
}

impl Inner {
    /// The last connection that is closed puts the log into the file, and only one that writes can: that of the writer is
    /// closed when no other is left.
    fn close(&self) -> Result<(), StoreError> {
        let closed = self.closed.get_or_init(|| {
            self.readers.close();
            self.version.close();
            self.writer.close()
        });
        closed.clone()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Who wants to know has closed it before.
        let _ = self.close();
    }
}

impl Store {
    /// Opens the archive in a folder, and makes it where there is none.
    ///
    /// # Errors
    /// If the folder or the file cannot be used.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        create_private_folder(folder).map_err(|error| file_error(folder, error))?;
        Self::open_file(&folder.join(DATABASE))
    }

    /// Opens the archive in a folder if there is one.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none, or as [`Store::open`].
    pub fn open_existing(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(DATABASE);
        match regular(&path).map_err(|error| file_error(&path, error))? {
            // A file without a byte is what is left where making an archive was broken off.
            Some(file) if file.len() > 0 => Self::open_file(&path),
            _ => Err(StoreError::Missing(folder.to_owned())),
        }
    }

    fn open_file(path: &Path) -> Result<Self, StoreError> {
        // What begins with `file:` SQLite would take for an address.
        let path = std::path::absolute(path).map_err(|error| file_error(path, error))?;
        make_private(&path)?;
        are_usable(&path)?;
        let missing_log = shutdown::missing_log(&path).map_err(|error| file_error(&path, error))?;
        let (mut connection, reads) = match ready(&path) {
            Err(StoreError::File(_, error)) if is_still(&path, &error) => (unchanging(&path)?, Access::Still),
            ready => (ready?, Access::Read),
        };
        let file = file::Opened::new(&path, reads)?;
        let readers = read_tx::Readers::new(file.clone());
        checkpoint::watch(&mut connection, file.clone())?;
        let observer = Arc::new(OnceLock::new());
        let (commits, signing) = (Arc::new(AtomicU64::new(0)), Arc::new(pinned_head::LogSigner::new(&path)));
        let writer = writer::Writer::start(
            connection,
            file.clone(),
            Arc::clone(&observer),
            Arc::clone(&commits),
            Arc::clone(&signing),
            missing_log.is_some(),
        );
        let writer = writer.map_err(|error| file_error(&path, error))?;
        let version = change_counter::Version::new(file.clone(), commits);
        let closed = OnceLock::new();
        Ok(Self(Arc::new(Inner { path, readers, writer, observer, version, signing, file, missing_log, closed })))
    }

    /// Closes the archive, also where it is held elsewhere: what was accepted is finished, questions under way are broken
    /// off, and the log is put into the file, which is then all of the archive. From then on all is answered with
    /// [`StoreError::Stopped`]. Dropping the last handle does the same and says nothing.
    ///
    /// # Errors
    /// If the log could not be put away, and so is part of the archive still. [`StoreError::Stopped`] if the writer had
    /// ended before it was told to.
    pub fn close(&self) -> Result<(), StoreError> {
        self.0.close()
    }

    /// Ready when the writer has ended, and nothing can be stored any more: told to by [`Store::close`], or not.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.writer.ended()
    }

    /// The log that belongs to the file and was not there when it was opened: the file was copied or moved without it, and
    /// what was stored last may be missing.
    pub fn missing_log(&self) -> Option<&Path> {
        self.0.missing_log.as_deref()
    }

    /// The file of the archive.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Makes sure that nobody else serves this archive, as long as the answer is kept. The lock is beside the file itself,
    /// also where a link leads to it.
    ///
    /// # Errors
    /// [`StoreError::Served`] if somebody does.
    pub fn serve_lock(&self) -> Result<ServeLock, StoreError> {
        let path = fs::canonicalize(self.path()).unwrap_or_else(|_| self.path().to_owned()).with_file_name(LOCK);
        let file = open_lock(&path).map_err(|error| file_error(&path, error))?;
        match file.try_lock() {
            Ok(()) => {
                self.0.writer.serves();
                Ok(ServeLock(file))
            }
            Err(TryLockError::WouldBlock) => Err(StoreError::Served(path)),
            Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
        }
    }

    /// Asks the archive something. All answers in `ask` are of one moment.
    ///
    /// # Errors
    /// What `ask` reports, or why the archive cannot be read.
    pub fn read<T, E: From<StoreError>>(&self, ask: impl FnOnce(&ReadTx<'_>) -> Result<T, E>) -> Result<T, E> {
        self.0.readers.read(None, ask)
    }

    /// The same within a time, beyond which the answer is [`StoreError::Slow`].
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_within<T, E: From<StoreError>>(
        &self,
        time: Duration,
        ask: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.0.readers.read(Some(time), ask)
    }

    /// Changes the archive: all that `work` does, or nothing if it fails. What comes back is waited for; it comes when
    /// the change is on the disk. If something else fails meanwhile, `work` may be done again from the beginning, and what
    /// it did before is as if it had not been.
    pub fn write<T, E>(&self, work: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.writer.submit(work, false)
    }

    /// The same for who hands in very much: waits where too much is waiting already.
    pub fn write_slowly<T, E>(&self, work: impl Fn(&WriteTx<'_>) -> Result<T, E> + Send + 'static) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.writer.submit(work, true)
    }

    /// Has `observer` told of every commit from now on. The first is kept; there is no second.
    pub fn observe(&self, observer: Observer) {
        let _ = self.0.observer.set(observer);
    }

    /// A number that is another whenever the archive may have changed: at once, before who changed it is told, where that
    /// was done through this store, and within some milliseconds where another program did it.
    pub fn version(&self) -> u64 {
        self.0.version.get()
    }

    /// Whether the archive can be read, and what comes in be stored. If the last change could not be, it is tried whether it
    /// can be now.
    ///
    /// # Errors
    /// Why not.
    pub fn is_ready(&self) -> Result<(), StoreError> {
        if !self.0.writer.is_running() {
            return Err(StoreError::Stopped);
        }
        self.keep_log()?;
        // What a connection has read before it does not read again.
        let fresh = self.0.file.connect()?;
        ReadTx { connection: &fresh }.last_change()?;
        if self.0.writer.has_failed() {
            self.0.file.has_room()?;
            self.write(|writing| schema::touch(writing.connection)).wait()?;
        }
        Ok(())
    }

    /// Looks whether the file and its log still have their names. A log that has none goes with the program, so the writer
    /// puts it into the file.
    ///
    /// # Errors
    /// [`StoreError::Moved`] if one has not.
    pub(crate) fn keep_log(&self) -> Result<(), StoreError> {
        self.0.file.is_there().inspect_err(|_| {
            let _ = self.write(|writing| schema::touch(writing.connection)).wait();
        })
    }

    /// How much is waiting to be written.
    pub fn waiting(&self) -> usize {
        self.0.writer.waiting()
    }
}

/// Held by who serves an archive. The system lets go of it when the program ends, however that comes about.
#[derive(Debug)]
#[must_use]
pub struct ServeLock(#[expect(dead_code, reason = "it is held, and not used")] File);

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Write,
    Read,
    /// It is read, and nobody changes it.
    Still,
}

fn connect(path: &Path, access: Access) -> Result<Connection, StoreError> {
    // None is made here: where a file was moved away, nothing is to take its place.
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | match access {
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Still => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        };
    let open = Connection::open_with_flags(address(path, access)?.as_ref(), flags);
    let open = open.and_then(|connection| schema::prepare(&connection, access).map(|()| connection));
    open.map_err(|error| opening(path, error))
}

/// A file as SQLite opens it.
fn address(path: &Path, access: Access) -> Result<Cow<'_, Path>, StoreError> {
    if access != Access::Still {
        return Ok(path.into());
    }
    let path = text_of(path)?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(PathBuf::from(format!("file://{path}?immutable=1")).into())
}

/// A connection that writes, to tables of today.
fn ready(path: &Path) -> Result<Connection, StoreError> {
    let mut connection = connect(path, Access::Write)?;
    // Who opens a new file at the same moment is refused by SQLite without waiting, and so has to try again.
    let begun = Instant::now();
    while let Err(error) = schema::migrate(&mut connection, path) {
        if !matches!(error, StoreError::Busy) || begun.elapsed() > BUSY {
            return Err(error);
        }
        thread::sleep(PAUSE);
    }
    Ok(connection)
}

/// Whether a file that could not be opened is one that nobody can change, and all of the archive: it is on a file system
/// that is read-only, and no log is beside it. Then it can be read all the same.
fn is_still(path: &Path, error: &io::Error) -> bool {
    let is_absent = |ending: &str| {
        // SQLite puts it where a link leads.
        let Ok(beside) = fs::canonicalize(path) else { return false };
        let mut beside = beside.into_os_string();
        beside.push(ending);
        match fs::metadata(beside) {
            Ok(file) => file.len() == 0,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    };
    error.kind() == io::ErrorKind::ReadOnlyFilesystem && ["-wal", "-journal"].into_iter().all(is_absent)
}

/// A connection to such a file; what is to be written by it fails.
fn unchanging(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path, Access::Still)?;
    if schema::is_of_today(&connection, path)? { Ok(connection) } else { Err(StoreError::ReadOnly) }
}

/// Why a file cannot be opened. It is not opened to find that out: closing it would take away the locks that SQLite may
/// have on it.
fn opening(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.to_owned()),
        Some(ErrorCode::CannotOpen) => {
            let why = match fs::metadata(path) {
                Ok(file) if file.is_dir() => io::ErrorKind::IsADirectory.into(),
                Ok(_) => file::denied(path),
                Err(error) if error.kind() != io::ErrorKind::NotFound => error,
                // It cannot be made: the folder is not there, or nothing may be put into it.
                Err(error) => match path.parent() {
                    Some(folder) if folder.is_dir() => io::ErrorKind::PermissionDenied.into(),
                    _ => error,
                },
            };
            file_error(path, why)
        }
        _ => error.into(),
    }
}

/// Makes a file that is there for its owner alone, since the hashes of tokens will be in it. The files that SQLite puts
/// beside it are like it. One that is there already stays as it is.
fn make_private(path: &Path) -> Result<(), StoreError> {
    match create_private(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(file_error(path, error)),
        _ => Ok(()),
    }
}

/// Looks that the file, and what SQLite has put beside it, are files, and that the file has one name: its log goes by that,
/// and who had it open by another would have another log.
fn are_usable(path: &Path) -> Result<(), StoreError> {
    for ending in ["", WAL, WAL_INDEX, JOURNAL] {
        let file = file::beside(path, ending);
        let about = regular(&file).map_err(|error| file_error(&file, error))?;
        #[cfg(unix)]
        if ending.is_empty() && about.is_some_and(|about| std::os::unix::fs::MetadataExt::nlink(&about) > 1) {
            return Err(StoreError::Linked(path.to_owned()));
        }
    }
    Ok(())
}

/// Opens the file of the lock. Where it belongs to somebody else it is enough to read it.
fn open_lock(path: &Path) -> io::Result<File> {
    if regular(path)?.is_none() {
        match create_private(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
        }
    }
    match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path),
        opened => opened,
    }
}

fn file_error(path: &Path, error: io::Error) -> StoreError {
    StoreError::File(path.to_owned(), Arc::new(error))
}

/// A path as SQL takes it.
fn text_of(path: &Path) -> Result<&str, StoreError> {
    path.to_str().ok_or_else(|| file_error(path, io::ErrorKind::InvalidFilename.into()))
}
