//! Checking, rebuilding and judging again: what was spoilt behind the archive's back is found, and by what it should be.

use quipu_archive::{
    model::{Id, Judgement, Submission},
    store::{ArchiveFault, ChangedVerdict, IdempotencyLookup, ReverifySummary, Store, StoreError},
};
use quipu_referee::verify::EDITION;
use quipu_tests_service::{
    engine::{self, spoil},
    files_only,
};
use tempfile::{TempDir, tempdir};

use super::generate::{SampleRecord, add, by, filled, open};

pub(crate) fn faults(store: &Store) -> Vec<ArchiveFault> {
    let mut faults = Vec::new();
    let checked = store.check(|_| (), |fault| faults.push(fault)).expect("checked");
    assert_eq!(checked.faults, faults.len() as u64);
    faults
}

/// An archive with games, a correction, a retraction, a merge and what was undone of that.
pub(crate) fn sample_archive() -> (TempDir, Store, Vec<Id>) {
    let folder = tempdir().expect("a folder");
    let (store, mut ids) = filled(folder.path(), 10);
    let new = SampleRecord { players: [Some("Quispe, Ana"), Some("Nadie")], ..SampleRecord::default() }.submission();
    ids.push(new.id);
    let old = [ids[0], ids[1]];
    let done = store.write(move |writing| {
        writing.correct(&old[0], &new, &by("test"))?;
        writing.retract(&old[1], &by("test"))?;
        writing.merge("Nadie", "Li Bo", &by("test"))?;
        writing.merge("Ccori, Julio", "Li Bo", &by("test"))?;
        writing.undo(14, &by("test"))
    });
    assert_eq!(done.wait().expect("changes"), 15);
    (folder, store, ids)
}

#[test]
fn a_sound_archive() {
    let (_folder, store, _) = sample_archive();
    let mut told = Vec::new();
    let checked = store.check(|progress| told.push(progress), |fault| panic!("{fault:?}")).expect("checked");
    assert_eq!((checked.records, checked.of_other_editions, checked.faults), (11, 0, 0));
    for step in told.chunk_by(|one, two| one.step == two.step) {
        let last = step.last().expect("a step");
        assert_eq!(last.done, if last.step == quipu_archive::store::Step::Records { 11 } else { last.all }, "{last:?}");
    }
}

/// The page has corrections of its own records.
#[test]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
fn a_copy_has_every_kind_of_change() {
    let (_folder, store, _) = sample_archive();
    let folder = tempdir().expect("a folder");
    let copy = open(folder.path());
    let copied = store.copy_to(&copy, |_| ()).expect("copied");
    assert_eq!((copied.last, copied.changes, copied.receipts), (15, 15, 11));
    let digests = [&store, &copy].map(|store| store.read(|reading| reading.digest()).expect("it answers"));
    assert_eq!(digests[0], digests[1]);
    assert_eq!(faults(&copy), []);
}

/// Checks that this is found after this was done to the file, and nothing else where `alone`.
#[track_caller]
fn found(sql: &str, is_it: impl Fn(&ArchiveFault, &[Id]) -> bool, alone: bool) {
    let (folder, store, ids) = sample_archive();
    spoil(folder.path(), sql);
    let faults = faults(&store);
    assert!(faults.iter().any(|fault| is_it(fault, &ids)), "{sql}: {faults:?}");
    assert!(!alone || faults.len() == 1, "{sql}: {faults:?}");
}

#[test]
fn changes_to_records_are_found() {
    // One more space, which nothing depends on.
    found(
        "UPDATE record SET source = CAST(source || ' ' AS BLOB) WHERE number = 3",
        |fault, ids| *fault == ArchiveFault::Source(3, ids[2]),
        true,
    );
    found(
        "UPDATE record SET source = CAST(replace(CAST(source AS TEXT), 'Sala 2', 'Sala 3') AS BLOB) WHERE number = 3",
        |fault, ids| matches!(fault, ArchiveFault::Id(3, id, _) if *id == ids[2]),
        false,
    );
    found(
        "UPDATE record SET source = x'' WHERE number = 3",
        |fault, ids| *fault == ArchiveFault::Source(3, ids[2]),
        false,
    );
    found(
        "UPDATE record SET id = zeroblob(32) WHERE number = 3",
        |fault, _| matches!(fault, ArchiveFault::Id(3, ..)),
        false,
    );
    found(
        "UPDATE record SET id = x'00' WHERE number = 3",
        |fault, _| matches!(fault, ArchiveFault::Record(3, _)),
        false,
    );
    found(
        "UPDATE record SET form = 'sgf' WHERE number = 3",
        |fault, _| matches!(fault, ArchiveFault::Record(3, _)),
        false,
    );
    found(
        "UPDATE record SET canonical = 'x' WHERE number = 3",
        |fault, ids| *fault == ArchiveFault::Canonical(3, ids[2]),
        // Sheets of one game are found by the canonical text.
        false,
    );
    found(
        "UPDATE verdict SET plies = plies + 1 WHERE number = 3",
        |fault, ids| {
            let ArchiveFault::Verdict { id, stored, right } = fault else { return false };
            *id == ids[2] && stored.plies == right.plies.map(|plies| plies + 1)
        },
        false,
    );
    found(
        "UPDATE verdict SET status = 'rejected' WHERE number = 3",
        |fault, _| matches!(fault, ArchiveFault::Derived { table: "rating", .. }),
        false,
    );
    found("DELETE FROM verdict WHERE number = 3", |fault, _| *fault == ArchiveFault::Change(3), false);
    found("DELETE FROM record WHERE number = 3", |fault, _| *fault == ArchiveFault::Change(3), false);
    // A server lets no row refer to a missing one.
    files_only!("references are checked");
    found(
        "DELETE FROM record WHERE number = 3",
        |fault, _| matches!(fault, ArchiveFault::Reference { table, row: Some(3), parent } if table == "verdict" && parent == "record"),
        false,
    );
}

