//! The file of an archive: what can be opened and what cannot, copies, and who serves it.
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

use std::{
    fs, io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use quipu_archive::store::{Digest, Store, StoreError};
use quipu_tests_service::{engine, files_only};
use rusqlite::Connection;
use tempfile::tempdir;

use super::generate::{SampleRecord, add, filled, open};

const FILE: &str = "quipu.db";

fn digest(store: &Store) -> Digest {
    store.read(|reading| reading.digest()).expect("a digest")
}

/// Does something to the file of an archive behind its back.
fn spoil(folder: &Path, sql: &str) {
    let file = Connection::open(folder.join(FILE)).expect("a file");
    file.execute_batch(sql).expect("SQL");
}

/// Checks that a folder is not opened, in whatever way, and why.
#[track_caller]
fn refused(folder: &Path, is_it: impl Fn(&StoreError) -> bool) {
    for opened in [Store::open(folder), Store::open_existing(folder)] {
        let error = opened.err().expect("it is refused");
        assert!(is_it(&error), "{error:?}");
    }
}

#[test]
fn an_archive_is_made_where_there_is_none() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    let deep = folder.path().join("a/b");
    assert!(matches!(Store::open_existing(&deep), Err(StoreError::Missing(path)) if path == deep));
    assert!(!deep.exists(), "who only reads makes nothing");
    fs::create_dir_all(&deep).expect("a folder");
    assert!(matches!(Store::open_existing(&deep), Err(StoreError::Missing(_))));
    assert_eq!(fs::read_dir(&deep).expect("a folder").count(), 0);
    drop(open(&deep));
    assert!(Store::open_existing(&deep).is_ok());
}

#[test]
fn an_empty_file_is_taken() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join(FILE), "").expect("a file");
    assert!(matches!(Store::open_existing(folder.path()), Err(StoreError::Missing(_))));
    add(&open(folder.path()), &SampleRecord::default().submission());
    assert!(Store::open_existing(folder.path()).is_ok());
}

#[test]
fn an_archive_of_a_later_version_is_refused() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    drop(filled(folder.path(), 2));
    let newest = engine::number(folder.path(), "PRAGMA user_version");
    spoil(folder.path(), "PRAGMA user_version = 99");
    refused(folder.path(), |error| matches!(error, StoreError::Newer(99, known) if *known == newest));
    spoil(folder.path(), "PRAGMA user_version = 0");
    refused(folder.path(), |error| matches!(error, StoreError::Foreign(_)));
    spoil(folder.path(), &format!("PRAGMA user_version = {newest}"));
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn files_that_are_not_archives_are_refused_and_left_alone() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    spoil(folder.path(), "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)");
    let before = fs::read(folder.path().join(FILE)).expect("a file");
    refused(folder.path(), |error| matches!(error, StoreError::Foreign(path) if path.ends_with(FILE)));
    assert_eq!(fs::read(folder.path().join(FILE)).expect("a file"), before);
    // SQLite takes a file of one byte for an empty one.
    for text in ["xy", &"Querido diario. ".repeat(100)] {
        fs::write(folder.path().join(FILE), text).expect("a file");
        refused(folder.path(), |error| matches!(error, StoreError::Foreign(_)));
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).expect("a file"), text);
    }
}

/// Tools that copy a file of SQLite may leave it in another mode, in which who writes keeps all others waiting.
#[test]
fn the_log_is_there_whatever_others_did() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    drop(filled(folder.path(), 2));
    spoil(folder.path(), "PRAGMA journal_mode = delete");
    let (_store, file) = (Store::open(folder.path()).expect("an archive"), Connection::open(folder.path().join(FILE)));
    let mode = file.expect("a file").pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0));
    assert_eq!(mode.expect("a mode"), "wal");
}

/// SQLite knows addresses that begin like this.
#[test]
fn a_folder_with_a_strange_name() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    let strange = folder.path().join("file:x?mode=ro");
    drop(filled(&strange, 2));
    assert!(strange.join(FILE).is_file());
}

#[test]
fn an_archive_that_cannot_be_opened_has_its_reason() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    let kind = |error: &StoreError| if let StoreError::File(_, error) = error { Some(error.kind()) } else { None };
    fs::create_dir(folder.path().join(FILE)).expect("a folder");
    let error = Store::open(folder.path()).err().expect("it is refused");
    assert_eq!(kind(&error), Some(io::ErrorKind::IsADirectory), "{error}");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("a file");
    for folder in [file.clone(), file.join("deeper")] {
        let error = Store::open(&folder).err().expect("it is refused");
        assert!(kind(&error).is_some(), "{error:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;

    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).expect("a folder");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).expect("ours");
    // Root is refused nothing.
    if fs::write(closed.join("probe"), "").is_ok() {
        return;
    }
    for folder in [closed.clone(), closed.join("deeper")] {
        match Store::open(&folder) {
            Err(StoreError::File(_, error)) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
            other => panic!("{:?}", other.err()),
        }
    }
}

