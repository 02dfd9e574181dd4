//! The end of a service, a store, a command: all is in the file then, whatever was asked before and however it ended. And a
//! file that was copied without its log is known by its header.
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    panic::{AssertUnwindSafe, catch_unwind, panic_any},
    path::Path,
    process::Command,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use quipu_archive::store::{ArchiveFault, Store, StoreError};
use quipu_tests_service::{
    files_only,
    generator::Generator,
    program,
    server::Server,
    spawned_server::{SpawnedServer, token},
};
use tempfile::{TempDir, tempdir};

use super::generate::{SampleRecord, add, filled, open};

const FILE: &str = "quipu.db";
const LOG: &str = "quipu.db-wal";

fn site(name: &str) -> SampleRecord {
    SampleRecord { site: Some(name.to_owned()), ..SampleRecord::default() }
}

fn ask(store: &Store) -> Result<i64, StoreError> {
    store.read(|reading| reading.last_change())
}

/// The file of an archive alone, in a folder of its own.
fn copied(folder: &Path) -> TempDir {
    let copy = tempdir().expect("a folder");
    fs::copy(folder.join(FILE), copy.path().join(FILE)).expect("a file");
    copy
}

/// Checks that the file is the whole archive, and returns the number of its records.
#[track_caller]
fn is_one_file(folder: &Path) -> u64 {
    for ending in ["-wal", "-shm", "-journal"] {
        assert!(!folder.join(format!("{FILE}{ending}")).exists(), "{ending}");
    }
    let copy = copied(folder);
    let store = Store::open_existing(copy.path()).expect("an archive");
    assert_eq!(store.missing_log(), None);
    store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked").records
}

/// A client that has an answer begin, and reads no more of it.
fn connected(served: &SpawnedServer, request: &str) -> TcpStream {
    let mut client = TcpStream::connect(&served.address).expect("it listens");
    client.write_all(request.as_bytes()).expect("it reads");
    if !request.starts_with("POST") {
        client.read_exact(&mut [0; 12]).expect("it answers");
    }
    client
}

/// Has a service store records, then do `more`, and stops it by a signal.
#[track_caller]
fn stopped<T>(signal: &str, more: impl FnOnce(&SpawnedServer, &str) -> T) {
    let folder = tempdir().expect("a folder");
    let token = token(program::path(), folder.path());
    let served = SpawnedServer::start(program::path(), folder.path(), &["--shutdown-timeout", "1s"]);
    let (post, authorization) = (format!("http://{}/v1/records", served.address), format!("Bearer {token}"));
    let generator = Generator::new();
    for number in 0..3 {
        let post = ureq::post(&post).header("Authorization", &authorization).header("Content-Type", "text/plain");
        assert_eq!(post.send(generator.record(number)).expect("an answer").status(), 201);
    }
    let held = more(&served, &token);
    assert!(fs::metadata(folder.path().join(LOG)).is_ok_and(|log| log.len() > 0), "the log is where it came to be");
    let (status, said) = served.stop(signal);
    assert_eq!(status.code(), Some(0), "{said}");
    assert_eq!(is_one_file(folder.path()), 3);
    drop(held);
}

#[test]
fn a_service_leaves_one_file() {
    files_only!("it is about the write-ahead log of a file");
    stopped("TERM", |_, _| ());
    for signal in ["TERM", "INT"] {
        stopped(signal, |served, token| {
            for path in ["/", "/v1/records", "/v1/export", "/readyz", "/metrics", "/v1/log", "/v1/players?q=a"] {
                let response = ureq::get(format!("http://{}{path}", served.address)).call().expect("an answer");
                assert_eq!(response.status(), 200, "{path}");
            }
            let command = program::run(&["archive", "check", "--data", served.data()]);
            assert_eq!(command.status, Some(0), "{}", command.stderr);
            let head = format!("HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
            [
                format!("GET /v1/feed {head}Accept: text/event-stream\r\n\r\n"),
                format!("GET /v1/export {head}\r\n"),
                format!("GET /v1/records {head}\r\n"),
                format!("POST /v1/records {head}Content-Type: text/plain\r\nContent-Length: 100000\r\n\r\n[Game"),
                format!(
                    "POST /v1/verify {head}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[Game"
                ),
            ]
            .map(|request| connected(served, &request))
        });
    }
}

/// A client that still writes during shutdown was acknowledged every record of the file, and no other.
#[test]
fn a_service_that_is_written_to_leaves_one_file() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let token = token(program::path(), folder.path());
    let served = SpawnedServer::start(program::path(), folder.path(), &["--shutdown-timeout", "5s"]);
    let (post, authorization) = (format!("http://{}/v1/records", served.address), format!("Bearer {token}"));
    let (generator, done) = (Generator::new(), AtomicBool::new(false));
    let stored = thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (generator, post, authorization, done) = (&generator, &post, &authorization, &done);
                scope.spawn(move || {
                    let mut stored = 0;
                    for number in 0.. {
                        let text = generator.record(writer * 1_000_000 + number);
                        let post = ureq::post(post).header("Authorization", authorization);
                        match post.header("Content-Type", "text/plain").send(text) {
                            Ok(response) if response.status() == 201 => stored += 1,
                            _ if done.load(Ordering::Relaxed) => break,
                            other => panic!("{other:?}"),
                        }
                    }
                    stored
                })
            })
            .collect();
        thread::sleep(Duration::from_millis(500));
        done.store(true, Ordering::Relaxed);
        let (status, said) = served.stop("TERM");
        assert_eq!(status.code(), Some(0), "{said}");
        writers.into_iter().map(|writer| writer.join().expect("it ends")).sum::<u64>()
    });
    let records = is_one_file(folder.path());
    assert!((stored..=stored + 4).contains(&records) && stored > 0, "{records} of {stored}");
}

