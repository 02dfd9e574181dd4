//! Servers that refuse, fill up, freeze or lack changes: each failure has a name, is waited for as long as is documented, and
//! loses nothing.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use quipu_archive::store::{Address, Store, StoreError};
use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::{engine::OpenTransaction, generator::Generator, postgres::Postgres, server::Server};
use tempfile::tempdir;

use super::{Place, add, by, check, records};

/// The address of the server for another user, with a password or without.
fn address(server: &Postgres, user: &str) -> Address {
    Address::parse(&server.address().replace("quipu@", &format!("{user}@"))).expect("an address")
}

/// Opens an archive that is there.
fn open(address: &Address, folder: &Path) -> Result<Store, StoreError> {
    Store::open_existing_on_server(address, folder)
}

/// Stores the records of a range, one by one.
fn fill(store: &Store, range: std::ops::Range<usize>) {
    for record in records(range) {
        add(store, &record);
    }
}

fn last(store: &Store) -> Result<i64, StoreError> {
    store.read(|reading| reading.last_change())
}

/// Tries to store a record.
fn try_add(store: &Store, number: usize) -> Result<(), StoreError> {
    let record = records(number..number + 1).remove(0);
    store.write(move |writing| writing.add(&record, &by(), false)).wait().map(drop)
}

#[test]
fn a_user_who_is_refused_is_told() {
    let place = Place::new();
    fill(&place.open(), 0..2);
    place.server.sql("CREATE ROLE club LOGIN PASSWORD 'secret'");
    place.server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO club");
    place.server.sql(
        "DO $$ BEGIN EXECUTE format('COPY (VALUES (''host all club 127.0.0.1/32 scram-sha-256''),
           (''host all all 127.0.0.1/32 trust'')) TO %L', current_setting('hba_file')); END $$",
    );
    place.server.sql("SELECT pg_reload_conf()");
    let refused = |user: &str| open(&address(&place.server, user), place.folder.path()).map(drop);
    // The new rules take effect a moment later.
    let begun = (0..1_000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        refused("club").is_err()
    });
    assert!(begun);
    for (user, word) in [("club:wrong", "password"), ("club", "password"), ("nobody", "nobody")] {
        let refused = refused(user);
        assert!(matches!(&refused, Err(StoreError::Denied(text)) if text.contains(word)), "{user}: {refused:?}");
    }
    let missing = Address::parse(&place.server.address().replace("/postgres", "/missing")).expect("an address");
    assert!(
        matches!(open(&missing, place.folder.path()).map(drop), Err(StoreError::Denied(text)) if text.contains("missing"))
    );
    let store = open(&address(&place.server, "club:secret"), place.folder.path()).expect("an archive");
    fill(&store, 2..3);
    check(&place.open(), 3);
}

#[test]
fn a_user_who_may_only_read_reads() {
    let place = Place::new();
    fill(&place.open(), 0..2);
    place.server.sql("CREATE ROLE guest LOGIN");
    place.server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest");
    let store = open(&address(&place.server, "guest"), place.folder.path()).expect("an archive");
    assert!(matches!(last(&store), Ok(2)));
    assert!(matches!(try_add(&store, 2), Err(StoreError::ReadOnly)));
    place.server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO guest");
    fill(&store, 2..3);
    check(&store, 3);
}

/// A disk of a few megabytes in a folder, until it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// None if this system lets nobody make one.
    fn new(folder: &Path) -> Option<Self> {
        let size = "size=24m,mode=0700,uid=65534,gid=65534";
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", size, "none"]).arg(folder).stderr(Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(&self.0).status());
    }
}

