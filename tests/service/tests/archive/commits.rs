//! Writers: many at once, some of which fail, in one program or in two, and the archive after one is killed.
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use quipu_archive::{
    model::Submission,
    store::{Added, Filter, Store, StoreError, TextFilter},
};
use quipu_tests_service::engine::Held;
use tempfile::tempdir;

use super::generate::{SampleRecord, add, by, filled, games, open};

/// A game that no other test submits.
fn own(who: &str, index: usize) -> Submission {
    let players = [Some("Quispe, Ana"), Some("Li Bo")];
    SampleRecord { template: index, players, site: Some(format!("{who} {index}")), ..SampleRecord::default() }
        .submission()
}

fn count(store: &Store) -> u64 {
    let totals = store.read(|reading| reading.totals()).expect("totals");
    totals.iter().map(|total| total.records).sum()
}

fn found(store: &Store, text: &str) -> usize {
    let filter = Filter { text: TextFilter::new(text), ..Filter::default() };
    store.read(|reading| reading.cards(&filter, None, 1_000)).expect("a list").items.len()
}

/// While another program writes for long, no writer waits behind another one that waits.
#[test]
fn a_writer_waits_once_for_another_program() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let held = Held::new(folder.path());
    let begun = Instant::now();
    let waiting: Vec<_> =
        (0..5).map(|index| store.write(move |writing| writing.add(&own("Ana", index), &by("test"), false))).collect();
    for one in waiting {
        assert!(matches!(one.wait(), Err(StoreError::Busy)));
    }
    // One after the other they would wait for 50 s.
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    drop(held);
    add(&store, &own("Ana", 9));
    assert_eq!(count(&store), 1);
}

/// A writer that knows the players of earlier transactions looks them up again after another program has merged them, and
/// after a rebuild.
#[test]
fn a_writer_notices_the_changes_of_another() {
    let folder = tempdir().expect("a folder");
    let (store, other) = (open(folder.path()), open(folder.path()));
    let add_four = |first: usize| {
        for index in first..first + 4 {
            let players = [Some("Quispe, Ana"), Some(["Li Bo", "Rosa"][index % 2])];
            let record = SampleRecord { players, site: Some(index.to_string()), ..SampleRecord::default() };
            add(&store, &record.submission());
        }
    };
    add_four(0);
    let merged = other.write(|writing| writing.merge("Rosa", "Li Bo", &by("test")));
    merged.wait().expect("it is merged");
    add_four(4);
    other.rebuild(|_| ()).expect("rebuilt");
    add_four(8);
    store.rebuild(|_| ()).expect("rebuilt");
    add_four(12);
    let checked = store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    assert_eq!((checked.records, checked.faults), (16, 0));
    assert_eq!((found(&store, "quispe"), found(&store, "rosa")), (16, 8));
}

#[test]
fn many_at_once_all_get_their_answers() {
    let folder = tempdir().expect("a folder");
    let commits = Arc::new(AtomicUsize::new(0));
    let jobs = Arc::new(AtomicUsize::new(0));
    let (seen, done) = (Arc::clone(&commits), Arc::clone(&jobs));
    let observer = Box::new(move |count, _| {
        seen.fetch_add(1, Ordering::Relaxed);
        done.fetch_add(count, Ordering::Relaxed);
    });
    let store = Store::open(folder.path()).expect("an archive");
    store.observe(observer);
    let texts: Vec<Vec<_>> =
        (0..8).map(|who| (0..20).map(|index| own(&format!("hilo {who}"), index)).collect()).collect();
    thread::scope(|scope| {
        for submissions in &texts {
            scope.spawn(|| {
                // Some wait for each answer, some for all.
                let write = |submission: &Submission| {
                    let submission = submission.clone();
                    store.write(move |writing| writing.add(&submission, &by("test"), false))
                };
                let (first, second) = submissions.split_at(10);
                for submission in first {
                    assert!(matches!(write(submission).wait(), Ok(Added::New(_))));
                }
                let pending: Vec<_> = second.iter().map(write).collect();
                assert!(pending.into_iter().all(|pending| matches!(pending.wait(), Ok(Added::New(_)))));
            });
        }
    });
    assert_eq!((count(&store), store.waiting()), (160, 0));
    drop(store);
    assert_eq!(jobs.load(Ordering::Relaxed), 160);
    assert!(commits.load(Ordering::Relaxed) < 160, "what waits is committed together");
    let store = open(folder.path());
    for submission in texts.iter().flatten() {
        assert!(store.read(|reading| reading.card(&submission.id)).expect("a card").is_some());
    }
    assert_eq!(found(&store, "hilo"), 160);
}

