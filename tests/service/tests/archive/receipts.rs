//! Receipts: each verdict has one, it can be checked by who has nothing else, and nothing that it says can be changed
//! without that being found. The outside of receipts is tested in `http` and `cli`; the tree itself has its tests
//! beside it.

use std::{fs, path::Path};

use chrono::{DateTime, TimeDelta};
use quipu_archive::{
    model::{Id, Judgement, Submission},
    receipts::{Comparison, Flaw, Hex, Keys, PublicKey, Receipt, SecretKey, SignedHead, TrustedKeys, merkle, time},
    store::{ArchiveFault, Store, StoreError},
};
use quipu_notation::record::Format;
use quipu_referee::verify::EDITION;
use quipu_tests_service::{
    engine::{self, spoil},
    files_only,
};
use rusqlite::{Connection, types::Value};
use tempfile::tempdir;

use super::{
    generate::{SampleRecord, add, by, filled},
    maintenance::{faults, sample_archive},
};

fn receipt(store: &Store, id: &Id) -> Receipt {
    let signer = store.signer().expect("a key");
    store.read(|reading| reading.receipt(id, &signer)).expect("it answers").expect("a receipt")
}

fn head(store: &Store) -> SignedHead {
    let signer = store.signer().expect("a key");
    store.read(|reading| reading.signed_head(&signer)).expect("it answers")
}

fn keys(store: &Store) -> Keys {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
    let keys = store.read(|reading| reading.keys());
    keys.map_err(|error: StoreError| error).expect("it answers")
}

fn unlocked(store: &Store) -> PublicKey {
    store.unlock().expect("a key")
}

fn reopened(store: Store, folder: &Path) -> Store {
    drop(store);
    Store::open(folder).expect("an archive")
}

#[test]
fn every_verdict_has_a_receipt_that_holds() {
    let (folder, store, ids) = sample_archive();
    let trusted = TrustedKeys::from_key(unlocked(&store));
    for (index, id) in (0..).zip(&ids) {
        let receipt = receipt(&store, id);
        assert_eq!(receipt.check(&trusted), Ok(()));
        assert_eq!((receipt.index, receipt.id, receipt.edition, receipt.head.size), (index, Hex(*id), EDITION, 11));
        let source = store.read(|reading| reading.source(id)).expect("it answers").expect("a record");
        let record = Submission::again(&source.bytes, source.format).expect("a record");
        assert_eq!(receipt.compare(&record), Comparison::SameBytes);
    }
    // The receipt reports the later state of a record, and is not changed by it.
    let states = [0, 1, 2].map(|index: usize| receipt(&store, &ids[index]).state);
    assert_eq!(states, ["corrected", "retracted", "current"]);
    // The bytes are the same each time, also after the program was started again.
    let before = ids.iter().map(|id| receipt(&store, id)).collect::<Vec<_>>();
    let store = reopened(store, folder.path());
    unlocked(&store);
    assert_eq!(ids.iter().map(|id| receipt(&store, id)).collect::<Vec<_>>(), before);
    let unknown = store.read(|reading| reading.receipt(&[7; 32], &store.signer()?)).expect("it answers");
    assert_eq!(unknown, None);
}

#[test]
fn refused_records_have_receipts_too() {
    let folder = tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("an archive");
    let trusted = TrustedKeys::from_key(unlocked(&store));
    let rejected = "[Game \"andes\"]\n\n1. 9a1\n";
    for (text, status, named) in [(rejected, "rejected", true), ("[Game \"andes\"]\n\n1. {", "unreadable", false)] {
        let record = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
        let (own, id) = (record.clone(), record.id);
        store.write(move |writing| writing.add(&own, &by("test"), true)).wait().map(drop).expect("it is kept");
        let receipt = receipt(&store, &id);
        assert_eq!((receipt.verdict.status.as_str(), receipt.verdict.named), (status, named), "{receipt:?}");
        assert_eq!((receipt.check(&trusted), receipt.compare(&record)), (Ok(()), Comparison::SameBytes));
        assert!(!receipt.verdict.diagnostics.is_empty());
    }
    assert_eq!(faults(&store), []);
}

