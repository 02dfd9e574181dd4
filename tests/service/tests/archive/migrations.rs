//! Archives of earlier schema versions, brought up to date when they are opened.

use chrono::Utc;
use quipu_archive::{
    model::{Clocks, Draft, Submission, TokenLimit},
    store::{Digest, Filter, NameFilter, Store, StoreError, TokenRefusal, WriteTx},
};
use quipu_notation::record::Format;
use quipu_options::Scope;
use quipu_tests_service::{engine::spoil, files_only};
use tempfile::tempdir;

use super::{
    generate::{filled, open},
    maintenance::faults,
};

/// Undoes what later versions of the schema add to tokens, parts and games in progress, and to the words of names, and for tournaments.
const BACK_TO_2: &str = "ALTER TABLE token DROP COLUMN expires;
    ALTER TABLE live DROP COLUMN clock_one;
    ALTER TABLE live DROP COLUMN clock_two;
    ALTER TABLE live DROP COLUMN running;
    DROP TABLE name_word;
    DROP TABLE term_rest;
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
    files_only!("archives of these versions are files");
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
    assert_eq!(digest(&store), derived, "derived tables are those of the current version");
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

/// An archive of version 3 has no clocks of games in progress, and finds beginnings of words only.
#[test]
fn games_in_progress_of_an_older_archive_have_no_clocks() {
    files_only!("archives of these versions are files");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 12);
    let text = "[Game \"andes\"]\n\n1. 0d3 *\n";
    let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
    let draft = Draft::new(&submission).expect("it can be played on");
    let number = store.write(move |writing: &WriteTx<'_>| writing.open_live(&draft, "mesa")).wait().expect("opened");
    let derived = digest(&store);
    store.close().expect("closed");
    spoil(
        folder.path(),
        "ALTER TABLE live DROP COLUMN clock_one;
         ALTER TABLE live DROP COLUMN clock_two;
         ALTER TABLE live DROP COLUMN running;
         DROP TABLE name_word;
         DROP TABLE term_rest;
         DROP TABLE tournament_change;
         CREATE TABLE player_word (player INTEGER NOT NULL, word TEXT NOT NULL, name TEXT NOT NULL,
           PRIMARY KEY (player, word)) STRICT, WITHOUT ROWID;
         CREATE INDEX player_word_found ON player_word (word, name, player);
         PRAGMA user_version = 3",
    );
    let store = open(folder.path());
    let live = store.read(|reading| reading.live(number)).expect("read").expect("a game");
    assert_eq!(live.clocks, Clocks::default());
    let search = NameFilter::new("uisp");
    let found = store.read(|reading| reading.players(search.as_ref(), None, 50)).expect("read").expect("a list");
    assert!(found.items.iter().any(|person| person.name == "Quispe, Ana"));
    assert_eq!(digest(&store), derived);
    assert_eq!(faults(&store).len(), 0);
}

/// An unreleased build made version 6 without the players of limits.
#[test]
fn limits_of_tokens_are_kept_when_they_get_players() {
    files_only!("archives of these versions are files");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 12);
    let add =
        |writing: &WriteTx<'_>| writing.add_token("mesa", &[Scope::RecordsWrite], None).map(|(token, _)| token.id);
    let id = store.write(add).wait().expect("a token");
    store.close().expect("closed");
    spoil(
        folder.path(),
        "ALTER TABLE token_limit DROP COLUMN player_one;
         ALTER TABLE token_limit DROP COLUMN player_two;
         INSERT INTO token_limit SELECT id, 1, 2, 3 FROM token",
    );
    let store = open(folder.path());
    let token = store.read(|reading| reading.token(&id)).expect("read").expect("a token");
    assert_eq!(token.limit, Some(TokenLimit { tournament: 1, board: Some((2, 3)), players: None }));
    assert_eq!(faults(&store).len(), 0);
}

/// An archive of version 6 has no webhooks.
#[test]
fn an_older_archive_gets_webhooks() {
    files_only!("archives of these versions are files");
    let folder = tempdir().expect("a folder");
    let (store, _) = filled(folder.path(), 12);
    let derived = digest(&store);
    store.close().expect("closed");
    spoil(folder.path(), "DROP TABLE webhook_delivery; DROP TABLE webhook; PRAGMA user_version = 6");
    let store = open(folder.path());
    let add = |writing: &WriteTx<'_>| writing.add_webhook("https://receiver.example/", &[], &[], None);
    let webhook = store.write(add).wait().expect("a webhook");
    let last = store.read(|reading| Ok::<_, StoreError>(vec![reading.last_change()?]));
    assert_eq!([webhook.delivered], *last.expect("it is read"));
    assert_eq!(digest(&store), derived);
    assert_eq!(faults(&store).len(), 0);
}
