//! Files and folders that a command skips: named with the reason if they are few, else counted by kind.

use std::{
    collections::BTreeMap,
    fs,
    ops::AddAssign,
    path::{Path, PathBuf},
};

use quipu_notation::record::Format;

use crate::context::{Context, ExitStatus, harmless, print_to_stderr};

/// Extensions of compressed files, which are read.
pub(crate) const COMPRESSED: [&str; 3] = ["gz", "zst", "zip"];
/// Files named with their reasons, at most; more are counted.
const FEW: usize = 5;
/// Extensions with a separate count, at most, so that memory is bounded.
const EXTENSIONS: usize = 100;
/// Kinds in the line of counts, at most.
const KINDS: usize = 8;

/// The reason that a file was skipped. The order is that of the line of counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The extension, in lower case and empty for none, belongs to no format, or not to the one that is read.
    Extension(String),
    /// The same for a file in a zip.
    ZipEntry(String),
    /// Extensions beyond the first [`EXTENSIONS`].
    OtherExtensions,
    /// JSON in a folder that does not begin with a record.
    OtherJson,
    Empty,
    /// A file that was read and contains no record.
    NoRecord,
    /// A link that leads nowhere.
    Dangling,
    /// A link to a folder, which is not followed.
    Linked,
    /// A pipe, a device or a socket.
    Special,
    /// A folder without any file in it.
    EmptyFolder,
}

/// The files that a command has skipped.
#[derive(Debug, Default)]
pub(crate) struct SkippedFiles {
    /// The first ones.
    first: Vec<(String, Reason)>,
    counts: BTreeMap<Reason, u64>,
}

impl SkippedFiles {
    /// Adds a file. `name` is for people.
    pub(crate) fn add(&mut self, name: &str, reason: Reason) {
        self.count(&reason, 1);
        if self.first.len() < FEW {
            self.first.push((harmless(name), reason));
        }
    }

    /// Adds a file in a zip that is not read because of its extension.
    pub(crate) fn add_zip_entry(&mut self, source: &str, file: &str) {
        self.add(&format!("{source}:{file}"), Reason::ZipEntry(extension(Path::new(file))));
    }

    /// Adds a source that was read to its end and contained no record; `size` is the size of its file in bytes.
    pub(crate) fn add_without_record(&mut self, source: &str, size: Option<u64>) {
        self.add(source, if size == Some(0) { Reason::Empty } else { Reason::NoRecord });
    }

    fn count(&mut self, reason: &Reason, count: u64) {
        // The line of counts names an extension once, for files of folders and of a zip.
        let of_zip =
            if let Reason::ZipEntry(extension) = reason { Some(Reason::Extension(extension.clone())) } else { None };
        let reason = of_zip.as_ref().unwrap_or(reason);
        let has_ending = |reason: &Reason| matches!(reason, Reason::Extension(_));
        let is_new_extension = has_ending(reason) && !self.counts.contains_key(reason);
        let extensions = || self.counts.keys().filter(|reason| has_ending(reason)).count();
        let counted = if is_new_extension && extensions() >= EXTENSIONS { &Reason::OtherExtensions } else { reason };
        *self.counts.entry(counted.clone()).or_default() += count;
    }

    /// Reports the files on standard error; if there were no records, also that nothing was read. A failure has its own
    /// message and status. `format` is the only format that was read, if `--from` named one.
    pub(crate) fn tell(&self, context: Context, format: Option<Format>, records: u64, has_failed: bool) -> ExitStatus {
        let all: u64 = self.counts.values().sum();
        if all > self.first.len() as u64 {
            print_to_stderr(context.fill("skipped.many", &[("count", &all), ("kinds", &self.kinds(context))]));
        } else {
            for (file, reason) in &self.first {
                let reason = reason.sentence(context, format);
                print_to_stderr(context.fill("skipped.one", &[("file", file), ("reason", &reason)]));
            }
        }
        if records > 0 || has_failed {
            return ExitStatus::Clean;
        }
        print_to_stderr(context.say("skipped.nothing"));
        ExitStatus::Faults
    }

    /// The counts, the largest first.
    fn kinds(&self, context: Context) -> String {
        let others = self.counts.get(&Reason::OtherExtensions).copied().unwrap_or_default();
        let mut counts: Vec<_> = self.counts.iter().filter(|(reason, _)| **reason != Reason::OtherExtensions).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let (shown, rest) = counts.split_at(counts.len().min(KINDS));
        let mut kinds: Vec<_> = shown.iter().map(|(reason, count)| reason.counted(context, **count)).collect();
        let others = others + rest.iter().map(|(_, count)| **count).sum::<u64>();
        if others > 0 {
            kinds.push(Reason::OtherExtensions.counted(context, others));
        }
        kinds.join(", ")
    }
}

impl AddAssign for SkippedFiles {
    fn add_assign(&mut self, other: Self) {
        for (reason, count) in &other.counts {
            self.count(reason, *count);
        }
        let room = FEW.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }
}