#[test]
fn a_record_written_otherwise_is_the_same() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 2);
    unlocked(&store);
    let receipt = receipt(&store, &ids[0]);
    let source = store.read(|reading| reading.source(&ids[0])).expect("it answers").expect("a record");
    let spaced = [&source.bytes[..], b"\n\n"].concat();
    let alike = Submission::again(&spaced, source.format).expect("a record");
    assert_eq!(receipt.compare(&alike), Comparison::SameRecord);
    let other = store.read(|reading| reading.source(&ids[1])).expect("it answers").expect("a record");
    let other = Submission::again(&other.bytes, other.format).expect("a record");
    assert_eq!(receipt.compare(&other), Comparison::OtherRecord(ids[1]));
    let mut lied = receipt;
    lied.verdict.plies = lied.verdict.plies.map(|plies| plies + 1);
    let same = Submission::again(&source.bytes, source.format).expect("a record");
    assert!(
        matches!(lied.compare(&same), Comparison::DifferentVerdict(now) if now.plies.map(|plies| plies + 1) == lied.verdict.plies)
    );
}

/// Any change of a receipt makes it invalid, with the right reason.
#[test]
fn a_receipt_that_was_changed() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 7);
    let public = unlocked(&store);
    let right = receipt(&store, &ids[3]);
    let other = receipt(&store, &ids[4]);
    let check = |change: &dyn Fn(&mut Receipt), flaw: Flaw| {
        let mut receipt = right.clone();
        change(&mut receipt);
        assert_eq!(receipt.check(&TrustedKeys::from_key(public)), Err(flaw), "{receipt:?}");
    };
    let stranger = Hex([1; 32]);
    check(&|receipt| receipt.index += 1, Flaw::Signature);
    check(&|receipt| receipt.id = other.id, Flaw::Signature);
    check(&|receipt| receipt.source = other.source, Flaw::Signature);
    check(&|receipt| receipt.edition += 1, Flaw::Signature);
    check(&|receipt| receipt.time = receipt.time.replace(':', "."), Flaw::Signature);
    check(&|receipt| receipt.verdict.status = "rejected".to_owned(), Flaw::Signature);
    check(&|receipt| receipt.verdict.result = Some("1/2-1/2".to_owned()), Flaw::Signature);
    check(&|receipt| receipt.verdict.program.push('1'), Flaw::Signature);
    check(&|receipt| receipt.signature.0[5] ^= 1, Flaw::Signature);
    check(&|receipt| receipt.signature = other.signature, Flaw::Signature);
    check(&|receipt| receipt.key = stranger, Flaw::Key(stranger.0));
    check(&|receipt| receipt.head.key = stranger, Flaw::HeadKey(stranger.0));
    check(&|receipt| receipt.head.size += 1, Flaw::Head);
    check(&|receipt| receipt.head.root.0[0] ^= 1, Flaw::Head);
    check(&|receipt| receipt.head.time.push('Z'), Flaw::Head);
    check(&|receipt| receipt.head.signature.0[63] ^= 1, Flaw::Head);
    check(&|receipt| receipt.proof[0].0[9] ^= 1, Flaw::Proof);
    check(&|receipt| receipt.proof.truncate(1), Flaw::Proof);
    check(&|receipt| receipt.proof.swap(0, 1), Flaw::Proof);
    check(&|receipt| receipt.proof = other.proof.clone(), Flaw::Proof);
    // Whole, but of another archive.
    let elsewhere = tempdir().expect("a folder");
    let (another, _) = filled(elsewhere.path(), 7);
    let flaw = right.check(&TrustedKeys::from_key(unlocked(&another)));
    assert_eq!(flaw, Err(Flaw::Key(public.id())));
    // And the text of it reads back, with nothing that it does not know.
    let text = serde_json::to_string(&right).expect("JSON");
    assert_eq!(serde_json::from_str::<Receipt>(&text).ok(), Some(right));
    assert!(serde_json::from_str::<Receipt>(&text.replacen('{', "{\"more\":1,", 1)).is_err());
}