#[test]
fn a_failing_job_undoes_only_itself() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    // The first keeps the writer busy, so that the others are committed together.
    let slow = store.write(|_| {
        thread::sleep(std::time::Duration::from_millis(50));
        Ok::<_, StoreError>(())
    });
    let write = |name: &'static str, ends: fn() -> Result<(), StoreError>| {
        store.write(move |writing| {
            for index in 0..2 {
                let added = writing.add(&own(name, index), &by("test"), false)?;
                assert!(matches!(added, Added::New(_)));
            }
            ends()
        })
    };
    let pending = [
        write("antes", || Ok(())),
        write("falla", || Err(StoreError::Busy)),
        write("entre", || Ok(())),
        write("revienta", || panic!("on purpose")),
        write("despues", || Ok(())),
    ];
    assert!(slow.wait().is_ok());
    let answers: Vec<_> =
        pending.into_iter().map(|pending| pending.wait().map_err(|error| error.to_string())).collect();
    let failed = Err(StoreError::Busy.to_string());
    assert_eq!(answers, [Ok(()), failed, Ok(()), Err("on purpose".to_owned()), Ok(())]);
    let names = ["antes", "falla", "entre", "revienta", "despues"];
    assert_eq!(names.map(|name| found(&store, name)), [2, 0, 2, 0, 2]);
    assert_eq!(count(&store), 6);
    // Numbers have no gaps, and what follows is right.
    let checked = store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    assert_eq!((checked.records, checked.faults), (6, 0));
}

#[test]
fn accepted_jobs_are_finished_when_the_archive_is_closed() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    for submission in games(50) {
        // Nobody waits for the answer.
        drop(store.write(move |writing| writing.add(&submission, &by("test"), false)));
    }
    drop(store);
    assert_eq!(count(&open(folder.path())), 50);
}

#[test]
fn two_archives_on_one_file() {
    let folder = tempdir().expect("a folder");
    let stores = [open(folder.path()), open(folder.path())];
    thread::scope(|scope| {
        for (store, who) in stores.iter().zip(["uno", "dos"]) {
            scope.spawn(move || {
                for index in 0..20 {
                    add(store, &own(who, index));
                }
            });
        }
    });
    assert_eq!(stores.each_ref().map(count), [40; 2]);
    assert_eq!(stores.each_ref().map(|store| found(store, "uno")), [20; 2]);
    assert_eq!(stores[0].check(|_| (), |fault| panic!("{fault:?}")).expect("checked").records, 40);
}

#[test]
fn opened_for_the_first_time_by_many() {
    let folder = tempdir().expect("a folder");
    thread::scope(|scope| {
        for who in 0..8 {
            let folder = folder.path();
            scope.spawn(move || add(&open(folder), &own(&format!("n{who}"), 0)));
        }
    });
    assert_eq!(count(&open(folder.path())), 8);
}

/// Names the folder of the archive in another process of these tests.
const FOLDER: &str = "QUIPU_TESTS_FOLDER";
/// Names what that process calls its records.
const WHO: &str = "QUIPU_TESTS_WHO";

/// Another process, which stores records and prints a line for each that is acknowledged. It is this program, of which
/// the test below alone is run.
fn another(folder: &std::path::Path, who: &str) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "commits::stores_in_another_process", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env(WHO, who);
    command.stdout(Stdio::piped()).spawn().expect("it starts")
}

#[test]
fn stores_in_another_process() {
    let (Some(folder), Some(who)) = (env::var_os(FOLDER), env::var_os(WHO)) else { return };
    let store = open(&PathBuf::from(folder));
    let who = who.into_string().expect("text");
    let mut out = std::io::stdout();
    for index in 0..60 {
        add(&store, &own(&who, index));
        writeln!(out, "\nstored {index}").and_then(|()| out.flush()).expect("somebody listens");
    }
}

/// Indices of the records that a process says are stored.
fn acknowledged(child: &mut Child) -> impl Iterator<Item = usize> + use<> {
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("stored ")?.parse().ok())
}

#[test]
fn two_processes_on_one_file() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let mut children = ["padre", "madre"].map(|who| another(folder.path(), who));
    for index in 0..20 {
        add(&store, &own("hijo", index));
    }
    for child in &mut children {
        assert_eq!(acknowledged(child).count(), 60);
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(count(&store), 140);
    assert_eq!(store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked").records, 140);
}

#[test]
fn acknowledged_records_survive_a_kill() {
    let folder = tempdir().expect("a folder");
    drop(open(folder.path()));
    let mut child = another(folder.path(), "caído");
    let mut lines = acknowledged(&mut child);
    let mut last = 0;
    for index in lines.by_ref().take(25) {
        last = index;
    }
    child.kill().expect("it is killed");
    last = lines.last().unwrap_or(last);
    child.wait().expect("it ends");
    assert!((24..59).contains(&last), "{last}");
    let store = open(folder.path());
    for index in 0..=last {
        assert!(store.read(|reading| reading.card(&own("caído", index).id)).expect("a card").is_some(), "{index}");
    }
    store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    // And it goes on.
    add(&store, &own("levantado", 0));
}

#[test]
fn a_record_comes_once() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 3);
    let submissions = games(3);
    let again = store.write(move |writing| {
        submissions.iter().map(|game| writing.add(game, &by("test"), false)).collect::<Result<Vec<_>, StoreError>>()
    });
    let again = again.wait().expect("answers");
    let state = quipu_archive::model::RecordState::Current;
    assert_eq!(again, [1, 2, 3].map(|number| Added::AlreadyStored(number, state)));
    assert_eq!((count(&store), ids.len()), (3, 3));
}