#[test]
fn changes_to_the_change_log_are_found() {
    found("DELETE FROM change WHERE number = 12", |fault, _| *fault == ArchiveFault::Gap(12, 12), false);
    found("DELETE FROM change WHERE number BETWEEN 1 AND 3", |fault, _| *fault == ArchiveFault::Gap(1, 3), false);
    // The last leaves no gap; but what followed from it is there.
    found("DELETE FROM change WHERE number = 15", |fault, _| matches!(fault, ArchiveFault::Derived { .. }), false);
    found(
        "DELETE FROM change WHERE number = 12",
        |fault, _| matches!(fault, ArchiveFault::Derived { table: "card", .. }),
        false,
    );
    for (sql, number) in [
        ("UPDATE change SET kind = 'retraction' WHERE number = 3", 3),
        ("UPDATE change SET kind = 'merge' WHERE number = 12", 12),
        ("UPDATE change SET record = NULL WHERE number = 12", 12),
        ("UPDATE change SET into_name = name WHERE number = 13", 13),
        ("UPDATE change SET undoes = 3 WHERE number = 15", 15),
        ("UPDATE change SET undoes = 15 WHERE number = 15", 15),
        ("UPDATE change SET corrects = 11 WHERE number = 11", 11),
    ] {
        found(sql, move |fault, _| *fault == ArchiveFault::Change(number), false);
    }
    found(
        "UPDATE change SET undoes = 3 WHERE number = 15",
        |fault, _| matches!(fault, ArchiveFault::Rebuild(_)),
        false,
    );
}

/// The body of a trigger.
fn nothing() -> &'static str {
    if engine::is_server() { "EXECUTE FUNCTION suppress_redundant_updates_trigger()" } else { "BEGIN SELECT 1; END" }
}

#[test]
fn changes_to_the_schema_are_found() {
    let schema =
        |name: &'static str| move |fault: &ArchiveFault, _: &[Id]| *fault == ArchiveFault::Schema(name.to_owned());
    found("DROP INDEX card_event", schema("card_event"), true);
    found("DROP INDEX change_record; CREATE INDEX change_record ON change (record)", schema("change_record"), true);
    found("CREATE TABLE mine (x INTEGER)", schema("mine"), true);
    found(&format!("CREATE TRIGGER quiet BEFORE INSERT ON change {}", nothing()), schema("quiet"), true);
}

#[test]
fn unreadable_rows_are_found() {
    let unread = |fault: &ArchiveFault, _: &[Id]| matches!(fault, ArchiveFault::File(_));
    found("UPDATE change SET at = 9223372036854775807 WHERE number = 3", unread, false);
    found("INSERT INTO token SELECT 'abcdefgh', 'Otro', 'nada', zeroblob(32), 0, NULL, NULL", unread, true);
}