#[test]
fn the_log_only_grows() {
    let folder = tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("an archive");
    let public = unlocked(&store);
    let mut heads = vec![head(&store)];
    assert_eq!((heads[0].size, heads[0].root), (0, Hex(merkle::empty())));
    for index in 0..20 {
        add(&store, &SampleRecord { site: Some(format!("Sala {index}")), ..SampleRecord::default() }.submission());
        heads.push(head(&store));
    }
    for (from, to) in heads.iter().flat_map(|from| heads.iter().map(move |to| (from, to))) {
        assert!(public.has_signed(&to.head().text(), &to.signature.0));
        let proof = store.read(|reading| reading.consistency(from.size, to.size)).expect("it answers");
        assert_eq!(proof.is_some(), from.size <= to.size);
        let Some(proof) = proof else { continue };
        let proof: Vec<_> = proof.iter().map(|node| node.0).collect();
        assert!(merkle::is_consistent((from.size, &from.root.0), (to.size, &to.root.0), &proof));
    }
    let beyond = store.read(|reading| reading.consistency(3, 21)).expect("it answers");
    assert_eq!(beyond, None, "nobody knows what comes");
    assert_eq!(faults(&store), []);
}

/// A verdict that another edition gave too, or not, is given anew: each time there is a receipt.
#[test]
fn verdicts_that_are_given_again() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 3);
    let trusted = TrustedKeys::from_key(unlocked(&store));
    let judgement = |id: &Id| store.read(|reading| reading.judgement(id)).expect("it answers").expect("a verdict");
    // As if an older edition had judged them: the first as we do, the second not.
    let older = |id: &Id| Judgement { edition: EDITION - 1, program: "0.0.1".to_owned(), ..judgement(id) };
    let (same, mut other) = (older(&ids[0]), older(&ids[1]));
    other.plies = Some(1);
    let stored = store.write(move |writing| {
        writing.judge(1, &same, &by("older"))?;
        writing.judge(2, &other, &by("older"))
    });
    stored.wait().expect("they are stored");
    let indices = || ids.iter().map(|id| receipt(&store, id).index).collect::<Vec<_>>();
    assert_eq!(indices(), [3, 4, 2]);
    assert_eq!(receipt(&store, &ids[0]).verdict.program, "0.0.1");
    store.reverify(false, false, &by("reverify"), |_| (), |_| ()).expect("judged");
    assert_eq!(indices(), [5, 6, 2]);
    let confirmed = receipt(&store, &ids[0]);
    assert_eq!((confirmed.edition, confirmed.verdict.program.as_str()), (EDITION, env!("CARGO_PKG_VERSION")));
    for id in &ids {
        let receipt = receipt(&store, id);
        assert_eq!((receipt.check(&trusted), receipt.edition, receipt.head.size), (Ok(()), EDITION, 7));
    }
    assert_eq!(faults(&store), []);
    spoil(folder.path(), "UPDATE confirmation SET program = '9'");
    assert_eq!(faults(&store), [ArchiveFault::Receipt(5)]);
}

#[test]
fn another_key() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 3);
    let first = unlocked(&store);
    let old = receipt(&store, &ids[0]);
    let old_key = store.signer().expect("a key").key;
    let second = store.rotate().expect("another key");
    assert_ne!(first, second);
    let store = reopened(store, folder.path());
    assert_eq!(unlocked(&store), second, "it is the one that signs now");
    add(&store, &SampleRecord::default().submission());
    let new = receipt(&store, &ids[0]);
    assert_eq!((old.index, old.verdict.clone()), (new.index, new.verdict.clone()));
    let list = keys(&store);
    let from: Vec<_> = list.keys.iter().map(|key| (key.from, key.until, key.signed_by)).collect();
    assert_eq!(from, [(3, Some(3), Hex(first.id())), (3, None, Hex(first.id()))]);
    // Trust in the first key extends to the second, if the chain is shown; not the other way round.
    assert_eq!(old.check(&TrustedKeys::from_key(first)), Ok(()));
    assert_eq!(new.check(&TrustedKeys::from_key(first)), Err(Flaw::Key(second.id())));
    let shown = TrustedKeys::from_succession(first, &list).expect("it is one");
    assert_eq!((old.check(&shown), new.check(&shown)), (Ok(()), Ok(())));
    let shown = TrustedKeys::from_succession(second, &list).expect("it is one");
    assert_eq!((old.check(&shown), new.check(&shown)), (Err(Flaw::Key(first.id())), Ok(())));
    // A list that says more than was signed.
    for change in [
        (|list: &mut Keys| list.keys[1].from = 2) as fn(&mut Keys),
        |list| list.keys[1].time.push('0'),
        |list| list.keys[1].signature = list.keys[0].signature,
        |list| list.keys[1].key = Hex([0; 32]),
        |list| list.keys[1].public = Hex([0; 32]),
    ] {
        let mut other = list.clone();
        change(&mut other);
        assert_eq!(TrustedKeys::from_succession(first, &other).map(drop), Err(Flaw::Keys(other.keys[1].key.0)));
    }
    let stranger = TrustedKeys::from_succession(first, &Keys { keys: list.keys[1..].to_vec() });
    assert_eq!(stranger.map(drop), Err(Flaw::Key(first.id())));
    // The old key cannot sign later entries.
    let mut late = new.clone();
    late.head = SignedHead::new(&new.head.head(), &old_key);
    assert_eq!(
        late.check(&TrustedKeys::from_succession(first, &list).expect("it is one")),
        Err(Flaw::Retired(first.id()))
    );
    assert_eq!(faults(&store), []);
}

