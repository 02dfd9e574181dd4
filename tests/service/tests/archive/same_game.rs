//! Sheets of one game: all are kept, one counts, and when it is retracted the next one counts.

use std::path::Path;

use quipu_archive::{
    model::{Id, Number, Submission},
    store::{ArchiveFault, Refusal, Store, StoreError, WriteTx},
};
use quipu_referee::competition::{COMPARED, Difference};
use quipu_tests_service::{
    engine::{self, spoil},
    files_only,
};
use tempfile::tempdir;

use super::{
    generate::{SampleRecord, add, by, open, submission},
    maintenance::faults,
};

/// A game of the first template in round 1 of the cup; `site` distinguishes its sheets.
fn sheet(players: [&'static str; 2], site: &str) -> SampleRecord {
    SampleRecord {
        players: players.map(Some),
        event: Some("Copa"),
        round: Some("1"),
        site: Some(site.to_owned()),
        ..SampleRecord::default()
    }
}

fn write(store: &Store, work: impl Fn(&WriteTx<'_>) -> Result<Number, Refusal> + Send + 'static) -> Number {
    store.write(work).wait().expect("a change")
}

fn retract(store: &Store, id: Id) -> Number {
    write(store, move |writing| writing.retract(&id, &by("test")))
}

fn undo(store: &Store, change: Number) {
    write(store, move |writing| writing.undo(change, &by("test")));
}

/// Ids of the games of the first event that count, and numbers of its records and games.
fn counted(store: &Store) -> (Vec<Id>, [u64; 2]) {
    let found = store.read(|reading| {
        let event = reading.event(1)?.expect("an event");
        let entries = reading.entries(1, None)?;
        Ok::<_, StoreError>((entries.iter().map(|entry| entry.id).collect(), [event.records, event.games]))
    });
    found.expect("it answers")
}

/// The ids of all sheets of the game of a record, and the one that counts for it if that is another.
fn sheets(store: &Store, record: Number) -> (Vec<Id>, Option<Id>) {
    let found = store.read(|reading| {
        let sheets = reading.sheets(record)?;
        assert_eq!(reading.sheet_of(record)?, reading.relations(record)?.sheet_of);
        Ok::<_, StoreError>((sheets.into_iter().map(|(_, id)| id).collect(), reading.sheet_of(record)?))
    });
    found.expect("it answers")
}

/// Asserts that a check finds no fault and that a rebuild changes nothing.
#[track_caller]
fn sound(store: &Store) {
    assert_eq!(faults(store), []);
    let rebuilt = store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(rebuilt.before, Some(rebuilt.after));
}

/// An archive with three sheets of one game.
fn three(folder: &Path) -> (Store, [Submission; 3]) {
    let store = open(folder);
    let made = ["a", "b", "c"].map(|site| sheet(["Ana", "Bo"], site).submission());
    for one in &made {
        add(&store, one);
    }
    (store, made)
}

#[test]
fn the_first_counts_and_all_are_there() {
    let folder = tempdir().expect("a folder");
    let (store, [a, b, c]) = three(folder.path());
    assert_eq!(counted(&store), (vec![a.id], [3, 1]));
    let all = vec![a.id, b.id, c.id];
    for (number, other) in [(1, None), (2, Some(a.id)), (3, Some(a.id))] {
        assert_eq!(sheets(&store, number), (all.clone(), other));
    }
    let history = store.read(|reading| reading.history(&b.id)).expect("it answers").expect("a record");
    assert_eq!((history.card.sheet_of, history.sheets), (Some(a.id), vec![(1, a.id), (2, b.id), (3, c.id)]));
    let ratings = store.read(|reading| reading.ratings(1)).expect("it answers");
    assert_eq!(ratings.iter().map(|rating| rating.games).collect::<Vec<_>>(), [1]);
    let groups = store.read(|reading| reading.sheets_in(1, 10)).expect("it answers");
    assert_eq!(groups, [[(1, a.id), (2, b.id), (3, c.id)]]);
    sound(&store);
}

#[test]
fn the_next_counts_when_the_first_is_taken_back() {
    let folder = tempdir().expect("a folder");
    let (store, [a, b, c]) = three(folder.path());
    let first = retract(&store, a.id);
    assert_eq!(counted(&store), (vec![b.id], [2, 1]));
    assert_eq!(sheets(&store, 1), (vec![], None));
    assert_eq!(sheets(&store, 3), (vec![b.id, c.id], Some(b.id)));
    sound(&store);
    let second = retract(&store, b.id);
    assert_eq!(counted(&store), (vec![c.id], [1, 1]));
    assert_eq!(sheets(&store, 3), (vec![], None));
    sound(&store);
    // A sheet that becomes current again keeps its place in the order of entry.
    undo(&store, first);
    assert_eq!(counted(&store), (vec![a.id], [2, 1]));
    undo(&store, second);
    assert_eq!(counted(&store), (vec![a.id], [3, 1]));
    assert_eq!(sheets(&store, 3), (vec![a.id, b.id, c.id], Some(a.id)));
    retract(&store, c.id);
    assert_eq!(counted(&store), (vec![a.id], [2, 1]));
    sound(&store);
}

#[test]
fn a_corrected_sheet_is_of_another_game() {
    let folder = tempdir().expect("a folder");
    let (store, [a, b, c]) = three(folder.path());
    let right = SampleRecord { round: Some("2"), ..sheet(["Ana", "Bo"], "a") }.submission();
    let (old, new) = (a.id, right.clone());
    let change = write(&store, move |writing| writing.correct(&old, &new, &by("test")));
    // The correction has the place of the first sheet.
    assert_eq!(counted(&store), (vec![right.id, b.id], [3, 2]));
    assert_eq!(sheets(&store, 3), (vec![b.id, c.id], Some(b.id)));
    sound(&store);
    undo(&store, change);
    assert_eq!(counted(&store), (vec![a.id], [3, 1]));
    sound(&store);
    // Corrected into another sheet, it is still the first.
    let (old, other) = (a.id, sheet(["Ana", "Bo"], "d").submission());
    let new = other.clone();
    write(&store, move |writing| writing.correct(&old, &new, &by("test")));
    assert_eq!(counted(&store), (vec![other.id], [3, 1]));
    assert_eq!(sheets(&store, 2), (vec![other.id, b.id, c.id], Some(other.id)));
    sound(&store);
}

#[test]
fn players_that_become_one_have_sheets_of_one_game() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let [one, other, third] =
        [["Ana", "Bo"], ["Anita", "Bo"], ["ANA", "bo"]].map(|players| sheet(players, "a").submission());
    for record in [&one, &other, &third] {
        add(&store, record);
    }
    // Spellings of one name need no merge.
    assert_eq!(counted(&store), (vec![one.id, other.id], [3, 2]));
    let merge = write(&store, |writing| writing.merge("Anita", "Ana", &by("test")));
    assert_eq!(counted(&store), (vec![one.id], [3, 1]));
    assert_eq!(sheets(&store, 2), (vec![one.id, other.id, third.id], Some(one.id)));
    sound(&store);
    undo(&store, merge);
    assert_eq!(counted(&store), (vec![one.id, other.id], [3, 2]));
    sound(&store);
    // The other way round: the first is now of another person than the third.
    write(&store, |writing| writing.merge("Ana", "Anita", &by("test")));
    assert_eq!(counted(&store), (vec![one.id, third.id], [3, 2]));
    sound(&store);
    // A game with one player on both sides does not count.
    write(&store, |writing| writing.merge("Anita", "Bo", &by("test")));
    assert_eq!(counted(&store), (vec![third.id], [3, 1]));
    sound(&store);
}

#[test]
fn groups_are_made_in_the_order_of_entry() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let made = |round, site| SampleRecord { round, ..sheet(["Ana", "Bo"], site) }.submission();
    let [first, unknown, second] = [made(Some("1"), "a"), made(None, "b"), made(Some("2"), "c")];
    for record in [&first, &unknown, &second] {
        add(&store, record);
    }
    assert_eq!(counted(&store), (vec![first.id, second.id], [3, 2]));
    assert_eq!(sheets(&store, 2).1, Some(first.id));
    retract(&store, first.id);
    assert_eq!(counted(&store), (vec![unknown.id], [2, 1]));
    assert_eq!(sheets(&store, 3).1, Some(unknown.id));
    sound(&store);
}