#[test]
fn changes_to_derived_tables_are_found_and_repaired() {
    for (sql, name) in [
        ("UPDATE rating SET bonus = bonus + 1 WHERE player = 1", "rating"),
        ("DELETE FROM part WHERE record = 4", "part"),
        ("UPDATE card SET round = '9' WHERE number = 4", "card"),
        ("UPDATE entry SET place = 99 WHERE record = 4", "entry"),
        ("UPDATE sheet SET place = 99 WHERE record = 4", "sheet"),
        ("UPDATE event SET name = 'Otra' WHERE number = 1", "event"),
        ("UPDATE total SET records = records + 1", "total"),
        ("UPDATE player SET folded = 'x' WHERE number = 2", "player"),
        ("DELETE FROM name_word WHERE kind = 'player' AND number = 2", "name_word"),
        ("INSERT INTO search (rowid, text) VALUES (1000, 'nada')", "search"),
        ("DELETE FROM term WHERE term LIKE 'r%'", "term"),
        ("DELETE FROM term_rest WHERE rest LIKE 'o%'", "term_rest"),
    ] {
        let (folder, store, _) = sample_archive();
        let right = store.rebuild(|_| ()).expect("rebuilt");
        assert_eq!(right.before, Some(right.after));
        spoil(folder.path(), sql);
        let found = faults(&store);
        assert!(matches!(found[..], [ArchiveFault::Derived { table, .. }] if table == name), "{sql}: {found:?}");
        let mut told = Vec::new();
        let rebuilt = store.rebuild(|progress| told.push(progress.done)).expect("rebuilt");
        assert_eq!((rebuilt.before == rebuilt.after.into(), rebuilt.after, told), (false, right.after, vec![15]));
        assert_eq!(faults(&store), []);
    }
    // Even what is not there at all.
    let (folder, store, _) = sample_archive();
    let right = store.rebuild(|_| ()).expect("rebuilt").after;
    spoil(folder.path(), "DROP TABLE part");
    let found = faults(&store);
    assert!(found.contains(&ArchiveFault::Schema("part".to_owned())), "{found:?}");
    assert!(found.iter().any(|fault| matches!(fault, ArchiveFault::File(_))), "{found:?}");
    let rebuilt = store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!((rebuilt.before, rebuilt.after), (None, right));
    assert_eq!(faults(&store), []);
}

/// A number that no count can reach is damage, and nothing that ends the writer.
#[test]
fn a_count_that_overflows_is_damage() {
    let (folder, store, _) = sample_archive();
    spoil(folder.path(), "UPDATE rating SET wins = 9000000000000000000");
    let games: Vec<_> = super::generate::games(40).into_iter().skip(10).collect();
    let damaged = games.into_iter().any(|game| {
        let added = store.write(move |writing| writing.add(&game, &by("test"), false)).wait();
        assert!(matches!(added, Ok(_) | Err(StoreError::Corrupt(_))), "{added:?}");
        added.is_err()
    });
    assert!(damaged, "some game counts no points");
    store.rebuild(|_| ()).expect("made anew");
    assert_eq!(faults(&store), []);
    add(&store, &SampleRecord { site: Some("otra".to_owned()), ..SampleRecord::default() }.submission());
}

#[test]
fn an_answer_that_was_altered_is_found() {
    let (folder, store, _) = sample_archive();
    let kept = store.write(|writing| writing.remember("club", "key", &[7; 32], 201, "of then"));
    kept.wait().expect("it is kept");
    let recalled = || store.write(|writing| writing.recall("club", "key", &[7; 32])).wait();
    assert!(matches!(recalled(), Ok(IdempotencyLookup::Same { status: 201, .. })));
    assert_eq!(faults(&store), []);
    for sql in [
        "UPDATE answer SET body = 'of now'",
        "UPDATE answer SET status = 200, body = 'of then'",
        "UPDATE answer SET status = 201, fingerprint = zeroblob(64)",
    ] {
        spoil(folder.path(), sql);
        assert!(matches!(recalled(), Err(StoreError::Corrupt(_))), "{sql}: it is not given again");
        assert_eq!(faults(&store), [ArchiveFault::StoredOutcome("key".to_owned())], "{sql}");
    }
}

#[test]
fn writes_queued_beside_a_rebuild_are_indexed_once() {
    let (_folder, store, _) = sample_archive();
    let made = |name: &str| SampleRecord { site: Some(name.to_owned()), ..SampleRecord::default() }.submission();
    let pause = store.write(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        Ok::<_, StoreError>(())
    });
    let write = |submission: Submission| store.write(move |writing| writing.add(&submission, &by("test"), false));
    let before = write(made("antes"));
    let rebuilt = std::thread::scope(|scope| {
        let rebuilding = scope.spawn(|| store.rebuild(|_| ()).expect("rebuilt"));
        let after = write(made("despues"));
        assert!(after.wait().is_ok());
        rebuilding.join().expect("rebuilt")
    });
    assert!(pause.wait().is_ok() && before.wait().is_ok());
    assert_eq!(rebuilt.before, Some(rebuilt.after));
    assert_eq!(faults(&store), []);
}

