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
            let entry = entry.and_then(|entry| entry.metadata().map(|about| (entry, about)));
            let (path, stamp, reason) = match entry {
                Ok((_, about)) if !about.is_file() => continue,
                Ok((entry, about)) => {
                    let extension = extension(entry.path());
                    if PARTIAL.contains(&extension.as_str()) {
                        continue;
                    }
                    let is_read =
                        Format::of_extension(&extension).is_some() || COMPRESSED.contains(&extension.as_str());
                    let reason = (!is_read).then_some(Skipped::Extension(extension));
                    (entry.into_path(), Some(Stamp::of(&about)), reason)
                }
                Err(error) => {
                    let path = error.path().unwrap_or(&self.path).to_owned();
                    (path, None, Some(Skipped::Unreadable(error.into())))
                }
            };
            let known = before.remove(&path);
            let is_known = known.is_some();
            let same = known.filter(|seen| seen.stamp == stamp);
            let done = same.as_ref().is_some_and(|seen| seen.done);
            match reason {
                Some(reason) if !is_known => scan.skipped.push((path.clone(), reason)),
                Some(_) => {}
                None if done => {}
                None if same.is_some() => scan.arrived.push(path.clone()),
                None => scan.changing.push(path.clone()),
            }
            self.seen.insert(path, Seen { stamp, done });
        }
        scan
    }

    /// A file of the last scan needs no further attempt until it changes.
    pub(crate) fn done(&mut self, file: &Path) {
        if let Some(seen) = self.seen.get_mut(file) {
            seen.done = true;
        }
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
    }
}