#[test]
fn a_sheet_without_an_event_shows_on_the_page_of_the_other() {
    let folder = tempdir().expect("a folder");
    let (store, [a, ..]) = three(folder.path());
    let changed = || store.read(|reading| reading.event(1)).expect("it answers").expect("an event").changed;
    let before = changed();
    let nowhere = SampleRecord { event: None, ..sheet(["Ana", "Bo"], "d") }.submission();
    let number = add(&store, &nowhere);
    assert_eq!(counted(&store), (vec![a.id], [3, 1]));
    assert_eq!(sheets(&store, number).1, Some(a.id));
    let groups = store.read(|reading| reading.sheets_in(1, 10)).expect("it answers");
    assert_eq!(groups[0].len(), 4);
    assert!(changed() > before, "what is known of the event has changed");
    let before = changed();
    retract(&store, nowhere.id);
    assert!(changed() > before);
    sound(&store);
}

#[test]
fn a_limited_number_of_sheets_is_compared() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let all: Vec<_> = (0..COMPARED + 2).map(|site| sheet(["Ana", "Bo"], &site.to_string()).submission()).collect();
    let ids: Vec<_> = all.iter().map(|one| one.id).collect();
    let added = store.write(move |writing| {
        all.iter().map(|one| writing.add(one, &by("test"), false)).collect::<Result<Vec<_>, StoreError>>()
    });
    added.wait().expect("stored");
    let beyond = [COMPARED, COMPARED + 1].map(|index| ids[index]);
    assert_eq!(counted(&store).0, [ids[0], beyond[0], beyond[1]]);
    assert_eq!(sheets(&store, 2).0.len(), COMPARED);
    let change = retract(&store, ids[5]);
    assert_eq!(counted(&store).0, [ids[0], beyond[1]]);
    sound(&store);
    undo(&store, change);
    assert_eq!(counted(&store).0, [ids[0], beyond[0], beyond[1]]);
    sound(&store);
}