#[test]
fn a_full_disk_stores_nothing_and_loses_nothing() {
    let folder = tempdir().expect("a folder");
    #[cfg(unix)]
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let Some(small) = SmallDisk::new(&disk) else {
        println!("left out: this system lets nobody make a disk");
        return;
    };
    let server = Postgres::start();
    server.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.display()));
    server.sql("CREATE DATABASE club TABLESPACE small");
    let address = Address::parse(&server.address().replace("/postgres", "/club")).expect("an address");
    let store = Store::open_on_server(&address, &folder.path().join("data")).expect("an archive");
    fill(&store, 0..5);
    let filler = disk.join("filler");
    let rest =
        Command::new("dd").arg("if=/dev/zero").arg(format!("of={}", filler.display())).stderr(Stdio::null()).status();
    assert!(rest.is_ok_and(|rest| !rest.success()), "the disk is full");
    let mut stored = 5;
    let full = (5..20_000).find_map(|number| {
        let added = try_add(&store, number);
        stored += u64::from(added.is_ok());
        added.err()
    });
    assert!(matches!(full, Some(StoreError::Full)), "{full:?}");
    // It goes on reading, and storing when there is room.
    assert!(matches!(last(&store), Ok(number) if u64::try_from(number) == Ok(stored)));
    fs::remove_file(&filler).expect("it is there");
    fill(&store, 19_000..19_005);
    check(&store, stored + 5);
    drop(store);
    drop(server);
    drop(small);
}

