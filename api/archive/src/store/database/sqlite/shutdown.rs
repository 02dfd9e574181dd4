//! The end of a store: the write-ahead log is moved into the file.
//!
//! While an archive is open, its header says that a log belongs to it. When the last connection is closed, the log is moved
//! into the file and removed, and the header says that there is none. So a file that was copied without its log is recognized.
//!
//! SQLite removes the log before it changes the header, and changes the header before it creates the log. A program that is
//! killed in between leaves a file that looks as if its log were missing, so a note of the file's state is put beside it
//! first ([`names::CHECKPOINTED`]).

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, UNIX_EPOCH},
};

use quipu_files::{create_private, names};
use rusqlite::wal::CheckpointMode;

use super::{
    checkpoint::checkpoint_in,
    connect::{PAUSE, WAL_MODE, beside, is_read_only, journal_mode, keep_log_on_close, set_patience},
    file::Opened,
};
use crate::store::{
    database::{self, Connection, params},
    error::StoreError,
};

/// Time limit for cancelled queries to end.
pub(in crate::store) const QUERIES: Duration = Duration::from_secs(5);
/// Time that a service waits at its end for other programs that have the archive open.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for a command, in milliseconds: shorter, and random, so that of two commands that end together one is the last.
const COMMAND: std::ops::Range<u64> = 20..120;
/// Time limit for another program that is just opening or closing the archive.
const OPENING: Duration = Duration::from_millis(500);
/// Offset of the read and write versions in the header of a SQLite file, and their values with a log.
const MODE: usize = 18;
const LOGGED: [u8; 2] = [2, 2];
/// Offset of the change counter in the header, a big-endian number of 32 bits.
const COUNTER: usize = 24;

/// The way in which a store ends.
pub(in crate::store) struct Ending {
    /// The store has the lock of the service.
    pub(in crate::store) serves: bool,
    /// The log was missing when the archive was opened, and nothing was written since. The header must go on saying so.
    pub(in crate::store) lacks_log: bool,
}

/// Moves the log into the file and closes the writer's connection, the last of its store.
///
/// # Errors
/// If the log could not be moved. It is still part of the archive then.
pub(in crate::store) fn close_log(connection: Connection, file: &Opened, ending: &Ending) -> Result<(), StoreError> {
    // A query that does not end although it was cancelled keeps the log in use.
    file.connections().are_closed_within(QUERIES);
    if is_read_only(&connection)? || journal_mode(&connection)? != WAL_MODE {
        return closed(connection);
    }
    let is_replaced = file.is_replaced();
    if is_replaced {
        // SQLite would remove the log by its name, and that is another file now.
        keep_log_on_close(&connection)?;
        empty(&connection)?;
        closed(connection)?;
        return file.is_there();
    }
    // If another program has the archive open, that one moves the log at its end; a service reports it.
    if !ending.lacks_log && !leave_log(&connection, file, ending.serves)? && ending.serves {
        empty(&connection)?;
    }
    closed(connection)?;
    let log = file.log();
    match fs::metadata(&log) {
        Ok(about) if about.len() > 0 && ending.serves => Err(StoreError::LogNotMerged(log)),
        _ => Ok(()),
    }
}

fn closed(connection: Connection) -> Result<(), StoreError> {
    Ok(connection.close()?)
}

/// Moves the log into the file and clears its mark in the header. False if another program has the archive open: the last
/// one does it.
fn leave_log(connection: &Connection, file: &Opened, serves: bool) -> Result<bool, StoreError> {
    let random = getrandom::u64().unwrap_or_default() % (COMMAND.end - COMMAND.start);
    let patience = if serves { PATIENCE } else { Duration::from_millis(COMMAND.start + random) };
    let begun = Instant::now();
    set_patience(connection, Duration::ZERO)?;
    loop {
        if remove_log(connection, file.path())? {
            return Ok(true);
        }
        if begun.elapsed() > patience {
            return Ok(false);
        }
        thread::sleep(PAUSE);
    }
}