#[test]
fn commands_leave_one_file() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let data = folder.path().to_str().expect("UTF-8");
    let records =
        program::run_with(&["archive", "import", "-", "--data", data], SampleRecord::default().text().as_bytes());
    assert_eq!(records.status, Some(0), "{}", records.stderr);
    assert_eq!(is_one_file(folder.path()), 1);
    let backup = folder.path().join("copy.db");
    let backup = backup.to_str().expect("UTF-8");
    for command in [
        &["token", "add", "--name", "Club", "--scope", "records:write"][..],
        &["token", "list"],
        &["archive", "check"],
        &["archive", "rebuild"],
        &["archive", "reverify", "--all"],
        &["archive", "export"],
        &["archive", "rotate-key"],
        &["archive", "backup", backup],
    ] {
        let run = program::run(&[command, &["--data", data]].concat());
        assert_eq!(run.status, Some(0), "{command:?}: {}", run.stderr);
        assert_eq!(is_one_file(folder.path()), 1, "{command:?}");
    }
}

#[test]
fn a_closed_store_leaves_one_file_whoever_holds_it() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 30);
    store.version();
    store.check_ready().expect("it is ready");
    // A question that panics, and one that takes its time.
    assert!(
        catch_unwind(AssertUnwindSafe(|| store.read(|_| -> Result<(), StoreError> { panic!("in a handler") })))
            .is_err()
    );
    let (begun, begins) = mpsc::channel();
    let (slow, other) = (store.clone(), store.clone());
    let slow = thread::spawn(move || {
        slow.read(|reading| {
            reading.last_change()?;
            begun.send(()).expect("it is waited for");
            thread::sleep(Duration::from_millis(300));
            // By now it may be broken off.
            reading.digest()
        })
    });
    begins.recv().expect("it begins");
    store.close().expect("the log is put away");
    assert_eq!(is_one_file(folder.path()), 30);
    assert!(matches!(slow.join().expect("it ends"), Ok(_) | Err(StoreError::Slow)));
    assert!(matches!(ask(&other), Err(StoreError::Stopped)));
    let written = other.write(|_| Ok::<_, StoreError>(())).wait();
    assert!(matches!(written, Err(StoreError::Stopped)));
    assert!(matches!(other.check_ready(), Err(StoreError::Stopped)));
    other.version();
    assert!(matches!(other.check(|_| (), |_| ()), Err(StoreError::Stopped)));
    assert_eq!(is_one_file(folder.path()), 30);
}

#[test]
fn of_several_stores_the_last_leaves_one_file() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let stores = [filled(folder.path(), 3).0, open(folder.path()), open(folder.path())];
    for store in &stores {
        assert_eq!(ask(store).expect("it answers"), 3);
    }
    let [one, two, three] = stores;
    drop(two);
    assert!(folder.path().join(LOG).exists());
    add(&one, &site("una").submission());
    let ends = [one, three].map(|store| thread::spawn(move || drop(store)));
    for end in ends {
        end.join().expect("it ends");
    }
    assert_eq!(is_one_file(folder.path()), 4);
}

