//! The files of a folder that have arrived.

use std::{
    collections::HashMap,
    fs::Metadata,
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use quipu_notation::record::Format;
use walkdir::{DirEntry, WalkDir};

/// Extensions of compressed files.
const COMPRESSED: [&str; 3] = ["gz", "zst", "zip"];
/// Extensions of files that another program is still writing.
const PARTIAL: [&str; 4] = ["tmp", "part", "partial", "crdownload"];

/// The reason why a file is not uploaded.
#[derive(Debug)]
pub enum Skipped {
    /// Its extension, in lower case, belongs to no format.
    Extension(String),
    /// It, or a folder, cannot be read.
    Unreadable(io::Error),
    /// It is in one part, of more than so many bytes.
    Size(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
}

#[derive(Debug)]
struct Seen {
    stamp: Option<Stamp>,
    done: bool,
    /// An attempt to read it failed.
    has_failed: bool,
}

/// A folder with its subfolders, and the files seen in it. Hidden files, links, and files with an extension of partial
/// downloads are ignored.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    seen: HashMap<PathBuf, Seen>,
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Files of the same size and time as in the scan before.
    pub(crate) arrived: Vec<PathBuf>,
    /// Files that are new or have changed since.
    pub(crate) changing: Vec<PathBuf>,
    /// Files that are skipped, each in one scan.
    pub(crate) skipped: Vec<(PathBuf, Skipped)>,
    /// A file or a folder cannot be read, also one that a scan before has named.
    pub(crate) has_unreadable: bool,
}

impl Folder {
    /// A folder that exists.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::read_dir(path)?;
        Ok(Self { path: path.to_owned(), seen: HashMap::new() })
    }

    /// The name of a file, relative to the folder.
    pub(crate) fn name(&self, file: &Path) -> String {
        file.strip_prefix(&self.path).unwrap_or(file).to_string_lossy().into_owned()
    }

    /// Reads the folder, in the order of names.
    pub(crate) fn scan(&mut self) -> Scan {
        let mut scan = Scan::default();
        let mut before = std::mem::take(&mut self.seen);
        let walk = WalkDir::new(&self.path).sort_by_file_name().into_iter().filter_entry(|entry| !is_hidden(entry));
        for entry in walk {
            let (path, stamp) = match entry {
                Ok(entry) if !entry.file_type().is_file() => continue,
                Ok(entry) => {
                    let extension = extension(entry.path());
                    if PARTIAL.contains(&extension.as_str()) {
                        continue;
                    }
                    let stamp = stamp(&entry, extension);
                    (entry.into_path(), stamp)
                }
                Err(error) => (error.path().unwrap_or(&self.path).to_owned(), Err(Skipped::Unreadable(error.into()))),
            };
            if path != self.path && matches!(&stamp, Err(Skipped::Unreadable(error)) if is_gone(error)) {
                continue;
            }
            let (stamp, reason) = match stamp {
                Ok(stamp) => (Some(stamp), None),
                Err(reason) => (None, Some(reason)),
            };
            scan.has_unreadable |= matches!(reason, Some(Skipped::Unreadable(_)));
            let same = before.remove(&path).filter(|seen| seen.stamp == stamp);
            let is_same = same.is_some();
            let seen = same.unwrap_or(Seen { stamp, done: false, has_failed: false });
            match reason {
                Some(reason) if !is_same => scan.skipped.push((path.clone(), reason)),
                Some(_) => {}
                None if seen.done => {}
                None if is_same => scan.arrived.push(path.clone()),
                None => scan.changing.push(path.clone()),
            }
            self.seen.insert(path, seen);
        }
        scan
    }

    /// A file of the last scan needs no further attempt until it changes.
    pub(crate) fn done(&mut self, file: &Path) {
        if let Some(seen) = self.seen.get_mut(file) {
            seen.done = true;
        }
    }

    /// Notes that a file of the last scan could not be read. True if that is the first time since it changed.
    pub(crate) fn note_failure(&mut self, file: &Path) -> bool {
        self.seen.get_mut(file).is_some_and(|seen| !std::mem::replace(&mut seen.has_failed, true))
    }

    /// True if a file is still as the last scan found it.
    pub(crate) fn is_unchanged(&self, file: &Path, about: &Metadata) -> bool {
        self.seen.get(file).is_some_and(|seen| seen.stamp == Some(Stamp::of(about)))
    }
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        Self { size: about.len(), modified: about.modified().ok() }
    }
}

