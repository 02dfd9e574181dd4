//! Changes: records added, corrected, retracted and judged again, names merged, and changes undone. Each appends to the base
//! tables and updates the projections.

use quipu_notation::record::Outcome;
use quipu_referee::Status;
use quipu_tournament::fault;

use super::{
    database::{self, OptionalRow, params},
    error::StoreError,
    projections::{ChangeEffect, NewRecord, Projector},
    record_rows::diagnostics_json,
    statements::Insert,
    write_tx::WriteTx,
};
use crate::model::{
    Attribution, ChangeKind, Id, Judgement, Number, RecordState, SignedVerdict, Submission, write_points,
};

/// The result of adding a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It was stored under this number.
    New(Number),
    /// The archive had it before: its number and state.
    AlreadyStored(Number, RecordState),
    /// It was not stored: it is not verified and `keep_refused` is false, or it has no source.
    Refused,
}

impl Added {
    /// Number of the record, if it is stored.
    pub fn number(self) -> Option<Number> {
        match self {
            Self::New(number) | Self::AlreadyStored(number, _) => Some(number),
            Self::Refused => None,
        }
    }
}

/// The reason that a change is refused.
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
    /// The record is not current; its state.
    NotCurrent(RecordState),
    /// The replacement is the record itself.
    SameRecord,
    /// The replacement is in the archive already, and current or corrected.
    AlreadyStored(RecordState),
    /// The replacement is not verified.
    NotVerified,
    /// A player cannot be merged into itself.
    SamePlayer,
    /// The player is merged already: its name, and the name that it is merged into.
    AlreadyMerged(String, String),
    /// Changes of this kind cannot be undone.
    NotUndoable(ChangeKind),
    /// The change was undone before, by the change of this number.
    AlreadyUndone(Number),
    /// A later change builds on the change.
    HasLaterChange,
    /// There is no such tournament.
    NoTournament,
    /// A tournament of this name and game exists already; its number.
    TournamentExists(Number),
    /// The tournament refuses the change.
    Tournament(Box<fault::Fault>),
    /// A later change of the tournament would no longer apply; its number, and the reason.
    BreaksLaterChange(Number, Box<fault::Fault>),
    /// The result of the game comes from a record.
    HasRecord {
        /// The record.
        record: Id,
        /// The number of the step, of several.
        step: Option<usize>,
    },
    /// A step of a change of a tournament requires a reason.
    NoReason,
    /// A change of a tournament has more bytes than this.
    ChangeTooLong(usize),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<database::Error> for Refusal {
    fn from(error: database::Error) -> Self {
        Self::Store(error.into())
    }
}

/// The columns of a change that depend on its kind.
#[derive(Default)]
pub(super) struct Subject<'a> {
    record: Option<Number>,
    corrects: Option<Number>,
    names: Option<[&'a str; 2]>,
    undoes: Option<Number>,
}

/// The last change that set the state of a record and was not undone.
const LAST: &str = "SELECT max(number) FROM (
  SELECT max(number) AS number FROM change WHERE record = ?1 AND kind IN ('correction', 'retraction')
    AND NOT EXISTS (SELECT 1 FROM change AS undo WHERE undo.undoes = change.number)
  UNION ALL SELECT max(number) FROM change WHERE corrects = ?1
    AND NOT EXISTS (SELECT 1 FROM change AS undo WHERE undo.undoes = change.number)) AS last";

