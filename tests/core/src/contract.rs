//! Checks that walk a table, and the files of the project that they look at.

use std::{collections::BTreeSet, fs, path::Path};

use crate::root;

/// Fails with all that is missing, if anything is.
#[track_caller]
pub fn nothing<T: std::fmt::Debug>(missing: impl IntoIterator<Item = T>, what: &str) {
    let missing: Vec<_> = missing.into_iter().collect();
    assert!(missing.is_empty(), "{what}: {missing:#?}");
}

/// The names of the placeholders of a template.
pub fn placeholders(template: &str) -> BTreeSet<&str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// A document of the project.
#[track_caller]
pub fn document(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file and folder of the project, as seen from its root; what is built is left out.
pub fn project() -> BTreeSet<String> {
    fn walk(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("it is there") {
            let path = entry.expect("it is listed").path();
            let name = path.strip_prefix(root()).expect("it is under the root").to_string_lossy().replace('\\', "/");
            if name == "target" || name == ".git" {
                continue;
            }
            if path.is_dir() {
                walk(&path, found);
            }
            found.insert(name);
        }
    }
    let mut found = BTreeSet::new();
    walk(&root(), &mut found);
    found
}

/// The sources of a crate, one after the other.
pub fn sources(folder: &Path) -> String {
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is listed").path()).collect();
    entries.sort();
    let read = |path: &std::path::PathBuf| match path.extension() {
        _ if path.is_dir() => sources(path),
        Some(extension) if extension == "rs" => fs::read_to_string(path).expect("it is UTF-8"),
        _ => String::new(),
    };
    entries.iter().map(read).collect()
}