/// A log that another program reads at the time cannot be checkpointed by the service; this is reported, and the log
/// stays.
#[test]
fn a_log_that_another_holds_is_said() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    let _lock = store.serve_lock().expect("nobody serves");
    let (other, (begun, begins), (end, ends)) = (open(folder.path()), mpsc::channel(), mpsc::channel::<()>());
    let reads = thread::spawn(move || {
        other.read(|reading| {
            let last = reading.last_change()?;
            begun.send(()).expect("it is waited for");
            let _ = ends.recv();
            Ok::<_, StoreError>(last)
        })
    });
    begins.recv().expect("it begins");
    add(&store, &site("una").submission());
    assert!(matches!(store.close(), Err(StoreError::LogNotMerged(path)) if path.ends_with(LOG)));
    drop(end);
    assert_eq!(reads.join().expect("it ends").expect("it answers"), 3);
    let store = open(folder.path());
    assert_eq!((ask(&store).expect("it answers"), store.missing_log()), (4, None));
    drop(store);
    assert_eq!(is_one_file(folder.path()), 4);
}

#[test]
fn a_file_without_its_log_is_found() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    store.close().expect("closed");
    let store = open(folder.path());
    assert_eq!(store.missing_log(), None);
    add(&store, &site("una").submission());
    let copy = copied(folder.path());
    let log = copy.path().canonicalize().expect("a folder").join(LOG);
    // Looking changes nothing of it.
    for _ in 0..2 {
        let bare = Store::open_existing(copy.path()).expect("an archive");
        assert_eq!(ask(&bare).expect("it answers"), 3, "the last is in the log");
        let mut faults = Vec::new();
        bare.check(|_| (), |fault| faults.push(fault)).expect("checked");
        assert_eq!(faults, [ArchiveFault::Log(log.clone())]);
    }
    let checked = program::run(&["archive", "check", "--lang", "en", "--data", copy.path().to_str().expect("UTF-8")]);
    assert!(checked.status == Some(1) && checked.stdout.contains("is missing"), "{checked:?}");
    // A copy that is written to is an archive of its own.
    let bare = open(copy.path());
    add(&bare, &site("otra").submission());
    drop(bare);
    assert_eq!(is_one_file(copy.path()), 4);
    // With its log, as after a crash, nothing is missing; nor in a copy that was made as one.
    let both = copied(folder.path());
    fs::copy(folder.path().join(LOG), both.path().join(LOG)).expect("a file");
    let both = Store::open_existing(both.path()).expect("an archive");
    assert_eq!((ask(&both).expect("it answers"), both.missing_log()), (4, None));
    let backup = tempdir().expect("a folder");
    store.backup(&backup.path().join(FILE), |_| ()).expect("a copy");
    assert_eq!(is_one_file(backup.path()), 4);
}

/// A program that is killed while it closes the archive, after the log was removed and before the header says so.
#[test]
fn a_file_whose_log_was_moved_into_it_lacks_none() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    store.close().expect("closed");
    let (file, note) = (folder.path().join(FILE), folder.path().join("quipu.db-checkpointed"));
    assert!(!note.exists(), "it is removed with the log");
    let mut bytes = fs::read(&file).expect("a file");
    bytes[18..20].copy_from_slice(&[2, 2]);
    fs::write(&file, &bytes).expect("written");
    let log = folder.path().canonicalize().expect("a folder").join(LOG);
    let missing = || Store::open_existing(folder.path()).expect("an archive").missing_log().map(Path::to_owned);
    assert_eq!(missing(), Some(log.clone()));
    let state = |length: u64| {
        let changed = fs::metadata(&file).expect("a file").modified().expect("a time");
        format!("{length} {}\n", changed.duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_nanos())
    };
    fs::write(&note, state(bytes.len() as u64 + 4096)).expect("written");
    assert_eq!(missing(), Some(log), "a note of another file");
    assert!(!note.exists());
    fs::write(&note, state(bytes.len() as u64)).expect("written");
    assert_eq!(missing(), None);
    assert!(!note.exists());
    assert_eq!(is_one_file(folder.path()), 3);
}

