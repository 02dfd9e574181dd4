//! Opening an archive, and the lock of the service.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, atomic::AtomicU64},
    thread,
    time::Instant,
};

use quipu_files::{
    create_private, create_private_folder,
    names::{DATABASE, LOCK},
    regular,
};

#[cfg(feature = "postgres")]
use super::database::postgres::{address::Address, server::Server};
use super::{
    archive::{Inner, Store},
    change_counter::ChangeCounter,
    database::{
        Connection, OpenDatabase,
        sqlite::{
            connect::{Access, BUSY, PAUSE, check_files, connect, make_private},
            file::Opened,
            shutdown,
        },
    },
    error::{StoreError, file_error},
    migrate::migrate,
    read_tx::Readers,
    receipt_log::LogSigner,
    schema,
    writer::Writer,
};

impl Store {
    /// Opens the archive in a folder; creates both if there are none.
    ///
    /// # Errors
    /// If the folder or the file cannot be used.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        create_private_folder(folder).map_err(|error| file_error(folder, error))?;
        #[cfg(all(feature = "postgres", any(test, feature = "testing")))]
        if let Some(address) = Address::of_test(folder) {
            return Self::open_on_server(&address, folder);
        }
        Self::open_file(&folder.join(DATABASE))
    }

    /// Opens the archive in a folder, and creates none.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none, or as [`Store::open`].
    pub fn open_existing(folder: &Path) -> Result<Self, StoreError> {
        #[cfg(all(feature = "postgres", any(test, feature = "testing")))]
        if let Some(address) = Address::of_test(folder) {
            return Self::open_existing_on_server(&address, folder);
        }
        let path = folder.join(DATABASE);
        match regular(&path).map_err(|error| file_error(&path, error))? {
            // An empty file remains where creating an archive was interrupted.
            Some(file) if file.len() > 0 => Self::open_file(&path),
            _ => Err(StoreError::Missing(folder.to_owned())),
        }
    }

    fn open_file(path: &Path) -> Result<Self, StoreError> {
        // SQLite takes a relative path that begins with `file:` for a URI.
        let path = std::path::absolute(path).map_err(|error| file_error(path, error))?;
        make_private(&path)?;
        check_files(&path)?;
        let missing_log = shutdown::missing_log(&path).map_err(|error| file_error(&path, error))?;
        if missing_log.is_none() {
            shutdown::note_opening(&path);
        }
        let connected = connect_migrated(&path);
        shutdown::forget_opening(&path);
        let (connection, reads) = match connected {
            Err(StoreError::File(_, error)) if is_immutable(&path, &error) => {
                (connect_immutable(&path)?, Access::Immutable)
            }
            connected => (connected?, Access::Read),
        };
        let database = OpenDatabase::Sqlite(Opened::new(&path, reads)?);
        Self::start(path, database, connection, missing_log)
    }

    /// Opens the archive in a database on a server; creates its tables if there are none. The folder has the key that signs its
    /// receipts, and is created if it is missing.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`] if there is no server, [`StoreError::Foreign`] if the database has other tables, or as
    /// [`Store::open`].
    #[cfg(feature = "postgres")]
    pub fn open_on_server(address: &Address, folder: &Path) -> Result<Self, StoreError> {
        create_private_folder(folder).map_err(|error| file_error(folder, error))?;
        let path = folder.join(DATABASE);
        let path = std::path::absolute(&path).map_err(|error| file_error(&path, error))?;
        let server = Server::new(address.clone());
        let connection = server.connect_to_write()?;
        server.create_schema(&connection)?;
        migrate(&connection, Path::new(&address.to_string()))?;
        // A standby is read only if it shows as much.
        server.note_commit(connection.foreign_version()?);
        Self::start(path, OpenDatabase::Postgres(server), connection, None)
    }

    /// Opens the archive in a database on a server, and creates none.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none, or as [`Store::open_on_server`].
    #[cfg(feature = "postgres")]
    pub fn open_existing_on_server(address: &Address, folder: &Path) -> Result<Self, StoreError> {
        if Server::new(address.clone()).connect_to_write()?.is_empty()? {
            return Err(StoreError::Missing(address.to_string().into()));
        }
        Self::open_on_server(address, folder)
    }

    /// Starts the threads of an archive.
    fn start(
        path: PathBuf,
        database: OpenDatabase,
        mut connection: Connection,
        missing_log: Option<PathBuf>,
    ) -> Result<Self, StoreError> {
        let readers = Readers::new(database.clone());
        database.watch(&mut connection)?;
        let observer = Arc::new(OnceLock::new());
        let (commits, signing) = (Arc::new(AtomicU64::new(0)), Arc::new(LogSigner::new(&path)));
        let writer = Writer::start(
            connection,
            database.clone(),
            Arc::clone(&observer),
            Arc::clone(&commits),
            Arc::clone(&signing),
            missing_log.is_some(),
        );
        let writer = writer.map_err(|error| file_error(&path, error))?;
        let counter = ChangeCounter::new(database.clone(), commits);
        let closed = OnceLock::new();
        Ok(Self(Arc::new(Inner { path, readers, writer, observer, counter, signing, database, missing_log, closed })))
    }

    /// Takes the lock of the service, so that no other program serves this archive while the result lives. The lock file is
    /// beside the archive file itself, also if a link leads to that.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another program has it.
    pub fn serve_lock(&self) -> Result<ServeLock, StoreError> {
        if !self.0.database.is_file() {
            // Several services may share a server.
            return Ok(ServeLock(None));
        }
        let path = fs::canonicalize(self.path()).unwrap_or_else(|_| self.path().to_owned()).with_file_name(LOCK);
        let file = open_lock(&path).map_err(|error| file_error(&path, error))?;
        match file.try_lock() {
            Ok(()) => {
                self.0.writer.serves();
                Ok(ServeLock(Some(file)))
            }
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path)),
            Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
        }
    }
}

/// The lock of the service; none for an archive on a server. The system releases it when the program ends, also after a crash.
#[derive(Debug)]
#[must_use]
pub struct ServeLock(#[expect(dead_code, reason = "the open file is the lock")] Option<File>);

/// A connection that writes, to a file of the current schema.
fn connect_migrated(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path, Access::Write)?;
    // SQLite refuses a second program that opens a new file at the same moment without waiting, so this retries.
    let begun = Instant::now();
    while let Err(error) = migrate(&connection, path) {
        if !matches!(error, StoreError::Busy) || begun.elapsed() > BUSY {
            return Err(error);
        }
        thread::sleep(PAUSE);
    }
    Ok(connection)
}

/// True if a file that failed to open with `error` is on a read-only file system and has no log beside it: then it is the
/// whole archive, and nobody can change it.
fn is_immutable(path: &Path, error: &io::Error) -> bool {
    let is_absent = |ending: &str| {
        // SQLite creates it at the target of a link.
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

/// A connection to an immutable file. Writing with it fails.
fn connect_immutable(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path, Access::Immutable)?;
    if schema::is_current(&connection, path)? { Ok(connection) } else { Err(StoreError::ReadOnly) }
}

/// Opens the lock file. If it belongs to another user, read access is enough to lock it.
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