#[test]
fn one_serves_at_a_time() {
    files_only!("several services may share a server");
    let folder = tempdir().expect("a folder");
    let stores = [open(folder.path()), open(folder.path())];
    let lock = stores[0].serve_lock().expect("nobody serves");
    let error = stores[1].serve_lock().expect_err("somebody serves");
    assert!(matches!(error, StoreError::InUse(path) if path.ends_with("quipu.lock")));
    // Others go on working with it.
    add(&stores[1], &SampleRecord::default().submission());
    drop(lock);
    assert!(stores[1].serve_lock().is_ok());
}

#[test]
fn a_copy_is_the_archive_of_one_moment() {
    files_only!("a server has backups of its own");
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 30);
    let target = folder.path().join("copies").join("quipu.copy");
    let missing = store.backup(&target, |_| ()).expect_err("the folder is missing");
    assert!(matches!(&missing, StoreError::File(_, error) if error.kind() == io::ErrorKind::NotFound), "{missing:?}");
    fs::create_dir(folder.path().join("copies")).expect("a folder");
    let mut told = Vec::new();
    let copied = store.backup(&target, |progress| told.push(progress)).expect("a copy");
    let file = fs::metadata(&target).expect("a file");
    assert_eq!((copied.last, copied.records, copied.bytes), (30, 30, file.len()));
    #[cfg(unix)]
    for file in [file, fs::metadata(store.path()).expect("a file")] {
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.permissions());
        assert_eq!(mode & 0o777, 0o600, "hashes of tokens are in it");
    }
    assert!(told.iter().all(|progress| progress.done <= progress.all));
    assert_eq!(fs::read_dir(folder.path().join("copies")).expect("a folder").count(), 1, "nothing else is left");
    // A later record is in the next copy, which replaces this one.
    let before = digest(&store);
    let later = SampleRecord { site: Some("después".to_owned()), ..SampleRecord::default() }.submission();
    add(&store, &later);
    let restored = tempdir().expect("a folder");
    fs::copy(&target, restored.path().join(FILE)).expect("a file");
    let restored = Store::open_existing(restored.path()).expect("an archive");
    assert_eq!(digest(&restored), before);
    for id in &ids {
        let source = |store: &Store| store.read(|reading| reading.source(id)).expect("it answers");
        assert_eq!(source(&restored), source(&store));
    }
    assert_eq!(restored.check(|_| (), |fault| panic!("{fault:?}")).expect("checked").records, 30);
    assert_eq!(store.backup(&target, |_| ()).expect("a copy").last, 31);
}

/// The file of a closed archive is the whole archive.
#[test]
fn a_closed_archive_is_one_file() {
    files_only!("it is about the file");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 30);
    store.read(|reading| reading.last_change()).expect("it answers");
    drop(store);
    let files = fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").file_name());
    assert_eq!(files.collect::<Vec<_>>(), [FILE]);
}

#[test]
fn copies_are_made_while_others_write() {
    files_only!("a server has backups of its own");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 30);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut index = 0;
            while !done.load(Ordering::Relaxed) {
                add(&store, &SampleRecord { site: Some(format!("n{index}")), ..SampleRecord::default() }.submission());
                index += 1;
            }
        });
        let mut last = 0;
        for round in 0..5 {
            let copies = tempdir().expect("a folder");
            let made = store.backup(&copies.path().join(FILE), |_| ()).expect("a copy");
            let copy = Store::open_existing(copies.path()).expect("an archive");
            let result = copy.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
            assert_eq!(result.records, u64::try_from(made.last).expect("a number"));
            assert!(made.last > last || round == 0, "the others go on");
            last = made.last;
        }
        // And so is checking.
        store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_copy_takes_the_place_of_nothing_else() {
    files_only!("a server has backups of its own");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 2);
    for name in ["quipu.db", "quipu.db-wal", "quipu.db-shm"] {
        let error = store.backup(&folder.path().join(name), |_| ()).expect_err("it is the archive");
        assert!(matches!(error, StoreError::SameFile(_)), "{error:?}");
    }
    let other = folder.path().join("notes.txt");
    fs::write(&other, "Querido diario").expect("a file");
    let error = store.backup(&other, |_| ()).expect_err("it is something else");
    assert!(matches!(error, StoreError::Foreign(_)), "{error:?}");
    assert_eq!(fs::read_to_string(&other).expect("a file"), "Querido diario");
    assert!(store.backup(folder.path(), |_| ()).is_err(), "a folder");
    assert!(store.backup(Path::new("/"), |_| ()).is_err(), "no name");
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join(FILE), &link).expect("a link");
        assert!(matches!(store.backup(&link, |_| ()), Err(StoreError::SameFile(_))));
    }
    assert_eq!(store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked").records, 2);
}
