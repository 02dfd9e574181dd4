//! Copying the archive while it is in use.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata},
    path::{Path, PathBuf},
    time::Duration,
};

use quipu_files::{has_mark, names::BESIDE};

use super::{
    archive::Store,
    database::sqlite::copy::finish_copy,
    error::{StoreError, file_error},
    progress::{Progress, Step},
    read_tx::ReadTx,
};
use crate::model::Number;

/// Age from which an unfinished copy is abandoned, because its program was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// The contents of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupSummary {
    /// Number of the last change; 0 if there is none.
    pub last: Number,
    /// Number of records of all games.
    pub records: u64,
    /// Size of the file.
    pub bytes: u64,
}

impl Store {
    /// Copies the archive as of one moment, while it is read and written. The copy is written beside `target`, checked, synced to
    /// the disk and then renamed; it replaces an older copy of that name.
    ///
    /// # Errors
    /// If the archive cannot be read or the copy cannot be written. [`StoreError::Foreign`] if `target` exists and is no
    /// archive, [`StoreError::SameFile`] if it is a file of this archive.
    pub fn backup(&self, target: &Path, mut progress: impl FnMut(Progress)) -> Result<BackupSummary, StoreError> {
        if !self.0.database.is_file() {
            return Err(StoreError::OnServer);
        }
        let at = |path: &Path, error| file_error(path, error);
        let name = target.file_name().ok_or_else(|| at(target, std::io::ErrorKind::InvalidInput.into()))?;
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().map_err(|error| at(folder, error))?;
        let target = folder.join(name);
        self.check_replaceable(&target)?;
        remove_old_parts(&folder, name);
        let part = Part::beside(&folder, name)?;
        let (last, records) = self.copy(&part.0, &mut progress)?;
        let file = File::open(&part.0).map_err(|error| at(&part.0, error))?;
        file.sync_all().map_err(|error| at(&part.0, error))?;
        let bytes = file.metadata().map_err(|error| at(&part.0, error))?.len();
        fs::rename(&part.0, &target).map_err(|error| at(&target, error))?;
        // The new name is on the disk after a sync of the folder. Not every system lets a folder be opened.
        if let Ok(folder) = File::open(&folder) {
            folder.sync_all().map_err(|error| at(&target, error))?;
        }
        Ok(BackupSummary { last, records, bytes })
    }

    /// Checks that `target` does not exist, or is an archive other than this one.
    fn check_replaceable(&self, target: &Path) -> Result<(), StoreError> {
        let own = self.path().canonicalize().map_err(|error| file_error(self.path(), error))?;
        let beside = |ending: &str| {
            let mut name = own.clone().into_os_string();
            name.push(ending);
            PathBuf::from(name)
        };
        let resolved = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        if [""].iter().chain(&BESIDE).any(|ending| beside(ending) == resolved) {
            return Err(StoreError::SameFile(target.to_owned()));
        }
        if fs::symlink_metadata(target).is_err() {
            return Ok(());
        }
        let ours = has_mark(target).map_err(|error| file_error(target, error))?;
        if ours { Ok(()) } else { Err(StoreError::Foreign(target.to_owned())) }
    }

    /// Copies everything to a new file. Returns the number of its last change and the number of its records.
    fn copy(&self, part: &Path, progress: &mut impl FnMut(Progress)) -> Result<(Number, u64), StoreError> {
        let copy = self.read(|reading| {
            // This query starts the snapshot. Commits after it do not restart the copying, and do not wait for it.
            reading.last_change()?;
            self.0.database.copy(reading.connection, part, |done, all| {
                progress(Progress::of(Step::Pages, done.into(), all.into()));
            })
        })?;
        let copied = ReadTx { connection: &copy };
        let (last, records) = (copied.last_change()?, copied.record_count()?);
        finish_copy(copy)?;
        Ok((last, records))
    }
}

/// Removes abandoned copies for this name. One that cannot be removed stays: it does not prevent a copy.
fn remove_old_parts(folder: &Path, name: &OsStr) {
    let is_old = |path: &Path| {
        let about = fs::symlink_metadata(path).ok().filter(Metadata::is_file);
        let age = about.and_then(|about| about.modified().ok()?.elapsed().ok());
        age.is_some_and(|age| age > ABANDONED)
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for part in files.filter(|file| is_part(&file.file_name(), name)).map(|file| file.path()) {
        if is_old(&part) {
            drop(Part(part));
        }
    }
}

/// True if `file` is the name of an unfinished copy for `name`.
fn is_part(file: &OsStr, name: &OsStr) -> bool {
    let rest = file.as_encoded_bytes().strip_prefix(b".").and_then(|rest| rest.strip_prefix(name.as_encoded_bytes()));
    let random = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".part"));
    random.is_some_and(|random| random.len() == 16 && random.iter().all(u8::is_ascii_hexdigit))
}

/// An unfinished copy. It is removed on drop, unless it was renamed.
struct Part(PathBuf);

impl Part {
    fn beside(folder: &Path, name: &OsStr) -> Result<Self, StoreError> {
        let random = getrandom::u64().map_err(|error| StoreError::Other(error.to_string()))?;
        let mut part = OsString::from(".");
        part.push(name);
        part.push(format!(".{random:016x}.part"));
        Ok(Self(folder.join(part)))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        for ending in [""].into_iter().chain(BESIDE) {
            let mut path = self.0.clone().into_os_string();
            path.push(ending);
            // A renamed copy is gone.
            let _ = fs::remove_file(path);
        }
    }
}
