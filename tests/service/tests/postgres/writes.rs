//! Jobs of one transaction on a server: their lookups and rows go out together, and a job that fails leaves the others stored.

use std::sync::{Arc, mpsc};

use quipu_archive::{
    model::Submission,
    store::{Added, Lookups, Pending, Relations, Store, StoreError, TokenRefusal},
};
use quipu_options::Scope;

use super::{Place, add, by, check, records};

/// The result of adding a record, with its relations.
type AddResult = Result<(Added, Relations), StoreError>;

/// Adds these records in one transaction, each in a job of its own.
fn add_together(store: &Store, all: &[Submission]) -> Vec<AddResult> {
    let (free, waiting) = mpsc::channel::<()>();
    let waiting = std::sync::Mutex::new(waiting);
    // The writer waits, so that all others are in its queue.
    let first = store.write(move |_| {
        let _ = waiting.lock().expect("one job").recv();
        Ok::<_, StoreError>(())
    });
    let jobs: Vec<Pending<_, StoreError>> = all
        .iter()
        .map(|submission| {
            let submission = Arc::new(submission.clone());
            let lookups = Lookups { token: Some("no-token".to_owned()), submission: Some(Arc::clone(&submission)) };
            store.write_with_lookups(lookups, move |writing| {
                assert_eq!(writing.token("no-token")?, None);
                let added = writing.add(&submission, &by(), false)?;
                let related = added.number().map(|number| writing.relations(number)).transpose()?;
                Ok((added, related.unwrap_or_default()))
            })
        })
        .collect();
    drop(free);
    first.wait().expect("it ends");
    jobs.into_iter().map(Pending::wait).collect()
}

/// A record with another value of a tag.
fn with_tag(record: &Submission, name: &str, value: &str) -> Submission {
    let text = std::str::from_utf8(&record.source).expect("UTF-8");
    let changed = |line: &str| match line.strip_prefix(&format!("[{name} \"")) {
        Some(_) => format!("[{name} \"{value}\"]\n"),
        None => format!("{line}\n"),
    };
    let text: String = text.lines().map(changed).collect();
    Submission::again(text.as_bytes(), record.format).expect("a record")
}

/// The moves of `record` under the players and the round of `others`.
fn of_same_players(record: &Submission, others: &Submission) -> Submission {
    let [one, two] = others.facts.players.each_ref().map(|name| name.as_deref().expect("a name"));
    let round = others.facts.round.as_deref().expect("a round");
    let tags = [("Sol", one), ("Luna", two), ("Round", round)];
    tags.into_iter().fold(record.clone(), |record, (name, value)| with_tag(&record, name, value))
}

fn successes(outcomes: &[AddResult]) -> Vec<bool> {
    outcomes.iter().map(Result::is_ok).collect()
}

#[test]
fn a_row_that_the_server_refuses_fails_its_own_job() {
    let place = Place::new();
    let store = place.open();
    let all = records(0..6);
    let refused = with_tag(&all[3], "Round", "refused");
    place.server.sql("ALTER TABLE card ADD CHECK (round <> 'refused')");
    let mut given = all[..3].to_vec();
    given.push(refused);
    given.extend_from_slice(&all[4..]);
    assert_eq!(successes(&add_together(&store, &given)), [true, true, true, false, true, true]);
    place.server.sql("ALTER TABLE card DROP CONSTRAINT card_round_check");
    check(&store, 5);
}

/// The lookups of all jobs fail together, and then only those of the job that needs the damaged row.
#[test]
fn a_damaged_row_fails_only_the_jobs_that_read_it() {
    let place = Place::new();
    let store = place.open();
    let all = records(0..5);
    add(&store, &all[0]);
    place.server.sql("UPDATE entry SET result = 'none', points = '30-20'");
    let same_players = of_same_players(&all[3], &all[0]);
    let outcomes = add_together(&store, &[all[1].clone(), same_players, all[2].clone()]);
    assert_eq!(successes(&outcomes), [true, false, true], "{outcomes:?}");
    assert!(matches!(outcomes[1], Err(StoreError::Corrupt(_))), "{outcomes:?}");
}

/// A job sees the rows of the jobs before it, and the results are those of records added one by one.
#[test]
fn jobs_of_one_transaction_see_each_other() {
    let (place, other) = (Place::new(), Place::new());
    let (store, alone) = (place.open(), other.open());
    let all = records(0..40);
    let (sheet, contradiction) = (with_tag(&all[4], "UTCTime", "16:30:00"), of_same_players(&all[9], &all[5]));
    let mut given = vec![all[0].clone()];
    given.extend_from_slice(&all);
    given.extend([sheet, contradiction]);
    let together = add_together(&store, &given);
    let together: Vec<_> = together.into_iter().map(|outcome| outcome.expect("stored")).collect();
    let one_by_one: Vec<_> = given
        .iter()
        .map(|record| add_together(&alone, std::slice::from_ref(record)).remove(0).expect("stored"))
        .collect();
    assert_eq!(together, one_by_one);
    assert!(matches!(together[1].0, Added::AlreadyStored(1, _)), "{:?}", together[1]);
    assert_eq!(together[41].1.sheet_of, Some(all[4].id));
    assert!(together[42].1.contradicts.is_some(), "{:?}", together[42]);
    check(&store, together.iter().filter(|(added, _)| matches!(added, Added::New(_))).count() as u64);
}

/// The cache of names has no long ones.
#[test]
fn a_contradiction_is_found_in_an_event_with_a_long_name() {
    let place = Place::new();
    let store = place.open();
    let all: Vec<_> = records(0..2).iter().map(|record| with_tag(record, "Event", &"Torneo ".repeat(40))).collect();
    add(&store, &all[0]);
    let contradiction = of_same_players(&all[1], &all[0]);
    let added = add_together(&store, std::slice::from_ref(&contradiction)).remove(0).expect("stored");
    assert!(added.1.contradicts.is_some(), "{added:?}");
}

/// A token is looked up again once it has changed in the same transaction.
#[test]
fn a_job_sees_its_own_revocation() {
    let place = Place::new();
    let store = place.open();
    let job = store.write(|writing| -> Result<_, TokenRefusal> {
        let (token, _) = writing.add_token("mesa", &[Scope::RecordsWrite], None)?;
        let holds = || Ok::<_, TokenRefusal>(writing.token(&token.id)?.is_some_and(|token| token.revoked.is_none()));
        let before = holds()?;
        writing.revoke(&token.id)?;
        Ok([before, holds()?])
    });
    assert_eq!(job.wait().expect("it is written"), [true, false]);
}