#[test]
fn a_server_without_free_connections_is_told_apart() {
    let place = Place::new();
    fill(&place.open(), 0..1);
    place.server.sql("CREATE ROLE club LOGIN CONNECTION LIMIT 1");
    place.server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO club");
    let mut store = None;
    // The connection with which it was opened may still end.
    for _ in 0..1_000 {
        store = open(&address(&place.server, "club"), place.folder.path()).ok();
        if store.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let store = store.expect("an archive");
    // Its only one writes.
    fill(&store, 1..2);
    let refused = last(&store);
    assert!(
        matches!(&refused, Err(StoreError::Unreachable(text)) if text.contains("too many connections")),
        "{refused:?}"
    );
    place.server.sql("ALTER ROLE club CONNECTION LIMIT -1");
    assert!(matches!(last(&store), Ok(2)));
    check(&store, 2);
}

#[test]
fn readers_wait_for_a_connection_as_long_as_their_query_may_take() {
    let place = Place::new();
    let store =
        Store::open_on_server(&place.address.clone().with_connections(2), place.folder.path()).expect("an archive");
    thread::scope(|scope| {
        let (reads, reading) = mpsc::channel();
        let ends: Vec<_> = (0..2)
            .map(|_| {
                let (end, ended) = mpsc::channel::<()>();
                let (store, reads) = (&store, reads.clone());
                scope.spawn(move || {
                    store.read(|reading| {
                        reading.last_change()?;
                        reads.send(()).expect("it is waited for");
                        let _ = ended.recv();
                        Ok::<_, StoreError>(())
                    })
                });
                end
            })
            .collect();
        for _ in 0..2 {
            reading.recv().expect("they read");
        }
        let late = store.read_within(Duration::from_millis(100), |reading| reading.last_change());
        assert!(matches!(late, Err(StoreError::Busy)), "{late:?}");
        // A writer needs none of these.
        assert!(try_add(&store, 0).is_ok());
        let waiting = scope.spawn(|| last(&store));
        drop(ends);
        assert!(matches!(waiting.join().expect("it ends"), Ok(1)));
    });
    check(&store, 1);
}

/// Another program that has begun to write and does nothing: it cannot be ended from here, and is told of.
#[test]
fn a_session_that_is_idle_in_a_transaction_holds_writers_for_ten_seconds() {
    let place = Place::new();
    let store = place.open();
    fill(&store, 0..1);
    let held = OpenTransaction::new(place.server.psql("postgres"), "UPDATE archive SET commits = commits");
    assert!(matches!(try_add(&store, 1), Err(StoreError::Busy)));
    assert!(matches!(last(&store), Ok(1)));
    drop(held);
    fill(&store, 1..2);
    check(&store, 2);
}

/// A server that is frozen is left for another that accepts writes, and not waited for as long as a turn to write.
#[test]
fn a_frozen_server_is_left_for_its_standby() {
    let primary = Postgres::start();
    let standby = primary.standby();
    let both = format!("postgres://quipu@{},{}/postgres", primary.host(), standby.host());
    let folder = tempdir().expect("a folder");
    let store = Store::open_on_server(&Address::parse(&both).expect("an address"), folder.path()).expect("an archive");
    fill(&store, 0..5);
    primary.freeze();
    standby.promote();
    // The first attempt may have stopped in its commit.
    fill(&store, 5..6);
    check(&store, 6);
    primary.thaw();
}

/// A query without a limit of its own may take long, but not on a server that answers nobody.
#[test]
fn a_query_without_a_limit_leaves_a_frozen_server() {
    let place = Place::new();
    let store = place.open();
    fill(&store, 0..1);
    assert!(matches!(last(&store), Ok(1)));
    place.server.freeze();
    let frozen = last(&store);
    place.server.thaw();
    assert!(matches!(frozen, Err(StoreError::Unreachable(_))), "{frozen:?}");
    assert!(matches!(last(&store), Ok(1)));
}

/// A pause of the server that a long operation outlasts.
#[test]
fn a_query_without_a_limit_outlasts_a_pause() {
    let place = Place::new();
    let store = place.open();
    fill(&store, 0..1);
    let read = store.read(|reading| {
        place.server.freeze();
        thread::scope(|scope| {
            scope.spawn(|| {
                // For longer than a query with a limit would be waited for.
                thread::sleep(Duration::from_secs(4));
                place.server.thaw();
            });
            reading.last_change()
        })
    });
    assert!(matches!(read, Ok(1)), "{read:?}");
}

/// Changes that come while there is no server have the outcome of those that waited before them.
#[test]
fn changes_that_wait_for_a_lost_server_fail_together() {
    let place = Place::new();
    let store = place.open();
    fill(&store, 0..1);
    place.server.kill();
    let waiting: Vec<_> = records(1..4)
        .into_iter()
        .map(|record| {
            thread::sleep(Duration::from_millis(200));
            store.write(move |writing| writing.add(&record, &by(), false))
        })
        .collect();
    for (number, pending) in waiting.into_iter().enumerate() {
        let refused = pending.wait();
        assert!(matches!(refused, Err(StoreError::Unreachable(_))), "{refused:?}");
        if number == 0 {
            // A change that tried again by itself would be stored.
            place.server.restart();
        }
    }
    fill(&store, 4..5);
    check(&store, 2);
}

/// Has a table refuse all rows.
fn refuse_rows(server: &Postgres, table: &str) {
    server.sql(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$",
    );
    server.sql(&format!("CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"));
}

/// Statements are sent without waiting for each; one that fails before the commit has surely stored nothing.
#[test]
fn a_row_that_is_refused_before_the_commit_leaves_no_doubt() {
    let place = Place::new();
    let store = place.open();
    refuse_rows(&place.server, "search");
    let refused = try_add(&store, 0);
    assert!(matches!(&refused, Err(StoreError::Other(text)) if text.contains("refused")), "{refused:?}");
    place.server.sql("DROP TRIGGER refuse ON search");
    fill(&store, 0..1);
    check(&store, 1);
}

/// A job whose statements failed is taken back alone.
#[test]
fn a_job_that_fails_with_statements_under_way_leaves_others_alone() {
    let place = Place::new();
    let store = place.open();
    refuse_rows(&place.server, "entry");
    // The record is made before the job: on a busy machine the server would end its transaction, which is idle meanwhile.
    let record = records(0..1).remove(0);
    let held = OpenTransaction::new(place.server.psql("postgres"), "UPDATE archive SET commits = commits");
    let good = store.write(|writing| writing.add_token("club", &[Scope::RecordsWrite], None));
    // It is in the same transaction.
    let failing = store.write(move |writing| -> Result<(), StoreError> {
        writing.add(&record, &by(), false)?;
        Err(StoreError::Other("no".to_owned()))
    });
    drop(held);
    let good = good.wait();
    assert!(good.is_ok(), "{good:?}");
    // The server may have refused the row before the job ended.
    let failed = failing.wait();
    assert!(matches!(&failed, Err(StoreError::Other(text)) if text == "no" || text.contains("refused")), "{failed:?}");
}

/// A standby that lacks changes and was promoted by mistake is not written to, and the changes are not lost.
#[test]
fn a_standby_that_lacks_changes_is_refused() {
    let primary = Postgres::start();
    let standby = primary.standby();
    // Commits do not wait for it.
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
    primary.sql("SELECT pg_reload_conf()");
    let both = format!("postgres://quipu@{},{}/postgres", primary.host(), standby.host());
    let folder = tempdir().expect("a folder");
    let store = Store::open_on_server(&Address::parse(&both).expect("an address"), folder.path()).expect("an archive");
    fill(&store, 0..5);
    standby.promote();
    // Two accept writes now: the store goes on with its own.
    fill(&store, 5..10);
    check(&store, 10);
    primary.kill();
    for refused in [try_add(&store, 10), last(&store).map(drop)] {
        assert!(matches!(&refused, Err(StoreError::Behind(host)) if *host == standby.host()), "{refused:?}");
    }
    primary.restart();
    fill(&store, 10..11);
    check(&store, 11);
}

/// Tokens and the number of the last change are looked up within the time limit of queries.
#[test]
fn lookups_of_a_request_have_the_limit_of_a_query() {
    let place = Place::new();
    let settings = Settings { query_timeout: Duration::from_millis(300), ..Settings::default() };
    let server = Server::with_store(place.open(), settings);
    let token = server.token(Scope::RecordsWrite);
    let list = || server.ask("GET", "/v1/records");
    let held = OpenTransaction::new(place.server.psql("postgres"), "LOCK TABLE token IN ACCESS EXCLUSIVE MODE");
    list().token(&token).send().problem(503, "api.slow");
    drop(held);
    assert_eq!(list().token(&token).send().status, 200);
    let held = OpenTransaction::new(place.server.psql("postgres"), "LOCK TABLE change IN ACCESS EXCLUSIVE MODE");
    list().header("Quipu-After-Change", "1").send().problem(503, "api.slow");
    drop(held);
    assert_eq!(list().header("Quipu-After-Change", "1").send().status, 200);
}

/// A service tells its clients apart what is away and what may have been stored, and is ready again by itself.
#[test]
fn clients_are_told_that_the_database_is_away() {
    let place = Place::new();
    let server = Server::with_store(place.open(), Settings::default());
    let token = server.token(Scope::RecordsWrite);
    let generator = Generator::new();
    let submit =
        |number| server.ask("POST", "/v1/records").token(&token).body("text/plain", generator.record(number)).send();
    assert_eq!(server.get("/readyz").status, 200);
    place.server.kill();
    for language in ["es", "en"] {
        let problem = server.ask("GET", "/v1/records").header("Accept-Language", language).send();
        let word = if language == "es" { "base de datos" } else { "database" };
        assert!(problem.problem(503, "api.unreachable")["detail"].as_str().expect("a text").contains(word));
    }
    submit(0).problem(503, "api.unreachable");
    server.get("/readyz").problem(503, "api.unreachable");
    assert_eq!(server.get("/healthz").status, 200);
    place.server.restart();
    assert_eq!((submit(0).status, server.get("/readyz").status), (201, 200));
    // A commit that waits for a standby which does not answer.
    let standby = place.server.standby();
    standby.freeze();
    let unsure = submit(1);
    standby.thaw();
    assert!(!unsure.header("retry-after").is_empty());
    unsure.problem(503, "api.unconfirmed");
    // It is stored when this can be told, and not again.
    assert!(matches!(submit(1).status, 200 | 201));
    check(&server.store, 2);
}