#[test]
fn sheets_that_were_altered_are_found_and_mended() {
    for (sql, table) in [
        ("UPDATE sheet SET first = 2 WHERE record = 3", "sheet"),
        ("DELETE FROM sheet WHERE record = 2", "sheet"),
        ("UPDATE sheet SET key = zeroblob(16) WHERE record = 2", "sheet"),
        ("UPDATE sheet SET occasion = 'x' WHERE record = 2", "sheet"),
        ("UPDATE sheet SET seat = NULL WHERE record = 2", "sheet"),
        ("DELETE FROM entry WHERE record = 1", "entry"),
    ] {
        let folder = tempdir().expect("a folder");
        let (store, _) = three(folder.path());
        spoil(folder.path(), sql);
        let found = faults(&store);
        assert!(
            matches!(found[..], [ArchiveFault::Derived { table: found, .. }] if found == table),
            "{sql}: {found:?}"
        );
        store.rebuild(|_| ()).expect("rebuilt");
        sound(&store);
    }
    // A row that cannot be read is damage, and does not end the writer.
    let folder = tempdir().expect("a folder");
    let (store, [a, ..]) = three(folder.path());
    spoil(folder.path(), "UPDATE sheet SET occasion = 'x' WHERE record = 2");
    let id = a.id;
    let failed = store.write(move |writing| writing.retract(&id, &by("test"))).wait();
    assert!(matches!(failed, Err(Refusal::Store(StoreError::Corrupt(_)))), "{failed:?}");
    store.rebuild(|_| ()).expect("rebuilt");
    retract(&store, a.id);
    sound(&store);
}