#[test]
fn a_damaged_file_is_found() {
    files_only!("it changes bytes of the file");
    let (folder, store, _) = sample_archive();
    drop(store);
    let path = folder.path().join("quipu.db");
    let mut bytes = std::fs::read(&path).expect("a file");
    assert!(!folder.path().join("quipu.db-wal").exists(), "all is in the file");
    // The first page of a table that opening does not read.
    let page = engine::number(folder.path(), "SELECT rootpage FROM sqlite_schema WHERE name = 'part'");
    let begin = (usize::try_from(page).expect("a page") - 1) * 8192;
    bytes[begin..begin + 8192].fill(0x5a);
    std::fs::write(&path, bytes).expect("a file");
    let store = Store::open(folder.path()).expect("it can be opened");
    assert!(faults(&store).iter().any(|fault| matches!(fault, ArchiveFault::File(_))));
}

/// Judges again, and says what is another now.
fn reverify(store: &Store, all: bool, dry: bool) -> (ReverifySummary, Vec<ChangedVerdict>) {
    let mut changed = Vec::new();
    let told = store.reverify(all, dry, &by("reverify"), |_| (), |record| changed.push(record));
    (told.expect("judged"), changed)
}

#[test]
fn verdicts_of_other_editions_are_given_again() {
    let (folder, store, ids) = sample_archive();
    assert_eq!(reverify(&store, false, false).0, ReverifySummary::default());
    assert_eq!(reverify(&store, true, false).0, ReverifySummary { judged: 11, changed: 0 });
    let judgement = |id: &Id| store.read(|reading| reading.judgement(id)).expect("it answers").expect("a verdict");
    let right = judgement(&ids[4]);
    // As if an older edition had found otherwise, or the same.
    spoil(folder.path(), "UPDATE verdict SET edition = 0 WHERE number <= 6");
    spoil(folder.path(), "UPDATE verdict SET plies = plies + 1, status = 'rejected' WHERE number = 5");
    store.rebuild(|_| ()).expect("rebuilt");
    // Of what was not so when it was signed, the receipts tell.
    let receipts: Vec<_> = (0..6).map(ArchiveFault::Receipt).collect();
    assert_eq!(faults(&store), receipts);
    let checked = store.check(|_| (), |_| ()).expect("checked");
    assert_eq!(checked.of_other_editions, 6, "what another edition said is not for this one to check");
    let before = judgement(&ids[4]);
    let is_right = |after: &Judgement| after.agrees(&right) && after.edition == EDITION;

    let (told, changed) = reverify(&store, false, true);
    assert_eq!(told, ReverifySummary { judged: 6, changed: 1 });
    assert!(matches!(&changed[..], [one] if one.before == before && is_right(&one.after) && one.card.number == 5));
    assert_eq!(judgement(&ids[4]), before, "a dry run stores nothing");

    let (told, changed) = reverify(&store, false, false);
    assert_eq!(told, ReverifySummary { judged: 6, changed: 1 });
    assert_eq!(changed[0].after.number, 16);
    assert!(is_right(&judgement(&ids[4])));
    let history = store.read(|reading| reading.history(&ids[4])).expect("it answers").expect("a record");
    assert_eq!(history.judgements.iter().map(|judgement| judgement.number).collect::<Vec<_>>(), [5, 16]);
    assert_eq!(history.changes.len(), 2);
    assert_eq!(faults(&store), receipts);

    // A confirmed verdict is not judged again, and is checked from now on.
    assert_eq!(reverify(&store, false, false).0, ReverifySummary::default());
    assert_eq!(store.check(|_| (), |_| ()).expect("checked").of_other_editions, 0);
    spoil(folder.path(), "UPDATE verdict SET plies = plies + 1 WHERE number = 6");
    assert!(faults(&store).iter().any(|fault| matches!(fault, ArchiveFault::Verdict { id, .. } if *id == ids[5])));
    let (told, changed) = reverify(&store, true, false);
    assert_eq!((told, changed[0].card.number), (ReverifySummary { judged: 11, changed: 1 }, 6));
    // A record that came later is of today.
    add(&store, &SampleRecord { site: Some("hoy".to_owned()), ..SampleRecord::default() }.submission());
    assert_eq!(reverify(&store, false, false).0, ReverifySummary::default());
}

#[test]
fn many_records_are_judged_page_by_page() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 1_500);
    let one = "CASE WHEN number % 100 = 7 THEN 1 ELSE 0 END";
    spoil(folder.path(), &format!("UPDATE verdict SET edition = 0, plies = plies + {one}"));
    let (told, changed) = reverify(&store, false, false);
    assert_eq!((told, ids.len()), (ReverifySummary { judged: 1_500, changed: 15 }, 1_500));
    let numbers: Vec<_> = changed.iter().map(|changed| changed.card.number).collect();
    assert_eq!(numbers, (0..15).map(|index| 100 * index + 7).collect::<Vec<_>>());
    assert_eq!(reverify(&store, false, false).0, ReverifySummary::default());
    assert_eq!(faults(&store), (0..1_500).map(ArchiveFault::Receipt).collect::<Vec<_>>());
}