#[test]
fn keys_that_are_lost_or_old() {
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    let first = unlocked(&store);
    let file = folder.path().join("quipu.key");
    let old = fs::read(&file).expect("a key");
    store.rotate().expect("another key");
    // Broken off after the archive knew of it and before the file had its name.
    fs::rename(&file, folder.path().join("quipu.key.next")).expect("it is there");
    fs::write(&file, &old).expect("it is written");
    private(&file);
    let store = reopened(store, folder.path());
    let second = unlocked(&store);
    assert_ne!(second, first);
    assert!(!folder.path().join("quipu.key.next").exists());
    // Broken off before that.
    let store = reopened(store, folder.path());
    let never = folder.path().join("quipu.key.next");
    fs::write(&never, format!("{}\n", Hex([9; 32]))).expect("it is written");
    private(&never);
    assert_eq!(unlocked(&store), second);
    assert!(!never.exists());
    // One that was put back.
    let store = reopened(store, folder.path());
    fs::write(&file, &old).expect("it is written");
    assert!(matches!(store.unlock(), Err(StoreError::ReplacedKey(_))));
    fs::write(&file, "no key\n").expect("it is written");
    assert!(matches!(store.unlock(), Err(StoreError::NoKey(_))));
    assert!(matches!(store.signer(), Err(StoreError::NoKey(_))));
    // One that is missing: none is made in its place, and none that never signed is taken.
    fs::remove_file(&file).expect("it is there");
    assert!(matches!(store.unlock(), Err(StoreError::MissingKey(_))));
    assert!(matches!(store.rotate(), Err(StoreError::MissingKey(_))));
    assert!(!file.exists() && keys(&store).keys.len() == 2);
    let stranger = format!("{}\n", Hex([9; 32]));
    fs::write(&file, &stranger).expect("it is written");
    private(&file);
    assert!(matches!(store.unlock(), Err(StoreError::UnknownKey(_))));
    assert!(matches!(store.rotate(), Err(StoreError::UnknownKey(_))));
    // One that is lost: another begins anew, if that is asked for, and it shows.
    fs::remove_file(&file).expect("it is there");
    let begun = store.reset_key().expect("a key");
    assert!(begun != first && begun != second);
    let list = keys(&store);
    assert_eq!((list.keys.len(), list.keys[2].signed_by), (3, Hex(begun.id())));
    assert_eq!(TrustedKeys::from_succession(first, &list).map(drop), Err(Flaw::Keys(begun.id())));
    assert_eq!(unlocked(&store), begun);
    assert_eq!(faults(&store), []);
    // If it is not lost after all it signs.
    let after = store.reset_key().expect("a key");
    assert_eq!(keys(&store).keys[3].signed_by, Hex(begun.id()));
    // A key that never signed is accepted as it is.
    let store = reopened(store, folder.path());
    fs::write(&file, &stranger).expect("it is written");
    let taken = store.reset_key().expect("a key");
    assert_eq!((fs::read_to_string(&file).expect("a key"), unlocked(&store)), (stranger, taken));
    assert!(taken != after && keys(&store).keys[4].signed_by == Hex(taken.id()));
    assert_eq!(faults(&store), []);
    spoil(folder.path(), "UPDATE signer SET number = 9, signed_by = 9 WHERE number = 5");
    assert!(faults(&store).contains(&ArchiveFault::Key(9)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let store = reopened(store, folder.path());
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("it is ours");
        assert!(matches!(store.unlock(), Err(StoreError::ExposedKey(_))));
    }
}

/// A key that is elsewhere, where a link leads: no old one stays there when another takes its place.
#[cfg(unix)]
#[test]
fn a_key_behind_a_link() {
    let (folder, secrets) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let store = Store::open(folder.path()).expect("an archive");
    let first = unlocked(&store);
    let (file, elsewhere) = (folder.path().join("quipu.key"), secrets.path().join("of-quipu"));
    fs::rename(&file, &elsewhere).expect("it is there");
    std::os::unix::fs::symlink(&elsewhere, &file).expect("it is ours");
    let old = fs::read(&elsewhere).expect("a key");
    let store = reopened(store, folder.path());
    assert_eq!(unlocked(&store), first);
    let second = store.rotate().expect("another key");
    assert!(fs::symlink_metadata(&file).expect("it is there").is_symlink());
    assert_ne!(fs::read(&elsewhere).expect("a key"), old);
    assert_eq!(fs::read_dir(secrets.path()).expect("a folder").count(), 1);
    let store = reopened(store, folder.path());
    assert_eq!(unlocked(&store), second);
    // One that leads nowhere: the key is where it leads, and missing.
    fs::remove_file(&elsewhere).expect("it is there");
    let store = reopened(store, folder.path());
    assert!(matches!(store.unlock(), Err(StoreError::File(..))));
}

/// A key that the archive could not take note of does not sign.
#[test]
fn a_key_that_the_archive_does_not_know() {
    let folder = tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("an archive");
    let [refuse, accept] = if engine::is_server() {
        ["ALTER TABLE signer ADD CONSTRAINT no CHECK (number = 0)", "ALTER TABLE signer DROP CONSTRAINT no"]
    } else {
        ["CREATE TRIGGER no BEFORE INSERT ON signer BEGIN SELECT raise(ABORT, 'no'); END", "DROP TRIGGER no"]
    };
    spoil(folder.path(), refuse);
    assert!(store.unlock().is_err() && store.signer().is_err());
    spoil(folder.path(), accept);
    let public = unlocked(&store);
    assert_eq!((keys(&store).keys.len(), keys(&store).keys[0].key), (1, Hex(public.id())));
}

/// Records that another program stored while nobody wrote here get their signed head too.
#[test]
fn receipts_in_arrears() {
    let folder = tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("an archive");
    unlocked(&store);
    let other = Store::open(folder.path()).expect("the same archive");
    add(&other, &SampleRecord::default().submission());
    let signed = || engine::number(folder.path(), "SELECT ifnull(max(size), 0) FROM head");
    assert_eq!(signed(), 0);
    store.sign_pending().expect("it is signed");
    assert_eq!(signed(), 1);
    store.sign_pending().expect("nothing is left to sign");
    assert_eq!((signed(), faults(&store)), (1, vec![]));
}

/// Has a file be for its owner alone.
fn private(path: &Path) {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
}

/// Values that differ from one in a byte, at each of its places.
fn changed(value: &Value) -> Vec<Value> {
    let each = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let turned = |place: usize| {
            let mut bytes = bytes.to_vec();
            bytes[place] ^= 1;
            bytes
        };
        // Of long texts some places say as much as all.
        (0..bytes.len()).step_by(bytes.len().div_ceil(24).max(1)).map(turned).collect()
    };
    match value {
        Value::Null | Value::Real(_) => Vec::new(),
        Value::Integer(number) => vec![Value::Integer(number ^ 1), Value::Integer(number ^ 256)],
        Value::Text(text) => {
            each(text.as_bytes()).into_iter().filter_map(|text| String::from_utf8(text).ok()).map(Value::Text).collect()
        }
        Value::Blob(bytes) => each(bytes).into_iter().map(Value::Blob).collect(),
    }
}