impl Reason {
    fn sentence(&self, context: Context, format: Option<Format>) -> String {
        let extension = match self {
            Self::Extension(extension) => extension,
            Self::ZipEntry(extension) if extension.is_empty() => {
                return context.say("skipped.zip-entry-no-extension").to_owned();
            }
            Self::ZipEntry(extension) => {
                let (Some(format), true) = (format, is_known(extension)) else {
                    return context.fill("skipped.zip-entry", &[("extension", &harmless(extension))]);
                };
                return context.fill("skipped.zip-entry-other-format", &[("form", &format.as_str())]);
            }
            Self::OtherExtensions => "",
            Self::OtherJson => return context.say("skipped.other-json").to_owned(),
            Self::Empty => return context.say("skipped.empty").to_owned(),
            Self::NoRecord => return context.say("skipped.no-record").to_owned(),
            Self::Dangling => return context.say("skipped.dangling").to_owned(),
            Self::Linked => return context.say("skipped.linked").to_owned(),
            Self::Special => return context.say("skipped.special").to_owned(),
            Self::EmptyFolder => return context.say("skipped.empty-folder").to_owned(),
        };
        match (format, extension.is_empty()) {
            (Some(format), _) => context.fill("skipped.other-format", &[("form", &format.as_str())]),
            (None, true) => context.say("skipped.no-extension").to_owned(),
            (None, false) => context.fill("skipped.extension", &[("extension", &harmless(extension))]),
        }
    }

    fn counted(&self, context: Context, count: u64) -> String {
        let key = match self {
            Self::Extension(extension) | Self::ZipEntry(extension) if extension.is_empty() => {
                "skipped.count.no-extension"
            }
            Self::Extension(extension) | Self::ZipEntry(extension) => {
                return format!("{count} .{}", harmless(extension));
            }
            Self::OtherExtensions => "skipped.count.others",
            Self::OtherJson => "skipped.count.other-json",
            Self::Empty => "skipped.count.empty",
            Self::NoRecord => "skipped.count.no-record",
            Self::Dangling => "skipped.count.dangling",
            Self::Linked => "skipped.count.linked",
            Self::Special => "skipped.count.special",
            Self::EmptyFolder => "skipped.count.empty-folder",
        };
        context.fill(key, &[("count", &count)])
    }
}

/// True for the extension of a format, or of a compressed file.
fn is_known(extension: &str) -> bool {
    Format::of_extension(extension).is_some() || COMPRESSED.contains(&extension)
}

/// The extension of a file name, in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The reason to skip an entry of a folder that is not a record file; none for a folder.
pub(crate) fn of_entry(path: &Path, is_link: bool) -> Option<Reason> {
    let Ok(about) = fs::metadata(path) else { return is_link.then_some(Reason::Dangling) };
    if about.is_dir() {
        is_link.then_some(Reason::Linked)
    } else if about.is_file() {
        Some(Reason::Extension(extension(path)))
    } else {
        Some(Reason::Special)
    }
}

/// Finds empty folders in a walk that visits the entries of a folder right after it.
#[derive(Default)]
pub(crate) struct EmptyFolders {
    /// The last folder and its depth, until one of its entries is visited.
    last: Option<(PathBuf, usize)>,
}

impl EmptyFolders {
    /// Takes the next entry of the walk; returns the previous folder if it was empty.
    pub(crate) fn next(&mut self, path: &Path, depth: usize, is_folder: bool) -> Option<PathBuf> {
        let empty = self.last.take().filter(|(_, last)| depth <= *last).map(|(path, _)| path);
        self.last = is_folder.then(|| (path.to_owned(), depth));
        empty
    }

    /// The last folder of the walk, if it was empty.
    pub(crate) fn end(self) -> Option<PathBuf> {
        self.last.map(|(path, _)| path)
    }
}

#[cfg(test)]
mod tests {
    use quipu_referee::Lang;

    use super::*;

    const CONTEXT: Context = Context::plain(Lang::En);

    #[test]
    fn kinds_are_counted_and_the_rest_together() {
        let mut all = SkippedFiles::default();
        for (number, count) in (0..300).zip((0..3).cycle()) {
            for _ in 0..=count {
                all.add("f", Reason::Extension(format!("x{number:03}")));
            }
        }
        assert!(all.counts.len() <= EXTENSIONS + 1, "memory is bounded");
        assert_eq!(all.first.len(), FEW);
        let kinds = all.kinds(CONTEXT);
        assert!(kinds.starts_with("3 .x002, 3 .x005, ") && kinds.ends_with(", 576 others"), "{kinds}");
        let counted: u64 = kinds.split(", ").filter_map(|kind| kind.split(' ').next()?.parse::<u64>().ok()).sum();
        assert_eq!(counted, 600, "{kinds}");
    }

    #[test]
    fn parts_add_up() {
        let mut all = SkippedFiles::default();
        for _ in 0..2 {
            let mut part = SkippedFiles::default();
            part.add("A.TXT", Reason::Extension(extension(Path::new("A.TXT"))));
            part.add_zip_entry("c.zip", "d.txt");
            part.add("b", Reason::Dangling);
            all += part;
        }
        assert_eq!(all.kinds(CONTEXT), "4 .txt, 2 behind dangling links");
        assert_eq!(all.first.len(), FEW);
    }

    #[test]
    fn folders_without_entries_are_found() {
        let walk = [("a", 0, true), ("a/b", 1, true), ("a/c", 1, true), ("a/c/d", 2, false), ("a/e", 1, true)];
        let mut folders = EmptyFolders::default();
        let mut found: Vec<_> = walk
            .iter()
            .filter_map(|(path, depth, is_folder)| folders.next(path.as_ref(), *depth, *is_folder))
            .collect();
        found.extend(folders.end());
        assert_eq!(found, ["a/b", "a/e"].map(PathBuf::from));
    }
}