/// An archive of the first schema, which counted every sheet.
#[test]
fn an_older_archive_is_brought_up_to_date() {
    files_only!("archives of this version are files");
    let folder = tempdir().expect("a folder");
    let (store, [a, b, c]) = three(folder.path());
    store.close().expect("closed");
    let newest = engine::number(folder.path(), "PRAGMA user_version");
    spoil(
        folder.path(),
        "DROP TABLE sheet; DELETE FROM entry; ALTER TABLE token DROP COLUMN expires; ALTER TABLE live DROP COLUMN clock_one;
         ALTER TABLE live DROP COLUMN clock_two; ALTER TABLE live DROP COLUMN running; DROP TABLE tournament_change; PRAGMA user_version = 1",
    );
    let store = open(folder.path());
    assert_eq!(counted(&store), (vec![a.id], [3, 1]));
    assert_eq!(sheets(&store, 3), (vec![a.id, b.id, c.id], Some(a.id)));
    sound(&store);
    store.close().expect("closed");
    assert_eq!(engine::number(folder.path(), "PRAGMA user_version"), newest);
}

/// A game of two plies or more, in round 1 of the cup.
fn short(moves: &str, result: &str, tags: &str) -> Submission {
    submission(&format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n[Termination \"time\"]\n{tags}\n{moves} {result}\n"
    ))
}

#[test]
fn records_that_contradict_each_other() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let one = short("0d3 0A0 0a1 0B0", "1-0", "");
    let made = [
        one.clone(),
        short("0d3 0A0 0a1 0B0", "1-0", "[Site \"Cusco\"]\n"),
        short("0d3 0A0 0b0 0B0", "1-0", ""),
        short("0d3 0A0 0a1 0B0", "0-1", ""),
        short("0d3 0A0 0b0 0B0", "1-0", "[Site \"Cusco\"]\n"),
        short("0d3 0A0", "1-0", "[Leg \"2\"]\n"),
    ];
    for record in &made {
        add(&store, record);
    }
    let token = |text: &str| Some(text.to_owned());
    let ply = Difference::Ply(3, [token("0a1"), token("0b0")]);
    let found = |number| store.read(|reading| reading.contradicted(number)).expect("it answers");
    let earlier = |number| found(number).map(|found| (found.records[0].0, found.difference.expect("they are small")));
    assert_eq!([1, 2, 6].map(earlier), [None, None, None]);
    assert_eq!(earlier(3), Some((1, ply.clone())));
    assert!(matches!(earlier(4), Some((1, Difference::Result(_)))));
    assert_eq!(earlier(5), Some((1, ply.clone())));
    let all = store.read(|reading| reading.contradictions(1, 10)).expect("it answers");
    let pairs: Vec<_> = all.iter().map(|found| found.records.map(|(number, _)| number)).collect();
    assert_eq!(pairs, [[1, 3], [1, 4]]);
    assert_eq!(store.read(|reading| reading.contradictions(1, 1)).expect("it answers"), all[..1]);
    sound(&store);
    // Without the first two the others contradict each other.
    retract(&store, one.id);
    let second = made[1].id;
    retract(&store, second);
    let all = store.read(|reading| reading.contradictions(1, 10)).expect("it answers");
    let pairs: Vec<_> = all.iter().map(|found| found.records.map(|(number, _)| number)).collect();
    assert_eq!(pairs, [[3, 4]]);
    sound(&store);
}

#[test]
fn large_records_are_not_compared_move_by_move() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    add(&store, &short("0d3 0A0 0a1 0B0", "1-0", ""));
    let comment = format!("{{{}}}", "x".repeat(60_000)).repeat(5);
    add(&store, &short(&format!("0d3 0A0 0b0 0B0 {comment}"), "1-0", ""));
    let found = store.read(|reading| reading.contradictions(1, 10)).expect("it answers");
    assert_eq!((found.len(), &found[0].difference), (1, &None));
}
