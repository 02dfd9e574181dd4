//! Maintenance while others read: a rebuild waits for nobody who reads, and nobody who reads waits for it.

use std::{thread, time::Duration};

use quipu_archive::store::{ArchiveFault, Filter, Store, StoreError};

use super::{Place, add, check, records};

fn filled(place: &Place) -> Store {
    let store = place.open();
    for record in records(0..40) {
        add(&store, &record);
    }
    store
}

fn faults(store: &Store) -> Vec<ArchiveFault> {
    let mut faults = Vec::new();
    store.check(|_| (), |fault| faults.push(fault)).expect("checked");
    faults
}

#[test]
fn a_rebuild_lets_readers_go_on() {
    let place = Place::new();
    let store = filled(&place);
    let right = store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(right.before, Some(right.after));
    place.server.sql("UPDATE rating SET bonus = bonus + 2 WHERE player < 4");
    place.server.sql("DELETE FROM card WHERE number = 7");
    place.server.sql("UPDATE player SET name = name || ' x' WHERE number = 2");
    assert_eq!(faults(&store).len(), 3);
    let read = store.read(|reading| -> Result<_, StoreError> {
        let before = reading.digest()?;
        // It ends while this transaction goes on, with what it has seen so far.
        let rebuilt = thread::scope(|scope| scope.spawn(|| store.rebuild(|_| ())).join().expect("no panic"))?;
        Ok((before, reading.digest()?, rebuilt))
    });
    let (before, during, rebuilt) = read.expect("it answers");
    assert!(before == during && rebuilt.before == Some(before) && rebuilt.after == right.after);
    assert_eq!(faults(&store), []);
    check(&store, 40);
}

/// A table that lacks an index, or has one too many or a trigger, is replaced as a whole.
#[test]
fn a_rebuild_replaces_tables_that_were_altered() {
    let place = Place::new();
    let store = filled(&place);
    place.server.sql("DROP INDEX card_event");
    place.server.sql("ALTER TABLE part DROP COLUMN other");
    let found = faults(&store);
    for name in ["card_event", "part", "part_other"] {
        assert!(found.contains(&ArchiveFault::Schema(name.to_owned())), "{name}: {found:?}");
    }
    store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(faults(&store), []);
    check(&store, 40);
    place.server.sql("CREATE INDEX own ON card (plies)");
    place
        .server
        .sql("CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.plies := 1; RETURN NEW; END $$");
    place.server.sql("CREATE TRIGGER spoil BEFORE INSERT ON card FOR EACH ROW EXECUTE FUNCTION spoil()");
    assert_eq!(faults(&store), ["own", "spoil"].map(|name| ArchiveFault::Schema(name.to_owned())));
    store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(faults(&store), []);
}

/// A read that has begun finds the rows of tables that are about to be replaced.
#[test]
fn a_rebuild_that_replaces_tables_waits_for_reads() {
    let place = Place::new();
    let store = filled(&place);
    place.server.sql("DROP INDEX card_event");
    thread::scope(|scope| {
        let mut rebuild = None;
        let listed = store.read(|reading| -> Result<_, StoreError> {
            reading.last_change()?;
            let running = rebuild.insert(scope.spawn(|| store.rebuild(|_| ())));
            while !running.is_finished() && place.server.query("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0"
            {
                thread::sleep(Duration::from_millis(5));
            }
            Ok(reading.cards(&Filter::default(), None, 100)?.items.len())
        });
        assert_eq!(listed.expect("it answers"), 40);
        rebuild.expect("it was begun").join().expect("no panic").expect("rebuilt");
    });
    assert_eq!(faults(&store), []);
}
