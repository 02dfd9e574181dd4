//! Places and owners of the files of an archive, and other things in their place: links, pipes, removed files, remaining files.
#![cfg(unix)]
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

use std::{
    fs::{self, File},
    os::unix::fs::{MetadataExt, chown, symlink},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use quipu_archive::store::{Store, StoreError};
use quipu_tests_service::{
    files_only,
    generator::Generator,
    program,
    spawned_server::{SpawnedServer, token},
};
use tempfile::tempdir;

use super::generate::{SampleRecord, filled, open};

const FILE: &str = "quipu.db";
/// A user who is not root on any system.
const SOMEBODY: u32 = 65_534;
/// Time limit for a command that has nothing to wait for.
const PATIENCE: Duration = Duration::from_secs(30);

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A log without a name goes with the program, so nothing more is acknowledged; what was, is put into the file at once.
#[test]
fn a_log_that_was_removed() {
    files_only!("it is about the places of files");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    for name in ["quipu.db-shm", "quipu.db-wal"] {
        fs::remove_file(folder.path().join(name)).expect("it is there");
        let more = SampleRecord { site: Some(name.to_owned()), ..SampleRecord::default() }.submission();
        let by = super::generate::by("test");
        let refused = store.write(move |writing| writing.add(&more, &by, false)).wait();
        assert!(
            matches!(&refused, Err(StoreError::Moved(path)) if path.ends_with(name) || name == "quipu.db-wal"),
            "{refused:?}"
        );
        assert!(matches!(store.check_ready(), Err(StoreError::Moved(_))));
    }
    let copy = tempdir().expect("a folder");
    fs::copy(folder.path().join(FILE), copy.path().join(FILE)).expect("a file");
    let copy = open(copy.path());
    assert_eq!(copy.read(|reading| reading.last_change()).expect("it answers"), 3);
    store.close().expect("the log is put away");
    let store = open(folder.path());
    assert_eq!(store.missing_log(), None);
    assert_eq!(store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked").records, 3);
}

#[test]
fn a_log_that_was_removed_under_the_service() {
    files_only!("it is about the places of files");
    let folder = tempdir().expect("a folder");
    let token = token(program::path(), folder.path());
    let served = SpawnedServer::start(program::path(), folder.path(), &[]);
    let generator = Generator::new();
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let submit = |served: &SpawnedServer, number| {
        let post = agent.post(format!("http://{}/v1/records", served.address));
        let post = post.header("Authorization", format!("Bearer {token}")).header("Content-Type", "text/plain");
        post.send(generator.record(number)).expect("an answer").status().as_u16()
    };
    assert_eq!(submit(&served, 0), 201);
    fs::remove_file(folder.path().join("quipu.db-wal")).expect("it is there");
    assert_eq!(submit(&served, 1), 500);
    served.kill();
    let store = Store::open_existing(folder.path()).expect("an archive");
    assert_eq!(store.check(|_| (), |_| ()).expect("checked").records, 1, "what was acknowledged is there");
}

/// All that root makes in the folder of somebody else is theirs.
#[test]
fn files_of_root_belong_to_the_owner_of_the_folder() {
    files_only!("it is about the places of files");
    let folder = tempdir().expect("a folder");
    let [data, copies] = ["data", "copies"].map(|name| folder.path().join(name));
    fs::create_dir(&copies).expect("a folder");
    if chown(folder.path(), Some(SOMEBODY), Some(SOMEBODY)).is_err() {
        eprintln!("not root: whose files are is not tested");
        return;
    }
    chown(&copies, Some(SOMEBODY), Some(SOMEBODY)).expect("root may");
    let data = data.join("deep");
    let all_theirs = |folder: &Path, command: &[&str]| {
        for file in fs::read_dir(folder).expect("a folder") {
            let file = file.expect("a file");
            let about = file.metadata().expect("it is there");
            assert_eq!((about.uid(), about.gid()), (SOMEBODY, SOMEBODY), "{:?} by {command:?}", file.path());
        }
    };
    let copy = copies.join("copy.db");
    for command in [
        &["token", "add", "--name", "Club", "--scope", "records:write"][..],
        &["archive", "rotate-key"],
        &["archive", "check"],
        &["archive", "backup", text(&copy)],
    ] {
        let run = program::run(&[command, &["--data", text(&data)]].concat());
        assert_eq!(run.status, Some(0), "{command:?}: {}", run.stderr);
        for folder in [folder.path(), &data, &copies] {
            all_theirs(folder, command);
        }
    }
    let served = SpawnedServer::start(program::path(), &data, &[]);
    let imported = program::run_with(
        &["archive", "import", "-", "--data", text(&data)],
        SampleRecord::default().text().as_bytes(),
    );
    assert_eq!(imported.status, Some(0), "{}", imported.stderr);
    all_theirs(&data, &["serve"]);
    assert_eq!(served.stop("TERM").0.code(), Some(0));
    all_theirs(&data, &["serve"]);
    for name in [FILE, "quipu.lock", "quipu.key", "quipu.head"] {
        assert!(data.join(name).exists(), "{name}");
    }
}

#[test]
fn one_serves_an_archive_whatever_leads_to_it() {
    files_only!("it is about the places of files");
    let [one, two, three] = [0; 3].map(|_| tempdir().expect("a folder"));
    drop(filled(one.path(), 2));
    symlink(one.path().join(FILE), two.path().join(FILE)).expect("a link");
    let stores = [open(one.path()), open(two.path())];
    for [first, second] in [[0, 1], [1, 0]] {
        let lock = stores[first].serve_lock().expect("nobody serves");
        assert!(matches!(stores[second].serve_lock(), Err(StoreError::InUse(_))));
        drop(lock);
    }
    drop(stores);
    // By another name of the file itself there would be another log.
    fs::hard_link(one.path().join(FILE), three.path().join(FILE)).expect("a link");
    for folder in [&one, &two, &three] {
        assert!(matches!(Store::open(folder.path()), Err(StoreError::HardLinked(_))));
    }
    fs::remove_file(three.path().join(FILE)).expect("it is there");
    assert_eq!(open(one.path()).read(|reading| reading.last_change()).expect("it answers"), 2);
}

#[test]
fn parts_of_killed_backups_are_removed_after_a_day() {
    files_only!("it is about the places of files");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 2);
    let copies = tempdir().expect("a folder");
    let left = |name: &str, hours: u64| {
        let file = File::create(copies.path().join(name)).expect("a file");
        file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3_600)).expect("ours");
    };
    let gone = [".copy.db.0123456789abcdef.part", ".copy.db.0123456789abcdef.part-wal"];
    let stays = [
        ".copy.db.1123456789abcdef.part",
        ".other.db.0123456789abcdef.part",
        ".copy.db.short.part",
        "copy.db.0123456789abcdef.part",
    ];
    for name in gone {
        left(name, 25);
    }
    left(stays[0], 23);
    for name in &stays[1..] {
        left(name, 2_500);
    }
    store.backup(&copies.path().join("copy.db"), |_| ()).expect("a copy");
    let mut files: Vec<_> =
        fs::read_dir(copies.path()).expect("a folder").map(|file| file.expect("a file").file_name()).collect();
    files.sort();
    let mut expected: Vec<_> = stays.iter().copied().chain(["copy.db"]).collect();
    expected.sort_unstable();
    assert_eq!(files, expected);
}