#[test]
fn one_byte_that_was_changed_is_found() {
    files_only!("it changes single values of the file");
    let (folder, store, _) = sample_archive();
    unlocked(&store);
    store.rotate().expect("another key");
    let store = reopened(store, folder.path());
    unlocked(&store);
    assert_eq!(faults(&store), []);
    let file = Connection::open(folder.path().join("quipu.db")).expect("a file");
    file.pragma_update(None, "foreign_keys", false).expect("SQL");
    let mut tried = 0;
    for (table, key, row) in [
        ("record", "number", 3),
        ("verdict", "number", 3),
        ("receipt", "number", 3),
        ("receipt", "number", 7),
        ("signer", "number", 1),
        ("signer", "number", 2),
        ("head", "size", 11),
    ] {
        let mut columns = file.prepare("SELECT name FROM pragma_table_info(?)").expect("SQL");
        let columns = columns.query_map([table], |row| row.get::<_, String>(0)).expect("SQL");
        for column in columns.map(|column| column.expect("SQL")).filter(|column| column != key) {
            let sql = format!("SELECT {column} FROM {table} WHERE {key} = {row}");
            let value: Value = file.query_row(&sql, [], |row| row.get(0)).expect("a row");
            let sql = format!("UPDATE OR FAIL {table} SET {column} = ? WHERE {key} = {row}");
            for other in changed(&value) {
                // A constraint of the table already rules this value out.
                if file.execute(&sql, [&other]).is_err() {
                    continue;
                }
                tried += 1;
                assert!(!faults(&store).is_empty(), "{table}.{column} {row}: {value:?} → {other:?}");
            }
            file.execute(&sql, [&value]).expect("it is as it was");
        }
    }
    assert!(tried > 200, "{tried}");
    assert_eq!(faults(&store), []);
}

