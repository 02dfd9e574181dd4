//! Files and folders that a command skips: named with the reason if they are few, else counted by kind.

use std::{
    collections::BTreeMap,
    fs,
    ops::AddAssign,
    path::{Path, PathBuf},
};

use quipu_notation::record::Format;

use crate::context::{Context, ExitStatus, complain, harmless};

/// Extensions of compressed files, which are read.
pub(crate) const PACKED: [&str; 3] = ["gz", "zst", "zip"];
/// Files named with their reasons, at most; more are counted.
const FEW: usize = 5;
/// Extensions with a separate count, at most, so that memory is bounded.
const ENDINGS: usize = 100;
/// Kinds in the line of counts, at most.
const KINDS: usize = 8;

/// The reason that a file was passed over. The order is that of the line of counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The extension, in lower case and empty for none, belongs to no format, or not to the one that is read.
    Ending(String),
    /// The same for a file in a zip.
    Packed(String),
    /// Extensions beyond the first [`ENDINGS`].
    OtherEndings,
    /// JSON in a folder that does not begin with a record.
    OtherJson,
    /// An empty file.
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
pub(crate) struct PassedOver {
    /// The first ones.
    first: Vec<(String, Reason)>,
    counts: BTreeMap<Reason, u64>,
}

impl PassedOver {
    /// Adds a file. `name` is for people.
    pub(crate) fn add(&mut self, name: &str, reason: Reason) {
        self.count(&reason, 1);
        if self.first.len() < FEW {
            self.first.push((harmless(name), reason));
        }
    }

    /// Adds a file in a zip that is not read because of its extension.
    pub(crate) fn add_packed(&mut self, source: &str, file: &str) {
        self.add(&format!("{source}:{file}"), Reason::Packed(ending(Path::new(file))));
    }

    /// Adds a source that was read to its end and contained no record; `size` is the size of its file in bytes.
    pub(crate) fn add_without_record(&mut self, source: &str, size: Option<u64>) {
        self.add(source, if size == Some(0) { Reason::Empty } else { Reason::NoRecord });
    }

    fn count(&mut self, reason: &Reason, count: u64) {
        // The line of counts names an extension once, for files of folders and of a zip.
        let of_zip = if let Reason::Packed(ending) = reason { Some(Reason::Ending(ending.clone())) } else { None };
        let reason = of_zip.as_ref().unwrap_or(reason);
        let has_ending = |reason: &Reason| matches!(reason, Reason::Ending(_));
        let is_new_ending = has_ending(reason) && !self.counts.contains_key(reason);
        let endings = || self.counts.keys().filter(|reason| has_ending(reason)).count();
        let counted = if is_new_ending && endings() >= ENDINGS { &Reason::OtherEndings } else { reason };
        *self.counts.entry(counted.clone()).or_default() += count;
    }

    /// Reports the files on standard error; if there were no records, also that nothing was read. A failure has its own
    /// message and status. `format` is the only format that was read, if `--from` named one.
    pub(crate) fn tell(&self, context: Context, format: Option<Format>, records: u64, has_failed: bool) -> ExitStatus {
        let all: u64 = self.counts.values().sum();
        if all > self.first.len() as u64 {
            complain(context.fill("passed-over.many", &[("count", &all), ("kinds", &self.kinds(context))]));
        } else {
            for (file, reason) in &self.first {
                let reason = reason.sentence(context, format);
                complain(context.fill("passed-over.one", &[("file", file), ("reason", &reason)]));
            }
        }
        if records > 0 || has_failed {
            return ExitStatus::Clean;
        }
        complain(context.say("passed-over.nothing"));
        ExitStatus::Findings
    }

    /// The counts, the largest first.
    fn kinds(&self, context: Context) -> String {
        let others = self.counts.get(&Reason::OtherEndings).copied().unwrap_or_default();
        let mut counts: Vec<_> = self.counts.iter().filter(|(reason, _)| **reason != Reason::OtherEndings).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let (shown, rest) = counts.split_at(counts.len().min(KINDS));
        let mut kinds: Vec<_> = shown.iter().map(|(reason, count)| reason.counted(context, **count)).collect();
        let others = others + rest.iter().map(|(_, count)| **count).sum::<u64>();
        if others > 0 {
            kinds.push(Reason::OtherEndings.counted(context, others));
        }
        kinds.join(", ")
    }
}

