//! Archives of earlier schema versions, brought up to date when they are opened.

use chrono::Utc;
use quipu_archive::store::{Digest, Filter, Store, StoreError, TokenRefusal, WriteTx};
use quipu_options::Scope;
use tempfile::tempdir;

use super::{
    generate::{filled, open},
    maintenance::{faults, spoil},
};

/// Undoes what versions 3 and 4 of the schema add to tokens and parts, and for tournaments.
const BACK_TO_2: &str = "ALTER TABLE token DROP COLUMN expires;
    DROP TABLE tournament_change;
    DROP INDEX part_other;
    ALTER TABLE part DROP COLUMN other;
    PRAGMA user_version = 2";

#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
fn digest(store: &Store) -> Digest {
    store.read(|reading| reading.digest()).expect("a digest")
}

#[test]
fn tokens_of_an_older_archive_do_not_expire() {
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 12);
    let add = |name: &'static str| {
        move |writing: &WriteTx<'_>| writing.add_token(name, &[Scope::RecordsWrite], None).map(|(token, _)| token)
    };
    let before = store.write(add("before")).wait().expect("a token");
    let derived = digest(&store);
    store.close().expect("closed");
    spoil(folder.path(), BACK_TO_2);

    let store = open(folder.path());
    let after = store.write(add("after")).wait().expect("a token");
    let revoked =
        store.write(|writing| -> Result<_, TokenRefusal> { writing.revoke("before") }).wait().expect("it held");
    assert!(before.holds(Utc::now()) && after.holds(Utc::now()) && !revoked.holds(Utc::now()));
    assert_eq!((revoked.id, revoked.expires), (before.id, None));
    assert_eq!(digest(&store), derived, "derived tables are those of version 3");
    let numbers = store.read(|reading| {
        let [one, two] = ["Quispe, Ana", "Núñez, Inés"].map(|name| reading.player_named(name));
        let [one, two] = [one?, two?].map(|player| player.expect("a player").number);
        Ok::<_, StoreError>([one, two])
    });
    let [player, against] = numbers.expect("players").map(Some);
    let filter = Filter { player, against, ..Filter::default() };
    assert!(!store.read(|reading| reading.cards(&filter, None, 50)).expect("a list").items.is_empty());
    assert_eq!(faults(&store).len(), 0);
}