#[test]
fn changes_to_the_receipt_log_are_found() {
    for (sql, fault) in [
        ("DELETE FROM receipt WHERE number = 10", ArchiveFault::Head(11)),
        ("DELETE FROM receipt WHERE number = 10", ArchiveFault::Unreceipted(11)),
        ("DELETE FROM receipt WHERE number = 4", ArchiveFault::Receipt(4)),
        ("UPDATE receipt SET verdict = 2 WHERE number = 4", ArchiveFault::Receipt(4)),
        ("UPDATE receipt SET nodes = zeroblob(32) WHERE number = 4", ArchiveFault::Receipt(4)),
        ("UPDATE receipt SET nodes = substr(nodes, 1, 32) WHERE number = 5", ArchiveFault::Tree(5)),
        ("UPDATE head SET size = 10", ArchiveFault::Head(10)),
        ("UPDATE signer SET size = 1", ArchiveFault::Key(1)),
    ] {
        let (folder, store, _) = sample_archive();
        unlocked(&store);
        spoil(folder.path(), sql);
        let faults = faults(&store);
        assert!(faults.contains(&fault), "{sql}: {faults:?}");
    }
}

/// Puts another log into an archive that is not open: with other records, the same keys, and no heads, so that all of it
/// agrees.
fn rewrite(folder: &Path, records: usize) {
    let other = tempdir().expect("a folder");
    let store = Store::open(other.path()).expect("an archive");
    for site in 0..records {
        add(&store, &SampleRecord { site: Some(format!("Otra {site}")), ..SampleRecord::default() }.submission());
    }
    assert_eq!(faults(&store), []);
    drop(store);
    let own = folder.join("quipu.db");
    let keys = format!("ATTACH '{}' AS own; INSERT INTO signer SELECT * FROM own.signer", own.display());
    spoil(other.path(), &keys);
    fs::copy(other.path().join("quipu.db"), own).expect("it is copied");
}

