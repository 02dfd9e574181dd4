//! What can happen to an archive. Everything here appends to what happened and draws the consequences.

use std::{
    any::Any,
    ops::Deref,
    panic::{AssertUnwindSafe, catch_unwind},
};

use chrono::{DateTime, Utc};
use quipu_notation::record::Outcome;
use quipu_referee::Status;
use rusqlite::{OptionalExtension, params};

use super::{
    ReadTx, StoreError,
    deferred::DeferredWrites,
    projections::{ChangeEvent, NewRecord, Projector},
    statements::{Insert, InsertRows},
};
use crate::{
    model::{By, Id, Judgement, Kind, Number, State, StoredDiagnostic, Submission, write_points},
    receipts::SignedVerdict,
};

/// The archive inside of a transaction.
pub struct WriteTx<'c> {
    reading: ReadTx<'c>,
    pub(super) later: &'c DeferredWrites,
    held: &'c dyn InsertRows,
    at: DateTime<Utc>,
}

/// What became of a record that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is stored, under this number.
    New(Number),
    /// It was there before.
    There(Number, State),
    /// It is not verified, and was not to be kept; or nothing is left of it that could be.
    Refused,
}

/// Why something cannot be changed.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The archive failed.
    Store(StoreError),
    /// There is no such record.
    NoRecord,
    /// There is no such change.
    NoChange,
    /// There is no player of this name.
    NoPlayer(String),
    /// The record does not stand: what became of it.
    NotCurrent(State),
    /// What should be put in its place is the same record.
    Same,
    /// What should be put in its place is in the archive and stands for itself, or was corrected.
    There(State),
    /// What should be put in its place is not verified.
    NotVerified,
    /// A player cannot be merged into itself.
    SamePlayer,
    /// A player that is merged already, and into whom.
    Merged(String, String),
    /// Such changes cannot be undone.
    Lasting(Kind),
    /// The change was undone before, by this one.
    Undone(Number),
    /// What the change did has changed since.
    Since,
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.reading
    }
}

/// What a change is about.
#[derive(Default)]
struct About<'a> {
    record: Option<Number>,
    corrects: Option<Number>,
    names: Option<[&'a str; 2]>,
    undoes: Option<Number>,
}

impl<'c> WriteTx<'c> {
    pub(super) fn new(held: &'c dyn InsertRows, later: &'c DeferredWrites, at: DateTime<Utc>) -> Self {
        Self { reading: ReadTx { connection: held.connection() }, later, held, at }
    }

    /// Lets the archive grow no further, as on a disk that is full.
    #[cfg(any(test, feature = "testing"))]
    pub fn leave_no_space(&self) -> Result<(), StoreError> {
        let pages: i64 = self.connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        Ok(self.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?)
    }

    /// When this is.
    pub fn now(&self) -> DateTime<Utc> {
        self.at
    }

    /// How much was written so far: another number, where anything was.
    pub(super) fn extent(&self) -> (u64, usize) {
        (self.connection.total_changes(), self.later.texts())
    }

    /// Does a piece of work, and takes a panic in it for a failure.
    pub(super) fn caught<T, E: From<StoreError>>(&self, work: impl Fn(&Self) -> Result<T, E>) -> Result<T, E> {
        caught(|| work(self))
    }

    /// Does all of a piece of work, or nothing if it fails.
    pub(super) fn whole<T, E: From<StoreError>>(&self, work: impl Fn(&Self) -> Result<T, E>) -> Result<T, E> {
        let say = |sql| self.connection.execute_batch(sql).map_err(|error| E::from(error.into()));
        say("SAVEPOINT job")?;
        let mark = self.later.mark();
        match self.caught(work) {
            Ok(done) => say("RELEASE job").map(|()| done),
            Err(error) => {
                self.later.rollback_to(mark);
                // After some failures all is rolled back already.
                if !self.connection.is_autocommit() {
                    say("ROLLBACK TO job; RELEASE job")?;
                }
                Err(error)
            }
        }
    }