/// Moves the log into the file and removes it. False if another program has the archive open.
fn remove_log(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    match checkpoint_in(connection, CheckpointMode::FULL) {
        Ok(_) => {}
        Err(database::Error::Busy) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    // Without the note, a kill right now is reported as a missing log: a false alarm, and no loss.
    drop(note_checkpoint(path));
    let is_removed = match connection.query_row("PRAGMA journal_mode = delete", params![], |row| row.get::<String>(0)) {
        Ok(mode) => mode != WAL_MODE,
        Err(database::Error::Busy) => false,
        // The log may be gone, and the header unchanged: the note stays.
        Err(error) => return Err(error.into()),
    };
    forget_checkpoint(path);
    Ok(is_removed)
}

/// Notes that the whole log is in a file.
fn note_checkpoint(path: &Path) -> io::Result<()> {
    // The change counter is in the file, which is open: see `State::of`.
    note(path, &State::of(path)?)
}

/// Notes that a file without a log is the whole archive. To be called before the header is changed to say that there is a
/// log, and with nothing missing.
pub(in crate::store) fn note_opening(path: &Path) {
    // Without the note, a kill right now is reported as a missing log: a false alarm, and no loss.
    drop(try_note_opening(path));
}

fn try_note_opening(path: &Path) -> io::Result<()> {
    // See `missing_log`.
    if fs::symlink_metadata(beside(path, names::WAL)).is_ok() {
        return Ok(());
    }
    let header = Header::read(path)?;
    let counter = header.as_ref().map_or(0, |header| header.counter);
    let mut counters = Vec::new();
    if !header.is_some_and(|header| header.is_logged) {
        // The transaction that marks the log.
        counters.push(counter.wrapping_add(1));
    }
    if fs::symlink_metadata(beside(path, names::JOURNAL)).is_ok() {
        // The journal takes an unfinished transaction back, after which the log may be marked again.
        counters.extend([counter.wrapping_sub(1), counter]);
    }
    note(path, &State { counters, ..State::of(path)? })?;
    // Another program may have opened the archive meanwhile: its log is more than the file.
    if fs::symlink_metadata(beside(path, names::WAL)).is_ok() {
        forget_checkpoint(path);
    }
    Ok(())
}

fn note(path: &Path, state: &State) -> io::Result<()> {
    forget_checkpoint(path);
    create_private(&beside(path, names::CHECKPOINTED))?.write_all(state.to_string().as_bytes())
}

/// Removes the note beside a file that has a log by now, or whose header was not changed. To be called before anything is
/// written to the archive.
pub(in crate::store) fn forget_opening(path: &Path) {
    let is_needed = fs::symlink_metadata(beside(path, names::WAL)).is_err()
        && Header::read(path).is_ok_and(|header| header.is_some_and(|header| header.is_logged));
    if !is_needed {
        forget_checkpoint(path);
    }
}

/// Removes the note beside a file.
fn forget_checkpoint(path: &Path) {
    // There may be none; and where none can be removed, nothing can be written either.
    drop(fs::remove_file(beside(path, names::CHECKPOINTED)));
}

/// True if a file was noted to be the whole archive, and nothing was changed in it since but the mark of a log.
fn is_checkpointed(path: &Path, header: &Header) -> bool {
    let noted = fs::read_to_string(beside(path, names::CHECKPOINTED)).ok().and_then(|text| State::parse(&text));
    noted.is_some_and(|noted| State::of(path).is_ok_and(|state| noted.allows(&state, header)))
}

/// The state of a file that a note describes.
struct State {
    /// Size in bytes; 0 for a file that was just created.
    length: u64,
    /// Time of the last change, in nanoseconds since 1970.
    changed: u128,
    /// SQLite's change counter after the header was changed, as it may be then.
    counters: Vec<u32>,
}

impl State {
    /// Size and time of a file. The file is not opened: closing it would drop the locks that SQLite has on it.
    fn of(path: &Path) -> io::Result<Self> {
        let about = fs::metadata(path)?;
        let changed = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self { length: about.len(), changed: changed.as_nanos(), counters: Vec::new() })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace();
        let (length, changed) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        let counters = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Self { length, changed, counters })
    }

    /// True if a file in this state becomes one in the state `now` if the mark of a log is set, or taken back by a journal:
    /// that is one transaction.
    fn allows(&self, now: &Self, header: &Header) -> bool {
        let is_marked = self.counters.contains(&header.counter);
        (self.length == now.length || self.length == 0) && (self.changed == now.changed || is_marked)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.length, self.changed)?;
        self.counters.iter().try_for_each(|counter| write!(f, " {counter}"))?;
        writeln!(f)
    }
}

/// Moves as much of the log into the file as other programs that have it open allow.
fn empty(connection: &Connection) -> Result<(), StoreError> {
    set_patience(connection, PATIENCE)?;
    match checkpoint_in(connection, CheckpointMode::TRUNCATE) {
        Ok(_) | Err(database::Error::Busy) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The log that the header of a file says there is and that is missing. To be called before the file is opened.
///
/// # Errors
/// If the file cannot be read.
pub(in crate::store) fn missing_log(path: &Path) -> io::Result<Option<PathBuf>> {
    let log = beside(path, names::WAL);
    let begun = Instant::now();
    loop {
        // While there is a log, this process may have the file open. Opening and closing it here would drop the locks that
        // SQLite has on it.
        if fs::symlink_metadata(&log).is_ok() {
            return Ok(None);
        }
        match Header::read(path)? {
            Some(header) if header.is_logged && !is_checkpointed(path, &header) => {}
            _ => return Ok(None),
        }
        if begun.elapsed() > OPENING {
            return Ok(Some(log));
        }
        thread::sleep(PAUSE);
    }
}

/// The fields of the header of a file that are read.
struct Header {
    /// The file has a log.
    is_logged: bool,
    /// SQLite's change counter.
    counter: u32,
}

impl Header {
    /// `None` if the file is too short for a header.
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut head = [0; COUNTER + size_of::<u32>()];
        match File::open(path)?.read_exact(&mut head) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let (head, counter) = head.split_at(COUNTER);
        let counter = counter.try_into().map_or(0, u32::from_be_bytes);
        Ok(Some(Self { is_logged: head[MODE..MODE + LOGGED.len()] == LOGGED, counter }))
    }
}