/// Runs a command that has nothing to wait for; says its status.
#[track_caller]
fn ended(command: &[&str]) -> Option<i32> {
    let mut child = program::command(command);
    let mut child = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("quipu runs");
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            return status.code();
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().and_then(|()| child.wait()).expect("it can be ended");
    panic!("{command:?} waits for ever");
}

/// A pipe in the place of a file keeps nobody waiting.
#[test]
fn a_pipe_in_the_place_of_a_file() {
    files_only!("it is about the places of files");
    let folder = tempdir().expect("a folder");
    drop(filled(folder.path(), 2));
    let data = text(folder.path());
    assert_eq!(ended(&["archive", "rotate-key", "--data", data]), Some(0));
    let pipe = |path: &Path| {
        drop(fs::remove_file(path));
        assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|made| made.success()), "a pipe");
    };
    let copy = folder.path().join("copy.db");
    pipe(&copy);
    assert_eq!(ended(&["archive", "backup", "--force", text(&copy), "--data", data]), Some(3));
    assert_eq!(ended(&["archive", "check", "--data", text(&copy)]), Some(3), "in the place of the folder");
    for (name, command, status) in [
        ("quipu.lock", &["archive", "rotate-key"][..], 3),
        ("quipu.key", &["archive", "rotate-key"], 3),
        ("quipu.head", &["archive", "rotate-key"], 3),
        ("quipu.head", &["archive", "check"], 1),
        ("quipu.room", &["archive", "check"], 0),
        ("quipu.db-wal", &["archive", "check"], 3),
        ("quipu.db-shm", &["archive", "export"], 3),
        ("quipu.db-journal", &["archive", "check"], 3),
        ("quipu.db", &["archive", "check"], 3),
        ("quipu.db", &["token", "add", "--name", "x", "--scope", "records:write"], 3),
        ("quipu.db", &["serve", "--listen", "127.0.0.1:0"], 3),
    ] {
        let path = folder.path().join(name);
        let before = fs::read(&path).ok();
        pipe(&path);
        assert_eq!(ended(&[command, &["--data", data]].concat()), Some(status), "{name}: {command:?}");
        fs::remove_file(&path).expect("it is there");
        if let Some(before) = before {
            fs::write(&path, before).expect("ours");
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(&path, private).expect("ours");
        }
    }
    assert_eq!(ended(&["archive", "check", "--data", data]), Some(0));
}