    /// Takes in a record; one that is not verified only if it is to be kept all the same.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn add(&self, submission: &Submission, by: &By, keep_refused: bool) -> Result<Added, StoreError> {
        if let Some((number, state)) = self.find(&submission.id)? {
            return Ok(Added::There(number, state));
        }
        let kept_refused = keep_refused && submission.is_whole();
        if submission.verdict.status != Status::Verified && !kept_refused {
            return Ok(Added::Refused);
        }
        let number = self.next()?;
        self.log(number, Kind::Record, by, &About { record: Some(number), ..About::default() })?;
        self.keep(number, submission, &ChangeEvent::Record(number))?;
        Ok(Added::New(number))
    }

    /// Puts a verified record in the place of one that stands, and says the number of the change.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn correct(&self, id: &Id, submission: &Submission, by: &By) -> Result<Number, Refusal> {
        let old = self.standing(id)?;
        if submission.verdict.status != Status::Verified {
            return Err(Refusal::NotVerified);
        }
        if submission.id == *id {
            return Err(Refusal::Same);
        }
        let number = self.next()?;
        let about = |record| About { record: Some(record), corrects: Some(old), ..About::default() };
        match self.find(&submission.id)? {
            None => {
                self.log(number, Kind::Correction, by, &about(number))?;
                self.keep(number, submission, &ChangeEvent::Correction { new: number, old })?;
            }
            Some((new, State::Retracted)) => {
                self.log(number, Kind::Correction, by, &about(new))?;
                self.derive(number).apply(&ChangeEvent::Correction { new, old }, None)?;
            }
            Some((_, state)) => return Err(Refusal::There(state)),
        }
        Ok(number)
    }

    /// Takes a record back, and says the number of the change.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn retract(&self, id: &Id, by: &By) -> Result<Number, Refusal> {
        let record = self.standing(id)?;
        let number = self.next()?;
        self.log(number, Kind::Retraction, by, &About { record: Some(record), ..About::default() })?;
        self.derive(number).apply(&ChangeEvent::Retraction(record), None)?;
        Ok(number)
    }

    /// Makes two names one player, and says the number of the change.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn merge(&self, name: &str, into: &str, by: &By) -> Result<Number, Refusal> {
        if name == into {
            return Err(Refusal::SamePlayer);
        }
        for name in [name, into] {
            let mut merged = self.connection.prepare_cached(
                "SELECT other.name FROM player LEFT JOIN player AS other ON other.number = player.merged WHERE player.name = ?",
            )?;
            let merged = merged.query_row([name], |row| row.get::<_, Option<String>>(0)).optional()?;
            match merged {
                None => return Err(Refusal::NoPlayer(name.to_owned())),
                Some(Some(other)) => return Err(Refusal::Merged(name.to_owned(), other)),
                Some(None) => {}
            }
        }
        let number = self.next()?;
        self.log(number, Kind::Merge, by, &About { names: Some([name, into]), ..About::default() })?;
        let deed = ChangeEvent::Merge { name: name.to_owned(), into: into.to_owned() };
        self.derive(number).apply(&deed, None)?;
        Ok(number)
    }

    /// Undoes a correction, a retraction or a merge, and says the number of the change.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn undo(&self, change: Number, by: &By) -> Result<Number, Refusal> {
        let mut row = self.connection.prepare_cached(
            "SELECT number, kind, record, corrects, name, into_name, undoes FROM change WHERE number = ?",
        )?;
        let deed = row.query_row([change], |row| Ok(ChangeEvent::of(row))).optional()?.ok_or(Refusal::NoChange)??;
        let mut undone = self.connection.prepare_cached("SELECT number FROM change WHERE undoes = ?")?;
        if let Some(by) = undone.query_row([change], |row| row.get(0)).optional()? {
            return Err(Refusal::Undone(by));
        }
        let last = |sql: &str, record: Number| -> Result<bool, StoreError> {
            let mut last = self.connection.prepare_cached(sql)?;
            Ok(last.query_row([record], |row| row.get::<_, Option<Number>>(0))? == Some(change))
        };
        // Only what nothing was built upon since can be taken away.
        let untouched = match &deed {
            ChangeEvent::Record(_) => return Err(Refusal::Lasting(Kind::Record)),
            ChangeEvent::Verdict(_) => return Err(Refusal::Lasting(Kind::Verdict)),
            ChangeEvent::Undo(_) => return Err(Refusal::Lasting(Kind::Undo)),
            ChangeEvent::Retraction(record) => last(LAST, *record)?,
            ChangeEvent::Correction { new, old } => last(LAST, *new)? && last(LAST, *old)?,
            ChangeEvent::Merge { .. } => true,
        };
        if !untouched {
            return Err(Refusal::Since);
        }
        let number = self.next()?;
        self.log(number, Kind::Undo, by, &About { undoes: Some(change), ..About::default() })?;
        self.derive(number).apply(&ChangeEvent::Undo(change), None)?;
        Ok(number)
    }

    /// Stores another verdict on a record, and says the number of the change.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn judge(&self, record: Number, judgement: &Judgement, by: &By) -> Result<Number, StoreError> {
        let number = self.next()?;
        self.log(number, Kind::Verdict, by, &About { record: Some(record), ..About::default() })?;
        let (id, source) = self.hashes_of(record)?;
        let signed = SignedVerdict::new(judgement).text();
        self.keep_verdict(record, [&id, &source], &Judgement { number, ..judgement.clone() }, signed)?;
        self.derive(number).apply(&ChangeEvent::Verdict(record), None)?;
        Ok(number)
    }

    fn derive(&self, change: Number) -> Projector<'c> {
        Projector { held: self.held, connection: self.connection, change, later: self.later }
    }

    /// The number of the next change.
    fn next(&self) -> Result<Number, StoreError> {
        self.later.next(self.connection)
    }

    /// The number of a record that stands.
    fn standing(&self, id: &Id) -> Result<Number, Refusal> {
        match self.find(id)? {
            Some((number, State::Current)) => Ok(number),
            Some((_, state)) => Err(Refusal::NotCurrent(state)),
            None => Err(Refusal::NoRecord),
        }
    }

    fn log(&self, number: Number, kind: Kind, by: &By, about: &About<'_>) -> Result<(), StoreError> {
        self.held.insert(
            Insert::Change,
            params![
                number,
                self.at.timestamp_millis(),
                kind.as_str(),
                by.submitter,
                by.author,
                by.reason,
                about.record,
                about.corrects,
                about.names.map(|names| names[0]),
                about.names.map(|names| names[1]),
                about.undoes,
            ],
        )?;
        self.later.made(number);
        Ok(())
    }

    /// Stores a record with its verdict, and draws the consequences.
    fn keep(&self, number: Number, submission: &Submission, deed: &ChangeEvent) -> Result<(), StoreError> {
        let Submission { form, source, digest, id, canonical, verdict, signed, facts } = submission;
        let own_digest = Some(digest).filter(|digest| *digest != id);
        self.held.insert(Insert::Record, params![number, id, form.as_str(), source, own_digest, canonical])?;
        let judgement = Judgement::new(number, verdict);
        self.keep_verdict(number, [id, digest], &judgement, signed.clone())?;
        let arrival = NewRecord { id, at: self.at.timestamp_millis(), facts, judgement: &judgement };
        self.derive(number).apply(deed, Some(&arrival))
    }

    /// Stores a verdict with its receipt, in which it is signed as this. The record has this id, and its bytes this hash.
    fn keep_verdict(
        &self,
        record: Number,
        hashes: [&Id; 2],
        judgement: &Judgement,
        signed: Vec<u8>,
    ) -> Result<(), StoreError> {
        let receipt = self.next_receipt()?;
        let diagnostics = written(&judgement.diagnostics)?;
        self.held.insert(
            Insert::Verdict,
            params![
                judgement.number,
                record,
                judgement.edition,
                judgement.program,
                judgement.game,
                judgement.rules,
                judgement.status.as_str(),
                judgement.plies,
                judgement.position,
                judgement.termination,
                judgement.result.map(Outcome::as_str),
                judgement.points.as_ref().map(write_points),
                diagnostics,
                judgement.id.is_some(),
                receipt,
            ],
        )?;
        self.issue(receipt, hashes, judgement, judgement.edition, signed);
        Ok(())
    }
}