/// Size and time of a file, if its extension is one of records.
fn stamp(entry: &DirEntry, extension: String) -> Result<Stamp, Skipped> {
    if Format::of_extension(&extension).is_none() && !COMPRESSED.contains(&extension.as_str()) {
        return Err(Skipped::Extension(extension));
    }
    entry.metadata().map(|about| Stamp::of(&about)).map_err(|error| Skipped::Unreadable(error.into()))
}

/// True if a file or a folder went away, or was renamed, after its folder was listed.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_hidden(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() > 0 && (name.starts_with('.') || name.starts_with('~') || name.ends_with('~'))
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_has_arrived_when_it_stays_the_same() {
        let root = tempfile::tempdir().expect("there is room");
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("sub")).expect("there is room");
        let names = ["a.quipu", "b.tmp", ".c.quipu", "~d.xlsx", "e.jpg", "f.quipu.part", "sub/g.CSV", "h.quipu~"];
        for name in names {
            fs::write(at(name), "x").expect("there is room");
        }
        let mut folder = Folder::open(root.path()).expect("it is there");
        let first = folder.scan();
        assert_eq!((first.arrived, first.changing), (vec![], vec![at("a.quipu"), at("sub/g.CSV")]));
        assert!(matches!(&first.skipped[..], [(path, Skipped::Extension(_))] if *path == at("e.jpg")));
        fs::write(at("a.quipu"), "xy").expect("there is room");
        let second = folder.scan();
        assert_eq!((second.arrived, second.changing), (vec![at("sub/g.CSV")], vec![at("a.quipu")]));
        assert!(second.skipped.is_empty(), "told once");
        folder.done(&at("sub/g.CSV"));
        let third = folder.scan();
        assert_eq!((third.arrived, third.changing), (vec![at("a.quipu")], vec![]));
        assert_eq!(folder.scan().arrived, [at("a.quipu")], "until it is done");
        fs::remove_file(at("sub/g.CSV")).expect("it is there");
        folder.scan();
        fs::write(at("sub/g.CSV"), "x").expect("there is room");
        assert_eq!(folder.scan().changing, [at("sub/g.CSV")], "it came again");
        let notes = [0; 2].map(|_| folder.note_failure(&at("a.quipu")));
        assert_eq!((notes, folder.scan().arrived), ([true, false], vec![at("a.quipu"), at("sub/g.CSV")]));
    }

    #[test]
    fn a_file_that_goes_away_during_a_scan_is_no_failure() {
        let root = tempfile::tempdir().expect("there is room");
        let files: Vec<_> = (0..2000).map(|number| root.path().join(format!("{number:04}.quipu"))).collect();
        for file in &files {
            fs::write(file, "x").expect("there is room");
        }
        let mut folder = Folder::open(root.path()).expect("it is there");
        // The last names, which the scan reaches last, go first.
        let scans = std::thread::scope(|scope| {
            let removal = scope.spawn(|| files.iter().rev().try_for_each(fs::remove_file));
            let scans: Vec<_> = std::iter::repeat_with(|| folder.scan()).take(20).collect();
            removal.join().expect("it ends").expect("they are there");
            scans
        });
        assert!(scans.iter().all(|scan| scan.skipped.is_empty() && !scan.has_unreadable), "{scans:#?}");
        drop(root);
        let last = folder.scan();
        assert!(last.has_unreadable && last.skipped.len() == 1, "the folder itself: {last:#?}");
    }
}