/// A holder of the archive without the key can write another, consistent log into its place. It is found by the head
/// that was signed before, and not signed.
#[test]
fn a_log_that_was_rewritten() {
    files_only!("it puts another file in the place");
    let head = |folder: &Path| folder.join("quipu.head");
    for (records, name) in [(2, "shorter"), (3, "as long"), (9, "longer")] {
        let folder = tempdir().expect("a folder");
        unlocked(&Store::open(folder.path()).expect("an archive"));
        let (store, _) = filled(folder.path(), 3);
        unlocked(&store);
        let kept: SignedHead = serde_json::from_slice(&fs::read(head(folder.path())).expect("a head")).expect("JSON");
        assert_eq!(kept, self::head(&store));
        drop(store);
        rewrite(folder.path(), records);
        let store = Store::open(folder.path()).expect("an archive");
        assert_eq!(faults(&store), [ArchiveFault::Rewritten(head(folder.path()))], "{name}");
        assert!(matches!(store.unlock(), Err(StoreError::RewrittenLog(_))), "{name}");
        assert!(matches!(store.rotate(), Err(StoreError::RewrittenLog(_))), "{name}");
        assert!(matches!(store.reset_key(), Err(StoreError::RewrittenLog(_))), "{name}");
        assert!(store.signer().is_err());
        assert!(!store.read(|reading| reading.has_had(&kept)).expect("it answers"), "{name}");
        // Not either where the key is away, or another.
        let key = folder.path().join("quipu.key");
        fs::rename(&key, folder.path().join("away")).expect("it is there");
        assert!(matches!(store.reset_key(), Err(StoreError::RewrittenLog(_))), "{name}");
        fs::write(&key, format!("{}\n", Hex([9; 32]))).expect("it is written");
        private(&key);
        assert!(matches!(store.reset_key(), Err(StoreError::RewrittenLog(_))), "{name}");
        assert_eq!(keys(&store).keys.len(), 1);
        fs::rename(folder.path().join("away"), &key).expect("it is there");
        // Removing the head accepts the receipt log all the same.
        fs::remove_file(head(folder.path())).expect("it is there");
        unlocked(&store);
        assert_eq!((faults(&store), self::head(&store).size), (vec![], records as u64));
        assert!(head(folder.path()).exists());
    }
}

/// Heads that are taken out of the archive change nothing about what they were of; one that another signed, or that is none,
/// is not what was kept.
#[test]
fn the_head_that_is_kept() {
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 3);
    unlocked(&store);
    let file = folder.path().join("quipu.head");
    let right = fs::read_to_string(&file).expect("a head");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    spoil(folder.path(), "DELETE FROM head");
    assert_eq!(faults(&store), []);
    let store = reopened(store, folder.path());
    unlocked(&store);
    let stranger = SignedHead::new(&head(&store).head(), &SecretKey::from_seed(&[9; 32]));
    let mut later = head(&store);
    later.time = later.time.replace("20", "21");
    for other in [&stranger, &later].map(|head| serde_json::to_string(head).expect("JSON")) {
        fs::write(&file, other).expect("it is written");
        assert_eq!(faults(&store), [ArchiveFault::Rewritten(file.clone())]);
    }
    for other in ["", "{", "\u{feff}", &" ".repeat(5_000)] {
        fs::write(&file, other).expect("it is written");
        assert_eq!(faults(&store), [ArchiveFault::Rewritten(file.clone())], "{other}");
    }
    fs::write(&file, right).expect("it is written");
    assert_eq!(faults(&store), []);
    // It is that of now at the end, and whoever signed it.
    store.rotate().expect("another key");
    add(&store, &SampleRecord::default().submission());
    let store = reopened(store, folder.path());
    unlocked(&store);
    let now = head(&store);
    let kept: SignedHead = serde_json::from_slice(&fs::read(&file).expect("a head")).expect("JSON");
    assert_eq!((kept, faults(&store)), (now, vec![]));
}

