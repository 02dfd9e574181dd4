//! Which package may use which: what a lower layer must not know, its manifest does not name.

use std::collections::BTreeSet;

use quipu_tests_core::contract::document;

/// Each package with the packages of the project that it may use.
const LAYERS: [(&str, &[&str]); 14] = [
    ("notation", &[]),
    ("referee", &["notation"]),
    ("tournament", &["notation", "referee"]),
    ("api/options", &[]),
    ("api/files", &[]),
    ("api/archive", &["files", "notation", "options", "referee", "tournament"]),
    ("api/pictures", &["notation", "options", "referee", "tournament"]),
    ("api/ratings", &["archive", "notation"]),
    ("api/upload", &["notation"]),
    ("api/webhooks", &["archive", "referee"]),
    ("api/http", &["archive", "notation", "options", "pictures", "ratings", "referee", "tournament", "webhooks"]),
    ("api/python", &["notation", "pictures", "referee"]),
    ("editors/server", &["notation", "options", "referee"]),
    (
        "cli",
        &[
            "archive",
            "files",
            "http",
            "lsp",
            "notation",
            "options",
            "pictures",
            "ratings",
            "referee",
            "tournament",
            "upload",
        ],
    ),
];

/// Libraries that only these packages may use: SQL, HTTP, pictures, the terminal.
const ALONE: [(&str, &[&str]); 18] = [
    ("calamine", &["notation"]),
    ("rust_xlsxwriter", &["notation", "tournament"]),
    ("zip", &["notation"]),
    ("rusqlite", &["api/archive"]),
    ("tokio-postgres", &["api/archive"]),
    ("ed25519-dalek", &["api/archive"]),
    ("actix-web", &["api/http", "cli"]),
    ("governor", &["api/http"]),
    ("resvg", &["api/pictures"]),
    ("pdf-writer", &["api/pictures"]),
    ("gen-lsp-types", &["editors/server"]),
    ("pyo3", &["api/python"]),
    ("arrow-array", &["api/python"]),
    ("ratatui", &["cli"]),
    ("skillratings", &["api/ratings"]),
    ("rustls", &["api/archive", "api/upload", "api/webhooks"]),
    ("ureq", &["api/upload", "api/webhooks"]),
    ("clap", &["cli"]),
];

/// The dependencies that a manifest names for the package itself, not for its tests.
fn dependencies(package: &str) -> BTreeSet<String> {
    let manifest = document(&format!("{package}/Cargo.toml"));
    let mut found = BTreeSet::new();
    let mut is_own = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_own = line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("build-");
        } else if let Some((name, _)) = line.split_once(['.', ' ', '=']).filter(|_| is_own && !line.starts_with('#')) {
            found.insert(name.to_owned());
        }
    }
    assert!(package.starts_with("api/options") || package.starts_with("api/files") || !found.is_empty(), "{package}");
    found
}

#[test]
fn no_package_uses_one_above_it() {
    for (package, below) in LAYERS {
        for name in dependencies(package) {
            if let Some(own) = name.strip_prefix("quipu-") {
                assert!(below.contains(&own), "{package} must not use {name}");
            }
        }
    }
}

#[test]
fn each_kind_of_library_has_its_package() {
    for (library, packages) in ALONE {
        for (package, _) in LAYERS {
            let uses = dependencies(package).contains(library);
            assert_eq!(uses, packages.contains(&package), "{package} and {library}");
        }
    }
}