/// Kills a command at each system call by which it creates, changes or removes a file of an archive. No such moment leaves a
/// file whose log seems to be missing, nor a note for good.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_is_killed_leaves_an_archive_that_lacks_nothing() {
    // SQLite and the standard library use one or the other of them, by architecture.
    const CALLS: [&str; 8] = ["openat", "?unlink", "unlinkat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate"];
    const FILES: [&str; 4] = [FILE, LOG, "quipu.db-journal", "quipu.db-checkpointed"];
    files_only!("it is about the write-ahead log of a file");
    if !Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets no program intercept the system calls of another");
        return;
    }
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    // The opening of an archive with a log changes no header, so that these moments are those of the closing.
    let with_log = copied(folder.path());
    fs::copy(folder.path().join(LOG), with_log.path().join(LOG)).expect("a file");
    store.close().expect("closed");
    let mut moments = [0; 2];
    for (phase, origin) in [folder.path(), with_log.path()].into_iter().enumerate() {
        for (file, call) in FILES.iter().flat_map(|file| CALLS.map(|call| (file, call))) {
            for moment in 1.. {
                let copy = tempdir().expect("a folder");
                for part in [FILE, LOG].iter().filter(|part| origin.join(part).exists()) {
                    fs::copy(origin.join(part), copy.path().join(part)).expect("a file");
                }
                let killed = Command::new("strace")
                    .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e"])
                    .arg(format!("inject={call}:signal=KILL:when={moment}"))
                    .arg("-P")
                    .arg(copy.path().join(file))
                    .arg(program::path())
                    .args(["archive", "list", "--data"])
                    .arg(copy.path())
                    .output()
                    .expect("it runs");
                let store = Store::open_existing(copy.path()).expect("an archive");
                assert_eq!(store.missing_log(), None, "killed at {call} {moment} of {file} in phase {phase}");
                store.close().expect("closed");
                assert!(!copy.path().join(FILES[3]).exists(), "killed at {call} {moment} of {file} in phase {phase}");
                assert_eq!(is_one_file(copy.path()), 3, "killed at {call} {moment} of {file} in phase {phase}");
                if killed.status.success() {
                    break;
                }
                let signal = std::os::unix::process::ExitStatusExt::signal(&killed.status);
                assert_eq!(signal, Some(9), "{call}: {}", String::from_utf8_lossy(&killed.stderr));
                moments[phase] += 1;
            }
        }
    }
    assert!(moments.iter().all(|&moments| moments > 20), "it was killed {moments:?} times only");
}

/// A program that ends between the removal of the log and the change of the header: here it cannot write its journal.
#[test]
fn a_header_that_cannot_be_changed_leaves_no_false_mark() {
    files_only!("it is about the write-ahead log of a file");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    let journal = folder.path().join("quipu.db-journal");
    fs::create_dir(&journal).expect("a folder");
    assert!(store.close().is_err(), "the header cannot be changed");
    fs::remove_dir(&journal).expect("it is empty");
    assert!(!folder.path().join(LOG).exists(), "the log is gone");
    assert_eq!(fs::read(folder.path().join(FILE)).expect("a file")[18..20], [2, 2], "and the header says there is one");
    let store = Store::open_existing(folder.path()).expect("an archive");
    assert_eq!((ask(&store).expect("it answers"), store.missing_log()), (3, None));
    drop(store);
    assert_eq!(is_one_file(folder.path()), 3);
}

/// A panic whose remains panic when they are thrown away, so often.
struct Bomb(u8);

impl Drop for Bomb {
    fn drop(&mut self) {
        if let Some(left) = self.0.checked_sub(1) {
            panic_any(Bomb(left));
        }
    }
}

#[test]
fn a_panic_in_the_writer_is_a_failure_and_no_end() {
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    for bomb in [0, 1] {
        let failed = store.write(move |_| -> Result<(), StoreError> { panic_any(Bomb(bomb)) }).wait();
        assert!(matches!(failed, Err(StoreError::Other(_))), "{failed:?}");
        store.check_ready().expect("it goes on");
    }
    store.observe(Box::new(|_, _| panic!("in who counts")));
    add(&store, &site("una").submission());
    add(&store, &site("otra").submission());
    store.check_ready().expect("it goes on");
    store.close().expect("closed");
    assert_eq!(ask(&open(folder.path())).expect("it reads"), 5);
    files_only!("the rest is about the write-ahead log of a file");
    assert_eq!(is_one_file(folder.path()), 5);
}

/// A writer that has ended all the same is not ready, and ends the service, which says why.
#[test]
fn a_writer_that_ends_is_noticed() {
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    assert_eq!(ask(&store).expect("it reads"), 3);
    let failed = store.write(|_| -> Result<(), StoreError> { panic_any(Bomb(2)) }).wait();
    assert!(matches!(failed, Err(StoreError::Stopped)), "{failed:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(store.ended());
    assert!(matches!(store.check_ready(), Err(StoreError::Stopped)));
    assert_eq!(ask(&store).expect("it reads"), 3);
    assert!(matches!(store.close(), Err(StoreError::Stopped)));
    // The log is part of the archive, and the next start checkpoints it.
    let store = open(folder.path());
    assert_eq!((ask(&store).expect("it reads"), store.missing_log()), (3, None));
}

#[test]
fn a_writer_that_ends_ends_the_service() {
    let server = Server::start();
    assert_eq!(server.get("/readyz").status, 200);
    let failed = server.store.write(|_| -> Result<(), StoreError> { panic_any(Bomb(2)) }).wait();
    assert!(matches!(failed, Err(StoreError::Stopped)), "{failed:?}");
    let begun = Instant::now();
    while TcpStream::connect(server.address()).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it listens all the same");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(matches!(server.store.close(), Err(StoreError::Stopped)));
}