/// The nodes of the tree are stored, so that they could be those of one log for who asks about the head that was kept,
/// and of another for who asks about what came later. Such a forgery is neither signed nor served.
#[test]
fn a_log_of_two_faces() {
    files_only!("it changes nodes in the file");
    let folder = tempdir().expect("a folder");
    unlocked(&Store::open(folder.path()).expect("an archive"));
    let (store, ids) = filled(folder.path(), 2);
    unlocked(&store);
    let mut honest = receipt(&store, &ids[0]);
    drop(store);
    let store = Store::open(folder.path()).expect("an archive");
    for site in ["Cusco", "Puno"] {
        add(&store, &SampleRecord { site: Some(site.to_owned()), ..SampleRecord::default() }.submission());
    }
    drop(store);
    // The verdict of the first is of another time, and its leaf with it; what is over both of the first two stays in its
    // row, and what is over all four is that of the other leaf.
    spoil(folder.path(), "UPDATE change SET at = at - 86400000 WHERE number = 1");
    let file = Connection::open(folder.path().join("quipu.db")).expect("a file");
    let nodes = |row: u64| -> Vec<[u8; 32]> {
        let nodes: Vec<u8> =
            file.query_row("SELECT nodes FROM receipt WHERE number = ?", [row], |row| row.get(0)).expect("a row");
        nodes.chunks(32).map(|node| node.try_into().expect("a node")).collect()
    };
    let put = |row: u64, nodes: &[[u8; 32]]| {
        let set = "UPDATE receipt SET nodes = ? WHERE number = ?";
        file.execute(set, rusqlite::params![nodes.as_flattened(), row]).expect("SQL");
    };
    assert_eq!(nodes(0), [merkle::leaf(honest.leaf().text().as_bytes())]);
    let given = DateTime::parse_from_rfc3339(&honest.time).expect("a time").to_utc();
    honest.time = time(given - TimeDelta::days(1));
    let forged = merkle::leaf(honest.leaf().text().as_bytes());
    put(0, &[forged]);
    let left = merkle::node(&forged, &nodes(1)[0]);
    let right = nodes(3)[1];
    put(3, &[nodes(3)[0], right, merkle::node(&left, &right)]);
    let store = Store::open(folder.path()).expect("an archive");
    assert!(matches!(store.unlock(), Err(StoreError::RewrittenLog(_))));
    assert!(faults(&store).contains(&ArchiveFault::Rewritten(folder.path().join("quipu.head"))));
    // Not even where no head is kept is a leaf signed that is not in the receipt log.
    fs::remove_file(folder.path().join("quipu.head")).expect("it is there");
    put(3, &[nodes(3)[0], right, merkle::node(&merkle::node(&[0; 32], &nodes(1)[0]), &right)]);
    unlocked(&store);
    let signer = store.signer().expect("a key");
    let given = store.read(|reading| reading.receipt(&ids[0], &signer));
    assert!(matches!(given, Err(StoreError::Corrupt(_))), "{given:?}");
}

/// A log that is rewritten while it is served is given no more.
#[test]
fn a_log_that_is_rewritten_meanwhile() {
    let folder = tempdir().expect("a folder");
    let (store, ids) = filled(folder.path(), 3);
    unlocked(&store);
    let signer = store.signer().expect("a key");
    spoil(folder.path(), "UPDATE receipt SET nodes = zeroblob(64) WHERE number = 1");
    let asked = store.read(|reading| reading.signed_head(&signer));
    assert!(matches!(asked, Err(StoreError::RewrittenLog(_))), "{asked:?}");
    let asked = store.read(|reading| reading.receipt(&ids[0], &signer));
    assert!(matches!(asked, Err(StoreError::RewrittenLog(_))), "{asked:?}");
    let record = SampleRecord::default().submission();
    let stored = store.write(move |writing| writing.add(&record, &by("test"), true)).wait().map(drop);
    let arrears = store.sign_pending();
    assert!(stored.is_err() || matches!(arrears, Err(StoreError::RewrittenLog(_))), "{stored:?} {arrears:?}");
    assert!(matches!(store.rotate(), Err(StoreError::RewrittenLog(_))));
}

/// Changes to the file without SQL: a byte of a submitted text, and a byte of a node of the tree.
#[test]
fn a_byte_of_the_file_that_was_changed_is_found() {
    files_only!("it changes bytes of the file");
    let (folder, store, ids) = sample_archive();
    unlocked(&store);
    let node = merkle::leaf(receipt(&store, &ids[5]).leaf().text().as_bytes());
    drop(store);
    let path = folder.path().join("quipu.db");
    let right = fs::read(&path).expect("a file");
    for (bytes, fault) in [(&b"Sala 5"[..], ArchiveFault::Source(6, ids[5])), (&node[..], ArchiveFault::Receipt(5))] {
        let mut file = right.clone();
        // The text is in the search index too; the submitted one comes after its tag.
        let places = file.windows(bytes.len()).enumerate().filter(|(_, found)| *found == bytes).map(|(place, _)| place);
        let places: Vec<_> = places.collect();
        assert!(!places.is_empty(), "{fault:?}");
        for place in places {
            file[place + bytes.len() - 1] ^= 1;
        }
        fs::write(&path, file).expect("it is written");
        let store = Store::open(folder.path()).expect("an archive");
        let faults = faults(&store);
        assert!(faults.contains(&fault), "{faults:?}");
    }
}