impl<'c> WriteTx<'c> {
    /// Adds a record. One that is not verified is stored only with `keep_refused`.
    pub fn add(&self, submission: &Submission, by: &Attribution, keep_refused: bool) -> Result<Added, StoreError> {
        let is_absent = self.deferred.tx_cache.borrow().lacks_record(&submission.id);
        if !is_absent && let Some((number, state)) = self.find(&submission.id)? {
            return Ok(Added::AlreadyStored(number, state));
        }
        let kept_refused = keep_refused && submission.is_whole();
        if submission.verdict.status != Status::Verified && !kept_refused {
            return Ok(Added::Refused);
        }
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, ChangeKind::Record, by, &Subject { record: Some(number), ..Subject::default() })?;
        self.store_record(number, submission, &ChangeEffect::Record(number))?;
        Ok(Added::New(number))
    }

    /// Replaces a current record by a verified one. Returns the number of the change.
    pub fn correct(&self, id: &Id, submission: &Submission, by: &Attribution) -> Result<Number, Refusal> {
        let old = self.current(id)?;
        if submission.verdict.status != Status::Verified {
            return Err(Refusal::NotVerified);
        }
        if submission.id == *id {
            return Err(Refusal::SameRecord);
        }
        let number = self.deferred.next_change(self.connection)?;
        let subject = |record| Subject { record: Some(record), corrects: Some(old), ..Subject::default() };
        match self.find(&submission.id)? {
            None => {
                self.append(number, ChangeKind::Correction, by, &subject(number))?;
                self.store_record(number, submission, &ChangeEffect::Correction { new: number, old })?;
            }
            Some((new, RecordState::Retracted)) => {
                self.append(number, ChangeKind::Correction, by, &subject(new))?;
                self.projector(number).apply(&ChangeEffect::Correction { new, old }, None)?;
            }
            Some((_, state)) => return Err(Refusal::AlreadyStored(state)),
        }
        Ok(number)
    }

    /// Retracts a current record. Returns the number of the change.
    pub fn retract(&self, id: &Id, by: &Attribution) -> Result<Number, Refusal> {
        let record = self.current(id)?;
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, ChangeKind::Retraction, by, &Subject { record: Some(record), ..Subject::default() })?;
        self.projector(number).apply(&ChangeEffect::Retraction(record), None)?;
        Ok(number)
    }

    /// Merges the player of a name into that of another. Returns the number of the change.
    pub fn merge(&self, name: &str, into: &str, by: &Attribution) -> Result<Number, Refusal> {
        self.merge_into(name, into, true, by)
    }

    /// As [`WriteTx::merge`], into a name that may stand on no record yet, such as that of an entrant.
    pub fn merge_into_entrant(&self, name: &str, into: &str, by: &Attribution) -> Result<Number, Refusal> {
        self.merge_into(name, into, false, by)
    }

    fn merge_into(&self, name: &str, into: &str, must_be_known: bool, by: &Attribution) -> Result<Number, Refusal> {
        if name == into {
            return Err(Refusal::SamePlayer);
        }
        for (name, must_be_known) in [(name, true), (into, must_be_known)] {
            let mut merged = self.connection.prepare(
                "SELECT other.name FROM player LEFT JOIN player AS other ON other.number = player.merged WHERE player.name = ?",
            )?;
            let merged = merged.query_row([name], |row| row.get::<Option<String>>(0)).optional()?;
            match merged {
                None if must_be_known => return Err(Refusal::NoPlayer(name.to_owned())),
                Some(Some(other)) => return Err(Refusal::AlreadyMerged(name.to_owned(), other)),
                None | Some(None) => {}
            }
        }
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, ChangeKind::Merge, by, &Subject { names: Some([name, into]), ..Subject::default() })?;
        let effect = ChangeEffect::Merge { name: name.to_owned(), into: into.to_owned() };
        self.projector(number).apply(&effect, None)?;
        Ok(number)
    }

    /// Undoes a correction, a retraction, a merge or a change of a tournament. Returns the number of the new change.
    pub fn undo(&self, change: Number, by: &Attribution) -> Result<Number, Refusal> {
        let sql = format!("SELECT {} FROM change WHERE number = ?", ChangeEffect::COLUMNS);
        let mut row = self.connection.prepare(&sql)?;
        let effect =
            row.query_row([change], |row| Ok(ChangeEffect::from_row(row))).optional()?.ok_or(Refusal::NoChange)??;
        let mut undone = self.connection.prepare("SELECT number FROM change WHERE undoes = ?")?;
        if let Some(by) = undone.query_row([change], |row| row.get(0)).optional()? {
            return Err(Refusal::AlreadyUndone(by));
        }
        let last = |sql: &str, record: Number| -> Result<bool, StoreError> {
            let mut last = self.connection.prepare(sql)?;
            Ok(last.query_row([record], |row| row.get::<Option<Number>>(0))? == Some(change))
        };
        // A change that a later one builds on stays.
        let untouched = match &effect {
            ChangeEffect::Record(_) => return Err(Refusal::NotUndoable(ChangeKind::Record)),
            ChangeEffect::Verdict(_) => return Err(Refusal::NotUndoable(ChangeKind::Verdict)),
            ChangeEffect::Undo(_) => return Err(Refusal::NotUndoable(ChangeKind::Undo)),
            ChangeEffect::Retraction(record) => last(LAST, *record)?,
            ChangeEffect::Correction { new, old } => last(LAST, *new)? && last(LAST, *old)?,
            ChangeEffect::Merge { .. } => true,
            ChangeEffect::Tournament => self.check_undo(change).map(|()| true)?,
        };
        if !untouched {
            return Err(Refusal::HasLaterChange);
        }
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, ChangeKind::Undo, by, &Subject { undoes: Some(change), ..Subject::default() })?;
        self.projector(number).apply(&ChangeEffect::Undo(change), None)?;
        Ok(number)
    }

    /// Stores another verdict on a record. Returns the number of the change.
    pub fn judge(&self, record: Number, judgement: &Judgement, by: &Attribution) -> Result<Number, StoreError> {
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, ChangeKind::Verdict, by, &Subject { record: Some(record), ..Subject::default() })?;
        let (id, source) = self.hashes_of(record)?;
        let signed = SignedVerdict::new(judgement).text();
        self.store_verdict(record, [&id, &source], &Judgement { number, ..judgement.clone() }, signed)?;
        self.projector(number).apply(&ChangeEffect::Verdict(record), None)?;
        Ok(number)
    }

    pub(super) fn projector(&self, change: Number) -> Projector<'c> {
        Projector { inserts: self.inserts, connection: self.connection, change, deferred: self.deferred }
    }

    /// Number of a record, which must be current.
    fn current(&self, id: &Id) -> Result<Number, Refusal> {
        match self.find(id)? {
            Some((number, RecordState::Current)) => Ok(number),
            Some((_, state)) => Err(Refusal::NotCurrent(state)),
            None => Err(Refusal::NoRecord),
        }
    }

    /// Appends the row of a change.
    pub(super) fn append(
        &self,
        number: Number,
        kind: ChangeKind,
        by: &Attribution,
        subject: &Subject<'_>,
    ) -> Result<(), StoreError> {
        if subject.corrects.is_some() {
            // The change refers to a record that may still be buffered, and rows of changes are inserted first.
            self.connection.flush_rows()?;
        }
        self.inserts.insert(
            Insert::Change,
            &params![
                number,
                self.now().timestamp_millis(),
                kind.as_str(),
                by.submitter,
                by.author,
                by.reason,
                subject.record,
                subject.corrects,
                subject.names.map(|names| names[0]),
                subject.names.map(|names| names[1]),
                subject.undoes,
            ],
        )?;
        self.deferred.set_last_change(number);
        Ok(())
    }

    /// Stores a record with its verdict, and updates the projections.
    fn store_record(&self, number: Number, submission: &Submission, effect: &ChangeEffect) -> Result<(), StoreError> {
        let Submission { format, source, digest, id, canonical, verdict, signed, facts, game } = submission;
        self.deferred.tx_cache.borrow_mut().add_record(id);
        let own_digest = Some(digest).filter(|digest| *digest != id);
        self.inserts.insert(Insert::Record, &params![number, id, format.as_str(), source, own_digest, canonical])?;
        if let Some(game) = game {
            self.deferred.add_game(number, game);
        }
        let judgement = Judgement::new(number, verdict);
        self.store_verdict(number, [id, digest], &judgement, signed.clone())?;
        let new_record = NewRecord { id, at: self.now().timestamp_millis(), facts, judgement: &judgement };
        self.projector(number).apply(effect, Some(&new_record))
    }

    /// Stores a verdict and issues its receipt. `hashes` are the id of the record and the SHA-256 of its source; `signed` is the
    /// text to sign.
    fn store_verdict(
        &self,
        record: Number,
        hashes: [&Id; 2],
        judgement: &Judgement,
        signed: Vec<u8>,
    ) -> Result<(), StoreError> {
        let receipt = self.next_receipt()?;
        let diagnostics = diagnostics_json(&judgement.diagnostics)?;
        self.inserts.insert(
            Insert::Verdict,
            &params![
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

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use quipu_notation::record::Format;

    use super::*;
    use crate::store::{
        Filter, Store,
        database::sqlite::connect::{Access, connect},
        deferred::DeferredWrites,
        statements::PreparedInserts,
    };

    /// The order of changes does not depend on their times: the clock is set back, and far ahead.
    #[test]
    fn changes_keep_their_order_when_the_clock_jumps() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        store.unlock().expect("a key");
        let connection = connect(store.path(), Access::Write).expect("a connection");
        let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(&connection));
        let first = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        for (number, days) in (1..).zip([0, -30_000, 50_000, 1]) {
            let text =
                format!("[Game \"andes\"]\n[Site \"{number}\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n");
            let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
            let by = Attribution { submitter: "mesa".to_owned(), author: None, reason: None };
            let writing = WriteTx::new(&inserts, &deferred, first + TimeDelta::days(days));
            assert_eq!(writing.add(&submission, &by, false).expect("it is stored"), Added::New(number));
        }
        deferred.flush(&connection).expect("they are stored");
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