impl AddAssign for PassedOver {
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
        let ending = match self {
            Self::Ending(ending) => ending,
            Self::Packed(ending) if ending.is_empty() => return context.say("passed-over.packed-no-ending").to_owned(),
            Self::Packed(ending) => {
                let (Some(format), true) = (format, is_known(ending)) else {
                    return context.fill("passed-over.packed", &[("ending", &harmless(ending))]);
                };
                return context.fill("passed-over.packed-other-format", &[("form", &format.as_str())]);
            }
            Self::OtherEndings => "",
            Self::OtherJson => return context.say("passed-over.other-json").to_owned(),
            Self::Empty => return context.say("passed-over.empty").to_owned(),
            Self::NoRecord => return context.say("passed-over.no-record").to_owned(),
            Self::Dangling => return context.say("passed-over.dangling").to_owned(),
            Self::Linked => return context.say("passed-over.linked").to_owned(),
            Self::Special => return context.say("passed-over.special").to_owned(),
            Self::EmptyFolder => return context.say("passed-over.empty-folder").to_owned(),
        };
        match (format, ending.is_empty()) {
            (Some(format), _) => context.fill("passed-over.other-format", &[("form", &format.as_str())]),
            (None, true) => context.say("passed-over.no-ending").to_owned(),
            (None, false) => context.fill("passed-over.ending", &[("ending", &harmless(ending))]),
        }
    }

    fn counted(&self, context: Context, count: u64) -> String {
        let key = match self {
            Self::Ending(ending) | Self::Packed(ending) if ending.is_empty() => "passed-over.count.no-ending",
            Self::Ending(ending) | Self::Packed(ending) => return format!("{count} .{}", harmless(ending)),
            Self::OtherEndings => "passed-over.count.others",
            Self::OtherJson => "passed-over.count.other-json",
            Self::Empty => "passed-over.count.empty",
            Self::NoRecord => "passed-over.count.no-record",
            Self::Dangling => "passed-over.count.dangling",
            Self::Linked => "passed-over.count.linked",
            Self::Special => "passed-over.count.special",
            Self::EmptyFolder => "passed-over.count.empty-folder",
        };
        context.fill(key, &[("count", &count)])
    }
}

/// True for the extension of a format, or of a compressed file.
fn is_known(ending: &str) -> bool {
    Format::of_ending(ending).is_some() || PACKED.contains(&ending)
}

/// The extension of a file name, in lower case.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The reason to skip an entry of a folder that is not a record file; none for a folder.
pub(crate) fn of_entry(path: &Path, is_link: bool) -> Option<Reason> {
    let Ok(about) = fs::metadata(path) else { return is_link.then_some(Reason::Dangling) };
    if about.is_dir() {
        is_link.then_some(Reason::Linked)
    } else if about.is_file() {
        Some(Reason::Ending(ending(path)))
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
        let mut all = PassedOver::default();
        for (number, count) in (0..300).zip((0..3).cycle()) {
            for _ in 0..=count {
                all.add("f", Reason::Ending(format!("x{number:03}")));
            }
        }
        assert!(all.counts.len() <= ENDINGS + 1, "memory is bounded");
        assert_eq!(all.first.len(), FEW);
        let kinds = all.kinds(CONTEXT);
        assert!(kinds.starts_with("3 .x002, 3 .x005, ") && kinds.ends_with(", 576 others"), "{kinds}");
        let counted: u64 = kinds.split(", ").filter_map(|kind| kind.split(' ').next()?.parse::<u64>().ok()).sum();
        assert_eq!(counted, 600, "{kinds}");
    }

    #[test]
    fn parts_add_up() {
        let mut all = PassedOver::default();
        for _ in 0..2 {
            let mut part = PassedOver::default();
            part.add("A.TXT", Reason::Ending(ending(Path::new("A.TXT"))));
            part.add_packed("c.zip", "d.txt");
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