/// What was found, as it is stored.
pub(super) fn written(diagnostics: &[StoredDiagnostic]) -> Result<Option<String>, StoreError> {
    let json = (!diagnostics.is_empty()).then(|| serde_json::to_string(diagnostics));
    json.transpose().map_err(|error| StoreError::Other(error.to_string()))
}

/// The last change that said whether a record stands.
const LAST: &str = "SELECT max(number) FROM (
  SELECT max(number) AS number FROM change WHERE record = ?1 AND kind IN ('correction', 'retraction')
    AND NOT EXISTS (SELECT 1 FROM change AS undo WHERE undo.undoes = change.number)
  UNION ALL SELECT max(number) FROM change WHERE corrects = ?1
    AND NOT EXISTS (SELECT 1 FROM change AS undo WHERE undo.undoes = change.number))";

/// Does something, and takes a panic in it for a failure.
pub(super) fn caught<T, E: From<StoreError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|panic| Err(StoreError::Other(said(&*panic)).into()))
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic").to_owned()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use quipu_notation::record::Format;

    use super::*;
    use crate::store::{Access, Filter, Store, connect, statements::PreparedInserts};

    /// A clock that is put back, and one that is far ahead: what comes later stays later, whatever time it is given.
    #[test]
    fn a_clock_that_jumps() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        store.unlock().expect("a key");
        let connection = connect(store.path(), Access::Write).expect("a connection");
        let (later, held) = (DeferredWrites::default(), PreparedInserts::new(&connection));
        let first = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        for (number, days) in (1..).zip([0, -30_000, 50_000, 1]) {
            let text =
                format!("[Game \"andes\"]\n[Site \"{number}\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n");
            let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
            let by = By { submitter: "mesa".to_owned(), author: None, reason: None };
            let writing = WriteTx::new(&held, &later, first + TimeDelta::days(days));
            assert_eq!(writing.add(&submission, &by, false).expect("it is stored"), Added::New(number));
        }
        later.store(&connection).expect("they are stored");
        store.sign_pending().expect("it is signed");
        let cards = store.read(|reading| reading.cards(&Filter::default(), None, 10)).expect("a list");
        assert_eq!(cards.items.iter().map(|card| card.number).collect::<Vec<_>>(), [4, 3, 2, 1]);
        let (proof, size) = store
            .read(|reading| Ok::<_, StoreError>((reading.consistency(2, 4)?, reading.receipts()?)))
            .expect("it answers");
        assert_eq!((proof.is_some(), size), (true, 4));
        let checked = store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
        assert_eq!((checked.records, checked.faults), (4, 0));
    }
}
